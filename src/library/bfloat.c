/* SPDX-License-Identifier: Apache-2.0 */
/* Products of bfloat16 matrices by the dot product instruction of AVX-512 BF16: pairs of elements
 * are multiplied and added in float32, and the sums are rounded once, at the end. The instruction
 * treats subnormals as zeros.
 *
 * Blocks of both operands are packed so that the inner loop walks memory in order: of A panels of
 * ROWS rows, of B panels of COLUMNS columns, in either of them two steps of k side by side. The
 * inner loop keeps ROWS x COLUMNS sums in registers over all of k. So k is not cut into blocks, and
 * no sum is rounded on the way: the packed blocks grow with k. */
#include "library/library.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <string.h>

enum {
    ROWS = 14,    /* with two columns of vectors 28 sums, of 32 registers */
    COLUMNS = 32, /* two vectors of float32 */
    BLOCK_ROWS = 16 * ROWS,
    BLOCK_COLUMNS = 32 * COLUMNS,
    ALIGNMENT = 64,
    MIN_SIDE = 8 /* rows and columns below which packing costs more than the product */
};

#define BFLOAT_ISA target("avx512f,avx512bw,avx512vl,avx512bf16")
#ifdef __clang__ /* has no levels for single functions */
#define FOR_BFLOAT __attribute__((BFLOAT_ISA))
#else
#define FOR_BFLOAT __attribute__((BFLOAT_ISA, optimize("O3")))
#endif

/* A pair of steps of k for one row or column: the even one in the low half. */
static inline uint32_t pair_of(const uint16_t *from, int64_t stride, bool both)
{
    return from[0] | (both ? (uint32_t)from[stride] << 16 : 0);
}

/* One panel of A: rows beyond the matrix are zeros. Whole pairs of a dense row are one load. */
static void pack_a_panel(const matmul_call *call, int64_t first, int64_t count, uint32_t *to)
{
    const uint16_t *from = (const uint16_t *)call->a + first * call->a_row;
    bool dense = call->a_column == 1;
    for (int64_t k = 0; k < call->k; k += 2, from += 2 * call->a_column, to += ROWS) {
        bool both = k + 1 < call->k;
        for (int64_t row = 0; row < count; ++row) {
            const uint16_t *at = from + row * call->a_row;
            if (dense && both)
                memcpy(&to[row], at, sizeof *to);
            else
                to[row] = pair_of(at, call->a_column, both);
        }
        for (int64_t row = count; row < ROWS; ++row)
            to[row] = 0;
    }
}

/* Rows first to first + count - 1, panel after panel. */
static void pack_a(const matmul_call *call, int64_t first, int64_t count, uint32_t *to)
{
    int64_t pairs = (call->k + 1) / 2;
    for (int64_t panel = 0; panel < count; panel += ROWS, to += pairs * ROWS)
        pack_a_panel(call, first + panel, int64_min(count - panel, ROWS), to);
}

/* Columns beyond the matrix are zeros. Whole panels of dense rows are interleaved as vectors. */
FOR_BFLOAT static void pack_b_panel(const matmul_call *call, int64_t first, int64_t count,
                                    uint32_t *to)
{
    const uint16_t *from = (const uint16_t *)call->b + first * call->b_column;
    for (int64_t k = 0; k < call->k; k += 2, from += 2 * call->b_row, to += COLUMNS) {
        bool both = k + 1 < call->k;
        if (count == COLUMNS && call->b_column == 1 && both) {
            const uint16_t *next = from + call->b_row;
            for (int64_t j = 0; j < COLUMNS; ++j)
                to[j] = from[j] | (uint32_t)next[j] << 16;
            continue;
        }
        for (int64_t j = 0; j < COLUMNS; ++j)
            to[j] = j < count ? pair_of(from + j * call->b_column, call->b_row, both) : 0;
    }
}

/* Columns first to first + count - 1, panel after panel. */
static void pack_b(const matmul_call *call, int64_t first, int64_t count, uint32_t *to)
{
    int64_t pairs = (call->k + 1) / 2;
    for (int64_t panel = 0; panel < count; panel += COLUMNS, to += pairs * COLUMNS) {
        int64_t rest = count - panel;
        pack_b_panel(call, first + panel, int64_min(rest, COLUMNS), to);
    }
}

/* A mask of that many lanes of 16, at least none and at most all. */
static inline __mmask16 first_lanes(int64_t count)
{
    int64_t lanes = int64_clamp(count, 0, 16);
    return (__mmask16)((1u << lanes) - 1);
}

