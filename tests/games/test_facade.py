"""The facade over the compiled rules, on samples and on made-up positions."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import numpy as np
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
from pavilion_ai.games import GAMES, Rng, Rules, fresh_seed, rules_of
from pavilion_ai.notation import FORMS, format_position, parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.position import AzulPosition, Position, status, validate
from pavilion_ai.position.summer_board import FEATURES as PRINTED
from tests.notation.samples import lines, made_up
from tests.reference.summer_geometry import FEATURES, SITES
from tests.rules.lockstep import scaled

BOARDS = ("coloured", "grey")
ALL = list(GAMES.values())

by_game = pytest.mark.parametrize("game", ALL, ids=list(GAMES))
by_board = pytest.mark.parametrize("board", BOARDS)


def read(raw: object) -> Position:
    return parse_position(raw).position  # type: ignore[arg-type]


@by_game
@by_board
def test_sample_positions(game: Rules, board: str) -> None:
    for line in lines(f"positions_{game.name}_{board}.jsonl", game.name):
        position = read(line["position"])
        assert rules_of(position) is game
        assert game.legal_moves(position) == line.get("moves", [])
        assert game.chance(position) == line.get("chance")


@by_game
@by_board
def test_sample_transitions(game: Rules, board: str) -> None:
    for line in lines(f"transitions_{game.name}_{board}.jsonl", game.name):
        position = read(line["position"])
        assert game.canonical(position, line["move"]) == line["move"]
        after = game.apply(position, line["move"])
        assert to_json(after) == line["next"]
        assert validate(after) == ()


@by_game
@by_board
def test_sample_games(game: Rules, board: str) -> None:
    for line in lines(f"games_{game.name}_{board}.jsonl", game.name):
        play = Play(read(line["start"]))
        assert play.push_all(line["moves"], seed=0) == line["moves"]
        last = play.position
        assert game.winners(last) == line["winners"]
        assert game.breakdown(last) == line["breakdown"]
        assert [seat.score for seat in last.seats] == line["scores"]


@by_game
def test_sample_illegal_moves(game: Rules) -> None:
    for line in lines("illegal_moves.jsonl", game.name):
        position = read(line["position"])
        for text in line["moves"]:
            with pytest.raises((IllegalMoveError, InvalidMoveError)) as caught:
                game.apply(position, text)
            assert "the rules do not allow it" not in str(caught.value)
            assert "\n" not in str(caught.value)


@by_game
def test_sample_perft(game: Rules) -> None:
    for line in lines("perft.jsonl", game.name):
        position = read(line["position"])
        assert game.perft(position, 0) == 1
        for depth, nodes in enumerate(line["perft"], 1):
            if nodes < 5000:
                assert game.perft(position, depth) == nodes
                assert sum(game.divide(position, depth).values()) == nodes


@settings(max_examples=scaled(200))
@given(st.sampled_from(ALL), st.integers(0, 2**32))
def test_made_up_positions(game: Rules, seed: int) -> None:
    position = made_up(game.name, seed)
    assert game.from_core(game.to_core(position)) == position
    moves = game.legal_moves(position)
    assert (moves == []) == (position.phase in ("deal", "supply", "over"))
    for text in Random(seed).sample(moves, min(5, len(moves))):
        after = game.apply(position, text)
        assert validate(after) == ()
        assert game.canonical(position, text) == text
        assert (after.bag is None) == (position.bag is None)
    if game.chance(position):
        text, after = game.draw(position, Rng(seed))
        assert validate(after) == ()
        assert game.apply(position, text) == after
        assert after.split_known == position.split_known
        divided = game.divide(position, 1)
        assert game.perft(position, 1) == (sum(divided.values()) if divided else 1)


@by_game
def test_new_games(game: Rules) -> None:
    for players in (2, 3, 4):
        for board in game.boards:
            position = game.new(board, players, seed=7)
            assert validate(position) == ()
            assert position == game.new(board, players, seed=7)
            assert position.variant == (game.name, board, players)
            assert position.phase == "draft"
            assert position.to_move == position.start_seat
    assert game.new() != game.new()
    starters = {game.new(players=4, seed=seed).start_seat for seed in range(40)}
    assert starters == {0, 1, 2, 3}


@by_game
def test_the_starting_seat_does_not_change_the_tiles(game: Rules) -> None:
    free, fixed = game.new(seed=3), game.new(seed=3, start_player=1)
    assert fixed.to_move == 1
    assert free.displays == fixed.displays


@by_game
def test_searches_past_deals_have_a_drift_of_their_own(game: Rules) -> None:
    for variant, drift in game.network_drifts.items():
        assert game.drift_of(*variant) == drift
        assert game.drift_of(*variant, deals=True) == game.deal_drifts.get(variant, drift)
    assert any(game.deal_drifts[one] != game.network_drifts[one] for one in game.deal_drifts)
    assert game.drift_of("coloured", 5) == game.drift


@pytest.mark.parametrize("arguments", [
    {"board": "gray"}, {"players": 5}, {"players": True}, {"seed": "x"}, {"start_player": 2},
    {"seed": 1.5},
])
@by_game
def test_new_refuses(game: Rules, arguments: dict[str, object]) -> None:
    with pytest.raises(SpecError, match="expected"):
        game.new(**arguments)  # type: ignore[arg-type]


def test_seeds_fit_every_json_reader() -> None:
    assert all(0 <= fresh_seed() < 2**53 for _ in range(10))


@pytest.mark.parametrize(("game", "board", "expected"), [
    (GAMES["summer"], "coloured", {"deal", "supply", "pass", "bonus", "C"}),
    (GAMES["azul"], "coloured", {"deal", "C", "D9"}),
    (GAMES["azul"], "grey", {"deal", "C", "D9", "wall"}),
], ids=["summer", "azul", "azul-grey"])
def test_play_draws_what_is_not_given(game: Rules, board: str, expected: set[str]) -> None:
    start = position = game.new(board, 4, seed=1, start_player=0)
    rng = Random(2)
    moves: list[str] = []
    while position.phase != "over":
        legal = game.legal_moves(position, "maximal")
        likely = [text for text in legal if text[:4] != "pass" and text[-2:] != ">F"]
        choice = rng.choice(likely or legal)
        play = Play(position)
        played = play.push_all([choice], seed=len(moves))
        position = play.position
        assert played[0] == choice
        assert game.chance(position) is None
        moves += played
    kinds = {text.partition(":")[0] for text in moves}
    assert expected <= kinds
    again = Play(start)
    assert again.push_all(moves) == moves
    assert again.position == position
    decisions = [text for text in moves if text.partition(":")[0] not in ("deal", "supply")][:5]
    one, other = Play(start), Play(start)
    assert one.push_all(decisions, seed=5) == other.push_all(decisions, seed=5)
    assert one == other
    parts = game.breakdown(position)
    assert [sum(part.values()) for part in parts] == [seat.score for seat in position.seats]
    assert all(tuple(part) == game.breakdown_keys for part in parts)


@by_game
def test_results_only_at_the_end(game: Rules) -> None:
    for ask in (game.winners, game.breakdown):
        with pytest.raises(PavilionError, match="expected a game that is over"):
            ask(game.new(seed=1))


@by_game
def test_lenient_input(game: Rules) -> None:
    position = game.new(seed=1, start_player=0)
    text = game.legal_moves(position)[0]
    assert game.canonical(position, f" {text.lower()} ", lenient=True) == text
    with pytest.raises(InvalidMoveError):
        game.canonical(position, text.lower())


@pytest.mark.parametrize("ask", [
    validate, status, rules_of, to_json,
    *(partial(format_position, form=form) for form in FORMS)])
def test_what_is_no_position_is_named(ask: Callable[[Any], object]) -> None:
    for wrong, found in ((Play.new(seed=1), "a Play"), (None, "null")):
        with pytest.raises(PositionError, match=f"position: found {found}, expected a Position"):
            ask(wrong)


@by_game
def test_wrong_options(game: Rules) -> None:
    position = game.new(seed=1)
    with pytest.raises(SpecError, match="keep_policy"):
        game.legal_moves(position, "all")
    with pytest.raises(SpecError, match="depth"):
        game.perft(position, -1)
    with pytest.raises(SpecError, match="depth"):
        game.divide(position, 0)
    with pytest.raises(IllegalMoveError, match="nothing is to be drawn"):
        game.draw(position, Rng(0))


@by_game
def test_unsound_positions_do_not_reach_the_core(game: Rules) -> None:
    position = game.new(seed=1)
    discards = game.table.unseen_field("discarded").name
    for values in ({"round": 99}, {"displays": ()}, {"to_move": None}, {"board": 3},
                   {"seats": ()}, {"seats": 5}, {"centre": (9, 9)}, {"bag": 5, discards: None},
                   {"bag": None, discards: None, "centre": (1, 2)},
                   {"bag": None, discards: None, "centre": {}}, {"bag": None}, {discards: None},
                   {"round": True}, {"round": np.int64(1)}, {"to_move": True}, {"token": -1},
                   {"start_seat": True}, {"bag_size": "1"},
                   {"seats": tuple(replace(seat, score=True) for seat in position.seats)}):
        with pytest.raises(PositionError) as caught:
            game.legal_moves(replace(position, **values))  # type: ignore[type-var]
        assert {problem.where.partition("[")[0] for problem in caught.value.problems} & {*values}


@by_game
def test_more_tiles_of_a_colour_than_there_are_do_not_reach_the_core(game: Rules) -> None:
    """A seat that held 32 had random moves that are not legal, or none in finite time."""
    position: Any = game.new(seed=1)
    bag = position.bag
    with pytest.raises(PositionError, match=r"tiles: found \d+ \w+ tiles, expected 2[02]"):
        Play(replace(position, bag=(bag[0] + 1, *bag[1:]), bag_size=sum(bag) + 1))


@pytest.mark.parametrize("values", [
    {"lines": ((1, 1, 0, 0, 0),) * 5}, {"lines": ()}, {"wall": ("x....",) * 5}, {"floor": "*#"},
    {"floor": "BBBBBBBB"}, {"lines": ((2, 0, 0, 0, 0),) * 5}, {"score": -1}, {"floor": None},
])
def test_unsound_azul_seats_do_not_reach_the_core(values: dict[str, object]) -> None:
    game = GAMES["azul"]
    position = game.new(seed=1)
    first, second = position.seats
    wrong = replace(position, seats=(first, replace(second, **values)))  # type: ignore[type-var]
    with pytest.raises(PositionError) as caught:
        game.legal_moves(wrong)
    assert {problem.where.partition(".")[0] for problem in caught.value.problems} <= {
        "seats[1]", "tiles"}


def azul(**values: object) -> Position:
    """Return a grey position in which seat 0 has two full lines, changed."""
    seats = [{"score": 0, "lines": ["-", "2Y", "-", "-", "5Y"], "floor": "-",
              "wall": [".Y...", "..B..", ".....", ".....", "K...."]},
             {"score": 0, "lines": ["-"] * 5, "wall": ["....."] * 5, "floor": "-"}]
    return read({"game": "azul", "board": "grey", "round": 2, "phase": "wall", "to_move": 0,
                 "start_seat": 0, "token": None, "displays": ["-"] * 5, "centre": "-",
                 "seats": seats, **values})


@pytest.mark.parametrize(("move", "reason"), [
    ("D1:B>1", "in phase wall a column for a full line, such as wall:2>3, is due"),
    ("wall:3>1", "line 3 is not full"),
    ("wall:5>1", "line 2 is full too and comes first"),
    ("wall:2>2", "column 2 has yellow already"),
    ("wall:2>3", "column 3 of row 2, ..B.., is occupied"),
    ("wall:2>F", "it may go to column 1, 4, 5"),
    ("deal:-", "no tiles are to be drawn in phase wall"),
])
def test_reasons_on_the_grey_wall(move: str, reason: str) -> None:
    with pytest.raises(IllegalMoveError, match=re.escape(reason)):
        GAMES["azul"].apply(azul(), move)


@pytest.mark.parametrize(("move", "reason"), [
    ("D1:B>3", "no blue tile in display 1; it holds RK"),
    ("D6:B>3", "there are only 5 displays"),
    ("D9:B>3", "there are only 5 displays"),
    ("C:W>3", "no white tile in the centre; it holds Y"),
    ("C:Y>2", "line 2 is full"),
    ("D1:R>2", "line 2 holds 2Y and takes no other colour"),
    ("D1:K>5", "line 5 holds 5Y and takes no other colour"),
    ("C:Y>1", "row 1 of the wall, .Y..., has yellow already"),
    ("wall:2>3", "in phase draft a draft such as D1:R>4 or C:R>F is due"),
])
def test_reasons_in_the_draft(move: str, reason: str) -> None:
    position = azul(phase="draft", displays=["RK", "-", "-", "-", "-"], centre="Y")
    with pytest.raises(IllegalMoveError) as caught:
        GAMES["azul"].apply(position, move)
    assert reason in str(caught.value)


def test_reasons_without_a_decision() -> None:
    game = GAMES["azul"]
    for phase, reason in (("deal", "a move deal:... is due"), ("over", "the game is over")):
        values = {"phase": phase, "to_move": None, "round": 50, "seats": [
            {"score": 0, "lines": ["-"] * 5, "wall": ["....."] * 5, "floor": "-"}] * 2}
        with pytest.raises(IllegalMoveError, match=reason):
            game.apply(azul(**values), "C:B>1")


def test_an_unknown_split_stays_unknown() -> None:
    game = GAMES["azul"]
    position = game.apply(azul(bag_size=70), "wall:2>1")
    assert isinstance(position, AzulPosition)
    assert (position.bag, position.lid, position.bag_size) == (None, None, 70)
    assert validate(position) == ()


def test_the_printed_features_are_those_of_the_rules() -> None:
    assert {
        f"{kind} {at}": [(SITES[site], place) for site, place in around]
        for kind, at, around in PRINTED
    } == FEATURES
