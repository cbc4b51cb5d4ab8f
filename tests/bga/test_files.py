"""Files as browsers save them, in whatever form."""

from __future__ import annotations

import html
import json
import random
import time
from base64 import b64encode, encodebytes
from email.message import Message
from email.mime.multipart import MIMEMultipart
from quopri import encodestring
from typing import Any

import pytest

from pavilion_ai.bga import Imported, LogError, read_bga, read_files
from pavilion_ai.bga.mhtml import pages_in
from pavilion_ai.web.intake import read_import
from tests.bga import damage
from tests.bga.samples import sample
from tests.bga.support import AZUL_2, check, game, made

RECORD, TOLD, TABLE, _ = made(AZUL_2, 92, undo=0.0)
PAGE = damage.replay_page(TOLD.packets, TOLD, TABLE, random.Random(1)).replace(
    "Player A", "Zoë; } </script> ")
ANSWER = damage.archive(TOLD.packets, TOLD, TABLE, random.Random(1))


def as_script(text: str, quote: str = "'") -> str:
    """Return a text as a string of a script, with every kind of escape sequence."""
    escaped = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    escaped = escaped.replace("{", "\\x7b", 3).replace("Player A", "\\u0050layer\\\n A")
    return quote + escaped + quote


def mhtml(page: str, encoding: str) -> str:
    """Return a page as browsers save it in one file."""
    whole = MIMEMultipart("related", type="text/html")
    whole["Subject"] = "Replay"
    for kind, content in (("text/css", "body {}"), ("text/html", page)):
        part = Message()
        part["Content-Type"] = f'{kind}; charset="utf-8"'
        part["Content-Transfer-Encoding"] = "8bit"
        part.set_payload(content, "utf-8")
        if encoding != "8bit":
            del part["Content-Transfer-Encoding"]
            part.set_charset("utf-8")
            {"base64": as_base64, "quoted-printable": as_quoted}[encoding](part, content)
        whole.attach(part)
    headers = "From: <Saved by Blink>\nSnapshot-Content-Location: https://boardgamearena.com/1\n"
    return headers + whole.as_string()


def as_base64(part: Message, content: str) -> None:
    from email.encoders import encode_base64

    del part["Content-Transfer-Encoding"]
    part.set_payload(content.encode())
    encode_base64(part)


def as_quoted(part: Message, content: str) -> None:
    del part["Content-Transfer-Encoding"]
    part["Content-Transfer-Encoding"] = "quoted-printable"
    part.set_payload(encodestring(content.encode()).decode())


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_page_in_one_file(encoding: str, ends: str) -> None:
    text = mhtml(PAGE, encoding).replace("\n", ends)
    assert "g_gamelogs = {" not in text
    check(game(text), RECORD)


@pytest.mark.parametrize("text", [
    mhtml("<html><body>Board Game Arena</body></html>", "quoted-printable"),
    "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n",
    "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n" + "".join(
        f"--x{n}\nContent-Type: multipart/mixed; boundary=x{n + 1}\n\n" for n in range(3000)),
])
def test_a_page_in_one_file_without_its_scripts(text: str) -> None:
    with pytest.raises(LogError, match=r"\(MHTML\) without its scripts, .* save the source of the"):
        read_bga(text)


HEAD = "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b"
MANY = 100_000


@pytest.mark.parametrize("text", [
    HEAD + "\n\n" + "--b\n" * MANY,
    HEAD + "\n\n" + "--b\nContent-Type: text/html\n\nx\n" * MANY,
    HEAD + ";a=b" * MANY + "\n\n--b\n",
    HEAD + "".join(f";a*{n}=b" for n in range(MANY)) + "\n\n--b\n",
    HEAD + ";" + '";' * MANY + "\n\n--b\n",
    HEAD + "\n" + " x\n" * MANY + "\n--b\n",
    HEAD + "\n\n--b\nContent-Type: message/delivery-status\n\n" + "a:b\n\n" * MANY,
    "MIME-Version: 1.0\n" + "".join(
        f"Content-Type: multipart/mixed; boundary=x{n}\n\n--x{n}\n" for n in range(300))
    + "x\n" * MANY])
