"""Observations: parts that tile the array, unknown bags, the readable form."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pavilion_ai import PavilionError, Play, SpecError
from pavilion_ai.envs import (
    OBSERVATIONS,
    action_mask,
    observation_parts,
    observations,
    observe,
    readable,
)
from pavilion_ai.notation import to_json
from tests.plays import VARIANTS

from . import literal


@pytest.mark.parametrize("kind", OBSERVATIONS)
@pytest.mark.parametrize(("game", "board", "players"), VARIANTS)
def test_parts_tile_the_array(game: str, board: str, players: int, kind: str) -> None:
    parts = observation_parts(game, players, kind)
    play = Play.new(game, board=board, players=players, seed=2)
    place = 0
    for part in parts:
        assert part.start == place
        assert len(part.axes) == len(part.shape)
        assert part.of(observe(play, kind=kind)).shape == part.shape
        place += part.size
    assert observe(play, kind=kind).shape == (place,)
    assert len({part.name for part in parts}) == len(parts)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_a_small_number_of_numpy_counts_the_players(kind: Any) -> None:
    """It cannot count the numbers of an observation."""
    observations._parts.cache_clear()
    parts = observation_parts("azul", kind(4))
    assert {type(part.start) for part in parts} == {int}
    assert parts == observation_parts("azul", 4)


def test_scaled_counts_are_shares_of_the_largest() -> None:
    play = Play.new("azul", players=3, seed=5)
    counts, scaled = observe(play, 2), observe(play, 2, "scaled")
    assert scaled.dtype == np.float32
    for part in observation_parts("azul", 3):
        assert part.of(scaled) == pytest.approx(part.of(counts) / part.high)
    assert {part.high for part in observation_parts("azul", 3, "scaled")} == {1}


def test_features_are_the_networks_inputs() -> None:
    play = Play.new("summer", board="grey", players=4, seed=5)
    features = observe(play, kind="features")
    assert sorted(np.repeat(np.arange(len(features)), features)) == sorted(play.state.inputs())
    with pytest.raises(SpecError, match="those of the seat to move"):
        observe(play, ((play.turn or 0) + 1) % 4, "features")


def test_features_need_a_seat_to_move() -> None:
    play = Play.new("azul", seed=1)
    while not play.chance:
        play.push(play.legal_moves[0])
    with pytest.raises(PavilionError, match="no seat is to move"):
        observe(play, kind="features")
    assert observe(play)[:4].tolist() == [0, 0, 1, 0]
    assert observation_parts("azul")[2].of(observe(play)).tolist() == [0, 0]


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_an_unknown_bag_shows_the_unseen_tiles(game: str) -> None:
    known = to_json(Play.new(game, players=2, seed=4).position)
    discards = "tower" if game == "summer" else "lid"
    play = Play({**known, "bag": None, discards: None})
    parts = {part.name: part.of(observe(play)) for part in observation_parts(game)}
    letters = literal.SUMMER if game == "summer" else literal.AZUL
    unseen = [tiles + other for tiles, other in zip(literal.counts(known["bag"], letters),
                                                    literal.counts(known[discards], letters),
                                                    strict=True)]
    assert parts["bag"].tolist() == unseen
    assert not parts[discards].any()
    assert parts["split_known"] == 0
    assert parts["bag_size"] == known["bag_size"]


def test_scores_beyond_the_range_are_cut() -> None:
    position = to_json(Play.new("azul", seed=4).position)
    position["seats"][0]["score"] = 9999
    part = next(part for part in observation_parts("azul") if part.name == "seat0.score")
    assert part.of(observe(Play(position), 0)) == part.high == 511


@pytest.mark.parametrize("viewer", [-1, 2, True, "0"])
def test_viewers_that_do_not_exist(viewer: object) -> None:
    with pytest.raises(SpecError, match="expected a seat from 0 to 1"):
        observe(Play.new("azul", seed=1), viewer)  # type: ignore[arg-type]


def test_the_readable_form_names_what_it_counts() -> None:
    play = Play.new("summer", players=2, seed=7, start_player=1)
    play.push(play.legal_moves[0])
    seen, position = readable(play, 1), to_json(play.position)
    assert (seen["phase"], seen["round"], seen["to_move"], seen["start_seat"]) == ("draft", 1, 1, 0)
    assert seen["token"] is None
    letters = literal.SUMMER
    assert seen["displays"] == [
        {letter: tiles for letter, tiles in zip(letters, literal.counts(text, letters), strict=True)
         if tiles} for text in position["displays"]]
    assert seen["seats"][0]["score"] == position["seats"][1]["score"]
    assert sum(seen["seats"][0]["hand"].values()) == len(literal.read(position["seats"][1]["hand"]))
    assert seen["seats"][1]["hand"] == {}


def test_the_readable_form_names_who_has_the_token() -> None:
    play = Play.new("summer", players=3, seed=7)
    while play.position.token is None:
        play.push(play.legal_moves[0])
    for viewer in range(3):
        assert readable(play, viewer)["token"] == (play.position.token - viewer) % 3


@pytest.mark.parametrize("kind", OBSERVATIONS)
def test_what_is_seen_may_be_changed(kind: str) -> None:
    play = Play.new("azul", seed=1)
    for found in (observe(play, kind=kind), action_mask(play)):
        before = found.copy()
        found += 1
        assert (found == before + 1).all()


def test_the_document_has_the_spaces_of_every_variant() -> None:
    root = Path(__file__).resolve().parent.parent.parent
    subprocess.run([sys.executable, "tools/spaces_table.py", "--check"], cwd=root, check=True)
    page = (root / "docs" / "environments.md").read_text(encoding="utf-8")
    for game in ("summer", "azul"):
        for part in observation_parts(game, 2):
            name = part.name.replace("seat0.", "seatK.").replace("seat1.", "seatK.")
            assert f"`{name}`" in page, name
