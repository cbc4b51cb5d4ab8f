"""What a person types about the tiles of a game that is played with real ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pavilion_ai.cli.exits import FAILED, CommandError
from pavilion_ai.cli.said import QUIT, say, typed
from pavilion_ai.errors import PositionError, Problem
from pavilion_ai.render.text import width_of, wrap, write
from pavilion_ai.wording import plural

if TYPE_CHECKING:
    from pavilion_ai.games import Rules
    from pavilion_ai.position import Position

REFUSAL = "Not possible: {}"
_ASKED = "What lies on the table? Colours are {letters}; `quit` leaves."


def prompt_of(rules: Rules, chance: str, due: int = 0) -> str:
    """Return the question for the tiles of a chance phase.

    Args:
        due: tiles that the supply lacks.
    """
    letters = rules.table.letters
    if chance == "supply":
        return f"{plural(due, 'tile')} added to the supply, such as {letters[:min(due, 3)]}> "
    return (f"tiles of each display, such as"
            f" {letters[:4]} {2 * letters[4]}{letters[0]}{letters[2]} ...> ")


def chance_move(chance: str, text: str) -> str:
    """Return the chance move that typed tiles stand for; blanks are between displays.

    >>> chance_move("deal", "GOYR ppbr, - -"), chance_move("supply", "supply: 2p, o")
    ('deal:GOYR,PPBR,-,-', 'supply:2PO')
    """
    tiles = text.strip().upper().removeprefix(f"{chance.upper()}:").strip(" ,")
    return f"{chance}:" + ("," if chance == "deal" else "").join(re.split(r"[\s,]+", tiles))


def opening_of(rules: Rules, board: str, players: int) -> Position | None:
    """Ask for the displays, the supply and the start player of a new game; None to leave.

    Raises:
        CommandError: the input ends.
    """
    from pavilion_ai.notation import parse_position

    full = rules.new(board, players, seed=0)
    supply = _supply(full)
    text = f"game: {rules.name}\nboard: {board}\nplayers: {players}\n"
    asked = [("displays", prompt_of(rules, "deal"))]
    if supply:
        asked += [("supply", f"all {supply} tiles of the supply> ")]
    asked += [("start seat", f"seat that begins, 0 to {players - 1}> ")]
    say(_ASKED.format(letters=rules.table.letters))

    found = full
    for key, prompt in asked:
        while True:
            answer = _answer(prompt)
            if answer is None:
                return None
            more = f"{key}: {answer.upper()}\n"
            try:
                found = parse_position(text + more).position
                _check_full(found, full, key)
            except PositionError as error:
                for problem in error.problems:
                    told = REFUSAL.format(f"{problem.where}: {problem.message}")
                    write(wrap([told], width_of(), 4))
            else:
                text += more
                break
    return found


def _answer(prompt: str) -> str | None:
    """Return what a person answers, None to leave."""
    try:
        text = typed(prompt)
    except EOFError:
        raise CommandError("standard input ended before the tiles on the table were typed",
                           FAILED) from None
    return None if text.lower() in QUIT else text


def _check_full(found: Position, full: Position, key: str) -> None:
    """Refuse tiles of an opening, displays or supply, if there are fewer than in another one."""
    problems = [
        Problem("totals", f"displays[{place}]",
                f"found {plural(sum(tiles), 'tile')} on display {place + 1}, expected {sum(there)}")
        for place, (tiles, there) in enumerate(zip(found.displays, full.displays, strict=True))
        if sum(tiles) != sum(there)]
    if key == "supply" and _supply(found) != _supply(full):
        told = f"found {plural(_supply(found), 'tile')}, expected {_supply(full)}"
        problems.append(Problem("totals", "supply", told))
    if problems:
        raise PositionError(problems)


def _supply(position: Position) -> int:
    """Return how many tiles lie in the supply; 0 in a game without one."""
    return sum(getattr(position, "supply", ()))
