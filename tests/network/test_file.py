"""Network files: written and read back, and each way in which one is refused."""

from __future__ import annotations

import errno
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pavilion_ai import network
from pavilion_ai.errors import NetworkError
from pavilion_ai.games import GAMES
from pavilion_ai.network import (
    Header,
    load_network,
    network_bytes,
    read_network,
    shipped,
    write_network,
)
from pavilion_ai.train.recipe import read_recipe
from tests.network.reference import Weights, random_weights

INPUTS, POLICY = 40, 21
HEADER = Header("summer", "grey", 3, INPUTS, (32, 16), POLICY, {"games": 12, "by": "chance"},
                win_scale=1.25)
VARIANT = ("summer", "grey", 3)


@pytest.fixture
def weights() -> Weights:
    return random_weights(1, INPUTS, 32, 16, 9 + POLICY)


@pytest.fixture
def content(weights: Weights) -> bytes:
    return network_bytes(HEADER, weights.payload)


@pytest.fixture
def _small_core(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the core have the shape of these tests' networks."""
    monkeypatch.setattr(network, "core_shape", lambda game, players: (INPUTS, POLICY))
    shipped.cache_clear()
    yield
    shipped.cache_clear()


def weights_begin(content: bytes) -> int:
    """Return where the header of a file ends."""
    return 11 + int.from_bytes(content[7:11], "little")


def altered(content: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return the file with another header."""
    end = weights_begin(content)
    data = json.loads(content[11:end])
    change(data)
    text = json.dumps(data).encode()
    return content[:7] + len(text).to_bytes(4, "little") + text + content[end:]


def refusal(source: bytes | Path) -> str:
    """Return the one line with which a file is refused."""
    with pytest.raises(NetworkError) as caught:
        read_network(source)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_round_trip(tmp_path: Path, weights: Weights) -> None:
    path = tmp_path / "some.net"
    write_network(path, HEADER, weights.payload)
    header, payload = read_network(path)
    assert payload == weights.payload
    assert replace(header, sha256="") == HEADER
    assert re.fullmatch(r"[0-9a-f]{64}", header.sha256)
    assert read_network(path.read_bytes()) == (header, payload)
    assert network_bytes(header, payload) == path.read_bytes()
    assert list(tmp_path.iterdir()) == [path]


def test_the_header_says_what_the_outputs_are(content: bytes) -> None:
    data = json.loads(content[11 : weights_begin(content)])
    assert data["format"] == 1
    assert data["outputs"] == [["win", 3], ["lead", 3], ["gain", 3], ["policy", POLICY]]


@pytest.fixture
def packed(content: bytes, weights: Weights, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """Return a file that would be one byte too long if its weights were not packed."""
    monkeypatch.setattr(network, "LARGEST_PLAIN", len(content) - 1)
    return network_bytes(HEADER, weights.payload)


def test_long_files_are_packed(content: bytes, packed: bytes, weights: Weights) -> None:
    header, payload = read_network(packed)
    assert header.packed
    assert payload == weights.payload
    assert replace(header, packed=False) == read_network(content)[0]
    assert network_bytes(header, payload) == packed
    assert "packed" not in json.loads(content[11 : weights_begin(content)])


def test_only_long_files_are_packed(
    content: bytes, packed: bytes, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "LARGEST_PLAIN", len(content))
    assert network_bytes(read_network(packed)[0], weights.payload) == content


def test_damage_of_packed_weights_is_noticed(content: bytes, packed: bytes) -> None:
    size = HEADER.payload_bytes
    stream = weights_begin(packed)
    one_less, one_more = (zlib.compress(bytes(size + more)) for more in (-1, 1))
    for wrong in (packed[:-1], packed + b"\0", packed[:stream], packed[:stream] + one_less,
                  packed[:stream] + one_more):
        assert f"not one stream of {size} bytes" in refusal(wrong)
    assert "the packed weights are damaged (Error -3" in refusal(
        packed[:stream] + b"?" + packed[stream + 1 :])
    assert "the weights are damaged" in refusal(packed[:stream] + zlib.compress(bytes(size)))
    assert "damaged" in refusal(altered(content, lambda data: data.update(packed=True)))
    assert "bytes of weights" in refusal(altered(packed, lambda data: data.pop("packed")))


def test_damage_is_noticed(content: bytes, tmp_path: Path) -> None:
    assert "PVNET1" in refusal(b"")
    assert "PVNET1" in refusal(b"X" + content[1:])
    assert "cut off in the header, after 9 bytes" in refusal(content[:9])
    assert "cut off in the header" in refusal(content[:50])
    assert "expected at most 65536" in refusal(content[:7] + b"\xff" * 4 + content[11:])
    assert "not JSON" in refusal(content[:11] + b"?" + content[12:])
    assert "bytes of weights" in refusal(content[:-1])
    assert "bytes of weights" in refusal(content + b"\0")
    assert "damaged" in refusal(content[:-1] + bytes([content[-1] ^ 1]))
    assert "longer than" in refusal(content + bytes(network.MAX_FILE_BYTES))
    path = tmp_path / "torn.net"
    path.write_bytes(content[:100])
    assert refusal(path).startswith(f"{path}: cut off")
    assert "PVNET1" in refusal(b"PVNET2\n" + content[7:])
    for number in range(0, 300, 7):
        refusal(content[:number])


@pytest.mark.parametrize(("key", "value", "message"), [
    ("format", 2, "format: found 2, expected 1"),
    ("game", "chess", "game: found 'chess', expected one of"),
    ("game", ["summer"], "game: found a list of 1, expected one of"),
    ("board", "blue", "board: found 'blue', expected one of coloured, grey"),
    ("players", 5, "players: found 5, expected a whole number from 2 to 4"),
    ("players", True, "players: found true, expected a whole number from 2 to 4"),
    ("inputs", 0, "inputs: found 0, expected a whole number from 1 to 65536"),
    ("inputs", 41, "bytes of weights"),
    ("inputs", 40.0, "inputs: found 40.0, expected"),
    ("hidden", [33, 16], "found [33, 16], expected one of 32, 64, 128, 192, 256 and"),
    ("hidden", [32, 8], "found [32, 8]"),
    ("hidden", [32], "hidden: found [32], expected"),
    ("hidden", "32", "hidden: found '32', expected"),
    ("hidden", [[32], 16], "hidden: found a list of 2, expected"),
    ("policy", -1, "policy: found -1, expected a whole number from 0 to 65536"),
    ("policy", 10**30, "found a number of"),
    ("outputs", [["win", 3]], "outputs: found a list of 1, expected"),
    ("outputs", None, "outputs: found null, expected"),
    ("sha256", 5, "sha256: found 5, expected a string"),
    pytest.param("sha256", "é\n" * 40, "damaged", id="sha256-lines"),
    ("trained", [1], "trained: found [1], expected an object"),
    ("win_scale", 0.49, "win_scale: found 0.49, expected a number from 0.5 to 2"),
    ("win_scale", 3, "win_scale: found 3, expected a number from 0.5 to 2"),
    ("win_scale", float("nan"), "the header is not JSON"),
    ("win_scale", True, "win_scale: found true, expected a number from 0.5 to 2"),
    ("win_scale", "1", "win_scale: found '1', expected a number from 0.5 to 2"),
    ("win_scale", None, "win_scale: found null, expected a number from 0.5 to 2"),
    ("packed", "deflate", "packed: found 'deflate', expected true or false"),
    ("packed", None, "packed: found null, expected true or false"),
])
def test_headers_that_are_refused(content: bytes, key: str, value: object, message: str) -> None:
    assert message in refusal(altered(content, lambda data: data.update({key: value})))
    if key not in ("trained", "win_scale", "packed"):
        assert refusal(altered(content, lambda data: data.pop(key)))


@pytest.mark.usefixtures("_small_core")
def test_older_files_do_not_say_how_wins_are_reported(content: bytes) -> None:
    assert load_network(content).win_scale == 1.25
    older = altered(content, lambda data: data.pop("win_scale"))
    assert read_network(older)[0].win_scale == load_network(older).win_scale == 1


def test_unknown_keys_of_a_header_are_refused(content: bytes) -> None:
    """What else is to be told stands in `trained`."""
    message = refusal(altered(content, lambda data: data.update(win_scal=1.2)))
    assert "win_scal: found an unknown key, expected one of format, game" in message


def test_a_header_that_is_no_object(content: bytes) -> None:
    for text in (b"[]", b"5", b"null", b"[" * 60000):
        refusal(content[:7] + len(text).to_bytes(4, "little") + text)


def nested(depth: int) -> dict[str, Any]:
    """Return lists and objects within each other."""
    value: dict[str, Any] = {}
    for _ in range((depth - 1) // 2):
        value = {"in": [value]}
    return value


@pytest.mark.parametrize("source", [0, False, None, 1.5])
def test_what_names_no_file_is_refused(source: Any) -> None:
    with pytest.raises(NetworkError, match=r"^network .*: expected a file, or its bytes$"):
        read_network(source)


def test_a_header_is_not_nested_deeply(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "deep.net"
    path.write_bytes(altered(content, lambda data: data.update(trained=nested(601))))
    assert refusal(path) == f"{path}: trained: nested too deeply"
    deepest = altered(content, lambda data: data.update(trained=nested(49)))
    assert network_bytes(*read_network(deepest))
    with pytest.raises(NetworkError, match=r"^trained: nested too deeply$"):
        replace(HEADER, trained={"in": nested(51)})
    with pytest.raises(NetworkError, match=r"^trained: nested too deeply$"):
        replace(HEADER, trained={"in": ((nested(50),),)})
    circle: list[object] = []
    circle += [circle, circle]
    with pytest.raises(NetworkError, match=r"^trained: nested too deeply$"):
        replace(HEADER, trained={"in": circle})


@pytest.mark.parametrize(("change", "key"), [
    ({"inputs": np.int64(INPUTS)}, "inputs"), ({"players": np.int64(3)}, "players"),
    ({"hidden": (np.int32(32), 16)}, "hidden"), ({"win_scale": float("nan")}, "win_scale"),
    ({"trained": {"by": object()}}, "trained"), ({"trained": {"loss": float("inf")}}, "trained")])
def test_what_cannot_be_written_is_named(
    weights: Weights, change: dict[str, Any], key: str
) -> None:
    with pytest.raises(NetworkError, match=rf"^{key}: not JSON \("):
        network_bytes(replace(HEADER, **change), weights.payload)


def test_nothing_wrong_is_written(tmp_path: Path, weights: Weights) -> None:
    for header, payload in (
        (HEADER, weights.payload[:-2]),
        (replace(HEADER, players=2), weights.payload),
        (replace(HEADER, hidden=(32, 17)), weights.payload),
        (replace(HEADER, trained={"by": object()}), weights.payload),
        (replace(HEADER, trained={"loss": float("nan")}), weights.payload),
    ):
        with pytest.raises(NetworkError):
            write_network(tmp_path / "wrong.net", header, payload)
    assert list(tmp_path.iterdir()) == []


def test_a_network_is_written_completely_or_not_at_all(
    tmp_path: Path, weights: Weights, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "some.net"
    write_network(path, HEADER, weights.payload)
    before = path.read_bytes()

    def no_room(file: int) -> None:
        raise OSError(errno.ENOSPC, "no room")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(OSError, match="no room"):
        write_network(path, replace(HEADER, trained={}), weights.payload)
    assert path.read_bytes() == before
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.usefixtures("_small_core")
def test_a_network_from_its_file(content: bytes, tmp_path: Path, weights: Weights) -> None:
    path = tmp_path / "some.net"
    path.write_bytes(content)
    for net in (load_network(path), load_network(content, VARIANT)):
        assert net.evaluate([3, 4, 4]) == weights.outputs([3, 4, 4])
    with pytest.raises(NetworkError, match="for summer, grey, 3 players, expected one for summer,"):
        load_network(path, ("summer", "coloured", 3))
    with pytest.raises(NetworkError, match="3 players, expected one for summer, grey, 2 players"):
        load_network(path, ("summer", "grey", 2))
    with pytest.raises(FileNotFoundError):
        load_network(tmp_path / "none.net")


@pytest.mark.parametrize(("shape", "message"), [
    ((INPUTS + 1, POLICY), f"{INPUTS} inputs, expected {INPUTS + 1}"),
    ((INPUTS, POLICY - 1), f"{POLICY} policy features, expected {POLICY - 1}"),
])
def test_another_version_of_the_core(
    content: bytes, monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int], message: str
) -> None:
    monkeypatch.setattr(network, "core_shape", lambda game, players: shape)
    with pytest.raises(NetworkError, match=message):
        load_network(content)


@pytest.mark.usefixtures("_small_core")
def test_shipped_networks_are_read_once(
    content: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(network, "NETS", tmp_path)
    (tmp_path / "summer-grey-3.net").write_bytes(content)
    assert shipped(*VARIANT) is shipped(*VARIANT)
    assert shipped(*VARIANT).sha256 == read_network(content)[0].sha256
    with pytest.raises(NetworkError, match=r"summer-coloured-3\.net: is missing from the"):
        shipped("summer", "coloured", 3)
    (tmp_path / "azul-grey-3.net").write_bytes(content)
    with pytest.raises(NetworkError, match="expected one for azul"):
        shipped("azul", "grey", 3)


@pytest.mark.parametrize("variant", [
    (name, board, players) for name, game in GAMES.items() for board in game.boards
    for players in range(game.min_players, game.max_players + 1)
], ids=lambda variant: "-".join(map(str, variant)))
def test_every_variant_has_a_network_and_its_recipe(variant: tuple[str, str, int]) -> None:
    name = "-".join(map(str, variant))
    path = network.NETS / f"{name}.net"
    assert load_network(path, variant).players == variant[2]
    assert path.stat().st_size <= 1_000_000
    recipe = read_recipe(name)
    header = read_network(path)[0]
    assert (recipe.game, recipe.board, recipe.players, recipe.hidden) == (*variant, header.hidden)
    if recipe.start is None:
        assert header.trained["sha256_of_recipe"] == recipe.sha256()


def test_headers_cannot_be_changed() -> None:
    trained: dict[str, Any] = {"by": ["games"]}
    header = replace(HEADER, trained=trained)
    trained["by"].append("chance")
    assert header.trained == {"by": ["games"]}
    with pytest.raises(TypeError):
        header.trained["by"] = []  # type: ignore[index]
    header.to_json()["trained"]["by"].clear()
    assert header.trained == {"by": ["games"]}
    assert len({header, replace(header), HEADER, replace(HEADER, players=2)}) == 3
