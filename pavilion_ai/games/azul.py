"""The rules of base Azul over the compiled core: conversion, and why a move is illegal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, cast

from pavilion_ai._core import AZUL_FLOOR as FLOOR
from pavilion_ai._core import AZUL_MOVE_TAKE as DRAFT
from pavilion_ai._core import AZUL_MOVE_TILE as WALL
from pavilion_ai._core import CENTRE, AzulFields, AzulState, wall_points
from pavilion_ai.games.base import (
    BOARDS,
    MoveNames,
    Rules,
    Setting,
    State,
    lacking_tile,
    seat_number,
    seat_of,
    tiles_of,
    unseen,
)
from pavilion_ai.notation import DraftTo, Move, Wall
from pavilion_ai.position import AzulPosition, AzulSeat, GameTable, Position, Tiles
from pavilion_ai.position.azul import AZUL
from pavilion_ai.position.azul_board import CAPACITIES, MARKER, PHASES, SIZE
from pavilion_ai.position.base import DRAFTING
from pavilion_ai.tunables import LINEAR, NETWORK, Tunables

__all__ = ["AzulRules", "fields_of", "free_columns", "goal_counts", "wall_points"]

_LETTERS = AZUL.letters
_NAMES = AZUL.colours
_SPACES = "." + _LETTERS
_FLOOR_TILES = _LETTERS + MARKER
_DUE = {
    "draft": "a draft such as D1:R>4 or C:R>F is due",
    "wall": "a column for a full line, such as wall:2>3, is due",
}
_PHASE_OF = {DraftTo: "draft", Wall: "wall"}


class AzulRules(Rules):
    """Base Azul."""

    table: ClassVar[GameTable] = AZUL
    breakdown_keys: ClassVar[tuple[str, ...]] = ("play", "rows", "columns", "colours")
    core_class: ClassVar[type[AzulState]] = AzulState
    tunables: ClassVar[Tunables] = replace(LINEAR, temperature=1.4, fpu_reduction=0.0)
    network_tunables: ClassVar[Mapping[int, Tunables]] = {
        2: replace(NETWORK, growth=0.3),
        3: replace(NETWORK, rivals=0.25, temperature=1.4, plain=1),
        4: replace(NETWORK, rivals=0.25, plain=1, deal_visits=0)}
    network_drifts: ClassVar[Mapping[tuple[str, int], float]] = {
        ("coloured", 2): 0.35, ("coloured", 3): 0.42, ("coloured", 4): 0.47,
        ("grey", 2): 0.47, ("grey", 3): 0.41, ("grey", 4): 0.52}
    deal_drifts: ClassVar[Mapping[tuple[str, int], float]] = {
        ("coloured", 2): 0.175, ("coloured", 3): 0.16, ("grey", 2): 0.22, ("grey", 3): 0.21}
    last_round: ClassVar[int] = SIZE
    game_powers: ClassVar[Mapping[int, tuple[float, float]]] = {
        2: (0.95, 1.2), 3: (0.6, 1.05), 4: (0.7, 1.05)}
    last_powers: ClassVar[Mapping[int, float]] = {3: 1.8, 4: 1.6}
    choices: ClassVar[Mapping[tuple[str, int], Mapping[str, tuple[float, ...]]]] = {
        ("coloured", 2): {
            "draft": (5.69, 5.12, 5.18, 5.1, 4.83),
            "reached": (1, 1, 1, 1, 1),
        },
        ("coloured", 3): {
            "draft": (5.18, 4.86, 5.04, 4.64, 4.41),
            "reached": (1, 1, 1, 1, 1),
        },
        ("coloured", 4): {
            "draft": (4.9, 4.62, 4.61, 4.71, 4.3),
            "reached": (1, 1, 1, 1, 1),
        },
        ("grey", 2): {
            "draft": (5.65, 5.28, 5.16, 5.33, 4.83, 0.49),
            "wall": (3.07, 3.4, 3.21, 2.88, 1.43, 0.1),
            "reached": (1, 1, 1, 1, 1, 0.1),
        },
        ("grey", 3): {
            "draft": (5.28, 5.25, 4.94, 4.92, 4.43),
            "wall": (3.02, 3.57, 3.32, 2.96, 1.31),
            "reached": (1, 1, 1, 1, 1),
        },
        ("grey", 4): {
            "draft": (5.05, 5.01, 4.79, 4.49, 4.24),
            "wall": (3.08, 3.45, 3.38, 2.89, 1.11),
            "reached": (1, 1, 1, 1, 1),
        },
    }
    worth: ClassVar[Mapping[str, tuple[float, ...]]] = {"draft": (1.0,), "wall": (0.2,)}
    fade: ClassVar[float] = 1.8
    levels: ClassVar[tuple[int, ...]] = (9, 14, 21, 33, 50, 80, 130, 60, 180)

    def _to_core(self, position: Position) -> AzulState:
        return _core_state(cast(AzulPosition, position))

    def from_core(self, state: State) -> AzulPosition:
        """Return the position of a state of the core."""
        fields = fields_of(state)
        return AzulPosition(
            board=BOARDS[fields.grey],
            round=fields.round,
            phase=PHASES[fields.phase],
            to_move=seat_of(fields.to_move),
            start_seat=fields.start_seat,
            token=seat_of(fields.token),
            displays=fields.displays,
            centre=fields.centre,
            bag=fields.bag if fields.split_known else None,
            lid=fields.lid if fields.split_known else None,
            bag_size=fields.bag_size,
            seats=tuple(
                AzulSeat(score, tuple(_line(colour, count) for colour, count in lines),
                         _wall(wall), "".join(_FLOOR_TILES[tile] for tile in floor))
                for score, lines, wall, floor in fields.seats),
        )

    def may_end(self, position: Position) -> bool:
        """Return whether the game can end with this round: a row is full, or its line can fill it.

        While tiles are taken any line can become full, while walls are tiled no other line can.
        """
        azul = cast(AzulPosition, position)
        taking = azul.phase == DRAFTING
        return any(row.count(".") <= (taking or sum(line) > place)
                   for seat in azul.seats
                   for place, (line, row) in enumerate(zip(seat.lines, seat.wall, strict=True)))

    # --------------------------------------------------------------------------------- moves

    def names(self, board: str, round: int) -> MoveNames:
        """Return the canonical strings of decisions, the same on all boards and in all rounds."""
        return super().names(BOARDS[0], 1)

    def _decode(self, where: Position | Setting, numbers: tuple[int, ...]) -> Move:
        if numbers[0] == DRAFT:
            _, source, colour, line = numbers
            return DraftTo(None if source == CENTRE else source, colour, _target(line))
        return Wall(numbers[1], _target(numbers[2]))

    def _encode(self, where: Position | Setting, move: Move) -> tuple[int, ...] | None:
        if isinstance(move, DraftTo):
            source = CENTRE if move.source is None else move.source
            if move.source is not None and move.source >= CENTRE:
                return None
            return (DRAFT, source, move.colour, FLOOR if move.line is None else move.line)
        if isinstance(move, Wall):
            return (WALL, move.line, FLOOR if move.column is None else move.column)
        return None

    # -------------------------------------------------------------------------------- counts

    def _after_left(self, position: Position) -> float:
        if position.to_move is None:
            return 0.0
        lines = cast(AzulPosition, position).seats[position.to_move].lines
        means = self.choices[position.board, position.players][position.phase]
        full = sum(sum(line) > place for place, line in enumerate(lines))
        return min(1.0, full / means[min(position.round, len(means)) - 1])

    def completed(self, state: State) -> tuple[int, ...]:
        """Return, by seat, how many rows, columns and colours of the wall are complete."""
        return tuple(sum(counts.count(SIZE) for counts in goal_counts(seat.wall))
                     for seat in fields_of(state).seats)

    # ------------------------------------------------------------------------------- reasons

    def _explain(self, position: Position, move: Move) -> str:
        azul = cast(AzulPosition, position)
        if _PHASE_OF.get(type(move)) != azul.phase or azul.to_move is None:
            return f"in phase {azul.phase} {_DUE.get(azul.phase, 'no move is possible')}"
        seat = azul.seats[azul.to_move]
        if isinstance(move, DraftTo):
            return _draft_fault(azul, seat, move)
        return _wall_fault(seat, cast(Wall, move))


def fields_of(state: State) -> AzulFields:
    """Return the fields of a state of this game."""
    return cast(AzulState, state).fields()


def goal_counts(wall: tuple[int, ...]) -> tuple[list[int], ...]:
    """Return how many tiles the rows, the columns and the colours of a core state's wall have."""
    every = range(SIZE)
    return ([sum(map(bool, wall[SIZE * row:SIZE * row + SIZE])) for row in every],
            [sum(map(bool, wall[column::SIZE])) for column in every],
            [wall.count(1 + colour) for colour in every])


