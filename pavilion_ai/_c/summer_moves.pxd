# The legal moves of Azul: Summer Pavilion as sets of bits: listed, counted, and picked at random
# without a list.

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from pavilion_ai._c.bits cimport (
    BYTES_01, BYTES_80, byte_counts, byte_counts2, lowest_bit, popcount64, random_bit, select_bit,
    two_of_three,
)
from pavilion_ai._c.rng cimport Xoshiro, rng_below, rng_next
from pavilion_ai._c.summer cimport (
    ROW_1, ROW_OUTER, SUMMER_BONUS, SUMMER_DRAFT, SUMMER_KEEP_LIMIT, SUMMER_LAST_ROUND,
    SUMMER_MOVE_BONUS, SUMMER_MOVE_DRAFT, SUMMER_MOVE_PASS, SUMMER_MOVE_PLACE, SUMMER_OVER,
    SUMMER_PLACE, SummerSeat, SummerState, apply_bonus, apply_draft, apply_pass, apply_place,
    summer_is_chance,
)
from pavilion_ai._c.summer_chance cimport summer_draw
from pavilion_ai._c.tiles cimport count_subsets, fold, lane, subset_at, subsets_of_size, total

cdef extern from "summer_tables.h" nogil:
    const uint64_t[6][32] PAYABLE
    const uint8_t[64] DRAFT_SOURCE
    const uint8_t[64] DRAFT_COLOUR


# ---------------------------------------------------------------------------------- placements

ctypedef struct SummerPlacements:
    # All legal placements. Bit 8 * (cost - 1) + colour of paid[q] & spaces[i]: the space with that
    # cost in the stars of group i can be filled with that colour, q of the tiles being wild.
    # Coloured side: group 0 is all outer stars (colour = star), group 6 the centre star.
    # Grey side: group s is star s; the centre's free spaces all cost 3, so that a bit of group 6
    # stands for `centre_free` placements (for 1 on the coloured side).
    uint64_t[6] paid       # what the hand pays for; the first `levels` count
    uint64_t[7] spaces     # what the board has room for
    int levels             # values of q, 1..6
    int centre_free

ctypedef struct PlacementCursor:
    # Where next_placement() stands: a bit of placement_set(), and those behind it in that set. It
    # begins before the first: q = -1, group = 6, no bits.
    int q
    int group
    int bit
    uint64_t bits


cdef inline uint64_t swap_grey(uint64_t rows) noexcept nogil:
    """A3.2: exchange the bytes of positions 1 and 3 with those of costs 1 and 3, grey side."""
    return (rows & ~(<uint64_t> 0xFF00FF)) | ((rows >> 16) & 0xFF) | ((rows & 0xFF) << 16)


cdef inline uint64_t payable(uint64_t hand) noexcept nogil:
    """Bit 8 * (k - 1) + c: at least k tiles of colour c in hand."""
    cdef uint64_t bits = 0
    cdef int c
    for c in range(6):
        bits |= PAYABLE[c][lane(hand, c) & 31]
    return bits


cdef inline uint64_t allowed_colours(const SummerSeat* seat) noexcept nogil:
    """A12, grey side: byte s: the colours that may be placed in star s, as 6 bits."""
    cdef uint64_t some = 0, several = 0, mixed
    cdef int p
    for p in range(6):
        several |= some & (seat.board >> (8 * p))
        some |= seat.board >> (8 * p)
    # Stars that hold two tiles or more, and those with two colours: bit 8 * s.
    several = ((several & 127) * 0x0000040810204081ULL) & BYTES_01
    mixed = ((seat.colours | BYTES_80) - BYTES_01) & seat.colours
    mixed = ((mixed + 127 * BYTES_01) >> 7) & BYTES_01
    return (seat.colours ^ 63 * mixed) | 63 * (BYTES_01 ^ several)


