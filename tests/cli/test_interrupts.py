"""Commands that are interrupted at random moments: they end, quietly, with nothing left behind.

PAVILION_INTERRUPTS=300 interrupts each command so often; without it a few times. Without pytest:
`python -m tests.cli.interrupts`.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
from pathlib import Path

import click
import pytest

from pavilion_ai.cli import cli
from tests.cli.interrupts import COMMANDS, Interrupted, can_run
from tests.cli.support import DRAFTING, GAME, PLACING, environment, pavilion, process
from tests.cli.warm import Warm

TIMES = int(os.environ.get("PAVILION_INTERRUPTS", "2"))

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_end_when_they_are_interrupted(name: str, tmp_path: Path) -> None:
    if not can_run(name):
        pytest.skip("a library is missing")
    chance = random.Random(f"{name} {TIMES}")
    odd = [*COMMANDS].index(name) % 2    # with one time each, half of them get a second signal
    for time_number in range(TIMES):
        folder = tmp_path / str(time_number)
        folder.mkdir()
        running = Interrupted(name, folder, chance)
        running.interrupt(again=(time_number + odd) % 2 == 1)
        running.check()


def test_every_command_is_interrupted() -> None:
    named = {str(words[0]) for words in COMMANDS.values()}
    assert named == {*cli.list_commands(click.Context(cli))}


@pytest.mark.parametrize("words", [
    ["rollout", DRAFTING, "--sims", 10**7],
    ["review", GAME, "--sims", 10**7, "--jobs", 1],
    ["suggest", DRAFTING, "--sims", 10**7],
])
def test_an_interrupt_is_not_lost_in_a_search(words: list[object]) -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        assert pavilion(*words).exit_code == 130
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_a_warm_command_is_the_command(tmp_path: Path) -> None:
    warm = Warm()
    for words in (["moves", PLACING], ["moves", "nowhere"], ["--version"]):
        cold = process(*words)
        started = warm.start(words, tmp_path, environment())
        assert started.stdout is not None
        assert started.stderr is not None
        with started.stdout, started.stderr:
            said = started.stdout.read(), started.stderr.read()
        assert (said, started.wait(60)) == ((cold.stdout, cold.stderr), cold.returncode)
        shell = subprocess.run(["sh", "-c", warm.script, "sh", *map(str, words)], cwd=tmp_path,
                               env=environment(), pass_fds=[warm.line], capture_output=True)
        assert (shell.stdout, shell.stderr, shell.returncode) == (*said, cold.returncode)
    running = Interrupted("play typed", tmp_path, random.Random(1), warm)
    running.interrupt(again=False)
    running.check()
    warm.close()
