"""Finding the log of a game, the table of a page, or both in a saved file."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from pavilion_ai.bga.log import (
    DEEPEST,
    ENVELOPES,
    LogError,
    acting,
    deal_of,
    find_packets,
    is_other_deal,
    merged,
    opening_deal,
    refused_answer,
    some_types,
    start_deal,
    table_of,
    untouched,
)
from pavilion_ai.bga.mhtml import is_mhtml, pages_in
from pavilion_ai.bga.page import NAME, Node
from pavilion_ai.errors import PositionError
from pavilion_ai.untrusted import begins_list, has_more_values, is_cut, strict_json, strict_json_at

_LOG = re.compile(r"""g_gamelogs["']?\]?\s*=(?![=>])\s*(?:JSON\.parse\(\s*)?"""
                  r"""(?=[{\["'`])(?!\{\s*\}|\[\s*\])""")
"""Precedes the log of a page: JSON, or a string of it; not empty, and no code."""
_LOG_BEGINS = re.compile(r"""(g_gamelogs\s*=\s*|[,(]\s*)["'`]?\{\s*\\*\"""")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0",
             "\n": "", "\r\n": ""}
"""What letters after a backslash mean in a string of a page; other characters mean themselves."""
_ESCAPED = "{&quot;"
_LONG_REFERENCE = re.compile("&#[0-9]{10}")
"""Begins the number of a character that no character has."""
_JSON = ("{", "[")
"""How JSON of logs and tables begins."""
_SETUP = re.compile(r"completesetup\s*\(")
"""The call with which a page hands the table to its program, up to its arguments."""
_PASSED = re.compile(
    r"""/\*.*?\*/|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"'/{]+""", re.DOTALL)
"""Text to skip before the table: comments, strings, and characters other than an opening brace."""
ARGUMENTS = 10_000  # characters that may come before the table
MOST_BRACES = 20  # objects to try; names of players are in strings
MOST_MENTIONS = 8
"""Places of a page to try for its log; the first log that is not empty is used."""
TABLE_KEYS = {"players", "gamestate", "factories", "supply"}
"""Keys of the table of a page, of which it has at least one."""
SAVE = "save the source of the replay's page (Ctrl+U in most browsers)"
MAX_TEXT = 200  # characters of the site's answer that are repeated
MAX_VALUES = 500_000
"""Values that a file may hold; the log of a long game and its page have a tenth of that."""
MOST_LINES = 10_000
"""Lines that may each hold JSON: at least a packet, of which a long game has hundreds."""
MANY = 4
"""Times so many values may be on all lines together, or in a list of logs."""
MOST_LOGS = 1000
"""Logs and pages that may be read together: each is compared with the others."""
JOINT = ", "  # between the names of files of one game


@dataclass(frozen=True)
class Saved:
    """Contents of a file.

    Attributes:
        table: the object `gamedatas`, if the file has it.
        packets: packets of the log, None if there is no log.
        players: players listed beside the log.
        infos: information on the table from a collection.
    """

    table: Node | None = None
    packets: tuple[object, ...] | None = None
    players: object = None
    infos: Node | None = None


def joined(files: Sequence[tuple[str, Saved]]) -> list[tuple[str, Saved]]:
    """Combine the files of one game: parts of its log, and the page that shows its start.

    Parts that name different tables or begin with different deals are of different games. Otherwise
    they belong together if they name the same table, begin with the same deal, or have a player in
    common; but a part that could be of two games stands alone. They are read in the order of their
    packets, also where each has packets between those of others. A page belongs to the log with its
    deal, else to the log whose players are all on the page, if there is just one such log and the
    page shows the start of a game without another deal. Any other page stands alone.

    Args:
        files: name and content of each.
    """
    groups: list[_Group] = []
    pages: list[tuple[str, Saved]] = []
    surest = sorted(files, key=lambda one: (opening_deal(one[1].packets or []) is None,
                                            table_of(one[1].packets or []) is None))
    for name, found in surest:
        if found.packets is None:
            pages.append((name, found))
            continue
        piece = _Group([(name, found)], table_of(found.packets), opening_deal(found.packets),
                       acting(found.packets))
        mine = [group for group in groups if group.fits(piece)]
        if _agree(mine):
            for group in mine:
                groups.remove(group)
                piece.take(group)
        groups.append(piece)
    alone = []
    for page in pages:
        mine = _groups_of(page[1], groups)
        if len(mine) == 1:
            mine[0].files.append(page)
        else:
            alone.append([page])
    order = {id(found): number for number, (_, found) in enumerate(files)}
    sets = [sorted(one, key=lambda file: order[id(file[1])])
            for one in (*(group.files for group in groups), *alone)]
    return [_together(one) for one in sorted(sets, key=lambda one: order[id(one[0][1])])]


