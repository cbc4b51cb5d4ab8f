"""`report` of several files and events: what is rated together, what is left out, and why."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.cli.records import MOST_READERS, jobs_for
from pavilion_ai.games import GAMES
from pavilion_ai.play import walk
from pavilion_ai.record import GameRecord, read_records
from pavilion_ai.version import __version__
from tests.cli.support import EXAMPLES, assert_clean, error_lines, pavilion

Data = dict[str, Any]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


def match(out: str, *specs: str, seed: int = 11, pairs: int = 2, **more: object) -> list[Data]:
    """Play a match into a file; return its records."""
    options = [word for key, value in more.items() for word in (f"--{key}", value)]
    result = pavilion("match", *(specs or ("policy", "greedy")), "--pairs", pairs, "--seed", seed,
                      "--jobs", 1, "--out", out, *options)
    assert_clean(result)
    return load(out)


def load(path: str) -> list[Data]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def save(path: str, games: list[Data]) -> str:
    Path(path).write_text("".join(f"{json.dumps(game)}\n" for game in games))
    return path


def report(*paths: object) -> tuple[Data, str]:
    """Return the report as JSON and what was noted."""
    result = pavilion("report", *paths, "--json")
    assert_clean(result)
    return json.loads(result.stdout), result.stderr


def joined(*paths: str) -> str:
    Path("j.jsonl").write_bytes(b"".join(Path(path).read_bytes() for path in paths))
    return "j.jsonl"


def test_two_events_of_one_file_are_rated_together() -> None:
    match("a.jsonl")
    match("b.jsonl", seed=12)
    whole, noted = report(joined("a.jsonl", "b.jsonl"))
    assert noted == ""
    assert (whole["games"], whole["pairs"], whole["left_out"]) == (8, 4, [])
    assert [(one["seed"], one["games"]) for one in whole["events"]] == [(11, 4), (12, 4)]
    assert whole["event"]["settings"]["seed"] is None
    assert whole["head_to_head"] is not None
    assert report("a.jsonl", "b.jsonl") == (whole, "")
    parts = [report(path)[0] for path in ("a.jsonl", "b.jsonl")]
    for key in ("wins", "games", "points"):
        assert [one[key] for one in whole["entrants"]] == [
            sum(part["entrants"][index][key] for part in parts) for index in (0, 1)]
    text = pavilion("report", "j.jsonl").stdout
    assert "summer, coloured, 2 players, 2 events, seeds 11, 12\n" in text
    untied = pavilion("match", "policy", "greedy", "--pairs", 1, "--seed", 13, "--untied", "--out",
                      "c.jsonl")
    assert_clean(untied)
    mixed, _ = report("a.jsonl", "c.jsonl")
    assert [one["tied"] for one in mixed["events"]] == [True, False]
    assert (whole["event"]["settings"]["tied"], mixed["event"]["settings"]["tied"]) == (True, False)


def test_agents_of_several_events_are_matched_by_spec_in_whatever_seat() -> None:
    match("a.jsonl", "policy", "greedy")
    match("b.jsonl", "greedy", "random", seed=11)
    match("c.jsonl", "greedy", "policy", seed=13)
    found, noted = report("a.jsonl", "b.jsonl", "c.jsonl")
    assert noted == ""
    assert [(one["spec"], one["games"]) for one in found["entrants"]] == [
        ("policy", 8), ("greedy", 12), ("random", 4)]
    assert found == report(joined("a.jsonl", "b.jsonl", "c.jsonl"))[0]


def test_an_agent_of_several_versions_is_one_agent_and_a_note_says_so() -> None:
    match("a.jsonl", pairs=1)
    games = match("b.jsonl", "policy", "random", seed=12, pairs=1)
    save("b.jsonl", [{**game, "agents": [{**agent, "version": "0.5.0"} for agent in game["agents"]]}
                     for game in games])
    assert report("b.jsonl")[1] == ""
    found, noted = report("a.jsonl", "b.jsonl")
    assert [one["games"] for one in found["entrants"]] == [4, 2, 2]
    assert noted == f"note: some agents have played in several versions: '0.5.0', '{__version__}'\n"


def test_limits_make_different_entrants_of_those_that_they_bind() -> None:
    specs = ("ismcts", "ismcts:sims=9", "greedy")
    match("a.jsonl", *specs, pairs=1, sims=5)
    match("b.jsonl", *specs, pairs=1, sims=7, seed=12)
    found, _ = report("a.jsonl", "b.jsonl")
    assert [(one["name"], one["games"]) for one in found["entrants"]] == [
        ("ismcts (sims=5)", 3), ("ismcts:sims=9", 6), ("greedy", 6), ("ismcts (sims=7)", 3)]
    for path in ("a.jsonl", "b.jsonl"):  # nobody knows what limits bind an agent of another program
        games = load(path)
        for agent in (agent for game in games for agent in game["agents"]):
            agent["spec"] = agent["spec"].replace("greedy", "other")
        save(path, games)
    assert [one["name"] for one in report("a.jsonl", "b.jsonl")[0]["entrants"]] == [
        "ismcts (sims=5)", "ismcts:sims=9", "other (sims=5)", "ismcts (sims=7)", "other (sims=7)"]


def test_no_two_entrants_have_one_name() -> None:
    for number, out in enumerate(("a.jsonl", "b.jsonl")):
        games = match(out, "random", "random", "greedy", pairs=1, seed=11 + number)
        for agent in (agent for game in games for agent in game["agents"]):
            agent["spec"] = agent["spec"].replace("greedy", "random#2")
        save(out, games)
    for paths in (["a.jsonl"], ["a.jsonl", "b.jsonl"]):
        assert [one["name"] for one in report(*paths)[0]["entrants"]] == [
            "random", "random#2", "random#2#2"]


def test_agents_are_called_by_the_names_that_their_specs_give_them() -> None:
    match("a.jsonl", "old=policy", "new=greedy", pairs=1)
    match("b.jsonl", "old=policy", "new=random", pairs=1, seed=12)
    report_, _ = report("a.jsonl", "b.jsonl")
    assert [(one["name"], one["spec"]) for one in report_["entrants"]] == [
        ("old", "old=policy"), ("new", "new=greedy"), ("new#2", "new=random")]
    shown = pavilion("report", "a.jsonl").stdout.splitlines()
    assert shown[0] == "old against new"
    assert shown[2:4] == ["old = policy", "new = greedy"]
    assert any(line.startswith("old  1") for line in shown)
    assert "1-1  old, new" in pavilion("replay", "a.jsonl").stdout
    assert_clean(pavilion("verify", "a.jsonl"))


def test_a_name_of_two_agents_is_refused() -> None:
    result = pavilion("match", "a=policy", "a=greedy", "--pairs", 1)
    assert error_lines(result) == [
        "error: a=greedy: a=policy has this name too, expected another one"]
    assert_clean(pavilion("match", " a = policy", "a=policy", "--pairs", 1))
    match("a.jsonl", "a=greedy", "a=greedy", pairs=1)
    assert [one["name"] for one in report("a.jsonl")[0]["entrants"]] == ["a", "a#2"]


def test_long_names_are_cut_in_the_heading() -> None:
    games = match("a.jsonl", pairs=1)
    for agent in (agent for game in games for agent in game["agents"]):
        agent["spec"] = agent["spec"].replace("greedy", "x" * 1000)
    shown = pavilion("report", save("a.jsonl", games)).stdout.splitlines()
    assert max(map(len, shown)) <= 80
    heading = "".join(line.strip() for line in shown[:shown.index("")])
    assert heading.startswith(f"policy against{'x' * 99}...{'x' * 98}summer, ")


def test_parts_of_one_event_and_games_that_stand_there_twice() -> None:
    games = match("a.jsonl")
    save("b.jsonl", games[:3])
    save("c.jsonl", games[1:])
    expected, _ = report("a.jsonl")
    assert report("b.jsonl", "c.jsonl") == (expected, "")
    assert report("a.jsonl", "a.jsonl") == (expected, "")
    assert report(joined("a.jsonl", "a.jsonl")) == (expected, "")


def test_events_of_which_no_pair_is_complete_are_all_told() -> None:
    """Of one seed they differ by their entrants, and none of them is the right one."""
    first, second = match("a.jsonl", pairs=1)
    second["agents"][second["match"]["entrants"].index(1)]["spec"] = "random"
    save("a.jsonl", [first])
    save("b.jsonl", [second])
    found, noted = report("a.jsonl", "b.jsonl")
    assert (found["games"], found["pairs"], found["left_out"], noted) == (2, 0, [], "")
    assert [one["spec"] for one in found["entrants"]] == ["policy", "greedy", "random"]


def test_games_of_an_event_without_a_pair_go_where_they_fit() -> None:
    """Whichever file comes first: the other one's entrant 1 is somebody else."""
    parts = (("a.jsonl", ("greedy", "random", "policy"), ["1.1-1", "1.2-1"]),
             ("b.jsonl", ("greedy", "policy", "random"), ["1.1-1", "1.1-2"]))
    for path, specs, kept in parts:
        assert_clean(pavilion("tournament", *specs, "--rounds", 1, "--seed", 1, "--jobs", 1,
                              "--out", path))
        save(path, [game for game in load(path) if game["id"] in kept])
    found = []
    for paths in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl")):
        told, noted = report(*paths)
        assert (told["games"], told["pairs"], len(told["left_out"])) == (3, 1, 1)
        assert "game '1.1-1': entrant 1 is 'policy' elsewhere, here 'random'" in noted
        found.append([(one["name"], one["games"]) for one in told["entrants"]])
    assert found[0] == found[1]


