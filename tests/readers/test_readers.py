"""A few of the hostile inputs of every reader; all of them by `python -m tests.readers`."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.readers.cost import Cost
from tests.readers.readers import READERS, Outcome
from tests.readers.walk import MOST_MIB, MOST_SECONDS, cases, finding, measured

TRIED = 12
QUICK = ("position", "records to verify", "page", "engine", "recipe", "puzzles", "web import")
"""Readers that start nothing."""
CODES = "openings to go on with"
"""The reader that knows no JSON."""


@pytest.fixture(scope="module", autouse=True)
def _collected_before() -> Iterator[None]:
    """Leave what is here out of the collections before each measurement: a million objects."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("name", [name for name in QUICK if name in READERS])
def test_hostile_values_are_refused_in_few_words(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reader = READERS[name]
    found = list(cases(reader, 300))
    for case, make in Random(1).sample(found, TRIED):
        outcome, cost = measured(reader, make())
        assert not finding(outcome, cost), (case, outcome, cost)


def refused(name: str, added: str) -> tuple[int, str, bool]:
    """Return what a reader says of its first sample with a key added."""
    reader = READERS[name]
    sample = json.dumps(next(iter(reader.objects().values())))
    outcome, _ = measured(reader, f"{sample[:-1]}, {added}}}{reader.end}".encode())
    return outcome.code, outcome.told, '"error"' in outcome.given


@pytest.mark.parametrize("name", [name for name in READERS if name != CODES])
def test_every_reader_decodes_strictly(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sound = refused(name, '"z": 0')
    for loose in ('"z": 0, "z": 0', '"z": NaN'):
        assert refused(name, loose) != sound, loose


@pytest.mark.release_only
@pytest.mark.parametrize("name", ["records to verify", "engine", "page", "web import"])
def test_long_lists_cost_little(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reader = READERS[name]
    dear = ((case, make) for case, make in cases(reader) if case.endswith("empty objects at whole"))
    for case, make in islice(dear, 2):
        outcome, cost = measured(reader, make())
        assert not finding(outcome, cost), (case, outcome, cost)


def test_findings() -> None:
    cheap = Cost(0, 0)
    assert not finding(Outcome(2, "error: why\n"), cheap)
    assert finding(Outcome(3, ""), cheap)
    assert finding(Outcome(1, "error: internal error: x"), cheap)
    assert finding(Outcome(2, "a\x1b[2J"), cheap)
    assert finding(Outcome(2, "a" * 60_000), cheap)
    assert finding(Outcome(0, ""), Cost(MOST_SECONDS + 1, 0))
    assert finding(Outcome(0, ""), Cost(0, MOST_MIB + 1))
