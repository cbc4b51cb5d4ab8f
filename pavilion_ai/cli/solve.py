"""The command `solve`: the exact values of the end of a game."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from pavilion_ai.bounds import OTHERS, SOLVE_MEMORY_MIB
from pavilion_ai.cli.exits import DONE, FAILED, INTERRUPTED, CommandError
from pavilion_ai.cli.files import read_position
from pavilion_ai.cli.options import COUNT, MEMORY, json_option, position_argument
from pavilion_ai.cli.positions import nobody_to_move
from pavilion_ai.cli.said import note, say

if TYPE_CHECKING:
    from pavilion_ai.position import Position
    from pavilion_ai.solve import Solution

SHOWN_MOVES = 5


@click.command()
@position_argument
@click.option("--others", type=click.Choice(OTHERS), default=OTHERS[0], show_default=True,
              help="What the other seats do (see the documentation).")
@click.option("--memory", type=MEMORY, default=SOLVE_MEMORY_MIB, show_default=True, metavar="MIB",
              help="Memory for positions, at most.")
@click.option("--top", type=COUNT, metavar="K",
              help=f"Number of moves shown; default {SHOWN_MOVES}.")
@json_option
def solve(pos: str, others: str, memory: int, top: int | None, as_json: bool) -> int:
    """Solve a position of the last round exactly, by every move and every draw.

    The seat to move plays for its chance to win, then for its lead. A position that is too large
    is refused (exit code 1); the last few turns of a game are small enough.
    """
    from pavilion_ai.exact import guesses_bag
    from pavilion_ai.play import Play
    from pavilion_ai.solve import (
        BYTES_PER_POSITION,
        NotLastRoundError,
        TooLargeError,
        solve_position,
    )

    play = Play(read_position(pos))
    if play.turn is None:
        raise CommandError(nobody_to_move(play.chance))
    limit = (memory << 20) // BYTES_PER_POSITION
    try:
        solution = solve_position(play, others, limit)
    except NotLastRoundError as error:
        raise CommandError(str(error)) from None
    except TooLargeError as error:
        raise CommandError(f"{error} (--memory {memory})", FAILED) from None
    except KeyboardInterrupt:
        note("interrupted before the position was solved; nothing is kept")
        return INTERRUPTED
    if guesses_bag(play, solution):
        note("the bag is not known: all unseen tiles taken as in the bag")
    if as_json:
        say(json.dumps(solution.to_json(top)))
    else:
        _print(solution, play.position, top or SHOWN_MOVES)
    return DONE


def _print(solution: Solution, position: Position, top: int) -> None:
    from pavilion_ai.render.solve_text import solution_lines
    from pavilion_ai.render.text import width_of, write

    write(solution_lines(solution, position, top=top, width=width_of()))
