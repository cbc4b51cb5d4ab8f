"""The socket of the engine: the protocol, shared room, floods, closed sockets, saved games."""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.websockets import WebSocketState
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from pavilion_ai import network
from pavilion_ai.files import LockedFile, dated, replace_file
from pavilion_ai.games import rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.protocol import Engine, actions
from pavilion_ai.protocol.agents import Agents
from pavilion_ai.protocol.capacity import Capacity
from pavilion_ai.protocol.fields import BadRequest
from pavilion_ai.review import Judge, Judgement, review_game
from pavilion_ai.solo import PERSON, SoloGames
from pavilion_ai.web import socket as web_socket
from pavilion_ai.web.parts import READ_BYTES, Sockets
from pavilion_ai.web.reviews import KeptReviews
from pavilion_ai.web.saved import LOCK, SavedGames, check_stamp
from pavilion_ai.web.solo import Solo
from tests.bga.samples import sample
from tests.cli.support import (
    AZUL_WALL,
    BONUS,
    COMPLETE_EXAMPLES,
    DRAFTING,
    EXAMPLES,
    PLACING,
    RECORD,
    assert_clean,
    cut_short,
    pavilion,
    position_of,
)
from tests.match.support import wait_until
from tests.search.networks import network_file
from tests.soak.usage import processor_seconds, usage_of
from tests.web.support import PATIENCE, Server, Socket, denied, serving

POSITION = PLACING.read_text()
LONG = 600  # seconds: until stopped


def processor_time(server: Server) -> float:
    """Return the seconds of processor time that a server has used."""
    return processor_seconds(server.process.pid)


def becomes_idle(server: Server) -> bool:
    """Tell whether the server stops using its processors within a few seconds."""
    for _ in range(20):
        before = processor_time(server)
        time.sleep(0.25)
        if processor_time(server) - before < 0.05:
            return True
    return False


# -- the protocol ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", COMPLETE_EXAMPLES, ids=lambda path: path.name)
def test_moves_are_described(server: Server, path: Path) -> None:
    position = position_of(path)
    with server.socket() as client:
        answer = client.ask("moves", position=path.read_text(), describe=True)
        picture = client.ask("show", position=path.read_text(), format="svg")["text"]
    assert answer["moves"] == rules_of(position).legal_moves(position)
    assert [one["move"] for one in answer["described"]] == answer["moves"]
    for one in answer["described"]:
        assert one["words"]
        for step in one["steps"]:
            assert f'data-at="{step["place"]}"' in picture or step["place"] == "hand", one
    clicks = [json.dumps([one["kind"], one["steps"]]) for one in answer["described"]]
    assert len(set(clicks)) == len(clicks)  # no two moves are made by the same clicks


def test_the_picture_shows_names_and_columns(server: Server) -> None:
    with server.socket() as client:
        wide = client.ask("show", position=POSITION, format="svg", names=["<b>&", "two"])["text"]
        tall = client.ask("show", position=POSITION, format="svg", columns=1)["text"]
        refused = client.ask("show", position=POSITION, format="svg", names=["one"])
    assert "&lt;b&gt;&amp;" in wide
    assert "<b>" not in wide
    width, height = (float(wide.split(f'{key}="')[1].split('"')[0]) for key in ("width", "height"))
    assert float(tall.split('width="')[1].split('"')[0]) < width
    assert float(tall.split('height="')[1].split('"')[0]) > height
    assert refused["field"] == "names"


def test_a_game_is_replayed(server: Server) -> None:
    record = json.loads((PLACING.parent / "game_2p.jsonl").read_text().splitlines()[0])
    with server.socket() as client:
        answer = client.ask("replay", position=record["start"], moves=record["moves"])
        refused = client.ask("replay", position=record["start"], moves=[*record["moves"], "D1:P"])
    assert [ply["move"] for ply in answer["plies"]] == record["moves"]
    assert answer["plies"][-1]["scores"] == record["scores"]
    assert refused["error"].startswith(f"moves: move {len(record['moves']) + 1}: D1:P is not legal")


def test_a_game_is_reviewed(server: Server) -> None:
    record = cut_short(RECORD, 12)
    with server.socket() as client:
        number = client.send("review", record=record.to_json(), sims=50, seed=3)
        answers = [client.read()]
        while answers[-1]["final"] is False:
            answers.append(client.read())
        refused = client.ask("review", record={"id": 3})
        stopped = client.send("review", record=record.to_json(), seconds=LONG)
        client.send("stop", target=stopped)
        while (last := client.read())["id"] != stopped:
            pass
    assert {answer["id"] for answer in answers} == {number}
    expected = review_game(record, Judge("default", Limits(sims=50), 3)).to_json()
    assert sorted(answer["decision"]["ply"] for answer in answers[:-1]) == [
        decision["ply"] for decision in expected["decisions"]]
    timeless = {key: answers[-1][key] for key in ("decisions", "seats", "draws", "complete")}
    assert timeless == {key: json.loads(json.dumps(expected[key])) for key in timeless}
    assert refused["field"] == "record"
    assert last["complete"] is False


