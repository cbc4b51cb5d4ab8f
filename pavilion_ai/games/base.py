"""The facade over the compiled rules: immutable positions in, move strings out.

Only the core decides what is legal and what a move does. The rules of a game add the conversion of
its positions and moves to the core's numbers, and explain why a move is illegal. A game in progress
is a `pavilion_ai.play.Play`.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from pavilion_ai._core import Rng, State
from pavilion_ai.bounds import MAX_DEPTH, Range, whole
from pavilion_ai.errors import (
    IllegalMoveError,
    PavilionError,
    PositionError,
    Problem,
    SpecError,
    one_of,
    shown,
)
from pavilion_ai.games.measured import Measured
from pavilion_ai.notation import Deal, Move, Supply, format_tiles, parse_move, written
from pavilion_ai.position import GameTable, Position, Tiles, position_values, validate
from pavilion_ai.position.fields import Choice, Integer, SeatNumber
from pavilion_ai.position.unseen import unseen_tiles
from pavilion_ai.tunables import LINEAR, NETWORK, Tunables
from pavilion_ai.untrusted import MAX_DIGITS, TOO_LONG

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "CHANCE_PHASES", "CHANCE_STREAM", "MoveNames", "Rng", "Rules", "Setting",
    "State", "check_variant", "fresh_seed", "seeded", "whole_seed",
]

KEEP_POLICIES = ("free", "maximal")
CHANCE_PHASES: Mapping[type, str] = {Deal: "deal", Supply: "supply"}
"""The phase of each chance move."""
BOARDS = ("coloured", "grey")
"""Sides of the player boards, by what the core calls grey."""

SETUP_STREAM, CHANCE_STREAM, STARTER_STREAM = 0, 1, 2
"""Streams of one seed: the setup's tiles, later draws, the starting seat."""


@dataclass(frozen=True)
class Setting:
    """Context of a decision's string besides the core's numbers; positions provide it too.

    Attributes:
        board: side of the player boards.
        round: number of the round, from 1.
    """

    board: str
    round: int


def fresh_seed() -> int:
    """Return a seed from the system's entropy that fits in any JSON number (53 bits)."""
    return int.from_bytes(os.urandom(7), "little") >> 3


