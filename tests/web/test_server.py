"""The server without a browser: address, who may talk to it, imports, the end of it."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import PlainTextResponse
from starlette.types import Message
from websockets.exceptions import ConnectionClosed, InvalidStatus

from pavilion_ai.bga import LogError, read_bga
from pavilion_ai.bga.source import saved
from pavilion_ai.errors import PavilionError, PositionError, Problem, shown
from pavilion_ai.notation import format_position, parse_position, to_json
from pavilion_ai.protocol.fields import BadRequest
from pavilion_ai.record import GameRecord
from pavilion_ai.web import intake, server
from pavilion_ai.web.guard import Guard, for_browser, is_loopback
from pavilion_ai.web.intake import import_text, problems_of, read_import, read_imports
from tests.archives import packed
from tests.bga.samples import SAMPLES, sample
from tests.cli.support import (
    ALL_EXAMPLES,
    CONTRACT,
    DRAFTING,
    EXAMPLES,
    PLACING,
    ROOT,
    cut_short,
    environment,
    position_of,
    process,
)
from tests.readers.cost import cost_of
from tests.web.support import PATIENCE, Server, serving

RECORDS = (EXAMPLES / "game_2p.jsonl").read_text()
BAD = [json.loads(line) for line in (CONTRACT / "bad_positions.jsonl").read_text().splitlines()]


# -- the command -----------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_prints_its_address_and_ends_quietly(tmp_path: Path, number: int) -> None:
    server = Server(tmp_path)
    with server.socket() as client:
        client.send("analyse", position=PLACING.read_text(), seconds=60)
        assert server.line == server.url + "\n"
        code, out, err = server.end(number)
    assert (code, out, err) == (130, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_it_ends_quietly_while_it_begins(tmp_path: Path, number: int) -> None:
    """An exception in the middle of a new event loop left warnings of it on the terminal."""
    code = ("import asyncio, os, sys\n"
            f"sys.path.insert(0, {str(ROOT)!r})\n"
            "import uvicorn\n"
            "class Loop(asyncio.SelectorEventLoop):\n"
            "    def _make_self_pipe(self):\n"
            f"        os.kill(os.getpid(), {int(number)})\n"
            "        super()._make_self_pipe()\n"
            "uvicorn.Config.get_loop_factory = lambda self: Loop\n"
            "sys.argv = ['pavilion', 'web', '--port', '0', '--no-open']\n"
            "from pavilion_ai import __main__\n"
            "__main__.main()\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=PATIENCE,
                          check=False, env=environment(XDG_DATA_HOME=str(tmp_path)))
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_what_is_no_request_prints_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        address = server.address.hostname, server.address.port
        for content in (b"\0" * 1000, b"GET / HTTP/9\r\n\r\n", b"GET\r\n\r\n"):
            with socket.create_connection(address, PATIENCE) as raw:
                raw.sendall(content)
                raw.settimeout(PATIENCE)
                with suppress(ConnectionResetError):
                    raw.recv(100)
        assert server.request("GET", "/")[0] == 200
        assert server.end() == (130, "", "")


def test_what_is_no_text_prints_nothing(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        with server.socket() as client, suppress(ConnectionClosed):
            client.connection.send(b"\xff\xfe", text=True)
            client.connection.recv(PATIENCE)
        assert server.request("GET", "/")[0] == 200
        assert server.end() == (130, "", "")


def test_it_opens_on_a_position(tmp_path: Path) -> None:
    with serving(tmp_path, DRAFTING) as server:
        code = format_position(position_of(DRAFTING), "code")
        assert server.line == f"{server.url}?position={code}\n"
        assert server.request("GET", server.line.strip().removeprefix(server.url[:-1]))[0] == 200


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = process("web", "--no-open", "--port", port)
    assert ended.returncode == 2
    assert ended.stdout == b""
    assert ended.stderr.decode().splitlines() == [
        f"error: 127.0.0.1:{port}: Address already in use; --port 0 takes a free one"]


def test_an_unsound_position_or_address_is_refused() -> None:
    for arguments in (["nonsense"], ["--host", "no such host"], ["--port", "70000"]):
        ended = process("web", "--no-open", *arguments)
        assert ended.returncode == 2, arguments
        assert ended.stdout == b""
        assert b"Traceback" not in ended.stderr


def test_other_machines_are_warned_of(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as server:
        port = server.address.port
        assert server.url == f"http://127.0.0.1:{port}/"
        assert server.request("GET", "/")[0] == 200
        assert server.request("GET", "/", Host=f"192.168.1.2:{port}")[0] == 200
        assert server.request("GET", "/", Host=f"elsewhere.example:{port}")[0] == 403
        _, _, err = server.end()
    assert err.startswith("note: --host 0.0.0.0: everybody who reaches this machine")


# -- who may talk to it ----------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1",
                                  "", "127.0.0.1:{port}.evil.example"])
def test_requests_for_another_host_are_refused(server: Server, host: str) -> None:
    host = host.format(port=server.address.port)
    for method, path in (("GET", "/"), ("GET", "/static/app.js"), ("POST", "/import")):
        assert server.request(method, path, Host=host)[0] == 403
    with pytest.raises(InvalidStatus) as refusal, server.socket(
            additional_headers={"Host": host}) as _:
        pass
    assert refusal.value.response.status_code in (400, 403)


def answered(listening: str, hosts: list[bytes]) -> int:
    """Return the status of a request for some hosts."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    asyncio.run(Guard(PlainTextResponse("in"), listening, 7)(
        {"type": "http", "method": "GET", "headers": [(b"Host", host) for host in hosts]},
        receive, send))
    status: int = sent[0]["status"]
    return status


@pytest.mark.parametrize(("hosts", "status"), [
    ([b"localhost:7"], 200), ([b"[::1]:7"], 403), ([b"LOCALHOST:7"], 200), ([b"localhost"], 403),
    ([], 403), ([b"localhost:7", b"evil.example"], 403), ([b"localhost:7"] * 2, 403),
    ([b"localhost:" + b"7" * 5000], 403),
])
def test_a_request_is_for_one_host(hosts: list[bytes], status: int) -> None:
    """Also where the server lets more through."""
    assert answered("127.0.0.1", hosts) == status


