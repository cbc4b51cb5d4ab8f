"""What commands say: the one place from which text reaches the terminal.

Nothing that others wrote can steer the terminal, whatever command meets it, in whatever message.
Drawings go through `render.text.write`, which does the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from pavilion_ai.cli.exits import CommandError
from pavilion_ai.errors import harmless, named_input, named_output, printable

LONGEST = 10_000
"""Characters of a line that is typed."""
MOST_BYTES = 4
"""Bytes of a character."""
QUIT = ("quit", "q", "exit")
"""Words that leave a prompt."""


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text, of one line or several, on standard output or on standard error.

    No command ends because nobody reads its standard error.
    """
    with suppress(OSError) if err else named_output():
        click.echo(_harmless_lines(text), err=err, nl=nl)


def note(message: str) -> None:
    """Print a note on standard error."""
    say(f"note: {printable(message)}", err=True)


def as_command(words: Sequence[str]) -> str:
    """Return a command to be copied; the usual shell of Windows takes single quotes for letters."""
    if os.name == "nt":
        from subprocess import list2cmdline

        return list2cmdline(words)
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """Return a word for a shell of Unix; what cannot be printed is written as bytes in `$'...'`."""
    from shlex import quote

    if word.isprintable():
        return quote(word)
    letters = (chr(byte) if bytes([byte]).isalnum() or chr(byte) in " ./_-" else f"\\x{byte:02x}"
               for byte in os.fsencode(word))
    return f"$'{''.join(letters)}'"


def as_argument(path: str) -> str:
    """Return a path as an argument of a command: a dash at its beginning makes no option of it."""
    return os.path.join(".", path) if path.startswith("-") else path


def asked(prompt: str) -> str:
    """Return the line that is typed after a prompt.

    Raises:
        EOFError: there is none.
        CommandError: it does not end, as no person types.
    """
    from pavilion_ai.render.text import is_terminal

    if is_terminal(sys.stdin):
        return input(_harmless_lines(prompt))  # which a person can edit
    say(prompt, nl=False)
    sys.stdout.flush()
    # As bytes: what cannot be decoded spoils its line, not those behind it.
    with named_input():
        raw = sys.stdin.buffer.readline(MOST_BYTES * LONGEST + 1)
    too_long = len(raw) > MOST_BYTES * LONGEST
    line = "" if too_long else _decoded(raw)
    if too_long or len(line) > LONGEST:
        raise CommandError(f"standard input: a line of more than {LONGEST:,} characters")
    if not line:
        raise EOFError
    return line.rstrip("\r\n")


def typed(prompt: str) -> str:
    """Return what a person types at a prompt, without spaces around it; what cannot be read is
    nothing.

    Raises:
        EOFError, CommandError: as `asked`.
    """
    from pavilion_ai.render.text import is_terminal

    try:
        text = asked(prompt)
    except UnicodeDecodeError:
        say("That line is not UTF-8 text.")
        return ""
    if not is_terminal(sys.stdin):
        say(text)  # as a terminal would have shown it
    return text.strip()


def _decoded(raw: bytes) -> str:
    """Return a piped line: UTF-8 as in files, whatever the system's encoding, else in that one."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode(sys.stdin.encoding, sys.stdin.errors or "strict")


def _harmless_lines(text: str) -> str:
    return "\n".join(map(harmless, text.split("\n")))
