"""The search with a network: what it takes from it, and all that holds for any search."""

from __future__ import annotations

import copy
import math
import pickle
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai._core import Network, Rng, Search, network_kernels
from pavilion_ai.agents import Agent, make_agent
from pavilion_ai.analysis import calibrated
from pavilion_ai.errors import NetworkError
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.network import core_shape, read_network, write_network
from pavilion_ai.notation import format_position
from pavilion_ai.play import Play
from pavilion_ai.tunables import SELECT_EVEN
from tests.cli.support import pavilion
from tests.plays import turns

from .analyses import check_analysis, check_sums
from .expectimax import utilities
from .networks import HIDDEN, net_values, network, network_file, payload, searched
from .solved_endings import CASES, alone, finished, loss, solved
from .support import (
    BONUS,
    DRAFT,
    EVERY_VARIANT,
    PLACE,
    VARIANTS,
    after,
    opening,
    position_of,
    rules_of,
    search,
    states,
    walk,
    with_unknown_bag,
)

every_variant = pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)


# ------------------------------------------------------------------- what it takes from a network


@every_variant
def test_priors_are_the_networks(game: str, players: int, grey: bool) -> None:
    """Softmax of the sums over the features of each move, the wide ones included."""
    net = network(game, players)
    for state in list(walk(players, grey, 21, game))[::7]:
        table = net.policy_table(state.inputs())
        tree = searched(state, temperature=1.25, mixed=0.1)
        tree.run(1)
        rows = tree.rows()
        logits = [sum(table[i] for i in state.policy_features(row[0], wide=True)) / 256
                  for row in rows]
        shares = [math.exp((logit - max(logits)) / 1.25) for logit in logits]
        for row, share in zip(rows, shares, strict=True):
            assert row[3] == pytest.approx(0.9 * share / sum(shares) + 0.1 / len(rows), abs=1e-5)
        assert logits == sorted(logits, reverse=True)
        best = max(logits)
        assert state.policy_move(network=net) in [
            row[0] for row, logit in zip(rows, logits, strict=True) if logit == best]


def test_equally_likely_moves_keep_their_order() -> None:
    inputs, policy = core_shape("azul", 3)
    nothing = bytes(len(payload("azul", 3)))
    net = Network(inputs, *HIDDEN, 3, policy, nothing)
    for state in walk(3, True, 23, "azul"):
        tree = searched(state, network=net)
        tree.run(1)
        assert [row[0] for row in tree.rows()] == state.moves()


@every_variant
def test_leaves_are_worth_what_the_network_says(game: str, players: int, grey: bool) -> None:
    net, ends, seen = network(game, players), 0, 0
    for state in list(walk(players, grey, 22, game))[::3]:
        mover = state.to_move
        tree = searched(state, win_weight=0.7, selection=SELECT_EVEN, finish=0, rivals=0.0)
        tree.run(1)
        tree.run(len(tree.rows()) - 1)
        for row in tree.rows():
            assert row[1] == 1
            end = after(state, row[0])
            if end.over or (end.to_move < 0 and not end.between_rounds):
                continue
            seen += 1
            ends += end.between_rounds
            win, lead, score = net_values(end, net)
            assert row[4] == pytest.approx(win, abs=1e-8)
            assert row[6] == pytest.approx(score, abs=1e-6)
            assert row[2] == pytest.approx(0.7 * win[mover] + 0.3 * lead[mover], abs=1e-8)
            assert row[5] == pytest.approx(win[mover] ** 2, abs=1e-8)
    assert seen > 100
    assert ends


@pytest.mark.parametrize(("spread", "growth", "sims"), [
    (0.0, 0.0, 300), (0.5, 0.0, 300), (1.0, 0.0, 300), (0.5, 0.7, 2500)])
