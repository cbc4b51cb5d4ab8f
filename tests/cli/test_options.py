"""Every option of a command reaches what does the work."""

from __future__ import annotations

import importlib
import inspect
import shlex
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai import processors
from pavilion_ai.bounds import ENDS
from pavilion_ai.cli.exits import CommandError
from pavilion_ai.cli.workers import workers_of
from pavilion_ai.envs.dataset import Settings as DataSettings
from pavilion_ai.facts.groups import SelfPlay, Variant
from pavilion_ai.limits import Limits, Timeouts
from pavilion_ai.match.event import Event, Settings
from pavilion_ai.puzzles import Source
from pavilion_ai.solve import BYTES_PER_POSITION, solve_position
from pavilion_ai.stats import Sprt
from tests.cli.support import DRAFTING, GAME, error_lines, pavilion

VARIANT = "--game azul --board grey --players 3"
EVENT: dict[str, Any] = {
    "kind": "match", "rounds": 3, "sprt": Sprt(0, 10, 0.1, 0.2),
    "settings": Settings("azul", "grey", 2, 5, Limits(sims=7),
                         Timeouts(start=2, move=3, grace=1, clock_grace=1), tied=False)}
CASES: list[tuple[str, str, dict[str, Any]]] = [
    (f"suggest {DRAFTING} --sims 50 --threads 3 --seed 5 --compare D1:P --even 4 --avoid D3:R",
     "agents:_SearchAgent.analyse",
     {"limits": Limits(sims=50), "threads": 3, "seed": 5, "compare": ("D1:P",), "even": 4,
      "avoid": ("D3:R",)}),
    (f"suggest {DRAFTING} --time 2 --only D1:P --agent ismcts:threads=2",
     "agents:_SearchAgent.analyse",
     {"limits": Limits(seconds=2.0), "threads": 2, "seed": 0, "only": ("D1:P",)}),
    (f"rollout {DRAFTING} --move D5:Y --trials 9 --error 2 --all --seed 5 --to round"
     " --agent greedy", "rollout:roll_out",
     {"moves": ["D5:Y"], "trials": 9, "error": 0.02, "until_decided": False, "seed": 5,
      "to": ENDS[1], "agent": "greedy"}),
    (f"rollout {DRAFTING} --move D5:Y", "rollout:roll_out",
     {"trials": 400, "error": 0, "until_decided": True, "seed": 0, "to": ENDS[0],
      "agent": "policy"}),
    (f"solve {DRAFTING} --others mix --memory 3", "solve:solve_position",
     {"others": "mix", "limit": (3 << 20) // BYTES_PER_POSITION}),
    (f"solve {DRAFTING}", "solve:solve_position",
     {"limit": inspect.signature(solve_position).parameters["limit"].default}),
    (f"review {GAME} --sims 7 --seed 5 --agent ismcts:threads=2", "review:Judge",
     {"agent": "ismcts:threads=2", "limits": Limits(sims=7), "seed": 5}),
    (f"review {GAME} --agent ismcts:threads=9,sims=5", "review:Judge",
     {"agent": "ismcts:threads=8,sims=5", "limits": None, "seed": 0}),
    (f"verify {GAME} --jobs 3", "match.verify:verify", {"jobs": 3}),
    (f"puzzles {VARIANT} --seed 5 --sims 7", "puzzles:find",
     {"source": Source("azul", "grey", 3, 5, 7)}),
    (f"dataset {VARIANT} --observation scaled --agent greedy --sims 7 --seed 5 --out OUT",
     "envs.dataset:open_folder",
     {"path": Path("OUT"),
      "settings": DataSettings("azul", "grey", 3, "scaled", "greedy", 7, None, 5)}),
    (f"stats --play greedy {VARIANT} --games 7 --seed 5 --jobs 3", "facts.groups:count_self_play",
     {"asked": SelfPlay(Variant("azul", "grey", 3), "greedy", 7, 5), "jobs": 3}),
    (f"openings {VARIANT} --round 2 --band 3 --sims 7 --tries 9 --seed 5",
     "match.balanced:Wanted",
     {"game": "azul", "board": "grey", "players": 3, "round": 2, "band": 0.03, "sims": 7,
      "tries": 9, "seed": 5}),
    ("web --host localhost --port 7 --threads 3", "web:serve",
     {"host": "localhost", "port": 7, "threads": 3}),
    ("engine --agent greedy --memory 7", "protocol:Engine", {"agent": "greedy", "memory_mib": 7}),
    ("bench --seconds 3", "bench:run_bench", {"seconds": 3.0}),
    (f"train --out OUT {VARIANT} --seed 5 --generations 2 --games 7 --full-sims 9 --fast-sims 8"
     " --threads 3 --start-from recipe:x", "train.recipe:Recipe.changed",
     {"generations": 2, "changes": {
         "game": "azul", "board": "grey", "players": 3, "seed": 5, "games": 7, "full_sims": 9,
         "fast_sims": 8, "threads": 3, "start": "recipe:x"}}),
    (f"play --from {DRAFTING} --seats greedy,human --sims 7 --seed 5", "cli.table:Table",
     {"seconds": None, "sims": 7}),
]


def reached(words: str, target: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the arguments with which a command calls a function or class, by name."""
    module, _, name = target.partition(":")
    owner: Any = importlib.import_module(f"pavilion_ai.{module}")
    *path, name = name.split(".")
    for part in path:
        owner = getattr(owner, part)
    signature = inspect.signature(getattr(owner, name))
    calls: list[dict[str, Any]] = []

    def called(*arguments: Any, **options: Any) -> None:
        calls.append(signature.bind(*arguments, **options).arguments)
        raise CommandError("reached")

    monkeypatch.setattr(owner, name, called)
    monkeypatch.setattr(processors, "cores", lambda: 8)
    result = pavilion(*shlex.split(words))
    assert error_lines(result)[-1] == "error: reached", result.output
    return calls[0]


@pytest.mark.parametrize(("words", "target", "expected"), CASES,
                         ids=[words.split()[0] for words, _, _ in CASES])
def test_options_reach_what_does_the_work(
    words: str, target: str, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reached(words, target, monkeypatch)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(("words", "expected"), [
    ("match greedy ismcts --pairs 3 --sprt 0,10 --alpha 0.1 --beta 0.2", {}),
    ("tournament greedy ismcts random --rounds 3 --system swiss", {"kind": "swiss", "sprt": None}),
])
def test_the_options_of_events(
    words: str, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    event: Event = reached(
        f"{words} --game azul --board grey --seed 5 --sims 7 --untied --grace 1 --start-timeout 2"
        " --move-timeout 3", "match.runner:Runner", monkeypatch)["event"]
    assert {name: getattr(event, name) for name in EVENT} == {**EVENT, **expected}


def test_no_grace_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    event: Event = reached(
        "match greedy ismcts --pairs 3 --sims 7 --grace 0", "match.runner:Runner",
        monkeypatch)["event"]
    assert event.settings.timeouts == Timeouts(grace=0, clock_grace=0)


@pytest.mark.parametrize(("words", "module"), [
    (f"review {GAME} --agent ismcts:threads=4", "review"),
    ("dataset --agent ismcts:sims=5,threads=4 --out OUT", "dataset"),
    ("stats --play ismcts:sims=5,threads=4 --play greedy", "stats"),
    ("match ismcts:sims=5,threads=4 greedy", "workers"),
])
def test_by_default_there_are_as_many_processes_as_have_room_for_their_threads(
    words: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert reached(words, f"cli.{module}:processes", monkeypatch)["default"] == 2


@pytest.mark.parametrize(("words", "told"), [
    (f"rollout {DRAFTING} --move D1:P --trials 1 --sims 9", "--sims has no effect on the moves of"
     " --move"),
    ("match greedy policy --pairs 1 --time 5", "--time has no effect on these agents"),
    ("match default:level=3 greedy --pairs 1 --sims 5", "--sims has no effect on these agents"),
    ("dataset --agent policy --games 1 --sims 50 --out OUT", "--sims has no effect on policy"),
])
def test_options_without_an_effect_are_noted(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = pavilion(*shlex.split(words))
    assert (done.exit_code, error_lines(done)[0]) == (0, f"note: {told}")


def test_the_processes_of_others_are_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    monkeypatch.setattr("pavilion_ai.cli.options.note", notes.append)
    monkeypatch.setattr("pavilion_ai.workers.cluster.ClusterWorkers", lambda *_: nullcontext())
    for address in ("local", "tcp://host:1"):
        with workers_of(1, address):
            pass
    assert notes == ["--jobs has no effect on the workers of --cluster tcp://host:1"]


@pytest.mark.parametrize(("command", "default"), [
    ("new", "a new one"), ("apply", "a new one"), ("match", "that of --out, else a new one"),
    ("suggest", "0"), ("review", "0"), ("train", "that of the recipe"),
])
def test_help_names_the_seed_that_is_taken_without_one(command: str, default: str) -> None:
    text = " ".join(pavilion(command, "--help").stdout.split())
    assert f"--seed N Seed of all random choices; default: {default}." in text
