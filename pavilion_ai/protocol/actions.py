"""The actions of the protocol, each a function from a request to its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Protocol

from pavilion_ai.bounds import (
    ANALYSIS_SECONDS,
    MAX_DEPTH,
    MAX_SEED,
    MAX_SHOWN_MOVES,
    REVIEW_SECONDS,
)
from pavilion_ai.errors import MoveError, PavilionError, in_one_line, named_move
from pavilion_ai.games import DEFAULT_GAME, GAMES, Rules, rules_of
from pavilion_ai.notation import format_position, to_json
from pavilion_ai.play import Play, mover_of, push_each
from pavilion_ai.position import Position
from pavilion_ai.processors import cores, threads_note
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.agents import DEFAULT_AGENT, agent_spec

if TYPE_CHECKING:
    from pavilion_ai.agents import Agent
    from pavilion_ai.analysis import Analysis
    from pavilion_ai.focus import Focus
    from pavilion_ai.limits import Limits
    from pavilion_ai.protocol.agents import Agents
    from pavilion_ai.protocol.turns import Turns
    from pavilion_ai.record import GameRecord
    from pavilion_ai.review import Judgement
    from pavilion_ai.spec import AgentSpec

MAX_COLUMNS = 4  # boards side by side in a picture
MAX_NAME = 100  # characters of the name of a seat that a picture shows at most
CLOCKED_SECONDS = 1.0  # for which a search on a clock lets others have their turn at most
_PERFT_PLIES, _PERFT_NODES = 3, 10**6  # counted at most without checking for `stop`

Answer = dict[str, Any]


def setting(request: fields.Request) -> tuple[Rules, str, int]:
    """Return the rules, the side of the boards and the number of players of a new game."""
    name = fields.string(request, "game", DEFAULT_GAME)
    rules: Rules | None = GAMES.get(name)
    if rules is None:
        raise fields.refused(request, "game", f"one of {', '.join(GAMES)}")
    board = fields.string(request, "board", "coloured")
    if board not in rules.boards:
        raise fields.refused(request, "board", f"one of {', '.join(rules.boards)}")
    return rules, board, fields.number(
        request, "players", rules.min_players, rules.max_players, 2)


def new(request: fields.Request) -> Answer:
    """Set up a new game."""
    rules, board, players = setting(request)
    seed = fields.optional_number(request, "seed", 0, MAX_SEED)
    return {"position": to_json(rules.new(board=board, players=players, seed=seed))}


def show(request: fields.Request) -> Answer:
    """Convert a position to one of the forms."""
    form = fields.string(request, "format", "json")
    position = fields.position(request)
    if form == "json":
        return {"position": to_json(position)}
    if form in ("text", "code"):
        return {"text": format_position(position, form)}
    if form == "svg":
        return {"text": picture(request, position)}
    raise fields.refused(request, "format", "json, text, code or svg")


def picture(request: fields.Request, position: Position) -> str:
    """Draw a position, with the names that a request gives the seats."""
    from pavilion_ai.render import BOARDS_BESIDE, breakdown_of, draw_svg
    from pavilion_ai.render.dark import alone, darkened

    names = fields.strings(request, "names") if request.get("names") is not None else []
    if names and len(names) != position.players:
        raise fields.refused(request, "names", f"a name for each of {position.players} seats")
    picture = draw_svg(position, names=[name[:MAX_NAME] for name in names],
                       breakdown=breakdown_of(position),
                       columns=fields.number(request, "columns", 1, MAX_COLUMNS, BOARDS_BESIDE),
                       first=fields.number(request, "first", 0, position.players - 1, 0),
                       shrinks=False)
    if fields.flag(request, "dark", False):
        return darkened(picture)
    return alone(picture) if fields.flag(request, "alone", False) else picture


def moves(request: fields.Request) -> Answer:
    """List the legal moves, or name the chance phase."""
    position = fields.position(request)
    play = Play(position)
    if play.chance:
        return {"chance": play.chance}
    moves = list(play.legal_moves)
    if not fields.flag(request, "describe", False):
        return {"moves": moves}
    return {"moves": moves, "described": described(play)}


def described(play: Play) -> list[Answer]:
    """Return the legal moves with words, and with the places to click on."""
    from pavilion_ai.render import choice, describe

    position = play.position
    return [{"move": move, "words": describe(position, move), **choice(position, move).to_json()}
            for move in play.legal_moves]


def apply(request: fields.Request) -> Answer:
    """Play moves; missing chance moves are drawn, or with `draw` false left to the caller."""
    play = Play(fields.position(request))
    done = played(request, play)
    return {"position": to_json(play.position), "played": done}


def played(request: fields.Request, play: Play) -> list[str]:
    """Play the moves of a request, and the draws that are due; return what was played."""
    moves = fields.strings(request, "moves")
    seed = fields.optional_number(request, "seed", 0, MAX_SEED)
    if fields.flag(request, "draw", True):
        return play.push_all(moves, seed)
    return push_each(play, moves)


def replay(request: fields.Request) -> Answer:
    """Say who played each of the moves from a position on, and what it did, in words."""
    from pavilion_ai.render import describe

    play = Play(fields.position(request))
    plies: list[Answer] = []
    for number, move in enumerate(fields.strings(request, "moves"), 1):
        before = play.position
        with named_move(number):
            canonical = play.push(move)
        plies.append({"ply": number, "move": canonical, "seat": before.to_move,
                      "round": before.round, "phase": before.phase,
                      "words": describe(before, canonical), "scores": list(play.scores())})
    return {"plies": plies, "position": to_json(play.position)}


def perft(request: fields.Request, stop: threading.Event, turns: Turns) -> Answer:
    """Count leaf nodes."""
    if request.get("depth") is None:
        raise fields.refused(request, "depth", "a whole number")
    depth = fields.number(request, "depth", 0, MAX_DEPTH, 0)
    position = fields.position(request)
    with turns.taken(stop) as turn:
        return {"nodes": _count(position, depth, turn)}


def _count(position: Position, depth: int, stop: threading.Event) -> int:
    """Count leaf nodes in small pieces, checking for `stop` between them.

    Raises:
        BadRequest: the count was stopped.
    """
    rules = rules_of(position)
    if stop.is_set():
        raise fields.BadRequest("stopped before the count was complete", "")
    state = rules.to_core(position)
    state.settle()
    if depth <= 1 or state.over:
        return state.perft(depth)
    position = rules.from_core(state)
    moves = rules.legal_moves(position)
    if depth <= _PERFT_PLIES and len(moves) ** depth <= _PERFT_NODES:
        return state.perft(depth)
    children = (rules.apply(position, move) for move in moves)
    return sum(_count(child, depth - 1, stop) for child in children)


def search(
    request: fields.Request,
    stop: threading.Event,
    agents: Agents,
    on_progress: Callable[[Analysis], None] | None = None,
    report_every: float | None = None,
) -> Analysis:
    """Search a request's position with its agent.

    Raises:
        BadRequest: a field is wrong, or no seat is to move.
        SpecError: as `agent_spec`.
    """
    play = fields.decision(request)
    focus = _focus(play, request)
    limits = fields.clocked(request, play)
    with _lent(request, play, limits, agents, stop) as (agent, asked):
        return agent.analyse(
            play,
            **asdict(focus),
            on_progress=on_progress,
            report_every=report_every,
            **asked,
        )


class Reviews(Protocol):
    """Where finished reviews are kept, by all that they depend on."""

    def get(self, asked: Mapping[str, object], request: fields.Request) -> Answer | None:
        """Return a review that is kept, if the request does not want another one."""

    def add(self, asked: Mapping[str, object], review: Answer) -> None:
        """Keep a review."""


def review(
    request: fields.Request,
    stop: threading.Event,
    on_judged: Callable[[Judgement], None],
    agents: Agents,
    reviews: Reviews | None = None,
) -> Answer:
    """Judge every decision of a record; answer with the object of `review --json`.

    Args:
        reviews: those that are kept; one of them is not made again.
    """
    from pavilion_ai.limits import Limits
    from pavilion_ai.review import Judge, review_game
    from pavilion_ai.spec import capped

    record, limits, seed, asked = _asked(request)
    jobs = min(_jobs(request), cores())
    if reviews is not None and (known := reviews.get(asked, request)) is not None:
        return known
    with agents.memory_for(request, limits, jobs, stop) as (spec, memory):
        judge = Judge(capped(spec, 1), Limits(limits.sims, limits.seconds, memory), seed)
        with agents.turns.taken(stop, jobs) as turn:
            found = review_game(record, judge, jobs=jobs, on_judged=on_judged, stop=turn)
    answer = found.to_json()
    if reviews is not None and found.complete:
        reviews.add(asked, answer)
    return answer


def reviewed(request: fields.Request, reviews: Reviews) -> Answer | None:
    """Return the answer to a `review` if it is kept; None also for one that is to be refused."""
    with suppress(PavilionError):
        *_, asked = _asked(request)
        return reviews.get(asked, request)
    return None


def _asked(request: fields.Request) -> tuple[GameRecord, Limits, int, Mapping[str, object]]:
    """Return record, limits and seed of a `review`; and all that it depends on, as JSON.

    Raises:
        BadRequest: a field is wrong.
    """
    from pavilion_ai.limits import Limits
    from pavilion_ai.network import shipped
    from pavilion_ai.record import GameRecord
    from pavilion_ai.version import engine_identity

    if "record" not in request:
        raise fields.refused(request, "record", "a record object")
    try:
        record = GameRecord.from_json(request["record"])
    except PavilionError as error:
        raise fields.BadRequest(f"record: {in_one_line(error)}", "record") from None
    limits = fields.limits(request) or Limits(seconds=REVIEW_SECONDS)
    seed = fields.number(request, "seed", 0, MAX_SEED, 0)
    network = shipped(*record.start.variant)
    return record, limits, seed, {
        "engine": engine_identity(), "network": network.sha256, "record": record.to_json(),
        "seed": seed, "agent": fields.string(request, "agent", DEFAULT_AGENT),
        "sims": limits.sims, "seconds": limits.seconds}


def choose(request: fields.Request, stop: threading.Event, agents: Agents) -> Answer:
    """Return the best of the legal moves, or of those that the request lists."""
    play = fields.decision(request)
    limits = fields.clocked(request, play)
    names = _named(play, request, "legal_moves")
    avoided = _named(play, request, "avoid")
    offered = names or {move: move for move in (play.legal_moves if avoided else ())}
    left = [move for move in offered if move not in avoided]
    if offered and not left:
        raise fields.BadRequest("avoid: found all moves on offer, expected at least one to be left",
                                "avoid")
    if len(left) == 1 and (limits is not None or agents.spec_of(request).clock is None):
        return {"move": names.get(left[0], left[0])}
    with _lent(request, play, limits, agents, stop) as (agent, asked):
        if agent.ranks and names and len(names) < len(play.legal_moves):
            asked["only"] = left
        elif agent.ranks:
            asked["avoid"] = list(avoided)
        chosen = agent.decide(play, **asked).move
    try:
        move = play.ply_of(chosen).move
    except MoveError as error:  # of an agent of somebody's own
        raise fields.BadRequest(f"agent: chose what cannot be played: {error}", "agent") from None
    if left and move not in left:  # an agent that does not rank moves
        move = left[0]
    return {"move": names.get(move, move)}


@contextmanager
def _lent(
    request: fields.Request, play: Play, limits: Limits | None, agents: Agents,
    stop: threading.Event,
) -> Iterator[tuple[Agent, dict[str, Any]]]:
    """Yield the agent of a request, and the arguments of its search, when it is its turn.

    Args:
        play: whose seat to move the search is for.
        limits: limits of the request; None for those of the agent's spec, or else the default time.
    """
    from pavilion_ai.limits import Limits, LimitsSince
    from pavilion_ai.search import most_threads

    threads = fields.threads(request)
    seed = fields.number(request, "seed", 0, MAX_SEED, 0)
    with agents.lent(request, limits, stop) as (agent, spec, memory):
        if limits is None:
            limited = spec.has_limit or agent.limited
            limits = Limits() if limited else Limits(seconds=ANALYSIS_SECONDS)
        threads = min(threads or spec.threads, most_threads())
        begun = request[fields.BEGUN]
        asked = {"threads": threads, "seed": seed,
                 "limits": LimitsSince.of(replace(limits, memory_mib=memory), begun)}
        if not spec.searches:
            yield agent, {**asked, "stop": stop}
            return
        seconds = _seconds(play, limits, spec)
        until = None if seconds is None else begun + seconds
        with agents.turns.taken(stop, threads, until) as turn:
            yield agent, {**asked, "stop": turn}


def _seconds(play: Play, limits: Limits, spec: AgentSpec) -> float | None:
    """Return for how long a search may let others have their turn; None: always."""
    from pavilion_ai.limits import least_of
    from pavilion_ai.pace import MOST_SHARE

    if not limits.is_set:
        time = spec.options.get("time", None if spec.clock is None else CLOCKED_SECONDS)
        return None if time is None else float(time)
    left = limits.left(mover_of(play))
    if left is None:
        return limits.seconds
    return least_of(limits.seconds, CLOCKED_SECONDS, MOST_SHARE * left)


def thread_note(request: fields.Request, agents: Agents, most: int) -> str | None:
    """Return what to say of a request that gets fewer threads than it names; None: nothing.

    Args:
        most: threads that a search may have.
    """
    from pavilion_ai.search import note_of_threads

    try:
        if request["action"] != "review":
            return note_of_threads(agents.threads(request), most)
        wanted = _jobs(request)
    except PavilionError:  # refused where it is read
        return None
    return None if wanted <= most else threads_note(wanted, most)


def _jobs(request: fields.Request) -> int:
    """Return how many threads a review names, itself or by its agent."""
    return (fields.threads(request)
            or agent_spec(fields.string(request, "agent", DEFAULT_AGENT)).threads)


def _focus(play: Play, request: fields.Request) -> Focus:
    """Return which moves a request wants searched.

    Raises:
        BadRequest: a move is not legal, or the fields contradict each other.
    """
    from pavilion_ai.focus import Focus, FocusError

    even = fields.number(request, "even", 1, MAX_SHOWN_MOVES, 0)
    only, compare, avoid = (
        list(_named(play, request, name)) for name in ("only", "compare", "avoid"))
    try:
        return Focus.of(play, only, compare, even, avoid)
    except FocusError as error:
        raise fields.BadRequest(str(error), error.option) from None


def _named(play: Play, request: fields.Request, name: str) -> dict[str, str]:
    """Return the moves that a request lists: a mapping from canonical strings to its own.

    Raises:
        BadRequest: a move is not legal, or the list is empty.
    """
    if request.get(name) is None:
        return {}
    moves = fields.strings(request, name)
    if not moves:
        raise fields.BadRequest(f"{name}: empty, expected at least one move", name)
    try:
        return {play.ply_of(move).move: move for move in dict.fromkeys(moves)}
    except MoveError as error:
        raise fields.BadRequest(f"{name}: {error}", name) from None
