"""Files of games played for training: a shard holds the games of some seeds of one variant.

A file is one line of JSON, then the payload: all arrays one after another, compressed with LZMA.
What the line says:

    format, game, board, players    `pavilion-shard-1`, and the variant
    network         hash of the network that played, null for none
    tunables        of the search and of self-play
    seeds           of the games, in order
    records, plies  by game: records, decisions
    state_bytes     bytes of one state
    moves           moves stored, of all records
    bytes, sha256   of the payload

States are stored as differences to the record before, column by column. Values that a
search found are rounded far below their noise: shares to 1/4096, points to 1/16. Results of games
are exact.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pavilion_ai.errors import PavilionError, file_fault, shown
from pavilion_ai.frozen import freeze
from pavilion_ai.untrusted import Node, refusal, strict_json

FORMAT = "pavilion-shard-1"
SHARE_STEPS = 4096
POINT_STEPS = 16
NOTHING = -(2**15)
"""Stored in place of a value that a record does not have."""

MOST_SEATS = 4
LONGEST_HEADER = 1 << 20
LARGEST_PAYLOAD = 1 << 30
GAME_NUMBERS = {"seeds": (0, None), "records": (1, LARGEST_PAYLOAD), "plies": (0, LARGEST_PAYLOAD)}
"""Lists with a number for each game, and their least and largest values."""
FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 1, "dict_size": 1 << 24}]

Array = npt.NDArray[Any]
"""Numbers of any type, in all modules of the room."""


class ShardError(PavilionError):
    """A file of training games cannot be read, or games do not fit together."""


@dataclass(frozen=True)
class Shard:
    """Games of one variant; all arrays but the last three run over the records of all games.

    Attributes:
        game: name of the game.
        board: side of the board.
        players: number of seats.
        network: hash of the network that played, or None.
        tunables: settings of the search and of self-play.
        seeds: seeds of the games.
        records: int64 [games], records of each game.
        plies: int64 [games], decisions of each game.
        states: uint8 [records, bytes of a state].
        round: uint8 [records].
        first: uint32 [records + 1]; moves of record i are first[i] to first[i + 1].
        moves: uint32 [moves].
        visits: uint32 [moves].
        win: float32 [records, seats], shares of the victory found by the search; NaN where a
            record has none.
        lead: float32 [records, seats], squashed to 0 to 1.
        score: float32 [records, seats], final score.
        final_win: float32 [games, seats].
        final_lead: float32 [games, seats], squashed to 0 to 1.
        final_score: float32 [games, seats].
        file: file that the games were read from, None if played here; equal shards may differ
            in it.
    """

    game: str
    board: str
    players: int
    network: str | None
    tunables: Mapping[str, Any]
    seeds: tuple[int, ...]
    records: Array
    plies: Array
    states: Array
    round: Array
    first: Array
    moves: Array
    visits: Array
    win: Array
    lead: Array
    score: Array
    final_win: Array
    final_lead: Array
    final_score: Array
    file: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        freeze(self, "tunables")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shard) and all(
            np.array_equal(mine, getattr(other, field.name), equal_nan=mine.dtype.kind == "f")
            if isinstance(mine := getattr(self, field.name), np.ndarray)
            else mine == getattr(other, field.name)
            for field in fields(self)
            if field.compare
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def searched(self) -> Array:
        """Which records were searched: between rounds shares of the victory are NaN or zero."""
        searched: Array = np.nansum(self.win, axis=1) > 0.5
        return searched

    def fault(self, what: str) -> ShardError:
        """Return the error of games that cannot be used; it names their file."""
        return ShardError(f"{self.file or 'training games'}: {what}")


def gather(
    game: str,
    board: str,
    players: int,
    games: Mapping[int, Mapping[str, Any]],
    *,
    network: str | None = None,
    tunables: Mapping[str, Any] | None = None,
) -> Shard:
    """Join the games of self-play, by seed, to a shard.

    Args:
        game: name of the game.
        board: side of the board.
        players: number of seats.
        games: what self-play returned for each seed.
        network: hash of the network that played, or None.
        tunables: settings of the search and of self-play.

    Raises:
        ShardError: there is no game, or the parts of one do not fit together.
    """
    if not games:
        raise ShardError("a shard needs at least one game")
    parts = [_arrays(seed, played, players) for seed, played in games.items()]
    joined: dict[str, Any] = {
        name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    counts = joined.pop("counts")
    return Shard(
        game=game,
        board=board,
        players=players,
        network=network,
        tunables=dict(tunables or {}),
        seeds=tuple(games),
        records=np.array([len(part["round"]) for part in parts], np.int64),
        plies=np.array([played["plies"] for played in games.values()], np.int64),
        first=_first(counts),
        **joined,
    )


def _arrays(seed: int, played: Mapping[str, Any], players: int) -> dict[str, Array]:
    """Return the arrays of one game, checked against each other."""
    rounds = np.frombuffer(played["round"], np.uint8)
    first = np.frombuffer(played["first"], np.uint32).astype(np.int64)
    moves = np.frombuffer(played["moves"], np.uint32)
    visits = np.frombuffer(played["visits"], np.uint32)
    n = len(rounds)
    if n == 0 or len(first) != n + 1 or first[0] != 0 or np.any(np.diff(first) < 0):
        raise ShardError(f"game of seed {seed}: {n} records, but {len(first)} starts of moves")
    if not len(moves) == len(visits) == first[-1]:
        raise ShardError(
            f"game of seed {seed}: {len(moves)} moves, {len(visits)} visits, {first[-1]} expected")
    if not played["states"] or len(played["states"]) % n:
        raise ShardError(f"game of seed {seed}: {len(played['states'])} bytes of {n} states")
    values = {name: np.frombuffer(played[name], np.float32) for name in ("win", "lead", "score")}
    for name, value in values.items():
        if len(value) != n * players:
            raise ShardError(
                f"game of seed {seed}: {len(value)} values of {name}, {n * players} expected")
    finals = {f"final_{name}": np.array([played[f"final_{name}"]], np.float32) for name in values}
    if any(final.shape != (1, players) for final in finals.values()):
        raise ShardError(f"game of seed {seed}: the result is not one of {players} seats")
    return {
        "states": np.frombuffer(played["states"], np.uint8).reshape(n, -1),
        "round": rounds,
        "counts": np.diff(first),
        "moves": moves,
        "visits": visits,
        **{name: value.reshape(n, players) for name, value in values.items()},
        **finals,
    }


def _first(counts: Array) -> Array:
    """Return the starts of runs that have these lengths, and the end of the last."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)


