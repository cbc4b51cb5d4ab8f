"""Data sets for supervised learning: decisions of recorded games or of self-play, as arrays.

A data set is a folder of files `000000.npz`, `000001.npz` ..., each with the decisions of some
games, and `dataset.json`, which says of which variant and origin they are. docs/environments.md
describes the arrays.
"""

from __future__ import annotations

import io
import json
import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from pavilion_ai.agents import Agent, as_agent, make_agent, read_networks
from pavilion_ai.analysis import MoveStats, uninterrupted
from pavilion_ai.bounds import MAX_GAMES, MAX_SECONDS, Range
from pavilion_ai.envs import observations
from pavilion_ai.envs.actions import Array, action_mask, action_of, num_actions
from pavilion_ai.envs.rewards import final_rewards
from pavilion_ai.errors import PavilionError, RecordError, SpecError, named_agent, one_of, shown
from pavilion_ai.files import LockedFile, replace_file, sync, sync_folder
from pavilion_ai.games import DEFAULT_GAME, rules_for, whole_seed
from pavilion_ai.limits import Limits
from pavilion_ai.network import network_file
from pavilion_ai.notation import format_position
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord
from pavilion_ai.seeds import derived_seed
from pavilion_ai.spec import parse_spec
from pavilion_ai.untrusted import Node, refusal, strict_json
from pavilion_ai.version import __version__

__all__ = [
    "ARRAYS",
    "GAMES_PER_FILE",
    "Block",
    "Settings",
    "block_bytes",
    "games_in",
    "is_missing",
    "load",
    "network_of",
    "open_folder",
    "read_file",
    "self_play",
    "told_of_games",
    "version_of",
    "write_dataset",
    "write_file",
]

FORMATS = "pavilion-dataset-"
FORMAT = f"{FORMATS}1"
GAMES_PER_FILE = 64
ABOUT = "dataset.json"
MAX_ABOUT_BYTES = 1 << 20
MAX_ARRAY_BYTES = 1 << 30
"""Most bytes of a file, unpacked; 64 games take some 30 MB."""

ARRAYS = ("observation", "mask", "action", "policy", "win", "score", "seat", "game", "ply")
"""The arrays of a file, each with a row for every decision."""
_TEXTS = ("ids", "digests")
"""The arrays with a text for every game; files of version 0.5.0 and older lack the second one."""


@dataclass(frozen=True)
class Settings:
    """What the files of a data set have in common.

    Attributes:
        game, board, players: the variant.
        observation: kind of the observations.
        agent: spec of the agent in all seats; None for recorded games.
        sims, seconds: limits of its searches; None for those of the spec.
        seed: seed from which those of all games follow; None for recorded games.
        network: hash of the network file that the agent's spec names; None if it names none.
    """

    game: str
    board: str
    players: int
    observation: str = "counts"
    agent: str | None = None
    sims: int | None = None
    seconds: float | None = None
    seed: int | None = None
    network: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what `dataset.json` holds besides the version."""
        return {"format": FORMAT, **asdict(self), "games_per_file": GAMES_PER_FILE}


@dataclass(frozen=True)
class Block:
    """The games of one file.

    Attributes:
        settings: settings of the data set.
        number: number of the file.
        games: numbers of the games of self-play, or recorded games.
        places: file and line of each recorded game, for messages; empty if they are not known.
    """

    settings: Settings
    number: int
    games: tuple[int | GameRecord, ...]
    places: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the records, or the numbers as text."""
        return tuple(str(getattr(game, "id", game)) for game in self.games)

    @property
    def digests(self) -> tuple[str, ...]:
        """Digests of the start and moves of the records, as others have the same id; else ""."""
        return tuple(_digest(game) if isinstance(game, GameRecord) else "" for game in self.games)


def _digest(game: GameRecord) -> str:
    text = " ".join([format_position(game.start, "code"), *game.moves])
    return sha256(text.encode()).hexdigest()[:16]


def open_folder(path: Path, settings: Settings) -> LockedFile:
    """Begin a data set, or resume one; return the lock, which keeps other runs out until closed.

    Raises:
        PavilionError: the folder holds something else, or a data set of other settings, or another
            run writes there.
        OSError: it cannot be written.
    """
    about = path / ABOUT
    if not about.exists() and path.exists() and any(
            not _is_unfinished(file) for file in path.iterdir()):
        raise PavilionError(f"{path}: holds other files, expected an empty folder or a data set")
    path.mkdir(parents=True, exist_ok=True)
    lock = LockedFile(about, "r+", create=True)
    try:
        if not lock.lock():
            raise PavilionError(f"{path}: another run writes there")
        if about.stat().st_size:
            _check_settings(about, settings)
        else:  # made just now; one that replaced it could be locked by another run as well
            _begin(lock, settings)
            sync_folder(path)
    except BaseException:
        lock.close()
        raise
    return lock


