/* SPDX-License-Identifier: Apache-2.0 */
/* Routines that become programs on devices. concat has one for each input, which copies it to its
 * part of the result; repeat has one with a loop more than its input has axes; the index of an
 * extremum is the least index of an element that equals it. */
#include "plan/device/code.h"
#include <stdio.h>
#include <string.h>

/* The buffers of each program, as run hands them over. Copies have no INDEX. */
enum { FROM, TO, INDEX, NBUFFERS };

/* From one operand into a part of the result: loops, of which the last are reduced, and the strides
 * of each side, in bytes. */
typedef struct move {
    int operand;
    int ndim, nreduced;
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
    move made = {.operand = operand, .ndim = x->ndim};
    for (int d = 0; d < x->ndim; ++d) {
        made.extents[d] = x->shape[d];
        made.strides[FROM][d] = plan_operand_step(x, d);
        made.strides[TO][d] = plan_operand_step(result, d);
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

static jg_status write_copy(jg_dtype dtype, jg_program *program)
{
    int buffer, value;
    program_init(program);
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_READ, dtype, &buffer));
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_WRITE, dtype, &buffer));
    JG_TRY(program_load(program, FROM, &value));
    return program_store(program, value, TO);
}

/* All of the other axes, and the reduced one innermost. The result is dense. */
static move extremum_of(const routine_call *call)
{
    const routine_operand *x = &call->operands[0];
    int axis = (int)call->attributes->extremum_index.axis;
    int64_t step = sizeof(int64_t);
    move made = {.ndim = x->ndim, .nreduced = 1};
    for (int d = x->ndim - 1, at = x->ndim - 1; d >= 0; --d) {
        int to = d == axis ? x->ndim - 1 : --at;
        made.extents[to] = x->shape[d];
        made.strides[FROM][to] = plan_operand_step(x, d);
        made.strides[TO][to] = d == axis ? 0 : step;
        made.strides[INDEX][to] = d == axis;
        step *= d == axis ? 1 : x->shape[d];
    }
    return made;
}

/* Whether the element is the extremum, or NaN: then the extremum is NaN, too, and equals none. */
static jg_status write_found(jg_program *program, bool smallest, int x, int *out)
{
    int extremum, is_nan;
    program_op reduces = smallest ? PROGRAM_REDUCE_MINIMUM : PROGRAM_REDUCE_MAXIMUM;
    JG_TRY(plan_apply(program, reduces, x, x, &extremum));
    JG_TRY(plan_apply(program, PROGRAM_EQUAL, x, extremum, out));
    if (!dtype_is_floating(program_type_of(program, x)))
        return JG_OK;
    JG_TRY(plan_apply(program, PROGRAM_NOT_EQUAL, x, x, &is_nan));
    return plan_apply(program, PROGRAM_OR, *out, is_nan, out);
}

/* The minimum of the indices, with the largest number where the element is not found. */
static jg_status write_extremum(jg_dtype dtype, bool smallest, jg_program *program)
{
    int buffer, x, found, index, none, least;
    program_init(program);
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_READ, dtype, &buffer));
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_WRITE, JG_DTYPE_INT64, &buffer));
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &buffer));
    program->buffers[TO].per_row = true;
    program->reduces = true;
    JG_TRY(program_load(program, FROM, &x));
    if (dtype_is_floating(dtype) && dtype_itemsize(dtype) < sizeof(float))
        JG_TRY(program_cast(program, x, JG_DTYPE_FLOAT32, &x)); /* which orders them as they are */
    JG_TRY(write_found(program, smallest, x, &found));
    JG_TRY(program_index(program, INDEX, &index));
    JG_TRY(program_cast(program, index, JG_DTYPE_UINT64, &index));
    JG_TRY(plan_apply(program, PROGRAM_XOR, index, index, &none));
    JG_TRY(plan_apply(program, PROGRAM_NOT, none, none, &none));
    int chosen[] = {found, index, none};
    JG_TRY(program_apply(program, PROGRAM_SELECT, 3, chosen, &index));
    JG_TRY(plan_apply(program, PROGRAM_REDUCE_MINIMUM, index, index, &least));
    JG_TRY(program_cast(program, least, JG_DTYPE_INT64, &least));
    return program_store(program, least, TO);
}

