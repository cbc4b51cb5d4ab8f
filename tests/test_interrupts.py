"""Signals: held back, raised, repeated."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from pavilion_ai import Limits, Play, interrupts, make_agent, roll_out
from pavilion_ai.interrupts import end_at_once, forget, held, installed
from pavilion_ai.search import _Run

ROOT = Path(__file__).resolve().parents[1]
NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def send(number: int) -> None:
    """Send a signal to this process; its handler has run when this returns."""
    signal.raise_signal(number)
    time.sleep(0)


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Note when the process would have ended."""
    found: list[float] = []
    monkeypatch.setattr("os._exit", lambda code: found.append(code))
    return found


@pytest.fixture(autouse=True)
def _handlers_come_back() -> Iterator[None]:
    before = [signal.getsignal(number) for number in NUMBERS]
    yield
    assert [signal.getsignal(number) for number in NUMBERS] == before


@pytest.fixture
def told() -> Iterator[list[int]]:
    """What a handler of the program's own is told."""
    found: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: found.append(number))
    yield found
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("spec", ["default", "default:level=3"])
def test_a_handler_of_ones_own_is_called_after_a_decision(
    spec: str, told: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    play, agent = Play.new(seed=1), make_agent(spec)
    searched = _Run.slice

    def disturbed(run: _Run, seconds: float) -> None:
        searched(run, seconds)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(_Run, "slice", disturbed)
    assert agent.choose(play, Limits(seconds=60)) in play.legal_moves
    assert told == [signal.SIGINT]
    assert agent.analyse(play, Limits(seconds=60)).interrupted
    assert told == [signal.SIGINT] * 2
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        agent.choose(play, Limits(seconds=60))
    assert agent.analyse(play, Limits(seconds=60)).interrupted
    signal.signal(signal.SIGINT, usual)


@pytest.mark.parametrize("spec", ["default", "default:level=3"])
def test_a_handler_may_leave_the_next_signal_to_python(
    spec: str, told: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def once(number: int, _: object) -> None:
        told.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    play, searched = Play.new(seed=1), _Run.slice

    def disturbed(run: _Run, seconds: float) -> None:
        searched(run, seconds)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(_Run, "slice", disturbed)
    signal.signal(signal.SIGINT, once)
    assert make_agent(spec).choose(play, Limits(seconds=60)) in play.legal_moves
    assert told == [signal.SIGINT]


def test_a_handler_of_ones_own_is_called_after_an_exact_ending(
    told: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pavilion_ai.exact.solved",
                        lambda *_: signal.raise_signal(signal.SIGINT))
    assert make_agent("default").analyse(Play.new(seed=1), Limits(sims=5)).interrupted
    assert told == [signal.SIGINT]


def test_a_handler_of_ones_own_is_called_after_a_rollout(told: list[int]) -> None:
    play = Play.new(seed=1)
    found = roll_out(play, play.legal_moves[:2], trials=50,
                     on_progress=lambda trials: signal.raise_signal(signal.SIGINT))
    assert found.interrupted
    assert told == [signal.SIGINT]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_command_is_interrupted_once(
    number: int, ended: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(interrupts, "time", SimpleNamespace(
        monotonic=lambda: now, process_time=time.process_time))
    with installed():
        with pytest.raises(KeyboardInterrupt):
            send(number)
        now = interrupts.SAME_SECONDS * 0.9
        send(number)  # soon: the same
        assert ended == []
        now = interrupts.SAME_SECONDS * 1.1
        send(number)
        assert ended == [130]


def test_after_an_interrupt_that_was_dealt_with_the_next_is_a_first_one(
    ended: list[float]
) -> None:
    with installed():
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                send(signal.SIGINT)
            forget()
            time.sleep(interrupts.SAME_SECONDS * 1.5)
    assert ended == []


@pytest.mark.parametrize("number", NUMBERS)
def test_held_signals_set_a_flag(number: int, ended: list[float]) -> None:
    with installed(), held() as outer:
        with held() as inner:
            assert not inner.is_set()
            send(number)
            assert inner.is_set()
        assert outer.is_set()
        with held() as later:
            assert not later.is_set()
        time.sleep(interrupts.SAME_SECONDS * 1.5)
        send(number)
    assert ended == [130]


def test_what_was_held_is_raised_again_afterwards() -> None:
    with installed():
        with held():
            pass
        with pytest.raises(KeyboardInterrupt):
            send(signal.SIGINT)


def test_without_a_command_only_what_python_would_raise_is_held() -> None:
    terminated = signal.getsignal(signal.SIGTERM)
    with held() as interrupt:
        send(signal.SIGINT)
        assert interrupt.is_set()
        assert signal.getsignal(signal.SIGTERM) is terminated
    got: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: got.append(number))
    try:
        with held() as interrupt:
            send(signal.SIGTERM)
            assert (got, interrupt.is_set()) == ([signal.SIGTERM], False)
    finally:
        signal.signal(signal.SIGTERM, before)
    with pytest.raises(KeyboardInterrupt):
        send(signal.SIGINT)


def test_other_threads_hold_nothing() -> None:
    found: list[bool] = []

    def work() -> None:
        with installed(), held() as interrupt:
            found.append(interrupt.is_set())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]


def test_ignored_signals_stay_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with installed(), held() as interrupt:
            send(signal.SIGHUP)
            assert not interrupt.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_in_the_background_a_second_signal_ends_a_command_too(ended: list[float]) -> None:
    """A shell starts what it does not wait for with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with installed(), held() as interrupt:
            send(signal.SIGTERM)
            assert interrupt.is_set()
            time.sleep(interrupts.SAME_SECONDS * 1.5)
            send(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended == [130]


class Finalized:
    """Its finalizer is interrupted, and then goes on with some work."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work

    def __del__(self) -> None:
        send(signal.SIGINT)
        self.work()


def drop_one(work: Callable[[], None] = lambda: None, rest: float = 0.0) -> None:
    """Run the finalizer of such an object, then sleep for so many seconds."""
    one = Finalized(work)
    del one
    time.sleep(rest)


def test_no_interrupt_is_lost_in_a_finalizer() -> None:
    """Python only prints what a finalizer raises."""
    with installed(), pytest.raises(KeyboardInterrupt):
        drop_one(rest=5)


def test_no_interrupt_is_wrapped_while_a_class_is_made() -> None:
    """Before Python 3.12 the error of a `__set_name__` becomes the cause of a RuntimeError."""

    class Field:
        def __set_name__(self, owner: type, name: str) -> None:
            send(signal.SIGINT)

    def make_one() -> None:
        type("Made", (), {"field": Field()})
        time.sleep(5)

    with installed(), pytest.raises(KeyboardInterrupt):
        make_one()


def test_a_busy_machine_lets_an_import_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts are repeated for seconds of the processor, not of the clock."""
    monkeypatch.setattr(interrupts, "RETRY_AT_MOST", 0.2)
    with installed(), pytest.raises(KeyboardInterrupt):
        drop_one(lambda: time.sleep(0.5), rest=5)


def test_no_timer_outlives_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "RETRY_SECONDS", 60)
    with pytest.raises(KeyboardInterrupt), installed():
        drop_one()
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.parametrize(("bound", "clock"), [
    ("RETRY_AT_MOST", time.process_time), ("RETRY_AT_LONGEST", time.monotonic)])
def test_attempts_have_an_end(
    monkeypatch: pytest.MonkeyPatch, bound: str, clock: Callable[[], float]
) -> None:
    """Who waits for an import that never ends is not kept waiting."""
    lost: list[object] = []

    def endless() -> None:
        end = clock() + 10
        while clock() < end:
            pass
        lost.append("ended by itself")

    monkeypatch.setattr(interrupts, bound, 0.05)
    monkeypatch.setattr(sys, "unraisablehook", lambda told: lost.append(told.exc_type))
    with contextlib.suppress(KeyboardInterrupt), installed():
        drop_one(endless)
    assert lost == [KeyboardInterrupt]


def test_before_a_command_runs_next_to_nothing_is_imported() -> None:
    """Until then Ctrl-C is Python's affair, which prints a traceback."""
    code = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); before = set(sys.modules)\n"
            "import pavilion_ai.__main__\n"
            "print(*sorted(set(sys.modules) - before))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    mine = {"pavilion_ai", "pavilion_ai.__main__"}
    assert mine <= set(done.stdout.split())
    light = "import sys; before = set(sys.modules); import __future__, os\n" \
            "print(*sorted(set(sys.modules) - before))"
    least = subprocess.run([sys.executable, "-c", light], capture_output=True, text=True,
                           check=True)
    assert set(done.stdout.split()) - set(least.stdout.split()) == mine


