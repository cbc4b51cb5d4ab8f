"""The page of `review --html` in a real browser: stepping, filters, narrow and dark screens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.record import GameRecord, write_record
from tests.cli.support import assert_clean, contract_games, pavilion
from tests.web.browser import Browser, browsing, needs_browser

needs_browser()

HOSTILE = "<img src=x onerror=alert(1)>'\"</script><b>" + "long" * 12


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The review of two games of base Azul, in which a player has a hostile name."""
    folder = tmp_path_factory.mktemp("review")
    games = [GameRecord.from_json(data) for data in contract_games("azul")]
    for players in (3, 2):
        game = next(game for game in games if game.start.players == players)
        agents = ({"spec": "human", "version": "", "name": HOSTILE}, *game.agents[1:])
        write_record(folder / "games.jsonl", replace(game, agents=agents))
    assert_clean(pavilion("review", folder / "games.jsonl", "--sims", 60, "--html",
                          folder / "review.html"))
    return folder / "review.html"


@pytest.fixture(scope="module")
def running() -> Iterator[Browser]:
    """Run a browser; its console must stay silent."""
    with browsing() as browser:
        yield browser
        assert browser.errors() == []


@pytest.fixture
def browser(running: Browser, page: Path) -> Browser:
    """Open the page on a wide light screen."""
    running.size(1280, 900)
    running.scheme("light")
    running.driver.get("about:blank")
    running.driver.get(page.as_uri())
    return running


def now(browser: Browser) -> str:
    """Return the row that is shown in the viewer used last."""
    found: str = browser.script("return active.now.id")
    return found


def rows(browser: Browser, condition: str = "true") -> list[str]:
    found: list[str] = browser.script(
        f"return active.rows.filter((row) => {condition}).map((row) => row.id)")
    return found


def choose(browser: Browser, label: str, value: str) -> None:
    browser.script(
        "const box = active.pane.querySelector(`select[aria-label=\"${arguments[0]}\"]`);"
        "box.value = arguments[1]; box.dispatchEvent(new Event('change'))", label, value)


def test_arrow_keys_step_through_the_game_and_the_board_follows(browser: Browser) -> None:
    from selenium.webdriver.common.keys import Keys

    every = rows(browser)
    assert now(browser) == every[0]
    seen = set()
    for row in every[1:9]:
        browser.press(Keys.ARROW_RIGHT)
        assert now(browser) == row
        assert browser.script("return active.said.textContent").startswith(
            f"Ply {row.split('p')[1]}, seat ")
        seen.add(browser.script("return active.board.innerHTML"))
        assert browser.script("return active.board.querySelectorAll('.badge').length") in (1, 2)
    assert len(seen) == 8
    browser.press(Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_DOWN)
    assert now(browser) == every[7]
    browser.press(Keys.END)
    assert now(browser) == every[-1]
    browser.press(Keys.ARROW_RIGHT)
    assert now(browser) == every[-1]
    browser.press(Keys.HOME)
    assert now(browser) == every[0]


def test_n_and_p_go_from_mistake_to_mistake(browser: Browser) -> None:
    marked = rows(browser, "row.dataset.mark")
    assert len(marked) > 2
    for row in marked[1 if rows(browser)[0] == marked[0] else 0:][:3]:
        browser.press("n")
        assert now(browser) == row
    browser.press("p")
    assert now(browser) == marked[marked.index(row) - 1]
    browser.click(".pane button[title^='next mistake']")
    assert now(browser) == row
    inside = browser.script(
        "const [row, list] = [active.now, active.list].map((e) => e.getBoundingClientRect());"
        "return row.top >= list.top && row.bottom <= list.bottom")
    assert inside


def test_filters_hide_moves_and_steps_pass_over_them(browser: Browser) -> None:
    every = rows(browser)
    choose(browser, "moves of", "1")
    assert rows(browser, "!row.hidden") == rows(browser, "row.dataset.seat === '1'") != every
    assert now(browser) in rows(browser, "!row.hidden")
    browser.press("n")
    assert browser.script("return active.now.dataset.seat") == "1"
    choose(browser, "marks", "?")
    assert rows(browser, "!row.hidden") == rows(
        browser, "row.dataset.seat === '1' && ['?', '??'].includes(row.dataset.mark)")
    folded = browser.script(
        "return [...active.list.querySelectorAll('tr.more')].every("
        "(more) => more.hidden === more.previousElementSibling.hidden)")
    assert folded
    choose(browser, "marks", "")
    choose(browser, "moves of", "")
    assert rows(browser, "!row.hidden") == every