def _begin(about: LockedFile, settings: Settings) -> None:
    """Write the description of a data set, all of it or nothing."""
    try:
        text = json.dumps({**settings.to_json(), "version": __version__}, indent=1)
        about.write_all(f"{text}\n".encode())
        sync(about.fileno())
    except BaseException:
        about.truncate(0)
        raise


def _check_settings(about: Path, settings: Settings) -> None:
    """Refuse a data set of other settings."""
    found = {"network": settings.network, **_read_about(about)}  # 0.5.0 and older did not tell it
    changed = [f"{key} {json.dumps(found.get(key))}, not {json.dumps(value)}"
               for key, value in settings.to_json().items() if found.get(key) != value]
    if changed:
        raise PavilionError(f"{about}: a data set of other settings: {'; '.join(changed)};"
                            " choose another folder")


def check_limit(agent: Agent, path: Path, where: str = "one of its own") -> None:
    """Refuse to begin a data set with an agent whose searches nothing limits; they would take 1 s.

    Args:
        path: folder of the data set; one that was begun so is resumed.
        where: where a limit may stand, in words.

    Raises:
        SpecError: the agent searches without a limit.
    """
    endless = agent.searches and agent.ranks and not agent.limited  # programs rank no moves
    if endless and not os.path.exists(path / ABOUT):
        raise SpecError(f"agent {shown(agent.spec)}: expected a limit for each decision: {where}")


def version_of(path: Path) -> str | None:
    """Return the version that began a data set; None for 0.5.0 and older."""
    version: str | None = _read_about(path / ABOUT).get("version")
    return version


def network_of(agent: str) -> str | None:
    """Return the hash of the network file that an agent's spec names, as it is now, if any.

    Raises:
        NetworkError: the file is missing or damaged.
    """
    file = parse_spec(agent).net_file
    return None if file is None else network_file(file).sha256


def games_in(path: Path) -> dict[int, tuple[str, ...]]:
    """Return the ids of the games in each file of a data set.

    Raises:
        PavilionError: a file is damaged.
    """
    return {number: ids for number, (ids, _) in told_of_games(path).items()}


