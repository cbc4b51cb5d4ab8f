"""Progress of a command, on one line of standard error."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

import click

from pavilion_ai.cli.said import say
from pavilion_ai.errors import harmless

TERMINAL_SECONDS = 0.25
"""Seconds between updates of the line on a terminal."""
LINE_SECONDS = 10.0
"""Seconds between two lines if standard error is not a terminal."""
CLEAR = "\x1b[K"  # erase to the end of the line


class ProgressLine:
    """A progress line, updated on a terminal from time to time and erased at the end of a block.

    Args:
        elsewhere: whether to print a line from time to time if standard error is not a terminal.
    """

    def __init__(self, elsewhere: bool = False) -> None:
        from pavilion_ai.render.text import is_terminal

        self._terminal = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._every = TERMINAL_SECONDS if self._terminal else LINE_SECONDS
        self._wanted = self._terminal or elsewhere
        self._told_at = time.monotonic()
        self._shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.wipe()

    def show(self, text: str) -> None:
        """Show the progress, if an update is due."""
        if not self._wanted or time.monotonic() - self._told_at < self._every:
            return
        self._told_at = time.monotonic()
        if self._terminal:
            from pavilion_ai.render.text import beginning, columns_of

            short = beginning(harmless(text), columns_of(sys.stderr) - 1)  # one line can be erased
            _steer(f"\r{CLEAR}{short}")
            self._shown = True
        else:
            say(text, err=True)

    def wipe(self) -> None:
        """Erase the line, as something else is to be printed."""
        if self._shown:
            _steer(f"\r{CLEAR}")
            self._shown = False


def time_left(begun: float, done: int, to_do: int) -> str:
    """Return how long something will still take, to be added to its progress; '' if unknown.

    Args:
        begun: when it began, by `time.monotonic`.
        done: how much was done since then.
        to_do: how much is still to be done.
    """
    from pavilion_ai.render.live import duration

    if not done:
        return ""
    return f", {duration((time.monotonic() - begun) * to_do / done)} left"


def _steer(text: str) -> None:
    """Write what steers the terminal, if it is still there."""
    with suppress(OSError):
        click.echo(text, err=True, nl=False)
