"""The game for one in a real browser."""

from __future__ import annotations

from pavilion_ai import solo
from pavilion_ai.solo import Challenge, faults, read_tables
from tests.web.browser import Browser, needs_browser
from tests.web.support import Server

needs_browser()

AZUL = Challenge("azul", "coloured", 2, 1, 3)


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

    def ready() -> bool:
        return browser.table("phase") == "over" or (
            browser.table("toMove") == "0" and bool(browser.all("#moves [data-move]:enabled")))

    for turn in range(100):
        browser.wait(ready)
        if browser.table("phase") == "over":
            break
        before = browser.code
        if turn == 2:
            for control in ("#undo", "#hint"):
                assert not browser.one(control).is_enabled()
            browser.click("#analyse")
            browser.wait(lambda: "no hints" in browser.text("#status"))
            assert browser.all("#analysis [data-move]") == []
            browser.driver.refresh()
            browser.wait(lambda before=before: browser.code == before and ready())
            browser.click("#log li button")  # the start: to be looked at only
            browser.wait(lambda before=before: browser.code != before)
            browser.click("#moves [data-move]")
            browser.wait(lambda: "Nothing is taken back" in browser.text("#status"))
            browser.click("#log li:last-child button")
            browser.wait(lambda before=before: browser.code == before and ready())
        browser.script("[...document.querySelectorAll('#moves [data-move]')].at(-1).click()")
        browser.wait(lambda before=before: browser.code != before)
    text = browser.wait(lambda: browser.text("#solo-table"), patience=120)
    (table,) = read_tables(text)
    played = solo.replayed(AZUL, table.moves)
    assert played.is_over()
    assert played.code() == browser.code
    browser.wait(lambda: "Review" in browser.text("#choice"))
    browser.click("#choice button")
    browser.wait(lambda: browser.all("#review [data-ply]"))
    assert browser.all("#solo-card[hidden]")
    assert list(faults(played.record(extra={"solo": {"level": 1}}))) == []
