"""The variants, games played and records replayed, for the tests of any room."""

from __future__ import annotations

from collections.abc import Iterator

from pavilion_ai.agents import make_agent
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.play import Play, walk
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord

VARIANTS = [(game, board, players) for game, rules in GAMES.items() for board in rules.boards
            for players in (2, 3, 4)]


def turns(play: Play, draws: int | Rng | None = None) -> Iterator[Play]:
    """Yield the play before every decision, which the caller makes; `draws` as in `Play.draw`."""
    while not play.is_over():
        if play.turn is None:
            play.draw_once(draws)
        else:
            yield play


def decisions(play: Play, seed: int) -> Iterator[Play]:
    """Play to the end by the engine's first thoughts; yield the play at every decision."""
    agent = make_agent("policy")
    for here in turns(play):
        yield here
        here.push(agent.choose(here, seed=seed + len(here.plies)))


def positions_of(record: GameRecord) -> list[Position]:
    """Return the positions of a game, the start first; RecordError if a move is not legal."""
    return [play.position for play in walk(record)]


def replayed(record: GameRecord) -> list[Position]:
    """Return the same, having checked that the game ends as its record says."""
    positions = positions_of(record)
    record.check_end(positions[-1])
    return positions
