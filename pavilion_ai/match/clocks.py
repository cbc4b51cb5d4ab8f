"""Check what a record says of the clocks of its game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from pavilion_ai.clock import OUT_OF_TIME, TimeControl
from pavilion_ai.errors import SpecError, shown
from pavilion_ai.record import GameRecord
from pavilion_ai.spec import is_program, parse_spec

ROUNDING = 0.002
"""Seconds by which the times of a record, which are rounded, may be apart."""


def controls_of(record: GameRecord, match: Mapping[str, Any]) -> list[TimeControl | None]:
    """Return what the clock of each seat was set to: by its spec, or else by the event."""
    limits = match["limits"]
    controls: list[TimeControl | None] = []
    for seat, agent in enumerate(record.agents):
        control = None
        if limits.get("clock"):
            control = TimeControl(limits["clock"][seat], limits["increment"][seat])
        with suppress(SpecError):  # an agent of somebody's own
            control = parse_spec(agent.get("spec", "")).clock or control
        controls.append(control)
    return controls


def clock_faults(record: GameRecord, match: Mapping[str, Any]) -> Iterator[str]:
    """Yield the contradictions between clocks, thinking times, decisions and the reason."""
    controls, left = controls_of(record, match), match.get("left")
    late = record.reason.partition(": ")[2].startswith(OUT_OF_TIME)
    if late and not any(controls):
        yield f"the reason is {shown(record.reason)}, but no seat has a clock"
    if left is None and not any(controls):
        return
    if left is None:
        yield "found no such key as left, expected the seconds left by seat, as there are clocks"
        return
    loser = match.get("loser")
    for seat, (control, seconds) in enumerate(zip(controls, left, strict=True)):
        if control is None or seconds is None:
            if (control is None) != (seconds is None):
                yield f"seat {seat} has {'a' if control else 'no'} clock, left says {seconds}"
            continue
        made = match["decisions"][seat] - (seat == loser)
        most = control.seconds + control.increment * made
        least = most - record.seconds[seat]
        if not is_program(record.agents[seat].get("spec", "")):
            most = least  # only the start of a program is not on its clock
        if not least - ROUNDING <= seconds <= most + ROUNDING:
            yield (f"seat {seat} has a clock of {control}, made {made} decisions in time and"
                   f" thought {record.seconds[seat]:g} s, left says {seconds:g} s")
    if late and loser is not None and (left[loser] is None or left[loser] > 0):
        yield f"seat {loser} is said to be out of time, left says {left[loser]}"
