"""Decisions judged one by one, and whole games: against searches, exact ends and sums."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.analysis import BY_NETWORK, LINEARLY, Analysis, short
from pavilion_ai.errors import SpecError
from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.limits import Limits
from pavilion_ai.notation import parse_position
from pavilion_ai.play import Play, walk
from pavilion_ai.record import GameRecord
from pavilion_ai.render.review_chart import _BOTTOM, _TOP, chart
from pavilion_ai.render.review_html import page
from pavilion_ai.render.review_text import judged_by
from pavilion_ai.render.svg import escaped
from pavilion_ai.review import (
    MARKS,
    Judge,
    Judgement,
    Kept,
    Review,
    by_agent,
    by_seat,
    review_game,
)
from pavilion_ai.review.game import _draws, _Ending
from pavilion_ai.solve import solve_position
from tests.cli.support import PLACING, contract_games, cut_short, made_up_analysis, position_of
from tests.plays import replayed

SPEC = "default"
LIMITS = Limits(sims=120)
ENDING = """
game: summer
round: 6
phase: place
seat 0:
  score: 50
  hand: 4O3R
  stars: NW OOO.OO  C OR....
seat 1:
  score: 69
  hand: 3PB
"""
RECORDS = [GameRecord.from_json(data) for data in contract_games("summer", "azul")]
SOME = [next(r for r in RECORDS if r.start.variant == variant)
        for variant in (("summer", "coloured", 2), ("summer", "grey", 3), ("azul", "coloured", 2),
                        ("azul", "grey", 4))]


@cache
def review_of(number: int) -> Review:
    """Return the review of one of `SOME`."""
    return review_game(SOME[number], Judge(SPEC, LIMITS, seed=3), jobs=2)


@pytest.fixture(params=range(len(SOME)), ids=[record.id for record in SOME])
def review(request: pytest.FixtureRequest) -> Review:
    return review_of(request.param)


def played_by(record: GameRecord, move_of: Any, seed: int = 1) -> GameRecord:
    """Play a game from a record's start by a function of the position; draws by the seed."""
    play = Play(record.start, seed=seed)
    while not play.is_over():
        moves = [] if play.turn is None else [move_of(play.position)]
        play.push_all(moves, seed + len(play.plies))
    return play.record(record.agents, id="made-up", seconds=record.seconds, engine={})


# ------------------------------------------------------------------------------- whole games

def test_every_decision_is_judged_by_the_search_of_its_position(review: Review) -> None:
    positions = replayed(review.record)
    plies = [n for n, position in enumerate(positions, 1) if position.to_move is not None]
    assert [judgement.ply for judgement in review.judgements] == plies
    assert (review.complete, review.fault) == (True, "")
    agent = make_agent(SPEC)
    for judgement in review.judgements[::9]:
        before, play = positions[judgement.ply - 1], Play.of(review.record, judgement.ply - 1)
        move = review.record.moves[judgement.ply - 1]
        alone = rules_of(before).legal_moves(before, "maximal")
        searched = agent.analyse(play, LIMITS, seed=3, only=alone if len(alone) == 1 else ())
        assert sum(one.visits for one in searched.moves) >= LIMITS.sims - 1  # also of one move
        assert judgement.position == before
        assert judgement.analysis.moves == searched.moves
        assert (judgement.seat, judgement.played.move) == (before.to_move, move)
        assert judgement.choices == len(rules_of(before).legal_moves(before))
        if move == searched.best.move:
            assert judgement.agrees
            assert judgement.played == searched.best
        else:
            alone = agent.analyse(play, Limits(sims=searched.best.visits), seed=3, only=[move])
            listed = {one.move: one for one in searched.moves}.get(move)
            assert judgement.played == replace(
                alone.best, order=listed.order if listed else len(searched.moves),
                prior=listed.prior if listed else 0.0)


