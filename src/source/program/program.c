/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs as works: which are taken, what their kernels are told, and their text. */
#include "source/work.h"
#include <string.h>

static bool takes_buffers(const device_facts *facts, const jg_program *program,
                          const program_space *space, device_refusal *refusal)
{
    int count = 2; /* scratch memory, and a block that is too large for the arguments */
    for (int b = 0; b < program->nbuffers; ++b) {
        const program_buffer *buffer = &program->buffers[b];
        count += buffer->role != PROGRAM_ROLE_INDEX;
        int loops = space->ndim - (buffer->per_row ? space->nreduced : 0);
        bool once = buffer->role == PROGRAM_ROLE_WRITE && program->reduces;
        for (int d = 0; once && d < loops; ++d)
            if (space->extents[d] > 1 && space->strides[b * space->ndim + d] == 0)
                return source_refuse(refusal, -1,
                                     "buffer %d: several turns of a loop write one element", b);
    }
    return count <= facts->max_buffers ||
           source_refuse(refusal, -1, "%d buffers: the device's kernels have up to %d", count,
                         facts->max_buffers);
}

/* Refuses stores that are not per row in reduced loops: several iterations would write one
 * element. */
static bool takes_inst(const device_facts *facts, const jg_program *program, int position,
                       device_refusal *refusal)
{
    const program_inst *inst = &program->insts[position];
    program_op op = (program_op)inst->op;
    const char *name = program_inst_rows[op].name, *type = dtype_rows[inst->type].name;
    jg_dtype types[] = {(jg_dtype)inst->to, program_inst_rows[op].arity > 0 ? (jg_dtype)inst->type
                                                                            : (jg_dtype)inst->to};
    for (int i = 0; i < 2; ++i)
        if (!source_value_has_type(facts, types[i]))
            return source_refuse(refusal, position, "%s: the device has no %s", name,
                                 dtype_rows[types[i]].name);
    if (source_has_address(op) || op == PROGRAM_SCALAR || op == PROGRAM_STORE)
        return true;
    if (program_is_reduction(op))
        return source_reduction_of(facts, inst).nfields > 0 ||
               source_refuse(refusal, position, "%s of %s cannot be printed", name, type);
    if (op == PROGRAM_CAST)
        return source_value_entry(facts, inst) >= 0 ||
               source_refuse(refusal, position, "cast of %s to %s cannot be printed%s", type,
                             dtype_rows[inst->to].name, facts->f64 ? "" : " without float64");
    return source_value_entry(facts, inst) >= 0 ||
           source_refuse(refusal, position, "%s of %s cannot be printed%s", name, type,
                         facts->f64 ? "" : " without float64");
}

static bool takes(const device_facts *facts, const device_work *work, device_refusal *refusal)
{
    source_form form;
    if (!source_form_of(facts, work->program, work->space, &form))
        return source_refuse(refusal, -1, "%d loops: kernels are printed of up to %d",
                             work->space->ndim, SOURCE_MAX_NDIM);
    if (!takes_buffers(facts, work->program, work->space, refusal))
        return false;
    for (int p = 0; p < work->program->ninsts; ++p)
        if (!takes_inst(facts, work->program, p, refusal))
            return false;
    return true;
}

/* Fills in the layout of the parameter block for the launcher. */
static void describe_entry(source_draft *d)
{
    device_entry *entry = d->entry;
    const jg_program *program = d->program;
    entry->nwords = d->words.count;
    entry->nbuffers = program->nbuffers;
    entry->nscalars = program->nscalars;
    for (int b = 0; b < program->nbuffers; ++b) {
        entry->offset_words[b] = (uint16_t)(d->words.offsets + b);
        entry->is_index[b] = program->buffers[b].role == PROGRAM_ROLE_INDEX;
    }
    for (int s = 0; s < program->nscalars; ++s) {
        entry->scalar_words[s] = d->words.scalars[s];
        entry->scalar_nwords[s] = dtype_itemsize((jg_dtype)program->scalars[s]) > 8 ? 2 : 1;
    }
}

static void print(source_draft *d, const device_work *work, source_form *form)
{
    (void)source_form_of(d->facts, work->program, work->space, form);
    d->words = source_words_of(d->program, d->form);
    describe_entry(d);
    source_frame_declare_words(d);
    if (d->program->reduces)
        source_rows_print(d);
    else
        source_elements_print(d);
}

static void reach(prelude_set *reached, const device_work *work)
{
    const jg_program *program = work->program;
    for (int b = 0; b < program->nbuffers; ++b)
        source_reach_type(reached, (jg_dtype)program->buffers[b].dtype);
    for (int s = 0; s < program->nscalars; ++s)
        source_reach_type(reached, (jg_dtype)program->scalars[s]);
}

static bool fits(const device_facts *facts, const source_form *own, const device_work *work)
{
    source_form form;
    device_refusal refusal;
    return source_form_of(facts, work->program, work->space, &form) &&
           takes_buffers(facts, work->program, work->space, &refusal) &&
           memcmp(&form, own, sizeof form) == 0;
}

const source_work source_work_program = {
    .takes = takes, .reach = reach, .print = print, .fits = fits, .arrange = source_arrange_launch};
