"""What all games of an event share, and who played in each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from pavilion_ai.errors import shown
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.record import GameRecord
from pavilion_ai.spec import called, is_program
from pavilion_ai.wording import versions_in_words

MOST_VERSIONS = 5
"""Versions of an agent that are told apart."""
UNKNOWN = "unknown"
"""Version of an agent that does not tell it."""


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
    """The versions in which agents have played, by entrant."""

    def __init__(self) -> None:
        self._external: defaultdict[int, list[str]] = defaultdict(list)
        self._own: defaultdict[int, list[str]] = defaultdict(list)

    def enter(self, seated: Iterable[tuple[int, Mapping[str, str]]]) -> Iterator[str]:
        """Enter a game; yield a line for each external engine of another version than before.

        Args:
            seated: as `agents_of` the game.
        """
        for entrant, agent in seated:
            spec, version = agent.get("spec", ""), agent.get("version", UNKNOWN)
            external = is_program(spec)
            earlier = (self._external if external else self._own)[entrant]
            if (version in earlier or len(earlier) == MOST_VERSIONS
                    or (external and version == UNKNOWN)):
                continue
            if external and earlier:
                yield (f"{shown(called(spec))} has version {shown(version)}, in earlier games"
                       f" {shown(earlier[-1])}")
            earlier.append(version)

    def own(self, least: int = 1) -> set[str]:
        """Return the versions of those agents of this package that played in so many or more."""
        return {version for found in self._own.values() if len(found) >= least
                for version in found}

    def note(self) -> Iterator[str]:
        """Yield a line if an agent of this package has played in several versions."""
        if several := self.own(2):
            yield f"some agents have played in several versions: {versions_in_words(several)}"
