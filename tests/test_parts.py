"""Parts of the variants (`--variants eight`, `four`): nothing is in neither of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import of_the_other_part, variant_of
from tests.plays import VARIANTS

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


@pytest.mark.parametrize("way", WAYS)
def test_each_part_has_every_board_and_number_of_players(way: str) -> None:
    family = {variant: Item("t.py::t", **WAYS[way](*variant), seed=3) for variant in VARIANTS}
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
        *(Item("t.py::some", variant=variant) for variant in VARIANTS[:-1]),
        *(Item("t.py::seeds", variant=variant, seed=seed)
          for seed, variant in enumerate(VARIANTS)),
        *(Item("t.py::other", players=players, known=True) for players in (2, 3, 4)),
        Item("t.py::plain"),
    ]
    assert of_the_other_part(some, "eight") == set() == of_the_other_part(some, "four")
    assert variant_of(some[-1]) is None
