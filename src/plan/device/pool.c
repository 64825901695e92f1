/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling as a program for devices: the results are its rows, and the taps of a window are reduced.
 * Where windows lie inside of x, taps are read as they lie. Where they meet padding, each axis of
 * space has an INDEX, the tap's place; what lies outside changes nothing, and is read at the
 * nearest element. A mean is over the taps that are counted, whose number is reduced beside the
 * sum. */
#include "plan/device/code.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { X, RESULT, NOPERANDS }; /* the operands */
enum { NKEPT = WINDOW_CHANNELS + 1, NLOOPS = NKEPT + PRIMITIVE_SPACE_AXES };
enum { BEFORE, LAST, COUNTED, STRIDE, SCALARS_OF_AXIS }; /* the scalars of each axis of space */
enum { OUTSIDE = PRIMITIVE_SPACE_AXES * SCALARS_OF_AXIS, DIVISOR, NSCALARS };

static const pool_attributes *attributes_of(const routine_call *call)
{
    return &call->attributes->pool;
}

static int missing_axes(const routine_call *call)
{
    return PRIMITIVE_SPACE_AXES - (call->operands[RESULT].ndim - 2);
}

/* The axis of the result that a loop is, or -1 where it has none. */
static int result_axis(const routine_call *call, int loop)
{
    bool first = attributes_of(call)->channels_first;
    if (loop == WINDOW_BATCH)
        return 0;
    if (loop == WINDOW_CHANNELS)
        return first ? 1 : call->operands[RESULT].ndim - 1;
    int axis = loop - WINDOW_SPACE - missing_axes(call);
    return axis < 0 ? -1 : axis + (first ? 2 : 1);
}

static int64_t extent_of(const routine_call *call, int loop)
{
    if (loop >= NKEPT)
        return attributes_of(call)->window[loop - NKEPT];
    int axis = result_axis(call, loop);
    return axis < 0 ? 1 : call->operands[RESULT].shape[axis];
}

/* Whether no window meets padding. */
static bool is_inside(const routine_call *call)
{
    const pool_attributes *attributes = attributes_of(call);
    for (int axis = 0; axis < PRIMITIVE_SPACE_AXES; ++axis) {
        int64_t last = (extent_of(call, WINDOW_SPACE + axis) - 1) * attributes->stride[axis] +
                       (attributes->window[axis] - 1) * attributes->dilation[axis];
        if (attributes->before[axis] != 0 || last >= call->operands[X].shape[WINDOW_SPACE + axis])
            return false;
    }
    return true;
}

/* The dtype in which values are combined: float32 for halves, otherwise the dtype itself. */
static jg_dtype wide_of(jg_dtype dtype)
{
    return dtype_is_floating(dtype) && dtype_itemsize(dtype) < 4 ? JG_DTYPE_FLOAT32 : dtype;
}

static jg_dtype real_of(const routine_call *call)
{
    return dtype_real_part(wide_of(call->operands[X].dtype));
}

static jg_status add_buffers(const routine_call *call, bool inside, jg_program *program)
{
    int unused;
    jg_dtype dtype = call->operands[X].dtype;
    program_init(program);
    JG_TRY(program_add_buffer(program, inside ? PROGRAM_ROLE_READ : PROGRAM_ROLE_LOOK_UP, dtype,
                              &unused));
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_WRITE, dtype, &unused));
    program->buffers[RESULT].per_row = true;
    program->reduces = true;
    for (int axis = 0; !inside && axis < PRIMITIVE_SPACE_AXES; ++axis)
        JG_TRY(program_add_buffer(program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &unused));
    for (int s = 0; s < OUTSIDE; ++s)
        JG_TRY(program_add_scalar(program, JG_DTYPE_INT64, &unused));
    JG_TRY(program_add_scalar(program, wide_of(dtype), &unused));
    return program_add_scalar(program, real_of(call), &unused);
}

/* Joins a condition with those of the axes before. */
static jg_status join(jg_program *program, int condition, int *all)
{
    if (*all >= 0)
        return plan_apply(program, PROGRAM_AND, *all, condition, all);
    *all = condition;
    return JG_OK;
}

/* The values of one tap of a window: whether it lies inside x, whether a mean counts it, and its
 * distance. */
typedef struct pool_tap {
    int inside, counted, distance;
} pool_tap;

