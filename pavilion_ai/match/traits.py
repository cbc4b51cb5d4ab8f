"""What all games of an event share, and who played in each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from pavilion_ai.errors import shown
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.record import GameRecord
from pavilion_ai.spec import is_program

__all__ = ["Versions", "agents_of", "traits"]

MOST_VERSIONS = 5
"""Versions of an engine that are told apart."""
UNKNOWN = "unknown"
"""Version of an engine that does not tell it."""


def traits(record: GameRecord) -> dict[str, object]:
    """Return what the game of a record shares with all games of its event, by name."""
    match, start = record.extra[MATCH_KEY], record.start
    return {"seed": match["seed"], "event": match["event"], "game": start.game,
            "board": start.board, "players": start.players, "tied": match["tied"],
            "limits": match["limits"], "from positions": match.get("opening") is not None}


def agents_of(record: GameRecord) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the entrants of a game by seat, with what its record tells of their agents."""
    return zip(record.extra[MATCH_KEY]["entrants"], record.agents, strict=True)


class Versions:
    """The versions in which external engines have played, by entrant."""

    def __init__(self) -> None:
        self._found: defaultdict[int, list[str]] = defaultdict(list)

    def enter(self, seated: Iterable[tuple[int, Mapping[str, str]]]) -> Iterator[str]:
        """Enter a game; yield a line for each engine that has played in another version before.

        Args:
            seated: as `agents_of` the game.
        """
        for entrant, agent in seated:
            spec, version = agent.get("spec", ""), agent.get("version", UNKNOWN)
            earlier = self._found[entrant]
            if (not is_program(spec) or version in (UNKNOWN, *earlier)
                    or len(earlier) == MOST_VERSIONS):
                continue
            if earlier:
                yield (f"{shown(spec)} has version {shown(version)}, in earlier games"
                       f" {shown(earlier[-1])}")
            earlier.append(version)
