"""A game in progress: against the facade on whole games, its edges, its record."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
from collections.abc import Iterator
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from pavilion_ai import Agent, Match, __version__, make_agent
from pavilion_ai import Play as PublicPlay
from pavilion_ai.errors import (
    IllegalMoveError,
    InvalidMoveError,
    PavilionError,
    PositionError,
    RecordError,
    SpecError,
)
from pavilion_ai.games import CHANCE_STREAM, GAMES, Rng
from pavilion_ai.network import NETS, shipped
from pavilion_ai.notation import format_position, parse_position, to_json
from pavilion_ai.notation.tiles import format_tiles, parse_tiles
from pavilion_ai.play import DRAW_STREAM, Play, walk
from pavilion_ai.record import FINISHED, UNFINISHED, GameRecord
from pavilion_ai.render import as_svg, as_text
from pavilion_ai.rollout import roll_out
from pavilion_ai.version import engine_identity
from tests.plays import VARIANTS

every_variant = pytest.mark.parametrize(("game", "board", "players"), VARIANTS)


def random_game(game: str, board: str, players: int, seed: int) -> Iterator[Play]:
    """Play at random; yield the play at the start and after every step."""
    chooser = Random(seed)
    play = Play.new(game, board=board, players=players, seed=seed)
    yield play
    while not play.is_over():
        if play.turn is None:
            play.draw()
        else:
            likely = [move for move in play.legal_moves if move[:4] != "pass" and move[-2:] != ">F"]
            play.push(chooser.choice(likely or play.legal_moves))
        yield play


def finished(game: str = "summer", seed: int = 3) -> Play:
    """Return a game that is over."""
    *_, play = random_game(game, "coloured", 2, seed)
    return play


@every_variant
def test_a_game_is_that_of_the_facade(game: str, board: str, players: int) -> None:
    rules, seen = GAMES[game], set()
    for play in random_game(game, board, players, players):
        here = rules.from_core(rules.to_core(play.position))
        assert play.position == here
        assert (play.turn, play.phase) == (here.to_move, here.phase)
        assert play.chance == rules.chance(here)
        assert play.is_over() == (here.phase == "over")
        assert list(play.legal_moves) == rules.legal_moves(here)
        assert list(play.list_moves("maximal")) == rules.legal_moves(here, "maximal")
        assert len(play.legal_moves) == len(rules.legal_moves(here))
        assert play.scores() == tuple(seat.score for seat in here.seats)
        assert play.state == rules.to_core(here)
        seen.add(play.phase)
    assert {"draft", "deal", "over"} <= seen
    assert play.winners() == tuple(rules.winners(play.position))
    assert list(play.breakdown()) == rules.breakdown(play.position)
    position = play.start
    for ply in play.plies:
        assert ply.seat == position.to_move
        assert ply.state == rules.to_core(position)
        assert rules.canonical(position, ply.move) == ply.move
        position = rules.apply(position, ply.move)
    assert position == play.position


@every_variant
def test_what_is_popped_comes_back(game: str, board: str, players: int) -> None:
    *_, play = random_game(game, board, players, 5)
    end, moves = play.position, play.moves
    passed = [play.copy() for _ in range(2)]
    while play.plies:
        assert play.pop() == moves[len(play.plies)]
    assert play.position is play.start
    for move in moves:
        assert play.push(move) == move
    assert (play.position, play.moves) == (end, moves)
    assert all(one == play and one.position == end for one in passed)
    with pytest.raises(PavilionError, match="no move to take back"):
        Play(play.start).pop()


def test_a_copy_goes_its_own_way() -> None:
    play = Play.new(seed=1)
    other = play.copy()
    play.push(play.legal_moves[0])
    assert (len(play.moves), len(other.moves)) == (1, 0)
    other.push(other.legal_moves[1])
    assert play != other
    assert play.position != other.position
    for again in (copy.deepcopy(play), pickle.loads(pickle.dumps(play)), play.copy()):
        assert (again, again.seed) == (play, play.seed)
    other = play.copy(5)
    assert (other, other.seed, play.seed) == (play, 5, 1)


class Named(Play):
    """A play with attributes besides."""

    name = ""
    notebook: list[str]


def test_a_copy_of_a_subclass_has_what_that_has() -> None:
    play = Named.new("azul", seed=1)
    assert isinstance(play, Named)
    play.name = "mine"
    other = play.copy(seed=2)
    other.push(other.legal_moves[0])
    assert (type(other), other.name, other.seed) == (Named, "mine", 2)
    assert (play.seed, play.moves) == (1, ())
    play.notebook = ["D1:B"]
    for again in (play.copy(), copy.copy(play), copy.deepcopy(play),
                  pickle.loads(pickle.dumps(play))):
        assert (again, type(again), vars(again).keys()) == (play, Named, vars(play).keys())
        assert (again.name, again.notebook) == ("mine", play.notebook)
    assert play.copy().notebook is copy.copy(play).notebook is play.notebook
    assert copy.deepcopy(play).notebook is not play.notebook
    assert Play(play.start).__reduce__()[2] is None


@pytest.mark.parametrize("moves", ["D1:B", 5, None])
def test_one_move_is_no_list_of_moves(moves: Any) -> None:
    play = Play.new("azul", seed=1)
    for take in (lambda: Play(play.start, moves), lambda: play.push_all(moves),
                 lambda: roll_out(play, moves)):
        with pytest.raises(InvalidMoveError, match=r"^found .*, expected a list of moves$"):
            take()


def test_a_play_tells_what_its_text_left_out() -> None:
    text = "game: azul\ndisplays: 4B - - - -\nname: Ada\n"
    play = Play(text)
    assert play.notes == parse_position(text).notes
    assert "round: not given, taken as 1" in play.notes
    assert "'name' on line 3" in play.notes[-1]
    for again in (copy.copy(play), pickle.loads(pickle.dumps(play)), play.copy()):
        assert again.notes == play.notes
    assert Play(play.start).notes == Play(play.code()).notes == ()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, Play.copy,
                                    lambda play: pickle.loads(pickle.dumps(play))])
def test_copies_of_a_play_without_a_seed_draw_the_same_tiles(copied: Any) -> None:
    *_, before = (play.position for play in random_game("summer", "coloured", 2, 8)
                  if play.phase == "deal")
    play = Play(before)
    other = copied(play)
    assert play.draw() == other.draw()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_start_with_lists_is_kept_unchangeable(game: str) -> None:
    opening: Any = Play.new(game, seed=1).start
    lists = [list(display) for display in opening.displays]
    centre = [*opening.centre]
    play = Play(dataclasses.replace(opening, displays=lists, centre=centre))
    moves = list(play.legal_moves)
    lists[0][0], centre[0] = 5, 5
    assert play.start == play.position == play.record().start == opening
    assert play.code() == format_position(opening, "code")
    play.push(moves[0])
    play.pop()
    assert play.position == opening
    assert Play(opening).start is opening


def test_draws_follow_from_the_seed_and_the_number_of_moves() -> None:
    """So a game that was taken back or resumed draws the same tiles again."""
    *_, play = random_game("summer", "coloured", 2, 8)
    draws = [n for n, ply in enumerate(play.plies) if ply.seat is None]
    assert len(draws) >= 8
    again = Play(play.start, seed=play.seed)
    for ply in play.plies:
        if ply.seat is None:
            position = again.position
            move, _ = again.rules.draw(
                position, Rng(play.seed, DRAW_STREAM + len(again.plies)))
            assert again.draw_once() == move == ply.move
        else:
            again.push(ply.move)
    assert Play.new(seed=8).start == play.start
    assert Play(play.start, play.moves[:draws[0]], seed=9).draw() != [play.moves[draws[0]]]


def test_all_that_is_due_is_drawn() -> None:
    """A top-up after the turn that ends a round is followed by the deal."""
    between = next(play.position for play in random_game("summer", "coloured", 2, 8)
                   if play.phase == "deal")
    data = to_json(between)
    assert "O" in data["supply"]
    taken = parse_tiles(data["supply"], "PGOYBR")
    data["supply"] = format_tiles([n - (at == 2) for at, n in enumerate(taken)], "PGOYBR")
    bag = parse_tiles(data["bag"], "PGOYBR")
    data["bag"] = format_tiles([n + (at == 2) for at, n in enumerate(bag)], "PGOYBR")
    data |= {"phase": "supply", "next_to_move": None, "bag_size": data["bag_size"] + 1}
    for seat in data["seats"]:
        seat |= {"passed": True, "kept": seat["hand"], "hand": "-"}
    play = Play(data, seed=1)
    made = play.copy().draw(seed=4)
    assert [move.partition(":")[0] for move in made] == ["supply", "deal"]
    assert play.copy().draw(seed=4) == made
    assert play.copy().draw(Rng(4, CHANCE_STREAM)) == made
    drawn, copied = play.copy(), play.copy()
    drawn.draw()
    with pytest.raises(IllegalMoveError):    # what is legal depends on the draw
        copied.push_all(drawn.legal_moves[:1])
    assert copied == play
    assert play.draw_once().startswith("supply:")
    assert (play.chance, play.turn) == ("deal", None)
    other = play.copy()
    assert play.draw_once().startswith("deal:")
    assert play.draw() == []
    twin = other.copy()
    assert [twin.draw_once(5)] == other.draw(5)


def test_an_illegal_move_of_several_is_named_by_its_number() -> None:
    play = Play.new(seed=1)
    first = play.legal_moves[0]
    for third, kind in (("D9:P", IllegalMoveError), ("nonsense", InvalidMoveError)):
        trial = play.copy()
        with pytest.raises(kind, match=rf"^move 2: .*{third}") as refused:
            trial.push_all([first, third])
        assert type(refused.value) is kind
        assert trial.moves == (first,)


@every_variant
def test_legal_moves_are_a_container(game: str, board: str, players: int) -> None:
    play = Play.new(game, board=board, players=players, seed=2)
    legal, listed = play.legal_moves, play.rules.legal_moves(play.position)
    assert listed[0] in legal
    assert "pass:7P" not in legal
    assert "" not in legal
    assert 3 not in legal
    assert (len(legal), legal[0], legal[-1], legal[1:3]) == (
        len(listed), listed[0], listed[-1], listed[1:3])
    assert bool(legal)
    play.push(legal[0])
    assert list(legal) == listed, "they stay those of the position they were asked of"
    assert listed[0] in repr(legal)
    for same in (legal, listed, Play(play.start).legal_moves, pickle.loads(pickle.dumps(legal)),
                 copy.deepcopy(legal)):
        assert legal == same
    for other in (play.legal_moves, listed[1:], tuple(listed), None):
        assert legal != other


def test_moves_known_from_other_rounds_are_not_legal_by_that() -> None:
    """The same string may pay with another wild colour in another round, or not be there."""
    *_, play = random_game("summer", "coloured", 2, 6)
    every = {ply.move for ply in play.plies}
    play = Play(play.start)
    for move in every:
        legal = move in play.rules.legal_moves(play.position)
        assert (move in play.legal_moves) == legal
        if not legal:
            with pytest.raises(IllegalMoveError):
                play.push(move)
    assert play.plies == []


@pytest.mark.parametrize(("move", "error", "why"), [
    ("D9:P", IllegalMoveError, "only 5 displays"),
    ("nonsense", InvalidMoveError, "expected a move such as"),
    ("deal:P,P,P,P,P", IllegalMoveError, "no tiles are to be drawn"),
    (7, InvalidMoveError, "found 7"),
    (["D1:P"], InvalidMoveError, "a list of 1"),
])
def test_a_refused_move_leaves_the_play_as_it_was(
    move: str, error: type[PavilionError], why: str
) -> None:
    play = Play.new(seed=5)
    before = play.position
    for ask in (play.push, play.ply_of):
        with pytest.raises(error, match=why):
            ask(move)
    assert (play.position, play.moves) == (before, ())


def test_lenient_input() -> None:
    play = Play.new(seed=1)
    move = play.legal_moves[0]
    with pytest.raises(InvalidMoveError):
        play.push(move.lower())
    assert play.push(f" {move.lower()} ", lenient=True) == move


def test_arguments_are_checked() -> None:
    with pytest.raises(SpecError, match=r"game 'chess': expected one of summer, azul"):
        Play.new("chess")
    for players, found in ((5, "5"), (True, "true"), (2.0, r"2\.0")):
        with pytest.raises(SpecError, match=f"^players {found}: expected a whole number from 2 to"):
            Play.new(players=players)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="seed"):
        Play.new(seed="x")  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="seed"):
        Play(Play.new(seed=1).start, seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(PositionError):
        Play("no position")
    for value in (None, 5, b"x", [1]):
        with pytest.raises(PositionError, match="expected a position in any form: a JSON"):
            Play(value)  # type: ignore[arg-type]
    with pytest.raises(PositionError, match="found a Play, expected a position; `copy` copies"):
        Play(Play.new(seed=1))  # type: ignore[arg-type]
    with pytest.raises(SpecError, match="keep_policy"):
        Play.new(seed=1).list_moves("all")
    with pytest.raises(IllegalMoveError, match="nothing is to be drawn"):
        Play.new(seed=1).draw_once()
    with pytest.raises(SpecError, match="seed '5'"):
        Play.new(seed=1).draw_once("5")  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["code", "text", "json"])
def test_any_form_of_a_position_begins_a_play(form: str) -> None:
    start = finished(seed=4).start
    assert Play(format_position(start, form)).position == start
    assert Play(to_json(start)).position == start


# ------------------------------------------------------------------------------------ records

def test_a_record_says_what_happened_and_replays() -> None:
    for game in GAMES:
        play = finished(game)
        record = play.record(["greedy", {"spec": "random", "version": "1"}], id="g",
                             seconds=[1.23456, 2], engine={"name": "own", "version": "2"},
                             extra={"table": 7})
        assert (record.engine, record.extra) == ({"name": "own", "version": "2"}, {"table": 7})
        assert (record.id, record.seed, record.reason) == ("g", 3, FINISHED)
        assert record.agents == ({"spec": "greedy", "version": ""},
                                 {"spec": "random", "version": "1"})
        assert record.seconds == (1.235, 2)
        assert record.end_faults(play.position) == []
        assert GameRecord.from_json(record.to_json()) == record
        assert Play.of(record) == play
        assert {Play.of(record).seed, *(one.seed for one in walk(record))} == {play.seed}
        plies = [(len(one.plies), one.position) for one in walk(record)]
        assert [number for number, _ in plies] == list(range(len(play.moves) + 1))
        assert plies[-1][1] == play.position
        for ply in (0, 1, len(play.moves)):
            assert Play.of(record, ply).position == plies[ply][1]


def test_a_record_by_default() -> None:
    play = Play.new("azul", players=3, seed=6)
    record = play.record()
    assert (record.id, record.reason, record.winners, record.breakdown) == (
        "play-6", UNFINISHED, (), ())
    assert record.agents == ({"spec": "human", "version": ""},) * 3
    assert record.seconds == (0, 0, 0)
    assert record.engine == engine_identity()


def test_what_is_empty_is_given() -> None:
    record = Play.new(seed=6).record(id="", engine={}, extra={})
    assert (record.id, record.reason, record.engine, record.extra) == ("", UNFINISHED, {}, {})
    assert GameRecord.from_json(record.to_json()) == record


@pytest.mark.parametrize("reason", ["", FINISHED])
def test_a_game_does_not_end_without_a_reason(reason: str) -> None:
    with pytest.raises(RecordError, match=rf"^reason '{reason}': expected why the game is over"):
        Play.new(seed=6).record(reason=reason)
    assert finished().record(reason=FINISHED) == finished().record()


def test_players_of_a_record() -> None:
    class Mine(Agent):
        pass

    play, agent = finished(), make_agent("ismcts:sims=5")
    entry = {"spec": "x", "version": "1"}
    assert play.record([agent, Mine()]).agents == (
        {"spec": "ismcts:sims=5", "version": __version__},
        {"spec": "Mine", "version": __version__})
    assert play.record(iter([entry, "y"])).agents == (  # type: ignore[arg-type]
        entry, {"spec": "y", "version": ""})
    assert play.record([{"spec": "x", "name": "Ann"}, "y"]).agents[0] == {
        "spec": "x", "version": "", "name": "Ann"}
    wrong: Any
    for wrong, why in (("ab", "found 'ab', expected one per seat"), ([], "found 0, expected 2"),
                       (entry, "found an object, expected one"),
                       ([5, "y"], "found 5, expected a spec"),
                       ([{"version": "1"}, "y"], "found an object, expected a spec"),
                       ([{"spec": 5}, "y"], "found an object, expected a spec"),
                       ([{"spec": "x", "name": 5}, "y"], "found an object, expected a spec"),
                       ([Mine, "y"], "found a type, expected a spec")):
        with pytest.raises(RecordError, match=f"agents: {why}"):
            play.record(wrong)


def test_only_records_are_replayed() -> None:
    wrong: Any
    for wrong in (None, "games.jsonl", Play.new(seed=1)):
        for replay in (Play.of, lambda record: next(walk(record))):
            with pytest.raises(RecordError, match=r"^found .*, expected a GameRecord$"):
                replay(wrong)


def test_a_record_tells_of_agents_what_a_match_tells() -> None:
    spec = f"policy:net={NETS / 'azul-coloured-2.net'}"
    agents = [make_agent(spec), make_agent("random")]
    match = Match(agents, game="azul", pairs=1, seed=1)
    match.run()
    found = finished("azul").record(agents).agents
    assert found == match.records[0].agents
    assert found[0] == {"spec": spec, "version": __version__,
                        "network": shipped("azul", "coloured", 2).sha256}


def test_faulty_records_are_refused() -> None:
    play = finished()
    record = play.record()
    for ply in (-1, len(play.moves) + 1, True, "3"):
        with pytest.raises(RecordError, match="ply"):
            Play.of(record, ply)  # type: ignore[arg-type]
    spoiled = GameRecord.from_json({**record.to_json(), "moves": ["D9:P", *record.moves]})
    with pytest.raises(RecordError, match="move 1: D9:P is not legal"):
        Play.of(spoiled)
    with pytest.raises(RecordError, match="move 1"):
        list(walk(spoiled))
    with pytest.raises(RecordError, match="agents: found 1, expected 2"):
        play.record(["greedy"])
    with pytest.raises(RecordError, match="seconds: found 3, expected 2"):
        play.record(seconds=[1, 2, 3])


@pytest.mark.parametrize(("given", "fault"), [
    ({"agents": 5}, "agents: found 5, expected one per seat"),
    ({"seconds": 5}, "seconds: found 5, expected one per seat"),
    ({"seconds": ["a", "b"]}, "seconds[0]: found 'a', expected a number"),
    ({"seconds": [0, -1]}, "seconds[1]: found -1, expected a number from 0 to"),
    ({"seconds": [float("nan"), 0]}, "seconds[0]: found nan, expected a number from 0 to"),
    ({"id": 5}, "id: found 5, expected a string"),
    ({"reason": 7}, "reason: found 7, expected a string"),
    ({"reason": 0}, "reason: found 0, expected a string"),
    ({"engine": "x"}, "engine: found 'x', expected an object"),
    ({"engine": []}, "engine: found a list of 0, expected an object"),
    ({"engine": {"name": 5}}, "engine.name: found 5, expected a string"),
    ({"extra": [1]}, "extra: found [1], expected an object"),
    ({"extra": {3: 4}}, "extra: found the key 3, expected text"),
    ({"extra": {"x": [{1: 2, "1": 3}]}}, "extra.x[0]: found the key 1, expected text"),
    ({"extra": {"x": (1, {2})}}, "extra.x[1]: found a set, expected text, a finite number, true,"),
    ({"extra": {"x": float("nan")}}, "extra.x: found nan, expected text, a finite number"),
    ({"extra": {"x": np.float32("inf")}}, "extra.x: found inf, expected text, a finite number"),
    ({"extra": {"x": 10**1000}}, "extra.x: found a number of 3322 bits, expected text, a finite"),
    ({"engine": {1: "x"}}, "engine: found the key 1, expected text"),
    ({"agents": ["x", {"spec": "y", "at": {5}}]}, "agents[1].at: found a set, expected text"),
    ({"extra": {"moves": []}}, "extra: found the key 'moves', expected text, and none of the"),
])
def test_what_no_file_would_hold_is_in_no_record(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(RecordError, match=f"^{re.escape(fault)}"):
        Play.new(seed=1).record(**given)


def test_numbers_are_of_any_framework() -> None:
    play = Play.new(seed=1)
    seconds = play.record(seconds=np.array([1.23456, 2], np.float32)).seconds
    assert (seconds, {*map(type, seconds)}) == ((1.235, 2.0), {float})
    given = {"loss": np.float32(0.5), "step": [np.int64(3), (None, 10**999, "x", 2)]}
    record = play.record(["a", {"spec": "b", "step": np.int64(4)}], extra=given)
    assert json.dumps(record.extra) == f'{{"loss": 0.5, "step": [3, [null, {10**999}, "x", 2]]}}'
    assert record.agents[1] == {"spec": "b", "version": "", "step": 4}
    assert GameRecord.from_json(json.loads(json.dumps(record.to_json()))) == record


# -------------------------------------------------------------------------- as Python shows it

def test_how_a_play_is_shown() -> None:
    for play in (Play.new(seed=2), finished("azul")):
        assert eval(repr(play), {"Play": PublicPlay}) == play
        assert str(play) == str(play.position) == as_text(play.position)
        assert play._repr_svg_() == play.position._repr_svg_() == as_svg(play.position)
        ElementTree.fromstring(play._repr_svg_())
        assert repr(play.position).startswith(type(play.position).__name__)
