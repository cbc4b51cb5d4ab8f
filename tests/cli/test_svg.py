"""Pictures: sound XML, every tile once, the board's shape, signs that do not rest on colour."""

from __future__ import annotations

import math
import os
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pavilion_ai.games import GAMES
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.render import draw_svg, summer_svg_board, svg
from pavilion_ai.render import summer_layout as layout
from tests.cli.support import (
    ALL_EXAMPLES,
    BONUS,
    DRAFTING,
    FOUR,
    GREY,
    PLACING,
    assert_clean,
    command,
    error_lines,
    pavilion,
    process,
)

Node = ElementTree.Element
SUMMER = GAMES["summer"]
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def position_of(path: Path) -> Any:
    return parse_position(path.read_text()).position


def played(board: str, players: int, seed: int, turns: int = 10_000) -> Any:
    """Play at random, passing only if nothing else is left."""
    chooser = random.Random(seed)
    position: Any = SUMMER.new(board=board, players=players, seed=seed)
    for _ in range(turns):
        if position.phase == "over":
            break
        if position.to_move is None:
            position, _ = SUMMER.play(position, [], seed=chooser.getrandbits(30))
            continue
        legal = SUMMER.legal_moves(position)
        better = [move for move in legal if not move.startswith("pass")]
        position = SUMMER.apply(position, chooser.choice(better or legal))
    return position


def drawn(position: Any, **options: Any) -> Node:
    """Parse the picture of a position, without the namespace."""
    text = draw_svg(position, **options)
    assert text.count('xmlns="http://www.w3.org/2000/svg"') == 1
    return ElementTree.fromstring(text.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1))


def of_class(node: Node, name: str) -> list[Node]:
    return [child for child in node.iter() if child.get("class") == name]


def texts(node: Node) -> list[str]:
    return ["".join(child.itertext()) for child in node.iter("text")]


def letters(counts: Any) -> list[str]:
    return [letter for letter, n in zip(layout.COLOURS, counts, strict=True) for _ in range(n)]


def tiles_in(node: Node) -> Counter[tuple[str, str]]:
    return Counter((tile.get("data-at", ""), tile.get("data-tile", ""))
                   for tile in of_class(node, "tile"))


def seat_nodes(root: Node) -> list[Node]:
    return of_class(root, "seat")


POSITIONS = {
    **{path.stem: position_of(path) for path in ALL_EXAMPLES},
    "opening, 4 players": played("coloured", 4, 1, turns=0),
    "over, 2 players": played("coloured", 2, 1),
    "over, 3 players": played("grey", 3, 1),
    "in play, 4 players, grey": played("grey", 4, 3, turns=150),
}
every_position = pytest.mark.parametrize("position", POSITIONS.values(), ids=POSITIONS)


# -- what is shown ---------------------------------------------------------------------------


@every_position
def test_every_tile_is_drawn_once_with_its_letter(position: Any) -> None:
    root = drawn(position)
    table = [(f"D{n}", tiles) for n, tiles in enumerate(position.displays, 1)]
    table += [("C", position.centre), ("supply", position.supply)]
    (market,) = of_class(root, "market")
    assert tiles_in(market) == Counter(
        (place, letter) for place, tiles in table for letter in letters(tiles)
    )
    assert len(seat_nodes(root)) == len(position.seats)
    for node, seat in zip(seat_nodes(root), position.seats, strict=True):
        expected = [("hand", letter) for letter in letters(seat.hand)]
        expected += [("kept", letter) for letter in letters(seat.kept)]
        expected += [
            (layout.space_name(site, place), letter)
            for site, star in enumerate(seat.stars)
            for place, letter in enumerate(star, 1)
            if letter != "."
        ]
        assert tiles_in(node) == Counter(expected)
    every = sum((tiles_in(node) for node in [market, *seat_nodes(root)]), Counter[Any]())
    assert tiles_in(root) == every
    for tile in of_class(root, "tile"):
        assert texts(tile)[0] == tile.get("data-tile")


@every_position
def test_wild_tiles_are_marked_but_not_those_kept_or_placed(position: Any) -> None:
    wild = layout.COLOURS[position.round - 1]
    loose = re.compile(r"D\d|C$|supply|hand")
    for tile in of_class(drawn(position), "tile"):
        may = bool(loose.match(tile.get("data-at", "")))
        assert bool(of_class(tile, "wild")) == (may and tile.get("data-tile") == wild)


@every_position
def test_empty_spaces_show_their_numbers(position: Any) -> None:
    for node, seat in zip(seat_nodes(drawn(position)), position.seats, strict=True):
        found = {space.get("data-at"): texts(space) for space in of_class(node, "space")}
        side = position.board
        assert found == {
            layout.space_name(site, place): [str(layout.printed_number(side, site, place))]
            for site, star in enumerate(seat.stars)
            for place in range(1, 7)
            if star[place - 1] == "."
        }


