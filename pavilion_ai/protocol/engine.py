"""The engine: reads requests, runs them side by side, writes answers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from numbers import Integral, Real
from typing import TYPE_CHECKING, BinaryIO

from pavilion_ai.bounds import MAX_LINE_BYTES, MAX_SHOWN_MOVES
from pavilion_ai.errors import (
    MoveError,
    NetworkError,
    PavilionError,
    PositionError,
    SpecError,
    shown,
)
from pavilion_ai.games import GAMES
from pavilion_ai.interrupts import Interrupt, held
from pavilion_ai.processors import cores
from pavilion_ai.protocol import actions, fields
from pavilion_ai.protocol.agents import DEFAULT_AGENT, MEMORY_MIB, Agents
from pavilion_ai.protocol.capacity import Capacity
from pavilion_ai.protocol.fields import BadRequest, Request
from pavilion_ai.protocol.keys import KEYS, unused
from pavilion_ai.protocol.streams import (
    MAX_IN_HAND_BYTES,
    Answers,
    InHand,
    Output,
    lines,
)
from pavilion_ai.untrusted import lenient_json
from pavilion_ai.version import engine_identity

if TYPE_CHECKING:
    from pavilion_ai.analysis import Analysis
    from pavilion_ai.review import Judgement

PROTOCOL = 1
MAX_IN_FLIGHT = 64
MAX_ID_CHARACTERS = 1000
"""Every answer repeats the id, and one request may have hundreds of answers."""
PATIENCE_SECONDS = 0.3
"""A quick request that takes longer than this is overtaken by those behind it."""
MAX_SLOW = 8  # such requests at a time
_PATIENT = frozenset({"show", "moves", "apply", "replay"})
"""The quick actions that may take longer, and need nothing of the engine."""

Answer = actions.Answer
Id = str | int


class Engine:
    """Serves one stream of requests.

    Args:
        output: stream for the answers, one line each, flushed.
        agent: spec of the agent for `analyse` and `choose` that name none.
        memory_mib: MiB of the trees of all its searches together.
        capacity: threads shared with other engines of this process; None if there are none, and a
            search may have as many threads as requested.
        agents: those that answer; None for agents by their specs.
        more: further quick actions by name.
        keys: the keys that these read; of others nothing is said.
        aside: those of the further actions that take a moment, and that no other request waits for.
        patient: those that may take longer, and that others wait for no longer than a moment.
        reviews: where finished reviews are kept; None: nowhere.
        who: the client whose searches take turns with those of others; None: this engine.
    """

    def __init__(
        self,
        output: BinaryIO | Answers,
        agent: str = DEFAULT_AGENT,
        *,
        memory_mib: int = MEMORY_MIB,
        capacity: Capacity | None = None,
        agents: Agents | None = None,
        more: Mapping[str, Callable[[Request], Answer]] | None = None,
        keys: Mapping[str, Collection[str]] | None = None,
        aside: Collection[str] = (),
        patient: Collection[str] = (),
        reviews: actions.Reviews | None = None,
        who: object = None,
    ) -> None:
        self._interrupt = Interrupt()
        self._output = output if isinstance(output, Answers) else Output(
            output, lambda: self._interrupt.is_set())
        self._capacity = capacity
        self._who = self if who is None else who
        self._agents = agents or (capacity.agents if capacity else Agents(agent, memory_mib))
        self._in_hand = capacity.in_hand if capacity else InHand()
        self._jobs_lock = threading.Lock()
        self._written = threading.Condition(self._jobs_lock)
        self._jobs: dict[Id, threading.Event] = {}  # requests in flight, each with its stop event
        self._threads: set[threading.Thread] = set()
        self._slow: set[threading.Thread] = set()  # answer quick requests that take longer
        self._failure: OSError | None = None  # the error that stopped the writing of answers
        self._quick: Mapping[str, Callable[[Request], Answer]] = {
            "hello": self._hello,
            "new": actions.new,
            "show": actions.show,
            "moves": actions.moves,
            "apply": actions.apply,
            "replay": actions.replay,
            "stop": self._stop,
            **(more or {}),
        }
        self._aside, self._patient = frozenset(aside), _PATIENT.union(patient)
        self._reviews = reviews
        self._keys = {**KEYS, **(keys or {})}
        self._long: Mapping[str, Callable[[Request, threading.Event], Answer]] = {
            "perft": partial(actions.perft, turns=self._agents.turns),
            "analyse": self._analyse,
            "review": self._review,
            "choose": partial(actions.choose, agents=self._agents),
        }

    def serve(self, requests: BinaryIO, before: bytes = b"") -> int:
        """Answer every line until the end of input, finish what is in flight, and return 0.

        Args:
            before: what was already read of them.

        Raises:
            KeyboardInterrupt: after the searches in flight have been stopped and answered.
            BrokenPipeError: the answers have no reader any more; requests in flight are stopped.
        """
        if not isinstance(self._output, Output):
            raise TypeError("a stream of requests needs a stream for the answers")
        with held() as self._interrupt:
            try:
                self._answer_all(raw for raw in lines(requests, self._output, before)
                                 if raw is None or raw.strip())  # blank lines are no requests
                self._join(self._interrupt.is_set)
            except BrokenPipeError:
                self.stop_all()
                if not self._interrupt.is_set():
                    raise
            if self._interrupt.is_set():
                self.stop_all()
                with suppress(OSError):  # there may be no reader for the last answers
                    self._join()
                raise KeyboardInterrupt
        return 0

    def serve_messages(self, requests: Iterable[bytes | None]) -> None:
        """Answer requests that come one by one, None for one that is too long.

        Raises:
            BrokenPipeError: reading them raised it, or the answers have no reader any more;
                requests in flight are stopped.
        """
        try:
            self._answer_all(requests)
            self._join()
        except BrokenPipeError:
            self.stop_all()
            raise

    def _answer_all(self, requests: Iterable[bytes | None]) -> None:
        for raw in requests:
            if raw is None:
                self._error(None, f"line longer than {MAX_LINE_BYTES} bytes", "")
            else:
                self._line(raw)

    # -- lines -------------------------------------------------------------------------------

    def _line(self, raw: bytes) -> None:
        """Answer one line, or start the thread that will."""
        begun = time.monotonic()
        try:
            request = fields.decode(raw)
            request_id = _id_in(request, "id", "a string or a whole number")
        except BadRequest as error:
            self._refuse(_id_of(raw), error)
            return
        self._dispatch(request, request_id, len(raw), begun)

    def _dispatch(self, request: Request, request_id: Id, size: int, begun: float) -> None:
        action = request.get("action")
        if isinstance(action, str) and action in self._long:
            self._start(request, request_id, self._long[action], size, begun)
        elif isinstance(action, str) and action in self._quick:
            self._hurry(request, request_id, self._quick[action])
        else:
            names = ", ".join((*self._quick, *self._long))
            self._refuse(request_id, fields.refused(request, "action", f"one of {names}"))

    def _hurry(
        self, request: Request, request_id: Id, handler: Callable[[Request], Answer]
    ) -> None:
        """Answer a quick request; if it takes longer after all, others are read meanwhile."""
        def answer() -> bytes:
            return _outcome(request_id, lambda: self._told(request, handler))

        def work() -> None:
            try:
                self._send(answer(), job=True)
            finally:
                with self._jobs_lock:
                    self._slow.discard(threading.current_thread())

        action = request["action"]
        if action not in self._aside and action not in self._patient:
            self._send(answer())
            return
        thread = threading.Thread(target=work, daemon=True)
        with self._jobs_lock:
            self._slow.add(thread)
        try:
            thread.start()
        except RuntimeError:  # the system has no threads left
            work()
            with self._jobs_lock:
                self._slow.discard(thread)
            return
        thread.join(0 if action in self._aside else PATIENCE_SECONDS)
        while self._output.has_reader():
            with self._jobs_lock:
                if len(self._slow) < MAX_SLOW:
                    break
                thread = next(iter(self._slow))
            thread.join(PATIENCE_SECONDS)
        if self._failure is not None:
            raise self._failure

    def _start(
        self,
        request: Request,
        request_id: Id,
        handler: Callable[[Request, threading.Event], Answer],
        size: int,
        begun: float,
    ) -> None:
        """Run a long request, of so many bytes and read at that time, in its own thread."""
        stop = threading.Event()

        def work() -> None:
            try:
                answer = _outcome(request_id, lambda: self._told(
                    request, lambda asked: self._answer(
                        handler, {**asked, fields.BEGUN: begun}, stop)))
                with self._jobs_lock:  # before the answer is out: its reader may use the id again
                    del self._jobs[request_id]
                self._in_hand.give_back(size, self._who)
                self._send(answer, job=True)
            finally:
                with self._written:
                    self._threads.discard(threading.current_thread())
                    self._written.notify_all()

        thread = threading.Thread(target=work, daemon=True)
        with self._written:
            # A thread whose answer is out may not be gone yet; one that cannot write holds us up.
            while (len(self._jobs) < MAX_IN_FLIGHT <= len(self._threads)
                   and self._output.has_reader()):
                self._written.wait(PATIENCE_SECONDS)
            busy = request_id in self._jobs
            full = len(self._threads) >= MAX_IN_FLIGHT
            room = not busy and not full and self._in_hand.take(size, self._who)
            if room:
                self._jobs[request_id] = stop
                self._threads.add(thread)
        if busy:
            self._error(request_id, f"id: a request {shown(request_id)} is still in flight", "id")
        elif full:
            self._error(request_id, f"{MAX_IN_FLIGHT} requests are in flight already", "")
        elif not room:
            self._error(request_id, f"requests of {MAX_IN_HAND_BYTES} bytes are in flight already",
                        "")
        else:
            self._run(thread, request_id, size)

    def _answer(
        self,
        handler: Callable[[Request, threading.Event], Answer],
        request: Request,
        stop: threading.Event,
    ) -> Answer:
        """Answer a long request once there is capacity for it; notify clients that wait."""
        if self._capacity is None:
            return handler(request, stop)
        if (known := self._kept(request)) is not None:
            return known
        told: list[int | None] = []
        made_way: list[bool] = []  # one if it ends as others wait

        def waiting(before: int | None) -> None:
            told.append(before)
            interim = {"id": request["id"], "waiting": before, "final": False}
            self._send(_encoded(interim), job=True)

        with self._capacity.room(
                request, stop, waiting, self._who, lambda: made_way.append(True)) as granted:
            if stop.is_set() and not self._output.has_reader():
                raise BadRequest(fields.STOPPED, "")
            if told and not stop.is_set():
                waiting(None)
            begun = time.monotonic()
            try:
                answer = handler({**granted, fields.BEGUN: begun}, stop)
            except BadRequest as error:
                error.made_way = bool(made_way)
                raise
            if told:
                answer = {**answer, "waited": round(begun - request[fields.BEGUN], 3)}
            return {**answer, "made_way": True} if made_way else answer

    def _kept(self, request: Request) -> Answer | None:
        """Return the answer to a review that is kept, which waits for no search; else None."""
        if self._reviews is None or request["action"] != "review":
            return None
        found = actions.reviewed(request, self._reviews)
        return None if found is None else _of_review(request, found)

    def _told(self, request: Request, handler: Callable[[Request], Answer]) -> Answer:
        """Answer a request, and add what is to be told of it.

        These are `unused`, the keys that it does not use, and `notes`, what it did not do as asked
        and what the positions left out.
        """
        told: list[str] = []
        answer = handler({**request, fields.NOTES: told})
        known = self._keys.get(request["action"])
        if known is not None and (left_over := unused(request, known)):
            answer = {**answer, "unused": left_over}
        if known is not None and "threads" in known:
            most = self._capacity.threads if self._capacity else cores()
            if note := actions.thread_note(request, self._agents, most):
                told.insert(0, note)
        return {**answer, "notes": [*answer.get("notes", ()), *told]} if told else answer

    def _run(self, thread: threading.Thread, request_id: Id, size: int) -> None:
        try:
            thread.start()
        except RuntimeError:  # the system has no threads left
            with self._jobs_lock:
                del self._jobs[request_id]
                self._threads.discard(thread)
            self._in_hand.give_back(size, self._who)
            self._error(request_id, "the system cannot start another thread", "")

    def _refuse(self, request_id: Id | None, error: BadRequest) -> None:
        self._error(request_id, str(error), error.field)

    def _error(self, request_id: Id | None, message: str, where: str) -> None:
        self._send(_encoded(_error(request_id, message, where)))

    def _send(self, line: bytes, job: bool = False) -> None:
        """Write one line; failures in a job's thread are handled by the main thread."""
        try:
            self._output.write(line)
        except OSError as error:
            self._failure = self._failure or error
            self.stop_all()
            if not job:
                raise

    # -- jobs --------------------------------------------------------------------------------

    def stop_all(self) -> None:
        """Stop everything in flight; it is answered with what it has."""
        with self._jobs_lock:
            for stop in self._jobs.values():
                stop.set()

    def _join(self, interrupted: Callable[[], bool] = lambda: False) -> None:
        """Wait for all jobs, or for a signal.

        Raises:
            BrokenPipeError: the answers have no reader any more.
            OSError: an answer could not be written.
        """
        while True:
            with self._jobs_lock:
                running = next(iter(self._threads | self._slow), None)
            if self._failure is not None:
                raise self._failure
            if running is None or interrupted():
                return
            if not self._output.has_reader():
                raise BrokenPipeError
            running.join(0.1)

    def _stop(self, request: Request) -> Answer:
        target = _id_in(request, "target", "the id of a query")
        with self._jobs_lock:
            stop = self._jobs.get(target)
            if stop is not None:
                stop.set()
        return {"target": target, "stopped": stop is not None}

    # -- actions that need the engine --------------------------------------------------------

    def _hello(self, request: Request) -> Answer:
        return {
            **engine_identity(),
            "protocol": PROTOCOL,
            "games": list(GAMES),
            **(self._capacity.told() if self._capacity else {}),
        }

    def _analyse(self, request: Request, stop: threading.Event) -> Answer:
        top = fields.optional_number(request, "top", 1, MAX_SHOWN_MOVES)

        def report(analysis: Analysis) -> None:
            interim = {"id": request["id"], **analysis.to_json(top), "final": False}
            self._send(_encoded(interim), job=True)

        every = fields.seconds(request, "report_every")
        progress = report if every else None
        analysis = actions.search(request, stop, self._agents, progress, every)
        return {**analysis.to_json(top), "final": True}

    def _review(self, request: Request, stop: threading.Event) -> Answer:
        from pavilion_ai.review.json_form import TOLD_MOVES

        def report(judgement: Judgement) -> None:
            interim = {"id": request["id"], "decision": judgement.to_json(TOLD_MOVES),
                       "final": False}
            self._send(_encoded(interim), job=True)

        return _of_review(
            request, actions.review(request, stop, report, self._agents, self._reviews))