/* A loop of one turn for an array without axes. */
static void fill_space(const move *made, int nbuffers, program_space *space)
{
    int ndim = made->ndim > 0 ? made->ndim : 1;
    *space = (program_space){.ndim = ndim, .nreduced = made->nreduced, .nbuffers = nbuffers};
    space->extents[0] = 1;
    memset(space->strides, 0, (size_t)nbuffers * (size_t)ndim * sizeof(int64_t));
    for (int d = 0; d < made->ndim; ++d) {
        space->extents[d] = made->extents[d];
        for (int b = 0; b < nbuffers; ++b)
            space->strides[b * ndim + d] = made->strides[b][d];
    }
}

static jg_status add_part(const jg_program *program, const move *made, plan_code *code)
{
    program_space *space = base_alloc(program_space_nbytes(NBUFFERS, JG_MAX_NDIM));
    if (space == NULL)
        return base_nomem(sizeof *space, "a plan");
    const plan_part part = {.operand = made->operand, .offset_bytes = made->offset_bytes};
    fill_space(made, program->nbuffers, space);
    jg_status status = plan_add_part(program, space, part, code);
    base_free(space);
    return status;
}

static jg_status add_inputs(const jg_program *program, const routine_call *call, plan_code *code)
{
    int axis = (int)call->attributes->concat.axis;
    int64_t offset = 0;
    for (int i = 0; i < call->noperands - 1 && code->taken; ++i) {
        move made = move_of(call, i);
        made.offset_bytes = offset;
        offset += made.extents[axis] * made.strides[TO][axis];
        if (call->operands[i].size > 0)
            JG_TRY(add_part(program, &made, code));
    }
    return JG_OK;
}

jg_status plan_add_copy(const routine_call *call, int operand, jg_program *program, plan_code *code)
{
    const move made = move_of(call, operand);
    JG_TRY(write_copy(call->operands[operand].dtype, program));
    return add_part(program, &made, code);
}

/* Memory for the parts and for the program that they share; the code is taken unless one is
 * refused. gives: *out, for base_free | raises: NOMEM */
static jg_status begin(const routine_call *call, plan_code *code, jg_program **out)
{
    JG_TRY(plan_code_divide(code, PLAN_CODE_PARTS, call->noperands));
    *out = base_alloc(sizeof **out);
    return *out != NULL ? JG_OK : base_nomem(sizeof **out, "a plan");
}

jg_status plan_concat(const routine_call *call, plan_code *code)
{
    jg_program *program;
    JG_TRY(begin(call, code, &program));
    jg_status status = write_copy(call->operands[0].dtype, program);
    if (status == JG_OK)
        status = add_inputs(program, call, code);
    base_free(program);
    return status;
}

jg_status plan_repeat_times(const routine_call *call, plan_code *code)
{
    const primitive_attributes *attributes = call->attributes;
    jg_program *program;
    if (result_of(call)->ndim == JG_MAX_NDIM) {
        snprintf(code->refusal.message, sizeof code->refusal.message,
                 "there is no device source of repeats of %d axes, only of up to %d", JG_MAX_NDIM,
                 JG_MAX_NDIM - 1);
        return JG_OK;
    }
    JG_TRY(begin(call, code, &program));
    move made = move_of(call, 0);
    add_loop(&made, (int)attributes->repeat.axis, attributes->repeat.times);
    jg_status status = write_copy(call->operands[0].dtype, program);
    if (status == JG_OK)
        status = add_part(program, &made, code);
    base_free(program);
    return status;
}

jg_status plan_extremum_index(const routine_call *call, plan_code *code)
{
    jg_program *program;
    JG_TRY(begin(call, code, &program));
    const move made = extremum_of(call);
    jg_status status =
        write_extremum(call->operands[0].dtype, call->attributes->extremum_index.smallest, program);
    if (status == JG_OK)
        status = add_part(program, &made, code);
    base_free(program);
    return status;
}
