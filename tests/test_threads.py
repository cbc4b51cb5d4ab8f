"""Many threads on one object. They prove most on a free-threaded Python, where nothing else keeps
the threads apart: `PYTHON_GIL=0` must not be needed there.
"""

from __future__ import annotations

import multiprocessing
import pkgutil
import subprocess
import sys
import sysconfig
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import (
    IllegalMoveError,
    Limits,
    PavilionError,
    Play,
    Recorder,
    RecordError,
    _core,
    make_agent,
    read_records,
    validate,
    write_record,
)
from pavilion_ai.envs.batch import Batch
from pavilion_ai.files import LockedFile
from pavilion_ai.network import shipped
from pavilion_ai.search import tunables_for

THREADS = 8
GAMES_OF = ("summer", "azul")
BUSY = "batch: another thread is using it; expected one thread at a time"
NOT_THE_SAME = ("seconds", "sims_per_second")


def together(*work: Callable[[], Any]) -> list[Any]:
    """Run functions at once, each in a thread; return their results, or raise the first error."""
    gate = threading.Barrier(len(work))

    def one(function: Callable[[], Any]) -> Any:
        gate.wait()
        return function()

    with ThreadPoolExecutor(len(work)) as pool:
        return [future.result() for future in [pool.submit(one, function) for function in work]]


def answer(agent: Any, play: Play) -> dict[str, Any]:
    """Return what an agent says of a play, without times."""
    found = agent.analyse(play, Limits(sims=150), seed=3).to_json(1)
    return {key: value for key, value in found.items() if key not in NOT_THE_SAME}


def search(play: Play, **options: Any) -> _core.Search:
    return _core.Search(play.state, seed=1, memory_bytes=1 << 22, **tunables_for(play.rules),
                        **options)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="not free-threaded")
def test_the_core_does_without_the_interpreter_lock() -> None:
    code = "import sys, pavilion_ai._core; print(sys._is_gil_enabled())"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True,
                          text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("game", GAMES_OF)
