/* SPDX-License-Identifier: Apache-2.0 */
/* The form that a program over a space has on a device: which loops an item takes, how wide indices
 * are, how buffers walk. Everything that a text depends on is decided here. */
#include "source/draft.h"
#include <string.h>

static int64_t size_of(int64_t number)
{
    return number < 0 ? -number : number;
}

static int64_t stride_of(const program_space *space, int buffer, int loop)
{
    return space->strides[buffer * space->ndim + loop];
}

/* Offsets within each buffer, and numbers of elements, with a wide margin. */
static bool is_narrow(const jg_program *program, const program_space *space)
{
    const int64_t limit = (int64_t)1 << 30;
    if (program_space_size(space, 0, space->ndim) >= limit)
        return false;
    for (int b = 0; b < space->nbuffers; ++b) {
        int64_t reach = 0;
        if (program->buffers[b].role == PROGRAM_ROLE_INDEX)
            continue;
        for (int d = 0; d < space->ndim; ++d) {
            int64_t stride = size_of(stride_of(space, b, d));
            if (stride >= limit)
                return false;
            reach += stride * (space->extents[d] > 0 ? space->extents[d] - 1 : 0);
        }
        if (reach >= limit)
            return false;
    }
    return true;
}

static source_walk walk_of(const jg_program *program, const program_space *space, int buffer,
                           int loop)
{
    int64_t stride = stride_of(space, buffer, loop);
    int64_t dense = (int64_t)dtype_itemsize((jg_dtype)program->buffers[buffer].dtype);
    if (stride == 0)
        return WALK_STILL;
    if (program->buffers[buffer].role == PROGRAM_ROLE_INDEX)
        return WALK_STRIDED;
    return stride == dense ? WALK_DENSE : WALK_STRIDED;
}

/* Whether the first buffer of elements that tells the two apart moves less in the innermost kept
 * loop than in the innermost reduced one. */
static bool lies_across(const jg_program *program, const program_space *space)
{
    int kept = space->ndim - space->nreduced;
    if (kept == 0 || space->nreduced == 0)
        return false;
    for (int b = 0; b < space->nbuffers; ++b) {
        int64_t over = size_of(stride_of(space, b, kept - 1));
        int64_t along = size_of(stride_of(space, b, space->ndim - 1));
        if (program->buffers[b].role != PROGRAM_ROLE_READ || program->buffers[b].per_row ||
            over == along)
            continue;
        return over != 0 && (along == 0 || over < along);
    }
    return false;
}

static bool stands_still(const source_form *form, int buffer)
{
    for (int loop = 0; loop < form->ndim; ++loop)
        if (form->walks[buffer][loop] == WALK_STILL)
            return true;
    return false;
}

/* Elements of 16 bytes of the largest dtype; 1 where a buffer is not dense, or one that is written
 * does not move in some loop, as in one of one turn. */
static int per_item(const jg_program *program, const source_form *form)
{
    size_t largest = 1;
    for (int b = 0; b < program->nbuffers; ++b) {
        size_t itemsize = dtype_itemsize((jg_dtype)program->buffers[b].dtype);
        if (program->buffers[b].role == PROGRAM_ROLE_INDEX ||
            program->buffers[b].role == PROGRAM_ROLE_LOOK_UP)
            continue;
        source_walk walk = (source_walk)form->walks[b][form->ndim - 1];
        if (walk == WALK_STRIDED ||
            (program->buffers[b].role == PROGRAM_ROLE_WRITE && stands_still(form, b)))
            return 1;
        largest = size_max(itemsize, largest);
    }
    return largest < 16 ? 16 / (int)largest : 1;
}

