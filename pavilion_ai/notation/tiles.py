"""Tile multisets as text: `2PG3O`, empty `-` (docs/notation.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pavilion_ai.errors import shown
from pavilion_ai.position import Tiles

NOTHING = "-"
"""No tile: the empty multiset, an empty line or row of tiles."""

MAX_CHARACTERS = 2000
"""Most characters of a multiset; all tiles of a game, one at a time with signs, take fewer."""
_MAX_COUNT_DIGITS = 4


def parse_tiles(text: str, letters: str) -> Tiles:
    """Read a multiset: any order, repeated letters, spaces and `+` between the parts.

    Args:
        text: such as `2PG3O`, `2P + G + 3O`, `OGPOPO`, or `-` for no tile.
        letters: the colour letters of the game, in canonical order.

    Returns:
        the number of tiles of each colour.

    Raises:
        ValueError: if the text is malformed; the message says at which character.

    >>> parse_tiles("2PG3O", "PGOYBR")
    (2, 1, 3, 0, 0, 0)
    """
    counts = [0] * len(letters)
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"found {len(text)} characters, expected a multiset of at most"
                         f" {MAX_CHARACTERS}")
    if text.strip(" \t") == NOTHING:
        return tuple(counts)
    part = _part(letters)
    end, length = 0, len(text.rstrip(" \t"))
    while end < length or not any(counts):
        match = part.match(text, end)
        if match is None or (end == 0 and "+" in match[0]):
            raise ValueError(_complaint(text, end, letters))
        digits, letter = match[1], match[2]
        if digits and len(digits) > _MAX_COUNT_DIGITS:
            raise ValueError(f"found a count of {len(digits)} digits in {shown(text)},"
                             " expected a number of tiles")
        counts[letters.index(letter)] += int(digits or 1)
        end = match.end()
    return tuple(counts)


def format_tiles(tiles: Sequence[int], letters: str) -> str:
    """Write a multiset in canonical form.

    >>> format_tiles((2, 1, 3, 0, 0, 0), "PGOYBR")
    '2PG3O'
    """
    parts = [(str(count) if count > 1 else "") + letter
             for letter, count in zip(letters, tiles, strict=True) if count]
    return "".join(parts) or NOTHING


def tiles_pattern(letters: str) -> str:
    """Return a regular expression (ECMA 262) for every multiset that `parse_tiles` accepts."""
    tile = rf"([1-9][0-9]{{0,3}}[ \t]*)?[{letters}]"
    return rf"^[ \t]*(-|{tile}([ \t]*(\+[ \t]*)?{tile})*)[ \t]*$"


@cache
def _part(letters: str) -> re.Pattern[str]:
    return re.compile(rf"[ \t]*(?:\+[ \t]*)?(?:([1-9][0-9]*)[ \t]*)?([{letters}])")


def _complaint(text: str, end: int, letters: str) -> str:
    """Say what is wrong with the multiset `text`, of which `end` characters are sound."""
    expected = f"expected letters of {letters} with counts, such as 2{letters[0]}{letters[1]}, or -"
    if not text.strip(" \t"):
        return f"found nothing, {expected}"
    joint = r"[ \t]*" if end == 0 else r"[ \t]*(?:\+[ \t]*)?"
    sound = re.compile(joint + r"([1-9][0-9]*)?[ \t]*").match(text, end)
    at = end if sound is None else sound.end()
    if at >= len(text):
        what = "a count" if sound is not None and sound[1] else "'+'"
        return f"found {what} with nothing after it at the end of {shown(text)}, {expected}"
    fault = text[at]
    hint = ""
    if fault == "0":
        hint = " (a count is a positive number without leading zeros)"
    elif fault.upper() in letters:
        hint = " (colour letters are upper case)"
    elif fault == "-":
        hint = " ('-' stands alone, for no tile)"
    return f"found {fault!r} as character {at + 1} of {shown(text)}, {expected}{hint}"
