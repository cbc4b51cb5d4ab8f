"""Games that start from positions of a file, and the command that makes such files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from pavilion_ai import Match, Play, read_records
from pavilion_ai.agents import Agent
from pavilion_ai.analysis import Analysis
from pavilion_ai.bounds import MAX_LINE_BYTES
from pavilion_ai.errors import SpecError
from pavilion_ai.limits import Limits
from pavilion_ai.match.balanced import Wanted, make_opening
from pavilion_ai.match.checking import check
from pavilion_ai.match.openings import OpeningsError, numbered, read_openings
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.verify import verify
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord, Recorder
from pavilion_ai.version import __version__
from tests.cli.support import (
    AZUL_DRAFT,
    BONUS,
    DRAFTING,
    GREY,
    PLACING,
    assert_clean,
    command,
    contract_games,
    environment,
    error_lines,
    fill_disk,
    made_up_analysis,
    pavilion,
)

POSITIONS = [parse_position(path.read_text()).position for path in (PLACING, DRAFTING, BONUS)]

LAST_ROUND = (
    "azul.1.coloured.2/draft.r5.m1.s0.t1/BYRW.-.-.-.-/cB2RW.l11B9Y6R11K10W/p33.lB:2Y:2W:-:R.fBY."
    "1YRKW.WB1RK.K2YR.3BY.2K2/p30.lY:-:3K:-:4R.fYx.B1RKW.W1YRK.1WBYR.2WB1.5/8f9d")


def read(text: str, ply: int | None = None) -> list[Position]:
    return read_openings(BytesIO(f"{text}\n".encode()), "file", ply)


def codes(*forms: str) -> str:
    return "\n".join(format_position(position, form)
                     for position, form in zip(POSITIONS, forms, strict=True))


# ---------------------------------------------------------------------------------------- reading

def test_positions_in_any_form() -> None:
    text = (f"# made by hand\n\n{format_position(POSITIONS[0], 'code')}  # the first\n"
            f"{format_position(POSITIONS[1], 'json')}\n\n")
    assert read(text) == POSITIONS[:2]
    assert read("\n".join(format_position(one, "text") for one in POSITIONS)) == POSITIONS
    assert read(format_position(POSITIONS[0], "text").replace("game:", " Game :")) == POSITIONS[:1]
    assert read(BONUS.read_text()) == [POSITIONS[2]]


def test_records_after_some_moves() -> None:
    games = [game for game in contract_games("summer") if len(game["agents"]) == 2
             and game["board"] == "coloured"][:3]
    assert len(games) > 1
    text = "\n".join(json.dumps(game) for game in games)
    found = read(text, 10)
    for game, position in zip(games, found, strict=True):
        assert position == Play(game["start"], game["moves"][:10]).position


@pytest.mark.parametrize("tail", [b'{"id": "cut', b"\0" * 40, b'{"id": "x"\0\0'])
def test_a_torn_last_record_does_not_count(tail: bytes) -> None:
    game = json.dumps(contract_games("summer")[0]).encode() + b"\n"
    assert len(read_openings(BytesIO(game + tail), "file", 10)) == 1
    with pytest.raises(OpeningsError, match=r"line 2: .*game record"):
        read_openings(BytesIO(game + tail + b"\n" + game), "file", 10)


def test_records_are_read_as_all_commands_read_them() -> None:
    whole, other = map(GameRecord.from_json, contract_games("summer")[:2])
    begun = Play.of(whole, 5).record(whole.agents, id=whole.id)
    lines = [json.dumps(one.to_json()) for one in (begun, other, whole, whole)]
    expected = [Play.of(one, 10).position for one in (other, whole)]
    for between in ("\n", " ", ""):
        assert read(between.join(lines), 10) == expected
    with pytest.raises(OpeningsError, match=r"line 1: record .*, ply 10: expected 0 to 5"):
        read("\n".join(lines[:2]), 10)


@pytest.mark.parametrize(("text", "ply", "said"), [
    ('{"game": ', 3, "line 1: not a game record (it does not end on this line); --ply needs game"),
    ("", None, "file: no positions, expected one on each line"),
    ("# nothing\n\n", None, "file: no positions"),
    ("nonsense", None, "file, line 1: position: found 'nonsense', expected a position"),
    ("\n\nsummer.1.x", None, "file, line 3: code: found 'summer.1.x' at the beginning"),
    ('{"game": "chess"}', None, "file, line 1: "),
    ('{"game": ', None, "file, line 1, column 9: "),
    (codes("code", "json", "code") + "\nnonsense", None, "file, line 4: position: found "),
    (PLACING.read_text(), 3, "line 1: not a game record (a position, which `pavilion suggest`"
                             " takes); --ply needs"),
    ("board: grey\ngame: summer", None, "line 1: is a line of the text form, expected a line 'ga"),
    ("display 1: PGOY", None, "line 1: is a line of the text form, expected a line 'game: ...'"),
    (json.dumps(contract_games("summer")[0]), None, "line 1: is a game record, expected --ply N"),
    (json.dumps(contract_games("summer")[0]), 9999, "ply 9999: expected 0 to "),
])
def test_what_cannot_be_read_is_named_with_its_line(
    text: str, ply: int | None, said: str
) -> None:
    with pytest.raises(OpeningsError) as caught:
        read(text, ply)
    assert any(said in problem for problem in caught.value.problems), caught.value.problems


def test_every_bad_line_is_named() -> None:
    with pytest.raises(OpeningsError) as caught:
        read(f"one\n{format_position(POSITIONS[0], 'code')}\nthree")
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "file, line 1", "file, line 3"]
    with pytest.raises(OpeningsError) as caught:
        read_openings(BytesIO(b"ab\xff\n"), "file")
    assert "line 1: byte 2 is not UTF-8 text" in str(caught.value)
    with pytest.raises(OpeningsError) as caught:
        read_openings(BytesIO(b"no position\n" * 30), "file")
    assert len(caught.value.problems) == 20  # then it is something else


def test_a_fault_is_told_with_its_own_line() -> None:
    lines = format_position(POSITIONS[0], "text").split("\n")
    number = next(index for index, line in enumerate(lines) if line.startswith("seat 0"))
    lines[number] = "seat 0: x"
    for text, place in (("\n".join(lines), f"file, line {number + 1}, column "),
                        ("\n".join(["", *lines]), f"file, line {number + 2}, column "),
                        ('\n{"game": }', "file, line 2, column 10: "),
                        ("\nsummer.1.x", "file, line 2: code: ")):
        with pytest.raises(OpeningsError) as caught:
            read(text)
        assert caught.value.problems[0].startswith(place)


def test_positions_that_do_not_fit_together_or_are_over() -> None:
    azul = parse_position(AZUL_DRAFT.read_text()).position
    grey = parse_position(GREY.read_text()).position
    over = contract_games("summer")[0]
    first = format_position(POSITIONS[0], "code")
    for other, said in ((azul, "game: found 'azul', expected 'summer', that of the first"),
                        (grey, "board: found 'grey', expected 'coloured'")):
        with pytest.raises(OpeningsError, match=f"line 2: {said}"):
            read(f"{first}\n{format_position(other, 'code')}")
    with pytest.raises(OpeningsError, match="line 1: the game is over"):
        read(json.dumps(over), len(over["moves"]))


def test_the_order() -> None:
    many = [POSITIONS[0]] * 30
    assert [number for number, _ in numbered(many, "sequential", 5)] == list(range(1, 31))
    shuffled = [number for number, _ in numbered(many, "random", 5)]
    assert shuffled != list(range(1, 31))
    assert sorted(shuffled) == list(range(1, 31))
    assert shuffled == [number for number, _ in numbered(many, "random", 5)]
    assert shuffled != [number for number, _ in numbered(many, "random", 6)]


# ---------------------------------------------------------------------------------------- playing

def test_every_position_is_played_from_every_seat_and_then_again() -> None:
    match = Match(["greedy", "policy"], pairs=4, seed=3, openings=POSITIONS)
    match.run()
    games = match.records
    assert [game.start for game in games[::2]] == [*POSITIONS, POSITIONS[0]]
    assert [game.start for game in games[1::2]] == [game.start for game in games[::2]]
    assert [game.extra[MATCH_KEY]["opening"] for game in games] == [1, 1, 2, 2, 3, 3, 1, 1]
    assert [game.extra[MATCH_KEY]["entrants"] for game in games[:2]] == [[0, 1], [1, 0]]
    assert games[0].seed == games[1].seed != games[6].seed  # the same draws in a pair alone
    assert [check(game).faults for game in games] == [()] * 8


def test_a_pair_from_a_position_shares_its_draws() -> None:
    start = Play.new(seed=8).position
    match = Match(["policy", "policy"], pairs=2, seed=3, openings=[start])
    match.run()
    first, second, *_ = match.records
    assert first.moves == second.moves
    assert first.moves != match.records[2].moves  # played once more, with other draws


def test_who_is_to_move_begins() -> None:
    """That seat, not the one that began the round in which the position lies."""
    match = Match(["greedy", "policy"], pairs=3, seed=3, openings=POSITIONS)
    match.run()
    assert [(start.start_seat, start.to_move) for start in POSITIONS] == [(1, 0), (0, 0), (1, 1)]
    assert [result.starter for result in match.results[::2]] == [0, 0, 1]


def test_pairs_that_repeat_an_earlier_one_are_told(tmp_path: Path) -> None:
    """Nothing is drawn any more in the last round of this game."""
    file, out = tmp_path / "position.txt", tmp_path / "games.jsonl"
    file.write_text(LAST_ROUND)
    words = ("match", "policy", "greedy", "--from", file, "--seed", 1, "--jobs", 1)
    first = pavilion(*words, "--pairs", 3, "--out", out)
    told = "2 of 3 pairs repeat an earlier one move for move and tell"
    assert re.search(f"^repeated +{told}", first.stdout, re.MULTILINE)
    assert "repeat" not in first.stderr
    again = pavilion("report", out, "--json")
    assert again.stderr.count(f"note: {told}") == 1
    assert json.loads(again.stdout)["repeated"] == 2
    assert "repeat" not in pavilion(*words).output


def test_positions_from_python_may_be_refused() -> None:
    with pytest.raises(SpecError, match="opening 1: has 2 players, expected 3"):
        Match(["greedy"] * 3, openings=POSITIONS)
    with pytest.raises(SpecError, match="opening 2: position: found 'x'"):
        Match(["greedy"] * 2, openings=[POSITIONS[0], "x"])


def test_verify_notices_other_positions_of_one_number(tmp_path: Path) -> None:
    match = Match(["greedy", "random"], pairs=1, seed=3, openings=POSITIONS[:1])
    match.run()
    first, second = match.records
    path = tmp_path / "games.jsonl"
    other = Match(["greedy", "random"], pairs=2, seed=3, openings=POSITIONS[1:])
    other.run()
    third = other.records[2]  # of pair 2, from another position that has number 2 ...
    third = replace(third, extra={MATCH_KEY: {**third.extra[MATCH_KEY], "opening": 1}})
    with Recorder(path) as recorder:
        for record in (first, second, third):
            recorder.write(record)
    problems = verify(path).problems
    assert any("opening 1 is another position than in line 1" in problem for problem in problems)


def test_the_command_plays_resumes_and_refuses(tmp_path: Path) -> None:
    file, out = tmp_path / "positions.txt", tmp_path / "games.jsonl"
    file.write_text(codes("code", "json", "code"))
    words = ("match", "greedy", "policy", "--from", file, "--seed", 6, "--jobs", 1)
    whole = pavilion(*words, "--json", "--out", tmp_path / "whole.jsonl")
    assert whole.exit_code == 0, whole.output
    told = json.loads(whole.stdout)
    assert (told["games"], told["event"]["rounds"], told["event"]["openings"]) == (6, 3, 3)
    assert pavilion(*words, "--pairs", 1, "--out", out).exit_code == 0
    again = pavilion(*words, "--out", out)
    assert "resuming after 2 games" in again.stderr
    assert "3 start positions" in again.stdout
    everything = {record.id: record.moves for record in read_records(out)}
    assert everything == {
        record.id: record.moves for record in read_records(tmp_path / "whole.jsonl")}
    assert verify(out).problems == ()
    assert "3 start positions" in pavilion("report", out).stdout
    assert pavilion("replay", out, "--game", "2-1", "--ply", 0, "--format", "code").stdout == (
        format_position(POSITIONS[1], "code") + "\n")
    file.write_text(codes("code", "json", "code").replace("code", "code"))
    for change, said in (
        (("--order", "random"), "of another event: opening"),
        (("--from", DRAFTING), "it does not start from position 1 of --from"),
    ):
        refused = pavilion(*words, *change, "--out", out)
        assert (refused.exit_code, said in refused.output) == (2, True), refused.output
    plain = pavilion("match", "greedy", "policy", "--seed", 6, "--out", out)
    assert "of another event: opening 1, expected null" in plain.output


def test_values_that_positions_leave_out_are_told(tmp_path: Path) -> None:
    """A few of each kind, with their lines."""
    file = tmp_path / "positions.txt"
    short = "game: summer\ndisplays: PGGO 2Y2B POYR 4R GGBB\nsupply: 2P2G2O2YBR\n"
    file.write_text(codes("code", "json", "code") + 7 * "\n" + 6 * short + "nonsense")
    words = ("match", "greedy", "random", "--from", file, "--pairs", 1, "--jobs", 1)
    assert "note: " not in pavilion(*words).stderr
    file.write_text(file.read_text().removesuffix("nonsense"))
    done = pavilion(*words)
    assert done.exit_code == 0, done.output
    notes = [line for line in done.stderr.splitlines() if line.startswith("note: ")]
    assert [line.partition(": players: not given, taken as 2; ")[0] for line in notes] == [
        f"note: {file}, line {number}" for number in range(10, 25, 3)]
    assert "; board: not given, taken as coloured; " in notes[0]
    assert notes[-1].endswith("; and 1 more like it")


@pytest.mark.parametrize(("words", "said"), [
    (("--from", "no-such-file"), "no-such-file: No such file or directory"),
    (("--from", "."), "is a directory, expected a file with positions"),
    (("--from", PLACING, "--game", "summer"), "--from gives game, board and players; leave out"),
    (("--from", GREY), "positions for 3 players, expected 2, a seat for each SPEC"),
    (("--from", PLACING, "--ply", 3), "line 1: not a game record (a position, which `pavilion"
                                      " suggest` takes); --ply"),
    (("--ply", 3), "--ply needs --from FILE"),
    (("--order", "random"), "--order needs --from FILE"),
])
def test_bad_requests(words: tuple[object, ...], said: str) -> None:
    done = pavilion("match", "greedy", "random", *words)
    assert done.exit_code == 2
    assert said in done.output


def test_a_tournament_from_positions(tmp_path: Path) -> None:
    file, out = tmp_path / "positions.txt", tmp_path / "games.jsonl"
    file.write_text(codes("code", "code", "code"))
    done = pavilion("tournament", "greedy", "random", "policy:net=0", "--from", file, "--rounds", 2,
                    "--seed", 1, "--jobs", 1, "--out", out)
    assert done.exit_code == 0, done.output
    starts = {record.extra[MATCH_KEY]["pair"]: record.start for record in read_records(out)}
    assert {pair: POSITIONS.index(start) for pair, start in starts.items()} == {
        "1.1": 0, "1.2": 0, "1.3": 0, "2.1": 1, "2.2": 1, "2.3": 1}
    assert verify(out).problems == ()


# ---------------------------------------------------------------------------------------- making

def test_openings_are_balanced_and_follow_from_the_seed(tmp_path: Path) -> None:
    words = ("openings", "--count", 3, "--round", 2, "--band", 20, "--sims", 40, "--seed", 7)
    done = pavilion(*words, "--jobs", 1)
    assert done.exit_code == 0, done.output
    header, *lines = done.stdout.splitlines()
    assert header.startswith("# pavilion openings --game summer --board coloured --players 2")
    assert pavilion(*words, "--jobs", 2).stdout == done.stdout
    positions = read(done.stdout)
    assert [(one.round, one.phase, one.players) for one in positions] == [(2, "draft", 2)] * 3
    assert len(set(map(repr, positions))) == 3
    for line in lines:
        first = float(line.split("# win ")[1].split(",")[0])
        assert 30 <= first <= 70
    out = tmp_path / "openings.txt"
    assert pavilion(*words, "--out", out, "--count", 1, "--jobs", 1).exit_code == 0
    with open(out, "a", encoding="ascii") as file:
        file.write("summer.1.cut sho")  # a line that was being written when the machine stopped
    resumed = pavilion("openings", "--count", 3, "--round", 2, "--band", 20, "--sims", 40, "--out",
                       out, "--jobs", 1)
    assert "resuming after 1 position" in resumed.stderr
    assert out.read_text() == done.stdout
    assert header.endswith(f" --seed 7  # version {__version__}")
    for version, told in (("  # version 0.0.1", "0.0.1"), ("", "0.6.0 or earlier")):
        out.write_text(done.stdout.replace(f"  # version {__version__}", version))
        later = pavilion(*words, "--out", out)
        assert (later.exit_code, read(out.read_text())) == (0, positions)
        assert f"begun by version '{told}', this is {__version__}" in later.stderr
    other = pavilion(*words, "--seed", 8, "--out", out)
    assert (other.exit_code, "holds other positions" in other.output) == (2, True)
    mine = tmp_path / "mine.txt"
    mine.write_text(PLACING.read_text())
    assert "holds something else" in pavilion(*words, "--out", mine).output
    assert mine.read_text() == PLACING.read_text()


def test_a_last_line_without_a_line_feed_stays_until_it_is_made_again(tmp_path: Path) -> None:
    out = tmp_path / "openings"
    words = ("openings", "--band", 100, "--sims", 1, "--seed", 7, "--jobs", 1, "--out", out)
    assert pavilion(*words, "--count", 2).exit_code == 0
    whole = out.read_bytes()
    out.write_bytes(whole.rstrip())
    for count, seed, code in ((2, 8, 2), (1, 7, 0)):
        assert pavilion(*words, "--count", count, "--seed", seed).exit_code == code
        assert out.read_bytes() == whole.rstrip()
    assert pavilion(*words, "--count", 2).exit_code == 0
    assert out.read_bytes() == whole


def test_on_a_terminal_positions_stand_on_lines_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pavilion_ai.render.text.is_terminal", lambda stream: stream is sys.stderr)
    monkeypatch.setattr("pavilion_ai.cli.progress.TERMINAL_SECONDS", 0)
    done = pavilion("openings", "--count", 3, "--band", 100, "--sims", 1, "--seed", 7)
    assert "\rpositions 1 of 3\r" in done.output
    left = [line.rpartition("\r")[2] for line in done.output.split("\n")]
    assert left == done.stdout.split("\n")


def test_a_full_disk_keeps_the_positions_that_were_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "openings"
    words = ("openings", "--count", 3, "--band", 100, "--sims", 1, "--seed", 7, "--out", out)
    fill_disk(monkeypatch, 2)  # the first line, and a position
    ended = pavilion(*words)
    assert_clean(ended, 1)
    told, error = error_lines(ended)
    assert told.startswith("note: resume with: pavilion openings --count 3 --game summer ")
    assert told.endswith(f" --seed 7 --out {out}")
    assert error == f"error: {out}: No space left on device"
    assert len(read(out.read_text())) == 1


@pytest.mark.parametrize("cut", [0, 1, 12, 30, -3])
def test_a_first_line_that_was_cut_short_is_written_again(tmp_path: Path, cut: int) -> None:
    out = tmp_path / "openings"
    words = ("openings", "--count", 1, "--band", 98.7654321, "--sims", 4, "--seed", 7, "--jobs", 1,
             "--out", out)
    assert pavilion(*words).exit_code == 0
    whole = out.read_bytes()
    header, _, _ = whole.partition(b"\n")
    assert b" --band 98.7654321 " in header
    out.write_bytes(header[:cut])
    assert pavilion(*words).exit_code == 0
    assert out.read_bytes() == whole


@pytest.mark.parametrize(("chances", "sims", "found", "win"), [
    ([0.66, 0.64, 0.56, 0.36, 0.46], [10, 10, 80, 10, 80], True, 0.46),
    ([0.9, 0.7, 0.2], [10] * 3, False, 0.7),
])
def test_a_short_look_drops_what_is_far_off_and_the_closest_is_told(
    chances: list[float], sims: list[int], found: bool, win: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search of an eighth may be off by three times the band."""
    seen, wins = [], iter(chances)

    class Judge(Agent):
        def analyse(self, play: Play, limits: Limits, **options: int) -> Analysis:
            seen.append(limits.sims)
            share, analysis = next(wins), made_up_analysis()
            return replace(
                analysis, root=replace(analysis.root, win_prob=(share, 1 - share)))

    monkeypatch.setattr("pavilion_ai.match.balanced.make_agent", Judge)
    made = make_opening(Wanted("summer", "coloured", 2, 1, 0.05, 80, 3, 1), 4)
    assert (seen, made.found, made.wins) == (sims, found, (win, 1 - win))
    assert (made.number, made.tries) == (4, 3)


