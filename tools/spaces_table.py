#!/usr/bin/env python3
"""Write the table of spaces in docs/environments.md: actions and observations of every variant.

    python tools/spaces_table.py           # write
    python tools/spaces_table.py --check   # exit status 1 if the table is not up to date
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pavilion_ai.envs import num_actions, observation_parts
from pavilion_ai.games import GAMES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "environments.md"
BEGIN, END = "<!-- spaces: begin -->\n", "<!-- spaces: end -->\n"


def table() -> str:
    """Return the table as Markdown."""
    lines = [
        "| game | board | players | actions | counts, scaled | features |",
        "|---|---|---|---|---|---|",
    ]
    for game, rules in GAMES.items():
        for board in rules.boards:
            for players in range(rules.min_players, rules.max_players + 1):
                sizes = (num_actions(game, board, players), size(game, players, "counts"),
                         size(game, players, "features"))
                lines.append(f"| `{game}` | `{board}` | {players} |"
                             f" {' | '.join(f'{number:,}' for number in sizes)} |")
    return "".join(f"{line}\n" for line in lines)


def size(game: str, players: int, kind: str) -> int:
    """Return how many numbers an observation has."""
    last = observation_parts(game, players, kind)[-1]
    return last.start + last.size


def page(text: str) -> str:
    """Return the page with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{table()}{END}{after}"


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    text = PAGE.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        print(f"{PAGE}: found no place for the table, expected {BEGIN.strip()}", file=sys.stderr)
        return 1
    if options.check:
        if page(text) == text:
            return 0
        print(f"{PAGE}: not up to date, run tools/spaces_table.py", file=sys.stderr)
        return 1
    PAGE.write_text(page(text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
