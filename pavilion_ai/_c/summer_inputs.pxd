# The inputs of the network of Azul: Summer Pavilion: the numbers of a position's active inputs.
#
# Everything is from the viewpoint of the mover (between rounds: of the coming start player). Seats
# are relative, 0 the mover, then clockwise. Colours are in slots: slot k becomes wild in k rounds,
# slot 0 is wild now; colours whose round is past fill the last slots. Boards are given twice, by
# site, where neighbouring stars stay neighbours, and by slot.

from libc.stdint cimport uint16_t, uint64_t
from pavilion_ai._c.bag cimport NOBODY, SPLIT_KNOWN, next_seat
from pavilion_ai._c.bits cimport lowest_bit, popcount64
from pavilion_ai._c.linear cimport at_most
from pavilion_ai._c.summer cimport (
    FEATURES, SUMMER_BONUS, SUMMER_DEAL, SUMMER_DRAFT, SummerSeat, SummerState, number_spaces,
)
from pavilion_ai._c.summer_features cimport byte_at, filled_spaces, number_class, slot_of
from pavilion_ai._c.tiles cimport lane, present, total, unfold

cdef enum:
    # First number of each group; the comment gives the indices inside.
    SUMMER_IN_PHASE = 0                          # round 6, phase draft place bonus between rounds
    SUMMER_IN_TOKEN = SUMMER_IN_PHASE + 24       # in the centre, or relative seat 0-3
    SUMMER_IN_STARTER = SUMMER_IN_TOKEN + 5      # relative seat 0-3
    SUMMER_IN_DUE = SUMMER_IN_STARTER + 4        # bonus tiles to take 0-3
    SUMMER_IN_SUPPLY = SUMMER_IN_DUE + 4         # slot 6, tiles 0-6
    # once per display and colour to draft: slot, tiles 1-4, wild 2
    SUMMER_IN_DISPLAY = SUMMER_IN_SUPPLY + 42
    SUMMER_IN_DISPLAYS = SUMMER_IN_DISPLAY + 48  # displays with tiles 0-9
    SUMMER_IN_CENTRE = SUMMER_IN_DISPLAYS + 10   # slot 6, tiles 0-9
    SUMMER_IN_TABLE = SUMMER_IN_CENTRE + 60      # slot 6, tiles on displays and in the centre 0-14
    SUMMER_IN_CHOICES = SUMMER_IN_TABLE + 90     # legal drafts 0-20
    SUMMER_IN_BAG = SUMMER_IN_CHOICES + 21       # slot 6, tiles in the bag by twos 0-11
    SUMMER_IN_BAG_SIZE = SUMMER_IN_BAG + 72      # tiles in the bag by eights 0-16
    SUMMER_SHARED = SUMMER_IN_BAG_SIZE + 17

    # The same for each seat, the mover's block first.
    SUMMER_SEAT_SPACE = 0                          # filled spaces, by board bit
    # coloured: filled spaces of outer stars: slot 6, position 6
    SUMMER_SEAT_SLOT = SUMMER_SEAT_SPACE + 48
    SUMMER_SEAT_STAR = SUMMER_SEAT_SLOT + 36       # slot 6 (grey: site), or the centre; filled 0-6
    SUMMER_SEAT_FEATURE = SUMMER_SEAT_STAR + 49    # feature 18, spaces missing 0-2, if so few
    SUMMER_SEAT_NUMBER = SUMMER_SEAT_FEATURE + 54  # number 1-4, its spaces filled 0-7
    SUMMER_SEAT_HAND = SUMMER_SEAT_NUMBER + 32     # slot 6, tiles 0-12
    SUMMER_SEAT_COLOUR = SUMMER_SEAT_HAND + 78     # the same by colour: colour 6, tiles 0-6
    # slot 6 (star of the colour): dearest space to pay for 0-6
    SUMMER_SEAT_PAYABLE = SUMMER_SEAT_COLOUR + 42
    SUMMER_SEAT_TILES = SUMMER_SEAT_PAYABLE + 42   # tiles in hand 0-20
    SUMMER_SEAT_PASSED = SUMMER_SEAT_TILES + 21    # no, yes
    SUMMER_SEAT_LEAD = SUMMER_SEAT_PASSED + 2      # score less the mover's, by fours from -60 to 60
    SUMMER_SEAT_SCORE = SUMMER_SEAT_LEAD + 31      # own score 0-12: losses end at 1
    # site 7, slot 6: the colour is in that star (grey; else centre)
    SUMMER_SEAT_COLOURS = SUMMER_SEAT_SCORE + 13
    # grey: site 7, empty, one tile, one colour, mixed
    SUMMER_SEAT_KIND = SUMMER_SEAT_COLOURS + 42
    SUMMER_SEAT = SUMMER_SEAT_KIND + 28


