"""A class of one's own as an engine, in every command that takes a spec."""

from __future__ import annotations

import gzip
import io
import json
import os
import select
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from pavilion_ai import Agent, Analysis, Play, read_records, serve
from pavilion_ai.errors import MoveError
from pavilion_ai.games import GAMES
from pavilion_ai.protocol.fields import BadRequest
from pavilion_ai.protocol.own import _Own
from tests.cli.support import pavilion
from tests.match.support import python_engine

SOURCE = '''
from pavilion_ai import Agent, serve

class Last(Agent):
    """Plays the last legal move."""

    def choose(self, play, limits=None, seed=0):
        assert limits.sims == 7, limits
        print("thinking", flush=True)
        return play.legal_moves[-1]

    def identity(self):
        return {"name": "Last", "version": "2.5"}

if __name__ == "__main__":
    serve(Last())
'''


@pytest.fixture
def spec(tmp_path: Path) -> str:
    file = tmp_path / "last.py"
    file.write_text(SOURCE, encoding="utf-8")
    return python_engine(file)


class Patient(Agent):
    """Plays the first move, and notes what limits it is given."""

    limited = True

    def __init__(self) -> None:
        super().__init__("patient")
        self.given: list[Any] = []

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        self.given.append(limits)
        if seed == 1:
            sys.exit(3)
        return play.legal_moves[0]


def test_where_an_agent_failed_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    class Failing(Agent):
        def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
            if seed == 1:
                play.copy().push("D9:G")
            return {"no": "move"}["here"]

    for seed, told in ((1, "D9:G is not legal"), (2, "internal error: KeyError: 'here'")):
        answer, = answers_to({"id": 1, "action": "choose", "position": Play.new(seed=3).code(),
                              "seed": seed}, agent=Failing())
        assert told in answer["error"]
        errors = capsys.readouterr().err
        assert errors.startswith("Traceback ")
        assert f"{Path(__file__).name}" in errors
    answer, = answers_to({"id": 1, "action": "choose", "position": "no"}, agent=Failing())
    assert "error" in answer
    assert not capsys.readouterr().err  # not the agent's fault


def test_what_an_agent_prints_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Talking(First):
        def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
            print("thinking")
            return super().choose(play)

    request = {"id": 1, "action": "choose", "position": Play.new(seed=3).code()}
    answers_to(request, agent=Talking())
    assert capsys.readouterr().out == "thinking\n"  # the answers are elsewhere
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    assert serve(Talking(), io.BytesIO(json.dumps(request).encode())) == 0
    assert sys.stdout is out
    assert capsys.readouterr().err == "thinking\n"
    answer, = out.buffer.getvalue().splitlines()  # type: ignore[attr-defined]
    assert json.loads(answer)["id"] == 1


LOUD = """
import logging, subprocess, sys
from pavilion_ai import Agent, serve
from pavilion_ai.protocol.own import Engine

class Loud(Agent):
    def identity(self):
        print("loaded")
        return {{}}

    def choose(self, play, limits=None, seed=0):
        print("printed")
        print("held back", file=sys.__stdout__)
        logging.warning("logged")
        subprocess.run([sys.executable, "-c", "print('of another program')"], check=True)
        return play.legal_moves[0]

logging.basicConfig(stream=sys.stdout, format="%(message)s")
out = sys.stdout
{before}
serve(Loud(){streams})
sys.stdout = out
print("after")
Engine.serve = None
try:
    serve(Loud(){streams})
except TypeError:
    print("after an error")
"""


@pytest.mark.parametrize(("before", "streams"), [
    ("", ""), ("", ", None, sys.stdout"), ("", ", sys.stdin, sys.stdout.buffer"),
    ("", ", answers=sys.stdout.buffer"), ("sys.stdout = sys.stderr", ", answers=out"),
    ("", ", answers=open(1, 'wb', closefd=False)")])
