"""What commands say: the one place from which text reaches the terminal.

Nothing that others wrote can steer the terminal, whatever command meets it, in whatever message.
Drawings go through `render.text.write`, which does the same.
"""

from __future__ import annotations

import click

from pavilion_ai.errors import harmless

__all__ = ["asked", "say"]


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text, of one line or several, on standard output or on standard error."""
    click.echo(_harmless_lines(text), err=err, nl=nl)


def asked(prompt: str) -> str:
    """Return the line that is typed after a prompt.

    Raises:
        EOFError: there is none.
    """
    return input(_harmless_lines(prompt))


def _harmless_lines(text: str) -> str:
    return "\n".join(map(harmless, text.split("\n")))
