# Numbers and multisets of tiles at the border: counts by colour in Python, lanes of 64 bits in C.

ctypedef struct TileSet:
    # The tiles of a game.
    const uint8_t* order   # lane of each colour, in the order of the notation
    int colours
    int each               # tiles of one colour


cdef int check(object value, int low, int high, str what) except? -1000:
    """A number from Python as an int of C; ValueError if it is out of its range."""
    cdef int number
    try:
        number = value
    except OverflowError:     # it may have thousands of digits
        raise ValueError(f"{what} is out of its range, {low}..{high}") from None
    if not low <= number <= high:
        raise ValueError(f"{what} is {value!r}, expected {low}..{high}")
    return number


cdef int kind_from(object move, int last) except -1:
    """The first number of a move from Python, its kind."""
    if not len(move):         # indices are not checked here
        raise ValueError("a move has numbers, found none")
    return check(move[0], 0, last, "kind of move")


cdef uint32_t code_from(object value) except? 0xFFFFFFFF:
    """A move's 32-bit number from Python; ValueError if it is longer."""
    try:
        return value
    except OverflowError:
        raise ValueError("a move's number has 32 bits") from None


cdef int check_length(object values, int expected, str what) except -1:
    if len(values) != expected:
        raise ValueError(f"{len(values)} {what}, expected {expected}")
    return expected


cdef uint64_t lanes_of(object counts, const TileSet* tile_set, int most,
                       str what) except? 0xFFFFFFFFFFFFFFFF:
    """Lanes of counts by colour, together at most `most`."""
    cdef uint64_t tiles = 0
    cdef int i
    if len(counts) != tile_set.colours:
        raise ValueError(f"{what} has {len(counts)} counts, expected {tile_set.colours}")
    for i in range(tile_set.colours):
        tiles += (one_tile(tile_set.order[i])
                  * <uint64_t> check(counts[i], 0, tile_set.each, what))
    if total(tiles) > most:
        raise ValueError(f"{what} holds {total(tiles)} tiles, expected at most {most}")
    return tiles


cdef tuple counts_of(uint64_t tiles, const TileSet* tile_set):
    cdef int i
    return tuple([lane(tiles, tile_set.order[i]) for i in range(tile_set.colours)])
