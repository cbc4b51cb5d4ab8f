"""A puzzle as a plain value and as JSON, and the puzzles that ship with the package."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from pavilion_ai.analysis import MoveStats
from pavilion_ai.bounds import MAX_LEVEL, MAX_POINTS, MAX_SEED, MAX_SIMS
from pavilion_ai.errors import RecordError
from pavilion_ai.notation import parse_position
from pavilion_ai.position import Position
from pavilion_ai.record.lines import LineError, RecordLine, lines_of, objects_on
from pavilion_ai.untrusted import Node, refusal

DATA = resources.files("pavilion_ai.puzzles") / "data"
MAX_GAMES = 10**9


@dataclass(frozen=True)
class Option:
    """One of the two moves that a puzzle is about.

    Attributes:
        move: the move, in notation.
        win_prob: the mover's chance to win with it, in [0, 1].
        lead: the mover's expected score minus the best other seat's.
        line: how play is expected to continue, the move first.
    """

    move: str
    win_prob: float
    lead: float
    line: tuple[str, ...]

    @classmethod
    def of(cls, stats: MoveStats) -> Option:
        """Return what is kept of a searched move."""
        return cls(stats.move, round(stats.win_prob, 3), round(stats.score_lead, 1),
                   stats.pv[:LINE])

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"move": self.move, "win_prob": self.win_prob, "lead": self.lead,
                "line": list(self.line)}


LINE = 5
"""Moves of a line that are kept."""


@dataclass(frozen=True)
class Puzzle:
    """A position, the one move that is clearly best, and the move that weaker levels prefer.

    Attributes:
        position: code of the position.
        level: levels 1 to this one usually miss the solution.
        solution: the best move.
        tempting: the move that `level` plays most often instead.
        sims: simulations of the search that confirmed it.
        seed, game, ply: seed of the series, number of the game in it, and number of the move.
        version: version of this package that found it; empty up to 0.6.0.
    """

    position: str
    level: int
    solution: Option
    tempting: Option
    sims: int
    seed: int
    game: int
    ply: int
    version: str = ""

    @property
    def loss(self) -> float:
        """Chance to win that the tempting move gives away."""
        return self.solution.win_prob - self.tempting.win_prob

    def to_json(self) -> dict[str, Any]:
        """Return the puzzle as a JSON object."""
        return {"position": self.position, "level": self.level,
                "solution": self.solution.to_json(), "tempting": self.tempting.to_json(),
                "sims": self.sims, "from": {"seed": self.seed, "game": self.game, "ply": self.ply},
                **({"version": self.version} if self.version else {})}

    @classmethod
    def from_json(cls, value: object, where: str = "puzzle") -> Puzzle:
        """Read a puzzle from its JSON object.

        Raises:
            RecordError: a value is missing or impossible; the message says which.
        """
        node = Node(value, "", refusal(RecordError, where))
        source = node["from"]
        return cls(
            position=node["position"].text(),
            level=node["level"].whole(1, MAX_LEVEL),
            solution=_option(node["solution"]),
            tempting=_option(node["tempting"]),
            sims=node["sims"].whole(1, MAX_SIMS),
            seed=source["seed"].whole(0, MAX_SEED),
            game=source["game"].whole(0, MAX_GAMES),
            ply=source["ply"].whole(0),
            version=node["version"].text() if "version" in node else "",
        )

    def start(self) -> Position:
        """Return the position.

        Raises:
            PositionError: the code is invalid.
        """
        return parse_position(self.position).position


def _option(node: Node) -> Option:
    return Option(
        move=node["move"].text(),
        win_prob=node["win_prob"].real(0, 1),
        lead=node["lead"].real(-MAX_POINTS, MAX_POINTS),
        line=tuple(move.text() for move in node["line"].items(0, LINE)),
    )


def read_puzzles(file: io.BufferedIOBase, name: str) -> Iterator[tuple[RecordLine, Puzzle]]:
    """Yield the puzzles of an open file with their lines; a torn last line ends it.

    Raises:
        RecordError: a line holds something else.
    """
    for line in lines_of(file):
        if line.blank:
            continue
        where = f"{name}, line {line.number}"
        try:
            found = list(objects_on(line))
        except LineError as error:
            if line.torn:
                return
            raise RecordError(f"{where}: found no puzzle ({error})") from None
        if len(found) != 1:
            raise RecordError(f"{where}: found {len(found)} objects, expected one puzzle")
        yield line, Puzzle.from_json(found[0], where)


def data_name(game: str, board: str, players: int) -> str:
    """Return the name of the file of shipped puzzles of a variant."""
    return f"{game}-{board}-{players}.jsonl.gz"


@lru_cache(maxsize=4)
def shipped(game: str, board: str, players: int) -> tuple[Puzzle, ...]:
    """Return the puzzles that ship for a variant, none if there is no such variant."""
    path = DATA / data_name(game, board, players)
    if not path.is_file():
        return ()
    content = io.BytesIO(gzip.decompress(path.read_bytes()))
    return tuple(puzzle for _, puzzle in read_puzzles(content, path.name))


def line_of(puzzle: Puzzle) -> bytes:
    """Return the line of a puzzle in a file."""
    return json.dumps(puzzle.to_json(), separators=(",", ":")).encode() + b"\n"
