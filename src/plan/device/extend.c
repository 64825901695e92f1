/* SPDX-License-Identifier: Apache-2.0 */
/* extend as a program for devices. Each axis that is read past its ends has an INDEX, which a run
 * moves by the elements that lie before the first one; the program brings it into the axis by the
 * mode and reads at the distance that all axes add up to. An axis that wraps in whole turns has a
 * loop for the turns, so that nothing is divided. The last axes, which stay as they were, are
 * walked as they lie. */
#include "plan/device/code.h"
#include <stdio.h>
#include <string.h>

enum { X, FILL, BEFORE, RESULT, NOPERANDS };    /* the operands */
enum { EXTENT, LAST, STRIDE, SCALARS_OF_AXIS }; /* the scalars of each axis */

_Static_assert(PLAN_OFFSET_LIMIT *SCALARS_OF_AXIS <= PROGRAM_MAX_SCALARS, "a program has them");

static int count_axes(const routine_call *call)
{
    return call->operands[RESULT].ndim - (int)call->attributes->extend.trailing;
}

static bool wraps(const routine_call *call)
{
    return call->attributes->extend.mode == EXTEND_WRAP;
}

/* Turns of an axis that wraps, where they are whole; else 1. */
static int64_t count_turns(const routine_call *call, int axis)
{
    int64_t n = call->operands[X].shape[axis], extent = call->operands[RESULT].shape[axis];
    return wraps(call) && extent % n == 0 ? extent / n : 1;
}

/* Whether no index is more than one turn away from the axis, so that it needs no remainder: padding
 * of both sides is at least that of either. */
static bool is_near(const routine_call *call, int axis)
{
    int64_t n = call->operands[X].shape[axis], extent = call->operands[RESULT].shape[axis];
    if (wraps(call))
        return extent % n == 0 || extent <= 2 * n;
    return extent - n <= n - (call->attributes->extend.mode == EXTEND_REFLECT);
}

/* The values of an axis that all elements share. */
typedef struct axis_values {
    int extent, last, zero;
} axis_values;

static jg_status write_axis_values(jg_program *program, int axis, axis_values *out)
{
    JG_TRY(program_scalar(program, axis * SCALARS_OF_AXIS + EXTENT, &out->extent));
    JG_TRY(program_scalar(program, axis * SCALARS_OF_AXIS + LAST, &out->last));
    return plan_apply(program, PROGRAM_XOR, out->last, out->last, &out->zero);
}

/* An index past one end is wrapped to the other end. The offsets of a run are less than the extent,
 * so a near index needs at most one addition or subtraction of the extent. */
static jg_status write_wrapped(jg_program *program, const axis_values *axis, bool near, int *index)
{
    int is_below, is_above, next, earlier;
    if (!near)
        return plan_apply(program, PROGRAM_REMAINDER, *index, axis->extent, index);
    JG_TRY(plan_apply(program, PROGRAM_LESS, *index, axis->zero, &is_below));
    JG_TRY(plan_apply(program, PROGRAM_ADD, *index, axis->extent, &next));
    JG_TRY(plan_apply(program, PROGRAM_LESS, axis->last, *index, &is_above));
    JG_TRY(plan_apply(program, PROGRAM_SUBTRACT, *index, axis->extent, &earlier));
    int above[] = {is_above, earlier, *index};
    JG_TRY(program_apply(program, PROGRAM_SELECT, 3, above, index));
    int below[] = {is_below, next, *index};
    return program_apply(program, PROGRAM_SELECT, 3, below, index);
}

/* The axis is read forwards and backwards in turn. shared: the elements at the ends are not
 * repeated */
