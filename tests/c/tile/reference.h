/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of programs, element by element: what the tile executor and compiled programs are
 * compared with. */
#ifndef TILE_REFERENCE_H
#define TILE_REFERENCE_H

#include "reference_values.h"

typedef struct reference {
    const jg_program *program;
    const program_space *space;
    void *const *addresses;
    const jg_scalar *scalars;
    int64_t index[JG_MAX_NDIM];
    value values[PROGRAM_MAX_INSTS];
    uint8_t ranks[PROGRAM_MAX_INSTS];
    bool begun; /* the reduction has met an element */
    long double re, im;
} reference;

static inline char *element_at(const reference *r, int buffer)
{
    int64_t offset = 0;
    for (int d = 0; d < r->space->ndim; ++d)
        offset += r->index[d] * r->space->strides[buffer * r->space->ndim + d];
    return (char *)((intptr_t)r->addresses[buffer] + offset);
}

static inline void accumulate(reference *r, const program_inst *inst, value *sum)
{
    value x = r->values[inst->src[0]];
    jg_dtype type = (jg_dtype)inst->type;
    static const program_op ops[] = {PROGRAM_ADD, PROGRAM_MULTIPLY, PROGRAM_MAXIMUM,
                                     PROGRAM_MINIMUM};
    program_op op = ops[inst->op - PROGRAM_REDUCE_ADD];
    program_inst both = {.op = (uint8_t)op, .type = inst->type, .to = inst->type};
    if (op == PROGRAM_ADD && !is_whole(type)) {
        r->re += (long double)x.re;
        r->im += (long double)x.im;
        *sum = rounded((value){0, (double)r->re, (double)r->im}, type);
    } else if (!r->begun) {
        *sum = x;
    } else {
        value operands[3] = {*sum, x, x};
        if (type == JG_DTYPE_BOOL)
            sum->i = op == PROGRAM_MINIMUM || op == PROGRAM_MULTIPLY ? sum->i & x.i : sum->i | x.i;
        else
            *sum = apply_value(&both, operands);
    }
    r->begun = true;
}

static inline void run_inst(reference *r, int p)
{
    const program_inst *inst = &r->program->insts[p];
    value x[3] = {r->values[inst->src[0]], r->values[inst->src[1]], r->values[inst->src[2]]};
    switch (inst->op) {
    case PROGRAM_LOAD:
        r->values[p] = load_value(element_at(r, inst->buffer), (jg_dtype)inst->to);
        break;
    case PROGRAM_INDEX: r->values[p].i = (int64_t)(intptr_t)element_at(r, inst->buffer); break;
    case PROGRAM_SCALAR:
        r->values[p] = load_value(&r->scalars[inst->buffer], (jg_dtype)inst->to);
        break;
    case PROGRAM_STORE: store_value(element_at(r, inst->buffer), x[0], (jg_dtype)inst->to); break;
    default: r->values[p] = apply_value(inst, x); break;
    }
}

static inline bool next_index(reference *r, int first, int last)
{
    for (int d = last - 1; d >= first; --d) {
        if (++r->index[d] < r->space->extents[d])
            return true;
        r->index[d] = 0;
    }
    return false;
}

static inline bool is_empty(const program_space *space, int first, int last)
{
    for (int d = first; d < last; ++d)
        if (space->extents[d] == 0)
            return true;
    return false;
}

static inline int source_reduction_of(const jg_program *program)
{
    for (int p = 0; p < program->ninsts; ++p)
        if (program_is_reduction((program_op)program->insts[p].op))
            return p;
    return program->ninsts;
}

/* Every instruction but stores and reductions, for one element of the row; or those that are the
 * same for all of them. */
static inline void run_element(reference *r, int last, bool element)
{
    for (int p = 0; p < last; ++p) {
        program_op op = (program_op)r->program->insts[p].op;
        if (op != PROGRAM_STORE && !program_is_reduction(op) &&
            (r->ranks[p] == RANK_ELEMENT) == element)
            run_inst(r, p);
    }
}

static inline void run_stores(reference *r, bool per_row)
{
    for (int p = 0; p < r->program->ninsts; ++p) {
        const program_inst *inst = &r->program->insts[p];
        if (inst->op == PROGRAM_STORE && r->program->buffers[inst->buffer].per_row == per_row)
            run_inst(r, p);
    }
}

static inline void reduce_row(reference *r, int reduction)
{
    int ndim = r->space->ndim, kept = ndim - r->space->nreduced;
    r->begun = false;
    r->re = r->im = 0;
    r->values[reduction] = (value){0, 0, 0};
    run_element(r, reduction, false);
    if (is_empty(r->space, kept, ndim))
        return;
    do {
        run_element(r, reduction, true);
        accumulate(r, &r->program->insts[reduction], &r->values[reduction]);
    } while (next_index(r, kept, ndim));
}

/* The loops of the stores for each element are those of a program without a reduction. */
static inline void run_row(reference *r)
{
    int ndim = r->space->ndim, kept = ndim - r->space->nreduced, ninsts = r->program->ninsts;
    for (int p = 0; p < ninsts; ++p)
        if (program_is_reduction((program_op)r->program->insts[p].op))
            reduce_row(r, p);
    run_element(r, ninsts, false);
    run_stores(r, true);
    if (is_empty(r->space, kept, ndim))
        return;
    do {
        run_element(r, ninsts, true);
        run_stores(r, false);
    } while (next_index(r, kept, ndim));
}

static inline void reference_run(const jg_program *program, const program_space *space,
                                 void *const *addresses, const jg_scalar *scalars)
{
    static reference state;
    reference *r = &state;
    int kept = space->ndim - space->nreduced;
    memset(r, 0, sizeof *r);
    r->program = program;
    r->space = space;
    r->addresses = addresses;
    r->scalars = scalars;
    for (int p = 0; p < program->ninsts; ++p)
        r->ranks[p] = (uint8_t)program_rank_of(program, p, r->ranks);
    if (is_empty(space, 0, kept))
        return;
    do
        run_row(r);
    while (next_index(r, 0, kept));
}

#endif
