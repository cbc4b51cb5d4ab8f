"""What tests of matches share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def pids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Name the file in which mock engines write down the processes that they start."""
    path = tmp_path / "pids"
    monkeypatch.setenv("PIDS", str(path))
    return path
