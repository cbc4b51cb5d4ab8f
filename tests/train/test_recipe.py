"""Recipes: what is filled in, what is refused, which run may go on with which. No torch needed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.network import NETS, read_network
from pavilion_ai.train import recipe as recipe_module
from pavilion_ai.train.recipe import (
    Generation,
    Recipe,
    RecipeError,
    difference,
    parse_recipe,
    read_recipe,
    recipes_before,
    shipped_recipes,
)
from tests.cli.support import assert_clean, error_lines, pavilion

LONG_AGO = "8d84e95bc12eb4f3c84dd990da0a1a26503286d83a85b5b88571c44f96dce021"
"""What a recipe without the options below hashed to before there were marks for them."""


@pytest.mark.parametrize("name", shipped_recipes())
def test_shipped_recipes_are_whole(name: str) -> None:
    recipe = read_recipe(name)
    assert recipe.name == name
    earlier = (f"{recipe.variant}-{number}" for number in ("first", "second", "third"))
    assert name in ("default", recipe.variant, *earlier)
    begun = [recipe, *recipes_before(recipe)][-1]
    if begun.start is not None:
        header, _ = read_network(NETS / f"{begun.start}.net")
        assert header.game == begun.game
        assert begun.has_room_for(header.hidden)
    assert parse_recipe(recipe.to_json()) == recipe


def test_each_and_times_are_written_out() -> None:
    recipe = parse_recipe({
        "each": {"games": 7, "tunables": {"mixed": 0.1}},
        "generations": [{"games": 5, "tunables": {"win_weight": 0.8}}, {"times": 2}],
    })
    assert [generation.games for generation in recipe.generations] == [5, 7, 7]
    assert recipe.generations[0].tunables == {"mixed": 0.1, "win_weight": 0.8}
    assert recipe.generations[2].tunables == {"mixed": 0.1}
    assert "each" not in recipe.to_json()


def test_changes() -> None:
    recipe = parse_recipe({"generations": [{"games": 5}, {"games": 6}]})
    more = recipe.changed(generations=4, seed=None, full_sims=50, threads=3, board="grey")
    assert [generation.games for generation in more.generations] == [5, 6, 6, 6]
    assert {generation.full_sims for generation in more.generations} == {50}
    assert (more.learner.threads, more.board, more.seed) == (3, "grey", 1)
    assert len(recipe.changed(generations=1).generations) == 1
    with pytest.raises(RecipeError, match="players: found 5, expected a whole number from 2 to 4"):
        recipe.changed(players=5)


@pytest.mark.parametrize(("data", "message"), [
    ([], "found a list of 0, expected an object"),
    ({"colour": 1}, "colour: found an unknown key, expected one of name, game"),
    ({"game": "winter"}, "game: found 'winter', expected one of summer, azul"),
    ({"board": 3}, "board: found 3, expected one of"),
    ({"players": True}, "players: found true, expected a whole number"),
    ({"seed": -1}, "seed: found -1, expected a whole number from 0"),
    ({"hidden": [128, 33]}, r"hidden: found \[128, 33\], expected one of 32"),
    ({"hidden": [[], 32]}, "hidden: found a list of 2, expected one of 32"),
    ({"name": ""}, "name: found '', expected a word"),
    ({"start": 5}, "start: found 5, expected a word"),
    ({"learner": {"batch": 0}}, "learner.batch: found 0, expected a whole number from 1"),
    ({"learner": {"half": 1}}, "learner.half: found 1, expected true, false or null"),
    ({"learner": {"games": 1}}, "learner.games: found an unknown key, expected one of batch"),
    ({"generations": []}, "generations: found a list of 0, expected a list of 1 to"),
    ({"generations": 3}, "generations: found 3, expected a list of 1 to"),
    ({"generations": [{"games": 1.5}]},
     r"generations\[0\].games: found 1.5, expected a whole number"),
    ({"generations": [{"rate": "fast"}]},
     r"generations\[0\].rate: found 'fast', expected a number"),
    ({"generations": [{"rate": float("nan")}]},
     r"generations\[0\].rate: found nan, expected a number"),
    ({"generations": [{"tunables": {"speed": 1}}]},
     r"tunables.speed: found an unknown key, expected one of expl"),
    ({"generations": [{"tunables": {"mixed": None}}]},
     "tunables.mixed: found null, expected a number"),
    ({"generations": [{"times": 600}, {"times": 401}]},
     "generations: found more than 1000 generations in all"),
    ({"generations": [{"times": 0}]}, r"generations\[0\].times: found 0, expected"),
    ({"each": {"gate": {"pairs": 0}}}, "^each.gate.pairs: found 0, expected"),
    ({"each": {"gamez": 5}}, "^each.gamez: found an unknown key, expected one of games"),
    ({"each": {"times": "x"}}, "^each.times: found an unknown key, expected one of games"),
    ({"each": {"tunables": {"width": 20}}}, "^each.tunables.width: found 20, expected 30: leads"),
    ({"each": {"tunables": {"mixed": None}}}, "^each.tunables.mixed: found null, expected a num"),
    ({"finish": {"gate": {"sprt": [5, 5]}}},
     r"finish.gate.sprt: found 5 and 5, expected the first"),
    ({"finish": {"start_share": 0.5}}, "finish.start_share: the run begins with no network"),
    ({"start": "x", "finish": {"start_share": 0.5, "anew": True}},
     "finish.start_share: what is learned anew cannot be mixed"),
    ({"finish": {"anew": 1}}, "finish.anew: found 1, expected true or false"),
    ({"start": "x", "finish": {"start_share": 1.5}},
     r"finish.start_share: found 1.5, expected a number"),
    ({"finish": {"gate": {"sprt": [5]}}}, r"finish.gate.sprt: found \[5\], expected two numbers"),
])  # fmt: skip
def test_what_is_refused(data: Any, message: str) -> None:
    with pytest.raises(RecipeError, match=message) as caught:
        parse_recipe(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("words", "message"), [
    (("--full-sims", 1), "--full-sims: found 1, expected a whole number from 2 to 1000000"),
    (("--fast-sims", 10**7), "--fast-sims: found 10000000, expected a whole number from 1"),
    (("--start-from", ""), "--start-from: found '', expected a word"),
    (("--game", "chess"), "--game: found 'chess', expected one of"),
    (("--recipe", ""), "recipe '': no such file"),
])
def test_changes_of_the_command_line_are_told_by_its_options(
    tmp_path: Path, words: tuple[object, ...], message: str
) -> None:
    refused = pavilion("train", "--out", tmp_path, *words)
    assert_clean(refused, 2)
    assert error_lines(refused)[0].startswith(f"error: {message}")


def test_files_that_are_no_recipes(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"no such file, and none of .*default"):
        read_recipe("nothing")
    for content, why in (
        (b"", "not JSON"), (b"{", "not JSON"), (b"\xff", "not JSON"),
        (b"[" * 100_000, "found values nested too deeply"),
        (b'{"seed": 1e400}', "found the number '1e400'"),
        (b'{"seed": 1, "seed": 2}', "found the key 'seed' twice in one object"),
    ):
        (tmp_path / "a.json").write_bytes(content)
        with pytest.raises(RecipeError, match=rf"a\.json: {why}"):
            read_recipe(tmp_path / "a.json")
    with pytest.raises(RecipeError, match="recipe '': no such file, and none of"):
        read_recipe("")
    (tmp_path / "a.json").write_bytes(b" " * (1 << 20) + b"{}")
    with pytest.raises(RecipeError, match=r"a\.json: longer than 1048576 bytes, not a recipe"):
        read_recipe(tmp_path / "a.json")
    with pytest.raises(RecipeError, match="directory"):
        read_recipe(tmp_path)
    (tmp_path / "a.json").write_text(json.dumps({"players": 9}))
    with pytest.raises(RecipeError, match=r"a\.json: players: found 9, expected"):
        read_recipe(tmp_path / "a.json")


def test_a_recipe_without_a_name_has_that_of_its_file(tmp_path: Path) -> None:
    for file, content, name in (("my.small.json", {}, "my.small"), (" .json", {}, "default"),
                                ("other.json", {"name": "small"}, "small")):
        (tmp_path / file).write_text(json.dumps(content))
        assert read_recipe(tmp_path / file) == parse_recipe({"name": name})


def test_other_generations_to_come_and_another_finish_go_on() -> None:
    recipe = parse_recipe({"generations": [{"games": 5}, {"games": 6}]})
    assert difference(recipe, recipe, 2) is None
    assert difference(recipe, recipe.changed(generations=3), 2) is None
    assert difference(recipe, recipe.changed(generations=1), 1) is None
    finished = parse_recipe({**recipe.to_json(), "finish": {}})
    assert difference(recipe, finished, 2) is None
    assert difference(finished, recipe, 2) is None
    short = recipe.changed(generations=1)
    assert difference(recipe, short, 2) == "generations: 2 begun, 1 here"
    other = recipe.changed(games=6)
    assert difference(recipe, other, 0) is None
    assert difference(recipe, other, 1) == "generations[0].games: 5 there, 6 here"
    assert difference(recipe, recipe.changed(seed=2), 0) == "seed: 1 there, 2 here"
    gated = parse_recipe({"generations": [{"games": 5, "gate": {}}, {"games": 6}]})
    assert "generations[0].gate" in str(difference(recipe, gated, 2))
    assert "generations[0].gate" in str(difference(gated, recipe, 1))


@pytest.mark.parametrize(("start", "complaint"), [
    ({"game": "azul"}, "recipe:first: makes a network for azul, expected summer"),
    ({"hidden": [32, 48]}, "recipe:first: a network of hidden layers [32, 48], expected at most"
     ' [64, 32]; "hidden": [64, 48] in the recipe has room for it'),
    ({"hidden": [32, 32], "board": "grey"}, "recipe:first: a network for grey, 2 players, which"
     " finish.start_share cannot mix with the result"),
    ({"hidden": [32, 32], "start": "recipe:first"}, "recipe:first: begins with itself"),
    ({"hidden": [32, 32], "start": "recipe:none"}, "no such file"),
])
def test_a_recipe_that_cannot_come_first(
    start: dict[str, Any], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe_module, "RECIPES", tmp_path)
    (tmp_path / "first.json").write_text(json.dumps(start))
    recipe = parse_recipe(
        {"hidden": [64, 32], "start": "recipe:first", "finish": {"start_share": 0.5}})
    with pytest.raises(RecipeError, match=re.escape(complaint)):
        recipes_before(recipe)


def test_recipes_that_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe_module, "RECIPES", tmp_path)
    (tmp_path / "first.json").write_text('{"hidden": [32, 16], "start": "recipe:very first"}')
    (tmp_path / "very first.json").write_text('{"hidden": [32, 16], "players": 3}')
    recipe = parse_recipe({"hidden": [64, 32], "start": "recipe:first"})
    first, very_first = recipes_before(recipe)
    assert (first.start, very_first.players) == ("recipe:very first", 3)
    assert recipes_before(parse_recipe({"start": "very first"})) == []


def test_recipes_from_before_there_were_more_settings_keep_their_hash() -> None:
    header, _ = read_network(NETS / "azul-coloured-3.net")
    assert read_recipe("azul-coloured-3").sha256() == header.trained["sha256_of_recipe"]


def test_the_hash_of_a_beginning_does_not_know_how_it_goes_on() -> None:
    recipe = parse_recipe({"generations": [{"games": 5}, {"games": 6}], "finish": {}})
    assert recipe.sha256(2) == recipe.changed(generations=3).sha256(2)
    assert recipe.sha256() != recipe.changed(generations=3).sha256()
    assert recipe.sha256(1) != recipe.sha256(2)


def test_a_recipe_cannot_be_changed() -> None:
    given = {"mixed": 0.1}
    generation = Generation(tunables=given)
    given["mixed"] = 0.2
    assert generation.tunables == {"mixed": 0.1}
    with pytest.raises(TypeError):
        generation.tunables["mixed"] = 0.3  # type: ignore[index]
    recipe = Recipe(generations=(generation,))
    recipe.to_json()["generations"][0]["tunables"].clear()
    assert recipe.to_json()["generations"][0]["tunables"] == {"mixed": 0.1}
    assert len({recipe, parse_recipe(recipe.to_json()), recipe.changed(seed=2)}) == 2


@pytest.mark.parametrize(("changes", "counts"), [
    ({}, False),
    ({"learner": {"symmetry": False}}, False),
    ({"learner": {"symmetry": True}}, True),
    ({"each": {"record_share": 1}}, False),
    ({"each": {"record_share": 0.5}}, True),
    ({"finish": {"anew": False, "start_share": 0}}, False),
    ({"finish": {"anew": True}}, True),
    ({"finish": {"start_share": 0.5}}, True),
    ({"finish": {"warm_up": 1}}, True),
])
def test_options_that_came_later_count_in_the_hash_only_if_they_are_used(
    changes: dict[str, Any], counts: bool
) -> None:
    plain = {"board": "grey", "start": "summer-grey-2", "finish": {}}
    changed = parse_recipe({**plain, **changes}).sha256()
    assert (changed != LONG_AGO) == counts
