"""Moves drawn over pictures: rings where they act, arrows, labels; textures of empty spaces."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pavilion_ai.games import rules_of
from pavilion_ai.notation import parse_position
from pavilion_ai.play import Play
from pavilion_ai.render import (
    azul_layout,
    azul_svg_board,
    choice,
    draw_svg,
    summer_layout,
    summer_svg_board,
)
from pavilion_ai.render.dark import DARK
from pavilion_ai.render.overlay import BETTER, PLAYED, Shown, with_moves
from pavilion_ai.render.texture import TEXTURES
from tests.cli.pictures import POSITIONS, Node, drawn, each, middle, of_class, placed, texts
from tests.cli.support import (
    AZUL_DRAFT,
    AZUL_WALL,
    DRAFTING,
    PLACING,
    assert_clean,
    error_lines,
    pavilion,
    position_of,
)

NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
DECISIONS = {name: position for name, position in POSITIONS.items()
             if position.to_move is not None}


def overlaid(position: Any, *shown: Shown) -> Node:
    picture = with_moves(draw_svg(position), position, shown)
    return ElementTree.fromstring(picture.replace(NAMESPACE, "", 1))


def close(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(one[0] - other[0]) < 0.1 and abs(one[1] - other[1]) < 0.1


@each(DECISIONS)
def test_a_ring_surrounds_everything_that_a_move_concerns(position: Any) -> None:
    """Also that it lies on the board of the seat to move, not on the same place of another."""
    plain = drawn(position)
    mover = next(node for node in of_class(plain, "seat")
                 if node.get("data-seat") == str(position.to_move))
    own = {id(node) for node in mover.iter()}
    lying = placed(plain, "tile", "space")
    for move in list(rules_of(position).legal_moves(position))[::7]:
        root = overlaid(position, Shown(move, "1", strong=True))
        rings = [middle(corners) for _, corners in placed(root, "ring")]
        steps = choice(position, move).steps
        wanted = sum(len(step.tiles) or 1 for step in steps)
        assert len(rings) == wanted - (move == "pass:-")
        for step in steps:
            around = [middle(corners) for node, corners in lying
                      if node.get("data-at") == step.place and (id(node) in own) == step.own
                      and (not step.tiles or node.get("data-tile") in step.tiles)]
            found = [ring for ring in rings if any(close(ring, at) for at in around)]
            assert len(found) == (len(step.tiles) or 1) - (move == "pass:-")


def test_labels_stand_apart_and_the_first_is_on_top() -> None:
    position = position_of(PLACING)
    moves = rules_of(position).legal_moves(position)[:8]
    shown = [Shown(move, f"{rank}: 5<0> %", strong=rank == 1)
             for rank, move in enumerate(moves, 1)]
    root = overlaid(position, *shown)
    (layer,) = of_class(root, "moves")
    labels = [texts(node)[0] for node in of_class(layer, "badge")]
    assert labels == [one.label for one in reversed(shown)]
    boxes = [corners for node, corners in placed(root, "badge")]
    for number, one in enumerate(boxes):
        for other in boxes[:number]:
            assert (one[2][0] <= other[0][0] or other[2][0] <= one[0][0]
                    or one[2][1] <= other[0][1] or other[2][1] <= one[0][1])
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    assert all(0 <= x <= width and 0 <= y <= height for corners in boxes for x, y in corners)
    strong = of_class(layer, "ring")[-1]
    assert strong.get("stroke-dasharray") is None
    assert of_class(layer, "ring")[0].get("stroke-dasharray") is not None


@pytest.mark.parametrize(("path", "move", "arrows"), [
    (DRAFTING, "D1:P", 1), (PLACING, "W.2:2P", 0), (PLACING, "pass:4B", 0),
    (AZUL_DRAFT, "D1:K>3", 1), (AZUL_WALL, "wall:1>4", 1),
], ids=str)
def test_an_arrow_leads_to_where_tiles_go(path: Path, move: str, arrows: int) -> None:
    position = position_of(path)
    assert len(of_class(overlaid(position, Shown(move, "1")), "arrow")) == arrows


def test_a_pass_that_keeps_nothing_rings_nothing() -> None:
    """Its label stands at the hand all the same."""
    position = position_of(PLACING)
    for strong in (True, False):
        root = overlaid(position, Shown("pass:-", "1", strong=strong))
        ((_, badge),) = placed(root, "badge")
        mover = str(position.to_move)
        (hand,) = [middle(corners) for node, corners in placed(root, "hand")
                   if seat_of(root, node) == mover]
        assert of_class(root, "ring") == []
        assert abs(middle(badge)[1] - hand[1]) < 60


def seat_of(root: Node, node: Node) -> str | None:
    """Return the seat on whose panel something lies."""
    return next((seat.get("data-seat") for seat in of_class(root, "seat")
                 if node in seat.iter()), None)


def test_tiles_fall_beside_the_marker_on_the_floor_line() -> None:
    position = parse_position(
        "azul.1.coloured.3/draft.r2.m2.s2.t2/BRKW.-.-.-.-.3RW.B2RK/c2B2K4W.u44/p2.l-:2R:3Y:2B:W.fY."
        "B4.2Y2.5.5.5/p4.lK:-:-:2Y:K.2R2.2Y2.K4.5.5/p2.lY:2R:2Y:R:-.fx.B4.1B3.5.5.3W1/1536").position
    root = overlaid(position, Shown("C:B>F", "1"))
    (marker,) = [middle(corners) for node, corners in placed(root, "space")
                 if node.get("data-tile") == azul_layout.MARKER]
    rings = [middle(corners) for _, corners in placed(root, "ring")]
    (fallen,) = [ring for ring in rings if abs(ring[1] - marker[1]) < 1]
    assert close(fallen, (marker[0] + azul_svg_board.STEP, marker[1]))


def test_arrows_of_many_moves_end_at_the_hand_of_the_mover() -> None:
    position: Any = Play.new("summer", players=4, seed=1).position
    for seat in range(4):
        moved = replace(position, to_move=seat)
        moves = rules_of(moved).legal_moves(moved)
        root = overlaid(moved, *(Shown(move, "1") for move in moves))
        (frame,) = [corners for node, corners in placed(root, "seat")
                    if node.get("data-seat") == str(seat)]
        tips = [float(one.get("d", "").split()[-1].split(",")[0])
                for one in of_class(root, "arrow")]
        assert len(set(tips)) == len(moves) > 20
        assert frame[0][0] < min(tips) <= max(tips) < frame[1][0] - 4


def test_colours_of_moves_are_others_on_a_dark_ground() -> None:
    assert {PLAYED, BETTER} <= DARK.keys()


# -- textures --------------------------------------------------------------------------------


@each(POSITIONS)
def test_every_empty_space_of_a_colour_has_its_texture(position: Any) -> None:
    board = summer_svg_board if position.game == "summer" else azul_svg_board
    for space in of_class(drawn(position), "space"):
        letter = next((text for text in texts(space) if text.isalpha()), "").upper()
        found = [node.get("class", "").split()[1] for node in space.iter("path")
                 if node.get("class", "").startswith("texture")]
        assert found == ([board.SPACE_TEXTURES[letter]] if letter else [])


@pytest.mark.parametrize(("textures", "letters"), [
    (summer_svg_board.SPACE_TEXTURES, summer_layout.COLOURS),
    (azul_svg_board.SPACE_TEXTURES, azul_layout.COLOURS),
], ids=["summer", "azul"])
def test_no_two_colours_share_a_texture(textures: dict[str, str], letters: str) -> None:
    assert sorted(textures) == sorted(letters)
    assert len(set(textures.values())) == len(textures)
    assert set(textures.values()) <= TEXTURES.keys()


# -- the command line ------------------------------------------------------------------------


def test_show_draws_moves_and_dark_grounds(tmp_path: Path) -> None:
    target = tmp_path / "moves.svg"
    assert_clean(pavilion("show", DRAFTING, "-o", target, "--move", "D1:P", "--move", "C:B",
                          "--dark"))
    root = ElementTree.fromstring(target.read_text().replace(NAMESPACE, "", 1))
    assert sorted(texts(node)[0] for node in of_class(root, "badge")) == ["1", "2"]
    assert DARK[BETTER] in target.read_text()
    assert BETTER not in target.read_text()


@pytest.mark.parametrize(("arguments", "complaint"), [
    (("show", DRAFTING, "--move", "D1:P"), "error: --move is for pictures; expected --format svg"),
    (("show", DRAFTING, "--dark"), "error: --dark is for pictures; expected --format svg"),
    (("show", DRAFTING, "--move", "D1:B", "--format", "svg"), "error: D1:B is not legal: "),
    (("suggest", DRAFTING, "--dark"), "error: --dark is for the picture of --svg OUT"),
    (("suggest", DRAFTING, "--svg", "/no/such/place.svg"), "error: --svg /no/such/place.svg: "),
])
def test_what_is_no_picture_of_moves(arguments: tuple[object, ...], complaint: str) -> None:
    refused = pavilion(*arguments)
    assert_clean(refused, 2)
    line, = error_lines(refused)
    assert line.startswith(complaint)


def test_suggest_draws_its_ranking(tmp_path: Path) -> None:
    target = tmp_path / "best.svg"
    result = pavilion("suggest", DRAFTING, "--sims", 500, "--svg", target, "--top", 4)
    assert_clean(result)
    ranked = re.findall(r"^ +(\d) (\S+) +\d+ +([\d.]+) ", result.stdout, re.M)
    root = ElementTree.fromstring(target.read_text().replace(NAMESPACE, "", 1))
    labels = [texts(node)[0] for node in of_class(root, "badge")][::-1]
    assert [label.split(": ")[0] for label in labels] == [rank for rank, _, _ in ranked]
    for label, (_, _, win) in zip(labels, ranked, strict=True):
        assert abs(int(label.split()[1]) - float(win)) < 0.56
    rings = [node.get("stroke-dasharray") for node in of_class(root, "ring")]
    assert rings[-1] is None  # the first one, on top
    assert rings.count(None) < len(rings)
    moves = [word for move in ("D1:P", "D2:Y", "D3:R", "C:B") for word in ("--only", move)]
    assert_clean(pavilion("suggest", DRAFTING, "--sims", 40, *moves, "--svg", target))
    assert target.read_text().count('class="badge"') == 4
    assert_clean(pavilion("suggest", DRAFTING, "--agent", "greedy", "--svg", target))
    assert target.read_text().count('class="badge"') == 1
    shown = pavilion("suggest", DRAFTING, "--sims", 500, "--svg", target)
    assert_clean(shown)
    assert target.read_text().count('class="badge"') in (2, 3)  # one may not have been searched


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_draws_are_not_drawn(game: str) -> None:
    """Nobody decides them, also if they are right."""
    play = Play.new(game, seed=3)
    while play.turn is not None:
        play.push(play.legal_moves[-1])
    before = play.code()
    draw = play.draw_once()
    for move in (draw, "deal:-"):
        refused = pavilion("show", before, "--move", move, "--format", "svg")
        assert_clean(refused, 2)
        line, = error_lines(refused)
        assert line.startswith("error: --move: chance is to move (")