/* The sums of one panel of A with one of B, rounded into rows by columns of C. */
FOR_BFLOAT static void multiply(const uint32_t *a, const uint32_t *b, int64_t pairs, uint16_t *c,
                                int64_t c_row, int64_t rows, int64_t columns)
{
    __m512 sums[ROWS][2];
    for (int r = 0; r < ROWS; ++r)
        sums[r][0] = sums[r][1] = _mm512_setzero_ps();
    for (int64_t p = 0; p < pairs; ++p, a += ROWS, b += COLUMNS) {
        /* Aligned loads: a panel of B is a multiple of 128 bytes a step, from a start that is
         * aligned. */
        __m512bh left = (__m512bh)_mm512_load_si512(b), right = (__m512bh)_mm512_load_si512(b + 16);
#pragma GCC unroll 14
        for (int r = 0; r < ROWS; ++r) {
            __m512bh x = (__m512bh)_mm512_set1_epi32((int)a[r]);
            sums[r][0] = _mm512_dpbf16_ps(sums[r][0], x, left);
            sums[r][1] = _mm512_dpbf16_ps(sums[r][1], x, right);
        }
    }
    __mmask16 low = first_lanes(columns), high = first_lanes(columns - 16);
#pragma GCC unroll 14
    for (int r = 0; r < ROWS; ++r) {
        if (r >= rows)
            break;
        _mm256_mask_storeu_epi16(c + r * c_row, low, (__m256i)_mm512_cvtneps_pbh(sums[r][0]));
        _mm256_mask_storeu_epi16(c + r * c_row + 16, high, (__m256i)_mm512_cvtneps_pbh(sums[r][1]));
    }
}

/* All panels of a packed block of A with all of a packed block of B. */
static void multiply_blocks(const matmul_call *call, const uint32_t *a, const uint32_t *b,
                            int64_t row, int64_t rows, int64_t column, int64_t columns)
{
    int64_t pairs = (call->k + 1) / 2;
    for (int64_t j = 0; j < columns; j += COLUMNS) {
        const uint32_t *panel = a;
        for (int64_t i = 0; i < rows; i += ROWS, panel += pairs * ROWS) {
            uint16_t *c = (uint16_t *)call->c + (row + i) * call->c_row + column + j;
            int64_t height = rows - i, width = columns - j;
            multiply(panel, b, pairs, c, call->c_row, int64_min(height, ROWS),
                     int64_min(width, COLUMNS));
        }
        b += pairs * COLUMNS;
    }
}

/* Each block of B is packed once, and each of A once for every block of B. */
static void multiply_all(const matmul_call *call, uint32_t *a, uint32_t *b)
{
    for (int64_t column = 0; column < call->n; column += BLOCK_COLUMNS) {
        int64_t columns = int64_min(call->n - column, BLOCK_COLUMNS);
        pack_b(call, column, columns, b);
        for (int64_t row = 0; row < call->m; row += BLOCK_ROWS) {
            int64_t rows = int64_min(call->m - row, BLOCK_ROWS);
            pack_a(call, row, rows, a);
            multiply_blocks(call, a, b, row, rows, column, columns);
        }
    }
}

bool library_bfloat_takes(int64_t m, int64_t n)
{
    __builtin_cpu_init();
    return m >= MIN_SIDE && n >= MIN_SIDE && __builtin_cpu_supports("avx512bf16") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

jg_status library_bfloat_matmul(const matmul_call *call)
{
    int64_t pairs = (call->k + 1) / 2;
    size_t a_count = (size_t)(round_up(int64_min(call->m, BLOCK_ROWS), ROWS) * pairs);
    size_t b_count = (size_t)(round_up(int64_min(call->n, BLOCK_COLUMNS), COLUMNS) * pairs);
    size_t nbytes = (a_count + b_count) * sizeof(uint32_t) + ALIGNMENT;
    char *block = base_alloc(nbytes);
    if (block == NULL)
        return base_nomem(nbytes, "the packed blocks of a matrix product");
    /* B first, as its panels must be aligned; A is read number by number. */
    uint32_t *b = (uint32_t *)(void *)(block + (ALIGNMENT - (uintptr_t)block % ALIGNMENT));
    multiply_all(call, b + b_count, b);
    base_free(block);
    return JG_OK;
}
#else
bool library_bfloat_takes(int64_t m, int64_t n)
{
    (void)m;
    (void)n;
    return false;
}

jg_status library_bfloat_matmul(const matmul_call *call)
{
    return library_loops_matmul(call);
}
#endif
