"""The contract's sample data (tests/data/contract) through the package and through the oracle."""

from typing import Any

import pytest

from pavilion_ai.errors import InvalidMoveError, MoveError, PositionError
from pavilion_ai.notation import parse_position, to_json

from .implementations import Core, Rules, game_samples, refuses, samples

BOARDS = ["coloured", "grey"]
POSITIONS = [line for board in BOARDS for line in samples(f"positions_summer_{board}")]
TRANSITIONS = [line for board in BOARDS for line in samples(f"transitions_summer_{board}")]
GAMES = [line for board in BOARDS for line in samples(f"games_summer_{board}")]
PERFT = game_samples("perft", "summer")
BAD = game_samples("bad_positions", "summer")
TOLERATED = game_samples("tolerated_positions", "summer")
ILLEGAL = game_samples("illegal_moves", "summer")

Line = dict[str, Any]


@pytest.mark.parametrize("line", POSITIONS)
def test_legal_moves(rules: Rules, line: Line) -> None:
    assert rules.chance(line["position"]) == line.get("chance")
    assert rules.legal_moves(line["position"]) == line.get("moves", [])


@pytest.mark.parametrize("line", TRANSITIONS, ids=lambda line: str(line["move"]))
def test_transitions(rules: Rules, line: Line) -> None:
    assert rules.apply(line["position"], line["move"]) == line["next"]


@pytest.mark.parametrize("record", GAMES, ids=lambda record: str(record["id"]))
def test_games(rules: Rules, record: Line) -> None:
    position = record["start"]
    for move in record["moves"]:
        position = rules.apply(position, move)
    assert position["phase"] == "over"
    assert [seat["score"] for seat in position["seats"]] == record["scores"]
    assert rules.breakdown(position) == record["breakdown"]
    assert rules.winners(position) == record["winners"]


@pytest.mark.parametrize("line", PERFT, ids=lambda line: str(line["perft"]))
def test_perft(rules: Rules, line: Line) -> None:
    depths = range(1, len(line["perft"]) + 1)
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
def test_illegal_moves_are_refused(rules: Rules, line: Line) -> None:
    for move in line["moves"]:
        assert refuses(rules, line["position"], move), move


@pytest.mark.parametrize("line", ILLEGAL, ids=lambda line: str(line["position"]["phase"]))
def test_illegal_moves_raise_move_errors(core: Core, line: Line) -> None:
    position = core.read(line["position"])
    for move in line["moves"]:
        with pytest.raises(MoveError):
            core.game.canonical(position, move)
    with pytest.raises(InvalidMoveError):
        core.game.canonical(position, "nonsense")


def test_every_kind_of_sample_is_there() -> None:
    """A file that lost its lines must not pass unnoticed."""
    counts = [len(lines) for lines in [POSITIONS, TRANSITIONS, GAMES, PERFT, TOLERATED, ILLEGAL]]
    assert counts == [50, 80, 12, 5, 6, 7]
    assert len(BAD) == 18
