"""Play a game at the terminal: prompts, commands, narration, saving."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from pavilion_ai.agents import make_agent, read_networks
from pavilion_ai.cli.exits import DONE, FAILED, INTERRUPTED, CommandError
from pavilion_ai.cli.menu import Menu
from pavilion_ai.cli.options import limits_for
from pavilion_ai.cli.program import os_line
from pavilion_ai.cli.programs import introduced
from pavilion_ai.cli.real_tiles import REFUSAL, chance_move, prompt_of
from pavilion_ai.cli.recording import free_id, games_of_play, recording
from pavilion_ai.cli.said import QUIT, as_command, note, say, typed
from pavilion_ai.cli.session import Session
from pavilion_ai.cli.typed import Unclear, begins, move_of
from pavilion_ai.clock import OutOfTimeError
from pavilion_ai.errors import PavilionError, RecordError, file_fault, shown
from pavilion_ai.external import EngineFault, end_all
from pavilion_ai.interrupts import forget
from pavilion_ai.play import HUMAN
from pavilion_ai.processors import cores
from pavilion_ai.record import RESIGNED, UNFINISHED, GameRecord, Recorder
from pavilion_ai.render import breakdown_of, describe, move_examples
from pavilion_ai.render.screen import legend, screen
from pavilion_ai.render.text import (
    DIM,
    STRONG,
    Line,
    Span,
    height_of,
    width_of,
    wrap,
    write,
)
from pavilion_ai.render.words import victory
from pavilion_ai.solo import RULE, rivals_of
from pavilion_ai.spec import capped, is_program, names_file
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.agents import Agent
    from pavilion_ai.position import Position

HINTED_MOVES = 3
LEAST_OFFERS = 3
"""Lines of moves shown even where the position takes all the others."""
_SCREENFUL = 50
_HELP_INDENT = 17
HELP = (
    ("MOVE", "play it: {examples}; its beginning will do, without signs: d3r"),
    ("NUMBER", "play that move of the list"),
    ("moves [START]", "list all legal moves, or those that begin with START"),
    ("hint, h", "show the engine's best moves and their numbers"),
    ("undo, u", "take back to your last decision"),
    ("resign", "give the game up"),
    ("show", "draw the position again"),
    ("signs", "explain the signs of the drawing"),
    ("code", "print the position code"),
    ("save FILE", "write the record of the game so far to a file"),
    ("quit, q", "quit, and print the command that resumes the game"),
    ("help, ?", "this list"),
)
AT_DRAWS = ("undo", "u", "show", "signs", "code", "save", *QUIT, "help", "?")
"""Commands that are there when tiles are asked for."""
DRAW = ("draw", "draw the tiles at random")
NOT_SOLO = {
    "hint, h": "There are no hints in a solo game.",
    "undo, u": "Moves cannot be taken back in a solo game.",
    "resign": "A solo game cannot be given up; `quit` leaves it.",
}
"""What a solo game says to commands that it does not have."""


class _Quit(Exception):
    """The person quits."""


class _EngineFailed(CommandError):
    """A program that plays a seat has failed."""


class _NotSaved(CommandError):
    """The game cannot be recorded any more."""


def _end_line() -> None:
    """End the line of the prompt, if the terminal is still there."""
    with suppress(OSError):
        say()


class Table:
    """Runs a session: asks people, lets engines choose, reports the moves, saves."""

    def __init__(
        self,
        session: Session,
        record: str | None,
        recorder: Recorder | None,
        seconds: float | None,
        sims: int | None,
    ) -> None:
        self._session = session
        self._record = record
        self._recorder = recorder
        self._limits = (seconds, sims)
        self._agents: dict[int, Agent] = {
            seat: make_agent(capped(spec, cores()))
            for seat, spec in enumerate(session.seats) if spec != HUMAN
        } if session.solo is None else rivals_of(session.solo)
        if session.clocks is not None:
            read_networks(self._agents.values(), session.play.start)
        self._names = session.names()
        self._menu: Menu | None = None
        self._told = 0  # lines printed since the last drawing
        self._commands: dict[str, Callable[[str], None]] = {
            "moves": self._list_moves,
            "hint": self._hint,
            "h": self._hint,
            "resign": self._resign,
            "undo": self._undo,
            "u": self._undo,
            "show": self._show,
            "signs": self._signs,
            "code": self._code,
            "save": self._save_as,
            **dict.fromkeys(QUIT, self._quit),
            "help": self._help,
            "?": self._help,
        }
        if session.solo is not None:
            for words, refusal in NOT_SOLO.items():
                for word in words.split(", "):
                    self._commands[word] = partial(self._refuse, refusal)

    def run(self) -> int:
        """Play the game until it ends or is interrupted; return the exit code."""
        session = self._session
        if not session.is_watched:
            say("Type a move or its number; `help` lists the commands.")
            self._told += 1
            self._signs("")
        else:
            say(f"position {session.play.code()}")
        try:
            self._save()
            if self._record is not None and not session.is_over():
                introduced(self._agents.values())
            while not session.is_over():
                self._timed_step()
                self._save()
        except _NotSaved:
            if session.is_over():
                self._result()
            raise
        except _Quit:
            self._left()
            end_all()
            return DONE
        except _EngineFailed:
            self._left()
            raise
        except KeyboardInterrupt:
            _end_line()
            self._left()
            return INTERRUPTED
        self._result()
        end_all()
        return DONE

    def _timed_step(self) -> None:
        """Make one move, unless the seat to move runs out of time."""
        seat = self._session.play.turn
        try:
            self._step()
        except OutOfTimeError as error:
            assert seat is not None  # chance has no clock
            self._session.lost = seat, str(error)

    def _step(self) -> None:
        """Make one move: a draw, an engine's or a person's."""
        session = self._session
        before, seat = session.play.position, session.play.turn
        if seat is None and session.real_tiles:
            self._ask_tiles()
        elif seat is None:
            self._tell("chance", before, session.draw())
        elif seat in self._agents:
            agent, limits = self._agents[seat], None
            if session.solo is None and not agent.limited:
                limits = limits_for(session.seats[seat], *self._limits)
            try:
                move = session.choose(agent, limits)
            except (EngineFault, OSError) as fault:
                why = os_line(fault) if isinstance(fault, OSError) else fault
                raise _EngineFailed(f"seat {seat} ({session.seats[seat]}): {why}",
                                    FAILED) from None
            self._tell(self._names[seat], before, move)
        else:
            self._ask(seat)

    def _tell(self, who: str, before: Position, move: str) -> None:
        shown = move.startswith("deal:") and not self._session.is_watched  # drawn next
        words = "" if shown else f"  {self._named(describe(before, move))}"
        rows = wrap([f"{who}: ", Span(move, STRONG), Span(words, DIM)], self._width, 4)
        self._told += len(rows)
        write(rows)

    def _write(self, rows: Sequence[Line]) -> None:
        """Print lines that may name seats."""
        write([tuple(Span(self._named(span.text), span.style) for span in row) for row in rows])

    def _named(self, text: str) -> str:
        """Call the seats by the names of their players."""
        return re.sub(rf"\bseat ([0-{len(self._names) - 1}])\b",
                      lambda found: self._names[int(found[1])], text)

    @property
    def _width(self) -> int:
        return width_of()

    # -- a person's turn ---------------------------------------------------------------------

    def _ask(self, seat: int) -> None:
        """Ask a person until a move is played or taken back, or the person leaves."""
        self._menu = None
        self._show("")
        played = len(self._session.play.plies)
        self._session.start_clock()
        while len(self._session.play.plies) == played and self._session.lost is None:
            self._session.stop_clock(seat)  # a command has taken its time
            text = self._typed(seat, f"{self._names[seat]}{self._time_left(seat)}> ")
            self._answer(text)

    def _ask_tiles(self) -> None:
        """Ask what was drawn until that is played, a decision is taken back, or the person leaves.
        """
        play = self._session.play
        chance, before, drawn = play.chance, play.position, len(play.plies)
        assert chance is not None
        due = play.rules.top_up(play.state)[0] if chance == "supply" else 0
        while len(play.plies) == drawn:
            text = self._typed(self._session.viewer, prompt_of(play.rules, chance, due))
            word = text.split(None, 1)[0].lower() if text else ""
            if word in AT_DRAWS:
                self._answer(text)
            elif word in self._commands:
                say(f"No {word} while tiles are asked for; `help` lists the commands.")
            elif word == DRAW[0]:
                self._tell("chance", before, self._session.draw())
            elif text:
                try:
                    self._tell("chance", before, play.push(chance_move(chance, text), lenient=True))
                except PavilionError as error:
                    write(wrap([REFUSAL.format(error)], self._width, 4))

    def _typed(self, seat: int, prompt: str) -> str:
        """Return what a person types at a prompt, without spaces around it."""
        try:
            return typed(prompt)
        except EOFError:
            self._session.stop_clock(seat)
            _end_line()
            raise _Quit from None
        except KeyboardInterrupt:
            self._session.stop_clock(seat)
            raise

    def _time_left(self, seat: int) -> str:
        """Return what a seat's clock shows, for the prompt."""
        clocks = self._session.clocks
        left = None if clocks is None else clocks.left[seat]
        return "" if left is None else f", {left:.1f} s left"

    def _answer(self, text: str) -> None:
        seat = self._session.play.turn or 0
        self._session.stop_clock(seat)
        if not text:
            return
        word, *rest = text.split(None, 1)
        command = self._commands.get(word.lower())
        if command is not None:
            if rest and command not in (self._list_moves, self._save_as):
                say(f"{word.lower()} takes nothing after it, found {rest[0]!r}.")
                return
            command("".join(rest))
            return
        try:
            self._play(move_of(text, self._session.play, self._offered()))
        except Unclear as question:
            write(wrap([str(question)], self._width, 4))
        except PavilionError as error:
            write(wrap([REFUSAL.format(error)], self._width, 4))

    def _play(self, text: str) -> None:
        session = self._session
        seat, before = session.play.turn, session.play.position
        assert seat is not None  # a person has been asked
        move = session.play.push(text)
        if session.clocks is not None:
            session.clocks.add_increment(seat)
        self._tell(self._names[seat], before, move)

    def _offered(self) -> Menu:
        """Return the moves of this decision with their numbers."""
        if self._menu is None:
            self._menu = Menu(self._session.play, hinting=self._session.solo is None)
        return self._menu

    # -- commands ----------------------------------------------------------------------------

    def _show(self, _: str) -> None:
        """Draw the position and list moves, so that the boards stand last, above the prompt."""
        session = self._session
        play, width = session.play, self._width
        turn = play.turn
        above, below = screen(play.position, self._names, width,
                              first=turn if turn is not None else session.viewer,
                              breakdown=breakdown_of(play.position))
        room = height_of(sys.stdout) - len(below) - 1  # a line for the prompt
        told, self._told = (0 if above else self._told), 0
        offers = []
        if turn is not None:
            offers = self._offered().lines(width, max(LEAST_OFFERS, room - told))
        self._write([*above, *offers, *below])

    def _signs(self, _: str) -> None:
        """Explain the signs of the drawing."""
        rows = legend(self._session.play.position, self._width)
        self._told += len(rows)
        write(rows)

    def _list_moves(self, start: str) -> None:
        """List all moves with their numbers, or those that begin with some characters."""
        menu = self._offered()
        chosen = [move for move in menu.moves if begins(start, move)]
        if not chosen:
            say(f"No legal move begins with {start!r}.")
            return
        for first in range(0, len(chosen), _SCREENFUL):  # so that the first rows come at once
            self._write(menu.in_full(chosen[first:first + _SCREENFUL], self._width))

    def _hint(self, _: str) -> None:
        from pavilion_ai.render.analysis_text import analysis_lines

        play = self._session.play
        analysis = make_agent("default").analyse(
            play, limits_for("default", *self._limits), seed=self._session.agent_seed()
        )
        if analysis.interrupted:
            forget()  # the game continues
        analysis = replace(analysis, moves=self._offered().once_each(analysis.moves))
        rows = analysis_lines(analysis, play.position, top=HINTED_MOVES, width=self._width,
                              numbers=self._offered().numbers)
        self._write(rows)

    def _undo(self, _: str) -> None:
        taken = self._session.undo()
        if not taken:
            say("Nothing to take back.")
            return
        say(f"Took back {plural(taken, 'move')}.")
        self._told += 1

    def _resign(self, _: str) -> None:
        session = self._session
        seat = session.play.turn
        assert seat is not None  # a person has been asked
        if self._typed(seat, "Resign the game? yes or no> ").lower() in ("yes", "y"):
            session.stop_clock(seat)
            session.lost = seat, RESIGNED

    def _code(self, _: str) -> None:
        say(self._session.play.code())

    def _save_as(self, path: str) -> None:
        if not path:
            say("save needs the name of a file.")
            return
        try:
            if self._recorder is not None and self._recorder.is_at(path):
                _replace(self._recorder, self._session.record())
            else:
                with recording(path) as recorder:
                    _replace(recorder, self._beside(games_of_play(recorder)))
        except OSError as error:
            say(f"Not saved: {file_fault(path, error)}")
        except (CommandError, PavilionError) as error:
            for line in str(error).splitlines():
                say(f"Not saved: {line}")
        else:
            say(f"Saved; `{as_command(self._going_on(path))}` resumes from here.")

    def _beside(self, games: Sequence[GameRecord]) -> GameRecord:
        """Return the record of the game as it can stand at the end of a file with these games.

        Raises:
            CommandError: another game there would not be resumed any more.
        """
        record = self._session.record()
        if not games or games[-1].reason != UNFINISHED:
            taken = record.id in {game.id for game in games}
            return replace(record, id=free_id(record.seed, games)) if taken else record
        last = games[-1]
        if not self._is_this(last):
            raise CommandError(f"another unfinished game, {shown(last.id)}, stands at its end;"
                               " give another file")
        return replace(record, id=last.id)

    def _is_this(self, record: GameRecord) -> bool:
        """Tell whether a record is of this game, as far as it was played then."""
        play = self._session.play
        return (record.seed, record.start, [agent.get("spec") for agent in record.agents]) == (
            play.seed, play.start, [*self._session.seats])

    def _quit(self, _: str) -> None:
        raise _Quit

    def _help(self, _: str) -> None:
        examples = move_examples(self._session.play.rules.name)
        drawing = self._session.play.chance is not None
        offered = [one for one in HELP if not drawing or one[0].split()[0].strip(",") in AT_DRAWS]
        for words, meaning in (*[DRAW] * drawing, *offered):
            if self._session.solo is None or words not in NOT_SOLO:
                said = f"  {words:14} {meaning.format(examples=examples)}"
                write(wrap([said], self._width, _HELP_INDENT))

    @staticmethod
    def _refuse(refusal: str, _: str) -> None:
        say(refusal)

    # -- saving and the end ------------------------------------------------------------------

    def _save(self) -> None:
        if self._recorder is None or self._record is None:
            return
        try:
            _replace(self._recorder, self._session.record())
        except (OSError, RecordError) as error:
            file, recorder, self._record, self._recorder = self._record, self._recorder, None, None
            if (moves := self._moves_in(recorder)) is not None:
                note(f"{file}: holds the game up to move {moves}; once it can be written again,"
                     f" `{as_command(self._going_on(file))}` resumes there")
            elif not self._session.is_over():
                self._tell_going_on()
            fault = file_fault(file, error) if isinstance(error, OSError) else str(error)
            raise _NotSaved(fault, FAILED) from None

    def _moves_in(self, recorder: Recorder) -> int | None:
        """Return how many moves of this game a file holds, None if it cannot be resumed there."""
        try:
            games = recorder.read()
        except (OSError, RecordError):
            return None
        last = games[-1] if games and games[-1].reason == UNFINISHED else None
        return len(last.moves) if last is not None and self._is_this(last) else None

    def _left(self) -> None:
        """Save, and print the command that resumes the game."""
        self._save()
        if self._record is None:
            self._tell_going_on()
        else:
            note(f"the game is saved; `{as_command(self._going_on(self._record))}` resumes it")

    def _tell_going_on(self) -> None:
        """Print the command that continues without a record, and what differs then."""
        # draws depend on the seed and the number of moves
        if self._session.solo is None and not self._session.real_tiles:
            clocks = "" if self._session.clocks is None else ", and clocks start anew"
            note(f"tiles to come are drawn anew{clocks}; --record FILE keeps the draws of seed"
                 f" {self._session.play.seed}")
        note(f"resume with: {as_command(self._going_on(None))}")

    def _going_on(self, record: str | None) -> list[str]:
        """Return the command that resumes the game from here, with the same seats and limits.

        Args:
            record: file that holds the game, if one does.
        """
        session = self._session
        command = ["pavilion", "play"]
        if (solo := session.solo) is not None:
            return [*command, "--solo", "--game", solo.game, "--board", solo.board,
                    "--players", f"{solo.players}", "--seed", f"{solo.seed}",
                    *(["--rule"] if solo.level == RULE else ["--level", f"{solo.level}"])]
        if record is not None:  # where the seats stand
            command += ["--record", record, *self._trusted()]
        else:
            command += ["--from", session.play.code(),
                        "--seats", ",".join(session.seats),
                        *["--real-tiles"] * session.real_tiles]
            if session.clocks is not None:
                command += ["--clock", str(session.clocks.controls[0])]
        for option, value in zip(("--time", "--sims"), self._limits, strict=True):
            command += [option, f"{value}"] if value is not None else []
        return command

    def _trusted(self) -> list[str]:
        """Return the option without which a record starts no programs and opens no files, if there
        are any.
        """
        return ["--trust"] if any(is_program(spec) or names_file(spec)
                                  for spec in self._session.seats) else []

    def _result(self) -> None:
        session = self._session
        play = session.play
        if not session.is_watched and session.lost is None:
            self._show("")
        for seat, name in enumerate(self._names):
            points = f"{name}: {plural(play.scores()[seat], 'point')}"
            if play.is_over():
                parts = play.breakdown()[seat]
                points += f" = {' + '.join(f'{key} {value}' for key, value in parts.items())}"
            say(points)
        if session.lost is not None:
            say(f"{self._names[session.lost[0]]}: {session.lost[1]}")
        winners = session.record().winners
        say(victory([f"seat {seat}" if session.is_watched else self._names[seat]
                     for seat in winners]))


def _replace(recorder: Recorder, record: GameRecord) -> None:
    """Write the record of a game, of which moves may have been taken back and seats given up."""
    recorder.write(record, earlier=record)
