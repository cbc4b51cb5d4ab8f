"""Files of evaluation networks: format, checks, the shipped networks, and those of an agent.

A file is the line `PVNET1`, the length of the header (uint32, little-endian), the header as JSON,
and the weights: W1 [inputs][H1], b1, W2 [H1][H2], b2, W3 [H2][outputs], b3, little-endian and by
rows; weights and b1 are int16, b2 and b3 int32. The outputs are win, lead and gain of each seat,
counted from the one to move, then the policy features. Weights that would make a file longer than
`LARGEST_PLAIN` are packed: the low bytes of all 16-bit words, then the high ones, as a zlib stream.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from pavilion_ai import _core
from pavilion_ai._core import Network
from pavilion_ai.errors import NetworkError, SpecError, file_fault, shown
from pavilion_ai.files import replace_file
from pavilion_ai.frozen import freeze, thawed
from pavilion_ai.games import GAMES
from pavilion_ai.position import Position
from pavilion_ai.untrusted import Node, refusal, strict_json
from pavilion_ai.wording import variant_in_words

__all__ = [
    "SHIPPED",
    "Header",
    "Network",
    "Networks",
    "check_shape",
    "core_shape",
    "hidden_sizes",
    "load_network",
    "network_bytes",
    "network_file",
    "network_for",
    "read_network",
    "shipped",
    "write_network",
]

MAGIC = b"PVNET1\n"
FORMAT = 1
MAX_HEADER_BYTES = 1 << 16
MAX_NESTING = 50
"""Deepest nesting of objects and lists in `Header.trained`."""
MAX_FILE_BYTES = 1 << 24
"""Longer files are refused without reading them."""
LARGEST_PLAIN = 250_000
"""Longest file in bytes with unpacked weights; in a longer one they are packed."""
ZLIB_HEADER = b"\x78\xda"
BLOCK = 8192
"""Bytes of weights that share a table of frequencies."""

HIDDEN1 = (32, 64, 128, 192, 256)
HIDDEN2 = range(16, 129, 16)
VALUES = ("win", "lead", "gain")
"""Value outputs, each by seat; the policy follows."""

SMALLEST_SCALE, LARGEST_SCALE = 0.5, 2.0
"""Bounds of `Header.win_scale`."""

SHIPPED = "shipped"
"""Stands for the network shipped with the package for a variant."""
MOST_LOADED = 64
"""Networks of files that are kept for other agents: some 2 MB each."""

NETS = Path(__file__).with_name("nets")
"""Folder of the shipped networks."""

LENGTH_BYTES = 4
MAX_NUMBER = 1 << 16
_HEADER_KEYS = (
    *("format", "game", "board", "players", "inputs", "hidden", "policy", "outputs", "win_scale"),
    *("sha256", "packed", "trained"),
)


@dataclass(frozen=True)
class Header:
    """Variant, shape and origin of a network.

    Attributes:
        game: name of the game.
        board: side of the player boards.
        players: number of seats.
        inputs: number of inputs.
        hidden: sizes of the two hidden layers.
        policy: number of policy features.
        trained: how the network was trained, as a JSON object that is not nested more deeply than
            `MAX_NESTING`; immutable.
        win_scale: exponent on the win shares that searches with it report
            (`pavilion_ai.train.calibration`); files may leave it out.
        sha256: hash of the weights, unpacked; filled in when a file is written.
        packed: whether the weights are packed; filled in when a file is written.

    Raises:
        NetworkError: `trained` is nested too deeply.
    """

    game: str
    board: str
    players: int
    inputs: int
    hidden: tuple[int, int]
    policy: int
    trained: Mapping[str, Any] = field(default_factory=dict, hash=False)
    win_scale: float = 1.0
    sha256: str = ""
    packed: bool = False

    def __post_init__(self) -> None:
        if _is_nested_too_deeply(self.trained):
            raise NetworkError("trained: nested too deeply")
        freeze(self, "trained")

    @property
    def outputs(self) -> list[list[str | int]]:
        """Names and sizes of the outputs, in their order."""
        values: list[list[str | int]] = [[name, self.players] for name in VALUES]
        return [*values, ["policy", self.policy]]

    @property
    def payload_bytes(self) -> int:
        """Size of the weights in bytes."""
        first, second = self.hidden
        outputs = len(VALUES) * self.players + self.policy
        weights = (self.inputs + 1) * first + first * second + second * outputs
        return 2 * weights + 4 * (second + outputs)

    def to_json(self) -> dict[str, Any]:
        """Return the header in the form of a file."""
        return {
            "format": FORMAT,
            "game": self.game,
            "board": self.board,
            "players": self.players,
            "inputs": self.inputs,
            "hidden": list(self.hidden),
            "policy": self.policy,
            "outputs": self.outputs,
            "win_scale": self.win_scale,
            "sha256": self.sha256,
            **({"packed": True} if self.packed else {}),
            "trained": thawed(self.trained),
        }

    @classmethod
    def from_json(cls, data: object) -> Header:
        """Read a header.

        Raises:
            NetworkError: a key is missing, has a value of the wrong type or an impossible one.
        """
        node = Node(data, "", refusal(NetworkError))
        if node.mapping("a header object").get("format") != FORMAT:
            node["format"].refuse(str(FORMAT))
        node.only(_HEADER_KEYS)
        game = node["game"].choice(tuple(GAMES))
        header = cls(
            game=game,
            board=node["board"].choice(GAMES[game].boards),
            players=node["players"].whole(GAMES[game].min_players, GAMES[game].max_players),
            inputs=node["inputs"].whole(1, MAX_NUMBER),
            hidden=hidden_sizes(node["hidden"]),
            policy=node["policy"].whole(0, MAX_NUMBER),
            trained=node.get("trained", {}).mapping(),
            win_scale=node.get("win_scale", 1.0).real(SMALLEST_SCALE, LARGEST_SCALE),
            sha256=node["sha256"].text(),
            packed=node.get("packed", False).truth(),
        )
        if node["outputs"].value != header.outputs:
            node["outputs"].refuse(json.dumps(header.outputs))
        return header


def _is_nested_too_deeply(value: Mapping[str, Any]) -> bool:
    """Tell whether objects and lists stand within each other more deeply than they may."""
    level: list[Any] = [value]
    for _ in range(MAX_NESTING):
        within = [one.values() if isinstance(one, Mapping) else one for one in level]
        containers = (one for many in within for one in many
                      if isinstance(one, (Mapping, list, tuple)))
        level = [*{id(one): one for one in containers}.values()]  # each once, also in a circle
    return bool(level)


def hidden_sizes(node: Node) -> tuple[int, int]:
    """Return the sizes of the two hidden layers."""
    sizes = node.value
    if not (isinstance(sizes, list) and len(sizes) == 2 and all(type(n) is int for n in sizes)
            and sizes[0] in HIDDEN1 and sizes[1] in HIDDEN2):
        node.refuse(f"one of {', '.join(map(str, HIDDEN1))} and a multiple of {HIDDEN2.step} up to"
                    f" {HIDDEN2[-1]}")
    return sizes[0], sizes[1]


# ------------------------------------------------------------------------------- reading, writing


def read_network(source: bytes | str | os.PathLike[str]) -> tuple[Header, bytes]:
    """Return header and weights of a network file, given by path or as bytes.

    Checks that the file is complete and consistent, not that it fits this engine.

    Raises:
        NetworkError: it is not a network file, or is damaged; the message is one line.
        OSError: it cannot be opened.
    """
    if isinstance(source, bytes):
        return _parsed(source)
    if not isinstance(source, (str, os.PathLike)):
        raise NetworkError(f"network {shown(source)}: expected a file, or its bytes")
    with open(source, "rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    try:
        return _parsed(content)
    except NetworkError as error:
        raise NetworkError(f"{os.fspath(source)}: {error}") from error


def network_bytes(header: Header, payload: bytes) -> bytes:
    """Return the file of a network; hash and packing in the header become those of the payload.

    Raises:
        NetworkError: header and payload do not agree, or the header is impossible.
    """
    plain = replace(header, sha256=sha256(payload).hexdigest(), packed=False)
    content = _file(plain, payload)
    if len(content) > LARGEST_PLAIN:
        content = _file(replace(plain, packed=True), _packed(payload))
    _parsed(content)
    return content


def write_network(path: str | os.PathLike[str], header: Header, payload: bytes) -> None:
    """Write a network file completely or not at all.

    Raises:
        NetworkError: header and payload do not agree, or the header is impossible.
        OSError: it cannot be written.
    """
    replace_file(path, network_bytes(header, payload))


# ------------------------------------------------------------------------------------- for playing


def core_shape(game: str, players: int) -> tuple[int, int]:
    """Return the core's numbers of inputs and of policy features."""
    cls = GAMES[game].core_class
    return _core.network_inputs(cls, players), _core.POLICY_SIZES[cls]


