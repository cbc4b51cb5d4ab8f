"""`play --solo`: a game for one, par computed meanwhile, results kept."""

from __future__ import annotations

import datetime
import json
import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pavilion_ai.cli.common import note, the_game
from pavilion_ai.cli.program import DONE, FAILED, CommandError
from pavilion_ai.cli.recording import games_of_play, recording
from pavilion_ai.errors import RecordError
from pavilion_ai.files import replace_file
from pavilion_ai.solo import (
    LEVEL,
    MAX_SOLO_LEVEL,
    PERSON,
    RULE,
    Challenge,
    Par,
    par,
    score,
    seed_of_day,
)
from pavilion_ai.version import __version__

if TYPE_CHECKING:
    from pavilion_ai.play import Play
    from pavilion_ai.record import GameRecord

UNOFFICIAL = "a solo game is unofficial: no rulebook has rules for it"


def challenge_of(
    game: str | None, board: str | None, players: int | None, level: int | None, seed: int | None,
    daily: bool, rule: bool,
) -> Challenge:
    """Return the challenge that the options of `play` name."""
    from pavilion_ai.games import DEFAULT_GAME

    if daily and seed is not None:
        raise CommandError("--daily takes the seed of the day; leave out --seed")
    if rule and level is not None:
        raise CommandError("--rule and --level exclude each other; give one of them")
    if level is not None and level > MAX_SOLO_LEVEL:
        raise CommandError(f"--level {level}: a solo game is against a level from 1 to"
                           f" {MAX_SOLO_LEVEL}, whose moves depend on the seed alone")
    count, side = 2 if players is None else players, board or "coloured"
    the_game(game, side, count)
    if seed is None:
        seed = seed_of_day(datetime.date.today()) if daily else secrets.randbits(32)
    return Challenge(game or DEFAULT_GAME, side, count, RULE if rule else level or LEVEL, seed)


def play_solo(challenge: Challenge) -> int:
    """Play a solo game, or resume it; then compare it with par."""
    from pavilion_ai.cli.session import HUMAN, Session
    from pavilion_ai.cli.table import Table
    from pavilion_ai.play import Play

    path = str(_folder() / f"{challenge.kind}-{challenge.seed}.jsonl")
    seats = (HUMAN, *[challenge.rival] * (challenge.players - 1))
    note(f"{UNOFFICIAL}; seed {challenge.seed}")
    with recording(path) as recorder, _par_meanwhile(challenge) as waiting:
        earlier = games_of_play(recorder)
        if earlier and earlier[-1].reason != "unfinished":
            note("this challenge has been played; another seed, or none, plays another one")
            _tell(challenge, Play.of(earlier[-1]), waiting())
            return DONE
        if earlier:
            session = Session.resume(earlier[-1], seats)
            note(f"resuming after {len(earlier[-1].moves)} moves")
        else:
            session = Session(f"solo-{challenge.seed}", seats,
                              Play(challenge.start, seed=challenge.seed))
        session.solo = challenge
        code = Table(session, path, recorder, None, None).run()
        if session.play.is_over():
            _tell(challenge, session.play, waiting())
    return code


@contextmanager
def _par_meanwhile(challenge: Challenge) -> Iterator[Waiting]:
    """Compute par in the background, unless it is kept; yield what waits for it."""
    waiting = Waiting(challenge)
    try:
        yield waiting
    finally:
        waiting.stop()


