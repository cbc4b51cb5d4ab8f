"""Total losses of players, by seat or by agent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pavilion_ai.analysis import short
from pavilion_ai.review.game import Review
from pavilion_ai.review.judge import MARKS
from pavilion_ai.spec import name_of, who_of
from pavilion_ai.wording import unique


@dataclass(frozen=True)
class Totals:
    """Sums over one player's decisions with more than one legal move.

    Attributes:
        name: agent, as named in the record; of several games, as in `names_in` them.
        game: the game that was played.
        games: number of games.
        seats: seats in them, of which a player may have several in a game.
        decisions: number of decisions.
        agreed: number of decisions in which the favourite or an equivalent move was played.
        win_loss: win probability given away.
        variance: variance of `win_loss`.
        lead_loss: points of the expected lead given away.
        marks: number of decisions with each of `MARKS`.
        luck: win probability gained by draws.
    """

    name: str = ""
    game: str = ""
    games: int = 0
    seats: int = 0
    decisions: int = 0
    agreed: int = 0
    win_loss: float = 0.0
    variance: float = 0.0
    lead_loss: float = 0.0
    marks: tuple[int, ...] = (0,) * len(MARKS)
    luck: float = 0.0

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.name or other.name,
            self.game or other.game,
            self.games + other.games,
            self.seats + other.seats,
            self.decisions + other.decisions,
            self.agreed + other.agreed,
            self.win_loss + other.win_loss,
            self.variance + other.variance,
            self.lead_loss + other.lead_loss,
            tuple(map(sum, zip(self.marks, other.marks, strict=True))),
            self.luck + other.luck,
        )

    def to_json(self) -> dict[str, object]:
        """Return the sums as a JSON object."""
        return {
            "agent": self.name,
            "decisions": self.decisions,
            "agreed": self.agreed,
            "win_loss": short(self.win_loss),
            "win_loss_se": short(self.win_loss_se),
            "lead_loss": short(self.lead_loss),
            "marks": dict(zip(MARKS, self.marks, strict=True)),
            "luck": short(self.luck),
        }

    @property
    def win_loss_se(self) -> float:
        """Standard error of `win_loss`, from the errors of the searches."""
        return math.sqrt(self.variance)

    @property
    def agreement(self) -> float:
        """Share of the decisions in which the favourite was played; 0 without decisions."""
        return self.agreed / self.decisions if self.decisions else 0.0

    @property
    def mean_win_loss(self) -> float:
        """Win probability given away per decision; 0 without decisions."""
        return self.win_loss / self.decisions if self.decisions else 0.0

    @property
    def mean_lead_loss(self) -> float:
        """Points of the lead given away per decision; 0 without decisions."""
        return self.lead_loss / self.decisions if self.decisions else 0.0


def by_seat(review: Review) -> list[Totals]:
    """Return the totals of a game, by seat."""
    return [_of_seat(review, seat) for seat in range(review.record.start.players)]


def names_in(reviews: Sequence[Review]) -> dict[tuple[str, str], str]:
    """Return the name of each player of several games, by `who_of`; those of one name are numbered.
    """
    players = list(dict.fromkeys(
        who_of(agent) for review in reviews for agent in review.record.agents))
    return dict(zip(players, unique([name for name, _ in players]), strict=True))


def by_agent(reviews: Sequence[Review]) -> list[Totals]:
    """Return the totals of several games by agent and kind of game, in order of first occurrence.

    Games that nobody won or that were not reviewed to their end are left out: they would not count
    as whole games.
    """
    names = names_in(reviews)
    found: dict[tuple[str, str], Totals] = {}
    for review in reviews:
        if not review.result:
            continue
        met: set[str] = set()
        for agent, totals in zip(review.record.agents, by_seat(review), strict=True):
            name = names[who_of(agent)]
            one = replace(totals, name=name, games=0 if name in met else 1)
            key = name, one.game
            found[key] = found.get(key, Totals()) + one
            met.add(name)
    return list(found.values())


def _of_seat(review: Review, seat: int) -> Totals:
    mine = [j for j in review.judgements if j.seat == seat and not j.forced]
    return Totals(
        name=name_of(review.record.agents[seat]),
        game=review.record.game,
        games=1,
        seats=1,
        decisions=len(mine),
        agreed=sum(j.agrees for j in mine),
        win_loss=sum(j.win_loss for j in mine),
        variance=sum(j.win_loss_se**2 for j in mine),
        lead_loss=sum(j.lead_loss for j in mine),
        marks=tuple(sum(j.mark == mark for j in mine) for mark in MARKS),
        luck=sum(draw.luck[seat] for draw in review.draws),
    )
