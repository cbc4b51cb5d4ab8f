from libc.stdint cimport uint16_t
from pavilion_ai._c.azul cimport AZUL_DEAL, AzulState


cdef inline int azul_viewer(const AzulState* st) noexcept nogil:
    return st.mover


cdef inline int azul_inputs(const AzulState* st, uint16_t* out) noexcept nogil:
    return 0
