"""What outlives a reload, another tab, and a server that is lost for a while."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord
from pavilion_ai.web.server import MAX_FROM_HERE
from tests.bga.samples import sample
from tests.cli.support import PLACING, RECORD, cut_short
from tests.match.support import wait_until
from tests.web.browser import Browser, browsing, needs_browser
from tests.web.pages import (
    HOLD,
    drop,
    forget,
    kept_last,
    play_against,
    settled,
    train,
    written,
)
from tests.web.support import Altered, Server, serving

needs_browser()

GONE = "The engine is not there. Is pavilion web still running?"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Run a browser, whose console complains of what is lost."""
    with browsing() as running:
        yield running


def begin(browser: Browser, server: Server) -> str:
    """Begin a new game and play a move in it; return its code, once it is kept."""
    before = browser.code
    browser.click("#new")
    browser.wait(lambda: browser.code != before and browser.all("#moves [data-move]:enabled"))
    return play(browser, server, 0)


def play(browser: Browser, server: Server, number: int) -> str:
    """Play one of the moves listed; return the code of the game, once it is kept."""
    code = browser.play(browser.values("#moves [data-move]", "data-move")[number])
    browser.wait(lambda: Play.of(GameRecord.from_json(kept_last(server))).code() == code)
    return code


def review(browser: Browser, plies: int) -> None:
    """Review so much of a game."""
    browser.script("document.getElementById('paste').value = arguments[0]",
                   json.dumps(cut_short(RECORD, plies).to_json()))
    browser.click("#load")
    browser.wait(lambda: browser.all("#review [data-loss]"))


def test_each_tab_keeps_its_game(browser: Browser, server: Server) -> None:
    """A new tab begins with the last game of all."""
    browser.open(server.url)
    one = begin(browser, server)
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.open(server.url)
        assert browser.code == one
        other = begin(browser, server)
        browser.driver.refresh()
        browser.wait(lambda: browser.code == other)
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)
    browser.driver.refresh()
    browser.wait(lambda: browser.code == one)
    browser.driver.get("about:blank")
    browser.driver.back()
    browser.wait(lambda: browser.code == one)


def test_a_game_that_goes_on_in_two_tabs_is_kept_twice(browser: Browser, server: Server) -> None:
    """That is said also where it could not be kept at first."""
    browser.open(server.url)
    begin(browser, server)
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.open(server.url)
        browser.wait(lambda: browser.all("#moves [data-move]:enabled"))
        other = play(browser, server, 1)
        browser.driver.refresh()
        browser.wait(lambda: browser.code == other)
        browser.driver.switch_to.window(first)
        browser.script("""
            const send = WebSocket.prototype.send;
            window.broken = "save?";
            WebSocket.prototype.send = function (text) {
              send.call(this, text.replace('"action":"save"', `"action":"${window.broken}"`));
            };""")
        browser.play(browser.values("#moves [data-move]", "data-move")[0])
        browser.wait(lambda: browser.text("#status").startswith("Not saved: "))
        browser.script("window.broken = 'save'")
        one = browser.play(browser.values("#moves [data-move]", "data-move")[0])
        browser.wait(lambda: "both are kept" in browser.text("#status"))
        assert "Not saved" not in browser.text("#status")
        browser.click("#undo")  # what is said next does not take its place
        browser.wait(lambda: browser.code != one)
        assert "both are kept" in browser.text("#status")
        browser.click("#redo")
        browser.wait(lambda: browser.code == one)
        assert browser.text("#status").count("both are kept") == 1
        browser.driver.refresh()
        browser.wait(lambda: browser.code == one)
        browser.driver.switch_to.window(browser.driver.window_handles[-1])
        browser.driver.refresh()
        browser.wait(lambda: browser.code == other)
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)


def test_a_game_that_went_on_in_another_tab_is_written_as_it_stands_here(
    browser: Browser, server: Server
) -> None:
    browser.open(server.url)
    begin(browser, server)
    browser.driver.refresh()  # now it is only looked at
    browser.wait(lambda: browser.all("#moves [data-move]:enabled"))
    code = browser.code
    first = browser.driver.current_window_handle
    browser.driver.switch_to.new_window("tab")
    try:
        browser.open(server.url)
        browser.wait(lambda: browser.code == code and browser.all("#moves [data-move]:enabled"))
        browser.play(browser.values("#moves [data-move]", "data-move")[0])
    finally:
        browser.driver.close()
        browser.driver.switch_to.window(first)
    record = json.loads(written(browser, "Save game"))
    assert len(record["moves"]) == 1  # of the two that were played there
    assert "both are kept" in browser.text("#status")
    assert browser.code == code