def check_shape(header: Header, where: str) -> None:
    """Refuse a network whose inputs or policy features are not those of this engine.

    Args:
        where: what the message begins with.

    Raises:
        NetworkError: their numbers differ.
    """
    inputs, policy = core_shape(header.game, header.players)
    for name, size, expected in (("inputs", header.inputs, inputs),
                                 ("policy features", header.policy, policy)):
        if size != expected:
            raise NetworkError(f"{where}made for another version of the engine: {size} {name},"
                               f" expected {expected}")


def load_network(
    source: bytes | str | os.PathLike[str], variant: tuple[str, str, int] | None = None
) -> Network:
    """Return a network that is ready for use.

    Args:
        source: path of a file, or its bytes.
        variant: required game, board side and players; None accepts any.

    Raises:
        NetworkError: it is damaged, for another variant, or does not fit this engine.
        OSError: it cannot be opened.
    """
    header, payload = read_network(source)
    where = "" if isinstance(source, bytes) else f"{os.fspath(source)}: "
    found = header.game, header.board, header.players
    if variant is not None and found != variant:
        raise NetworkError(f"{where}a network for {variant_in_words(found)}, expected one for"
                           f" {variant_in_words(variant)}")
    check_shape(header, where)
    return Network(header.inputs, *header.hidden, header.players, header.policy, payload,
                   win_scale=header.win_scale, sha256=header.sha256)


