/* SPDX-License-Identifier: Apache-2.0 */
/* Products of stacks of matrices: where the matrices of a batch are, which an index array may say.
 * tile.c makes the sums. */
#include "source/tile.h"
#include <stdio.h>

enum { LEFT, RIGHT, OUT, OPERANDS }; /* as their names are numbered, whatever their buffers are */

static const char *const operand_names[] = {"left", "right", "out"};

/* Buffers of numbers, which come before the result. */
static int nnumbers_of(const device_product *p)
{
    return p->kind == DEVICE_GATHERED ? 2 : p->kind == DEVICE_SEGMENTED ? 1 : 0;
}

static int nbuffers_of(const device_product *p)
{
    return OPERANDS + nnumbers_of(p);
}

static int buffer_of(const device_product *p, int operand)
{
    return operand == OUT ? OUT + nnumbers_of(p) : operand;
}

/* Batches without loops have one. */
static int loops_of(const device_product *p)
{
    return p->ndim > 0 ? p->ndim : 1;
}

/* Where the block of words has what. strides: of batches, where it gathers, of rows and of columns
 */
typedef struct product_words {
    int strides, counts, pair, extents, steps, offsets, count;
} product_words;

static product_words words_of(const device_product *p)
{
    product_words words = {.strides = TILE_WORDS};
    words.counts = words.strides + 3 * OPERANDS;
    words.pair = words.counts + 2;
    words.extents = words.pair + 1;
    words.steps = words.extents + loops_of(p);
    words.offsets = words.steps + nbuffers_of(p) * loops_of(p);
    words.count = words.offsets + nbuffers_of(p);
    return words;
}

/* The batch in indices b<loop>. */
static void print_indices(source_draft *d, const device_product *p, const product_words *words)
{
    source_write_line(d, "int64_t batches = batch;");
    for (int loop = loops_of(p) - 1; loop > 0; --loop) {
        source_write_line(d, "const int64_t b%d = batches %% (int64_t)block.w[%d];", loop,
                          words->extents + loop);
        source_write_line(d, "batches /= (int64_t)block.w[%d];", words->extents + loop);
    }
    source_write_line(d, "const int64_t b0 = batches;");
}

/* Ends a line with the way to the batch. */
static void print_steps(source_draft *d, const device_product *p, const product_words *words,
                        int buffer)
{
    text_add(d->out, "m%d + (int64_t)block.w[%d]", buffer, words->offsets + buffer);
    for (int loop = 0; loop < loops_of(p); ++loop)
        text_add(d->out, " + b%d * (int64_t)block.w[%d]", loop,
                 words->steps + buffer * loops_of(p) + loop);
    text_add(d->out, ";\n");
}

static void print_numbers(source_draft *d, const device_product *p, const product_words *words,
                          int which, const char *name)
{
    text_add(d->out, "%*sMEMORY const uint8_t *const %s = ", 4 * d->depth, "", name);
    print_steps(d, p, words, DEVICE_PRODUCT_NUMBERS + which);
}

/* The number of the matrix, which was compared with their count; it is brought into range once
 * more, as memory of others may change in between. */
static void print_choice(source_draft *d, const device_product *p, const product_words *words,
                         int side)
{
    const char *name = operand_names[side];
    char number[32], matrix[32];
    int count = words->counts + side;
    snprintf(number, sizeof number, "%s_number", name);
    snprintf(matrix, sizeof matrix, "%s_matrix", name);
    print_numbers(d, p, words, side, number);
    source_write_line(d, "int64_t %s = AT(const int64_t, %s);", matrix, number);
    source_write_line(d, "%s += %s < 0 ? (int64_t)block.w[%d] : 0;", matrix, matrix, count);
    source_write_line(d, "%s = %s < 0 ? 0 : LESSER(%s, (int64_t)block.w[%d] - 1);", matrix, matrix,
                      matrix, count);
    source_write_line(d,
                      "MEMORY uint8_t *const %s = m%d + (int64_t)block.w[%d] + %s * "
                      "(int64_t)block.w[%d];",
                      name, side, words->offsets + side, matrix, words->strides + 3 * side);
}

