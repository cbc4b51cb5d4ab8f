"""Pictures of the documents: taken in a browser, and made smaller with Pillow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser import Browser

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"


def take(browser: Browser, name: str, colours: int, method: str = "MEDIANCUT") -> None:
    """Save what the browser shows as `docs/images/NAME.png`, in so many colours.

    `method` names one of Pillow's ways to choose them.
    """
    from PIL import Image

    target = IMAGES / f"{name}.png"
    browser.picture(target)
    Image.open(target).convert("RGB").quantize(colours, Image.Quantize[method]).save(
        target, optimize=True)
    print(f"docs/images/{target.name}: {target.stat().st_size // 1024} kB")