class Rules(Measured):
    """The rules of one game; stateless, so every game has one instance, which copies are too.

    What was measured of the game is in it too (`Measured`).

    Attributes:
        name: name in the notation.
        table: field table of its positions.
        breakdown_keys: names of the parts of a final score.
        core_class: the core's class of states.
        tunables: tunables of a search without a network.
        network_tunables: tunables of a search with a network, by number of players.
        min_players, max_players: how many seats a game has.
        levels: simulations per decision of each level of play (levels.py), ascending among the
            levels without and with a network.
    """

    table: ClassVar[GameTable]
    breakdown_keys: ClassVar[tuple[str, ...]]
    core_class: ClassVar[type[State]]
    tunables: ClassVar[Tunables] = LINEAR
    network_tunables: ClassVar[Mapping[int, Tunables]] = {
        2: NETWORK, 3: NETWORK, 4: replace(NETWORK, deal_visits=0)}
    levels: ClassVar[tuple[int, ...]]
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 4

    _made: ClassVar[dict[type[Rules], Any]] = {}

    def __new__(cls) -> Self:
        """Return the instance, the same one each time."""
        found: Self = cls._made.setdefault(cls, super().__new__(cls))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @property
    def name(self) -> str:
        """Name of the game in the notation."""
        return self.table.game

    @property
    def title(self) -> str:
        """Name of the game for people."""
        return self.table.title

    @property
    def boards(self) -> tuple[str, ...]:
        """Sides of the player boards."""
        kind = self.table.field("board").kind
        return kind.options if isinstance(kind, Choice) else ()

    def is_grey(self, board: str) -> bool:
        """Tell whether a side of the player boards is the one that the core calls grey."""
        return board == BOARDS[True]

    @cached_property
    def phases(self) -> tuple[str, ...]:
        """The phases, in the order of the core's numbers."""
        kind = self.table.field("phase").kind
        return kind.options if isinstance(kind, Choice) else ()

    @property
    def colours(self) -> str:
        """Letters of the tile colours, in the order of a canonical multiset."""
        return self.table.letters

    # ------------------------------------------------------------------ defined by each game

    @abstractmethod
    def _to_core(self, position: Position) -> State:
        """Return the core's state; any error means that the position is unsound."""

    @abstractmethod
    def from_core(self, state: State) -> Position:
        """Return the position of a state of the core."""

    @abstractmethod
    def _decode(self, where: Position | Setting, numbers: tuple[int, ...]) -> Move:
        """Return the move with the given core numbers."""

    @abstractmethod
    def _encode(self, where: Position | Setting, move: Move) -> tuple[int, ...] | None:
        """Return the core's numbers of a decision, None if the decision has none here."""

    @abstractmethod
    def _explain(self, position: Position, move: Move) -> str:
        """Return the reason why the decision is illegal, without repeating the decision."""

    def top_up(self, state: State) -> tuple[int, Tiles, Tiles]:
        """Return what a pending draw within a round draws from: how many tiles are due, and the
        tiles in the bag and discarded; if these are not told apart, all count as in the bag.

        Raises:
            PavilionError: the game has no such draws.
        """
        raise PavilionError(f"{self.name} has no draws within a round")

    @abstractmethod
    def completed(self, state: State) -> tuple[int, ...]:
        """Return, by seat, how many features of the board are complete."""

    # ----------------------------------------------------------------------------- positions

    def to_core(self, position: Position) -> State:
        """Return the core's state for a position.

        Raises:
            PositionError: a value is out of its range; `validate` finds all that is unsound.
        """
        try:
            numbers = *self._numbers(position), *(seat.score for seat in position.seats)
            if not {*map(type, numbers)} <= {int, type(None)}:
                raise TypeError("found a number of another type, expected whole numbers of Python")
            return self._to_core(position)
        except (ValueError, TypeError, ArithmeticError, AttributeError, LookupError) as error:
            raise _refused(position, error) from error

    @cached_property
    def _numbers(self) -> Callable[[Position], Iterable[object]]:
        """What returns the numbers of a position; the core would take truth values for some."""
        return attrgetter(*(field.name for field in self.table.fields
                            if isinstance(field.kind, (Integer, SeatNumber))))

    def new(
        self,
        board: str = "coloured",
        players: int = 2,
        seed: int | None = None,
        start_player: int | None = None,
    ) -> Position:
        """Return the opening position, displays and supply filled at random.

        Args:
            board: side of the player boards.
            players: 2 to 4.
            seed: the same seed gives the same tiles, and so does one that differs by a multiple of
                2^64; None takes a fresh one.
            start_player: starting seat; None draws it from the seed. The tiles do not depend on
                it.

        Raises:
            SpecError: if an argument is out of its range.
        """
        check_variant(self, board, players)
        if seed is None:
            seed = fresh_seed()
        if start_player is None:
            start_player = seeded(seed, STARTER_STREAM).below(players)
        elif whole(start_player) is None or not 0 <= start_player < players:
            raise SpecError(f"start_player {shown(start_player)}: expected a seat from 0 to"
                            f" {players - 1}")
        return self.from_core(self.core_class.new(
            players, self.is_grey(board), start_player, seeded(seed, SETUP_STREAM)))

    def chance(self, position: Position) -> str | None:
        """Return the chance phase the position is in, `deal` or `supply`, or None."""
        return position.phase if position.phase in CHANCE_PHASES.values() else None

    # --------------------------------------------------------------------------------- moves

    def legal_moves(self, position: Position, keep_policy: str = "free") -> list[str]:
        """Return every legal decision in canonical form, sorted.

        Empty in a chance phase and when the game is over.

        Raises:
            SpecError: if there is no such `keep_policy`; PositionError if the position is unsound.
        """
        codes = self.to_core(position).codes(self.is_maximal(keep_policy))
        names = self.names(position.board, position.round)
        return sorted(names[code] for code in codes)

    def is_maximal(self, keep_policy: str) -> bool:
        """Tell which of the two `KEEP_POLICIES` this is.

        Raises:
            SpecError: if it is neither.
        """
        return one_of("keep_policy", keep_policy, KEEP_POLICIES) == "maximal"

    def names(self, board: str, round: int) -> MoveNames:
        """Return the canonical strings of decisions on a side of the boards in a round."""
        return _names(self, board, round)

    def move_text(self, where: Position | Setting, numbers: tuple[int, ...]) -> str:
        """Return the canonical string of a decision given in the core's numbers."""
        return written(self._decode(where, numbers), self.name)

    def canonical(self, position: Position, move_text: str, *, lenient: bool = False) -> str:
        """Return the canonical string of a legal move, chance moves included.

        Args:
            lenient: ignore case and white space, for typed input.

        Raises:
            InvalidMoveError: if the string is not a move of the game.
            IllegalMoveError: if the move is not legal here; the message says why.
        """
        return self.advance(self.to_core(position), position, move_text, lenient=lenient)[0]

    def apply(self, position: Position, move_text: str) -> Position:
        """Return the position right after a decision or an explicit chance move.

        It may be a chance phase: nothing is drawn here.

        Raises:
            InvalidMoveError, IllegalMoveError: as `canonical`.
        """
        state = self.to_core(position)
        self.advance(state, position, move_text)
        return self.from_core(state)

    def advance(
        self, state: State, position: Position, move_text: str, *, lenient: bool = False
    ) -> tuple[str, int | None]:
        """Play a decision or an explicit chance move on a state of the core.

        Args:
            state: state to change in place, unless the move is refused.
            position: the same position, used to explain a refusal.
            lenient: as in `canonical`.

        Returns:
            the move in canonical form, and the core's code of a decision, None for a draw.

        Raises:
            InvalidMoveError, IllegalMoveError: as `canonical`.
        """
        move = parse_move(move_text, self.name, lenient=lenient)
        text = written(move, self.name)
        if isinstance(move, (Deal, Supply)):
            self._apply_chance(position, state, move)
            return text, None
        numbers = self._encode(position, move) if not self.chance(position) else None
        if numbers is not None:
            try:
                state.apply(numbers)
                return text, state.code(numbers)
            except ValueError:
                pass
        raise self._illegal(move, self._decision_fault(position, move))

    def _decision_fault(self, position: Position, move: Move) -> str:
        chance = self.chance(position)
        if chance:
            return f"tiles are to be drawn first, a move {chance}:... is due"
        if position.phase == "over":
            return "the game is over"
        return self._explain(position, move)

    def _apply_chance(self, position: Position, state: State, move: Deal | Supply) -> None:
        due = self.chance(position)
        if due != CHANCE_PHASES[type(move)]:
            raise self._illegal(
                move, f"no tiles are to be drawn in phase {position.phase}" if due is None
                else f"a move {due}:... is due")
        draws = move.displays if isinstance(move, Deal) else (move.tiles,)
        try:
            state.apply_chance(draws)
        except ValueError as error:
            raise self._illegal(
                move, f"{error}; drawing continues until every space is full or nothing is left"
                + self._bag(position)) from None

    def _bag(self, position: Position) -> str:
        """Describe the tiles that can be drawn, for a message."""
        if position.bag is None:
            return f", from a bag of {position.bag_size} tiles whose colours are not known"
        return f", first from the bag, which holds {format_tiles(position.bag, self.colours)}"

    def _illegal(self, move: Move, reason: str) -> IllegalMoveError:
        return IllegalMoveError(f"{written(move, self.name)} is not legal: {reason}")

    # -------------------------------------------------------------------------------- chance

    def draw(self, position: Position, rng: Rng, *, tied: bool = False) -> tuple[str, Position]:
        """Resolve a chance phase at random.

        Args:
            tied: tied draws (common random numbers): equal `rng` draw similar tiles from similar
                bags.

        Returns:
            the chance move with the tiles drawn, and the position after it.

        Raises:
            IllegalMoveError: if the position is not in a chance phase.
        """
        state = self.to_core(position)
        text = self.draw_on(state, rng, tied=tied)
        return text, self.from_core(state)

    def draw_on(self, state: State, rng: Rng, *, tied: bool = False) -> str:
        """Resolve the chance phase of a state of the core in place, as `draw`; return the move."""
        phase = self.phases[state.phase]
        if phase not in CHANCE_PHASES.values():
            raise IllegalMoveError(f"nothing is to be drawn in phase {phase}")
        drawn = state.draw(rng, tied)
        move: Move = Deal(drawn) if phase == "deal" else Supply(drawn[0])
        return written(move, self.name)

    # ------------------------------------------------------------------------ counts, result

    def on_table(self, state: State) -> tuple[int, int]:
        """Return how many tiles lie on displays and in the centre, and who has the token (or -1).
        """
        fields = state.fields()
        return sum(map(sum, fields.displays)) + sum(fields.centre), fields.token

    def perft(self, position: Position, depth: int) -> int:
        """Return the number of leaf nodes after `depth` decisions, as `pavilion perft` does."""
        return self.to_core(position).perft(_depth(depth))

    def divide(self, position: Position, depth: int) -> dict[str, int]:
        """Return the number of leaf nodes below each legal decision; the sum is `perft`.

        A chance phase is resolved first by the same fixed draw as in `perft`; `depth` is at
        least 1.
        """
        if _depth(depth) == 0:
            raise SpecError("depth 0: expected at least 1 to divide")
        state = self.to_core(position)
        state.settle()
        position = self.from_core(state)
        return {move: self.perft(self.apply(position, move), depth - 1)
                for move in self.legal_moves(position)}

    def winners(self, position: Position) -> list[int]:
        """Return the seats that share the victory, ascending.

        Raises:
            PavilionError: if the game is not over.
        """
        return self._final(position).winners()

    def breakdown(self, position: Position) -> list[dict[str, int]]:
        """Return the parts of the final score, by seat.

        Raises:
            PavilionError: if the game is not over.
        """
        return list(self.parts(self._final(position)))

    def parts(self, state: State) -> tuple[dict[str, int], ...]:
        """Return the `breakdown` of a state of the core that is over."""
        return tuple(dict(zip(self.breakdown_keys, row, strict=True)) for row in state.breakdown())

    def _final(self, position: Position) -> State:
        if position.phase != "over":
            raise PavilionError(f"found phase {position.phase}, expected a game that is over")
        return self.to_core(position)


