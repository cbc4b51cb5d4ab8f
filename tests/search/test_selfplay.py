"""Games of self-play: what they record is what was played and searched."""

from __future__ import annotations

import threading
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from pavilion_ai._core import (
    AzulState,
    Rng,
    SelfPlay,
    SummerState,
    state_bytes,
    training_inputs,
    training_moves,
    training_seats,
)
from pavilion_ai.games import GAMES
from pavilion_ai.search import tunables_for

from .chi_square import FALSE_ALARM, upper_tail
from .networks import network
from .recorded_states import move_of, state_of
from .support import EVERY_VARIANT, STATES, search

FULL, FAST = 40, 12
WIDTH = 30.0

every_variant = pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
decoded_variants = pytest.mark.parametrize(("game", "players", "grey"), [
    variant for variant in EVERY_VARIANT if variant[0] == "summer" or not variant[2]])


def player(game: str, players: int, grey: bool, net: bool = False, **options: Any) -> SelfPlay:
    values = network(game, players) if net else None
    return SelfPlay(
        STATES[game], players, grey, values,
        **{"memory_bytes": 1 << 22, "full_sims": FULL, "fast_sims": FAST,
           **tunables_for(GAMES[game], values), **options})


class Game:
    """A game that was played, its records taken apart."""

    def __init__(self, game: str, players: int, data: dict[str, Any] | None) -> None:
        assert data is not None
        self.data, self.players, self.cls = data, players, STATES[game]
        size = state_bytes(self.cls, players)
        states = data["states"]
        self.states = [states[i:i + size] for i in range(0, len(states), size)]
        self.first, self.moves, self.visits = (
            array("I", data[name]) for name in ("first", "moves", "visits"))
        self.means = {name: self.by_seat(array("f", data[name]))
                      for name in ("win", "lead", "score")}
        self.rows = [range(a, b) for a, b in pairwise(self.first)]

    def by_seat(self, numbers: array[float]) -> list[list[float]]:
        return [list(numbers[i:i + self.players])
                for i in range(0, len(numbers), self.players)]

    def decoded(self) -> list[Any]:
        return [state_of(self.cls, data) for data in self.states]


@every_variant
@pytest.mark.parametrize("net", [False, True])
def test_records(game: str, players: int, grey: bool, net: bool) -> None:
    data = player(game, players, grey, net).play(7)
    it = Game(game, players, data)
    assert data is not None
    assert len(it.states) == len(it.rows) == len(data["round"]) == len(it.means["win"])
    assert it.first[0] == 0
    assert it.first[-1] == len(it.moves) == len(it.visits)
    assert data["plies"] >= sum(mean[0] >= 0 for mean in it.means["win"])
    full = fast = 0
    for rows, win, lead, score in zip(it.rows, *it.means.values(), strict=True):
        if win[0] < 0:
            assert win == lead == score == [-1.0] * players
            assert not rows
            continue
        assert sum(win) == pytest.approx(1, abs=1e-5)
        assert all(0 <= x <= 1 for x in [*win, *lead])
        assert all(-60 < x < 300 for x in score)
        full += bool(rows)
        fast += not rows
        assert sum(it.visits[i] for i in rows) == (FULL if rows else 0)
        assert len({it.moves[i] for i in rows}) == len(rows)
    assert full > 5
    assert fast > full
    assert sum(mean[0] < 0 for mean in it.means["win"]) == max(data["round"]) - 1
    assert list(data["round"]) == sorted(data["round"])
    assert sum(data["final_win"]) == pytest.approx(1)
    best = max(data["final_score"])
    assert all(data["final_score"][seat] == best
               for seat, share in enumerate(data["final_win"]) if share)
    for seat, lead in enumerate(data["final_lead"]):
        others = max(x for s, x in enumerate(data["final_score"]) if s != seat)
        assert (lead > 0.5) == (data["final_score"][seat] > others)


