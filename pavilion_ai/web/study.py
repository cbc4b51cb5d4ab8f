"""What the page tells of a position besides moves: expected parts of scores, reasons, puzzles."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev

from pavilion_ai.analysis import lead
from pavilion_ai.bounds import MAX_LEVEL, MAX_SEED
from pavilion_ai.errors import MoveError
from pavilion_ai.forecast import Parts, mean_parts, played_out
from pavilion_ai.play import Play
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.actions import Answer, setting
from pavilion_ai.protocol.fields import BadRequest, Request
from pavilion_ai.puzzles.puzzle import Option, Puzzle, shipped
from pavilion_ai.render import describe, one_short
from pavilion_ai.render.words import joined
from pavilion_ai.web.waiting import taken

GAMES = 100  # that a forecast plays out
COMPARED_GAMES = 400
NOTABLE = 0.75
"""Points from which a difference is told, if it is also beyond its error."""
ERRORS = 3
"""Standard errors from which a difference is told: one is 0.3 to 1 point. Eight differences or so
are looked at, and with 2 errors chance alone would give a reason in one of seven explanations."""
TOLD_MOVES = 2  # of a line, after its first
KEYS = {
    "outlook": frozenset({"position", "seed"}),
    "explain": frozenset({"position", "moves", "lines", "seed"}),
    "puzzles": frozenset({"game", "board", "players"}),
    "puzzle": frozenset({"game", "board", "players", "number"}),
}
"""What the actions read, by name."""
ASIDE = frozenset({"outlook", "explain"})
"""Actions that take a moment: others are answered meanwhile."""
_FROM = {"play": "placements and losses", "stars": "full stars", "numbers": "full sets of numbers",
         "rows": "full rows", "columns": "full columns", "colours": "full colours"}


class Study:
    """The actions; of all sockets together, one forecast is made at a time."""

    def __init__(self) -> None:
        self._forecasts = threading.Lock()

    def actions(self, closed: threading.Event) -> Mapping[str, Callable[[Request], Answer]]:
        """Return the actions of one socket, by name; once `closed`, no forecast begins."""
        left = closed.is_set
        return {"outlook": lambda request: self._outlook(request, left),
                "explain": lambda request: self._explain(request, left),
                "puzzles": _puzzles, "puzzle": _puzzle}

    def _played_out(
        self, play: Play, games: int, seed: int, left: Callable[[], bool]
    ) -> list[Parts]:
        with taken(self._forecasts, left):
            return played_out(play, games, seed)

    def _outlook(self, request: Request, left: Callable[[], bool]) -> Answer:
        """Tell the expected parts of the final scores, and what is one tile short."""
        position = fields.position(request)
        seed = fields.number(request, "seed", 0, MAX_SEED, 0)
        ends = self._played_out(Play(position), GAMES, seed, left)
        return {"games": len(ends), "parts": [_rounded(seat) for seat in mean_parts(ends)],
                "short": [lack.to_json() for lack in one_short(position)]}

    def _explain(self, request: Request, left: Callable[[], bool]) -> Answer:
        """Say in words what two moves lead to, and what the second one costs."""
        play = fields.decision(request)
        moves = fields.strings(request, "moves")
        if len(moves) != 2:
            raise fields.refused(request, "moves", "two moves, the better one first")
        seed = fields.number(request, "seed", 0, MAX_SEED, 0)
        lines = _lines(request, moves)
        told = [_told(play, line) for line in lines]
        ends = [self._played_out(_after(play, move), COMPARED_GAMES, seed, left)
                for move in moves]
        seat = play.turn
        assert seat is not None  # a decision has a mover
        return {"moves": [{**one, "games": len(games),
                           "parts": [_rounded(row) for row in mean_parts(games)]}
                          for one, games in zip(told, ends, strict=True)],
                "cost": _cost(moves, ends, seat)}


def _rounded(parts: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in parts.items()}


def _after(play: Play, move: str) -> Play:
    following = Play(play.position)
    following.push(move)
    return following


def _lines(request: Request, moves: Sequence[str]) -> list[list[str]]:
    """Return how play is expected to continue after each move, the move first.

    Raises:
        BadRequest: a line does not begin with its move.
    """
    given = request.get("lines")
    if given is None:
        return [[move] for move in moves]
    expected = "for each move a list of moves that begins with it"
    if not isinstance(given, list) or len(given) != len(moves):
        raise fields.refused(request, "lines", expected)
    for line, move in zip(given, moves, strict=True):
        if not (isinstance(line, list) and all(isinstance(one, str) for one in line)
                and line[:1] == [move]):
            raise fields.refused(request, "lines", expected)
    return given


def _told(play: Play, line: Sequence[str]) -> Answer:
    """Put a move and the moves that are expected after it into words.

    Raises:
        BadRequest: a move is illegal.
    """
    following = Play(play.position)
    words: list[Answer] = []
    for move in line[: TOLD_MOVES + 1]:
        seat = following.turn
        if seat is None:
            break  # tiles are drawn: the line ends there
        try:
            text = describe(following.position, move)
            following.push(move)
        except MoveError as error:
            raise BadRequest(f"moves: {error}", "moves") from None
        words.append({"seat": seat, "words": text})
    return {"move": line[0], "words": words[0]["words"], "next": words[1:]}


def _cost(moves: Sequence[str], ends: Sequence[Sequence[Parts]], seat: int) -> str:
    """Say in sentences which points the second move costs; empty if there are none to speak of.

    What is printed adds up: parts are rounded first, and where their sum is told, what is not told
    of them stands last.

    Args:
        moves: the better one and the other.
        ends: ends of games played out after each of them, which are compared one by one.
        seat: the one to move.
    """
    best, other = moves
    pairs = list(zip(*ends, strict=False))  # time may end the games after one move sooner
    parts = {name: [worse[seat][name] - better[seat][name] for better, worse in pairs]
             for name in pairs[0][0][seat]}
    totals = [[after - before for before, after in zip(*map(_totals, pair), strict=True)]
              for pair in pairs]
    gains = {one: fmean(values) for one, values in enumerate(zip(*totals, strict=True))
             if _notable(values)}
    changes = {name: round(fmean(values), 1) for name, values in parts.items()}
    told = {_FROM[name]: changes[name] for name, values in parts.items() if _notable(values)}
    if not told and not gains:
        return ""
    own = f"neither clearly more nor clearly fewer points than {best}"
    if seat in gains:
        whole = round(sum(changes.values()), 1)
        own = f"{_compared(whole, ' points')} than {best}"
        rest = round(whole - sum(told.values()), 1)
        if told and rest:
            told["all else"] = rest
    said = f"Played out to the end, {other} brings you {own} on average"
    if told:
        said += ": " + ", ".join(f"{_compared(value)} from {name}" for name, value in told.items())
    given = [f"seat {rival} gets {_compared(value, ' points')}" for rival, value in gains.items()
             if rival != seat]
    said += f". {joined(given).capitalize()}." if given else "."
    before, after = (lead(_totals(mean_parts(games)), seat) for games in zip(*pairs, strict=True))
    if after >= before:
        said += f" These quick games do not favour {best}; the search sees further than they do."
    return said


def _notable(differences: Sequence[float]) -> bool:
    """Tell whether the mean of differences is worth telling: neither small nor noise.

    >>> _notable([1.0, 2.0, 1.0, 2.0]), _notable([0.1, 0.2]), _notable([9.0, -7.0, 9.0, -7.0])
    (True, False, False)
    """
    error = stdev(differences) / sqrt(len(differences))
    return abs(fmean(differences)) >= max(NOTABLE, ERRORS * error)


def _compared(value: float, unit: str = "") -> str:
    """Say how many points more or fewer.

    >>> _compared(-1.25, " points"), _compared(0.5)
    ('1.2 points fewer', '0.5 more')
    """
    return f"{abs(value):.1f}{unit} {'more' if value > 0 else 'fewer'}"


def _totals(parts: Parts) -> tuple[float, ...]:
    return tuple(sum(one.values()) for one in parts)


# -- puzzles ---------------------------------------------------------------------------------


def _series(request: Request) -> tuple[Puzzle, ...]:
    rules, board, players = setting(request)
    found = shipped(rules.name, board, players)
    if not found:
        raise BadRequest(f"game: no puzzles ship for {rules.name}, {board} boards, {players}"
                         " players", "game")
    return found


def _puzzles(request: Request) -> Answer:
    """List the levels of the puzzles of a variant, by number, and their names."""
    found = _series(request)
    return {"levels": [puzzle.level for puzzle in found],
            "names": [name_of_position(puzzle.position) for puzzle in found]}


def name_of_position(code: str) -> str:
    """Return the name of the puzzle of a position, which stays when others come and go."""
    return hashlib.sha256(code.encode()).hexdigest()[:8]


def _puzzle(request: Request) -> Answer:
    """Return a puzzle, and what it asks for."""
    found = _series(request)
    number = fields.number(request, "number", 0, len(found) - 1, 0)
    puzzle = found[number]
    play = Play(puzzle.start())
    return {"number": number, "count": len(found), "of": MAX_LEVEL, "seat": play.turn,
            **puzzle.to_json(),
            "words": {"solution": _words(play, puzzle.solution),
                      "tempting": _words(play, puzzle.tempting)}}


def _words(play: Play, option: Option) -> str:
    return describe(play.position, option.move)
