"""The page in a real browser: analysing, editing on the drawing, puzzles, several games, files."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.games import rules_of
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.play import Play, walk
from pavilion_ai.puzzles import shipped
from pavilion_ai.render import one_short
from tests.cli.support import (
    AZUL_DRAFT,
    BONUS,
    DRAFTING,
    PLACING,
    RECORD,
    cut_short,
)
from tests.web.browser import DEFAULT_SIZE, Browser, needs_browser
from tests.web.support import Server
from tests.web.test_page import code_of, paste, settled, show

needs_browser()
from selenium.webdriver.common.keys import Keys  # noqa: E402

LOGS = Path(__file__).parents[1] / "data" / "bga"

GAME = RECORD


def edit(browser: Browser, server: Server, path: Path) -> Any:
    """Open the editor on an example; return its position."""
    position = show(browser, server, path)
    settled(browser)
    browser.click("#edit")
    browser.wait(lambda: browser.one("#edit-done").is_enabled())
    browser.wait(lambda: browser.all('#table .clickable[aria-label^="seat 0"]'))
    return position


def press(browser: Browser, selector: str) -> None:
    """Click on a part of the drawing that may lie below others or outside the window."""
    browser.wait(lambda: browser.script(
        "const e = document.querySelector(arguments[0]); if (!e?.onclick) return false;"
        "e.dispatchEvent(new MouseEvent('click', {bubbles: true})); return true;", selector))


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
    for row in browser.all("#outlook [data-seat-parts]"):
        total, *parts = [float(cell.text) for cell in row.find_elements("css selector", "td")]
        assert total == pytest.approx(sum(parts), abs=2)
    marked = {(int(element.find_element("xpath", "ancestor::*[@data-seat]")
                   .get_attribute("data-seat")), element.get_attribute("data-at"))
              for element in browser.all("#table .short")}
    assert marked == {(lack.seat, lack.place) for lack in one_short(position)}


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
    browser.click("#log .line > .quiet")
    browser.wait(lambda: len(browser.all("#log .line")) == lines - 1)


# -- editing ---------------------------------------------------------------------------------


def test_tiles_are_put_and_taken_on_the_drawing(browser: Browser, server: Server) -> None:
    """The bag holds what remains; a colour that is printed on a space is put there by itself."""
    position = edit(browser, server, DRAFTING)
    browser.click('#choice [data-pick="R"]')
    press(browser, '#table [data-place="D4"]')
    browser.wait(lambda: browser.all('#table [data-at="D4"][data-tile="R"]'))
    press(browser, '#table .market [data-at="D1"][data-tile="P"]')
    browser.wait(lambda: not browser.all('#table [data-at="D1"][data-tile="P"]'))
    press(browser, '#table [data-seat="1"] [data-at="W.3"]')
    browser.wait(lambda: browser.all('#table [data-seat="1"] [data-at="W.3"][data-tile="P"]'))
    press(browser, '#table [data-seat="0"] [data-place="hand"]')
    browser.wait(lambda: browser.all('#table [data-seat="0"] [data-at="hand"][data-tile="R"]'))
    found = accepted(browser)
    assert found.displays[3] == (0, 0, 0, 0, 0, 1)
    assert found.displays[0][0] == position.displays[0][0] - 1
    assert found.seats[1].stars[0][2] == "P"
    assert found.seats[0].hand[5] == position.seats[0].hand[5] + 1
    assert found.bag[5] == position.bag[5] - 2
    assert found.tower == position.tower


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
    press(browser, f'{seat} [data-at="wall 1.4"][data-tile]')
    browser.wait(lambda: browser.all(f'{seat} .space[data-at="wall 1.4"]'))
    browser.click("#edit-undo")
    browser.wait(lambda: browser.all(f'{seat} [data-at="wall 1.4"][data-tile]'))
    found = accepted(browser)
    assert found.seats[1].floor == "R"
    assert sum(found.seats[1].lines[2]) == sum(position.seats[1].lines[2]) + 1
    assert found.seats[1].wall[0] == "BYRK."


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
    browser.click("#problems button")
    browser.script("document.activeElement.blur?.()")
    body = browser.one("body")
    body.send_keys("u")
    browser.wait(lambda: browser.all("#problems li") == [])
    assert not browser.all("#table .wrong")
    body.send_keys("b")
    browser.wait(lambda: browser.all('#choice [data-pick="B"][aria-pressed="true"]'))
    from selenium.webdriver.common.keys import Keys

    body.send_keys(Keys.ESCAPE)
    browser.wait(lambda: browser.all("#editor:not([hidden])") == [])
    browser.wait(lambda: browser.code == code_of(DRAFTING))


# -- puzzles ---------------------------------------------------------------------------------


def train(browser: Browser, server: Server) -> Any:
    """Open the first puzzle; return it."""
    browser.open(server.url)
    browser.script("localStorage.removeItem('pavilion-puzzles')")
    puzzle = shipped("summer", "coloured", 2)[0]
    browser.click("#train")
    browser.wait(lambda: browser.code == puzzle.position)
    browser.wait(lambda: "clearly best" in browser.text("#status"))
    settled(browser)
    return puzzle


def test_a_puzzle_is_solved(browser: Browser, server: Server) -> None:
    """A wrong move is not played but judged; the right one is explained beside it."""
    puzzle = train(browser, server)
    place, _, _ = puzzle.tempting.move.partition(":")
    browser.click(f'#table [data-at="{place}"].clickable')
    browser.wait(lambda: browser.all("#choice .quiet"))
    browser.click(f'#moves [data-move="{puzzle.tempting.move}"]')
    browser.wait(lambda: "gives away" in browser.text("#status"))
    assert browser.all("#choice .quiet") == []  # nothing is half chosen any more
    assert "tempting" in browser.text("#status")
    assert browser.code == puzzle.position
    assert browser.text("#train-told") == ""
    browser.click(f'#moves [data-move="{puzzle.solution.move}"]')
    browser.wait(lambda: "Right!" in browser.text("#status"))
    browser.wait(lambda: "Tempting:" in browser.text("#train-told"))
    assert "to win" in browser.text("#train-told")
    assert browser.all("#table .best")
    assert browser.all("#table .played")
    browser.click("#next-puzzle")
    second = shipped("summer", "coloured", 2)[1]
    browser.wait(lambda: browser.code == second.position)
    browser.wait(lambda: "Solved: 1 of" in browser.text("#train-progress"))


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
    assert not browser.one("#train-card").is_displayed()
    assert not browser.one("#moves").is_displayed()


def test_the_puzzle_asked_for_last_is_shown(browser: Browser, server: Server) -> None:
    """However late the others come; from the first moment a click is an answer."""
    puzzle = train(browser, server)
    browser.script("""
        const button = document.getElementById("next-puzzle");
        const kind = [...document.querySelectorAll("#train-tools select")].at(-1);
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


