"""An external engine: a program driven through the protocol (docs/protocol.md).

The program is not trusted: it may be silent, print garbage, flood its pipes, crash or leave
children behind. Every answer is bounded in time and in size (`process.py`).
"""

from __future__ import annotations

import os
import shlex
import shutil
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from pavilion_ai.errors import SpecError, shown
from pavilion_ai.external.process import EngineEnded, EngineFault, EngineProcess, one_line
from pavilion_ai.games import whole_seed
from pavilion_ai.limits import Limits, Timeouts, limits_of
from pavilion_ai.notation import to_json
from pavilion_ai.position import Position
from pavilion_ai.untrusted import Node, refusal

Past = tuple[Position, Sequence[str]]
"""A start position and the moves from it to the current position, chance moves included."""

IDENTITY_SECONDS = 10.0
"""Seconds that a program has to answer `hello`."""


def program_problem(command: str) -> str | None:
    """Return one line saying why a command cannot be started, or None if it looks startable."""
    try:
        program = _words(command)[0]
    except SpecError as error:
        return str(error)
    if shutil.which(program) is not None:
        return None
    found = "is not executable" if os.path.exists(program) else "not found"
    return f"program {shown(program)}: {found}, expected one on the search path or a file"


class ExternalEngine:
    """An external engine, whose process starts with the first request.

    The process ends when the engine is closed, at the latest when nothing refers to it any more.
    Not thread-safe: use it from one thread at a time. A copy, and the engine in a forked process,
    start a process of their own.

    Args:
        command: the program and its arguments, quoted as for a shell (no shell runs it).
        start: additional seconds that a new process has for its first answer.
        move: seconds for a move if the limits set no time.
        grace: seconds allowed beyond the time set by the limits.
        clock_grace: seconds allowed beyond what a clock has left.

    Attributes:
        command: the command line.
        started: seconds that the last answer had because the process was new.
        ended: how the process ended that was to tell the `identity`, if it ended before that.

    Raises:
        SpecError: the command is empty, has an unclosed quote or is not text, or a time is out of
            range.
    """

    def __init__(
        self, command: str, *, start: float = Timeouts.start, move: float = Timeouts.move,
        grace: float = Timeouts.grace, clock_grace: float = Timeouts.clock_grace,
    ) -> None:
        self.command, self._words = command, _words(command)
        self._times = Timeouts(start, move, grace, clock_grace)
        self.started = 0.0
        self.ended: str | None = None
        self._identity: dict[str, str] | None = None
        self._process: EngineProcess | None = None
        self._dropped: weakref.finalize[..., ExternalEngine] | None = None
        self._asked = 0

    def identity(self, stop: threading.Event | None = None) -> dict[str, str]:
        """Return the `name` and `version` of the program, if it reports them.

        A separate process is asked once, with `hello`; if anything goes wrong the answer is
        empty. The process that plays receives nothing but `choose`.

        Args:
            stop: when set by another thread, the wait for the answer ends within 0.1 s.

        Raises:
            PavilionError: stopped.
        """
        if self._identity is None:
            answer: dict[str, Any] = {}
            try:
                answer = _introduced(self._words, stop)
            except EngineEnded as error:
                self.ended = str(error)
            except (EngineFault, OSError):
                pass
            told = {key: answer.get(key) for key in ("name", "version")}
            self._identity = {
                key: one_line(text)
                for key, text in told.items() if isinstance(text, str) and text.strip()
            }
        return dict(self._identity)

    def choose(
        self,
        position: Position,
        legal_moves: Sequence[str],
        *,
        limits: Limits | None,
        seed: int,
        past: Past | None = None,
        stop: threading.Event | None = None,
    ) -> str:
        """Return the move to play, one of `legal_moves`.

        Args:
            past: the game so far, which the engine may ignore.
            stop: when set by another thread, the wait for the answer ends within 0.1 s.

        Raises:
            EngineFault: the engine did not return a legal move. Its processes have been killed;
                the next call restarts it.
            PavilionError: stopped; its processes have been killed as well.
            SpecError: the seed is not a whole number, the limits are not a `Limits`, or there is
                not one clock for each seat.
            OSError: this machine cannot start another process.
        """
        begun = time.monotonic()
        limits = limits_of(limits, position.players)
        self._asked += 1
        request = {
            "id": self._asked,
            "action": "choose",
            "position": to_json(position),
            "legal_moves": list(legal_moves),
            "limits": _limits_json(limits),
            "seed": whole_seed(seed),
        }
        if past is not None:
            request["past"] = {"start": to_json(past[0]), "moves": past[1]}
        try:
            process = self._process
            if process is None or process.owner != os.getpid():
                process = self._new_process()
            self.started = self._times.start if process.fresh else 0.0
            allowed = self._allowed(limits, position.to_move) + self.started
            answer = process.ask(request, begun, allowed, stop)
            return _move_of(answer, legal_moves)
        except BaseException as error:
            if isinstance(error, EngineFault):
                error.free = self.started
            self._kill()  # half a request or a late answer would spoil the next one
            raise

    def close(self) -> None:
        """Close the engine's input, give it a moment to exit, then kill what is left of it."""
        if self._process is not None:
            try:
                self._process.end()
            finally:
                self._kill()

    def _allowed(self, limits: Limits, seat: int | None) -> float:
        """Return the seconds that a move of a seat may take."""
        left = None if seat is None else limits.left(seat)
        allowed = [seconds + grace for seconds, grace in (
            (limits.seconds, self._times.grace), (left, self._times.clock_grace))
            if seconds is not None]
        return min(allowed, default=self._times.move)

    def _new_process(self) -> EngineProcess:
        process = self._process = EngineProcess(self._words)
        self._dropped = weakref.finalize(self, process.kill)
        self._dropped.atexit = False  # the process ends with this one in any case
        return process

    def _kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None
        if self._dropped is not None:
            self._dropped.detach()

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **asdict(self._times)), (self.command,)


