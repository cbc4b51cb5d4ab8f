"""Text that others wrote, in whatever encoding: read as UTF-8, or refused with the cause.

UTF-8 and UTF-16 are read, with or without a byte-order mark, and both also packed by gzip.
"""

from __future__ import annotations

import codecs
import io
import re
import zlib
from typing import Any

MAX_UNPACKED = 1 << 32
"""Most bytes that a packed file may hold; some 800,000 games, and unpacked in half a minute."""

GZIP = "gzip"
_PACKERS = {b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zX": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
"""How files begin that are packed in ways that are not read here."""
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16-LE", codecs.BOM_UTF16_BE: "UTF-16-BE",
}
"""Byte-order marks, the longer first: one begins as another does."""

NOT_UTF8 = "the text is not UTF-8, read as {}"
HEAD = 4096  # bytes in which a page says how it is encoded
_EIGHT_BITS = r"iso-8859-\d{1,2}|latin-?1|us-ascii|windows-125\d|koi8-[ru]"
_DECLARED = re.compile(
    rb"""(?:<(?:meta|\?xml)\b[^>]{0,200}?|^content-type\s*:\s*text/html\s*;\s*)"""
    rb"""\b(?:charset|encoding)\s*=\s*["']?(%b)\b""" % _EIGHT_BITS.encode(),
    re.IGNORECASE | re.MULTILINE)
_KNOWN = re.compile(
    rf"{_EIGHT_BITS}|utf-?8|utf-16(?:le|be)?|big5|gbk|gb2312|gb18030|shift_jis|euc-jp|euc-kr")
_AS_BROWSERS_READ = {"iso-8859-1": "cp1252", "latin1": "cp1252", "latin-1": "cp1252",
                     "us-ascii": "cp1252", "iso-8859-9": "cp1254", "iso-8859-11": "cp874",
                     "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949"}
"""Encodings that stand for one with more characters, by the standards of the web."""


class EncodingFault(ValueError):
    """Bytes are not the text that they seem to be; the message says which byte."""


def encoding_of(head: bytes) -> str:
    """Return what the first four bytes of a file say of the rest.

    >>> encoding_of(b"{"), encoding_of(b"\\x1f\\x8b\\x08\\x00"), encoding_of(b"\\xff\\xfe{\\0")
    ('UTF-8', 'gzip', 'UTF-16-LE')
    """
    if head.startswith(b"\x1f\x8b"):
        return GZIP
    for start, name in (_MARKS | _PACKERS).items():
        if head.startswith(start):
            return name
    zeros = "".join("0" if not byte else "x" for byte in head[:4])
    # Without a mark: what is read here begins with characters below 256.
    return {"x0x0": "UTF-16-LE", "0x0x": "UTF-16-BE"}.get(zeros, "UTF-8")


def utf8(file: io.BufferedIOBase | io.RawIOBase) -> io.BufferedReader:
    """Return the text of a file as a stream of UTF-8, whose validity is for the reader to check.

    Reading it raises an EncodingFault where the file is not what its first bytes say; everything
    before that place has been read by then.

    Raises:
        EncodingFault: the file is packed, or encoded, in a way that is not read.
    """
    stream: io.BufferedReader = io.BufferedReader(file)
    name = encoding_of(stream.peek(4)[:4])
    if name == GZIP:
        stream = io.BufferedReader(_Unpacked(stream))
        name = encoding_of(stream.peek(4)[:4])
    if name.startswith("UTF-16"):
        return io.BufferedReader(_Recoded(stream, name))
    if name != "UTF-8":
        what = ("a file encoded as UTF-32 (save it as UTF-8)" if name == "UTF-32" else
                f"a file packed as {name} (unpack it first)")
        raise EncodingFault(f"byte 0 begins {what}")
    return stream


class Room:
    """Bytes that files may hold together, unpacked; those that are refused count too.

    Args:
        left: how many.
    """

    def __init__(self, left: int) -> None:
        self.left = left

    def plain(self, content: bytes, most: int) -> bytes:
        """Return the text of a file as UTF-8, as `utf8`; of more than `most` bytes, one too many.

        Raises:
            EncodingFault: as `utf8`.
        """
        found = bytearray()
        try:
            with utf8(io.BytesIO(content)) as stream:
                while part := stream.read1(most + 1 - len(found)):
                    found += part
        finally:
            self.left = max(0, self.left - len(found))
        return bytes(found)


