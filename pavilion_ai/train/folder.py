"""The folder of a training run: its files, and how they survive a kill at any moment.

    recipe.json         the complete recipe
    log.jsonl           one line for each finished stage, with its numbers and when it was written
    losses.jsonl        one line for each part of a learning stage: its last step, rate and losses
    start.net           the network from which the run started, if any
    first/              the run that made it, if the recipe starts from another recipe
    shards/             games: generation-GGG-BBBB.shard; calibration-GGG-BBBB.shard
    networks/           generation-GGG.net; finish-GGG.net, learned after GGG generations;
                        calibrated-GGG.net, made from it
    learner.pt          state of the learner; finish.pt: of the learner of the finish
    GAME-BOARD-N.net    the result

Every file is replaced atomically. A line of the log that was cut off by a kill is dropped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from pavilion_ai.errors import PavilionError, file_fault, shown
from pavilion_ai.files import LockedFile, beside, named, replace_file, sync, sync_folder
from pavilion_ai.network import read_network
from pavilion_ai.train.recipe import Finish, Recipe, RecipeError, difference, read_recipe
from pavilion_ai.untrusted import Node, refusal, strict_json

Entry: TypeAlias = dict[str, Any]
"""A line of the log."""

RECIPE, LOG, LOCK, START = "recipe.json", "log.jsonl", "lock", "start.net"
LOSSES = "losses.jsonl"
FIRST = "first"
PLAYERS = "players"
"""Key of `Header.trained` of a start that was carried over: its number of players before that."""
MAX_LOG_BYTES = 64 << 20
"""A generation takes some lines of a few hundred bytes."""
AGAIN = "a new folder with a copy of shards/ learns again"
"""The way out for a run that has lost what it had learned."""
BEFORE_RECIPE = (LOCK, beside(Path(LOCK), ".lock").name, START, FIRST, "shards", "networks")
"""Files that may exist if the run was killed before the recipe was written."""


class Folder:
    """The folder of a run, locked by one process at a time; a context manager.

    Args:
        path: path of the folder, which is created if missing.
        recipe: recipe of the run; None for that of the folder.
        start: content of the network file from which the run starts, if any.

    Attributes:
        recipe: recipe of the run.
        log: the log, one dictionary per line.

    Raises:
        PavilionError: another process uses the folder, or it belongs to another run.
        OSError: the folder cannot be written.
    """

    def __init__(
        self, path: Path | str, recipe: Recipe | None, start: bytes | None = None
    ) -> None:
        self.path = Path(path)
        before = read_recipe(self.path / RECIPE) if (self.path / RECIPE).exists() else None
        if recipe is None:
            recipe = before
        if recipe is None:
            raise RecipeError(f"{path}: no training run there; expected a recipe to begin one")
        if before is None and start is None and recipe.start is not None:
            raise RecipeError(f"start: found {shown(recipe.start)}, which another run began with,"
                              " expected the network itself (--start-from)")
        self.recipe = recipe if before is None else replace(recipe, name=before.name)
        self._lock = locked(self.path)
        try:
            self._begin(before, recipe, start)
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def _begin(self, before: Recipe | None, recipe: Recipe, start: bytes | None) -> None:
        """Read the log; bring the files in line with the recipe."""
        folders = (self.path, self.path / "shards", self.path / "networks")
        for folder in folders:
            folder.mkdir(exist_ok=True)
        self.log: list[Entry] = list(self._read_log())
        if before is not None and (why := difference(before, recipe, self._begun())) is not None:
            raise RecipeError(
                f"{self.path}: a run of another recipe: {why}; choose another folder, or"
                " resume with --out alone")
        if before is not None and recipe.mixes and self.start.exists():
            header, _ = read_network(self.start)
            recipe.check_mixing(self.start, header.board,
                                header.trained.get(PLAYERS, header.players))
        for folder in folders:  # the run in `first` has files of its own
            for stray in folder.glob(".*.tmp"):
                stray.unlink(missing_ok=True)
        if start is not None and (before is None or not self.start.exists()):
            replace_file(self.start, start)  # in place of what a run that never began has left
        if before is not None:
            self._forget_finish(before.finish, self.recipe.finish)
        text = json.dumps(self.recipe.to_json(), indent=1)
        replace_file(self.path / RECIPE, f"{text}\n".encode())

    def _begun(self) -> int:
        """Return the number of generations that have games or a line in the log."""
        shards = (re.match(r"generation-([0-9]+)-", path.name)
                  for path in (self.path / "shards").iterdir())
        logged = (entry["generation"] for entry in self.log if entry.get("stage") == "play")
        return max((*(int(found[1]) + 1 for found in shards if found),
                    *(number + 1 for number in logged)), default=0)

    def _read_log(self) -> Iterator[Entry]:
        path = self.path / LOG
        if not path.exists():
            return
        with open(path, "rb") as file:
            content = file.read(MAX_LOG_BYTES + 1)
        if len(content) > MAX_LOG_BYTES:
            raise PavilionError(f"{path}: more than {MAX_LOG_BYTES} bytes, not the log of a run;"
                                f" {AGAIN}")
        whole, _, torn = content.rpartition(b"\n")
        if torn:
            replace_file(path, whole + b"\n" if whole else b"")
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                yield _entry(strict_json(line.decode()))
            except ValueError:
                raise PavilionError(f"{path}: line {number} is damaged; {AGAIN}") from None

    def _forget_finish(self, before: Finish | None, now: Finish | None) -> None:
        """Remove what another finish has made; keep its learning if only later stages differ."""
        if before is None or before == now:
            return
        stages = {"calibrate", "finish gate"}
        files = ["shards/calibration-*", "networks/calibrated-*", self.result.name]
        if now is None or _learned(before) != _learned(now):
            files.append(self.learner("finish").name)
        if now is None or (_learned(before), before.start_share) != (
                _learned(now), now.start_share):
            stages.add("finish")
            files.append("networks/finish-*")
        self.log = [entry for entry in self.log if entry.get("stage") not in stages]
        replace_file(self.path / LOG, b"".join(map(_line, self.log)))
        for pattern in files:  # last: the log must not tell of files that are gone
            for path in self.path.glob(pattern):
                path.unlink()

    def write(self, entry: Mapping[str, Any]) -> None:
        """Append a line to the log."""
        path = self.path / LOG
        with named(os.fspath(path)), open(path, "ab") as file:
            file.write(_line(entry))
            file.flush()
            sync(file.fileno())
        sync_folder(self.path)  # the log may be new
        self.log.append(dict(entry))

    def add_losses(self, entry: Mapping[str, Any]) -> None:
        """Append a line to the losses."""
        path = self.path / LOSSES
        with named(os.fspath(path)), open(path, "ab") as file:
            file.write(_line(entry))

    def cut_losses(self, stage: str, generation: int, step: int) -> None:
        """Remove the losses of a stage after a step; it learns from there."""
        path = self.path / LOSSES
        if path.exists():
            kept = [line for line in path.read_bytes().splitlines(True)
                    if line.endswith(b"\n") and _is_before(line, stage, generation, step)]
            replace_file(path, b"".join(kept))

    def done(self, stage: str, generation: int) -> Entry | None:
        """Return the log line of a finished stage, None if the stage is not finished."""
        found = [entry for entry in self.log
                 if (entry.get("stage"), entry.get("generation")) == (stage, generation)]
        return found[-1] if found else None

    def shard(self, stage: str, generation: int, block: int) -> Path:
        """Return the path of a block's games; `stage`: `generation` or `calibration`."""
        return self.path / "shards" / f"{stage}-{generation:03}-{block:04}.shard"

    def network(self, stage: str, generation: int) -> Path:
        """Return the path of a network; `stage`: `generation`, `finish` or `calibrated`."""
        return self.path / "networks" / f"{stage}-{generation:03}.net"

    def learner(self, stage: str) -> Path:
        """Return the path of the learner's state."""
        return self.path / ("finish.pt" if stage == "finish" else "learner.pt")

    @property
    def start(self) -> Path:
        """Path of the network from which the run started."""
        return self.path / START

    @property
    def result(self) -> Path:
        """Path of the result."""
        return self.path / result_name(self.recipe)


