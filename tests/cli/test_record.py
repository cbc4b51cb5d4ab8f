"""Game records: what they hold, how they replay, what is refused."""

from __future__ import annotations

import errno
import gc
import gzip
import itertools
import json
import math
import os
import signal
import stat
import sys
import threading
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from pavilion_ai.errors import PositionError, RecordError
from pavilion_ai.files import LockedFile, beside
from pavilion_ai.games import GAMES
from pavilion_ai.notation import FORMS, format_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.record import (
    GameRecord,
    Recorder,
    read_entries,
    read_records,
    reading,
    write_record,
)
from pavilion_ai.record.lines import RecordLine, record_lines
from tests.cli.support import PLACING, ROOT, error_lines, pavilion
from tests.plays import replayed

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
    positions = replayed(record)
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
        replayed(GameRecord.from_json(data))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("id", 1),
        ("seed", "1"),
        ("seed", True),
        ("agents", [1]),
        ("start", 5),
        ("moves", "D1:G"),
        ("moves", [1]),
        ("scores", [1.5]),
        ("seconds", ["1"]),
        ("engine", []),
    ],
)
def test_wrong_types_are_refused(key: str, value: object) -> None:
    with pytest.raises(RecordError, match=rf"^{key}(\[0\])?: found .*, expected a"):
        GameRecord.from_json({**contract_games()[0], key: value})


def test_a_wrong_entry_of_a_list_is_named() -> None:
    game = contract_games()[0]
    game["moves"][17] = 5
    with pytest.raises(RecordError, match=r"^moves\[17\]: found 5, expected a string$"):
        GameRecord.from_json(game)


@pytest.mark.parametrize("value", [-0.1, 1e9 + 1, 10**400, float("inf"), float("nan")])
def test_seconds_out_of_bounds_are_refused(value: float) -> None:
    data = {**contract_games()[0], "seconds": [value, 1e9]}
    with pytest.raises(RecordError, 
                       match=r"^seconds\[0\]: found .*, expected a number from 0 to 1e\+09$"):
        GameRecord.from_json(data)
    assert GameRecord.from_json({**data, "seconds": [0, 1e9]}).seconds == (0, 1e9)


def test_missing_keys_are_named() -> None:
    data = contract_games()[0]
    del data["scores"], data["moves"]
    with pytest.raises(RecordError, match=r"^found a record without 'moves', 'scores', expected"):
        GameRecord.from_json(data)


def test_unknown_keys_are_kept() -> None:
    data: dict[str, Any] = {**contract_games()[0], "tournament": "spring"}
    data["agents"][0] |= {"rating": 1500, "clubs": ["Azul"]}
    record = GameRecord.from_json(data)
    assert record.to_json() == data
    written = json.dumps(data)
    data["agents"][0]["clubs"].clear()
    record.to_json()["agents"][0]["clubs"].clear()  # type: ignore[index]
    assert record.to_json() == json.loads(written)


@pytest.mark.parametrize(("change", "fault"), [
    ({"seconds": [math.nan, 0]}, "found NaN"), ({"seconds": [-1, 0]}, r"seconds\[0\]: found -1"),
    ({"id": 5}, "id: found 5"), ({"extra": {"x": math.inf}}, "found Infinity"),
    ({"extra": {"x": {1}}}, "not JSON serializable"),
    ({"extra": {"x": "y" * (5 << 20)}}, "longer than"),
])
def test_what_could_not_be_read_again_is_not_written(
    tmp_path: Path, change: dict[str, Any], fault: str
) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    before = path.read_bytes()
    with pytest.raises(RecordError, match=f"games.jsonl: record .* cannot be written: .*{fault}"):
        write_record(path, replace(Play.new(seed=1).record(), **change))
    assert path.read_bytes() == before


def test_a_play_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with pytest.raises(RecordError, match=r"games.jsonl: found a Play, expected a GameRecord"):
        write_record(path, Play.new(seed=1))  # type: ignore[arg-type]
    assert not path.exists()


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