def test_a_review_outlives_a_reload(browser: Browser, server: Server) -> None:
    """With what was noted as it was read, until another game is on the table."""
    browser.open(server.url)
    one = begin(browser, server)
    drop(browser, {"cut.json": sample("azul_grey_2p.cut.json").encode()})
    browser.wait(lambda: browser.text("#notes"))
    notes = browser.text("#notes")
    browser.driver.refresh()
    browser.wait(lambda: browser.text("#notes") == notes)
    review(browser, 12)
    browser.wait(lambda: browser.all("#review-stop[hidden]"))
    judged = browser.values("#review [data-loss]", "data-ply")
    browser.driver.refresh()
    browser.wait(lambda: browser.values("#review [data-loss]", "data-ply") == judged)
    browser.click("#review-anew")
    browser.wait(lambda: len(browser.all("#review [data-loss]")) < len(judged))
    browser.wait(lambda: browser.values("#review [data-loss]", "data-ply") == judged)
    browser.wait(lambda: browser.all("#review-anew:not([hidden])"))
    browser.wait(lambda: browser.all("#saved button"))
    browser.script("document.querySelector('#saved button').click()")
    browser.wait(lambda: browser.code == one)
    browser.driver.refresh()
    browser.wait(lambda: browser.code == one)
    assert browser.all("#review [data-ply]") == []


def test_what_is_set_outlives_a_reload(browser: Browser, server: Server) -> None:
    """Also in a review, which has other players; what cannot be chosen leaves a field as it is."""
    chosen = "return [...document.querySelectorAll('#settings select')].map((one) => one.value)"
    browser.open(server.url)
    play_against(browser, ["human", "default:level=5"])
    browser.script("""
        const field = document.querySelector("[data-seat-agent='1']");
        field.value = "default:level=8";
        field.dispatchEvent(new Event("change", { bubbles: true }));""")
    browser.driver.refresh()  # which opens the game that is played with others
    browser.wait(lambda: browser.text("#next-game"))
    assert browser.script(chosen) == ["summer", "coloured", "2", "human", "default:level=8"]
    play_against(browser, ["human", "default:level=5"])
    review(browser, 12)
    browser.driver.refresh()
    browser.wait(lambda: browser.all("#review [data-loss]"))
    assert browser.script(chosen) == ["summer", "coloured", "2", "human", "default:level=5"]
    browser.script("""
        const [, board, players] = document.querySelectorAll("#settings select");
        [board.value, players.value] = ["grey", "3"];
        players.dispatchEvent(new Event("change", { bubbles: true }));""")
    browser.driver.refresh()
    browser.wait(lambda: browser.all("#review [data-loss]"))
    assert browser.script(chosen) == ["summer", "grey", "3", "human", "default:level=5", "human"]
    browser.script("sessionStorage.setItem('pavilion-chosen', arguments[0])", json.dumps(
        {"game": "chess", "board": "grey", "seats": ["human", "gone", None, "default"]}))
    browser.driver.refresh()
    browser.wait(lambda: browser.all("#review [data-loss]"))
    assert browser.script(chosen) == ["summer", "grey", "4", "human", "human", "human", "default"]
    forget(browser, server)


def test_a_puzzle_outlives_a_reload(browser: Browser, server: Server) -> None:
    """And a lost server. A new tab only keeps which ones were chosen; another game ends it."""
    train(browser, server)
    browser.script("""
        const fields = document.querySelectorAll("#train-tools details select");
        [fields[0].value, fields[1].value, fields[3].value] = ["azul", "grey", "medium"];
        fields[0].dispatchEvent(new Event("change"));""")
    browser.wait(lambda: (browser.code or "").startswith("azul"))
    settled(browser)
    first = browser.code
    browser.click("#next-puzzle")
    browser.wait(lambda: browser.code != first)
    second, progress = browser.code, browser.text("#train-progress")
    browser.driver.refresh()
    browser.wait(lambda: browser.code == second)
    browser.wait(lambda: "clearly best" in browser.text("#status"))
    assert browser.text("#train-progress") == progress
    settled(browser)
    browser.script("""
        const { send } = WebSocket.prototype;
        WebSocket.prototype.send = function () {
          WebSocket.prototype.send = send;
          this.close();
        };""")
    browser.click("#moves [data-move]")
    browser.wait(lambda: browser.text("#offline") == GONE)
    browser.wait(lambda: "clearly best" in browser.text("#status"))  # it still is the question
    browser.open(server.url)
    assert browser.code != second
    browser.click("#train")
    browser.wait(lambda: browser.code == first)
    code = begin(browser, server)
    browser.driver.refresh()
    browser.wait(lambda: browser.code == code)
    assert not browser.one("#train-card").is_displayed()


