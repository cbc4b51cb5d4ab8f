"""Positions as output: printed, written to files, drawn as pictures."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pavilion_ai.cli.exits import FAILED, CommandError
from pavilion_ai.cli.files import unwritable, write_file
from pavilion_ai.cli.options import PICTURES
from pavilion_ai.cli.said import say
from pavilion_ai.errors import named_output

if TYPE_CHECKING:
    from pavilion_ai.position import Position
    from pavilion_ai.render.overlay import Shown

_SUFFIXES = {".json": "json", ".txt": "text", ".svg": "svg", ".png": "png"}
_OTHER_FORMS = frozenset({
    ".bmp", ".gif", ".jpeg", ".jpg", ".pdf", ".tif", ".tiff", ".webp",
    ".csv", ".htm", ".html", ".jsonl", ".xhtml", ".xml", ".yaml", ".yml",
})
"""Suffixes that promise what a position is not written as."""


def position_text(position: Position, form: str) -> str:
    """Return a position in a form of the notation; text begins with the drawing in comments."""
    from pavilion_ai.notation import format_position, to_json

    if form == "json":
        return json.dumps(to_json(position))
    if form == "code":
        return format_position(position, "code")
    from pavilion_ai.render.text import plain

    return f"{plain(_drawing(position, 78))}\n{format_position(position, 'text')}"


def picture(
    position: Position, form: str, moves: Sequence[Shown] = (), *, dark: bool = False
) -> bytes:
    """Return a position as an SVG or PNG file, with moves drawn over it.

    Unless it is `dark`, an SVG follows the reader's light or dark setting, and a PNG is light.

    Raises:
        CommandError: the optional library for PNG is missing.
        MoveError: a move is not legal in this position.
    """
    from pavilion_ai.render import as_svg
    from pavilion_ai.render.dark import alone, darkened
    from pavilion_ai.render.svg import NoConverterError, to_png

    drawn = as_svg(position)
    if moves:
        from pavilion_ai.render.overlay import with_moves

        drawn = with_moves(drawn, position, moves)
    if dark:
        drawn = darkened(drawn)
    try:
        if form == "png":
            return to_png(drawn)
    except NoConverterError as error:
        raise CommandError(f"--format {form}: {error}", FAILED) from None
    return (drawn if dark else alone(drawn)).encode()


def picture_problem(option: str, path: str) -> CommandError | None:
    """Return why a picture cannot be written to a file, as far as that is known in advance."""
    from pavilion_ai.render.svg import NoConverterError, converter

    form = form_of(path) or "svg"
    if form not in PICTURES:
        return CommandError(f"{option} {path}: expected a file *.svg or *.png")
    if form == "png":
        try:
            converter()
        except NoConverterError as error:
            return CommandError(f"{option}: {error}", FAILED)
    return unwritable(option, path)


def _drawing(position: Position, width: int) -> list[Any]:
    """Draw a position as comments, with the parts of the scores once the game is over."""
    from pavilion_ai.render import breakdown_of, draw
    from pavilion_ai.render.text import commented

    return commented([*draw(position, width=width, breakdown=breakdown_of(position)), ()])


def form_of(path: str) -> str | None:
    """Return the form that a file name's suffix stands for, if any."""
    return _SUFFIXES.get(Path(path).suffix.lower())


def not_for_records(path: str) -> bool:
    """Tell whether a file name's suffix promises something else than game records."""
    return Path(path).suffix.lower() in _OTHER_FORMS - {".jsonl"} or form_of(path) in PICTURES


def print_position(
    position: Position, form: str | None, moves: Sequence[Shown] = (), *, dark: bool = False
) -> None:
    """Print a position, by default drawn on a terminal and as a code elsewhere.

    The drawing is printed as comments above the text form, or above the code, so that the output
    can be pasted back as a position. A picture is printed as the content of its file.
    """
    from pavilion_ai.render.text import GUTTER_WIDTH, is_terminal, plain, width_of, write

    if form == "png" and is_terminal(sys.stdout):
        raise CommandError("--format png: not for a terminal; expected -o FILE or a redirection")
    if form in PICTURES:
        content = picture(position, form, moves, dark=dark)
        with named_output():
            click.echo(content, nl=False)
        return

    wanted = form is not None
    form = form or ("text" if is_terminal(sys.stdout) else "code")
    if form != "text":
        say(position_text(position, form))
        return
    from pavilion_ai.notation import format_position

    drawing = _drawing(position, width_of() - GUTTER_WIDTH)
    if is_terminal(sys.stdout):
        write(drawing)
    else:  # what reads it takes no colours, though FORCE_COLOR asks for them
        say(plain(drawing))
    say(format_position(position, "text" if wanted else "code").rstrip("\n"))


def put_position(
    position: Position, form: str | None, output: str | None, moves: Sequence[Shown] = (),
    *, dark: bool = False,
) -> None:
    """Write a position to a file, whose suffix gives the default form, or print it.

    Raises:
        CommandError: moves or a dark ground are wanted without a picture, the suffix is that of
            a form that is not made, or the file cannot be written.
    """
    if output is not None and form is None and Path(output).suffix.lower() in _OTHER_FORMS:
        made = ", ".join(f"*{suffix}" for suffix in _SUFFIXES)
        raise CommandError(f"-o {output}: positions are not written like that, expected {made}, or"
                           " for the code a name such as *.code")
    if output is not None:
        if (fault := unwritable("-o", output)) is not None:
            raise fault
        form = form or form_of(output) or "code"
    if (moves or dark) and form not in PICTURES:
        option = "--move" if moves else "--dark"
        raise CommandError(f"{option} is for pictures; expected --format svg or -o FILE.svg")
    if output is None or form is None:
        print_position(position, form, moves, dark=dark)
        return
    if form in PICTURES:
        write_file(output, picture(position, form, moves, dark=dark))
    else:
        write_file(output, (position_text(position, form).rstrip("\n") + "\n").encode())
