# The contract between the rules of a game and all code that plays, searches or counts: a fused type
# over the states and the functions on it. Each further game adds one branch to each function.
#
# A move is 32 bits; its low 3 bits are the kind, the rest is laid out beside the rules of the
# game (summer.pxd, azul.pxd). Utilities and probabilities are by seat.

from libc.stdint cimport int16_t, uint8_t, uint16_t, uint32_t, uint64_t
from pavilion_ai._c.azul cimport (
    AZUL_DEAL, AZUL_OVER, AzulSeat, AzulState, azul_apply, azul_is_chance,
)
from pavilion_ai._c.azul_actions cimport (
    azul_action, azul_action_count, azul_action_move, azul_mask, azul_observation_size,
    azul_observe,
)
from pavilion_ai._c.azul_chance cimport (
    azul_determinise, azul_draw, azul_draw_lowest, azul_draw_tied, azul_new,
)
from pavilion_ai._c.azul_features cimport azul_evaluate
from pavilion_ai._c.azul_inputs cimport azul_inputs, azul_viewer
from pavilion_ai._c.azul_moves cimport azul_moves, azul_random_game, azul_random_move
from pavilion_ai._c.azul_policy cimport azul_net_table, azul_policy_move, azul_search_moves
from pavilion_ai._c.azul_sound cimport azul_sound
from pavilion_ai._c.bag cimport SEATS, hide_split
from pavilion_ai._c.finish cimport Finish
from pavilion_ai._c.net cimport Net
from pavilion_ai._c.rng cimport SPLITMIX_STEP, Xoshiro, splitmix_mix
from pavilion_ai._c.summer cimport (
    SUMMER_BONUS, SUMMER_DEAL, SUMMER_MOVES, SUMMER_OVER, SummerSeat, SummerState, summer_apply,
    summer_is_chance,
)
from pavilion_ai._c.summer_actions cimport (
    summer_action, summer_action_count, summer_action_move, summer_mask, summer_observation_size,
    summer_observe,
)
from pavilion_ai._c.summer_chance cimport (
    summer_determinise, summer_draw, summer_draw_lowest, summer_draw_tied, summer_new,
)
from pavilion_ai._c.summer_features cimport summer_evaluate
from pavilion_ai._c.summer_finish cimport summer_finish, summer_near_end
from pavilion_ai._c.summer_inputs cimport summer_inputs, summer_viewer
from pavilion_ai._c.summer_moves cimport summer_moves, summer_random_game, summer_random_move
from pavilion_ai._c.summer_policy cimport summer_net_table, summer_policy_move, summer_search_moves
from pavilion_ai._c.summer_sound cimport summer_sound
from pavilion_ai._c.tiles cimport contains, unfold

ctypedef fused GameState:
    SummerState
    AzulState

cdef enum:
    MAX_MOVES = SUMMER_MOVES   # room for the longest list of legal moves of any game
    MAX_SEATS = SEATS
    MAX_POLICY = 2048          # policy features
    MAX_ACTIONS = 1536         # numbered actions: 1217
    MAX_OBSERVATION = 512      # numbers of an observation: 498


cdef inline void game_new(GameState* st, int players, bint grey, int start_seat,
                          Xoshiro* rng) noexcept nogil:
    """An opening, its tiles drawn."""
    if GameState is SummerState:
        summer_new(st, players, grey, start_seat, rng)
    else:
        azul_new(st, players, grey, start_seat, rng)


cdef inline int game_moves(const GameState* st, bint maximal, uint32_t* out) noexcept nogil:
    """List the legal moves; 0 in chance phases and at the end."""
    if GameState is SummerState:
        return summer_moves(st, maximal, out)
    else:
        return azul_moves(st, out)


cdef inline void game_apply(GameState* st, uint32_t move) noexcept nogil:
    """Play a legal move; stops at a chance phase."""
    if GameState is SummerState:
        summer_apply(st, move)
    else:
        azul_apply(st, move)


cdef inline bint game_is_chance(const GameState* st) noexcept nogil:
    if GameState is SummerState:
        return summer_is_chance(st)
    else:
        return azul_is_chance(st)