def test_a_file_of_positions_that_is_too_long_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("openings", "--count", 1, "--round", 2, "--band", 100, "--sims", 4, "--jobs", 1,
             "--out", tmp_path / "openings")
    assert pavilion(*words).exit_code == 0
    before = (tmp_path / "openings").read_bytes()
    monkeypatch.setattr("pavilion_ai.cli.openings.MAX_FILE_BYTES", len(before) - 10)
    done = pavilion(*words, "--count", 2)
    assert (done.exit_code, "openings: more than" in done.stderr) == (2, True)
    assert (tmp_path / "openings").read_bytes() == before


def test_a_band_that_is_too_narrow() -> None:
    done = pavilion("openings", "--band", 0.0001, "--tries", 2, "--sims", 8, "--seed", 1,
                    "--jobs", 1)
    assert done.exit_code == 1
    assert "position 1: none within 0.0001 % of a fair share in 2 tries, the closest was win " in (
        done.stderr)


def test_a_round_that_no_game_has() -> None:
    done = pavilion("openings", "--round", 7)
    assert (done.exit_code, "expected 1 to 6" in done.output) == (2, True)


@pytest.mark.parametrize("variant", [("azul", "grey", 4, 3), ("summer", "grey", 3, 1)])
def test_a_position_of_other_variants(variant: tuple[str, str, int, int]) -> None:
    game, board, players, number = variant
    wanted = Wanted(game, board, players, number, 0.5, 10, 50, 3)
    found = make_opening(wanted, 1)
    assert found.found
    position = parse_position(found.code).position
    assert (position.game, position.board, position.players, position.round, position.phase) == (
        game, board, players, number, "draft")
    assert found.off <= 0.5
    assert found == make_opening(wanted, 1)
    assert found.code != make_opening(wanted, 2).code