@pytest.mark.parametrize("agent", ["cmd:sh -c 'touch x'", "ismcts:net=0", "ismcts:net=/etc/passwd",
                                   "policy:net=1", "ismcts:memory=100000", "no such agent"])
def test_no_programs_files_or_much_memory_for_guests(server: Server, agent: str) -> None:
    with server.socket() as client:
        for action in ("analyse", "choose", "review"):
            answer = client.ask(action, position=POSITION, agent=agent, sims=10)
            assert (set(answer), answer["field"]) == ({"id", "error", "field"}, "agent")


# -- shared room -----------------------------------------------------------------------------


def begin(client: Socket) -> int:
    """Begin a search with all threads; return its id once it runs."""
    number = client.send("analyse", position=POSITION, seconds=LONG, threads=2, report_every=0.1)
    assert "moves" in client.read()
    return number


def test_threads_are_shared(server: Server) -> None:
    with server.socket() as first, server.socket() as second:
        alone = first.ask("analyse", position=POSITION, sims=100, threads=256)
        assert alone["threads"] == 2
        assert "waited" not in alone
        running = begin(first)
        waiting = second.send("analyse", position=POSITION, sims=100)
        assert second.read() == {"id": waiting, "waiting": 0, "final": False}
        behind = second.send("choose", position=POSITION)
        assert second.read() == {"id": behind, "waiting": 1, "final": False}
        assert "position" in second.ask("show", position=POSITION)  # others are answered
        first.send("stop", target=running)
        told: dict[int, list[int | None]] = {waiting: [], behind: []}
        while told:
            answer = second.read()
            if answer.get("final") is False:
                told[answer["id"]].append(answer["waiting"])
            else:
                assert told.pop(answer["id"])[-1] is None  # it has begun
                assert answer["waited"] > 0  # seconds


def test_who_waits_can_be_stopped(server: Server) -> None:
    with server.socket() as first, server.socket() as second:
        running = begin(first)
        waiting = second.send("analyse", position=POSITION, seconds=LONG)
        assert second.read()["waiting"] == 0
        second.send("stop", target=waiting)
        answers = [second.read(), second.read()]
        assert any(answer["id"] == waiting and answer["final"] for answer in answers)
        first.send("stop", target=running)


def test_a_closed_socket_ends_its_searches(server: Server) -> None:
    assert becomes_idle(server)
    with server.socket() as client:
        for _ in range(5):
            client.send("analyse", position=POSITION, seconds=LONG, report_every=0.1, threads=2)
        client.read()
    with server.socket() as client:  # while one of them ran this would wait for it
        client.ask("analyse", position=POSITION, sims=50, threads=2)
    assert becomes_idle(server)


def test_answers_come_quickly_beside_searches(server: Server) -> None:
    with server.socket() as busy, server.socket() as client:
        def median_seconds() -> float:
            times = []
            for _ in range(21):
                began = time.monotonic()
                client.ask("apply", position=DRAFTING.read_text(), moves=["C:P"], seed=1)
                times.append(time.monotonic() - began)
            return sorted(times)[10]

        alone = median_seconds()
        running = [busy.send("analyse", position=POSITION, seconds=LONG) for _ in range(2)]
        beside = median_seconds()
        for target in running:
            busy.ask("stop", target=target)
    assert beside < 0.1 + 5 * alone  # which is long only on a busy machine


# -- clients that misbehave ------------------------------------------------------------------


def test_nonsense_is_answered(server: Server) -> None:
    chance = random.Random(5)
    values: list[Any] = [None, 1, -1, "x", [], {}, True, 1e9, "D1:P", POSITION, ["D1:P"], "\ud800"]
    keys = ["position", "moves", "game", "seed", "format", "names", "columns", "describe", "start",
            "agents", "threads", "sims", "agent", "depth", "target", "past", "resigned", "record",
            "dark", "first", "lines", "people", "number", "board", "players", "text", "name",
            "place", "taken"]
    actions = ["hello", "new", "show", "moves", "apply", "replay", "perft", "analyse", "choose",
               "stop", "save", "saved", "open", "remove", "review", "none", "import", "outlook",
               "explain", "puzzles", "puzzle", "mistakes", "mistake", "sketch", "view", "why"]
    with server.socket() as client:
        for _ in range(600):
            request = {key: chance.choice(values) for key in chance.sample(keys, 5)}
            answer = client.ask(chance.choice(actions), **{"sims": 2, "depth": 1, **request})
            assert "internal error" not in answer.get("error", ""), request
        for raw in ("", "x", "[]", "{}", '{"id": {}}', b"\xff", "[" * 50_000, "1" * 10_000):
            client.connection.send(raw)
        assert client.ask("hello")["protocol"] == 1


