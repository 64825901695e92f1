/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of programs without a reduction. For LANES an item walks a run of a line, or several
 * lines, in a loop that becomes vector code. For GROUP an item makes one element, or, in a second
 * kernel, the elements of 16 bytes; neither tests a bound, as launches are cut into exact
 * multiples. */
#include "source/draft.h"
#include <stdio.h>

static bool is_indexed(const source_draft *d, int position)
{
    program_op op = (program_op)d->program->insts[position].op;
    return op == PROGRAM_LOAD || op == PROGRAM_INDEX;
}

/* Loads that do not vary in the innermost loop are hoisted. */
static void print_still(source_draft *d)
{
    int loop = source_form_lane_loop(d->form);
    for (int p = 0; p < d->program->ninsts; ++p) {
        char address[32];
        int buffer = d->program->insts[p].buffer;
        if (!is_indexed(d, p) || !d->wanted[p] || d->form->walks[buffer][loop] != WALK_STILL)
            continue;
        snprintf(address, sizeof address, "b%d", buffer);
        source_value_print(d, p, address);
        d->wanted[p] = false;
    }
}

/* Short lines would have all their elements behind the last whole vector. */
static const char *lanes_of_chunk(const source_draft *d)
{
    bool is_long = d->form->ndim == 1 && source_value_has_dear(d->program);
    return is_long ? source_value_lanes(d) : "LANES";
}

static void print_chunks(source_draft *d)
{
    int inner = d->form->ndim - 1;
    source_write_kernel(d, "chunks", d->program->nbuffers, false, 1);
    source_value_print_uniform(d);
    source_frame_chunk(d, d->words.extents + inner);
    if (inner > 0)
        source_frame_open_lines(d, inner);
    source_index_bases(d, NULL, "b", 0, inner);
    print_still(d);
    source_write_open(d, "%s for (int64_t j = first; j < last; ++j)", lanes_of_chunk(d));
    source_index_body(d, "b", true);
    source_frame_close(d);
}

/* The item's element, counted through all loops, and the addresses in its line. */
static void print_item(source_draft *d, int count)
{
    const char *type = d->form->is_narrow ? "int32_t" : "int64_t";
    int inner = d->form->ndim - 1;
    char number[16];
    source_value_print_uniform(d);
    source_write_line(
        d, "const %s number = (%s)block.w[%d] + ((%s)GROUP_ID * GROUP_ITEMS + ITEM_ID) * %d;", type,
        type, WORD_FIRST, type, count);
    source_index_decompose(d, "number", 0, inner + 1);
    source_index_bases(d, NULL, "b", 0, inner);
    snprintf(number, sizeof number, "i%d", inner);
    source_write_line(d, "const %s j%s = %s;", type, count > 1 ? "0" : "", number);
}

static void print_narrow(source_draft *d)
{
    source_write_kernel(d, "items", d->program->nbuffers, false, 0);
    print_item(d, 1);
    source_index_body(d, "b", true);
    source_write_close(d);
}

static bool is_moved(const source_draft *d, int buffer)
{
    return !d->entry->is_index[buffer] &&
           d->program->buffers[buffer].role != PROGRAM_ROLE_LOOK_UP &&
           d->form->walks[buffer][source_form_lane_loop(d->form)] == WALK_DENSE;
}

static const char *role_word(const source_draft *d, int buffer)
{
    return d->program->buffers[buffer].role == PROGRAM_ROLE_WRITE ? "" : "const ";
}

/* Dense buffers are brought and stored 16 bytes, or fewer of a smaller dtype, at a time: in the
 * body their elements are those of w<b>. */
static void print_wide_types(source_draft *d)
{
    for (int b = 0; b < d->program->nbuffers; ++b) {
        jg_dtype dtype = (jg_dtype)d->program->buffers[b].dtype;
        if (is_moved(d, b))
            text_add(d->out, "struct ALIGNED(%d) wide_%d_%d { %s e[%d]; };\n",
                     d->form->per_item * (int)dtype_itemsize(dtype), d->number, b,
                     source_value_type(dtype), d->form->per_item);
    }
}

static void print_wide_memory(source_draft *d, program_role role)
{
    for (int b = 0; b < d->program->nbuffers; ++b) {
        int itemsize = (int)dtype_itemsize((jg_dtype)d->program->buffers[b].dtype);
        if (!is_moved(d, b) || d->program->buffers[b].role != role)
            continue;
        char type[48], address[96];
        snprintf(type, sizeof type, "struct wide_%d_%d", d->number, b);
        snprintf(address, sizeof address, "AT(%s%s, b%d + j0 * %d)", role_word(d, b), type, b,
                 itemsize);
        if (role == PROGRAM_ROLE_READ)
            source_write_line(d, "const %s w%d = %s;", type, b, address);
        else
            source_write_line(d, "%s = w%d;", address, b);
    }
}

static void declare_results(source_draft *d)
{
    for (int b = 0; b < d->program->nbuffers; ++b)
        if (is_moved(d, b) && d->program->buffers[b].role == PROGRAM_ROLE_WRITE)
            source_write_line(d, "struct wide_%d_%d w%d;", d->number, b, b);
}

static void print_wide_value(source_draft *d, int position)
{
    const program_inst *inst = &d->program->insts[position];
    char address[96];
    if (inst->op == PROGRAM_LOAD && is_moved(d, inst->buffer)) {
        bool is_bool = inst->to == JG_DTYPE_BOOL;
        source_write_line(d, "const %s v%d = w%d.e[e]%s;", source_value_type((jg_dtype)inst->to),
                          position, inst->buffer, is_bool ? " != 0" : "");
        return;
    }
    if (source_has_address((program_op)inst->op))
        source_index_address(d, inst->buffer, "b", address, sizeof address);
    source_value_print(d, position, address);
}

static void print_wide_store(source_draft *d, int position)
{
    const program_inst *inst = &d->program->insts[position];
    char value[32];
    source_value_name(d, inst->src[0], value, sizeof value);
    source_write_line(d, "w%d.e[e] = %s;", inst->buffer, value);
}

static void print_wide(source_draft *d)
{
    const char *type = d->form->is_narrow ? "int32_t" : "int64_t";
    print_wide_types(d);
    source_write_kernel(d, "wide", d->program->nbuffers, false, 0);
    print_item(d, d->form->per_item);
    print_wide_memory(d, PROGRAM_ROLE_READ);
    declare_results(d);
    source_write_open(d, "UNROLL for (int e = 0; e < %d; ++e)", d->form->per_item);
    source_write_line(d, "const %s j = j0 + e;", type);
    for (int p = 0; p < d->program->ninsts; ++p)
        if (d->wanted[p])
            print_wide_value(d, p);
    for (int p = 0; p < d->program->ninsts; ++p)
        if (d->program->insts[p].op == PROGRAM_STORE)
            print_wide_store(d, p);
    source_write_line(d, "(void)j;");
    source_write_close(d);
    print_wide_memory(d, PROGRAM_ROLE_WRITE);
    source_write_close(d);
}

void source_elements_print(source_draft *d)
{
    source_value_find_levels(d);
    (void)source_value_find_wanted(d, 0);
    if (d->form->style == STYLE_CHUNK) {
        print_chunks(d);
        return;
    }
    print_narrow(d);
    if (d->form->per_item > 1)
        print_wide(d);
}
