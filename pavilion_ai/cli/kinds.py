"""What kind of file is given: a page or log of Board Game Arena, or one with game records."""

from __future__ import annotations

import os
from pathlib import Path

from pavilion_ai.encoded import utf8
from pavilion_ai.untrusted import begins_list
from pavilion_ai.zipped import is_zip

PAGES = (".html", ".htm", ".mhtml", ".mht", ".har")
"""How names of files end that browsers save."""


def is_log(path: str) -> bool:
    """Tell whether a file looks like a saved page or a log, and no game record stands in it.

    Archives do: records are packed by gzip.
    """
    from pavilion_ai.bga.head import begins_log

    head = _head(path)
    if is_zip(head):
        return True
    looks = (head.startswith(b"<") or begins_list(head.decode("utf-8", "replace"))
             or Path(path).suffix.lower() in PAGES or begins_log(head))
    return looks and not (head != b"" and holds_record(path))  # the reader says why it is empty


def holds_record(path: str) -> bool:
    """Tell whether a game record stands in a file, whatever it begins with.

    Raises:
        OSError: the file cannot be read.
    """
    from pavilion_ai.record import read_entries

    return any(one.game is not None for one in read_entries(path))


def is_page(path: str, *, zipped: bool) -> bool:
    """Tell whether a file that holds nothing of ours looks like a saved page or a log.

    Args:
        zipped: whether every archive does.
    """
    from pavilion_ai.bga.head import begins_page

    head = _head(path) if os.path.isfile(path) else b""  # a pipe would be waited for
    if is_zip(head):
        return zipped
    return head.startswith(b"<") or begins_page(head)


def _head(path: str) -> bytes:
    """Return the beginning of a file, unpacked; nothing if the reader will say what is wrong."""
    from pavilion_ai.bga.head import HEAD_BYTES

    try:
        with open(path, "rb") as file:
            start = file.peek(4)[:4]
            if is_zip(start):
                return start
            with utf8(file) as text:
                return text.read(HEAD_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
    except (OSError, ValueError):
        return b""
