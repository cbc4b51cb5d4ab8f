"""`play --solo`: a game for one, par computed meanwhile, results kept."""

from __future__ import annotations

import datetime
import re
import secrets
import threading
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from pavilion_ai.cli.exits import DONE, FAILED, CommandError
from pavilion_ai.cli.files import opened
from pavilion_ai.cli.options import the_variant
from pavilion_ai.cli.recording import games_of_play, recording
from pavilion_ai.cli.said import note, say
from pavilion_ai.errors import RecordError, file_fault, shown
from pavilion_ai.solo import (
    LEVEL,
    MAX_SOLO_LEVEL,
    PERSON,
    RULE,
    UNOFFICIAL,
    Challenge,
    Par,
    SoloGames,
    faults,
    finished,
    folder,
    outcome,
    points_of,
    read_tables,
    score,
    seed_of_day,
    table_of,
)
from pavilion_ai.solo import challenge as solo
from pavilion_ai.version import __version__
from pavilion_ai.wording import plural, signed

if TYPE_CHECKING:
    from pavilion_ai.record import GameRecord

MAX_TABLES = 1 << 20
"""Most bytes of a text with tables of solo games; one takes some 500."""
_RECORD = re.compile(r'^[^\S\n]*\{[^\S\n]*"', re.M)


def challenge_of(
    game: str | None, board: str | None, players: int | None, level: int | None, seed: int | None,
    daily: bool, rule: bool,
) -> Challenge:
    """Return the challenge that the options of `play` name."""
    if daily and seed is not None:
        raise CommandError("--daily takes the seed of the day; leave out --seed")
    if rule and level is not None:
        raise CommandError("--rule and --level exclude each other; give one of them")
    if level is not None and level > MAX_SOLO_LEVEL:
        raise CommandError(f"--level {level}: a solo game is against a level from 1 to"
                           f" {MAX_SOLO_LEVEL}, whose moves depend on the seed alone")
    rules, board, players = the_variant(game, board, players)
    if seed is None:
        seed = seed_of_day(datetime.date.today()) if daily else secrets.randbits(32)
    return Challenge(rules.name, board, players, RULE if rule else level or LEVEL, seed)


def play_solo(challenge: Challenge) -> int:
    """Play a solo game, or resume it; then compare it with par."""
    from pavilion_ai.cli.session import Session
    from pavilion_ai.cli.table import Table
    from pavilion_ai.play import Play

    games = _games()
    path = str(games.file(challenge))
    note(f"{UNOFFICIAL}; seed {challenge.seed}")
    over = games.finished(challenge)
    if over is not None:  # without the lock, for which its folder has to be written to
        note("this challenge has been played; another seed, or none, plays another one")
        with closing(Waiting(games, challenge)) as waiting:
            _tell(games, challenge, over, waiting())
        return DONE
    with recording(path) as recorder, closing(Waiting(games, challenge)) as waiting:
        earlier = games_of_play(recorder)
        games.check(challenge, earlier)
        if earlier:
            session = Session.resume(earlier[-1], challenge.seats)
            note(f"resuming after {plural(len(earlier[-1].moves), 'move')}"
                 f"{_by_another(_version_of(earlier[-1]))}")
        else:
            session = Session(challenge.name, challenge.seats,
                              Play(challenge.start, seed=challenge.seed))
        session.solo = challenge
        code = Table(session, path, recorder, None, None).run()
        if session.play.is_over():
            _tell(games, challenge, session.record(), waiting())
    return code


class Waiting:
    """Par of a challenge, computed by a thread and kept in a file, unless it is known."""

    def __init__(self, games: SoloGames, challenge: Challenge) -> None:
        self._found: Par | None = None
        self._not_kept: list[str] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._compute, args=(games, challenge), daemon=True)
        self._thread.start()

    def __call__(self) -> Par:
        """Return par; wait for it if it takes longer than the game."""
        self._thread.join(0.2)
        if self._thread.is_alive():
            note("computing par ...")
        while self._thread.is_alive():
            self._thread.join(0.2)  # so that Ctrl-C is heard
        if self._found is None:
            raise CommandError("par could not be computed", FAILED)
        for why in self._not_kept:
            note(f"par is not kept: {why}")
        return self._found

    def close(self) -> None:
        """End the computation; it starts anew the next time."""
        self._stop.set()
        self._thread.join()

    def _compute(self, games: SoloGames, challenge: Challenge) -> None:
        self._found = games.find_par(challenge, self._stop.is_set, self._not_kept.append)


def _games() -> SoloGames:
    path = folder()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(file_fault(path, error)) from None
    return SoloGames(path)


# -- results ---------------------------------------------------------------------------------


