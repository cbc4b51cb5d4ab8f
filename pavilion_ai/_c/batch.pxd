# Many games stepped side by side for learners. Each has random numbers of its own, so that any
# number of threads can step slices of a batch with the same results.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memset
from pavilion_ai._c.bag cimport NO_MOVE
from pavilion_ai._c.net cimport MAX_ACTIVE
from pavilion_ai._c.rng cimport Xoshiro, rng_below
from pavilion_ai._c.rules cimport (
    MAX_OBSERVATION, MAX_SEATS, GameState, game_action, game_action_count, game_action_move,
    game_apply, game_determinise, game_draw, game_evaluate, game_inputs, game_is_chance,
    game_is_over, game_mask, game_new, game_observe, game_random_move, game_viewer,
)
from pavilion_ai._c.utility cimport win_shares

cdef enum:
    # Rewards: the share of the victory or the lead at the end, or each change of the score.
    REWARD_WIN = 0
    REWARD_SCORE = 1
    REWARD_DENSE = 2

    # Observations: counts as int16, the same as float 0..1, or the network's inputs as uint8.
    OBSERVE_COUNTS = 0
    OBSERVE_SCALED = 1
    OBSERVE_FEATURES = 2

ctypedef struct BatchArrays:
    # One row for each game.
    float* rewards         # by seat
    uint8_t* done
    int8_t* turn           # seat to move
    int32_t* scores        # by seat; final ones if the game has just ended


cdef inline void batch_begin(GameState* st, int players, bint grey, Xoshiro* rng) noexcept nogil:
    """A new game whose starting seat is drawn first."""
    cdef int start = <int> rng_below(rng, players)
    game_new(st, players, grey, start, rng)


cdef inline void show_begin(const GameState* st, const BatchArrays* arrays,
                            int64_t i) noexcept nogil:
    """The rows of a game that has been begun."""
    cdef int s
    arrays.done[i] = 0
    arrays.turn[i] = <int8_t> st.mover
    for s in range(st.players):
        arrays.rewards[i * st.players + s] = 0
        arrays.scores[i * st.players + s] = st.seats[s].score


cdef inline void batch_reset(GameState* games, int players, bint grey, Xoshiro* rngs,
                             const BatchArrays* arrays, int64_t first, int64_t end) noexcept nogil:
    cdef int64_t i
    for i in range(first, end):
        batch_begin(&games[i], players, grey, &rngs[i])
        show_begin(&games[i], arrays, i)


cdef inline bint batch_start(GameState* games, GameState* start, Xoshiro* rngs,
                             const BatchArrays* arrays, int64_t i) noexcept nogil:
    """Begin a game at a position, whose unknown bag and tiles due are drawn; False, and the game is
    as it was, if it is over then."""
    cdef Xoshiro rng = rngs[i]
    game_determinise(start, &rng)
    while game_is_chance(start):
        game_draw(start, &rng)
    if game_is_over(start):
        return False
    rngs[i] = rng
    games[i] = start[0]
    show_begin(start, arrays, i)
    return True


cdef inline int64_t batch_moves(const GameState* games, const int64_t* actions, uint32_t* moves,
                                int64_t first, int64_t end) noexcept nogil:
    """Translate actions to moves; the first game whose action is not legal, or -1."""
    cdef int64_t i, action
    cdef int most
    for i in range(first, end):
        most = game_action_count(games, games[i].players, games[i].grey)
        action = actions[i]
        moves[i] = NO_MOVE
        if 0 <= action < most:
            moves[i] = game_action_move(&games[i], <int> action)
        if moves[i] == NO_MOVE:
            return i
    return -1


cdef inline void end_rewards(const GameState* st, int kind, float* out) noexcept nogil:
    """Rewards of a game that is over, by seat."""
    cdef double[MAX_SEATS] scores
    cdef double[MAX_SEATS] standing
    cdef double scale, best
    cdef double[MAX_SEATS] shares
    cdef int s, t
    game_evaluate(st, scores, standing, &scale)
    if kind == REWARD_SCORE:
        for s in range(st.players):
            best = scores[1 if s == 0 else 0]
            for t in range(st.players):
                if t != s and scores[t] > best:
                    best = scores[t]
            out[s] = <float> (scores[s] - best)
        return
    win_shares(standing, st.players, 0, shares)
    for s in range(st.players):
        out[s] = <float> shares[s]


cdef inline void batch_play(GameState* games, Xoshiro* rngs, const uint32_t* moves, int kind,
                            const BatchArrays* arrays, int64_t first, int64_t end) noexcept nogil:
    """Play a legal move in each game, draw tiles that are due, begin finished games anew."""
    cdef GameState* st
    cdef float* rewards
    cdef int32_t* scores
    cdef int64_t i
    cdef int s, players
    for i in range(first, end):
        st = &games[i]
        players = st.players
        rewards = arrays.rewards + i * players
        scores = arrays.scores + i * players
        for s in range(players):
            scores[s] = st.seats[s].score
            rewards[s] = 0
        game_apply(st, moves[i])
        while game_is_chance(st):
            game_draw(st, &rngs[i])
        arrays.done[i] = game_is_over(st)
        for s in range(players):
            if kind == REWARD_DENSE:
                rewards[s] = <float> (st.seats[s].score - scores[s])
            scores[s] = st.seats[s].score
        if arrays.done[i]:
            if kind != REWARD_DENSE:
                end_rewards(st, kind, rewards)
            batch_begin(st, players, st.grey, &rngs[i])
        arrays.turn[i] = <int8_t> st.mover


cdef inline void batch_mask(const GameState* games, uint8_t* out, int actions, int64_t first,
                            int64_t end) noexcept nogil:
    cdef int64_t i
    for i in range(first, end):
        game_mask(&games[i], out + i * actions)


cdef inline void batch_choose(const GameState* games, Xoshiro* rngs, int64_t* out, int64_t first,
                              int64_t end) noexcept nogil:
    """A uniformly random legal action in each game."""
    cdef int64_t i
    for i in range(first, end):
        out[i] = game_action(&games[i], game_random_move(&games[i], &rngs[i], False))


cdef inline void scale_counts(const int16_t* counts, const float* shares, float* out,
                              int size) noexcept nogil:
    cdef int i
    for i in range(size):
        out[i] = counts[i] * shares[i]


cdef inline void count_inputs(const GameState* st, uint8_t* out, int size) noexcept nogil:
    """How often each of the network's inputs is active."""
    cdef uint16_t[MAX_ACTIVE] active
    cdef int i
    memset(out, 0, size)
    for i in range(game_inputs(st, active)):
        out[active[i]] += 1


cdef inline void batch_observe(const GameState* games, int kind, const float* shares, void* out,
                               int size, int64_t first, int64_t end) noexcept nogil:
    """Observations of the seats to move; between two rounds, of those that start next.

    shares: 1 / the largest value of each number, for OBSERVE_SCALED.
    """
    cdef int16_t[MAX_OBSERVATION] counts
    cdef int64_t i
    for i in range(first, end):
        if kind == OBSERVE_COUNTS:
            game_observe(&games[i], game_viewer(&games[i]), <int16_t*> out + i * size)
        elif kind == OBSERVE_SCALED:
            game_observe(&games[i], game_viewer(&games[i]), counts)
            scale_counts(counts, shares, <float*> out + i * size, size)
        else:
            count_inputs(&games[i], <uint8_t*> out + i * size, size)
