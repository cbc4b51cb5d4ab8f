"""`play --solo`: the same luck for the same seed, par, records that can be checked."""

from __future__ import annotations

import datetime
import json
import os
import re
import textwrap
import time
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from pavilion_ai import solo
from pavilion_ai.cli.solo import _tell, verify_solo
from pavilion_ai.cli.web import _folders
from pavilion_ai.errors import RecordError
from pavilion_ai.luck import draw_tied
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord, read_records, write_record
from pavilion_ai.solo import (
    Challenge,
    Drafter,
    SoloGames,
    draw,
    faults,
    finished,
    par,
    points_of,
    read_tables,
    seed_of_day,
    table_of,
)
from pavilion_ai.solo import challenge as solo_challenge
from pavilion_ai.solo.challenge import replayed
from pavilion_ai.solo.kept import Standing
from pavilion_ai.version import __version__
from tests.cli.support import (
    PLACING,
    assert_clean,
    cut_short,
    error_lines,
    pavilion,
    position_of,
)
from tests.solo import AZUL, SIMS, SUMMER, record_of

GAME = ("play", "--solo", "--game", "azul", "--level", 1, "--seed", 3)


@pytest.fixture
def folder(solo_data: Path) -> Path:
    """The folder of solo games."""
    return solo_data / "pavilion-ai" / "solo"


def played(folder: Path) -> GameRecord:
    (path,) = folder.glob("*.jsonl")
    (record,) = read_records(path)
    return record


def test_a_game_is_compared_with_par_and_kept(folder: Path) -> None:
    result = pavilion(*GAME, stdin="1\n" * 80)
    assert_clean(result)
    assert "unofficial" in error_lines(result)[0]
    record = played(folder)
    assert record.reason == "finished"
    assert record.extra["solo"] == {"level": 1}
    level = par(AZUL, SIMS)
    assert level is not None
    told = re.search(r"^you: (\d+) points, ([-+]?[\d.]+) to par; (\w+)", result.stdout, re.M)
    assert told is not None
    assert int(told[1]) == record.scores[0]
    assert float(told[2]) == pytest.approx(record.scores[0] - level.points, abs=0.051)
    assert f"par: {points_of(level)}" in result.stdout
    assert result.stdout.endswith(table_of(record, level))
    again = pavilion(*GAME, stdin="1\n")
    assert_clean(again)
    assert "has been played" in again.stderr
    assert told[0] in again.stdout
    assert played(folder) == record


def test_par_that_cannot_be_kept_is_told_all_the_same(folder: Path) -> None:
    """It was thrown away, and the table with it."""
    folder.mkdir(parents=True)
    file = SoloGames(folder).file(AZUL).with_suffix(".par.json")
    file.mkdir()
    result = pavilion(*GAME, stdin="1\n" * 80)
    assert_clean(result)
    assert error_lines(result)[-1].startswith(f"note: par is not kept: {file}: ")
    level = par(AZUL, SIMS)
    assert level is not None
    assert result.stdout.endswith(table_of(played(folder), level))


@pytest.mark.parametrize("cut", [0, 9])
def test_a_file_under_the_name_of_another_game_is_refused(folder: Path, cut: int) -> None:
    """It was that game's result, or was played on with other draws."""
    record = record_of(AZUL)
    if cut:
        record = replace(cut_short(record, cut), extra=AZUL.mark)
    folder.mkdir(parents=True)
    other = replace(AZUL, seed=4)
    file = SoloGames(folder).file(other)
    write_record(file, record)
    before = file.read_bytes()
    refused = pavilion(*GAME[:-1], other.seed, stdin="1\n" * 80)
    assert_clean(refused, 2)
    assert error_lines(refused)[-1] == (
        f"error: {file}: holds {AZUL.kind} seed 3, expected {AZUL.kind} seed 4; rename or remove"
        " the file")
    assert file.read_bytes() == before
    assert [file.name for file in folder.iterdir()] == [file.name]


