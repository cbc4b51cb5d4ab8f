"""Exceptions of the package.

All of them are `PavilionError`, hence `ValueError`: they mean that the input is wrong or, if they
are a `Failure`, that something else failed, never that the program is broken. Every message says in
one line what was found, where, and what was expected.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from numbers import Integral, Rational, Real
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SHOWN_CHARACTERS = 60
SHOWN_NUMBERS = 6
PRINTED_CHARACTERS = 4000
TOLD_PROBLEMS = 100
TOLD_CHARACTERS = 15_000
JOINERS = "\u200c\u200d"  # names in Persian and Hindi, and pictures of people, have them
_WORDS = "_pavilion_words"
"""Attribute of an error: when words were put before its text, that without, and with them."""
_moments = count()


class PavilionError(ValueError):
    """Base class of all errors that this package raises on wrong input, and of failures."""


class Failure(PavilionError):
    """Something failed, though the input is right."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a position.

    Attributes:
        kind: `type`, `syntax`, `missing`, `range`, `board`, `totals` or `phase`.
        where: path in the JSON form (`seats[0].stars.W`, `displays[2]`); `""` for the whole.
        message: what was found and what was expected.
        line: line of the text form, counted from 1, or None.
        column: column of the text form, counted from 1, or None.
    """

    kind: str
    where: str
    message: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}, column {self.column or 1}: "
        return f"{place}{self.where or 'position'}: {self.message} [{self.kind}]"


class PositionError(PavilionError):
    """A position is invalid; `problems` lists everything that is wrong with it."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def at(cls, kind: str, where: str, message: str) -> PositionError:
        """Return the error of a single problem."""
        return cls([Problem(kind, where, message)])

    @property
    def in_one_line(self) -> str:
        """The problems on one line: the first of them, and how many more there are."""
        told, length = list[str](), 0
        for problem in self.problems[:TOLD_PROBLEMS]:
            text = str(problem)
            length += len(text)
            if told and length > TOLD_CHARACTERS:
                break
            told.append(text)
        more = len(self.problems) - len(told)
        return "; ".join([*told, f"and {more} more problem{'s' * (more > 1)}"] if more else told)

    def __reduce__(self) -> tuple[type[PositionError], tuple[tuple[Problem, ...]]]:
        return type(self), (self.problems,)


class MoveError(PavilionError):
    """A move cannot be played."""


class IllegalMoveError(MoveError):
    """The move is not allowed in this position."""


class InvalidMoveError(IllegalMoveError):
    """The string is not a move of this game in any position."""


class SpecError(PavilionError):
    """An agent spec or an option is invalid."""


class RecordError(PavilionError):
    """A game record cannot be read or replayed.

    Attributes:
        problems: what is wrong, as a `Problem` of the kind `record` with the place in the record,
            or that of the record in its file.
    """

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.problems = (Problem("record", where, message),)


class NetworkError(PavilionError):
    """A network file cannot be read, or does not fit this version of the engine."""


class EngineFault(Failure):
    """An external engine broke the protocol; the message says how, in one line.

    Attributes:
        free: seconds of the request that a clock does not count, because a program started in them.
    """

    free = 0.0


class EngineLate(EngineFault):
    """An external engine runs, but gave no answer in time."""


class EngineEnded(EngineFault):
    """The process of an external engine has ended, or it could not be started."""


def first_line(error: PavilionError) -> str:
    """Return the first line of an error, for a message that has others too."""
    return str(error).splitlines()[0]


def in_one_line(error: PavilionError) -> str:
    """Return an error in one line, with all the problems of a position."""
    return error.in_one_line if isinstance(error, PositionError) else first_line(error)


def reason_of(error: OSError) -> str:
    """Return why a system call failed, in words; errors that Python itself raises have no number.

    >>> reason_of(OSError(28, "No space left on device")), reason_of(OSError("handle is closed"))
    ('No space left on device', 'handle is closed')
    """
    return error.strerror or str(error) or type(error).__name__


def has_no_reader(error: OSError) -> bool:
    """Tell whether output failed since nobody reads it any more, which Windows calls invalid."""
    return isinstance(error, BrokenPipeError) or (
        os.name == "nt" and error.errno == errno.EINVAL and error.filename is None)


def file_named(name: Path | str) -> str:
    """Return the name of a file as messages give it: as it is, quoted only if it cannot be one.

    >>> file_named("my games.jsonl"), file_named(""), file_named("a\\0b")
    ('my games.jsonl', "''", "'a\\\\x00b'")
    """
    text = str(name)
    plain = text.isprintable() and text == text.strip() != "" and len(text) <= PRINTED_CHARACTERS
    return text if plain else shown(text)


def file_fault(name: Path | str, error: OSError | ValueError) -> str:
    """Return why a file cannot be used; a name that cannot be one is a ValueError of Python.

    >>> file_fault("game.jsonl", OSError(2, "No such file or directory"))
    'game.jsonl: No such file or directory'
    >>> file_fault("", ValueError("null byte"))
    "'': is not a valid file name"
    """
    why = reason_of(error) if isinstance(error, OSError) else "is not a valid file name"
    return f"{file_named(name)}: {why}"


