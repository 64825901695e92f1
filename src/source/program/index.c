/* SPDX-License-Identifier: Apache-2.0 */
/* Indices and addresses. A buffer's address goes from its own start (m<b> and the offset in the
 * block) through the outer loops to the lane loop, whose index is j. */
#include "source/draft.h"
#include <stdio.h>

static const char *index_type(const source_draft *d)
{
    return d->form->is_narrow ? "int32_t" : "int64_t";
}

void source_index_decompose(source_draft *d, const char *number, int first, int last)
{
    const char *type = index_type(d);
    if (last - first == 1) {
        source_write_line(d, "const %s i%d = %s;", type, first, number);
        return;
    }
    if (last > first)
        source_write_line(d, "%s rest%d = %s;", type, first, number);
    for (int loop = last - 1; loop >= first; --loop) {
        int extent = d->words.extents + loop, divisor = d->words.divisors + loop;
        if (loop == first) {
            source_write_line(d, "const %s i%d = rest%d;", type, loop, first);
        } else if (d->form->is_narrow) {
            source_write_line(d, "const int32_t q%d = DIVIDED(rest%d, block.w[%d]);", loop, first,
                              divisor);
            source_write_line(d, "const int32_t i%d = rest%d - q%d * (int32_t)block.w[%d];", loop,
                              first, loop, extent);
            source_write_line(d, "rest%d = q%d;", first, loop);
        } else {
            source_write_line(d, "const int64_t i%d = rest%d %% (int64_t)block.w[%d];", loop, first,
                              extent);
            source_write_line(d, "rest%d /= (int64_t)block.w[%d];", first, extent);
        }
    }
}

static void print_sum(source_draft *d, int buffer, int first, int last)
{
    for (int loop = first; loop < last; ++loop)
        if (d->form->walks[buffer][loop] != WALK_STILL)
            text_add(d->out, " + i%d * (%s)block.w[%d]", loop,
                     d->entry->is_index[buffer] ? "int64_t" : index_type(d),
                     source_word_of_stride(&d->words, d->form, buffer, loop));
}

void source_index_bases(source_draft *d, const char *from, const char *to, int first, int last)
{
    for (int b = 0; b < d->program->nbuffers; ++b) {
        const char *type = d->entry->is_index[b] ? "const int64_t" : "MEMORY uint8_t *const";
        text_add(d->out, "%*s%s %s%d = ", 4 * d->depth, "", type, to, b);
        if (from != NULL)
            text_add(d->out, "%s%d", from, b);
        else if (d->entry->is_index[b])
            text_add(d->out, "(int64_t)block.w[%d]", d->words.offsets + b);
        else
            text_add(d->out, "m%d + (int64_t)block.w[%d]", b, d->words.offsets + b);
        print_sum(d, b, first, last);
        text_add(d->out, ";\n");
    }
}

void source_index_address(const source_draft *d, int buffer, const char *base, char *out,
                          size_t nbytes)
{
    int loop = source_form_lane_loop(d->form);
    size_t itemsize = dtype_itemsize((jg_dtype)d->program->buffers[buffer].dtype);
    switch (d->form->walks[buffer][loop]) {
    case WALK_STILL: snprintf(out, nbytes, "%s%d", base, buffer); break;
    case WALK_DENSE: snprintf(out, nbytes, "%s%d + j * %d", base, buffer, (int)itemsize); break;
    default:
        snprintf(out, nbytes, "%s%d + j * (%s)block.w[%d]", base, buffer,
                 d->entry->is_index[buffer] ? "int64_t" : index_type(d),
                 source_word_of_stride(&d->words, d->form, buffer, loop));
        break;
    }
}

/* If a buffer does not move in a loop, only the last iteration of that loop stores. gives: whether
 * there is such a loop, so that a block is open */
static bool open_store(source_draft *d, int buffer)
{
    int lane = source_form_lane_loop(d->form);
    base_text *out = d->out;
    bool any = false;
    for (int loop = 0; loop < d->form->ndim && !d->program->reduces; ++loop) {
        char index[16];
        if (d->form->walks[buffer][loop] != WALK_STILL)
            continue;
        snprintf(index, sizeof index, "i%d", loop);
        text_add(out, "%*s%s%s + 1 == (%s)block.w[%d]", any ? 0 : 4 * d->depth, "",
                 any ? " && " : "if (", loop == lane ? "j" : index, index_type(d),
                 d->words.extents + loop);
        any = true;
    }
    if (any) {
        text_add(out, ") {\n");
        d->depth += 1;
    }
    return any;
}

static void print_store(source_draft *d, int position, const char *base)
{
    const program_inst *inst = &d->program->insts[position];
    char address[96], value[32];
    source_index_address(d, inst->buffer, base, address, sizeof address);
    source_value_name(d, inst->src[0], value, sizeof value);
    bool is_open = open_store(d, inst->buffer);
    source_write_line(d, "AT(%s, %s) = %s;", source_value_type((jg_dtype)inst->to), address, value);
    if (is_open)
        source_write_close(d);
}

/* A result may overwrite an operand, so results are stored last. */
void source_index_body(source_draft *d, const char *base, bool stores)
{
    char address[96];
    for (int p = 0; p < d->program->ninsts; ++p) {
        const program_inst *inst = &d->program->insts[p];
        if (!d->wanted[p])
            continue;
        if (source_has_address((program_op)inst->op))
            source_index_address(d, inst->buffer, base, address, sizeof address);
        source_value_print(d, p, address);
    }
    for (int p = 0; stores && p < d->program->ninsts; ++p) {
        const program_inst *inst = &d->program->insts[p];
        if (inst->op == PROGRAM_STORE && !d->program->buffers[inst->buffer].per_row)
            print_store(d, p, base);
    }
}