cdef inline bint game_is_over(const GameState* st) noexcept nogil:
    if GameState is SummerState:
        return st.phase == SUMMER_OVER
    else:
        return st.phase == AZUL_OVER


cdef inline void game_draw(GameState* st, Xoshiro* rng) noexcept nogil:
    """Settle a chance phase at random; the split of bag and discards must be known."""
    if GameState is SummerState:
        summer_draw(st, rng)
    else:
        azul_draw(st, rng)


cdef inline void game_draw_lowest(GameState* st) noexcept nogil:
    """Settle a chance phase by perft's fixed draw."""
    if GameState is SummerState:
        summer_draw_lowest(st)
    else:
        azul_draw_lowest(st)


cdef inline void game_draw_tied(GameState* st, uint64_t key) noexcept nogil:
    """Settle a chance phase by the priorities of a key."""
    if GameState is SummerState:
        summer_draw_tied(st, key)
    else:
        azul_draw_tied(st, key)


cdef inline void game_hide_split(GameState* st, const GameState* before) noexcept nogil:
    """Forget which of the unseen tiles are in the bag, but not their number.

    before: the state before the draw, when that was unknown too.
    """
    if GameState is SummerState:
        hide_split(&st.bag, &st.tower, &st.hidden, before.tower)
    else:
        hide_split(&st.bag, &st.lid, &st.hidden, before.lid)


cdef inline void game_determinise(GameState* st, Xoshiro* rng) noexcept nogil:
    """Sample the hidden parts of the state uniformly (determinisation)."""
    if GameState is SummerState:
        summer_determinise(st, rng)
    else:
        azul_determinise(st, rng)


cdef inline uint32_t game_random_move(const GameState* st, Xoshiro* rng,
                                      bint maximal) noexcept nogil:
    """A uniformly random legal move."""
    if GameState is SummerState:
        return summer_random_move(st, rng, maximal)
    else:
        return azul_random_move(st, rng)


cdef inline uint32_t game_policy_move(const GameState* st, Xoshiro* rng,
                                      bint by_hand) noexcept nogil:
    """A move drawn from the fitted policy or the hand-written one; rng NULL: the likeliest."""
    if GameState is SummerState:
        return summer_policy_move(st, rng, by_hand)
    else:
        return azul_policy_move(st, rng, by_hand)


cdef inline int game_search_moves(const GameState* st, bint drawn, const int16_t* table,
                                  uint32_t* out, int* logits) noexcept nogil:
    """The moves considered in the tree and their policy logits in 1/256.

    table: weights of all policy features from a network, for this position; NULL: the weights
    fitted to all positions.

    drawn: tiles were drawn since the root, so the node is shared by different draws; then moves
    that other draws would allow are listed as well, and game_available() tells which ones apply.
    """
    if GameState is SummerState:
        return summer_search_moves(st, drawn and st.phase == SUMMER_BONUS, table, out, logits)
    else:
        return azul_search_moves(st, table, out, logits)


cdef inline int game_inputs(const GameState* st, uint16_t* out) noexcept nogil:
    """List the active inputs of the network; the position is not over."""
    if GameState is SummerState:
        return summer_inputs(st, out)
    else:
        return azul_inputs(st, out)


cdef inline bint game_sound(const GameState* st) noexcept nogil:
    """Whether bytes from elsewhere, with 2 to 4 players, are a state for these functions."""
    if GameState is SummerState:
        return summer_sound(st)
    else:
        return azul_sound(st)


cdef inline int game_viewer(const GameState* st) noexcept nogil:
    """The seat from whose viewpoint the network evaluates the position."""
    if GameState is SummerState:
        return summer_viewer(st)
    else:
        return azul_viewer(st)


cdef inline void game_net_table(const GameState* st, const Net* net, const int16_t* hidden,
                                int16_t* table) noexcept nogil:
    """Fill in the weights of the policy features that moves of this phase can have."""
    if GameState is SummerState:
        summer_net_table(st, net, hidden, table)
    else:
        azul_net_table(st, net, hidden, table)


cdef inline bint game_draws_matter(const GameState* st) noexcept nogil:
    """Whether the legal moves here depend on tiles drawn since the start of the round."""
    if GameState is SummerState:
        return st.phase == SUMMER_BONUS
    else:
        return False