@contextmanager
def named_input() -> Iterator[None]:
    """Let a failure to read standard input be told as that: it has no name of its own."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or "standard input"
        raise


@contextmanager
def named_output() -> Iterator[None]:
    """Let a failure to write standard output be told as that, but not that nobody reads it."""
    try:
        yield
    except OSError as error:
        if not has_no_reader(error):
            error.filename = error.filename or "standard output"
        raise


@contextmanager
def named_move(number: int) -> Iterator[None]:
    """Let the error of a move begin with its number in a list, from 1; its class and attributes
    stay.

    >>> with named_move(3):
    ...     raise IllegalMoveError("D2:G is not legal")
    Traceback (most recent call last):
    pavilion_ai.errors.IllegalMoveError: move 3: D2:G is not legal
    """
    entered = next(_moments)
    try:
        yield
    except MoveError as error:
        _begin(error, f"move {number}", entered)
        raise


@contextmanager
def named_agent(who: str) -> Iterator[None]:
    """Let the error of an agent begin with who it was; its class and attributes stay.

    >>> with named_agent("agent 'mine', seat 1"):
    ...     raise EngineLate("no answer after 2 s")
    Traceback (most recent call last):
    pavilion_ai.errors.EngineLate: agent 'mine', seat 1: no answer after 2 s
    """
    entered = next(_moments)
    try:
        yield
    except (MoveError, EngineFault) as error:
        _begin(error, who, entered)
        raise


def _begin(error: Exception, words: str, entered: int) -> None:
    """Put words before an error's text; a new one could not be made of every class of one's own.

    If the same object was raised before the block was entered, the words replace those of then.
    """
    text = str(error)
    last, bare, told = vars(error).get(_WORDS, (entered, text, text))
    if told != text:  # by somebody else
        bare = text
    elif last < entered:
        text = bare
    error.args = (f"{words}: {text}",)
    vars(error)[_WORDS] = next(_moments), bare, str(error)


def printable(text: str) -> str:
    """Return text for a terminal: one line, with `?` in place of what would steer it, and an end.

    Whatever a command prints goes through `cli.said`, and so through `harmless`; this and `shown`
    also keep it short.
    """
    cut = text if len(text) <= PRINTED_CHARACTERS else f"{text[:PRINTED_CHARACTERS]}..."
    return harmless(cut)


def harmless(text: str) -> str:
    """Return a line as a terminal may show it: `?` in place of what would steer it.

    Blanks of any width become plain ones; what only joins or parts letters stays.

    >>> harmless("a\x1b[2Jb"), harmless("a\u3000b")
    ('a?[2Jb', 'a b')
    """
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(letter if letter.isprintable() or letter in JOINERS
                   else " " if category(letter) == "Zs" else "?" for letter in text)


def shown(value: object) -> str:
    """Return `value` as shown in messages: short, on one line, safe for any nesting.

    >>> shown("drafting"), shown(True), shown(None), shown([1, 2]), shown(["B", "2Y"])
    ("'drafting'", 'true', 'null', '[1, 2]', 'a list of 2')
    >>> shown(shown), shown({1}.__iter__()), shown(OSError())
    ('a function', 'a set_iterator', 'an OSError')
    >>> import numpy as np
    >>> shown(np.int64(3)), shown(np.float32(0.5)), shown(np.zeros(2))
    ('3', '0.5', 'an ndarray')
    """
    if isinstance(value, str):
        cut = value if len(value) <= SHOWN_CHARACTERS else value[:SHOWN_CHARACTERS] + "..."
        return repr(cut)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, Integral):
        bits = int(value).bit_length()
        return str(int(value)) if bits <= 64 else f"a number of {bits} bits"
    if isinstance(value, Real) and not isinstance(value, Rational):  # a fraction has no bound
        return str(value)
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return _listed(value) or f"a list of {len(value)}"
    kind = type(value).__name__
    spoken_with_vowel = *"aeiou", "nd"  # an ndarray
    return f"{'an' if kind.lower().startswith(spoken_with_vowel) else 'a'} {kind}"


def one_of(what: str, value: object, names: Collection[str]) -> str:
    """Return the value if it is one of the names.

    Args:
        what: what the value is for, in words.

    Raises:
        SpecError: it is another one.
    """
    if not isinstance(value, str) or value not in names:
        raise SpecError(f"{what} {shown(value)}: expected one of {', '.join(names)}")
    return value


def _listed(values: Sequence[object]) -> str:
    """Return a short list of numbers in full, nothing for any other list."""
    if not 0 < len(values) <= SHOWN_NUMBERS or not {*map(type, values)} <= {int, float}:
        return ""
    text = f"[{', '.join(map(shown, values))}]"
    return text if len(text) <= SHOWN_CHARACTERS else ""