@pytest.mark.parametrize(("listening", "host"), [
    ("MyPC", b"mypc:7"), ("MyPC", b"MyPC:7"), ("LocalHost", b"localhost:7"),
    ("0:0::1", b"[::1]:7"), ("0:0::1", b"localhost:7"), ("127.1", b"127.0.0.1:7"),
    ("127.1", b"localhost:7"), ("0", b"0.0.0.0:7"), ("0", b"192.168.1.2:7"),
    ("B\xfccher", b"xn--bcher-kva:7"), ("x" * 64, b"x" * 64 + b":7"),
])
def test_the_address_listened_on_may_be_written_in_any_way(listening: str, host: bytes) -> None:
    """Browsers write it in theirs."""
    assert answered(listening, [host]) == 200
    assert answered(listening, [b"evil.example:7"]) == 403


def test_only_this_machine_reaches_a_loopback_address() -> None:
    for host in ("127.0.0.1", "127.1", "::1", "LocalHost"):
        assert is_loopback(host)
    for host in ("0", "0.0.0.0", "::", "10.1", "B\xfccher", "a..b", "\0"):
        assert not is_loopback(host)


@pytest.mark.parametrize(("listening", "opened"), [
    ("0.0.0.0", "127.0.0.1"), ("0", "127.0.0.1"), ("::", "::1"), ("0:0::", "::1"),
    ("127.1", "127.1"), ("MyPC", "MyPC"), ("192.168.1.2", "192.168.1.2"),
])
def test_a_browser_of_this_machine_is_sent_to_an_address_that_it_takes(
    listening: str, opened: str
) -> None:
    """Browsers refuse the one that stands for all."""
    assert for_browser(listening) == opened


def test_no_address_takes_all_sockets() -> None:
    def from_address(host: str) -> HTTPConnection:
        return HTTPConnection({"type": "websocket", "headers": [], "client": (host, 50_000)})

    def taken(host: str) -> int:
        count = 0
        while not server._full(sockets, from_address(host)):
            sockets.append(from_address(host))
            count += 1
        return count

    sockets: list[HTTPConnection] = []
    assert [taken(host) for host in ("127.0.0.1", "127.0.0.1", "192.168.1.2", "fe80::2")] == [
        64, 0, 16, 16]
    assert server._full(sockets, from_address("fe80::2")).startswith("16 pages are open already on")
    assert [taken(f"10.0.0.{number}") for number in range(3)] == [16, 16, 0]
    assert server._full(sockets, from_address("10.0.0.9")) == (
        "64 pages are open already on devices other than the server's")
    del sockets[:64]  # those of this machine
    assert [taken(host) for host in ("10.0.0.9", "127.0.0.2", "::1")] == [0, 64, 0]
    sockets.clear()  # as a server sees them that listens on all addresses of IP 6
    assert [taken(host) for host in ("::ffff:127.0.0.1", "127.0.0.1", "::ffff:10.1.0.9",
                                     "10.1.0.9")] == [64, 0, 16, 0]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://{netloc}",
                                    "http://{netloc}.evil.example"])
def test_other_pages_are_refused(server: Server, origin: str) -> None:
    origin = origin.format(netloc=server.address.netloc)
    assert server.request("POST", "/import", b"x", Origin=origin)[0] == 403
    with pytest.raises(InvalidStatus) as refusal, server.socket(origin=origin) as _:
        pass
    assert refusal.value.response.status_code == 403


def test_its_own_page_and_programs_may_talk_to_it(server: Server) -> None:
    port = server.address.port
    assert server.request("GET", "/", Host=f"localhost:{port}")[0] == 200
    with server.socket(origin=f"http://{server.address.netloc}") as client:
        assert client.ask("hello")["threads"] == 2
    with server.socket() as client:
        assert client.ask("hello")["games"] == ["summer", "azul"]


def test_nothing_is_loaded_from_elsewhere(server: Server) -> None:
    status, headers, page = server.request("GET", "/")
    assert "Loading" in page.decode()
    assert "<noscript>" in page.decode()
    buttons = re.findall("<button[^>]*>", page.decode())  # dead until its script runs
    assert len(buttons) > 15
    assert all(button.endswith(" disabled>") for button in buttons)
    assert status == 200
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert (headers["referrer-policy"], headers["x-content-type-options"],
            headers["cross-origin-resource-policy"]) == ("no-referrer", "nosniff", "same-origin")
    static = Path(__file__).parents[2] / "pavilion_ai" / "web" / "static"
    for name in [path.name for path in static.iterdir()]:
        status, _, content = server.request("GET", f"/static/{name}")
        assert (status, content) == (200, (static / name).read_bytes())
        text = content.decode().replace("http://www.w3.org/", "")
        assert "http://" not in text
        assert "https://" not in text
    assert b"http" not in page


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/static/",
                                  "/static//etc/passwd", "/etc/passwd", "/engine", "/import"])
def test_no_other_file_is_served(server: Server, path: str) -> None:
    assert server.request("GET", path)[0] in (404, 405)


# -- imports ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ALL_EXAMPLES, ids=lambda path: path.name)
def test_positions_are_imported(server: Server, path: Path) -> None:
    position = parse_position(path.read_text()).position
    for text in (path.read_text(), *(format_position(position, form)
                                     for form in ("json", "code", "text"))):
        status, answer = server.imported(text)
        assert (status, answer["positions"]) == (200, [to_json(position)])


def test_several_codes_are_imported(server: Server) -> None:
    codes = [format_position(position_of(path), "code") for path in (PLACING, DRAFTING)]
    status, answer = server.imported("# two positions\n" + "\n".join(codes) + "\n")
    assert status == 200
    assert [parse_position(one).position for one in answer["positions"]] == [
        position_of(PLACING), position_of(DRAFTING)]
    status, answer = server.imported("\n".join(["# one is damaged", *codes, f"{codes[0]}x"]))
    assert (status, len(answer["positions"])) == (200, 2)
    problem, = answer["problems"]
    assert problem["place"] == "line 4, code"
    assert problem["message"].startswith("found the check")


