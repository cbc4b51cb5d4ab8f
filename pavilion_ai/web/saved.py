"""Games of the page, kept as records in a folder: one file for each game, written as a whole."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pavilion_ai.bounds import MAX_SEED
from pavilion_ai.errors import PavilionError, RecordError, harmless, reason_of, shown
from pavilion_ai.files import LockedFile, dated, replace_file
from pavilion_ai.notation import parse_position
from pavilion_ai.play import Play, push_each
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.actions import Answer
from pavilion_ai.protocol.fields import Request
from pavilion_ai.record import RESIGNED, UNFINISHED, GameRecord, entries_in, lost
from pavilion_ai.version import __version__

LOCK = ".lock"
"""File in the folder that is locked while a game there is replaced or removed."""
LOCK_SECONDS = 5.0
"""Seconds to wait for another server that writes there; a busy disk lets one take its time."""
MAX_GAMES = 2000
UNTOUCHED_BYTES = 4000
"""A game without moves is shorter; longer files need not be read to know that they have some."""
LISTED = 50  # games that the page offers, the newest first
MAX_MOVES = 5000
MAX_SPEC = 200  # characters of who has a seat
KEYS = {
    "save": frozenset({"game", "agents", "start", "moves", "seed", "resigned", "seconds",
                       "stamp"}),
    "saved": frozenset[str](),
    "open": frozenset({"game"}),
    "remove": frozenset({"game"}),
}
"""What the actions read, by name."""
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class SavedGames:
    """The folder of saved games.

    Args:
        folder: made when the first game is saved.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def actions(self) -> Mapping[str, Callable[[Request], Answer]]:
        """Return the actions of one socket, by name."""
        known = _LastGame()
        return {
            "save": lambda request: self._save(request, known),
            "saved": self._list,
            "open": self._open,
            "remove": self._remove,
        }

    def _save(self, request: Request, known: _LastGame) -> Answer:
        """Save a game as it stands; the same `game` again replaces it.

        With the `stamp` of what is replaced, as the last `save` or `open` answered it, "" for a
        new game: one that continued elsewhere since then is not replaced. `anew` is true if it was
        removed since then.
        """
        name = self._id(request)
        specs = fields.strings(request, "agents")
        moves = moves_of(request)
        seed = fields.number(request, "seed", 0, MAX_SEED, 0)
        play = known.replayed(request.get("start"), moves, seed)
        players = play.start.players
        if len(specs) != players or any(len(spec) > MAX_SPEC for spec in specs):
            raise fields.refused(request, "agents", f"a spec for each of {players} seats")
        gave_up = fields.optional_number(request, "resigned", 0, players - 1)
        record = play.record([{"spec": spec, "version": __version__} for spec in specs], id=name,
                             seconds=fields.times(request, "seconds", players))
        if gave_up is not None:
            record = lost(record, gave_up, f" {RESIGNED}")
        path = self._folder / f"{name}.jsonl"
        content = json.dumps(record.to_json()).encode() + b"\n"
        try:
            with self._alone():
                check_room(path, "game", self._make_room)
                check_stamp(request, path, record)
                gone = bool(request.get("stamp")) and not path.exists()
                replace_file(path, content)
        except OSError as error:
            raise fields.BadRequest(f"cannot save: {reason_of(error)}", "") from None
        return {"saved": name, "stamp": _stamp_of(content), **({"anew": True} if gone else {})}

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other writers out, of this server and of others, from a check to what it allows.

        Raises:
            BadRequest: another server does not end; OSError: the folder cannot be made.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._writing, LockedFile(self._folder / LOCK, "a") as lock:
            if not lock.lock(LOCK_SECONDS):
                raise fields.BadRequest("another server is changing the saved games: try again", "")
            yield

    def _list(self, request: Request) -> Answer:
        """List the saved games in which somebody has moved or given up, the newest first."""
        found: list[dict[str, object]] = []
        for changed, path in reversed(dated(self._folder, "*.jsonl")):
            if len(found) == LISTED:
                break
            if not _ID.fullmatch(path.stem):
                continue  # it cannot be opened
            try:
                record = _read(path)
            except (OSError, PavilionError):
                continue  # no game of ours
            if _is_untouched(record):
                continue
            found.append({
                "id": path.stem,
                "game": record.game,
                "board": record.start.board,
                "agents": [agent.get("spec", "") for agent in record.agents],
                "moves": len(record.moves),
                "scores": list(record.scores),
                "winners": list(record.winners),
                "reason": record.reason,
                "time": changed,
            })
        return {"games": found}

    def _make_room(self) -> bool:
        """Remove the oldest game in which nobody has moved; return whether there was one.

        Every new game is one, also that of a browser's first visit. Who moves in it after all
        saves it anew.
        """
        for _, path in dated(self._folder, "*.jsonl"):
            with suppress(OSError, PavilionError):  # no game of ours
                if path.stat().st_size < UNTOUCHED_BYTES and _is_untouched(_read(path)):
                    path.unlink()
                    return True
        return False

    def _open(self, request: Request) -> Answer:
        """Return the record of a saved game, and its stamp."""
        path = self._folder / f"{self._id(request)}.jsonl"
        try:
            stamp = stamp_of(path)  # first: what is written meanwhile is newer
            return {"record": _read(path).to_json(), "stamp": stamp}
        except OSError:
            raise fields.refused(request, "game", "the name of a saved game") from None
        except PavilionError as error:
            raise fields.BadRequest(f"game: {error}", "game") from None

    def _remove(self, request: Request) -> Answer:
        """Remove a saved game for ever."""
        name = self._id(request)
        try:
            with self._alone():
                (self._folder / f"{name}.jsonl").unlink()
        except FileNotFoundError:
            raise fields.refused(request, "game", "the name of a saved game") from None
        except OSError as error:
            raise fields.BadRequest(f"cannot remove it: {reason_of(error)}", "game") from None
        return {"removed": name}

    def _id(self, request: Request) -> str:
        name = fields.string(request, "game", "")
        if not _ID.fullmatch(name):
            raise fields.refused(
                request, "game", "a name of at most 40 small letters, digits and hyphens")
        return name


