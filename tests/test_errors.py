"""Errors that are told with the place where they happened."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pytest

from pavilion_ai import EngineFault
from pavilion_ai.errors import IllegalMoveError, named_agent, named_move


class OwnFault(EngineFault):
    """An agent's own error, made from other arguments than a text."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(f"{code} {why}")
        self.code = code


class OwnMoveError(IllegalMoveError):
    """The same of a move."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(f"{code} {why}")
        self.code = code


class Late(EngineFault, TimeoutError):
    """One of two kinds, which cannot be made by the first alone."""

    code = 3

    def __init__(self, code: int, why: str) -> None:
        super().__init__(f"{code} {why}")


@pytest.mark.parametrize(("named", "kind", "told"), [
    (named_agent("agent 'mine', seat 1"), OwnFault, "agent 'mine', seat 1: 3 tiles"),
    (named_agent("agent 'mine', seat 1"), OwnMoveError, "agent 'mine', seat 1: 3 tiles"),
    (named_agent("agent 'mine', seat 1"), Late, "agent 'mine', seat 1: 3 tiles"),
    (named_move(2), OwnMoveError, "move 2: 3 tiles"),
])
def test_an_error_of_any_class_keeps_its_class_and_attributes(
    named: AbstractContextManager[None], kind: type[OwnFault | OwnMoveError | Late], told: str
) -> None:
    with pytest.raises(kind) as caught, named:
        raise kind(3, "tiles")
    assert type(caught.value) is kind
    assert str(caught.value) == told
    assert caught.value.code == 3


def test_an_error_that_is_raised_again_begins_with_the_last_place_alone() -> None:
    error = IllegalMoveError("no tiles")
    for seat, move in (1, 2), (3, 4):
        with pytest.raises(IllegalMoveError, match=f"^seat {seat}: move {move}: no tiles$"), \
                named_agent(f"seat {seat}"), named_move(move):
            raise error


def test_an_agent_within_an_agent_is_told_too() -> None:
    error = IllegalMoveError("no tiles")
    for _ in range(2):
        with pytest.raises(IllegalMoveError, match=r"^outer: inner: move 1: no tiles$"), \
                named_agent("outer"), named_agent("inner"), named_move(1):
            raise error


def test_who_changes_the_text_of_an_error_has_that_told() -> None:
    error = IllegalMoveError("first")
    for text in "first", "second":
        error.args = (text,)
        with pytest.raises(IllegalMoveError, match=f"^mine: {text}$"), named_agent("mine"):
            raise error
