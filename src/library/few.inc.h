/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of few_loops.c for one dtype, of elements ELEMENT, of which dots take TERMS of a row at
 * once; functions end in NAME. */

static void NAME(widen)(const void *from, int64_t count, float *to)
{
    NAME(f32s_of)(to, from, count);
}

/* The last elements of a row, and rows whose elements lie apart: up to count, then zeros. */
INLINE void NAME(gather)(const ELEMENT *from, int64_t step, int64_t count, int most, ELEMENT *to)
{
    for (int i = 0; i < most; ++i)
        to[i] = i < count ? from[i * step] : 0;
}

INLINE vec NAME(some_lanes)(const ELEMENT *from, int64_t step, int64_t count)
{
    ELEMENT lanes[LANES];
    NAME(gather)(from, step, count, LANES, lanes);
    return NAME(lanes_of)(lanes);
}

/* Adds TERMS elements of each row, from k on, times those of the vectors. */
INLINE void NAME(add_terms)(const few_call *call, const ELEMENT *from, int64_t row_step, int64_t k,
                            const int rows, const int vectors, bool is_whole,
                            vec sums[][FEW_AT_ONCE])
{
    vec x[FEW_AT_ONCE][TERMS / LANES];
    for (int v = 0; v < vectors; ++v)
        for (int part = 0; part < TERMS / LANES; ++part)
            x[v][part] = load(call->x + v * call->x_step + k + part * LANES);
    for (int row = 0; row < rows; ++row) {
        const ELEMENT *at = from + row * row_step + k * call->k_step;
        ELEMENT some[TERMS];
        if (!is_whole) {
            NAME(gather)(at, call->k_step, call->k - k, TERMS, some);
            at = some;
        }
        for (int part = 0; part < TERMS / LANES; ++part) {
            vec elements = NAME(part_of)(at, part);
            for (int v = 0; v < vectors; ++v)
                sums[row][v] += elements * x[v][part];
        }
    }
}

/* The sums of some rows, so many apart; rows and vectors are constants to the compiler, so that all
 * sums are in registers. */
INLINE void NAME(dots_of)(const few_call *call, int64_t first, int64_t apart, const int rows,
                          const int vectors)
{
    const ELEMENT *from = (const ELEMENT *)call->matrix + first * call->row_step;
    const int64_t in_line = LINE / (int64_t)sizeof *from;
    int64_t row_step = apart * call->row_step, k = 0;
    vec sums[STEPS][FEW_AT_ONCE] = {0}; /* by row, vector */
    if (call->k_step == 1 && vectors == 1)
        for (; k + in_line <= call->k; k += in_line) {
            for (int row = 0; row < rows; ++row)
                fetch(from + row * row_step + k + AHEAD / (int64_t)sizeof *from);
            for (int64_t i = 0; i < in_line; i += TERMS)
                NAME(add_terms)(call, from, row_step, k + i, rows, vectors, true, sums);
        }
    if (call->k_step == 1)
        for (; k + TERMS <= call->k; k += TERMS)
            NAME(add_terms)(call, from, row_step, k, rows, vectors, true, sums);
    for (; k < call->k; k += TERMS)
        NAME(add_terms)(call, from, row_step, k, rows, vectors, false, sums);
    for (int row = 0; row < rows; ++row)
        for (int v = 0; v < vectors; ++v) {
            ELEMENT *out = (ELEMENT *)call->out + (first + row * apart) * call->out_row;
            float sum = add_lanes(sums[row][v]);
            NAME(narrow)(out + v * call->out_vector, &sum, 1);
        }
}

/* Rows next to each other share what is read of the vectors. Where that is one, which is soon
 * read, rows of STEPS parts of the matrix are taken together: as many streams of memory, which
 * processors fetch ahead faster than one. */