@decoded_variants
def test_moves_and_samples_are_those_of_the_states(game: str, players: int, grey: bool) -> None:
    data = player(game, players, grey, True, full_share=0.6).play(3)
    it = Game(game, players, data)
    assert data is not None
    offsets, inputs = (
        array(kind, part) for kind, part in zip(
            "IH", training_inputs(it.cls, players, data["states"]), strict=True))
    starts, features = (
        array(kind, part) for kind, part in zip(
            "IH", training_moves(it.cls, players, data["states"], it.first, it.moves),
            strict=True))
    seats, scores = training_seats(it.cls, players, data["states"])
    for i, (state, rows) in enumerate(zip(it.decoded(), it.rows, strict=True)):
        assert state.round == data["round"][i]
        assert state.between_rounds == (it.means["win"][i][0] < 0)
        assert sorted(inputs[offsets[i]:offsets[i + 1]]) == sorted(state.inputs())
        assert seats[i] == (state.to_move if state.to_move >= 0 else state.fields()[5])
        assert list(array("f", scores)[players * i:players * (i + 1)]) == state.scores()
        legal = set(state.moves())
        for row in rows:
            move = move_of(it.cls, it.moves[row])
            assert move in legal
            assert sorted(features[starts[row]:starts[row + 1]]) == sorted(
                state.policy_features(move, wide=True))
    assert starts[-1] == len(features)


def without_tiles(state: Any) -> tuple[Any, ...]:
    """What of a state is sure to be decoded: all but which tile lies on which space or floor."""
    *table, seats = state.fields()
    if isinstance(state, AzulState):
        del table[10]       # lid: less by other tiles of the floor lines
        return *table, [(*seat[:3], len(seat[3])) for seat in seats]
    return *table, [(*seat[:4], [tile > 0 for tile in seat[4]]) for seat in seats]


@decoded_variants
def test_what_was_played_follows(game: str, players: int, grey: bool) -> None:
    """The most visited move leads to the next record, unless tiles are drawn on the way; the last
    one leads to the result."""
    it = Game(game, players, player(
        game, players, grey, full_share=1.0, drawn_share=0.0, noise=0.0).play(11))
    decoded, followed, ended = it.decoded(), 0, False
    for i, (state, rows) in enumerate(zip(decoded, it.rows, strict=True)):
        if state.between_rounds:
            continue
        best = max(rows, key=lambda row: (it.visits[row], -row))
        state.apply(move_of(it.cls, it.moves[best]))
        while len(state.moves(True)) == 1 or (i == len(decoded) - 1 and not state.over):
            if state.to_move < 0:
                state.draw(Rng(0))      # which tiles no longer matters
            else:
                (move,) = state.moves(True)
                state.apply(move)
        if state.over:
            assert i == len(decoded) - 1
            assert tuple(state.scores()) == it.data["final_score"]
            winners = state.winners()
            assert it.data["final_win"] == tuple(
                (seat in winners) / len(winners) for seat in range(players))
            ended = True
        elif state.to_move >= 0 or state.between_rounds:
            assert without_tiles(state) == without_tiles(state_of(it.cls, it.states[i + 1]))
            followed += 1
    assert followed > 20
    assert ended


@every_variant
def test_the_seed_decides(game: str, players: int, grey: bool) -> None:
    one, other = player(game, players, grey, True), player(game, players, grey, True)
    first = one.play(5)
    assert one.play(6) != first
    assert one.play(5) == first
    assert other.play(5) == first
    deals = player(game, players, grey, True, deal_visits=5, deal_spread=3)
    assert deals.play(5) == deals.play(5)


@pytest.mark.parametrize("game", GAMES)
def test_shares(game: str) -> None:
    """Of full searches, and of moves that are drawn."""
    none = Game(game, 2, player(game, 2, False, full_share=0.0).play(1))
    assert not none.moves
    every = Game(game, 2, player(game, 2, False, full_share=1.0, drawn_share=0.0).play(1))
    assert all(rows for rows, win in zip(every.rows, every.means["win"], strict=True)
               if win[0] >= 0)
    drawn = Game(game, 2, player(game, 2, False, full_share=1.0, drawn_share=1.0).play(1))
    assert drawn.states[0] == every.states[0]
    assert drawn.states[-1] != every.states[-1]


