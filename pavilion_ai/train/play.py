"""Games for training and for gates, in any process: from a task to bytes or points.

Every random number follows from the seed in the task, so the result does not depend on the worker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pavilion_ai._core import Network, Search, SelfPlay
from pavilion_ai.analysis import win_shares
from pavilion_ai.frozen import freeze
from pavilion_ai.games import GAMES
from pavilion_ai.luck import Luck
from pavilion_ai.network import load_network, read_network
from pavilion_ai.play import Play
from pavilion_ai.search import tunables_for
from pavilion_ai.seeds import derived_seed
from pavilion_ai.train.shards import gather, shard_bytes
from pavilion_ai.version import __version__
from pavilion_ai.workers import check_version

TREE_BYTES = 1 << 23


def training_seed(*words: str | int) -> int:
    """Return the seed derived from these words.

    >>> training_seed("game", 1, 0, 0), training_seed("game", 1, 0, 1)
    (4626796777229686, 1392010228700103)
    """
    return derived_seed("train", *words)


def without_noise(sims: int) -> dict[str, Any]:
    """Return settings of self-play for games to calibrate by, not to learn moves from."""
    return {"full_sims": 2, "fast_sims": sims, "full_share": 0.0, "noise": 0.0, "drawn_share": 0.0}


@dataclass(frozen=True)
class Block:
    """Games of self-play that make up one shard.

    Attributes:
        game, board, players: the variant.
        seeds: one seed per game.
        network: content of the file of the network that plays, None for the linear heuristics.
        settings: settings of self-play.
        tunables: changes to the tunables of the search.
        version: version of the process that hands it out.
    """

    game: str
    board: str
    players: int
    seeds: tuple[int, ...]
    network: bytes | None
    settings: Mapping[str, Any]
    tunables: Mapping[str, Any]
    version: str = __version__

    def __post_init__(self) -> None:
        freeze(self, "settings", "tunables")


def play_block(block: Block) -> bytes:
    """Play the games of a block; return the file of the shard.

    Raises:
        WorkersError: this is another version than the one that hands out the block.
    """
    check_version(block.version)
    net = _network(block.network)
    rules = GAMES[block.game]
    player = SelfPlay(
        rules.core_class,
        block.players,
        rules.is_grey(block.board),
        net,
        memory_bytes=TREE_BYTES,
        **block.settings,
        **tunables_for(rules, net).for_self_play().changed(block.tunables),
    )
    games: dict[int, Mapping[str, Any]] = {
        seed: player.play(seed) or {} for seed in block.seeds}
    network = None if block.network is None else read_network(block.network)[0].sha256
    return shard_bytes(gather(
        block.game, block.board, block.players, games, network=network,
        tunables={**block.settings, **block.tunables}))


@dataclass(frozen=True)
class Deal:
    """A deal that a new network plays against the best one so far, once from every seat.

    Attributes:
        game, board, players: the variant.
        seed: seed of the opening, the draws and the searches.
        new: content of the file of the new network.
        old: content of the file of the other network, which plays all other seats; None for the
            linear heuristics.
        sims: simulations per decision.
        tunables: changes to the tunables of the search, for both networks.
        version: version of the process that hands it out.
    """

    game: str
    board: str
    players: int
    seed: int
    new: bytes
    old: bytes | None
    sims: int
    tunables: Mapping[str, Any]
    version: str = __version__

    def __post_init__(self) -> None:
        freeze(self, "tunables")


def play_deal(deal: Deal) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Play a deal from every seat.

    Returns:
        for each seat of the new network: its share of the victory, its score, and the mean score
        of the others.

    Raises:
        WorkersError: this is another version than the one that hands out the deal.
    """
    check_version(deal.version)
    new, old = _network(deal.new), _network(deal.old)
    found = [_play_game(deal, seat, new, old) for seat in range(deal.players)]
    points, own, others = zip(*found, strict=True)
    return points, own, others


def _play_game(
    deal: Deal, seat: int, new: Network | None, old: Network | None
) -> tuple[float, float, float]:
    play = Play.new(deal.game, board=deal.board, players=deal.players, seed=deal.seed)
    settings = [tunables_for(play.rules, network).changed(deal.tunables)
                for network in (new, old)]
    luck = Luck(deal.seed, 0, tied=True)
    decisions = 0
    while not play.is_over():
        if play.turn is None:
            luck.draw_in(play)
            continue
        state = play.state
        moves = state.moves(True)
        if len(moves) > 1:
            is_old = play.turn != seat
            search = Search(
                state,
                seed=training_seed("decision", deal.seed, seat, decisions),
                memory_bytes=TREE_BYTES,
                network=old if is_old else new,
                **settings[is_old],
            )
            search.run(deal.sims)
            best = max(search.rows(), key=lambda row: (row.visits, row.value))
            moves = [best.move]
        decisions += 1
        play.push(play.rules.move_text(play.position, moves[0]))
    scores = play.scores()
    others = sum(scores) - scores[seat]
    return (
        win_shares(play.winners(), deal.players)[seat],
        float(scores[seat]),
        others / (deal.players - 1),
    )


def _network(content: bytes | None) -> Network | None:
    return None if content is None else load_network(content)
