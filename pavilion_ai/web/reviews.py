"""Reviews that are finished, kept in a folder: a game that is opened again is not judged anew."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from pavilion_ai.files import dated, replace_file
from pavilion_ai.protocol import fields, keys
from pavilion_ai.protocol.actions import Answer
from pavilion_ai.protocol.fields import Request
from pavilion_ai.untrusted import strict_json

MAX_REVIEWS = 100  # of some 200 kB; the one that was kept first goes first
MAX_BYTES = 1 << 20
"""A longer review is not kept: its record has texts of any length, such as names."""
KEYS = {"review": frozenset({"anew", *keys.KEYS["review"]})}
"""What the action of the socket reads."""


class KeptReviews:
    """The reviews of a folder, one file each.

    Args:
        folder: made when the first review is kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, asked: Mapping[str, object], request: Request) -> Answer | None:
        """Return the review of a game; None if it is not kept, or is to be made `anew`.

        Args:
            asked: all that the review depends on, as JSON.
            request: what asks for it.
        """
        if fields.flag(request, "anew", False):
            return None
        try:
            found = strict_json(self._path(asked).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and "decisions" in found else None

    def add(self, asked: Mapping[str, object], review: Answer) -> None:
        """Keep a review; where that cannot be done, it is made again another time."""
        path, content = self._path(asked), json.dumps(review, separators=(",", ":")).encode()
        if len(content) > MAX_BYTES:
            return
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            now = time.time()
            for changed, one in dated(self._folder, "*.json"):
                if changed > now:  # the clock has been set back
                    os.utime(one, (now, now))
            replace_file(path, content)
            for _, old in dated(self._folder, "*.json")[:-MAX_REVIEWS]:
                old.unlink(missing_ok=True)

    def files(self) -> list[tuple[float, Path]]:
        """Return the files and when they were kept, the newest first."""
        return dated(self._folder, "*.json")[::-1]

    def _path(self, asked: Mapping[str, object]) -> Path:
        text = json.dumps(asked, sort_keys=True)
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"
