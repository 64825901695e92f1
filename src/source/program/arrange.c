/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: how a space is cut into groups and items, by the form that the text was printed for. */
#include "source/work.h"
#include <string.h>

/* Work that is worth an item of LANES, and a part of a row in GROUP, in elements. */
enum { WORTH_LANES = 1 << 13, WORTH_GROUP = 1 << 12, GROUPS_PER_UNIT = 8, MAX_STEPS = 16 };

typedef struct arrangement {
    const device_facts *facts;
    const source_form *form;
    const device_entry *entry;
    const program_space *space;
    source_words words;
    device_launch *launch;
    bool is_quick;        /* no value is dear */
    int64_t rows, length; /* of kept and of reduced loops */
    int64_t makers;       /* lines, strips or rows that items or groups make */
    int64_t pieces;
} arrangement;

static void fill_words(const arrangement *a)
{
    uint64_t *words = a->launch->words;
    int ndim = a->space->ndim;
    source_fill_loops(words, a->words.extents, a->words.divisors, ndim, a->space->extents);
    source_fill_words(words + a->words.strides, a->space->nbuffers * ndim, a->space->strides);
    words[WORD_COUNT] = (uint64_t)a->makers;
    words[WORD_PIECES] = (uint64_t)a->pieces;
}

static uint64_t *add_step(arrangement *a, int kernel, int64_t groups, int items)
{
    return source_launch_add(a->launch, a->entry->nwords, kernel, groups, items)->words;
}

static void add_exact(arrangement *a, int kernel, int64_t first, int64_t items, int64_t each)
{
    source_launch_add_exact(a->facts, a->launch, a->entry->nwords, kernel, first, items, each);
}

static int64_t lane_items(const arrangement *a, int64_t size)
{
    return a->is_quick && size <= QUICK_LENGTH ? 1 : source_lane_items(a->facts, size, WORTH_LANES);
}

static void arrange_chunks(arrangement *a)
{
    int64_t inner = a->space->extents[a->space->ndim - 1], lines = a->rows / int64_max(inner, 1);
    int64_t items = lane_items(a, a->rows);
    source_launch_add_chunks(a->launch, a->entry->nwords, lines, inner, items);
}

static void arrange_items(arrangement *a, bool aligned)
{
    int64_t count = a->rows, each = a->form->per_item, done = 0;
    bool is_wide = aligned && each > 1 && a->space->extents[a->space->ndim - 1] % each == 0;
    for (int i = 0; is_wide && i < a->space->nbuffers * a->space->ndim; ++i)
        is_wide = a->entry->is_index[i / a->space->ndim] ||
                  a->form->walks[i / a->space->ndim][i % a->space->ndim] == WALK_STILL ||
                  i % a->space->ndim == a->space->ndim - 1 || a->space->strides[i] % 16 == 0;
    int64_t wide = count / each / source_group(a->facts) * source_group(a->facts);
    if (is_wide && wide > 0) {
        add_exact(a, 1, 0, wide, each);
        done = wide * each;
    }
    add_exact(a, 0, done, count - done, 1);
}

/* Counts the items or groups that there are if each makes the least amount: whole rows, or parts of
 * rows. */
static void count_makers(arrangement *a)
{
    int kept = a->space->ndim - a->space->nreduced;
    a->makers = a->rows;
    if (a->form->style == STYLE_STRIP)
        a->makers = a->rows / int64_max(a->space->extents[kept - 1], 1) *
                    ceil_div(a->space->extents[kept - 1], STRIP_LANES);
}

/* Divides the first reduced loop into parts. gives: the length of each part */
static int64_t cut_rows(arrangement *a)
{
    bool lanes = a->facts->shape == DEVICE_LANES;
    int64_t extent = a->space->extents[a->space->ndim - a->space->nreduced];
    int64_t most = (int64_t)a->facts->compute_units * (lanes ? ITEMS_PER_UNIT : GROUPS_PER_UNIT);
    int64_t makers = a->makers, size = a->length;
    if (a->form->style == STYLE_ROW)
        makers = ceil_div(makers, source_group(a->facts));
    if (a->form->style == STYLE_STRIP)
        size *= STRIP_LANES;
    int64_t worth = lanes ? WORTH_LANES : WORTH_GROUP;
    if (a->form->style == STYLE_ROW)
        worth = 64;
    int64_t parts = int64_min(ceil_div(most, makers), int64_max(size / worth, 1));
    int64_t length = ceil_div(extent, int64_min(parts, extent));
    a->pieces = ceil_div(extent, length);
    return length;
}

static void arrange_parts(arrangement *a, int slots, bool ends)
{
    int64_t length = cut_rows(a);
    int group = a->form->style == STYLE_GROUP ? source_group(a->facts) : 1;
    a->launch->words[WORD_PIECES] = (uint64_t)a->pieces;
    a->launch->words[WORD_LENGTH] = (uint64_t)length;
    a->launch->scratch_nbytes = (size_t)(a->rows * a->pieces * slots) * SLOT_NBYTES;
    for (int k = 0; k < a->entry->nkernels; ++k) {
        int64_t pieces = ends && k == a->entry->nkernels - 1 ? 1 : a->pieces;
        if (a->form->style == STYLE_ROW)
            add_exact(a, k, 0, a->makers * pieces, 1);
        else
            add_step(a, k, a->makers * pieces, group);
    }
}

static void arrange_whole(arrangement *a)
{
    if (a->form->style == STYLE_ROW) {
        add_exact(a, 0, 0, a->rows, 1);
        return;
    }
    if (a->form->style == STYLE_GROUP) {
        add_step(a, 0, a->makers, source_group(a->facts));
        return;
    }
    int64_t items = lane_items(a, a->rows * a->length);
    int64_t run = ceil_div(a->makers, items);
    uint64_t *words = add_step(a, 0, ceil_div(a->makers, run), 1);
    words[WORD_RUN] = (uint64_t)run;
}

jg_status source_arrange_launch(const source_text *text, const device_work *work,
                                device_launch **out)
{
    const device_facts *facts = text->facts;
    const device_entry *entry = text->entry;
    const program_space *space = work->space;
    device_launch *launch = NULL;
    JG_TRY(source_launch_begin(MAX_STEPS, entry->nwords, &launch));
    arrangement a = {.facts = facts,
                     .form = text->form,
                     .entry = entry,
                     .space = space,
                     .launch = launch,
                     .is_quick = !source_value_has_dear(work->program),
                     .pieces = 1};
    a.words = source_words_of(work->program, text->form);
    a.rows = program_space_size(space, 0, space->ndim - space->nreduced);
    a.length = program_space_size(space, space->ndim - space->nreduced, space->ndim);
    count_makers(&a);
    fill_words(&a);
    if (a.rows > 0 && text->form->style == STYLE_CHUNK)
        arrange_chunks(&a);
    else if (a.rows > 0 && text->form->style == STYLE_ITEM)
        arrange_items(&a, text->aligned);
    else if (a.rows > 0 && text->form->is_split)
        arrange_parts(&a, source_reduction_slots(facts, work->program, work->program->ninsts),
                      program_stores_rows(work->program) && !text->form->joins);
    else if (a.rows > 0)
        arrange_whole(&a);
    *out = launch;
    return JG_OK;
}
