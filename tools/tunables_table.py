#!/usr/bin/env python3
"""Write the tables of tunables in docs/search.md from `pavilion_ai.tunables` and the games.

    python tools/tunables_table.py           # write
    python tools/tunables_table.py --check   # exit status 1 if the tables are not up to date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from pavilion_ai.games import GAMES
from pavilion_ai.tunables import LINEAR, TUNABLES, Tunable, Tunables

PAGE = Path(__file__).resolve().parent.parent / "docs" / "search.md"
BEGIN, END = "<!-- tunables: begin -->\n", "<!-- tunables: end -->\n"


def tables() -> str:
    """Return both tables as Markdown."""
    lines = [
        "| tunable | option | range | default | meaning |",
        "|---|---|---|---|---|",
        *map(row, TUNABLES.values()),
        "",
        "| search | differs from these defaults in |",
        "|---|---|",
        *(f"| {search} | {differences(tunables)} |" for search, tunables in variants()),
    ]
    return "".join(f"{line}\n" for line in lines)


def row(tunable: Tunable) -> str:
    """Return a tunable's row."""
    key = f"`{tunable.key}`" if tunable.key else ""
    whole = "whole, " if tunable.range.kind is int else ""
    low, high = (str(end).removesuffix(".0") for end in (tunable.range.low, tunable.range.high))
    return (f"| `{tunable.name}` | {key} | {whole}{low} to {high} | {tunable.default:g} |"
            f" {tunable.meaning} |")


def variants() -> Iterator[tuple[str, Tunables]]:
    """Yield in words which searches there are, and their tunables."""
    for game in GAMES.values():
        yield f"{game.title}, without a network", game.tunables
        for players, tunables in game.network_tunables.items():
            yield f"{game.title}, with a network, {players} players", tunables


def differences(tunables: Tunables) -> str:
    """Return in words where tunables differ from the defaults."""
    return ", ".join(f"`{name}` {tunables[name]:g}" for name in TUNABLES
                     if tunables[name] != LINEAR[name]) or "nothing"


def page(text: str) -> str:
    """Return the page with the tables in their place."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE}: expected the lines {BEGIN.strip()} and {END.strip()}")
    return f"{before}{begin}{tables()}{end}{after}"


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    old = PAGE.read_text(encoding="utf-8")
    new = page(old)
    if check:
        if new != old:
            print(f"{PAGE}: the tables are not up to date; run {sys.argv[0]}", file=sys.stderr)
        return int(new != old)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
