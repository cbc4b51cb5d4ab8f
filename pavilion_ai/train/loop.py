"""A training run: repeated games, learning, network and gate; then finish and calibration.

Every stage can be interrupted at any moment and done again: games follow from their seeds, the
learner from the games and its saved state. So a resumed run makes the same games and networks, byte
for byte, as one without interruption, on the same kind of processor and version of torch, unless it
learns on a CUDA device.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from pavilion_ai.errors import Failure, NetworkError, PavilionError, file_fault
from pavilion_ai.files import replace_file
from pavilion_ai.network import (
    NETS,
    Header,
    core_shape,
    load_network,
    network_bytes,
    read_network,
)
from pavilion_ai.train.calibration import fit_gain_scale, fit_win_scale
from pavilion_ai.train.carry import carry_over
from pavilion_ai.train.folder import AGAIN, LOG, PLAYERS, Folder, result_of_run
from pavilion_ai.train.gate import run_gate
from pavilion_ai.train.losses import Losses, Options
from pavilion_ai.train.model import Learner
from pavilion_ai.train.play import Block, play_block, training_seed, without_noise
from pavilion_ai.train.quantise import compare, quantise, read_whole
from pavilion_ai.train.recipe import (
    OF_RECIPE,
    Calibration,
    Finish,
    Gate,
    Generation,
    Recipe,
    read_recipe,
)
from pavilion_ai.train.samples import Samples, join, make_samples
from pavilion_ai.train.shape import Shape, Weights, variant_shape
from pavilion_ai.train.shards import Shard, read_shard
from pavilion_ai.train.symmetry import Symmetry, find_symmetry
from pavilion_ai.train.window import Window, last_records
from pavilion_ai.version import __version__
from pavilion_ai.workers import Workers, results

BLOCK = 32
"""Games of a shard, and of a task."""
CHUNK = 100
"""Steps between two reports of the learner."""
SAVE_SECONDS = 15.0
"""Seconds between two saved states of the learner: the most that a kill can cost."""
CHECKED_RECORDS = 4096
"""Records on which the quantised network is compared with floats."""
FRESH_RECORDS = 20000
"""Most records of new games on which the learner is measured before it learns from them."""
Seeds: TypeAlias = dict[Path, tuple[int, ...]]
"""The seeds of the games of shards."""
_Told: TypeAlias = dict[str, float | None]
"""Losses by name, as in the log."""


class Progress(Protocol):
    """Receives the progress of a run."""

    def stage(self, entry: Mapping[str, Any], /) -> None:
        """Receive the log entry of a finished stage."""

    def part(
        self, stage: str, generation: int, done: int, total: int, /, **numbers: float
    ) -> None:
        """Receive the progress of the current stage, which has the name that the log will have."""


class Training:
    """A run in its folder.

    Args:
        folder: folder of the run.
        workers: workers that play the games.
        progress: receiver of the progress.
        start: file of the network to start from, for the log; None for the run's own copy, if any.
    """

    def __init__(
        self, folder: Folder, workers: Workers, progress: Progress, start: Path | None = None
    ) -> None:
        self.folder, self.workers = folder, workers
        self._start = folder.start if start is None else start
        self.recipe: Recipe = folder.recipe
        self.progress = progress
        self._window = Window(self.recipe.learner.follow, self._read)
        self._known: dict[tuple[str, int], Seeds] = {}
        self._learner: Learner | None = None

    # ------------------------------------------------------------------------------- the stages

    def run(self) -> Path:
        """Do the remaining stages; return the path of the result.

        Raises:
            Failure: a stage learned badly, no network is the result, or workers keep dying.
            PavilionError: a file of the run is damaged.
        """
        self.begin()
        best = self._first_player()
        for number, generation in enumerate(self.recipe.generations):
            self._play(number, generation, best)
            self._learn("generation", number, generation)
            path = self.folder.network("generation", number)
            if self._passes("generation", number, generation.gate, path, best):
                best = path
        if self.recipe.finish is not None:
            number = len(self.recipe.generations)
            self._learn("finish", number, self.recipe.finish)
            path = self.folder.network("finish", number)
            self._stamp(path)
            if self.recipe.finish.calibration is not None:
                path = self._calibrate(number, self.recipe.finish.calibration, path)
            if self._passes("finish", number, self.recipe.finish.gate, path, best):
                best = path
        if best is None:
            self.folder.result.unlink(missing_ok=True)  # that of fewer generations
            raise Failure("no network was better than the linear heuristics: there is no result")
        replace_file(self.folder.result, self._network(best))
        return self.folder.result

    def _first_player(self) -> Path | None:
        """Return the network that plays the first games; None for the linear heuristics.

        A network of the other board plays worse than none, so only its weights are used.
        """
        if self.recipe.start is None:
            return None
        header, _ = read_network(self._network(self.folder.start))
        return self.folder.start if header.board == self.recipe.board else None

    def begin(self) -> None:
        """Log which program, recipe and machine resume the run."""
        learner = self._new_learner()
        if not self.folder.learner("generation").exists():
            self._learner = learner
        self._check_files()
        self._note({
            "stage": "begin",
            "version": __version__,
            "folder": str(self.folder.path),
            "name": self.recipe.name,
            "start": None if self.recipe.start is None else str(self._start),
            "recipe": self.recipe.sha256(),
            "generations": len(self.recipe.generations),
            "jobs": self.workers.slots,
            **learner.computing,
        })

    def _check_files(self) -> None:
        """Refuse what is lost or damaged before hours of games and learning, not after."""
        best = self._first_player()
        for number, (stage, settings) in enumerate(self._stages):
            gate, path = settings.gate, self.folder.network(stage, number)
            passed = None if gate is None else self.folder.done(_gate(stage), number)
            learned = self.folder.done(_learning(stage), number) is not None
            if gate is not None and passed is None:
                for player in (best, path if learned else None):
                    if player is not None:
                        self._network(player)
            if not learned:
                self._learner_for(stage, number)
                break
            if passed is None or passed["passed"]:
                best = path
        for path, seeds in self._needed.items():
            if path.exists():
                self._read(path, seeds)

    def _play(self, number: int, generation: Generation, best: Path | None) -> None:
        """Play the games of a generation; if that is done, those that were lost and are needed."""
        blocks, stage = self._blocks("generation", number, generation.games), "play"
        if self.folder.done(stage, number) is not None:
            stage = "play again"
            blocks = {path: seeds for path, seeds in blocks.items()
                      if path in self._needed and not path.exists()}
            if not blocks:
                return
        settings = {name: getattr(generation, name) for name in
                    ("full_sims", "fast_sims", "full_share", "noise", "drawn_share")}
        if generation.record_share < 1:  # otherwise the bytes of shards stay as they always were
            settings["record_share"] = generation.record_share
        self._note({
            "stage": stage,
            "generation": number,
            **self._fill(stage, number, blocks, best, settings, generation.tunables,
                         self._window.add),
        })

    def _calibrate(self, number: int, calibration: Calibration, player: Path) -> Path:
        """Fit the scales of what the network's searches report and store them in it."""
        path = self.folder.network("calibrated", number)
        if self.folder.done("calibrate", number) is not None and path.exists():
            return path
        shards: dict[Path, Shard] = {}
        blocks = self._blocks("calibration", number, calibration.games)
        entry = self._fill("calibrate", number, blocks, player, without_noise(calibration.sims),
                           self.recipe.generations[-1].tunables, shards.__setitem__, own=True)
        games = [shards[path] for path in sorted(shards)]
        found = fit_win_scale(games)
        header, net = read_whole(player)
        gains = fit_gain_scale(games)
        measured = self._first_learner()
        measured.take_over(net.floats())
        fresh = measured.evaluate(join(list(self._newest(games))))
        replace_file(path, network_bytes(replace(header, win_scale=found.scale),
                                         net.with_gains(gains.gain_scale).payload))
        self._note(dict(stage="calibrate", generation=number, **entry, **asdict(found),
                        **asdict(gains), fresh=_rounded(fresh)))  # no name stands there twice
        return path

    def _newest(self, games: list[Shard]) -> Iterator[Samples]:
        """Yield the samples of shards, the last one first, up to so many as measure a network."""
        records = 0
        for shard in reversed(games):
            if records < FRESH_RECORDS:
                yield make_samples(shard, follow=self.recipe.learner.follow)
                records += int(shard.records.sum())

    def _fill(
        self,
        stage: str,
        number: int,
        blocks: Seeds,
        player: Path | None,
        settings: Mapping[str, Any],
        tunables: Mapping[str, Any],
        take: Callable[[Path, Shard], object],
        own: bool = False,
    ) -> dict[str, Any]:
        """Play the missing games of a stage; return its log entry.

        Args:
            blocks: the shards of the stage.
            player: network that plays, None for the linear heuristics.
            settings: settings of self-play.
            tunables: changes to the tunables of the search.
            take: called with every shard of the stage and its path.
            own: whether games of another network, or of other settings, are played anew.
        """
        began, others = time.monotonic(), 0
        network = None if player is None else self._network(player)
        by = None if network is None else read_network(network)[0].sha256
        games, found = sum(map(len, blocks.values())), _Count()

        def use(path: Path, shard: Shard) -> None:
            take(path, shard)
            found.add(shard)

        tasks = {}
        for path, seeds in blocks.items():
            shard = self._read(path, seeds) if path.exists() else None
            if shard is None or (own and (shard.network, shard.tunables) != (
                    by, {**settings, **tunables})):
                tasks[seeds] = path
            else:
                use(path, shard)
                others += len(seeds) if shard.network != by else 0
        before = found.games

        def handed_out() -> Iterator[Block]:
            for seeds in tasks:
                yield Block(self.recipe.game, self.recipe.board, self.recipe.players, seeds,
                            network, settings, dict(tunables))

        self.progress.part(stage, number, before, games)
        for block, content in results(self.workers, play_block, handed_out()):
            replace_file(tasks[block.seeds], content)
            use(tasks[block.seeds], self._read(tasks[block.seeds], block.seeds))
            self.progress.part(stage, number, found.games, games,
                               rate=(found.games - before) / (time.monotonic() - began))
        seconds = time.monotonic() - began
        return {
            "network": player.name if player is not None else None,
            **found.numbers(),
            "megabytes": round(sum(path.stat().st_size for path in blocks) / 1e6, 2),
            "by_another": others,
            "played_now": found.games - before,
            "games_per_second": round((found.games - before) / max(seconds, 1e-9), 2),
            "seconds": round(seconds, 1),
        }

    def _learn(self, stage: str, number: int, settings: Generation | Finish) -> None:
        """Learn from the latest games and write the network."""
        if self.folder.done(_learning(stage), number) is not None:
            return
        began = time.monotonic()
        samples = self._window.samples(self._latest(number, settings.window))
        learner, note = self._learner_for(stage, number)
        if note is None:
            note = {"generation": number, "begun": learner.step,
                    "fresh": self._fresh_losses(learner, samples, number)
                    if learner.step and stage != "finish" else None, "losses": None}
        batch = min(learner.options.batch, len(samples))
        steps = max(1, math.ceil(settings.passes * len(samples) / batch))
        begun: int = note["begun"]

        def rate(step: int) -> float:
            return _rate(settings, step, step - begun, steps)

        saved = time.monotonic()
        self.folder.cut_losses(_learning(stage), number, learner.step)
        self.progress.part(_learning(stage), number, learner.step - begun, steps)
        while learner.step < begun + steps:
            done = learner.step - begun
            # Reports come at the same steps however often the run was interrupted.
            chunk = min(CHUNK - done % CHUNK, steps - done)
            losses = learner.train(samples, chunk, rate, begun)
            told = _rounded(losses)
            if not all(math.isfinite(loss) for loss in told.values() if loss is not None):
                raise _badly_learned(stage, number, "its losses are not numbers any more")
            self.folder.add_losses({
                "stage": _learning(stage), "generation": number, "step": learner.step,
                "rate": rate(learner.step - 1), **told})
            note["losses"] = told if chunk == CHUNK else _joined(note["losses"], told, chunk)
            self.progress.part(_learning(stage), number, done + chunk, steps, **{
                name: loss for name, loss in told.items() if loss is not None})
            if time.monotonic() - saved > SAVE_SECONDS or done + chunk == steps:
                learner.save(self.folder.learner(stage), note)
                saved = time.monotonic()
        seconds = time.monotonic() - began
        agreement = self._write(stage, number, learner, samples)
        self._note({
            "stage": _learning(stage),
            "generation": number,
            "records": len(samples),
            "steps": steps,
            "total_steps": learner.step,
            "losses": note["losses"],
            "fresh": note["fresh"],
            "agreement": agreement,
            "seconds": round(seconds, 1),
        })

    def _fresh_losses(self, learner: Learner, samples: Samples, number: int) -> _Told:
        """Return the losses on the last records of a generation, from which nothing was learned."""
        played = self.folder.done("play", number)
        assert played is not None  # the games come first
        new = min(FRESH_RECORDS, played["records"])
        return _rounded(learner.evaluate(last_records(samples, new)))

    def _write(self, stage: str, number: int, learner: Learner, samples: Samples) -> dict[str, Any]:
        """Write the quantised network; return its comparison with the floats."""
        recipe, weights = self.recipe, learner.weights()
        if stage == "finish" and recipe.finish is not None and recipe.finish.start_share:
            weights = weights.mixed(self._start_weights(), recipe.finish.start_share)
        try:
            net = quantise(weights)
            agreement = compare(weights, net, last_records(samples, CHECKED_RECORDS))
        except PavilionError as error:
            raise _badly_learned(stage, number, str(error)) from None
        count = min(number + 1, len(recipe.generations))
        header = Header(
            game=recipe.game,
            board=recipe.board,
            players=recipe.players,
            inputs=net.shape.inputs,
            hidden=recipe.hidden,
            policy=net.shape.policy,
            trained={
                "recipe": recipe.name,
                "sha256_of_recipe": recipe.sha256(None if stage == "finish" else count),
                "stage": stage,
                "generations": count,
                "games": sum(part.games for part in recipe.generations[:count]),
                "steps": learner.step,
                "version": __version__,
            },
        )
        replace_file(self.folder.network(stage, number), network_bytes(header, net.payload))
        return {name: round(value, 6) for name, value in asdict(agreement).items()}

    def _stamp(self, path: Path) -> None:
        """Write this recipe's hash into the finished network.

        Its gate or calibration may have changed since the network was trained.
        """
        header, payload = read_network(self._network(path))
        trained = {**header.trained, "sha256_of_recipe": self.recipe.sha256()}
        if trained != header.trained:
            replace_file(path, network_bytes(replace(header, trained=trained), payload))

    def _passes(
        self, stage: str, number: int, gate: Gate | None, new: Path, best: Path | None
    ) -> bool:
        """Play the gate; tell whether a network takes over."""
        if gate is None:
            return True
        name = _gate(stage)
        entry = self.folder.done(name, number)
        if entry is None:
            began = time.monotonic()
            result = run_gate(
                gate, self.recipe, number, self._network(new),
                None if best is None else self._network(best), self.workers,
                lambda done: self.progress.part(name, number, done, gate.pairs))
            entry = {
                "stage": name,
                "generation": number,
                "against": None if best is None else best.name,
                **result,
                "seconds": round(time.monotonic() - began, 1),
            }
            self._note(entry)
        return bool(entry["passed"])

    # ------------------------------------------------------------------------------ shards

    def _note(self, entry: dict[str, Any]) -> None:
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self.folder.write({**entry, "at": now})
        self.progress.stage(self.folder.log[-1])

    def _blocks(self, stage: str, number: int, games: int) -> Seeds:
        """Return the seeds of the games of each shard of a stage."""
        if (stage, number) not in self._known:
            word = "game" if stage == "generation" else stage
            seeds = [training_seed(word, self.recipe.seed, number, game) for game in range(games)]
            self._known[stage, number] = {
                self.folder.shard(stage, number, start // BLOCK):
                    tuple(seeds[start : start + BLOCK])
                for start in range(0, len(seeds), BLOCK)
            }
        return self._known[stage, number]

    def _latest(self, number: int, games: int) -> Seeds:
        """Return the shards of the latest games up to a generation, at least so many games."""
        found: list[tuple[Path, tuple[int, ...]]] = []
        for earlier in range(min(number, len(self.recipe.generations) - 1), -1, -1):
            blocks = self._blocks("generation", earlier, self.recipe.generations[earlier].games)
            for path, seeds in reversed(blocks.items()):
                if games <= 0:
                    return dict(found[::-1])
                found.append((path, seeds))
                games -= len(seeds)
        return dict(found[::-1])

    @property
    def _stages(self) -> list[tuple[str, Generation | Finish]]:
        """The stages that learn, by number."""
        stages: list[tuple[str, Generation | Finish]] = [
            ("generation", generation) for generation in self.recipe.generations]
        if self.recipe.finish is not None:
            stages.append(("finish", self.recipe.finish))
        return stages

    @cached_property
    def _needed(self) -> Seeds:
        """The shards that stages will still learn from."""
        return {path: seeds for number, (stage, settings) in enumerate(self._stages)
                if self.folder.done(_learning(stage), number) is None
                for path, seeds in self._latest(number, settings.window).items()}

    def _read(self, path: Path, seeds: tuple[int, ...]) -> Shard:
        """Return a shard, which must hold the games of these seeds.

        Raises:
            PavilionError: it is damaged, or has other games; the message tells the way out.
        """
        try:
            shard = read_shard(path)
            if shard.seeds != seeds:
                raise PavilionError(f"{path}: games of other seeds than this run's")
            if (shard.game, shard.board, shard.players) != (
                    self.recipe.game, self.recipe.board, self.recipe.players):
                raise PavilionError(f"{path}: games of another variant than this run's")
        except PavilionError as error:
            raise PavilionError(
                f"{error}; delete it and resume: its games are played again") from None
        return shard

    # -------------------------------------------------------------------------------- the learner

    def _learner_for(self, stage: str, number: int) -> tuple[Learner, dict[str, Any] | None]:
        """Return the learner and, if it was interrupted in this stage, its saved note."""
        finish = self.recipe.finish
        anew = stage == "finish" and finish is not None and finish.anew
        before = self.folder.done("learn", number - 1)
        logged = 0 if anew or before is None else before["total_steps"]
        if stage == "finish" and (path := self.folder.learner(stage)).exists():
            again = "delete it and resume: the finish is learned again"
            learner = self._saved_learner(path, again, anew)
            if learner.note.get("generation") == number:
                _check_step(path, learner.note["begun"], logged, again)
                return learner, dict(learner.note)
        if anew:
            self._learner = None
            return self._first_learner(shared_seats=True), None
        path = self.folder.learner("generation")
        if self._learner is None and path.exists():
            self._learner = self._saved_learner(path, AGAIN)
        learner = self._learner or self._new_learner()
        self._learner = learner if stage == "generation" else None  # the finish has its own learner
        resumed = stage == "generation" and learner.note.get("generation") == number
        _check_step(path, learner.note["begun"] if resumed else learner.step, logged, AGAIN)
        return learner, dict(learner.note) if resumed else None

    def _saved_learner(self, path: Path, again: str, shared_seats: bool = False) -> Learner:
        """Return the learner of a file; `again`: the way out if it is damaged."""
        try:
            learner = Learner.load(path, self._options(), self._symmetry(), shared_seats)
        except PavilionError as error:
            raise PavilionError(f"{error}; {again}") from None
        if learner.shape != shape_for(self.recipe):
            raise PavilionError(f"{path}: made for another version of the engine, with other inputs"
                                " or outputs")
        return learner

    def _options(self) -> Options:
        values = asdict(self.recipe.learner)
        del values["follow"], values["symmetry"]  # of the samples
        return Options(**values)

    def _symmetry(self) -> Symmetry | None:
        recipe = self.recipe
        if not recipe.learner.symmetry:
            return None
        return find_symmetry(recipe.game, recipe.board, shape_for(recipe))

    def _new_learner(self) -> Learner:
        learner = self._first_learner()
        if self.recipe.start is not None:
            learner.take_over(self._start_weights())
        return learner

    def _first_learner(self, shared_seats: bool = False) -> Learner:
        """Return an untrained learner."""
        recipe = self.recipe
        return Learner(shape_for(recipe), self._options(), recipe.seed,
                       self._symmetry(), shared_seats)

    def _start_weights(self) -> Weights:
        """Return the weights of the network from which the run started."""
        self._network(self.folder.start)
        return read_whole(self.folder.start)[1].floats()

    def _network(self, path: Path) -> bytes:
        """Return the file of a network of the run, which is one that can play.

        Raises:
            PavilionError: it is missing, damaged or of another variant; the message tells the way
                out.
        """
        recipe, start = self.recipe, path == self.folder.start
        again = "--start-from what the run began with writes it again" if start else AGAIN
        delete = "delete it, then " if start else ""
        if path == self.folder.network("calibrated", len(recipe.generations)):
            again = "delete it and resume: the calibration is done again"
        try:
            load_network(path, None if start else (recipe.game, recipe.board, recipe.players))
            return path.read_bytes()
        except FileNotFoundError:
            raise PavilionError(f"{path}: missing; {again}") from None
        except NetworkError as error:
            raise PavilionError(f"{error}; {delete}{again}") from None


def start_network(recipe: Recipe) -> tuple[Recipe, bytes | None]:
    """Return the recipe with the hash of the network to start from, and that network's file.

    Raises:
        PavilionError: there is no such file, or its network is for another game or larger.
    """
    if recipe.start is None:
        return recipe, None
    path, header, payload = _read_start(recipe.start)
    inputs, policy = core_shape(recipe.game, header.players)
    found = header.game, header.inputs, header.policy
    if found != (recipe.game, inputs, policy):
        raise PavilionError(f"{path}: a network for {header.game}, expected {recipe.game}, with"
                            " this version's inputs")
    recipe.check_room(path, header.hidden)
    recipe.check_mixing(path, header.board, header.players)
    begun = replace(recipe, start=f"sha256:{header.sha256}")
    if (header.players, header.hidden) != (recipe.players, recipe.hidden):
        net = carry_over(read_whole(path)[1], shape_for(recipe))
        header = replace(header, players=recipe.players, inputs=net.shape.inputs,
                         hidden=recipe.hidden,
                         trained={**header.trained, PLAYERS: header.players})
        payload = net.payload
    return begun, network_bytes(header, payload)


def start_hidden(start: str) -> tuple[int, int]:
    """Return the hidden layers of a network to start from.

    Raises:
        PavilionError: there is no such network or recipe.
    """
    if start.startswith(OF_RECIPE):
        return read_recipe(start.removeprefix(OF_RECIPE)).hidden
    _, header, _ = _read_start(start)
    return header.hidden


def _read_start(start: str) -> tuple[Path, Header, bytes]:
    """Return path, header and weights of a network to start from.

    Raises:
        PavilionError: there is no such file.
    """
    path = start_file(start)
    if Path(start).is_dir() and not path.exists():
        raise PavilionError(f"{start}: its run has no result yet")
    try:
        return path, *read_network(path)
    except OSError as error:
        raise PavilionError(
            f"{file_fault(start, error)}, expected a network to begin with, or recipe:NAME"
        ) from None


def start_file(start: str) -> Path:
    """Return the file of a network to start from, which may be missing.

    The bare name of a shipped network means that network, whatever the working directory has.

    Raises:
        PavilionError: a folder without a training run.
    """
    path, shipped = Path(start), NETS / f"{start}.net"
    if start == path.name and shipped.exists():
        return shipped
    return result_of_run(path) if path.is_dir() else path


def shape_for(recipe: Recipe) -> Shape:
    """Return the shape of the recipe's network."""
    return variant_shape(recipe.game, recipe.players, recipe.hidden)


class _Count:
    """Numbers of the games of a generation."""

    def __init__(self) -> None:
        self.games = self.records = self.plies = 0
        self._score = self._winner = 0.0

    def add(self, shard: Shard) -> None:
        """Add a shard."""
        self.games += len(shard.seeds)
        self.records += int(shard.records.sum())
        self.plies += int(shard.plies.sum())
        self._score += float(shard.final_score.astype(np.float64).mean(1).sum())
        self._winner += float(shard.final_score.astype(np.float64).max(1).sum())

    def numbers(self) -> dict[str, Any]:
        """Return the log entry."""
        games = max(1, self.games)
        return {
            "games": self.games,
            "records": self.records,
            "plies": self.plies,
            "score": round(self._score / games, 2),
            "best_score": round(self._winner / games, 2),
        }


def _learning(stage: str) -> str:
    """Return the name of a learning stage in the log."""
    return "learn" if stage == "generation" else "finish"


def _gate(stage: str) -> str:
    """Return the name of the gate of a learning stage in the log."""
    return "gate" if stage == "generation" else "finish gate"


def _check_step(path: Path, found: int, logged: int, again: str) -> None:
    """Refuse a saved learner that is not at the step of the log; `again`: the way out."""
    if found != logged:
        fault = (f"of another step ({found}, {LOG} says {logged})" if path.exists()
                 else f"missing, and {LOG} tells of {logged} steps")
        raise PavilionError(f"{path}: {fault}; {again}")


def _badly_learned(stage: str, number: int, why: str) -> Failure:
    """Return the error of a stage that made no network, with the way out."""
    if stage == "finish":
        return Failure(f"the finish learned badly: {why}; resume with a recipe whose finish"
                       " has a smaller rate")
    return Failure(f"generation {number} learned badly: {why}; begin in another folder, with a copy"
                   " of shards/ and a recipe with a smaller rate")


def _rate(settings: Generation | Finish, step: int, place: int, steps: int) -> float:
    """Return the learning rate.

    Args:
        step: step of the run.
        place: step within the stage.
        steps: number of steps of the stage.
    """
    rate = settings.rate
    if settings.end_rate is not None:
        rate += (settings.end_rate - rate) * place / steps
    return rate * min(1.0, (step + 1) / max(1, settings.warm_up))


def _rounded(losses: Losses) -> _Told:
    """Return losses for the log."""
    return {name: None if value is None else round(value, 5)
            for name, value in asdict(losses).items() if name != "samples"}


def _joined(before: _Told | None, last: _Told, steps: int) -> _Told:
    """Return the losses of a whole chunk, if any, and of the few steps after it, together.

    `far`, which is no mean, is the larger one.
    """
    joined = dict(last)
    for name, loss in (before or {}).items():
        other = joined.get(name)
        if loss is None or other is None:
            joined[name] = other if loss is None else loss
        elif name == "far":
            joined[name] = max(loss, other)
        else:
            joined[name] = round((CHUNK * loss + steps * other) / (CHUNK + steps), 5)
    return joined
