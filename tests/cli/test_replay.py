"""`replay` and `verify` as a person types them."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.cli.records import chosen_game
from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position
from pavilion_ai.record import GameRecord, read_records, write_record
from pavilion_ai.render import describe
from pavilion_ai.render.text import breadth
from tests.cli.support import (
    DRAFTING,
    PLACING,
    ROOT,
    assert_clean,
    command,
    cut_short,
    environment,
    error_lines,
    pavilion,
    wait_until_it_reads,
)
from tests.cli.terminals import CTRL_C, Terminal, wait_for
from tests.match.support import LONG, descendants, wait_until
from tests.plays import replayed

GAMES_FILE = ROOT / "tests" / "data" / "contract" / "games_summer_coloured.jsonl"
CONTRACT = list(read_records(GAMES_FILE))
FIRST = CONTRACT[0]


@pytest.fixture
def single(tmp_path: Path) -> Path:
    """A file of one game."""
    path = tmp_path / "game.jsonl"
    write_record(path, FIRST)
    return path


def spoilt(path: Path, ply: int) -> GameRecord:
    """Write a game whose move after `ply` plies cannot be played."""
    moves = (*FIRST.moves[:ply], "D9:G", *FIRST.moves[ply + 1 :])
    record = replace(FIRST, moves=moves)
    write_record(path, record)
    return record


# ------------------------------------------------------------------------------- all in one go


def test_every_ply_stands_on_a_line(single: Path) -> None:
    result = pavilion("replay", single)
    assert_clean(result)
    lines = result.stdout.splitlines()
    plies = [line for line in lines if not line.startswith("#")]
    positions = replayed(FIRST)
    assert len(plies) == len(FIRST.moves)
    for number, line in enumerate(plies, 1):
        before, after = positions[number - 1], positions[number]
        move = FIRST.moves[number - 1]
        who = "chance" if before.to_move is None else f"seat {before.to_move}"
        scores = ", ".join(str(seat.score) for seat in after.seats)
        assert line.split() == [
            str(number), *who.split(), move, *describe(before, move).split(),
            *f"[{scores}]".split(),
        ]
    assert lines[0] == f"# game {FIRST.id}: summer, coloured, seed {FIRST.seed}"
    assert lines[1:3] == ["# seat 0: oracle-active", "# seat 1: oracle-uniform"]
    assert lines[-1] == "# seat 0 wins, scores 51, 4"


@pytest.mark.parametrize(("comment", "told"), [
    ("Final of 2026,\n  table 3", ["# comment: Final of 2026, table 3"]),
    ("\x1b[2J", ["# comment: ?[2J"]),
    ("a" * 10_000, [f"# comment: {'a' * 4000}..."]),
    (["no text"], []),
])
def test_a_comment_is_told(tmp_path: Path, comment: object, told: list[str]) -> None:
    path = tmp_path / "game.jsonl"
    write_record(path, replace(FIRST, extra={"comment": comment}))
    result = pavilion("replay", path)
    assert_clean(result)
    assert result.stdout.splitlines()[3:-len(FIRST.moves) - 1] == told


def test_long_names_are_cut_in_the_heading(tmp_path: Path) -> None:
    path, usual = tmp_path / "game.jsonl", {"spec": f"net:{'n' * 150}", "version": ""}
    write_record(path, replace(FIRST, id="i" * 1000, agents=({"spec": "s" * 1000}, usual)))
    game, *seats = pavilion("replay", path).stdout.splitlines()[:3]
    assert game == f"# game {'i' * 99}...{'i' * 98}: summer, coloured, seed {FIRST.seed}"
    assert seats == [f"# seat 0: {'s' * 99}...{'s' * 98}", f"# seat 1: {usual['spec']}"]


@pytest.mark.parametrize("record", CONTRACT, ids=lambda record: record.id)
def test_every_game_of_the_contract_can_be_walked_through(record: GameRecord) -> None:
    result = pavilion("replay", GAMES_FILE, "--game", record.id)
    assert_clean(result)
    assert result.stderr == ""
    assert len(result.stdout.splitlines()) == len(record.moves) + record.start.players + 2


def test_a_game_of_play_that_goes_on_can_be_walked_through(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert_clean(pavilion("play", "--seats", "human,greedy", "--seed", 6, "--record", path,
                          stdin="1\n1\n"))
    record, = read_records(path)
    result = pavilion("replay", path)
    assert_clean(result)
    last, end = result.stdout.splitlines()[-2:]
    assert last.split()[:1] == [str(len(record.moves))]
    assert end == f"# unfinished, scores {record.scores[0]}, {record.scores[1]}"


def test_a_game_without_moves(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    write_record(path, replace(FIRST, moves=(), reason="unfinished", scores=(5, 5), winners=(),
                               breakdown=()))
    result = pavilion("replay", path)
    assert_clean(result)
    assert len(result.stdout.splitlines()) == 4


def test_a_game_that_ended_otherwise_says_so(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    write_record(path, replace(FIRST, moves=FIRST.moves[:5], scores=(4, 5), winners=(0,),
                               breakdown=(), reason="seat 1: no \x1b[31manswer"))
    result = pavilion("replay", path)
    assert_clean(result)
    assert result.stdout.splitlines()[-1] == (
        "# seat 1: no ?[31manswer; seat 0 wins, scores 4, 5"
    )


def test_a_bad_move_ends_the_walk(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    record = spoilt(path, 8)
    result = pavilion("replay", path)
    assert_clean(result, 1)
    plies = [line for line in result.stdout.splitlines() if not line.startswith("#")]
    assert len(plies) == 8
    assert error_lines(result) == [
        f"error: record {record.id!r}, move 9: D9:G is not legal: there are only 5 displays"
    ]


def test_an_end_that_is_not_the_replays_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    write_record(path, replace(FIRST, scores=(50, 4), winners=(1,)))
    result = pavilion("replay", path)
    assert_clean(result, 1)
    assert len(result.stdout.splitlines()) == len(FIRST.moves) + 4
    assert error_lines(result) == [
        f"error: record {FIRST.id!r}: the replay ends [51, 4], scores say [50, 4]",
        f"error: record {FIRST.id!r}: the replay is won by [0], winners say [1]",
    ]


def test_a_reader_that_leaves_early_is_no_error(single: Path) -> None:
    line = " ".join([*command("replay", single), "|", "head", "-n", "2"])
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, check=False,
                          env=environment())
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.splitlines()) == 2


# -------------------------------------------------------------------------------- which game


def test_several_games_are_listed() -> None:
    result = pavilion("replay", GAMES_FILE)
    assert_clean(result)
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["id", "seats", "scores", "winner", "reason"]
    assert [row.split()[0] for row in rows] == [record.id for record in CONTRACT]
    assert rows[0].split("  ")[-1].strip() == "finished"
    for word in ("scores", "winner", "reason"):  # aligned
        assert all(row[head.index(word) - 2 : head.index(word)] == "  " for row in rows)
    assert rows[0][head.index("scores") :].startswith("51, 4 ")
    assert max(map(len, [head, *rows])) <= 80
    assert error_lines(result) == [
        f"note: {len(CONTRACT)} games; `pavilion replay {GAMES_FILE} --game ID` walks through one"
    ]


def test_a_command_to_copy_names_any_file(tmp_path: Path) -> None:
    path = tmp_path / "my games.jsonl"
    path.write_bytes(GAMES_FILE.read_bytes())
    line, = error_lines(pavilion("replay", path))
    assert shlex.split(line.split("`")[1]) == ["pavilion", "replay", str(path), "--game", "ID"]


def test_wide_names_are_aligned_in_the_list(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for number, name in enumerate(("中文名字", "a", "中" * 60)):
        write_record(path, replace(FIRST, id=f"{number}", agents=(
            {"spec": "human", "version": "", "name": name}, {"spec": "greedy", "version": "1"})))
    head, *rows = pavilion("replay", path).stdout.splitlines()
    scores = ", ".join(map(str, FIRST.scores))
    assert {breadth(row[:row.index(f"  {scores}  ")]) for row in rows} == {
        head.index("scores") - 2}
    assert max(map(breadth, rows)) <= 80


def test_long_specs_are_cut_in_the_list_and_names_are_not(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    agents = tuple({"spec": spec, "version": ""} for spec in ("ismcts:" + "x=1," * 40, "a\nb"))
    for number in range(2):
        write_record(path, replace(FIRST, id=f"{'long' * 6}{number}", agents=agents,
                                   reason="seat 1: " + "x" * 100, winners=(0,)))
    result = pavilion("replay", path)
    assert_clean(result)
    rows = result.stdout.splitlines()
    assert len(rows) == 3
    assert max(map(len, rows)) <= 80
    assert rows[1].startswith("long" * 6 + "0  ism")


def test_players_are_called_by_the_names_that_their_specs_give(tmp_path: Path) -> None:
    path, page = tmp_path / "games.jsonl", tmp_path / "review.html"
    write_record(path, replace(FIRST, agents=(
        {"spec": "mine = cmd:python secret.py", "version": ""}, {"spec": "greedy", "version": ""})))
    for words in (["replay", path], ["replay", path, "--game", FIRST.id],
                  ["review", path, "--sims", 1, "--html", page]):
        result = pavilion(*words)
        assert_clean(result)
        assert "mine" in result.stdout
        assert "secret" not in result.stdout
    assert "secret" not in page.read_text().partition("<script")[0]


def test_names_that_differ_in_the_middle_differ_in_the_list(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for number, pair in enumerate(("12", "21", "13")):
        agents = tuple({"spec": f"cmd:/opt/engines/0.{minor}.0/bin/{'x' * 40}", "version": ""}
                       for minor in pair)
        write_record(path, replace(FIRST, id=f"{number}", agents=agents))
    _, *rows = pavilion("replay", path).stdout.splitlines()
    assert [re.findall(r"0\.(\d)\.0", row) for row in rows] == [["1", "2"], ["2", "1"], ["1", "3"]]
    assert max(map(len, rows)) <= 80


def test_a_game_that_is_not_there() -> None:
    result = pavilion("replay", GAMES_FILE, "--game", "oracle-summer-coloured-2-3")
    assert_clean(result, 2)
    line, = error_lines(result)
    assert line.startswith(
        f"error: --game: no game 'oracle-summer-coloured-2-3' in {GAMES_FILE}; there is"
        " oracle-summer-coloured-2-"
    )
    assert line.endswith(f" and {len(CONTRACT) - 5} more")
    assert line.count(", ") == 4


@pytest.mark.parametrize(("command", "module"), [
    (["replay", "--ply", 0], "records"), (["suggest", "--ply", 0, "--sims", 1], "records"),
    (["review", "--sims", 1], "review")])
def test_of_many_games_only_the_one_that_is_named_is_kept(
    command: list[object], module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.jsonl"
    for name in "abc":
        write_record(path, replace(cut_short(FIRST, 3), id=name, reason="stopped"))
    kept: list[list[str]] = []

    def chosen(path: str, records: dict[str, GameRecord], name: str | None) -> GameRecord:
        kept.append(list(records))
        return chosen_game(path, records, name)

    monkeypatch.setattr(f"pavilion_ai.cli.{module}.chosen_game", chosen)
    assert pavilion(*command, path, "--game", "b").exit_code == 0
    assert kept == [["b"]]
    result = pavilion(*command, path, "--game", "d")
    assert_clean(result, 2)
    assert error_lines(result) == [
        f"error: --game: no game 'd' in {path}; there is a, b, c"]


def test_a_ply_of_several_games_needs_a_name() -> None:
    result = pavilion("replay", GAMES_FILE, "--ply", 3)
    assert_clean(result, 2)
    line, = error_lines(result)
    assert line.startswith(f"error: {GAMES_FILE}: {len(CONTRACT)} games; say which with --game: ")


def test_lines_that_are_no_records_are_left_out(tmp_path: Path, single: Path) -> None:
    path = tmp_path / "more.jsonl"
    path.write_bytes(b"hello\n" + single.read_bytes() + b'{"id": "torn')
    result = pavilion("replay", path, "--ply", 0)
    assert_clean(result)
    assert parse_position(result.stdout).position == FIRST.start
    assert error_lines(result) == [
        f"note: left out: {path}, line 1: not a game record (no JSON object)",
        f"note: left out: {path}, line 3: cut short",
    ]


def test_games_of_one_name_in_files_that_were_joined(tmp_path: Path, single: Path) -> None:
    path = tmp_path / "joined.jsonl"
    second = replace(CONTRACT[1], id=FIRST.id)
    write_record(tmp_path / "second.jsonl", second)
    line = (tmp_path / "second.jsonl").read_bytes()
    path.write_bytes(single.read_bytes() + line + line)  # the third is the second once more
    listed = pavilion("replay", path)
    assert_clean(listed)
    other = f"{FIRST.id}#2"
    told = f"note: {path}, line 2: another game '{FIRST.id}' than on line 1, called {other}"
    assert error_lines(listed)[0] == told
    assert [row.split()[0] for row in listed.stdout.splitlines()] == ["id", FIRST.id, other]
    shown = pavilion("replay", path, "--game", other, "--ply", 0)
    assert parse_position(shown.stdout).position == second.start


def test_thousands_of_games_of_one_name_take_no_longer_than_others(tmp_path: Path) -> None:
    """Each is another game, with the same beginning or not; both cost the same per game."""
    seconds = {}
    for count in (500, 2000):
        path = tmp_path / f"{count}.jsonl"
        with open(path, "w") as file:
            for number in range(count):
                record = replace(FIRST, seed=number // 2, reason=f"{number} ended otherwise")
                file.write(json.dumps(record.to_json()) + "\n")
        begun = time.process_time()
        result = pavilion("replay", path, "--game", f"{FIRST.id}#{count}", "--ply", 0)
        assert_clean(result)
        assert len(error_lines(result)) == 6  # five are named
        assert error_lines(result)[5] == (f"note: {count - 6:,} more games have the id of another"
                                          " game, and a number in their name")
        seconds[count] = time.process_time() - begun
    assert seconds[2000] < 8 * seconds[500]  # 4 times is linear; 16 times would be quadratic


def test_what_is_one_more_is_said_of_one(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with open(path, "w") as file:
        for number in range(7):
            record = replace(FIRST, reason=f"{number} ended otherwise")
            file.write(json.dumps(record.to_json()) + "\n")
        file.write("hello\n" * 6)
    notes = error_lines(pavilion("replay", path))
    assert notes[5] == ("note: 1 more game has the id of another game, and a number in its name")
    assert notes[11] == "note: left out: 1 more line; `pavilion verify --json FILE` names them all"


def test_a_game_that_went_on_is_one_game(tmp_path: Path, single: Path) -> None:
    path = tmp_path / "went_on.jsonl"
    write_record(tmp_path / "begun.jsonl", cut_short(FIRST, 9))
    path.write_bytes((tmp_path / "begun.jsonl").read_bytes() + single.read_bytes())
    result = pavilion("replay", path)
    assert_clean(result)
    assert result.stderr == ""
    assert result.stdout == pavilion("replay", single).stdout


def test_a_byte_order_mark_is_no_fault(tmp_path: Path, single: Path) -> None:
    path = tmp_path / "marked.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + single.read_bytes())
    assert pavilion("replay", path).stdout == pavilion("replay", single).stdout
    assert pavilion("verify", path).stdout == f"{path}: 1 game, all right\n"


def test_the_latest_line_of_a_game_counts(tmp_path: Path, single: Path) -> None:
    early = replace(FIRST, moves=FIRST.moves[:3], reason="unfinished", winners=(), breakdown=())
    path = tmp_path / "more.jsonl"
    path.write_text(json.dumps(early.to_json()) + "\n" + single.read_text())
    assert len(pavilion("replay", path).stdout.splitlines()) == len(FIRST.moves) + 4


# ------------------------------------------------------------------------------ one position


@pytest.mark.parametrize("ply", [0, 1, 30, len(FIRST.moves)])
def test_a_ply_is_printed_as_code(single: Path, ply: int) -> None:
    result = pavilion("replay", single, "--ply", ply)
    assert_clean(result)
    assert result.stdout.count("\n") == 1
    assert parse_position(result.stdout).position == replayed(FIRST)[ply]


@pytest.mark.parametrize("form", ["text", "json", "code"])
def test_a_ply_in_every_form_and_into_a_file(single: Path, tmp_path: Path, form: str) -> None:
    expected = replayed(FIRST)[30]
    printed = pavilion("replay", single, "--ply", 30, "--format", form)
    assert_clean(printed)
    assert parse_position(printed.stdout).position == expected
    out = tmp_path / "out"
    assert_clean(pavilion("replay", single, "--ply", 30, "--format", form, "-o", out))
    assert parse_position(out.read_text()).position == expected
    if form == "text":
        assert out.read_text().startswith("#")  # drawn, as show draws it


def test_a_ply_does_not_go_into_the_file_that_is_read(single: Path) -> None:
    content = single.read_bytes()
    refused = pavilion("replay", single, "--ply", 3, "-o", single)
    assert_clean(refused, 2)
    assert error_lines(refused) == [f"error: -o {single}: is the file that is read"]
    assert single.read_bytes() == content


def test_a_ply_as_a_picture(single: Path, tmp_path: Path) -> None:
    out = tmp_path / "board.svg"
    assert_clean(pavilion("replay", single, "--ply", 30, "-o", out))
    printed = pavilion("replay", single, "--ply", 30, "--format", "svg")
    assert_clean(printed)
    assert out.read_text() == printed.stdout
    assert printed.stdout.startswith("<svg")


def test_a_ply_goes_into_another_command(single: Path) -> None:
    code = pavilion("replay", single, "--ply", 30).stdout
    result = pavilion("suggest", "-", "--agent", "greedy", "--json", stdin=code)
    assert_clean(result)
    position = replayed(FIRST)[30]
    assert json.loads(result.stdout)["moves"][0]["move"] in GAMES["summer"].legal_moves(position)


def test_a_ply_before_the_bad_move(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    spoilt(path, 8)
    result = pavilion("replay", path, "--ply", 8)
    assert_clean(result)
    assert parse_position(result.stdout).position == replayed(FIRST)[8]
    result = pavilion("replay", path, "--ply", 9)
    assert_clean(result, 1)
    assert (result.stdout, len(error_lines(result))) == ("", 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ply", 9999], f"--ply 9999: game {FIRST.id} has {len(FIRST.moves)} moves"),
        (["--ply", "x"], "'x' is not a whole number from 0"),
        (["--ply", "-1"], "'-1' is not a whole number from 0"),
        (["--format", "svg"], "--format and -o are for the position that --ply N names"),
        (["-o", "x.svg"], "--format and -o are for the position that --ply N names"),
        (["--format", "pdf", "--ply", 1], "'pdf' is not one of"),
    ],
)
def test_wrong_options(single: Path, arguments: list[object], message: str) -> None:
    result = pavilion("replay", single, *arguments)
    assert_clean(result, 2)
    line, = error_lines(result)
    assert message in line


# ------------------------------------------------------------------------------ on a terminal


@contextmanager
def walking(path: Path, *arguments: object) -> Iterator[Terminal]:
    """Start a walk on a terminal and wait for its first prompt."""
    terminal = Terminal("replay", path, *arguments, NO_COLOR="1")
    try:
        yield terminal
    finally:
        terminal.process.kill()
        terminal.process.wait(timeout=10)


def answer(terminal: Terminal, text: bytes, prompt: bytes) -> str:
    """Type something and read up to the next prompt."""
    os.write(terminal.master, text)
    return wait_for(terminal.master, prompt).decode().replace("\r\n", "\n")


def test_step_by_step(single: Path) -> None:
    total = len(FIRST.moves)
    positions = replayed(FIRST)
    with walking(single) as terminal:
        first = wait_for(terminal.master, f"ply 0 of {total}> ".encode()).decode()
        assert f"game {FIRST.id}: summer" in first
        assert "seat 1 (oracle-uniform)" in first
        one = answer(terminal, b"\n", f"ply 1 of {total}> ".encode())
        assert "take 1 orange from display 2 (GBR to the centre)  [5, 5]" in one
        assert max(map(len, one.splitlines())) <= 80
        answer(terminal, b"n\n", f"ply 2 of {total}> ".encode())
        answer(terminal, b"p\n", f"ply 1 of {total}> ".encode())
        thirty = answer(terminal, b"30\n", f"ply 30 of {total}> ".encode())
        assert FIRST.moves[29] in thirty
        assert len(thirty.splitlines()) <= 24
        code = answer(terminal, b"c\n", f"ply 30 of {total}> ".encode())
        assert parse_position(code.splitlines()[1]).position == positions[30]
        end = answer(terminal, b"e\n", f"ply {total} of {total}> ".encode())
        assert "seat 0 wins, scores 51, 4" in end
        assert "This is the end." in answer(terminal, b"n\n", f"of {total}> ".encode())
        assert f"The last ply is {total}." in answer(terminal, b"0\n500\n", b"is 111.")
        assert "This is the start." in answer(terminal, b"p\n", b"start.")
        assert "Enter or n: next" in answer(terminal, b"what\n", b"q: quit\r\n")
        os.write(terminal.master, b"q\n")
        rest = terminal.rest()
        assert terminal.process.returncode == 0
        assert "Traceback" not in rest


def test_a_bad_move_stops_the_walk_on_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    spoilt(path, 8)
    total = len(FIRST.moves)
    with walking(path) as terminal:
        wait_for(terminal.master, f"ply 0 of {total}> ".encode())
        answer(terminal, b"e\n", f"ply 8 of {total}> ".encode())
        assert "Not possible: record" in answer(terminal, b"n\n", f"ply 8 of {total}> ".encode())
        os.write(terminal.master, b"q\n")
        rest = terminal.rest()
        assert terminal.process.returncode == 1
        assert rest.count("error: ") == 1
        assert "move 9: D9:G is not legal" in rest


def test_ctrl_d_ends_a_walk_and_ctrl_c_interrupts_it(single: Path) -> None:
    for key, code in ((b"\x04", 0), (CTRL_C, 130)):
        with walking(single) as terminal:
            wait_for(terminal.master, b"> ")
            if key == CTRL_C:
                wait_until_it_reads(terminal.process)
                terminal.process.send_signal(signal.SIGINT)  # the terminal is not its own
            else:
                os.write(terminal.master, key)
            rest = terminal.rest()
            assert terminal.process.returncode == code, rest
            assert "Traceback" not in rest


def test_on_a_terminal_a_ply_is_drawn(single: Path) -> None:
    output = Terminal("replay", single, "--ply", "30", NO_COLOR="1").rest()
    assert output.startswith("# ")
    assert parse_position(output).position == replayed(FIRST)[30]


# ------------------------------------------------------------------------------------- verify


def test_a_good_file_is_one_line() -> None:
    result = pavilion("verify", GAMES_FILE)
    assert_clean(result)
    assert (result.stdout, result.stderr) == (
        f"{GAMES_FILE}: {len(CONTRACT)} games, all right\n", ""
    )


def test_options_that_do_not_go_with_solo_are_refused(single: Path) -> None:
    for option in (["--json"], ["--jobs", 2]):
        line, = error_lines(pavilion("verify", single, "--solo", *option))
        assert line.startswith(f"error: --solo and {option[0]} exclude each other")


def test_one_move_is_no_moves(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    write_record(path, cut_short(FIRST, 1))
    line, = error_lines(pavilion("replay", path, "--ply", 2))
    assert line.endswith("has 1 move")


def test_one_game(single: Path) -> None:
    assert pavilion("verify", single).stdout == f"{single}: 1 game, all right\n"


def test_verify_as_json(single: Path, tmp_path: Path) -> None:
    result = pavilion("verify", single, "--json")
    assert_clean(result)
    expected = {"file": str(single), "games": 1, "problems": [], "notes": []}
    assert json.loads(result.stdout) == expected
    path = tmp_path / "bad.jsonl"
    spoilt(path, 3)
    result = pavilion("verify", path, "--json")
    assert_clean(result, 1)
    found = json.loads(result.stdout)
    assert (found["games"], len(found["problems"])) == (1, 1)
    assert error_lines(result) == [f"error: {found['problems'][0]}"]


def test_a_note_names_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pavilion("match", "random", "random", "--pairs", 1, "--seed", 3, "--out", "pair")
    line = Path("pair").read_text().splitlines()[0]
    Path("pair").write_text(line + "\n")
    Path("other").write_text(line + "\n")
    assert error_lines(pavilion("verify", "pair", "other")) == [
        f"note: {name}: pairs not played from every seat yet: '1'" for name in ("pair", "other")]


def test_several_files_are_checked_one_by_one(single: Path, tmp_path: Path) -> None:
    result = pavilion("verify", single, GAMES_FILE)
    assert_clean(result)
    assert (result.stdout, result.stderr) == (
        f"{single}: 1 game, all right\n{GAMES_FILE}: {len(CONTRACT)} games, all right\n", "")
    bad, blank, twice = (tmp_path / f"{name}.jsonl" for name in ("bad", "blank", "twice"))
    spoilt(bad, 3)
    blank.write_text("\n")
    write_record(twice, FIRST)
    write_record(twice, replace(FIRST, id="x"))
    result = pavilion("verify", bad, blank, twice, single)
    assert_clean(result, 1)
    assert result.stdout == f"{twice}: 2 games, all right\n{single}: 1 game, all right\n"
    lines = error_lines(result)
    assert lines[0] == (f"note: {twice}: games '{FIRST.id}' and 'x' are the same, move for move")
    assert lines[1].startswith(f"error: {bad}, line 1, game ")
    assert lines[2:] == [f"error: {blank}: no games"]
    assert_clean(pavilion("verify", blank, single), 2)
    empty, gone = tmp_path / "empty.jsonl", tmp_path / "gone.jsonl"
    empty.touch()
    result = pavilion("verify", bad, empty, gone, tmp_path, single)
    assert_clean(result, 1)
    assert result.stdout == f"{single}: 1 game, all right\n"
    first, *others = error_lines(result)
    assert first.startswith(f"error: {bad}, line 1, game ")
    assert others == [f"error: {empty}: no games", f"error: {gone}: No such file or directory",
                      f"error: {tmp_path}: is a directory, expected a file of game records"]
    assert_clean(pavilion("verify", empty, single), 2)
    result = pavilion("verify", bad, single, "--json")
    assert_clean(result, 1)
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(one["file"], one["games"], len(one["problems"])) for one in found] == [
        (str(bad), 1, 1), (str(single), 1, 0)]
    line, = error_lines(pavilion("verify", single, tmp_path / "none.jsonl"))
    assert line == f"error: {tmp_path / 'none.jsonl'}: No such file or directory"
    line, = error_lines(pavilion("verify", "--solo", single, single))
    assert line == "error: --solo and several files exclude each other; give one of them"


def test_a_problem_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, FIRST)
    write_record(path, replace(FIRST, id="x", scores=(1, 2), winners=(1,)))
    result = pavilion("verify", path)
    assert_clean(result, 1)
    assert result.stdout == ""
    assert error_lines(result) == [
        "note: games 'oracle-summer-coloured-2-03' and 'x' are the same, move for move",
        f"error: {path}, line 2, game 'x': the replay ends [51, 4], scores say [1, 2]",
        f"error: {path}, line 2, game 'x': the replay is won by [0], winners say [1]",
    ]


def test_many_problems_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f'{{"id": "torn", "seed": "{chr(97 + number % 26)}"}}\n'
                            for number in range(250)))
    result = pavilion("verify", path)
    assert_clean(result, 1)
    lines = error_lines(result)
    assert len(lines) == 5
    assert lines[0].startswith(
        f"error: {path}, line 1, game 'torn': found a record without 'game', ")
    assert lines[0].endswith("'reason', 'engine', expected all of its keys")
    assert lines[4].startswith(
        f"error: {path}, line 5, game 'torn': found a record without 'game', ")
    assert lines[4].endswith(
        "'reason', 'engine', expected all of its keys; and 245 more like it")
    found = json.loads(pavilion("verify", path, "--json").stdout)
    assert len(found["problems"]) == 250
    monkeypatch.setattr("pavilion_ai.match.verify.MOST_PROBLEMS", 100)
    found = json.loads(pavilion("verify", path, "--json").stdout)
    assert len(found["problems"]) == 101
    assert found["problems"][-1] == f"{path}: 150 more problems"
    assert error_lines(pavilion("verify", path))[-1] == (
        f"error: {path}: 250 problems, of which 5 are shown")


def test_all_that_is_wrong_with_a_start_is_told(single: Path) -> None:
    record = json.loads(single.read_text())
    record["start"] = {**record["start"], "round": 0, "phase": "zz"}
    single.write_text(json.dumps(record) + "\n")
    for name, of in (("verify", f", game '{record['id']}'"), ("replay", "")):
        refused = pavilion(name, single)
        assert [line.partition(" found")[0] for line in error_lines(refused)] == [
            f"error: {single}, line 1{of}: start.{key}:" for key in ("round", "phase")]


def test_problems_of_many_kinds_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pavilion_ai.cli.few_of_each.MAX_PROBLEMS", 2)
    path = tmp_path / "games.jsonl"
    write_record(path, replace(FIRST, scores=(1, 2)))
    with open(path, "a") as file:
        file.write('{"id": "torn"}\nhello\n[]\n')
    result = pavilion("verify", path)
    assert_clean(result, 1)
    *lines, last = error_lines(result)
    assert len(lines) == 2
    assert last == f"error: {path}: 4 problems, of which 2 are shown"


def test_the_same_game_again_and_again_is_told_a_few_times(tmp_path: Path) -> None:
    line = json.dumps(FIRST.to_json())
    again, renamed = tmp_path / "again.jsonl", tmp_path / "renamed.jsonl"
    again.write_text(f"{line}\n" * 30)
    result = pavilion("verify", again)
    assert_clean(result, 1)
    lines = error_lines(result)
    assert len(lines) == 5
    assert lines[-1] == (f"error: {again}, line 6, game {FIRST.id!r}: line 1 has the same id; and"
                         " 24 more like it")
    for number in range(30):
        write_record(renamed, replace(FIRST, id=f"it's {number}"))
    result = pavilion("verify", renamed)
    assert_clean(result)
    lines = error_lines(result)
    assert len(lines) == 5
    assert lines[-1] == ("note: games \"it's 0\" and \"it's 5\" are the same, move for move; and 24"
                         " more like it")
    assert len(json.loads(pavilion("verify", renamed, "--json").stdout)["notes"]) == 29


def test_a_file_without_records_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text("hello\n" * 250)
    result = pavilion("verify", path)
    assert_clean(result, 1)
    assert error_lines(result) == [
        f"error: {path}: not a file of game records; the first of 250 problems: line 1: not a game"
        " record (no JSON object)"]
    assert len(json.loads(pavilion("verify", path, "--json").stdout)["problems"]) == 250


def test_a_torn_line_is_a_note(single: Path) -> None:
    with open(single, "ab") as file:
        file.write(b'{"id":"x"')
    result = pavilion("verify", single)
    assert_clean(result)
    assert result.stdout == f"{single}: 1 game, all right\n"
    assert error_lines(result) == [
        f"note: {single}, line 2: torn, its writing was cut short; it does not count"
    ]


@pytest.mark.parametrize("name", ["verify", "replay"])
def test_what_is_no_file_of_records(tmp_path: Path, name: str) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    blank = tmp_path / "blank.jsonl"
    blank.write_text("\n\n")
    for path, message in (
        (tmp_path / "none.jsonl", f"{tmp_path / 'none.jsonl'}: No such file or directory"),
        (tmp_path, f"{tmp_path}: is a directory, expected a file of game records"),
        (empty, f"{empty}: no games"),
        (blank, f"{blank}: no games"),
        (Path("-"), "records are not read from standard input; give the name of a file"),
        (Path("/dev/null"), "/dev/null: is not a regular file, expected a file of game records"),
        (Path("x" * 3000), f"{'x' * 3000}: File name too long"),
    ):
        result = pavilion(name, path)
        assert_clean(result, 2)
        assert (result.stdout, error_lines(result)) == ("", [f"error: {message}"])


def test_a_position_is_no_record() -> None:
    told = "line 1: not a game record (a position, which `pavilion suggest` takes)"
    for path in (PLACING, DRAFTING):
        for name, code in (("replay", 2), ("review", 2), ("stats", 2), ("verify", 1)):
            result = pavilion(name, path)
            assert_clean(result, code)
            assert error_lines(result) == [f"error: {path}, {told}"]


def test_progress_is_shown_on_a_terminal_and_wiped(
    single: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pavilion("verify", single).stderr == ""
    monkeypatch.setattr("pavilion_ai.render.text.is_terminal", lambda stream: True)
    assert pavilion("verify", single).stderr == ""  # a small file is quick
    monkeypatch.setattr("pavilion_ai.cli.progress.TERMINAL_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    result = pavilion("verify", single)
    assert result.stderr == "\r1 game checked\r"
    assert result.stdout == f"{single}: 1 game, all right\n"
    monkeypatch.setenv("TERM", "dumb")  # which cannot erase a line
    assert pavilion("verify", single).stderr == ""


@pytest.mark.parametrize("columns", [40, 30])
def test_progress_stays_on_one_line(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pavilion_ai.render.text.is_terminal", lambda stream: True)
    monkeypatch.setattr("pavilion_ai.cli.progress.TERMINAL_SECONDS", 0.0)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    ProgressLine().show("decision 12 of 131 " * 9)
    assert len(capsys.readouterr().err.strip()) == columns - 1


@pytest.mark.parametrize("terminal", [False, True])
def test_work_goes_on_though_nobody_reads_of_its_progress(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pavilion_ai.render.text.is_terminal", lambda stream: terminal)
    monkeypatch.setattr("pavilion_ai.cli.progress.TERMINAL_SECONDS", 0.0)
    monkeypatch.setattr("pavilion_ai.cli.progress.LINE_SECONDS", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    written = []

    def write(text: str) -> NoReturn:
        written.append(text)
        raise BrokenPipeError

    monkeypatch.setattr(sys, "stderr", SimpleNamespace(write=write, flush=lambda: None))
    with ProgressLine(elsewhere=True) as progress:
        progress.show("1 of 2")
    assert written


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks into /proc")
def test_ctrl_c_ends_a_check(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    line = json.dumps(FIRST.to_json())
    path.write_text("\n".join(line.replace(FIRST.id, f"g{n}") for n in range(3000)))
    running = subprocess.Popen(
        command("verify", path, "--jobs", 2), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment())
    wait_until(lambda: bool(descendants(running.pid)), "no workers")
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=LONG)
    assert (running.returncode, output, errors) == (130, b"", b"interrupted\n")
