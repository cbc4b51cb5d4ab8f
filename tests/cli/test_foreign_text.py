"""Text from files never reaches the terminal raw, whichever command meets it.

Every string and key of a file is replaced in turn by one that would steer a terminal, and by a
long one. What is printed is printable, and no line is endless.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pavilion_ai.cli import program, said
from pavilion_ai.cli.progress import ProgressLine
from pavilion_ai.cli.said import note
from pavilion_ai.errors import printable
from pavilion_ai.notation import code as notation_code
from pavilion_ai.render import svg
from pavilion_ai.render.text import Span, write
from tests.cli.support import PLACING, ROOT, assert_clean, pavilion, position_of
from tests.notation.bga_tables import table

EVIL = ("\x1b[2J\x1b]0;title\x07\x7f\x9b31m\r\u202e\u2028", "\x1b" * 50_000)
MOST = 20_000
"""Characters of all messages of a command; far fewer than EVIL has."""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every string and every key; of a list, to its first entry alone."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key, None)
            yield from places(inner, (*path, key))
    elif isinstance(value, list) and value:
        yield from places(value[0], (*path, 0))
    elif isinstance(value, str):
        yield path


def spoilt(value: Any, path: tuple[Any, ...], evil: str) -> Any:
    """Return the value with a string replaced, or a key if the path ends in None."""
    result = copy.deepcopy(value)
    key = path[-1] is None
    inner = result
    for step in path[: -2 if key else -1]:
        inner = inner[step]
    if key:
        inner[evil] = inner.pop(path[-2])
    else:
        inner[path[-1]] = evil
    return result


def check(*arguments: object) -> None:
    """Run a command and look at what it prints."""
    done = pavilion(*arguments)
    assert done.exit_code in (0, 1, 2), (arguments, done.stderr)
    assert "internal error" not in done.stderr, (arguments, done.stderr[:1000])
    for text in (done.stdout, done.stderr):
        bad = {letter for letter in text if not letter.isprintable()} - {"\n"}
        assert not bad, (arguments, bad, text[:1000])
    assert len(done.stderr) < MOST, (arguments, done.stderr[:1000])


@cache
def event_line() -> str:
    assert pavilion("match", "greedy", "random", "--pairs", 1, "--jobs", 1, "--seed", 3, "--out",
                    "event.jsonl").exit_code == 0
    return Path("event.jsonl").read_text().splitlines()[0]


def event_record() -> dict[str, Any]:
    record: dict[str, Any] = json.loads(event_line())
    return record


@pytest.mark.parametrize("evil", EVIL, ids=["controls", "long"])
def test_records(evil: str) -> None:
    record = event_record()
    for path in places(record):
        Path("games.jsonl").write_text(json.dumps(spoilt(record, path, evil)) + "\n")
        check("verify", "games.jsonl")
        check("replay", "games.jsonl")
        check("report", "games.jsonl")
        check("stats", "games.jsonl")
        check("play", "--record", "games.jsonl", "--seats", "greedy,greedy")


@pytest.mark.parametrize("evil", EVIL, ids=["controls", "long"])
@pytest.mark.parametrize("path", [("id",), ("agents", 0, "spec"), ("reason",),
                                  ("engine", "version"), ("engine", "name")])
def test_records_that_are_continued(path: tuple[Any, ...], evil: str) -> None:
    record = event_record()
    Path("games.jsonl").write_text(json.dumps(spoilt(record, path, evil)) + "\n")
    check("match", "greedy", "random", "--pairs", 1, "--jobs", 1, "--seed", 3, "--out",
          "games.jsonl")
    check("review", "games.jsonl", "--sims", 2, "--jobs", 1)
    check("replay", "games.jsonl", "--game", evil[:100].replace("\0", ""))
    check("replay", "games.jsonl", "--ply", 9999)


@pytest.mark.parametrize(("value", "told"), [
    (["0.1"], "engine.version: found a list of 1, expected a string"),
    ({"a": 1}, "engine.version: found an object, expected a string"),
    (5, "engine.version: found 5, expected a string"),
    (None, ""),  # as if it were missing
])
def test_versions_that_are_no_strings(value: object, told: str) -> None:
    record = event_record()
    record["engine"]["version"] = value
    Path("games.jsonl").write_text(json.dumps(record) + "\n")
    for code, *words in ((1, "verify", "games.jsonl"),
                         (2, "match", "greedy", "random", "--pairs", 1, "--jobs", 1, "--seed", 3,
                          "--out", "games.jsonl")):
        done = pavilion(*words)
        assert_clean(done, code if told else 0)
        assert told in done.stderr


@pytest.mark.parametrize("evil", EVIL, ids=["controls", "long"])
def test_positions_and_pages(evil: str) -> None:
    position = position_of(PLACING)
    raw = json.loads(pavilion("show", PLACING, "--format", "json").stdout)
    for path in places(raw):
        Path("position.json").write_text(json.dumps(spoilt(raw, path, evil)))
        check("moves", "position.json")
    page = table(position)
    for path in places(page):
        Path("page.json").write_text(json.dumps(spoilt(page, path, evil)))
        check("import", "bga", "page.json")


@pytest.mark.parametrize("evil", EVIL, ids=["controls", "long"])
def test_codes_whose_check_is_right(evil: str) -> None:
    text = "".join(letter for letter in PLACING.read_text() if not letter.isspace())
    body = text.rpartition("/")[0]
    evil = "".join(evil.split())
    parts = body.split("/")
    for number, part in enumerate(parts):
        for place, item in enumerate(part.split(".")):
            items = part.split(".")
            items[place] = item[:1] + evil
            changed = "/".join([*parts[:number], ".".join(items), *parts[number + 1 :]])
            Path("code.txt").write_text(f"{changed}/{notation_code._check(changed)}")
            check("moves", "code.txt")


@pytest.mark.parametrize("evil", EVIL, ids=["controls", "long"])
def test_recipes(evil: str) -> None:
    recipe = {"name": "x", "game": "summer", "learner": {"batch": 5}, "start": "y",
              "generations": [{"games": 7, "tunables": {"mixed": 0.1}, "gate": {"pairs": 2}}]}
    for path in places(recipe):
        Path("recipe.json").write_text(json.dumps(spoilt(recipe, path, evil)))
        check("train", "--out", "run", "--recipe", "recipe.json")


@pytest.mark.parametrize("name", ["\x1b[2J", "a\nb", "\x7f" * 300])
def test_names_of_files(name: str) -> None:
    for words in (["show", name], ["replay", name], ["verify", name], ["report", name],
                  ["stats", name], ["review", name], ["import", "bga", name],
                  ["play", "--record", name, "--resume"],
                  ["train", "--out", "run", "--recipe", name],
                  ["suggest", PLACING, "--agent", name]):
        check(*words)


SPEAKING = {"cli/said.py", "cli/progress.py", "cli/output.py", "cli/__init__.py", "render/text.py",
            "render/live.py"}
"""Where commands print: what `said` and `write` pass is harmless, the others add what is not
foreign: pictures, the version, a line that is shown over and over."""


def test_commands_speak_in_one_place() -> None:
    package = ROOT / "pavilion_ai"
    found = set()
    for path in sorted([*package.glob("cli/*.py"), *package.glob("render/*.py")]):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                    "print", "input", "click.echo", "click.secho", "click.prompt", "click.confirm",
                    "sys.stdout.write", "sys.stderr.write"):
                found.add(path.relative_to(package).as_posix())
    assert found == SPEAKING


@pytest.mark.parametrize("evil", EVIL, ids=["controls", "long"])
def test_what_is_said_cannot_steer(
    evil: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: list[str] = []
    monkeypatch.setattr("builtins.input", lambda prompt: prompts.append(prompt) or "typed")
    monkeypatch.setattr("pavilion_ai.render.text.is_terminal", lambda stream: True)
    monkeypatch.setattr("pavilion_ai.cli.progress.TERMINAL_SECONDS", 0.0)
    said.say(f"first {evil}\nsecond {evil}")
    said.say(evil, err=True)
    note(evil)
    program._report([evil], 1)
    write([(Span(evil),)])
    ProgressLine().show(evil)
    assert said.asked(f"{evil}> ") == "typed"
    out, errors = capsys.readouterr()
    assert out.count("\n") == 3
    for text in (out, errors.replace("\r", "", 1), *prompts):
        assert not {letter for letter in text if not letter.isprintable()} - {"\n"}


def test_printable() -> None:
    assert printable("plain ä 漢") == "plain ä 漢"
    assert printable("a\x1b[2J\nb\x7f\u202e") == "a?[2J?b??"
    assert printable("a\u3000b\xa0\u200f\u2066") == "a b ??"
    assert printable("\u0645\u06cc\u200c\u0634") == svg.escaped("\u0645\u06cc\u200c\u0634")
    assert printable("\u0645\u06cc\u200c\u0634")[2] == "\u200c"
    assert svg.escaped("a\u3000<\u202e") == "a &lt;?"