def test_exploration_follows_the_spread_of_values(
    spread: float, growth: float, sims: int
) -> None:
    # One move deep and before any draw a move has the same value on every visit.
    c, less = 1.5, 0.1
    state = states(2, False, 5, round=1, phase=DRAFT, choices=5)[0]
    tree = searched(state, max_depth=1, spread=spread, growth=growth, exploration=c,
                    fpu_reduction=less)
    tree.run(sims)
    rows = tree.rows()
    values = [row[2] / row[1] if row[1] else 0.0 for row in rows]
    visits = [0] * len(rows)
    for n in range(sims):
        total = sum(v * q for v, q in zip(visits, values, strict=True))
        squares = sum(v * q * q for v, q in zip(visits, values, strict=True))
        variance = (squares - (total * total / n if n else 0) + 4 * 0.1**2) / (n + 4)
        followed = min(2, max(0.5, math.sqrt(variance) / 0.1))
        place, octaves = math.frexp(1 + n / 1024)      # place * 2 ** octaves, place from 0.5
        rise = 1 + growth * (octaves - 1 + 2 * place - 1)
        root = c * math.sqrt(n + 1) * rise * (1 - spread + spread * followed)
        unvisited = (total / n if n else 0.5) - less
        bounds = [(q if v else unvisited) + root * row[3] / (1 + v)
                  for v, q, row in zip(visits, values, rows, strict=True)]
        visits[bounds.index(max(bounds))] += 1
    assert visits == [row[1] for row in rows]
    assert sum(v > 0 for v in visits) > 2


def last_but_one(players: int, seed: int) -> list[Any]:
    """Return positions of base Azul from which two seats act before the round ends."""
    found = []
    for state in walk(players, False, seed, "azul"):
        if state.to_move < 0 or not 2 <= len(state.moves()) <= 30:
            continue
        replies = [after(state, move) for move in state.moves()]
        if all(reply.to_move not in {-1, state.to_move} and all(
                after(reply, move).between_rounds and not after(reply, move).over
                for move in reply.moves()) for reply in replies):
            found.append(state)
    return found


@pytest.mark.release_only
@pytest.mark.parametrize("rivals", [0.0, 0.45, 0.5])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_others_want_what_they_are_expected_to_judge_by(players: int, rivals: float) -> None:
    """The seat that searches wants what its network says, and is told that of all seats."""
    linear, net, replies, differ = rivals >= 0.5, network("azul", players), 0, 0
    for seed in range(40, 70):
        for state in last_but_one(players, seed):
            tree = searched(state, rivals=rivals, mixed=0.5, exploration=0.1, spread=0.0,
                            deal_visits=0)
            tree.run(20_000)
            for row in tree.rows():
                reply = after(state, row[0])
                if row[1] < 600 or len(reply.moves()) < 2:
                    continue
                worth = {}
                for move in reply.moves():
                    end = after(reply, move)
                    known = net_values(end, net)
                    own = (known[0][reply.to_move] + known[1][reply.to_move]) / 2
                    other = utilities(*end.evaluate(), 0.5, 30)[reply.to_move]
                    worth[move] = other if linear else own, own, known
                ranked = sorted(worth, key=lambda move: worth[move][0])
                if worth[ranked[-1]][0] - worth[ranked[-2]][0] < 0.02:
                    continue
                replies += 1
                differ += worth[ranked[-1]][1] < max(own for _, own, _ in worth.values()) - 0.02
                assert tree.line(row[0], 2)[1] == ranked[-1]
                shares = [[end[0][seat] for _, _, end in worth.values()]
                          for seat in range(players)]
                first = 1 / row[1]      # the first visit was valued before the reply
                for share, seen in zip(row[4], shares, strict=True):
                    assert min(seen) - first <= share / row[1] <= max(seen) + first
                mover = [(end[0][state.to_move] + end[1][state.to_move]) / 2
                         for _, _, end in worth.values()]
                assert min(mover) - first <= row[2] / row[1] <= max(mover) + first
    assert replies > 20
    assert (differ > 5) == linear


@every_variant
def test_wins_are_reported_as_the_header_says(
    tmp_path: Path, game: str, players: int, grey: bool
) -> None:
    """And nothing else is: the search is the same."""
    state = states(players, grey, 5, choices=4, game=game)[9]
    position, analyses = position_of(state), []
    for scale in (1.0, 1.5):
        plain = network_file(tmp_path, game, grey, players)
        header, payload = read_network(plain)
        path = tmp_path / f"{scale}.net"
        write_network(path, replace(header, win_scale=scale), payload)
        analyses.append(make_agent(f"ismcts:net={path}").analyse(
            Play(position), Limits(sims=300)))
    before, after = analyses
    assert after.root.win_prob == pytest.approx(calibrated(before.root.win_prob, 1.5))
    assert after.root.win_prob != pytest.approx(before.root.win_prob, rel=1e-3)
    assert after.root.score_mean == before.root.score_mean
    for one, other in zip(before.moves, after.moves, strict=True):
        assert replace(other, win_prob=0, win_prob_se=0) == replace(
            one, win_prob=0, win_prob_se=0)
        if players == 2:
            assert other.win_prob == pytest.approx(
                calibrated((one.win_prob, 1 - one.win_prob), 1.5)[0])
            if one.visits and 0.3 < one.win_prob < 0.7:
                assert other.win_prob_se > one.win_prob_se


