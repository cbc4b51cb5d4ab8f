"""Race the core against a plain C++ program, both playing uniformly random games on one core.

    python -m bench.against_reference --rounds 15 --seconds 0.5

Compiles bench/reference/naive.cpp with g++ -O3 into a temporary folder and alternates rounds of the
two programs, so that both suffer the same disturbances. Prints the games per second of processor
time of both and the ratio of each pair of rounds: median, quartiles, extremes. Fails if the two do
not play the same game: mean numbers of decisions and mean scores must agree.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from pavilion_ai._core import Rng, SummerState, random_games
from pavilion_ai.bench import machine
from pavilion_ai.version import __version__

SOURCE = Path(__file__).parent / "reference" / "naive.cpp"
FLAGS = ["-std=c++17", "-O3"]
FIRST_GAMES = 1000
PLIES_SPREAD, SCORE_SPREAD = 5.0, 7.0
"""Standard deviations of a game's decisions and scores, rounded up."""

Round = tuple[int, float, int, list[int]]
"""Games, seconds of processor time, decisions, points by seat."""


def compile_reference(folder: str) -> tuple[Path, str]:
    """Compile the plain program; return its path, and the compiler with its flags."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise SystemExit("error: found no g++, which compiles the reference program")
    program = Path(folder) / "naive"
    subprocess.run([compiler, *FLAGS, "-o", str(program), str(SOURCE)], check=True)
    version = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True)
    return program, f"{version.stdout.splitlines()[0]}, {' '.join(FLAGS)}"


def play_reference(program: Path, games: int, seed: int) -> Round:
    """Play games with the plain program, which measures the time itself."""
    done = subprocess.run(
        [str(program), str(games), str(seed)], check=True, capture_output=True, text=True)
    number, seconds, plies, *points = done.stdout.split()
    return int(number), float(seconds), int(plies), [int(score) for score in points]


def play_core(games: int, seed: int) -> Round:
    """Play games with the package's core."""
    state = SummerState.new(2, False, 0, Rng(0))
    started = time.process_time()
    plies, points = random_games(state, games, seed)
    return games, time.process_time() - started, plies, points


def means(rounds: list[Round]) -> tuple[float, float]:
    """Return decisions per game and points per seat."""
    games = sum(row[0] for row in rounds)
    return (sum(row[2] for row in rounds) / games,
            sum(sum(row[3]) / len(row[3]) for row in rounds) / games)


def check_same_game(core: list[Round], reference: list[Round]) -> None:
    """Exit if the two programs do not play the same game."""
    fewest = min(sum(row[0] for row in rounds) for rounds in (core, reference))
    pairs = zip(("decisions", "score"), means(core), means(reference),
                (PLIES_SPREAD, SCORE_SPREAD), strict=True)
    for what, ours, theirs, spread in pairs:
        print(f"mean {what:10} core {ours:9.3f}   reference {theirs:9.3f}")
        if abs(ours - theirs) > 6 * spread / fewest**0.5:
            raise SystemExit(f"error: the {what} differ, the two do not play the same game")


def speeds(rounds: list[Round]) -> str:
    """Describe the games per second of some rounds."""
    each = sorted(row[0] / row[1] for row in rounds)
    return f"{statistics.median(each):10,.0f} (from {each[0]:,.0f} to {each[-1]:,.0f})"


def main() -> None:
    """Parse the command line, race, report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.5, help="of a round of each program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program, compiler = compile_reference(folder)
        many = [
            max(1, int(games * options.seconds / seconds))
            for games, seconds, *_ in (play_reference(program, FIRST_GAMES, 0),
                                       play_core(5 * FIRST_GAMES, 0))]
        reference, core = [], []
        for seed in range(1, options.rounds + 1):
            reference.append(play_reference(program, many[0], seed))
            core.append(play_core(many[1], seed))
    ratios = [a[0] / a[1] * b[1] / b[0] for a, b in zip(core, reference, strict=True)]
    low, middle, high = (
        statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3)
    print(f"{machine()}\npavilion-ai {__version__}; reference: {compiler}")
    print(f"{options.rounds} rounds of {options.seconds:g} s in turn, 2 players, coloured side")
    check_same_game(core, reference)
    print(f"games/s of the core      {speeds(core)}")
    print(f"games/s of the reference {speeds(reference)}")
    print(f"ratio {middle:.2f} (quartiles {low:.2f} and {high:.2f},"
          f" from {min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