def share_identity(asked: ExternalEngine, other: ExternalEngine) -> None:
    """Let another engine of the same command know what one was told."""
    other._identity, other.ended = asked._identity, asked.ended


def _words(command: str) -> list[str]:
    """Split a command as a shell does.

    Raises:
        SpecError: the command is empty, has an unclosed quote, contains a NUL character, or is no
            text.
    """
    if not isinstance(command, str):
        raise SpecError(f"command {shown(command)}: expected text, PROGRAM ARGS")
    try:
        lexer = shlex.shlex(command, posix=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        if os.name == "nt":
            lexer.escape = ""  # a backslash is part of a path
        words = list(lexer)
    except ValueError as error:
        reason = str(error)
        raise SpecError(f"command {shown(command)}: {reason[:1].lower()}{reason[1:]}") from None
    if not words or not words[0]:
        raise SpecError(f"command {shown(command)}: names no program, expected PROGRAM ARGS")
    if "\0" in command:
        raise SpecError(f"command {shown(command)}: holds a character 0")
    return words


def _introduced(words: Sequence[str], stop: threading.Event | None) -> dict[str, Any]:
    """Return the answer of a new process to `hello`.

    Raises:
        EngineFault: there is none.
        PavilionError: stopped.
        OSError: this machine cannot start another process.
    """
    begun = time.monotonic()
    process = None
    try:
        process = EngineProcess(words)
        answer = process.ask({"id": 1, "action": "hello"}, begun, IDENTITY_SECONDS, stop)
        process.end()
        return answer
    finally:
        if process is not None:
            process.kill()


def _limits_json(limits: Limits) -> dict[str, object]:
    return {name: value for name, value in limits.to_json().items() if value is not None}


def _move_of(answer: Mapping[str, Any], legal_moves: Sequence[str]) -> str:
    """Return the move in an answer.

    Raises:
        EngineFault: it has no move, or one that is not legal.
    """
    move = Node(answer, "", refusal(EngineFault))["move"].text()
    if move not in legal_moves:
        raise EngineFault(f"illegal move {shown(move)}")
    return move
