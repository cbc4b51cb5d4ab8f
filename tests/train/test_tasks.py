"""Tasks handed out to processes that die, or are of another version."""

from __future__ import annotations

import os
import signal
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from pavilion_ai.train.play import Block, Deal, play_block, play_deal
from pavilion_ai.version import __version__
from pavilion_ai.workers import WorkersError, results
from pavilion_ai.workers.local import LocalWorkers


def work(folder: Path, most: int, task: int) -> int:
    """Return the task; task 3 kills its process so often before that."""
    begun = len(list(folder.glob(f"{task}-*")))
    (folder / f"{task}-{begun}").touch()
    if task == 3 and begun < most:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def test_every_task_is_done_once_though_workers_die(tmp_path: Path) -> None:
    with LocalWorkers(2) as workers:
        done = list(results(workers, partial(work, tmp_path, 2), range(12)))
    assert sorted(done) == [(task, task) for task in range(12)]


def test_a_task_that_kills_every_worker_is_given_up_and_nobody_else(tmp_path: Path) -> None:
    """Also beside others: those that die with it are begun once more, alone."""
    with LocalWorkers(2) as workers, \
            pytest.raises(WorkersError, match="begun 3 times, and each time a worker died"):
        list(results(workers, partial(work, tmp_path, 1000), range(3, 60)))
    begun = Counter(path.name.partition("-")[0] for path in tmp_path.iterdir())
    assert 3 <= begun.pop("3") <= 4
    assert max(begun.values(), default=0) <= 2


def test_what_goes_wrong_in_a_task_is_told(tmp_path: Path) -> None:
    with LocalWorkers(1) as workers, pytest.raises(ValueError, match="no number"):
        list(results(workers, int, ["1", "no number"]))


def test_games_of_a_run_of_another_version_are_not_played() -> None:
    """A worker may join a cluster when the run has begun."""
    with pytest.raises(WorkersError, match=rf"has pavilion-ai {__version__}, expected 0\.0\.1"):
        play_block(Block("azul", "coloured", 2, (1,), None, {}, {}, version="0.0.1"))
    with pytest.raises(WorkersError, match=rf"has pavilion-ai {__version__}, expected 0\.0\.1"):
        play_deal(Deal("azul", "coloured", 2, 1, b"", None, 2, {}, version="0.0.1"))
