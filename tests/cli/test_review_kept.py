"""`review --out`: what was judged is kept and resumed; `review --text`: a game to be posted."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from pavilion_ai.agents import Agent
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord, write_record
from pavilion_ai.render import describe
from pavilion_ai.render.text import breadth
from pavilion_ai.review import Judge, Kept
from pavilion_ai.untrusted import Node
from pavilion_ai.version import __version__
from pavilion_ai.wording import signed
from tests.cli.support import (
    GAME,
    RECORD,
    assert_clean,
    contract_games,
    cut_short,
    error_lines,
    fill_disk,
    pavilion,
    process,
    start,
)
from tests.plays import replayed
from tests.search.networks import network_file

DECISIONS = sum(not move.startswith(("deal:", "supply:")) for move in RECORD.moves)
SIMS = ("--sims", 30)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def kept() -> bytes:
    """The judgements of a whole review."""
    assert_clean(pavilion("review", GAME, *SIMS, "--out", "kept-of-the-module.jsonl"))
    path = Path("kept-of-the-module.jsonl")
    content = path.read_bytes()
    path.unlink()
    return content


def json_of(*arguments: object) -> str:
    result = pavilion("review", GAME, *SIMS, "--json", *arguments)
    assert_clean(result)
    return result.stdout


def test_every_decision_is_a_line(kept: bytes) -> None:
    lines = [json.loads(line) for line in kept.splitlines()]
    assert len(lines) == DECISIONS
    assert sorted(line["ply"] for line in lines) == sorted({line["ply"] for line in lines})
    for line in lines:
        assert line["move"] == RECORD.moves[line["ply"] - 1] == line["played"]["move"]


@pytest.mark.parametrize("torn", [b"", b"{", b'{"judge":{"agent"', b'{"judge":{}',
                                  b'{"judge":"' + b"x" * 2_000_000, bytes(300)])
def test_a_review_that_was_killed_continues(kept: bytes, torn: bytes) -> None:
    half = b"".join(kept.splitlines(keepends=True)[:40])
    Path("k.jsonl").write_bytes(half + torn)
    result = pavilion("review", GAME, *SIMS, "--json", "--out", "k.jsonl")
    assert_clean(result)
    assert "note: k.jsonl: resuming after 40 decisions" in error_lines(result)
    assert result.stdout == json_of()
    content = Path("k.jsonl").read_bytes()
    assert content.startswith(half)
    assert sorted(map(decision, content.splitlines())) == sorted(map(decision, kept.splitlines()))


def decision(line: bytes) -> str:
    """Return a line without the time it took."""
    return json.dumps({**json.loads(line), "seconds": 0}, sort_keys=True)


def test_nothing_is_judged_twice(kept: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("k.jsonl").write_bytes(kept)
    expected = {form: pavilion("review", GAME, *SIMS, *form) for form in
                ((), ("--all",), ("--text",), ("--json",), ("--html", "a.html"))}
    page = Path("a.html").read_bytes()
    monkeypatch.setattr("pavilion_ai.review.judge.Judge.judge",
                        lambda *_, **__: pytest.fail("is known already"))
    for form, result in expected.items():
        again = pavilion("review", GAME, *SIMS, *form, "--out", "k.jsonl")
        assert_clean(again)
        assert again.stdout == result.stdout
    assert Path("a.html").read_bytes() == page
    assert Path("k.jsonl").read_bytes() == kept


def test_judgements_stay_in_their_file(kept: bytes) -> None:
    def nodes() -> int:
        gc.collect()
        return sum(isinstance(one, Node) for one in gc.get_objects())

    half = kept.splitlines(keepends=True)[:9]
    Path("k.jsonl").write_bytes(b"".join(half))
    before, judge = nodes(), Judge("default", Limits(sims=30))
    with Kept("k.jsonl", judge) as there:
        found = [there.get(ply, Play.of(RECORD, ply - 1), data["move"])
                 for data in map(json.loads, half) for ply in [data["ply"]]]
        assert nodes() == before
    with Kept("l.jsonl", judge) as there:
        for one in filter(None, found):
            there.add(play := Play.of(RECORD, one.ply - 1), one)
            assert there.get(one.ply, play, one.played.move) == one
        assert nodes() == before
    assert list(map(decision, Path("l.jsonl").read_bytes().splitlines())) == list(
        map(decision, half))


def test_judgements_of_other_versions_are_told(kept: bytes) -> None:
    present = f'"version":"{__version__}"'.encode()
    one, two, *others = kept.splitlines(keepends=True)
    Path("k.jsonl").write_bytes(b"".join((
        one.replace(present, b'"version":"0.2"'), two.replace(present, b'"version":"0.1"'),
        *others)))
    result = pavilion("review", GAME, *SIMS, "--out", "k.jsonl")
    assert_clean(result)
    assert error_lines(result)[1] == (
        "note: k.jsonl: some decisions were judged by version '0.1', '0.2', this is "
        f"{__version__}")


def test_games_with_three_and_four_players_and_of_several_files(tmp_path: Path) -> None:
    games = [GameRecord.from_json(data) for data in contract_games("azul")]
    for players in (3, 4):
        write_record(f"{players}.jsonl",
                     next(game for game in games if game.start.players == players))
    arguments = ("review", "3.jsonl", "4.jsonl", "--sims", 20)
    whole = pavilion(*arguments, "--json", "--out", "k.jsonl")
    assert_clean(whole)
    lines = Path("k.jsonl").read_bytes().splitlines(keepends=True)
    Path("k.jsonl").write_bytes(b"".join(lines[: len(lines) * 2 // 3]))
    assert pavilion(*arguments, "--json", "--out", "k.jsonl").stdout == whole.stdout


def test_what_came_before_tells_of_the_others() -> None:
    """So the same decision is judged again in a game that begins later; with two nothing tells."""
    for players, more in ((2, 0), (3, 3)):
        play = Play.new("azul", players=players, seed=3)
        for _ in range(3):
            play.push(play.legal_moves[0])
        later = Play(play.position)
        for _ in range(3):
            later.push(later.legal_moves[0])
            play.push(later.moves[-1])
        kept = f"kept{players}.jsonl"
        for name, game in ((f"whole{players}.jsonl", play), (f"later{players}.jsonl", later)):
            write_record(name, game.record())
            assert_clean(pavilion("review", name, "--sims", 1, "--out", kept))
        assert Path(kept).read_bytes().count(b"\n") == 6 + more


def test_an_interrupted_process_keeps_what_it_judged() -> None:
    arguments = ("review", GAME, "--sims", 3000, "--json", "--jobs", 1)
    running = start(*arguments, "--out", "k.jsonl")
    deadline = time.monotonic() + 60
    while not os.path.exists("k.jsonl") or Path("k.jsonl").read_bytes().count(b"\n") < 5:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    count = Path("k.jsonl").read_bytes().count(b"\n")
    assert 5 <= count < DECISIONS
    resumed = start(*arguments, "--out", "k.jsonl")
    while Path("k.jsonl").read_bytes().count(b"\n") < count + 3:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    resumed.send_signal(signal.SIGSTOP)  # lest it ends before the other one begins
    locked = process(*arguments, "--out", "k.jsonl")
    assert locked.returncode == 2
    assert b"another program is writing judgements there" in locked.stderr
    resumed.send_signal(signal.SIGINT)
    resumed.send_signal(signal.SIGCONT)
    _, errors = resumed.communicate(timeout=60)
    assert resumed.returncode == 130
    assert f"resuming after {count} decisions".encode() in errors


def test_a_full_disk_ends_a_review_with_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        write_record("games.jsonl", replace(RECORD, id=name))
    words = ("review", "games.jsonl", "--sims", 1, "--json", "--html", "x.html", "--out", "k.jsonl")
    with monkeypatch.context() as patched:
        fill_disk(patched, 5)
        ended = pavilion(*words)
    assert_clean(ended, 1)
    assert error_lines(ended) == ["note: resume with the same command",
                                  "error: k.jsonl: No space left on device"]
    found = json.loads(ended.stdout)
    assert 5 <= len(found["decisions"]) < DECISIONS, "one or two more were in progress"
    assert not found["complete"]
    assert "judged by" in Path("x.html").read_text()
    assert Path("k.jsonl").read_bytes().count(b"\n") == 5
    resumed = pavilion(*words)
    assert_clean(resumed)
    assert error_lines(resumed) == ["note: k.jsonl: resuming after 5 decisions"]
    assert json.loads(resumed.stdout.splitlines()[0])["decisions"][:5] == found["decisions"][:5]


def test_a_decision_of_several_games_is_judged_once() -> None:
    for name in ("a", "b"):
        write_record(f"{name}.jsonl", replace(RECORD, id=name))
    assert_clean(pavilion("review", "a.jsonl", "b.jsonl", *SIMS, "--out", "k.jsonl"))
    assert len(Path("k.jsonl").read_text().splitlines()) == DECISIONS


def test_judgements_of_another_network_of_the_same_name_are_refused() -> None:
    write_record("a.jsonl", Play.of(RECORD, 4).record(id="a"))
    words = ("review", "a.jsonl", *SIMS, "--agent", "ismcts:net=my.net", "--out", "k.jsonl")
    grey = RECORD.start.board == "grey"
    for seed, code in ((0, 0), (1, 2)):
        network_file(Path(), RECORD.game, grey, 2, seed).replace("my.net")
        result = pavilion(*words)
        assert_clean(result, code)
    assert "line 1: judged by agent 'ismcts:net=my.net'" in result.stderr


def test_an_agent_of_ones_own_keeps_its_judgements() -> None:
    class Mine(Agent):
        ranks = True

        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            return play.legal_moves[0]

    with Kept("k.jsonl", Judge(Mine())) as kept:
        assert kept.count == 0


@pytest.mark.parametrize(("arguments", "message"), [
    (("--sims", 31), "line 1: judged by agent 'default', sims 30, seed 0, expected agent"
                     " 'default', sims 31, seed 0; choose another --out"),
    ((*SIMS, "--seed", 5), "expected agent 'default', sims 30, seed 5"),
    ((*SIMS, "--agent", "ismcts:net=0"), "expected agent 'ismcts:net=0', sims 30"),
])
def test_judgements_of_another_judge_are_refused(
    kept: bytes, arguments: tuple[object, ...], message: str
) -> None:
    Path("k.jsonl").write_bytes(kept)
    result = pavilion("review", GAME, *arguments, "--out", "k.jsonl")
    assert_clean(result, 2)
    assert message in result.stderr
    assert Path("k.jsonl").read_bytes() == kept


@pytest.mark.parametrize("content", [b"hello\n", b"hello", b"{}\n", b'{"id": 1}', b"\0" * 50,
                                     b'{"judge":{"version":"1"}}\n', b'{"judge":7}\n',
                                     b'{"judge":{}, "judge":{}}\n'])
def test_other_files_are_left_alone(content: bytes) -> None:
    Path("k.jsonl").write_bytes(content)
    result = pavilion("review", GAME, *SIMS, "--out", "k.jsonl")
    assert_clean(result, 2)
    line, = error_lines(result)
    assert line.startswith("error: k.jsonl, line 1: ")
    assert Path("k.jsonl").read_bytes() == content


@pytest.mark.parametrize(("key", "value"), [
    ("after", [2, -1]), ("after", [1]), ("moves", []), ("choices", 0), ("agrees", 1),
    ("played", None), ("seat", 2), ("root", {}),
])
def test_a_judgement_that_is_invalid_is_named(kept: bytes, key: str, value: object) -> None:
    lines = kept.splitlines(keepends=True)
    lines[3] = json.dumps({**json.loads(lines[3]), key: value},
                          separators=(",", ":")).encode() + b"\n"
    Path("k.jsonl").write_bytes(b"".join(lines))
    result = pavilion("review", GAME, *SIMS, "--out", "k.jsonl")
    assert_clean(result, 2)
    assert f"k.jsonl, line 4: {key}" in result.stderr


def test_the_records_themselves_are_never_written_to(tmp_path: Path) -> None:
    write_record("game.jsonl", RECORD)
    before = Path("game.jsonl").read_bytes()
    for option in ("--out", "--html"):
        result = pavilion("review", "game.jsonl", *SIMS, option, "game.jsonl")
        assert_clean(result, 2)
        assert f"{option} game.jsonl: is the file that is read" in result.stderr
    assert Path("game.jsonl").read_bytes() == before


def test_different_games_of_one_id_in_two_files_are_both_reviewed() -> None:
    write_record("a.jsonl", RECORD)
    games = [GameRecord.from_json(data) for data in contract_games("azul")]
    write_record("b.jsonl", replace(games[0], id=RECORD.id))
    result = pavilion("review", "a.jsonl", "b.jsonl", "--sims", 1, "--json")
    assert_clean(result)
    assert [json.loads(line)["id"] for line in result.stdout.splitlines()] == [
        RECORD.id, f"{RECORD.id}#2"]
    assert (f"note: b.jsonl, line 1: another game '{RECORD.id}' than on a.jsonl, line 1, called"
            f" {RECORD.id}#2") in error_lines(result)


# ------------------------------------------------------------------------------------- as text


def test_wide_letters_take_two_columns_of_the_text() -> None:
    agents = tuple({**agent, "name": "漢字 " * 30} for agent in RECORD.agents)
    write_record("wide.jsonl", replace(cut_short(RECORD, 1), agents=agents))
    result = pavilion("review", "wide.jsonl", "--sims", 1, "--text")
    assert_clean(result)
    assert max(map(breadth, result.stdout.splitlines())) <= 78


def test_the_text_has_every_move_in_words_with_marks_chances_and_better_lines() -> None:
    sims = ("--sims", 800)
    (told,) = [json.loads(line) for line in pavilion(
        "review", GAME, *sims, "--json", "--out", "k.jsonl").stdout.splitlines()]
    result = pavilion("review", GAME, *sims, "--text", "--out", "k.jsonl")
    assert_clean(result)
    lines = result.stdout.splitlines()
    assert all(len(line) <= 78 and line.isprintable() for line in lines)
    prose = " ".join(result.stdout.split())
    positions = replayed(RECORD)
    for number, move in enumerate(RECORD.moves, 1):
        assert describe(positions[number - 1], move) in prose, number
    marked = [d for d in told["decisions"] if d["mark"]]
    assert marked
    for d in told["decisions"]:
        assert f"{d['ply']}. seat {d['seat']}: {d['played']['move']}{d['mark']}, " in prose
    for d in marked:
        best = d["moves"][0]
        assert (f"gives away {100 * d['win_loss']:.1f} +-{100 * d['win_loss_error']:.1f} % and"
                f" {d['lead_loss']:.1f} points; better {best['move']}, "
                f"{describe(positions[d['ply'] - 1], best['move'])}"
                f" [{100 * best['win_prob']:.0f}%]") in prose
        assert f"; then {' '.join(best['pv'][1:6])}" in prose or len(best["pv"]) == 1
    assert told["draws"]
    for draw in told["draws"]:
        luck = ", ".join(f"seat {seat} {signed(100 * share)} %"
                         for seat, share in enumerate(draw["luck"]))
        words = prose.partition(f" {draw['ply']}. (")[2].partition(f" {draw['ply'] + 1}. ")[0]
        assert (f"; {luck})" in words) == any(abs(share) >= 0.0005 for share in draw["luck"])
    assert re.findall(r"^Round (\d)", result.stdout, re.MULTILINE) == list("123456")
    for seat in (0, 1):
        assert f"seat {seat} lost {100 * told['seats'][seat]['win_loss']:.1f} %" in prose


def test_several_games_and_spoilt_ones_as_text() -> None:
    bad = replace(RECORD, id="bad\x1b[31m", moves=(*RECORD.moves[:20], "D9:G"))
    write_record("two.jsonl", bad)
    write_record("two.jsonl", RECORD)
    result = pavilion("review", "two.jsonl", "--sims", 1, "--text")
    assert_clean(result, 1)
    assert "\x1b" not in result.stdout
    assert result.stdout.count("judged by") == 2
    assert "move 21: D9:G is not legal" in " ".join(result.stdout.split())
    refused = pavilion("review", GAME, "--text", "--json")
    assert_clean(refused, 2)
    assert "--text and --json exclude each other" in refused.stderr
