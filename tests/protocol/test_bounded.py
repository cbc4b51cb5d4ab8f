"""What requests may cost: memory and threads are capped, and cheap ones need not wait."""

from __future__ import annotations

import io
import json
import os
import random
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import processors, review, search
from pavilion_ai.agents import _SearchAgent, make_agent
from pavilion_ai.bounds import DEFAULT_MEMORY_MIB, MAX_LINE_BYTES
from pavilion_ai.errors import SpecError
from pavilion_ai.games import rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.match.verify import verify
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.protocol import Engine, actions, fields, turns
from pavilion_ai.protocol import engine as engine_module
from pavilion_ai.protocol.agents import MEMORY_MIB, MOST_IDLE, TIMED_SHARE, Agents
from pavilion_ai.protocol.capacity import NICENESS, Capacity
from pavilion_ai.protocol.streams import ALWAYS_IN_HAND_BYTES, InHand
from tests.cli.support import DRAFTING, ROOT, error_lines, pavilion, start
from tests.match.support import wait_until
from tests.protocol.support import PATIENCE, wait_for

POSITION = DRAFTING.read_text()
START = parse_position(POSITION).position
NEVER = threading.Event()
TIMED, COUNTED = Limits(seconds=1.0), Limits(sims=10**6)


def answers(*requests: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    output = io.BytesIO()
    Engine(output, **options).serve(
        io.BytesIO(b"".join(json.dumps(request).encode() + b"\n" for request in requests)))
    return [json.loads(line) for line in output.getvalue().splitlines()]


def ask(**request: Any) -> dict[str, Any]:
    return answers({"id": 1, "position": POSITION, **request})[-1]


# ------------------------------------------------------------------------------- memory


@pytest.mark.parametrize("action", ["analyse", "choose"])
def test_an_agent_cannot_lift_the_memory_cap(action: str) -> None:
    for spec in (f"ismcts:memory={MEMORY_MIB + 1}", "uct:memory=1048576"):
        refused = ask(action=action, agent=spec)
        assert refused["field"] == "agent"
        assert f"memory is at most {MEMORY_MIB} MiB here" in refused["error"]
    own = Agents("ismcts:memory=3000")
    with own.lent({}, TIMED, NEVER) as (_, spec_of_it, _granted):
        assert spec_of_it.options["memory"] == 3000
    with pytest.raises(SpecError, match="at most 3000"), own.lent(
            {"agent": "uct:memory=3001"}, TIMED, NEVER):
        pass


def test_searches_with_a_time_limit_share_the_memory_and_never_wait() -> None:
    agents = Agents(memory_mib=100)
    with ExitStack() as stack:
        granted = [stack.enter_context(agents.lent({"agent": "uct:memory=80"}, TIMED, NEVER))[2]
                   for _ in range(40)]
    assert granted[0] == 25
    assert granted == sorted(granted, reverse=True)
    assert sum(granted) <= 100 + 40  # 1 MiB at least
    assert granted[-1] == 1
    with Agents().lent({}, TIMED, NEVER) as (_, _, alone):
        assert alone == 256 == DEFAULT_MEMORY_MIB
    with Agents(memory_mib=40).lent({}, COUNTED, NEVER) as (_, _, small):
        assert small == 40


def test_searches_with_a_limit_of_simulations_wait_for_room() -> None:
    """Their answers do not depend on what else is searched."""
    agents, began, went = Agents(memory_mib=300), threading.Event(), threading.Event()

    def second(stop: threading.Event) -> None:
        began.set()
        with agents.lent({}, COUNTED, stop) as (_, _, granted):
            assert granted == 256
            went.set()

    with agents.lent({}, COUNTED, NEVER) as (_, _, granted):
        assert granted == 256
        with agents.lent({}, Limits(sims=500), NEVER) as (_, _, small):  # needs little
            assert small == 256
        thread = threading.Thread(target=second, args=(NEVER,))
        thread.start()
        assert began.wait(10)
        with agents.lent({}, TIMED, NEVER):
            pass
        assert not went.wait(0.2)
    assert went.wait(10)
    thread.join()
    went.clear()
    stop = threading.Event()
    with agents.lent({}, COUNTED, NEVER):
        thread = threading.Thread(target=second, args=(stop,))
        thread.start()
        assert not went.wait(0.2)
        stop.set()
        assert went.wait(10)
    thread.join()


def test_who_needs_little_memory_does_not_overtake_those_who_wait() -> None:
    """They might never have theirs. An agent that does not search needs none."""
    agents, went = Agents(memory_mib=300), list[str]()

    def search(spec: str, sims: int) -> None:
        with agents.lent({"agent": spec}, Limits(sims=sims), NEVER):
            went.append(spec)

    works = [threading.Thread(target=search, args=one)
             for one in (("default", 10**6), ("uct", 500), ("greedy", 500))]
    with agents.lent({}, COUNTED, NEVER):
        for number, work in enumerate(works[:2], 1):
            work.start()
            wait_for(lambda number=number: len(agents._waiting) == number)  # type: ignore[misc]
        works[2].start()
        works[2].join(PATIENCE)
        assert went == ["greedy"]
    for work in works:
        work.join(PATIENCE)
    assert sorted(went[1:]) == ["default", "uct"]
    assert not agents._waiting


@pytest.mark.parametrize(("spec", "limits"), [
    ("default", Limits(sims=10**6, seconds=1.0)),
    ("default", Limits(sims=10**6, clock=(1.0, 1.0))),
    ("default:sims=1000000,time=1", None),
    ("default:sims=1000000,clock=1", None),
])
def test_searches_that_time_may_end_as_well_never_wait(spec: str, limits: Limits | None) -> None:
    agents, stopped = Agents(memory_mib=300), threading.Event()
    stopped.set()
    with agents.lent({}, COUNTED, NEVER):
        # One that waits would get all of its 256 MiB as it is stopped.
        with agents.lent({"agent": spec}, limits, stopped) as (_, _, granted):
            assert granted == (300 - 256) // TIMED_SHARE
        if limits is not None:
            with agents.memory_for({"agent": spec}, limits, 1, stopped) as (_, granted):
                assert granted == (300 - 256) // TIMED_SHARE


def test_few_agents_are_kept() -> None:
    agents = Agents()
    for number in range(8, 8 + 2 * MOST_IDLE):
        with agents.lent({"agent": f"uct:memory={number}"}, COUNTED, NEVER):
            pass
    assert [held for _, held in agents._idle] == [10, 11]
    assert agents._used == 10 + 11


def test_a_request_with_a_time_limit_drops_no_more_agents_than_it_has_to() -> None:
    """What they hold is free, and is taken where it is needed."""
    agents = Agents()
    for spec in ("default", "uct", "flat"):
        with agents.lent({"agent": spec}, TIMED, NEVER) as (_, _, granted):
            assert granted == DEFAULT_MEMORY_MIB
            assert len(agents._idle) == min(MOST_IDLE, ("default", "uct", "flat").index(spec))
    with (agents.lent({"agent": "ismcts:memory=700"}, COUNTED, NEVER),
          agents.lent({"agent": "flat"}, TIMED, NEVER)):
        assert len(agents._idle) == 0
    assert agents._used == 700 + DEFAULT_MEMORY_MIB


def test_an_agent_has_no_less_memory_than_it_held_whatever_else_is_searched() -> None:
    """A tree of another size is made anew."""
    agents, request = Agents(memory_mib=100), {"agent": "uct"}
    for _ in range(2):
        with agents.lent(request, TIMED, NEVER) as (_, _, granted):
            assert granted == 25
        with agents.lent({"agent": "flat:memory=60"}, COUNTED, NEVER), agents.lent(
                request, TIMED, NEVER) as (_, _, granted):
            assert granted == 25


def test_the_searches_of_a_review_share_the_memory() -> None:
    agents, stopped = Agents(memory_mib=100), threading.Event()
    review: dict[str, Any] = {"agent": "uct:memory=80"}
    stopped.set()  # so that it does not wait for room that there never is
    with agents.memory_for(review, COUNTED, 4, stopped) as (_, each):
        assert each == 25
        with agents.memory_for(review, TIMED, 4, NEVER) as (_, other):
            assert other == 1  # nothing is left
    with agents.memory_for(review, TIMED, 4, NEVER) as (_, alone):
        assert alone == 6  # a quarter of all for the four together
    assert agents._used == 0
    with (pytest.raises(SpecError, match="memory is at most 100 MiB here"),
          agents.memory_for({"agent": "uct:memory=101"}, COUNTED, 4, NEVER)):
        pass


def test_a_search_gets_no_more_memory_than_it_was_granted(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    granted: list[int | None] = []
    decide, analyse = _SearchAgent.decide, _SearchAgent.analyse

    def watched(how: Any) -> Any:
        def work(agent: Any, play: Any, *, limits: Any, **more: Any) -> Any:
            granted.append(limits.memory_mib)
            return how(agent, play, limits=limits, **more)

        return work

    monkeypatch.setattr(_SearchAgent, "decide", watched(decide))
    monkeypatch.setattr(_SearchAgent, "analyse", watched(analyse))
    for request in ({"action": "analyse", "seconds": 0.05},
                    {"action": "choose", "limits": {"seconds": 0.05}}):
        found = answers({"id": 1, "position": POSITION, "agent": "uct:memory=48", **request},
                        memory_mib=60)[-1]
        assert "error" not in found
    assert granted == [15, 15]


def test_agents_that_are_kept_count_and_make_room() -> None:
    agents = Agents(memory_mib=300)
    for spec in ("uct:memory=100", "uct:memory=101"):
        with agents.lent({"agent": spec}, COUNTED, NEVER):
            pass
    with agents.lent({"agent": "uct:memory=150"}, COUNTED, NEVER) as (_, _, granted):
        assert granted == 150  # the first one made room
    with agents.lent({"agent": "uct:memory=300"}, COUNTED, NEVER) as (_, _, granted):
        assert granted == 300
    with pytest.raises(ZeroDivisionError), agents.lent({}, COUNTED, NEVER):
        raise ZeroDivisionError  # what a search that failed held is free again
    assert agents._used == 0
    with agents.lent({"agent": "uct:memory=300"}, COUNTED, NEVER):
        pass


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc here")
def test_the_memory_of_an_engine_stays_in_its_bounds() -> None:
    """Four searches that would like 256 MiB each."""
    process = start("engine", "--memory", "48")
    assert process.stdin
    assert process.stdout
    for number in range(4):
        process.stdin.write(json.dumps({
            "id": number, "action": "analyse", "position": POSITION, "sims": 200_000,
            "seed": number}).encode() + b"\n")
    process.stdin.flush()
    for _ in range(4):
        assert "error" not in json.loads(process.stdout.readline())
    with open(f"/proc/{process.pid}/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    process.stdin.close()
    process.wait(10)
    assert peak < (48 + 80) << 10  # KiB; Python, its libraries and the caches take the rest


# ------------------------------------------------------------------------------- threads


def test_threads_are_capped_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (processors, actions, engine_module):
        monkeypatch.setattr(module, "cores", lambda: 2)
    note = "threads: 64 requested, 2 used, one for each processor"
    for options in ({"threads": 64}, {"agent": "ismcts:threads=64"}):
        answer = ask(action="analyse", sims=50, **options)
        assert (answer["threads"], answer["notes"]) == (2, [note])
    assert ask(action="choose", limits={"sims": 9}, threads=64)["notes"] == [note]
    fine: list[dict[str, Any]] = [
        {}, {"threads": 2}, {"agent": "ismcts:threads=2"}, {"agent": "greedy", "threads": 64},
        {"agent": "default:level=2", "threads": 64}]
    for request in fine:
        answer = ask(action="analyse", sims=50, **request)
        assert "notes" not in answer
    record = json.loads((ROOT / "examples" / "game_2p.jsonl").read_text().splitlines()[0])
    short = {**record, "moves": record["moves"][:3], "reason": "unfinished"}
    review = {"action": "review", "record": short, "sims": 2}
    sink = io.BytesIO()
    Engine(sink, "ismcts:threads=64").serve(io.BytesIO(b"".join(
        json.dumps({"id": number, **review, **more}).encode() + b"\n" for number, more in enumerate(
            ({}, {"agent": "ismcts:threads=64"}, {"threads": 64})))))
    answers = [one for one in map(json.loads, sink.getvalue().splitlines()) if one.get("final")]
    notes = {one["id"]: one.get("notes") for one in answers}
    assert notes == {0: None, 1: [note], 2: [note]}  # a review does not take the engine's agent
    assert {one["agent"] for one in answers} == {"default", "ismcts:threads=1"}
    shown = pavilion("suggest", DRAFTING, "--sims", 50, "--threads", 64, "--json")
    assert json.loads(shown.stdout)["threads"] == 2
    assert error_lines(shown) == [f"note: {note}"]
    shown = pavilion("suggest", DRAFTING, "--sims", 50, "--agent", "uct:threads=64", "--json")
    assert json.loads(shown.stdout)["threads"] == 2
    assert error_lines(shown) == [f"note: {note}"]
    played = pavilion("play", "--seats", "human,ismcts:threads=64", stdin="quit\n")
    assert f"note: {note}" in error_lines(played)
    reviewed = pavilion("review", ROOT / "examples" / "game_2p.jsonl", "--sims", 2, "--jobs", 2,
                        "--agent", "ismcts:threads=64,net=0", "--json")
    notes = [line for line in error_lines(reviewed) if line.startswith("note")]
    assert notes == [f"note: {note}"]
    assert json.loads(reviewed.stdout)["agent"] == "ismcts:threads=2,net=0"


def test_a_core_without_shared_trees_searches_with_one_thread(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that Microsoft's compiler made. Reviews search several trees, each with one thread."""
    monkeypatch.setattr(search, "CAN_SHARE", False)
    note = "threads: 2 requested, 1 used, as many as this build can search with"
    answer = ask(action="analyse", sims=50, threads=2)
    assert (answer["threads"], answer["notes"]) == (1, [note])
    shown = pavilion("suggest", DRAFTING, "--sims", 50, "--threads", 2, "--json")
    assert json.loads(shown.stdout)["threads"] == 1
    assert error_lines(shown) == [f"note: {note}"]
    for action, most in (("analyse", 1), ("review", 2)):
        with Capacity(2).room({"action": action, "threads": 2}, NEVER, lambda _: None) as granted:
            assert granted["threads"] == most
    monkeypatch.setattr(actions, "threads_note", lambda wanted, most: f"{most} of {wanted}")
    told = {action: actions.thread_note({"action": action, "threads": 3}, Agents(), 2)
            for action in ("choose", "review")}
    assert told == {"choose": note.replace("2", "3"), "review": "2 of 3"}
    agent = make_agent("ismcts:threads=4")
    assert agent.analyse(Play(START), Limits(sims=20)).threads == 1


def test_a_review_takes_turns_with_as_many_processes_as_there_are_processors(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Any] = []

    def reviewed(record: Any, judge: Any, *, jobs: int, stop: Any, **_: Any) -> Any:
        found.extend((jobs, stop))
        raise SpecError("enough")

    monkeypatch.setattr(actions, "cores", lambda: 2)
    monkeypatch.setattr(review, "review_game", reviewed)
    record = json.loads((ROOT / "examples" / "game_2p.jsonl").read_text().splitlines()[0])
    told = answers({"id": 1, "action": "review", "record": record, "sims": 1, "threads": 64})
    assert told[-1]["error"] == "enough"
    assert found[0] == 2
    assert isinstance(found[1], turns._Turn)


def test_jobs_are_capped_with_a_note(tmp_path: Path) -> None:
    many = processors.cores() + 1
    note = f"note: --jobs: {many} requested, {many - 1} used, one for each processor"
    game = ROOT / "examples" / "game_2p.jsonl"
    checked = pavilion("verify", game, "--jobs", many)
    assert checked.stdout == f"{game}: 1 game, all right\n"
    assert error_lines(checked) == [note]
    assert error_lines(pavilion("verify", game, "--jobs", 1)) == [""]
    reviewed = pavilion("review", game, "--sims", 1, "--jobs", many, "--agent", "greedy")
    assert note in error_lines(reviewed)
    rolled = pavilion("rollout", DRAFTING, "--agent", "random", "--trials", 1, "--sims", 1,
                      "--jobs", many)
    assert note in error_lines(rolled)
    for command in (
        ("dataset", "--games", 1, "--agent", "random", "--out", tmp_path / "arrays"),
        ("match", "random", "random", "--pairs", 1),
        ("openings", "--count", 1, "--sims", 1, "--band", 100),
    ):
        assert note in error_lines(pavilion(*command, "--jobs", many))


def test_problems_of_a_file_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"id": "x"}\n' * 10_500)
    found = verify(path)
    assert (len(found.problems), found.more) == (10_000, 500)
    told = found.to_json()["problems"]
    assert isinstance(told, list)
    assert told[-1] == f"{path}: 500 more problems"
    lines = error_lines(pavilion("verify", path))
    assert len(lines) == 6
    assert lines[-2].endswith("expected all of its keys; and 9,995 more like it")
    assert lines[-1] == f"error: {path}: 10500 problems, of which 5 are shown"


# ------------------------------------------------------------------------------- time


def test_cheap_requests_are_answered_while_a_quick_one_takes_long(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    free = threading.Event()

    def endless(request: Any) -> dict[str, Any]:
        assert free.wait(20)
        return {"moves": []}

    monkeypatch.setattr(actions, "moves", endless)
    monkeypatch.setattr(engine_module, "PATIENCE_SECONDS", 0.05)
    requests, writing = os.pipe()
    reading, output = os.pipe()
    with (os.fdopen(requests, "rb", buffering=0) as source, os.fdopen(output, "wb") as sink,
          os.fdopen(writing, "wb", buffering=0) as client, os.fdopen(reading, "rb") as heard):
        engine = Engine(sink, more={"import": endless}, patient=("import",))
        serving = threading.Thread(target=lambda: engine.serve(source))
        serving.start()
        for number, action in enumerate(("moves", "import", "hello", "show", "stop", "new"), 1):
            client.write(json.dumps({"id": number, "action": action, "position": POSITION,
                                     "target": 9}).encode() + b"\n")
        assert {json.loads(heard.readline())["id"] for _ in range(4)} == {3, 4, 5, 6}
        free.set()
        assert {json.loads(heard.readline())["id"] for _ in range(2)} == {1, 2}
        client.close()
        serving.join(10)
        assert not serving.is_alive()


def test_no_work_is_done_for_those_who_left(monkeypatch: pytest.MonkeyPatch) -> None:
    class Left:
        gone = False

        def write(self, line: bytes) -> None:
            if self.gone:
                raise BrokenPipeError

        def has_reader(self) -> bool:
            return not self.gone

    searched: list[object] = []
    monkeypatch.setattr(actions, "search", lambda *_: searched.append(1))
    capacity, output = Capacity(1), Left()
    engine = Engine(output, capacity=capacity)
    request = {"id": 1, "action": "analyse", "position": POSITION, "seconds": 60}

    def leaving() -> Iterator[bytes]:
        yield json.dumps(request).encode()
        output.gone = True
        raise BrokenPipeError

    with capacity.room({}, NEVER, lambda _: None):  # another search
        with pytest.raises(BrokenPipeError):
            engine.serve_messages(leaving())
        for thread in tuple(engine._threads):
            thread.join(20)
        assert not engine._threads
    assert not searched


def test_who_asks_for_threads_first_is_first() -> None:
    """One who wants few does not overtake one who waits for many."""
    capacity, order, waiting = Capacity(2), list[int](), threading.Semaphore(0)
    told: dict[int, list[int]] = {2: [], 1: []}

    def searching(threads: int) -> None:
        def wait(before: int) -> None:
            told[threads].append(before)
            waiting.release()

        with capacity.room({"threads": threads}, NEVER, wait):
            order.append(threads)

    works = [threading.Thread(target=searching, args=(number,)) for number in (2, 1)]
    with capacity.room({"threads": 1}, NEVER, lambda _: None):
        for work in works:
            work.start()
            assert waiting.acquire(timeout=10)
        time.sleep(0.2)
        assert not order
    for work in works:
        work.join(10)
    assert order == [2, 1]
    assert told[2] == [0]  # only what changes
    assert told[1][:1] == [1]


def test_clients_have_their_searches_in_turn() -> None:
    """Who asks for one comes before the second of one who asked for many."""
    capacity, order = Capacity(1), list[str]()

    def searching(who: str) -> None:
        with capacity.room({}, NEVER, lambda _: None, who):
            order.append(who)

    works = [threading.Thread(target=searching, args=(who,)) for who in "aaabac"]
    with capacity.room({}, NEVER, lambda _: None, "a"):
        for number, work in enumerate(works, 2):
            work.start()
            wait_until(lambda number=number: len(capacity._searches) == number)
        assert not order
    for work in works:
        work.join(10)
    assert "".join(order) == "bcaaaa"


@pytest.mark.parametrize(("patience", "other", "ends"), [
    (0.1, "b", True), (60.0, "b", False), (0.1, "a", False)])
def test_a_long_search_makes_way_for_those_of_others(
    patience: float, other: str, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that runs longest, and no more of them than are in the way."""
    monkeypatch.setattr("pavilion_ai.protocol.capacity.PATIENCE", patience)
    capacity, told = Capacity(2), list[str]()
    first, second = threading.Event(), threading.Event()

    def searching(stop: threading.Event, who: str) -> None:
        with capacity.room({}, stop, lambda _: None, who, lambda: told.append(who)):
            stop.wait(10)

    searches = [threading.Thread(target=searching, args=one)
                for one in ((first, "a"), (second, "a"))]
    for number, search_ in enumerate(searches, 1):
        search_.start()
        wait_until(lambda number=number: capacity._free == 2 - number)
    late = threading.Timer(0.5, first.set)
    late.start()
    with capacity.room({}, NEVER, lambda _: None, other):
        assert told == (["a"] if ends else [])
        assert not second.is_set()
    late.cancel()
    second.set()
    for search_ in searches:
        search_.join(10)


def test_a_search_of_its_own_at_the_head_keeps_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for the first one of its client, and `b` behind it."""
    monkeypatch.setattr("pavilion_ai.protocol.capacity.PATIENCE", 0.1)
    capacity, order = Capacity(2), list[str]()
    stops = {name: threading.Event() for name in ("a1", "b1", "a2", "b2")}

    def searching(name: str, threads: int) -> None:
        request, stop = {"threads": threads}, stops[name]
        with capacity.room(request, stop, lambda _: None, name[0], lambda: None):
            order.append(name)
            stop.wait(PATIENCE)

    works = [threading.Thread(target=searching, args=one)
             for one in (("a1", 1), ("b1", 1), ("a2", 2), ("b2", 1))]
    try:
        for number, work in enumerate(works[:3], 1):
            work.start()
            wait_until(lambda number=number: len(capacity._searches) == number)
        time.sleep(0.3)
        assert order == ["a1", "b1"]
        assert not stops["b1"].is_set()  # without a1, for which nobody else waits, it were in vain
        works[3].start()
        wait_until(lambda: order == ["a1", "b1", "a2", "b2"])
    finally:
        for stop in stops.values():
            stop.set()
        for work in works:
            work.join(PATIENCE)


def test_a_search_that_is_stopped_as_it_waits_takes_no_turn(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """It let the next of its client come before others."""
    monkeypatch.setattr("pavilion_ai.protocol.capacity.PATIENCE", PATIENCE)
    capacity, order = Capacity(1), list[str]()

    def searching(who: str, stop: threading.Event) -> None:
        with capacity.room({}, stop, lambda _: None, who):
            if not stop.is_set():
                order.append(who)

    stop = threading.Event()
    works = [threading.Thread(target=searching, args=one)
             for one in (("a", stop), ("a", NEVER), ("b", NEVER))]
    with capacity.room({}, NEVER, lambda _: None, "a"):
        works[0].start()
        wait_until(lambda: len(capacity._searches) == 2)
        stop.set()
        works[0].join(PATIENCE)
        for number, work in enumerate(works[1:], 2):
            work.start()
            wait_until(lambda number=number: len(capacity._searches) == number)
    for work in works:
        work.join(PATIENCE)
    assert order == ["b", "a"]


@pytest.mark.parametrize("seed", range(3))
def test_nobody_waits_for_ever(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of endless searches those wait in the end that wait for their own client alone."""
    monkeypatch.setattr("pavilion_ai.protocol.capacity.PATIENCE", 0.0)
    monkeypatch.setattr("pavilion_ai.protocol.capacity.WATCH_SECONDS", 0.002)
    draw = random.Random(seed)
    capacity = Capacity(draw.choice([1, 2, 3]))
    works, stops = list[threading.Thread](), list[threading.Event]()

    def searching(who: str, threads: int, stop: threading.Event) -> None:
        with capacity.room({"threads": threads}, stop, lambda _: None, who, lambda: None):
            stop.wait()

    def ask(who: str, threads: int) -> None:
        stops.append(threading.Event())
        works.append(threading.Thread(target=searching, args=(who, threads, stops[-1])))
        works[-1].start()

    def waiting() -> set[object]:
        with capacity._changed:
            return {one.who for one in capacity._searches if one.since is None}

    try:
        for _ in range(100):
            ask(draw.choice("aabc"), draw.randint(1, 3))
            if draw.random() < 0.3:
                draw.choice(stops[-4:]).set()
            if draw.random() < 0.2:
                wait_until(lambda: len(waiting()) <= 1, "searches of several wait", PATIENCE)
        ask("z", 1)
        wait_until(lambda: len(waiting()) <= 1 and "z" not in waiting(), "z waits", PATIENCE)
    finally:
        for stop in stops:
            stop.set()
        for work in works:
            work.join(PATIENCE)
    assert (capacity._free, capacity._searches) == (capacity.threads, [])


def test_only_who_can_be_told_makes_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.protocol.capacity.PATIENCE", 0.0)
    capacity, running, waits = Capacity(1), threading.Event(), threading.Event()
    with capacity.room({}, running, lambda _: None, "a"):
        threading.Timer(0.3, waits.set).start()
        with capacity.room({}, waits, lambda _: None, "b"):
            assert waits.is_set()
    assert not running.is_set()


@pytest.mark.parametrize("action", ["analyse", "choose"])
def test_who_does_not_search_needs_no_threads(action: str) -> None:
    capacity, request = Capacity(1), {"action": action, "agent": "greedy"}
    with (capacity.room({}, NEVER, lambda _: None),
          capacity.room(request, NEVER, lambda _: None) as granted):
        assert granted.get("threads") is None
    with capacity.room({}, NEVER, lambda _: None):
        stop = threading.Event()
        threading.Timer(0.2, stop.set).start()
        with capacity.room({**request, "action": "review"}, stop, lambda _: None):
            assert stop.is_set()  # which judges with a search


def test_an_analysis_that_makes_way_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.protocol.capacity.PATIENCE", 0.2)
    capacity, outputs = Capacity(1), (io.BytesIO(), io.BytesIO())
    requests = ({"id": 1, "action": "analyse", "position": POSITION, "seconds": 600},
                {"id": 2, "action": "choose", "position": POSITION, "agent": "default:sims=50"})
    works = [threading.Thread(target=Engine(output, capacity=capacity).serve_messages,
                              args=([json.dumps(request).encode()],), daemon=True)
             for request, output in zip(requests, outputs, strict=True)]
    works[0].start()
    wait_until(lambda: capacity._free == 0, "the search")
    works[1].start()
    for work in works:
        work.join(30)
    analysis, choice = (json.loads(output.getvalue().splitlines()[-1]) for output in outputs)
    assert (analysis["made_way"], analysis["final"]) == (True, True)
    assert analysis["moves"]
    assert "move" in choice
    assert "made_way" not in choice


def test_a_perft_that_makes_way_says_so_with_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.protocol.capacity.PATIENCE", 0.1)
    capacity, output, stop = Capacity(1), io.BytesIO(), threading.Event()
    request = {"id": 1, "action": "perft", "position": POSITION, "depth": 9}
    work = threading.Thread(target=Engine(output, capacity=capacity).serve_messages,
                            args=([json.dumps(request).encode()],), daemon=True)
    work.start()
    wait_until(lambda: capacity._free == 0, "perft")
    with capacity.room({}, stop, lambda _: None, "b"):
        work.join(PATIENCE)
    assert json.loads(output.getvalue()) == {
        "id": 1, "error": "stopped before the count was complete", "field": "", "made_way": True}


@pytest.mark.parametrize(("request_", "threads"), [
    ({}, None), ({"threads": 8}, 2), ({"agent": "ismcts:threads=8"}, 2), ({"threads": 1}, 1)])
def test_nobody_gets_more_threads_than_there_are(
    request_: dict[str, Any], threads: int | None
) -> None:
    with Capacity(2).room(request_, NEVER, lambda _: None) as granted:
        assert granted.get("threads") == threads


@pytest.mark.skipif(sys.platform != "linux", reason="single threads have no priority there")
def test_only_a_thread_of_its_own_comes_after_the_others() -> None:
    """A server's or test's process would keep what its main thread gave away."""
    def niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def in_thread() -> None:
        with capacity.room({}, NEVER, lambda _: None):
            found.append(niceness())

    capacity, found, before = Capacity(1), list[int](), niceness()
    with capacity.room({}, NEVER, lambda _: None):
        assert niceness() == before
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert found == [min(19, before + NICENESS)]  # there is no more


def test_seconds_count_from_the_reading_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    decode = fields.decode

    def slow(raw: bytes) -> Any:
        time.sleep(0.3)
        return decode(raw)

    monkeypatch.setattr(fields, "decode", slow)
    found = ask(action="analyse", seconds=0.2)
    assert found["sims"] == 1
    assert found["limits"]["seconds"] == 0.2


def test_the_seconds_of_a_spec_count_from_there_too() -> None:
    request = {"action": "analyse", "position": POSITION, "agent": "default:time=5",
               fields.BEGUN: time.monotonic() - 100}
    found = actions.search(request, NEVER, Agents())
    assert found.sims == 1


def test_quick_requests_that_take_long_are_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most = [0], [0]
    lock = threading.Lock()

    def slow(request: Any) -> dict[str, Any]:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.05)
        with lock:
            running[0] -= 1
        return {}

    monkeypatch.setattr(actions, "show", slow)
    monkeypatch.setattr(engine_module, "PATIENCE_SECONDS", 0.001)
    found = answers(*({"id": number, "action": "show"} for number in range(60)))
    assert sorted(answer["id"] for answer in found) == list(range(60))
    assert 1 < most[0] <= engine_module.MAX_SLOW


def test_a_move_named_many_times_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read, ply_of = list[str](), Play.ply_of

    def counted(play: Play, move: str) -> Any:
        read.append(move)
        return ply_of(play, move)

    monkeypatch.setattr(Play, "ply_of", counted)
    legal = rules_of(START).legal_moves(START)
    for action, name in (("choose", "legal_moves"), ("choose", "avoid"), ("analyse", "only")):
        del read[:]
        assert "error" not in ask(action=action, agent="uct:sims=5", **{name: legal[:2] * 1000})
        assert len(read) < 10


def test_long_lists_of_moves_cost_little() -> None:
    legal = rules_of(START).legal_moves(START)
    began = time.process_time()
    chosen = ask(action="choose", position=to_json(START), legal_moves=legal[:2] * 90_000,
                 limits={"sims": 10})
    assert chosen["move"] in legal[:2]
    assert time.process_time() - began < 5
    for moves in (["D9:G"] * 10**5, ["x" * 10**6], ["deal:" + "P," * 10**6],
                  ["pass:" + "P" * 10**6]):
        for action, name in (("choose", "legal_moves"), ("analyse", "only"), ("apply", "moves")):
            refused = ask(action=action, **{name: moves})
            assert len(json.dumps(refused)) < 2000
    assert time.process_time() - began < 10


def test_lines_of_too_many_values_are_refused_undecoded() -> None:
    for flood in (b"[" + b"{}," * 1_300_000 + b"0]", b'{"": [' + b"0," * 2_000_000 + b"0]}",
                  b"[" + b'"",' * 1_300_000 + b"0]", b"[" * 4_000_000):
        output = io.BytesIO()
        Engine(output).serve(io.BytesIO(b'{"id": 1, "action": "hello", "more": ' + flood + b"}\n"))
        assert b"found a line of more than 200000 values" in output.getvalue()


def test_text_does_not_count_as_values() -> None:
    text = ', [{"\\' * 500_000
    answer = answers({"id": 1, "action": "hello", text[:50]: text})[-1]
    assert answer["unused"] == [text[:50]]


def test_long_requests_in_flight_are_bounded_together() -> None:
    """What they hold of a long line stays in memory until they are answered."""
    padding = {"more": "x" * 3_000_000}
    requests: list[dict[str, Any]] = [
        {"id": number, "action": "perft", "position": POSITION, "depth": 50, **padding}
        for number in range(4)]
    requests += [{"id": "stop", "action": "stop", "target": number} for number in range(4)]
    requests += [{"id": 9, "action": "perft", "position": POSITION, "depth": 1}]
    found = {answer["id"]: answer for answer in answers(*requests)}
    refused = "requests of 8388608 bytes are in flight already"
    assert [found[number]["error"] == refused for number in range(4)] == [
        False, False, True, True]
    assert found[3]["field"] == ""
    assert found[9]["nodes"] > 1
    output, again = io.BytesIO(), {**requests[0], "depth": 1, "id": 1}
    engine = Engine(output)  # each is answered before the next one, and then its bytes are free

    def one_by_one() -> Iterator[bytes]:
        for _ in range(4):
            yield json.dumps(again).encode()
            for thread in tuple(engine._threads):
                thread.join(20)

    engine.serve_messages(one_by_one())
    assert [json.loads(line)["nodes"] for line in output.getvalue().splitlines()] == [
        found[9]["nodes"]] * 4
    in_hand = InHand()
    assert in_hand.take(10**9)  # the only one
    assert not in_hand.take(1)
    in_hand.give_back(10**9)
    assert in_hand.take(1)


def test_the_long_requests_of_one_client_leave_others_room() -> None:
    capacity, most = Capacity(1), ALWAYS_IN_HAND_BYTES
    output, other = io.BytesIO(), io.BytesIO()
    first = Engine(output, capacity=capacity)

    def request(number: int, padding: int, **more: object) -> bytes:
        return json.dumps({"id": number, "action": "perft", "position": POSITION, **more,
                           "padding": "x" * padding}).encode()

    def requests() -> Iterator[bytes]:
        for number in range(3):
            yield request(number, 4_190_000, depth=50)
        Engine(other, capacity=capacity).serve_messages(
            request(number, padding, agent="none") for number, padding in enumerate((0, most)))
        first.stop_all()

    first.serve_messages(requests())
    refused = "are in flight already"
    assert refused in {one["id"]: one for one in map(json.loads, output.getvalue().splitlines())}[
        2]["error"]
    told = {one["id"]: one["error"] for one in map(json.loads, other.getvalue().splitlines())}
    assert [refused in told[number] for number in (0, 1)] == [False, True]
    in_hand = InHand()
    assert in_hand.take(10**9, "a")
    assert [in_hand.take(most // 2, "b") for _ in range(3)] == [True, True, False]
    in_hand.give_back(most // 2, "b")
    assert in_hand.take(most // 2, "b")


def test_requests_in_flight_are_few() -> None:
    most = engine_module.MAX_IN_FLIGHT
    count = {"action": "perft", "position": POSITION, "depth": 50}
    found = answers(*({"id": number, **count} for number in range(most + 3)),
                    *({"id": "stop", "action": "stop", "target": number}
                      for number in range(most + 3)))
    refused = [answer["id"] for answer in found
               if answer.get("error") == f"{most} requests are in flight already"
               and answer["field"] == ""]
    assert refused == [most, most + 1, most + 2]


def test_a_request_that_is_answered_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its thread may still be about to end when the client asks for more."""
    monkeypatch.setattr(engine_module, "MAX_IN_FLIGHT", 1)
    told: list[dict[str, Any]] = []
    out = threading.Event()

    class Reader:
        def write(self, line: bytes) -> None:
            told.append(json.loads(line))
            out.set()
            time.sleep(0.1)

        def has_reader(self) -> bool:
            return True

    def as_soon_as_answered() -> Iterator[bytes]:
        for number in range(3):
            yield json.dumps({"id": number, "action": "perft", "position": POSITION,
                              "depth": 0}).encode()
            assert out.wait(20)
            out.clear()

    Engine(Reader()).serve_messages(as_soon_as_answered())
    assert told == [{"id": number, "nodes": 1} for number in range(3)]


def test_a_line_that_is_too_long_is_not_kept() -> None:
    class Endless(io.RawIOBase):
        left = 1500

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return b"x" * size if self.left > 0 else b""

    output = io.BytesIO()
    tracemalloc.start()
    try:
        Engine(output).serve(Endless())  # type: ignore[arg-type]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert json.loads(output.getvalue())["error"] == f"line longer than {MAX_LINE_BYTES} bytes"
    assert peak < 4 * MAX_LINE_BYTES  # of 94 MiB


def test_long_names_of_seats_are_cut() -> None:
    shown = ask(action="show", format="svg", names=["x" * 10**5, "y"])["text"]
    plain = ask(action="show", format="svg", names=["x", "y"])["text"]
    assert len(shown) < len(plain) + 10 * actions.MAX_NAME


def test_ids_are_bounded() -> None:
    """Each of hundreds of answers repeats the id."""
    most = engine_module.MAX_ID_CHARACTERS
    [good, bad] = answers({"id": "x" * most, "action": "hello"},
                          {"id": "x" * (most + 1), "action": "hello"})
    assert good["id"] == "x" * most
    request = {"id": "y" * most, "action": "perft", "position": POSITION, "depth": 50}
    found = answers(request, request, {"id": 1, "action": "stop", "target": "y" * most})
    assert len(found[0]["error"]) < 200
    told = f"found {most + 1} characters, expected at most {most}"
    assert bad == {"id": None, "field": "id", "error": f"id: {told}"}
    assert ask(action="stop", target="y" * (most + 1)) == {
        "id": 1, "field": "target", "error": f"target: {told}"}