# ------------------------------------------------------------------------------ reproducibility


@pytest.mark.parametrize(("phase", "answers"), [(DRAFT, 1), (BONUS, 4)])
def test_seeds_matter_where_tiles_are_drawn(phase: int, answers: int) -> None:
    """Nothing is played out: chance enters when the supply is filled up after a bonus."""
    state = states(2, False, 34, phase=phase, choices=3)[0]
    found = set()
    for seed in range(4):
        tree = searched(state, seed)
        tree.run(300)
        found.add(tuple((row[0], row[1], row[2]) for row in tree.rows()))
    assert len(found) == answers


@every_variant
def test_every_kernel_and_every_time_the_same(game: str, players: int, grey: bool) -> None:
    state = states(players, grey, 5, choices=4, game=game)[9]
    answers = []
    for kernel in [*network_kernels(), None]:
        tree = searched(state, kernel=kernel)
        tree.run(300)
        answers.append((tree.root_stats(), tree.rows(), tree.nodes))
    assert all(answer == answers[0] for answer in answers)
    pieces = searched(state)
    while pieces.sims < 300:
        pieces.run(7 if pieces.sims < 294 else 300 - pieces.sims)
    assert (pieces.root_stats(), pieces.rows(), pieces.nodes) == answers[0]
    other = searched(state, net_seed=1)
    other.run(300)
    assert other.rows() != answers[0][1]


@pytest.mark.parametrize("game", GAMES)
def test_the_seed_matters_where_tiles_are_drawn(game: str) -> None:
    state = [s for s in walk(2, False, 5, game) if s.round == 1 and len(s.moves(True)) > 4][-1]
    rows = []
    for seed in (1, 1, 2):
        tree = searched(state, seed, deal_visits=10)
        tree.run(1500)
        rows.append(tree.rows())
    assert rows[0] == rows[1]
    assert rows[0] != rows[2]


# ------------------------------------------------------------------------------- exact endings


@pytest.mark.parametrize(("scores", "shares"), [
    ([30, 30], [0.5, 0.5]),
    ([30, 31], [0.0, 1.0]),
    ([44, 30, 44], [0.5, 0.0, 0.5]),
    ([7, 7, 7, 7], [0.25] * 4),
])
def test_finished_games_are_valued_exactly(scores: list[int], shares: list[float]) -> None:
    tree = searched(finished(scores, len(scores)))
    tree.run(10)
    root = tree.root_stats()
    assert [wins / 10 for wins in root[4]] == pytest.approx(shares)
    assert [total / 10 for total in root[6]] == pytest.approx(scores)
    exact = utilities(scores, shares, 0.5, 30.0)[-1]
    assert root[2] / 10 == pytest.approx(exact, abs=1e-8)


@pytest.mark.release_only
@pytest.mark.parametrize(("grey", "kind", "seed"), CASES)
def test_search_finds_the_exact_answer(grey: bool, kind: str, seed: int) -> None:
    """Although the network knows nothing; its priors would only slow it down."""
    state, solver = solved(grey, kind, seed)
    mover, values = state.to_move, solver.moves(state)
    best = max(value.utility[mover] for value in values.values())
    tree = searched(state, mixed=1.0)
    tree.run(80_000)
    row = max(tree.rows(), key=lambda row: (row[1], row[2]))
    exact = values[row[0]]
    assert exact.utility[mover] == pytest.approx(best, abs=0.005)
    assert row[2] / row[1] == pytest.approx(exact.utility[mover], abs=0.06)
    assert row[4][mover] / row[1] == pytest.approx(exact.wins[mover], abs=0.1)


def test_lonely_endings() -> None:
    """Nobody is left to answer: little is given away."""
    losses = []
    for seed in range(1, 9):
        state, solver = alone(2 + seed % 3, seed, ahead=1)
        net = network("summer", state.players)
        losses.append(loss(state, solver, 20_000, network=net))
    assert sum(lost > 1e-9 for lost in losses) <= 3


# ----------------------------------------------------------------------------------- invariants


