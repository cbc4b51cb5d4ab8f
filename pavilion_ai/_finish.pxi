# The recursion of summer_finish.pxd; included by _core.pyx before _search.pxi.

cdef bint summer_finish(const SummerStruct* st, Finish* finish, bint drawn, double bound,
                        double* scores) noexcept nogil:
    """Fill in the final scores if every seat plays for its own utility; False: not found out.

    drawn: tiles were drawn that the position does not hold. bound: with two players, a utility of
    the mover above which the exact one does not matter, because the other would not let it come
    to that.
    """
    cdef uint32_t[MAX_MOVES] moves
    cdef double[MAX_SEATS] found
    cdef SummerStruct child
    cdef double utility, best = -1
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
        s = drawn
        while child.phase == SUMMER_SUPPLY:
            summer_draw_lowest(&child)
            s = True
        if child.phase == SUMMER_OVER:
            for s in range(st.players):
                found[s] = child.seats[s].score
        elif not summer_finish(&child, finish, s, 1 - best if (
                st.players == 2 and child.mover != seat) else bound if (
                child.mover == seat) else 2, found):
            return False
        utility = summer_finish_utility(st, finish, found, seat)
        if utility > best:
            best = utility
            for s in range(st.players):
                scores[s] = found[s]
            if best >= bound:
                break
    return True


cdef inline bint game_finish(const GameState* st, Finish* finish,
                             double* scores) noexcept nogil:
    """Fill in the final scores if the game is near its end and they are soon found out."""
    if GameState is SummerStruct:
        return summer_near_end(st) and summer_finish(st, finish, False, 2, scores)
    else:
        return False
