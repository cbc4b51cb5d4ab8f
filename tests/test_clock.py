"""Clocks: what they may be set to, what they take and give, when a seat is out of time."""

from __future__ import annotations

from typing import Any

import pytest

from pavilion_ai.clock import Clocks, OutOfTimeError, TimeControl, clock_of
from pavilion_ai.errors import SpecError
from pavilion_ai.limits import Limits
from pavilion_ai.spec import parse_spec


@pytest.mark.parametrize(("text", "seconds", "increment", "canonical"), [
    ("60", 60.0, 0.0, "60"),
    ("60+0.5", 60.0, 0.5, "60+0.5"),
    (" 1.50 + 2 ", 1.5, 2.0, "1.5+2"),
    ("60+0", 60.0, 0.0, "60"),
    (".25", 0.25, 0.0, "0.25"),
    ("1e3", 1000.0, 0.0, "1000"),
])
def test_what_a_clock_may_be_set_to(
    text: str, seconds: float, increment: float, canonical: str
) -> None:
    control = TimeControl.parse(text)
    assert control == TimeControl(seconds, increment)
    assert str(control) == canonical
    assert TimeControl.parse(canonical) == control


@pytest.mark.parametrize("text", [
    "", "+", "60+", "+1", "60+x", "x", "-1", "0", "60+-1", "nan", "inf", "1:30", "40/60", "6_0",
    "1e10", "60+0.5+1", "60 0.5", "0.0001",
])
def test_what_it_may_not_be_set_to(text: str) -> None:
    with pytest.raises(SpecError, match="clock"):
        TimeControl.parse(text)


@pytest.mark.parametrize("value", ["60", None, True, 10**400, float("nan"), -1])
def test_numbers_that_are_none(value: Any) -> None:
    with pytest.raises(SpecError, match=r"^clock, seconds .*: expected a number from 0\.001 to"):
        TimeControl(value)
    with pytest.raises(SpecError, match=r"^clock, increment .*: expected a number from 0 to"):
        TimeControl(60, value)


def use(clocks: Clocks, seat: int, seconds: float) -> None:
    """Take the time of a decision from a seat's clock, and add the increment."""
    clocks.spend(seat, seconds)
    clocks.add_increment(seat)


def test_a_decision_takes_its_time_and_brings_the_increment() -> None:
    clocks = Clocks([TimeControl(10, 0.5), TimeControl(3)])
    assert (clocks.left, clocks.increments) == ((10, 3), (0.5, 0))
    use(clocks, 0, 4)
    use(clocks, 1, 1)
    assert clocks.left == (6.5, 2)
    clocks.spend(0, 2)
    assert clocks.left == (4.5, 2)
    assert clocks.limits(7) == Limits(sims=7, clock=(4.5, 2), increment=(0.5, 0))


def test_all_of_the_time_may_be_used_but_no_more() -> None:
    clocks = Clocks([TimeControl(1, 1)] * 2)
    use(clocks, 0, 1)
    assert clocks.left == (1, 1)
    with pytest.raises(OutOfTimeError, match=r"out of time, 0\.250 s late on a clock of 1\+1"):
        use(clocks, 0, 1.25)
    assert clocks.left == (-0.25, 1)  # and no increment
    with pytest.raises(OutOfTimeError):
        clocks.spend(1, 1.001)


def test_the_grace_lets_a_seat_be_late() -> None:
    clocks = Clocks([TimeControl(1), TimeControl(1)], grace=0.5)
    use(clocks, 0, 1.4)
    assert clocks.left[0] == pytest.approx(-0.4)
    assert clocks.limits().clock == (0, 1)  # agents are told no negative times
    with pytest.raises(OutOfTimeError):
        use(clocks, 0, 0.6)


def test_a_seat_without_a_clock_has_all_the_time() -> None:
    clocks = Clocks([None, TimeControl(2)])
    use(clocks, 0, 1e6)
    assert clocks.left == (None, 2)
    assert clocks
    assert not Clocks([None, None])
    assert (clocks.runs(0), clocks.runs(1)) == (False, True)


def test_a_game_continues_with_what_is_left() -> None:
    clocks = Clocks([TimeControl(9, 1)] * 2, left=[2.5, 4])
    use(clocks, 0, 0.5)
    assert clocks.left == (3, 4)


def test_a_decision_brings_its_increment_once() -> None:
    clocks = Clocks([TimeControl(9, 1)] * 2)
    for expected in (8, 7):
        use(clocks, 0, 2)
        assert clocks.left == (expected, 9)
    for _ in range(2):
        clocks.take_back(0)
    for expected in (6, 5, 5):
        use(clocks, 0, 1)
        assert clocks.left == (expected, 9)


def test_the_clock_of_an_event() -> None:
    limits = TimeControl(60, 0.5).limits(3)
    assert limits.to_json() == {"sims": None, "seconds": None, "clock": [60, 60, 60],
                                "increment": [0.5, 0.5, 0.5]}
    assert clock_of(limits, 2) == TimeControl(60, 0.5)
    unlike = Limits(clock=(60, 90), increment=(0.5, 2))
    assert clock_of(unlike, 1) == TimeControl(90, 2)
    assert clock_of(Limits(sims=3), 0) is clock_of(None, 0) is None


@pytest.mark.parametrize("given", [
    {"clock": (-1.0, 2.0)}, {"clock": (float("nan"), 1.0)}, {"clock": (1.0,), "increment": (-1.0,)},
    {"clock": (1.0, 1.0), "increment": (1.0,)}, {"increment": (1.0,)},
])
def test_limits_with_a_bad_clock(given: dict[str, tuple[float, ...]]) -> None:
    with pytest.raises(SpecError):
        Limits(**given)  # type: ignore[arg-type]


def test_the_clock_in_a_spec() -> None:
    spec = parse_spec("default:clock=60+0.50,pace=0")
    assert spec.clock == TimeControl(60, 0.5)
    assert spec.has_limit
    assert parse_spec("default").clock is None
    for text, match in (("default:clock=0.0001", "expected seconds for a game, from 0.001 to 1"),
                        ("default:clock=x", "option clock: found 'x', expected seconds"),
                        ("default:clock=5,time=1", "option time: expected none beside clock=5"),
                        ("default:level=3,clock=5", "option clock: expected none beside level=3"),
                        ("greedy:clock=5", "option 'clock': expected none")):
        with pytest.raises(SpecError, match=match):
            parse_spec(text)


def test_a_loss_by_less_than_is_shown() -> None:
    with pytest.raises(OutOfTimeError, match=r"out of time, less than 0\.001 s late"):
        Clocks([TimeControl(1)]).spend(0, 1.0001)


def test_a_refused_clock_says_plain_numbers() -> None:
    with pytest.raises(SpecError, match=r"0\.0: expected a number from 0\.001 to 1000000000$"):
        TimeControl.parse("0")
