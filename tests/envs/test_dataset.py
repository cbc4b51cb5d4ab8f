"""`pavilion dataset`: the arrays against the games, resuming, what is refused."""

from __future__ import annotations

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import FileIO
from pathlib import Path
from threading import Barrier
from typing import Any, NoReturn

import numpy as np
import pytest

from pavilion_ai import (
    Agent,
    EngineEnded,
    IllegalMoveError,
    Limits,
    Match,
    PavilionError,
    Play,
    Recorder,
    SpecError,
    make_agent,
    read_records,
)
from pavilion_ai.analysis import Analysis
from pavilion_ai.envs import Guided, action_mask, action_of, observe
from pavilion_ai.envs.dataset import (
    ARRAYS,
    Block,
    Settings,
    _played,
    block_bytes,
    games_in,
    load,
    open_folder,
    read_file,
    write_dataset,
)
from pavilion_ai.files import LockedFile
from pavilion_ai.network import NETS, read_network, write_network
from pavilion_ai.notation import to_json
from pavilion_ai.record import reading
from pavilion_ai.version import __version__
from tests.cli.support import CONTRACT, pavilion
from tests.envs.support import even

GAMES = CONTRACT / "games_summer_coloured.jsonl"


def run(*words: Any, code: int = 0) -> Any:
    """Run the command on two processes."""
    done = pavilion("dataset", *words, "--jobs", 2)
    assert done.exit_code == code, done.output
    return done


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def check(arrays: dict[str, Any], games: dict[str, Play], kind: str) -> int:
    """Compare the arrays of a file with its games; return the number of decisions."""
    row = 0
    for number, name in enumerate(arrays["ids"]):
        game = games[str(name)]
        winners, scores, players = game.winners(), game.scores(), game.start.players
        play = Play(game.start)
        for ply in game.plies:
            seat = play.turn
            if seat is not None:
                one = {key: arrays[key][row] for key in ARRAYS}
                assert (one["seat"], one["game"], one["ply"]) == (seat, number, len(play.plies))
                assert (one["observation"] == observe(play, kind=kind)).all()
                assert (one["mask"] == action_mask(play)).all()
                assert one["action"] == action_of(play, ply.move)
                order = [(seat + k) % players for k in range(players)]
                assert list(one["score"]) == [scores[k] for k in order]
                assert list(one["win"]) == pytest.approx(
                    [(k in winners) / len(winners) for k in order])
                assert one["policy"][~one["mask"]].sum() == 0
                assert one["policy"].astype(float).sum() == pytest.approx(1, abs=0.01)
                row += 1
            play.push(ply.move)
    assert all(len(arrays[key]) == row for key in ARRAYS)
    return row