def test_losses_are_those_of_the_moves(review: Review) -> None:
    assert any(not j.agrees for j in review.judgements)
    for j in review.judgements:
        best, played = j.best, j.played
        if j.agrees:
            assert (j.win_loss, j.win_loss_se, j.lead_loss, j.mark) == (0, 0, 0, "")
            continue
        assert j.win_loss == max(0, best.win_prob - played.win_prob)
        assert j.lead_loss == max(0, best.score_lead - played.score_lead)
        one, other = best.win_prob_se, played.win_prob_se
        assert j.win_loss_se == pytest.approx(math.sqrt(one**2 + other**2 - one * other))
        assert j.win_loss_error == pytest.approx(1.645 * j.win_loss_se)
        marks = [mark for mark, least in MARKS.items()
                 if short(j.win_loss) >= least and j.win_loss > j.win_loss_error]
        assert j.mark == (marks[0] if marks else "")
        assert not j.forced


def test_chances_are_shares_of_one_game(review: Review) -> None:
    for j in review.judgements:
        assert sum(j.before) == pytest.approx(1)
        assert sum(j.after) == pytest.approx(1)
        assert all(-1e-9 <= share <= 1 + 1e-9 for share in (*j.before, *j.after))
        if not j.alike:
            assert j.before[j.seat] == pytest.approx(j.best.win_prob)
            assert j.after[j.seat] == pytest.approx(j.played.win_prob)


def test_the_chart_goes_from_the_first_chances_to_the_result(review: Review) -> None:
    players = review.record.start.players
    shared = replace(review.record, winners=tuple(range(players)))  # as no search found
    review = replace(review, record=shared)
    drawn = ElementTree.fromstring(chart(review, str))
    lines = [[(_BOTTOM - float(point.partition(",")[2])) / (_BOTTOM - _TOP)
              for point in line.attrib["points"].split()] for line in drawn.iter("polyline")]
    shown = [*(j.before for j in review.judgements), review.result]
    for seat, line in enumerate(lines):
        assert line == pytest.approx([shares[seat] for shares in shown], abs=1e-3)
    assert len(lines) == players
    marks = [f"ply {j.ply}, seat {j.seat}: {j.played.move} lost " for j in review.judgements
             if j.mark]
    told = [title.text or "" for dot in drawn.iter("a") for title in dot.iter("title")]
    assert [text.partition(" lost ")[0] + " lost " for text in told] == marks


def test_draws_stand_between_decisions(review: Review) -> None:
    known = {j.ply: j for j in review.judgements}
    chance = set(range(1, len(review.record.moves) + 1)) - set(known)
    told = [ply for draw in review.draws for ply in range(draw.ply, draw.ply + len(draw.moves))]
    assert set(told) == chance
    for draw in review.draws:
        was, now = known[draw.ply - 1], known[draw.ply + len(draw.moves)]
        assert draw.moves == review.record.moves[draw.ply - 1 : now.ply - 1]
        assert draw.luck == pytest.approx([b - a for a, b in zip(was.after, now.before,
                                                                 strict=True)])
        assert sum(draw.luck) == pytest.approx(0)
        assert draw.round == now.position.round


def test_draws_beside_a_decision_that_was_not_judged_are_left_out(review: Review) -> None:
    positions = [play.position for play in walk(review.record)]
    for missing in (draw.ply + len(draw.moves) for draw in review.draws):
        known = [j for j in review.judgements if j.ply != missing]
        assert list(_draws(review.record, positions, known)) == [
            draw for draw in review.draws
            if missing not in (draw.ply - 1, draw.ply + len(draw.moves))]


def test_totals_are_sums(review: Review) -> None:
    totals = by_seat(review)
    for seat, one in enumerate(totals):
        mine = [j for j in review.judgements if j.seat == seat and j.choices > 1]
        assert one.name == review.record.agents[seat]["spec"]
        assert (one.games, one.decisions) == (1, len(mine))
        assert one.agreed == sum(j.agrees for j in mine)
        assert one.win_loss == pytest.approx(sum(j.win_loss for j in mine))
        assert one.win_loss_se == pytest.approx(math.sqrt(sum(j.win_loss_se**2 for j in mine)))
        assert one.lead_loss == pytest.approx(sum(j.lead_loss for j in mine))
        assert one.marks == tuple(sum(j.mark == mark for j in mine) for mark in MARKS)
        assert one.luck == pytest.approx(sum(draw.luck[seat] for draw in review.draws))
    assert sum(one.luck for one in totals) == pytest.approx(0)


