"""Matches from Python: the command's games, players of one's own, what goes wrong."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import Agent, Limits, Match, Play, make_agent, read_records
from pavilion_ai.envs import move_of
from pavilion_ai.errors import RecordError, SpecError
from pavilion_ai.match.checking import check
from pavilion_ai.match.results import COLUMNS
from pavilion_ai.match.verify import verify
from pavilion_ai.record import GameRecord, Recorder
from tests.cli.support import pavilion


class First(Agent):
    """Plays the first move."""

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        return play.legal_moves[0]


class Faulty(Agent):
    """Names something that is no legal move."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize(("specs", "game"), [
    (("greedy", "default:level=2"), "summer"), (("greedy", "random", "policy"), "azul")])
def test_games_are_those_of_the_command(
    specs: tuple[str, ...], game: str, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    done = pavilion("match", *specs, "--game", game, "--pairs", 2, "--seed", 5, "--out", path,
                    "--jobs", 1, "--json")
    assert done.exit_code == 0
    match = Match(list(specs), game=game, pairs=2, seed=5)
    report = match.run()
    played = {record.id: record for record in read_records(path)}
    assert len(match.records) == len(played) == 2 * len(specs)
    for record in match.records:
        other = played[record.id]
        assert (record.start, record.moves, record.scores) == (
            other.start, other.moves, other.scores)
        assert record.extra == other.extra
    assert report.games == len(played)
    assert [one.spec for one in report.entrants] == list(specs)
    with Recorder(tmp_path / "mine.jsonl") as recorder:
        for record in match.records:
            recorder.write(record)
    assert verify(tmp_path / "mine.jsonl").problems == ()


def test_a_player_of_ones_own() -> None:
    seen: list[str] = []
    match = Match([First(), "random"], pairs=3, seed=2)
    report = match.run(on_game=lambda record: seen.append(record.id))
    assert seen == ["1-1", "1-2", "2-1", "2-2", "3-1", "3-2"]
    assert [entrant.name for entrant in report.entrants] == ["First", "random"]
    assert str(report).splitlines()[0] == "First against random"
    assert match.run().games == 6, "all are played already"
    again = Match([First(), "random"], pairs=3, seed=2)
    again.run()
    assert [record.moves for record in again.records] == [
        record.moves for record in match.records]


def test_nobody_sees_the_seed_of_the_draws() -> None:
    """Which would tell all tied draws of the game."""
    class Curious(First):
        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            seen.add(play.seed)
            return play.legal_moves[0]

    seen: set[int] = set()
    match = Match([Curious(), Curious()], game="azul", pairs=1, seed=2)
    match.run()
    assert len(seen) > 10
    assert not seen & {record.seed for record in match.records}


def test_two_agents_have_no_name_in_common() -> None:
    with pytest.raises(SpecError, match=r"^a=policy: a=greedy has this name too"):
        Match(["a=greedy", "a=policy"])
    assert [one.name for one in Match(["a=greedy", "a=greedy"]).event.entrants] == ["a", "a#2"]


def test_two_of_a_kind_have_names_of_their_own() -> None:
    report = Match([First(), First()], pairs=1, seed=2).run()
    assert [entrant.name for entrant in report.entrants] == ["First", "First#2"]


@pytest.mark.parametrize("answer", ["D9:P", "nonsense", None, 7])
def test_who_names_no_legal_move_loses(answer: object) -> None:
    match = Match([Faulty(answer), "random"], pairs=1, seed=2)
    report = match.run()
    assert [entrant.faults for entrant in report.entrants] == [2, 0]
    for record in match.records:
        assert "illegal move" in record.reason
        assert len(record.winners) == 1


def test_who_tries_a_move_that_is_not_legal_loses() -> None:
    """Where its number is made a move, or in a play of its own; other errors are its author's."""
    class Trying(Agent):
        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            return move_of(play, 10**6)

    class Pushing(Agent):
        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            play.copy().push("D9:G")
            raise AssertionError

    match = Match([Trying(), Pushing()], pairs=1, seed=2)
    assert [entrant.faults for entrant in match.run().entrants] == [1, 1]
    found = {record.reason.partition(": ")[2] for record in match.records}
    assert found == {"illegal move: action 1000000 does not exist, expected 0 to 580",
                     "illegal move: D9:G is not legal: there are only 5 displays"}
    with pytest.raises(ZeroDivisionError):
        Match(["random", Changing(lambda play: 1 / 0)], pairs=1, seed=2).run()


def last_of_a_round(play: Play) -> None:
    """Play the first move if tiles are to be drawn after it."""
    play.push(play.legal_moves[0])
    if play.turn is not None:
        play.pop()


def two_back(play: Play) -> None:
    """Take back two moves, if there are two."""
    for _ in range(2 * (len(play.plies) >= 2)):
        play.pop()


class Changing(Agent):
    """Plays the first move, and has done something to the play."""

    def __init__(self, change: Callable[[Play], object]) -> None:
        self.change = change

    def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
        move = play.legal_moves[0]
        self.change(play)
        return move


@pytest.mark.parametrize("change", [
    lambda play: play.push(play.legal_moves[0]), last_of_a_round, two_back])
def test_who_changes_the_play_loses(change: Callable[[Play], object]) -> None:
    match = Match([Changing(change), "greedy"], game="azul", pairs=1, seed=1)
    report = match.run()
    assert [entrant.faults for entrant in report.entrants] == [2, 0]
    for record in match.records:
        seat = record.extra["match"]["entrants"].index(0)
        assert (record.reason, record.winners) == (f"seat {seat}: changed the play", (1 - seat,))
        assert check(record).faults == ()


def test_who_leaves_the_play_as_it_was_may_look_ahead_in_it() -> None:
    def look(play: Play) -> None:
        back = [play.pop() for _ in play.plies[-2:]]
        play.push_all(reversed(back), seed=1)
        play.push(play.legal_moves[0])
        play.pop()

    match = Match([Changing(look), "greedy"], game="azul", pairs=1, seed=1)
    other = Match([First(), "greedy"], game="azul", pairs=1, seed=1)
    assert match.run().faults == other.run().faults
    assert [one.moves for one in match.records] == [one.moves for one in other.records]


@pytest.mark.parametrize("answer", ["D1:B>1", None])
def test_what_is_no_decision_is_a_fault(answer: Any) -> None:
    class Deciding(First):
        def decide(self, *_: Any, **__: Any) -> Any:
            return answer

    match = Match([Deciding(), "random"], pairs=1, seed=2)
    assert [entrant.faults for entrant in match.run().entrants] == [2, 0]
    told = {"D1:B>1": "'D1:B>1'", None: "null"}[answer]
    assert match.records[0].reason == f"seat 0: decided {told}, expected a Decision"


def test_a_match_that_was_interrupted_resumes() -> None:
    match = Match(["greedy", "random"], pairs=2, seed=2)

    def stop(_: object) -> None:
        if len(match.records) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        match.run(stop)
    assert match.run().games == 4
    whole = Match(["greedy", "random"], pairs=2, seed=2)
    whole.run()
    assert [one.moves for one in whole.records] == [one.moves for one in match.records]


def test_an_interrupt_between_a_game_and_its_result_loses_neither(tmp_path: Path) -> None:
    class Results(list[Any]):
        def insert(self, place: Any, result: Any) -> None:
            if len(self) == 1:
                raise KeyboardInterrupt
            super().insert(place, result)

    for out in (None, tmp_path / "games.jsonl"):
        match = Match(["random", "random"], pairs=1, seed=2, out=out)
        match.results = Results()
        with pytest.raises(KeyboardInterrupt):
            match.run()
        match.results = [*match.results]
        assert match.run().games == 2
        assert [record.id for record in match.records] == ["1-1", "1-2"]


def test_the_games_to_come_are_not_listed() -> None:
    match = Match([First(), "random"], game="azul", pairs=30_000, seed=2)

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    tracemalloc.start()
    try:
        for games in (1, 2):
            with pytest.raises(KeyboardInterrupt):
                match.run(stop)
            assert len(match.records) == games
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_limits_are_for_agents_without_their_own() -> None:
    match = Match(["ismcts:sims=7", make_agent("ismcts")], pairs=1, seed=3, limits=Limits(sims=5))
    match.run()
    for record in match.records:
        sims, moves = record.extra["match"]["sims"], record.extra["match"]["decisions"]
        entrants = record.extra["match"]["entrants"]
        most = [(7, 5)[entrant] for entrant in entrants]
        assert all(0 < spent <= limit * made
                   for spent, limit, made in zip(sims, most, moves, strict=True))
        assert sims[entrants.index(0)] > 5 * moves[entrants.index(0)]


def test_without_limits_an_agent_has_as_long_as_in_the_command() -> None:
    """Without one that heeds limits, or where all have their own, there are none."""
    seen: list[Limits | None] = []

    class Searching(First):
        searches = True

        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            seen.append(limits)
            return super().choose(play)

    own = Searching()
    own.limited = True
    cases: list[tuple[list[Any], Limits | None, Limits | None]] = [
        ([Searching(), "random"], None, Limits(seconds=0.1)),
        ([Searching(), own], Limits(memory_mib=9), Limits(seconds=0.1, memory_mib=9)),
        ([Searching(), "random"], Limits(sims=3), Limits(sims=3)),
        ([own, "default:level=3"], None, None),
        ([First(), "random"], None, None),
    ]
    for agents, limits, wanted in cases:
        match = Match(agents, game="azul", pairs=1, seed=1, limits=limits)
        assert match.event.settings.limits == wanted
        told = "0.1 s per move" in str(match.report())
        assert told == (wanted is not None and wanted.seconds is not None)
    match = Match([Searching(), own], game="azul", pairs=1, seed=1)
    match.run()
    assert {*seen} == {Limits(seconds=0.1), None}


@pytest.mark.parametrize("wrong", [
    {"tied": 1}, {"tied": "yes"}, {"tied": None}, {"limits": 5}, {"limits": "sims=5"},
])
def test_settings_of_another_type_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SpecError, match=f"^{next(iter(wrong))} .*: expected"):
        Match(["greedy", "random"], **wrong)


