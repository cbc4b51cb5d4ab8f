# The legal moves of base Azul as sets of bits: listed, and picked at random without a list.

from libc.stdint cimport uint32_t, uint64_t
from pavilion_ai._c.azul cimport (
    AZUL_DRAFT, AZUL_FLOOR, AZUL_MOVE_TAKE, AZUL_MOVE_TILE, AZUL_OVER, AZUL_WALL, ONES, AzulSeat,
    AzulState, apply_take, apply_tile, azul_full_line, azul_is_chance, begin_tiling, legal_columns,
)
from pavilion_ai._c.azul_chance cimport azul_draw
from pavilion_ai._c.bits cimport lowest_bit, multiply_high, random_bit, select_in_byte
from pavilion_ai._c.rng cimport Xoshiro, rng_next

cdef extern from "azul_tables.h" nogil:
    const uint64_t EVERY_SOURCE         # bit 6 * source


cdef inline uint32_t azul_take_move(int source, int colour, int destination) noexcept nogil:
    return <uint32_t> (AZUL_MOVE_TAKE | source << 3 | colour << 7 | destination << 10)


cdef inline uint32_t azul_tile_move(int line, int column) noexcept nogil:
    return <uint32_t> (AZUL_MOVE_TILE | line << 3 | column << 6)


cdef inline uint32_t destinations(const AzulSeat* seat, int colour) noexcept nogil:
    """B4.3: where tiles of a colour may go, as 6 bits."""
    return (seat.open >> (6 * colour)) & 63


cdef inline uint32_t column_choices(const AzulSeat* seat, int line) noexcept nogil:
    """B8: where the tile of a full line may go; the floor line alone if nowhere else."""
    cdef uint32_t columns = legal_columns(seat, line, seat.colour[line])
    return columns if columns else <uint32_t> 1 << AZUL_FLOOR


cdef inline int azul_moves(const AzulState* st, uint32_t* out) noexcept nogil:
    """List the legal moves; 0 in a deal and at the end."""
    cdef const AzulSeat* seat = &st.seats[st.mover]
    cdef uint64_t drafts = st.drafts
    cdef uint32_t choices
    cdef int bit, line, n = 0
    if st.phase == AZUL_DRAFT:
        while drafts:
            bit = lowest_bit(drafts)
            drafts &= drafts - 1
            choices = destinations(seat, bit % 6)
            while choices:
                out[n] = azul_take_move(bit // 6, bit % 6, lowest_bit(choices))
                n += 1
                choices &= choices - 1
    elif st.phase == AZUL_WALL:
        line = azul_full_line(seat)
        choices = column_choices(seat, line)
        while choices:
            out[n] = azul_tile_move(line, lowest_bit(choices))
            n += 1
            choices &= choices - 1
    return n


# ------------------------------------------------------------------------------- random picks

cdef inline uint64_t in_each_source(uint64_t bits) noexcept nogil:
    """Running sums of bits of EVERY_SOURCE: those up to a source, from bit 6 * source on."""
    return bits * EVERY_SOURCE


cdef inline int sources_of(uint64_t sums) noexcept nogil:
    """The last of the running sums."""
    return <int> (sums >> 54) & 63


cdef inline void pick_take(const AzulState* st, uint64_t random, int* source, int* colour,
                           int* destination) noexcept nogil:
    """A uniformly random draft: sources and destinations are counted colour by colour."""
    cdef const AzulSeat* seat = &st.seats[st.mover]
    cdef uint64_t[5] sums
    cdef int[5] places
    cdef unsigned int[6] start         # of the drafts of a colour among all
    cdef unsigned int index, rank
    cdef int c
    cdef uint64_t low
    start[0] = 0
    for c in range(5):
        sums[c] = in_each_source(st.drafts >> c & EVERY_SOURCE)
        places[c] = ONES[destinations(seat, c) & 31] + 1   # the floor line takes all
        start[c + 1] = start[c] + places[c] * sources_of(sums[c])
    index = <unsigned int> multiply_high(random, start[5], &low)
    c = (index >= start[1]) + (index >= start[2]) + (index >= start[3]) + (index >= start[4])
    index -= start[c]
    rank = index // places[c]
    # Bit 5 of a source's place: at most `rank` sources up to it have the colour.
    source[0] = sources_of(in_each_source((32 + rank) * EVERY_SOURCE - sums[c] >> 5 & EVERY_SOURCE))
    colour[0] = c
    destination[0] = select_in_byte(destinations(seat, c), index - rank * places[c])


cdef inline int pick_column(const AzulSeat* seat, int line, uint64_t random) noexcept nogil:
    """A uniformly random column for the tile of a full line."""
    return random_bit(column_choices(seat, line), random)


cdef inline uint32_t azul_random_move(const AzulState* st, Xoshiro* rng) noexcept nogil:
    """A uniformly random legal move; a seat must be to move."""
    cdef const AzulSeat* seat
    cdef int source, colour, destination, line
    if st.phase == AZUL_DRAFT:
        pick_take(st, rng_next(rng), &source, &colour, &destination)
        return azul_take_move(source, colour, destination)
    seat = &st.seats[st.mover]
    line = azul_full_line(seat)
    return azul_tile_move(line, pick_column(seat, line, rng_next(rng)))


cdef inline int azul_random_game(AzulState* st, Xoshiro* rng) noexcept nogil:
    """Play uniformly random moves to the end; the number of decisions."""
    cdef const AzulSeat* seat
    cdef int source, colour, destination, line, plies = 0
    while st.phase != AZUL_OVER:
        if st.phase == AZUL_DRAFT:
            while st.drafts:
                pick_take(st, rng_next(rng), &source, &colour, &destination)
                apply_take(st, source, colour, destination)
                plies += 1
            begin_tiling(st)
        while st.phase == AZUL_WALL:
            seat = &st.seats[st.mover]
            line = azul_full_line(seat)
            apply_tile(st, line, pick_column(seat, line, rng_next(rng)))
            plies += 1
        if azul_is_chance(st):
            azul_draw(st, rng)
    return plies
