"""What is begun on the page is left alone by what comes late, by keys, and by a turned phone."""

from __future__ import annotations

import json

import pytest

from pavilion_ai.games import GAMES, rules_of
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.play import Play
from tests.cli.support import BONUS, DRAFTING, PLACING, RECORD, cut_short, position_of
from tests.web.browser import DEFAULT_SIZE, Browser, needs_browser
from tests.web.pages import (
    HOLD,
    MANY_PAYMENTS,
    NOT_TRYING,
    STEADY,
    blundered,
    code_of,
    forget,
    paste,
    play_against,
    settled,
    show,
    train,
    turned,
)
from tests.web.support import Server

needs_browser()
from selenium.webdriver.common.keys import Keys  # noqa: E402

EDITING = "#edit-done"


def release(browser: Browser) -> None:
    """Let what was held be answered, and the answer arrive."""
    browser.wait(lambda: browser.script("return held.length"))
    browser.script("release()")
    browser.wait(lambda: browser.script("return late"))


def is_edited(browser: Browser) -> bool:
    """Tell whether the editor is open, as it should be."""
    return (bool(browser.all(EDITING)) and browser.one("#editor").is_displayed()
            and browser.all("#table.editing, .editing") != [])


def step_through(browser: Browser) -> None:
    """Switch the choice to see draws and moves of engines one by one."""
    browser.script("document.querySelector('#settings [type=checkbox]').click()")


def test_nothing_is_done_with_a_game_before_there_is_one(browser: Browser, server: Server) -> None:
    """The first one comes late."""
    late = ("sessionStorage.clear(); localStorage.removeItem('pavilion-game');"
            "const send = WebSocket.prototype.send;"
            "WebSocket.prototype.send = function (text) {"
            " if (JSON.parse(text).action !== 'new') send.call(this, text);"
            " else window.first = () => send.call(this, text); };")
    with browser.preparing(late):
        browser.driver.get(server.url)
    browser.wait(lambda: browser.script("return Boolean(window.first)"))
    of_game = "#edit, #think, #analyse, #share button"
    assert browser.all(f":is({of_game}):enabled") == []
    browser.press("e", "a", "h", "u", "r", Keys.ARROW_LEFT, Keys.ARROW_RIGHT)
    browser.script("first()")
    browser.wait(lambda: browser.code)
    settled(browser)
    assert browser.all(f":is({of_game}):disabled") == []
    assert browser.errors() == []


# -- the editor --------------------------------------------------------------------------------


def test_an_editor_has_its_own_undo_and_nothing_else_is_done(
    browser: Browser, server: Server
) -> None:
    browser.open(server.url)
    play_against(browser, ["human", "default:level=1"])
    settled(browser)
    before = browser.code
    browser.click("#moves [data-move]")
    browser.wait(lambda: browser.code != before and browser.table("toMove") == "0"
                 and browser.all("#resign:enabled:not([hidden])"))
    settled(browser)
    code = browser.code
    browser.press("e")
    browser.one(EDITING)
    browser.click("#edit-bag")
    browser.wait(lambda: browser.all(f"{EDITING}:enabled"))
    browser.click("#edit")  # it is open already
    browser.click('#editor [data-field="displays[0]"] .add')
    browser.wait(lambda: browser.all("#edit-undo:enabled"))
    for other in ("#undo", "#redo", "#hint", "#resign"):
        assert not browser.one(other).is_enabled()
    browser.press(Keys.ESCAPE)
    browser.click("#edit-discard")
    browser.wait(lambda: browser.all("#resign:enabled, #undo:enabled"))
    assert browser.code == code
    forget(browser, server)


@pytest.mark.parametrize("what", ["a move", "reasons"])
def test_an_editor_is_left_alone_by_what_comes_late(
    browser: Browser, server: Server, what: str
) -> None:
    """It is shown when nothing was edited."""
    position = show(browser, server, DRAFTING)
    settled(browser)
    move = rules_of(position).legal_moves(position)[0]
    if what == "a move":
        browser.script(HOLD, "view")
        browser.click(f'#moves [data-move="{move}"]')
    else:
        browser.click("#hint")
        browser.wait(lambda: browser.all("#table .best"))
        browser.script(HOLD, "explain")
        browser.click("#hint")
    browser.press("e")
    browser.wait(lambda: is_edited(browser))
    release(browser)
    browser.wait(lambda: browser.all(f"{EDITING}:enabled"))
    assert is_edited(browser)
    assert browser.all("#choice .reasons, #table .best") == []
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    shown = position if what == "reasons" else rules_of(position).apply(position, move)
    browser.wait(lambda: browser.code == format_position(shown, "code"))
    settled(browser)


