# What a position is worth, and its moves with priors: by the network, by the linear heuristics,
# after a rollout, or exactly. Nothing here looks at the tree.

from libc.stdint cimport int32_t, uint32_t, uint64_t
from pavilion_ai._c.bag cimport next_seat
from pavilion_ai._c.finish cimport Finish
from pavilion_ai._c.net cimport Net, net_values
from pavilion_ai._c.rng cimport Xoshiro
from pavilion_ai._c.rules cimport (
    MAX_SEATS, GameState, game_apply, game_at_horizon, game_determinise, game_draw,
    game_draws_matter, game_evaluate, game_finish, game_is_chance, game_is_over, game_moves,
    game_net_table, game_policy_move, game_random_game, game_search_moves, game_viewer,
)
from pavilion_ai._c.scratch cimport Found, Scratch, SearchConfig
from pavilion_ai._c.sight cimport see
from pavilion_ai._c.tree cimport Result, set_priors
from pavilion_ai._c.utility cimport exp_portable, logistic, seat_utility, squashed_lead, win_shares

cdef extern from *:
    """
    #define NET_UNIT 2.384185791015625e-07  /* 2^-22: one, in the network's outputs */
    """
    const double NET_UNIT

cdef enum:
    GAIN_POINTS = 32        # points to a unit of the network's outputs
    LEAD_POINTS = 30        # width to which the network squashes leads


cdef inline int list_with_network(const GameState* st, const Net* net, bint drawn, uint64_t key,
                                  Scratch* scratch) noexcept nogil:
    """List moves with logits; key: see see()."""
    see(st, net, &scratch.sights, key, scratch.inputs, scratch.hidden)
    game_net_table(st, net, scratch.hidden, scratch.table)
    return game_search_moves(st, drawn, scratch.table, scratch.found.moves, scratch.logits)


cdef inline uint32_t likeliest_move(const GameState* st, const Net* net,
                                    Scratch* scratch) noexcept nogil:
    """The network's most likely move, of those considered in the tree."""
    cdef int i, best = 0
    for i in range(list_with_network(st, net, False, 0, scratch)):
        if scratch.logits[i] > scratch.logits[best]:
            best = i
    return scratch.found.moves[best]


cdef inline bint plays_plainly(const SearchConfig* config, const Scratch* scratch,
                               int seat) noexcept nogil:
    """Whether a seat is assumed to play by the linear heuristics within rounds as well."""
    return config.plain and config.linear[seat] and seat != scratch.mover


cdef inline int list_for_tree(const GameState* st, const SearchConfig* config, bint drawn,
                              uint64_t key, Scratch* scratch) noexcept nogil:
    cdef int i, n
    if config.net != NULL and not plays_plainly(config, scratch, st.mover):
        return list_with_network(st, config.net, drawn, key, scratch)
    if not config.uniform or (drawn and game_draws_matter(st)):
        n = game_search_moves(st, drawn, NULL, scratch.found.moves, scratch.logits)
    else:
        n = game_moves(st, True, scratch.found.moves)
    if config.uniform:
        for i in range(n):
            scratch.logits[i] = 0
    return n


cdef inline void list_children(const GameState* st, const SearchConfig* config, bint drawn,
                               uint64_t key, Scratch* scratch) noexcept nogil:
    """List the moves of a position and their priors in scratch.found."""
    cdef Found* found = &scratch.found
    found.count = list_for_tree(st, config, drawn, key, scratch)
    set_priors(found.moves, scratch.logits, found.count, config.temperature, config.mixed,
               found.priors)


cdef inline void play_out(GameState* st, const SearchConfig* config, Xoshiro* rng) noexcept nogil:
    """Rollout: play on to the horizon with the policy, or uniformly to the end of the game."""
    game_determinise(st, rng)
    if config.uniform:
        game_random_game(st, rng)
        return
    while not game_at_horizon(st):
        if game_is_chance(st):
            game_draw(st, rng)
        else:
            game_apply(st, game_policy_move(st, rng, False))


