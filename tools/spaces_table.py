#!/usr/bin/env python3
"""Write the table of spaces in docs/environments.md: actions and observations of every variant.

With `--check` nothing is written; the exit status is 1 if the table is not up to date.
"""

from __future__ import annotations

import sys

from tables import keep

from pavilion_ai.envs import num_actions, observation_parts
from pavilion_ai.games import variants


def table() -> str:
    """Return the table as Markdown."""
    lines = [
        "| game | board | players | actions | counts, scaled | features |",
        "|---|---|---|---|---|---|",
    ]
    for rules, board, players in variants():
        game = rules.name
        sizes = (num_actions(game, board, players), size(game, players, "counts"),
                 size(game, players, "features"))
        lines.append(f"| `{game}` | `{board}` | {players} |"
                     f" {' | '.join(f'{number:,}' for number in sizes)} |")
    return "".join(f"{line}\n" for line in lines)


def size(game: str, players: int, kind: str) -> int:
    """Return how many numbers an observation has."""
    last = observation_parts(game, players, kind)[-1]
    return last.start + last.size


if __name__ == "__main__":
    sys.exit(keep("environments.md", "spaces", table()))
