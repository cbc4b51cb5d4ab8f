# A state of any game: the one place where a game's struct is selected. Through here the core's
# classes for Python handle all games.

from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from pavilion_ai._c.azul cimport AzulState, azul_set_table
from pavilion_ai._c.bag cimport CENTRE, NOBODY, SPLIT_KNOWN
from pavilion_ai._c.batch cimport (
    BatchArrays, batch_choose, batch_mask, batch_moves, batch_observe, batch_play, batch_reset,
    batch_start,
)
from pavilion_ai._c.guided cimport Estimates, estimate, gather_leaves, settle_walk, show_leaf
from pavilion_ai._c.leaf cimport likeliest_move, value_end
from pavilion_ai._c.net cimport Net
from pavilion_ai._c.reading cimport find_state, follow_line
from pavilion_ai._c.rng cimport Xoshiro, rng_next
from pavilion_ai._c.rules cimport (
    MAX_MOVES, MAX_SEATS, GameState, game_action, game_action_count, game_action_move, game_apply,
    game_at_horizon, game_bytes_for, game_determinise, game_draw, game_draw_lowest, game_draw_tied,
    game_evaluate, game_hide_split, game_inputs, game_is_chance, game_is_over, game_mask,
    game_moves, game_new, game_observation_size, game_observe, game_policy_move, game_random_game,
    game_random_move, game_sound, game_viewer,
)
from pavilion_ai._c.scratch cimport Scratch, SearchConfig, Walk
from pavilion_ai._c.search cimport Clock, list_root, restrict_root, search
from pavilion_ai._c.self_play cimport GameLog, SelfPlayConfig, self_play
from pavilion_ai._c.sight cimport position_key
from pavilion_ai._c.summer cimport (
    SUMMER_WILD_ORDER, SummerState, summer_set_centre, summer_set_display,
)
from pavilion_ai._c.team cimport Team, assist, search_together
from pavilion_ai._c.tiles cimport unfold
from pavilion_ai._c.tree cimport NOT_LIVE, Result, Tree

ctypedef struct AnyState:
    # Pointers to a state of some game: one of them, the others are NULL.
    SummerState* summer
    AzulState* azul

ctypedef struct About:
    # The properties that the states of all games have.
    int players
    int round
    int phase
    int to_move            # -1 in a chance phase and at the end
    int viewer             # seat from whose viewpoint the network sees it
    int start_seat
    int token              # seat, -1 while it lies in the centre
    bint grey              # board side
    bint chance            # tiles are to be drawn
    bint over
    bint between_rounds
    int[MAX_SEATS] scores


cdef inline void tell_about(const GameState* st, About* about) noexcept nogil:
    cdef int s
    about.players = st.players
    about.round = st.round
    about.phase = st.phase
    about.chance = game_is_chance(st)
    about.over = game_is_over(st)
    about.between_rounds = game_at_horizon(st) and not about.over
    about.to_move = -1 if about.chance or about.over else st.mover
    about.viewer = game_viewer(st)
    about.start_seat = st.start_seat
    about.token = -1 if st.token == NOBODY else st.token
    about.grey = st.grey
    for s in range(st.players):
        about.scores[s] = st.seats[s].score


cdef inline void set_outline(GameState* st, int players, bint grey, int round, int phase,
                             int start_seat, int token) noexcept nogil:
    st.players = <uint8_t> players
    st.grey = grey
    st.round = <uint8_t> round
    st.phase = <uint8_t> phase
    st.start_seat = <uint8_t> start_seat
    st.token = NOBODY if token < 0 else <uint8_t> token


cdef inline void draw_tiles(GameState* st, Xoshiro* rng, bint tied) noexcept nogil:
    """Settle a chance phase; a bag of unknown contents keeps its contents unknown."""
    cdef GameState before = st[0]
    if tied:
        game_draw_tied(st, rng_next(rng))
    else:
        game_determinise(st, rng)
        game_draw(st, rng)
    if before.hidden != SPLIT_KNOWN:
        game_hide_split(st, &before)


cdef inline int64_t count_leaves(GameState* st, int depth) noexcept nogil:
    """Count positions after `depth` decisions, with perft's fixed draws, which also settle `st`."""
    cdef uint32_t[MAX_MOVES] moves
    cdef GameState child
    cdef int64_t leaves = 0
    cdef int i, n
    while game_is_chance(st):
        game_draw_lowest(st)
    if depth <= 0 or game_is_over(st):
        return 1
    n = game_moves(st, False, moves)
    if depth == 1:
        return n
    for i in range(n):
        child = st[0]
        game_apply(&child, moves[i])
        leaves += count_leaves(&child, depth - 1)
    return leaves


cdef inline void any_new(AnyState any, int players, bint grey, int start_seat,
                         Xoshiro* rng) noexcept nogil:
    if any.summer != NULL:
        game_new(any.summer, players, grey, start_seat, rng)
    else:
        game_new(any.azul, players, grey, start_seat, rng)


