"""Pictures of the boards: everything in its place, and what is printed, short or complete."""

from __future__ import annotations

import math
import re
from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import pytest

from pavilion_ai.render import azul_layout as azul
from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render import summer_svg_board
from tests.cli.pictures import (
    AZUL_POSITIONS,
    SUMMER_POSITIONS,
    Node,
    apart,
    corners,
    drawn,
    each,
    letters,
    middle,
    of_class,
    placed,
    seat_nodes,
    shift,
    texts,
)

# -- Summer Pavilion -------------------------------------------------------------------------


@each(SUMMER_POSITIONS)
def test_wild_tiles_are_marked_but_not_those_kept_or_placed(position: Any) -> None:
    wild = layout.COLOURS[position.round - 1]
    loose = re.compile(r"D\d|C$|supply|hand")
    for tile in of_class(drawn(position), "tile"):
        may = bool(loose.match(tile.get("data-at", "")))
        assert bool(of_class(tile, "wild")) == (may and tile.get("data-tile") == wild)


@each(SUMMER_POSITIONS)
def test_empty_spaces_show_their_numbers(position: Any) -> None:
    for node, seat in zip(seat_nodes(drawn(position)), position.seats, strict=True):
        found = {space.get("data-at"): texts(space) for space in of_class(node, "space")}
        side = position.board
        assert found == {
            layout.space_name(site, place): [
                str(layout.printed_number(side, site, place)),
                *([layout.STAR_COLOURS[site].lower()] if side == "coloured" and site < 6 else []),
            ]
            for site, star in enumerate(seat.stars)
            for place in range(1, 7)
            if star[place - 1] == "."
        }


@each(SUMMER_POSITIONS)
def test_features_show_whether_they_are_done_or_one_short(position: Any) -> None:
    for node, seat in zip(seat_nodes(drawn(position)), position.seats, strict=True):
        nodes = of_class(node, "feature")
        assert [found.get("data-at") for found in nodes] == [f.name for f in layout.FEATURES]
        for found, feature in zip(nodes, layout.FEATURES, strict=True):
            short = len(layout.missing(seat.stars, feature.spaces))
            assert found.get("data-short") == str(short)
            sign = "!" if short == 1 and position.phase != "over" else "+"
            assert texts(found) == ([f"{sign}{feature.tiles}"] if short else [])
            assert bool(list(found.iter("polyline"))) == (short == 0)  # the tick


def spaces_of_a_board(side: str) -> tuple[dict[str, Any], dict[str, tuple[float, float]], Node]:
    """Return the corners of the 42 spaces, the middles of the features, and the board."""
    board = ElementTree.fromstring(summer_svg_board.board(side, ("......",) * 7, (0,) * 6))
    spaces = {
        space.get("data-at", ""): corners(space, shift(star))
        for star in of_class(board, "star")
        for space in of_class(star, "space")
    }
    features = {found.get("data-at", ""): shift(found) for found in of_class(board, "feature")}
    return spaces, features, board


