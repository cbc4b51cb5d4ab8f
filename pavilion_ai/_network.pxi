# The evaluation network as a Python class, independent of the games; included by _core.pyx.

from libc.limits cimport INT_MAX
from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc

from pavilion_ai._c.net cimport (
    NET_MAX_HIDDEN2, NET_MAX_INPUTS, NET_MAX_POLICY, Net, net_free, net_hidden, net_init,
    net_kernel, net_outputs, net_payload_bytes, net_policy_table, net_shape_ok, net_values,
)
from pavilion_ai._c.rules cimport MAX_SEATS
from pavilion_ai._c.system cimport monotonic_seconds

cdef int MAX_NETWORK_INPUTS = 65536   # most active inputs in a call from Python
_KERNEL_NAMES = ("generic", "avx2", "avx512", "vnni")


def network_kernels():
    """Return the kernels of this machine, the one that is used unless told otherwise last."""
    return tuple(name for which, name in enumerate(_KERNEL_NAMES) if net_kernel(which) != NULL)


cdef class Network:
    """Network(inputs, hidden1, hidden2, players, policy, payload, kernel=None,
    win_scale=1.0, sha256="")\n--\n
    An evaluation network with integer weights; all kernels compute the same bits.

    Args:
        inputs: number of inputs.
        hidden1: 32, 64, 128, 192 or 256.
        hidden2: a multiple of 16 up to 128.
        players: seats, 2-4; win, lead and gain have an output for each.
        policy: number of policy features, 0 for none.
        payload: the weights as the network files hold them (`pavilion_ai.network`).
        kernel: one of `network_kernels()`, for tests; None takes the fastest.
        win_scale: factor for reported win shares (`pavilion_ai.analysis.calibrated`); only kept.
        sha256: hash of the payload, in hexadecimal digits; only kept.

    Raises:
        ValueError: if shape, size of the payload or kernel is impossible.
    """

    cdef Net net
    cdef str kernel_name
    cdef double scale
    cdef str digits

    def __cinit__(self, inputs, hidden1, hidden2, players, policy,
                  bytes payload not None, kernel=None, win_scale=1.0, str sha256 not None=""):
        cdef tuple kernels = network_kernels()
        cdef int seats = check(players, 2, MAX_SEATS, "players")
        inputs, hidden1 = whole(inputs, "inputs"), whole(hidden1, "hidden1")
        hidden2, policy = whole(hidden2, "hidden2"), whole(policy, "policy")
        if max(inputs, hidden1, hidden2, policy) > INT_MAX or min(
                inputs, hidden1, hidden2, policy) < 0 or not net_shape_ok(
                inputs, hidden1, hidden2, seats, policy):
            raise ValueError(
                f"unsupported network shape {brief(inputs)} x {brief(hidden1)} x {brief(hidden2)},"
                f" policy {brief(policy)}: expected 1 to {NET_MAX_INPUTS} inputs, 32, 64, 128, 192"
                f" or 256 units, a multiple of 16 up to {NET_MAX_HIDDEN2},"
                f" policy 0 to {NET_MAX_POLICY}")
        size = net_payload_bytes(inputs, hidden1, hidden2, seats, policy)
        if <size_t> len(payload) != size:
            raise ValueError(f"the weights have {len(payload)} bytes, expected {size}")
        if kernel is None:
            kernel = kernels[len(kernels) - 1]
        elif kernel not in kernels:
            raise ValueError(f"this machine has no kernel {kernel!r}, expected one of"
                             f" {', '.join(kernels)}")
        self.kernel_name, self.scale, self.digits = kernel, real(win_scale, "win_scale"), sha256
        if net_init(&self.net, inputs, hidden1, hidden2, seats, policy,
                    <const uint8_t*> <const char*> payload,
                    net_kernel(_KERNEL_NAMES.index(kernel))) < 0:
            raise MemoryError

    def __dealloc__(self):
        net_free(&self.net)

    def __reduce__(self):
        raise TypeError("a network is read from its file in every process")

    @property
    def kernel(self):
        """Name of the kernel in use."""
        return self.kernel_name

    @property
    def win_scale(self):
        """Factor for reported win shares, as given."""
        return self.scale

    @property
    def sha256(self):
        """Hash of the payload, as given."""
        return self.digits

    @property
    def inputs(self):
        """Number of inputs."""
        return self.net.inputs

    @property
    def hidden(self):
        """Sizes of the hidden layers."""
        return self.net.hidden1, self.net.hidden2

    @property
    def players(self):
        """Number of seats."""
        return self.net.players

    @property
    def policy(self):
        """Number of policy features."""
        return self.net.policy

    cdef int hide(self, object inputs, int16_t* a2) except -1:
        """Both hidden layers, from any number of inputs."""
        cdef list numbers = list(inputs)
        cdef Py_ssize_t i, n = len(numbers)
        cdef uint16_t* active
        if n > MAX_NETWORK_INPUTS:
            raise ValueError(f"{n} active inputs, expected at most {MAX_NETWORK_INPUTS}")
        active = <uint16_t*> malloc((n + 1) * sizeof(uint16_t))
        if active == NULL:
            raise MemoryError
        try:
            for i in range(n):
                active[i] = <uint16_t> check(numbers[i], 0, self.net.inputs - 1, "input")
            net_hidden(&self.net, active, <int> n, a2)
        finally:
            free(active)
        return 0

    def evaluate(self, inputs, first=0, count=None):
        """Return outputs in units of 2**-22: win, lead, gain by relative seat, then the policy.

        Args:
            inputs: numbers of the active inputs; repeats count.
            first, count: which of the outputs; to the last one if count is None.

        Raises:
            ValueError: if a number is out of its range.
        """
        cdef int16_t[NET_MAX_HIDDEN2] a2
        cdef int outputs = self.net.values + self.net.policy, n, i
        cdef int32_t* out
        cdef int begin = check(first, 0, outputs, "first")
        n = outputs - begin if count is None else check(count, 0, outputs - begin, "count")
        self.hide(inputs, a2)
        out = <int32_t*> malloc((n + 1) * sizeof(int32_t))
        if out == NULL:
            raise MemoryError
        try:
            net_outputs(&self.net, a2, begin, n, out)
            return [out[i] for i in range(n)]
        finally:
            free(out)

    def policy_table(self, inputs, first=0, count=None):
        """Return logits of policy features in 1/256 nat, as the search uses them.

        Args and errors as those of `evaluate`; `first` counts features, not outputs.
        """
        cdef int16_t[NET_MAX_HIDDEN2] a2
        cdef int n, i
        cdef int16_t* table
        cdef int begin = check(first, 0, self.net.policy, "first")
        n = (self.net.policy - begin if count is None
             else check(count, 0, self.net.policy - begin, "count"))
        self.hide(inputs, a2)
        table = <int16_t*> malloc((n + 1) * sizeof(int16_t))
        if table == NULL:
            raise MemoryError
        try:
            net_policy_table(&self.net, a2, begin, n, table)
            return [table[i] for i in range(n)]
        finally:
            free(table)

    def seconds(self, inputs, repeats, policy=0):
        """Return the seconds that values and the first `policy` entries of the table take.

        Raises:
            ValueError: if a number is out of its range.
        """
        cdef int16_t[NET_MAX_HIDDEN2] a2
        cdef int32_t[16] values
        cdef list numbers = [whole(number, "input") for number in inputs]
        cdef int n = len(numbers), i
        cdef uint16_t* active
        cdef int16_t* table
        cdef double start, end
        cdef int entries = check(policy, 0, self.net.policy, "policy")
        cdef int times = check(repeats, 0, 10**9, "repeats")
        self.hide(numbers, a2)
        active = <uint16_t*> malloc((n + 1) * sizeof(uint16_t))
        table = <int16_t*> malloc((entries + 1) * sizeof(int16_t))
        if active == NULL or table == NULL:
            free(active)
            free(table)
            raise MemoryError
        for i in range(n):
            active[i] = <uint16_t> numbers[i]
        with nogil:
            start = monotonic_seconds()
            for i in range(times):
                net_hidden(&self.net, active, n, a2)
                net_values(&self.net, a2, values)
                if entries > 0:
                    net_policy_table(&self.net, a2, 0, entries, table)
            end = monotonic_seconds()
        free(active)
        free(table)
        return (end - start) / max(times, 1)
