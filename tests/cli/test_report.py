"""The command `report`, and files of games that do not mix."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from pavilion_ai.network import read_network
from tests.cli.support import assert_clean, command, environment, pavilion, process
from tests.search.networks import network_file

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


def test_one_file_name_of_two_networks() -> None:
    """A network that is trained on plays under the same spec, and is another agent."""
    hashes = []
    for seed in (1, 2):
        new = network_file(Path(), "azul", False, 2, seed).replace("my.net")
        hashes.append(read_network(new)[0].sha256)
        match = ("match", "policy:net=my.net", "random", "--game", "azul", "--pairs", 1,
                 "--jobs", 1, "--seed", seed)
        assert pavilion(*match, "--out", f"{seed}.jsonl").exit_code == 0
        record = json.loads(Path(f"{seed}.jsonl").read_text().splitlines()[0])
        assert [agent.get("network") for agent in record["agents"]] == [hashes[-1], None]
    again = pavilion(*match, "--pairs", 2, "--out", "2.jsonl")
    assert again.exit_code == 0, again.stderr
    both = json.loads(pavilion("report", "1.jsonl", "2.jsonl", "--json").stdout)
    told = both["event"]["entrants"]
    assert [entrant["network"] for entrant in told] == [hashes[0], None, hashes[1]]
    names = [entrant["name"] for entrant in told]
    assert names == [f"policy:net=my.net ({hashes[0][:8]})", "random",
                     f"policy:net=my.net ({hashes[1][:8]})"]
    network_file(Path(), "azul", False, 2, 1).replace("my.net")
    before = Path("2.jsonl").read_bytes()
    refused = pavilion(*match, "--pairs", 3, "--out", "2.jsonl")
    assert refused.exit_code == 2
    assert refused.stderr.splitlines()[-1] == (
        "error: 2.jsonl: holds games of another event: my.net had other weights; choose another"
        " --out")
    assert Path("2.jsonl").read_bytes() == before
    ended = pavilion(*match, "--pairs", 2, "--out", "2.jsonl")  # nothing is left to play
    assert (ended.exit_code, ended.stdout) == (0, again.stdout)
    Path("my.net").unlink()
    assert pavilion(*match, "--pairs", 2, "--out", "2.jsonl").stdout == again.stdout
    lost = pavilion(*match, "--pairs", 3, "--out", "2.jsonl")
    assert lost.exit_code == 2
    assert "my.net: No such file or directory" in lost.stderr
    assert Path("2.jsonl").read_bytes() == before
    *lines, last = before.splitlines(keepends=True)
    mixed = last.replace(hashes[1].encode(), hashes[0].encode())
    Path("2.jsonl").write_bytes(b"".join([*lines, mixed]))
    assert (f"entrant 0 has network '{hashes[1][:8]}' elsewhere, here '{hashes[0][:8]}'"
            in pavilion("report", "2.jsonl").stderr)
    verified = pavilion("verify", "2.jsonl")
    assert verified.exit_code == 1
    assert f"game '2-2': network of entrant 0 is '{hashes[1][:8]}" in verified.stderr


def test_a_plot_of_recorded_games() -> None:
    pavilion(*MATCH)
    assert pavilion("report", "x.jsonl", "--plot", "x.svg").exit_code == 0
    assert Path("x.svg").read_bytes().lstrip().startswith(b"<?xml")
    refused = pavilion("report", "x.jsonl", "--plot", "x.txt")
    assert refused.exit_code == 2
    assert "*.svg or *.png" in refused.stderr


@pytest.mark.parametrize(("name", "begins"), [("x.csv", b"group,rank,name,"), ("x.md", b"# ")])
def test_a_table_of_recorded_games(name: str, begins: bytes) -> None:
    pavilion(*MATCH)
    assert pavilion("report", "x.jsonl", "--table", name).exit_code == 0
    assert Path(name).read_bytes().startswith(begins)
    for target in (name, "x.svg"):    # the records are not written over
        pavilion(*MATCH[:-1], target)
        before = Path(target).read_bytes()
        option = "--table" if target == name else "--plot"
        for words in (("report", target), (*MATCH[:-1], target)):
            refused = pavilion(*words, option, f"./{target}")
            assert refused.exit_code == 2
            assert f"{option} ./{target}: is the file that is read" in refused.stderr
        assert Path(target).read_bytes() == before
        Path(target).unlink()
        assert "is the file that is read" in pavilion(*MATCH[:-1], target, option, target).stderr
    for wrong, why in (("x.txt", "*.csv or *.md"), ("no/x.md", "cannot be written")):
        refused = pavilion("report", "x.jsonl", "--table", wrong)
        assert refused.exit_code == 2
        assert why in refused.stderr


def test_every_form_that_is_asked_for_is_written() -> None:
    """Of two tables the first one was lost without a word."""
    files = ("x.csv", "x.md", "y.svg", "x.svg")
    options = [word for name in files
               for word in ("--plot" if name.endswith("svg") else "--table", name)]
    for words in (MATCH, ("report", MATCH[-1])):
        assert_clean(pavilion(*words, *options))
        for name in files:
            assert Path(name).stat().st_size > 0
            Path(name).unlink()
        refused = pavilion(*words, "--table", "x.txt", *options)
        assert_clean(refused, 2)
        assert "*.csv or *.md" in refused.stderr


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
