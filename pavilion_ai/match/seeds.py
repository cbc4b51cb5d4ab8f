"""Seeds: everything random in an event follows from the event's seed, by one derivation.

A seed is the first 53 bits (what any JSON reader can hold) of BLAKE2b over words joined by `/`:

    pair of an event       pair/EVENT SEED/PAIR              opening and draws of all its games
    order of its entrants  order/EVENT SEED/PAIR             who sits next to whom, 3-4 players
    agent in a seat        agent/EVENT SEED/PAIR/ROTATION/SEAT
    one decision of it     decision/AGENT SEED/NUMBER        counted from 0 over all seats

So no seed depends on which worker plays a game, or when. The rotation is part of an agent's seed:
without it two equal agents would play the same game twice when they change seats.
"""

from __future__ import annotations

from hashlib import blake2b

__all__ = ["agent_seed", "decision_seed", "order_seed", "pair_seed"]

BITS = 53


def pair_seed(event_seed: int, pair: str) -> int:
    """Return the seed of the opening and the draws that all games of a pair share."""
    return _derive("pair", event_seed, pair)


def order_seed(event_seed: int, pair: str) -> int:
    """Return the seed of the order in which the entrants of a pair sit."""
    return _derive("order", event_seed, pair)


def agent_seed(event_seed: int, pair: str, rotation: int, seat: int) -> int:
    """Return the seed of whoever plays a seat in one game."""
    return _derive("agent", event_seed, pair, rotation, seat)


def decision_seed(agent: int, number: int) -> int:
    """Return what an agent is given for the game's decision with that number."""
    return _derive("decision", agent, number)


def _derive(*words: str | int) -> int:
    """Return the seed that these words name.

    >>> _derive("pair", 7, "1"), _derive("pair", 7, "2")
    (4304086945710594, 7709292139472953)
    """
    digest = blake2b("/".join(map(str, words)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (8 * len(digest) - BITS)
