"""Fuzz the readers: `python -m tests.fuzz [TARGET...] [--seconds 600]`.

With atheris installed (extra `fuzz`, CPython up to 3.13) mutations follow the code that they reach,
each target in a process of its own; without it, or with --blind, they are random. Inputs that break
a promise are written to `--out`; after the repair they belong into `tests/fuzz/corpus`.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

from tests.fuzz.mutations import mutated
from tests.fuzz.targets import TARGETS, seeds

LONGEST = 20_000  # bytes of an input
SLOW_SECONDS = 20  # processor time of one input after which libFuzzer gives up


def blind(name: str, seconds: float, seed: int, out: Path, most: int = sys.maxsize) -> int:
    """Feed random mutations for some time; return how many, or raise what broke."""
    random, start = Random(seed), seeds(name)
    target, count, end = TARGETS[name], 0, time.monotonic() + seconds
    while time.monotonic() < end and count < most:
        data = mutated(random.choice(start), start, random)
        begun = time.thread_time()
        try:
            target(data)
            if time.thread_time() - begun > SLOW_SECONDS:
                raise TimeoutError(f"{time.thread_time() - begun:.1f} s")
        except Exception:
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"{name}-{seed}-{count}"
            path.write_bytes(data)
            print(f"{name}: {path}", file=sys.stderr)
            raise
        count += 1
    return count


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
             f"-max_total_time={round(seconds)}", f"-timeout={SLOW_SECONDS}", "-rss_limit_mb=2048",
             f"-max_len={10**6 if name in ('page', 'imported') else LONGEST}",
             f"-artifact_prefix={out}/{name}-", "-print_final_stats=1"], check=False)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], metavar="TARGET",
                        help=f"of {', '.join(TARGETS)}; default: all")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blind", action="store_true", help="random mutations, without atheris")
    parser.add_argument("--out", type=Path, default=Path("fuzz-found"))
    parser.add_argument("--guided", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.guided is not None:
        guided(given.targets[0], given.guided)
        return 0
    unguided = given.blind or importlib.util.find_spec("atheris") is None
    broken = []
    for name in given.targets or TARGETS:
        begun = time.monotonic()
        if unguided:
            try:
                count = blind(name, given.seconds, given.seed, given.out)
            except Exception:
                traceback.print_exc()
                broken.append(name)
            else:
                print(f"{name}: {count} inputs in {time.monotonic() - begun:.0f} s", flush=True)
        elif not run_guided(name, given.seconds, given.seed, given.out):
            broken.append(name)
    if broken:
        print(f"broken: {', '.join(broken)}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
