"""What a log of base Azul says of the end of a round, compared with the game as replayed.

A single number that differs is a wrong number, and is noted. What cannot be true together with the
moves read so far stops the replay.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pavilion_ai.bga.azul import COLOURS
from pavilion_ai.bga.end import FINAL_SCORES, final_scores
from pavilion_ai.bga.log import Log, LogError, Note, by_player, child, listed
from pavilion_ai.bga.page import Node
from pavilion_ai.bga.replay import Replay, StoppedError
from pavilion_ai.bga.tiles import number_of, with_spaces
from pavilion_ai.position import AzulPosition, Position
from pavilion_ai.position.azul_board import PENALTIES, SIZE

EMPTY = "."
RUNS = ("rowTiles", "columnTiles")
"""Keys of the tiles that score with one that is placed."""
MOST_POINTS = 999
Space = tuple[int, int]
"""Row and column of a space on a wall, from 1."""


@dataclass(frozen=True)
class _Claim:
    """A tile that goes to a wall by the log.

    Attributes:
        note: the note that tells of it.
        seat: seat of the player.
        kind: letter of its colour.
        space: where it goes.
        points: points that it scores; None if they are not told.
        run: ids by space of the tiles that it scores with; None if they are not told.
    """

    note: Note
    seat: int
    kind: str
    space: Space
    points: int | None
    run: Mapping[Space, int] | None


@dataclass
class _Account:
    """The score of a seat as the site counts it; None from where the log leaves something out."""

    score: int | None = 0

    def add(self, points: int | None) -> None:
        """Add points; no score falls below 0 (RULES B6)."""
        if self.score is not None:
            self.score = None if points is None else max(0, self.score + points)


class AzulChecks:
    """Compares the ends of rounds, and the scores, with the game as it is replayed.

    Args:
        log: the notes.
        replay: the game at its opening.
        kinds: types of the notes of the game.
    """

    def __init__(self, log: Log, replay: Replay, kinds: Collection[str]) -> None:
        self._log, self._replay, self._kinds = log, replay, kinds
        self._listed = with_spaces((
            (line["placedTile"], listed(line["pointsDetail"], RUNS[0])) for note in log.notes
            if note.kind == "placeTileOnWall" for _, line in by_player(note.args, "completeLines")
            if "placedTile" in line and "pointsDetail" in line), "line", "column")
        """Whether the tiles that score are listed with their spaces."""
        players = range(replay.game.start.players)
        self._claims: list[_Claim] = []
        self._round = [_Account() for _ in players]
        self._whole = [_Account() for _ in players]
        self._walls = self._walls_here()
        """The walls of all seats when the round began."""
        self._tiles: dict[int, int] = {}
        """Number of moves before the round in which each tile on a wall got there."""
        self._unsure: dict[int, tuple[int, Note]] = {}
        """By seat, the first points that differ: moves before that round, and the note."""

    @property
    def _position(self) -> AzulPosition:
        return cast(AzulPosition, self._replay.position)

    def _walls_here(self) -> list[tuple[str, ...]]:
        return [tuple(seat.wall) for seat in self._position.seats]

    # ------------------------------------------------------------------------- what is told

    def placed(self, note: Note, seat: int, entry: Node) -> None:
        """Remember a tile that goes to a wall.

        Raises:
            LogError: the tiles that score have it on another space.
        """
        tile, detail = entry["placedTile"], child(entry, "pointsDetail")
        kind, row, column = on_wall(tile)
        run: dict[Space, int] | None = None
        if detail is not None and self._listed and all(key in detail for key in RUNS):
            run = {}
            for one in (one for key in RUNS for one in listed(detail, key)):
                _, *space = on_wall(one)
                if number_of(one) == number_of(tile) and space != [row, column]:
                    raise LogError(f"found the tile placed in line {row}, column"
                                   f" {column}, but among the tiles that score in line {space[0]},"
                                   f" column {space[1]}", note.where)
                run[space[0], space[1]] = number_of(one)
        points = child(detail, "points")
        number = None if points is None else points.number(-MOST_POINTS, MOST_POINTS)
        self._add(seat, number)
        self._claims.append(_Claim(note, seat, COLOURS[kind - 1], (row, column), number,
                                   run or None))

    def floor(self, note: Note, seat: int, entry: Node, tiles: int | None) -> None:
        """Compare and remember the points that a floor line costs.

        Args:
            note: the note that empties it.
            seat: seat of the player.
            entry: its part of the note.
            tiles: tiles on it here, the marker among them; None if that is not known.
        """
        points = (entry["points"].number(-MOST_POINTS, MOST_POINTS) if "points" in entry else None)
        if points is not None and tiles is not None:
            self._replay.differ(note, f"points of the floor line of seat {seat}:", points,
                                -sum(PENALTIES[:tiles]))
        self._add(seat, points)

    def _add(self, seat: int, points: int | None) -> None:
        self._round[seat].add(points)
        self._whole[seat].add(points)

    # ----------------------------------------------------------------------- what is played

    def round_over(self, note: Note) -> None:
        """Compare a round that has ended, before a note.

        Raises:
            StoppedError: the tiles that went to the walls are not those of the log.
        """
        self._compare(note)
        for seat, account in enumerate(self._round):
            ours = self._position.seats[seat].score
            if account.score is not None:
                self._replay.differ(note, f"score of seat {seat} before the deal", account.score,
                                    ours)
            account.score = ours
        self._walls = self._walls_here()

    def finished(self) -> StoppedError | None:
        """Compare what the log says after the last deal; return why the moves must be wrong, or
        None.

        Raises:
            StoppedError: the tiles that went to the walls are not those of the log.
        """
        self._compare(None)
        game, stated = self._replay.game, {}
        if game.is_over():
            self._final_bonuses()
            stated = final_scores(self._log, self._replay, self._kinds)
        grey = self._position.board == "grey"
        found = []
        for seat, account in enumerate(self._whole):
            ours = game.scores()[seat]
            said = stated[seat][1] if seat in stated else ours
            whole = account.score if seat in stated else ours
            if grey and seat in self._unsure and said == ours == whole:
                found.append((self._since(seat), self._unsure[seat][1], f"a tile of seat {seat}"
                              " scores other points than here, so its column is uncertain"))
            elif said == whole != ours:
                found.append((self._since(seat), stated[seat][0], f"the points of seat {seat} add"
                              f" up to the final score of {said} in the log, and the moves give"
                              f" {ours}"))
        if not found:
            return None
        moves, note, why = min(found, key=lambda one: one[0])
        return StoppedError(note, why, before=not grey, since=moves)

    def _since(self, seat: int) -> int:
        """Return the number of moves before the first that may be wrong if a score is.

        On the grey side a tile in a wrong column can score the same until another lies beside it.
        """
        if self._position.board == "grey":
            return self._replay.moves_until(
                lambda position: any(row.strip(EMPTY) for row in _wall(position, seat)))
        moves = self._unsure[seat][0] if seat in self._unsure else self._replay.played
        return self._replay.round_begins(moves)

    def _final_bonuses(self) -> None:
        """Add the final bonuses that the log states."""
        for note in self._log.notes:
            if note.kind == FINAL_SCORES:
                for player, entry in by_player(note.args, "scores"):
                    self._whole[self._replay.seat(Node(player, note.where))].add(
                        entry["points"].number(-MOST_POINTS, MOST_POINTS)
                        if "points" in entry else None)

    def _compare(self, note: Note | None) -> None:
        """Compare the tiles that went to the walls in this round; `note` follows it."""
        claims, self._claims = self._claims, []
        ours = self._placements()
        for claim in claims:
            row, column = claim.space
            mine = ours.get((claim.seat, row))
            if mine is None and self._position.phase == "wall":
                continue  # the log ends before it is the seat's turn
            if mine != (claim.kind, column):
                here = "is not full" if mine is None else f"gives {mine[0]} to column {mine[1]}"
                raise StoppedError(claim.note, f"line {row} of seat {claim.seat} {here} here, but"
                                   f" gives {claim.kind} to column {column} on the site",
                                   before=True, since=self._replay.round_begins(
                                       self._replay.played))
            self._compare_points(claim)
        told = {(claim.seat, claim.space[0]) for claim in claims}
        for seat, row in ours if claims else ():
            if note is not None and (seat, row) not in told:
                self._replay.differ(note, f"line {row} of seat {seat} is", "not full", "full")

    def _placements(self) -> dict[Space, tuple[str, int]]:
        """Return colour and column of the tiles that went to the walls, by seat and row."""
        return {(seat, row): (after[column - 1], column)
                for seat, walls in enumerate(self._walls_here())
                for row, (before, after) in enumerate(zip(self._walls[seat], walls, strict=True), 1)
                for column in range(1, SIZE + 1) if before[column - 1] != after[column - 1]}

    def _compare_points(self, claim: _Claim) -> None:
        """Compare the points of a tile, and the tiles that it scores with.

        Raises:
            StoppedError: both differ, so it lies beside others than on the site.
        """
        row, _ = claim.space
        rows = self._walls_here()[claim.seat]
        # The rows below are filled after it.
        wall = [*rows[:row], *self._walls[claim.seat][row:]]
        across, down = _run(wall, claim.space, 0, 1), _run(wall, claim.space, 1, 0)
        ours = sum(len(run) for run in (across, down) if len(run) > 1) or 1
        agree = claim.points in (None, ours)
        if not agree:
            self._replay.differ(claim.note, f"points of line {row} of seat {claim.seat}:",
                                claim.points, ours)
        begins = self._replay.round_begins(self._replay.played)
        if claim.run is not None:
            mine = across | down
            since = [self._tiles[number] for space, number in claim.run.items()
                     if space not in mine and number in self._tiles]
            since += [self._filled_since(claim.seat, space) for space in mine - set(claim.run)]
            same = mine == set(claim.run)
            self._tiles.setdefault(claim.run.get(claim.space, 0), begins)
            if not same and not agree:
                raise StoppedError(
                    claim.note, f"the tile in line {row} of seat {claim.seat} scores {ours} here,"
                    f" {claim.points} on the site, with other tiles beside it", before=True,
                    since=min(since, default=begins))
            if not same:
                self._replay.doubt(min(since, default=begins))
            elif not agree:  # two of three agree
                return
        if not agree:
            self._unsure.setdefault(claim.seat, (begins, claim.note))

    def check_empty(self, note: Note, seat: int, row: int, column: int) -> None:
        """Stop if the space that a tile goes to is filled: one of the two lies elsewhere."""
        if _wall(self._position, seat)[row - 1][column - 1] != EMPTY:
            raise StoppedError(note, f"column {column} of row {row} of seat {seat} is filled here",
                               since=self._filled_since(seat, (row, column)))

    def unsure_since(self, seat: int) -> int | None:
        """Return the number of moves before the first column of a seat that may be wrong.

        None if all its points so far are ours.
        """
        return self._since(seat) if seat in self._unsure else None

    def _filled_since(self, seat: int, space: Space) -> int:
        """Return the number of moves before the one that filled a space of a wall."""
        row, column = space
        return self._replay.moves_until(
            lambda position: _wall(position, seat)[row - 1][column - 1] != EMPTY)


def _wall(position: Position, seat: int) -> Sequence[str]:
    return cast(AzulPosition, position).seats[seat].wall


def _run(wall: Sequence[str], space: Space, down: int, right: int) -> set[Space]:
    """Return the spaces filled without a gap around one, in one direction and its opposite."""
    found = {space}
    for sign in (1, -1):
        row, column = space[0] + sign * down, space[1] + sign * right
        while 1 <= row <= SIZE and 1 <= column <= SIZE and wall[row - 1][column - 1] != EMPTY:
            found.add((row, column))
            row, column = row + sign * down, column + sign * right
    return found


def on_wall(tile: Node) -> tuple[int, int, int]:
    """Return type, row and column of a tile on a wall, all counted from 1."""
    return (tile["type"].number(1, len(COLOURS)), tile["line"].number(1, SIZE),
            tile["column"].number(1, SIZE))
