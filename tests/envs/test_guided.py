"""Searches guided by a function: the same tree as with a network that says the same."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pavilion_ai import Agent, Judge, Limits, Match, Play, SpecError, review_game
from pavilion_ai._core import Network, Rng, Search
from pavilion_ai.envs import Guided, Leaves, observation_parts, search
from pavilion_ai.network import core_shape
from pavilion_ai.tunables import NETWORK
from tests.envs.support import even
from tests.network.reference import random_weights
from tests.plays import decisions

WIDTH = NETWORK.width


class First(Agent):
    """Plays the first legal move."""

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        return play.legal_moves[0]


def by_score(leaves: Leaves) -> tuple[Any, ...]:
    """Return shares by the present scores of two seats, in scaled observations of base Azul."""
    parts = {part.name: part for part in observation_parts("azul", 2)}
    scores = [parts[f"seat{seat}.score"].of(leaves.observations) * 511 for seat in range(2)]
    share = 1 / (1 + np.exp((scores[1] - scores[0]) / 5))
    return np.stack([share, 1 - share], 1), np.zeros(leaves.masks.shape)


def without_policy(game: str, players: int) -> Network:
    """Return a network of random weights that likes all moves alike."""
    inputs, policy = core_shape(game, players)
    weights = random_weights(5, inputs, 32, 16, 3 * players + policy)
    weights.w3[:, 3 * players:] = 0
    weights.b3[3 * players:] = 0
    return Network(inputs, 32, 16, players, policy, weights.payload)


def repeated(network: Network, leaves: Leaves) -> tuple[Any, ...]:
    """Return what the network says of leaves shown as its inputs."""
    win, lead, gain = [], [], []
    for row in leaves.observations:
        inputs = np.repeat(np.arange(len(row)), row).tolist()
        out = np.array(network.evaluate(inputs, 0, 3 * leaves.players)) * 2.0**-22
        shares = np.exp(out[:leaves.players] - out[:leaves.players].max())
        win.append(shares / shares.sum())
        lead.append(1 / (1 + np.exp(-out[leaves.players:2 * leaves.players] * 30 / WIDTH)))
        gain.append(32 * out[2 * leaves.players:])
    return win, np.zeros(leaves.masks.shape), lead, gain


@pytest.mark.parametrize(("game", "players", "step"), [
    ("azul", 2, 4), ("azul", 3, 6), ("summer", 2, 0)])
def test_the_tree_is_that_of_a_network(game: str, players: int, step: int) -> None:
    """With transpositions it is nearly the same: they are found a visit earlier. In Summer Pavilion
    passes are listed that the fitted weights prefer, so only drafts are compared."""
    network = without_policy(game, players)
    for seed in range(3):
        play = Play.new(game, players=players, seed=seed)
        rng = Rng(seed)
        while len(play.moves) < step * seed or len(play.legal_moves) == 1:
            play.push(play.legal_moves[rng.below(len(play.legal_moves))])
            play.draw()
        rules = play.rules
        tunables = {**rules.network_tunables[2], "rivals": 0.0, "share": 0}
        tree = Search(play.state, seed=seed, memory_bytes=1 << 24, network=network, **tunables)
        tree.run(300)
        expected = {rules.move_text(play.position, row.move): row for row in tree.rows()}
        found = search(play, Limits(sims=300), seed=seed, batch=1, observation="features",
                       share=0, fpu_reduction=NETWORK.fpu_reduction,
                       evaluator=lambda leaves: repeated(network, leaves))
        assert {move.move: move.visits for move in found.moves} == {
            move: row.visits for move, row in expected.items()}
        for move in found.moves:
            assert move.prior == expected[move.move].prior
            if move.visits:
                row = expected[move.move]
                assert play.turn is not None
                assert move.win_prob == pytest.approx(row.wins[play.turn] / row.visits, abs=1e-9)
                assert move.score_mean == pytest.approx(
                    [score / row.visits for score in row.scores], abs=1e-6)


def test_priors_are_those_of_the_logits() -> None:
    play = Play.new("azul", players=2, seed=4)

    def fond(leaves: Leaves) -> tuple[Any, ...]:
        win, logits = even(leaves)
        logits[:, favourite] = math.log(20)
        logits[leaves.masks == 0] = -np.inf
        return win, logits

    from pavilion_ai.envs import action_of
    favourite = action_of(play, play.legal_moves[7])
    found = search(play, Limits(sims=50), evaluator=fond, batch=4)
    best = max(found.moves, key=lambda move: move.prior)
    assert best.move == play.legal_moves[7]
    others = len(play.legal_moves) - 1
    assert best.prior == pytest.approx(0.95 * 20 / (20 + others) + 0.05 / (1 + others), rel=0.01)


@pytest.mark.parametrize("batch", [1, 32])
def test_a_network_that_knows_nothing_looks_at_many_moves(batch: int) -> None:
    """Else the moves that a learner is shown as the best would be arbitrary ones."""
    for seed in range(4):
        weights = np.random.default_rng(seed).normal(size=(258, 2))

        def untrained(leaves: Leaves, weights: Any = weights) -> tuple[Any, ...]:
            shares = np.exp(leaves.observations @ weights / 4)
            return shares / shares.sum(1, keepdims=True), np.zeros(leaves.masks.shape)

        play = Play.new("azul", seed=seed)
        visits = [move.visits for move in search(play, Limits(sims=200), evaluator=untrained,
                                                 batch=batch).moves]
        assert len(visits) > 60
        assert sum(count > 0 for count in visits) > len(visits) / 2
        assert batch == 1 or max(visits) < 0.1 * 200


@pytest.mark.parametrize("unread", [math.nan, math.inf, -math.inf, 1e300])
def test_logits_of_other_actions_are_not_read(unread: float) -> None:
    """Whatever stands there: between rounds a softmax over no action is no number at all."""
    play = next(play for play in decisions(Play.new("azul", players=2, seed=4), seed=1)
                if len(play.legal_moves) in (4, 5, 6))
    between: list[int] = []

    def careless(leaves: Leaves) -> tuple[Any, ...]:
        win, logits = even(leaves)
        between.append(int((leaves.masks == 0).all(1).sum()))
        return win, np.where(leaves.masks, logits, unread)

    found, wanted = (search(play, Limits(sims=200), evaluator=one) for one in (careless, even))
    assert sum(between)
    assert [(row.move, row.visits) for row in found.moves] == [
        (row.move, row.visits) for row in wanted.moves]

    def wrong(leaves: Leaves) -> tuple[Any, ...]:
        return even(leaves)[0], np.where(leaves.masks, math.nan, 0)

    with pytest.raises(SpecError, match="logits: found nan, expected finite numbers"):
        search(play, Limits(sims=200), evaluator=wrong)


@pytest.mark.parametrize("batch", [1, np.int64(7), 64])
def test_batches(batch: int) -> None:
    sizes: list[int] = []

    def counted(leaves: Leaves) -> tuple[Any, ...]:
        sizes.append(len(leaves))
        assert leaves.observations.shape == (len(leaves), 272)
        assert leaves.masks.shape == (len(leaves), 581)
        return even(leaves)

    play = Play.new("summer", players=2, seed=7)
    one = search(play, Limits(sims=200), evaluator=counted, batch=batch)
    assert one.sims == 200
    assert sum(move.visits for move in one.moves) == 200
    assert max(sizes) <= batch
    assert sizes[0] == 1, "the root comes first, alone"
    assert batch == 1 or max(sizes) > 1
    other = search(play, Limits(sims=200), evaluator=even, batch=batch)
    assert [(move.move, move.visits, move.win_prob) for move in one.moves] == [
        (move.move, move.visits, move.win_prob) for move in other.moves]


def test_it_plays_better_than_it_knows() -> None:
    match = Match([Guided(by_score, Limits(sims=100), spec="by score"), "random"], game="azul",
                  pairs=3, seed=2)
    report = match.run()
    assert report.entrants[0].points == 6
    assert match.results[0].sims[match.results[0].entrants.index(0)] > 1000


def test_limits_of_the_agent_and_of_the_caller() -> None:
    assert [Guided(even).limited, Guided(even, Limits(sims=9)).limited] == [False, True]
    agent, play = Guided(even, Limits(sims=9)), Play.new("azul", players=2, seed=1)
    for limits, sims in ((None, 9), (Limits(sims=7), 7), (Limits(), 9),
                         (Limits(memory_mib=64), 9)):
        assert agent.decide(play, limits).sims == agent.analyse(play, limits).sims == sims


@pytest.mark.parametrize("copied", [
    copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))], ids=["copied", "pickled"])
def test_a_copy_is_the_same_agent(copied: Callable[[Guided], Guided]) -> None:
    """Also after a search, whose tree is not copied."""
    agent = Guided(by_score, Limits(sims=60), spec="by score", batch=4, observation="scaled",
                   temperature=0.5)
    play = Play.new("azul", players=2, seed=1)
    wanted = agent.analyse(play, seed=3)
    other = copied(agent)
    assert (other.spec, other.limited) == ("by score", True)
    assert other.analyse(play, seed=3).moves == wanted.moves
    assert Guided(by_score, Limits(sims=60)).analyse(play, seed=3).moves != wanted.moves


def test_moves_to_look_at_are_named() -> None:
    agent, play = Guided(by_score, Limits(sims=60)), Play.new("azul", players=2, seed=1)
    ranked = [move.move for move in agent.analyse(play).moves]
    first, last = ranked[0], ranked[-1]
    assert agent.decide(play, only=[last]).move == last
    assert agent.analyse(play, only=[last]).best.move == last
    assert agent.decide(play, avoid=[first]).move != first
    assert first not in [move.move for move in agent.analyse(play, avoid=[first]).moves]


def test_what_a_function_does_not_tell() -> None:
    """Its shares stand for the leads, and no points for those still to come."""
    def told(leaves: Leaves) -> tuple[Any, ...]:
        win, logits = by_score(leaves)
        return win, logits, win, np.zeros(win.shape)

    play = Play.new("azul", players=2, seed=1)
    play.push_all(play.legal_moves[:1])
    one, *others = (search(play, Limits(sims=300), evaluator=evaluator).moves for evaluator in (
        told, by_score, lambda leaves: (*by_score(leaves), None, None)))
    assert others == [one, one]


def test_what_a_function_raises_reaches_its_owner_and_the_agent_plays_on() -> None:
    calls = 0

    def failing(leaves: Leaves) -> tuple[Any, ...]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise OSError("the model server is away")
        return even(leaves)

    agent, play = Guided(failing, Limits(sims=50)), Play.new("azul", players=2, seed=1)
    with pytest.raises(OSError, match="away"):
        agent.choose(play)
    assert agent.choose(play) in play.legal_moves


@pytest.mark.parametrize(("answer", "complaint"), [
    (lambda n: None, "a tuple of win, logits"),
    (lambda n: (np.zeros((n, 2)),), "a tuple of win, logits"),
    (lambda n: (np.zeros((n, 3)), np.zeros((n, 180))), r"win of shape \(1, 3\), expected \(1, 2\)"),
    (lambda n: (np.full((n, 2), 0.5), np.zeros(180)), r"logits of shape \(180,\)"),
    (lambda n: (np.full((n, 2), np.nan), np.zeros((n, 180))), "win: found nan"),
    (lambda n: ("many", np.zeros((n, 180))), "win: not an array"),
    (lambda n: (np.tile([0.3, -0.3], (n, 1)), np.zeros((n, 180))),
     r"win: found \[0.3, -0.3\] in row 0, expected shares of the victory, 0 to 1, whose sum is 1"),
    (lambda n: (np.tile([1.5, -0.5], (n, 1)), np.zeros((n, 180))), r"win: found \[1.5, -0.5\]"),
    (lambda n: (np.zeros((n, 2)), np.zeros((n, 180))), r"win: found \[0.0, 0.0\] in row 0"),
    (lambda n: (np.full((n, 2), 0.5), np.zeros((n, 180)), np.tile([0.3, -0.3], (n, 1))),
     r"lead: found \[0.3, -0.3\] in row 0, expected squashed leads, 0 to 1"),
])
def test_answers_of_another_form_are_refused(answer: Any, complaint: str) -> None:
    with pytest.raises(SpecError, match=complaint):
        search(Play.new("azul", seed=1), Limits(sims=5),
               evaluator=lambda leaves: answer(len(leaves)))


@pytest.mark.parametrize("form", [
    np.ndarray.tolist, np.asfortranarray, lambda array: array.astype(">f8"),
    lambda array: array.astype(np.float64), lambda array: array.astype(np.float32),
    lambda array: np.repeat(array, 2, axis=1)[:, ::2],
    lambda array: np.frombuffer(b" " + array.tobytes(), array.dtype, offset=1).reshape(array.shape),
], ids=["list", "by column", "big-endian", "double", "single", "every other", "unaligned"])
def test_the_form_of_the_arrays_does_not_matter(form: Callable[[Any], Any]) -> None:
    """Nor do logits that are not finite, where they do not count, or are the least of all."""
    def told(leaves: Leaves, formed: Callable[[Any], Any] = lambda array: array) -> tuple[Any, ...]:
        win, logits = even(leaves)
        logits += np.arange(logits.shape[1], dtype=np.float32) / 64
        logits[:, ::3] = -np.inf
        logits[leaves.masks == 0] = np.inf
        return formed(win), formed(logits), formed(win), formed(win * 8)

    play = Play.new("azul", players=2, seed=1)
    def as_they_are(leaves: Leaves) -> tuple[Any, ...]:
        win, logits, lead, gain = told(leaves)
        logits[leaves.masks == 0] = 7
        return win, logits.astype(np.float32), lead, gain

    found, wanted, raw = (search(play, Limits(sims=100), evaluator=one, batch=4)
                          for one in (lambda leaves: told(leaves, form), told, as_they_are))
    assert found.moves == wanted.moves == raw.moves


def test_shares_may_be_rounded() -> None:
    """The sum of a row is made 1, as it counts visits; the array is the function's own."""
    play, seen = Play.new("azul", players=2, seed=1), list[Any]()

    def rounded(leaves: Leaves) -> tuple[Any, ...]:
        win, logits = even(leaves)
        seen.append(win * 1.005)
        return seen[-1], logits

    found, wanted = (search(play, Limits(sims=300), evaluator=one) for one in (rounded, even))
    assert [(row.move, row.visits, row.win_prob) for row in found.moves] == [
        (row.move, row.visits, row.win_prob) for row in wanted.moves]
    assert all((win == 0.5025).all() for win in seen)


