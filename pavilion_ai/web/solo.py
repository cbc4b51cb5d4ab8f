"""The game for one on the page, with the draws, opponents and par of `pavilion play --solo`."""

from __future__ import annotations

import datetime
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from pavilion_ai.bounds import MAX_SEED
from pavilion_ai.errors import RecordError, reason_of
from pavilion_ai.notation import to_json
from pavilion_ai.play import Play
from pavilion_ai.protocol import fields
from pavilion_ai.protocol.actions import Answer, setting
from pavilion_ai.protocol.capacity import Capacity, give_way
from pavilion_ai.protocol.fields import BadRequest, Request
from pavilion_ai.record import FINISHED, GameRecord, Recorder
from pavilion_ai.solo import (
    LEVEL,
    MAX_SOLO_LEVEL,
    PERSON,
    RULE,
    UNOFFICIAL,
    Challenge,
    Par,
    SoloGames,
    due,
    followed,
    outcome,
    rivals_of,
    score,
    seed_of_day,
    table_of,
)
from pavilion_ai.version import __version__
from pavilion_ai.web.saved import check_room, check_stamp, moves_of, stamp_of
from pavilion_ai.web.waiting import taken

_CHALLENGE = frozenset({"game", "board", "players", "level", "seed"})
KEYS = {
    "solo": _CHALLENGE | {"daily"},
    "solo_move": _CHALLENGE | {"moves"},
    "solo_save": _CHALLENGE | {"moves", "stamp"},
    "solo_par": _CHALLENGE,
}
"""What the actions read, by name."""
ASIDE = frozenset({"solo_move", "solo_par"})
"""Actions that take a moment: others are answered meanwhile."""


class Solo:
    """The solo games of a server.

    Args:
        games: where they are kept.
        capacity: the opponents' searches share it with the others; par, which takes longer, is
            computed for one game at a time and gives way to everything.
    """

    def __init__(self, games: SoloGames, capacity: Capacity) -> None:
        self._games = games
        self._capacity = capacity
        self._pars = threading.Lock()
        self._writing = threading.Lock()

    def actions(self, closed: threading.Event) -> Mapping[str, Callable[[Request], Answer]]:
        """Return the actions of one socket, by name; `closed` ends what they compute.

        A later request for a par ends the earlier one: its game has left the table.
        """
        latest: list[Challenge] = []

        def par(request: Request) -> Answer:
            challenge = _challenge(request)
            latest[:] = [challenge]
            return self._par(challenge, lambda: closed.is_set() or latest != [challenge])

        return {
            "solo": self._open,
            "solo_move": lambda request: self._move(request, closed),
            "solo_save": self._save,
            "solo_par": par,
        }

    def _open(self, request: Request) -> Answer:
        """Begin a challenge, or resume it where it stands."""
        challenge = _challenge(request)
        stamp = ""
        with suppress(OSError):  # what cannot be read can be played, but not saved
            stamp = stamp_of(self._games.file(challenge))  # first: what is written later is newer
        record = self._games.game(challenge)
        return {
            **asdict(challenge), "kind": challenge.kind, "start": to_json(challenge.start),
            "moves": [] if record is None else list(record.moves),
            "record": None if record is None else record.to_json(), "stamp": stamp,
            "told": UNOFFICIAL,
        }

    def _move(self, request: Request, closed: threading.Event) -> Answer:
        """Return the draw or the opponent's move that is due, null if the person is to move."""
        challenge = _challenge(request)
        play = _played(request, challenge)
        if play.turn in (None, PERSON):
            return {"move": due(play, challenge, {})}
        rivals = rivals_of(challenge)
        if challenge.level == RULE:  # which does not search
            return {"move": due(play, challenge, rivals)}
        with self._capacity.room({"threads": 1}, closed, lambda _: None, closed):
            return {"move": due(play, challenge, rivals)}

    def _save(self, request: Request) -> Answer:
        """Keep the game as it stands, where the terminal keeps it too; `stamp` as for `save`."""
        challenge = _challenge(request)
        path = self._games.file(challenge)
        record = _record(challenge, _played(request, challenge))
        try:
            check_room(path, "")
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._writing, Recorder(path) as recorder:
                check_stamp(request, path, record)
                kept = recorder.read()
                self._games.check(challenge, kept)
                over = next((game for game in kept if game.reason == FINISHED), None)
                if over is None:
                    recorder.write(record, earlier=record)  # moves may have been taken back
                elif over.moves[:len(record.moves)] != record.moves:
                    raise BadRequest("moves: this game is over already, with other moves; a"
                                     " challenge is played once", "moves")
                return {"saved": challenge.kind, "stamp": stamp_of(path)}
        except OSError as error:
            raise BadRequest(f"cannot save: {reason_of(error)}", "") from None
        except RecordError as error:
            raise BadRequest(f"cannot save: {error}", "") from None

    def _par(self, challenge: Challenge, stopped: Callable[[], bool]) -> Answer:
        """Return par, and for a game that is over its result, its table and the standing."""
        if self._games.game(challenge) is None:
            raise BadRequest("save the game first: par is kept beside it", "seed")
        give_way()
        with taken(self._pars, stopped):
            level = self._games.find_par(challenge, stopped)
        if level is None:
            raise BadRequest(fields.STOPPED, "")
        record = self._games.finished(challenge)
        standing = self._games.standing(challenge, datetime.date.today())
        return {"par": asdict(level), "standing": asdict(standing),
                "result": None if record is None else _result(record, level)}


def _result(record: GameRecord, level: Par) -> dict[str, Any]:
    points, win = score(Play.of(record))
    return {"points": points, "outcome": outcome(win), "to_par": points - level.points,
            "win_to_par": win - level.win, "table": table_of(record, level)}


def _record(challenge: Challenge, play: Play) -> GameRecord:
    """Return the record of a game, as `pavilion play --solo` writes it."""
    return play.record([{"spec": spec, "version": __version__} for spec in challenge.seats],
                       id=challenge.name, extra=challenge.mark)


def _challenge(request: Request) -> Challenge:
    """Read what is to be played."""
    rules, board, players = setting(request)
    seed = fields.optional_number(request, "seed", 0, MAX_SEED)
    if fields.flag(request, "daily", False):
        if seed is not None:
            raise BadRequest("daily: takes the seed of the day; leave out seed", "daily")
        seed = seed_of_day(datetime.date.today())
    return Challenge(
        rules.name, board, players, fields.number(request, "level", RULE, MAX_SOLO_LEVEL, LEVEL),
        secrets.randbits(32) if seed is None else seed)


def _played(request: Request, challenge: Challenge) -> Play:
    """Return the play of a request's moves.

    Raises:
        BadRequest: there are too many, one is illegal, or a draw is not that of the challenge.
    """
    moves = moves_of(request)
    try:
        return followed(challenge, moves, {})  # the rivals' moves would take their time
    except RecordError as error:
        raise BadRequest(f"moves: {error}", "moves") from None
