"""The page in a real browser: what is looked at is played on, and what is asked for is answered."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from pavilion_ai.games import GAMES
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.play import Play
from pavilion_ai.position import SummerPosition
from tests.cli.support import AZUL_DRAFT, AZUL_WALL, BONUS, DRAFTING, PLACING, RECORD, cut_short
from tests.web.browser import DEFAULT_SIZE, Browser, needs_browser
from tests.web.pages import (
    HOLD,
    code_of,
    edit,
    forget,
    go_on_with,
    kept_last,
    paste,
    press,
    settled,
    show,
)
from tests.web.support import Server

needs_browser()
from selenium.webdriver.common.keys import Keys  # noqa: E402

AGENTS = "return [...document.querySelectorAll('[data-seat-agent]')].map((one) => one.value)"
LEVEL = "default:level=3"


def set_seats(browser: Browser, *specs: str) -> None:
    """Choose who plays, in a game for two."""
    browser.script("document.querySelectorAll('#settings > label > select')[2].value = '2';"
                   "document.querySelectorAll('#settings > label > select')[2]"
                   "  .dispatchEvent(new Event('change'));"
                   "[...document.querySelectorAll('[data-seat-agent]')].forEach((one, seat) => {"
                   "  one.value = arguments[0][seat]; });", specs)


def kept_from(browser: Browser, server: Server, code: str, *specs: str) -> None:
    """Wait until a game from a position is kept, with these players."""
    def kept() -> bool:
        record = kept_last(server)
        return (format_position(parse_position(record["start"]).position, "code") == code
                and [agent["spec"] for agent in record["agents"]] == [*specs])

    browser.wait(kept)


# -- against the computer --------------------------------------------------------------------


@pytest.mark.parametrize("path", [DRAFTING, AZUL_DRAFT])
def test_a_position_is_played_on(browser: Browser, server: Server, path: Path) -> None:
    """By the players that are set; if these are people only, an engine takes the other seat."""
    position = show(browser, server, path)
    settled(browser)
    you = position.to_move
    set_seats(browser, "human", "human")
    browser.click("#play-from")
    seats = [LEVEL, LEVEL]
    seats[you] = "human"
    browser.wait(lambda: browser.text("#status") == "Your turn.")
    assert browser.code == code_of(path)
    assert not browser.one("#play-from").is_displayed()
    browser.wait(lambda: browser.script("return location.search") == "")  # once it is kept
    assert browser.script(AGENTS) == seats
    browser.click("#moves [data-move]:enabled")
    kept_from(browser, server, code_of(path), *seats)
    browser.wait(lambda: len(kept_last(server)["moves"]) >= 2)  # it has answered
    forget(browser, server)


def test_the_buttons_of_a_game_stand_in_a_row(browser: Browser, server: Server) -> None:
    """On a small phone, too."""
    browser.size(360, 800)
    show(browser, server, DRAFTING)
    settled(browser)
    assert browser.one("#play-from").is_displayed()
    assert browser.script("""return new Set([...document.querySelectorAll("header nav > :enabled")]
        .filter((one) => one.checkVisibility()).map((one) => one.offsetTop)).size""") == 2


def test_a_position_is_played_on_as_it_is_set(browser: Browser, server: Server) -> None:
    """A seat that is not set is an easy engine's; a game that is over is not played on."""
    position = GAMES["summer"].new(players=3, seed=1, start_player=0)
    code = format_position(position, "code")
    browser.open(f"{server.url}?position={code}")
    settled(browser)
    set_seats(browser, "default:level=1", "human")
    browser.click("#play-from")
    kept_from(browser, server, code, "default:level=1", "human", LEVEL)
    forget(browser, server)
    browser.open(server.url)
    browser.wait(lambda: browser.code)
    assert not browser.one("#play-from").is_displayed()  # a game that is played


