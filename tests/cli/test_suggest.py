"""`suggest`: ranked moves as a table or as the contract's object."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import struct
import termios
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import processors
from pavilion_ai.agents import make_agent
from pavilion_ai.cli.suggest import _progress
from pavilion_ai.games import rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.play import Play
from pavilion_ai.record import read_records
from pavilion_ai.render.review_text import judged_by
from pavilion_ai.review import Review
from tests.cli.support import (
    AZUL_DRAFT,
    AZUL_FOUR,
    AZUL_WALL,
    BONUS,
    COMPLETE_EXAMPLES,
    DRAFTING,
    EXAMPLES,
    FOUR,
    PLACING,
    ROOT,
    assert_clean,
    chance_position,
    error_lines,
    made_up_analysis,
    pavilion,
    position_of,
)
from tests.cli.terminals import wait_for
from tests.match.support import mock

KEYS = [
    *("position", "to_move", "root", "moves", "limits", "seconds", "sims", "sims_per_second"),
    *("threads", "seed", "agent", "beliefs", "engine"),
]
MOVE_KEYS = [
    *("move", "order", "visits", "win_prob", "win_prob_se", "win_prob_error", "exact"),
    *("score_mean", "score_lead", "prior", "pv"),
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
    legal = set(rules_of(position).legal_moves(position))
    for order, row in enumerate(data["moves"]):
        assert list(row) == MOVE_KEYS
        assert row["order"] == order
        assert row["move"] in legal
        assert row["pv"][0] == row["move"]


@pytest.mark.parametrize("path", [DRAFTING, AZUL_DRAFT], ids=lambda path: path.name)
def test_the_same_seed_gives_the_same_answer_but_for_the_times(path: Any) -> None:
    first, second = (answer(path, "--sims", 2000, "--seed", 3) for _ in range(2))
    for data in (first, second):
        del data["seconds"], data["sims_per_second"]
    assert json.dumps(first) == json.dumps(second)


def test_top_limits_the_moves() -> None:
    assert len(answer(DRAFTING, "--sims", 50, "--top", 2)["moves"]) == 2


def test_the_limit_of_a_spec_counts_when_none_is_given() -> None:
    data = answer(DRAFTING, "--agent", "ismcts:sims=123")
    assert data["limits"] == {"sims": 123, "seconds": None}
    assert answer(DRAFTING, "--agent", "ismcts:sims=123", "--sims", 77)["limits"]["sims"] == 77


@pytest.mark.parametrize("path", [FOUR, AZUL_FOUR], ids=lambda path: path.name)
def test_time_is_kept(path: Any) -> None:
    data = answer(path, "--time", 0.2)
    assert data["limits"] == {"sims": None, "seconds": 0.2}
    assert 0.1 < data["seconds"] < 1


@pytest.mark.parametrize("path", [PLACING, AZUL_DRAFT], ids=lambda path: path.name)
def test_the_table_gives_every_number_and_the_move_in_words(path: Any) -> None:
    result = pavilion("suggest", path, "--sims", 3000, "--top", 3)
    assert_clean(result)
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    seat = parse_position(path.read_text()).position.to_move
    assert lines[0].startswith(f"seat {seat} to move, wins ")
    assert "3,000 simulations in" in lines[1]
    assert lines[3].split() == ["#", "move", "visits", "win", "%", "score", "lead", "then"]
    assert lines[4].split()[0] == "1"
    assert lines[5].startswith("    ")
    assert lines[-1].strip().startswith("and ")
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("path", [BONUS, AZUL_WALL], ids=lambda path: path.name)
def test_an_agent_that_does_not_search_says_so(path: Any) -> None:
    result = pavilion("suggest", path, "--agent", "greedy")
    assert_clean(result)
    seat = parse_position(path.read_text()).position.to_move
    assert result.stdout.startswith(f"seat {seat} to move; greedy does not search")


def test_every_move_of_base_azul_is_ranked() -> None:
    """A column on the grey wall and a draft: all legal moves, likeliest continuation first."""
    for path in (AZUL_WALL, AZUL_DRAFT):
        position = parse_position(path.read_text()).position
        legal = rules_of(position).legal_moves(position)
        rows = answer(path, "--sims", 500, "--top", 300)["moves"]
        assert sorted(row["move"] for row in rows) == legal
        assert [row["visits"] for row in rows] == sorted(
            (row["visits"] for row in rows), reverse=True)


def test_only_the_moves_asked_for_are_looked_at() -> None:
    asked = ["pass:-", "pass:2P"]
    found = answer(PLACING, "--sims", 200, "--only", asked[0], "--only", asked[1])
    assert found["only"] == asked
    assert sorted(row["move"] for row in found["moves"]) == asked
    table = pavilion("suggest", PLACING, "--sims", 200, "--only", "pass:-")
    assert_clean(table)
    assert "pass, keeping nothing" in table.stdout
    assert "pass:2P" not in table.stdout
    refused = pavilion("suggest", PLACING, "--only", "D1:R")
    assert_clean(refused, 2)
    assert error_lines(refused)[0].startswith("error: D1:R is not legal: in phase place")
    refused = pavilion("suggest", PLACING, "--even", 3, "--only", "pass:-")
    assert_clean(refused, 2)
    assert error_lines(refused) == [
        "error: --even: expected none beside --only, which names all moves to look at"]


def test_one_simulation_is_one() -> None:
    result = pavilion("suggest", DRAFTING, "--sims", 1)
    assert_clean(result)
    assert "\n1 simulation in " in result.stdout


def test_the_chances_of_four_seats_fit_the_width() -> None:
    move = rules_of(position_of(FOUR)).legal_moves(position_of(FOUR))[0]
    result = pavilion("suggest", FOUR, "--compare", move, "--sims", 20)
    assert_clean(result)
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "with the best of these moves" in " ".join(result.stdout.split())


def test_a_game_is_looked_at_after_some_of_its_moves(tmp_path: Path) -> None:
    """Its moves tell how well the seats play; the table and the object say so."""
    file = tmp_path / "games.jsonl"
    assert_clean(pavilion("match", "greedy", "policy", "--pairs", 1, "--seed", 3, "--out", file))
    record, other = read_records(file)
    chosen = [file, "--ply", 41, "--game", record.id]
    data = answer(*chosen, "--sims", 50, "--seed", 7)
    play = Play.of(record, 41)
    assert data["position"] == play.code()
    greedy = [agent["spec"] for agent in record.agents].index("greedy")
    assert data["form"][greedy] > 0.3 > data["form"][1 - greedy]
    assert data["win_prob_by_form"][greedy] < data["root"]["win_prob"][greedy]
    table = pavilion("suggest", *chosen, "--sims", 50, "--seed", 7).stdout
    said = " : ".join(f"{100 * share:.0f}" for share in data["win_prob_by_form"])
    assert f"plays as well as it has so far, the chances are {said} %" in " ".join(table.split())
    for arguments, words in (
            ([file, "--ply", 3], f"2 games; say which with --game: {record.id}, {other.id}"),
            ([*chosen[:2], 9999, *chosen[3:]], f"has {len(record.moves)} moves"),
            ([file, "--game", record.id], "--ply N, which is missing"),
            ([file], "found a file of game records, expected a position"),
            ([PLACING, "--ply", 3], "not a game record")):
        line, = error_lines(pavilion("suggest", *arguments))
        assert words in line


def test_moves_are_named_as_play_takes_them() -> None:
    result = pavilion("suggest", DRAFTING, "--only", "d1p", "--only", "d3:r", "--sims", 50)
    assert_clean(result)
    assert error_lines(result) == ["note: 'd1p' is D1:P", "note: 'd3:r' is D3:R"]
    assert "D1:P" in result.stdout
    line, = error_lines(pavilion("suggest", DRAFTING, "--avoid", "d9", "--sims", 50))
    assert "'d9'" in line


def test_a_saved_page_or_log_is_refused_in_one_line_that_says_what_reads_it() -> None:
    for path in sorted((ROOT / "tests" / "data" / "bga").glob("*.gz")):
        line, = error_lines(pavilion("suggest", path))
        assert line.startswith(f"error: {path}: looks like a page or log of Board Game Arena")
        assert "`pavilion import bga FILE`" in line
    result = pavilion("suggest", '{"players": 2, "seats": []}')
    assert not any("Arena" in line for line in error_lines(result))


@pytest.mark.parametrize(("spec", "said"), [("uct", True), ("flat", True), ("ismcts:net=0", False)])
def test_agents_whose_errors_are_too_small_say_so(spec: str, said: bool) -> None:
    result = pavilion("suggest", DRAFTING, "--sims", 20, "--agent", spec)
    assert_clean(result)
    assert ("the errors are those of sampling only" in result.stdout) == said
    found = make_agent(spec).analyse(Play(position_of(DRAFTING)), Limits(sims=20))
    assert ("the errors are those of sampling only" in found._repr_html_()) == said
    review = Review(next(iter(read_records(EXAMPLES / "game_2p.jsonl"))), spec, None, 0, (), ())
    assert ("the errors are those of sampling only" in judged_by(review)) == said



def test_agents_that_do_not_search_say_what_their_table_means() -> None:
    result = pavilion("suggest", DRAFTING, "--agent", "default:level=3", "--time", 9)
    assert error_lines(result) == [
        "note: --time has no effect on default:level=3",
        "note: default:level=3 draws its move at random, weighted by a short search; it stands"
        " first"]
    result = pavilion("suggest", DRAFTING, "--agent", "greedy")
    assert result.stderr == ""
    assert "visits" not in result.stdout
    assert re.findall(r"^ +(\d+) \S+:\S+$", result.stdout, re.M) == ["1"]  # others have no order
    for agent in ("random", "greedy", "policy"):
        found = make_agent(agent).analyse(Play(position_of(DRAFTING)), Limits(sims=5))
        assert found.limits == Limits(), "none that it heeds"


def test_a_program_is_given_limits_and_no_threads() -> None:
    program = mock("good")
    result = pavilion("suggest", DRAFTING, "--agent", program, "--sims", 9, "--threads", 64,
                      "--json")
    assert error_lines(result) == [f"note: --threads has no effect on {program}"]
    found = json.loads(result.stdout)
    assert found["limits"] == {"sims": 9, "seconds": None}
    assert len(found["moves"]) == found["threads"] == 1


@pytest.mark.parametrize(("arguments", "rows"), [
    ((), 5), (("--even", 7), 7), (("--even", 6, "--compare", "D3:R"), 7),
    (("--even", 7, "--top", 2), 2)])
def test_the_table_has_a_row_for_each_move_that_is_compared(
    arguments: tuple[object, ...], rows: int
) -> None:
    result = pavilion("suggest", DRAFTING, "--sims", 100, *arguments)
    assert_clean(result)
    assert len(re.findall(r"^ +\d+ \S+:\S+ +\d+(?: |$)", result.stdout, re.M)) == rows


def test_the_interim_table_is_as_wide_as_the_terminal_and_leaves_it_its_cursor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("COLUMNS", raising=False)
    own, other = pty.openpty()
    with os.fdopen(other, "w") as stream, _progress(stream, 3) as show:
        assert show is not None
        wait_for(own, b"\x1b[?25l\x1b[?25h")  # Ctrl-Z may come at any time
        for columns in (90, 60):
            fcntl.ioctl(own, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
            show(made_up_analysis())
            shown = wait_for(own, b"pass:2P2B").decode()
        lines = re.sub("\x1b[^a-zA-Z]*[a-zA-Z]", "", shown).splitlines()
        assert max(map(len, lines)) <= 60
    os.close(own)


def test_a_dumb_terminal_gets_no_interim_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    with _progress(stream, 3) as show:
        assert show is None


def test_nobody_to_move_is_bad_input() -> None:
    result = pavilion("suggest", chance_position())
    assert_clean(result, 2)
    assert error_lines(result)[0].startswith("error: chance is to move (supply)")


def test_nobody_to_move_at_base_azul_is_bad_input() -> None:
    position = parse_position(AZUL_WALL.read_text()).position
    game = rules_of(position)
    while position.phase == "wall":
        position = game.apply(position, game.legal_moves(position)[0])
    result = pavilion("suggest", format_position(position, "code"))
    assert_clean(result, 2)
    assert error_lines(result)[0].startswith("error: chance is to move (deal)")


@pytest.mark.parametrize("limit", [["--sims", 1], ["--time", 1e-9], ["--sims", 1, "--threads", 9]])
@pytest.mark.parametrize("path", [DRAFTING, AZUL_DRAFT], ids=lambda path: path.name)
def test_tiny_limits_still_give_an_answer(
    path: Any, limit: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processors, "cores", lambda: 16)
    assert answer(path, *limit)["moves"]
