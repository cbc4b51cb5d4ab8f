"""What a parser finds in a text: a position, or problems."""

from typing import Any

import pytest

from pavilion_ai.errors import PositionError, Problem
from pavilion_ai.notation import parse_position

Told = tuple[str, str, str, int, int, str]
"""A text and its problem: kind, place, line, column, and words of the message."""


def read_text(text: str) -> tuple[Any, tuple[str, ...]]:
    """Return the position and the notes of a text in the text form."""
    parsed = parse_position(text)
    assert parsed.form == "text"
    return parsed.position, parsed.notes


def problems(source: Any) -> list[Problem]:
    """Return the problems for which a position is refused, each of one line."""
    with pytest.raises(PositionError) as caught:
        parse_position(source)
    assert all("\n" not in str(problem) for problem in caught.value.problems)
    return list(caught.value.problems)


def check_problem(
    text: str, kind: str, where: str, line: int, column: int, message: str
) -> None:
    """Check that a text has this one problem."""
    problem, = problems(text)
    assert (problem.kind, problem.where, problem.line, problem.column) == (
        kind, where, line, column)
    assert message in problem.message


def found(source: Any) -> list[tuple[str, str]]:
    """Return kind and place of each problem."""
    return [(problem.kind, problem.where) for problem in problems(source)]
