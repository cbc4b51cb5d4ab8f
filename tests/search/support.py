"""What the tests of the search share: positions to search, and the states they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pavilion_ai._core import Rng, Search, SummerState
from pavilion_ai.games import GAMES
from pavilion_ai.position import Position
from pavilion_ai.search import DEFAULTS

DRAFT, PLACE, BONUS, DEAL, SUPPLY, OVER = range(6)

VARIANTS = [(players, grey) for players in (2, 3, 4) for grey in (False, True)]
"""Every number of players with both board sides."""

GAME = GAMES["summer"]

NO_TILES = (0,) * 6
EMPTY_BOARD = (0,) * 42


def walk(players: int, grey: bool, seed: int) -> Iterator[SummerState]:
    """Yield copies of all states with a decision in one uniformly random game."""
    rng = Rng(seed)
    state = SummerState.new(players, grey, seed % players, rng)
    while state.phase != OVER:
        if state.to_move < 0:
            state.draw(rng)
        else:
            yield state.copy()
            state.apply(state.random_move(rng))


def states(
    players: int, grey: bool, seed: int, *, round: int = 0, phase: int = -1, choices: int = 2
) -> list[SummerState]:
    """List the states of a random game in the given round and phase with so many choices."""
    return [
        state
        for state in walk(players, grey, seed)
        if round in (0, state.round)
        and phase in (-1, state.phase)
        and len(state.moves(True)) >= choices
    ]


def opening(players: int = 2, board: str = "coloured", seed: int = 1) -> Position:
    """Return an opening with fixed tiles."""
    return GAME.new(board, players, seed, start_player=0)


def position_of(state: SummerState) -> Position:
    """Return the position that a state stands for."""
    return GAME.from_core(state)


def make_state(
    hands: Sequence[Sequence[int]],
    *,
    boards: Sequence[Sequence[int]] = (),
    scores: Sequence[int] = (),
    grey: bool = False,
    round: int = 6,
    phase: int = PLACE,
    to_move: int = 0,
    next_to_move: int = -1,
    bonus_due: int = 0,
    displays: Sequence[Sequence[int]] = (),
    supply: Sequence[int] = NO_TILES,
    bag: Sequence[int] = NO_TILES,
    tower: Sequence[int] = NO_TILES,
    bag_size: int = -1,
    passed: Sequence[int] = (),
) -> SummerState:
    """Make a state with a seat per hand; `bag_size` hides the split of bag and tower."""
    players = len(hands)
    shown = [*displays, *[NO_TILES] * (2 * players + 1 - len(displays))]
    return SummerState(
        players, grey, round, phase, to_move, 0, 0, bonus_due, next_to_move, shown, NO_TILES,
        supply, bag, tower, max(bag_size, 0), bag_size < 0,
        [
            (
                scores[seat] if scores else 5,
                NO_TILES if seat in passed else hands[seat],
                hands[seat] if seat in passed else NO_TILES,
                seat in passed,
                boards[seat] if boards else EMPTY_BOARD,
            )
            for seat in range(players)
        ],
    )


def search(state: SummerState, *, seed: int = 1, memory_bytes: int = 64 << 20,
           **tunables: Any) -> Search:
    """Return a search tree for a state with the default tunables but for those given."""
    return Search(state, seed=seed, memory_bytes=memory_bytes, **{**DEFAULTS, **tunables})
