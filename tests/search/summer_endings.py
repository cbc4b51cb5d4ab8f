"""Small endings of round 6, made from a seed, that brute force can solve."""

from __future__ import annotations

import random

from pavilion_ai._core import SummerState

from .support import NO_TILES, PLACE, make_state, walk

Tiles = tuple[int, ...]

CHEAP = {False: (0, 1), True: (2, 1)}
"""By board side: the positions of an outer star that cost 1 and 2, counted from 0."""


def counted(colours: list[int]) -> Tiles:
    return tuple(colours.count(colour) for colour in range(6))


def cut_hands(players: int, grey: bool, seed: int, hand: int) -> SummerState:
    """Return the last placing phase of a random game, hands cut, supply full, nothing to draw."""
    choose = random.Random(seed)
    state = next(s for s in walk(players, grey, seed) if s.round == 6 and s.phase == PLACE)
    hands, boards, scores = [], [], []
    for _, tiles, *_, board in state.fields()[16]:
        colours = [colour for colour, n in enumerate(tiles) for _ in range(n)]
        hands.append(counted(choose.sample(colours, min(hand, len(colours)))))
        boards.append(board)
        scores.append(20 + choose.randrange(4))
    supply = counted([choose.randrange(6) for _ in range(10)])
    return make_state(hands, boards=boards, scores=scores, grey=grey, supply=supply,
                      to_move=state.to_move)


def with_holes(
    seed: int, *, grey: bool = False, holes: int = 2, hand: int = 2, bag: int = 4,
    passed: bool = False, dearest: int = 2, bag_size: int = -1,
) -> SummerState:
    """Return two full boards but for some cheap spaces whose filling completes a statue or pillar.

    The bonus tiles come from a supply of few colours and are replaced from a small bag, so that
    draws decide what can be filled next.

    Args:
        passed: whether seat 1 is out already.
        dearest: 2 for spaces that cost 1 or 2, 1 for those that cost 1 alone.
    """
    choose = random.Random(seed)
    hands, boards = [], []
    for _ in range(2):
        board = [1 + (0, 2, 5, 4, 3, 1, 0)[space // 6] for space in range(36)] + [1, 2, 3, 4, 5, 6]
        wanted = []
        for site in choose.sample(range(6), holes):
            wanted.append(board[6 * site] - 1)
            board[6 * site + choose.choice(CHEAP[grey][:dearest])] = 0
        boards.append(board)
        hands.append(counted([*wanted[:1], *(choose.choice([*wanted, 5])
                                             for _ in range(hand - 1))]))
    few = [choose.randrange(6) for _ in range(3)]
    supply = counted([choose.choice(few) for _ in range(10)])
    return make_state(
        hands if not passed else [hands[0], NO_TILES], boards=boards, grey=grey, supply=supply,
        scores=[30, 30 + choose.randrange(5)], passed=[1] if passed else [], bag_size=bag_size,
        bag=counted([choose.randrange(6) for _ in range(bag)]))
