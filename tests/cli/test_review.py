"""`review` as a person types it, and its page as a browser reads it."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import re
import signal
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pavilion_ai.limits import Limits
from pavilion_ai.processors import cores
from pavilion_ai.record import GameRecord, read_records, write_record
from pavilion_ai.render import describe
from pavilion_ai.render.review_html import page
from pavilion_ai.review import Judge, Review, review_game
from pavilion_ai.review.kept import KEPT_MOVES
from tests.cli.support import (
    CONTRACT,
    GAME,
    RECORD,
    ROOT,
    assert_clean,
    contract_games,
    cut_short,
    error_lines,
    pavilion,
    process,
    start,
)
from tests.plays import replayed

SIMS = ("--sims", 60)
MARKING = ("--sims", 800)
"""As many as it takes to find mistakes in the game of the examples."""
VOID = {"meta", "link", "br", "img", "hr", "input"}


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A file of two games of base Azul, for three and four players."""
    path = tmp_path / "two.jsonl"
    games = [GameRecord.from_json(data) for data in contract_games("azul")]
    for players in (3, 4):
        write_record(path, next(game for game in games if game.start.players == players))
    return path


def objects(*arguments: object) -> list[dict[str, Any]]:
    """Return what `review --json` prints."""
    result = pavilion("review", *arguments, "--json")
    assert_clean(result)
    return [json.loads(line) for line in result.stdout.splitlines()]


# ------------------------------------------------------------------------------------- as text

def test_the_document_shows_what_is_printed() -> None:
    text = (ROOT / "docs" / "review.md").read_text()
    command, shown = re.findall(r"```console\n\$ pavilion (review .+)\n((?:.+\n|\n)+?)```", text)[0]
    result = process(*command.replace("examples/game_2p.jsonl", str(GAME)).split(),
                     timeout=300)
    assert result.returncode == 0
    # A machine that takes more than ten seconds is told how far it is.
    assert all(re.fullmatch(rb"decision \d+ of \d+(, .+ left)?", line)
               for line in result.stderr.splitlines())
    assert result.stdout.decode() == shown


def test_a_review_in_python_shows_what_the_command_does(tmp_path: Path) -> None:
    record, path = cut_short(RECORD, 12), tmp_path / "short.jsonl"
    write_record(path, record)
    review = review_game(record, Judge("default", Limits(sims=60)))
    assert f"{review}\n" == pavilion("review", path, *SIMS).stdout
    assert [json.loads(json.dumps(review.to_json()))] == objects(path, *SIMS)
    assert repr(review) == (f"<Review of game {record.id!r}: {len(review.judgements)} decisions"
                            " judged by 'default'>")