cdef inline void find_spaces(const SummerState* st, const SummerSeat* seat,
                             SummerPlacements* out) noexcept nogil:
    """A7.2, A12: the free spaces, with the colours that may be placed there."""
    cdef uint64_t empty = ~seat.board, allowed
    cdef uint64_t in_centre = (empty >> 6) & ROW_1
    cdef int s
    if not st.grey:
        for s in range(1, 6):
            out.spaces[s] = 0
        out.spaces[0] = empty & ROW_OUTER
        out.spaces[6] = in_centre * <uint64_t> (~(seat.colours >> 48) & 63)
        out.centre_free = 1
        return
    empty = swap_grey(empty)
    allowed = allowed_colours(seat)
    for s in range(6):
        out.spaces[s] = ((empty >> s) & ROW_1) * ((allowed >> (8 * s)) & 63)
    out.centre_free = <int> ((in_centre * BYTES_01) >> 56)
    out.spaces[6] = ((allowed >> 48) & 63) << 16 if out.centre_free else 0


cdef inline void find_placements(const SummerState* st, const SummerSeat* seat,
                                 SummerPlacements* out) noexcept nogil:
    """A7.3: what the hand pays alone (q = 0), and beside q wild tiles."""
    cdef uint64_t helped
    cdef int wilds = lane(seat.hand, st.wild)
    cdef int q
    out.levels = wilds + 1 if wilds < 5 else 6
    out.paid[0] = payable(seat.hand)
    helped = out.paid[0] & ~(ROW_1 << st.wild)
    for q in range(1, 6):
        out.paid[q] = helped << (8 * q)
    find_spaces(st, seat, out)


cdef inline uint64_t placement_set(const SummerPlacements* found, int group, int q) noexcept nogil:
    """The placements in the stars of a group with q wild tiles, as bits."""
    return found.paid[q] & found.spaces[group]


cdef inline int count_placements(const SummerPlacements* found, bint grey,
                                 int* numbers) noexcept nogil:
    """How many placements there are with each number of wild tiles, at most 252; their sum."""
    cdef uint64_t one, other, ones, carried, twos, fours, counts
    cdef int q, every = 0
    if not grey:
        for q in range(found.levels):
            counts = byte_counts2(placement_set(found, 0, q), placement_set(found, 6, q))
            numbers[q] = <int> ((counts * BYTES_01) >> 56)
            every += numbers[q]
        return every
    # In how many of the six stars a bit is set, as a number in base 2.
    one = two_of_three(found.spaces[0], found.spaces[1], found.spaces[2])
    other = two_of_three(found.spaces[3], found.spaces[4], found.spaces[5])
    ones = found.spaces[0] ^ found.spaces[1] ^ found.spaces[2]
    carried = found.spaces[3] ^ found.spaces[4] ^ found.spaces[5]
    ones, carried = ones ^ carried, ones & carried
    twos = one ^ other ^ carried
    fours = two_of_three(one, other, carried)
    for q in range(found.levels):
        counts = (byte_counts(found.paid[q] & ones) + 2 * byte_counts(found.paid[q] & twos)
                  + 4 * byte_counts(found.paid[q] & fours)
                  + <uint64_t> found.centre_free * byte_counts(placement_set(found, 6, q)))
        numbers[q] = <int> ((counts * BYTES_01) >> 56)
        every += numbers[q]
    return every


cdef inline uint32_t summer_place_move(int space, int colour, int own) noexcept nogil:
    return <uint32_t> (SUMMER_MOVE_PLACE | space << 3 | colour << 9 | own << 12)


cdef inline int set_bit_to_space(const SummerState* st, const SummerSeat* seat, int group, int bit,
                                 int free_rank) noexcept nogil:
    """Board bit of the space for a bit of SummerPlacements.spaces[group].

    free_rank: which of the centre's free spaces, grey side.
    """
    cdef int position = (bit >> 3) + 1
    if not st.grey:
        return bit if group == 0 else (bit & 56) | 6
    if group == 6:
        return (select_bit(~seat.board >> 6 & ROW_1, <unsigned int> free_rank) & 56) | 6
    if position <= 3:
        position = 4 - position
    return 8 * (position - 1) + group


cdef inline uint32_t set_bit_to_move(const SummerState* st, const SummerSeat* seat, int group,
                                     int q, int bit, int free_rank) noexcept nogil:
    """The placement for a bit of placement_set(found, group, q)."""
    return summer_place_move(set_bit_to_space(st, seat, group, bit, free_rank), bit & 7,
                             (bit >> 3) + 1 - q)