def told_of_games(path: Path) -> dict[int, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the ids of the games in each file of a data set, and their digests; older files have
    no digests.

    Raises:
        PavilionError: a file is damaged.
    """
    names = ("ids", "digests")
    found = {int(file.stem): read_file(file, names) for file in _files(path)}
    return {number: (tuple(arrays["ids"].tolist()),
                     tuple(arrays["digests"].tolist()) if "digests" in arrays else ())
            for number, arrays in found.items()}


def is_missing(folder: Path, block: Block,
               there: Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]) -> bool:
    """Tell whether a block's file is missing, or lacks the last games.

    Args:
        there: as `told_of_games`.

    Raises:
        PavilionError: it holds other games.
    """
    if block.number not in there:
        return True
    for found, given in zip(there[block.number], (block.ids, block.digests), strict=True):
        if any(map(operator.ne, found, given)):
            raise PavilionError(
                f"{_name(folder, block.number)}: holds other games; choose another folder")
    return len(there[block.number][0]) < len(block.games)


def write_file(folder: Path, number: int, content: bytes) -> None:
    """Write a block's file, all of it or nothing. OSError: as `replace_file`."""
    replace_file(_name(folder, number), content)


def _name(folder: Path, number: int) -> Path:
    return folder / f"{number:06}.npz"


def self_play(settings: Settings, games: int) -> Iterator[Block]:
    """Yield the blocks of so many games of self-play, in order."""
    for number, first in enumerate(range(0, games, GAMES_PER_FILE)):
        yield Block(settings, number, tuple(range(first, min(games, first + GAMES_PER_FILE))))


def write_dataset(
    folder: str | Path,
    agent: Agent,
    *,
    game: str = DEFAULT_GAME,
    board: str = "coloured",
    players: int = 2,
    games: int = 1000,
    seed: int = 0,
    observation: str = "counts",
) -> None:
    """Write the decisions of games in which an agent plays all seats, as `pavilion dataset` does.

    It may be one of one's own; the visits of a `Guided` one are the policy. The games are played in
    this process. The same call resumes, also with more games. A data set is refused where spec,
    settings, or the `network` of the agent's `identity()` are others; other changes of the agent
    are not noticed.

    Args:
        folder: folder of the files; made if it is missing.
        agent: an agent with limits of its own.
        game, board, players: what is played.
        games: number of games.
        seed: seed from which all games follow.
        observation: one of `OBSERVATIONS`.

    Raises:
        SpecError: an argument is out of its range, or a new data set is to be of an agent that
            searches without a limit.
        IllegalMoveError: the agent chose a move that is not legal. EngineFault: an external engine
            failed. Both name agent, game and ply.
        PavilionError, OSError: as `open_folder`; or a file is damaged, or holds other games.
    """
    agent = as_agent(agent)
    rules = rules_for(game, board, players)
    one_of("observation", observation, observations.OBSERVATIONS)
    number = int(Range(int, 1, MAX_GAMES).checked("games", games))
    read_networks([agent], rules.new(board, players, seed=0))
    settings = Settings(game, board, int(players), observation, agent.spec, seed=whole_seed(seed),
                        network=agent.identity().get("network"))
    folder = Path(folder)
    check_limit(agent, folder)
    with open_folder(folder, settings):
        there = told_of_games(folder)
        for block in self_play(settings, number):
            if is_missing(folder, block, there):
                write_file(folder, block.number, _content(block, agent))


def block_bytes(block: Block) -> bytes:
    """Return the content of a block's file; self-play is done for it.

    Raises:
        PavilionError: the agent's network is another one by now.
        RecordError: a recorded game is wrong.
    """
    spec = block.settings.agent
    if spec is None:
        return _content(block)
    if block.settings.network not in (None, network_of(spec)):
        raise PavilionError(f"agent {shown(spec)}: its network file has been replaced")
    with make_agent(spec) as agent:
        return _content(block, agent)


def _content(block: Block, agent: Agent | None = None) -> bytes:
    """Return the content of a block's file; the agent plays the games of self-play."""
    rows: dict[str, list[Any]] = {name: [] for name in ARRAYS}
    policies: Mapping[int, Mapping[str, float]]
    for number, game in enumerate(block.games):
        if isinstance(game, GameRecord):
            play, policies = _replayed(game, *block.places[number:number + 1]), {}
        else:
            assert agent is not None  # numbers stand for games of self-play
            play, policies = _played(block.settings, agent, game)
        _add_game(rows, block.settings, play, policies, number)
    arrays: dict[str, Any] = {"ids": np.array(block.ids), "digests": np.array(block.digests),
                              **_typed(rows, block.settings)}
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    return out.getvalue()


def _replayed(game: GameRecord, place: str = "") -> Play:
    """Return the play of a recorded game; a fault is told with its place, if that is known."""
    try:
        play = Play.of(game)
        game.check_end(play.position)
    except RecordError as error:
        raise RecordError(f"{place}: {error}" if place else str(error)) from None
    return play


def _played(settings: Settings, agent: Agent, number: int
            ) -> tuple[Play, dict[int, Mapping[str, float]]]:
    """Play a game with one agent in all seats; return it with the visits of its searches by ply."""
    seed = derived_seed("dataset", settings.seed or 0, number)
    play = Play.new(settings.game, board=settings.board, players=settings.players, seed=seed)
    limits = None if settings.sims is None and settings.seconds is None else Limits(
        settings.sims, settings.seconds)
    policies: dict[int, Mapping[str, float]] = {}
    while not play.is_over():
        if play.turn is None:
            play.draw()
            continue
        ply = len(play.plies)
        decision = derived_seed("dataset", settings.seed or 0, number, ply)
        seen = play.copy(decision)
        with named_agent(f"agent {shown(agent.spec)}, game {number}, ply {ply}"):
            if agent.ranks:
                found = uninterrupted(agent.analyse(seen, limits, seed=decision))
                favourite = max(found.moves, key=lambda move: move.visits)
                if not _is_better(found.best, favourite):
                    policies[ply] = {move.move: float(move.visits) for move in found.moves}
                play.push(found.best.move)
            else:
                play.push(agent.choose(seen, limits, seed=decision))
    return play, policies


def _is_better(played: MoveStats, favourite: MoveStats) -> bool:
    """Tell whether the move played is certainly better than the one that was visited most."""
    one, other = ((round(move.win_prob, 9), round(move.score_lead, 9))
                  for move in (played, favourite))
    return played.exact and favourite.exact and one > other


def _add_game(rows: dict[str, list[Any]], settings: Settings, play: Play,
              policies: Mapping[int, Mapping[str, float]], number: int) -> None:
    """Add the decisions of a finished game."""
    shares, scores = final_rewards(play, "win"), play.scores()
    again = Play(play.start)
    for index, ply in enumerate(play.plies):
        seat = again.turn
        if seat is not None:
            action = action_of(again, ply.move)
            policy = np.zeros(num_actions(settings.game, settings.board, settings.players),
                              np.float32)
            visits = policies.get(index) or {ply.move: 1.0}
            for move, count in visits.items():
                if count:
                    policy[action_of(again, move)] = count / sum(visits.values())
            order = [(seat + later) % settings.players for later in range(settings.players)]
            rows["observation"].append(observations.observe(again, seat, settings.observation))
            rows["mask"].append(action_mask(again))
            rows["action"].append(action)
            rows["policy"].append(policy)
            rows["win"].append([shares[other] for other in order])
            rows["score"].append([scores[other] for other in order])
            rows["seat"].append(seat)
            rows["game"].append(number)
            rows["ply"].append(index)
        again.push(ply.move)


def _typed(rows: Mapping[str, Sequence[Any]], settings: Settings) -> dict[str, Array]:
    types = {"observation": observations.DTYPES[settings.observation], "mask": np.bool_,
             "action": np.int32, "policy": np.float16, "win": np.float32, "score": np.int32,
             "seat": np.int8, "game": np.int16, "ply": np.int16}
    return {name: np.array(rows[name], kind) for name, kind in types.items()}


def _read_about(path: Path) -> Mapping[str, Any]:
    """Return what `dataset.json` holds, each value of its type.

    Raises:
        PavilionError: it describes no data set of this format, or a value is of another type.
    """
    try:
        with open(path, "rb") as file:
            found = strict_json(file.read(MAX_ABOUT_BYTES).decode())
    except ValueError:
        found = None
    if not isinstance(found, Mapping) or not str(found.get("format")).startswith(FORMATS):
        raise PavilionError(f"{path}: not the description of a data set")
    if found["format"] != FORMAT:
        raise PavilionError(f"{path}: format {shown(found['format'])}, expected {shown(FORMAT)};"
                            " another version of the program made this data set")
    node = Node(found, "", refusal(PavilionError, os.fspath(path)))
    for key in ("game", "board", "observation"):
        node[key].text()
    for key in ("agent", "network", "version"):
        if key in node:
            node[key].text()
    for key in ("players", "games_per_file"):
        node[key].whole(1)
    for key in ("sims", "seed"):
        if key in node:
            node[key].whole()
    if "seconds" in node:
        node["seconds"].real(0, MAX_SECONDS)
    return found


def _is_unfinished(file: Path) -> bool:
    """Tell whether a file is what a run that was killed left of one."""
    return file.name.startswith(".") and file.suffix == ".tmp"


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.glob("*.npz") if file.stem.isdecimal())