@dataclass
class _Group:
    """Files of one game: its table and first deal if known, and the players who act."""

    files: list[tuple[str, Saved]]
    table: str | None
    deal: object
    players: set[str]

    def fits(self, other: _Group) -> bool:
        """Tell whether other parts belong to the same game."""
        pairs = (self.table, other.table), (self.deal, other.deal)
        known = [pair for pair in pairs if None not in pair]  # of both groups
        linked = bool(known or self.players & other.players)
        return linked and all(one == two for one, two in known)

    def take(self, other: _Group) -> None:
        """Add the parts of another group."""
        self.files += other.files
        self.players |= other.players
        self.table = other.table if self.table is None else self.table
        self.deal = other.deal if self.deal is None else self.deal


def _agree(groups: Sequence[_Group]) -> bool:
    """Tell whether groups have the same table and first deal, where they are known."""
    for known in ([group.table for group in groups], [group.deal for group in groups]):
        stated = [one for one in known if one is not None]
        if any(one != stated[0] for one in stated):
            return False
    return True


def _groups_of(page: Saved, groups: list[_Group]) -> list[_Group]:
    """Return the games whose start a page may show."""
    table = page.table
    without = [group for group in groups if all(found.table is None for _, found in group.files)]
    if table is None:
        return []
    shown_deal = deal_of(table.value)
    exact = [group for group in without if group.deal is not None and group.deal == shown_deal]
    if exact:
        return exact
    on_page = set(_ids(table))
    with suppress(PositionError):  # a malformed page stands alone
        if untouched(table):
            start = start_deal(table)
            return [group for group in without if group.players and group.players <= on_page and (
                group.deal is None or not is_other_deal(start, group.deal))]
    return []


def _together(group: list[tuple[str, Saved]]) -> tuple[str, Saved]:
    name = JOINT.join(name for name, _ in group)
    if len(group) == 1:
        return name, group[0][1]
    return name, Saved(
        next((found.table for _, found in group if found.table is not None), None),
        tuple(merged([found.packets for _, found in group if found.packets is not None])),
        next((found.players for _, found in group if found.players), None),
        next((found.infos for _, found in group if found.infos is not None), None))


def _ids(table: Node | None) -> list[str]:
    if table is None or not isinstance(table.value, dict):
        return []
    players = table.value.get("players")
    entries = list(players.values()) if isinstance(players, dict) else players
    return [str(entry.get("id")) for entry in entries or [] if isinstance(entry, dict)]


def saved(text: str) -> Saved:
    """Find the log and the table in a file.

    Raises:
        LogError: the file holds neither, or several logs, is cut off, or holds the site's refusal
            to give a log.
    """
    found = saved_all(text)
    if len(found) > 1:
        raise LogError(f"found {len(found)} logs in one file, expected one")
    if isinstance(found[0], LogError):
        raise found[0]
    return found[0]


def saved_all(text: str) -> list[Saved | LogError]:
    """Find the logs in a file that holds a list of them, or one per line; or what `saved` finds.

    Returns:
        each of them, or why it cannot be read; at least one.

    Raises:
        LogError: as `saved`.
    """
    text = text.lstrip("\ufeff").strip().rstrip(";")  # as a line of a page ends
    lines = _on_lines(text)
    if lines is None:
        _measure(text, (MANY if text.startswith("[") else 1) * MAX_VALUES)
        if not (text.startswith("{") or begins_list(text)):
            return [_of_text(text)]
    value = _decoded(text) if lines is None else lines
    if not isinstance(value, list) or not any(map(_is_log, value)):
        if lines is None:
            _measure(text, MAX_VALUES)
        for one in lines or ():
            if isinstance(one, LogError):
                raise one
        return [_of_json(value)]
    found: list[Saved | LogError] = []
    for one in value:
        try:
            if lines is None:
                _measure(json.dumps(one), MAX_VALUES)
            found.append(one if isinstance(one, LogError) else _of_json(one))
        except LogError as error:
            found.append(error)
    return found


def _on_lines(text: str) -> list[Any] | None:
    """Return the JSON on each line of a text, or why it cannot be read; None for other texts.

    A single value that goes over several lines is one of the others: no value ends its first line.
    """
    if text.count("\n") >= MOST_LINES:
        return None
    lines = [(number, line.lstrip("\ufeff")) for number, line in enumerate(text.split("\n"), 1)
             if line.strip()]
    if len(lines) < 2 or not all(line.startswith(_JSON) for _, line in lines):
        return None
    _measure(text, MANY * MAX_VALUES)
    found: list[Any] = []
    for number, line in lines:
        try:
            _measure(line, MAX_VALUES)
            found.append(_decoded(line, number, number == lines[-1][0]))
        except LogError as error:
            found.append(error)
    broken = isinstance(found[0], LogError) and not any(map(_is_log, found))
    return None if broken else found


