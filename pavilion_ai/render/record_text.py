"""Describe a recorded game in words: its id, players, comment and result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pavilion_ai.errors import printable, shown
from pavilion_ai.play import HUMAN
from pavilion_ai.record import FINISHED, UNFINISHED, GameRecord
from pavilion_ai.render.columns import LONGEST_NAME, shortened
from pavilion_ai.render.words import victory
from pavilion_ai.spec import name_of, who_of


def player(agent: Mapping[str, str]) -> str:
    """Return `name_of` a player, so that it can be printed."""
    return printable(name_of(agent))


def seats_called(record: GameRecord, names: Collection[str]) -> set[int]:
    """Return the seats of those with these names: `player`, a whole spec, or such as `seat 0`."""
    return {seat for seat, agent in enumerate(record.agents)
            if not {f"seat {seat}", *map(printable, who_of(agent))}.isdisjoint(names)}


def plain_name(agent: Mapping[str, str]) -> str:
    """Return a short name of a player in plain words, from an entry of `GameRecord.agents`.

    >>> [plain_name({"spec": spec}) for spec in ("default:level=3", "default", "greedy")]
    ['level 3', 'engine', 'greedy']
    """
    head, _, level = agent.get("spec", "").partition("level=")
    if agent.get("name") or head not in ("default", "default:") or (level and not level.isdigit()):
        return player(agent)
    return f"level {level}" if level else "engine"


def head(record: GameRecord) -> list[str]:
    """Return the id of a game, its players, and its comment if it has one."""
    start, comment = record.start, record.extra.get("comment")
    people = all(agent.get("spec") == HUMAN for agent in record.agents)
    seeded = record.seed or not people  # those of sites have no seed
    seed = f", seed {shown(record.seed)}" if seeded else ""
    return [
        f"game {shortened(printable(record.id), LONGEST_NAME)}: {start.game}, {start.board}{seed}",
        *(f"seat {seat}: {shortened(player(agent), LONGEST_NAME)}"
          for seat, agent in enumerate(record.agents)),
        *([f"comment: {printable(' '.join(comment.split()))}"] if isinstance(comment, str) else []),
    ]


def result(record: GameRecord) -> str:
    """Return the result of the game according to the record."""
    if record.reason == UNFINISHED:
        return f"unfinished, {_scores(record.scores)}"
    how = "" if record.reason == FINISHED else f"{printable(record.reason)}; "
    if how and not record.winners:  # given up, or cut short
        return how + _scores(record.scores)
    return how + outcome(record.winners, record.scores)


def outcome(winners: Sequence[int], scores: Sequence[int]) -> str:
    """Return who has won, and the scores.

    >>> outcome([1], [96, 118]), outcome([0, 2], [70, 51, 70])
    ('seat 1 wins, scores 96, 118', 'seat 0 and seat 2 share the victory, scores 70, 51, 70')
    """
    return f"{victory([f'seat {seat}' for seat in winners])}, {_scores(scores)}"


def _scores(scores: Sequence[int]) -> str:
    return f"scores {', '.join(map(str, scores))}"
