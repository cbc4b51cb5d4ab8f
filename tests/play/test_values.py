"""Values print as calls that make them again, or do not claim to; they cannot be changed."""

from __future__ import annotations

import copy
import inspect
import itertools
import json
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import pytest

import pavilion_ai
from pavilion_ai import (
    GAMES,
    Agent,
    GameRecord,
    Imported,
    Judge,
    Limits,
    Match,
    Play,
    Problem,
    RecordError,
    Rules,
    Timeouts,
    make_agent,
    parse_move,
    parse_position,
    parse_spec,
    review_game,
    roll_out,
    solve_position,
)
from pavilion_ai.envs import Guided
from pavilion_ai.frozen import frozen
from pavilion_ai.games import AzulRules, SummerRules
from pavilion_ai.notation import Move
from tests.envs.support import even
from tests.plays import decisions

if TYPE_CHECKING:
    from typing_extensions import assert_type

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "python.md"


def names() -> dict[str, Any]:
    """Return the public names, and those that the reference imports besides."""
    found = {name: getattr(pavilion_ai, name) for name in pavilion_ai.__all__}
    exec("\n".join(line for line in REFERENCE.read_text().splitlines()
                   if line.startswith("from pavilion_ai")), found)
    return found


class Own(Agent):
    """Needs nothing to be made."""

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        return play.legal_moves[0]


class Sized(Guided):
    """Needs another argument than the class it is made of."""

    def __init__(self, number: int) -> None:
        super().__init__(even, batch=number)


class Bare(Guided):
    """Is not made as the class it is made of."""

    def __init__(self) -> None:
        pass


class Nth(Own):
    """Needs a number."""

    def __init__(self, number: int) -> None:
        self.number = number


def ended(game: str) -> tuple[Play, Play]:
    """Return a game on grey boards at its last decision, and after it."""
    play = Play.new(game, board="grey", seed=1)
    last = [here.copy() for here in decisions(play, 1)][-1]
    return last, play


def test_values_print_as_calls() -> None:
    """Of every public class of values, and of what they hold."""
    last, play = ended("azul")
    records = [play.record(), ended("summer")[1].record()]
    moves = {parse_move(move, record.game) for record in records for move in record.moves}
    assert {*map(type, moves)} == {*get_args(Move)}
    analysis = make_agent("default:sims=2").analyse(last)
    rollout = roll_out(last, [last.legal_moves[0]], agent="greedy", trials=2)
    solution = solve_position(last)
    review = review_game(Play(last.position, [last.legal_moves[0]]).record(), Judge("flat:sims=9"))
    values = [
        *GAMES.values(), last, last.position, *records, *moves, analysis, analysis.root,
        analysis.moves[0], rollout, rollout.moves[0], solution, solution.moves[0],
        review.judgements[0], Imported(records[0], ("a note",), ("Ada", ""), ("1", "2")),
        parse_position(last.code()), parse_spec("ismcts:sims=10"),
        make_agent("greedy").decide(last), Limits(seconds=1), Timeouts(move=1),
        Problem("range", "seats", "wrong")]
    known = names()
    for value in values:
        again = eval(repr(value), known)
        assert type(again) is type(value)
        assert again == value
    report = Match(["greedy", "random"], pairs=1, seed=1).run()
    assert repr(review).startswith("<Review ")
    assert repr(report) == "<Report of 2 games>"
    assert repr(play.plies[0]) == f"<Ply {play.moves[0]!r}>"
    assert {known[name] for name in pavilion_ai.__all__ if is_dataclass(known[name])} <= (
        {*map(type, [*values, review, report, play.plies[0]])})


@pytest.mark.parametrize(("agent", "printed"), [
    (make_agent("default:sims=3"), "make_agent('default:sims=3')"),
    (make_agent("cmd:none"), "make_agent('cmd:none')"),
    (make_agent("cmd:none", timeouts=Timeouts(move=1)),
     f"make_agent('cmd:none', timeouts={Timeouts(move=1)!r})"),
    (Own(), "Own()"),
    (Own("mine"), "Own('mine')"),
    (Nth(3), "<Nth>"),
    (Sized(3), "<Sized 'guided'>"),
    (Bare(), "<Bare>"),
    (Guided(even, batch=8),
     f"Guided({even!r}, None, spec='guided', batch=8, observation='scaled')"),
    (Guided(even, Limits(sims=5), spec="mine", temperature=0.5),
     f"Guided({even!r}, {Limits(sims=5)!r}, spec='mine', batch=32, observation='scaled',"
     " temperature=0.5)"),
], ids=itertools.count())
def test_agents_print_as_calls_where_one_makes_them(agent: Agent, printed: str) -> None:
    assert repr(agent) == printed
    if repr(even) not in printed and not printed.startswith("<"):
        again = eval(printed, {**names(), "Own": Own})
        assert (type(again), again.spec, repr(again)) == (type(agent), agent.spec, printed)


@pytest.mark.parametrize("copied", [
    copy.copy, copy.deepcopy, lambda rules: pickle.loads(pickle.dumps(rules, 0)),
    lambda rules: type(rules)()], ids=["copied", "deep", "pickled", "made"])
def test_a_game_has_one_object_of_its_rules(copied: Callable[[Rules], Rules]) -> None:
    """So its names of moves are made once."""
    for rules in GAMES.values():
        assert copied(rules) is rules
        assert pickle.loads(pickle.dumps(rules.table)).game == rules.name
    assert GAMES["summer"] != AzulRules()
    assert GAMES["summer"] is SummerRules()
    if TYPE_CHECKING:  # mypy knows its class
        assert_type(SummerRules(), SummerRules)


