"""`play`: prompts, undo, hints, saving and resuming; draws that depend on the seed alone."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from pavilion_ai import interrupts
from pavilion_ai.agents import Agent, _SearchAgent
from pavilion_ai.analysis import Analysis
from pavilion_ai.cli import table as cli_table
from pavilion_ai.cli.play import parse_seats
from pavilion_ai.cli.session import Session
from pavilion_ai.games import GAMES
from pavilion_ai.interrupts import held
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.record import FINISHED, GameRecord, Recorder, read_records
from pavilion_ai.version import __version__
from tests.cli.support import (
    DRAFTING,
    EXAMPLES,
    FOUR,
    PLACING,
    RECORD,
    assert_clean,
    cut_short,
    error_lines,
    pavilion,
    process,
)
from tests.match.support import python_engine, tidying
from tests.plays import replayed

ENGINES = ("--seats", "random,greedy")


def table(stdin: str, *arguments: object) -> str:
    """Play against a quick engine with scripted input; return what was printed."""
    result = pavilion("play", "--seats", "human,greedy", *arguments, stdin=stdin)
    assert_clean(result)
    return result.stdout


def records(path: Path) -> list[GameRecord]:
    found = list(read_records(path))
    for record in found:
        replayed(record)
    return found


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("human,default", ("human", "default")),
        ("human, greedy", ("human", "greedy")),
        ("ismcts:sims=9,threads=2,greedy", ("ismcts:sims=9,threads=2", "greedy")),
        ("greedy,ismcts:time=1,c=0.5,ismcts", ("greedy", "ismcts:time=1,c=0.5", "ismcts")),
        ("human", ("human",)),
        ("new=greedy,ismcts:c=1,old=cmd:a,b=c", ("new=greedy", "ismcts:c=1", "old=cmd:a,b=c")),
        ("human,ismcts:sims=20,net=policy", ("human", "ismcts:sims=20,net=policy")),
    ],
)
def test_a_list_of_seats(text: str, seats: tuple[str, ...]) -> None:
    assert parse_seats(text) == seats


def test_engines_play_to_the_end_and_the_record_replays(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    result = pavilion("play", *ENGINES, "--seed", 4, "--record", path)
    assert_clean(result)
    record, = records(path)
    assert (record.reason, record.seed) == ("finished", 4)
    assert [agent["spec"] for agent in record.agents] == ["random", "greedy"]
    assert record.start == GAMES["summer"].new(seed=4)
    for score, parts in zip(record.scores, record.breakdown, strict=True):
        assert score == sum(parts.values())
    assert any(move.startswith("deal:") for move in record.moves)
    lines = result.stdout.splitlines()
    assert lines[-1] in ("seat 0 wins", "seat 1 wins", "seat 0 and seat 1 share the victory")
    assert max(map(len, lines[1:])) <= 80


def test_the_same_seed_plays_the_same_game(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        assert_clean(pavilion("play", *ENGINES, "--seed", 4, "--record", tmp_path / name))
    first, second = (records(tmp_path / name)[0] for name in ("one.jsonl", "two.jsonl"))
    assert first.moves == second.moves


def test_a_finished_game_is_not_played_again_into_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert_clean(pavilion("play", *ENGINES, "--seed", 4, "--record", path))
    before = path.read_bytes()
    again = pavilion("play", *ENGINES, "--seed", 4, "--record", path)
    assert_clean(again)
    assert error_lines(again) == [
        f"note: {path}: nothing left to play, game play-4-1 with seed 4 and these seats is"
        " finished; another --seed, or none, plays another game"
    ]
    assert (again.stdout, path.read_bytes()) == ("", before)
    for other in (["--seed", 5], ["--seed", 4, "--seats", "greedy,random"], []):
        assert_clean(pavilion("play", *ENGINES, *other, "--record", path))
    assert len({record.id for record in records(path)}) == 4


def test_another_seed_plays_another_game_from_the_same_position(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    code = Play.of(RECORD, len(RECORD.moves) - 3).code()
    for seed in (1, 2, 1):
        assert_clean(pavilion("play", "--from", code, "--seats", "random,greedy", "--seed", seed,
                              "--record", path))
    assert [record.seed for record in records(path)] == [1, 2]


def test_ids_in_a_file_differ_though_a_line_was_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for seats in ("random,greedy", "greedy,random"):
        assert_clean(pavilion("play", "--seats", seats, "--seed", 4, "--record", path))
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[1])
    assert_clean(pavilion("play", *ENGINES, "--seed", 4, "--record", path))
    assert [record.id for record in records(path)] == ["play-4-2", "play-4-3"]


def test_a_record_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    table("1\n", "--seed", 6, "--record", path)
    before = path.read_bytes()
    with Recorder(path) as recorder:
        for _ in range(2):  # also after the file has been replaced
            refused = pavilion("play", *ENGINES, "--record", path)
            assert_clean(refused, 2)
            assert error_lines(refused) == [
                f"error: {path}: this or another program is recording a game there"
            ]
            recorder.write(records(path)[0])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_position_and_moves_do_not_both_come_from_standard_input() -> None:
    code = PLACING.read_text()
    refused = pavilion("play", "--from", "-", stdin=code)
    assert_clean(refused, 2)
    assert error_lines(refused)[0].startswith("error: --from -: standard input cannot give")
    assert_clean(pavilion("play", "--from", "-", *ENGINES, stdin=code))


@pytest.mark.parametrize("players", [3, 4])
def test_more_seats_and_the_grey_side(tmp_path: Path, players: int) -> None:
    path = tmp_path / "games.jsonl"
    seats = ",".join(["greedy"] * players)
    assert_clean(pavilion("play", "--seats", seats, "--board", "grey", "--record", path))
    record, = records(path)
    assert (record.start.players, record.start.board) == (players, "grey")


def test_a_person_plays_by_number_and_by_move() -> None:
    first = table("", "--seed", 1)
    assert "Type a move or its number" in first
    assert "you> " in first
    out = table("1\n", "--seed", 1)
    assert "you: " in out
    chosen = out.split("you: ")[1].split()[0]
    assert f"you: {chosen}" in table(f" {chosen.lower()} \n", "--seed", 1)


@pytest.mark.parametrize(("seats", "end"), [
    ("human,greedy", "greedy wins"), ("greedy,human", "you win")])
def test_the_end_says_who_has_won(seats: str, end: str) -> None:
    code = Play.of(RECORD, len(RECORD.moves) - 8).code()
    done = pavilion("play", "--from", code, "--seats", seats, "--seed", 1, stdin="1\n" * 9)
    assert_clean(done)
    assert done.stdout.splitlines()[-1] == end


def test_mistakes_are_answered_and_the_prompt_comes_back() -> None:
    out = table("hello\n0\n999\nD1:D\npass:-\nsave\nmoves zzz\n", "--seed", 1)
    assert out.count("you> ") == 8
    assert out.count("Not possible: ") == 5
    assert "Not possible: no move number 999; expected 1 to " in out
    assert "save needs the name of a file." in out
    assert "No legal move begins with 'zzz'." in out


def test_commands() -> None:
    out = table("help\nmoves c\nshow\ncode\nhint\nquit\n", "--seed", 1, "--sims", 100)
    assert "take back to your last decision" in out
    assert out.count("Round 1 of 6") == 2
    assert "summer.1.coloured.2/" in out
    assert "100 simulations in" in out
    assert out.count("+2 a feature worth") == 1  # the signs are explained once


def test_a_person_resigns_once_it_is_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    out = table("resign\nno\n1\nresign\nyes\n", "--seed", 1, "--record", path)
    assert out.count("Resign the game? yes or no> ") == 2
    assert "you: resigned" in out
    assert out.endswith("greedy wins\n")
    record, = records(path)
    assert (record.reason, record.winners) == ("seat 0 resigned", (1,))
    assert len(record.moves) == 2
    line, = error_lines(pavilion("play", "--record", path, "--resume"))
    assert "no unfinished game" in line


def test_words_after_a_command_are_not_swallowed() -> None:
    out = table("hint D1:G\nundo 3\nquit now\nquit\n", "--seed", 1)
    for found in ("hint takes nothing after it, found 'D1:G'", "undo takes nothing after it",
                  "quit takes nothing after it, found 'now'"):
        assert found in out


def test_undo_takes_back_to_the_last_decision_of_the_person() -> None:
    out = table("undo\n1\nundo\n1\nquit\n", "--seed", 1)
    assert "Nothing to take back." in out
    assert "Took back 2 moves." in out
    moves = [line for line in out.splitlines() if "you: " in line]
    assert len(moves) == 2
    assert moves[0] == moves[1]


class Watcher(Agent):
    """Plays the first move and notes the past that it was given."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.seen: list[tuple[str, ...]] = []

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        self.seen.append(play.moves)
        return play.legal_moves[0]


