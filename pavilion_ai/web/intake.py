"""What people paste or drop, in whatever form it comes: positions, records, saved pages."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from pavilion_ai.bga import Imported, LogError, Outcome, numbered, read_files
from pavilion_ai.bga.head import HEAD_BYTES, begins_page
from pavilion_ai.bga.mhtml import is_mhtml
from pavilion_ai.bga.source import MAX_VALUES, holds_logs
from pavilion_ai.encoded import NOT_UTF8, EncodingFault, Room, text_of_page
from pavilion_ai.errors import PavilionError, PositionError, RecordError, shown
from pavilion_ai.errors import Problem as Fault
from pavilion_ai.notation import Parsed, is_record, parse_position, to_json
from pavilion_ai.notation.code import begins_code, looks_like_code
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.fields import Request
from pavilion_ai.record import Entry, GameRecord, Games, entries_in, entry_of, within
from pavilion_ai.untrusted import has_more_values, strict_json, strict_json_part
from pavilion_ai.wording import plural
from pavilion_ai.zipped import files_in, is_zip

MAX_BYTES = 16 << 20
"""A saved page takes about 1 MB, a thousand records 3 MB; packed files count unpacked."""
MAX_POSITIONS = 1000
"""Positions of one file; reading one takes half a millisecond, and the page offers 200."""
MAX_TOLD = 200
"""Notes on several positions, and problems."""
KEYS = {"import": frozenset({"text", "names"})}
"""What the action of the socket reads."""
_PAGE = re.compile(r"\s*(<|\[)|.*(completesetup|g_gamelogs)", re.DOTALL)
_OURS = frozenset({"game", "board", "phase", "seats", "displays", "supply"})
_POSITION = frozenset({"seats", "displays"})
"""Keys of a position that no page has."""
_PAGES = frozenset({"gamedatas", "factories", "g_gamelogs", "logs", "packets"})
_UNWRITTEN = re.compile(r"\n\0+\Z")
"""Room at the end that the disk never filled, which readers of records ignore."""
_EXPECTED = re.compile(r"(?:^|[,;] )expected (.*)", re.DOTALL)

Answer = dict[str, Any]
Problem = dict[str, object]


def read_import(content: bytes, *, names: bool = False) -> Answer:
    """Read what was imported.

    Args:
        names: whether records of Board Game Arena keep the names of the players.

    Returns:
        `positions` or `records`, each as JSON objects, and `notes` on what was assumed. Of records,
        several positions, a list, an archive, or a file of several logs, as `read_imports`.

    Raises:
        PositionError: it is neither, with everything that is wrong.
        LogError: the log of a game is refused.
    """
    if is_zip(content):
        return read_imports(_files_in("", content, MAX_BYTES), names=names)
    text, notes = _decoded(content, Room(MAX_BYTES))
    whole = _json(text)
    answer = _of_pages(text, names) if _is_page(text, whole) else _of_text(text, whole)
    return _found({**answer, "notes": [*notes, *answer["notes"]]})


def read_imports(contents: Sequence[tuple[str, bytes]], *, names: bool = False) -> Answer:
    """Read several files, of which some may be parts of one game of Board Game Arena.

    Args:
        contents: name and content of each.
        names: as in `read_import`.

    Returns:
        `records`, `positions` and the `problems` of files that cannot be read, each if there are
        any, and `notes`; only `problems` if there is neither a record nor a position.
    """
    answer = _nothing()
    pages: list[tuple[str, str]] = []
    files: list[tuple[str, bytes]] = []
    left = MAX_BYTES
    for name, content in contents:
        try:
            inner = _files_in(name, content, left)
        except PavilionError as error:
            answer["problems"] += _problems_in(name, error)
            continue
        files += inner
        left -= sum(len(one) for _, one in inner) if is_zip(content) else 0
    room = Room(MAX_BYTES)
    for name, content in files:
        try:
            text, notes = _decoded(content, room)
            answer["notes"] += [f"{name}: {note}" for note in notes]
            whole = _json(text)
            if _is_page(text, whole):
                pages.append((name, text))
            else:
                _add(answer, name, _of_text(text, whole))
        except PavilionError as error:
            answer["problems"] += _problems_in(name, error)
    alone = len(pages) == len(files)
    _add(answer, "", _of_outcomes(read_files(pages, names=names), names, alone=alone))
    return _found(answer)


def _found(answer: Answer) -> Answer:
    """Return an answer without empty lists, but for notes; only problems if nothing was found."""
    if not (answer.get("records") or answer.get("positions")):
        return {"problems": answer["problems"]}
    return {key: values for key, values in answer.items() if values or key == "notes"}


def _nothing() -> dict[str, list[Any]]:
    """Return the answer for no files."""
    return {"records": [], "positions": [], "notes": [], "problems": []}


def _add(answer: dict[str, list[Any]], name: str, found: Answer) -> None:
    """Add what was found in a file; its notes and problems begin with its name if there is one."""
    for key, values in found.items():
        if name and key == "notes":
            answer[key] += [f"{name}: {note}" for note in values]
        else:
            answer[key] += _named(name, values) if name and key == "problems" else values


def _problems_in(name: str, error: PavilionError) -> list[Problem]:
    """Return the problems of a refusal, which begin with the name of the file."""
    return _named(name, problems_of(error))


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
            answer["problems"] += _problems_in(outcome.name, outcome.found)
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


def _of_text(text: str, whole: object) -> Answer:
    """Read records or positions."""
    if isinstance(whole, list):
        if not any(map(_is_ours, whole)):
            raise PositionError.at(
                "type", "", f"found {shown(whole)}, expected a list of positions or records, or the"
                " log of a game")
        return _of_several([
            (f"item {number}", entry_of("", number, 0, item) if is_record(item) else item)
            for number, item in enumerate(whole, 1)])
    if _holds_record(text, whole):
        return _of_several(_beside_records(text, whole))
    found = _one_a_line(text) if whole is None else []
    if len(found) > 1 and begins_code(text):  # a single one may be broken just before its beginning
        with suppress(PositionError):
            return _positions([parse_position(text)])
    return _of_several(found) if len(found) > 1 else _positions([parse_position(text)])


def _beside_records(text: str, whole: object) -> list[tuple[str, str | Entry]]:
    """Return the records of a text, read as all commands do, and positions on other lines.

    A single record may run over several lines.
    """
    text = text if whole is None else " ".join(map(str.strip, text.split("\n")))
    lines = dict(enumerate(text.split("\n"), 1))
    entries = entries_in(io.BytesIO(text.encode()), "")
    return [(within(one.place),
             line if not one.record and _is_position(line := lines.get(one.line, "")) else one)
            for one in entries]


def _one_a_line(text: str) -> list[tuple[str, str]]:
    """Return the positions of a text that has one per line; codes may run over several."""
    found: list[tuple[str, list[str]]] = []
    for number, line in enumerate(text.split("\n"), 1):
        first = line.lstrip()[:1]
        if first in ("", "#"):
            continue
        if first == "{" or begins_code(line):
            found.append((f"line {number}", [line]))
        elif found and found[-1][1][0].lstrip()[0] != "{":
            found[-1][1].append(line)
        else:
            return []
    return [(place, "\n".join(lines)) for place, lines in found]


def _of_several(found: Sequence[tuple[str, Any]]) -> Answer:
    """Read positions and entries of records, each with its place."""
    positions = sum(not isinstance(one, Entry) for _, one in found)
    if positions > MAX_POSITIONS:
        raise PositionError.at(
            "range", "", f"found {positions} positions, expected at most {MAX_POSITIONS}")
    answer = _nothing()
    games, records = Games(), dict[object, GameRecord]()
    for place, one in found:
        if not isinstance(one, Entry):
            try:
                _add(answer, place, _positions([parse_position(one)]))
            except PositionError as error:
                answer["problems"] += _within(place, error.problems)
        elif one.record is not None:
            relation = games.add(one.record, one.place)
            if relation.same:
                del records[relation.place]
            records[one.place] = one.record
        elif one.torn:
            answer["notes"].append(f"{place}: {one.fault}")
        else:
            answer["problems"] += [
                {**problem, "expected": problem["expected"] or "a game record"}
                for problem in _within(place, one.problems or RecordError(one.fault).problems)]
    more = len(answer["notes"]) - MAX_TOLD
    if more > 0:
        answer["notes"][MAX_TOLD:] = [f"and {plural(more, 'more note')}"]
    return {**answer, "records": [record.to_json() for record in records.values()],
            "problems": _first_of(answer["problems"])}


def _within(place: str, problems: Sequence[Fault]) -> list[Problem]:
    """Return problems in a line or an item; lines and columns within it are not told."""
    return [_problem(problem.kind, ", ".join(filter(None, (place, problem.where))), problem.message)
            for problem in problems]


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
    return _first_of([
        {**_problem(problem.kind, problem.where, problem.message),
         **({} if problem.line is None else {"line": problem.line, "column": problem.column})}
        for problem in error.problems
    ])


def _problem(name: str, place: str, message: str) -> Problem:
    return {"name": name, "place": place, "expected": _expected(message), "message": message}


def _first_of(problems: list[Problem]) -> list[Problem]:
    """Return as many problems as anybody reads, and how many more there are."""
    more = len(problems) - MAX_TOLD
    last: Problem = {"name": "more", "place": "", "expected": "",
                     "message": f"and {plural(more, 'more problem')}"}
    return [*problems[:MAX_TOLD], last] if more > 0 else problems


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
    """Tell whether a text is a record, or has a line that begins with one."""
    if whole is not None:
        return is_record(whole)
    return any(is_record(_json(line.lstrip(), part=True))
               for line in text.split("\n") if '"moves"' in line)


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
    return bool(_PAGE.match(text)) or is_mhtml(text) or begins_page(head.encode(errors="replace"))


def _is_position(line: str) -> bool:
    """Tell whether a line beside records is a position, sound or not."""
    found = _json(line)
    return found.keys() >= _POSITION if isinstance(found, Mapping) else begins_code(line)


def _is_ours(found: object) -> bool:
    """Tell whether what was decoded is a record or a position, which may have keys of a page."""
    if not isinstance(found, Mapping):
        return isinstance(found, str) and looks_like_code(found)
    return is_record(found) or found.keys() >= _POSITION or bool(
        _OURS & found.keys() and not _PAGES & found.keys())
