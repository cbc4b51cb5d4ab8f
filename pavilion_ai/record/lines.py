"""The lines of a file of records, and the JSON objects on them."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pavilion_ai.bounds import MAX_LINE_BYTES
from pavilion_ai.notation.code import begins_code
from pavilion_ai.untrusted import is_cut, strict_json_part

NO_RECORD = "not a game record"
A_POSITION = "a position, which `pavilion suggest` takes"
"""What stands where a record is expected."""
_CODE_HEAD = 1000  # characters in which the beginning of a code, or a link, shows
OVERLONG = "longer than"
"""How faults of lines begin."""
_BLANK = " \t\r\n\ufeff"
"""What may stand around an object: a file that begins with a mark may have been added to another.
"""


class LineError(ValueError):
    """A line does not hold what it should.

    Attributes:
        open: whether it holds the beginning of a value that does not end there.
    """

    def __init__(self, message: str, open: bool = False) -> None:
        super().__init__(message)
        self.open = open


@dataclass(frozen=True)
class RecordLine:
    """A line of a file of records.

    Attributes:
        number: line number, counted from 1.
        start: byte at which the line begins.
        raw: bytes of the line with its line feed; only the beginning of an overlong line.
    """

    number: int
    start: int
    raw: bytes

    @property
    def end(self) -> int:
        """Byte at which the next line begins."""
        return self.start + len(self.raw)

    @property
    def ended(self) -> bool:
        """Whether the line ends in a line feed."""
        return self.raw.endswith(b"\n")

    @property
    def blank(self) -> bool:
        """Whether the line is empty, or has a mark of UTF-8 alone."""
        return not self._content

    @property
    def _content(self) -> str:
        """The line without what may stand around an object."""
        return self.raw.decode(errors="replace").strip(_BLANK)

    @property
    def torn(self) -> bool:
        """Whether the line is the beginning of a record that was not completely written.

        Or room for one that was not written at all.
        """
        if self.ended or len(self.raw) > MAX_LINE_BYTES:
            return False
        return self.unwritten or _is_begun(self._content.rstrip("\0"))

    @property
    def unwritten(self) -> bool:
        """Whether the line is room that the disk never filled: zeros, after a power failure."""
        return self.number > 1 and self.raw == bytes(len(self.raw))


def record_lines(path: str | os.PathLike[str]) -> Iterator[RecordLine]:
    """Yield every line of a file as it is, including blank lines and a torn last line.

    Raises:
        OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        yield from lines_of(file)


def lines_of(file: io.BufferedIOBase) -> Iterator[RecordLine]:
    """Yield the lines of an open file."""
    number = start = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        yield RecordLine(number, start, raw)
        start += len(raw)
        while len(raw) > MAX_LINE_BYTES and not raw.endswith(b"\n"):
            raw = file.readline(MAX_LINE_BYTES + 1) or b"\n"  # skip to the next line
            start += len(raw)


def objects_on(line: RecordLine) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects on a line; usually there is one.

    Raises:
        LineError: there is something else; the message says where and what.
    """
    if len(line.raw) > MAX_LINE_BYTES:
        raise LineError(f"{OVERLONG} {MAX_LINE_BYTES} bytes, {NO_RECORD}")
    try:
        text = line.raw.decode()
    except UnicodeDecodeError as error:
        raise LineError(
            f"byte {error.start} is not UTF-8 text, expected a game record") from None
    if "\0" in text:
        raise LineError(f"byte {line.raw.index(0)} is zero, expected a game record in UTF-8")
    end = len(text.rstrip(_BLANK))
    at = 0
    while (at := _next(text, at, end)) < end:
        value, at = _value(text, at)
        if not isinstance(value, dict):
            raise _wrong(f"found a {type(value).__name__}, expected an object")
        yield value


def _next(text: str, at: int, end: int) -> int:
    while at < end and text[at] in _BLANK:
        at += 1
    return at


def _value(text: str, at: int) -> tuple[Any, int]:
    """Return the value that begins at a place of a text, and where it ends."""
    if text[at] not in "{[":
        if at == 0:
            raise _wrong(A_POSITION if begins_code(text[:_CODE_HEAD]) else "no JSON object")
        raise _wrong(f"column {at + 1}: found {text[at]!r} after an object")
    try:
        return strict_json_part(text, at)
    except json.JSONDecodeError as error:
        if is_cut(error):
            raise LineError(f"{NO_RECORD} (it does not end on this line)", open=True) from None
        raise _wrong(f"column {error.pos + 1}: {error.msg}") from None
    except ValueError as error:
        raise _wrong(str(error)) from None


def _wrong(why: str) -> LineError:
    return LineError(f"{NO_RECORD} ({why})")


def _is_begun(text: str) -> bool:
    """Tell whether a text begins an object that does not end."""
    try:
        strict_json_part(text, 0)
    except json.JSONDecodeError as error:
        return text.startswith("{") and is_cut(error)
    except ValueError:
        pass
    return False