def test_a_game_is_played_on_from_a_ply_of_its_review(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    paste(browser, json.dumps(cut_short(RECORD, 12).to_json()))
    browser.wait(lambda: browser.all('#review [data-ply="5"]'))
    set_seats(browser, "human", "human")
    code = Play.of(RECORD, 4).code()  # where the fifth move was played
    browser.activate('#review [data-ply="5"]')
    browser.wait(lambda: browser.code == code and browser.one("#play-from").is_enabled())
    settled(browser)
    browser.click("#play-from")
    browser.wait(lambda: not browser.one("#review-card").is_displayed())
    seats = [LEVEL, LEVEL]
    seats[parse_position(code).position.to_move] = "human"
    browser.wait(lambda: browser.text("#status") == "Your turn.")
    browser.click("#moves [data-move]:enabled")
    kept_from(browser, server, code, *seats)
    forget(browser, server)


def test_of_each_opponent_the_last_turn_is_told(browser: Browser, server: Server) -> None:
    """However many came after a pass; to place a tile and take what it brings is one turn."""
    browser.open(server.url)
    paste(browser, "game: summer\nround: 6\nphase: place\nsupply: 2P2G2O2YBR\nto move: 0\n"
                   "seat 0:\n hand: -\nseat 1:\n hand: -\nseat 2:\n hand: 3P3G\n")
    browser.wait(lambda: browser.all('#moves [data-move="pass:-"]:enabled'))
    set_seats(browser, "human", LEVEL)
    browser.click("#play-from")
    browser.wait(lambda: browser.text("#status") == "Your turn.")
    settled(browser)
    browser.click("#moves [data-move]")
    browser.wait(lambda: re.fullmatch(
        r"Seat 1 \(level 3\): pass[^:]*\. Seat 2 \(level 3\): pass[^:]*\. The game is over.*",
        browser.text("#status")))
    assert len(kept_last(server)["moves"]) > 4
    show(browser, server, PLACING)
    settled(browser)
    set_seats(browser, "default", "human")
    browser.click("#play-from")
    browser.wait(lambda: re.fullmatch(
        r"Seat 0 [^:]+: place .+\. Seat 0 [^:]+: take .+\. Your turn\.", browser.text("#status")))
    forget(browser, server)


def test_a_position_is_not_thrown_away_unasked(browser: Browser, server: Server) -> None:
    """By *Play the computer*, also while it is edited."""
    show(browser, server, PLACING)
    settled(browser)
    set_seats(browser, "human", "human")
    browser.click("#edit")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    for _ in range(2):
        browser.activate("#versus")
        browser.wait(lambda: "Play on from this position" in browser.text("#choice"))
        assert not browser.one("#editor").is_displayed()
        assert browser.focused("#choice .strong")
        browser.click("#choice .quiet")
        browser.wait(lambda: "Play on" not in browser.text("#choice"))
        assert browser.code == code_of(PLACING)
    browser.press("e")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    press(browser, "#table .round")
    browser.activate("#versus")
    browser.click("#edit-discard")
    browser.wait(lambda: browser.focused("#choice .question .strong"))
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.text("#status") == "Your turn.")
    assert browser.code == code_of(PLACING)
    assert sorted(browser.script(AGENTS)) == [LEVEL, "human"]
    show(browser, server, PLACING)
    settled(browser)
    browser.activate("#versus")
    browser.click("#versus-new")
    browser.wait(lambda: browser.code != code_of(PLACING))
    browser.activate("#versus")  # a game that is kept: nothing is lost
    browser.wait(lambda: browser.all("#play-from[hidden]"))
    forget(browser, server)


def test_a_position_that_is_over_is_not_played_on(browser: Browser, server: Server) -> None:
    """*Play the computer* begins a new game at once."""
    play = Play.of(RECORD)
    browser.open(f"{server.url}?position={play.code()}")
    browser.wait(lambda: browser.table("phase") == "over")
    browser.activate("#versus")
    browser.wait(lambda: browser.code != play.code())
    assert browser.all("#choice .question") == []
    forget(browser, server)


# -- a game at a real table ------------------------------------------------------------------


def enter(browser: Browser, text: str) -> None:
    """Enter tiles as drawn."""
    field = browser.one("#drawn input")
    field.clear()
    field.send_keys(text, Keys.ENTER)


def stepping(browser: Browser, on: bool) -> None:
    """Tick *Step through draws*, or untick it."""
    box = "document.querySelector('#settings [type=checkbox]')"
    if browser.script(f"return {box}.checked") != on:
        browser.script(f"{box}.click()")


