"""Reading logs and pages of Board Game Arena for all commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pavilion_ai.cli.exits import CommandError
from pavilion_ai.cli.files import content_of, decoded, problem_lines
from pavilion_ai.cli.said import note
from pavilion_ai.encoded import EncodingFault, Room
from pavilion_ai.zipped import files_in

if TYPE_CHECKING:
    from pavilion_ai.bga import Imported, Outcome
    from pavilion_ai.record import GameRecord

MAX_PAGE_BYTES = 16 << 20  # a saved page takes about 1 MB
MAX_ZIP_BYTES = 64 << 20
"""Most bytes that the pages of an archive may have together."""
PAGE = "a page or a log of a game"


def read_files(
    paths: Sequence[str], names: bool, together: bool = False
) -> tuple[list[Outcome], list[str]]:
    """Read files and print the notes on them; return the results, and the problems.

    Args:
        together: whether who plays is said once for all games, elsewhere.
    """
    from pavilion_ai.bga import read_files as read
    from pavilion_ai.errors import PavilionError, PositionError

    texts: list[tuple[str, str]] = []
    problems: list[str] = []
    for path in dict.fromkeys(paths):
        try:
            where, content = content_of(path, PAGE, MAX_PAGE_BYTES)
            files = _files_in(where, content)
        except CommandError as error:
            problems += error.lines
            continue
        room = Room(MAX_ZIP_BYTES)
        for name, one in files:
            try:
                texts.append((name, decoded(name, one, PAGE, MAX_PAGE_BYTES, page=True,
                                            room=room)))
            except CommandError as error:
                problems += error.lines
    outcomes = []
    for outcome in read(texts, names=names):
        if isinstance(outcome.found, PositionError):
            problems += problem_lines(outcome.name, outcome.found.problems)
        elif isinstance(outcome.found, PavilionError):
            problems.append(f"{outcome.name}: {outcome.found}")
        else:
            outcomes.append(outcome)
    numbered = together and sum(map(is_game, outcomes)) > 1
    for outcome in outcomes:
        prefix = f"{outcome.name}: " if len(outcomes) > 1 else ""
        several = numbered and is_game(outcome)
        for message in (outcome.found.remarks if several  # type: ignore[union-attr]
                        else outcome.found.notes):  # type: ignore[union-attr]
            note(prefix + message)
    return outcomes, problems


def _files_in(where: str, content: bytes) -> list[tuple[str, bytes]]:
    """Return the files of an archive; or the content itself if it is not one."""
    if len(content) > MAX_PAGE_BYTES:
        return [(where, content)]  # which the reader refuses
    try:
        return files_in(where, content, MAX_ZIP_BYTES)
    except EncodingFault as error:
        raise CommandError(f"{where}: {error}") from None


def is_game(outcome: Outcome) -> bool:
    """Tell whether a game was read rather than a position."""
    from pavilion_ai.bga import Imported

    return isinstance(outcome.found, Imported)


def games_of_logs(paths: Sequence[str], names: bool) -> list[GameRecord]:
    """Read the games of logs for a review; players are numbered unless names are requested.

    Raises:
        CommandError: no game can be read.
    """
    from pavilion_ai.bga import numbered

    outcomes, problems = read_files(paths, names, together=True)
    problems += [f"{one.name}: is the page of a table, not the log of a game; `pavilion import bga`"
                 " converts it to a position" for one in outcomes if not is_game(one)]
    games: list[Imported] = [one.found for one in outcomes if is_game(one)]  # type: ignore[misc]
    if not games:
        raise CommandError(problems)
    for problem in problems:
        note(f"left out: {problem}")
    if names:
        return [game.record for game in games]
    records, told = numbered(games)
    for line in told:
        note(line)
    return records


def is_one(one: GameRecord, other: GameRecord) -> bool:
    """Tell whether two records are of one game, of which one may be saved before its end."""
    from pavilion_ai.record import UNFINISHED

    shorter, longer = sorted((one, other), key=lambda game: len(game.moves))
    if shorter.reason != UNFINISHED:
        return (shorter.start, shorter.moves) == (longer.start, longer.moves)
    return begins(shorter, longer) or _nearly_begins(shorter, longer)


def begins(known: GameRecord, game: GameRecord) -> bool:
    """Tell whether a game has the opening of another and begins with all its moves."""
    return known.start == game.start and known.moves == game.moves[:len(known.moves)]


def _nearly_begins(known: GameRecord, game: GameRecord) -> bool:
    """Tell whether a game of people begins as another but for its last turn and its boards.

    That turn may have been taken back, and the side of the boards may have been guessed.
    """
    from pavilion_ai.play import HUMAN

    start: Any = known.start
    other: Any = game.start
    turn = 2 if known.moves[-1:] and known.moves[-1].startswith("bonus:") else 1
    certain = known.moves[:-turn]
    return (all(agent.get("spec") == HUMAN for agent in known.agents) and start.game == other.game
            and replace(start, board=other.board) == other
            and certain == game.moves[:len(certain)])