@pytest.mark.parametrize("further_up", [False, True])
def test_games_of_one_seed_do_not_replace_each_other(tmp_path: Path, further_up: bool) -> None:
    path = tmp_path / "games.jsonl"
    plays = [Play.new("azul", seed=7) for _ in range(3)]
    for play, move in zip(plays, (0, 0, 1), strict=True):
        play.push(play.legal_moves[move])
    kept = plays[0].record(["ann", "greedy"])
    write_record(path, kept)
    if further_up:
        write_record(path, replace(kept, id="other"))
    before = path.read_bytes()
    for play, name in ((plays[1], "bob"), (plays[2], "ann"), (Play.new("azul", seed=7), "bob")):
        with pytest.raises(RecordError, match="line 1: holds a game 'play-7' already"):
            write_record(path, play.record([name, "greedy"]))
        assert path.read_bytes() == before
    plays[0].push(plays[0].legal_moves[0])
    further = plays[0].record([{"spec": "ann", "version": "1"}, "greedy"])  # known by now
    write_record(path, further)
    assert [*read_records(path)] == [*[replace(kept, id="other")] * further_up, further]


def test_a_game_whose_moves_were_taken_back_replaces_its_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    play = Play.new("azul", seed=7)
    with Recorder(path) as recorder:
        for move in play.legal_moves[:3]:
            play.push(move)
            recorder.write(play.record(), earlier=play.record())
            play.pop()
        assert [record.moves for record in recorder.read()] == [(move,)]
        recorder.write(play.record())
        assert [record.moves for record in recorder.read()] == [()]


def test_the_last_game_is_that_of_the_last_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    begun = Play.new("summer", seed=7)
    further = Play(begun.start, begun.legal_moves[:1], seed=7)
    for record in (begun.record(id="a"), replace(sample(), id="b"), further.record(id="a")):
        write_record(path, record)
    with Recorder(path) as recorder:
        assert [(game.id, len(game.moves)) for game in recorder.read()] == [
            ("b", len(sample().moves)), ("a", 1)]


def test_an_unfinished_game_is_not_replaced_by_another_of_its_id(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, Play.new("summer", seed=7).record())
    before = path.read_bytes()
    with pytest.raises(RecordError, match="line 1: holds a game 'play-7' already"):
        write_record(path, Play.new("azul", seed=7).record())
    assert path.read_bytes() == before


@pytest.mark.parametrize("extra", [{}, {"comment": "nice", "event": "spring"}])
def test_a_finished_game_is_replaced_while_it_is_the_last(
    tmp_path: Path, extra: dict[str, Any]
) -> None:
    path = tmp_path / "games.jsonl"
    record, noted = sample(), replace(sample(), extra=extra)
    write_record(path, replace(record, id="other"))
    write_record(path, record)
    write_record(path, noted)
    with Recorder(path) as recorder:
        recorder.write(record)
        recorder.write(noted)
        assert recorder.read() == list(read_records(path)) == [replace(record, id="other"), noted]
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("change", [{"extra": {"comment": "nice"}}, {"moves": ()}])
@pytest.mark.parametrize("name", ["a", "\u00e9"])
@pytest.mark.parametrize("escaped", [False, True])
def test_a_finished_game_further_up_is_not_followed_by_another_of_its_id(
    tmp_path: Path, change: dict[str, Any], name: str, escaped: bool
) -> None:
    path = tmp_path / "games.jsonl"
    record, other = replace(sample(), id=name), replace(sample(), id="other")
    first = dict(reversed(record.to_json().items()))  # of another program
    path.write_text(json.dumps(first, ensure_ascii=escaped) + "\n", encoding="utf-8")
    write_record(path, other)
    before = path.read_bytes()
    match = f"games.jsonl, line 1: holds a game '{name}' already; only the last line"
    for read in (False, True):
        with Recorder(path) as recorder:
            if read:
                recorder.read()
            with pytest.raises(RecordError, match=match):
                recorder.write(replace(record, **change))
            recorder.write(other)  # goes on
    assert path.read_bytes() == before


