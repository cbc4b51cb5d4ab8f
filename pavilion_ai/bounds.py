"""What a request may ask for, on the command line as in the protocol.

Bounds exist so that a slip of the pen is refused and no number overflows further down; they are
far above what makes sense.
"""

from __future__ import annotations

import re

MAX_SEED = 2**63 - 1
MAX_SECONDS = 1e9
MAX_SIMS = 10**12
MAX_THREADS = 256
MAX_DEPTH = 1000  # plies of perft
MAX_SHOWN_MOVES = 10**6
DEFAULT_SECONDS = 2.0  # a search that nobody limited
MAX_LEVEL = 10  # of play; the default agent as it is

_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,4})?")


def read_number(text: str, kind: type[int] | type[float]) -> int | float | None:
    """Read a number written in plain ASCII digits, None if it is none.

    Python's own reading is wider: it takes `1_0`, blanks, `nan`, and the digits of any script.

    >>> read_number("12", int), read_number("1_2", int), read_number("1e-3", float)
    (12, None, 0.001)
    """
    pattern = _WHOLE if kind is int else _NUMBER
    return kind(text) if pattern.fullmatch(text) else None
