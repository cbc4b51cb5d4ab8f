"""The page asks about a person's mistake before the next seat moves."""

from __future__ import annotations

import pytest

from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.play import walk
from tests.cli.support import DRAFTING, RECORD
from tests.web.browser import Browser, needs_browser
from tests.web.pages import LAST, code_of, forget, kept_last, play_against, settled, show, turned
from tests.web.support import Server

needs_browser()
from selenium.webdriver.common.keys import Keys  # noqa: E402

ENGINE = ["human", "default:level=1"]
BOX = "#settings label:last-of-type > [type=checkbox]"
JUDGE = """
const { send } = WebSocket.prototype, later = setTimeout;
window.asked = []; window.judged = []; window.held = []; window.late = false; window.loss = 0;
WebSocket.prototype.send = function (text) {
  const { id, action, compare, position } = JSON.parse(text);
  asked.push(action);
  if (!compare) {
    send.call(this, text);
    return;
  }
  judged.push(compare[0]);
  window.before = position;
  const answer = () => this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ id,
    moves: [{ move: "best", win_prob: 0.9, win_prob_error: 0.01 },
      { move: compare[0], win_prob: 0.9 - loss, win_prob_error: 0.01 }] }) }));
  if (late === "lost") this.close();
  else if (late) held.push(answer);
  else later(answer);
};
"""
"""Moves are judged by the test: each loses `loss`, told at once or, if it is `late`, by `held`.

The position in which the last one was to be judged is `before`.
"""
LATER = """
const later = setTimeout, [patient] = arguments;
window.setTimeout = (act, time, ...rest) => (patient && time > 1000)
  || later(act, time < 1000 ? time : 0, ...rest);
"""
"""No second is waited to the end; verdicts are awaited for ever by the patient, else not at all."""


def coached(browser: Browser, server: Server, seats: list[str]) -> None:
    """Begin a game in which mistakes are asked about."""
    browser.open(server.url, "localStorage.setItem('pavilion-coaching', 'yes')")
    browser.script(JUDGE)
    play_against(browser, seats)
    settled(browser)


def move(browser: Browser, loss: float, number: int = 0) -> str:
    """Play a move that loses so much; return the code of the next position shown."""
    settled(browser)
    browser.script("window.loss = arguments[0]", loss)
    return browser.play(browser.values("#moves [data-move]:enabled", "data-move")[number])


def is_asked(browser: Browser) -> bool:
    """Tell whether the page asks about a mistake."""
    return bool(browser.all("#take-back"))


def has_answered(browser: Browser, moves: int) -> bool:
    """Tell whether person and engine have played so many moves each, and the person may move."""
    return (len(browser.all("#log > li")) == 1 + 2 * moves
            and browser.all("#moves [data-move]:enabled") != [])


def test_a_mistake_is_taken_back_or_stands(browser: Browser, server: Server) -> None:
    """The engine moves when the person plays on; what was taken back is asked about again."""
    coached(browser, server, ENGINE)
    before = str(browser.code)
    mistake = move(browser, 0.12)
    browser.wait(lambda: browser.focused("#take-back"))
    assert format_position(parse_position(browser.script("return before")).position,
                           "code") == before
    assert browser.text("#choice").startswith(
        "This gives away about 12 percentage points of the chance to win.")
    turned(browser)
    assert browser.focused("#take-back")
    turned(browser)
    assert browser.all("#hint:enabled, #table .clickable, #moves [data-move]:enabled") == []
    browser.press(Keys.ENTER)
    browser.wait(lambda: browser.code == before)
    settled(browser)
    assert not is_asked(browser)
    assert browser.one("#hint").is_enabled()
    browser.press("r")
    browser.wait(lambda: browser.code == mistake and is_asked(browser))
    assert "choose" not in browser.script("return asked")
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: has_answered(browser, 1))
    assert len(browser.script("return judged")) == 1
    move(browser, 0.04)  # which is no mistake
    browser.wait(lambda: has_answered(browser, 2))
    assert browser.script("return judged") == kept_last(server)["moves"][::2]
    forget(browser, server)


def test_another_move_may_take_the_place_of_a_mistake(browser: Browser, server: Server) -> None:
    coached(browser, server, ENGINE)
    move(browser, 0.3)
    browser.click("#take-back")
    browser.wait(lambda: browser.all("#moves [data-move]:enabled"))
    move(browser, 0, 1)
    browser.wait(lambda: has_answered(browser, 1))
    assert kept_last(server)["moves"][0] == browser.script("return judged[1]")
    browser.click("#log .tried button")  # the mistake, now beside the game
    browser.wait(lambda: browser.all("#leave"))
    assert not is_asked(browser)
    forget(browser, server)


def test_a_reload_goes_on_without_a_question(browser: Browser, server: Server) -> None:
    coached(browser, server, ENGINE)
    move(browser, 0.12)
    browser.wait(lambda: is_asked(browser))
    browser.driver.refresh()
    browser.wait(lambda: has_answered(browser, 1))
    assert not is_asked(browser)
    assert len(kept_last(server)["moves"]) == 2
    forget(browser, server)


@pytest.mark.parametrize("late", ["slow", "lost"])
def test_the_game_goes_on_without_a_verdict(browser: Browser, server: Server, late: str) -> None:
    """After a while, or as soon as the engine is back."""
    coached(browser, server, ENGINE)
    browser.script(f"window.late = '{late}'; {LATER}", late == "lost")
    move(browser, 0.12)
    browser.wait(lambda: has_answered(browser, 1))
    if late == "slow":
        assert "stop" in browser.script("return asked")
    browser.script("held.forEach((one) => one())")
    assert not is_asked(browser)
    forget(browser, server)


