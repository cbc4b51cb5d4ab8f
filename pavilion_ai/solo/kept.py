"""Solo games that are kept, and their pars: one file each in a folder; best results and streaks."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pavilion_ai.errors import RecordError, file_fault
from pavilion_ai.files import replace_file, user_folder
from pavilion_ai.record import FINISHED, GameRecord, read_records
from pavilion_ai.solo import challenge as solo
from pavilion_ai.solo.challenge import PERSON, Challenge, Par, seed_of_day
from pavilion_ai.untrusted import Node, refusal, strict_json
from pavilion_ai.version import __version__

MAX_PAR = 10_000  # bytes that are read of a file with a par


@dataclass(frozen=True)
class Standing:
    """What a person has reached in the challenges of one kind.

    Attributes:
        games: finished games whose par is known.
        best: their best difference to par in points, None without any.
        mean: their mean difference to par.
        streak: days up to today on which the challenge of the day was finished; up to yesterday
            if that of today is still to be played.
    """

    games: int
    best: float | None
    mean: float | None
    streak: int


def folder() -> Path:
    """Return where solo games are kept: in the user's data folder."""
    return user_folder("solo")


class SoloGames:
    """The solo games of a folder, which is made when something is kept."""

    def __init__(self, path: Path) -> None:
        self.folder = path

    def file(self, challenge: Challenge) -> Path:
        """Return the file of a challenge's game."""
        return self.folder / _name(challenge, challenge.seed)

    def game(self, challenge: Challenge) -> GameRecord | None:
        """Return the game of a challenge, as far as it was played."""
        return _last(self.file(challenge))

    def finished(self, challenge: Challenge) -> GameRecord | None:
        """Return the game of a challenge if it is over."""
        return _finished(self.file(challenge))

    def check(self, challenge: Challenge, games: Iterable[GameRecord]) -> None:
        """Check that the games in the file of a challenge are of it.

        Raises:
            RecordError: one is not, as in a file that was renamed or copied.
        """
        file = self.file(challenge)
        for game in games:
            found = _challenge_of(game)
            if found != challenge:
                held = "another game" if found is None else f"{found.kind} seed {found.seed}"
                raise RecordError(f"{file}: holds {held}, expected {challenge.kind} seed"
                                  f" {challenge.seed}; rename or remove the file")

    def par(self, challenge: Challenge, version: str | None = __version__) -> Par | None:
        """Return the par that a version has computed and kept before, if any.

        Args:
            version: the version, by default this one; None for the one that kept it last.
        """
        try:
            with open(self._par_file(challenge), "rb") as file:
                kept = Node(strict_json(file.read(MAX_PAR).decode()), "", refusal(ValueError))
            if version not in (None, kept["version"].value):
                return None
            numbers = {name: kept[name].real(-1e6, 1e6) for name in
                       ("points", "points_error", "win", "win_error")}
            return Par(**numbers, games=kept["games"].whole(1, 10**6))
        except (OSError, ValueError):
            return None

    def find_par(
        self, challenge: Challenge, stopped: Callable[[], bool],
        not_kept: Callable[[str], None] = lambda why: None,
    ) -> Par | None:
        """Return par; compute and keep it if it is not known. None if it was stopped.

        Args:
            stopped: asked again and again whether to give up.
            not_kept: called with file and reason if it cannot be kept; it is returned all the same.
        """
        found = self.par(challenge)
        if found is None:
            found = solo.par(challenge, stopped=stopped)
            if found is not None:
                file = self._par_file(challenge)
                try:
                    self.folder.mkdir(parents=True, exist_ok=True)
                    replace_file(file, json.dumps(
                        {**asdict(found), "version": __version__}).encode())
                except OSError as error:
                    not_kept(file_fault(file, error))
        return found

    def standing(self, challenge: Challenge, today: datetime.date) -> Standing:
        """Return what has been reached in the challenges of this kind."""
        found = list(self._differences(challenge))
        return Standing(
            games=len(found), best=max(found, default=None),
            mean=sum(found) / len(found) if found else None, streak=self._streak(challenge, today))

    def _differences(self, challenge: Challenge) -> Iterator[float]:
        for file in self.folder.glob(_name(challenge, "*")):
            record = _finished(file)
            level = None if record is None else self.par(Challenge.of(record), None)
            if record is not None and level is not None:
                yield record.scores[PERSON] - level.points

    def _streak(self, challenge: Challenge, today: datetime.date) -> int:
        def done(day: datetime.date) -> bool:
            return self.finished(replace(challenge, seed=seed_of_day(day))) is not None

        day, days = today, 0
        if not done(day):
            day -= datetime.timedelta(days=1)
        while done(day):
            days, day = days + 1, day - datetime.timedelta(days=1)
        return days

    def _par_file(self, challenge: Challenge) -> Path:
        return self.file(challenge).with_suffix(".par.json")


def _name(challenge: Challenge, seed: int | str) -> str:
    """Return the name of the file of a game of this kind; with `*` as the seed, of all."""
    return f"{challenge.kind}-{seed}.jsonl"


def _finished(file: Path) -> GameRecord | None:
    """Return the game of a file if it is over."""
    record = _last(file)
    return None if record is None or record.reason != FINISHED else record


def _last(file: Path) -> GameRecord | None:
    """Return the game of a file, if it is of the challenge that its name says."""
    try:
        record = next(iter(read_records(file)), None)
    except (OSError, RecordError):
        return None
    challenge = None if record is None else _challenge_of(record)
    return record if challenge and _name(challenge, challenge.seed) == file.name else None


def _challenge_of(record: GameRecord) -> Challenge | None:
    """Return the challenge of a record, None if it has none."""
    try:
        return Challenge.of(record)
    except RecordError:
        return None
