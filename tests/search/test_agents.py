"""Agents: their specs, and that every one of them plays whole games in every variant."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pavilion_ai._core import Rng
from pavilion_ai.agents import Agent, make_agent, read_networks
from pavilion_ai.envs import guided
from pavilion_ai.errors import PavilionError, SpecError, shown
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.match.inprocess import Match
from pavilion_ai.network import NETS
from pavilion_ai.play import Play
from pavilion_ai.protocol.own import serve
from pavilion_ai.review import Judge
from pavilion_ai.search import Searcher
from pavilion_ai.spec import AGENT_NAMES, AgentSpec, parse_spec
from tests.plays import decisions, turns

from .support import EVERY_VARIANT, opening, search, states, wins

SMALL = {"flat": "flat:sims=20", "uct": "uct:sims=10", "ismcts": "ismcts:sims=10",
         "default": "default:sims=3"}
"""Specs of the searching agents that decide in a moment."""

WRONG = {"threads": (0, "x", 1.5), "report_every": (-1, "x"), "stop": (True, lambda: True),
         "limits": (5, {"sims": 5}), "seed": ("x", None, 1.5)}
"""Arguments that no agent takes."""

MOST_DECISIONS = {"summer": 126, "azul": 300}
"""Of a seat in a game: RULES.md D1; base Azul has no bound, random play ends by round 30 or so."""

every_game = pytest.mark.parametrize("game", GAMES)


@pytest.mark.parametrize("spec", ["random", "greedy", "policy", "default:level=3", "default:sims=3",
                                  "cmd:none", "guided"])
@pytest.mark.parametrize(("name", "value"), [
    (name, value) for name, values in WRONG.items() for value in values])
def test_every_agent_refuses_the_same_arguments(spec: str, name: str, value: Any) -> None:
    play = Play.new("azul", seed=1)
    agent = guided.Guided(lambda leaves: None) if spec == "guided" else make_agent(spec)
    methods = {"choose": agent.choose, "decide": agent.decide, "analyse": agent.analyse}
    for method in (["choose"] if name in ("limits", "seed") else []) + (
            ["decide"] if name != "report_every" else []) + ["analyse"]:
        with pytest.raises(SpecError, match=rf"^{name} .*: expected "):
            methods[method](play, **{name: value})


@pytest.mark.parametrize(("text", "spec"), [
    ("random", AgentSpec("random")),
    (" greedy ", AgentSpec("greedy")),
    ("default", AgentSpec("default")),
    ("ismcts:sims=2000,threads=2", AgentSpec("ismcts", {"sims": 2000, "threads": 2})),
    ("ismcts:time=0.5", AgentSpec("ismcts", {"time": 0.5})),
    ("uct:c=1.4,sims=10", AgentSpec("uct", {"c": 1.4, "sims": 10})),
    ("flat:sims=10,memory=8,win=1", AgentSpec("flat", {"sims": 10, "memory": 8, "win": 1.0})),
    ("ismcts:reuse=1,fpu=-0.5", AgentSpec("ismcts", {"reuse": 1, "fpu": -0.5})),
    ("ismcts: sims = 5 , time = 2", AgentSpec("ismcts", {"sims": 5, "time": 2.0})),
    ("new=greedy", AgentSpec("greedy", called="new")),
    (" the old one = uct:c=1.4", AgentSpec("uct", {"c": 1.4}, called="the old one")),
    ("1.0=cmd:env A=1 prog", AgentSpec("cmd", command="env A=1 prog", called="1.0")),
    ("cmd:env A=1 prog", AgentSpec("cmd", command="env A=1 prog")),
])
def test_specs(text: str, spec: AgentSpec) -> None:
    assert parse_spec(text) == spec


def test_specs_cannot_be_changed_and_are_hashed_by_what_they_say() -> None:
    given: dict[str, float | int | str] = {"sims": 5}
    spec = AgentSpec("ismcts", given)
    given["sims"] = 6
    assert spec.options == {"sims": 5}
    with pytest.raises(TypeError):
        spec.options["sims"] = 7  # type: ignore[index]
    same = parse_spec("ismcts:c=1,sims=5"), parse_spec("ismcts:sims=5,c=1.0")
    assert len({*same, spec, parse_spec("uct:sims=5")}) == 3


@pytest.mark.parametrize(("text", "complaint"), [
    ("", "agent '': expected one of random, greedy"),
    ("clever", "agent 'clever': expected one of"),
    ("ISMCTS", "agent 'ISMCTS': expected one of"),
    ("ismcts:", "option '': expected one of sims, time"),
    ("ismcts:sims", "expected sims=VALUE"),
    ("ismcts:depth=3", "option 'depth': expected one of sims, time"),
    ("ismcts:sims=0", "option sims: found '0', expected a whole number from 1"),
    ("ismcts:sims=-5", "option sims: found '-5', expected a whole number from 1"),
    ("ismcts:sims=many", "option sims: found 'many', expected a whole number"),
    ("ismcts:sims=1.5", "option sims: found '1.5', expected a whole number"),
    ("ismcts:sims=", "option sims: found '', expected a whole number"),
    ("ismcts:sims=9999999999999", "option sims: found '9999999999999', expected a whole number"),
    ("ismcts:time=0", "option time: found '0', expected a number from"),
    ("ismcts:time=nan", "option time: found 'nan', expected a number"),
    ("ismcts:time=inf", "option time: found 'inf', expected a number"),
    ("ismcts:threads=0", "option threads: found '0', expected a whole number from 1 to 256"),
    ("ismcts:threads=257", "option threads: found '257', expected a whole number from 1 to 256"),
    ("ismcts:memory=0", "option memory: found '0', expected a whole number"),
    ("ismcts:reuse=2", "option reuse: found '2', expected a whole number from 0 to 1"),
    ("ismcts:reuse=yes", "option reuse: found 'yes', expected a whole number from 0 to 1"),
    ("ismcts:sims=5,sims=6", "sims is given twice"),
    ("ismcts:sims=5,,time=1", "option '': expected one of"),
    ("policy:net=a,b.net", "option 'b.net': expected one of net; a comma ends the name of a file"),
    ("ismcts:c=-1", "option c: found '-1', expected a number from 0"),
    ("ismcts:temperature=0", "option temperature: found '0', expected a number"),
    ("random:sims=5", "agent random, option 'sims': expected none"),
    ("greedy:c=1", "agent greedy, option 'c': expected none"),
    ("flat:c=1", "agent flat, option 'c': expected one of"),
    ("default:c=1", "agent default, option 'c': expected one of"),
    ("ismcts:reuse=1,share=1", "option share: expected none beside reuse=1"),
    ("ismcts:rivals=0.5,reuse=1", "option rivals: expected none beside reuse=1"),
    ("ismcts:net=0,rivals=1", "option rivals: expected none beside net=0"),
    ("new=", "agent 'new=': expected one of random, greedy"),
    ("new=clever", "agent 'new=clever': expected one of random, greedy"),
    ("level=3", "agent 'level=3': expected one of random, greedy"),
    ("a=b=greedy", "agent 'a=b=greedy': expected one of random, greedy"),
    ("=greedy", "found the name '', expected 1 to 40 letters without : , ="),
    ("a,b=greedy", "found the name 'a,b', expected 1 to 40 letters without : , ="),
    ("a\tb=greedy", "expected 1 to 40 letters without : , ="),
    (f"{'a' * 41}=greedy", "expected 1 to 40 letters without : , ="),
    ("policy=greedy", "found the name policy, expected one that is not that of an agent"),
    ("cmd=greedy", "found the name cmd, expected one that is not that of an agent"),
    ("net=policy", "found the name net, expected one that is not that of an agent or an option"),
])
def test_bad_specs(text: str, complaint: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, PavilionError)
    with pytest.raises(SpecError):
        make_agent(text)


@pytest.mark.parametrize("spec", [None, 5, b"greedy", []])
def test_specs_are_text(spec: Any) -> None:
    expected = "^agent .*: expected a spec such as default or greedy"
    for read in (Judge, lambda found: Match([found, "greedy"])):
        with pytest.raises(SpecError, match=f"{expected}, or an object of a class derived from"
                           " Agent$"):
            read(spec)
    for read in (parse_spec, make_agent):
        for found in (spec, First()):
            with pytest.raises(SpecError, match=f"{expected}$"):
                read(found)


def test_an_agent_is_an_object_and_no_class() -> None:
    cls: Any = First
    for read in (Judge, serve, lambda found: Match([found, "greedy"])):
        with pytest.raises(
                SpecError, match=r"^agent: found the class First, expected an object: First\(\)$"):
            read(cls)


def test_names() -> None:
    assert {"random", "greedy", "flat", "uct", "ismcts", "default"} <= set(AGENT_NAMES)
    assert all(make_agent(name).spec == name for name in AGENT_NAMES)
    assert {name for name in AGENT_NAMES if make_agent(name).searches} == set(SMALL)


@pytest.mark.parametrize("name", AGENT_NAMES)
@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_whole_games(name: str, game: str, players: int, grey: bool) -> None:
    """All seats played by one agent, by the past too; only canonical legal moves, to the end."""
    agent, rules = make_agent(SMALL.get(name, name)), GAMES[game]
    play = Play(opening(players, rules.boards[grey], 9, game))
    for ply, _ in enumerate(turns(play, Rng(4))):
        move = agent.choose(play, seed=ply)
        assert rules.canonical(play.position, move) == move
        play.push(move)
    assert ply < MOST_DECISIONS[game] * players
    assert play.winners()


@every_game
@pytest.mark.parametrize("name", AGENT_NAMES)
def test_every_agent_gives_an_analysis(name: str, game: str) -> None:
    agent = make_agent(SMALL.get(name, name))
    position = opening(3, game=game)
    analysis = agent.analyse(Play(position), seed=2)
    assert analysis.agent == agent.spec
    assert analysis.final
    assert {move.move for move in analysis.moves} <= set(GAMES[game].legal_moves(position))
    assert analysis.best is analysis.moves[0]
    assert agent.choose(Play(position), seed=2) == analysis.best.move
    report = analysis.to_json(top=2)
    assert isinstance(report["moves"], list)
    assert len(report["moves"]) == (2 if agent.ranks else 1)
    if not agent.searches:
        assert analysis.root.visits == analysis.sims == 0
        assert [move.visits for move in analysis.moves] == [0]  # others have no order


@pytest.mark.parametrize(("game", "phase"), [
    ("summer", "over"), ("summer", "deal"), ("summer", "supply"), ("azul", "over"),
    ("azul", "deal"),
])
def test_nobody_to_move(game: str, phase: str) -> None:
    *_, play = decisions(Play(opening(4, seed=9, game=game), seed=2), seed=0)
    while play.phase != phase:
        play.pop()
    for name in AGENT_NAMES:
        with pytest.raises(PavilionError, match="no seat is to move"):
            make_agent(SMALL.get(name, name)).analyse(play)
    with pytest.raises(ValueError, match="no seat is to move"):
        First().analyse(play)


@pytest.mark.parametrize("spec", ["ismcts:sims=2", "default:level=2", "greedy", "policy"])
def test_arguments_of_another_kind_are_named(spec: str) -> None:
    agent, play = make_agent(spec), Play.new(seed=1)
    for ask in (agent.choose, agent.decide, agent.analyse):
        with pytest.raises(PavilionError, match="play: found a SummerPosition, expected a Play"):
            ask(play.position)  # type: ignore[arg-type]
    if agent.searches:
        for ask in (agent.choose, agent.decide, agent.analyse, Searcher("own").analyse):
            with pytest.raises(SpecError, match="limits 100: expected Limits, or None"):
                ask(play, 100)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["ismcts:sims=2", "default:level=2", "cmd:none"])
def test_what_stops_is_an_event(spec: str) -> None:
    wrong: Any = True
    for ask in (make_agent(spec).decide, make_agent(spec).analyse):
        with pytest.raises(SpecError, match=r"stop true: expected a threading.Event, or None"):
            ask(Play.new(seed=1), stop=wrong)


@pytest.mark.parametrize("wrong", [None, "D1:B", 5])
def test_moves_to_look_at_are_a_list(wrong: Any) -> None:
    play, agent = Play.new(seed=1), make_agent("ismcts:sims=2")
    for option, asks in (("only", (agent.decide, agent.analyse)), ("compare", (agent.analyse,)),
                         ("avoid", (agent.decide, agent.analyse))):
        for ask in asks:
            with pytest.raises(SpecError, match=f"^{option}: found .*, expected a list of moves"):
                ask(play, **{option: wrong})


@pytest.mark.parametrize("spec", ["greedy", "ismcts:sims=2", "default:level=2"])
def test_a_seed_of_numpy_is_one_of_python_in_an_analysis(spec: str) -> None:
    play, seed = Play.new(seed=1), np.int64(3)
    data = make_agent(spec).analyse(play, seed=seed).to_json()  # type: ignore[arg-type]
    assert json.loads(json.dumps(data))["seed"] == 3


@pytest.mark.parametrize("network", [0, 1, False, True, 2.5, b"x.net"])
def test_a_network_is_no_number(network: Any) -> None:
    with pytest.raises(SpecError, match=r"network .*: expected 'shipped', a file, or None"):
        Searcher("own", network=network)


@pytest.mark.parametrize("options", [
    {}, {"network": NETS / "summer-coloured-2.net", "reuse": True, "paced": False},
    {"network": None, "tunables": {"exploration": 2.0}}])
def test_a_searcher_can_be_copied(options: dict[str, Any]) -> None:
    searcher, play = Searcher("own", **options), Play.new(seed=1)
    found = searcher.analyse(play, Limits(sims=20))
    for twin in (copy.copy(searcher), pickle.loads(pickle.dumps(searcher))):
        assert (twin.reuse, twin.paced) == (searcher.reuse, searcher.paced)
        assert twin.analyse(play, Limits(sims=20)).moves == found.moves


class First(Agent):
    """Plays the first move, and fails where there is none."""

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        return play.legal_moves[0]


@pytest.mark.parametrize("spec", ["default", "ismcts", "policy", "default:level=9"])
def test_a_network_that_was_read_before_the_game_is_not_read_again(
    spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, play = make_agent(spec), Play.new(seed=2)
    read_networks([agent], play.start)
    monkeypatch.setattr("pavilion_ai.network.network_for", None)
    assert agent.decide(play, Limits(sims=2)).move in play.legal_moves


def test_an_agent_is_closed_at_the_end_of_a_block() -> None:
    closed = []

    class Opened(Agent):
        def close(self) -> None:
            closed.append(self)

    agent = Opened()
    with agent as same:
        assert (same, closed) == (agent, [])
    assert closed == [agent]
    with pytest.raises(NotImplementedError), agent:
        agent.choose(Play.new(seed=1))
    assert closed == [agent, agent]
    with make_agent("greedy") as greedy:
        assert greedy.choose(Play.new(seed=1)) in Play.new(seed=1).legal_moves


def test_the_clock_of_another_seat_is_no_limit() -> None:
    position = opening()
    clock = tuple(None if seat == position.to_move else 5.0 for seat in range(2))
    assert make_agent("ismcts:sims=20").analyse(Play(position), Limits(clock=clock)).sims == 20


@pytest.mark.parametrize("clock", [(0.1,), (0.1, 0.1, 0.1), (None,) * 5])
def test_clocks_are_those_of_all_seats(clock: tuple[float | None, ...]) -> None:
    play, limits = Play(opening()), Limits(clock=clock)
    agents = [make_agent(spec) for spec in ("ismcts:sims=2", "default:clock=5", "cmd:none")]
    own = guided.Guided(lambda leaves: [], Limits(sims=2))
    asks: list[Callable[[Play, Limits], object]] = [
        *(agent.decide for agent in agents), agents[0].analyse, Searcher("own").analyse,
        own.choose, guided.search]
    found = "a list of 5" if None in clock else shown(list(clock))
    told = f"limits.clock: found {found}, expected seconds, or null, for each of 2 seats"
    for ask in asks:
        with pytest.raises(SpecError, match=f"^{re.escape(told)}$"):
            ask(play, limits)


def test_limits_of_the_caller_go_before_those_of_the_spec() -> None:
    agent = make_agent("ismcts:sims=30,threads=2,memory=2")
    assert agent.analyse(Play(opening())).sims == 30
    assert agent.analyse(Play(opening())).threads == 2
    analysis = agent.analyse(Play(opening()), Limits(sims=7), threads=1)
    assert (analysis.sims, analysis.threads, analysis.limits.memory_mib) == (7, 1, 2)


@every_game
@pytest.mark.parametrize("board", ["coloured", "grey"])
def test_greedy_beats_random(game: str, board: str) -> None:
    assert wins("greedy", "random", game, board, pairs=4) >= 7


@pytest.mark.parametrize("board", ["coloured", "grey"])
def test_search_beats_greedy_at_base_azul(board: str) -> None:
    """The search wins about nine games of ten; equal agents would get to 30 once in a thousand."""
    assert wins("ismcts:sims=300", "greedy", "azul", board, pairs=20) >= 30


@every_game
@pytest.mark.parametrize("spec", ["policy", "uct:sims=100", "flat:sims=400"])
def test_every_agent_that_means_to_win_beats_random(spec: str, game: str) -> None:
    assert wins(spec, "random", game, "coloured", pairs=4) >= 7


@every_game
def test_flat_ranks_by_value_and_visits_evenly(game: str) -> None:
    analysis = make_agent("flat:win=1,sims=500").analyse(Play(opening(game=game)))
    visits = [move.visits for move in analysis.moves]
    assert max(visits) - min(visits) <= 1
    values = [move.win_prob for move in analysis.moves]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]


@every_game
@pytest.mark.parametrize("spec", ["uct", "flat"])
def test_baselines_play_on_from_ends_of_rounds_too(spec: str, game: str) -> None:
    """Every value they know is the result of a game that was played out: won, lost or shared."""
    seen = 0
    for state in states(2, False, 7, round=1, game=game):
        for move in state.moves(True):
            after = state.copy()
            after.apply(move)
            if not after.between_rounds:
                continue
            tree = search(state, **parse_spec(spec).tunables)
            tree.run(300)
            row = next(row for row in tree.rows() if row[0] == move)
            shares = 2 * row[4][0]
            assert row[1] > 5
            assert shares == pytest.approx(round(shares), abs=1e-6)
            assert 0 < shares < 2 * row[1]
            seen += 1
    assert seen
