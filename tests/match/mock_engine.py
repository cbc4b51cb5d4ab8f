"""An engine that misbehaves on request: `mock_engine.py MODE [N]` plays well up to request N - 1.

Request N (1 if not given) is met as MODE says; the modes are the functions below, called with the
request. A mode that returns goes on with the next request. `PIDS`, a file named in the
environment, gets a line for every process that is started here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any, NoReturn

Request = dict[str, Any]
OUT = 1


def say(**answer: object) -> None:
    """Answer with an object."""
    shout(json.dumps(answer).encode() + b"\n")


def shout(raw: bytes) -> None:
    """Write bytes as they are."""
    while raw:
        raw = raw[os.write(OUT, raw):]


def sleep() -> NoReturn:
    """Do nothing for much longer than any test takes, whatever becomes of the pipes."""
    while True:
        time.sleep(60)


def note(process: int) -> None:
    """Write down the number of a process."""
    if "PIDS" in os.environ:
        with open(os.environ["PIDS"], "a", encoding="ascii") as pids:
            pids.write(f"{process}\n")


def good(request: Request) -> None:
    say(id=request["id"], move=request["legal_moves"][0])


def last(request: Request) -> None:
    say(id=request["id"], move=request["legal_moves"][-1], error=None, final=True)


def silence(request: Request) -> None:
    sleep()


def partial(request: Request) -> None:
    shout(b'{"id": %d, "mo' % request["id"])
    sleep()


def another_line_end(request: Request) -> None:
    shout(json.dumps({"id": request["id"], "move": request["legal_moves"][0]}).encode() + b"\r")
    sleep()


def without_an_id(request: Request) -> None:
    say(move=request["legal_moves"][0])
    say(id=None, move=request["legal_moves"][0])
    shout(b"\n\r")
    sleep()


def strangers_and_half_a_line(request: Request) -> None:
    say(id="other")
    shout(b"{")
    sleep()


def pieces(request: Request) -> None:
    text = json.dumps({"id": request["id"], "move": request["legal_moves"][0]}) + "\r\n"
    for start in range(0, len(text), 7):
        shout(text[start : start + 7].encode())
        time.sleep(0.01)


def slow(request: Request) -> None:
    time.sleep(5)
    good(request)


def chatter(request: Request) -> None:
    shout(b"\n")
    say(id=-1, move="nonsense")
    say(id="a string", error="an old one")
    say(id=True, move="not the number 1")
    say(id=request["id"], move="nonsense", final=False)
    say(note="without an id")
    good(request)
    say(id=request["id"], move="too late")
    shout(b'{"id": 0, "half of a li')
    time.sleep(0.1)
    shout(b'ne": 1}\n')


def garbage(request: Request) -> None:
    shout(b"garbage \x1b[31m" + b"x" * 200 + b"\n")
    sleep()


def not_an_object(request: Request) -> None:
    say_list = json.dumps(request["legal_moves"][:2])
    shout(say_list.encode() + b"\n")
    sleep()


def twice(request: Request) -> None:
    shout(b'{"id": %d, "move": "a", "move": "b"}\n' % request["id"])
    sleep()


def nested(request: Request) -> None:
    shout(b"[" * 200_000 + b"\n")
    sleep()


def not_utf8(request: Request) -> None:
    shout(b'{"id": 1, "move": "\xff\xfe"}\n')
    sleep()


def illegal(request: Request) -> None:
    say(id=request["id"], move="D9:G")
    sleep()


def wrong_type(request: Request) -> None:
    say(id=request["id"], move=7)
    sleep()


def no_move(request: Request) -> None:
    say(id=request["id"])
    sleep()


def error(request: Request) -> None:
    say(id=request["id"], error="no\nidea \x07" + "!" * 500, field="position")
    sleep()


def error_without_id(request: Request) -> None:
    say(id=None, error="line too long", field="")
    sleep()


def crash(request: Request) -> None:
    sys.stderr.write("Traceback:\n  somewhere\nValueError: \x07 out of ideas\n\n")
    sys.stderr.flush()
    os._exit(3)


def crash_silently(request: Request) -> None:
    os._exit(3)


def segfault(request: Request) -> None:
    sys.stderr.write("about to fall")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGSEGV)


def answer_and_exit(request: Request) -> None:
    good(request)
    os._exit(0)


def half_a_line_and_exit(request: Request) -> None:
    shout(b'{"id": %d, "mo' % request["id"])
    os._exit(4)


def end_without_an_id(request: Request) -> None:
    say(move=request["legal_moves"][0])
    shout(b'{"id": "other"}\nx')
    sys.exit("that is all")


def half_a_line_and_close(request: Request) -> None:
    shout(b'{"id": %d, "mo' % request["id"])
    os.close(OUT)
    sleep()


SLEEP = "import time; time.sleep(600)"
DAEMON = (
    "import os, subprocess, sys\n"
    "one = subprocess.Popen([sys.executable, '-I', '-S', '-c', sys.argv[1]],"
    " start_new_session=True)\n"
    "with open(os.environ['PIDS'], 'a') as pids: print(one.pid, file=pids)\n")


def give_birth(stranger: bool = False, **options: Any) -> None:
    """Start a process that holds all pipes and sleeps."""
    words = [sys.executable, "-I", "-S", "-c", SLEEP]
    note(subprocess.Popen(words, start_new_session=stranger, **options).pid)


def child(request: Request) -> None:
    give_birth()
    good(request)


def strangers(request: Request) -> None:
    """Start two processes in sessions of their own; the parent of one has ended."""
    give_birth(stranger=True)
    subprocess.run([sys.executable, "-I", "-S", "-c", DAEMON, SLEEP], check=True)
    good(request)
    sleep()


def stranger_without_environment(request: Request) -> None:
    give_birth(stranger=True, env={})
    good(request)
    sleep()


def crash_leaving_a_child(request: Request) -> None:
    give_birth()
    os._exit(5)


def crash_leaving_a_stranger(request: Request) -> None:
    give_birth(stranger=True)
    os._exit(5)


def bytes_without_end(request: Request) -> None:
    while True:
        shout(b"x" * 65536)


def short_lines_without_end(request: Request) -> None:
    while True:
        shout(b'{"id": "other"}\n' * 1000)
        time.sleep(0.01)  # so that the clock ends it, not the number of bytes


def long_lines_without_end(request: Request) -> None:
    while True:
        shout(b'{"id": "' + b"x" * 1_000_000 + b'"}\n')


def answer_and_flood(request: Request) -> None:
    good(request)
    long_lines_without_end(request)


def much_stderr(request: Request) -> None:
    for _ in range(64):
        os.write(2, b"noise " * 10_000)
    good(request)


def much_stderr_and_crash(request: Request) -> None:
    os.write(2, b"early\n" + b"noise " * 200_000 + b"\nlate: " + "\N{SNOWMAN}".encode() * 3000)
    os._exit(1)


def close_output(request: Request) -> None:
    os.close(OUT)
    sleep()


def close_input(request: Request) -> None:
    """Answer, so that only the next request finds the input closed."""
    os.close(0)
    good(request)
    sleep()


MODES_AT_START = ("exit_at_start", "slow_start", "very_slow_start", "deaf_and_eager")


def main(mode: str, number: int = 1) -> None:
    """Read requests to the end of the input."""
    note(os.getpid())
    if mode == "exit_at_start":
        sys.exit("no licence found")
    if mode.endswith("slow_start"):
        time.sleep(5 if mode.startswith("very") else 0.6)
    if mode == "stops_reading":
        os.read(0, 10_000)
    if mode in ("never_reads", "stops_reading"):
        sleep()
    if mode == "deaf_and_eager":
        say(id=1, move="D1:G")
        sleep()
    misbehave = globals()["good" if mode in MODES_AT_START else mode]
    for count, line in enumerate(sys.stdin.buffer, 1):
        request = json.loads(line)
        if request["action"] == "hello":
            say(id=request["id"], name="mock\n", version="1.2", more=[1])
        elif count == number:
            misbehave(request)
        else:
            good(request)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
