# Data of the endgame solver, which plays out the end of a game exactly, for all games.

from pavilion_ai._c.bag cimport SEATS
from pavilion_ai._c.utility cimport seat_utility, squashed_lead, win_shares

ctypedef struct Finish:
    double win_weight      # as in the search
    double width
    int nodes              # nodes left of the budget


cdef inline double finish_utility(const Finish* finish, const double* scores, int players,
                                  int seat) noexcept nogil:
    """Utility of final scores for a seat; equal scores share the victory."""
    cdef double[SEATS] shares
    win_shares(scores, players, 0, shares)
    return seat_utility(shares[seat], squashed_lead(scores, players, seat, finish.width),
                        finish.win_weight)
