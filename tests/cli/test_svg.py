"""Pictures: sound XML, every tile once, signs that do not rest on colour; the command line."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pavilion_ai.games import rules_of
from pavilion_ai.notation import format_position, to_json
from pavilion_ai.notation.json_form import read_draft
from pavilion_ai.render import azul_layout as azul
from pavilion_ai.render import azul_svg_board, draw_svg, summer_svg_board, svg, table_svg
from pavilion_ai.render import summer_layout as layout
from pavilion_ai.render.dark import DARK, alone, darkened
from pavilion_ai.render.review_chart import MARK_COLOURS
from pavilion_ai.render.review_html import _NIGHT
from pavilion_ai.render.words import joined, tiles_in_words
from tests.cli.pictures import (
    POSITIONS,
    SUMMER,
    apart,
    drawn,
    each,
    letters,
    of_class,
    placed,
    seat_nodes,
    texts,
    tiles_in,
)
from tests.cli.support import (
    AZUL_DRAFT,
    AZUL_GREY,
    AZUL_WALL,
    BONUS,
    COMPLETE_EXAMPLES,
    DRAFTING,
    FOUR,
    GREY,
    PLACING,
    assert_clean,
    command,
    error_lines,
    pavilion,
    position_of,
    process,
)

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
every_position = each(POSITIONS)


# -- what is shown ---------------------------------------------------------------------------


def summer_tiles(seat: Any) -> list[tuple[str, str]]:
    """List where the tiles of a player lie."""
    return [
        *(("hand", letter) for letter in letters(seat.hand)),
        *(("kept", letter) for letter in letters(seat.kept)),
        *(
            (layout.space_name(site, place), letter)
            for site, star in enumerate(seat.stars)
            for place, letter in enumerate(star, 1)
            if letter != "."
        ),
    ]


def azul_tiles(seat: Any) -> list[tuple[str, str]]:
    """List where the tiles of a player lie."""
    return [
        *(("floor line", letter) for letter in seat.floor if letter != azul.MARKER),
        *(
            (f"line {number}", letter)
            for number, tiles in enumerate(seat.lines, 1)
            for letter in letters(tiles, azul.COLOURS)
        ),
        *(
            (f"wall {number}.{column}", letter)
            for number, row in enumerate(seat.wall, 1)
            for column, letter in enumerate(row, 1)
            if letter != "."
        ),
    ]


TILES_OF = {"summer": summer_tiles, "azul": azul_tiles}


@every_position
def test_every_tile_is_drawn_once_with_its_letter(position: Any) -> None:
    root = drawn(position)
    table = [(f"D{n}", tiles) for n, tiles in enumerate(position.displays, 1)]
    table += [("C", position.centre)]
    table += [("supply", position.supply)] if hasattr(position, "supply") else []
    (market,) = of_class(root, "market")
    assert tiles_in(market) == Counter(
        (place, letter)
        for place, tiles in table
        for letter in letters(tiles, rules_of(position).colours)
    )
    assert len(seat_nodes(root)) == len(position.seats)
    for node, seat in zip(seat_nodes(root), position.seats, strict=True):
        assert tiles_in(node) == Counter(TILES_OF[position.game](seat))
    every = sum((tiles_in(node) for node in [market, *seat_nodes(root)]), Counter[Any]())
    assert tiles_in(root) == every
    for tile in of_class(root, "tile"):
        assert texts(tile)[0] == tile.get("data-tile")


@every_position
def test_scores_turn_token_and_passes(position: Any) -> None:
    root = drawn(position)
    seats = list(zip(seat_nodes(root), position.seats, strict=True))
    for number, (node, seat) in enumerate(seats):
        shown = texts(node)
        assert f"seat {number}" in shown
        assert f"{seat.score} point{'' if seat.score == 1 else 's'}" in shown
        passed = getattr(seat, "passed", False) and position.phase != "over"
        assert ("passed" in shown) == passed
        assert len(of_class(node, "turn")) == (number == position.to_move)
        on_floor = azul.MARKER in getattr(seat, "floor", "")
        assert len(of_class(node, "token")) == (number == position.token) + on_floor
    taking = position.phase in ("draft", "deal") or position.token is None
    assert len(of_class(root, "display")) == (len(position.displays) if taking else 0)
    centres = of_class(root, "centre")
    assert len(centres) == taking  # what is empty from then on is folded away
    for centre in centres:
        assert len(of_class(centre, "token")) == (position.token is None)
    heading, phase = texts(of_class(root, "heading")[0])[:2]
    assert heading == HEADINGS[position.game](position)
    assert phase.endswith(f": seat {position.to_move} to move") == (position.to_move is not None)


def summer_heading(position: Any) -> str:
    return f"Round {position.round} of 6, wild: {layout.COLOUR_NAMES[position.round - 1]}"


HEADINGS = {
    "summer": summer_heading,
    "azul": lambda position: f"Round {position.round}, started by seat {position.start_seat}",
}
DISCARDS = {"summer": "tower", "azul": "lid"}


@every_position
def test_what_is_known_of_the_bag(position: Any) -> None:
    root = drawn(position)
    (bag,), stocks = of_class(root, "bag"), of_class(root, DISCARDS[position.game])
    assert texts(bag)[0] == f"bag {position.bag_size}"
    if position.bag is None:
        assert any("not known" in text for text in texts(bag))
        assert stocks == []
        return
    discards = getattr(position, DISCARDS[position.game])
    assert texts(stocks[0])[0] == f"{DISCARDS[position.game]} {sum(discards)}"
    for stock, counts in ((bag, position.bag), (stocks[0], discards)):
        assert [text for text in texts(stock)[1:] if text.isdigit()] == list(map(str, counts))


def test_a_bag_that_is_not_known_is_said_to_be_so() -> None:
    test_what_is_known_of_the_bag(replace(position_of(DRAFTING), bag=None, tower=None))


def test_names_are_escaped_and_cut() -> None:
    names = ("<b>&amp;\x1b", "x" * 300)
    shown = [texts(node) for node in seat_nodes(drawn(position_of(PLACING), names=names))]
    assert "<b>&amp;?" in shown[0]
    assert any(text.startswith("xxx") and len(text) < 50 for text in shown[1])


def test_wide_names_stay_in_their_panel() -> None:
    for path in (PLACING, AZUL_GREY):
        position = position_of(path)
        seat = seat_nodes(drawn(position, names=["中" * 60] * position.players))[0]
        name = next(text for text in texts(seat) if text.startswith("中"))
        assert 13 * len(name) < 470  # a wide letter of 13 pixels; a panel has 490


@pytest.mark.parametrize("path", [DRAFTING, AZUL_DRAFT])
def test_too_many_tiles_stand_closer_and_none_is_hidden(path: Path) -> None:
    """In the editor a display, or the supply, may hold anything for a while."""
    raw = to_json(position_of(path))
    raw["displays"] = ["9" + str(raw["displays"][0])[-1:], *raw["displays"][1:]]
    if "supply" in raw:
        raw["supply"] = "9P9G9B"
    root = ElementTree.fromstring(draw_svg(read_draft(raw)))
    table = of_class(root, "market")[0]
    frame = float(next(node.get("height") for node in table if node.tag.endswith("rect")))
    for name in ("display", "supply"):
        for group in (node for node in table.iter() if node.get("class") == name):
            heights = [float(text.get("y", 0)) for tile in of_class(group, "tile")
                       for text in tile.iter() if text.tag.endswith("text")]
            assert max(heights, default=0) < frame - 20


def test_no_text_of_a_picture_is_markup() -> None:
    """Every function that takes text, whoever calls it with a name from elsewhere."""
    hostile = "<b a='\"'>&amp;\x1b\x9b]]>"
    children = [svg.element("g", class_=hostile), svg.group(title=hostile),
                svg.text(hostile, bold=True)]
    root = ElementTree.fromstring(svg.document((9, 9), hostile, hostile, children))
    found = [*root.itertext(), *(node.get("class", "") for node in root.iter())]
    assert found.count("<b a='\"'>&amp;??]]>") == 5
    assert not [node for node in root.iter() if node.tag.endswith("}b")]


@pytest.mark.parametrize("name", ["over, 3 players", "azul, over, 3 players"])
def test_the_parts_of_the_scores_are_shown_after_the_end(name: str) -> None:
    position = POSITIONS[name]
    breakdown = rules_of(position).breakdown(position)
    shown = [texts(node) for node in seat_nodes(drawn(position, breakdown=breakdown))]
    for seat, parts in enumerate(breakdown):
        assert " + ".join(f"{name} {points}" for name, points in parts.items()) in shown[seat]


@every_position
def test_tiles_do_not_overlap(position: Any) -> None:
    root = drawn(position)
    found = [outline for _, outline in placed(root, "tile")]
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


@pytest.mark.parametrize("seen", [lambda colour: colour, lambda colour: DARK.get(colour, colour)],
                         ids=["light", "dark"])
def test_letters_and_signs_can_be_read(seen: Callable[[str], str]) -> None:
    boards = (summer_svg_board, azul_svg_board)
    pairs = [pair for board in boards for pair in board.TILE_COLOURS.values()]
    pairs += [(fill, ink) for fill, _, ink in table_svg.GOAL_COLOURS]
    spaces = [pair for board in boards for pair in board.SPACE_COLOURS.values()]
    pairs += [(fill, table_svg.SPACE_INK) for _, fill in spaces]
    pairs += [(svg.PAPER, ink) for ink in (svg.INK, svg.FAINT_INK, azul_svg_board.LOSS_INK)]
    pairs = [(seen(one), seen(other)) for one, other in pairs]
    assert min(contrast(*pair) for pair in pairs) >= 4.5
    assert min(contrast(seen(edge), seen(svg.PAPER)) for edge, _ in spaces) >= 3


def test_marks_of_mistakes_can_be_read() -> None:
    """On the rows of a review's page: plain, pointed at, and chosen."""
    for grounds, marks in ((("#fefefe", "#f1f1f5", "#e3edf7"), MARK_COLOURS.values()),
                           (("#202028", "#2b2b35", "#22384f"),
                            map(_NIGHT.__getitem__, MARK_COLOURS.values()))):
        assert min(contrast(mark, ground) for mark in marks for ground in grounds) >= 4.5


