"""Searching: limits, threads and reuse of the tree around the compiled search.

On one thread a search with given seed and simulations always gives the same answer; only a time
limit makes it depend on the machine. Several threads search one tree (tree parallelism), and what
they find depends on the order in which they happen to come.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

from pavilion_ai import processors
from pavilion_ai._core import CAN_SHARE, Network, Search
from pavilion_ai.analysis import BY_NETWORK, LINEARLY, NETWORK_VARIANCE, Analysis
from pavilion_ai.bounds import DEFAULT_MEMORY_MIB, SECONDS
from pavilion_ai.effort import Effort
from pavilion_ai.errors import SpecError
from pavilion_ai.focus import EVERY_MOVE, Focus
from pavilion_ai.form import Forms
from pavilion_ai.games import Rules, whole_seed
from pavilion_ai.interrupts import held
from pavilion_ai.lateness import CLOCK_STEP, Lateness, reserve
from pavilion_ai.limits import Limits, LimitsSince, check_stop, least_of, limits_of
from pavilion_ai.network import SHIPPED, Networks
from pavilion_ai.notation import format_position
from pavilion_ai.pace import pace_for
from pavilion_ai.play import Play, copy_of, mover_of
from pavilion_ai.position import Position
from pavilion_ai.rivals import Rivals
from pavilion_ai.sums import Sums, recorded
from pavilion_ai.tunables import SELECT_EVEN, WHOLE_TREE, Tunables

__all__ = ["CAN_SHARE", "Searcher", "most_threads", "note_of_threads", "tunables_for"]

FORCED_SIMS = 100
"""Simulations for a position with a single move: enough for an estimate."""
WATCHING = 0.25
"""Fraction of the search time that may go into judging the other seats' moves; it is checked before
each move, so one more move may exceed it."""
SLICE_SECONDS = 0.1
"""Seconds between a running search's checks for interrupts and reports."""
LEAST_SLICE_SECONDS = 0.001
"""Shortest slice, however frequent the reports: in less time a search may make no simulation."""
NO_SIMS_LIMIT = 1 << 62
CLOCKED_SIMS = 10
"""Simulations for a position with a single move where a clock runs."""

OnProgress = Callable[[Analysis], None]


def tunables_for(rules: Rules, network: Network | None = None) -> Tunables:
    """Return the default tunables for a search of a game.

    Args:
        network: network that evaluates the leaves; None for the linear heuristics.
    """
    return rules.tunables if network is None else rules.network_tunables[network.players]


def doubt_of(rules: Rules, board: str, network: Network | None,
             tunables: Tunables) -> Mapping[str, Any]:
    """Return `drift`, `expected` and `deals` of `win_error` for a search.

    Args:
        network: as for `tunables_for`.
        tunables: tunables of the search.
    """
    if network is not None:
        deals = tunables.deal_visits > 0
        return {"drift": rules.drift_of(board, network.players, deals),
                "expected": NETWORK_VARIANCE, "deals": deals}
    return {} if tunables.uniform else {"drift": rules.drift}


def win_scale_of(rules: Rules, position: Position, network: Network | None) -> float:
    """Return the power of `calibrated` for what a search of a position reports.

    Args:
        network: as for `tunables_for`.
    """
    return 1.0 if network is None else network.win_scale * rules.power_of(position)


def most_threads() -> int:
    """Return with how many threads a search can do: one for each processor.

    A core whose compiler has nothing that threads could share, as Microsoft's, has no use for more
    than one.
    """
    return processors.cores() if CAN_SHARE else 1


def note_of_threads(wanted: int, most: int) -> str | None:
    """Return what to say to a user who requested more threads for a search than it can have.

    Args:
        most: most threads that it can have if the core has use for several.
    """
    if wanted > 1 and not CAN_SHARE:
        return f"threads: {wanted} requested, 1 used, as many as this build can search with"
    return processors.threads_note(wanted, most) if wanted > most else None


class _Kept(NamedTuple):
    """The tree of a search for the next one."""

    tree: Search | None
    key: tuple[Any, ...]    # what it was made for
    whole: bool             # whether it looked at all moves of its root
    seat: int               # for which it was


NONE_KEPT = _Kept(None, (), True, -1)


