"""`import bga` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pavilion_ai.notation import parse_position
from tests.cli.support import AZUL_GREY, DRAFTING, assert_clean, error_lines, pavilion, position_of
from tests.notation.bga_tables import table


@pytest.mark.parametrize("path", [DRAFTING, AZUL_GREY], ids=lambda path: path.stem)
def test_a_table_becomes_a_position_that_other_commands_take(path: Path, tmp_path: Path) -> None:
    page = json.dumps(table(position_of(path)))
    file = tmp_path / "table.json"
    file.write_text(page)
    result = pavilion("import", "bga", file)
    assert_clean(result)
    assert result.stderr.startswith("note: seat 0 is 'player 0'")
    found = parse_position(result.stdout).position
    assert found.seats == position_of(path).seats
    assert pavilion("import", "bga", "-", stdin=page).stdout == result.stdout
    assert_clean(pavilion("import", "bga", file, "-o", tmp_path / "table.svg"))
    assert (tmp_path / "table.svg").read_text().startswith("<svg")
    text = pavilion("import", "bga", file, "--format", "text").stdout
    assert parse_position(text).position == found
    assert_clean(pavilion("suggest", "-", "--sims", 50, stdin=result.stdout))


def test_nothing_is_written_over_what_is_read(tmp_path: Path) -> None:
    file, link = tmp_path / "table.json", tmp_path / "link.json"
    page = json.dumps(table(position_of(DRAFTING)))
    file.write_text(page)
    link.symlink_to(file)
    for output in (file, link):
        refused = pavilion("import", "bga", file, "-o", output)
        assert_clean(refused, 2)
        assert error_lines(refused) == [f"error: -o {output}: is the file that is read"]
    assert file.read_text() == page


def test_other_files_are_refused_in_one_line(tmp_path: Path) -> None:
    cases = {
        "missing.json": "No such file or directory",
        str(tmp_path): "is a directory, expected a file with a page or a log of a game",
        str(DRAFTING): "gamedatas",
    }
    for name, words in cases.items():
        result = pavilion("import", "bga", name)
        assert_clean(result, 2)
        (line,) = error_lines(result)
        assert words in line
    assert "'xyz' is not 'bga'" in pavilion("import", "xyz", DRAFTING).stderr
