"""Files of training games: what goes in comes out, and what is damaged is refused in one line."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest

from pavilion_ai._core import Rng
from pavilion_ai.bench import _random_weights
from pavilion_ai.files import replace_file
from pavilion_ai.network import Header, core_shape, network_bytes
from pavilion_ai.train.play import Block, play_block
from pavilion_ai.train.shards import (
    POINT_STEPS,
    Shard,
    ShardError,
    gather,
    read_shard,
    shard_bytes,
)
from tests.train.support import played

EXACT = ("records", "plies", "states", "round", "first", "moves", "visits")
FINALS = ("final_win", "final_lead", "final_score")


def small_network() -> bytes:
    """Return the file of a network of random weights, the same ones with every numpy."""
    inputs, policy = core_shape("summer", 2)
    rng, outputs = Rng(1, 2), 6 + policy
    payload = b"".join((
        _random_weights(rng, (inputs + 1) * 32, 9), _random_weights(rng, 32 * 16, 12),
        bytes(4 * 16), _random_weights(rng, 16 * outputs, 11), bytes(4 * outputs)))
    return network_bytes(Header("summer", "coloured", 2, inputs, (32, 16), policy), payload)


def test_games_of_old_recipes_are_the_same_games(tmp_path: Path) -> None:
    """Whole numbers only, which are the same on every machine. A change of the search or of its
    tunables may change them; then a run that was broken off would go on with other games."""
    path, found = tmp_path / "a.shard", hashlib.sha256()
    path.write_bytes(play_block(Block(
        "summer", "coloured", 2, (3, 4), small_network(),
        {"full_sims": 12, "fast_sims": 4, "full_share": 0.5, "noise": 0.15, "drawn_share": 0.2},
        {})))
    shard = read_shard(path)
    for name in (*EXACT, "final_score"):
        found.update(getattr(shard, name).astype("<i8").tobytes())
    assert found.hexdigest() == (
        "93bf1504a8c5dc148167611fb8a4a4da2816134a4b77807e763b2c16179de140")


def made_up_shard(games: int = 3, players: int = 2) -> Shard:
    """Return a shard of made-up games of different lengths."""
    return gather(
        "summer",
        "coloured",
        players,
        {seed: played(seed, players=players, records=20 + seed) for seed in range(7, 7 + games)},
        network="ab" * 32,
        tunables={"full_sims": 600, "explore": 0.1},
    )


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_shard_reads_back(tmp_path: Path, players: int) -> None:
    shard = made_up_shard(players=players)
    path = tmp_path / "a.shard"
    path.write_bytes(shard_bytes(shard))
    again = read_shard(path)
    assert again.seeds == (7, 8, 9)
    assert again.tunables == {"full_sims": 600, "explore": 0.1}
    for name in (*EXACT, *FINALS):
        assert np.array_equal(getattr(again, name), getattr(shard, name)), name
        assert getattr(again, name).dtype == getattr(shard, name).dtype, name
    for name, most in {"win": 1 / 8192, "lead": 1 / 8192, "score": 1 / 32}.items():
        found, expected = getattr(again, name), getattr(shard, name)
        assert np.array_equal(np.isnan(found), np.isnan(expected))
        assert np.nanmax(np.abs(found - expected)) <= most * 1.01
    assert again.records.tolist() == [27, 28, 29]
    # Rounded values are written and read without further loss.
    replace_file(path, shard_bytes(again))
    assert read_shard(path) == again
    assert read_shard(path) != shard


def test_points_beyond_what_is_stored_are_the_most_that_is(tmp_path: Path) -> None:
    """They do not become others, nor "nothing was found"."""
    shard = made_up_shard(players=2)
    shard.score[0] = 1e6, -1e6
    path = tmp_path / "a.shard"
    path.write_bytes(shard_bytes(shard))
    most = (2**15 - 1) / POINT_STEPS
    assert read_shard(path).score[0].tolist() == [most, -most]


def test_a_shard_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.shard"
    replace_file(path, shard_bytes(made_up_shard()))
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, shard_bytes(made_up_shard(1)))
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(os.name == "nt", reason="there a file can only be writable or not")
def test_a_file_keeps_its_permissions_when_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"secret")
    path.chmod(0o600)
    replace_file(path, b"as secret")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"as secret", 0o600)


def test_torn_and_changed_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.shard"
    replace_file(path, shard_bytes(made_up_shard()))
    whole = path.read_bytes()
    for length in (0, 1, 100, whole.index(b"\n"), whole.index(b"\n") + 1, len(whole) - 1):
        path.write_bytes(whole[:length])
        refused(path)
    path.write_bytes(whole + b"\0")
    assert "damaged" in refused(path)
    for place in np.random.default_rng(1).integers(whole.index(b"\n") + 1, len(whole), 20):
        changed = bytearray(whole)
        changed[place] ^= 16
        path.write_bytes(changed)
        assert "its hash is not the one in its header" in refused(path)


def test_wrong_headers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.shard"
    replace_file(path, shard_bytes(made_up_shard()))
    line, _, payload = path.read_bytes().partition(b"\n")
    header = json.loads(line)
    for key, value in {
        "format": "pavilion-shard-0",
        "game": 3,
        "players": True,
        "seeds": [1],
        "records": [27, 28, "29"],
        "plies": [1, -1, 1],
        "state_bytes": 151,
        "moves": header["moves"] + 1,
        "bytes": len(payload) + 1,
        "sha256": None,
    }.items():
        path.write_bytes(json.dumps({**header, key: value}).encode() + b"\n" + payload)
        refused(path)
        del (missing := dict(header))[key]
        path.write_bytes(json.dumps(missing).encode() + b"\n" + payload)
        refused(path)
    for text in (b"", b"[]", b"null", b"\xff", b"{}", b"[" * 100_000):
        path.write_bytes(text + b"\n" + payload)
        refused(path)
    huge = {**header, "records": [10**12] * 3, "moves": 10**15}
    path.write_bytes(json.dumps(huge).encode() + b"\n" + payload)
    refused(path)
    refused(tmp_path / "none.shard")
    refused(tmp_path)


def refused(path: Path) -> str:
    """Return the one line that a file is refused with."""
    with pytest.raises(ShardError) as caught:
        read_shard(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < len(str(path)) + 120
    return message


def test_games_whose_parts_do_not_fit_are_refused() -> None:
    good = played(1)
    for key, value in {
        "states": good["states"][:-1],
        "round": b"",
        "moves": good["moves"][:-4],
        "visits": good["visits"][:-4],
        "first": good["first"][4:],
        "win": good["win"][:-4],
        "final_win": (1.0, 0.0, 0.0),
    }.items():
        with pytest.raises(ShardError, match="game of seed 5"):
            gather("summer", "coloured", 2, {5: {**good, key: value}})
    with pytest.raises(ShardError, match="at least one game"):
        gather("summer", "coloured", 2, {})