def test_links_of_a_page_are_imported(server: Server) -> None:
    """Pasted into another page, as they come from any address; nothing is fetched."""
    code = format_position(position_of(PLACING), "code")
    for link in (f"http://127.0.0.1:1/?position={code}", f"/?position={code}",
                 f"HTTP://h/?POSITION={code}", f"https://h/?Position={code}",
                 f"https://example.com/azul?a=b&position={quote(code, safe='')}&c=d#e"):
        status, answer = server.imported(link)
        assert (status, answer["positions"]) == (200, [to_json(position_of(PLACING))])
    for before, after in ("position=", ""), ("sum", "mer"), ("/", "?"):  # lines may end anywhere
        broken = f"http://127.0.0.1:1/?position={code}".replace(
            before + after, f"{before}\n{after}", 1)
        assert read_import(broken.encode())["positions"] == [to_json(position_of(PLACING))]
        assert not read_import(broken.encode()).get("problems")
    status, answer = server.imported(f"{link}\n{code}\nhttp://[/?position={code[:-1]}")
    assert (status, len(answer["positions"])) == (200, 2)
    problem, = answer["problems"]
    assert (problem["place"], problem["expected"]) == ("line 3, code", "")
    assert problem["message"].startswith("found the check")


def test_several_positions_in_json_are_imported() -> None:
    """One a line, beside codes, or in a list, which may hold records and codes as well."""
    both = [to_json(position_of(path)) for path in (PLACING, DRAFTING)]
    code = format_position(position_of(DRAFTING), "code")
    placing = json.dumps(both[0])
    found = read_import(f"{placing}\n# a code\n{code}\n{placing[:-1]}\n{{}}\n".encode())
    assert found["positions"] == both
    assert found["problems"][0] == {
        "name": "syntax", "place": "line 4", "expected": "a position",
        "message": "found no valid JSON: Expecting ',' delimiter; expected a position"}
    assert found["problems"][1]["place"] == "line 5, game"
    assert found["problems"][1]["message"].startswith("found no such key")
    record = json.loads(RECORDS.splitlines()[0])
    mixed = [{**both[0], "x": 1}, record, code, 5]
    for indent in (None, 1):
        found = read_import(json.dumps(mixed, indent=indent).encode())
        assert (found["positions"], found["records"]) == (both, [record])
        assert found["notes"] == ["item 1: not used: 'x'"]
        assert [(one["place"], one["message"]) for one in found["problems"]] == [
            ("item 4",
             "found 5, expected a position in any form: a JSON object, a code or text")]
    spread = placing.replace("{", "\n{")
    assert read_import(spread.encode())["positions"] == both[:1]
    for nothing, message in (
            ("[1]", r"found \[1\], expected a list of positions or records, or the log of a game"),
            ('[{"x": 1}]', "found a list of 1, expected a list of positions or records, or"),
            ("[]", "^the log is empty"),
            ('{"x": 1}\n{"x": 2}', "^found JSON with the keys x and no packets, expected the log")):
        with pytest.raises(PavilionError, match=message):
            read_import(nothing.encode())


def test_codes_that_go_on_over_several_lines_are_imported() -> None:
    """As mail breaks them: at any place, in links too, which may be encoded."""
    both = [to_json(position_of(path)) for path in (DRAFTING, PLACING)]
    code, other = (format_position(position_of(path), "code") for path in (DRAFTING, PLACING))
    for width in range(40, 100):
        for text in (code, f"http://127.0.0.1:8642/?position={quote(code, safe='')}"):
            broken = [text[at:at + width] for at in range(0, len(text), width)]
            for lines, positions in ((broken, both[:1]), ([*broken, "# mine", "", other], both),
                                     ([json.dumps(both[1]), *broken], both[::-1])):
                found = read_import("\n".join(lines).encode())
                assert found["positions"] == positions
                assert not found.get("problems")


@pytest.mark.parametrize("listed", [False, True])
def test_records_and_positions_are_joined_and_told_alike(listed: bool) -> None:
    """One a line as in a list: of a game its latest state, and of all that is wrong the place."""
    record = json.loads(RECORDS.splitlines()[0])
    state = cut_short(GameRecord.from_json(record), 3).to_json()
    position = to_json(position_of(PLACING))
    code = format_position(position_of(DRAFTING), "code")

    def imported(*items: Any) -> dict[str, Any]:
        rows = (one if isinstance(one, str) else json.dumps(one) for one in items)
        return read_import((json.dumps(items) if listed else "\n".join(rows)).encode())

    assert imported(record, record)["records"] == [record]
    assert imported(state, {**record, "id": "b"}, record)["records"] == [
        {**record, "id": "b"}, record]
    place = "item" if listed else "line"
    found = imported(code, record, {**position, "x": 1}, f"{code}x", {**record, "moves": 5})
    assert (found["positions"], found["records"]) == (
        [to_json(position_of(DRAFTING)), position], [record])
    assert found["notes"] == [f"{place} 3: not used: 'x'"]
    for told, where, begins in zip(found["problems"], ("4, code", "5, moves"),
                                   ("found the check", "found 5"), strict=True):
        assert told["place"] == f"{place} {where}"
        assert told["message"].startswith(begins)
    for wrong, problem in ((position, "round"), (record, "moves")):
        found = imported({**wrong, problem: 9}, {**wrong, problem: 8})
        assert set(found) == {"problems"}
        assert {told["place"].partition(",")[0] for told in found["problems"]} == {
            f"{place} 1", f"{place} 2"}
    found = imported(*[{**position, "x": 1}] * 250)
    assert found["notes"][199:] == [f"{place} 200: not used: 'x'", "and 50 more notes"]


def test_all_that_is_wrong_with_the_start_of_a_record_is_told() -> None:
    record = json.loads(RECORDS.splitlines()[0])
    record["start"] = {**record["start"], "round": 0, "phase": "zz"}
    found = import_text({"text": json.dumps(record)})
    assert [set(one) for one in found["problems"]] == [{"name", "place", "expected", "message"}] * 2
    assert [(one["name"], one["place"]) for one in found["problems"]] == [
        ("range", "line 1, start.round"), ("range", "line 1, start.phase")]
    assert found["problems"][0]["expected"] == "a whole number from 1 to 6"
    assert found["problems"][0]["message"] == "found 0, expected a whole number from 1 to 6"


