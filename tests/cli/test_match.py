"""Matches and tournaments on the command line: reports, going on, and whatever gets in the way."""

from __future__ import annotations

import contextlib
import errno
import gc
import json
import math
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from pavilion_ai import processors
from pavilion_ai.agents import make_agent
from pavilion_ai.cli import arena as cli_arena
from pavilion_ai.cli import programs
from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.errors import PavilionError, shown
from pavilion_ai.external import engine as external
from pavilion_ai.files import LockedFile
from pavilion_ai.match.inprocess import Match
from pavilion_ai.match.results import result_of
from pavilion_ai.match.runner import Runner
from pavilion_ai.match.table import task_of
from pavilion_ai.network import NETS
from pavilion_ai.record import GameRecord, Recorder, read_records
from pavilion_ai.render.live import LiveReport
from pavilion_ai.stats import Sprt
from pavilion_ai.version import __version__
from pavilion_ai.workers.local import LocalWorkers
from tests.cli.support import assert_clean, command, environment, error_lines, pavilion, process
from tests.match.support import (
    MOCK,
    alive,
    descendants,
    event,
    games,
    is_worker,
    killer,
    listening,
    mock,
    played,
    wait_until,
)

QUICK = ("match", "greedy", "random", "--seed", 3, "--jobs", 1)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, on one processor where nobody says how many."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(processors, "cores", lambda: 1)
    return tmp_path


