"""The learner: exact gradients, learning, resuming, bounds. Needs torch."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from pavilion_ai.errors import PavilionError
from pavilion_ai.train.batches import Batch, Pool
from pavilion_ai.train.losses import Sums
from pavilion_ai.train.model import LEAK, STEPS_BETWEEN_BOUNDS, Learner, Options
from pavilion_ai.train.quantise import LARGEST_WEIGHT, compare, quantise
from pavilion_ai.train.samples import Samples
from pavilion_ai.train.thermometer import Thermometer
from tests.train.support import GROUPS, INPUTS, made_up_samples, shape_of

torch = pytest.importorskip("torch")

OPTIONS = Options(batch=64, threads=1, device="cpu", half=False)
SAMPLES = made_up_samples()


def learner(seed: int = 0, samples: Samples = SAMPLES, **changes: Any) -> Learner:
    return Learner(shape_of(samples), replace(OPTIONS, **changes), seed)


class Clipped(torch.autograd.Function):
    """The clipped ReLU, with a little slope where it is flat."""

    @staticmethod
    def forward(ctx: Any, sums: Any) -> Any:
        ctx.save_for_backward(sums)
        return sums.clamp(0, 4)

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        (sums,) = ctx.saved_tensors
        return torch.where((sums > 0) & (sums < 4), gradient, LEAK * gradient)


def slow_loss(learner: Learner, samples: Samples, flat: Any) -> Any:
    """Compute the loss of a batch of all samples, literally, for automatic differentiation."""
    views, options = learner._views(flat), learner.options
    w1 = []
    for _, start, size, ordinal in GROUPS:
        part = views["w1"][start : start + size]
        w1.append(part.cumsum(0) if ordinal else part)
    w1 = torch.cat(w1)
    seats, total = samples.players, 0.0
    with_moves = int((np.diff(samples.first) > 0).sum())
    for row in range(len(samples)):
        active = [n for n in samples.inputs[row].tolist() if n < INPUTS]
        a1 = Clipped.apply(w1[active].sum(0) + views["b1"])
        a2 = Clipped.apply(a1 @ views["w2"] + views["b2"])
        out = a2 @ views["w3"] + views["b3"]
        win, lead, gain = (
            torch.from_numpy(getattr(samples, name)[row]) for name in ("win", "lead", "gain"))
        likely = torch.sigmoid(out[seats : 2 * seats])
        loss = -(win * torch.log_softmax(out[:seats], 0)).sum()
        loss = loss + options.lead_weight * -(
            lead * likely.log() + (1 - lead) * (1 - likely).log()).mean()
        loss = loss + options.gain_weight * (out[2 * seats : 3 * seats] - gain).square().mean()
        total = total + loss / len(samples)
        moves = range(samples.first[row], samples.first[row + 1])
        if moves:
            logits = torch.stack([
                out[3 * seats + samples.features[samples.starts[m] : samples.starts[m + 1]].astype(
                    int)].sum()
                for m in moves
            ])
            shares = torch.from_numpy(samples.shares[moves.start : moves.stop])
            loss = -(shares * torch.log_softmax(logits, 0)).sum()
            total = total + options.policy_weight * loss / with_moves
    return total


def test_gradients_are_those_of_the_losses() -> None:
    samples = made_up_samples(40)
    fitted = learner(samples=samples, policy_weight=0.7, lead_weight=0.6)
    with torch.no_grad():
        fitted._flat.mul_(1.5)
        for name in "b1", "b2":  # units beyond both ends
            fitted._weights[name][:4] += torch.tensor([4.0, 8.0, -2.0, -8.0])
    flat = fitted._flat.clone().requires_grad_()
    loss = slow_loss(fitted, samples, flat)
    loss.backward()
    pool = fitted._pool(samples)
    sums = Sums(torch, fitted._device)
    batch = pool.take(torch.arange(40))
    fitted._differentiate(
        fitted._plain(fitted._weights), batch, fitted._dense(batch.inputs), sums)
    assert torch.allclose(fitted._gradient, flat.grad, atol=2e-6, rtol=1e-4)
    told, options = sums.losses(), fitted.options
    assert told.policy is not None
    shares = samples.shares[samples.shares > 0]
    entropy = -(shares * np.log(shares)).sum() / (np.diff(samples.first) > 0).sum()
    assert loss.item() == pytest.approx(
        told.win + options.lead_weight * told.lead + options.gain_weight * told.gain
        + options.policy_weight * (told.policy + entropy), rel=1e-4)


def test_half_precision_changes_the_gradient_little() -> None:
    gradients = []
    for half in (False, True):
        fitted = learner(half=half)
        batch = fitted._pool(SAMPLES).take(torch.arange(256))
        fitted._differentiate(
            fitted._plain(fitted._weights),
            batch,
            fitted._dense(batch.inputs),
            Sums(torch, fitted._device),
        )
        gradients.append(fitted._gradients["w1"])
    assert float((gradients[0] - gradients[1]).norm() / gradients[0].norm()) < 0.01


def test_a_build_without_onednn_does_not_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """As those for macOS on ARM are: the question itself does not exist there."""
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    monkeypatch.setattr(torch.ops, "mkldnn", object())
    assert learner(half=None)._half is False


def test_threads_are_those_that_the_process_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", used.append)
    monkeypatch.setattr("pavilion_ai.train.model.cores", lambda: 3)
    for threads in (0, 2):
        learner(threads=threads)
    assert used == [3, 2]


def test_steps_are_weights_of_ordinal_inputs() -> None:
    thermometer = Thermometer(torch, GROUPS, torch.device("cpu"))
    steps = torch.randn(INPUTS, 3)
    weights = thermometer.weights(steps)
    assert torch.allclose(weights[:6], steps[:6].cumsum(0), atol=1e-6)
    assert torch.allclose(weights[26:38], steps[26:38].cumsum(0), atol=1e-6)
    assert torch.equal(weights[18:26], steps[18:26])
    assert torch.allclose(thermometer.steps(weights), steps, atol=1e-5)


def test_it_learns_and_fits_whole_numbers() -> None:
    fitted = learner()
    before = fitted.evaluate(SAMPLES)
    fitted.train(SAMPLES, 150, lambda step: 3e-3)
    after = fitted.evaluate(SAMPLES)
    assert after.samples == 600
    assert after.win < before.win * 0.75
    assert after.lead < before.lead * 0.75
    assert after.gain < before.gain * 0.2
    assert after.policy is not None
    assert before.policy is not None
    assert after.policy < before.policy * 0.5
    weights = fitted.weights()
    agreement = compare(weights, quantise(weights), SAMPLES)
    assert agreement.win_most < 0.01
    assert agreement.policy_most < 0.02
    assert agreement.largest_sum == pytest.approx(after.far * 1024, abs=16)


def test_weights_decay_and_biases_do_not(tmp_path: Path) -> None:
    """Also in a saved learner that goes on with other options."""
    first = learner(decay=0.1, beta2=0.9)
    first.save(tmp_path / "state")
    for fitted in (learner(decay=0.5, beta2=0.99),
                   Learner.load(tmp_path / "state", replace(OPTIONS, decay=0.5, beta2=0.99))):
        before = {name: part.clone() for name, part in fitted._weights.items()}
        for group in fitted._optimiser.param_groups:
            assert group["betas"] == (0.9, 0.99)
            group["lr"] = 0.1
        fitted._gradient.zero_()
        fitted._optimiser.step()
        for name, part in fitted._weights.items():
            kept = 1.0 if name.startswith("b") else 0.95
            assert torch.allclose(part, kept * before[name], atol=1e-6)


def test_the_same_seed_gives_the_same_weights() -> None:
    runs = []
    for seed in (1, 1, 2):
        fitted = learner(seed)
        fitted.train(SAMPLES, 10, lambda step: 1e-3)
        runs.append(fitted._flat.clone())
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


def test_the_average_follows_the_weights_quickly_at_first() -> None:
    fitted = learner(average=0.4)
    kept = fitted._flat.clone()
    for step in range(1, 13):
        fitted.train(SAMPLES, 1, lambda step: 3e-3)
        keep = min(0.4, step / (step + 10))
        kept = keep * kept + (1 - keep) * fitted._flat
        assert torch.allclose(fitted._average, kept, atol=1e-6)
    assert not torch.allclose(fitted._average, fitted._flat, atol=1e-3)


def test_each_step_has_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted, met, step = learner(), list[list[float]](), Learner._one_step

    def noted(learner: Learner, *of_batch: Any) -> None:
        met.append([group["lr"] for group in learner._optimiser.param_groups])
        step(learner, *of_batch)

    monkeypatch.setattr(Learner, "_one_step", noted)
    for steps in (3, 2):
        fitted.train(SAMPLES, steps, lambda step: 0.1 / (1 + step))
    assert met == [[0.1 / (1 + step)] * 2 for step in range(5)]


def test_batches_made_ahead_are_those_that_would_be_made_in_turn() -> None:
    ahead, in_turn = learner(threads=2), learner(threads=2)
    ahead.train(SAMPLES, 25, lambda step: 3e-3)
    pool, sums = in_turn._pool(SAMPLES), Sums(torch, in_turn._device)
    for group in in_turn._optimiser.param_groups:
        group["lr"] = 3e-3
    with torch.no_grad():
        for rows, turns in in_turn._draw(pool.size, 25, 0):
            batch = pool.take(rows, turns)
            in_turn._one_step(batch, in_turn._dense(batch.inputs), sums)
    assert torch.equal(ahead._flat, in_turn._flat)
    assert torch.get_num_threads() == 2  # not that of the thread that makes batches


def test_a_fault_while_a_batch_is_made_is_the_learners(monkeypatch: pytest.MonkeyPatch) -> None:
    take, taken = Pool.take, 0

    def take_three(*arguments: Any) -> Batch:
        nonlocal taken
        taken += 1
        if taken > 3:
            raise MemoryError("no room for a batch")
        return take(*arguments)

    monkeypatch.setattr(Pool, "take", take_three)
    fitted = learner()
    with pytest.raises(MemoryError, match="no room"):
        fitted.train(SAMPLES, 25, lambda step: 3e-3)
    assert fitted.step == 3


def test_samples_that_do_not_fit_on_the_device_are_told_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> NoReturn:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory")

    size = sum(getattr(SAMPLES, name).nbytes for name in (
        "inputs", "first", "shares", "starts", "features", "win", "lead", "gain"))
    assert SAMPLES.megabytes == pytest.approx(size / 1e6)
    for name in ("__init__", "take"):
        with monkeypatch.context() as patch:
            patch.setattr(Pool, name, full)
            for work in (lambda: learner().train(SAMPLES, 1, lambda step: 1e-3),
                         lambda: learner().evaluate(SAMPLES)):
                with pytest.raises(PavilionError, match=r"MB of samples; .*CUDA_VISIBLE_DEVICES="):
                    work()


def test_an_interrupt_while_a_batch_is_made_leaves_no_lock_held(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    take, result, awaited = Pool.take, Future.result, threading.Event()

    def awaiting(*arguments: Any) -> Any:
        awaited.set()
        return result(*arguments)

    def interrupted(*arguments: Any) -> Batch:
        monkeypatch.setattr(Pool, "take", take)
        assert awaited.wait(60)
        signal.raise_signal(signal.SIGINT)
        return take(*arguments)

    monkeypatch.setattr(Pool, "take", interrupted)
    monkeypatch.setattr(Future, "result", awaiting)
    with pytest.raises(KeyboardInterrupt) as told:
        learner().train(SAMPLES, 25, lambda step: 3e-3)
    assert told.traceback[-1].name == "_batches"


def test_a_saved_learner_goes_on_exactly(tmp_path: Path) -> None:
    def rate(step: int) -> float:
        return 1e-3 / (1 + step)

    path = tmp_path / "learner.pt"
    one = learner(5)
    one.train(SAMPLES, 7, rate)
    one.save(path)
    other = Learner.load(path)
    assert [file.name for file in tmp_path.iterdir()] == ["learner.pt"]
    losses = [fitted.train(SAMPLES, 13, rate) for fitted in (one, other)]
    assert losses[0] == losses[1]
    assert one.step == other.step == 20
    assert torch.equal(one._flat, other._flat)
    assert torch.equal(one._average, other._average)
    changed = Learner.load(path, replace(OPTIONS, batch=32, decay=0.5))
    assert changed.options.batch == 32
    assert changed._optimiser.param_groups[0]["weight_decay"] == 0.5


@pytest.mark.parametrize("content", [b"", b"nothing", None])
def test_other_files_are_no_learner(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "learner.pt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PavilionError, match=r"learner\.pt: ") as caught:
        Learner.load(path)
    assert "\n" not in str(caught.value)


def test_weights_are_kept_where_whole_numbers_hold_them() -> None:
    fitted = learner()
    with torch.no_grad():
        fitted._flat.mul_(300)
        fitted._bound()
    fitted._average.copy_(fitted._flat)
    weights = fitted.weights()
    assert np.abs(weights.w1).max() <= 7.9001
    assert np.abs(weights.w2).sum(0).max() <= 120.01
    quantise(weights)


def test_weights_stay_there_while_it_learns_much_too_fast() -> None:
    fitted = learner()
    fitted.train(SAMPLES, STEPS_BETWEEN_BOUNDS, lambda step: 1.0)
    for name, most in LARGEST_WEIGHT.items():
        assert np.abs(getattr(fitted.weights(average=False), name)).max() <= most + 1e-3
    quantise(fitted.weights(average=False))


def test_sums_of_the_first_layer_are_pulled_back() -> None:
    fitted = learner()
    with torch.no_grad():
        fitted._weights["b1"][3] = 30.0
    for _ in range(40):
        far = fitted.train(SAMPLES, 25, lambda step: 2e-2).far
    assert far < 20


def test_samples_without_moves_or_of_another_shape() -> None:
    bare = replace(
        SAMPLES,
        first=np.zeros_like(SAMPLES.first),
        shares=SAMPLES.shares[:0],
        starts=SAMPLES.starts[:1],
        features=SAMPLES.features[:0],
    )
    fitted = learner()
    assert fitted.train(bare, 5, lambda step: 1e-3).policy is None
    assert fitted.evaluate(bare).policy is None
    with pytest.raises(PavilionError, match="not of the network's game"):
        fitted.train(replace(SAMPLES, policy=21), 1, lambda step: 1e-3)
