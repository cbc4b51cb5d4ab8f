"""The server that the tests of a file share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.browser import Browser, browsing
from tests.web.support import Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server with two threads."""
    with serving(tmp_path_factory.mktemp("data"), "--threads", "2") as running:
        yield running


@pytest.fixture(scope="module")
def browser(server: Server) -> Iterator[Browser]:
    """Run a browser, which ends before the server: its page would complain of the lost socket."""
    with browsing() as running:
        yield running
        assert running.errors() == []
