"""Malformed input of every sort: one clear line per problem, exit code 2, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from typing import Any

import pytest

from pavilion_ai.cli.files import unwritable
from pavilion_ai.notation import to_json
from tests.cli.support import (
    DRAFTING,
    GAME,
    PLACING,
    ROOT,
    assert_clean,
    error_lines,
    pavilion,
    position_of,
)

P = str(PLACING)
CODE = PLACING.read_text().strip()
BAD_POSITIONS = ROOT / "tests" / "data" / "contract" / "bad_positions.jsonl"

# arguments, standard input, the beginning of the line expected after "error: "
NO_NET = "none.net: No such file or directory, expected a network file"
CASES: list[tuple[Sequence[str], str | bytes, str]] = [
    (["nonsense"], "", "No such command 'nonsense'"),
    (["--nonsense"], "", "No such option"),    # click says which in various forms
    (["show"], "", "Missing argument 'POS'. (see pavilion show --help)"),
    (["show", P, "--format"], "", "Option '--format' requires an argument"),
    (["show", P, "--format", "xml"], "", "Invalid value for '--format': 'xml' is not one of"),
    (["show", P, "extra"], "", "Got unexpected extra argument (extra)"),
    (["show", "no-such-file"], "", "no-such-file: no such file, and not a position code"),
    (["show", "C:\\Users\\me\\missing.txt"], "",
     "C:\\Users\\me\\missing.txt: no such file, and not a position code"),
    (["show", "W:missing"], "", "W:missing: no such file, and not a position code"),
    (["show", "a" * 5000], "", f"'{'a' * 60}...': no such file, and not a position code"),
    (["show", "\0"], "", "'\\x00': no such file, and not a position code"),
    (["show", "."], "", ".: is a directory, expected a file with a position"),
    (["show", ""], "", "POS is empty"),
    (["show", "/dev/null"], "", "/dev/null: empty, expected a position"),
    (["show", "/dev/zero"], "", "/dev/zero: more than 1048576 bytes, not a position"),
    (["show", "-"], "", "standard input: empty, expected a position"),
    (["show", "-"], " \n\n", "standard input: empty, expected a position"),
    (["show", "-"], b"\xff\xfa\x00", "standard input: byte 0 is not UTF-8 text"),
    (["show", "-"], b"\xff\xfe\x00", "standard input: byte 2 is not UTF-16 text"),
    (["show", "-"], b"x" * 2_000_000, "standard input: more than 1048576 bytes"),
    (["show", "-"], "[" * 100_000, "standard input: "),
    (["show", "-"], "hello world", "standard input: position: found 'hello world'"),
    (["show", "-"], '{"game": ', "standard input: "),
    (["show", '{"game": '], "", "POS: "),
    (["show", "[1]"], "", "POS: "),
    (["show", CODE + "x"], "", "POS: code: found the check"),
    (["show", CODE[:-9]], "", "POS: code: "),
    (["show", f"/?position={CODE[:-9]}"], "", "POS: code: "),
    (["show", "summer.9.x"], "", "POS: code: found 'summer.9.x'"),
    (["new", "--players", "1"], "", "Invalid value for '--players': '1' is not a whole"),
    (["new", "--players", "5"], "", "Invalid value for '--players': '5' is not a whole"),
    (["new", "--players", "two"], "", "Invalid value for '--players': 'two'"),
    (["new", "--board", "pink"], "", "--board: no side 'pink'; expected coloured, grey"),
    (["match", "random", "random", "--alpha", "0.1"], "",
     "--alpha and --beta are for the test: they need --sprt ELO0,ELO1"),
    (["new", "--game", "chess"], "", "--game: no game 'chess'; expected "),
    (["new", "--game", "", "--board", ""], "", "--game: no game ''; expected "),
    (["new", "--board", ""], "", "--board: no side ''; expected coloured, grey"),
    (["openings", "--round", "x"], "", "Invalid value for '--round': 'x' is not a whole"),
    (["openings", "--round", "60"], "", "--round 60: expected 1 to 6"),
    (["openings", "--round", "6", "--game", "azul"], "",
     "--round 6: expected 1 to 5, the rounds that can be asked for here"),
    (["tournament", *"abc", "--players", "50"], "", "Invalid value for '--players': '50' is not"),
    (["review", ""], "", "'': is not a valid file name"),
    (["report", ""], "", "'': is not a valid file name"),
    (["new", "--seed", "-1"], "", "Invalid value for '--seed': '-1' is not a whole number from 0"),
    (["new", "--seed", "9" * 30], "", "Invalid value for '--seed': '999"),
    (["new", "--seed", "1.5"], "", "Invalid value for '--seed': '1.5'"),
    (["apply", P, "nonsense"], "", "move 1: 'nonsense' is not a move here; expected a move"),
    (["apply", P, ""], "", "move 1: '' is not a move here; expected a move such as"),
    (["apply", P, "D1:G"], "", "move 1: D1:G is not legal: "),
    (["apply", P, "pass:4P4B"], "", "move 1: pass:4P4B is not legal: "),
    (["apply", P, "deal:-"], "", "move 1: deal:- is not legal: "),
    (["apply", P, "pass:-", "bonus:9P"], "", "move 2: bonus:9P is not legal: "),
    (["perft", P, "x"], "", "Invalid value for 'DEPTH': 'x'"),
    (["perft", P, "--", "-1"], "", "Invalid value for 'DEPTH': '-1'"),
    (["perft", P, "99999"], "", "Invalid value for 'DEPTH': '99999'"),
    (["perft", P, "0", "--divide"], "", "--divide needs a depth of at least 1"),
    (["new", "--seed", "9" * 5000], "", "Invalid value for '--seed': '999"),
    (["new", "--players", "1_0"], "", "Invalid value for '--players': '1_0' is not a whole"),
    (["perft", P, "1_0"], "", "Invalid value for 'DEPTH': '1_0' is not a whole number from 0"),
    (["suggest", P, "--sims", " 5"], "", "Invalid value for '--sims': ' 5' is not a whole number"),
    (["suggest", P, "--sims", "\u0663"], "", "Invalid value for '--sims': '\u0663' is not"),
    (["suggest", P, "--time", "1_0"], "", "Invalid value for '--time': '1_0' is not a number"),
    (["suggest", P, "--time", "1e-400"], "", "Invalid value for '--time': '1e-400'"),
    (["suggest", P, "--agent", "ismcts:fpu=abc"], "",
     "agent ismcts, option fpu: found 'abc', expected a number from -1 to 1"),
    (["suggest", P, "--agent", "ismcts:sims=" + "9" * 5000], "",
     "agent ismcts, option sims: found '999"),
    (["show", P, "-o", ""], "", "-o '': is not a valid file name"),
    (["show", P, "-o", "x/"], "", "-o x/: is a directory, expected a file to write"),
    (["suggest", P, "--svg", "-"], "", "--svg -: is not written to standard output"),
    (["review", str(GAME), "--html", "-"], "", "--html -: is not written to standard output"),
    (["openings", "--out", "-"], "", "--out -: is not written to standard output"),
    (["play", "--record", "-"], "", "-: is not written to standard output; expected the name"),
    (["show", "/no/such/place/at/all.json"], "", "/no/such/place/at/all.json: no such file"),
    (["show", "-"], b"a\0b", "standard input: byte 1 is zero, expected UTF-8 text"),
    (["show", "-"], "[1.5] Ann: hi", "standard input: position: found '[1.5] Ann: hi', expected"),
    (["import", "bga", "-"], "[12:30] Ann: hi", "standard input: found neither the object"),
    (["show", "-"], "game: chess\nking: e1\n", "standard input: line 1, column 7: game: found"),
    (["show", "-"], '{"round": ' + "9" * 5000 + "}", "standard input: position: found a number"),
    (["suggest", P, "--time", "0"], "", "Invalid value for '--time': '0' is not a number above 0"),
    (["suggest", P, "--sims", "0"], "", "Invalid value for '--sims': '0' is not a whole number"),
    *((["suggest", P, option, value], "", f"Invalid value for '{option}': '{value}'")
      for option, values in {
          "--time": ("-1", "nan", "inf", "1e300", "soon"),
          "--sims": ("1.5",),
          "--threads": ("0", "100000"),
          "--top": ("0",),
      }.items() for value in values),
    (["suggest", P, "--sims", "9" * 5000], "", "Invalid value for '--sims': '999"),
    (["suggest", P, "--sims", "5", "--time", "1"], "", "--time and --sims exclude each other"),
    (["suggest", P, "--agent", "deep-blue"], "", "agent 'deep-blue': expected one of random"),
    (["suggest", P, "--agent", "ismcts:x=1"], "", "agent ismcts, option 'x'"),
    (["suggest", P, "--agent", ""], "", "agent ''"),
    (["play", "--seats", "human"], "", "--seats: 1 is not 2 to 4"),
    (["play", "--seats", "human,human", "--players", "3"], "", "--seats names 2 seats"),
    (["play", "--seats", "humn,greedy"], "", "agent 'humn': expected one of human, random, gre"),
    (["play", "--seats", ","], "", "agent ''"),
    (["play", "--seats", "human,cmd:no-such"], "", "program 'no-such': not found, expected one"),
    (["play", "--seats", "human,ismcts:net=none.net"], "", NO_NET),
    (["engine", "--agent", "ismcts:net=none.net"], "", NO_NET),
    (["show", P, "-o", "/no/board.PDF"], "",
     "-o /no/board.PDF: positions are not written like that, expected *.json, *.txt, *.svg, *.png,"
     " or for the code a name such as *.code"),
    (["show", P, "-o", "board.html"], "", "-o board.html: positions are not written like that"),
    (["replay", str(GAME), "--ply", "3", "-o", "ply.jsonl"], "", "-o ply.jsonl: positions are not"),
    (["play", "--resume"], "", "--resume needs --record FILE"),
    (["play", "--record", "."], "", ".: Is a directory"),
    (["play", "--record", "/no/such/place"], "", "/no/such/place: cannot be created there"),
    (["play", "--record", P], "", f"{P}, line 1: not a game record"),
    (["play", "--from", P, "--players", "2"], "", "--from gives game, board and players"),
    (["play", "--from", P, "--board", ""], "", "--from gives game, board and players"),
    (["play", "--from", "nowhere"], "", "nowhere: no such file"),
    (["play", "--time", "1", "--sims", "1"], "", "--time and --sims exclude each other"),
    (["bench", "--seconds", "0"], "", "Invalid value for '--seconds': '0'"),
    (["bench", "--check", ""], "", "--check: the signature is empty"),
]


@pytest.mark.parametrize(
    ("arguments", "stdin", "expected"),
    CASES,
    ids=[f"{number}-{' '.join(case[0])[:40]!r}" for number, case in enumerate(CASES)],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: Sequence[str], stdin: str | bytes, expected: str
) -> None:
    result = pavilion(*arguments, stdin=stdin)
    assert_clean(result, 2)
    assert result.stdout == ""
    line, = error_lines(result)
    assert line.startswith(f"error: {expected}")
    assert len(line) < 400


def test_without_a_command_the_help_goes_to_standard_error() -> None:
    result = pavilion()
    assert_clean(result, 2)
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: pavilion")


def test_every_problem_of_a_position_has_a_line() -> None:
    data = json.loads(DRAFTING.read_text())
    data["round"] = 9
    data["seats"][1]["score"] = 0
    del data["phase"]
    result = pavilion("show", "-", stdin=json.dumps(data))
    assert_clean(result, 2)
    lines = error_lines(result)
    assert len(lines) == 3
    for place in ("round", "seats[1].score", "phase"):
        assert any(line.startswith(f"error: standard input: {place}: ") for line in lines)


def bad_positions() -> list[object]:
    rows = [json.loads(row) for row in BAD_POSITIONS.read_text().splitlines()]
    positions = [row["position"] for row in rows]
    return [data for data in positions if isinstance(data, str) or data.get("game") == "summer"]


@pytest.mark.parametrize("position", bad_positions())
def test_the_bad_positions_of_the_contract(position: object) -> None:
    result = pavilion("show", "-", stdin=json.dumps(position))
    assert_clean(result, 2)
    assert all(line.startswith("error: standard input: ") for line in error_lines(result))


def test_unreadable_files(tmp_path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(bytes(range(256)) * 10)
    line, = error_lines(pavilion("moves", binary))
    assert line == f"error: {binary}: byte 128 is not UTF-8 text, expected a position"


def test_a_program_that_fails_is_named() -> None:
    result = pavilion("suggest", PLACING, "--agent", "cmd:true", "--time", 0.1)
    assert_clean(result, 1)
    assert error_lines(result) == ["error: agent cmd:true: exited with status 0"]


def test_an_output_that_cannot_be_written_is_bad_input_and_a_full_disk_is_not(tmp_path) -> None:
    result = pavilion("show", PLACING, "-o", tmp_path / "no" / "such" / "place.json")
    assert_clean(result, 2)
    assert error_lines(result)[0].endswith(f"place.json: cannot be written in {tmp_path}/no/such")
    assert_clean(pavilion("show", PLACING, "-o", tmp_path), 2)
    if os.path.exists("/dev/full"):
        assert_clean(pavilion("show", PLACING, "-o", "/dev/full"), 1)


def test_a_file_full_of_faults_has_an_end() -> None:
    result = pavilion("show", "-", stdin="round: 1\n" + "foo: bar\n" * 5000)
    assert_clean(result, 2)
    lines = error_lines(result)     # 1,000 lines are read, and that there are more is a problem
    assert len(lines) < 10
    assert any(": line 2, column 1: position: found 999 unknown keys, the first 'foo'; expected"
               in line for line in lines)
    other = "".join(f"{'x' * number}: bar\n" for number in range(1, 300))
    lines = error_lines(pavilion("show", "-", stdin="round: 1\n" + other))  # whatever the keys
    assert len(lines) < 20
    assert any("found 299 unknown keys, the first 'x'; expected one of seat 0" in line
               for line in lines)


def test_every_problem_of_a_faulty_position_is_told() -> None:
    position = to_json(position_of(PLACING))
    seats: Any = position["seats"]
    for seat in seats:
        seat["stars"] = dict.fromkeys(seat["stars"], "?.....")
    lines = error_lines(pavilion("show", "-", stdin=json.dumps(position)))
    assert len(lines) == 7 * len(seats)
    assert "seats[1].stars.C" in lines[-1]


def test_a_text_is_no_file_of_positions_in_few_lines(tmp_path) -> None:
    path = tmp_path / "positions"
    path.write_text("what\n" * 50)
    result = pavilion("match", "random", "random", "--pairs", 1, "--from", path)
    assert_clean(result, 2)
    lines = error_lines(result)
    assert len(lines) == 5
    assert lines[-1].startswith(f"error: {path}, line 5: position: found 'what', expected a")
    assert lines[-1].endswith("; and 15 more like it")


def test_a_loop_of_links_is_a_bad_name(tmp_path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    game = ROOT / "examples" / "game_2p.jsonl"
    for words in (
        ("show", loop),
        ("verify", loop),
        ("import", "bga", loop),
        ("review", game, "--sims", 1, "--html", loop / "x"),
        ("show", PLACING, "-o", loop / "x"),
        ("suggest", PLACING, "--sims", 1, "--svg", loop / "x"),
    ):
        assert_clean(pavilion(*words), 2)


def test_what_is_no_file_needs_no_folder_to_write_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is not root may write to a device, but not put files beside it."""
    refusal = "--html: cannot be written"
    for folder, device, expected in ((False, True, None), (True, False, refusal)):
        monkeypatch.setattr(os, "access", lambda path, _, folder=folder, device=device: (
            folder if os.path.isdir(path) else device))
        fault = unwritable("--html", os.devnull)
        told = None if fault is None else str(fault).replace(f" {os.devnull}", "")
        assert told == expected


def test_output_keeps_links_and_pipes(tmp_path) -> None:
    link, pipe = tmp_path / "link.json", tmp_path / "pipe"
    link.symlink_to("target.json")
    assert_clean(pavilion("show", PLACING, "-o", link))
    assert link.is_symlink()
    assert json.loads((tmp_path / "target.json").read_text())["phase"] == "place"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    assert_clean(pavilion("show", PLACING, "-o", pipe))
    assert reader.communicate(timeout=10)[0].decode().strip() == CODE
    assert pipe.is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "pipe", "target.json"]