def check_variant(rules: Rules, board: str, players: int) -> None:
    """Refuse a side of the boards, or a number of players, that a game does not have.

    Raises:
        SpecError: it has no such boards, or is not for so many players.
    """
    one_of("board", board, rules.boards)
    Range(int, rules.min_players, rules.max_players).checked("players", players)


def _refused(position: Position, error: Exception) -> PositionError:
    """Return the error for a position that the core does not take."""
    try:
        problems = validate(position)
    except (TypeError, ValueError, AttributeError, LookupError):
        problems = ()
    return PositionError(problems or (Problem("range", "", str(error)),))


def unseen(table: GameTable, position: Position, discarded: Tiles | None) -> tuple[Tiles, Tiles]:
    """Return the tiles in the bag and discarded; if these are not told apart, all as in the bag.

    Raises:
        ValueError: one of them is not given, or they cannot be counted.
    """
    bag = position.bag
    if bag is not None and discarded is not None:
        return bag, discarded
    if bag is not None or discarded is not None:
        raise ValueError("found the tiles in the bag or discarded alone, expected both or neither")
    tiles = unseen_tiles(table, position_values(table, position))
    if tiles is None:
        raise ValueError("the unseen tiles cannot be counted")
    return tiles, (0,) * len(tiles)


def tiles_of(table: GameTable, tiles: Tiles) -> str:
    """Return tiles as a reason names them."""
    return format_tiles(tiles, table.letters) if any(tiles) else "no tile"


