"""Whole numbers: the payload, what does not fit, agreement with the floats. No torch needed."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pavilion_ai.errors import PavilionError
from pavilion_ai.network import NETS, network_bytes, read_network
from pavilion_ai.train.quantise import (
    ACTIVATION,
    LARGEST_WEIGHT,
    WholeNet,
    compare,
    quantise,
    read_whole,
)
from pavilion_ai.train.shape import Shape, Weights
from tests.train.support import GROUPS, INPUTS, POLICY, made_up_samples

SHAPE = Shape(GROUPS, 2, POLICY, 32, 16)


def random_weights(seed: int = 0, scale: float = 0.4) -> Weights:
    random = np.random.default_rng(seed)

    def draw(*size: int) -> np.ndarray:
        return (random.standard_normal(size) * scale).astype(np.float32)

    return Weights(
        SHAPE,
        draw(INPUTS, 32),
        draw(32),
        draw(32, 16),
        draw(16),
        draw(16, SHAPE.outputs),
        draw(SHAPE.outputs),
    )


def literal(net: WholeNet, active: list[int]) -> list[int]:
    """Compute the outputs with Python's whole numbers, wrapping where the computation does."""
    a1 = []
    for unit in range(32):
        acc = int(net.b1[unit]) + sum(int(net.w1[number, unit]) for number in active)
        acc = (acc + 2**15) % 2**16 - 2**15
        a1.append(min(max(acc, 0), 4096))
    a2 = []
    for unit in range(16):
        acc = int(net.b2[unit]) + sum(a * int(w) for a, w in zip(a1, net.w2[:, unit], strict=True))
        a2.append(min(max((acc + 2**11) >> 12, 0), 4096))
    return [
        int(net.b3[out]) + sum(a * int(w) for a, w in zip(a2, net.w3[:, out], strict=True))
        for out in range(SHAPE.outputs)
    ]


def test_the_computation_is_the_literal_one() -> None:
    samples = made_up_samples(20)
    for scale in (0.05, 0.4, 4.0):
        weights = random_weights(scale=scale)
        if scale > 1:  # sums of the first layer that wrap around
            weights = replace(weights, w2=weights.w2 / 8, w3=weights.w3 / 8)
        net = quantise(weights)
        for row, outputs in zip(samples.inputs, net.evaluate(samples.inputs), strict=True):
            assert outputs.tolist() == literal(net, [n for n in row.tolist() if n < INPUTS])


def test_payload_goes_there_and_back() -> None:
    net = quantise(random_weights())
    payload = net.payload
    assert len(payload) == 2 * (INPUTS * 32 + 32 + 32 * 16 + 16 * 26) + 4 * (16 + 26)
    again = WholeNet.from_payload(SHAPE, payload)
    for name in ("w1", "b1", "w2", "b2", "w3", "b3"):
        assert np.array_equal(getattr(again, name), getattr(net, name))
    with pytest.raises(PavilionError, match="bytes"):
        WholeNet.from_payload(SHAPE, payload[:-1])


def test_a_network_of_other_inputs_is_refused_as_that(tmp_path: Path) -> None:
    header, payload = read_network(NETS / "azul-coloured-2.net")
    (tmp_path / "old.net").write_bytes(network_bytes(
        replace(header, inputs=header.inputs - 1), payload[2 * header.hidden[0] :]))
    with pytest.raises(PavilionError, match=rf"old\.net: made for .*: {header.inputs - 1} inputs"):
        read_whole(tmp_path / "old.net")


def test_whole_numbers_agree_with_floats() -> None:
    samples = made_up_samples(300)
    weights = random_weights(scale=0.2)
    agreement = compare(weights, quantise(weights), samples)
    assert agreement.positions == 300
    assert agreement.win_mean < 5e-4
    assert agreement.win_most < 3e-3
    assert agreement.policy_most < 5e-3
    assert 0 < agreement.largest_sum < 32767


@pytest.mark.parametrize(
    ("name", "value"),
    [("w1", 32.0), ("b1", -32.1), ("w2", 8.0), ("w3", -8.01), ("b3", 512.0), ("w2", np.nan)],
)
def test_weights_out_of_range_are_refused(name: str, value: float) -> None:
    weights = random_weights()
    getattr(weights, name).flat[3] = value
    with pytest.raises(PavilionError, match=f"weights {name} up to"):
        quantise(weights)


def test_layers_that_could_overflow_are_refused() -> None:
    weights = random_weights()
    weights.w2[:, 5] = 4.0
    with pytest.raises(PavilionError, match="layer 2: sums up to 512"):
        quantise(weights)


@pytest.mark.parametrize(("most", "refused"), [(32767, False), (32768, True)])
def test_first_sums_that_wrap_on_a_real_position_are_refused(most: int, refused: bool) -> None:
    weights, samples = random_weights(scale=0.0), made_up_samples(50)
    active = (samples.inputs < samples.input_count).sum(1).max()
    weights.w1[:, 7] = most // active / ACTIVATION
    weights.b1[7] = most % active / ACTIVATION
    with (pytest.raises(PavilionError, match="a sum of the first layer is 32768") if refused
          else nullcontext()):
        assert compare(weights, quantise(weights), samples).largest_sum == most


def test_groups_must_tile_the_inputs() -> None:
    with pytest.raises(PavilionError, match=r"'seat\.hand'"):
        Shape((("round", 0, 6, True), ("seat.hand", 7, 8, False)), 2, POLICY)


@pytest.mark.parametrize("factor", [0.9, 1.0, 1.25])
def test_points_to_come_can_be_scaled_and_nothing_else_changes(factor: float) -> None:
    net, inputs = quantise(random_weights()), made_up_samples(50).inputs
    before, after = net.evaluate(inputs), net.with_gains(factor).evaluate(inputs)
    gains = np.arange(SHAPE.outputs) // SHAPE.players == 2
    assert np.array_equal(before[:, ~gains], after[:, ~gains])
    assert after[:, gains] == pytest.approx(factor * before[:, gains], abs=2**14)
    assert (factor == 1.0) == np.array_equal(before, after)


def test_scaled_weights_stay_within_their_bounds() -> None:
    net = quantise(random_weights(scale=0.5)).with_gains(1000.0)
    assert np.abs(net.w3).max() <= LARGEST_WEIGHT["w3"] * 4096
    assert WholeNet.from_payload(SHAPE, net.payload).payload == net.payload