@pytest.mark.parametrize(("limits", "told"), [
    (Limits(clock=(60, 60)), None), (Limits(clock=(60, 50), increment=(0, 1)), None),
    (Limits(clock=(60, None)), "limits, clock: expected seconds for each of 2 seats"),
    (Limits(clock=(60,)), "limits, clock: expected seconds for each of 2 seats"),
    (Limits(clock=(60, 60, 60)), "limits, clock: expected seconds for each of 2 seats"),
    (Limits(clock=(0, 60)), "clock, seconds 0: expected a number from 0.001"),
])
def test_clocks_among_the_limits_are_for_every_seat(
    limits: Limits, told: str | None, tmp_path: Path
) -> None:
    if told is not None:
        with pytest.raises(SpecError, match=re.escape(told)):
            Match(["greedy", "random"], pairs=1, limits=limits)
        return
    match = Match(["greedy", "random"], game="azul", pairs=1, seed=3, limits=limits)
    match.run()
    with Recorder(tmp_path / "games.jsonl") as recorder:
        for record in match.records:
            recorder.write(record)
    assert verify(tmp_path / "games.jsonl").problems == ()


def test_results_as_values_and_as_an_array() -> None:
    match = Match(["greedy", "random", First()], pairs=2, seed=4)
    assert match.array().shape == (0,)
    match.run()
    rows = match.array()
    assert rows.dtype.names == tuple(name for name, _ in COLUMNS)
    assert len(rows) == 3 * len(match.results) == 18
    for row in rows:
        record = next(one for one in match.records if one.id == row["game"])
        seat = int(row["seat"])
        assert row["score"] == record.scores[seat]
        assert row["points"] == (seat in record.winners) / len(record.winners)
        assert row["agent"] == ("greedy", "random", "First")[row["entrant"]]
        assert row["starter"] == (seat == record.start.start_seat)
        assert (row["reason"], bool(row["fault"])) == ("finished", False)
    sums = [rows["points"][rows["entrant"] == number].sum() for number in range(3)]
    assert [entrant.points for entrant in match.report().entrants] == pytest.approx(sums)


