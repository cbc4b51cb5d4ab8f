# distutils: language = c
"""The compiled core: rules and search of the games, and nothing else.

Numbers at this boundary. Multisets of tiles are counts by colour; phases are numbered in the order
of docs/notation.md; -1 stands for null.

Summer Pavilion: colours in wild order (P G O Y B R = 0..5); spaces are 6 * site + position - 1 with
sites W NW NE E SE SW C; phases draft, place, bonus, deal, supply, over = 0..5. A move is a tuple:

    (0, source, colour)             draft; source 0-8 a display, 9 the centre
    (1, space, colour, own)         place, paying `own` tiles of the colour, the rest in wilds
    (2, n0, ..., n5)                take bonus tiles
    (3, n0, ..., n5)                pass, keeping these tiles

Base Azul: colours B Y R K W = 0..4; lines, wall rows and columns from 0; phases draft, wall, deal,
over = 0..3. A move is a tuple:

    (0, source, colour, line)       draft to a line 0-4, or 5 the floor line
    (1, line, column)               the tile of a full line to a column, 5: no column is legal

Sections (A3.3, B4 and so on) are those of the rules specification.
"""

from copyreg import __newobj__

cimport cython
from libc.stdint cimport int64_t, uint32_t

from pavilion_ai._c.any_state cimport About, any_about, any_new, any_random_game
from pavilion_ai._c.azul cimport AZUL_FLOOR, AZUL_MOVE_TAKE, AZUL_MOVE_TILE
from pavilion_ai._c.azul_features cimport AZUL_EVALUATION, AZUL_LINEAR, AZUL_POLICY
from pavilion_ai._c.azul_inputs cimport AZUL_SEAT, AZUL_SHARED
from pavilion_ai._c.bag cimport CENTRE, SEATS
from pavilion_ai._c.batch cimport (
    OBSERVE_COUNTS, OBSERVE_FEATURES, OBSERVE_SCALED, REWARD_DENSE, REWARD_SCORE, REWARD_WIN,
)
from pavilion_ai._c.bits cimport bits_init
from pavilion_ai._c.rng cimport Xoshiro, rng_below, rng_is_sound, rng_next, rng_seed
from pavilion_ai._c.rules cimport MAX_SEATS
from pavilion_ai._c.scratch cimport SELECT_EVEN, SELECT_PUCT, SELECT_UCB
from pavilion_ai._c.summer cimport (
    SUMMER_MOVE_BONUS, SUMMER_MOVE_DRAFT, SUMMER_MOVE_PASS, SUMMER_MOVE_PLACE, summer_tables_init,
)
from pavilion_ai._c.summer_actions cimport summer_actions_init
from pavilion_ai._c.summer_features cimport SUMMER_EVALUATION, SUMMER_LINEAR, SUMMER_POLICY
from pavilion_ai._c.summer_inputs cimport SUMMER_SEAT, SUMMER_SHARED
from pavilion_ai._c.tiles cimport tiles_init
from pavilion_ai._c.together cimport CAN_SHARE

cdef int64_t MOST_GAMES = 10**12

bits_init()
tiles_init()
summer_tables_init()
summer_actions_init()

# A C name cannot be a Python name as well, so the constants that Python shares go into the module's
# dictionary under the names they have in C.
globals().update({
    "CENTRE": CENTRE,
    "SUMMER_MOVE_DRAFT": SUMMER_MOVE_DRAFT,
    "SUMMER_MOVE_PLACE": SUMMER_MOVE_PLACE,
    "SUMMER_MOVE_BONUS": SUMMER_MOVE_BONUS,
    "SUMMER_MOVE_PASS": SUMMER_MOVE_PASS,
    "AZUL_MOVE_TAKE": AZUL_MOVE_TAKE,
    "AZUL_MOVE_TILE": AZUL_MOVE_TILE,
    "AZUL_FLOOR": AZUL_FLOOR,
    "SELECT_PUCT": SELECT_PUCT,
    "SELECT_UCB": SELECT_UCB,
    "SELECT_EVEN": SELECT_EVEN,
    "SMALLEST_ARENA": SMALLEST_ARENA,
    "CAN_SHARE": CAN_SHARE,
    "REWARD_WIN": REWARD_WIN,
    "REWARD_SCORE": REWARD_SCORE,
    "REWARD_DENSE": REWARD_DENSE,
    "OBSERVE_COUNTS": OBSERVE_COUNTS,
    "OBSERVE_SCALED": OBSERVE_SCALED,
    "OBSERVE_FEATURES": OBSERVE_FEATURES,
})


