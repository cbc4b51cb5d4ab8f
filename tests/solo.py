"""What tests of the game for one share; the fixture `solo_data` stands in `conftest.py`."""

from __future__ import annotations

from pavilion_ai.agents import make_agent
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord
from pavilion_ai.solo import Challenge, due, rivals_of

SIMS = (20, 30)
"""Simulations of the games that make par in tests."""
AZUL = Challenge("azul", "coloured", 2, 1, 3)
RULE = Challenge("azul", "grey", 2, 0, 5)
SUMMER = Challenge("summer", "coloured", 2, 1, 3)


def record_of(challenge: Challenge) -> GameRecord:
    """Return a game in which the person plays at random."""
    person = make_agent("random")
    play = Play(challenge.start, seed=challenge.seed)
    rivals = rivals_of(challenge)
    while not play.is_over():
        move = due(play, challenge, rivals)
        play.push(person.choose(play, seed=len(play.plies)) if move is None else move)
    return play.record(["human", challenge.rival], extra={"solo": {"level": challenge.level}})