def test_records_are_imported(server: Server) -> None:
    records = [json.loads(line) for line in RECORDS.splitlines()]
    status, answer = server.imported(RECORDS)
    assert (status, answer["records"]) == (200, records)
    status, answer = server.imported(json.dumps(records[0], indent=1))
    assert (status, answer["records"]) == (200, records[:1])


def test_records_are_imported_as_all_commands_read_them() -> None:
    """Torn ends are passed over, the latest state of a game counts, other lines are named."""
    whole = RECORDS.encode().splitlines()[0]
    both = [json.loads(whole), {**json.loads(whole), "id": "another"}]
    other = json.dumps(both[1]).encode()
    state = json.dumps(cut_short(GameRecord.from_json(both[0]), 3).to_json()).encode()
    for content, records, notes, problems in (
            (whole + b"\n" + other[:99], both[:1], ["line 2: cut short"], []),
            (whole + b"\n\0\0\0", both[:1], ["line 2: cut short"], []),
            (whole + other, both, [], []),
            (state + b"\n" + whole + b"\n", both[:1], [], []),
            (whole + b"\n{}\n" + other, both, [], ["line 2"]),
            (whole[1:] + b"\n" + other, both[1:], [], ["line 1"]),
            (whole[:99] + b"\n" + other, both[1:], [], ["line 1"]),
            (b'{"foo": 1}\n' + other, both[1:], [], ["line 1"])):
        found = read_import(content)
        assert (found["records"], found["notes"]) == (records, notes)
        assert [told["place"] for told in found.get("problems", ())] == problems
        assert all(told["expected"] for told in found.get("problems", ()))
    named = read_imports([("a", whole + b"\n{}"), ("b", other)])
    assert len(named["records"]) == 2
    assert named["problems"][0]["place"] == "line 2"
    assert named["problems"][0]["message"].startswith("a: found a record without")
    for content, problems in (
            (b'{"start": 1, "moves": []}\n' * 2,
             [f"line {line}: found a record without 'id', " for line in (1, 2)]),
            (b"\f" + whole, ["line 1: not a game record (no JSON object)"])):
        found = read_import(content)
        assert set(found) == {"problems"}
        for told, begins in zip(found["problems"], problems, strict=True):
            assert f"{told['place']}: {told['message']}".startswith(begins)
    assert len(read_import(whole + b"\n" + b"{}\n" * 999)["problems"]) == 201
    with pytest.raises(PositionError, match="that is zero"):
        read_import(b"\0" + whole)


def test_a_record_that_is_nested_too_deeply_is_refused() -> None:
    for depth in range(940, 1000):
        text = '{"moves": [],\n "start": ' + "[" * depth + "]" * depth + "}"
        assert set(import_text({"text": text})) == {"problems"}


def test_half_a_character_is_imported_as_it_is(server: Server) -> None:
    record = json.loads(RECORDS.splitlines()[0])
    record["agents"][0]["name"] = record["ha\udc00lf"] = "\ud83d"
    status, answer = server.imported(json.dumps(record))
    assert (status, answer["records"]) == (200, [record])


@pytest.mark.parametrize("key", ["gamedatas", "factories", "logs", "packets"])
def test_a_record_with_other_keys_is_no_page(server: Server, key: str) -> None:
    record = {**json.loads(RECORDS.splitlines()[0]), key: {"players": 2}}
    for text in (json.dumps(record), f"{json.dumps(record)}\n{json.dumps(record)}\n"):
        status, answer = server.imported(text)
        assert (status, answer["records"][0]) == (200, record)


@pytest.mark.parametrize("key", [
    "gamedatas", "g_gamelogs", "factories", "logs", "packets", "status"])
def test_a_position_with_other_keys_is_no_page(key: str) -> None:
    position = to_json(position_of(DRAFTING))
    assert read_import(json.dumps({**position, key: []}).encode())["positions"] == [position]


@pytest.mark.parametrize("form", ["code", "text"])
def test_a_comment_may_quote_a_log(form: Any) -> None:
    quoted = '# from {"players": 2, "uid": "x"}'
    position = position_of(DRAFTING)
    text = format_position(position, form)
    texts = [f"{quoted}\n{text}", f"{text}  {quoted}\n"]
    if form == "code":
        texts.append(f"{quoted}\n{text}\n{quoted}\n{text}")
    for one in texts:
        assert read_import(one.encode())["positions"] == [to_json(position)] * one.count(text)


@pytest.mark.parametrize("number", range(len(BAD)))
def test_every_problem_of_a_position_is_named(server: Server, number: int) -> None:
    case = BAD[number]
    status, answer = server.imported(json.dumps(case["position"]))
    assert status == 400
    assert set(answer) == {"problems"}
    assert all({"name", "place", "expected"} <= problem.keys() for problem in answer["problems"])
    assert case["kind"] in {problem["name"] for problem in answer["problems"]}