def _core_state(position: AzulPosition) -> AzulState:
    bag, lid = unseen(AZUL, position, position.lid)
    return AzulState(
        players=len(position.seats),
        grey=bool(BOARDS.index(position.board)),
        round=position.round,
        phase=PHASES.index(position.phase),
        to_move=seat_number(position.to_move),
        start_seat=position.start_seat,
        token=seat_number(position.token),
        displays=position.displays,
        centre=position.centre,
        bag=bag,
        lid=lid,
        bag_size=position.bag_size,
        split_known=position.split_known,
        seats=tuple(
            (seat.score, tuple(_pair(tiles) for tiles in seat.lines),
             [_SPACES.index(space) for row in seat.wall for space in row],
             tuple(_FLOOR_TILES.index(tile) for tile in seat.floor))
            for seat in position.seats),
    )


def _pair(tiles: Tiles) -> tuple[int, int]:
    """Return the colour and number of the tiles on a line, (-1, 0) if it is empty."""
    colours = [colour for colour, count in enumerate(tiles) if count]
    if len(colours) > 1 or len(tiles) != len(_LETTERS):
        raise ValueError(f"found {tiles}, expected tiles of one colour on a line")
    return (colours[0], tiles[colours[0]]) if colours else (-1, 0)


def _line(colour: int, count: int) -> Tiles:
    return tuple(count if colour == other else 0 for other in range(len(_LETTERS)))