@every_variant
def test_answers_hang_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, game: str,
                               players: int, grey: bool) -> None:
    """Means of moves give that of the position, until a power is applied to each; here none is."""
    monkeypatch.setattr(type(GAMES[game]), "power_of", lambda *_: 1.0)
    agent = make_agent(f"ismcts:net={network_file(tmp_path, game, grey, players)}")
    for state in list(walk(players, grey, 17, game))[2::9]:
        position = position_of(state)
        if len(state.moves(True)) > 1:
            check_analysis(position, agent.analyse(Play(position), Limits(sims=150)))
            check_analysis(
                position, agent.analyse(Play(position), Limits(sims=151), threads=3))


@every_variant
def test_whole_games(tmp_path: Path, game: str, players: int, grey: bool) -> None:
    """Played with a tree that is kept, and by the network alone: only legal moves."""
    path = network_file(tmp_path, game, grey, players)
    agents = [make_agent(f"ismcts:net={path},reuse=1"), make_agent(f"policy:net={path}")]
    start = opening(players, GAMES[game].boards[grey], 4, game)
    for ply, play in enumerate(turns(Play(start), Rng(3))):
        agent = agents[ply % 5 == 4]
        play.push(agent.choose(play, Limits(sims=1 + 3 * ply % 40), seed=ply))
    assert ply >= 45


@pytest.mark.parametrize("name", ["ismcts", "policy"])
def test_a_file_that_changes(tmp_path: Path, name: str) -> None:
    """An agent keeps the network that it had, and so do copies; one that is made later, also from
    a pickle, has the new one."""
    files = [network_file(tmp_path, "summer", False, 2, seed) for seed in (0, 1)]
    plays = [Play(position_of(state)) for state in list(walk(2, False, 5))[::4]
             if len(state.moves(True)) > 1]

    def chosen(agent: Agent) -> list[str]:
        return [agent.choose(play, Limits(sims=10), seed=1) for play in plays]

    spec = f"{name}:net={files[0]}"
    before = make_agent(spec)
    old, new = (chosen(make_agent(f"{name}:net={file}")) for file in files)
    assert old != new
    assert chosen(before) == old
    files[1].replace(files[0])
    assert chosen(before) == old
    assert chosen(make_agent(spec)) == new
    assert chosen(copy.copy(before)) == chosen(copy.deepcopy(before)) == old
    assert chosen(pickle.loads(pickle.dumps(before))) == new


@every_variant
def test_a_full_tree_goes_on(game: str, players: int, grey: bool) -> None:
    state = states(players, grey, 6, round=2, choices=6, game=game)[0]
    tree = searched(state, memory_bytes=1 << 17, deal_visits=5, deal_spread=2)
    tree.run(4000)
    assert tree.memory_used <= 1 << 17
    root, rows = tree.root_stats(), tree.rows()
    assert root[1] == sum(row[1] for row in rows) == 4000
    assert root[2] == pytest.approx(sum(row[2] for row in rows))


@every_variant
def test_only_what_the_position_shows_counts(game: str, players: int, grey: bool) -> None:
    for state in list(walk(players, grey, 19, game))[:: 20 if game == "summer" else 5]:
        trees = [searched(state), searched(type(state)(*state.fields()))]
        for tree in trees:
            tree.run(60)
        assert trees[0].rows() == trees[1].rows()


# -------------------------------------------------------------------------- refused, or not asked


def test_the_core_refuses_other_networks() -> None:
    state = opening_state("summer", 3)
    for net in (network("summer", 2), network("azul", 3)):
        with pytest.raises(ValueError, match="the network has inputs, players and policy"):
            searched(state, network=net)
        with pytest.raises(ValueError, match="the network has inputs, players and policy"):
            state.policy_move(network=net)


def opening_state(game: str, players: int) -> Any:
    return GAMES[game].to_core(opening(players, game=game))


@pytest.mark.parametrize("name", ["ismcts", "policy"])
@pytest.mark.parametrize(("what", "complaint"), [
    ("missing", "No such file"),
    ("folder", "Is a directory"),
    ("cut off", "bytes of weights, expected"),
    ("damaged", "the weights are damaged"),
    ("text", "not a network file"),
    ("other board", "a network for summer, grey, 2 players, expected one for summer, coloured, 2"),
    ("other game", "a network for azul"),
    ("other players", "3 players, expected one for summer, coloured, 2 players"),
])
def test_files_that_are_refused(tmp_path: Path, name: str, what: str, complaint: str) -> None:
    path = network_file(tmp_path, "azul" if what == "other game" else "summer",
                        what == "other board", 2 + (what == "other players"))
    content = path.read_bytes()
    if what == "missing":
        path.unlink()
    elif what == "folder":
        path = tmp_path
    elif what == "cut off":
        path.write_bytes(content[:-5])
    elif what == "damaged":
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif what == "text":
        path.write_text("network")
    with pytest.raises(NetworkError, match=complaint) as caught:
        make_agent(f"{name}:net={path}").choose(Play(opening()), Limits(sims=5))
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    code = tmp_path / "position"
    code.write_text(format_position(opening(), "code"))
    done = pavilion("suggest", code, "--sims", 5, "--agent", f"{name}:net={path}")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("game", GAMES)
