"""The server and the browser that the tests of a file share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.browser import DEFAULT_SIZE, Browser, browsing
from tests.web.support import Server, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server with two threads."""
    with serving(tmp_path_factory.mktemp("data"), "--threads", "2") as running:
        yield running


@pytest.fixture(scope="module")
def shared_browser(server: Server) -> Iterator[Browser]:
    """Run a browser, which ends before the server: its page would complain of the lost socket."""
    with browsing() as running:
        yield running
        assert running.errors() == []


@pytest.fixture
def browser(shared_browser: Browser) -> Browser:
    """Give the page its usual size, whatever the test before has left."""
    shared_browser.size(*DEFAULT_SIZE)
    return shared_browser