def test_engines_are_given_what_was_played_and_not_what_was_taken_back(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hint is given the game so far as well."""
    made: list[Watcher] = []

    def make(spec: str) -> Watcher:
        made.append(Watcher(spec))
        return made[-1]

    typed = iter(["1", "undo", "2", "3", "hint", "quit"])
    monkeypatch.setattr(cli_table, "make_agent", make)
    monkeypatch.setattr(cli_table, "typed", lambda _: next(typed))
    session = Session("g", ("human", "a", "b"), Play.new("azul", players=3, seed=7))
    cli_table.Table(session, None, None, None, 9).run()
    assert "Took back 3 moves" in capsys.readouterr().out
    first, second, hinting = made
    moves = session.play.moves
    assert len(moves) == 6
    for watcher in (first, second):
        before, *after = watcher.seen
        assert before not in [moves[:len(seen)] for seen in after]
        assert after
        assert all(seen == moves[:len(seen)] for seen in after)
    assert hinting.seen == [moves]


def test_a_line_that_does_not_end_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    typed = "1\n" + "a" * 10_001
    for letter in "éx😀":
        refused = pavilion("play", "--seats", "human,greedy", stdin=45_000 * letter)
        assert "a line of more than 10,000 characters" in error_lines(refused)[0]
    result = pavilion("play", "--seats", "human,greedy", "--record", path, stdin=typed)
    assert error_lines(result) == ["error: standard input: a line of more than 10,000 characters"]
    assert len(next(iter(read_records(path))).moves) >= 1
    result = pavilion("play", "--seats", "human,greedy", stdin="a" * 9_999 + "\n")
    assert result.exit_code == 0


def test_end_of_input_saves_and_the_same_command_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    whole, parts = tmp_path / "whole.jsonl", path
    table("1\n1\n1\n1\n", "--seed", 6, "--record", whole)
    result = pavilion(
        "play", "--seats", "human,greedy", "--seed", 6, "--record", parts, stdin="1\n1\n"
    )
    assert_clean(result)
    assert error_lines(result)[-1] == (
        f"note: the game is saved; `pavilion play --record {parts}` resumes it"
    )
    before, = records(parts)
    assert (before.reason, before.winners, before.breakdown) == ("unfinished", (), ())
    result = pavilion("play", "--record", parts, stdin="1\n1\n")
    assert_clean(result)
    assert error_lines(result)[0] == (
        f"note: resuming game {before.id}, {len(before.moves)} moves played"
    )
    assert len(parts.read_text().splitlines()) == 1
    after, = records(parts)
    assert after.id == before.id
    assert after.moves[: len(before.moves)] == before.moves
    assert after.moves == records(whole)[0].moves  # being interrupted changed nothing


def test_a_resumed_game_ends_as_one_line(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    table("1\n", "--seed", 6, "--record", path)
    result = pavilion("play", "--record", path, "--resume", "--seats", "greedy,greedy")
    assert_clean(result)
    record, = records(path)
    assert record.reason == "finished"
    assert [agent["spec"] for agent in record.agents] == ["greedy", "greedy"]
    again = pavilion("play", "--record", path, "--resume")
    assert_clean(again, 2)
    assert error_lines(again) == [f"error: {path}: no unfinished game at its end"]


def test_other_seats_do_not_take_over_a_game_by_accident(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    table("1\n", "--seed", 6, "--record", path)
    before = path.read_text()
    result = pavilion("play", "--record", path, "--seats", "greedy,greedy")
    assert_clean(result, 2)
    line, = error_lines(result)
    assert line.startswith("error: --seats greedy,greedy: the record holds an unfinished game with")
    assert line.endswith("or give --resume to resume with other seats")
    assert path.read_text() == before


@pytest.mark.parametrize(
    "options",
    [["--players", 3], ["--board", "grey"], ["--seed", 7], ["--seats", "greedy,greedy,greedy"],
     ["--from", PLACING]],
)
def test_options_that_contradict_the_unfinished_game(tmp_path: Path, options: list[object]) -> None:
    path = tmp_path / "game.jsonl"
    table("1\n", "--seed", 6, "--record", path)
    result = pavilion("play", "--record", path, *options)
    assert_clean(result, 2)
    message, = error_lines(result)
    if "--board" in options:
        assert "an unfinished game with board coloured; finish it" in message


def test_the_same_command_resumes_a_game_from_a_position(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    words = ("play", "--seats", "human,greedy", "--from", PLACING, "--record", path)
    for played in (0, 1):
        result = pavilion(*words, stdin="1\nquit\n")
        assert_clean(result)
        assert ("note: resuming game" in result.stderr) == bool(played)
    assert len([move for move in records(path)[0].moves if ":" in move]) > 2


def test_save_writes_a_record_from_which_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    out = table(f"1\nsave {path}\nquit\n", "--seed", 6)
    assert f"Saved; `pavilion play --record {path}` resumes from here." in out
    record, = records(path)
    assert record.reason == "unfinished"
    refused = table("save /no/such/place\nquit\n", "--seed", 6)
    assert "Not saved: /no/such/place: cannot be created there" in refused
    spaced = tmp_path / "my game.jsonl"
    assert f"play --record '{spaced}'` resumes" in table(f"save {spaced}\nquit\n", "--seed", 6)
    limited = table(f"save {spaced}\nquit\n", "--seed", 6, "--sims", 30)
    assert f"play --record '{spaced}' --sims 30` resumes" in limited


def test_save_buries_no_game_of_the_file(tmp_path: Path) -> None:
    """An id that is taken is another one; behind an unfinished game nothing is written."""
    path = tmp_path / "games.jsonl"
    assert_clean(pavilion("play", *ENGINES, "--seed", 6, "--record", path))
    out = table(f"1\nsave {path}\n1\nsave {path}\nquit\n", "--seed", 6)
    assert out.count("Saved; ") == 2
    assert [record.id for record in records(path)] == ["play-6-1", "play-6-2"]
    assert_clean(pavilion("play", "--record", path, stdin="quit\n"))
    before = path.read_bytes()
    out = table(f"save {path}\nquit\n", "--seed", 7)
    assert "Not saved: another unfinished game, 'play-6-2', stands at its end" in out
    assert path.read_bytes() == before


def test_a_file_that_was_replaced_meanwhile_leaves_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"

    def replace_file(session: Session) -> GameRecord:
        record = written(session)
        if path.exists():
            path.unlink()
            path.touch()
        return record

    written = Session.record
    monkeypatch.setattr(Session, "record", replace_file)
    result = pavilion("play", "--seats", "human,greedy", "--record", path, "--seed", 6,
                      stdin="1\nquit\n")
    assert_clean(result, 1)
    assert "was replaced by another file while it was in use" in error_lines(result)[-1]
    assert "note: resume with: pavilion play --from summer.1." in result.stderr


def test_save_leaves_alone_what_is_no_file_for_games_of_play(tmp_path: Path) -> None:
    match, pipe = tmp_path / "match.jsonl", tmp_path / "pipe"
    assert_clean(pavilion("match", "greedy", "random", "--pairs", 1, "--seed", 1, "--jobs", 1,
                          "--out", match))
    before = match.read_bytes()
    os.mkfifo(pipe)
    out = table(f"save {match}\nsave {pipe}\nquit\n", "--seed", 6)
    assert f"Not saved: {match}: holds the games of a match or tournament" in out
    assert f"Not saved: {pipe}: is not a regular file" in out
    assert match.read_bytes() == before


def test_a_torn_last_line_is_ignored_and_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert_clean(pavilion("play", *ENGINES, "--seed", 1, "--record", path))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:200])
    assert len(records(path)) == 1
    assert_clean(pavilion("play", *ENGINES, "--seed", 2, "--record", path))
    assert [record.seed for record in records(path)] == [1, 2]
    assert path.read_bytes().startswith(whole)


@pytest.mark.parametrize("record", [True, False])
def test_an_engine_that_fails_is_named_and_the_game_goes_on(tmp_path: Path, record: bool) -> None:
    path = tmp_path / "games.jsonl"
    left = pavilion("play", "--seats", "random,cmd:true", "--seed", 3, "--time", 0.5,
                    *(("--record", path) if record else ()))
    assert left.exit_code == 1
    saved, error = error_lines(left)[-2:]
    assert error == "error: seat 1 (cmd:true): exited with status 0"
    if record:
        command = f"pavilion play --record {path} --trust --time 0.5"
        assert f"the game is saved; `{command}` resumes it" in saved
        assert records(path)[0].reason == "unfinished"
    else:
        assert "note: resume with: pavilion play --from summer.1." in saved


def test_a_log_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("PAVILION_ENGINE_LOG", f"{tmp_path}/file")
    left = pavilion("play", "--seats", "cmd:cat,random", "--seed", 3)
    assert_clean(left, 1)
    assert (f"error: seat 0 (cmd:cat): {tmp_path}/file: File exists; PAVILION_ENGINE_LOG asks for"
            " logs there") in error_lines(left)


def test_a_record_has_the_version_that_a_program_reports(tmp_path: Path) -> None:
    path, engine = tmp_path / "games.jsonl", python_engine(EXAMPLES / "engine.py")
    assert_clean(pavilion("play", "--seats", f"random,{engine}", "--seed", 3, "--record", path))
    (record,) = records(path)
    assert [agent["version"] for agent in record.agents] == [__version__, "1"]
    half = cut_short(record, 10)
    for seats, version in (((), "1"), (("random", "human"), __version__)):
        assert Session.resume(half, seats).record().agents[1]["version"] == version


@pytest.mark.parametrize("typed", ["quit\n", "resign\nyes\n"])
def test_an_engine_has_a_moment_at_the_end(tmp_path: Path, typed: str) -> None:
    trace = tmp_path / "trace"
    assert_clean(pavilion("play", "--seats", f"{tidying(trace)},human", "--seed", 3, stdin=typed))
    assert trace.exists()


def test_a_record_starts_no_programs(tmp_path: Path) -> None:
    """They come from the command line, or `--trust` says so."""
    path, trace = tmp_path / "games.jsonl", tmp_path / "trace"
    engine = python_engine(EXAMPLES / "engine.py").removeprefix("cmd:")
    started = f"touch {shlex.quote(str(trace))}; exec {engine}"
    program = f"cmd:sh -c {shlex.quote(started)}"
    left = pavilion("play", "--seats", "human,greedy", "--seed", 3, "--record", path,
                    stdin="1\nquit\n")
    assert_clean(left)
    honest = path.read_text()
    for spec in (program, f" {program}", f"  cmd:touch {trace}", "cmd:"):
        record = json.loads(honest)
        record["agents"][1]["spec"] = spec
        path.write_text(json.dumps(record) + "\n")
        before = path.read_bytes()
        for options in ((), ("--resume",), ("--time", 0.1)):
            refused = pavilion("play", "--record", path, *options, stdin="1\nquit\n")
            assert_clean(refused, 2)
            error, = error_lines(refused)
            assert error.startswith(f"error: {path}: seat 1 is the program ")
            assert error.endswith("name it in --seats, or give --trust")
        assert not trace.exists()
        assert path.read_bytes() == before
    record["agents"][1]["spec"] = program
    path.write_text(json.dumps(record) + "\n")
    for number, options in enumerate((("--trust",), ("--seats", f"human,{program}"),
                                      ("--seats", f"human,{program}", "--resume"))):
        resumed = pavilion("play", "--record", path, *options, "--sims", 5, stdin="1\nquit\n")
        assert_clean(resumed)
        assert trace.exists()
        assert f"play --record {path} --trust --sims 5" in error_lines(resumed)[-1]
        assert len(records(path)[0].moves) > 2 * number
        trace.unlink()
    others = pavilion("play", "--record", path, "--seats", "human,greedy", "--resume",
                      stdin="quit\n")
    assert_clean(others)
    assert not trace.exists()
    assert_clean(pavilion("play", "--trust", "--seats", "human,greedy", stdin="quit\n"), 2)


def test_a_record_opens_no_files(tmp_path: Path) -> None:
    path, net = tmp_path / "games.jsonl", tmp_path / "net.bin"
    net.write_bytes(b"secret")
    left = pavilion("play", "--seats", "human,greedy", "--seed", 3, "--record", path,
                    stdin="1\nquit\n")
    assert_clean(left)
    record = json.loads(path.read_text())
    spec = record["agents"][1]["spec"] = f"policy:net={net}"
    path.write_text(json.dumps(record) + "\n")
    for options, told in (
            ((), "and a record opens no files; name it in --seats, or give --trust"),
            (("--trust",), "not a network file"),
            (("--seats", f"human,{spec}"), "not a network file")):
        refused = pavilion("play", "--record", path, *options, stdin="quit\n")
        assert_clean(refused, 2)
        assert told in error_lines(refused)[-1]


def test_from_starts_at_a_position() -> None:
    result = pavilion("play", "--from", FOUR, "--seats", "greedy,greedy,greedy,greedy")
    assert_clean(result)
    assert result.stdout.startswith("position summer.1.coloured.4/place.r5")
    out = pavilion("play", "--from", PLACING, stdin="quit\n")
    assert error_lines(out)[-1].startswith("note: resume with: pavilion play --from summer.1.")


def test_going_on_without_a_record_keeps_seats_and_limits() -> None:
    left = pavilion(
        *("play", "--seats", "human,ismcts:sims=9,threads=1", "--seed", 1, "--time", 0.5),
        stdin="quit\n",
    )
    assert_clean(left)
    assert error_lines(left)[-2] == (
        "note: tiles to come are drawn anew; --record FILE keeps the draws of seed 1")
    command = shlex.split(error_lines(left)[-1].split("resume with: ")[1])
    assert command[:3] == ["pavilion", "play", "--from"]
    assert command[4:] == ["--seats", "human,ismcts:sims=9,threads=1", "--time", "0.5"]
    again = pavilion(*command[1:], stdin="quit\n")
    assert_clean(again)
    assert error_lines(again)[-1] == error_lines(left)[-1]
    timed = pavilion("play", "--seats", "human,greedy", "--clock", "900+5", stdin="quit\n")
    assert error_lines(timed)[-1].endswith(" --seats human,greedy --clock 900+5")


def full_from(move: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full from this move on."""
    write = Recorder.write

    def full(recorder: Recorder, record: GameRecord, *, earlier: GameRecord) -> None:
        if len(record.moves) >= move:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), recorder.name)
        write(recorder, record, earlier)

    monkeypatch.setattr(Recorder, "write", full)