def test_only_files_under_their_own_names_count(solo_data: Path) -> None:
    """A copy counted as another game."""
    games, record = SoloGames(solo_data), record_of(AZUL)
    file = games.file(AZUL)
    write_record(file, record)
    games.find_par(AZUL, lambda: False)
    for name in (games.file(replace(AZUL, seed=4)).name, f"{file.stem} (copy).jsonl"):
        (solo_data / name).write_bytes(file.read_bytes())
    (solo_data / f"{AZUL.kind}-5.jsonl").write_text(
        json.dumps({**record.to_json(), "solo": None}) + "\n")
    assert games.finished(AZUL) == record
    assert games.finished(replace(AZUL, seed=4)) is None
    assert games.standing(AZUL, datetime.date.today()).games == 1


def test_a_game_that_is_over_is_told_where_nothing_can_be_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was said that its file cannot be replaced."""
    played_now = pavilion(*GAME, stdin="1\n" * 80)
    assert_clean(played_now)
    monkeypatch.setattr(os, "access", lambda *_: False)
    again = pavilion(*GAME)
    assert_clean(again)
    assert played_now.stdout.endswith(again.stdout)
    assert again.stdout.startswith("par: ")


@pytest.mark.parametrize("known", [False, True])
def test_without_a_folder_for_games_a_line_says_so(
    monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """Older versions of the library return a path from `~`, newer ones raise."""
    def unknown(*_: object, **__: object) -> Path:
        if known:
            return Path("~/.local/share/pavilion-ai")
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr("platformdirs.user_data_path", unknown)
    told = "HOME: names no folder in which games can be kept"
    done = pavilion(*GAME)
    assert_clean(done, 1)
    assert error_lines(done)[-1] == f"error: {told}"
    assert not any(map(os.path.exists, _folders().values()))
    with pytest.raises(OSError, match="Not a directory"):
        _folders()["folder"].mkdir(parents=True, exist_ok=True)


def test_a_game_that_was_left_goes_on_with_the_same_luck(folder: Path) -> None:
    assert_clean(pavilion(*GAME, stdin="1\n" * 80))
    whole = played(folder)
    next(folder.glob("*.jsonl")).unlink()
    left = pavilion(*GAME, stdin="1\n1\n1\nundo\nhint\nquit\n")
    assert_clean(left)
    assert "Moves cannot be taken back in a solo game." in left.stdout
    assert "There are no hints in a solo game." in left.stdout
    command = re.search("`pavilion (play --solo [^`]*)`", left.stderr)
    assert command is not None
    (path,) = folder.glob("*.jsonl")
    path.write_text(path.read_text().replace(f'"version":"{__version__}"', '"version":"0.0.1"'))
    resumed = pavilion(*command[1].split(), stdin="1\n" * 80)
    assert_clean(resumed)
    assert f"; played with version '0.0.1', this is {__version__}" in resumed.stderr
    assert played(folder).moves == whole.moves


def test_the_list_is_no_hint_and_help_names_what_there_is(folder: Path) -> None:
    done = pavilion(*GAME, stdin="moves\nhelp\nquit\n")
    assert_clean(done)
    listed = re.findall(r"^ +(\d+)  (\S+:\S+)", done.stdout.partition("> moves\n")[2], re.M)
    moves = Play(AZUL.start).legal_moves
    assert listed == [(str(number), move) for number, move in enumerate(moves, 1)]
    told = done.stdout.partition("> help\n")[2]
    assert re.findall(r"^  (\w+)", told, re.M) == [
        "MOVE", "NUMBER", "moves", "show", "signs", "code", "save", "quit", "help"]


def test_draws_depend_on_the_seed_of_the_challenge_alone() -> None:
    record = record_of(AZUL)
    deals = [n for n, move in enumerate(record.moves) if move.startswith("deal")]
    assert len(deals) > 3
    for number in deals:
        for seed in (1, 2):  # of the play
            play = Play(record.start, record.moves[:number], seed=seed)
            assert draw(play, AZUL) == record.moves[number]
        play.pop()
        assert draw(play, replace(AZUL, seed=4)) != record.moves[number]


def test_top_ups_are_counted_from_one_in_each_game() -> None:
    """As in matches, so that a seed has the same luck in every version."""
    play, refill = Play(SUMMER.start, seed=1), 0
    while refill < 3:
        if play.turn is not None:
            play.push(play.legal_moves[0])
            continue
        refill += play.chance == "supply"
        expected = draw_tied(play.copy(), seed=SUMMER.seed, refill=refill)
        assert draw(play, SUMMER) == expected


def test_par_is_the_same_each_time_and_can_be_stopped() -> None:
    first = par(AZUL, SIMS)
    assert first == par(AZUL, SIMS)
    assert first is not None
    assert first.games == len(SIMS)
    assert first.win == 1
    assert first.win_error > 0  # a few victories do not show that every game is won
    assert first != par(replace(AZUL, seed=4), SIMS)
    asked = iter([False] * 5 + [True] * 5)
    assert par(AZUL, SIMS, stopped=lambda: next(asked)) is None


def test_records_are_verified(folder: Path, tmp_path: Path) -> None:
    record = record_of(AZUL)
    assert list(faults(record)) == []
    path = tmp_path / "solo.jsonl"
    write_record(path, record)
    result = pavilion("verify", "--solo", path)
    assert_clean(result)
    told = f"azul-coloured-2-level1 seed 3: {record.scores[0]} points, par"
    assert result.stdout.startswith(told)
    assert_clean(pavilion("verify", path))
    for encoding in ("utf-8-sig", "utf-16"):  # as editors and shells of Windows write it
        other = tmp_path / encoding
        other.write_text(path.read_text("utf-8"), encoding)
        assert pavilion("verify", "--solo", other).stdout == result.stdout


def test_a_game_that_goes_on_is_verified_as_that(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "solo.jsonl"
    cut = replace(cut_short(record_of(AZUL), 9), extra=AZUL.mark)
    write_record(path, cut)
    result = pavilion("verify", "--solo", path)
    assert_clean(result)
    assert result.stdout == "azul-coloured-2-level1 seed 3: 9 moves, not finished\n"


def test_tables_are_verified(folder: Path, tmp_path: Path) -> None:
    """They hold the person's moves only; what one claims is found out."""
    record = record_of(AZUL)
    level = par(AZUL, SIMS)
    assert level is not None
    text = solo.table_of(record, level)
    assert not any(move in text for move in record.moves if move.startswith("deal"))
    (table,) = solo.read_tables(f"See my game:\n> {text.replace(chr(10), chr(10) + '> ')}\nBye.")
    assert replayed(AZUL, table.moves).moves == record.moves
    for quote, width in product(("", ">", "> ", "# ", ": ", ">> "), range(28, 80)):
        narrow = "\n".join(quote + row for line in text.splitlines()
                           for row in textwrap.wrap(line, width, break_on_hyphens=False))
        assert list(solo.read_tables(f"{narrow}\n\nBye.")) == [table]
    path = tmp_path / "table.txt"
    path.write_text(text * 2)
    result = pavilion("verify", "--solo", path)
    assert_clean(result)
    told = f"azul-coloured-2-level1 seed 3: {record.scores[0]} points, par {level.points:.1f}"
    assert [row.startswith(told) for row in result.stdout.splitlines()] == [True, True]
    path.write_text(f"{text}My worst one was {table.moves[0]} I think.\n{table.moves[1]} too.\n"
                    + re.sub("(?m)^(points|to par): .*\n", r"\g<0>> Not my best.\n>\n", text))
    assert_clean(pavilion("verify", "--solo", path))
    older = text.replace(f"pavilion-ai {__version__}:", "pavilion-ai 0.0.1:")
    path.write_text(older.replace("% to win", "% to lose") + text.replace(", lost", ", won"))
    refused = pavilion("verify", "--solo", path)
    told = f"; played with version '0.0.1', this is {__version__}"
    assert [told in line for line in error_lines(refused)] == [True, False]
    last = table.moves[-1]
    for old, new, complaint in (
        (f"points: {record.scores[0]},", "points: 999,", "points: found '999, lost', expected"),
        (", lost", ", won", f"points: found '{record.scores[0]}, won', expected"),
        (f"par: {level.points:.1f} ", "par: 1.5 ", "par: found '1.5 "),
        (f"par: {level.points:.1f} ", f"par: {level.points:.1f} +-9.9 ",
         f"par: found '{level.points:.1f} +-9.9 points"),
        ("won 100 %", "won 3 %", "par: found"),
        ("to par: -", "to par: +", "to par: found '+"),
        ("% to win", "% to lose", "to par: found"),
        (f"moves: {table.moves[0]}", "moves: D9:B>1", "moves: move 1: D9:B>1 is not legal"),
        (f"{last}\n", "\n", "the game is not over"),
        (f"{last}\n", f"{last} {last}\n", "found 1 move after the end"),
        ("azul-coloured-2-level1", "azul-coloured-2-level11", "expected GAME-BOARD-PLAYERS"),
        ("points:", "score:", "found no line `points:`"),
        ("to par:", "par to:", "found no line `to par:`"),
        ("challenge:", "game:", "neither game records nor the table"),
    ):
        assert old in text
        path.write_text(text.replace(old, new))
        refused = pavilion("verify", "--solo", path)
        assert_clean(refused, 1)
        assert complaint in error_lines(refused)[-1]


