"""An agent of one's own as an engine: what `cmd:python FILE` needs, in one line."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from pavilion_ai.errors import PavilionError, SpecError
from pavilion_ai.games import GAMES
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.agents import DEFAULT_AGENT, MEMORY_MIB, Agents
from pavilion_ai.protocol.engine import PROTOCOL, Engine
from pavilion_ai.protocol.keys import KEYS
from pavilion_ai.protocol.streams import descriptor, held_by
from pavilion_ai.protocol.turns import WATCH_SECONDS
from pavilion_ai.spec import AgentSpec, parse_spec

if TYPE_CHECKING:
    from pavilion_ai.agents import Agent
    from pavilion_ai.limits import Limits

_STDIN, _STDOUT, _STDERR = 0, 1, 2


class _Own(Agents):
    """Lends the one agent to one request at a time, whatever agent the request names."""

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self._agent, self._lock = agent, threading.Lock()

    def spec_of(self, request: fields.Request) -> AgentSpec:
        """Return that of an agent without options."""
        return parse_spec(DEFAULT_AGENT)

    @contextmanager
    def lent(
        self, request: fields.Request, limits: Limits | None, stop: threading.Event
    ) -> Iterator[tuple[Agent, AgentSpec, int]]:
        """Lend it; its errors are not those of a field of the request."""
        while not self._lock.acquire(timeout=WATCH_SECONDS):
            if stop.is_set():
                raise fields.BadRequest("stopped before the agent was asked", "")
        try:
            yield self._agent, self.spec_of(request), MEMORY_MIB
        except BaseException as error:
            if isinstance(error, (fields.BadRequest, SpecError, KeyboardInterrupt)):
                raise
            _tell(error)
            if not isinstance(error, PavilionError):
                raise
            raise fields.BadRequest(f"agent: {error}", "agent") from None
        finally:
            self._lock.release()


def _keys_for(agent: Agent) -> dict[str, Collection[str]]:
    """Return the keys that the actions of an agent read, by action."""
    from pavilion_ai.agents import Agent

    # `choose` is not told of threads
    chooses = type(agent).decide is Agent.decide and type(agent).analyse is Agent.analyse
    unread = {"agent", "threads"} if chooses else {"agent"}
    return {action: frozenset(KEYS[action]) - unread for action in ("analyse", "choose")}


def _tell(error: BaseException) -> None:
    """Print where an agent failed on standard error, if there is one: an answer has one line."""
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            traceback.print_exception(error)


def serve(
    agent: Agent, requests: BinaryIO | None = None, answers: BinaryIO | None = None
) -> int:
    """Be an engine that plays as an agent of one's own, until the end of its input.

    A file whose last line is `serve(Mine())` is `cmd:python FILE` for `match`, `tournament`,
    `play`, `suggest` and `dataset`. Standard output is for the answers, so nothing may be printed
    before. While `serve` answers there, what the agent, its logs and the programs that it starts
    print goes to standard error; if the agent fails, standard error also shows where. While `serve`
    reads standard input, the agent and its programs find nothing there.

    Args:
        agent: chooses the moves of all requests.
        requests, answers: binary streams, read from their present position; of a text stream its
            buffer is taken. None for standard input and output.

    Returns:
        0, the exit status.

    Raises:
        SpecError: the agent is a class instead of an object.
    """
    from pavilion_ai.agents import as_agent

    agent = as_agent(agent)
    with (_alone(_binary(answers or sys.stdout)) as output,
          _unseen(_binary(requests or sys.stdin)) as (source, held)):
        found = dict(agent.identity())

        def hello(_: fields.Request) -> dict[str, Any]:
            return {"name": agent.spec, "version": found.get("version", ""), "protocol": PROTOCOL,
                    "games": list(GAMES)}

        engine = Engine(output, agents=_Own(agent), more={"hello": hello}, keys=_keys_for(agent))
        return engine.serve(source, held)


def _binary(stream: Any) -> Any:
    """Return the buffer of a text stream, any other one as it is."""
    return getattr(stream, "buffer", stream)


@contextmanager
def _alone(answers: Any) -> Iterator[Any]:
    """Yield the stream for the answers; if it is standard output, all else goes to standard error.

    So does what logs and other programs print, where that is the descriptor of the process. Without
    standard error it goes nowhere.
    """
    ours = descriptor(answers) == _STDOUT
    if not ours and answers is not _binary(sys.stdout):
        yield answers
        return
    printed = [stream for stream in (sys.stdout, sys.__stdout__) if stream is not None]
    with redirect_stdout(sys.stderr):
        if not ours:
            yield answers
            return
        _flush(printed)
        output = os.fdopen(os.dup(_STDOUT), "wb")
        if sys.stderr is not None:
            os.dup2(_STDERR, _STDOUT)
        else:
            with open(os.devnull, "wb") as nowhere:
                os.dup2(nowhere.fileno(), _STDOUT)
        try:
            yield output
        finally:
            _flush(printed)  # what logs left there
            os.dup2(output.fileno(), _STDOUT)
    output.close()  # not after an error: a request in flight may still be answered


@contextmanager
def _unseen(requests: Any) -> Iterator[tuple[Any, bytes]]:
    """Yield the stream of the requests, and what was read of it before.

    If it is standard input, all else finds that empty: an agent that asks or that is debugged, and
    the programs that it starts.
    """
    if descriptor(requests) != _STDIN:
        yield requests, b""
        return
    held, read = held_by(requests, _STDIN), sys.stdin
    number, kept = os.dup(_STDIN), os.dup(_STDIN)
    with open(os.devnull, encoding="utf-8") as sys.stdin:
        os.dup2(sys.stdin.fileno(), _STDIN)
        try:
            yield os.fdopen(number, "rb", closefd=False), held
        finally:
            os.dup2(kept, _STDIN)
            os.close(kept)
            sys.stdin = read
    os.close(number)  # not after an error: without `poll` a thread may still be reading it


def _flush(streams: Iterable[Any]) -> None:
    for stream in streams:
        with suppress(OSError, ValueError):
            stream.flush()
