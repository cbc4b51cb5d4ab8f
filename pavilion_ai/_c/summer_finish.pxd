# The end of a game of Azul: Summer Pavilion played out exactly, where little is left to decide.
#
# In the last round no tile drawn matters unless a further bonus is taken from it. So endings are
# searched to their end as long as no bonus follows a top-up, and no longer than a budget allows.

from pavilion_ai._c.bag cimport SEATS
from pavilion_ai._c.summer cimport SUMMER_BONUS, SUMMER_LAST_ROUND, SUMMER_PLACE, SummerState
from pavilion_ai._c.tiles cimport total

cdef extern from "utility.h" nogil:
    double seat_utility(double win, double lead, double win_weight) noexcept
    double squashed_lead(const double* scores, int players, int seat, double width) noexcept
    void win_shares(const double* standing, int players, double scale, double* shares) noexcept

cdef enum:
    SUMMER_FINISH_TILES = 6   # tiles that seats which have not passed may hold, together
    SUMMER_FINISH_MOVES = 64  # moves of a position that is not given up

ctypedef struct Finish:
    double win_weight      # as in the search
    double width
    int nodes              # left of the budget


cdef inline bint summer_near_end(const SummerState* st) noexcept nogil:
    """Whether it is worth trying."""
    cdef int s, tiles = 0
    if st.round != SUMMER_LAST_ROUND or (st.phase != SUMMER_PLACE and st.phase != SUMMER_BONUS):
        return False
    for s in range(st.players):
        if not st.passed >> s & 1:
            tiles += total(st.seats[s].hand)
    return tiles <= SUMMER_FINISH_TILES


cdef inline double summer_finish_utility(const SummerState* st, const Finish* finish,
                                         const double* scores, int seat) noexcept nogil:
    cdef double[SEATS] shares
    win_shares(scores, st.players, 0, shares)
    return seat_utility(shares[seat], squashed_lead(scores, st.players, seat, finish.width),
                        finish.win_weight)
