"""What several games tell of a player, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pavilion_ai.bounds import MAX_LEVEL
from pavilion_ai.errors import printable
from pavilion_ai.games import GAMES
from pavilion_ai.render.columns import Column
from pavilion_ai.render.words import above_0
from pavilion_ai.review import Losses, Player, level_like, players_of
from pavilion_ai.review.across import WORSE, Likeness
from pavilion_ai.review.game import Review
from pavilion_ai.stats import Estimate
from pavilion_ai.wording import plural, signed

MOST_PLAYERS = 4
MOST_MISTAKES = 6
PHASES = {"draft": "draft", "place": "place", "bonus": "take bonus tiles", "wall": "pick columns"}
"""Phases with decisions, as something that a player does."""


class Table(NamedTuple):
    """A table of the report: a heading, the names of its rows, its columns, lines below it."""

    title: str
    names: list[str]
    columns: list[Column]
    below: list[str]


def across(reviews: Sequence[Review]) -> list[Table]:
    """Return the tables on players of several games, at most four of them."""
    players = [one for one in players_of(reviews) if one.games > 1][:MOST_PLAYERS]
    tables = [table for player in players for table in (_phases(player), _mistakes(player))]
    return [table for table in tables if table.names]


def _phases(player: Player) -> Table:
    phases = [phase for phase in PHASES if player.of_phase(phase).points]
    rounds = sorted({number for _, number in player.phases})
    names = [PHASES[phase] for phase in phases]
    columns: list[Column] = [
        (str(number), [_mean(player.phases.get((phase, number), Losses())) for phase in phases])
        for number in rounds]
    whole = [player.of_phase(phase) for phase in phases]
    columns += [("all", [_mean(losses) for losses in whole]),
                ("+-", [_reach(losses.mean) for losses in whole]),
                ("agreed", [f"{100 * one.agreed / len(one.points):.0f} %" for one in whole])]
    title = (f"{_who(player)}: points lost per decision, by phase and round")
    return Table(title, names, columns, [*_like(player, phases), *_luck(player)])


def _who(player: Player) -> str:
    who = "all seats called " if player.seats > player.games else ""
    left = player.games - player.finished
    return (f"{who}{printable(player.name)}, {plural(player.games, 'game')} of"
            f" {GAMES[player.game].title}" + (f" ({left} unfinished)" if left else ""))


def _mean(losses: Losses) -> str:
    return f"{sum(losses.points) / len(losses.points):.2f}" if losses.points else "-"


def _reach(mean: Estimate) -> str:
    if mean.value is None or mean.high is None:
        return "-"
    return above_0(mean.high - mean.value, 2)


def _like(player: Player, phases: Sequence[str]) -> list[str]:
    """Say which levels lose as much."""
    parts = []
    for phase in phases:
        found = level_like(player, phase)
        if found is not None:
            parts.append(f"{PHASES[phase]} {_level(found)}")
    return [f"they {', '.join(parts)} of the default agent"] if parts else []


def _level(found: Likeness) -> str:
    """Name a level, with its interval; at either end of the scale others may lie beyond."""
    level, low, high = map(round, found[:3])
    if found.beyond == WORSE:
        return f"below level {level}"
    beyond = {1: " or below", MAX_LEVEL: " or better"}.get(level, "")
    return f"like level {level}" + (f" ({low} to {high})" if low != high else beyond)


def _luck(player: Player) -> list[str]:
    """Say what was luck and what was skill, with 95 % intervals over the deals."""
    if not player.finished:
        return []
    parts = ", ".join(f"{what} {_share(player, values)}" for what, values in (
        ("draws", player.luck), ("own mistakes", [-one for one in player.lost]),
        ("mistakes of others", player.given)))
    deals = len(set(player.deals))
    of = f" in {plural(deals, 'deal')}" if deals < player.finished else ""
    return [f"won {sum(player.won):g} of {player.finished}{of}; chance to win that came by each, in"
            f" percentage points per game: {parts}"]


def _share(player: Player, values: Sequence[float]) -> str:
    mean = player.mean([100 * one for one in values])
    if mean.value is None:
        return "-"
    reach = "" if mean.high is None else f" +- {above_0(mean.high - mean.value)}"
    return f"{signed(mean.value)}{reach}"


def _mistakes(player: Player) -> Table:
    worst = sorted(player.mistakes.items(), key=lambda one: -sum(one[1].points))[:MOST_MISTAKES]
    found = [losses for _, losses in worst]
    columns: list[Column] = [
        ("times", [str(len(one.points)) for one in found]),
        ("points", [f"{sum(one.points):.1f}" for one in found]),
        ("each", [_mean(one) for one in found]),
        ("lost %", [f"{100 * one.win:.1f}" for one in found])]
    return Table(f"{_who(player)}: most expensive kinds of mistakes; what was better",
                 [kind for kind, _ in worst], columns, [])
