"""The network's inference: every kernel against arrays, number by number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pavilion_ai._core import Network, network_kernels
from tests.network.reference import CLIP, TABLE_LIMIT, Weights, random_weights

KERNELS = network_kernels()
HIDDEN1 = (32, 64, 128, 192, 256)
HIDDEN2 = tuple(range(16, 129, 16))
INPUTS = 211
BENCHED = (1200, 128, 32, 2, 330)


def network(weights: Weights, players: int, kernel: str | None = None) -> Network:
    """Make a network of weights."""
    inputs, hidden1 = weights.w1.shape
    hidden2, outputs = weights.w3.shape
    return Network(
        inputs, hidden1, hidden2, players, outputs - 3 * players, weights.payload, kernel
    )


def agree(weights: Weights, players: int, inputs: list[int]) -> None:
    """Demand that all kernels compute the outputs and the table of the reference."""
    outputs, table = weights.outputs(inputs), weights.table(inputs, 3 * players)
    for kernel in KERNELS:
        net = network(weights, players, kernel)
        assert net.kernel == kernel
        assert net.evaluate(inputs) == outputs, kernel
        assert net.policy_table(inputs) == table, kernel


@pytest.mark.parametrize("hidden1", HIDDEN1)
@pytest.mark.parametrize("extreme", [False, True], ids=["usual", "extreme"])
def test_every_shape(hidden1: int, extreme: bool) -> None:
    rng = np.random.default_rng(hidden1)
    for hidden2 in HIDDEN2:
        for players, policy in ((2, 163), (3, 0), (4, 17), (2, 16)):
            weights = random_weights(
                hidden2, INPUTS, hidden1, hidden2, 3 * players + policy, extreme
            )
            agree(weights, players, rng.integers(0, INPUTS, 90).tolist())


@settings(max_examples=60)
@given(
    st.integers(0, 2**32), st.sampled_from(HIDDEN1), st.sampled_from(HIDDEN2), st.integers(2, 4),
    st.integers(0, 70), st.booleans(), st.lists(st.integers(0, INPUTS - 1), max_size=600),
)
def test_any_inputs(
    seed: int, hidden1: int, hidden2: int, players: int, policy: int, extreme: bool,
    inputs: list[int],
) -> None:
    agree(
        random_weights(seed, INPUTS, hidden1, hidden2, 3 * players + policy, extreme),
        players, inputs,
    )


def test_usual_weights_reach_both_ends_of_the_clipped_units() -> None:
    weights = random_weights(1, INPUTS, 128, 32, 6 + 40)
    inputs = np.random.default_rng(1).integers(0, INPUTS, 150).tolist()
    for layer in weights.hidden(inputs):
        assert {0, CLIP} < set(layer.tolist())
    agree(weights, 2, inputs)


@pytest.mark.parametrize("w1", [-32768, -1, 0, 1, 4096, 32767])
@pytest.mark.parametrize("w", [-32768, -4096, 0, 4096, 32767])
def test_ends_of_the_ranges(w1: int, w: int) -> None:
    full = {name: np.full(shape, value, dtype=np.int64) for name, shape, value in (
        ("w1", (3, 256), w1), ("b1", (256,), w1), ("w2", (256, 128), w),
        ("b2", (128,), (1 << 31) - 1 if w > 0 else -(1 << 31)), ("w3", (128, 6 + 35), w),
        ("b3", (6 + 35,), (1 << 31) - 1 if w > 0 else -(1 << 31)))}
    for count in (0, 1, 2, 7, 8, 511):
        agree(Weights(**full), 2, [1] * count)


def test_both_ends_of_the_table() -> None:
    weights = random_weights(3, INPUTS, 32, 16, 6 + 3)
    weights.w3[:] = 0
    weights.b3[6:] = [1 << 30, -(1 << 30), 5 << 14]
    assert network(weights, 2).policy_table([]) == [TABLE_LIMIT, -TABLE_LIMIT, 5]
    agree(weights, 2, [])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("hidden2", [16, 32, 128])
def test_ranges_of_outputs(kernel: str, hidden2: int) -> None:
    players, policy = 3, 300
    weights = random_weights(5, INPUTS, 64, hidden2, 3 * players + policy)
    net, inputs = network(weights, players, kernel), list(range(0, INPUTS, 3))
    outputs, table = net.evaluate(inputs), net.policy_table(inputs)
    rng = np.random.default_rng(5)
    for first in (0, 1, 8, 9, 10, 15, 16, 24, 25, 41, 308, 309, *rng.integers(0, 309, 20).tolist()):
        for count in {0, 1, 16, 309 - first, int(rng.integers(0, 310 - first))}:
            if first + count <= 309:
                assert net.evaluate(inputs, first, count) == outputs[first : first + count]
            if first + count <= policy:
                assert net.policy_table(inputs, first, count) == table[first : first + count]
        assert net.evaluate(inputs, first) == outputs[first:]


def test_order_of_inputs_does_not_matter_and_repeats_count() -> None:
    weights = random_weights(7, INPUTS, 128, 64, 6 + 5)
    net = network(weights, 2)
    inputs = np.random.default_rng(7).integers(0, INPUTS, 200).tolist()
    assert net.evaluate(inputs) == net.evaluate(sorted(inputs))
    assert net.evaluate([3, 3, 3]) == weights.outputs([3, 3, 3]) != net.evaluate([3])


def test_attributes() -> None:
    net = network(random_weights(1, INPUTS, 64, 48, 9 + 5), 3)
    assert (net.inputs, net.hidden, net.players, net.policy) == (INPUTS, (64, 48), 3, 5)
    assert net.kernel == KERNELS[-1]
    assert KERNELS[0] == "generic"


def test_refusals() -> None:
    weights = random_weights(1, 5, 32, 16, 6 + 4)
    payload, net = weights.payload, network(weights, 2)
    for shape in ((0, 32, 16, 2, 4), (5, 31, 16, 2, 4), (5, 96, 16, 2, 4), (5, 32, 8, 2, 4),
                  (5, 32, 144, 2, 4), (5, 32, 0, 2, 4), (5, 32, 16, 2, -1), (65537, 32, 16, 2, 4),
                  (5, 32, 16, 2, 65537)):
        with pytest.raises(ValueError, match=r"unsupported network shape .*: expected 1 to"):
            Network(*shape, payload)
    for players in (-1, 0, 1, 5):
        with pytest.raises(ValueError, match=r"expected 2\.\.4"):
            Network(5, 32, 16, players, 4, payload)
    for wrong in (b"", payload[:-1], payload + b"\0"):
        with pytest.raises(ValueError, match=f"bytes, expected {len(payload)}"):
            Network(5, 32, 16, 2, 4, wrong)
    with pytest.raises(ValueError, match="no kernel 'abacus'"):
        Network(5, 32, 16, 2, 4, payload, "abacus")
    for inputs in ([5], [-1], [0, 65536]):
        with pytest.raises(ValueError, match=r"expected 0\.\.4"):
            net.evaluate(inputs)
        with pytest.raises(ValueError, match=r"expected 0\.\.4"):
            net.policy_table(inputs)
        with pytest.raises(ValueError, match=r"expected 0\.\.4"):
            net.seconds(inputs, 1)
    for first, count in ((-1, 1), (11, 0), (0, 11), (4, 7), (0, -1)):
        with pytest.raises(ValueError, match="expected"):
            net.evaluate([], first, count)
    for first, count in ((-1, 1), (5, 0), (0, 5), (3, 2)):
        with pytest.raises(ValueError, match="expected"):
            net.policy_table([], first, count)
    with pytest.raises(ValueError, match="active inputs"):
        net.evaluate([0] * 65537)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("policy", [0, 163, 330])
def test_speed(benchmark: pytest.FixtureRequest, kernel: str, policy: int) -> None:
    inputs, hidden1, hidden2, players, features = BENCHED
    weights = random_weights(1, inputs, hidden1, hidden2, 3 * players + features)
    net = network(weights, players, kernel)
    active = sorted(np.random.default_rng(1).choice(inputs, 180, replace=False).tolist())
    benchmark.extra_info["nanoseconds"] = round(
        1e9 * min(net.seconds(active, 2000, policy) for _ in range(10)))
    benchmark(net.seconds, active, 2000, policy)
