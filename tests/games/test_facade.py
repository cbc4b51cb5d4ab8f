"""The facade over the compiled rules, on samples and on made-up positions."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavilion_ai.errors import (
    IllegalMoveError,
    InvalidMoveError,
    PavilionError,
    PositionError,
    SpecError,
)
from pavilion_ai.games import GAMES, Rng, fresh_seed, game_of
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.position import SummerPosition, validate
from tests.notation.samples import lines, make_position

GAME = GAMES["summer"]
BOARDS = ("coloured", "grey")


def read(raw: object) -> SummerPosition:
    position = parse_position(raw).position  # type: ignore[arg-type]
    assert isinstance(position, SummerPosition)
    return position


@pytest.mark.parametrize("board", BOARDS)
def test_sample_positions(board: str) -> None:
    for line in lines(f"positions_summer_{board}.jsonl"):
        position = read(line["position"])
        assert game_of(position) is GAME
        assert GAME.legal_moves(position) == line.get("moves", [])
        assert GAME.chance(position) == line.get("chance")


@pytest.mark.parametrize("board", BOARDS)
def test_sample_transitions(board: str) -> None:
    for line in lines(f"transitions_summer_{board}.jsonl"):
        position = read(line["position"])
        assert GAME.canonical(position, line["move"]) == line["move"]
        after = GAME.apply(position, line["move"])
        assert to_json(after) == line["next"]
        assert validate(after) == ()


@pytest.mark.parametrize("board", BOARDS)
def test_sample_games(board: str) -> None:
    for line in lines(f"games_summer_{board}.jsonl"):
        last, played = GAME.play(read(line["start"]), line["moves"], seed=0)
        assert played == line["moves"]
        assert GAME.winners(last) == line["winners"]
        assert GAME.breakdown(last) == line["breakdown"]
        assert [seat.score for seat in last.seats] == line["scores"]


def test_sample_illegal_moves() -> None:
    for line in lines("illegal_moves.jsonl"):
        position = read(line["position"])
        for text in line["moves"]:
            with pytest.raises((IllegalMoveError, InvalidMoveError)) as caught:
                GAME.apply(position, text)
            assert "the rules do not allow it" not in str(caught.value)
            assert "\n" not in str(caught.value)


def test_sample_perft() -> None:
    for line in lines("perft.jsonl"):
        position = read(line["position"])
        assert GAME.perft(position, 0) == 1
        for depth, nodes in enumerate(line["perft"], 1):
            if nodes < 5000:
                assert GAME.perft(position, depth) == nodes
                assert sum(GAME.divide(position, depth).values()) == nodes


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_made_up_positions(seed: int) -> None:
    position = make_position(Random(seed))
    assert GAME.from_core(GAME.to_core(position)) == position
    moves = GAME.legal_moves(position)
    assert (moves == []) == (position.phase in ("deal", "supply", "over"))
    for text in Random(seed).sample(moves, min(5, len(moves))):
        after = GAME.apply(position, text)
        assert validate(after) == ()
        assert GAME.canonical(position, text) == text
        assert (after.bag is None) == (position.bag is None)
    if GAME.chance(position):
        text, after = GAME.draw(position, Rng(seed))
        assert validate(after) == ()
        assert GAME.apply(position, text) == after
        assert after.split_known == position.split_known
        divided = GAME.divide(position, 1)
        assert GAME.perft(position, 1) == (sum(divided.values()) if divided else 1)


def test_new_games() -> None:
    for players in (2, 3, 4):
        for board in GAME.boards:
            position = GAME.new(board, players, seed=7)
            assert validate(position) == ()
            assert position == GAME.new(board, players, seed=7)
            assert position.players == players
            assert position.phase == "draft"
            assert position.to_move == position.start_seat
    assert GAME.new() != GAME.new()
    starters = {GAME.new(players=4, seed=seed).start_seat for seed in range(40)}
    assert starters == {0, 1, 2, 3}


def test_the_starting_seat_does_not_change_the_tiles() -> None:
    free, fixed = GAME.new(seed=3), GAME.new(seed=3, start_player=1)
    assert fixed.to_move == 1
    assert free.displays == fixed.displays


@pytest.mark.parametrize("arguments", [
    {"board": "gray"}, {"players": 5}, {"players": True}, {"seed": "x"}, {"start_player": 2},
    {"seed": 1.5},
])
def test_new_refuses(arguments: dict[str, object]) -> None:
    with pytest.raises(SpecError, match="expected"):
        GAME.new(**arguments)  # type: ignore[arg-type]


def test_seeds_fit_every_json_reader() -> None:
    assert all(0 <= fresh_seed() < 2**53 for _ in range(10))


def test_play_draws_what_is_not_given() -> None:
    position = GAME.new(seed=1, start_player=0)
    rng = Random(2)
    moves: list[str] = []
    while position.phase != "over":
        legal = GAME.legal_moves(position, "maximal")
        choice = rng.choice([text for text in legal if text[:4] != "pass"] or legal)
        position, played = GAME.play(position, [choice], seed=len(moves))
        assert played[0] == choice
        assert GAME.chance(position) is None
        moves += played
    kinds = {text.partition(":")[0] for text in moves}
    assert {"deal", "supply", "pass", "bonus", "C"} <= kinds
    start = GAME.new(seed=1, start_player=0)
    assert GAME.play(start, moves) == (position, moves)
    decisions = [text for text in moves if text.partition(":")[0] not in ("deal", "supply")][:5]
    assert GAME.play(start, decisions, seed=5) == GAME.play(start, decisions, seed=5)


def test_results_only_at_the_end() -> None:
    for ask in (GAME.winners, GAME.breakdown):
        with pytest.raises(PavilionError, match="expected a game that is over"):
            ask(GAME.new(seed=1))


def test_lenient_input() -> None:
    position = GAME.new(seed=1, start_player=0)
    text = GAME.legal_moves(position)[0]
    assert GAME.canonical(position, f" {text.lower()} ", lenient=True) == text
    with pytest.raises(InvalidMoveError):
        GAME.canonical(position, text.lower())


def test_wrong_options() -> None:
    position = GAME.new(seed=1)
    with pytest.raises(SpecError, match="keep_policy"):
        GAME.legal_moves(position, "all")
    with pytest.raises(SpecError, match="depth"):
        GAME.perft(position, -1)
    with pytest.raises(SpecError, match="depth"):
        GAME.divide(position, 0)
    with pytest.raises(IllegalMoveError, match="nothing is to be drawn"):
        GAME.draw(position, Rng(0))


def test_unsound_positions_do_not_reach_the_core() -> None:
    from dataclasses import replace

    position = GAME.new(seed=1)
    assert isinstance(position, SummerPosition)
    for wrong in (replace(position, round=9), replace(position, displays=()),
                  replace(position, to_move=None), replace(position, board=3)):  # type: ignore[arg-type]
        with pytest.raises(PositionError):
            GAME.legal_moves(wrong)
