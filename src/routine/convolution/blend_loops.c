/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loops of convolutions of few channels in many groups, 1, 2, 4 or 8 to a group and as
 * many results, channels side by side: vectors go along the channels of all groups.
 *
 * A result of channel c adds up channels c ^ 0, c ^ 1 and so on of its group, so that a vector of x
 * with its lanes exchanged is what a vector of results needs, and term r of the packed weights is
 * the one for channel c ^ r. Sums stay in registers; as with matrix products, their last bits
 * depend on the instruction set. */
#include "routine/convolution/vectors.h"
#include "routine/loops.h"

/* MANY and FEW: rows that are computed together. WIDE: vectors of a single row. NEAR: taps that are
 * computed together; with a single channel FAR or FARTHEST, if there are as many taps. */
enum { MANY = FEW_REGISTERS ? 6 : 8, FEW = 3, WIDE = 4, WEIGHTS_NBYTES = 20 << 10 };
enum { NEAR = 3, FAR = 5, FARTHEST = 7 };

/* Lane i takes what lane i ^ R has. Never used where R is not below the number of lanes. */
#define FLIP_2(x, R) __builtin_shufflevector(x, x, (0 ^ (R)) % 2, (1 ^ (R)) % 2)
#define FLIP_4(x, R)                                                                               \
    __builtin_shufflevector(x, x, (0 ^ (R)) % 4, (1 ^ (R)) % 4, (2 ^ (R)) % 4, (3 ^ (R)) % 4)
#define FLIP_8(x, R)                                                                               \
    __builtin_shufflevector(x, x, 0 ^ (R), 1 ^ (R), 2 ^ (R), 3 ^ (R), 4 ^ (R), 5 ^ (R), 6 ^ (R),   \
                            7 ^ (R))
#define FLIP_16(x, R)                                                                              \
    __builtin_shufflevector(x, x, 0 ^ (R), 1 ^ (R), 2 ^ (R), 3 ^ (R), 4 ^ (R), 5 ^ (R), 6 ^ (R),   \
                            7 ^ (R), 8 ^ (R), 9 ^ (R), 10 ^ (R), 11 ^ (R), 12 ^ (R), 13 ^ (R),     \
                            14 ^ (R), 15 ^ (R))
#if VECTOR_NBYTES == 64
#define FLIP_f32 FLIP_16
#define FLIP_f64 FLIP_8
#elif VECTOR_NBYTES == 32
#define FLIP_f32 FLIP_8
#define FLIP_f64 FLIP_4
#else
#define FLIP_f32 FLIP_4
#define FLIP_f64 FLIP_2
#endif

/* For groups of this size or larger, x is loaded again for each channel: kept in registers, it
 * would take those of the sums. */
enum { LARGE = FEW_REGISTERS ? 2 : 8 };
#define FORGET(pointer)                                                                            \
    if (each >= LARGE)                                                                             \
    __asm__("" : "+r"(pointer))

/* Adds the products with the channels c ^ R: of one tap, for all rows; and of taps that are as far
 * apart as rows, so that one loaded and exchanged vector serves several taps. */
#define ADD_TAP(NAME, R)                                                                           \
    {                                                                                              \
        vector_##NAME weights = *(const vector_##NAME *)(by + (R)*columns);                        \
        FORGET(at);                                                                                \
        UNROLL for (int r = 0; r < rows; ++r) sums[r] +=                                           \
            FLIP_##NAME(*(const vector_##NAME *)(at + r * x_row), R) * weights;                    \
    }