def test_totals_by_agent_add_up_games_and_seats() -> None:
    reviews = [review_of(number) for number in range(len(SOME))]
    totals = by_agent(reviews)
    tables = [[(agent["spec"], review.record.game) for agent in review.record.agents]
              for review in reviews]
    names = [name for table in tables for name in table]
    assert [(one.name, one.game) for one in totals] == list(dict.fromkeys(names))
    assert [one.games for one in totals] == [
        sum((one.name, one.game) in table for table in tables) for one in totals]
    assert [one.seats for one in totals] == [names.count((one.name, one.game)) for one in totals]
    mine = [j for review in reviews for j in review.judgements if not j.forced]
    assert sum(one.decisions for one in totals) == len(mine)
    for key, values in (("agreed", [j.agrees for j in mine]),
                        ("win_loss", [j.win_loss for j in mine]),
                        ("variance", [j.win_loss_se**2 for j in mine]),
                        ("lead_loss", [j.lead_loss for j in mine])):
        assert sum(getattr(one, key) for one in totals) == pytest.approx(sum(values)), key
    assert [sum(marks) for marks in zip(*(one.marks for one in totals), strict=True)] == [
        sum(j.mark == mark for j in mine) for mark in MARKS]


def test_the_same_whatever_the_jobs() -> None:
    record, judge = SOME[2], Judge(SPEC, LIMITS, seed=3)
    told: list[tuple[int, int]] = []
    alone = review_game(record, judge, on_progress=lambda done, of: told.append((done, of)))
    assert alone.to_json() == review_of(2).to_json()
    assert told[0] == (0, len(alone.judgements))
    assert all(earlier < later for (earlier, _), (later, _) in pairwise(told))


def test_a_kept_tree_does_not_tell_on_later_decisions() -> None:
    record = replace(SOME[2], moves=SOME[2].moves[:12])
    spec = "ismcts:reuse=1"
    found = review_game(record, Judge(spec, LIMITS))
    for j in found.judgements:
        fresh = make_agent(spec).analyse(Play(j.position), LIMITS)
        assert j.analysis.moves == fresh.moves


# --------------------------------------------------------------------------- what is known exactly

@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.id)
def test_last_decisions_are_judged_exactly(record: GameRecord) -> None:
    game, positions = GAMES[record.game], replayed(record)
    ply = max(n for n, position in enumerate(positions, 1) if position.to_move is not None)
    before, seat = positions[ply - 1], positions[ply - 1].to_move
    assert seat is not None
    ends = [game.apply(before, move) for move in game.legal_moves(before)]
    judged = Judge(SPEC, Limits(sims=400)).judge(
        ply, Play(before), record.moves[ply - 1], positions[ply])
    assert judged.after[seat] == pytest.approx(won(positions[ply], seat), abs=0.01)
    if all(end.phase == "over" for end in ends):
        best = max(won(end, seat) for end in ends)
        assert judged.before[seat] == pytest.approx(best, abs=0.01)
        assert judged.win_loss == pytest.approx(best - won(positions[ply], seat), abs=0.01)


def test_a_solved_ending_is_exact_for_moves_that_the_search_leaves_out() -> None:
    """Such as a payment with wild tiles, however few visits the best move has."""
    play = Play(parse_position(ENDING).position)
    listed = {one.move for one in make_agent(SPEC).analyse(play, Limits(sims=1000)).moves}
    solution = solve_position(play)
    left_out = [one for one in solution.moves if one.move not in listed]
    assert "NW.4:2O2R" in {one.move for one in left_out}
    best = solution.moves[0]
    for one in left_out:
        after = play.copy()
        after.push(one.move)
        judged = Judge(SPEC, Limits(sims=1000)).judge(1, play, one.move, after.position)
        assert judged.played.exact
        assert (judged.played.win_prob, judged.played.score_lead) == (
            one.win_prob[0], pytest.approx(one.score_lead))
        assert judged.win_loss == best.win_prob[0] - one.win_prob[0]
        assert judged.agrees == (judged.win_loss == 0 and one.score_lead == best.score_lead)


