"""What the moves of other seats tell of their minds, and what is expected of them then."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from bench import clock_match
from pavilion_ai import rivals as rivals_module
from pavilion_ai import search as search_module
from pavilion_ai._core import Rng, Search
from pavilion_ai.agents import make_agent
from pavilion_ai.analysis import BY_NETWORK, LINEARLY
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.network import shipped
from pavilion_ai.play import Play
from pavilion_ai.readings import MEMORY
from pavilion_ai.rivals import (
    ALIKE,
    DECIDED,
    FAVOURITE,
    FEW,
    LEAST_PRIOR,
    LEVEL,
    PRIOR,
    SIMS,
    STEPS,
    VISITS,
    Rivals,
)
from pavilion_ai.search import Searcher, tunables_for
from tests.plays import turns

from .expectimax import utilities
from .networks import net_values, network, searched
from .support import EVERY_VARIANT, STATES, after, position_of, rules_of, search, states, walk

MANY = [(game, players, grey) for game, players, grey in EVERY_VARIANT if players > 2]
many_players = pytest.mark.parametrize(("game", "players", "grey"), MANY)


def shares(rivals: Rivals, share: float, play: Play, net: Any) -> tuple[float, ...]:
    rules = play.rules
    return rivals.shares(share, play, net, tunables_for(rules, net), tunables_for(rules))


def played(game_name: str, board: str, players: int, specs: tuple[str, ...],
           seed: int) -> Iterator[tuple[Play, str]]:
    """Play a game and yield it before each decision, with the move to be made."""
    start = Play.new(game_name, board=board, players=players, seed=seed)
    agents = [make_agent(spec) for spec in specs]
    for play in turns(start, Rng(seed, 3)):
        assert play.turn is not None
        move = agents[play.turn].choose(Play(play.position), seed=seed)
        yield play, move
        play.push(move)


# ------------------------------------------------------------------------------------- evidence


def believed(share: float, evidence: dict[int, float]) -> dict[int, float]:
    """Return how likely each seat judges linearly: Bayes over all that their minds may be."""
    minds = list(product((True, False), repeat=len(evidence)))
    chances = []
    for linear in minds:
        each = [share if one else 1 - share for one in linear]
        prior = (1 - ALIKE) * math.prod(each) + ALIKE * each[0] * (len(set(linear)) == 1)
        chances.append(prior * math.prod(
            math.exp(-nats) for nats, one in zip(evidence.values(), linear, strict=True) if one))
    return {seat: sum(chance for chance, linear in zip(chances, minds, strict=True) if linear[at])
            / sum(chances) for at, seat in enumerate(evidence)}


@pytest.mark.release_only
@many_players
def test_seats_are_judged_by_their_decisions(game: str, players: int, grey: bool) -> None:
    """From what both short searches think of what was played; nobody judges itself."""
    for viewer in range(players):
        check_shares(game, players, grey, viewer)


def check_shares(game: str, players: int, grey: bool, viewer: int) -> None:
    net, rng = network(game, players), Rng(8)
    told = judged = 0
    for seed in (33, 34):
        rivals = Rivals()
        evidence = {seat: 0.0 for seat in range(players) if seat != viewer}
        pending: list[tuple[Any, Any]] = []
        for play in random_game(game, players, grey, seed):
            state, move = play.state, play.state.random_move(rng)
            if play.turn == viewer:
                for seen, played_move in pending:
                    judged += abs(evidence[seen.to_move]) >= DECIDED
                    if abs(evidence[seen.to_move]) < DECIDED:
                        evidence[seen.to_move] += nats(seen, played_move, net)
                pending = []
                here = shares(rivals, 0.4, play, net)
                assert here[viewer] == 0.4
                for seat, expected in believed(0.4, evidence).items():
                    assert here[seat] == pytest.approx(expected, abs=0.501 / STEPS)
                    told += abs(here[seat] - 0.4) > 0.1
                assert shares(rivals, 0.0, play, net) == (0.0,) * players
                assert shares(rivals, 1.0, play, net) == (1.0,) * players
            else:
                pending.append((state, move))
            play.push(play.rules.move_text(play.position, move))
    assert told > 20
    assert judged


def random_game(game: str, players: int, grey: bool, seed: int) -> Iterator[Play]:
    """Yield a play before each decision, which the caller pushes."""
    rng = Rng(seed)
    return turns(Play(position_of(STATES[game].new(players, grey, seed % players, rng))), rng)


@many_players
def test_a_game_without_a_past_tells_nothing(game: str, players: int, grey: bool) -> None:
    """Also where another game was seen before, and where moves were taken back."""
    net, rivals, rng = network(game, players), Rivals(), Rng(9)
    for play in random_game(game, players, grey, 33):
        if play.turn == 0 and len(play.plies) > 30:
            break
        play.push(play.rules.move_text(play.position, play.state.random_move(rng)))
    nothing = (0.4, *[round(0.4 * STEPS) / STEPS] * (players - 1))
    assert shares(rivals, 0.4, play, net) != nothing
    assert shares(rivals, 0.4, Play(play.position), net) == nothing
    short = play.copy()
    while short.turn != 0 or len(short.plies) == len(play.plies):
        short.pop()
    assert shares(rivals, 0.4, short, net) == shares(Rivals(), 0.4, short, net)
    assert shares(rivals, 0.4, play, net) == shares(Rivals(), 0.4, play, net)


@many_players
def test_what_a_game_tells_does_not_depend_on_when_it_is_asked(
    game: str, players: int, grey: bool
) -> None:
    """A judge that followed the game knows what one knows that reads all of it at once."""
    net, rng, rivals = network(game, players), Rng(9), Rivals()
    for play in random_game(game, players, grey, 35):
        play.push(play.rules.move_text(play.position, play.state.random_move(rng)))
        if play.turn is not None:
            followed = shares(rivals, 0.4, play, net)
    while play.turn is None:
        play.pop()
    assert shares(Rivals(), 0.4, play, net) == shares(rivals, 0.4, play, net)
    assert 0 in followed or 1 in followed


def nats(state: Any, move: Any, net: Any) -> float:
    """Return how much a decision speaks for the network's mind."""
    appeals = [appeal(state, move, asked) for asked in (net, None)]
    if None in appeals:
        return 0.0
    return appeals[0] - appeals[1] - LEVEL


