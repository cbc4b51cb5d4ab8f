# What the network of Azul: Summer Pavilion sees: the numbers of the active inputs of a position.
#
# Everything is told from the viewpoint of the mover (between rounds: of the coming start player).
# Seats are relative, 0 the mover, then clockwise. Colours stand in slots: slot k becomes wild in k
# rounds, slot 0 is wild now; colours whose round is past fill the last slots. Boards are told
# twice, by site, where neighbouring stars stay neighbours, and by slot.

from libc.stdint cimport uint16_t, uint64_t
from pavilion_ai._c.bag cimport NOBODY
from pavilion_ai._c.bits cimport lowest_bit, popcount64
from pavilion_ai._c.linear cimport at_most
from pavilion_ai._c.summer cimport (
    BONUS, DEAL, DRAFT, FEATURES, SummerSeat, SummerState, number_spaces,
)
from pavilion_ai._c.summer_features cimport byte_at, filled_spaces, number_class, slot_of
from pavilion_ai._c.tiles cimport lane, present, total, unfold

cdef enum:
    # First number of each group; the comment gives the indices inside.
    I_PHASE = 0                     # round 6, phase draft place bonus between rounds
    I_TOKEN = I_PHASE + 24          # in the centre, or relative seat 0-3
    I_STARTER = I_TOKEN + 5         # relative seat 0-3
    I_DUE = I_STARTER + 4           # bonus tiles to take 0-3
    I_SUPPLY = I_DUE + 4            # slot 6, tiles 0-6
    I_DISPLAY = I_SUPPLY + 42       # once per display and colour to draft: slot, tiles 1-4, wild 2
    I_DISPLAYS = I_DISPLAY + 48     # displays with tiles 0-9
    I_CENTRE = I_DISPLAYS + 10      # slot 6, tiles 0-9
    I_TABLE = I_CENTRE + 60         # slot 6, tiles on displays and in the centre 0-14
    I_CHOICES = I_TABLE + 90        # legal drafts 0-20
    I_BAG = I_CHOICES + 21          # slot 6, tiles in the bag by twos 0-11
    I_BAG_SIZE = I_BAG + 72         # tiles in the bag by eights 0-16
    I_SHARED = I_BAG_SIZE + 17

    # The same for each seat, the mover's block first.
    J_SPACE = 0                     # filled spaces, by board bit
    J_SLOT = J_SPACE + 48           # coloured: filled spaces of outer stars: slot 6, position 6
    J_STAR = J_SLOT + 36            # slot 6 (grey: site), or the centre; filled 0-6
    J_FEATURE = J_STAR + 49         # feature 18, spaces missing 0-2, if so few
    J_NUMBER = J_FEATURE + 54       # number 1-4, its spaces filled 0-7
    J_HAND = J_NUMBER + 32          # slot 6, tiles 0-12
    J_COLOUR = J_HAND + 78          # the same by colour: colour 6, tiles 0-6
    J_PAYABLE = J_COLOUR + 42       # slot 6 (star of the colour): dearest space to pay for 0-6
    J_TILES = J_PAYABLE + 42        # tiles in hand 0-20
    J_PASSED = J_TILES + 21         # no, yes
    J_LEAD = J_PASSED + 2           # score less the mover's, by fours from -60 to 60
    J_SCORE = J_LEAD + 31           # own score 0-12: losses end at 1
    J_COLOURS = J_SCORE + 13        # site 7, slot 6: the colour is in that star (grey; else centre)
    J_KIND = J_COLOURS + 42         # grey: site 7, empty, one tile, one colour, mixed
    J_SEAT = J_KIND + 28


cdef inline int put(uint16_t* out, int n, int number) noexcept nogil:
    out[n] = <uint16_t> number
    return n + 1


cdef inline int viewer(const SummerState* st) noexcept nogil:
    """The seat from whose viewpoint the position is told."""
    return st.start_seat if st.phase == DEAL or st.mover == NOBODY else st.mover


cdef inline int relative_seat(const SummerState* st, int seat) noexcept nogil:
    cdef int number = seat - viewer(st)
    return number if number >= 0 else number + st.players


cdef inline int source_inputs(const SummerState* st, const int* slots, uint16_t* out,
                              int n) noexcept nogil:
    """What lies on the displays and in the centre."""
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
                n = put(out, n, I_DISPLAY + 8 * slots[c] + 2 * (lane(tiles, c) - 1) + wild)
    n = put(out, n, I_DISPLAYS + count)
    for c in range(6):
        n = put(out, n, I_CENTRE + 10 * slots[c] + at_most(lane(st.centre, c), 9))
        n = put(out, n, I_TABLE + 15 * slots[c] + at_most(lane(table, c), 14))
    return put(out, n, I_CHOICES + at_most(popcount64(st.drafts), 20))


cdef inline int dearest(const SummerState* st, const SummerSeat* seat, int colour) noexcept nogil:
    """Coloured side: the highest number free in the colour's star that the hand pays for."""
    cdef int own = lane(seat.hand, colour), cost
    if own == 0:
        return 0
    if colour != st.wild:
        own += lane(seat.hand, st.wild)
    for cost in range(at_most(own, 6), 0, -1):
        if not seat.board >> (8 * (cost - 1) + colour) & 1:
            return cost
    return 0