cdef inline int summer_put(uint16_t* out, int n, int number) noexcept nogil:
    out[n] = <uint16_t> number
    return n + 1


cdef inline int summer_viewer(const SummerState* st) noexcept nogil:
    """The seat from whose viewpoint the position is described."""
    return st.start_seat if st.phase == SUMMER_DEAL or st.mover == NOBODY else st.mover


cdef inline int relative_seat(const SummerState* st, int seat) noexcept nogil:
    cdef int number = seat - summer_viewer(st)
    return number if number >= 0 else number + st.players


cdef inline int source_inputs(const SummerState* st, const int* slots, uint16_t* out,
                              int n) noexcept nogil:
    """The inputs of the displays and the centre."""
    cdef uint64_t tiles, table = st.centre
    cdef int d, c, wild, count = 0
    for d in range(2 * st.players + 1):
        if st.displays[d] == 0:
            continue
        count += 1
        tiles = unfold(st.displays[d])
        table += tiles
        wild = 1 if lane(tiles, st.wild) else 0
        for c in range(6):
            if lane(tiles, c) and (c != st.wild or present(tiles) == 1 << c):
                n = summer_put(out, n, SUMMER_IN_DISPLAY + 8 * slots[c]
                               + 2 * (lane(tiles, c) - 1) + wild)
    n = summer_put(out, n, SUMMER_IN_DISPLAYS + count)
    for c in range(6):
        n = summer_put(out, n, SUMMER_IN_CENTRE + 10 * slots[c] + at_most(lane(st.centre, c), 9))
        n = summer_put(out, n, SUMMER_IN_TABLE + 15 * slots[c] + at_most(lane(table, c), 14))
    return summer_put(out, n, SUMMER_IN_CHOICES + at_most(popcount64(st.drafts), 20))


cdef inline int dearest(const SummerState* st, const SummerSeat* seat, int colour) noexcept nogil:
    """Coloured side: the highest free number in the colour's star that the hand can pay for."""
    cdef int own = lane(seat.hand, colour), cost
    if own == 0:
        return 0
    if colour != st.wild:
        own += lane(seat.hand, st.wild)
    for cost in range(at_most(own, 6), 0, -1):
        if not seat.board >> (8 * (cost - 1) + colour) & 1:
            return cost
    return 0


cdef inline void summer_seat_key(const SummerState* st, int index, uint64_t* key) noexcept nogil:
    """Three words that identify summer_own_inputs() up to the seat; never all zero."""
    key[0] = st.seats[index].hand
    key[1] = st.seats[index].board | <uint64_t> st.round << 56 | <uint64_t> st.grey << 63
    key[2] = st.seats[index].colours


cdef inline int summer_own_inputs(const SummerState* st, int index, const int* slots, int base,
                                  uint16_t* out, int n) noexcept nogil:
    """The inputs of a seat's board and hand alone."""
    cdef const SummerSeat* seat = &st.seats[index]
    cdef uint64_t bits = seat.board, filled = filled_spaces(seat.board)
    cdef int i, c, bit, missing, colours, count
    while bits:
        bit = lowest_bit(bits)
        bits &= bits - 1
        n = summer_put(out, n, base + SUMMER_SEAT_SPACE + bit)
        if not st.grey and bit & 7 != 6:
            n = summer_put(out, n, base + SUMMER_SEAT_SLOT + 6 * slots[bit & 7] + (bit >> 3))
    for i in range(7):
        n = summer_put(out, n, base + SUMMER_SEAT_STAR
                       + 7 * (slots[i] if i < 6 and not st.grey else i) + byte_at(filled, i))
        colours = <int> (seat.colours >> (8 * i)) & 63
        if st.grey:
            count = byte_at(filled, i)
            if count > 1:
                count = 2 if colours & (colours - 1) == 0 else 3
            n = summer_put(out, n, base + SUMMER_SEAT_KIND + 4 * i + count)
        while colours:
            c = lowest_bit(<uint64_t> colours)
            colours &= colours - 1
            n = summer_put(out, n, base + SUMMER_SEAT_COLOURS + 6 * i + slots[c])
    for i in range(18):
        missing = popcount64(FEATURES[i] & ~seat.board)
        if missing <= 2 and (missing < 2 or i < 12):
            n = summer_put(out, n, base + SUMMER_SEAT_FEATURE + 3 * i + missing)
    for i in range(1, 5):
        n = summer_put(out, n, base + SUMMER_SEAT_NUMBER + 8 * (i - 1) + number_class(
            st, i, popcount64(seat.board & number_spaces(st, i))))
    for c in range(6):
        count = lane(seat.hand, c)
        n = summer_put(out, n, base + SUMMER_SEAT_HAND + 13 * slots[c] + at_most(count, 12))
        n = summer_put(out, n, base + SUMMER_SEAT_COLOUR + 7 * c + at_most(count, 6))
        if not st.grey:
            n = summer_put(out, n, base + SUMMER_SEAT_PAYABLE + 7 * slots[c] + dearest(st, seat, c))
    return summer_put(out, n, base + SUMMER_SEAT_TILES + at_most(total(seat.hand), 20))