@pytest.mark.parametrize("raw", ["", " \n", b""])
def test_an_empty_message_is_answered(server: Server, raw: str | bytes) -> None:
    with server.socket() as client:
        client.connection.send(raw)
        answer = client.read()
        assert (answer["id"], answer["field"]) == (None, "")
        assert answer["error"].startswith("not JSON: ")


def test_a_message_that_is_too_long_is_answered(server: Server) -> None:
    with server.socket() as client:
        client.connection.send("x" * ((4 << 20) + 1))
        assert "longer than" in client.read()["error"]
    with pytest.raises(ConnectionClosed), server.socket() as client:
        client.connection.send("x" * (20 << 20))


def test_messages_are_not_packed(server: Server) -> None:
    """Of packed ones 74 kB took 336 MB."""
    with connect(f"ws://{server.address.netloc}/engine", compression="deflate") as client:
        assert client.response is not None
        assert "Sec-WebSocket-Extensions" not in client.response.headers


def flood(client: Socket) -> None:
    """Send as much as goes without reading anything."""
    for number in range(20_000):
        client.connection.send(json.dumps(
            {"id": number, "action": "show", "position": POSITION, "format": "svg"}))


def test_a_flood_does_not_hold_up_the_others(server: Server) -> None:
    import threading

    def attack() -> None:
        try:
            with server.socket() as client:
                flood(client)
        except (ConnectionClosed, OSError, TimeoutError):
            pass

    with server.socket() as client:
        began = time.monotonic()
        client.ask("hello")
        alone = time.monotonic() - began
    attackers = [threading.Thread(target=attack, daemon=True) for _ in range(3)]
    for attacker in attackers:
        attacker.start()
    time.sleep(1)
    with server.socket() as client:
        began = time.monotonic()
        assert client.ask("hello")["protocol"] == 1
        assert time.monotonic() - began < 2 + 20 * alone
    memory = int(Path(f"/proc/{server.process.pid}/statm").read_text().split()[1])
    assert memory * os.sysconf("SC_PAGE_SIZE") < 1 << 30


# -- saved games -----------------------------------------------------------------------------


def test_answers_that_were_taken_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_socket, "MAX_UNSENT_BYTES", 100)

    async def talk() -> None:
        answers = web_socket._Answers(asyncio.get_running_loop())
        try:
            for letter in "abcdefgh":
                write = asyncio.to_thread(answers.write, f"{letter * 60}\n".encode())
                await asyncio.wait_for(write, PATIENCE)
                assert await answers.next() == letter * 60
        finally:
            answers.end()

    asyncio.run(talk())


def test_games_survive_the_server(tmp_path: Path) -> None:
    start = to_json(position_of(BONUS))
    moves: list[str] = []
    with serving(tmp_path) as server, server.socket() as client:
        position = start
        for number in range(3):
            answer = client.ask("apply", position=position, seed=number,
                                moves=client.ask("moves", position=position)["moves"][:1])
            moves += answer["played"]
            position = answer["position"]
            saved = client.ask("save", game="game-1", start=start, moves=moves, seed=3,
                               agents=["human", "default:level=3"])
            assert saved["saved"] == "game-1"
        client.ask("save", game="game-0", start=start, moves=[], agents=["human", "human"])
        server.process.kill()
    with serving(tmp_path) as server, server.socket() as client:
        listed = client.ask("saved")["games"]
        assert [(game["id"], game["moves"]) for game in listed] == [("game-1", len(moves))]
        record = client.ask("open", game="game-1")["record"]
        assert client.ask("open", game="game-0")["record"]["moves"] == []  # though it is not listed
    assert (record["start"], record["moves"], record["reason"]) == (start, moves, "unfinished")
    assert [agent["spec"] for agent in record["agents"]] == ["human", "default:level=3"]


