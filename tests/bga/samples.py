"""Logs of whole games from the site, and the records that they must become."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "bga"
WHOLE = ("azul_coloured_2p.json", "azul_grey_2p.replay.html", "summer_coloured_2p.json",
         "summer_grey_4p_undo.json")


def sample(name: str) -> str:
    """Return the text of a sample."""
    return gzip.decompress((SAMPLES / f"{name}.gz").read_bytes()).decode()


def truth(name: str) -> dict[str, Any]:
    """Return the record that a sample must become."""
    text = (SAMPLES / f"{name.split('.')[0]}.truth.jsonl").read_text()
    record: dict[str, Any] = json.loads(text)
    return record