def test_an_editor_stays_at_the_line_that_is_edited(browser: Browser, server: Server) -> None:
    show(browser, server, DRAFTING)
    browser.wait(lambda: browser.all("#analysis [data-move]"))
    browser.click("#analyse")  # stop, so that the rows stay
    code = browser.play(browser.values("#analysis [data-move]", "data-move")[0], within="#analysis")
    settled(browser)
    browser.press("e")
    browser.wait(lambda: is_edited(browser))
    assert not browser.one("#leave").is_displayed()
    browser.script("document.getElementById('leave').click()")
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: not browser.one("#editor").is_displayed())
    browser.wait(lambda: browser.one("#leave").is_displayed())
    assert browser.code == code


def begin_review(browser: Browser, server: Server) -> None:
    """Review the beginning of a game; its judgements are held back."""
    browser.open(server.url)
    browser.script(HOLD, "review")
    paste(browser, json.dumps(cut_short(RECORD, 6).to_json()))
    browser.wait(lambda: browser.code == Play.of(RECORD, 0).code())
    settled(browser)


def test_an_editor_is_left_alone_by_a_review(browser: Browser, server: Server) -> None:
    """The judgement of the decision that is edited is shown afterwards; nothing leads away."""
    begin_review(browser, server)
    browser.press("e")
    browser.wait(lambda: is_edited(browser))
    assert not any(one.is_displayed() for one in browser.all("#steps button, #log button"))
    release(browser)
    browser.wait(lambda: browser.all("#review [data-loss]"))
    assert is_edited(browser)
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: browser.text("#status").startswith("Ply 1, "))


def test_a_choice_is_left_alone_by_a_review(browser: Browser, server: Server) -> None:
    """There are hints in a review, too; why stays when a phone is turned."""
    begin_review(browser, server)
    browser.click("#table .clickable")
    browser.wait(lambda: browser.all("#choice .quiet"))
    release(browser)
    browser.wait(lambda: browser.text("#status").startswith("Ply 1, "))
    assert browser.all("#choice .quiet")
    assert browser.all("#table .lit")
    browser.click("#hint")
    browser.wait(lambda: browser.text("#status").startswith("Hint: "))
    browser.click("#hint")
    browser.wait(lambda: browser.all("#choice .reasons"))
    why = browser.text("#choice")
    turned(browser)
    assert browser.text("#choice") == why
    browser.size(*DEFAULT_SIZE)


def test_an_editor_is_left_alone_by_a_puzzle(browser: Browser, server: Server) -> None:
    """The solution is marked afterwards."""
    puzzle = train(browser, server)
    settled(browser)
    browser.script(HOLD, "analyse")
    other = next(move for move in browser.values("#moves [data-move]", "data-move")
                 if move not in (puzzle.solution.move, puzzle.tempting.move))
    browser.click(f'#moves [data-move="{other}"]')
    browser.press("e")
    browser.wait(lambda: is_edited(browser))
    release(browser)
    browser.wait(lambda: browser.all(f"{EDITING}:enabled"))  # it has said so
    browser.script("document.getElementById('solution').click()")
    browser.wait(lambda: "The best move: " in browser.text("#status"))
    assert is_edited(browser)
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: browser.all("#table .best"))


