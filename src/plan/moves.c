/* SPDX-License-Identifier: Apache-2.0 */
/* Routines that only move elements, as programs for devices: concat has one for each input, which
 * copies it to its place in the result; repeat has one with a loop more than its input has axes. */
#include "plan/draft.h"
#include <stdio.h>
#include <string.h>

enum { FROM, TO, NBUFFERS };

/* A copy from one operand into a part of the result: loops, and each side's strides, in bytes. */
typedef struct move {
    int operand;
    int ndim;
    int64_t extents[JG_MAX_NDIM + 1];
    int64_t strides[NBUFFERS][JG_MAX_NDIM + 1];
    int64_t offset_bytes; /* in the result */
} move;

static const routine_operand *result_of(const routine_call *call)
{
    return &call->operands[call->noperands - 1];
}

/* All of the operand, to where the result begins. */
static move move_of(const routine_call *call, int operand)
{
    const routine_operand *x = &call->operands[operand], *result = result_of(call);
    int64_t size = (int64_t)dtype_itemsize(x->dtype);
    move made = {.operand = operand, .ndim = x->ndim};
    for (int d = 0; d < x->ndim; ++d) {
        made.extents[d] = x->shape[d];
        made.strides[FROM][d] = x->strides[d] * size;
        made.strides[TO][d] = result->strides[d] * size;
    }
    return made;
}

/* Puts a loop behind the axis that the source does not move in. */
static void add_loop(move *made, int axis, int64_t times)
{
    int64_t step = made->strides[TO][axis];
    for (int d = made->ndim++; d > axis + 1; --d) {
        made->extents[d] = made->extents[d - 1];
        for (int b = 0; b < NBUFFERS; ++b)
            made->strides[b][d] = made->strides[b][d - 1];
    }
    made->extents[axis + 1] = times;
    made->strides[FROM][axis + 1] = 0;
    made->strides[TO][axis + 1] = step;
    made->strides[TO][axis] = step * times;
}

static jg_status write_program(jg_dtype dtype, jg_program *program)
{
    int from, to, value;
    program_init(program);
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_READ, dtype, &from));
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_WRITE, dtype, &to));
    JG_TRY(program_load(program, from, &value));
    return program_store(program, value, to);
}

/* A loop of one turn for an array without axes. */
static void fill_space(const move *made, program_space *space)
{
    int ndim = made->ndim > 0 ? made->ndim : 1;
    *space = (program_space){.ndim = ndim, .nbuffers = NBUFFERS};
    space->extents[0] = 1;
    memset(space->strides, 0, NBUFFERS * (size_t)ndim * sizeof(int64_t));
    for (int d = 0; d < made->ndim; ++d) {
        space->extents[d] = made->extents[d];
        for (int b = 0; b < NBUFFERS; ++b)
            space->strides[b * ndim + d] = made->strides[b][d];
    }
}

static jg_status code_of_move(int device, const jg_program *program, const move *made,
                              plan_part *part)
{
    program_space *space = base_alloc(program_space_nbytes(NBUFFERS, JG_MAX_NDIM));
    if (space == NULL)
        return base_nomem(sizeof *space, "a plan");
    fill_space(made, space);
    program_space_simplify(space, program);
    *part = (plan_part){.operand = made->operand, .offset_bytes = made->offset_bytes};
    jg_status status = plan_code_of_program(device, program, space, &part->code);
    base_free(space);
    return status;
}

/* Adds the part, or keeps why it is not taken. */
static jg_status add_part(int device, const jg_program *program, const move *made, plan_code *code)
{
    plan_part *part = &code->parts[code->nparts];
    jg_status status = code_of_move(device, program, made, part);
    code->nparts += part->code != NULL;
    if (status == JG_OK && !part->code->taken) {
        code->refusal = part->code->refusal;
        code->taken = false;
    }
    return status;
}

static jg_status add_inputs(int device, const jg_program *program, const routine_call *call,
                            plan_code *code)
{
    int axis = (int)call->attributes->concat.axis;
    int64_t offset = 0;
    for (int i = 0; i < call->noperands - 1 && code->taken; ++i) {
        move made = move_of(call, i);
        made.offset_bytes = offset;
        offset += made.extents[axis] * made.strides[TO][axis];
        if (call->operands[i].size > 0)
            JG_TRY(add_part(device, program, &made, code));
    }
    return JG_OK;
}

static jg_status refuse(plan_code *code, const char *why)
{
    snprintf(code->refusal.message, sizeof code->refusal.message, "%s", why);
    return JG_OK;
}

jg_status plan_moves(int device, jg_primitive primitive, const routine_call *call, plan_code *code)
{
    jg_program *program;
    bool repeats = primitive == PRIMITIVE_repeat;
    if (repeats && call->noperands > 2)
        return refuse(code, "there is no device source of repeats that differ");
    if (repeats && result_of(call)->ndim == JG_MAX_NDIM)
        return refuse(code, "there is no device source of repeats with so many axes");
    if (call->noperands > PROGRAM_MAX_BUFFERS)
        return refuse(code, "there is no device source of so many arrays");
    code->parts = base_alloc_zeroed((size_t)call->noperands * sizeof *code->parts);
    program = base_alloc(sizeof *program);
    if (code->parts == NULL || program == NULL) {
        base_free(program);
        return base_nomem(sizeof *program, "a plan");
    }
    code->taken = true;
    jg_status status = write_program(result_of(call)->dtype, program);
    move made = move_of(call, 0);
    if (repeats)
        add_loop(&made, (int)call->attributes->repeat.axis, call->attributes->repeat.times);
    if (status == JG_OK && repeats)
        status = add_part(device, program, &made, code);
    else if (status == JG_OK)
        status = add_inputs(device, program, call, code);
    base_free(program);
    return status;
}