cdef inline int standing_inputs(const SummerState* st, int index, int base, uint16_t* out,
                                int n) noexcept nogil:
    """The rest of a seat's inputs."""
    cdef const SummerSeat* seat = &st.seats[index]
    cdef int lead
    n = summer_put(out, n, base + SUMMER_SEAT_PASSED + (st.passed >> index & 1))
    lead = (seat.score - st.seats[summer_viewer(st)].score + 62) // 4 if (
        seat.score - st.seats[summer_viewer(st)].score > -62) else 0
    n = summer_put(out, n, base + SUMMER_SEAT_LEAD + at_most(lead, 30))
    return summer_put(out, n, base + SUMMER_SEAT_SCORE + at_most(seat.score, 12))


cdef inline int bag_inputs(const SummerState* st, const int* slots, uint16_t* out,
                           int n) noexcept nogil:
    """The contents of the bag; if unknown, all unseen tiles, in proportion."""
    cdef int unseen = total(st.bag), in_bag = unseen if st.hidden == SPLIT_KNOWN else st.hidden
    cdef int c, count
    for c in range(6):
        count = lane(st.bag, c)
        if unseen != in_bag:
            count = (count * in_bag + unseen // 2) // unseen
        n = summer_put(out, n, SUMMER_IN_BAG + 12 * slots[c] + at_most(count >> 1, 11))
    return summer_put(out, n, SUMMER_IN_BAG_SIZE + at_most(in_bag >> 3, 16))


cdef inline int summer_table_inputs(const SummerState* st, int* slots,
                                    uint16_t* out) noexcept nogil:
    """All inputs except the seats' summer_own_inputs(); also fills in the slots of the colours."""
    cdef int c, s, seat = summer_viewer(st), n = 0, phase
    for c in range(6):
        slots[c] = slot_of(st, c)
    phase = (0 if st.phase == SUMMER_DRAFT else 2 if st.phase == SUMMER_BONUS
             else 3 if st.phase == SUMMER_DEAL else 1)
    n = summer_put(out, n, SUMMER_IN_PHASE + 4 * (st.round - 1) + phase)
    n = summer_put(out, n, SUMMER_IN_TOKEN
                   + (0 if st.token == NOBODY else 1 + relative_seat(st, st.token)))
    n = summer_put(out, n, SUMMER_IN_STARTER + relative_seat(st, st.start_seat))
    n = summer_put(out, n, SUMMER_IN_DUE + st.bonus_due)
    for c in range(6):
        n = summer_put(out, n, SUMMER_IN_SUPPLY + 7 * slots[c] + at_most(lane(st.supply, c), 6))
    n = bag_inputs(st, slots, out, n)
    if st.phase == SUMMER_DRAFT:
        n = source_inputs(st, slots, out, n)
    for s in range(st.players):
        n = standing_inputs(st, seat, SUMMER_SHARED + s * SUMMER_SEAT, out, n)
        seat = next_seat(seat, st.players)
    return n


cdef inline int summer_inputs(const SummerState* st, uint16_t* out) noexcept nogil:
    """List the active inputs of a position that is not over; their number.

    `out` has room for MAX_ACTIVE. In the phase supply the position is described as if the turn had
    passed on. There are at most 67 shared inputs and 139 per seat, 503 in all if the boards have no
    more tiles than the game.
    """
    cdef int[6] slots
    cdef int s, seat = summer_viewer(st), n = summer_table_inputs(st, slots, out)
    for s in range(st.players):
        n = summer_own_inputs(st, seat, slots, SUMMER_SHARED + s * SUMMER_SEAT, out, n)
        seat = next_seat(seat, st.players)
    return n