def test_a_full_disk_leaves_a_command_that_needs_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the file never held the game."""
    path = tmp_path / "games.jsonl"
    full_from(0, monkeypatch)
    left = pavilion("play", *ENGINES, "--seed", 1, "--record", path)
    assert_clean(left, 1)
    command, error = error_lines(left)[-2:]
    assert error == f"error: {path}: No space left on device"
    assert command.startswith("note: resume with: pavilion play --from summer.1.")
    assert command.endswith(" --seats random,greedy")


def test_a_full_disk_leaves_the_moves_that_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that resumes them comes to the same game; the end of it is printed first."""
    path, whole = tmp_path / "games.jsonl", tmp_path / "whole.jsonl"
    assert_clean(pavilion("play", *ENGINES, "--seed", 1, "--record", whole))
    (played,) = read_records(whole)
    for full in (4, len(played.moves)):
        with monkeypatch.context() as patched:
            full_from(full, patched)
            left = pavilion("play", *ENGINES, "--seed", 1, "--record", path)
        assert_clean(left, 1)
        assert ("points = " in left.stdout) == (full > 4)
        *_, said, error = error_lines(left)
        command = f"pavilion play --record {path}"
        assert said == (f"note: {path}: holds the game up to move {full - 1}; once it can be"
                        f" written again, `{command}` resumes there")
        assert error == f"error: {path}: No space left on device"
        assert not any("--from" in line for line in error_lines(left))
    assert_clean(pavilion(*shlex.split(command)[1:]))
    (again,) = read_records(path)
    assert (again.moves, again.reason) == (played.moves, FINISHED)


