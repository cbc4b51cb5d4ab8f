# Numbers and multisets of tiles at the border: counts by colour in Python, lanes of 64 bits in C.

from cpython.number cimport PyNumber_Index
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

from pavilion_ai._c.tiles cimport lane, one_tile, total


ctypedef struct TileSet:
    # The tiles of a game.
    const uint8_t* order   # lane of each colour, in the order of the notation
    int colours
    int each               # tiles of one colour


cdef object whole(object value, str what):
    """A whole number from Python, numpy's too; TypeError if it is something else, like 2.0."""
    if type(value) is int:
        return value
    try:
        return PyNumber_Index(value)
    except TypeError:
        raise TypeError(
            f"{what} is of type {type(value).__name__}, expected a whole number") from None


cdef str brief(object number):
    """A whole number as messages show it: it may have thousands of digits."""
    return (str(number) if number.bit_length() <= 64
            else f"a number of {number.bit_length()} bits")


cdef int64_t check_long(object value, int64_t low, int64_t high, str what) except? -1000:
    """A whole number from Python; ValueError if it is out of its range."""
    number = whole(value, what)
    if not low <= number <= high:
        raise ValueError(f"{what} is {brief(number)}, expected {low}..{high}")
    return number


cdef int check(object value, int low, int high, str what) except? -1000:
    """The same as an int of C."""
    return <int> check_long(value, low, high, what)


cdef uint64_t low_bits(object value, str what) except? 0xFFFFFFFFFFFFFFFF:
    """The low 64 bits of any whole number, of a seed."""
    return whole(value, what) & 0xFFFFFFFFFFFFFFFF


cdef double real(object value, str what) except? -1000:
    """A number from Python; ValueError if it is NaN or beyond all of C."""
    cdef double number
    try:
        number = value
    except OverflowError:
        raise ValueError(f"{what} is {brief(int(value))}, expected a smaller one") from None
    if number != number:
        raise ValueError(f"{what} is nan, expected a number")
    return number


cdef double check_real(object value, double low, double high, str what) except? -1000:
    """The same; ValueError if it is out of its range."""
    cdef double number = real(value, what)
    if not low <= number <= high:
        raise ValueError(f"{what} is {number!r}, expected {low:g}..{high:g}")
    return number


cdef int kind_from(tuple move, int last) except -1:
    """The first number of a move from Python, its kind."""
    if not len(move):         # indices are not checked here
        raise ValueError("a move has numbers, found none")
    return check(move[0], 0, last, "kind of move")


cdef uint32_t code_from(object value) except? 0xFFFFFFFF:
    """A move's 32-bit number from Python; ValueError if it is longer."""
    number = whole(value, "a move's number")
    if not 0 <= number <= 0xFFFFFFFF:
        raise ValueError("a move's number has 32 bits")
    return number


cdef tuple several(object values, int expected, str what):
    """So many values from Python, as a copy: the numbers in them may run code that changes it."""
    cdef tuple copied = tuple(values)
    if len(copied) != expected:
        raise ValueError(f"{len(copied)} {what}, expected {expected}")
    return copied


cdef uint64_t lanes_of(object counts, const TileSet* tile_set, int most,
                       str what) except? 0xFFFFFFFFFFFFFFFF:
    """Lanes of counts by colour, together at most `most`."""
    cdef uint64_t tiles = 0
    cdef int i
    cdef tuple given = several(counts, tile_set.colours, f"counts in {what}")
    for i in range(tile_set.colours):
        tiles += (one_tile(tile_set.order[i])
                  * <uint64_t> check(given[i], 0, tile_set.each, what))
    if total(tiles) > most:
        raise ValueError(f"{what} holds {total(tiles)} tiles, expected at most {most}")
    return tiles


cdef tuple counts_of(uint64_t tiles, const TileSet* tile_set):
    cdef int i
    return tuple([lane(tiles, tile_set.order[i]) for i in range(tile_set.colours)])