cdef inline void net_value(const GameState* st, const SearchConfig* config, uint64_t key,
                           Scratch* scratch, Result* result) noexcept nogil:
    cdef int32_t[3 * MAX_SEATS] out
    cdef int i, seat = game_viewer(st), players = st.players
    cdef double total = 0, best
    see(st, config.net, &scratch.sights, key, scratch.inputs, scratch.hidden)
    net_values(config.net, scratch.hidden, out)
    best = out[0]
    for i in range(1, players):
        if out[i] > best:
            best = out[i]
    for i in range(players):
        result.win[seat] = exp_portable((out[i] - best) * NET_UNIT)
        total += result.win[seat]
        result.lead[seat] = logistic(out[players + i] * (NET_UNIT * LEAD_POINTS / config.width))
        result.score[seat] = st.seats[seat].score + out[2 * players + i] * (GAIN_POINTS * NET_UNIT)
        seat = next_seat(seat, players)
    for i in range(players):
        result.win[i] /= total


cdef inline void set_utilities(const SearchConfig* config, int players,
                               Result* result) noexcept nogil:
    cdef int s
    for s in range(players):
        result.utility[s] = seat_utility(result.win[s], result.lead[s], config.win_weight)


cdef inline void settle(const double* standing, double scale, int players, double width,
                        Result* result) noexcept nogil:
    """Fill in win shares and squashed leads; result.score is already set."""
    cdef int s
    win_shares(standing, players, scale, result.win)
    for s in range(players):
        result.lead[s] = squashed_lead(result.score, players, s, width)


cdef inline void value_end(const GameState* st, double width, Result* result) noexcept nogil:
    """Evaluate the end of a round by the linear evaluation, the end of the game exactly."""
    cdef double[MAX_SEATS] standing
    cdef double scale
    game_evaluate(st, result.score, standing, &scale)
    settle(standing, scale, st.players, width, result)


cdef inline bint finish_exactly(const GameState* st, const SearchConfig* config,
                                Result* result) noexcept nogil:
    """Evaluate a position near the end of the game with the endgame solver, if that is quick."""
    cdef Finish finish
    finish.win_weight = config.win_weight
    finish.width = config.width
    finish.nodes = config.finish
    if not game_finish(st, &finish, result.score):
        return False
    settle(result.score, 0, st.players, config.width, result)
    return True


cdef inline bint any_plays_plainly(const SearchConfig* config, const Scratch* scratch,
                                   int players) noexcept nogil:
    cdef int s
    for s in range(players):
        if plays_plainly(config, scratch, s):
            return True
    return False


cdef inline void set_linear_utilities(const GameState* st, const SearchConfig* config,
                                      const Scratch* scratch, Result* result) noexcept nogil:
    """At the end of a round, give seats that evaluate linearly the utilities by that."""
    cdef Result linear
    cdef bint known = False
    cdef int s
    for s in range(st.players):
        if not config.linear[s] or s == scratch.mover:
            continue
        if not known:
            value_end(st, config.width, &linear)
            set_utilities(config, st.players, &linear)
            known = True
        result.utility[s] = linear.utility[s]


cdef inline void value_state(GameState* st, const SearchConfig* config, uint64_t key, Xoshiro* rng,
                             Scratch* scratch, Result* result) noexcept nogil:
    """Evaluate a leaf: exactly if the game is over or nearly so, else by the network or a rollout.

    Within a round a network predicts only play by its own kind; if a seat plays plainly, a rollout
    to the end of the round comes first. Uniform rollouts begin at the end of a round as well.
    """
    cdef bint finished = config.finish and finish_exactly(st, config, result)
    cdef bint by_network
    if not finished and (config.uniform or not game_at_horizon(st)) and (
            config.net == NULL or any_plays_plainly(config, scratch, st.players)):
        play_out(st, config, rng)
        key = 0
    by_network = not finished and config.net != NULL and not game_is_over(st)
    if by_network:
        net_value(st, config, key, scratch, result)
    elif not finished:
        value_end(st, config.width, result)
    set_utilities(config, st.players, result)
    if by_network and game_at_horizon(st):
        set_linear_utilities(st, config, scratch, result)
