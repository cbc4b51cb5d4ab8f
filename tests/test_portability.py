"""Commands where calls of Linux are missing, as on macOS and Windows."""

from __future__ import annotations

import errno
import io
import itertools
import json
import mimetypes
import os
import select
import shlex
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest

from pavilion_ai import errors, files
from pavilion_ai.cli import files as cli_files
from pavilion_ai.cli import program, said
from pavilion_ai.cli.recording import recording
from pavilion_ai.errors import RecordError
from pavilion_ai.external import engine, pipes, process
from pavilion_ai.files import GrowingFile, LockedFile, beside, replace_file
from pavilion_ai.protocol.capacity import Capacity
from pavilion_ai.protocol.streams import Output
from pavilion_ai.record import GameRecord, Recorder, read_records, write_record
from pavilion_ai.record import file as record_file
from pavilion_ai.web import server
from pavilion_ai.workers import WorkersError, local
from tests.cli.support import EXAMPLES, ROOT, contract_games, cut_short
from tests.match.support import python_engine

WITHOUT = '''
import os, select, signal, sys
sys.modules["fcntl"] = None
for module, names in (
    (os, ("sched_getaffinity", "killpg", "setsid", "getpgid", "set_blocking", "fchmod")),
    (select, ("poll", "epoll")),
    (signal, ("SIGHUP", "SIGALRM", "setitimer", "pthread_sigmask")),
):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
'''
"""What every Python process of these tests runs first."""
LEFT_OUT = ("web", "envs", "train", "cli/train.py", "workers/cluster.py", "__main__.py")
"""Modules that import other libraries, some of which need what Linux has; and the command."""
PACKAGE = ROOT / "pavilion_ai"
POLL = getattr(select, "poll", None)


@pytest.fixture
def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Take the calls from all Python processes that are started; return an empty folder."""
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "sitecustomize.py").write_text(WITHOUT)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path / "hooks"), str(ROOT))))
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def run(folder: Path, *words: object, stdin: str = "") -> str:
    """Run Python in a folder and return its standard output; it must end well."""
    result = subprocess.run(
        [sys.executable, *map(str, words)], cwd=folder, input=stdin, text=True,
        capture_output=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    return result.stdout


def pavilion(folder: Path, *words: object, stdin: str = "") -> str:
    """Run a command as `run` does."""
    return run(folder, "-m", "pavilion_ai", *words, stdin=stdin)


def test_every_module_can_be_imported(without: Path) -> None:
    paths = [path.relative_to(PACKAGE).as_posix() for path in sorted(PACKAGE.rglob("*.py"))]
    names = [".".join(("pavilion_ai", *path.removesuffix(".py").split("/")))
             for path in paths if not path.startswith(LEFT_OUT)]
    assert len(names) > 150
    run(without, "-c", "import importlib, os, sys; assert not hasattr(os, 'killpg');"
        " [importlib.import_module(name) for name in sys.argv[1:]]",
        *(name.removesuffix(".__init__") for name in names))


def test_matches_with_workers_resume_and_replay(without: Path) -> None:
    match = ("match", "random", "greedy", "--seed", 3, "--out", "games.jsonl", "--pairs")
    pavilion(without, *match, 1, "--jobs", 2)
    pavilion(without, *match, 2, "--jobs", 2)
    found = list(read_records(without / "games.jsonl"))
    assert len(found) == 4
    assert {record.reason for record in found} == {"finished"}
    pavilion(without, "verify", "games.jsonl")
    pavilion(without, "replay", "games.jsonl", "--game", found[0].id, "--ply", 9)
    review = json.loads(pavilion(
        without, "review", "games.jsonl", "--game", found[0].id, "--sims", 20, "--out", "kept",
        "--json"))
    assert review["complete"]


def test_play_is_recorded(without: Path) -> None:
    pavilion(without, "play", "--seats", "random,greedy", "--seed", 4, "--record", "mine.jsonl")
    (record,) = read_records(without / "mine.jsonl")
    assert record.reason == "finished"
    pavilion(without, "play", "--seats", "human,greedy", "--record", "open.jsonl",
             stdin="1\n1\nquit\n")
    (record,) = read_records(without / "open.jsonl")
    assert record.reason == "unfinished"
    assert len(record.moves) >= 2


def test_engines_answer_and_take_part_in_matches(without: Path) -> None:
    requests = [{"id": 1, "action": "hello"}, {"id": 2, "action": "new", "seed": 1}]
    answers = pavilion(without, "engine", stdin="".join(f"{json.dumps(one)}\n" for one in requests))
    assert [json.loads(line)["id"] for line in answers.splitlines()] == [1, 2]
    engine = python_engine(EXAMPLES / "engine.py")
    pavilion(without, "match", engine, "random", "--pairs", 1, "--sims", 5, "--out", "ours.jsonl")
    assert {record.reason for record in read_records(without / "ours.jsonl")} == {"finished"}


def test_tests_run(without: Path) -> None:
    run(without, "-m", "pytest", "-q", "-n", 0, "-p", "no:cacheprovider",
        ROOT / "tests" / "test_numbers.py")


# ---------------------------------------------------------------------------------------- locks

GAME = GameRecord.from_json(contract_games("azul")[0])


lists_open_files = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="lists open files as Linux does")


def opened_files() -> set[str]:
    """Return the files that this process has open."""
    return {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}


def raising(error: Exception) -> Callable[..., NoReturn]:
    """Return a function that raises an error, whatever it is given."""
    def function(*_: object, **__: object) -> NoReturn:
        raise error

    return function


@pytest.fixture
def no_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lock beside files, and let no open file be replaced or removed, as on Windows."""
    monkeypatch.setattr(files, "HAS_FLOCK", False)
    monkeypatch.setattr(record_file, "HAS_FLOCK", False)
    replace = os.replace

    def checked(source: Path, target: Path) -> None:
        assert not {os.path.realpath(source), os.path.realpath(target)} & opened_files()
        replace(source, target)

    unlink = Path.unlink

    def removed(path: Path, missing_ok: bool = False) -> None:
        assert os.path.realpath(path) not in opened_files()
        unlink(path, missing_ok)

    monkeypatch.setattr(os, "replace", checked)
    monkeypatch.setattr(Path, "unlink", removed)


