"""Fit the points that searches with a network say are still to come to those of games.

    python tools/calibrate_scores.py --games 200                  # every shipped network
    python tools/calibrate_scores.py NETWORK.net --write

`pavilion train` does the same at the end of a run; this is for networks that exist. Each network
plays against itself without noise, by the searches of `default`. A factor within its error or
`LEAST` of 1 changes nothing; what a search has counted already is not scaled, so a second run after
`--write` finds the rest.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from pavilion_ai.errors import PavilionError, reason_of
from pavilion_ai.games import GAMES
from pavilion_ai.network import NETS, load_network, read_network, write_network
from pavilion_ai.search import tunables_for
from pavilion_ai.train.calibration import GainScale, fit_gain_scale
from pavilion_ai.train.play import Block, play_block, training_seed, without_noise
from pavilion_ai.train.quantise import read_whole
from pavilion_ai.train.shards import read_shard

LEAST = 0.02
"""Corrections below this are not made."""


def fitted(path: Path, games: int, sims: int) -> GainScale:
    """Return the factor of a network, from games that it plays."""
    header, _ = read_network(path)
    block = Block(
        header.game, header.board, header.players,
        tuple(training_seed("scores", number) for number in range(games)), path.read_bytes(),
        without_noise(sims),
        {**tunables_for(GAMES[header.game], load_network(path)), "rivals": 0.0})
    with TemporaryDirectory() as folder:
        shard = Path(folder) / "games"
        shard.write_bytes(play_block(block))
        return fit_gain_scale([read_shard(shard)])


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("networks", nargs="*", type=Path, help="default: the shipped ones")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--sims", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="put the factor into the file")
    options = parser.parse_args()
    if min(options.games, options.sims) < 1:
        parser.error("expected --games and --sims from 1 on")
    for path in options.networks or sorted(NETS.glob("*.net")):
        try:
            found = fitted(path, options.games, options.sims)
        except OSError as error:
            parser.error(f"{path}: {reason_of(error)}, expected a network file")
        except PavilionError as error:
            parser.error(str(error))
        significant = abs(found.gain_scale - 1) > max(found.gain_error, LEAST)
        print(f"{path.stem:20} {found.gain_scale:.3f} +- {found.gain_error:.3f}",
              "written" if options.write and significant else "", flush=True)
        if options.write and significant:
            header, net = read_whole(path)
            write_network(path, header, net.with_gains(found.gain_scale).payload)


if __name__ == "__main__":
    main()