@cache
def shipped(game: str, board: str, players: int) -> Network:
    """Return the network that comes with the package for a variant; read once.

    Raises:
        NetworkError: the installed file is missing, damaged or of another version.
    """
    path = _shipped_file(game, board, players)
    try:
        return load_network(path, (game, board, players))
    except FileNotFoundError:
        raise NetworkError(f"{path}: is missing from the installation, expected one for each"
                           " variant") from None


def _shipped_file(game: str, board: str, players: int) -> Path:
    return NETS / f"{game}-{board}-{players}.net"


def network_for(choice: str | None, position: Position) -> Network | None:
    """Return the network for the variant of a position.

    Args:
        choice: `SHIPPED`, a file, or None for no network.

    Raises:
        NetworkError: the file is missing, damaged, or for another variant.
    """
    if choice is None:
        return None
    variant = position.variant
    return shipped(*variant) if choice == SHIPPED else network_file(choice, variant)


def network_file(path: str, variant: tuple[str, str, int] | None = None) -> Network:
    """Return the network of a file as it is now, for a given variant or else for any.

    Raises:
        NetworkError: the file is missing, damaged, or for another variant.
    """
    try:
        found = os.stat(path)
        return _loaded(path, variant, (found.st_ino, found.st_size, found.st_mtime_ns))
    except (OSError, ValueError) as error:
        if isinstance(error, NetworkError):
            raise
        raise NetworkError(f"{file_fault(path, error)}, expected a network file") from None


@lru_cache(MOST_LOADED)
def _loaded(path: str, variant: tuple[str, str, int] | None,
            written: tuple[int, int, int]) -> Network:
    """Return the network of a file; `written` tells one content of the file from another."""
    return load_network(path, variant)


class Networks:
    """The networks of an agent, by variant; each stays the one that its file first held.

    In a pickle there is only the choice.

    Args:
        choice: as for `network_for`.

    Raises:
        SpecError: it is not such a choice.
    """

    def __init__(self, choice: str | os.PathLike[str] | None) -> None:
        if choice is not None and not isinstance(choice, (str, os.PathLike)):
            raise SpecError(f"network {shown(choice)}: expected {SHIPPED!r}, a file, or None")
        self.choice = None if choice is None else os.fspath(choice)
        self._known: dict[tuple[str, str, int], Network | None] = {}

    def of(self, position: Position) -> Network | None:
        """Return the network for the variant of a position. NetworkError: as `network_for`."""
        variant = position.variant
        if variant not in self._known:
            self._known[variant] = network_for(self.choice, position)
        return self._known[variant]

    def __reduce__(self) -> tuple[type[Networks], tuple[str | None]]:
        return type(self), (self.choice,)

    def of_file(self) -> Network | None:
        """Return the network of the file; None without one, or before it is needed."""
        if self.choice == SHIPPED:
            return None
        return next(iter(self._known.values()), None)


