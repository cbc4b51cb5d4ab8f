"""What games of self-play record, read byte by byte: states of the core, and codes of moves.

Where a state does not tell (which tile lies on which space, which tiles lie on a floor line), one
of the possible answers is taken; moves and inputs are the same for all of them.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from pavilion_ai._core import AzulState, SummerState

NONE = 255
WILD_ORDER = (0, 5, 1, 4, 3, 2)
"""The core's number of each colour of Summer Pavilion, in wild order."""

HEAD = struct.Struct("<5Q9I12B")
SUMMER_SEAT = struct.Struct("<3Q2i")
AZUL_SEAT = struct.Struct("<4Ii12B")


def lanes(word: int, order: Sequence[int]) -> tuple[int, ...]:
    return tuple(word >> 10 * colour & 1023 for colour in order)


def unfold(word: int) -> int:
    return (word | word << 27) & sum(7 << 10 * colour for colour in range(6))


def null(seat: int) -> int:
    return -1 if seat == NONE else seat


def summer_stars(grey: bool, board: int, colours: int) -> list[int]:
    """Return a colour for each space, 0 for an empty one."""
    stars = [0] * 42
    for site in range(7):
        filled = [position for position in range(6) if board >> 8 * position + site & 1]
        inside = [colour for colour in range(6) if colours >> 8 * site + colour & 1]
        if not grey and site < 6:
            inside = [site]
        for i, position in enumerate(filled):
            stars[6 * site + position] = 1 + WILD_ORDER.index(inside[min(i, len(inside) - 1)])
    return stars


def summer_state(data: bytes) -> SummerState:
    """Return the state of a record."""
    (bag, tower, supply, centre, _, *rest) = HEAD.unpack_from(data)
    displays, numbers = rest[:9], rest[9:]
    (players, grey, number, phase, mover, start, token, due, passed, _, hidden, _) = numbers
    assert hidden == NONE, "the bag of a game is known"
    seats = []
    for i in range(players):
        hand, board, colours, score, _ = SUMMER_SEAT.unpack_from(
            data, HEAD.size + i * SUMMER_SEAT.size)
        tiles, out = lanes(hand, WILD_ORDER), bool(passed >> i & 1)
        seats.append((score, (0,) * 6 if out else tiles, tiles if out else (0,) * 6, out,
                      summer_stars(bool(grey), board, colours)))
    return SummerState(
        players, bool(grey), number, phase, mover if phase < 3 else -1, start, null(token), due,
        null(mover) if phase == 4 else -1,
        [lanes(unfold(word), WILD_ORDER) for word in displays[:2 * players + 1]],
        lanes(centre, WILD_ORDER), lanes(supply, WILD_ORDER), lanes(bag, WILD_ORDER),
        lanes(tower, WILD_ORDER), 0, True, seats)


def azul_state(data: bytes) -> AzulState:
    """Return the state of a record on the coloured wall."""
    (bag, lid_word, centre, _, *rest) = struct.unpack_from("<4Q9I12B", data)
    displays, (players, grey, number, phase, mover, start, token, hidden, *_) = rest[:9], rest[9:]
    assert hidden == NONE, "the bag of a game is known"
    assert not grey
    lid, seats = list(lanes(lid_word, range(5))), []
    for i in range(players):
        wall, _, _, _, score, *bytes_ = AZUL_SEAT.unpack_from(data, 80 + i * AZUL_SEAT.size)
        counts, colours, floor = bytes_[:5], bytes_[5:10], bytes_[10]
        tiles = [5] if token == i else []
        while len(tiles) < floor:
            tiles.append(max(range(5), key=lid.__getitem__))
            lid[tiles[-1]] -= 1
        seats.append((
            score, [(colour if n else -1, n) for n, colour in zip(counts, colours, strict=True)],
            [1 + (column - row) % 5 if wall >> 5 * row + column & 1 else 0
             for row in range(5) for column in range(5)], tiles))
    return AzulState(
        players, False, number, phase, mover if phase < 2 else -1, start, null(token),
        [lanes(unfold(word), range(5)) for word in displays[:2 * players + 1]],
        lanes(centre, range(5)), lanes(bag, range(5)), lid, 0, True, seats)


def state_of(cls: type, data: bytes) -> Any:
    """Return the state of a record."""
    return summer_state(data) if cls is SummerState else azul_state(data)


def move_of(cls: type, code: int) -> tuple[int, ...]:
    """Return a move as the core gives it out."""
    what = code & 7
    if cls is AzulState:
        if what == 0:
            return 0, code >> 3 & 15, code >> 7 & 7, code >> 10
        return 1, code >> 3 & 7, code >> 6
    if what == 0:
        return 0, code >> 3 & 15, WILD_ORDER.index(code >> 7 & 7)
    if what == 1:
        bit = code >> 3 & 63
        return 1, 6 * (bit & 7) + (bit >> 3), WILD_ORDER.index(code >> 9 & 7), code >> 12 & 7
    return (what, *lanes(unfold(code >> 3), WILD_ORDER))
