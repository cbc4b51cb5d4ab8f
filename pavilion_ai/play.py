"""A game in progress: push and pop moves, list legal moves, make the record.

Positions are immutable and suit the edges; a game in progress is a `Play`. It holds the core's
state, so a move costs as much as in the core plus a few dictionary look-ups.

>>> play = Play.new("summer", players=2, seed=7)
>>> move = play.push(play.legal_moves[0])
>>> play.pop() == move
True
>>> play.position == play.start
True
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, overload

from pavilion_ai.bounds import MAX_SECONDS, Range, whole
from pavilion_ai.drawn import Drawn
from pavilion_ai.errors import (
    InvalidMoveError,
    PavilionError,
    PositionError,
    RecordError,
    named_move,
    one_of,
    shown,
)
from pavilion_ai.games import (
    CHANCE_PHASES,
    CHANCE_STREAM,
    DEFAULT_GAME,
    GAMES,
    MoveNames,
    Rng,
    Rules,
    State,
    fresh_seed,
    rules_of,
    seeded,
    whole_seed,
)
from pavilion_ai.notation import format_position, parse_move, parse_position
from pavilion_ai.position import Position
from pavilion_ai.untrusted import Node, refusal
from pavilion_ai.version import engine_identity

if TYPE_CHECKING:
    from pavilion_ai.record import GameRecord

DRAW_STREAM = 1 << 20
"""First stream of a play's seed for its draws, plus the number of moves so far, so that a game that
was taken back or resumed draws the same tiles."""

HUMAN = "human"
"""Stands in records and lists of seats for the spec of a person."""
HUMAN_AGENT: Mapping[str, str] = {"spec": HUMAN, "version": ""}
"""A person among the agents of a record."""


class _Agent(Protocol):
    """An `Agent`, which stands above this module."""

    @property
    def spec(self) -> str: ...

    def identity(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class Ply:
    """One move of a play.

    Attributes:
        move: the move in canonical form.
        code: the core's code of a decision, None for a draw.
        state: the core's state before the move; it must not be changed.
    """

    move: str
    code: int | None
    state: State

    def __repr__(self) -> str:
        return f"<Ply {self.move!r}>"

    @property
    def seat(self) -> int | None:
        """The seat that decided, None for a draw."""
        return None if self.code is None else self.state.to_move


class LegalMoves(Sequence[str]):
    """The legal decisions of a position in canonical form, sorted; strings are made when needed.

    The length and the truth value cost a fraction of the full list. A copy, or what is pickled, is
    that list, to which it is equal.
    """

    def __init__(self, codes: Sequence[int], names: MoveNames) -> None:
        self._codes, self._names = codes, names
        self._texts: list[str] | None = None

    @property
    def _sorted(self) -> list[str]:
        if self._texts is None:
            self._texts = sorted(map(self._names.__getitem__, self._codes))
        return self._texts

    def __len__(self) -> int:
        return len(self._codes)

    def __contains__(self, move: object) -> bool:
        if not isinstance(move, str):
            return False
        code = self._names.codes.get(move)
        return code in self._codes if code is not None else move in self._sorted

    def __iter__(self) -> Iterator[str]:
        return iter(self._sorted)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._sorted[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (LegalMoves, list)):
            return NotImplemented
        return self._sorted == list(other)

    __hash__ = None  # type: ignore[assignment]  # nor has the list

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (self._sorted,)

    def __repr__(self) -> str:
        return f"<{len(self)} legal moves: {', '.join(self[:4])}{', ...' * (len(self) > 4)}>"


class Play(Drawn):
    """A game in progress.

    Args:
        start: the start position, also in any form of the notation. Of one made in Python only
            ranges are checked; `validate` checks the rest.
        moves: moves played from there, chance moves included.
        seed: seed of the draws that the play makes itself (`draw`); None takes a fresh one when
            needed.

    Raises:
        PositionError: the position is invalid.
        MoveError: one of the moves cannot be played.
    """

    def __init__(
        self,
        start: Position | str | Mapping[str, Any],
        moves: Iterable[str] = (),
        *,
        seed: int | None = None,
    ) -> None:
        self._notes: tuple[str, ...] = ()
        if isinstance(start, Play):
            raise PositionError.at(
                "type", "", "found a Play, expected a position; `copy` copies a play")
        if not isinstance(start, Position):
            parsed = parse_position(start)
            start, self._notes = parsed.position, parsed.notes
        self.start = start
        self.rules: Rules = rules_of(self.start)
        self._seed = None if seed is None else whole_seed(seed)
        self._state = self.rules.to_core(self.start)
        try:
            hash(self.start)
        except TypeError:  # it holds lists, which their owner could change
            self.start = self.rules.from_core(self._state)
        self._plies: list[Ply] = []
        self._position: Position | None = self.start
        for move in listed(moves):
            self.push(move)

    @classmethod
    def new(
        cls,
        game: str = DEFAULT_GAME,
        *,
        board: str = "coloured",
        players: int = 2,
        seed: int | None = None,
        start_player: int | None = None,
    ) -> Play:
        """Begin a new game; the seed determines its tiles (see `Rules.new`) and later draws.

        Raises:
            SpecError: an argument is out of its range.
        """
        rules = GAMES[one_of("game", game, GAMES)]
        seed = fresh_seed() if seed is None else seed
        return cls(rules.new(board, players, seed, start_player), seed=seed)

    @classmethod
    def of(cls, record: GameRecord, ply: int | None = None) -> Play:
        """Replay a record.

        Args:
            ply: number of moves to replay, chance moves included; None for all.

        Raises:
            RecordError: a move is illegal, there are fewer moves, or it is no record.
        """
        count = len(_record_of(record).moves)
        if ply is not None and (whole(ply) is None or not 0 <= ply <= count):
            raise RecordError(f"record {shown(record.id)}, ply {shown(ply)}: expected 0 to {count}")
        play = cls(record.start, seed=record.seed)
        for _ in _replayed(play, record, record.moves[:ply]):
            pass
        return play

    # --------------------------------------------------------------------- the current position

    @property
    def seed(self) -> int:
        """Seed of the draws."""
        if self._seed is None:
            self._seed = fresh_seed()
        return self._seed

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed where `start` left values out, and its unknown keys (`Parsed.notes`)."""
        return self._notes

    @property
    def moves(self) -> tuple[str, ...]:
        """All moves so far in canonical form, chance moves included."""
        return tuple(ply.move for ply in self._plies)

    @property
    def plies(self) -> Sequence[Ply]:
        """The moves so far with the states before them; they must not be changed."""
        return self._plies

    @property
    def position(self) -> Position:
        """The current position."""
        if self._position is None:
            self._position = self.rules.from_core(self._state)
        return self._position

    @property
    def state(self) -> State:
        """A copy of the core's state."""
        return self._state.copy()

    @property
    def turn(self) -> int | None:
        """The seat to move; None in a chance phase and at the end."""
        return None if self._state.to_move < 0 else self._state.to_move

    @property
    def phase(self) -> str:
        """The phase, in the words of the notation."""
        return self.rules.phases[self._state.phase]

    @property
    def chance(self) -> str | None:
        """The chance phase that the play is in, `deal` or `supply`, or None."""
        return self.phase if self._state.to_move < 0 and not self._state.over else None

    def is_over(self) -> bool:
        """Tell whether the game has ended."""
        return self._state.over

    def scores(self) -> tuple[int, ...]:
        """Return the scores by seat, including final bonuses once the game is over."""
        return tuple(self._state.scores())

    def winners(self) -> tuple[int, ...]:
        """Return the seats that share the victory, ascending; empty before the end."""
        return tuple(self._state.winners()) if self.is_over() else ()

    def breakdown(self) -> tuple[dict[str, int], ...]:
        """Return the parts of the final score by seat; empty before the end."""
        return self.rules.parts(self._state) if self.is_over() else ()

    def code(self) -> str:
        """Return the position in code form."""
        return format_position(self.position, "code")

    # ---------------------------------------------------------------------------------- moves

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal decisions here; none in a chance phase and at the end."""
        return self.list_moves()

    def list_moves(self, keep_policy: str = "free") -> LegalMoves:
        """Return the legal decisions under a keep policy (RULES A7.8).

        Raises:
            SpecError: if there is no such policy.
        """
        return LegalMoves(self._state.codes(self.rules.is_maximal(keep_policy)), self._names)

    @property
    def _names(self) -> MoveNames:
        return self.rules.names(self.start.board, self._state.round)

    def push(self, move: str, *, lenient: bool = False) -> str:
        """Play a decision or, in a chance phase, a chance move; return its canonical form.

        Args:
            lenient: ignore case and white space, for typed input.

        Raises:
            InvalidMoveError: the string is not a move of the game.
            IllegalMoveError: the move is not legal here; the message says why. In both cases the
                play is unchanged.
        """
        return self._add(*self._played(move, lenient))

    def ply_of(self, move: str) -> Ply:
        """Return the ply that `push` would add; raises the same errors."""
        text, code, _ = self._played(move)
        return Ply(text, code, self._state)

    def _played(self, move: str, lenient: bool = False) -> tuple[str, int | None, State]:
        """Return a move in canonical form, its number, and the state after it."""
        after = self._state.copy()
        known = self._names.codes.get(move) if type(move) is str else None
        if known is not None:
            try:
                after.apply_code(known)
                return move, known, after
            except ValueError:
                pass  # the rules say why
        text, code = self.rules.advance(after, self.position, move, lenient=lenient)
        if code is not None:
            text = self._names[code]
        return text, code, after

    def _add(self, text: str, code: int | None, after: State) -> str:
        ply, end = Ply(text, code, self._state), len(self._plies)
        # At once: no thread copies the one without the other, and no interrupt comes between.
        self._state, self._position, self._plies[end:] = after, None, (ply,)
        return text

    def push_all(self, moves: Iterable[str], seed: int | Rng | None = None) -> list[str]:
        """Play moves in order; make draws that are not given, also after the last move.

        If the play is in a chance phase at first, a decision is illegal, because it depends on the
        draw: give the chance move, or no move at all to draw the tiles at random.

        Args:
            seed: as in `draw`.

        Returns:
            all moves played, chance moves included, in canonical form.

        Raises:
            InvalidMoveError, IllegalMoveError: at the first move that cannot be played, with its
                number, `move 1` the first; earlier moves remain played.
        """
        rng = _source(seed)
        first = len(self._plies)
        for number, move in enumerate(listed(moves), 1):
            with named_move(number):
                given = CHANCE_PHASES.get(type(parse_move(move, self.rules.name)))
                while (len(self._plies) > first and self.chance
                       and given not in (self.chance, "supply")):
                    self.draw_once(rng)
                self.push(move)
        self.draw(rng)
        return [ply.move for ply in self._plies[first:]]

    def pop(self) -> str:
        """Take back the last move, which may be a chance move, and return it.

        Raises:
            PavilionError: there is no move to take back.
        """
        if not self._plies:
            raise PavilionError("no move to take back: the play stands at its start")
        ply = self._plies.pop()
        self._state = ply.state
        self._position = None if self._plies else self.start
        return ply.move

    def draw(self, seed: int | Rng | None = None) -> list[str]:
        """Draw the tiles that are due: a top-up may be followed by a deal.

        Args:
            seed: seed of the draws; None for the play's own seed, with which a game that was taken
                back draws the same tiles again.

        Returns:
            the chance moves made; empty if none was due.
        """
        rng = _source(seed)
        drawn = []
        while self.chance:
            drawn.append(self.draw_once(rng))
        return drawn

    def draw_once(self, rng: int | Rng | None = None, *, tied: bool = False) -> str:
        """Make one chance move and return it; `rng` as `seed` of `draw`, `tied` as `Rules.draw`.

        Raises:
            IllegalMoveError: no draw is due.
        """
        after = self._state.copy()
        numbers = _source(rng) or Rng(self.seed, DRAW_STREAM + len(self._plies))
        return self._add(self.rules.draw_on(after, numbers, tied=tied), None, after)

    def copy(self, seed: int | None = None) -> Play:
        """Return an independent copy.

        Attributes that a subclass adds are shared with the copy; `copy.deepcopy` copies them too.

        Args:
            seed: seed of its draws; None for the same. Whoever shows a game to a player gives
                another one, so that the player cannot foresee what will be drawn.
        """
        other = Play.__new__(type(self))
        if type(self) is not Play:
            vars(other).update(vars(self))
        other.start, other.rules = self.start, self.rules
        other._seed = self.seed if seed is None else whole_seed(seed)
        other._notes = self._notes
        other._state, other._position, other._plies = (
            self._state, self._position, self._plies.copy())
        return other

    # --------------------------------------------------------------------------------- record

    def record(
        self,
        agents: Sequence[str | Mapping[str, Any] | _Agent] | None = None,
        *,
        id: str | None = None,
        seconds: Sequence[float] = (),
        reason: str | None = None,
        engine: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> GameRecord:
        """Return the record of the game so far (docs/protocol.md).

        Args:
            agents: a spec, an `Agent` or `{"spec", "version"}` for each seat; None for people.
                An `Agent` tells its version and the hash of its network file.
            id: id of the game, unique in its file; None for one made from the seed, which games of
                one seed share.
            seconds: thinking time by seat; empty for 0 in all seats.
            reason: None for `finished` if the game is over, else `unfinished`; or why it ended
                before.
            engine: name and version of the program; None for this package.
            extra: further keys, with values that JSON can hold; numbers may be of numpy.

        Raises:
            RecordError: the number of agents or times is not the number of seats, or an argument is
                not of its type, or would be refused in a file, or the reason is empty, or
                `finished` before the game is over.
        """
        from pavilion_ai.record import FINISHED, UNFINISHED, GameRecord, checked

        players = self.start.players
        by_seat = [HUMAN_AGENT] * players if agents is None else [
            _named(agent) for agent in _per_seat("agents", agents, players)]
        times = _per_seat("seconds", seconds, players, 0.0)
        given = checked(
            players,
            id=f"play-{self.seed}" if id is None else id,
            agents=by_seat,
            seconds=[_rounded(value) for value in times],
            reason=(FINISHED if self.is_over() else UNFINISHED) if reason is None else reason,
            engine=engine_identity() if engine is None else engine,
            extra={} if extra is None else extra,
        )
        if not given["reason"] or (given["reason"] == FINISHED and not self.is_over()):
            raise RecordError(f"reason {shown(reason)}: expected why the game is over, or None")
        return GameRecord(
            **given,
            seed=self.seed,
            start=self.start,
            moves=self.moves,
            scores=self.scores(),
            winners=self.winners(),
            breakdown=self.breakdown(),
        )

    # ----------------------------------------------------------------------- special methods

    def _drawn(self) -> Position:
        return self.position

    def __repr__(self) -> str:
        return (f"Play({format_position(self.start, 'code')!r}, {list(self.moves)!r},"
                f" seed={self._seed!r})")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Play):
            return NotImplemented
        return (self.start, self.moves) == (other.start, other.moves)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __reduce__(self) -> tuple[Any, ...]:
        more = {name: value for name, value in vars(self).items() if name not in _OWN}
        return _rebuilt, (type(self), self.start, self.moves, self.seed, self._notes), more or None


_OWN = {"start", "rules", "_notes", "_seed", "_state", "_plies", "_position"}
"""Attributes of a play, as opposed to those of a subclass."""


def listed(moves: Iterable[str]) -> Iterable[str]:
    """Return moves as they are given. InvalidMoveError: they are a single text, or no list."""
    if isinstance(moves, str) or not isinstance(moves, Iterable):
        raise InvalidMoveError(f"found {shown(moves)}, expected a list of moves")
    return moves


def push_each(play: Play, moves: Iterable[str], first: int = 1) -> list[str]:
    """Play moves in order, chance moves among them; nothing is drawn. Return what was played.

    Args:
        first: number of the first move in errors.

    Raises:
        InvalidMoveError, IllegalMoveError: as `Play.push_all`.
    """
    done = []
    for number, move in enumerate(moves, first):
        with named_move(number):
            done.append(play.push(move))
    return done


def play_of(play: Play) -> Play:
    """Return a play as it is given. PavilionError: it is something else."""
    if not isinstance(play, Play):
        raise PavilionError(f"play: found {shown(play)}, expected a Play")
    return play


def copy_of(play: Play) -> Play:
    """Return a copy of a play, which may go on meanwhile. PavilionError: it is something else."""
    return play_of(play).copy()


def mover_of(play: Play) -> int:
    """Return the seat to move of a play.

    Raises:
        PavilionError: no seat is to move, or it is not a play.
    """
    turn = play_of(play).turn
    if turn is None:
        raise PavilionError(f"no seat is to move in phase {play.phase}")
    return turn


def _record_of(record: GameRecord) -> GameRecord:
    """Return a record as it is given. RecordError: it is something else."""
    from pavilion_ai.record import GameRecord

    if not isinstance(record, GameRecord):
        raise RecordError(f"found {shown(record)}, expected a GameRecord")
    return record


def walk(record: GameRecord) -> Iterator[Play]:
    """Replay a record: yield one play at the start and after every move, the same each time.

    Raises:
        RecordError: a move is illegal, and the message names its number; or it is no record.
    """
    play = Play(_record_of(record).start, seed=record.seed)
    yield play
    yield from _replayed(play, record, record.moves)


def _replayed(play: Play, record: GameRecord, moves: Iterable[str]) -> Iterator[Play]:
    for number, move in enumerate(moves, 1):
        try:
            play.push(move)
        except PavilionError as error:
            raise RecordError(f"record {shown(record.id)}, move {number}: {error}") from error
        yield play


def entry_of(spec: str, agent: _Agent) -> dict[str, str]:
    """Return the entry of a record for an agent that was made from a spec."""
    known = agent.identity()
    network = {"network": known["network"]} if "network" in known else {}
    return {"spec": spec, "version": known.get("version", "unknown"), **network}


def _per_seat(name: str, given: object, players: int, *default: float) -> list[Any]:
    """Return what is given for each seat; of nothing, the default if there is one.

    Raises:
        RecordError: it is something else.
    """
    found = Node(given, name, refusal(RecordError)).listed("one per seat")
    found = found or [*default] * players
    if len(found) != players:
        raise RecordError(f"{name}: found {len(found)}, expected {players}, one per seat")
    return found


def _rounded(seconds: object) -> Any:
    """Return seconds to the millisecond, as a number of Python, anything else as it is."""
    number = Range(float, 0, MAX_SECONDS).number(seconds)
    return seconds if number is None else round(number, 3)


def _named(agent: str | Mapping[str, Any] | _Agent) -> Mapping[str, Any]:
    """Return the entry of a record for the player of a seat."""
    if isinstance(agent, str):
        return {"spec": agent, "version": ""}
    if isinstance(agent, Mapping):
        named = {"spec": None, "version": "", **agent}
        texts = [named["spec"], *(named.get(key, "") for key in ("version", "name", "network"))]
        if all(isinstance(text, str) for text in texts):
            return named
    elif isinstance(spec := getattr(agent, "spec", None), str) and hasattr(agent, "identity"):
        return entry_of(spec, agent)
    raise RecordError(f"agents: found {shown(agent)}, expected a spec, an Agent, or an object with"
                      " its spec and version")


def _source(seed: int | Rng | None) -> Rng | None:
    """Return the random numbers of draws; None for those of the play's own seed."""
    return seed if seed is None or isinstance(seed, Rng) else seeded(seed, CHANCE_STREAM)


def _rebuilt(
    cls: type[Play], start: Position, moves: Iterable[str], seed: int, notes: tuple[str, ...] = ()
) -> Play:
    play = cls(start, moves, seed=seed)
    play._notes = notes
    return play