@pytest.mark.parametrize("game", GAMES)
def test_some_fast_searches_leave_a_record(game: str) -> None:
    """Full ones and positions between two rounds always do."""
    shares = {}
    for share in (0.0, 0.5, 1.0):
        it = Game(game, 2, player(game, 2, False, full_share=0.2, record_share=share).play(1))
        full, between = sum(map(bool, it.rows)), sum(win[0] < 0 for win in it.means["win"])
        assert full > 3
        assert between > 3
        shares[share] = (len(it.rows) - full - between) / (it.data["plies"] - full)
    assert shares[0.0] == 0
    assert 0.3 * shares[1.0] < shares[0.5] < 0.7 * shares[1.0]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("sims", [1, 2])
def test_the_least_simulations(game: str, sims: int) -> None:
    for noise in (0.0, 1.0):
        it = Game(game, 4, player(game, 4, True, True, full_sims=sims, fast_sims=1,
                                  full_share=0.5, noise=noise, drawn_share=0.5).play(2))
        assert {sum(it.visits[i] for i in rows) for rows in it.rows if rows} == {sims}


@pytest.mark.parametrize("game", GAMES)
def test_noise_changes_the_order(game: str) -> None:
    """Selection takes the children in order, so those without visits come last."""
    first = []
    for noise in (0.0, 0.9):
        it = Game(game, 2, player(game, 2, False, full_share=1.0, noise=noise, full_sims=15,
                                  mixed=0.0).play(4))
        for rows in it.rows:
            tried = [it.visits[i] > 0 for i in rows]
            assert tried == sorted(tried, reverse=True)
        first.append((it.states[0], [it.moves[i] for i in it.rows[0]]))
    (state, moves), (other_state, other_moves) = first
    assert state == other_state
    assert sorted(moves) == sorted(other_moves)
    assert moves != other_moves


@pytest.mark.parametrize(("game", "players"), [("summer", 3), ("azul", 3)])
def test_what_is_logged_is_what_a_search_finds(game: str, players: int) -> None:
    """Seat by seat: in the mean over a game, whose seats differ far more."""
    it = Game(game, players, player(game, players, False, full_share=1.0, noise=0.0,
                                    full_sims=60, memory_bytes=1 << 20).play(3))
    off = {"win": 0.0, "lead": 0.0, "score": 0.0}
    apart, searched = dict(off), 0
    for state, rows, win, lead, score in zip(
            it.decoded(), it.rows, *it.means.values(), strict=True):
        if not rows:
            continue
        tree = search(state, seed=searched)
        tree.run(60)
        root, searched = tree.root_stats(), searched + 1
        for name, logged, found in (("win", win, root.wins), ("score", score, root.scores)):
            off[name] += max(abs(a - b / 60) for a, b in zip(logged, found, strict=True))
            apart[name] += max(logged) - min(logged)
        off["lead"] += (win.index(max(win)) != lead.index(max(lead)))
        apart["lead"] += 1
    assert searched > 40
    for name, total in off.items():
        assert total < 0.35 * apart[name], name


def followed(it: Game) -> Iterator[tuple[list[int], int]]:
    """Yield the visits of each decision after which the next one is searched whatever is played,
    most visits first, and the place of the move played among them."""
    for i, (state, rows) in enumerate(zip(it.decoded(), it.rows, strict=True)):
        tried = sorted((row for row in rows if it.visits[row]), key=lambda row: -it.visits[row])
        after = []
        for row in tried:
            child = state.copy()
            child.apply(move_of(it.cls, it.moves[row]))
            after.append(child)
        if len(tried) > 1 and all(
                child.to_move >= 0 and len(child.moves(True)) > 1 for child in after):
            following = without_tiles(state_of(it.cls, it.states[i + 1]))
            played = [place for place, child in enumerate(after)
                      if without_tiles(child) == following]
            assert played
            if len(played) == 1:
                yield [it.visits[row] for row in tried], played[0]


@pytest.mark.parametrize("game", GAMES)
def test_drawn_moves_are_drawn_by_their_visits(game: str) -> None:
    """Decision by decision; the expected numbers are added up over all."""
    games = player(game, 2, False, full_share=1.0, drawn_share=1.0, noise=0.0, full_sims=16,
                   memory_bytes=1 << 17)
    found, expected = Counter[int](), Counter[int]()
    for seed in range(12):
        for visits, played in followed(Game(game, 2, games.play(seed))):
            found[played] += 1
            for place, number in enumerate(visits):
                expected[place] += number / sum(visits)
    common = {place: number for place, number in expected.items() if number >= 5}
    assert found.total() > 100
    assert len(common) > 3
    statistic = sum((found[place] - number) ** 2 / number for place, number in common.items())
    assert upper_tail(statistic, len(common) - 1) > FALSE_ALARM