@pytest.fixture
def nobody_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every attempt to play fail."""

    def refuse(_: LocalWorkers) -> None:
        raise AssertionError("a game was to be played")

    monkeypatch.setattr(LocalWorkers, "executor", property(refuse))


def recorded(path: str | Path) -> dict[str, dict[str, Any]]:
    """Return the games of a file that has one whole line for each, and one line only."""
    content = Path(path).read_bytes()
    assert content.endswith(b"\n") or not content
    records = list(read_records(path))
    assert content.count(b"\n") == len(records)
    return games(records)


def reference(*specs: str, pairs: int, seed: int = 3, kind: str = "match", **rest: Any
              ) -> dict[str, dict[str, Any]]:
    """Return the games that an event has to consist of, played here and at once."""
    return games(played(event(*specs, rounds=pairs, seed=seed, kind=kind, **rest)))


def assert_same_games(path: str | Path, wanted: dict[str, dict[str, Any]]) -> None:
    """Check that a file has just these games, and name what differs: a rare fault shows once."""
    found = recorded(path)
    assert found.keys() == wanted.keys()
    for name, game in wanted.items():
        differing = {key: (found[name].get(key), game.get(key))
                     for key in found[name].keys() | game if found[name].get(key) != game.get(key)}
        if differing:
            pytest.fail(f"{name}, found and wanted: {differing}")


def finite(value: object) -> bool:
    """Tell whether no number in a JSON value is infinite or none."""
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


# ------------------------------------------------------------------ reports


def test_a_match_as_text() -> None:
    done = pavilion(*QUICK, "--pairs", 5)
    assert_clean(done)
    lines = done.stdout.splitlines()
    assert lines[0] == "greedy against random"
    assert lines[1] == "summer, coloured, 2 players, seed 3"
    assert "10 in 5 pairs" in done.stdout
    for word in ("Elo", "LOS", "starter", "score", "margin", "s/move"):
        assert word in done.stdout
    assert not {"nan", "inf"} & set(re.findall(r"[a-z]+", done.stdout))
    assert error_lines(done)[-1].startswith("games 10 of 10")
    assert os.listdir() == []


def test_a_match_as_json() -> None:
    done = pavilion(*QUICK, "--pairs", 5, "--json")
    assert_clean(done)
    assert done.stdout.count("\n") == 1
    found = json.loads(done.stdout)
    assert finite(found)
    assert (found["games"], found["pairs"]) == (10, 5)
    assert found["event"]["settings"]["seed"] == 3
    assert [entrant["spec"] for entrant in found["entrants"]] == ["greedy", "random"]
    assert [entrant["games"] for entrant in found["entrants"]] == [10, 10]
    assert sum(found["head_to_head"]["pentanomial"]) == 5
    again = json.loads(pavilion(*QUICK, "--pairs", 5, "--json", "--jobs", 2).stdout)
    for entrant in [*found["entrants"], *again["entrants"]]:
        del entrant["seconds_per_move"]
    assert again["entrants"] == found["entrants"]
    assert again["head_to_head"] == found["head_to_head"]


@pytest.mark.parametrize("specs", [["random", "random"], ["greedy", "greedy"]])
def test_equal_agents(specs: list[str]) -> None:
    """Twice the same spec, with and without chance in its play."""
    done = pavilion("match", *specs, "--pairs", 3, "--seed", 1, "--json", "--jobs", 1)
    assert_clean(done)
    found = json.loads(done.stdout)
    assert [entrant["name"] for entrant in found["entrants"]] == [specs[0], f"{specs[0]}#2"]
    assert sum(entrant["points"] for entrant in found["entrants"]) == 6
    assert finite(found)
    assert_clean(pavilion("match", *specs, "--pairs", 1, "--seed", 1, "--jobs", 1))


@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_larger_matches(count: int, form: list[str]) -> None:
    specs = ["greedy", "random", "policy", "random"][:count]
    done = pavilion("match", *specs, "--pairs", 2, "--seed", 1, "--jobs", 1, "--board", "grey",
                    "--out", "x.jsonl", *form)
    assert_clean(done)
    assert recorded("x.jsonl") == reference(*specs, pairs=2, seed=1, board="grey")
    if form:
        found = json.loads(done.stdout)
        assert finite(found)
        assert found["games"] == 2 * count
        assert found["head_to_head"] is None
    else:
        assert f"{count} players" in done.stdout


@pytest.mark.parametrize(("system", "size"), [
    ("round-robin", 6 * 2), ("gauntlet", 3 * 2), ("ladder", 5 * 2), ("swiss", 2 * 2)])
def test_tournaments(system: str, size: int) -> None:
    specs = ["greedy", "random", "policy", "random"]
    arguments = ("tournament", *specs, "--system", system, "--rounds", 2, "--seed", 5, "--jobs", 2,
                 "--out", "x.jsonl")
    done = pavilion(*arguments)
    assert_clean(done)
    for name in ("greedy", "random", "policy", "random#2"):
        assert name in done.stdout
    assert recorded("x.jsonl") == reference(*specs, pairs=2, seed=5, kind=system)
    found = json.loads(pavilion(*arguments, "--json").stdout)
    assert finite(found)
    assert found["games"] == 2 * size
    assert found["event"]["kind"] == system


def test_a_tournament_with_three_at_a_table() -> None:
    specs = ["greedy", "random", "policy", "random"]
    done = pavilion("tournament", *specs, "--players", 3, "--rounds", 1, "--seed", 5, "--json",
                    "--out", "x.jsonl", "--jobs", 1)
    assert_clean(done)
    assert json.loads(done.stdout)["games"] == 4 * 3
    assert recorded("x.jsonl") == reference(
        *specs, pairs=1, seed=5, kind="round-robin", players=3)


def test_a_sequential_test() -> None:
    done = pavilion(*QUICK, "--sprt", "0,100", "--json", "--out", "x.jsonl")
    assert_clean(done)
    head = json.loads(done.stdout)["head_to_head"]
    assert head["verdict"] == "H1"
    assert head["decided_at"] == len(head["llr_path"]) < 100
    before = Path("x.jsonl").read_bytes()
    again = pavilion(*QUICK, "--sprt", "0,100", "--json", "--out", "x.jsonl", "--jobs", 2)
    assert json.loads(again.stdout)["head_to_head"] == head
    assert Path("x.jsonl").read_bytes() == before
    text = pavilion(*QUICK, "--sprt", "0,100", "--out", "x.jsonl").stdout
    assert "H1" in text
    # At most so many pairs; then there is no answer yet.
    done = pavilion(*QUICK, "--sprt", "0,1", "--pairs", 3, "--json", "--alpha", "0.01")
    head = json.loads(done.stdout)["head_to_head"]
    assert (head["verdict"], len(head["llr_path"])) == (None, 3)


def test_the_ratio_of_a_test_is_computed_once_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[None] = []
    llr = Sprt.llr

    def counting(*arguments: Any) -> float:
        counted.append(None)
        return llr(*arguments)

    monkeypatch.setattr(Sprt, "llr", counting)
    done = pavilion(*QUICK, "--sprt", "0,100", "--json", "--plot", "x.svg")
    assert_clean(done)
    assert len(counted) == len(json.loads(done.stdout)["head_to_head"]["llr_path"])


def test_a_sequential_test_of_three() -> None:
    quick = ("match", "policy:net=0", "random", "random", "--seed", 3, "--sprt", "0,150")
    done = pavilion(*quick, "--json", "--out", "x.jsonl", "--jobs", 2)
    assert_clean(done)
    found = json.loads(done.stdout)
    assert found["head_to_head"] is None
    assert found["test"]["verdict"] == "H1"
    assert found["pairs"] == found["test"]["decided_at"] == len(found["test"]["llr_path"]) < 60
    text = " ".join(pavilion(*quick, "--out", "x.jsonl").stdout.split())
    assert "SPRT policy:net=0: nElo 0 (H0) or 150 (H1): LLR +" in text
    assert f"H1 accepted after {found['pairs']} sets" in text


def test_a_negative_bound_is_no_option() -> None:
    done = pavilion("match", "random", "greedy", "--seed", 3, "--sprt", "-200,-100", "--json")
    assert_clean(done)
    assert json.loads(done.stdout)["head_to_head"]["verdict"] == "H0"


def test_games_are_handed_out_before_the_first_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def handed_out(*arguments: Any) -> Any:
        done.append("game")
        return task_of(*arguments)

    monkeypatch.setattr("pavilion_ai.match.runner.task_of", handed_out)
    monkeypatch.setattr(LiveReport, "look", lambda _: done.append("look"))
    assert_clean(pavilion(*QUICK, "--pairs", 2))
    assert done[0] == "game"
    assert set(done) == {"game", "look"}


def test_the_last_progress_has_the_numbers_of_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    from pavilion_ai.match import report

    counted: list[str] = []
    made = report.report

    def counting(event: Any, results: list[Any], **more: Any) -> Any:
        counted.append(f"games {len(results)} of 6")
        return made(event, results, **more)

    monkeypatch.setattr(report, "report", counting)
    monkeypatch.setattr(LiveReport, "look", lambda live: live._show(0.0))
    done = pavilion("tournament", "greedy", "random", "policy", "--rounds", 1, "--jobs", 1,
                    "--seed", 1)
    assert_clean(done)
    shown = [line[:12] for line in error_lines(done)]
    assert counted == [*shown, shown[-1]]
    assert shown[-1] == "games 6 of 6"
    assert "3. random <=+512" in error_lines(done)[-1]
    assert "3 random <=+512" in " ".join(done.stdout.split())


def test_a_time_for_who_names_none() -> None:
    done = pavilion("match", "flat:sims=4", "random", "--pairs", 1, "--seed", 1)
    assert not any(text.startswith("note: ") for text in error_lines(done))
    done = pavilion("match", "flat:sims=4", "flat", "--sims", 8, "--pairs", 1, "--json")
    assert [e["sims_per_move"] for e in json.loads(done.stdout)["entrants"]] == [4, 8]
    done = pavilion("match", "ismcts", "--time", "0.001", "random", "--pairs", 1, "--json")
    limits = json.loads(done.stdout)["event"]["settings"]["limits"]
    assert limits["seconds"] == 0.001


def test_draws_that_are_not_tied() -> None:
    done = pavilion("match", "greedy", "greedy", "--pairs", 2, "--seed", 3, "--untied", "--out",
                    "x.jsonl")
    assert_clean(done)
    assert recorded("x.jsonl") == reference("greedy", "greedy", pairs=2, tied=False)


def test_a_plot() -> None:
    pytest.importorskip("matplotlib")
    assert_clean(pavilion(*QUICK, "--pairs", 3, "--plot", "x.svg"))
    assert b"<svg" in Path("x.svg").read_bytes()


# ------------------------------------------------------------------ bad input


BAD: list[tuple[list[object], str]] = [
    (["match"], "Missing argument 'SPEC SPEC"),
    (["match", "greedy"], "SPEC: found 1, expected 2 to 4 agents"),
    (["match", *["greedy"] * 5], "SPEC: found 5, expected 2 to 4 agents"),
    (["match", "greedy", "grey"], "agent 'grey': expected one of random, greedy,"),
    (["match", "greedy", "human"], "agent 'human': expected one of random, greedy,"),
    (["match", "greedy", "ismcts:sims=many"], "option sims: found 'many', expected a whole number"),
    (["match", "greedy", "random:sims=1"], "agent random, option 'sims': expected none"),
    (["match", "greedy", "cmd:"], "agent 'cmd:': expected cmd:PROGRAM ARGS"),
    (["match", "greedy", "cmd:no-such-engine x"], "program 'no-such-engine': not found, expected"),
    (["match", "greedy", "cmd:'"], "no closing quotation"),
    (["match", "greedy", "cmd:'", "--clock", "1", "--cluster", "tcp://127.0.0.1:1"],
     "no closing quotation"),
    (["match", "greedy", "policy:net=x.net"], "x.net: No such file or directory"),
    (["match", "greedy", f"policy:net={NETS / 'azul-grey-2.net'}"],
     "azul-grey-2.net: a network for azul, grey, 2 players, expected one for summer, coloured"),
    (["match", "greedy", f"ismcts:net={__file__}"], "test_match.py: not a network file"),
    (["match", "greedy", "random", "--sprt", "5"], "--sprt: found '5', expected ELO0,ELO1"),
    (["match", "greedy", "random", "--alpha", "0.01"], "they need --sprt ELO0,ELO1"),
    (["match", "greedy", "random", "--sprt", "a,b"], "--sprt: found 'a,b', expected ELO0,ELO1"),
    (["match", "greedy", "random", "--sprt", "nan,1"], "--sprt: found 'nan,1', expected ELO0,ELO1"),
    (["match", "greedy", "random", "--sprt", "0,1,2"], "--sprt: found '0,1,2', expected ELO0,ELO1"),
    (["match", "greedy", "random", "--sprt", "5,0"], "expected the first to be the smaller one"),
    (["match", "greedy", "random", "--sprt", "0,9e9"], "both from -1000 to 1000"),
    (["match", "greedy", "random", "--alpha", "0.5"], "'0.5' is not a number above 0 and below"),
    (["match", "greedy", "random", "--beta", "x"], "'x' is not a number above 0 and below 0.5"),
    (["match", "greedy", "random", "--pairs", "0"], "'0' is not a whole number from 1"),
    (["match", "greedy", "random", "--rounds", "4"], "'--rounds'. Did you mean '--pairs'?"),
    (["match", "greedy", "random", "--jobs", "-1"], "'-1' is not a whole number from 1"),
    (["match", "greedy", "random", "--time", "0"], "'0' is not a number above 0"),
    (["match", "greedy", "random", "--time", "1", "--sims", "1"], "--time and --sims exclude"),
    (["match", "greedy", "random", "--seed", "-1"], "'-1' is not a whole number from 0"),
    (["match", "greedy", "random", "--players", "3"], "--players 3: "),
    (["match", "greedy", "random", "--board", "pink"], "--board: no side 'pink'; expected"),
    (["match", "greedy", "random", "--game", "chess"], "--game: no game 'chess'; expected"),
    (["match", "greedy", "random", "--plot", "x.txt"], "expected a file *.svg or *.png"),
    (["match", "greedy", "random", "--grace", "-1"], "'-1' is not a number from 0 to"),
    (["match", "greedy", "random", "--move-timeout", "0"], "'0' is not a number above 0"),
    (["match", "greedy", "random", "--out", "."], ".: Is a directory"),
    (["match", "greedy", "random", "--out", "no/x.jsonl"], "no/x.jsonl: cannot be created there"),
    (["match", "greedy", "random", "--out", "x" * 300], "File name too long"),
    (["match", "greedy", "random", "--out", "/dev/null"], "/dev/null: is not a regular file"),
    (["match", "greedy", "random", "--out", "a\0b"], "'a\\x00b': is not a valid file name"),
    (["tournament", "greedy", "random"], "SPEC: found 2, expected at least 3 agents"),
    (["tournament", *["greedy"] * 3, "--players", "3"], "expected at least 4 agents"),
    (["tournament", *["greedy"] * 9, "--players", "5"], "'5' is not a whole number from 2 to 4"),
    (["tournament", *["greedy"] * 9, "--players", "1"], "'1' is not a whole number from 2 to 4"),
    (["tournament", *["greedy"] * 3, "--system", "cup"], "'cup' is not one of 'round-robin'"),
    (["tournament", *["greedy"] * 3, "--rounds", "x"], "'x' is not a whole number from 1"),
    (["tournament", *["greedy"] * 3, "--pairs", "4"], "'--pairs'. Did you mean '--rounds'?"),
    (["tournament", *["greedy"] * 3, "--sprt", "0,5"], "No such option"),
    (["tournament", *["greedy"] * 500, "--players", "4"], "found 2,573,031,125 tables in a round"),
]


@pytest.mark.usefixtures("nobody_plays")
@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_line(arguments: list[object], message: str) -> None:
    done = pavilion(*arguments)
    assert_clean(done, 2)
    assert done.stdout == ""
    *notes, last = error_lines(done)
    assert last.startswith("error: ")
    assert message in last
    assert "internal" not in last
    assert all(text.startswith("note: ") for text in notes)
    assert os.listdir() == []


@pytest.mark.usefixtures("nobody_plays")
def test_a_plot_into_a_folder_that_is_not_there() -> None:
    done = pavilion(*QUICK, "--plot", "no/x.svg")
    assert_clean(done, 2)
    line, = error_lines(done)
    assert line.startswith("error: ")
    assert "no/x.svg" in line


FILES = {
    "garbage": b"hello\n",
    "binary": bytes(range(256)),
    "json": b'{"id": "1-1"}\n',
    "endless": b"{" * 5_000_000,
}


@pytest.mark.usefixtures("nobody_plays")
@pytest.mark.parametrize("name", FILES)
def test_other_files_are_left_alone(name: str) -> None:
    Path(name).write_bytes(FILES[name])
    done = pavilion(*QUICK, "--out", name)
    assert_clean(done, 2)
    line, = error_lines(done)
    assert line.startswith(f"error: {name}, line 1: ")
    assert Path(name).read_bytes() == FILES[name]


def refused(path: str, *arguments: object) -> str:
    """Return the line with which a command refuses a file, which stays as it is."""
    before = Path(path).read_bytes()
    done = pavilion(*arguments, "--out", path, "--jobs", 1)
    assert_clean(done, 2)
    assert Path(path).read_bytes() == before
    return error_lines(done)[-1]


def test_a_game_of_play_is_refused() -> None:
    assert_clean(pavilion("play", "--seats", "greedy,random", "--seed", 1, "--record", "x.jsonl"))
    line = refused("x.jsonl", "match", "greedy", "random")
    assert line.endswith("was not played in a match or tournament; choose another --out")


def test_the_file_of_another_event_is_refused() -> None:
    assert_clean(pavilion(*QUICK, "--pairs", 1, "--out", "x.jsonl"))
    cases: list[tuple[list[object], str]] = [
        (["greedy", "random", "--seed", 4], "seed 3, expected 4"),
        (["greedy", "policy"], 'agents ["greedy", "random"], expected ["greedy", "policy"]'),
        (["random", "greedy"], 'agents ["greedy", "random"], expected ["random", "greedy"]'),
        (["greedy", "random", "--board", "grey"], 'board "coloured", expected "grey"'),
        (["greedy", "random", "policy"], "players 2, expected 3"),
        (["greedy", "random", "--untied"], "tied true, expected false"),
    ]
    for arguments, message in cases:
        line = refused("x.jsonl", "match", *arguments)
        assert line.startswith("error: x.jsonl: game ")
        assert line.endswith(f"{message}; choose another --out"), message
    assert_clean(pavilion("match", "flat", "random", "--sims", 4, "--pairs", 1, "--out", "y.jsonl"))
    line = refused("y.jsonl", "match", "flat", "random", "--sims", 5)
    assert line.endswith('limits {"sims": 4, "seconds": null}, expected {"sims": 5,'
                         ' "seconds": null}; choose another --out')


@pytest.mark.parametrize("arguments", [
    ["match", "greedy", "random"],
    ["match", "greedy", "random", "--sprt", "0,5"],
    ["tournament", "greedy", "random", "policy", "--system", "gauntlet", "--rounds", 1],
    ["tournament", "greedy", "random", "policy", "--system", "swiss", "--rounds", 1],
])
def test_the_file_of_another_kind_of_event_is_refused(arguments: list[object]) -> None:
    assert_clean(pavilion("tournament", "greedy", "random", "policy", "--rounds", 1, "--seed", 3,
                          "--out", "x.jsonl", "--jobs", 1))
    if arguments[0] == "match":  # only the games of these two
        Path("x.jsonl").write_bytes(b"".join(
            line for line in Path("x.jsonl").read_bytes().splitlines(keepends=True)
            if json.loads(line)["id"].startswith("1.1-")))
    assert "internal error" not in refused("x.jsonl", *arguments)


# ------------------------------------------------------------------ the same command resumes


@pytest.mark.parametrize("seed", [["--seed", 3], [], ["--cluster", "tcp://127.0.0.1:1"]])
def test_a_finished_event_reports_at_once(seed: list[object], monkeypatch: pytest.MonkeyPatch
                                          ) -> None:
    first = pavilion(*QUICK, "--pairs", 4, "--json", "--out", "x.jsonl")
    before = Path("x.jsonl").read_bytes()
    monkeypatch.setattr(LocalWorkers, "executor", None)
    again = pavilion("match", "greedy", "random", *seed, "--pairs", 4, "--json", "--out", "x.jsonl")
    assert_clean(again)
    assert json.loads(again.stdout) == json.loads(first.stdout)
    assert "note: x.jsonl: resuming after 8 games" in error_lines(again)
    fewer = pavilion("match", "greedy", "random", *seed, "--pairs", 2, "--json", "--out", "x.jsonl")
    assert "note: x.jsonl: only 4 games requested; the report is of all" in error_lines(fewer)
    assert json.loads(fewer.stdout)["games"] == 8
    assert Path("x.jsonl").read_bytes() == before


def test_earlier_games_take_no_memory_while_others_are_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert_clean(pavilion(*QUICK, "--pairs", 4, "--out", "x.jsonl"))
    read, earlier = Recorder.read, list[weakref.ref[GameRecord]]()

    def noted(recorder: Recorder, *on_game: Any) -> list[GameRecord]:
        records = read(recorder, *on_game)
        earlier.extend(map(weakref.ref, records))
        return records

    def look(*_: object) -> None:
        gc.collect()
        assert [one() for one in earlier[:-1]] == [None] * 7    # the recorder knows the last one

    monkeypatch.setattr(Recorder, "read", noted)
    monkeypatch.setattr(cli_arena, "_play", look)
    assert_clean(pavilion(*QUICK, "--pairs", 4, "--out", "x.jsonl"))
    assert len(earlier) == 8


def test_games_are_counted_as_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_clean(pavilion(*QUICK, "--pairs", 2, "--out", "x.jsonl"))
    told: list[str] = []
    monkeypatch.setattr(ProgressLine, "show", lambda _, text: told.append(text))
    expected = [f"{number} game{'s' * (number > 1)} {done}" for done in ("read", "checked")
                for number in range(1, 5)]
    for arguments in (["report", "x.jsonl"], [*QUICK, "--pairs", 2, "--out", "x.jsonl"]):
        told.clear()
        assert_clean(pavilion(*arguments))
        assert told == expected


def test_moves_that_many_records_share_are_kept_once() -> None:
    assert_clean(pavilion(*QUICK, "--pairs", 4, "--out", "x.jsonl"))
    places = Counter(id(move) for record in [*read_records("x.jsonl")] for move in record.moves)
    texts = {move for record in read_records("x.jsonl") for move in record.moves}
    assert len(places) == len(texts)


@pytest.mark.parametrize("seed", [["--seed", 3], []])
def test_more_pairs_go_on(seed: list[object]) -> None:
    assert_clean(pavilion(*QUICK, "--pairs", 2, "--out", "x.jsonl"))
    before = Path("x.jsonl").read_bytes()
    done = pavilion("match", "greedy", "random", *seed, "--pairs", 5, "--out", "x.jsonl", "--json")
    assert json.loads(done.stdout)["pairs"] == 5
    assert Path("x.jsonl").read_bytes().startswith(before)
    assert recorded("x.jsonl") == reference("greedy", "random", pairs=5)


@pytest.mark.parametrize("torn", [b"", b"{", b'{"id":"3-1","game":"summer","bo'])
def test_a_torn_last_line_is_played_again(torn: bytes) -> None:
    assert_clean(pavilion(*QUICK, "--pairs", 4, "--out", "x.jsonl"))
    lines = Path("x.jsonl").read_bytes().splitlines(keepends=True)
    whole = recorded("x.jsonl")
    Path("x.jsonl").write_bytes(b"".join(lines[:5]) + (torn or lines[5][:-1]))
    assert_clean(pavilion(*QUICK, "--pairs", 4, "--out", "x.jsonl"))
    assert recorded("x.jsonl") == whole
    assert_clean(pavilion("verify", "x.jsonl"))


def test_without_its_first_games_an_event_goes_on_too() -> None:
    arguments = ("tournament", "greedy", "random", "policy", "--rounds", 2, "--seed", 3)
    assert_clean(pavilion(*arguments, "--out", "x.jsonl"))
    lines = Path("x.jsonl").read_bytes().splitlines(keepends=True)
    Path("y.jsonl").write_bytes(b"".join(lines[7:] + lines[3:5]))
    assert_clean(pavilion(*arguments, "--out", "y.jsonl"))
    assert recorded("y.jsonl") == recorded("x.jsonl")


def test_an_empty_file_and_a_link_are_files() -> None:
    Path("empty.jsonl").touch()
    Path("link.jsonl").symlink_to("empty.jsonl")
    assert_clean(pavilion(*QUICK, "--pairs", 1, "--out", "link.jsonl"))
    assert Path("link.jsonl").is_symlink()
    assert recorded("empty.jsonl") == reference("greedy", "random", pairs=1)


# ------------------------------------------------------------------ processes


class Arena:
    """A command in a group of processes of its own, as a shell starts it."""

    def __init__(self, *arguments: object, **extra: str) -> None:
        self.process = subprocess.Popen(
            command(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment(**extra), start_new_session=True)
        self.below: set[int] = set()

    def wait_for(self, path: str, lines: int) -> None:
        """Wait until a file has so many lines."""
        wait_until(lambda: Path(path).exists() and Path(path).read_bytes().count(b"\n") >= lines,
                   f"{lines} lines in {path}")
        self.below = descendants(self.process.pid)
        assert self.process.poll() is None

    def interrupt(self, number: int = signal.SIGINT) -> None:
        """Send a signal to all, as the terminal does."""
        os.killpg(self.process.pid, number)

    def end(self) -> tuple[int, str, str]:
        """Wait for the end of all; return the exit code and what was printed."""
        output, errors = self.process.communicate(timeout=60)
        wait_until(lambda: not any(map(alive, self.below)), "processes are left")
        return self.process.returncode, output.decode(), errors.decode()


@pytest.fixture
def arena() -> Iterator[type[Arena]]:
    """Start commands, and kill whatever is left of them."""
    made: list[Arena] = []

    class Kept(Arena):
        def __init__(self, *arguments: object, **extra: str) -> None:
            super().__init__(*arguments, **extra)
            made.append(self)

    yield Kept
    for one in made:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(one.process.pid, signal.SIGKILL)
        one.process.communicate()


def going_on(errors: str) -> list[str]:
    """Return the arguments of the printed command that resumes the event."""
    line, = (text for text in errors.splitlines() if text.startswith("note: resume with: "))
    words = shlex.split(line.partition("resume with: ")[2])
    assert words[0] == "pavilion"
    return words[1:]


SLOW = ("match", "flat:sims=100", "random", "--pairs", 9, "--seed", 3)


@cache
def slow_games() -> dict[str, dict[str, Any]]:
    return reference("flat:sims=100", "random", pairs=9)


@pytest.mark.parametrize(("number", "group"), [
    (signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGHUP, True)])
def test_a_signal_ends_a_match_that_goes_on(arena: type[Arena], number: int, group: bool) -> None:
    running = arena(*SLOW, "--out", "my games.jsonl", "--jobs", 2)
    running.wait_for("my games.jsonl", 4)
    (running.interrupt if group else running.process.send_signal)(number)
    code, output, errors = running.end()
    assert (code, output) == (130, "")
    # A hang-up also kills what multiprocessing keeps to tidy up, which complains to nobody then.
    assert "Traceback" not in errors or number == signal.SIGHUP
    there = recorded("my games.jsonl")
    assert 4 <= len(there) < 18
    words = going_on(errors)
    assert words[0] == "match"
    done = process(*words, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 18
    whole = recorded("my games.jsonl")
    assert_same_games("my games.jsonl", slow_games())
    assert there.items() <= whole.items()


def test_ctrl_c_without_a_file_leaves_one_behind(arena: type[Arena]) -> None:
    """The second engine is started for the second table: the games of the first one have ended."""
    specs = mock("good"), "random", mock("good", 2)  # whose games no earlier request changes
    running = arena("tournament", *specs, "--rounds", 7, "--jobs", 1,
                    "--grace", "30.5", "--board", "grey", "--sims", 5, PIDS="pids")
    running.wait_for("pids", 4)  # two have told their versions
    running.interrupt()
    code, output, errors = running.end()
    assert (code, output) == (130, "")
    words = going_on(errors)
    path = words[words.index("--out") + 1]
    seed = int(words[words.index("--seed") + 1])
    count = len(recorded(path))
    assert 1 <= count < 42
    assert f"note: {count} games saved in {path}\n" in errors
    assert path == f"round-robin-{seed}.jsonl"
    done = process(*words, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["games"], found["event"]["settings"]["timeouts"]["grace"]) == (42, 30.5)
    from pavilion_ai.limits import Limits

    assert_same_games(path, reference(*specs, pairs=7, seed=seed, board="grey",
                                      kind="round-robin", limits=Limits(sims=5)))


def test_ctrl_c_before_the_first_game(arena: type[Arena]) -> None:
    running = arena("match", "flat", "flat", "--time", 100)
    wait_until(lambda: len(descendants(running.process.pid)) >= 2)
    running.below = descendants(running.process.pid)
    running.process.send_signal(signal.SIGINT)  # the workers are just starting
    code, output, errors = running.end()
    assert (code, output) == (130, "")
    assert errors.splitlines()[-1] == "note: no game was finished; nothing to save"
    assert os.listdir() == []


def minds_interrupts(process: int) -> bool:
    """Tell whether a worker has got so far that it catches SIGINT, or ignores or blocks it."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False
    masks = re.findall(r"^Sig(?:Blk|Ign|Cgt):\s*([0-9a-f]+)$", status, re.MULTILINE)
    return is_worker(process) and any(int(mask, 16) >> signal.SIGINT - 1 & 1 for mask in masks)


