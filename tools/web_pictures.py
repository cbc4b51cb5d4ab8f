#!/usr/bin/env python3
"""Make the pictures of docs/web.md: `python tools/web_pictures.py`, in a checkout, with chromium.

They show a draft about to be taken beside an analysis, payments, the parts of expected scores, a
review, a puzzle, editing, and a phone. The files are made smaller with Pillow.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pictures import take

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pavilion_ai.notation import format_position  # noqa: E402
from pavilion_ai.play import Play  # noqa: E402
from pavilion_ai.position import Position  # noqa: E402
from pavilion_ai.record import read_records  # noqa: E402
from tests.cli.support import AZUL_DRAFT, DRAFTING, EXAMPLES, PLACING, position_of  # noqa: E402
from tests.web.browser import Browser, browsing  # noqa: E402
from tests.web.support import serving  # noqa: E402

COLOURS = 256
DESKTOP, PHONE = (1280, 900), (390, 844)


def taking(browser: Browser) -> None:
    """Click a tile: what comes along is lit."""
    browser.wait(lambda: len(browser.all("#analysis [data-move]")) > 3)
    browser.click("#analyse")
    browser.click('#table .market [data-at="D3"][data-tile="P"]')


def paying(browser: Browser) -> None:
    """Click a space that can be paid for in several ways."""
    browser.click('#table .space.clickable[data-at="C.3"]')
    browser.wait(lambda: browser.all("#choice .pile"))


def reviewing(browser: Browser) -> None:
    """Open a record and go to a mistake."""
    browser.script("document.getElementById('paste').value = arguments[0]",
                   json.dumps(GAME.to_json()))
    browser.click("#load")
    browser.wait(lambda: browser.all("#review-tools tbody tr"), patience=120)
    browser.click("#next-mistake")
    browser.wait(lambda: browser.all("#table .best"))


def analysing(browser: Browser) -> None:
    """Wait for the parts of the scores."""
    browser.wait(lambda: browser.all("#outlook [data-seat-parts]"))
    browser.wait(lambda: len(browser.all("#analysis [data-move]")) > 3)
    browser.click("#analyse")


def training(browser: Browser) -> None:
    """Open a puzzle and let it be solved."""
    browser.click("#train")
    browser.wait(lambda: "clearly best" in browser.text("#status"))
    browser.wait(lambda: browser.all("#moves [data-move]:enabled"))
    browser.click("#solution")
    browser.wait(lambda: "Tempting:" in browser.text("#train-told"))


def editing(browser: Browser) -> None:
    """Put one tile too many on a display."""
    browser.click("#edit")
    browser.wait(lambda: browser.one("#edit-done").is_enabled())
    browser.click('#choice [data-pick="G"]')
    browser.click('#table [data-place="D1"] circle')
    browser.wait(lambda: browser.all("#table .wrong"))


def nothing(browser: Browser) -> None:
    """Leave the page as it is."""


GAME = next(iter(read_records(EXAMPLES / "game_2p.jsonl")))
PAYMENTS = Play.of(GAME, 11).position
PICTURES: dict[str, tuple[Position, tuple[int, int], str, Callable[[Browser], None]]] = {
    "web-taking": (position_of(EXAMPLES / "round3_draft_2p.code"), DESKTOP, "light", taking),
    "web-paying": (PAYMENTS, DESKTOP, "dark", paying),
    "web-analysis": (position_of(PLACING), DESKTOP, "light", analysing),
    "web-puzzle": (position_of(DRAFTING), DESKTOP, "light", training),
    "web-editing": (position_of(DRAFTING), DESKTOP, "light", editing),
    "web-review": (position_of(DRAFTING), DESKTOP, "light", reviewing),
    "web-phone": (position_of(AZUL_DRAFT), PHONE, "light", nothing),
}


def main() -> None:
    """Make all pictures."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server, \
            browsing() as browser:
        for name, (position, size, scheme, action) in PICTURES.items():
            browser.size(*size)
            browser.scheme(scheme)
            browser.open(f"{server.url}?position={format_position(position, 'code')}")
            browser.wait(lambda: browser.all("#moves [data-move]"))
            action(browser)
            time.sleep(1)  # marks that glow come to rest
            browser.script("window.scrollTo(0, 0);"
                           " document.getElementById('stage').scrollTo(0, 0)")
            take(browser, name, COLOURS)


if __name__ == "__main__":
    main()
