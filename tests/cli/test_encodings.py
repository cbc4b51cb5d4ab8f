"""Files of records and positions in every encoding: read, or refused with the cause."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from pavilion_ai.games import GAMES
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord, read_records
from tests.cli.support import (
    DRAFTING,
    GAME,
    assert_clean,
    contract_games,
    error_lines,
    pavilion,
    process,
)

LINES = [json.dumps(game) for game in contract_games("summer")[:4]]
TEXT = "".join(f"{line}\n" for line in LINES)
NAMES = [json.loads(line)["id"] for line in LINES]
INDENTED = [json.dumps(json.loads(line), indent=2) for line in LINES]

READ = {
    "UTF-8 with a mark": TEXT.encode("utf-8-sig"),
    "UTF-16 with a mark": TEXT.encode("utf-16"),
    "UTF-16, the other order": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "UTF-16 without a mark": TEXT.encode("utf-16-le"),
    "UTF-16 without a mark, the other order": TEXT.encode("utf-16-be"),
    "lines of Windows": TEXT.replace("\n", "\r\n").encode("utf-16"),
    "gzip": gzip.compress(TEXT.encode()),
    "gzip of UTF-16": gzip.compress(TEXT.encode("utf-16")),
    "gzip, two members": gzip.compress(TEXT[:999].encode()) + gzip.compress(TEXT[999:].encode()),
    "two objects on a line": f"{LINES[0]}{LINES[1]}\n{LINES[2]}  {LINES[3]}\n".encode(),
    "joined without a line end": "\n".join(LINES[:2]).encode() + "\n".join(LINES[2:]).encode(),
    "joined, each with a mark": ("\n".join(LINES[:2]).encode("utf-8-sig")
                                 + "\n".join(LINES[2:]).encode("utf-8-sig")),
    "joined UTF-16": "\n".join(LINES[:2]).encode("utf-16") + "\n".join(LINES[2:]).encode("utf-16"),
    "carriage returns only": TEXT.replace("\n", "\r").encode(),
}


@pytest.mark.parametrize("content", READ.values(), ids=READ)
def test_records_are_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games"
    path.write_bytes(content)
    assert [record.id for record in read_records(path)] == NAMES
    assert pavilion("verify", path).stdout == f"{path}: 4 games, all right\n"
    listed = pavilion("replay", path)
    assert_clean(listed)
    assert [row.split()[0] for row in listed.stdout.splitlines()] == ["id", *NAMES]


LATIN = json.dumps({**json.loads(LINES[0]), "comment": "café"}, ensure_ascii=False)
REFUSED = {
    "Latin-1": (LATIN.encode("latin-1") + b"\n",
                f"line 1: byte {LATIN.index('é')} is not UTF-8 text, expected a game record"),
    "indented": ("\n".join(INDENTED).encode(),
                 f"line 1: not a game record (it extends to line {len(INDENTED[0].splitlines())},"
                 " expected each record on one line)"),
    "an indented list": (json.dumps(list(map(json.loads, LINES)), indent=1).encode(),
                         "line 1: not a game record (it extends to line "),
    "a list": (f"[{','.join(LINES)}]".encode(),
               "line 1: not a game record (found a list, expected an object)"),
    "UTF-32": (TEXT.encode("utf-32"),
               "line 1: byte 0 begins a file encoded as UTF-32 (save it as UTF-8)"),
    "zip": (b"PK\x03\x04" + bytes(99),
            "line 1: byte 0 begins a file packed as zip (unpack it first)"),
    "bzip2": (b"BZh91AY" + bytes(99),
              "line 1: byte 0 begins a file packed as bzip2 (unpack it first)"),
    "zeros": (b"ab\0\0" * 9, "line 1: byte 2 is zero, expected a game record in UTF-8"),
    "damaged gzip": (b"\x1f\x8b\x08\0" + b"\xff" * 90, "line 1: the gzip data are damaged"),
    "a comma": (LINES[0].encode() + b",\n",
                f"line 1, object 2: not a game record (column {len(LINES[0]) + 1}: found ','"),
    "a missing comma": (LINES[0].replace(", ", " ", 1).encode() + b"\n",
                        "line 1: not a game record (column "),
    "a key twice": (b'{"id": 1, "id": 2}\n', "line 1: not a game record (found the key 'id' twice"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED)
def test_the_cause_is_named_for_all_that_cannot_be_read(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "games"
    path.write_bytes(content)
    verified = pavilion("verify", path)
    assert_clean(verified, 1)
    problems = [line for line in error_lines(verified) if line.startswith("error: ")]
    assert problems[0].startswith(f"error: {path}")
    assert message in problems[0]
    logs = content.lstrip().startswith((b"[", b"PK"))  # which `review` takes for logs of games
    for name in ("replay", "report") if logs else ("replay", "report", "review"):
        result = pavilion(name, path, *(("--sims", 2) if name == "review" else ()))
        if "object 2" not in message:
            assert_clean(result, 2)
            assert message in result.stderr
        elif name == "report":  # which needs a match, and names the first problem
            assert_clean(result, 2)
            assert "the first of 2 problems: line 1, object 1: game" in result.stderr
        else:
            assert f"{path}, {message}" in result.stderr


def test_an_indented_object_is_one_problem_and_hides_no_record(tmp_path: Path) -> None:
    path = tmp_path / "games"
    path.write_text(f"{LINES[0]}\n{INDENTED[1]}\n{LINES[2]}\n")
    result = pavilion("verify", path)
    assert_clean(result, 1)
    problem, = error_lines(result)
    last = 1 + len(INDENTED[1].splitlines())
    assert problem.startswith(f"error: {path}, line 2: ")
    assert f"(it extends to line {last}" in problem
    assert [row.split()[0] for row in pavilion("replay", path).stdout.splitlines()] == [
        "id", NAMES[0], NAMES[2]]


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: data.decode().encode("utf-16")])
def test_what_stands_before_a_damage_is_read(tmp_path: Path, pack) -> None:
    path = tmp_path / "games"
    many = "".join(f"{json.dumps({**json.loads(LINES[0]), 'id': str(number)})}\n"
                   for number in range(99))
    path.write_bytes(pack(many.encode())[:-1000 - 1])
    result = pavilion("replay", path)
    assert_clean(result)
    there = result.stdout.splitlines()[1:]
    assert 20 < len(there) < 99
    assert f"left out: {path}, line {len(there) + 1}: " in result.stderr
    assert "cut short" in result.stderr or "is not UTF-16 text" in result.stderr


def test_a_packed_file_that_never_ends_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pavilion_ai.encoded.MAX_UNPACKED", 1 << 20)
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress(bytes(50 << 20)))
    result = pavilion("verify", path)
    assert_clean(result, 1)
    assert "the gzip data hold more than 1048576 bytes" in result.stderr


@pytest.mark.parametrize("content", [*READ.values(), LATIN.encode("latin-1") + b"\n",
                                     f"{LINES[0]}{LINES[1][:99]}".encode()],
                         ids=[*READ, "Latin-1", "the second object torn"])
def test_games_are_added_only_where_nothing_can_be_lost(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games"
    path.write_bytes(content)
    plain = content.startswith(b"\xef\xbb\xbf{") and b"}\xef" not in content
    for command in (("play", "--record", path, "--seats", "greedy,greedy"),
                    ("match", "greedy", "random", "--pairs", 1, "--out", path)):
        result = pavilion(*command)
        if plain and command[0] == "play":
            assert_clean(result)
            path.write_bytes(content)
            continue
        assert_clean(result, 2)
        assert f"{path}, line" in result.stderr or "was not played in a match" in result.stderr
        assert path.read_bytes() == content


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig", "gzip"])
@pytest.mark.parametrize("from_file", [True, False])
def test_positions_are_read(tmp_path: Path, encoding: str, from_file: bool) -> None:
    text = DRAFTING.read_text()
    content = gzip.compress(text.encode()) if encoding == "gzip" else text.encode(encoding)
    path = tmp_path / "position"
    path.write_bytes(content)
    result = pavilion("show", path) if from_file else pavilion("show", "-", stdin=content)
    assert_clean(result)
    assert result.stdout == pavilion("show", DRAFTING).stdout


def test_a_packed_position_may_not_be_longer_than_another(tmp_path: Path) -> None:
    path = tmp_path / "position"
    path.write_bytes(gzip.compress(b" " * (30 << 20)))
    result = pavilion("show", path)
    assert_clean(result, 2)
    assert error_lines(result) == [f"error: {path}: more than 1048576 bytes, not a position"]


# --------------------------------------------------------------------- who won; names of files


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_show_and_apply_say_who_won(game: str) -> None:
    record = GameRecord.from_json(contract_games(game)[0])
    end = Play.of(record)
    told = f"note: the game is over, seat {record.winners[0]} wins, scores "
    told += ", ".join(map(str, record.scores))
    for form in ("code", "json", "text"):
        result = pavilion("show", end.code(), "--format", form)
        assert_clean(result)
        assert error_lines(result) == [told]
    before = Play.of(record, len(record.moves) - 1)
    result = pavilion("apply", before.code(), record.moves[-1])
    assert_clean(result)
    assert error_lines(result) == [told]
    assert pavilion("show", GAMES[game].new(seed=1) and DRAFTING).stderr == ""


@pytest.mark.parametrize("length", [250, 251, 255])
def test_a_record_file_may_have_the_longest_name(tmp_path: Path, length: int) -> None:
    path = tmp_path / ("x" * length)
    result = pavilion("play", "--record", path, "--seats", "greedy,greedy", "--seed", 1)
    assert_clean(result)
    assert [path.name] == [found.name for found in tmp_path.iterdir()]
    assert pavilion("verify", path).stdout.endswith(": 1 game, all right\n")
    shown = tmp_path / ("y" * length)
    assert_clean(pavilion("show", DRAFTING, "-o", shown))
    assert shown.exists()


@pytest.mark.parametrize("words", [
    ("match", "greedy", "random", "--pairs", 1, "--jobs", 2, "--out", "ours.jsonl"),
    ("review", GAME, "--sims", 1, "--jobs", 1, "--html", "page.html", "--out", "kept.jsonl"),
    ("suggest", DRAFTING, "--sims", 10, "--svg", "board.svg"),
    ("stats", GAME, "--json"),
], ids=lambda words: words[0])
def test_no_file_is_read_as_the_system_encodes(
    words: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = process(*words, PYTHONWARNDEFAULTENCODING="1", PYTHONWARNINGS="error::EncodingWarning")
    assert (done.returncode, b"EncodingWarning" in done.stderr) == (0, False)
