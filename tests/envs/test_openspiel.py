"""The OpenSpiel games in the library's own test, and against the game."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

from pavilion_ai import IllegalMoveError, SpecError
from pavilion_ai.envs import action_mask, observe
from pavilion_ai.envs.draws import DrawnGame
from pavilion_ai.play import Play
from tests.envs.support import interruptions
from tests.plays import VARIANTS
from tests.search.summer_endings import with_holes
from tests.search.support import position_of

COLOURS = {"summer": (6, 22, 10), "azul": (5, 20, 0)}     # colours, tiles of each, supply spaces


def finished(game: str, board: str, players: int, seed: int) -> Play:
    """Play a game at random, every tile an outcome; check the probabilities."""
    rng, drawn_game = np.random.default_rng(seed), DrawnGame(game, board, players)
    while drawn_game.play is None or not drawn_game.play.is_over():
        if not drawn_game.chance:
            assert drawn_game.play
            drawn_game.act(int(rng.choice(np.flatnonzero(action_mask(drawn_game.play)))))
            continue
        outcomes, shares = zip(*drawn_game.outcomes(), strict=True)
        assert sum(shares) == pytest.approx(1)
        drawn_game.draw(int(rng.choice(outcomes, p=shares)))
    return drawn_game.play


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_games_drawn_tile_by_tile_are_legal_games(game: str, board: str, players: int) -> None:
    play = finished(game, board, players, 3)
    assert Play.of(play.record()).position == play.position


@pytest.mark.parametrize("game", list(COLOURS))
def test_the_setup_draws_every_tile_from_what_is_left(game: str) -> None:
    colours, each, supply = COLOURS[game]
    drawn_game, left = DrawnGame(game, "coloured", 3), Counter(dict.fromkeys(range(colours), each))
    assert drawn_game.outcomes() == [(seat, 1 / 3) for seat in range(3)]
    drawn_game.draw(2)
    taken = []
    for number in range(4 * 7 + supply):
        total = sum(left.values())
        assert drawn_game.outcomes() == [(colour, tiles / total) for colour, tiles in left.items()]
        taken.append(number % colours)
        left[number % colours] -= 1
        drawn_game.draw(number % colours)
    play = drawn_game.play
    assert play
    assert play.turn == play.position.start_seat == 2
    displays = [taken[supply + 4 * place : supply + 4 * place + 4] for place in range(7)]
    assert [list(display) for display in play.position.displays] == [
        [tiles.count(colour) for colour in range(colours)] for tiles in displays]


def test_where_tiles_run_out_the_rest_is_drawn() -> None:
    drawn_game = DrawnGame("summer", "coloured", 2)
    drawn_game.start, drawn_game.play = 0, Play(position_of(with_holes(1, bag=2)))
    rng, emptied = np.random.default_rng(1), False
    while not drawn_game.play.is_over():
        if drawn_game.chance:
            outcomes, shares = zip(*drawn_game.outcomes(), strict=True)
            assert sum(shares) == pytest.approx(1)
            drawn_game.draw(int(rng.choice(outcomes, p=shares)))
            emptied |= not drawn_game.chance and sum(drawn_game.play.position.supply) < 10
        else:
            drawn_game.act(int(np.flatnonzero(action_mask(drawn_game.play))[0]))
    assert emptied


def test_impossible_outcomes_and_actions_are_refused() -> None:
    drawn_game = DrawnGame("azul", "coloured", 2)
    for wrong in (2, -1):
        with pytest.raises(IllegalMoveError, match="not possible"):
            drawn_game.draw(wrong)
    with pytest.raises(IllegalMoveError, match="setup"):
        drawn_game.act(0)
    with pytest.raises(SpecError, match="expected"):
        DrawnGame("azul", "coloured", 7)


def test_no_outcome_is_possible_at_a_decision() -> None:
    drawn_game = DrawnGame("azul", "coloured", 2)
    while drawn_game.chance:
        drawn_game.draw(drawn_game.outcomes()[0][0])
    for refused in (drawn_game.outcomes, lambda: drawn_game.draw(0)):
        with pytest.raises(IllegalMoveError, match="no outcome is due here"):
            refused()


def test_copies_are_independent() -> None:
    one = DrawnGame("summer", "coloured", 2)
    other = copy.deepcopy(one)
    other.draw(1)
    other.draw(0)
    assert (one.start, one.drawn, sum(one.bag), sum(other.bag)) == (None, [], 132, 131)


@pytest.fixture
def pyspiel() -> Any:
    """Skip without the library; the games are registered by the module."""
    library = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    import pavilion_ai.envs.openspiel  # noqa: F401
    return library


@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_the_librarys_random_games(pyspiel: Any, game: str, board: str, players: int) -> None:
    loaded = pyspiel.load_game(f"python_pavilion_{game}", {"board": board, "players": players})
    pyspiel.random_sim_test(loaded, num_sims=1, serialize=players == 2, verbose=False)


def whole_game(game: Any, bot: Any, seed: int) -> Any:
    """Play a game, all seats by one bot; return the last state."""
    rng, state = np.random.RandomState(seed), game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, shares = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=shares)))
        else:
            state.apply_action(bot.step(state))
    return state


def check_end(state: Any) -> None:
    play = state.drawn_game.play
    assert Play.of(play.record()).position == play.position
    assert state.returns() == [
        (seat in play.winners()) / len(play.winners()) for seat in range(state.num_players())]


@pytest.mark.parametrize(("game", "players"), [("azul", 2), ("summer", 3)])
def test_the_librarys_tree_search_plays_whole_games(
    pyspiel: Any, game: str, players: int
) -> None:
    from open_spiel.python.algorithms import mcts

    rng = np.random.RandomState(1)
    loaded = pyspiel.load_game(f"python_pavilion_{game}", {"players": players})
    bot = mcts.MCTSBot(loaded, 1.4, 2, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
    check_end(whole_game(loaded, bot, 2))


@pytest.mark.parametrize(("game", "board"), [("azul", "grey"), ("summer", "coloured")])
def test_the_librarys_search_on_information_sets_plays_whole_games(
    pyspiel: Any, game: str, board: str
) -> None:
    from open_spiel.python.algorithms import ismcts, mcts

    rng = np.random.RandomState(1)
    loaded = pyspiel.load_game(
        f"python_pavilion_{game}", {"board": board, "information_sets": True})
    assert loaded.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    bot = ismcts.ISMCTSBot(loaded, mcts.RandomRolloutEvaluator(1, rng), 1.4, 2, random_state=rng)
    check_end(whole_game(loaded, bot, 3))


def test_a_resampled_state_is_independent_and_looks_the_same(pyspiel: Any) -> None:
    state = pyspiel.load_game("python_pavilion_azul").new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    other = state.resample_from_infostate(state.current_player(), sampler)
    for seat in range(2):
        assert other.information_state_string(seat) == state.information_state_string(seat)
    before = str(state)
    other.apply_action(other.legal_actions()[0])
    assert str(state) == before != str(other)


@pytest.mark.parametrize("game", list(COLOURS))
def test_serialisation_at_every_kind_of_node(pyspiel: Any, game: str) -> None:
    rng = np.random.RandomState(4)
    loaded = pyspiel.load_game(f"python_pavilion_{game}", {"board": "grey", "players": 3})
    state, seen = loaded.new_initial_state(), set()
    while not state.is_terminal():
        drawn_game = state.drawn_game
        kind = (state.is_chance_node(), drawn_game.play and drawn_game.play.phase,
                len(drawn_game.drawn) == 2)
        if kind not in seen:
            seen.add(kind)
            text = pyspiel.serialize_game_and_state(loaded, state)
            game_again, again = pyspiel.deserialize_game_and_state(text)
            assert game_again.get_parameters() == loaded.get_parameters()
            assert (str(again), again.history()) == (str(state), state.history())
            assert again.drawn_game.history_text() == drawn_game.history_text()
            pickled = pickle.loads(pickle.dumps(state))
            assert type(pickled) is type(state)
            assert str(pickled) == str(state)
        state.apply_action(int(rng.choice(state.legal_actions())))
    assert len(seen) >= 6
    assert str(pickle.loads(pickle.dumps(loaded))) == str(loaded)


def test_an_interrupt_changes_nothing(pyspiel: Any) -> None:
    """Neither at a decision nor at the first and the last tile of a draw."""
    state = pyspiel.load_game("python_pavilion_azul").new_initial_state()
    kinds: set[tuple[bool, ...]] = set()
    while len(kinds) < 5:
        game = state.drawn_game
        kind = (state.is_chance_node(), game.play is None, len(game.drawn) + 1 == game.due)
        action, before = state.legal_actions()[0], (game.text(), state.history())
        if kind in kinds:
            state.apply_action(action)
            continue
        kinds.add(kind)
        for _ in interruptions(state.apply_action, action):
            assert (state.drawn_game.text(), state.history()) == before
        assert state.history() == [*before[1], action]
    again = pyspiel.deserialize_game_and_state(
        pyspiel.serialize_game_and_state(state.get_game(), state))[1]
    assert str(again) == str(state)


def test_observers_and_strings(pyspiel: Any) -> None:
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("python_pavilion_summer")
    state, observer = game.new_initial_state(), make_observation(game)
    observer.set_from(state, 0)
    assert not observer.tensor.any()
    while state.is_chance_node():
        assert state.action_to_string(state.chance_outcomes()[0][0]).startswith(("start", "draw"))
        state.apply_action(state.chance_outcomes()[-1][0])
    with pytest.raises(IllegalMoveError, match="no outcome is due"):
        state.chance_outcomes()
    play = state.drawn_game.play
    for seat in (0, 1):
        observer.set_from(state, seat)
        assert (observer.tensor == observe(play, seat, "scaled")).all()
    observer.set_from(game.new_initial_state(), 0)  # of another game
    assert not observer.tensor.any()
    assert sorted(map(state.action_to_string, state.legal_actions())) == list(play.legal_moves)
    start, move = play.code(), state.action_to_string(state.legal_actions()[0])
    state.apply_action(state.legal_actions()[0])
    history = make_observation(
        game, pyspiel.IIGObservationType(perfect_recall=True)).string_from(state, 0)
    assert history == f"seat 0: {start} {move}"
    assert observer.string_from(state, 1) == f"seat 1: {state.drawn_game.play.code()}"
    assert state.returns() == [0, 0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_are_not_longer_than_the_library_is_told(pyspiel: Any, players: int) -> None:
    tiles = 4 * (2 * players + 1)    # each draft takes one at least
    spaces, features, lines = 42, 18, 5
    longest = {"summer": 6 * (tiles + players) + players * (spaces + features),
               "azul": 50 * (tiles + players * lines)}
    for game, decisions in longest.items():
        loaded = pyspiel.load_game(f"python_pavilion_{game}", {"players": players})
        assert loaded.max_game_length() >= decisions