def source_of(position: Position, display: int | None) -> tuple[str, Tiles]:
    """Return the name and the tiles of a display that is there, or of the centre for None."""
    if display is None:
        return "the centre", position.centre
    return f"display {display + 1}", position.displays[display]


def lacking_tile(table: GameTable, position: Position, display: int | None,
                 colour: int) -> str | None:
    """Say why no tile of the colour can be taken from a display or the centre, or None."""
    if display is not None and display >= len(position.displays):
        return f"there are only {len(position.displays)} displays"
    source, tiles = source_of(position, display)
    if tiles[colour]:
        return None
    return f"no {table.colours[colour]} tile in {source}; it holds {tiles_of(table, tiles)}"


def seat_of(number: int) -> int | None:
    """Return a seat from the core's number; -1 is None."""
    return None if number < 0 else number


def seat_number(seat: int | None) -> int:
    """Return the core's number of a seat, -1 for None.

    Raises:
        ValueError: it is negative itself.
    """
    if seat is None:
        return -1
    if seat < 0:
        raise ValueError(f"found seat {shown(seat)}, expected 0 or a later one")
    return seat


def _depth(depth: int) -> int:
    return int(Range(int, 0, MAX_DEPTH).checked("depth", depth))


def whole_seed(seed: int) -> int:
    """Return a seed, a whole number of Python or any framework, as Python's.

    Raises:
        SpecError: it is not a whole number, or has more digits than are read in a record.
    """
    number = whole(seed)
    if number is None:
        raise SpecError(f"seed {shown(seed)}: expected a whole number")
    if abs(number) >= TOO_LONG:
        raise SpecError(f"seed {shown(number)}: expected at most {MAX_DIGITS} digits")
    return number


def seeded(seed: int, stream: int) -> Rng:
    """Return a stream of a seed; SpecError as `whole_seed`."""
    return Rng(whole_seed(seed), stream)


class MoveNames(dict[int, str]):
    """Canonical strings of decisions by the core's numbers; each is made when first needed.

    Attributes:
        codes: codes by string, for the strings made so far.
    """

    def __init__(self, rules: Rules, setting: Setting) -> None:
        super().__init__()
        self.codes: dict[str, int] = {}
        self._rules, self._setting = rules, setting
        self._decoder = rules.core_class.__new__(rules.core_class)

    def __missing__(self, code: int) -> str:
        text = self._rules.move_text(self._setting, self._decoder.numbers(code))
        self[code] = text
        self.codes[text] = code
        return text


@cache
def _names(rules: Rules, board: str, round: int) -> MoveNames:
    """Return the strings of a board side and a round.

    There are about 15,000 decisions in total, so nothing is ever dropped.
    """
    return MoveNames(rules, Setting(board, round))