def test_several_files_are_read_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them would do alone; of packed ones it is what they hold."""
    code = format_position(position_of(PLACING), "code").encode()
    monkeypatch.setattr("pavilion_ai.web.intake.MAX_BYTES", 2 * len(code))
    for files, read, refused in (
            ([("a", code), ("b", code), ("c", code)], 2, "c: found more than "),
            ([("a", packed(("1", code))), ("b", packed(("2", code * 2)))], 1,
             "b: the zip holds too much ")):
        found = read_imports(files)
        assert len(found["positions"]) == read
        (problem,) = found["problems"]
        assert problem["message"].startswith(refused)


@pytest.mark.parametrize("content", [
    b"", b"  \n", b"\xff\xfe", b"nonsense", b"{", b"[]", b"{}", b"1", b'{"start": 1, "moves": []}',
    b"<html></html>", b"[" * 100_000, b'{"gamedatas": {}}', b'"x"', b"\0"])
def test_nonsense_is_refused(server: Server, content: bytes) -> None:
    status, answer = server.imported(content)
    assert status == 400
    assert answer["problems"]


def test_files_that_are_refused_use_up_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    code = format_position(position_of(PLACING), "code").encode()
    monkeypatch.setattr("pavilion_ai.web.intake.MAX_BYTES", 3 * len(code))
    damaged = gzip.compress(b"x" * 2 * len(code))[:-8] + bytes(8)
    for refused in (b"\x81" * 2 * len(code), damaged, b"x" * 4 * len(code)):
        files = [("a", refused), ("b", code), ("c", code)]
        if len(refused) > 3 * len(code):
            files.pop()
        found = read_imports(files)
        assert len(found.get("positions", [])) == len(files) - 2
        assert len(found["problems"]) == 2


def test_a_body_that_is_too_long_is_refused(server: Server) -> None:
    status, answer = server.imported(b"x" * (17 << 20))
    assert (status, answer["problems"][0]["name"]) == (400, "range")


def test_a_packed_file_is_unpacked_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.web.intake.MAX_BYTES", 1 << 16)
    packed = gzip.compress(b" " * (64 << 20))

    def told() -> str:
        with pytest.raises(PositionError) as caught:
            read_import(packed)
        return str(caught.value)

    message, cost = cost_of(told)
    assert "found more than 65536 bytes, unpacked, expected a text" in message
    assert cost.mib < 16


@pytest.mark.parametrize(("content", "expected"), [
    (b'{"a":' * 800 + b"[" + b"0," * 400_000, "found [0-9]+ characters, expected a position of"),
    (b'{"gamedatas":[' + b"{}," * 600_000 + b"{}]}", "found more than 1,000 values, expected the"),
])
def test_what_has_too_many_values_is_not_decoded(
    content: bytes, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("web.intake", "bga.source"):
        monkeypatch.setattr(f"pavilion_ai.{module}.MAX_VALUES", 1000)
        monkeypatch.setattr(f"pavilion_ai.{module}.strict_json", lambda _: pytest.fail("decoded"))
    with pytest.raises(PavilionError, match=expected):
        read_import(content)


def test_records_of_many_values_are_imported_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = RECORDS.splitlines(keepends=True)
    monkeypatch.setattr("pavilion_ai.web.intake.MAX_VALUES", 2 * len(json.loads(lines[0])["moves"]))
    text = "".join(lines[0].replace('"id":', f'"id":"{number}","was":') for number in range(5))
    assert len(read_import(text.encode())["records"]) == 5


def test_codes_have_an_end() -> None:
    code = format_position(position_of(PLACING), "code")
    assert len(read_import(f"{code}\n".encode() * 3)["positions"]) == 3
    for text in (f"{code}\n" * 1001, json.dumps([code] * 1001)):
        with pytest.raises(PositionError, match="more than 1000 positions, expected at most 1000"):
            read_import(text.encode())


@pytest.mark.parametrize("text", [
    "{\n" * 1_000_000, "ab\n" * 1_000_000, '{"moves":[\n' * 100_000,
    f"{format_position(position_of(PLACING), 'code')}\n" + "ab\n" * 500_000,
    RECORDS + "{}\n" * 200_000, RECORDS + "a\n" * 200_000],
    ids=["objects", "words", "beginnings", "code", "faults", "no objects"])
def test_short_lines_take_little_memory(text: str) -> None:
    """They took up to 170 times their bytes."""
    def told() -> None:
        with suppress(PositionError):
            read_import(text.encode())

    assert cost_of(told)[1].mib < 50


def test_problems_of_a_text_are_counted_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    record = json.loads(RECORDS.splitlines()[0])
    lines = [json.dumps(record), *["{}"] * 300, json.dumps({**record, "id": "another"})]
    found = read_import("\n".join(lines).encode())
    assert (len(found["records"]), found["notes"]) == (2, [])
    assert [one["place"] for one in found["problems"][198:]] == ["line 200", "line 201", ""]
    assert found["problems"][-1]["message"] == "and 100 more problems"
    monkeypatch.setattr("pavilion_ai.web.intake.MAX_FAULTS", 299)
    found = read_import("\n".join(lines).encode())
    assert found["records"] == [record]
    assert found["notes"] == [
        "line 302: the rest is not read, as more than 299 problems stand above"]


def test_problems_of_several_files_have_an_end() -> None:
    files = [(f"{number}.jsonl", (RECORDS + "{}\n" * 300).encode()) for number in range(7)]
    found = read_imports(files)
    assert len(found["problems"]) == 5 * 201 + 1
    assert found["problems"][-2]["message"] == "4.jsonl: and 100 more problems"
    assert found["problems"][-1]["message"] == "and problems in 2 more files"


def test_positions_are_counted_over_all_files() -> None:
    code = format_position(position_of(PLACING), "code")
    found = read_imports([("a", f"{code}\n".encode() * 600), ("b", f"{code}\n".encode() * 600)])
    assert len(found["positions"]) == 600
    assert [one["message"] for one in found["problems"]] == [
        "b: found more than 1000 positions over all files, expected at most 1000"]


def test_a_file_that_is_refused_leaves_room_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of a single position was refused, as if it had more than 1,000."""
    code = format_position(position_of(PLACING), "code")
    files = [(name, f"{code}\n".encode() * number) for name, number in
             (("a", 600), ("b", 600), ("c", 1), ("d", 1001), ("e", 399))]
    found = read_imports(files)
    assert len(found["positions"]) == 1000
    assert [one["message"].split(":")[0] for one in found["problems"]] == ["b", "d"]
    found = read_imports(files[3:])
    assert len(found["positions"]) == 399
    assert [one["message"] for one in found["problems"]] == [
        "d: found more than 1000 positions, expected at most 1000"]
    monkeypatch.setattr("pavilion_ai.web.intake.MAX_READ", 1100)  # they take their time, too
    found = read_imports(files[3:])
    assert len(found["problems"]) == 2


