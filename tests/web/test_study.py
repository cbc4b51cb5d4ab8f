"""What the page is told beside moves: expected parts of scores, what is short, reasons, puzzles."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import pytest

from pavilion_ai.agents import make_agent
from pavilion_ai.forecast import LEAST_GAMES, mean_parts, played_out
from pavilion_ai.games import rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.play import Play
from pavilion_ai.protocol.actions import picture
from pavilion_ai.protocol.fields import BadRequest
from pavilion_ai.render import describe, one_short
from pavilion_ai.web.study import Study, _cost
from pavilion_ai.web.views import view
from tests.cli.support import (
    AZUL_EXAMPLES,
    AZUL_FOUR,
    AZUL_GREY,
    BONUS,
    DRAFTING,
    EXAMPLES,
    FOUR,
    PLACING,
    RECORD,
    chance_position,
    position_of,
)
from tests.match.support import wait_until
from tests.plays import VARIANTS
from tests.web.support import PATIENCE, Server


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(map(str, variant)))
def test_forecasts_are_close_to_those_of_a_search(
    variant: tuple[str, str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an opening both expect about the same points; the parts are those of a final score."""
    game, board, players = variant
    play = Play.new(game, board=board, players=players, seed=3)
    monkeypatch.setattr("pavilion_ai.forecast.MAX_SECONDS", 60)
    parts = mean_parts(played_out(play, 60, seed=1))
    assert parts == mean_parts(played_out(play, 60, seed=1))
    assert all(tuple(seat) == play.rules.breakdown_keys for seat in parts)
    means = make_agent("default").analyse(play, Limits(2000), seed=1).root.score_mean
    for seat, mean in zip(parts, means, strict=True):
        assert sum(seat.values()) == pytest.approx(mean, rel=0.3)


def test_a_finished_game_has_its_own_parts() -> None:
    play = Play.of(RECORD)
    assert mean_parts(played_out(play, 10)) == tuple(play.breakdown())


@pytest.mark.parametrize("path", [PLACING, FOUR, *AZUL_EXAMPLES], ids=lambda path: path.name)
def test_a_tile_on_a_space_that_is_short_completes_what_is_named(path: Path) -> None:
    """The facade's words, which come from playing the move, name the same goals."""
    position = position_of(path)
    if position.phase not in ("place", "wall"):
        pytest.skip("nothing is placed")
    told = {lack.place: lack.goals for lack in one_short(position)
            if lack.seat == position.to_move}
    seen = 0
    for move in rules_of(position).legal_moves(position):
        words = describe(position, move)
        place = move.partition(":")[0]
        if position.game == "azul":
            row, _, column = move.removeprefix("wall:").partition(">")
            place = f"wall {row}.{column}"
        if place in told:
            seen += 1
            assert all(goal in words for goal in told[place]), (move, words)
        else:
            assert "completes" not in words, (move, words)
    assert seen or path is not PLACING


def test_walls_that_are_one_tile_short() -> None:
    found = {(lack.seat, lack.place): lack.goals for lack in one_short(position_of(AZUL_GREY))}
    assert found == {(0, "wall 5.5"): ("column 5",), (1, "wall 4.2"): ("column 2",),
                     (1, "wall 5.3"): ("column 3",), (2, "wall 5.4"): ("column 4",)}
    four = {(lack.seat, lack.place): lack.goals for lack in one_short(position_of(AZUL_FOUR))}
    assert four[0, "wall 1.1"] == ("row 1",)


def test_the_outlook(server: Server) -> None:
    for path in (DRAFTING, AZUL_FOUR):
        position = position_of(path)
        with server.socket() as client:
            answer = client.ask("outlook", position=to_json(position))
        assert answer["short"] == [lack.to_json() for lack in one_short(position)]
        assert len(answer["parts"]) == position.players
        assert all(set(parts) == set(rules_of(position).breakdown_keys)
                   for parts in answer["parts"])


def test_how_few_games_a_busy_machine_plays_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.forecast.MAX_SECONDS", 0)
    play, actions = Play(position_of(PLACING)), Study().actions(threading.Event())
    request = {"position": to_json(play.position), "moves": play.legal_moves[:2]}
    assert actions["outlook"](request)["games"] == LEAST_GAMES
    assert [one["games"] for one in actions["explain"](request)["moves"]] == 2 * [LEAST_GAMES]