def test_a_move_that_was_sent_is_kept_though_its_page_has_left(tmp_path: Path) -> None:
    """It was lost when the page was reloaded before the server had come to it."""
    left, others = threading.Event(), list[object]()

    def other(request: Any) -> dict[str, Any]:
        others.append(request)
        return {}

    more = {**SavedGames(tmp_path).actions(), "other": other,
            "slow": lambda request: {"in time": left.wait(PATIENCE)}}
    play = Play(position_of(DRAFTING))
    play.push(play.legal_moves[0])
    requests: list[Any] = [
        {"action": "slow"}, {"action": "other"}, {"action": ["save"]},
        {"action": "save", "game": "g", "start": to_json(play.start), "moves": play.moves,
         "agents": ["human", "human"], "seed": 1}]
    messages = [{"type": "websocket.receive", "text": json.dumps({"id": number, **request})}
                for number, request in enumerate(requests)]
    messages.append({"type": "websocket.disconnect"})

    async def receive() -> Any:
        return messages.pop(0)

    page: Any = SimpleNamespace(receive=receive, application_state=WebSocketState.DISCONNECTED)
    asyncio.run(web_socket.run_engine(page, Capacity(1), more, KeptReviews(tmp_path),
                                      threading.Event()))
    left.set()
    wait_until((tmp_path / "g.jsonl").exists, "the move is lost", PATIENCE)
    assert json.loads((tmp_path / "g.jsonl").read_text())["moves"] == list(play.moves)
    assert not others  # nobody waits for its answer


def test_a_socket_is_one_client_in_all_that_it_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The opponents of a game for one took turns with the searches of their own page."""
    clients, closed = list[object](), threading.Event()
    room = Capacity.room

    def asked(self: Capacity, request: Any, stop: Any, on_wait: Any, who: Any, *rest: Any) -> Any:
        clients.append(who)
        return room(self, request, stop, on_wait, who, *rest)

    monkeypatch.setattr(Capacity, "room", asked)
    capacity = Capacity(1)
    solo = Solo(SoloGames(tmp_path), capacity).actions(closed)
    challenge = {"game": "azul", "board": "coloured", "players": 2, "level": 1}
    seed = next(seed for seed in range(99)
                if solo["solo"]({**challenge, "seed": seed})["start"]["to_move"] != PERSON)
    requests = [{"action": "choose", "position": POSITION, "agent": "default:sims=1"},
                {"action": "solo_move", **challenge, "seed": seed, "moves": []}]
    messages = [{"type": "websocket.receive", "text": json.dumps({"id": number, **request})}
                for number, request in enumerate(requests)]

    async def receive() -> Any:
        while not messages and len(clients) < 2:
            await asyncio.sleep(0.01)
        return messages.pop(0) if messages else {"type": "websocket.disconnect"}

    async def send_text(_: str) -> None:
        pass

    page: Any = SimpleNamespace(receive=receive, send_text=send_text,
                                application_state=WebSocketState.DISCONNECTED)
    asyncio.run(asyncio.wait_for(web_socket.run_engine(
        page, capacity, solo, KeptReviews(tmp_path), closed), PATIENCE))
    assert clients == [closed, closed]


def test_games_in_which_nobody_has_moved_make_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every new game is one at first."""
    monkeypatch.setattr("pavilion_ai.web.saved.MAX_GAMES", 4)
    actions, start = SavedGames(tmp_path).actions(), Play(parse_position(POSITION).position)
    move = start.legal_moves[0]

    def save(name: str, *moves: str, **rest: Any) -> None:
        actions["save"]({"game": name, "start": POSITION, "agents": ["human"] * 2,
                         "moves": [*moves], **rest})
        os.utime(tmp_path / f"{name}.jsonl", (len(seen), len(seen)))
        seen.append(name)

    seen: list[str] = []
    for name, moves in (("a", [move]), ("b", []), ("c", [])):
        save(name, *moves)
    save("d", resigned=0)
    save("e")
    save("f", move)
    save("f", move)  # which is there already
    assert sorted(path.stem for path in tmp_path.glob("*.jsonl")) == ["a", "d", "e", "f"]
    save("g", move)
    full = f"4 games are saved already; remove some from the folder {tmp_path}"
    with pytest.raises(BadRequest, match=f"^{re.escape(full)}$"):
        save("h", move)
    assert sorted(path.stem for path in tmp_path.glob("*.jsonl")) == ["a", "d", "f", "g"]
    (tmp_path / "f.jsonl").write_text("no game of ours")
    with pytest.raises(BadRequest, match="4 games are saved already"):
        save("h", move)
    (tmp_path / "f.jsonl").unlink()
    (tmp_path / "f.jsonl").symlink_to(tmp_path / "gone")
    save("a")  # as it was at first
    save("h", move)
    assert sorted(path.stem for path in tmp_path.glob("*.jsonl")) == ["d", "f", "g", "h"]
    assert [game["id"] for game in actions["saved"]({})["games"]] == ["h", "g", "d"]
    monkeypatch.setattr("pavilion_ai.web.saved.MAX_GAMES", 2)  # fewer than there are
    save("h")
    save("i", move)
    assert sorted(path.stem for path in tmp_path.glob("*.jsonl")) == ["d", "f", "g", "i"]


