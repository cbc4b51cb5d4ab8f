"""The contract's sample data (tests/data/contract) through the package and through the oracle."""

from collections.abc import Callable
from typing import Any

import pytest

from pavilion_ai.errors import IllegalMoveError, InvalidMoveError, PositionError
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.play import Play

from .implementations import Core, Rules, game_of, implementation, refuses, samples

VARIANTS = [f"{game}_{board}" for game in ("summer", "azul") for board in ("coloured", "grey")]
POSITIONS = [line for variant in VARIANTS for line in samples(f"positions_{variant}")]
TRANSITIONS = [line for variant in VARIANTS for line in samples(f"transitions_{variant}")]
GAMES = [line for variant in VARIANTS for line in samples(f"games_{variant}")]
PERFT, BAD, TOLERATED, ILLEGAL = map(
    samples, ("perft", "bad_positions", "tolerated_positions", "illegal_moves"))

Line = dict[str, Any]
ByGame = Callable[[Any], Rules]


@pytest.fixture(params=[pytest.param("oracle", marks=pytest.mark.release_only), "core"])
def by_game(request: pytest.FixtureRequest) -> ByGame:
    """Return the rules for a position: the slow oracle, and the package."""
    return lambda position: implementation(request.param, game_of(position))


@pytest.mark.parametrize("line", POSITIONS)
def test_legal_moves(by_game: ByGame, line: Line) -> None:
    rules = by_game(line["position"])
    assert rules.chance(line["position"]) == line.get("chance")
    assert rules.legal_moves(line["position"]) == line.get("moves", [])


@pytest.mark.parametrize("line", TRANSITIONS, ids=lambda line: str(line["move"]))
def test_transitions(by_game: ByGame, line: Line) -> None:
    rules = by_game(line["position"])
    assert rules.apply(line["position"], line["move"]) == line["next"]


@pytest.mark.parametrize("record", GAMES, ids=lambda record: str(record["id"]))
def test_games(by_game: ByGame, record: Line) -> None:
    position, rules = record["start"], by_game(record["start"])
    for move in record["moves"]:
        position = rules.apply(position, move)
    assert position["phase"] == "over"
    assert [seat["score"] for seat in position["seats"]] == record["scores"]
    assert rules.breakdown(position) == record["breakdown"]
    assert rules.winners(position) == record["winners"]


@pytest.mark.parametrize("line", PERFT, ids=lambda line: str(line["perft"]))
def test_perft(by_game: ByGame, line: Line) -> None:
    depths, rules = range(1, len(line["perft"]) + 1), by_game(line["position"])
    assert [rules.perft(line["position"], depth) for depth in depths] == line["perft"]


@pytest.mark.parametrize("line", BAD, ids=lambda line: str(line["reason"]))
def test_bad_positions_are_refused(line: Line) -> None:
    with pytest.raises(PositionError) as refusal:
        parse_position(line["position"])
    named = {(problem.kind, problem.where) for problem in refusal.value.problems}
    assert (line["kind"], line["where"]) in named


@pytest.mark.parametrize("line", TOLERATED, ids=lambda line: str(line["what"]))
def test_tolerated_positions_are_read(line: Line) -> None:
    assert to_json(parse_position(line["position"]).position) == line["canonical"]


@pytest.mark.parametrize("line", ILLEGAL, ids=lambda line: str(line["position"]["phase"]))
def test_illegal_moves_are_refused(by_game: ByGame, line: Line) -> None:
    for move in line["moves"]:
        assert refuses(by_game(line["position"]), line["position"], move), move


@pytest.mark.parametrize("line", ILLEGAL, ids=lambda line: str(line["position"]["phase"]))
def test_illegal_moves_raise_illegal_move_errors(line: Line) -> None:
    core = Core(game_of(line["position"]))
    position = core.read(line["position"])
    play = Play(position)
    for move in line["moves"]:
        with pytest.raises(IllegalMoveError):
            core.game.canonical(position, move)
        with pytest.raises(IllegalMoveError):
            play.push(move)
    assert (play.position, play.moves) == (position, ())
    with pytest.raises(InvalidMoveError):
        core.game.canonical(position, "nonsense")


@pytest.mark.parametrize(("game", "counts"), [
    ("summer", [50, 80, 12, 5, 6, 7, 18]), ("azul", [50, 80, 12, 6, 3, 3, 9])])
def test_every_kind_of_sample_is_there(game: str, counts: list[int]) -> None:
    """A file that lost its lines must not pass unnoticed."""
    every = [POSITIONS, TRANSITIONS, GAMES, PERFT, TOLERATED, ILLEGAL, BAD]
    assert counts == [
        sum(game_of(line.get("position", line.get("start"))) == game for line in lines)
        for lines in every]
