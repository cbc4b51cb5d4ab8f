"""How a command ends: every failure becomes one line per problem and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from pavilion_ai import interrupts
from pavilion_ai.cli.exits import BAD_INPUT, DONE, FAILED, INTERRUPTED, CommandError
from pavilion_ai.cli.said import note, say
from pavilion_ai.errors import (
    Failure,
    PavilionError,
    file_fault,
    has_no_reader,
    printable,
    reason_of,
)

_NO_THREAD = "can't start new thread"  # Python's words for a system that has none left
_WHOLE = 1000  # characters of a first sentence, so that none is cut


class _ReaderGone(Exception):
    """Standard output has lost its reader; nothing is left to do."""


class Program(click.Group):
    """A group of commands without tracebacks; each is imported when it is called.

    Args:
        commands: the commands in order, each with the module of `pavilion_ai.cli` that has it and
            what the help says of it.
    """

    def __init__(self, *args: Any, commands: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.homes = {name: home for name, (home, _) in commands.items()}
        self.commands = {name: click.Command(name, help=words)  # for click's hints and the help
                         for name, (_, words) in commands.items()}

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors that click would print itself become ours."""
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, EOFError):
            raise CommandError("interrupted", INTERRUPTED) from None
        except OSError as error:
            if has_no_reader(error):
                raise _ReaderGone from None
            raise CommandError(os_line(error), FAILED) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order of `--help`."""
        return list(self.homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, None if there is no such command."""
        if cmd_name not in self.homes:
            return None
        home = import_module(f"pavilion_ai.cli.{self.homes[cmd_name]}")
        found = next(value for value in vars(home).values()
                     if isinstance(value, click.Command) and value.name == cmd_name)
        found.help = found.help or self.commands[cmd_name].help  # python -OO has no docstrings
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with the first sentence of its help, without importing it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(_WHOLE))
                                for name, command in self.commands.items()])

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **_: Any
    ) -> NoReturn:
        """Run a command and exit with its code; no other exception leaves this method."""
        if sys.stderr is None:
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it stays
        if sys.stdout is None:
            sys.exit(_report(["standard output is closed"], FAILED))
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # names may hold characters it cannot show
                stream.reconfigure(errors="backslashreplace")
        with interrupts.installed():
            code = self._guarded(args, prog_name or "pavilion")
            code = _flushed(code)
        sys.exit(code)

    def _guarded(self, args: Sequence[str] | None, name: str) -> int:
        try:
            outcome = super().main(args=args, prog_name=name, standalone_mode=False)
            return outcome if isinstance(outcome, int) else DONE
        except CommandError as error:
            return _report(error.lines, error.code)
        except click.exceptions.NoArgsIsHelpError as error:
            say(error.format_message(), err=True)
            return BAD_INPUT
        except click.UsageError as error:
            hint = f" (see {error.ctx.command_path} --help)" if error.ctx else ""
            return _report([_one_line(error.format_message()) + hint], BAD_INPUT)
        except click.ClickException as error:
            return _report([_one_line(error.format_message())], BAD_INPUT)
        except (KeyboardInterrupt, click.Abort):
            return _report(["interrupted"], INTERRUPTED)
        except _ReaderGone:
            _drop_output()
            return DONE
        except OSError as error:  # from output before a command runs, as by --help
            return _unwritten(error, DONE)
        except MemoryError as error:
            # What was in hand goes with the frames, so that there is room for a word.
            error.__traceback__ = error.__context__ = None
            return _report(["out of memory"], FAILED)
        except Exception as error:
            return _ended_by(error)


def broken_off(error: BaseException, resume: str = "resume with the same command") -> int:
    """End a command that an interrupt or a full disk breaks off; return the code of an interrupt.

    Args:
        resume: what to say of how to resume it.

    Raises:
        OSError: the error, if it is one.
    """
    note(resume)
    if isinstance(error, OSError):
        raise error
    return INTERRUPTED


def _ended_by(error: Exception) -> int:
    """Report an error of the package, or one that nobody expected."""
    if isinstance(error, PavilionError):
        code = FAILED if isinstance(error, Failure) else BAD_INPUT
        return _report(str(error).splitlines(), code)
    if str(error) == _NO_THREAD:
        return _report(["the system cannot start another thread"], FAILED)
    if isinstance(error, ImportError):
        return _report([_one_line(str(error))], FAILED)
    if os.environ.get("PAVILION_DEBUG"):
        raise error
    what = _one_line(f"{type(error).__name__}: {error}")
    return _report([f"internal error: {what} (PAVILION_DEBUG=1 shows where)"], FAILED)


def _report(lines: Iterable[str], code: int) -> int:
    word = "" if code == INTERRUPTED else "error: "
    if code == INTERRUPTED and sys.stderr.isatty():
        say(err=True)  # the terminal has just shown ^C
    for text in lines:
        say(f"{word}{printable(text)}", err=True)
    return code


def _one_line(message: str) -> str:
    return " ".join(message.split())


def os_line(error: OSError) -> str:
    """Return why something failed; what has no name is neither a file nor standard output."""
    return file_fault(error.filename, error) if error.filename else reason_of(error)


def _flushed(code: int) -> int:
    """Flush standard output, so that a full disk or a closed pipe fails here."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        return _unwritten(error, code)
    return code


def _unwritten(error: OSError | ValueError, code: int) -> int:
    """Report that standard output cannot be written, unless nobody reads it; return the code."""
    _drop_output()
    why: object = error
    if isinstance(error, OSError):
        if has_no_reader(error):
            return code
        why = reason_of(error)
    return _report([f"standard output: {why}"], FAILED) if code == DONE else code


def _drop_output() -> None:
    """Redirect standard output to nowhere, so that the interpreter's last flush cannot fail."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        pass
