/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax of attention, a row at a time. The inner loops have a constant count and no branch,
 * so that the compiler makes vectors of them. */
#include "math/vector_math.h"
#include "routine/attention/attention.h"
#include "routine/loops.h"
#include <math.h>
#include <string.h>

enum { STRIP = ATTENTION_STRIP };
_Static_assert(STRIP == 32, "the folds of lanes begin with 16");

static inline float larger(float x, float y)
{
    return x > y ? x : y;
}

static inline float sum(float x, float y)
{
    return x + y;
}

/* One of all lanes. Each loop has a constant count, so it is one vector's work or less. */
#define FOLD_HALF(lanes, half, with)                                                               \
    for (int i = 0; i < (half); ++i)                                                               \
        (lanes)[i] = with((lanes)[i], (lanes)[i + (half)]);
#define FOLD_LANES(lanes, with)                                                                    \
    FOLD_HALF(lanes, 16, with)                                                                     \
    FOLD_HALF(lanes, 8, with)                                                                      \
    FOLD_HALF(lanes, 4, with)                                                                      \
    FOLD_HALF(lanes, 2, with)                                                                      \
    FOLD_HALF(lanes, 1, with)

static float largest_of(const float *row, int64_t columns)
{
    float lanes[STRIP];
    memcpy(lanes, row, sizeof lanes);
    for (int64_t at = STRIP; at < columns; at += STRIP)
        for (int i = 0; i < STRIP; ++i)
            lanes[i] = larger(row[at + i], lanes[i]);
    FOLD_LANES(lanes, larger)
    return lanes[0];
}

/* gives: the sum of what the row becomes */
static float exponentials(float *row, int64_t columns, float shift)
{
    float sums[STRIP];
    for (int i = 0; i < STRIP; ++i)
        sums[i] = row[i] = vector_exp_f32(row[i] - shift);
    for (int64_t at = STRIP; at < columns; at += STRIP)
        for (int i = 0; i < STRIP; ++i) {
            float share = vector_exp_f32(row[at + i] - shift);
            row[at + i] = share;
            sums[i] += share;
        }
    FOLD_LANES(sums, sum)
    return sums[0];
}

/* A row whose scores are all -inf is shifted by 0: -inf - -inf would be NaN, which later columns
 * could not undo. */
static void fold(const attention_scores *block)
{
    float shifts[ATTENTION_ROWS];
    for (int64_t r = 0; r < block->rows; ++r)
        shifts[r] = largest_of(block->scores + r * block->row_step, block->columns);
    for (int64_t r = 0; r < block->rows; ++r) {
        float before = block->largest[r], largest = larger(shifts[r], before);
        shifts[r] = largest == -INFINITY ? 0 : largest;
        block->factors[r] = vector_exp_f32(before - shifts[r]);
        block->largest[r] = largest;
    }
    for (int64_t r = 0; r < block->rows; ++r) {
        float *row = block->scores + r * block->row_step;
        float shares = exponentials(row, block->columns, shifts[r]);
        block->sums[r] = block->sums[r] * block->factors[r] + shares;
    }
}

static void scale(float *row, int64_t count, float factor)
{
    for (int64_t i = 0; i < count; ++i)
        row[i] *= factor;
}

const attention_loops ROUTINE_NAMED(attention_loops) = {
    .fold = fold, .scale = scale, .readers = ROUTINE_NAMED(attention_readers)};
