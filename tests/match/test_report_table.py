"""The report of an event as CSV and as Markdown."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from pavilion_ai.errors import SpecError
from pavilion_ai.match.report import Report, report
from pavilion_ai.render.report_table import check_table, table
from pavilion_ai.render.report_text import report_lines
from pavilion_ai.render.text import plain
from pavilion_ai.stats.estimate import Estimate
from tests.match.report_samples import drawn_match, event, pair_of, result


def found(kind: str) -> Report:
    """Return a report of each kind that is set differently."""
    names = ("a|b", "*c*", "d_e_f", "<g>")
    if kind == "match":
        return report(event(*names[:2]), drawn_match(2, 8), resamples=20)
    if kind == "tables of 3":
        results = [game for pair in range(4)
                   for game in pair_of(str(pair), (9, 5, 1), (9, 1, 5), (5, 9, 1))]
        return report(event(*names, players=3, kind="round-robin"), results, resamples=20)
    if kind == "faults":
        results = [result(str(pair), rotation, (rotation, 1 - rotation), (9, 1), loser=rotation,
                          reason="no | answer") for pair in range(6) for rotation in range(2)]
        return report(event(*names[:2]), results, resamples=20)
    if kind == "groups":
        results = [*pair_of("1", (9, 1), (1, 9)), *[
            result("2", rotation, (2 + rotation, 3 - rotation), (3, 3)) for rotation in range(2)]]
        return report(event(*names, kind="gauntlet"), results, resamples=20)
    return report(event(*names[:3], kind="round-robin"), [], resamples=20)


TABLES = {"match": 1, "tables of 3": 3, "faults": 1, "groups": 3, "no games": 0}
KINDS = tuple(TABLES)


def unescaped(text: str) -> str:
    """Return what Markdown shows of a text."""
    return re.sub(r"\\([\\`*_|<\[\]&~])", r"\1", text)


def grids(markdown: str) -> list[list[list[str]]]:
    """Return the tables of a Markdown text: rows of cells, the heading first."""
    blocks = [block.splitlines() for block in markdown.split("\n\n") if block.startswith("|")]
    return [
        [[unescaped(cell.strip()) for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
         for number, row in enumerate(block) if number != 1]
        for block in blocks
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_markdown_says_what_the_text_says(kind: str) -> None:
    one = found(kind)
    text, markdown = plain(report_lines(one, 300)), table(one, "md").decode()
    shown = set(unescaped(markdown).replace("|", " ").split())
    # A rank has a full stop in Markdown; underlines and the names of columns are its own.
    missing = {word for word in text.split() if word.rstrip(":") not in {
        said.rstrip(":") for said in shown} and f"{word}." not in shown and "|" not in word}
    assert not missing


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_of_a_table_has_a_cell_in_each_column(kind: str) -> None:
    one = found(kind)
    tables = grids(table(one, "md").decode())
    assert len(tables) == TABLES[kind]
    for rows in tables:
        assert {len(row) for row in rows} == {len(rows[0])}
        assert len(rows) == 1 + len(one.entrants)


def test_names_and_numbers_stand_in_their_rows() -> None:
    ratings, *_ = grids(table(found("groups"), "md").decode())
    assert ratings[0][:2] == ["agent", "rating"]
    assert [row[0] for row in ratings[1:]] == ["1. a|b", "2. *c*", "1. d_e_f", "2. <g>"]


@pytest.mark.parametrize("kind", KINDS)
def test_csv_has_the_numbers_of_the_entrants(kind: str) -> None:
    one = found(kind)
    rows = list(csv.DictReader(io.StringIO(table(one, "csv").decode(), newline="")))
    by_name = {entrant.name: entrant for entrant in one.entrants}
    assert [row["name"] for row in rows] == [
        entrant.name for entrant in (one.entrants if one.head_to_head else one.standings())]
    for row in rows:
        entrant = by_name[row["name"]]
        assert row["games"] == str(entrant.games)
        for key in ("rating", "win_share", "score", "tiles"):
            want: Estimate = getattr(entrant, key)
            got = [row[key], row[f"{key}_low"], row[f"{key}_high"]]
            assert [float(cell) if cell else None for cell in got] == [
                want.value, want.low, want.high]


def test_csv_numbers_each_group() -> None:
    rows = list(csv.DictReader(io.StringIO(table(found("groups"), "csv").decode(), newline="")))
    assert [(row["group"], row["rank"]) for row in rows] == [
        ("1", "1"), ("1", "2"), ("2", "1"), ("2", "2")]


def test_the_loser_of_a_match_is_not_first_in_csv() -> None:
    results = [game for pair in range(6) for game in pair_of(str(pair), (1, 9), (1, 9))]
    one = report(event("a", "b"), results, resamples=20)
    rows = list(csv.DictReader(io.StringIO(table(one, "csv").decode(), newline="")))
    assert [(row["name"], row["rank"]) for row in rows] == [("a", "2"), ("b", "1")]


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    for name in ("x.txt", "x", ".md", "csv"):
        with pytest.raises(SpecError, match=r"expected a file \*\.csv or \*\.md"):
            check_table(tmp_path / name)
    assert check_table("x.MD") == "md"