def test_two_tournaments_of_one_seed_are_two_events() -> None:
    """With one agent more the same tables seat others."""
    tournament = ("--rounds", 1, "--seed", 1, "--jobs", 1, "--out")
    assert_clean(pavilion("tournament", "greedy", "policy", "random", *tournament, "a.jsonl"))
    assert_clean(pavilion("tournament", "greedy", "policy", "random", "policy:net=0", *tournament,
                          "b.jsonl"))
    twice = {game["id"] for game in load("a.jsonl")} & {
        game["id"] for game in load("b.jsonl") if 3 not in game["match"]["entrants"]}
    save("c.jsonl", load("b.jsonl"))
    save("d.jsonl", load("b.jsonl")[6:])
    save("e.jsonl", load("b.jsonl")[:6])
    for paths in (("a.jsonl", "b.jsonl"), ("b.jsonl", "a.jsonl"), ("a.jsonl", "b.jsonl", "c.jsonl"),
                  ("d.jsonl", "a.jsonl", "b.jsonl"), ("a.jsonl", "e.jsonl", "d.jsonl"),
                  ("d.jsonl", "a.jsonl", "e.jsonl")):
        found, noted = report(*paths)
        assert (found["games"], found["left_out"], noted) == (18 - len(twice), [], "")
        assert sum(one["games"] for one in found["events"]) == found["games"]
        assert [one["seed"] for one in found["events"]] == [1, 1]


