"""Run the process of an external engine: send requests, read answers, always end it.

Every wait has a deadline and every read a size limit; any failure becomes one `EngineFault`.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from pavilion_ai.bounds import MAX_LINE_BYTES
from pavilion_ai.errors import (
    EngineEnded,
    EngineFault,
    EngineLate,
    PavilionError,
    printable,
    reason_of,
    shown,
)
from pavilion_ai.external.family import environment_with, kill_family, new_mark
from pavilion_ai.external.log import EngineLog, log_of
from pavilion_ai.external.pipes import pipes_of
from pavilion_ai.untrusted import strict_json

__all__ = [
    "MAX_MOVE_BYTES", "EngineEnded", "EngineFault", "EngineLate", "EngineProcess", "end_all",
    "one_line",
]

MAX_MOVE_BYTES = 64 << 20
"""Most bytes that an engine may print from one answer to the next."""
_STDERR_KEPT = 2048  # bytes
_QUOTED = 160  # characters
_TICK = 0.1  # seconds between checks that the process still runs
_ENDING_TICK = 0.01
_ENDING_SECONDS = 1.0  # from a closed pipe to the end of the process, and vice versa
_REAP_SECONDS = 5.0  # a killed process that the kernel holds on to is given up

# When its input ends, its owner is gone, for whatever reason: kill the engine's whole group, and
# all processes with its mark (family.py). `head` names each file before its lines. `grep` is not to
# see the NULs between variables: some read no further than the first one.
_GUARD = (
    'read -r line; kill -s KILL -- "-$1";'
    r' head -n 999999 /proc/[0-9]*/environ | tr "\000" "\n"'
    ' | LC_ALL=C grep -e "^==> /proc/" -e "$2"'
    ' | while IFS=/ read -r start _ process _; do case "$start" in'
    ' "==> ") found=$process ;; *) kill -s KILL "$found" ;; esac; done')

_running: set[EngineProcess] = set()
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)


class EngineProcess:
    """A running engine: requests in, lines out.

    Attributes:
        fresh: whether it has yet to give its first answer.
        owner: number of the process that started it; in a fork of that one, `kill` only forgets it.

    Raises:
        EngineEnded, OSError: as `_started`.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.fresh, self.owner = True, os.getpid()
        self._mark = new_mark()
        self._popen = _started(words, self._mark)
        self._guard: subprocess.Popen[bytes] | None = None
        self._log: EngineLog | None = None
        self._group_killed = False
        self._ended = False
        pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._pipes = [pipe for pipe in pipes if pipe is not None]
        self._in, self._out, self._err = (pipe.fileno() for pipe in self._pipes)
        self._open = {self._in, self._out, self._err}
        self._ends = pipes_of(self._in, (self._out, self._err))
        self._unsent = b""
        self._received = bytearray()
        self._searched = 0  # bytes of `_received` known to hold no end of line
        self._taken = 0  # bytes received for the request in hand
        self._stranger: object = None  # id of the last answer to another request
        self._nameless = False  # whether there was an answer without an id
        self._stderr = bytearray()
        _running.add(self)
        try:
            self._log = log_of(words, self._popen.pid)
            # Without groups or a shell the end of its input must suffice. A shell on Windows would
            # take the process for one of its own kind.
            if hasattr(os, "killpg"):
                with suppress(FileNotFoundError):
                    self._guard = subprocess.Popen(
                        ["/bin/sh", "-c", _GUARD, "guard", str(self._popen.pid), self._mark],
                        bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL, cwd="/", start_new_session=True)
        except BaseException:
            self.kill()
            raise

    def ask(self, request: Mapping[str, object], begun: float, allowed: float,
            stop: threading.Event | None = None) -> dict[str, Any]:
        """Send a request and return its answer.

        Args:
            begun: when the time started, on the monotonic clock.
            allowed: seconds allowed from then on.
            stop: ends the wait soon after another thread has set it.

        Raises:
            EngineFault: there is no answer in time, or it is an error or not a JSON object.
            PavilionError: stopped.
        """
        silent = self.fresh
        deadline = begun + allowed
        ending = False
        self._unsent = json.dumps(request).encode() + b"\n"
        self._note(">", self._unsent)
        self._taken = len(self._received)
        self._stranger, self._nameless = None, False
        while True:
            self._step(deadline, _ENDING_TICK if ending else _TICK)
            silent = silent and not self._taken
            answer = self._answer_to(request["id"])
            if answer is not None:
                self.fresh = False
                return answer
            if stop is not None and stop.is_set():
                raise PavilionError("stopped before the engine answered")
            exited = self._exited()
            if exited and self._out not in self._open:
                raise self._crash()
            if not ending and (exited or not {self._in, self._out} <= self._open):
                ending = True
                deadline = min(deadline, time.monotonic() + _ENDING_SECONDS)
            if time.monotonic() >= deadline:
                raise self._late(silent, allowed)

    def end(self, seconds: float = _ENDING_SECONDS) -> None:
        """Close the input and wait a moment for the process to exit."""
        self._pipes[0].close()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(seconds)

    def kill(self) -> None:
        """Kill the process and all its children and free all resources; safe to repeat."""
        if os.getpid() != self.owner:
            _running.discard(self)
            return
        if not self._ended:
            self._ended = True
            kill_family(self._mark, self._popen.pid if self._popen.poll() is None else None)
        self._kill_group()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(_REAP_SECONDS)
        if self._log is not None:
            with suppress(OSError):
                self._drain_all()
            self._log.close()
            self._log = None
        if self._guard is not None:
            self._guard.kill()  # before its input ends
            self._guard.wait()
            if self._guard.stdin is not None:
                self._guard.stdin.close()
        for pipe, number in zip(self._pipes, (self._in, self._out, self._err), strict=True):
            if self._ends.free(number):
                pipe.close()
        _running.discard(self)

    def _kill_group(self) -> None:
        """Kill the process group, once only: its number may be reused later."""
        if not self._group_killed:
            self._group_killed = True
            with suppress(ProcessLookupError, PermissionError):  # the group is empty
                if hasattr(os, "killpg"):
                    os.killpg(self._popen.pid, signal.SIGKILL)
                else:
                    self._popen.kill()

    def _exited(self) -> bool:
        """Tell whether the process has ended; its children must not outlive it."""
        if self._popen.poll() is None:
            return False
        self._kill_group()
        return True

    # -- reasons -----------------------------------------------------------------------------

    def _crash(self) -> EngineEnded:
        """Describe how the process ended, with its last line on standard error."""
        self._drain_all()
        code = self._popen.returncode
        how = f"killed by signal {-code}" if code < 0 else f"exited with status {code}"
        text = self._stderr.decode(errors="replace").lstrip("\ufffd")  # a letter cut in two
        if said := text.strip().splitlines():
            how += f": {one_line(said[-1])}"
        return EngineEnded(f"{how}{self._clues()}")

    def _late(self, silent: bool, allowed: float) -> EngineFault:
        if self._popen.returncode is not None:
            return self._crash()
        for end, name in ((self._out, "output"), (self._in, "input")):
            if end not in self._open:
                return EngineFault(f"closed its standard {name}{self._clues()}")
        what = "not started" if silent else "no answer"
        late = f"{what} within {max(round(float(allowed), 3), 0.001)} s"
        return EngineLate(f"{late}{self._clues()}")

    def _clues(self) -> str:
        """Tell what came in place of the answer, if anything did."""
        clues = ""
        if self._stranger is not None:
            clues += f"; skipped answers with another id, the last {shown(self._stranger)}"
        if self._nameless:
            clues += "; skipped answers without an id"
        if (half := self._received[: 4 * _QUOTED]).strip():
            clues += f"; half a line: {shown(half.decode(errors='replace'))}, without its end"
        return clues

    # -- pipes -------------------------------------------------------------------------------

    def _step(self, deadline: float, tick: float) -> None:
        """Wait at most one tick for pipes to be ready, then read or write them."""
        wait = max(0.0, min(deadline - time.monotonic(), tick))
        for number in self._ends.wait(self._open, bool(self._unsent), wait):
            if number == self._in:
                self._send()
            elif number == self._out:
                self._receive()
            else:
                self._drain_stderr()

    def _send(self) -> None:
        try:
            sent = self._ends.write(self._unsent)
            self._unsent = self._unsent[sent:]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._open.discard(self._in)

    def _receive(self) -> None:
        chunk = self._read(self._out)
        self._note("<", chunk)
        self._received += chunk
        self._taken += len(chunk)
        if self._taken > MAX_MOVE_BYTES:
            raise EngineFault(f"more than {MAX_MOVE_BYTES} bytes without an answer")

    def _drain_stderr(self) -> None:
        chunk = self._read(self._err)
        self._note("!", chunk)
        self._stderr += chunk
        del self._stderr[:-_STDERR_KEPT]

    def _drain_all(self) -> None:
        """Read what is left of standard error: once the process has ended."""
        for _ in range(16):  # whole pipes; a child that escaped may still be writing
            if self._err in self._open and self._ends.wait([self._err], False, _ENDING_TICK):
                self._drain_stderr()

    def _note(self, mark: Literal[">", "<", "!"], content: bytes) -> None:
        if self._log is not None:
            self._log.add(mark, content)

    def _read(self, number: int) -> bytes:
        """Read what is available; at the end of the stream note that it is closed."""
        try:
            chunk = self._ends.read(number)
        except BlockingIOError:
            return b""
        if not chunk:
            self._open.discard(number)
        return chunk

    # -- lines -------------------------------------------------------------------------------

    def _answer_to(self, request_id: object) -> dict[str, Any] | None:
        """Return the final answer to a request if it is among the lines received."""
        while (line := self._line()) is not None:
            if not line.strip():
                continue
            answer = _decoded(line)
            found = answer.get("id")
            mine = found == request_id and not isinstance(found, bool)
            if not (mine or found is None):
                self._stranger = found
                continue
            if answer.get("final") is False:
                continue
            error = answer.get("error")  # without an id: the request could not be read
            if error is not None:
                text = one_line(error) if isinstance(error, str) else shown(error)
                raise EngineFault(f"answered an error: {text}")
            if mine and self._unsent:
                raise EngineFault("answered before it had read the request")
            if mine:
                return answer
            self._nameless = True
        return None

    def _line(self) -> bytes | None:
        """Remove and return the next line without its end, or None if it is incomplete."""
        end = self._received.find(b"\n", self._searched)
        if (len(self._received) if end < 0 else end) > MAX_LINE_BYTES:
            raise EngineFault(f"more than {MAX_LINE_BYTES} bytes without an end of line")
        if end < 0:
            self._searched = len(self._received)
            return None
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._searched = 0
        return line