def test_lines_that_are_no_positions_are_named(tmp_path: Path) -> None:
    words = ("openings", "--count", 2, "--sims", 1, "--band", 100, "--seed", 1, "--jobs", 1,
             "--out", tmp_path / "x.txt")
    assert pavilion(*words[:2], 1, *words[3:]).exit_code == 0
    with open(tmp_path / "x.txt", "a") as file:
        file.write("garbage\n")
    before = (tmp_path / "x.txt").read_bytes()
    done = pavilion(*words)
    assert done.exit_code == 2
    assert f"{tmp_path / 'x.txt'}, line 3: " in done.stderr
    assert (tmp_path / "x.txt").read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_from_a_terminal_is_said_and_ends_with_one_key() -> None:
    terminal, inside = os.openpty()
    words = command("match", "greedy", "random", "--pairs", 1, "--from", "-")
    with subprocess.Popen(words, stdin=inside, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment()) as running:
        os.close(inside)
        assert running.stderr is not None
        assert running.stderr.readline().startswith(b"note: reading positions from the terminal")
        os.write(terminal, b"\x04")
        assert b"no positions, expected one on each line" in running.stderr.read()
        assert running.wait(30) == 2
    os.close(terminal)


def test_what_is_read_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An endless file, or one long line, ends in a refusal instead of all memory."""
    for content, complaint in [
        (b"\0" * (MAX_LINE_BYTES + 2), f"file, line 1: longer than {MAX_LINE_BYTES} bytes"),
        (b"game: summer\n" + b"x: 1\n" * 50_000, "file, line 1: a text of more than 200000"),
    ]:
        path = tmp_path / "openings"
        path.write_bytes(content)
        with open(path, "rb") as file, pytest.raises(OpeningsError, match=complaint):
            read_openings(file, "file")
    zero = Path("/dev/zero")
    if zero.exists():
        for ply in (None, 3):
            with zero.open("rb") as file, pytest.raises(OpeningsError, match="longer than"):
                read_openings(file, "file", ply)
    with pytest.raises(OpeningsError) as told:
        read_openings(BytesIO(b"y\n" * 1000), "file", 3)
    assert len(told.value.problems) == 20
    assert told.value.problems[0].endswith("; --ply needs game records")
    monkeypatch.setattr("pavilion_ai.match.openings.MAX_OPENINGS", 3)
    game = Play.new("azul", board="grey", seed=1)
    for line, ply in ((game.code(), None), (json.dumps(game.record().to_json()), 0)):
        lines = [line.replace('"id":', f'"id":"{number}","was":') for number in range(5)]
        assert len(read("\n".join(lines[:3]), ply)) == 3
        with pytest.raises(OpeningsError, match="line 4: more than 3 positions"):
            read("\n".join(lines), ply)