@pytest.mark.parametrize("number", NUMBERS)
def test_a_command_that_starts_is_quiet(number: int) -> None:
    code = (f"import os, sys, time; sys.path.insert(0, {str(ROOT)!r})\n"
            "from pavilion_ai import __main__\n"
            "class Signalled:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        if name == 'pavilion_ai.cli':\n"
            f"            os.kill(os.getpid(), {int(number)}); time.sleep(9)\n"
            "sys.meta_path.insert(0, Signalled())\n"
            "__main__.main()\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_no_interrupt_is_lost_in_an_import(tmp_path: Path) -> None:
    """C code that sets up a module may drop any exception; what the import starts runs first."""
    (tmp_path / "signalled.py").write_text(
        "import signal\n"
        "try: signal.raise_signal(signal.SIGINT)\n"
        "except KeyboardInterrupt: pass\n")
    code = ("import sys, time\n"
            "from pavilion_ai.interrupts import installed\n"
            f"sys.path.insert(0, {str(tmp_path)!r})\n"
            "try:\n"
            "    with installed():\n"
            "        import signalled\n"
            "        time.sleep(9)\n"
            "except KeyboardInterrupt: print('interrupted')\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=ROOT,
                          timeout=8)
    assert (done.stdout, done.stderr) == (b"interrupted\n", b"")


@pytest.mark.parametrize("number", NUMBERS)
def test_a_command_that_ends_while_its_interrupt_waits_has_been_interrupted(
    tmp_path: Path, number: int
) -> None:
    """The timer of the next attempt must not end the process in its place."""
    (tmp_path / "signalled.py").write_text(
        f"import signal\nsignal.raise_signal({int(number)})\n")
    code = ("import atexit, sys, time\n"
            "from pavilion_ai.interrupts import installed\n"
            f"sys.path.insert(0, {str(tmp_path)!r})\n"
            "atexit.register(time.sleep, 0.1)\n"
            "try:\n"
            "    with installed():\n"
            "        import signalled\n"
            "except KeyboardInterrupt: print('interrupted')\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"interrupted\n", b"")


@pytest.mark.parametrize("number", NUMBERS)
def test_a_signal_at_the_very_end_does_not_change_the_exit_code(number: int) -> None:
    code = ("import builtins, os, sys\n"
            f"sys.path.insert(0, {str(ROOT)!r})\n"
            "class End:\n"
            f"    def __del__(self, kill=os.kill, own=os.getpid()): kill(own, {int(number)})\n"
            "builtins.end = End()\n"
            "sys.argv = ['pavilion', 'new']\n"
            "from pavilion_ai import __main__\n"
            "__main__.main()\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"summer.1.")


def test_an_interrupt_inside_of_exec_does_not_change_the_exit_code(tmp_path: Path) -> None:
    """Dataclasses and namedtuples are made by `exec` and `eval` of text."""
    (tmp_path / "interrupted.py").write_text(
        "import signal\n"
        "from pavilion_ai import __main__, cli\n"
        "def run():\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    eval('signal.raise_signal(signal.SIGINT)')\n"
        "cli.main = run\n"
        "__main__.main()\n")
    done = subprocess.run([sys.executable, "-m", "interrupted"], capture_output=True, check=False,
                          cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert (done.returncode, done.stderr) == (130, b"")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_other_children_are_left_alone(
    ended: list[float], capfd: pytest.CaptureFixture[str]
) -> None:
    """Engines end by themselves, when their input does."""
    codes = ("input()", "input()  # multiprocessing.spawn")
    children = [subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
                for code in codes]
    end_at_once()
    for child in children:
        child.communicate(b"\n")
    assert [child.returncode for child in children] == [0, -signal.SIGKILL]
    assert ended == [130]
    assert capfd.readouterr() == ("", "")  # no terminal, no cursor to show


@pytest.mark.parametrize("seconds", [0, 0.02, 0.1])
def test_a_worker_that_is_being_started_says_nothing(seconds: float) -> None:
    """It would read from a pipe that its owner has left, and print a traceback."""
    code = ("import sys, threading, time\n"
            f"sys.path.insert(0, {str(ROOT)!r})\n"
            "from multiprocessing import popen_spawn_posix\n"
            "from pavilion_ai.interrupts import end_at_once\n"
            "from pavilion_ai.workers.local import LocalWorkers\n"
            "def tell(*_, **more):\n"  # the worker runs, and waits for what it has to do
            f"    time.sleep({seconds})\n"
            "    end_at_once()\n"
            "popen_spawn_posix.open = tell\n"
            "if __name__ == '__main__': LocalWorkers(1).executor.submit(print, 1)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 130
    assert b"Traceback" not in done.stderr, done.stderr
