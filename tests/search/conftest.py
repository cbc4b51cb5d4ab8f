"""Fixtures of the tests of the search."""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai import sums

from .networks import network


@pytest.fixture
def plain_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Report win shares as the averages that they are, whatever the shipped network says."""
    monkeypatch.setattr(sums, "calibrated", lambda shares, scale: shares)


@pytest.fixture(params=[False, True], ids=["linear", "network"])
def net(request: pytest.FixtureRequest, game: str, players: int) -> Any:
    """What evaluates in a test of that game and so many players: None, the linear sum, or a net."""
    return network(game, players) if request.param else None
