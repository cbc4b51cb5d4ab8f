# Training inputs from records of self-play; included by _core.pyx after _selfplay.pxi.

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memset

from pavilion_ai._c.any_state cimport any_about, any_bytes_for, any_inputs, any_load, any_moves
from pavilion_ai._c.bag cimport SEATS
from pavilion_ai._c.growing cimport Growing
from pavilion_ai._c.linear cimport FeatureList
from pavilion_ai._c.net cimport MAX_ACTIVE
from pavilion_ai._c.rules cimport MAX_MOVES


cdef class _Ragged:
    """Rows of numbers, one after the other."""
    cdef Growing offsets
    cdef Growing items

    def __cinit__(self):
        self.mark()

    def __dealloc__(self):
        free(self.offsets.data)
        free(self.items.data)

    cdef int mark(self) except -1:
        """End a row."""
        cdef uint32_t at = <uint32_t> (self.items.used // sizeof(uint16_t))
        return must_append(&self.offsets, &at, sizeof(uint32_t))

    cdef tuple bytes(self):
        return taken(&self.offsets), taken(&self.items)


cdef class _Records:
    """States, one after the other as self-play writes them."""
    cdef State state
    cdef const unsigned char[::1] states
    cdef Py_ssize_t size
    cdef Py_ssize_t count
    cdef int players

    def __cinit__(self, cls, players, const unsigned char[::1] states):
        self.state = blank(cls)
        self.size = state_bytes(cls, players)
        self.players = players
        self.states = states
        self.count = states.shape[0] // self.size
        if states.shape[0] % self.size:
            raise ValueError(
                f"{states.shape[0]} bytes of states, expected a multiple of {self.size}")

    cdef State at(self, Py_ssize_t i):
        """A record's state, checked: the bytes may come from anybody's file."""
        if not any_load(self.state.any, &self.states[i * self.size], self.players):
            raise ValueError(f"record {i} is not a state of {self.players} players")
        if any_about(self.state.any).over:
            raise ValueError(f"record {i} is a game that is over, expected one to play on")
        return self.state


cdef int check_rows(const uint32_t[::1] first, Py_ssize_t records,
                    const uint32_t[::1] moves) except -1:
    cdef Py_ssize_t i
    if first.shape[0] != records + 1:
        raise ValueError(f"first has {first.shape[0]} numbers, expected {records + 1}")
    require_aligned(&first[0], sizeof(uint32_t))
    if moves.shape[0]:
        require_aligned(&moves[0], sizeof(uint32_t))
    for i in range(records):
        if first[i] > first[i + 1]:
            raise ValueError(f"first falls after record {i}")
    if first[records] > <size_t> moves.shape[0]:
        raise ValueError(f"first ends at {first[records]}, with {moves.shape[0]} moves")
    return 0


cdef int check_legal(State state, Py_ssize_t record, const uint32_t[::1] moves,
                     uint32_t first, uint32_t end) except -1:
    """The features of a move that is not legal could lead out of their tables."""
    cdef uint32_t[MAX_MOVES] legal
    cdef int i, n = any_moves(state.any, False, legal) if first < end else 0
    cdef uint32_t j
    for j in range(first, end):
        for i in range(n):
            if legal[i] == moves[j]:
                break
        else:
            raise ValueError(f"record {record} has the move {moves[j]}, which is not legal there")
    return 0


def state_bytes(cls, players):
    """Return the bytes of a state in the records of self-play."""
    return any_bytes_for(blank(cls).any, check(players, 2, SEATS, "players"))


def training_states(cls, players, const unsigned char[::1] states, rows):
    """Return the states of some records, by number. Records do not hold which colour lies on which
    space of a board and of a floor line: the states show some that fit.

    Raises:
        ValueError: there is no such record, or it is not one of so many players.
    """
    cdef _Records records = _Records(cls, players, states)
    cdef list out = []
    cdef State state
    for row in rows:
        state = records.at(check_long(row, 0, records.count - 1, "record")).duplicate()
        if not state.show_colours():
            raise ValueError(f"record {row} has a board whose colours do not fit")
        out.append(state)
    return out


def training_inputs(cls, players, const unsigned char[::1] states):
    """Return the active inputs of recorded states: offsets (uint32, one more), inputs (uint16).

    This and the next two raise ValueError if the records are not of so many players, or not states
    of games that continue, or the rows of moves not as many as the records, or a move not legal, or
    numbers not aligned.
    """
    cdef _Records records = _Records(cls, players, states)
    cdef _Ragged out = _Ragged()
    cdef uint16_t[MAX_ACTIVE] inputs
    cdef Py_ssize_t i
    cdef int n
    for i in range(records.count):
        n = any_inputs(records.at(i).any, inputs)
        must_append(&out.items, inputs, n * sizeof(uint16_t))
        out.mark()
    return out.bytes()


def training_moves(cls, players, const unsigned char[::1] states,
                   const uint32_t[::1] first, const uint32_t[::1] moves):
    """Return the policy features of recorded moves: offsets (uint32, one more), features
    (uint16)."""
    cdef _Records records = _Records(cls, players, states)
    cdef _Ragged out = _Ragged()
    cdef FeatureList features
    cdef Py_ssize_t i, j
    cdef State state
    check_rows(first, records.count, moves)
    for i in range(records.count):
        state = records.at(i)
        check_legal(state, i, moves, first[i], first[i + 1])
        for j in range(<Py_ssize_t> first[i], <Py_ssize_t> first[i + 1]):
            features.count = 0
            state.add_move_features(moves[j], True, &features)
            must_append(&out.items, features.item, features.count * sizeof(uint16_t))
            out.mark()
    return out.bytes()


def training_seats(cls, players, const unsigned char[::1] states):
    """Return from whose viewpoint the inputs are (uint8), and the scores by seat (float32)."""
    cdef _Records records = _Records(cls, players, states)
    cdef Growing seats, scores
    cdef Py_ssize_t i
    cdef uint8_t seat
    cdef float score
    cdef State state
    memset(&seats, 0, sizeof(Growing))
    memset(&scores, 0, sizeof(Growing))
    try:
        for i in range(records.count):
            state = records.at(i)
            seat = <uint8_t> any_about(state.any).viewer
            must_append(&seats, &seat, 1)
            for points in state.scores():
                score = points
                must_append(&scores, &score, sizeof(float))
        return taken(&seats), taken(&scores)
    finally:
        free(seats.data)
        free(scores.data)