def _is_log(value: object) -> bool:
    """Tell whether a value is a log, which may be a text, or the site's answer in place of one."""
    written = isinstance(value, dict) and any(isinstance(value.get(key), str)
                                              for key in ENVELOPES[:-1])
    return written or bool(find_packets(value)) or refused_answer(value) is not None


def holds_logs(values: list[Any]) -> bool:
    """Tell whether a list holds the packets of a log, which may be empty, or logs."""
    return find_packets(values) is not None or any(map(_is_log, values))


def _of_text(text: str) -> Saved:
    """Read a file that is not JSON."""
    if is_mhtml(text):
        return _of_mhtml(text)
    if _ESCAPED in text and not _LOG_BEGINS.search(text):  # a page within a page, as some save it
        if _LONG_REFERENCE.search(text):
            raise LogError("found a character reference of 10 digits or more, expected a page")
        text = html.unescape(text)
    return _of_page(text)


def _measure(text: str, most: int) -> None:
    """Refuse what holds more values than should be decoded."""
    if has_more_values(text.encode(errors="replace"), most):
        raise LogError(f"found more than {most:,} values, expected the log or page of a game")


def _of_mhtml(text: str) -> Saved:
    """Read a page that was saved as one file; most browsers leave its scripts out of that."""
    pages = pages_in(text)
    _measure(pages, MAX_VALUES)  # base64 hides them
    if not _LOG.search(pages) and not _SETUP.search(pages):
        raise LogError("found a page saved as one file (MHTML) without its scripts, which hold the"
                       f" log; {SAVE}")
    return _of_page(pages)


def _of_json(value: Any) -> Saved:
    answer = refused_answer(value)
    if answer is None and isinstance(value, dict):
        answer = refused_answer(value.get("logs"))
    if answer is not None:
        raise LogError(f"the site gave no log, it answered: {_clean(answer)}")
    if _is_traffic(value):
        raise LogError("found what a browser sent and got (HAR), expected the answer of one request"
                       " alone: the one whose name contains logs")
    packets = _with_data(find_packets(value))
    if not isinstance(value, dict):
        if packets is None:
            what = (f"JSON with the keys {some_types(value[0])} and" if isinstance(value[0], dict)
                    else "a list that holds")
            raise LogError(f"found {what} no packets, expected the log of a game")
        return Saved(packets=packets)
    table = _beside_log(value, lambda inner: inner.get(NAME))
    infos = value.get("infos")
    beside = Saved(Node(table, NAME) if isinstance(table, dict) else None, packets,
                   _beside_log(value, _players),
                   Node(infos, "infos") if isinstance(infos, dict) else None)
    if packets is not None:
        return beside
    text = next((one for key in ENVELOPES if isinstance(one := value.get(key), str) and one), "")
    if text:  # a page, or JSON as text
        found = saved(text)
        return Saved(found.table or beside.table, found.packets, found.players or beside.players,
                     found.infos or beside.infos)
    if any(key in value for key in ENVELOPES[:-1]):
        raise LogError("the log is empty: it holds no packets; expected those of a game")
    if table is None and not TABLE_KEYS & value.keys():
        found = f"JSON with the keys {some_types(value)}" if value else "an empty object"
        raise LogError(f"found {found}, expected the log of a game or the object {NAME} of a page;"
                       f" {SAVE}")
    return beside if table is not None else replace(beside, table=Node(value, NAME))


def _with_data(packets: list[object] | None) -> tuple[object, ...] | None:
    """Return packets with their data, which may be JSON as text; other text is for the reader."""
    if packets is None:
        return None
    written = {number: packet for number, packet in enumerate(packets)
               if isinstance(packet, dict) and isinstance(packet.get("data"), str)}
    _measure("\n".join(packet["data"] for packet in written.values()), MAX_VALUES)
    found = list(packets)
    for number, packet in written.items():
        with suppress(ValueError):
            found[number] = {**packet, "data": strict_json(packet["data"])}
    return tuple(found)


def _is_traffic(value: object) -> bool:
    """Tell whether a value is the traffic of a browser as its developer tools save it."""
    traffic = value.get("log") if isinstance(value, dict) else None
    return isinstance(traffic, dict) and "entries" in traffic


def _beside_log(value: object, found_in: Callable[[dict[str, Any]], object]) -> object:
    """Return what an envelope holds beside the log, or the first envelope inside of it that does.

    Args:
        value: the outermost envelope.
        found_in: returns it for one envelope; nothing, or something empty, if it is not there.
    """
    for _ in range(DEEPEST):
        if not isinstance(value, dict):
            return None
        found = found_in(value)
        if found:
            return found
        value = next((value[key] for key in ENVELOPES if isinstance(value.get(key), dict)), None)
    return None


