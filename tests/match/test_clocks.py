"""Games on clocks: who runs out of time, what records say of it, and what `verify` finds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import Agent, Limits, Match
from pavilion_ai.agents import Decision, MadeAgent
from pavilion_ai.clock import TimeControl
from pavilion_ai.errors import EngineFault, EngineLate, SpecError
from pavilion_ai.limits import Timeouts
from pavilion_ai.match.checking import check
from pavilion_ai.match.results import MATCH_KEY
from pavilion_ai.match.schedule import Seating
from pavilion_ai.match.table import play_with, task_of
from pavilion_ai.match.verify import verify
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.record import GameRecord, Recorder
from tests.cli.support import pavilion
from tests.clocks import Thinker, Time
from tests.match.support import event, listening, mock, played, python_engine


def match(quick: float, slow: float, clock: str) -> tuple[Match, Thinker, Thinker]:
    time = Time()
    agents = Thinker(time, quick, "quick"), Thinker(time, slow, "slow")
    return Match(agents, pairs=1, seed=3, clock=clock, now=time), *agents


def test_a_seat_that_uses_more_than_it_has_loses() -> None:
    found, _, _ = match(0.125, 0.5, "5")
    report = found.run()
    first, second = found.records
    assert first.reason == "seat 1: out of time, 0.500 s late on a clock of 5"
    assert second.reason == "seat 0: out of time, 0.500 s late on a clock of 5"
    for record, loser in ((first, 1), (second, 0)):
        told = record.extra[MATCH_KEY]
        assert record.winners == (1 - loser,)
        assert told["loser"] == loser
        assert told["decisions"][loser] == 11  # ten in time, and the one that came too late
        assert told["left"][loser] == -0.5
        assert told["left"][1 - loser] == pytest.approx(5 - 0.125 * told["decisions"][1 - loser])
        assert told["limits"] == {"sims": None, "seconds": None, "clock": [5, 5],
                                  "increment": [0, 0]}
        assert check(record).faults == ()
    assert [name for _, name, _ in report.faults] == ["slow", "slow"]
    assert "out of time" in str(report)
    assert "clock 5" in str(report)


def test_the_simulations_of_an_answer_that_comes_too_late_count() -> None:
    class Searching(Thinker):
        def decide(self, play: Play, limits: Limits | None = None, **_: Any) -> Decision:
            return Decision(self.choose(play, limits), sims=3)

    time = Time()
    found = Match([Searching(time, 0.5, "slow"), Thinker(time, 0.0)], pairs=1, seed=3, clock="5",
                  now=time)
    found.run()
    for seat, record in enumerate(found.records):
        told = record.extra[MATCH_KEY]
        assert (told["decisions"][seat], told["sims"][seat]) == (11, 33)


def test_the_increment_keeps_a_seat_in_the_game() -> None:
    found, quick, slow = match(0.25, 0.5, "2+0.5")
    found.run()
    assert [record.reason for record in found.records] == ["finished", "finished"]
    told = found.records[0].extra[MATCH_KEY]
    assert told["left"][1] == 2
    assert told["left"][0] == pytest.approx(2 + 0.25 * told["decisions"][0])
    assert all(check(record).faults == () for record in found.records)
    game = len(slow.seen) // 2
    assert [limits.left(1) for limits in slow.seen[:3] if limits] == [2, 2, 2]
    assert {limits.increment for limits in [*quick.seen, *slow.seen] if limits} == {(0.5, 0.5)}
    assert [limits.left(0) for limits in quick.seen[:3] if limits] == [2, 2.25, 2.5]
    assert game > 20


def test_the_grace_is_for_whoever_is_late() -> None:
    time = Time()
    agents = [Thinker(time, 0.25, "a"), Thinker(time, 0.5, "b")]
    settled = event("a", "b", limits=TimeControl(5).limits(2),
                    timeouts=Timeouts(clock_grace=0.5))
    task = task_of(settled, Seating("1", 0, (0, 1)))
    record, _ = play_with(task, agents, time)
    assert record.reason == "seat 1: out of time, 1.000 s late on a clock of 5"


def test_a_clock_of_the_spec_and_limits_of_the_spec() -> None:
    found = Match(["default:clock=1000,sims=3", "default:sims=2"], pairs=1, seed=2,
                  clock="2000+1")
    found.run()
    first, second = (record.extra[MATCH_KEY]["left"] for record in found.records)
    assert first[0] < 1000 < 2000 < first[1]
    assert second[1] < 1000 < 2000 < second[0]
    assert [check(record).faults for record in found.records] == [(), ()]


def test_one_clock_in_a_match_without() -> None:
    found = Match(["default:clock=1000,sims=3", "greedy"], pairs=1, seed=2)
    found.run()
    left = [record.extra[MATCH_KEY]["left"] for record in found.records]
    assert left[0][1] is left[1][0] is None
    assert check(found.records[0]).faults == ()
    plain = Match(["policy", "greedy"], pairs=1, seed=2)
    plain.run()
    assert "left" not in plain.records[0].extra[MATCH_KEY]


def test_who_has_a_clock_of_its_own_is_given_no_other_limits() -> None:
    time = Time()
    own, other = Thinker(time, 0.25, "own"), Thinker(time, 0.25, "other")
    own.limited, own.clock = True, TimeControl(100)
    Match([own, other], pairs=1, seed=2, limits=Limits(sims=7), now=time).run()
    assert own.seen[0] == Limits(clock=(100, None), increment=(0, 0))
    assert {limits and limits.sims for limits in own.seen} == {None}
    assert {*other.seen} == {Limits(sims=7)}


def test_a_clock_and_limits_exclude_each_other() -> None:
    with pytest.raises(SpecError, match="expected none beside limits"):
        Match(["greedy", "greedy"], clock="5", limits=Limits(sims=3))
    with pytest.raises(SpecError, match="clock"):
        Match(["greedy", "greedy"], clock="5 minutes")
    with pytest.raises(SpecError, match="clock 60: expected a TimeControl"):
        Match(["greedy", "greedy"], clock=60)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------- external engines

def test_seconds_beside_a_clock_hold_too() -> None:
    class First(Agent):
        searches = True

        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            assert limits is not None
            given.add((limits.seconds, limits.memory_mib, len(limits.clock)))
            return play.legal_moves[0]

    given: set[object] = set()
    Match([First("first"), First("second")], pairs=1, seed=3,
          limits=Limits(seconds=0.5, memory_mib=32, clock=(60, 60))).run()
    assert given == {(0.5, 32, 2)}


def test_an_engine_is_told_the_clock(tmp_path: Path) -> None:
    spec, log = listening(tmp_path, "limits")
    found = played(event(spec, "greedy", rounds=1,
                         limits=TimeControl(900, 0.5).limits(2)))
    told = [json.loads(line) for line in log.read_text().splitlines()]
    assert all(list(limits) == ["clock", "increment"] for limits in told)
    assert told[0]["increment"] == [0.5, 0.5]
    assert len(told[0]["clock"]) == 2
    assert all(600 < seconds < 1000 for limits in told for seconds in limits["clock"])
    assert [record.reason for record in found] == ["finished", "finished"]
    assert all(check(record).faults == () for record in found)


def test_an_engine_that_is_silent_loses_on_time() -> None:
    found = played(event(mock("silence", 3), "random", rounds=1, limits=TimeControl(1).limits(2),
                         timeouts=Timeouts(start=30)))
    for record in found:
        loser = record.extra[MATCH_KEY]["loser"]
        assert record.reason.startswith(f"seat {loser}: out of time: no answer within ")
        assert record.extra[MATCH_KEY]["left"][loser] < 0
        assert check(record).faults == ()


def test_the_start_of_an_engine_is_not_on_its_clock(tmp_path: Path) -> None:
    script = tmp_path / "engine.py"
    script.write_text(
        "import json, sys, time\n"
        "time.sleep(1.5)\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    print(json.dumps({'id': asked['id'], 'move': asked['legal_moves'][0]}), flush=True)\n")
    played_first = min(
        played(event(python_engine(script), "greedy", rounds=1,
                     limits=TimeControl(300).limits(2), timeouts=Timeouts(start=60))),
        key=lambda record: record.id)
    left = played_first.extra[MATCH_KEY]["left"]
    slack = 0.5  # what a busy machine puts between two readings of the time, over a whole game
    assert played_first.reason == "finished"
    assert left[0] > 300 - played_first.seconds[0] + 1.5 - slack
    assert left[1] == pytest.approx(300 - played_first.seconds[1], abs=slack)
    assert check(played_first).faults == ()


def test_a_fault_that_is_not_lateness_has_its_own_reason() -> None:
    record = played(event(mock("illegal"), "greedy", rounds=1, limits=TimeControl(60).limits(2)))[0]
    assert record.reason.endswith("illegal move 'D9:G'")
    assert "out of time" not in record.reason
    assert check(record).faults == ()


class Faulty(Thinker):
    """Breaks the rules at its fourth decision, in one of two ways."""

    def __init__(self, time: Time, fault: EngineFault | None) -> None:
        super().__init__(time, 0.25, "cmd:faulty")
        self.fault = fault

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        move = super().choose(play, limits, seed)
        if len(self.seen) % 4:
            return move
        if self.fault is not None:
            raise self.fault
        return "D9:G"


@pytest.mark.parametrize(("fault", "free"), [
    (None, 0), (EngineFault("gone"), 0), (EngineFault("gone as it had started"), 0.125)])
def test_a_fault_takes_time_and_brings_no_increment(fault: EngineFault | None, free: float) -> None:
    if fault is not None:
        fault.free = free
    time = Time()
    found = Match([Faulty(time, fault), Thinker(time, 0.5, "quick")], pairs=1, seed=3,
                  clock="60+1", now=time)
    found.run()
    for record in found.records:
        told = record.extra[MATCH_KEY]
        assert told["decisions"][told["loser"]] == 4
        assert told["left"][told["loser"]] == 60 - 4 * 0.25 + 3 + free
        assert check(record).faults == ()


@pytest.mark.parametrize(("clock", "said", "left"), [
    ("60", "no answer within 0.5 s", 59.0),
    ("0.875", "out of time: no answer within 0.5 s", -0.125),
])
def test_who_exceeds_the_seconds_of_a_move_is_not_out_of_time(
    clock: str, said: str, left: float
) -> None:
    time = Time()
    found = Match([Faulty(time, EngineLate("no answer within 0.5 s")), Thinker(time, 0, "quick")],
                  pairs=1, seed=3, clock=clock, now=time)
    found.run()
    for record in found.records:
        loser = record.extra[MATCH_KEY]["loser"]
        assert record.reason == f"seat {loser}: {said}"
        assert record.extra[MATCH_KEY]["left"][loser] == left
        assert check(record).faults == ()


def test_reading_a_network_is_on_nobodys_clock() -> None:
    class Reader(MadeAgent):
        def read_network(self, start: Position) -> None:
            time.seconds += 50

        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            return play.legal_moves[0]

    time = Time()
    found = Match([Reader("one"), Reader("two")], pairs=1, seed=3, clock="5", now=time)
    found.run()
    assert time.seconds == 200
    assert [record.extra[MATCH_KEY]["left"] for record in found.records] == [[5, 5]] * 2


# --------------------------------------------------------------------------- what verify finds

def changed(record: GameRecord, **keys: object) -> GameRecord:
    return replace(record, extra={MATCH_KEY: {**record.extra[MATCH_KEY], **keys}})


def test_verify_checks_the_clocks() -> None:
    found, _, _ = match(0.125, 0.5, "5")
    found.run()
    record = found.records[0]
    left = list(record.extra[MATCH_KEY]["left"])
    without = {key: value for key, value in record.extra[MATCH_KEY].items() if key != "left"}
    no_clock = {"sims": None, "seconds": None}
    for wrong, said in (
        (changed(record, left=[left[0], 0.5]), "is said to be out of time, left says 0.5"),
        (changed(record, left=[left[0], -1]), "left says -1 s"),
        (changed(record, left=[left[0] + 1, left[1]]), "left says"),
        (changed(record, left=[None, left[1]]), "seat 0 has a clock, left says None"),
        (changed(record, left=[1]), "for each of 2 seats"),
        (changed(record, left=["1", 2]), "expected a number"),
        (changed(record, limits={**no_clock, "clock": [5], "increment": [0, 0]}), "2 seats"),
        (changed(record, limits={**no_clock, "clock": [5, -1], "increment": [0, 0]}), "-1"),
        (changed(record, limits=no_clock, left=[None, None]), "but no seat has a clock"),
        (replace(record, extra={MATCH_KEY: without}), "found no such key as left"),
        (replace(record, seconds=(record.seconds[0], 0.1)), "thought 0.1 s"),
    ):
        faults = check(wrong).faults
        assert any(said in fault for fault in faults), (said, faults)


def test_files_of_timed_games(tmp_path: Path) -> None:
    found, _, _ = match(0.125, 1, "5+0.5")
    found.run()
    path = tmp_path / "timed.jsonl"
    with Recorder(path) as recorder:
        for record in found.records:
            recorder.write(record)
    assert verify(path).problems == ()
    listed = pavilion("replay", path)
    assert "out of time, 0.500 s late" in pavilion("replay", path, "--game", "1-1").stdout
    assert "out of time" in listed.stdout
    reported = pavilion("report", path)
    assert "clock 5+0.5" in reported.stdout
    assert "slow: seat 1: out of time, 0.500 s late on a clock of 5+0.5" in reported.stdout
    told = json.loads(pavilion("report", path, "--json").stdout)
    limits = told["event"]["settings"]["limits"]
    assert (limits["clock"], limits["increment"]) == ([5, 5], [0.5, 0.5])


def test_the_command(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    words = ("match", "default:sims=2", "greedy", "--pairs", 1, "--seed", 4, "--out", path,
             "--jobs", 1)
    done = pavilion(*words, "--clock", "900+0.25")
    assert done.exit_code == 0, done.output
    assert "clock 900+0.25" in done.stdout
    assert verify(path).problems == ()
    again = pavilion(*words, "--clock", "900")
    assert again.exit_code == 2
    assert "of another event: limits" in again.output
    for more, said in ((("--time", 1), "--time and --clock exclude each other"),
                       (("--sims", 1), "--sims and --clock exclude each other")):
        refused = pavilion(*words, "--clock", "900", *more)
        assert (refused.exit_code, said in refused.output) == (2, True), refused.output
    assert "expected seconds for the whole game" in pavilion(*words, "--clock", "1:30").output
