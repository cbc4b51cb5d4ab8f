"""A network carried over to more players or units says what it said, of the seats that it knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pavilion_ai._core import AzulState, Rng, SummerState
from pavilion_ai.train.carry import carry_over
from pavilion_ai.train.quantise import WholeNet
from pavilion_ai.train.shape import Shape
from tests.train.support import variant_shape

HIDDEN = (32, 16)


def random_net(of: Shape, seed: int) -> WholeNet:
    draw = np.random.default_rng(seed)
    sizes = ((of.inputs, 32), (32,), (32, 16), (16,), (16, of.outputs), (of.outputs,))
    return WholeNet(of, *(draw.integers(-90, 90, size) for size in sizes))


@pytest.mark.parametrize("cls", [SummerState, AzulState])
@pytest.mark.parametrize(("old", "new"), [(2, 3), (2, 4), (3, 4), (3, 2), (2, 2)])
@pytest.mark.parametrize("hidden", [HIDDEN, (64, 16), (32, 32), (128, 48)])
def test_what_both_know_stays(cls: Any, old: int, new: int, hidden: tuple[int, int]) -> None:
    before, after = variant_shape(cls, old), variant_shape(cls, new, hidden)
    net = random_net(before, old + new)
    carried = carry_over(net, after)
    assert carried.shape == after
    first, second = hidden
    assert len(carried.payload) == 2 * (
        (after.inputs + 1) * first + first * second + second * after.outputs
    ) + 4 * (second + after.outputs)
    assert carried.payload == carry_over(net, after).payload
    begins = {name: start for name, start, _, _ in before.groups}
    names = [(name, i) for name, _, size, _ in after.groups for i in range(size)]
    rng = Rng(new)
    state = cls.new(new, False, 0, rng)
    for _ in range(30):
        if state.to_move < 0:
            state.draw(rng)
            continue
        seen = state.inputs()
        known = [begins[names[n][0]] + names[n][1] for n in seen if names[n][0] in begins]
        assert len(known) < len(seen) or new <= old
        one = carried.evaluate(np.array([seen]))[0]
        other = net.evaluate(np.array([known]))[0]
        for kind in range(3):
            for seat in range(new):
                assert one[kind * new + seat] == other[kind * old + min(seat, old - 1)]
        assert np.array_equal(one[after.values:], other[before.values:])
        state.apply(state.random_move(rng))


def test_new_units_see_something_and_nobody_listens() -> None:
    before, after = variant_shape(AzulState, 2), variant_shape(AzulState, 2, (64, 32))
    carried = carry_over(random_net(before, 5), after)
    assert (carried.w1[:, 32:].std(0) > 0).all()
    assert (carried.w2[:, 16:].std(0) > 0).all()
    assert not carried.w2[32:, :16].any()
    assert not carried.w3[16:].any()
