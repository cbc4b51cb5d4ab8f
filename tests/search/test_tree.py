"""Invariants of what a search returns, and that it plays by the rules in every variant."""

from __future__ import annotations

import math
from typing import Any

import pytest

from pavilion_ai._core import Rng, SummerState
from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import calibrated, lead, win_error
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from tests.plays import turns

from .analyses import check_analysis
from .support import (
    BONUS,
    DRAFT,
    EVERY_VARIANT,
    NO_TILES,
    PLACE,
    STATES,
    VARIANTS,
    WALL,
    opening,
    position_of,
    search,
    states,
    walk,
)

SPECS = ["ismcts", "uct", "flat"]


@pytest.mark.usefixtures("plain_wins")
@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
@pytest.mark.parametrize("spec", SPECS)
def test_answers_hang_together(spec: str, game: str, players: int, grey: bool) -> None:
    agent = make_agent(spec)
    for state in list(walk(players, grey, 17, game))[3::12]:
        position = position_of(state)
        if len(state.moves(True)) > 1:
            check_analysis(position, agent.analyse(Play(position), Limits(sims=150)))


@pytest.mark.usefixtures("plain_wins")
@pytest.mark.parametrize(("game", "phase", "choices"), [
    ("summer", DRAFT, 5), ("summer", PLACE, 5), ("summer", BONUS, 5), ("azul", DRAFT, 40),
    ("azul", WALL, 3),
])
def test_answers_hang_together_after_many_simulations(game: str, phase: int, choices: int) -> None:
    state = states(2, True, 4, phase=phase, choices=choices, game=game)[-1]
    position = position_of(state)
    check_analysis(position, make_agent("ismcts").analyse(Play(position), Limits(sims=20_000)))


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_only_legal_moves_are_played_in_whole_games(game: str, players: int, grey: bool) -> None:
    """Every decision of a game with many simulations too few to see anything."""
    agent, start = make_agent("ismcts"), opening(players, GAMES[game].boards[grey], players, game)
    for ply, play in enumerate(turns(Play(start), Rng(5))):
        play.push(agent.analyse(play, Limits(sims=1 + ply % 30), seed=ply).best.move)
    assert ply >= 45


@pytest.mark.parametrize(("players", "grey"), VARIANTS)
def test_root_holds_every_move_or_the_best_payments_and_keeps(players: int, grey: bool) -> None:
    """Drafts and bonus choices are all there; of placements every space and colour is."""
    for state in list(walk(players, grey, seed=18))[::5]:
        tree = search(state)
        tree.run(2)
        legal = state.moves(True)
        found = [row[0] for row in tree.rows()]
        assert len(set(found)) == len(found)
        assert set(found) <= set(legal)
        if state.phase != PLACE:
            assert set(found) == set(legal)
            continue
        assert {move[:3] for move in found if move[0] == 1} == {
            move[:3] for move in legal if move[0] == 1}
        assert any(move[0] == 3 for move in found)


@pytest.mark.parametrize(("players", "grey"), VARIANTS)
def test_root_of_base_azul_holds_every_move(players: int, grey: bool) -> None:
    """Random picks and playouts keep to the same list."""
    for state in list(walk(players, grey, 18, "azul"))[::5]:
        tree = search(state)
        tree.run(2)
        legal = state.moves()
        assert sorted(row[0] for row in tree.rows()) == sorted(legal)
        assert legal == state.moves(True)
        assert len(set(legal)) == len(legal)
        assert {state.random_move(Rng(seed)) for seed in range(20)} <= set(legal)
        assert {state.policy_move(Rng(seed)) for seed in range(20)} <= set(legal)


def test_sums_at_the_root() -> None:
    """Core level: the root's own visits are those of its children, nothing is lost."""
    for game, players, grey in EVERY_VARIANT:
        tree = search(states(players, grey, 6, round=2, choices=6, game=game)[0])
        tree.run(500)
        root, rows = tree.root_stats(), tree.rows()
        assert root[1] == sum(row[1] for row in rows) == tree.sims == 500
        assert sum(row[3] for row in rows) == pytest.approx(1, abs=1e-5)
        assert sum(root[4]) == pytest.approx(500)
        assert all(sum(row[4]) == pytest.approx(row[1]) for row in rows)
        assert root[2] == pytest.approx(sum(row[2] for row in rows))
        assert tree.nodes <= 1 + 500 * 800