def test_the_tree_ends_at_its_depth() -> None:
    play = Play.new("azul", players=2, seed=7)
    for depth, batch in ((1, 1), (1, 8), (3, 4)):
        found = search(play, Limits(sims=300), evaluator=even, max_depth=depth, batch=batch)
        assert max(len(row.pv) for row in found.moves) == depth
        assert found.sims == 300


@pytest.mark.parametrize("wrong", [
    {"batch": 0}, {"batch": True}, {"observation": "pixels"}, {"temperature": -1.0},
    {"warmth": 1.0}, {"evaluator": 7}, {"rivals": 0.5}, {"plain": 1}, {"expand_visits": 0},
])
def test_options_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match="expected"):
        search(Play.new("azul", seed=1), **{"evaluator": even, **wrong})


def test_a_tunable_without_effect_is_named() -> None:
    with pytest.raises(SpecError, match=r"^tunable rivals: found 0.5, of no effect beside a"
                                        r" function; expected 0.0$"):
        Guided(even, rivals=0.5)
    Guided(even, rivals=0, plain=0, expand_visits=1)


def test_without_a_function_the_default_agent_searches() -> None:
    play = Play.new("azul", players=2, seed=1)
    assert search(play, Limits(sims=30), seed=2).agent == "default"
    with pytest.raises(SpecError, match="only with an evaluator"):
        search(play, batch=3)


def test_tensors_are_taken_as_they_are() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    network = torch.nn.Linear(258, 182)

    def learned(leaves: Leaves) -> tuple[Any, ...]:
        with torch.no_grad():
            out = network(torch.from_numpy(leaves.observations))
        return out[:, :2].softmax(1), out[:, 2:]

    play = Play.new("azul", players=2, seed=1)
    found = search(play, Limits(sims=100), evaluator=learned)
    assert found.sims == 100


def test_it_judges_games() -> None:
    record = Match(["random", "greedy"], game="azul", pairs=1, seed=2)
    record.run()
    game = record.records[0]
    short = Play.of(game, 12).record()
    judge = Judge(Guided(by_score, Limits(sims=30), spec="by score"))
    review = review_game(short, judge)
    assert (review.agent, review.whole) == ("by score", True)
    assert len(review.judgements) == sum(ply.seat is not None for ply in Play.of(short).plies)
    with pytest.raises(SpecError, match="agent 'First': says nothing of moves but its own"):
        Judge(First())
