# Declarations of net.h.

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t

cdef enum:
    MAX_ACTIVE = 704        # inputs that a position of any game may have

cdef extern from "net.h" nogil:
    const int NET_MAX_HIDDEN2, NET_MAX_INPUTS, NET_MAX_POLICY
    ctypedef struct NetKernel:
        pass
    ctypedef struct Net:
        int inputs
        int hidden1
        int hidden2
        int players
        int policy
        int values
        const NetKernel* kernel
        void* memory
    const NetKernel* net_kernel(int which) noexcept
    bint net_shape_ok(int inputs, int hidden1, int hidden2, int players, int policy) noexcept
    size_t net_payload_bytes(int inputs, int hidden1, int hidden2, int players, int policy) noexcept
    int net_init(Net* net, int inputs, int hidden1, int hidden2, int players, int policy,
                 const uint8_t* payload, const NetKernel* kernel) noexcept
    void net_free(Net* net) noexcept
    void net_part(const Net* net, const uint16_t* inputs, int n, int16_t* part) noexcept
    void net_hidden_from(const Net* net, const int16_t* const* parts, int count,
                         const uint16_t* inputs, int n, int16_t* a2) noexcept
    void net_hidden(const Net* net, const uint16_t* inputs, int n, int16_t* a2) noexcept
    void net_values(const Net* net, const int16_t* a2, int32_t* out) noexcept
    void net_outputs(const Net* net, const int16_t* a2, int first, int count, int32_t* out) noexcept
    void net_policy_table(const Net* net, const int16_t* a2, int first, int count,
                          int16_t* table) noexcept