@every_position
def test_features_show_whether_they_are_done_or_one_short(position: Any) -> None:
    for node, seat in zip(seat_nodes(drawn(position)), position.seats, strict=True):
        nodes = of_class(node, "feature")
        assert [found.get("data-at") for found in nodes] == [f.name for f in layout.FEATURES]
        for found, feature in zip(nodes, layout.FEATURES, strict=True):
            short = len(layout.missing(seat.stars, feature.spaces))
            assert found.get("data-short") == str(short)
            sign = {0: [], 1: [f"!{feature.tiles}"]}.get(short, [f"+{feature.tiles}"])
            assert texts(found) == sign
            assert bool(list(found.iter("polyline"))) == (short == 0)  # the tick


@every_position
def test_scores_turn_token_and_passes(position: Any) -> None:
    root = drawn(position)
    seats = list(zip(seat_nodes(root), position.seats, strict=True))
    for number, (node, seat) in enumerate(seats):
        shown = texts(node)
        assert f"seat {number}" in shown
        assert f"{seat.score} point{'' if seat.score == 1 else 's'}" in shown
        assert ("passed" in shown) == (seat.passed and position.phase != "over")
        assert len(of_class(node, "turn")) == (number == position.to_move)
        assert len(of_class(node, "token")) == (number == position.token)
    assert len(of_class(root, "token")) == 1
    heading, phase = texts(of_class(root, "heading")[0])[:2]
    name = layout.COLOUR_NAMES[position.round - 1]
    assert heading == f"Round {position.round} of 6, wild: {name}"
    assert phase.endswith(f": seat {position.to_move} to move") == (position.to_move is not None)
    (bag,), (tower,) = of_class(root, "bag"), of_class(root, "tower")
    assert texts(bag)[0] == f"bag {position.bag_size}"
    assert texts(tower)[0] == f"tower {sum(position.tower)}"
    assert [text for text in texts(bag)[1:] if text.isdigit()] == list(map(str, position.bag))


def test_a_bag_that_is_not_known_is_said_to_be_so() -> None:
    root = drawn(replace(position_of(DRAFTING), bag=None, tower=None))
    assert any("not known" in text for text in texts(of_class(root, "bag")[0]))
    assert of_class(root, "tower") == []


def test_names_are_escaped_and_cut() -> None:
    names = ("<b>&amp;\x1b", "x" * 300)
    shown = [texts(node) for node in seat_nodes(drawn(position_of(PLACING), names=names))]
    assert "<b>&amp;?" in shown[0]
    assert any(text.startswith("xxx") and len(text) < 50 for text in shown[1])


def test_the_parts_of_the_scores_are_shown_after_the_end() -> None:
    position = POSITIONS["over, 3 players"]
    shown = [texts(node) for node in seat_nodes(drawn(
        position, breakdown=SUMMER.breakdown(position)))]
    for seat, parts in enumerate(SUMMER.breakdown(position)):
        assert " + ".join(f"{name} {points}" for name, points in parts.items()) in shown[seat]


# -- where it stands -------------------------------------------------------------------------


def shift(node: Node) -> tuple[float, float]:
    numbers = re.findall(r"[-\d.]+", node.get("transform", "translate(0 0)"))
    return float(numbers[0]), float(numbers[1])


def corners(node: Node, offset: tuple[float, float] = (0, 0)) -> list[tuple[float, float]]:
    polygon = next(node.iter("polygon")).get("points", "")
    pairs = [pair.split(",") for pair in polygon.split()]
    return [(float(x) + offset[0], float(y) + offset[1]) for x, y in pairs]


def middle(points: list[tuple[float, float]]) -> tuple[float, float]:
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def apart(one: list[tuple[float, float]], other: list[tuple[float, float]]) -> bool:
    """Tell whether two convex polygons do not overlap: one edge has the other all outside."""
    for polygon in (one, other):
        for (ax, ay), (bx, by) in zip(polygon, [*polygon[1:], polygon[0]], strict=True):
            def side(points: Any, ax: float = ax, ay: float = ay, bx: float = bx, by: float = by
                     ) -> list[float]:
                return [(x - ax) * (by - ay) - (y - ay) * (bx - ax) for x, y in points]

            if max(side(one)) <= min(side(other)) or max(side(other)) <= min(side(one)):
                return True
    return False


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


@every_position
def test_loose_tiles_do_not_overlap(position: Any) -> None:
    def walk(node: Node, offset: tuple[float, float]) -> None:
        here = shift(node)
        offset = offset[0] + here[0], offset[1] + here[1]
        if node.get("class") == "tile":
            found.append(corners(node, offset))
        for child in node:
            walk(child, offset)

    found: list[list[tuple[float, float]]] = []
    root = drawn(position)
    walk(root, (0, 0))
    for one, other in combinations(found, 2):
        assert apart(one, other)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    assert all(0 < x < width and 0 < y < height for tile in found for x, y in tile)


# -- how it looks ----------------------------------------------------------------------------