def test_a_bag_is_settled_once_the_position_is_sound(browser: Browser, server: Server) -> None:
    show(browser, server, DRAFTING)
    settled(browser)
    browser.press("e")
    browser.wait(lambda: browser.all(f"{EDITING}:enabled"))
    browser.click('#editor [data-field="displays[0]"] .add')
    browser.wait(lambda: browser.all("#problems li"))
    browser.click("#edit-bag")
    assert browser.all("#editor [data-field='bag'] .bare") == []  # it is not known what remains
    browser.click('#editor [data-field="displays[0]"] .bare')
    browser.wait(lambda: browser.all("#editor [data-field='bag'] .bare"))
    browser.wait(lambda: browser.all(f"{EDITING}:enabled"))
    browser.click("#edit-undo")  # is not undone itself
    browser.wait(lambda: browser.all("#editor [data-field='bag'] em"))
    browser.wait(lambda: browser.all(f"{EDITING}:enabled"))
    assert browser.one("#edit-redo").is_enabled()
    browser.press(Keys.ESCAPE)
    browser.click("#edit-discard")


# -- choices -----------------------------------------------------------------------------------


def test_the_second_hint_lets_go_as_the_first_one_does(browser: Browser, server: Server) -> None:
    """What is marked can be clicked; what is begun meanwhile stays."""
    position = Play.of(RECORD, MANY_PAYMENTS).position
    browser.open(f"{server.url}?position={format_position(position, 'code')}")
    settled(browser)
    browser.click("#hint")
    browser.wait(lambda: browser.all("#table .best"))
    several = "#table .space.clickable:not([data-move])"
    for _ in range(2):
        browser.click(several)
        browser.wait(lambda: browser.all("#choice .pile"))
        clickable = len(browser.all("#table .space.clickable"))
        browser.click("#hint")
        browser.wait(lambda: browser.all("#choice .reasons"))
        assert len(browser.all("#table .space.clickable")) == clickable + 1
        assert browser.all("#table .lit") == []
        assert "Pass" in browser.text("#choice")
    for control, begun in ((several, "#choice .pile"), ("#resign", "#choice .question")):
        browser.script(HOLD, "explain")
        browser.click("#hint")
        browser.script("document.querySelector(arguments[0])"
                       ".dispatchEvent(new MouseEvent('click'))", control)
        browser.wait(lambda begun=begun: browser.all(begun))
        release(browser)
        browser.press("?")  # whatever the answer does is done by now
        browser.wait(lambda: browser.all("dialog[open]"))
        browser.press(Keys.ESCAPE)
        assert browser.all(begun)


def test_next_stays_until_it_is_pressed(browser: Browser, server: Server) -> None:
    """Esc cancels only what was chosen; a turned phone takes nothing away, nor a hint's key."""
    browser.open(server.url)
    step_through(browser)
    try:
        browser.script(HOLD, "choose")
        play_against(browser, ["default:level=1", "human"])
        browser.script("document.getElementById('paste').focus()")
        release(browser)
        browser.wait(lambda: browser.text("#choice") == "Next")
        assert browser.focused("#paste")  # where somebody may be writing
        browser.script("document.activeElement.blur()")
        said, code = browser.text("#status"), browser.code
        assert "(level 1): " in said
        browser.press(Keys.ESCAPE, "h", "h")  # as the button, which is disabled
        assert browser.text("#status") == said
        for size in ((390, 844), DEFAULT_SIZE):
            first = browser.values("#table svg", "viewBox")
            browser.size(*size)
            browser.wait(lambda first=first: browser.values("#table svg", "viewBox") != first)
            browser.wait(lambda: browser.text("#choice") == "Next")
            assert browser.all("#table .last")
        assert browser.text("#status") == said
        browser.click("#choice button")
        browser.wait(lambda: browser.code != code and browser.table("toMove") == "1")
        settled(browser)
        assert not browser.one("#undo").is_enabled()  # there is no decision of the person's yet
        code = browser.code
        browser.press("u")
        browser.click("#moves [data-move]")
        browser.wait(lambda: browser.code != code)
        browser.wait(lambda: browser.all("#undo:enabled"))
        browser.click("#undo")
        browser.wait(lambda: browser.code == code)
    finally:
        browser.size(*DEFAULT_SIZE)
        step_through(browser)
        forget(browser, server)