cdef inline void any_set_outline(AnyState any, int players, bint grey, int round, int phase,
                                 int start_seat, int token) noexcept nogil:
    if any.summer != NULL:
        set_outline(any.summer, players, grey, round, phase, start_seat, token)
        any.summer.wild = SUMMER_WILD_ORDER[round - 1]
    else:
        set_outline(any.azul, players, grey, round, phase, start_seat, token)


cdef inline void any_set_tiles(AnyState any, const uint64_t* sources, uint64_t bag,
                               uint64_t discards, int hidden) noexcept nogil:
    """What lies on the displays and, at CENTRE, in the centre, and what is unseen."""
    cdef int i
    if any.summer != NULL:
        for i in range(2 * any.summer.players + 1):
            summer_set_display(any.summer, i, sources[i])
        summer_set_centre(any.summer, sources[CENTRE])
        any.summer.bag, any.summer.tower = bag, discards
        any.summer.hidden = <uint8_t> hidden
    else:
        for i in range(2 * any.azul.players + 1):
            azul_set_table(any.azul, i, sources[i])
        azul_set_table(any.azul, CENTRE, sources[CENTRE])
        any.azul.bag, any.azul.lid = bag, discards
        any.azul.hidden = <uint8_t> hidden


cdef inline uint64_t any_source(AnyState any, int display) noexcept nogil:
    """The tiles on a display."""
    if any.summer != NULL:
        return unfold(any.summer.displays[display])
    else:
        return unfold(any.azul.displays[display])


cdef inline About any_about(AnyState any) noexcept nogil:
    cdef About about
    memset(&about, 0, sizeof(About))    # fewer seats than it has room for
    if any.summer != NULL:
        tell_about(any.summer, &about)
    else:
        tell_about(any.azul, &about)
    return about


cdef inline int any_moves(AnyState any, bint maximal, uint32_t* out) noexcept nogil:
    if any.summer != NULL:
        return game_moves(any.summer, maximal, out)
    else:
        return game_moves(any.azul, maximal, out)


cdef inline void any_draw(AnyState any, Xoshiro* rng, bint tied) noexcept nogil:
    if any.summer != NULL:
        draw_tiles(any.summer, rng, tied)
    else:
        draw_tiles(any.azul, rng, tied)


cdef inline void any_draw_lowest(AnyState any) noexcept nogil:
    if any.summer != NULL:
        game_draw_lowest(any.summer)
    else:
        game_draw_lowest(any.azul)


cdef inline int64_t any_leaves(AnyState any, int depth) noexcept nogil:
    if any.summer != NULL:
        return count_leaves(any.summer, depth)
    else:
        return count_leaves(any.azul, depth)


cdef inline uint32_t any_random_move(AnyState any, Xoshiro* rng, bint maximal) noexcept nogil:
    if any.summer != NULL:
        return game_random_move(any.summer, rng, maximal)
    else:
        return game_random_move(any.azul, rng, maximal)


cdef inline uint32_t any_policy_move(AnyState any, Xoshiro* rng, bint by_hand) noexcept nogil:
    if any.summer != NULL:
        return game_policy_move(any.summer, rng, by_hand)
    else:
        return game_policy_move(any.azul, rng, by_hand)


cdef inline uint32_t any_likeliest_move(AnyState any, const Net* net,
                                        Scratch* scratch) noexcept nogil:
    if any.summer != NULL:
        return likeliest_move(any.summer, net, scratch)
    else:
        return likeliest_move(any.azul, net, scratch)


cdef inline int any_random_game(AnyState any, Xoshiro* rng) noexcept nogil:
    if any.summer != NULL:
        return game_random_game(any.summer, rng)
    else:
        return game_random_game(any.azul, rng)


cdef inline int any_inputs(AnyState any, uint16_t* out) noexcept nogil:
    if any.summer != NULL:
        return game_inputs(any.summer, out)
    else:
        return game_inputs(any.azul, out)


cdef inline void any_evaluate(AnyState any, double* scores, double* standing,
                              double* scale) noexcept nogil:
    if any.summer != NULL:
        game_evaluate(any.summer, scores, standing, scale)
    else:
        game_evaluate(any.azul, scores, standing, scale)


cdef inline const char* any_raw(AnyState any) noexcept nogil:
    """The memory of the state, of any_bytes_for() bytes."""
    if any.summer != NULL:
        return <const char*> any.summer
    return <const char*> any.azul


cdef inline size_t any_bytes_for(AnyState any, int players) noexcept nogil:
    if any.summer != NULL:
        return game_bytes_for(any.summer, players)
    else:
        return game_bytes_for(any.azul, players)


