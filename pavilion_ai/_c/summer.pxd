# The rules of Azul: Summer Pavilion (part A of the rules specification), on a C struct.
#
# One place for each rule. Everything is `noexcept nogil` and free of Python objects. Applying a
# decision is deterministic: where the rules draw tiles the phase becomes DEAL or SUPPLY, and only
# summer_draw (at random) or the explicit chance functions go on from there.
#
# Numbering of colours, lanes and board bits: see tables.h.

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from pavilion_ai._c.rng cimport Xoshiro, rng_below, rng_next

cdef extern from "bits.h" nogil:
    const uint64_t BYTES_01
    uint64_t byte_counts(uint64_t x) noexcept
    uint64_t byte_counts2(uint64_t x, uint64_t y) noexcept
    int popcount64(uint64_t x) noexcept
    int lowest_bit(uint64_t x) noexcept
    int select_bit(uint64_t x, unsigned int rank) noexcept
    int random_bit(uint64_t x, uint64_t random) noexcept
    uint64_t multiply_high(uint64_t a, uint64_t b, uint64_t* low) noexcept
    double monotonic_seconds() noexcept
    void bits_init() noexcept

cdef extern from "tables.h" nogil:
    const uint64_t LANES_1
    const uint64_t LANES_HIGH
    const uint64_t LANES_ALL
    const uint64_t ROW_1
    const uint64_t ROW_OUTER
    const uint64_t BOARD_ALL
    const uint8_t[6] WILD_ORDER
    const uint8_t[6] WILD_INDEX
    const uint8_t[6] STAR_POINTS
    const int MIXED_STAR_POINTS
    const uint8_t[4] NUMBER_POINTS
    const uint8_t[2][2][6] COST
    const uint64_t[32] THERMOMETER
    const uint8_t[64][6] CHAIN
    const uint64_t[48][2] FEATURE_MASK
    const uint8_t[48][2] FEATURE_TILES
    const uint8_t[48][2] FEATURE_INDEX
    const uint64_t[18] FEATURES
    const uint8_t[128] COLOURED_STARS
    const uint64_t[32] SUBSET_STEP
    const uint8_t[64] DRAFT_SOURCE
    const uint8_t[64] DRAFT_COLOUR
    void summer_tables_init() noexcept

cdef enum:
    SEATS = 4              # at most
    DISPLAYS = 9           # at most
    CENTRE = 9             # the centre as a source of drafts
    NOBODY = 255           # no seat
    SPLIT_KNOWN = 255      # SummerState.hidden: bag and tower are known apart
    SUPPLY_SPACES = 10
    KEEP_LIMIT = 4
    LAST_ROUND = 6

    # Phases, in the order of the contract.
    DRAFT = 0
    PLACE = 1
    BONUS = 2
    DEAL = 3
    SUPPLY = 4
    OVER = 5

    # Move kinds, the low 3 bits of a move.
    MOVE_DRAFT = 0         # | source << 3 | colour << 7
    MOVE_PLACE = 1         # | space bit << 3 | colour << 9 | own tiles paid << 12
    MOVE_BONUS = 2         # | folded multiset << 3
    MOVE_PASS = 3          # | folded multiset kept << 3

    # More than any position offers: 222 or 762 placements and 210 keep-subsets (D1).
    SUMMER_MOVES = 1024

ctypedef struct SummerSeat:
    uint64_t hand          # lanes; after passing: the tiles kept on the corner spaces
    uint64_t board         # occupied spaces
    uint64_t colours       # byte s: colours present in star s (coloured side: byte 6 only)
    int32_t score
    int32_t unused         # zero, so that equal states are equal bytes

ctypedef struct SummerState:
    uint64_t bag           # lanes; when the split is unknown: all unseen tiles
    uint64_t tower         # lanes
    uint64_t supply        # lanes
    uint64_t centre        # lanes
    uint64_t drafts        # bit 6 * source + colour for every legal draft
    uint32_t[DISPLAYS] displays   # folded multisets
    uint8_t players
    uint8_t grey           # board side: 0 coloured, 1 grey
    uint8_t round          # 1-6
    uint8_t phase
    uint8_t mover          # seat to act; in SUPPLY the seat that follows, or NOBODY
    uint8_t start_seat     # who started this round's drafting
    uint8_t token          # holder, or NOBODY while it lies in the centre
    uint8_t bonus_due
    uint8_t passed         # bit per seat
    uint8_t wild           # colour that is wild in this round (A5)
    uint8_t hidden         # SPLIT_KNOWN, or how many of the unseen tiles are in the bag
    uint8_t unused
    SummerSeat[SEATS] seats       # last, so that a copy may stop after `players`