def test_beside_an_exact_favourite_a_move_is_exact_on_a_busy_machine_too() -> None:
    """Else it is judged by the few simulations that the rest of a short time allows."""
    class Hurried(Agent):
        searches = ranks = True

        def analyse(self, play: Play, limits: Limits | None = None, **named: Any) -> Analysis:
            if limits is not None and limits.seconds and named["only"]:
                limits = Limits(sims=1)     # time was too short to solve it once more
            elif limits is not None and limits.seconds:
                limits = Limits(sims=1000)
            return make_agent(SPEC).analyse(play, limits, **named)

    play = Play(parse_position(ENDING).position)
    after = play.copy()
    after.push("NW.4:2O2R")
    judged = Judge(Hurried(), Limits(seconds=0.1)).judge(1, play, "NW.4:2O2R", after.position)
    assert judged.played.exact


def test_the_search_of_one_move_has_the_memory_of_the_judge() -> None:
    found: list[Limits | None] = []

    class Spy(Agent):
        searches = ranks = True

        def analyse(self, play: Play, limits: Limits | None = None, **named: Any) -> Analysis:
            found.append(limits)
            return make_agent(SPEC).analyse(play, limits, **named)

    before, after = replayed(SOME[0])[:2]
    for memory in (None, 7):
        Judge(Spy(), Limits(sims=20, memory_mib=memory)).judge(
            1, Play(before), SOME[0].moves[0], after, by_seat=False)
    assert [limits and limits.memory_mib for limits in found] == [None, None, 7, 7]


def won(position: Any, seat: int) -> float:
    """Return a seat's share of the victory in a finished game."""
    winners: Sequence[int] = rules_of(position).winners(position)
    return (seat in winners) / len(winners)


def test_equal_displays_make_equal_moves() -> None:
    game, judge, found = GAMES["azul"], Judge(SPEC, LIMITS), 0
    for seed in range(40):
        twin = with_twin_displays(game.new(players=2, seed=seed))
        best = make_agent(SPEC).analyse(Play(twin), LIMITS).best.move
        other = best.translate(str.maketrans("12", "21")) if best[:2] in ("D1", "D2") else best
        other = other[:2] + best[2:]  # the line stays as it is
        judged = judge.judge(1, Play(twin), other, game.apply(twin, other))
        assert (judged.agrees, judged.win_loss, judged.mark) == (True, 0, "")
        found += other != best
    assert found >= 3


def test_the_page_tells_the_favourite_from_a_move_as_good() -> None:
    review = review_of(2)
    other = next(one for one in review.judgements if not one.agrees)
    same = next(one for one in review.judgements if one.played == one.best and not one.forced)
    told = page([replace(review, judgements=(same, replace(other, agrees=True)))])
    assert told.count(" % to win, the favourite.") == 1
    assert told.count(f" % to win, as good as {escaped(other.best.move)}, the favourite.") == 1


def with_twin_displays(position: Any) -> Any:
    """Return an opening whose second display is like its first, tiles swapped with the bag."""
    first, second = position.displays[:2]
    bag = tuple(b + d - c for b, c, d in zip(position.bag, first, second, strict=True))
    return replace(position, displays=(first, first, *position.displays[2:]), bag=bag)


def test_who_plays_as_the_judge_loses_nothing() -> None:
    agent = make_agent(SPEC)
    record = played_by(SOME[2], lambda position: agent.analyse(Play(position), LIMITS).best.move)
    found = review_game(record, Judge(SPEC, LIMITS), jobs=2)
    assert all(one.agreed == one.decisions and one.win_loss == 0 for one in by_seat(found))


# ------------------------------------------------------------------------------- odd records

def test_games_without_a_decision_and_unfinished_ones() -> None:
    whole = review_of(2)
    none = review_game(cut_short(SOME[2], 0), Judge(SPEC, LIMITS))
    assert (none.judgements, none.draws, none.complete, none.result) == ((), (), True, ())
    part = review_game(cut_short(SOME[2], 7), Judge(SPEC, LIMITS, seed=3))
    assert part.whole
    assert [j.analysis.moves for j in part.judgements] == [
        j.analysis.moves for j in whole.judgements[:7]]
    assert part.result == ()