def locked(path: Path) -> LockedFile:
    """Lock the folder of a run, made if missing, until the returned file is closed.

    Raises:
        PavilionError: another process uses the folder, it holds something else than a run, or it
            cannot be written.
    """
    if path.is_dir() and not (path / RECIPE).exists() and not all(
        entry.name in BEFORE_RECIPE or entry.suffix == ".tmp" for entry in path.iterdir()
    ):
        raise PavilionError(f"{path}: holds other files, expected an empty folder or a run")
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = LockedFile(path / LOCK, "w")
    except OSError as error:
        raise PavilionError(file_fault(error.filename or path, error)) from None
    if not lock.lock():
        lock.close()
        raise PavilionError(f"{path}: another training run writes there")
    return lock


def _learned(finish: Finish) -> Finish:
    """Return a finish without the stages after learning."""
    return replace(finish, calibration=None, gate=None, start_share=0.0)


def _entry(line: object) -> Entry:
    """Return a line of the log, checked as far as a resumed run reads it."""
    node = Node(line, "", refusal(ValueError))
    stage = node["stage"].text()
    if stage != "begin":
        node["generation"].whole(0)
    if stage == "play":
        node["records"].whole(0)
    if stage in ("learn", "finish"):
        node["total_steps"].whole(0)
    if stage in ("gate", "finish gate"):
        node["passed"].truth()
    return dict(node.mapping())


def _is_before(line: bytes, stage: str, generation: int, step: int) -> bool:
    """Tell whether a line of the losses is of another stage, or not after a step of this one."""
    try:
        node = Node(strict_json(line.decode()), "", refusal(ValueError))
        of = node["stage"].text(), node["generation"].whole(0)
        return of != (stage, generation) or node["step"].whole(0) <= step
    except ValueError:
        return False  # damaged


def _line(entry: Mapping[str, Any]) -> bytes:
    """Return a line of the log."""
    return json.dumps(entry).encode() + b"\n"


def result_of_run(path: Path) -> Path:
    """Return the path of a run's result, which may not exist yet.

    Raises:
        PavilionError: the folder has no training run.
    """
    if not (path / RECIPE).exists():
        raise RecipeError(f"{path}: no training run there, expected a network to begin with")
    return path / result_name(read_recipe(path / RECIPE))


def result_name(recipe: Recipe) -> str:
    """Return the file name of a run's result."""
    return f"{recipe.variant}.net"
