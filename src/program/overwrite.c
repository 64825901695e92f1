/* SPDX-License-Identifier: Apache-2.0 */
/* When a result may be written over an operand: plan assigns memory by this rule, and every tier
 * computes by it. */
#include "program/program.h"

/* The load that a value is without any change: its buffer, or -1. Tiers look through copies, and
 * read such a value from memory as late as they store it. */
static int loaded_buffer(const jg_program *program, int value)
{
    const program_inst *inst = &program->insts[value];
    while (inst->op == PROGRAM_COPY)
        inst = &program->insts[inst->src[0]];
    return inst->op == PROGRAM_LOAD ? inst->buffer : -1;
}

/* Whether another result is the operand as it is, which may be read after the first result was
 * written. */
static bool is_stored_elsewhere(const jg_program *program, int written, int read)
{
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        if (inst->op == PROGRAM_STORE && inst->buffer != written &&
            loaded_buffer(program, inst->src[0]) == read)
            return true;
    }
    return false;
}

/* Whether the two lie element on element, and the loops come to each element once: a result that
 * is computed again, as along an axis that it does not have, would be computed from itself. */
static bool is_same_way(const program_space *space, int written, int read)
{
    for (int d = 0; d < space->ndim; ++d) {
        int64_t to = space->strides[written * space->ndim + d];
        if (space->extents[d] != 1 && (to == 0 || to != space->strides[read * space->ndim + d]))
            return false;
    }
    return true;
}

/* Whether the value is the operand, or is made of it by a loop that the tiles have for its sum: of
 * products, or of bools that are counted. */
static bool is_taken_in(const jg_program *program, int value, int read)
{
    const program_inst *inst = &program->insts[value];
    bool is_made = inst->op == PROGRAM_MULTIPLY || inst->op == PROGRAM_CAST;
    for (int i = 0; is_made && i < program_inst_rows[inst->op].arity; ++i)
        if (loaded_buffer(program, inst->src[i]) == read)
            return true;
    return loaded_buffer(program, value) == read;
}

/* Whether a reduction reads the operand itself, which may be after something was written. */
static bool is_reduced_itself(const jg_program *program, int read)
{
    for (int p = 0; p < program->ninsts; ++p) {
        const program_inst *inst = &program->insts[p];
        if (program_is_reduction((program_op)inst->op) && is_taken_in(program, inst->src[0], read))
            return true;
    }
    return false;
}

/* Rows that are passed over once, and nothing but one row, which every tier passes over once. */
static bool is_one_pass(const jg_program *program, const program_space *space, int read)
{
    return !program->reduces || (space->nreduced == space->ndim && program_reduces_once(program) &&
                                 !is_reduced_itself(program, read));
}

bool program_may_overwrite(const jg_program *program, const program_space *space, int written,
                           int read)
{
    const program_buffer *to = &program->buffers[written], *from = &program->buffers[read];
    return to->role == PROGRAM_ROLE_WRITE && from->role == PROGRAM_ROLE_READ &&
           dtype_itemsize((jg_dtype)to->dtype) == dtype_itemsize((jg_dtype)from->dtype) &&
           is_same_way(space, written, read) && !is_stored_elsewhere(program, written, read) &&
           is_one_pass(program, space, read);
}
