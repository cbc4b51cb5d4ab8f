"""Random games in lockstep: see lockstep.py."""

from dataclasses import dataclass
from random import Random
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import azul_table, summer_table
from tests.reference.tiles import read_tiles, write_tiles

from . import azul_made_up, summer_made_up
from .implementations import ORACLES
from .lockstep import SEEDS, Lockstep, examples

WHOLE_GAMES = 50
MADE_UP = 160


@dataclass(frozen=True)
class Game:
    """What the tests need of a game.

    Attributes:
        table: reads its positions.
        made_up: makes up positions.
        discards: where tiles go before they return to the bag.
        plies, last_plies: played from a made-up position, and from a made-up ending.
    """

    table: ModuleType
    made_up: ModuleType
    discards: str
    plies: int
    last_plies: int

    def spoiled(self, move: str, game: Lockstep, rng: Random) -> str:
        """Exchange tiles of a draw, with each other or for others: possible or not, who knows."""
        letters = self.table.LETTERS
        name, _, texts = move.partition(":")
        places = [read_tiles(text, letters) for text in texts.split(",")]
        hidden = self.table.unseen(self.table.read_table(game.theirs))
        filled = [tiles for tiles in places if tiles]
        one, other = rng.choice(filled), rng.choice([*filled, hidden])
        at, to = rng.randrange(len(one)), rng.randrange(len(other))
        one[at], other[to] = other[to], one[at]
        return name + ":" + ",".join(write_tiles(tiles, letters) for tiles in places)

    def advance(self, game: Lockstep, rng: Random, eagerness: float) -> None:
        """Check and play one ply; `eagerness` is how often no pass and no floor line is chosen."""
        moves = game.check_moves()
        if game.oracle.chance(game.theirs):
            move, _ = game.oracle.draw(game.theirs, rng)
            game.check_draw(self.spoiled(move, game, rng))
        else:
            gains = [one for one in moves if not one.startswith("pass:") and not one.endswith("F")]
            move = rng.choice(gains if gains and rng.random() < eagerness else moves)
        game.play(move)

    def play_on(self, game: Lockstep, rng: Random, eagerness: float, plies: int) -> None:
        """Check and play so many plies, or to the end of the game."""
        for _ in range(plies):
            if game.theirs["phase"] == "over":
                game.check_end()
                break
            self.advance(game, rng, eagerness)


GAMES = {
    "summer": Game(summer_table, summer_made_up, "tower", plies=20, last_plies=6),
    "azul": Game(azul_table, azul_made_up, "lid", plies=25, last_plies=25),
}
every_game = pytest.mark.parametrize("name", GAMES)


@every_game
@examples(WHOLE_GAMES)
@given(
    seed=SEEDS,
    players=st.sampled_from([2, 3, 4]),
    board=st.sampled_from(["coloured", "grey"]),
    eagerness=st.sampled_from([0.5, 0.9, 1.0]),
)
def test_whole_games(name: str, seed: int, players: int, board: str, eagerness: float) -> None:
    rng = Random(seed)
    game = Lockstep(ORACLES[name].new_game(players, board, rng))
    while game.theirs["phase"] != "over":
        GAMES[name].advance(game, rng, eagerness)
    assert game.check_moves() == []
    game.check_end()


@every_game
@examples(MADE_UP)
@given(seed=SEEDS, eagerness=st.sampled_from([0.2, 0.8, 1.0]))
def test_made_up_positions_with_shortages(name: str, seed: int, eagerness: float) -> None:
    rng, kind = Random(seed), GAMES[name]
    kind.play_on(Lockstep(kind.made_up.made_up_position(rng)), rng, eagerness, kind.plies)


@every_game
@examples(MADE_UP)
@given(seed=SEEDS, eagerness=st.sampled_from([0.0, 0.5, 0.8, 1.0]))
def test_made_up_ends_of_rounds_and_games(name: str, seed: int, eagerness: float) -> None:
    """Full boards: bonuses are won, and rounds begin with few tiles or with none."""
    rng, kind = Random(seed), GAMES[name]
    kind.play_on(Lockstep(kind.made_up.made_up_ending(rng)), rng, eagerness, kind.last_plies)


@every_game
@examples(MADE_UP // 4)
@given(seed=SEEDS)
def test_unknown_split_of_bag_and_discards(name: str, seed: int) -> None:
    """With both null the split stays unknown, also after a draw that pours the discards."""
    rng, kind = Random(seed), GAMES[name]
    position = kind.made_up.made_up_position(rng)
    game = Lockstep({**position, "bag": None, kind.discards: None})
    for _ in range(kind.plies):
        if game.theirs["phase"] == "over":
            break
        kind.advance(game, rng, 0.8)
        assert game.theirs["bag"] is None
        assert game.theirs[kind.discards] is None
