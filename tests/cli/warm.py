"""Commands that start from a process which has imported them already: a fork, not an interpreter.

Everything that a command does from its first handler to the end of the interpreter is the same;
only signals during imports are not met. `python -m tests.cli.warm FD` is the process that forks; a
shell reaches it through `Warm.script`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import marshal
import os
import pkgutil
import select
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO

_LONGEST = 1 << 20
"""Bytes of a request: words, folder and environment, as `marshal` writes them."""
_CLIENT = """\
import _socket, marshal, os, sys
ended, said = os.pipe()
asked = marshal.dumps((sys.argv[2:], os.getcwd(), dict(os.environ)))
ends = b"".join(end.to_bytes(4, sys.byteorder) for end in (0, 1, 2, said))
_socket.socket(fileno=int(sys.argv[1])).sendmsg(
    [asked], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, ends)])
os.close(said)
for end in (0, 1, 2):  # a pipe ends with the command, not with this
    os.close(end)
with open(ended) as lines:
    pid, code = map(int, lines.read().split())
os._exit(code if code >= 0 else 128 - code)
"""
"""A program that asks for a command and ends as it does; what it imports is built in."""
_PID = 11
"""Bytes in which the process that forks says which process the command is."""


class WarmCommand:
    """A command that was started by a fork; as much of `subprocess.Popen` as tests use.

    Attributes:
        pid: the process, which leads a group of its own.
    """

    def __init__(self, streams: Sequence[IO[bytes] | None], status: int) -> None:
        self.pid = int(os.read(status, _PID))
        self.stdin, self.stdout, self.stderr = streams
        self._status = status
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit code, below 0 for a signal.

        Raises:
            subprocess.TimeoutExpired: it did not end in so many seconds.
        """
        if self._code is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            said = os.read(self._status, 100)
            os.close(self._status)
            assert said, "the process that forks has ended"
            self._code = int(said)
        return self._code

    def kill(self) -> None:
        """Kill it, if it still runs."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


class Warm:
    """A process that has imported all commands and starts them by a fork of itself.

    Args:
        options: options of the interpreter, also of the processes that commands start.
        environment: environment of the process that forks.
    """

    def __init__(self, *options: str, environment: Mapping[str, str] | None = None) -> None:
        self._line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *options, "-m", "tests.cli.warm", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], cwd=Path(__file__).resolve().parents[2],
                env=environment,
                # As what it starts: whether a stream can be sought in is asked once.
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def start(self, words: Sequence[object], folder: Path, environment: Mapping[str, str],
              listening: bool = False) -> WarmCommand:
        """Start `pavilion WORDS` in a folder; with `listening` it has a standard input."""
        nothing = os.open(os.devnull, os.O_RDONLY)
        pipes = [os.pipe() if listening else (nothing, -1), os.pipe(), os.pipe(), os.pipe()]
        theirs = [pipes[0][0], *(pipe[1] for pipe in pipes[1:])]
        asked = marshal.dumps(([str(word) for word in words], str(folder), {**environment}))
        socket.send_fds(self._line, [asked], theirs)
        for end in {*theirs, nothing}:
            os.close(end)
        streams = [os.fdopen(pipes[0][1], "wb") if listening else None,
                   os.fdopen(pipes[1][0], "rb"), os.fdopen(pipes[2][0], "rb")]
        return WarmCommand(streams, pipes[3][0])

    @property
    def line(self) -> int:
        """What a shell has to inherit for `script`, a file descriptor."""
        return self._line.fileno()

    @property
    def script(self) -> str:
        """A line of a shell that is `pavilion "$@"` there; signals do not reach the command."""
        return f"exec {sys.executable} -I -S -c {shlex.quote(_CLIENT)} {self.line} \"$@\""

    def close(self) -> None:
        """End the process that forks, and commands that still run."""
        self._line.close()
        _, said = self._process.communicate()
        assert not said, said.decode()


def _imported() -> ModuleType:
    """Import whatever commands import, but for missing libraries; return the package's main."""
    import pavilion_ai

    for found in pkgutil.walk_packages(pavilion_ai.__path__, "pavilion_ai."):
        if not found.name.startswith("pavilion_ai.envs."):  # large, and no command's
            with contextlib.suppress(ImportError):
                importlib.import_module(found.name)
    assert threading.active_count() == 1, "a fork would lose threads"
    return importlib.import_module("pavilion_ai.__main__")


def _become(asked: bytes, ends: Sequence[int]) -> None:
    """Make this process what a command would find if Python had just started."""
    words, folder, environment = marshal.loads(asked)
    for number, end in enumerate(ends[:3]):
        os.dup2(end, number)
    for end in ends:
        os.close(end)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["pavilion", *words]
    if environment.get("PYTHONFAULTHANDLER"):
        faulthandler.enable()


def main() -> int:
    """Fork for every request until nobody is left who could ask."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)  # who ends the group of those who ask leaves the commands to this one
    package = _imported()
    gc.freeze()  # what is here now is not looked through at the end of every command
    line = socket.socket(fileno=int(sys.argv[1]))
    ended, said = os.pipe()
    for end in (ended, said):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(said)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}
    while running or line.fileno() >= 0:
        ready = select.select([ended, *([line] if line.fileno() >= 0 else [])], [], [])[0]
        if ended in ready:
            os.read(ended, 1000)
            with contextlib.suppress(ChildProcessError):
                while (done := os.waitpid(-1, os.WNOHANG))[0]:
                    status = running.pop(done[0])
                    with contextlib.suppress(BrokenPipeError):
                        os.write(status, b" %d" % os.waitstatus_to_exitcode(done[1]))
                    os.close(status)
        if line not in ready:
            continue
        asked, ends, _, _ = socket.recv_fds(line, _LONGEST, 4)
        if not asked:
            line.close()
            for pid in running:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
            continue
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            for end in (line.detach(), ended, said, *running.values()):
                os.close(end)
            _become(asked, ends)
            sys.modules["__main__"] = package  # what its workers import
            package.main()
        with contextlib.suppress(OSError):  # it has done so already
            os.setpgid(pid, pid)
        running[pid] = ends.pop()
        for end in ends:
            os.close(end)
        with contextlib.suppress(BrokenPipeError):
            os.write(running[pid], b"%*d" % (_PID, pid))
    return 0


if __name__ == "__main__":
    sys.exit(main())
