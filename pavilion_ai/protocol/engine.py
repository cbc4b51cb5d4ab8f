"""The engine: reads requests, runs them side by side, writes answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from pavilion_ai.errors import MoveError, PavilionError, PositionError, SpecError, shown
from pavilion_ai.games import GAMES
from pavilion_ai.protocol import actions, fields
from pavilion_ai.protocol.fields import BadRequest, Request
from pavilion_ai.version import ENGINE_NAME, __version__

if TYPE_CHECKING:
    from pavilion_ai.analysis import Analysis

PROTOCOL = 1
MAX_LINE_BYTES = 4 << 20
MAX_IN_FLIGHT = 64

Answer = actions.Answer
Id = str | int


@dataclass
class _Job:
    """A request in flight: its thread and how to stop it."""

    stop: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None


class Engine:
    """Serves one stream of requests.

    Args:
        output: where answers go, one line each, flushed.
    """

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._writing = threading.Lock()
        self._jobs_lock = threading.Lock()
        self._jobs: dict[Id, _Job] = {}
        self._closed = threading.Event()
        self._quick: Mapping[str, Callable[[Request], Answer]] = {
            "hello": self._hello,
            "new": actions.new,
            "show": actions.show,
            "moves": actions.moves,
            "apply": actions.apply,
            "stop": self._stop,
        }
        self._long: Mapping[str, Callable[[Request, threading.Event], Answer]] = {
            "perft": actions.perft,
            "analyse": self._analyse,
            "choose": actions.choose,
        }

    def serve(self, requests: BinaryIO) -> int:
        """Answer every line until the end of input, finish what is in flight, and return 0.

        Raises:
            KeyboardInterrupt: after the searches in flight have been stopped and answered.
            BrokenPipeError: nobody reads the answers any more.
        """
        try:
            while not self._closed.is_set() and (raw := requests.readline(MAX_LINE_BYTES + 1)):
                if len(raw) > MAX_LINE_BYTES:
                    _skip_line(requests, raw)
                    self._error(None, f"line longer than {MAX_LINE_BYTES} bytes", "")
                elif raw.strip():
                    self._line(raw)
            self._join()
        except KeyboardInterrupt:
            self._stop_all()
            self._join()
            raise
        if self._closed.is_set():
            raise BrokenPipeError
        return 0

    # -- lines -------------------------------------------------------------------------------

    def _line(self, raw: bytes) -> None:
        """Answer one line, or start the thread that will."""
        try:
            request = fields.decode(raw)
        except BadRequest as error:
            self._error(None, str(error), error.field)
            return
        request_id = request.get("id")
        if isinstance(request_id, bool) or not isinstance(request_id, (str, int)):
            what = f"found {shown(request_id)}" if "id" in request else "missing"
            self._error(None, f"id: {what}, expected a string or a whole number", "id")
            return
        self._dispatch(request, request_id)

    def _dispatch(self, request: Request, request_id: Id) -> None:
        action = request.get("action")
        if isinstance(action, str) and action in self._long:
            self._start(request, request_id, self._long[action])
        elif isinstance(action, str) and action in self._quick:
            handler = self._quick[action]
            self._answer(request_id, lambda: handler(request))
        else:
            names = ", ".join((*self._quick, *self._long))
            what = shown(action) if "action" in request else "none"
            self._error(request_id, f"action: found {what}, expected one of {names}", "action")

    def _start(
        self,
        request: Request,
        request_id: Id,
        handler: Callable[[Request, threading.Event], Answer],
    ) -> None:
        """Run a long request in a thread of its own."""
        job = _Job()

        def work() -> None:
            try:
                self._answer(request_id, lambda: handler(request, job.stop), job=True)
            finally:
                with self._jobs_lock:
                    self._jobs.pop(request_id, None)

        with self._jobs_lock:
            busy = request_id in self._jobs
            full = len(self._jobs) >= MAX_IN_FLIGHT
            if not busy and not full:
                job.thread = threading.Thread(target=work, daemon=True)
                self._jobs[request_id] = job
        if busy:
            self._error(request_id, f"id: a request {request_id!r} is still in flight", "id")
        elif full:
            self._error(request_id, f"{MAX_IN_FLIGHT} requests are in flight already", "action")
        elif job.thread is not None:
            job.thread.start()

    def _answer(self, request_id: Id, handler: Callable[[], Answer], job: bool = False) -> None:
        """Run a handler and write its answer, or the error that it ended with."""
        try:
            answer = {"id": request_id, **handler()}
        except BadRequest as error:
            self._error(request_id, str(error), error.field, job)
        except PositionError as error:
            self._error(request_id, "; ".join(str(error).splitlines()), "position", job)
        except SpecError as error:
            self._error(request_id, str(error), "agent", job)
        except MoveError as error:
            self._error(request_id, str(error), "moves", job)
        except (PavilionError, ArithmeticError, RecursionError, MemoryError) as error:
            self._error(request_id, f"{type(error).__name__}: {error}", "", job)
        except Exception as error:  # a fault of ours must not take the engine down
            self._error(request_id, f"internal error: {type(error).__name__}: {error}", "", job)
        else:
            self._write(answer, job)

    def _error(self, request_id: Id | None, message: str, where: str, job: bool = False) -> None:
        text = " ".join(message.split())
        self._write({"id": request_id, "error": text, "field": where}, job)

    def _write(self, answer: Answer, job: bool = False) -> None:
        """Write one line. From a job's thread a closed pipe is only noted, for the reader."""
        line = json.dumps(answer).encode() + b"\n"
        try:
            with self._writing:
                self._output.write(line)
                self._output.flush()
        except (OSError, ValueError):
            self._closed.set()
            self._stop_all()
            if not job:
                raise BrokenPipeError from None

    # -- jobs --------------------------------------------------------------------------------

    def _stop_all(self) -> None:
        with self._jobs_lock:
            for job in self._jobs.values():
                job.stop.set()

    def _join(self) -> None:
        """Wait for all jobs; the short timeout lets signals in while waiting."""
        while True:
            with self._jobs_lock:
                threads = [job.thread for job in self._jobs.values() if job.thread is not None]
            if not threads:
                return
            threads[0].join(0.1)

    def _stop(self, request: Request) -> Answer:
        target = request.get("target")
        if isinstance(target, bool) or not isinstance(target, (str, int)):
            raise BadRequest(f"target: found {shown(target)}, expected the id of a query", "target")
        with self._jobs_lock:
            job = self._jobs.get(target)
            if job is not None:
                job.stop.set()
        return {"target": target, "stopped": job is not None}

    # -- actions that need the engine --------------------------------------------------------

    def _hello(self, request: Request) -> Answer:
        return {
            "name": ENGINE_NAME,
            "version": __version__,
            "protocol": PROTOCOL,
            "games": list(GAMES),
        }

    def _analyse(self, request: Request, stop: threading.Event) -> Answer:
        top = fields.optional_number(request, "top", 1, 10**6)

        def report(analysis: Analysis) -> None:
            interim = {"id": request["id"], **analysis.to_json(top), "final": False}
            self._write(interim, job=True)

        every = fields.seconds(request, "report_every")
        limits = fields.limits(request, "")
        progress = report if every else None
        analysis = actions.search(request, limits, stop, progress, every)
        return {**analysis.to_json(top), "final": True}


def _skip_line(requests: BinaryIO, raw: bytes) -> None:
    """Read on to the end of an overlong line."""
    while raw and not raw.endswith(b"\n"):
        raw = requests.readline(1 << 16)


