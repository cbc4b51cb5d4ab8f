"""Events that are really played, by quick agents, and what is compared of their games."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from pavilion_ai.limits import Limits, Timeouts
from pavilion_ai.match.event import Event, Settings, entrants_of
from pavilion_ai.match.runner import Runner
from pavilion_ai.record import GameRecord
from pavilion_ai.stats import Sprt
from pavilion_ai.workers import FixedWorkers, Workers

MOCK = Path(__file__).with_name("mock_engine.py")
LONG = 60.0
"""Seconds that anything may take on a busy machine."""


def event(
    *specs: str,
    kind: str = "match",
    rounds: int | None = 2,
    players: int | None = None,
    game: str = "summer",
    board: str = "coloured",
    seed: int = 7,
    limits: Limits | None = None,
    timeouts: Timeouts | None = None,
    tied: bool = True,
    sprt: Sprt | None = None,
) -> Event:
    """Return an event of a game; a match unless told otherwise."""
    seats = players or (len(specs) if kind == "match" else 2)
    settings = Settings(game, board, seats, seed, limits, timeouts or Timeouts(), tied)
    return Event(kind, entrants_of(specs), settings, rounds, sprt)


def python_engine(*words: object) -> str:
    """Return the spec of an engine that is Python with these words, wherever either may lie."""
    return f"cmd:{shlex.join([sys.executable, *map(str, words)])}"


def mock(mode: str, request: int = 1) -> str:
    """Return the spec of an external engine that misbehaves at some request."""
    return python_engine("-I", "-S", MOCK, mode, request)


def listening(folder: Path, field: str) -> tuple[str, Path]:
    """Make an engine that plays the first legal move and notes a field of what it is asked.

    Returns:
        Its spec, and the file with a line of JSON for every decision.
    """
    heard, program = folder / "heard", folder / "listen.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    if asked['action'] != 'choose':\n"
        "        continue\n"
        f"    print(json.dumps(asked.get({field!r})), file=open({str(heard)!r}, 'a'))\n"
        "    print(json.dumps({'id': asked['id'], 'move': asked['legal_moves'][0]}), flush=True)\n")
    return python_engine(program), heard


def tidying(trace: Path, seconds: float = 0.1) -> str:
    """Return the spec of an engine that makes a file when it has played, and a moment later."""
    program = trace.with_suffix(".py")
    program.write_text(
        "import json, sys, time\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    move = asked.get('legal_moves', [''])[0]\n"
        "    print(json.dumps({'id': asked['id'], 'move': move}), flush=True)\n"
        "if asked['action'] == 'choose':\n"
        f"    time.sleep({seconds})\n"
        f"    open({str(trace)!r}, 'w')\n")
    return python_engine("-I", "-S", program)


class AtOnce(Executor):
    """Plays a game in this thread while it is handed out; any number at a time."""

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def played(
    event: Event, earlier: Iterable[GameRecord] = (), workers: Workers | None = None
) -> list[GameRecord]:
    """Play what is missing of an event and return those games, in the order of their end."""
    records: list[GameRecord] = []
    Runner(event, earlier).run(workers or FixedWorkers(AtOnce(), 1), records.append)
    return records


def games(records: Iterable[GameRecord]) -> dict[str, dict[str, Any]]:
    """Return each game by its id without what differs from run to run; no id may come twice."""
    found: dict[str, dict[str, Any]] = {}
    for record in records:
        assert record.id not in found, record.id
        found[record.id] = {
            key: value for key, value in record.to_json().items() if key != "seconds"}
    return found


def alive(process: int) -> bool:
    """Tell whether a process runs; one that has ended and was not waited for does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rsplit(")", 1)[1].split()[0] not in "ZX"


def descendants(process: int) -> set[int]:
    """Return the processes below one that runs."""
    children: dict[int, set[int]] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[0] not in "ZX":
            children.setdefault(int(fields[1]), set()).add(int(entry))
    found: set[int] = set()
    fresh = {process}
    while fresh:
        fresh = set().union(*(children.get(one, set()) for one in fresh)) - found
        found |= fresh
    return found


def is_worker(process: int) -> bool:
    """Tell whether a process is one that plays games for its parent."""
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], what: str = "", seconds: float = LONG) -> None:
    """Wait for something that has to come; fail if it does not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


KILLER = (
    "import os, runpy, signal, sys\n"
    "folder, deaths, mock = sys.argv[1:]\n"
    "owner = os.getppid()\n"
    "with open(f'/proc/{owner}/cmdline') as words: worker = 'spawn_main' in words.read()\n"
    "for number in range(int(deaths) if worker else 0):\n"
    "    try: os.close(os.open(f'{folder}/{number}', os.O_CREAT | os.O_EXCL))\n"
    "    except FileExistsError: continue\n"
    "    os.kill(owner, signal.SIGKILL)\n"
    "    os._exit(1)\n"
    "sys.argv = ['mock', 'good']\n"
    "runpy.run_path(mock, run_name='__main__')\n")


def killer(folder: Path, deaths: int) -> str:
    """Return the spec of an engine that kills the worker that started it, so many times."""
    words = [sys.executable, "-I", "-S", "-c", KILLER, str(folder), str(deaths), str(MOCK)]
    return f"cmd:{shlex.join(words)}"