def test_lines_that_are_refused_are_counted_for_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of one file kept the next one from being read."""
    monkeypatch.setattr("pavilion_ai.web.intake.MAX_FAULTS", 30)
    record = RECORDS.splitlines(keepends=True)[0]
    found = read_imports([("bad", (record + "{}\n" * 40).encode()),
                          ("good", record.replace('"id":', '"id":"b","was":').encode())])
    assert len(found["records"]) == 2
    assert found["notes"] == [
        "bad: line 33: the rest is not read, as more than 30 problems stand above"]


def test_many_lines_with_moves_are_records_with_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    """They were taken for a log that is cut off."""
    monkeypatch.setattr("pavilion_ai.web.intake.MAX_FAULTS", 30)
    found = read_import(('{"moves": 1}\n' * 40 + RECORDS).encode())
    assert {one["expected"] for one in found["problems"]} == {"all of its keys"}
    found = read_import(('{"moves": 1}\n' * 20 + RECORDS).encode())
    assert found["records"]


def test_what_clients_do_is_not_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server._Server, "run", lambda *_, **__: None)
    with pytest.raises(KeyboardInterrupt):
        server.serve("127.0.0.1", 0, threads=1, folder=tmp_path, solo=tmp_path, reviews=tmp_path,
                     on_ready=lambda _: None)
    uvicorn, asyncio = logging.getLogger("uvicorn.error"), logging.getLogger("asyncio")
    uvicorn.error("Cancel %s running task(s), timeout graceful shutdown exceeded", 2)
    uvicorn.error("Invalid UTF-8 sequence received from client.")
    uvicorn.error("Exception in ASGI application")
    asyncio.error("socket.accept() out of system resource")
    asyncio.error("Exception in callback")
    assert [one.getMessage() for one in caplog.records] == [
        "Exception in ASGI application", "Exception in callback"]


@pytest.mark.parametrize(("content", "name", "expected"), [
    (b'{"a": "\xe9"}', "log", "the log of a game or the object gamedatas of a page; save the source"
     " of the replay's page (Ctrl+U in most browsers)"),
    (b"[1, 2]", "type", "a list of positions or records, or the log of a game"),
    (b'{"logs": []}', "log", "those of a game"),
    (b"\xff\xfea", "syntax", "a text"),
    (b'{"start": [], "moves": []}', "record", "all of its keys"),
    (json.dumps({**json.loads(RECORDS.splitlines()[0]), "moves": 5}).encode(), "record",
     "a list of strings"),
])
def test_what_is_refused_says_what_was_expected(
    server: Server, content: bytes, name: str, expected: str
) -> None:
    status, answer = server.imported(content)
    [problem] = answer["problems"]
    assert (status, problem["name"], problem["expected"]) == (400, name, expected)
    assert problem["message"].endswith(expected)


@pytest.mark.parametrize(("begin", "what"), [
    (b"\x89PNG\r\n\x1a\n\0", "picture"), (b"\xff\xd8\xff\xe0\0", "picture"),
    (b"GIF89a\0", "picture"), (b"RIFF\x10\0\0\0WEBPVP8", "picture"),
    (b"%PDF-1.7\n%\xe2\xe3\n", "PDF")])
def test_what_only_people_can_read_is_told(begin: bytes, what: str) -> None:
    with pytest.raises(PositionError) as caught:
        read_import(begin)
    [problem] = problems_of(caught.value)
    assert str(problem["message"]).startswith(f"found a {what}, expected a text; for a game on ")
    assert str(problem["message"]).endswith(" and drop the file here")


def test_where_a_log_is_refused() -> None:
    packets = saved(sample("azul_coloured_2p.json")).packets
    assert packets is not None
    with pytest.raises(LogError) as caught:
        read_import(json.dumps(packets[40:]).encode())
    [problem] = problems_of(caught.value)
    assert re.fullmatch("packet [0-9]+, [A-Za-z]+", str(problem["place"]))
    assert problem["message"] == str(caught.value).removeprefix(f"{problem['place']}: ")
    assert problem["expected"] == "its beginning too"
    other = {"channel": "/table/t1", "packet_id": "1", "data": [{"type": "playPiece", "args": {}}]}
    with pytest.raises(LogError) as caught:
        read_import(json.dumps([other]).encode())
    [problem] = problems_of(caught.value)
    assert problem["place"] == ""
    assert problem["message"] == str(caught.value) == (
        "found the log of another game (notes of type playPiece), expected Azul: Summer Pavilion or"
        " base Azul")
    assert problem["expected"] == "Azul: Summer Pavilion or base Azul"
    with pytest.raises(LogError) as caught:
        read_import(json.dumps([{**other, "packet_type": "history"}]).encode())
    [problem] = problems_of(caught.value)
    assert problem["place"] == "packet 1"
    assert str(problem["expected"]).startswith("the archive of the finished game")


def test_a_game_told_in_words_has_one_problem() -> None:
    told = "Move 1 :\n12:01 Ann: takes 3 tiles from display 1\nBob: places 2 tiles\n" * 40
    [problem] = import_text({"text": told})["problems"]
    assert problem["message"] == (
        f"found {shown(told.strip())}, expected a position as a JSON object, a code (summer.1. ...)"
        " or lines 'key: value', a game record, or a page or log of Board Game Arena; for a game"
        " there, save the source of the replay's page (Ctrl+U in most browsers)")
    for text in ("Ann: blue", "[12:01] Ann: blue", "[2026-11-30] Ann: blue", "[1] Ann: blue",
                 '[Event "chess"]'):
        [problem] = import_text({"text": text})["problems"]
        assert str(problem["message"]).startswith(f"found {shown(text)}, expected a position as ")
        assert str(problem["message"]).endswith("or a page or log of Board Game Arena")
    for number in ("512345678", " #512345678\n"):  # of a table there
        [problem] = import_text({"text": number})["problems"]
        assert str(problem["message"]).endswith("page (Ctrl+U in most browsers)")


@pytest.mark.parametrize(("before", "address", "after"), [
    ("", "https://boardgamearena.com/gamereview?table=1", ""), ("", "http://bga.li", "\n"),
    ("", "HTTPS://BoardGameArena.com/1/archive", ""),
    ("", "en.boardgamearena.com/table?table=1", ""), ("", "boardgamearena.com", ""),
    ("My game: ", "https://boardgamearena.com/table?table=1", " (won)\nand one more"),
    ("Look at ", "boardgamearena.com/table?table=1", " please")])
def test_an_address_is_told_from_what_is_there(before: str, address: str, after: str) -> None:
    [problem] = import_text({"text": before + address + after})["problems"]
    assert str(problem["message"]).startswith(f"found the address '{address}', expected what is ")
    assert "loaded from the network" in str(problem["message"])
    if not before + after:  # in a list, as alone
        [item] = import_text({"text": json.dumps([address])})["problems"]
        assert item == {**problem, "place": "item 1"}


def test_a_word_of_many_addresses_is_read_once() -> None:
    """Each of them made the rest of the word be read again, 9 s in all."""
    [problem] = import_text({"text": "see https://x?position=1:http://y"})["problems"]
    assert "the address" not in str(problem["message"])  # a link, whatever it holds
    long = "see " + "http://:" * 24_000 + "?position="
    answer, cost = cost_of(lambda: import_text({"text": long}))
    assert "the address" not in str(answer["problems"][0]["message"])
    assert cost.seconds < 3


@pytest.mark.parametrize(("before", "after"), [
    ("HTTP/1.1 200 OK\n\n", ""), ("callback(", ");"), ("", "\nand so on"), ("Table #123: ", ""),
    ("$ curl https://x/#a ", "")])
def test_text_around_a_log_is_told_as_the_command_tells_it(before: str, after: str) -> None:
    log = sample("azul_coloured_2p.json")
    with pytest.raises(LogError) as caught:
        read_import(f"{before}{log}{after}".encode())
    with pytest.raises(LogError) as said:
        read_bga(f"{before}{log}{after}")
    assert str(caught.value) == str(said.value)


def test_problems_have_an_end() -> None:
    problems = problems_of(PositionError(
        Problem("syntax", "", f"number {number}") for number in range(250)))
    assert len(problems) == 201
    assert problems[-1]["message"] == "and 50 more problems"
    last = problems_of(PositionError([Problem("syntax", "", "one")] * 201))[-1]
    assert last["message"] == "and 1 more problem"
    assert len(problems_of(PositionError.at("syntax", "", "one"))) == 1


@pytest.mark.parametrize("name", ["summer_coloured_2p", "azul_coloured_2p", "summer_grey_4p_undo"])
def test_logs_and_pages_of_board_game_arena_are_imported(server: Server, name: str) -> None:
    truth = json.loads((SAMPLES / f"{name}.truth.jsonl").read_text())
    status, answer = server.imported(gzip.decompress((SAMPLES / f"{name}.json.gz").read_bytes()))
    assert (status, sorted(answer)) == (200, ["notes", "records"])
    assert answer["records"][0]["scores"] == truth["scores"]
    for agent in answer["records"][0]["agents"]:
        assert agent == {"spec": "human", "version": ""}
    page = gzip.decompress((SAMPLES / f"{name}.gamedatas.json.gz").read_bytes())
    status, answer = server.imported(page)
    assert answer.get("positions") or answer["problems"][0]["name"] == "phase"
    status, answer = server.imported((SAMPLES / "no_rights.json").read_bytes())
    assert (status, answer["problems"][0]["name"]) == (400, "log")


def test_names_of_players_are_kept_if_asked_for(server: Server) -> None:
    """Of one log, of several in one text, and of several files."""
    one, two = (gzip.decompress((SAMPLES / f"{name}.json.gz").read_bytes()).strip()
                for name in ("azul_coloured_2p", "summer_grey_4p_undo"))
    files = f"&file=a&size={len(one)}&file=b&size={len(two)}"
    players = ["Player A", "Player B", "Player C", "Player D"]
    for body, query, seats in ((one, "", [2]), (one + b"\n" + two, "", [2, 4]),
                               (one + two, files, [2, 4])):
        for names in (0, 1):
            status, _, answer = server.request("POST", f"/import?names={names}{query}", body)
            records = json.loads(answer)["records"]
            assert (status, [len(record["agents"]) for record in records]) == (200, seats)
            for record in records:
                found = {agent.get("name", "") for agent in record["agents"]}
                assert (found == set(players[:len(found)])) == bool(names)


@pytest.mark.parametrize("name", ["azul_coloured_2p", "summer_coloured_2p.gamedatas"])
@pytest.mark.parametrize("end", [1000, -1000])
def test_a_log_or_page_that_is_cut_off_is_called_that(name: str, end: int) -> None:
    text = gzip.decompress((SAMPLES / f"{name}.json.gz").read_bytes())
    with pytest.raises(LogError, match="the file ends in the middle of its JSON; save it again"):
        read_import(text[:end])


def test_a_long_log_that_is_cut_off_is_called_that() -> None:
    text = gzip.decompress((SAMPLES / "summer_grey_4p_undo.json.gz").read_bytes())[:-100]
    assert len(text) > 200_000
    with pytest.raises(LogError, match="the file ends in the middle of its JSON; save it again"):
        read_import(text)
    with pytest.raises(PositionError, match="found no valid JSON"):
        read_import(json.dumps(to_json(position_of(PLACING))).encode()[:-1])


def test_an_answer_with_nothing_but_problems_is_a_refusal(server: Server) -> None:
    code = format_position(position_of(PLACING), "code").encode()
    limit = json.dumps({"status": "0", "error": "limit"})
    for body, query, count in ((packed(("a", b"nonsense")), "", 1),
                               (f"{limit}\n{limit}\n".encode(), "", 2),
                               (b"nonsense" * 2, "?file=a&size=8&file=b&size=8", 2)):
        status, _, answer = server.request("POST", f"/import{query}", body)
        problems = json.loads(answer)
        assert (status, set(problems), len(problems["problems"])) == (400, {"problems"}, count)
    query = f"?file=a&size=8&file=b&size={len(code)}"
    status, _, answer = server.request("POST", f"/import{query}", b"nonsense" + code)
    found = json.loads(answer)
    assert (status, len(found["positions"]), len(found["problems"])) == (200, 1, 1)


def test_files_in_other_encodings_are_imported(server: Server) -> None:
    """As the commands read them; what is not UTF-8 is read as Latin-1 and said so."""
    record = json.loads(RECORDS.splitlines()[0])
    record["agents"][0]["name"] = "Zoë Müller"
    text = json.dumps(record, ensure_ascii=False)
    wanted = server.imported(text)[1]
    assert wanted["records"] == [record]
    for content in (text.encode("utf-16"), text.encode("utf-8-sig"), text.encode("utf-16-le"),
                    gzip.compress(text.encode()), gzip.compress(text.encode("utf-16"))):
        assert server.imported(content) == (200, wanted)
    status, answer = server.imported(text.encode("latin-1"))
    assert (status, answer["records"]) == (200, [record])
    assert answer["notes"] == ["the text is not UTF-8, read as Latin-1"]
    page = gzip.decompress((SAMPLES / "azul_grey_2p.replay.html.gz").read_bytes()).decode().replace(
        "Player A", "Jos\xe9").replace("<head>", "<head><meta charset=iso-8859-1>")
    status, answer = server.imported(page.encode("latin-1"))
    assert answer["notes"][:2] == [
        "the text is not UTF-8, read as iso-8859-1", "seat 0 is 'Jos\xe9'"]
    for content in (gzip.compress(text.encode())[:60], b"PK\x03\x04abc", b"\x89PNG\r\n\x1a\n\0\xff",
                    gzip.compress(bytes(17 << 20))):
        status, answer = server.imported(content)
        assert (status, answer["problems"][0]["name"]) == (400, "syntax")


def test_a_lost_interrupt_still_ends_as_interrupted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(server._Server, "run", lambda *_, **__: None)  # ends without a word
    with pytest.raises(KeyboardInterrupt):
        server.serve("127.0.0.1", 0, threads=1, folder=tmp_path, solo=tmp_path, reviews=tmp_path,
                     on_ready=lambda _: None)


def test_it_ends_quietly_beside_an_upload_that_does_not_come(tmp_path: Path) -> None:
    with serving(tmp_path) as own:
        host, port = own.address.hostname, own.address.port
        with socket.create_connection((host, port), PATIENCE) as upload:
            upload.sendall(f"POST /import HTTP/1.1\r\nHost: {host}:{port}\r\n"
                           "Content-Length: 99999999999\r\n\r\nx".encode())
            assert own.request("GET", "/")[0] == 200
            assert own.end() == (130, "", "")


def test_an_upload_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never() -> dict[str, object]:
        await asyncio.sleep(60)
        return {}

    monkeypatch.setattr(server, "BODY_SECONDS", 0.01)
    imports = server._Imports()
    request = Request({"type": "http", "method": "POST", "headers": []}, never)
    with pytest.raises((TimeoutError, asyncio.TimeoutError)):
        asyncio.run(imports.read(request))
    assert not imports._bodies


def upload(*parts: bytes) -> Request:
    """Return a request whose body comes so far, and no further."""
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]

    async def receive() -> Message:
        if messages:
            return messages.pop(0)
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    return Request({"type": "http", "method": "POST", "query_string": b"", "headers": []}, receive)


def whole(body: bytes, *, stays: bool = True) -> Request:
    """Return a request whose body comes; its client waits for the answer, or leaves."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if not messages and stays:
            await asyncio.sleep(60)
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    return Request({"type": "http", "method": "POST", "query_string": b"", "headers": []}, receive)