def refused(browser: Browser, text: str, why: str) -> None:
    """Enter tiles that cannot have been drawn: it is said why, and the board stays."""
    where = "return document.getElementById('table').getBoundingClientRect().top"
    before = browser.script(where)
    enter(browser, text)
    browser.wait(lambda: browser.text("#drawn > .fault").startswith(why))
    assert browser.script(where) == pytest.approx(before, abs=1)


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_what_was_dealt_at_a_table_is_entered(browser: Browser, server: Server, game: str) -> None:
    """In place of what the page has drawn, too."""
    play = Play.new(game, seed=3)
    while not play.chance:
        play.push(play.legal_moves[0])
    decision, start = play.pop(), play.code()
    browser.open(f"{server.url}?position={start}")
    settled(browser)
    stepping(browser, True)
    play.push(decision)
    browser.play(decision)
    browser.wait(lambda: browser.code == play.code())
    assert browser.text("#choice button") == "Next"  # it is drawn, but not shown
    refused(browser, "rr yy", "Found 2 displays, expected 5: ")
    refused(browser, "r r r r x", "Found 'X' as character 1 of 'X', expected letters of ")
    refused(browser, "rrrr rrrr rrrr rrr -", "The bag cannot yield these tiles; ")
    assert browser.code == play.code()
    browser.script("document.activeElement.blur()")
    browser.press(Keys.ESCAPE)
    assert browser.text("#drawn > .fault") == ""
    browser.one("#drawn input").clear()
    browser.one("#drawn input").send_keys("rrrb yy")
    for size in ((390, 844), DEFAULT_SIZE):
        drawn = browser.values("#table svg", "viewBox")
        browser.size(*size)
        browser.wait(lambda drawn=drawn: browser.values("#table svg", "viewBox") != drawn)
        browser.wait(lambda: browser.focused("#drawn input"))
        assert browser.script("return document.activeElement.value") == "rrrb yy"
    enter(browser, "rrrb, yyyr bbbb bbrr 4y")
    play.push("deal:B3R,3YR,4B,2B2R,4Y")
    browser.wait(lambda: browser.code == play.code())
    assert "The displays receive " in browser.text("#status")
    assert browser.all("#log .line") == []  # what nobody has seen is not kept
    browser.wait(lambda: tuple(kept_last(server)["moves"]) == play.moves[-2:])
    stepping(browser, False)


def test_what_was_drawn_at_a_table_is_entered(browser: Browser, server: Server) -> None:
    """What was played after other tiles becomes a line; a finished game stays as it was."""
    number = next(ply for ply, move in enumerate(RECORD.moves) if move.startswith("supply:"))
    finished = RECORD.to_json()
    with server.socket() as client:
        saved = client.ask("save", game="table", start=finished["start"], moves=finished["moves"],
                           agents=["human", "human"])
    assert "stamp" in saved
    go_on_with(browser, server, "table")
    browser.wait(lambda: browser.table("phase") == "over")
    browser.script("document.querySelectorAll('#log > li > button')[arguments[0]].click()", number)
    play = Play.of(RECORD, number)
    browser.wait(lambda: browser.code == play.code())
    assert play.position.bag[0] > 2
    assert RECORD.moves[number] == "supply:OB"
    refused(browser, "ppp", "The bag cannot yield these tiles; ")
    enter(browser, "p p")
    play.push("supply:2P")
    browser.wait(lambda: browser.code == play.code())
    browser.wait(lambda: browser.all("#log .line"))
    browser.wait(lambda: tuple(kept_last(server)["moves"]) == play.moves)
    with server.socket() as client:
        assert client.ask("open", game="table")["record"]["moves"] == [*RECORD.moves]
    forget(browser, server)


def test_a_draw_after_another_one_is_entered_by_itself(browser: Browser, server: Server) -> None:
    """As one after the last pass of a round; nothing is drawn meanwhile."""
    number = next(ply for ply, move in enumerate(RECORD.moves) if move.startswith("supply:"))
    due = Play.of(RECORD, number).position
    assert isinstance(due, SummerPosition)
    assert due.tower is not None
    tower = tuple(map(sum, zip(due.tower, *(seat.hand for seat in due.seats), strict=True)))
    play = Play(replace(due, next_to_move=None, tower=tower, seats=tuple(
        replace(seat, passed=True, hand=(0,) * 6) for seat in due.seats)))
    browser.open(f"{server.url}?position={play.code()}")
    stepping(browser, False)
    for move, text in (("supply:2P", "pp"), ("deal:3PR,4B,4Y,4R,4O", "pppr bbbb yyyy rrrr oooo")):
        enter(browser, text)
        play.push(move)
        browser.wait(lambda: browser.code == play.code())


def test_a_question_is_taken_back_where_nothing_is_to_be_chosen(
    browser: Browser, server: Server
) -> None:
    number = next(ply for ply, move in enumerate(RECORD.moves) if move.startswith("supply:"))
    code = Play.of(RECORD, number).code()
    browser.open(f"{server.url}?position={code}")
    browser.wait(lambda: browser.all("#drawn"))
    browser.activate("#versus")
    browser.wait(lambda: browser.focused("#choice .question .strong"))
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: browser.all("#drawn"))
    assert browser.all("#choice .question") == []
    assert browser.code == code


# -- while a position is edited --------------------------------------------------------------


