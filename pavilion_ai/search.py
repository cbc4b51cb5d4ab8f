"""Searching: limits, threads and reuse of trees around the compiled search.

Each thread searches its own tree with its own random stream (root parallelism), and the statistics
of the root's moves are summed. So a search with given seed, simulations and threads always gives
the same answer; only a time limit makes it depend on the machine.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

from pavilion_ai._core import SMALLEST_ARENA, Network, RootMove, Search
from pavilion_ai.analysis import Analysis, Limits, MoveStats, RootStats, calibrated, lead, win_error
from pavilion_ai.errors import NetworkError
from pavilion_ai.games import Rules
from pavilion_ai.interrupts import held
from pavilion_ai.network import load_network, shipped
from pavilion_ai.notation import format_position
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.rivals import Rivals
from pavilion_ai.tunables import SELECT_EVEN, WHOLE_TREE, Tunables

__all__ = [
    "DEFAULT_MEMORY_MIB", "SHIPPED", "Limits", "Searcher", "network_file", "network_for",
    "tunables_for",
]

SHIPPED = "shipped"
"""Stands for the network shipped with the package for a variant, if there is one."""

DEFAULT_MEMORY_MIB = 256
FORCED_SIMS = 100
"""Simulations for a position with a single move: enough for an estimate."""
THREAD_SPREAD = 0.15
"""Extra exploration of each further thread: where no tiles are drawn, trees searched with a network
and the same settings would be identical."""
WATCHING = 0.25
"""Fraction of the search time that may go into judging the other seats' moves; it is checked before
each move, so one more move may exceed it."""
SLICE_SECONDS = 0.1
"""Seconds between a running search's checks for interrupts and reports."""
LEAST_SLICE_SECONDS = 0.001
"""Shortest slice, however frequent the reports: in less time a search may make no simulation."""
NO_SIMS_LIMIT = 1 << 62

OnProgress = Callable[[Analysis], None]
Means = tuple[tuple[float, ...], tuple[float, ...]]


def tunables_for(rules: Rules, network: Network | None = None) -> Tunables:
    """Return the default tunables for a search of a game.

    Args:
        network: network that evaluates the leaves; None for the linear heuristics.
    """
    return rules.tunables if network is None else rules.network_tunables[network.players]


def network_for(choice: str | None, position: Position) -> Network | None:
    """Return the network for the variant of a position.

    Args:
        choice: `SHIPPED`, a file, or None for no network.

    Raises:
        NetworkError: the file is missing, damaged, or for another variant.
    """
    if choice is None:
        return None
    variant = (position.game, position.board, len(position.seats))
    return shipped(*variant) if choice == SHIPPED else network_file(choice, variant)


@cache
def network_file(path: str, variant: tuple[str, str, int] | None = None) -> Network:
    """Return the network of a file, for a given variant or else for any.

    Raises:
        NetworkError: the file is missing, damaged, or for another variant.
    """
    try:
        return load_network(path, variant)
    except (OSError, ValueError) as error:
        if isinstance(error, NetworkError):
            raise
        reason = error.strerror if isinstance(error, OSError) else "is not a valid file name"
        raise NetworkError(f"{path}: {reason}") from None


@dataclass
class Row:
    """Sums over all trees for one root move."""

    numbers: tuple[int, ...]
    visits: int
    value: float
    prior: float
    wins: list[float]
    squares: float
    scores: list[float]

    @property
    def recorded(self) -> int:
        """Visits included in the sums: all, or fewer if the tree was full at the first.

        Win shares sum to 1 in each visit.
        """
        return round(sum(self.wins))


