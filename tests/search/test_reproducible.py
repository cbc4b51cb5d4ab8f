"""The same search gives the same answer: in one process, in two, in pieces, asked by threads."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import Analysis
from pavilion_ai.form import Forms
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.limits import Limits
from pavilion_ai.notation import format_position
from pavilion_ai.play import Play
from pavilion_ai.rivals import Rivals
from pavilion_ai.search import Searcher
from tests.plays import turns

from .support import EVERY_VARIANT, PLACE, WALL, opening, position_of, search, states

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ["ismcts", "uct", "flat", "greedy", "policy", "random", "default"]
TIMES = ("seconds", "sims_per_second")

every_game = pytest.mark.parametrize("game", GAMES)

IN_ANOTHER_PROCESS = """
import json, sys
from pavilion_ai.agents import make_agent
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.notation import parse_position
for line in sys.stdin:
    spec, code = json.loads(line)
    analysis = make_agent(spec).analyse(
        Play(parse_position(code).position), Limits(sims=300), seed=3)
    print(json.dumps(analysis.to_json()))
"""


def stripped(answer: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in answer.items() if key not in TIMES}


def answer(
    spec: str, analysis_seed: int, board: str = "grey", game: str = "summer"
) -> str:
    analysis = make_agent(spec).analyse(
        Play(opening(3, board, game=game)), Limits(sims=200), seed=analysis_seed)
    return json.dumps(stripped(analysis.to_json()))


@every_game
@pytest.mark.parametrize("spec", AGENTS)
def test_twice_in_one_process(spec: str, game: str) -> None:
    assert answer(spec, 5, game=game) == answer(spec, 5, game=game)


def test_one_agent_asked_twice_forgets_the_first_time() -> None:
    """Also where it was asked about another game in between."""
    agent = make_agent("ismcts:sims=300")
    first = agent.analyse(Play(opening()), seed=2).to_json()
    agent.analyse(Play(opening(4)), seed=2)
    other = agent.analyse(Play(opening(game="azul")), seed=2).to_json()
    assert stripped(agent.analyse(Play(opening()), seed=2).to_json()) == stripped(first)
    assert stripped(agent.analyse(Play(opening(game="azul")), seed=2).to_json()) == stripped(other)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("reader", [Rivals, Forms])
def test_an_agent_interrupted_as_it_read_the_moves_so_far_answers_as_a_fresh_one(
    reader: type, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No decision is counted twice, and none is lost."""
    minds = itertools.cycle(map(make_agent, ("policy", "policy:net=0")))
    for play in turns(Play.new("azul", players=3, seed=6), Rng(4)):
        if len(play.plies) > 23:
            break
        play.push(next(minds).choose(play))
    agent, read, seen = make_agent("default:sims=100"), reader._read, []

    def interrupted(*arguments: object) -> None:
        seen.append(arguments)
        if first and len(seen) == 10:
            raise KeyboardInterrupt
        read(*arguments)
        if len(seen) == 10:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(reader, "_read", interrupted)
        with pytest.raises(KeyboardInterrupt):
            agent.analyse(play, seed=7)
    found, fresh = (one.analyse(play, seed=7).to_json()
                    for one in (agent, make_agent("default:sims=100")))
    assert found["form"]
    assert stripped(found) == stripped(fresh)


@pytest.mark.release_only
def test_in_two_processes() -> None:
    positions = [
        opening(2),
        position_of(states(4, True, 2, round=3, phase=PLACE, choices=8)[0]),
        opening(3, game="azul"),
        position_of(states(2, True, 2, phase=WALL, choices=3, game="azul")[0]),
    ]
    asked = [
        (spec, format_position(position, "code"))
        for spec in ("ismcts", "uct", "flat", "random")
        for position in positions
    ]
    answers = []
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", IN_ANOTHER_PROCESS], cwd=ROOT, text=True, check=True,
            capture_output=True, input="\n".join(json.dumps(row) for row in asked),
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": hash_seed}, timeout=120)
        answers.append([stripped(json.loads(line)) for line in done.stdout.splitlines()])
    assert answers[0] == answers[1]
    here = [
        stripped(make_agent(spec).analyse(
            Play(positions[index % len(positions)]), Limits(sims=300), seed=3).to_json())
        for index, (spec, _) in enumerate(asked)
    ]
    assert json.loads(json.dumps(here)) == answers[0]


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_growing_limits(game: str, players: int, grey: bool) -> None:
    """run(100) and run(200) make the tree that run(300) makes."""
    state = states(players, grey, 3, round=2, choices=4, game=game)[-1]
    whole, pieces = search(state), search(state)
    assert whole.run(300) == 300
    assert pieces.run(100) + pieces.run(7) + pieces.run(193) == 300
    assert pieces.rows() == whole.rows()
    assert pieces.root_stats() == whole.root_stats()
    assert pieces.nodes == whole.nodes


@every_game
def test_slices_of_time_make_no_difference(game: str) -> None:
    state = states(2, False, 3, round=2, choices=8, game=game)[0]
    pieces = search(state)
    while pieces.sims < 3000:
        pieces.run(3000 - pieces.sims, time.monotonic() + 0.002)
    whole = search(state)
    whole.run(3000)
    assert pieces.rows() == whole.rows()


@pytest.mark.release_only
def test_reports_on_the_way_make_no_difference() -> None:
    reports: list[Analysis] = []
    searcher = Searcher("test")
    limits = Limits(sims=20_000)
    plain = searcher.analyse(Play(opening()), limits, seed=1)
    watched = searcher.analyse(Play(opening()), limits, 1, 1, reports.append, 0.01)
    assert stripped(plain.to_json()) == stripped(watched.to_json())
    assert reports
    assert not any(report.final for report in reports)
    assert [report.sims for report in reports] == sorted(report.sims for report in reports)
    assert plain.final


@every_game
def test_threads_share_the_simulations(game: str) -> None:
    one, two = (
        Searcher("test").analyse(Play(opening(game=game)), Limits(sims=501), threads, 1)
        for threads in (1, 2))
    assert one.sims == two.sims == one.root.visits == two.root.visits == 501


@every_game
@pytest.mark.parametrize("spec", ["ismcts:net=0", "uct", "flat"])  # with one: test_network_search
def test_seeds_differ(spec: str, game: str) -> None:
    answers = {
        answer(spec, seed, game=game).replace(f'"seed": {seed}', "") for seed in range(4)}
    assert len(answers) == 4


@every_game
def test_random_agent_follows_the_seed(game: str) -> None:
    start = opening(game=game)
    chosen = [make_agent("random").choose(Play(start), seed=seed) for seed in range(30)]
    assert chosen == [make_agent("random").choose(Play(start), seed=seed) for seed in range(30)]
    assert len(set(chosen)) > 5


def test_searches_in_parallel_do_not_disturb_each_other() -> None:
    alone = answer("ismcts", 7)
    answers: list[str] = []
    workers = [
        threading.Thread(target=lambda: answers.append(answer("ismcts", 7))) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert answers == [alone] * 3