def test_a_record_below_other_text_is_a_fault(solo_data: Path) -> None:
    """Behind a table it was not checked, and behind a line there was said to be none."""
    record, level = record_of(AZUL), par(AZUL, SIMS)
    assert level is not None
    path, line = solo_data / "mixed", json.dumps(record.to_json())
    for text, number, verified in ((table_of(record, level), 9, 1), ("My game:\n", 2, 0)):
        path.write_text(f"{text}{line}\n{line}\n")
        assert path.read_text().split("\n")[number - 1] == line
        refused = pavilion("verify", "--solo", path)
        assert_clean(refused, 1)
        assert len(refused.stdout.splitlines()) == verified
        assert error_lines(refused) == [
            f"error: {path}: line {number}: found a game record below other text, expected it in a"
            " file of its own"]
    path.write_text(f"A nice one {{\"}}\n{table_of(record, level)}{{GG}}\n")
    assert_clean(pavilion("verify", "--solo", path))


def test_the_word_at_which_the_moves_end_is_named() -> None:
    text = table_of(record_of(AZUL), solo.Par(61, 0, 1, 0.1, 10))
    first, *_, last = read_moves = text.partition("moves: ")[2].split()
    for old, new, moves, word in (
        (f"moves: {first} ", f"moves: {first}, ", 0, f"{first},"),
        ("moves: ", "moves:\n> ", len(read_moves) - 1, "played"),
    ):
        assert old in text
        (table,) = read_tables(text.replace(old, new).replace(f" {last}\n", "\nplayed well\n"))
        with pytest.raises(RecordError, match=re.escape(
                f"the game is not over after {moves} moves; not read: the line with {word!r},")):
            finished(table)
    (table,) = read_tables(f"{text}That was it.\n")
    assert (table.stray, len(table.moves)) == ("That", len(read_moves))
    finished(table)


