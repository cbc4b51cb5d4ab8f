"""The oracle and the package play the same games; at every ply all that they say must agree.

PAVILION_LOCKSTEP=N plays N times as many games; from 1 on they are drawn at random, instead of the
same ones every time.
"""

import json
import os
from random import Random

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.reference import summer as oracle
from tests.reference.table import read_table, unseen
from tests.reference.tiles import read_tiles, write_tiles

from .implementations import Core, Position
from .made_up import made_up_ending, made_up_position

FACTOR = float(os.environ.get("PAVILION_LOCKSTEP", "0"))
WHOLE_GAMES = 50
MADE_UP = 160
MADE_UP_PLIES = 20

SEEDS = st.integers(min_value=0, max_value=2**32 - 1)


def examples(count: int) -> settings:
    """Settings of a test that plays `count` games, times PAVILION_LOCKSTEP."""
    return settings(
        max_examples=max(1, round(count * (FACTOR or 1))),
        derandomize=FACTOR < 1,
        database=None,
        deadline=None,
        phases=[Phase.generate],  # a seed does not shrink; the failing ply is in the message
        suppress_health_check=list(HealthCheck),
    )


class Lockstep:
    """One game held by both implementations, each in its own form."""

    def __init__(self, core: Core, position: Position) -> None:
        self.core = core
        self.theirs = position
        self.ours = core.read(position)
        self.compare("(start)", position)

    def compare(self, move: str, before: Position) -> None:
        """Check that both stand at the same position; else show the one before and the move."""
        ours = self.core.notation.to_json(self.ours)
        if ours != self.theirs:
            keys = [key for key in self.theirs if ours.get(key) != self.theirs[key]]
            seen = {key: (ours.get(key), self.theirs[key]) for key in keys}
            raise AssertionError(f"{move} from {json.dumps(before)} differs: {seen}")

    def play(self, move: str) -> None:
        """Play a decision or a draw on both sides."""
        before = self.theirs
        self.theirs = oracle.apply(before, move)
        self.ours = self.core.game.apply(self.ours, move)
        self.compare(move, before)

    def check_moves(self) -> list[str]:
        """Compare the full lists of moves, free and maximal; return the free one."""
        for keep_policy in ["maximal", "free"]:
            theirs = oracle.legal_moves(self.theirs, keep_policy)
            ours = self.core.game.legal_moves(self.ours, keep_policy)
            assert ours == theirs, (keep_policy, json.dumps(self.theirs))
        assert self.core.game.chance(self.ours) == oracle.chance(self.theirs)
        return theirs

    def check_draw(self, move: str) -> None:
        """Compare what both think of a draw that may be impossible."""
        possible = oracle.possible_draw(self.theirs, move)
        try:
            self.core.game.apply(self.ours, move)
            accepted = True
        except ValueError:
            accepted = False
        assert accepted == possible, (move, json.dumps(self.theirs))

    def check_end(self) -> None:
        """Compare the results of a finished game."""
        assert self.core.game.winners(self.ours) == oracle.winners(self.theirs)
        ours = [dict(parts) for parts in self.core.game.breakdown(self.ours)]
        assert ours == oracle.breakdown(self.theirs), json.dumps(self.theirs)


def spoiled(move: str, position: Position, rng: Random) -> str:
    """Exchange tiles of a draw, with each other or for others: possible or not, who knows."""
    name, _, texts = move.partition(":")
    places = [read_tiles(text) for text in texts.split(",")]
    hidden = unseen(read_table(position))
    filled = [tiles for tiles in places if tiles]
    one, other = rng.choice(filled), rng.choice([*filled, hidden])
    at, to = rng.randrange(len(one)), rng.randrange(len(other))
    one[at], other[to] = other[to], one[at]
    return name + ":" + ",".join(write_tiles(tiles) for tiles in places)


def advance(game: Lockstep, rng: Random, eagerness: float) -> None:
    """Check and play one ply; `eagerness` is how often a placement is preferred to a pass."""
    moves = game.check_moves()
    if oracle.chance(game.theirs):
        move, _ = oracle.draw(game.theirs, rng)
        game.check_draw(spoiled(move, game.theirs, rng))
    else:
        placements = [move for move in moves if not move.startswith("pass:")]
        eager = placements and rng.random() < eagerness
        move = rng.choice(placements if eager else moves)
    game.play(move)


@examples(WHOLE_GAMES)
@given(
    seed=SEEDS,
    players=st.sampled_from([2, 3, 4]),
    board=st.sampled_from(["coloured", "grey"]),
    eagerness=st.sampled_from([0.5, 0.9, 1.0]),
)
def test_whole_games(core: Core, seed: int, players: int, board: str, eagerness: float) -> None:
    rng = Random(seed)
    game = Lockstep(core, oracle.new_game(players, board, rng))
    while game.theirs["phase"] != "over":
        advance(game, rng, eagerness)
    assert game.check_moves() == []
    game.check_end()


@examples(MADE_UP)
@given(seed=SEEDS, eagerness=st.sampled_from([0.2, 0.8, 1.0]))
def test_made_up_positions_with_shortages(core: Core, seed: int, eagerness: float) -> None:
    rng = Random(seed)
    game = Lockstep(core, made_up_position(rng))
    for _ in range(MADE_UP_PLIES):
        if game.theirs["phase"] == "over":
            game.check_end()
            break
        advance(game, rng, eagerness)


@examples(MADE_UP)
@given(seed=SEEDS, eagerness=st.sampled_from([0.0, 0.5, 1.0]))
def test_made_up_ends_of_rounds_and_games(core: Core, seed: int, eagerness: float) -> None:
    """Full boards: final bonuses are won, and rounds begin without a tile on the displays."""
    rng = Random(seed)
    game = Lockstep(core, made_up_ending(rng))
    for _ in range(6):
        if game.theirs["phase"] == "over":
            game.check_end()
            break
        advance(game, rng, eagerness)


@examples(MADE_UP // 4)
@given(seed=SEEDS)
def test_unknown_split_of_bag_and_tower(core: Core, seed: int) -> None:
    """With bag and tower null the split stays unknown, also after a draw that pours the tower."""
    rng = Random(seed)
    position = made_up_position(rng)
    game = Lockstep(core, {**position, "bag": None, "tower": None})
    for _ in range(MADE_UP_PLIES):
        if game.theirs["phase"] == "over":
            break
        advance(game, rng, 0.8)
        assert game.theirs["bag"] is None
        assert game.theirs["tower"] is None
