#!/usr/bin/env python3
"""Find the levels of the shipped puzzles anew.

    python tools/relabel_puzzles.py                      # all variants, an hour or more
    python tools/relabel_puzzles.py summer-coloured-2    # one of them

Each puzzle is tested anew, as a new one is, and gets the level up to which its solution is usually
missed, and the move that this level plays instead. What is not a puzzle any more makes room for one
from the next games of the series.
"""

from __future__ import annotations

import gzip
import sys
from itertools import count
from pathlib import Path

from pavilion_ai.puzzles import Source, shipped
from pavilion_ai.puzzles.find import Task, puzzle_of, relabelled
from pavilion_ai.puzzles.puzzle import DATA, line_of

SEED = 1
"""Seed of the series, and of the searches that find levels."""


def relabel(path: Path) -> None:
    """Find the levels of a file anew."""
    game, board, players = path.name.split(".")[0].split("-")
    source = Source(game, board, int(players), SEED)
    old = shipped(game, board, int(players))
    later = count(1 + max(one.game for one in old if one.seed == SEED))
    added = filter(None, (puzzle_of(Task(source, number)) for number in later))
    new = [relabelled(one, SEED) or next(added) for one in old]
    path.write_bytes(gzip.compress(b"".join(map(line_of, new)), mtime=0))
    pairs = [(was, now) for was, now in zip(old, new, strict=True) if was.position == now.position]
    print(f"{path.name}: {sum(now.level > was.level for was, now in pairs)} up,"
          f" {sum(now.level < was.level for was, now in pairs)} down,"
          f" {len(new) - len(pairs)} new", flush=True)


def main() -> None:
    """Find the levels of all files anew, or of those that are named."""
    for path in sorted(Path(str(DATA)).iterdir()):
        if len(sys.argv) == 1 or path.name.split(".")[0] in sys.argv[1:]:
            relabel(path)


if __name__ == "__main__":
    main()