def test_ctrl_c_while_the_workers_start_leaves_no_traceback(arena: type[Arena]) -> None:
    for _ in range(3):
        running = arena("match", "flat", "flat", "--time", 100, "--jobs", 2)
        owner = running.process.pid
        wait_until(lambda: any(map(minds_interrupts, descendants(owner))))  # noqa: B023 - at once
        running.interrupt()
        code, _, errors = running.end()
        assert code == 130
        assert "Traceback" not in errors


def test_the_printed_command_has_the_numbers_that_were_given(arena: type[Arena]) -> None:
    seconds = "0.00123456789"
    running = arena("match", "flat", "random", "--time", seconds, "--out", "x.jsonl", "--jobs", 1,
                    "--pairs", 400, "--alpha", "0.0123456789", "--sprt", "-1,1.5")
    running.wait_for("x.jsonl", 1)
    running.interrupt()
    words = going_on(running.end()[2])
    assert float(words[words.index("--time") + 1]) == float(seconds)
    assert float(words[words.index("--alpha") + 1]) == 0.0123456789
    assert words[words.index("--sprt") + 1] == "-1,1.5"


def test_one_file_one_match(arena: type[Arena]) -> None:
    running = arena(*SLOW, "--out", "x.jsonl", "--jobs", 1)
    running.wait_for("x.jsonl", 1)
    running.process.send_signal(signal.SIGSTOP)     # lest it ends before the second begins
    second = process(*SLOW, "--out", "x.jsonl")
    running.process.send_signal(signal.SIGCONT)
    assert second.returncode == 2
    line, = second.stderr.decode().splitlines()
    assert line.startswith("error: x.jsonl: this or another program is recording")
    code, output, _ = running.end()
    assert code == 0
    assert "18 in 9 pairs" in output
    assert_same_games("x.jsonl", slow_games())


