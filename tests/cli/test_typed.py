"""`play` on a terminal of 80 x 24: the list of ideas, moves typed in short, what stands last."""

from __future__ import annotations

import re

import pytest

from pavilion_ai.agents import make_agent
from pavilion_ai.cli.menu import Menu
from pavilion_ai.cli.session import Session
from pavilion_ai.cli.typed import Mistake, Unclear, move_of
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.notation import parse_move
from pavilion_ai.play import Play
from pavilion_ai.render import idea
from pavilion_ai.render.text import length
from tests.cli.support import (
    AZUL_FOUR,
    AZUL_WALL,
    BONUS,
    FOUR,
    GREY,
    PLACING,
    assert_clean,
    pavilion,
    position_of,
)
from tests.plays import decisions


def meant(text: str, play: Play) -> str:
    return move_of(text, play, Menu(play))


PLACE, LAST, FACTORY, WALL = (
    Play(position_of(path)) for path in (PLACING, FOUR, AZUL_FOUR, AZUL_WALL))
TAKING = Play.new("summer", seed=3)  # D1 GOBR, D2 GOOR, D3 GGOB, D4 PGBR (purple is wild), D5 GOBR

CHOOSING = Play(position_of(BONUS))  # 2 tiles of 6P O B 2R
POOR = Play("""
    game: summer
    round: 2
    supply: 2P2G2O2YBR
    seat 0:
      score: 1
      hand: 2RB
    seat 1:
      hand: 2P
""")


@pytest.mark.parametrize(("play", "move", "texts"), [
    (PLACE, "W.2:2P", ("w.2", "W2", "w 2 purple")),
    (PLACE, "E.2:2B", ("e.2:b",)),
    (PLACE, "pass:4B", ("pass 4b", "passbbbb")),
    (PLACE, "pass:2B", ("pass 2b", "pass bb")),
    (PLACE, "pass:-", ("pass -", "pass-")),
    (POOR, "pass:BR", ("pass:RB", "pass rb", "pass red blue", "passbr")),
    (POOR, "pass:B2R", ("pass", "pass 2rb", "pass rbr", "pass b 2r")),
    (CHOOSING, "bonus:PR", ("rp", "pr", "bonus red purple", "bonus p r")),
    (TAKING, "D5:O", ("d5o", "D5 orange")),
    (TAKING, "D4:R", ("take red from d 4",)),
    (TAKING, "D2:O", ("take the orange of display 2",)),
    (LAST, "SW.3:3G", ("sw3",)),
    (FACTORY, "D5:K>5", ("d5k5",)),
    (FACTORY, "C:W>3", ("c w 3",)),
    (FACTORY, "C:W>F", ("centre white to the floor",)),
    (WALL, "wall:1>4", ("1>4", "wall 1 to column 4")),
])
def test_a_few_characters_are_enough(play: Play, move: str, texts: tuple[str, ...]) -> None:
    assert {text: meant(text, play) for text in texts} == dict.fromkeys(texts, move)


@pytest.mark.parametrize(("play", "text"), [
    (PLACE, "pass"), (TAKING, "d5"), (TAKING, "c o"), (FACTORY, "d5k"), (FACTORY, "k d5"),
    (CHOOSING, "r"),
])
def test_a_choice_is_left_to_the_person(play: Play, text: str) -> None:
    """Also the tiles that are kept, if several choices cost the same."""
    menu = Menu(play)
    with pytest.raises((Unclear, Mistake)) as asked:
        move_of(text, play, menu)
    named = re.findall(r"(\S+) \(([0-9]+)\)", str(asked.value))
    assert (len(named) > 1) == (text != "c o")
    for move, number in named:
        assert menu.moves[int(number) - 1] == move
        assert text != "pass" or move.startswith("pass:")


def test_a_pass_keeps_all_it_may_where_nothing_can_be_lost() -> None:
    assert meant("pass", POOR) == "pass:B2R"
    assert [offer.move for offer in Menu(POOR).offers if offer.move[:4] == "pass"] == ["pass:B2R"]


REFUSED = (
    (PLACE, {
        "nw4": "NW.4:4O is not legal: the hand holds 3PG4B",
        "c1 o": "C.1 is occupied",
        "pass:7P": "at most 4 tiles can be kept",
        "pass 0p": "'pass 0p' is not a move here",
        "d5z": "'d5z' is not a move here",
        "foo": "'foo' is not a move here; expected a number of the list, or a move such as W.",
        "": "'' is not a move here",
        "0": "no move number 0; expected 1 to 29",
        "9" * 5000: "no move number 99999",
    }),
    (FACTORY, {
        "d5w1": "D5:W>1 is not legal: line 1 holds B",
    }),
    (TAKING, {
        "green": "close: D3:G (1)",
    }),
)


@pytest.mark.parametrize(("play", "text", "answer"), [
    (play, *told) for play, answers in REFUSED for told in answers.items()
])
def test_what_is_not_possible_says_why_or_what_comes_close(
    play: Play, text: str, answer: str
) -> None:
    with pytest.raises(Mistake) as refused:
        meant(text, play)
    assert answer in str(refused.value)
    assert len(str(refused.value)) < 300


def samples(game: str, board: str, seed: int) -> list[Play]:
    """Return decisions of a game played by the engine's first thoughts."""
    found = [play.copy() for play in decisions(Play.new(game, board=board, seed=seed), seed)]
    return found[::5]


