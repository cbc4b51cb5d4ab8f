"""The page in a real browser: analysing, editing on the drawing, puzzles, several games, files."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.games import rules_of
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.play import HUMAN_AGENT, Play, walk
from pavilion_ai.puzzles import Option, shipped
from pavilion_ai.record import GameRecord
from pavilion_ai.render import one_short
from tests.bga.samples import sample
from tests.cli.support import (
    AZUL_DRAFT,
    AZUL_WALL,
    BONUS,
    DRAFTING,
    PLACING,
    RECORD,
    contract_games,
    cut_short,
)
from tests.web.browser import DEFAULT_SIZE, Browser, needs_browser
from tests.web.pages import (
    BLUNDER,
    HOLD,
    blundered,
    code_of,
    drop,
    edit,
    go_on_with,
    kept_last,
    paste,
    press,
    settled,
    show,
    train,
    turned,
    written,
)
from tests.web.support import Server, serving

needs_browser()
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

GAME = RECORD
LEVEL = "default:level=3"
END = Play.of(GAME, len(GAME.moves)).position
TIE = Play(replace(END, seats=tuple(replace(seat, score=60) for seat in END.seats))).record()
HELD_UP = "Waiting for other searches to end (an analysis in another tab? Press Stop there) …"
"""What a search says that waits."""
OF_THREE = GameRecord.from_json(
    next(game for game in contract_games("azul") if len(game["agents"]) == 3))


def accepted(browser: Browser) -> Any:
    """Use the edited position; return it."""
    browser.wait(lambda: browser.one("#edit-done").is_enabled())
    before = browser.code
    browser.click("#edit-done")
    browser.wait(lambda: browser.all("#editor:not([hidden])") == [])
    browser.wait(lambda: browser.code != before)
    settled(browser)
    return parse_position(str(browser.code)).position


# -- analysing -------------------------------------------------------------------------------


def test_the_parts_of_the_scores_and_what_is_one_tile_short(
    browser: Browser, server: Server
) -> None:
    position = show(browser, server, PLACING)
    browser.wait(lambda: len(browser.all("#outlook [data-seat-parts]")) == position.players)
    for seat, row in enumerate(browser.all("#outlook [data-seat-parts]")):
        assert row.find_element("css selector", "th").text == f"seat {seat}"
        total, *parts = [float(cell.text) for cell in row.find_elements("css selector", "td")]
        assert total == sum(parts)
    assert [head.text for head in browser.all("#outlook thead th")] == [
        "points", "play", "stars", "numbers"]  # as on the board at the end
    browser.wait(lambda: browser.all(".idea-words"))
    space_of = "return getComputedStyle(document.querySelector('.idea-words')).whiteSpace"
    browser.size(390, 844)
    assert browser.script(space_of) == "normal"  # nothing points at it to see the rest
    browser.size(*DEFAULT_SIZE)
    settled(browser)
    marked = {(int(element.find_element("xpath", "ancestor::*[@data-seat]")
                   .get_attribute("data-seat")), element.get_attribute("data-at"))
              for element in browser.all("#table .short")}
    assert marked == {(lack.seat, lack.place) for lack in one_short(position)}
    space = browser.one("#table .short:not(.clickable)")
    name = space.accessible_name
    assert re.fullmatch("seat [01], .*; a tile here completes .*", name)
    browser.script("arguments[0].dispatchEvent(new MouseEvent('click', { bubbles: true }))", space)
    browser.wait(lambda: browser.text("#status").endswith(
        f" S{name[1:]}. Seat {position.to_move} to move."))


HEARING = """
const send = WebSocket.prototype.send;
window.answers = {};
WebSocket.prototype.send = function (text) {
  const request = JSON.parse(text);
  (window.asked ??= []).push(request.action);
  this.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(data);
    if (answer.id === request.id && answer.moves) answers[request.action] = answer;
  });
  return send.call(this, text);
};
"""
"""Note what the page asks for, and the last answer of each kind that has moves."""


def number(text: str) -> float:
    """Return the number that a text of the page begins with."""
    return float(text.replace("\u2212", "-").split()[0].lstrip("±"))


def test_an_analysis_is_shown_as_it_is(browser: Browser, server: Server) -> None:
    """Its numbers, whose they are and in which order; nobody looks: it pauses."""
    position = show(browser, server, DRAFTING)
    settled(browser)
    browser.script(HEARING)
    browser.play(rules_of(position).legal_moves(position)[-1])
    browser.wait(lambda: browser.script("return answers.analyse?.form.some(Boolean)"))
    heard = browser.script("document.getElementById('analyse').click();"  # from now on it is off
                           "document.querySelector('#analysis-tools select').onchange();"
                           "return answers.analyse")
    chances = " seat 0 ([0-9.]+) %, seat 1 ([0-9.]+) %"
    told = re.fullmatch(
        f"Chance to win, if all seats play like the engine from here on:{chances};"
        f" if each plays as well as it has so far:{chances}. .*", browser.text("#analysis-summary"))
    assert told
    assert [float(one) / 100 for one in told.groups()] == pytest.approx(
        [*heard["root"]["win_prob"], *heard["win_prob_by_form"]], abs=0.006)
    rows = browser.all("#analysis [data-move]")
    for rank, (row, move) in enumerate(zip(rows, heard["moves"], strict=True), 1):
        assert row.get_attribute("data-move") == move["move"]
        assert row.find_element("css selector", ".rank").text == str(rank)
        chance, error = row.find_element("css selector", ".chance").text.split("±")
        assert number(chance) == pytest.approx(100 * move["win_prob"], abs=0.51)
        assert ("." in chance) == (0 < number(chance) < 10)
        assert number(error) == pytest.approx(max(0.1, 100 * move["win_prob_error"]), abs=0.06)
        lead = row.find_element("css selector", ".lead").text
        assert number(lead) == pytest.approx(move["score_lead"], abs=0.06)
        visits = row.find_element("css selector", ".visits").text
        thousand = 1000 if visits.endswith(" k") else 1
        assert number(visits) * thousand == pytest.approx(move["visits"], abs=thousand / 2)
    browser.click("#analyse")
    browser.wait(lambda: "…" in browser.text("#analysis-summary"))
    browser.script("window.asked = []")
    browser.click("#think")  # which it does already
    assert "analyse" not in browser.script("return asked")
    for hidden, action in ((True, "stop"), (False, "analyse")):
        browser.script("window.asked = [];"
                       "Object.defineProperty(document, 'hidden', { value: arguments[0],"
                       " configurable: true });"
                       "document.dispatchEvent(new Event('visibilitychange'))", hidden)
        browser.wait(lambda action=action: action in browser.script("return asked"))
        browser.click("#log button" if hidden else "#redo")
        browser.wait(lambda hidden=hidden: (browser.code == code_of(DRAFTING)) == hidden)
        assert ("analyse" in browser.script("return asked")) == (not hidden)


def test_a_hint_comes_though_nobody_looks(browser: Browser, server: Server) -> None:
    show(browser, server, DRAFTING)
    settled(browser)
    browser.click("#analyse")
    browser.click("#hint")
    for hidden in (True, False):
        browser.script("Object.defineProperty(document, 'hidden', { value: arguments[0],"
                       " configurable: true });"
                       "document.dispatchEvent(new Event('visibilitychange'))", hidden)
    browser.wait(lambda: browser.text("#status").startswith("Hint: "))


def test_numbers_are_short(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0];
        import("/static/dom.js").then(({ percent, short, signed }) => done([
          [0, 0.0004, 0.099, 0.0997, 0.1, 0.994, 0.995, 0.9996, 1].map((share) => percent(share)),
          [29 / 40, 31 / 40].map((share) => percent(share)), // rounded as at the terminal
          [0, 9999, 12345, 999600, 1234567].map((count) => short(count)),
          [0.04, -0.04, 0.06, -12.34].map((points) => signed(points)), signed(-3.4, 0)]));""")
    assert told == [[f"{number}\u00a0%" for number in (
                        "0", "0.0", "9.9", "10", "10", "99", "99.5", "100.0", "100")],
                    [f"{100 * share:.0f}\u00a0%" for share in (29 / 40, 31 / 40)],
                    ["0", "9999", "12 k", "1.0 M", "1.2 M"],
                    ["0.0", "0.0", "+0.1", "\u221212.3"], "\u22123"]


def test_rounded_parts_add_up(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    found = browser.driver.execute_async_script("""
        const done = arguments[0];
        import("/static/analysis.js").then(({ wholes }) => done(
          [[70.5, 19.5, 22.5], [0.4, 0.4, 0.4], [-3.2, 10, 0.9]].map(wholes)));""")
    assert [sum(values) for values in found] == [113, 1, 8]
    assert found[2] == [-3, 10, 1]


def test_a_move_that_lost_nothing_is_called_as_good(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0];
        const moves = [{ move: "a", win_prob: 0.5 }];
        const judged = (win_loss, lead_loss, win_loss_error) => ({ agrees: false,
          played: { move: "b", win_prob: 0.5 - win_loss }, moves, mark: "",
          win_loss, lead_loss, win_loss_error });
        import("/static/review.js").then(({ verdict }) => done(
          [[0.0004, 0.04, 0.01], [0.001, 0, 0], [0.14, 1, 0.0862], [0.001, 0, 1e-5]].map(
            (lost) => verdict(judged(...lost), (move) => `move ${move}`))));""")
    assert [one.replace("\u00a0", " ") for one in told] == [
        "Played: move b. As good: move a.",
        "Played: move b. It loses 0.1 % and 0.0 points. Better: move a.",
        "Played: move b. It loses 14 % \u00b18.6 (from 50 % to 36 %) and 1.0 points."
        " Better: move a.",
        "Played: move b. It loses 0.1 % \u00b10.1 and 0.0 points. Better: move a."]


def test_the_best_move_is_told_from_one_as_good(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0];
        const moves = [{ move: "a", win_prob: 0.5, pv: ["a"] }];
        import("/static/review.js").then(({ verdict }) => done(["a", "b"].map((move) =>
          verdict({ agrees: true, played: { move }, moves }, String))));""")
    assert told == ["Played: the best move, 50\u00a0% to win.",
                    "Played: as good as the best move, 50\u00a0% to win."]


