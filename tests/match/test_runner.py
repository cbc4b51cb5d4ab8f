"""Running an event: every game once, in whatever order, however often it is broken off."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pavilion_ai.errors import RecordError, SpecError
from pavilion_ai.limits import Limits
from pavilion_ai.match.counts import counts_of
from pavilion_ai.match.event import Event
from pavilion_ai.match.report import report
from pavilion_ai.match.results import MATCH_KEY, result_of
from pavilion_ai.match.runner import Runner
from pavilion_ai.match.schedule import rounds
from pavilion_ai.match.sequential import SequentialTest
from pavilion_ai.match.table import opening, play_counted, task_of
from pavilion_ai.play import Play
from pavilion_ai.record import FINISHED, UNFINISHED, GameRecord, Recorder
from pavilion_ai.seeds import pair_seed
from pavilion_ai.stats import Sprt
from pavilion_ai.workers import FixedWorkers, WorkersError
from tests.match.report_samples import pair_of
from tests.match.support import AtOnce, event, games, mock, played, wait_until
from tests.plays import replayed
from tests.search.networks import network_file

MATCH = event("random", "policy", rounds=6)
EVENTS = [
    MATCH,
    event("random", "greedy", "policy", rounds=3, board="grey"),
    event("random", "greedy", "policy", kind="round-robin", rounds=2),
    event("greedy", "random", "policy", "random", kind="gauntlet", rounds=2),
    event("random", "greedy", "policy", "random", "greedy", kind="swiss", rounds=4),
    event("random", "greedy", "policy", "random", kind="swiss", rounds=3, players=3),
]


def scheduled(asked: Event, records: Sequence[GameRecord]) -> list[str]:
    """Return the ids of all games of an event that is over, in the order of the schedule."""
    results = [result_of(record) for record in records]
    return [
        game.id for pairs in rounds(asked, results) for pair in pairs for game in pair.seatings()]


# ------------------------------------------------------------------ executors


@pytest.mark.parametrize("asked", EVENTS, ids=lambda asked: asked.kind)
def test_any_executor_plays_every_game_once(asked: Event) -> None:
    found = played(asked)
    assert sorted(record.id for record in found) == sorted(scheduled(asked, found))
    assert len(found) == Runner(asked).total
    for record in found:
        replayed(record)
    with ThreadPoolExecutor(3) as pool:
        assert games(played(asked, workers=FixedWorkers(pool, 3))) == games(found)


def test_games_are_reported_in_the_calling_thread_and_kept_in_their_order() -> None:
    runner = Runner(MATCH)
    seen: list[tuple[GameRecord, int, int]] = []
    with ThreadPoolExecutor(2) as pool:
        runner.run(FixedWorkers(pool, 2), lambda record: seen.append(
            (record, threading.get_ident(), runner.running)))
    assert [result_of(record, counts_of(Play.of(record))) for record, *_ in seen] == runner.results
    assert {thread for _, thread, _ in seen} == {threading.get_ident()}
    assert seen[-1][2] == 0  # the game that is reported runs no more
    runner.run(FixedWorkers(AtOnce(), 1), lambda *_: pytest.fail("nothing is missing"))


def test_games_are_synced_to_disk_also_while_no_other_one_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, synced, fsync = tmp_path / "games.jsonl", [0], os.fsync

    def noted(number: int) -> None:
        fsync(number)
        synced.append(os.fstat(number).st_size)

    class Slow(AtOnce):
        """Plays games at once, but the third when the others are on the disk."""

        games = 0

        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.games += 1
            if self.games != 3:
                return super().submit(fn, *args, **kwargs)

            def later() -> Any:
                wait_until(lambda: path.read_bytes().count(b"\n") == 3
                           and synced[-1] == path.stat().st_size, "they are not synced")
                return fn(*args, **kwargs)

            return pool.submit(later)

    monkeypatch.setattr(os, "fsync", noted)
    with ThreadPoolExecutor() as pool, Recorder(path, sync_seconds=0.5) as recorder:
        Runner(event("greedy", "random", rounds=2)).run(
            FixedWorkers(Slow(), 1), recorder.write, recorder.sync_if_due)
    assert path.read_bytes().count(b"\n") == 4


class Counting(Executor):
    """Counts the games in hand: handed out and not looked at yet."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []
        self.most = 0

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        future: Future[Any] = Future()
        self.futures.append(future)
        self.most = max(self.most, sum(not one.done() for one in self.futures))
        if len(self.futures) >= 4:  # the oldest ends
            first = next(one for one in self.futures if not one.done())
            first.set_result(fn(*args, **kwargs))
        return future


