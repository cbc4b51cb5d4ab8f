"""Parts of the variants (`--variants eight`, `four`): nothing is left out of both builds."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import DEBUG_STEP, of_the_other_part, variant_of
from tests.plays import VARIANTS

ROOT = Path(__file__).resolve().parents[1]
FILE = "tests/rules/t.py"  # on both builds
WAYS: dict[str, Any] = {
    "apart": lambda game, board, players: {"game": game, "board": board, "players": players},
    "together": lambda game, board, players: {"variant": (game, board, players)},
    "a bit": lambda game, board, players: {"grey": board == "grey", "players": players,
                                           "game": game},
}
"""How tests have a variant in their parameters."""


class Item:
    """A test with parameters, as far as it is asked."""

    def __init__(self, name: str, **params: Any) -> None:
        self.nodeid = f"{name}[{params}]"
        self.callspec = SimpleNamespace(params=params)
        self.marks = {"release_only"} if name.endswith("release") else set[str]()

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def family(name: str) -> list[Any]:
    return [Item(name, variant=variant) for variant in VARIANTS]


@pytest.mark.parametrize("way", WAYS)
def test_each_part_has_every_board_and_number_of_players(way: str) -> None:
    family = {variant: Item(f"{FILE}::t", **WAYS[way](*variant), seed=3)
              for variant in VARIANTS}
    parts = []
    for chosen in ("eight", "four"):
        left: set[Any] = of_the_other_part([*family.values()], chosen)
        parts.append({variant for variant, item in family.items() if item not in left})
    assert [*map(len, parts)] == [8, 4]
    assert parts[0] | parts[1] == {*VARIANTS}
    for part in parts:
        assert {variant[:2] for variant in part} == {variant[:2] for variant in VARIANTS}
        assert {variant[2] for variant in part} == {2, 3, 4}


def test_what_is_not_for_every_variant_stays() -> None:
    some: list[Any] = [
        *(Item(f"{FILE}::some", variant=variant) for variant in VARIANTS[:-1]),
        *(Item(f"{FILE}::seeds", variant=variant, seed=seed)
          for seed, variant in enumerate(VARIANTS)),
        *(Item(f"{FILE}::other", players=players, known=True) for players in (2, 3, 4)),
        Item(f"{FILE}::plain"),
    ]
    assert of_the_other_part(some, "eight") == set() == of_the_other_part(some, "four")
    assert variant_of(some[-1]) is None


@pytest.mark.parametrize("name", [
    "tests/bga/t.py::t", "tests/test_t.py::t", "tests/search/test_levels.py::t",
    "tests/search/test_azul_endings.py::t", "tests/search/test_azul_draws.py::t",
    "tests/rules/t.py::release"])
def test_what_runs_on_one_build_runs_for_every_variant(name: str) -> None:
    """Else four of them would run nowhere."""
    for chosen in ("eight", "four"):
        assert not of_the_other_part(family(name), chosen)


@pytest.mark.skipif(not (ROOT / ".ci" / "run").exists(), reason="not in a checkout")
def test_the_debug_build_runs_what_is_said_here() -> None:
    """Each place is there, and CI names no others."""
    command = (ROOT / ".ci" / "run").read_text().partition("--variants four")[2].partition("|")[0]
    assert "mapfile -t places <tests/debug_step.txt" in (ROOT / ".ci" / "run").read_text()
    assert command.split() == [
        "-k", "'not", "beats'", "\\", "-m", "'not", "release_only'", '"${places[@]}"', "2>&1"]
    for argument in DEBUG_STEP.read_text().splitlines():
        option, _, pattern = argument.rpartition("=")
        assert option in ("", "--ignore-glob")
        assert [*ROOT.glob(pattern)], argument