def test_other_variants_are_left_out_and_named() -> None:
    match("a.jsonl")
    match("b.jsonl", pairs=1, game="azul", seed=3)
    match("c.jsonl", "policy", "greedy", "random", pairs=1, seed=4)
    found, noted = report("b.jsonl", "a.jsonl", "c.jsonl")
    assert found["games"] == 4
    assert len(found["left_out"]) == 2 + 3
    why = found["left_out"][0]["why"]
    assert why == ("azul, coloured, 2 players, which cannot be compared with summer, coloured,"
                   " 2 players")
    assert f"note: left out: b.jsonl, line 1: game {found['left_out'][0]['game']!r}: {why}" in noted
    assert "\nleft out    5, for the reasons noted\n" in pavilion(
        "report", "b.jsonl", "a.jsonl", "c.jsonl").stdout


def test_games_with_faults_do_not_choose_the_variant() -> None:
    games = match("a.jsonl")
    for game in games:
        game["scores"][0] += 1
    match("b.jsonl", pairs=1, game="azul", seed=3)
    found, noted = report(save("a.jsonl", games), "b.jsonl")
    assert (found["event"]["settings"]["game"], found["games"]) == ("azul", 2)
    assert noted.count("note: left out: a.jsonl, line ") == len(found["left_out"]) == 4
    assert "compared" not in noted


