/* SPDX-License-Identifier: Apache-2.0 */
/* Binary search. All searches take the same number of steps: each step keeps the larger half of the
 * rest, so an item of LANES can run several searches at the same time. */
#include "source/work.h"
#include <stdio.h>

enum {
    SORTED = DEVICE_SEARCH_SORTED,
    WANTED = DEVICE_SEARCH_WANTED,
    RESULT = DEVICE_SEARCH_RESULT
};
enum { TOGETHER = 16, WORTH_LANES = 1 << 9 }; /* WORTH_LANES: searches */

/* The positions of words in the block. The last loop is divided into pieces. */
typedef struct search_words {
    int divisor, count_sorted, step, inner, extents, divisors, steps, offsets, count;
} search_words;

static search_words words_of(const device_search *s)
{
    search_words words = {.divisor = WORDS_FIXED};
    words.count_sorted = words.divisor + 1;
    words.step = words.count_sorted + 1;
    words.inner = words.step + 1;
    words.extents = words.inner + 1;
    words.divisors = words.extents + s->ndim;
    words.steps = words.divisors + s->ndim;
    words.offsets = words.steps + s->ndim;
    words.count = words.offsets + DEVICE_SEARCH_BUFFERS;
    return words;
}

static void print_addresses(source_draft *d, const device_search *s, const search_words *words)
{
    char from[64];
    source_index_decompose(d, "line", 0, s->ndim - 1);
    source_frame_word(d, "count", words->count_sorted);
    source_frame_word(d, "step", words->step);
    source_frame_buffer(d, SORTED, from, sizeof from);
    source_frame_address(d, "MEMORY const uint8_t *const sorted", from,
                         &(source_steps){.count = 0});
    source_frame_buffer(d, WANTED, from, sizeof from);
    source_frame_address(d, "MEMORY const uint8_t *const wanted", from,
                         &(source_steps){.index = "i", .count = s->ndim - 1, .word = words->steps});
    source_frame_word(d, "wanted_step", words->steps + s->ndim - 1);
    source_frame_buffer(d, RESULT, from, sizeof from);
    source_write_line(d,
                      "MEMORY uint8_t *const to = %s + (int64_t)line * (int64_t)block.w[%d] * 8;",
                      from, words->inner);
}

/* Prints one halving step of a search. before: the head of its block; at: the name of the position
 * reached; wanted: the rank that is searched for; element: the rank of the element at that
 * position */
static void print_step(source_draft *d, const device_search *s, const char *before, const char *at,
                       const char *wanted, const char *element)
{
    source_write_open(d, "%s", before);
    source_write_line(d, "const rank_%d x = %s;", d->number, element);
    source_write_line(d, "%s += %sis_less_%d(%s, %s) ? half_left : 0;", at, s->right ? "!" : "",
                      d->number, s->right ? wanted : "x", s->right ? "x" : wanted);
    source_write_close(d);
}

static void open_halving(source_draft *d, const char *type)
{
    source_write_open(d, "for (%s left = (%s)count; left > 0; left -= left > 1 ? left / 2 : 1)",
                      type, type);
    source_write_line(d, "const %s half_left = left > 1 ? left / 2 : 1;", type);
}

/* is_dense: the sorted elements are, and their indices fit 32 bits */
static void print_together(source_draft *d, const device_search *s, bool is_dense)
{
    const char *type = is_dense ? "int32_t" : "int64_t";
    char loop[64], element[96];
    snprintf(loop, sizeof loop, "LANES for (int k = 0; k < %d; ++k)", TOGETHER);
    if (is_dense)
        snprintf(element, sizeof element, "rank_of_bits_%d(dense[at[k] + half_left - 1])",
                 d->number);
    else
        snprintf(element, sizeof element, "rank_of_%d(sorted + (at[k] + half_left - 1) * step)",
                 d->number);
    source_write_open(d, "for (; %sj + %d <= end; j += %d)", is_dense ? "is_dense && " : "",
                      TOGETHER, TOGETHER);
    source_write_line(d, "rank_%d ranks[%d];", d->number, TOGETHER);
    source_write_line(d, "%s at[%d];", type, TOGETHER);
    source_write_open(d, "for (int k = 0; k < %d; ++k)", TOGETHER);
    source_write_line(d, "ranks[k] = rank_of_%d(wanted + (j + k) * wanted_step);", d->number);
    source_write_line(d, "at[k] = 0;");
    source_write_close(d);
    open_halving(d, type);
    print_step(d, s, loop, "at[k]", "ranks[k]", element);
    source_write_close(d);
    source_write_line(d, "for (int k = 0; k < %d; ++k) AT(int64_t, to + (j + k) * 8) = at[k];",
                      TOGETHER);
    source_write_close(d);
}