def test_a_review_that_is_broken_off_begins_once_more(browser: Browser, server: Server) -> None:
    """What was judged before is not mixed with it; nor is what is kept, if that does not count."""
    browser.open(server.url)
    browser.script("""
        const send = WebSocket.prototype.send;
        window.asked = [];
        WebSocket.prototype.send = function (text) {
          const request = JSON.parse(text);
          if (request.action === "review") {
            asked.push([request.anew, document.querySelectorAll("#review [data-loss]").length]);
            let left = asked.length % 2 ? 2 : Infinity; // the first one of two is broken off
            this.addEventListener("message", ({ data }) => {
              if (JSON.parse(data).id === request.id && !--left) this.close();
            });
          }
          return send.call(this, text);
        };""")
    for anew, begin in ((False, lambda: review(browser, 4)),
                        (True, lambda: browser.click("#review-anew"))):
        begin()
        browser.wait(lambda: browser.script("return asked.length") == 2)
        browser.wait(lambda: browser.all("#review-anew:not([hidden])"))
        assert browser.script("return asked.splice(0)") == 2 * [[anew, 0]]
        assert len(browser.all("#review [data-loss]")) == 4


def test_a_server_that_is_lost_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    """What is asked for meanwhile is refused; what was going on goes on, and is kept."""
    with serving(tmp_path, "--threads", "1") as server:
        browser.open(server.url)
        begin(browser, server)
        review(browser, 60)
        server.end()
    browser.wait(lambda: browser.text("#offline") == GONE)
    browser.click("#undo")  # what is said of the position does not hide it
    assert browser.one("#offline").is_displayed()
    browser.wait(lambda: "not there" in browser.text("#review-tools [role=status]"))
    browser.click("#analyse")
    browser.wait(lambda: browser.text("#analysis-summary") == GONE)
    browser.click("#analyse")
    drop(browser, {"game.json": b"{}"})
    browser.wait(lambda: browser.text("#problems").startswith("The engine has not received it: "))
    with serving(tmp_path, "--port", server.address.port, "--threads", "1") as server:
        browser.wait(lambda: not browser.text("#problems"))
        browser.wait(lambda: browser.all("#review-stop:not([hidden])"))
        known = len(browser.all("#review [data-loss]"))
        browser.wait(lambda: len(browser.all("#review [data-loss]")) > known)
        browser.click("#new")
        browser.wait(lambda: not browser.one("#review-card").is_displayed())
        browser.script("document.getElementById('setup').open = true")
        browser.click("#versus")
        browser.wait(lambda: browser.all("#resign:enabled:not([hidden])"))
    browser.wait(lambda: browser.text("#offline") == GONE)
    browser.click("#resign")
    browser.click("#resign-yes")
    browser.wait(lambda: f"Not saved: {GONE}" in browser.text("#status"))
    assert browser.text("#status").count(GONE) == 1
    with serving(tmp_path, "--port", server.address.port, "--threads", "1"):
        browser.wait(lambda: "has resigned" in browser.text("#status"))
        browser.wait(lambda: "Not saved" not in browser.text("#status"))  # now it is
        assert not browser.one("#offline").is_displayed()
        browser.driver.refresh()
        browser.wait(lambda: "has resigned" in browser.text("#status"))


