"""Mistakes of people out of the reviews that are kept, to be trained on like puzzles."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pavilion_ai.bounds import MAX_POINTS
from pavilion_ai.errors import PavilionError, RecordError
from pavilion_ai.frozen import freeze
from pavilion_ai.notation import parse_position
from pavilion_ai.play import HUMAN, Play
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.actions import Answer
from pavilion_ai.protocol.fields import Request
from pavilion_ai.puzzles.puzzle import LINE, Option
from pavilion_ai.render import describe
from pavilion_ai.untrusted import Node, refusal, strict_json
from pavilion_ai.web.reviews import MAX_BYTES, KeptReviews
from pavilion_ai.web.saved import MAX_SPEC
from pavilion_ai.web.study import name_of_position

MARKED = ("?", "??")
"""Marks of a loss of at least 5 percentage points, and beyond its error."""
KEYS = {"mistakes": frozenset[str](), "mistake": frozenset({"name"})}
"""What the actions read, by name."""


@dataclass(frozen=True)
class Mistake:
    """A decision of a person that gave away much.

    Attributes:
        position: code of the position.
        seat: the seat that decided.
        solution, played: the better move, and the one of the game.
        agents: who had the seats: `spec`, and `name` if it is known, the beginning of long ones.
        round, ply: round and ply of the decision in its game.
        time: when the review was kept.
    """

    position: str
    seat: int
    solution: Option
    played: Option
    agents: Sequence[Mapping[str, str]]
    round: int
    ply: int
    time: float

    def __post_init__(self) -> None:
        freeze(self, "agents")

    @property
    def player(self) -> str:
        """Name of the player that decided; empty if it is not known."""
        return self.agents[self.seat].get("name", "")

    def to_json(self) -> Answer:
        """Return it as a JSON object, its moves also in words."""
        moves = {"solution": self.solution, "played": self.played}
        position = parse_position(self.position).position
        return {"position": self.position, "seat": self.seat, "round": self.round, "ply": self.ply,
                "agents": [*self.agents], "time": self.time,
                **{name: option.to_json() for name, option in moves.items()},
                "words": {name: describe(position, option.move) for name, option in moves.items()}}


class Mistakes:
    """The actions; each review is read once."""

    def __init__(self, reviews: KeptReviews) -> None:
        self._reviews = reviews
        self._read: dict[tuple[float, Path], dict[str, Mistake | None]] = {}
        self._reading = threading.Lock()

    def actions(self) -> Mapping[str, Callable[[Request], Answer]]:
        """Return the actions by name."""
        return {"mistakes": self._list, "mistake": self._mistake}

    def _list(self, request: Request) -> Answer:
        """List the names of the mistakes and of who made them, those of the newest game first."""
        found = self._found()
        return {"names": list(found), "players": [one.player for one in found.values()]}

    def _mistake(self, request: Request) -> Answer:
        """Return a mistake as a puzzle."""
        name = fields.string(request, "name", "")
        found = self._found().get(name)
        if found is None:
            raise fields.refused(request, "name", "the name of a mistake")
        return {"name": name, **found.to_json()}

    def _found(self) -> dict[str, Mistake]:
        """Return the mistakes by name; of one position the newest review counts."""
        with self._reading:
            self._read = {file: self._read[file] if file in self._read else _decisions(*file)
                          for file in self._reviews.files()}
            reviews = list(self._read.values())
        newest: dict[str, Mistake | None] = {}
        for decisions in reviews:
            for name, one in decisions.items():
                newest.setdefault(name, one)
        return {name: one for name, one in newest.items() if one is not None}


def _decisions(time: float, path: Path) -> dict[str, Mistake | None]:
    """Return the decisions of people in a review, by name, None for one that is not a mistake.

    A file that is not a review has none, nor has one that is longer than those that are kept.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            return {}
        review = Node(strict_json(path.read_text("utf-8")), path.name, refusal(RecordError))
        agents = [{key: one[key].text()[:MAX_SPEC] for key in ("spec", "name") if key in one}
                  for one in review["agents"].items()]
        decisions = [one for one in review["decisions"].items()
                     if agents[one["seat"].whole(0, len(agents) - 1)].get("spec") == HUMAN]
        return {name_of_position(one["position"].text()): _mistake_of(one, agents, time)
                for one in decisions}
    except (OSError, ValueError, PavilionError):
        return {}


def _mistake_of(
    decision: Node, agents: Sequence[Mapping[str, str]], time: float,
) -> Mistake | None:
    """Return a decision of a review as a mistake, None if it is not one.

    Raises:
        PavilionError: it is not a decision of which a puzzle can be made.
    """
    if decision["mark"].text() not in MARKED:
        return None
    code, seat = decision["position"].text(), decision["seat"].whole()
    best, *_ = decision["moves"].items(1)
    solution, played = map(_option, (best, decision["played"]))
    play = Play(parse_position(code).position)
    if play.turn != seat:
        decision["seat"].refuse("the seat that is to move")
    for option in (solution, played):
        play.ply_of(option.move)
    return Mistake(code, seat, solution, played, agents, decision["round"].whole(),
                   decision["ply"].whole(), time)


def _option(move: Node) -> Option:
    return Option(
        move=move["move"].text(),
        win_prob=move["win_prob"].real(0, 1),
        lead=move["score_lead"].real(-MAX_POINTS, MAX_POINTS),
        line=tuple(one.text() for one in move["pv"].items()[:LINE]),
    )
