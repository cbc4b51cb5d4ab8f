"""The command `stats`: files, self-play, comparisons, bad records, memory, interrupts."""

from __future__ import annotations

import itertools
import json
import random
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from operator import sub
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import Match, Play, make_agent
from pavilion_ai.facts.groups import NAMED, SelfPlay, Variant, count_files, count_self_play
from pavilion_ai.record import GameRecord, write_record
from tests.cli.support import (
    CONTRACT,
    GAME,
    RECORD,
    assert_clean,
    cut_short,
    error_lines,
    pavilion,
    start,
)

FILES = sorted(CONTRACT.glob("games_*.jsonl"))
SUMMER = CONTRACT / "games_summer_coloured.jsonl"


def groups(*arguments: object) -> list[dict[str, Any]]:
    result = pavilion("stats", *arguments, "--json")
    assert_clean(result)
    found: list[dict[str, Any]] = json.loads(result.stdout)["groups"]
    return found


def cell(group: dict[str, Any], table: str, row: str, column: str) -> Any:
    rows = next(one for one in group["tables"] if one["table"] == table)["rows"]
    return next(one for one in rows if one["row"] == row)[column]


def test_a_recorded_game() -> None:
    first, second = groups(GAME)
    assert {first["agent"], second["agent"]} == {"default:level=8", "default:level=9"}
    assert (first["games"], first["seats"], first["players"]) == (1, 1, 2)
    by_agent = {group["agent"]: group for group in (first, second)}
    for seat, agent in enumerate(RECORD.agents):
        group = by_agent[agent["spec"]]
        side = "winners" if seat in RECORD.winners else "others"
        score = cell(group, "points", "final score", side)
        assert score == {"value": RECORD.scores[seat], "error": None, "count": 1}
        assert cell(group, "points", "stars", side)["value"] == RECORD.breakdown[seat]["stars"]


def test_people_are_told_apart_by_name(tmp_path: Path) -> None:
    people = [{"spec": "human", "version": "", "name": name} for name in ("Ann", "")]
    write_record(tmp_path / "named.jsonl", replace(RECORD, agents=tuple(people)))
    found = groups(tmp_path / "named.jsonl")
    assert sorted((one["agent"], one["games"], one["seats"]) for one in found) == [
        ("Ann", 1, 1), ("human", 1, 1)]


def test_agents_are_told_apart_by_the_names_that_their_specs_give(tmp_path: Path) -> None:
    agents = tuple({"spec": spec, "version": ""} for spec in ("old=cmd:python old.py", "greedy"))
    write_record(tmp_path / "games.jsonl", replace(RECORD, agents=agents))
    assert sorted(one["agent"] for one in groups(tmp_path / "games.jsonl")) == ["greedy", "old"]


def test_agents_of_one_name_stay_apart(tmp_path: Path) -> None:
    for number, spec in enumerate(("new=random", "new=policy")):
        agents = tuple({"spec": one, "version": ""} for one in (spec, "greedy"))
        write_record(tmp_path / f"{number}.jsonl", replace(
            RECORD, id=f"{number}", seed=number, agents=agents))
    found = groups(tmp_path / "0.jsonl", tmp_path / "1.jsonl")
    assert sorted((one["agent"], one["games"]) for one in found) == [
        ("greedy", 2), ("new", 1), ("new#2", 1)]


def test_every_variant_as_text() -> None:
    result = pavilion("stats", *FILES)
    assert_clean(result)
    assert max(map(len, result.stdout.splitlines())) <= 80
    for words in ("Azul: Summer Pavilion, coloured, 2 players", "Azul, grey, 3 players",
                  "Points by source", "Worth in chance to win after a round"):
        assert words in result.stdout


def test_files_and_games_count_once(tmp_path: Path) -> None:
    twice = tmp_path / "twice.jsonl"
    twice.write_bytes(SUMMER.read_bytes() * 2)
    assert groups(twice) == groups(SUMMER) == groups(SUMMER, SUMMER, twice)
    assert count_files([str(SUMMER)], jobs=2).found() == count_files([str(SUMMER)]).found()


def test_bad_records_are_left_out_a_line_each(tmp_path: Path) -> None:
    record = json.loads(GAME.read_text().splitlines()[0])
    later = {**record, "id": "later", "start": json.loads(pavilion(
        "replay", GAME, "--ply", 30, "--format", "json").stdout), "moves": record["moves"][30:]}
    lines = [
        record,
        {**record, "id": "illegal", "moves": [*record["moves"][:9], "D1:Q", *record["moves"][9:]]},
        {**record, "id": "wrong", "scores": [1, 2]},
        {**record, "id": "\x1b[2J", "moves": 7},
        cut_short(RECORD, 40).to_json(),
        later,
    ]
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + "nonsense\n{\"torn")
    result = pavilion("stats", path, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["games"], found["left_out"]) == (1, 6)
    notes = result.stderr.splitlines()
    assert [line.split(": ")[1:3] for line in notes[:5]] == [
        ["left out", f"{path}, line {number}"] for number in (4, 5, 6, 7, 2)]
    assert notes[5] == "note: left out: 1 more"
    assert "\x1b" not in result.stderr
    assert "does not begin with a new game" in result.stderr


