"""Review a whole game, decision by decision, on several processors at once."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

from pavilion_ai.analysis import short, win_shares
from pavilion_ai.bounds import MAX_JOBS, Range
from pavilion_ai.drawn import renderer
from pavilion_ai.errors import RecordError, SpecError, first_line, shown
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play, walk
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord
from pavilion_ai.review.judge import Judge, Judgement
from pavilion_ai.review.kept import Kept
from pavilion_ai.wording import plural
from pavilion_ai.workers import FixedWorkers, results

OnProgress = Callable[[int, int], None]
"""Called with the number of judged decisions and the total."""
OnJudged = Callable[[Judgement], None]
"""Called with each judgement."""


@dataclass(frozen=True)
class Draw:
    """The draws between two decisions.

    Attributes:
        ply: number of the first chance move in the record, counted from 1.
        round: the round that is played after it.
        moves: the chance moves in order.
        luck: change of each seat's win probability, summing to 0. It is the difference of two
            searches, before and after, and includes their errors.
    """

    ply: int
    round: int
    moves: tuple[str, ...]
    luck: tuple[float, ...]

    def to_json(self) -> dict[str, object]:
        """Return the draw as a JSON object."""
        return {"ply": self.ply, "round": self.round, "moves": list(self.moves),
                "luck": [short(share) for share in self.luck]}


@dataclass(frozen=True)
class Review:
    """The review of a game; `str` is what `pavilion review` prints of it.

    Attributes:
        record: record of the game.
        agent: spec of the judge.
        limits: limits of its searches, None for those of the spec.
        seed: seed of its searches.
        judgements: judgements in order, of all decisions unless `complete` is false.
        draws: draws between two judged decisions.
        complete: False if the review was interrupted.
        fault: why the record could not be replayed to its end, or how it contradicts its moves;
            empty if it is sound.
    """

    record: GameRecord
    agent: str
    limits: Limits | None
    seed: int
    judgements: tuple[Judgement, ...]
    draws: tuple[Draw, ...]
    complete: bool = True
    fault: str = ""

    @property
    def result(self) -> tuple[float, ...]:
        """Shares of the victory by seat; empty without a winner, or if the review ends earlier."""
        winners = self.record.winners
        if not winners or not self.whole:
            return ()
        return win_shares(winners, self.record.start.players)

    @property
    def whole(self) -> bool:
        """Whether every decision of a sound record was judged."""
        return self.complete and not self.fault

    @property
    def used(self) -> Limits | None:
        """Limits of the searches, including those of the spec; None without a search."""
        return self.judgements[0].analysis.limits if self.judgements else self.limits

    def to_json(self) -> dict[str, object]:
        """Return the object of `review --json`; docs/review.md explains the keys."""
        from pavilion_ai.review.json_form import to_json  # needs this module

        return to_json(self)

    def __str__(self) -> str:
        return str(renderer().review_as_text(self))

    def __repr__(self) -> str:
        return (f"<Review of game {self.record.id!r}: {plural(len(self.judgements), 'decision')}"
                f" judged by {self.agent!r}>")


LOOK_SECONDS = 0.05
"""Between two looks at the event of the caller."""


@dataclass(frozen=True)
class _Decision:
    ply: int
    before: Play
    move: str
    after: Position


class _Ending(threading.Event):
    """Set when a review is to end: by its caller, whose event stays as it is, or by itself."""

    def __init__(self, asked: threading.Event) -> None:
        super().__init__()
        self._asked = asked

    def is_set(self) -> bool:
        return super().is_set() or self._asked.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        until = math.inf if timeout is None else time.monotonic() + timeout
        while not self.is_set() and (left := until - time.monotonic()) > 0:
            super().wait(min(left, LOOK_SECONDS))
        return self.is_set()


def review_game(record: GameRecord, judge: Judge, *, jobs: int = 1,
                on_progress: OnProgress | None = None, on_judged: OnJudged | None = None,
                stop: threading.Event | None = None, kept: Kept | None = None) -> Review:
    """Judge every decision of a game.

    A KeyboardInterrupt or `stop` ends the review, which then holds the decisions judged so far; so
    does a move that cannot be played.

    Args:
        record: record of the game.
        judge: judge of the moves; deterministic if it searches on one thread and its limit is a
            number of simulations.
        jobs: decisions searched at a time, each on its own processor.
        on_progress: called from time to time in this thread.
        on_judged: called in this thread with every judgement, as they come.
        stop: ends the review when another thread sets it.
        kept: judgements that are known already; new ones are added.

    Raises:
        SpecError: an argument is of another kind, or the jobs are out of range.
        RecordError: what is kept is invalid.
        OSError: it cannot be kept.
    """
    if not isinstance(record, GameRecord):
        raise SpecError(f"record {shown(record)}: expected a GameRecord")
    if not isinstance(judge, Judge):
        raise SpecError(f"judge {shown(judge)}: expected a Judge")
    jobs = int(Range(int, 1, MAX_JOBS).checked("jobs", jobs))
    plays: list[Play] = []
    play, fault = Play(record.start), ""
    try:
        for play in walk(record):
            plays.append(play.copy())
        record.check_end(play.position)
    except RecordError as error:
        fault = first_line(error)
    positions = [one.position for one in plays]
    decisions = [
        _Decision(number, before, ply.move, after)
        for number, (before, ply, after)
        in enumerate(zip(plays, play.plies, positions[1:], strict=False), 1)
        if ply.seat is not None
    ]
    judgements, complete = _judged(
        decisions, judge, jobs, on_progress or (lambda done, of: None),
        on_judged or (lambda judgement: None), _Ending(stop or threading.Event()), kept)
    return Review(record, judge.spec, judge.limits, judge.seed, tuple(judgements),
                  tuple(_draws(record, positions, judgements)), complete, fault)


def _judged(decisions: list[_Decision], judge: Judge, jobs: int, on_progress: OnProgress,
            on_judged: OnJudged, stop: threading.Event, kept: Kept | None,
            ) -> tuple[list[Judgement], bool]:
    """Judge decisions, `jobs` at a time.

    Returns:
        the judgements in order, and whether they are complete (not interrupted).
    """
    judges: SimpleQueue[Judge] = SimpleQueue()
    for number in range(jobs):
        judges.put(judge.another() if number else judge)

    def one(decision: _Decision) -> Judgement | None:
        if stop.is_set():
            return None
        mine = judges.get()
        try:
            judgement = mine.judge(decision.ply, decision.before, decision.move, decision.after,
                                   by_seat=decision.after.to_move is None, stop=stop)
        finally:
            judges.put(mine)
        return None if stop.is_set() else judgement

    found = _known(decisions, kept) if kept is not None else {}
    for judgement in found.values():
        on_judged(judgement)
    missing = [decision for decision in decisions if decision.ply not in found]
    interrupted = False
    on_progress(len(found), len(decisions))
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for decision, judged in results(
                    FixedWorkers(pool, jobs), one, missing, enough=stop.is_set):
                if judged is not None:
                    found[decision.ply] = judged
                    if kept is not None:
                        kept.add(decision.before, judged)
                    on_judged(judged)
                on_progress(len(found), len(decisions))
            interrupted = stop.is_set()
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stop.set()
    return [found[ply] for ply in sorted(found)], not interrupted


def _known(decisions: list[_Decision], kept: Kept) -> dict[int, Judgement]:
    """Return the judgements that are kept, by ply."""
    found = {}
    for decision in decisions:
        judgement = kept.get(decision.ply, decision.before, decision.move)
        if judgement is not None:
            found[decision.ply] = judgement
    return found


def _draws(record: GameRecord, positions: list[Position],
           judgements: list[Judgement]) -> Iterator[Draw]:
    """Yield the draws of a game between two judged decisions."""
    known = {judgement.ply: judgement for judgement in judgements}
    first = 0  # number of the first chance move since the last decision, 0 without one
    for ply, before in enumerate(positions[: len(record.moves)], 1):
        if before.to_move is None:
            first = first or ply
            continue
        if first and first - 1 in known and ply in known:
            was, now = known[first - 1].after, known[ply].before
            luck = tuple(new - old for old, new in zip(was, now, strict=True))
            yield Draw(first, before.round, record.moves[first - 1 : ply - 1], luck)
        first = 0
