"""Seeds: every whole number that a record can hold works everywhere, and nothing else does."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pavilion_ai import Limits, Match, Play, Rng, make_agent
from pavilion_ai.envs.batch import Batch
from pavilion_ai.errors import SpecError, shown
from pavilion_ai.record import read_records
from pavilion_ai.rollout import roll_out
from tests.cli.support import GAME, error_lines, pavilion

HUGE = 10**999
WHOLE = [-1, 2**63, 2**64 + 5, -(2**70), HUGE, -HUGE]
OTHERS = [1.0, 1.5, "7", True, float("nan"), [1], b"7", 10 * HUGE, -10 * HUGE]


def opening() -> Play:
    return Play.new("summer", seed=1)


def due() -> Play:
    """Return a play whose next deal is due."""
    play = Play.new("azul", seed=1)
    while play.chance is None and not play.is_over():
        play.push(play.legal_moves[0])
    return play


TAKERS: dict[str, Callable[[Any], object]] = {
    "Play": lambda seed: Play(opening().start, seed=seed),
    "Play.new": lambda seed: Play.new("azul", seed=seed),
    "Play.copy": lambda seed: due().copy(seed).draw(),
    "Play.draw": lambda seed: due().draw(seed),
    "Play.push_all": lambda seed: due().push_all([], seed),
    "search": lambda seed: make_agent("default:sims=2").choose(opening(), seed=seed),
    "analysis": lambda seed: make_agent("ismcts").analyse(opening(), Limits(sims=2), seed=seed),
    "level": lambda seed: make_agent("default:level=1").choose(opening(), seed=seed),
    "random": lambda seed: make_agent("random").choose(opening(), seed=seed),
    "greedy": lambda seed: make_agent("greedy").choose(opening(), seed=seed),
    "match": lambda seed: Match(["greedy", "random"], pairs=1, seed=seed).run(),
    "rollout": lambda seed: roll_out(opening(), list(opening().legal_moves)[:2],
                                      trials=1, seed=seed),
    "batch": lambda seed: Batch("summer", size=2, seed=seed),
}


@pytest.mark.parametrize("taker", TAKERS.values(), ids=TAKERS)
def test_whole_numbers_are_seeds(taker: Callable[[Any], object]) -> None:
    for seed in WHOLE:
        taker(seed)


@pytest.mark.parametrize("taker", TAKERS.values(), ids=TAKERS)
def test_nothing_else_is_one(taker: Callable[[Any], object]) -> None:
    for seed in OTHERS:
        with pytest.raises(SpecError) as refused:
            taker(seed)
        told = str(refused.value)
        assert re.fullmatch(r"seed .{1,30}: expected (a whole number|at most 1000 digits)", told)


@pytest.mark.parametrize("taker", TAKERS.values(), ids=TAKERS)
def test_whole_numbers_of_numpy_are_taken(taker: Callable[[Any], object]) -> None:
    numbers: list[Any] = [np.int64(-3), np.uint8(7), np.array(7)]
    for seed in numbers:
        taker(seed)
    record = Play.new(seed=numbers[1]).record()
    assert '"seed": 7,' in json.dumps(record.to_json())


def test_the_low_64_bits_of_the_seed_of_a_game_count() -> None:
    """As docs/protocol.md says."""
    for one, other in ((5, 2**64 + 5), (-1, 2**64 - 1)):
        assert Play.new("azul", seed=one).start == Play.new("azul", seed=other).start
        assert (Batch("azul", size=3, seed=one).observe()
                == Batch("azul", size=3, seed=other).observe()).all()


def test_every_bit_of_other_seeds_counts() -> None:
    """Those of matches and Gymnasium, as docs/protocol.md says."""
    matches = [Match(["greedy", "random"], game="azul", pairs=2, seed=seed)
               for seed in (5, 2**64 + 5, 5)]
    for match in matches:
        match.run()
    one, other, again = (match.array() for match in matches)
    assert (one["score"] != other["score"]).any()
    assert (one["score"] == again["score"]).all()
    pytest.importorskip("gymnasium")
    from pavilion_ai.envs.gymnasium import make

    env = make("azul")
    assert (env.reset(seed=5)[0] != env.reset(seed=2**64 + 5)[0]).any()


def test_environments_take_the_same_seeds() -> None:
    pytest.importorskip("pettingzoo")
    from pavilion_ai.envs.pettingzoo import raw_env

    env = raw_env("summer")
    for seed in WHOLE:
        env.reset(seed)
    for seed in OTHERS:
        with pytest.raises(SpecError, match=r"^seed .*: expected"):
            env.reset(seed)


def test_a_source_of_random_numbers_is_as_good_as_a_seed() -> None:
    first, second = due(), due()
    assert first.draw(Rng(3, 5)) == second.push_all([], Rng(3, 5))


class NamedRng(Rng):
    """Has an attribute, and another way to be made."""

    def __init__(self, name: str, *, seed: int) -> None:
        super().__init__(seed)
        self.name = name


@pytest.mark.parametrize("rng", [Rng(3), NamedRng("a", seed=4)])
def test_a_copy_of_random_numbers_goes_on_as_they_do(rng: Rng) -> None:
    rng.next()
    copies = [copy.copy(rng), copy.deepcopy(rng),
              *(pickle.loads(pickle.dumps(rng, protocol)) for protocol in range(6))]
    following = [rng.next(), rng.below(7)]
    for other in copies:
        assert [other.next(), other.below(7)] == following
        assert type(other) is type(rng)
        assert getattr(other, "name", "") == getattr(rng, "name", "")


@pytest.mark.parametrize("seed", WHOLE, ids=shown)
def test_records_with_such_seeds_are_like_others(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    record = Play.new("summer", seed=seed).record()
    file.write_text(json.dumps(record.to_json()) + "\n")
    (found,) = read_records(file)
    assert found == record
    assert Play.of(found).seed == seed
    assert found.start == Play.new("summer", seed=seed).start


@pytest.mark.parametrize("command", [("verify",), ("stats",), ("review", "--sims", "1"),
                                     ("replay",), ("dataset", "--out", "x.npz")])
@pytest.mark.parametrize(("seed", "why"), [
    ("1.5", "seed: found 1.5, expected a whole number"),
    ("null", "seed: found null, expected a whole number"),
    ("1" + 1000 * "0", "found a number of 1001 digits, expected at most 1000"),
])
def test_a_record_with_another_seed_is_refused_in_a_line(
    command: tuple[str, ...], seed: str, why: str, tmp_path: Path
) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(re.sub(r'"seed": *\d+', f'"seed": {seed}', GAME.read_text(encoding="utf-8")))
    (line,) = error_lines(pavilion(command[0], file, *command[1:]))
    assert line.startswith(f"error: {file}, line 1")
    assert why in line