def contradiction(*, others: int = 1) -> list[Data]:
    """Games of an event, of which one is there again, each time with other moves."""
    games = match("a.jsonl")
    for other in ("random", "flat:sims=2")[:others]:
        game = match(f"{other[:4]}.jsonl", "policy", other, pairs=1)[0]
        assert game["id"] == games[0]["id"]
        for agent in game["agents"]:
            agent["spec"] = agent["spec"].replace(other, "greedy")
        games.append(game)
    return games


def test_a_contradiction_is_named_by_every_command() -> None:
    games = contradiction()
    game, path = games[0]["id"], save("x.jsonl", games)
    told = f"another game '{game}' than on line 1"
    found, noted = report(path)
    assert (found["games"], found["pairs"]) == (3, 1)
    assert f"note: left out: x.jsonl, line 5: game '{game}': {told}" in noted
    assert f"x.jsonl, line 1: game '{game}': x.jsonl, line 5 has another game of this id" in noted
    assert f"x.jsonl, line 5: {told}, called {game}#2" in pavilion("replay", path).stderr
    reviewed = pavilion("review", path, "--game", f"{game}#2", "--sims", 1)
    assert f"x.jsonl, line 5: {told}, called {game}#2" in reviewed.stderr
    assert "line 1 has the same id" in pavilion("verify", path).stderr
    resumed = pavilion("match", "policy", "greedy", "--pairs", 3, "--out", path)
    assert_clean(resumed, 2)
    assert error_lines(resumed) == [
        f"error: x.jsonl, line 5: {told}; games are added only to files with each id once"]
    save("y.jsonl", games[4:])
    found, noted = report("a.jsonl", "y.jsonl")
    assert found["games"] == 3
    assert f"y.jsonl, line 1: game '{game}': another game '{game}' than on a.jsonl, line 1" in noted
    found, _ = report(save("z.jsonl", contradiction(others=2)))
    assert sorted(one["where"] for one in found["left_out"]) == [
        f"z.jsonl, line {line}" for line in (1, 5, 6)]


@pytest.mark.parametrize("copies", ["x.jsonl a.jsonl", "a.jsonl x.jsonl", "x.jsonl a.jsonl x.jsonl",
                                    "x.jsonl y.jsonl a.jsonl", "a.jsonl x.jsonl y.jsonl",
                                    "u.jsonl a.jsonl", "a.jsonl u.jsonl"])
def test_a_copy_with_a_fault_leaves_the_sound_game(copies: str) -> None:
    """Whichever of them is read first."""
    games = match("a.jsonl")
    expected, _ = report("a.jsonl")
    save("u.jsonl", [{**games[0], "reason": "unfinished"}, *games[1:]])
    games[0]["winners"] = [1 - games[0]["winners"][0]]
    save("x.jsonl", games)
    del games[0]["moves"][-1]
    save("y.jsonl", games)
    found, noted = report(*copies.split())
    assert {**found, "left_out": []} == expected
    assert "another game" not in noted
    bad = sorted(path for path in {*copies.split()} if path != "a.jsonl")
    assert sorted(one["where"] for one in found["left_out"]) == [f"{path}, line 1" for path in bad]
    assert sorted(re.findall("note: left out: (.*), line 1: game '1-1': ", noted)) == bad


def test_a_game_that_contradicts_one_with_a_fault_and_a_sound_one() -> None:
    *games, other = contradiction()
    faulty = copy.deepcopy(games[0])
    faulty["winners"] = [1 - faulty["winners"][0]]
    found, noted = report(save("x.jsonl", [faulty, *games, other]))
    assert (found["games"], len(found["left_out"])) == (3, 3)
    assert "x.jsonl, line 6: game '1-1': another game '1-1' than on line 2" in noted
    assert "x.jsonl, line 2: game '1-1': x.jsonl, line 6 has another game of this id" in noted


def of_another(games: list[Data]) -> str:
    games[0]["agents"][0]["spec"] = "random"
    return "entrant "


def unknown_rotation(games: list[Data]) -> str:
    games[0]["match"]["rotation"] = 7
    return "rotation: found 7, expected 0 to 1"


def other_score(games: list[Data]) -> str:
    games[0]["scores"][0] += 1
    return "the replay ends "


def other_entrants(games: list[Data]) -> str:
    games[0]["match"]["entrants"] = [3, 2]
    return "entrants"


