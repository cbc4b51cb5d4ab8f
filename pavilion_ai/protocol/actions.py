"""The actions of the protocol, each a function from a request to its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pavilion_ai.bounds import DEFAULT_SECONDS, MAX_DEPTH, MAX_SEED, MAX_THREADS
from pavilion_ai.errors import MoveError, SpecError, shown
from pavilion_ai.games import DEFAULT_GAME, GAMES, Game, game_of
from pavilion_ai.notation import format_position, to_json
from pavilion_ai.position import Position
from pavilion_ai.protocol import fields

if TYPE_CHECKING:
    from pavilion_ai.agents import AgentSpec
    from pavilion_ai.analysis import Analysis, Limits

DEFAULT_AGENT = "default"

_PERFT_PIECE = 3  # plies counted without listening for `stop`

Answer = dict[str, Any]


def new(request: fields.Request) -> Answer:
    """Set up a new game."""
    name = fields.string(request, "game", DEFAULT_GAME)
    game: Game | None = GAMES.get(name)
    if game is None:
        message = f"game: found {shown(name)}, expected one of {', '.join(GAMES)}"
        raise fields.BadRequest(message, "game")
    board = fields.string(request, "board", "coloured")
    if board not in game.boards:
        message = f"board: found {shown(board)}, expected one of {', '.join(game.boards)}"
        raise fields.BadRequest(message, "board")
    players = fields.number(request, "players", game.min_players, game.max_players, 2)
    seed = fields.optional_number(request, "seed", 0, MAX_SEED)
    return {"position": to_json(game.new(board=board, players=players, seed=seed))}


def show(request: fields.Request) -> Answer:
    """Give a position in one of its forms."""
    form = fields.string(request, "format", "json")
    position = fields.position(request)
    if form == "json":
        return {"position": to_json(position)}
    if form in ("text", "code"):
        return {"text": format_position(position, form)}
    raise fields.BadRequest(f"format: found {shown(form)}, expected json, text or code", "format")


def moves(request: fields.Request) -> Answer:
    """List the legal moves, or name the chance phase."""
    position = fields.position(request)
    game = game_of(position)
    chance = game.chance(position)
    return {"chance": chance} if chance else {"moves": game.legal_moves(position)}


def apply(request: fields.Request) -> Answer:
    """Play moves; chance that is not given is drawn, or with `draw` false left to the caller."""
    position = fields.position(request)
    game = game_of(position)
    moves = fields.strings(request, "moves")
    seed = fields.optional_number(request, "seed", 0, MAX_SEED)
    if fields.flag(request, "draw", True):
        position, played = game.play(position, moves, seed=seed)
        return {"position": to_json(position), "played": played}
    played = []
    for move in moves:
        canonical = game.canonical(position, move)
        position = game.apply(position, canonical)
        played.append(canonical)
    return {"position": to_json(position), "played": played}


def perft(request: fields.Request, stop: threading.Event) -> Answer:
    """Count leaf nodes."""
    if request.get("depth") is None:
        raise fields.BadRequest("depth: missing, expected a whole number", "depth")
    depth = fields.number(request, "depth", 0, MAX_DEPTH, 0)
    return {"nodes": _count(fields.position(request), depth, stop)}


def _count(position: Position, depth: int, stop: threading.Event) -> int:
    """Count leaf nodes in small pieces, so that `stop` is heard between them.

    Raises:
        BadRequest: the count was stopped.
    """
    game = game_of(position)
    if stop.is_set():
        raise fields.BadRequest("stopped before the count was complete", "")
    if depth <= _PERFT_PIECE or position.phase == "over":
        return game.perft(position, depth)
    state = game.to_core(position)
    state.settle()
    position = game.from_core(state)
    children = (game.apply(position, move) for move in game.legal_moves(position))
    return sum(_count(child, depth - 1, stop) for child in children)


def agent_spec(text: str, own: bool = False) -> AgentSpec:
    """Take the spec of an agent apart that searches for the protocol.

    Args:
        own: it comes from whoever started the engine, not from a request.

    Raises:
        SpecError: there is no such agent, or it would be a program, or a request's would read a
            file: whoever can send requests may not start programs or read files by that.
    """
    from pavilion_ai.agents import EXTERNAL, parse_spec

    spec = parse_spec(text)
    if spec.name == EXTERNAL:
        raise SpecError(f"agent {shown(text)}: the protocol starts no other programs")
    if not own and isinstance(spec.options.get("net"), str):
        raise SpecError(f"agent {shown(text)}: the protocol reads no files, expected net=0 or"
                        " net=1")
    return spec


def search(
    request: fields.Request,
    limits: Limits | None,
    stop: threading.Event,
    agent: str = DEFAULT_AGENT,
    on_progress: Callable[[Analysis], None] | None = None,
    report_every: float | None = None,
) -> Analysis:
    """Let the agent of a request search its position.

    Args:
        limits: those of the request; without any those of the agent's spec, else the default time.
        agent: spec of who searches if the request does not say.

    Raises:
        BadRequest: a field is wrong, or nobody is to move.
        SpecError: as `agent_spec`.
    """
    from pavilion_ai.agents import make_agent
    from pavilion_ai.analysis import Limits

    threads = fields.optional_number(request, "threads", 1, MAX_THREADS)
    seed = fields.number(request, "seed", 0, MAX_SEED, 0)
    spec = fields.string(request, "agent", agent)
    parsed = agent_spec(spec, own=spec == agent)
    if limits is None and not parsed.has_limit:
        limits = Limits(seconds=DEFAULT_SECONDS)
    return make_agent(spec).analyse(
        fields.decision(request),
        limits=limits,
        threads=threads,
        seed=seed,
        on_progress=on_progress,
        report_every=report_every,
        stop=stop,
    )


def choose(
    request: fields.Request, stop: threading.Event, agent: str = DEFAULT_AGENT
) -> Answer:
    """Name the best of the legal moves, or of those that the request offers."""
    given = request.get("limits")
    if given is not None and not isinstance(given, dict):
        raise fields.BadRequest(f"limits: found {shown(given)}, expected an object", "limits")
    limits = fields.limits(given or {}, "limits")
    position = fields.decision(request)
    offered: list[str] | None = None
    if request.get("legal_moves") is not None:
        offered = fields.strings(request, "legal_moves")
        if not offered:
            raise fields.BadRequest("legal_moves: empty, expected at least one move", "legal_moves")
    names = _named(position, offered) if offered else {}
    if len(names) == 1:
        return {"move": next(iter(names.values()))}
    ranked = [stats.move for stats in search(request, limits, stop, agent).moves]
    if not offered:
        return {"move": ranked[0]}
    best = [names[move] for move in ranked if move in names]
    # A search may leave out moves that it takes to be dominated; any offered one is legal.
    return {"move": best[0] if best else next(iter(names.values()))}


def _named(position: Position, offered: list[str]) -> dict[str, str]:
    """Return the moves offered by their canonical strings, each as it was written.

    Raises:
        BadRequest: one of them is not legal.
    """
    game = game_of(position)
    try:
        return {game.canonical(position, move): move for move in offered}
    except MoveError as error:
        raise fields.BadRequest(f"legal_moves: {error}", "legal_moves") from None