@pytest.mark.parametrize(("instead", "loss"), [("undo", 0.12), ("edit", 0), ("new", 0.12)])
def test_what_is_done_before_the_verdict_is_left_alone(
    browser: Browser, server: Server, instead: str, loss: float
) -> None:
    """The game goes on, or is asked about, when one comes back to the move."""
    coached(browser, server, ENGINE)
    browser.script(f"window.late = true; {LATER}", True)
    after = move(browser, loss)
    browser.click(f"#{instead}")
    browser.wait(lambda: browser.all("#editor button") if instead == "edit"
                 else browser.code != after)
    browser.script("held.forEach((one) => one())")
    assert not is_asked(browser)
    assert "choose" not in browser.script("return asked")
    if instead == "undo":
        browser.press("r")
        browser.wait(lambda: browser.code == after and is_asked(browser))
    elif instead == "edit":
        browser.press(Keys.ESCAPE)
        browser.wait(lambda: has_answered(browser, 1))
    else:
        settled(browser)
        assert browser.all("#moves [data-move]:enabled")
    forget(browser, server)


def test_persons_are_asked_before_the_next_one_moves(browser: Browser, server: Server) -> None:
    """Unless that was quicker than the verdict."""
    coached(browser, server, ["human", "human"])
    move(browser, 0.12)
    browser.wait(lambda: is_asked(browser))
    assert browser.all("#table .clickable, #moves [data-move]:enabled") == []
    browser.click("#play-on")
    browser.wait(lambda: browser.all("#table .clickable"))
    browser.script(f"window.late = true; {LATER}", True)
    for _ in range(2):
        move(browser, 0.12)
    browser.script("held[0]()")
    assert not is_asked(browser)
    browser.click("#paste")
    browser.script("held[1]()")
    browser.wait(lambda: is_asked(browser))
    assert browser.focused("#paste")  # somebody types there
    assert browser.script("return judged") == kept_last(server)["moves"]


def test_only_moves_of_the_game_are_judged(browser: Browser, server: Server) -> None:
    """None without a choice, none with which the game ends, none in a line, none unasked."""
    forced = next(play for play in walk(RECORD) if play.turn is not None
                  and len(play.legal_moves) == 1)
    for code in (forced.code(), LAST):
        browser.open(f"{server.url}?position={code}",
                     "localStorage.setItem('pavilion-coaching', 'yes')")
        browser.script(JUDGE)
        move(browser, 0.5)
        assert browser.script("return judged") == []
    assert browser.table("phase") == "over"
    show(browser, server, DRAFTING)
    browser.script(JUDGE)
    browser.wait(lambda: browser.all("#analysis [data-move]"))
    browser.activate("#analysis [data-move]")
    browser.wait(lambda: browser.all("#leave"))
    move(browser, 0.5)
    browser.click("#leave")
    browser.wait(lambda: browser.code == code_of(DRAFTING))
    browser.script("document.querySelector(arguments[0]).click()", BOX)
    move(browser, 0.5)
    assert browser.script("return judged") == []
    browser.script("document.querySelector(arguments[0]).click()", BOX)
    move(browser, 0.5)
    browser.wait(lambda: is_asked(browser))


def test_only_what_is_beyond_its_error_is_a_mistake(browser: Browser, server: Server) -> None:
    """Nor is what was hardly searched; what is exact needs no search."""
    browser.open(server.url)
    cases = [
        ((0.60, 0.01, 900), (0.54, 0.01, 900), 0.06), ((0.60, 0.01, 900), (0.56, 0.01, 900), 0),
        ((0.60, 0.05, 900), (0.54, 0.05, 900), 0.06), ((0.60, 0.10, 900), (0.54, 0.10, 900), 0),
        ((1.00, 0.00, 900), (0.00, 0.00, 900), 1), ((1.00, 0.00, 900), (0.96, 0.00, 900), 0),
        ((0.04, 0.00, 900), (0.00, 0.00, 900), 0), ((0.54, 0.01, 900), (0.60, 0.01, 900), 0),
        ((0.60, 0.01, 900), (0.50, 0.01, 100), 0.1), ((0.60, 0.01, 900), (0.50, 0.01, 99), 0),
        ((0.60, 0.01, 900), (0.50, 0.00, 0), 0.1),
    ]

    def row(move: str, share: float, error: float, visits: float) -> dict[str, object]:
        return {"move": move, "win_prob": share, "win_prob_error": error, "visits": visits,
                "exact": error == 0}

    rows = [[row("best", *best), row("played", *played)] for best, played, _ in cases]
    told = browser.driver.execute_async_script(
        "const [rows, done] = arguments; import('/static/coach.js').then(({ lossOf }) =>"
        " done(rows.map((row) => lossOf(row, 'played'))))", [*rows, rows[0][:1]])
    assert [round(loss, 2) for loss in told] == [loss for _, _, loss in cases] + [0]


def test_that_one_is_warned_is_remembered(browser: Browser, server: Server) -> None:
    browser.open(server.url, "localStorage.removeItem('pavilion-coaching')")
    browser.script("document.getElementById('setup').open = true")
    checked = f"return document.querySelector('{BOX}').checked"
    assert not browser.script(checked)
    browser.click(BOX)
    browser.driver.refresh()
    browser.wait(lambda: browser.script(checked))
    assert browser.all("#settings [type=checkbox]:checked") == [browser.one(BOX)]