def test_the_latest_games_are_listed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.web.saved.LISTED", 2)
    actions = SavedGames(tmp_path).actions()
    for name, age in (("b", 2), ("a", 1), ("c", 3)):
        actions["save"]({"game": name, "start": POSITION, "agents": ["human"] * 2, "moves": [],
                         "resigned": 0})
        os.utime(tmp_path / f"{name}.jsonl", (100 - age, 100 - age))
    games = actions["saved"]({})["games"]
    assert [game["id"] for game in games] == ["a", "b"]
    for name in ("Club_Final", "x" * 41):  # which the page cannot open
        (tmp_path / f"{name}.jsonl").write_bytes((tmp_path / "a.jsonl").read_bytes())
    assert actions["saved"]({})["games"] == games


def test_a_saved_game_that_is_damaged_is_named(tmp_path: Path) -> None:
    opened = SavedGames(tmp_path).actions()["open"]
    for content, said in (("", "x.jsonl: holds no game"), ("{}\n{}", "x.jsonl, line 1: found a "),
                          ("none", "x.jsonl, line 1: not a game record")):
        (tmp_path / "x.jsonl").write_text(content)
        with pytest.raises(BadRequest, match=f"^game: {said}") as caught:
            opened({"game": "x"})
        assert caught.value.field == "game"


def test_games_from_one_position_keep_their_seeds(tmp_path: Path) -> None:
    actions = SavedGames(tmp_path).actions()
    for seed in (3, 4):
        actions["save"]({"game": f"{seed}", "start": POSITION, "agents": ["human"] * 2,
                         "moves": [], "seed": seed})
    assert [actions["open"]({"game": f"{seed}"})["record"]["seed"] for seed in (3, 4)] == [3, 4]


def test_a_saved_game_is_removed(tmp_path: Path) -> None:
    actions = SavedGames(tmp_path).actions()
    play = Play(position_of(DRAFTING))
    for name in ("a", "b"):
        actions["save"]({"game": name, "start": to_json(play.start), "agents": ["human"] * 2,
                         "moves": [play.legal_moves[0]]})
    assert actions["remove"]({"game": "a"}) == {"removed": "a"}
    assert [game["id"] for game in actions["saved"]({})["games"]] == ["b"]
    (tmp_path.parent / "c.jsonl").write_text("another's")
    for name, expected in (("a", "the name of a saved game"), ("../c", "a name of at most 40")):
        with pytest.raises(BadRequest, match=expected) as refused:
            actions["remove"]({"game": name})
        assert refused.value.field == "game"
    assert (tmp_path.parent / "c.jsonl").exists()
    (tmp_path / "d.jsonl").mkdir()
    with pytest.raises(BadRequest, match="cannot remove it: "):
        actions["remove"]({"game": "d"})


def test_a_game_that_went_on_elsewhere_is_not_replaced(server: Server) -> None:
    with server.socket() as client:
        first, second, *_ = client.ask("moves", position=POSITION)["moves"]

        def save(stamp: str | None, *moves: str, **rest: Any) -> Any:
            known = {} if stamp is None else {"stamp": stamp}
            return client.ask("save", game="tabs", start=POSITION, moves=moves,
                              agents=["human", "human"], **known, **rest)

        new = save("")["stamp"]
        one = save(new, first)["stamp"]
        assert client.ask("open", game="tabs")["stamp"] == one != new
        for stamp in ("", new, "x"):
            assert save(stamp, second)["field"] == save(stamp)["field"] == "stamp"
            assert save(stamp, first)["stamp"] == one  # nothing is lost by that
        assert save(one)["stamp"] == new  # the move is taken back
        given_up = save(new, resigned=0)["stamp"]
        assert save(new, first)["field"] == "stamp"
        assert save(None, second)["saved"] == "tabs"  # who does not ask replaces it
        assert save(given_up, first)["field"] == "stamp"
        assert client.ask("open", game="tabs")["record"]["moves"] == [second]
        client.ask("remove", game="tabs")
        assert "anew" not in save("")
        client.ask("remove", game="tabs")
        assert save(new, first)["anew"] is True
        assert "anew" not in save(one)


