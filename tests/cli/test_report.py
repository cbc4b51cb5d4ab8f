"""The command `report`, and files of games that do not mix."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.support import command, environment, pavilion, process

MATCH = ("match", "greedy", "random", "--pairs", 2, "--seed", 3, "--jobs", 1, "--out", "x.jsonl")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


def test_a_report_is_that_of_the_match() -> None:
    played = pavilion(*MATCH)
    assert played.exit_code == 0, played.stderr
    reported = pavilion("report", "x.jsonl")
    assert (reported.exit_code, reported.stderr) == (0, "")
    assert reported.stdout == played.stdout
    as_json = json.loads(pavilion("report", "x.jsonl", "--json").stdout)
    assert (as_json["games"], as_json["pairs"]) == (4, 2)
    assert [entrant["name"] for entrant in as_json["entrants"]] == ["greedy", "random"]


def test_a_report_of_games_so_far() -> None:
    pavilion("tournament", "greedy", "random", "policy", "--rounds", 1, "--seed", 3, "--jobs", 1,
             "--out", "x.jsonl")
    lines = Path("x.jsonl").read_bytes().splitlines(keepends=True)
    Path("x.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:100])
    found = json.loads(pavilion("report", "x.jsonl", "--json").stdout)
    assert (found["games"], found["pairs"]) == (3, 1)
    assert Path("x.jsonl").read_bytes() == b"".join(lines[:3]) + lines[3][:100]


def test_a_plot_of_recorded_games() -> None:
    pavilion(*MATCH)
    assert pavilion("report", "x.jsonl", "--plot", "x.svg").exit_code == 0
    assert Path("x.svg").read_bytes().lstrip().startswith(b"<?xml")
    refused = pavilion("report", "x.jsonl", "--plot", "x.txt")
    assert refused.exit_code == 2
    assert "*.svg or *.png" in refused.stderr


@pytest.mark.parametrize(("content", "message"), [
    (None, "No such file or directory"),
    (b"", "no games"),
    (b"hello\n", "not a game record"),
])
def test_what_cannot_be_reported(content: bytes | None, message: str) -> None:
    if content is not None:
        Path("x.jsonl").write_bytes(content)
    done = pavilion("report", "x.jsonl")
    assert done.exit_code == 2
    assert done.stdout == ""
    line, = done.stderr.splitlines()
    assert line.startswith("error: x.jsonl")
    assert message in line


def test_games_of_play_and_of_a_match_do_not_mix() -> None:
    pavilion(*MATCH)
    before = Path("x.jsonl").read_bytes()
    done = pavilion("play", "--record", "x.jsonl", "--seats", "greedy,greedy", "--seed", 1)
    assert done.exit_code == 2
    assert "holds the games of a match or tournament" in done.stderr
    assert Path("x.jsonl").read_bytes() == before
    assert pavilion("play", "--record", "y.jsonl", "--seats", "greedy,greedy").exit_code == 0
    done = pavilion("report", "y.jsonl")
    assert done.exit_code == 2
    assert "was not played in a match or tournament" in done.stderr


def test_records_without_the_kind_of_their_event_are_refused() -> None:
    pavilion(*MATCH)
    line = json.loads(Path("x.jsonl").read_text().splitlines()[0])
    del line["match"]["event"]
    Path("x.jsonl").write_text(json.dumps(line) + "\n")
    done = pavilion("report", "x.jsonl")
    assert done.exit_code == 2
    assert "match.event: found no such key, expected one of match," in done.stderr


@pytest.mark.parametrize("words", [("--seats", "human,greedy"), ("--solo",)])
def test_a_person_cannot_play_without_standard_input(words: tuple[str, ...]) -> None:
    done = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh",
                           *command("play", *words)],
                          capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 2
    assert done.stderr == "error: standard input is closed; a person cannot play\n"


def test_names_that_the_terminal_cannot_show() -> None:
    done = process("match", "random", "cmd:true ü漢", "--pairs", 1, "--seed", 1, "--jobs", 1,
                   PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"\\u6f22" in done.stdout
    assert not [name for name in os.listdir() if name.endswith(".jsonl")]
