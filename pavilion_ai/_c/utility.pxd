# Declarations of utility.h.

cdef extern from "utility.h" nogil:
    double exp_portable(double x) noexcept
    double square_root(double x) noexcept
    double doublings(double x) noexcept
    double logistic(double x) noexcept
    double mean_and_bonus(double value, double visits, double bonus) noexcept
    void win_shares(const double* standing, int players, double scale, double* shares) noexcept
    double seat_utility(double win, double lead, double win_weight) noexcept
    double squashed_lead(const double* scores, int players, int seat, double width) noexcept