@pytest.mark.parametrize("servers", [1, 2])
def test_of_two_tabs_that_save_at_once_one_is_refused(
    servers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever comes later: it knows nothing of the moves that it would replace."""
    saved = [SavedGames(tmp_path).actions() for _ in range(servers)]
    meeting = threading.Barrier(2)  # where both come only if both may write

    def check(*known: Any) -> None:
        check_stamp(*known)
        with suppress(threading.BrokenBarrierError):
            meeting.wait(0.1)

    def save(actions: Mapping[str, Any], move: str) -> Any:
        actions["save"]({"game": "g", "start": POSITION, "moves": [move], "stamp": "",
                         "agents": ["human"] * 2})
        return move

    monkeypatch.setattr("pavilion_ai.web.saved.check_stamp", check)
    moves = Play(parse_position(POSITION).position).legal_moves[:2]
    with ThreadPoolExecutor(2) as pool:
        tabs = [pool.submit(save, saved[-number], move) for number, move in enumerate(moves)]
    (refused,) = filter(None, (tab.exception() for tab in tabs))
    assert str(refused) == "this game was continued elsewhere"
    (kept,) = (tab.result() for tab in tabs if tab.exception() is None)
    assert saved[0]["open"]({"game": "g"})["record"]["moves"] == [kept]


def test_a_server_that_does_not_end_its_save_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pavilion_ai.web.saved.LOCK_SECONDS", 0.1)
    save = SavedGames(tmp_path).actions()["save"]
    game = {"game": "g", "start": POSITION, "moves": [], "agents": ["human"] * 2}
    with LockedFile(tmp_path / LOCK, "a") as other:
        assert other.lock()
        with pytest.raises(BadRequest, match="another server is changing the saved games"):
            save(game)
    assert save(game)["saved"] == "g"


def test_a_game_that_cannot_be_read_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = SavedGames(tmp_path).actions()["save"]
    game = {"game": "g", "start": POSITION, "moves": [], "agents": ["human"] * 2, "stamp": ""}
    save(game)
    before = (tmp_path / "g.jsonl").read_text()
    monkeypatch.setattr(Path, "read_bytes", denied)
    with pytest.raises(BadRequest, match="cannot save: Permission denied"):
        save({**game, "resigned": 0})
    assert (tmp_path / "g.jsonl").read_text() == before


@pytest.mark.parametrize("name", ["../x", "", "a/b", "A", "x" * 41, ".x", None, 3])
def test_games_stay_in_their_folder(server: Server, name: object) -> None:
    with server.socket() as client:
        for action in ("save", "open"):
            answer = client.ask(action, game=name, start=POSITION, moves=[],
                                agents=["human", "human"])
            assert answer["field"] == "game"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Not as a fault of the program."""
    (tmp_path / "file").write_text("no folder")
    start = Play.new(seed=1).code()
    for folder in (tmp_path / "file", tmp_path / "file" / "games"):
        save = SavedGames(folder).actions()["save"]
        with pytest.raises(BadRequest, match=r"cannot save: (Not a directory|File exists)"):
            save({"game": "one", "agents": ["human"] * 2, "start": start, "moves": []})


def test_unsound_games_are_not_saved(server: Server) -> None:
    good = {"game": "x", "start": POSITION, "moves": [], "agents": ["human", "human"]}
    changes: list[tuple[str, dict[str, Any]]] = [
        ("moves", {"moves": ["D1:P"]}), ("agents", {"agents": ["human"]}),
        ("start", {"start": None}), ("position", {"start": "x"}), ("resigned", {"resigned": 2}),
        ("seconds", {"seconds": [1.0]})]
    with server.socket() as client:
        for field, change in changes:
            assert client.ask("save", **{**good, **change})["field"] == field
        (first, *_) = client.ask("moves", position=POSITION)["moves"]
        refused = client.ask("save", **{**good, "moves": [first, "D9:P"]})
        assert refused["error"].startswith("moves: move 2: D9:P is not legal")
        assert client.ask("open", game="x")["field"] == "game"
        assert client.ask("save", **good)["saved"] == "x"


def test_a_game_that_was_given_up_is_kept_as_play_keeps_it(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    assert_clean(pavilion("play", "--seats", "human,greedy", "--seed", 1, "--record", path,
                          stdin="1\nresign\nyes\n"))
    kept = json.loads(path.read_text())
    with server.socket() as client:
        client.ask("save", game="given-up", resigned=0, seconds=[0, 1.5],
                   agents=[agent["spec"] for agent in kept["agents"]],
                   **{key: kept[key] for key in ("start", "moves", "seed")})
        record = client.ask("open", game="given-up")["record"]
    assert kept["winners"] == [1]
    assert record == {**kept, "id": "given-up", "seconds": [0.0, 1.5]}


def test_positions_of_both_games_are_shown_as_pictures(server: Server) -> None:
    with server.socket() as client:
        ask: Callable[..., Any] = client.ask
        picture = ask("show", position=AZUL_WALL.read_text(), format="svg")["text"]
    assert picture.startswith("<svg")
    assert parse_position(AZUL_WALL.read_text()).position.game == "azul"


def test_imports_over_the_socket_are_those_of_the_server(server: Server) -> None:
    for text in (POSITION, (EXAMPLES / "game_2p.jsonl").read_text(), "nonsense", ""):
        with server.socket() as client:
            answer = client.ask("import", text=text)
        del answer["id"]
        assert answer == server.imported(text)[1]
    log = sample("azul_coloured_2p.json")
    with server.socket() as client:
        answer = client.ask("import", text=log, names=True)
    del answer["id"]
    assert answer == json.loads(server.request("POST", "/import?names=1", log.encode())[2])


def test_what_closed_sockets_leave_is_collected_soon_and_seldom(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python looks for such garbage too seldom: 60 sockets that broke off left 110 MB each time."""
    collected, later, closed = list[int](), list[Callable[[], None]](), 0
    loop = SimpleNamespace(call_later=lambda seconds, work: later.append(work))
    monkeypatch.setattr(web_socket.gc, "collect", lambda: collected.append(closed))
    monkeypatch.setattr(web_socket.asyncio, "get_running_loop", lambda: loop)
    garbage = web_socket.Garbage()
    for number, again in ((1, 0), (20, 1), (1, 0)):  # the last may not be closed by the first time
        for _ in range(number):
            closed += 1
            garbage.left()
        collected.clear()
        for left in range(again, -1, -1):
            (collect,) = later
            later.clear()
            collect()
            assert len(later) == left
        assert collected == [closed] * (1 + again)


@pytest.mark.skipif(sys.platform != "linux", reason="tells one arena by a variable of glibc")
def test_what_sockets_that_break_off_leave_is_collected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server holds 40 to 65 MiB then; without the collector 155 to 180.

    In one arena: each thread's own keeps free memory of its own, up to 40 MiB in all.
    """
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    with serving(tmp_path) as server:
        for _ in range(6):
            for _ in range(10):
                with server.socket() as page:
                    page.connection.send("x" * 4_000_000)
                    page.connection.socket.shutdown(socket.SHUT_RDWR)
            time.sleep(2 * web_socket.CLOSE_SECONDS + 0.5)
        assert server.request("GET", "/")[0] == 200
        wait_until(lambda: usage_of(server.process.pid)["KiB"] < 110 << 10, "what sockets left")


# -- reviews that are kept -------------------------------------------------------------------


def reviewed(socket: Socket, **asked: Any) -> tuple[list[Any], Any]:
    """Review a game; return what came before the last answer, and the last answer."""
    number = socket.send("review", **asked)
    answers: list[Any] = []
    while not answers or answers[-1].get("final") is False:
        answers.append(socket.read())
        assert answers[-1]["id"] == number
    *before, last = answers
    del last["id"]
    return before, last


def test_a_finished_review_is_not_made_again(tmp_path: Path) -> None:
    """Of the same record with the same settings; also by another server."""
    record = cut_short(RECORD, 12).to_json()
    with serving(tmp_path) as server, server.socket() as socket:
        judged, found = reviewed(socket, record=record, seconds=0.01)
        assert len(judged) == len(found["decisions"]) > 5
        for _ in range(2):
            assert reviewed(socket, record=record, seconds=0.01) == ([], found)
        judged, found = reviewed(socket, record=record, seconds=0.01, anew=True)
        assert len(judged) == len(found["decisions"])
        assert "unused" not in found
        for other in ({"record": record, "seconds": 0.02}, {"record": record, "sims": 20},
                      {"record": record, "seconds": 0.01, "seed": 2},
                      {"record": cut_short(RECORD, 11).to_json(), "seconds": 0.01}):
            assert reviewed(socket, **other)[0], other
    with serving(tmp_path) as server, server.socket() as socket:
        assert reviewed(socket, record=record, seconds=0.01) == ([], found)
        file, *_ = (tmp_path / "pavilion-ai" / "reviews").iterdir()
        for damage in ("", "[]", "{}"):
            for one in file.parent.iterdir():
                one.write_text(damage)
            judged, again = reviewed(socket, record=record, seconds=0.01)
            assert len(judged) == len(again["decisions"]) == len(found["decisions"])


def test_a_review_by_another_network_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = {"record": cut_short(RECORD, 4).to_json(), "sims": 4}
    kept, agents, judged = KeptReviews(tmp_path), Agents(), list[Judgement]()

    def review() -> int:
        judged.clear()
        actions.review(request, threading.Event(), judged.append, agents, kept)
        return len(judged)

    assert review()
    assert not review()
    other = network.load_network(network_file(
        tmp_path, RECORD.game, RECORD.start.board == "grey", RECORD.start.players))
    monkeypatch.setattr(network, "shipped", lambda *variant: other)
    assert review()
    assert not review()


def test_a_review_that_is_kept_waits_for_no_search(tmp_path: Path) -> None:
    request = {"id": 1, "action": "review", "record": cut_short(RECORD, 4).to_json(), "sims": 4}
    kept, capacity = KeptReviews(tmp_path), Capacity(1)

    def answers() -> list[Any]:
        output, stop = io.BytesIO(), {"id": 2, "action": "stop", "target": 1}
        Engine(output, capacity=capacity, reviews=kept).serve(io.BytesIO(
            b"".join(json.dumps(one).encode() + b"\n" for one in (request, stop))))
        found = map(json.loads, output.getvalue().splitlines())
        return [answer for answer in found if answer["id"] == 1]

    actions.review(request, threading.Event(), lambda _: None, Agents(), kept)
    (found,) = answers()
    assert found["complete"]
    with capacity.room({}, threading.Event(), lambda _: None):  # another search
        assert answers() == [found]


def test_a_review_that_was_stopped_is_not_kept(tmp_path: Path) -> None:
    with serving(tmp_path) as server, server.socket() as socket:
        number = socket.send("review", record=RECORD.to_json(), seconds=0.1)
        assert socket.read()["id"] == number
        socket.send("stop", target=number)
        while (answer := socket.read()).get("final") is False or answer["id"] != number:
            pass
        assert not answer["complete"]
        assert not (tmp_path / "pavilion-ai" / "reviews").exists()


def test_a_message_in_endless_parts_ends_its_socket(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else was answered for seconds, as long as they came."""
    with server.socket() as client:
        client.connection.send([*'{"id": 1, "action": "hello"', *" " * 5000, "}"])
        assert client.read()["id"] == 1
        with suppress(ConnectionClosed):
            client.connection.send(" " for _ in range(40_000))
        with pytest.raises(ConnectionClosed):
            client.read()
    transport = SimpleNamespace()
    monkeypatch.setattr(Sockets.__base__, "connection_made", lambda self, transport: None)
    Sockets.connection_made(object.__new__(Sockets), cast(Any, transport))
    assert transport.max_size == READ_BYTES  # what is read at a time takes no second


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_only_files_are_listed_in_a_folder(tmp_path: Path) -> None:
    """A pipe would be waited for: the list of the saved games never came."""
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "broken.jsonl").symlink_to(tmp_path / "nowhere")
    game, link = tmp_path / "game.jsonl", tmp_path / "link.jsonl"
    game.touch()
    link.symlink_to(game)
    (tmp_path / "other.jsonl").symlink_to(tmp_path / "pipe.jsonl")
    assert {path for _, path in dated(tmp_path, "*.jsonl")} == {game, link}


def test_a_file_that_two_threads_replace_is_always_whole(tmp_path: Path) -> None:
    """As when two tabs have one game reviewed, and both reviews end."""
    path, contents = tmp_path / "review.json", (b"a" * 3000, b"b" * 200_000)
    replace_file(path, contents[0])

    def write(content: bytes) -> None:
        for _ in range(50):
            replace_file(path, content)

    with ThreadPoolExecutor() as pool:
        writers = [pool.submit(write, content) for content in contents]
        while not all(writer.done() for writer in writers):
            assert path.read_bytes() in contents
        assert [writer.result() for writer in writers] == [None, None]
    assert os.listdir(tmp_path) == [path.name]


def test_old_reviews_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.web.reviews.MAX_REVIEWS", 3)
    folder = tmp_path / "reviews"
    kept, seen = KeptReviews(folder), set[Path]()
    folder.mkdir()
    (folder / "broken.json").symlink_to(tmp_path / "nowhere")
    seen.add(folder / "broken.json")
    for number in range(5):
        kept.add({"seed": number}, {"decisions": [number]})
        (new,) = set(folder.iterdir()) - seen
        os.utime(new, (number, number))
        seen.add(new)
    assert [kept.get({"seed": number}, {}) for number in range(5)] == [
        None, None, *({"decisions": [number]} for number in (2, 3, 4))]
    later = time.time() + 60
    for path in filter(Path.exists, folder.iterdir()):  # the clock has been set back since
        os.utime(path, (later, later))
    for number in (5, 6):
        kept.add({"seed": number}, {"decisions": [number]})
        assert kept.get({"seed": number}, {}) == {"decisions": [number]}
    assert kept.get({"seed": 5}, {}) == {"decisions": [5]}
    assert len(list(filter(Path.exists, folder.iterdir()))) == 3
    os.rename(folder, tmp_path / "away")
    folder.write_text("no folder")
    kept.add({"seed": 1}, {"decisions": []})  # which cannot be kept
    assert kept.get({"seed": 1}, {}) is None


def test_a_long_review_is_not_kept(tmp_path: Path) -> None:
    """As one of a record with endless names."""
    kept, folder = KeptReviews(tmp_path), set(tmp_path.iterdir())
    kept.add({"seed": 1}, {"decisions": ["x" * 1_100_000]})
    assert set(tmp_path.iterdir()) == folder
    kept.add({"seed": 1}, {"decisions": ["x" * 1_000_000]})
    assert kept.get({"seed": 1}, {})