# ---------------------------------------------------------------------------- multisets of tiles

cdef inline int lane(uint64_t tiles, int colour) noexcept nogil:
    return <int> ((tiles >> (10 * colour)) & 0x3FF)


cdef inline uint64_t one_tile(int colour) noexcept nogil:
    return <uint64_t> 1 << (10 * colour)


cdef inline uint64_t running_sums(uint64_t tiles) noexcept nogil:
    """Lane c holds the number of tiles of colours 0..c."""
    return (tiles * LANES_1) & LANES_ALL


cdef inline int total(uint64_t tiles) noexcept nogil:
    return <int> (running_sums(tiles) >> 50)


cdef inline bint contains(uint64_t tiles, uint64_t part) noexcept nogil:
    """Whether every lane of part is at most that of tiles."""
    return (((tiles | LANES_HIGH) - part) & LANES_HIGH) == LANES_HIGH


cdef inline int present(uint64_t tiles) noexcept nogil:
    """The set of colours with at least one tile, as 6 bits."""
    # The multiplication moves bit 10 c to bit 50 + c; no two products meet.
    cdef uint64_t some = ((tiles + 0x1FF * LANES_1) >> 9) & LANES_1
    return <int> (((some * 0x0004020100804020ULL) >> 50) & 63)


cdef inline uint32_t fold(uint64_t tiles) noexcept nogil:
    """Pack six lanes with counts up to 7 into 26 bits."""
    return <uint32_t> ((tiles | (tiles >> 27)) & 0x03F0FC3F)


cdef inline uint64_t unfold(uint32_t folded) noexcept nogil:
    return (folded | (<uint64_t> folded << 27)) & (7 * LANES_1)


# Sub-multisets of a given size. `ways[c]` counts, in byte t, the sub-multisets of size t that use
# colours c..5 only: six multiplications of truncated polynomials (byte lanes; 126 at most).

cdef inline void count_subsets(uint64_t tiles, uint64_t* ways) noexcept nogil:
    cdef int c
    ways[6] = 1
    for c in range(5, -1, -1):
        ways[c] = (ways[c + 1] * SUBSET_STEP[lane(tiles, c) & 31]) & 0xFFFFFFFFFFULL


cdef inline int subsets_of_size(const uint64_t* ways, int size) noexcept nogil:
    return <int> ((ways[0] >> (8 * size)) & 0xFF)


cdef inline uint64_t subset_at(const uint64_t* ways, int size, int rank) noexcept nogil:
    """The sub-multiset of `size` tiles with number `rank` (0-based)."""
    cdef uint64_t chosen = 0
    cdef int c, n
    for c in range(6):
        while True:
            n = <int> ((ways[c + 1] >> (8 * size)) & 0xFF)
            if rank < n:
                break
            rank -= n
            chosen += one_tile(c)
            size -= 1
    return chosen


cdef inline int keep_options(const uint64_t* ways, int hand_size, bint maximal) noexcept nogil:
    """Number of keep-subsets: of exactly min(4, hand) tiles if maximal, else of 0..4 (A7.8)."""
    if maximal:
        return 1 if hand_size <= KEEP_LIMIT else subsets_of_size(ways, KEEP_LIMIT)
    return <int> ((ways[0] * BYTES_01 >> 32) & 0xFF)


# ------------------------------------------------------------------------------------- the bag

ctypedef struct Draws:
    uint64_t bag           # running sums of what is left
    uint64_t tower
    uint64_t random        # bits not used yet
    int fresh              # draws that they are still good for


cdef inline uint64_t draw_tile(Draws* draws, Xoshiro* rng) noexcept nogil:
    """Draw one tile uniformly (A9); a lane with one tile, or 0 when bag and tower are empty.

    One random number serves four draws: each takes the high part of number * tiles and leaves
    the low part, so the last still has 64 - 3 * 7.1 > 42 bits.
    """
    cdef uint64_t tiles = draws.bag >> 50
    cdef uint64_t index, drawn
    if tiles == 0:
        draws.bag = running_sums(draws.tower)
        draws.tower = 0
        tiles = draws.bag >> 50
        if tiles == 0:
            return 0
    if draws.fresh == 0:
        draws.random = rng_next(rng)
        draws.fresh = 4
    draws.fresh -= 1
    index = multiply_high(draws.random, tiles, &draws.random)
    # Lanes whose running sum exceeds the index: the lowest is the colour, all lose one.
    drawn = (~((index * LANES_1 | LANES_HIGH) - draws.bag) & LANES_HIGH) >> 9
    draws.bag -= drawn
    return drawn & (0 - drawn)


