"""Searches that look at several moves equally often, or leave some out."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import numpy as np
import pytest

from pavilion_ai import search as search_module
from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import Analysis
from pavilion_ai.bounds import MAX_SHOWN_MOVES
from pavilion_ai.errors import IllegalMoveError, SpecError
from pavilion_ai.focus import FocusError
from pavilion_ai.limits import Limits, LimitsSince
from pavilion_ai.notation import parse_position
from pavilion_ai.play import Play
from pavilion_ai.sums import Sums

from .support import EVERY_VARIANT, REPORTED, opening, position_of, rules_of, search, walk


def ask(play: Play, sims: int = 1000, spec: str = "ismcts", **options: Any) -> Analysis:
    return make_agent(spec).analyse(play, Limits(sims=sims), **options)


def visits(analysis: Analysis) -> dict[str, int]:
    return {row.move: row.visits for row in analysis.moves}


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_the_core_visits_the_moves_compared_equally_often(
    game: str, players: int, grey: bool, net: Any
) -> None:
    for state in list(walk(players, grey, 23, game))[::9]:
        named = state.moves()[::2]
        tree = search(state, network=net)
        tree.compare(named)
        tree.run(5 * len(named) + 1)
        assert {row.move for row in tree.rows()} == {*named}
        assert sorted(row.visits for row in tree.rows()) == [5] * (len(named) - 1) + [6]


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_what_is_known_of_the_moves_compared_stays(game: str, players: int, grey: bool) -> None:
    for state in [one for one in walk(players, grey, 24, game) if len(one.moves(True)) > 3][::9]:
        tree = search(state)
        tree.run(300)
        before = {row.move: row for row in tree.rows()}
        assert [*before] == [row for row in before if row in tree.listed()]
        chosen = sorted(before, key=lambda move: before[move].visits)[::2]
        tree.compare(chosen)
        assert {row.move: row for row in tree.rows()} == {move: before[move] for move in chosen}
        most = max(before[move].visits for move in chosen)
        tree.run(sum(most - before[move].visits for move in chosen))
        assert {row.visits for row in tree.rows()} == {most}
        assert all(tree.line(move)[0] == move for move in chosen)
        assert tree.restart(state, seed=1)
        again = search(state)
        for one in (tree, again):
            one.run(50)
        assert tree.rows() == again.rows()


def test_only_moves_of_the_root_are_compared() -> None:
    state: Any = next(walk(2, False, 5))
    tree = search(state)
    first, second, *_ = tree.listed()
    for wrong in ([], [first, first], [first, (9, 9, 9)]):
        with pytest.raises(ValueError, match="legal moves"):
            tree.compare(wrong)
    begun = search(state)
    begun.run(50)
    before = begun.rows()
    for wrong in ([], [first, first], [first, second, first], [first, (0, 0, 0)]):
        with pytest.raises(ValueError, match="different moves of the root"):
            begun.compare(wrong)
    assert begun.rows() == before
    tree.restrict([first])
    with pytest.raises(ValueError, match="moves of the root"):
        tree.compare([first, second])
    with pytest.raises(ValueError, match="moves of the root"):
        tree.compare([])


def test_the_reported_position() -> None:
    """Each gets half, and is worth what a search of it alone finds."""
    play = Play(parse_position(REPORTED).position)
    both = ask(play, 40_000, "default", only=["C:R", "D2:P"])
    assert visits(both) == {"C:R": 20_000, "D2:P": 20_000}
    assert both.root.visits == 40_000
    for row in both.moves:
        alone = ask(play, 20_000, "default", only=[row.move]).best
        assert row.win_prob == pytest.approx(alone.win_prob, abs=0.004)
    assert both.root.win_prob[0] == both.best.win_prob
    assert both.root.score_mean == both.best.score_mean


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("spec", ["ismcts", "ismcts:reuse=1", "ismcts:net=0", "uct", "flat"])
def test_equal_effort_in_all_its_forms(spec: str, threads: int) -> None:
    play = Play(opening())
    legal = list(play.legal_moves)
    usual = ask(play, 600, spec)
    for options, count in (({"only": legal[3:9]}, 6), ({"even": 4}, 4),
                           ({"compare": legal[-2:]}, None),
                           ({"even": 3, "compare": legal[-2:]}, None),
                           ({"even": 3, "avoid": [usual.best.move]}, 3)):
        found = ask(play, 1201, spec, threads=threads, **options)
        assert found.sims == 1201
        assert max(visits(found).values()) - min(visits(found).values()) <= threads
        assert count in (None, len(found.moves))
        assert {*options.get("only", ()), *options.get("compare", ())} <= {*visits(found)}
        assert usual.best.move not in visits(found) or "avoid" not in options
        # at least what is left after the share that finds the favourites
        assert found.root.visits == sum(visits(found).values())
        assert found.root.visits >= (1201 if "only" in options else 600)
        if threads == 1:
            repeated = ask(play, 1201, spec, **options)
            assert repeated.moves == found.moves


def test_the_favourite_is_that_of_a_search_of_all_moves() -> None:
    for position in (opening(), opening(3, "grey", 4), opening(game="azul", seed=2)):
        play = Play(position)
        best = ask(play, 2000).best.move
        others = [move for move in play.legal_moves if move != best]
        assert {*visits(ask(play, 4000, compare=others[:1]))} == {best, others[0]}
        # compared with itself it would be alone: the second best is its rival
        assert best in visits(ask(play, 4000, compare=[best]))
        assert len(visits(ask(play, 4000, compare=[best]))) == 2
        assert {*visits(ask(play, 4000, even=1))} == {best}


def test_a_share_without_a_simulation_leaves_the_limit_of_time() -> None:
    """As where others had the processor, or an ending was tried to be solved, all the while."""
    stop = threading.Event()
    timer = threading.Timer(20, stop.set)
    timer.start()
    play, began = Play(opening()), time.monotonic()
    for limits in (LimitsSince(seconds=0.05, begun=began - 1), Limits(clock=(0.0, 5.0)),
                   Limits(seconds=1e-9)):
        found = make_agent("ismcts").analyse(play, limits, even=8, stop=stop)
        assert found.sims > 0
    assert not stop.is_set()
    timer.cancel()


@pytest.mark.parametrize("seed", range(12))
def test_a_pass_is_compared_where_the_bag_is_not_known(seed: int) -> None:
    """What to keep is listed by the tiles unseen, which each sample of the bag has otherwise."""
    code = ("summer.1.coloured.2/place.r2.m0.s1.t0/-/s2PGOY2B3R.u82/"
            "p9.h2G3O2Y4BR.1P4.6.R5.1B4.1Y4.1G4.6/p7.h4P4G5O2Y.P5.6.1R4.6.6.G5.6/9d39")
    play = Play(parse_position(code).position)
    found = ask(play, 4, "default", compare=["pass:4B"], seed=seed)
    assert "pass:4B" in visits(found)


def test_the_best_of_the_moves_compared_comes_first() -> None:
    play = Play(parse_position(REPORTED).position)
    legal = list(play.legal_moves)
    found = ask(play, 5000, "default", only=legal)
    values = [row.win_prob for row in found.moves]
    assert values[0] == max(values)
    assert values[0] - values[-1] > 0.02  # so the mean over all would show
    assert found.root.win_prob[0] == values[0]


def test_what_is_avoided_is_left_out() -> None:
    play = Play(opening())
    usual = ask(play, 500)
    avoided = [row.move for row in usual.moves[:3]]
    found = ask(play, 500, avoid=avoided)
    assert found.avoid == tuple(avoided)
    assert {*visits(found)} == {row.move for row in usual.moves[3:]}
    assert found.root.visits == 500
    assert make_agent("ismcts").decide(play, Limits(sims=500), avoid=avoided).move not in avoided
    # what the search leaves out takes the place of all that it would have looked at
    placing = Play(parse_position(
        "summer.1.coloured.2/place.r2.m0.s1.t0/-/s2P3G3Y2B.b16P13G10O12Y13B18R.tP6G6O4Y4B"
        "/p14.hPOR.P5.O5.R5.6.1Y4.6.ROP3/p5.hOY2B.6.5O.1R4.4B1.4Y1.6.1O4/d2c2").position)
    listed = [row.move for row in ask(placing).moves]
    rest = [move for move in placing.legal_moves if move not in listed]
    assert rest
    assert {*visits(ask(placing, avoid=listed))} == {*rest}


def test_a_comparison_that_is_stopped_shows_the_moves_named() -> None:
    play, stop = Play(opening()), threading.Event()
    stop.set()
    named = list(play.legal_moves)[-2:]
    found = make_agent("ismcts").analyse(play, Limits(seconds=5), stop=stop, compare=named)
    assert {*named} <= {*visits(found)}
    assert len(found.moves) > 1
    assert found.seconds < 2
    assert ask(play, 3, compare=named).sims == 3


def test_a_move_with_few_visits_is_not_ranked_by_its_value() -> None:
    """It has to catch up first."""
    met = 0
    for state in walk(2, False, 25):
        tree = search(state)
        tree.run(60)
        rows = sorted(tree.rows(), key=lambda row: -row.visits)
        lucky = [row for row in rows[1:] if 0 < row.visits < 0.4 * rows[0].visits
                 and row.value / row.visits > rows[0].value / rows[0].visits]
        if not lucky:
            continue
        met += 1
        tree.compare([rows[0].move, lucky[0].move])
        sums = Sums(tree, rules_of(state), position_of(state), state.to_move, win_scale=1.0,
                    by_value=False)
        sums.equal = True
        assert [row.visits for row, _ in sums.ranked()] == [rows[0].visits, lucky[0].visits]
        assert [row.visits for row in sums.report()[1]] == [rows[0].visits, lucky[0].visits]
        tree.run(rows[0].visits - lucky[0].visits)
        values = [row.value / row.visits for row, _ in sums.ranked()]
        assert values == sorted(values, reverse=True)
    assert met > 3


def test_a_time_limit_is_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of three shares goes to all moves."""
    piece, end_at, met = search_module._Run.slice, search_module._Run.end_at, set()
    ends = {}

    def ending(run: Any, deadline: float, shares: int = 1) -> None:
        ends[run] = deadline - run.started
        end_at(run, deadline, shares)

    def noted(run: Any, seconds: float) -> None:
        met.add((run.effort.settled, round(ends[run], -1)))
        piece(run, seconds)
        run.left = 0  # enough of this share

    monkeypatch.setattr(search_module._Run, "end_at", ending)
    monkeypatch.setattr(search_module._Run, "slice", noted)
    play = Play(opening())
    named = list(play.legal_moves)[-2:]
    make_agent("ismcts").analyse(play, Limits(seconds=60), compare=named)
    assert met == {(False, 20), (True, 60)}
    met.clear()
    late = LimitsSince(seconds=60, begun=time.monotonic() - 30)
    make_agent("ismcts").analyse(play, late, compare=named)
    assert met == {(False, 40), (True, 60)}  # a third of what is left
    met.clear()
    make_agent("ismcts").analyse(play, Limits(seconds=30), only=named)
    assert met == {(True, 30)}


