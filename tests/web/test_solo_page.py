"""The game for one in a real browser."""

from __future__ import annotations

import datetime
import json
import os
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from pavilion_ai import solo
from pavilion_ai.play import walk
from pavilion_ai.record import write_record
from pavilion_ai.solo import Challenge, SoloGames, faults, read_tables, seed_of_day
from pavilion_ai.solo.challenge import replayed
from pavilion_ai.version import __version__
from tests.cli.support import assert_clean, cut_short, pavilion
from tests.solo import AZUL, RULE, SUMMER, record_of
from tests.web.browser import Browser, needs_browser
from tests.web.pages import forget, go_on_with, kept_last
from tests.web.support import Server

needs_browser()
from selenium.webdriver.common.keys import Keys  # noqa: E402

GAME_NAMES = {"summer": "Summer Pavilion", "azul": "Azul"}
LARGEST = 2**53 - 1
"""Seed of the page, where all numbers up to it are exact."""
LATE = 5
"""Round from which the longer game is played by keys; another one is played from the start."""
BY_KEYS = [RULE, SUMMER]
if "PAVILION_WEB_GAMES" in os.environ:
    BY_KEYS += [replace(AZUL, seed=4), replace(SUMMER, level=RULE.level)]


def ready(browser: Browser) -> bool:
    """Tell whether the game waits for the person, or is over."""
    return browser.table("phase") == "over" or (
        browser.table("toMove") == "0" and bool(browser.all("#moves [data-move]:enabled")))


def test_a_game_in_the_browser(browser: Browser, server: Server) -> None:
    """It survives a reload, takes nothing back, gives no hints, and ends with a table."""
    browser.open(server.url)
    browser.script("document.getElementById('setup').open = true;"
                   "document.getElementById('solo-setup').open = true;")
    for label, value in (("Game", "azul"), ("Boards", "coloured"), ("Players", "2")):
        browser.script("""
            const label = [...document.querySelectorAll("#settings label")].find(
              (one) => one.textContent.startsWith(arguments[0]));
            label.querySelector("select").value = arguments[1];
            label.querySelector("select").dispatchEvent(new Event("change"));""", label, value)
    browser.script("document.querySelector('#settings input[inputmode=numeric]').value = '3';"
                   "document.getElementById('solo-level').value = '1'")
    browser.click("#solo-begin")
    browser.wait(lambda: "azul-coloured-2-level1, seed 3" in browser.text("#solo"))

    for turn in range(100):
        browser.wait(lambda: ready(browser))
        if browser.table("phase") == "over":
            break
        before = browser.code
        if turn == 2:
            for control in ("#undo", "#hint"):
                assert not browser.one(control).is_enabled()
            browser.click("#analyse")
            browser.wait(lambda: "no hints" in browser.text("#status"))
            browser.press("u", "h")
            assert browser.all("#analysis [data-move]") == []
            assert browser.code == before
            assert "no hints" in browser.text("#status")
            browser.driver.refresh()
            browser.wait(lambda before=before: browser.code == before and ready(browser))
            browser.click("#log li button")  # the start: to be looked at only
            browser.wait(lambda before=before: browser.code != before)
            browser.click("#moves [data-move]")
            browser.wait(lambda: "Moves cannot be taken back" in browser.text("#status"))
            browser.click("#log li:last-child button")
            browser.wait(lambda before=before: browser.code == before and ready(browser))
        browser.script("[...document.querySelectorAll('#moves [data-move]')].at(-1).click()")
        browser.wait(lambda before=before: browser.code != before)
    text = browser.wait(lambda: browser.text("#solo-table"), patience=120)
    (table,) = read_tables(text)
    played = replayed(AZUL, table.moves)
    assert played.is_over()
    assert played.code() == browser.code
    with server.socket() as client:
        found = client.ask("solo_par", **asdict(AZUL))
    result, standing = found["result"], found["standing"]
    told = re.fullmatch("You: (.*) points, (.*) to par; (.*), (.*) % to par.",
                        browser.text("#solo-result p").replace("\u2212", "-"))
    assert told
    assert (int(told[1]), told[3]) == (result["points"], result["outcome"])
    assert float(told[2]) == pytest.approx(result["to_par"], abs=0.06)
    assert float(told[4]) == pytest.approx(100 * result["win_to_par"], abs=0.51)
    assert browser.text("#status").endswith(browser.text("#solo-result p"))
    own = re.search("games of this kind: 1, best (.*), mean (.*) points to par",
                    browser.text("#solo-standing").replace("\u2212", "-"))
    assert own
    assert [float(one) for one in own.groups()] == pytest.approx(
        [standing["best"], standing["mean"]], abs=0.06)
    browser.click("#undo")  # what is played now is only looked at
    browser.wait(lambda: browser.table("phase") != "over" and ready(browser))
    browser.click("#moves [data-move]")
    browser.wait(lambda: "You are trying a line; the game waits." in browser.text("#status"))
    browser.click("#leave")
    browser.wait(lambda: not browser.all("#leave"))
    browser.click("#log > li:last-child > button")
    browser.wait(lambda: browser.table("phase") == "over")
    browser.wait(lambda: browser.text("#status").endswith(browser.text("#solo-result p")))
    browser.wait(lambda: "Review" in browser.text("#choice"))
    browser.click("#choice button")
    browser.wait(lambda: browser.all("#review [data-ply]"))
    assert browser.all("#solo-card[hidden]")
    assert list(faults(played.record(AZUL.seats, extra=AZUL.mark))) == []