cdef inline bint next_placement(bint grey, const SummerPlacements* found,
                                PlacementCursor* at) noexcept nogil:
    """Move to the next bit of the next placement_set() that has one; False after the last."""
    while at.bits == 0:
        at.group += 1 if grey else 6
        if at.group > 6:
            at.group = 0
            at.q += 1
        if at.q >= found.levels:
            return False
        at.bits = placement_set(found, at.group, at.q)
    at.bit = lowest_bit(at.bits)
    at.bits &= at.bits - 1
    return True


cdef inline uint32_t placement_at(const SummerState* st, const SummerSeat* seat,
                                  const SummerPlacements* found, int q, int rank) noexcept nogil:
    """The placement with number `rank` among those with q wild tiles."""
    cdef int group = 0, times, n
    while group < 6:
        n = popcount64(placement_set(found, group, q))
        if rank < n:
            break
        rank -= n
        group += 1 if st.grey else 6
    times = found.centre_free if group == 6 else 1
    return set_bit_to_move(
        st, seat, group, q,
        select_bit(placement_set(found, group, q), <unsigned int> (rank // times)), rank % times)


# ---------------------------------------------------------------------------------- all moves

cdef inline uint32_t draft_move(int bit) noexcept nogil:
    """The draft for a bit of SummerState.drafts."""
    return <uint32_t> (SUMMER_MOVE_DRAFT | DRAFT_SOURCE[bit] << 3 | DRAFT_COLOUR[bit] << 7)


cdef inline int list_subsets(uint64_t tiles, int size, uint32_t kind, uint32_t* out) noexcept nogil:
    cdef uint64_t[7] ways
    cdef int i, n
    count_subsets(tiles, ways)
    n = subsets_of_size(ways, size)
    for i in range(n):
        out[i] = kind | fold(subset_at(ways, size, i)) << 3
    return n


cdef inline int list_passes(const SummerState* st, bint maximal, uint32_t* out) noexcept nogil:
    cdef uint64_t hand = st.seats[st.mover].hand
    cdef int size = total(hand)
    cdef int least, i, n = 0
    if st.round == SUMMER_LAST_ROUND:
        out[0] = SUMMER_MOVE_PASS
        return 1
    size = size if size < SUMMER_KEEP_LIMIT else SUMMER_KEEP_LIMIT
    least = size if maximal else 0
    for i in range(least, size + 1):
        n += list_subsets(hand, i, SUMMER_MOVE_PASS, out + n)
    return n


cdef inline int list_placements(const SummerState* st, uint32_t* out) noexcept nogil:
    cdef SummerPlacements found
    cdef const SummerSeat* seat = &st.seats[st.mover]
    cdef PlacementCursor at = PlacementCursor(q=-1, group=6, bit=0, bits=0)
    cdef int i, n = 0
    find_placements(st, seat, &found)
    while next_placement(st.grey, &found, &at):
        for i in range(found.centre_free if at.group == 6 else 1):
            out[n] = set_bit_to_move(st, seat, at.group, at.q, at.bit, i)
            n += 1
    return n


cdef inline int summer_moves(const SummerState* st, bint maximal, uint32_t* out) noexcept nogil:
    """List all legal moves of the mover; 0 in chance phases and when the game is over.

    `out` has room for SUMMER_MOVES; `maximal` is the keep_policy (A7.8).
    """
    cdef uint64_t bits
    cdef int bit, n = 0
    if st.phase == SUMMER_DRAFT:
        bits = st.drafts
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - 1
            out[n] = draft_move(bit)
            n += 1
    elif st.phase == SUMMER_PLACE:
        n = list_placements(st, out)
        n += list_passes(st, maximal, out + n)
    elif st.phase == SUMMER_BONUS:
        n = list_subsets(st.supply, st.bonus_due, SUMMER_MOVE_BONUS, out)
    return n


# -------------------------------------------------------------------------------- random moves

cdef inline int keep_options(const uint64_t* ways, int hand_size, bint maximal) noexcept nogil:
    """Number of keep-subsets: of exactly min(4, hand) tiles if maximal, else of 0..4 (A7.8)."""
    if maximal:
        return 1 if hand_size <= SUMMER_KEEP_LIMIT else subsets_of_size(ways, SUMMER_KEEP_LIMIT)
    return <int> ((ways[0] * BYTES_01 >> 32) & 0xFF)


cdef inline uint64_t random_keep(const uint64_t* ways, int hand_size, bint maximal,
                                 int rank) noexcept nogil:
    """The keep-subset with number `rank` among keep_options()."""
    cdef int size = hand_size if hand_size < SUMMER_KEEP_LIMIT else SUMMER_KEEP_LIMIT
    cdef int n
    if not maximal:
        size = 0
        while True:
            n = subsets_of_size(ways, size)
            if rank < n:
                break
            rank -= n
            size += 1
    return subset_at(ways, size, rank)


cdef inline int random_draft(const SummerState* st, Xoshiro* rng) noexcept nogil:
    """Bit of st.drafts: 6 * source + colour."""
    return random_bit(st.drafts, rng_next(rng))


cdef inline uint64_t random_bonus(const SummerState* st, Xoshiro* rng) noexcept nogil:
    """Tiles of a random bonus choice, every multiset as likely as any other."""
    cdef uint64_t[7] ways
    count_subsets(st.supply, ways)
    return subset_at(ways, st.bonus_due,
                     <int> rng_below(rng, subsets_of_size(ways, st.bonus_due)))


cdef inline bint random_turn(const SummerState* st, Xoshiro* rng, bint maximal,
                             uint32_t* placement, uint64_t* kept) noexcept nogil:
    """Choose a turn of phase 2: True and a placement, or False and the tiles kept in a pass."""
    cdef SummerPlacements found
    cdef int[6] numbers    # of placements, by the wild tiles paid
    cdef uint64_t[7] ways
    cdef int options = 1, placements, rank, q
    cdef const SummerSeat* seat = &st.seats[st.mover]
    cdef int size = total(seat.hand)
    cdef bint choice = st.round != SUMMER_LAST_ROUND and (size > SUMMER_KEEP_LIMIT or not maximal)
    find_placements(st, seat, &found)
    placements = count_placements(&found, st.grey, numbers)
    if choice:
        count_subsets(seat.hand, ways)
        options = keep_options(ways, size, maximal)
    rank = <int> rng_below(rng, placements + options)
    if rank < placements:
        q = 0
        while rank >= numbers[q]:
            rank -= numbers[q]
            q += 1
        placement[0] = placement_at(st, seat, &found, q, rank)
        return True
    if choice:
        kept[0] = random_keep(ways, size, maximal, rank - placements)
    else:
        kept[0] = 0 if st.round == SUMMER_LAST_ROUND else seat.hand
    return False


cdef inline uint32_t summer_random_move(const SummerState* st, Xoshiro* rng,
                                        bint maximal) noexcept nogil:
    """A legal move, uniformly, without listing them."""
    cdef int bit
    cdef uint32_t placement = 0
    cdef uint64_t kept = 0
    if st.phase == SUMMER_DRAFT:
        bit = random_draft(st, rng)
        return draft_move(bit)
    if st.phase == SUMMER_BONUS:
        return SUMMER_MOVE_BONUS | fold(random_bonus(st, rng)) << 3
    if random_turn(st, rng, maximal, &placement, &kept):
        return placement
    return SUMMER_MOVE_PASS | fold(kept) << 3


cdef inline int summer_random_game(SummerState* st, Xoshiro* rng) noexcept nogil:
    """Play uniformly random moves to the end; the number of decisions."""
    cdef int bit, plies = 0
    cdef uint32_t move = 0
    cdef uint64_t kept = 0
    while st.phase != SUMMER_OVER:
        while st.phase == SUMMER_DRAFT:
            bit = random_draft(st, rng)
            apply_draft(st, DRAFT_SOURCE[bit], DRAFT_COLOUR[bit])
            plies += 1
        while st.phase == SUMMER_PLACE:
            if random_turn(st, rng, True, &move, &kept):
                apply_place(st, (move >> 3) & 63, (move >> 9) & 7, (move >> 12) & 7)
            else:
                apply_pass(st, kept)
            plies += 1
        if st.phase == SUMMER_BONUS:
            apply_bonus(st, random_bonus(st, rng))
            plies += 1
        if summer_is_chance(st):
            summer_draw(st, rng)
    return plies
