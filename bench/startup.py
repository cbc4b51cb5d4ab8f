"""What it costs to start: imports, help, the first simulation; and how large the wheel is.

    python -m bench.startup [--runs 15] [--wheel dist/NAME.whl] [--slack 1]

Prints the median and the fastest of the runs, in milliseconds of wall-clock time, from the start of
a process to its end or, where it says so, to the first line of its output, which comes after the
first simulation. Imports are told without the interpreter's own start, which is timed beside it.
If a median is not below its goal, times `--slack`, or a part of the wheel is not below its own, the
last line says so and the exit code is 1.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
import zipfile
from pathlib import Path

POSITION = Path(__file__).resolve().parent.parent / "examples" / "round3_draft_2p.code"
CLI = ["-m", "pavilion_ai"]
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import pavilion_ai": ["-c", "import pavilion_ai"],
    "import Play": ["-c", "from pavilion_ai import Play"],
    "pavilion --help": [*CLI, "--help"],
    "pavilion show POS": [*CLI, "show", str(POSITION)],
    "pavilion suggest POS --sims 1": [*CLI, "suggest", str(POSITION), "--sims", "1"],
}
FIRST = "first line of suggest POS --sims 1"
COMMANDS[FIRST] = COMMANDS["pavilion suggest POS --sims 1"]
GOALS = {"import pavilion_ai": 30, "pavilion --help": 150, FIRST: 250}
"""Milliseconds; the import counts without the interpreter's own start."""
WHEEL_GOALS = {"networks": 7.5, "core": 0.65, "the rest": 1.3, "all": 9.0}
"""Megabytes of a wheel and its parts; the rest is Python, the page and the puzzles."""


def milliseconds(name: str) -> float:
    """Return the time of one run."""
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, *COMMANDS[name]], stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        if name == FIRST:
            running.stdout.readline()
            taken = time.perf_counter() - began
        running.communicate()
    if name != FIRST:
        taken = time.perf_counter() - began
    if running.returncode:
        sys.exit(f"{name} ended with exit code {running.returncode}")
    return 1000 * taken


def wheel_parts(wheel: Path) -> dict[str, float]:
    """Return the megabytes that the parts of a wheel take in it, and those of the file."""
    with zipfile.ZipFile(wheel) as content:
        sizes = {end: sum(part.compress_size for part in content.infolist()
                          if part.filename.endswith(end)) for end in (".net", ".so", ".pyd")}
    parts = {"networks": sizes[".net"], "core": sizes[".so"] + sizes[".pyd"]}
    whole = wheel.stat().st_size
    parts |= {"the rest": whole - sum(parts.values()), "all": whole}
    return {name: size / 1e6 for name, size in parts.items()}


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--slack", type=float, default=1.0,
                        help="times the goals, for a busy or a slow machine")
    options = parser.parse_args()
    found: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(options.runs):  # in turn, so that a busy moment meets all alike
        for name in COMMANDS:
            found[name].append(milliseconds(name))
    missed = []
    print("| what | median, ms | fastest, ms | goal |\n|---|---|---|---|")
    for name, times in found.items():
        bare = found["python -c pass"] if name.startswith("import") else [0.0]
        goal = f"under {GOALS[name]}" if name in GOALS else ""
        median = statistics.median(times) - statistics.median(bare)
        print(f"| `{name}` | {median:.0f} | {min(times) - min(bare):.0f} | {goal} |")
        if name in GOALS and median >= GOALS[name] * options.slack:
            missed.append(name)
    if options.wheel is not None:
        parts = wheel_parts(options.wheel)
        print("\nwheel, MB: " + ", ".join(
            f"{name} {size:.2f} (goal under {WHEEL_GOALS[name]:g})"
            for name, size in parts.items()))
        missed += [f"{name} of the wheel" for name, size in parts.items()
                   if size >= WHEEL_GOALS[name]]
    if missed:
        sys.exit(f"goals missed: {', '.join(missed)}")


if __name__ == "__main__":
    main()
