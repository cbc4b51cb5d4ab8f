#!/usr/bin/env python3
"""Write the tables of tunables in docs/search.md from `pavilion_ai.tunables` and the games.

With `--check` nothing is written; the exit status is 1 if the tables are not up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tables import keep

from pavilion_ai.games import GAMES
from pavilion_ai.tunables import LINEAR, TUNABLES, Tunable, Tunables


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


if __name__ == "__main__":
    sys.exit(keep("search.md", "tunables", tables()))
