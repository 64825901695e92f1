/* SPDX-License-Identifier: Apache-2.0 */
/* Products of stacks of matrices: where the matrices of a batch are, which an index array may say.
 * tile.c makes the sums. */
#include "source/work.h"
#include "source/work/tile.h"
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

/* The positions of words in the block. strides: of batches (of index arrays, too, in a gather), of
 * rows and of columns */
typedef struct product_words {
    int strides, counts, pair, extents, steps, offsets, count;
} product_words;

static product_words words_of(const device_product *p)
{
    product_words words = {0};
    int next = TILE_WORDS;
    words.strides = source_take_words(&next, 3 * OPERANDS);
    words.counts = source_take_words(&next, 2);
    words.pair = source_take_words(&next, 1);
    words.extents = source_take_words(&next, loops_of(p));
    words.steps = source_take_words(&next, nbuffers_of(p) * loops_of(p));
    words.offsets = source_take_words(&next, nbuffers_of(p));
    words.count = next;
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

/* Declares where a buffer has what is of the batch. */
static void print_address(source_draft *d, const device_product *p, const product_words *words,
                          int buffer, const char *declared)
{
    char from[64];
    source_frame_buffer(d, buffer, from, sizeof from);
    source_frame_address(d, declared, from,
                         &(source_steps){.index = "b",
                                         .count = loops_of(p),
                                         .word = words->steps + buffer * loops_of(p)});
}

static void print_numbers(source_draft *d, const device_product *p, const product_words *words,
                          int which, const char *name)
{
    char declared[64];
    snprintf(declared, sizeof declared, "MEMORY const uint8_t *const %s", name);
    print_address(d, p, words, DEVICE_PRODUCT_NUMBERS + which, declared);
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

/* The part of a segment outside the axis is ignored. */
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
        char name[64];
        snprintf(name, sizeof name, "%s_row", operand_names[b]);
        source_frame_word(d, name, stride + 1);
        snprintf(name, sizeof name, "%s_column", operand_names[b]);
        source_frame_word(d, name, stride + 2);
        if (p->kind == DEVICE_GATHERED && b != OUT) {
            print_choice(d, p, &words, b);
            continue;
        }
        snprintf(name, sizeof name, "MEMORY uint8_t *%s", operand_names[b]);
        print_address(d, p, &words, buffer_of(p, b), name);
    }
    if (p->kind == DEVICE_SEGMENTED)
        print_segment(d, p, &words);
}

/* Which way operands lie, for tensor cores: by rows, unless columns alone are dense. */
static void find_ways(const device_product *p, source_tile_text *text)
{
    int64_t size = (int64_t)dtype_itemsize((jg_dtype)p->dtype);
    text->left_across = p->left[1] == size && p->left[2] != size;
    text->right_across = p->right[1] != size || (p->right[2] == size && p->columns > 1);
}

static void print(source_draft *d, const device_work *work, source_form *form)
{
    const device_product *p = work->product;
    const product_words words = words_of(p);
    source_tile_text text = {.dtype = (jg_dtype)p->dtype,
                             .widens = p->widens,
                             .nbuffers = nbuffers_of(p),
                             .work = p,
                             .start = print_start};
    find_ways(p, &text);
    form->nreduced = p->kind;
    form->per_item = p->dtype;
    form->widens = p->widens;
    form->walks[LEFT][0] = text.left_across;
    form->walks[RIGHT][0] = text.right_across;
    source_frame_begin(d, form,
                       &(source_frame){.style = STYLE_TILE,
                                       .ndim = p->ndim,
                                       .nbuffers = nbuffers_of(p),
                                       .offsets = words.offsets,
                                       .nwords = words.count});
    source_tile_print(d, &text);
}

static bool fits(const device_facts *facts, const source_form *form, const device_work *work)
{
    const device_product *p = work->product;
    source_tile_text text;
    find_ways(p, &text);
    bool lies_so =
        form->walks[LEFT][0] == text.left_across && form->walks[RIGHT][0] == text.right_across;
    return form->style == STYLE_TILE && form->ndim == p->ndim && form->nreduced == p->kind &&
           form->per_item == p->dtype && form->widens == p->widens &&
           (lies_so || !source_mma_is_taken(facts, (jg_dtype)p->dtype));
}

static void fill(uint64_t *to, const device_product *p)
{
    const product_words words = words_of(p);
    const int64_t *strides[] = {p->left, p->right, p->out};
    for (int b = 0; b < OPERANDS; ++b)
        source_fill_words(to + words.strides + 3 * b, 3, strides[b]);
    source_fill_words(to + words.counts, 2, p->counts);
    to[words.pair] = (uint64_t)p->pair;
    to[words.extents] = (uint64_t)p->batch;
    for (int b = 0; p->ndim == 0 && b < OPERANDS; ++b)
        to[words.steps + b] = (uint64_t)strides[b][0];
    source_fill_words(to + words.extents, p->ndim, p->extents);
    for (int b = 0; p->ndim > 0 && b < nbuffers_of(p); ++b)
        source_fill_words(to + words.steps + b * p->ndim, p->ndim, p->steps[b]);
}

static jg_status arrange(const source_text *text, const device_work *work, device_launch **out)
{
    const device_facts *facts = text->facts;
    const device_product *p = work->product;
    const int64_t sizes[TILE_SIZES] = {p->batch, p->rows, p->columns, p->inner};
    int nwords = words_of(p).count;
    device_launch *launch = NULL;
    JG_TRY(source_launch_begin(SOURCE_TILE_STEPS, nwords, &launch));
    fill(launch->words, p);
    source_tile_add(facts, (jg_dtype)p->dtype, sizes, nwords, launch);
    *out = launch;
    return JG_OK;
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    return source_tile_is_taken(facts, (jg_dtype)work->product->dtype, refusal);
}

static const char *way(const device_facts *facts, const device_work *work)
{
    return source_tile_way(facts, (jg_dtype)work->product->dtype);
}

const source_work source_work_product = {
    .takes = takes, .print = print, .fits = fits, .arrange = arrange, .way = way};