cdef inline uint64_t draw_four(uint64_t* bag, Xoshiro* rng) noexcept nogil:
    """Draw four tiles from a bag (running sums) that holds at least four; as draw_tile."""
    cdef uint64_t index, drawn, tiles = 0, random = rng_next(rng)
    cdef int i
    for i in range(4):
        index = multiply_high(random, bag[0] >> 50, &random)
        drawn = (~((index * LANES_1 | LANES_HIGH) - bag[0]) & LANES_HIGH) >> 9
        bag[0] -= drawn
        tiles += drawn & (0 - drawn)
    return tiles


cdef inline void begin_draws(SummerState* st, Draws* draws) noexcept nogil:
    draws.bag = running_sums(st.bag)
    draws.tower = st.tower
    draws.random = 0
    draws.fresh = 0


cdef inline void end_draws(SummerState* st, const Draws* draws) noexcept nogil:
    st.bag = (draws.bag - (draws.bag << 10)) & LANES_ALL
    st.tower = draws.tower


cdef inline void summer_determinise(SummerState* st, Xoshiro* rng) noexcept nogil:
    """Give an unknown bag a content: `hidden` of the unseen tiles, uniformly; the rest is tower."""
    cdef Draws draws
    cdef uint64_t chosen = 0
    cdef int i
    if st.hidden == SPLIT_KNOWN:
        return
    begin_draws(st, &draws)
    draws.tower = 0
    for i in range(st.hidden):
        chosen += draw_tile(&draws, rng)
    st.tower += st.bag - chosen
    st.bag = chosen
    st.hidden = SPLIT_KNOWN


cdef inline void hide_split(SummerState* st) noexcept nogil:
    """Forget which unseen tiles are in the bag, but not how many."""
    st.hidden = <uint8_t> total(st.bag)
    st.bag += st.tower
    st.tower = 0


# ---------------------------------------------------------------------------- phase 1: drafting

cdef inline int source_drafts(uint64_t tiles, int wild) noexcept nogil:
    """A6.1: the colours that may be drafted from a source holding these tiles."""
    cdef int colours = present(tiles)
    cdef int own = colours & ~(1 << wild)
    return own if own else colours


cdef inline void set_centre(SummerState* st, uint64_t tiles) noexcept nogil:
    st.centre = tiles
    st.drafts &= ~(<uint64_t> 63 << (6 * CENTRE))
    st.drafts |= <uint64_t> source_drafts(tiles, st.wild) << (6 * CENTRE)


cdef inline void set_display(SummerState* st, int display, uint64_t tiles) noexcept nogil:
    st.displays[display] = fold(tiles)
    st.drafts &= ~(<uint64_t> 63 << (6 * display))
    st.drafts |= <uint64_t> source_drafts(tiles, st.wild) << (6 * display)


cdef inline void lose(SummerSeat* seat, int points) noexcept nogil:
    """A11: no score falls below 1."""
    seat.score = seat.score - points if seat.score - points > 1 else 1


cdef inline int next_seat(const SummerState* st, int seat) noexcept nogil:
    return seat + 1 if seat + 1 < st.players else 0


cdef inline void begin_placing(SummerState* st) noexcept nogil:
    """A6.3, A6.4: phase 2 starts with the token holder, or with who started the round."""
    st.phase = PLACE
    st.mover = st.start_seat if st.token == NOBODY else st.token


cdef inline void apply_draft(SummerState* st, int source, int colour) noexcept nogil:
    """A6.2, A6.3."""
    cdef uint64_t tiles = st.centre if source == CENTRE else unfold(st.displays[source])
    cdef uint64_t taken
    cdef uint64_t wild_one = one_tile(st.wild)
    cdef SummerSeat* seat = &st.seats[st.mover]
    if colour == st.wild:
        taken = wild_one
    else:
        taken = tiles & (<uint64_t> 0x3FF << (10 * colour))
        if lane(tiles, st.wild):
            taken += wild_one
    seat.hand += taken
    if source == CENTRE:
        if st.token == NOBODY:
            st.token = st.mover
            lose(seat, total(taken))
        set_centre(st, tiles - taken)
    else:
        st.displays[source] = 0
        st.drafts &= ~(<uint64_t> 63 << (6 * source))
        if tiles != taken:
            set_centre(st, st.centre + tiles - taken)
    if st.drafts:
        st.mover = <uint8_t> next_seat(st, st.mover)
    else:
        begin_placing(st)


