"""The moves that a person is offered: ideas, each with a number."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import MoveStats, uninterrupted
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.render import describe, idea
from pavilion_ai.render.steps import Idea
from pavilion_ai.render.text import DIM, STRONG, Line, Span, length, line, pad, wrap

LISTED = 20
"""Most ideas listed unasked."""
_GAP = 2
_MOVE_WIDTH = 10


@dataclass(frozen=True)
class Offer:
    """An idea of the list.

    Attributes:
        move: the move that is meant by it: the cheapest, and of equal ones the first.
        words: its effect in a few words.
        also: what else comes to the same, in words.
    """

    move: str
    words: str
    also: str


class Menu:
    """The legal moves of a decision, in the order in which they are numbered from 1.

    First the ideas, then the other moves that come to one of them: the engine's likeliest first, or
    in the order of the legal moves.

    Args:
        play: the game, with a seat to move.
        numbered: whether somebody sees the list, so that its numbers mean something.
        hinting: whether the engine's opinion sorts the moves.
    """

    def __init__(self, play: Play, *, numbered: bool = True, hinting: bool = True) -> None:
        self.numbered = numbered
        self.position = play.position
        self.ideas: dict[str, Idea] = {
            move: idea(self.position, move) for move in play.legal_moves}
        self._priors = _priors(play) if hinting else {}
        groups: dict[Hashable, list[str]] = {}
        for move in sorted(self.ideas, key=self._rank):
            groups.setdefault(self.ideas[move].key, []).append(move)
        best = [self.cheapest(moves) for moves in groups.values()]
        self.offers = [
            Offer(move, self.ideas[move].words, self._also(move, moves))
            for move, moves in zip(best, groups.values(), strict=True)]
        rest = [move for move in sorted(self.ideas, key=self._rank) if move not in set(best)]
        self.moves: tuple[str, ...] = (*best, *rest)
        self.numbers = {move: number for number, move in enumerate(self.moves, 1)}

    def _rank(self, move: str) -> float:
        return -self._priors.get(move, 0.0)

    def cheapest(self, moves: Sequence[str]) -> str:
        """Return the move that costs least; of equal ones the first."""
        return min(moves, key=lambda move: (self.ideas[move].cost, self._rank(move)))

    def _also(self, meant: str, moves: Sequence[str]) -> str:
        """Name what comes to the same as the move that is meant."""
        if self.ideas[meant].key == "pass":
            return f"{len(moves)} ways" if len(moves) > 1 else ""
        places = list(dict.fromkeys(self.ideas[move].target.split(":")[0] for move in moves))
        places.remove(meant.split(":")[0])
        if len(places) > 2:
            return f"or {len(places)} others"
        return f"or {' or '.join(places)}" if places else ""

    def once_each(self, found: Iterable[MoveStats]) -> tuple[MoveStats, ...]:
        """Return the first move of each idea among those of a search."""
        first: dict[Hashable, MoveStats] = {}
        for stats in found:
            first.setdefault(self.ideas[stats.move].key, stats)
        return tuple(first.values())

    # -- as lines ----------------------------------------------------------------------------

    def lines(self, width: int, room: int) -> list[Line]:
        """Return the ideas, as many as `room` lines hold: in full if they fit, else in short."""
        also = {offer.move: f" ({offer.also})" for offer in self.offers if offer.also}
        whole = self.in_full([offer.move for offer in self.offers[:LISTED]], width, also)
        left = len(self.moves) - min(LISTED, len(self.offers))
        if len(whole) + bool(left) <= room:
            return [*whole, *self._left(left)]
        return self._in_short(width, max(2, room))

    def in_full(self, moves: Sequence[str], width: int,
                also: Mapping[str, str] = MappingProxyType({})) -> list[Line]:
        """Return moves with their numbers and effects in words, and what else is to be said."""
        column = max(map(len, moves), default=0) + 7
        rows: list[Line] = []
        for move in moves:
            left = pad(line(f"{self.numbers[move]:>4}  ", Span(move, STRONG)), column + 1)
            words = Span(describe(self.position, move) + also.get(move, ""), DIM)
            rows += wrap([*left, words], width, column + 1)
        return rows

    def _in_short(self, width: int, room: int) -> list[Line]:
        """Return the ideas in two columns; one that is too long takes a line for itself."""
        column = (width - _GAP) // 2
        rows: list[Line] = []
        shown, half = 0, False
        longest = max(len(offer.move) for offer in self.offers[:2 * room])
        for number, offer in enumerate(self.offers[:LISTED], 1):
            cell = _cell(number, offer, min(longest, _MOVE_WIDTH))
            if half and length(cell) <= column:
                rows[-1] = (*pad(rows[-1], column + _GAP), *cell)
                half = False
            elif len(rows) == room - 1:
                break
            else:
                rows.append(cell if length(cell) <= width else wrap(cell, width, 6)[0])
                half = length(cell) <= column
            shown = number
        return [*rows, *self._left(len(self.moves) - shown)]

    @staticmethod
    def _left(count: int) -> list[Line]:
        return [line(Span(f"      and {count} more: `moves` lists all", DIM))] if count else []


def _cell(number: int, offer: Offer, longest: int) -> Line:
    also = f" ({offer.also})" if offer.also else ""
    left = pad(line(f"{number:>2} ", Span(offer.move, STRONG)), longest + 4)
    return (*left, Span(f" {offer.words}{also}", DIM))


def _priors(play: Play) -> dict[str, float]:
    """Return how likely the engine thinks each move, before it searches."""
    found = uninterrupted(make_agent("default").analyse(play, Limits(sims=1)))
    return {stats.move: stats.prior for stats in found.moves}
