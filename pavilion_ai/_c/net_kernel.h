/* Body of the vector kernels of net.h, included once for each instruction set (no guard). Before:
 *
 *   KERNEL(name)     name of a function of this instruction set
 *   KERNEL_TARGET    the compiler's name for the set
 *   VECTOR           type of a register, VECTOR_BYTES its size
 *   LOAD STORE ADD16 ADD32 MIN16 MAX16 SET16 SET32
 *   DOT(sum, a, b)   sum + products of int16, added in pairs to int32 lanes, wrapping around
 *   LIST_LIVE        net_list_live() or another function that does the same */

#define TARGETED FOR_SET(KERNEL_TARGET)
#define TARGETED_INLINE static INLINE_FOR_SET(KERNEL_TARGET)
#define LANES (VECTOR_BYTES / 2)
#define BLOCK_VECTORS (4 * NET_BLOCK / VECTOR_BYTES)
#define SUMS 8  /* independent sums, so that the latency of DOT is hidden */

/* Columns from..from + LANES * vectors of the first layer, kept in registers over all inputs. */
TARGETED_INLINE void KERNEL(columns)(const Net *net, const uint16_t *inputs, int n,
                                     const int16_t *const *parts, int count, int width, int from,
                                     const int vectors, int16_t *a1) {
    const int16_t *w = net->w1 + from;
    const VECTOR low = SET16(0), high = SET16(NET_ONE_CLIP);
    VECTOR sum[16];
    for (int v = 0; v < vectors; v++)
        sum[v] = parts == NULL ? SET16(0) : LOAD(net->b1 + from + LANES * v);
    for (int i = 0; i < count; i++)
        for (int v = 0; v < vectors; v++)
            sum[v] = ADD16(sum[v], LOAD(parts[i] + from + LANES * v));
    for (int i = 0; i < n; i++) {
        const int16_t *row = w + (size_t)inputs[i] * (size_t)width;
        for (int v = 0; v < vectors; v++) sum[v] = ADD16(sum[v], LOAD(row + LANES * v));
    }
    for (int v = 0; v < vectors; v++) {
        if (parts != NULL) sum[v] = MIN16(MAX16(sum[v], low), high);
        STORE(a1 + from + LANES * v, sum[v]);
    }
}

/* `blocks` blocks of 16 outputs each, `size` int16 a block. */
TARGETED_INLINE void KERNEL(blocks)(const int16_t *w, const int32_t *bias, const NetLive *live,
                                    size_t size, const int blocks, int32_t *out) {
    const int width = blocks * BLOCK_VECTORS, chains = SUMS / width;
    VECTOR sum[SUMS];
    for (int s = 0; s < SUMS; s++) sum[s] = s < width ? LOAD(bias + LANES / 2 * s) : SET32(0);
    for (int p = 0; p < live->count; p += chains)
        for (int c = 0; c < chains; c++) {
            const VECTOR a = SET32(live->pair[p + c]);
            const int16_t *row = w + live->at[p + c] * 2 * NET_BLOCK;
            for (int v = 0; v < width; v++) {
                const int16_t *at = row + size * (size_t)(v / BLOCK_VECTORS)
                                  + LANES * (v % BLOCK_VECTORS);
                sum[c * width + v] = DOT(sum[c * width + v], a, LOAD(at));
            }
        }
    for (int v = 0; v < width; v++) {
        VECTOR total = sum[v];
        for (int c = 1; c < chains; c++) total = ADD32(total, sum[c * width + v]);
        STORE(out + LANES / 2 * v, total);
    }
}

TARGETED static void KERNEL(dense)(const int16_t *w, const int32_t *bias, const int16_t *x,
                                   int pairs, int blocks, int32_t *out) {
    const size_t size = (size_t)pairs * 2 * NET_BLOCK;
    NetLive live;
    LIST_LIVE(x, pairs, &live);
    for (; blocks >= 4; blocks -= 4, w += 4 * size, bias += 4 * NET_BLOCK, out += 4 * NET_BLOCK)
        KERNEL(blocks)(w, bias, &live, size, 4, out);
    if (blocks >= 2) {
        KERNEL(blocks)(w, bias, &live, size, 2, out);
        blocks -= 2, w += 2 * size, bias += 2 * NET_BLOCK, out += 2 * NET_BLOCK;
    }
    if (blocks) KERNEL(blocks)(w, bias, &live, size, 1, out);
}

TARGETED static void KERNEL(first)(const Net *net, const uint16_t *inputs, int n,
                                   const int16_t *const *parts, int count, int16_t *a1) {
    switch (net->hidden1) {
    case 32: KERNEL(columns)(net, inputs, n, parts, count, 32, 0, 32 / LANES, a1); break;
    case 64: KERNEL(columns)(net, inputs, n, parts, count, 64, 0, 64 / LANES, a1); break;
    case 128: KERNEL(columns)(net, inputs, n, parts, count, 128, 0, 128 / LANES, a1); break;
    case 192: KERNEL(columns)(net, inputs, n, parts, count, 192, 0, 192 / LANES, a1); break;
    default:
        if (LANES == 32) {
            KERNEL(columns)(net, inputs, n, parts, count, 256, 0, 256 / 32, a1);
        } else {  /* half at a time: 16 sums are all the registers there are */
            KERNEL(columns)(net, inputs, n, parts, count, 256, 0, 8, a1);
            KERNEL(columns)(net, inputs, n, parts, count, 256, 128, 8, a1);
        }
    }
}

TARGETED static void KERNEL(squash)(const int32_t *sums, int count, int16_t *out) {
    net_squash_loop(sums, count, out);
}

TARGETED static void KERNEL(entries)(const int32_t *sums, int count, int16_t *out) {
    net_entries_loop(sums, count, out);
}

static const NetKernel KERNEL(kernel) = {
    KERNEL(first), KERNEL(dense), KERNEL(squash), KERNEL(entries),
};

#undef TARGETED
#undef TARGETED_INLINE
#undef LANES
#undef BLOCK_VECTORS
#undef SUMS
#undef KERNEL
#undef KERNEL_TARGET
#undef DOT
