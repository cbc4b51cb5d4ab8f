#!/usr/bin/env python3
"""Make the picture of docs/review.md: `python tools/review_picture.py`, with chromium.

It shows the page of `review --html` at its second mistake. The file is made smaller with Pillow.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pictures import take

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.cli.support import EXAMPLES, pavilion  # noqa: E402
from tests.web.browser import browsing  # noqa: E402

COLOURS = 128


def main() -> None:
    """Review the example and take the picture."""
    with tempfile.TemporaryDirectory() as folder, browsing() as browser:
        page = Path(folder) / "review.html"
        pavilion("review", EXAMPLES / "game_2p.jsonl", "--sims", 5000, "--html", page)
        browser.size(1280, 860)
        browser.scheme("light")
        browser.driver.get(page.as_uri())
        for _ in range(2):
            browser.click(".pane button[title^='next mistake']")
        browser.script("document.querySelector('.viewer').scrollIntoView()")
        take(browser, "review-page", COLOURS, "MAXCOVERAGE")


if __name__ == "__main__":
    main()
