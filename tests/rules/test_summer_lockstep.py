"""Random games of Summer Pavilion in lockstep: see lockstep.py."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.reference import summer as oracle
from tests.reference.table import read_table, unseen
from tests.reference.tiles import read_tiles, write_tiles

from .implementations import Core, Position
from .lockstep import SEEDS, Lockstep, examples
from .summer_made_up import made_up_ending, made_up_position

WHOLE_GAMES = 50
MADE_UP = 160
MADE_UP_PLIES = 20


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