cdef inline bint any_load(AnyState any, const void* data, int players) noexcept nogil:
    """Load a state from any_bytes_for() bytes; whether it is one of so many players."""
    cdef size_t size = any_bytes_for(any, players)
    if any.summer != NULL:
        memcpy(any.summer, data, size)
        return any.summer.players == players and game_sound(any.summer)
    memcpy(any.azul, data, size)
    return any.azul.players == players and game_sound(any.azul)


cdef inline void any_restrict(AnyState any, Tree* tree, const SearchConfig* config,
                              Scratch* scratch, const uint32_t* wanted, int count) noexcept nogil:
    if any.summer != NULL:
        restrict_root(any.summer, tree, config, scratch, wanted, count)
    else:
        restrict_root(any.azul, tree, config, scratch, wanted, count)


cdef inline int any_list(AnyState any, const SearchConfig* config,
                         Scratch* scratch) noexcept nogil:
    if any.summer != NULL:
        return list_root(any.summer, config, scratch)
    else:
        return list_root(any.azul, config, scratch)


cdef inline int64_t any_search(AnyState any, Tree* tree, const SearchConfig* config, Xoshiro* rng,
                               Scratch* scratch, int64_t sims, double until, Clock* clock,
                               const volatile int* stop) noexcept nogil:
    if any.summer != NULL:
        return search(any.summer, tree, config, rng, scratch, sims, until, clock, stop)
    else:
        return search(any.azul, tree, config, rng, scratch, sims, until, clock, stop)


cdef inline int64_t any_search_together(AnyState any, Tree* tree, const SearchConfig* config,
                                        Xoshiro* rng, Scratch* scratch, Team* team, int64_t sims,
                                        double until, Clock* clock,
                                        const volatile int* stop) noexcept nogil:
    if any.summer != NULL:
        return search_together(any.summer, tree, config, rng, scratch, team, sims, until, clock,
                               stop)
    else:
        return search_together(any.azul, tree, config, rng, scratch, team, sims, until, clock,
                               stop)


cdef inline void any_assist(AnyState any, Tree* tree, const SearchConfig* config, Xoshiro* rng,
                            Scratch* scratch, Team* team) noexcept nogil:
    if any.summer != NULL:
        assist(any.summer, tree, config, rng, scratch, team)
    else:
        assist(any.azul, tree, config, rng, scratch, team)


cdef inline int any_line(AnyState any, const Tree* tree, uint32_t index, uint32_t* line,
                         int room) noexcept nogil:
    if any.summer != NULL:
        return follow_line(any.summer, tree, index, line, room)
    else:
        return follow_line(any.azul, tree, index, line, room)


cdef inline uint64_t any_position_key(AnyState any) noexcept nogil:
    return position_key(any.summer) if any.summer != NULL else position_key(any.azul)


cdef inline uint32_t any_find(AnyState any, const Tree* tree, AnyState wanted,
                              int depth) noexcept nogil:
    """The node of a state, see find_state(); NOT_LIVE if the states are of different games."""
    if any.summer != NULL and wanted.summer != NULL:
        return find_state(any.summer, tree, 0, wanted.summer, depth)
    elif any.azul != NULL and wanted.azul != NULL:
        return find_state(any.azul, tree, 0, wanted.azul, depth)
    return NOT_LIVE


cdef inline bint any_self_play(AnyState any, Tree* tree, const SearchConfig* config,
                               const SelfPlayConfig* play, Xoshiro* rng, Scratch* scratch,
                               GameLog* log, const volatile int* stop) noexcept nogil:
    if any.summer != NULL:
        return self_play(any.summer, tree, config, play, rng, scratch, log, stop)
    else:
        return self_play(any.azul, tree, config, play, rng, scratch, log, stop)


cdef inline void any_value_end(AnyState any, double width, Result* result) noexcept nogil:
    if any.summer != NULL:
        value_end(any.summer, width, result)
    else:
        value_end(any.azul, width, result)


cdef inline int any_action_count(AnyState any, int players, bint grey) noexcept nogil:
    if any.summer != NULL:
        return game_action_count(any.summer, players, grey)
    else:
        return game_action_count(any.azul, players, grey)


cdef inline int any_action(AnyState any, uint32_t move) noexcept nogil:
    if any.summer != NULL:
        return game_action(any.summer, move)
    else:
        return game_action(any.azul, move)


cdef inline uint32_t any_action_move(AnyState any, int action) noexcept nogil:
    if any.summer != NULL:
        return game_action_move(any.summer, action)
    else:
        return game_action_move(any.azul, action)


cdef inline void any_mask(AnyState any, uint8_t* out) noexcept nogil:
    if any.summer != NULL:
        game_mask(any.summer, out)
    else:
        game_mask(any.azul, out)


cdef inline int any_observation_size(AnyState any, int players) noexcept nogil:
    if any.summer != NULL:
        return game_observation_size(any.summer, players)
    else:
        return game_observation_size(any.azul, players)