def test_without_a_network(game: str) -> None:
    """net=0 is the search and the policy of the fitted tables."""
    for state in list(walk(2, False, 23, game))[::9]:
        position = position_of(state)
        text = rules_of(state).move_text(position, state.policy_move())
        assert make_agent("policy:net=0").choose(Play(position)) == text
    analysis = make_agent("ismcts:net=0").analyse(Play(position), Limits(sims=100), seed=1)
    tree = search(GAMES[game].to_core(position))
    tree.run(100)
    assert sorted(row[1] for row in tree.rows()) == sorted(m.visits for m in analysis.moves)


# -------------------------------------------------------------------- deals below a round's end


@pytest.mark.parametrize("net", [False, True])
@every_variant
def test_games_with_deals_tried(game: str, players: int, grey: bool, net: bool) -> None:
    """A whole game in which the tree reaches into the next rounds and is kept."""
    state = opening_state(game, players) if not grey else states(players, True, 3, game=game)[0]
    rng, ply, kept = Rng(8), 0, 0
    tree: Search | None = None
    while not state.over:
        if state.to_move < 0:
            state.draw(rng)
            continue
        if tree is None or not tree.advance(state, seed=ply):
            tunables = {"deal_visits": 20, "deal_spread": 4, "share": 0}
            tree = searched(state, ply, **tunables) if net else search(
                state, seed=ply, **tunables)
        else:
            kept += 1
        before = tree.root_stats()
        tree.run(10 + 7 * ply % 60 if state.round > 1 else 5)
        root, rows = tree.root_stats(), tree.rows()
        assert root[1] - before[1] == tree.sims
        assert 0 <= root[1] - sum(row[1] for row in rows) <= 1
        assert sum(root[4]) == pytest.approx(root[1])
        move = max(rows, key=lambda row: row[1])[0]
        assert move in state.moves()
        state.apply(move)
        ply += 1
    assert kept


def last_seat(players: int, grey: bool, seed: int, moves: int = 99) -> Any:
    """Return a state in which any pass ends the round, and there are few other moves."""
    return next(
        state for seed in range(seed, seed + 99) for state in walk(players, grey, seed)
        if state.phase == PLACE and state.round < 6
        and sum(seat[3] for seat in state.fields()[16]) == players - 1
        and 4 < len(state.moves(True)) < moves)


def with_known_bag(state: Any, seed: int) -> Any:
    """Return a state with a random part of its unseen tiles in the bag, the rest in the tower."""
    fields: list[Any] = list(state.fields())
    tiles = [colour for colour, count in enumerate(fields[12]) for _ in range(count)]
    inside = Counter(random.Random(seed).sample(tiles, fields[14]))
    bag = tuple(inside[colour] for colour in range(6))
    tower = tuple(a - b for a, b in zip(fields[12], bag, strict=True))
    fields[12:16] = bag, tower, fields[14], True
    return type(state)(*fields)