@every_position
def test_a_dark_picture_has_no_colour_of_a_light_one(position: Any) -> None:
    light = draw_svg(position)
    dark = darkened(light)
    assert light != dark
    found = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', dark))
    assert not found & (DARK.keys() - set(DARK.values()))
    assert re.sub("#[0-9a-f]{6}", "", light) == re.sub("#[0-9a-f]{6}", "", dark)


@every_position
def test_a_picture_of_its_own_names_every_colour_that_is_another_one_on_a_dark_ground(
    position: Any
) -> None:
    light = draw_svg(position)
    by_itself = alone(light)
    (style,) = re.findall("<style>.*</style>\n", by_itself)
    assert by_itself.replace(style, "") == light
    rules = dict(re.findall(r'svg:root \[(?:fill|stroke)="(#\w{6})"\]{\w+:(#\w{6})}', style))
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', light))
    assert rules == {colour: DARK[colour] for colour in used & DARK.keys()}


@every_position
@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_boards_stand_in_a_grid(position: Any, columns: int) -> None:
    root = ElementTree.fromstring(draw_svg(position, columns=columns))
    places = [tuple(map(float, re.findall(r"-?[0-9.]+", node.get("transform", ""))))
              for node in seat_nodes(root)]
    assert len({x for x, _ in places}) == min(columns, position.players)
    assert len({y for _, y in places}) == -(-position.players // columns)


@every_position
def test_the_picture_is_self_contained_and_described(position: Any) -> None:
    root = drawn(position)
    assert (root[0].tag, root[1].tag) == ("title", "desc")
    assert f"{len(position.seats)} players" in (root[0].text or "")
    (heading,) = of_class(root, "heading")
    turn = texts(heading)[1]
    assert f"{turn[0].upper()}{turn[1:]}. " in (root[1].text or "")
    for number, seat in enumerate(position.seats):
        assert f"Seat {number}: {seat.score} point" in (root[1].text or "")
    if position.bag is not None:
        bag = joined(tiles_in_words(position.bag, rules_of(position).table.colours))
        assert f". Bag: {bag}. " in (root[1].text or "")
    used = {node.tag for node in root.iter()}
    assert used <= {"svg", "title", "desc", "g", "rect", "circle", "path", "polygon", "polyline",
                    "text"}
    for node in root.iter():
        assert not [name for name in node.attrib if "href" in name or name.startswith("on")]
        assert "url(" not in " ".join(node.attrib.values())
    families = {node.get("font-family") for node in root.iter()} - {None}
    assert families <= {"sans-serif", "serif", "monospace"}


@pytest.mark.parametrize(("path", "said"), [
    (PLACING, "; star NW: spaces 1 orange and 2 orange; star NE: space 1 red; star E: "),
    (AZUL_WALL, "; row 2: columns 2 red and 3 yellow; row 3: columns 2 white and 3 black; row 4: "),
], ids=["summer", "azul"])
def test_those_who_do_not_see_a_picture_are_told_of_the_boards(path: Path, said: str) -> None:
    """And of a token in the centre alone, without which the words there were not true."""
    position: Any = position_of(path)
    assert said in (drawn(position)[1].text or "")
    name = "start player token" if position.game == "summer" else azul.MARKER_NAME
    assert f"Centre: the {name}. " in (drawn(replace(position, token=None))[1].text or "")


@each({name: position for name, position in POSITIONS.items() if position.phase == "over"})
def test_the_picture_of_a_finished_game_has_a_winner_and_no_hopes(position: Any) -> None:
    root = drawn(position)
    (winner,) = rules_of(position).winners(position)
    assert texts(of_class(root, "heading")[0])[1] == f"the game is over: seat {winner} wins"
    assert "has passed" not in (root[1].text or "")
    boards = [text for node in of_class(root, "board") for text in node.itertext()]
    assert not [text for text in boards if text.startswith("!") or " short" in text]


@every_position
def test_the_same_position_gives_the_same_picture(position: Any) -> None:
    assert draw_svg(position) == draw_svg(replace(position))


# -- the command line ------------------------------------------------------------------------


@pytest.mark.parametrize("path", COMPLETE_EXAMPLES, ids=lambda path: path.stem)
def test_show_prints_the_picture(path: Path) -> None:
    result = pavilion("show", path, "--format", "svg")
    assert_clean(result)
    assert result.stdout == alone(draw_svg(position_of(path)))


@pytest.mark.parametrize("path", [BONUS, AZUL_GREY], ids=lambda path: path.stem)
def test_another_process_draws_the_same(path: Path) -> None:
    in_process = process("show", str(path), "--format", "svg", PYTHONHASHSEED="7")
    assert in_process.stdout.decode() == alone(draw_svg(position_of(path)))


@pytest.mark.parametrize("path", [GREY, AZUL_GREY], ids=lambda path: path.stem)
@pytest.mark.parametrize("arguments", [(), ("--format", "svg")])
def test_show_writes_the_picture(path: Path, arguments: tuple[str, ...], tmp_path: Path) -> None:
    target = tmp_path / "board.SVG"
    result = pavilion("show", path, "-o", target, *arguments)
    assert_clean(result)
    assert result.stdout == ""
    assert target.read_text() == alone(draw_svg(position_of(path)))


def test_the_format_given_goes_before_the_suffix(tmp_path: Path) -> None:
    target = tmp_path / "board.svg"
    assert_clean(pavilion("show", GREY, "-o", target, "--format", "code"))
    assert target.read_text().startswith("summer.")


@pytest.mark.parametrize("name", ["over, 2 players", "azul, over, 2 players"])
def test_a_finished_game_is_shown_with_the_parts_of_its_scores(name: str) -> None:
    position = POSITIONS[name]
    result = pavilion("show", format_position(position, "code"), "--format", "svg")
    assert result.stdout == alone(
        draw_svg(position, breakdown=rules_of(position).breakdown(position)))


def test_new_and_apply_draw_as_well() -> None:
    result = pavilion("new", "--seed", 3, "--players", 3, "--format", "svg")
    assert_clean(result)
    assert result.stdout == alone(draw_svg(SUMMER.new(board="coloured", players=3, seed=3)))
    move = SUMMER.legal_moves(position_of(DRAFTING))[0]
    after = pavilion("apply", DRAFTING, move, "--format", "svg")
    assert_clean(after)
    assert after.stdout == alone(draw_svg(SUMMER.apply(position_of(DRAFTING), move)))


def test_png_without_its_library_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    target = tmp_path / "board.png"
    result = pavilion("show", FOUR, "-o", target)
    assert_clean(result, 1)
    assert len(error_lines(result)) == 1
    assert "pip install 'pavilion-ai[png]'" in result.stderr
    assert not target.exists()


def test_png_without_fonts_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    resvg = pytest.importorskip("resvg_py", reason="resvg-py (extra png) is not installed")
    monkeypatch.setattr(resvg, "svg_to_bytes", partial(resvg.svg_to_bytes, skip_system_fonts=True))
    svg._has_letters.cache_clear()
    result = pavilion("show", FOUR, "-o", tmp_path / "board.png")
    svg._has_letters.cache_clear()
    assert_clean(result, 1)
    (line,) = error_lines(result)
    assert "PNG needs a font for its letters" in line
    assert not list(tmp_path.iterdir())


def test_a_search_whose_picture_cannot_be_made_is_not_begun(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    monkeypatch.setattr("pavilion_ai.search.Searcher.analyse", None)
    for name, expected in (("best.png", "pip install 'pavilion-ai[png]'"),
                           ("best.txt", "expected a file *.svg or *.png")):
        result = pavilion("suggest", DRAFTING, "--svg", tmp_path / name)
        assert_clean(result, 1 if name == "best.png" else 2)
        assert expected in result.stderr


def rgb(colour: str) -> tuple[int, ...]:
    """Return the three numbers of a colour `#rrggbb`."""
    return tuple(bytes.fromhex(colour[1:]))


def colours_of(png: bytes) -> Counter[tuple[int, ...]]:
    """Return how many pixels a picture has of each colour; none may be transparent."""
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        pixels = image.convert("RGBA").tobytes()
    assert set(pixels[3::4]) == {255}
    return Counter(zip(pixels[0::4], pixels[1::4], pixels[2::4], strict=True))


@pytest.mark.parametrize("path", [FOUR, AZUL_GREY], ids=lambda path: path.stem)
def test_png(path: Path, tmp_path: Path) -> None:
    """Its size, and that it shows the picture: paper, and the fill of every colour of tiles."""
    pytest.importorskip("resvg_py", reason="resvg-py (extra png) is not installed")
    target = tmp_path / "board.png"
    assert_clean(pavilion("show", path, "-o", target))
    content = target.read_bytes()
    assert content.startswith(PNG_SIGNATURE)
    picture = drawn(position_of(path))
    width, height = (float(picture.get(name, 0)) for name in ("width", "height"))
    assert int.from_bytes(content[16:20], "big") == svg.PNG_SCALE * width
    colours = colours_of(content)
    assert colours.total() == svg.PNG_SCALE**2 * width * height
    assert colours[rgb(svg.PAPER)] > colours.total() / 3
    fills = {child.get("fill", "") for child in picture.iter()}
    assert not {fill for fill in fills if fill.startswith("#") and not colours[rgb(fill)]}
    printed = process("show", str(path), "--format", "png")
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
