"""How late searches with a time limit end on a busy machine, and what time they keep in reserve.

The system pauses a thread for some milliseconds when others want its processor. A pause that begins
before the deadline ends after it, so a search that knows pauses to be long ends before the deadline
(`Search.set_deadline`). It learns them from those so far and from earlier searches.
"""

from __future__ import annotations

import time
from collections import deque

CLOCK_STEP = time.get_clock_info("monotonic").resolution
"""Seconds by which two readings may differ though hardly any time has passed: 0.016 on Windows
before Python 3.13, else next to nothing."""
REMEMBERED = 32
"""Searches whose pauses are remembered."""
NEWEST = 0.1
"""Weight of the newest search in `Lateness.usual`."""
MOST_SHARE = 0.5
MOST_SECONDS = 0.1
"""Most of a time limit, and most seconds, that are kept in reserve."""


class Lateness:
    """The pauses of the last searches with a time limit.

    Attributes:
        usual: seconds by which searches end later than they should, a moving average.
    """

    def __init__(self) -> None:
        self.usual = 0.0
        self._seen: deque[float] = deque(maxlen=REMEMBERED)

    @property
    def expected(self) -> float:
        """Length of the pause to expect, in seconds: the longest but one, as one may be chance."""
        seen = sorted(self._seen.copy())  # other threads may add to it meanwhile
        return seen[-2] if len(seen) > 1 else 0.0

    def ended(self, late: float) -> None:
        """Note by how many seconds a search ended later than it should, 0 for not at all.

        More than can be kept in reserve count as that: the process may have been stopped.
        """
        self.usual += NEWEST * (min(late, MOST_SECONDS) - self.usual)

    def learn(self, pause: float) -> None:
        """Note the longest pause of a search, or the seconds by which its result was late."""
        self._seen.append(pause)


def reserve(seconds: float) -> float:
    """Return the most seconds that a search with this time limit keeps in reserve.

    >>> reserve(0.05), reserve(10)
    (0.025, 0.1)
    """
    return min(MOST_SHARE * seconds, MOST_SECONDS)
