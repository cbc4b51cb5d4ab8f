"""What holds for all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _signals_as_in_a_terminal() -> Iterator[None]:
    """Undo a parent's choice to ignore signals (nohup, a background job): children inherit it."""
    defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    found = {number: signal.signal(number, handler) for number, handler in defaults.items()}
    yield
    for number, handler in found.items():
        signal.signal(number, handler)
