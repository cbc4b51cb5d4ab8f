"""The comparison of networks between two rounds (bench/afterstates.py)."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.afterstates import (
    DRAW_STREAM,
    GUESSED,
    PLAYED_ON,
    Guess,
    Setting,
    after_deals,
    by_network,
    by_playouts,
    last_choices,
    lost,
    report,
    report_choices,
    squashed,
)
from pavilion_ai._core import AzulState
from pavilion_ai.games import GAMES, Rng
from pavilion_ai.network import NETS
from pavilion_ai.search import tunables_for
from pavilion_ai.train.play import training_seed
from tests.search.networks import network, network_file
from tests.search.support import EVERY_VARIANT, search, walk

ROOT = Path(__file__).parents[2]


def test_squashed_leads() -> None:
    assert squashed([10, 10, 4]) == pytest.approx([0.5, 0.5, 1 / (1 + np.exp(0.4))])
    assert squashed([40, 10]) == pytest.approx([0.5 + 0.5 * np.tanh(1), 0.5 - 0.5 * np.tanh(1)])


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_a_network_says_what_the_search_takes_from_it(
    game: str, players: int, grey: bool
) -> None:
    """The last decision of a round, valued by the search, seat by seat."""
    net, checked = network(game, players), set()
    for state in walk(players, grey, 11, game):
        after = state.copy()
        after.apply(state.moves(True)[0])
        if not after.between_rounds or after.over:
            continue
        tree = search(state, network=net, max_depth=1)
        tree.run(1)
        row = next(row for row in tree.rows() if row[1])
        after = state.copy()
        after.apply(row[0])
        if after.between_rounds:
            assert row[4] == pytest.approx(by_network(after, net)[0], abs=1e-6)
            checked.add(after.fields()[5])
    assert checked


def test_report_compares_on_the_same_positions(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(200):
        won = np.eye(2)[rng.integers(2)]
        guesses = [(np.array([0.5, 0.5]), np.array([0.5, 0.5])), (0.8 * won + 0.1, won)]
        rows.append((2, guesses, (won, won)))
    report(rows, ["guess", "oracle"])
    guess, oracle = capsys.readouterr().out.splitlines()[1:]
    assert guess.split() == ["2", "200", "guess", "0.6931", "250.00"]
    name, nats, less, *_, lead = oracle.split()
    assert name == "oracle"
    assert float(nats) < 0.02 < 0.67 < float(less)
    assert lead == "0.00"


def test_report_tells_how_far_from_what_playing_on_finds(
    capsys: pytest.CaptureFixture[str]
) -> None:
    rng, leads = np.random.default_rng(2), np.array([0.5, 0.5])
    rows = []
    for share in rng.uniform(0.1, 0.9, 400):
        won = np.eye(2)[int(rng.random() > share)]
        known = np.array([share, 1 - share])
        guesses = [(shares, leads) for shares in
                   (np.array([0.5, 0.5]), known**2 / (known**2).sum(), known)]
        rows.append((3, guesses, (won, leads)))
    report(rows, ["even", "too sure", PLAYED_ON])
    even, too_sure, played_on = (line.split() for line in capsys.readouterr().out.splitlines()[1:])
    entropy = np.mean([-(known[0] * np.log(known[0])).sum() for _, (*_, known), _ in rows])
    assert float(even[-1]) == pytest.approx(np.log(2) - entropy, abs=1e-3)
    assert float(too_sure[-1]) == float(played_on[-1]) == pytest.approx(0, abs=1e-3)


def test_playing_on_finds_the_favourite() -> None:
    """A position between rounds in which a seat has won but for the formalities."""
    net = network("azul", 2)
    ends = []
    for state in walk(2, False, 5, "azul"):
        state.apply(state.moves(True)[0])
        if state.between_rounds and not state.over:
            ends.append(state)
    *others, seats = ends[-1].fields()
    ahead = AzulState(*others, (seats[0], (150, *seats[1][1:])))
    before = ahead.fields()

    def found(playouts: int) -> Guess:
        return by_playouts(ahead, 3, playouts, 2, net, tunables_for(GAMES["azul"], net))

    shares, leads = found(36)
    assert shares == pytest.approx(np.array([GUESSED / 2, GUESSED / 2 + 36]) / (GUESSED + 36))
    assert leads[0] < 0.1 < 0.9 < leads[1]
    assert np.array_equal(found(36)[0], shares)
    assert ahead.fields() == before


def test_what_a_choice_loses() -> None:
    """Three moves that win 0.2, 0.5 and 0.8; predictors that favour the last, the first, none."""
    shares = np.array([0.2, 0.5, 0.8])
    guessed = np.array([[0.1, 0.9, 0.5], [0.2, 0.8, 0.5], [0.3, 0.1, 0.5]])
    came = np.repeat(shares[:, None], 6, 1)
    assert lost(guessed, came) == pytest.approx([0, 0.6, 0.6, 0.3])
    # One half finds the best move, the other one judges: what is noise costs nothing on average.
    rng = np.random.default_rng(3)
    noise = [lost(guessed, (rng.random((3, 20)) < 0.5).astype(float)) for _ in range(4000)]
    assert np.mean(noise, 0) == pytest.approx([0, 0, 0, 0], abs=0.01)


@pytest.mark.parametrize("players", [2, 3])
def test_last_choices_of_rounds(players: int) -> None:
    setting = Setting("azul", "coloured", players, (), 8, 4, 2, 0, 0)
    rows = [row for seed in range(8) for row in last_choices(setting, seed)]
    assert {number for number, _ in rows} > {2, 3}
    assert all(costs.shape == (3,) and np.all(abs(costs) <= 1) for _, costs in rows)
    again = [row for seed in range(8) for row in last_choices(replace(setting, only=3), seed)]
    assert [tuple(costs) for _, costs in again] == [
        tuple(costs) for number, costs in rows if number == 3]


def test_report_of_choices_compares_with_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(4, np.array([0.02, 0.01, 0.3])) for _ in range(60)] + [(5, np.array([0.1, 0.2, 0.3]))]
    report_choices(rows, ["package", "other"])
    head, package, other, any_move = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["before", "round"]
    assert package.split() == ["4", "60", "package", "2.000", "+-", "0.000"]
    assert other.split() == ["other", "1.000", "+-", "0.000", "1.000", "+-", "0.000"]
    assert any_move.split()[-3:] == ["-28.000", "+-", "0.000"]
    report_choices(rows[-1:], ["package", "other"])
    assert capsys.readouterr().out == "no round has 50 of them in these games\n"


@pytest.mark.parametrize(("game", "players", "grey"), EVERY_VARIANT)
def test_what_a_network_says_after_deals(game: str, players: int, grey: bool) -> None:
    """As of the positions that are dealt: the mean over several is that of each."""
    net = network(game, players)
    end = GAMES[game].to_core(GAMES[game].new("grey" if grey else "coloured", players, 1))
    while not end.between_rounds:
        if end.to_move < 0:
            end.draw(Rng(1))
        else:
            end.apply(end.moves(True)[0])
    asked = []
    for number in range(3):
        dealt = end.copy()
        dealt.draw(Rng(training_seed("deal", 5, end.round, number), DRAW_STREAM))
        asked.append(by_network(dealt, net)[0])
    assert after_deals(end, 5, 1, net)[0] == pytest.approx(asked[0])
    assert after_deals(end, 5, 3, net)[0] == pytest.approx(np.mean(asked, 0))
    assert not np.allclose(asked[0], asked[1])


def test_as_a_command(tmp_path: Path) -> None:
    file = network_file(tmp_path, "azul", False, 2)
    done = subprocess.run(
        [sys.executable, "bench/afterstates.py", file, "--game", "azul", "--games", "60",
         "--sims", "8", "--jobs", "2", "--deals", "2", "--playouts", "2",
         "--playout-sims", "2"],
        cwd=ROOT, text=True, capture_output=True, check=True, timeout=300)
    lines = done.stdout.splitlines()
    words = {word for line in lines for word in line.split()}
    assert {"package", "linear", file.stem, "deals", "played"} <= words


def test_choices_as_a_command(tmp_path: Path) -> None:
    file = network_file(tmp_path, "azul", False, 3)
    done = subprocess.run(
        [sys.executable, "bench/afterstates.py", file, "--game", "azul", "--players", "3",
         "--games", "120", "--sims", "4", "--choices", "--round", "4", "--playouts", "2",
         "--playout-sims", "1"],
        cwd=ROOT, text=True, capture_output=True, check=True, timeout=300)
    _, *lines = done.stdout.splitlines()
    assert lines[0].split()[0] == "4"
    names = [line[23:43].strip() for line in lines]
    assert names == ["package", "linear", file.stem, "any move"]


@pytest.mark.parametrize(("arguments", "complaint"), [
    (["none.net"], "none.net: No such file or directory"),
    (["--games", "0"], "expected --games, --sims, --playout-sims and --jobs from 1 on,"
     " --deals, --playouts and --round from 0 on"),
    (["--playouts", "-1"], "--deals, --playouts and --round from 0 on"),
    (["--deals", "-1"], "--deals, --playouts and --round from 0 on"),
    (["--playout-sims", "0"], "--playouts and --round from 0 on"),
    (["--round", "-1"], "--playouts and --round from 0 on"),
    (["--choices"], "expected --playouts from 2 on: playing on judges the choices"),
    (["--board", "gray"], "board 'gray': expected one of coloured, grey"),
    ([str(NETS / "azul-grey-2.net")], "expected one for summer, coloured, 2 players"),
])
def test_one_line_for_what_cannot_be_compared(arguments: list[str], complaint: str) -> None:
    done = subprocess.run([sys.executable, "bench/afterstates.py", *arguments], cwd=ROOT, text=True,
                          capture_output=True, check=False, timeout=300)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(complaint)
