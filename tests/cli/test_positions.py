"""`new`, `show`, `moves`, `apply`, `perft`: data on standard output, notes on standard error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import reduce
from pathlib import Path

import pytest

from pavilion_ai.cli.output import print_position
from pavilion_ai.games import DEFAULT_GAME, GAMES
from pavilion_ai.notation import format_position, parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.record import read_records
from tests.cli.support import (
    ALL_EXAMPLES,
    AZUL_DRAFT,
    BONUS,
    DRAFTING,
    PLACING,
    assert_clean,
    chance_position,
    pavilion,
    position_of,
)

FORMS = ("text", "json", "code")


def code_of(source: object) -> str:
    result = pavilion("show", source, "--format", "code")
    assert_clean(result)
    return result.stdout.strip()


@pytest.mark.parametrize("board", ["coloured", "grey"])
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", GAMES)
def test_new_sets_up_the_game_asked_for(game: str, board: str, players: int) -> None:
    options = ["--game", game, "--board", board, "--players", players]
    result = pavilion("new", *options, "--seed", 11)
    assert_clean(result)
    position = parse_position(result.stdout).position
    assert (position.board, position.players, position.phase) == (board, players, "draft")
    assert position == GAMES[game].new(board=board, players=players, seed=11)
    assert result.stderr == ""


def test_without_a_name_it_is_the_default_game() -> None:
    assert pavilion("new", "--seed", 3).stdout == pavilion(
        "new", "--game", DEFAULT_GAME, "--seed", 3
    ).stdout


def test_new_without_a_seed_differs_from_game_to_game() -> None:
    assert pavilion("new").stdout != pavilion("new").stdout


@pytest.mark.parametrize("path", ALL_EXAMPLES, ids=lambda path: path.name)
def test_every_form_of_an_example_parses_and_converts_without_loss(path: object) -> None:
    code = code_of(path)
    for first in FORMS:
        written = pavilion("show", path, "--format", first)
        assert_clean(written)
        for second in FORMS:
            again = pavilion("show", "-", "--format", second, stdin=written.stdout)
            assert_clean(again)
            assert again.stderr == ""
            assert again.stdout == pavilion("show", code, "--format", second).stdout


def test_a_position_is_code_where_there_is_no_terminal() -> None:
    assert pavilion("show", DRAFTING).stdout.strip() == code_of(DRAFTING)


def test_what_is_piped_has_no_colours_and_can_be_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    position = position_of(BONUS)
    print_position(position, "text")
    assert parse_position(capsys.readouterr().out).position == position


def test_defaults_taken_are_noted_on_standard_error() -> None:
    data = json.loads(DRAFTING.read_text())
    del data["bag"], data["tower"], data["bag_size"]
    result = pavilion("show", "-", stdin=json.dumps(data))
    assert_clean(result)
    assert result.stderr.startswith("note: ")
    assert len(result.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "form"), [("p.json", "json"), ("p.txt", "text"), ("p.code", "code"), ("p", "code")]
)
def test_show_writes_a_file_in_the_form_of_its_suffix(tmp_path, name: str, form: str) -> None:
    target = tmp_path / name
    result = pavilion("show", PLACING, "-o", target)
    assert_clean(result)
    assert result.stdout == ""
    assert target.read_text() == pavilion("show", PLACING, "--format", form).stdout
    assert list(tmp_path.iterdir()) == [target]


def test_moves_lists_what_the_rules_allow() -> None:
    position = parse_position(PLACING.read_text()).position
    legal = GAMES["summer"].legal_moves(position)
    assert pavilion("moves", PLACING).stdout.split() == legal
    assert json.loads(pavilion("moves", PLACING, "--json").stdout) == {"moves": legal}


def test_moves_in_a_chance_phase_says_so() -> None:
    code = chance_position()
    result = pavilion("moves", code)
    assert_clean(result)
    assert result.stdout == ""
    assert result.stderr == (
        "note: chance is to move (supply), no seat decides; `pavilion apply POS` draws it\n"
    )
    assert json.loads(pavilion("moves", code, "--json").stdout) == {"chance": "supply"}


def test_apply_draws_what_chance_owes_and_notes_it() -> None:
    result = pavilion("apply", BONUS, "bonus:2P", "--seed", 3)
    assert_clean(result)
    assert parse_position(result.stdout).position.phase == "place"
    note, = result.stderr.splitlines()
    assert note.startswith("note: drawn supply:")
    assert pavilion("apply", BONUS, "bonus:2P", "--seed", 3).stdout == result.stdout


def test_apply_takes_chance_that_is_given() -> None:
    drawn = pavilion("apply", BONUS, "bonus:2P", "--seed", 3)
    move = drawn.stderr.split()[-1]
    given = pavilion("apply", BONUS, "bonus:2P", move)
    assert_clean(given)
    assert (given.stdout, given.stderr) == (drawn.stdout, "")


def test_a_top_up_before_a_deal_that_is_given_is_drawn() -> None:
    pos = "game: summer\nround: 2\nphase: place\nsupply: 3P\nseat 1:\n  passed: yes\n"
    given = pavilion("apply", pos, "pass:-", "deal:P3G,4G,4O,4Y,4B", "--seed", 3)
    assert_clean(given)
    assert "/P3G.4G.4O.4Y.4B/" in given.stdout
    drawn = [line for line in given.stderr.splitlines() if " drawn " in line]
    assert [line.partition(":")[2].partition(":")[0] for line in drawn] == [" drawn supply"]
    play = Play(pos)
    assert [move.partition(":")[0] for move in play.push_all(
        ["pass:-", "deal:P3G,4G,4O,4Y,4B"], seed=3)] == ["pass", "supply", "deal"]


@pytest.mark.parametrize("change", [str.upper, " {}".format])
def test_a_misspelt_draw_is_refused_before_anything_is_drawn(change: Callable[[str], str]) -> None:
    given = pavilion("apply", BONUS, "bonus:2P", "--seed", 3).stderr.split()[-1]
    refused = pavilion("apply", BONUS, "bonus:2P", change(given))
    assert_clean(refused, 2)
    assert refused.stderr.startswith(
        f"error: move 2: move '{change(given)}': found '{change('supply')}'")


def test_a_draw_that_is_due_comes_before_a_decision() -> None:
    refused = pavilion("apply", chance_position(), "pass:-")
    assert_clean(refused, 2)
    assert refused.stderr == ("error: 'pass:-': chance is to move (supply), no seat decides;"
                              " `pavilion apply POS` draws it\n")


def test_a_dash_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert pavilion("show", PLACING, "-o", "-").stdout == pavilion("show", PLACING).stdout
    assert not list(tmp_path.iterdir())


def test_apply_without_moves_settles_chance() -> None:
    result = pavilion("apply", chance_position(), "--seed", 1, "--format", "json")
    assert_clean(result)
    assert json.loads(result.stdout)["phase"] == "place"


def test_apply_reads_a_pipe_and_feeds_the_next() -> None:
    first = pavilion("new", "--seed", 5)
    position = GAMES["summer"].new(seed=5)
    move = GAMES["summer"].legal_moves(position)[0]
    second = pavilion("apply", "-", move, "--format", "json", stdin=first.stdout)
    assert json.loads(second.stdout) == to_json(GAMES["summer"].apply(position, move))


def test_perft_counts_and_divides() -> None:
    whole = pavilion("perft", PLACING, 2)
    divided = pavilion("perft", PLACING, 2, "--divide")
    assert_clean(whole)
    *rows, total = divided.stdout.splitlines()
    assert total == whole.stdout.strip()
    assert sum(int(row.split()[1]) for row in rows) == int(total)
    answer = json.loads(pavilion("perft", PLACING, 2, "--divide", "--json").stdout)
    assert answer["nodes"] == int(total) == sum(answer["divide"].values())
    assert pavilion("perft", PLACING, 0).stdout == "1\n"


def test_perft_of_a_finished_game_is_one_at_every_depth(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    assert_clean(pavilion("play", "--seats", "greedy,greedy", "--seed", 1, "--record", record))
    game = next(iter(read_records(record)))
    code = format_position(reduce(GAMES["summer"].apply, game.moves, game.start), "code")
    for depth in (1, 3):
        assert pavilion("perft", code, depth, "--divide").stdout == "1\n"
        assert json.loads(pavilion("perft", code, depth, "--divide", "--json").stdout) == {
            "depth": depth, "nodes": 1, "divide": {}}


def test_unknown_keys_of_a_position_are_noted() -> None:
    data = to_json(parse_position(DRAFTING.read_text()).position)
    shown = pavilion("show", json.dumps({**data, "colour": 1, "a\x1b[2J": 2}), "--format", "code")
    assert_clean(shown)
    assert shown.stdout == pavilion("show", DRAFTING, "--format", "code").stdout
    assert shown.stderr == "note: not used: 'colour', 'a\\x1b[2J'\n"
    flood = {**data, **{f"k{number}": 1 for number in range(1000)}}
    noted = pavilion("show", json.dumps(flood), "--format", "code").stderr
    assert noted.endswith("'k18', 'k19' and more\n")


def test_new_and_apply_write_files_as_well(tmp_path: Path) -> None:
    begun, after = tmp_path / "begun.json", tmp_path / "after.svg"
    assert_clean(pavilion("new", "--seed", 3, "-o", begun))
    assert json.loads(begun.read_text())["round"] == 1
    assert_clean(pavilion("apply", begun, "D1:G", "-o", after))
    assert after.read_text().startswith("<svg ")


@pytest.mark.parametrize(("text", "move"), [
    ("d2 orange", "D2:O"), ("take orange from display 2", "D2:O"), ("d2:o", "D2:O"),
])
def test_moves_may_be_written_as_play_takes_them(text: str, move: str) -> None:
    """And it is said which move that is."""
    for command in (["apply", DRAFTING], ["show", DRAFTING, "--format", "svg", "--move"]):
        spoken = pavilion(*command, text)
        assert_clean(spoken)
        assert spoken.stderr == f"note: '{text}' is {move}\n"
        plain = pavilion(*command, move)
        assert (spoken.stdout, plain.stderr) == (plain.stdout, "")


def test_words_for_moves_stand_among_others_and_draws() -> None:
    spoken = pavilion("apply", BONUS, "2 purple", "pass", "--seed", 3)
    assert_clean(spoken, 2)  # several ways to pass; no list was shown, so they have no numbers
    drawn, asked = spoken.stderr.splitlines()[-2:]
    assert drawn.startswith("note: drawn supply:")
    assert re.fullmatch(r"error: move 2: pass may be (pass:\w+(, | or )?)+.*: which one\?", asked)


@pytest.mark.parametrize("text", ["d1:k", "C:W"])
def test_who_lost_the_line_to_the_shell_is_told_of_quotes(text: str) -> None:
    refused = pavilion("suggest", AZUL_DRAFT, "--only", text)
    assert_clean(refused, 2)
    assert refused.stderr.endswith(": which one? (a shell needs moves with > in quotes)\n")
    assert "quotes" not in pavilion("apply", BONUS, "pass").stderr


def test_a_number_is_no_move_where_no_list_was_shown() -> None:
    refused = pavilion("apply", DRAFTING, "1")
    assert_clean(refused, 2)
    assert refused.stderr.startswith("error: move 1: '1' is not a move here")
