"""Which of the legal moves a search looks at, and whether each of them gets the same effort."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pavilion_ai.bounds import MAX_SHOWN_MOVES, whole
from pavilion_ai.errors import SpecError, shown
from pavilion_ai.play import Play


class FocusError(SpecError):
    """Options that name moves contradict each other; `option` is the one to leave out."""

    def __init__(self, option: str, message: str) -> None:
        self.option = option
        self._message = message
        super().__init__(f"{option}: {message}")

    def __reduce__(self) -> tuple[type[FocusError], tuple[str, str]]:
        return type(self), (self.option, self._message)


@dataclass(frozen=True)
class Focus:
    """What a search is told about the moves of its root; without anything it chooses for itself.

    Attributes:
        only: look at no moves but these; at several of them equally often.
        compare: look equally often at these and at the favourite of a search of all moves.
        even: look equally often at the best so many moves of a search of all moves.
        avoid: look at all moves but these.
    """

    only: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()
    even: int = 0
    avoid: tuple[str, ...] = ()

    @classmethod
    def of(cls, play: Play, only: Sequence[str] = (), compare: Sequence[str] = (), even: int = 0,
           avoid: Sequence[str] = ()) -> Focus:
        """Return the focus with these moves in canonical form, each once.

        Raises:
            MoveError: one of the moves is not legal.
            FocusError: the options contradict each other, leave no move, or are not lists of moves.
        """
        def canonical(option: str, moves: Sequence[str]) -> tuple[str, ...]:
            if isinstance(moves, str) or not isinstance(moves, Iterable):
                raise FocusError(option, f"found {shown(moves)}, expected a list of moves")
            return tuple(dict.fromkeys(play.ply_of(move).move for move in moves))

        best = whole(even)
        if best is None or not 0 <= best <= MAX_SHOWN_MOVES:
            raise FocusError("even", f"found {shown(even)}, expected a whole number of moves")
        focus = cls(canonical("only", only), canonical("compare", compare), best,
                    canonical("avoid", avoid))
        focus._check(play)
        return focus

    def _check(self, play: Play) -> None:
        for option, given in (("compare", self.compare), ("even", self.even),
                              ("avoid", self.avoid)):
            if given and self.only:
                raise FocusError(option, "expected none beside only, which names all moves to"
                                 " look at")
        both = [move for move in self.compare if move in self.avoid]
        if both:
            raise FocusError("avoid", f"found {both[0]}, which compare names too")
        if self.avoid and len(self.avoid) == len(play.legal_moves):
            raise FocusError("avoid", "found all legal moves, expected at least one to be left")

    def __bool__(self) -> bool:
        return bool(self.only or self.compare or self.even or self.avoid)

    @property
    def favourites(self) -> int:
        """How many of the best moves of a search of all moves are compared."""
        return self.even or int(bool(self.compare))


EVERY_MOVE = Focus()
"""The search chooses for itself."""
