#!/usr/bin/env python3
"""Measure how quickly the page answers: `python tools/web_speed.py`, in a checkout, with chromium.

Prints the time to the first paint, from a click on a move to the drawing of the next position while
a search runs on every thread, and between two updates of the analysis; each median and worst.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pavilion_ai.notation import format_position  # noqa: E402
from pavilion_ai.position import Position  # noqa: E402
from pavilion_ai.processors import cores  # noqa: E402
from tests.cli.support import AZUL_DRAFT, DRAFTING, PLACING, position_of  # noqa: E402
from tests.web.browser import Browser, browsing  # noqa: E402
from tests.web.support import Server, serving  # noqa: E402

PAINTS, CLICKS, UPDATES = 7, 12, 12
CLICK = """
const done = arguments[arguments.length - 1];
const table = document.getElementById("table");
const begun = performance.now();
new MutationObserver((_, self) => { self.disconnect(); done(performance.now() - begun); })
  .observe(table, { attributes: true, attributeFilter: ["data-code"] });
document.querySelector("#moves [data-move]:enabled").click();
"""
WATCH = """
const [count, done] = arguments;
const times = [];
new MutationObserver((_, self) => {
  times.push(performance.now());
  if (times.length <= count) return;
  self.disconnect();
  done(times.slice(1).map((time, index) => time - times[index]));
}).observe(document.getElementById("analysis"), { childList: true });
"""


def paints(browser: Browser, server: Server) -> list[float]:
    """Return milliseconds to the first paint."""
    found = []
    for _ in range(PAINTS):
        browser.open(server.url)
        found.append(float(browser.wait(lambda: browser.script(
            "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))))
    return found


def clicks(browser: Browser, server: Server, position: Position) -> list[float]:
    """Return milliseconds from clicks to the next position, beside a search on every thread."""
    browser.open(f"{server.url}?position={format_position(position, 'code')}")
    browser.script("document.querySelector('[aria-label=Threads]').value = arguments[0]",
                   str(cores()))
    found = []
    for _ in range(CLICKS):
        browser.wait(lambda: browser.all("#analysis [data-move]"))
        browser.wait(lambda: browser.all("#moves [data-move]:enabled"))
        before = browser.code
        found.append(float(browser.driver.execute_async_script(CLICK)))
        browser.wait(lambda before=before: browser.code != before)
        browser.click("#undo")
        browser.wait(lambda before=before: browser.code == before)
    return found


def updates(browser: Browser, server: Server) -> list[float]:
    """Return milliseconds between two updates of the analysis."""
    browser.open(f"{server.url}?position={format_position(position_of(DRAFTING), 'code')}")
    browser.wait(lambda: browser.all("#analysis [data-move]"))
    found: list[float] = browser.driver.execute_async_script(WATCH, UPDATES)
    return found


def main() -> None:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server, \
            browsing() as browser:
        browser.driver.set_script_timeout(60)
        rows = {"first paint": paints(browser, server)}
        for name, path in (("taking, Summer Pavilion", DRAFTING),
                           ("placing, Summer Pavilion", PLACING), ("taking, Azul", AZUL_DRAFT)):
            rows[f"click beside a search, {name}"] = clicks(browser, server, position_of(path))
        rows["update of the analysis"] = updates(browser, server)
        for name, times in rows.items():
            print(f"{name}: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms"
                  f" of {len(times)}")
        print(f"{cores()} processors, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