def test_a_move_tried_again_is_judged_as_the_review_judges(
    browser: Browser, server: Server
) -> None:
    """It is as good if its loss would show as nothing; exact values are compared with such.

    What the review searched little is searched again.
    """
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0];
        const asked = [], said = [];
        const answer = (review, exact, win_prob) => {
          const node = { position: "code", moves: [] };
          return review.prototype.answer.call({
            current: { ply: 1, node: { parent: node } }, trying: true, shown: new Set(),
            judged: new Map([[1, { ply: 1, mark: "??", win_loss: 0.2, played: { move: "c" },
              moves: [{ move: "a", win_prob: 0.5, visits: 6, exact },
                { move: "b", win_prob: 0.5, visits: 2 }] }]]),
            record: { start: "start" },
            page: { say: (text) => said.push(text) }, markOf: ({ mark }) => mark,
            engine: { query: (action, { sims = 0, seconds = 0 }, interim) => {
              asked.push([sims, seconds]);
              if (exact) interim({ waiting: 0 });
              return { answer: Promise.resolve({ moves: [{ move: "b", win_prob }] }) };
            } },
          }, node, "b");
        };
        import("/static/review.js").then(async ({ Review }) => done([
          await answer(Review, true, 0.4996), await answer(Review, false, 0.488), asked,
          said]));""")
    assert told == ["That is as good as the move the engine prefers.",
                    "That loses 1.2\u00a0%; what was played lost 20\u00a0%.", [[0, 1], [1000, 0]],
                    ["Looking at your move …", HELD_UP,
                     "Looking at your move …"]]


def test_an_engine_that_waits_for_others_says_so(browser: Browser, server: Server) -> None:
    """Until it begins; and says nothing any more once it is not to move."""
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0];
        const said = [], node = { position: { to_move: 1 }, moves: [] };
        let wait = null;
        const page = {
          status: { text: "Seat 1 to move.", say: (text) => said.push(text) },
          hints: { past: () => null },
          engine: { query: (action, fields, interim) => {
            wait = (waiting) => interim({ waiting });
            return { answer: new Promise(() => {}), stop: () => {} };
          } },
        };
        import("/static/opponents.js").then(({ Opponents }) => {
          const opponents = new Opponents(page);
          opponents.move({ seats: ["human", "default"], seed: 0 }, node);
          wait(1);
          wait(null);
          opponents.stop();
          wait(1);
          done(said);
        });""")
    assert told == ["Seat 1 to move. Thinking …",
                    f"Seat 1 to move. {HELD_UP}",
                    "Seat 1 to move. Thinking …"]


