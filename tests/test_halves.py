"""Halves of the variants (`--variants even`, `odd`): nothing is in neither of them."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import of_the_other_half, variant_of
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
def test_each_half_has_every_pair(way: str) -> None:
    family = {variant: Item("t.py::t", **WAYS[way](*variant), seed=3) for variant in VARIANTS}
    halves = []
    for chosen in ("even", "odd"):
        left: set[Any] = of_the_other_half([*family.values()], chosen)
        halves.append({variant for variant, item in family.items() if item not in left})
    assert halves[0] | halves[1] == {*VARIANTS}
    assert not halves[0] & halves[1]
    for half in halves:
        for places in combinations(range(3), 2):
            pairs = [{tuple(variant[place] for place in places) for variant in some}
                     for some in (half, VARIANTS)]
            assert pairs[0] == pairs[1]


def test_what_is_not_for_every_variant_stays() -> None:
    some: list[Any] = [
        *(Item("t.py::some", variant=variant) for variant in VARIANTS[:-1]),
        *(Item("t.py::seeds", variant=variant, seed=seed)
          for seed, variant in enumerate(VARIANTS)),
        *(Item("t.py::other", players=players, known=True) for players in (2, 3, 4)),
        Item("t.py::plain"),
    ]
    assert of_the_other_half(some, "even") == set() == of_the_other_half(some, "odd")
    assert variant_of(some[-1]) is None