def shard_bytes(shard: Shard) -> bytes:
    """Return the file of a shard."""
    payload = lzma.compress(_packed(shard), lzma.FORMAT_RAW, filters=FILTERS)
    header = {
        "format": FORMAT,
        "game": shard.game,
        "board": shard.board,
        "players": shard.players,
        "network": shard.network,
        "tunables": dict(shard.tunables),
        "seeds": list(shard.seeds),
        "records": shard.records.tolist(),
        "plies": shard.plies.tolist(),
        "state_bytes": int(shard.states.shape[1]),
        "moves": len(shard.moves),
        "bytes": len(payload),
        "sha256": hashlib.sha256(payload).hexdigest(),
    }
    return json.dumps(header, separators=(",", ":")).encode() + b"\n" + payload


def read_shard(path: Path | str) -> Shard:
    """Read a shard and check that it is whole.

    Raises:
        ShardError: there is no such file, it is not a shard, or it is damaged.
    """
    try:
        with open(path, "rb") as file:
            header = _header(path, file.readline(LONGEST_HEADER))
            payload = file.read(LARGEST_PAYLOAD + 1)
    except OSError as error:
        raise ShardError(file_fault(path, error)) from None
    if len(payload) != header["bytes"]:
        raise ShardError(f"{path}: damaged: {len(payload)} bytes after the header,"
                         f" {shown(header['bytes'])} expected")
    if hashlib.sha256(payload).hexdigest() != header["sha256"]:
        raise ShardError(f"{path}: damaged: its hash is not the one in its header")
    layout = _layout(sum(header["records"]), header["moves"], header)
    expected = sum(np.dtype(kind).itemsize * rows * columns for _, kind, rows, columns in layout)
    plain = b""
    if expected <= LARGEST_PAYLOAD:
        try:
            unpacker = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=FILTERS)
            plain = unpacker.decompress(payload, expected + 1)
        except lzma.LZMAError:
            plain = b""
    if len(plain) != expected:
        raise ShardError(f"{path}: damaged: its arrays are not those that its header tells of")
    return _unpacked(path, header, layout, plain)


def _header(path: Path | str, line: bytes) -> dict[str, Any]:
    """Return a checked header."""
    try:
        node = Node(strict_json(line.decode()), f"{path}: header", refusal(ShardError))
    except ValueError:
        raise ShardError(f"{path}: no shard of training games: no header in JSON") from None
    if node.mapping().get("format") != FORMAT:
        node["format"].refuse(f"{FORMAT!r}, of a shard of training games")
    for key in ("game", "board", "sha256"):
        node[key].text()
    node["players"].whole(2, MOST_SEATS)
    for key in ("state_bytes", "moves", "bytes"):
        node[key].whole(0, LARGEST_PAYLOAD)
    if node["network"].value is not None:
        node["network"].text("a string or null")
    node["tunables"].mapping()
    seeds = node["seeds"].list_of({int}, "a whole number", "a list of whole numbers")
    for key, (least, most) in GAME_NUMBERS.items():
        for number in node[key].items(max(1, len(seeds)), max(1, len(seeds)), "one for each game"):
            number.whole(least, most)
    return dict(node.mapping())


