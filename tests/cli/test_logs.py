"""Logs of Board Game Arena on the command line: `import bga` and `review`."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pavilion_ai.bga.log import find_packets
from pavilion_ai.play import Play
from pavilion_ai.record import read_records, write_record
from tests.archives import packed
from tests.bga.samples import SAMPLES, truth
from tests.cli.support import EXAMPLES, assert_clean, error_lines, pavilion


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, Path]:
    """Return the samples, unpacked, by name."""
    found = {}
    for path in SAMPLES.glob("*.gz"):
        target = tmp_path / path.name.removesuffix(".gz")
        target.write_bytes(gzip.decompress(path.read_bytes()))
        found[target.name] = target
    return found


def test_a_log_becomes_a_line_that_other_commands_take(
    logs: dict[str, Path], tmp_path: Path
) -> None:
    result = pavilion("import", "bga", logs["azul_grey_2p.replay.html"])
    assert_clean(result)
    record = json.loads(result.stdout)
    assert record["moves"] == truth("azul_grey_2p")["moves"]
    assert record["agents"] == [{"spec": "human", "version": ""}] * 2
    assert result.stderr.splitlines() == [
        "note: seat 0 is 'Player A'", "note: seat 1 is 'Player B'"]
    for name in ("games.svg", "games.HTML", "games.png"):
        refused = pavilion("import", "bga", logs["azul_grey_2p.replay.html"], "-o", tmp_path / name)
        assert_clean(refused, 2)
        assert refused.stderr.endswith(
            f"error: -o {tmp_path / name}: game records are not written like that, expected"
            " *.jsonl\n")
        assert not (tmp_path / name).exists()
    games = tmp_path / "games.jsonl"
    for name in ("azul_grey_2p.replay.html", "azul_grey_2p.cut.json"):
        assert pavilion("import", "bga", logs[name], "-o", games).stdout == ""
    written = games.read_bytes()
    again = pavilion("import", "bga", logs["azul_grey_2p.replay.html"], "--names", "-o", games)
    assert_clean(again)
    assert again.stderr.endswith(f"note: {games} holds game {record['id']} already\n")
    assert games.read_bytes() == written
    assert [one.reason for one in read_records(games)] == ["finished"]
    assert "1 game, all right" in pavilion("verify", games).stdout
    games.unlink()
    for name, reason in (("cut.json", "unfinished"), ("replay.html", "finished")):  # as it goes on
        assert_clean(pavilion("import", "bga", logs[f"azul_grey_2p.{name}"], "-o", games))
        one, = read_records(games)
        assert (one.reason, one.moves == tuple(record["moves"])) == (reason, reason == "finished")
    named = pavilion("import", "bga", logs["summer_coloured_2p.json"], "--names").stdout
    assert json.loads(named)["agents"][1] == {"spec": "human", "version": "", "name": "Player B"}


@pytest.mark.parametrize("command", [
    ("replay",), ("verify",), ("verify", "--solo"), ("stats",), ("report",),
    ("dataset", "--out", "out"), ("suggest", "--ply", 3),
    ("match", "random", "random", "--out"), ("import", "bga", "log", "-o")])
def test_what_reads_records_says_how_a_log_is_read(
    logs: dict[str, Path], tmp_path: Path, command: tuple[str, ...]
) -> None:
    name, *more = command
    (tmp_path / "log").write_bytes(logs["azul_coloured_2p.json"].read_bytes())
    more = [str(tmp_path / one) if one in ("out", "log") else one for one in more]
    for path in logs.values():
        *notes, line = error_lines(pavilion(name, *more, path))
        assert len(notes) == (2 if name == "import" else 0)
        assert line == (
            f"error: {path}: looks like a page or log of Board Game Arena, expected game records;"
            " `pavilion import bga FILE` prints the record of a game")
    archive = tmp_path / "records.zip"
    archive.write_bytes(packed(("a.jsonl", b"{}")))
    said = pavilion(name, *more, archive).stderr
    assert "zip (unpack it first)" in said or "line 1: zip data;" in said


def test_what_reads_positions_says_how_a_log_is_read(logs: dict[str, Path]) -> None:
    path = logs["azul_coloured_2p.json"]
    for ply in ((), ("--ply", 3)):
        line, = error_lines(pavilion("match", "random", "random", "--from", path, *ply))
        assert line == (
            f"error: {path}: looks like a page or log of Board Game Arena, expected positions;"
            " `pavilion import bga FILE` prints its position, and with --ply N one of a game")


def test_verify_checks_what_stands_beside_a_log(logs: dict[str, Path]) -> None:
    log, games = logs["azul_coloured_2p.json"], EXAMPLES / "game_2p.jsonl"
    result = pavilion("verify", log, games, "--json")
    assert_clean(result, 1)
    problem = (f"{log}: looks like a page or log of Board Game Arena, expected game records;"
               " `pavilion import bga FILE` prints the record of a game")
    first, second = map(json.loads, result.stdout.splitlines())
    assert first == {"file": str(log), "games": 0, "problems": [problem], "notes": []}
    assert (second["games"], second["problems"]) == (1, [])


@pytest.mark.parametrize("command", [
    ("replay",), ("verify",), ("stats",), ("dataset", "--out", "out"), ("suggest", "--ply", 3),
    ("review", "--sims", 1)])
def test_records_below_something_else_are_read(command: tuple[str, ...], tmp_path: Path) -> None:
    """As git leaves them, say."""
    name, *more = command
    more = [str(tmp_path / one) if one == "out" else one for one in more]
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"<<<<<<< HEAD\n" + (EXAMPLES / "game_2p.jsonl").read_bytes())
    result = pavilion(name, *more, path)
    assert_clean(result, {"verify": 1, "dataset": 2}.get(name, 0))
    assert f"{path}, line 1: not a game record" in result.stderr


def test_a_player_of_a_log_has_a_name_only_with_names(logs: dict[str, Path]) -> None:
    log = logs["summer_grey_4p_undo.json"]
    arguments = ("review", log, "--player", "Player A")
    line = error_lines(pavilion(*arguments))[-1]
    assert line == (
        f"error: --player: nobody is called 'Player A' in {log} without --names; there is player 1,"
        " player 2, player 3, player 4, seat 0 and 3 more")
    line = error_lines(pavilion(*arguments[:3], "Player 0", "--names"))[-1]
    assert f"in {log}; there is Player A, Player B, Player C, Player D" in line


def test_a_running_game_whose_last_move_is_taken_back_or_whose_boards_are_guessed(
    logs: dict[str, Path], tmp_path: Path
) -> None:
    """It stays one game; if it is not the last in its file, a note says which line to remove."""
    log = logs["summer_grey_4p_undo.json"]
    page = logs["summer_grey_4p_undo.gamedatas.json"]
    whole = json.loads(log.read_text())
    packets = find_packets(whole)
    assert packets is not None
    undone = next(n for n, packet in enumerate(packets) if "undoTakeTiles" in json.dumps(packet))
    early, games = tmp_path / "early.json", tmp_path / "games.jsonl"
    for count, beside in ((undone, [page]), (3, [])):
        early.write_text(json.dumps(packets[:count]))
        games.unlink(missing_ok=True)
        assert_clean(pavilion("import", "bga", early, *beside, "-o", games))
        begun, = read_records(games)
        alone = games.read_bytes()
        assert_clean(pavilion("import", "bga", log, "-o", games))
        one, = read_records(games)
        assert (one.id, list(one.moves)) == (begun.id, truth("summer_grey_4p_undo")["moves"])
        assert one.moves[:len(begun.moves)] != begun.moves or one.start != begun.start
        games.write_bytes(alone)
        assert_clean(pavilion("import", "bga", logs["azul_grey_2p.replay.html"], "-o", games))
        told = pavilion("import", "bga", log, "-o", games)
        assert f"game {begun.id} is an earlier state of game bga-" in told.stderr
        assert told.stderr.endswith("remove its line\n")
        assert len(list(read_records(games))) == 3


def test_a_running_game_in_which_another_player_alone_was_told_something_goes_on(
    logs: dict[str, Path], tmp_path: Path
) -> None:
    log = logs["summer_coloured_2p.json"]
    whole = json.loads(log.read_text())
    packets = find_packets(whole)
    assert packets is not None
    for packet in packets[60:]:
        assert isinstance(packet, dict)
        packet["packet_id"] = str(int(packet["packet_id"]) + 1)
    log.write_text(json.dumps(whole))
    early, games = tmp_path / "early.json", tmp_path / "games.jsonl"
    early.write_text(json.dumps(packets[:72]))
    told = pavilion("import", "bga", early, "-o", games)
    assert "packets are missing before packet 62" in told.stderr
    begun, = read_records(games)
    assert_clean(pavilion("import", "bga", log, "-o", games))
    one, = read_records(games)
    assert (one.id, list(one.moves)) == (begun.id, truth("summer_coloured_2p")["moves"])


def test_an_unfinished_game_that_is_no_longer_the_last_is_told(
    logs: dict[str, Path], tmp_path: Path
) -> None:
    games = tmp_path / "games.jsonl"
    write_record(games, Play.new("summer", seed=7).record(id="begun"))
    told = [pavilion("import", "bga", logs[f"{name}.json"], "-o", games).stderr.count(
        "note: " + f"{games}: game begun is unfinished and no longer the last, so `play --record`")
        for name in ("azul_grey_2p.cut", "summer_coloured_2p")]
    assert told == [1, 0]
    assert_clean(pavilion("play", "--record", games, "--resume"), 2)


def test_games_of_a_match_stay_alone(logs: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "match.jsonl"
    assert_clean(pavilion("match", "greedy", "random", "--pairs", 1, "--seed", 1, "--out", out))
    before = out.read_bytes()
    refused = pavilion("import", "bga", logs["azul_coloured_2p.json"], "-o", out)
    assert_clean(refused, 2)
    assert f"error: {out}: holds the games of a match or tournament" in refused.stderr
    assert out.read_bytes() == before


@pytest.mark.parametrize("words", [
    ("azul_coloured_2p.gamedatas.json",), ("azul_coloured_2p.gamedatas.json", "--format", "text"),
    ("azul_coloured_2p.json", "--ply", 3),
])
def test_a_position_takes_no_place_of_games(
    words: tuple[object, ...], logs: dict[str, Path], tmp_path: Path
) -> None:
    games, (name, *options) = tmp_path / "games", words
    assert_clean(pavilion("import", "bga", logs["azul_coloured_2p.json"], "-o", games))
    before = games.read_bytes()
    refused = pavilion("import", "bga", logs[str(name)], *options, "-o", games)
    assert_clean(refused, 2)
    assert error_lines(refused)[-1].startswith(f"error: -o {games}: holds game records, which a")
    assert games.read_bytes() == before
    for _ in range(2):  # one position takes the place of another
        assert_clean(pavilion("import", "bga", logs[str(name)], *options, "-o", tmp_path / "one"))


def test_a_position_of_a_log(logs: dict[str, Path]) -> None:
    log = logs["summer_grey_4p_undo.json"]
    for ply in (0, 17, 310):
        result = pavilion("import", "bga", log, "--ply", ply, "--format", "json")
        assert_clean(result)
        assert json.loads(result.stdout)["phase"] == ("over" if ply == 310 else "draft")
    assert "has 310 moves" in pavilion("import", "bga", log, "--ply", 311).stderr
    page = logs["summer_grey_4p_undo.gamedatas.json"]
    assert pavilion("import", "bga", log, "--ply", 0).stdout.split("/")[:2] == pavilion(
        "import", "bga", page).stdout.split("/")[:2]


def test_several_files(logs: dict[str, Path], tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    result = pavilion("import", "bga", *logs.values(), SAMPLES / "no_rights.json", "-o", games)
    assert_clean(result, 2)
    *notes, line = error_lines(result)
    assert all(one.startswith("note: ") for one in notes)
    assert line.endswith("it answered: You have reached a limit (replay)")
    assert len(list(read_records(games))) == 4
    assert "azul_coloured_2p.json: seat 0 is 'Player A'" in result.stderr


def test_pages_of_a_zip_that_are_refused_use_up_its_limit(
    logs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, path = logs["azul_coloured_2p.json"].read_bytes(), tmp_path / "logs.zip"
    monkeypatch.setattr("pavilion_ai.cli.logs.MAX_ZIP_BYTES", 2 * len(log))
    path.write_bytes(packed(("a", gzip.compress(b"\x81" * len(log) + b"x")),
                            ("b", gzip.compress(log))))
    result = pavilion("import", "bga", path)
    assert_clean(result, 2)
    first, second = error_lines(result)
    assert "is not UTF-8 text" in first
    assert f"b: more than {len(log) - 1} bytes" in second


@pytest.mark.parametrize(("arguments", "words"), [
    (("azul_coloured_2p.json", "--format", "json"), "with the log of a game give --ply N too"),
    (("azul_coloured_2p.gamedatas.json", "--ply", "3"), "is a position, not a game"),
    (("azul_coloured_2p.json", "summer_coloured_2p.json", "--ply", "3"),
     "one game or position, found 2; give one file with one of them"),
    (("azul_coloured_2p.gamedatas.json", "summer_coloured_2p.gamedatas.json", "-o", "x.txt"),
     "-o: several positions"),
])
def test_what_does_not_go_together(
    logs: dict[str, Path], arguments: tuple[str, ...], words: str
) -> None:
    result = pavilion("import", "bga", *(logs.get(one, one) for one in arguments))
    assert_clean(result, 2)
    assert result.stdout == ""
    assert words in "".join(error_lines(result))


def test_a_log_is_reviewed_at_once(logs: dict[str, Path], tmp_path: Path) -> None:
    log = logs["azul_coloured_2p.json"]
    result = pavilion("review", log, "--sims", 40)
    assert_clean(result)
    assert "seat 0: player 1" in result.stdout
    assert "Player" not in result.stdout
    assert result.stdout.splitlines()[0].endswith(": azul, coloured")  # it has no seed of ours
    assert "Player B" in pavilion("review", log, "--sims", 40, "--names").stdout
    found = json.loads(pavilion("review", log, "--sims", 40, "--json").stdout)
    assert len(found["decisions"]) == sum(
        not move.startswith("deal") for move in truth("azul_coloured_2p")["moves"])
    page = tmp_path / "review.html"
    assert_clean(pavilion("review", log, "--sims", 40, "--html", page))
    assert "player 1" in page.read_text()


@pytest.mark.parametrize("encoded", [
    lambda text: gzip.compress(text.encode()), lambda text: text.encode("utf-16"),
    lambda text: b"\xef\xbb\xbf" + text.encode()])
def test_packed_and_encoded_logs_are_reviewed(
    logs: dict[str, Path], tmp_path: Path, encoded: Callable[[str], bytes]
) -> None:
    saved = tmp_path / "saved"
    for name in ("azul_grey_2p.cut.json", "azul_grey_2p.replay.html"):
        saved.write_bytes(encoded(logs[name].read_text()))
        result = pavilion("review", saved, "--sims", 2)
        assert_clean(result)
        assert "seat 1: player 2" in result.stdout


@pytest.mark.parametrize(("declared", "encoding", "told"), [
    ('<meta charset="windows-1250">', "cp1250", "windows-1250"),
    ("<META http-equiv='Content-Type' content='text/html; charset=ISO-8859-1'>", "cp1252",
     "ISO-8859-1"),
    ("", "latin-1", "Latin-1"),
])
def test_a_page_in_an_older_encoding_is_read_as_it_declares(
    logs: dict[str, Path], declared: str, encoding: str, told: str
) -> None:
    page = logs["azul_grey_2p.replay.html"]
    plain = page.read_text(encoding="utf-8").replace("Player A", "Dvor\xebk")
    page.write_bytes(plain.replace("<head>", f"<head>{declared}").encode(encoding))
    result = pavilion("import", "bga", page)
    assert_clean(result)
    assert json.loads(result.stdout)["moves"] == truth("azul_grey_2p")["moves"]
    assert result.stderr.splitlines()[:2] == [
        f"note: {page}: the text is not UTF-8, read as {told}", "note: seat 0 is 'Dvor\xebk'"]
    page.write_bytes(b"<html>\x81\x02")
    assert error_lines(pavilion("import", "bga", page)) == [
        f"error: {page}: byte 6 is not UTF-8 text, expected a page or a log of a game"]


def test_several_logs_and_records_give_one_report(logs: dict[str, Path], tmp_path: Path) -> None:
    page = tmp_path / "review.html"
    result = pavilion(
        "review", logs["azul_grey_2p.replay.html"], logs["summer_coloured_2p.json"],
        logs["summer_coloured_2p.gamedatas.json"], EXAMPLES / "game_2p.jsonl", "--sims", 30,
        "--html", page)
    assert_clean(result)
    assert "3 games, by agent" in result.stdout
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    both = tmp_path / "both.jsonl"
    for seed in (1, 2):
        pavilion("match", "greedy", "random", "--pairs", 1, "--seed", seed, "--out", both)
    result = pavilion("review", both, "--sims", 30, "--html", page)
    assert_clean(result)
    text = result.stdout
    assert "greedy, 2 games of Azul: Summer Pavilion: points lost per decision" in text
    assert "most expensive kinds of mistakes" in text
    assert "chance to win that came by each" in text
    assert "most expensive kinds of mistakes" in page.read_text()


def test_a_game_that_is_recorded_and_logged_is_reviewed_once(
    logs: dict[str, Path], tmp_path: Path
) -> None:
    """As the log has it, which names the players; but the longer one, if one was saved earlier."""
    games, whole, cut = (tmp_path / "games.jsonl", logs["azul_grey_2p.replay.html"],
                         logs["azul_grey_2p.cut.json"])
    for kept, log in ((whole, whole), (cut, whole), (whole, cut)):
        games.unlink(missing_ok=True)
        assert_clean(pavilion("import", "bga", kept, "-o", games))
        result = pavilion("review", games, log, "--names", "--sims", 2, "--json")
        found = json.loads(result.stdout)  # of a single game
        assert found["reason"] == "finished"
        assert ("name" in found["agents"][0]) == (log == whole)
    assert_clean(pavilion("import", "bga", whole, "--names", "-o", games.with_name("named.jsonl")))
    record = json.loads(games.with_name("named.jsonl").read_text())
    games.write_text(json.dumps({**record, "id": "mine"}) + "\n")
    result = pavilion("review", games, whole, "--game", "mine", "--sims", 2, "--json")
    assert "name" in json.loads(result.stdout)["agents"][0]     # without --names those of the file
    result = pavilion("review", games, whole, "--names", "--game", "mine", "--sims", 2, "--json")
    assert json.loads(result.stdout)["id"] == "mine"


def test_an_empty_file_beside_a_log_is_only_noted(logs: dict[str, Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    result = pavilion("review", logs["azul_grey_2p.cut.json"], empty, "--sims", 2)
    assert_clean(result)
    assert "seat 1: player 2" in result.stdout
    assert result.stderr.splitlines()[0] == f"note: {empty}: no games"
    log = logs["azul_coloured_2p.gamedatas.json"]
    for others, words in (([log], "is the page of a table"), ([empty], "empty.jsonl: no games")):
        refused = pavilion("review", empty, *others)
        assert_clean(refused, 2)
        assert words in error_lines(refused)[-1]


def test_pages_without_a_log_are_not_reviewed(logs: dict[str, Path]) -> None:
    result = pavilion("review", logs["azul_coloured_2p.gamedatas.json"])
    assert_clean(result, 2)
    assert "is the page of a table, not the log of a game" in "".join(error_lines(result))
    result = pavilion("review", SAMPLES / "no_rights.json")
    assert_clean(result, 2)
    assert "it answered: You have reached a limit" in "".join(error_lines(result))
