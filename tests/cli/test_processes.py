"""The command line as a process: start-up time, pipes, signals, terminals."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pavilion_ai.notation import parse_position
from pavilion_ai.record import read_records
from tests.bga.samples import SAMPLES
from tests.cli.support import (
    DRAFTING,
    FOUR,
    GAME,
    PLACING,
    RECORD,
    ROOT,
    command,
    environment,
    pavilion,
    process,
    start,
    wait_until_it_computes,
    wait_until_it_reads,
)
from tests.cli.terminals import Terminal, wait_for
from tests.plays import replayed


def test_the_module_and_the_shim_are_the_same_command() -> None:
    module = subprocess.run(
        [sys.executable, "-m", "pavilion_ai", "--help"],
        capture_output=True, cwd=ROOT, env=environment(), check=True,
    )
    shim = process("--help")
    assert module.stdout == shim.stdout
    assert shim.stdout.startswith(b"Usage: pavilion [OPTIONS] COMMAND")
    for name in (b"new", b"show", b"moves", b"apply", b"suggest", b"play", b"engine", b"perft"):
        assert b"\n  " + name in shim.stdout


def test_help_imports_nothing_slow() -> None:
    slow = ("rich", "numpy", "msgspec", "pavilion_ai._core", "pavilion_ai.games")
    code = f"import sys, pavilion_ai.cli; print([m for m in {slow} if m in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=ROOT, env=environment(), check=True
    )
    assert found.stdout == b"[]\n"


@pytest.mark.parametrize("arguments", [
    ["review", GAME, "--sims", 2, "--jobs", 1], ["show", DRAFTING],
    ["import", "bga", SAMPLES / "azul_coloured_2p.json.gz", "--ply", 3],
    ["match", "random", "random", "--pairs", 1, "--jobs", 1, "--from", PLACING]])
def test_files_are_closed_by_who_opened_them(arguments: list[object]) -> None:
    done = process(*arguments, PYTHONWARNINGS="always::ResourceWarning")
    assert done.returncode == 0
    assert b"ResourceWarning" not in done.stderr


@pytest.mark.parametrize("arguments", [["moves", FOUR], ["show", PLACING, "--format", "text"]])
def test_a_reader_that_leaves_early_is_no_error(arguments: list[object]) -> None:
    running = start(*arguments)
    assert running.stdout is not None
    running.stdout.close()
    _, errors = running.communicate(timeout=30)
    assert errors == b""
    assert running.returncode == 0


def test_faults_count_though_nobody_reads_of_them(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    record = RECORD.to_json()
    games.write_text(json.dumps({**record, "scores": [1, 2]}) + "\n" + json.dumps(record)[:100])
    running = start("verify", games)  # which begins with a note of the torn line
    assert running.stderr is not None
    running.stderr.close()
    assert running.wait(timeout=60) == 1


def onto_a_full_disk(*arguments: object) -> list[bytes]:
    """Run a command whose standard output cannot be written; return what it says."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command(*arguments), stdout=full, stderr=subprocess.PIPE, env=environment(),
            check=False,
        )
    assert done.returncode == 1
    return done.stderr.splitlines()


FULL = b"error: standard output: No space left on device"
needs_full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="there is no /dev/full here")


@needs_full
@pytest.mark.parametrize("arguments", [
    ["moves", FOUR], ["suggest", FOUR, "--sims", 10], ["show", FOUR, "--format", "svg"],
    ["--help"], ["--version"],
], ids=["lines", "drawing", "picture", "help", "version"])
def test_a_full_disk_is_one_line(arguments: list[object]) -> None:
    assert onto_a_full_disk(*arguments) == [FULL]