def test_an_endless_match_is_not_handed_out_at_once() -> None:
    """Records of all pairs are there beforehand, so only few futures may be open at a time."""
    asked = event("greedy", "random", rounds=None)
    executor = Counting()

    class Enough(Exception):
        pass

    def stop(record: GameRecord) -> None:
        raise Enough

    with pytest.raises(Enough):
        Runner(asked).run(FixedWorkers(executor, 3), stop)
    assert executor.most <= 4
    assert all(future.done() for future in executor.futures)  # ended or cancelled
    assert sum(future.cancelled() for future in executor.futures) >= 2


def test_an_exception_of_a_game_ends_the_event() -> None:
    class Broken(Exception):
        pass

    class Breaking(AtOnce):
        def submit(
            self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
        ) -> Future[Any]:
            if args[0].seating.id == "3-1":
                future: Future[Any] = Future()
                future.set_exception(Broken("of its own"))
                return future
            return super().submit(fn, *args, **kwargs)

    records: list[GameRecord] = []
    with pytest.raises(Broken, match="of its own"):
        Runner(MATCH).run(FixedWorkers(Breaking(), 1), records.append)
    # Of games that end at the same moment, any may be looked at first.
    assert {record.id for record in records} - {"3-2"} == {"1-1", "1-2", "2-1", "2-2"}
    assert games([*records, *played(MATCH, records)]) == games(played(MATCH))


def test_an_exception_while_keeping_a_game_ends_the_event_and_loses_only_that_one() -> None:
    runner = Runner(MATCH)
    kept: list[GameRecord] = []

    def keep(record: GameRecord) -> None:
        if len(kept) == 5:
            raise OSError(28, "No space left on device")
        kept.append(record)

    with pytest.raises(OSError, match="No space"):
        runner.run(FixedWorkers(AtOnce(), 2), keep)
    assert [result.game for result in runner.results] == [record.id for record in kept]


# ------------------------------------------------------------------ going on


@pytest.mark.parametrize("asked", EVENTS[:4], ids=lambda asked: asked.kind)
def test_an_event_goes_on_from_any_of_its_games(asked: Event) -> None:
    whole = played(asked)
    chance = random.Random(1)
    for trial in range(7):
        count = chance.randrange(len(whole) + 1)
        earlier = chance.sample(whole, count)
        rest = played(asked, earlier)
        assert games([*earlier, *rest]) == games(whole), trial


@pytest.mark.parametrize("asked", EVENTS[4:], ids=lambda asked: str(asked.settings.players))
def test_a_swiss_tournament_goes_on_from_the_middle_of_a_round(asked: Event) -> None:
    """Games of a round end in any order; those of the next begin when all have."""
    whole = played(asked)
    chance = random.Random(2)
    for count in range(len(whole) + 1):
        earlier = whole[:count]
        # Within the last round that was begun, any games may be the ones that are there.
        last = [r for r in whole if r.id.split(".")[0] == whole[max(count - 1, 0)].id.split(".")[0]]
        before = [r for r in earlier if r not in last]
        earlier = before + chance.sample(last, count - len(before))
        chance.shuffle(earlier)
        assert games([*earlier, *played(asked, earlier)]) == games(whole), count


def test_more_rounds_go_on_from_fewer() -> None:
    for kind, specs in [("match", ["random", "greedy"]), ("round-robin", ["random"] * 3),
                        ("swiss", ["random", "greedy", "policy", "random"])]:
        fewer = event(*specs, kind=kind, rounds=2)
        more = event(*specs, kind=kind, rounds=4)
        earlier = played(fewer)
        assert games([*earlier, *played(more, earlier)]) == games(played(more))


