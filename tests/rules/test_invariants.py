"""What must hold along every game, checked on games that the package plays at random."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from pavilion_ai.games import GAMES, Rng
from pavilion_ai.notation import FORMS, format_position, parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.position import validate

from .azul_made_up import made_up_position as made_up_azul_position
from .random_games import (
    CHANCE_PHASES,
    LETTERS,
    Position,
    every_game,
    plies,
)
from .summer_made_up import made_up_position

PER_COLOUR = {"summer": 22, "azul": 20}
UNSEEN = {"summer": {"bag": None, "tower": None}, "azul": {"bag": None, "lid": None}}
MADE_UP = {"summer": made_up_position, "azul": made_up_azul_position}


def all_tiles(position: Position) -> Iterator[tuple[int, ...]]:
    """Yield every multiset of tiles of a position; stars, walls and floor lines as such."""
    letters = LETTERS[position.game]
    yield from position.displays
    yield from [position.centre, position.bag]
    if position.game == "azul":
        yield position.lid
        for seat in position.seats:
            yield from seat.lines
            yield tuple("".join([*seat.wall, seat.floor]).count(letter) for letter in letters)
        return
    yield from [position.supply, position.tower]
    for seat in position.seats:
        yield from [seat.hand, seat.kept]
        yield from [tuple(star.count(letter) for letter in letters) for star in seat.stars]


@every_game
def test_no_tile_is_lost(game: str, players: int, board: str, seed: int) -> None:
    """A1: 22 tiles of each of six colours; B1: 20 of each of five."""
    for position, _, _ in plies(game, players, board, seed):
        counts = [sum(counts) for counts in zip(*all_tiles(position), strict=True)]
        assert counts == [PER_COLOUR[game]] * len(LETTERS[game])
        assert position.bag_size == sum(position.bag)
        assert (position.to_move is None) == (position.phase in [*CHANCE_PHASES, "over"])
        assert validate(position) == ()


@every_game
def test_move_lists(game: str, players: int, board: str, seed: int) -> None:
    """Lists are sorted, free of doubles, never empty on a decision; maximal is part of free."""
    rules = GAMES[game]
    for position, moves, _ in plies(game, players, board, seed):
        assert moves == sorted(set(moves))
        assert bool(moves) == (position.to_move is not None)
        maximal = rules.legal_moves(position, "maximal")
        assert set(maximal) <= set(moves)
        if position.phase != "place":
            assert maximal == moves
        assert [rules.canonical(position, move) for move in moves[:5]] == moves[:5]


@every_game
def test_every_listed_move_can_be_played(game: str, players: int, board: str, seed: int) -> None:
    """Every 11th ply: each move leads to a sound position of its own and mutates nothing."""
    for position, moves, _ in plies(game, players, board, seed)[::11]:
        before = deepcopy(position)
        state: Any = GAMES[game].to_core(position)
        numbers = state.fields()
        following = [GAMES[game].apply(position, move) for move in moves]
        codes = [format_position(after, "code") for after in following]
        assert len(set(codes)) == len(moves)
        assert all(validate(after) == () for after in following)
        assert position == before
        assert state.fields() == numbers


@every_game
def test_copies_are_independent(game: str, players: int, board: str, seed: int) -> None:
    """Every 11th ply: what is played on a copy of the core's state stays on the copy."""
    for position, moves, _ in plies(game, players, board, seed)[::11]:
        state: Any = GAMES[game].to_core(position)
        numbers = deepcopy(state.fields())
        copies: list[Any] = [state.copy() for _ in range(2)]
        if moves:
            copies[0].apply(state.moves()[0])
        elif position.phase in CHANCE_PHASES:
            copies[0].draw(Rng(seed))
        else:
            continue
        assert state.fields() == numbers == copies[1].fields()
        assert copies[0].fields() != numbers
        assert GAMES[game].from_core(state) == position


@every_game
def test_round_trips(game: str, players: int, board: str, seed: int) -> None:
    """Every 3rd ply: each form of a position is read back as the same position."""
    for position, _, _ in plies(game, players, board, seed)[::3]:
        assert parse_position(to_json(position)).position == position
        for form in FORMS:
            parsed = parse_position(format_position(position, form))
            assert parsed.form == form
            assert parsed.position == position
            assert parsed.notes == ()
        assert GAMES[game].from_core(GAMES[game].to_core(position)) == position


@pytest.mark.release_only
@pytest.mark.parametrize("game", GAMES)
def test_round_trips_of_made_up_positions(game: str) -> None:
    """Positions that play does not reach, with known and with unknown bag."""
    for seed in range(100):
        made_up = MADE_UP[game](Random(seed))
        for given in [made_up, {**made_up, **UNSEEN[game]}]:
            position = parse_position(given).position
            assert to_json(position) == given
            for form in FORMS:
                assert parse_position(format_position(position, form)).position == position
            assert GAMES[game].from_core(GAMES[game].to_core(position)) == position


@every_game
def test_replay(game: str, players: int, board: str, seed: int) -> None:
    """The moves of a game, draws included, lead from its start to its end again."""
    played_before = plies(game, players, board, seed)
    moves = [move for _, _, move in played_before if move]
    play = Play(played_before[0][0])
    assert play.push_all(moves, seed=0) == moves
    assert play.position == played_before[-1][0]


@pytest.mark.parametrize("game", GAMES)
def test_equal_seeds_give_equal_games(game: str) -> None:
    rules = GAMES[game]
    first, second = rules.new(seed=7), rules.new(seed=7)
    assert first == second
    assert rules.new(seed=8) != first
    moves = [move for _, _, move in plies(game, 2, "coloured", 1)[:5]]
    start = plies(game, 2, "coloured", 1)[0][0]
    one, other = Play(start), Play(start)
    assert one.push_all(moves, seed=3) == other.push_all(moves, seed=3)
    assert one == other