def changes(value: Any) -> Iterator[Callable[[], object]]:
    """Yield attempts to change dictionaries and lists, and those in them."""
    if isinstance(value, dict):
        yield from (lambda: value.update(x=1), lambda: value.pop("spec", 0), value.clear)
        for entry in value.values():
            yield from changes(entry)
    elif isinstance(value, list):
        yield from (lambda: value.append(1), lambda: value.__setitem__(0, 1), value.sort,
                    lambda: value.extend([1]), lambda: value.__iadd__([1]), value.clear)
    if isinstance(value, (list, tuple)):
        for entry in value:
            yield from changes(entry)


def test_records_cannot_be_changed_inside() -> None:
    given: dict[str, Any] = {"match": {"pair": 1, "entrants": [0, 1], "more": [{"spec": "x"}]}}
    record = Play.new(seed=1).record(extra=given)
    record = replace(record, agents=tuple({**agent, "ids": [1]} for agent in record.agents))
    written = json.dumps(record.to_json())
    given["match"]["entrants"].append(2)
    attempts = [*changes((record.agents, record.breakdown, record.engine, record.extra))]
    assert len(attempts) > 30
    for attempt in attempts:
        with pytest.raises(TypeError, match=r"a Frozen(Dict|List) cannot be changed"):
            attempt()
    plain: Any = record.to_json()
    plain["match"]["more"][0]["spec"] = "y"
    plain["agents"][0]["ids"].append(2)
    assert json.dumps(record.to_json()) == written
    for twin in (copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert (twin, twin.extra) == (record, record.extra)
        with pytest.raises(TypeError, match="FrozenList"):
            twin.extra["match"]["entrants"].append(1)
    assert record.extra["match"]["entrants"] == [0, 1]
    for kept in (record.extra, record.extra["match"]["entrants"]):
        assert copy.copy(kept) is copy.deepcopy(kept) is kept
    assert eval(repr(record.extra)) == record.extra
    assert hash(frozen(given)) == hash(frozen(copy.deepcopy(given)))


class Pair(NamedTuple):
    """Holds what can be changed."""

    entries: list[int]
    name: str


def test_tuples_of_all_kinds_are_frozen_inside() -> None:
    kept = frozen({"x": Pair([1], "a"), "y": (1, [2])})
    for twin in (kept, pickle.loads(pickle.dumps(kept))):
        assert (type(twin["x"]), twin) == (Pair, {"x": Pair([1], "a"), "y": (1, [2])})
        for entries in (twin["x"].entries, twin["y"][1]):
            with pytest.raises(TypeError, match="FrozenList"):
                entries.append(3)


@pytest.mark.parametrize("wrap", [lambda value: [value], lambda value: {"a": value}],
                         ids=["lists", "objects"])
def test_what_can_be_read_can_be_pickled_and_copied(wrap: Callable[[Any], Any]) -> None:
    """As when a process reads records for another one."""
    data, deep = Play.new(seed=1).record().to_json(), 1
    for _ in range(400):
        deep = wrap(deep)
    record = GameRecord.from_json({**data, "x": deep})
    for twin in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert twin.extra["x"] == record.extra["x"]


def test_lists_of_a_record_become_tuples() -> None:
    record = ended("azul")[1].record()
    given = {name: [*getattr(record, name)] for name in ("moves", "scores", "winners", "seconds")}
    again = replace(record, **given)
    assert (again, hash(again)) == (record, hash(record))
    given["moves"].clear()
    assert again.moves == record.moves
    for name in given:
        with pytest.raises(RecordError, match=f"^{name}: found 'D1:G', expected a list"):
            replace(record, **{name: "D1:G"})


@pytest.mark.parametrize("name", ["agents", "breakdown"])
def test_lists_of_a_record_are_lists_of_objects(name: str) -> None:
    record = ended("azul")[1].record()
    given = getattr(record, name)
    for same in ([*given], map(dict, given), (one for one in given)):
        assert replace(record, **{name: same}) == record
    wrong: Any
    for wrong, found in ((5, "5"), ("ab", "'ab'"), (None, "null"), (given[0], "an object")):
        with pytest.raises(RecordError, match=f"^{name}: found {found}, expected a list of"):
            replace(record, **{name: wrong})
    with pytest.raises(RecordError, match=rf"^{name}\[1\]: found 'x', expected an object"):
        replace(record, **{name: [{}, "x"]})
    for wrong in (None, "x", [("name", "x")]):
        with pytest.raises(RecordError, match=r"^engine: found .*, expected an object"):
            replace(record, engine=wrong)


def frozen_classes() -> Iterator[Any]:
    """Yield the frozen dataclasses of the package, but for private ones and where torch is needed.
    """
    for module in pkgutil.walk_packages(pavilion_ai.__path__, "pavilion_ai."):
        if not module.name.startswith(("pavilion_ai.train", "pavilion_ai.__main__")):
            yield from (found for name, found in vars(import_module(module.name)).items()
                        if is_dataclass(found) and found.__module__ == module.name
                        and found.__dataclass_params__.frozen  # type: ignore[attr-defined]
                        and not name.startswith("_"))


def test_dictionaries_of_frozen_classes_are_frozen() -> None:
    """Each class says so itself."""
    named = [(made, field.name) for made in frozen_classes() for field in fields(made)
             if ("Mapping[" in field.type or "dict[" in field.type)
             and "Callable[" not in field.type]
    assert len(named) > 10
    for made, name in named:
        source = inspect.getsource(made.__post_init__)
        assert "freeze" in source, made
        assert f'"{name}"' in source, (made, name)
