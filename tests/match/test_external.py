"""External engines as separate processes: good ones, and one for each way to misbehave.

Where an engine is meant to be late, it has a few tenths of a second; where it is meant to answer,
it has as long as a busy machine may need.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import json
import os
import pickle
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.errors import PavilionError, SpecError
from pavilion_ai.external import EngineFault, ExternalEngine, program_problem
from pavilion_ai.external import engine as external
from pavilion_ai.external.family import environment_with, new_mark
from pavilion_ai.external.log import ENGINE_LOG, EngineLog
from pavilion_ai.external.process import _GUARD
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits, Timeouts, limits_of
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.play import Play
from tests.match.support import listening, python_engine

ROOT = Path(__file__).resolve().parents[2]
MOCK = Path(__file__).with_name("mock_engine.py")
SUMMER = GAMES["summer"]
POSITION = parse_position((ROOT / "examples" / "round2_draft_2p.json").read_text()).position
assert POSITION is not None
MOVES = SUMMER.legal_moves(POSITION)
MANY_MOVES = [f"pass:{number}R" for number in range(20_000)]  # more than a pipe holds
SHORT = Limits(seconds=0.3)
GRACE = 0.1
LONGEST = 20.0  # seconds that a fault may take on a busy machine

Make = Callable[..., ExternalEngine]


@pytest.fixture
def make() -> Iterator[Make]:
    """Make mock engines, `make(mode, number of the request)`, and close them."""
    made = []

    def build(mode: str, number: int = 1, **times: float) -> ExternalEngine:
        command = [sys.executable, "-I", "-S", str(MOCK), mode, str(number)]
        engine = ExternalEngine(shlex.join(command), **{"grace": GRACE, **times})
        made.append(engine)
        return engine

    yield build
    for engine in made:
        engine.close()


def choose(engine: ExternalEngine, limits: Limits | None = None, moves: list[str] = MOVES) -> str:
    return engine.choose(POSITION, moves, limits=limits, seed=1)


def fault(engine: ExternalEngine, limits: Limits | None = None, moves: list[str] = MOVES) -> str:
    """Return the reason for which a choice fails; check that it is one line and in time."""
    begun = time.monotonic()
    with pytest.raises(EngineFault) as caught:
        choose(engine, limits, moves)
    assert time.monotonic() - begun < LONGEST
    reason = str(caught.value)
    assert reason.isprintable()
    assert len(reason) < 250
    return reason


def alive(process: int) -> bool:
    """Tell whether a process runs; one that has ended and was not waited for does not."""
    status = Path(f"/proc/{process}/stat")
    try:
        os.kill(process, 0)
        return not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def assert_gone(pids: Path, count: int) -> None:
    """Check that so many processes were started and that all of them end soon."""
    numbers = [int(line) for line in pids.read_text().split()]
    assert len(numbers) == count
    deadline = time.monotonic() + LONGEST
    while any(map(alive, numbers)):
        assert time.monotonic() < deadline, numbers
        time.sleep(0.01)


def descriptors() -> set[str]:
    return set(os.listdir("/dev/fd"))


# -- engines that answer -------------------------------------------------------------------------


def test_a_good_engine_names_moves_until_it_is_closed(make: Make, pids: Path) -> None:
    engine = make("good")
    assert [choose(engine) for _ in range(3)] == [MOVES[0]] * 3
    engine.close()
    assert_gone(pids, 1)
    engine.close()
    assert choose(engine) == MOVES[0]  # closed is not broken


def test_null_for_no_error_is_no_error(make: Make) -> None:
    assert choose(make("last")) == MOVES[-1]


@pytest.mark.parametrize("mode", ["pieces", "chatter", "much_stderr"])
def test_odd_but_right_answers(make: Make, mode: str) -> None:
    assert choose(make(mode)) == MOVES[0]


def test_leftover_lines_are_skipped_by_the_next_request(make: Make) -> None:
    engine = make("chatter")
    assert [choose(engine) for _ in range(3)] == [MOVES[0]] * 3


def test_a_request_larger_than_a_pipe(make: Make) -> None:
    engine = make("good")
    for _ in range(2):
        assert choose(engine, moves=MANY_MOVES) == MANY_MOVES[0]


def test_the_request(tmp_path: Path) -> None:
    """Asked of an engine that puts what it read, and its session, into its refusal."""
    program = tmp_path / "echo.py"
    program.write_text(
        "import json, os, sys\n"
        "r = json.loads(sys.stdin.readline())\n"
        "e = [r[k] for k in ('id', 'action', 'limits', 'seed')]\n"
        "e += [r['position']['game'], len(r['legal_moves']), sorted(r)[-3:]]\n"
        "e += [os.getsid(0) == os.getpid()]\n"
        "print(json.dumps({'id': r['id'], 'error': json.dumps(e)}), flush=True)\n")
    engine = ExternalEngine(shlex.join([sys.executable, str(program)]))
    rest = f'"summer", {len(MOVES)}, ["limits", "position", "seed"], true]'
    for number, (limits, shown) in enumerate([
        (None, "{}"), (Limits(sims=9), '{"sims": 9}'), (Limits(seconds=9.5), '{"seconds": 9.5}'),
    ], 1):
        expected = f'answered an error: [{number}, "choose", {shown}, 1, {rest}'
        assert fault(engine, limits) == expected


def test_the_past_is_told(tmp_path: Path) -> None:
    """From its start on, chance included; a new game has none, and no old one."""
    spec, heard = listening(tmp_path, "past")
    agent = make_agent(spec)
    expected: list[object] = []
    for seed in (4, 5):
        play = Play.new("azul", seed=seed)
        while play.position.round < 3:
            if play.turn is None:
                play.draw()
                continue
            move = agent.choose(play)
            past = {"start": to_json(play.start), "moves": list(play.moves)}
            expected.append(past if play.moves else None)
            play.push(move)
        assert any(move.startswith("deal:") for move in play.moves)
    agent.close()
    assert [json.loads(line) for line in heard.read_text().splitlines()] == expected


# -- engines that do not -------------------------------------------------------------------------


STRANGERS = "; skipped answers with another id, the last 'other'"
NAMELESS = "; skipped answers without an id"
HALF = """; half a line: '{"id": 1, "mo', without its end"""


@pytest.mark.parametrize(("mode", "reason"), [
    ("garbage", "answer is not JSON: 'garbage \\x1b[31mxxxxx"),
    ("not_an_object", "answer is a list of 2, expected an object"),
    ("twice", "answer is not JSON: found the key 'move' twice"),
    ("nested", "answer is not JSON: found values nested too deeply, expected fewer levels"),
    ("not_utf8", "answer is not UTF-8 text: '{\"id\": 1, \"move\": \"\ufffd"),
    ("illegal", "illegal move 'D9:G'"),
    ("wrong_type", "move: found 7, expected a string"),
    ("no_move", "move: found no such key, expected a string"),
    ("error", "answered an error: no idea ?!!!"),
    ("error_without_id", "answered an error: line too long"),
    ("crash", "exited with status 3: ValueError: ? out of ideas"),
    ("segfault", "killed by signal 11: about to fall"),
    ("half_a_line_and_exit", f"exited with status 4{HALF}"),
    ("half_a_line_and_close", f"closed its standard output{HALF}"),
    ("end_without_an_id",
     f"exited with status 1: that is all{STRANGERS}{NAMELESS}; half a line: 'x', without its end"),
    ("exit_at_start", "exited with status 1: no licence found"),
    ("bytes_without_end", "more than 4194304 bytes without an end of line"),
    ("long_lines_without_end", "more than 67108864 bytes without an answer"),
    ("close_output", "closed its standard output"),
    ("much_stderr_and_crash", "exited with status 1: \N{SNOWMAN}"),
])
def test_faults_on_sight(make: Make, mode: str, reason: str) -> None:
    assert fault(make(mode)).startswith(reason)


def test_a_crash_without_a_word(make: Make) -> None:
    assert fault(make("crash_silently")) == "exited with status 3"


CLUES = {
    "silence": "",
    "slow": "",
    "short_lines_without_end": f"{STRANGERS}(; half a line: .*)?",
    "strangers_and_half_a_line": rf"{STRANGERS}; half a line: '\{{', without its end",
    "without_an_id": NAMELESS,
    "partial": r"""; half a line: '\{"id": 2, "mo', without its end""",
    "another_line_end": r"""; half a line: '\{"id": 2, "move": "\S+"\}\\r', without its end""",
}


@pytest.mark.parametrize("mode", CLUES)
def test_faults_by_the_clock(make: Make, mode: str) -> None:
    for seconds in (SHORT.seconds, 4.0, LONGEST - 5):  # a busy machine may write late
        engine = make(mode, 2)
        assert choose(engine) == MOVES[0]
        begun = time.monotonic()
        reason = fault(engine, Limits(seconds=seconds))
        assert time.monotonic() - begun >= seconds + GRACE
        expected = f"no answer within {seconds + GRACE:g} s{CLUES[mode]}"
        if re.fullmatch(expected, reason):
            break
    assert re.fullmatch(expected, reason)


def test_next_to_no_time_is_not_called_none(make: Make) -> None:
    engine = make("slow", 2, start=LONGEST)
    assert choose(engine, SHORT) == MOVES[0]
    assert fault(engine, Limits(clock=(0.0002, None))) == "no answer within 0.001 s"


def test_limits_without_a_time_leave_the_time_of_a_move(make: Make) -> None:
    engine = make("silence", 1, start=0.1, move=0.2)
    assert fault(engine, Limits(sims=5)) == "not started within 0.3 s"


@pytest.mark.parametrize(("limits", "seat", "allowed"), [
    (None, 0, 60), (Limits(sims=5), 0, 60), (Limits(seconds=1), 0, 3),
    (Limits(clock=(5, None)), 0, 5.5), (Limits(clock=(5, None)), 1, 60),
    (Limits(seconds=1, clock=(5, 5)), 0, 3), (Limits(seconds=9, clock=(5, 5)), 1, 5.5),
])
def test_the_first_limit_of_time_counts(limits: Limits | None, seat: int, allowed: float) -> None:
    engine = ExternalEngine("true", move=60, grace=2, clock_grace=0.5)
    assert engine._allowed(limits_of(limits), seat) == allowed


def test_a_slow_start_within_the_allowance(make: Make) -> None:
    assert choose(make("slow_start", start=LONGEST), SHORT) == MOVES[0]


def test_a_slow_start_beyond_it(make: Make) -> None:
    assert fault(make("very_slow_start", start=0.05), SHORT) == "not started within 0.45 s"


def test_the_allowance_is_for_the_first_answer_only(make: Make) -> None:
    engine = make("slow", 2, start=LONGEST)
    assert choose(engine, SHORT) == MOVES[0]
    assert fault(engine, SHORT) == "no answer within 0.4 s"


def test_a_first_answer_that_is_begun_is_not_called_a_slow_start() -> None:
    for seconds in (0.6, 4, LONGEST - 5):  # a busy machine may start even a shell late
        engine = ExternalEngine("sh -c 'printf x; read -r request; sleep 600'", start=seconds,
                                move=0.0)
        if (reason := fault(engine)) != f"not started within {seconds:g} s":
            break
    assert reason == f"no answer within {seconds:g} s; half a line: 'x', without its end"


@pytest.mark.parametrize("mode", ["never_reads", "stops_reading"])
def test_an_engine_that_does_not_read(make: Make, mode: str) -> None:
    reason = fault(make(mode, start=0.1), SHORT, MANY_MOVES)
    assert reason == "not started within 0.5 s"


def test_an_answer_to_a_request_that_was_not_read(make: Make) -> None:
    reason = fault(make("deaf_and_eager"), moves=["D1:G", *MANY_MOVES])
    assert reason == "answered before it had read the request"


def test_a_closed_input(make: Make) -> None:
    engine = make("close_input")
    assert choose(engine) == MOVES[0]
    assert fault(engine) == "closed its standard input"


def test_an_answer_and_then_the_end(make: Make, pids: Path) -> None:
    engine = make("answer_and_exit")
    assert choose(engine) == MOVES[0]
    assert_gone(pids, 1)
    assert fault(engine) == "exited with status 0"


def test_a_flood_between_moves_fills_no_memory(make: Make) -> None:
    engine = make("answer_and_flood")
    assert choose(engine) == MOVES[0]
    time.sleep(0.1)
    tracemalloc.start()
    try:
        assert fault(engine) == "more than 67108864 bytes without an answer"
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


# -- programs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["", "  ", "''", "engine 'quoted", "engine \\", "a\0b"])
def test_commands_that_are_none(command: str) -> None:
    with pytest.raises(SpecError) as caught:
        ExternalEngine(command)
    assert program_problem(command) == str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("command", [None, 0, ["engine"], Path("engine"), b"engine"])
def test_commands_are_text(command: Any) -> None:
    with pytest.raises(SpecError, match=r"command .*: expected text"):
        ExternalEngine(command)


@pytest.mark.parametrize(("name", "value"), [
    ("start", -1.0), ("move", float("inf")), ("grace", float("nan")),
])
def test_times_that_are_none(name: str, value: float) -> None:
    with pytest.raises(SpecError, match=f"{name} .*: expected a number from 0"):
        ExternalEngine("engine", **{name: value})


def test_programs_that_cannot_be_started(tmp_path: Path) -> None:
    plain = tmp_path / "my engine"
    plain.write_text("no program")
    command = shlex.quote(str(plain))
    assert fault(ExternalEngine(command)).endswith("': Permission denied")
    assert "is not executable, expected" in str(program_problem(command))
    plain.chmod(0o755)
    assert program_problem(command) is None  # as far as one can see
    assert fault(ExternalEngine(command)).endswith("': Exec format error")
    missing = "no-such-engine --fast"
    reason = "cannot start 'no-such-engine': No such file or directory"
    assert fault(ExternalEngine(missing)) == reason
    assert program_problem(missing) == (
        "program 'no-such-engine': not found, expected one on the search path or a file")
    assert program_problem(shlex.quote(sys.executable)) is None


def test_a_fault_is_an_error_of_the_package() -> None:
    assert issubclass(EngineFault, PavilionError)


# -- names ---------------------------------------------------------------------------------------


def test_what_an_engine_reads_and_prints_is_logged(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "new" / "logs"
    monkeypatch.setenv(ENGINE_LOG, str(folder))
    engine = make("crash", 2)
    choose(engine)
    fault(engine)
    log, = folder.iterdir()
    assert re.fullmatch(r"[^_]+_-I-\d+\.log", log.name)  # program and first argument
    lines = [line.split(" ", 1) for line in log.read_text().splitlines()]
    times = [float(seconds) for seconds, _ in lines]
    assert times == sorted(times)
    assert [text[0] for _, text in lines] == [*"#><>!!!!"]
    assert json.loads(lines[1][1][2:])["action"] == "choose"
    assert json.loads(lines[2][1][2:]) == {"id": 1, "move": MOVES[0]}
    assert lines[6][1] == "! ValueError: \x07 out of ideas"
    assert [line[1] for line in lines[7:]] == ["! "]
    fault(make("half_a_line_and_exit"))
    half, = {*folder.iterdir()} - {log}
    assert half.read_text().endswith(' < {"id": 1, "mo\n')


def test_a_log_that_cannot_be_written_is_named(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(ENGINE_LOG, str(tmp_path / "file"))
    with pytest.raises(OSError, match="File exists") as caught:
        choose(make("good"))
    assert caught.value.filename == str(tmp_path / "file")
    assert ENGINE_LOG in str(caught.value)
    EngineLog(str(tmp_path), ["x", "\u6f22" * 99], 1).close()
    assert (tmp_path / ("x_" + "\u6f22" * 26 + "-1.log")).exists()
    log = EngineLog(str(tmp_path), ["x"], 1)
    log._file = open("/dev/full", "wb", buffering=0)  # noqa: SIM115 (closed below)
    with pytest.raises(OSError, match="No space left") as caught:
        log.add("<", b"line\n")
    assert caught.value.filename == str(tmp_path / "x-1.log")
    log.close()


def test_identity_is_asked_once_and_of_a_process_of_its_own(make: Make, pids: Path) -> None:
    engine = make("good")
    for _ in range(2):
        assert engine.identity() == {"name": "mock", "version": "1.2"}
    assert_gone(pids, 1)
    assert choose(engine) == MOVES[0]


def test_engines_without_a_name(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make("exit_at_start").identity() == {}
    assert ExternalEngine("no-such-engine").identity() == {}
    assert ExternalEngine("cat").identity() == {}  # its answer is the request
    monkeypatch.setattr(external, "IDENTITY_SECONDS", 0.3)
    assert make("never_reads").identity() == {}


# -- processes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["crash", "illegal", "silence", "long_lines_without_end"])
def test_play_goes_on_after_a_fault(make: Make, pids: Path, mode: str) -> None:
    engine = make(mode, 2, start=LONGEST)
    assert choose(engine) == MOVES[0]
    fault(engine, SHORT)
    assert_gone(pids, 1)
    assert choose(engine) == MOVES[0]
    assert len(pids.read_text().split()) == 2


def test_children_of_the_engine_end_with_a_fault(make: Make, pids: Path) -> None:
    assert fault(make("crash_leaving_a_child")) == "exited with status 5"
    assert_gone(pids, 2)


def test_a_child_in_a_session_of_its_own_does_not_hide_a_crash(make: Make, pids: Path) -> None:
    assert fault(make("crash_leaving_a_stranger")) == "exited with status 5"
    assert_gone(pids, 2)


in_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks into /proc")


@in_proc
@pytest.mark.parametrize("ends", ["close", "fault"])
@pytest.mark.parametrize(("mode", "count"), [
    ("strangers", 3), ("stranger_without_environment", 2)])
def test_children_in_sessions_of_their_own_end_with_the_engine(
    make: Make, pids: Path, mode: str, count: int, ends: str
) -> None:
    """Another engine keeps its own."""
    other = make(mode)
    choose(other)
    others = [int(line) for line in pids.read_text().split()]
    pids.unlink()
    engine = make(mode)
    choose(engine)
    if ends == "close":
        engine.close()
    else:
        fault(engine, SHORT)
    assert_gone(pids, count)
    assert all(map(alive, others))


@in_proc
def test_engines_of_an_engine_end_with_it(make: Make, pids: Path) -> None:
    """An engine that itself runs an engine, in a process that has been left alone."""
    script = (
        "import shlex, sys\n"
        "from tests.match import test_external as t\n"
        "engine = t.ExternalEngine(shlex.join([sys.executable, str(t.MOCK), 'strangers']))\n"
        "t.choose(engine)\n"
        "t.os.kill(engine._process._guard.pid, 9)\n"
        "t.os._exit(0)\n")
    engine = ExternalEngine(shlex.join([sys.executable, "-c", script]))
    with pytest.raises(EngineFault):
        choose(engine, Limits(seconds=LONGEST))
    assert_gone(pids, 3)


def test_children_of_the_engine_end_with_it(make: Make, pids: Path) -> None:
    engine = make("child")
    choose(engine)
    engine.close()
    assert_gone(pids, 2)


def test_an_engine_that_ignores_the_end_of_its_input_is_killed(make: Make, pids: Path) -> None:
    engine = make("close_input")
    choose(engine)
    engine.close()
    assert_gone(pids, 1)


def test_the_engine_ends_when_its_owner_is_killed(pids: Path) -> None:
    """The owner has an engine with a child, one that hears nothing of the end of its input, and one
    with children in sessions of their own."""
    script = (
        "import shlex, sys\n"
        "from tests.match import test_external as t\n"
        "words = [sys.executable, str(t.MOCK), 'child']\n"
        "engine = t.ExternalEngine(shlex.join(words))\n"
        "t.choose(engine)\n"
        "words[-1:] = ['close_input']\n"
        "deaf = t.ExternalEngine(shlex.join(words))\n"
        "t.choose(deaf)\n"
        "words[-1:] = ['strangers']\n"
        "more = t.ExternalEngine(shlex.join(words))\n"
        "t.choose(more)\n"
        "print('playing', flush=True)\n"
        "t.time.sleep(600)\n")
    words = [sys.executable, "-c", script]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"playing\n"
        numbers = [int(line) for line in pids.read_text().split()]
        assert all(map(alive, numbers))
        owner.kill()
    assert_gone(pids, 6)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="the system has no /proc")
@pytest.mark.parametrize("tools", ["system", "lines only", "busybox"])
def test_the_guard_finds_strangers_whatever_grep_can_do(tools: str, tmp_path: Path) -> None:
    path, shell, mark = os.environ["PATH"], "/bin/sh", new_mark()
    if tools == "lines only":  # a grep that finds nothing in a file with NULs, and has no -z
        grep = tmp_path / "grep"
        grep.write_text('#!/bin/sh\ncase "$*" in *environ* | *z*) exit 2 ;; esac\n'
                        f'exec {shutil.which("grep")} "$@"\n')
        grep.chmod(0o755)
        path = f"{tmp_path}:{path}"
    elif tools == "busybox":
        if (busybox := shutil.which("busybox")) is None:
            pytest.skip("no busybox")
        for name in ("sh", "grep", "head", "tr"):
            (tmp_path / name).symlink_to(busybox)
        path, shell = str(tmp_path), str(tmp_path / "sh")
    words = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]
    with contextlib.ExitStack() as stack:
        engine, stranger = (stack.enter_context(subprocess.Popen(
            words, env=environment_with(mark), start_new_session=True)) for _ in range(2))
        other = stack.enter_context(subprocess.Popen(words))
        try:
            subprocess.run([shell, "-c", _GUARD, "guard", str(engine.pid), mark], input=b"",
                           env=os.environ | {"PATH": path}, stderr=subprocess.DEVNULL, check=False)
            assert engine.wait(LONGEST) == stranger.wait(LONGEST) == -signal.SIGKILL
            assert other.poll() is None
        finally:
            for process in (engine, stranger, other):
                process.kill()


@pytest.mark.parametrize("copied", [
    copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))], ids=["copied", "pickled"])
def test_a_copy_of_an_agent_has_its_timeouts(copied: Callable[[Agent], Agent]) -> None:
    agent = make_agent(python_engine(MOCK, "silence"), timeouts=Timeouts(start=0.1, move=0.1))
    with pytest.raises(EngineFault, match=r"within 0\.2 s"):
        copied(copied(agent)).choose(Play.new("summer", seed=1))


def agent_of(mode: str) -> Agent:
    return make_agent(python_engine(MOCK, mode, 2))


def test_an_engine_that_is_stopped_is_killed_and_started_anew(pids: Path) -> None:
    play, stop, agent = Play.new("summer", seed=1), threading.Event(), agent_of("silence")
    stop.set()
    for number, ask in enumerate((agent.decide, agent.analyse)):
        assert agent.choose(play) == play.legal_moves[0]
        begun = time.monotonic()
        with pytest.raises(PavilionError, match="stopped before the engine answered"):
            ask(play, stop=stop)
        assert time.monotonic() - begun < LONGEST
        assert_gone(pids, number + 1)


@contextlib.contextmanager
def asked_by_another_thread(agent: Agent) -> Iterator[None]:
    """Hold the engine of an agent, as a request of another thread does."""
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with agent._lock:  # type: ignore[attr-defined]
            held.set()
            release.wait(LONGEST)

    holder = threading.Thread(target=hold, daemon=True)
    holder.start()
    held.wait()
    try:
        yield
    finally:
        release.set()
        holder.join()


def test_who_waits_for_an_engine_can_be_stopped() -> None:
    play, agent = Play.new("summer", seed=1), agent_of("good")
    stop = threading.Event()
    stop.set()
    with (asked_by_another_thread(agent),
          pytest.raises(PavilionError, match="stopped before the engine was asked")):
        agent.decide(play, stop=stop)
    assert agent.decide(play).move == play.legal_moves[0]
    agent.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_fork_does_not_wait_for_the_request_of_another_thread() -> None:
    play, agent = Play.new("summer", seed=1), agent_of("good")
    with asked_by_another_thread(agent):
        child = os.fork()
        if child == 0:
            signal.alarm(int(LONGEST))
            right = agent.choose(play) == play.legal_moves[0]
            agent.close()
            os._exit(0 if right else 1)
        assert os.waitpid(child, 0)[1] == 0
    agent.close()


def test_threads_that_share_an_agent_are_answered_one_after_another(pids: Path) -> None:
    agent = agent_of("pieces")
    plays = [Play.new("summer", seed=seed) for seed in range(8)]
    with ThreadPoolExecutor(4) as pool:
        moves = list(pool.map(agent.choose, plays))
    assert moves == [play.legal_moves[0] for play in plays]
    agent.close()
    assert_gone(pids, 1)


@pytest.mark.parametrize("spec", ["greedy", "cmd:engine"])
def test_timeouts_that_are_none(spec: str) -> None:
    with pytest.raises(SpecError, match="timeouts 5: expected Timeouts, or None"):
        make_agent(spec, timeouts=5)  # type: ignore[arg-type]


def test_an_engine_that_nobody_refers_to_ends(pids: Path) -> None:
    before = descriptors()
    for agent in ("child", "close_input"):
        choose(ExternalEngine(shlex.join([sys.executable, str(MOCK), agent])))
    gc.collect()
    assert_gone(pids, 3)
    assert descriptors() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process forks here")
@pytest.mark.parametrize("use", [
    "t.choose(engine); engine.close()", "engine.close()", "end_all()", "copy.copy(engine).close()"])
def test_a_fork_has_an_engine_of_its_own(use: str, make: Make, pids: Path) -> None:
    script = (
        "import copy, os, shlex, sys\n"
        "from pavilion_ai.external import end_all\n"
        "from tests.match import test_external as t\n"
        "engine = t.ExternalEngine(shlex.join([sys.executable, str(t.MOCK), 'good']))\n"
        "t.choose(engine)\n"
        "fork = os.fork()\n"
        "if not fork:\n"
        f"    {use}\n"
        "    os._exit(0)\n"
        "print(os.waitpid(fork, 0)[1], t.choose(engine))\n")
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True,
                          check=True)
    assert (done.stdout, done.stderr) == (f"0 {MOVES[0]}\n", "")
    assert_gone(pids, 2 if "choose" in use else 1)


def test_a_copy_of_an_engine_has_a_process_of_its_own(make: Make, pids: Path) -> None:
    engine = make("good")
    assert choose(engine) == MOVES[0]
    other = copy.copy(engine)
    assert choose(other) == MOVES[0]
    other.close()
    assert choose(engine) == MOVES[0]
    engine.close()
    assert_gone(pids, 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process forks here")
def test_a_fork_leaves_the_engine_alone(make: Make, pids: Path) -> None:
    script = (
        "import gc, os, shlex, sys\n"
        "from tests.match import test_external as t\n"
        "engine = t.ExternalEngine(shlex.join([sys.executable, str(t.MOCK), 'good']))\n"
        "t.choose(engine)\n"
        "fork = os.fork()\n"
        "if not fork:\n"
        "    del engine\n"
        "    gc.collect()\n"
        "    sys.exit()\n"
        "os.waitpid(fork, 0)\n"
        "print(t.choose(engine))\n")
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True,
                          check=True)
    assert (done.stdout, done.stderr) == (f"{MOVES[0]}\n", "")
    assert_gone(pids, 1)


def test_a_seed_that_is_none_is_refused(make: Make) -> None:
    engine = make("good")
    for seed in ("7", 7.0, np.float64(7)):
        with pytest.raises(SpecError, match="expected a whole number"):
            engine.choose(POSITION, MOVES, limits=None, seed=seed)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="limits 5: expected Limits"):
        engine.choose(POSITION, MOVES, limits=5, seed=7)  # type: ignore[arg-type]
    assert choose(engine) == MOVES[0]


def test_the_engine_outlives_the_thread_that_started_it(make: Make, pids: Path) -> None:
    engine = make("good")
    starter = threading.Thread(target=choose, args=[engine])
    starter.start()
    starter.join()
    assert choose(engine) == MOVES[0]
    assert len(pids.read_text().split()) == 1


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="lists children as Linux does")
def test_nothing_is_left_after_many_faults() -> None:
    own = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    engines = [ExternalEngine(command) for command in ("false", "cat", "echo x", "no-such-engine")]
    before, children = descriptors(), own.read_text()
    for number in range(200):
        fault(engines[number % len(engines)])
    assert descriptors() == before
    assert own.read_text() == children


def test_an_interrupt_leaves_nothing_behind(make: Make, pids: Path) -> None:
    before = descriptors()
    engine = make("silence", 2)
    choose(engine)
    alarm = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    alarm.start()
    with pytest.raises(KeyboardInterrupt):
        choose(engine)
    alarm.join()
    engine.close()
    assert_gone(pids, 1)
    assert descriptors() == before


# -- whole games ---------------------------------------------------------------------------------


def play(engine: ExternalEngine, seat: int, seed: int, limits: Limits | None) -> list[int]:
    """Let an engine play a game against random moves; return the scores."""
    rng = random.Random(seed)
    play = Play.new("summer", seed=seed)
    while not play.is_over():
        moves = list(play.list_moves("maximal"))
        if play.turn == seat:
            move = engine.choose(play.position, moves, limits=limits, seed=seed)
        else:
            move = rng.choice(moves)
        play.push_all([move])
    return list(play.scores())


def test_the_example_plays_better_than_random() -> None:
    engine = ExternalEngine(shlex.join([sys.executable, str(ROOT / "examples" / "engine.py")]))
    assert engine.identity() == {"name": "example", "version": "1"}
    leads = []
    for seed in range(4):
        scores = play(engine, seed % 2, seed, None)
        leads.append(scores[seed % 2] - scores[1 - seed % 2])
    engine.close()
    assert sum(leads) > 0, leads


def test_this_package_as_an_external_engine() -> None:
    engine = ExternalEngine(shlex.join([sys.executable, "-m", "pavilion_ai", "engine"]))
    assert engine.identity()["name"] == "pavilion-ai"
    first, second = (play(engine, 0, 5, Limits(sims=16)) for _ in range(2))
    engine.close()
    assert first == second
    assert first[0] > first[1]
