"""What holds for all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pavilion_ai import solo
from tests.solo import SIMS

LONGEST = ("tests/test_shell_examples.py", "tests/web/", "tests/cli/")
"""Files that take longest are begun first, so that no process is left with one at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that take longest first, otherwise in their order."""
    def place(item: pytest.Item) -> int:
        starts = [item.nodeid.startswith(prefix) for prefix in LONGEST]
        return starts.index(True) if True in starts else len(starts)

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def _signals_as_in_a_terminal() -> Iterator[None]:
    """Undo a parent's choice to ignore signals (nohup, a background job): children inherit it."""
    defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    found = {number: signal.signal(number, handler) for number, handler in defaults.items()}
    yield
    for number, handler in found.items():
        signal.signal(number, handler)


@pytest.fixture
def solo_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the user's data folder, with no solo game in it; par by quick searches."""
    whole = solo.challenge.par
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(solo.challenge, "par", lambda challenge, **options: whole(
        challenge, SIMS, **options))
    return tmp_path
