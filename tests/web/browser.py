"""A real browser for tests: Debian's chromium, driven by Selenium."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.web.support import PATIENCE

CHROMIUM, DRIVER = (shutil.which(name) for name in ("chromium", "chromedriver"))
FLAGS = ("headless=new", "no-sandbox", "disable-gpu", "disable-quic", "no-first-run",
         "disable-background-networking", "disable-component-update", "disable-sync",
         "disable-dev-shm-usage")
DEFAULT_SIZE = (1280, 900)
SHORTEST_PAUSE, LONGEST_PAUSE = 0.01, 0.08
"""Seconds between two looks at a page: to ask keeps two processes and the browser busy."""


def needs_browser() -> None:
    """Skip the tests of a module where no browser is installed."""
    pytest.importorskip("selenium", reason="the extra test is not installed: selenium is missing")
    if not CHROMIUM or not DRIVER:
        pytest.skip("chromium and chromedriver are not installed", allow_module_level=True)


class Browser:
    """A page in the browser, as a person sees it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, url: str, before: str = "") -> None:
        """Open a page in a tab that keeps nothing, and wait for the table.

        Args:
            before: a script that runs before those of the page. The page before is gone by then: it
                may still have an answer to store.
        """
        self._load(lambda: self.driver.get(url), f"sessionStorage.clear(); {before}")

    def reload(self, before: str) -> None:
        """Reload the page, with a script that runs before its own; the tab goes on as it was."""
        self._load(self.driver.refresh, before)

    def _load(self, load: Callable[[], None], before: str) -> None:
        with self.preparing(before):
            load()
        self.wait(lambda: self.code)

    @contextmanager
    def preparing(self, before: str) -> Iterator[None]:
        """Let pages that are opened meanwhile run a script before their own."""
        script = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": before})
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)

    def all(self, selector: str) -> list[Any]:
        """Find elements."""
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def one(self, selector: str) -> Any:
        """Wait for an element and return it."""
        return self.wait(lambda: self.all(selector))[0]

    def values(self, selector: str, attribute: str) -> list[str]:
        """Return an attribute of all elements, read at one moment."""
        found: list[str] = self.script(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.getAttribute("
            "arguments[1]))", selector, attribute)
        return found

    def script(self, source: str, *arguments: Any) -> Any:
        """Run a script in the page."""
        return self.driver.execute_script(source, *arguments)

    def click(self, selector: str) -> None:
        """Click on an element as a mouse does, once it can be seen and nothing lies over it."""
        from selenium.common.exceptions import (
            ElementClickInterceptedException,
            ElementNotInteractableException,
            StaleElementReferenceException,
        )

        passing = (ElementClickInterceptedException, ElementNotInteractableException,
                   StaleElementReferenceException)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return self.one(selector).click()  # type: ignore[no-any-return]
            except passing:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def activate(self, selector: str) -> None:
        """Click on an element of a page that is at work: it moves, and a mouse may hit another."""
        self.one(selector)
        self.script("const one = document.querySelector(arguments[0]); one.focus(); one.click();",
                    selector)

    def press(self, *keys: str, held: str = "") -> None:
        """Press keys, as they go to whatever has the focus.

        Args:
            keys: one after the other; each is released before the next one.
            held: a key that stays down meanwhile, as shift; among `keys` it would not.
        """
        from selenium.webdriver.common.action_chains import ActionChains

        chain = ActionChains(self.driver, duration=0)
        if held:
            chain.key_down(held)
        chain.send_keys(*keys)
        if held:
            chain.key_up(held)
        chain.perform()

    def focused(self, selector: str) -> bool:
        """Tell whether what has the focus is one of these elements."""
        found: bool = self.script("return document.activeElement.matches(arguments[0])", selector)
        return found

    def wait(self, condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
        """Wait until a condition holds; return what it gives."""
        until = time.monotonic() + patience
        pause = SHORTEST_PAUSE
        while True:
            with contextlib.suppress(Exception):
                if found := condition():
                    return found
            assert time.monotonic() < until, (
                f"not in {patience} s; the page says {self.text('#status')!r},"
                f" {self.text('#analysis-summary')!r}")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def text(self, selector: str) -> str:
        """Return the text of an element; where no line breaks stand plain spaces."""
        found: str = self.script(
            "return document.querySelector(arguments[0])?.textContent ?? ''", selector)
        return found.replace("\u00a0", " ")

    def table(self, attribute: str) -> str | None:
        """Return an attribute of the table."""
        found: str | None = self.script(
            "return document.getElementById('table').dataset[arguments[0]] ?? null", attribute)
        return found

    @property
    def code(self) -> str | None:
        """Code of the position that is shown."""
        return self.table("code")

    def play(self, move: str, within: str = "#moves") -> str:
        """Click on a move and wait for the next position; return its code."""
        before = self.code
        self.click(f'{within} [data-move="{move}"]')
        code: str = self.wait(lambda: self.code != before and self.code)
        return code

    def errors(self) -> list[str]:
        """Return what the console complained of.

        A page that is left while its socket is being opened complains of that; it is not meant.
        """
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")
                and "WebSocket is closed before" not in entry["message"]]

    def size(self, width: int, height: int) -> None:
        """Give the page a size."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scheme(self, name: str, media: str = "") -> None:
        """Choose light or dark, on a screen or in print; nothing moves."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-color-scheme", "value": name},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def picture(self, path: Path) -> None:
        """Save what is seen."""
        self.driver.save_screenshot(str(path))


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start a browser that knows nothing of the ones before."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = str(CHROMIUM)
    with tempfile.TemporaryDirectory() as profile:
        for flag in (*FLAGS, f"user-data-dir={profile}"):
            options.add_argument(f"--{flag}")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
        try:
            browser = Browser(driver)
            browser.size(*DEFAULT_SIZE)
            browser.scheme("light")
            yield browser
        finally:
            driver.quit()