# --------------------------------------------------------------------------- the parts of a file


def _file(header: Header, weights: bytes) -> bytes:
    data = header.to_json()
    for key, value in data.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise NetworkError(f"{key}: not JSON ({error})") from error
    text = json.dumps(data, indent=1).encode()
    return b"".join([MAGIC, len(text).to_bytes(LENGTH_BYTES, "little"), text, weights])


def _packed(payload: bytes) -> bytes:
    """Return weights as a zlib stream (RFC 1950): the low bytes, then the high ones.

    Bytes of weights hardly repeat, but some are more frequent than others: what packs them best is
    a table of their frequencies (Huffman) for every few of them.
    """
    halves = payload[::2], payload[1::2]
    blocks = [_deflated(half, last=half is halves[1]) for half in halves]
    check = zlib.adler32(halves[1], zlib.adler32(halves[0]))
    return b"".join([ZLIB_HEADER, *blocks, check.to_bytes(4, "big")])


def _deflated(content: bytes, last: bool) -> bytes:
    """Return content as blocks of a raw deflate stream, by the strategy that packs it best."""
    packed = []
    for strategy in (zlib.Z_FILTERED, zlib.Z_HUFFMAN_ONLY):
        stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, strategy)
        parts = [stream.compress(content[start:start + BLOCK]) + stream.flush(zlib.Z_BLOCK)
                 for start in range(0, len(content), BLOCK)]
        parts.append(stream.flush(zlib.Z_FINISH if last else zlib.Z_FULL_FLUSH))
        packed.append(b"".join(parts))
    return min(packed, key=len)


def _unpacked(packed: bytes, size: int) -> bytes:
    """Return `size` bytes of weights, an even number: they are 16-bit words.

    Raises:
        NetworkError: it is not a zlib stream of that many bytes.
    """
    stream = zlib.decompressobj()
    try:
        halves = stream.decompress(packed, size + 1)
    except zlib.error as error:
        raise NetworkError(f"the packed weights are damaged ({error})") from error
    if len(halves) != size or not stream.eof or stream.unused_data:
        raise NetworkError(f"the packed weights are damaged: not one stream of {size} bytes")
    payload = bytearray(size)
    payload[::2], payload[1::2] = halves[:size // 2], halves[size // 2:]
    return bytes(payload)


def _parsed(content: bytes) -> tuple[Header, bytes]:
    begin = len(MAGIC) + LENGTH_BYTES
    if not content.startswith(MAGIC):
        raise NetworkError("not a network file: it does not begin with PVNET1")
    if len(content) > MAX_FILE_BYTES:
        raise NetworkError(f"longer than {MAX_FILE_BYTES} bytes, not a network file")
    length = int.from_bytes(content[len(MAGIC):begin], "little")
    if len(content) < begin or length > min(MAX_HEADER_BYTES, len(content) - begin):
        raise NetworkError(f"cut off in the header, after {len(content)} bytes"
                           if length <= MAX_HEADER_BYTES else
                           f"header of {length} bytes, expected at most {MAX_HEADER_BYTES}")
    try:
        data = strict_json(content[begin:begin + length].decode())
    except ValueError as error:
        raise NetworkError("the header is not JSON") from error
    header = Header.from_json(data)
    payload = content[begin + length:]
    if header.packed:
        payload = _unpacked(payload, header.payload_bytes)
    if len(payload) != header.payload_bytes:
        raise NetworkError(f"{len(payload)} bytes of weights, expected {header.payload_bytes}")
    checksum = sha256(payload).hexdigest()
    if checksum != header.sha256:
        raise NetworkError(f"the weights are damaged: their SHA-256 is {checksum[:12]}...,"
                           f" expected {shown(header.sha256[:12])}...")
    return header, payload
