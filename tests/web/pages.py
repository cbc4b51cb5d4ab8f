"""What tests of the page do with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pavilion_ai.games import rules_of
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.play import HUMAN_AGENT, Play
from pavilion_ai.puzzles import shipped
from pavilion_ai.record import GameRecord
from tests.cli.support import DRAFTING, EXAMPLES, position_of
from tests.web.browser import Browser
from tests.web.support import Server

MANY_PAYMENTS = 11
"""Ply of the example game at which there are nine ways to pay for a space."""
ENGINE = {"spec": "default:level=3", "version": "1"}
BLUNDER = "D2:R>F"
LAST = ("azul.1.coloured.2/draft.r5.m0.s1.t0/-/cR.l11B4Y14R9K16W/"
        "lR:Y:3B:3Y:-.fRxWW.BY1K1.1B3.KW3.R4.4B/lK:Y:3Y:2B:5Y.fKKKKKKK.BYR1W.3RK.5.4Y.5/5117")
"""The last tile of a game is to be taken, in one way or another."""
HOLD = """
const [action, most] = arguments, send = WebSocket.prototype.send;
window.held = [];
window.late = 0;
WebSocket.prototype.send = function (text) {
  const request = JSON.parse(text);
  if (request.action !== action) return send.call(this, text);
  this.addEventListener("message", ({ data }) => { late += JSON.parse(data).id === request.id; });
  held.push(() => send.call(this, text));
  if (held.length === most) while (held.length) held.pop()();
};
window.release = () => { WebSocket.prototype.send = send; held.splice(0).forEach((one) => one()); };
"""
"""Let requests of one kind wait until they are released; or until there are so many: then the last
one is sent, and answered, first."""
STEADY = """{
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  const { seconds, ...request } = JSON.parse(text);
  send.call(this, request.action === "review" ? JSON.stringify({ ...request, sims: 400 }) : text);
};
}"""
"""Let the page have games reviewed with so many simulations, however busy the machine is."""
NOT_TRYING = "localStorage.removeItem('pavilion-trying');"
"""Leave *Try again at each mistake* unticked, whatever an earlier test has chosen."""


def code_of(path: Path) -> str:
    """Return the code of an example."""
    return format_position(position_of(path), "code")


def show(browser: Browser, server: Server, path: Path) -> Any:
    """Open the link of an example; return the position."""
    browser.open(f"{server.url}?position={code_of(path)}")
    assert browser.code == code_of(path)
    return position_of(path)


def forget(browser: Browser, server: Server) -> None:
    """Leave a game in which engines move, or the next test would begin with it."""
    show(browser, server, DRAFTING)
    browser.script("localStorage.removeItem('pavilion-game')")


def play_against(browser: Browser, seats: list[str]) -> None:
    """Begin a game in which seat 0 begins."""
    kept = "return sessionStorage.getItem('pavilion-game')"
    before = browser.wait(lambda: browser.script(kept))
    browser.script("[...document.querySelectorAll('[data-seat-agent]')].forEach((one, seat) => {"
                   " if (arguments[0][seat]) one.value = arguments[0][seat]; });"
                   "document.querySelector('#settings input').value = '0'", seats)
    browser.click("#new")
    browser.wait(lambda: browser.script(kept) != before)  # not by the board: it may be as before


def go_on_with(browser: Browser, server: Server, game: str) -> None:
    """Open the page as it is opened after this game."""
    browser.open(server.url, f"localStorage.setItem('pavilion-game', {json.dumps(game)})")


def settled(browser: Browser) -> None:
    """Wait until all moves of the position shown are listed, while that may still change."""
    def listed() -> bool:
        position = parse_position(str(browser.code)).position
        legal = rules_of(position).legal_moves(position)
        return sorted(browser.values("#moves [data-move]", "data-move")) == legal

    browser.wait(listed)


def kept_last(server: Server) -> Any:
    """Return the record of the game that was saved last."""
    with server.socket() as client:
        return client.ask("open", game=client.ask("saved")["games"][0]["id"])["record"]


def turned(browser: Browser) -> None:
    """Turn a phone: the boards are drawn anew, below each other or side by side."""
    drawn = browser.one("#table svg").get_dom_attribute("viewBox")
    browser.size(*((390, 844) if browser.script("return innerWidth") > 390 else (1280, 800)))
    browser.wait(lambda: browser.one("#table svg").get_dom_attribute("viewBox") != drawn)
    settled(browser)


def paste(browser: Browser, text: str) -> None:
    """Put a text into the box and load it."""
    browser.script("document.getElementById('paste').value = arguments[0]", text)
    browser.activate("#load")  # what is listed above it moves it while the page begins


def written(browser: Browser, title: str) -> str:
    """Press a button that saves a file; return what is in it."""
    browser.script("const make = URL.createObjectURL;"
                   "URL.createObjectURL = (blob) => {"
                   " blob.text().then((text) => { window.written = text; });"
                   " return make.call(URL, blob); };"
                   "[...document.querySelectorAll('#share button')]"
                   ".find((one) => one.textContent === arguments[0]).click()", title)
    text: str = browser.wait(lambda: browser.script("return window.written"))
    return text


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


def train(browser: Browser, server: Server) -> Any:
    """Open the first puzzle; return it."""
    browser.open(server.url, "localStorage.removeItem('pavilion-puzzles');"
                             "localStorage.removeItem('pavilion-trained')")
    puzzle = shipped("summer", "coloured", 2)[0]
    browser.click("#train")
    browser.wait(lambda: browser.code == puzzle.position)
    browser.wait(lambda: "clearly best" in browser.text("#status"))
    settled(browser)
    return puzzle


def blundered() -> GameRecord:
    """Return the record of a blunder of Ann's against an engine."""
    play = Play(position_of(EXAMPLES / "azul_round4_close_2p.code"))
    play.push(BLUNDER)
    return play.record([ENGINE, {**HUMAN_AGENT, "name": "Ann"}])


def drop(browser: Browser, files: dict[str, bytes]) -> None:
    """Drop files on the page."""
    browser.script(
        "const data = new DataTransfer();"
        "for (const [name, bytes] of arguments[0])"
        "  data.items.add(new File([new Uint8Array(bytes)], name));"
        "document.body.dispatchEvent(new DragEvent('drop',"
        "  {dataTransfer: data, bubbles: true, cancelable: true}))",
        [[name, list(content)] for name, content in files.items()])
