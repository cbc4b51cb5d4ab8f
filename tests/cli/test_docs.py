"""Outputs that the documents show are those that the commands give, but for the time taken."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest

from pavilion_ai.limits import Limits
from pavilion_ai.match.event import Settings

from .support import ROOT, process

ARENA = (ROOT / "docs" / "arena.md").read_text(encoding="utf-8")
SHOWN = dict(re.findall(r"```console\n\$ pavilion (.+)\n((?:(?!```|\$ ).*\n)+)```", ARENA))


@pytest.mark.parametrize("command", [
    "match greedy policy --pairs 20 --seed 3 --out first.jsonl",
    "tournament greedy policy random ismcts:sims=100 --rounds 3 --seed 5",
    "match policy:net=0 greedy --sprt 0,100 --pairs 500 --seed 8 --jobs 1",
])
def test_matches_of_the_document(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = process(*command.split(), COLUMNS="80")
    assert timeless(result.stdout.decode()) == timeless(SHOWN[command])


def test_the_settings_of_a_report_are_those_of_the_document() -> None:
    (row,) = re.findall(r"^\| `settings` \| (.*) \|$", ARENA, re.MULTILINE)
    settings = asdict(Settings("summer", "coloured", 2, 1, Limits(sims=1)))
    keys = [*settings, *settings["limits"], *settings["timeouts"]]
    assert sorted(re.findall(r'[`"]([a-z_]+)[`"]', row)) == sorted([*keys, "report"])


def test_a_comparison_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command = "suggest examples/round3_draft_2p.code --compare D3:R --sims 20000 --seed 7"
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    shown = text.split(f"```console\n$ pavilion {command}\n")[1].split("```")[0]
    found = process(*command.split(), COLUMNS="80").stdout.decode()
    assert [line for line in shown.splitlines() if " simulations in " not in line] == [
        line for line in found.splitlines() if " simulations in " not in line]


def test_a_game_at_the_prompt_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command = "play --from examples/round5_bonus_2p.txt --seats human,default:level=4 --seed 1"
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    shown = text.split(f"```console\n$ pavilion {command}\n")[1].split("```")[0]
    typed = re.findall("^you> (.+)$", shown, re.M)
    typing = "\n".join([*typed, "quit", ""]).encode()
    found = process(*command.split(), stdin=typing, COLUMNS="80", LINES="24").stdout.decode()
    parts = [part.strip("\n") for part in f"\n{shown}".split("\n...\n") if part.strip()]
    assert len(parts) > 1
    for part in parts:
        assert part in found


def timeless(text: str) -> str:
    """Return a report without seconds per move and without games that ended after a decision.

    How many games of a sequential test are already under way when it decides depends on time.
    """
    return re.sub(r"^not counted .*\n", "", re.sub(r"  0\.0\d\d(?=  )", "  0.0..", text),
                  flags=re.MULTILINE)