def test_a_full_disk_loses_nothing() -> None:
    """A limit on the size of files stands for the disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = subprocess.run(
        command(*QUICK, "--pairs", 10, "--out", "x.jsonl"), capture_output=True, text=True,
        env=environment(PYTHONDONTWRITEBYTECODE="1"), preexec_fn=limit, timeout=60, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    count = len(recorded("x.jsonl"))
    assert 4 <= count < 20
    assert done.stderr.splitlines()[-1] == "error: x.jsonl: File too large"
    assert_clean(pavilion(*going_on(done.stderr)))
    assert recorded("x.jsonl") == reference("greedy", "random", pairs=10)


def test_a_full_disk_keeps_what_it_can_of_an_interrupted_match(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A match without --out; among the temporary files there is room."""
    def write(file: LockedFile, content: bytes) -> None:
        if file.tell() and not str(file.name).startswith(str(elsewhere)):
            raise OSError(errno.ENOSPC, "No space left on device")
        file.write(content)

    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    monkeypatch.setattr(LockedFile, "write_all", write)
    asked = event("greedy", "random", rounds=2)
    kept = played(asked)
    assert cli_arena._save(asked, kept) == f"{elsewhere}/match-7.jsonl"
    assert recorded(str(elsewhere / "match-7.jsonl")) == games(kept)
    assert capsys.readouterr().err.splitlines() == [
        "note: 1 of 4 games saved in match-7.jsonl; match-7.jsonl: No space left on device",
        f"note: 4 games saved in {elsewhere}/match-7.jsonl"]


