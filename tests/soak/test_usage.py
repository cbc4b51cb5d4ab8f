"""What the soak test notices; the test itself is `python -m tests.soak`."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.soak.__main__ import goes_on, main
from tests.soak.parts import PATIENCE, PagePart
from tests.soak.usage import MOST, Usage, processor_seconds, usage_of


def faults(values: list[int], key: str = "KiB") -> list[str]:
    usage = Usage("it")
    for value in values:
        usage.add({key: value})
    return usage.faults()


def test_growth_is_noticed_and_peaks_are_not() -> None:
    assert faults([100_000] * 30) == []
    assert faults([100_000] * 25 + [900_000] + [100_000] * 4) == []
    assert faults([100_000 + 20_000 * step for step in range(30)]) == [
        "it: KiB grew from 190000 to 590000"]
    assert faults([5] * 20 + [20] * 10, "descriptors") == ["it: descriptors grew from 5 to 20"]
    assert faults([5, MOST["threads"] + 1, 5], "threads") == ["it: threads reached 301"]


def test_usage_of_a_process() -> None:
    held = usage_of(os.getpid())
    assert held["KiB"] > 1000
    assert held["threads"] >= 1
    assert held["descriptors"] >= 3
    assert usage_of(2**30) == {}


def test_time_of_a_process() -> None:
    before = processor_seconds(os.getpid())
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    assert 0.05 < processor_seconds(os.getpid()) - before < 1
    assert processor_seconds(2**30) == 0


def test_a_part_that_there_is_not_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["soak", "--minutes", "0", "engin"])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "invalid choice: 'engin'" in capsys.readouterr().err


def test_it_goes_on_until_each_part_has_done_something(tmp_path: Path) -> None:
    parts = [PagePart(tmp_path / str(number), number) for number in range(2)]
    assert goes_on(parts, end=100, now=99)
    assert goes_on(parts, end=100, now=100 + PATIENCE - 1)
    assert not goes_on(parts, end=100, now=100 + PATIENCE)
    parts[0].done = parts[1].done = 1
    assert goes_on(parts, end=100, now=99)
    assert not goes_on(parts, end=100, now=100)
    parts[0].fault = AssertionError()
    assert not goes_on(parts, end=100, now=99)
