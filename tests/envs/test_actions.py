"""The numbering of actions: complete, invertible, and the same for ever."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

from pavilion_ai import IllegalMoveError, InvalidMoveError, PavilionError, Play, SpecError
from pavilion_ai._core import AzulState, State, SummerState
from pavilion_ai.envs import action_mask, action_of, move_of, num_actions, observe
from pavilion_ai.games import GAMES
from pavilion_ai.games.base import Setting
from tests.plays import VARIANTS

from . import literal

# sha256 of every action's move, by variant. It may change only with a new major version.
DIGEST = "1368d979977d4ee1979dde8663e200cdc45df213ce9f03b3465ba7b5ff22cbcf"


def none(colours: int) -> tuple[int, ...]:
    return (0,) * colours


def one(colours: int, colour: int) -> tuple[int, ...]:
    return tuple(int(place == colour) for place in range(colours))


def summer_state(
    board: str, players: int, *, round: int = 1, phase: int, hand: int = 0,
    supply: tuple[int, ...] = none(6), due: int = 0, source: int | None = None, colour: int = 0,
) -> State:
    """Return a state, not a sound one, of which seat 0 has to decide."""
    displays = [one(6, colour) if source == place else none(6) for place in range(2 * players + 1)]
    centre = one(6, colour) if source == 2 * players + 1 else none(6)
    seats = [(5, (tiles,) * 6, none(6), False, (0,) * 42) for tiles in (hand, *[0] * (players - 1))]
    return SummerState(players, board == "grey", round, phase, 0, 0, -1, due, -1, displays, centre,
                       supply, none(6), none(6), 0, True, seats)


def summer_states(board: str, players: int) -> Iterator[State]:
    """Yield states in which together every action is legal."""
    for source in range(2 * players + 2):
        for colour in range(6):
            yield summer_state(board, players, phase=0, source=source, colour=colour)
    for round in (1, 2):
        yield summer_state(board, players, round=round, phase=1, hand=6)
    for size in (1, 2, 3):
        for tiles in combinations_with_replacement(range(6), size):
            supply = tuple(tiles.count(colour) for colour in range(6))
            yield summer_state(board, players, phase=2, supply=supply, due=size)


def azul_state(
    board: str, players: int, *, source: int | None = None, colour: int = 0, full: bool = False,
    columns: int = 0,
) -> State:
    displays = [one(5, colour) if source == place else none(5) for place in range(2 * players + 1)]
    centre = one(5, colour) if source == 2 * players + 1 else none(5)
    lines = [(0, 1) if full else (-1, 0), *[(-1, 0)] * 4]
    wall = [*(2 + place for place in range(columns)), *[0] * (25 - columns)]
    if columns == 4:                     # the fifth column has the colour already
        wall[9] = 1
    return AzulState(players, board == "grey", 1, 1 if full else 0, 0, 0, -1, displays, centre,
                     none(5), none(5), 0, True, [(0, lines, wall, [])] * players)


def azul_states(board: str, players: int) -> Iterator[State]:
    for source in range(2 * players + 2):
        for colour in range(5):
            yield azul_state(board, players, source=source, colour=colour)
    if board == "grey":
        yield azul_state(board, players, full=True)
        yield azul_state(board, players, full=True, columns=4)


def every_action(game: str, board: str, players: int) -> dict[int, str]:
    """Return the moves of all actions that the states above make legal; check each both ways."""
    rules, found = GAMES[game], {}
    states = summer_states if game == "summer" else azul_states
    for state in states(board, players):
        mask = np.frombuffer(state.action_mask(), np.uint8)
        assert len(mask) == num_actions(game, board, players)
        assert mask.sum() == len(state.codes())
        for action in np.flatnonzero(mask):
            code = state.action_code(action)
            assert state.action(code) == action
            move = rules.move_text(Setting(board, state.round), state.numbers(code))
            assert literal.number(game, board, players, move) == action, move
            found.setdefault(int(action), move)
        for action in (-1, len(mask), *np.flatnonzero(mask == 0)[:: 7]):
            with pytest.raises(ValueError, match="not legal here"):
                state.action_code(action)
    return found


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_every_number_is_a_move_and_every_move_has_a_number(
    game: str, board: str, players: int
) -> None:
    found = every_action(game, board, players)
    assert sorted(found) == list(range(num_actions(game, board, players)))
    assert num_actions(game, board, players) == literal.count(game, board, players)


def test_the_numbering_has_not_changed() -> None:
    table = [
        f"{game} {board} {players} {action} {move}\n"
        for game, board, players in VARIANTS
        for action, move in sorted(every_action(game, board, players).items())
    ]
    assert hashlib.sha256("".join(table).encode()).hexdigest() == DIGEST


def test_sizes_are_those_of_the_documentation() -> None:
    sizes = {(game, board): [num_actions(game, board, players) for players in (2, 3, 4)]
             for game, board, _ in VARIANTS}
    assert sizes == {
        ("summer", "coloured"): [581, 593, 605], ("summer", "grey"): [1193, 1205, 1217],
        ("azul", "coloured"): [180, 240, 300], ("azul", "grey"): [186, 246, 306],
    }


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_plays_translate_both_ways(game: str, board: str, players: int) -> None:
    play = Play.new(game, board=board, players=players, seed=3)
    for _ in range(60):
        actions = {action_of(play, move) for move in play.legal_moves}
        assert set(np.flatnonzero(action_mask(play))) == actions
        assert {move_of(play, action) for action in actions} == set(play.legal_moves)
        play.push(play.legal_moves[len(play.legal_moves) // 2])
        if play.chance:
            assert not action_mask(play).any()
        play.draw()


def test_what_is_not_legal_is_refused() -> None:
    play = Play.new("azul", seed=1)
    with pytest.raises(IllegalMoveError):
        action_of(play, "C:B>1")
    with pytest.raises(InvalidMoveError):
        action_of(play, "nonsense")
    with pytest.raises(IllegalMoveError, match="action 150 is not legal here"):
        move_of(play, 150)
    for wrong in (180, -1):
        with pytest.raises(IllegalMoveError, match="does not exist, expected 0 to 179"):
            move_of(play, wrong)
    for odd, shown in ((True, "true"), (1.0, "1.0"), ("1", "'1'"), (np.array(1.0), "1.0"),
                       (np.array([1.0]), r"of shape \(1,\) and type float64"),
                       (np.array([1, 1]), r"of shape \(2,\) and type int64"), ([1], r"\[1\]")):
        with pytest.raises(InvalidMoveError, match=f"^action {shown}: expected a whole number$"):
            move_of(play, odd)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", [
    np.array, lambda action: np.array([action]), lambda action: np.array([[action]], np.uint8)])
def test_an_action_may_be_an_array_of_one_element(form: Any) -> None:
    play = Play.new("azul", seed=1)
    action = int(action_mask(play).argmax())
    assert move_of(play, form(action)) == move_of(play, action)


class Tensor:
    """An array of another framework, in main memory or not."""

    def __init__(self, *numbers: int, near: bool = True) -> None:
        self.numbers, self.near = numbers, near

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        if not self.near:
            raise TypeError("use cpu() first")
        return np.array(self.numbers)


def test_an_action_may_be_an_array_of_another_framework() -> None:
    play = Play.new("azul", seed=1)
    action = int(action_mask(play).argmax())
    assert move_of(play, Tensor(action)) == move_of(play, action)  # type: ignore[arg-type]
    for tensor, told in ((Tensor(1, 2), r"of shape \(2,\) and type int64"),
                         (Tensor(action, near=False), "a Tensor")):
        with pytest.raises(InvalidMoveError, match=f"^action {told}: expected a whole number$"):
            move_of(play, tensor)  # type: ignore[arg-type]


def test_a_position_in_place_of_a_play_is_named() -> None:
    position: Any = Play.new("azul", seed=1).position
    for ask in (observe, action_mask, partial(move_of, action=0), partial(action_of, move="C:B>1")):
        with pytest.raises(PavilionError, match="play: found an AzulPosition, expected a Play"):
            ask(position)


def test_numbers_of_arrays_are_numbers() -> None:
    """As agents of other libraries return them: an array without axes."""
    play = Play.new("azul", seed=1)
    action = action_of(play, play.legal_moves[0])
    for number in (np.int64(action), np.array(action), np.uint16(action)):
        assert move_of(play, number) == play.legal_moves[0]
    assert np.array_equal(observe(play, np.int8(1)), observe(play, 1))


@pytest.mark.parametrize("arguments", [("go", "coloured", 2), ("azul", "blue", 2),
                                       ("azul", "grey", 5), ("summer", "grey", True)])
def test_variants_that_do_not_exist(arguments: tuple[str, str, int]) -> None:
    with pytest.raises(SpecError, match="expected"):
        num_actions(*arguments)