INLINE void NAME(dots_in_blocks)(const few_call *call, const int vectors)
{
    int64_t each = call->rows / STEPS, i = 0;
    for (; i < each; ++i)
        NAME(dots_of)(call, vectors == 1 ? i : i * STEPS, vectors == 1 ? each : 1, STEPS, vectors);
    for (i *= STEPS; i < call->rows; ++i)
        NAME(dots_of)(call, i, 1, 1, vectors);
}

static void NAME(dots)(const few_call *call)
{
    if (call->vectors == 1)
        NAME(dots_in_blocks)(call, 1);
    else if (call->vectors == 2)
        NAME(dots_in_blocks)(call, 2);
    else
        NAME(dots_in_blocks)(call, FEW_AT_ONCE);
}

/* Adds `steps` steps of k, from k on, to the sums of columns first to first + count - 1. Of a
 * matrix that comes from memory, what the loop meets two turns later is fetched. */
INLINE void NAME(add_steps)(const few_call *call, int64_t first, int64_t count, int64_t k,
                            const int steps, const int vectors, const bool fetches,
                            float sums[][FEW_STRIP])
{
    const ELEMENT *from = (const ELEMENT *)call->matrix + k * call->k_step + first;
    for (int64_t j = 0; j < count; j += LANES) {
        vec elements[STEPS];
        int64_t left = count - j;
        for (int s = 0; s < steps; ++s) {
            const ELEMENT *at = from + s * call->k_step + j;
            if (fetches)
                fetch(at + 2 * STEPS * call->k_step);
            elements[s] = left >= LANES ? NAME(lanes_of)(at) : NAME(some_lanes)(at, 1, left);
        }
        for (int v = 0; v < vectors; ++v) {
            vec sum = load(&sums[v][j]);
            for (int s = 0; s < steps; ++s)
                sum += elements[s] * call->x[v * call->x_step + k + s];
            store(sum, &sums[v][j]);
        }
    }
}

INLINE void NAME(store_strip)(const few_call *call, int64_t first, int64_t count, const int vectors,
                              float sums[][FEW_STRIP])
{
    for (int v = 0; v < vectors; ++v) {
        ELEMENT *out = (ELEMENT *)call->out + first * call->out_row + v * call->out_vector;
        if (call->out_row == 1)
            NAME(narrow)(out, sums[v], count);
        else
            for (int64_t j = 0; j < count; ++j)
                NAME(narrow)(out + j * call->out_row, &sums[v][j], 1);
    }
}

/* Some steps of k of a strip of columns at a time; the strip's sums stay in the cache. */
INLINE void NAME(strips_by)(const few_call *call, const int vectors, const bool fetches)
{
    float sums[FEW_AT_ONCE][FEW_STRIP];
    for (int64_t first = 0; first < call->rows; first += FEW_STRIP) {
        int64_t left = call->rows - first, count = int64_min(left, FEW_STRIP), k = 0;
        memset(sums, 0, sizeof sums[0] * (size_t)vectors);
        for (; k + STEPS <= call->k; k += STEPS)
            NAME(add_steps)(call, first, count, k, STEPS, vectors, fetches, sums);
        for (; k < call->k; ++k)
            NAME(add_steps)(call, first, count, k, 1, vectors, false, sums);
        NAME(store_strip)(call, first, count, vectors, sums);
    }
}

INLINE void NAME(strips_from)(const few_call *call, const bool fetches)
{
    if (call->vectors == 1)
        NAME(strips_by)(call, 1, fetches);
    else if (call->vectors == 2)
        NAME(strips_by)(call, 2, fetches);
    else
        NAME(strips_by)(call, FEW_AT_ONCE, fetches);
}

/* To fetch what a cache holds would cost a third of the time. */
static void NAME(strips)(const few_call *call)
{
    if (call->rows * call->k * (int64_t)sizeof(ELEMENT) >= FROM_MEMORY)
        NAME(strips_from)(call, true);
    else
        NAME(strips_from)(call, false);
}
