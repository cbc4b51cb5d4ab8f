"""The command `import`: positions from elsewhere."""

from __future__ import annotations

import click

from pavilion_ai.cli.common import (
    format_option,
    note,
    output_option,
    problem_lines,
    put_position,
    text_of,
)
from pavilion_ai.cli.program import CommandError

MAX_PAGE_BYTES = 16 << 20  # a saved page takes about 1 MB


@click.command("import")
@click.argument("site", metavar="bga", type=click.Choice(["bga"]))
@click.argument("path", metavar="FILE")
@format_option
@output_option
def import_position(site: str, path: str, form: str | None, output: str | None) -> None:
    """Turn a position of Board Game Arena into one of ours.

    FILE (or -) holds what the page of the table knows: the JSON of its object gamedatas, or the
    saved source of the page. How to get it, and what it does not tell: docs/notation.md.
    """
    from pavilion_ai.bga import load
    from pavilion_ai.errors import PositionError

    where, text = text_of(path, "a page of a table", MAX_PAGE_BYTES)
    try:
        parsed = load(text)
    except PositionError as error:
        raise CommandError(problem_lines(where, error.problems)) from None
    for message in parsed.notes:
        note(message)
    put_position(parsed.position, form, output)