def test_an_interrupted_match_ends_where_nothing_can_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("tempfile.gettempdir", refuse)
    monkeypatch.setattr(os, "access", lambda *_: False)
    asked = event("greedy", "random", rounds=1)
    assert cli_arena._save(asked, played(asked)) is None
    assert capsys.readouterr().err == (
        "note: cannot save among the temporary files: No usable temporary directory found in"
        " ['/tmp']\n")


def test_where_nothing_can_be_written_the_command_that_reads_is_told(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was said that the file cannot be replaced, which nobody had asked for."""
    Path("my event.jsonl").touch()
    monkeypatch.setattr(os, "access", lambda *_: False)
    refused = pavilion("match", "greedy", "random", "--out", "my event.jsonl")
    assert_clean(refused, 2)
    assert error_lines(refused) == [
        "error: my event.jsonl: its folder cannot be written to; to report its games:"
        " pavilion report 'my event.jsonl'"]


def test_two_matches_of_one_seed_are_saved_apart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """One Ctrl-C ends both; what another program has taken is left to it."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    with ThreadPoolExecutor(4) as pool:
        names = [*pool.map(lambda _: cli_arena._new_file(Path(), "match-7"), range(40))]
    assert len({*names}) == 40
    asked = event("greedy", "random", rounds=1)
    monkeypatch.setattr(cli_arena, "_new_file", lambda folder, _: str(folder / "match-7.jsonl"))
    with Recorder("match-7.jsonl"):
        assert cli_arena._save(asked, played(asked)) == f"{elsewhere}/match-7.jsonl"


@pytest.mark.parametrize("games_played", [0, 1])
def test_the_command_that_resumes_is_whole(
    games_played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first game there is nothing to report."""
    results = [result_of(record) for record in played(event("greedy", "random", rounds=1))]

    def interrupt(runner: Runner, *_: object) -> None:
        runner.results = results[:games_played]
        raise KeyboardInterrupt

    monkeypatch.setattr(Runner, "run", interrupt)
    specs = [f"ismcts:sims={number},c=0.5" for number in range(100, 320)]
    result = pavilion("tournament", *specs, "--seed", 3, "--jobs", 1, "--out", "-x.jsonl",
                      "--table", "x.md", "--table", "x.csv")
    assert result.exit_code == 130
    again, *reports = result.stderr.splitlines()[-1 - games_played:]
    words = shlex.split(again.removeprefix("note: resume with: "))
    assert words == ["pavilion", "tournament", *specs, "--seed", "3", "--out", "-x.jsonl",
                     "--jobs", "1", "--table", "x.md", "--table", "x.csv"]
    assert reports == ["note: results so far: pavilion report ./-x.jsonl"] * games_played


def test_a_report_that_nobody_reads_loses_nothing() -> None:
    line = f"{shlex.join(command(*QUICK, '--pairs', 2, '--out', 'x.jsonl'))} | true"
    done = subprocess.run(["sh", "-c", line], capture_output=True, env=environment(), check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert len(recorded("x.jsonl")) == 4


def test_closed_streams() -> None:
    line = shlex.join(command(*QUICK, "--pairs", 2, "--out", "x.jsonl"))
    done = subprocess.run(["sh", "-c", f"{line} 2>&-"], capture_output=True, env=environment(),
                          check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"4 in 2 pairs" in done.stdout
    assert len(recorded("x.jsonl")) == 4


# ------------------------------------------------------------------ engines, workers that die


def test_faults_are_reported_and_the_match_goes_on() -> None:
    done = pavilion("match", mock("illegal", 3), "greedy", "--pairs", 2, "--seed", 3, "--json",
                    "--out", "x.jsonl", "--jobs", 1)
    assert_clean(done)
    found = json.loads(done.stdout)
    assert found["games"] == 4
    assert found["entrants"][0]["faults"] == 4
    reasons = {(fault["game"], fault["reason"]) for fault in found["faults"]}
    assert reasons == {(f"{pair}-{seat + 1}", f"seat {seat}: illegal move 'D9:G'")
                       for pair in (1, 2) for seat in (0, 1)}
    assert_clean(pavilion("verify", "x.jsonl"))


def test_a_program_that_ends_at_once_is_told_before_the_first_game() -> None:
    lost = "exited with status 1: no licence found"
    done = pavilion("match", f"mine={mock('exit_at_start')}", mock("good"), "--pairs", 1,
                    "--sims", 1, "--jobs", 1, "--seed", 3, "--json", "--out", "x.jsonl")
    assert error_lines(done)[0] == f"note: mine: ended before it answered `hello`: {lost}"
    assert len(json.loads(done.stdout)["faults"]) == 2
    versions = {record.id: [agent["version"] for agent in record.agents]
                for record in read_records("x.jsonl")}
    assert versions == {"1-1": ["unknown", "1.2"], "1-2": ["1.2", "unknown"]}


def test_a_program_that_does_not_answer_hello_is_waited_for_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(external, "IDENTITY_SECONDS", 1.0)
    spec, _ = listening(tmp_path, "seed")
    told = "note: mine: has not answered `hello` yet; it has 10 s"
    done = pavilion("match", f"mine={spec}", "greedy", "--pairs", 1, "--sims", 1, "--jobs", 1,
                    "--seed", 3)
    assert_clean(done)
    assert error_lines(done)[0] == told
    assert not any("hello" in line for line in error_lines(done)[1:])
    for record in ((), ("--record", "x.jsonl")):
        played = pavilion("play", "--seats", f"mine={spec},greedy", "--seed", 3, *record)
        assert_clean(played)
        assert (told in error_lines(played)) == bool(record)  # else nobody reads the version


def test_programs_are_asked_at_the_same_time_and_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "IDENTITY_SECONDS", 2.0)
    monkeypatch.setattr(programs, "cores", lambda: 4)
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    specs = [mock("never_reads"), mock("never_reads", 2), mock("good"), f"mine={mock('good')}"]
    begun = time.monotonic()
    agents = [make_agent(spec) for spec in specs]
    assert programs.introduced([*agents, make_agent("greedy")]) == dict(
        zip(specs, ("unknown", "unknown", "1.2", "1.2"), strict=True))
    assert time.monotonic() - begun < 3.8
    assert [agent.identity().get("version") for agent in agents] == [None, None, "1.2", "1.2"]
    assert len((tmp_path / "pids").read_text().splitlines()) == 3


def test_an_interrupt_ends_the_wait_for_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        programs.introduced([make_agent(mock("never_reads"))])
    assert time.monotonic() - begun < 5


def test_programs_tell_their_versions_once_for_all_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    words = ("match", mock("good"), "greedy", "--sims", 1, "--jobs", 1, "--seed", 3, "--out", "x")
    assert_clean(pavilion(*words, "--pairs", 1))
    assert len((tmp_path / "pids").read_text().splitlines()) == 2  # one answered, one played
    assert_clean(pavilion(*words, "--pairs", 1))
    assert len((tmp_path / "pids").read_text().splitlines()) == 2


def test_programs_are_logged_in_a_folder() -> None:
    words = ("match", mock("crash", 3), "greedy", "--pairs", 1, "--sims", 1, "--jobs", 1,
             "--seed", 3, "--engine-log")
    assert_clean(pavilion(*words, "logs"))
    assert "PAVILION_ENGINE_LOG" not in os.environ
    logs = [path.read_text() for path in Path("logs").iterdir()]
    assert sum("ValueError: \x07 out of ideas" in log for log in logs) == 2
    assert sum('"hello"' in log for log in logs) == 1
    Path("file").touch()
    refused = pavilion(*words, "file")
    assert_clean(refused, 2)
    assert error_lines(refused) == ["error: --engine-log file: File exists"]


def test_an_engine_of_another_version_is_told() -> None:
    words = ("match", mock("good"), "greedy", "--seed", 3, "--sims", 1, "--jobs", 1,
             "--out", "x.jsonl")
    assert_clean(pavilion(*words, "--pairs", 1))
    assert "version" not in pavilion("report", "x.jsonl").stderr
    path = Path("x.jsonl")
    path.write_text(path.read_text().replace('"version":"1.2"', '"version":"1.1"'))
    told = f"{shown(words[1])} has version '1.2', in earlier games '1.1'"
    played_on, again = (pavilion(*words, "--pairs", 2) for _ in range(2))
    assert error_lines(played_on).count(f"note: {told}") == 1
    assert error_lines(again).count(f"note: x.jsonl: {told}") == 1
    assert error_lines(pavilion("report", "x.jsonl")) == [f"note: {told}"]
    assert error_lines(pavilion("verify", "x.jsonl")) == [f"note: line 3, game '2-1': {told}"]


def test_games_of_another_version_of_this_package_are_told() -> None:
    words = (*QUICK, "--pairs", 1, "--out", "x.jsonl")
    assert_clean(pavilion(*words))
    assert pavilion("verify", "x.jsonl").stderr == ""
    path = Path("x.jsonl")
    path.write_text(path.read_text().replace(f'"version":"{__version__}"', '"version":"0.5.0"', 2))
    told = f"some agents have played in several versions: '0.5.0', '{__version__}'"
    assert error_lines(pavilion("report", "x.jsonl"))[-1:] == [f"note: {told}"]
    assert error_lines(pavilion("verify", "x.jsonl")) == [f"note: {told}"]
    assert json.loads(pavilion("verify", "x.jsonl", "--json").stdout)["notes"] == [told]
    assert error_lines(pavilion(*words))[:2] == [
        "note: x.jsonl: resuming after 2 games",
        f"note: x.jsonl: some games were played by version '0.5.0', this is {__version__}"]


def test_games_of_engines_played_by_another_version_of_this_package_are_told() -> None:
    words = ("match", mock("good"), mock("good"), "--seed", 3, "--sims", 1, "--jobs", 1,
             "--out", "x.jsonl", "--pairs", 1)
    assert_clean(pavilion(*words))
    path = Path("x.jsonl")
    path.write_text(path.read_text().replace(f'"version":"{__version__}"', '"version":"0.10.0"', 1)
                    .replace(f'"version":"{__version__}"', '"version":"0.2.0"', 1))
    assert error_lines(pavilion(*words))[:2] == [
        "note: x.jsonl: resuming after 2 games",
        "note: x.jsonl: some games were played by version '0.2.0', '0.10.0',"
        f" this is {__version__}"]


def test_an_event_that_has_ended_needs_its_engine_no_more() -> None:
    program = Path("engine")
    program.symlink_to(sys.executable)
    spec = f"cmd:./engine -I -S {shlex.quote(str(MOCK))} good"
    words = ("match", spec, "greedy", "--sims", 1, "--jobs", 1, "--out", "x.jsonl")
    whole = pavilion(*words, "--pairs", 1)
    assert_clean(whole)
    program.unlink()
    assert pavilion(*words, "--pairs", 1).stdout == whole.stdout
    more = pavilion(*words, "--pairs", 2)
    assert_clean(more, 2)
    assert error_lines(more)[-1].startswith("error: program './engine': not found")


def test_times_for_engines() -> None:
    done = pavilion("match", mock("silence", 2), "greedy", "--pairs", 1, "--seed", 3, "--json",
                    "--time", 0.1, "--grace", 0.1, "--start-timeout", 20, "--move-timeout", 20)
    assert {fault["reason"] for fault in json.loads(done.stdout)["faults"]} == {
        "seat 0: no answer within 0.2 s", "seat 1: no answer within 0.2 s"}


@pytest.mark.parametrize("out", [[], ["--out", "x.jsonl"]])
def test_workers_that_keep_dying_cost_no_finished_game(out: list[str], tmp_path: Path) -> None:
    flags = tmp_path / "flags"
    flags.mkdir()
    done = pavilion("tournament", "greedy", "random", "policy", killer(flags, 1000), "--rounds", 1,
                    "--seed", 3, "--jobs", 1, *out)
    assert_clean(done, 1)
    path, = Path().glob("*.jsonl")
    assert len(recorded(path)) >= 2
    assert any("was begun 3 times" in text for text in error_lines(done))
    assert str(path) in done.stderr


def broken_after(games_played: int, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every event fail after so many games, as if it was on the way to a worker."""
    run = Runner.run

    def fail(self: Runner, workers: Any, on_game: Any, *more: Any) -> None:
        def keep(record: GameRecord) -> None:
            if len(self.results) == games_played:
                raise error
            on_game(record)

        run(self, workers, keep, *more)

    monkeypatch.setattr(Runner, "run", fail)


@pytest.mark.parametrize("error", [
    OSError(12, "Cannot allocate memory"), RuntimeError("a defect"), PavilionError("of an agent")])
def test_no_failure_loses_finished_games(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_after(3, error, monkeypatch)
    done = pavilion(*QUICK, "--pairs", 4)
    assert done.exit_code in (1, 2)
    path, = Path().glob("*.jsonl")
    assert len(recorded(path)) == 3


@pytest.mark.parametrize("seed", [-5, 2**63])
def test_a_match_of_python_with_any_seed_goes_on(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = Match(["greedy", "random"], pairs=1, seed=seed)
    match.run()
    with Recorder("x.jsonl") as recorder:
        recorder.write(match.records[0])
    with monkeypatch.context() as patched:
        broken_after(1, KeyboardInterrupt(), patched)
        broken = pavilion("match", "greedy", "random", "--pairs", 1, "--jobs", 1,
                          "--out", "x.jsonl")
    assert_clean(broken, 130)
    assert_clean(pavilion(*going_on(broken.stderr)))
    assert recorded("x.jsonl") == games(match.records)


def interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_while_the_report_is_made_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("pavilion_ai.render.report_text.report_lines", interrupted)
        done = pavilion(*QUICK, "--pairs", 2)
    assert_clean(done, 130)
    path, = Path().glob("*.jsonl")
    assert len(recorded(path)) == 4
    assert_clean(pavilion(*going_on(done.stderr)))
    assert len(recorded(path)) == 4


@pytest.mark.parametrize("where", [
    "record.Recorder.read", "match.runner.Runner.__init__", "match.recorded.check_earlier"])
def test_ctrl_c_while_the_earlier_games_are_read_tells_how_to_go_on(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("match", "greedy", "random", "--jobs", 1, "--pairs", 2, "--out", "my games.jsonl")
    assert_clean(pavilion(*arguments))
    before = recorded("my games.jsonl")
    with monkeypatch.context() as patched:
        patched.setattr(f"pavilion_ai.{where}", interrupted)
        done = pavilion(*arguments)
    assert_clean(done, 130)
    assert "--seed" not in done.stderr  # as before it is read from the file
    assert_clean(pavilion(*going_on(done.stderr)))
    assert recorded("my games.jsonl") == before