@pytest.mark.parametrize(("name", "written"), [("x/y", r"x\/y"), ("\ud800", r"\ud800")])
def test_an_id_is_known_however_it_is_escaped(tmp_path: Path, name: str, written: str) -> None:
    path = tmp_path / "games.jsonl"
    record = replace(sample(), id=name)
    line = json.dumps({**record.to_json(), "id": "here"}).replace('"here"', f'"{written}"')
    path.write_text(f"{line}\n")
    write_record(path, replace(record, id="other"))
    with pytest.raises(RecordError, match="line 1: holds a game"):
        write_record(path, replace(record, extra={"comment": "nice"}))


def test_a_long_text_of_a_stranger_costs_little(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps({**sample().to_json(), "x": {"id": "\\" * 500_000}}) + "\n")
    tracemalloc.start()
    try:
        write_record(path, replace(sample(), id="other"))
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()


def test_a_last_line_without_a_line_feed_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(sample().to_json()))
    with Recorder(path) as recorder:  # which adds the line feed, and then replaces its own line
        for reason in ("unfinished", "finished"):
            recorder.write(replace(sample(), id="next", reason=reason))
    assert [found.id for found in read_records(path)] == [sample().id, "next"]
    assert len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize(("change", "games"), [
    ({}, 1), ({"seconds": (5.0, 6.0)}, 1), ({"engine": {"name": "other"}}, 1),
    ({"scores": (1, 2)}, 2), ({"winners": (0, 1)}, 2), ({"breakdown": ()}, 2),
    ({"agents": ({"spec": "a", "version": ""},) * 2}, 2), ({"reason": "stopped"}, 2),
    ({"extra": {"event": "spring"}}, 2), ({"seed": 1}, 2),
])
def test_what_makes_another_game_of_an_id(
    tmp_path: Path, change: dict[str, Any], games: int
) -> None:
    path = tmp_path / "games.jsonl"
    record, other = sample(), replace(sample(), **change)
    for lines in ((record, other), (record, other, record), (record, other, record, other)):
        path.write_text("\n".join(json.dumps(one.to_json()) for one in lines))
        assert len(list(read_records(path))) == games


