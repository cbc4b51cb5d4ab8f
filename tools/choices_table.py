#!/usr/bin/env python3
"""Count the choices of a seat in each round of self-play: the tables `Rules.choices`.

    python tools/choices_table.py                      # all variants, 60 games each
    python tools/choices_table.py --games 20 azul 2    # some games of base Azul for 2 players

A choice is a decision with more than one option (keep policy `maximal`). For each round there are
the mean choices of a seat in each phase over all games, those that end before included, and under
`reached` the share of games that come to it.
"""

from __future__ import annotations

import argparse
from collections import Counter

from pavilion_ai import Limits, Play, make_agent
from pavilion_ai.games import GAMES, variants

SIMS = 100
LEAST = 0.02
"""Least share of games that a round must be reached by to be in the table."""

Counts = Counter[tuple[str, int]]
"""Choices of all seats of all games, by phase and round, and games under `reached`."""


def count(game: str, board: str, players: int, seed: int, counts: Counts) -> None:
    """Play a game of `default` against itself and count its choices."""
    play = Play.new(game, board=board, players=players, seed=seed)
    agent = make_agent("default")
    while not play.is_over():
        if play.turn is None:
            play.draw_once()
            continue
        if len(play.list_moves("maximal")) > 1:
            counts[play.phase, play.position.round] += 1
        play.push(agent.choose(play, Limits(sims=SIMS), seed + len(play.plies)))
    for number in range(1, play.position.round + 1):
        counts["reached", number] += 1


def table(counts: Counts, games: int, players: int) -> dict[str, tuple[float, ...]]:
    """Return the means by phase, for each round."""
    rounds = max(number for (key, number), reached in counts.items()
                 if key == "reached" and reached >= LEAST * games)
    return {phase: tuple(round(counts[phase, number] / games / (
        1 if phase == "reached" else players), 2) for number in range(1, rounds + 1))
        for phase in dict.fromkeys(phase for phase, _ in counts)}


def main() -> None:
    """Print the tables as they stand in `pavilion_ai/games`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("game", nargs="?", choices=list(GAMES))
    parser.add_argument("players", nargs="?", type=int)
    parser.add_argument("--games", type=int, default=60)
    given = parser.parse_args()
    for rules, board, players in variants():
        game = rules.name
        if given.game in (None, game) and given.players in (None, players):
            counts: Counts = Counter()
            for seed in range(given.games):
                count(game, board, players, seed, counts)
            found = table(counts, given.games, players)
            print(f"{game}: ({board!r}, {players}): {found},", flush=True)


if __name__ == "__main__":
    main()
