"""What the page tells those who do not see it, and where the keyboard goes on."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pavilion_ai.play import Play
from pavilion_ai.render import describe
from tests.cli.support import AZUL_DRAFT, BONUS, DRAFTING, PLACING, RECORD
from tests.web.browser import Browser, needs_browser
from tests.web.pages import HOLD, MANY_PAYMENTS, code_of, forget, paste, play_against, settled, show
from tests.web.support import Server

needs_browser()
from selenium.webdriver.common.keys import Keys  # noqa: E402

ASKED = '#choice [role="alert"]'
SPOKEN = '#spoken[role="status"]'


def test_what_can_be_done_is_said(browser: Browser, server: Server) -> None:
    """By the text of an element that is always there: what only appears is not read out."""
    show(browser, server, DRAFTING)
    settled(browser)
    hint = "Click a tile: all that comes with it lights up. Click again to take it all."
    assert browser.text(SPOKEN) == hint
    browser.script("window.line = document.querySelector(arguments[0])", SPOKEN)
    browser.press("2")
    assert browser.text(SPOKEN) == "From display 2, click or press a letter: "
    browser.press("o")
    assert browser.text(SPOKEN).startswith("Take 1 orange and 1 wild ")
    browser.press(Keys.ESCAPE)
    assert browser.text(SPOKEN) == ""  # the hint is not repeated
    assert browser.script("return line === document.querySelector(arguments[0])", SPOKEN)
    show(browser, server, AZUL_DRAFT)
    settled(browser)
    browser.press("3", "k")
    assert browser.text(SPOKEN) == ("3 black from display 3: click the line where they go, "
                                    "or press 1 to 5, 0 for the floor line. ")
    show(browser, server, BONUS)
    settled(browser)
    assert browser.text(SPOKEN) == "Take 2: click tiles on the board, or here. "
    show(browser, server, PLACING)
    settled(browser)
    assert browser.text(SPOKEN) == "Click an outlined space to place a tile, or: Pass"
    browser.open(f"{server.url}?position={Play.of(RECORD, MANY_PAYMENTS).code()}")
    settled(browser)
    browser.script("""[...document.querySelectorAll("#table .clickable[tabindex]")]
        .find((one) => !one.dataset.move).onclick()""")
    assert browser.text(SPOKEN).startswith("Pay for ")


def test_questions_are_read_out(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    for _ in range(2):  # the first one is among the saved ones then
        play_against(browser, ["default:level=1", "human"])
        browser.wait(lambda: "Your turn." in browser.text("#status"))  # nobody else is to move
    settled(browser)
    browser.click("#resign")
    assert browser.text(ASKED) == "Resign this game?YesNo"
    browser.press(Keys.ENTER)
    settled(browser)
    browser.wait(lambda: browser.all("#saved li"))
    browser.script("document.getElementById('setup').open = true;"
                   "document.querySelector('#saved details').open = true")
    browser.click('#saved [title="Remove this game"]')
    assert ": remove it for ever?" in browser.text('#saved [role="alert"]')
    browser.press(Keys.ENTER)
    forget(browser, server)
    browser.press("e", "p")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    browser.script("document.querySelector('#table [data-place=D1]').dispatchEvent("
                   "new MouseEvent('click', { bubbles: true }))")
    browser.press(Keys.ESCAPE)
    assert browser.text(ASKED) == "Discard all changes?YesNo"
    browser.click("#edit-discard")


def test_reasons_of_a_hint_are_read_out(browser: Browser, server: Server) -> None:
    show(browser, server, DRAFTING)
    settled(browser)
    browser.click("#hint")
    browser.wait(lambda: "Press Hint again" in browser.text("#status"))
    browser.click("#hint")
    browser.wait(lambda: browser.all("#choice .reasons"))
    assert browser.text(SPOKEN).startswith("Best: ")


def test_the_keyboard_goes_on_at_the_board(browser: Browser, server: Server) -> None:
    """Where a button that has the focus is gone, or disabled."""
    show(browser, server, DRAFTING)
    settled(browser)
    browser.script("document.querySelector('#moves [data-move]').focus()")
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.all("#undo:enabled"))
    settled(browser)
    browser.script("document.getElementById('undo').focus()")
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.all("#undo:disabled"))
    browser.wait(lambda: browser.focused("#table .clickable"))
    for where in ("#hint", "#table .clickable"):
        browser.script("document.querySelector(arguments[0]).focus()", where)
        browser.press("e")
        browser.wait(lambda: browser.all("#edit-done:enabled"))
        assert browser.focused("#choice button")
        browser.press(Keys.ESCAPE)
        browser.wait(lambda: browser.focused("#table .clickable"))
    paste(browser, json.dumps(Play.of(RECORD, 3).record().to_json()))
    browser.wait(lambda: browser.all("#next-mistake"))
    settled(browser)
    browser.script("document.getElementById('next-mistake').focus()")
    browser.press("t")
    browser.wait(lambda: "clearly best" in browser.text("#status"))
    browser.wait(lambda: browser.focused("#table .clickable"))


def test_the_keyboard_waits_at_the_board_for_an_engine(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    play_against(browser, ["human", "default:level=1"])
    settled(browser)
    browser.script(HOLD, "choose")
    browser.script("document.querySelector('#moves [data-move]').focus()")
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.focused('#table[aria-label="Board"]'))
    top = browser.script("return scrollY")
    browser.press(Keys.SHIFT)  # it still is in the list of moves
    browser.script("release()")
    browser.wait(lambda: browser.focused("#moves [data-move]"))
    assert browser.script("return scrollY") == top
    forget(browser, server)


def test_what_is_chosen_does_not_look_like_the_focus(browser: Browser, server: Server) -> None:
    look = """
        const { outlineStyle, boxShadow } = getComputedStyle(document.querySelector(arguments[0]));
        return [outlineStyle, boxShadow.includes("inset")]"""
    show(browser, server, BONUS)
    settled(browser)
    tile = "#table .supply .clickable"
    browser.click(tile)
    assert browser.script(look, f'{tile}[aria-pressed="true"].lit') == ["none", False]
    assert browser.values("#analyse", "aria-pressed") == [None]  # its name says what it does
    browser.press("e")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    browser.script("document.querySelector('#choice [data-pick=G]').focus()")
    assert browser.script(look, '#choice [aria-pressed="true"]') == ["none", True]
    assert browser.script(look, "#choice [data-pick=G]") == ["solid", False]
    browser.press(Keys.ESCAPE)


@pytest.mark.parametrize("path", [DRAFTING, AZUL_DRAFT], ids=lambda path: path.stem)
def test_tiles_are_named_not_spelled(browser: Browser, server: Server, path: Path) -> None:
    """Several letters would be read as a word."""
    position = show(browser, server, path)
    settled(browser)
    words = browser.values("#moves [data-move]", "title")
    assert len(words) > 8
    assert sum(describe(position, move) != shown for move, shown in zip(
        browser.values("#moves [data-move]", "data-move"), words, strict=True)) > 5
    labels = browser.values("#table .clickable", "aria-label")
    assert [one for one in words + labels if one and re.search(r"\b[A-Z]{2}|\([A-Z]", one)] == []
    said = browser.driver.execute_async_script("""
        const [words, done] = arguments;
        import("/static/dom.js").then(({ readable }) => done(words.map(readable)));
        """, ["take 2 green from display 3 (GGO to the centre)",
              "take 1 blue from display 1 (rest K) to line 2: 1 of 2",
              "the displays receive POOR, GGGB",
              "place orange on NW.2 (cost 2) paying 2 orange: 3 points (+1 tile)",
              "the hand holds 3PG2O", "the hand holds no tile",
              "NW.1 is occupied, star NW is OO....", "star C (GOB...) has blue already",
              "column 2 of row 1, .Y..K, is occupied", "row 2 of the wall, BYRKW, has red already"])
    assert said == ["take 2 green from display 3 (2 green, 1 orange to the centre)",
                    "take 1 blue from display 1 (rest 1 black) to line 2: 1 of 2",
                    "the displays receive P O O R, G G G B",
                    "place orange on NW.2 (cost 2) paying 2 orange: 3 points (+1 tile)",
                    "the hand holds 3 purple, 1 green, 2 orange", "the hand holds no tile",
                    "NW.1 is occupied, star NW holds 2 orange",
                    "star C (1 green, 1 orange, 1 blue) has blue already",
                    "column 2 of row 1 (1 yellow, 1 black) is occupied",
                    "row 2 of the wall (1 blue, 1 yellow, 1 red, 1 black, 1 white) has red already"]


def test_the_drawing_has_parts_with_names(browser: Browser, server: Server) -> None:
    """No description is read out with what has the focus: it is a text of its own."""
    show(browser, server, DRAFTING)
    settled(browser)
    assert browser.values("#table .seat[role=group]", "aria-label") == [
        "seat 0, 11 points, to move", "seat 1, 15 points"]
    assert browser.values("#table [data-place][role=group]:not(.hand)", "aria-label") == [
        *(f"display {number}" for number in range(1, 6)), "the centre", "supply"]
    nodes = browser.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    found = {node["name"]["value"]: node.get("description", {}).get("value", "")
             for node in nodes if node.get("name")}
    assert found["display 1: wild green tile"] == found["seat 1, 15 points"] == ""
    assert {text for text in found.values() if "Phase 1" in text} == set()
    assert browser.text("#in-words h3:last-of-type") == "Seat 1"
    assert browser.text("#in-words p:last-child").startswith("Seat 1: 15 points, hand ")
    show(browser, server, PLACING)
    assert browser.text("#in-words p:last-child").startswith("Seat 1: 29 points, hand ")


def test_what_is_edited_is_said(browser: Browser, server: Server) -> None:
    """By what changes; what stays as it is is not said again."""
    show(browser, server, DRAFTING)
    settled(browser)
    browser.press("e")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    assert browser.one(".skip").get_dom_attribute("href") == "#editor"
    browser.script("""window.said = 0;
        new MutationObserver(() => said++).observe(document.getElementById("status"),
          { childList: true, characterData: true, subtree: true });""")
    browser.press("o")
    assert browser.text(SPOKEN) == "orange tile chosen"
    display = "#table [data-place=D5]"
    assert browser.values(display, "aria-label") == ["display 5: put an orange tile"]
    browser.press("g")
    assert browser.values(display, "aria-label") == ["display 5: put a green tile"]
    assert browser.values('#table [data-seat="0"] [data-at="NW.3"]', "aria-label") == [
        "seat 0, NW.3: put an orange tile"]  # which is printed there
    browser.script("document.querySelector('#table .round').onclick(new Event('click'))")
    assert browser.text(SPOKEN) == "Done: set round 1"
    browser.click("#edit-undo")
    assert browser.text(SPOKEN) == "undone"
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    assert browser.script("return said") <= 1
    for selector, words in (("#edit-redo", "done again"), ("#edit-undo", "undone"),
                            ("#edit-empty-table", "displays emptied"),
                            ("#edit-empty-boards", "boards emptied"),
                            ('#editor [data-place="centre"]', "Done: add a green tile to centre"),
                            ('#editor [data-place="seats[0].stars.NE-0"]',
                             "star NE, space 1: green tile")):
        browser.activate(selector)
        assert browser.text(SPOKEN) == words
    put = "document.querySelector('#table [data-place=D5]').onclick(new Event('click'))"
    browser.script(put)
    first = browser.text(SPOKEN)
    browser.script(put)
    assert browser.text(SPOKEN) not in ("", first)  # what is as before would not be read out
    assert browser.text(SPOKEN).startswith(first)
    browser.script("const players = document.querySelector('#editor [data-place=players]');"
                   "players.value = '4'; players.dispatchEvent(new Event('change'))")
    browser.wait(lambda: browser.text(SPOKEN) == "Summer Pavilion, 4 players")
    for _ in range(7):
        browser.activate("#edit-undo")
    assert browser.values("#editor [aria-label*=orange]", "aria-label")[0].startswith(
        "take an orange tile away from ")
    browser.press(Keys.ESCAPE)
    assert browser.one(".skip").get_dom_attribute("href") == "#moves"


def test_that_there_are_several_is_said(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    paste(browser, "\n".join(map(code_of, (DRAFTING, PLACING))))
    browser.wait(lambda: browser.text(SPOKEN).startswith("1 of 2 found: "))