def test_a_file_that_another_game_has_taken_is_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    assert_clean(pavilion("play", *ENGINES, "--seed", 2, "--record", path))
    full_from(0, monkeypatch)
    left = pavilion("play", *ENGINES, "--seed", 1, "--record", path)
    assert_clean(left, 1)
    assert error_lines(left)[-2].startswith("note: resume with: pavilion play --from summer.1.")


def test_a_hint_gives_the_numbers_of_the_list() -> None:
    out = table("moves\nhint\n", "--seed", 1, "--sims", 50)
    _, listed, hinted = out.split("you> ")[:3]
    numbers = dict(reversed(found) for found in re.findall(r"^ *(\d+)  (\S+)", listed, re.M))
    rows = re.findall(r"^ *(\d+) ([DC]\S+)", hinted, re.M)
    assert len(rows) == 3
    assert [number for number, _ in rows] == [numbers[move] for _, move in rows]
    assert list(numbers.values()) == [str(number) for number in range(1, len(numbers) + 1)]


def test_ctrl_c_ends_a_hint_and_not_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every time: none of them is the second one, which ends a command at once."""
    analyse = _SearchAgent.analyse

    def broken_off(self: _SearchAgent, play: Play, limits: Limits, **options: int) -> Analysis:
        found = analyse(self, play, limits, **options)
        if limits.sims == 1:  # what the list of moves asks
            return found
        with held() as interrupt:
            signal.raise_signal(signal.SIGINT)
        return replace(found, interrupted=interrupt.is_set())

    monkeypatch.setattr(_SearchAgent, "analyse", broken_off)
    monkeypatch.setattr(interrupts, "SAME_SECONDS", 0)
    monkeypatch.setattr(interrupts, "end_at_once", lambda: pytest.fail("the game was ended"))
    out = table("hint\nhint\n1\nquit\n", "--seed", 1, "--sims", 50)
    assert out.count("simulations in") == 2
    assert "you: " in out.split("simulations in")[2]


def test_input_that_is_no_text() -> None:
    result = pavilion("play", "--seats", "human,greedy", stdin=b"\xff\xfe\n\x00\n")
    assert result.exit_code == 0
    assert "Traceback" not in result.stderr


def test_a_line_that_is_no_text_does_not_spoil_those_behind_it() -> None:
    code = process("play", "--from", DRAFTING, "--seats", "human,greedy", "--seed", 1,
                   stdin=b"show\n\xff\xfe\r\ncode\r\nquit\n",
                   PYTHONIOENCODING="utf-8:strict")
    assert b"That line is not UTF-8 text." in code.stdout
    assert b"you> code\nsummer.1." in code.stdout
    assert b"resume with: " in code.stderr


@pytest.mark.parametrize(("typed", "read"), [
    ("\ufeffmoves xÁ\n".encode(), "xÁ"),  # a byte of it is no character of cp1252
    ("moves xé\n".encode("cp1252"), "xé"),
])
def test_what_is_piped_is_utf8_or_as_the_system_encodes(typed: bytes, read: str) -> None:
    done = process("play", "--from", DRAFTING, "--seats", "human,greedy", "--seed", 1,
                   stdin=typed + b"quit\n", PYTHONIOENCODING="cp1252:strict")
    assert f"No legal move begins with '{read}'." in done.stdout.decode("cp1252")


def test_what_a_record_says_besides_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    assert_clean(pavilion("play", "--seats", "human,greedy,policy", "--record", path, "--seed", 1,
                          stdin="1\nquit\n"))
    told = json.loads(path.read_text())
    told["note"] = {"kept": [1, 2]}
    for agent in told["agents"]:
        agent["name"] = f"known as {agent['spec']}"
    path.write_text(json.dumps(told) + "\n")
    for seats in ((), ("--seats", "human,greedy,random", "--resume")):
        assert_clean(pavilion("play", "--record", path, *seats, stdin="1\nquit\n"))
        found = json.loads(path.read_text())
        assert len(found["moves"]) > len(told["moves"])
        assert found["note"] == {"kept": [1, 2]}
        assert [agent.get("name") for agent in found["agents"]] == [
            "known as human", "known as greedy", None if seats else "known as policy"]


def test_a_solo_game_goes_on_as_one(tmp_path: Path) -> None:
    """Its draws are others, and nothing is taken back."""
    path = tmp_path / "game.jsonl"
    assert_clean(pavilion("play", "--seats", "human,greedy", "--record", path, stdin="1\nquit\n"))
    content = json.dumps({**json.loads(path.read_text()), "solo": {"level": 1}}) + "\n"
    path.write_text(content)
    refused = pavilion("play", "--record", path, stdin="1\nquit\n")
    assert_clean(refused, 2)
    assert "holds an unfinished solo game" in refused.stderr
    assert path.read_text() == content


def test_limits_beside_a_clock_are_for_hints() -> None:
    told = "note: --time and --sims limit hints alone: the engines have clocks"
    for options, wanted in ((("--clock", 60, "--sims", 5), True), (("--clock", 60), False),
                            (("--sims", 5), False)):
        left = pavilion("play", "--seats", "human,greedy", *options, stdin="quit\n")
        assert_clean(left)
        assert (told in error_lines(left)) == wanted
        assert (", and clocks start anew; " in left.stderr) == ("--clock" in options)


def test_limits_of_a_spec_go_before_those_of_the_command(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(session: Session, agent: Agent, limits: Limits | None) -> str:
        given[agent.spec] = limits
        return session.play.push(session.play.legal_moves[0])

    given: dict[str, Limits | None] = {}
    monkeypatch.setattr(Session, "choose", choose)
    seats = "ismcts:sims=7,human,ismcts,default:level=2"
    pavilion("play", "--seats", seats, "--time", 0.5, "--seed", 6, stdin="1\n1\n1\nquit\n")
    assert given == {"ismcts:sims=7": None, "default:level=2": None, "ismcts": Limits(seconds=0.5)}


def test_a_record_has_the_keys_of_the_contract(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert_clean(pavilion("play", *ENGINES, "--record", path))
    assert list(json.loads(path.read_text())) == [
        *("id", "game", "board", "seed", "agents", "start", "moves", "scores", "winners"),
        *("breakdown", "seconds", "reason", "engine"),
    ]


def test_a_level_seats_engines_of_that_level(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    arguments = ("play", "--level", 2, "--players", 3, "--record", path)
    assert_clean(pavilion(*arguments, "--seed", 6, stdin="1\nquit\n"))
    record, = records(path)
    assert [agent["spec"] for agent in record.agents] == ["human", *["default:level=2"] * 2]
    assert_clean(pavilion(*arguments, stdin="1\nquit\n"))
    assert len(records(path)[0].moves) > len(record.moves)
    refused = pavilion("play", "--level", 5, "--record", path, stdin="")
    assert_clean(refused, 2)
    assert "holds an unfinished game with seats human,default:level=2" in error_lines(refused)[0]


def test_another_level_leaves_the_person_in_the_seat(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    begun = ("play", "--seats", "default:level=2,human", "--record", path)
    assert_clean(pavilion(*begun, "--seed", 6, stdin="1\nquit\n"))
    assert_clean(pavilion("play", "--record", path, "--resume", "--level", 3, stdin="1\nquit\n"))
    record, = records(path)
    assert [agent["spec"] for agent in record.agents] == ["default:level=3", "human"]


@pytest.mark.parametrize(("options", "complaint"), [
    (["--level", 11], "'11' is not a whole number from 1 to 10"),
    (["--level", "easy"], "'easy' is not a whole number from 1 to 10"),
    (["--level", 3, "--seats", "human,greedy"], "in --seats write default:level=3"),
    (["--seats", "human,default:level=3,time=1"], "expected none beside level=3"),
])
def test_levels_that_are_refused(options: list[object], complaint: str) -> None:
    result = pavilion("play", *options, stdin="quit\n")
    assert_clean(result, 2)
    line, = error_lines(result)
    assert complaint in line