static jg_status write_mirrored(jg_program *program, const axis_values *axis, bool near,
                                bool shared, int *index)
{
    int sum, period, mirrored;
    JG_TRY(plan_apply(program, PROGRAM_ADD, axis->last, shared ? axis->last : axis->extent, &sum));
    if (near) {
        JG_TRY(
            plan_apply(program, shared ? PROGRAM_NEGATE : PROGRAM_NOT, *index, *index, &mirrored));
        JG_TRY(plan_apply(program, PROGRAM_MAXIMUM, *index, mirrored, index));
    } else {
        JG_TRY(plan_apply(program, PROGRAM_ADD, shared ? axis->last : axis->extent,
                          shared ? axis->last : axis->extent, &period));
        JG_TRY(plan_apply(program, PROGRAM_REMAINDER, *index, period, index));
    }
    JG_TRY(plan_apply(program, PROGRAM_SUBTRACT, sum, *index, &mirrored));
    return plan_apply(program, PROGRAM_MINIMUM, *index, mirrored, index);
}

/* Whether the index is inside, and it was along the axes before. */
static jg_status write_inside(jg_program *program, const axis_values *axis, int index, int *inside)
{
    int is_low, is_high;
    JG_TRY(plan_apply(program, PROGRAM_LESS_EQUAL, axis->zero, index, &is_low));
    JG_TRY(plan_apply(program, PROGRAM_LESS_EQUAL, index, axis->last, &is_high));
    JG_TRY(plan_apply(program, PROGRAM_AND, is_low, is_high, &is_low));
    if (*inside < 0) {
        *inside = is_low;
        return JG_OK;
    }
    return plan_apply(program, PROGRAM_AND, *inside, is_low, inside);
}

/* Adds the bytes to the distance, which is -1 before the first axis. The index is brought into the
 * axis once more, so that no number of elements before it leads out of the array. */
static jg_status write_distance(jg_program *program, const routine_call *call, int axis,
                                int *inside, int *distance)
{
    extend_mode mode = (extend_mode)call->attributes->extend.mode;
    axis_values values;
    int index, stride;
    JG_TRY(write_axis_values(program, axis, &values));
    JG_TRY(program_index(program, NOPERANDS + axis, &index));
    if (mode == EXTEND_CONSTANT)
        JG_TRY(write_inside(program, &values, index, inside));
    else if (mode == EXTEND_WRAP)
        JG_TRY(write_wrapped(program, &values, is_near(call, axis), &index));
    else if (mode != EXTEND_EDGE)
        JG_TRY(
            write_mirrored(program, &values, is_near(call, axis), mode == EXTEND_REFLECT, &index));
    JG_TRY(plan_apply(program, PROGRAM_MAXIMUM, index, values.zero, &index));
    JG_TRY(plan_apply(program, PROGRAM_MINIMUM, index, values.last, &index));
    JG_TRY(program_scalar(program, axis * SCALARS_OF_AXIS + STRIDE, &stride));
    JG_TRY(plan_apply(program, PROGRAM_MULTIPLY, index, stride, &index));
    if (*distance >= 0)
        return plan_apply(program, PROGRAM_ADD, *distance, index, distance);
    *distance = index;
    return JG_OK;
}

static jg_status add_buffers(const routine_call *call, jg_program *program)
{
    static const program_role roles[] = {PROGRAM_ROLE_LOOK_UP, PROGRAM_ROLE_READ, PROGRAM_ROLE_READ,
                                         PROGRAM_ROLE_WRITE};
    jg_dtype dtype = plan_moved_dtype(call->operands[X].dtype);
    int unused;
    program_init(program);
    for (int i = 0; i < NOPERANDS; ++i)
        JG_TRY(
            program_add_buffer(program, roles[i], i == BEFORE ? JG_DTYPE_INT64 : dtype, &unused));
    for (int axis = 0; axis < count_axes(call); ++axis) {
        JG_TRY(program_add_buffer(program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &unused));
        for (int s = 0; s < SCALARS_OF_AXIS; ++s)
            JG_TRY(program_add_scalar(program, JG_DTYPE_INT64, &unused));
    }
    return JG_OK;
}

