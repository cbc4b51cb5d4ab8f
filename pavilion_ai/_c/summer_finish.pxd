# The endgame solver of Azul: Summer Pavilion: exact play when few decisions are left.
#
# In the last round drawn tiles matter only if a further bonus is taken from them. So endings are
# searched exhaustively as long as no bonus follows a top-up, within a budget of positions.

from libc.stdint cimport uint32_t
from pavilion_ai._c.bag cimport SEATS
from pavilion_ai._c.finish cimport Finish, finish_utility
from pavilion_ai._c.summer cimport (
    SUMMER_BONUS, SUMMER_LAST_ROUND, SUMMER_MOVES, SUMMER_OVER, SUMMER_PLACE, SUMMER_SUPPLY,
    SummerState, summer_apply,
)
from pavilion_ai._c.summer_chance cimport summer_draw_lowest
from pavilion_ai._c.summer_moves cimport summer_moves
from pavilion_ai._c.tiles cimport total

cdef enum:
    SUMMER_FINISH_TILES = 6    # most tiles held together by the seats that have not passed
    SUMMER_FINISH_MOVES = 64   # most moves of a position; with more it is not solved


cdef inline bint summer_near_end(const SummerState* st) noexcept nogil:
    """Whether solving is worth trying."""
    cdef int s, tiles = 0
    if st.round != SUMMER_LAST_ROUND or (st.phase != SUMMER_PLACE and st.phase != SUMMER_BONUS):
        return False
    for s in range(st.players):
        if not st.passed >> s & 1:
            tiles += total(st.seats[s].hand)
    return tiles <= SUMMER_FINISH_TILES


cdef inline bint summer_finish(const SummerState* st, Finish* finish, bint drawn, double bound,
                               double* scores) noexcept nogil:
    """Fill in the final scores if every seat plays for its own utility; False: not solved.

    drawn: tiles were drawn that the position does not contain. bound: with two players, a utility
    of the mover above which the exact value does not matter, because the other seat would avoid it.
    """
    cdef uint32_t[SUMMER_MOVES] moves
    cdef double[SEATS] found
    cdef SummerState child
    cdef double utility, limit, best = -1
    cdef bint drawn_now
    cdef int i, s, n, seat = st.mover
    finish.nodes -= 1
    if finish.nodes < 0 or (st.phase == SUMMER_BONUS and drawn):
        return False
    n = summer_moves(st, True, moves)
    if n > SUMMER_FINISH_MOVES:
        return False
    for i in range(n):
        child = st[0]
        summer_apply(&child, moves[i])
        drawn_now = drawn
        while child.phase == SUMMER_SUPPLY:
            summer_draw_lowest(&child)
            drawn_now = True
        if child.phase == SUMMER_OVER:
            for s in range(st.players):
                found[s] = child.seats[s].score
        else:
            if child.mover == seat:
                limit = bound
            else:
                limit = 1 - best if st.players == 2 else 2
            if not summer_finish(&child, finish, drawn_now, limit, found):
                return False
        utility = finish_utility(finish, found, st.players, seat)
        if utility > best:
            best = utility
            for s in range(st.players):
                scores[s] = found[s]
            if best >= bound:
                break
    return True