def test_no_time_is_less_than_none(browser: Browser, server: Server) -> None:
    """The engine may have waited longer, by its clock, than the page by its own."""
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0];
        const page = {
          status: { text: "", say: () => {} },
          hints: { past: () => null },
          engine: { query: () => ({ answer: Promise.resolve({ move: "a", waited: 9 }) }) },
          table: { choiceOf: () => ({ words: "a" }), board: { light: () => {} } },
          settings: { stepping: { checked: false } },
          play: (...played) => done(played),
        };
        const game = { seats: ["default"], seed: 0, who: () => "Seat 0" };
        import("/static/opponents.js").then(({ Opponents }) =>
          new Opponents(page).move(game, { position: { to_move: 0 }, moves: [] }));""")
    assert told == ["a", False, 0]


def test_an_answer_that_comes_late_is_dropped(browser: Browser, server: Server) -> None:
    """The position that was asked for last is shown, whatever its answer overtakes."""
    record = cut_short(GAME, 6)
    codes = [play.code() for play in walk(record)]
    show(browser, server, DRAFTING)
    paste(browser, json.dumps(record.to_json()))
    browser.wait(lambda: browser.code == codes[0])
    browser.wait(lambda: browser.all("#review-stop[hidden]"))
    assert browser.driver.current_url == server.url  # a reload reviews it once more
    browser.script(HOLD, "view", 2)
    for place in (3, 5):
        browser.click(f"#log > li:nth-child({place}) > button")
    browser.wait(lambda: browser.script("return late") == 2)
    assert browser.code == codes[4]
    assert browser.values("#log > li", "aria-current").index("step") == 4
    browser.wait(lambda: browser.text("#status").startswith("Ply 5, "))


def test_lines_make_a_tree(browser: Browser, server: Server) -> None:
    """Each line stays until it is forgotten, below the move after which it begins."""
    position = show(browser, server, DRAFTING)
    settled(browser)
    moves = rules_of(position).legal_moves(position)[:3]
    browser.click("#analyse")
    for move in moves:
        browser.play(move)
        browser.click("#log button")  # the start
        browser.wait(lambda: browser.code == code_of(DRAFTING))
        settled(browser)
    listed = browser.script("return [...document.querySelectorAll('#log button')]"
                            ".map(e => e.textContent).filter(t => t.includes(': '))")
    assert sorted(title.partition(": ")[2] for title in listed) == sorted(moves)
    lines = len(browser.all("#log .line"))
    assert lines == 2
    here = "#log [aria-current] > button"

    def enter(selector: str) -> None:
        browser.script("document.querySelector(arguments[0]).focus()", selector)
        browser.press(Keys.ENTER)

    enter("#log .line button:not(.quiet)")
    browser.wait(lambda: browser.all("#leave"))
    browser.wait(lambda: browser.focused(here))
    enter("#leave")
    browser.wait(lambda: browser.code == code_of(DRAFTING))
    browser.wait(lambda: browser.focused("#table .clickable"))
    enter("#log .line button:not(.quiet)")
    browser.wait(lambda: browser.all("#leave"))
    line = browser.code
    for control, code in (("#undo", code_of(DRAFTING)), ("#redo", line)):  # back into the line
        browser.click(control)
        browser.wait(lambda code=code: browser.code == code)
    assert browser.text('#log [aria-current="step"] button') in listed
    enter("#log .line > .quiet")
    browser.wait(lambda: len(browser.all("#log .line")) == lines - 1)
    browser.wait(lambda: browser.focused(here))
    browser.wait(lambda: browser.code == code_of(DRAFTING))
    settled(browser)
    browser.click("#redo")  # the line is gone
    browser.wait(lambda: browser.code not in (code_of(DRAFTING), line))
    assert not browser.all("#leave")


# -- editing ---------------------------------------------------------------------------------


def test_tiles_are_put_and_taken_on_the_drawing(browser: Browser, server: Server) -> None:
    """The bag holds what remains; a colour that is printed on a space is put there by itself."""
    position = edit(browser, server, DRAFTING)
    names = browser.values("#table .clickable", "aria-label")
    assert not [name for name in names if re.search("(take|more) [A-Z]", name)]
    assert {"display 1: take the purple tile away", "seat 1, kept: put a purple tile",
            "tower: one more purple tile, or one less with no tile chosen"} <= set(names)
    browser.click('#choice [data-pick="R"]')
    press(browser, '#table [data-place="D4"]')
    browser.wait(lambda: browser.all('#table [data-at="D4"][data-tile="R"]'))
    press(browser, '#table .market [data-at="D1"][data-tile="P"]')
    browser.wait(lambda: not browser.all('#table [data-at="D1"][data-tile="P"]'))
    press(browser, '#table [data-seat="1"] [data-at="W.3"]')
    browser.wait(lambda: browser.all('#table [data-seat="1"] [data-at="W.3"][data-tile="P"]'))
    press(browser, '#table [data-seat="0"] [data-place="hand"]')
    browser.wait(lambda: browser.all('#table [data-seat="0"] [data-at="hand"][data-tile="R"]'))
    browser.click('#choice [data-pick="G"]')
    press(browser, '#table [data-seat="1"] .slot')  # a corner for a tile that is kept
    browser.wait(lambda: browser.text("#editor [data-field='seats[1].kept'] .chip") == "G")
    browser.click("#edit-undo")  # in a draft nobody keeps one
    found = accepted(browser)
    assert found.displays[3] == (0, 0, 0, 0, 0, 1)
    assert found.displays[0][0] == position.displays[0][0] - 1
    assert found.seats[1].stars[0][2] == "P"
    assert found.seats[0].hand[5] == position.seats[0].hand[5] + 1
    assert found.bag[5] == position.bag[5] - 2
    assert found.tower == position.tower


def test_a_click_on_another_tile_puts_one_beside_it(browser: Browser, server: Server) -> None:
    """As long as there is room; on a phone the drawing keeps its place, whatever is said."""
    def put(on: str, *expected: str) -> None:
        press(browser, f"#table {on}")
        browser.wait(lambda: browser.values('#table [data-at="D1"]', "data-tile") == [*expected])

    def says(words: str) -> None:
        browser.wait(lambda: words in browser.text("#status"))
        assert browser.script(where) == pytest.approx(before, abs=1)

    where = "return document.getElementById('table').getBoundingClientRect().top + scrollY"
    browser.size(390, 844)
    edit(browser, server, DRAFTING)
    browser.click('#choice [data-pick="G"]')
    before = browser.script(where)
    browser.click("#edit-empty-table")
    says("One problem: phase: ")
    browser.script("document.getElementById('status').append(', as far as a third line')")
    says("a third line")
    put('[data-place="D1"]', "G")
    says("Choose a tile")
    browser.click('#choice [data-pick="O"]')
    put('[data-at="D1"][data-tile="G"]', "G", "O")
    put('[data-at="D1"][data-tile="O"]', "G")
    for number in (1, 2, 3):
        put('[data-at="D1"][data-tile="G"]', "G", *number * "O")
    put('[data-at="D1"][data-tile="G"]', "O", "O", "O")
    browser.click('#choice [data-pick="."]')
    put('[data-at="D1"][data-tile="O"]', "O", "O")


def test_lines_walls_and_floors_are_edited_on_the_drawing(
    browser: Browser, server: Server
) -> None:
    position = edit(browser, server, AZUL_DRAFT)
    browser.click('#choice [data-pick="R"]')
    seat = '#table [data-seat="1"]'
    press(browser, f'{seat} .space[data-at="floor line"]')
    browser.wait(lambda: browser.all(f'{seat} [data-at="floor line"][data-tile="R"]'))
    press(browser, f'{seat} .space[data-at="line 3"]')
    browser.wait(lambda: browser.all(f'{seat} [data-at="line 3"][data-tile="R"]'))
    press(browser, f'{seat} .space[data-at="wall 1.4"]')
    browser.wait(lambda: browser.all(f'{seat} [data-at="wall 1.4"][data-tile]'))
    browser.wait(lambda: browser.all("#editor .add") and browser.all(f"{seat} .clickable"))
    press(browser, f'{seat} [data-at="wall 1.4"][data-tile]')
    browser.wait(lambda: browser.all(f'{seat} .space[data-at="wall 1.4"]'))
    browser.click("#edit-undo")
    browser.wait(lambda: browser.all(f'{seat} [data-at="wall 1.4"][data-tile]'))
    press(browser, f'{seat} .space[data-at="wall 4.2"]')  # of the colour on line 4
    browser.wait(lambda: browser.all(f'{seat} [data-at="line 4"].wrong'))
    assert browser.text("#problems").startswith("seat 1, line 4: found K, ")
    browser.click("#edit-undo")
    browser.wait(lambda: browser.all("#problems li") == [])
    browser.click('#choice [data-pick="."]')
    press(browser, f'{seat} .space[data-at="wall 1.5"]')  # puts nothing
    browser.click('#editor [data-place="seats[1].wall[2]-1"]')
    browser.click('#choice [data-pick="W"]')
    browser.click('#editor [data-place="seats[1].wall[2]-0"]')  # not its column
    browser.wait(lambda: browser.all(f'{seat} [data-at="wall 3.1"].wrong'))
    assert browser.text("#problems").startswith("seat 1, row 3: found ")
    for _ in range(2):
        browser.click("#edit-undo")
    browser.wait(lambda: browser.all("#problems li") == [])
    browser.script("document.querySelector('#editor [data-field=\"seats[1].floor\"]')"
                   ".lastElementChild.click()")  # the marker, which seat 0 has
    browser.wait(lambda: "seat 1, floor: found R*, " in browser.text("#problems"))
    browser.click("#edit-undo")
    found = accepted(browser)
    assert found.seats[1].floor == "R"
    assert sum(found.seats[1].lines[2]) == sum(position.seats[1].lines[2]) + 1
    assert found.seats[1].wall[0] == "BYRK."


def test_changes_are_not_discarded_unasked(browser: Browser, server: Server) -> None:
    """Nor by leaving the page. The analysis that ran before the editor was opened continues."""
    leaves = "return dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    edit(browser, server, DRAFTING)
    assert browser.script(leaves)
    browser.press(Keys.ESCAPE)  # nothing has changed
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    browser.wait(lambda: browser.text("#analyse") == "Stop")
    browser.wait(lambda: browser.all("#analysis [data-move]"))
    browser.click("#analyse")
    browser.press("e")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    browser.press("p")
    press(browser, '#table [data-place="D1"]')
    browser.wait(lambda: browser.all("#edit-undo:enabled"))
    for no in (Keys.ENTER, Keys.ESCAPE):
        browser.press(Keys.ESCAPE)
        assert "Discard all changes?" in browser.text("#choice")
        browser.press(no)
        assert browser.all("#edit-undo:enabled")
    assert not browser.script(leaves)
    browser.click("#edit-undo")
    assert browser.script(leaves)
    browser.click("#edit-redo")
    browser.click("#edit-cancel")
    browser.click("#edit-discard")
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    settled(browser)
    assert browser.script(leaves)
    assert browser.code == code_of(DRAFTING)
    assert browser.text("#analyse") == "Analyse"


def test_changes_are_not_discarded_by_another_game_unasked(
    browser: Browser, server: Server
) -> None:
    edit(browser, server, DRAFTING)
    browser.script("document.getElementById('setup').open = true;"
                   "document.getElementById('solo-setup').open = true;"
                   "document.getElementById('settings').querySelector('input').value = '0'")
    browser.press("p")
    press(browser, '#table [data-place="D1"]')
    browser.wait(lambda: browser.all("#edit-undo:enabled"))
    for other in ("#new", "#versus", "#solo-begin", "#train"):
        browser.activate(other)
        assert "Discard all changes?" in browser.text("#choice"), other
        browser.press(Keys.ENTER)
        assert browser.all("#edit-undo:enabled"), other
    paste(browser, code_of(PLACING))
    browser.wait(lambda: "Discard all changes?" in browser.text("#choice"))
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.all("#problems li"))  # those of what is edited
    assert browser.code == code_of(DRAFTING)
    paste(browser, code_of(PLACING))
    browser.click("#edit-discard")
    browser.wait(lambda: browser.code == code_of(PLACING))
    settled(browser)
    browser.press("e")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    press(browser, "#table .round")
    browser.activate("#new")
    browser.click("#edit-discard")
    browser.wait(lambda: not browser.one("#editor").is_displayed()
                 and browser.code != code_of(PLACING))


def test_what_is_as_it_was_is_no_change(browser: Browser, server: Server) -> None:
    """Also where the bag holds what remains, which nothing is kept of."""
    leaves = "return dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    edit(browser, server, DRAFTING)
    for _ in range(2):
        browser.click("#edit-bag")
    browser.wait(lambda: browser.script(leaves))
    browser.click('#editor [data-field="displays[0]"] .add')
    assert not browser.script(leaves)
    browser.click('#editor [data-field="displays[0]"] [aria-label^="take a purple tile away"]')
    assert browser.one("#edit-undo").is_enabled()
    browser.wait(lambda: browser.script(leaves))
    browser.click("#edit-bag")
    browser.wait(lambda: browser.script(leaves))
    browser.click('#editor [data-field="bag"] .add')
    browser.wait(lambda: browser.all("#problems li"))
    assert not browser.script(leaves)


def test_a_question_leaves_the_page_where_it_is(browser: Browser, server: Server) -> None:
    edit(browser, server, DRAFTING)
    browser.size(390, 844)
    press(browser, '#table [data-place="D1"]')
    browser.wait(lambda: browser.all("#edit-undo:enabled"))
    browser.script("scrollTo(0, 500)")
    browser.press(Keys.ESCAPE)
    assert "Discard all changes?" in browser.text("#choice")
    assert browser.script("return scrollY") == 500
    browser.click("#edit-discard")


def test_keys_keep_their_place_in_the_editor(browser: Browser, server: Server) -> None:
    """Where what was pressed is gone or closed, there is something to press beside it."""
    edit(browser, server, AZUL_DRAFT)
    last = browser.values('#editor .bare[data-place^="displays"]', "data-place")[-1]
    display, _, _ = last.partition("-")
    marker, = browser.values('#editor [data-place$="-marker"]', "data-place")
    for pressed, kept in (
            ("#edit-bag", "#edit-bag"), (f'[data-place="{last}"]', f'[data-place="{display}"]'),
            (f'[data-place="{marker}"]', f'[data-place="{marker.removesuffix("-marker")}"]'),
            ("#edit-undo", "#edit-undo"), ("#edit-redo", "#edit-undo")):
        browser.script("document.querySelector(arguments[0]).focus()", pressed)
        browser.press(Keys.SPACE)
        assert browser.focused(kept), (pressed, kept)


def test_what_has_the_focus_of_the_keys_has_an_outline(browser: Browser, server: Server) -> None:
    """On the drawing it is that of the place, which can be clicked everywhere."""
    edit(browser, server, DRAFTING)
    for place in ("hand", "supply"):
        there = f'#table [data-place="{place}"]'
        browser.script("document.querySelector(arguments[0]).focus()", there)
        browser.press(Keys.TAB)
        browser.press(Keys.TAB, held=Keys.SHIFT)
        assert browser.focused(there)
        assert browser.script("""
            const one = document.activeElement, ground = one.children[1];
            one.scrollIntoView({ block: "center" });
            const { left, right, top, bottom } = ground.getBoundingClientRect();
            const beside = document.elementFromPoint(right - 3, (top + bottom) / 2);
            return [ground.nodeName, getComputedStyle(ground).strokeWidth, beside === ground,
                    right - left > 0.9 * one.closest(".seat, .supply").getBBox().width
                      * one.getScreenCTM().a]
            """) == ["rect", "8px", True, True]


@pytest.mark.parametrize("path", [DRAFTING, AZUL_DRAFT], ids=lambda path: path.stem)
def test_the_focus_is_seen_on_a_tile_of_any_colour(
    browser: Browser, server: Server, path: Path
) -> None:
    """By a line on a wider one; where there is a mark, it takes the place of the line."""
    lines = """
        const [there, marked] = arguments, one = document.querySelector(there);
        one.focus();
        const [wide, line] = [1, 2].map((number) => getComputedStyle(one.children[number]));
        const look = getComputedStyle(document.documentElement);
        const shade = document.createElement("p");
        document.body.append(shade);
        const colours = ["--ink", marked].map((name) => {
          shade.style.color = look.getPropertyValue(name);
          return getComputedStyle(shade).color;
        });
        shade.remove();
        return [one.matches(":focus-visible"), document.querySelectorAll(".ring").length,
                parseFloat(wide.strokeWidth) > parseFloat(line.strokeWidth) + 2,
                wide.stroke === colours[0], line.stroke === colours[1]]"""
    edit(browser, server, path)
    browser.press(Keys.SHIFT)
    for there in ("D1", "D2", "C"):
        tile = f'#table .tile[data-at="{there}"]'
        assert browser.script(lines, tile, "--card") == [True, 1, True, True, True]
    browser.press(Keys.ESCAPE)
    settled(browser)
    browser.press("h")
    browser.wait(lambda: browser.all("#table .market .best[tabindex]"))
    assert browser.script(lines, "#table .market .best[tabindex]", "--best") == [
        True, 1, True, True, True]
    browser.press(Keys.SHIFT)
    turned(browser)  # it is drawn anew
    browser.wait(lambda: browser.all("#table :focus > .ring"))


def test_a_place_without_a_seat_is_with_nobody(browser: Browser, server: Server) -> None:
    """Not null, as in JSON."""
    edit(browser, server, DRAFTING)
    browser.script("const one = document.querySelector('#editor [data-place=to_move]');"
                   "one.value = ''; one.dispatchEvent(new Event('change'))")
    told = "to move: found nobody, expected a seat in phase draft"
    browser.wait(lambda: browser.text("#problems") == told)
    browser.wait(lambda: browser.text("#status") == f"One problem: {told}")


def test_problems_point_at_their_places(browser: Browser, server: Server) -> None:
    """In the list, in the fields and on the drawing; the keyboard does what the mouse does."""
    edit(browser, server, DRAFTING)
    browser.click('#choice [data-pick="G"]')
    press(browser, '#table [data-place="D1"]')  # a fifth tile
    browser.wait(lambda: browser.values("#problems li", "data-place") == ["displays[0]"])
    browser.wait(lambda: "display 1" in browser.text("#problems"))
    browser.wait(lambda: len(browser.all('#table [data-at="D1"][data-tile]')) == 5)
    assert browser.all('#table [data-place="D1"].wrong')
    below = browser.script("return document.getElementById('problems').getBoundingClientRect().top"
                           " - document.getElementById('table').getBoundingClientRect().bottom")
    assert 0 <= below < 30
    assert browser.all('#editor [data-field="displays[0]"].wrong')
    assert not browser.one("#edit-done").is_enabled()
    told = browser.one("#problems li")
    browser.script(HOLD, "import", 1)
    browser.script("const one = document.querySelector('#editor [data-place=\"seats[0].score\"]');"
                   "one.value = '9'; one.dispatchEvent(new Event('input'))")
    browser.wait(lambda: browser.script("return late"))
    assert browser.script("return arguments[0].isConnected", told)  # it is not read out again
    browser.click("#problems button")
    browser.script("document.activeElement.blur?.()")
    body = browser.one("body")
    body.send_keys("uu")
    browser.wait(lambda: browser.all("#problems li") == [])
    assert not browser.all("#table .wrong")
    body.send_keys("b")
    browser.wait(lambda: browser.all('#choice [data-pick="B"][aria-pressed="true"]'))
    from selenium.webdriver.common.keys import Keys

    body.send_keys(Keys.ESCAPE)
    browser.wait(lambda: browser.all("#editor:not([hidden])") == [])
    browser.wait(lambda: browser.code == code_of(DRAFTING))


# -- puzzles ---------------------------------------------------------------------------------


def told_of(browser: Browser, options: Iterable[Option]) -> list[tuple[str, float, float]]:
    """Return words, chance in per cent and lead as told of the solution and the tempting move."""
    found = []
    for name, one in zip(("Best", "Tempting"), options, strict=True):
        words = re.search(rf"{name}: {re.escape(one.move)} (.*?) \(([0-9.]+) % to win, lead"
                          rf" ([\u2212+]?[0-9.]+)\)", browser.text("#train-told"))
        assert words
        found.append((words[1], float(words[2]), number(words[3])))
    return found


def test_a_puzzle_is_solved(browser: Browser, server: Server) -> None:
    """A wrong move is not played but judged; the right one is explained beside it."""
    puzzle = train(browser, server)
    place, _, _ = puzzle.tempting.move.partition(":")
    browser.click(f'#table [data-at="{place}"].clickable')
    browser.wait(lambda: browser.all("#choice .quiet"))
    browser.script(HOLD, "analyse")
    browser.click(f'#moves [data-move="{puzzle.tempting.move}"]')
    assert browser.all("#choice .quiet") == []  # nothing is half chosen any more
    browser.click(f'#table [data-at="{place}"].clickable')
    browser.wait(lambda: browser.script("return held.length"))
    browser.script("release()")
    browser.wait(lambda: "gives away" in browser.text("#status"))
    given = re.search("gives away ([0-9]+[.][0-9]) percentage points of the chance to win",
                      browser.text("#status"))
    assert given
    assert f"which level {puzzle.level} most often plays instead of the best." in browser.text(
        "#status")
    assert float(given[1]) == pytest.approx(
        100 * (puzzle.solution.win_prob - puzzle.tempting.win_prob), abs=15)
    assert browser.all("#choice .quiet")  # what was chosen since
    assert "tempting" in browser.text("#status")
    assert browser.code == puzzle.position
    assert browser.text("#train-told") == ""
    assert browser.all("#analysis [data-move]") == []  # which would tell
    browser.script("localStorage.setItem('pavilion-puzzles',"  # numbers, as up to version 0.5.0
                   " '{\"azul-grey-2\":[5],\"summer-coloured-2\":[199]}')")
    players = "document.querySelectorAll('#train-tools details select')[2].value = arguments[0]"
    browser.script(players, "3")  # chosen, but its puzzles have not come
    browser.script(HEARING)
    browser.click(f'#moves [data-move="{puzzle.solution.move}"]')
    browser.wait(lambda: "Right!" in browser.text("#status"))
    assert "Solved: 2 of" in browser.text("#train-progress")
    browser.script(players, "2")
    browser.wait(lambda: "Tempting:" in browser.text("#train-told"))
    why = browser.script("return answers.explain")  # a busy machine leaves out games
    with server.socket() as client:
        names = client.ask("puzzles", game="summer", board="coloured", players=2)["names"]
    found = told_of(browser, (puzzle.solution, puzzle.tempting))
    assert [words for words, _, _ in found] == [move["words"] for move in why["moves"]]
    shares = [share for _, share, _ in found]
    assert shares[0] - shares[1] == pytest.approx(float(given[1]), abs=1.1)  # of the same search
    assert why["cost"] in browser.text("#train-told")
    assert json.loads(browser.script("return localStorage.getItem('pavilion-puzzles')")) == {
        "azul-grey-2": [5], "summer-coloured-2": [names[199], names[0]]}
    assert browser.all("#table .best")
    assert browser.all("#table .played")
    browser.click("#next-puzzle")
    second = shipped("summer", "coloured", 2)[1]
    browser.wait(lambda: browser.code == second.position)
    browser.wait(lambda: "Solved: 2 of" in browser.text("#train-progress"))
    assert f", usually missed by levels 1 to {second.level}." in browser.text("#train-progress")
    settled(browser)
    browser.click(f'#moves [data-move="{second.solution.move}"]')
    browser.wait(lambda: "Right!" in browser.text("#status"))
    assert browser.code == second.position
    options = (second.solution, second.tempting)
    for (_, share, _), one in zip(browser.wait(lambda: told_of(browser, options)), options,
                                  strict=True):
        assert share == pytest.approx(100 * one.win_prob, abs=0.51)
    levels = [one.level for one in shipped("summer", "coloured", 2)]
    assert len(set(names)) == len(levels)
    middle = [place for place, level in enumerate(levels) if 4 <= level <= 6]
    browser.script("const kind ="
                   " [...document.querySelectorAll('#train-tools details select')].at(-1);"
                   "kind.value = 'medium'; kind.dispatchEvent(new Event('change'))")
    for number in [number for number, place in enumerate(middle, 1) if place > 1][:3]:
        browser.wait(lambda number=number: re.fullmatch(  # the one after, not the first
            f"Puzzle {number} of {len(middle)}, .* Solved: [0-2] of {len(middle)}[.]",
            browser.text("#train-progress")))
        browser.click("#next-puzzle")


def test_a_move_in_a_puzzle_that_waits_for_others_says_so(
    browser: Browser, server: Server
) -> None:
    """Until it is looked at, or another puzzle is shown."""
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0], said = [];
        const puzzle = { position: "code", solution: { move: "a" }, tempting: { move: "c" } };
        const training = { puzzle, page: { say: (text) => said.push(text) },
          engine: { query: (action, fields, interim) => {
            interim({ waiting: 1 });
            interim({ waiting: null });
            training.puzzle = null;
            interim({ waiting: 0 });
            return { answer: Promise.resolve({ moves: [] }) };
          } } };
        import("/static/train.js").then(async ({ Training }) => {
          await Training.prototype.answer.call(training, "b");
          done(said);
        });""")
    assert told == ["Looking at your move …", HELD_UP,
                    "Looking at your move …"]