def _players(envelope: dict[str, Any]) -> object:
    """Return the players that an envelope lists."""
    players = envelope.get("players")
    return players if isinstance(players, (list, dict)) else None


def _of_page(text: str) -> Saved:
    log = _log_of(text)
    table = _table_of(text, log is None)
    if log is None and table is None:
        raise LogError(f"found neither the object {NAME} nor a log (g_gamelogs), expected JSON of"
                       f" one of them, or a page that holds them; {SAVE}")
    if log is None:
        return Saved(table)
    found = _of_json(log)
    if found.packets is None:
        raise LogError("the log of the page is empty: it holds no packets; expected those of a"
                       " game")
    return Saved(table, found.packets, found.players)


def _log_of(text: str) -> Any:
    """Return the log of a page; None if the page has no log.

    Raises:
        LogError: it has one that cannot be read.
    """
    broken = False
    for mention in islice(_LOG.finditer(text), MOST_MENTIONS):
        place = mention.end()
        value = (_written_at(text, place) if text.startswith(('"', "'", "`"), place)
                 else _value_at(text, place))
        if value and isinstance(value, (dict, list)):
            return value
        broken = broken or not isinstance(value, (dict, list))
    if broken:
        raise LogError(f"found a page whose log (g_gamelogs) cannot be read as JSON; {SAVE}")
    return None


def _table_of(text: str, needed: bool) -> Node | None:
    """Return the object `gamedatas` of a page; None if the page has no such object.

    Args:
        needed: whether the page is refused if it has one that cannot be read.
    """
    calls = [call.end() for call in islice(_SETUP.finditer(text), MOST_MENTIONS)]
    for call in calls:
        place = call
        for _ in range(MOST_BRACES):
            place = _next_brace(text, place, call + ARGUMENTS)
            if not place:
                break
            value = _value_at(text, place)
            if isinstance(value, dict) and "players" in value:
                return Node(value, NAME)
            place += 1
    if calls and needed:
        raise LogError(f"found a page whose {NAME} cannot be read as JSON")
    return None


def _next_brace(text: str, place: int, end: int) -> int:
    """Return the place before `end` of the next { outside strings and comments; 0 if none."""
    while place < min(end, len(text)):
        if text[place] == "{":
            return place
        passed = _PASSED.match(text, place, end)
        if passed is None and text.startswith(('"', "'", "/*"), place):
            return 0  # unterminated, or too long
        place = passed.end() if passed is not None else place + 1
    return 0


def _value_at(text: str, place: int, whole: bool = False) -> Any:
    """Decode the JSON value that begins at a place of a page; None if it is no JSON.

    Args:
        text: the page, or a string of it.
        place: where the value begins.
        whole: whether the text is not cut off, wherever its JSON ends.
    """
    try:
        return strict_json_at(text, place)
    except json.JSONDecodeError as error:
        if is_cut(error) and not whole:
            raise _cut_off() from None
        return None
    except ValueError as error:
        raise LogError(f"the JSON of the page: {error}") from None


def _written_at(text: str, place: int) -> Any:
    """Decode the JSON in the string that begins at a place of a page; no log is empty."""
    end = next((found.start() for found in re.finditer(rf"\\.|{text[place]}", text[place + 1:],
                                                       re.DOTALL)
                if found[0] == text[place]), None)
    if end is None:
        raise _cut_off()
    inside = _ESCAPE.sub(_unescaped, text[place + 1:place + 1 + end]).encode(
        "utf-16", "surrogatepass").decode("utf-16", "replace").strip()
    _measure(inside, MAX_VALUES)
    return {} if inside in ("", "null") else _value_at(inside, 0, whole=True)


def _unescaped(escape: re.Match[str]) -> str:
    """Return the character that an escape sequence of a string of a page stands for."""
    code, byte, other = escape.groups()
    return chr(int(code or byte, 16)) if other is None else _CONTROLS.get(other, other)


def _decoded(text: str, line: int = 1, last: bool = True) -> Any:
    """Decode JSON.

    Args:
        text: a whole file, or a line of one.
        line: number of its first line in the file.
        last: whether the file ends with it.
    """
    try:
        return strict_json(text)
    except json.JSONDecodeError as error:
        if is_cut(error):
            raise _cut_off("the file" if last else f"line {line}") from None
        raise LogError(f"found no valid JSON: {error.msg}, line {line - 1 + error.lineno}, column"
                       f" {error.colno}; expected the log of a game") from None
    except ValueError as error:
        raise LogError(str(error)) from None


def _cut_off(what: str = "the file") -> LogError:
    return LogError(f"{what} ends in the middle of its JSON; save it again")


def _clean(said: str) -> str:
    """Return the site's message as one line that is safe to print."""
    text = " ".join("".join(c if c.isprintable() else " " for c in said[:MAX_TEXT]).split())
    return text if len(said) <= MAX_TEXT else f"{text}..."
