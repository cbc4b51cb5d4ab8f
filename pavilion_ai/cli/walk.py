"""Walk through a recorded game: one line per ply, or step by step on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from pavilion_ai.cli.exits import FAILED, CommandError
from pavilion_ai.cli.said import QUIT, asked, say
from pavilion_ai.errors import RecordError, first_line, printable, shown
from pavilion_ai.notation import format_position
from pavilion_ai.play import walk
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord
from pavilion_ai.render import breakdown_of, describe
from pavilion_ai.render.record_text import head, plain_name, result
from pavilion_ai.render.screen import legend, screen
from pavilion_ai.render.text import DIM, STRONG, Line, Span, line, width_of, wrap, write

HELP = "Enter or n: next, p: previous, NUMBER: that ply, e: end, c: code, q: quit"


def positions_of(record: GameRecord) -> Iterator[Position]:
    """Yield the positions of a game; an illegal move ends the command."""
    try:
        yield from (play.position for play in walk(record))
    except RecordError as error:
        raise CommandError(first_line(error), FAILED) from None


class Telling:
    """Describes the plies of a game."""

    def __init__(self, record: GameRecord) -> None:
        self.record = record
        short = [len(move) for move in record.moves if not move.startswith("deal:")]
        self._digits = len(str(len(record.moves)))
        self._column = max(short, default=0)

    def ply(self, number: int, before: Position, after: Position) -> Line:
        """Return number, seat, move, words and the scores after a ply, counted from 1."""
        move = printable(self.record.moves[number - 1])
        who = "chance" if before.to_move is None else f"seat {before.to_move}"
        scores = ", ".join(str(seat.score) for seat in after.seats)
        return line(
            f"{number:>{self._digits}}  {who}  ",
            Span(move, STRONG),
            " " * (self._column - len(move) + 2 if len(move) <= self._column else 2),
            Span(describe(before, self.record.moves[number - 1]), DIM),
            f"  [{scores}]",
        )


def print_all(record: GameRecord) -> None:
    """Print one line per ply; what else is told of the game stands after a `#`."""
    telling = Telling(record)
    say("\n".join(f"# {text}" for text in head(record)))
    before: Position | None = None
    for number, position in enumerate(positions_of(record)):
        if before is not None:
            write([telling.ply(number, before, position)])
        before = position
    assert before is not None  # the start is always there
    say(f"# {result(record)}")
    check_end(record, before)


def check_end(record: GameRecord, end: Position) -> None:
    """Report where the record contradicts its moves."""
    faults = record.end_faults(end)
    if faults:
        raise CommandError([f"record {shown(record.id)}: {fault}" for fault in faults], FAILED)


class Walk:
    """Lets a person step through a game on a terminal."""

    def __init__(self, record: GameRecord) -> None:
        self._record = record
        self._telling = Telling(record)
        self._positions: list[Position] = []
        self._fault: CommandError | None = None
        try:
            for position in positions_of(record):
                self._positions.append(position)
            check_end(record, self._positions[-1])
        except CommandError as fault:
            self._fault = fault
        self._at = 0
        self._drawn_once = False

    @property
    def _last(self) -> int:
        return len(self._positions) - 1

    def run(self) -> None:
        """Show the requested positions until the person quits.

        Raises:
            CommandError: at the end, if the record cannot be replayed.
        """
        say("\n".join([*head(self._record), HELP]))
        self._show()
        while self._answer(self._asked()):
            pass
        if self._fault is not None:
            raise self._fault

    def _asked(self) -> str:
        try:
            return asked(f"ply {self._at} of {len(self._record.moves)}> ").strip().lower()
        except EOFError:
            say()
            return "q"
        except UnicodeDecodeError:
            return "?"

    def _answer(self, word: str) -> bool:
        """Carry out a command; return whether to continue."""
        if word in QUIT:
            return False
        if word in ("c", "code"):
            say(format_position(self._positions[self._at], "code"))
            return True
        steps = {"": 1, "n": 1, "next": 1, "p": -1, "previous": -1}
        if word in steps:
            self._go(self._at + steps[word])
        elif word in ("e", "end"):
            self._go(self._last)
        elif word.isascii() and word.isdigit():
            self._go(int(word[:9]))
        else:
            say(HELP)
        return True

    def _go(self, ply: int) -> None:
        if 0 <= ply <= self._last:
            self._at = ply
            self._show()
        elif ply < 0:
            say("This is the start.")
        elif self._fault is not None and self._last < len(self._record.moves):
            say(f"Not possible: {self._fault.lines[0]}")
        elif self._at == self._last:
            say("This is the end.")
        else:
            say(f"The last ply is {self._last}.")

    def _show(self) -> None:
        """Draw the current position under the move that led to it; the mover's board last."""
        width = width_of()
        at, position = self._at, self._positions[self._at]
        names = tuple(f"seat {seat} ({plain_name(agent)})"
                      for seat, agent in enumerate(self._record.agents))
        turn = self._positions[at - 1].to_move if at else position.to_move
        above, below = screen(position, names, width, first=turn or 0,
                              breakdown=breakdown_of(position))
        told: list[Line] = []
        if at:
            told = wrap(self._telling.ply(at, self._positions[at - 1], position), width, 4)
        signs = [] if self._drawn_once else legend(position, width)
        self._drawn_once = True
        write([*signs, *above, (), *told, *below])
        if at == len(self._record.moves):
            say(result(self._record))