def test_what_is_not_the_luck_or_the_opponents_of_the_seed_is_found(tmp_path: Path) -> None:
    record = record_of(AZUL)
    play = Play(record.start)
    while play.turn != 1 or len(play.legal_moves) == 1:
        play.push(record.moves[len(play.moves)])
    number = len(play.moves)
    move = record.moves[number]
    other = next(one for one in play.legal_moves if one != move)
    forged = replace(record, moves=(*record.moves[:number], other))
    assert list(faults(forged)) == [f"move {number + 1}: found {other!r}, expected {move}"]
    assert list(faults(replace(record, seed=4))) == ["the start is not that of the seed"]
    deal = next(n for n, move in enumerate(record.moves) if move.startswith("deal"))
    play = Play.of(record, deal)
    play.draw_once()
    assert play.moves[-1] != record.moves[deal]
    forged = replace(record, moves=play.moves)
    assert [fault.split(":")[0] for fault in faults(forged)] == [f"move {deal + 1}"]
    write_record(tmp_path / "forged.jsonl", forged)
    refused = pavilion("verify", "--solo", tmp_path / "forged.jsonl")
    assert_clean(refused, 1)
    assert "played with version" not in refused.stderr
    agents = (record.agents[0], {**record.agents[1], "version": "0.0.1"})
    write_record(tmp_path / "older.jsonl", replace(forged, agents=agents))
    refused = pavilion("verify", "--solo", tmp_path / "older.jsonl")
    assert error_lines(refused)[-1].endswith(
        f"; played with version '0.0.1', this is {__version__}")
    plain = tmp_path / "plain.jsonl"
    data = record.to_json()
    del data["solo"]
    plain.write_text(json.dumps(data) + "\n")
    refused = pavilion("verify", "--solo", plain)
    assert_clean(refused, 1)
    assert "is not a solo game" in error_lines(refused)[-1]
    plain.write_text(json.dumps({**data, "solo": {"level": 11}}) + "\n")
    assert error_lines(pavilion("verify", "--solo", plain))[-1].startswith(
        f"error: {plain}: record {record.id!r}: solo.level: found 11, expected")