def test_swiss_games_that_do_not_follow_are_refused() -> None:
    """The results of the first round were others: then others sat together in the second."""
    asked = EVENTS[4]
    whole = played(asked)
    first = [record for record in whole if record.id.startswith("1.")]
    turned = [replace(record, winners=tuple(1 - seat for seat in record.winners))
              for record in first]
    others = [record for record in whole if not record.id.startswith("1.")]
    with pytest.raises(RecordError, match=r"2\.\d-\d: entrants \[\d, \d\] sat there, expected"):
        played(asked, [*turned, *others])


# ------------------------------------------------------------------ records of other events


OTHERS: list[tuple[str, Event]] = [
    ("seed 7, expected 8", replace(MATCH, settings=replace(MATCH.settings, seed=8))),
    ("tied true, expected false", replace(MATCH, settings=replace(MATCH.settings, tied=False))),
    ("limits .*, expected {\"sims\": 9, \"seconds\": null}",
     replace(MATCH, settings=replace(MATCH.settings, limits=Limits(sims=9)))),
    ("board \"coloured\", expected \"grey\"",
     replace(MATCH, settings=replace(MATCH.settings, board="grey"))),
    (r"players 2, expected 3",
     event("random", "policy", "greedy", players=3)),
    ("a match, expected a round-robin", replace(MATCH, kind="round-robin")),
    ("a match, expected a swiss", replace(MATCH, kind="swiss")),
    (r'agents \["random", "policy"\], expected \["policy", "random"\]',
     event("policy", "random", rounds=6)),
    (r'agents .*, expected \["random", "greedy"\]', event("random", "greedy", rounds=6)),
]


@pytest.mark.parametrize(("message", "other"), OTHERS, ids=[message for message, _ in OTHERS])
def test_records_of_another_event_are_refused(message: str, other: Event) -> None:
    record = play_counted(task_of(MATCH, next(next(rounds(MATCH, ()))[0].seatings())))[0]
    assert Runner(MATCH, [record]).results == [result_of(record)]
    with pytest.raises(RecordError, match=rf"^game '1-1' is of another event: {message}") as caught:
        Runner(other, [record])
    assert len(str(caught.value).splitlines()) == 1


def one_game() -> GameRecord:
    return play_counted(task_of(MATCH, next(next(rounds(MATCH, ()))[0].seatings())))[0]


def test_the_file_of_a_network_is_read_once_for_all_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def network(file: str) -> SimpleNamespace:
        read.append(file)
        return SimpleNamespace(sha256="ab")

    monkeypatch.setattr("pavilion_ai.match.runner.network_file", network)
    monkeypatch.chdir(tmp_path)
    Path("my.net").touch()
    spec = "policy:net=my.net"
    asked = replace(MATCH, entrants=event(spec, spec).entrants)
    records = [with_network(record, "ab") for record in played(MATCH)]
    assert len(Runner(asked, records[:-1]).results) == len(records) - 1 > 2
    assert read == ["my.net"]
    assert len(Runner(asked, records).results) == len(records)
    assert read == ["my.net"]  # nothing is left to play
    with pytest.raises(RecordError, match=r"^holds games of another event: my\.net had other"):
        Runner(asked, [with_network(record, "cd") for record in records[:-1]])
    with pytest.raises(RecordError, match=r"^game '\d-\d' is of another event: my\.net had other"):
        Runner(asked, [*records[:-1], with_network(records[-1], "cd")])


def with_network(record: GameRecord, weights: str) -> GameRecord:
    """Return the record of a game in which all agents had these weights in one file."""
    return replace(record, agents=tuple(
        {**agent, "spec": "policy:net=my.net", "network": weights} for agent in record.agents))


