"""One declaration of the tunables: specs, recipes, core, games and documentation follow it."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai._core import Search, SummerState
from pavilion_ai.errors import SpecError
from pavilion_ai.games import GAMES
from pavilion_ai.network import shipped
from pavilion_ai.search import Searcher, tunables_for
from pavilion_ai.spec import AGENT_NAMES, parse_spec
from pavilion_ai.train.recipe import RecipeError, parse_recipe
from pavilion_ai.tunables import (
    LINEAR,
    SELECT_EVEN,
    TUNABLES,
    WHOLE_TREE,
    Tunable,
    Tunables,
)

from .support import opening

ROOT = Path(__file__).resolve().parents[2]
EVERY_TUNABLE = pytest.mark.parametrize("tunable", TUNABLES.values(), ids=lambda one: one.name)
WITH_A_KEY = pytest.mark.parametrize(
    "tunable", [one for one in TUNABLES.values() if one.key], ids=lambda one: one.name)


def tree(**tunables: Any) -> Search:
    state: Any = GAMES["summer"].to_core(opening())
    assert isinstance(state, SummerState)
    return Search(state, seed=1, memory_bytes=1 << 20, **tunables)


def beyond(tunable: Tunable) -> tuple[float, float]:
    """Return numbers of the right type just below and just above the range."""
    step = 1 if tunable.range.kind is int else 0.01
    return tunable.range.low - step, tunable.range.high + step


@EVERY_TUNABLE
def test_each_is_declared_in_full(tunable: Tunable) -> None:
    assert tunable.range.takes(tunable.default)
    assert type(tunable.default) is tunable.range.kind
    assert tunable.range.low < tunable.range.high
    assert len(tunable.meaning) > 20
    assert LINEAR[tunable.name] == tunable.default


def test_no_option_sets_two() -> None:
    keys = [one.key for one in TUNABLES.values() if one.key]
    assert len(set(keys)) == len(keys) == 13


@EVERY_TUNABLE
def test_ends_of_the_range_are_in_it_and_nothing_beyond(tunable: Tunable) -> None:
    for value in (tunable.range.low, tunable.range.high):
        assert LINEAR.changed({tunable.name: value})[tunable.name] == value
    for value in (*beyond(tunable), float("nan"), True, None, "1"):
        with pytest.raises(SpecError, match=f"^tunable {tunable.name}: found") as caught:
            LINEAR.changed({tunable.name: value})
        assert str(caught.value).endswith(f", expected {tunable.range.expected}")


def test_whole_numbers_have_no_fractions() -> None:
    with pytest.raises(SpecError, match=r"expand_visits: found 1\.0, expected a whole number from"):
        Tunables(expand_visits=1.0)  # type: ignore[arg-type]


def test_others_are_refused() -> None:
    with pytest.raises(SpecError, match=r"tunable 'speed': expected one of exploration, "):
        LINEAR.changed({"speed": 1})
    with pytest.raises(SpecError, match="tunable 'speed'"):
        Searcher("test", {"speed": 1}).tunables(GAMES["summer"], None)


@EVERY_TUNABLE
def test_the_core_wants_each(tunable: Tunable) -> None:
    given = dict(LINEAR)
    del given[tunable.name]
    with pytest.raises(KeyError, match=tunable.name):
        tree(**given)


def test_the_core_wants_no_other() -> None:
    assert tree(**LINEAR).run(10) == 10
    with pytest.raises(TypeError, match="speed: not a tunable"):
        tree(**LINEAR, speed=1)


@EVERY_TUNABLE
def test_the_core_takes_numbers_of_the_range_alone(tunable: Tunable) -> None:
    """Its code has the ranges once more."""
    for value in (tunable.range.low, tunable.range.high):
        assert tree(**{**LINEAR, tunable.name: value}).run(200) == 200
    special = (math.nan, math.inf, -math.inf) if tunable.range.kind is float else ()
    for value in (*beyond(tunable), *special):
        with pytest.raises(ValueError, match=f"^{tunable.name} is "):
            tree(**{**LINEAR, tunable.name: value})


@WITH_A_KEY
def test_specs_follow(tunable: Tunable) -> None:
    for value in (tunable.range.low, tunable.range.high):
        assert parse_spec(f"ismcts:{tunable.key}={value}").tunables == {tunable.name: value}
    for value in beyond(tunable):
        with pytest.raises(SpecError, match=rf"^agent ismcts, option {tunable.key}: found"
                                            rf" '{value}', expected {tunable.range.expected}$"):
            parse_spec(f"ismcts:{tunable.key}={value}")


def test_every_agent_that_searches_can_be_searched_with() -> None:
    for name in AGENT_NAMES:
        LINEAR.changed(parse_spec(name).tunables)
    assert LINEAR.changed(parse_spec("flat").tunables).selection == SELECT_EVEN
    assert LINEAR.changed(parse_spec("uct:c=1.5").tunables).exploration == 1.5


def test_the_baselines_use_no_network() -> None:
    without = {name for name in AGENT_NAMES if not parse_spec(name).has_network}
    assert without == {"random", "greedy", "flat", "uct"}


@EVERY_TUNABLE
def test_recipes_follow(tunable: Tunable) -> None:
    ends = tunable.range.low, tunable.range.high
    for value in ends if tunable.name != "width" else (tunable.default,):  # leads are learned by it
        recipe = parse_recipe({"each": {"tunables": {tunable.name: value}}})
        assert recipe.generations[0].tunables == {tunable.name: value}
    for value in beyond(tunable):
        complaint = f"tunables.{tunable.name}: found {value}, expected {tunable.range.expected}"
        with pytest.raises(RecipeError, match=re.escape(complaint)):
            parse_recipe({"each": {"tunables": {tunable.name: value}}})


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_games_have_some_for_each_number_of_players(game: Any) -> None:
    assert set(game.network_tunables) == set(range(game.min_players, game.max_players + 1))
    assert tunables_for(game) is game.tunables
    for players in game.network_tunables:
        network = shipped(game.name, "coloured", players)
        assert tunables_for(game, network) is game.network_tunables[players]
        assert tunables_for(game, network).share == 1


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_a_tree_that_is_reused_is_kept_as_it_is(game: Any) -> None:
    network = shipped(game.name, "coloured", 3)
    usual = tunables_for(game, network)
    found = Searcher("test", {"share": 1, "mixed": 0.1}, reuse=True).tunables(game, network)
    assert found == usual.changed(
        {"stats_depth": WHOLE_TREE, "share": 0, "rivals": 0.0, "mixed": 0.1})
    assert Searcher("test").tunables(game, network) == usual


def test_self_play_leaves_out_what_came_later() -> None:
    found = Tunables(share=1, growth=0.5, rivals=0.5, deal_visits=50, mixed=0.1).for_self_play()
    assert found == Tunables(share=0, growth=0.0, rivals=0.0, deal_visits=0, mixed=0.1)


def test_the_documentation_is_up_to_date() -> None:
    subprocess.run([sys.executable, "tools/tunables_table.py", "--check"], cwd=ROOT, check=True)