def test_what_is_edited_is_analysed(browser: Browser, server: Server) -> None:
    """Once it is sound; else what is to be mended is said. What was not changed stays as it was."""
    edit(browser, server, DRAFTING)
    browser.click("#analyse")
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    browser.wait(lambda: browser.all("#analysis [data-move]"))
    assert browser.code == code_of(DRAFTING)
    browser.press("e")
    browser.wait(lambda: browser.one("#edit-done").is_enabled())
    for wrong, button in enumerate(("#think", "#analyse"), 1):
        press(browser, '#table [data-place="D1"]')  # a tile too many
        browser.activate(button)  # before the engine has looked at it
        browser.wait(lambda: browser.text("#status").startswith(
            "It cannot be analysed as it stands. One problem, listed below."))
        browser.wait(lambda: browser.text("#analyse") == "Analyse")  # it may be said already
        assert browser.one("#editor").is_displayed()
        assert len(browser.all("#editor [data-field='displays[0]'] .chip")) == 4 + wrong
    for _ in range(2):
        browser.click("#edit-undo")
    browser.click('#choice [data-pick="."]')
    press(browser, "#table .round")
    browser.press("a")
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    browser.wait(lambda: browser.all("#analysis [data-move]"))
    assert parse_position(str(browser.code)).position.round == 1
    browser.click("#analyse")


def test_the_editor_leaves_the_board_where_it_is(browser: Browser, server: Server) -> None:
    where = "return document.getElementById('table').getBoundingClientRect().top"
    show(browser, server, DRAFTING)
    settled(browser)
    before = browser.script(where)
    browser.press("e")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    assert browser.script(where) == pytest.approx(before, abs=1)
    browser.press(Keys.ESCAPE)


def chosen(browser: Browser, place: str, value: str) -> None:
    """Choose in a field of the editor."""
    browser.script("const field ="
                   "  document.querySelector(`#editor [data-place=\"${arguments[0]}\"]`);"
                   "field.value = arguments[1]; field.dispatchEvent(new Event('change'))",
                   place, value)


def options(browser: Browser, place: str) -> list[str]:
    """Return what can be chosen in a field of the editor."""
    return browser.values(f'#editor [data-place="{place}"] option', "value")


@pytest.mark.parametrize("path", [BONUS, AZUL_DRAFT])
def test_table_and_boards_are_emptied(browser: Browser, server: Server, path: Path) -> None:
    """Each in one step; the marker of base Azul stays with its seat."""
    position = edit(browser, server, path)
    drawn = len(browser.all("#table .seat [data-tile]"))
    browser.click("#edit-empty-table")
    browser.wait(lambda: not browser.all(
        "#table .market :is([data-at^='D'], [data-at='C'])[data-tile]"))
    assert len(browser.all("#table .seat [data-tile]")) == drawn
    browser.click("#edit-empty-boards")
    browser.wait(lambda: not browser.all("#table .seat [data-tile]:not([data-tile='*'])"))
    assert len(browser.all("#table .seat [data-tile='*']")) == (path == AZUL_DRAFT)
    for _ in range(2):
        browser.click("#edit-undo")
    browser.wait(lambda: browser.script("return document.querySelector('#edit-undo').disabled"))
    browser.wait(lambda: len(browser.all("#table .seat [data-tile]")) == drawn)
    browser.wait(lambda: browser.one("#edit-done").is_enabled())
    browser.click("#edit-done")
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    assert parse_position(str(browser.code)).position.seats == position.seats


def test_game_and_players_are_chosen_in_the_editor(browser: Browser, server: Server) -> None:
    """A sound position of that kind takes the place of the one before, in one step."""
    edit(browser, server, PLACING)
    phases = ["draft", "place", "bonus", "deal", "supply", "over"]
    assert options(browser, "phase") == phases
    chosen(browser, "players", "4")
    browser.wait(lambda: len(browser.all("#table .seat")) == 4)
    browser.click('#choice [data-pick="P"]')
    chosen(browser, "game", "azul")
    browser.wait(lambda: options(browser, "phase") == ["draft", "wall", "deal", "over"])
    assert browser.values("#choice [data-pick]", "data-pick") == [*"BYRKW", "."]
    assert browser.values("#choice [data-pick][aria-pressed=true]", "data-pick") == ["B"]
    browser.wait(lambda: browser.one("#edit-done").is_enabled())
    browser.click("#edit-undo")
    browser.wait(lambda: options(browser, "phase") == phases)
    browser.wait(lambda: len(browser.all("#table .seat")) == 4)
    browser.click("#edit-redo")
    browser.wait(lambda: browser.one("#edit-done").is_enabled()
                 and options(browser, "phase")[1] == "wall")
    browser.click("#edit-done")
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    browser.wait(lambda: browser.code != code_of(PLACING))
    found = parse_position(str(browser.code)).position
    assert (found.game, found.players, found.round) == ("azul", 4, 1)