Layout = Sequence[tuple[str, str, int, int]]


def _layout(records: int, moves: int, header: Mapping[str, Any]) -> Layout:
    """Return name, kind, rows and columns of the stored arrays, in order."""
    seats, games = header["players"], len(header["seeds"])
    return [
        ("states", "u1", records, header["state_bytes"]),
        ("round", "u1", records, 1),
        ("counts", "<u2", records, 1),
        ("moves", "<u4", moves, 1),
        ("visits", "<u4", moves, 1),
        *((name, "<i2", records, seats) for name in ("win", "lead", "score")),
        *((name, "<f4", games, seats) for name in ("final_win", "final_lead", "final_score")),
    ]


STEPS = {"win": SHARE_STEPS, "lead": SHARE_STEPS, "score": POINT_STEPS}


def _packed(shard: Shard) -> bytes:
    """Return the arrays as one run of bytes that compresses well."""
    stored = {name: getattr(shard, name) for name in ("round", "moves", "visits")}
    states = shard.states.copy()
    states[1:] ^= shard.states[:-1]
    stored["states"] = states
    stored["counts"] = np.diff(shard.first.astype(np.int64))
    for name, steps in STEPS.items():
        value = getattr(shard, name).astype(np.float64) * steps
        fixed = np.where(np.isnan(value), NOTHING, np.clip(np.rint(value), NOTHING + 1, 2**15 - 1))
        stored[name] = fixed.astype(np.int16)
    for name in ("final_win", "final_lead", "final_score"):
        stored[name] = getattr(shard, name)
    header = {"players": shard.players, "seeds": shard.seeds, "state_bytes": states.shape[1]}
    parts = []
    for name, kind, rows, columns in _layout(len(shard.round), len(shard.moves), header):
        lanes = stored[name].astype(kind).reshape(rows, columns).view(np.uint8)
        parts.append(np.ascontiguousarray(lanes.T).tobytes())
    return b"".join(parts)


def _unpacked(path: Path | str, header: dict[str, Any], layout: Layout, plain: bytes) -> Shard:
    """Undo `_packed`."""
    stored: dict[str, Any] = {}
    start = 0
    for name, kind, rows, columns in layout:
        size = np.dtype(kind).itemsize * columns
        lanes = np.frombuffer(plain, np.uint8, rows * size, start).reshape(size, rows)
        stored[name] = np.ascontiguousarray(lanes.T).view(kind)
        start += rows * size
    stored["states"] = np.bitwise_xor.accumulate(stored["states"], axis=0)
    for name, steps in STEPS.items():
        fixed = stored[name]
        stored[name] = np.where(fixed == NOTHING, np.nan, fixed / steps).astype(np.float32)
    for name in ("round", "counts", "moves", "visits"):
        stored[name] = stored[name].ravel()
    first = _first(stored.pop("counts").astype(np.int64))
    if first[-1] != header["moves"]:
        raise ShardError(
            f"{path}: damaged: the records have {first[-1]} moves, {header['moves']} expected")
    shard = Shard(
        **{key: header[key] for key in ("game", "board", "players", "network", "tunables")},
        seeds=tuple(header["seeds"]),
        records=np.array(header["records"], np.int64),
        plies=np.array(header["plies"], np.int64),
        first=first,
        file=str(path),
        **stored,
    )
    _check_values(shard)
    return shard


def _check_values(shard: Shard) -> None:
    """Refuse values that no game has: NaN too, except where no search was made."""
    seeds = np.repeat(np.array(shard.seeds, object), shard.records)
    for name, most in {"win": 1, "lead": 1, "score": np.inf}.items():
        found, final = getattr(shard, name), getattr(shard, f"final_{name}")
        for values, of, right in (
            (found, seeds, np.isnan(found) | (np.abs(found) <= most)),
            (final, shard.seeds, (final >= 0) & (final <= most) & (final < np.inf)),
        ):
            if not right.all():
                row, seat = np.argwhere(~right)[0]
                upto = "1" if most == 1 else "no bound"
                raise shard.fault(f"damaged: {name} of seat {seat} is {values[row, seat]:g} in the "
                                  f"game of seed {of[row]}, expected 0 to {upto}")
