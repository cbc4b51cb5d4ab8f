# Blocks of memory that grow as items are appended: records of self-play, samples for a learner.

from libc.stdlib cimport realloc
from libc.string cimport memcpy

ctypedef struct Growing:
    char* data             # the owner frees it
    size_t used
    size_t room


cdef inline bint append(Growing* block, const void* item, size_t size) noexcept nogil:
    """Copy an item to the end; False without memory."""
    cdef size_t room = block.room
    cdef char* data
    if block.used + size > room:
        room = 2 * (block.used + size) + 4096
        data = <char*> realloc(block.data, room)
        if data == NULL:
            return False
        block.data = data
        block.room = room
    memcpy(block.data + block.used, item, size)
    block.used += size
    return True