def test_marked_moves_are_played_on(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = (GAME, *MARKING, "--rollout", 20, "--out", tmp_path / "judged.jsonl")
    (found,) = objects(*options, "--html", page)
    marked = [d for d in found["decisions"] if d["mark"]]
    assert marked
    assert marked == [d for d in found["decisions"] if "rollout" in d]
    assert all(d["rollout"]["trials"] <= 20 for d in marked)
    said = [f"played on {d['rollout']['trials']} times by policy: "
            + ("gives away" if d["rollout"]["win_loss"] >= 0 else "gains") for d in marked]
    for form in ((), ("--text",)):
        result = pavilion("review", *options, *form)
        assert_clean(result)
        rows = " ".join(result.stdout.split())
        assert re.findall(r"played on \d+ times by policy: (?:gives away|gains)", rows) == said
    assert page.read_text().count("Played on") >= len(said)


def test_only_the_decisions_of_one_player_are_listed(tmp_path: Path) -> None:
    options = ("review", GAME, *SIMS, "--all", "--out", tmp_path / "judged.jsonl")
    whole = pavilion(*options).stdout

    def seats(text: str) -> list[str]:
        return re.findall(r"^ {0,3}\d+ +\d+ +(\d)  ", text, re.M)

    assert set(seats(whole)) == {"0", "1"}
    for name, seat in (("default:level=9", "1"), ("seat 0", "0")):
        result = pavilion(*options, "--player", name)
        assert_clean(result)
        assert seats(result.stdout) == [one for one in seats(whole) if one == seat]
        tables = "chance to win in %"
        assert result.stdout.partition(tables)[2] == whole.partition(tables)[2]
    both = pavilion(*options, "--player", "seat 0", "--player", "seat 1")
    assert both.stdout == whole
    plain = pavilion(*options, "--json")
    other = pavilion(*options, "--json", "--player", "seat 0")
    assert other.stdout == plain.stdout
    assert "note: --player has no effect on --json\n" in other.stderr
    text = pavilion(*options, "--text", "--player", "seat 0")
    assert text.stdout == pavilion(*options, "--text").stdout
    assert "note: --player has no effect on --text\n" in text.stderr


def test_a_player_of_one_of_the_games_is_no_stranger(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.jsonl" for name in ("Ann", "Bob")]
    for path in paths:
        agents = ({"spec": "human", "version": "", "name": path.stem}, RECORD.agents[1])
        write_record(path, replace(cut_short(RECORD, 2), id=path.stem, agents=agents))
    result = pavilion("review", *paths, "--sims", 2, "--player", "Ann")
    assert_clean(result)


def test_a_player_who_is_not_there_is_refused() -> None:
    result = pavilion("review", GAME, "--player", "default:level=7")
    assert_clean(result, 2)
    assert error_lines(result) == [
        f"error: --player: nobody is called 'default:level=7' in {GAME}; there is"
        " default:level=8, default:level=9, seat 0, seat 1"]


def test_every_mark_stands_in_a_row_with_both_moves(tmp_path: Path) -> None:
    options = (GAME, *MARKING, "--out", tmp_path / "judged.jsonl")
    (found,) = objects(*options)
    result = pavilion("review", *options)
    assert_clean(result)
    lines = result.stdout.splitlines()
    assert all(len(line) <= 80 for line in lines)
    rows = [line.split() for line in lines if re.match(r" {0,3}\d+ +\d+ +\d+  \S", line)]
    marked = [d for d in found["decisions"] if d["mark"]]
    assert marked
    assert [(int(row[0]), int(row[2]), row[3], row[4]) for row in rows] == [
        (d["ply"], d["seat"], d["mark"], d["played"]["move"]) for d in marked]
    positions = replayed(RECORD)
    prose = " ".join(result.stdout.split())
    heads = next(line for line in lines if line.split()[:2] == ["moves", "agreed"])
    for head in re.findall(r"lost %|each %|luck %|\S+", heads):  # each column is explained
        key = rf"(.*, )?{re.escape(head)}(,.*)?: .+"
        assert any(re.fullmatch(key, line) for line in lines), head
    for d in marked:
        best = d["moves"][0]["move"]
        assert f"better {best}: {describe(positions[d['ply'] - 1], best)}" in prose


def test_all_decisions_can_be_listed() -> None:
    result = pavilion("review", GAME, *SIMS, "--all")
    rows = re.findall(r"^ {0,3}\d+ +\d+ +\d+  ", result.stdout, re.MULTILINE)
    assert len(rows) == sum(not m.startswith(("deal:", "supply:")) for m in RECORD.moves)
    assert "the only move" in result.stdout


def test_a_game_without_marks_says_so(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    write_record(path, cut_short(RECORD, 1))
    result = pavilion("review", path, *SIMS)
    assert_clean(result)
    assert "no decision lost 2 % or more, and more than its error" in result.stdout
    assert "unfinished" in result.stdout
    theirs = pavilion("review", path, *SIMS, "--player", "seat 1", "--player", "seat 0").stdout
    assert "no decision of seat 1 or seat 0 lost 2 % or more" in theirs
    told = pavilion("review", path, *SIMS, "--text").stdout
    assert "lost 0.0 % and 0.0 points in 0 decisions, luck " in told
    write_record(tmp_path / "none.jsonl", cut_short(RECORD, 0))
    result = pavilion("review", tmp_path / "none.jsonl", *SIMS, "--html", tmp_path / "none.html")
    assert_clean(result)
    assert "no decision was judged" in result.stdout
    assert "No decision was judged" in (tmp_path / "none.html").read_text()


def test_several_games_and_their_sums_by_agent(two: Path) -> None:
    result = pavilion("review", two, *SIMS)
    assert_clean(result)
    assert result.stdout.count("judged by") == 2
    heads = [line for line in result.stdout.splitlines() if line.startswith("game ")]
    assert len(heads) == 2
    assert "2 games, by agent, means of a game" in result.stdout
    names = [record.id for record in read_records(two)]
    chosen = pavilion("review", two, *SIMS, "--game", names[1])
    assert chosen.stdout.startswith(f"game {names[1]}: ")
    assert "by agent" not in chosen.stdout


def test_of_many_games_few_moves_are_kept_and_time_is_that_of_one(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Review] = []
    monkeypatch.setattr("pavilion_ai.cli.review._print", lambda one, *_: found.append(one))
    monkeypatch.setattr("pavilion_ai.cli.progress.LINE_SECONDS", 0.0)
    result = pavilion("review", two, "--sims", 9)
    for review in found:
        assert max(len(one.analysis.moves) for one in review.judgements) == KEPT_MOVES
    told = re.compile(r"game [12] of 2, decision \d+ of \d+(, .+ left in this game)?")
    lines = result.stderr.splitlines()
    assert all(map(told.fullmatch, lines))
    assert lines[-1].endswith(", 0 s left in this game")


# ------------------------------------------------------------------------------------- as JSON

def test_the_last_of_several_games_sums_them_up(two: Path) -> None:
    first, last = objects(two, *SIMS, "--seed", 5)
    assert "several" not in first
    several = last["several"]
    assert (several["games"], several["unfinished"], several["left_out"]) == (2, 0, 0)
    decisions = [(d["phase"], d) for game in (first, last) for d in game["decisions"]
                 if d["choices"] > 1]
    for phase in {phase for phase, _ in decisions}:
        mine = [d for one, d in decisions if one == phase]
        sums = [sums for player in several["players"] for sums in player["phases"]
                if sums["phase"] == phase]
        assert sum(one["decisions"] for one in sums) == len(mine)
        assert sum(one["agreed"] for one in sums) == sum(d["agrees"] for d in mine)
        assert sum(one["lead_loss"] for one in sums) == pytest.approx(
            sum(d["lead_loss"] for d in mine), abs=1e-3)
    chosen = objects(two, *SIMS, "--seed", 5, "--game", first["id"])
    assert chosen == [first]


def test_an_object_for_each_game(two: Path) -> None:
    found = objects(two, *SIMS, "--seed", 5)
    assert found == objects(two, *SIMS, "--seed", 5, "--jobs", 1)
    for record, review in zip(read_records(two), found, strict=True):
        data = record.to_json()
        for key in ("id", "game", "board", "agents", "scores", "winners", "reason"):
            assert review[key] == data[key]
        assert (review["complete"], "fault" in review) == (True, False)
        assert (review["agent"], review["seed"]) == ("default", 5)
        assert review["limits"] == {"sims": 60, "seconds": None}
        decided = [n for n, m in enumerate(record.moves, 1) if not m.startswith("deal:")]
        assert [d["ply"] for d in review["decisions"]] == decided
        for seat, sums in enumerate(review["seats"]):
            mine = [d for d in review["decisions"] if d["seat"] == seat and d["choices"] > 1]
            assert sums["decisions"] == len(mine)
            assert sums["win_loss"] == pytest.approx(sum(d["win_loss"] for d in mine), abs=1e-3)
            assert sums["marks"] == {
                mark: sum(d["mark"] == mark for d in mine) for mark in ("??", "?", "?!")}


def test_a_decision_is_what_suggest_says() -> None:
    (found,) = objects(GAME, "--sims", 200, "--seed", 2)
    decision = found["decisions"][20]
    said = pavilion("suggest", decision["position"], "--sims", 200, "--seed", 2, "--json",
                    "--agent", "default", "--top", 3)
    assert json.loads(said.stdout)["moves"] == decision["moves"]


# ------------------------------------------------------------------------------------- as a page

class Page(HTMLParser):
    """Reads a page and checks that every element is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.note(tag, attrs)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.note(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for key, value in attrs:
            assert not key.startswith("on")
            if key == "id":
                self.ids.append(value or "")
            if key in ("href", "src"):
                self.links.append(value or "")


def test_the_page_stands_for_itself(two: Path, tmp_path: Path) -> None:
    path = tmp_path / "review.html"
    result = pavilion("review", two, *SIMS, "--html", path)
    assert_clean(result)
    text = path.read_text()
    page = Page(text)
    assert not {"link", "img", "iframe"} & set(page.tags)
    data, script = re.findall(r"<script([^>]*)>(.*?)</script>", text, re.S)
    assert (data[0], script[0]) == (' type="application/json" id="pictures"', "")
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src" in text
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    found = objects(two, *SIMS)
    assert len(page.ids) == len(set(page.ids))
    rows = {i for i in page.ids if "p" in i and i != "pictures"}
    assert len(rows) == sum(len(g["decisions"]) for g in found)
    marks = [d["mark"] for g in found for d in g["decisions"] if d["mark"]]
    assert page.tags.count("details") == len(marks) > 0
    assert page.tags.count("circle") >= len(marks)
    assert page.tags.count("thead") == 2
    links = re.findall(r'<a href="#g\d+p\d+" aria-label="ply \d+, seat \d: ', text)
    assert len(links) == len(marks)
    assert text.count('role="group" aria-label="chance to win over the game"') == 2
    pictures = json.loads(data[1])
    assert set(pictures["pictures"]) == rows
    for number, game in enumerate(found, 1):
        for decision in game["decisions"][::9]:
            packed = pictures["pictures"][f"g{number}p{decision['ply']}"]
            drawn = ElementTree.fromstring(unpacked(packed, pictures["pieces"]))
            assert str(decision["round"]) in "".join(drawn.itertext())
            labels = [text for text in drawn.itertext() if text in ("played", "better", "as good")]
            assert labels.count("played") == 1
            assert len(labels) == 2 - decision["agrees"]
    assert max(map(len, pictures["pieces"])) < 3000  # shared in small pieces


def unpacked(ranges: str, pieces: list[str]) -> str:
    """Put a picture of the page together."""
    ends = [[int(end) for end in part.split("-")] for part in ranges.split(",")]
    return "".join(pieces[number] for end in ends for number in range(end[0], end[-1] + 1))


def test_the_page_of_many_games_has_pictures_of_mistakes_alone(tmp_path: Path) -> None:
    short = cut_short(RECORD, 26)
    for number in range(5):
        write_record(tmp_path / "games.jsonl", replace(short, id=f"game {number}"))
    page = tmp_path / "x.html"
    assert_clean(pavilion("review", tmp_path / "games.jsonl", *MARKING, "--html", page))
    text = page.read_text()
    (data,) = re.findall(r'id="pictures">(.*?)</script>', text, re.S)
    marked = set(re.findall(r'<tr id="(g[0-9]p[0-9]+)"[^>]* data-mark="[?!]+"', text))
    assert len(marked) >= 5
    assert set(json.loads(data)["pictures"]) == marked


def test_names_of_players_are_no_markup(tmp_path: Path) -> None:
    spec = "<b>&\"x\" \x1b[31m"
    agents = ({"spec": spec, "version": "1"}, RECORD.agents[1])
    first = replace(cut_short(RECORD, 30), agents=agents, id="<i>")
    (tmp_path / "game.jsonl").write_text("".join(  # several games have a list of links
        json.dumps(one.to_json()) + "\n" for one in (first, replace(first, id="<i>2"))))
    result = pavilion("review", tmp_path / "game.jsonl", *SIMS, "--html", tmp_path / "x.html")
    assert_clean(result)
    assert "\x1b" not in result.stdout
    page = Page((tmp_path / "x.html").read_text())
    assert not {"b", "i"} & set(page.tags)
    assert page.tags.count("script") == 2
    assert "seat 0: <b>&\"x\" ?[31m" in page.words


# ------------------------------------------------------------------------------------- in trouble

def test_a_game_that_does_not_replay_is_reviewed_as_far_as_it_goes(tmp_path: Path) -> None:
    moves = (*RECORD.moves[:5], "D9:G", *RECORD.moves[6:])
    path = tmp_path / "spoilt.jsonl"
    write_record(path, replace(RECORD, moves=moves))
    result = pavilion("review", path, *SIMS, "--html", tmp_path / "x.html")
    assert_clean(result, 1)
    (line,) = error_lines(result)
    assert f"record {RECORD.id!r}, move 6: " in line
    assert "judged by" in result.stdout
    assert "move 6" in (tmp_path / "x.html").read_text()


def test_the_page_alone_goes_on_where_nothing_can_be_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games, page, tried = tmp_path / "games.jsonl", tmp_path / "x.html", []
    for name in ("one", "two"):
        write_record(games, replace(cut_short(RECORD, 1), id=name))

    def full(review: Review, *_: object) -> None:
        tried.append(review.record.id)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pavilion_ai.cli.review._print", full)
    result = pavilion("review", games, "--sims", 1, "--html", page)
    assert (result.exit_code, tried) == (1, ["one"])
    assert page.read_text().count("<h2") >= 2


def test_ctrl_c_leaves_a_page_that_is_being_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(reviews: Sequence[Review]) -> str:
        signal.raise_signal(signal.SIGINT)
        return page(reviews)

    monkeypatch.setattr("pavilion_ai.render.review_html.page", interrupted)
    game, path = tmp_path / "game.jsonl", tmp_path / "x.html"
    write_record(game, cut_short(RECORD, 1))
    assert_clean(pavilion("review", game, "--sims", 1, "--html", path), 130)
    Page(path.read_text())


@pytest.mark.parametrize(("arguments", "words"), [
    (["nobody.jsonl"], "nobody.jsonl: No such file or directory"),
    ([GAME, "--game", "x"], "--game: no game 'x' in"),
    ([GAME, "--sims", 5, "--time-per-move", 1], "--time-per-move and --sims exclude each other"),
    ([GAME, "--agent", "greedy"], "agent 'greedy': says nothing of moves but its own, expected"),
    ([GAME, "--agent", "default:level=2"], "plays below its strength"),
    ([GAME, "--html", "nowhere/x.html"], "--html nowhere/x.html: cannot be written in"),
    ([GAME, "--html", "."], "--html .: is a directory, expected a file to write"),
    ([GAME, "--html", ""], "--html '': is not a valid file name"),
    ([GAME, "--jobs", 0], "'0' is not a whole number from 1"),
    (["-"], "records are not read from standard input"),
    ([CONTRACT / "perft.jsonl"], "perft.jsonl, line 1: found a record without 'id'"),
])
def test_bad_input(arguments: list[object], words: str) -> None:
    result = pavilion("review", *arguments)
    assert_clean(result, 2)
    (line,) = error_lines(result)
    assert words in line


def test_the_page_never_takes_the_place_of_the_records(tmp_path: Path) -> None:
    path, link = tmp_path / "game.jsonl", tmp_path / "link.html"
    path.write_bytes(GAME.read_bytes())
    link.symlink_to(path)
    for target in (path, link):
        result = pavilion("review", path, *SIMS, "--html", target)
        assert_clean(result, 2)
        assert error_lines(result) == [f"error: --html {target}: is the file that is read"]
    assert path.read_bytes() == GAME.read_bytes()


def test_games_that_end_early_do_not_count_as_games(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, RECORD)
    write_record(path, replace(RECORD, id="spoilt", moves=(*RECORD.moves[:5], "D9:G")))
    result = pavilion("review", path, *SIMS)
    assert_clean(result, 1)
    assert "1 game, by agent, means of a game; without 1 not reviewed to the end" in result.stdout
    assert "record 'spoilt', move 6: " in " ".join(result.stdout.split())
    both = pavilion("review", path, *SIMS, "--game", "spoilt", "--game", "spoilt")
    assert both.stdout.count("judged by") == 1


def test_narrow_terminals_keep_seats_and_rows(monkeypatch: pytest.MonkeyPatch, two: Path) -> None:
    result = process("review", two, *SIMS, COLUMNS="60")
    lines = result.stdout.decode().splitlines()
    assert max(map(len, lines)) <= 60
    assert sum(line.startswith(tuple("0123")) for line in lines) >= 2 * (3 + 4)


def test_ctrl_c_prints_what_is_known(tmp_path: Path) -> None:
    page, jobs = tmp_path / "x.html", min(2, cores())  # more would be done too soon
    for seconds in (4, 16):    # on a busy machine nothing is known after the first ones
        running = start("review", GAME, "--time-per-move", 0.3, "--json", "--html", page,
                        "--jobs", jobs)
        with pytest.raises(Exception, match="timed out"):
            running.communicate(timeout=seconds)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=30)
        if output:
            break
    assert (running.returncode, errors) == (130, b"")
    found = json.loads(output)
    assert found["complete"] is False
    decided = [n for n, m in enumerate(RECORD.moves, 1) if not m.startswith(("deal:", "supply:"))]
    known = [d["ply"] for d in found["decisions"]]
    begun = decided[: decided.index(known[-1]) + 1]
    assert known == [ply for ply in begun if ply in known]
    assert len(begun) - len(known) < jobs  # others were still being searched
    assert 0 < len(known) < len(decided)
    Page(page.read_text())


def test_a_review_fits_a_narrow_terminal(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    write_record(path, replace(RECORD, id="a game that has a long name of many words"))
    result = process("review", path, "--sims", 1, "--all", COLUMNS="40")
    told = result.stdout.decode().splitlines()
    assert [row for row in told if row.startswith("chance to win")]
    assert max(map(len, told)) <= 40