static jg_status write_axis(jg_program *program, int axis, pool_tap *out)
{
    int index, before, last, counted, stride, zero, is_low, is_high, within;
    const int first = axis * SCALARS_OF_AXIS;
    JG_TRY(program_scalar(program, first + BEFORE, &before));
    JG_TRY(program_scalar(program, first + LAST, &last));
    JG_TRY(program_scalar(program, first + COUNTED, &counted));
    JG_TRY(program_scalar(program, first + STRIDE, &stride));
    /* Zero as an instruction: programs have no constants, and a scalar more would be an operand. */
    JG_TRY(plan_apply(program, PROGRAM_XOR, last, last, &zero));
    JG_TRY(program_index(program, NOPERANDS + axis, &index));
    JG_TRY(plan_apply(program, PROGRAM_SUBTRACT, index, before, &index));
    JG_TRY(plan_apply(program, PROGRAM_LESS_EQUAL, zero, index, &is_low));
    JG_TRY(plan_apply(program, PROGRAM_LESS_EQUAL, index, last, &is_high));
    JG_TRY(plan_apply(program, PROGRAM_AND, is_low, is_high, &within));
    JG_TRY(join(program, within, &out->inside));
    JG_TRY(plan_apply(program, PROGRAM_LESS_EQUAL, index, counted, &is_high));
    JG_TRY(join(program, is_high, &out->counted));
    JG_TRY(plan_apply(program, PROGRAM_MAXIMUM, index, zero, &index));
    JG_TRY(plan_apply(program, PROGRAM_MINIMUM, index, last, &index));
    JG_TRY(plan_apply(program, PROGRAM_MULTIPLY, index, stride, &index));
    if (out->distance < 0) {
        out->distance = index;
        return JG_OK;
    }
    return plan_apply(program, PROGRAM_ADD, out->distance, index, &out->distance);
}

/* The tap's element, wide; outside of x the number that changes nothing. */
static jg_status write_tap(const routine_call *call, bool inside, jg_program *program,
                           pool_tap *tap, int *out)
{
    int outside, x;
    *tap = (pool_tap){-1, -1, -1};
    for (int axis = 0; !inside && axis < PRIMITIVE_SPACE_AXES; ++axis)
        JG_TRY(write_axis(program, axis, tap));
    if (inside)
        JG_TRY(program_load(program, X, &x));
    else
        JG_TRY(program_load_at(program, X, tap->distance, &x));
    JG_TRY(program_cast(program, x, wide_of(call->operands[X].dtype), &x));
    if (!inside) {
        JG_TRY(program_scalar(program, OUTSIDE, &outside));
        int chosen[] = {tap->inside, x, outside};
        JG_TRY(program_apply(program, PROGRAM_SELECT, 3, chosen, &x));
    }
    *out = x;
    return JG_OK;
}

/* The sum by what was given, or by the taps that count. */
static jg_status write_mean(const routine_call *call, jg_program *program, const pool_tap *tap,
                            int sum, int *out)
{
    const pool_attributes *attributes = attributes_of(call);
    int divisor, counted = attributes->without_padding ? tap->inside : tap->counted;
    jg_dtype wide = wide_of(call->operands[X].dtype);
    if (attributes->divisor != 0 || counted < 0) {
        JG_TRY(program_scalar(program, DIVISOR, &divisor));
    } else {
        JG_TRY(program_cast(program, counted, real_of(call), &counted));
        JG_TRY(plan_apply(program, PROGRAM_REDUCE_ADD, counted, counted, &divisor));
    }
    JG_TRY(program_cast(program, divisor, wide, &divisor));
    return plan_apply(program, PROGRAM_DIVIDE, sum, divisor, out);
}

static jg_status write_pool(const routine_call *call, bool inside, jg_program *program)
{
    bool mean = attributes_of(call)->mean;
    int x;
    pool_tap tap;
    JG_TRY(add_buffers(call, inside, program));
    JG_TRY(write_tap(call, inside, program, &tap, &x));
    JG_TRY(plan_apply(program, mean ? PROGRAM_REDUCE_ADD : PROGRAM_REDUCE_MAXIMUM, x, x, &x));
    if (mean)
        JG_TRY(write_mean(call, program, &tap, x, &x));
    JG_TRY(program_cast(program, x, call->operands[RESULT].dtype, &x));
    return program_store(program, x, RESULT);
}

static void set_stride(program_space *space, int buffer, int loop, int64_t stride)
{
    space->strides[buffer * space->ndim + loop] = stride;
}

/* Axes of space in x, as loops over results and over taps. */
static void fill_axis(const routine_call *call, bool inside, int axis, program_space *space)
{
    const pool_attributes *attributes = attributes_of(call);
    int buffer = inside ? X : NOPERANDS + axis;
    int64_t step = inside ? plan_operand_step(&call->operands[X], WINDOW_SPACE + axis) : 1;
    set_stride(space, buffer, WINDOW_SPACE + axis, attributes->stride[axis] * step);
    set_stride(space, buffer, NKEPT + axis, attributes->dilation[axis] * step);
}