/* Few rows with many elements each: a run of them is worth a group of its own. */
static bool is_split(const device_facts *facts, const jg_program *program, const source_form *form,
                     const program_space *space)
{
    const bool is_quick = form->style == STYLE_ALONG && !source_value_has_dear(program);
    const int64_t worth = is_quick ? QUICK_LENGTH : 1 << 14;
    int kept = space->ndim - space->nreduced;
    int64_t rows = program_space_size(space, 0, kept);
    int64_t length = program_space_size(space, kept, space->ndim);
    int64_t makers = rows;
    if (form->style == STYLE_STRIP)
        makers = rows / STRIP_LANES + 1;
    if (form->style == STYLE_ROW)
        makers = rows / source_group(facts) + 1;
    return rows > 0 && makers < 2 * facts->compute_units && makers * worth < rows * length &&
           space->extents[kept] > 1;
}

/* Whether one pass is all that the parts of a row need before they are combined. To start a second
 * kernel for that wakes a processor's threads once more; in GROUP it costs next to nothing. */
static bool joins(const device_facts *facts, const jg_program *program)
{
    return facts->shape == DEVICE_LANES && program_reduces_once(program) &&
           program_stores_rows(program);
}

/* Rows of programs whose later passes may need again what is dear. A few elements are made sooner
 * than they are stored and loaded. */
static bool keeps(const source_form *form, const jg_program *program, const program_space *space)
{
    int64_t length = space->extents[space->ndim - 1];
    return form->style == STYLE_ALONG && !form->is_split && form->nreduced == 1 &&
           length >= ALONG_LANES && length <= KEPT_LENGTH && source_value_has_dear(program) &&
           !program_reduces_once(program);
}

static source_style style_of(const device_facts *facts, const jg_program *program,
                             const program_space *space)
{
    bool lanes = facts->shape == DEVICE_LANES;
    int kept = space->ndim - space->nreduced;
    if (!program->reduces)
        return lanes ? STYLE_CHUNK : STYLE_ITEM;
    if (lanes)
        return lies_across(program, space) ? STYLE_STRIP : STYLE_ALONG;
    bool is_short = program_space_size(space, kept, space->ndim) < facts->lane_width;
    return lies_across(program, space) || is_short ? STYLE_ROW : STYLE_GROUP;
}

bool source_form_of(const device_facts *facts, const jg_program *program,
                    const program_space *space, source_form *out)
{
    memset(out, 0, sizeof *out);
    if (space->ndim > SOURCE_MAX_NDIM)
        return false;
    out->ndim = (uint8_t)space->ndim;
    out->nreduced = (uint8_t)space->nreduced;
    out->style = (uint8_t)style_of(facts, program, space);
    out->is_narrow = facts->shape == DEVICE_GROUP && is_narrow(program, space);
    for (int b = 0; b < program->nbuffers; ++b)
        for (int d = 0; d < space->ndim; ++d)
            out->walks[b][d] = (uint8_t)walk_of(program, space, b, d);
    out->per_item = out->style == STYLE_ITEM ? (uint8_t)per_item(program, out) : 1;
    out->is_split = program->reduces && is_split(facts, program, out, space);
    out->joins = out->is_split && joins(facts, program);
    out->keeps = program->reduces && keeps(out, program, space);
    return true;
}

int source_form_lane_loop(const source_form *form)
{
    return form->style == STYLE_STRIP ? form->ndim - form->nreduced - 1 : form->ndim - 1;
}

int source_group(const device_facts *facts)
{
    int group = 1;
    while (group < SOURCE_GROUP && group * 2 <= facts->group_limit)
        group *= 2;
    return group;
}

source_words source_words_of(const jg_program *program, const source_form *form)
{
    source_words words = {0};
    int next = WORDS_FIXED;
    words.extents = source_take_words(&next, form->ndim);
    words.divisors = source_take_words(&next, form->ndim);
    words.offsets = source_take_words(&next, program->nbuffers);
    words.strides = source_take_words(&next, program->nbuffers * form->ndim);
    for (int s = 0; s < program->nscalars; ++s) {
        bool is_wide = dtype_itemsize((jg_dtype)program->scalars[s]) > 8;
        words.scalars[s] = (uint16_t)source_take_words(&next, is_wide ? 2 : 1);
    }
    words.count = next;
    return words;
}