class _LastGame:
    """The game that a socket saved last: of one that grows, only the new moves are played."""

    def __init__(self) -> None:
        self._source: Any = None
        self._play: Play | None = None

    def replayed(self, source: Any, moves: list[str], seed: int) -> Play:
        """Return the play of a game.

        Raises:
            BadRequest: there is no start; PositionError: it is unsound; MoveError: a move is
                illegal.
        """
        if not isinstance(source, (str, dict)):
            raise fields.BadRequest(f"start: found {shown(source)}, expected a position", "start")
        play = self._play
        if (play is None or source != self._source or play.seed != seed
                or list(play.moves) != moves[: len(play.moves)]):
            play = Play(parse_position(source).position, seed=seed)
        first = len(play.moves)
        push_each(play, moves[first:], first + 1)
        self._source, self._play = source, play
        return play


def moves_of(request: Request) -> list[str]:
    """Return the moves of a game that is to be kept."""
    moves = fields.strings(request, "moves")
    if len(moves) > MAX_MOVES:
        raise fields.refused(request, "moves", f"at most {MAX_MOVES}")
    return moves


def check_room(path: Path, key: str, make_room: Callable[[], bool] = lambda: False) -> None:
    """Refuse a new game in a folder that is full.

    Args:
        path: file of the game.
        key: key of the request, which names the game; "" for none.
        make_room: tells whether it has removed a game.
    """
    if (not path.exists() and sum(1 for _ in path.parent.glob("*.jsonl")) >= MAX_GAMES
            and not make_room()):
        raise fields.BadRequest(f"{MAX_GAMES} games are saved already; remove some from the folder"
                                f" {harmless(str(path.parent))}", key)


def check_stamp(request: Request, path: Path, record: GameRecord) -> None:
    """Refuse to replace a game that continued elsewhere, unless nothing is lost by it.

    Args:
        request: has the `stamp` of what is to be replaced, "" of nothing; without one there is no
            check.
        path: file of the game.
        record: record of the game as it is to be kept.

    Raises:
        OSError: the file cannot be read.
    """
    if ("stamp" in request and fields.string(request, "stamp", "") != stamp_of(path)
            and not _holds(record, path)):
        raise fields.BadRequest("this game was continued elsewhere", "stamp")


def stamp_of(path: Path) -> str:
    """Return what tells a saved game from the same one as it was before; "" if there is none."""
    try:
        return _stamp_of(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _stamp_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]


def _holds(record: GameRecord, path: Path) -> bool:
    """Tell whether nothing of a saved game is lost if a record replaces it."""
    try:
        saved = _read(path)
    except (OSError, PavilionError):
        return True  # no game
    return (saved.moves == record.moves[:len(saved.moves)]
            and saved.reason in (UNFINISHED, record.reason))


def _is_untouched(record: GameRecord) -> bool:
    """Tell whether nobody has moved or given up."""
    return not record.moves and record.reason == UNFINISHED


def _read(path: Path) -> GameRecord:
    """Return the game of a file.

    Raises:
        RecordError: there is none; OSError: the file cannot be read.
    """
    with open(path, "rb") as file:
        entry = next(entries_in(file, path.name), None)
    if entry is None:
        raise RecordError(f"{path.name}: holds no game")
    if entry.record is None:
        raise RecordError(entry.problem)
    return entry.record