def end_all() -> None:
    """End all engines that run here: close their inputs, give them one moment together, kill."""
    until = time.monotonic() + _ENDING_SECONDS
    engines = [*_running]
    for engine in engines:
        engine.end(0.0)
    for engine in engines:
        engine.end(max(0.0, until - time.monotonic()))
        engine.kill()


def _started(words: Sequence[str], mark: str) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, where the terminal's Ctrl-C does not reach it.

    Raises:
        EngineEnded: the program cannot be started.
        OSError: this machine cannot start another process.
    """
    if os.name == "nt" and (found := shutil.which(words[0])) is not None:
        words = [found, *words[1:]]  # a script `*.cmd` or `*.bat` starts only under its whole name
    try:
        return subprocess.Popen(
            words, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True, env=environment_with(mark),
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0))  # Windows
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise
        raise EngineEnded(f"cannot start {shown(words[0])}: {reason_of(error)}") from None


def _decoded(line: bytes) -> dict[str, Any]:
    """Read a line as a JSON object.

    Raises:
        EngineFault: the line is not a JSON object.
    """
    try:
        answer = strict_json(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        text = line[: 4 * _QUOTED].decode(errors="replace")
        raise EngineFault(f"answer is not UTF-8 text: {shown(text)}") from None
    except json.JSONDecodeError:
        raise EngineFault(f"answer is not JSON: {shown(line.decode())}") from None
    except ValueError as error:
        raise EngineFault(f"answer is not JSON: {one_line(str(error))}") from None
    if not isinstance(answer, dict):
        raise EngineFault(f"answer is {shown(answer)}, expected an object")
    return answer


def one_line(text: str) -> str:
    """Return an engine's text for use in a message: on one line, printable, not too long."""
    line = printable(" ".join(text[: 4 * _QUOTED].split()))
    return line if len(line) <= _QUOTED else line[:_QUOTED] + "..."