def test_a_network_file_that_is_replaced_ends_the_event(tmp_path: Path) -> None:
    """No game with other weights is kept, neither now nor when the event is resumed."""
    def replaced(seed: int) -> None:
        network_file(tmp_path, "azul", False, 2, seed).replace(tmp_path / "my.net")

    def keep(record: GameRecord) -> None:
        records.append(record)
        replaced(2)

    replaced(1)
    asked = event(f"policy:net={tmp_path / 'my.net'}", "greedy", "random", kind="round-robin",
                  rounds=2, game="azul")
    records: list[GameRecord] = []
    for earlier in (0, 4):
        replaced(1)
        del records[earlier:]
        with pytest.raises(WorkersError, match=r"^game 2\.1-1: .*my\.net held other weights than"):
            Runner(asked, records[:]).run(FixedWorkers(AtOnce(), 1), keep)
        assert [record.id for record in records] == ["1.1-1", "1.1-2", "1.2-1", "1.2-2", "1.3-1",
                                                     "1.3-2"]


def changed(record: GameRecord, **keys: object) -> GameRecord:
    return replace(record, extra={MATCH_KEY: {**record.extra[MATCH_KEY], **keys}})


def test_a_game_that_was_just_played_is_refused() -> None:
    record = replace(one_game(), extra={})
    with pytest.raises(RecordError, match="was not played in a match or tournament"):
        Runner(MATCH, [record])


def test_a_game_that_goes_on_is_refused() -> None:
    record = replace(one_game(), reason=UNFINISHED, winners=(), breakdown=())
    with pytest.raises(RecordError, match="'1-1' has no winner, expected a game that has ended"):
        Runner(MATCH, [record])


@pytest.mark.parametrize("keys", [
    {"entrants": [0, 9]}, {"entrants": [0]}, {"entrants": None}, {"entrants": ["a", "b"]},
    {"pair": "2"}, {"pair": None}, {"rotation": 1}, {"rotation": 0.5}, {"seed": "7"},
    {"decisions": 3}, {"limits": None}, {"pair": ""}, {"pair": "01"}, {"pair": "0"}, {"pair": "1."},
    {"pair": "1.1"}, {"pair": "-1"}, {"pair": "\u0661"}, {"rotation": 2}, {"rotation": -1},
    {"pair": "\ud800"}, {"limits": {"sims": 10**13, "seconds": None}},
    {"limits": {"sims": None, "seconds": 0.1, "increment": [1, 1]}},
    {"rotation": True}, {"event": None}, {"loser": 2}, {"decisions": [1]}, {"sims": [-1, 0]},
])
def test_records_that_nobody_wrote_are_refused(keys: dict[str, object]) -> None:
    with pytest.raises(RecordError) as caught:
        Runner(MATCH, [changed(one_game(), **keys)])
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("keys", [
    {"rotation": "0"}, {"rotation": None}, {"pair": 1}, {"entrants": [-2, -1]},
    {"loser": "nobody"}, {"sims": ["many", "few"]}, {"sims": [0]}, {"decisions": ["a", None]},
])
def test_records_with_odd_values_are_refused(keys: dict[str, object]) -> None:
    with pytest.raises(RecordError):
        Runner(MATCH, [changed(one_game(), **keys)])


def test_an_agent_that_joins_is_told_to_name_its_limit() -> None:
    """Where no agent has heeded limits so far, the records have none."""
    specs = ["greedy", "random", "greedy"]
    records = played(event(*specs, kind="ladder", rounds=1))
    told = "; an agent that joins needs a limit in its spec, such as sims=100"
    for limits, advice in ((Limits(sims=3), told), (Limits(clock=(9.0, 9.0)), "")):
        joined = event(*specs, "uct", kind="ladder", rounds=1, limits=limits)
        with pytest.raises(RecordError, match=r"limits \{.*\}, expected \{.*\}" + advice + "$"):
            Runner(joined, records)
    program = event(*specs, "cmd:python engine.py", kind="ladder", limits=Limits(seconds=0.1))
    with pytest.raises(RecordError, match=r"; a program that joins .* needs a file of its own"):
        Runner(program, records)
    limited = event(*specs, "uct:sims=3", kind="ladder", rounds=1)
    assert Runner(limited, records).results == [result_of(record) for record in records]


