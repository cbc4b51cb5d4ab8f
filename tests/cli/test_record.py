"""Game records: what they hold, how they replay, what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pavilion_ai.errors import RecordError
from pavilion_ai.record import GameRecord, read_records, write_record
from tests.cli.support import PLACING, ROOT

CONTRACT = ROOT / "tests" / "data" / "contract"


def contract_games() -> list[dict[str, object]]:
    return [
        json.loads(line)
        for board in ("coloured", "grey")
        for line in (CONTRACT / f"games_summer_{board}.jsonl").read_text().splitlines()
    ]


@pytest.mark.parametrize("data", contract_games(), ids=lambda data: data["id"])
def test_the_records_of_the_contract_replay_and_survive(data: dict[str, object]) -> None:
    record = GameRecord.from_json(data)
    positions = record.replay()
    assert len(positions) == len(record.moves) + 1
    assert record.to_json() == data


def sample() -> GameRecord:
    return GameRecord.from_json(contract_games()[0])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("moves", ["D9:G"]),
        ("moves", ["nonsense"]),
        ("scores", [1, 1]),
        ("winners", [0, 1]),
        ("moves", []),
    ],
)
def test_what_does_not_replay_is_refused(key: str, value: list[object]) -> None:
    data = {**contract_games()[0], key: value}
    with pytest.raises(RecordError):
        GameRecord.from_json(data).replay()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", 1),
        ("seed", "1"),
        ("seed", True),
        ("agents", [1]),
        ("start", "code"),
        ("moves", "D1:G"),
        ("moves", [1]),
        ("scores", [1.5]),
        ("seconds", ["1"]),
        ("engine", []),
    ],
)
def test_wrong_types_are_refused(key: str, value: object) -> None:
    with pytest.raises(RecordError, match=f"^{key}: expected "):
        GameRecord.from_json({**contract_games()[0], key: value})


def test_missing_keys_are_named() -> None:
    data = contract_games()[0]
    del data["scores"], data["moves"]
    with pytest.raises(RecordError, match=r"^record without 'moves', 'scores'$"):
        GameRecord.from_json(data)


def test_unknown_keys_are_kept() -> None:
    data = {**contract_games()[0], "tournament": "spring"}
    assert GameRecord.from_json(data).to_json() == data


def test_a_file_grows_at_its_end(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    record = sample()
    for number in range(3):
        before = path.read_bytes() if path.exists() else b""
        write_record(path, replace(record, id=str(number)))
        assert path.read_bytes().startswith(before)
    assert [found.id for found in read_records(path)] == ["0", "1", "2"]


def test_only_an_unfinished_last_line_of_the_same_game_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    record = sample()
    open_game = replace(record, id="open", reason="unfinished")
    write_record(path, record)
    write_record(path, open_game)
    write_record(path, replace(open_game, moves=record.moves[:3]))  # a shorter line: after undo
    assert [len(found.moves) for found in read_records(path)] == [len(record.moves), 3]
    write_record(path, replace(open_game, reason="finished"))
    assert [found.reason for found in read_records(path)] == ["finished", "finished"]
    assert len(path.read_text().splitlines()) == 2


def test_a_last_line_without_a_line_feed_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(sample().to_json()))
    write_record(path, replace(sample(), id="next"))
    assert [found.id for found in read_records(path)] == [sample().id, "next"]


@pytest.mark.parametrize("torn", [b'{"id":"x"', b'{"id":"x","game":"summer', b"{"])
def test_a_torn_line_is_ignored(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert len(read_records(path)) == 1
    write_record(path, replace(sample(), id="next"))
    assert path.read_bytes().startswith(whole)
    assert len(read_records(path)) == 2


@pytest.mark.parametrize("content", [b"hello\n", b"{}\n", b"[1]\n", b"\xff\xfe\n", b"nan\n", b"x"])
def test_other_files_are_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    for action in (lambda: read_records(path), lambda: write_record(path, sample())):
        with pytest.raises(RecordError, match="line 1: "):
            action()
    assert path.read_bytes() == content


def test_a_position_is_no_record() -> None:
    with pytest.raises(RecordError, match="line 1: not a game record"):
        read_records(PLACING)