def test_a_full_deal_alone_makes_no_new_game(tmp_path: Path) -> None:
    """Somebody who made up the position may be far ahead, or the token gone, or tiles elsewhere."""
    new: Any = Play.new(seed=1).position
    ahead = (replace(new.seats[0], score=90), *new.seats[1:])
    one = (1, 0, 0, 0, 0, 0)
    supply, bag = (tuple(map(sub, tiles, one)) for tiles in (new.supply, new.bag))
    path, agent = tmp_path / "games.jsonl", make_agent("greedy")
    for name, position in {"new": new, "ahead": replace(new, seats=ahead),
                           "token": replace(new, token=0),
                           "centre": replace(new, supply=supply, centre=one),
                           "bag": replace(new, bag=bag, tower=one, bag_size=sum(bag))}.items():
        play = Play(position, seed=1)
        while not play.is_over():
            if play.chance:
                play.draw()
            else:
                play.push(agent.choose(play))
        write_record(path, play.record(["greedy", "greedy"], id=name))
    found = count_files([str(path)])
    assert found.games == 1
    assert found.left_out == [
        f"{path}, line {line}: does not begin with a new game" for line in (2, 3, 4, 5)]


def test_of_many_bad_records_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for number in range(NAMED + 5):
        write_record(path, replace(RECORD, id=str(number), scores=(1, 2)))
    found = count_files([str(path)])
    assert (found.games, found.left, len(found.left_out)) == (0, NAMED + 5, NAMED)


def test_nothing_to_count(tmp_path: Path) -> None:
    empty, bad = tmp_path / "empty", tmp_path / "bad.jsonl"
    empty.touch()
    bad.write_text("no game\n")
    for path in (empty, bad, tmp_path, tmp_path / "missing"):
        result = pavilion("stats", path)
        assert result.exit_code == 2
        assert len(error_lines(result)) == 1
    refused = pavilion("stats", GAME, "--against", bad)
    assert refused.exit_code == 2
    assert not refused.stdout