/* If x has no elements, the whole result is the fill value. */
static jg_status write_extend(const routine_call *call, jg_program *program)
{
    int fill, x, inside = -1, distance = -1;
    JG_TRY(add_buffers(call, program));
    if (call->operands[X].size == 0) {
        JG_TRY(program_load(program, FILL, &fill));
        return program_store(program, fill, RESULT);
    }
    for (int axis = 0; axis < count_axes(call); ++axis)
        JG_TRY(write_distance(program, call, axis, &inside, &distance));
    JG_TRY(program_load_at(program, X, distance, &x));
    if (inside >= 0) {
        JG_TRY(program_load(program, FILL, &fill));
        int chosen[] = {inside, x, fill};
        JG_TRY(program_apply(program, PROGRAM_SELECT, 3, chosen, &x));
    }
    return program_store(program, x, RESULT);
}

static int64_t turns_of(const routine_call *call, int axis)
{
    return axis < count_axes(call) && call->operands[X].size > 0 ? count_turns(call, axis) : 1;
}

static int count_loops(const routine_call *call)
{
    int count = 0;
    for (int axis = 0; axis < call->operands[RESULT].ndim; ++axis)
        count += turns_of(call, axis) > 1 ? 2 : 1;
    return count;
}

static void set_stride(program_space *space, int buffer, int loop, int64_t stride)
{
    space->strides[buffer * space->ndim + loop] = stride;
}

static void fill_space(const routine_call *call, program_space *space)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    int count = count_axes(call), loop = 0;
    *space = (program_space){.ndim = count_loops(call), .nbuffers = NOPERANDS + count};
    memset(space->strides, 0, (size_t)(space->nbuffers * space->ndim) * sizeof(int64_t));
    for (int axis = 0; axis < result->ndim; ++axis, ++loop) {
        int64_t step = plan_operand_step(result, axis), turns = turns_of(call, axis);
        if (turns > 1) {
            space->extents[loop] = turns;
            set_stride(space, RESULT, loop++, step * x->shape[axis]);
        }
        space->extents[loop] = result->shape[axis] / turns;
        set_stride(space, RESULT, loop, step);
        if (axis < count)
            set_stride(space, NOPERANDS + axis, loop, 1);
        else
            set_stride(space, X, loop, plan_operand_step(x, axis));
    }
}

static void fill_addressing(const routine_call *call, plan_addressing *out)
{
    const routine_operand *x = &call->operands[X];
    out->noffsets = count_axes(call);
    out->numbers = BEFORE;
    for (int axis = 0; axis < out->noffsets; ++axis) {
        jg_scalar *scalars = &out->scalars[axis * SCALARS_OF_AXIS];
        out->periods[axis] = wraps(call) ? x->shape[axis] : 0;
        scalars[EXTENT].i64 = x->shape[axis];
        scalars[LAST].i64 = x->shape[axis] - 1;
        scalars[STRIDE].i64 = plan_operand_step(x, axis);
    }
}

static jg_status add_part(const routine_call *call, plan_code *code)
{
    program_space *space;
    jg_program *program = plan_alloc_program(NOPERANDS + PLAN_OFFSET_LIMIT, JG_MAX_NDIM, &space);
    if (program == NULL)
        return base_nomem(sizeof *program, "a plan");
    jg_status status = write_extend(call, program);
    if (status == JG_OK) {
        const plan_part part = {.operand = PLAN_ALL_OPERANDS};
        fill_space(call, space);
        fill_addressing(call, code->parts.addressing);
        status = plan_add_part(program, space, part, code);
    }
    base_free(program);
    return status;
}

jg_status plan_extend(const routine_call *call, plan_code *code)
{
    if (count_axes(call) > PLAN_OFFSET_LIMIT || count_loops(call) > JG_MAX_NDIM) {
        snprintf(code->refusal.message, sizeof code->refusal.message,
                 "there is no device source of %d axes with ends, only of up to %d",
                 count_axes(call), PLAN_OFFSET_LIMIT);
        return JG_OK;
    }
    JG_TRY(plan_code_divide(code, PLAN_CODE_ADDRESSING, 1));
    return add_part(call, code);
}