@pytest.mark.parametrize("reuse", [0, 1])
def test_a_tree_compared_is_not_taken_for_a_whole_one(reuse: int) -> None:
    agent, play = make_agent(f"ismcts:net=0,reuse={reuse}"), Play(opening())
    every = {row.move for row in agent.analyse(play, Limits(sims=300)).moves}
    for options in ({"even": 2}, {"compare": sorted(every)[:1]}, {"avoid": sorted(every)[:2]}):
        assert len(agent.analyse(play, Limits(sims=300), **options).moves) < len(every)
        after = agent.analyse(play, Limits(sims=300))
        assert {row.move for row in after.moves} == every
        assert sorted(visits(after).values())[-1] > 30


def test_options_that_contradict_each_other_are_refused() -> None:
    play = Play(opening())
    one, two = list(play.legal_moves)[:2]
    for options, message in (
        ({"only": [one], "compare": [two]}, "compare: expected none beside only"),
        ({"only": [one], "even": 1}, "even: expected none beside only"),
        ({"only": [one], "avoid": [two]}, "avoid: expected none beside only"),
        ({"compare": [one], "avoid": [one]}, "which compare names too"),
        ({"avoid": list(play.legal_moves)}, "all legal moves"),
        ({"even": -1}, "even: found -1"),
        ({"even": MAX_SHOWN_MOVES + 1}, f"even: found {MAX_SHOWN_MOVES + 1}, expected a whole"),
        ({"even": True}, "even: found true, expected a whole number of moves"),
    ):
        with pytest.raises(FocusError, match=message):
            ask(play, **options)
    for options in ({"compare": ["pass:-"]}, {"avoid": ["pass:-"]}):
        with pytest.raises(IllegalMoveError):
            ask(play, **options)
    for spec in ("greedy", "policy", "default:level=2"):
        for options in ({"compare": [one]}, {"even": 2}):
            with pytest.raises(SpecError, match="moves"):
                ask(play, spec=spec, **options)


def test_the_object_names_what_it_was_told() -> None:
    play = Play(opening())
    one, two = list(play.legal_moves)[:2]
    data = ask(play, 100, compare=[one], even=np.int64(2), avoid=[two]).to_json()
    assert json.loads(json.dumps(data))["compare"] == [one]
    assert (data["even"], data["avoid"]) == (2, [two])
    assert not {"only", "compare", "even", "avoid"} & {*ask(play, 100).to_json()}
