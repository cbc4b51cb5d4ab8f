"""Fixtures of the tests of the search."""

from __future__ import annotations

import pytest

from pavilion_ai import sums


@pytest.fixture
def plain_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report win shares as the averages that they are, whatever the shipped network says."""
    monkeypatch.setattr(sums, "calibrated", lambda shares, scale: shares)