def _tell(games: SoloGames, challenge: Challenge, record: GameRecord, level: Par) -> None:
    """Compare a finished game with par and the person's other games; offer its table to copy."""
    from pavilion_ai.play import Play

    points, win = score(Play.of(record))
    say(f"par: {_points(level)}, won {100 * level.win:.0f} %"
        f" (the best agent in your place, {level.games} games)")
    say(f"you: {plural(points, 'point')}, {signed(points - level.points)} to par;"
        f" {outcome(win)}, {signed(100 * (win - level.win), 0)} % to par")
    standing = games.standing(challenge, datetime.date.today())
    if standing.games > 1 and standing.best is not None and standing.mean is not None:
        say(f"your games of this kind: {standing.games}, best {signed(standing.best)} to par,"
            f" mean {signed(standing.mean)}")
    if standing.streak > 1:
        say(f"{standing.streak} days in a row with the game of the day of this kind")
    say("\nTo copy; anybody can check it with `pavilion verify --solo FILE`:\n")
    say(table_of(record, level), nl=False)


def _points(level: Par) -> str:
    over = f" (standard error over searches of {level.games} lengths)" if level.points_error else ""
    return points_of(level) + over


# -- checking --------------------------------------------------------------------------------


def verify_solo(path: str) -> int:
    """Check solo games or their tables: starts, draws, the levels' moves; compute par anew."""
    from pavilion_ai.cli.few_of_each import first_of_each
    from pavilion_ai.match.verify import MOST_PROBLEMS

    with opened(path, "solo games") as (where, content):
        found = content.read(MAX_TABLES + 1)
    if found.removeprefix(BOM_UTF8).lstrip().startswith(b"{"):
        faults_found = _check_records(path)
    elif len(found) > MAX_TABLES:
        raise CommandError(f"{where}: more than {MAX_TABLES} bytes, no tables of solo games")
    else:
        faults_found = _check_tables(path, found)
    problems = list(islice(faults_found, MOST_PROBLEMS))
    if problems:
        more = sum(1 for _ in faults_found)
        raise CommandError(first_of_each(path, problems, more), FAILED)
    return DONE


def _version_of(record: GameRecord) -> str:
    """Return the version whose agents sit against the person; empty if it is not known."""
    version: str = record.agents[-1].get("version", "")
    return version


def _by_another(version: str) -> str:
    """Say that another version played a game, whose agents may play otherwise."""
    if version in ("", __version__):
        return ""
    return f"; played with version {shown(version)}, this is {__version__}"


def _check_records(path: str) -> Iterator[str]:
    from pavilion_ai.record import FINISHED, read_records

    games, par_of = 0, cache(_par)
    try:
        for record in read_records(path):
            games += 1
            other = _by_another(_version_of(record))
            try:
                found = list(faults(record))
            except RecordError as error:
                yield f"{path}: {error}"
                continue
            yield from (f"{path}: record {shown(record.id)}: {fault}{other}" for fault in found)
            if found:
                continue
            challenge = Challenge.of(record)
            if record.reason == FINISHED:
                _verified(challenge, record.scores[PERSON], par_of(challenge))
            else:
                say(f"{challenge.kind} seed {challenge.seed}: {plural(len(record.moves), 'move')},"
                    " not finished")
    except RecordError as error:  # a line that is not a record: nothing behind it is read
        yield str(error)
        return
    if not games:
        yield f"{path}: no games"


def _check_tables(path: str, content: bytes) -> Iterator[str]:
    text = content.decode("utf-8", "replace")
    tables, par_of, record = 0, cache(_par), _RECORD.search(text)
    if record is not None:
        line = 1 + text.count("\n", 0, record.start())
        yield (f"{path}: line {line}: found a game record below other text, expected it in a file"
               " of its own")
    try:
        for tables, table in enumerate(read_tables(text), 1):
            other = _by_another(table.version)
            try:
                points, win = finished(table)
            except RecordError as error:
                yield f"{path}: table {tables}: {error}{other}"
                continue
            level = par_of(table.challenge)
            found = list(table.faults(points, win, level))
            yield from (f"{path}: table {tables}: {fault}{other}" for fault in found)
            if not found:
                _verified(table.challenge, points, level)
    except RecordError as error:
        yield f"{path}: {error}"
        return
    if not tables and record is None:
        yield f"{path}: found neither game records nor the table of a solo game"


def _par(challenge: Challenge) -> Par:
    """Compute par anew."""
    level = solo.par(challenge)
    assert level is not None  # nothing stops it
    return level


def _verified(challenge: Challenge, points: int, level: Par) -> None:
    say(f"{challenge.kind} seed {challenge.seed}: {plural(points, 'point')}, par"
        f" {_points(level)}, {signed(points - level.points)} to par")