def ask_on_the_page(browser: Browser, seed: int) -> None:
    """Ask for a challenge against the fixed rule."""
    browser.script("document.getElementById('setup').open = true;"
                   "document.getElementById('solo-setup').open = true;"
                   "document.querySelector('#settings input[inputmode=numeric]').value ="
                   " arguments[0]; document.getElementById('solo-level').value = '0'", str(seed))
    browser.click("#solo-begin")


def challenge_on_the_page(browser: Browser, seed: int) -> None:
    """Begin a challenge against the fixed rule."""
    ask_on_the_page(browser, seed)
    browser.wait(lambda: f"seed {seed}" in browser.text("#solo") and ready(browser))
    browser.wait(lambda: f'"seed":{seed}' in browser.script(  # another tab begins with it
        "return localStorage.getItem('pavilion-game')"))
    browser.wait(lambda: ready(browser))  # before, that may have been so of the game before it


def test_a_game_that_goes_on_in_two_tabs(browser: Browser, server: Server) -> None:
    """The one that is kept goes on in both; what else was played is a saved game."""
    browser.open(server.url)
    ask_on_the_page(browser, LARGEST + 1)
    browser.wait(lambda: browser.text("#seed-wrong")
                 == f"'{LARGEST + 1}' is not a whole number from 0 to {LARGEST}")
    challenge_on_the_page(browser, LARGEST)
    start, first = browser.code, browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.open(server.url)
        browser.wait(lambda: browser.code == start and ready(browser))
        browser.script("document.querySelectorAll('#moves [data-move]')[1].click()")
        browser.wait(lambda: browser.code != start and ready(browser))
        kept = browser.code
        browser.driver.switch_to.window(first)
        browser.script("document.querySelectorAll('#moves [data-move]')[0].click()")
        browser.wait(lambda: "was continued in another tab" in browser.text("#status"))
        browser.wait(lambda: browser.code == kept and ready(browser))
        assert "Your turn" in browser.text("#status")
        assert f"seed {LARGEST}" in browser.text("#solo")
        browser.driver.refresh()
        browser.wait(lambda: browser.code == kept and ready(browser))
        browser.wait(lambda: browser.all("#saved button"))
        browser.script("document.querySelector('#saved button').click()")
        browser.wait(lambda: browser.code not in (start, kept))
        assert browser.all("#solo-card[hidden]")
        agents = kept_last(server)["agents"]
        assert [agent["spec"] for agent in agents] == ["human"] * len(agents)
    finally:
        browser.driver.switch_to.window(browser.driver.window_handles[-1])
        browser.driver.close()
        browser.driver.switch_to.window(first)
    seeds = [seed_of_day(datetime.date.today())]
    browser.script("document.getElementById('solo-daily').click()")
    browser.wait(lambda: any(f", seed {seed}. " in browser.text("#solo") for seed in (
        *seeds, seed_of_day(datetime.date.today()))))  # it may be midnight
    browser.open(server.url)  # nobody waits for its par