#define ADD_NEAR(NAME, R)                                                                          \
    {                                                                                              \
        vector_##NAME weights[FARTHEST];                                                           \
        FORGET(at);                                                                                \
        UNROLL for (int k = 0; k < near; ++k) weights[k] =                                         \
            *(const vector_##NAME *)(w + (runs[k].term + (R)) * columns);                          \
        UNROLL for (int p = 0; p < rows + near - 1; ++p)                                           \
        {                                                                                          \
            vector_##NAME x = FLIP_##NAME(*(const vector_##NAME *)(at + p * x_row), R);            \
            UNROLL for (int k = 0; k < near; ++k) if (p >= k && p - k < rows) sums[p - k] +=       \
                x * weights[k];                                                                    \
        }                                                                                          \
    }
#define ADD_EACH(NAME, ADD)                                                                        \
    {                                                                                              \
        ADD(NAME, 0);                                                                              \
        if (each > 1)                                                                              \
            ADD(NAME, 1);                                                                          \
        if (each > 2) {                                                                            \
            ADD(NAME, 2);                                                                          \
            ADD(NAME, 3);                                                                          \
        }                                                                                          \
        if (each > 4) {                                                                            \
            ADD(NAME, 4);                                                                          \
            ADD(NAME, 5);                                                                          \
            ADD(NAME, 6);                                                                          \
            ADD(NAME, 7);                                                                          \
        }                                                                                          \
    }

/* Whether the first `near` runs are as far apart as rows are. */
ALWAYS bool are_near(const convolve_run *runs, const convolve_run *end, int64_t x_row,
                     const int near)
{
    bool all = end - runs >= near;
    UNROLL for (int k = 1; k < near; ++k) all = all && runs[k].x - runs[k - 1].x == x_row;
    return all;
}

/* How many taps are taken together. For one channel the sums do not depend on it. For several
 * channels the order of additions does, but it never depends on how many rows of a line are in a
 * block. */
ALWAYS int count_near(const convolve_run *runs, const convolve_run *end, int64_t x_row,
                      const int rows, const int each)
{
    if (rows < FEW)
        return 1;
    if (each == 1 && are_near(runs, end, x_row, FARTHEST))
        return FARTHEST;
    if (each == 1 && are_near(runs, end, x_row, FAR))
        return FAR;
    return are_near(runs, end, x_row, NEAR) ? NEAR : 1;
}

/* rows, vectors, near and each are constants at every call. */
#define BLEND(NAME, T)                                                                             \
    enum { LANES_##NAME = VECTOR_NBYTES / (int)sizeof(T) };                                        \
    typedef T vector_##NAME                                                                        \
        __attribute__((vector_size(VECTOR_NBYTES), aligned(sizeof(T)), may_alias));                \
    ALWAYS void store_##NAME(T *y, vector_##NAME sum)                                              \
    {                                                                                              \
        *(vector_##NAME *)y = sum;                                                                 \
    }                                                                                              \
    ALWAYS void add_tap_##NAME(vector_##NAME *sums, const T *at, int64_t x_row, const T *by,       \
                               int64_t columns, const int rows, const int each)                    \
    {                                                                                              \
        ADD_EACH(NAME, ADD_TAP);                                                                   \
    }                                                                                              \
    ALWAYS void add_near_##NAME(vector_##NAME *sums, const T *at, int64_t x_row, const T *w,       \
                                const convolve_run *runs, int64_t columns, const int rows,         \
                                const int near, const int each)                                    \
    {                                                                                              \
        ADD_EACH(NAME, ADD_NEAR);                                                                  \
    }                                                                                              \
    ALWAYS void blend_block_##NAME(const convolve_tile *tile, int64_t c, const int rows,           \
                                   const int vectors, const int each)                              \
    {                                                                                              \
        vector_##NAME sums[WIDE][MANY];                                                            \
        const convolve_run *run = tile->runs, *end = run + tile->nruns;                            \
        const T *w = (const T *)tile->w + c, *x = (const T *)tile->x + c;                          \
        int64_t columns = tile->columns, x_row = tile->x_row;                                      \
        UNROLL for (int v = 0; v < vectors; ++v) UNROLL for (int r = 0; r < rows; ++r)             \
            sums[v][r] = (vector_##NAME){0};                                                       \
        for (int near = 1; run < end; run += near) {                                               \
            const T *at = x + run->x;                                                              \
            near = count_near(run, end, x_row, rows, each);                                        \
            if (near == FARTHEST)                                                                  \
                add_near_##NAME(sums[0], at, x_row, w, run, columns, rows, FARTHEST, each);        \
            else if (near == FAR)                                                                  \
                add_near_##NAME(sums[0], at, x_row, w, run, columns, rows, FAR, each);             \
            else if (near == NEAR)                                                                 \
                add_near_##NAME(sums[0], at, x_row, w, run, columns, rows, NEAR, each);            \
            else                                                                                   \
                UNROLL for (int v = 0; v < vectors; ++v) add_tap_##NAME(                           \
                    sums[v], at + v * LANES_##NAME, x_row,                                         \
                    w + run->term * columns + v * LANES_##NAME, columns, rows, each);              \
        }                                                                                          \
        T *y = (T *)tile->y + c;                                                                   \
        UNROLL for (int v = 0; v < vectors; ++v) UNROLL for (int r = 0; r < rows; ++r)             \
            store_##NAME(y + r * tile->y_row + v * LANES_##NAME, sums[v][r]);                      \
    }                                                                                              \
    /* Some of the columns; the vectors at the end overlap those before them. */                   \
    ALWAYS void blend_columns_##NAME(const convolve_tile *tile, int64_t first, int64_t end,        \
                                     const int rows, const int vectors, const int each)            \
    {                                                                                              \
        int64_t step = vectors * LANES_##NAME, last = tile->columns - step;                        \
        for (int64_t c = first; c < end; c += step)                                                \
            blend_block_##NAME(tile, int64_min(c, last), rows, vectors, each);                     \
    }                                                                                              \
    static void blend_narrow_##NAME(const convolve_tile *tile)                                     \
    {                                                                                              \
        for (int64_t r = 0; r < tile->rows; ++r)                                                   \
            for (int64_t c = 0; c < tile->columns; ++c) {                                          \
                const T *x = (const T *)tile->x + r * tile->x_row, *w = (const T *)tile->w + c;    \
                T sum = 0;                                                                         \
                for (const convolve_run *run = tile->runs; run < tile->runs + tile->nruns; ++run)  \
                    for (int64_t k = 0; k < tile->length; ++k)                                     \
                        sum += x[run->x + (c ^ k)] * w[(run->term + k) * tile->columns];           \
                ((T *)tile->y)[r * tile->y_row + c] = sum;                                         \
            }                                                                                      \
    }                                                                                              \
    /* Columns whose weights stay in the first-level cache, a multiple of the widest vectors. */   \
    static int64_t count_columns_##NAME(const convolve_tile *tile)                                 \
    {                                                                                              \
        int64_t step = WIDE * LANES_##NAME, terms = tile->nruns * tile->length;                    \
        int64_t count = WEIGHTS_NBYTES / (step * (int64_t)sizeof(T)) / (terms + 1);                \
        return (int64_max(count, 1)) * step;                                                       \
    }                                                                                              \
    /* Blocks of rows; the last one overlaps likewise. */                                          \
    ALWAYS void blend_rows_##NAME(const convolve_tile *tile, const int rows, const int vectors,    \
                                  const int each)                                                  \
    {                                                                                              \
        convolve_tile part = *tile;                                                                \
        int64_t columns = count_columns_##NAME(tile), all = tile->columns;                         \
        for (int64_t c = 0; c < all; c += columns)                                                 \
            for (int64_t at = 0; at < tile->rows; at += rows) {                                    \
                int64_t first = int64_min(at, tile->rows - rows);                                  \
                part.x = (const T *)tile->x + first * tile->x_row;                                 \
                part.y = (T *)tile->y + first * tile->y_row;                                       \
                blend_columns_##NAME(&part, c, int64_min(c + columns, all), rows, vectors, each);  \
            }                                                                                      \
    }                                                                                              \
    /* Blocks of nearly as many rows each. */                                                      \
    ALWAYS void blend_evenly_##NAME(const convolve_tile *tile, const int each)                     \
    {                                                                                              \
        int64_t blocks = ceil_div(tile->rows, MANY);                                               \
        switch (ceil_div(tile->rows, blocks)) {                                                    \
        case 3: blend_rows_##NAME(tile, 3, 1, each); break;                                        \
        case 4: blend_rows_##NAME(tile, 4, 1, each); break;                                        \
        case 5: blend_rows_##NAME(tile, 5, 1, each); break;                                        \
        case 6: blend_rows_##NAME(tile, 6, 1, each); break;                                        \
        case 7: blend_rows_##NAME(tile, MANY < 7 ? MANY : 7, 1, each); break;                      \
        default: blend_rows_##NAME(tile, MANY, 1, each);                                           \
        }                                                                                          \
    }                                                                                              \
    ALWAYS void blend_each_##NAME(const convolve_tile *tile, const int each)                       \
    {                                                                                              \
        if (tile->columns < LANES_##NAME || each > LANES_##NAME)                                   \
            blend_narrow_##NAME(tile);                                                             \
        else if (tile->rows >= FEW)                                                                \
            blend_evenly_##NAME(tile, each);                                                       \
        else if (tile->columns >= WIDE * LANES_##NAME)                                             \
            blend_rows_##NAME(tile, 1, WIDE, each);                                                \
        else                                                                                       \
            blend_rows_##NAME(tile, 1, 1, each);                                                   \
    }                                                                                              \
    void ROUTINE_NAMED(convolve_blend_##NAME)(const convolve_tile *tile)                           \
    {                                                                                              \
        switch (tile->length) {                                                                    \
        case 1: blend_each_##NAME(tile, 1); break;                                                 \
        case 2: blend_each_##NAME(tile, 2); break;                                                 \
        case 4: blend_each_##NAME(tile, 4); break;                                                 \
        default: blend_each_##NAME(tile, CONVOLVE_MAX_BLENDED);                                    \
        }                                                                                          \
    }

BLEND(f32, float)
BLEND(f64, double)