@pytest.mark.usefixtures("no_flock")
def test_a_lock_beside_a_file_keeps_others_out(tmp_path: Path) -> None:
    path = tmp_path / "file"
    first, second = (LockedFile(path, "r+", create=True) for _ in range(2))
    assert first.lock()
    assert not second.lock()
    assert beside(path, ".lock").exists()
    first.write(b"read all the same")
    assert path.read_bytes() == b"read all the same"
    first.close()
    assert second.lock()
    second.close()


@lists_open_files
@pytest.mark.usefixtures("no_flock")
def test_a_record_that_grows_stays_locked(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with Recorder(path) as recorder:
        for plies in (0, 5, 9):
            recorder.write(cut_short(GAME, plies))
            with pytest.raises(RecordError, match="another program is recording a game there"):
                Recorder(path)
        recorder.write(GAME)
    assert list(read_records(path)) == [GAME]
    with Recorder(path) as recorder:
        assert len(recorder.read()) == 1


@lists_open_files
@pytest.mark.usefixtures("no_flock")
def test_a_record_that_cannot_be_replaced_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "games.jsonl"
    with Recorder(path) as recorder:
        recorder.write(cut_short(GAME, 5))
        before = path.read_bytes()
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", raising(OSError(errno.ENOSPC, "no room")))
            with pytest.raises(OSError, match="no room"):
                recorder.write(GAME)
        assert path.read_bytes() == before
        assert not beside(path, ".tmp").exists()
        recorder.write(GAME)
    assert list(read_records(path)) == [GAME]


@pytest.mark.usefixtures("no_flock")
def test_a_lock_beside_a_file_is_released_by_any_thread(tmp_path: Path) -> None:
    first, second = (LockedFile(tmp_path / "file", "r+", create=True) for _ in range(2))
    thread = threading.Thread(target=first.lock)
    thread.start()
    thread.join()
    assert not second.lock()
    lock = first._beside  # the newest filelock also releases what nobody refers to
    first.close()
    assert not lock.is_locked
    assert second.lock()
    second.close()


def refused_by_windows(number: int) -> OSError:
    """Return an error as Windows raises it."""
    error = PermissionError(errno.EACCES, "refused")
    error.winerror = number
    return error


@lists_open_files
@pytest.mark.usefixtures("no_flock")
def test_a_file_is_replaced_once_other_programs_have_closed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows replaces no open file, and virus scanners open what is new."""
    replace, refusals = os.replace, list[int]()

    def refusing(source: Path, target: Path) -> None:
        if refusals:
            raise refused_by_windows(refusals.pop())
        replace(source, target)

    monkeypatch.setattr(os, "replace", refusing)
    monkeypatch.setattr(files, "RETRY_SECONDS", 0)
    monkeypatch.setattr(files, "RETRY_AT_MOST", 600)
    path = tmp_path / "file"
    refusals += [5, 32, 33]
    replace_file(path, b"content")
    assert path.read_bytes() == b"content"
    path.unlink()
    write_record(path, cut_short(GAME, 5))
    refusals += [5, 32]
    write_record(path, GAME)
    assert list(read_records(path)) == [GAME]
    assert not refusals
    for refusal, patience in ((112, 600), (5, 0)):  # no room; open for too long
        refusals += [refusal] * 2
        monkeypatch.setattr(files, "RETRY_AT_MOST", patience)
        with pytest.raises(PermissionError):
            replace_file(path, b"content")
        assert refusals.pop() == refusal
    assert not list(tmp_path.glob("*.tmp"))


@pytest.mark.usefixtures("no_flock")
def test_a_file_that_windows_does_not_replace_leaves_none_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There a read-only file is neither replaced nor removed."""
    path, unlink = tmp_path / "file", Path.unlink
    path.write_bytes(b"kept")
    path.chmod(0o444)

    def removed(of: Path, missing_ok: bool = False) -> None:
        if not of.stat().st_mode & stat.S_IWRITE:
            raise refused_by_windows(5)
        unlink(of, missing_ok)

    monkeypatch.setattr(Path, "unlink", removed)
    monkeypatch.setattr(os, "replace", raising(refused_by_windows(5)))
    monkeypatch.setattr(files, "RETRY_AT_MOST", 0)
    with pytest.raises(PermissionError):
        replace_file(path, b"content")
    assert os.listdir(tmp_path) == ["file"]


def test_the_error_names_the_file_that_was_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the one beside it, which is to take its place."""
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(OSError, match=r"folder'$") as told:
        replace_file(path, b"content")
    assert (told.value.filename, told.value.filename2) == (str(path), None)
    path = tmp_path / "games.jsonl"
    write_record(path, cut_short(GAME, 5))
    beside(path, ".tmp").mkdir()
    with pytest.raises(OSError, match=r"games\.jsonl'$"), Recorder(path) as recorder:
        recorder.write(GAME)


class Lines(GrowingFile):
    """Lines of any kind."""

    holds = "lines"

    def _read(self) -> int:
        return Path(self.name).stat().st_size

    def add(self, line: bytes) -> None:
        self._append(line)


def test_a_file_grows_by_whole_lines_however_little_is_written_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lines"
    monkeypatch.setattr(LockedFile, "write", lambda file, line: FileIO.write(file, line[:3]))
    with Lines(str(path)) as lines:
        lines.add(b"the first\n")
        lines.add(b"another\n")
    assert path.read_bytes() == b"the first\nanother\n"


def test_a_file_that_grows_is_forced_onto_the_disk_once_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, forced = [0.0], list[float]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(files, "sync", lambda _: forced.append(now[0]))
    with Lines(str(tmp_path / "lines")) as lines:
        for _ in range(6):
            lines.add(b"a line\n")
            now[0] += 0.5
    assert forced == [1, 2, 3]  # the last time when it is closed


def test_a_full_disk_leaves_no_half_of_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, full = tmp_path / "lines", OSError(errno.ENOSPC, "No space left on device")
    writes = itertools.chain([lambda file, line: FileIO.write(file, line[:3])],
                             itertools.repeat(raising(full)))
    with Lines(str(path)) as lines:
        lines.add(b"the first\n")
        with monkeypatch.context() as patched:
            patched.setattr(LockedFile, "write", lambda file, line: next(writes)(file, line))
            with pytest.raises(OSError, match="No space left on device"):
                lines.add(b"another\n")
        assert path.read_bytes() == b"the first\n"
        lines.add(b"another\n")
    assert path.read_bytes() == b"the first\nanother\n"


def test_nothing_of_a_torn_line_is_left_behind_a_shorter_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the file is when the write is done, and the process killed."""
    path, seen = tmp_path / "lines", []

    def write(file: LockedFile, line: bytes) -> int:
        written = FileIO.write(file, line)
        seen.append(path.read_bytes())
        return written

    monkeypatch.setattr(LockedFile, "write", write)
    with Lines(str(path)) as lines:
        path.write_bytes(b"a longer line that is torn")
        lines.add(b"whole\n")
    assert seen == [b"whole\n"]


def test_what_grew_is_on_the_disk_when_it_is_closed_or_its_name_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "lines")
    lines = Lines(path)
    lines.add(b"one\n")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", raising(OSError(errno.EIO, "no disk")))
        with pytest.raises(OSError, match="no disk") as told:
            lines.close()
    assert told.value.filename == path
    Lines(path).close()  # the lock was released all the same
    lines.close()


