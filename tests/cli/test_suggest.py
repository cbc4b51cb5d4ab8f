"""`suggest`: ranked moves as a table or as the contract's object."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pavilion_ai.games import game_of
from pavilion_ai.notation import format_position, parse_position
from tests.cli.support import (
    BONUS,
    COMPLETE_EXAMPLES,
    DRAFTING,
    FOUR,
    PLACING,
    assert_clean,
    error_lines,
    pavilion,
)
from tests.cli.test_positions import chance_position

KEYS = [
    *("position", "to_move", "root", "moves", "limits", "seconds", "sims", "sims_per_second"),
    *("threads", "seed", "agent", "engine"),
]
MOVE_KEYS = [
    *("move", "order", "visits", "win_prob", "win_prob_se", "score_mean", "score_lead", "prior"),
    "pv",
]


def answer(*arguments: object) -> dict[str, Any]:
    result = pavilion("suggest", *arguments, "--json")
    assert_clean(result)
    assert result.stderr == ""
    data: dict[str, Any] = json.loads(result.stdout)
    return data


@pytest.mark.parametrize("path", COMPLETE_EXAMPLES, ids=lambda path: path.name)
def test_json_is_the_object_of_the_contract(path: Any) -> None:
    data = answer(path, "--sims", 400, "--seed", 7)
    position = parse_position(path.read_text()).position
    assert list(data) == KEYS
    assert data["position"] == format_position(position, "code")
    assert data["to_move"] == position.to_move
    assert data["limits"] == {"sims": 400, "seconds": None}
    assert (data["seed"], data["threads"]) == (7, 1)
    assert len(data["root"]["win_prob"]) == len(data["root"]["score_mean"]) == position.players
    legal = set(game_of(position).legal_moves(position))
    for order, row in enumerate(data["moves"]):
        assert list(row) == MOVE_KEYS
        assert row["order"] == order
        assert row["move"] in legal
        assert row["pv"][0] == row["move"]


def test_the_same_seed_gives_the_same_answer_but_for_the_times() -> None:
    first, second = (answer(DRAFTING, "--sims", 2000, "--seed", 3) for _ in range(2))
    for data in (first, second):
        del data["seconds"], data["sims_per_second"]
    assert json.dumps(first) == json.dumps(second)


def test_top_limits_the_moves() -> None:
    assert len(answer(DRAFTING, "--sims", 50, "--top", 2)["moves"]) == 2


def test_the_limit_of_a_spec_counts_when_none_is_given() -> None:
    data = answer(DRAFTING, "--agent", "ismcts:sims=123")
    assert data["limits"] == {"sims": 123, "seconds": None}
    assert answer(DRAFTING, "--agent", "ismcts:sims=123", "--sims", 77)["limits"]["sims"] == 77


def test_time_is_kept() -> None:
    data = answer(FOUR, "--time", 0.2)
    assert data["limits"] == {"sims": None, "seconds": 0.2}
    assert 0.1 < data["seconds"] < 1


def test_the_table_gives_every_number_and_the_move_in_words() -> None:
    result = pavilion("suggest", PLACING, "--sims", 3000, "--top", 3)
    assert_clean(result)
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].startswith("seat 0 to move, wins ")
    assert "3,000 simulations in" in lines[1]
    assert lines[3].split() == ["#", "move", "visits", "win", "%", "score", "lead", "then"]
    assert lines[4].split()[0] == "1"
    assert lines[5].startswith("    ")
    assert lines[-1].strip().startswith("and ")
    assert max(map(len, lines)) <= 80


def test_an_agent_that_does_not_search_says_so() -> None:
    result = pavilion("suggest", BONUS, "--agent", "greedy")
    assert_clean(result)
    assert result.stdout.startswith("seat 1 to move; greedy does not search")


def test_nobody_to_move_is_bad_input() -> None:
    result = pavilion("suggest", chance_position())
    assert_clean(result, 2)
    assert error_lines(result)[0].startswith("error: chance is to move (supply)")


@pytest.mark.parametrize("limit", [["--sims", 1], ["--time", 1e-9], ["--sims", 1, "--threads", 9]])
def test_tiny_limits_still_give_an_answer(limit: list[object]) -> None:
    assert answer(DRAFTING, *limit)["moves"]
