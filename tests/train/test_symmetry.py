"""Positions of the grey boards turned about in the notation look as the turns say."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pavilion_ai._core import Rng
from pavilion_ai.games import GAMES
from pavilion_ai.notation import parse_position, to_json
from pavilion_ai.train.losses import Options
from pavilion_ai.train.model import Learner
from pavilion_ai.train.recipe import RecipeError, parse_recipe
from pavilion_ai.train.samples import Samples
from pavilion_ai.train.shape import Shape
from pavilion_ai.train.symmetry import Symmetry, find_symmetry
from tests.train.support import variant_shape

COLOURS = "BYRKW"
RING = ("W", "NW", "NE", "E", "SE", "SW")
GREY = [(game, players) for game in ("azul", "summer") for players in (2, 3, 4)]


def shape(game: str, players: int) -> Shape:
    return variant_shape(GAMES[game].core_class, players)


def symmetry(game: str, players: int) -> Symmetry:
    found = find_symmetry(game, "grey", shape(game, players))
    assert found is not None
    return found


class Turned:
    """Positions and moves of base Azul: colours with other names, some seats' walls mirrored."""

    def __init__(self, random: np.random.Generator, players: int) -> None:
        self.colours = "".join(random.permutation(list(COLOURS)))
        self.mirrored = random.integers(2, size=players).astype(bool)
        order = tuple(COLOURS.index(colour) for colour in self.colours)
        common = 2 * list(permutations(range(5))).index(order)
        self._turns = np.array([common, *(common + self.mirrored)])

    def turns(self, viewer: int) -> Any:
        """Turns of the parts, as the seat `viewer` sees them."""
        return np.append(self._turns[0], np.roll(self._turns[1:], -viewer))

    def recoloured(self, text: str) -> str:
        return text.translate(str.maketrans(COLOURS, self.colours))

    def tiles(self, text: str) -> str:
        """A multiset of tiles, in the order of the notation."""
        counts = re.findall(r"[0-9]*[BYRKW]", self.recoloured(text))
        return "".join(sorted(counts, key=lambda count: COLOURS.index(count[-1]))) or "-"

    def position(self, data: dict[str, Any]) -> dict[str, Any]:
        seats = [
            {**seat,
             "lines": [self.recoloured(line) for line in seat["lines"]],
             "wall": [self.recoloured(row)[:: -1 if mirrored else 1] for row in seat["wall"]],
             "floor": self.recoloured(seat["floor"])}
            for seat, mirrored in zip(data["seats"], self.mirrored, strict=True)]
        return {**data, "seats": seats, "displays": [self.tiles(d) for d in data["displays"]],
                **{name: self.tiles(data[name]) for name in ("centre", "bag", "lid")}}

    def move(self, text: str, mover: int) -> str:
        if not text.startswith("wall:"):
            return self.recoloured(text)
        line, column = text.removeprefix("wall:").split(">")
        if self.mirrored[mover] and column != "F":
            column = str(6 - int(column))
        return f"wall:{line}>{column}"


class TurnedBoards(Turned):
    """Positions and moves of Azul: Summer Pavilion: each seat's board turned by some sites."""

    def __init__(self, random: np.random.Generator, players: int) -> None:
        self.by = random.integers(6, size=players)
        self._turns = np.append(0, self.by)

    def position(self, data: dict[str, Any]) -> dict[str, Any]:
        seats = []
        for seat, by in zip(data["seats"], self.by, strict=True):
            stars = {RING[(RING.index(site) + by) % 6]: star
                     for site, star in seat["stars"].items() if site != "C"}
            centre = "".join(np.roll(list(seat["stars"]["C"]), by))
            seats.append({**seat, "stars": {**stars, "C": centre}})
        return {**data, "seats": seats}

    def move(self, text: str, mover: int) -> str:
        found = re.match(r"(W|NW|NE|E|SE|SW|C)\.([1-6]):", text)
        if found is None:
            return text
        site, position = found.groups()
        if site == "C":
            position = str((int(position) - 1 + self.by[mover]) % 6 + 1)
        else:
            site = RING[(RING.index(site) + self.by[mover]) % 6]
        return f"{site}.{position}:{text[found.end():]}"


@pytest.mark.parametrize(("name", "players"), GREY)
def test_turned_positions_look_as_the_turns_say(name: str, players: int) -> None:
    game, turning = GAMES[name], symmetry(name, players)
    random, rng = np.random.default_rng(players), Rng(players)
    kinds, told = set(), 0
    for seed in range(6):
        position = game.new("grey", players, seed=seed)
        while True:
            state: Any = game.to_core(position)
            if state.over:
                break
            if state.to_move < 0:
                if state.between_rounds:
                    kinds.add(_compare(game, position, turning, random))
                _, position = game.draw(position, rng)
                continue
            if random.random() < 0.2:
                kinds.add(_compare(game, position, turning, random))
                told += 1
            moves = game.legal_moves(position, keep_policy="maximal")
            position = game.apply(position, moves[random.integers(len(moves))])
    assert told > 20
    assert kinds == {"azul": {"draft", "wall", "deal"},
                     "summer": {"draft", "place", "bonus", "deal"}}[name]


def _compare(game: Any, position: Any, turning: Symmetry, random: np.random.Generator) -> str:
    kind = Turned if game.name == "azul" else TurnedBoards
    turn = kind(random, len(position.seats))
    data = to_json(position)
    other = parse_position(turn.position(data)).position
    before, after = game.to_core(position), game.to_core(other)
    mover = before.to_move if before.to_move >= 0 else position.start_seat
    turns = turn.turns(mover)
    inputs = np.array(before.inputs())
    seen = turning.inputs[turns[turning.part[inputs]], inputs]
    assert sorted(seen.tolist()) == sorted(after.inputs())
    if before.to_move < 0:
        return "deal"
    theirs = {game.move_text(other, move): move for move in after.moves(True)}
    for move in before.moves(True):
        text = game.canonical(other, turn.move(game.move_text(position, move), mover))
        features = turning.policy[turns[1], before.policy_features(move, True)]
        assert sorted(features.tolist()) == sorted(after.policy_features(theirs[text], True))
    return str(data["phase"])