def test_shares_of_the_other_seats_after_a_favourite() -> None:
    """With three players they come from a search of the favourite alone, with two from the rest."""
    judge, agent = Judge(SPEC, LIMITS, seed=3), make_agent(SPEC)
    for record in SOME[:2]:
        play = Play.of(record, 6)
        searched = agent.analyse(play, LIMITS, seed=3)
        best, seat = searched.best, searched.to_move
        alone = agent.analyse(play, Limits(sims=best.visits), seed=3, only=[best.move])
        after = play.copy()
        after.push(best.move)
        exact = judge.judge(1, play, best.move, after.position)
        rough = judge.judge(1, play, best.move, after.position, by_seat=False)
        for judged, shares in ((exact, alone.root.win_prob), (rough, searched.root.win_prob)):
            left = 1 - shares[seat]
            expected = [(1 - best.win_prob) * share / left for share in shares]
            expected[seat] = best.win_prob
            assert judged.agrees
            assert judged.after == pytest.approx(expected)
        assert (exact.after == pytest.approx(rough.after, abs=1e-4)) == (record.start.players == 2)


def test_a_game_is_reviewed_as_far_as_it_can_be_replayed() -> None:
    moves = (*SOME[2].moves[:5], "D9:B>1", *SOME[2].moves[6:])
    found = review_game(replace(SOME[2], moves=moves), Judge(SPEC, LIMITS, seed=3))
    assert len(found.judgements) == 5
    assert found.fault.startswith(f"record {SOME[2].id!r}, move 6: ")
    assert (found.complete, found.result) == (True, ())


@pytest.mark.parametrize(("spec", "why"), [
    *((spec, "says nothing of moves but its own")
      for spec in ("greedy", "policy", "random", "cmd:true")),
    ("default:level=3", "plays below its strength"),
])
def test_judges_that_do_not_rank_moves_are_refused(spec: str, why: str) -> None:
    with pytest.raises(SpecError, match=f"{why}, expected one that searches"):
        Judge(spec)
    with pytest.raises(SpecError, match=why):
        Judge(make_agent(spec))


def test_the_event_of_the_caller_stays_as_it_is() -> None:
    stop = threading.Event()
    record = Play.of(RECORDS[0], 6).record()
    for _ in range(2):
        assert review_game(record, Judge(SPEC, Limits(sims=5)), stop=stop).complete
    assert not stop.is_set()
    ending = _Ending(stop)
    ending.set()
    assert ending.wait()
    assert not stop.is_set()
    stop.set()
    assert _Ending(stop).wait(60)
    assert not review_game(record, Judge(SPEC, Limits(sims=5)), stop=stop).complete


@pytest.mark.parametrize("change", [
    {"scores": (1, 2)}, {"winners": (0, 1)}, {"winners": ()}, {"moves": SOME[2].moves[:50]},
], ids=lambda change: next(iter(change)))
def test_records_that_contradict_themselves(change: dict[str, Any]) -> None:
    record = replace(SOME[2], **change)
    found = review_game(record, Judge(SPEC, Limits(sims=2)))
    assert found.fault.startswith(f"record {record.id!r}: ")
    assert (found.complete, found.whole, found.result) == (True, False, ())
    assert by_agent([found]) == []
    decided = [m for m in record.moves if not m.startswith("deal:")]
    assert len(found.judgements) == len(decided)


# --------------------------------------------------------------------------------- beliefs

def test_each_decision_names_what_was_expected_of_the_seats(review: Review) -> None:
    players = review.record.start.players
    first, *later = review.to_json()["decisions"]  # type: ignore[attr-defined]
    assert first["beliefs"] == [BY_NETWORK] * players
    for decision in later:
        assert len(decision["beliefs"]) == players
        assert decision["beliefs"][decision["seat"]] == BY_NETWORK
    if players == 2:
        assert judged_by(review).endswith("120 simulations per decision")