def test_nothing_that_an_agent_causes_is_an_answer(
    before: str, streams: str, tmp_path: Path
) -> None:
    file = tmp_path / "loud.py"
    file.write_text(LOUD.format(before=before, streams=streams))
    request = {"id": 1, "action": "choose", "position": Play.new(seed=3).code()}
    done = subprocess.run([sys.executable, file], input=json.dumps(request), timeout=60,
                          capture_output=True, text=True, check=True)
    answer, *rest = done.stdout.splitlines()
    assert "move" in json.loads(answer)
    assert rest == ["after", "after an error"]
    assert sorted(done.stderr.splitlines()) == [
        "held back", "loaded", "loaded", "logged", "of another program", "printed"]


READING = """
import os, subprocess, sys
from pavilion_ai import Agent, serve

NULL = "import os; print(os.path.samestat(os.fstat(0), os.stat(os.devnull)), os.read(0, 9))"

class Reading(Agent):
    def choose(self, play, limits=None, seed=0):
        try:
            input()
        except EOFError:
            print("nothing to read")
        subprocess.run([sys.executable, "-c", NULL], check=True)
        return play.legal_moves[0]

{before}
serve(Reading(){streams})
assert sys.stdin is source
print(os.read(0, 99))
"""


AS_IT_IS, ONE_IS_READ = "source = sys.stdin", "source = sys.stdin; source.buffer.readline()"


@pytest.mark.parametrize(("before", "streams", "kind"), [
    (AS_IT_IS, "", "pipe"), (ONE_IS_READ, "", "pipe"), (ONE_IS_READ, ", sys.stdin.buffer", "file"),
    ("source = sys.stdin = None", ", open(0, 'rb', closefd=False)", "file")])
def test_nothing_that_an_agent_causes_reads_a_request(
    before: str, streams: str, kind: str, tmp_path: Path
) -> None:
    program, requests = tmp_path / "reading.py", tmp_path / "requests"
    program.write_text(READING.format(before=before, streams=streams))
    asked = {"action": "choose", "position": Play.new(seed=3).code()}
    first = 1 if before == ONE_IS_READ else 0
    requests.write_text("".join(json.dumps({"id": number, **asked}) + "\n" for number in range(2)))
    with requests.open() as file:
        source = {"stdin": file} if kind == "file" else {"input": requests.read_text()}
        done = subprocess.run([sys.executable, program], timeout=60, capture_output=True,
                              text=True, check=True, **source)  # type: ignore[call-overload]
    *answers, rest = done.stdout.splitlines()
    assert rest == "b''"
    assert sorted(json.loads(answer)["id"] for answer in answers) == [*range(first, 2)]
    assert all("move" in json.loads(answer) for answer in answers)
    told = ["True b''"] * len(answers) + ["nothing to read"] * len(answers)
    assert sorted(done.stderr.splitlines()) == told


def test_limits_of_its_own_stay_and_an_exit_is_an_answer() -> None:
    mine = Patient()
    asked = {"action": "choose", "position": Play.new(seed=3).code()}
    lines = [{"id": 0, "action": "hello"}, {"id": 1, **asked, "seed": 1},
             {"id": 2, **asked, "limits": {"seconds": 1}}]
    out = io.BytesIO()
    assert serve(mine, io.BytesIO(b"".join(json.dumps(one).encode() + b"\n" for one in lines)),
                 out) == 0
    answers = {one["id"]: one for one in map(json.loads, out.getvalue().splitlines())}
    assert answers[0]["games"] == list(GAMES)
    assert answers[1]["error"] == "internal error: SystemExit: 3"
    assert "move" in answers[2]
    assert {(one.sims, one.seconds) for one in mine.given} == {(None, None), (None, 1)}


def check(records: list[Any], spec: str, version: str | None = "2.5") -> None:
    """Check that the seats of the class played its moves, and nobody lost by a fault."""
    assert records
    for record in records:
        assert record.reason == "finished"
        mine = [seat for seat, entry in enumerate(record.agents) if entry["spec"] == spec]
        assert mine
        assert version in (None, record.agents[mine[0]]["version"])
        play = Play(record.start)
        for move in record.moves:
            if play.turn in mine:
                assert move == play.legal_moves[-1]
            play.push(move)


