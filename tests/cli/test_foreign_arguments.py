"""No argument of any command reaches the terminal raw: every option, every positional argument.

Each in turn is replaced by text that would steer a terminal, and by endless text.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pavilion_ai.cli import cli
from tests.cli.support import EXAMPLES, PLACING, ROOT, pavilion

EVIL = {"controls": "\x1b[2J\x1b]0;title\x07\x7f\x9b31m\r\u202e\u2028\n", "long": "\x7f" * 200_000}
MOST = 20_000
"""Characters of all messages of a command."""
RECORDS = EXAMPLES / "game_2p.jsonl"

VALID: dict[str, list[object]] = {
    "new": [],
    "show": [PLACING],
    "moves": [PLACING],
    "apply": [PLACING, "pass:-"],
    "suggest": [PLACING, "--sims", 2],
    "play": ["--seats", "greedy,greedy"],
    "match": ["greedy", "random", "--pairs", 1, "--jobs", 1],
    "tournament": ["greedy", "random", "flat:sims=1", "--rounds", 1, "--jobs", 1],
    "report": [RECORDS],
    "replay": [RECORDS],
    "review": [RECORDS, "--agent", "greedy", "--jobs", 1],
    "stats": ["--play", "greedy", "--games", 1, "--jobs", 1],
    "puzzles": ["--count", 1, "--players", 9],
    "verify": [RECORDS],
    "import": ["bga", ROOT / "tests" / "data" / "bga" / "no_rights.json"],
    "engine": [],
    "web": ["--port", "none"],  # refused: it would serve for ever
    "perft": [PLACING, 1],
    "rollout": [PLACING, "--top", 1, "--sims", 2, "--trials", 2],
    "dataset": ["none", "--out", "data"],
    "bench": ["--seconds", "none"],
    "train": ["--out", "run", "--recipe", "none"],
}
"""Arguments with which a command ends soon; a command that is not here gets a bad seed."""
CONTEXT = click.Context(cli)
COMMANDS = cli.list_commands(CONTEXT)


def spoilt(name: str, evil: str) -> Iterator[list[object]]:
    """Yield the arguments of a command with each replaced, and each option added."""
    words = VALID.get(name, ["--seed", "none"])
    for number in range(len(words)):
        yield [*words[:number], evil, *words[number + 1 :]]
    yield [*words, evil]
    command = cli.get_command(CONTEXT, name)
    assert command is not None
    for option in command.params:
        if isinstance(option, click.Option) and not option.is_flag:
            yield [*words, option.opts[0], evil]
    yield [*words, f"--{evil}"]


@pytest.mark.parametrize("kind", EVIL)
@pytest.mark.parametrize("name", COMMANDS)
def test_arguments(
    name: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in spoilt(name, EVIL[kind]):
        done = pavilion(name, *words)
        told = [str(word)[:20] for word in words]
        assert done.exit_code in (0, 1, 2), (told, done.stderr[:1000])
        assert "internal error" not in done.stderr, (told, done.stderr[:1000])
        for text in (done.stdout, done.stderr):
            raw = {letter for letter in text if not letter.isprintable()} - {"\n"}
            assert not raw, (told, raw, text[:1000])
        assert len(done.stderr) < MOST, (told, done.stderr[:1000])


@pytest.mark.parametrize("kind", EVIL)
def test_a_command_that_does_not_exist(kind: str) -> None:
    done = pavilion(EVIL[kind])
    assert done.exit_code == 2
    assert done.stderr.replace("\n", "").isprintable()
    assert len(done.stderr) < MOST
