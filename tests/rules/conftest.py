"""Fixtures of the rules tests.

A test module is about Summer Pavilion, or about the game that its constant PLAYED names.
"""

import pytest

from .implementations import Core, Rules, implementation


@pytest.fixture(scope="module", params=["oracle", "core"])
def rules(request: pytest.FixtureRequest) -> Rules:
    """Run the test against the slow oracle and against the package."""
    return implementation(request.param, played(request))


@pytest.fixture(scope="module")
def core(request: pytest.FixtureRequest) -> Core:
    """The package alone."""
    return Core(played(request))


def played(request: pytest.FixtureRequest) -> str:
    """Return the game that the test module is about."""
    return str(getattr(request.module, "PLAYED", "summer"))