def no_winner(games: list[Data]) -> str:
    games[0]["winners"] = []
    return "has no winner, expected a game that has ended"


def half_a_simulation(games: list[Data]) -> str:
    games[0]["match"]["limits"] = {"sims": 0.5}
    return "match.limits.sims: found 0.5, expected a whole number from 1"


@pytest.mark.parametrize("plant", [of_another, unknown_rotation, other_score, other_entrants,
                                   no_winner, half_a_simulation])
def test_what_verify_finds_no_reader_counts(plant: Any) -> None:
    games = match("a.jsonl")
    why = plant(games)
    path = save("x.jsonl", games)
    found, noted = report(path)
    assert (found["games"], found["pairs"]) == (3, 1)
    assert f"note: left out: x.jsonl, line 1: game '{games[0]['id']}': " in noted
    assert why in noted
    assert pavilion("verify", path).exit_code == 1
    resumed = pavilion("match", "policy", "greedy", "--pairs", 2, "--out", path)
    assert_clean(resumed, 2)
    assert "error: x.jsonl: game " in resumed.stderr


@pytest.mark.parametrize("command", ["report", "tournament"])
def test_a_swiss_game_that_names_the_other_entrant_of_a_spec(command: str) -> None:
    event = ("tournament", "greedy", "greedy", "policy", "random", "--system", "swiss", "--rounds",
             2, "--seed", 3, "--jobs", 1, "--out", "s.jsonl")
    assert_clean(pavilion(*event))
    games = load("s.jsonl")
    game = next(game for game in games if 0 in game["match"]["entrants"]
                and 1 not in game["match"]["entrants"])
    game["match"]["entrants"] = [1 if one == 0 else one for one in game["match"]["entrants"]]
    save("s.jsonl", games)
    result = pavilion("report", "s.jsonl") if command == "report" else pavilion(*event)
    assert_clean(result, 0 if command == "report" else 2)
    said = {"report": "sit in this order, entrants say", "tournament": "sat there, expected"}
    assert said[command] in result.stderr


def test_few_games_of_many_agents_count() -> None:
    """Games of a big event end in any order."""
    specs = ["greedy", "random", "policy", "flat:sims=2", "greedy", "random"]
    result = pavilion("tournament", *specs, "--system", "gauntlet", "--rounds", 1, "--seed", 3,
                      "--jobs", 1, "--out", "g.jsonl")
    assert_clean(result)
    save("last.jsonl", [game for game in load("g.jsonl") if game["match"]["pair"] == "1.5"])
    found, noted = report("last.jsonl")
    assert (found["games"], found["left_out"], noted) == (2, [], "")


def test_one_of_several_files_may_be_empty() -> None:
    match("a.jsonl")
    Path("b.jsonl").touch()
    found, noted = report("a.jsonl", "b.jsonl")
    assert found["games"] == 4
    assert noted == "note: b.jsonl: no games\n"
    reviewed = pavilion("review", EXAMPLES / "game_2p.jsonl", "b.jsonl", "--sims", 1)
    assert_clean(reviewed)
    assert error_lines(reviewed) == ["note: b.jsonl: no games"]
    Path("c.jsonl").touch()
    for words in (["report", "b.jsonl", "c.jsonl"], ["stats", "b.jsonl", "c.jsonl"],
                  ["review", "b.jsonl", "c.jsonl"], ["report", "b.jsonl"]):
        result = pavilion(*words)
        assert result.exit_code == 2
        assert error_lines(result)[0].endswith("b.jsonl: no games")


def test_torn_lines_are_ignored_and_files_of_play_are_left_out() -> None:
    match("a.jsonl")
    with open("a.jsonl", "a") as file:
        file.write('{"id": "3-1"')
    found, noted = report("a.jsonl", EXAMPLES / "game_2p.jsonl")
    assert found["games"] == 4
    left, = found["left_out"]
    assert left["why"] == "was not played in a match or tournament"
    assert noted.count("left out") == 1


