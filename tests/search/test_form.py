"""How well the seats of a game have played, and what is said of it."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pavilion_ai.form import FEW, MOST, ORDINARY, WEIGHT, Forms
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.limits import Limits
from pavilion_ai.network import shipped
from pavilion_ai.play import Play
from pavilion_ai.readings import Reading, Readings
from pavilion_ai.render.analysis_text import standing
from pavilion_ai.search import Searcher, tunables_for
from tests.plays import VARIANTS, turns

every_variant = pytest.mark.parametrize(("game", "board", "players"), VARIANTS)


def played(game: str, board: str, players: int, seed: int, bad: int | None) -> Iterator[Play]:
    """Yield a game before each decision: one seat plays at random, the others by the policy."""
    network, rng = shipped(game, board, players), Rng(seed)
    for play in turns(Play.new(game, board=board, players=players, seed=seed), rng):
        yield play
        state = play.state
        move = (state.random_move(rng) if play.turn == bad else state.policy_move(network=network))
        play.push(play.rules.move_text(play.position, move))


def form_of(play: Play, forms: Forms | None = None, deadline: float = 0.0) -> tuple[float, ...]:
    network = shipped(*play.start.variant)
    return (forms or Forms()).of(play, network, tunables_for(play.rules, network), deadline)


def means(play: Play) -> list[float]:
    """Return by how much the decisions of each seat are off, on average."""
    left = play.rules.choices_left(play.position) / play.rules.choices_per_game(play.position)
    return [nats / WEIGHT / min(1.0, left) for nats in form_of(play)]


def off(play: Play, number: int) -> float | None:
    """Return how far a decision of a play is from the policy's, None if there was no choice."""
    ply = play.plies[number]
    before = play.copy()
    while len(before.plies) > number:
        before.pop()
    listed = Searcher("one").analyse(Play(before.position), Limits(sims=1)).moves
    if len(listed) < 2:
        return None
    priors = {one.move: one.prior for one in listed}
    return min(MOST, math.log(max(priors.values()) / max(priors.get(ply.move, 0.0), 1e-9)))


@every_variant
def test_who_plays_at_random_is_found_and_who_plays_by_the_policy_is_not(
    game: str, board: str, players: int
) -> None:
    for play in played(game, board, players, 5, bad=1):
        if len(play.plies) > 15 * players and play.turn == 1:
            break
    found = means(play)
    assert found[1] > 0.3
    assert all(nats < 0.02 for seat, nats in enumerate(found) if seat != 1)


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_is_off_by_the_mean_of_its_decisions(game: str) -> None:
    """Less what is ordinary, and as if there were a few ordinary decisions more."""
    for play in played(game, "coloured", 2, 6, bad=0):
        if len(play.plies) > 24:
            break
    found = means(play)
    for seat in range(2):
        known = [nats for number, ply in enumerate(play.plies) if ply.seat == seat
                 and (nats := off(play, number)) is not None]
        expected = sum(nats - ORDINARY for nats in known) / (len(known) + FEW)
        assert found[seat] == pytest.approx(max(0.0, expected), abs=1e-6)
    assert found[0] > 0.1


@every_variant
def test_what_a_game_tells_does_not_depend_on_when_it_is_asked(
    game: str, board: str, players: int
) -> None:
    followed = Forms()
    last: tuple[float, ...] = ()
    for play in played(game, board, players, 7, bad=0):
        last = form_of(play, followed)
        if len(play.plies) > 40:
            break
    assert last == form_of(play)
    assert form_of(Play(play.position), followed) == ()
    before = play.copy()
    while before.turn is None or len(before.plies) == len(play.plies):
        before.pop()
    assert form_of(before, followed) == form_of(before)
    assert form_of(play, followed) == last


def test_what_there_was_no_time_for_is_said_later(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = Forms()
    for play in played("azul", "grey", 3, 8, bad=0):
        if len(play.plies) > 20:
            break
    assert form_of(play, forms, deadline=1e-9) == ()
    with monkeypatch.context() as patched:  # time for five decisions
        times = itertools.chain([0.0] * 5, itertools.repeat(2.0))
        patched.setattr("pavilion_ai.form.time", SimpleNamespace(monotonic=times.__next__))
        assert form_of(play, forms, deadline=1.0) == ()
    assert form_of(play, forms) == form_of(play)


@every_variant
def test_weaker_players_leave_more(game: str, board: str, players: int) -> None:
    """The odds of who is off fall."""
    searcher, seen = Searcher("default"), 0
    for play in played(game, board, players, 9, bad=1):
        if len(play.plies) % 5:
            continue
        found = searcher.analyse(play, Limits(sims=20), seed=1)
        if not found.form:
            continue
        assert found.form == form_of(play)
        chances, before = found.win_prob_by_form, found.root.win_prob
        assert sum(chances) == pytest.approx(1)
        if found.form[1] > 0.1 and 0.001 < before[1] < 0.999:
            assert chances[1] < before[1]
            assert chances[0] > before[0]
            odds = (math.log(chances[seat] / before[seat]) for seat in (0, 1))
            assert next(odds) - next(odds) == pytest.approx(found.form[1] - found.form[0], rel=1e-3)
            seen += 1
    assert seen > 2


def test_moves_are_chosen_without_it() -> None:
    for play in played("summer", "coloured", 2, 10, bad=0):
        if len(play.plies) > 30:
            break
    known, alone = (Searcher("default").analyse(one, Limits(sims=200), seed=3)
                    for one in (play, Play(play.position)))
    assert known.form
    assert not alone.form
    assert known.moves == alone.moves
    assert known.root == alone.root
    for found, is_said in ((known, True), (alone, False)):
        data = found.to_json()
        assert ("form" in data) == ("win_prob_by_form" in data) == is_said
        assert bool(standing(found)) == is_said
    assert standing(replace(known, form=(0.0, 0.0))) == ""
    searcher = Searcher("ismcts:net=0", network=None)
    assert searcher.analyse(play, Limits(sims=20)).form == ()


def test_a_game_with_the_same_moves_from_another_start_is_another() -> None:
    readings, play = Readings(Reading), Play.new("azul", seed=5)
    for _ in range(2):
        play.push(play.legal_moves[0])
    ahead = tuple(replace(seat, score=seat.score + 1) for seat in play.start.seats)
    alike = Play(replace(play.start, seats=ahead), play.moves)
    found = readings.of(play)
    assert readings.of(alike) is not found
    assert readings.of(play) is found
