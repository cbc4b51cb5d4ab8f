"""What tests of the game for one share; the fixture `solo_data` stands in `conftest.py`."""

from __future__ import annotations

from pavilion_ai.solo import Challenge

SIMS = (20, 30)
"""Simulations of the games that make par in tests."""
AZUL = Challenge("azul", "coloured", 2, 1, 3)
RULE = Challenge("azul", "grey", 2, 0, 5)
SUMMER = Challenge("summer", "coloured", 2, 1, 3)