def test_files_of_which_no_game_counts_have_a_line_each() -> None:
    games = [match("a.jsonl")[0]] * 3
    for number, game in enumerate(games):
        games[number] = {key: value for key, value in game.items() if key != "match"} | {
            "id": str(number)}
    save("x.jsonl", games)
    Path("y.jsonl").write_text("hello\n" * 40)
    Path("z.jsonl").write_text('{"id": "cut sh')
    result = pavilion("report", "x.jsonl", "y.jsonl", "z.jsonl")
    assert_clean(result, 2)
    assert error_lines(result) == [
        "error: x.jsonl: no game counts; the first of 3 problems: line 1: game '0': was not played"
        " in a match or tournament",
        "error: y.jsonl: no game counts; the first of 40 problems: line 1: not a game record (no"
        " JSON object)",
        "error: z.jsonl: no games"]
    result = pavilion("stats", "y.jsonl", "y.jsonl")
    assert_clean(result, 2)
    assert len(error_lines(result)) == 1
    assert "no game counts; the first of 40 problems: y.jsonl, line 1: not" in result.stderr


def test_what_is_left_out_is_kept_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.match.recorded.MOST_KEPT", 3)
    match("a.jsonl")
    with open("a.jsonl", "a") as file:
        file.write("hello\n" * 10)
    found, _ = report("a.jsonl")
    assert len(found["left_out"]) == 4
    assert found["left_out"][-1] == {"where": "elsewhere", "game": None,
                                     "why": "7 more lines that do not count", "lines": 7}
    result = pavilion("report", "a.jsonl")
    assert "left out    10, for the reasons noted" in result.stdout
    assert "note: left out: elsewhere: 7 more lines that do not count" in result.stderr
    monkeypatch.setattr("pavilion_ai.match.recorded.MOST_KEPT", 9)
    found, _ = report("a.jsonl")
    assert found["left_out"][-1]["why"] == "1 more line that does not count"
    monkeypatch.setattr("pavilion_ai.match.recorded.MOST_KEPT", 6)
    assert "note: left out: 5 more; " in pavilion("report", "a.jsonl").stderr


def test_events_of_one_seed_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.match.recorded.MOST_EVENTS", 2)
    games = match("a.jsonl")
    for number in range(4):
        other = copy.deepcopy(games[0])
        other["agents"][0]["spec"] = f"ismcts:sims={number + 1}"
        games.append(other)
    found, _ = report(save("b.jsonl", games))
    assert [one["why"] for one in found["left_out"]].count("more than 2 events have this seed") == 3


def test_many_games_are_replayed_by_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    games = match("a.jsonl")
    games[2]["scores"][0] += 1
    path = save("x.jsonl", games)
    expected = report(path), pavilion("verify", path).stderr
    monkeypatch.setattr("pavilion_ai.cli.records.MANY_BYTES", 1)
    monkeypatch.setattr("pavilion_ai.workers.tasks.BATCH", 1)
    monkeypatch.setattr("pavilion_ai.processors.cores", lambda: 2)
    assert (report(path), pavilion("verify", path).stderr) == expected


def test_more_processes_than_have_work_are_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pavilion_ai.cli.records.MANY_BYTES", 10)
    monkeypatch.setattr("pavilion_ai.processors.cores", lambda: 64)
    for size, jobs in ((0, 1), (9, 1), (25, 3), (10_000, MOST_READERS)):
        Path("x.jsonl").write_bytes(b"x" * size)
        assert jobs_for(["x.jsonl"]) == jobs
    monkeypatch.setattr("pavilion_ai.processors.cores", lambda: 2)
    assert jobs_for(["x.jsonl"]) == 2


# ------------------------------------------------------------------------------ parts and counts


@pytest.mark.parametrize(("game", "parts"), [
    ("summer", ["play", "stars", "numbers"]), ("azul", ["play", "rows", "columns", "colours"])])
@pytest.mark.parametrize("board", ["coloured", "grey"])
def test_parts_of_the_score_and_what_was_taken(game: str, parts: list[str], board: str) -> None:
    match("a.jsonl", game=game, board=board)
    found, _ = report("a.jsonl")
    records = list(read_records("a.jsonl"))
    for index, entrant in enumerate(found["entrants"]):
        assert list(entrant["parts"]) == parts
        means = {key: mean(record.breakdown[seat][key] for record, seat in seats(records, index))
                 for key in parts}
        assert {key: one["value"] for key, one in entrant["parts"].items()} == pytest.approx(means)
        for name, count in counted(records, index).items():
            assert entrant[name]["value"] == pytest.approx(count), name
    text = pavilion("report", "a.jsonl").stdout
    assert " ".join([*parts, "tiles", "tokens", "features"]) in " ".join(text.split())