def _key(play: Play, threads: int, memory_mib: int, network: Network | None) -> tuple[Any, ...]:
    """Return what a tree is made for."""
    return (threads, memory_mib, network, play.start.game, play.start.board)


class Searcher:
    """Searches positions of any game with one configuration.

    Args:
        agent: spec written into the results.
        tunables: changes to `tunables_for` the game.
        reuse: keep the tree of the last search and continue with the part below the current
            position if it was reached by decisions alone; a draw of tiles drops the tree. Answers
            then depend on earlier searches. None: do so where they are not the same every time
            anyway (in `decide` with a limit of time alone, for the seat that searched last).
        network: choice of the network, as for `network_for`, or networks that are known.
        paced: whether it manages the time of a clock; otherwise every choice gets the same time.

    Raises:
        SpecError: there is no such choice of the network.
    """

    def __init__(self, agent: str, tunables: Mapping[str, Any] | None = None, *,
                 reuse: bool | None = None,
                 network: str | os.PathLike[str] | Networks | None = SHIPPED,
                 paced: bool = True) -> None:
        self.agent, self.paced = agent, paced
        self._changes = dict(tunables or {})
        if reuse:
            self._changes |= {"stats_depth": WHOLE_TREE, "share": 0, "rivals": 0.0}
        self.reuse = reuse
        self.networks = network if isinstance(network, Networks) else Networks(network)
        self._kept: list[_Kept] = []  # by the last search; at most one
        self.closings = 0
        self._rivals = Rivals()
        self._forms = Forms()
        self._reading = threading.Lock()
        self.lateness = Lateness()

    def close(self) -> None:
        """Let go of the tree that is kept for the next search, which makes a new one.

        The tree of a search that another thread is making goes with that search.
        """
        self.closings += 1
        self._kept.clear()

    def __reduce__(self) -> tuple[Any, ...]:  # a copy has no tree
        return partial(type(self), reuse=self.reuse, network=self.networks,
                       paced=self.paced), (self.agent, self._changes)

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
        *,
        compare: Sequence[str] = (),
        even: int = 0,
        avoid: Sequence[str] = (),
        fair: bool = True,
    ) -> Analysis:
        """Search the current position of a play and rank its moves.

        Ctrl-C ends the search, and the result is marked as interrupted; a handler that the program
        has for it is called.

        Args:
            play: a game with a seat to move, which may go on meanwhile. Its past shows how well the
                seats play, and with more than two players how the others evaluate positions.
            limits: limits with at least one of `sims`, `seconds` and a clock of the seat to move.
            threads: threads that search the tree.
            seed: seed of the random streams; thread i uses stream i.
            on_progress: called in this thread with interim results, every `report_every` seconds.
            stop: when set by another thread, the search ends within `SLICE_SECONDS`, or as soon as
                the tree is pruned, which takes some 0.15 s for 256 MiB of nodes.
            only: legal moves to which the search is restricted; several of them get equal shares of
                it. Empty for no restriction.
            compare: legal moves that get equal shares, together with the favourite of a search of
                all moves, which takes one such share.
            even: number of favourites of that search that get equal shares; 0 for no such search.
            avoid: legal moves to leave out.
            fair: whether several moves of `only` get equal shares; otherwise the most promising
                one gets most.

        Raises:
            PavilionError: if no seat is to move.
            MoveError: a move is not legal.
            FocusError: the options contradict each other.
            SpecError: no limit is set, there is not one clock for each seat, the seed is not a
                whole number, seconds between reports are not a number, or `stop` is not an event.
        """
        if report_every is not None:
            SECONDS.checked("report_every", report_every)
        play = copy_of(play)
        focus = Focus.of(play, only, compare, even, avoid)
        run = _Run(self, play, limits, threads, seed, focus, fair)
        run.form = self.form_in(play, run.network, run.watching)
        interrupted = run.search(on_progress, report_every or SLICE_SECONDS, stop)
        result = run.result(final=True, interrupted=interrupted)
        self.keep(run)
        return result

    def decide(self, play: Play, limits: Limits, threads: int = 1, seed: int = 0,
               stop: threading.Event | None = None, only: Sequence[str] = (), *,
               avoid: Sequence[str] = ()) -> tuple[str, int]:
        """Search for the best move; return it and the number of simulations.

        The moves of `only` get no equal shares here.

        Raises:
            KeyboardInterrupt: the search was interrupted, and the program does not handle that.
            PavilionError, MoveError, FocusError, SpecError: as `analyse`.
        """
        play = copy_of(play)
        run = _Run(self, play, limits, threads, seed, Focus.of(play, only, avoid=avoid),
                   decides=True)
        with held() as interrupt:
            run.search(stop=stop)
        interrupt.pass_on()
        best = run.sums.best()
        self.keep(run)
        return best, run.sims

    def tunables(self, rules: Rules, network: Network | None) -> Tunables:
        """Return this searcher's tunables for a game."""
        return tunables_for(rules, network).changed(self._changes)

    def judges_by(self, network: Network | None) -> str:
        """Return what a search with this network judges by, as in `Analysis.beliefs`."""
        return LINEARLY if network is None else BY_NETWORK

    def form_in(self, play: Play, network: Network | None,
                deadline: float = 0.0) -> tuple[float, ...]:
        """Return `Forms.of` a play; nothing without a network, whose policy moves are judged by."""
        if network is None or not play.plies:
            return ()
        tunables = self.tunables(play.rules, network)
        return self._read(lambda: self._forms.of(play, network, tunables, deadline))

    def _read(self, reading: Callable[[], tuple[float, ...]]) -> tuple[float, ...]:
        """Return what a reading of the moves so far tells; there is one at a time.

        One that did not end, as by Ctrl-C, may have counted a decision twice, or half of it: all
        that was read is forgotten then. This is no context manager, since an interrupt as that is
        entered would leave the lock held.
        """
        with self._reading:
            try:
                return reading()
            except BaseException:
                self._rivals, self._forms = Rivals(), Forms()
                raise

    def tree_for(self, play: Play, threads: int, seed: int, memory_mib: int,
                 network: Network | None, whole: bool, deadline: float,
                 seconds: float | None) -> Search:
        """Return a tree for the current position, the last one if possible.

        Args:
            play: game whose current position is searched.
            threads: threads that will search it.
            seed: seed of the random streams.
            memory_mib: memory of the tree, in MiB.
            network: network that evaluates the leaves.
            whole: whether all moves will be searched.
            deadline: reading of time.monotonic() at which judging the other seats' moves must
                stop; 0 for no limit.
            seconds: time of the search, 0 for no limit, if its tree may be one of an earlier
                search; None if it may not.

        Raises:
            MemoryError: there is not enough memory for the tree.
        """
        kept = self._take(_key(play, threads, memory_mib, network))
        state, tree = play.state, kept.tree
        tunables = self.tunables(play.rules, network)
        rivals: float | tuple[float, ...] = tunables.rivals
        if network is not None:
            rivals = self._read(lambda: self._rivals.shares(
                tunables.rivals, play, network, tunables, tunables_for(play.rules), deadline))
        if tree:
            same_seat = self.reuse or play.turn == kept.seat
            before = any(tree.linear)   # what such seats want depends on the seat that searches
            tree.expect(rivals)
            if seconds is not None and whole and kept.whole and same_seat and not (
                    before or any(tree.linear)) and tree.advance(
                    state, seed=seed, seconds=seconds):
                return tree
            if tree.restart(state, seed=seed):
                return tree
        return Search(state, seed=seed, threads=threads, memory_bytes=memory_mib << 20,
                      network=network, **{**tunables, "rivals": rivals})

    def _take(self, key: tuple[Any, ...]) -> _Kept:
        """Return the kept tree if it was made for this, which is then kept no longer: two searches
        that ask at once do not get the same."""
        try:
            kept = self._kept.pop()
        except IndexError:
            return NONE_KEPT
        return kept if kept.key == key else NONE_KEPT

    def keep(self, run: _Run) -> None:
        """Keep the tree of a finished search for the next one, and what is known of pauses."""
        self._kept = [_Kept(run.tree, run.key, not run.focus, run.mover)]
        if self.closings != run.closings:
            self._kept.clear()
        if run.started + run.waited < run.deadline:
            self.lateness.learn(max(time.monotonic() - run.deadline, run.tree.pause))
        self.lateness.ended(run.late)