def test_game_and_players_are_chosen_at_once(browser: Browser, server: Server) -> None:
    edit(browser, server, PLACING)
    browser.script(HOLD, "new", 2)
    chosen(browser, "players", "4")
    chosen(browser, "game", "azul")
    browser.wait(lambda: browser.script("return late") == 2)
    browser.wait(lambda: options(browser, "phase")[1] == "wall")
    browser.wait(lambda: len(browser.all("#table .seat")) == 4)
    browser.script("release()")
    browser.click("#edit-undo")
    assert not browser.one("#edit-undo").is_enabled()  # one step
    browser.press(Keys.ESCAPE)


# -- what cannot be chosen -------------------------------------------------------------------


def clicked(browser: Browser, selector: str, why: str) -> None:
    """Click on what cannot be chosen: it is said why, and the board stays where it is."""
    where = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    browser.one(selector)  # spaces are marked once the position has been looked at
    browser.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})",
                   selector)
    before, code = browser.script(where, selector), browser.code
    browser.click(selector)
    browser.wait(lambda: browser.text("#status").startswith(why))
    browser.wait(lambda: abs(browser.script(where, selector) - before) < 1)
    assert browser.code == code


@pytest.mark.parametrize("width", [1280, 390])
def test_a_click_that_chooses_nothing_says_why(
    browser: Browser, server: Server, width: int
) -> None:
    browser.size(width, 900)
    show(browser, server, DRAFTING)
    settled(browser)
    clicked(browser, '[data-at="D1"][data-tile="G"]',
            "Display 1: green only comes with another colour. Seat 0")
    clicked(browser, '.supply [data-at="supply"]', "Supply: nothing can be chosen here now. Seat 0")
    show(browser, server, PLACING)
    settled(browser)
    clicked(browser, '[data-seat="0"] [data-at="NW.1"]', "NW.1 is occupied, star NW holds ")
    clicked(browser, '[data-seat="0"] [data-at="SE.5"]',
            "SE.5: the hand holds 3 purple, 1 green, 4 blue. ")
    clicked(browser, '[data-seat="0"] .short[data-at="C.6"]',
            "C.6: star C (1 green, 1 orange, 1 blue, 1 purple, 1 yellow) has blue already and "
            "takes different colours. Seat 0, C.6: empty")
    clicked(browser, '[data-seat="1"] [data-at="NE.4"]', "NE.4: this is the board of seat 1. ")
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: browser.text("#status") == "Seat 0 to move.")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_click_on_a_line_that_chooses_nothing_says_why(
    browser: Browser, server: Server, width: int
) -> None:
    browser.size(width, 900)
    show(browser, server, AZUL_DRAFT)
    settled(browser)
    own = '[data-seat="1"]'
    clicked(browser, f'{own} [data-at="line 3"]', "Line 3: nothing can be chosen here now. ")
    browser.click('[data-at="D3"][data-tile="K"]')
    browser.wait(lambda: browser.all(f'{own} .clickable[data-at="line 4"]') or browser.all(
        f'{own} .clickable[data-at="line 3"]'))
    assert browser.text("#status").startswith("Seat 1 to move")  # nothing is said against it
    clicked(browser, f'{own} [data-at="line 2"]',
            "Line 2 holds 2 yellow and takes no other colour. ")
    show(browser, server, AZUL_WALL)
    settled(browser)
    clicked(browser, '[data-seat="0"] [data-at="wall 1.2"]',
            "Wall 1.2: column 2 of row 1 (1 yellow, 1 black) is occupied. ")


def test_the_room_of_a_remark_goes_with_it(browser: Browser, server: Server) -> None:
    """Also where something takes its place that is not to be missed."""
    show(browser, server, DRAFTING)
    settled(browser)
    room = browser.driver.execute_async_script("""
        const [done] = arguments;
        const { style } = document.getElementById("prompt");
        import("/static/status.js").then(({ Status }) => {
          const status = new Status(() => {});
          status.remark("Words that need a line. ".repeat(9));
          const taken = style.getPropertyValue("--remarked");
          status.insist("Not saved.");
          status.remark("");
          done([taken, style.getPropertyValue("--remarked")]);
        });""")
    assert room[0].endswith("px")
    assert room[1] == ""