def test_what_fails_elsewhere_is_not_blamed_on_standard_output(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("pavilion_ai.cli.positions.read_position", refuse)
    done = pavilion("moves", FOUR)
    assert done.exit_code == 1
    assert done.stderr == "error: No usable temporary directory found in ['/tmp']\n"


@needs_full
def test_nothing_finished_is_lost_with_standard_output(tmp_path: Path) -> None:
    games, page, plot = (tmp_path / name for name in ("games.jsonl", "page.html", "plot.svg"))
    match = ["match", "greedy", "random", "--pairs", 1, "--seed", 1, "--jobs", 1]
    assert onto_a_full_disk(*match, "--out", games, "--plot", plot)[-1] == FULL
    assert len(list(read_records(games))) == 2
    assert plot.read_text().startswith("<?xml")
    assert onto_a_full_disk("review", games, "--sims", 10, "--html", page)[-1] == FULL
    assert page.read_text().count("<h2") >= 2
    running = start("review", games, "--sims", 10, "--html", tmp_path / "again.html")
    assert running.stdout is not None
    running.stdout.close()
    running.communicate(timeout=60)
    assert (running.returncode, (tmp_path / "again.html").exists()) == (0, True)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
@pytest.mark.parametrize(("words", "size", "told"), [
    (["openings", "--count", 1, "--sims", 20], 40, b"lines"),
    (["puzzles", "--count", 1, "--sims", 50], 40, b"lines"),
    (["puzzles", "--count", 1, "--sims", 50], 0, b"processes for the work cannot be prepared"),
])
def test_a_full_disk_is_told_of_what_is_written(
    words: list[object], size: int, told: bytes, tmp_path: Path
) -> None:
    """Locks of processes are files of 32 bytes."""
    import resource

    done = subprocess.run(
        command(*words, "--jobs", 1, "--out", "lines"), capture_output=True, cwd=tmp_path,
        env=environment(PYTHONDONTWRITEBYTECODE="1"), timeout=120, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == b"error: " + told + b": File too large"


@pytest.mark.parametrize(("name", "mode"), [
    ("/dev/stdout", "ab"), ("out.txt", "wb"), ("/dev/fd/{}", "ab")])
def test_the_file_of_standard_output_is_written_to_and_not_replaced(
    tmp_path: Path, name: str, mode: str
) -> None:
    with open(tmp_path / "out.txt", mode, buffering=0) as out:
        out.write(b"before\n")
        name = name.format(out.fileno())
        subprocess.run(command("show", PLACING, "--format", "json", "-o", name), stdout=out,
                       pass_fds=[out.fileno()], cwd=tmp_path, env=environment(), check=True)
        out.write(b"after\n")
    before, position, after = (tmp_path / "out.txt").read_text().splitlines()
    assert (before, after) == ("before", "after")
    assert parse_position(position).position == parse_position(PLACING.read_text()).position


@pytest.mark.parametrize("arguments", [
    ("match", "greedy", "random", "--pairs", 1), ("openings", "--count", 1)])
def test_no_file_that_grows_is_standard_output(
    tmp_path: Path, arguments: tuple[object, ...]
) -> None:
    with open(tmp_path / "out.txt", "wb") as out:
        done = subprocess.run(command(*arguments, "--out", "/dev/stdout"), stdout=out,
                              stderr=subprocess.PIPE, env=environment(), check=False)
    assert done.returncode == 2
    assert b"/dev/stdout: is where the output of the command goes" in done.stderr
    assert (tmp_path / "out.txt").read_bytes() == b""


def test_a_hang_up_of_the_whole_group_is_as_quiet_as_ctrl_c(tmp_path: Path) -> None:
    games = tmp_path / "games.jsonl"
    running = subprocess.Popen(
        command("match", "greedy", "random", "--pairs", 3000, "--seed", 3, "--out", games),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), start_new_session=True)
    deadline = time.monotonic() + 60
    while not (games.exists() and games.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGHUP)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"Traceback" not in errors
    assert b"Warning" not in errors
    assert list(read_records(games))


def test_closed_streams_are_one_line() -> None:
    line = " ".join(command("show", "-"))
    done = subprocess.run(["sh", "-c", f"{line} <&-"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (2, b"error: standard input is closed\n")
    line = " ".join(command("moves", PLACING))
    done = subprocess.run(["sh", "-c", f"{line} >&-"], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (1, b"error: standard output is closed\n")
    done = subprocess.run(["sh", "-c", f"{line}x 2>&-"], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_search_and_prints_what_is_known(number: int) -> None:
    running = start("suggest", DRAFTING, "--time", 600, "--json")
    wait_until_it_computes(running)
    running.send_signal(number)
    output, errors = running.communicate(timeout=10)
    assert running.returncode == 130
    assert b"Traceback" not in errors
    answer = json.loads(output)
    assert answer["sims"] > 0
    assert answer["seconds"] < 60


def test_ctrl_c_ends_a_count() -> None:
    running = start("perft", DRAFTING, 12)
    wait_until_it_computes(running)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=10)
    assert (running.returncode, output, errors) == (130, b"", b"interrupted\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_game_that_is_killed_goes_on(tmp_path: Path, number: int) -> None:
    path = tmp_path / "game.jsonl"
    seats = ("--seats", "greedy,ismcts:time=0.2", "--seed", 3)
    running = start("play", *seats, "--record", path)
    assert running.stdout is not None
    for _ in range(6):
        running.stdout.readline()
    running.send_signal(number)
    _, errors = running.communicate(timeout=10)
    assert running.returncode == (-number if number == signal.SIGKILL else 130)
    assert b"Traceback" not in errors
    record, = read_records(path)
    assert record.reason == "unfinished"
    assert len(record.moves) >= 2
    done = process("play", "--record", path, "--resume", "--seats", "greedy,greedy")
    assert done.returncode == 0
    finished, = read_records(path)
    assert finished.reason == "finished"
    assert finished.moves[: len(record.moves)] == record.moves
    replayed(finished)


def test_ctrl_c_at_the_prompt_saves(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    running = start("play", "--seats", "human,greedy", "--record", path)
    assert running.stdout is not None
    wait_for(running.stdout.fileno(), b"you> ")
    wait_until_it_reads(running)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=10)
    assert running.returncode == 130
    assert errors.decode().startswith("note: the game is saved; ")
    assert next(iter(read_records(path))).reason == "unfinished"


def test_on_a_terminal_a_position_is_drawn_in_colours_and_parses() -> None:
    output = Terminal("show", PLACING).rest()
    assert "\x1b[" in output
    plain = Terminal("show", PLACING, NO_COLOR="1").rest()
    assert "\x1b[" not in plain
    assert max(map(len, plain.splitlines()[:-1])) <= 80
    expected = parse_position(PLACING.read_text()).position
    assert parse_position(plain).position == expected


def test_on_a_terminal_moves_come_with_words() -> None:
    output = Terminal("moves", PLACING, NO_COLOR="1").rest()
    assert "pass:4B" in output
    assert "pass, keeping 4 blue (-4 points)" in output


def test_on_a_terminal_suggest_streams_its_progress() -> None:
    terminal = Terminal("suggest", DRAFTING, "--time", "1")
    output = terminal.rest()
    assert terminal.process.returncode == 0
    assert output.count("simulations in") >= 3  # interim tables, and the last one
    assert "Traceback" not in output


def test_ctrl_c_while_starting_leaves_no_traceback() -> None:
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from pavilion_ai.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, cwd=ROOT, env=environment(), check=False
    )
    assert (done.returncode, done.stderr) == (130, b"")


@pytest.mark.parametrize("arguments", [("show", "-"), ("import", "bga", "-"), ("engine",)])
def test_a_standard_input_that_cannot_be_read_is_named(arguments: tuple[str, ...]) -> None:
    with open(os.devnull, "wb") as unreadable:
        done = subprocess.run(command(*arguments), stdin=unreadable, capture_output=True,
                              env=environment(), timeout=60, check=False)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith(b"error: standard input: Bad file descriptor")
