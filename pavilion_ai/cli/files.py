"""Reading and writing of files for the commands: positions, and others."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavilion_ai.cli.exits import FAILED, CommandError
from pavilion_ai.cli.few_of_each import first_of_each
from pavilion_ai.cli.kinds import holds_record, is_page
from pavilion_ai.cli.said import note
from pavilion_ai.encoded import NOT_UTF8, EncodingFault, Room, text_of_page, utf8
from pavilion_ai.errors import file_fault, file_named, named_input
from pavilion_ai.files import replace_file

if TYPE_CHECKING:
    from pavilion_ai.position import Position

MAX_INPUT_BYTES = 1 << 20  # a position takes about 1 KB; anything longer is a wrong or endless file
MOST_FAULTS = 40  # problems of something that is a position, if a faulty one
NO_STDOUT = "is not written to standard output; expected the name of a file"
_NO_FILE = "is a directory, expected a file to write"
POSITIONS = "prints its position, and with --ply N one of a game"
"""What `pavilion import bga` does where a position is expected."""
RECORDS = ("game records", "prints the record of a game")
"""What is expected of a file of records, and what `pavilion import bga` does with a log."""
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_MEANT = re.compile(r"\s*([{\[\"]|(\S*[?&]position=)?[a-z]+\.[0-9]+\.)")
"""The beginning of JSON, of a code, or of a link with one."""


def read_position(source: str) -> Position:
    """Read the position of a POS argument; assumed defaults are noted on standard error.

    Raises:
        CommandError: there is no such position, or it has problems (one line for each).
    """
    from pavilion_ai.errors import PositionError
    from pavilion_ai.notation import parse_position

    try:
        where, text = _source_text(source)
        parsed = parse_position(text)
    except (CommandError, PositionError) as error:
        refuse_page(source, "a position", POSITIONS, zipped=True)
        if isinstance(error, CommandError):
            raise
        raise CommandError(_position_lines(source, where, error.problems)) from None
    except RecursionError:
        raise CommandError(f"{where}: nested too deeply for a position") from None
    for message in parsed.notes:
        note(message)
    position: Position = parsed.position
    return position


def refuse_page(source: str, expected: str, converts: str, *, zipped: bool = False) -> None:
    """Refuse a file of Board Game Arena in a line that says how it is read.

    Args:
        converts: what `pavilion import bga` does with it.
        zipped: whether archives are taken for such files.

    Raises:
        CommandError: it is one.
    """
    if is_page(source, zipped=zipped):
        raise CommandError(f"{source}: looks like a page or log of Board Game Arena, expected"
                           f" {expected}; `pavilion import bga FILE` {converts}")


def refuse_log(path: str) -> None:
    """Refuse a file of Board Game Arena where records are expected, unless one stands in it.

    Raises:
        CommandError: it is such a file.
        OSError: the file cannot be read.
    """
    if is_page(path, zipped=False) and not holds_record(path):
        refuse_page(path, *RECORDS)


def refuse_own(option: str, target: str | None, *sources: str) -> None:
    """Refuse to write over a file that is read.

    Raises:
        CommandError: the target of the option is one of the sources.
    """
    for source in sources:
        if target is not None and _are_one(source, target):
            raise CommandError(f"{option} {target}: is the file that is read")


def _are_one(path: str, other: str) -> bool:
    """Tell whether two paths are of one file, which need not be there yet."""
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def _position_lines(source: str, where: str, problems: tuple[Any, ...]) -> list[str]:
    if where == "POS" and not _MEANT.match(source) and _is_unreadable(source, problems):
        return [f"{file_named(source)}: no such file, and not a position code"]
    return problem_lines(where, problems)


def problem_lines(where: str, problems: tuple[Any, ...]) -> list[str]:
    """Return one line for each problem of a position; of very many the first of each kind."""
    lines = [f"{where}: {problem}" for problem in problems]
    return first_of_each(where, lines) if len(lines) > MOST_FAULTS else lines


def _is_unreadable(source: str, problems: tuple[Any, ...]) -> bool:
    """Tell whether the text as a whole is not a position, rather than a faulty one."""
    if len(problems) != 1 or problems[0].kind not in ("syntax", "type"):
        return False
    # One line alone is a path if it begins as the board of a seat does: `C:\\...`.
    whole = ("", "code") if "\n" in source else ("", "code", "seats")
    return problems[0].where in whole


def _source_text(source: str) -> tuple[str, str]:
    """Return the source of the text, in words, and the text itself."""
    if source == "-":
        return _text_of(source)
    if not source.strip():
        raise CommandError("POS is empty; expected a code, a file, or - for standard input")
    try:
        Path(source).stat()
    except PermissionError:
        pass  # reported below
    except (OSError, ValueError):  # a name that is too long or has a NUL is not a file name
        return "POS", source
    return _text_of(source)


def _text_of(source: str) -> tuple[str, str]:
    """Return the text of a file with a position, or of standard input, as `_source_text`."""
    where, content = content_of(source, "a position", MAX_INPUT_BYTES)
    return where, decoded(where, content, "a position", MAX_INPUT_BYTES)


def path_of(name: str) -> Path:
    """Return the path of a name.

    Raises:
        ValueError: the name is empty, which `Path` takes for the current folder.
    """
    if not name:
        raise ValueError("empty")
    return Path(name)


def content_of(source: str, what: str, limit: int) -> tuple[str, bytes]:
    """Read a file, or standard input for `-`; return the source in words, and its bytes.

    Args:
        source: name of the file.
        what: the expected content, for messages.
        limit: most bytes that the content may have; of more, one too many is returned.

    Raises:
        CommandError: the file cannot be read.
    """
    if source == "-":
        return "standard input", _read_stdin(what, limit)
    try:
        if stat.S_ISDIR(path_of(source).stat().st_mode):
            raise CommandError(f"{file_named(source)}: is a directory, expected a file with {what}")
        with open(source, "rb") as file:
            content = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise CommandError(file_fault(source, error)) from None
    return source, content


@contextmanager
def opened(source: str, what: str) -> Iterator[tuple[str, io.BufferedReader]]:
    """Open a file, or standard input for `-`; yield the source in words, and its lines as UTF-8.

    Args:
        what: the expected content, for messages.

    Raises:
        CommandError: the file cannot be read, or is packed or encoded in a way that is not read.
    """
    if source == "-":
        _begin_stdin(what)
    if os.path.isdir(source):
        raise CommandError(f"{file_named(source)}: is a directory, expected a file with {what}")
    where = "standard input" if source == "-" else source
    try:
        file: Any = _stdin() if source == "-" else open(source, "rb")  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise CommandError(file_fault(where, error)) from None
    with file:
        try:
            with utf8(file) as lines:
                yield where, lines
        except EncodingFault as error:
            raise CommandError(f"{where}: {error}, expected {what}") from None
        except OSError as error:
            raise CommandError(file_fault(where, error)) from None


def _begin_stdin(what: str) -> None:
    """Refuse a closed standard input, and say so if it is a terminal."""
    if sys.stdin is None:
        raise CommandError("standard input is closed")
    if sys.stdin.isatty():
        end = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"
        note(f"reading {what} from the terminal; end with {end}")


def _stdin() -> Any:
    """Return standard input; of a terminal all of it, so that one Ctrl-D is enough."""
    return io.BytesIO(sys.stdin.buffer.read()) if sys.stdin.isatty() else sys.stdin.buffer


def _read_stdin(what: str, limit: int) -> bytes:
    _begin_stdin(what)
    with named_input():
        content: bytes = sys.stdin.buffer.read(limit + 1)
    return content


def decoded(
    where: str, content: bytes, what: str, limit: int, *, page: bool = False,
    room: Room | None = None,
) -> str:
    """Return the text of a file; `what` and `limit` as for `content_of`.

    Args:
        where: the file, in words.
        page: whether it may be in the encoding of a page, which is said then.
        room: room that several files share.

    Raises:
        CommandError: it is longer, empty, or not text.
    """
    if room is not None:
        limit = min(limit, room.left)
    if len(content) > limit:
        raise CommandError(f"{where}: more than {limit} bytes, not {what}")
    if not content.strip():
        raise CommandError(f"{where}: empty, expected {what}")
    try:
        content = (room or Room(limit)).plain(content, limit)
        if len(content) > limit:
            raise CommandError(f"{where}: more than {limit} bytes, not {what}")
        text, encoding = text_of_page(content) if page else (content.decode("utf-8-sig"), "")
    except UnicodeDecodeError as error:
        raise CommandError(
            f"{where}: byte {error.start} is not UTF-8 text, expected {what}"
        ) from None
    except EncodingFault as error:
        raise CommandError(f"{where}: {error}, expected {what}") from None
    if "\0" in text:
        raise CommandError(f"{where}: byte {content.index(0)} is zero, expected UTF-8 text")
    if encoding:
        note(f"{where}: {NOT_UTF8.format(encoding)}")
    return text


def unwritable(option: str, path: str) -> CommandError | None:
    """Return why a file cannot be written, as far as that is known in advance."""
    if path == "-":
        return CommandError(f"{option} -: {NO_STDOUT}")
    if not path.strip() or "\0" in path:
        return CommandError(f"{option} {file_fault(path, ValueError())}")
    if _names_directory(path):
        return CommandError(f"{option} {file_named(path)}: {_NO_FILE}")
    if _is_device(path):
        if not os.access(path, os.W_OK):
            return CommandError(f"{option} {file_named(path)}: cannot be written")
        return None
    if descriptor_of(path) is not None:
        return None
    folder = Path(os.path.realpath(path)).parent  # `resolve` takes a loop of links for a fault
    if not os.access(folder, os.W_OK):
        return CommandError(f"{option} {file_named(path)}: cannot be written in {folder}")
    return None


def _names_directory(path: str) -> bool:
    return path.endswith("/") or os.path.isdir(path)


def _is_device(path: str) -> bool:
    """Tell whether something is written to directly: a device or a pipe."""
    return os.path.exists(path) and not os.path.isfile(path)


def descriptor_of(path: str) -> int | None:
    """Return the open descriptor that a path means: where the output goes, or one by its number.

    Its file has more written to it, so it must not be replaced.

    Raises:
        ValueError: there can be no such path.
    """
    for number in (1, 2):
        with suppress(OSError):
            there = os.stat(path)
            # on Windows devices, consoles and pipes all have the number 0
            if there.st_ino and os.path.samestat(there, os.fstat(number)):
                return number
    found = _DESCRIPTOR.fullmatch(path)
    return None if found is None else int(found[1])


def check_folder(out: str) -> None:
    """Refuse a name that no folder of `--out` can have."""
    if not out.strip() or "\0" in out:
        raise CommandError("--out: expected a folder")


def write_file(path: str, content: bytes) -> None:
    """Write a file atomically: a reader never sees half of it.

    A link is followed; a device, a pipe or an open descriptor is written to directly.
    """
    try:
        number = descriptor_of(path)
        if number is not None:
            with open(os.dup(number), "wb") as file:
                file.write(content)
        elif _is_device(path):
            Path(path).write_bytes(content)
        else:
            replace_file(path, content)
    except (OSError, ValueError) as error:
        raise CommandError(file_fault(path, error), FAILED) from None
