"""What holds for all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from pavilion_ai import solo
from pavilion_ai.games import GAMES
from tests.solo import SIMS

settings.register_profile("tests", deadline=None)  # a busy machine is no failure
settings.load_profile("tests")

BOARDS = ("coloured", "grey")
DEBUG_STEP = Path(__file__).with_name("debug_step.txt")
"""Places that CI runs on the build with checks too, as arguments of pytest, one a line."""
LONGEST = ("tests/test_shell_examples.py", "tests/web/", "tests/cli/")
"""Files that take longest are begun first, so that no process is left with one at the end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a part of the variants be chosen, where two builds run the same tests (.ci/run)."""
    parser.addoption("--variants", choices=("all", "eight", "four"), default="all", help=(
        "of tests for every variant that also run on the build with checks those for all twelve, or"
        " for eight or the other four: in both there is each game with each board, and each number"
        " of players"))


def variant_of(item: pytest.Item) -> tuple[tuple[int, int, int], object] | None:
    """Return the variant in the parameters of a test (game, board, players) and what else they are.

    None for a test without a variant.
    """
    game = board = players = -1
    params = getattr(item, "callspec", None)
    others: list[tuple[str, object]] = []
    for name, value in params.params.items() if params else ():
        parts = value if isinstance(value, tuple) and len(value) == 3 else (value,)
        whole = len(parts) == 3
        for part in parts:
            if isinstance(part, str) and part in GAMES:
                game = [*GAMES].index(part)
            elif isinstance(part, str) and part in BOARDS:
                board = BOARDS.index(part)
            elif isinstance(part, bool) and (whole or name == "grey"):
                board = int(part)
            elif isinstance(part, int) and 2 <= part <= 4 and (whole or name == "players"):
                players = part
            else:
                others.append((name, part if isinstance(part, (int, str)) else value))
    if min(game, board, players) < 0:
        return None
    return (game, board, players), (item.nodeid.partition("[")[0], *(
        (name, one if isinstance(one, (int, str)) else repr(one)) for name, one in others))


def runs_on_both_builds(item: pytest.Item) -> bool:
    """Tell whether CI runs a test on the build with checks too."""
    file = item.nodeid.partition("::")[0]
    places, left_out = debug_step()
    return (file.startswith(places)
            and not any(fnmatch(file, pattern) for pattern in left_out)
            and item.get_closest_marker("release_only") is None)


@cache
def debug_step() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the places of the tests on the debug build, and patterns of those left out."""
    arguments = DEBUG_STEP.read_text().split()
    return (tuple(one for one in arguments if not one.startswith("-")),
            tuple(one.partition("=")[2] for one in arguments if one.startswith("-")))


def of_the_other_part(items: list[pytest.Item], chosen: str) -> set[pytest.Item]:
    """Return the tests to leave out: of those that there are for every variant, on both builds.

    Each game with each board is one of the four with one number of players, the next with the next.
    """
    families: dict[object, dict[tuple[int, int, int], pytest.Item]] = {}
    for item in items:
        if (found := variant_of(item)) is not None and runs_on_both_builds(item):
            families.setdefault(found[1], {})[found[0]] = item
    return {item for family in families.values() if len(family) == 12
            for (game, board, players), item in family.items()
            if ((players - 2 * game - board) % 3 == 0) != (chosen == "four")}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the tests that take longest first, otherwise in their order; leave out a part of some."""
    chosen = config.getoption("--variants")
    left = of_the_other_part(items, chosen) if chosen != "all" else set()
    if left:
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]

    def place(item: pytest.Item) -> int:
        starts = [item.nodeid.startswith(prefix) for prefix in LONGEST]
        return starts.index(True) if True in starts else len(starts)

    items.sort(key=place)


@pytest.fixture(scope="session", autouse=True)
def _signals_as_in_a_terminal() -> Iterator[None]:
    """Undo a parent's choice to ignore signals (nohup, a background job): children inherit it."""
    defaults: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):  # not on Windows
        defaults[signal.SIGHUP] = signal.SIG_DFL
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
