"""Fixtures of the rules tests."""

import pytest

from .implementations import Core, Rules, implementation


@pytest.fixture(scope="session", params=["oracle", "core"])
def rules(request: pytest.FixtureRequest) -> Rules:
    """Run the test against the slow oracle and against the package."""
    return implementation(request.param)


@pytest.fixture(scope="session")
def core() -> Core:
    """The package alone."""
    return Core()