def test_uploads_that_stall_hold_up_nobody() -> None:
    async def imported() -> dict[str, Any]:
        imports = server._Imports()
        stalled = [asyncio.ensure_future(imports.read(upload(b"{"))) for _ in range(20)]
        await asyncio.sleep(0)
        answer = await asyncio.wait_for(imports.read(whole(PLACING.read_bytes())), PATIENCE)
        imports.end()
        told = await asyncio.gather(*stalled, return_exceptions=True)
        assert {type(one) for one in told} == {asyncio.CancelledError}
        return answer

    assert len(asyncio.run(imported())["positions"]) == 1


def test_of_bodies_that_are_too_long_together_the_longest_is_dropped(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_HELD_BYTES", 10_000)

    async def imported() -> dict[str, Any]:
        imports = server._Imports()
        long, short = (asyncio.ensure_future(imports.read(upload(bytes(size))))
                       for size in (7000, 2000))
        await asyncio.sleep(0.1)
        code = format_position(position_of(PLACING), "code").encode()
        answer = await asyncio.wait_for(imports.read(whole(code + b" " * 2000)), PATIENCE)
        with pytest.raises(asyncio.CancelledError):
            await long
        assert not short.done()
        imports.end()
        await asyncio.gather(short, return_exceptions=True)
        return answer

    assert len(asyncio.run(imported())["positions"]) == 1


def test_few_imports_are_read_at_a_time_and_none_for_nobody(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of requests and of sockets together; who leaves waits no longer."""
    begun, goes_on, closed = list[str](), threading.Event(), threading.Event()

    def read(content: bytes, **_: Any) -> dict[str, Any]:
        begun.append(content.decode())
        goes_on.wait(PATIENCE)
        return {}

    monkeypatch.setattr(server, "read_import", read)
    monkeypatch.setattr(server, "import_text", lambda request: read(request["text"].encode()))

    async def imported() -> None:
        imports = server._Imports()
        action = imports.action(closed)
        first = [asyncio.ensure_future(imports.read(whole(b"a"))),
                 asyncio.ensure_future(asyncio.to_thread(action, {"text": "b"}))]
        while len(begun) < 2:
            await asyncio.sleep(0.01)
        waits = asyncio.ensure_future(asyncio.to_thread(action, {"text": "c"}))
        with pytest.raises(ClientDisconnect):
            await imports.read(whole(b"d", stays=False))
        assert not waits.done()
        closed.set()
        with pytest.raises(BadRequest, match="nobody waits"):
            await waits
        goes_on.set()
        await asyncio.gather(*first)

    asyncio.run(imported())
    assert sorted(begun) == ["a", "b"]


@pytest.mark.parametrize("content", [
    [("a.txt", b"a"), ("b.txt", b"b")], packed(("a.txt", b"a"), ("b.txt", b"b"))])
def test_files_that_nobody_waits_for_are_not_read(
    content: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = list[bytes]()

    def read(content: bytes, room: object) -> tuple[str, list[str]]:
        decoded.append(content)
        return content.decode(), []

    monkeypatch.setattr(intake, "_decoded", read)
    reader = read_import if isinstance(content, bytes) else read_imports
    with pytest.raises(BadRequest, match="nobody waits"):
        reader(content, left=lambda: bool(decoded))
    assert decoded == [b"a"]


def test_an_import_in_hand_does_not_hold_up_the_end() -> None:
    begun, goes_on = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def work() -> dict[str, object]:
        threads.append(threading.current_thread())
        begun.set()
        goes_on.wait()
        return {}

    async def ended() -> None:
        task = asyncio.ensure_future(server._aside(work))
        while not begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(ended())
    goes_on.set()
    (thread,) = threads
    thread.join()
    assert thread.daemon