def test_dots_of_the_chart_and_clicks_show_a_move(browser: Browser) -> None:
    target = browser.script(
        "const dot = document.querySelector('.chart a'); const to = dot.getAttribute('href');"
        "dot.dispatchEvent(new MouseEvent('click', {bubbles: true})); return to")
    browser.wait(lambda: now(browser) == target[1:])
    other = browser.script("const row = viewers[1].rows[4]; row.click(); return row.id")
    assert now(browser) == other
    browser.press("\ue014")  # the arrow to the right steps in the game that was used last
    assert now(browser) == browser.script("return viewers[1].rows[5].id")


def test_a_hostile_name_is_text(browser: Browser) -> None:
    assert browser.script("return document.querySelectorAll('img, b').length") == 0
    assert HOSTILE in browser.text(".seat")
    assert HOSTILE in browser.script(
        "return viewers[0].rows.find((row) => row.dataset.seat === '0').dataset.said")
    assert browser.script("return document.querySelectorAll('script').length") == 2


@pytest.mark.parametrize(("width", "scheme"), [
    (1280, "dark"), (1200, "light"), (600, "dark"), (400, "light"), (390, "dark"),
])
def test_nothing_is_cut_off_or_broken_up(browser: Browser, width: int, scheme: str) -> None:
    browser.size(width, 850)
    browser.scheme(scheme)
    assert browser.script("return document.documentElement.scrollWidth") <= width
    assert browser.script(
        "return [...document.querySelectorAll('.seats, .chart, .board')]"
        ".filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.outerHTML.slice(0, 80))") == []
    labels = browser.script(
        "return [...document.querySelectorAll('td.seat')].map((cell) =>"
        " [cell.textContent.length, cell.getBoundingClientRect().height])")
    assert all(height < 24 * (2 + length / 16) for length, height in labels)
    browser.script("document.querySelector('details').open = true")
    cells: list[Any] = browser.script(
        "return [...active.list.querySelectorAll('tr[id] > td:not(.points)')].map((cell) =>"
        " { const box = cell.getBoundingClientRect(); return [box.left, box.right]; })")
    assert all(0 <= left <= right <= width for left, right in cells)
    assert browser.script(  # no area of its own
        "return [active.board, active.pane, ...active.board.querySelectorAll('*')].filter((e) =>"
        " e.scrollHeight > e.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(e).overflowY))"
        ".length") == 0
    board = browser.script(
        "const box = active.board.getBoundingClientRect(); return [box.left, box.right]")
    assert 0 <= board[0] < board[1] <= width
    ground = browser.script("return getComputedStyle(document.body).backgroundColor")
    paper = browser.script("return getComputedStyle(active.board.querySelector('rect')).fill")
    assert ground == paper == ("rgb(32, 32, 40)" if scheme == "dark" else "rgb(254, 254, 254)")


def test_on_paper_the_board_stands_and_everything_is_unfolded(browser: Browser) -> None:
    browser.scheme("light", "print")
    browser.script("dispatchEvent(new Event('beforeprint'))")
    folded = "return document.querySelectorAll('details:not([open])').length"
    assert browser.script(folded) == 0
    seen = browser.script(
        "return [active.board, active.list, active.pane.querySelector('.tools')].map((e) =>"
        " [e.offsetHeight > 0, e.scrollHeight <= e.clientHeight + 1])")
    assert seen == [[True, True], [True, True], [False, True]]
    browser.script("dispatchEvent(new Event('afterprint'))")
    assert browser.script(folded) == len(browser.all("details"))
    browser.scheme("light")


def test_boards_higher_than_the_screen_scroll_with_the_page(browser: Browser) -> None:
    """What is said of the move, and the list beside it, stay in sight meanwhile."""
    browser.size(1280, 500)
    browser.click(".pane button[title^='one move on']")
    tops = ("return ['.said', '.list'].map((one) => active.root.querySelector(one)"
            ".getBoundingClientRect().top)")
    browser.script("active.root.scrollIntoView({ block: 'end' })")
    assert browser.script("return active.board.getBoundingClientRect().bottom") <= 500
    assert browser.script("return active.board.getBoundingClientRect().top") < 0
    assert all(0 <= top < 250 for top in browser.script(tops))
