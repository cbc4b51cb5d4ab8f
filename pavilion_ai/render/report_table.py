"""Write the report of a match or a tournament for spreadsheets (CSV) and web pages (Markdown)."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pavilion_ai.errors import SpecError, printable
from pavilion_ai.render.columns import ranks
from pavilion_ai.render.report_text import (
    MEANS,
    cross_columns,
    detail_columns,
    faults_told,
    given_names,
    group_begins,
    order_of,
    rating_columns,
    rating_notes,
    settings_of,
    summary_rows,
    taken_columns,
    title,
)

if TYPE_CHECKING:
    from pavilion_ai.match.report import Report
    from pavilion_ai.render.columns import Column

FORMS = ("csv", "md")
_MARKUP = re.compile(r"([\\`*_|<\[\]&~])")


def check_table(path: str | os.PathLike[str]) -> str:
    """Return the form, `csv` or `md`, of a file; call it before a long event.

    Raises:
        SpecError: the file has a different suffix.
    """
    form = Path(path).suffix.lower().removeprefix(".")
    if form not in FORMS:
        raise SpecError(f"table: found {os.fspath(path)!r}, expected a file *.csv or *.md")
    return form


def table(report: Report, form: str) -> bytes:
    """Return a report as a file in UTF-8.

    Args:
        form: `csv`, a line for each entrant with all its numbers; `md`, what `str` says, in
            Markdown.
    """
    return (_as_csv(report) if form == "csv" else _as_markdown(report)).encode()


# -- comma-separated values ------------------------------------------------------------------


def _as_csv(report: Report) -> str:
    """Return the entrants in the order of the text, with the numbers of their JSON objects."""
    groups = {index: number for number, group in enumerate(report.groups, 1) for index in group}
    ranking = report.ranking()
    rank = dict(zip(ranking, ranks(len(ranking), group_begins(report)), strict=True))
    rows = [{"group": groups.get(index), "rank": rank[index],
             **dict(_flat(report.entrants[index].to_json()))} for index in order_of(report)]
    text = io.StringIO()
    writer = csv.DictWriter(text, list({key: None for row in rows for key in row}))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _flat(nested: Mapping[str, object], path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the numbers of nested objects under names such as `rating`, `rating_low`."""
    for key, value in nested.items():
        name = path.removesuffix("_") if key == "value" else path + key
        if isinstance(value, Mapping):
            yield from _flat(value, name + "_")
        else:
            yield name, value


# -- Markdown --------------------------------------------------------------------------------


def _as_markdown(report: Report) -> str:
    order, duel = order_of(report), report.head_to_head is not None
    entrants = [report.entrants[index] for index in order]
    blocks = [[f"# {_escaped(title(report.event))}"],
              [_escaped(settings_of(report))],
              [f"* {_escaped(name)}" for name in given_names(report.event)],
              [f"* {label}: {_escaped(text)}" for label, text, _ in summary_rows(report)]]
    if report.pairs:
        rows = [_escaped(printable(entrant.name)) for entrant in entrants]
        if not duel:
            numbers = ranks(len(rows), group_begins(report))
            rows = [f"{rank}. {name}" for rank, name in zip(numbers, rows, strict=True)]
            blocks += [_grid(rows, rating_columns(report, entrants)),
                       *([_escaped(note)] for note in rating_notes(report))]
        blocks += [_grid(rows, detail_columns(report, entrants))]
        if taken := taken_columns(entrants):
            blocks += [[MEANS], _grid(rows, taken)]
        if len(entrants) > report.event.settings.players:
            heading, columns = cross_columns(report, order)
            blocks += [[heading], _grid(rows, columns)]
    if report.faults:
        heading, faults, more = faults_told(report)
        blocks += [[heading], [f"* {_escaped(fault)}" for fault in (*faults, *more)]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _grid(names: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """Return a table with the names in its first column."""
    lines = ["| agent | " + " | ".join(_escaped(heading) for heading, _ in columns) + " |",
             "|---|" + "---:|" * len(columns)]
    return lines + [
        f"| {name} | " + " | ".join(_escaped(cells[row].strip()) for _, cells in columns) + " |"
        for row, name in enumerate(names)
    ]


def _escaped(text: str) -> str:
    r"""Return a text for Markdown that shows as it stands.

    >>> print(_escaped("a|b_c"))
    a\|b\_c
    """
    return _MARKUP.sub(r"\\\1", text)
