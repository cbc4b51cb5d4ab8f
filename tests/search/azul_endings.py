"""Small ends of rounds of base Azul that brute force can solve, and some made to have one answer.

Since a round once dealt holds no draws, its end can be solved whatever the players: up to the end
of the game if it is the last round, else up to what the evaluation makes of the deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import count, islice
from typing import Any

from pavilion_ai._core import AzulState

from .azul_positions import make_azul
from .expectimax import Solver, balanced
from .support import WALL, walk

LAST_ROUND = 50
"""The guard ends the game after it (B9), so that any end of a round can be made the last."""

SIZES = range(12, 1500)
"""Lines of play of the ends of rounds taken."""

DEEP = 99

SETS_LEFT = 5
"""Columns or sets of tiles to choose from at most; with more, even counting takes too long."""


def with_round(state: Any, number: int) -> AzulState:
    """Return the state in another round."""
    fields = list(state.fields())
    fields[2] = number
    return AzulState(*fields)


def ends_of_rounds(players: int, grey: bool, phase: int, seed: int) -> Iterator[AzulState]:
    """Yield one state of every round in which so few lines of play are left, game after game."""
    for game in count(seed):
        rounds = set()
        for state in walk(players, grey, game, "azul"):
            if state.phase != phase or state.round in rounds or state.round < 3:
                continue
            moves = state.moves()
            if len(moves) == 1 or len({move[1:3] for move in moves}) > SETS_LEFT:
                continue
            if with_round(state, LAST_ROUND).perft(DEEP) in SIZES:
                rounds.add(state.round)
                yield state


def worth_choosing(state: AzulState) -> bool:
    """Whether best play wins the ending and some other move does not."""
    values = Solver("azul").moves(state).values()
    wins = {value.wins[state.to_move] for value in values}
    return max(wins) == 1 and len(wins) > 1


@cache
def last_rounds(grey: bool, phase: int, number: int, seed: int = 1) -> tuple[AzulState, ...]:
    """Return endings of two players that best play wins by a point and other play may not."""
    found = []
    for state in ends_of_rounds(2, grey, phase, seed):
        last = with_round(state, LAST_ROUND)
        last = balanced(last, ahead=1 if last.to_move == 0 else -1)
        if worth_choosing(last):
            found.append(last)
        if len(found) == number:
            break
    return tuple(found)


def other_rounds(players: int, grey: bool, number: int, seed: int = 1) -> list[AzulState]:
    """Return ends of rounds after which the game goes on, or may end."""
    return list(islice(ends_of_rounds(players, grey, 0, seed), number))


def alone(players: int, number: int, seed: int = 1) -> list[AzulState]:
    """Return choices of columns in a last round when nobody else has a full line left."""
    found = []
    for state in ends_of_rounds(players, True, WALL, seed):
        seats = state.fields()[13]
        if any(held == line + 1 for index, seat in enumerate(seats) if index != state.to_move
               for line, (_, held) in enumerate(seat[1])):
            continue
        found.append(with_round(state, LAST_ROUND))
        if len(found) == number:
            break
    return found


# ------------------------------------------------------------------------- made by hand

A_ROW_OF_B = "1.2 1.3 1.4 1.5"
"""All of row 1 but blue, which a full line 1 completes."""


def tied_on_points() -> AzulState:
    """Return a last draft in which 2K and 3K are worth 7 points both, and 44 is level.

    Line 2 completes a row, 5 points and 2 at the end, and then seat 0 has two rows to one. Line 3
    makes runs of 4 and 3; then each seat has one.
    """
    return make_azul(
        centre="K", token=1, scores=[30, 38],
        lines=[["-", "K", "KK", "-", "BBBBB"], ["B", "-", "-", "-", "-"]],
        walls=["1.1 2.1 2.2 2.3 2.4 3.2 3.3 3.4 5.1 5.2 5.3 5.4", A_ROW_OF_B],
        floors=["", "*"])


def the_pile() -> AzulState:
    """Return a last round in which nobody has a line for yellow, and somebody must take six.

    Of three sets of tiles the first player would take the third, too. Taking 3Y to the floor line
    leaves the red tile in the centre and makes it four.
    """
    busy = ["K", "R", "WW", "KKK"]
    return make_azul(
        displays=["RYYY", "BBBB"], centre="YYYYYY", token=1, round=LAST_ROUND, scores=[30, 30],
        lines=[[*busy, "B"], [*busy, "B"]], walls=["", ""], floors=["", "*"])


STRONG = "1.1 1.2 1.4 2.1 2.2 2.3 3.1 3.2 3.3 4.1 4.2 4.3"
"""A wall that makes 21 points with one more tile in each of three columns."""


def ahead_and_the_other_strong() -> AzulState:
    """Return a last draft of round 4: a row completed now wins, later the other one is better."""
    return make_azul(
        centre="K", token=1, round=4, scores=[40, 38],
        lines=[["-"] * 5, ["-", "-", "-", "BBB", "YYYY"]],
        walls=["1.1 1.2 1.3 1.5", STRONG], floors=["", "*"])


def behind_and_strong() -> AzulState:
    """Return a last draft of round 4: a row completed now loses by points, later there is hope."""
    return make_azul(
        centre="Y", token=1, round=4, scores=[30, 50],
        lines=[["-", "-", "-", "BBB", "YYYY"], ["-"] * 5],
        walls=[STRONG.replace("1.4", "1.3 1.4 1.5").replace("1.2 ", ""), "3.3"],
        floors=["", "*"])


def two_columns_for_two_lines() -> AzulState:
    """Return AZ-22: column 2 blocks the second line, whose tiles then fall; column 1 does not."""
    return make_azul(
        grey=True, phase=WALL, token=0, round=LAST_ROUND, scores=[10, 13],
        lines=[["Y", "YY", "-", "-", "-"], ["-"] * 5],
        walls=["1.3:B 1.4:R 1.5:K 2.1:B 2.3:R 2.4:K 2.5:W", ""])
