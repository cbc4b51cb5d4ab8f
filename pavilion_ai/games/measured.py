"""What was measured of a game: how long it is, how far searches err, what levels of play lose."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

from pavilion_ai.errors import PavilionError
from pavilion_ai.position import Position
from pavilion_ai.position.base import DRAFTING, dealt

REACHED = "reached"
"""Key of `Measured.choices` for the share of games that come to a round."""
LEVEL_LOSSES = Path(__file__).with_name("level_losses.json")
"""What bench/level_losses.py measured, by variant and phase."""


class LevelLosses(NamedTuple):
    """What each level loses in a decision of a phase.

    Attributes:
        points: points of each level, from level 1 on, falling.
        error: half the 95 % interval of such a number, as a share of it.
    """

    points: tuple[float, ...]
    error: float


def _tiles_left(position: Position) -> float:
    """Return which share of a full deal still lies on displays and in the centre."""
    return (sum(map(sum, position.displays)) + sum(position.centre)) / dealt(position)


class Measured(ABC):
    """The measured numbers of a game, and what follows from them.

    Attributes:
        drift: how much a search without a network changes its mind (`analysis.win_error`).
        network_drifts: the same with a network, by board side and number of players.
        deal_drifts: the same for searches that look past deals, where it is another one.
        last_round: the first round that can be the last one.
        game_powers: the factor of `power_of`, by number of players, at the start and at the end of
            a game.
        last_powers: how much `power_of` rises over a last round, by number of players.
        choices: choices of a seat, by board side and number of players, then by phase, in each
            round: means of self-play (tools/choices_table.py) over all games, also those that end
            before; `reached` is the share of games that come to the round. A decision with a
            single option is not a choice.
        worth: how much of a clock a choice is worth, by phase and round, that of the first
            draft being 1 (docs/search.md); for rounds beyond the last one as for that.
        fade: how fast that worth falls over a round's drafting: with the power `fade` of the share
            of its tiles that still lie on displays and in the centre.
    """

    drift: ClassVar[float] = 0.3
    network_drifts: ClassVar[Mapping[tuple[str, int], float]] = {}
    deal_drifts: ClassVar[Mapping[tuple[str, int], float]] = {}
    last_round: ClassVar[int]
    game_powers: ClassVar[Mapping[int, tuple[float, float]]] = {}
    last_powers: ClassVar[Mapping[int, float]] = {}
    choices: ClassVar[Mapping[tuple[str, int], Mapping[str, tuple[float, ...]]]]
    worth: ClassVar[Mapping[str, tuple[float, ...]]]
    fade: ClassVar[float]

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the game in the notation."""

    @cached_property
    def level_losses(self) -> Mapping[tuple[str, int], Mapping[str, LevelLosses]]:
        """What each level loses in a decision, by variant and phase.

        Variants are a board side and a number of players. bench/level_losses.py measured it
        (docs/review.md).
        """
        losses = {}
        for variant, phases in json.loads(LEVEL_LOSSES.read_text(encoding="utf-8")).items():
            game, board, players = variant.split("/")
            if game == self.name:
                losses[board, int(players)] = {
                    phase: LevelLosses(tuple(its["points"]), its["error"])
                    for phase, its in phases.items()}
        return losses

    def drift_of(self, board: str, players: int, deals: bool = False) -> float:
        """Return how much a search with a network changes its mind (`analysis.win_error`).

        Args:
            deals: whether it looks past deals.
        """
        drifts = {**self.network_drifts, **self.deal_drifts} if deals else self.network_drifts
        return drifts.get((board, players), self.drift)

    def power_of(self, position: Position) -> float:
        """Return the factor on `Header.win_scale` in a position.

        What searches with a network say is a little too bold early in a game and too cautious late
        in it, in last rounds the more so the fewer tiles are left to take (docs/calibration.md).

        Raises:
            PavilionError: no seat is to move.
        """
        first, last = self.game_powers.get(position.players, (1.0, 1.0))
        power = last + (first - last) * self.share_of_choices_left(position)
        if self.may_end(position):
            power *= 1.0 + self.last_powers.get(position.players, 0.0) * (
                1.0 - _tiles_left(position))
        return power

    def may_end(self, position: Position) -> bool:
        """Return whether the game can end with this round."""
        return position.round >= self.last_round

    # ------------------------------------------------------------------- the length of a game

    @abstractmethod
    def _after_left(self, position: Position) -> float:
        """Return which share of its choices after the drafting a seat to move still has."""

    def share_of_clock(self, position: Position) -> float:
        """Return which share of its time left a choice of the seat to move is worth, above 0.

        It is the worth of this choice by that of all choices which the seat can expect until the
        end, this one included.

        Raises:
            PavilionError: no seat is to move.
        """
        left = self._expected(position, self.worth_of, self.fade)
        now = self.worth_of(position.phase, position.round)
        if position.phase == DRAFTING:
            now *= _tiles_left(position) ** self.fade
        return now / max(now, left)

    def choices_left(self, position: Position) -> float:
        """Return how many choices the seat to move can expect until the end, this one included.

        Raises:
            PavilionError: no seat is to move.
        """
        return max(1.0, self._expected(position, lambda *_: 1.0, 0.0))

    def worth_of(self, phase: str, number: int) -> float:
        """Return how much a choice in a phase of a round is worth; of drafts, the first one.

        Raises:
            PavilionError: the number of the round is below 1.
        """
        if number < 1:
            raise PavilionError(f"round {number}: expected 1 or a later one")
        worth = self.worth[phase]
        return worth[min(number, len(worth)) - 1]

    def _expected(self, position: Position, worth: Callable[[str, int], float],
                  fade: float) -> float:
        """Return the worth of all choices that the seat to move can expect.

        The drafts of a round spread evenly over its tiles, so with `share` of them left they are
        worth the integral of x ** fade from 0 to `share`.
        """
        if position.to_move is None:
            raise PavilionError(f"no seat is to move in phase {position.phase}")
        table = self.choices[position.board, position.players]
        number = min(position.round, len(table[REACHED]))
        after = 1.0 if position.phase == DRAFTING else self._after_left(position)
        total = 0.0
        for phase, counts in table.items():
            if phase != REACHED:
                share = _tiles_left(position) ** (1 + fade) if phase == DRAFTING else after
                mean = 1 / (1 + fade) if phase == DRAFTING else 1.0
                total += mean * share * counts[number - 1] * worth(phase, number)
                total += mean * sum(count * worth(phase, later)
                                    for later, count in enumerate(counts[number:], number + 1))
        return total / table[REACHED][number - 1]

    def choices_per_game(self, position: Position) -> float:
        """Return how many choices a seat can expect in a whole game on these boards."""
        table = self.choices[position.board, position.players]
        return sum(sum(counts) for phase, counts in table.items() if phase != REACHED)

    def share_of_choices_left(self, position: Position) -> float:
        """Return which share of a game's choices the seat to move still has before it, from 0 to 1.

        Raises:
            PavilionError: no seat is to move.
        """
        return min(1.0, self.choices_left(position) / self.choices_per_game(position))
