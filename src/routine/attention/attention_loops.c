/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax of attention, a row at a time. The inner loops have a constant count and no branch,
 * so that the compiler makes vectors of them. */
#include "math/vector_math.h"
#include "routine/attention/attention.h"
#include "routine/loops.h"
#include <math.h>
#include <string.h>

enum { STRIP = ATTENTION_STRIP };
_Static_assert(STRIP == 32, "a fold halves the lanes down to four");

/* A vector of four lanes, or of four rows. */
typedef float quad __attribute__((vector_size(16)));
typedef int32_t quad_mask __attribute__((vector_size(16)));
enum { QUAD = 4 };

static inline float larger(float x, float y)
{
    return x > y ? x : y;
}

static inline quad larger_quad(quad x, quad y)
{
    const quad_mask first = x > y;
    return (quad)(((quad_mask)x & first) | ((quad_mask)y & ~first));
}

static inline quad sum_quad(quad x, quad y)
{
    return x + y;
}

/* All lanes of a strip become four. Then four rows' four lanes are
 * turned, so that one vector operation serves four rows. */
#define DEFINE_FOLDS(with)                                                                         \
    static inline quad with##_of_lanes(const float *lanes)                                         \
    {                                                                                              \
        quad parts[STRIP / QUAD];                                                                  \
        memcpy(parts, lanes, sizeof parts);                                                        \
        for (int half = STRIP / QUAD / 2; half > 0; half /= 2)                                     \
            for (int i = 0; i < half; ++i)                                                         \
                parts[i] = with##_quad(parts[i], parts[i + half]);                                 \
        return parts[0];                                                                           \
    }                                                                                              \
    static inline quad with##_of_rows(const quad *rows)                                            \
    {                                                                                              \
        const quad a = with##_quad(__builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5),          \
                                   __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7));         \
        const quad b = with##_quad(__builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5),          \
                                   __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7));         \
        return with##_quad(__builtin_shufflevector(a, b, 0, 1, 4, 5),                              \
                           __builtin_shufflevector(a, b, 2, 3, 6, 7));                             \
    }
DEFINE_FOLDS(larger)
DEFINE_FOLDS(sum)

/* gives: four numbers whose largest is that of the row */
static inline quad largest_of(const float *row, int64_t columns)
{
    float lanes[STRIP];
    memcpy(lanes, row, sizeof lanes);
    for (int64_t at = STRIP; at < columns; at += STRIP)
        for (int i = 0; i < STRIP; ++i)
            lanes[i] = larger(row[at + i], lanes[i]);
    return larger_of_lanes(lanes);
}

/* gives: four numbers whose sum is that of what the row becomes */
static inline quad exponentials(float *row, int64_t columns, float shift)
{
    float sums[STRIP];
    for (int i = 0; i < STRIP; ++i)
        sums[i] = row[i] = vector_exp_below_f32(row[i] - shift);
    for (int64_t at = STRIP; at < columns; at += STRIP)
        for (int i = 0; i < STRIP; ++i) {
            float share = vector_exp_below_f32(row[at + i] - shift);
            row[at + i] = share;
            sums[i] += share;
        }
    return sum_of_lanes(sums);
}

/* A row whose scores are all -inf is shifted by 0: -inf - -inf would be NaN, which later columns
 * could not undo. */
static void shift_rows(const attention_scores *block, float *shifts)
{
    for (int64_t r = 0; r < block->rows; ++r) {
        float before = block->largest[r], largest = larger(shifts[r], before);
        shifts[r] = largest == -INFINITY ? 0 : largest;
        block->factors[r] = vector_exp_below_f32(before - shifts[r]);
        block->largest[r] = largest;
    }
}

/* Four rows at a time. Of fewer, the others' results are not used. */
static void fold(const attention_scores *block)
{
    enum { ROWS = (ATTENTION_ROWS + QUAD - 1) / QUAD * QUAD };
    float shifts[ROWS], shares[ROWS];
    quad four[QUAD] = {0};
    const int64_t last = block->rows - 1;
    for (int64_t r = 0; r <= last; r += QUAD) {
        for (int i = 0; i < QUAD; ++i)
            four[i] = largest_of(block->scores + int64_min(r + i, last) * block->row_step,
                                 block->columns);
        const quad largest = larger_of_rows(four);
        memcpy(shifts + r, &largest, sizeof largest);
    }
    shift_rows(block, shifts);
    for (int64_t r = 0; r <= last; r += QUAD) {
        for (int i = 0; i < QUAD && r + i <= last; ++i)
            four[i] = exponentials(block->scores + (r + i) * block->row_step, block->columns,
                                   shifts[r + i]);
        const quad found = sum_of_rows(four);
        memcpy(shares + r, &found, sizeof found);
    }
    for (int64_t r = 0; r <= last; ++r)
        block->sums[r] = block->sums[r] * block->factors[r] + shares[r];
}

static void scale(float *row, int64_t count, float factor)
{
    for (int64_t i = 0; i < count; ++i)
        row[i] *= factor;
}

const attention_loops ROUTINE_NAMED(attention_loops) = {
    .fold = fold, .scale = scale, .readers = ROUTINE_NAMED(attention_readers)};