@pytest.mark.parametrize("kind", ["round-robin", "gauntlet", "ladder", "swiss"])
def test_an_agent_that_is_missing_is_named(kind: str) -> None:
    specs = ["greedy", "random", "greedy", "policy"]
    records = played(event(*specs, kind=kind, rounds=2))
    told = "is of another event: agent 4, 'policy', is missing from the 3 given$"
    with pytest.raises(RecordError, match=told):
        Runner(event(*specs[:3], kind=kind, rounds=2), records)
    with pytest.raises(RecordError):
        Runner(event(*specs[::-1], kind=kind, rounds=2), records)
    gone = "is of another event: agent 2, 'random', is missing from the 3 given$"
    with pytest.raises(RecordError, match=gone):
        Runner(event(*specs[:1], *specs[2:], kind=kind, rounds=2), records)
    twice = "is of another event: agent 3, 'greedy', is missing from the 3 given$"
    with pytest.raises(RecordError, match=twice):
        Runner(event(*specs[:2], *specs[3:], kind=kind, rounds=2), records)


@pytest.mark.parametrize(("kind", "players"), [("round-robin", 2), ("gauntlet", 3)])
@pytest.mark.parametrize("count", [4, 6])
def test_a_tournament_whose_tables_depend_on_it_keeps_its_number_of_agents(
    kind: str, players: int, count: int
) -> None:
    asked = event(*["random"] * 5, kind=kind, players=players, rounds=1)
    records = [record for record in played(asked)
               if max(record.extra[MATCH_KEY]["entrants"]) < 4]
    told = (f"is of another event: a {kind} of 5 agents, expected one of {count}; only a ladder,"
            " and a gauntlet at tables of two, take more agents later")
    told += "; a gauntlet of the new agent .*`pavilion report` .*$" if count > 5 else "$"
    with pytest.raises(RecordError, match=told):
        Runner(event(*["random"] * count, kind=kind, players=players, rounds=1), records)


@pytest.mark.parametrize(("count", "said"), [
    (6, r"game 1\.2-1: entrants .* sat there, expected"), (3, "game 1.2-1: is not in round 1 of 3"),
    (4, "")])
def test_a_swiss_tournament_keeps_its_agents(count: int, said: str) -> None:
    """Those of its first games are the same; who came later or left shows in the pairings."""
    asked = event(*["random"] * 4, kind="swiss", rounds=2)
    others = event(*["random"] * count, kind="swiss", rounds=2)
    whole = played(asked)
    for records in (whole, [record for record in whole if record.id != "2.2-2"]):
        if not said:
            assert len(Runner(others, records).results) == len(records)
            continue
        with pytest.raises(RecordError) as caught:
            Runner(others, records)
        assert ("a gauntlet of the new agent" in str(caught.value)) == (count > 4)
    late = [record for record in whole if record.id != "1.2-1"]
    with pytest.raises(RecordError, match="round 2 has games, but round 1 of 4 agents has not"):
        Runner(asked, late)


@pytest.mark.parametrize("pair", ["1.4", "1.0", "0.1", "1", "1.1.1",
                                  "1." + "9" * 5000])
def test_games_that_the_schedule_does_not_have_are_refused(pair: str) -> None:
    """Renamed as a whole: id and seed are right for such a pair."""
    asked = EVENTS[2]
    record = played(asked)[0]
    seed = pair_seed(asked.settings.seed, pair)
    start = opening(asked.settings, pair)
    renamed = replace(changed(record, pair=pair), id=f"{pair}-{record.id[-1]}", seed=seed,
                      start=start)
    with pytest.raises(RecordError):
        Runner(asked, [renamed])


@pytest.mark.parametrize(("entrants", "said"), [
    ([0, 5], "agent 6, 'greedy', is missing from the 5 given"),
    ([1, 1], "names no game of this event")])
def test_entrants_that_no_swiss_tournament_has_are_refused(entrants: list[int], said: str) -> None:
    """Who meets whom is not fixed there, but who takes part is."""
    asked = EVENTS[4]
    record = changed(played(replace(asked, rounds=1))[0], entrants=entrants)
    with pytest.raises(RecordError, match=said):
        Runner(asked, [record])