class _Run:
    """One search of a `Searcher`."""

    def __init__(self, searcher: Searcher, play: Play, limits: Limits, threads: int,
                 seed: int, focus: Focus = EVERY_MOVE, fair: bool = False,
                 decides: bool = False) -> None:
        self.mover, self.limits = mover_of(play), limits_of(limits, play.start.players)
        self.lateness, self.late, self.waited = searcher.lateness, 0.0, 0.0
        self.closings = searcher.closings
        self.set_times(play, searcher.paced, fair and bool(focus.only or focus.favourites))
        self.rules, self.position, self.focus = play.rules, play.position, focus
        self.threads, self.seed = threads if CAN_SHARE else 1, whole_seed(seed)
        self.agent, self.network = searcher.agent, searcher.networks.of(self.position)
        self.form: tuple[float, ...] = ()
        memory_mib = self.limits.memory_mib or DEFAULT_MEMORY_MIB
        self.key = _key(play, self.threads, memory_mib, self.network)
        timed = decides and self.limits.sims is None
        goes_on = timed if searcher.reuse is None else searcher.reuse
        self.tree = searcher.tree_for(
            play, self.threads, self.seed, memory_mib, self.network, whole=not focus,
            deadline=self.watching, seconds=(self.seconds or 0.0) if goes_on else None)
        tunables = searcher.tunables(self.rules, self.network)
        self.beliefs = self.beliefs_of(tunables, searcher.judges_by(self.network))
        self.sums = self.sums_of(tunables)
        self.left = self.sims_for(play)
        self.effort = Effort(self.sums, play, focus, fair)

    def set_times(self, play: Play, paced: bool, compares: bool) -> None:
        """Note when the search began and when it must end.

        Args:
            play: game with a seat to move, whose clock may run.
            paced: whether the time of that clock is managed.
            compares: whether moves are compared rather than one chosen.

        Raises:
            SpecError: nothing limits the search.
        """
        limits = self.limits
        self.started = limits.begun if isinstance(limits, LimitsSince) else time.monotonic()
        self.pace = pace_for(play, limits, paced, self.lateness.usual)
        if limits.sims is None and limits.seconds is None and self.pace is None:
            raise SpecError("limits: expected simulations, seconds or a clock of the seat to move")
        if self.pace is not None and compares:
            self.pace = self.pace.in_full()
        aim, most = (None, None) if self.pace is None else (self.pace.aim, self.pace.most)
        self.seconds, usual = least_of(limits.seconds, most), least_of(limits.seconds, aim)
        self.deadline, self.watching = (0.0, 0.0) if self.seconds is None or usual is None else (
            self.started + self.seconds, self.started + WATCHING * usual)

    def beliefs_of(self, tunables: Tunables, own: str) -> tuple[str, ...]:
        """Return `Analysis.beliefs` for a searcher that judges by `own`."""
        if tunables.uniform or not own:
            return ()
        return tuple(LINEARLY if linear and seat != self.mover else own
                     for seat, linear in enumerate(self.tree.linear))

    def sums_of(self, tunables: Tunables) -> Sums:
        """Return the sums of the tree."""
        network = self.network
        if network is not None and LINEARLY in self.beliefs:  # then no deals are tried (deals.pxd)
            tunables = tunables.changed({"deal_visits": 0})
        return Sums(
            self.tree, self.rules, self.position, self.mover,
            win_scale=win_scale_of(self.rules, self.position, network),
            by_value=tunables.selection == SELECT_EVEN,
            doubt=doubt_of(self.rules, self.position.board, network, tunables))

    def sims_for(self, play: Play) -> int:
        """Return the most simulations to make."""
        sims = NO_SIMS_LIMIT if self.limits.sims is None else self.limits.sims
        focus = self.focus
        named = focus.only or focus.compare or focus.avoid
        if not named and len(play.list_moves("maximal")) == 1:
            return min(sims, FORCED_SIMS if self.pace is None else CLOCKED_SIMS)
        return sims

    def search(self, on_progress: OnProgress | None = None, report_every: float = SLICE_SECONDS,
               stop: threading.Event | None = None) -> bool:
        """Search until a limit is reached; tell whether a signal, or `on_progress`, ended it.

        The program's own handler of Ctrl-C is called then.
        """
        check_stop(stop)
        self.waited = time.monotonic() - self.started
        self.end_at(self.deadline)
        next_report = self.started + report_every
        step = max(LEAST_SLICE_SECONDS, min(SLICE_SECONDS, report_every))
        if self.pace is not None:
            step = min(step, self.pace.step)

        def go() -> None:
            nonlocal next_report
            while self.left and not (
                    self.out_of_time() or interrupt.is_set() or (stop and stop.is_set())
                    or self.is_enough()):
                self.slice(step)
                if on_progress and time.monotonic() >= next_report and self.anything_known():
                    next_report = time.monotonic() + report_every
                    on_progress(self.result(final=False))

        broken_off = False
        with held() as interrupt, self.team():
            try:
                if self.effort.shares:
                    self.find_favourites(go)
                go()
            except KeyboardInterrupt:  # raised by `on_progress`
                broken_off = True
            finally:
                self.tree.stop()
            self.know_something()
            if self.effort.shares and not self.effort.settled:
                self.effort.settle()
        interrupt.tell()
        return broken_off or interrupt.is_set()

    def find_favourites(self, go: Callable[[], None]) -> None:
        """Search all moves for one share of what is left, then settle on those to compare."""
        left, shares = self.left, self.effort.shares
        first = min(left, max(1, left // shares))
        self.left = first
        if self.seconds is not None:
            now = time.monotonic()
            self.end_at(now + max(0.0, self.deadline - now) / shares, shares)
        go()
        self.left += left - first
        self.know_something()
        self.end_at(self.deadline)
        self.effort.settle()

    def know_something(self) -> None:
        """Make one simulation if there is none; a starved thread may not have made any.

        There is no deadline then any more.
        """
        if not self.anything_known():
            self.tree.resume()
            self.tree.set_deadline(0)
            self.tree.run(1)

    def anything_known(self) -> bool:
        """Tell whether there is a simulation to report."""
        return recorded(self.tree.root_stats()) > 0

    @property
    def sims(self) -> int:
        return self.tree.sims

    def end_at(self, deadline: float, shares: int = 1) -> None:
        """Let the tree end at this time, or before it if pauses are to be expected; 0: never.

        A clock that ends the search has a reserve of its own.

        Args:
            shares: number of shares into which the limit is divided up to the deadline.
        """
        limit = self.limits.seconds
        most = 0.0 if limit is None or limit != self.seconds else reserve(limit / shares)
        self.tree.set_deadline(deadline, most, self.lateness.expected)

    def is_enough(self) -> bool:
        """Tell whether the clock is better spent on later decisions."""
        if self.pace is None or not self.anything_known():
            return False
        return self.pace.is_enough(
            time.monotonic() - self.started, self.sims, self.tree.rows(), self.waited)

    def out_of_time(self) -> bool:
        return self.tree.is_out_of_time()

    def slice(self, seconds: float) -> None:
        """Search for a short while."""
        until = time.monotonic() + seconds
        self.left -= self.tree.run(self.left, until)
        self.late = max(0.0, time.monotonic() - until - CLOCK_STEP)

    @contextmanager
    def team(self) -> Iterator[None]:
        """Let further threads help to search inside the block."""
        helpers = [threading.Thread(target=self.tree.assist) for _ in range(1, self.threads)]
        if helpers:
            self.tree.open_team()
        started = []
        try:
            for helper in helpers:
                helper.start()
                started.append(helper)
            yield
        finally:
            self.tree.close_team()
            for helper in started:
                helper.join()

    def result(self, *, final: bool, interrupted: bool = False) -> Analysis:
        root, moves = self.sums.report()
        return Analysis(
            position=format_position(self.position, "code"),
            to_move=self.mover,
            root=root,
            moves=moves,
            limits=self.limits,
            seconds=time.monotonic() - self.started,
            sims=self.sims,
            threads=self.threads,
            seed=self.seed,
            agent=self.agent,
            beliefs=self.beliefs,
            form=self.form,
            **asdict(self.focus),
            final=final,
            interrupted=interrupted,
        )