def test_the_array_is_what_pandas_takes_as_it_is() -> None:
    """Rows of numbers, truth values and text, each of them one, in this machine's byte order."""
    match = Match(["greedy", "random"], pairs=1, seed=4)
    match.run()
    rows = match.array()
    assert rows.shape == (4,)
    for name, _ in COLUMNS:
        column = rows.dtype[name]
        assert column.shape == ()
        assert column.kind in "bifU"
        assert column.isnative


@pytest.mark.parametrize("wrong", [
    {"agents": ["greedy"]}, {"agents": ["greedy"] * 5}, {"agents": ["nobody", "greedy"]},
    {"game": "chess"}, {"board": "green"}, {"pairs": 0}, {"pairs": True},
])
def test_arguments_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(SpecError, match="expected"):
        Match(**{"agents": ["greedy", "random"], **wrong})  # type: ignore[arg-type]


# -- the file of the games -------------------------------------------------------------------


def without_times(report: str) -> str:
    """Return a report without seconds per move."""
    return re.sub(r"\b0\.\d{3}\b", "0.000", report)


def test_games_are_written_as_they_end_and_not_played_again(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    whole = Match([First(), "random"], pairs=3, seed=2)
    wanted = str(whole.run())

    def interrupted(record: GameRecord) -> None:
        if record.id == "2-1":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Match([First(), "random"], pairs=3, seed=2, out=path).run(interrupted)
    assert [record.id for record in read_records(path)] == ["1-1", "1-2", "2-1"]
    again = Match([First(), "random"], pairs=3, out=path)
    assert again.event.settings.seed == 2
    assert again.report().games == len(again.records) == 3
    played: list[str] = []
    report = again.run(lambda record: played.append(record.id))
    assert played == ["2-2", "3-1", "3-2"]
    assert again.records == list(read_records(path))
    assert without_times(str(report)) == without_times(wanted)
    assert [(one.moves, one.scores) for one in again.records] == [
        (one.moves, one.scores) for one in whole.records]
    assert [one.counts for one in again.results] == [one.counts for one in whole.results]
    assert verify(path).problems == ()


def test_the_command_goes_on_with_the_file(tmp_path: Path) -> None:
    """And a match with games of the command, in whatever order they ended."""
    path = tmp_path / "games.jsonl"
    Match(["greedy", "random"], game="azul", pairs=2, seed=5, out=path).run()
    command = ("match", "greedy", "random", "--game", "azul", "--pairs", 3, "--out", path)
    assert "resuming after 4 games" in pavilion(*command).stderr
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[5], lines[0], lines[3]]))
    match = Match(["greedy", "random"], game="azul", pairs=3, out=path)
    match.run()
    assert [record.id for record in match.records] == ["1-1", "1-2", "2-1", "2-2", "3-1", "3-2"]
    assert sorted(path.read_bytes().splitlines(keepends=True)[:3]) == sorted(
        [lines[5], lines[0], lines[3]])