@pytest.mark.parametrize("side", ["coloured", "grey"])
def test_spaces_do_not_overlap_and_stars_stand_apart(side: str) -> None:
    spaces, features, board = spaces_of_a_board(side)
    assert len(spaces) == 42
    for one, other in combinations(spaces.values(), 2):
        assert apart(one, other)
    stars = [shift(star) for star in of_class(board, "star")]
    assert len(set(stars)) == 7
    radius = summer_svg_board.RING
    assert min(math.dist(*pair) for pair in combinations(stars, 2)) == pytest.approx(radius, 1e-3)
    for at in features.values():
        dots = [(at[0] + 10 * x, at[1] + 10 * y) for x, y in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        assert all(apart(dots, space) for space in spaces.values())
    width, height = summer_svg_board.BOARD
    everything = [point for space in spaces.values() for point in space] + list(features.values())
    assert max(abs(x) for x, _ in everything) <= width / 2
    assert max(abs(y) for _, y in everything) <= height / 2


def test_sites_lie_in_their_directions_and_positions_run_clockwise() -> None:
    spaces, _, board = spaces_of_a_board("coloured")
    stars = {star.get("data-site"): shift(star) for star in of_class(board, "star")}
    assert stars["C"] == (0, 0)
    assert stars["W"][0] < 0 == stars["W"][1]
    assert stars["NE"][0] > 0 > stars["NE"][1]  # y grows downwards
    assert stars["SW"][0] < 0 < stars["SW"][1]
    # RULES.md A3.1: the space at the top of each star.
    tops = {"W": 1, "NW": 6, "NE": 5, "E": 4, "SE": 3, "SW": 2, "C": 1}
    for site, top in tops.items():
        places = {place: middle(spaces[f"{site}.{place}"]) for place in range(1, 7)}
        assert min(places, key=lambda place: places[place][1]) == top
        x, y = stars[site]
        following = places[top % 6 + 1]
        assert following[0] > x + 10
        assert following[1] < y - 10


@pytest.mark.parametrize("feature", layout.FEATURES, ids=lambda feature: feature.name)
def test_a_feature_stands_between_the_spaces_that_surround_it(feature: layout.Feature) -> None:
    spaces, features, _ = spaces_of_a_board("coloured")
    at = features[feature.name]
    nearest = sorted(spaces, key=lambda name: math.dist(middle(spaces[name]), at))
    assert set(nearest[: len(feature.spaces)]) == {layout.space_name(*s) for s in feature.spaces}


# -- base Azul -------------------------------------------------------------------------------


@each(AZUL_POSITIONS)
def test_the_wall_shows_what_is_printed_and_what_the_goals_lack(position: Any) -> None:
    for node, seat in zip(seat_nodes(drawn(position)), position.seats, strict=True):
        found = {
            space.get("data-at"): texts(space)
            for space in of_class(node, "space")
            if space.get("data-at", "").startswith("wall")
        }
        assert found == {
            f"wall {row + 1}.{column + 1}": [own.lower()] if own else []
            for row in range(5)
            for column in range(5)
            if seat.wall[row][column] == "."
            for own in [azul.printed(position.board, row, column)]
        }
        full = sum(azul.is_full(number, tiles) for number, tiles in enumerate(seat.lines))
        assert len(of_class(node, "full")) == full
        lost = f"-{azul.penalty(len(seat.floor))}"
        assert (lost in texts(of_class(node, "floor")[0])[-1:]) == bool(seat.floor)
        goals = {goal.get("data-at"): goal for goal in of_class(node, "goal")}
        assert len(goals) == 15
        for goal in azul.goals(seat.wall):
            shown = goals[f"{goal.kind} {goal.name}"]
            sign = "!" if goal.last is not None and position.phase != "over" else "+"
            worth = [f"{sign}{azul.BONUSES[goal.kind]}"] if goal.short else []
            assert texts(shown) == worth
            assert bool(list(shown.iter("polyline"))) == (not goal.short)


@each(AZUL_POSITIONS)
def test_lines_are_filled_from_the_wall_and_rows_stand_beside_them(position: Any) -> None:
    for node, seat in zip(seat_nodes(drawn(position)), position.seats, strict=True):
        rows: dict[str, list[tuple[float, str, float]]] = {}
        for found, outline in placed(node, "tile", "space", "goal"):
            place = re.sub(r"wall (\d)\.\d", r"wall \1", found.get("data-at", ""))
            x, y = middle(outline)
            rows.setdefault(place, []).append((x, found.get("data-tile", "."), y))
        for number in range(1, 6):
            line, wall = sorted(rows[f"line {number}"]), sorted(rows[f"wall {number}"])
            tiles = "".join(letters(seat.lines[number - 1], azul.COLOURS))
            assert "".join(letter for _, letter, _ in line) == tiles.rjust(number, ".")
            assert "".join(letter for _, letter, _ in wall) == seat.wall[number - 1]
            (goal,) = rows[f"row {number}"]
            assert line[-1][0] < wall[0][0] < wall[-1][0] < goal[0]
            assert len({y for _, _, y in (*line, *wall, goal)}) == 1
            (below,) = rows[f"column {number}"]
            assert below[0] == wall[number - 1][0]
        floor = "".join(letter for _, letter, _ in sorted(rows["floor line"]))
        assert floor == seat.floor.ljust(azul.FLOOR_SPACES, ".")