class Searcher:
    """Searches positions of any game with one configuration.

    Args:
        agent: spec written into the results.
        tunables: changes to `tunables_for` the game.
        reuse: keep the tree of the last search and continue with the part below the current
            position if it was reached by decisions alone; a draw of tiles drops the tree. Answers
            then depend on earlier searches.
        network: choice of the network, as for `network_for`.
    """

    def __init__(self, agent: str, tunables: Mapping[str, Any] | None = None, *,
                 reuse: bool = False, network: str | None = SHIPPED) -> None:
        self.agent = agent
        self._changes = dict(tunables or {})
        if reuse:
            self._changes |= {"stats_depth": WHOLE_TREE, "share": 0, "rivals": 0.0}
        self.reuse = reuse
        self.network = network
        self._trees: list[Search] = []
        self._key: tuple[Any, ...] = ()
        self._whole = True  # whether the kept trees looked at all moves of their root
        self._rivals = Rivals()

    def analyse(
        self,
        play: Play,
        limits: Limits,
        threads: int = 1,
        seed: int = 0,
        on_progress: OnProgress | None = None,
        report_every: float | None = None,
        stop: threading.Event | None = None,
        only: Sequence[str] = (),
    ) -> Analysis:
        """Search the current position of a play and rank its moves.

        A KeyboardInterrupt ends the search, and the result is marked as interrupted.

        Args:
            play: a game with a seat to move. With more than two players, its past shows how the
                other seats evaluate positions.
            limits: limits with at least one of `sims` and `seconds`.
            threads: number of trees; `limits.sims` and the memory are divided among them.
            seed: seed of the random streams; thread i uses stream i.
            on_progress: called in this thread with interim results, every `report_every` seconds.
            stop: when set by another thread, the search ends within `SLICE_SECONDS`.
            only: legal moves to which the search is restricted; empty for no restriction.

        Raises:
            ValueError: if no seat is to move, or no limit is set.
            MoveError: one of `only` is not legal.
        """
        run = _Run(self, play, limits, threads, seed, only)
        interrupted = run.search(on_progress, report_every or SLICE_SECONDS, stop)
        result = run.result(final=True, interrupted=interrupted)
        self.keep(run.trees)
        return result

    def decide(self, play: Play, limits: Limits, threads: int = 1, seed: int = 0,
               stop: threading.Event | None = None, only: Sequence[str] = ()) -> tuple[str, int]:
        """Search like `analyse`, but return only the best move and the number of simulations.

        Raises:
            KeyboardInterrupt: the search was interrupted.
            ValueError, MoveError: as `analyse`.
        """
        run = _Run(self, play, limits, threads, seed, only)
        if run.search(stop=stop):
            raise KeyboardInterrupt
        best = run.best()
        self.keep(run.trees)
        return best, run.sims

    def tunables(self, rules: Rules, network: Network | None) -> Tunables:
        """Return this searcher's tunables for a game."""
        return tunables_for(rules, network).changed(self._changes)

    def trees_for(self, play: Play, threads: int, seed: int, memory_mib: int,
                  network: Network | None, whole: bool, deadline: float) -> list[Search]:
        """Return one tree per thread for the current position, reusing the last trees if possible.

        Args:
            play: game whose current position is searched.
            threads: number of trees.
            seed: seed of the random streams.
            memory_mib: memory of all trees together, in MiB.
            network: network that evaluates the leaves.
            whole: whether all moves will be searched.
            deadline: reading of time.monotonic() at which judging the other seats' moves must
                stop; 0 for no limit.

        Raises:
            MemoryError: there is not enough memory for the trees.
        """
        kept, self._trees = self._trees, []
        known, self._whole = self.reuse and whole and self._whole, whole
        key = (threads, memory_mib, network, play.start.game, play.start.board)
        state = play.state
        tunables = self.tunables(play.rules, network)
        rivals: float | tuple[float, ...] = tunables.rivals
        if network is not None:
            rivals = self._rivals.shares(
                tunables.rivals, play, network, tunables, tunables_for(play.rules), deadline)
        if self._key == key and len(kept) == threads:
            for go_on in (Search.advance, Search.restart) if known else (Search.restart,):
                if all(go_on(tree, state, seed=seed, stream=i) for i, tree in enumerate(kept)):
                    for tree in kept:
                        tree.expect(rivals)
                    return kept
        self._key = key
        memory = max((memory_mib << 20) // threads, SMALLEST_ARENA)
        return [
            Search(state, seed=seed, stream=i, memory_bytes=memory, network=network,
                   **{**tunables, "rivals": rivals,
                      "exploration": tunables.exploration * (1 + THREAD_SPREAD * i)})
            for i in range(threads)
        ]

    def keep(self, trees: list[Search]) -> None:
        """Keep the trees of a finished search for the next one."""
        self._trees = trees


class _Run:
    """One search of a `Searcher`."""

    def __init__(self, searcher: Searcher, play: Play, limits: Limits, threads: int,
                 seed: int, only: Sequence[str]) -> None:
        if limits.sims is None and limits.seconds is None:
            raise ValueError("a search needs a limit of simulations or of seconds")
        if play.turn is None:
            raise ValueError(f"no seat is to move in phase {play.phase}")
        self.started = time.monotonic()
        self.rules, self.position = play.rules, play.position
        self.limits, self.threads, self.seed = limits, threads, seed
        self.agent = searcher.agent
        self.rank_by_value = searcher.tunables(self.rules, None).selection == SELECT_EVEN
        self.mover: int = play.turn
        self.players = play.start.players
        network = network_for(searcher.network, self.position)
        self.win_scale = 1.0 if network is None else network.win_scale
        plies = {ply.move: ply for ply in map(play.ply_of, only)}
        self.only = tuple(plies)
        wanted = [ply.state.numbers(ply.code) for ply in plies.values() if ply.code is not None]
        self.deadline, watching = (0.0, 0.0) if limits.seconds is None else (
            self.started + limits.seconds, self.started + WATCHING * limits.seconds)
        self.trees = searcher.trees_for(
            play, threads, seed, limits.memory_mib or DEFAULT_MEMORY_MIB, network,
            whole=not wanted, deadline=watching)
        for tree in self.trees if wanted else ():
            tree.restrict(wanted)
        sims = NO_SIMS_LIMIT if limits.sims is None else limits.sims
        if not wanted and len(play.list_moves("maximal")) == 1:
            sims = min(sims, FORCED_SIMS)
        self.left = [sims // threads + (i < sims % threads) for i in range(threads)]

    def search(self, on_progress: OnProgress | None = None, report_every: float = SLICE_SECONDS,
               stop: threading.Event | None = None) -> bool:
        """Search until a limit is reached; tell whether a signal ended it."""
        next_report = self.started + report_every
        pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None
        with held() as interrupt:
            try:
                while any(self.left) and not (
                        self.out_of_time() or interrupt.is_set() or (stop and stop.is_set())):
                    self.slice(pool, max(LEAST_SLICE_SECONDS, min(SLICE_SECONDS, report_every)))
                    if on_progress and time.monotonic() >= next_report and self.anything_known():
                        next_report = time.monotonic() + report_every
                        on_progress(self.result(final=False))
            except KeyboardInterrupt:  # raised by `on_progress`
                interrupt.set()
            finally:
                for tree in self.trees:
                    tree.stop()
                if pool:
                    pool.shutdown()
            if not self.anything_known():
                self.trees[0].resume()
                self.trees[0].run(1)
        return interrupt.is_set()

    def anything_known(self) -> bool:
        """Tell whether there is a simulation to report; a starved thread may have made none."""
        return any(self.add_up([tree.root_stats()]).recorded for tree in self.trees)

    @property
    def sims(self) -> int:
        return sum(tree.sims for tree in self.trees)

    def out_of_time(self) -> bool:
        return self.deadline > 0 and time.monotonic() >= self.deadline

    def slice(self, pool: ThreadPoolExecutor | None, seconds: float) -> None:
        """Let every tree search for a short while."""
        until = time.monotonic() + seconds
        if self.deadline:
            until = min(until, self.deadline)
        others = [pool.submit(tree.run, left, until) for tree, left
                  in zip(self.trees[1:], self.left[1:], strict=True)] if pool else []
        done = [self.trees[0].run(self.left[0], until)]
        done += [other.result() for other in others]
        self.left = [left - n for left, n in zip(self.left, done, strict=True)]

    def rows(self) -> list[Row]:
        """Return the root's moves with their sums over all trees."""
        rows: dict[tuple[int, ...], list[RootMove]] = {}
        for tree in self.trees:
            for row in tree.rows():
                rows.setdefault(row.move, []).append(row)
        return [self.add_up(same) for same in rows.values()]

    def ranked(self) -> list[tuple[Row, str]]:
        """Return the root's moves in notation, best first."""
        named = [(row, self.text(row)) for row in self.rows()]
        named.sort(key=lambda pair: (*self.rank(pair[0]), pair[1]))
        return named

    def best(self) -> str:
        """Return the first move of `ranked`, more quickly."""
        ranks = [(self.rank(row), row) for row in self.rows()]
        first = min(rank for rank, _ in ranks)
        return min(self.text(row) for rank, row in ranks if rank == first)

    def text(self, row: Row) -> str:
        return self.rules.move_text(self.position, row.numbers)

    def result(self, *, final: bool, interrupted: bool = False) -> Analysis:
        root = self.add_up([tree.root_stats() for tree in self.trees])
        means = self.means(root)
        return Analysis(
            position=format_position(self.position, "code"),
            to_move=self.mover,
            root=RootStats(root.visits, *means, lead(means[1], self.mover)),
            moves=tuple(self.move_stats(row, text, order, means)
                        for order, (row, text) in enumerate(self.ranked())),
            limits=self.limits,
            seconds=time.monotonic() - self.started,
            sims=self.sims,
            threads=self.threads,
            seed=self.seed,
            agent=self.agent,
            only=self.only,
            final=final,
            interrupted=interrupted,
        )

    def rank(self, row: Row) -> tuple[float, float, float]:
        value = row.value / row.visits if row.visits else -1.0
        return (-value if self.rank_by_value else -row.visits, -value, -row.prior)

    def add_up(self, rows: list[RootMove]) -> Row:
        if len(rows) == 1:  # as usual, with a single tree: there is nothing to add
            row = rows[0]
            return Row(row.move, row.visits, row.value, row.prior, list(row.wins), row.squares,
                       list(row.scores))
        return Row(
            numbers=rows[0].move,
            visits=sum(row.visits for row in rows),
            value=sum(row.value for row in rows),
            prior=rows[0].prior,
            wins=[sum(row.wins[s] for row in rows) for s in range(self.players)],
            squares=sum(row.squares for row in rows),
            scores=[sum(row.scores[s] for row in rows) for s in range(self.players)],
        )

    def means(self, row: Row) -> Means:
        """Return mean win shares and scores by seat over the recorded visits."""
        visits = row.recorded
        return (calibrated(tuple(total / visits for total in row.wins), self.win_scale),
                tuple(total / visits for total in row.scores))

    def move_stats(self, row: Row, text: str, order: int, of_root: Means) -> MoveStats:
        """Return a move's statistics; without recorded visits, with the means of the root."""
        wins, scores = self.means(row) if row.recorded else of_root
        line: list[tuple[int, ...]] = []
        for tree in self.trees:
            longer = tree.line(row.numbers) if row.visits else []
            line = max(line, longer, key=len)
        pv = tuple(self.rules.move_text(self.position, numbers) for numbers in line) or (text,)
        return MoveStats(
            move=text,
            order=order,
            visits=row.visits,
            win_prob=wins[self.mover],
            win_prob_se=win_error(row.recorded, row.wins[self.mover], row.squares, self.win_scale),
            score_mean=scores,
            score_lead=lead(scores, self.mover),
            prior=row.prior,
            pv=pv,
        )
