"""What runs in a soak test: an engine, matches and the page, each with its faults."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from pavilion_ai.games import GAMES
from pavilion_ai.notation import to_json
from tests.cli.support import command, environment, start
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import seeds
from tests.match.support import descendants, mock
from tests.soak.usage import Usage, processor_seconds, usage_of
from tests.web.support import serving

PATIENCE = 600.0
"""Seconds within which an answer has to come on a busy machine."""
PAIRS = 5
"""Pairs of a match: few, so that many matches end."""


class Part:
    """Something that runs until it is told to end; a fault ends it early.

    Attributes:
        usage: what its processes held.
        done: how much it has done.
    """

    name = ""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.random = folder, Random(seed)
        self.usage = Usage(self.name)
        self.done = 0
        self.ending = threading.Event()
        self.fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=self.name)
        folder.mkdir()

    def begin(self) -> None:
        """Start it in a thread of its own."""
        self._thread.start()

    def end(self) -> None:
        """Let it end, and wait for it."""
        self.ending.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            self.work()
        except BaseException as error:
            self.fault = error

    def work(self) -> None:
        """Work until `ending` is set."""
        raise NotImplementedError

    def sample(self, process: int) -> None:
        """Note what a process holds, and how many files are left in the folder."""
        held = usage_of(process)
        if held:
            files = sum(1 for path in self.folder.rglob("*") if path.is_file())
            self.usage.add({**held, "files": files})


class EnginePart(Part):
    """An engine that answers good and bad lines, whose client stops reading now and then."""

    name = "engine"

    def work(self) -> None:
        engine = start("engine", "--memory", "64")
        answers: dict[Any, int] = {}
        reading = threading.Event()
        reading.set()

        def read() -> None:
            assert engine.stdout is not None
            for line in engine.stdout:
                reading.wait()
                answer = json.loads(line)
                assert "internal error" not in answer.get("error", ""), answer
                if answer.get("final") is not False:
                    answers[answer["id"]] = answers.get(answer["id"], 0) + 1

        reader = threading.Thread(target=read)
        reader.start()
        lines = seeds("engine")
        try:
            while not self.ending.is_set():
                for _ in range(20):
                    self._send(engine, mutated(self.random.choice(lines), lines, self.random))
                    self._send(engine, json.dumps(self._request()).encode())
                self._disturb(engine, reading)
                self._wait_for_answer(engine, answers)
                self.sample(engine.pid)
            assert engine.stdin is not None
            self._stop(engine)
            engine.stdin.close()
            assert engine.wait(PATIENCE) == 0
        finally:
            engine.kill()
            reading.set()
            reader.join()
        twice = [one for one, count in answers.items()
                 if count > 1 and str(one).startswith("mine")]
        assert not twice, f"answered twice: {twice[:5]}"

    def _send(self, engine: subprocess.Popen[bytes], line: bytes) -> None:
        assert engine.stdin is not None
        for one in line.split(b"\n"):
            with suppress(ValueError):
                request = json.loads(one)
                if isinstance(request, dict) and request.get("action") != "hello":
                    lasts = (0.001,) if request.get("action") == "review" else (0.001, 0.05, 1.0)
                    request["seconds"] = self.random.choice(lasts)
                    request.pop("sims", None)
                    request["depth"] = 1
                    if isinstance(request.get("limits"), dict):
                        request["limits"] = {"seconds": 0.01}
                    one = json.dumps(request).encode()
            engine.stdin.write(one + b"\n")
        engine.stdin.flush()

    def _stop(self, engine: subprocess.Popen[bytes]) -> None:
        """Stop what may still be in flight; the engine would finish it."""
        for number in range(max(1, self.done - 100), self.done + 1):
            self._send(engine, json.dumps({"id": f"stop {number}", "action": "stop",
                                           "target": f"mine {number}"}).encode())

    def _request(self) -> dict[str, Any]:
        self.done += 1
        rules = GAMES[self.random.choice(tuple(GAMES))]
        start_of = rules.new(board=self.random.choice(rules.boards), players=2, seed=self.done)
        return {"id": f"mine {self.done}", "position": to_json(start_of), "seconds": 0.02,
                "action": self.random.choice(("moves", "analyse", "choose", "show")),
                "agent": self.random.choice(("default", "ismcts", "uct", "greedy")),
                "threads": self.random.choice((1, 2)), "junk": "x" * self.random.choice((0, 10**6))}

    def _disturb(self, engine: subprocess.Popen[bytes], reading: threading.Event) -> None:
        kind = self.random.randrange(4)
        if kind == 0:
            reading.clear()
            time.sleep(0.5)
            reading.set()
        elif kind == 1:
            os.kill(engine.pid, signal.SIGSTOP)
            time.sleep(0.2)
            os.kill(engine.pid, signal.SIGCONT)

    def _wait_for_answer(
        self, engine: subprocess.Popen[bytes], answers: dict[Any, int]
    ) -> None:
        self.done += 1
        name = f"mine {self.done}"
        self._send(engine, json.dumps({"id": name, "action": "hello"}).encode())
        wait(lambda: name in answers or engine.poll() is not None, "the engine does not answer")
        assert name in answers, f"the engine ended: {engine.returncode}"


class MatchPart(Part):
    """Matches whose workers and owners are killed; in the end no game is missing or twice.

    Each has so many faults and then time to end, however busy the machine is. What is compared is
    the peak of each command that ended: one holds more while it plays than when it starts.
    """

    name = "match"

    def work(self) -> None:
        path = self.folder / "games.jsonl"
        while not self.ending.is_set():
            self._match(path)
            if self.ending.is_set():
                return
            done = subprocess.run(command("verify", path), env=environment(), check=False,
                                  capture_output=True)
            assert done.returncode == 0, done.stderr
            ids = [json.loads(line)["id"] for line in path.read_bytes().splitlines()]
            assert len(ids) == len({*ids}) == 2 * PAIRS, ids
            self.done += 1
            path.unlink()
            self.usage.add({"files": sum(1 for _ in self.folder.rglob("*"))})

    def _match(self, path: Path) -> None:
        """Play a match to its end, going on with it whenever it was killed."""
        words = ["match", mock(self.random.choice(("child", "good", "strangers"))), "greedy",
                 "--pairs", PAIRS, "--jobs", "2", "--move-timeout", "300",
                 "--seed", self.random.randrange(10**6), "--out", path]
        self.faults = self.random.randrange(6)
        while not self.ending.is_set():
            match = subprocess.Popen(command(*words), env=environment(), cwd=self.folder,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            killed = self._disturb(match, path)
            assert match.stderr is not None
            with match.stderr as errors:
                said = errors.read().decode()
            code = match.wait(PATIENCE)
            assert "Traceback" not in said, said
            if code == 0:
                self.usage.add(self.peak)
                return
            assert killed, f"a match ended with status {code}: {said}"

    def _disturb(self, match: subprocess.Popen[bytes], path: Path) -> bool:
        """Kill workers, engines, or the match itself; nothing of it may stay.

        The moments are so many seconds of the processor apart: by the clock, on a busy machine,
        they would all come before the first move.

        Returns:
            Whether anything was killed.
        """
        self.peak, killed, below = dict[str, int](), False, set[int]()
        size, moved = -1, time.monotonic()
        due = self.random.uniform(0.2, 3)
        while match.poll() is None:
            time.sleep(0.2)
            below = descendants(match.pid) or below
            for key, value in usage_of(match.pid).items():
                self.peak[key] = max(value, self.peak.get(key, 0))
            found = path.stat().st_size if path.exists() else 0
            if found != size:
                size, moved = found, time.monotonic()
            assert time.monotonic() < moved + PATIENCE, "a match that stands still"
            spent = sum(map(processor_seconds, (match.pid, *below)))
            if self.ending.is_set():
                match.kill()
                killed = True
                break
            if spent < due:
                continue
            due = spent + self.random.uniform(0.2, 3)
            if self.faults and self.random.random() < 0.1:
                match.kill()
            elif not self.faults or self.random.random() < 0.6:
                continue
            elif ours := [*filter(plays, sorted(below))]:
                with suppress(ProcessLookupError):
                    os.kill(self.random.choice(ours), signal.SIGKILL)
            else:
                continue
            killed = True
            self.faults = max(0, self.faults - 1)
        if below:
            wait(lambda: not any(usage_of(one) for one in below), "processes are left")
        return killed


class PagePart(Part):
    """The page's server: sockets that come and go, floods, imports of garbage."""

    name = "page"

    def work(self) -> None:
        texts = seeds("imported")
        with serving(self.folder) as server:
            host, port = server.address.hostname, server.address.port
            assert host is not None
            assert port is not None
            while not self.ending.is_set():
                self._visit(server, mutated(self.random.choice(texts), texts, self.random))
                for _ in range(3):  # what is no HTTP, or ends in the middle
                    with suppress(OSError), socket.create_connection((host, port), 5) as raw:
                        raw.sendall(self.random.choice(
                            (b"GET / HTTP/1.1\r\nHost: ", os.urandom(500), b"\0" * 10**5)))
                self.done += 1
                self.sample(server.process.pid)
            code, _, errors = server.end()
            assert (code, errors) == (130, ""), (code, errors)

    def _visit(self, server: Any, text: bytes) -> None:
        status, _ = server.imported(text)
        assert status in (200, 400), status
        for _ in range(3):
            if self.ending.is_set():
                return
            with suppress(OSError), server.socket() as page:
                position = page.ask("new", seed=1)["position"]
                assert page.ask("moves", position=position)["moves"]
                for _ in range(self.random.choice((0, 5, 80))):  # left while it is searched
                    page.send("analyse", position=position, seconds=60, threads=2)
        status, _, _ = server.request("GET", "/")
        assert status == 200


def plays(process: int) -> bool:
    """Tell whether a process is a worker or an engine; Python's own helpers are left alone."""
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
    return b"spawn_main" in words or b"mock_engine" in words


def wait(condition: Callable[[], bool], what: str) -> None:
    """Wait for something that has to come."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.02)


PARTS = (EnginePart, MatchPart, PagePart)
