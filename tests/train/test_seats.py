"""First layers that look at all seats alike. Needs torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.games import GAMES
from pavilion_ai.train.model import Learner, Options
from pavilion_ai.train.seats import SharedSeats
from pavilion_ai.train.shape import Shape
from tests.search.support import STATES
from tests.train.support import made_up_samples, shape_of, variant_shape

torch = pytest.importorskip("torch")

SAMPLES = made_up_samples()
OPTIONS = Options(batch=64, threads=1, device="cpu", half=False)


def shape_for(game: str, players: int, units: int) -> Shape:
    return variant_shape(GAMES[game].core_class, players, (units, 16))


def are_alike(w1: Any, shape: Shape) -> bool:
    """Tell, weight by weight, whether every part sees the seats as the first part does."""
    first = {name: start for name, start, _, _ in shape.groups}
    size = shape.hidden1 // shape.players
    for name, _, count, _ in shape.groups:
        seat, _, rest = name.partition(".")
        if not seat.startswith("seat"):
            continue
        for part in range(1, shape.players):
            there = f"seat{(int(seat[4:]) + part) % shape.players}.{rest}"
            for row in range(count):
                for unit in range(size):
                    if w1[first[name] + row, unit] != w1[first[there] + row, part * size + unit]:
                        return False
    return True


@pytest.mark.parametrize("game", STATES)
@pytest.mark.parametrize(("players", "units"), [(2, 32), (3, 32), (4, 32)])
def test_every_part_looks_alike(game: str, players: int, units: int) -> None:
    shape = shape_for(game, players, units)
    draw = torch.Generator().manual_seed(players)
    w1 = torch.randn((shape.inputs, units), generator=draw)
    before = w1.clone()
    assert not are_alike(w1, shape)
    ties = SharedSeats(torch, shape)
    ties.copy(w1)
    assert are_alike(w1, shape)
    # Shared inputs, the first part and the units that are left over stay as they are.
    seats = next(start for name, start, _, _ in shape.groups if name.startswith("seat0."))
    part, rest = units // players, units // players * players
    assert torch.equal(w1[:seats], before[:seats])
    assert torch.equal(w1[:, :part], before[:, :part])
    assert torch.equal(w1[:, rest:], before[:, rest:])


@pytest.mark.parametrize(("players", "units"), [(2, 32), (3, 32), (4, 32)])
def test_the_gradient_is_that_of_tied_weights(players: int, units: int) -> None:
    """A step along it changes a linear function of tied weights as the plain gradient says."""
    shape = shape_for("azul", players, units)
    draw = torch.Generator().manual_seed(players)
    gradient, direction = (
        torch.randn((shape.inputs, units), generator=draw, dtype=torch.float64) for _ in range(2))
    ties = SharedSeats(torch, shape)
    ties.copy(direction)
    along = (gradient * direction).sum()
    averaged = gradient.clone()
    ties.average(averaged)
    assert are_alike(averaged, shape)
    assert (averaged * direction).sum() == pytest.approx(float(along))
    twice = averaged.clone()
    ties.average(twice)
    assert torch.allclose(twice, averaged)


def test_learning_keeps_the_ties(tmp_path: Path) -> None:
    shape = shape_of(SAMPLES)
    plain, tied = (Learner(shape, OPTIONS, 3, shared_seats=shared) for shared in (False, True))
    losses = []
    for learner in (plain, tied):
        before = learner.evaluate(SAMPLES, average=False)
        learner.train(SAMPLES, 60, lambda step: 3e-3)
        losses.append((before.win, learner.evaluate(SAMPLES, average=False).win))
    assert all(after < before for before, after in losses)
    assert not are_alike(plain.weights().w1, shape)
    for average in (False, True):
        assert are_alike(tied.weights(average).w1, shape)
    tied.save(tmp_path / "learner.pt")
    again = Learner.load(tmp_path / "learner.pt", shared_seats=True)
    for learner in (tied, again):
        learner.train(SAMPLES, 10, lambda step: 1e-3)
    assert torch.equal(tied._flat, again._flat)
    assert are_alike(again.weights().w1, shape)
