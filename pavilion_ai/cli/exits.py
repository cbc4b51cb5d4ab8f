"""How a command exits: the codes, and the error that ends it."""

from __future__ import annotations

from collections.abc import Iterable

from pavilion_ai import interrupts

DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, interrupts.INTERRUPTED


class CommandError(Exception):
    """Ends a command with lines for standard error and an exit code."""

    def __init__(self, lines: str | Iterable[str], code: int = BAD_INPUT) -> None:
        self.lines = (lines,) if isinstance(lines, str) else tuple(lines)
        self.code = code
        super().__init__("\n".join(self.lines))
