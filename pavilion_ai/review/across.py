"""What several reviewed games tell of a player: where points are lost, and what was luck."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pavilion_ai.games import GAMES
from pavilion_ai.position import Position
from pavilion_ai.review.game import Review
from pavilion_ai.review.judge import Judgement
from pavilion_ai.review.mistakes import kind_of_mistake
from pavilion_ai.review.totals import names_in
from pavilion_ai.spec import head_of, who_of
from pavilion_ai.stats import Estimate, mean_of_few


@dataclass
class Losses:
    """What decisions of one sort lost.

    Attributes:
        points: points of the expected lead that each lost.
        positions: position of each; games that went alike share some.
        agreed: how many were the favourite of the search.
        win: win probability lost in all.
    """

    points: list[float] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)
    agreed: int = 0
    win: float = 0.0

    def add(self, judgement: Judgement) -> None:
        """Count a decision."""
        self.points.append(judgement.lead_loss)
        self.positions.append(judgement.position)
        self.agreed += judgement.agrees
        self.win += judgement.win_loss

    @property
    def mean(self) -> Estimate:
        """Points lost in a decision, with the 95 % interval over the positions."""
        return _mean(self.points, self.positions)


@dataclass
class Player:
    """One player in several games.

    Attributes:
        name: name as in `names_in` the games; game: the game that was played.
        variants: board side and number of players of each game.
        seats: the player's seats in all of them.
        on_scale: whether the agent judged all of them that judged the levels' losses.
        phases: what decisions with a choice lost, by phase and round.
        decisions: how many of them there are, by phase and variant.
        mistakes: the same of worse moves, by kind.
        deals: deal of each game that somebody won: its seed and its start, which all games of a
            pair share.
        luck, lost, given: win probability, by such game: what draws gave, what the player lost and
            what the others lost to the player's advantage; means of the player's seats, if there
            are several.
        won: share of each victory, likewise.
    """

    name: str
    game: str
    variants: list[tuple[str, int]] = field(default_factory=list)
    seats: int = 0
    on_scale: bool = True
    phases: dict[tuple[str, int], Losses] = field(default_factory=dict)
    decisions: Counter[tuple[str, tuple[str, int]]] = field(default_factory=Counter)
    mistakes: dict[str, Losses] = field(default_factory=dict)
    deals: list[tuple[int, Position]] = field(default_factory=list)
    luck: list[float] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    given: list[float] = field(default_factory=list)
    won: list[float] = field(default_factory=list)

    @property
    def games(self) -> int:
        """How many games there are."""
        return len(self.variants)

    @property
    def finished(self) -> int:
        """How many of them somebody won."""
        return len(self.won)

    def mean(self, values: Sequence[float]) -> Estimate:
        """Return the mean of values of the finished games, with the 95 % interval over deals."""
        return _mean(values, self.deals)

    def of_phase(self, phase: str) -> Losses:
        """Return what the decisions of a phase lost in all rounds."""
        return _merged(losses for (one, _), losses in self.phases.items() if one == phase)

    def add(self, review: Review, seats: Sequence[int]) -> None:
        """Count a game that was reviewed to its end, in which the player has these seats."""
        start = review.record.start
        self.variants.append((start.board, start.players))
        self.seats += len(seats)
        self.on_scale &= head_of(review.agent) == _JUDGE_OF_SCALE
        mine = [j for j in review.judgements if j.seat in seats and not j.forced]
        for judgement in mine:
            phase = judgement.position.phase, judgement.position.round
            self.phases.setdefault(phase, Losses()).add(judgement)
            self.decisions[phase[0], self.variants[-1]] += 1
            kind = kind_of_mistake(judgement)
            if kind:
                self.mistakes.setdefault(kind, Losses()).add(judgement)
        if not review.result:
            return
        self.deals.append((review.record.seed, start))
        self.luck.append(sum(draw.luck[seat] for draw in review.draws for seat in seats)
                         / len(seats))
        self.lost.append(sum(j.win_loss for j in mine) / len(seats))
        self.given.append(sum(j.after[seat] - j.before[seat] for seat in seats
                              for j in review.judgements if j.seat != seat and j.win_loss > 0)
                          / len(seats))
        self.won.append(sum(review.result[seat] for seat in seats) / len(seats))


def _mean(values: Sequence[float], units: Sequence[Hashable]) -> Estimate:
    """Return the mean of values, with the 95 % interval over the units that they belong to.

    Values of one unit go together: two games that went alike tell no more than one of them.
    """
    if len(set(values)) < 2:
        return mean_of_few(values)
    mean, shares = math.fsum(values) / len(values), defaultdict[Hashable, float](float)
    for value, unit in zip(values, units, strict=True):
        shares[unit] += value - mean
    return mean_of_few([mean + share * len(shares) / len(values) for share in shares.values()])


def _merged(parts: Iterable[Losses]) -> Losses:
    found = Losses()
    for part in parts:
        found.points += part.points
        found.positions += part.positions
        found.agreed += part.agreed
        found.win += part.win
    return found


def players_of(reviews: Sequence[Review]) -> list[Player]:
    """Return the players of the games that were reviewed to their end, the most frequent first.

    A player of both games is listed once per game.
    """
    name_in = names_in(reviews)
    found: dict[tuple[str, str], Player] = {}
    for review in reviews:
        names = [name_in[who_of(agent)] for agent in review.record.agents] if review.whole else []
        for name in dict.fromkeys(names):
            key = name, review.record.game
            found.setdefault(key, Player(*key)).add(
                review, [seat for seat, its in enumerate(names) if its == name])
    return sorted(found.values(), key=lambda player: -player.games)


class Likeness(NamedTuple):
    """The level that loses as much as a player, with the ends of the 95 % interval.

    Attributes:
        level, low, high: levels from 1 to the highest, between two of them in proportion.
        beyond: `WORSE` if even the lower end of the loss is more than that of level 1, `BETTER` if
            even the upper end is less than that of the highest level, else empty.
    """

    level: float
    low: float
    high: float
    beyond: str


WORSE, BETTER = "worse", "better"
"""Than all levels."""


def level_like(player: Player, phase: str) -> Likeness | None:
    """Return the level that loses as much in a phase.

    The interval is that of the player's losses and of the levels' together. None where there is no
    such table for the games, too few positions, or another judge than that of the table.
    """
    losses = player.of_phase(phase)
    mean = losses.mean
    if mean.value is None or mean.high is None or not player.on_scale or (
            len(set(losses.positions)) < _LEAST_POSITIONS):
        return None
    tables = GAMES[player.game].level_losses
    shares = {variant: number / len(losses.points)
              for (one, variant), number in player.decisions.items() if one == phase}
    if any(phase not in tables[variant] for variant in shares):
        return None
    scales = {variant: tables[variant][phase] for variant in shares}
    table = [math.fsum(share * points for share, points in zip(shares.values(), level, strict=True))
             for level in zip(*(scale.points for scale in scales.values()), strict=True)]
    error = math.fsum(share * scales[variant].error for variant, share in shares.items())
    reach = math.hypot(mean.high - mean.value, error * mean.value)
    least, most = mean.value - reach, mean.value + reach
    beyond = WORSE if least > table[0] else BETTER if most < table[-1] else ""
    return Likeness(_level(table, mean.value), _level(table, most), _level(table, least), beyond)


_LEAST_POSITIONS = 20  # fewer tell nothing
_JUDGE_OF_SCALE = "default"


def _level(table: Sequence[float], loss: float) -> float:
    """Return the level that loses as much, between two levels in proportion.

    Args:
        table: losses of the levels from 1 on, falling.
        loss: loss of the player.
    """
    for level, (more, less) in enumerate(itertools.pairwise(table), 1):
        if loss >= more:
            return float(level)
        if loss > less:
            return level + (more - loss) / (more - less)
    return float(len(table))
