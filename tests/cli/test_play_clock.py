"""Clocks of a game at the table: of engines and people, in the record, after resuming."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path
from time import sleep
from typing import Any, NoReturn

import pytest

from pavilion_ai.agents import Decision, MadeAgent
from pavilion_ai.cli.session import Session, clock_set
from pavilion_ai.cli.table import Table
from pavilion_ai.clock import Clocks, OutOfTimeError, TimeControl
from pavilion_ai.errors import EngineFault, EngineLate, RecordError
from pavilion_ai.limits import Limits
from pavilion_ai.match.checking import check
from pavilion_ai.play import Play
from pavilion_ai.position import Position
from pavilion_ai.record import read_records
from tests.clocks import Thinker, Time

from .support import pavilion


class Ending(Thinker):
    """Thinks for some seconds, and then raises an exception."""

    def __init__(self, time: Time, seconds: float, end: BaseException) -> None:
        super().__init__(time, seconds)
        self.end = end

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        super().choose(play, limits, seed)
        raise self.end


def session(time: Time, clock: str = "10+1") -> Session:
    control = TimeControl.parse(clock)
    return Session("one", ("human", "engine"), Play.new(seed=4, start_player=0),
                   clocks=Clocks([control, control]), now=time)


def test_an_engine_is_told_its_clock_and_pays_for_its_time() -> None:
    time = Time()
    table, agent = session(time), Thinker(time, 3)
    table.choose(agent, Limits(seconds=1))
    assert agent.seen[-1] == Limits(clock=(10, 10), increment=(1, 1))
    assert table.clocks is not None
    assert table.clocks.left == (8, 10)
    agent.each = 8.5
    seat = table.play.turn
    assert seat == 1
    table.choose(agent, None)
    assert table.clocks.left == (8, 2.5)
    with pytest.raises(OutOfTimeError, match=r"out of time, 0\.500 s late"):
        table.choose(agent, None)
    assert len(table.play.moves) == 2  # the move that came too late was not played


def test_the_start_of_a_program_is_not_on_its_clock() -> None:
    class Program(Thinker):
        def decide(self, play: Play, *arguments: Any, **options: Any) -> Decision:
            return Decision(self.choose(play), free=2.0)

    time = Time()
    table = session(time)
    table.choose(Program(time, 3), None)
    assert table.clocks is not None
    assert table.clocks.left == (10, 10)
    assert table.seconds == [3, 0]


def test_a_program_that_still_starts_when_it_is_broken_off_has_used_no_time() -> None:
    class Program(Ending):
        free = 30.0

    time = Time()
    table = session(time)
    with pytest.raises(KeyboardInterrupt):
        table.choose(Program(time, 14, KeyboardInterrupt()), None)
    assert table.clocks is not None
    assert table.clocks.left == (10, 10)


@pytest.mark.parametrize("end", [KeyboardInterrupt(), EngineFault("gone"), OSError("no process")])
def test_a_decision_that_is_broken_off_has_taken_its_time(end: BaseException) -> None:
    time = Time()
    table = session(time)
    with pytest.raises(type(end)):
        table.choose(Ending(time, 3, end), None)
    assert table.clocks is not None
    assert table.clocks.left == (7, 10)
    assert table.seconds == [3, 0]


@pytest.mark.parametrize("end", [KeyboardInterrupt(), EngineLate("no answer within 10.0 s")])
def test_who_is_out_of_time_is_so_whatever_ends_the_decision(end: BaseException) -> None:
    time = Time()
    table = session(time)
    if isinstance(end, EngineLate):
        end.free = 4.0  # its program started in them
    with pytest.raises(OutOfTimeError, match=r"out of time, \d\.500 s late on a clock of 10\+1"):
        table.choose(Ending(time, 14.5, end), None)
    assert table.clocks is not None
    assert table.clocks.left[0] == 10 - 14.5 + getattr(end, "free", 0)
    assert not table.play.moves


def test_what_is_played_again_brings_no_time_again() -> None:
    time = Time()
    table = session(time)
    clocks, agent = table.clocks, Thinker(time, 2)
    assert clocks is not None
    for left in ((11, 9), (11, 7), (12, 6)):
        table.play.push(table.play.legal_moves[0])
        clocks.add_increment(0)
        table.choose(agent, None)
        assert clocks.left == left
        if left != (11, 7):
            assert table.undo() == 2
    assert clocks.left == (12, 6)


def test_what_is_played_again_after_resuming_brings_no_time_again() -> None:
    time = Time()
    table = session(time)
    agent = Thinker(time, 2)
    for _ in range(3):
        table.play.push(table.play.legal_moves[0])
        assert table.clocks is not None
        table.clocks.add_increment(0)
        table.choose(agent, None)
        assert table.undo() == 2
        table = replace(Session.resume(table.record()), now=time)
    assert table.clocks is not None
    assert table.clocks.left == (11, 5)


def test_a_record_from_before_what_is_taken_back_was_kept() -> None:
    record = replace(session(Time()).record(), extra={"clock": {"set": "10+1", "left": [3, 4]}})
    clocks = Session.resume(record).clocks
    assert clocks is not None
    assert (clocks.left, clocks.again) == ((3, 4), (0, 0))


def test_networks_are_read_before_the_clocks_run(monkeypatch: pytest.MonkeyPatch) -> None:
    class Reader(MadeAgent):
        def read_network(self, start: Position) -> None:
            read.append(start)

    read: list[Position] = []
    monkeypatch.setattr("pavilion_ai.cli.table.make_agent", Reader)
    playing = session(Time())
    Table(playing, None, None, None, None)
    assert read == [playing.play.start]


def test_an_agent_with_a_clock_of_its_own_is_refused(tmp_path: Path) -> None:
    path, said = tmp_path / "game.jsonl", "default:clock=10: has a clock of its own"
    refused = pavilion("play", "--seats", "human,default:clock=10", "--clock", 60)
    assert (refused.exit_code, said in refused.output) == (2, True), refused.output
    pavilion("play", "--seats", "human,greedy", "--clock", 60, "--record", path, stdin="quit\n")
    refused = pavilion("play", "--seats", "human,default:clock=10", "--record", path, "--resume")
    assert (refused.exit_code, said in refused.output) == (2, True), refused.output
    done = pavilion("play", "--seats", "human,default:clock=10", stdin="quit\n")
    assert done.exit_code == 0, done.output


def test_a_person_pays_until_the_move() -> None:
    time = Time()
    table = session(time)
    assert table.clocks is not None
    table.start_clock()
    time.seconds += 2
    table.stop_clock(0)
    assert table.clocks.left == (8, 10)  # a command: no increment
    time.seconds += 7
    table.stop_clock(0)
    table.clocks.add_increment(0)
    assert table.clocks.left == (2, 10)
    time.seconds += 2.25
    with pytest.raises(OutOfTimeError):
        table.stop_clock(0)


def test_ctrl_c_at_the_prompt_takes_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: str) -> str:
        time.seconds += 4
        raise KeyboardInterrupt

    time = Time()
    playing = session(time)
    monkeypatch.setattr("pavilion_ai.cli.said.asked", interrupted)
    monkeypatch.setattr("pavilion_ai.cli.table.make_agent", lambda spec: Thinker(time, 1))
    playing.start_clock()
    with pytest.raises(KeyboardInterrupt):
        Table(playing, None, None, None, None)._typed(0, "you> ")
    assert playing.clocks is not None
    assert playing.clocks.left == (6, 10)


def test_the_prompt_shows_what_a_command_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def answered(prompt: str) -> str:
        prompts.append(prompt)
        time.seconds += prompt.startswith("Resign")
        return next(typed)

    def hint(*_: object) -> None:
        time.seconds += 4

    time, typed = Time(), iter(["hint", "resign", "no", "quit"])
    prompts: list[str] = []
    monkeypatch.setattr("pavilion_ai.cli.said.asked", answered)
    monkeypatch.setattr("pavilion_ai.cli.table.make_agent", lambda spec: Thinker(time, 1))
    monkeypatch.setattr(Table, "_hint", hint)
    Table(session(time), None, None, None, None).run()
    assert prompts == ["you, 10.0 s left> ", "you, 6.0 s left> ", "Resign the game? yes or no> ",
                       "you, 5.0 s left> "]


@pytest.mark.parametrize(("end", "code"), [(KeyboardInterrupt, 130), (EOFError, 0)])
def test_a_terminal_that_closes_at_the_prompt_takes_the_time(
    end: type[BaseException], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> NoReturn:
        raise OSError(errno.EIO, "Input/output error")

    def closed(_: str) -> NoReturn:
        sleep(0.01)
        monkeypatch.setattr("pavilion_ai.cli.table.say", gone)
        raise end

    path = tmp_path / "game.jsonl"
    monkeypatch.setattr("pavilion_ai.cli.said.asked", closed)
    done = pavilion("play", "--seats", "human,random", "--seed", 3, "--clock", 600,
                    "--record", path)
    assert done.exit_code == code, done.output
    (record,) = read_records(path)
    assert record.extra["clock"]["left"][0] < 600


def test_the_record_of_a_game_with_clocks() -> None:
    time = Time()
    table = session(time)
    table.choose(Thinker(time, 3), None)
    record = table.record()
    assert record.extra == {"clock": {"set": "10+1", "left": [8, 10], "again": [0, 0]}}
    assert clock_set(record) == "10+1"
    again = Session.resume(record)
    assert again.clocks is not None
    assert again.clocks.left == (8, 10)
    assert again.clocks.controls == (TimeControl(10, 1),) * 2
    table.lost = 1, "out of time, 0.500 s late on a clock of 10+1"
    over = table.record()
    assert table.is_over()
    assert over.winners == (0,)
    assert over.reason == "seat 1: out of time, 0.500 s late on a clock of 10+1"
    assert check(over).faults == ()
    assert clock_set(replace(record, extra={})) is None


@pytest.mark.parametrize("clock", [
    5, {}, {"set": "x", "left": [1, 1]}, {"set": "5", "left": [1]}, {"set": "5", "left": [1, -1]},
    {"set": "5", "left": [1, "1"]}, {"set": "5"},
    {"set": "5", "left": [1, 1], "again": [1]}, {"set": "5", "left": [1, 1], "again": [0, -1]},
])
def test_clocks_that_make_no_sense(clock: object) -> None:
    record = replace(session(Time()).record(), extra={"clock": clock})
    with pytest.raises(RecordError, match=f"^record '{record.id}': clock"):
        Session.resume(record)


def test_a_game_that_is_lost_on_time(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    done = pavilion("play", "--seats", "default:sims=2000,default:sims=2000", "--clock", "0.001",
                    "--seed", 3, "--record", path)
    assert done.exit_code == 0, done.output
    (record,) = read_records(path)
    loser = 1 - record.winners[0]
    assert record.reason.startswith(f"seat {loser}: out of time, ")
    assert "late on a clock of 0.001" in done.stdout
    assert f"seat {1 - loser} wins" in done.stdout
    assert "out of time" in pavilion("replay", path).stdout
    assert pavilion("verify", path).exit_code == 0


def test_a_person_sees_the_clock_and_resumes_with_it(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    words = ("play", "--seats", "human,greedy", "--record", path)
    first = pavilion(*words, "--seed", 3, "--clock", "900+5", stdin="1\nundo\n1\nquit\n")
    assert first.exit_code == 0, first.output
    assert "900.0 s left> " in first.stdout
    left = json.loads(path.read_text().splitlines()[-1])["clock"]
    assert left["set"] == "900+5"
    assert all(800 < seconds < 950 for seconds in left["left"])
    again = pavilion(*words, stdin="quit\n")
    assert f"{left['left'][0]:.1f} s left> " in again.stdout
    refused = pavilion(*words, "--clock", "60", stdin="quit\n")
    assert refused.exit_code == 2
    assert "--clock 60: the record holds an unfinished game with clock 900+5" in refused.output