@pytest.mark.parametrize(("change", "message"), [
    ({"game": "azul"}, "game '1-1' is of another event: game \"summer\", expected \"azul\""),
    ({"agents": ["greedy", "greedy"]}, "agents [\"greedy\", \"random\"], expected"),
    ({"seed": 6}, "expected the games of this match, or another file"),
])
def test_a_file_of_other_games_is_refused(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    Match(["greedy", "random"], pairs=1, seed=5, out=path).run()
    before = path.read_bytes()
    settings: dict[str, Any] = {"agents": ["greedy", "random"], "pairs": 1, "seed": 5, **change}
    with pytest.raises(RecordError) as caught:
        Match(settings.pop("agents"), out=path, **settings)
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{path}: game '1-1' ")
    path.write_text("hello\n")
    with pytest.raises(RecordError, match="line 1: not a game record"):
        Match(["greedy", "random"], out=path)
    path.write_bytes(before)
    with Recorder(path), pytest.raises(RecordError, match="recording"):
        Match(["greedy", "random"], pairs=2, seed=5, out=path).run()


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        Match(["greedy", "random"], out=tmp_path / "no" / "x.jsonl")
    assert caught.value.filename == str(tmp_path / "no")


def test_games_that_another_program_adds_count(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    first, second = (Match(["greedy", "random"], pairs=2, seed=5, out=path) for _ in range(2))
    first.run()
    played: list[GameRecord] = []
    second.run(played.append)
    assert played == []
    assert second.records == first.records