def text_of_page(plain: bytes) -> tuple[str, str]:
    """Return what others saved or copied, and how it was read if it is not UTF-8, else "".

    A page is read as it declares, by `<meta charset>` or in its first line, or in the header of its
    part of a message; all else as Latin-1, as browsers once saved pages.

    Raises:
        EncodingFault: it is not even that.

    >>> text_of_page(b"caf\\xe9"), text_of_page(b"<meta charset=windows-1250>\\xe8")[1]
    (('café', 'Latin-1'), 'windows-1250')
    """
    try:
        return plain.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        at = error.start
    name = _declared(plain)
    if (declared := text_in(plain, name)) is not None:
        return declared, name
    text = plain.decode("latin-1")
    if not all(character.isprintable() or character.isspace() for character in text):
        raise EncodingFault(f"byte {at} is not UTF-8 text")
    return text, "Latin-1"


def text_in(plain: bytes, name: str) -> str | None:
    """Return the text of bytes in an encoding; None where its name is not one that pages have.

    Args:
        plain: what is not text of that encoding is read as U+FFFD.
        name: as pages write it; if empty, as the page itself declares.

    >>> text_in(b"caf\\xe9", "ISO-8859-1"), text_in(b"caf\\xe9", "rot13")
    ('café', None)
    """
    name = (name or _declared(plain)).lower()
    if not _KNOWN.fullmatch(name):
        return None
    try:
        return plain.decode(_AS_BROWSERS_READ.get(name, name), errors="replace")
    except LookupError:
        return None  # no encoding has that number


def _declared(plain: bytes) -> str:
    """Return the encoding that a page declares, if it is one of eight bits; else ""."""
    found = _DECLARED.search(plain[:HEAD])
    return "" if found is None else found[1].decode()


class _Piecewise(io.RawIOBase):
    """A stream of pieces, each made of what comes next in another stream."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        self._file = file
        self._left = b""
        self._fault: EncodingFault | None = None
        self._ended = False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._left and not self._ended:
            if self._fault is not None:
                raise self._fault
            self._left = self._piece()
        part = self._left[: len(buffer)]
        buffer[: len(part)] = part
        self._left = self._left[len(part) :]
        return len(part)

    def _piece(self) -> bytes:
        """Return the next piece; set `_ended` or `_fault` when it is the last one."""
        raise NotImplementedError


class _Unpacked(_Piecewise):
    """What a file packed by gzip holds."""

    def __init__(self, file: io.BufferedIOBase) -> None:
        super().__init__(file)
        from gzip import GzipFile  # slow, and seldom needed

        self._packed = GzipFile(fileobj=file)
        self._count = 0

    def _piece(self) -> bytes:
        from gzip import BadGzipFile

        try:
            piece = self._packed.read1(1 << 16)
        except EOFError:
            self._fault = EncodingFault("the gzip data are cut short")
            return b""
        except (BadGzipFile, zlib.error):
            self._fault = EncodingFault(
                f"the gzip data are damaged, {self._count} bytes could be unpacked")
            return b""
        self._ended = not piece
        self._count += len(piece)
        if self._count > MAX_UNPACKED:
            self._fault = EncodingFault(f"the gzip data hold more than {MAX_UNPACKED} bytes")
        return piece


class _Recoded(_Piecewise):
    """UTF-16 text as UTF-8."""

    def __init__(self, file: io.BufferedIOBase, name: str) -> None:
        super().__init__(file)
        self._name = name
        self._decoder = codecs.getincrementaldecoder(name)()
        self._read = 0

    def _piece(self) -> bytes:
        part = self._file.read(1 << 16)
        self._read += len(part)
        self._ended = not part
        try:
            return self._decoder.decode(part, final=not part).encode()
        except UnicodeDecodeError as error:
            self._ended = False
            at = self._read - len(error.object) + error.start
            self._fault = EncodingFault(f"byte {at} is not UTF-16 text")
            return error.object[: error.start].decode(self._name).encode()