def read_file(path: Path, names: Iterable[str] = (*ARRAYS, "ids")) -> dict[str, Array]:
    """Return arrays of a file of a data set.

    Raises:
        PavilionError: it is damaged, or no such file.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            if sum(member.file_size for member in file.zip.infolist()) > MAX_ARRAY_BYTES:
                raise ValueError(f"arrays of more than {MAX_ARRAY_BYTES} bytes")
            arrays: dict[str, Array] = {name: file[name] for name in names
                                        if name != "digests" or name in file}
        for name, array in arrays.items():
            if array.ndim == 0 or (name in _TEXTS and (array.ndim, array.dtype.kind) != (1, "U")):
                raise ValueError(f"{name}: of shape {array.shape} and type {array.dtype}")
        return arrays
    except (OSError, ValueError, KeyError, EOFError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise PavilionError(f"{path}: damaged, or not a file of a data set ({error})") from None
    except Exception as error:  # zipfile.BadZipFile and zlib.error are no ValueErrors
        raise PavilionError(f"{path}: damaged ({error})") from None


def load(folder: str | Path) -> Iterator[dict[str, Array]]:
    """Yield the arrays of a data set, file by file; see docs/environments.md.

    Raises:
        PavilionError: it is not a data set, or a file is damaged.
    """
    folder = Path(folder)
    if not (folder / ABOUT).exists():
        raise PavilionError(f"{folder}: no data set there")
    _read_about(folder / ABOUT)
    for file in _files(folder):
        yield read_file(file)
