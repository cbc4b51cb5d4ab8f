"""Pages that a browser saved as one file: MHTML, a message of several parts (RFC 2557).

Python's own reader of messages takes minutes for some of a few megabytes, so the parts are found
here: browsers write all of them side by side.
"""

from __future__ import annotations

import binascii
import re
from contextlib import suppress

from pavilion_ai.encoded import text_in

_HEADERS = re.compile(
    r"(From|Subject|Date|MIME-Version|Content-Type|Snapshot-Content-Location)\s*:", re.IGNORECASE)
HEAD = 4096
"""Characters in which the headers must stand, of the whole and of each part."""
MOST_PARTS = 10_000
_OF_PARTS = re.compile(r"Content-Type\s*:\s*multipart/", re.IGNORECASE)
_BOUNDARY = re.compile(
    r"""\bboundary\s*=\s*(?:"([^"\n]{1,200})"|([^\s;"]{1,200}))""", re.IGNORECASE)
_PAGE = re.compile(r"^Content-Type\s*:\s*text/html\b", re.IGNORECASE | re.MULTILINE)
_ENCODING = re.compile(r"^Content-Transfer-Encoding\s*:\s*([\w-]+)", re.IGNORECASE | re.MULTILINE)
_CHARSET = re.compile(
    r"""^Content-Type\s*:\s*text/html\b(?:[^\n]|\n[ \t]){0,200}?\bcharset\s*=\s*["']?([\w-]+)""",
    re.IGNORECASE | re.MULTILINE)
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


def is_mhtml(text: str) -> bool:
    """Tell whether a text is a page saved as one file.

    >>> is_mhtml("MIME-Version: 1.0\\nContent-Type: multipart/related;"), is_mhtml("<html>")
    (True, False)
    """
    return bool(_HEADERS.match(text) and _OF_PARTS.search(text[:HEAD]))


def pages_in(text: str) -> str:
    """Return the sources of the pages in such a file, one after another."""
    named = _BOUNDARY.search(text[:HEAD])
    if named is None:
        return ""
    _, *parts = text.replace("\r\n", "\n").split(f"\n--{named[1] or named[2]}", MOST_PARTS)
    found = []
    for part in parts:
        head, _, content = part.partition("\n\n")
        if _PAGE.search(head[:HEAD]):
            encoding, charset = (one.search(head[:HEAD]) for one in (_ENCODING, _CHARSET))
            found.append(_decoded(content, "" if encoding is None else encoding[1].lower(),
                                  "" if charset is None else charset[1]))
    return "\n".join(found)


def _decoded(content: str, encoding: str, charset: str) -> str:
    """Return the text of a part; what is cut off stays as far as it goes."""
    if encoding == "quoted-printable":
        plain = binascii.a2b_qp(content.encode(errors="replace"))
    elif encoding == "base64":
        letters = _NOT_BASE64.sub(b"", content.encode(errors="replace"))
        if len(letters) % 4 == 1:  # no whole byte
            letters = letters[:-1]
        plain = binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))
    else:
        return content
    if not charset:
        with suppress(UnicodeDecodeError):
            return plain.decode()
    text = text_in(plain, charset)
    return plain.decode(errors="replace") if text is None else text