# -- by the keyboard alone -------------------------------------------------------------------


def tab_to(browser: Browser, selector: str, *, back: bool = False) -> None:
    """Press the tabulator until one of these elements has the focus."""
    for _ in range(300):
        if browser.focused(selector):
            return
        # All at once as far as the page tells the way; what is left out there is met one by one.
        times = max(1, browser.script(WAY, selector, back))
        browser.press(*[Keys.TAB] * times, held=Keys.SHIFT if back else "")
    raise AssertionError(
        f"no {selector} can be reached from {browser.script(FOCUSED)!r};"
        f" {browser.text('#status')!r}, {browser.text('#choice')!r}")


def unfold(browser: Browser, selector: str) -> None:
    """Open a part of the page that is folded."""
    tab_to(browser, f"{selector} > summary")
    if not browser.all(f"{selector}[open]"):
        browser.press(Keys.ENTER)


def play_on_the_board(browser: Browser) -> None:
    """Play what comes first on the board."""
    before = browser.code
    while browser.code == before:
        if browser.all(CONFIRM):
            tab_to(browser, CONFIRM, back=True)
        elif browser.focused('[aria-pressed="true"]'):  # a tile that was chosen: one more
            tab_to(browser, '#table [aria-pressed="false"]')
        else:
            tab_to(browser, "#table .clickable, #choice button", back=True)
        seen = browser.script(STATE)
        browser.press(Keys.ENTER)
        browser.wait(lambda seen=seen: browser.script(STATE) != seen)


def play_from_the_list(browser: Browser) -> None:
    """Play the third of the listed moves, if there are so many."""
    tab_to(browser, "#moves [data-move]")
    browser.press(*[Keys.TAB] * min(2, len(browser.all("#moves [data-move]")) - 1))
    before = browser.code
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.code != before)


WAY = """
const [selector, back] = arguments;
const kinds = "a[href], button, input, select, textarea, summary, [tabindex]";
const all = [...document.querySelectorAll(kinds)]
  .filter((one) => one.tabIndex >= 0 && !one.disabled
    && one.checkVisibility({visibilityProperty: true}));
if (back) all.reverse();
const here = all.indexOf(document.activeElement);
return all.findIndex((one, place) => place > here && one.matches(selector)) - here;
"""
"""How many of the elements that can have the focus are on the way, or less than one."""
FOCUSED = "return document.activeElement.outerHTML.slice(0, 200)"
CONFIRM = "#choice [data-move]:enabled"
STATE = """
const table = document.getElementById("table");
return [table.dataset.code, table.querySelectorAll("[aria-pressed=true]").length,
        document.getElementById("choice").textContent].join("|");
"""


def begin(challenge: Challenge, folder: Path, phase: str, number: int) -> tuple[str, ...]:
    """Keep a game as `pavilion play --solo` keeps one that was left in a phase of a round.

    Returns:
        The moves that were played, and the one that comes next.
    """
    whole = record_of(challenge)
    plies = next(len(play.plies) for play in walk(whole)
                 if play.position.round == number and play.phase == phase)
    file = SoloGames(folder / "pavilion-ai" / "solo").file(challenge)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_record(file, replace(
        cut_short(whole, plies), id=challenge.name, extra=whole.extra))
    return whole.moves[:plies + 1]


