"""The engine as a separate process: every action, errors, overlapping requests, stop."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.agents import make_agent
from pavilion_ai.games import GAMES, Rng, rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.notation import format_position, parse_position, to_json
from pavilion_ai.play import Play
from tests.cli.support import (
    AZUL_DRAFT,
    AZUL_FOUR,
    AZUL_GREY,
    AZUL_WALL,
    BONUS,
    DRAFTING,
    FOUR,
    GAME,
    PLACING,
    command,
    environment,
    process,
    start,
    wait_until_it_computes,
)
from tests.plays import decisions

Answer = dict[str, Any]


def position_of(path: Any) -> Any:
    return parse_position(path.read_text()).position


class Engine:
    """An engine process and what it has said."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] = start("engine")

    def send(self, *requests: object) -> None:
        """Write requests: objects as JSON, bytes as they are."""
        assert self.process.stdin is not None
        for request in requests:
            raw = request if isinstance(request, bytes) else json.dumps(request).encode()
            self.process.stdin.write(raw + b"\n")
        self.process.stdin.flush()

    def read(self) -> Answer:
        """Read the next answer."""
        assert self.process.stdout is not None
        watchdog = threading.Timer(60, self.process.kill)  # a lost answer must not hang
        watchdog.start()
        try:
            line = self.process.stdout.readline()
        finally:
            watchdog.cancel()
        assert line, "the engine has gone"
        answer: Answer = json.loads(line)
        return answer

    def ask(self, **request: object) -> Answer:
        """Send a request and return its final answer."""
        request.setdefault("id", "q")
        self.send(request)
        while True:
            answer = self.read()
            if answer["id"] == request["id"] and answer.get("final", True):
                return answer

    def close(self) -> int:
        """End the input; return the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(timeout=20)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        assert self.process.stderr.read() == b""
        return code


@pytest.fixture
def engine() -> Iterator[Engine]:
    running = Engine()
    try:
        yield running
        assert running.close() == 0
    finally:
        if running.process.poll() is None:
            running.process.kill()
            running.process.wait()


def one_shot(*requests: object) -> list[Answer]:
    """Send lines to an engine, end its input, and return every answer."""
    lines = [item if isinstance(item, bytes) else json.dumps(item).encode() for item in requests]
    done = process("engine", stdin=b"\n".join(lines))
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_hello(engine: Engine) -> None:
    answer = engine.ask(action="hello", id=7)
    assert list(answer) == ["id", "name", "version", "protocol", "games"]
    assert (answer["id"], answer["name"], answer["protocol"]) == (7, "pavilion-ai", 1)
    assert answer["games"] == list(GAMES)


def test_new(engine: Engine) -> None:
    for name, game in GAMES.items():
        answer = engine.ask(action="new", game=name, board="grey", players=3, seed=5)
        expected = game.new(board="grey", players=3, seed=5)
        assert answer == {"id": "q", "position": to_json(expected)}
    assert parse_position(engine.ask(action="new")["position"]).position.players == 2


@pytest.mark.parametrize("path", [BONUS, AZUL_WALL], ids=lambda path: path.name)
def test_a_position_may_come_in_any_form(engine: Engine, path: Path) -> None:
    position = position_of(path)
    for source in (to_json(position), *(format_position(position, f) for f in ("code", "text"))):
        assert engine.ask(action="show", position=source)["position"] == to_json(position)
        code = engine.ask(action="show", position=source, format="code")
        assert code == {"id": "q", "text": format_position(position, "code")}
        text = engine.ask(action="show", position=source, format="text")["text"]
        assert parse_position(text).position == position


def test_moves(engine: Engine) -> None:
    for path in (PLACING, AZUL_DRAFT, AZUL_WALL, AZUL_GREY, AZUL_FOUR):
        position = position_of(path)
        legal = rules_of(position).legal_moves(position)
        assert engine.ask(action="moves", position=to_json(position)) == {"id": "q", "moves": legal}


def test_apply_draws_unless_told_not_to(engine: Engine) -> None:
    position = to_json(position_of(BONUS))
    drawn = engine.ask(action="apply", position=position, moves=["bonus:2P"], seed=1)
    assert drawn["position"]["phase"] == "place"
    assert drawn["played"][0] == "bonus:2P"
    supply = drawn["played"][1]
    waiting = engine.ask(action="apply", position=position, moves=["bonus:2P"], draw=False)
    assert waiting["played"] == ["bonus:2P"]
    assert waiting["position"]["phase"] == "supply"
    assert engine.ask(action="moves", position=waiting["position"]) == {
        "id": "q", "chance": "supply",
    }
    given = engine.ask(action="apply", position=position, moves=["bonus:2P", supply], draw=False)
    assert given == {**drawn}


@pytest.mark.parametrize("asked", [
    {"action": "apply"}, {"action": "apply", "draw": False}, {"action": "replay"}], ids=str)
def test_an_illegal_move_is_named_by_its_number(engine: Engine, asked: dict[str, Any]) -> None:
    (first, *_) = engine.ask(action="moves", position=POSITION)["moves"]
    for second in (first, "D9:P", "nonsense"):
        refused = engine.ask(position=POSITION, moves=[first, second], **asked)
        assert refused["field"] == "moves"
        assert refused["error"].startswith("moves: move 2: ")
        assert second in refused["error"]


def test_apply_deals_the_next_round_of_base_azul(engine: Engine) -> None:
    """The last draft of a round, the columns of the grey wall, and then the deal (B5, B7)."""
    position = to_json(position_of(AZUL_WALL))
    played = 0
    while position["phase"] == "wall":
        move = engine.ask(action="moves", position=position)["moves"][0]
        waiting = engine.ask(action="apply", position=position, moves=[move], draw=False)
        assert waiting["played"] == [move]
        drawn = engine.ask(action="apply", position=position, moves=[move], seed=1)
        position, played = waiting["position"], played + 1
    assert played > 0
    assert position["phase"] == "deal"
    assert engine.ask(action="moves", position=position) == {"id": "q", "chance": "deal"}
    assert drawn["position"]["phase"] == "draft"
    assert drawn["played"][0] == move
    dealt = drawn["played"][1]
    assert dealt.startswith("deal:")
    given = engine.ask(action="apply", position=position, moves=[dealt], draw=False)
    assert given == {**drawn, "played": [dealt]}


def test_perft(engine: Engine) -> None:
    for path, depths in ((DRAFTING, (0, 1, 4)), (AZUL_DRAFT, (0, 1, 2)), (AZUL_WALL, (0, 1, 3))):
        position = position_of(path)
        for depth in depths:
            answer = engine.ask(action="perft", position=to_json(position), depth=depth)
            assert answer == {"id": "q", "nodes": rules_of(position).perft(position, depth)}


def test_perft_counts_a_finished_game_at_every_depth(engine: Engine) -> None:
    last_draw = parse_position("summer.1.coloured.2/supply.r6.s0.t0/-/s9P.b13P22G22O22Y22B22R"
                               "/p5.x.6.6.6.6.6.6.6/p5.x.6.6.6.6.6.6.6/93f0").position
    assert rules_of(last_draw).perft(last_draw, 5) == 1
    endings = [[play.position for play in decisions(Play.new(game, seed=1), seed=1)][-3]
               for game in GAMES]
    for position in (last_draw, *endings):
        for depth in (4, 5):
            answer = engine.ask(action="perft", position=to_json(position), depth=depth)
            assert answer["nodes"] == rules_of(position).perft(position, depth)


@pytest.mark.parametrize("path", [DRAFTING, AZUL_DRAFT], ids=lambda path: path.name)
def test_analyse_is_what_suggest_gives(engine: Engine, path: Path) -> None:
    answer = engine.ask(action="analyse", position=path.read_text(), sims=500, seed=2, top=3)
    assert answer["final"] is True
    done = process("suggest", path, "--sims", 500, "--seed", 2, "--top", 3, "--json")
    expected = json.loads(done.stdout)
    for data in (answer, expected):
        del data["seconds"], data["sims_per_second"]
    assert answer == {"id": "q", **expected, "final": True}


def test_interim_reports_come_while_the_search_runs(engine: Engine) -> None:
    engine.ask(action="hello")  # it has started
    engine.send({"id": 1, "action": "analyse", "position": FOUR.read_text(), "seconds": 1.2,
                 "report_every": 0.2, "top": 1})
    reports = [engine.read()]
    while not reports[-1]["final"]:
        reports.append(engine.read())
    assert len(reports) >= 4
    assert [report["final"] for report in reports].count(True) == 1
    sims = [report["sims"] for report in reports]
    assert sims == sorted(sims)
    assert {report["id"] for report in reports} == {1}


def test_a_report_may_be_asked_for_after_no_time_at_all(engine: Engine) -> None:
    engine.send({"id": 1, "action": "analyse", "position": FOUR.read_text(), "sims": 50,
                 "report_every": 1e-9, "top": 1})
    while not (report := engine.read())["final"]:
        assert report["sims"] <= 50
    assert report["sims"] == 50


@pytest.mark.parametrize("path", [FOUR, AZUL_FOUR], ids=lambda path: path.name)
def test_stop_ends_a_search_at_once(engine: Engine, path: Path) -> None:
    engine.ask(action="hello")
    engine.send({"id": "long", "action": "analyse", "position": path.read_text(), "seconds": 900})
    time.sleep(0.7)
    began = time.monotonic()
    engine.send({"id": "s", "action": "stop", "target": "long"})
    answers = {answer["id"]: answer for answer in (engine.read(), engine.read())}
    assert time.monotonic() - began < 2
    assert answers["s"] == {"id": "s", "target": "long", "stopped": True}
    assert answers["long"]["final"] is True
    assert answers["long"]["sims"] > 0
    assert engine.ask(action="stop", target="long")["stopped"] is False


def test_stop_right_behind_the_query_still_gives_an_answer(engine: Engine) -> None:
    engine.send(
        {"id": 1, "action": "analyse", "position": FOUR.read_text(), "seconds": 900},
        {"id": 2, "action": "stop", "target": 1},
    )
    answers = {answer["id"]: answer for answer in (engine.read(), engine.read())}
    assert answers[1]["moves"]


@pytest.mark.parametrize("path", [FOUR, AZUL_GREY], ids=lambda path: path.name)
def test_stop_ends_a_count(engine: Engine, path: Path) -> None:
    engine.send(
        {"id": 1, "action": "perft", "position": path.read_text(), "depth": 30},
        {"id": 2, "action": "stop", "target": 1},
    )
    answers = {answer["id"]: answer for answer in (engine.read(), engine.read())}
    assert answers[1] == {"id": 1, "error": "stopped before the count was complete", "field": ""}


def test_requests_overlap(engine: Engine) -> None:
    engine.ask(action="hello")
    engine.send(*(
        {"id": number, "action": "analyse", "position": path.read_text(),
         "seconds": 0.5 + 0.2 * number}
        for number, path in enumerate((FOUR, AZUL_FOUR, FOUR))
    ))
    engine.send({"id": "quick", "action": "hello"})
    order = [engine.read()["id"] for _ in range(4)]
    assert order[0] == "quick"
    assert sorted(order[1:]) == [0, 1, 2]


def test_choose_names_one_of_the_moves_offered(engine: Engine) -> None:
    position = position_of(PLACING)
    legal = rules_of(position).legal_moves(position)
    data = to_json(position)
    free = engine.ask(action="choose", position=data, legal_moves=legal, limits={"sims": 200})
    assert free["move"] in legal
    passes = [move for move in legal if move.startswith("pass:")]
    some = engine.ask(action="choose", position=data, legal_moves=passes, limits={"seconds": 0.05})
    assert some["move"] in passes
    assert engine.ask(action="choose", position=data, legal_moves=["pass:-"]) == {
        "id": "q", "move": "pass:-",
    }
    assert engine.ask(action="choose", position=data, limits={"sims": 50})["move"] in legal


@pytest.mark.parametrize("path", [AZUL_DRAFT, AZUL_WALL], ids=lambda path: path.name)
def test_choose_names_one_of_the_moves_offered_at_base_azul(engine: Engine, path: Path) -> None:
    position = position_of(path)
    legal = rules_of(position).legal_moves(position)
    data = to_json(position)
    for offered in (legal, legal[1:3], legal[-1:]):
        answer = engine.ask(action="choose", position=data, legal_moves=offered,
                            limits={"sims": 100})
        assert answer["move"] in offered
    assert engine.ask(action="choose", position=data, limits={"sims": 50})["move"] in legal


def test_choose_searches_none_but_the_moves_offered(engine: Engine) -> None:
    """Also moves that the search leaves out when it chooses for itself, and as a spec asks."""
    position = position_of(PLACING)
    data = to_json(position)
    limits = {"sims": 300}
    listed = {row["move"] for row in engine.ask(
        action="analyse", position=data, sims=300)["moves"]}
    others = [move for move in rules_of(position).legal_moves(position) if move not in listed]
    assert len(others) > 1
    found = engine.ask(action="analyse", position=data, sims=300, only=others, seed=4)
    assert {row["move"] for row in found["moves"]} == set(found["only"]) == set(others)
    assert sum(row["visits"] for row in found["moves"]) == 300
    for agent in ("default", "default:level=2"):
        best = make_agent(agent).decide(Play(position), Limits(sims=300), seed=4,
                                        only=others).move
        assert engine.ask(action="choose", position=data, legal_moves=others, limits=limits,
                          seed=4, agent=agent) == {"id": "q", "move": best}
    offered = others[:2]
    assert engine.ask(action="choose", position=data, legal_moves=offered,
                      agent="greedy")["move"] in offered


def test_moves_named_get_equal_shares(engine: Engine) -> None:
    text = DRAFTING.read_text()
    legal = rules_of(position_of(DRAFTING)).legal_moves(position_of(DRAFTING))
    ask = partial(engine.ask, action="analyse", position=text, sims=1200)
    favourite = ask()["moves"][0]["move"]
    named = [move for move in legal if move != favourite][:2]
    for given, count in (({"only": legal[:4]}, 4), ({"compare": named}, 3), ({"even": 3}, 3),
                         ({"even": 2, "compare": named[:1], "avoid": [favourite]}, None)):
        answer = ask(**given)
        visits = [row["visits"] for row in answer["moves"]]
        assert max(visits) - min(visits) <= 1
        assert {key: answer[key] for key in given} == given
        assert count in (None, len(visits))
        assert answer["root"]["visits"] == sum(visits)
        assert answer["root"]["win_prob"][answer["to_move"]] == answer["moves"][0]["win_prob"]
    assert favourite not in {row["move"] for row in answer["moves"]}
    assert {row["move"] for row in ask(compare=named)["moves"]} == {favourite, *named}


def test_choose_leaves_out_what_is_avoided(engine: Engine) -> None:
    data = to_json(position_of(DRAFTING))
    legal = rules_of(position_of(DRAFTING)).legal_moves(position_of(DRAFTING))
    for agent in ("default", "greedy", "default:level=3"):
        ask = partial(engine.ask, action="choose", position=data, limits={"sims": 200},
                      agent=agent)
        favourite = ask()["move"]
        assert ask(avoid=[favourite])["move"] in {*legal} - {favourite}
        assert ask(legal_moves=legal, avoid=[favourite])["move"] in {*legal} - {favourite}
        assert ask(legal_moves=[favourite, legal[0], legal[1]],
                   avoid=[favourite])["move"] in {*legal[:2]} - {favourite}
        last = next(move for move in legal if move != favourite)
        assert ask(avoid=[move for move in legal if move != last])["move"] == last
    refused = ask(legal_moves=legal[:2], avoid=legal[:3])
    assert refused["field"] == "avoid"
    assert "at least one to be left" in refused["error"]


def test_fields_that_name_moves_do_not_contradict_each_other(engine: Engine) -> None:
    legal = rules_of(position_of(DRAFTING)).legal_moves(position_of(DRAFTING))
    one = legal[:1]
    for given, field, message in (
        ({"only": one, "compare": legal[1:2]}, "compare", "beside only"),
        ({"only": one, "even": 2}, "even", "beside only"),
        ({"only": one, "avoid": legal[1:2]}, "avoid", "beside only"),
        ({"compare": one, "avoid": one}, "avoid", "which compare names too"),
        ({"avoid": legal}, "avoid", "all legal moves"),
        ({"avoid": ["D9:G"]}, "avoid", "not legal"),
        ({"compare": []}, "compare", "empty"),
        ({"even": 0}, "even", "a whole number from 1"),
        ({"even": 2, "agent": "default:level=3"}, "agent", "cannot compare moves"),
        ({"compare": one, "agent": "greedy"}, "agent", "looks at no moves but its own"),
    ):
        answer = engine.ask(action="analyse", position=DRAFTING.read_text(), sims=10, **given)
        assert set(answer) == {"id", "error", "field"}
        assert answer["field"] == field
        assert message in answer["error"]


def test_answers_do_not_depend_on_what_was_asked_before(engine: Engine) -> None:
    """The engine keeps agents, and their memory, from one request to the next."""
    def ask(number: int, position: Path, **request: object) -> dict[str, Any]:
        return {"id": number, "action": "analyse", "position": position.read_text(), "sims": 400,
                **request}

    passes = ["pass:-", "pass:2P"]
    requests = [ask(1, PLACING), ask(2, PLACING, only=passes), ask(3, PLACING, seed=2),
                ask(4, FOUR, agent="ismcts:net=0"), ask(5, PLACING, threads=2),
                ask(6, PLACING, agent="default:level=8"), ask(7, AZUL_FOUR, agent="ismcts:c=1"),
                ask(8, PLACING), ask(9, DRAFTING, seed=3), ask(10, AZUL_DRAFT),
                *(ask(number, PLACING, agent="default:reuse=1") for number in (11, 12)),
                ask(13, PLACING, agent="default:reuse=1", only=passes),
                ask(14, PLACING, even=2), ask(15, PLACING, compare=passes, avoid=["pass:P"]),
                ask(16, PLACING)]
    alone = {request["id"]: one_shot(request)[0] for request in requests}
    for request in [*requests, *reversed(requests)]:
        engine.send(request)
        kept = {**engine.read(), "seconds": 0, "sims_per_second": 0}
        if request.get("threads") == 2:  # what several threads find may differ from time to time
            assert (kept["sims"], kept["threads"]) == (400, 2)
        else:
            assert kept == {**alone[request["id"]], "seconds": 0, "sims_per_second": 0}


def test_the_past_tells_how_others_judge(engine: Engine) -> None:
    """The answer is that of an agent that is given the game; without, as ever."""
    rng = Rng(3, 3)
    play = Play.new("azul", players=3, seed=3)
    plain, watching = make_agent("policy:net=0"), make_agent("default")
    moves: list[str] = []
    asked: list[tuple[dict[str, Any], str]] = []
    changed = 0
    while not play.is_over():
        position = play.position
        if play.turn is None:
            moves += play.draw(rng)
        else:
            move = plain.choose(Play(position))
            form = ("code", "text")[len(moves) % 2]
            sources = to_json(play.start), format_position(play.start, form)
            request = {"action": "choose", "position": to_json(position), "limits": {"sims": 64},
                       "past": {"start": sources[len(moves) > 30], "moves": list(moves)}}
            asked.append((request, watching.choose(play, Limits(sims=64))))
            answer = engine.ask(**request)
            assert answer == {"id": "q", "move": asked[-1][1]}
            blind = engine.ask(**{**request, "past": None})
            assert blind["move"] == make_agent("default").choose(Play(position), Limits(sims=64))
            changed += answer != blind
            moves.append(play.push(move))
    assert changed > 2
    for request, move in asked[::-7]:
        assert engine.ask(**request)["move"] == move
        found = engine.ask(**{**request, "action": "analyse", "sims": 64})
        assert found["moves"][0]["move"] == move


def test_end_of_input_finishes_what_is_in_flight() -> None:
    answers = one_shot(
        {"id": 1, "action": "analyse", "position": FOUR.read_text(), "seconds": 0.6},
        {"id": 2, "action": "analyse", "position": FOUR.read_text(), "sims": 3000},
    )
    assert {answer["id"] for answer in answers} == {1, 2}
    assert all(answer["final"] for answer in answers)


POSITION = DRAFTING.read_text()
ERRORS: list[tuple[object, object, str, str]] = [
    (b"{bad", None, "", "not JSON: "),
    (b"[1, 2]", None, "", "found [1, 2], expected an object"),
    (b'"hello"', None, "", "found 'hello', expected an object"),
    (b"null", None, "", "found null, expected an object"),
    (b"\xff\xfe", None, "", "not UTF-8 text"),
    (b"[" * 100_000, None, "", "not JSON: found values nested too deeply"),
    (b'{"id": 1, "action": "new", "seed": NaN}', 1, "", "not JSON: found NaN"),
    (b'{"id": "a", "action": "new", "seed": 1, "seed": 1}', "a", "",
     "not JSON: found the key 'seed' twice"),
    (b'{"id": 1, "action": "new", "seed": ' + b"9" * 5000 + b"}", 1, "", "not JSON: "),
    (b'{"id": ' + b"9" * 5000 + b"}", None, "", "not JSON: "),
    (b'{"id": NaN, "action": "new"}', None, "", "not JSON: found NaN"),
    (b'{"id": 1, "action": "new"', None, "", "not JSON: Expecting"),
    (b'"' + b"x" * (5 << 20) + b'"', None, "", "line longer than 4194304 bytes"),
    ({"action": "hello"}, None, "id", "id: found no such key, expected"),
    ({"id": None, "action": "hello"}, None, "id", "id: found null"),
    ({"id": [1], "action": "hello"}, None, "id", "id: found [1], expected"),
    ({"id": True, "action": "hello"}, None, "id", "id: found true"),
    ({"id": 1}, 1, "action", "action: found no such key, expected one of hello"),
    ({"id": 1, "action": "dance"}, 1, "action", "action: found 'dance'"),
    ({"id": 1, "action": ["hello"]}, 1, "action", "action: found a list of 1"),
    ({"id": 1, "action": "new", "game": "chess"}, 1, "game", "game: found 'chess'"),
    ({"id": 1, "action": "new", "game": {}}, 1, "game", "game: found an object"),
    ({"id": 1, "action": "new", "board": "pink"}, 1, "board", "board: found 'pink'"),
    ({"id": 1, "action": "new", "players": 5}, 1, "players", "players: found 5"),
    ({"id": 1, "action": "new", "players": 2.0}, 1, "players", "players: found 2.0"),
    ({"id": 1, "action": "new", "seed": -1}, 1, "seed", "seed: found -1"),
    ({"id": 1, "action": "show"}, 1, "position", "position: found no such key, expected"),
    ({"id": 1, "action": "show", "position": 7}, 1, "position", "position: found 7"),
    ({"id": 1, "action": "show", "position": {}}, 1, "position", "game: "),
    ({"id": 1, "action": "show", "position": "x"}, 1, "position", "position: found 'x'"),
    ({"id": 1, "action": "show", "position": POSITION, "format": "gif"}, 1, "format", "format: "),
    ({"id": 1, "action": "apply", "position": POSITION}, 1, "moves", "moves: found no such key"),
    ({"id": 1, "action": "apply", "position": POSITION, "moves": "D1:P"}, 1, "moves", "moves: "),
    ({"id": 1, "action": "apply", "position": POSITION, "moves": [1]}, 1, "moves",
     "moves[0]: found 1, expected a string"),
    ({"id": 1, "action": "apply", "position": POSITION, "moves": ["D9:P"]}, 1, "moves",
     "moves: move 1: D9:P is not legal"),
    ({"id": 1, "action": "apply", "position": POSITION, "moves": [], "draw": 1}, 1, "draw", "draw"),
    (
        {"id": 1, "action": "apply", "position": AZUL_DRAFT.read_text(), "moves": ["D1:B"]},
        1, "moves", "moves: move 1: move 'D1:B': ",
    ),
    (
        {"id": 1, "action": "apply", "position": AZUL_DRAFT.read_text(), "moves": ["wall:1>1"]},
        1, "moves", "moves: move 1: wall:1>1",
    ),
    (
        {"id": 1, "action": "choose", "position": AZUL_DRAFT.read_text(), "legal_moves": ["D1:P"]},
        1, "legal_moves", "legal_moves: ",
    ),
    ({"id": 1, "action": "show", "position": POSITION, "format": "svg", "names": ["a"]}, 1, "names",
     "names: found a list of 1, expected a name for each of 2 seats"),
    ({"id": 1, "action": "show", "position": POSITION, "format": "svg", "columns": 99}, 1,
     "columns", "columns: found 99, expected a whole number from 1 to 4"),
    ({"id": 1, "action": "show", "position": POSITION, "format": "svg", "first": 2}, 1, "first",
     "first: found 2, expected a whole number from 0 to 1"),
    ({"id": 1, "action": "perft", "position": POSITION}, 1, "depth", "depth: found no such key"),
    ({"id": 1, "action": "perft", "position": POSITION, "depth": 1001}, 1, "depth", "depth: found"),
    ({"id": 1, "action": "perft", "position": POSITION, "depth": -1}, 1, "depth", "depth: "),
    ({"id": 1, "action": "perft", "position": POSITION, "depth": "2"}, 1, "depth", "depth: "),
    ({"id": 1, "action": "analyse", "position": POSITION, "sims": 0}, 1, "sims", "sims: found 0"),
    ({"id": 1, "action": "analyse", "position": POSITION, "sims": 10**12 + 1}, 1, "sims", "sims: "),
    ({"id": 1, "action": "analyse", "position": POSITION, "seconds": 2e9}, 1, "seconds", "secon"),
    ({"id": 1, "action": "analyse", "position": POSITION, "sims": "9"}, 1, "sims", "sims: "),
    ({"id": 1, "action": "analyse", "position": POSITION, "seconds": 0}, 1, "seconds", "seconds"),
    ({"id": 1, "action": "analyse", "position": POSITION, "threads": 0}, 1, "threads", "threads"),
    ({"id": 1, "action": "analyse", "position": POSITION, "top": 0}, 1, "top", "top: "),
    ({"id": 1, "action": "analyse", "position": POSITION, "agent": "x"}, 1, "agent", "agent "),
    ({"id": 1, "action": "analyse", "position": POSITION, "agent": 1}, 1, "agent", "agent: "),
    (
        {"id": 1, "action": "analyse", "position": POSITION, "report_every": -1},
        1, "report_every", "report_every: ",
    ),
    ({"id": 1, "action": "choose", "position": POSITION, "limits": 3}, 1, "limits", "limits: "),
    (
        {"id": 1, "action": "choose", "position": POSITION, "legal_moves": []},
        1, "legal_moves", "legal_moves: empty",
    ),
    (
        {"id": 1, "action": "analyse", "position": POSITION, "sims": 9, "only": []},
        1, "only", "only: empty",
    ),
    (
        {"id": 1, "action": "analyse", "position": POSITION, "sims": 9, "only": ["D1:R"]},
        1, "only", "only: D1:R is not legal",
    ),
    (
        {"id": 1, "action": "analyse", "position": POSITION, "only": ["D1:P"], "agent": "greedy"},
        1, "agent", "agent 'greedy': looks at no moves but its own",
    ),
    (
        {"id": 1, "action": "choose", "position": POSITION, "legal_moves": ["x", "y"]},
        1, "legal_moves", "legal_moves: ",
    ),
    (
        {"id": 1, "action": "choose", "position": POSITION, "limits": {"sims": 0}},
        1, "limits", "limits.sims: found 0",
    ),
    (
        {"id": 1, "action": "choose", "position": POSITION, "limits": {"seconds": 10**400}},
        1, "limits", "limits.seconds: found a number of 1329 bits",
    ),
    ({"id": 1, "action": "analyse", "position": POSITION, "seconds": 10**400}, 1, "seconds", "sec"),
    *(
        ({"id": 1, "action": action, "position": POSITION, "past": past}, 1, "past", message)
        for action in ("analyse", "choose")
        for past, message in (
            ([], "past: found a list of 0, expected an object"),
            ({"moves": []}, "past.start: found no such key, expected an object or a string"),
            ({"start": {}, "moves": []}, "past.start: game: "),
            ({"start": "x", "moves": []}, "past.start: position: found 'x'"),
            ({"start": POSITION}, "past.moves: found no such key, expected a list of strings"),
            ({"start": POSITION, "moves": [1]}, "past.moves[0]: found 1, expected a string"),
            ({"start": POSITION, "moves": ["D9:P"]}, "past.moves: move 1: D9:P"),
            ({"start": FOUR.read_text(), "moves": []}, "past: leads to another position"),
        )
    ),
    (b'{"id": 1, "id": 2, "action": "hello"}', None, "", "not JSON: found the key 'id' twice"),
    (
        b'{"id": 1, "action": "show", "position": {"game": "summer", "game": "summer"}}',
        1, "", "not JSON: found the key 'game' twice",
    ),
    ({"id": 1, "action": "new", "game": "x" * 9999}, 1, "game", "game: found 'xxx"),
    ({"id": 1, "action": "stop"}, 1, "target", "target: found no such key, expected"),
]


def test_every_error_is_an_answer_and_the_engine_goes_on(engine: Engine) -> None:
    for request, request_id, field, message in ERRORS:
        engine.send(request)
        answer = engine.read()
        assert list(answer) == ["id", "error", "field"], request
        assert answer["id"] == request_id, request
        assert answer["field"] == field, (request, answer)
        assert answer["error"].startswith(message), (request, answer)
        assert len(answer["error"]) < 2000
    engine.send(b"", b"   ")
    assert engine.ask(action="hello")["protocol"] == 1


def test_all_problems_of_a_start_are_told(engine: Engine) -> None:
    record = json.loads(GAME.read_text().splitlines()[0])
    start = {**record["start"], "centre": 5, "round": 99}
    answer = engine.ask(action="review", record={**record, "start": start}, sims=1)
    assert answer["field"] == "record"
    assert answer["error"].startswith("record: start.centre: found 5")
    assert "; start.round: found 99" in answer["error"]


def test_nobody_to_move(engine: Engine) -> None:
    waiting = engine.ask(
        action="apply", position=BONUS.read_text(), moves=["bonus:2P"], draw=False
    )["position"]
    for action in ("analyse", "choose"):
        answer = engine.ask(action=action, position=waiting)
        assert answer["field"] == "position"
        assert "supply" in answer["error"]


def test_an_id_in_flight_is_not_taken_twice(engine: Engine) -> None:
    request = {"id": 1, "action": "analyse", "position": FOUR.read_text(), "seconds": 900}
    engine.send(request, request)
    assert engine.read()["field"] == "id"
    engine.ask(id=2, action="stop", target=1)


def test_a_last_line_without_a_line_feed_counts() -> None:
    assert one_shot({"id": 1, "action": "hello"})[0]["id"] == 1


def test_ctrl_c_answers_what_is_in_flight() -> None:
    engine = Engine()
    engine.send({"id": 1, "action": "analyse", "position": FOUR.read_text(), "seconds": 900})
    wait_until_it_computes(engine.process)
    engine.process.send_signal(signal.SIGINT)
    assert engine.read()["final"] is True
    assert engine.process.wait(timeout=10) == 130
    engine.process.communicate()


FOR_EVER: list[dict[str, object]] = [
    {"id": 1, "action": "analyse", "position": FOUR.read_text(), "sims": 10**12},
    {"id": 1, "action": "choose", "position": FOUR.read_text(), "limits": {"sims": 10**12}},
    {"id": 1, "action": "perft", "position": FOUR.read_text(), "depth": 30},
]


@pytest.mark.parametrize("request_", FOR_EVER, ids=lambda request: request["action"])
@pytest.mark.parametrize("input_ends", [True, False])
def test_an_engine_whose_client_is_gone_ends(request_: dict[str, object], input_ends: bool) -> None:
    engine = Engine()
    engine.send(request_, {"id": 2, "action": "hello"})
    assert engine.read()["id"] == 2
    assert engine.process.stdin is not None
    assert engine.process.stdout is not None
    if input_ends:
        engine.process.stdin.close()
        time.sleep(0.3)
        assert engine.process.poll() is None  # it finishes what it has
    engine.process.stdout.close()
    assert engine.process.wait(timeout=10) == 0
    assert engine.process.stderr is not None
    assert engine.process.stderr.read() == b""
    engine.process.stdin.close()
    engine.process.stderr.close()


def test_an_idle_engine_ends_when_nobody_reads_its_answers() -> None:
    engine = Engine()
    engine.ask(action="hello")
    assert engine.process.stdout is not None
    engine.process.stdout.close()
    assert engine.process.wait(timeout=10) == 0
    engine.process.communicate()


def wait_until_nothing_more_fits(pipe: Any) -> None:
    """Wait until a pipe holds most of what it can, and no longer gets more."""
    held = 0
    until = time.monotonic() + 30
    while True:
        time.sleep(0.2)
        before, held = held, int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)),
                                            sys.byteorder)
        if held == before > 32_000:
            return
        assert time.monotonic() < until, f"{held} bytes wait"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_an_engine_whose_answers_nobody_takes(number: int) -> None:
    engine = Engine()
    engine.send(FOR_EVER[0], *(
        {"id": name, "action": "show", "position": PLACING.read_text()} for name in range(2, 150)
    ))
    wait_until_nothing_more_fits(engine.process.stdout)
    engine.process.send_signal(number)
    assert engine.process.wait(timeout=10) == 130
    engine.process.communicate()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("engine"), input=b'{"id": 1, "action": "hello"}\n', stdout=full,
            stderr=subprocess.PIPE, env=environment(), check=False, timeout=30,
        )
    assert done.returncode == 1
    assert done.stderr == b"error: standard output: No space left on device\n"


def test_a_thousand_requests_in_one_piece_are_answered_in_order() -> None:
    answers = one_shot(*({"id": number, "action": "moves", "position": POSITION}
                         for number in range(1000)))
    assert [answer["id"] for answer in answers] == list(range(1000))


def test_lines_of_any_length_and_with_any_ending() -> None:
    hello = b'{"id": 1, "action": "hello"}'
    long = b"x" * (9 << 20)
    answers = one_shot(hello + b"\r", b"", b" \r", long, hello, b"\xef\xbb\xbf" + hello, long)
    assert [answer["id"] for answer in answers] == [1, None, 1, 1, None]
    assert {answer["error"] for answer in answers if "error" in answer} == {
        "line longer than 4194304 bytes"}


@pytest.mark.parametrize("action", ["analyse", "choose", "review"])
def test_no_program_is_offered_that_would_be_refused(engine: Engine, action: str) -> None:
    record = Play(parse_position(POSITION).position).record()
    answer = engine.ask(action=action, position=POSITION, record=record.to_json(), agent="nosuch")
    assert answer["error"] == ("agent 'nosuch': expected one of random, greedy, policy, flat, uct,"
                               " ismcts, default")
    assert answer["field"] == "agent"


def test_a_review_without_a_record(engine: Engine) -> None:
    for given, found in (({}, "no such key"), ({"record": None}, "null")):
        answer = engine.ask(action="review", **given)
        assert answer["error"] == f"record: found {found}, expected a record object"
        assert answer["field"] == "record"


@pytest.mark.parametrize("limits", [None, {"sims": 5}])
@pytest.mark.parametrize("action", ["analyse", "choose"])
def test_requests_start_no_programs_and_read_no_files(
    engine: Engine, tmp_path: Path, action: str, limits: dict[str, int] | None
) -> None:
    for spec, message in ((f"cmd:touch {tmp_path}/made", "starts no other programs"),
                          (f"ismcts:net={tmp_path}/a.net", "reads no files"),
                          (f"policy:net={tmp_path}/a.net", "reads no files")):
        given = limits or {}
        fields = {"limits": given} if action == "choose" else given
        answer = engine.ask(action=action, position=POSITION, agent=spec, **fields)
        assert message in answer["error"]
        assert answer["field"] == "agent"
    assert not (tmp_path / "made").exists()


def test_null_stands_for_the_default(engine: Engine) -> None:
    missing = dict.fromkeys(("game", "board", "players", "seed"))
    assert engine.ask(action="new", **missing)["position"]["board"] == "coloured"
    assert "position" in engine.ask(action="show", position=POSITION, format=None)
    assert "played" in engine.ask(action="apply", position=POSITION, moves=[], draw=None, seed=None)
    fields = dict.fromkeys(("seconds", "threads", "seed", "top", "report_every", "agent"))
    assert engine.ask(action="analyse", position=POSITION, sims=5, **fields)["sims"] == 5
    fields = dict.fromkeys(("legal_moves", "threads", "seed", "agent"))
    assert "move" in engine.ask(action="choose", position=POSITION, limits={"sims": 5}, **fields)