@pytest.mark.parametrize("players", [2, 3])
def test_one_play_and_one_agent(game: str, players: int) -> None:
    play = Play.new(game, players=players, seed=7)
    policy = make_agent("policy")
    for _ in range(6):
        play.push(policy.choose(play))
    agent = make_agent("default")
    expected = answer(make_agent("default"), play)
    legal = list(play.legal_moves)

    def ask() -> list[dict[str, Any]]:
        return [answer(agent, play) for _ in range(3)]

    def read() -> list[list[str]]:
        return [list(play.copy().legal_moves) for _ in range(20)]

    for found in together(*[ask, read] * (THREADS // 2)):
        for one in found:
            assert one == (legal if isinstance(one, list) else expected)


def test_one_agent_and_different_games() -> None:
    """Trees kept from one game are not those of another."""
    plays = [Play.new(game, board=board, players=players, seed=7)
             for game in GAMES_OF for board in ("coloured", "grey") for players in (2, 3)]
    expected = [answer(make_agent("default"), play) for play in plays]
    agent = make_agent("default")
    work = [lambda play=play: [answer(agent, play) for _ in range(4)] for play in plays]
    for one, found in zip(expected, together(*work), strict=True):
        assert found == [one] * 4


@pytest.mark.parametrize("game", GAMES_OF)
def test_a_state_that_changes(game: str) -> None:
    """Whoever reads it meanwhile sees it as it was before or after a move."""
    rng = _core.Rng(5)
    start = {"summer": _core.SummerState, "azul": _core.AzulState}[game].new(2, False, 0, rng)
    line, seen, state = [], [], start.copy()
    for _ in range(2000):
        seen.append((state.fields(), tuple(state.moves()), state.packed()))
        if state.over:
            break
        if state.moves():
            line.append(state.random_move(rng))
            state.apply(line[-1])
        else:
            line.append(None)
            state.draw(_core.Rng(len(line)))
    fields, moves, packed = (set(part) for part in zip(*seen, strict=True))
    shared = start.copy()
    done = threading.Event()

    def play() -> None:
        for number, move in enumerate(line):
            if move is None:
                shared.draw(_core.Rng(number + 1))
            else:
                shared.apply(move)
        done.set()

    def read() -> int:
        number = 0
        while number < 50 or not done.is_set():
            assert shared.copy().fields() in fields
            assert shared.fields() in fields
            assert tuple(shared.moves()) in moves
            assert shared.packed() in packed
            number += 1
        return number

    together(play, *[read] * (THREADS - 1))
    assert shared == state


def test_one_source_of_random_numbers() -> None:
    alone, shared = _core.Rng(3), _core.Rng(3)
    parts = together(*[lambda: [shared.next() for _ in range(2000)]] * THREADS)
    found = Counter(number for part in parts for number in part)
    assert found == Counter(alone.next() for _ in range(2000 * THREADS))


@pytest.mark.parametrize("game", GAMES_OF)
def test_one_tree(game: str) -> None:
    """One thread searches at a time; the others are told."""
    play = Play.new(game, seed=3)
    tree, alone = search(play), search(play)

    def run() -> int:
        done = 0
        for _ in range(40):
            try:
                done += tree.run(50)
                tree.rows()
            except ValueError as error:
                if str(error) != "this search is already running":
                    raise
        return done

    done = sum(together(*[run] * THREADS))
    assert done == tree.sims
    assert done % 50 == 0
    alone.run(done)
    assert tree.rows() == alone.rows()


def test_a_search_is_stopped_by_another_thread() -> None:
    tree = search(Play.new("azul", seed=3))

    def run() -> int:
        return tree.run(1 << 40)

    def stop() -> None:
        while not tree.nodes > 1000:
            pass
        tree.stop()

    assert together(run, stop)[0] < 1 << 40


def test_one_self_play() -> None:
    play = Play.new("azul", seed=3)
    cls, options = type(play.state), tunables_for(play.rules)
    one = _core.SelfPlay(cls, 2, False, full_sims=20, fast_sims=5, **options)
    games = {seed: _core.SelfPlay(cls, 2, False, full_sims=20, fast_sims=5, **options).play(seed)
             for seed in range(THREADS)}

    def run(seed: int) -> Any:
        while True:
            try:
                return one.play(seed)
            except ValueError as error:
                if str(error) != "a game is already being played":
                    raise

    found = together(*[lambda seed=seed: run(seed) for seed in games])
    assert found == list(games.values())


@pytest.mark.parametrize("threads", [1, 2])
def test_one_batch(threads: int) -> None:
    """One thread uses it at a time; the others are told, and no game is torn."""
    with Batch("azul", size=64, seed=1, threads=threads) as batch:
        def run() -> None:
            for _ in range(100):
                try:
                    batch.step(batch.random_actions())
                except IllegalMoveError:
                    pass  # others stepped in between
                except PavilionError as error:
                    if str(error) != BUSY:
                        raise

        together(*[run] * THREADS)
        assert not any(validate(batch.play(game).position) for game in range(batch.size))


def test_one_network() -> None:
    play = Play.new("summer", seed=3)
    network = shipped("summer", "coloured", 2)
    inputs = play.state.inputs()
    expected = network.evaluate(inputs, 0, 6)
    for found in together(*[lambda: [network.evaluate(inputs, 0, 6) for _ in range(50)]] * THREADS):
        assert found == [expected] * 50


@pytest.mark.parametrize(("spec", "step"), [
    ("default", "agents.limits_of"), ("default", "search.limits_of"),
    ("default:level=3", "search.limits_of"), ("greedy", "agents.seeded")])
@pytest.mark.parametrize("method", ["analyse", "choose"])
def test_a_play_that_goes_on_meanwhile(
    monkeypatch: pytest.MonkeyPatch, spec: str, step: str, method: str
) -> None:
    play, agent = Play.new("azul", seed=7), make_agent(spec)
    limits, first = Limits(sims=20), play.legal_moves[0]
    at, alone = play.code(), agent.analyse(play, limits)
    place = f"pavilion_ai.{step}"
    usual = pkgutil.resolve_name(place)

    def going_on(*given: Any) -> Any:
        if not play.plies:
            play.push(first)
        return usual(*given)

    monkeypatch.setattr(place, going_on)
    found = getattr(agent, method)(play, limits)
    assert play.moves == (first,)
    if method == "choose":
        assert found == alone.best.move
    else:
        assert (found.position, found.moves) == (at, alone.moves)


def test_one_recorder(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    begun = [Play.new(seed=seed) for seed in range(THREADS)]
    with Recorder(path, sync_seconds=60) as recorder:
        def write(play: Play) -> None:
            for number in range(10):
                recorder.write(play.record(id=f"{play.seed}-{number}"))
                recorder.sync_if_due()

        together(*[lambda play=play: write(play) for play in begun])
        assert len(recorder.read()) == 10 * THREADS
    assert len({record.id for record in read_records(path)}) == 10 * THREADS


def test_one_file_of_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"
    records = [Play.new(seed=seed).record() for seed in range(THREADS)]
    together(*[lambda record=record: write_record(path, record) for record in records])
    assert {record.seed for record in read_records(path)} == {*range(THREADS)}
    monkeypatch.setattr("pavilion_ai.record.file.WAIT_SECONDS", 0.1)
    with Recorder(path), pytest.raises(RecordError, match=": this or another program is recording"):
        write_record(path, records[0])


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_recorder_is_not_for_a_fork(tmp_path: Path) -> None:
    """Nor does a fork keep its lock, or release it."""
    forks, record = multiprocessing.get_context("fork"), Play.new(seed=1).record()
    kept, left = Recorder(tmp_path / "kept.jsonl"), Recorder(tmp_path / "left.jsonl")
    here, there = forks.Pipe()
    for recorder in (kept, left):
        recorder.write(record)
        together(recorder._alone().acquire)  # by a thread that a fork does not have

    def in_a_fork() -> None:
        for action in (kept.read, kept.sync, lambda: kept.write(record)):
            with pytest.raises(RecordError, match="the recorder is that of another process"):
                action()
        kept.close()
        there.send("closed")
        there.recv()

    child = forks.Process(target=in_a_fork, daemon=True)
    child.start()
    assert here.poll(60)
    with pytest.raises(RecordError, match="is recording a game there"):
        Recorder(kept.name)
    left._lock_of_threads = threading.RLock()  # here nobody holds it
    left.close()
    Recorder(left.name).close()
    here.send("end")
    child.join(60)
    assert child.exitcode == 0
    kept._let_go()


def test_a_handler_cannot_write_while_a_record_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, (first, second, third) = tmp_path / "games.jsonl", (
        Play.new(seed=seed).record() for seed in range(3))
    written = LockedFile.write_all

    def disturbed(file: LockedFile, content: bytes) -> None:
        with pytest.raises(RecordError, match="the recorder is writing another record"):
            recorder.write(third)
        written(file, content)

    with Recorder(path) as recorder:
        recorder.write(first)
        monkeypatch.setattr(LockedFile, "write_all", disturbed)
        recorder.write(second)
        monkeypatch.undo()
        recorder.write(third)
    assert [record.seed for record in read_records(path)] == [0, 1, 2]
