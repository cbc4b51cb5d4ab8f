"""Fuzz the readers: `python -m tests.fuzz [TARGET...] [--seconds 600] [--processes N]`.

With atheris installed (extra `fuzz`, CPython up to 3.13) mutations follow the code that they reach,
each target in a process of its own; without it, or with --blind, they are random. With --processes
all targets are fed at the same time by so many processes, each with seeds of its own, and a finding
ends nothing. Inputs that break a promise are written to `--out`; after the repair they belong into
`tests/fuzz/corpus`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random

from tests.fuzz.mutations import mutated
from tests.fuzz.targets import TARGETS, seeds

LONGEST = 20_000  # bytes of an input
SLOW_SECONDS = 20.0  # processor time of one input that is a finding, unless --slow names another
TURN_SECONDS = 10.0  # for which one of many processes feeds one target
SEEDS_APART = 1_000_000  # seeds of the turns of a process; more than there are processes
PATIENCE_SECONDS = 120.0  # for a last input, after the time given


@dataclass
class Fed:
    """What a reader was fed, also when an input broke it."""

    inputs: int = 0
    longest: float = 0.0
    """Seconds of processor time, of all threads, that the slowest input took."""


def blind(name: str, seconds: float, seed: int, out: Path, most: int = sys.maxsize,
          slow: float = SLOW_SECONDS, fed: Fed | None = None) -> Fed:
    """Feed random mutations for some time; return how many, or raise what broke.

    Args:
        slow: seconds of processor time; an input that takes more is a finding too.
        fed: filled in and returned.
    """
    random, start = Random(seed), seeds(name)
    fed = fed or Fed()
    target, end = TARGETS[name], time.monotonic() + seconds
    while time.monotonic() < end and fed.inputs < most:
        data = mutated(random.choice(start), start, random)
        begun = time.process_time()
        try:
            target(data)
            taken = time.process_time() - begun
            fed.longest = max(fed.longest, taken)
            if taken > slow:
                raise TimeoutError(f"{taken:.2f} s")
        except Exception:
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"{name}-{seed}-{fed.inputs}"
            path.write_bytes(data)
            print(f"{name}: {path}", file=sys.stderr)
            raise
        finally:
            fed.inputs += 1
    return fed


def guided(name: str, arguments: list[str]) -> None:
    """Let libFuzzer feed a target, in this process; it does not return."""
    import atheris  # type: ignore[import-not-found,unused-ignore]

    with atheris.instrument_imports(include=["pavilion_ai"]):
        for module in [one for one in sys.modules if one.startswith(("pavilion_ai", "tests."))]:
            if not module.endswith(("_core", "__main__")):
                del sys.modules[module]
        from tests.fuzz.targets import TARGETS as INSTRUMENTED
    atheris.Setup([sys.argv[0], *arguments], INSTRUMENTED[name])
    atheris.Fuzz()


def run_guided(name: str, seconds: float, seed: int, out: Path) -> bool:
    """Fuzz a target in a process of its own; tell whether it held."""
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(seeds(name)):
            if len(data) <= LONGEST or name in ("page", "imported"):
                (Path(corpus) / str(number)).write_bytes(data)
        out.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", name, "--guided", corpus, f"-seed={seed}",
             f"-max_total_time={round(seconds)}", f"-timeout={SLOW_SECONDS:.0f}",
             "-rss_limit_mb=2048",
             f"-max_len={10**6 if name in ('page', 'imported') else LONGEST}",
             f"-artifact_prefix={out}/{name}-", "-print_final_stats=1"], check=False)
    return done.returncode == 0


def feed(names: Sequence[str], seconds: float, seed: int, out: Path,
         slow: float = SLOW_SECONDS) -> None:
    """Feed targets in turn, as one of many processes; tell each turn as a line of JSON.

    A turn is told when it begins, so that its seed is known even if the process dies.
    """
    end = time.monotonic() + seconds
    for number, name in enumerate(islice(cycle(names), seed % len(names), None)):
        if time.monotonic() >= end:
            return
        own = seed + number * SEEDS_APART
        turn = {"target": name, "seed": own}
        print(json.dumps(turn), flush=True)
        fed, fault = Fed(), ""
        try:
            blind(name, min(TURN_SECONDS, end - time.monotonic()), own, out, slow=slow, fed=fed)
        except Exception as error:
            fault = "".join(traceback.format_exception_only(error)).strip()[:300]
        print(json.dumps({**turn, **asdict(fed), "fault": fault}), flush=True)


def run_many(
    names: Sequence[str], seconds: float, seed: int, out: Path, processes: int,
    slow: float = SLOW_SECONDS,
) -> int:
    """Let many processes feed targets; print the sums, and return how many faults there were."""
    words = [sys.executable, "-m", "tests.fuzz", *names, "--feed", "--seconds", str(seconds),
             "--out", str(out), "--slow", str(slow)]
    running = [subprocess.Popen([*words, "--seed", str(seed + number)], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
               for number in range(processes)]
    inputs, longest, faults = Counter[str](), dict[str, float](), list[str]()
    end = time.monotonic() + seconds + PATIENCE_SECONDS
    for process in running:
        try:
            said, _ = process.communicate(timeout=max(1.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
        turns = [json.loads(line) for line in said.splitlines()]
        for turn in turns:
            name = turn["target"]
            inputs[name] += turn.get("inputs", 0)
            longest[name] = max(longest.get(name, 0.0), turn.get("longest", 0.0))
            if turn.get("fault"):
                faults.append(f"{name}, seed {turn['seed']}: {turn['fault']}")
        if process.returncode:
            last = turns[-1] if turns else "before the first input"
            faults.append(f"status {process.returncode} of a process in {last}")
    sums = [f"{name}: {count} inputs, the slowest took {longest[name]:.2f} s"
            for name, count in inputs.items()]
    print("\n".join(faults + sums))
    print(f"{inputs.total()} inputs by {processes} processes in {seconds:.0f} s, "
          f"{len(faults)} findings")
    return len(faults)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], metavar="TARGET",
                        help=f"of {', '.join(TARGETS)}; default: all")
    parser.add_argument("--seconds", type=float, default=600.0,
                        help="for each target; with --processes, in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slow", type=float, default=SLOW_SECONDS, metavar="SECONDS",
                        help="processor time of one input that is a finding (random mutations)")
    parser.add_argument("--processes", type=int, help="so many at once, over all targets")
    parser.add_argument("--feed", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--blind", action="store_true", help="random mutations, without atheris")
    parser.add_argument("--out", type=Path, default=Path("fuzz-found"))
    parser.add_argument("--guided", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.guided is not None:
        guided(given.targets[0], given.guided)
        return 0
    names = given.targets or [*TARGETS]
    if given.feed:
        feed(names, given.seconds, given.seed, given.out, given.slow)
        return 0
    if given.processes:
        return 1 if run_many(names, given.seconds, given.seed, given.out, given.processes,
                             given.slow) else 0
    unguided = given.blind or importlib.util.find_spec("atheris") is None
    broken = []
    for name in names:
        begun = time.monotonic()
        if unguided:
            try:
                fed = blind(name, given.seconds, given.seed, given.out, slow=given.slow)
            except Exception:
                traceback.print_exc()
                broken.append(name)
            else:
                print(f"{name}: {fed.inputs} inputs in {time.monotonic() - begun:.0f} s, the "
                      f"slowest took {fed.longest:.2f} s", flush=True)
        elif not run_guided(name, given.seconds, given.seed, given.out):
            broken.append(name)
    if broken:
        print(f"broken: {', '.join(broken)}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