def mean(values: Any) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def seats(records: list[GameRecord], entrant: int) -> list[tuple[GameRecord, int]]:
    return [(record, record.extra["match"]["entrants"].index(entrant)) for record in records]


def counted(records: list[GameRecord], entrant: int) -> dict[str, float]:
    """Count from positions and words what the report counts from states of the core."""
    from pavilion_ai.render import describe

    tiles, tokens, features = 0, 0, 0
    for record, seat in seats(records, entrant):
        before = None
        for move, play in zip(("", *record.moves), walk(record), strict=True):
            after = play.position
            if before is not None and before.to_move == seat and before.phase == "draft":
                words = describe(before, move)
                tiles += sum(int(word) for word in words.split(" from ")[0].split()
                             if word.isdigit())
                tokens += move[0] == "C" and before.token is None
            before = after
        assert before is not None
        features += GAMES[record.game].completed(GAMES[record.game].to_core(before))[seat]
    count = len(records)
    return {"tiles": tiles / count, "tokens": tokens / count, "features": features / count}


@pytest.mark.parametrize("game", ["summer", "azul"])
def test_features_are_those_of_the_drawing(game: str) -> None:
    """The words of a move name what it completes; together they are what stands at the end."""
    from pavilion_ai.render import describe

    kinds = ("pillar", "statue", "window") if game == "summer" else ("row", "column", "colour")
    for data in match("a.jsonl", game=game, board="grey"):
        record = GameRecord.from_json(data)
        found = [0] * record.start.players
        plays = list(walk(record))[-1]
        for ply, move in zip(plays.plies, record.moves, strict=True):
            before = plays.rules.from_core(ply.state)
            if before.to_move is not None and "completes " in (words := describe(before, move)):
                words = words.split("completes ")[1].split("(")[0].split(";")[0]
                found[before.to_move] += sum(words.count(f"{kind} ") for kind in kinds)
        assert tuple(found) == plays.rules.completed(plays.state)
        assert sum(found)


def test_a_match_and_its_report_tell_the_same_counts_also_when_resumed() -> None:
    games = match("a.jsonl")
    save("b.jsonl", games[:2])
    resumed = pavilion("match", "policy", "greedy", "--pairs", 2, "--jobs", 1, "--out", "b.jsonl")
    # Seconds per move are those of two runs.
    one, other = (re.sub(r" 0\.\d{3}\b", " 0", done.stdout)
                  for done in (resumed, pavilion("report", "a.jsonl")))
    assert one == other
    assert "tiles  tokens  features" in resumed.stdout


def test_what_does_not_count_is_kept_up_to_a_bound(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("pavilion_ai.match.recorded.MOST_KEPT", 25)
    path = tmp_path / "games.jsonl"
    assert pavilion("match", "greedy", "random", "--pairs", 1, "--jobs", 1, "--seed", 3, "--out",
                    path).exit_code == 0
    path.write_text(path.read_text() + "{}\n" * 60)
    told = json.loads(pavilion("report", path, "--json").stdout)["left_out"]
    assert len(told) == 26
    assert told[-1] == {"where": "elsewhere", "game": None,
                        "why": "35 more lines that do not count", "lines": 35}


def test_agents_that_never_met_are_noted() -> None:
    match("a.jsonl", "policy", "greedy", pairs=1)
    match("b.jsonl", "random", "default:level=1", pairs=1)
    match("c.jsonl", "random", "policy", pairs=1)
    apart, said = report("a.jsonl", "b.jsonl")
    assert "note: 2 groups of agents never met, also not through others: policy, greedy;" in said
    assert len(apart["groups"]) == len(apart["anchors"]) == 2
    text = pavilion("report", *(Path(one) for one in ("a.jsonl", "b.jsonl")))
    assert "never met" in text.stdout
    assert "never met" not in text.stderr    # the text says so itself
    whole, said = report("a.jsonl", "b.jsonl", "c.jsonl")
    assert "never met" not in said
    assert len(whole["groups"]) == 1
