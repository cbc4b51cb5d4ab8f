"""What a person types about the tiles of a game that is played with real ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pavilion_ai.cli.program import FAILED, CommandError
from pavilion_ai.cli.said import say, typed
from pavilion_ai.errors import PositionError

if TYPE_CHECKING:
    from pavilion_ai.games import Rules
    from pavilion_ai.position import Position

PROMPTS = {
    "deal": "tiles of each display, such as {example} ...> ",
    "supply": "tiles added to the supply, such as {example}> ",
}
"""What is asked in each chance phase."""
REFUSAL = "Not possible: {}"


def prompt_of(rules: Rules, chance: str) -> str:
    """Return the question for the tiles of a chance phase."""
    letters = rules.table.letters
    example = {"deal": f"{letters[:4]} {2 * letters[4]}{letters[0]}{letters[2]} -",
               "supply": letters[:3]}
    return PROMPTS[chance].format(example=example[chance])


def chance_move(chance: str, text: str) -> str:
    """Return the chance move that typed tiles stand for; blanks are between displays.

    >>> chance_move("deal", "GOYR ppbr, - -"), chance_move("supply", "2p, o")
    ('deal:GOYR,ppbr,-,-', 'supply:2po')
    """
    tiles = re.split(r"[\s,]+", text.strip(" ,"))
    return f"{chance}:{(',' if chance == 'deal' else '').join(tiles)}"


def opening_of(rules: Rules, board: str, players: int) -> Position:
    """Ask for the displays, the supply and the start player of a new game.

    Raises:
        CommandError: the input ends.
    """
    from pavilion_ai.notation import parse_position

    say(f"What lies on the table? Colours are {rules.table.letters}.")
    while True:
        text = f"game: {rules.name}\nboard: {board}\nplayers: {players}\n"
        try:
            text += f"displays: {typed(prompt_of(rules, 'deal'))}\n"
            if "bonus" in rules.phases:
                text += f"supply: {typed('all tiles of the supply> ')}\n"
            text += f"start seat: {typed(f'seat that begins, 0 to {players - 1}> ')}\n"
        except EOFError:
            raise CommandError("standard input ended before the tiles on the table were typed",
                               FAILED) from None
        try:
            return parse_position(text).position
        except PositionError as error:
            for problem in error.problems:
                say(REFUSAL.format(f"{problem.where}: {problem.message}"))
