"""How far a command has got, on a line of standard error."""

from __future__ import annotations

import sys
import time

import click

__all__ = ["ProgressLine"]

TERMINAL_SECONDS = 0.25
"""How often the line is renewed on a terminal."""
LINE_SECONDS = 10.0
"""Between two lines where standard error is none."""
CLEAR = "\x1b[K"  # all that stands right of the cursor


class ProgressLine:
    """A line that is renewed on a terminal, now and then, and wiped in the end.

    Args:
        elsewhere: whether to print a line every now and then where standard error is no terminal.
    """

    def __init__(self, elsewhere: bool = False) -> None:
        from pavilion_ai.render.text import is_terminal

        self._terminal = is_terminal(sys.stderr)
        self._every = TERMINAL_SECONDS if self._terminal else LINE_SECONDS
        self._wanted = self._terminal or elsewhere
        self._told_at = time.monotonic()
        self._shown = False

    def show(self, text: str) -> None:
        """Tell how far it has got, if it is time to."""
        if not self._wanted or time.monotonic() - self._told_at < self._every:
            return
        self._told_at = time.monotonic()
        if self._terminal:
            click.echo(f"\r{CLEAR}{text}", err=True, nl=False)
            self._shown = True
        else:
            click.echo(text, err=True)

    def wipe(self) -> None:
        """Take the line off the screen."""
        if self._shown:
            click.echo(f"\r{CLEAR}", err=True, nl=False)
            self._shown = False