@pytest.mark.parametrize("kind", ["counts", "scaled", "features"])
def test_recorded_games(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "data"
    run(GAMES, "--out", out, "--observation", kind, "--games", 3)
    arrays = list(load(out))
    assert len(arrays) == 1
    games = {record.id: Play.of(record) for record in read_records(GAMES)}
    assert check(arrays[0], games, kind) > 100
    assert (arrays[0]["policy"].max(axis=1) == 1).all(), "there was no search"
    assert json.loads((out / "dataset.json").read_text())["observation"] == kind


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A file of games of two variants, one of them unfinished."""
    path = tmp_path / "mixed.jsonl"
    with Recorder(path) as recorder:
        for game in ("azul", "summer"):
            match = Match(["random", "greedy"], game=game, pairs=2, seed=1)
            match.run()
            for record in match.records:
                recorder.write(record)
            unfinished = Play.of(match.records[0], 5).record(id=f"half {game}")
            recorder.write(unfinished)
    return path


def test_games_of_other_variants_and_unfinished_ones_are_left_out(
    mixed: Path, tmp_path: Path
) -> None:
    done = run(mixed, "--out", tmp_path / "one")
    assert "left out: 2 games that did not finish" in done.stderr
    assert "left out: 4 games of other variants" in done.stderr
    assert [len(part["ids"]) for part in load(tmp_path / "one")] == [4]
    run(mixed, "--out", tmp_path / "two", "--game", "summer")
    assert json.loads((tmp_path / "two" / "dataset.json").read_text())["game"] == "summer"
    done = run(mixed, "--out", tmp_path / "three", "--players", 4, code=2)
    assert "no finished games to take" in done.stderr


def test_self_play_tells_how_long_it_will_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr("pavilion_ai.cli.progress.ProgressLine.show",
                        lambda _, text: told.append(text))
    monkeypatch.setattr("pavilion_ai.envs.dataset.GAMES_PER_FILE", 2)
    words = ("--game", "azul", "--agent", "random", "--out", tmp_path / "data", "--games")
    run(*words, 2)
    told.clear()
    run(*words, 4)
    assert told == ["games: 4 of 4, 0 s left"]
    run(GAMES, "--out", tmp_path / "more", "--games", 1)
    assert told[1:] == ["games: 1"]


def test_files_are_read_no_further_than_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[int] = []
    parsed = reading.entry_of

    def counted(path: str, number: int, *rest: Any) -> Any:
        lines.append(number)
        return parsed(path, number, *rest)

    monkeypatch.setattr(reading, "entry_of", counted)
    run(GAMES, "--out", tmp_path / "data", "--games", 2)
    assert lines == [1, 2]


def test_a_game_that_went_on_is_taken_when_it_has_finished(tmp_path: Path) -> None:
    match = Match(["random", "greedy"], game="azul", pairs=1, seed=1)
    match.run()
    first, second = match.records
    states = [Play.of(first, plies).record(first.agents, id=first.id) for plies in (3, 9)]
    states += [Play.of(second, 5).record(second.agents, id=second.id)] * 2
    path = tmp_path / "states.jsonl"
    path.write_text("".join(json.dumps(record.to_json()) + "\n" for record in [*states, first]))
    done = run(path, "--out", tmp_path / "data")
    assert list(next(iter(load(tmp_path / "data")))["ids"]) == [first.id]
    assert done.stderr.count("left out: ") == 1
    assert "left out: 1 game that did not finish" in done.stderr
    path.write_text("".join(json.dumps(record.to_json()) + "\n" for record in [states[0], first]))
    assert "left out" not in run(path, "--out", tmp_path / "more").stderr


def test_a_game_that_lacks_its_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    record = json.loads(GAMES.read_text().splitlines()[0])
    whole = {**record, "id": "whole"}
    record["moves"] = record["moves"][:-8]
    path.write_text(f"{json.dumps(whole)}\n{json.dumps(record)}\n")
    done = run(path, "--out", tmp_path / "data", code=2)
    assert f"{path}, line 2: record '{record['id']}': the replay ends" in done.stderr
    assert list(load(tmp_path / "data")) == []


def test_self_play_is_the_same_however_it_is_done(tmp_path: Path) -> None:
    words = ("--game", "azul", "--agent", "ismcts:sims=8", "--seed", 5)
    one, other = tmp_path / "one", tmp_path / "other"
    run(*words, "--games", 66, "--out", one)
    done = pavilion("dataset", *words, "--games", 3, "--out", other, "--jobs", 1)
    assert done.exit_code == 0
    assert len(next(iter(load(other)))["ids"]) == 3
    run(*words, "--games", 66, "--out", other)
    assert files(one) == files(other)
    arrays = list(load(one))
    assert [len(part["ids"]) for part in arrays] == [64, 2]
    assert list(arrays[1]["ids"]) == ["64", "65"]
    policy = arrays[0]["policy"].astype(float)
    assert (policy.max(axis=1) < 1).mean() > 0.5, "shares of the visits"
    assert (policy[np.arange(len(policy)), arrays[0]["action"]]
            >= policy.max(axis=1) - 1e-3).all(), "also where the end is solved"
    (other / "000001.npz").unlink()    # the short one
    stamp = (other / "000000.npz").stat().st_mtime_ns
    run(*words, "--games", 66, "--out", other)
    assert files(one) == files(other)
    assert (other / "000000.npz").stat().st_mtime_ns == stamp, "it was there"


def test_agents_that_search_need_a_limit(tmp_path: Path) -> None:
    out = ("--out", tmp_path / "data", "--games", 1)
    for agent in ("default", "ismcts:net=0"):
        assert run("--agent", agent, *out, code=2).stderr == (
            f"error: agent {agent!r}: expected a limit for each decision: --sims, --time or one in"
            " the spec\n")
    assert not (tmp_path / "data").exists()
    run("--agent", "ismcts:net=0", "--sims", 2, *out)


def test_a_data_set_without_a_limit_is_resumed(tmp_path: Path) -> None:
    """Version 0.9.0 began such ones; here no game is missing, whose decisions would take 1 s."""
    words = ("--agent", "ismcts:net=0", "--games", 1, "--out", tmp_path / "data")
    run(*words, "--sims", 2)
    about = tmp_path / "data" / "dataset.json"
    told = json.loads(about.read_text())
    about.write_text(json.dumps({**told, "sims": None}))
    assert run(*words).stderr.endswith("data: 1 game\n")
    about.write_text(json.dumps(told))
    assert "other settings: sims 2, not null" in run(*words, code=2).stderr


def test_visits_of_agents_that_do_not_play_the_move_of_most(tmp_path: Path) -> None:
    run("--agent", "default:level=3", "--games", 1, "--out", tmp_path / "data")
    arrays = next(iter(load(tmp_path / "data")))
    policy = arrays["policy"].astype(float)
    other = policy[np.arange(len(policy)), arrays["action"]] < policy.max(axis=1)
    assert other.sum() > 5
    assert (policy[other].max(axis=1) < 1).any()


@pytest.mark.parametrize(("played", "favourite", "kept"), [
    ((0.0, -3.0), (1.0, 5.0), True),
    ((0.0, -3.0), (0.0, -3.0), True),
    ((1.0, 5.0), (0.0, -3.0), False),
    ((0.0, -2.0), (0.0, -3.0), False),
])
def test_visits_do_not_count_where_the_move_played_is_certainly_better(
    played: tuple[float, float], favourite: tuple[float, float], kept: bool
) -> None:
    """The move that a level draws among several that end the game may be worse."""
    class Drawing(Agent):
        ranks = True

        def analyse(self, play: Play, *_: Any, **__: Any) -> Analysis:
            found = make_agent("policy").analyse(play)
            moves = tuple(
                replace(found.best, move=move, visits=visits, exact=True, win_prob=value[0],
                        score_lead=value[1])
                for move, visits, value in zip(
                    play.legal_moves, (1, 3), (played, favourite), strict=False))
            return replace(found, moves=moves)

    play, policies = _played(Settings("azul", "coloured", 2, seed=1), Drawing(), 0)
    shares = [tuple(visits.values()) for visits in policies.values()]
    assert ((1.0, 3.0) in shares) is kept
    assert len(play.plies) > 40


def test_an_agent_of_ones_own_plays_as_the_command_lets_it(tmp_path: Path) -> None:
    """Also with a network file, which is the agent's; more games are added."""
    one, other = tmp_path / "one", tmp_path / "other"
    spec = f"ismcts:net={NETS / 'azul-coloured-2.net'},sims=4"
    run("--game", "azul", "--agent", spec, "--seed", 5, "--games", 3, "--out", one)
    for games in (2, 3, 1):
        write_dataset(other, make_agent(spec), game="azul", games=games, seed=5)
    assert files(one) == files(other)
    with pytest.raises(PavilionError, match=r'other settings: agent .*, not "random"; net'):
        write_dataset(other, make_agent("random"), game="azul", seed=5)
    assert files(one) == files(other)


def test_a_search_without_a_limit_is_only_resumed(tmp_path: Path) -> None:
    for agent in (make_agent("default"), Guided(even)):
        with pytest.raises(SpecError, match=f"^agent '{agent.spec}': expected a limit for each"):
            write_dataset(tmp_path, agent, game="azul", games=1)
    assert not files(tmp_path)
    (tmp_path / "dataset.json").write_text("another")
    with pytest.raises(PavilionError, match="not the description of a data set"):
        write_dataset(tmp_path, make_agent("default"), game="azul", games=1)


def test_visits_of_a_search_with_a_network_of_ones_own(tmp_path: Path) -> None:
    class Mine(Guided):
        state = "first"

        def identity(self) -> dict[str, str]:
            return {"network": self.state}

    mine = Mine(even, Limits(sims=12), spec="mine")
    write_dataset(tmp_path, mine, game="azul", games=1, observation="scaled")
    part, = load(tmp_path)
    assert part["observation"].dtype == np.float32
    assert ((part["policy"] > 0).sum(axis=1) > 1).mean() > 0.5
    assert json.loads((tmp_path / "dataset.json").read_text())["agent"] == "mine"
    mine.state = "second"
    with pytest.raises(PavilionError, match='settings: network "first", not "second"; choose'):
        write_dataset(tmp_path, mine, game="azul", games=1, observation="scaled")


def test_what_an_agent_plays_in_its_play_is_no_move_of_the_game(tmp_path: Path) -> None:
    class First(Agent):
        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            return play.legal_moves[0]

    class Ahead(First):
        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            move = super().choose(play)
            play.push(move)
            return move

    for agent in (First(), Ahead()):
        write_dataset(tmp_path / agent.spec, agent, game="azul", games=1)
    one, other = (next(load(tmp_path / name)) for name in ("First", "Ahead"))
    assert (one["policy"].max(axis=1) == 1).all()
    for name, array in one.items():
        assert (array == other[name]).all(), name


def test_an_agent_that_names_no_legal_move_is_named(tmp_path: Path) -> None:
    class Nonsense(Agent):
        def choose(self, play: Play, limits: Limits | None = None, seed: int = 0) -> str:
            return "nonsense"

    with pytest.raises(IllegalMoveError, match=r"^agent 'Nonsense', game 0, ply 0: found 'nonsens"):
        write_dataset(tmp_path, Nonsense(), game="azul", games=1)


def test_an_external_engine_that_fails_is_named_once(tmp_path: Path) -> None:
    """The error keeps its class and what a clock does not count."""
    with make_agent("cmd:true") as agent, pytest.raises(
            EngineEnded, match=r"^agent 'cmd:true', game 0, ply 0: exited with status 0$") as told:
        write_dataset(tmp_path, agent, game="azul", games=1)
    assert told.value.free > 0


@pytest.mark.parametrize("wrong", [
    {"agent": Agent}, {"game": "chess"}, {"board": "green"}, {"players": 5}, {"games": 0},
    {"seed": 0.5}, {"observation": "pixels"},
])
def test_arguments_of_the_function(wrong: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="expected"):
        write_dataset(tmp_path, **{"agent": make_agent("random"), **wrong})
    assert not files(tmp_path)


def test_agents_without_a_search(tmp_path: Path) -> None:
    run("--game", "azul", "--agent", "random", "--games", 2, "--out", tmp_path / "data")
    assert (next(iter(load(tmp_path / "data")))["policy"].max(axis=1) == 1).all()


@pytest.mark.parametrize(("words", "complaint"), [
    (("--agent", "greedy"), 'other settings: agent "random", not "greedy"'),
    (("--agent", "random", "--seed", 2), "seed 0, not 2"),
    (("--agent", "random", "--observation", "scaled"), 'observation "counts", not "scaled"'),
    (("--agent", "random", "--observation", "pixels"), "expected one of counts"),
    (("--agent", "nobody"), "nobody"),
    (("--agent", "random", "--players", 9), "'9' is not a whole number from 2 to 4"),
    ((GAMES, "--agent", "random"), "--agent: only for self-play"),
    ((GAMES, "--game", "Azul"), "--game: no game 'Azul'; expected summer, azul"),
    ((GAMES, "--board", "gray"), "--board: no side 'gray'; expected coloured, grey"),
    (("missing.jsonl",), "missing.jsonl"),
    (("/dev/zero",), "/dev/zero: is not a regular file"),
    (("-",), "records are not read from standard input"),
    ((".",), ".: is a directory"),
    (("--agent", "random", "--sims", 3, "--time", 1), "exclude each other"),
])
def test_refusals(words: tuple[Any, ...], complaint: str, tmp_path: Path) -> None:
    out = tmp_path / "data"
    run("--agent", "random", "--games", 1, "--out", out)
    before = files(out)
    done = run(*words, "--games", 1, "--out", out, code=2)
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert files(out) == before


def test_a_data_set_is_of_one_network(tmp_path: Path) -> None:
    net, out = tmp_path / "a.net", tmp_path / "data"
    words = ("--game", "azul", "--agent", f"policy:net={net}", "--games", 1, "--out", out)
    header, payload = read_network(NETS / "azul-coloured-2.net")
    write_network(net, header, payload)
    assert "version" not in run(*words).stderr
    about = json.loads((out / "dataset.json").read_text())
    assert (about["network"], about["version"]) == (header.sha256, __version__)
    settings = Settings("azul", "coloured", 2, agent=words[3], seed=0, network=header.sha256)
    write_network(net, header, payload[:-4] + bytes(4))
    before = files(out)
    done = run(*words, code=2)
    assert f'other settings: network "{header.sha256}", not "' in done.stderr
    with pytest.raises(PavilionError, match="its network file has been replaced"):
        block_bytes(Block(settings, 0, (0,)))
    assert files(out) == before
    del about["network"]  # as in 0.5.0
    (out / "dataset.json").write_text(json.dumps({**about, "version": "0.0.1"}))
    assert f"data: begun by version 0.0.1, this is {__version__}\n" in run(*words).stderr
    del about["version"]
    (out / "dataset.json").write_text(json.dumps(about))
    assert "version" not in run(*words).stderr


def test_a_folder_of_something_else_is_not_touched(tmp_path: Path, mixed: Path) -> None:
    done = run("--agent", "random", "--games", 1, "--out", tmp_path, code=2)
    assert "holds other files" in done.stderr
    out = tmp_path / "data"
    run(mixed, "--out", out)
    done = run(mixed, mixed.with_name("none.jsonl"), "--out", tmp_path / "data2", code=2)
    (tmp_path / "other.jsonl").write_bytes(b"".join(mixed.read_bytes().splitlines(True)[1:]))
    done = run(tmp_path / "other.jsonl", "--out", out, code=2)
    assert "000000.npz: holds other games" in done.stderr


def test_other_games_with_the_same_ids_are_other_games(tmp_path: Path) -> None:
    for seed in (1, 2):
        with Recorder(tmp_path / f"{seed}.jsonl") as recorder:
            match = Match(["random", "greedy"], game="azul", pairs=1, seed=seed)
            match.run()
            for record in match.records:
                recorder.write(record)
    out = tmp_path / "data"
    done = run(*[tmp_path / f"{seed}.jsonl" for seed in (1, 1, 2, 1)], "--out", out)
    assert list(next(iter(load(out)))["ids"]) == ["1-1", "1-2"] * 2
    assert "left out: 4 games met before" in done.stderr
    run(tmp_path / "1.jsonl", "--out", out)
    before = files(out)
    done = run(tmp_path / "2.jsonl", "--out", out, code=2)
    assert "000000.npz: holds other games" in done.stderr
    assert files(out) == before
    with np.load(out / "000000.npz") as file:  # as 0.5.0 wrote it
        older = {name: file[name] for name in file if name != "digests"}
    older["score"] = older["score"].astype(np.int16)
    np.savez(out / "000000.npz", **older)
    run(tmp_path / "1.jsonl", "--out", out)
    assert len(next(load(out))["ids"]) == 4


def test_the_highest_scores_fit(tmp_path: Path) -> None:
    raw: Any = to_json(Play.new("azul", seed=3).position)
    raw["seats"][0]["score"] = 99_000
    play, policy = Play(raw), make_agent("policy")
    while not play.is_over():
        if play.turn is None:
            play.draw_once(1)
        else:
            play.push(policy.choose(play))
    with Recorder(tmp_path / "high.jsonl") as recorder:
        recorder.write(play.record())
    run(tmp_path / "high.jsonl", "--out", tmp_path / "data", "--game", "azul")
    (arrays,) = load(tmp_path / "data")
    assert arrays["score"].max() == max(play.scores()) > 90_000


def test_what_a_killed_run_left_is_no_obstacle(tmp_path: Path) -> None:
    out = tmp_path / "data"
    out.mkdir()
    (out / ".dataset.json.123.tmp").write_bytes(b"{")
    run("--agent", "random", "--games", 1, "--out", out)
    (out / ".000000.npz.123.tmp").write_bytes(b"PK")
    (out / "000000.npz").unlink()
    run("--agent", "random", "--games", 1, "--out", out)
    assert [len(part["ids"]) for part in load(out)] == [1]


def test_a_second_run_is_kept_out(tmp_path: Path) -> None:
    words = ("--out", tmp_path / "data", "--games", 2, "--agent", "policy")
    run(*words)
    lock = LockedFile(tmp_path / "data" / "dataset.json", "r+")
    assert lock.lock()
    assert "data: another run writes there" in run(*words, code=2).stderr
    lock.close()
    run(*words)


def test_of_runs_that_begin_together_one_is_kept_out(tmp_path: Path) -> None:
    together = Barrier(2)

    def begin(number: int) -> LockedFile | None:
        together.wait()
        try:
            return open_folder(tmp_path / f"data{number}", Settings("azul", "coloured", 2))
        except PavilionError:
            return None

    with ThreadPoolExecutor(2) as pool:
        for number in range(30):
            locks = [lock for lock in pool.map(begin, [number] * 2) if lock is not None]
            for lock in locks:
                lock.close()
            assert len(locks) == 1


def test_a_run_killed_as_it_began_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "dataset.json").touch()
    run("--agent", "random", "--games", 1, "--out", tmp_path)
    assert [len(part["ids"]) for part in load(tmp_path)] == [1]