@pytest.mark.parametrize(("arguments", "words"), [
    ([], "expected FILE, or --play SPEC"),
    ([GAME, "--play", "policy"], "and not both"),
    ([GAME, "--games", 3, "--seed", 1], "--games, --seed: for --play SPEC only"),
    (["--play", "policy", "--against", GAME], "--play a second time"),
    (["--play", "policy", "--play", "greedy", "--play", "random"], "found 3"),
    (["--play", "ismcts"], "expected a limit"),
    (["--play", "cmd:nothing"], "one of this package"),
    (["--play", "policy", "--players", 5], "players"),
    (["--play", "policy:net=missing.net"], "missing.net"),
])
def test_refused(arguments: list[object], words: str) -> None:
    result = pavilion("stats", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert not result.stdout


def test_self_play_depends_on_the_seed_alone() -> None:
    asked = SelfPlay(Variant("azul", "grey", 2), "greedy", 120, seed=5)
    alone, shared = count_self_play(asked), count_self_play(asked, jobs=2)
    assert alone.games == shared.games == 120
    mine, other = alone.found()[0], shared.found()[0]
    for one, two in zip(mine.tables, other.tables, strict=True):
        assert one.rows == two.rows
        for key, number in one.cells.items():
            assert number.value == pytest.approx(two.cells[key].value, nan_ok=True) or (
                number.value is None and two.cells[key].value is None)
    other_seed = count_self_play(SelfPlay(asked.variant, "greedy", 120, seed=6))
    assert other_seed.found()[0].tables[0] != mine.tables[0]


def test_last_digits_do_not_depend_on_which_task_ends_first(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(_: Any, function: Callable[[Any], Any], tasks: Iterator[Any]) -> Iterator[Any]:
        yield from reversed([(task, function(task)) for task in tasks])

    asked = SelfPlay(Variant("azul", "coloured", 4), "policy", 120, seed=0)
    alone = [group.to_json() for group in count_self_play(asked).found()]
    monkeypatch.setattr("pavilion_ai.facts.groups.results", late)
    assert [group.to_json() for group in count_self_play(asked, jobs=2).found()] == alone


def test_last_digits_do_not_depend_on_the_order_of_the_lines(tmp_path: Path) -> None:
    lines = [line for file in FILES for line in file.read_bytes().splitlines(keepends=True)]
    path, told = tmp_path / "games.jsonl", set()
    for order in range(4):
        path.write_bytes(b"".join(lines))
        result = pavilion("stats", path, "--json")
        assert_clean(result)
        told.add(result.stdout)
        random.Random(order).shuffle(lines)
    assert len(told) == 1


def test_recorded_games_tell_what_self_play_tells(tmp_path: Path) -> None:
    """The same games, from records."""
    match = Match(["greedy", "greedy"], pairs=15, seed=3, tied=False)
    match.run()
    path = tmp_path / "games.jsonl"
    path.write_text("".join(f"{json.dumps(record.to_json())}\n" for record in match.records))
    (group,) = groups(path)
    scores = [score for record in match.records for score in record.scores]
    assert cell(group, "games", "final score", "mean")["value"] == pytest.approx(
        sum(scores) / len(scores))
    assert group["seats"] == 60


def test_two_agents_compared() -> None:
    arguments = ["--play", "policy", "--play", "random", "--games", 40, "--seed", 1]
    (group,) = groups(*arguments)
    assert (group["agent"], group["against"]["agent"]) == ("policy", "random")
    mine, its = (cell(one, "games", "final score", "mean") for one in (group, group["against"]))
    above = next(one for one in group["above"] if one["table"] == "games")["rows"][0]["mean"]
    assert above["value"] == pytest.approx(mine["value"] - its["value"])
    assert abs(mine["error"] - its["error"]) < above["error"] < mine["error"] + its["error"]
    assert above["value"] > 40
    deals = next(one for one in group["above"] if one["table"] == "openings")["rows"]
    assert [row["there"]["value"] for row in deals] == [0] * len(deals)
    assert [row["there"]["error"] for row in deals] == [None] * len(deals)  # the same deals
    result = pavilion("stats", *arguments)
    assert_clean(result)
    assert "against random: 80 seats in 40 games" in result.stdout
    assert f"+{above['value']:.1f} +-" in result.stdout.partition("... above that")[2]


def test_files_compared(tmp_path: Path) -> None:
    (first, *_), (again, *_) = groups(SUMMER, "--against", SUMMER), groups(SUMMER)
    assert first["against"] == again
    assert all(row[column]["value"] in (0, None) for table in first["above"]
               for row in table["rows"] for column in row if column != "row")


def test_of_many_agents_the_first_are_told_apart(tmp_path: Path) -> None:
    """A game counts once for the others together, and those told apart have all of theirs."""
    match = Match(["random", "random"], game="azul", pairs=3, seed=1)
    match.run()
    tables = list(itertools.combinations(range(45), 2))
    path = tmp_path / "games.jsonl"
    met: list[tuple[str, ...]] = []
    with path.open("w") as file:
        for number in range(120):
            met.append(tuple(f"agent {agent}" for agent in tables[37 * number % len(tables)]))
            record = match.records[number % len(match.records)].to_json()
            agents = [{"spec": spec, "version": "1"} for spec in met[-1]]
            file.write(json.dumps({**record, "id": str(number), "agents": agents}) + "\n")
    found = {group.agent: group for group in count_files([str(path)]).found()}
    others = {agent for table in met for agent in table} - found.keys()
    assert (len(found), len(others)) == (41, 5)
    for agent, group in found.items():
        whose = others if agent == "further agents" else {agent}
        assert group.games == sum(not whose.isdisjoint(table) for table in met)
        assert group.seats == sum(one in whose for table in met for one in table)


def test_memory_does_not_grow_with_games(tmp_path: Path) -> None:
    match = Match(["random", "random"], game="azul", pairs=20, seed=1, tied=False)
    match.run()
    lines = [json.dumps(record.to_json()) + "\n" for record in match.records]

    def traced(work: Callable[[], object]) -> int:
        """Return the most memory that some work holds at a time."""
        tracemalloc.start()
        try:
            assert work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def counting(copies: int) -> int:
        path = tmp_path / "games.jsonl"
        path.write_text("".join(
            line.replace('"id": "', f'"id": "{copy}-') for copy in range(copies) for line in lines))
        return traced(lambda: count_files([str(path)]).games == copies * len(lines))

    held = traced(lambda: [GameRecord.from_json(json.loads(line)) for line in lines])
    counting(1)  # caches
    assert counting(8) - counting(2) < 6 * held / 2


def test_interrupted_it_prints_what_is_known() -> None:
    process = start("stats", "--play", "greedy", "--games", 10**6, "--jobs", 1, "--json")
    assert process.stderr is not None
    assert b"games: " in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    found = json.loads(out)
    assert found["interrupted"]
    assert found["games"] > 0