@pytest.mark.parametrize(("error", "said"), [
    (0.0, "Par: 61.0 points, won 100 %"),
    (2.5, "Par: 61.0 ± 2.5 points (standard error over searches of 10 lengths), won 100 %"),
])
def test_par_of_equal_games_has_no_error(
    error: float, said: str, browser: Browser, server: Server
) -> None:
    browser.open(server.url)
    challenge_on_the_page(browser, 5)
    kind = browser.text("#solo").partition(",")[0]
    challenge = Challenge.named(kind, 6 + int(error))
    assert challenge is not None
    pars = SoloGames(server.folder / "pavilion-ai" / "solo")
    pars.folder.mkdir(parents=True, exist_ok=True)
    pars._par_file(challenge).write_text(json.dumps(
        {**asdict(solo.Par(61.0, error, 1.0, 0.1, 10)), "version": __version__}))
    challenge_on_the_page(browser, challenge.seed)
    browser.wait(lambda: browser.text("#solo-par").startswith(said))
    forget(browser, server)


def test_a_game_that_was_left_before_a_draw(browser: Browser, server: Server) -> None:
    """What is drawn on request is what the seed gives."""
    challenge = replace(RULE, seed=7)
    moves = begin(challenge, server.folder, "deal", 2)
    go_on_with(browser, server, json.dumps(asdict(challenge)))
    browser.wait(lambda: browser.text("#choice").endswith("Draw them"))
    browser.click("#choice button")
    browser.wait(lambda: ready(browser))
    with server.socket() as client:
        browser.wait(lambda: tuple(client.ask("solo", **asdict(challenge))["moves"][:len(moves)])
                     == moves)
    forget(browser, server)  # nobody waits for its par


@pytest.mark.parametrize("challenge", BY_KEYS, ids=lambda one: one.kind)
def test_a_game_by_keyboard_alone(
    challenge: Challenge, tmp_path: Path, browser: Browser, server: Server
) -> None:
    """From the first key to a table on the clipboard, which is found to be true."""
    if challenge == SUMMER and "PAVILION_WEB_GAMES" not in os.environ:
        begin(challenge, server.folder, "draft", LATE)
    browser.driver.get("about:blank")
    browser.open(server.url)
    unfold(browser, "#setup")
    tab_to(browser, "#settings select")
    for value in (GAME_NAMES[challenge.game], challenge.board, str(challenge.players)):
        browser.press(value, Keys.TAB)
    browser.press(str(challenge.seed))
    unfold(browser, "#solo-setup")
    tab_to(browser, "#solo-level")
    browser.press(f"level {challenge.level}" if challenge.level else "the fixed rule")
    tab_to(browser, "#solo-begin")
    browser.press(Keys.ENTER)
    browser.wait(lambda: f"{challenge.kind}, seed {challenge.seed}." in browser.text("#solo"))
    browser.wait(lambda: browser.table("phase") == "draft")
    browser.wait(lambda: browser.focused("#table .clickable"))  # what was pressed is folded away
    for turn in range(200):
        browser.wait(lambda: ready(browser))
        if browser.table("phase") == "over":
            break
        (play_from_the_list if turn in (1, 2) else play_on_the_board)(browser)
    browser.wait(lambda: browser.text("#solo-table"), patience=120)
    browser.driver.execute_cdp_cmd("Browser.grantPermissions", {
        "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    tab_to(browser, "#solo-result button")
    browser.press(Keys.ENTER)
    browser.wait(lambda: "The table is copied." in browser.text("#status"))
    kept = tmp_path / "table.txt"
    kept.write_text(browser.driver.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0])"))
    found = pavilion("verify", "--solo", kept)
    assert_clean(found)
    assert found.stdout.startswith(f"{challenge.kind} seed {challenge.seed}: ")