def test_a_run_that_began_on_a_full_disk_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first write takes what there is room for."""
    room = [100, 0]

    def write(file: LockedFile, content: bytes) -> int:
        written = FileIO.write(file, content[:room.pop(0)])
        if not written:
            raise OSError(errno.ENOSPC, "No space left on device")
        return written

    with monkeypatch.context() as full:
        full.setattr(LockedFile, "write", write)
        with pytest.raises(OSError, match="No space"):
            open_folder(tmp_path, Settings("azul", "coloured", 2))
    assert not (tmp_path / "dataset.json").stat().st_size
    open_folder(tmp_path, Settings("azul", "coloured", 2)).close()


def test_what_fails_on_the_way_is_no_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    done = run("--agent", "cmd:true", "--games", 1, "--out", tmp_path / "one", code=1)
    assert done.stderr == "error: agent 'cmd:true', game 0, ply 0: exited with status 0\n"
    out = tmp_path / "two"
    open_folder(out, Settings("summer", "coloured", 2, agent="random", seed=0)).close()
    monkeypatch.setattr(os, "fsync", full)
    done = run("--agent", "random", "--games", 1, "--out", out, code=1)
    assert done.stderr.splitlines() == [
        "note: resume with the same command",
        f"error: {out / '000000.npz'}: No space left on device"]


def test_a_larger_folder_is_told_as_it_is(tmp_path: Path) -> None:
    words = ("--out", tmp_path / "data", "--agent", "policy", "--game", "azul")
    assert "data: 66 games\n" in run(*words, "--games", 66).stderr
    assert "data: 66 games, 2 requested\n" in run(*words, "--games", 2).stderr
    assert "data: 66 games, 65 requested\n" in run(*words, "--games", 65).stderr


def test_damaged_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "data"
    run("--agent", "random", "--games", 1, "--out", out)
    with monkeypatch.context() as bounded:
        bounded.setattr("pavilion_ai.envs.dataset.MAX_ARRAY_BYTES", 1000)
        with pytest.raises(PavilionError, match="arrays of more than 1000 bytes"):
            read_file(out / "000000.npz")
    (out / "own.npz").write_bytes(b"of somebody else")
    assert [len(part["ids"]) for part in load(out)] == [1]
    whole = (out / "000000.npz").read_bytes()
    for content in (b"", whole[:300], whole[:-40], b"x" + whole[1:]):
        (out / "000000.npz").write_bytes(content)
        with pytest.raises(PavilionError, match=r"000000\.npz: damaged"):
            read_file(out / "000000.npz")
    assert "damaged" in run("--agent", "random", "--games", 1, "--out", out, code=2).stderr
    with pytest.raises(PavilionError, match="no data set there"):
        next(load(tmp_path))
    for ids in (np.array(5), np.array([5]), np.array([["a"]])):
        np.savez(out / "000000.npz", ids=ids)
        with pytest.raises(PavilionError, match=r"000000\.npz: damaged, .*\(ids: of shape"):
            games_in(out)
    (out / "000000.npz").write_bytes(whole)
    about = json.loads((out / "dataset.json").read_text())
    for key, value, complaint in (
            ("sims", "x", "sims: found 'x', expected a whole number"),
            ("version", 5, "version: found 5, expected a string"),
            ("game", None, "game: found null, expected a string"),
            ("players", 2.0, "players: found 2.0, expected a whole number from 1"),
            ("seconds", [], "seconds: found a list of 0, expected a number from 0 to")):
        (out / "dataset.json").write_text(json.dumps({**about, key: value}))
        with pytest.raises(PavilionError, match=rf"dataset\.json: {complaint}"):
            next(load(out))
    (out / "dataset.json").write_text('{"format": "pavilion-dataset-1", "sims": "x"}')
    with pytest.raises(PavilionError, match=r"dataset\.json: game: found no such key, expected a"):
        next(load(out))
    for form, complaint in (("pavilion-dataset-2", r"format 'pavilion-dataset-2', expected .*-1'"),
                            ("gif", "not the description of a data set")):
        (out / "dataset.json").write_text(json.dumps({"format": form}))
        with pytest.raises(PavilionError, match=rf"dataset\.json: {complaint}"):
            next(load(out))