def test_the_test_meets_the_records_of_a_tournament() -> None:
    tournament = event("random", "policy", "greedy", kind="round-robin", rounds=1)
    earlier = played(tournament)[:2]
    with pytest.raises(RecordError):
        Runner(replace(MATCH, sprt=Sprt(0, 50)), earlier)


# ------------------------------------------------------------------ the sequential test


STRONG = event("greedy", "random", rounds=None, sprt=Sprt(0, 100))


def test_a_test_ends_the_match() -> None:
    found = played(STRONG)
    runner = Runner(STRONG, found)
    assert runner.test is not None
    assert runner.test.verdict == "H1"
    assert len(found) < 200
    assert played(STRONG, found) == []
    # A match that may not go on ends without an answer.
    short = replace(STRONG, rounds=2)
    assert len(played(short)) == 4
    assert Runner(short, played(short)).test.verdict is None  # type: ignore[union-attr]


def test_the_verdict_depends_neither_on_order_nor_on_the_number_of_workers() -> None:
    asked = event("policy", "greedy", rounds=None, sprt=Sprt(0, 200, 0.1, 0.1), seed=1)
    found = played(asked)
    path = SequentialTest(Sprt(0, 200, 0.1, 0.1), map(result_of, found)).path
    ended = len(path)
    assert ended > 3
    for jobs in (2, 5):
        with ThreadPoolExecutor(jobs) as pool:
            others = played(asked, workers=FixedWorkers(pool, jobs))
        assert len(others) >= 2 * ended
        random.Random(jobs).shuffle(others)
        test = Runner(asked, others).test
        assert test is not None
        assert (test.path, test.verdict) == (path, Runner(asked, found).test.verdict)  # type: ignore[union-attr]
        told = report(asked, [result_of(record) for record in others]).test
        assert told is not None
        assert (list(told.llr_path), told.decided_at) == (path, ended)


def test_the_test_counts_pairs_in_order_without_gaps() -> None:
    """Whatever comes first, the path is that of the pairs by number."""
    chance = random.Random(3)
    scores = [((60, 50), (60, 50)), ((50, 60), (60, 50)), ((60, 50), (60, 60))]
    results = [game for n in range(1, 41) for game in pair_of(str(n), *chance.choice(scores))]
    bounds = Sprt(-50, 50)
    expected = SequentialTest(bounds, results)
    assert expected.verdict == "H1"
    assert len(expected.path) < 40
    assert all(bounds.verdict(llr) is None for llr in expected.path[:-1])
    for _ in range(20):
        chance.shuffle(results)
        found = SequentialTest(bounds, results)
        assert (found.path, found.verdict) == (expected.path, "H1")
    gap = [game for game in results if game.pair != "2"]
    assert len(SequentialTest(bounds, gap).path) == 1
    half = [game for game in results if game.game != "1-1"]
    assert SequentialTest(bounds, half).path == []


def test_a_test_is_not_ended_by_games_to_come() -> None:
    """Pairs 2 to 30 are won, pair 1 is not there: nothing is decided, and pair 1 is played."""
    asked = event("greedy", "random", rounds=30, sprt=Sprt(0, 100))
    whole = played(event("greedy", "random", rounds=30))
    later = [record for record in whole if not record.id.startswith("1-")]
    runner = Runner(asked, later)
    assert runner.test is not None
    assert runner.test.verdict is None
    rest = played(asked, later)
    assert sorted(record.id for record in rest) == ["1-1", "1-2"]


# ------------------------------------------------------------------ workers that die


class Dying(FixedWorkers):
    """Workers of which the game with an id kills so many, like a pool that breaks as a whole."""

    def __init__(self, fatal: str, deaths: int) -> None:
        super().__init__(self, 2)  # type: ignore[arg-type]
        self.left, self.fatal, self.renewed = deaths, fatal, 0
        self.broken = False
        self.begun: list[str] = []

    def submit(self, fn: Callable[..., Any], task: Any) -> Future[Any]:
        if self.broken:
            raise BrokenExecutor("terminated abruptly")
        self.begun.append(task.seating.id)
        if task.seating.id == self.fatal and self.left:
            self.left -= 1
            self.broken = True
            future: Future[Any] = Future()
            future.set_exception(BrokenExecutor("terminated abruptly"))
            return future
        return AtOnce().submit(fn, task)

    def renew(self) -> None:
        self.broken = False
        self.renewed += 1


