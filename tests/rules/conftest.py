"""Fixtures of the rules tests.

A test module is about Summer Pavilion, or about the game that its constant PLAYED names.
"""

import pytest

from .implementations import Rules, implementation


@pytest.fixture(scope="module", params=["oracle", "core"])
def rules(request: pytest.FixtureRequest) -> Rules:
    """Run the test against the slow oracle and against the package."""
    return implementation(request.param, getattr(request.module, "PLAYED", "summer"))