def _id_in(request: Request, name: str, expected: str) -> Id:
    """Return the id of a request that stands in a field."""
    found = request.get(name)
    if isinstance(found, bool) or not isinstance(found, (str, int)):
        raise fields.refused(request, name, expected)
    if isinstance(found, str) and len(found) > MAX_ID_CHARACTERS:
        raise BadRequest(f"{name}: found {len(found)} characters, expected at most"
                         f" {MAX_ID_CHARACTERS}", name)
    return found


def _id_of(raw: bytes) -> Id | None:
    """Return the id of a line that is refused, None if it cannot be read."""
    try:
        return _id_in(fields.decode(raw, lenient_json), "id", "an id")
    except BadRequest:
        return None


def _of_review(request: Request, found: Answer) -> Answer:
    """Return the last answer to a review, whose record has an id too."""
    return {**found, "id": request["id"], "record": found["id"], "final": True}


def _outcome(request_id: Id, handler: Callable[[], Answer]) -> bytes:
    """Run a handler and return the line of its answer, or of one with its error."""
    try:
        return _encoded({"id": request_id, **handler()})
    except BadRequest as error:
        refused = _error(request_id, str(error), error.field)
        return _encoded({**refused, "made_way": True} if error.made_way else refused)
    except PositionError as error:
        fault = error.in_one_line, "position"
    except (SpecError, NetworkError) as error:
        fault = str(error), "agent"
    except MoveError as error:
        fault = f"moves: {error}", "moves"
    except PavilionError as error:
        fault = str(error), ""
    except (ArithmeticError, RecursionError, MemoryError) as error:
        fault = f"{type(error).__name__}: {error}", ""
    except BaseException as error:  # an internal fault, or an agent's own exit, ends no engine
        if (isinstance(error, KeyboardInterrupt)
                and threading.current_thread() is threading.main_thread()):
            raise
        fault = f"internal error: {type(error).__name__}: {error}", ""
    return _encoded(_error(request_id, *fault))


def _error(request_id: Id | None, message: str, where: str) -> Answer:
    return {"id": request_id, "error": " ".join(message.split()), "field": where}


def _encoded(answer: Answer) -> bytes:
    """Return the line of an answer; its numbers may be of other kinds, as those of numpy."""
    return json.dumps(answer, allow_nan=False, default=_number).encode() + b"\n"


def _number(value: object) -> int | float:
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(f"found {shown(value)}, expected what JSON can hold")