/* What lies outside of the axis is no part of the segment. */
static void print_segment(source_draft *d, const device_product *p, const product_words *words)
{
    print_numbers(d, p, words, 0, "ends");
    source_write_line(d, "int64_t low = AT(const int64_t, ends);");
    source_write_line(d, "int64_t high = AT(const int64_t, ends + (int64_t)block.w[%d]);",
                      words->pair);
    source_write_line(d, "low = low < 0 ? 0 : LESSER(low, inner);");
    source_write_line(d, "high = high < low ? low : LESSER(high, inner);");
    source_write_line(d, "left += low * left_column;");
    source_write_line(d, "right += low * right_row;");
    source_write_line(d, "inner = high - low;");
}

static void print_start(source_draft *d, const void *work)
{
    const device_product *p = work;
    const product_words words = words_of(p);
    print_indices(d, p, &words);
    for (int b = 0; b < OPERANDS; ++b) {
        int stride = words.strides + 3 * b;
        source_write_line(d, "const int64_t %s_row = (int64_t)block.w[%d];", operand_names[b],
                          stride + 1);
        source_write_line(d, "const int64_t %s_column = (int64_t)block.w[%d];", operand_names[b],
                          stride + 2);
        if (p->kind == DEVICE_GATHERED && b != OUT) {
            print_choice(d, p, &words, b);
            continue;
        }
        text_add(d->out, "%*sMEMORY uint8_t *%s = ", 4 * d->depth, "", operand_names[b]);
        print_steps(d, p, &words, buffer_of(p, b));
    }
    if (p->kind == DEVICE_SEGMENTED)
        print_segment(d, p, &words);
}

void source_product_print(source_draft *d, const device_product *p, source_form *form)
{
    const product_words words = words_of(p);
    const tile_text text = {
        .dtype = (jg_dtype)p->dtype, .nbuffers = nbuffers_of(p), .work = p, .start = print_start};
    form->style = STYLE_TILE;
    form->ndim = p->ndim;
    form->nreduced = p->kind;
    form->per_item = p->dtype;
    d->words.count = words.count;
    d->entry->nwords = words.count;
    d->entry->nbuffers = nbuffers_of(p);
    for (int b = 0; b < nbuffers_of(p); ++b)
        d->entry->offset_words[b] = (uint16_t)(words.offsets + b);
    text_add(d->out, "struct words_%d { uint64_t w[%d]; };\n", d->number, words.count);
    source_tile_print(d, &text);
}

bool source_product_fits(const source_form *form, const device_product *p)
{
    return form->style == STYLE_TILE && form->ndim == p->ndim && form->nreduced == p->kind &&
           form->per_item == p->dtype;
}

static void fill(uint64_t *to, const device_product *p)
{
    const product_words words = words_of(p);
    const int64_t *strides[] = {p->left, p->right, p->out};
    for (int b = 0; b < OPERANDS; ++b)
        for (int i = 0; i < 3; ++i)
            to[words.strides + 3 * b + i] = (uint64_t)strides[b][i];
    for (int side = 0; side < 2; ++side)
        to[words.counts + side] = (uint64_t)p->counts[side];
    to[words.pair] = (uint64_t)p->pair;
    to[words.extents] = (uint64_t)p->batch;
    for (int b = 0; p->ndim == 0 && b < OPERANDS; ++b)
        to[words.steps + b] = (uint64_t)strides[b][0];
    for (int loop = 0; loop < p->ndim; ++loop) {
        to[words.extents + loop] = (uint64_t)p->extents[loop];
        for (int b = 0; b < nbuffers_of(p); ++b)
            to[words.steps + b * p->ndim + loop] = (uint64_t)p->steps[b][loop];
    }
}

jg_status source_product_arrange(const device_facts *facts, const device_product *p,
                                 device_launch **out)
{
    const int64_t sizes[TILE_SIZES] = {p->batch, p->rows, p->columns, p->inner};
    JG_TRY(source_tile_arrange(facts, (jg_dtype)p->dtype, sizes, words_of(p).count, out));
    fill((*out)->words, p);
    return JG_OK;
}