@pytest.mark.release_only
@pytest.mark.parametrize(("players", "grey", "known"), [
    (2, False, True), (2, True, False), (3, False, False), (3, True, True), (4, False, True),
    (4, True, False),
])
def test_deals_are_worth_what_they_are_on_average(players: int, grey: bool, known: bool) -> None:
    """Over many trees the deals tried are an unbiased sample, of other deals in each tree.

    Each deal is the same on every visit, also from a bag of unknown contents.
    """
    state = last_seat(players, grey, 4)
    if not known:
        state = with_unknown_bag(state)
    choices = tree_moves(state)
    end = next(row[0] for row in choices if row[0][0] == 3)
    net, seat, rng = network("summer", players), state.to_move, Rng(6)
    drawn = []
    for number in range(1500):
        deal = state.copy() if known else with_known_bag(state, number)
        deal.apply(end)
        deal.draw(rng)
        drawn.append(net_values(deal, net)[0][seat])
    mean = sum(drawn) / len(drawn)
    spread = math.sqrt(sum((x - mean) ** 2 for x in drawn) / len(drawn))
    found = []
    deals = 7
    for seed in range(40):
        tree = searched(state, seed, max_depth=2, deal_visits=1, deal_spread=1,
                        selection=SELECT_EVEN)
        tree.run(1)
        # The network's value, then each deal as often as there are deals.
        visited = next(row[1] for row in tree.rows() if row[0] == end)
        values = added(tree, end, seat, 1 + deals ** 2 - visited)[1 - visited:]
        assert len({round(value, 7) for value in values}) == deals
        found.append(sum(values) / len(values))
    assert len(set(found)) == 40
    error = spread / math.sqrt(deals)
    average = sum(found) / 40
    assert abs(average - mean) < 4.5 * error / math.sqrt(40)
    scatter = math.sqrt(sum((x - average) ** 2 for x in found) / 39)
    assert error / 2 < scatter < 2 * error


def tree_moves(state: Any) -> list[Any]:
    tree = searched(state)
    tree.run(1)
    return tree.rows()


def added(tree: Search, move: tuple[int, ...], seat: int, times: int) -> list[float]:
    """Simulate until a root move was visited so many times; return what each visit added."""
    values = []
    at = [row[0] for row in tree.rows()].index(move)
    before = tree.rows()[at]
    while len(values) < times:
        tree.run(1)
        row = tree.rows()[at]
        if row[1] > before[1]:
            values.append(row[4][seat] - before[4][seat])
        before = row
    return values


@pytest.mark.parametrize(("players", "grey"), VARIANTS)
def test_deals_stay_when_the_root_moves(players: int, grey: bool) -> None:
    """Each visit of a deal gives its own value, the same one after the root has moved."""
    for seed in range(0, 900, 100):
        state = last_seat(players, grey, seed, moves=12)
        tree = searched(state, selection=SELECT_EVEN, expand_visits=100, deal_visits=1,
                        deal_spread=1, share=0)
        tree.run(1)
        steps = [row[0] for row in tree.rows() if row[0][0] == 1]
        following = [state.copy() for _ in steps]
        for step, reached in zip(steps, following, strict=True):
            reached.apply(step)
        found = [(step, after) for step, after in zip(steps, following, strict=True)
                 if after.phase == PLACE]
        if found:
            break
    step, after = found[0]
    choices = len(tree_moves(after))
    added(tree, step, state.to_move, 100 + 40 * choices)
    old = added(tree, step, state.to_move, 40 * choices)
    assert tree.advance(after, seed=3)
    end, visits = next(row[:2] for row in tree.rows() if row[0][0] == 3)
    new = added(tree, end, state.to_move, 64)
    repeated = {round(value, 7) for value in new
                if min(abs(value - other) for other in old) < 1e-8}
    further = len({round(value, 7) for value in new}) - len(repeated)
    assert len(repeated) == deals_of(visits)
    assert further == deals_of(visits + 63) - deals_of(visits) > 0


def deals_of(visits: int) -> int:
    """Return how many deals a node has, with `deal_visits` and `deal_spread` of 1."""
    return 1 + math.isqrt(visits - 1)


@pytest.mark.parametrize("game", GAMES)
def test_known_ends_of_rounds_serve_until_they_are_opened(game: str) -> None:
    """Deals that nobody has come to yet change nothing, and cost nothing."""
    state = [s for s in walk(2, False, 5, game) if s.round == 1 and len(s.moves(True)) > 4][-1]
    without, late, soon = (searched(state, 1, deal_visits=visits) for visits in (0, 10 ** 6, 300))
    for tree in (without, late, soon):
        tree.run(3000)
    assert without.rows() == late.rows()
    assert without.nodes == late.nodes
    assert soon.rows() != late.rows()


def test_deals_of_an_unknown_bag() -> None:
    """Bags that differ from simulation to simulation do not mix their deals."""
    tree = searched(with_unknown_bag(last_seat(2, False, 4)), deal_visits=5, deal_spread=3)
    tree.run(5000)
    check_sums(tree, 5000)


@pytest.mark.parametrize(("name", "value"), [("deal_visits", -1), ("deal_spread", 0)])
def test_numbers_of_deals_are_checked(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} is {value}"):
        search(opening_state("summer", 2), **{name: value})
