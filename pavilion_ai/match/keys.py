"""Check the data of an event in a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pavilion_ai.bounds import MAX_CLOCK, MAX_SECONDS, MAX_SIMS, SYSTEMS
from pavilion_ai.clock import SHORTEST
from pavilion_ai.errors import RecordError
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.untrusted import Node, refusal

MAX_COUNT = 10**15
"""Most decisions or simulations of one game, so that no sum overflows further down."""

_EVENTS = ("match", *SYSTEMS)


def key_faults(match: object, players: int) -> Iterator[str]:
    """Yield the problems of the key `match` of a record on its own.

    Args:
        players: number of seats of the game.
    """
    node = Node(match, MATCH_KEY, refusal(RecordError))
    try:
        node.mapping()
    except RecordError as error:
        yield str(error)
        return
    for key, check in _CHECKS.items():
        try:
            check(node[key], players)
        except RecordError as error:
            yield str(error)


def _by_seat(node: Node, players: int, most: int | None = None) -> None:
    for value in node.items(players, players, f"a whole number for each of {players} seats"):
        value.whole(0, most)


def _counts(node: Node, players: int) -> None:
    _by_seat(node, players, MAX_COUNT)


def _left(node: Node, players: int) -> None:
    if not node.missing:
        for left in node.items(players, players, f"a number or null for each of {players} seats"):
            if left.value is not None:
                left.real(-MAX_SECONDS, MAX_CLOCK)


def _limits(node: Node, players: int) -> None:
    node.mapping()
    if "sims" in node:
        node["sims"].whole(1, MAX_SIMS)
    if "seconds" in node and not node["seconds"].real(0, MAX_SECONDS):
        node["seconds"].refuse("a number above 0")
    if "clock" in node:
        each = f"seconds for each of {players} seats"
        for key, least in (("clock", SHORTEST), ("increment", 0.0)):
            for seconds in node[key].items(players, players, each):
                seconds.real(least, MAX_SECONDS)
    elif "increment" in node:
        node["clock"].refuse("one beside increment")


def _loser(node: Node, players: int) -> None:
    if not node.missing and node.value is not None:
        node.whole(0, players - 1)


def _opening(node: Node, _: int) -> None:
    if not node.missing and node.value is not None:
        node.whole(1, MAX_COUNT)


def _pair(node: Node, _: int) -> None:
    if not node.text().isprintable():
        node.refuse("a name that can be printed")


_CHECKS: Mapping[str, Callable[[Node, int], object]] = {
    "event": lambda node, _: node.choice(_EVENTS),
    "seed": lambda node, _: node.whole(),
    "pair": _pair,
    "rotation": lambda node, _: node.whole(),
    "entrants": _by_seat,
    "decisions": _counts,
    "sims": _counts,
    "tied": lambda node, _: node.truth(),
    "limits": _limits,
    "loser": _loser,
    "left": _left,
    "opening": _opening,
}
