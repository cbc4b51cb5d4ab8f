"""Play a game at the terminal: prompts, commands, narration, saving."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from pavilion_ai.agents import make_agent
from pavilion_ai.cli.common import drawing, note
from pavilion_ai.cli.program import DONE, FAILED, INTERRUPTED, CommandError
from pavilion_ai.cli.recording import games_of_play, recording
from pavilion_ai.cli.session import HUMAN, Session
from pavilion_ai.cli.suggest import limits_for
from pavilion_ai.errors import PavilionError
from pavilion_ai.external import EngineFault
from pavilion_ai.interrupts import forget
from pavilion_ai.record import Recorder
from pavilion_ai.render import describe, move_examples
from pavilion_ai.render.text import (
    DIM,
    STRONG,
    Span,
    is_terminal,
    line,
    pad,
    width_of,
    wrap,
    write,
)
from pavilion_ai.render.words import joined
from pavilion_ai.spec import capped, is_program
from pavilion_ai.workers.local import cores

if TYPE_CHECKING:
    from pavilion_ai.agents import Agent
    from pavilion_ai.position import Position

LISTED_MOVES = 20
HINTED_MOVES = 3
HELP = (
    ("MOVE", "play it: {examples}"),
    ("NUMBER", "play that move of the list"),
    ("moves [START]", "list all legal moves, or those that begin with START"),
    ("hint", "show the engine's best moves and their numbers"),
    ("undo", "take back to your last decision"),
    ("show", "draw the position again"),
    ("code", "print the position code"),
    ("save FILE", "write the record of the game so far to a file"),
    ("quit", "quit; with --record the game can be resumed"),
    ("help", "this list"),
)


class _Quit(Exception):
    """The person quits."""


class CommandMistake(PavilionError):
    """A command typed by a person cannot be carried out."""


class _EngineFailed(CommandError):
    """A program that plays a seat has failed."""


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
        }
        self._drawn_once = False
        self._commands: dict[str, Callable[[str], None]] = {
            "moves": self._list_moves,
            "hint": self._hint,
            "undo": self._undo,
            "show": self._show,
            "code": self._code,
            "save": self._save_as,
            "quit": self._quit,
            "exit": self._quit,
            "help": self._help,
            "?": self._help,
        }

    def run(self) -> int:
        """Play the game until it ends or is interrupted; return the exit code."""
        session = self._session
        if any(spec == HUMAN for spec in session.seats):
            click.echo("Type a move or its number; `help` lists the commands.")
        else:
            click.echo(f"position {session.play.code()}")
        try:
            self._save()
            while not session.play.is_over():
                self._step()
                self._save()
        except _Quit:
            self._left()
            return DONE
        except _EngineFailed:
            self._left()
            raise
        except KeyboardInterrupt:
            click.echo()
            self._left()
            return INTERRUPTED
        self._result()
        return DONE

    def _step(self) -> None:
        """Make one move: a draw, an engine's or a person's."""
        session = self._session
        before, seat = session.play.position, session.play.turn
        if seat is None:
            move = session.play.draw_once()
            self._tell("chance", before, move)
        elif seat in self._agents:
            limits = limits_for(session.seats[seat], *self._limits)
            try:
                move = session.choose(self._agents[seat], limits)
            except EngineFault as fault:
                raise _EngineFailed(f"seat {seat} ({session.seats[seat]}): {fault}",
                                    FAILED) from None
            self._tell(f"seat {seat} ({session.seats[seat]})", before, move)
        else:
            self._ask(seat)

    def _tell(self, who: str, before: Position, move: str) -> None:
        words = describe(before, move)
        write(wrap([f"{who}: ", Span(move, STRONG), Span(f"  {words}", DIM)], self._width, 4))

    @property
    def _width(self) -> int:
        return width_of(sys.stdout)

    # -- a person's turn ---------------------------------------------------------------------

    def _ask(self, seat: int) -> None:
        """Ask a person until a move is played or taken back, or the person leaves."""
        self._show("")
        self._list_moves("", short=True)
        played = len(self._session.play.plies)
        while len(self._session.play.plies) == played:
            try:
                text = input(f"seat {seat}> ")
            except EOFError:
                click.echo()
                raise _Quit from None
            except UnicodeDecodeError:
                click.echo("That line is not UTF-8 text.")
                continue
            if not is_terminal(sys.stdin):
                click.echo(text)  # as a terminal would have shown it
            self._answer(text.strip())

    def _answer(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        command = self._commands.get(word.lower())
        if not text:
            return
        if command is not None:
            command(rest.strip())
            return
        try:
            self._play(self._numbered(text) if text.isascii() and text.isdigit() else text)
        except PavilionError as error:
            click.echo(f"Not possible: {error}")

    def _numbered(self, text: str) -> str:
        legal = self._legal()
        number = int(text) if len(text) < 6 else 0
        if not 1 <= number <= len(legal):
            raise CommandMistake(f"no move number {text[:20]}; expected 1 to {len(legal)}")
        return legal[number - 1]

    def _play(self, text: str) -> None:
        before = self._session.play.position
        move = self._session.play.push(text, lenient=True)
        self._tell("you", before, move)

    def _legal(self, keep_policy: str = "free") -> list[str]:
        return list(self._session.play.list_moves(keep_policy))

    # -- commands ----------------------------------------------------------------------------

    def _show(self, _: str) -> None:
        session = self._session
        you = "(you)" if session.seats.count(HUMAN) == 1 else ""
        names = tuple(you if spec == HUMAN else f"({spec})" for spec in session.seats)
        rows = drawing(session.play.position, self._width, names, legend=not self._drawn_once)
        self._drawn_once = True
        write([(), *rows, ()])

    def _list_moves(self, start: str, short: bool = False) -> None:
        """List moves with their numbers; the short list omits rarely useful ones."""
        legal = self._legal()
        wanted = set(self._legal("maximal")) if short else set(legal)
        chosen = [
            (number, move)
            for number, move in enumerate(legal, 1)
            if move in wanted and move.lower().startswith(start.lower())
        ]
        chosen = chosen[:LISTED_MOVES] if short else chosen
        if not chosen:
            click.echo(f"No legal move begins with {start!r}.")
            return
        column = max(len(move) for _, move in chosen) + 7
        for number, move in chosen:
            left = pad(line(f"{number:>4}  ", Span(move, STRONG)), column + 1)
            words = Span(describe(self._session.play.position, move), DIM)
            write(wrap([*left, words], self._width, column + 1))
        if short and len(chosen) < len(legal):
            click.echo(f"      and {len(legal) - len(chosen)} more: `moves` lists all")

    def _hint(self, _: str) -> None:
        from pavilion_ai.render.analysis_text import analysis_lines

        play = self._session.play
        analysis = make_agent("default").analyse(
            play, limits_for("default", *self._limits), seed=self._session.agent_seed()
        )
        if analysis.interrupted:
            forget()  # the game goes on
        numbers = {move: number for number, move in enumerate(self._legal(), 1)}
        write(
            analysis_lines(
                analysis, play.position, top=HINTED_MOVES, width=self._width, numbers=numbers
            )
        )

    def _undo(self, _: str) -> None:
        taken = self._session.undo()
        if not taken:
            click.echo("Nothing to take back.")
            return
        click.echo(f"Took back {taken} {'move' if taken == 1 else 'moves'}.")

    def _code(self, _: str) -> None:
        click.echo(self._session.play.code())

    def _save_as(self, path: str) -> None:
        if not path:
            click.echo("save needs the name of a file.")
            return
        try:
            if self._recorder is not None and self._recorder.is_at(path):
                self._recorder.write(self._session.record())
            else:
                with recording(path) as recorder:
                    games_of_play(recorder)
                    recorder.write(self._session.record())
        except OSError as error:
            click.echo(f"Not saved: {path}: {error.strerror}")
        except (CommandError, PavilionError) as error:
            click.echo(f"Not saved: {error}")
        else:
            command = shlex.join(["pavilion", "play", "--record", path, *self._trusted()])
            click.echo(f"Saved; `{command}` resumes from here.")

    def _quit(self, _: str) -> None:
        raise _Quit

    def _help(self, _: str) -> None:
        examples = move_examples(self._session.play.rules.name)
        for word, meaning in HELP:
            click.echo(f"  {word:14} {meaning.format(examples=examples)}")

    # -- saving and the end ------------------------------------------------------------------

    def _save(self) -> None:
        if self._recorder is None:
            return
        try:
            self._recorder.write(self._session.record())
        except OSError as error:
            file, self._record, self._recorder = self._record, None, None
            note(f"resume with: {shlex.join(self._going_on())}")
            raise CommandError(f"{file}: {error.strerror}", code=1) from None

    def _left(self) -> None:
        """Save, and print the command that resumes the game."""
        self._save()
        command = shlex.join(self._going_on())
        note(f"resume with: {command}" if self._record is None
             else f"the game is saved; `{command}` resumes it")

    def _going_on(self) -> list[str]:
        """Return the command that resumes the game from here, with the same seats and limits."""
        session = self._session
        command = ["pavilion", "play"]
        if self._record is not None:  # where the seats stand
            command += ["--record", self._record, *self._trusted()]
        else:
            command += ["--from", session.play.code(),
                        "--seats", ",".join(session.seats)]
        for option, value in zip(("--time", "--sims"), self._limits, strict=True):
            command += [option, f"{value}"] if value is not None else []
        return command

    def _trusted(self) -> list[str]:
        """Return the option without which a record starts no programs, if there are any."""
        return ["--trust"] if any(map(is_program, self._session.seats)) else []

    def _result(self) -> None:
        session = self._session
        play = session.play
        if any(spec == HUMAN for spec in session.seats):
            self._show("")
        for seat, spec in enumerate(session.seats):
            parts = play.breakdown()[seat]
            sums = " + ".join(f"{key} {value}" for key, value in parts.items())
            click.echo(f"seat {seat} ({spec}): {play.scores()[seat]} points = {sums}")
        winners = play.winners()
        names = joined(f"seat {seat}" for seat in winners)
        click.echo(f"{names} {'wins' if len(winners) == 1 else 'share the victory'}")
