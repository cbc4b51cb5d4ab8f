"""A short run of every fuzzer: random mutations, and what longer runs have found.

PAVILION_FUZZ_SECONDS=60 fuzzes each reader for so long, each time with other mutations; longer and
better runs are made by `python -m tests.fuzz` (docs/development.md).
"""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.__main__ import blind, feed, run_many
from tests.fuzz.mutations import mutated
from tests.fuzz.targets import CORPUS, SEEDS, TARGETS, Broken, check_message, seeds

SECONDS = float(os.environ.get("PAVILION_FUZZ_SECONDS", "0"))
INPUTS = {"position": 500}
"""Inputs of a target, if not 50."""


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.release_only if name in {"page", "imported"} else ())
    for name in TARGETS])
def test_readers_hold(name: str, tmp_path: Path) -> None:
    for data in seeds(name):
        TARGETS[name](data)
    if SECONDS:
        assert blind(name, SECONDS, int.from_bytes(os.urandom(4), "big"), tmp_path).inputs > 0
    else:
        most = INPUTS.get(name, 50)
        assert blind(name, 3600, 1, tmp_path, most).inputs == most


def test_every_reader_is_fed_what_was_found() -> None:
    found = [path.name.partition("-")[0] for path in CORPUS.iterdir() if path.suffix != ".md"]
    assert {*found} == {*SEEDS}


def test_a_broken_reader_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fails(data: bytes) -> None:
        if len(data) % 3 == 0:
            raise ZeroDivisionError

    monkeypatch.setitem(TARGETS, "spec", fails)
    with pytest.raises(ZeroDivisionError):
        blind("spec", 60, 1, tmp_path)
    found, = tmp_path.iterdir()
    assert len(found.read_bytes()) % 3 == 0
    for text in ("\x1b", "a" * 30_000):
        with pytest.raises(Broken):
            check_message(text)


def test_a_slow_input_is_a_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def works(data: bytes) -> None:
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass

    monkeypatch.setitem(TARGETS, "spec", works)
    assert blind("spec", 60, 1, tmp_path, 2).longest >= 0.02
    assert not [*tmp_path.iterdir()]
    with pytest.raises(TimeoutError):
        blind("spec", 60, 1, tmp_path, slow=0.01)
    assert len([*tmp_path.iterdir()]) == 1


@pytest.mark.release_only
def test_many_processes_are_summed_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_many(["spec"], 1.0, 5, tmp_path, 2) == 0
    *_, one, told = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"spec: [1-9]\d* inputs, the slowest took 0\.\d\d s", one)
    assert told.endswith("by 2 processes in 1 s, 0 findings")
    assert run_many(["no target"], 1.0, 5, tmp_path, 2) == 2  # such processes die
    assert "status 2 of a process" in capsys.readouterr().out


def test_a_finding_is_told_and_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(data: bytes) -> None:
        raise ZeroDivisionError("why")

    monkeypatch.setitem(TARGETS, "spec", fails)
    seeds("spec")  # they take their time, once
    feed(["spec"], 0.3, 5, tmp_path)
    turns = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert turns[0] == {"target": "spec", "seed": 5}
    assert turns[1] == {"target": "spec", "seed": 5, "inputs": 1, "longest": 0.0,
                        "fault": "ZeroDivisionError: why"}
    assert turns[-1]["seed"] > 10**6
    assert len([*tmp_path.iterdir()]) >= 2


def test_mutations_differ_and_are_reproducible() -> None:
    start = [b'{"a": [1, "2", {"b": null}]}', b"plain", b""]
    found = [[mutated(data, start, Random(seed)) for data in start for seed in range(50)]
             for _ in range(2)]
    assert found[0] == found[1]
    assert len(set(found[0])) > 100
