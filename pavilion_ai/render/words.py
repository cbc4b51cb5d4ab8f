"""Describe moves in words: the parts that all games share.

The effect of a move (tiles, points, features) is the difference between the positions before and
after it, both from the rules core; the game's own renderer only puts it into a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pavilion_ai.errors import PositionError
from pavilion_ai.games import rules_of
from pavilion_ai.position import Position


def joined(parts: Iterable[str], last: str = " and ") -> str:
    """Join words as in a sentence.

    >>> joined(["1 red", "2 blue", "1 green"])
    '1 red, 2 blue and 1 green'
    """
    words = list(parts)
    if not words:
        return "nothing"
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + last + words[-1]


def victory(names: Sequence[str]) -> str:
    """Say who has won.

    >>> victory(["seat 1"]), victory(["seat 0", "seat 2"]), victory(["you"])
    ('seat 1 wins', 'seat 0 and seat 2 share the victory', 'you win')
    """
    if not names:
        return "nobody wins"
    verb = "share the victory" if len(names) > 1 else "win" if names[0] == "you" else "wins"
    return f"{joined(names)} {verb}"


def turn(position: Position, names: Sequence[str]) -> str:
    """Say, after the phase, who is to move, or who has won; nothing while chance is to move."""
    if position.phase == "over":
        try:
            winners = rules_of(position).winners(position)
        except PositionError:  # one that is being edited
            return ""
        return f": {victory([names[seat] for seat in winners])}"
    return "" if position.to_move is None else f": {names[position.to_move]} to move"


def scored(position: Position, seat: int) -> int:
    """Return the points of a seat without the bonuses at the end."""
    if position.phase == "over":
        return rules_of(position).breakdown(position)[seat]["play"]
    return int(position.seats[seat].score)


def filled(kind: str, spaces: str, name: Callable[[str], str]) -> str:
    """Name the tiles on a row of spaces, of which `.` is an empty one.

    >>> filled("space", "R..B", {"R": "red", "B": "blue"}.__getitem__)
    'spaces 1 red and 4 blue'
    """
    tiles = [f"{number} {name(letter)}" for number, letter in enumerate(spaces, 1) if letter != "."]
    return f"{kind}{'s' * (len(tiles) > 1)} {joined(tiles)}"


def tiles_in_words(
    tiles: Sequence[int], names: Sequence[str], wild: int | None = None
) -> list[str]:
    """Name the tiles of a multiset by colour, the wild colour last and called wild.

    >>> tiles_in_words((2, 0, 1), ("purple", "green", "orange"), wild=0)
    ['1 orange', '2 wild purple']
    """
    order = sorted(range(len(tiles)), key=lambda colour: colour == wild)
    return [
        f"{tiles[colour]} {'wild ' if colour == wild else ''}{names[colour]}"
        for colour in order
        if tiles[colour]
    ]


def one_by_one(tiles: Sequence[int], letters: str) -> str:
    """Return a multiset as one letter per tile.

    >>> one_by_one((2, 0, 1), "PGO")
    'PPO'
    """
    return "".join(letter * count for letter, count in zip(letters, tiles, strict=True))


def letters_of(tiles: Sequence[int], letters: str) -> str:
    """Return a multiset as one letter per tile, or a dash if it is empty.

    >>> letters_of((2, 0, 1), "PGO"), letters_of((0, 0, 0), "PGO")
    ('PPO', '-')
    """
    return one_by_one(tiles, letters) or "-"


def with_error(share: float, error: float, digits: int = 1, sign: str = "+-") -> str:
    """Return a share in % with its error, which is never shown as 0 unless it is.

    Args:
        share, error: numbers from 0 to 1; an error of 0 means that the share is exact.
        digits: decimal digits of the error; one from 10 % on.
        sign: what stands before the error.

    >>> with_error(0.5, 0.0123), with_error(0.5, 1e-5, 2), with_error(1.0, 0.0)
    ('50.0 +-1.2', '50.0 +-0.01', '100.0 exact')
    >>> with_error(0.5, 0.0999, 2), with_error(0.5, 0.1, 2)
    ('50.0 +-9.99', '50.0 +-10.0')
    """
    if not error:
        return f"{100 * share:.1f} exact"
    digits = min(digits, 1) if error >= 0.1 else digits
    return f"{100 * share:.1f} {sign}{above_0(100 * error, digits)}"


def above_0(error: float, digits: int = 1) -> str:
    """Return an error in decimal digits, at least one of the last.

    >>> above_0(1.23), above_0(0.001)
    ('1.2', '0.1')
    """
    return f"{max(error, 10**-digits):,.{digits}f}"


def minus(before: Sequence[int], after: Sequence[int]) -> tuple[int, ...]:
    """Return the tiles removed between two multisets, by colour, never negative."""
    return tuple(max(0, first - second) for first, second in zip(before, after, strict=True))