@pytest.mark.parametrize("game", GAMES)
def test_unvisited_moves_are_ranked_by_prior(game: str) -> None:
    found = make_agent("ismcts:sims=12").analyse(Play(opening(game=game))).moves
    priors = [move.prior for move in found if not move.visits]
    assert [move.visits for move in found] == sorted((m.visits for m in found), reverse=True)
    assert len(set(priors)) > 5
    assert priors == sorted(priors, reverse=True)


@pytest.mark.parametrize("game", GAMES)
def test_unexplored_moves_say_so(game: str) -> None:
    analysis = make_agent("ismcts").analyse(Play(opening(4, game=game)), Limits(sims=3))
    unexplored = [move for move in analysis.moves if not move.visits]
    assert unexplored
    for move in unexplored:
        assert move.win_prob == analysis.root.win_prob[0]
        assert move.win_prob_se == 0.5
        assert move.pv == (move.move,)


# -------------------------------------------------------------------------- hidden information


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_only_what_the_position_shows_counts(game: str, players: int, grey: bool) -> None:
    """A state rebuilt from its visible fields is searched like the one that was played to."""
    for state in list(walk(players, grey, 19, game))[:: 20 if game == "summer" else 5]:
        played, rebuilt = search(state), search(STATES[game](*state.fields()))
        played.run(60)
        rebuilt.run(60)
        assert played.rows() == rebuilt.rows()


@pytest.mark.usefixtures("plain_wins")
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_unknown_bag(share: float) -> None:
    """With the split of bag and tower unknown the search works and stays near the known one."""
    state = states(2, False, 8, round=4, phase=DRAFT, choices=8)[0]
    fields: list[Any] = list(state.fields())
    unseen = [a + b for a, b in zip(fields[12], fields[13], strict=True)]
    fields[12:16] = unseen, NO_TILES, int(share * sum(unseen)), False
    position = position_of(SummerState(*fields))
    analysis = make_agent("ismcts").analyse(Play(position), Limits(sims=3000))
    check_analysis(position, analysis)
    known = make_agent("ismcts").analyse(Play(position_of(state)), Limits(sims=3000))
    assert analysis.root.win_prob[0] == pytest.approx(known.root.win_prob[0], abs=0.15)


@pytest.mark.usefixtures("plain_wins")
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
def test_unknown_bag_of_base_azul(share: float) -> None:
    """What is in the bag does not enter a round once dealt: nearly the same answer."""
    state = states(2, True, 8, round=4, phase=DRAFT, choices=8, game="azul")[3]
    fields: list[Any] = list(state.fields())
    unseen = [a + b for a, b in zip(fields[9], fields[10], strict=True)]
    fields[9:13] = unseen, (0,) * 5, int(share * sum(unseen)), False
    position = position_of(STATES["azul"](*fields))
    analysis = make_agent("ismcts").analyse(Play(position), Limits(sims=3000))
    check_analysis(position, analysis)
    known = make_agent("ismcts").analyse(Play(position_of(state)), Limits(sims=3000))
    assert analysis.root.win_prob[0] == pytest.approx(known.root.win_prob[0], abs=0.15)


# ------------------------------------------------------------------------------------ formulas


@pytest.mark.parametrize(("visits", "total", "squares", "expected"), [
    (0, 0.0, 0.0, 0.5),
    (1, 1.0, 1.0, math.sqrt(0.25 / 2)),
    (1, 0.0, 0.0, math.sqrt(0.25 / 2)),
    (4, 2.0, 2.0, math.sqrt(1.25 / 5 / 4)),
    (100, 50.0, 50.0, math.sqrt(25.25 / 101 / 100)),
    (100, 50.0, 25.0, math.sqrt(0.25 / 101 / 100)),
    (10, 10.0, 10.0 - 1e-12, math.sqrt(0.25 / 11 / 10)),
])
def test_win_error(visits: int, total: float, squares: float, expected: float) -> None:
    assert win_error(visits, total, squares) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("shares", "scale", "expected"), [
    ((0.25, 0.75), 1.0, (0.25, 0.75)),
    ((0.25, 0.75), 2.0, (0.1, 0.9)),
    ((0.2, 0.8), 0.5, (1 / 3, 2 / 3)),
    ((0.5, 0.25, 0.25), 2.0, (2 / 3, 1 / 6, 1 / 6)),
    ((0.25, 0.25, 0.25, 0.25), 1.4, (0.25, 0.25, 0.25, 0.25)),
    ((0.0, 1.0), 1.7, (0.0, 1.0)),
    ((0.5, 0.5, 0.0), 1.7, (0.5, 0.5, 0.0)),
])
def test_calibrated(
    shares: tuple[float, ...], scale: float, expected: tuple[float, ...]
) -> None:
    assert calibrated(shares, scale) == pytest.approx(expected)