def test_a_board_that_was_left_plays_nothing(browser: Browser, server: Server) -> None:
    """Until the next one is drawn a click would be a move in a position that nobody sees."""
    browser.open(server.url)
    paste(browser, json.dumps(cut_short(RECORD, 3).to_json()))
    browser.wait(lambda: browser.all("#review-anew:not([hidden])"))
    settled(browser)
    browser.script(HOLD, "view")
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(lambda: browser.script("return held.length"))
    browser.script("document.querySelectorAll('#moves [data-move]').forEach((one) => one.click())")
    assert browser.script("return held.length") == 1
    release(browser)
    browser.wait(lambda: browser.code == Play.of(RECORD, 1).code())
    assert browser.all("#log .aside") == []


def test_a_click_on_the_last_puzzle_does_not_answer_the_next_one(
    browser: Browser, server: Server
) -> None:
    """Its solution may be asked for before it is drawn."""
    puzzle = train(browser, server)
    browser.script(HOLD, "view")
    browser.click("#next-puzzle")
    browser.wait(lambda: browser.script("return held.length"))
    said = browser.text("#status")
    browser.click(f'#moves [data-move="{puzzle.tempting.move}"]')
    assert browser.text("#status") == said
    browser.click("#solution")
    browser.wait(lambda: "Tempting:" in browser.text("#train-told"))
    release(browser)
    browser.wait(lambda: browser.code != puzzle.position)
    browser.wait(lambda: browser.all("#table .best"))


def test_what_is_to_be_drawn_stays(browser: Browser, server: Server) -> None:
    rules, position = GAMES["summer"], position_of(BONUS)
    position = rules.apply(position, rules.legal_moves(position)[0])
    browser.open(f"{server.url}?position={format_position(position, 'code')}")
    browser.wait(lambda: "Draw them" in browser.text("#choice"))
    browser.press(Keys.ESCAPE)
    assert "Draw them" in browser.text("#choice")


def test_keys_work_after_a_box_is_ticked(browser: Browser, server: Server) -> None:
    """Nor does the button that opens files take them."""
    browser.open(server.url, NOT_TRYING)
    paste(browser, json.dumps(cut_short(RECORD, 20).to_json()))
    browser.wait(lambda: browser.all("#review-stop[hidden]"))
    browser.click("#try-again")
    before = browser.code
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(lambda: browser.code != before)
    browser.script("document.getElementById('file').focus()")
    browser.press(Keys.ARROW_LEFT)
    browser.wait(lambda: browser.code == before)


def test_keys_work_after_something_is_chosen_with_the_mouse(
    browser: Browser, server: Server
) -> None:
    """What is chosen by key keeps them: another may be meant."""
    field = "#review-tools select"
    browser.open(server.url, STEADY)
    paste(browser, json.dumps(blundered().to_json()))
    browser.wait(lambda: browser.all("#review-stop[hidden]"))
    before = browser.code
    browser.press(Keys.ARROW_RIGHT)
    browser.wait(lambda: browser.code != before)
    browser.click(field)
    browser.script("const field = document.querySelector(arguments[0]); field.value = '';"
                   "field.dispatchEvent(new Event('change'))", field)  # as the open list does
    browser.press("n")
    browser.wait(lambda: browser.code == before)
    browser.script("document.querySelector(arguments[0]).focus()", field)
    browser.press(Keys.ARROW_DOWN)
    assert browser.script("return document.activeElement.value") == "0"


# -- what is read ------------------------------------------------------------------------------


def test_the_last_of_two_files_is_shown(browser: Browser, server: Server) -> None:
    """However late the first one comes."""
    show(browser, server, DRAFTING)
    browser.script(HOLD, "import")
    paste(browser, code_of(BONUS))
    browser.wait(lambda: browser.script("return held.length"))
    assert "Reading" in browser.text("#status")
    browser.script("const first = held.pop(); release(); held.push(first);")
    paste(browser, code_of(PLACING))
    browser.wait(lambda: browser.code == code_of(PLACING))
    browser.script("held.pop()()")
    browser.wait(lambda: browser.script("return late"))
    settled(browser)
    assert browser.code == code_of(PLACING)


