"""Zip archives that others made: their files are unpacked in memory, within bounds."""

from __future__ import annotations

import io
import struct
import zlib

from pavilion_ai.encoded import EncodingFault
from pavilion_ai.errors import harmless

MOST_FILES = 1000
_BEGINS = (b"PK\x03\x04", b"PK\x05\x06")
"""How archives begin: with a file, or with their end if they are empty."""
_LISTED = b"PK\x01\x02"
"""Begins the entry of each file in the list of an archive."""
_ENCRYPTED = 1
"""Bit of the flags of a file."""
MAX_NAME = 100


def is_zip(head: bytes) -> bool:
    """Tell whether the first four bytes of a file are those of a zip archive.

    >>> is_zip(b"PK\\x03\\x04"), is_zip(b"{")
    (True, False)
    """
    return head.startswith(_BEGINS)


def files_in(name: str, content: bytes, most: int) -> list[tuple[str, bytes]]:
    """Return the files of an archive, called by its name and theirs; else the file itself.

    Args:
        name: name of the file; if it is empty, those in an archive are called by their own.
        most: bytes that the files of an archive may have together.

    Raises:
        EncodingFault: as `unzipped`.
    """
    if not is_zip(content):
        return [(name, content)]
    return [(f"{name}, {one}" if name else one, inner) for one, inner in unzipped(content, most)]


def unzipped(content: bytes, most: int) -> list[tuple[str, bytes]]:
    """Return name and content of each file in a zip archive.

    Folders, and what systems add to archives, are left out. Nothing is written, and the names are
    for messages: the last part of each path, as far as it can be printed.

    Args:
        content: the archive.
        most: bytes that all files may have together.

    Raises:
        EncodingFault: it is damaged or encrypted, has too many files, too many bytes or none, or
            holds an archive itself.
    """
    from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile  # slow, and seldom needed

    if content.count(_LISTED) > MOST_FILES:
        raise EncodingFault(f"the zip holds more than {MOST_FILES} files")
    found: list[tuple[str, bytes]] = []
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                name = _name(info.filename)
                if not name:
                    continue
                if info.flag_bits & _ENCRYPTED:
                    raise EncodingFault("the zip is encrypted (unpack it first)")
                if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                    raise EncodingFault("the zip is packed in a way that is not read (unpack it"
                                        " first)")
                with archive.open(info) as file:
                    inner = file.read(most + 1)
                most -= len(inner)
                if most < 0:
                    raise EncodingFault("the zip holds too much to read at once (unpack it first)")
                if is_zip(inner):
                    raise EncodingFault(f"the zip holds another one, {name} (unpack that first)")
                found.append((name, inner))
    except (BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError,
            ValueError) as error:
        if isinstance(error, EncodingFault):
            raise
        raise EncodingFault("the zip is damaged or cut short") from None
    if not found:
        raise EncodingFault("the zip holds no files")
    return found


def _name(path: str) -> str:
    """Return what to call a file of an archive; empty for what is to be left out."""
    *folders, name = path.split("/")
    if name.startswith(".") or "__MACOSX" in folders:
        return ""
    return harmless(name)[:MAX_NAME]