cdef class Rng:
    """Rng(seed, stream=0)\n--\n
    xoshiro256**: equal (seed, stream) give equal numbers on every machine. A copy, or what is
    pickled, continues as the original would.

    Args:
        seed: any integer; its low 64 bits count.
        stream: number of an independent sequence of the same seed.
    """

    cdef Xoshiro state

    def __cinit__(self):
        rng_seed(&self.state, 0, 0)         # until `__init__` or `__setstate__` is called

    def __init__(self, seed, stream=0):
        rng_seed(&self.state, low_bits(seed, "seed"), low_bits(stream, "stream"))

    @cython.critical_section
    def next(self):
        """Return 64 random bits."""
        return rng_next(&self.state)

    @cython.critical_section
    def below(self, n):
        """Return a number from 0 to n - 1; ValueError if n is not from 1 to 2**32 - 1."""
        cdef int64_t bound = check_long(n, 1, 0xFFFFFFFF, "the bound")
        return rng_below(&self.state, <uint32_t> bound)

    @cython.critical_section
    def __reduce__(self):
        words = tuple([self.state.word[i] for i in range(4)])
        return __newobj__, (type(self),), (words, getattr(self, "__dict__", None))

    def __setstate__(self, state):
        cdef Xoshiro rng
        words, attributes = state
        rng.word[0], rng.word[1], rng.word[2], rng.word[3] = words
        if not rng_is_sound(&rng):
            raise ValueError("the random numbers are all 0")
        with cython.critical_section(self):
            self.state = rng
        if attributes:
            self.__dict__.update(attributes)


include "_tiles.pxi"
include "_state.pxi"
include "_summer.pxi"
include "_azul.pxi"
include "_network.pxi"
include "_search.pxi"
include "_selfplay.pxi"
include "_training.pxi"
include "_batch.pxi"
include "_guided.pxi"


def random_games(State state not None, games, seed):
    """Play uniformly random games (keep_policy maximal) with the players and board of `state`.

    Returns:
        decisions made in all, and the sum of the final scores by seat.

    Raises:
        ValueError: the number of games is below 0 or above 10**12, or the state was not made.
    """
    cdef int64_t number = check_long(games, 0, MOST_GAMES, "games")
    cdef State played = state.duplicate()
    cdef About about = any_about(state.any)
    cdef int players = about.players, s
    cdef bint grey = about.grey
    cdef Xoshiro rng
    cdef int64_t[MAX_SEATS] points
    cdef int64_t plies = 0, i
    if not players:
        raise ValueError("this state was not made")
    for s in range(MAX_SEATS):
        points[s] = 0
    rng_seed(&rng, low_bits(seed, "seed"), 0)
    with nogil:
        for i in range(number):
            any_new(played.any, players, grey, <int> (i % players), &rng)
            plies += any_random_game(played.any, &rng)
            about = any_about(played.any)
            for s in range(players):
                points[s] += about.scores[s]
    return plies, [points[s] for s in range(players)]


def input_groups(cls, players):
    """Return the groups of a network's inputs: name, first number, size, and whether it is the
    one-hot of a number. They tile all numbers from 0 on."""
    cdef list out = []
    check(players, 2, SEATS, "players")
    shared, shared_size, seat, seat_size = _INPUT_GROUPS[cls]
    blocks = [("", 0, shared)]
    for i in range(players):
        blocks.append((f"seat{i}.", shared_size + i * seat_size, seat))
    for prefix, base, groups in blocks:
        for name, first, alike, numbers, ordered in groups:
            for i in range(alike):
                out.append((f"{prefix}{name}.{i}" if alike > 1 else prefix + name,
                            base + first + i * numbers, numbers, ordered))
    return out


def network_inputs(cls, players):
    """Return the number of inputs of a network."""
    check(players, 2, SEATS, "players")
    _, shared_size, _, seat_size = _INPUT_GROUPS[cls]
    return shared_size + players * seat_size


def input_axes(cls):
    """Return the axes of groups of inputs that change under the symmetries of a grey board, as in
    `pavilion_ai.train.symmetry`, by the group's name without seat and number."""
    return dict(_INPUT_AXES[cls])


def policy_groups(cls):
    """Return the same for policy features: name, first number, size and axes of each group."""
    return list(_POLICY_GROUPS[cls])


_STATE_CLASSES = (SummerState, AzulState)

# The groups of shared inputs and of a seat's inputs, and their numbers of inputs.
_INPUT_GROUPS = {
    SummerState: (_SUMMER_SHARED_GROUPS, SUMMER_SHARED, _SUMMER_SEAT_GROUPS, SUMMER_SEAT),
    AzulState: (_AZUL_SHARED_GROUPS, AZUL_SHARED, _AZUL_SEAT_GROUPS, AZUL_SEAT),
}
_INPUT_AXES = {SummerState: _SUMMER_INPUT_AXES, AzulState: _AZUL_INPUT_AXES}
# Lengths of axes, the shared parts of an observation, and a seat's.
_OBSERVATIONS = {
    SummerState: (_SUMMER_AXES, _SUMMER_PARTS, _SUMMER_SEAT_PARTS),
    AzulState: (_AZUL_AXES, _AZUL_PARTS, _AZUL_SEAT_PARTS),
}
_POLICY_GROUPS = {SummerState: _SUMMER_POLICY_GROUPS, AzulState: _AZUL_POLICY_GROUPS}
# Numbers of policy features, wide ones included; of those of the fitted linear policy, which come
# first; and of evaluation features.
POLICY_SIZES = {SummerState: SUMMER_POLICY, AzulState: AZUL_POLICY}
LINEAR_SIZES = {SummerState: SUMMER_LINEAR, AzulState: AZUL_LINEAR}
EVALUATION_SIZES = {SummerState: SUMMER_EVALUATION, AzulState: AZUL_EVALUATION}
