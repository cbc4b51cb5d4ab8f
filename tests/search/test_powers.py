"""What is said is raised to a power by its time in the game; nothing else changes with it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pavilion_ai.analysis import COVER, LEAST_ERROR, Analysis, calibrated
from pavilion_ai.games import GAMES
from pavilion_ai.games.base import Rules
from pavilion_ai.limits import Limits
from pavilion_ai.play import Play
from pavilion_ai.search import Searcher
from tests.plays import decisions

from .support import EVERY_VARIANT, position_of, rules_of, walk

every_variant = pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
RISE = 0.8
"""A rise of the power in the last round that no game has."""
ENDS = (0.6, 1.2)
"""Factors of the power at both ends of a game that no game has."""


def set_powers(monkeypatch: pytest.MonkeyPatch, rules: Rules, last: float | None = None,
               ends: tuple[float, float] | None = None) -> None:
    """Give a game these powers alone, at all its tables."""
    for name, value in (("last_powers", last), ("game_powers", ends)):
        monkeypatch.setattr(type(rules), name, dict.fromkeys((2, 3, 4), value) if value else {})


def on_table(state: Any) -> float:
    return rules_of(state).on_table(state)[0] / (4 * (2 * state.players + 1))


def can_end(position: Any) -> bool:
    """Tell whether the game can end with this round."""
    if position.game == "summer":
        return bool(position.round == 6)
    rows = [(5 - row.count("."), sum(line) == place) for seat in position.seats
            for place, (line, row) in enumerate(zip(seat.lines, seat.wall, strict=True), 1)]
    return any(tiles == 5 or (tiles == 4 and (full or position.phase == "draft"))
               for tiles, full in rows)


@every_variant
def test_the_power_rises_in_the_last_round_alone(
    monkeypatch: pytest.MonkeyPatch, game: str, players: int, grey: bool
) -> None:
    """From 1 where all tiles of a full deal lie there, in proportion to those taken."""
    rules = GAMES[game]
    rises = dict(rules.last_powers)
    assert set(rises) <= {2, 3, 4}
    assert all(0 < rise <= 2 for rise in rises.values())
    set_powers(monkeypatch, rules, last=RISE)
    met = set()
    for state in walk(players, grey, 8, game):
        position = position_of(state)
        power = rules.power_of(position)
        if not can_end(position):
            assert power == 1.0
            continue
        assert state.round >= 5
        assert power == pytest.approx(1 + RISE * (1 - on_table(state)))
        met.add(on_table(state))
    assert len(met) > 4
    set_powers(monkeypatch, rules)
    assert rules.power_of(position_of(state)) == 1.0


@every_variant
def test_the_power_rises_over_the_game(
    monkeypatch: pytest.MonkeyPatch, game: str, players: int, grey: bool
) -> None:
    """In proportion to the choices made; what it rises by in the last round comes on top."""
    rules = GAMES[game]
    for ends in rules.game_powers.values():
        assert 0.6 <= ends[0] < 1 < ends[1] <= 1.2
    shares = []
    states = list(walk(players, grey, 8, game))
    for state in (*states[::7], states[-1]):
        position = position_of(state)
        set_powers(monkeypatch, rules, last=RISE)
        last = rules.power_of(position)
        set_powers(monkeypatch, rules, last=RISE, ends=ENDS)
        left = rules.share_of_choices_left(position)
        first, end = ENDS
        assert rules.power_of(position) == pytest.approx(last * (first * left + end * (1 - left)))
        shares.append(left)
    assert max(shares) > 0.9
    assert min(shares) < 0.1


def last_round(game: str, players: int, grey: bool) -> list[Play]:
    """Return decisions of a game played by the policy: the first, and some of its last round."""
    play = Play.new(game, board="grey" if grey else "coloured", players=players, seed=6)
    plays = [Play(here.position) for here in decisions(play, 6)]
    late = [one for one in plays if one.position.round >= play.rules.last_round]
    assert len(late) > 8
    return [plays[0], *late[:-6:2], *late[-6:]]


def searched(play: Play, network: str | None = "shipped") -> Analysis:
    return Searcher("late", network=network).analyse(play, Limits(sims=150), seed=2)


@every_variant
def test_chances_and_their_errors_are_raised_alike(
    monkeypatch: pytest.MonkeyPatch, game: str, players: int, grey: bool
) -> None:
    """Moves, their order, visits, scores and what is exact stay; errors follow the slope."""
    exact = scaled = 0
    for play in last_round(game, players, grey):
        set_powers(monkeypatch, play.rules)
        before, plain = searched(play), searched(play, None)
        set_powers(monkeypatch, play.rules, last=RISE)
        after, power = searched(play), play.rules.power_of(play.position)
        assert replace(searched(play, None), seconds=plain.seconds) == plain
        assert after.root.win_prob == pytest.approx(calibrated(before.root.win_prob, power))
        assert replace(after.root, win_prob=()) == replace(before.root, win_prob=())
        for one, other in zip(before.moves, after.moves, strict=True):
            assert replace(other, win_prob=0, win_prob_se=0) == replace(
                one, win_prob=0, win_prob_se=0)
            if one.exact:
                exact += 1
                assert (other.win_prob, other.win_prob_se) == (one.win_prob, 0)
            elif power == 1:
                assert other == one
            elif players == 2 and one.visits >= 50 and 0.02 < one.win_prob < 0.98 and (
                    max(one.win_prob_se, other.win_prob_se) < 0.5
                    and min(one.win_prob_se, other.win_prob_se) > LEAST_ERROR):
                scaled += 1
                chance, risen = one.win_prob, other.win_prob
                assert risen == pytest.approx(calibrated((chance, 1 - chance), power)[0])
                slope = power * risen * (1 - risen) / (chance * (1 - chance))
                assert other.win_prob_se == pytest.approx(slope * one.win_prob_se, rel=0.1)
                assert other.win_prob_error == pytest.approx(COVER * other.win_prob_se, abs=1e-4)
    assert exact
    assert scaled or players > 2


@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize(("game", "players"), [
    ("summer", 2), ("summer", 4), ("azul", 2), ("azul", 3), ("azul", 4)])
def test_early_in_a_game_chances_are_closer_together(
    monkeypatch: pytest.MonkeyPatch, game: str, players: int, grey: bool
) -> None:
    """With the powers of the games."""
    play = Play.new(game, board="grey" if grey else "coloured", players=players, seed=6)
    play.draw()
    said = searched(play).root.win_prob
    set_powers(monkeypatch, GAMES[game])
    plain = searched(play).root.win_prob
    assert sum(said) == pytest.approx(1, abs=1e-3)
    assert max(said) < max(plain)
    assert min(said) > min(plain)


@pytest.mark.parametrize("grey", [False, True])
@pytest.mark.parametrize(("game", "players"), [
    ("summer", 3), ("azul", 3), ("azul", 4)])
def test_in_the_last_round_chances_are_further_apart(
    monkeypatch: pytest.MonkeyPatch, game: str, players: int, grey: bool
) -> None:
    """With the powers of the games."""
    _, *late = last_round(game, players, grey)
    said = [searched(play).root.win_prob for play in late]
    monkeypatch.setattr(type(GAMES[game]), "last_powers", {})
    plain = [searched(play).root.win_prob for play in late]
    assert all(max(one) >= max(other) - 1e-9 for one, other in zip(said, plain, strict=True))
    assert any(max(one) > max(other) + 0.005 for one, other in zip(said, plain, strict=True))
