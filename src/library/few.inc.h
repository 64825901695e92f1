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

/* Adds what is left of each row from k on, less than a vector. Rows of float32 are read once more
 * from where a vector ends with them: element by element would take as long as a hundred more. */
INLINE void NAME(add_last)(const few_call *call, const ELEMENT *from, int64_t row_step, int64_t k,
                           const int rows, const int vectors, vec sums[][FEW_AT_ONCE])
{
    int64_t at = call->k - TERMS, count = call->k - k;
    vec x[FEW_AT_ONCE];
    if (sizeof *from != sizeof(float) || at < 0) {
        NAME(add_terms)(call, from, row_step, k, rows, vectors, false, sums);
        return;
    }
    for (int v = 0; v < vectors; ++v)
        x[v] = last_of(load(call->x + v * call->x_step + at), count);
    for (int row = 0; row < rows; ++row) {
        vec elements = last_of(NAME(part_of)(from + row * row_step + at, 0), count);
        for (int v = 0; v < vectors; ++v)
            sums[row][v] += elements * x[v];
    }
}

/* Four sums at a time, where there are as many. */
INLINE void NAME(store_dots)(const few_call *call, int64_t first, int64_t apart, const int rows,
                             const int vectors, vec sums[][FEW_AT_ONCE])
{
    vec some[4];
    float lanes[4];
    const int at_once = rows * vectors % 4 == 0 ? 4 : 1;
#pragma GCC unroll 16
    for (int i = 0; i < rows * vectors; i += at_once) {
#pragma GCC unroll 4
        for (int j = 0; j < at_once; ++j)
            some[j] = sums[(i + j) / vectors][(i + j) % vectors];
        if (at_once == 4)
            add_lanes_of_four(some, lanes);
        else
            lanes[0] = add_lanes(some[0]);
#pragma GCC unroll 4
        for (int j = 0; j < at_once; ++j) {
            int row = (i + j) / vectors, v = (i + j) % vectors;
            ELEMENT *out = (ELEMENT *)call->out + (first + row * apart) * call->out_row;
            NAME(narrow)(out + v * call->out_vector, lanes + j, 1);
        }
    }
}

/* The sums of `rows` rows that are `apart` rows from each other. rows and vectors are constants for
 * the compiler, so all sums are in registers. */
INLINE void NAME(dots_of)(const few_call *call, int64_t first, int64_t apart, const int rows,
                          const int vectors)
{
    const ELEMENT *from = (const ELEMENT *)call->matrix + first * call->row_step;
    const int64_t in_line = LINE / (int64_t)sizeof *from;
    int64_t row_step = apart * call->row_step, k = 0;
    vec sums[STEPS][FEW_AT_ONCE]; /* by row, vector */
    /* One by one: GCC clears an array by a loop in memory, and reads it from there. */
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v)
            sums[row][v] = (vec){0};
    if (call->k_step == 1) {
        for (; k + in_line <= call->k; k += in_line) {
            for (int row = 0; row < rows; ++row)
                fetch(from + row * row_step + k + AHEAD / (int64_t)sizeof *from);
            for (int64_t i = 0; i < in_line; i += TERMS)
                NAME(add_terms)(call, from, row_step, k + i, rows, vectors, true, sums);
        }
        for (; k + TERMS <= call->k; k += TERMS)
            NAME(add_terms)(call, from, row_step, k, rows, vectors, true, sums);
        if (k < call->k)
            NAME(add_last)(call, from, row_step, k, rows, vectors, sums);
        k = call->k;
    }
    for (; k < call->k; k += TERMS)
        NAME(add_terms)(call, from, row_step, k, rows, vectors, false, sums);
    NAME(store_dots)(call, first, apart, rows, vectors, sums);
}

/* Rows that are computed together share the reads of the vectors. Each row is of another part of
 * the matrix, so there are several streams of memory, which processors prefetch faster than one. */
INLINE void NAME(dots_in_blocks)(const few_call *call, const int rows, const int vectors)
{
    int64_t each = call->rows / rows, i = 0;
    for (; i < each; ++i)
        NAME(dots_of)(call, i, each, rows, vectors);
    for (i *= rows; i < call->rows; ++i)
        NAME(dots_of)(call, i, 1, 1, vectors);
}

static void NAME(dots)(const few_call *call)
{
    if (call->vectors == 1)
        NAME(dots_in_blocks)(call, STEPS, 1);
    else if (call->vectors == 2)
        NAME(dots_in_blocks)(call, STEPS, 2);
    else
        NAME(dots_in_blocks)(call, ROWS_OF_FOUR, FEW_AT_ONCE);
}