@lists_open_files
def test_the_names_of_new_and_replaced_files_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, fsync = tmp_path / "file", os.fsync
    synced: list[bytes] = []  # what had that name when the folder was synced

    def syncing(file: int) -> None:
        if os.path.samestat(os.fstat(file), tmp_path.stat()):
            synced.append(path.read_bytes())
        fsync(file)

    monkeypatch.setattr(os, "fsync", syncing)
    replace_file(path, b"content")
    assert synced == [b"content"]
    path.unlink()
    for plies in (5, 9):
        write_record(path, cut_short(GAME, plies))
    assert synced[1:] == [b"", path.read_bytes()]
    path.unlink()
    Lines(str(path)).close()
    assert synced[3:] == [b""]
    path.unlink()
    with recording(str(path), create=True):
        assert synced[4:] == [b""]
    opened = opened_files()
    monkeypatch.setattr(os, "fsync", raising(OSError(errno.EINVAL, "not of folders")))
    files.sync_folder(tmp_path)
    files.sync_folder(tmp_path / "missing")
    assert opened_files() == opened


def test_macos_is_asked_to_empty_the_memory_of_the_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    done: list[str] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(os, "fsync", lambda file: done.append("fsync"))
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda file, what: done.append(f"fcntl {what}"))
    with (tmp_path / "x").open("w") as file:
        files.sync(file.fileno())
        assert done == ["fcntl 51"]

        def refused(file: int, what: int) -> NoReturn:
            raise OSError(errno.ENOTSUP, "not supported")

        monkeypatch.setattr(fcntl, "fcntl", refused)
        files.sync(file.fileno())
    assert done == ["fcntl 51", "fsync"]