def test_that_a_server_is_lost_is_said_once(browser: Browser, tmp_path: Path) -> None:
    """Not again at each attempt to find it; one that has no room for another page says that."""
    with serving(tmp_path, "--threads", "1") as server, ExitStack() as others:
        browser.open(server.url)
        browser.wait(lambda: browser.all("#moves [data-move]:enabled"))
        browser.script("""
            const Real = WebSocket, later = setTimeout, { send } = Real.prototype;
            window.setTimeout = (act) => window.held ? window.held.push(act) : later(act);
            window.tried = window.said = window.back = 0;
            window.WebSocket = class extends Real {
              constructor(url) {
                super(window.full ? url : url.replace("engine", "nowhere"));
                window.tried += 1;
              }
            };
            Real.prototype.send = function (text) {
              if (window.full) send.call(this, text);
              else this.close();
            };
            new MutationObserver((changes) => { window.said += changes.filter((change) =>
              change.target.textContent.startsWith("The engine is not there.")).length; })
              .observe(document.getElementById("offline"), { childList: true });
            new MutationObserver((changes) => { window.back += changes[0].target.hidden; })
              .observe(document.getElementById("offline"), { attributes: true });""")
        browser.click("#moves [data-move]")
        browser.wait(lambda: browser.script("return tried") > 3)
        assert browser.script("return said") == 1
        assert browser.text("#offline") == GONE
        browser.script("window.held = []")  # no attempt until there is no room any more
        browser.wait(lambda: browser.script("return held.length"))
        for _ in range(MAX_FROM_HERE):
            wait_until(lambda: has_room(server, others), "room for a page")
        browser.script("const acts = window.held; window.held = null; window.full = true;"
                       "window.tried = 0; acts.forEach((act) => act())")
        browser.wait(lambda: f"this page: {MAX_FROM_HERE} pages are" in browser.text("#offline"))
        browser.wait(lambda: browser.script("return tried") > 3)
        assert browser.script("return back") == 0
        others.close()
        browser.wait(lambda: browser.script("return back"))


def test_what_is_awaited_is_taken_back_when_the_server_is_lost(
    browser: Browser, tmp_path: Path
) -> None:
    """What was said of the position before stays: of an engine's move, and of one that is tried."""
    with serving(tmp_path, "--threads", "1") as server:
        browser.open(server.url)
        browser.script(HOLD, "choose")
        play_against(browser, ["default:level=1", "human"])
        browser.wait(lambda: browser.text("#status").endswith(" Thinking …"))
        browser.wait(lambda: browser.script("return held.length"))
        said = browser.text("#status").removesuffix(" Thinking …")
        server.end()
    browser.wait(lambda: browser.text("#offline") == GONE)
    assert browser.text("#status") == said != ""
    with serving(tmp_path, "--threads", "1") as server:
        puzzle = train(browser, server)
        question = browser.text("#status")
        server.end()
    browser.wait(lambda: browser.text("#offline") == GONE)
    wrong = next(move for move in browser.values("#moves [data-move]", "data-move")
                 if move != puzzle.solution.move)
    browser.script("window.said = []; new MutationObserver(() => { said.push("
                   "document.getElementById('status').textContent); })"
                   ".observe(document.getElementById('status'), { childList: true });")
    browser.click(f'#moves [data-move="{wrong}"]')
    browser.wait(lambda: "Looking at your move …" in browser.script("return said"))
    browser.wait(lambda: browser.text("#status") == question)


def has_room(server: Server, others: ExitStack) -> bool:
    """Open one more socket; tell whether the server takes it."""
    with suppress(ConnectionClosed):
        return "id" in others.enter_context(server.socket()).ask("hello")
    return False


def test_an_editor_and_puzzles_go_on_when_the_server_is_back(
    browser: Browser, tmp_path: Path
) -> None:
    with serving(tmp_path, "--threads", "1") as server:
        browser.open(server.url)
        begin(browser, server)
        browser.press("e")
        browser.wait(lambda: browser.all("#edit-done:enabled"))
        server.end()
    browser.wait(lambda: browser.text("#offline") == GONE)
    browser.click('#editor [data-field="centre"] .add')
    browser.wait(lambda: not browser.one("#edit-done").is_enabled())
    tiles = len(browser.all("#table [data-at='C'][data-tile]"))
    with serving(tmp_path, "--port", server.address.port, "--threads", "1") as server:
        browser.wait(lambda: browser.all("#edit-done:enabled"))
        browser.wait(lambda: len(browser.all("#table [data-at='C'][data-tile]")) == tiles + 1)
        assert "not there" not in browser.text("#status")
        browser.press("\ue00c")  # escape
        browser.click("#edit-discard")
        server.end()
    browser.wait(lambda: browser.text("#offline") == GONE)
    browser.click("#train")
    with serving(tmp_path, "--port", server.address.port, "--threads", "1"):
        browser.wait(lambda: browser.text("#offline") == "")
        browser.click("#next-puzzle")
        browser.wait(lambda: "clearly best" in browser.text("#status"))
    browser.wait(lambda: browser.text("#offline") == GONE)
    browser.click("#solution")
    browser.wait(lambda: browser.text("#train-told") == GONE)
    assert browser.one("#solution").is_enabled()  # to be asked for again


