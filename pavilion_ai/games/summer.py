"""The rules of Summer Pavilion over the compiled core: conversion, and why a move is illegal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, cast

from pavilion_ai._core import CENTRE, SummerFields, SummerState
from pavilion_ai._core import SUMMER_MOVE_BONUS as BONUS
from pavilion_ai._core import SUMMER_MOVE_DRAFT as DRAFT
from pavilion_ai._core import SUMMER_MOVE_PASS as PASS
from pavilion_ai._core import SUMMER_MOVE_PLACE as PLACE
from pavilion_ai.games.base import (
    BOARDS,
    Rules,
    Setting,
    State,
    lacking_tile,
    seat_number,
    seat_of,
    source_of,
    tiles_of,
    unseen,
)
from pavilion_ai.notation import Bonus, Draft, Move, Pass, Place
from pavilion_ai.position import GameTable, Position, SummerPosition, SummerSeat, Tiles
from pavilion_ai.position.base import dealt
from pavilion_ai.position.summer import SUMMER
from pavilion_ai.position.summer_board import (
    FEATURES,
    KEPT_TILES,
    PHASES,
    ROUNDS,
    SITE_COLOURS,
    SITES,
    SUPPLY_SPACES,
    printed_number,
)

_LETTERS = SUMMER.letters
_NAMES = SUMMER.colours
_SPACES = "." + _LETTERS
_DUE = {
    "draft": "a draft such as D1:G or C:G is due",
    "place": "a placement such as NW.4:O3P or a pass is due",
    "bonus": "the choice of bonus tiles, bonus:..., is due",
}
_PHASE_OF = {Draft: "draft", Place: "place", Bonus: "bonus", Pass: "place"}


class SummerRules(Rules):
    """Azul: Summer Pavilion."""

    table: ClassVar[GameTable] = SUMMER
    breakdown_keys: ClassVar[tuple[str, ...]] = ("play", "stars", "numbers")
    core_class: ClassVar[type[SummerState]] = SummerState
    network_drifts: ClassVar[Mapping[tuple[str, int], float]] = {
        ("coloured", 2): 0.45, ("coloured", 3): 0.65, ("coloured", 4): 0.52,
        ("grey", 2): 0.47, ("grey", 3): 0.63, ("grey", 4): 0.64}
    deal_drifts: ClassVar[Mapping[tuple[str, int], float]] = {
        ("coloured", 2): 0.16, ("coloured", 3): 0.22, ("grey", 2): 0.185, ("grey", 3): 0.36}
    last_round: ClassVar[int] = ROUNDS
    game_powers: ClassVar[Mapping[int, tuple[float, float]]] = {2: (0.9, 1.2), 4: (0.65, 1.1)}
    last_powers: ClassVar[Mapping[int, float]] = {3: 0.4}
    choices: ClassVar[Mapping[tuple[str, int], Mapping[str, tuple[float, ...]]]] = {
        ("coloured", 2): {
            "draft": (5.16, 5.26, 5.1, 5.28, 5.42, 4.6),
            "place": (4, 5.24, 4.82, 4.84, 5.13, 8.65),
            "bonus": (0, 0, 0.12, 0.35, 1.18, 6.02),
            "reached": (1, 1, 1, 1, 1, 1),
        },
        ("coloured", 3): {
            "draft": (4.57, 4.56, 4.56, 4.61, 4.62, 4.08),
            "place": (3.93, 5.25, 4.82, 4.47, 4.97, 7.42),
            "bonus": (0, 0, 0.08, 0.32, 1.11, 4.61),
            "reached": (1, 1, 1, 1, 1, 1),
        },
        ("coloured", 4): {
            "draft": (4.46, 4.47, 4.46, 4.55, 4.38, 4.23),
            "place": (3.91, 5.23, 4.64, 4.64, 4.73, 6.44),
            "bonus": (0, 0.01, 0.11, 0.44, 1.06, 3.43),
            "reached": (1, 1, 1, 1, 1, 1),
        },
        ("grey", 2): {
            "draft": (5.16, 5.39, 5.27, 5.4, 5.17, 4.67),
            "place": (4.97, 4.57, 5.3, 5.66, 5.53, 6.61),
            "bonus": (0, 0, 0.45, 2.37, 2.08, 3.71),
            "reached": (1, 1, 1, 1, 1, 1),
        },
        ("grey", 3): {
            "draft": (4.62, 4.77, 4.72, 4.79, 4.69, 4.11),
            "place": (3.72, 4.58, 5.23, 5.7, 5.29, 6.88),
            "bonus": (0, 0.51, 1.19, 2.62, 1.43, 3.57),
            "reached": (1, 1, 1, 1, 1, 1),
        },
        ("grey", 4): {
            "draft": (4.49, 4.5, 4.54, 4.64, 4.42, 3.76),
            "place": (3.42, 4.1, 5.24, 5.58, 5.14, 6.68),
            "bonus": (0, 0.35, 1.19, 2.39, 1.39, 3.3),
            "reached": (1, 1, 1, 1, 1, 1),
        },
    }
    worth: ClassVar[Mapping[str, tuple[float, ...]]] = {
        "draft": (1.0, 1.0, 1.1, 1.2, 1.4, 1.6), "place": (0.35, 0.4, 0.5, 0.6, 1.2, 2.2),
        "bonus": (1.0, 1.0, 1.0, 1.0, 2.0, 3.6)}
    fade: ClassVar[float] = 0.9
    levels: ClassVar[tuple[int, ...]] = (1, 3, 6, 13, 24, 45, 90, 36, 110)

    def _to_core(self, position: Position) -> SummerState:
        return _core_state(cast(SummerPosition, position))

    def from_core(self, state: State) -> SummerPosition:
        """Return the position of a state of the core."""
        fields = fields_of(state)
        return SummerPosition(
            board=BOARDS[fields.grey],
            round=fields.round,
            phase=PHASES[fields.phase],
            to_move=seat_of(fields.to_move),
            start_seat=fields.start_seat,
            token=seat_of(fields.token),
            bonus_due=fields.bonus_due,
            displays=fields.displays,
            centre=fields.centre,
            supply=fields.supply,
            bag=fields.bag if fields.split_known else None,
            tower=fields.tower if fields.split_known else None,
            bag_size=fields.bag_size,
            seats=tuple(
                SummerSeat(score, hand, kept, passed, _stars(spaces))
                for score, hand, kept, passed, spaces in fields.seats),
            next_to_move=seat_of(fields.next_to_move),
        )

    # --------------------------------------------------------------------------------- moves

    def _decode(self, where: Position | Setting, numbers: tuple[int, ...]) -> Move:
        kind = numbers[0]
        if kind == DRAFT:
            return Draft(None if numbers[1] == CENTRE else numbers[1], numbers[2])
        if kind == PLACE:
            site, place = divmod(numbers[1], 6)
            cost = printed_number(where.board, site, place + 1)
            return Place(site, place + 1, numbers[2],
                         _payment(where, cost, numbers[2], numbers[3]))
        return Bonus(numbers[1:]) if kind == BONUS else Pass(numbers[1:])

    def _encode(self, where: Position | Setting, move: Move) -> tuple[int, ...] | None:
        if isinstance(move, Draft):
            if move.source is None:
                return (DRAFT, CENTRE, move.colour)
            return (DRAFT, move.source, move.colour) if move.source < CENTRE else None
        if isinstance(move, Place):
            own = move.payment[move.colour]
            cost = printed_number(where.board, move.site, move.position)
            if move.payment != _payment(where, cost, move.colour, own):
                return None
            return (PLACE, 6 * move.site + move.position - 1, move.colour, own)
        if isinstance(move, Bonus):
            return (BONUS, *move.tiles)
        return (PASS, *move.kept) if isinstance(move, Pass) else None

    # -------------------------------------------------------------------------------- counts

    def _after_left(self, position: Position) -> float:
        if position.to_move is None:
            return 0.0
        hand: int = sum(position.seats[position.to_move].hand)
        return min(1.0, hand * position.players / dealt(position))

    def top_up(self, state: State) -> tuple[int, Tiles, Tiles]:
        """Return how many tiles the supply lacks, the bag and the tower."""
        fields = fields_of(state)
        bag, tower = fields.bag, fields.tower
        if not fields.split_known:
            bag, tower = tuple(a + b for a, b in zip(bag, tower, strict=True)), (0,) * len(bag)
        return SUPPLY_SPACES - sum(fields.supply), bag, tower

    def completed(self, state: State) -> tuple[int, ...]:
        """Return, by seat, how many pillars, statues and windows are surrounded."""
        return tuple(
            sum(all(seat.spaces[6 * site + place - 1] for site, place in around)
                for _, _, around in FEATURES)
            for seat in fields_of(state).seats)

    # ------------------------------------------------------------------------------- reasons

    def _explain(self, position: Position, move: Move) -> str:
        summer = cast(SummerPosition, position)
        if _PHASE_OF.get(type(move)) != summer.phase or summer.to_move is None:
            return f"in phase {summer.phase} {_DUE.get(summer.phase, 'no move is possible')}"
        seat = summer.seats[summer.to_move]
        if isinstance(move, Draft):
            return _draft_fault(summer, move)
        if isinstance(move, Place):
            return _place_fault(summer, seat, move)
        if isinstance(move, Bonus):
            return _bonus_fault(summer, move)
        return _pass_fault(summer, seat, cast(Pass, move))


def fields_of(state: State) -> SummerFields:
    """Return the fields of a state of this game."""
    return cast(SummerState, state).fields()


def _core_state(position: SummerPosition) -> SummerState:
    bag, tower = unseen(SUMMER, position, position.tower)
    return SummerState(
        players=len(position.seats),
        grey=bool(BOARDS.index(position.board)),
        round=position.round,
        phase=PHASES.index(position.phase),
        to_move=seat_number(position.to_move),
        start_seat=position.start_seat,
        token=seat_number(position.token),
        bonus_due=position.bonus_due,
        next_to_move=seat_number(position.next_to_move),
        displays=position.displays,
        centre=position.centre,
        supply=position.supply,
        bag=bag,
        tower=tower,
        bag_size=position.bag_size,
        split_known=position.split_known,
        seats=tuple(
            (seat.score, seat.hand, seat.kept, seat.passed,
             _spaces(seat.stars))
            for seat in position.seats),
    )


# Boards hardly change from ply to ply: without these caches, converting them is half a replay.

@lru_cache(maxsize=4096)
def _spaces(stars: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(_SPACES.index(space) for star in stars for space in star)


@lru_cache(maxsize=4096)
def _stars(spaces: tuple[int, ...]) -> tuple[str, ...]:
    letters = "".join(_SPACES[space] for space in spaces)
    return tuple(letters[start:start + 6] for start in range(0, len(letters), 6))


def _wild(where: Position | Setting) -> int:
    """Return the wild colour of the round (RULES A5)."""
    return where.round - 1


def _payment(where: Position | Setting, cost: int, colour: int, own: int) -> Tiles:
    """Return `own` tiles of the colour and wild tiles for the rest of the cost."""
    payment = [0] * len(_LETTERS)
    payment[colour] += own
    payment[_wild(where)] += cost - own
    return tuple(payment)


def _lacking(wanted: Sequence[int], there: Sequence[int]) -> bool:
    return any(need > have for need, have in zip(wanted, there, strict=True))


def _draft_fault(position: SummerPosition, move: Draft) -> str:
    fault = lacking_tile(SUMMER, position, move.source, move.colour)
    if fault:
        return fault
    wild = _NAMES[_wild(position)]
    source, tiles = source_of(position, move.source)
    return (f"{wild} is wild in round {position.round} and can be chosen only where nothing else"
            f" lies; {source} holds {tiles_of(SUMMER, tiles)}")


def _place_fault(position: SummerPosition, seat: SummerSeat, move: Place) -> str:
    space = f"{SITES[move.site]}.{move.position}"
    star = seat.stars[move.site]
    if star[move.position - 1] != ".":
        return f"{space} is occupied, star {SITES[move.site]} is {star}"
    fault = _colour_fault(position, move, star)
    if fault:
        return fault
    cost = printed_number(position.board, move.site, move.position)
    colour, wild = _NAMES[move.colour], _NAMES[_wild(position)]
    if sum(move.payment) != cost:
        return f"{space} costs {cost}, the payment is {sum(move.payment)}"
    if sum(move.payment) != move.payment[move.colour] + (
            0 if move.colour == _wild(position) else move.payment[_wild(position)]):
        return f"{space} is paid with {colour} and wild ({wild}) tiles only"
    if _lacking(move.payment, seat.hand):
        return f"the hand holds {tiles_of(SUMMER, seat.hand)}"
    return "the rules do not allow it"


def _colour_fault(position: SummerPosition, move: Place, star: str) -> str | None:
    """Say why the colour may not be placed in the star (RULES A7.2, A12), or None."""
    site, tiles = SITES[move.site], star.replace(".", "")
    own = SITE_COLOURS[move.site]
    colour, letter = _NAMES[move.colour], _LETTERS[move.colour]
    if position.board == "coloured" and own is not None:
        return None if own == move.colour else f"star {site} takes {_NAMES[own]} tiles only"
    if position.board == "coloured" or len(set(tiles)) > 1:
        return (f"star {site} ({star}) has {colour} already and takes different colours"
                if letter in tiles else None)
    if len(tiles) > 1 and letter not in tiles:
        return f"star {site} ({star}) takes {_NAMES[_LETTERS.index(tiles[0])]} tiles only"
    return None


def _bonus_fault(position: SummerPosition, move: Bonus) -> str:
    if sum(move.tiles) != position.bonus_due:
        return f"tiles to be taken: {position.bonus_due}, not {sum(move.tiles)}"
    return f"the supply holds {tiles_of(SUMMER, position.supply)}"


def _pass_fault(position: SummerPosition, seat: SummerSeat, move: Pass) -> str:
    if position.round == ROUNDS and any(move.kept):
        return f"nothing is kept in round {ROUNDS}, pass:- is the only pass"
    if sum(move.kept) > KEPT_TILES:
        return f"at most {KEPT_TILES} tiles can be kept, not {sum(move.kept)}"
    return f"the hand holds {tiles_of(SUMMER, seat.hand)}"