def test_a_record_that_is_slow_does_not_replace_what_came_after_it(
    browser: Browser, server: Server
) -> None:
    show(browser, server, DRAFTING)
    settled(browser)
    browser.script(HOLD, "replay")
    paste(browser, json.dumps(cut_short(RECORD, 6).to_json()))
    browser.wait(lambda: browser.script("return held.length"))
    paste(browser, code_of(PLACING))
    browser.wait(lambda: browser.code == code_of(PLACING))
    settled(browser)
    release(browser)
    settled(browser)
    assert browser.code == code_of(PLACING)
    assert browser.all("#review [data-ply]") == []


def test_the_last_of_two_records_is_shown(browser: Browser, server: Server) -> None:
    """Though the first one comes while the last one is being read."""
    show(browser, server, DRAFTING)
    browser.script(HOLD, "replay")
    paste(browser, json.dumps(cut_short(RECORD, 6).to_json()))
    browser.wait(lambda: browser.script("return held.length"))
    browser.script("[window.first] = held.splice(0); release();")
    browser.script(HOLD, "import")
    paste(browser, json.dumps(cut_short(RECORD, 3).to_json()))
    browser.wait(lambda: browser.script("return held.length"))
    browser.script("first()")
    browser.wait(lambda: len(browser.all("#review [data-ply]")) > 3)
    release(browser)
    browser.wait(lambda: len(browser.all("#review [data-ply]")) <= 3)
    assert browser.all("#problems li") == []


def test_what_was_asked_for_last_is_shown(browser: Browser, server: Server) -> None:
    """Of a game and a puzzle, and of two games."""
    puzzle = train(browser, server)
    browser.script(HOLD, "puzzle")
    browser.script("for (const id of ['new', 'next-puzzle']) document.getElementById(id).click();")
    release(browser)
    browser.wait(lambda: browser.text("#train-progress").startswith("Puzzle 2 "))
    settled(browser)
    assert browser.code != puzzle.position
    browser.script("const fresh = document.getElementById('new');"
                   "const game = document.querySelector('#settings select');"
                   "fresh.click(); game.value = 'azul'; game.dispatchEvent(new Event('change'));"
                   "fresh.click(); game.value = 'summer'; game.dispatchEvent(new Event('change'));")
    browser.wait(lambda: parse_position(str(browser.code)).position.game == "azul")
    settled(browser)


def test_a_game_asked_for_after_puzzles_is_shown(browser: Browser, server: Server) -> None:
    """Though the puzzles come later."""
    show(browser, server, DRAFTING)
    settled(browser)
    browser.script(HOLD, "puzzles")
    browser.click("#train")
    browser.wait(lambda: browser.script("return held.length"))
    browser.click("#new")
    browser.wait(lambda: browser.code not in (None, code_of(DRAFTING)))
    code = browser.code
    release(browser)
    settled(browser)
    assert browser.code == code


def test_nothing_readable_twice_leaves_the_words_as_they_were(
    browser: Browser, server: Server
) -> None:
    show(browser, server, DRAFTING)
    settled(browser)
    said = browser.text("#status")
    browser.script("const load = document.getElementById('load');"
                   "document.getElementById('paste').value = 'nonsense';"
                   "load.click(); load.click();")
    browser.wait(lambda: browser.all("#problems li"))
    browser.wait(lambda: browser.text("#status") == said)


def test_what_is_read_slowly_does_not_replace_what_was_begun(
    browser: Browser, server: Server
) -> None:
    """Why is told also once the editor is closed, and nothing of what was read before."""
    show(browser, server, DRAFTING)
    settled(browser)
    paste(browser, "nonsense")
    browser.wait(lambda: browser.all("#problems li"))
    browser.script(HOLD, "import")
    paste(browser, code_of(PLACING))
    browser.press("e")
    browser.wait(lambda: is_edited(browser))
    browser.script("const imports = held.splice(0, 1); release(); held.push(...imports);")
    browser.wait(lambda: browser.all(f"{EDITING}:enabled"))
    browser.script("held.pop()()")
    browser.wait(lambda: "you began something else" in browser.text("#problems"))
    assert is_edited(browser)
    assert "Reading" not in browser.text("#status")
    browser.press(Keys.ESCAPE)
    browser.wait(lambda: not is_edited(browser))
    assert "you began something else" in browser.text("#problems")
    assert len(browser.all("#problems li")) == 1