@pytest.mark.parametrize("deaths", [0, 1, 2, 3])
def test_a_game_whose_worker_died_begins_anew(deaths: int) -> None:
    workers = Dying("3-2", deaths)
    found = played(MATCH, workers=workers)
    assert games(found) == games(played(MATCH))
    assert workers.begun.count("3-2") == deaths + 1
    assert len(workers.begun) == len(found) + deaths
    assert workers.renewed == deaths


def test_a_game_that_kills_three_workers_ends_the_event() -> None:
    """Three when it is played alone: its first worker may have died of another game."""
    records: list[GameRecord] = []
    with pytest.raises(WorkersError, match=r"^game 3-2 was begun 3 times, and each time its worker"
                                           r" died \(terminated abruptly\)$"):
        Runner(MATCH).run(Dying("3-2", 4), records.append)
    assert {"1-1", "1-2", "2-1", "2-2"} <= {record.id for record in records}


def test_an_executor_that_cannot_be_renewed() -> None:
    with ThreadPoolExecutor(1, initializer=int, initargs=("no number",)) as pool, \
            pytest.raises(WorkersError):
        played(MATCH, workers=FixedWorkers(pool, 1))


def test_a_swiss_round_waits_for_a_game_that_begins_anew() -> None:
    for fatal in ("1.1-1", "2.2-2", "4.1-2"):
        assert games(played(EVENTS[4], workers=Dying(fatal, 2))) == games(played(EVENTS[4]))


# ------------------------------------------------------------------ engines that fail


def test_faults_are_lost_games_and_the_tournament_goes_on() -> None:
    asked = event(mock("crash_silently", 5), "greedy", "random", kind="round-robin", rounds=2)
    with ThreadPoolExecutor(2) as pool:
        found = played(asked, workers=FixedWorkers(pool, 2))
    assert sorted(record.id for record in found) == sorted(scheduled(asked, found))
    for record in found:
        seats = record.extra[MATCH_KEY]["entrants"]
        if 0 in seats:
            seat = seats.index(0)
            assert record.reason == f"seat {seat}: exited with status 3"
            assert record.winners == (1 - seat,)
        else:
            assert record.reason == FINISHED
    numbers = report(asked, [result_of(record) for record in found], resamples=0)
    assert numbers.entrants[0].faults == numbers.entrants[0].losses == 8
    assert numbers.entrants[0].points == 0
    assert games([*found[:5], *played(asked, found[:5])]) == games(found)


def test_a_round_of_too_many_tables_is_refused_at_once() -> None:
    asked = event(*["random"] * 500, kind="round-robin", players=4)
    with pytest.raises(SpecError, match=r"^a round-robin of 500 agents at tables of 4: found"
                                        r" 2,573,031,125 tables in a round, expected at most 1,0"):
        Runner(asked)
    assert Runner(replace(asked, kind="gauntlet", settings=replace(asked.settings, players=3))
                  ).total == 2 * 3 * 499 * 498 // 2


def test_an_event_that_has_not_ended_is_not_walked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    done = played(MATCH)

    def walked(*_: object) -> None:
        raise AssertionError("the schedule is walked through")

    monkeypatch.setattr("pavilion_ai.match.runner.rounds", walked)
    for count in (0, 11):
        runner = Runner(MATCH, done[:count])
        assert (runner.asked, runner.total) == (12, 12)
        assert not runner.has_ended()
    with pytest.raises(AssertionError, match="walked through"):
        Runner(MATCH, done).has_ended()


def test_total_games() -> None:
    assert [Runner(asked).total for asked in EVENTS] == [12, 9, 12, 12, 16, 9]
    assert Runner(STRONG).total is None
    longer = played(replace(MATCH, rounds=2))
    assert Runner(replace(MATCH, rounds=1), longer).total == 4
    assert len(list(islice(rounds(STRONG, ()), 5))) == 5
