"""How many processors there are, in containers too."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pavilion_ai import processors
from pavilion_ai.cli.options import processes


@pytest.mark.parametrize(("files", "expected"), [
    ({}, 8),
    ({"cpu.max": "max 100000\n"}, 8),
    ({"cpu.max": "200000 100000\n"}, 2),
    ({"cpu.max": "150000 100000\n"}, 2),
    ({"cpu.max": "10000 100000\n"}, 1),
    ({"cpu.max": "6400000 100000\n"}, 8),
    ({"cpu.max": "\n"}, 8),
    ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 8),
    ({"cpu/cpu.cfs_quota_us": "300000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 3),
    ({"cpu/cpu.cfs_quota_us": "300000\n"}, 8),
])
def test_a_container_has_the_time_of_so_many(
    files: dict[str, str], expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpu").mkdir()
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    monkeypatch.setattr(processors, "CGROUPS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert processors.cores() == expected


@pytest.mark.parametrize(("jobs", "default", "expected"), [
    (None, None, 4), (None, 1, 1), (None, 9, 4), (3, 1, 3), (4, None, 4), (5, 1, 4)])
def test_no_command_starts_more_processes_than_there_are(
    jobs: int | None, default: int | None, expected: int, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(processors, "cores", lambda: 4)
    assert processes(jobs, default) == expected
    assert bool(capsys.readouterr().err) == (jobs == 5)
