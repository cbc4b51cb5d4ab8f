"""One decision of a game, judged by a search."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pavilion_ai.agents import Agent, MadeAgent, as_agent, make_agent
from pavilion_ai.analysis import (
    COVER,
    Analysis,
    MoveStats,
    difference_error,
    short,
    uninterrupted,
)
from pavilion_ai.bounds import MAX_LEVEL
from pavilion_ai.errors import PavilionError, SpecError, shown
from pavilion_ai.exact import MOST_POSITIONS
from pavilion_ai.games import whole_seed
from pavilion_ai.limits import Limits, limits_of
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.rollout import Rollout
from pavilion_ai.seeds import derived_seed
from pavilion_ai.solve import EQUAL
from pavilion_ai.spec import parse_spec

MARKS: Mapping[str, float] = {"??": 0.10, "?": 0.05, "?!": 0.02}
"""Marks of a decision, the gravest first, and the least loss of win probability for each."""


@dataclass(frozen=True)
class Judgement:
    """A decision judged by a search.

    Attributes:
        ply: number of the move in the record, counted from 1.
        position: the position before the move.
        choices: number of legal moves.
        analysis: all moves, ranked by the search.
        played: the move of the game; order and prior are those among all moves. It is exact if the
            favourite is; else, unless it is the favourite, it was searched alone, with as many
            visits as that has.
        agrees: whether it is the favourite, is certainly worth as much, or leads to the same
            position up to the order of the displays.
        after: win probabilities by seat after the move, summing to 1.
        rollout: the move and the favourite played on, None if they were not (`roll_out_marked`).
        alike: win probabilities by seat before the move, if the game so far tells of a seat that
            judges otherwise; empty elsewhere. These and `after` then come from a search of the
            position alone, which expects all seats to judge alike, so that chances do not depend on
            who is to move.
    """

    ply: int
    position: Position
    choices: int
    analysis: Analysis
    played: MoveStats
    agrees: bool
    after: tuple[float, ...]
    rollout: Rollout | None = None
    alike: tuple[float, ...] = ()

    @property
    def seat(self) -> int:
        """The seat that decided."""
        return self.analysis.to_move

    @property
    def best(self) -> MoveStats:
        """The favourite of the search."""
        return self.analysis.best

    @property
    def forced(self) -> bool:
        """Whether there was only one legal move."""
        return self.choices == 1

    @property
    def before(self) -> tuple[float, ...]:
        """Win probabilities by seat if the favourite is played."""
        return self.alike or _shares(
            self.seat, self.best.win_prob, self.analysis.root.win_prob)

    @property
    def win_loss(self) -> float:
        """Win probability given away by the move, 0 if it is as good as the favourite."""
        return 0.0 if self.agrees else max(0.0, self.best.win_prob - self.played.win_prob)

    @property
    def win_loss_se(self) -> float:
        """Standard error of that difference (see `analysis.win_error`), 0 for the favourite."""
        if self.agrees:
            return 0.0
        return difference_error(self.best.win_prob_se, self.played.win_prob_se)

    @property
    def win_loss_error(self) -> float:
        """Half the width of the interval that is printed, as `MoveStats.win_prob_error`."""
        return COVER * self.win_loss_se

    @property
    def lead_loss(self) -> float:
        """Points by which the expected lead shrank, 0 as in `win_loss`."""
        return 0.0 if self.agrees else max(0.0, self.best.score_lead - self.played.score_lead)

    @property
    def worse(self) -> bool:
        """Whether the loss shows with one decimal digit, in % or in points."""
        return self.win_loss >= 0.0005 or self.lead_loss >= 0.05

    @property
    def mark(self) -> str:
        """The gravest of `MARKS` for the loss; empty if it is not larger than its error."""
        if self.win_loss <= self.win_loss_error:
            return ""
        loss = short(self.win_loss)
        return next((mark for mark, least in MARKS.items() if loss >= least), "")

    @property
    def rolled_loss(self) -> tuple[float, float]:
        """What the rollout says that the move gave away, -1 to 1, and its standard error.

        Raises:
            PavilionError: there is no rollout.
        """
        if self.rollout is None:
            raise PavilionError("expected a judgement with a rollout")
        first, second = self.rollout.moves
        sign = 1 if first.move == self.best.move else -1
        return sign * second.worse, second.worse_se

    def to_json(self, top: int) -> dict[str, object]:
        """Return the decision as a JSON object, with the `top` best moves."""
        return {
            "ply": self.ply,
            "seat": self.seat,
            "round": self.position.round,
            "phase": self.position.phase,
            "position": self.analysis.position,
            "choices": self.choices,
            "win_prob": [short(p) for p in self.before],
            "played": self.played.to_json(),
            "agrees": self.agrees,
            "win_loss": short(self.win_loss),
            "win_loss_se": short(self.win_loss_se),
            "win_loss_error": short(self.win_loss_error),
            "lead_loss": short(self.lead_loss),
            "mark": self.mark,
            **({"beliefs": list(self.analysis.beliefs)} if self.analysis.beliefs else {}),
            **({"rollout": self._rollout_json()} if self.rollout is not None else {}),
            "moves": [move.to_json() for move in self.analysis.moves[:top]],
        }

    def _rollout_json(self) -> dict[str, object]:
        assert self.rollout is not None
        loss, error = self.rolled_loss
        return {"agent": self.rollout.agent, "trials": self.rollout.trials,
                "win_loss": short(loss), "win_loss_se": short(error)}


class Judge:
    """Searches decisions, each one separately as `suggest` does.

    Args:
        agent: an agent that searches and ranks moves, or the spec of one.
        limits: limits of each search; None for those of the spec.
        seed: seed of every search.

    Raises:
        SpecError: as `make_agent`; or the agent does not rank moves, or is deliberately weak; or
            the limits are not a `Limits`, or the seed is not a whole number.
    """

    def __init__(self, agent: str | Agent, limits: Limits | None = None, seed: int = 0) -> None:
        limits_of(limits)
        self._given, self.seed = agent, whole_seed(seed)
        self._agent = as_agent(agent)
        spec = parse_spec(self._agent.spec) if isinstance(self._agent, MadeAgent) else None
        self.spec, self.limits = self._agent.spec, limits
        self.net_file = None if spec is None else spec.net_file
        weak = spec is not None and spec.level < MAX_LEVEL
        if weak or not self._agent.ranks:
            self._agent.close()
            why = "plays below its strength" if weak else "says nothing of moves but its own"
            raise SpecError(f"agent {shown(self.spec)}: {why}, expected one that searches, such as"
                            " default")
        self._keeps_trees = spec is not None and bool(spec.options.get("reuse"))

    def another(self) -> Judge:
        """Return an equal judge, for another thread; an agent of one's own is the same."""
        return Judge(self._given, self.limits, self.seed)

    def judge(self, ply: int, before: Play, move: str, after: Position, *,
              by_seat: bool = True, stop: threading.Event | None = None) -> Judgement:
        """Judge a move.

        Args:
            ply: number of the move.
            before: the game before the move; what its past tells of the other seats counts for the
                values of moves.
            move: the move in canonical form.
            after: the position after the move.
            by_seat: whether the win probabilities of the other seats must be accurate with more
                than two players; a favourite is then searched alone as well.
            stop: when set, the search ends soon and its result is unreliable.

        Raises:
            PavilionError: no seat is to move.
        """
        found = self._judged(ply, before, move, after, by_seat, stop)
        if not before.plies or not found.analysis.unlike:
            return found
        alone = self._judged(ply, Play(before.position), move, after, by_seat, stop)
        return replace(found, alike=alone.before, after=alone.after)

    def _judged(self, ply: int, before: Play, move: str, after: Position, by_seat: bool,
                stop: threading.Event | None) -> Judgement:
        if self._keeps_trees:  # judgements must not depend on earlier ones
            self._agent = make_agent(self.spec)
        seen = before.copy(derived_seed("review", self.seed))  # whose draws are not the game's
        # A search with a single move is cut short, but not if it is restricted to that move.
        sensible = list(before.list_moves("maximal"))
        analysis = uninterrupted(self._agent.analyse(
            seen, self.limits, seed=self.seed, stop=stop,
            only=sensible if len(sensible) == 1 else ()))
        best = played = analysis.best
        agrees = move == best.move or _twins(after, before.rules.apply(before.position, best.move))
        choices = len(before.legal_moves)
        shares = analysis.root.win_prob
        known = {one.move: one for one in analysis.moves}.get(move)
        if known is not None and known.exact and before.start.players == 2:
            played = known
        elif move != best.move or (by_seat and before.start.players > 2 and choices > 1):
            effort = best.visits or max(1, *(one.visits for one in analysis.moves))
            memory = None if self.limits is None else self.limits.memory_mib
            if best.exact:  # what was solved is solved again, however short the time is
                effort = (self.limits and self.limits.sims) or MOST_POSITIONS
            alone = uninterrupted(self._agent.analyse(
                seen, Limits(sims=effort, memory_mib=memory), seed=self.seed, stop=stop,
                only=[move]))
            shares = alone.root.win_prob
            if move != best.move:
                played = replace(alone.best, order=known.order if known else len(analysis.moves),
                                 prior=known.prior if known else 0.0)
        agrees = agrees or _as_good(played, best)
        return Judgement(ply, before.position, choices, analysis, played, agrees,
                         _shares(analysis.to_move, played.win_prob, shares))


def _as_good(one: MoveStats, other: MoveStats) -> bool:
    """Tell whether two moves are certainly worth the same."""
    return (one.exact and other.exact and math.isclose(one.win_prob, other.win_prob, abs_tol=EQUAL)
            and math.isclose(one.score_lead, other.score_lead, abs_tol=EQUAL))


def _twins(one: Position, other: Position) -> bool:
    """Tell whether two positions are equal up to the order of their displays."""
    return _sorted(one) == _sorted(other)


def _sorted(position: Position) -> Position:
    return replace(position, displays=tuple(sorted(position.displays)))  # type: ignore[type-var]


def _shares(seat: int, win_prob: float, shares: tuple[float, ...]) -> tuple[float, ...]:
    """Return win probabilities by seat, given a better one for one seat.

    The rest is divided among the other seats in proportion to `shares`.
    """
    others = 1.0 - shares[seat]
    count = len(shares) - 1
    return tuple(
        win_prob if s == seat else (1.0 - win_prob) * (share / others if others else 1.0 / count)
        for s, share in enumerate(shares)
    )