class Waiting:
    """Par of a challenge, computed by a thread and kept in a file."""

    def __init__(self, challenge: Challenge) -> None:
        self._file = _par_file(challenge)
        self._found = kept_par(challenge)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._compute, args=(challenge,), daemon=True)
        if self._found is None:
            self._thread.start()

    def __call__(self) -> Par:
        """Return par; wait for it if it takes longer than the game."""
        if self._thread.is_alive():
            note("computing par ...")
        while self._thread.is_alive():
            self._thread.join(0.2)  # so that Ctrl-C is heard
        if self._found is None:
            raise CommandError("par could not be computed", FAILED)
        return self._found

    def stop(self) -> None:
        """End the computation; it starts anew the next time."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _compute(self, challenge: Challenge) -> None:
        found = par(challenge, stopped=self._stop.is_set)
        if found is not None:
            replace_file(self._file, json.dumps(
                {**asdict(found), "version": __version__}).encode())
            self._found = found


def kept_par(challenge: Challenge) -> Par | None:
    """Return the par that this version has computed and kept before, if any."""
    try:
        data = json.loads(_par_file(challenge).read_bytes())
        if data.pop("version") != __version__:
            return None
        return Par(**data)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _par_file(challenge: Challenge) -> Path:
    return _folder() / f"{challenge.kind}-{challenge.seed}.par.json"


def _folder() -> Path:
    from platformdirs import user_data_path

    folder = user_data_path("pavilion-ai", appauthor=False) / "solo"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror}") from None
    return folder


# -- results ---------------------------------------------------------------------------------


def _tell(challenge: Challenge, play: Play, level: Par) -> None:
    """Compare a finished game with par, and with the person's other games."""
    points, win = score(play)
    click.echo(f"par: {_points(level)}, won {100 * level.win:.0f} %"
               f" (the best agent in your place, {level.games} games)")
    click.echo(f"you: {points} points, {points - level.points:+.1f} to par;"
               f" {'won' if win == 1 else 'shared the victory' if win else 'lost'},"
               f" {100 * (win - level.win):+.0f} % to par")
    others = sorted(_differences(challenge), reverse=True)
    if len(others) > 1:
        click.echo(f"your games of this kind: {len(others)}, best {others[0]:+.1f} to par,"
                   f" mean {sum(others) / len(others):+.1f}")
    if (days := _streak(challenge)) > 1:
        click.echo(f"{days} days in a row")


def _points(level: Par) -> str:
    return f"{level.points:.1f} +-{level.points_error:.1f} points"


def _differences(challenge: Challenge) -> Iterator[float]:
    """Yield the difference to par of the person's finished games of this kind."""
    for file in _folder().glob(f"{challenge.kind}-*.jsonl"):
        record = _finished(file)
        if record is None:
            continue
        try:
            level = kept_par(Challenge.of(record))
        except RecordError:
            continue
        if level is not None:
            yield record.scores[PERSON] - level.points


def _finished(file: Path) -> GameRecord | None:
    """Return the game of a file if it is over."""
    from pavilion_ai.record import FINISHED, read_records

    try:
        record = next(iter(read_records(file)), None)
    except (OSError, RecordError):
        return None
    return record if record is not None and record.reason == FINISHED else None


def _streak(challenge: Challenge) -> int:
    """Return on how many days up to today the challenge of the day was finished."""
    day, days = datetime.date.today(), 0
    while True:
        file = _folder() / f"{challenge.kind}-{seed_of_day(day)}.jsonl"
        if not os.path.exists(file) or _finished(file) is None:
            return days
        days, day = days + 1, day - datetime.timedelta(days=1)


def verify_solo(path: str) -> int:
    """Check solo games: starts, draws, the levels' moves; compute par anew and print the table."""
    from pavilion_ai.record import FINISHED, read_records
    from pavilion_ai.solo import faults

    problems, games = [], 0
    for record in read_records(path):
        try:
            found = list(faults(record))
        except RecordError as error:
            problems.append(f"{path}: {error}")
            continue
        problems += [f"{path}: record {record.id}: {fault}" for fault in found]
        games += 1
        if found or record.reason != FINISHED:
            continue
        challenge = Challenge.of(record)
        level = par(challenge)
        assert level is not None  # nothing stops it
        points = record.scores[PERSON]
        click.echo(f"{challenge.kind} seed {challenge.seed}: {points} points, par"
                   f" {_points(level)}, {points - level.points:+.1f} to par")
    if problems:
        raise CommandError(problems, FAILED)
    if not games:
        raise CommandError(f"{path}: no games")
    return DONE
