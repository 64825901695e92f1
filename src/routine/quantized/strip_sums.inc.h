/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of strip_loops.c for one way to multiply a block, block_sums, of TOGETHER rows at most,
 * whose names end in NAME. */

/* Adds the products of a block, of which so many bytes are there, to the sums. */
INLINE void NAME(add_block)(const uint8_t *codes, int64_t step, int rows, size_t nbytes,
                            const int8_t *x, const vec *scales, vec *sums)
{
    halves block[NAME(TOGETHER)];
    vec products[NAME(TOGETHER)];
    load_blocks(codes, step, rows, nbytes, block);
    NAME(block_sums)(block, rows, x, products);
    _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r) sums[r] =
        multiply_add(products[r], scales[r], sums[r]);
}

INLINE void NAME(take_blocks_scales)(const strip_rows *of, int rows, int64_t at, int shift,
                                     bool is_one, vec *scales)
{
    _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r) scales[r] =
        scales_at(of->scales + r * of->each, at, shift, is_one);
}

/* Adds the products of the rows to their sums. */
INLINE void NAME(row_sums)(const quantized_strip *strip, const strip_rows *of, int rows, int shift,
                           bool is_one, const vec *sums)
{
    int64_t step = of->apart * strip->codes_row, at = 0, count = strip->count;
    const uint8_t *codes = strip->codes + of->first * strip->codes_row;
    const int8_t *x = strip->x;
    vec sum[NAME(TOGETHER)], scales[NAME(TOGETHER)];
    _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r) sum[r] = sums[r];
    for (; at + BLOCK <= count; at += BLOCK, codes += NBYTES, x += 2 * DIGITS * NBYTES) {
        _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r)
            __builtin_prefetch(codes + r * step + AHEAD);
        NAME(take_blocks_scales)(of, rows, at, shift, is_one, scales);
        NAME(add_block)(codes, step, rows, NBYTES, x, scales, sum);
    }
    if (at < count) {
        NAME(take_blocks_scales)(of, rows, at, shift, is_one, scales);
        NAME(add_block)(codes, step, rows, (size_t)(count - at) / 2, x, scales, sum);
    }
    _Pragma("GCC unroll 4") for (int r = 0; r < rows; ++r)
    {
        float total = add_lanes(sum[r]), *to = &strip->to[of->first + r * of->apart];
        *to = strip->adds ? *to + total : total;
    }
}

/* Scales of several rows are taken before their codes, as what was just stored in parts would
 * stall the loads of a row. gives: the next of the rows that are to come */
INLINE int64_t NAME(add_some_rows)(const quantized_strip *strip, int64_t first, int64_t apart,
                                   int rows, int64_t end, int shift, bool is_one)
{
    _Alignas(64) float scales[SCALES + QUANTIZED_LANES];
    vec sums[ROWS];
    int64_t groups = strip->count >> shift, each = groups;
    while (each << shift & (BLOCK - 1))
        each += 1; /* to the end of a block */
    int64_t most = int64_min(SCALES / each, ROWS) / rows;
    end = first + most < end ? first + most : end;
    for (int64_t i = 0; i < (end - first) * rows; ++i)
        sums[i] =
            take_scales(strip, first + i / rows + i % rows * apart, groups, scales + i * each);
    for (int64_t row = first, i = 0; row < end; ++row, i += rows)
        NAME(row_sums)
    (strip, &(strip_rows){row, apart, scales + i * each, each}, rows, shift, is_one, sums + i);
    return end;
}

/* Rows of several parts of the strip are taken together: processors fetch as many streams of memory
 * ahead faster than one. */
INLINE void NAME(add_rows)(const quantized_strip *strip, int shift, bool is_one)
{
    int64_t apart = strip->rows / NAME(TOGETHER), row = 0;
    while (row < apart)
        row = NAME(add_some_rows)(strip, row, apart, NAME(TOGETHER), apart, shift, is_one);
    for (row = apart * NAME(TOGETHER); row < strip->rows;)
        row = NAME(add_some_rows)(strip, row, 1, 1, strip->rows, shift, is_one);
}

static void NAME(strip_sums)(const quantized_strip *strip)
{
    int shift = __builtin_ctz((unsigned)strip->group);
    if (strip->group == BLOCK)
        NAME(add_rows)(strip, __builtin_ctz((unsigned)BLOCK), true);
    else if (strip->group >= BLOCK)
        NAME(add_rows)(strip, shift, true);
    else
        NAME(add_rows)(strip, shift, false);
}