def test_agents_that_did_not_play_the_game_are_found(tmp_path: Path) -> None:
    record = record_of(AZUL)
    human, level = record.agents
    for agents, told in (
        ((human, {**level, "spec": "default:level=9"}),
         ["agents[1].spec: found 'default:level=9', expected default:level=1"]),
        ((level, human), ["agents[0].spec: found 'default:level=1', expected human",
                          "agents[1].spec: found 'human', expected default:level=1"]),
    ):
        assert list(faults(replace(record, agents=agents))) == told
    write_record(tmp_path / "forged.jsonl", replace(record, agents=agents))
    refused = pavilion("verify", "--solo", tmp_path / "forged.jsonl")
    assert_clean(refused, 1)
    assert [line.partition(": agents")[2] for line in error_lines(refused)] == [
        one.removeprefix("agents") for one in told]


@pytest.mark.parametrize("seed", [-1, 2**63, 2**64 + AZUL.seed])
def test_seeds_that_no_challenge_has_are_refused(seed: int) -> None:
    """Above 64 bits the game was that of the low ones, and par another one."""
    with pytest.raises(RecordError, match=r"seed: found .*, expected a whole number from 0 to"):
        Challenge.of(replace(record_of(AZUL), seed=seed))


def test_a_series_of_days_is_of_one_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SoloGames, "standing", lambda *_: Standing(1, 1.0, 1.0, 3))
    _tell(SoloGames(tmp_path), AZUL, record_of(AZUL), solo.Par(1, 1, 0, 0, 9))
    told = capsys.readouterr().out
    assert "\n3 days in a row with the game of the day of this kind\n" in told
    assert told.startswith("par: 1.0 +-1.0 points (standard error over searches of 9 lengths), won")


