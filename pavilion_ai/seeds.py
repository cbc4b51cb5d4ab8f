"""Seeds: wherever games are played, everything random follows from one.

A seed is the first 53 bits (what any JSON reader can hold) of BLAKE2b over words joined by `/`:

    pair of an event       pair/EVENT SEED/PAIR              opening and draws of all its games
    order of its entrants  order/EVENT SEED/PAIR             order of seats, 3-4 players
    agent in a seat        agent/EVENT SEED/PAIR/ROTATION/SEAT
    one decision of it     decision/AGENT SEED/NUMBER        counted from 0 over all seats
    order of openings      openings/EVENT SEED               if it is random
    balanced opening       opening/SEED/NUMBER/TRIAL         `match.balanced`
    training               train/WORD/...                    `train.play.training_seed`
    game of statistics     stats/SEED/NUMBER                 `facts.groups`
    trial of a rollout     rollout/SEED/NUMBER               draws and decisions of all candidates
    game of a data set     dataset/SEED/NUMBER
    one decision in it     dataset/SEED/NUMBER/PLY
    game shown to a judge  review/SEED                       draws in copies; not the game's own
    solo game of a day     solo/DAY
    decision for its par   par/SEED/PLY

So no seed depends on which worker plays a game, or when. The rotation is part of an agent's seed:
without it two equal agents would play the same game twice when they change seats.

The table (`pavilion play`) is older than this rule: there a search has the seed of the game times
1,000,003, plus the number of moves made, modulo 2**63 (`table_seed`). It stays, so that recorded
games can be played again.

Beside its seed a random number generator has a stream: setup and starting seat (`games.base`),
draws of a play (`play`), tied draws (`luck`), agents that draw their move (`agents`,
`levels`); thread i of a search has stream i.
"""

from __future__ import annotations

from hashlib import blake2b

BITS = 53


def pair_seed(event_seed: int, pair: str) -> int:
    """Return the seed of the opening and the draws that all games of a pair share."""
    return derived_seed("pair", event_seed, pair)


def order_seed(event_seed: int, pair: str) -> int:
    """Return the seed for the order of the seats in a pair."""
    return derived_seed("order", event_seed, pair)


def agent_seed(event_seed: int, pair: str, rotation: int, seat: int) -> int:
    """Return the seed of the agent in one seat of a game."""
    return derived_seed("agent", event_seed, pair, rotation, seat)


def decision_seed(agent: int, number: int) -> int:
    """Return the seed of an agent for the game's decision with that number."""
    return derived_seed("decision", agent, number)


def table_seed(game_seed: int, moves: int) -> int:
    """Return the seed of a search at the table.

    Args:
        game_seed: seed of the game.
        moves: number of moves made so far, chance included.

    >>> table_seed(7, 3)
    7000024
    """
    return (game_seed * 1_000_003 + moves) % 2**63


def derived_seed(*words: str | int) -> int:
    """Return the seed derived from these words.

    >>> derived_seed("pair", 7, "1"), derived_seed("pair", 7, "2")
    (4304086945710594, 7709292139472953)
    """
    digest = blake2b("/".join(map(str, words)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> (8 * len(digest) - BITS)
