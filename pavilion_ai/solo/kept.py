"""Solo games that are kept, and their pars: one file each in a folder; best results and streaks."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pavilion_ai.errors import RecordError
from pavilion_ai.files import replace_file
from pavilion_ai.record import FINISHED, GameRecord, read_records
from pavilion_ai.solo import challenge as solo
from pavilion_ai.solo.challenge import PERSON, Challenge, Par, seed_of_day
from pavilion_ai.version import __version__

__all__ = ["SoloGames", "Standing", "folder"]


@dataclass(frozen=True)
class Standing:
    """What a person has reached in the challenges of one kind.

    Attributes:
        games: finished games whose par is known.
        best: their best difference to par in points, None without any.
        mean: their mean difference to par.
        streak: on how many days up to today the challenge of the day was finished; up to yesterday
            if that of today is still to be played.
    """

    games: int
    best: float | None
    mean: float | None
    streak: int


def folder() -> Path:
    """Return where solo games are kept: in the user's data folder."""
    from platformdirs import user_data_path

    return user_data_path("pavilion-ai", appauthor=False) / "solo"


class SoloGames:
    """The solo games of a folder, which is made when something is kept."""

    def __init__(self, path: Path) -> None:
        self.folder = path

    def file(self, challenge: Challenge) -> Path:
        """Return the file of a challenge's game."""
        return self.folder / f"{challenge.kind}-{challenge.seed}.jsonl"

    def game(self, challenge: Challenge) -> GameRecord | None:
        """Return the game of a challenge, as far as it was played."""
        return _last(self.file(challenge))

    def par(self, challenge: Challenge) -> Par | None:
        """Return the par that this version has computed and kept before, if any."""
        try:
            data = json.loads(self._par_file(challenge).read_bytes())
            if data.pop("version") != __version__:
                return None
            return Par(**data)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def find_par(self, challenge: Challenge, stopped: Callable[[], bool]) -> Par | None:
        """Return par; compute and keep it if it is not known. None if it was stopped.

        Raises:
            OSError: it cannot be kept.
        """
        found = self.par(challenge)
        if found is None:
            found = solo.par(challenge, stopped=stopped)
            if found is not None:
                self.folder.mkdir(parents=True, exist_ok=True)
                replace_file(self._par_file(challenge), json.dumps(
                    {**asdict(found), "version": __version__}).encode())
        return found

    def standing(self, challenge: Challenge, today: datetime.date) -> Standing:
        """Return what has been reached in the challenges of this kind."""
        found = list(self._differences(challenge))
        return Standing(
            games=len(found), best=max(found, default=None),
            mean=sum(found) / len(found) if found else None, streak=self._streak(challenge, today))

    def _differences(self, challenge: Challenge) -> Iterator[float]:
        for file in self.folder.glob(f"{challenge.kind}-*.jsonl"):
            record = _last(file)
            if record is None or record.reason != FINISHED:
                continue
            try:
                level = self.par(Challenge.of(record))
            except RecordError:
                continue
            if level is not None:
                yield record.scores[PERSON] - level.points

    def _streak(self, challenge: Challenge, today: datetime.date) -> int:
        day, days = today, 0
        if not self._finished(challenge, day):
            day -= datetime.timedelta(days=1)
        while self._finished(challenge, day):
            days, day = days + 1, day - datetime.timedelta(days=1)
        return days

    def _finished(self, challenge: Challenge, day: datetime.date) -> bool:
        record = _last(self.folder / f"{challenge.kind}-{seed_of_day(day)}.jsonl")
        return record is not None and record.reason == FINISHED

    def _par_file(self, challenge: Challenge) -> Path:
        return self.folder / f"{challenge.kind}-{challenge.seed}.par.json"


def _last(file: Path) -> GameRecord | None:
    """Return the game of a file."""
    try:
        return next(iter(read_records(file)), None)
    except (OSError, RecordError):
        return None