def test_a_game_goes_on_from_before_its_first_move(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    begun = replace(sample(), moves=(), reason="unfinished")
    path.write_text("\n".join(json.dumps(one.to_json()) for one in (begun, sample())))
    assert list(read_records(path)) == [sample()]


@pytest.mark.parametrize("torn", [b'{"id":"x"', b'{"id":"x","game":"summer', b"{",
                                  b"\0" * 40, b"\xef\xbb\xbf{", b"\xef\xbb\xbf", b" \xef\xbb\xbf "])
def test_a_torn_line_is_ignored(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert len(list(read_records(path))) == 1
    write_record(path, replace(sample(), id="next"))
    assert path.read_bytes().startswith(whole)
    assert len(list(read_records(path))) == 2


def test_a_record_is_torn_wherever_it_is_cut() -> None:
    data = {"a": [-1.5e-3, True, None, {"b": "\u00e9\n\U0001f600"}]}
    whole = json.dumps(data).encode()
    assert not RecordLine(2, 0, whole).torn
    for cut in range(1, len(whole)):
        for tail in (b"", b"\0" * 9):
            assert RecordLine(2, 0, whole[:cut] + tail).torn, whole[:cut]


@pytest.mark.parametrize("fault", [
    ('"id":', '"id":"x","id":'), (',"seed":', ',,"seed":'), (',"seed":', '"seed":'),
    ('"seed":', '"seed":NaN,"x":'), ('"seed":', '"seed":1e400,"x":'), ('"}}', '\\q"}}'),
    ("{", "\f{"), ("{", "\v{")])
def test_a_last_line_with_a_fault_is_not_torn(tmp_path: Path, fault: tuple[str, str]) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    line = json.dumps(replace(sample(), id="last").to_json(), separators=(",", ":"))
    whole = path.read_bytes() + line.replace(*fault, 1).encode()
    path.write_bytes(whole)
    for action in (lambda: list(read_records(path)), lambda: write_record(path, sample())):
        with pytest.raises(RecordError, match="line 2: not a game record"):
            action()
    assert path.read_bytes() == whole


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n", b'\xef\xbb\xbf{"id":"x'])
def test_a_file_with_nothing_but_a_mark_is_empty(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    assert not list(read_records(path))
    write_record(path, sample())
    assert list(read_records(path)) == [sample()]


@pytest.mark.parametrize("content", [b"hello\n", b"{}\n", b"[1]\n", b"\xff\xfe\n", b"nan\n", b"x",
                                     b"\0\0"])
def test_other_files_are_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    for action in (lambda: list(read_records(path)), lambda: write_record(path, sample())):
        with pytest.raises(RecordError, match="line 1: "):
            action()
    assert path.read_bytes() == content


def test_a_kill_after_the_write_leaves_no_mixture_with_a_torn_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    path.write_bytes(path.read_bytes() + b'{"id":"torn' + b" " * 10_000)
    write_all, seen = LockedFile.write_all, []

    def write(file: LockedFile, content: bytes) -> None:
        write_all(file, content)
        seen.append(path.read_bytes())

    monkeypatch.setattr(LockedFile, "write_all", write)
    write_record(path, open_game(3))
    assert seen == [path.read_bytes()]
    assert len(list(read_records(path))) == 2


def test_a_position_is_no_record() -> None:
    with pytest.raises(RecordError, match="line 1: not a game record"):
        list(read_records(PLACING))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("game", "chess", "game: found .*, expected 'summer' as in start"),
        ("board", "pink", "board: found 'pink', expected 'coloured' as in start"),
        ("agents", [], "agents: found a list of 0, expected one for each of 2 seats"),
        ("agents", [{"spec": 1}, {}], r"agents\[0\].spec: found 1, expected a string"),
        ("agents", [{"spec": "a", "version": ""}, {}],
         r"agents\[1\].spec: found no such key, expected a string"),
        ("agents", [{"spec": "a", "version": 2}] * 2,
         r"agents\[0\].version: found 2, expected a string"),
        ("agents", [{"spec": "a", "version": "", "name": 5}] * 2, r"agents\[0\].name: found 5"),
        ("scores", [1, 2, 3], r"scores: found \[1, 2, 3\], expected one for each of 2 seats"),
        ("scores", [10**400, 1], r"scores\[0\]: found a number of 1329 bits, expected a whole"),
        ("seconds", [1.0], r"seconds: found \[1.0\], expected one for each of 2 seats"),
        ("seconds", [-1.0, 1e999], r"seconds\[0\]: found -1.0, expected a number from 0 to"),
        ("winners", [7], r"winners\[0\]: found 7, expected a whole number from 0 to 1"),
        ("winners", [1, 1], r"winners: found \[1, 1\], expected each seat once at most, in"),
        ("winners", [1, 0], r"winners: found \[1, 0\], expected each seat once at most, in"),
        ("breakdown", [{}],
         "breakdown: found a list of 1, expected one for each of 2 seats, or none"),
        ("breakdown", [{"play": 1.5}, {}],
         r"breakdown\[0\].play: found 1.5, expected a whole number"),
    ],
)
def test_contradictions_are_refused(key: str, value: object, message: str) -> None:
    with pytest.raises(RecordError, match=f"^{message}"):
        GameRecord.from_json({**contract_games()[0], key: value})


def test_faults_of_the_start_are_told_as_such() -> None:
    data = contract_games()[0]
    start: Any = data["start"]
    for change, where in (({"board": "purple"}, "start.board"), ({"centre": 5}, "start.centre"),
                          ({"game": []}, "start.game"), ({"seats": 5}, "start.seats")):
        with pytest.raises(PositionError, match=f"^{where}.*: found"):
            GameRecord.from_json({**data, "start": {**start, **change}})


def test_all_faults_of_the_last_games_start_are_told(tmp_path: Path) -> None:
    path, data = tmp_path / "games.jsonl", contract_games()[0]
    start: Any = data["start"]
    path.write_text(json.dumps({**data, "start": {**start, "centre": 5, "round": 99}}) + "\n")
    with pytest.raises(RecordError, match=r"line 1: start\.centre: .*; start\.round: found 99"):
        write_record(path, sample())
    for words in (("play", "--record"), ("match", "greedy", "random", "--out")):
        done = pavilion(*words, path)
        assert done.exit_code == 2
        lines = [line.removeprefix(f"error: {path}, line 1: ") for line in error_lines(done)]
        assert [line.split(":")[0] for line in lines] == ["start.centre", "start.round"]
    saved = pavilion("play", "--seats", "human,greedy", stdin=f"save {path}\nquit\n").stdout
    assert saved.count(f"Not saved: {path}, line 1: start.") == 2
    for words in (("stats",), ("report",), ("match", "greedy", "random", "--ply", 1, "--from")):
        line, = error_lines(pavilion(*words, path))
        assert "start.centre: found 5" in line
        assert "; start.round: found 99" in line


@pytest.mark.parametrize("form", FORMS)
def test_the_start_is_read_in_every_form(form: str) -> None:
    data, record = contract_games()[0], sample()
    start = format_position(record.start, form)
    assert GameRecord.from_json({**data, "start": start}).to_json() == data
    for spoilt in (start.replace("summer", "winter"), start[:20], ""):
        with pytest.raises(PositionError, match=r"^(line \d+, column \d+: )?start(\.\w+)?: found"):
            GameRecord.from_json({**data, "start": spoilt})


def test_a_start_that_leaves_something_out_is_refused() -> None:
    data = contract_games()[0]
    start = format_position(sample().start, "text").replace("round: 1\n", "")
    with pytest.raises(PositionError, match=r"^start: found round: not given"):
        GameRecord.from_json({**data, "start": start})


def test_unknown_keys_of_a_start_are_named_however_it_is_written() -> None:
    data = contract_games()[0]
    start: Any = {**to_json(sample().start), "name": "Ada"}
    for written in (start, json.dumps(start)):
        record = GameRecord.from_json({**data, "start": written})
        assert (record.start, record.unused) == (sample().start, ("start.name",))


def test_a_breakdown_that_is_not_the_replays_is_refused() -> None:
    data = contract_games()[0]
    first, second = data["breakdown"]  # type: ignore[misc]
    moved = {**first, "play": first["play"] + 1, "stars": first["stars"] - 1}
    with pytest.raises(RecordError, match="breakdown is not that of the replay"):
        replayed(GameRecord.from_json({**data, "breakdown": [moved, second]}))


def open_game(number: int = 0) -> GameRecord:
    record = sample()
    moves = record.moves[:number]
    return replace(record, id="open", reason="unfinished", moves=moves)


class DiskFull(Exception):
    """Stands for whatever may end a write: a full disk, an interrupt, a crash."""


@pytest.mark.parametrize(("step", "replacing"), [
    ("write", False), ("truncate", False), ("fsync", False),
    ("write", True), ("fsync", True), ("replace", True),
])
def test_a_write_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, replacing: bool
) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    write_record(path, open_game(9))
    before = path.read_bytes()
    following = open_game(3) if replacing else replace(sample(), id="next")

    def fail(*_: object) -> None:
        raise DiskFull

    def write_some(file: LockedFile, data: bytes) -> None:
        file.write(data[:9])
        raise DiskFull

    truncate = LockedFile.truncate

    def fail_once(file: LockedFile, size: int) -> int:
        patch.undo()  # what puts the file back may truncate it
        truncate(file, size)
        raise DiskFull

    with monkeypatch.context() as patch:
        if step == "write":
            patch.setattr(LockedFile, "write_all", write_some)
        elif step == "truncate":
            patch.setattr(LockedFile, step, fail_once)
        else:
            patch.setattr(os, step, fail)
        with pytest.raises(DiskFull):
            write_record(path, following)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    write_record(path, following)
    assert [len(found.moves) for found in read_records(path)][1:2] == [3 if replacing else 9]


