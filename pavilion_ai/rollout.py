"""Rollouts: candidate moves of a position, each played on many times by an agent.

All candidates of a trial meet the same draws (tied draws, common random numbers) and the same seeds
of the agent, so their differences are known far better than their values. As the rollouts of GNU
Backgammon. A rollout judges by results instead of by the search that chose the moves, and looks
past the deal.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from pavilion_ai.agents import agent_of_process
from pavilion_ai.analysis import lead, short, uninterrupted, win_shares
from pavilion_ai.bounds import DEFAULT_TRIALS, ENDS, MAX_TRIALS, Range
from pavilion_ai.drawn import renderer
from pavilion_ai.errors import SpecError, one_of, shown
from pavilion_ai.games import whole_seed
from pavilion_ai.limits import Limits
from pavilion_ai.luck import Luck
from pavilion_ai.play import Play, copy_of, listed, mover_of
from pavilion_ai.position import Position
from pavilion_ai.seeds import decision_seed, derived_seed
from pavilion_ai.spec import EXTERNAL, parse_spec
from pavilion_ai.stats.estimate import QUANTILE, mean_with_error, student_quantile
from pavilion_ai.version import engine_identity
from pavilion_ai.workers import FixedWorkers, Workers, in_order, results

DECIDED = 3.0
"""Standard errors by which the best candidate must lead every other one to be decided; more than 2,
because it is looked for again and again. The difference is then more likely too large than too
small."""
SHARES = frozenset({0.0, 1.0, 1 / 2, 1 / 3, 1 / 4})
"""Results of games. Where all trials have one, few or equal ones leave room for others; chances
that a search gives at the end of a round differ too little for that."""
FEWEST_TRIALS = 36
"""Trials before the errors of a few equal results are believed; none ends a rollout before."""
CHECK = 0.05
"""Share of more trials after which it is looked again whether they are enough."""
JUDGE, JUDGE_SIMS = "ismcts", 200
"""What values the first decision of the next round if trials end with the round."""


@dataclass(frozen=True)
class Candidate:
    """A move that was rolled out; errors are standard errors of means over trials.

    A single trial tells nothing of errors: those of shares are then the largest possible ones.

    Attributes:
        move: the move, in notation.
        order: rank, 0 for the highest chance to win.
        win_prob: the mover's share of the victory, 0 to 1.
        score_mean: final scores by seat, in points.
        score_lead: the mover's score minus the best other seat's, in points.
        score_lead_se: standard error of that, None while all trials have the same lead: they tell
            nothing of others.
        worse: how much `win_prob` is below that of the first candidate, 0 to 1.
        worse_se: standard error of that difference, over the same draws; 0 for the first.
        win_prob_wilson, worse_wilson: whether the error is that of Wilson's interval, as of results
            and of equal values, and not that of a plain mean.
    """

    move: str
    order: int
    win_prob: float
    win_prob_se: float
    score_mean: tuple[float, ...]
    score_lead: float
    score_lead_se: float | None
    worse: float
    worse_se: float
    win_prob_wilson: bool = True
    worse_wilson: bool = True

    def to_json(self) -> dict[str, object]:
        """Return the entry of `moves` in the JSON form."""
        return {
            "move": self.move, "order": self.order,
            "win_prob": short(self.win_prob), "win_prob_se": short(self.win_prob_se),
            "score_mean": [short(points) for points in self.score_mean],
            "score_lead": short(self.score_lead),
            "score_lead_se": None if self.score_lead_se is None else short(self.score_lead_se),
            "worse": short(self.worse), "worse_se": short(self.worse_se),
        }


@dataclass(frozen=True)
class Rollout:
    """The result of a rollout; `str` is the table of `pavilion rollout`.

    Attributes:
        position: code of the position.
        to_move: seat whose moves were rolled out.
        agent: spec of the agent that played on for all seats.
        to: `game`, or `round` if the next round's first decision was valued by a search.
        seed: seed of draws and agents.
        trials: trials that count, each of which played on every candidate.
        moves: the candidates, best first.
        decided: whether the first candidate leads every other one by `DECIDED` standard errors.
        interrupted: whether the user ended it.
    """

    position: str
    to_move: int
    agent: str
    to: str
    seed: int
    trials: int
    moves: tuple[Candidate, ...]
    decided: bool
    interrupted: bool = False

    def __str__(self) -> str:
        return str(renderer().rollout_as_text(self))

    def to_json(self) -> dict[str, object]:
        """Return the JSON form."""
        return {
            "position": self.position, "to_move": self.to_move, "agent": self.agent,
            "to": self.to, "seed": self.seed, "trials": self.trials,
            "moves": [move.to_json() for move in self.moves], "decided": self.decided,
            "engine": engine_identity(),
        }


@dataclass(frozen=True)
class _Trial:
    number: int
    position: Position
    moves: tuple[str, ...]
    agent: str
    to: str
    seed: int


Outcome = tuple[tuple[float, ...], tuple[float, ...]]
"""Shares of the victory and final scores, by seat."""


def check_roller(spec: str) -> None:
    """Refuse an agent that cannot roll out.

    Raises:
        SpecError: as `parse_spec`, or it is an external engine, or searches without a limit.
    """
    parsed = parse_spec(spec)
    if parsed.name == EXTERNAL:
        raise SpecError(f"agent {shown(spec)}: expected one of this package")
    if parsed.needs_limit:
        raise SpecError(f"agent {shown(spec)}: expected a limit for each decision, such as"
                        f" {spec}{',' if ':' in spec else ':'}sims=100")


def roll_out(
    play: Play,
    moves: Sequence[str],
    *,
    agent: str = "policy",
    to: str = "game",
    trials: int = DEFAULT_TRIALS,
    error: float = 0.0,
    until_decided: bool = True,
    seed: int = 0,
    workers: Workers | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> Rollout:
    """Play candidates on many times, and rank them by their results, as `pavilion rollout` does.

    The result depends on the arguments alone, not on the number of workers. Ctrl-C after the first
    trial ends the rollout, and the result is marked as interrupted; a handler that the program has
    for it is called.

    Args:
        play: a game with a seat to move.
        moves: candidates, in notation.
        agent: spec of an agent that plays on for all seats.
        to: where a trial ends: with the `game`, or with the `round`, valued by a search after the
            next deal.
        trials: most trials, each of which plays on every candidate with the same draws.
        error: standard error at which to stop, 0 to 1: that of every difference from the best
            candidate, or of the only candidate's value; 0 for none.
        until_decided: stop when the best move is decided; differences are then overstated.
        seed: seed of draws and agent.
        workers: what plays the trials, such as `pavilion_ai.workers.local.LocalWorkers(4)` in a
            `with` block, for four processes; None for a thread of this one.
        on_progress: called with the number of trials so far.

    Raises:
        PavilionError: no seat is to move.
        MoveError: a candidate is not legal.
        SpecError: as `check_roller`, or there is no candidate, or an argument is out of its range.
        WorkersError: as `workers.results`.
    """
    play = copy_of(play)
    seat = mover_of(play)
    names = tuple(dict.fromkeys(play.ply_of(move).move for move in listed(moves)))
    if not names:
        raise SpecError("no candidates, expected at least one move")
    check_roller(agent)
    one_of("to", to, ENDS)
    trials = int(Range(int, 1, MAX_TRIALS).checked("trials", trials))
    error = Range(float, 0, 1).checked("error", error)
    tally = _Tally(play.code(), seat, names, agent, to, whole_seed(seed))
    position = play.position
    tasks = (_Trial(number, position, names, agent, to, derived_seed("rollout", seed, number))
             for number in range(trials))
    enough = partial(tally.is_enough, error, until_decided)
    interrupted = _play_until(enough, tally, tasks, workers, on_progress)
    return tally.result(interrupted)


def _play_until(
    enough: Callable[[], bool],
    tally: _Tally,
    tasks: Iterable[_Trial],
    workers: Workers | None,
    on_progress: Callable[[int], None] | None,
) -> bool:
    """Play trials and add them to the tally; tell whether the user ended that.

    Raises:
        KeyboardInterrupt: the user ended it before the first trial.
    """
    pool, stop = ThreadPoolExecutor(1), threading.Event()
    try:
        played = results(workers or FixedWorkers(pool, 1),
                         _played if workers else partial(_played, stop=stop), tasks,
                         enough=enough)
        for _, outcomes in in_order(played, lambda trial: trial.number, 0):
            if not enough():
                tally.add(outcomes)
                if on_progress:
                    on_progress(tally.trials)
    except KeyboardInterrupt:
        if not tally.trials:
            raise
        return True
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    return False


def _played(trial: _Trial, stop: threading.Event | None = None) -> tuple[Outcome, ...]:
    """Play on every candidate once, with the same draws.

    Raises:
        KeyboardInterrupt: `stop` was set meanwhile.
    """
    return tuple(_outcome(trial, move, stop) for move in trial.moves)


def _outcome(trial: _Trial, move: str, stop: threading.Event | None) -> Outcome:
    play, luck = Play(trial.position), Luck(trial.seed, 0, tied=True)
    agent = agent_of_process(trial.agent)
    play.push(move)
    number = 0
    while not play.is_over():
        if play.chance:
            luck.draw_in(play)
            continue
        if trial.to == "round" and play.state.round > trial.position.round:
            judge = agent_of_process(JUDGE)
            root = uninterrupted(
                judge.analyse(Play(play.position), Limits(sims=JUDGE_SIMS), seed=trial.seed)).root
            return root.win_prob, root.score_mean
        chosen = agent.decide(play, seed=decision_seed(trial.seed, number), stop=stop).move
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        play.push(chosen)
        number += 1
    scores = play.scores()
    return win_shares(play.winners(), len(scores)), tuple(map(float, scores))


class _Tally:
    """The outcomes of the trials so far."""

    def __init__(self, code: str, seat: int, moves: tuple[str, ...], agent: str, to: str,
                 seed: int) -> None:
        self.code, self.seat, self.moves = code, seat, moves
        self.agent, self.to, self.seed = agent, to, seed
        self.outcomes: list[tuple[Outcome, ...]] = []
        self._next_look, self._enough = FEWEST_TRIALS, False

    @property
    def trials(self) -> int:
        return len(self.outcomes)

    def add(self, outcomes: tuple[Outcome, ...]) -> None:
        self.outcomes.append(outcomes)

    def wins(self, candidate: int) -> list[float]:
        return [outcomes[candidate][0][self.seat] for outcomes in self.outcomes]

    def is_enough(self, error: float, until_decided: bool) -> bool:
        if self.trials >= self._next_look and not self._enough:
            self._next_look = self.trials + 1 + int(CHECK * self.trials)
            self._enough = self._is_enough(error, until_decided)
        return self._enough

    def _is_enough(self, error: float, until_decided: bool) -> bool:
        ranked = self.ranked()
        best, others = ranked[0], ranked[1:]
        if not others:
            return bool(error) and best.win_prob_se <= error
        if error and max(other.worse_se for other in others) <= error:
            return True
        return until_decided and _is_decided(ranked)

    def ranked(self) -> tuple[Candidate, ...]:
        wins = [self.wins(index) for index in range(len(self.moves))]
        leads = [[lead(outcomes[index][1], self.seat) for outcomes in self.outcomes]
                 for index in range(len(self.moves))]
        order = sorted(range(len(self.moves)),
                       key=lambda index: (-math.fsum(wins[index]), -math.fsum(leads[index]), index))
        best = wins[order[0]]
        found = []
        results = all(SHARES.issuperset(values) for values in wins)
        for place, index in enumerate(order):
            mean, error, wilson = _mean_share(wins[index], 0, results)
            points, points_error = mean_with_error(leads[index])
            equal = min(leads[index]) == max(leads[index])
            worse, worse_error, worse_wilson = (0.0, 0.0, True) if place == 0 else _mean_share(
                [a - b for a, b in zip(best, wins[index], strict=True)], -1, results)
            found.append(Candidate(
                self.moves[index], place, mean, error,
                tuple(mean_with_error([outcomes[index][1][seat] for outcomes in self.outcomes])[0]
                      for seat in range(len(self.outcomes[0][index][1]))),
                points, None if equal else points_error, worse, worse_error, wilson, worse_wilson))
        return tuple(found)

    def result(self, interrupted: bool = False) -> Rollout:
        ranked = self.ranked()
        return Rollout(self.code, self.seat, self.agent, self.to, self.seed, self.trials, ranked,
                       self.trials >= FEWEST_TRIALS and _is_decided(ranked), interrupted)


def _mean_share(
    values: Sequence[float], lowest: int, results: bool
) -> tuple[float, float, bool]:
    """Return the mean of shares or of their differences, `lowest` to 1, and its standard error.

    Last whether that error is the one of Wilson's interval.

    Args:
        results: whether they are results of games; equal values leave room for others in any case.
    """
    wilson = results or min(values) == max(values)
    return *mean_with_error(
        values, (1 - lowest) / 2, limits=(lowest, 1) if wilson else None), wilson


def _is_decided(ranked: Sequence[Candidate]) -> bool:
    """Tell whether the first candidate is certainly the best."""
    return len(ranked) > 1 and all(
        other.worse > DECIDED * other.worse_se and other.worse > 0 for other in ranked[1:])


def half_interval(error: float, trials: int | None = None) -> float:
    """Return half the width of the 95 % interval of a standard error.

    Args:
        trials: number of values of a plain mean, at least 2: they may be few (Student). None if the
            error is that of Wilson's interval, which is meant for few as it is.
    """
    return (QUANTILE if trials is None else student_quantile(trials - 1)) * error
