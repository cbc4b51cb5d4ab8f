"""The compiled core as Python sees it: documented, with signatures, and with the stub's types."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import pavilion_ai
from pavilion_ai import _core, tunables
from pavilion_ai.games import GAMES

STUB = ast.parse((Path(pavilion_ai.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body
           if isinstance(node, ast.ClassDef) and hasattr(_core, node.name)}
FUNCTIONS = [node.name for node in STUB.body if isinstance(node, ast.FunctionDef)]
MEMBERS = [(name, member) for name, node in CLASSES.items() for member in node.body
           if isinstance(member, ast.FunctionDef) and not member.name.startswith("__")]
ATTRIBUTES = {("Search", "sims"), ("Search", "helped"), ("Network", "kernel"),
              ("Network", "win_scale")}
"""Properties that are fields in C and have no docstring: that of the class describes them."""


def parameters(function: ast.FunctionDef) -> list[tuple[str, bool, bool]]:
    """Return name, whether by keyword only and whether optional, of all but self and **kwargs."""
    arguments = function.args
    names = [*arguments.args][1:]
    optional = [False] * (len(names) - len(arguments.defaults)) + [True] * len(arguments.defaults)
    return [
        *((name.arg, False, default) for name, default in zip(names, optional, strict=True)),
        *((name.arg, True, default is not None)
          for name, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)),
    ]


def test_the_stub_was_read() -> None:
    assert {"State", "SummerState", "AzulState", "Search", "SelfPlay", "Network"} <= set(CLASSES)
    assert len(MEMBERS) > 40
    assert "random_games" in FUNCTIONS


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_classes_are_documented(name: str) -> None:
    assert inspect.getdoc(getattr(_core, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_documented(name: str) -> None:
    function = getattr(_core, name)
    assert inspect.getdoc(function)
    assert "..." not in str(inspect.signature(function))


@pytest.mark.parametrize(("name", "member"), MEMBERS, ids=lambda one: getattr(one, "name", one))
def test_members_are_documented(name: str, member: ast.FunctionDef) -> None:
    found = getattr(getattr(_core, name), member.name)
    if (name, member.name) in ATTRIBUTES:
        assert f"{member.name}:" in (inspect.getdoc(getattr(_core, name)) or "")
        return
    assert inspect.getdoc(found), f"{name}.{member.name}"
    if not member.decorator_list:
        inspect.signature(found)


@pytest.mark.parametrize("name", sorted(set(CLASSES) - {"State", "RootMove"}))
def test_constructors_say_the_arguments_of_the_stub(name: str) -> None:
    [made] = [member for member in CLASSES[name].body if isinstance(member, ast.FunctionDef)
              and member.name in ("__init__", "__new__")]
    found = inspect.signature(getattr(_core, name)).parameters.values()
    assert [(one.name, one.kind is one.KEYWORD_ONLY, one.default is not one.empty)
            for one in found if one.kind is not one.VAR_KEYWORD] == parameters(made)


def test_selections_are_those_of_the_core() -> None:
    """`tunables` declares them too: specs are read without loading the core."""
    for name in ("SELECT_PUCT", "SELECT_UCB", "SELECT_EVEN"):
        assert getattr(tunables, name) == getattr(_core, name)


@pytest.mark.parametrize("game", GAMES)
def test_rows_are_named(game: str) -> None:
    rules = GAMES[game]
    state = rules.to_core(rules.new(seed=1))
    tree = _core.Search(state, seed=1, memory_bytes=1 << 20, **rules.tunables)
    tree.run(200)
    rows = tree.rows()
    assert sum(row.visits for row in rows) == tree.root_stats().visits == 200
    assert {row.move for row in rows} <= set(state.moves())
    assert all(len(row.wins) == len(row.scores) == state.players for row in rows)
    assert sum(row.prior for row in rows) == pytest.approx(1)


def test_a_state_is_of_some_game() -> None:
    with pytest.raises(TypeError, match="by the class of its game"):
        _core.State()