def test_the_solution_of_a_puzzle_is_shown(browser: Browser, server: Server) -> None:
    """Then moves are played in lines beside it; another game ends the training."""
    puzzle = train(browser, server)
    browser.click("#solution")
    browser.wait(lambda: "Tempting:" in browser.text("#train-told"))
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


# -- several games, files, giving up ----------------------------------------------------------


def drop(browser: Browser, files: dict[str, bytes]) -> None:
    """Drop files on the page."""
    browser.script(
        "const data = new DataTransfer();"
        "for (const [name, bytes] of arguments[0])"
        "  data.items.add(new File([new Uint8Array(bytes)], name));"
        "document.body.dispatchEvent(new DragEvent('drop',"
        "  {dataTransfer: data, bubbles: true, cancelable: true}))",
        [[name, list(content)] for name, content in files.items()])


def test_one_of_several_games_is_chosen(browser: Browser, server: Server) -> None:
    records = [cut_short(GAME, plies) for plies in (3, 6)]
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
    players = ({"spec": "human", "name": "Ann"}, {"spec": "greedy"})
    whole, short = (replace(game, agents=players) for game in (GAME, cut_short(GAME, 3)))
    ends = ["Summer Pavilion, Ann \N{EN DASH} greedy, " + " : ".join(map(str, record.scores))
            for record in (whole, short)]
    browser.size(width, 844)
    try:
        browser.open(server.url)
        drop(browser, {"games.jsonl": "\n".join(
            json.dumps(record.to_json()) for record in (whole, short)).encode()})
        browser.wait(lambda: browser.script("return document.getElementById('found-card').open"))
        told = [item.text for item in browser.all("#found button")]
        assert told == [f"{ends[0]}, greedy wins", f"{ends[1]}, unfinished"]
        assert browser.script("return document.getElementById('found-card')"
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
    browser.open(server.url)
    drop(browser, {"one": DRAFTING.read_bytes(), "two": b"nonsense", "three": PLACING.read_bytes()})
    browser.wait(lambda: browser.code == code_of(DRAFTING))
    browser.wait(lambda: "two: " in browser.text("#problems"))
    browser.click("#found li:nth-child(2) button")
    browser.wait(lambda: browser.code == code_of(PLACING))


def test_a_file_that_is_no_game_is_named(browser: Browser, server: Server) -> None:
    browser.open(server.url)
    drop(browser, {"shopping.txt": b"milk, bread"})
    browser.wait(lambda: browser.all("#problems li"))
    assert browser.text("#problems").startswith("shopping.txt: found 'milk, bread', expected ")
    assert all("/import" in error for error in browser.errors())  # the answer has status 400


@pytest.mark.parametrize(("seats", "said"), [
    (("human", "default:level=3"), "you lose"), (("default:level=3", "human"), "you win"),
    (("human", "human"), "seat 1 wins")])
def test_the_end_says_who_has_won(
    browser: Browser, server: Server, seats: tuple[str, str], said: str
) -> None:
    assert list(GAME.winners) == [1]
    record = GAME.to_json()
    with server.socket() as client:
        client.ask("save", game="ended", start=record["start"], moves=record["moves"], seed=3,
                   agents=seats)
    browser.open(server.url)
    browser.script("localStorage.setItem('pavilion-game', 'ended')")
    browser.open(server.url)
    scores = ", ".join(f"seat {seat} {score}" for seat, score in enumerate(GAME.scores))
    browser.wait(lambda: "The game is over" in browser.text("#status"))
    assert f"The game is over, {said}: {scores}." in browser.text("#status")
    alone = seats.count("human") == 1  # else nobody at the screen is "you"
    assert ("you" in browser.text("#table .seat")) == (alone and seats[0] == "human")
    assert ("level 3" in browser.text("#table .seat")) == (seats[0] != "human")


def test_a_log_that_is_cut_is_called_that(browser: Browser, server: Server) -> None:
    """Whoever drops a log that ends early sees so above its review, as long as it is shown."""
    log = gzip.decompress((LOGS / "azul_grey_2p.cut.json.gz").read_bytes())
    browser.open(server.url)
    drop(browser, {"cut.json": log})
    browser.wait(lambda: browser.all("#ends-early"))
    assert browser.text("#ends-early") == (
        "The record ends early, after 46 moves: the game is not over there.")
    assert "person" not in browser.text("#table")  # nobody of this screen
    browser.size(390, 844)
    try:
        drop(browser, {"whole.json": gzip.decompress(
            (LOGS / "azul_coloured_2p.json.gz").read_bytes())})
        browser.wait(lambda: not browser.all("#ends-early"))
        # The review of a narrow page is above the board, short, and with one button for each thing.
        assert browser.one("#stage > #review-card").size["height"] < 400
        assert browser.script("return [...document.querySelectorAll('button')]"
                              ".filter(e => e.textContent === 'Next mistake').length") == 1
    finally:
        browser.size(*DEFAULT_SIZE)


def test_a_person_gives_up(browser: Browser, server: Server) -> None:
    """The game is kept with its reason, nobody moves any more, and it can be reviewed."""
    browser.open(server.url)
    before = browser.code
    browser.click("#welcome-versus" if browser.one("#welcome").is_displayed() else "#versus")
    browser.wait(lambda: browser.code != before)
    browser.wait(lambda: browser.one("#resign").is_displayed())
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
        assert not browser.one("#table .turn").is_displayed()

    resigns()
    code = browser.code
    browser.click("#continue")
    browser.wait(lambda: browser.all("#moves [data-move]:enabled"))
    assert "resigned" not in browser.text("#status")
    resigns()
    assert browser.code == code
    with server.socket() as client:
        browser.wait(lambda: client.ask("saved")["games"][0]["reason"] == "seat 0 resigned")
        assert client.ask("saved")["games"][0]["winners"] == [1]
    browser.driver.refresh()
    browser.wait(lambda: browser.code == code)
    browser.wait(lambda: "has resigned" in browser.text("#status"))
    browser.wait(lambda: browser.all("#choice .strong"))
    paste(browser, code_of(DRAFTING))  # another game is not given up
    browser.wait(lambda: browser.code == code_of(DRAFTING))
    assert "resigned" not in browser.text("#status")


def test_a_newcomer_is_told_what_to_do(browser: Browser, server: Server) -> None:
    browser.open(f"{server.url}?position=summer.1.bad")
    browser.wait(lambda: "the link cannot be opened: " in browser.text("#notes"))
    assert 0 <= browser.script("return document.getElementById('notes').getBoundingClientRect().top"
                               ) < DEFAULT_SIZE[1] / 2
    browser.script("localStorage.clear()")
    browser.open(server.url)
    assert browser.text("#notes") == ""
    browser.wait(lambda: browser.one("#welcome").is_displayed())
    browser.click("#welcome-versus")
    browser.wait(lambda: not browser.one("#welcome").is_displayed())
    browser.wait(lambda: "Your turn." in browser.text("#status"), patience=60)


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
    browser.click(f'#review [data-ply="{drawn}"]')
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


def test_a_marked_space_is_told_from_those_that_can_be_clicked(
    browser: Browser, server: Server
) -> None:
    """By its colour, and without: dashed for the best move, dotted for what is one tile short."""
    show(browser, server, PLACING)
    browser.wait(lambda: browser.all("#table .short"))
    browser.click("#analyse")
    browser.click("#hint")
    browser.wait(lambda: browser.all("#table .space.best"))
    looks = [tuple(browser.script(
        "const shape = document.querySelector(`#table .space${arguments[0]} > :nth-child(2)`);"
        "const look = getComputedStyle(shape); return [look.stroke, look.strokeDasharray]", kind))
        for kind in (".clickable:not(.best, .short)", ".best", ".short:not(.best)")]
    assert len({colour for colour, _ in looks}) == 3, looks
    assert len({dashes for _, dashes in looks}) == 3


def test_every_tile_and_space_has_a_sentence(browser: Browser, server: Server) -> None:
    for path in (PLACING, AZUL_DRAFT):
        show(browser, server, path)
        settled(browser)
        names = browser.values("#table [data-at]", "aria-label")
        assert len(names) > 100
        assert all(names)
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
    press = "const one = document.getElementById('analyse'); one.click(); one.click();"
    browser.script(press)  # on, and off before anything is found
    assert browser.text("#analysis-summary") == found
    browser.play(browser.values("#moves [data-move]", "data-move")[0])
    browser.script(press)
    assert browser.text("#analysis-summary") == ""


def test_what_is_known_stays_when_the_table_is_drawn_anew(browser: Browser, server: Server) -> None:
    """In other colours, or with another number of boards side by side: a telephone is turned."""
    show(browser, server, PLACING)
    browser.wait(lambda: browser.values("#analysis [data-move]", "data-move"))
    browser.wait(lambda: browser.all("#table .short"))
    browser.click("#analyse")
    browser.wait(lambda: browser.text("#analyse") == "Analyse")
    browser.click("#hint")
    browser.wait(lambda: browser.all("#table .best"))
    settled(browser)
    said, rows = browser.text("#status"), browser.text("#analysis")

    def drawn_anew(change: Callable[[], None]) -> None:
        browser.script("document.querySelector('#table svg').dataset.old = 'true'")
        change()
        browser.wait(lambda: browser.all("#table svg:not([data-old])"))
        browser.wait(lambda: browser.all("#table .best") and browser.all("#table .short"))
        assert browser.text("#status") == said
        assert browser.text("#analysis") == rows

    try:
        drawn_anew(lambda: browser.scheme("dark"))
        drawn_anew(lambda: browser.size(390, 844))
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
        browser.scheme("light")
        browser.size(*DEFAULT_SIZE)
