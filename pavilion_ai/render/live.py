"""Progress of a match or a tournament: a live table on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from pavilion_ai.errors import harmless
from pavilion_ai.render.columns import shortened
from pavilion_ai.render.report_text import fault_words, rating_list, summary, title
from pavilion_ai.render.text import (
    DIM,
    STRONG,
    WARN,
    Line,
    Span,
    columns_of,
    console_for,
    is_terminal,
    line,
    rich_text,
    wrap,
)

if TYPE_CHECKING:
    from rich.live import Live

    from pavilion_ai.match.report import Report

REFRESH_SECONDS = 0.25  # on a terminal: at most four times a second
LARGEST_LOAD = 0.05  # most of the time that may be spent on making reports
SHOWN_ENTRANTS = 12
SHOWN_REASON = 60


class LiveReport:
    """Shows the progress of an event on a stream; a context manager.

    A terminal gets a table, updated at most four times a second and erased at the end. Any other
    stream gets one line every `every` seconds and one at the end. Nothing more is written to a
    stream once it is closed or has lost its reader.

    Args:
        stream: output stream, usually standard error; None shows nothing.
        total_games: number of games of the whole event, or None if unknown.
        every: seconds between two lines if the stream is not a terminal.
    """

    def __init__(
        self, stream: TextIO | None, total_games: int | None, *, every: float = 10.0
    ) -> None:
        self._stream = stream
        self._total = total_games
        self._interval = every
        self._live: Live | None = None
        self._begun: tuple[float, int] | None = None  # time and games done at the first update
        self._next = 0.0
        self._waiting: tuple[Report | Callable[[], Report], int, int] | None = None
        self._faults: dict[tuple[str, str, str], None] = {}  # in the order in which they came

    def __enter__(self) -> LiveReport:
        if self._stream is not None and is_terminal(self._stream):
            self._start(self._stream)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._live is not None:
            live, self._live, self._stream = self._live, None, None
            _tried(live.stop)
        elif kind is None or issubclass(kind, KeyboardInterrupt):
            self._show(time.monotonic())

    def prepare(
        self, report: Report | Callable[[], Report], done: int, running: int
    ) -> None:
        """Note the state of the event, to be shown later.

        Call it once before the first game: speed is measured from the first call.

        Args:
            report: the numbers so far, or a function that computes them. It is called only when
                they are shown, and less often if it is slow.
            done: number of games played, including earlier runs.
            running: number of games being played.
        """
        if self._begun is None:
            now = time.monotonic()
            self._begun = now, done
            self._next = now if self._live is not None else now + self._interval
        self._waiting = report, done, running

    def look(self) -> None:
        """Show the latest state if it was not shown yet and an update is due."""
        now = time.monotonic()
        if now >= self._next:
            self._show(now)

    def _start(self, stream: TextIO) -> None:
        from rich.live import Live

        console = console_for(stream)
        if not console.is_terminal or console.is_dumb_terminal:
            return
        live = Live(
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=stream is sys.stderr,
        )
        if _tried(live.start):
            _tried(lambda: console.show_cursor(True))  # which the shell needs after Ctrl-Z
            self._live, self._interval = live, REFRESH_SECONDS

    def _show(self, now: float) -> None:
        if self._waiting is None or self._stream is None:
            return
        made, done, running = self._waiting
        self._waiting = None
        report = made() if callable(made) else made
        cost = time.monotonic() - now
        self._next = now + max(self._interval, cost / LARGEST_LOAD)
        pace = self._pace(now, done, running)
        self._faults.update(dict.fromkeys(report.faults))
        faults = _faults(report, list(self._faults))
        stream, live = self._stream, self._live

        def draw() -> None:
            if live is None:
                print(harmless(_one_line(report, pace, faults)), file=stream, flush=True)
            else:
                live.console.width = columns_of(stream)
                rows = live_lines(report, pace, faults, live.console.width)
                live.update(rich_text(rows), refresh=True)

        if not _tried(draw):
            self._stream = None

    def _pace(self, now: float, done: int, running: int) -> str:
        """Return the number of games played, the rate, and the time left."""
        parts = [f"games {done:,}" + ("" if self._total is None else f" of {self._total:,}")]
        parts += [f"{running} running"] if running else []
        since, before = self._begun or (now, done)
        if now > since and done > before:
            rate = (done - before) / (now - since)
            parts.append(f"{rate:,.0f} games/s" if rate >= 100 else f"{rate:.3g} games/s")
            if self._total is not None and self._total > done:
                parts.append(f"{duration((self._total - done) / rate)} left")
        return ", ".join(parts)


def _tried(action: Callable[[], object]) -> bool:
    """Run an action on a stream; return whether the stream was still open."""
    try:
        action()
    except (OSError, ValueError):  # no reader any more; closed
        return False
    return True


def duration(seconds: float) -> str:
    """Return a time in the two largest units.

    >>> duration(59.6), duration(200), duration(8000)
    ('1 min 00 s', '3 min 20 s', '2 h 13 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60:02} min"


def _faults(report: Report, faults: list[tuple[str, str, str]]) -> str:
    """Return the number of faults and the last one in words; empty without faults."""
    if not faults:
        return ""
    _, name, reason = faults[-1]
    return f"faults {len(faults):,}, last {fault_words(report, name, reason, SHOWN_REASON)}"


def _one_line(report: Report, pace: str, faults: str) -> str:
    return "; ".join(part for part in (pace, summary(report), faults) if part)


def live_lines(report: Report, pace: str, faults: str, width: int) -> list[Line]:
    """Return the table for a terminal.

    Args:
        report: the numbers so far.
        pace: number of games played and the rate, in words.
        faults: faults in words, or empty.
        width: columns of the terminal.
    """
    rows = [line(Span(shortened(title(report.event), width), STRONG))]
    rows += wrap([Span(pace, DIM)], width)
    if report.head_to_head is not None:
        rows += wrap([summary(report)], width)
    elif report.pairs:
        standings = report.standings()
        rows += rating_list(report, standings[:SHOWN_ENTRANTS], width)
        hidden = len(standings) - SHOWN_ENTRANTS
        rows += [line(Span(f"and {hidden} more", DIM))] if hidden > 0 else []
    if faults:
        rows += wrap([Span(faults, WARN)], width, 2, split=True)
    return rows