@pytest.mark.parametrize("action", ["outlook", "explain"])
def test_forecasts_end_with_their_socket(action: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that wait, and what is left to do of the one in hand."""
    begun, goes_on, closed = list[int](), threading.Event(), threading.Event()

    def forecast(play: Play, games: int, seed: int) -> list[Any]:
        begun.append(seed)
        goes_on.wait(PATIENCE)
        return played_out(play, LEAST_GAMES, seed)

    monkeypatch.setattr("pavilion_ai.web.study.played_out", forecast)
    study, play = Study(), Play(position_of(PLACING))
    request = {"position": to_json(play.position), "moves": play.legal_moves[:2]}
    actions, others = study.actions(closed), study.actions(threading.Event())
    with ThreadPoolExecutor() as pool:
        first = pool.submit(actions["explain"], {**request, "seed": 1})
        wait_until(lambda: begun)
        waits = pool.submit(actions[action], {**request, "seed": 2})
        closed.set()
        with pytest.raises(BadRequest, match="nobody waits"):
            waits.result(PATIENCE)
        goes_on.set()
        with pytest.raises(BadRequest, match="nobody waits"):
            first.result(PATIENCE)
    assert begun == [1]
    assert others["outlook"](request)["games"] == LEAST_GAMES


def explained(server: Server, **request: Any) -> dict[str, Any]:
    """Ask for reasons."""
    with server.socket() as client:
        return client.ask("explain", **request)


def test_reasons_are_given_in_words(server: Server) -> None:
    """Against a blunder of the example: points, and what the other seat does next."""
    play = Play(position_of(EXAMPLES / "azul_round4_close_2p.code"))
    best = make_agent("default").analyse(play, Limits(2000), seed=1).best
    worst = "D2:R>F"
    after = play.copy()
    after.push(worst)
    reply = after.legal_moves[0]
    answer = explained(server, position=play.code(), moves=[best.move, worst],
                       lines=[list(best.pv), [worst, reply]])
    first, second = answer["moves"]
    assert (first["move"], second["move"]) == (best.move, worst)
    assert second["words"] == describe(play.position, worst)
    assert second["next"] == [{"seat": after.turn, "words": describe(after.position, reply)}]
    other = 1 - play.turn  # it gives the other seat points
    assert f"Played out to the end, {worst} brings you " in answer["cost"]
    assert f" {best.move} on average" in answer["cost"]
    assert f"Seat {other} gets " in answer["cost"]
    assert sum(first["parts"][other].values()) < sum(second["parts"][other].values())
    same = explained(server, position=play.code(), moves=[worst, worst])
    assert same["cost"] == ""


@pytest.mark.parametrize(("own", "rival", "said"), [
    # What speaks for neither move, or for the other one, is said to.
    ({"stars": -1.1, "numbers": 1.4, "play": 0.0}, 0.0,
     "brings you neither clearly more nor clearly fewer points than a on average: 1.1 fewer from"
     " full stars, 1.4 more from full sets of numbers. These quick games do not favour a; the"
     " search sees further than they do."),
    ({"stars": -4.6, "numbers": 0.0, "play": 0.0}, -5.5,
     "brings you 4.6 points fewer than a on average: 4.6 fewer from full stars. Seat 1 gets 5.5"
     " points fewer. These quick games do not favour a; the search sees further than they do."),
    ({"stars": -2.0, "numbers": 0.0, "play": 0.26}, 1.0,
     "brings you 1.7 points fewer than a on average: 2.0 fewer from full stars, 0.3 more from all"
     " else. Seat 1 gets 1.0 points more."),
    ({"stars": 0.0, "numbers": 0.0, "play": 0.0}, 2.3,
     "brings you neither clearly more nor clearly fewer points than a on average. Seat 1 gets 2.3"
     " points more."),
    ({"stars": -0.5, "numbers": 0.7, "play": 0.1}, 0.7, None)])
def test_what_a_move_costs_adds_up(own: dict[str, float], rival: float, said: str | None) -> None:
    better = ({"stars": 9.0, "numbers": 4.0, "play": 30.0}, {"stars": 5.0, "numbers": 5.0,
                                                             "play": 30.0})
    worse = ({name: value + own[name] for name, value in better[0].items()},
             {**better[1], "stars": better[1]["stars"] + rival})
    assert _cost(["a", "b"], [[better] * 3, [worse] * 2], 0) == (
        "" if said is None else f"Played out to the end, b {said}")


def test_noise_is_no_reason() -> None:
    """Games differ by more than moves do: their mean is told once it is beyond its error."""
    better = [({"stars": 20, "play": 30}, {"stars": 20, "play": 30})] * 200
    worse = [({"stars": 17 + 10 * (number % 2), "play": 21 + 20 * (number % 2)},
              {"stars": 20, "play": 21 + 20 * (number % 2)}) for number in range(200)]
    assert _cost(["a", "b"], [better, worse], 0) == (
        "Played out to the end, b brings you neither clearly more nor clearly fewer points than a"
        " on average: 2.0 more from full stars. These quick games do not favour a; the search sees"
        " further than they do.")
    noise = [({**own, "stars": 20}, rival) for own, rival in worse]
    assert _cost(["a", "b"], [better, noise], 0) == ""
    fewer = [({**own, "stars": 17}, better[0][1]) for own, _ in worse]  # 3 stars, 2 in all
    assert _cost(["a", "b"], [better, fewer], 0) == (
        "Played out to the end, b brings you neither clearly more nor clearly fewer points than a"
        " on average: 3.0 fewer from full stars.")


def test_chance_alone_is_seldom_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all that is compared something lies beyond two standard errors quite often."""
    monkeypatch.setattr("pavilion_ai.forecast.MAX_SECONDS", 60)
    games = played_out(Play(position_of(DRAFTING)), 800, seed=1)
    told = 0
    for seed in range(60):
        mixed = Random(seed).sample(games, 400)
        told += _cost(["a", "b"], [mixed[:200], mixed[200:]], 0) != ""
    assert told <= 4


@pytest.mark.parametrize(("change", "field"), [
    ({"moves": ["D1:P"]}, "moves"), ({"moves": ["x", "y"], "lines": None}, "moves"),
    ({"moves": None}, "moves"),
    ({"lines": 1}, "lines"), ({"lines": [[], []]}, "lines"), ({"lines": [["C:B"], [3]]}, "lines"),
    ({"lines": [["C:B", "x"], ["C:Y"]]}, "moves"), ({"position": None}, "position")])
def test_wrong_requests_are_refused(server: Server, change: dict[str, Any], field: str) -> None:
    good = {"position": to_json(position_of(DRAFTING)), "moves": ["C:B", "C:Y"],
            "lines": [["C:B"], ["C:Y"]]}
    assert "error" not in explained(server, **good)
    assert explained(server, **{**good, **change})["field"] == field


def test_drafts_are_drawn_though_unsound(server: Server) -> None:
    """A position that is being edited: as drawn as a sound one, as long as it can be read."""
    good = to_json(position_of(PLACING))
    with server.socket() as client:
        assert client.ask("sketch", position=good)["text"] == client.ask(
            "show", position=good, format="svg")["text"]
        seats: Any = good["seats"]
        unsound = {**good, "seats": [{**seats[0], "hand": "9P9G"}, *seats[1:]]}
        assert "error" in client.ask("show", position=unsound, format="svg")
        assert client.ask("sketch", position=unsound)["text"].startswith("<svg")
        for change in ({"seats": []}, {"seats": [1, 2]}, {"displays": "x"}, {"game": "chess"},
                       {"seats": [{**seats[0], "hand": 3}]}):
            answer = client.ask("sketch", position={**good, **change})
            assert answer["field"] == "position", change
        for path in (DRAFTING, BONUS, *AZUL_EXAMPLES):
            raw: dict[str, Any] = to_json(position_of(path))
            first, *others = raw["seats"]
            full = {key: {"wall": ["BBBBB"] * 5, "lines": ["6B"] * 5, "floor": "**BBBBBBBB",
                          "score": -1, "hand": "25B", "kept": "9B"}.get(key, value)
                    for key, value in first.items()}
            changes: list[dict[str, Any]] = [
                {"round": 99}, {"phase": None}, {"seats": [full, *others]}, {"displays": [
                    "9B", *raw["displays"][1:]]}]
            for phase in ("draft", "place", "bonus", "wall", "deal", "supply", "over"):
                changes.append({"phase": phase, "bag": None, "bag_size": None})
            for change in changes:
                answer = client.ask("sketch", position={**raw, **change})
                assert answer.get("text", "").startswith("<svg"), (path, change)
            over = client.ask("sketch", position={**raw, "phase": "over"})
            assert "the game is over" in over["text"]
            many = {"wall": ["B" * 999] * 5, "lines": ["999B"] * 5, "floor": "*" * 999,
                    "hand": "999B", "kept": "999B"}
            for change in ({"centre": "9999B"}, {"displays": ["999B"] * len(raw["displays"])},
                           *({"seats": [{**first, key: value}, *others]}
                             for key, value in many.items() if key in first)):
                assert client.ask("sketch", position={**raw, **change})["field"] == "position"
        for value in (None, 1, "x", [], {}):
            assert client.ask("sketch", position=value)["field"] == "position"


def test_several_files_at_once(server: Server) -> None:
    """Parts of one game are joined; a file that cannot be read does not spoil the others."""
    game = (EXAMPLES / "game_2p.jsonl").read_bytes()
    files = {"a b.jsonl": game, "x\u202ey": b"nonsense", "p": PLACING.read_bytes()}
    query = "&".join(f"file={quote(name)}&size={len(body)}"
                     for name, body in files.items())
    status, _, body = server.request("POST", f"/import?{query}", b"".join(files.values()))
    answer = json.loads(body)
    assert status == 200
    assert answer["records"] == server.imported(game)[1]["records"]
    assert answer["positions"] == [to_json(position_of(PLACING))]
    assert answer["problems"][0]["message"].startswith("x?y: ")
    whole = PLACING.read_bytes() + b"\n"
    size = len(whole)
    assert server.request("POST", f"/import?file=a&size={size}", whole)[0] == 200
    for wrong in (f"file=a&size={size - 1}", f"file=a&size={size + 1}", "file=a", f"size={size}",
                  f"file=a&file=b&size={size}", "file=a&size=-1", "file=a&size=x"):
        assert server.request("POST", f"/import?{wrong}", whole)[0] == 400


def test_a_view_is_what_the_single_answers_are(server: Server) -> None:
    """With moves as well as without; a person's board comes first."""
    position = to_json(position_of(BONUS))
    with server.socket() as client:
        moves = client.ask("moves", position=position)["moves"][:1]
        applied = client.ask("apply", position=position, moves=moves, seed=5)
        for start, more, shown in ((position, {}, position),
                                   (position, {"moves": moves, "seed": 5}, applied["position"])):
            answer = client.ask("view", position=start, columns=1, dark=True, people=[0], **more)
            described = client.ask("moves", position=shown, describe=True)["described"]
            assert answer["position"] == shown
            assert answer["played"] == (applied["played"] if more else [])
            plies = client.ask("replay", position=start, moves=answer["played"])["plies"]
            assert answer["drawn"] == ["" if ply["seat"] is not None else ply["words"]
                                       for ply in plies]
            assert (answer["moves"], answer["chance"]) == (described, None)
            for key, options in (("code", {"format": "code"}), ("svg", {
                    "format": "svg", "columns": 1, "dark": True, "first": 0})):
                assert answer[key] == client.ask("show", position=shown, **options)["text"]
        for change in ({"people": 1}, {"people": [7]}, {"people": ["0"]}, {"moves": ["x"]},
                       {"columns": 0}, {"first": 9}, {"position": None}):
            assert client.ask("view", **{"position": position, **change})["field"] in change


def test_a_view_leaves_aside_what_was_discarded_since() -> None:
    """Of a bag of unknown contents the past tells it, the position alone does not."""
    start = {**to_json(Play.new("azul", seed=1).position), "bag": None, "lid": None, "bag_size": 80}
    game = Play(start)
    while not game.chance:
        game.push(game.legal_moves[-1])
    last = game.pop()
    asked = {"position": to_json(game.position), "moves": [last], "seed": 5}
    found = view({**asked, "past": {"start": start, "moves": list(game.moves)}})
    played = game.push_all([last], 5)
    assert found["played"] == played != view(asked)["played"]
    assert (found["position"], found["code"]) == (to_json(game.position), game.code())
    assert found["drawn"] == ["", view({**asked, "moves": played})["drawn"][1]]


@pytest.mark.parametrize(("code", "people", "first"), [
    (DRAFTING.read_text(), [], 0), (DRAFTING.read_text(), [1], 1),
    (DRAFTING.read_text(), [1, 0], 0),
    (chance_position(), [], 0), (chance_position(), [1], 1),
])
def test_the_board_of_a_person_comes_first(code: str, people: list[int], first: int) -> None:
    """That of the mover, who is seat 0 in the draft, if the mover is a person."""
    position = parse_position(code).position
    found = view({"position": code, "people": people})
    assert found["svg"] == picture({"first": first}, position)