@pytest.mark.parametrize(("name", "players"), GREY)
def test_all_turns_are_drawn_and_are_one_to_one(name: str, players: int) -> None:
    turning = symmetry(name, players)
    numbers = len(turning.inputs)
    assert numbers == {"azul": 240, "summer": 6}[name]
    for table in (turning.inputs, turning.policy):
        assert (np.sort(table, 1) == np.arange(table.shape[1])).all()
        assert len(np.unique(table, axis=0)) == numbers
    assert (turning.inputs[:, -1] == turning.inputs.shape[1] - 1).all()
    drawn = turning.draw(np.random.default_rng(1), 20000)
    assert drawn.shape == (20000, players + 1)
    for seat in range(1, players + 1):
        assert (np.bincount(drawn[:, seat], minlength=numbers) > 20000 / numbers * 0.5).all()
    together = drawn[:, 1] * numbers + drawn[:, 2]
    assert len(np.unique(together)) == {"azul": 480, "summer": 36}[name]
    assert (drawn[:, 1:] // turning.alike * turning.alike == drawn[:, :1]).all()


def test_coloured_boards_have_none() -> None:
    assert find_symmetry("azul", "coloured", shape("azul", 2)) is None
    assert find_symmetry("summer", "coloured", shape("summer", 2)) is None


def test_a_recipe_asks_for_it() -> None:
    plain = parse_recipe({"game": "azul", "board": "grey"})
    turned = parse_recipe({"game": "azul", "board": "grey", "learner": {"symmetry": True}})
    assert turned.learner.symmetry
    assert not plain.learner.symmetry
    assert plain.sha256() != turned.sha256() != replace(turned, seed=2).sha256()
    with pytest.raises(RecipeError, match=r"learner\.symmetry: found 1, expected true or false"):
        parse_recipe({"board": "grey", "learner": {"symmetry": 1}})
    with pytest.raises(RecipeError, match=r"learner\.symmetry: the grey boards alone"):
        parse_recipe({"learner": {"symmetry": True}})


def some_samples(of: Shape, count: int) -> Samples:
    random = np.random.default_rng(3)
    inputs = np.full((count, 20), of.inputs, np.int16)
    inputs[:, :16] = random.integers(of.inputs, size=(count, 16))
    first = np.arange(0, 3 * count + 1, 3)  # three moves each, two features a move
    shares = random.dirichlet(np.ones(3), count).astype(np.float32).ravel()
    features = random.integers(of.policy, size=6 * count).astype(np.int16)
    values = random.dirichlet(np.ones(of.players), count).astype(np.float32)
    return Samples(of.groups, of.policy, inputs, first, shares, np.arange(0, 6 * count + 1, 2),
                   features, values, values, values)


def turned_samples(samples: Samples, turning: Symmetry, turns: Any) -> Samples:
    inputs, features = samples.inputs.copy(), samples.features.copy()
    for row, turn in enumerate(turns):
        inputs[row] = [turning.inputs[turn[turning.part[n]], n] for n in inputs[row]]
        part = slice(samples.starts[samples.first[row]], samples.starts[samples.first[row + 1]])
        features[part] = turning.policy[turn[1], features[part]]
    return replace(samples, inputs=inputs, features=features)


@pytest.mark.parametrize("name", ["azul", "summer"])
def test_a_learner_sees_every_sample_turned(name: str) -> None:
    pytest.importorskip("torch")
    of, turning = shape(name, 3), symmetry(name, 3)
    samples = some_samples(of, 100)
    options = Options(batch=32, threads=1, device="cpu", half=False)
    learner = Learner(of, options, 7, turning)
    (rows, turns), *_ = learner._draw(100, 1, 0)
    batch = learner._pool(samples).take(rows, turns)
    wanted = turned_samples(samples, turning, _by_row(100, rows, turns))
    plain = Learner(of, options, 7)._pool(wanted).take(rows)
    for one, other in zip((batch.inputs, *vars(batch.moves).values()),
                          (plain.inputs, *vars(plain.moves).values()), strict=True):
        assert one.tolist() == other.tolist()


def _by_row(count: int, rows: Any, turns: Any) -> Any:
    """Turns of all samples, those that are in no batch as they are."""
    all_turns = np.zeros((count, turns.shape[1]), np.int64)
    all_turns[rows.numpy()] = turns.numpy()
    return all_turns


def test_broken_off_learning_goes_on_with_the_same_turns(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    of, turning = shape("azul", 2), symmetry("azul", 2)
    samples = some_samples(of, 100)
    options = Options(batch=32, threads=1, device="cpu", half=False)
    whole, parts = Learner(of, options, 7, turning), Learner(of, options, 7, turning)
    whole.train(samples, 8, lambda step: 1e-3)
    parts.train(samples, 5, lambda step: 1e-3, 0)
    parts.save(tmp_path / "state")
    rest = Learner.load(tmp_path / "state", symmetry=turning)
    rest.train(samples, 3, lambda step: 1e-3, 0)
    plain = Learner(of, options, 7)
    plain.train(samples, 8, lambda step: 1e-3)
    assert np.array_equal(whole.weights().w1, rest.weights().w1)
    assert not np.array_equal(whole.weights().w1, plain.weights().w1)