@pytest.mark.parametrize("board", ["coloured", "grey"])
@pytest.mark.parametrize("game", GAMES)
def test_every_move_has_one_number_and_every_idea_is_offered_once(game: str, board: str) -> None:
    folded = 0
    for play in samples(game, board, 3):
        menu = Menu(play)
        assert sorted(menu.moves) == sorted(play.legal_moves)
        offered = [offer.move for offer in menu.offers]
        assert menu.moves[:len(offered)] == tuple(offered)
        keys = [idea(play.position, move).key for move in offered]
        assert len(keys) == len(set(keys))
        assert set(keys) == {idea(play.position, move).key for move in play.legal_moves}
        folded += len(menu.moves) - len(offered)
    assert folded


def test_the_likeliest_idea_comes_first() -> None:
    for play in samples("summer", "coloured", 4):
        found = make_agent("default").analyse(play, Limits(sims=1)).moves
        menu = Menu(play)
        likeliest = max(found, key=lambda stats: stats.prior).move
        assert menu.ideas[menu.moves[0]].key == menu.ideas[likeliest].key


def test_the_cheapest_payment_is_meant() -> None:
    several = 0
    for play in samples("summer", "grey", 5):
        wild = play.position.round - 1
        menu = Menu(play)
        moves = [(move, parse_move(move, "summer")) for move in play.legal_moves]
        placings = [(move, place) for move, place in moves if hasattr(place, "payment")]
        for move, place in placings:
            same = [other for other in (other for _, other in placings)
                    if (other.site, other.position, other.colour)
                    == (place.site, place.position, place.colour)]
            several += len(same) > 1
            least = min(other.payment[wild] for other in same)
            chosen = parse_move(move_of(move.split(":")[0] + move.split(":")[1].lstrip("23456")[0],
                                        play, menu), "summer")
            assert chosen.payment[wild] == least  # type: ignore[union-attr]
    assert several


@pytest.mark.parametrize("room", [3, 6, 10, 40])
def test_the_list_keeps_to_its_room(room: int) -> None:
    for play in (PLACE, TAKING, FACTORY, WALL, Play(position_of(GREY)), Play(position_of(BONUS))):
        if play.turn is None:
            continue
        menu = Menu(play)
        rows = menu.lines(80, room)
        assert len(rows) <= room
        assert max(map(length, rows)) <= 80
        assert menu.offers[0].move in "".join(span.text for span in rows[0])


@pytest.mark.parametrize("arguments", [
    ("--seed", 5), ("--board", "grey", "--seed", 6), ("--game", "azul", "--seed", 4),
    ("--players", 4, "--seed", 3),
])
def test_a_game_in_24_lines(arguments: tuple[object, ...]) -> None:
    """The boards of two players, the table and moves fit; those of others stand above."""
    players = 4 if "--players" in arguments else 2
    seats = ",".join(["human", *["greedy"] * (players - 1)])
    result = pavilion("play", "--seats", seats, *arguments, stdin="1\n" * 60)
    assert_clean(result)
    screens = result.stdout.split("you> ")[1:-1]
    assert len(screens) > 20
    for shown in screens:
        lines = shown.splitlines()[1:]  # what was typed
        assert max(map(len, lines)) <= 80
        begin = next(n for n, text in enumerate(lines) if re.match(r" +1 +\S+:", text))
        last = lines[begin:]
        assert sum("Round " in text for text in last) == 1
        assert "you  " in "".join(last)
        assert len(last) < 24 + (players > 2)  # the prompt takes one


def test_lines_above_the_moves_take_their_room_in_24_lines() -> None:
    result = pavilion("play", "--seats", "human,greedy", "--seed", 1, stdin="1\nundo\n")
    assert_clean(result)
    first, *_, undone, _ = result.stdout.split("you> ")
    assert first.startswith("Type a move")
    assert len(first.splitlines()) < 24
    assert undone.splitlines()[1].startswith("Took back")
    assert len(undone.splitlines()[1:]) < 24


def test_players_are_called_by_name() -> None:
    assert Session("g", ("human", "default"), TAKING.copy()).names() == ("you", "engine")
    levels = ("default:level=3", "human", "default:level=3", "greedy")
    four = Play.new("summer", players=4)
    assert Session("g", levels, four).names() == ("level 3 A", "you", "level 3 B", "greedy")
    assert Session("g", ("human", "human"), TAKING.copy()).names() == ("player A", "player B")
    assert Session("g", ("greedy", "random"), TAKING.copy()).names() == (
        "seat 0 (greedy)", "seat 1 (random)")
    assert Session("g", ("human", "ismcts:sims=300"), TAKING.copy()).names() == (
        "you", "ismcts...s=300")
    out = pavilion("play", "--from", AZUL_WALL, "--seats", "human,greedy", stdin="1\n1\n").stdout
    assert "seat 0" not in out
    assert "you to move" in out


def test_commands_take_any_blanks() -> None:
    result = pavilion("play", "--seats", "human,greedy", "--seed", 1,
                      stdin="moves\tD1\nhint \t now\nquit\n")
    assert_clean(result)
    assert "hint takes nothing after it, found 'now'." in result.stdout
    assert "Not possible" not in result.stdout


def test_a_seat_that_a_person_names_stays_as_it_was_typed() -> None:
    """Whether there is such a seat or not; it is no player's name."""
    result = pavilion("play", "--seats", "human,greedy", "--seed", 1,
                      stdin="seat 9\nseat 1\nmoves seat 9\nquit\n")
    assert_clean(result)
    assert "Not possible: 'seat 9' is not a move here" in result.stdout
    assert "Not possible: 'seat 1' is not a move here" in result.stdout
