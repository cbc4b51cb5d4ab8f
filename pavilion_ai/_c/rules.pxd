# The contract between the rules of a game and everything that searches or counts: a fused type
# over the states and about ten functions on it. A further game is a further line in each.
#
# A move is 32 bits; its low 3 bits are the kind, the rest is laid out beside the rules of the
# game (summer.pxd). Utilities and probabilities are by seat.

from libc.stdint cimport uint32_t
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.summer cimport (
    BONUS, DEAL, OVER, SEATS, SUMMER_MOVES, SummerSeat, SummerState, summer_apply,
    summer_is_chance,
)
from pavilion_ai._c.summer_chance cimport summer_determinise, summer_draw, summer_draw_lowest
from pavilion_ai._c.summer_features cimport summer_evaluate
from pavilion_ai._c.summer_moves cimport summer_moves, summer_random_game
from pavilion_ai._c.summer_policy cimport summer_policy_move, summer_search_moves
from pavilion_ai._c.tiles cimport contains, unfold

ctypedef fused GameState:
    SummerState

cdef enum:
    MAX_MOVES = SUMMER_MOVES   # room for the longest list of legal moves
    MAX_SEATS = SEATS


cdef inline int game_moves(const GameState* st, bint maximal, uint32_t* out) noexcept nogil:
    """List the legal moves; 0 in chance phases and at the end."""
    return summer_moves(st, maximal, out)


cdef inline void game_apply(GameState* st, uint32_t move) noexcept nogil:
    """Play a legal move; stops at a chance phase."""
    summer_apply(st, move)


cdef inline bint game_is_chance(const GameState* st) noexcept nogil:
    return summer_is_chance(st)


cdef inline bint game_is_over(const GameState* st) noexcept nogil:
    return st.phase == OVER


cdef inline void game_draw(GameState* st, Xoshiro* rng) noexcept nogil:
    """Settle a chance phase at random; the split of bag and discards must be known."""
    summer_draw(st, rng)


cdef inline void game_draw_lowest(GameState* st) noexcept nogil:
    """Settle a chance phase by perft's fixed draw."""
    summer_draw_lowest(st)


cdef inline void game_determinise(GameState* st, Xoshiro* rng) noexcept nogil:
    """Give hidden parts of the state a content, uniformly."""
    summer_determinise(st, rng)


cdef inline uint32_t game_policy_move(const GameState* st, Xoshiro* rng) noexcept nogil:
    """A move drawn from the fitted policy."""
    return summer_policy_move(st, rng, False)


cdef inline int game_search_moves(const GameState* st, bint drawn, uint32_t* out,
                                  int* logits) noexcept nogil:
    """The moves that the tree looks at and their policy logits in 1/256.

    drawn: tiles were drawn since the root, so the node will be met with other draws too; then
    moves that other draws would allow are listed as well, and game_available() tells which apply.
    """
    return summer_search_moves(st, drawn and st.phase == BONUS, out, logits)


cdef inline bint game_draws_matter(const GameState* st) noexcept nogil:
    """Whether the legal moves here depend on tiles drawn since the start of the round."""
    return st.phase == BONUS


cdef inline bint game_available(const GameState* st, uint32_t move) noexcept nogil:
    """Whether a move listed at a node where draws matter is legal with the present draws."""
    return contains(st.supply, unfold(move >> 3))


cdef inline bint game_at_horizon(const GameState* st) noexcept nogil:
    """Whether simulations end here: between two rounds, and at the end."""
    return st.phase == DEAL or st.phase == OVER


cdef inline void game_evaluate(const GameState* st, double* scores, double* scale) noexcept nogil:
    """Expected final scores at the horizon, and points per logit of winning (0: exact)."""
    summer_evaluate(st, scores, scale)


cdef inline size_t game_bytes(const GameState* st) noexcept nogil:
    """Bytes of the state that are in use: the seats come last."""
    return sizeof(GameState) - (SEATS - st.players) * sizeof(SummerSeat)


cdef inline int game_random_game(GameState* st, Xoshiro* rng) noexcept nogil:
    """Play uniformly over the full legal list (keep_policy maximal) to the end; number of plies."""
    return summer_random_game(st, rng, True)
