/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of strip_loops.c for one way to multiply a block, block_sums, of TOGETHER rows at most,
 * whose names end in NAME. */

/* Adds the products of a block, of which nbytes bytes are valid, to the sums. `groups` has for each
 * lane the number of its group among the scales. */
INLINE void NAME(add_block)(const uint8_t *codes, int64_t step, int rows, size_t nbytes,
                            const int8_t *x, const vec *scales, wholes groups, vec *sums)
{
    halves block[NAME(TOGETHER)];
    vec products[NAME(TOGETHER)];
    load_blocks(codes, step, rows, nbytes, block);
    NAME(block_sums)(block, rows, x, products);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r)
        sums[r] = multiply_add(products[r], choose_lanes(scales[r], groups), sums[r]);
}

/* Adds the products of some codes of the rows, whose scales a vector holds. */
INLINE void NAME(add_blocks)(const uint8_t *codes, int64_t step, int rows, int64_t count,
                             const int8_t *x, const vec *scales, int shift, vec *sums)
{
    wholes lanes = lane_indices(1, 0);
    for (; count >= BLOCK; count -= BLOCK, codes += NBYTES, x += DIGITS * BLOCK, lanes += LANES) {
        fetch_rows(codes, step, rows);
        NAME(add_block)(codes, step, rows, NBYTES, x, scales, lanes >> shift, sums);
    }
    if (count > 0)
        NAME(add_block)(codes, step, rows, (size_t)count / 2, x, scales, lanes >> shift, sums);
}

/* The same of whole blocks, 2^shift of which have one scale. It comes from memory, and so costs
 * none of the instructions of vectors that bound the loop. */
INLINE void NAME(add_scaled_blocks)(const uint8_t *codes, int64_t step, int rows, int64_t count,
                                    const int8_t *x, const vec *scales, int shift, vec *sums)
{
    float each[NAME(TOGETHER)][LANES];
    memcpy(each, scales, (size_t)rows * sizeof *scales);
    for (int64_t i = 0; i < count / BLOCK; ++i, codes += NBYTES, x += DIGITS * BLOCK) {
        halves block[NAME(TOGETHER)];
        vec products[NAME(TOGETHER)];
        if (i % 2 == 0) /* two blocks are a line */
            fetch_rows(codes, step, rows);
        load_blocks(codes, step, rows, NBYTES, block);
        NAME(block_sums)(block, rows, x, products);
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r)
            sums[r] = multiply_add(products[r], spread(each[r][i >> shift]), sums[r]);
    }
}

/* The products of some rows, `apart` from each other. Biases and scales are those of LANES groups
 * at a time. */
INLINE void NAME(add_rows)(const quantized_strip *strip, int64_t first, int64_t apart, int rows,
                           int shift, bool is_float)
{
    int64_t groups = strip->count >> shift, itemsize = is_float ? 4 : 2;
    vec sums[NAME(TOGETHER)] = {{0}}, scales[NAME(TOGETHER)];
    for (int64_t g = 0; g < groups; g += LANES) {
        int64_t count = int64_min(groups - g, LANES), codes = g << shift;
        vec units = load_some(strip->units + g, count), x = load_some(strip->sums + g, count);
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) {
            int64_t row = first + r * apart;
            const char *at = strip->scales + row * strip->scales_row + g * itemsize;
            scales[r] = load_scales(strip, is_float, at, count) * units;
            at = strip->biases + row * strip->biases_row + g * itemsize;
            sums[r] = multiply_add(load_scales(strip, is_float, at, count), x, sums[r]);
        }
        const uint8_t *from = strip->codes + first * strip->codes_row + codes / 2;
        const int8_t *digits = strip->x + DIGITS * codes;
        int64_t step = apart * strip->codes_row;
        count <<= shift; /* of codes */
        if (LANES == 8 && shift >= BLOCK_SHIFT) {
            int blocks_shift = shift - BLOCK_SHIFT;
            NAME(add_scaled_blocks)(from, step, rows, count, digits, scales, blocks_shift, sums);
        } else {
            int lanes_shift = shift - LANE_SHIFT;
            NAME(add_blocks)(from, step, rows, count, digits, scales, lanes_shift, sums);
        }
    }
    store_sums(sums, rows, strip->adds, strip->to + first, apart);
}

/* Rows of several parts of the strip are taken together: processors fetch as many streams of memory
 * ahead faster than one. */
INLINE void NAME(add_all_rows)(const quantized_strip *strip, bool is_float)
{
    int shift = __builtin_ctz((unsigned)strip->group);
    int64_t apart = strip->rows / NAME(TOGETHER), row = 0;
    for (; row < apart; ++row)
        NAME(add_rows)(strip, row, apart, NAME(TOGETHER), shift, is_float);
    for (row = apart * NAME(TOGETHER); row < strip->rows; ++row)
        NAME(add_rows)(strip, row, 1, 1, shift, is_float);
}

static void NAME(strip_sums)(const quantized_strip *strip)
{
    if (strip->kind == QUANTIZED_SCALE_FLOAT32)
        NAME(add_all_rows)(strip, true);
    else
        NAME(add_all_rows)(strip, false);
}