def appeal(state: Any, move: Any, net: Any) -> Any:
    """Return how a short search likes a move, None if that tells nothing."""
    tree = search(state, seed=0, memory_bytes=MEMORY, network=net,
                  **{**tunables_for(rules_of(state), net), "rivals": 0.0})
    tree.run(SIMS)
    ranked = sorted(tree.rows(), key=lambda row: (row[1], row[2]), reverse=True)
    found = [row for row in ranked if row[0] == move]
    if not found or len(ranked) == 1:
        return None
    behind = math.log((ranked[0][1] + FEW) / (found[0][1] + FEW))
    best = FAVOURITE if found[0] is ranked[0] else 0.0
    return best - VISITS * behind + PRIOR * math.log(max(found[0][3], LEAST_PRIOR))


@pytest.mark.release_only
@many_players
def test_minds_are_told_apart(game: str, players: int, grey: bool) -> None:
    """Seats that search with the shipped network, and seats that do so without it."""
    board = GAMES[game].boards[grey]
    net = shipped(game, board, players)
    specs = ("ismcts:sims=60", "ismcts:net=0,sims=60", "ismcts:sims=60", "ismcts:net=0,sims=60")
    linear, by_network = [], []
    for seed in range(5):
        rivals, last = Rivals(), {}
        for play, _ in played(game, board, players, specs[:players], seed):
            if play.turn in (0, 1):
                last[play.turn] = shares(rivals, 0.5, play, net)
        linear += [last[0][1], *last[0][3:]]
        by_network += [last[1][0], last[1][2]]
    assert sum(linear) / len(linear) > 0.65
    assert sum(by_network) / len(by_network) < 0.2


