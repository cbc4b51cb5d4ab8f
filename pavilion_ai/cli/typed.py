"""What a person means by a few typed characters, such as `nw.4`, `c1 o`, `d5o` or `pass`."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Sequence

from pavilion_ai.cli.menu import Menu
from pavilion_ai.errors import (
    IllegalMoveError,
    InvalidMoveError,
    MoveError,
    printable,
    shown,
)
from pavilion_ai.play import Play
from pavilion_ai.render import colour_names, spelled
from pavilion_ai.render.words import joined

CLOSE = 4
"""Most moves named to a person whose words fit none, or several."""
_FILLERS = {"take", "place", "put", "from", "the", "on", "to", "in", "line", "keep", "keeping",
            "and", "of", "wild", "tile", "tiles", "with"}
_OF_TILES = ("pass", "bonus")
"""Moves whose tiles have no order."""
_SHORT = {"display": "d", "centre": "c", "center": "c", "floor": "f", "column": ""}


class Mistake(MoveError):
    """What a person typed is not a legal move."""


class Unclear(MoveError):
    """What a person typed may mean several moves; the message asks which one."""


def move_of(text: str, play: Play, menu: Menu) -> str:
    """Return the legal move that is meant.

    A move of the notation is taken as it is, in any case and with any blanks. Else the beginning
    of a move will do, with or without its signs, if it names a place and leaves one effect: of
    several payments the cheapest is meant.

    Raises:
        Mistake: no move is meant; the message names those that come close.
        Unclear: several are.
    """
    if menu.numbered and text.isascii() and text.isdigit():
        return _numbered(text, menu)
    trial = play.copy()
    try:
        return trial.push(text, lenient=True)
    except MoveError as error:
        found = _beginning(text, play, menu)
        if not found:
            raise Mistake(_refusal(text, str(error), play, menu)) from None
    if len({menu.ideas[move].target for move in found}) == 1:
        return _meant(text, found, menu)
    raise Unclear(_which(text, found, menu))


def begins(start: str, move: str) -> bool:
    """Tell whether a move begins with what was typed, with or without its signs."""
    return _plain(move).startswith(_plain(start))


def _numbered(text: str, menu: Menu) -> str:
    number = int(text) if len(text) < 6 else 0
    if not 1 <= number <= len(menu.moves):
        raise Mistake(f"no move number {text[:20]}; expected 1 to {len(menu.moves)}")
    return menu.moves[number - 1]


def _meant(text: str, moves: Sequence[str], menu: Menu) -> str:
    """Return the cheapest of moves with one target; kept tiles are chosen for nobody."""
    best = menu.cheapest(moves)
    least = [move for move in moves if menu.ideas[move].cost == menu.ideas[best].cost]
    if menu.ideas[best].target == "pass" and len(least) > 1:
        raise Unclear(_which(text, least, menu))
    return best


def _which(text: str, moves: Sequence[str], menu: Menu) -> str:
    """Ask which of several moves is meant."""
    wanted = set(moves)
    ideas: dict[str, str] = {}
    for move in menu.moves:  # the cheapest of each target, in the order of the list
        target = move if menu.ideas[move].target == "pass" else menu.ideas[move].target
        if move in wanted and (target not in ideas or menu.cheapest([ideas[target], move]) == move):
            ideas[target] = move
    named = list(ideas.values())
    return f"{printable(text)} may be {_listed(named, menu)}: which one?"


def _listed(moves: Sequence[str], menu: Menu) -> str:
    """Name moves, with their numbers if these are known, at most `CLOSE`."""
    told = [f"{move} ({menu.numbers[move]})" if menu.numbered else move for move in moves[:CLOSE]]
    more = [f"{len(moves) - CLOSE} more"] if len(moves) > CLOSE else []
    return joined([*told, *more], last=" or ")


# -- reading ---------------------------------------------------------------------------------


def _beginning(text: str, play: Play, menu: Menu) -> list[str]:
    """Return the moves whose place is named by the text and which it begins."""
    typed = _key(text, play)
    if re.fullmatch(r"pass\s*-", text.strip().lower()):
        whole = [move for move in menu.moves if move == "pass:-"]
    else:
        whole = [move for move in menu.moves if not move.endswith("-")
                 and _ordered(typed) in (_ordered(_plain(move)), _plain(_spelled(move)))]
    if whole:
        return whole
    heads = {move.partition(":")[0] for move in menu.moves}
    tries = [typed, re.sub("^([a-z])(d[1-9]|c)(.*)$", r"\2\1\3", typed)]  # or the colour first
    if len(heads) == 1 and (head := next(iter(heads))).isalpha() and len(head) > 1:
        tries.append(head + typed)  # bonus or wall: the kind goes without saying
    for one in filter(None, tries):
        found = [move for move in menu.moves if _fits(one, move)]
        if found:
            return found
    return []


def _fits(typed: str, move: str) -> bool:
    head, _, rest = move.partition(":")
    place = _plain(head)
    if not typed.startswith(place):
        return False
    if head in _OF_TILES and not Counter(_ordered(typed)) - Counter(_ordered(_plain(move))):
        return True
    return any((place + form).startswith(typed) for form in (_plain(rest), _plain(_spelled(rest))))


def _ordered(key: str) -> str:
    """Return a move without signs, its tiles in one order if theirs means nothing."""
    head = next(filter(key.startswith, _OF_TILES), None)
    return key if head is None else head + "".join(sorted(_spelled(key.removeprefix(head))))


def _key(text: str, play: Play) -> str:
    """Return typed text in lower case, without signs and fillers, colours as letters."""
    names = colour_names(play.rules.name)
    words = re.findall(r"[a-z]+|[0-9]+", text.lower())
    return "".join(
        "" if word in _FILLERS else _SHORT.get(word, names.get(word, word)) for word in words)


def _plain(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())


def _spelled(payment: str) -> str:
    """Return a multiset with one letter per tile; lines and columns of base Azul stay."""
    return re.sub(r"([1-9][0-9]?)([A-Za-z])", lambda found: int(found[1]) * found[2], payment)


# -- refusing --------------------------------------------------------------------------------


def _refusal(text: str, reason: str, play: Play, menu: Menu) -> str:
    """Say why a move is refused, or that it is not a move; name what comes close."""
    typed = _key(text, play)
    close = _close(typed, menu)
    near = f"; close: {_listed(close, menu)}" if close else ""
    head, colon, _ = text.partition(":")
    if colon and "before the colon" not in reason and head.strip():
        return reason + near
    if (move := spelled(play.position, typed)) and (illegal := _illegal(move, play)):
        return illegal + near
    examples = ", ".join(offer.move for offer in menu.offers[:2])
    number = "a number of the list, or " if menu.numbered else ""
    return (f"{shown(text)} is not a move here"
            f"{near or f'; expected {number}a move such as {examples}'}")


def _illegal(move: str, play: Play) -> str:
    """Return why a move of the notation is illegal; nothing if it is legal or no move at all."""
    try:
        play.copy().push(move)
    except InvalidMoveError:
        pass
    except IllegalMoveError as error:
        return str(error)
    return ""


def _close(typed: str, menu: Menu) -> list[str]:
    """Return moves that hold what was typed, else those that look most like it."""
    if not typed:
        return []
    offers = [offer.move for offer in menu.offers]
    keys = {move: _plain(move) for move in offers}
    held = [move for move in offers if _holds(keys[move], typed)]
    if held:
        return held[:CLOSE]
    alike = difflib.get_close_matches(typed, keys.values(), n=CLOSE, cutoff=0.6)
    return [move for move in offers if keys[move] in alike]


def _holds(key: str, typed: str) -> bool:
    """Tell whether the characters typed stand in a move in that order."""
    left = iter(key)
    return all(char in left for char in typed)