def test_a_move_that_loses_little_solves_a_puzzle(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0], said = [];
        const answer = (training, win_prob) => training.prototype.answer.call({
          puzzle: { position: "code", solution: { move: "a" }, tempting: { move: "c" } },
          page: { say: (text) => said.push(text) },
          engine: { query: () => ({ answer: Promise.resolve({
            moves: [{ move: "b", win_prob }, { move: "a", win_prob: 0.5 }] }) }) },
          solved: () => said.push("solved"), reveal: (verdict) => said.push(verdict),
        }, "b");
        import("/static/train.js").then(async ({ Training }) => {
          await answer(Training, 0.485);
          await answer(Training, 0.475);
          done(said.filter((text) => !text.startsWith("Looking")));
        });""")
    assert told == ["solved", "That is about as good as the best move.",
                    "Not the best: it gives away 2.5 percentage points of the chance to win."
                    " Try again, or press Show solution."]


def test_a_search_that_makes_way_judges_no_move(browser: Browser, server: Server) -> None:
    """It is asked for once more; a level moves by the second one whatever becomes of it."""
    browser.open(server.url)
    told = browser.driver.execute_async_script("""
        const done = arguments[0], asked = [];
        const engine = (cut) => {
          let left = cut;
          return { query: (action) => {
            asked.push(action);
            const moves = [{ move: "b", win_prob: 0.5 }, { move: "a", win_prob: 0.5 }];
            return { answer: Promise.resolve({ moves, move: "a", made_way: left-- > 0 }) };
          } };
        };
        const tried = async (training, cut) => {
          const said = [];
          await training.prototype.answer.call({ engine: engine(cut),
            puzzle: { position: "code", solution: { move: "a" }, tempting: { move: "c" } },
            page: { say: (text) => said.push(text) },
            solved: () => said.push("solved"), reveal: () => {} }, "b");
          return said.at(-1);
        };
        const reviewed = async (review, cut) => {
          const node = { position: "code", moves: [] }, shown = new Set();
          const text = await review.prototype.answer.call({ engine: engine(cut),
            current: { ply: 1, node: { parent: node } }, trying: true, shown,
            judged: new Map([[1, { ply: 1, mark: "??", win_loss: 0.2, played: { move: "c" },
              moves: [{ move: "a", win_prob: 0.5, visits: 6 }] }]]),
            record: { start: "start" }, page: { say: () => {} }, markOf: ({ mark }) => mark,
          }, node, "b");
          return [text, shown.size];
        };
        const moved = (opponents) => new Promise((resolve) => {
          new opponents({ engine: engine(2), hints: { past: () => null },
            status: { text: "", say: () => {} },
            table: { choiceOf: resolve } }).move({ seats: ["default:level=10"], seed: 0 },
            { position: { to_move: 0 }, moves: [] });
        });
        Promise.all(["train", "review", "opponents"].map((one) => import(`/static/${one}.js`)))
          .then(async ([{ Training }, { Review }, { Opponents }]) => done([
            await tried(Training, 1), await tried(Training, 2), await reviewed(Review, 1),
            await reviewed(Review, 2), await moved(Opponents), asked]));""")
    cut = "Your move could not be judged, as another page waits for the engine: play it again."
    assert told == ["solved", cut, ["That is as good as the move the engine prefers.", 1],
                    [cut, 0], "a", 8 * ["analyse"] + 2 * ["choose"]]


def test_a_puzzle_makes_room_for_the_editor(browser: Browser, server: Server) -> None:
    """On a phone it stands above the board; it comes back when nothing was edited."""
    browser.size(390, 844)
    try:
        train(browser, server)
        assert browser.one("#stage > #train-card").is_displayed()
        browser.click("#edit")
        browser.one("#edit-done")
        assert not browser.one("#train-card").is_displayed()
        browser.press("\ue00c")  # escape
        browser.wait(lambda: browser.one("#train-card").is_displayed())
    finally:
        browser.size(1280, 900)
    browser.click("#edit")  # nor does it stay beside the board: it is about the position as it was
    browser.one("#edit-done")
    for part in ("#train-card", "#moves", "#share"):
        assert not browser.one(part).is_displayed()


def test_the_puzzle_asked_for_last_is_shown(browser: Browser, server: Server) -> None:
    """However late the others come; from the first moment a click is an answer."""
    puzzle = train(browser, server)
    browser.script("""
        const button = document.getElementById("next-puzzle");
        const kind = [...document.querySelectorAll("#train-tools details select")].at(-1);
        const table = document.getElementById("table");
        window.seen = [];
        new MutationObserver(() => {
            seen.push(table.dataset.code);
            document.querySelector("#moves [data-move]")?.click();
        }).observe(table, { attributes: true, attributeFilter: ["data-code"] });
        button.click();
        kind.value = "easy";
        kind.dispatchEvent(new Event("change"));
        button.click();
    """)
    browser.wait(lambda: browser.code != puzzle.position)
    told = ("gives away", "Right!", "about as good")
    browser.wait(lambda: any(words in browser.text("#status") for words in told))
    seen = browser.script("return seen")
    codes = [one.position for one in shipped("summer", "coloured", 2)]
    assert len(set(seen)) == 1
    assert seen[0] in codes
    assert seen[0] != puzzle.position
    browser.open(server.url)


def test_puzzles_of_a_variant_are_chosen_by_its_own_levels(
    browser: Browser, server: Server
) -> None:
    """Not by those of the variant before, if the next one is asked for at once."""
    train(browser, server)
    browser.script(HEARING)
    browser.script("""
        const fields = document.querySelectorAll("#train-tools details select");
        fields[2].value = "3";
        fields[2].dispatchEvent(new Event("change"));
        document.getElementById("next-puzzle").click();""")
    codes = {one.position for one in shipped("summer", "coloured", 3)}
    browser.wait(lambda: browser.code in codes)
    assert [one for one in browser.script("return asked") if one.startswith("puzzle")] == [
        "puzzles", "puzzles", "puzzle"]


def test_the_solution_of_a_puzzle_is_shown(browser: Browser, server: Server) -> None:
    """Then moves are played in lines beside it; another game ends the training."""
    puzzle = train(browser, server)
    browser.script("document.getElementById('solution').focus()")
    browser.press(Keys.ENTER)
    assert browser.focused("#next-puzzle")  # what was pressed is disabled
    browser.wait(lambda: "Tempting:" in browser.text("#train-told"))
    options = (puzzle.solution, puzzle.tempting)
    for (_, share, lead), one in zip(told_of(browser, options), options, strict=True):
        assert share == pytest.approx(100 * one.win_prob, abs=0.51)
        assert lead == pytest.approx(one.lead, abs=0.06)
    assert not browser.one("#solution").is_enabled()
    assert browser.text("#choice") == ""  # nobody is asked any more
    after = Play(puzzle.start())
    after.push(puzzle.solution.move)
    settled(browser)
    browser.play(puzzle.solution.move)
    if after.chance is None:
        assert browser.code == after.code()
    browser.click("#leave")
    browser.wait(lambda: browser.code == puzzle.position)
    browser.click("#new")
    browser.wait(lambda: browser.code != puzzle.position)
    assert not browser.one("#train-card").is_displayed()
    assert browser.text("#train-told") == browser.text("#train-progress") == ""


def test_own_mistakes_are_trained_on(browser: Browser, tmp_path: Path) -> None:
    """Those of a person, until they are solved; without any it is said how to get some."""
    def choose(field: int, value: str) -> None:
        browser.script("const one = document.querySelectorAll('#train-tools select')[arguments[0]];"
                       "one.value = arguments[1]; one.dispatchEvent(new Event('change'))",
                       field, value)

    def solve(what: str) -> None:
        choose(0, what)

    record = blundered()
    with serving(tmp_path) as server, server.socket() as client:
        train(browser, server)
        solve("mistakes")
        browser.wait(lambda: "Review a game" in browser.text("#status"))
        assert not browser.one("#train-tools details").is_displayed()
        assert not browser.all("#train-tools label")[1].is_displayed()
        found = client.ask("review", record=record.to_json(), sims=400)
        best = found["decisions"][0]["moves"][0]["move"]
        browser.click("#train")
        browser.wait(lambda: browser.text("#status")
                     == "Seat 1 (Ann) went wrong here. Find a better move: play it.")
        assert browser.code == format_position(record.start, "code")
        progress = browser.text("#train-progress")
        assert progress.startswith("Mistake 1 of 1, from level 3 \N{EN DASH} Ann, reviewed on ")
        assert progress.endswith(": round 4, ply 1. Solved: 0 of 1.")
        assert browser.all("#train-tools label")[1].text.split() == ["Player", "everybody", "Ann"]
        settled(browser)
        browser.click(f'#moves [data-move="{BLUNDER}"]')
        browser.wait(lambda: "gives away" in browser.text("#status"))
        assert "It is what was played in the game." in browser.text("#status")
        assert browser.code == format_position(record.start, "code")
        browser.click(f'#moves [data-move="{best}"]')
        browser.wait(lambda: "Right!" in browser.text("#status"))
        assert browser.text("#train-progress").endswith("Solved: 1 of 1.")
        browser.wait(lambda: f"Played: {BLUNDER}" in browser.text("#train-told"))
        assert f"Best: {best}" in browser.text("#train-told")
        assert browser.all("#table .best")
        assert browser.all("#table .played")
        names = client.ask("mistakes")["names"]
        assert json.loads(browser.script("return localStorage.getItem('pavilion-puzzles')")) == {
            "mistakes": names}
        solve("puzzles")
        browser.wait(lambda: "Puzzle 1 of 200" in browser.text("#train-progress"))
        assert browser.one("#train-tools details").is_displayed()
        people = [{**HUMAN_AGENT, "name": name} for name in ("Bob", "Ann")]
        both = Play(record.start, [*record.moves, "C:R>4"]).record(people)
        client.ask("review", record=both.to_json(), sims=400)
        browser.script("localStorage.setItem('pavilion-player', 'Ann')")
        solve("mistakes")
        browser.wait(lambda: browser.text("#status").startswith("Seat 1 (Ann) went wrong here."))
        assert browser.text("#train-progress").startswith("Mistake 1 of 1, ")
        choose(1, "Bob")
        browser.wait(lambda: browser.text("#status").startswith("Seat 0 (Bob) went wrong here."))
        assert browser.text("#train-progress").startswith("Mistake 1 of 1, ")
        assert browser.script("return localStorage.getItem('pavilion-player')") == "Bob"
        choose(1, "")
        browser.wait(lambda: "Mistake 2 of 2, " in browser.text("#train-progress"))
        browser.driver.get("about:blank")


# -- several games, files, giving up ----------------------------------------------------------


def test_one_of_several_games_is_chosen(browser: Browser, server: Server) -> None:
    records = [replace(cut_short(GAME, plies), id=f"cut at {plies}") for plies in (3, 6)]
    browser.open(server.url)
    drop(browser, {"games.jsonl.gz": gzip.compress("\n".join(
        json.dumps(record.to_json()) for record in records).encode("utf-16"))})
    browser.wait(lambda: len(browser.all("#found button")) == 2)
    counts = [sum(play.code is not None for play in Play.of(record).plies) for record in records]
    for number, count in enumerate(counts, 1):
        browser.wait(lambda: browser.script("return document.getElementById('found-card').open"))
        browser.click(f"#found li:nth-child({number}) button")
        browser.wait(lambda count=count: len(browser.all("#review [data-ply]")) == count)
        browser.wait(lambda: browser.focused("#found-title"))  # where the list unfolds again
        assert browser.values("#found button", "aria-pressed").index("true") == number - 1
        assert not browser.one("#found").is_displayed()
        assert browser.text("#found-title").startswith(f"{number} of 2 found: ")
        browser.press(Keys.ENTER)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_list_of_games_tells_results_and_stands_first(
    browser: Browser, server: Server, width: int
) -> None:
    players = ({"spec": "human", "version": "", "name": "Ann"}, {"spec": "greedy", "version": "1"})
    whole, short, tie = (replace(game, agents=players) for game in (GAME, cut_short(GAME, 3), TIE))
    ends = ["Summer Pavilion, Ann \N{EN DASH} greedy, " + " : ".join(map(str, record.scores))
            for record in (whole, short, tie)]
    browser.size(width, 844)
    try:
        browser.open(server.url)
        drop(browser, {"games.jsonl": "\n".join(
            json.dumps(record.to_json()) for record in (whole, short, tie)).encode()})
        browser.wait(lambda: browser.script("return document.getElementById('found-card').open"))
        told = [item.text for item in browser.all("#found button")]
        assert told == [f"{ends[0]}, greedy wins", f"{ends[1]}, unfinished",
                        f"{ends[2]}, Ann and greedy share the victory"]
        assert 0 < browser.script("return document.getElementById('found-card')"
                                  ".getBoundingClientRect().top") < 200
        if width < 900:
            order = browser.script("return [...document.querySelectorAll("
                                   "'#found-card, #review-card')].map((one) => one.id)")
            assert order == ["found-card", "review-card"]
        browser.click("#new")
        browser.wait(lambda: not browser.one("#found-card").is_displayed())
    finally:
        browser.size(1280, 900)


def test_several_files_are_dropped(browser: Browser, server: Server) -> None:
    browser.size(1280, 700)  # less than the stage
    browser.open(server.url)
    browser.click("#open")  # which scrolls far down
    drop(browser, {"one": DRAFTING.read_bytes(), "two": b"nonsense", "three": PLACING.read_bytes()})
    browser.wait(lambda: browser.code == code_of(DRAFTING))
    browser.wait(lambda: "two: " in browser.text("#problems"))
    assert "listed under Paste or open" in browser.text("#notes")
    told = browser.text("#problems")
    settled(browser)
    browser.play(browser.values("#moves [data-move]", "data-move")[0])
    browser.press("u")
    browser.wait(lambda: browser.code == code_of(DRAFTING))
    browser.press("e")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    assert browser.text("#problems") == ""  # there are none of what is edited
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    assert browser.text("#problems") == told
    assert "listed under Paste or open" in browser.text("#notes")
    assert 0 < browser.script("return document.getElementById('found-card')"
                              ".getBoundingClientRect().top") < 200
    browser.click("#found li:nth-child(2) button")
    browser.wait(lambda: browser.code == code_of(PLACING))
    for _ in range(2):  # the same one once more
        browser.one("#file").send_keys(str(DRAFTING))
        browser.wait(lambda: browser.code == code_of(DRAFTING))
        browser.wait(lambda: browser.one("#file").get_attribute("value") == "")


PASTE = """
const data = new DataTransfer();
data.setData("text", arguments[1]);
document.querySelector(arguments[0]).dispatchEvent(
  new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
"""


def test_what_is_pasted_anywhere_is_loaded(browser: Browser, server: Server) -> None:
    """Except where somebody writes."""
    browser.open(server.url)
    browser.script(PASTE, "#settings input", "nonsense")
    assert browser.one("#paste").get_attribute("value") == ""
    for place, path in (("body", PLACING), ("#file", DRAFTING), ("#settings select", BONUS)):
        browser.script(PASTE, place, code_of(path))
        browser.wait(lambda path=path: browser.code == code_of(path))


SHARED = {"link": "", "code": "code", "text": "text", "JSON": "json", "SVG": "svg"}
SAFARI = """
let clicking = false;
addEventListener("click", () => { clicking = true; }, true);
addEventListener("click", () => { clicking = false; });
for (const name of ["write", "writeText"]) {
  const real = navigator.clipboard[name].bind(navigator.clipboard);
  navigator.clipboard[name] = (...what) => clicking ? real(...what) : Promise.reject(new Error());
}
"""
"""Lets nothing onto the clipboard once a click is over."""


def test_a_position_is_copied(browser: Browser, server: Server) -> None:
    """In every form; where the browser does not allow it, to be copied by hand."""
    show(browser, server, DRAFTING)
    settled(browser)
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})

    def share(title: str) -> None:
        browser.script("[...document.querySelectorAll('#share button')]"
                       ".find((one) => one.textContent === arguments[0]).click()", title)

    forms = {}
    with server.socket() as client:
        for name, form in SHARED.items():
            answer = client.ask("show", position=code_of(DRAFTING), format=form or "json")
            forms[name] = answer["position"] if name == "JSON" else answer.get("text")
        alone = client.ask("show", position=code_of(DRAFTING), format="svg", alone=True)["text"]
    forms["link"] = f"{server.url}?position={code_of(DRAFTING)}"
    browser.script("navigator.clipboard.write = () => Promise.reject(new Error())")
    share("Copy link")
    browser.wait(lambda: browser.all("#dialog[open]"))
    assert browser.one("#dialog textarea").get_attribute("value") == forms["link"]
    assert "Copied" not in browser.text("#status")
    browser.click("#dialog button")
    browser.script(f"delete navigator.clipboard.write; {SAFARI}")
    for name, text in forms.items():
        share(f"Copy {name}")
        browser.wait(lambda name=name: browser.text("#status") == f"Copied {name}.")
        copied = browser.driver.execute_async_script(
            "navigator.clipboard.readText().then(arguments[0])")
        assert (json.loads(copied) if name == "JSON" else copied) == text
    browser.script("window.revoked = 0; URL.revokeObjectURL = () => { window.revoked += 1; }")
    assert written(browser, "Save picture") == alone
    assert not browser.script("return revoked")  # Safari may not have read it yet
    browser.script("delete navigator.clipboard.writeText; delete window.ClipboardItem")
    share("Copy text")  # as in browsers without items
    browser.wait(lambda: browser.text("#status") == "Copied text.")
    assert browser.driver.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0])") == forms["text"]


def test_a_file_that_is_no_game_is_named(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    drop(browser, {"shop\u202eping.txt": b"milk, bread"})  # which would turn round what follows
    browser.wait(lambda: browser.all("#problems li"))
    assert browser.text("#problems").startswith("shopping.txt: found 'milk, bread', expected ")
    assert all("/import" in error for error in browser.errors())  # the answer has status 400


@pytest.mark.parametrize(("record", "seats", "said"), [
    (GAME, ("human", LEVEL), "you lose"), (GAME, (LEVEL, "human"), "you win"),
    (GAME, ("human", "human"), "seat 1 wins"),
    (TIE, ("human", LEVEL), "you and seat 1 share the victory"),
    (OF_THREE, ("human", LEVEL, LEVEL), "seat 2 wins"),
])
def test_the_end_says_who_has_won(
    browser: Browser, server: Server, record: GameRecord, seats: tuple[str, ...], said: str
) -> None:
    game = record.to_json()
    with server.socket() as client:
        client.ask("save", game="ended", start=game["start"], moves=game["moves"], seed=3,
                   agents=seats, stamp=client.ask("open", game="ended").get("stamp", ""))
    go_on_with(browser, server, "ended")
    scores = ", ".join(f"seat {seat} {score}" for seat, score in enumerate(record.scores))
    browser.wait(lambda: "The game is over" in browser.text("#status"))
    assert f"The game is over, {said}: {scores}." in browser.text("#status")
    alone = seats.count("human") == 1  # else nobody at the screen is "you"
    assert ("you" in browser.text("#table .seat")) == (alone and seats[0] == "human")
    assert ("level 3" in browser.text("#table .seat")) == (seats[0] != "human")
    if record.moves:
        browser.click("#undo")
        browser.wait(lambda: "The game is over" not in browser.text("#status"))
        assert not browser.one("#resign").is_displayed()  # nobody can give it up any more


def test_a_finished_game_stays_as_it_is(browser: Browser, server: Server) -> None:
    """What is played after one has looked back is another game; what cannot be kept is told."""
    start, moves, seed = GAME.to_json()["start"], list(GAME.moves), 10**15 - 1
    with server.socket() as client:
        client.ask("save", game="whole", start=start, moves=moves, seed=seed,
                   agents=("human", "human"),
                   stamp=client.ask("open", game="whole").get("stamp", ""))
        go_on_with(browser, server, "whole")
        browser.wait(lambda: "The game is over" in browser.text("#status"))
        ended = browser.code
        browser.script(HEARING)
        assert json.loads(written(browser, "Save game"))["moves"] == moves
        assert "save" not in browser.script("return asked")  # it is kept
        browser.click("#log button")  # the start
        browser.wait(lambda: browser.code != ended and browser.all("#moves [data-move]:enabled"))
        settled(browser)
        one, other = [move for move in browser.values("#moves [data-move]", "data-move")
                      if move != moves[0]][:2]
        browser.play(one)
        browser.wait(lambda: kept_last(server)["moves"] == [one])
        assert kept_last(server)["seed"] == seed
        assert client.ask("open", game="whole")["record"]["moves"] == moves
    browser.script("""
        const send = WebSocket.prototype.send;
        WebSocket.prototype.send = function (text) {
          return send.call(this, text.replace('"action":"save"', '"action":"save?"'));
        };
        window.made = 0;
        URL.createObjectURL = () => { made += 1; };""")
    shown = browser.code
    browser.click("#undo")
    browser.wait(lambda: browser.code != shown)
    settled(browser)
    browser.play(other)
    browser.wait(lambda: browser.text("#status").startswith("Not saved: "))
    browser.script("[...document.querySelectorAll('#share button')].at(-1).click()")
    browser.wait(lambda: "The game must be saved before" in browser.text("#status"))
    assert browser.script("return made") == 0


def test_a_log_that_is_cut_is_called_that(browser: Browser, server: Server) -> None:
    """Whoever drops a log that ends early sees so above its review, as long as it is shown."""
    log = sample("azul_grey_2p.cut.json")
    browser.open(server.url)
    drop(browser, {"cut.json": log.encode()})
    browser.wait(lambda: browser.all("#ends-early"))
    assert browser.text("#ends-early") == (
        "The record ends early, after 46 moves: the game had not ended there.")
    assert "person" not in browser.text("#table")  # nobody of this screen
    browser.size(390, 844)
    try:
        drop(browser, {"whole.json": sample("azul_coloured_2p.json").encode()})
        browser.wait(lambda: not browser.all("#ends-early"))
        # The review of a narrow page is above the board, short, and with one button for each thing.
        assert browser.one("#stage > #review-card").size["height"] < 400
        assert browser.script("return [...document.querySelectorAll('button')]"
                              ".filter(e => e.textContent === 'Next mistake').length") == 1
    finally:
        browser.size(*DEFAULT_SIZE)


def test_names_of_players_are_kept_if_that_is_ticked(browser: Browser, server: Server) -> None:
    """Of what is pasted and of files; the browser remembers it."""
    def told() -> str:
        browser.wait(lambda: browser.all("#review-tools select"))
        return browser.text("#review-tools select")

    box, log = "#paste-card [type=checkbox]", sample("azul_coloured_2p.json")
    browser.open(server.url, "localStorage.removeItem('pavilion-names')")
    paste(browser, log)
    assert told() == "everybodyseat 0seat 1"
    browser.activate(box)  # the review moves it
    paste(browser, log)
    browser.wait(lambda: told() == "everybodyseat 0 (Player A)seat 1 (Player B)")
    browser.open(server.url)
    drop(browser, {"log.json": log.encode()})
    assert told() == "everybodyseat 0 (Player A)seat 1 (Player B)"
    browser.activate(box)  # the review moves it
    assert browser.script("return localStorage.getItem('pavilion-names')") == ""


def test_a_person_gives_up(browser: Browser, server: Server) -> None:
    """The game is kept with its reason, nobody moves any more, and it can be reviewed."""
    browser.open(server.url)
    before = browser.code
    browser.script("[...document.querySelectorAll('[data-seat-agent]')].map((one, seat) => {"
                   " one.value = ['default:level=1', 'human'][seat]; })")
    browser.click("#new")
    browser.wait(lambda: browser.code != before)
    browser.wait(lambda: browser.all("#resign:enabled:not([hidden])"))
    said = browser.text("#status")
    browser.click("#resign")  # asks first
    browser.click("#choice button:not(#resign-yes)")
    assert browser.all("#resign-yes") == []
    assert browser.text("#status") == said

    def resigns() -> None:
        browser.click("#resign")
        browser.click("#resign-yes")
        browser.wait(lambda: "has resigned" in browser.text("#status"))
        assert not browser.one("#resign").is_displayed()
        assert not browser.one("#hint").is_enabled()
        assert browser.all("#moves [data-move]:enabled, #table .clickable") == []
        browser.script("document.querySelectorAll('#table .market [data-at]').forEach("
                       "(one) => one.dispatchEvent(new MouseEvent('click')))")
        assert browser.all("#table .lit") == []
        assert not browser.one("#table .turn").is_displayed()

    resigns()
    code = browser.code
    browser.wait(lambda: "seat 1 resigned" in browser.text("#saved li"))
    browser.click("#continue")
    browser.wait(lambda: browser.all("#moves [data-move]:enabled"))
    browser.wait(lambda: "resigned" not in browser.text("#saved li"))
    assert "resigned" not in browser.text("#status")
    resigns()
    assert browser.code == code
    browser.click("#analyse")
    browser.script(HOLD, "analyse")  # the rows stay
    browser.play(browser.one("#analysis [data-move]").get_attribute("data-move"), "#analysis")
    browser.wait(lambda: "to move. You are trying a line" in browser.text("#status"))
    assert "resigned" not in browser.text("#status")
    assert browser.one("#hint").is_enabled()
    assert browser.one("#table .turn").is_displayed()
    browser.play(browser.one("#moves [data-move]").get_attribute("data-move"))  # it goes on
    browser.click("#leave")
    browser.wait(lambda: "has resigned" in browser.text("#status"))
    browser.click("#analyse")
    with server.socket() as client:
        browser.wait(lambda: client.ask("saved")["games"][0]["reason"] == "seat 1 resigned")
        assert client.ask("saved")["games"][0]["winners"] == [0]
    browser.driver.refresh()
    browser.wait(lambda: browser.code == code)
    browser.wait(lambda: "has resigned" in browser.text("#status"))
    browser.wait(lambda: browser.all("#choice .strong"))
    browser.size(390, 844)
    try:  # on a phone the person's board is the first one
        browser.wait(lambda: browser.script(
            "const [first, second] = ['0', '1'].map((seat) => document.querySelector("
            " `#table .seat[data-seat='${seat}']`).getBoundingClientRect().top);"
            "return second < first"))
    finally:
        browser.size(*DEFAULT_SIZE)
    paste(browser, code_of(DRAFTING))  # another game is not given up
    browser.wait(lambda: browser.code == code_of(DRAFTING))
    assert "resigned" not in browser.text("#status")


def test_a_newcomer_is_told_what_to_do(browser: Browser, server: Server) -> None:
    for position in ("bad", "summer.1.bad"):
        browser.open(f"{server.url}?position={position}")
        browser.wait(lambda: "the link cannot be opened: " in browser.text("#notes"))
        assert browser.text("#notes").endswith(
            f"found '{position}' at the beginning, expected GAME.VERSION.BOARD.PLAYERS with"
            " summer.1, azul.1")  # and nothing that is no link
    assert "[" not in browser.text("#notes")  # no inner name of the problem
    assert 0 <= browser.script("return document.getElementById('notes').getBoundingClientRect().top"
                               ) < DEFAULT_SIZE[1] / 2
    browser.open(server.url, "localStorage.clear()")
    assert browser.text("#notes") == ""
    browser.wait(lambda: browser.one("#welcome").is_displayed())
    settled(browser)
    browser.click("#play")  # leads to what is chosen, and leaves what is offered
    assert browser.one("#welcome").is_displayed()
    assert browser.script("return getComputedStyle(document.getElementById('setup')).boxShadow") \
        != "none"
    browser.play(browser.values("#moves [data-move]", "data-move")[0])
    assert not browser.one("#welcome").is_displayed()
    for control in ("two", "versus"):
        browser.open(server.url, "localStorage.clear()")
        browser.wait(lambda: browser.one("#welcome").is_displayed())
        settled(browser)
        browser.script("document.getElementById(arguments[0]).focus()", f"welcome-{control}")
        browser.press(Keys.ENTER)
        browser.wait(lambda: not browser.one("#welcome").is_displayed())
        browser.wait(lambda: browser.focused("#table .clickable"), patience=60)
    assert "Your turn." in browser.text("#status")
    assert browser.driver.title == "Your turn \N{EN DASH} pavilion-ai"
    settled(browser)
    browser.click("#edit")
    browser.wait(lambda: browser.one("#edit-done").is_enabled())
    assert browser.driver.title == "pavilion-ai"
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: browser.driver.title == "Your turn \N{EN DASH} pavilion-ai")


def test_the_header_leads_the_keyboard_where_it_leads_the_eye(
    browser: Browser, server: Server
) -> None:
    show(browser, server, DRAFTING)
    settled(browser)
    for control, goal in (("play", "#setup > summary"), ("think", "#analyse"), ("open", "#paste")):
        browser.script("document.getElementById(arguments[0]).focus()", control)
        browser.press(Keys.ENTER)
        assert browser.focused(goal)
    browser.size(1280, 800)
    browser.click("#analyse")  # which stops
    browser.script("scrollTo(0, 0); document.activeElement.blur()")
    browser.press("a")
    browser.wait(lambda: browser.all("#analysis [data-move]"))
    where = "return document.getElementById(arguments[0]).getBoundingClientRect().toJSON()"
    assert browser.script(where, "analysis-card")["top"] > 0
    assert browser.script(where, "analysis-card")["bottom"] < 800 + 20
    browser.press("t")
    browser.wait(lambda: browser.one("#train-card").is_displayed())
    browser.wait(lambda: 0 <= browser.script(where, "train-card")["top"] < 100)


# -- how it is shown and said ----------------------------------------------------------------


def test_draws_are_shown(browser: Browser, server: Server) -> None:
    """The tiles that were drawn appear; the words name them."""
    position = show(browser, server, BONUS)
    settled(browser)
    browser.click("#analyse")
    move = rules_of(position).legal_moves(position)[0]
    browser.play(move)
    browser.wait(lambda: "The supply receives " in browser.text("#status"))
    drawn = browser.text("#status").partition("The supply receives ")[2].partition(".")[0]
    letters = "".join(int(count) * name[0].upper()
                      for count, name in re.findall("([0-9]+) (?:wild )?([a-z]+)", drawn))
    assert letters
    browser.wait(lambda: sorted(browser.values("#table .supply .drawn", "data-tile"))
                 == sorted(letters))


def test_draws_are_steps_of_their_own(browser: Browser, server: Server) -> None:
    """First what was played, then what is drawn after it; also when the game is stepped through."""
    position = show(browser, server, BONUS)
    settled(browser)
    browser.click("#analyse")
    browser.script("document.querySelector('#settings [type=checkbox]').click()")
    rules = rules_of(position)
    move = rules.legal_moves(position)[0]
    before = format_position(rules.apply(position, move), "code")

    def stepped() -> None:
        browser.wait(lambda: browser.code == before)
        assert browser.all("#moves [data-move]") == []
        assert "Next, tiles are drawn." in browser.text("#status")
        browser.click("#choice button")
        browser.wait(lambda: browser.table("phase") == "place")
        assert "The supply receives " in browser.text("#status")
        assert browser.all("#table .supply .drawn")

    browser.click(f'#moves [data-move="{move}"]')
    stepped()
    browser.click("#undo")
    browser.wait(lambda: browser.code == code_of(BONUS))
    browser.click("#redo")
    stepped()
    browser.open(server.url)  # the choice is kept
    assert browser.script("return document.querySelector('#settings [type=checkbox]').checked")
    browser.script("document.querySelector('#settings [type=checkbox]').click()")
    browser.open(server.url)
    assert not browser.script("return document.querySelector('#settings [type=checkbox]').checked")


def test_draws_are_steps_of_a_recorded_game(browser: Browser, server: Server) -> None:
    """Forwards and back by the arrow keys, in a review; *Undo* passes over them."""
    record = cut_short(GAME, 60)
    drawn = next(number for number, move in enumerate(record.moves) if move.startswith("supply:"))
    codes = [play.code() for play in walk(record)]
    browser.open(server.url)
    paste(browser, json.dumps(record.to_json()))
    browser.wait(lambda: browser.all(f'#review [data-ply="{drawn}"]'))
    assert browser.all(f'#review [data-ply="{drawn + 1}"]') == []  # no decision
    browser.activate(f'#review [data-ply="{drawn}"]')
    browser.wait(lambda: browser.code == codes[drawn - 1])
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    browser.wait(lambda: browser.code == codes[drawn])
    assert browser.table("phase") == "supply"
    browser.wait(lambda: "Next, tiles are drawn." in browser.text("#status"))
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(lambda: browser.code == codes[drawn + 1])
    browser.wait(lambda: "The supply receives " in browser.text("#status"))
    browser.wait(lambda: browser.all("#table .supply .drawn"))
    browser.press(Keys.ARROW_LEFT)
    browser.wait(lambda: browser.code == codes[drawn])
    browser.click("#choice button")
    browser.wait(lambda: browser.code == codes[drawn + 1])
    browser.click("#undo")
    browser.wait(lambda: browser.code == codes[drawn - 1])


def looks(browser: Browser, kind: str) -> tuple[str, str, str]:
    """Return colour, dashes and width of the outline of a space."""
    return tuple(browser.script(
        "const shape = document.querySelector(`#table .space${arguments[0]} > :nth-child(2)`);"
        "const { stroke, strokeDasharray, strokeWidth } = getComputedStyle(shape);"
        "return [stroke, strokeDasharray, strokeWidth]", kind))


def test_a_marked_space_is_told_from_those_that_can_be_clicked(
    browser: Browser, server: Server
) -> None:
    """By its colour, and without: dashed for the best move, dotted for what is one tile short."""
    show(browser, server, PLACING)
    browser.wait(lambda: browser.all("#table .short"))
    browser.click("#analyse")
    free, short, free_and_short = (looks(browser, kind) for kind in (
        ".clickable:not(.short)", ".short:not(.clickable)", ".clickable.short"))
    assert free_and_short == (free[0], *short[1:])
    browser.click("#hint")
    browser.wait(lambda: browser.all("#table .space.best"))
    found = [free, short, looks(browser, ".best")]
    assert len({colour for colour, *_ in found}) == 3, found
    assert len({dashes for _, dashes, _ in found}) == 3


@pytest.mark.parametrize("path", [PLACING, AZUL_WALL], ids=lambda path: path.name)
def test_no_mark_of_a_space_is_covered(browser: Browser, server: Server, path: Path) -> None:
    """That of the keyboard differs in colour from what can be clicked, and is twice as thick."""
    show(browser, server, path)
    browser.wait(lambda: browser.all("#table .short"))
    browser.script("document.getElementById('table').focus()")
    browser.press(Keys.TAB)
    browser.wait(lambda: browser.focused("#table .space.clickable"))
    focus, free = (looks(browser, kind) for kind in (
        ".clickable:focus", ".clickable:not(:focus, .short)"))
    assert focus[0] != free[0]
    assert focus[1] == "none"
    assert float(focus[2].removesuffix("px")) > 2 * float(free[2].removesuffix("px"))
    covered, marked = browser.script("""
        const covered = [], marked = [...document.querySelectorAll(
          "#table .board :is(.clickable, .short)")];
        for (const one of marked) {
          const shape = one.children[1], toOwn = shape.getScreenCTM().inverse();
          const { left, right, top, bottom } = shape.getBoundingClientRect();
          for (let x = left - 5; x < right + 5; x++) for (let y = top - 5; y < bottom + 5; y++) {
            if (!shape.isPointInStroke(new DOMPoint(x, y).matrixTransform(toOwn))) continue;
            const above = document.elementFromPoint(x, y)?.closest(".space, .tile");
            if (above && above !== one) covered.push([one.dataset.at, above.dataset.at]);
          }
        }
        return [covered, marked.length];""")
    assert marked > 3
    assert covered == []


@pytest.mark.parametrize("editing", [False, True], ids=["playing", "editing"])
@pytest.mark.parametrize("path", [PLACING, AZUL_WALL], ids=lambda path: path.name)
def test_a_marked_space_is_hit_up_to_its_edges(
    browser: Browser, server: Server, path: Path, editing: bool
) -> None:
    """Its mark lies within it. A pointer that rests at an edge comes only once."""
    (edit if editing else show)(browser, server, path)
    browser.wait(lambda: browser.all("#table .board .clickable"))
    browser.script("document.getElementById('table').scrollIntoView()")
    edges, missed, outside = browser.script("""
        const { bottom: top } = document.getElementById("prompt").getBoundingClientRect();
        const edges = [], missed = [], outside = [];
        for (const one of document.querySelectorAll("#table .board .clickable")) {
          const box = one.getBoundingClientRect(), toOwn = one.getScreenCTM().inverse();
          const y = Math.round((box.top + box.bottom) / 2);
          if (box.top < top || box.bottom > innerHeight) continue;
          const inside = (x) =>
            one.children[1].isPointInFill(new DOMPoint(x, y).matrixTransform(toOwn));
          for (let x = Math.floor(box.left); x < box.right; x++) {
            if (!inside(x) && (inside(x - .6) || inside(x + .6))) outside.push([x, y]);
            if (!inside(x) || (inside(x - 2) && inside(x + 2))) continue;
            edges.push([x, y]);
            if (document.elementFromPoint(x, y).closest(".clickable") !== one) missed.push([x, y]);
          }
        }
        document.addEventListener("pointerover", () => window.overs++);
        return [edges, missed, outside];""")
    assert len(edges) > 8
    assert missed == []
    if not editing:
        return
    mouse = ActionChains(browser.driver, duration=0)
    frames = "requestAnimationFrame(() => requestAnimationFrame(arguments[arguments.length - 1]))"
    for x, y in edges[::len(edges) // 8] + outside[:8]:
        mouse.w3c_actions.pointer_action.move_to_location(2, 2)
        mouse.perform()
        browser.script("window.overs = 0")
        mouse.w3c_actions.pointer_action.move_to_location(x, y)
        mouse.perform()
        for _ in range(3):
            browser.driver.execute_async_script(frames)
        assert browser.script("return overs") == 1, (x, y)


@pytest.mark.parametrize("path", [DRAFTING, AZUL_DRAFT], ids=lambda path: path.stem)
def test_a_finger_hits_a_tile_of_a_display_on_a_phone(
    browser: Browser, server: Server, path: Path
) -> None:
    """In its quarter of it, 24 pixels wide at least; what is edited is put beside it."""
    hit = """
        const missed = [], tiles = [...document.querySelectorAll("#table .display .tile")];
        for (const one of tiles) {
          one.scrollIntoView({ block: "center" });
          const { left, right, top, bottom } = one.getBoundingClientRect();
          const [x, y] = [(left + right) / 2, (top + bottom) / 2];
          for (const [dx, dy] of [[0, 0], [11, 11], [-11, 11], [11, -11], [-11, -11]]) {
            const found = document.elementFromPoint(x + dx, y + dy);
            if (found.closest(".tile") !== one) missed.push(x);
          }
        }
        return [tiles.length, missed.length];"""
    show(browser, server, path)
    settled(browser)
    browser.size(390, 844)
    browser.wait(lambda: browser.script("return document.querySelector('#table svg')"
                                        ".viewBox.baseVal.width") < 700)
    assert browser.script(hit) == [12, 0]
    browser.click("#edit")
    browser.wait(lambda: browser.all("#edit-done:enabled"))
    assert browser.script(hit)[1] > 12
    browser.click("#edit-cancel")


def test_every_tile_and_space_has_a_sentence(browser: Browser, server: Server) -> None:
    for path in (PLACING, AZUL_DRAFT):
        show(browser, server, path)
        settled(browser)
        names = browser.script("return [...document.querySelectorAll('#table [data-at]')]"
                               ".map((one) => one.querySelector('title').textContent)")
        assert len(names) > 100
        assert all(names)
        assert any(name.startswith("display 1: ") for name in names) == (path == AZUL_DRAFT)
        assert not any(re.match("(D[0-9]|C): ", name) for name in names)
        assert all(role in ("img", "button") for role in browser.values("#table .tile", "role"))
    assert sum(name.startswith("seat 1, wall 1.1: ") for name in names) == 1


# -- speed -----------------------------------------------------------------------------------


def test_the_analysis_is_updated_while_it_thinks(browser: Browser, server: Server) -> None:
    """Each report changes the summary; the interval is measured by `tools/web_speed.py`."""
    show(browser, server, DRAFTING)
    browser.wait(lambda: browser.all("#analysis [data-move]"))
    seen: set[str] = set()
    browser.wait(lambda: seen.add(browser.text("#analysis-summary")) or len(seen) >= 4)
    assert browser.text("#analyse") == "Stop"
    browser.click("#analyse")
    browser.wait(lambda: browser.text("#analyse") == "Analyse")
    found = browser.text("#analysis-summary")
    assert "…" not in found
    press = "const one = document.getElementById('analyse'); one.click(); one.click();"
    browser.script(press)  # on, and off before anything is found
    assert browser.text("#analysis-summary") == found
    browser.play(browser.values("#moves [data-move]", "data-move")[0])
    browser.script(press)
    assert browser.text("#analysis-summary") == ""


def test_a_board_fits_the_table_on_which_it_arrives(browser: Browser, server: Server) -> None:
    """Though a telephone was turned while it was being drawn."""
    browser.open(server.url)
    paste(browser, json.dumps(cut_short(GAME, 3).to_json()))
    browser.wait(lambda: browser.all("#review-anew:not([hidden])"))
    widths = "return document.querySelector('#table svg').viewBox.baseVal.width"
    wide, before = browser.script(widths), browser.code
    browser.script(HOLD, "view")
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(lambda: browser.script("return held.length"))
    try:
        browser.size(390, 844)
        browser.script("release()")
        browser.wait(lambda: browser.code != before)
        assert browser.script(widths) < wide
    finally:
        browser.size(*DEFAULT_SIZE)


def test_what_is_known_stays_when_the_table_is_drawn_anew(browser: Browser, server: Server) -> None:
    """In other colours, or with another number of boards side by side: a telephone is turned."""
    show(browser, server, PLACING)
    browser.wait(lambda: browser.values("#analysis [data-move]", "data-move"))
    browser.wait(lambda: browser.all("#table .short"))
    browser.click("#analyse")
    browser.wait(lambda: browser.text("#analyse") == "Analyse")
    browser.click("#hint")
    browser.wait(lambda: browser.all("#table .best"))
    browser.click("#hint")
    browser.wait(lambda: browser.all("#choice .reasons"))
    settled(browser)
    said, rows, choice = map(browser.text, ("#status", "#analysis", "#choice"))
    assert "Pass" in choice

    browser.script("document.querySelector('#table svg').dataset.old = 'true'")
    try:
        browser.size(390, 844)
        browser.wait(lambda: browser.all("#table svg:not([data-old])"))
        browser.wait(lambda: browser.all("#table .best") and browser.all("#table .short"))
        assert browser.text("#status") == said
        assert browser.text("#analysis") == rows
        assert browser.text("#choice") == choice
        shape = "return document.querySelector('#table svg').getAttribute('viewBox')"
        narrow = browser.script(shape)
        browser.script("""
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) { // wide drawings come late
              if (JSON.parse(text).columns !== 2) return send.call(this, text);
              window.asked = true;
              setTimeout(() => { send.call(this, text); window.sent = true; }, 300);
            };""")
        browser.size(*DEFAULT_SIZE)
        browser.wait(lambda: browser.script("return window.asked"))
        browser.size(390, 844)
        browser.wait(lambda: browser.script("return window.sent"))
        time.sleep(0.3)
        assert browser.script(shape) == narrow
    finally:
        browser.size(*DEFAULT_SIZE)
