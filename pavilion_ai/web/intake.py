"""What people paste or drop, in whatever form it comes: positions, records, saved pages."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, cast

from pavilion_ai.bga import Imported, LogError, Outcome, numbered, read_files
from pavilion_ai.bga.head import HEAD_BYTES, begins_page
from pavilion_ai.bga.mhtml import is_mhtml
from pavilion_ai.bga.source import MAX_VALUES, SAVE, holds_logs
from pavilion_ai.encoded import NOT_UTF8, EncodingFault, Room, text_of_page
from pavilion_ai.errors import PavilionError, PositionError, RecordError, shown
from pavilion_ai.errors import Problem as Fault
from pavilion_ai.notation import (
    EXPECTED_FORMS,
    MAX_CHARACTERS,
    Parsed,
    is_record,
    parse_position,
    to_json,
)
from pavilion_ai.notation.code import begins_code, looks_like_code
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.fields import BadRequest, Request
from pavilion_ai.record import Entry, GameRecord, Games, entries_in, entry_of, within
from pavilion_ai.untrusted import begins_list, has_more_values, strict_json, strict_json_part
from pavilion_ai.wording import plural
from pavilion_ai.zipped import files_in, is_zip

MAX_BYTES = 16 << 20
"""A saved page takes about 1 MB, a thousand records 3 MB; packed files count unpacked."""
MAX_POSITIONS = 1000
"""Positions of one import; reading one takes half a millisecond, and the page offers 200."""
MAX_TOLD = 200
"""Notes on several positions, and problems of a file."""
MAX_READ = 5 * MAX_POSITIONS
"""Positions that an import reads, those included of files that are then refused."""
MAX_FAULTS = 20_000
"""Lines of a text that are no record or position; after them it is read no further."""
MAX_TOLD_OF_FILES = 1000
"""Problems of several files; of the files from there on only how many have any."""
KEYS = {"import": frozenset({"text", "names"})}
"""What the action of the socket reads."""
_PAGE = re.compile(r"\s*<|.*(completesetup|g_gamelogs)", re.DOTALL)
_OURS = frozenset({"game", "board", "phase", "seats", "displays", "supply"})
_POSITION = frozenset({"seats", "displays"})
"""Keys of a position that no page has."""
_PAGES = frozenset({"gamedatas", "factories", "g_gamelogs", "logs", "packets"})
_LINE = re.compile(r"^[^\S\n]*([^\s#]).*", re.MULTILINE)
"""A line that is neither blank nor a comment, and its first character."""
_UNWRITTEN = re.compile(r"\n\0+\Z")
"""Room at the end that the disk never filled, which readers of records ignore."""
_ADDRESS = re.compile(
    r"(?<![\w.@/-])(?:https?://|(?:[a-z0-9-]+\.)*boardgamearena\.com\b)\S*", re.IGNORECASE)
"""An address; of the site also without what it begins with."""
_LINK = re.compile("[?&]position=", re.IGNORECASE)
"""Tells a link of a page from other addresses."""
_SEEN = re.compile(
    rb"(?P<picture>\x89PNG|\xff\xd8\xff|GIF8|RIFF....WEBP)|(?P<PDF>%PDF-)", re.DOTALL)
"""How files begin that show a game to people only."""
_OF_BGA = f"for a game on Board Game Arena, {SAVE} and drop the file here"
_EXPECTED = re.compile(r"(?:^|[,;] )expected (.*)", re.DOTALL)

Answer = dict[str, Any]
Problem = dict[str, object]


def read_import(
    content: bytes, *, names: bool = False, left: Callable[[], bool] = lambda: False,
) -> Answer:
    """Read what was imported.

    Args:
        names: whether records of Board Game Arena keep the names of the players.
        left: tells whether nobody waits for the answer any more; asked before each file.

    Returns:
        `positions` or `records`, each as JSON objects, and `notes` on what was assumed. Of records,
        several positions, a list, an archive, or a file of several logs, as `read_imports`.

    Raises:
        PositionError: it is neither, with everything that is wrong.
        LogError: the log of a game is refused.
        BadRequest: nobody waits.
    """
    if is_zip(content):
        return read_imports(_files_in("", content, MAX_BYTES), names=names, left=left)
    text, notes = _decoded(content, Room(MAX_BYTES))
    whole = _json(text)
    answer = (_of_pages(text, names) if _is_page(text, whole)
              else _of_text(text, whole, _Reader()))
    return _found({**answer, "notes": [*notes, *answer["notes"]]})


def read_imports(
    contents: Sequence[tuple[str, bytes]], *, names: bool = False,
    left: Callable[[], bool] = lambda: False,
) -> Answer:
    """Read several files, of which some may be parts of one game of Board Game Arena.

    Args:
        contents: name and content of each.
        names, left: as in `read_import`.

    Returns:
        `records`, `positions` and the `problems` of files that cannot be read, each if there are
        any, and `notes`; only `problems` if there is neither a record nor a position.

    Raises:
        BadRequest: nobody waits.
    """
    answer = _nothing()
    pages: list[tuple[str, str]] = []
    files: list[tuple[str, bytes]] = []
    most = MAX_BYTES
    for name, content in contents:
        try:
            inner = _files_in(name, content, most)
        except PavilionError as error:
            _refuse(answer, name, error)
            continue
        files += inner
        most -= sum(len(one) for _, one in inner) if is_zip(content) else 0
    room, reader = Room(MAX_BYTES), _Reader()
    for name, content in files:
        if left():
            raise BadRequest(fields.STOPPED, "")
        try:
            text, notes = _decoded(content, room)
            answer["notes"] += [f"{name}: {note}" for note in notes]
            whole = _json(text)
            if _is_page(text, whole):
                pages.append((name, text))
            else:
                with reader.file():
                    _add(answer, name, _of_text(text, whole, reader))
        except PavilionError as error:
            _refuse(answer, name, error)
    alone = len(pages) == len(files)
    _add(answer, "", _of_outcomes(read_files(pages, names=names), names, alone=alone))
    return _found(answer)


def _found(answer: Answer) -> Answer:
    """Return an answer without empty lists, but for notes; only problems if nothing was found."""
    if untold := answer.pop("untold", ()):
        answer["problems"].append(_more(f"problems in {plural(len(untold), 'more file')}"))
    if not (answer.get("records") or answer.get("positions")):
        return {"problems": answer["problems"]}
    return {key: values for key, values in answer.items() if values or key == "notes"}


def _nothing() -> dict[str, list[Any]]:
    """Return the answer for no files; `untold` names those whose problems it has no room for."""
    return {"records": [], "positions": [], "notes": [], "problems": [], "untold": []}


def _add(answer: dict[str, list[Any]], name: str, found: Answer) -> None:
    """Add what was found in a file; its notes and problems begin with its name if there is one."""
    for key, values in found.items():
        if name and key == "notes":
            answer[key] += [f"{name}: {note}" for note in values]
        elif key == "problems" and values and len(answer[key]) >= MAX_TOLD_OF_FILES:
            answer["untold"].append(name)
        else:
            answer[key] += _named(name, values) if name and key == "problems" else values


def _refuse(answer: dict[str, list[Any]], name: str, error: PavilionError) -> None:
    """Add the problems of a file that is refused."""
    _add(answer, name, {"problems": problems_of(error)})


def _named(name: str, problems: Sequence[Problem]) -> list[Problem]:
    return [{**problem, "message": f"{name}: {problem['message']}"} for problem in problems]


def _of_outcomes(outcomes: Sequence[Outcome], names: bool, *, alone: bool) -> Answer:
    """Return what was found in pages and logs, and the problems of those that are refused.

    Args:
        alone: whether there is nothing beside them; then notes on a single game name no file.
    """
    answer = _nothing()
    games: list[tuple[str, Imported]] = []
    for outcome in outcomes:
        if isinstance(outcome.found, PavilionError):
            _refuse(answer, outcome.name, outcome.found)
        elif isinstance(outcome.found, Imported):
            games.append((outcome.name, outcome.found))
        else:
            _add(answer, outcome.name, _positions([outcome.found]))
    if len(games) == 1:
        _add(answer, "" if alone and len(outcomes) == 1 else games[0][0], _of_page(games[0][1]))
    else:
        found = [game for _, game in games]
        records, told = ([game.record for game in found], []) if names else numbered(found)
        answer["records"] += [record.to_json() for record in records]
        answer["notes"] += [*told, *(f"{name}: {one}" for name, game in games
                                     for one in game.remarks)]
    return answer


def _files_in(name: str, content: bytes, most: int) -> list[tuple[str, bytes]]:
    """Return the files of a zip archive, of so many bytes at most; else the content as it is."""
    try:
        return files_in(name, content, most)
    except EncodingFault as error:
        raise _not_text(str(error)) from None


def _of_pages(text: str, names: bool) -> Answer:
    """Read a page, a log, or several logs in one text.

    Raises:
        PavilionError: there is one, and it is refused.
    """
    outcomes = read_files([("", text)], names=names)
    if len(outcomes) > 1:
        return _of_outcomes(outcomes, names, alone=True)
    found = outcomes[0].found
    if isinstance(found, PavilionError):
        raise found
    return _of_page(found)


def _of_page(found: Imported | Parsed) -> Answer:
    if isinstance(found, Imported):
        return {"records": [found.record.to_json()], "notes": list(found.notes), "problems": []}
    return _positions([found])


def _of_text(text: str, whole: object, reader: _Reader) -> Answer:
    """Read records or positions.

    Args:
        reader: reads the positions of the whole import.
    """
    if isinstance(whole, list):
        if not any(map(_is_ours, whole)):
            raise PositionError.at(
                "type", "", f"found {shown(whole)}, expected a list of positions or records, or the"
                " log of a game")
        return _of_several((
            (f"item {number}", entry_of("", number, 0, item) if is_record(item) else item)
            for number, item in enumerate(whole, 1)), reader)
    if _holds_record(text, whole):
        entries = (_beside_records(text) if whole is None else
                   [("line 1", entry_of("", 1, 0, cast(dict[str, Any], whole)))])
        return _of_several(entries, reader)
    found = _one_a_line(text) if whole is None else []
    if len(found) > 1 and begins_code(text):  # a single one may be broken just before its beginning
        with suppress(PositionError):
            return _positions([parse_position(text)])
    if len(found) > 1:
        return _of_several(found, reader)
    try:
        return _positions([reader.parsed(text)])
    except PositionError as error:
        message = error.problems[0].message
        if not message.endswith(EXPECTED_FORMS):
            raise
        message += ", a game record, or a page or log of Board Game Arena"
        plain = text.strip()
        if "\n" in plain or plain.lstrip("#").isdecimal():  # several lines, or a table's number
            message += f"; for a game there, {SAVE}"
        raise PositionError.at("type", "", message) from None


class _Reader:
    """Reads the positions of an import, up to a number."""

    def __init__(self) -> None:
        self._left = MAX_POSITIONS
        self._readable = MAX_READ
        self._before = self._left  # what was left as the file began

    @contextmanager
    def file(self) -> Iterator[None]:
        """Read one of several files; the room that it took is free again if it is refused."""
        self._before = self._left
        try:
            yield
        except PavilionError:
            self._left = self._before
            raise

    def parsed(self, source: Any) -> Parsed:
        """Read one.

        Raises:
            _TooMany: there are too many; PositionError: it is unsound, or where one may be.
        """
        if self._left == 0 or self._readable == 0:
            alone = self._left == 0 and self._before == MAX_POSITIONS
            raise _TooMany.at("range", "", f"found more than {MAX_POSITIONS} positions"
                              f"{'' if alone else ' over all files'}, expected at most"
                              f" {MAX_POSITIONS}")
        self._left -= 1
        self._readable -= 1
        try:
            return parse_position(source)
        except PositionError as error:
            if address := _address_in(source, error):
                raise PositionError.at(
                    "type", "", f"found the address {shown(address)}, expected what is there:"
                    f" nothing is loaded from the network; {_OF_BGA}") from None
            raise


class _TooMany(PositionError):
    """An import has too many positions."""


def _address_in(source: object, error: PositionError | None = None) -> str:
    """Return the address that a text is, or the first in one that is refused as nothing known.

    A link of a page is none; "" if there is none.
    """
    if not isinstance(source, str):
        return ""
    unknown = error is not None and error.problems[0].message.endswith(EXPECTED_FORMS)
    found = _ADDRESS.finditer(source) if unknown else filter(
        None, [_ADDRESS.fullmatch(source.strip())])
    return next((one[0] for one in found if not _LINK.search(one[0])), "")


def _beside_records(text: str) -> Iterator[tuple[str, str | Entry]]:
    """Yield the records of a text, read as all commands do, and positions on other lines."""
    lines = enumerate(_lines(text), 1)
    number, line = 0, ""
    for entry in entries_in(io.BytesIO(text.encode()), ""):
        while number < entry.line:
            number, line = next(lines, (entry.line, ""))
        yield within(entry.place), line if not entry.record and _is_position(line) else entry


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text one by one: all at once, short ones take much more than it."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _one_a_line(text: str) -> list[tuple[str, str]]:
    """Return the positions of a text that has one per line; codes may run over several.

    Of too many, one more than are read.
    """
    found: list[tuple[int, int, int, bool]] = []  # line, beginning, end, whether it is a code
    number, at = 1, 0
    for line in _LINE.finditer(text):
        number, at = number + text.count("\n", at, line.start()), line.start()
        if line[1] == "{" or begins_code(line[0]):
            found.append((number, *line.span(), line[1] != "{"))
            if len(found) > MAX_POSITIONS:
                break
        elif found and found[-1][3]:
            found[-1] = (*found[-1][:2], line.end(), True)
        else:
            return []
    return [(f"line {number}", _without_comments(text[start:end]))
            for number, start, end, _ in found]


def _without_comments(text: str) -> str:
    """Return a text without its blank lines and comments, unless it is too long for a position."""
    return text if len(text) > MAX_CHARACTERS else "\n".join(
        line[0] for line in _LINE.finditer(text))


def _of_several(found: Iterable[tuple[str, Any]], reader: _Reader) -> Answer:
    """Read positions and entries of records, each with its place.

    Raises:
        _TooMany: there are too many positions.
    """
    answer, problems, faults = _nothing(), _Problems(), 0
    games, records = Games(), dict[object, GameRecord]()
    for place, one in found:
        if faults > MAX_FAULTS:
            answer["notes"].insert(0, f"{place}: the rest is not read, as more than {MAX_FAULTS}"
                                   " problems stand above")
            break
        if not isinstance(one, Entry):
            try:
                _add(answer, place, _positions([reader.parsed(one)]))
            except _TooMany:
                raise
            except PositionError as error:
                faults += 1
                problems.add(place, error.problems)
        elif one.record is not None:
            relation = games.add(one.record, one.place)
            if relation.same:
                del records[relation.place]
            records[one.place] = one.record
        elif one.torn:
            answer["notes"].append(f"{place}: {one.fault}")
        else:
            faults += 1
            problems.add(place, one.problems or RecordError(one.fault).problems, "a game record")
    more = len(answer["notes"]) - MAX_TOLD
    if more > 0:
        answer["notes"][MAX_TOLD:] = [f"and {plural(more, 'more note')}"]
    return {**answer, "records": [record.to_json() for record in records.values()],
            "problems": problems.told}


class _Problems:
    """Problems of lines or items: as many as anybody reads, and how many more there are."""

    def __init__(self) -> None:
        self._first: list[Problem] = []
        self._count = 0

    def add(self, place: str, problems: Sequence[Fault], expected: str = "") -> None:
        """Add those in a line or an item; lines and columns within it are not told.

        Args:
            expected: what was expected there, if a problem does not say it.
        """
        self._count += len(problems)
        for one in problems[:MAX_TOLD - len(self._first)]:
            problem = _problem(one.kind, ", ".join(filter(None, (place, one.where))), one.message)
            self._first.append({**problem, "expected": problem["expected"] or expected})

    @property
    def told(self) -> list[Problem]:
        """The problems, with the number of those that are left out."""
        return _cut(self._first, self._count)


def _positions(parsed: list[Parsed]) -> Answer:
    return {"positions": [to_json(one.position) for one in parsed],
            "notes": [note for one in parsed for note in one.notes]}


def import_text(request: Request) -> Answer:
    """Read the `text` of a request; what is wrong with it is an answer too, `problems`."""
    text, names = fields.string(request, "text", ""), fields.flag(request, "names", False)
    try:
        return read_import(text.encode(errors="replace"), names=names)
    except PavilionError as error:
        return {"problems": problems_of(error)}


def problems_of(error: PavilionError) -> list[Problem]:
    """Return the problems of a refusal: name, place, what was found and expected there."""
    if isinstance(error, LogError):
        return [_problem("log", error.place, error.message)]
    if not isinstance(error, (PositionError, RecordError)):
        return [_problem("record", "", str(error))]
    return _cut([
        {**_problem(problem.kind, problem.where, problem.message),
         **({} if problem.line is None else {"line": problem.line, "column": problem.column})}
        for problem in error.problems[:MAX_TOLD]
    ], len(error.problems))


def _problem(name: str, place: str, message: str) -> Problem:
    return {"name": name, "place": place, "expected": _expected(message), "message": message}


def _cut(problems: Sequence[Problem], count: int) -> list[Problem]:
    """Return as many problems as anybody reads, of so many, and how many more there are."""
    more = count - MAX_TOLD
    return [*problems[:MAX_TOLD],
            *([_more(plural(more, "more problem"))] if more > 0 else [])]


def _more(what: str) -> Problem:
    return {"name": "more", "place": "", "expected": "", "message": f"and {what}"}


def _expected(message: str) -> str:
    found = _EXPECTED.search(message)
    return found[1] if found else ""


def _decoded(content: bytes, room: Room) -> tuple[str, list[str]]:
    """Return the text of a file for which there is room, and notes on how it was read.

    Raises:
        PositionError: it is not text.
    """
    most = room.left
    try:
        plain = room.plain(content, most)
    except EncodingFault as error:
        raise _not_text(str(error)) from None
    if len(plain) > most:
        raise _not_text(f"found more than {MAX_BYTES} bytes, unpacked")
    if seen := _SEEN.match(plain):
        raise PositionError.at(
            "syntax", "", f"found a {seen.lastgroup}, expected a text; {_OF_BGA}")
    try:
        text, encoding = text_of_page(plain)
    except EncodingFault as error:
        raise _not_text(str(error)) from None
    notes = [NOT_UTF8.format(encoding)] if encoding else []
    if "\0" in _UNWRITTEN.sub("", text):
        raise _not_text(f"found byte {text.index(chr(0))} that is zero")
    if not text.strip():
        raise PositionError.at(
            "missing", "", "found nothing, expected a position, records or a saved page")
    return text, notes


def _not_text(found: str) -> PositionError:
    return PositionError.at("syntax", "", f"{found}, expected a text")


def _json(text: str, *, part: bool = False) -> object:
    """Return the JSON object or list that a text is; None if it is neither, or has too many values.

    A file of many records has more values than one object may have, so only its lines are decoded.

    Args:
        part: whether it may be only the beginning of the text.
    """
    if not text.lstrip().startswith(("{", "[")) or has_more_values(
            text.encode(errors="replace"), MAX_VALUES):
        return None
    try:
        return strict_json_part(text, 0)[0] if part else strict_json(text)
    except ValueError:
        return None


def _holds_record(text: str, whole: object) -> bool:
    """Tell whether a text is a record, or has a line that begins with one.

    So many lines that look like one are taken for records with faults.
    """
    if whole is not None:
        return is_record(whole)
    if '"moves"' not in text:
        return False
    lines = (line for line in _lines(text) if '"moves"' in line)
    found = (is_record(_json(line.lstrip(), part=True)) for line in islice(lines, MAX_FAULTS))
    return any(found) or next(lines, None) is not None


def _first(text: str, whole: object) -> object:
    """Return the JSON that a text is, or the first on its first line."""
    return _json(text.lstrip().partition("\n")[0], part=True) if whole is None else whole


def _is_page(text: str, whole: object) -> bool:
    """Tell whether it is a page or a log of Board Game Arena, or an object out of one.

    Of several logs, one per line, the first line tells it; of what is not JSON, such as a log that
    is cut off or has a line before it, its beginning.
    """
    if _holds_record(text, whole):
        return False
    if isinstance(whole, list):
        return holds_logs(whole) and not any(map(_is_ours, whole))
    first = _first(text, whole)
    if isinstance(first, Mapping):
        return not _is_ours(first)
    head = text.lstrip()[:HEAD_BYTES]
    if begins_list(head):
        return True
    return bool(_PAGE.match(text)) or is_mhtml(text) or begins_page(head.encode(errors="replace"))


def _is_position(line: str) -> bool:
    """Tell whether a line beside records is a position, sound or not."""
    found = _json(line)
    return found.keys() >= _POSITION if isinstance(found, Mapping) else begins_code(line)


def _is_ours(found: object) -> bool:
    """Tell whether what was decoded is a record or a position, which may have keys of a page.

    An address, too: it is told from what is there.
    """
    if isinstance(found, str):
        return looks_like_code(found) or _address_in(found) != ""
    if not isinstance(found, Mapping):
        return False
    return is_record(found) or found.keys() >= _POSITION or bool(
        _OURS & found.keys() and not _PAGES & found.keys())
