"""Searches with a time limit learn how long the system pauses them, and end before the next one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from pavilion_ai.lateness import MOST_SECONDS, NEWEST, REMEMBERED, Lateness, reserve
from pavilion_ai.limits import Limits, LimitsSince
from pavilion_ai.play import Play
from pavilion_ai.search import Searcher, _Run

from .support import opening, search, states

ROOT = Path(__file__).resolve().parents[2]

PAUSED = """
import threading, time
from tests.search.support import search, states

tree = search(states(2, False, 1)[0])
tree.set_deadline(time.monotonic() + 60)

def watch():
    while tree.pause < 0.25:
        time.sleep(0.01)
    tree.stop()

threading.Thread(target=watch).start()
tree.run(10**12)
assert tree.pause >= 0.25
"""


def test_one_long_pause_may_be_chance() -> None:
    lateness = Lateness()
    assert lateness.expected == 0
    for pause, expected in ((0.3, 0), (0.002, 0.002), (0.04, 0.04), (0.5, 0.3)):
        lateness.learn(pause)
        assert lateness.expected == expected
    for _ in range(REMEMBERED):
        lateness.learn(0.001)
    assert lateness.expected == 0.001


def test_lateness_is_a_moving_average() -> None:
    lateness = Lateness()
    for late in (0.05, 0.1, 0.0):
        for _ in range(100):
            lateness.ended(late)
        assert lateness.usual == pytest.approx(late, abs=1e-4)


def test_a_process_that_was_stopped_is_late_once() -> None:
    lateness = Lateness()
    lateness.ended(3600.0)
    assert lateness.usual == pytest.approx(NEWEST * MOST_SECONDS)


def test_the_reserve_is_a_part_of_the_limit() -> None:
    tree = search(states(2, False, 1)[0])
    for deadline, most, expected, out in (
            (1000, 0, 2000, False), (1000, 500, 2000, False), (1000, 1001, 2000, True),
            (1000, 1001, 500, False), (1000, 1001, 1000.5, True)):
        tree.set_deadline(time.monotonic() + deadline, most, expected)
        assert tree.is_out_of_time() is out
        assert (tree.run(1) == 0) is out
    tree.set_deadline(0, 1001, 1e9)
    assert not tree.is_out_of_time()
    tree.set_deadline(time.monotonic() - 1)
    assert tree.is_out_of_time()
    assert reserve(0.05) == 0.025
    assert reserve(60) == 0.1


@pytest.mark.release_only
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no such signal here")
def test_pauses_are_noticed() -> None:
    process = subprocess.Popen([sys.executable, "-c", PAUSED], cwd=ROOT)
    try:
        for _ in range(100):
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(0.3)
            os.kill(process.pid, signal.SIGCONT)
            time.sleep(0.2)
            if process.poll() is not None:
                break
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()


def test_searches_learn() -> None:
    searcher, play = Searcher("x"), Play(opening())
    searcher.analyse(play, Limits(sims=10))
    assert not searcher.lateness._seen
    for threads in (1, 2):
        searcher.analyse(play, Limits(seconds=0.2), threads)  # less may pass before it begins
    assert len(searcher.lateness._seen) == 2
    assert searcher.lateness.expected > 0
    for _ in range(2):  # as if it had been late
        searcher.lateness.learn(10.0)
    begun = searcher.analyse(play, Limits(seconds=60.0, sims=100))
    assert begun.sims == 100
    tries = (searcher.analyse(play, Limits(seconds=0.6)).seconds for _ in range(20))
    assert any(0.5 <= seconds < 0.6 for seconds in tries)


@pytest.mark.parametrize(("limits", "most"), [
    (Limits(seconds=0.5), 0.1),
    (Limits(seconds=0.01, clock=(600.0, 600.0)), 0.005),
    (Limits(seconds=0.5, clock=(0.5, 0.5)), 0),
    (Limits(clock=(600.0, 600.0)), 0),
    (Limits(sims=5), 0),
])
def test_what_ends_a_search_says_what_is_kept_for_pauses(limits: Limits, most: float) -> None:
    """A clock has a reserve of its own, but not for a limit of seconds beside it."""
    run = _Run(Searcher("x"), Play(opening()), limits, 1, 0)
    run.tree = Mock()
    run.end_at(5.0)
    assert run.tree.set_deadline.call_args.args == (5.0, most, 0.0)


def test_seconds_may_count_from_earlier_on() -> None:
    searcher, begun = Searcher("x"), time.monotonic() - 100
    found = searcher.analyse(Play(opening()), LimitsSince(seconds=60.0, begun=begun))
    assert found.sims == 1
    assert found.seconds > 100
    assert not searcher.lateness._seen  # what it waited for was no pause
