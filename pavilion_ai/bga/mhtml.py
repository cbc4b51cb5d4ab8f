"""Pages that a browser saved as one file: MHTML, a message of several parts (RFC 2557)."""

from __future__ import annotations

import re

__all__ = ["is_mhtml", "pages_in"]

_HEADERS = re.compile(
    r"(From|Subject|Date|MIME-Version|Content-Type|Snapshot-Content-Location)\s*:", re.IGNORECASE)
HEAD = 4096
"""Characters in which the headers must stand."""
_OF_PARTS = re.compile(r"Content-Type\s*:\s*multipart/", re.IGNORECASE)


def is_mhtml(text: str) -> bool:
    """Tell whether a text is a page saved as one file.

    >>> is_mhtml("MIME-Version: 1.0\\nContent-Type: multipart/related;"), is_mhtml("<html>")
    (True, False)
    """
    return bool(_HEADERS.match(text) and _OF_PARTS.search(text[:HEAD]))


def pages_in(text: str) -> str:
    """Return the sources of the pages in such a file, one after another."""
    from email import message_from_bytes  # slow, and seldom needed

    try:
        message = message_from_bytes(text.encode(errors="replace"))
        parts = [part for part in message.walk() if part.get_content_type() == "text/html"]
    except RecursionError:
        return ""
    found = []
    for part in parts:
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            found.append(content.decode("utf-8", errors="replace"))
    return "\n".join(found)
