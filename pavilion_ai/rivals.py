"""What the moves of other seats tell of their minds: whether they judge as the network does or
linearly.

The tunable `rivals` is the share of the linear heuristics in what another seat wants, before any
move was seen. Every decision is evidence (Bayes): how much better it looks to a short search with
the network than to one without. What one seat plays also tells of the others, which may be its
copies.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from pavilion_ai._core import Network, Search
from pavilion_ai.games import State
from pavilion_ai.play import Play, Ply
from pavilion_ai.position import Position
from pavilion_ai.tunables import Tunables

__all__ = ["Rivals"]

SIMS = 128
"""Of each short search: a millisecond for both. With 64 the minds lay a tenth less apart."""
VISITS, FAVOURITE, PRIOR = 0.6, 0.6, 0.4
"""Nats of evidence in a move: for each nat that its visits lie below the favourite's, for being the
favourite, for each nat of its prior. A logistic regression on 31,000 decisions of six variants
(docs/experiments.md); they also stand for how much surer of itself a short search is than it may
be of another player."""
FEW = 2
"""Visits that are added to those compared: few tell little."""
LEAST_PRIOR = 1e-3
"""Below this the prior tells no more: nobody foresees every move."""
LEVEL = 0.15
"""Nats by which a decision that speaks for neither mind is likelier to a search with the network.
Less this, those of seats that search without one had -0.80 to -0.23 on average in six variants, of
seats with one 0.26 to 0.62."""
ALIKE = 0.5
"""Chance that all other seats are of one mind, as copies of one program are; else each is by
itself."""
STEPS = 64
"""Shares are multiples of one in so many: the last digits of logarithms differ between machines.
A seat whose share comes to 0 or 1 is judged: no more is asked about it."""
MEMORY = 1 << 20
"""Bytes of the tree of a short search: room for the children of all its nodes."""


GAMES_KEPT = 4
"""Games whose evidence is kept, the last ones asked about."""


@dataclass
class _Evidence:
    """What the decisions of one game said so far, in nats by seat."""

    start: Position
    seen: list[str]
    unread: list[Ply] = field(default_factory=list)
    by_seat: dict[int, float] = field(default_factory=dict)

    def is_of(self, play: Play) -> bool:
        """Tell whether a play goes on from what was seen."""
        seen = self.seen
        return len(seen) <= len(play.plies) and self.start == play.start and all(
            ply.move == move for ply, move in zip(play.plies, seen, strict=False))


class Rivals:
    """What the decisions of a game tell about each seat.

    The past is found in the play. What was read of it is kept, so that each decision is read once
    as long as the same game continues; a play in which moves were taken back is another game.
    """

    def __init__(self) -> None:
        self._games: list[_Evidence] = []
        self._trees: dict[Network | None, Search] = {}

    def shares(self, share: float, play: Play, network: Network,
               tunables: Tunables, linear_tunables: Tunables,
               deadline: float = 0.0) -> tuple[float, ...]:
        """Return the share of the linear heuristics in what each seat wants.

        Args:
            share: that of a seat of which nothing was seen; 0 and 1 stay what they are.
            play: whose mover asks; its own moves tell it nothing, but may tell the next seat that
                asks.
            network: of the one mind.
            tunables: of searches with it.
            linear_tunables: of searches without a network, the other mind.
            deadline: reading of time.monotonic() from which on decisions are left for the next
                time; 0 for none.
        """
        players = play.start.players
        if not 0 < share < 1:
            return (share,) * players
        minds = ((network, tunables), (None, linear_tunables))
        evidence = self._evidence(play)
        left = []
        found = self._judged(share, play, evidence)
        for ply in evidence.unread:
            seat = ply.seat
            if seat is None or seat not in found or (deadline and time.monotonic() >= deadline):
                left.append(ply)
            elif 0 < found[seat] < 1:
                self._read(seat, ply, minds, evidence)
                found = self._judged(share, play, evidence)
        evidence.unread = left
        return tuple(found.get(seat, share) for seat in range(players))

    def _evidence(self, play: Play) -> _Evidence:
        """Return what is known of a play's game, with its new decisions among those unread."""
        known = [evidence for evidence in self._games if evidence.is_of(play)]
        evidence = max(known, key=lambda one: len(one.seen), default=None)
        if evidence is None:
            evidence = _Evidence(play.start, [])
        else:
            self._games.remove(evidence)
        self._games = [*self._games[1 - GAMES_KEPT:], evidence]
        new = play.plies[len(evidence.seen):]
        evidence.seen += [ply.move for ply in new]
        if play.start.players > 2:  # with two, moves would tell nothing that matters
            evidence.unread += [ply for ply in new if ply.seat is not None]
        return evidence

    def _judged(self, share: float, play: Play, evidence: _Evidence) -> dict[int, float]:
        """Return the shares of the seats other than the one to move, by what is known of them."""
        odds = {seat: math.exp(-evidence.by_seat.get(seat, 0.0))
                for seat in range(play.start.players) if seat != play.turn}
        alike = math.prod(odds.values())
        found: dict[int, float] = {}
        for seat, own in odds.items():
            apart = math.prod(share * one + 1 - share for other, one in odds.items()
                              if other != seat)
            linear = share * (ALIKE * alike + (1 - ALIKE) * own * apart)
            network = (1 - share) * (ALIKE + (1 - ALIKE) * apart)
            found[seat] = round(STEPS * linear / (linear + network)) / STEPS
        return found

    def _read(self, seat: int, ply: Ply,
              minds: Sequence[tuple[Network | None, Tunables]],
              evidence: _Evidence) -> None:
        """Take what a decision tells, for the first of two minds and against the other."""
        assert ply.code is not None  # a seat decided
        numbers = ply.state.numbers(ply.code)
        by_network, linearly = (self._appeal(ply.state, numbers, network, tunables)
                                for network, tunables in minds)
        if by_network is not None and linearly is not None:
            found = by_network - linearly - LEVEL
            evidence.by_seat[seat] = evidence.by_seat.get(seat, 0.0) + found

    def _appeal(self, state: State, move: tuple[int, ...], network: Network | None,
                tunables: Tunables) -> float | None:
        """Return how a short search likes a move, in nats of evidence.

        None if it does not look at it, or at no other: that tells nothing.
        """
        tree = self._trees.get(network)
        if tree is None or not tree.restart(state, seed=0):
            tree = self._trees[network] = Search(
                state, seed=0, memory_bytes=MEMORY, network=network, **{**tunables, "rivals": 0.0})
        tree.run(SIMS)
        rows = {row.move: row for row in tree.rows()}
        if move not in rows or len(rows) == 1:
            return None
        favourite = max(rows.values(), key=lambda row: (row.visits, row.value))
        row = rows[move]
        return (VISITS * math.log((row.visits + FEW) / (favourite.visits + FEW))
                + FAVOURITE * (move == favourite.move)
                + PRIOR * math.log(max(row.prior, LEAST_PRIOR)))