@pytest.mark.parametrize("total", [0, 1, 30, 90, 100])
@pytest.mark.parametrize("scale", [0.6, 1.5])
def test_win_error_of_calibrated_wins(total: int, scale: float) -> None:
    """The plain error times the slope of the curve, at a mean that is never quite 0 or 1."""
    mean, step = (total + 0.5) / 101, 1e-6
    above, below = (calibrated((p, 1 - p), scale)[0] for p in (mean + step, mean - step))
    slope = (above - below) / (2 * step)
    plain = win_error(100, total, total)
    assert win_error(100, total, total, scale) == pytest.approx(plain * slope, rel=1e-4)


@pytest.mark.parametrize("wins", [(20, 50, 30), (60, 20, 20), (5, 60, 30, 5), (25, 25, 25, 25)])
@pytest.mark.parametrize("scale", [0.6, 1.3, 3.4])
def test_win_error_with_several_opponents(wins: tuple[int, ...], scale: float) -> None:
    """The slope of the curve as the seat wins more at the cost of all others in proportion."""
    means = [(won + 1 / len(wins)) / 101 for won in wins]
    step = 1e-6

    def curve(own: float) -> float:
        rest = (1 - own) / (1 - means[0])
        return calibrated((own, *(rest * other for other in means[1:])), scale)[0]

    slope = (curve(means[0] + step) - curve(means[0] - step)) / (2 * step)
    plain, found = (win_error(100, wins[0], wins[0], one, others=wins[1:]) for one in (1, scale))
    assert found == pytest.approx(min(0.5, plain * slope), rel=1e-4)


def test_win_error_of_a_search_that_changes_its_mind() -> None:
    """However many visits there are, the drift of the variance's root stays; never quite 0."""
    visits = 10**8
    spread = 0.04  # variance of results that are 0.3 or 0.7 equally often
    error = win_error(visits, 0.5 * visits, (0.25 + spread) * visits, drift=0.3)
    assert error == pytest.approx(0.3 * math.sqrt(spread), rel=1e-3)
    assert win_error(visits, 0.5 * visits, 0.25 * visits, drift=0.3) == pytest.approx(1.5e-5)
    assert win_error(visits, 0.5 * visits, 0.25 * visits) == 1e-5
    assert win_error(2, 1.0, 0.5, drift=0.3, expected=0.01) == pytest.approx(
        math.sqrt(0.01 / 3 * (1 / 2 + 0.09)))


@pytest.mark.parametrize(("visits", "factor"), [(2, 4.0), (200, 4.0), (800, 2.5), (180_000, 1.1)])
def test_win_error_of_a_search_past_deals(visits: int, factor: float) -> None:
    """What it has not seen counts like 100 results; the drift falls with the root of the deals."""
    plain = 0.01 / (visits + 1) / visits
    unseen = 0.02 * 100 / (visits + 100)
    assert win_error(visits, 0.5 * visits, 0.25 * visits, drift=0.3, expected=0.01,
                     deals=True) == pytest.approx(math.sqrt(plain + unseen * 0.09 * factor))


def test_win_error_is_never_more_than_a_half() -> None:
    assert win_error(1, 0.5, 0.25) < 0.5 == win_error(1, 0.5, 0.25, 1.7)


def test_win_error_falls_with_the_root_of_the_visits() -> None:
    assert win_error(400, 200, 200) == pytest.approx(win_error(100, 50, 50) / 2, rel=1e-6)


@pytest.mark.parametrize("game", GAMES)
def test_win_error_is_honest(game: str) -> None:
    """The spread of win_prob over seeds is what a single search claims, within a factor."""
    state = states(2, False, 3, round=5, phase=DRAFT, choices=5, game=game)[0]
    runs = []
    for seed in range(30):
        tree = search(state, seed=seed, selection=2, uniform=1, max_depth=1)
        tree.run(400)
        runs.append(tree.root_stats())
    means = [run[4][state.to_move] / run[1] for run in runs]
    average = sum(means) / len(means)
    spread = math.sqrt(sum((mean - average) ** 2 for mean in means) / (len(means) - 1))
    claimed = sum(win_error(run[1], run[4][state.to_move], run[5]) for run in runs) / len(runs)
    assert claimed / 2 < spread < 2 * claimed


def test_lead() -> None:
    assert lead((80.0, 85.5, 70.0), 0) == -5.5
    assert lead((80.0, 85.5, 70.0), 1) == 5.5
    assert lead((1.0, 1.0), 0) == 0