def test_a_file_system_without_locks_counts_as_one_without_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl", reason="locks files as Unix does")
    monkeypatch.setattr(fcntl, "flock", raising(OSError(errno.ENOLCK, "no locks")))
    with Lines(str(tmp_path / "lines")) as lines:
        lines.add(b"one\n")


@pytest.mark.skipif(os.name != "posix", reason="Windows has other rights")
def test_a_private_file_is_private_while_it_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, modes = tmp_path / "file", []
    path.touch(0o600)
    chmod, sync = Path.chmod, files.sync

    def seen(number: int) -> None:
        modes.append(stat.S_IMODE(os.fstat(number).st_mode))
        sync(number)

    def changing(of: Path, mode: int) -> None:
        modes.append(stat.S_IMODE(of.stat().st_mode))
        chmod(of, mode)

    monkeypatch.setattr(files, "sync", seen)
    monkeypatch.setattr(Path, "chmod", changing)
    replace_file(path, b"content")
    assert modes == [0o600, 0o600]
    chmod(path, 0o646)
    replace_file(path, b"content")
    assert modes[-1] == 0o646
    assert stat.S_IMODE(path.stat().st_mode) == 0o646


def test_files_are_replaced_where_all_belong_to_one_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems let nobody change who may read a file."""
    refusal = raising(PermissionError(errno.EPERM, "not permitted"))
    monkeypatch.setattr(Path, "chmod", refusal)
    monkeypatch.setattr(os, "fchmod", refusal, raising=False)
    path = tmp_path / "file"
    for content in (b"first", b"second"):
        replace_file(path, content)
        assert path.read_bytes() == content
    path.unlink()
    for plies in (5, 9):
        write_record(path, cut_short(GAME, plies))
    assert list(read_records(path)) == [cut_short(GAME, 9)]


def test_long_names_are_measured_in_bytes(tmp_path: Path) -> None:
    """So are names on Linux, where a letter with an accent has two."""
    path = tmp_path / ("\u00e9" * 125)
    replace_file(path, b"content")
    assert path.read_bytes() == b"content"


# ------------------------------------------------------------------------------------- commands

def test_a_backslash_is_part_of_a_path_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    command = r'"C:\my games\engine.exe" C:\net.bin'
    monkeypatch.setattr(engine, "os", SimpleNamespace(name="nt", path=os.path))
    assert engine._words(command) == [r"C:\my games\engine.exe", r"C:\net.bin"]


def test_no_shell_guards_an_engine_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "killpg", raising=False)
    running = process.EngineProcess([sys.executable, str(EXAMPLES / "engine.py")])
    assert running._guard is None
    running.kill()


def test_a_command_to_copy_has_quotes_that_windows_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["pavilion", "report", r"C:\games\a.jsonl", r"C:\my games\b.jsonl"]
    monkeypatch.setattr(said, "os", SimpleNamespace(name="posix"))
    assert shlex.split(said.as_command(words)) == words
    monkeypatch.setattr(said, "os", SimpleNamespace(name="posix", fsencode=os.fsencode))
    assert said.as_command(["report", "it's \udcff\n.jsonl"]) == r"report $'it\x27s \xff\x0a.jsonl'"
    monkeypatch.setattr(said, "os", SimpleNamespace(name="nt"))
    assert said.as_command(words) == r'pavilion report C:\games\a.jsonl "C:\my games\b.jsonl"'


def test_devices_of_windows_are_not_where_the_output_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """There all of them have one number, as pipes and consoles have."""
    nul = os.stat_result((stat.S_IFCHR | 0o666, *[0] * 9))
    monkeypatch.setattr(cli_files, "os", SimpleNamespace(
        path=os.path, stat=lambda path: nul, fstat=lambda number: nul))
    assert cli_files.descriptor_of("NUL") is None


def test_a_script_starts_by_its_whole_name_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(process.subprocess, "Popen", lambda words, **_: started.append(words))
    monkeypatch.setattr(process.shutil, "which", {"engine": r"C:\bin\engine.CMD"}.get)
    for name in ("posix", "nt"):
        monkeypatch.setattr(process, "os", SimpleNamespace(name=name))
        for word in ("engine", "missing"):
            process._started([word, "--fast"], "mark")
    assert [words[0] for words in started] == [
        "engine", "missing", r"C:\bin\engine.CMD", "missing"]
    assert {words[1] for words in started} == {"--fast"}


def test_processes_without_locks_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (NotImplementedError("no semaphores"), ImportError("no semaphores")):
        monkeypatch.setattr(local, "_Pool", raising(error))
        with (local.LocalWorkers(1) as workers,
              pytest.raises(WorkersError, match="cannot be prepared: no semaphores")):
            workers.executor  # noqa: B018


def test_the_page_has_its_types_whatever_other_programs_register() -> None:
    for suffix in server.TYPES:
        mimetypes.add_type("text/plain", suffix)
    server._app(Capacity(1), *[None] * 4)
    for suffix, kind in server.TYPES.items():
        assert mimetypes.guess_type(f"a{suffix}")[0] == kind


def test_a_pool_has_as_many_processes_as_windows_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, slots in (("posix", 64), ("nt", 61)):
        monkeypatch.setattr(local, "os", SimpleNamespace(name=name))
        assert local.LocalWorkers(64).slots == slots


def test_a_port_is_not_shared_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, shared in (("posix", 1), ("nt", 0)):
        monkeypatch.setattr(server, "os", SimpleNamespace(name=name))
        with server._listen("127.0.0.1", 0) as listening:
            assert listening.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == shared


# ---------------------------------------------------------------------------------------- pipes

class Unread(io.BytesIO):
    """A stream whose reader has left, as Windows tells it."""

    def flush(self) -> NoReturn:
        raise OSError(errno.EINVAL, "invalid argument")


class PollOfMacOS:
    """Tells nothing of a descriptor that is asked for nothing."""

    def __init__(self) -> None:
        assert POLL is not None
        self._poll, self._asked = POLL(), dict[int, int]()

    def register(self, number: int, events: int) -> None:
        self._asked[number] = events
        self._poll.register(number, events)

    def poll(self, milliseconds: int) -> list[tuple[int, int]]:
        return [(number, event) for number, event in self._poll.poll(milliseconds)
                if self._asked[number]]


@pytest.mark.skipif(POLL is None, reason="no poll")
def test_a_reader_that_has_gone_is_noticed_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(select, "poll", PollOfMacOS)
    reads, writes = os.pipe()
    silent, other = os.pipe()
    with os.fdopen(writes, "wb") as stream:
        output = Output(stream, lambda: False)
        assert output.has_reader()
        output._give_up_at = 0.0  # long after a signal, which it has survived
        assert output.has_reader()
        os.close(reads)
        assert not output.has_reader()
        with pytest.raises(BrokenPipeError):
            output.watch(silent)
    os.close(silent)
    os.close(other)


@pytest.mark.skipif(POLL is None, reason="no poll")
def test_a_device_is_written_to_on_macos(monkeypatch: pytest.MonkeyPatch) -> None:
    """There it cannot be polled."""
    class NoDevices(PollOfMacOS):
        def poll(self, milliseconds: int) -> list[tuple[int, int]]:
            return [(number, select.POLLNVAL) for number in self._asked]

    monkeypatch.setattr(select, "poll", NoDevices)
    silent, other = os.pipe()
    with open(os.devnull, "wb") as stream:
        output = Output(stream, lambda: False)
        output.write(b"answer\n")
        assert output.has_reader()
        output.watch(silent)
    os.close(silent)
    os.close(other)


def test_a_reader_that_leaves_early_is_no_error_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", Unread())
    for name, fault, code in (("posix", OSError, program.FAILED),
                              ("nt", BrokenPipeError, program.DONE)):
        monkeypatch.setattr(errors, "os", SimpleNamespace(name=name))
        with pytest.raises(OSError) as told:  # noqa: PT011
            Output(Unread(), lambda: False).write(b"answer\n")
        assert told.type is fault
        assert program._flushed(program.DONE) == code
    assert not errors.has_no_reader(OSError(errno.EINVAL, "invalid argument", "file"))
    assert not errors.has_no_reader(OSError(errno.ENOSPC, "no room"))


def fill(ends: pipes.Pipes, to: int) -> None:
    """Write more than any pipe holds."""
    for _ in range(100):
        ends.wait([to], True, 5)
        ends.write(bytes(pipes.CHUNK))


def test_threads_read_and_write_as_polling_does() -> None:
    polled = (pipes.PolledPipes,) if hasattr(os, "set_blocking") else ()
    for kind in (*polled, pipes.ThreadedPipes):
        read_request, to = os.pipe()
        source, write_answer = os.pipe()
        ends = kind(to, [source])
        numbers = [to, source]
        assert ends.wait(numbers, True, 5) == [to]
        content = bytes(3 * pipes.CHUNK)  # more than a pipe holds
        assert 0 < ends.write(content) <= pipes.CHUNK
        with pytest.raises(BlockingIOError):
            ends.read(source)
        os.write(write_answer, b"answer")
        assert ends.wait([source], False, 5) == [source]
        assert ends.read(source) == b"answer"
        os.close(write_answer)
        assert ends.wait([source], False, 5) == [source]
        assert ends.read(source) == b""
        assert ends.wait([source], False, 5) == [source]  # the end stays
        os.close(read_request)
        with pytest.raises(BrokenPipeError):
            fill(ends, to)
        assert ends.free(to)
        assert ends.free(source)
        os.close(to)
        os.close(source)
