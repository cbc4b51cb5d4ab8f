"""A network carried over to more players says what it said, of the seats that it knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pavilion_ai._core import POLICY_SIZES, AzulState, Rng, SummerState, input_groups
from pavilion_ai.train.carry import carry_over
from pavilion_ai.train.quantise import WholeNet
from pavilion_ai.train.shape import Shape

HIDDEN = (32, 16)


def shape(cls: Any, players: int) -> Shape:
    return Shape(tuple(input_groups(cls, players)), players, POLICY_SIZES[cls], *HIDDEN)


def random_net(of: Shape, seed: int) -> WholeNet:
    draw = np.random.default_rng(seed)
    sizes = ((of.inputs, 32), (32,), (32, 16), (16,), (16, of.outputs), (of.outputs,))
    return WholeNet(of, *(draw.integers(-90, 90, size) for size in sizes))


@pytest.mark.parametrize("cls", [SummerState, AzulState])
@pytest.mark.parametrize(("old", "new"), [(2, 3), (2, 4), (3, 4), (3, 2), (2, 2)])
def test_what_both_know_stays(cls: Any, old: int, new: int) -> None:
    before, after = shape(cls, old), shape(cls, new)
    net = random_net(before, old + new)
    carried = carry_over(net, after)
    assert carried.shape == after
    assert len(carried.payload) == 2 * (
        after.inputs * 32 + 32 + 32 * 16 + 16 * after.outputs) + 4 * (16 + after.outputs)
    first = {name: start for name, start, _, _ in before.groups}
    names = [(name, i) for name, _, size, _ in after.groups for i in range(size)]
    rng = Rng(new)
    state = cls.new(new, False, 0, rng)
    for _ in range(30):
        if state.to_move < 0:
            state.draw(rng)
            continue
        seen = state.inputs()
        known = [first[names[n][0]] + names[n][1] for n in seen if names[n][0] in first]
        assert len(known) < len(seen) or new <= old
        one = carried.evaluate(np.array([seen]))[0]
        other = net.evaluate(np.array([known]))[0]
        for kind in range(3):
            for seat in range(new):
                assert one[kind * new + seat] == other[kind * old + min(seat, old - 1)]
        assert np.array_equal(one[after.values:], other[before.values:])
        state.apply(state.random_move(rng))