@pytest.mark.parametrize("game", GAMES)
def test_a_little_noise_changes_little(game: str) -> None:
    """And much of it much: the share is that of the noise, not of the priors."""
    visits: dict[float, list[Counter[int]]] = {}
    for noise in (0.0, 0.03, 0.97):
        games = player(game, 2, False, full_share=1.0, noise=noise, full_sims=30, mixed=0.0,
                       memory_bytes=1 << 17)
        for seed in range(6):
            it = Game(game, 2, games.play(seed))
            visits.setdefault(noise, []).append(Counter(
                {it.moves[row]: it.visits[row] for row in it.rows[0]}))
    little, much = (sum((plain - other).total() for plain, other in zip(
        visits[0.0], visits[noise], strict=True)) for noise in (0.03, 0.97))
    assert little < 0.6 * much


# ---------------------------------------------------------------------------------- stop, errors


@pytest.mark.parametrize("game", GAMES)
def test_stop(game: str) -> None:
    long = player(game, 2, False, full_sims=1 << 20, fast_sims=1 << 20, memory_bytes=1 << 20)
    games: list[Any] = []
    refused = threading.Event()

    def play(seed: int) -> None:
        try:
            games.append(long.play(seed))
        except ValueError as error:
            games.append(str(error))
            refused.set()

    threads = [threading.Thread(target=play, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    assert refused.wait(20)  # whichever came second
    long.stop()
    for thread in threads:
        thread.join(20)
    assert games == ["a game is already being played", None]
    assert long.play(1) is None


@pytest.mark.parametrize(("changes", "complaint"), [
    ({"full_sims": 0}, "full_sims is 0"),
    ({"fast_sims": 0}, "fast_sims is 0"),
    ({"full_share": 1.5}, "full_share is 1.5"),
    ({"noise": -0.1}, "noise is -0.1"),
    ({"drawn_share": 2}, "drawn_share is 2"),
    ({"record_share": -1}, "record_share is -1"),
    ({"memory_bytes": 0}, "memory_bytes is 0"),
    ({"memory_bytes": 65535}, "memory_bytes is 65535"),
    ({"deal_spread": 0}, "deal_spread is 0"),
])
def test_numbers_are_checked(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        player("summer", 2, False, **changes)


def test_wrong_games_are_refused() -> None:
    tunables = tunables_for(GAMES["summer"])
    with pytest.raises(ValueError, match="expected the class of a game's states"):
        SelfPlay(int, 2, False, **tunables)  # type: ignore[arg-type]
    for players in (1, 5):
        with pytest.raises(ValueError, match=f"players is {players}"):
            SelfPlay(SummerState, players, False, **tunables)
    for net in (network("azul", 2), network("summer", 3)):
        with pytest.raises(ValueError, match="the network has inputs, players and policy"):
            SelfPlay(SummerState, 2, False, net, **tunables)
    with pytest.raises(TypeError, match="nonsense: not a tunable"):
        SelfPlay(SummerState, 2, False, nonsense=1, **tunables)


def test_samples_of_other_records_are_refused() -> None:
    data = player("summer", 2, False).play(1)
    assert data is not None
    states, first, moves = (data["states"], array("I", data["first"]), array("I", data["moves"]))
    with pytest.raises(ValueError, match="expected a multiple of"):
        training_inputs(SummerState, 2, states[:-1])
    size = state_bytes(SummerState, 3)
    for function in (training_inputs, training_seats):
        with pytest.raises(ValueError, match="record 0 is not a state of 3 players"):
            function(SummerState, 3, states[:size])
    with pytest.raises(ValueError, match=r"first has \d+ numbers, expected"):
        training_moves(SummerState, 2, states, first[:-1], moves)
    with pytest.raises(ValueError, match="first ends at"):
        training_moves(SummerState, 2, states, first, moves[:-1])
    with pytest.raises(ValueError, match="first falls after record 0"):
        training_moves(SummerState, 2, states, array("I", [1 << 30, *first[1:]]), moves)
