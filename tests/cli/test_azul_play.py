"""Base Azul at the table: typed moves, columns on the grey side, records that replay."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pavilion_ai.games import GAMES
from pavilion_ai.notation import format_position
from pavilion_ai.record import read_records
from tests.cli.support import AZUL_FOUR, AZUL_WALL, assert_clean, pavilion, position_of
from tests.plays import replayed

AZUL = GAMES["azul"]


def table(stdin: str, *arguments: object) -> str:
    """Play with scripted input; return what was printed."""
    result = pavilion("play", *arguments, stdin=stdin)
    assert_clean(result)
    return result.stdout


def test_moves_are_typed_in_any_case_and_refused_with_a_reason() -> None:
    out = table(
        "C:K>5\nd5:k>9\nd5:w>1\nc : w > 3\nquit\n",
        "--from", AZUL_FOUR, "--seats", "human,greedy,greedy,greedy",
    )
    out = re.sub(r"\n +", " ", out)  # undo the wrapping
    assert "Not possible: C:K>5 is not legal: no black tile in the centre" in out
    assert "found '9', expected a line from 1 to 5 or F for the floor line" in out
    assert "Not possible: D5:W>1 is not legal: line 1 holds B" in out
    assert "you: C:W>3  take 3 white from the centre to line 3: completes it" in out
    assert out.count("greedy A: ") == 1


def test_a_person_chooses_columns_until_the_drafting_begins_again() -> None:
    moves = ["wall:1>4", "wall:2>3", "wall:3>3", "wall:4>2"]
    out = table("\n".join([*moves, "undo", "quit", ""]), "--from", AZUL_WALL, "--seats",
                "human,greedy", "--seed", 4)
    for move in moves:
        assert f"you: {move}  tile of line " in out
    assert "greedy: wall:1>" in out
    assert "chance: deal:" in out
    assert "Took back " in out


@pytest.mark.parametrize("board", ["coloured", "grey"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_engines_play_to_the_end_and_the_record_is_walked_through(
    board: str, players: int, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    seats = ",".join(["greedy", "random", "greedy", "policy"][:players])
    arguments = ("--game", "azul", "--board", board, "--seed", 4, "--record", path)
    lines = table("", *arguments, "--seats", seats).splitlines()
    assert max(map(len, lines[1:])) <= 80
    (record,) = read_records(path)
    assert record.start == AZUL.new(board=board, players=players, seed=4)
    end = replayed(record)[-1]
    for seat, parts in enumerate(AZUL.breakdown(end)):
        sums = " + ".join(f"{name} {points}" for name, points in parts.items())
        assert any(f": {end.seats[seat].score} points = {sums}" in line for line in lines)
    walked = pavilion("replay", path)
    assert_clean(walked)
    told = walked.stdout.splitlines()
    assert len(told) == len(record.moves) + players + 2
    assert "; ends the game" in told[-2]
    shown = pavilion("replay", path, "--ply", len(record.moves), "--format", "code")
    assert shown.stdout.strip() == format_position(end, "code")
    assert_clean(pavilion("verify", path))


def test_a_game_that_was_left_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    table("d1:b>5\nquit\n", "--from", format_position(position_of(AZUL_FOUR), "code"), "--seats",
          "human,greedy,greedy,greedy", "--record", path)
    out = table("quit\n", "--record", path)
    assert " .  .  .  B  B  5 " in out
    assert len(next(iter(read_records(path))).moves) == 4