def _wall(spaces: Sequence[int]) -> tuple[str, ...]:
    letters = "".join(_SPACES[space] for space in spaces)
    return tuple(letters[start:start + SIZE] for start in range(0, len(letters), SIZE))


def _target(number: int) -> int | None:
    return None if number == FLOOR else number


def _draft_fault(position: AzulPosition, seat: AzulSeat, move: DraftTo) -> str:
    fault = lacking_tile(AZUL, position, move.source, move.colour)
    if fault:
        return fault
    if move.line is None:
        return "the rules do not allow it"
    colour, letter = _NAMES[move.colour], _LETTERS[move.colour]
    number, line, row = move.line + 1, seat.lines[move.line], seat.wall[move.line]
    if any(line) and not line[move.colour]:
        return f"line {number} holds {tiles_of(AZUL, line)} and takes no other colour"
    if sum(line) >= CAPACITIES[move.line]:
        return f"line {number} is full"
    if letter in row:
        return f"row {number} of the wall, {row}, has {colour} already"
    return "the rules do not allow it"


def _wall_fault(seat: AzulSeat, move: Wall) -> str:
    full = [line for line, tiles in enumerate(seat.lines) if sum(tiles) == CAPACITIES[line]]
    if move.line not in full:
        return f"line {move.line + 1} is not full"
    if move.line != full[0]:
        return f"line {full[0] + 1} is full too and comes first, from top to bottom"
    colour, row = seat.lines[move.line].index(CAPACITIES[move.line]), seat.wall[move.line]
    free = free_columns(seat.wall, _LETTERS[colour], move.line)
    if move.column is None:
        columns = ", ".join(str(column + 1) for column in free)
        return f"the tile has to be placed, it may go to column {columns}"
    if row[move.column] != ".":
        return f"column {move.column + 1} of row {move.line + 1}, {row}, is occupied"
    if move.column not in free:
        return f"column {move.column + 1} has {_NAMES[colour]} already"
    return "the rules do not allow it"


def free_columns(wall: Sequence[str], letter: str, row: int) -> list[int]:
    """Return the columns, from 0, where a row of a wall may take a colour (RULES B8)."""
    return [column for column, space in enumerate(wall[row])
            if space == "." and letter not in wall[row]
            and all(spaces[column] != letter for spaces in wall)]
