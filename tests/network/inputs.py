"""Positions whose inputs are looked at, and inputs by group, for the networks of both games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from pavilion_ai._core import AzulState, Rng, SummerState, input_groups
from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position

AnyState = TypeVar("AnyState", AzulState, SummerState)


def played(
    state_class: type[AnyState], players: int, grey: bool, seed: int, plies: int, well: bool
) -> AnyState:
    """Play so many plies, or fewer where the game would be over."""
    rng = Rng(seed)
    state = state_class.new(players, grey, seed % players, rng)
    for _ in range(plies):
        after = state.copy()
        if after.to_move < 0:
            after.draw(rng)
        else:
            after.apply(after.policy_move(rng) if well else after.random_move(rng))
        if after.over:
            break
        state = after
    return state


def made_up(game: str, seed: int, make: Callable[[Random], Any]) -> Any:
    return GAMES[game].to_core(parse_position(make(Random(seed))).position)


def turned(state: AnyState, by: int, seats: Sequence[int]) -> AnyState:
    """Return a state with its seats moved on; `seats` are the places of seats among its fields."""
    fields = list(state.fields())
    players = fields[0]
    for place in seats:
        if fields[place] >= 0:
            fields[place] = (fields[place] + by) % players
    fields[-1] = [fields[-1][(seat - by) % players] for seat in range(players)]
    return type(state)(*fields)


def by_group(state: AzulState | SummerState) -> dict[str, Counter[int]]:
    """The active inputs, numbered within their groups."""
    groups = input_groups(type(state), state.players)
    names = [(name, first) for name, first, size, _ in groups for _ in range(size)]
    found: dict[str, Counter[int]] = {name: Counter() for name, _, _, _ in groups}
    for number in state.inputs():
        name, first = names[number]
        found[name][number - first] += 1
    return found


def kind(name: str) -> str:
    """The name of a group without its seat and its number."""
    parts = name.split(".")
    return parts[1] if parts[0].startswith("seat") else parts[0]


def tiled(groups: Sequence[tuple[str, int, int, bool]]) -> int:
    """Check that the groups follow one another without a gap, and return where they end."""
    end = 0
    for _, first, size, _ in groups:
        assert first == end
        end += size
    assert len({name for name, _, _, _ in groups}) == len(groups)
    return end