def test_what_there_was_no_time_for_is_looked_at_later() -> None:
    net = shipped("azul", "coloured", 3)
    late, in_time = Rivals(), Rivals()
    game = played("azul", "coloured", 3, ("policy:net=0",) * 3, 6)
    play, _ = next(itertools.islice(game, 30, None))
    minds = net, tunables_for(GAMES["azul"], net), tunables_for(GAMES["azul"])
    assert late.shares(0.5, play, *minds, deadline=1e-9) == (0.5, 0.5, 0.5)
    assert late.shares(0.5, play, *minds) == in_time.shares(0.5, play, *minds)
    assert max(in_time.shares(0.5, play, *minds)) > 0.9


@pytest.mark.release_only
def test_judging_the_other_seats_takes_a_quarter_of_the_time(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """One decision begun in that quarter may end after it."""
    game = played("azul", "coloured", 3, ("policy:net=0",) * 3, 6)
    play, _ = next(itertools.islice(game, 30, None))
    assert shipped("azul", "coloured", 3) is not None  # read from its file before the clock runs
    read: list[int] = []

    def slow(rivals: Rivals, seat: int, *rest: Any) -> None:
        time.sleep(0.2 * (len(read) < 9))
        read.append(seat)

    monkeypatch.setattr(Rivals, "_read", slow)
    searcher = Searcher("searcher")
    assert searcher.analyse(play, Limits(seconds=1.6)).sims > 0
    assert 1 <= len(read) <= 3
    searcher.analyse(play, Limits(sims=1))  # without a time limit the rest is judged
    assert len(read) > 9


def test_a_match_in_processor_time_judges_the_other_seats_too(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """bench/clock_match.py, whose deadlines are readings of another clock."""
    read: list[int] = []
    monkeypatch.setattr(Rivals, "_read", lambda _, seat, *rest: read.append(seat))
    for place, name in ((search_module, "time"), (rivals_module, "time"),
                        *((search_module._Run, name) for name in ("slice", "end_at",
                                                                  "out_of_time"))):
        monkeypatch.setattr(place, name, getattr(place, name))
    clock_match.use_processor_time()
    play, _ = next(itertools.islice(
        played("azul", "coloured", 3, ("policy:net=0",) * 3, 6), 30, None))
    search_module._Run(Searcher("searcher"), play, Limits(seconds=60.0), 1, 0)
    assert set(read) == {0, 1, 2} - {play.turn}


def test_two_players_are_not_watched() -> None:
    rivals, rng, asked = Rivals(), Rng(2), 0
    for play in random_game("azul", 2, False, 34):
        play.push(play.rules.move_text(play.position, play.state.random_move(rng)))
        if play.turn is not None:
            assert shares(rivals, 0.5, play, network("azul", 2)) == (0.5, 0.5)
            asked += 1
    assert asked > 20


# -------------------------------------------------------------------------------- expectations


def expecting(state: Any, share: float | tuple[float, ...], **tunables: Any) -> Search:
    """Return a search that gives this chance to judge linearly to all other seats, or to each."""
    return searched(state, rivals=share, plain=1, **tunables)


@many_players
@pytest.mark.parametrize("share", [0.45, 0.5, 1.0])
def test_who_judges_linearly_plays_by_the_linear_policy(
    game: str, players: int, grey: bool, share: float
) -> None:
    """From a half on; the reply that is looked at first is the likeliest."""
    net, differ = network(game, players), 0
    for state in list(walk(players, grey, 35, game))[::6]:
        for move in state.moves(True)[:5] if state.to_move >= 0 else ():
            reply = after(state, move)
            if reply.to_move in (-1, state.to_move) or len(reply.moves(True)) < 2:
                continue
            tree = expecting(state, share)
            tree.restrict([move])
            tree.run(2)
            looked_at = tree.line(move, 2)[1]
            likeliest = reply.policy_move(network=None if share >= 0.5 else net)
            assert looked_at == likeliest
            differ += looked_at != reply.policy_move()
    assert (differ > 0) == (share < 0.5)


@pytest.mark.release_only
def test_what_it_wants_within_a_round_is_found_by_playing_it_out() -> None:
    """A tree of two decisions: the reply that is best for its seat after playouts is followed."""
    checked = 0
    for seed in range(60, 90):
        for state in walk(3, False, seed, "azul"):
            if state.to_move < 0 or not 2 <= len(state.moves()) <= 12:
                continue
            move = state.moves()[0]
            reply = after(state, move)
            if reply.to_move in (-1, state.to_move) or not 2 <= len(reply.moves()) <= 6:
                continue
            worth = {other: mean_end(reply, other, 150) for other in reply.moves()}
            best, second = sorted(worth, key=lambda other: -worth[other])[:2]
            if worth[best] - worth[second] < 0.04:
                continue
            tree = expecting(state, 1.0, max_depth=2, mixed=0.5, exploration=0.1, spread=0.0)
            tree.restrict([move])
            tree.run(2000)
            assert tree.line(move, 2)[1] == best
            checked += 1
    assert checked > 10


@pytest.mark.parametrize("share", [0.45, 1.0])
def test_where_somebody_plays_plainly_the_round_is_played_out(share: float) -> None:
    """The network values the ends that the linear policy leads to; else the leaf as it is."""
    net, rng, far = network("azul", 3), Rng(5), 0.0
    for state in list(walk(3, True, 61, "azul"))[::9]:
        leaf = after(state, state.moves()[0]) if state.to_move >= 0 else state
        if leaf.to_move < 0 or leaf.round > 2:
            continue
        tree = expecting(state, share, max_depth=1, finish=0)
        tree.restrict([state.moves()[0]])
        tree.run(600)
        row = tree.rows()[0]
        found = [win / row[1] for win in row[4]]
        directly, ends = net_values(leaf, net)[0], [0.0] * 3
        for _ in range(600):
            end = played_out(leaf, rng)
            ends = [a + b / 600 for a, b in zip(ends, net_values(end, net)[0], strict=True)]
        assert found == pytest.approx(ends if share >= 0.5 else directly, abs=0.02)
        far = max(far, *(abs(a - b) for a, b in zip(directly, ends, strict=True)))
    assert far > 0.1


def played_out(state: Any, rng: Rng) -> Any:
    """Return the end of the round that playouts of the linear policy lead to."""
    end = state.copy()
    while end.to_move >= 0:
        end.apply(end.policy_move(rng))
    return end


def mean_end(state: Any, move: Any, times: int) -> float:
    """Return what a move is worth to its seat by the linear heuristics."""
    seat, rng, total = state.to_move, Rng(4), 0.0
    for _ in range(times):
        total += utilities(*played_out(after(state, move), rng).evaluate(), 0.5, 30)[seat]
    return total / times


def test_expectations_may_change_between_searches() -> None:
    state = next(iter(walk(3, False, 36, "azul")))
    tree = expecting(state, 0.0)
    tree.run(800)
    assert tree.restart(state, seed=1)
    tree.expect((0.0, 1.0, 0.25))
    tree.run(800)
    new = expecting(state, (0.0, 1.0, 0.25))
    new.run(800)
    assert tree.rows() == new.rows()
    other = expecting(state, 0.0)
    other.run(800)
    assert tree.rows() != other.rows()
    with pytest.raises(ValueError, match="rivals"):
        tree.expect((0.0, 1.5, 0.0))


@pytest.mark.release_only
def test_an_agent_plays_by_the_past_of_a_play() -> None:
    """It may change an answer; a position without a past is answered as by a new agent."""
    agent, fresh = make_agent("ismcts"), make_agent("ismcts")
    fixed, alike = make_agent("ismcts:rivals=1"), make_agent("ismcts:rivals=0")
    changed = same = 0
    for play, _ in played("azul", "coloured", 3, ("policy:net=0",) * 3, 6):
        here = Play(play.position)
        answers = [one.analyse(asked, Limits(sims=200)).moves
                   for one, asked in ((agent, play), (fresh, here), (fixed, here))]
        changed += answers[0] != answers[1]
        same += answers[0] == answers[2]
        assert agent.analyse(here, Limits(sims=200)).moves == answers[1]
        assert alike.analyse(play, Limits(sims=200)).moves == answers[1]  # nothing told of others
    assert changed > 5
    assert same > 5


@pytest.mark.parametrize("board", ["coloured", "grey"])
@pytest.mark.parametrize("game", ["summer", "azul"])
@pytest.mark.parametrize("players", [3, 4])
def test_a_single_position_does_not_depend_on_the_seed_where_nothing_is_drawn(
    game: str, board: str, players: int
) -> None:
    """Nor on a past in which nobody has decided yet; and the answer says what was expected."""
    play = Play.new(game, board=board, players=players, seed=1)
    agent = make_agent("default")
    answers = [agent.analyse(one, Limits(sims=100), seed=seed)
               for one, seed in ((play, 1), (Play(play.position), 1), (play, 2))]
    assert {answer.beliefs for answer in answers} == {(BY_NETWORK,) * players}
    assert answers[0].moves == answers[1].moves
    if game == "azul":  # in Summer Pavilion the supply is topped up within a round
        assert answers[0].moves == answers[2].moves


def test_an_answer_names_what_is_expected_of_each_seat() -> None:
    agent, told = make_agent("default"), set()
    specs = ("policy:net=0", "policy", "policy", "policy:net=0")
    for play, _ in played("azul", "coloured", 4, specs, 6):
        found = agent.analyse(play, Limits(sims=20))
        assert found.beliefs[found.to_move] == BY_NETWORK
        told.add((found.to_move, found.beliefs))
        if (found.to_move, LINEARLY) == (1, found.beliefs[3]):
            assert "expects seats 0 and 3 to judge by the linear heuristics" in str(found)
            break
    assert (1, (LINEARLY, BY_NETWORK, BY_NETWORK, LINEARLY)) in told
    everyone = make_agent("ismcts:rivals=1").analyse(play, Limits(sims=20))
    assert everyone.beliefs == (LINEARLY, BY_NETWORK, LINEARLY, LINEARLY)
    assert "expects the others to judge by the linear heuristics" in str(everyone)
    linear = make_agent("ismcts:net=0").analyse(play, Limits(sims=20))
    assert linear.to_json()["beliefs"] == [LINEARLY] * 4
    assert "expects the others to judge as it does" in str(linear)
    assert "beliefs" not in make_agent("uct").analyse(play, Limits(sims=20)).to_json()
    two = make_agent("default").analyse(Play.new("azul", seed=1), Limits(sims=20))
    assert two.beliefs == (BY_NETWORK,) * 2
    assert "expects" not in str(two)


@many_players
def test_no_deals_are_tried_while_a_seat_judges_linearly(
    game: str, players: int, grey: bool
) -> None:
    """It wants what the linear heuristics say of the end of the round, not of what follows it."""
    ending = [state for state in walk(players, grey, 35, game)
              if state.round == 2 and len(state.moves(True)) > 1][-1]
    plain, linear = 0.0, tuple(float(seat != ending.to_move) for seat in range(players))
    alike = [(row.visits, row.value) for row in _rows(ending, linear, 0)]
    assert alike == [(row.visits, row.value) for row in _rows(ending, linear, 5)]
    assert _rows(ending, plain, 0) != _rows(ending, plain, 5)


def _rows(state: Any, rivals: float | tuple[float, ...], deals: int) -> Any:
    tree = searched(state, rivals=rivals, deal_visits=deals)
    tree.run(400)
    return tree.rows()


def test_errors_are_those_without_deals_while_a_seat_judges_linearly() -> None:
    """Since none are tried then."""
    play = Play(position_of(states(3, False, 8, round=3)[0]))
    errors = [make_agent(f"ismcts:rivals={rivals},deals={deals}").analyse(
        play, Limits(sims=300)).best.win_prob_se for rivals in (0, 1) for deals in (50, 0)]
    assert errors[0] != errors[1]
    assert errors[2] == errors[3]
