"""What the seats of a game took and built, counted from its moves."""

from __future__ import annotations

from dataclasses import dataclass

from pavilion_ai.play import Play


@dataclass(frozen=True)
class Counts:
    """Counts of one game, by seat.

    Attributes:
        tiles: tiles drafted from displays and centre.
        tokens: how often the seat took the start token (in base Azul the starting player marker).
        features: completed features: pillars, statues and windows (base Azul: rows, columns and
            colours).
    """

    tiles: tuple[int, ...]
    tokens: tuple[int, ...]
    features: tuple[int, ...]


def counts_of(play: Play) -> Counts:
    """Return the counts of a game, as far as it has come."""
    rules = play.rules
    tiles, tokens = [0] * play.start.players, [0] * play.start.players
    table: tuple[int, int] | None = None  # of the state before the move, if it is known
    end = play.state
    states = [*(ply.state for ply in play.plies), end]
    for ply, after in zip(play.plies, states[1:], strict=True):
        seat = ply.seat
        if seat is None or rules.phases[ply.state.phase] != "draft":
            table = None
            continue
        lying, token = table or rules.on_table(ply.state)
        table = rules.on_table(after)
        tiles[seat] += lying - table[0]
        # The first to take from the centre takes the token (RULES A6.3, B4.2).
        tokens[seat] += token < 0 and ply.move.startswith("C:")
    return Counts(tuple(tiles), tuple(tokens), rules.completed(end))
