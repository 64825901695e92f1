/* SPDX-License-Identifier: Apache-2.0 */
/* Moving elements between tiles and strided memory, by itemsize. A 16-byte element is two words. */
#ifdef __SSE2__
#include <immintrin.h>
#endif

static inline const void *step_in(const void *from, int64_t offset_bytes)
{
    return (const char *)from + offset_bytes;
}

static inline void *step_out(void *to, int64_t offset_bytes)
{
    return (char *)to + offset_bytes;
}

/* The state of a walk: the indices of all loops but the innermost, whose runs are copied whole. */
typedef struct walk_state {
    int64_t index[JG_MAX_NDIM];
    int64_t offset_bytes;
} walk_state;

static inline void walk_start(const tile_walk *walk, walk_state *state)
{
    state->offset_bytes = 0;
    for (int d = 0; d < walk->ndim; ++d) {
        state->index[d] = walk->index[d];
        state->offset_bytes += walk->index[d] * walk->strides[d];
    }
}

/* After a run that ended the innermost loop: back to its begin, one step on in the loops around
 * it. */
static inline void walk_next_run(const tile_walk *walk, walk_state *state)
{
    int inner = walk->ndim - 1;
    state->offset_bytes -= state->index[inner] * walk->strides[inner];
    state->index[inner] = 0;
    for (int d = inner - 1; d >= 0; --d) {
        state->offset_bytes += walk->strides[d];
        if (++state->index[d] < walk->extents[d])
            return;
        state->offset_bytes -= walk->strides[d] * walk->extents[d];
        state->index[d] = 0;
    }
}

/* A move is so short that the place of the loop's end in a line of code would tell. */
#define UNROLL_MOVES _Pragma("GCC unroll 8")

#define MOVES(W, T)                                                                                \
    static void fill_##W(void *dst, int64_t n)                                                     \
    {                                                                                              \
        T *to = dst, x = to[0];                                                                    \
        EACH(i, n)                                                                                 \
        to[i] = x;                                                                                 \
    }                                                                                              \
    static void gather_##W(void *dst, const void *from, int64_t stride, int64_t n)                 \
    {                                                                                              \
        T *to = dst;                                                                               \
        if (stride == (int64_t)sizeof(T)) {                                                        \
            memcpy(dst, from, (size_t)n * sizeof(T));                                              \
            return;                                                                                \
        }                                                                                          \
        UNROLL_MOVES for (int64_t i = 0; i < n; ++i, from = step_in(from, stride)) to[i] =         \
            *(const T *)from;                                                                      \
    }                                                                                              \
    static void scatter_##W(void *to, const void *src, int64_t stride, int64_t n)                  \
    {                                                                                              \
        const T *xs = src;                                                                         \
        UNROLL_MOVES for (int64_t i = 0; i < n; ++i, to = step_out(to, stride)) * (T *)to = xs[i]; \
    }                                                                                              \
    static void gather_nest_##W(void *dst, const void *from, const tile_walk *walk, int64_t n)     \
    {                                                                                              \
        T *to = dst;                                                                               \
        walk_state state;                                                                          \
        int inner = walk->ndim - 1;                                                                \
        walk_start(walk, &state);                                                                  \
        while (n > 0) {                                                                            \
            int64_t run = walk->extents[inner] - state.index[inner];                               \
            run = int64_min(run, n);                                                               \
            gather_##W(to, step_in(from, state.offset_bytes), walk->strides[inner], run);          \
            state.index[inner] += run;                                                             \
            state.offset_bytes += run * walk->strides[inner];                                      \
            to += run;                                                                             \
            n -= run;                                                                              \
            walk_next_run(walk, &state);                                                           \
        }                                                                                          \
    }                                                                                              \
    static void scatter_nest_##W(void *to, const void *src, const tile_walk *walk, int64_t n)      \
    {                                                                                              \
        const T *xs = src;                                                                         \
        walk_state state;                                                                          \
        int inner = walk->ndim - 1;                                                                \
        walk_start(walk, &state);                                                                  \
        while (n > 0) {                                                                            \
            int64_t run = walk->extents[inner] - state.index[inner];                               \
            run = int64_min(run, n);                                                               \
            scatter_##W(step_out(to, state.offset_bytes), xs, walk->strides[inner], run);          \
            state.index[inner] += run;                                                             \
            state.offset_bytes += run * walk->strides[inner];                                      \
            xs += run;                                                                             \
            n -= run;                                                                              \
            walk_next_run(walk, &state);                                                           \
        }                                                                                          \
    }

MOVES(1, uint8_t)
MOVES(2, uint16_t)
MOVES(4, uint32_t)
MOVES(8, uint64_t)
MOVES(16, word128)

static void sequence(int64_t *dst, int64_t start, int64_t step, int64_t n)
{
    EACH(i, n)
    dst[i] = (int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)step);
}

/* Call this before other threads are told of the results, as stores past the caches are not ordered
 * with other stores. */
static void stream_fence(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Whole vectors of 16 bytes go past the caches: a store buffer gathers them into lines. */
static void stream_copy(void *dst, const void *src, size_t nbytes)
{
    char *to = dst;
    const char *from = src;
#ifdef __SSE2__
    size_t head = -(uintptr_t)to & 15;
    head = size_min(head, nbytes);
    memcpy(to, from, head);
    for (to += head, from += head, nbytes -= head; nbytes >= 16; nbytes -= 16, to += 16, from += 16)
        _mm_stream_si128((__m128i *)(void *)to,
                         _mm_loadu_si128((const __m128i *)(const void *)from));
#endif
    memcpy(to, from, nbytes);
}

#define MOVE_ROW(W)                                                                                \
    {                                                                                              \
        fill_##W, gather_##W, scatter_##W, gather_nest_##W, scatter_nest_##W, gather_grid_##W,     \
            scatter_grid_##W                                                                       \
    }
#define MOVE_TABLE                                                                                 \
    {                                                                                              \
        MOVE_ROW(1), MOVE_ROW(2), MOVE_ROW(4), MOVE_ROW(8), MOVE_ROW(16)                           \
    }