def test_a_review_names_what_its_judge_expects_and_what_is_kept_does(tmp_path: Path) -> None:
    record = cut_short(SOME[3], 6)
    judge = Judge("ismcts:rivals=1", Limits(sims=20))
    with Kept(str(tmp_path / "kept.jsonl"), judge) as kept:
        first = review_game(record, judge, kept=kept)
    with Kept(str(tmp_path / "kept.jsonl"), judge) as kept:
        assert kept.count == len(first.judgements)
        again = review_game(record, judge, kept=kept)
    assert again.to_json() == first.to_json()
    for judgement in again.judgements:
        assert judgement.analysis.beliefs == tuple(
            BY_NETWORK if seat == judgement.seat else LINEARLY for seat in range(4))
    assert judged_by(again).endswith("expects the others to judge by the linear heuristics")
    told = review_game(record, Judge("uct", Limits(sims=20)))
    assert not any("beliefs" in one for one in told.to_json()["decisions"])  # type: ignore[attr-defined]
    assert "expects" not in judged_by(told)


@pytest.fixture(scope="module")
def told() -> GameRecord:
    """A game of base Azul in which seats 1 and 2 decide by the linear policy."""
    linear, seen = make_agent("policy:net=0"), make_agent("policy")
    play = Play.new("azul", board="coloured", players=3, seed=12)
    while not play.is_over():
        if play.turn is None:
            play.draw()
        else:
            play.push((linear if play.turn else seen).choose(play, seed=1))
    return play.record(["policy", *["policy:net=0"] * 2], id="told")


@pytest.fixture(scope="module")
def told_review(told: GameRecord) -> Review:
    return review_game(told, Judge(SPEC, Limits(sims=60)))


def test_what_the_game_told_counts_for_the_moves(told: GameRecord, told_review: Review) -> None:
    """Each decision is searched as `suggest` does with the moves before."""
    agent, plays = make_agent(SPEC), {len(play.plies) + 1: play.copy() for play in walk(told)}
    for judgement in told_review.judgements[::7]:
        found = agent.analyse(plays[judgement.ply], Limits(sims=60), seed=0)
        assert judgement.analysis.beliefs == found.beliefs
        if len(found.moves) > 1:
            assert judgement.best == found.best
    believed = [judgement.analysis.beliefs[1:] for judgement in told_review.judgements
                if judgement.seat == 0]
    assert believed[0] == (BY_NETWORK,) * 2
    assert believed[-1] == (LINEARLY,) * 2
    assert judged_by(told_review).endswith(
        "expects seats 1 and 2 to judge by the linear heuristics where the moves before tell so")


def test_chances_over_a_game_suppose_equals(told: GameRecord, told_review: Review) -> None:
    """Else they would jump with the seat to move, and the jumps would count as luck."""
    plain, alike = Judge(SPEC, Limits(sims=60)), 0
    plays = {len(play.plies) + 1: play.copy() for play in walk(told)}
    for judgement in told_review.judgements[::5]:
        assert bool(judgement.alike) == (LINEARLY in judgement.analysis.beliefs)
        alike += bool(judgement.alike)
        move = told.moves[judgement.ply - 1]
        after = plays[judgement.ply].copy()
        after.push(move)
        alone = plain.judge(judgement.ply, Play(judgement.position), move, after.position,
                            by_seat=after.turn is None)
        assert (judgement.before, judgement.after) == (alone.before, alone.after)
    assert alike > 5


def test_what_the_game_told_is_the_same_in_any_order(
    told: GameRecord, told_review: Review, tmp_path: Path
) -> None:
    """With several jobs, and when a review is resumed; other pasts are other decisions."""
    judge, path = Judge(SPEC, Limits(sims=60)), str(tmp_path / "kept.jsonl")
    again = review_game(told, judge, jobs=3)
    assert again.to_json() == told_review.to_json()
    with Kept(path, judge) as kept:
        for judgement in told_review.judgements[20:40]:
            before = Play.of(told, judgement.ply - 1)
            kept.add(before, judgement)
            assert kept.get(judgement.ply, Play(before.position), judgement.played.move) is None
    with Kept(path, judge) as kept:
        assert kept.count == 20
        assert review_game(told, judge, kept=kept).to_json() == told_review.to_json()