# ----------------------------------------------------------------------------- phase 2: placing

ctypedef struct Placements:
    # All legal placements as sets. Bit 8 * (cost - 1) + colour of sets[i][q]: the space of that
    # cost in the stars of group i can be filled with that colour, q of the tiles being wild.
    # Coloured side: group 0 is all outer stars (colour = star), group 6 the centre star.
    # Grey side: group s is star s; the centre's spaces all cost 3, `centre_free` counts them.
    uint64_t[7][6] sets
    int levels             # values of q, 1..6
    int centre_free
    int number             # of placements


cdef inline uint64_t swap_grey(uint64_t rows) noexcept nogil:
    """A3.2: exchange the bytes of positions 1 and 3 with those of costs 1 and 3, grey side."""
    return (rows & ~(<uint64_t> 0xFF00FF)) | ((rows >> 16) & 0xFF) | ((rows & 0xFF) << 16)


cdef inline uint64_t payable(uint64_t hand) noexcept nogil:
    """Bit 8 * (k - 1) + c: at least k tiles of colour c in hand."""
    return (THERMOMETER[hand & 31]
            | THERMOMETER[(hand >> 10) & 31] << 1
            | THERMOMETER[(hand >> 20) & 31] << 2
            | THERMOMETER[(hand >> 30) & 31] << 3
            | THERMOMETER[(hand >> 40) & 31] << 4
            | THERMOMETER[(hand >> 50) & 31] << 5)


cdef inline int star_pattern(uint64_t board, int site) noexcept nogil:
    """The occupied positions of a star, bit p-1 for position p."""
    return <int> (((((board >> site) & ROW_1) * 0x0000010204081020ULL) >> 40) & 63)


cdef inline int allowed_colours(const SummerState* st, const SummerSeat* seat,
                                int site) noexcept nogil:
    """A7.2, A12: the colours that may be placed in a star, as 6 bits."""
    cdef int colours
    if not st.grey:
        if site < 6:
            return 1 << site
        return ~<int> (seat.colours >> 48) & 63
    colours = <int> (seat.colours >> (8 * site)) & 63
    if popcount64(<uint64_t> star_pattern(seat.board, site)) < 2:
        return 63
    return colours if colours & (colours - 1) == 0 else ~colours & 63


cdef inline int count_set(Placements* out, int group, uint64_t spaces, uint64_t own,
                          uint64_t helped) noexcept nogil:
    """A7.3: fill out.sets[group]; own, helped: what the hand pays alone / beside q wild tiles."""
    cdef int q
    cdef uint64_t counts
    out.sets[group][0] = own & spaces
    counts = byte_counts(out.sets[group][0])
    for q in range(1, out.levels):
        out.sets[group][q] = (helped << (8 * q)) & spaces
        counts += byte_counts(out.sets[group][q])
    return <int> ((counts * BYTES_01) >> 56)


cdef inline void find_placements(const SummerState* st, const SummerSeat* seat,
                                 Placements* out) noexcept nogil:
    cdef uint64_t own = payable(seat.hand)
    cdef uint64_t helped = own & ~(ROW_1 << st.wild)
    cdef uint64_t empty = ~seat.board
    cdef uint64_t outer, centre, counts
    cdef int wilds = lane(seat.hand, st.wild)
    cdef int s, q, n
    out.levels = wilds + 1 if wilds < 5 else 6
    if not st.grey:
        outer = empty & ROW_OUTER
        centre = ((empty >> 6) & ROW_1) * <uint64_t> (~(seat.colours >> 48) & 63)
        out.sets[0][0] = own & outer
        out.sets[6][0] = own & centre
        counts = byte_counts2(out.sets[0][0], out.sets[6][0])
        for q in range(1, out.levels):
            helped <<= 8
            out.sets[0][q] = helped & outer
            out.sets[6][q] = helped & centre
            counts += byte_counts2(out.sets[0][q], out.sets[6][q])
        out.number = <int> ((counts * BYTES_01) >> 56)
        return
    n = 0
    for s in range(6):
        n += count_set(out, s, swap_grey((empty >> s) & ROW_1)
                       * <uint64_t> allowed_colours(st, seat, s), own, helped)
    out.centre_free = popcount64((empty >> 6) & ROW_1)
    # With no space free the set is empty and the count 0.
    n += out.centre_free * count_set(
        out, 6, <uint64_t> (allowed_colours(st, seat, 6) if out.centre_free else 0) << 16,
        own, helped)
    out.number = n


