"""Of many searches only some run at a time, in turn, so that cheap requests are answered."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from pavilion_ai import search
from pavilion_ai.processors import cores
from pavilion_ai.protocol import Engine, actions
from pavilion_ai.protocol.agents import THREADS_EACH
from pavilion_ai.protocol.turns import Turns
from tests.cli.support import DRAFTING
from tests.protocol.support import PATIENCE, wait_for

POSITION = DRAFTING.read_text()


def in_threads(*works: Callable[[], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    return threads


class Searching:
    """Work in slices, as a search does; counts how many do it at a time."""

    def __init__(self, turns: Turns, slices: int) -> None:
        self.turns, self.slices = turns, slices
        self.stop, self.lock = threading.Event(), threading.Lock()
        self.running, self.most = 0, 0
        self.order: list[int] = []

    def work(self, number: int, threads: int = 1) -> Callable[[], None]:
        def go() -> None:
            with self.turns.taken(self.stop, threads) as turn:
                for _ in range(self.slices):
                    with self.lock:
                        self.running += threads
                        self.most = max(self.most, self.running)
                        self.order.append(number)
                    time.sleep(0.005)
                    with self.lock:
                        self.running -= threads
                    if turn.is_set():
                        return
        return go


@pytest.fixture
def short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.protocol.turns.TURN_SECONDS", 0.0)


@pytest.mark.usefixtures("short_turns")
def test_some_run_at_a_time_and_each_has_its_turn() -> None:
    turns = Turns(3)
    one = Searching(turns, slices=4)
    with turns.taken(threading.Event(), 3):
        threads = in_threads(*(one.work(number) for number in range(10)))
        wait_for(lambda: len(turns._waiting) == 10)
    for thread in threads:
        thread.join(PATIENCE)
    assert one.most == 3
    assert sorted(one.order) == sorted([*range(10)] * 4)
    assert len({*one.order[:10]}) >= 8  # two may be slow to begin, and hold two of three turns


@pytest.mark.usefixtures("short_turns")
def test_threads_of_a_search_count() -> None:
    one = Searching(Turns(4), slices=3)
    for thread in in_threads(*(one.work(number, threads=3) for number in range(4))):
        thread.join(PATIENCE)
    assert one.most == 3
    assert len(one.order) == 12
    alone = Searching(Turns(4), slices=1)
    for thread in in_threads(alone.work(0, threads=50)):  # it would wait for ever
        thread.join(PATIENCE)
    assert alone.order == [0]


def test_who_has_a_turn_keeps_it_while_nobody_waits() -> None:
    turns = Turns(1)
    with turns.taken(threading.Event()) as turn:
        assert not turn.is_set()
        assert not turns.wanted
        assert turns._free == 0
    assert turns._free == 1


def test_those_who_wait_stop_at_once_and_those_out_of_time_go_on() -> None:
    turns, stop = Turns(1), threading.Event()
    went_on: list[str] = []

    def stopped() -> None:
        with turns.taken(stop) as turn:
            assert turn.is_set()
            assert turn.wait()
            went_on.append("stopped")

    def late() -> None:
        with turns.taken(threading.Event(), until=time.monotonic() + 0.05) as turn:
            assert not turn.is_set()
            went_on.append("late")

    with turns.taken(threading.Event()):
        threads = in_threads(stopped, late)
        wait_for(lambda: went_on == ["late"])
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)
        assert went_on == ["late", "stopped"]
    assert turns._free == 1
    assert not turns.wanted


def test_few_threads_of_an_engine_search_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever clients ask for; and all of them are answered when they are stopped."""
    lock, running, most = threading.Lock(), [0], [0]
    run, count = search.Search, actions._count

    class Counted(run):  # type: ignore[misc,valid-type]
        def run(self, *arguments: Any) -> int:
            with within():
                return int(super().run(*arguments))

    class within:
        def __enter__(self) -> None:
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])

        def __exit__(self, *_: object) -> None:
            with lock:
                running[0] -= 1

    def counted(position: Any, depth: int, stop: threading.Event) -> int:
        if depth > 1:
            return count(position, depth, stop)
        with within():
            return count(position, depth, stop)

    monkeypatch.setattr(search, "Search", Counted)
    monkeypatch.setattr(actions, "_count", counted)
    requests, writing = os.pipe()
    reading, output = os.pipe()
    with (os.fdopen(requests, "rb", buffering=0) as source, os.fdopen(output, "wb") as sink,
          os.fdopen(writing, "wb", buffering=0) as client, os.fdopen(reading, "rb") as heard):
        engine = Engine(sink)
        serving = threading.Thread(target=lambda: engine.serve(source))
        serving.start()
        asked = [{"action": action, **more, "position": POSITION} for _ in range(10)
                 for action, more in (("analyse", {"sims": 10**9, "agent": "ismcts:memory=8"}),
                                      ("analyse", {"seconds": 600, "threads": 2}),
                                      ("perft", {"depth": 9}))]
        for number, request in enumerate(asked):
            client.write(json.dumps({"id": number, **request}).encode() + b"\n")
        time.sleep(0.5)
        client.write(b'{"id": "hello", "action": "hello"}\n')
        assert json.loads(heard.readline())["id"] == "hello"
        at_a_time = most[0]  # one that is stopped makes a last simulation out of turn
        for number in range(len(asked)):
            client.write(json.dumps({"id": "s", "action": "stop", "target": number}).encode()
                         + b"\n")
        left = {*range(len(asked))}
        while left:
            left.discard(json.loads(heard.readline())["id"])
        client.close()
        serving.join(PATIENCE)
    assert 0 < at_a_time <= THREADS_EACH * cores()


def test_a_count_waits_for_its_turn() -> None:
    turns, stop = Turns(1), threading.Event()
    request = {"action": "perft", "position": POSITION, "depth": 2}
    done: list[object] = []
    with turns.taken(threading.Event()):
        counting, = in_threads(lambda: done.append(actions.perft(request, stop, turns)))
        wait_for(lambda: turns.wanted)
        assert not done
    counting.join(PATIENCE)
    assert done