def test_a_message_of_many_parts_costs_little(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(LogError, match=r"\(MHTML\) without its scripts"):
        read_bga(text)
    assert time.process_time() - begun < 2


def test_values_that_base64_hides_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    text = mhtml(PAGE, "base64")
    monkeypatch.setattr("pavilion_ai.bga.source.MAX_VALUES", 300)
    with pytest.raises(LogError, match="found more than 300 values"):
        read_bga(text)


@pytest.mark.parametrize("cut", range(9))
def test_base64_that_is_cut_off(cut: int) -> None:
    page = "<html>abcdefghijkl</html>"
    encoded = b64encode(page.encode()).decode()
    text = (f"{HEAD}\n\n--b\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\n"
            f"{encoded[:len(encoded) - cut]}")
    found = pages_in(text)
    assert page.startswith(found)
    assert len(found) == min(len(page), (len(encoded) - cut) * 6 // 8)


def test_a_page_in_one_file_that_is_dropped_on_ours() -> None:
    text = mhtml(PAGE, "base64")
    assert read_import(text.encode())["records"][0]["moves"] == list(RECORD.moves)
    with pytest.raises(LogError, match=r"\(MHTML\) without its scripts"):
        read_import(mhtml("<html></html>", "quoted-printable").encode())


def test_a_page_in_one_file_that_is_cut_off() -> None:
    text = mhtml(PAGE, "quoted-printable")
    with pytest.raises(LogError, match="ends in the middle of its JSON"):
        read_bga(text[:len(text) // 2])


def named(text: str | bytes) -> str:
    """Return the name that the first player has in a file that is dropped on the page."""
    content = text.encode() if isinstance(text, str) else text
    notes = read_import(content)["notes"]
    return next(note for note in notes if note.startswith("seat 0 is ")).split("'")[1]


@pytest.mark.parametrize(("charset", "name"), [
    ("windows-1252", "Zoë"), ("ISO-8859-1", "Zoë “Z”"), ("windows-1251", "Зоя"), ("koi8-r", "Зоя"),
    ("gb2312", "佐伊"), ("shift_jis", "ゾーイ"), ("utf-8", "Зоя"), ("utf-16", "Зоя")])
@pytest.mark.parametrize("encoding", ["base64", "quoted-printable"])
def test_parts_are_in_the_encoding_that_they_name(charset: str, name: str, encoding: str) -> None:
    page = PAGE.replace("Zoë; } </script> ", name)
    content = page.encode("cp1252" if charset == "ISO-8859-1" else charset)
    encoded = (encodebytes(content) if encoding == "base64" else encodestring(content)).decode()
    for kind in (f"text/html; charset={charset}", f'text/html;\n\tcharset="{charset.upper()}"'):
        assert named(f"{HEAD}\n\n--b\nContent-Type: {kind}\n"
                     f"Content-Transfer-Encoding: {encoding}\n\n{encoded}\n--b--\n") == name
    if not charset.startswith("utf"):
        part = f"{HEAD}\n\n--b\nContent-Type: text/html;\n charset={charset}\n\n".encode()
        if charset not in ("gb2312", "shift_jis"):  # whole files are read so only in eight bits
            assert named(part + content + b"\n--b--\n") == name


@pytest.mark.parametrize("charset", ["", "; charset=rot13", "; charset=unknown", "; charset=-"])
def test_parts_that_name_no_encoding_are_utf8_or_as_they_declare(charset: str) -> None:
    for declared, codec in ("", "utf-8"), ("<meta charset=windows-1251>", "cp1251"):
        if charset and declared:
            continue  # the header comes first
        page = PAGE.replace("Zoë; } </script> ", "Зоя").replace("<head>", f"<head>{declared}")
        encoded = encodebytes(page.encode(codec)).decode()
        assert named(f"{HEAD}\n\n--b\nContent-Type: text/html{charset}\n"
                     f"Content-Transfer-Encoding: base64\n\n{encoded}\n--b--\n") == "Зоя"


def test_the_traffic_of_a_browser() -> None:
    traffic = {"log": {"version": "1.2", "entries": [{"response": {"content": {"text": ANSWER}}}]}}
    with pytest.raises(LogError, match="the answer of one request alone"):
        read_bga(json.dumps(traffic))


def marked(line: str) -> str:
    """Return a line of a page's source as browsers colour it."""
    return html.escape(line).replace("&lt;script", '&lt;<span class="tag">script</span>')


@pytest.mark.parametrize("saved", [
    PAGE,
    PAGE.replace("\n", "\r\n"),
    f"\ufeff\n  {PAGE}",
    PAGE.replace("<head>", "<head><!-- saved from url=(0042)https://boardgamearena.com/x -->"),
    "".join(f'<tr><td class="line-number" value="{n}"></td><td>{html.escape(line)}</td></tr>'
            for n, line in enumerate(PAGE.split("\n"))),
    "<pre>" + "\n".join(f'<span id="line{n}"></span>{marked(line)}'
                        for n, line in enumerate(PAGE.split("\n"))) + "</pre>",
    ANSWER,
    f"\ufeff{ANSWER}\r\n\r\n",
    json.dumps(json.loads(ANSWER), indent=1).replace("\n", "\r\n"),
])
def test_pages_and_answers_as_they_are_saved(saved: str) -> None:
    check(game(saved), RECORD)


LOG = json.loads(ANSWER)
PACKETS = LOG["data"]["logs"]


def deep(value: Any, change: Any) -> Any:
    """Return JSON data with every value changed."""
    if isinstance(value, dict):
        return {key: deep(one, change) for key, one in value.items()}
    return [deep(one, change) for one in value] if isinstance(value, list) else change(value)


@pytest.mark.parametrize("saved", [
    ANSWER + ";\n",
    f"g_gamelogs = {ANSWER};",
    "\n".join(map(json.dumps, PACKETS)) + "\n",
    json.dumps({"table_id": 1, "infos": {}, "logs": ANSWER}),
    json.dumps({"table_id": 1, "infos": None, "logs": PAGE}),
    json.dumps({"gamedatas": TABLE, "g_gamelogs": LOG}),
    json.dumps([{"table_id": 1, "infos": [], "logs": LOG}]),
    json.dumps(deep(LOG, lambda one: float(one) if type(one) is int else one)),
    json.dumps([{**packet, "data": json.dumps(packet["data"])} for packet in PACKETS]),
    PAGE.replace("g_gamelogs =", 'window["g_gamelogs"] ='),
    *(damage.page("LOG", TABLE).replace('"LOG"', written) for written in (
        as_script(ANSWER), as_script(ANSWER, '"'), as_script(ANSWER, "`"),
        f"JSON.parse( {as_script(ANSWER)} )", f"JSON.parse({json.dumps(ANSWER)})",
        as_script(ANSWER).replace("Player", "Play\\\r\ner"),
        json.dumps(ANSWER.replace("Player B", "{&quot;")))),
    PAGE.replace("<script>", "<script>if (g_gamelogs == null) g_gamelogs = undefined;", 1),
    *(PAGE.replace("<head>", f"<head><script>{8 * code}</script>") for code in (
        "x.g_gamelogs = e;", "g_gamelogs = null;", "g_gamelogs = new Array();",
        "g_gamelogs = [];")),
    PAGE.replace("<head>", "<head><script>g_gamelogs = {}; this.completesetup({}, 1); x = '"
                 + "-" * 20_000 + "';</script>"),
])
def test_the_same_in_other_envelopes(saved: str) -> None:
    check(game(saved), RECORD)


@pytest.mark.parametrize("name", ["summer_coloured_2p", "summer_grey_4p_undo", "azul_coloured_2p"])
def test_null_stands_for_an_empty_list(name: str) -> None:
    whole = sample(f"{name}.json")
    changed = json.dumps(json.loads(whole)).replace("[]", "null")
    assert changed.count("null") > 50
    check(game(changed), game(whole).record)


def test_data_that_are_text_are_json_of_notes(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("nothing", '"nothing"', "[", '[{"a": 1, "a": 1}]'):
        with pytest.raises(LogError, match=r"packet 3\.data: found '.*', expected a list"):
            read_bga(json.dumps([*PACKETS[:2], {**PACKETS[2], "data": text}, *PACKETS[3:]]))
    monkeypatch.setattr("pavilion_ai.bga.source.MAX_VALUES", 300)
    with pytest.raises(LogError, match="found more than 300 values"):
        read_bga(json.dumps([{"packet_id": 1, "data": json.dumps([1] * 400)}]))


@pytest.mark.parametrize("join", [
    json.dumps, lambda logs: "\r\n".join(map(json.dumps, logs)) + "\n"])
def test_several_logs_in_one_file(join: Any) -> None:
    other, told, table, _ = made(AZUL_2, 95)
    second = json.loads(damage.collection(told.packets, told, table, random.Random(1)))
    text = join([LOG, second, {"status": 0, "error": "You have reached a limit"}])
    limit, *found = read_files([("all.json", text)])
    assert [one.name for one in found] == ["all.json (log 1)", "all.json (log 2)"]
    assert (limit.name, str(limit.found)) == (
        "all.json (log 3)", "the site gave no log, it answered: You have reached a limit")
    for one, record in zip(found, (RECORD, other), strict=True):
        assert isinstance(one.found, Imported)
        assert one.found.record.moves == record.moves
    with pytest.raises(LogError, match="found 3 logs in one file, expected one"):
        read_bga(text)


@pytest.mark.parametrize(("join", "number"), [
    (json.dumps, 3), (lambda logs: "\n".join(map(json.dumps, (logs[0], logs[2], logs[1]))), 2)])
def test_several_logs_that_are_dropped_on_ours(join: Any, number: int) -> None:
    other, told, _, _ = made(AZUL_2, 95)
    limit = {"status": 0, "error": "You have reached a limit"}
    found = read_import(join([LOG, told.packets, limit]).encode())
    assert [tuple(one["moves"]) for one in found["records"]] == [RECORD.moves, other.moves]
    assert [one["message"] for one in found["problems"]] == [
        f"(log {number}): the site gave no log, it answered: You have reached a limit"]


@pytest.mark.parametrize("before", ["", "\ufeff"])
def test_a_log_that_cannot_be_read_loses_no_other(before: str) -> None:
    lines = [before + json.dumps(one) for one in (LOG, PACKETS, LOG)]
    for number, (line, why) in enumerate([
            (lines[0][:-90], "line 1 ends in the middle of its JSON; save it again"),
            ('{"data": x, "logs": [1, 2], "players": [1, 2, 3, 4]}',
             "found no valid JSON: Expecting value, line 2, column 10; expected the log of a game"),
            (lines[2][:-90], "the file ends in the middle of its JSON; save it again")]):
        text = "\n".join([*lines[:number], line, *lines[number + 1:]])
        fault, found = read_files([("all", text)])
        assert (fault.name, str(fault.found)) == (f"all (log {number + 1})", why)
        assert isinstance(found.found, Imported)  # both lines are the same game
        assert found.found.record.moves == RECORD.moves


def test_lists_of_packets_and_texts_and_answers_are_logs_too() -> None:
    other, told, _, _ = made(AZUL_2, 95)
    limit = {"status": "0", "error": "You have reached a limit"}
    for join in (json.dumps, lambda logs: "\n".join(map(json.dumps, logs))):
        for logs in ([PACKETS, told.packets], [{"logs": json.dumps(LOG)}, {
                "table_id": 7, "logs": json.dumps(told.packets)}]):
            found = [one.found for one in read_files([("all", join(logs))])]
            assert [one.record.moves for one in found if isinstance(one, Imported)] == [
                RECORD.moves, other.moves]
        found = [one.found for one in read_files([("all", join([limit, limit]))])]
        assert {str(one) for one in found} == {
            "the site gave no log, it answered: You have reached a limit"}
        check(game(join(PACKETS)), RECORD)  # a packet on each line


def test_each_line_has_values_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    other = made(AZUL_2, 95)[1]
    text = "\n".join(map(json.dumps, (PACKETS, other.packets)))
    values = sum(text.count(mark) for mark in "[{,")
    monkeypatch.setattr("pavilion_ai.bga.source.MAX_VALUES", values * 2 // 3)
    assert all(isinstance(one.found, Imported) for one in read_files([("all", text)]))
    listed = f"[{text}]".replace("\n", ",")
    assert all(isinstance(one.found, Imported) for one in read_files([("all", listed)]))
    long, *rest = read_files([("all", json.dumps([PACKETS, PACKETS * 4, other.packets]))])
    assert (long.name, len(rest)) == ("all (log 2)", 2)
    assert "found more than" in str(long.found)
    with pytest.raises(LogError, match="found more than"):
        read_bga(json.dumps(PACKETS * 4))
    monkeypatch.setattr("pavilion_ai.bga.source.MANY", 1)
    for whole in text, listed:
        with pytest.raises(LogError, match="found more than"):
            read_bga(whole)


@pytest.mark.parametrize("key", ["game", "board", "phase", "seats", "displays", "supply"])
def test_logs_with_keys_of_positions_are_logs(key: str) -> None:
    text = damage.collection(TOLD.packets, TOLD, TABLE, random.Random(1))
    found = read_import(json.dumps({key: "azul", **json.loads(text)}).encode())
    assert found["records"][0]["moves"] == list(RECORD.moves)


@pytest.mark.parametrize("count", [20, None])
def test_a_page_of_another_game_of_the_same_players_stands_alone(count: int | None) -> None:
    """Nothing of it is taken for the log, such as the side of its boards."""
    log = json.loads(sample("summer_coloured_2p.json"))
    log["data"]["logs"] = log["data"]["logs"][:count]
    table = json.loads(sample("azul_coloured_2p.gamedatas.json"))
    names = json.loads(sample("summer_coloured_2p.gamedatas.json"))["players"]
    table["players"] = dict(zip(names, table["players"].values(), strict=True))
    for number, player in table["players"].items():
        player["id"] = number
    player["lines"], table["factories"][1] = table["factories"][1], []
    table["boardNumber"] = 2
    found, other = read_files([("log", json.dumps(log)), ("page", json.dumps(table))])
    assert (found.name, other.name) == ("log", "page")
    assert found.found == game(json.dumps(log))


def test_what_a_player_was_told_of_another_table_is_no_part_of_the_log() -> None:
    foreign = {"channel": "/player/p7", "table_id": "7", "packet_id": "9999", "move_id": "999",
               "data": [{"type": "tilesSelected", "args": {}}]}
    for number in (0, 30):
        packets = [*PACKETS[:number], foreign, *PACKETS[number:]]
        check(game(json.dumps(packets)), RECORD)
        gap = [*packets[:60], *packets[61:]]
        assert "stopped" in game(json.dumps(gap)).record.reason
        with pytest.raises(LogError, match="found packets of tables"):
            read_bga(json.dumps([*packets, {**PACKETS[-1], "table_id": "7"}]))


def test_names_of_files_may_have_commas() -> None:
    other = made(AZUL_2, 95)[1]
    name = "Azul, Board Game Arena.html"
    found = read_files([
        ("c", json.dumps(PACKETS[90:])), ("a, b", damage.page(None, TABLE)),
        (name, json.dumps(other.packets)), (name, PAGE)])
    assert [one.name for one in found] == [f"c, {name}", "a, b", name]


@pytest.mark.parametrize("nothing", ["<!DOCTYPE html><html><body>Another page</body></html>",
                                     "words", "%PDF-1.4", "g_gamelogs", "completesetup"])
def test_other_files_say_what_to_save(nothing: Any) -> None:
    with pytest.raises(LogError, match=r"found neither .* save the source of the replay's page"):
        read_bga(nothing)