cdef inline uint32_t place_move(int space, int colour, int own) noexcept nogil:
    return <uint32_t> (MOVE_PLACE | space << 3 | colour << 9 | own << 12)


cdef inline int space_cost(const SummerState* st, int space) noexcept nogil:
    return COST[st.grey][(space & 7) == 6][space >> 3]


cdef inline int set_bit_to_space(const SummerState* st, const SummerSeat* seat, int group, int bit,
                                 int free_rank) noexcept nogil:
    """Board bit of the space that a bit of Placements.sets[group] stands for.

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
    """The placement that a bit of Placements.sets[group][q] stands for."""
    return place_move(set_bit_to_space(st, seat, group, bit, free_rank), bit & 7,
                      (bit >> 3) + 1 - q)


cdef inline uint32_t placement_at(const SummerState* st, const SummerSeat* seat,
                                  const Placements* found, int rank) noexcept nogil:
    """The placement with number `rank`, 0 <= rank < found.number."""
    cdef int group, q, n, times
    cdef uint64_t bits
    for q in range(found.levels):
        group = 0
        while group < 7:
            times = found.centre_free if st.grey and group == 6 else 1
            bits = found.sets[group][q]
            n = popcount64(bits) * times
            if rank < n:
                return set_bit_to_move(st, seat, group, q,
                                       select_bit(bits, <unsigned int> (rank // times)),
                                       rank % times)
            rank -= n
            group += 1 if st.grey else 6
    return 0  # not reached: rank < found.number


cdef inline void round_over(SummerState* st) noexcept nogil:
    """A8, or A10 after round 6."""
    cdef int s
    if st.round == LAST_ROUND:
        st.phase = OVER
        st.mover = NOBODY
        for s in range(st.players):
            st.seats[s].score += star_points(st, &st.seats[s]) + number_points(st, &st.seats[s])
        return
    st.round += 1
    st.wild = WILD_ORDER[st.round - 1]
    if st.token != NOBODY:
        st.start_seat = st.token
    st.token = NOBODY
    st.passed = 0
    st.mover = st.start_seat
    if st.bag | st.tower:
        st.phase = DEAL
    else:
        begin_placing(st)


cdef inline int star_points(const SummerState* st, const SummerSeat* seat) noexcept nogil:
    """A10.2."""
    cdef uint64_t b = seat.board
    cdef int full = <int> (b & (b >> 8) & (b >> 16) & (b >> 24) & (b >> 32) & (b >> 40)) & 127
    cdef int s, colours, points
    if not st.grey:
        return COLOURED_STARS[full]
    points = 0
    for s in range(7):
        if full >> s & 1:
            colours = <int> (seat.colours >> (8 * s)) & 63
            points += (STAR_POINTS[lowest_bit(<uint64_t> colours)] if colours & (colours - 1) == 0
                       else MIXED_STAR_POINTS)
    return points


cdef inline uint64_t number_spaces(const SummerState* st, int number) noexcept nogil:
    """The spaces that carry a printed number (A3.2), as board bits."""
    if not st.grey:
        return <uint64_t> 127 << (8 * (number - 1))
    if number == 3:
        return <uint64_t> 63 | ROW_1 << 6
    return <uint64_t> 63 << (8 * ((4 - number if number < 3 else number) - 1))


cdef inline int number_points(const SummerState* st, const SummerSeat* seat) noexcept nogil:
    """A10.3."""
    cdef int number, points = 0
    cdef uint64_t spaces
    for number in range(1, 5):
        spaces = number_spaces(st, number)
        if seat.board & spaces == spaces:
            points += NUMBER_POINTS[number - 1]
    return points


cdef inline void finish_turn(SummerState* st) noexcept nogil:
    """Hand over to st.mover, or close the round when it is NOBODY."""
    if st.mover == NOBODY:
        round_over(st)
    else:
        st.phase = PLACE


cdef inline void end_turn(SummerState* st) noexcept nogil:
    """A7.1, A7.7: who is next, and whether the supply is topped up before."""
    cdef int s = st.mover
    cdef int i
    st.mover = NOBODY
    for i in range(st.players):
        s = next_seat(st, s)
        if not st.passed >> s & 1:
            st.mover = <uint8_t> s
            break
    if total(st.supply) < SUPPLY_SPACES and (st.bag | st.tower):
        st.phase = SUPPLY
    else:
        finish_turn(st)


cdef inline void apply_place(SummerState* st, int space, int colour, int own) noexcept nogil:
    """A7.3 to A7.6."""
    cdef SummerSeat* seat = &st.seats[st.mover]
    cdef int site = space & 7
    cdef int wilds = space_cost(st, space) - own
    cdef uint64_t paid = <uint64_t> own << (10 * colour)
    cdef int due
    paid += <uint64_t> wilds << (10 * st.wild)
    seat.hand -= paid
    st.tower += paid - one_tile(colour)
    seat.board |= <uint64_t> 1 << space
    if st.grey or site == 6:
        seat.colours |= <uint64_t> 1 << (8 * site + colour)
    seat.score += CHAIN[star_pattern(seat.board, site)][space >> 3]
    due = features_completed(seat.board, space)
    if due:
        due = min(due, total(st.supply))
        if due:
            st.bonus_due = <uint8_t> due
            st.phase = BONUS
            return
    end_turn(st)


cdef inline int features_completed(uint64_t board, int space) noexcept nogil:
    """A7.5: bonus tiles released by the features that this space, just filled, completes."""
    cdef int due = 0
    if board & FEATURE_MASK[space][0] == FEATURE_MASK[space][0]:
        due = FEATURE_TILES[space][0]
    if board & FEATURE_MASK[space][1] == FEATURE_MASK[space][1]:
        due += FEATURE_TILES[space][1]
    return due


cdef inline void apply_bonus(SummerState* st, uint64_t tiles) noexcept nogil:
    """A7.6."""
    st.supply -= tiles
    st.seats[st.mover].hand += tiles
    st.bonus_due = 0
    end_turn(st)


cdef inline void apply_pass(SummerState* st, uint64_t kept) noexcept nogil:
    """A7.8, A7.9 (in round 6 `kept` is empty)."""
    cdef SummerSeat* seat = &st.seats[st.mover]
    cdef uint64_t gone = seat.hand - kept
    st.tower += gone
    lose(seat, total(gone))
    seat.hand = kept
    st.passed |= <uint8_t> (1 << st.mover)
    end_turn(st)


# --------------------------------------------------------------------------------- chance moves

cdef inline bint summer_is_chance(const SummerState* st) noexcept nogil:
    return st.phase == DEAL or st.phase == SUPPLY

cdef inline void summer_draw(SummerState* st, Xoshiro* rng) noexcept nogil:
    """A8, A9: draw the tiles of the pending deal or top-up. The split must be known."""
    cdef Draws draws
    cdef uint64_t tiles, one
    cdef int d, i
    begin_draws(st, &draws)
    if st.phase == DEAL:
        st.drafts = 0
        for d in range(2 * st.players + 1):
            if draws.bag >> 50 >= 4:
                tiles = draw_four(&draws.bag, rng)
            else:
                tiles = 0
                for i in range(4):
                    tiles += draw_tile(&draws, rng)
            set_display(st, d, tiles)
        end_draws(st, &draws)
        st.phase = DRAFT
        return
    for i in range(SUPPLY_SPACES - total(st.supply)):
        one = draw_tile(&draws, rng)
        if one == 0:
            break
        st.supply += one
    end_draws(st, &draws)
    finish_turn(st)


cdef inline bint take_from_bag(SummerState* st, uint64_t tiles) noexcept nogil:
    """Draw exactly these tiles, in some order; False if the bag (then the tower) cannot yield them.

    A9: the tower is poured when a further tile is needed and the bag is empty.
    """
    cdef int count = total(tiles)
    cdef int in_bag = total(st.bag) if st.hidden == SPLIT_KNOWN else st.hidden
    cdef uint64_t rest
    if st.hidden != SPLIT_KNOWN:
        if not contains(st.bag, tiles):
            return False
        st.bag -= tiles
        st.hidden = <uint8_t> (in_bag - count if count <= in_bag else total(st.bag))
        return True
    if count <= in_bag:
        if not contains(st.bag, tiles):
            return False
        st.bag -= tiles
        return True
    if not contains(tiles, st.bag):
        return False
    rest = tiles - st.bag
    if not contains(st.tower, rest):
        return False
    st.bag = st.tower - rest
    st.tower = 0
    return True


cdef inline bint summer_deal(SummerState* st, const uint64_t* tiles) noexcept nogil:
    """Fill the displays with exactly these multisets; False (state spoilt) if that is impossible."""
    cdef int d, due
    cdef int left = total(st.bag) + total(st.tower)
    st.drafts = 0
    for d in range(2 * st.players + 1):
        due = 4 if left > 4 else left
        if total(tiles[d]) != due or not take_from_bag(st, tiles[d]):
            return False
        left -= due
        set_display(st, d, tiles[d])
    st.phase = DRAFT
    return True


cdef inline bint summer_top_up(SummerState* st, uint64_t tiles) noexcept nogil:
    """Put exactly these tiles on the supply; False (state spoilt) if that is impossible."""
    cdef int due = SUPPLY_SPACES - total(st.supply)
    cdef int left = total(st.bag) + total(st.tower)
    if total(tiles) != (due if due < left else left) or not take_from_bag(st, tiles):
        return False
    st.supply += tiles
    finish_turn(st)
    return True


# ---------------------------------------------------------------------------------- all moves

cdef inline uint32_t draft_move(int bit) noexcept nogil:
    """The draft that a bit of SummerState.drafts stands for."""
    return <uint32_t> (MOVE_DRAFT | DRAFT_SOURCE[bit] << 3 | DRAFT_COLOUR[bit] << 7)


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
    if st.round == LAST_ROUND:
        out[0] = MOVE_PASS
        return 1
    size = size if size < KEEP_LIMIT else KEEP_LIMIT
    least = size if maximal else 0
    for i in range(least, size + 1):
        n += list_subsets(hand, i, MOVE_PASS, out + n)
    return n


cdef inline int list_placements(const SummerState* st, uint32_t* out) noexcept nogil:
    cdef Placements found
    cdef const SummerSeat* seat = &st.seats[st.mover]
    cdef int group, q, bit, i, n = 0
    cdef uint64_t bits
    find_placements(st, seat, &found)
    if found.number == 0:
        return 0
    for q in range(found.levels):
        group = 0
        while group < 7:
            bits = found.sets[group][q]
            while bits:
                bit = lowest_bit(bits)
                bits &= bits - 1
                for i in range(found.centre_free if st.grey and group == 6 else 1):
                    out[n] = set_bit_to_move(st, seat, group, q, bit, i)
                    n += 1
            group += 1 if st.grey else 6
    return n


cdef inline int summer_moves(const SummerState* st, bint maximal, uint32_t* out) noexcept nogil:
    """List all legal moves of the mover; 0 in chance phases and when the game is over.

    `out` has room for SUMMER_MOVES; `maximal` is the keep_policy (A7.8).
    """
    cdef uint64_t bits
    cdef int bit, n = 0
    if st.phase == DRAFT:
        bits = st.drafts
        while bits:
            bit = lowest_bit(bits)
            bits &= bits - 1
            out[n] = draft_move(bit)
            n += 1
    elif st.phase == PLACE:
        n = list_placements(st, out)
        n += list_passes(st, maximal, out + n)
    elif st.phase == BONUS:
        n = list_subsets(st.supply, st.bonus_due, MOVE_BONUS, out)
    return n


cdef inline void summer_apply(SummerState* st, uint32_t move) noexcept nogil:
    """Play a legal move of the mover."""
    cdef int kind = move & 7
    if kind == MOVE_DRAFT:
        apply_draft(st, (move >> 3) & 15, (move >> 7) & 7)
    elif kind == MOVE_PLACE:
        apply_place(st, (move >> 3) & 63, (move >> 9) & 7, (move >> 12) & 7)
    elif kind == MOVE_BONUS:
        apply_bonus(st, unfold(move >> 3))
    else:
        apply_pass(st, unfold(move >> 3))


cdef inline uint64_t random_keep(const uint64_t* ways, int hand_size, bint maximal,
                                 int rank) noexcept nogil:
    """The keep-subset with number `rank` among keep_options()."""
    cdef int size = hand_size if hand_size < KEEP_LIMIT else KEEP_LIMIT
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
    cdef Placements found
    cdef uint64_t[7] ways
    cdef int options = 1, rank
    cdef const SummerSeat* seat = &st.seats[st.mover]
    cdef int size = total(seat.hand)
    cdef bint choice = st.round != LAST_ROUND and (size > KEEP_LIMIT or not maximal)
    find_placements(st, seat, &found)
    if choice:
        count_subsets(seat.hand, ways)
        options = keep_options(ways, size, maximal)
    rank = <int> rng_below(rng, found.number + options)
    if rank < found.number:
        placement[0] = placement_at(st, seat, &found, rank)
        return True
    if choice:
        kept[0] = random_keep(ways, size, maximal, rank - found.number)
    else:
        kept[0] = 0 if st.round == LAST_ROUND else seat.hand
    return False


cdef inline uint32_t summer_random_move(const SummerState* st, Xoshiro* rng,
                                        bint maximal) noexcept nogil:
    """A legal move, uniformly, without listing them."""
    cdef int bit
    cdef uint32_t placement = 0
    cdef uint64_t kept = 0
    if st.phase == DRAFT:
        bit = random_draft(st, rng)
        return draft_move(bit)
    if st.phase == BONUS:
        return MOVE_BONUS | fold(random_bonus(st, rng)) << 3
    if random_turn(st, rng, maximal, &placement, &kept):
        return placement
    return MOVE_PASS | fold(kept) << 3


cdef inline int summer_random_game(SummerState* st, Xoshiro* rng, bint maximal) noexcept nogil:
    """Play uniformly random moves to the end; returns the number of decisions."""
    cdef int bit, plies = 0
    cdef uint32_t move = 0
    cdef uint64_t kept = 0
    while st.phase != OVER:
        while st.phase == DRAFT:
            bit = random_draft(st, rng)
            apply_draft(st, DRAFT_SOURCE[bit], DRAFT_COLOUR[bit])
            plies += 1
        while st.phase == PLACE:
            if random_turn(st, rng, maximal, &move, &kept):
                apply_place(st, (move >> 3) & 63, (move >> 9) & 7, (move >> 12) & 7)
            else:
                apply_pass(st, kept)
            plies += 1
        if st.phase == BONUS:
            apply_bonus(st, random_bonus(st, rng))
            plies += 1
        if summer_is_chance(st):
            summer_draw(st, rng)
    return plies


cdef inline void summer_new(SummerState* st, int players, bint grey, int start_seat,
                            Xoshiro* rng) noexcept nogil:
    """A4: the supply is filled first, then the displays."""
    cdef int i
    cdef SummerSeat empty
    empty.hand = empty.board = empty.colours = 0
    empty.score = 5
    empty.unused = 0
    st.bag = 22 * LANES_1
    st.tower = st.supply = st.centre = st.drafts = 0
    for i in range(DISPLAYS):
        st.displays[i] = 0
    st.players = <uint8_t> players
    st.grey = grey
    st.round = 1
    st.wild = WILD_ORDER[0]
    st.start_seat = st.mover = <uint8_t> start_seat
    st.token = NOBODY
    st.bonus_due = st.passed = st.unused = 0
    st.hidden = SPLIT_KNOWN
    for i in range(SEATS):
        st.seats[i] = empty
    st.phase = SUPPLY
    summer_draw(st, rng)
    st.phase = DEAL
    summer_draw(st, rng)


# ---------------------------------------------------------------------------------------- perft

cdef inline uint64_t lowest_tile(uint64_t tiles) noexcept nogil:
    """One tile of the first colour in wild order that is there, or 0."""
    cdef int i
    for i in range(6):
        if lane(tiles, WILD_ORDER[i]):
            return one_tile(WILD_ORDER[i])
    return 0


cdef inline uint64_t take_lowest(SummerState* st) noexcept nogil:
    cdef uint64_t one
    if st.bag == 0:
        st.bag = st.tower
        st.tower = 0
    one = lowest_tile(st.bag)
    if one:
        take_from_bag(st, one)
    return one


cdef inline void summer_draw_lowest(SummerState* st) noexcept nogil:
    """Settle a chance phase with perft's fixed draw: always the lowest colour in the bag."""
    cdef uint64_t tiles
    cdef int d, i
    if st.phase == DEAL:
        st.drafts = 0
        for d in range(2 * st.players + 1):
            tiles = 0
            for i in range(4):
                tiles += take_lowest(st)
            set_display(st, d, tiles)
        st.phase = DRAFT
        return
    for i in range(SUPPLY_SPACES - total(st.supply)):
        st.supply += take_lowest(st)
    finish_turn(st)
