"""Endings by brute force: every move and every draw, tile by tile, and nothing remembered.

It uses the rules of positions only (`legal_moves`, `apply`), none of the solver's shortcuts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from pavilion_ai.agents import make_agent
from pavilion_ai.games import rules_of
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.search import tunables_for

Worth = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
"""Shares of the victory, leads and utilities, by seat."""


def value(position: Position, mover: int, others: str) -> Worth:
    """Return the expectations of a position whose round is the last."""
    rules = rules_of(position)
    if position.phase == "over":
        return at_the_end(position)
    if position.phase == "supply":
        return mixed([(value(rules.apply(position, f"supply:{tiles}"), mover, others), chance)
                      for tiles, chance in top_ups(position)])
    assert position.phase != "deal"
    seat = position.to_move
    assert seat is not None
    moves = rules.legal_moves(position)
    if others == "policy" and seat != mover:
        moves = [make_agent("policy").choose(Play(position))]
    found = [value(rules.apply(position, move), mover, others) for move in moves]
    keys = [aims(one, seat, seat == mover, others) for one in found]
    best = [one for one, key in zip(found, keys, strict=True) if key == max(keys)]
    return mixed([(one, 1 / len(best)) for one in best])


def aims(worth: Worth, seat: int, own: bool, others: str) -> tuple[float, ...]:
    wins, leads, utilities = (round(part[seat], 9) for part in worth)
    if own or others == "maximise":
        return wins, leads
    return (utilities,) if others == "utility" else (wins,)


def at_the_end(position: Position) -> Worth:
    rules = rules_of(position)
    winners, scores = rules.winners(position), [seat.score for seat in position.seats]
    wins = [(seat in winners) / len(winners) for seat in range(len(scores))]
    leads = [own - max(score for other, score in enumerate(scores) if other != seat)
             for seat, own in enumerate(scores)]
    settings = tunables_for(rules)
    utilities = [settings.win_weight * win
                 + (1 - settings.win_weight) / (1 + math.exp(-2 * ahead / settings.width))
                 for win, ahead in zip(wins, leads, strict=True)]
    return tuple(wins), tuple(map(float, leads)), tuple(utilities)


def mixed(outcomes: list[tuple[Worth, float]]) -> Worth:
    wins, leads, utilities = (
        tuple(sum(chance * worth[part][seat] for worth, chance in outcomes)
              for seat in range(len(outcomes[0][0][0]))) for part in range(3))
    return wins, leads, utilities


def top_ups(position: Position) -> Iterator[tuple[str, float]]:
    """Yield the draws of a top-up with their chances, drawn tile by tile (A9)."""
    letters = rules_of(position).colours
    due = 10 - sum(position.supply)
    chances: Counter[tuple[int, ...]] = Counter()

    def draw(bag: list[int], tower: list[int], drawn: list[int], chance: float) -> None:
        if sum(drawn) == due or not sum(bag) + sum(tower):
            chances[tuple(drawn)] += chance
            return
        if not sum(bag):
            bag, tower = tower, [0] * len(tower)
        for colour, count in enumerate(bag):
            if count:
                left, more = list(bag), list(drawn)
                left[colour] -= 1
                more[colour] += 1
                draw(left, tower, more, chance * count / sum(bag))

    draw(list(position.bag), list(position.tower), [0] * len(letters), 1.0)
    for drawn, chance in chances.items():
        yield "".join(f"{count if count > 1 else ''}{letter}"
                      for count, letter in zip(drawn, letters, strict=True) if count), chance