def test_equal_games_tell_no_error_of_par(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables of 0.8.0 say +-0.0 there, and are still right."""
    record, level = record_of(AZUL), solo.Par(61, 0, 1, 0.1, 10)
    _tell(SoloGames(tmp_path), AZUL, record, level)
    told = capsys.readouterr().out
    assert told.startswith("par: 61.0 points, won 100 % (the best agent in your place, 10 games)\n")
    text = table_of(record, level)
    assert "\npar: 61.0 points, won 100 % of 10 games\n" in text
    for error, wrong in (("", 0), ("+-0.0 ", 0), ("+-0.1 ", 1)):
        (table,) = read_tables(text.replace("par: 61.0 ", f"par: 61.0 {error}"))
        assert len(list(table.faults(*finished(table), level))) == wrong


def test_the_error_of_par_has_a_name_in_the_table() -> None:
    """Tables up to 0.9.0 have none there, and are still right."""
    record, level = record_of(AZUL), solo.Par(61, 0.4, 1, 0.1, 10)
    text = table_of(record, level)
    label = " (+- standard error)"
    assert f"\npar: 61.0 +-0.4 points, won 100 % of 10 games{label}\n" in text
    for one in (text, text.replace(label, "")):
        (table,) = read_tables(one)
        assert list(table.faults(*finished(table), level)) == []


# -- the fixed rule --------------------------------------------------------------------------


def test_the_rule_takes_the_most_tiles_of_the_leftmost_display() -> None:
    """D1 GOBR, D2 GOOR, D3 GGOB, D4 PGBR, D5 GOBR; purple is wild (RULES part E, by hand)."""
    play = Play.new("summer", seed=3)
    rule = Drafter()
    for expected in ("D1:G", "D2:O", "D3:G", "D4:G", "D5:G"):
        assert rule.choose(play) == expected  # a tie: green comes first in wild order
        play.push(expected)
    assert play.position.centre == (0, 1, 3, 0, 4, 4)  # type: ignore[attr-defined]
    assert rule.choose(play) == "C:B"  # as many red: blue comes first


def test_the_rule_puts_azul_tiles_on_the_floor_and_passes_in_summer() -> None:
    play = Play.new("azul", seed=3)
    source = play.position.displays[0]
    most = max(range(5), key=lambda colour: (source[colour], -colour))
    assert Drafter().choose(play) == f"D1:{'BYRKW'[most]}>F"
    placing = Play(position_of(PLACING))
    assert Drafter().choose(placing) == "pass:-"


def test_a_game_against_the_rule_is_played_and_verified(folder: Path) -> None:
    result = pavilion("play", "--rule", "--game", "azul", "--seed", 3, stdin="1\n" * 120)
    assert_clean(result)
    record = played(folder)
    assert record.agents[1]["spec"] == "rule"
    assert record.extra["solo"] == {"level": 0}
    assert list(faults(record)) == []
    mine = [move for move in record.moves if move.endswith(">F")]
    assert len(mine) > 5
    assert re.search(r"^you: \d+ points, ", result.stdout, re.M)


def test_the_game_of_the_day(folder: Path) -> None:
    today = datetime.date.today()
    assert seed_of_day(today) != seed_of_day(today - datetime.timedelta(days=1))
    result = pavilion("play", "--daily", "--game", "azul", "--level", 1, stdin="quit\n")
    assert_clean(result)
    days = {seed_of_day(day) for day in (today, datetime.date.today())}  # midnight may come
    assert any(f"seed {seed}" in result.stderr for seed in days)


@pytest.mark.parametrize(("options", "complaint"), [
    (["--seats", "human,greedy"], "--seats does not go with --solo"),
    (["--record", "x.jsonl"], "--record does not go with --solo"),
    (["--level", 10], "--level 10: a solo game is against a level from 1 to 9"),
    (["--daily", "--seed", 3], "--daily takes the seed of the day; leave out --seed"),
    (["--rule", "--level", 3], "--rule and --level exclude each other"),
    (["--players", 7], "'7' is not a whole number from 2 to 4"),
])
def test_options_that_are_refused(folder: Path, options: list[object], complaint: str) -> None:
    refused = pavilion("play", "--solo", *options, stdin="quit\n")
    assert_clean(refused, 2)
    assert complaint in error_lines(refused)[-1]


def test_tables_from_elsewhere_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "table.txt"
    for text, complaint in [
        ("\n" * 1_000_000, "found neither game records nor the table of a solo game"),
        ("> - \n" * 200_000, "found neither game records nor the table of a solo game"),
        ("\n" * 1_100_000, "more than 1048576 bytes, no tables of solo games"),
        ("challenge: azul-grey-2-rule, seed 99999999999999999999\n",
         "table 1: seed: found 99999999999999999999, expected at most 9223372036854775807"),
        ("challenge: a\x1b[2J, seed 5\n", r"table 1: challenge: found 'a\x1b[2J', expected"),
    ]:
        path.write_text(text)
        begun = time.process_time()
        done = pavilion("verify", "--solo", path)
        assert_clean(done, 1 if "more than" not in complaint else 2)
        assert complaint in error_lines(done)[0]
        assert time.process_time() - begun < 5
    for begins, sign in product(("", "a", "a,\n", "a, seed "), (">", "\n> ", "a,", "> a,\n")):
        begun = time.process_time()
        assert list(solo.read_tables(f"challenge: {begins}{sign * 200_000}")) == []
        assert time.process_time() - begun < 5


def test_the_list_of_what_is_wrong_has_an_end(tmp_path: Path) -> None:
    table = "challenge: azul-grey-2-rule, seed 5\npoints: 1\npar: 1\nto par: 0\nmoves: C:B1\n"
    path = tmp_path / "tables.txt"
    path.write_text(table * 150)
    lines = error_lines(pavilion("verify", "--solo", path))
    assert len(lines) == 5
    assert lines[-1].startswith(f"error: {path}: table 5: moves: ")
    assert lines[-1].endswith("; and 145 more like it")


def test_records_that_are_wrong_in_one_way_are_few_lines(tmp_path: Path) -> None:
    """Whatever their ids; and a line that is no record does not hide what was found before it."""
    record = record_of(AZUL)
    path = tmp_path / "solo.jsonl"
    for number in range(20):
        write_record(path, replace(record, id=f"game {number * 'x'}", seed=4))
    with path.open("a") as lines:
        lines.write('{"id": "x"}\n')
    refused = pavilion("verify", "--solo", path)
    assert_clean(refused, 1)
    told = error_lines(refused)
    assert len(told) == 6
    assert told[4].endswith("the start is not that of the seed; and 15 more like it")
    assert "line 21: found a record without" in told[5]


def test_par_of_one_challenge_is_computed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[Challenge] = []

    def counted(challenge: Challenge) -> solo.Par:
        computed.append(challenge)
        return solo.Par(1, 1, 0, 0, 1)

    monkeypatch.setattr(solo_challenge, "par", counted)
    record = record_of(AZUL)
    table = table_of(record, solo.Par(1, 1, 0, 0, 1))
    path = tmp_path / "tables.txt"
    path.write_text(table * 3)
    assert verify_solo(str(path)) == 0
    assert computed == [AZUL]
    games = tmp_path / "games.jsonl"
    for name in ("one", "two"):
        write_record(games, replace(record, id=name))
    assert verify_solo(str(games)) == 0
    assert computed == [AZUL] * 2


@pytest.mark.parametrize("content", [
    b"[" * 100_000, b"{}", b"[]", b"\xff", b"null", b'{"version": "V", "points": "1"}',
    b'{"version": "V", "points": NaN, "points_error": 1, "win": 1, "win_error": 1, "games": 1}',
    b'{"version": "V", "points": 1, "points_error": 1, "win": 1, "win_error": 1, "games": "1"}',
])
def test_a_damaged_par_is_no_par(content: bytes, tmp_path: Path) -> None:
    games, challenge = SoloGames(tmp_path), Challenge("azul", "grey", 2, 1, 7)
    path = games.file(challenge).with_suffix(".par.json")
    path.write_bytes(content.replace(b"V", __version__.encode()))
    assert games.par(challenge) is None
    for version, found in ((__version__, solo.Par(1, 2.5, 0, 0.5, 3)), ("0.0.1", None)):
        path.write_text(json.dumps({"version": version, "points": 1, "points_error": 2.5, "win": 0,
                                    "win_error": 0.5, "games": 3}))
        assert games.par(challenge) == found  # agents of another version reach another one