/* Adds steps of k to the sums of `columns` vectors of columns; of less than one where `some` is not
 * 0. Of a matrix that comes from memory, what the loop meets two turns later is fetched. x: by
 * vector, step. All counts but some are constants to the compiler, so that the sums and x are in
 * registers. */
INLINE void NAME(add_columns)(const ELEMENT *from, int64_t k_step, int64_t some, const int columns,
                              const int steps, const int vectors, const bool fetches,
                              vec x[][STEPS], float *sums)
{
    vec block[FEW_AT_ONCE][STEPS]; /* by vector, column */
    for (int v = 0; v < vectors; ++v)
        for (int c = 0; c < columns; ++c)
            block[v][c] = load(sums + v * SUMS + c * LANES);
#pragma GCC unroll 4
    for (int s = 0; s < steps; ++s)
        for (int c = 0; c < columns; ++c) {
            const ELEMENT *at = from + s * k_step + c * LANES;
            if (fetches)
                fetch_far(at + 2 * STEPS * k_step);
            vec elements = some == 0 ? NAME(lanes_of)(at) : NAME(some_lanes)(at, 1, some);
            for (int v = 0; v < vectors; ++v)
                block[v][c] += elements * x[v][s];
        }
    for (int v = 0; v < vectors; ++v)
        for (int c = 0; c < columns; ++c)
            store(block[v][c], sums + v * SUMS + c * LANES);
}

/* The same for all columns of a strip. */
INLINE void NAME(add_steps)(const few_call *call, const few_strip *strip, int64_t k,
                            const int steps, const int vectors, const bool fetches, float *sums)
{
    const ELEMENT *matrix = (const ELEMENT *)call->matrix + k * call->k_step;
    const ELEMENT *from = matrix + strip->first;
    const int columns = STEPS / vectors;
    int64_t k_step = call->k_step, j = 0;
    vec x[FEW_AT_ONCE][STEPS];
    for (int v = 0; v < vectors; ++v)
        for (int s = 0; s < steps; ++s)
            x[v][s] = spread(call->x[v * call->x_step + k + s]);
    for (; j + columns * LANES <= strip->whole; j += columns * LANES)
        NAME(add_columns)(from + j, k_step, 0, columns, steps, vectors, fetches, x, sums + j);
    for (; j < strip->whole; j += LANES)
        NAME(add_columns)(from + j, k_step, 0, 1, steps, vectors, fetches, x, sums + j);
    for (int e = 0; e < strip->end_count; ++e) {
        float *end = sums + FEW_STRIP + e * LANES;
        from = matrix + strip->ends[e];
        if (strip->some == 0)
            NAME(add_columns)(from, k_step, 0, 1, steps, vectors, fetches, x, end);
        else
            NAME(add_columns)(from, k_step, strip->some, 1, steps, vectors, false, x, end);
    }
}

INLINE void NAME(store_sums)(const few_call *call, int64_t first, int64_t count, const int vectors,
                             const float *sums)
{
    for (int v = 0; v < vectors; ++v) {
        ELEMENT *out = (ELEMENT *)call->out + first * call->out_row + v * call->out_vector;
        if (call->out_row == 1)
            NAME(narrow)(out, sums + v * SUMS, count);
        else
            for (int64_t j = 0; j < count; ++j)
                NAME(narrow)(out + j * call->out_row, sums + v * SUMS + j, 1);
    }
}

/* Some steps of k of a strip of columns at a time; the strip's sums stay in the cache. */
INLINE void NAME(strips_by)(const few_call *call, const int vectors, const bool fetches)
{
    float sums[FEW_AT_ONCE * SUMS];
    int64_t head = head_of(call, sizeof(ELEMENT)), next = 0;
    for (; next < call->rows; head = 0) {
        const few_strip strip = strip_of(call, next, head);
        int64_t k = 0;
        memset(sums, 0, sizeof sums[0] * SUMS * (size_t)vectors);
        for (; k + STEPS <= call->k; k += STEPS)
            NAME(add_steps)(call, &strip, k, STEPS, vectors, fetches, sums);
        for (; k < call->k; ++k)
            NAME(add_steps)(call, &strip, k, 1, vectors, false, sums);
        NAME(store_sums)(call, strip.first, strip.whole, vectors, sums);
        for (int e = 0; e < strip.end_count; ++e) {
            const float *end = sums + FEW_STRIP + e * LANES;
            int64_t count = strip.some == 0 ? LANES : strip.some;
            NAME(store_sums)(call, strip.ends[e], count, vectors, end);
        }
        next = strip.first + FEW_STRIP;
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