cdef inline bint game_available(const GameState* st, uint32_t move) noexcept nogil:
    """Whether a move listed at a node where draws matter is legal with the present draws."""
    if GameState is SummerState:
        return contains(st.supply, unfold(move >> 3))
    else:
        return True


cdef inline uint64_t game_bag_key(const GameState* st) noexcept nogil:
    """A number that identifies the tiles from which the next deal may be drawn."""
    cdef uint64_t discards
    if GameState is SummerState:
        discards = st.tower
    else:
        discards = st.lid
    return splitmix_mix(st.bag + SPLITMIX_STEP * splitmix_mix(discards))


cdef inline bint game_at_horizon(const GameState* st) noexcept nogil:
    """Whether simulations end here: between two rounds, and at the end."""
    if GameState is SummerState:
        return st.phase == SUMMER_DEAL or st.phase == SUMMER_OVER
    else:
        return st.phase == AZUL_DEAL or st.phase == AZUL_OVER


cdef inline void game_evaluate(const GameState* st, double* scores, double* standing,
                               double* scale) noexcept nogil:
    """Expected final scores at the horizon; the standing that decides the victory, ties broken; and
    points per logit of winning (0: exact)."""
    cdef int s
    if GameState is SummerState:
        summer_evaluate(st, scores, scale)
        for s in range(st.players):
            standing[s] = scores[s]
    else:
        azul_evaluate(st, scores, standing, scale)


cdef inline bint game_finish(const GameState* st, Finish* finish, double* scores) noexcept nogil:
    """Endgame solver: fill in the final scores if the game is near its end and quickly solved."""
    if GameState is SummerState:
        return summer_near_end(st) and summer_finish(st, finish, False, 2, scores)
    else:
        return False


cdef inline size_t game_bytes_for(const GameState* st, int players) noexcept nogil:
    """Bytes in use of a state of this game with `players` players: the seats come last."""
    if GameState is SummerState:
        return sizeof(SummerState) - (SEATS - players) * sizeof(SummerSeat)
    else:
        return sizeof(AzulState) - (SEATS - players) * sizeof(AzulSeat)


cdef inline size_t game_bytes(const GameState* st) noexcept nogil:
    """Bytes of the state that are in use."""
    return game_bytes_for(st, st.players)


cdef inline int game_random_game(GameState* st, Xoshiro* rng) noexcept nogil:
    """Play uniformly over the full legal list (keep_policy maximal) to the end; number of plies."""
    if GameState is SummerState:
        return summer_random_game(st, rng)
    else:
        return azul_random_game(st, rng)


cdef inline int game_action_count(const GameState* st, int players, bint grey) noexcept nogil:
    """How many numbered actions a variant of this game has."""
    if GameState is SummerState:
        return summer_action_count(players, grey)
    else:
        return azul_action_count(players, grey)


cdef inline int game_action(const GameState* st, uint32_t move) noexcept nogil:
    """The number of a legal move, the same in all adapters."""
    if GameState is SummerState:
        return summer_action(st, move)
    else:
        return azul_action(st, move)


cdef inline uint32_t game_action_move(const GameState* st, int action) noexcept nogil:
    """The move of an action, NO_MOVE if it is not legal here."""
    if GameState is SummerState:
        return summer_action_move(st, action)
    else:
        return azul_action_move(st, action)


cdef inline void game_mask(const GameState* st, uint8_t* out) noexcept nogil:
    """One byte for each action, 1 for a legal one; all 0 in chance phases and at the end."""
    if GameState is SummerState:
        summer_mask(st, out)
    else:
        azul_mask(st, out)


cdef inline int game_observation_size(const GameState* st, int players) noexcept nogil:
    if GameState is SummerState:
        return summer_observation_size(players)
    else:
        return azul_observation_size(players)


cdef inline void game_observe(const GameState* st, int viewer, int16_t* out) noexcept nogil:
    """The position as counts, seats relative to the viewer."""
    if GameState is SummerState:
        summer_observe(st, viewer, out)
    else:
        azul_observe(st, viewer, out)
