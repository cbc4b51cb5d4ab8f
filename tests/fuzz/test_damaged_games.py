"""Files of training games that are whole, but hold what no self-play has written."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from pavilion_ai._core import training_inputs, training_moves, training_seats
from pavilion_ai.games import GAMES
from pavilion_ai.train.play import Block, play_block, without_noise
from pavilion_ai.train.samples import make_samples
from pavilion_ai.train.shards import Shard, ShardError, read_shard, shard_bytes

MUTATIONS = 100
PLAYED = {**without_noise(2), "full_share": 1.0, "full_sims": 2, "drawn_share": 1.0}
VARIANTS = [("summer", "coloured", 2), ("summer", "grey", 3), ("azul", "coloured", 3),
            ("azul", "grey", 2)]


@pytest.fixture(scope="module", params=VARIANTS, ids=lambda one: "-".join(map(str, one)))
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shard:
    """Return a few games of a variant."""
    path = tmp_path_factory.mktemp("games") / "sound"
    path.write_bytes(play_block(Block(*request.param, (1, 2), None, PLAYED, {})))
    return read_shard(path)


def refusal(path: Path, shard: Shard) -> str:
    """Return what is said of games that cannot be used; nothing if they can."""
    path.write_bytes(shard_bytes(shard))
    try:
        return fault(read_shard(path))
    except ShardError as error:
        return told(error, path)


def fault(shard: Shard) -> str:
    """Return what is said of games that were read."""
    try:
        make_samples(shard)
    except ShardError as error:
        return told(error, shard.file)
    return ""


def told(error: ShardError, path: object) -> str:
    """Return what an error says of a file, in one line."""
    said = str(error)
    assert said.startswith(f"{path}: ")
    assert said.isprintable()
    assert len(said) < len(str(path)) + 150
    return said.removeprefix(f"{path}: ")


def test_sound_games_are_taken(played: Shard, tmp_path: Path) -> None:
    assert refusal(tmp_path / "a", played) == ""


def test_a_move_that_is_not_legal_is_named(played: Shard, tmp_path: Path) -> None:
    row = int(np.flatnonzero(np.diff(played.first.astype(int)) > 1)[-1])
    for code in (0, 7, 0xFFFFFFFF, int(played.moves[0]) ^ 1 << 31, 1 | 63 << 3 | 7 << 9):
        moves = played.moves.copy()
        moves[played.first[row] + 1] = code
        assert refusal(tmp_path / "a", replace(played, moves=moves)) == (
            f"damaged: record {row} has the move {code}, which is not legal there")


def test_states_of_damaged_bytes_are_refused_or_harmless(played: Shard) -> None:
    """The debug build checks addresses."""
    random, refused = Random(1), 0
    for number in range(MUTATIONS):
        states, row = played.states.copy(), random.randrange(len(played.states))
        for _ in range(random.choice((1, 1, 2, 30))):
            column = random.randrange(states.shape[1])
            states[row, column] = random.choice((0, 255, states[row, column] ^ 1 << number % 8))
        said = fault(replace(played, states=states))
        assert said == "" or said.startswith(f"damaged: record {row} ")
        refused += said != ""
    assert refused > MUTATIONS // 2


def test_every_bit_of_what_leads_to_a_table_is_checked(played: Shard) -> None:
    """All states that are taken hold: with one bit changed they have legal inputs still."""
    rules = GAMES[played.game]
    variant = rules.core_class, played.players
    size = sum(size for _, _, size, _ in make_samples(played).groups)
    row = len(played.states) // 2
    state = bytearray(played.states[row].tobytes())
    taken = 0
    refusals = {f"record 0 is not a state of {played.players} players",
                "record 0 is a game that is over, expected one to play on"}
    for bit in range(8 * len(state)):
        state[bit // 8] ^= 1 << bit % 8
        try:
            _, inputs = training_inputs(*variant, bytes(state))
            training_moves(*variant, bytes(state), array("I", [0, 0]), array("I"))
            viewer, scores = training_seats(*variant, bytes(state))
        except ValueError as error:
            refusals.add(str(error))
        else:
            taken += 1
            assert max(array("H", inputs)) < size
            assert viewer[0] < played.players
            assert min(array("f", scores)) >= 0
        state[bit // 8] ^= 1 << bit % 8
    assert len(refusals) == 2
    assert 0 < taken < 4 * len(state)


def test_wrong_values_are_named(played: Shard, tmp_path: Path) -> None:
    def changed(name: str, value: float) -> Shard:
        values = getattr(played, name).copy()
        values[-1, 1] = value
        return replace(played, **{name: values})

    wrong = [("win", 1.5), ("lead", -2.0), ("final_win", np.nan), ("final_win", 2.0),
             ("final_lead", np.inf), ("final_score", -1.0), ("final_score", np.inf)]
    for name, value in wrong:
        assert refusal(tmp_path / "a", changed(name, value)) == (
            f"damaged: {name.removeprefix('final_')} of seat 1 is {value:g} in the game of seed 2,"
            f" expected 0 to {'no bound' if 'score' in name else '1'}")


@pytest.mark.parametrize("changes", [
    {"game": "winter"}, {"board": "green"}, {"players": 4}, {"game": "azul", "players": 4}])
def test_games_of_no_variant_are_refused(
    played: Shard, tmp_path: Path, changes: dict[str, Any]
) -> None:
    if "players" in changes:
        players = changes["players"]
        arrays = ("win", "lead", "score", "final_win", "final_lead", "final_score")
        changes = {**changes, **{
            name: np.resize(getattr(played, name), (len(getattr(played, name)), players))
            for name in arrays}}
    assert refusal(tmp_path / "a", replace(played, **changes))


def damaged(random: Random) -> Iterator[Callable[[bytearray], None]]:
    """Yield ways to damage a file."""
    yield lambda data: data.__delitem__(slice(random.randrange(len(data)), None))
    yield lambda data: data.__setitem__(random.randrange(len(data)), random.randrange(256))
    yield lambda data: data.__setitem__(random.randrange(min(len(data), 600)),
                                        random.choice(b'0123456789-.eE"[]{},:'))
    yield lambda data: data.__delitem__(slice(at := random.randrange(len(data)), at + 9))


def test_damaged_files_are_refused(played: Shard, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(shard_bytes(played))
    whole, random = path.read_bytes(), Random(1)
    for _ in range(MUTATIONS // 4):
        for damage in damaged(random):
            content = bytearray(whole)
            damage(content)
            path.write_bytes(content)
            try:
                assert read_shard(path).first[-1] == len(played.moves)
            except ShardError as error:
                told(error, path)