static void print_single(source_draft *d, const device_search *s)
{
    char element[96];
    snprintf(element, sizeof element, "rank_of_%d(sorted + (at + half_left - 1) * step)",
             d->number);
    source_write_open(d, "for (; j < end; ++j)");
    source_write_line(d, "const rank_%d own = rank_of_%d(wanted + j * wanted_step);", d->number,
                      d->number);
    source_write_line(d, "int64_t at = 0;");
    open_halving(d, "int64_t");
    print_step(d, s, "", "at", "own", element);
    source_write_close(d);
    source_write_line(d, "AT(int64_t, to + j * 8) = at;");
    source_write_close(d);
}

static void print_lanes(source_draft *d, const device_search *s)
{
    if (source_rank_of((jg_dtype)s->dtype) != KEY_DOUBLE) {
        source_write_line(d, "MEMORY const bits_%d *const dense = (MEMORY const bits_%d *)sorted;",
                          d->number, d->number);
        source_write_line(d, "const bool is_dense = step == %d && count < 0x7fffffff;",
                          (int)dtype_itemsize((jg_dtype)s->dtype));
        print_together(d, s, true);
    }
    print_together(d, s, false);
}

static void print(source_draft *d, const device_work *work, source_form *form)
{
    const device_search *s = work->search;
    const search_words words = words_of(s);
    bool lanes = d->facts->shape == DEVICE_LANES;
    source_frame_begin(d, form,
                       &(source_frame){.style = STYLE_SEARCH,
                                       .ndim = s->ndim,
                                       .nbuffers = DEVICE_SEARCH_BUFFERS,
                                       .is_narrow = s->is_narrow,
                                       .extents = words.extents,
                                       .divisors = words.divisors,
                                       .offsets = words.offsets,
                                       .nwords = words.count});
    source_rank_print(d, (jg_dtype)s->dtype);
    source_write_kernel(d, "search", DEVICE_SEARCH_BUFFERS, false, lanes);
    source_frame_open_pieces(d, words.divisor, words.inner);
    print_addresses(d, s, &words);
    source_write_line(d, "int64_t j = start;");
    if (lanes)
        print_lanes(d, s);
    print_single(d, s);
    source_frame_close(d);
}

static jg_status arrange(const source_text *text, const device_work *work, device_launch **out)
{
    const device_facts *facts = text->facts;
    const device_search *s = work->search;
    const search_words words = words_of(s);
    device_launch *launch = NULL;
    JG_TRY(source_launch_begin(1, words.count, &launch));
    uint64_t *to = launch->words;
    int64_t inner = s->extents[s->ndim - 1], lines = 1, piece = 1;
    for (int loop = 0; loop < s->ndim - 1; ++loop)
        lines *= s->extents[loop];
    if (facts->shape == DEVICE_LANES)
        piece = int64_min(inner, WORTH_LANES);
    source_fill_loops(to, words.extents, words.divisors, s->ndim, s->extents);
    source_fill_words(to + words.steps, s->ndim, s->steps);
    to[words.count_sorted] = (uint64_t)s->count;
    to[words.step] = (uint64_t)s->step;
    to[words.inner] = (uint64_t)inner;
    source_launch_add_pieces(facts, launch, words.count, 0,
                             &(source_pieces){.lines = lines,
                                              .extent = inner,
                                              .length = piece,
                                              .worth = ceil_div(WORTH_LANES, piece),
                                              .divisor = words.divisor});
    *out = launch;
    return JG_OK;
}

static bool fits(const device_facts *facts, const source_form *form, const device_work *work)
{
    (void)facts;
    return form->style == STYLE_SEARCH && form->ndim == work->search->ndim;
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    (void)facts;
    return source_rank_is_taken((jg_dtype)work->search->dtype, refusal);
}

const source_work source_work_search = {
    .takes = takes,
    .print = print,
    .fits = fits,
    .arrange = arrange,
};