def test_match_tournament_and_play(spec: str, tmp_path: Path) -> None:
    out = tmp_path / "match.jsonl"
    done = pavilion("match", spec, "random", "--pairs", 1, "--game", "azul", "--seed", 1,
                    "--sims", 7, "--jobs", 1, "--out", out)
    assert done.exit_code == 0, done.output
    check(list(read_records(out)), spec)
    out = tmp_path / "tournament.jsonl"
    done = pavilion("tournament", spec, "random", "greedy", "--rounds", 1, "--game", "azul",
                    "--seed", 1, "--sims", 7, "--jobs", 1, "--out", out)
    assert done.exit_code == 0, done.output
    check([one for one in read_records(out)
           if spec in [entry["spec"] for entry in one.agents]], spec)
    out = tmp_path / "play.jsonl"
    done = pavilion("play", "--game", "azul", "--seats", f"random,{spec}", "--seed", 1,
                    "--sims", 7, "--record", out)
    assert done.exit_code == 0, done.output
    check(list(read_records(out)), spec, version=None)


class First(Agent):
    """Plays the first legal move."""

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        return play.legal_moves[0]


def answers_to(*requests: dict[str, Any], agent: Agent | None = None) -> list[dict[str, Any]]:
    """Return what an engine of `First`, or of another agent, answers, in the order of the ids."""
    lines = b"".join(json.dumps(request).encode() + b"\n" for request in requests)
    out = io.BytesIO()
    assert serve(agent or First(), io.BytesIO(lines), out) == 0
    return sorted(map(json.loads, out.getvalue().splitlines()), key=lambda answer: answer["id"])


class Wrong(Agent):
    """Names a move that is not legal."""

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        return "D9:G"


@pytest.mark.parametrize("legal", [True, False], ids=["of those offered", "of all"])
def test_a_move_that_is_not_legal_is_an_error_and_no_other_move(legal: bool) -> None:
    """As in a match from Python, where the agent loses by it."""
    play = Play.new(seed=1)
    offered = {"legal_moves": list(play.legal_moves)} if legal else {}
    (chosen,) = answers_to(
        {"id": 1, "action": "choose", "position": play.code(), **offered}, agent=Wrong())
    assert chosen == {"id": 1, "field": "agent", "error": "agent: chose what cannot be played:"
                      " D9:G is not legal: there are only 5 displays"}
    (ranked,) = answers_to({"id": 2, "action": "analyse", "position": play.code()}, agent=Wrong())
    assert ranked == {"id": 2, "field": "agent", "error":
                      "agent: D9:G is not legal: there are only 5 displays"}
    with pytest.raises(MoveError, match="D9:G"):
        Wrong().analyse(play)


def test_what_such_an_engine_answers() -> None:
    play = Play.new("summer", players=3, seed=2)
    start = play.code()
    for _ in range(3):
        play.push(play.legal_moves[-1])
    past = {"start": start, "moves": list(play.moves)}
    hello, chosen, ranked, other, wrong, twice = answers_to(
        {"id": 1, "action": "hello"},
        {"id": 2, "action": "choose", "position": play.code(), "past": past},
        {"id": 3, "action": "analyse", "position": play.code(), "sims": 5},
        {"id": 4, "action": "choose", "position": play.code(), "agent": "random", "seed": 3,
         "threads": 64},
        {"id": 5, "action": "choose", "position": "nowhere"},
        {"id": 6, "action": "analyse", "position": play.code(), "threads": 2, "agent": "random"},
    )
    assert "notes" not in other, "how many threads it uses is its own affair"
    assert "unused" not in chosen
    for answer in (other, twice):
        assert sorted(answer["unused"]) == ["agent", "threads"]
    assert (hello["name"], hello["protocol"]) == ("First", 1)
    assert chosen["move"] == play.legal_moves[0]
    assert ranked["moves"][0]["move"] == play.legal_moves[0]
    assert ranked["limits"] == {"sims": 5, "seconds": None}, "what it was given"
    assert twice["limits"] == {"sims": None, "seconds": 2}
    assert other["move"] == play.legal_moves[0], "there is no other agent"
    assert wrong["field"] == "position"