def test_a_judge_that_judges_linearly_searches_once(told: GameRecord) -> None:
    """It expects the others to judge as it does, whatever the game told."""
    review = review_game(cut_short(told, 12), Judge("ismcts:net=0", Limits(sims=20)))
    assert all(one.analysis.beliefs == (LINEARLY,) * 3 for one in review.judgements)
    assert not any(one.analysis.unlike or one.alike for one in review.judgements)


@pytest.mark.parametrize(("win", "lead", "worse"), [
    (0.0006, 0.0, True), (0.0004, 0.0, False), (0.0, 0.06, True), (0.0, 0.04, False),
    (-0.1, -5.0, False)])
def test_a_move_is_worse_if_its_loss_shows(win: float, lead: float, worse: bool) -> None:
    """With one decimal digit, in % or in points."""
    analysis = made_up_analysis()
    best = analysis.best
    played = replace(analysis.moves[1], win_prob=best.win_prob - win,
                     score_lead=best.score_lead - lead)
    found = Judgement(1, position_of(PLACING), 4, analysis, played, False, (0.5, 0.5))
    assert found.worse == worse


@pytest.mark.parametrize(("loss", "error", "mark"), [
    (0.1, 0.0, "??"), (0.0999, 0.0, "?"), (0.05, 0.0, "?"), (0.0499, 0.0, "?!"),
    (0.02, 0.0, "?!"), (0.0199, 0.0, ""), (0.1, 0.06, "??"), (0.1, 0.062, "")])
def test_marks_begin_at_their_loss_if_it_is_more_than_its_error(
    loss: float, error: float, mark: str
) -> None:
    best, played = made_up_analysis().moves[:2]
    moves = (replace(best, win_prob=loss, win_prob_se=error),
             replace(played, win_prob=0.0, win_prob_se=0.0))
    found = Judgement(1, position_of(PLACING), 4, replace(made_up_analysis(), moves=moves),
                      moves[1], False, (0.0, 1.0))
    assert found.mark == mark


@pytest.mark.parametrize(("best", "played", "mark"), [
    (1.0, 0.9, "??"), (0.6, 0.5, "??"), (0.3, 0.25, "?"), (0.35, 0.3, "?"), (0.32, 0.3, "?!")])
def test_marks_begin_at_their_loss_however_it_is_made_of_two_chances(
    best: float, played: float, mark: str
) -> None:
    moves = tuple(replace(one, win_prob=win, win_prob_se=0.0)
                  for one, win in zip(made_up_analysis().moves, (best, played), strict=False))
    found = Judgement(1, position_of(PLACING), 4, replace(made_up_analysis(), moves=moves),
                      moves[1], False, (0.0, 1.0))
    assert found.mark == mark


@pytest.mark.parametrize(("wrong", "told"), [
    ({"limits": 100}, "limits 100: expected Limits, or None"),
    ({"seed": "3"}, "seed '3': expected a whole number")])
def test_a_judge_refuses_by_name(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        Judge("ismcts:sims=2", **wrong)


@pytest.mark.parametrize(("wrong", "told"), [
    ({"judge": "default"}, "judge 'default': expected a Judge"),
    ({"record": "game.jsonl"}, r"record 'game\.jsonl': expected a GameRecord"),
    ({"jobs": 0}, "jobs 0: expected a whole number from 1"),
    ({"jobs": 2.5}, "jobs 2.5: expected a whole number from 1")])
def test_a_review_refuses_by_name(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        review_game(**{"record": RECORDS[0], "judge": Judge("ismcts:sims=2"), **wrong})


def test_a_seed_of_numpy_is_one_of_python_in_a_review() -> None:
    seed: Any = np.int64(3)
    short = replace(RECORDS[0], moves=RECORDS[0].moves[:1], reason="unfinished")
    found = review_game(short, Judge("ismcts:sims=2", seed=seed))
    assert json.loads(json.dumps(found.to_json()))["seed"] == 3