static void fill_space(const routine_call *call, bool inside, program_space *space)
{
    const routine_operand *x = &call->operands[X], *y = &call->operands[RESULT];
    *space = (program_space){.ndim = NLOOPS,
                             .nreduced = PRIMITIVE_SPACE_AXES,
                             .nbuffers = NOPERANDS + (inside ? 0 : PRIMITIVE_SPACE_AXES)};
    memset(space->strides, 0, (size_t)(space->nbuffers * NLOOPS) * sizeof(int64_t));
    for (int loop = 0; loop < NLOOPS; ++loop) {
        space->extents[loop] = extent_of(call, loop);
        if (loop < NKEPT && result_axis(call, loop) >= 0)
            set_stride(space, RESULT, loop, plan_operand_step(y, result_axis(call, loop)));
    }
    set_stride(space, X, WINDOW_BATCH, plan_operand_step(x, WINDOW_BATCH));
    set_stride(space, X, WINDOW_CHANNELS, plan_operand_step(x, WINDOW_CHANNELS));
    for (int axis = 0; axis < PRIMITIVE_SPACE_AXES; ++axis)
        fill_axis(call, inside, axis, space);
}

/* Less than any other number, for the largest; zero for sums. */
static jg_status find_outside(const routine_call *call, jg_scalar *out)
{
    jg_dtype dtype = wide_of(call->operands[X].dtype);
    bool is_signed = jg_dtype_kind_of(dtype) == JG_KIND_INT;
    jg_number number = {.kind = JG_KIND_INT};
    if (attributes_of(call)->mean || jg_dtype_kind_of(dtype) == JG_KIND_BOOL)
        number.i64 = 0;
    else if (dtype_is_floating(dtype))
        number = (jg_number){.kind = JG_KIND_FLOAT, .re = -INFINITY};
    else if (is_signed)
        number.i64 = INT64_MIN >> (64 - dtype_rows[dtype].bits);
    return graph_number_store(&number, dtype, out);
}

static jg_status fill_scalars(const routine_call *call, jg_scalar *scalars)
{
    const pool_attributes *attributes = attributes_of(call);
    int64_t divisor = attributes->divisor;
    for (int axis = 0; axis < PRIMITIVE_SPACE_AXES; ++axis) {
        jg_scalar *own = scalars + axis * SCALARS_OF_AXIS;
        int64_t extent = call->operands[X].shape[WINDOW_SPACE + axis];
        own[BEFORE].i64 = attributes->before[axis];
        own[LAST].i64 = extent - 1;
        own[COUNTED].i64 = extent - 1 + attributes->after[axis];
        own[STRIDE].i64 = plan_operand_step(&call->operands[X], WINDOW_SPACE + axis);
    }
    if (divisor == 0)
        divisor = attributes->window[0] * attributes->window[1] * attributes->window[2];
    const jg_number number = {.kind = JG_KIND_INT, .i64 = divisor};
    JG_TRY(find_outside(call, &scalars[OUTSIDE]));
    return graph_number_store(&number, real_of(call), &scalars[DIVISOR]);
}

static jg_status add_part(const routine_call *call, jg_program *program, program_space *space,
                          plan_code *code)
{
    bool inside = is_inside(call);
    plan_addressing *addressing = code->parts.addressing;
    JG_TRY(write_pool(call, inside, program));
    JG_TRY(fill_scalars(call, addressing->scalars));
    fill_space(call, inside, space);
    addressing->noffsets = inside ? 0 : PRIMITIVE_SPACE_AXES;
    addressing->numbers = -1;
    return plan_add_part(program, space, (plan_part){.operand = PLAN_ALL_OPERANDS}, code);
}

jg_status plan_pool(const routine_call *call, plan_code *code)
{
    if (call->operands[X].size == 0) {
        snprintf(code->refusal.message, sizeof code->refusal.message,
                 "there is no device source of windows over no elements");
        return JG_OK;
    }
    JG_TRY(plan_code_divide(code, PLAN_CODE_ADDRESSING, 1));
    program_space *space;
    jg_program *program = plan_alloc_program(NOPERANDS + PRIMITIVE_SPACE_AXES, NLOOPS, &space);
    if (program == NULL)
        return base_nomem(sizeof *program, "a plan");
    jg_status status = add_part(call, program, space, code);
    base_free(program);
    return status;
}