class Counting(First):
    """Judges with numbers of numpy, and by its seed ends otherwise than with an answer."""

    version: Any = "1"

    def identity(self) -> dict[str, Any]:
        return {"version": self.version}

    def analyse(self, play: Play, limits: Any = None, *, seed: int = 0, **more: Any) -> Analysis:
        found = super().analyse(play, limits, seed=seed)
        numbers: dict[str, Any] = {
            "visits": np.int64(7),
            "win_prob": (np.float32(0.25), np.float64("nan"), object())[seed]}
        best = replace(found.best, **numbers)
        return replace(found, moves=(best,))

    def choose(self, play: Play, limits: Any = None, seed: int = 0) -> str:
        if seed == 3:
            raise KeyboardInterrupt
        return super().choose(play)


def test_numbers_of_numpy_are_numbers_and_what_is_no_json_is_an_error() -> None:
    """Each of these requests has its answer, and the engine ends."""
    asked = {"position": Play.new(seed=1).code(), "limits": {"sims": 1}, "threads": 1,
             "agent": "default"}
    found = answers_to(
        *({"id": seed, "action": "analyse", "seed": seed, **asked} for seed in range(3)),
        {"id": 3, "action": "choose", "seed": 3, **asked}, agent=Counting())
    assert found[0]["unused"] == ["agent"]  # threads its `analyse` may use
    (row,) = found[0]["moves"]
    assert (row["visits"], row["win_prob"]) == (7, 0.25)
    for answer, said in zip(found[1:], ("ValueError", "TypeError", "KeyboardInterrupt"),
                            strict=True):
        assert answer["field"] == ""
        assert answer["error"].startswith(f"internal error: {said}:")
    odd = Counting()
    odd.version = object()
    (hello,) = answers_to({"id": 1, "action": "hello"}, agent=odd)
    assert "found an object, expected what JSON can hold" in hello["error"]


def opened(how: str, path: Path) -> Any:
    """Return a stream of which one line was read, `how`, with what a file holds."""
    content = path.read_bytes()
    if how == "packed":
        path.write_bytes(gzip.compress(content))
        return gzip.open(path)
    if how == "pipe":
        reading, writing = os.pipe()
        os.write(writing, content)
        os.close(writing)
        return os.fdopen(reading, "rb")
    mode = "r+b" if how == "updated" else "rb"
    return path.open(mode, buffering=0 if how == "unbuffered" else -1)


@pytest.mark.parametrize("how", ["file", "updated", "unbuffered", "packed", pytest.param(
    "pipe", marks=pytest.mark.skipif(not hasattr(select, "poll"), reason="no poll"))])
def test_streams_are_taken_as_they_stand(how: str, tmp_path: Path) -> None:
    lines = [{"id": number, "action": "hello"} for number in range(3)]
    path = tmp_path / "requests"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with opened(how, path) as requests, (tmp_path / "out").open("w+b") as out:
        assert json.loads(requests.readline())["id"] == 0
        out.write(b"first\n")
        assert serve(First(), requests, out) == 0
        out.seek(0)
        first, *rest = out.read().splitlines()
        assert (first, [json.loads(line)["id"] for line in rest]) == (b"first", [1, 2])
    with gzip.open(tmp_path / "out", "wb") as packed:
        serve(First(), io.BytesIO(json.dumps(lines[0]).encode()), packed)
    assert json.loads(gzip.decompress((tmp_path / "out").read_bytes()))["name"] == "First"


def test_who_waits_for_the_agent_can_be_stopped() -> None:
    agents, stop = _Own(First()), Event()
    stop.set()
    with (agents.lent({}, None, Event()),
          pytest.raises(BadRequest, match="stopped before the agent was asked"),
          agents.lent({}, None, stop)):
        pass
    with agents.lent({}, None, stop) as (agent, _, _):
        assert agent.spec == "First"  # it is free again