def luminance(colour: str) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_letters_and_signs_can_be_read() -> None:
    pairs = [*summer_svg_board.TILE_COLOURS.values()]
    pairs += [(fill, ink) for fill, _, ink in summer_svg_board.FEATURE_COLOURS]
    pairs += [(fill, "#33333d") for _, fill in summer_svg_board.SPACE_COLOURS.values()]
    pairs += [(svg.PAPER, svg.INK), (svg.PAPER, svg.FAINT_INK)]
    assert min(contrast(*pair) for pair in pairs) >= 4.5
    edges = summer_svg_board.SPACE_COLOURS.values()
    assert min(contrast(edge, svg.PAPER) for edge, _ in edges) >= 3


@every_position
def test_the_picture_is_self_contained_and_described(position: Any) -> None:
    root = drawn(position)
    assert (root[0].tag, root[1].tag) == ("title", "desc")
    assert f"{len(position.seats)} players" in (root[0].text or "")
    for number, seat in enumerate(position.seats):
        assert f"Seat {number}: {seat.score} point" in (root[1].text or "")
    used = {node.tag for node in root.iter()}
    assert used <= {"svg", "title", "desc", "g", "rect", "circle", "path", "polygon", "polyline",
                    "text"}
    for node in root.iter():
        assert not [name for name in node.attrib if "href" in name or name.startswith("on")]
        assert "url(" not in " ".join(node.attrib.values())
    families = {node.get("font-family") for node in root.iter()} - {None}
    assert families <= {"sans-serif", "serif", "monospace"}


@every_position
def test_the_same_position_gives_the_same_picture(position: Any) -> None:
    assert draw_svg(position) == draw_svg(replace(position))


# -- the command line ------------------------------------------------------------------------


def test_show_prints_the_picture() -> None:
    result = pavilion("show", BONUS, "--format", "svg")
    assert_clean(result)
    assert result.stdout == draw_svg(position_of(BONUS))
    in_process = process("show", str(BONUS), "--format", "svg", PYTHONHASHSEED="7")
    assert in_process.stdout.decode() == result.stdout


@pytest.mark.parametrize("arguments", [(), ("--format", "svg")])
def test_show_writes_the_picture(arguments: tuple[str, ...], tmp_path: Path) -> None:
    target = tmp_path / "board.SVG"
    result = pavilion("show", GREY, "-o", target, *arguments)
    assert_clean(result)
    assert result.stdout == ""
    assert target.read_text() == draw_svg(position_of(GREY))


def test_the_format_given_goes_before_the_suffix(tmp_path: Path) -> None:
    target = tmp_path / "board.svg"
    assert_clean(pavilion("show", GREY, "-o", target, "--format", "code"))
    assert target.read_text().startswith("summer.")


def test_a_finished_game_is_shown_with_the_parts_of_its_scores() -> None:
    position = POSITIONS["over, 2 players"]
    result = pavilion("show", format_position(position, "code"), "--format", "svg")
    assert result.stdout == draw_svg(position, breakdown=SUMMER.breakdown(position))


def test_new_and_apply_draw_as_well() -> None:
    result = pavilion("new", "--seed", 3, "--players", 3, "--format", "svg")
    assert_clean(result)
    assert result.stdout == draw_svg(SUMMER.new(board="coloured", players=3, seed=3))
    move = SUMMER.legal_moves(position_of(DRAFTING))[0]
    after = pavilion("apply", DRAFTING, move, "--format", "svg")
    assert_clean(after)
    assert after.stdout == draw_svg(SUMMER.apply(position_of(DRAFTING), move))


def test_png_without_its_library_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    target = tmp_path / "board.png"
    result = pavilion("show", FOUR, "-o", target)
    assert_clean(result, 1)
    assert len(error_lines(result)) == 1
    assert "pip install 'pavilion-ai[png]'" in result.stderr
    assert not target.exists()


def has_cairosvg() -> bool:
    try:
        import cairosvg  # noqa: F401
    except (ImportError, OSError):
        return False
    return True


@pytest.mark.skipif(not has_cairosvg(), reason="the extra png is not installed")
def test_png(tmp_path: Path) -> None:
    target = tmp_path / "board.png"
    assert_clean(pavilion("show", FOUR, "-o", target))
    content = target.read_bytes()
    assert content.startswith(PNG_SIGNATURE)
    width = float(drawn(position_of(FOUR)).get("width", 0))
    assert int.from_bytes(content[16:20], "big") == svg.PNG_SCALE * width
    printed = process("show", str(FOUR), "--format", "png")
    assert printed.stdout == content


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_png_is_not_written_to_a_terminal() -> None:
    leader, follower = os.openpty()
    try:
        ended = subprocess.run(
            command("show", FOUR, "--format", "png"), stdin=subprocess.DEVNULL, stdout=follower,
            stderr=subprocess.PIPE, check=False, timeout=60,
        )
    finally:
        os.close(follower)
        os.close(leader)
    assert ended.returncode == 2
    assert b"expected -o FILE" in ended.stderr
