# Numbers and multisets of tiles at the border: counts by colour in Python, lanes of 64 bits in C.

ctypedef struct TileSet:
    # The tiles of a game.
    const uint8_t* order   # lane of each colour, in the order of the notation
    int colours
    int each               # tiles of one colour


cdef int check(object value, int low, int high, str what) except? -1000:
    cdef int number = value
    if not low <= number <= high:
        raise ValueError(f"{what} is {value!r}, expected {low}..{high}")
    return number


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