def interrupted(after: int, write: Callable[[], None], within: str = "") -> None:
    """Interrupt a write after so many lines of record/file.py, or of its function `within`."""
    lines = 0

    def interrupt(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.endswith("pavilion_ai/record/file.py"):
            return None
        lines += event == "line" and within in ("", frame.f_code.co_name)
        if lines > after:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
        return interrupt

    sys.settrace(interrupt)
    try:
        write()
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)


@pytest.mark.parametrize("after", range(1, 16))
def test_an_interrupt_while_the_file_is_made_loses_nothing(tmp_path: Path, after: int) -> None:
    path = tmp_path / "games.jsonl"
    with Recorder(path) as recorder:
        interrupted(after, lambda: recorder.write(open_game(3)), "write")
        recorder.write(open_game(4))
    assert [len(found.moves) for found in read_records(path)] == [4]


@pytest.mark.parametrize("after", range(0, 60, 3))
def test_an_interrupt_between_two_steps_loses_nothing(tmp_path: Path, after: int) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    with Recorder(path) as recorder:
        recorder.write(open_game(3))
        interrupted(after, lambda: recorder.write(open_game(4)), "_replace")
        assert [len(found.moves) for found in read_records(path)][1] in (3, 4)
        recorder.write(open_game(5))
        with pytest.raises(RecordError, match="another program is recording a game there"):
            Recorder(path)
    assert [len(found.moves) for found in read_records(path)] == [len(sample().moves), 5]
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_to_a_record_stays_a_link(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to("target.jsonl")
    for number in range(3):
        write_record(link, open_game(number))
    assert link.is_symlink()
    assert len(list(read_records(tmp_path / "target.jsonl"))) == 1


# ------------------------------------------------------------------------------- many records

def test_a_file_is_read_once_however_often_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    read = 0

    def counted(*arguments: Any) -> Any:
        nonlocal read
        read += 1
        return record_lines(*arguments)

    monkeypatch.setattr("pavilion_ai.record.file.record_lines", counted)
    with Recorder(path) as recorder:
        assert len(recorder.read()) == 1
        for number in range(5):
            recorder.write(replace(sample(), id=str(number)))
        recorder.write(open_game(3))
        recorder.write(open_game(4))  # a replacement
        recorder.write(open_game(5))
        recorder.write(replace(sample(), id="last"))
    assert read == 1
    with Recorder(path) as recorder:  # without reading the records first
        recorder.write(replace(sample(), id="6"))
        recorder.write(replace(sample(), id="7"))
    assert read == 2
    found = [(record.id, len(record.moves)) for record in read_records(path)]
    moves = len(sample().moves)
    names = [sample().id, *"01234", "open", "last", "6", "7"]
    assert found == [(name, 5 if name == "open" else moves) for name in names]


def test_what_somebody_without_a_lock_did_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with Recorder(path) as recorder:
        recorder.write(sample())
        with open(path, "ab") as file:
            file.write(json.dumps(replace(sample(), id="other").to_json()).encode() + b"\n{")
        recorder.write(replace(sample(), id="next"))
    assert [record.id for record in read_records(path)] == [sample().id, "other", "next"]


def test_a_file_that_shrinks_while_it_is_copied_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, sample())
    write_record(path, open_game(9))
    first = path.read_bytes().splitlines(keepends=True)[0]

    def without_a_byte(target: Path, suffix: str) -> Path:
        os.truncate(path, len(first) - 1)
        return beside(target, suffix)

    monkeypatch.setattr("pavilion_ai.record.file.beside", without_a_byte)
    with pytest.raises(OSError, match="became shorter"):
        write_record(path, open_game(12))
    assert path.read_bytes() == first[:-1]
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_was_put_in_its_place_is_left_alone(tmp_path: Path) -> None:
    path, other = tmp_path / "games.jsonl", tmp_path / "other.jsonl"
    write_record(other, replace(sample(), id="other"))
    with Recorder(path) as recorder:
        recorder.write(sample())
        content = other.read_bytes()
        os.replace(other, path)
        with pytest.raises(RecordError, match=r"games\.jsonl: was replaced by another file"):
            recorder.write(replace(sample(), id="next"))
        assert path.read_bytes() == content
        path.unlink()
        with pytest.raises(FileNotFoundError):
            recorder.write(replace(sample(), id="next"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("after", range(24))
def test_an_interrupt_while_appending_loses_nothing(tmp_path: Path, after: int) -> None:
    path = tmp_path / "games.jsonl"
    with Recorder(path) as recorder:
        recorder.write(sample())
        interrupted(after, lambda: recorder.write(replace(sample(), id="next")))
        there = [record.id for record in read_records(path)]
        assert there in ([sample().id], [sample().id, "next"])
        recorder.write(replace(sample(), id="after"))
    assert [record.id for record in read_records(path)] == [*there, "after"]


class Clock:
    """A clock that stands still, and a disk that counts how often it is made to write files."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.forced = 0
        patch.setattr("pavilion_ai.record.file.time.monotonic", lambda: self.now)
        patch.setattr(os, "fsync", self._fsync)

    def _fsync(self, file: int) -> None:
        self.forced += stat.S_ISREG(os.fstat(file).st_mode)


def test_every_line_is_forced_onto_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    with Recorder(tmp_path / "games.jsonl") as recorder:
        for number in range(3):
            recorder.write(replace(sample(), id=str(number)))
            assert clock.forced == number + 1
    assert clock.forced == 3


def test_a_tournament_forces_its_lines_once_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    path = tmp_path / "games.jsonl"
    with Recorder(path, sync_seconds=1.0) as recorder:
        forced = []
        for number in range(8):
            recorder.write(replace(sample(), id=str(number)))
            assert len(path.read_bytes().splitlines()) == number + 1  # a kill loses nothing
            forced.append(clock.forced)
            clock.now += 0.4
        assert forced == [1, 1, 1, 2, 2, 2, 3, 3]
        recorder.sync()
        recorder.sync()
        assert clock.forced == 4
        recorder.write(replace(sample(), id="last"))
        assert clock.forced == 4
    assert clock.forced == 5
    assert len(list(read_records(path))) == 9


def test_a_disk_that_fails_at_last_still_lets_others_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    path = tmp_path / "games.jsonl"
    recorder = Recorder(path, sync_seconds=1.0)
    recorder.write(sample())
    recorder.write(replace(sample(), id="next"))

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="Input/output error"):
            recorder.close()
    write_record(path, replace(sample(), id="other"))
    assert clock.forced == 2
    assert len(list(read_records(path))) == 3


def test_a_start_is_read_as_it_stands_though_openings_are_known(tmp_path: Path) -> None:
    data = contract_games()[0]
    opening = GAMES["summer"].new(seed=5)
    record = replace(GameRecord.from_json(data), start=opening, seed=5, moves=())
    for seed in (5, 6):  # the opening of this seed, and a start that is not
        assert GameRecord.from_json(replace(record, seed=seed).to_json()).start == opening
    for key, value in (("round", True), ("token", False), ("displays", [])):
        spoilt = record.to_json()
        spoilt["start"] = {**to_json(opening), key: value}
        with pytest.raises(PositionError, match=f"^start.{key}: "):
            GameRecord.from_json(spoilt)


@pytest.mark.parametrize("junk", [b"no game\n", b"\n", b"1\n", b'{"id": \n'])
def test_a_file_without_records_is_read_to_a_limit(
    junk: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """34 million wrong lines took minutes in replay, report and verify."""
    monkeypatch.setattr(reading, "MOST_WITHOUT", 50)
    path, game = tmp_path / "games.jsonl", json.dumps(contract_games()[0]).encode() + b"\n"
    path.write_bytes((junk * 49 + game) * 3 + junk * 60 + game)
    *_, last = entries = list(reading.read_entries(path))
    assert sum(entry.record is not None for entry in entries) == 3
    assert (last.line, last.fault) == (
        201, "50 lines without a game record stand above; the rest is not read")
    done = pavilion("verify", path)
    assert done.exit_code == 1
    assert "the rest is not read" in done.stderr


def test_what_a_record_gives_out_is_not_its_inside() -> None:
    inner = {"event": "spring", "scores": [1, 2]}
    data = {**contract_games()[0], "match": inner, "engine": {"name": "x", "build": {"bits": 64}}}
    record = GameRecord.from_json(data)
    before = json.dumps(record.to_json())
    inner["event"] = "autumn"
    given: dict[str, Any] = record.to_json()
    given["match"]["scores"].append(3)
    given["engine"]["build"].clear()
    assert json.dumps(record.to_json()) == before
    deep: list[Any] = []
    for _ in range(sys.getrecursionlimit()):
        deep = [deep]
    with pytest.raises(RecordError, match="extra: found values nested too deeply"):
        GameRecord.from_json({**data, "match": deep})


def test_a_change_of_the_working_folder_changes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        for number in range(3):
            write_record(tmp_path / folder / "games.jsonl", replace(sample(), id=f"{number}"))
    other = (tmp_path / "other" / "games.jsonl").read_bytes()
    monkeypatch.chdir(tmp_path / "one")
    with Recorder("games.jsonl") as recorder:
        found = read_records("games.jsonl")
        monkeypatch.chdir(tmp_path / "other")
        Path("games.jsonl").write_bytes(b"")
        recorder.write(replace(sample(), id="next"))
        assert [record.id for record in recorder.read()] == ["0", "1", "2", "next"]
    assert [record.id for record in found] == ["0", "1", "2"]
    assert Path("games.jsonl").read_bytes() == b""
    assert (tmp_path / "one" / "games.jsonl").read_bytes().startswith(other)


def test_games_that_are_added_while_a_file_is_read_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for number in range(2):
        write_record(path, replace(sample(), id=str(number)))
    for record in read_records(path):
        write_record(path, replace(record, id=f"{record.id} again"))
    assert [found.id for found in read_records(path)] == ["0", "1", "0 again", "1 again"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_read_twice_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = "".join(json.dumps(replace(sample(), reason=reason).to_json()) + "\n"
                    for reason in ("unfinished", "finished"))
    writer = threading.Thread(target=pipe.write_text, args=(lines,))
    writer.start()
    assert [record.reason for record in read_records(pipe)] == ["finished"]
    writer.join()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("packed", [
    lambda content: content, gzip.compress, lambda content: gzip.compress(content)[:99],
    lambda content: b"PK\x03\x04", lambda content: content.decode().encode("utf-16")])
def test_no_file_is_left_open(tmp_path: Path, packed: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(packed(json.dumps(sample().to_json()).encode() + b"\n"))
    for count in (0, 1, None):  # all of the records, or fewer
        with suppress(RecordError):
            list(itertools.islice(read_records(path), count))
        list(itertools.islice(read_entries(path), count))
    gc.collect()


def test_a_recorder_that_is_closed_says_so(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with Recorder(path) as recorder:
        recorder.write(sample())
    for use in (recorder.read, lambda: recorder.write(sample())):
        with pytest.raises(RecordError, match=r"games\.jsonl: the recorder is closed"):
            use()
    recorder.close()


def test_two_recorders_of_a_file_that_is_not_there_yet(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with Recorder(path) as first, Recorder(path) as second:
        first.write(sample())
        with pytest.raises(RecordError, match="another program is recording a game there"):
            second.write(sample())
        first.close()
        with pytest.raises(RecordError, match="was made by another program meanwhile"):
            second.write(sample())
    assert len(list(read_records(path))) == 1
