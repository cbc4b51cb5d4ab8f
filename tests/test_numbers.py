"""Absurd numbers for what programs call: refused in one line, or taken for what they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pavilion_ai import Limits, Play, Rng, Timeouts, make_agent
from pavilion_ai._core import (
    GameBatch,
    GuidedSearch,
    Network,
    Search,
    SelfPlay,
    SummerState,
    action_count,
    random_games,
    training_seats,
)
from pavilion_ai.envs import move_of
from pavilion_ai.envs.batch import Batch
from pavilion_ai.errors import PavilionError, SpecError
from pavilion_ai.external import ExternalEngine
from pavilion_ai.games import GAMES
from pavilion_ai.network import shipped
from pavilion_ai.tunables import Tunables

HUGE = 10**5000
"""More digits than Python turns into text."""
WHOLE = [HUGE, -HUGE, 2**31, 2**32, 2**63, 2**64, -1, -(2**63) - 1, np.uint64(2**64 - 1), True,
         np.int64(1)]
OTHERS = [2.0, 1.5, float("nan"), float("inf"), "1", None]
PLAY = Play.new(seed=1)
STATE = PLAY.state
FIELDS = STATE.fields()
TUNABLES = {**GAMES["summer"].tunables}
SIZED = {"seed": 1, "memory_bytes": 1 << 16}


def search(**changes: Any) -> Search:
    return Search(STATE, **{**SIZED, **TUNABLES, **changes})


def searched() -> Search:
    found = search()
    found.run(5)
    return found


def stopped() -> Search:
    found = search()
    found.stop()
    return found


def soon(value: Any) -> Any:
    """Return a number for which there is little to do, if it may be taken."""
    return 1 if type(value) is int and 1 < value < 10**12 else value


def net() -> Network:
    found = shipped("summer", "coloured", 2)
    assert found is not None
    return found


def batch() -> GameBatch:
    arrays = (np.zeros((2, 2), np.float32), np.zeros(2, np.uint8), np.zeros(2, np.int8),
              np.zeros((2, 2), np.int32))
    return GameBatch(SummerState, 2, False, 2, 1, arrays)


def field(number: int) -> Callable[[Any], Any]:
    return lambda value: SummerState(*FIELDS[:number], value, *FIELDS[number + 1:])


CORE: dict[str, Callable[[Any], Any]] = {
    "seed": lambda value: Rng(value),
    "stream": lambda value: Rng(1, value),
    "below": lambda value: Rng(1).below(value),
    "players": lambda value: SummerState.new(value, False, 0, Rng(1)),
    "start_seat": lambda value: SummerState.new(2, False, value, Rng(1)),
    **{f"field {number}": field(number) for number in (0, 2, 3, 4, 5, 6, 7)},
    "numbers": STATE.numbers,
    "kind of move": lambda value: STATE.code((value, 0, 0)),
    "source": lambda value: STATE.code((0, value, 0)),
    "apply_code": lambda value: STATE.copy().apply_code(value),
    "action": STATE.action,
    "action_code": STATE.action_code,
    "viewer": STATE.observation,
    "perft": lambda value: STATE.perft(soon(value)),
    "games": lambda value: random_games(STATE, soon(value), 1),
    "seed of games": lambda value: random_games(STATE, 1, value),
    **{f"search {name}": lambda value, name=name: search(**{name: value})  # type: ignore[misc]
       for name in ("seed", "stream", "expand_visits", "selection", "uniform", "max_depth",
                    "stats_depth", "finish", "deal_visits", "deal_spread", "plain", "share")},
    "threads": lambda value: search(threads=value),
    "sims": lambda value: stopped().run(value),
    "length": lambda value: search().line((0, 0, 0), value),
    "seed of advance": lambda value: searched().advance(STATE, seed=value),
    "stream of restart": lambda value: search().restart(STATE, seed=1, stream=value),
    "room": lambda value: GuidedSearch(STATE, room=value, **SIZED, **TUNABLES),
    "seed of a game": lambda value: SelfPlay(
        SummerState, 2, False, full_sims=1, fast_sims=1, memory_bytes=1 << 16, **TUNABLES
    ).play(value),
    "self-play players": lambda value: SelfPlay(SummerState, value, False, **TUNABLES),
    "self-play sims": lambda value: SelfPlay(SummerState, 2, False, full_sims=value, **TUNABLES),
    "inputs": lambda value: Network(value, 32, 16, 2, 0, b""),
    "hidden1": lambda value: Network(9, value, 16, 2, 0, b""),
    "hidden2": lambda value: Network(9, 32, value, 2, 0, b""),
    "seats": lambda value: Network(9, 32, 16, value, 0, b""),
    "policy": lambda value: Network(9, 32, 16, 2, value, b""),
    "first": lambda value: net().evaluate([], value),
    "count": lambda value: net().policy_table([], 0, 0 if value is None else value),
    "repeats": lambda value: net().seconds([], soon(value)),
    "input": lambda value: net().evaluate([value], 0, 1),
    "first game": lambda value: batch().reset(value, 2),
    "last game": lambda value: batch().reset(0, value),
    "game of a batch": lambda value: batch().state(value),
    "game to begin": lambda value: batch().begin(value, STATE),
    "reward": lambda value: batch().play(value, 0, 0),
    "batch players": lambda value: action_count(SummerState, value, False),
    "training players": lambda value: training_seats(SummerState, value, b""),
}
ANYTHING = {"seed", "stream", "search seed", "search stream", "seed of games", "seed of advance",
            "stream of restart", "seed of a game", "sims", "length"}
"""They take every whole number."""
MAY_BE_NONE = {"count"}


def one_line(error: BaseException) -> None:
    """Check a message."""
    said = str(error)
    assert said.isprintable()
    assert len(said) < 300
    assert not any(word in said for word in ("digits", "too large", "C long", "C int", "uint"))


@pytest.mark.parametrize("name", CORE)
def test_whole_numbers_of_any_size(name: str) -> None:
    for value in WHOLE:
        try:
            CORE[name](value)
        except ValueError as error:
            one_line(error)
            assert name not in ANYTHING


@pytest.mark.parametrize("name", CORE)
@pytest.mark.parametrize("value", OTHERS)
def test_what_is_no_whole_number(name: str, value: Any) -> None:
    if value is None and name in MAY_BE_NONE:
        return
    with pytest.raises((TypeError, ValueError)) as caught:
        CORE[name](value)
    one_line(caught.value)


@pytest.mark.parametrize("name", ["exploration", "temperature", "win_weight", "rivals"])
def test_numbers_that_are_too_large_for_a_float(name: str) -> None:
    for value in (HUGE, -HUGE):
        with pytest.raises(ValueError, match="16610 bits") as caught:
            search(**{name: value})
        one_line(caught.value)


@pytest.mark.parametrize("ask", [
    lambda value: stopped().run(1, value), lambda value: search().set_deadline(value),
    lambda value: search().set_deadline(1, value), lambda value: search().set_deadline(1, 1, value),
    lambda value: search().advance(STATE, seed=1, seconds=value),
    lambda value: SelfPlay(SummerState, 2, False, noise=value, **TUNABLES),
    lambda value: Network(9, 32, 16, 2, 0, bytes(1944), win_scale=value)],
    ids=["until", "deadline", "most", "expected", "seconds", "noise", "win_scale"])
def test_what_is_no_number_at_all(ask: Callable[[Any], Any]) -> None:
    for value, said in ((float("nan"), "nan"), (Fraction(HUGE), "16610 bits")):
        with pytest.raises(ValueError, match=said) as caught:
            ask(value)
        one_line(caught.value)


def test_numpy_counts_as_python_does() -> None:
    """A seed of numpy gives what the same seed of Python gives."""
    for value in (np.int64(-3), np.uint64(2**64 - 1), np.int8(5), True):
        assert Rng(value).next() == Rng(int(value)).next()


@pytest.mark.parametrize("number", [np.int64(3), np.uint8(3), np.float32(3.0), Fraction(3)])
def test_limits_and_tunables_hold_numbers_of_python(number: Any) -> None:
    """They are written as JSON, which knows no others."""
    limits = Limits(seconds=number, clock=(number, None), increment=(number, 0))
    assert json.loads(json.dumps(limits.to_json())) == {
        "sims": None, "seconds": 3, "clock": [3, None], "increment": [3, 0]}
    with pytest.raises(SpecError, match="a Fraction"):
        Limits(seconds=Fraction(HUGE))
    assert json.dumps(Tunables(exploration=number).exploration) in ("3", "3.0")
    whole = isinstance(number, np.integer)
    for make in (lambda: Limits(sims=number).sims, lambda: Tunables(max_depth=number).max_depth):
        if whole:
            assert json.dumps(make()) == "3"
        else:
            with pytest.raises(SpecError, match="expected a whole number") as caught:
                make()
            one_line(caught.value)


PUBLIC: dict[str, Callable[[Any], Any]] = {
    "sims": lambda value: Limits(sims=value),
    "seconds": lambda value: Limits(seconds=value),
    "memory_mib": lambda value: Limits(memory_mib=value),
    "clock": lambda value: Limits(clock=(1.0, value)),
    "increment": lambda value: Limits(clock=(1.0, 1.0), increment=(0.0, value)),
    "players": lambda value: Play.new(players=value),
    "start_player": lambda value: Play.new(seed=1, start_player=value),
    "move_of": lambda value: move_of(PLAY, value),
    "step": Batch("summer", size=1, seed=1).step,
    "size": lambda value: Batch("summer", size=value),
    "threads": lambda value: Batch("summer", size=1, threads=value),
    "report_every": lambda value: make_agent("ismcts").analyse(
        PLAY, Limits(sims=1), report_every=value),
    "even": lambda value: make_agent("ismcts").analyse(PLAY, Limits(sims=1), even=value),
    "grace": lambda value: ExternalEngine("none", grace=value),
    "timeouts": lambda value: Timeouts(move=value),
}


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize("value", [HUGE, -HUGE, -(2**63) - 1, float("nan"), "1"],
                         ids=["huge", "minus huge", "minus 64 bits", "nan", "text"])
def test_what_programs_call_refuses_in_words(name: str, value: Any) -> None:
    with pytest.raises(PavilionError) as caught:
        PUBLIC[name]([value] if name == "step" else value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300
    assert "4300" not in str(caught.value)