cdef inline void any_observe(AnyState any, int viewer, int16_t* out) noexcept nogil:
    if any.summer != NULL:
        game_observe(any.summer, viewer, out)
    else:
        game_observe(any.azul, viewer, out)


# ------------------------------------------------ batches: `any` points to the first of many states


cdef inline AnyState any_array(AnyState model, void* states) noexcept nogil:
    """States of the game that `model` is of, one after the other in memory."""
    cdef AnyState any
    any.summer = <SummerState*> states if model.summer != NULL else NULL
    any.azul = <AzulState*> states if model.summer == NULL else NULL
    return any


cdef inline void any_batch_reset(AnyState any, int players, bint grey, Xoshiro* rngs,
                                 const BatchArrays* arrays, int64_t first,
                                 int64_t end) noexcept nogil:
    if any.summer != NULL:
        batch_reset(any.summer, players, grey, rngs, arrays, first, end)
    else:
        batch_reset(any.azul, players, grey, rngs, arrays, first, end)


cdef inline bint any_batch_start(AnyState any, AnyState start, Xoshiro* rngs,
                                 const BatchArrays* arrays, int64_t i) noexcept nogil:
    """batch_start(); the states are of one game."""
    if any.summer != NULL:
        return batch_start(any.summer, start.summer, rngs, arrays, i)
    else:
        return batch_start(any.azul, start.azul, rngs, arrays, i)


cdef inline int64_t any_batch_moves(AnyState any, const int64_t* actions, uint32_t* moves,
                                    int64_t first, int64_t end) noexcept nogil:
    if any.summer != NULL:
        return batch_moves(any.summer, actions, moves, first, end)
    else:
        return batch_moves(any.azul, actions, moves, first, end)


cdef inline void any_batch_play(AnyState any, Xoshiro* rngs, const uint32_t* moves, int kind,
                                const BatchArrays* arrays, int64_t first,
                                int64_t end) noexcept nogil:
    if any.summer != NULL:
        batch_play(any.summer, rngs, moves, kind, arrays, first, end)
    else:
        batch_play(any.azul, rngs, moves, kind, arrays, first, end)


cdef inline void any_batch_mask(AnyState any, uint8_t* out, int actions, int64_t first,
                                int64_t end) noexcept nogil:
    if any.summer != NULL:
        batch_mask(any.summer, out, actions, first, end)
    else:
        batch_mask(any.azul, out, actions, first, end)


cdef inline void any_batch_choose(AnyState any, Xoshiro* rngs, int64_t* out, int64_t first,
                                  int64_t end) noexcept nogil:
    if any.summer != NULL:
        batch_choose(any.summer, rngs, out, first, end)
    else:
        batch_choose(any.azul, rngs, out, first, end)


cdef inline void any_batch_observe(AnyState any, int kind, const float* shares, void* out, int size,
                                   int64_t first, int64_t end) noexcept nogil:
    if any.summer != NULL:
        batch_observe(any.summer, kind, shares, out, size, first, end)
    else:
        batch_observe(any.azul, kind, shares, out, size, first, end)


# ------------------------------------------------ evaluations from outside: `any` as for batches


cdef inline int64_t any_gather(AnyState root, Tree* tree, const SearchConfig* config, Xoshiro* rng,
                               Scratch* scratch, AnyState any, Walk* walks, int* waiting,
                               int room, int64_t sims,
                               const volatile int* stop) noexcept nogil:
    if root.summer != NULL:
        return gather_leaves(root.summer, tree, config, rng, scratch, any.summer, walks, waiting,
                             room, sims, stop)
    else:
        return gather_leaves(root.azul, tree, config, rng, scratch, any.azul, walks, waiting,
                             room, sims, stop)


cdef inline void any_show_leaf(AnyState any, int i, const Walk* walk, Scratch* scratch,
                               uint8_t* mask, uint8_t* viewer) noexcept nogil:
    if any.summer != NULL:
        show_leaf(&any.summer[i], walk, scratch, mask, viewer)
    else:
        show_leaf(&any.azul[i], walk, scratch, mask, viewer)


cdef inline void any_settle(AnyState any, int i, Tree* tree, const SearchConfig* config,
                            const Walk* walk, const Estimates* found,
                            Scratch* scratch) noexcept nogil:
    if any.summer != NULL:
        settle_walk(tree, config, &any.summer[i], walk, found, scratch)
    else:
        settle_walk(tree, config, &any.azul[i], walk, found, scratch)


cdef inline int any_estimate(AnyState any, const SearchConfig* config, Scratch* scratch,
                             Result* result, float* priors) noexcept nogil:
    if any.summer != NULL:
        return estimate(any.summer, config, scratch, result, priors)
    else:
        return estimate(any.azul, config, scratch, result, priors)
