"""Running the command line as a user does, in this process or in one of its own."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pavilion_ai.analysis import Analysis, MoveStats, RootStats
from pavilion_ai.cli import cli
from pavilion_ai.files import GrowingFile
from pavilion_ai.games import GAMES
from pavilion_ai.limits import Limits
from pavilion_ai.notation import format_position, parse_position
from pavilion_ai.play import Play
from pavilion_ai.record import GameRecord, read_records

ROOT = Path(__file__).resolve().parents[2]
NOT_COPIED = shutil.ignore_patterns(
    ".*", "build", "dist", "*.egg-info", "*.so", "_core.c", "__pycache__", "*.pyc"
)
"""What a copy of the checkout leaves out."""
EXAMPLES = ROOT / "examples"
CONTRACT = ROOT / "tests" / "data" / "contract"
SUMMER_EXAMPLES = tuple(EXAMPLES / name for name in (
    "round4_place_2p.code", "round2_draft_2p.json", "round5_bonus_2p.txt",
    "round5_draft_3p_grey.txt", "round5_place_4p.json"))
PLACING, DRAFTING, BONUS, GREY, FOUR = SUMMER_EXAMPLES
AZUL_EXAMPLES = tuple(EXAMPLES / f"azul_{name}" for name in (
    "round4_draft_2p.code", "round3_wall_2p_grey.json", "round4_draft_3p_grey.txt",
    "round5_draft_4p.json", "round2_draft_3p.txt"))
AZUL_DRAFT, AZUL_WALL, AZUL_GREY, AZUL_FOUR, AZUL_TYPED = AZUL_EXAMPLES
COMPLETE_EXAMPLES = (*SUMMER_EXAMPLES, *AZUL_EXAMPLES[:-1])  # no default is taken for them
ALL_EXAMPLES = (*COMPLETE_EXAMPLES, AZUL_TYPED)
GAME = EXAMPLES / "game_2p.jsonl"
RECORD = next(iter(read_records(GAME)))

_WORKING = ("dataset", "match", "openings", "puzzles", "review", "rollout", "stats", "tournament")
"""Commands that start processes."""
_QUIET = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES")


def position_of(path: Path) -> Any:
    """Return the position that a file holds."""
    return parse_position(path.read_text()).position


def contract_games(*games: str) -> list[dict[str, Any]]:
    """Return the records of these games that came with the contract, both sides of the boards."""
    return [
        json.loads(line)
        for game in games
        for board in ("coloured", "grey")
        for line in (CONTRACT / f"games_{game}_{board}.jsonl").read_text().splitlines()
    ]


def cut_short(record: GameRecord, plies: int) -> GameRecord:
    """Return the record of a game that was broken off after so many moves."""
    return Play.of(record, plies).record(
        record.agents, id=record.id, seconds=record.seconds, engine=record.engine)


def pavilion(*arguments: object, stdin: str | bytes | None = None) -> Result:
    """Run a command in this process; output and errors are kept apart.

    Unless told otherwise it starts one process for its work, since each takes longer to start than
    most tests give it to do.
    """
    words = [str(argument) for argument in arguments]
    if words and words[0] in _WORKING and not {"--jobs", "--cluster", "--help"} & {*words}:
        words[1:1] = ["--jobs", "1"]
    return CliRunner().invoke(
        cli,
        words,
        input=stdin,
        env=dict.fromkeys(_QUIET),
        prog_name="pavilion",
    )


def command(*arguments: object) -> list[str]:
    """Return the command line that starts a process of its own."""
    return [sys.executable, str(ROOT / "cli.py"), *map(str, arguments)]


def environment(**extra: str) -> dict[str, str]:
    """Return this environment without what changes colours and width."""
    kept = {key: value for key, value in os.environ.items() if key not in _QUIET}
    return {**kept, **extra}


def process(
    *arguments: object, stdin: bytes = b"", timeout: float = 60, **extra: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own to its end."""
    return subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        timeout=timeout,
        env=environment(**extra),
        check=False,
    )


def start(*arguments: object, **extra: str) -> subprocess.Popen[bytes]:
    """Start a command in a process of its own, all three streams being pipes."""
    return subprocess.Popen(
        command(*arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**extra),
    )


def wait_until_it_reads(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process that has written its prompt sleeps until it is answered (Linux).

    Python's `input` notices no signal between the prompt and the moment in which it waits; who is
    quicker than that has to press Ctrl-C once more.
    """
    _wait_until(process, lambda found: found[0] == "S", "does not wait for input")


def wait_until_it_computes(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has used a second of processor time, four times its start (Linux)."""
    tick = os.sysconf("SC_CLK_TCK")
    _wait_until(process, lambda found: int(found[11]) + int(found[12]) > tick, "does not compute")


def _wait_until(process: subprocess.Popen[bytes], condition: Callable[[list[str]], bool],
                words: str) -> None:
    """Wait for a condition on the fields of /proc/PID/stat from the state on."""
    until = time.monotonic() + 60
    while True:
        text = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8")
        if condition(text.rpartition(") ")[2].split()):
            return
        assert time.monotonic() < until, words
        time.sleep(0.01)


def assert_clean(result: Result, code: int = 0) -> None:
    """Check the exit code, and that no exception got out."""
    assert result.exit_code == code, (result.exit_code, result.stdout, result.stderr)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.stderr


def fill_disk(patched: pytest.MonkeyPatch, lines: int) -> None:
    """Let the disk have room for so many more lines of files that grow."""
    append, left = GrowingFile._append, [None] * lines

    def full(file: GrowingFile, line: bytes) -> None:
        if not left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), file.name)
        left.pop()
        append(file, line)

    patched.setattr(GrowingFile, "_append", full)


def error_lines(result: Result) -> Sequence[str]:
    """Return the lines on standard error."""
    return result.stderr.rstrip("\n").split("\n")


def chance_position() -> str:
    """A position in which the supply is to be topped up."""
    position = parse_position(BONUS.read_text()).position
    after = GAMES["summer"].apply(position, GAMES["summer"].legal_moves(position)[0])
    assert after.phase == "supply"
    return format_position(after, "code")


def made_up_analysis() -> Analysis:
    """An analysis with round numbers, for a table that no search changes."""

    def row(order: int, move: str, visits: int, win: float, *pv: str) -> MoveStats:
        scores = (81.25 - order, 78.0)
        lead = scores[0] - scores[1]
        return MoveStats(move, order, visits, win, 0.0123, scores, lead, 0.1, (move, *pv))

    moves = (
        row(0, "E.2:2B", 9500, 0.618, "bonus:GO", "NW.2:2O", "W.2:2P", "NW.3:3O", "bonus:2P"),
        row(1, "W.2:2P", 450, 0.55, "NW.2:2O"),
        row(2, "pass:2P2B", 50, 0.4, "NW.2:2O", "E.2:2B"),
        row(3, "pass:4B", 0, 0.5),
    )
    root = RootStats(10000, (0.61, 0.39), (81.0, 78.2), 2.8)
    return Analysis("code", 0, root, moves, Limits(sims=10000), 0.5, 10000, 1, 7, "default")