def test_par_is_told_when_the_server_is_back(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path, "--threads", "1") as server:
        browser.open(server.url)
        browser.script("""
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
              if (JSON.parse(text).action !== "solo_par") send.call(this, text);
              else window.asked = (window.asked ?? 0) + 1;
            };
            window.let = () => { WebSocket.prototype.send = send; };
            document.getElementById("setup").open = true;
            document.getElementById("solo-setup").open = true;
            document.getElementById("solo-level").value = "0";""")
        browser.click("#solo-daily")
        browser.wait(lambda: browser.script("return window.asked"))
        browser.script("window.let()")
        server.end()
    browser.wait(lambda: "not there" in browser.text("#solo-par"))
    with serving(tmp_path, "--port", server.address.port, "--threads", "1"):
        browser.wait(lambda: "not there" not in browser.text("#solo-par"))
        browser.wait(lambda: ", won " in browser.text("#solo-par"), patience=120)


def test_a_saved_game_that_is_gone_is_told(browser: Browser, tmp_path: Path) -> None:
    """Whatever is refused is said, also where nobody waits for an answer."""
    with serving(tmp_path, "--threads", "1") as server:
        browser.open(server.url)
        begin(browser, server)
        browser.click("#new")
        browser.wait(lambda: browser.all("#saved button"))
        for path in tmp_path.rglob("web-*.jsonl"):
            path.unlink()
        browser.script("document.querySelector('#saved button').click()")
        browser.wait(lambda: "expected the name of a saved game" in browser.text("#status"))


def test_a_browser_that_keeps_nothing(browser: Browser, server: Server) -> None:
    """The server keeps the games all the same."""
    browser.open(server.url, "Storage.prototype.setItem = Storage.prototype.getItem ="
                 " () => { throw new DOMException('', 'SecurityError'); }")
    begin(browser, server)
    browser.click("#new")
    browser.wait(lambda: browser.all("#saved button"))
    assert "Not saved" not in browser.text("#status")


def test_a_page_that_loses_the_server_as_it_opens(browser: Browser, server: Server) -> None:
    """At once, or before it has a game."""
    browser.open(server.url, (
        "const Real = WebSocket; let first = true;"
        "window.WebSocket = class extends Real { constructor(url) {"
        " super(first ? url.replace('engine', 'nowhere') : url); first = false; }"
        " send(text) { if (window.lost || text.includes('hello')) super.send(text);"
        "  else { window.lost = true; this.close(); } } };"))
    browser.wait(lambda: browser.all("#moves [data-move]:enabled"))


HURRIED = (
    "import sys; from pavilion_ai.protocol import capacity\n"
    "capacity.PATIENCE = 0.5\n"
    "sys.argv = ['pavilion', 'web', '--port', '0', '--no-open', '--threads', '1']\n"
    "from pavilion_ai.__main__ import main; main()\n")


def test_an_analysis_says_that_it_ended_for_another_page(browser: Browser, tmp_path: Path) -> None:
    """Two of them kept all others out for as long as their tabs were open."""
    server = Altered(tmp_path, HURRIED)
    try:
        browser.open(server.url)
        browser.click("#analyse")
        browser.wait(lambda: browser.all("#analysis [data-move]"))
        with server.socket() as other:
            assert "move" in other.ask("choose", position=PLACING.read_text())
        browser.wait(lambda: "another page waits" in browser.text("#analysis-summary"))
        assert browser.text("#analyse") == "Analyse"
        assert browser.all("#analysis [data-move]")
        browser.click("#analyse")
        browser.wait(lambda: "another page" not in browser.text("#analysis-summary"))
    finally:
        browser.driver.get("about:blank")
        server.end()
