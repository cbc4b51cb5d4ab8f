"""The learner: fits a network to samples by gradient descent.

Gradients are written by hand: there are three layers, and the first one, which is most of the work,
needs different products in the two passes: forward a sum of the rows of the active inputs, backward
a product with the dense inputs. On processors with bfloat16 multiplication that product is rounded
to bfloat16 (inputs are small whole numbers, hence exact).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from pavilion_ai.errors import Failure, PavilionError, file_fault
from pavilion_ai.files import replace_file
from pavilion_ai.interrupts import held
from pavilion_ai.processors import cores
from pavilion_ai.train.batches import Batch, Pool
from pavilion_ai.train.losses import Losses, Options, Sums, policy_slopes, value_slopes
from pavilion_ai.train.quantise import LARGEST_COLUMN, LARGEST_WEIGHT
from pavilion_ai.train.samples import Samples
from pavilion_ai.train.seats import SharedSeats
from pavilion_ai.train.shape import LARGEST_ACTIVATION, LAYERS, Shape, Weights
from pavilion_ai.train.symmetry import Symmetry
from pavilion_ai.train.thermometer import Thermometer

__all__ = ["Learner", "Losses", "Options", "load_torch"]

FAR = 16.0
"""Sums of the first layer beyond this are pulled back, so that they fit 16 bits (32.0)."""
FAR_WEIGHT = 1e-3
LEAK = 0.02
"""Slope of the clipped ReLU outside its range, as assumed in learning: without it units die, and
with 256 units whole networks died."""
STEPS_BETWEEN_BOUNDS = 25


def load_torch() -> Any:
    """Return the library.

    Raises:
        Failure: torch is not installed; the message names the extra to install.
    """
    try:
        import torch
    except ImportError:
        raise Failure(
            "training needs the library torch: pip install 'pavilion-ai[train]'") from None
    return torch


class Learner:
    """A network in training.

    On a processor the same seed, samples, options and number of threads give the same weights;
    training resumed from a saved state gives exactly the same weights as without the interruption.
    A CUDA device adds in changing order, so there the last digits differ.

    Args:
        shape: shape of the network.
        options: options of learning.
        seed: seed of the initial weights and of the order of the samples.
        symmetry: symmetry of the variant, by which samples are turned at random each time they are
            used; None: never.
        shared_seats: whether the first layer shares its weights between seats.

    Attributes:
        step: number of steps taken.
        note: data saved together with the state.
    """

    def __init__(
        self,
        shape: Shape,
        options: Options | None = None,
        seed: int = 0,
        symmetry: Symmetry | None = None,
        shared_seats: bool = False,
    ) -> None:
        self.shape = shape
        self.symmetry = symmetry
        self.options = options = options or Options()
        self.seed = seed
        self.step = 0
        self.note: dict[str, Any] = {}
        self._torch = torch = load_torch()
        torch.set_num_threads(options.threads or cores())
        self._device = torch.device(
            options.device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._half = options.half
        if self._half is None:
            self._half = self._device.type == "cuda" or (
                torch.backends.mkldnn.is_available()  # not in builds for macOS on ARM
                and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported()))
        self._thermometer = Thermometer(torch, shape.groups, self._device)
        self._seats = SharedSeats(torch, shape) if shared_seats else None
        self._sizes = {
            "w1": (shape.inputs, shape.hidden1),
            "w2": (shape.hidden1, shape.hidden2),
            "w3": (shape.hidden2, shape.outputs),
            "b1": (shape.hidden1,),
            "b2": (shape.hidden2,),
            "b3": (shape.outputs,),
        }
        # One flat tensor for all weights, so that optimiser and average take few calls.
        self._flat = torch.zeros(sum(map(_product, self._sizes.values())), device=self._device)
        self._gradient = torch.zeros_like(self._flat)
        self._weights = self._views(self._flat)
        self._gradients = self._views(self._gradient)
        self._start()
        self._average = self._flat.clone()
        self._optimiser = self._new_optimiser()
        self._last: tuple[Samples, Pool] | None = None

    def _views(self, flat: Any) -> dict[str, Any]:
        """Return the layers as views of a flat tensor."""
        views, start = {}, 0
        for name in LAYERS:
            size = _product(self._sizes[name])
            views[name] = flat[start : start + size].view(self._sizes[name])
            start += size
        return views

    def _start(self) -> None:
        """Initialise the weights at random."""
        torch, shape = self._torch, self.shape
        draw = torch.Generator().manual_seed(self.seed)
        first = self._thermometer.first_rows(shape.inputs)[:, None]
        w1 = torch.randn(self._sizes["w1"], generator=draw)
        self._weights["w1"].copy_(w1 * torch.where(first, 0.05, 0.01))
        if self._seats is not None:
            self._seats.copy(self._weights["w1"])
        w2 = torch.randn(self._sizes["w2"], generator=draw)
        self._weights["w2"].copy_(w2 * (2 / shape.hidden1) ** 0.5)
        w3 = torch.randn(self._sizes["w3"], generator=draw)
        self._weights["w3"].copy_(w3 * 0.1 / shape.hidden2**0.5)
        self._weights["b1"].fill_(0.25)
        self._weights["b2"].fill_(0.25)

    def _new_optimiser(self) -> Any:
        """Return AdamW over two parts of the flat tensor: weights decay, biases do not."""
        border = sum(_product(self._sizes[name]) for name in LAYERS[:3])
        parts = []
        for start, end in ((0, border), (border, len(self._flat))):
            part = self._torch.nn.Parameter(self._flat[start:end])
            part.grad = self._gradient[start:end]
            parts.append(part)
        return self._torch.optim.AdamW(
            [
                {"params": [parts[0]], "weight_decay": self.options.decay},
                {"params": [parts[1]], "weight_decay": 0.0},
            ],
            betas=(0.9, self.options.beta2),
            fused=True,
        )

    def train(
        self, samples: Samples, steps: int, rate: Callable[[int], float], begun: int | None = None
    ) -> Losses:
        """Take steps; return the mean losses over them.

        Args:
            samples: samples of the shape's variant.
            steps: number of steps.
            rate: learning rate at a step, counted from the very first one.
            begun: step at which learning from these samples began, None for now. With it, several
                calls draw the same samples as a single call.

        Raises:
            PavilionError: there are no samples, they are of another variant, or the device has no
                room for them.
        """
        sums = Sums(self._torch, self._device)
        with self._pooled(samples) as pool:
            for batch, dense in self._batches(pool, steps, self.step if begun is None else begun):
                for group in self._optimiser.param_groups:
                    group["lr"] = rate(self.step)
                self._one_step(batch, dense, sums)
        return sums.losses()

    @contextmanager
    def _pooled(self, samples: Samples) -> Iterator[Pool]:
        """Hold samples on the device, for work without automatic differentiation."""
        try:
            with self._torch.no_grad():
                yield self._pool(samples)
        except self._torch.cuda.OutOfMemoryError:
            raise PavilionError(
                f"the device has no room for {samples.megabytes:,.0f} MB of samples; a smaller"
                " window takes less, and with CUDA_VISIBLE_DEVICES= the processor learns") from None

    def _pool(self, samples: Samples) -> Pool:
        shape = self.shape
        if (samples.groups, samples.players, samples.policy) != (
                shape.groups, shape.players, shape.policy):
            raise PavilionError("the samples are not of the network's game and number of players")
        if not len(samples):
            raise PavilionError("there are no samples to learn from")
        if self._last is None or self._last[0] is not samples:
            self._last = None  # frees the memory first
            self._last = samples, Pool(self._torch, samples, self._device, self.symmetry)
        return self._last[1]

    def _batches(self, pool: Pool, steps: int, begun: int) -> Iterator[tuple[Batch, Any]]:
        """Yield batches and their dense inputs; a second thread makes the next one meanwhile."""
        drawn = self._draw(pool.size, steps, begun)

        def make() -> tuple[Batch, Any]:
            batch = pool.take(*next(drawn))
            return batch, self._dense(batch.inputs)

        # The thread sets its own number of threads: with one per processor in both, they would
        # wait for each other.
        with ThreadPoolExecutor(1, "batches", self._torch.set_num_threads, (1,)) as ahead:
            coming: Future[tuple[Batch, Any]] | None = None
            for later in range(steps, -1, -1):
                with held() as interrupt:  # in the middle of these it would leave a lock held
                    batch = None if coming is None else coming.result()
                    coming = ahead.submit(make) if later else None
                if interrupt.is_set():
                    raise KeyboardInterrupt
                if batch is not None:
                    yield batch

    def _draw(self, size: int, steps: int, begun: int) -> Iterator[tuple[Any, Any]]:
        """Yield rows of batches and their turns: all samples in random order, again and again."""
        batch = min(self.options.batch, size)
        batches = size // batch
        order, drawn = np.empty(0, np.int64), -1
        for step in range(self.step - begun, self.step - begun + steps):
            turn, place = divmod(step, batches)
            if turn != drawn:
                random = np.random.default_rng([self.seed, begun, turn])
                order, drawn = random.permutation(size), turn
            turns = None
            if self.symmetry is not None:
                random = np.random.default_rng([self.seed, begun, turn, place])
                turns = self._torch.from_numpy(self.symmetry.draw(random, batch)).to(self._device)
            yield self._torch.from_numpy(order[place * batch : (place + 1) * batch]).to(
                self._device), turns

    def _one_step(self, batch: Batch, dense: Any, sums: Sums) -> None:
        """Compute the gradient of a batch and take a step."""
        weights = self._plain(self._weights)
        self._differentiate(weights, batch, dense, sums)
        self._optimiser.step()
        self.step += 1
        keep = min(self.options.average, self.step / (self.step + 10))
        self._average.lerp_(self._flat, 1 - keep)
        if self.step % STEPS_BETWEEN_BOUNDS == 0:
            self._bound()

    def _plain(self, weights: Mapping[str, Any]) -> dict[str, Any]:
        """Return plain weights, from the steps of the first layer."""
        return {**weights, "w1": self._thermometer.weights(weights["w1"])}

    def _forward(self, weights: Mapping[str, Any], inputs: Any) -> tuple[Any, Any, Any, Any]:
        """Return the sums of the first layer, the activations of both layers, the value outputs."""
        torch = self._torch
        # One more row, of zeros, for the number that pads rows of inputs.
        table = torch.nn.functional.pad(weights["w1"], (0, 0, 0, 1))
        z1 = torch.nn.functional.embedding_bag(inputs, table, mode="sum").add_(weights["b1"])
        a1 = z1.clamp(0, LARGEST_ACTIVATION)
        a2 = torch.addmm(weights["b2"], a1, weights["w2"]).clamp_(0, LARGEST_ACTIVATION)
        values = self.shape.values
        return z1, a1, a2, torch.addmm(weights["b3"][:values], a2, weights["w3"][:, :values])

    def _differentiate(
        self, weights: Mapping[str, Any], batch: Batch, dense: Any, sums: Sums
    ) -> None:
        """Compute the gradient of the losses of a batch with these dense inputs, in place."""
        torch, gradients, values = self._torch, self._gradients, self.shape.values
        z1, a1, a2, outputs = self._forward(weights, batch.inputs)
        slope = value_slopes(torch, self.options, outputs, batch, sums)
        torch.mm(a2.T, slope, out=gradients["w3"][:, :values])
        gradients["b3"][:values] = slope.sum(0)
        to_a2 = slope @ weights["w3"][:, :values].T
        moves = batch.moves
        if len(moves.rows):
            of_moves = a2[moves.rows]
            w3 = weights["w3"][:, values:]
            policy = torch.addmm(weights["b3"][values:], of_moves, w3)
            slope = policy_slopes(torch, self.options, policy, moves, sums)
            torch.mm(of_moves.T, slope, out=gradients["w3"][:, values:])
            gradients["b3"][values:] = slope.sum(0)
            to_a2.index_add_(0, moves.rows, slope @ w3.T)
        else:
            gradients["w3"][:, values:] = 0
            gradients["b3"][values:] = 0
        to_z2 = to_a2.mul_(_slope(a2))
        torch.mm(a1.T, to_z2, out=gradients["w2"])
        torch.sum(to_z2, 0, out=gradients["b2"])
        to_z1 = (to_z2 @ weights["w2"].T).mul_(_slope(a1))
        beyond = z1 - z1.clamp(-FAR, FAR)
        to_z1.add_(beyond, alpha=2 * FAR_WEIGHT / len(z1))
        sums.saw(z1)
        torch.sum(to_z1, 0, out=gradients["b1"])
        gradients["w1"].copy_((dense.T @ to_z1.to(dense.dtype))[:-1])
        self._thermometer.gradient(gradients["w1"])
        if self._seats is not None:
            self._seats.average(gradients["w1"])

    def _dense(self, inputs: Any) -> Any:
        """Return how often each input is active, [b, inputs + 1], in the type of their product."""
        torch, width = self._torch, self.shape.inputs + 1
        rows = torch.arange(0, len(inputs) * width, width, device=inputs.device)
        cells = (inputs + rows[:, None]).flatten()
        dense = torch.zeros(len(inputs) * width, device=inputs.device)
        dense.scatter_add_(0, cells, torch.ones(1, device=inputs.device).expand(len(cells)))
        dense = dense.view(len(inputs), width)
        return dense.bfloat16() if self._half else dense

    def _bound(self) -> None:
        """Clip the weights to the range of the quantised network."""
        weights = self._weights
        for name, most in LARGEST_WEIGHT.items():
            if name == "w1":
                plain = self._thermometer.weights(weights["w1"])
                if float(plain.abs().max()) > most:
                    weights["w1"].copy_(self._thermometer.steps(plain.clamp_(-most, most)))
            else:
                weights[name].clamp_(-most, most)
        for name in ("w2", "w3"):
            columns = weights[name].abs().sum(0)
            weights[name].mul_((LARGEST_COLUMN / columns).clamp_(max=1))

    def evaluate(self, samples: Samples, average: bool = True) -> Losses:
        """Return the losses on samples, by default those of the averaged weights."""
        sums = Sums(self._torch, self._device)
        torch, values = self._torch, self.shape.values
        weights = self._plain(self._views(self._average if average else self._flat))
        with self._pooled(samples) as pool:
            for rows in torch.arange(pool.size, device=self._device).split(self.options.batch):
                batch = pool.take(rows)
                z1, _, a2, outputs = self._forward(weights, batch.inputs)
                sums.saw(z1)
                value_slopes(torch, self.options, outputs, batch, sums)
                if len(batch.moves.rows):
                    policy = torch.addmm(
                        weights["b3"][values:], a2[batch.moves.rows], weights["w3"][:, values:])
                    policy_slopes(torch, self.options, policy, batch.moves, sums)
        return sums.losses()

    def weights(self, average: bool = True) -> Weights:
        """Return the weights, by default their running average."""
        views = self._plain(self._views(self._average if average else self._flat))
        return Weights(
            self.shape, **{name: views[name].cpu().numpy().copy() for name in LAYERS})

    def take_over(self, weights: Weights) -> None:
        """Replace the weights.

        Raises:
            PavilionError: the new weights are of another shape.
        """
        if weights.shape != self.shape:
            raise PavilionError("the weights to begin with are those of another shape")
        torch = self._torch
        for name in LAYERS:
            given = torch.from_numpy(getattr(weights, name)).to(self._device)
            self._weights[name].copy_(self._thermometer.steps(given) if name == "w1" else given)
        self._average.copy_(self._flat)

    @property
    def computing(self) -> dict[str, Any]:
        """Settings besides seed, samples and options on which the last digits depend."""
        return {
            "torch": self._torch.__version__,
            "numpy": np.__version__,
            "device": self._device.type,
            "threads": self._torch.get_num_threads(),
            "half": self._half,
        }

    def save(self, path: Path | str, note: Mapping[str, Any] | None = None) -> None:
        """Save the complete state of training atomically.

        Args:
            note: data to save with it: numbers, strings and containers of them.
        """
        state = {
            "shape": asdict(self.shape),
            "options": asdict(self.options),
            "seed": self.seed,
            "step": self.step,
            "note": dict(note or {}),
            "weights": self._flat,
            "average": self._average,
            "optimiser": self._optimiser.state_dict(),
        }
        content = io.BytesIO()
        self._torch.save(state, content)
        replace_file(path, content.getvalue())

    @classmethod
    def load(
        cls,
        path: Path | str,
        options: Options | None = None,
        symmetry: Symmetry | None = None,
        shared_seats: bool = False,
    ) -> Learner:
        """Return a learner that resumes from a saved state.

        Args:
            path: file of the state.
            options: options, which may differ from the saved learner's.
            symmetry, shared_seats: as in the saved learner.

        Raises:
            PavilionError: there is no such file, or it is not the state of a learner.
        """
        torch = load_torch()
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
            groups = tuple(tuple(group) for group in state["shape"].pop("groups"))
            learner = cls(
                Shape(groups, **state["shape"]),
                options or Options(**state["options"]),
                state["seed"],
                symmetry,
                shared_seats,
            )
            learner._flat.copy_(state["weights"])
            learner._average.copy_(state["average"])
            learner._optimiser.load_state_dict(state["optimiser"])
            learner.step = state["step"]
            learner.note = state["note"]
        except PavilionError:
            raise
        except OSError as error:
            raise PavilionError(file_fault(path, error)) from None
        except Exception as error:
            first = str(error).partition("\n")[0][:80]
            raise PavilionError(f"{path}: no saved state of a learner: {first}") from None
        if options is not None:
            for group, decay in zip(
                learner._optimiser.param_groups, (options.decay, 0.0), strict=True
            ):
                group["weight_decay"] = decay
                group["betas"] = (0.9, options.beta2)
        return learner


def _product(size: tuple[int, ...]) -> int:
    return int(np.prod(size))


def _slope(activations: Any) -> Any:
    """Return the slope of the clipped ReLU, a little also where it is flat."""
    inside = (activations > 0) & (activations < LARGEST_ACTIVATION)
    return inside.to(activations.dtype).clamp_(min=LEAK)