cdef inline void seat_key(const SummerState* st, int index, uint64_t* key) noexcept nogil:
    """Three words that differ where own_inputs() differs, but for the seat; never all zero."""
    key[0] = st.seats[index].hand
    key[1] = st.seats[index].board | <uint64_t> st.round << 56
    key[2] = st.seats[index].colours


cdef inline int own_inputs(const SummerState* st, int index, const int* slots, int base,
                           uint16_t* out, int n) noexcept nogil:
    """What a seat's board and hand alone say."""
    cdef const SummerSeat* seat = &st.seats[index]
    cdef uint64_t bits = seat.board, filled = filled_spaces(seat.board)
    cdef int i, c, bit, missing, colours, count
    while bits:
        bit = lowest_bit(bits)
        bits &= bits - 1
        n = put(out, n, base + J_SPACE + bit)
        if not st.grey and bit & 7 != 6:
            n = put(out, n, base + J_SLOT + 6 * slots[bit & 7] + (bit >> 3))
    for i in range(7):
        n = put(out, n, base + J_STAR + 7 * (slots[i] if i < 6 and not st.grey else i)
                + byte_at(filled, i))
        colours = <int> (seat.colours >> (8 * i)) & 63
        if st.grey:
            count = byte_at(filled, i)
            n = put(out, n, base + J_KIND + 4 * i + (count if count < 2 else
                                                     2 if colours & (colours - 1) == 0 else 3))
        while colours:
            c = lowest_bit(<uint64_t> colours)
            colours &= colours - 1
            n = put(out, n, base + J_COLOURS + 6 * i + slots[c])
    for i in range(18):
        missing = popcount64(FEATURES[i] & ~seat.board)
        if missing <= 2 and (missing < 2 or i < 12):
            n = put(out, n, base + J_FEATURE + 3 * i + missing)
    for i in range(1, 5):
        n = put(out, n, base + J_NUMBER + 8 * (i - 1) + number_class(
            st, i, popcount64(seat.board & number_spaces(st, i))))
    for c in range(6):
        count = lane(seat.hand, c)
        n = put(out, n, base + J_HAND + 13 * slots[c] + at_most(count, 12))
        n = put(out, n, base + J_COLOUR + 7 * c + at_most(count, 6))
        if not st.grey:
            n = put(out, n, base + J_PAYABLE + 7 * slots[c] + dearest(st, seat, c))
    return put(out, n, base + J_TILES + at_most(total(seat.hand), 20))


cdef inline int standing_inputs(const SummerState* st, int index, int base, uint16_t* out,
                                int n) noexcept nogil:
    """The rest of a seat's inputs."""
    cdef const SummerSeat* seat = &st.seats[index]
    cdef int lead
    n = put(out, n, base + J_PASSED + (st.passed >> index & 1))
    lead = (seat.score - st.seats[viewer(st)].score + 62) // 4 if (
        seat.score - st.seats[viewer(st)].score > -62) else 0
    n = put(out, n, base + J_LEAD + at_most(lead, 30))
    return put(out, n, base + J_SCORE + at_most(seat.score, 12))


cdef inline int table_inputs(const SummerState* st, int* slots, uint16_t* out) noexcept nogil:
    """All inputs but own_inputs() of the seats; fills in the slots of the colours, too."""
    cdef int c, s, seat = viewer(st), n = 0, phase
    for c in range(6):
        slots[c] = slot_of(st, c)
    phase = 0 if st.phase == DRAFT else 2 if st.phase == BONUS else 3 if st.phase == DEAL else 1
    n = put(out, n, I_PHASE + 4 * (st.round - 1) + phase)
    n = put(out, n, I_TOKEN + (0 if st.token == NOBODY else 1 + relative_seat(st, st.token)))
    n = put(out, n, I_STARTER + relative_seat(st, st.start_seat))
    n = put(out, n, I_DUE + st.bonus_due)
    for c in range(6):
        n = put(out, n, I_SUPPLY + 7 * slots[c] + at_most(lane(st.supply, c), 6))
        n = put(out, n, I_BAG + 12 * slots[c] + at_most(lane(st.bag, c) >> 1, 11))
    n = put(out, n, I_BAG_SIZE + at_most(total(st.bag) >> 3, 16))
    if st.phase == DRAFT:
        n = source_inputs(st, slots, out, n)
    for s in range(st.players):
        n = standing_inputs(st, seat, I_SHARED + s * J_SEAT, out, n)
        seat = seat + 1 if seat + 1 < st.players else 0
    return n


cdef inline int summer_inputs(const SummerState* st, uint16_t* out) noexcept nogil:
    """List the active inputs of a position that is not over; their number.

    `out` has room for MAX_ACTIVE. In the phase supply the position is told as if the turn had
    passed on.
    """
    cdef int[6] slots
    cdef int s, seat = viewer(st), n = table_inputs(st, slots, out)
    for s in range(st.players):
        n = own_inputs(st, seat, slots, I_SHARED + s * J_SEAT, out, n)
        seat = seat + 1 if seat + 1 < st.players else 0
    return n
