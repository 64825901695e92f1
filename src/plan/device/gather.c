/* SPDX-License-Identifier: Apache-2.0 */
/* gather as programs for devices. One program for each index array finds its least and its largest
 * number, which the host compares with the extent of the axis; the last one reads the elements. It
 * moves numbers into range once more, as memory of others may change in between. */
#include "plan/device/code.h"
#include <stdio.h>
#include <string.h>

/* The scalars of each index array. */
enum { EXTENT, LAST, STRIDE, SCALARS_OF_ARRAY };

_Static_assert((int)SCALARS_OF_ARRAY == (int)PLAN_INDEX_SCALARS, "plan.h has memory for them");
_Static_assert(PLAN_INDEX_LIMIT *SCALARS_OF_ARRAY <= PROGRAM_MAX_SCALARS, "a program has them");

static int count_arrays(const routine_call *call)
{
    return call->noperands - 2;
}

/* The least and the largest number, as 64 bits each. */
static jg_status write_range(jg_dtype dtype, jg_program *program)
{
    bool is_unsigned = jg_dtype_kind_of(dtype) == JG_KIND_UINT;
    jg_dtype wide = is_unsigned ? JG_DTYPE_UINT64 : JG_DTYPE_INT64;
    int from, least, largest, x, y;
    program_init(program);
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_READ, dtype, &from));
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_WRITE, wide, &least));
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_WRITE, wide, &largest));
    program->buffers[least].per_row = program->buffers[largest].per_row = true;
    program->reduces = true;
    JG_TRY(program_load(program, from, &x));
    JG_TRY(program_cast(program, x, wide, &x));
    JG_TRY(plan_apply(program, PROGRAM_REDUCE_MINIMUM, x, x, &y));
    JG_TRY(program_store(program, y, least));
    JG_TRY(plan_apply(program, PROGRAM_REDUCE_MAXIMUM, x, x, &y));
    return program_store(program, y, largest);
}

/* The number in [0, extent). */
static jg_status write_in_range(jg_program *program, int array, int *number)
{
    int extent, last, zero, is_negative, wrapped;
    JG_TRY(program_scalar(program, array * SCALARS_OF_ARRAY + EXTENT, &extent));
    JG_TRY(program_scalar(program, array * SCALARS_OF_ARRAY + LAST, &last));
    JG_TRY(plan_apply(program, PROGRAM_XOR, last, last, &zero));
    JG_TRY(plan_apply(program, PROGRAM_LESS, *number, zero, &is_negative));
    JG_TRY(plan_apply(program, PROGRAM_ADD, *number, extent, &wrapped));
    int chosen[] = {is_negative, wrapped, *number};
    JG_TRY(program_apply(program, PROGRAM_SELECT, 3, chosen, number));
    JG_TRY(plan_apply(program, PROGRAM_MAXIMUM, *number, zero, number));
    return plan_apply(program, PROGRAM_MINIMUM, *number, last, number);
}

/* The buffers are the operands of the call. */
static jg_status write_gather(const routine_call *call, jg_program *program)
{
    int narrays = count_arrays(call), unused, distance = -1, x;
    jg_dtype dtype = call->operands[0].dtype;
    program_init(program);
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_LOOK_UP, dtype, &unused));
    for (int i = 0; i < narrays; ++i) {
        JG_TRY(
            program_add_buffer(program, PROGRAM_ROLE_READ, call->operands[1 + i].dtype, &unused));
        for (int s = 0; s < SCALARS_OF_ARRAY; ++s)
            JG_TRY(program_add_scalar(program, JG_DTYPE_INT64, &unused));
    }
    JG_TRY(program_add_buffer(program, PROGRAM_ROLE_WRITE, dtype, &unused));
    for (int i = 0; i < narrays; ++i) {
        int number, stride;
        JG_TRY(program_load(program, 1 + i, &number));
        JG_TRY(program_cast(program, number, JG_DTYPE_INT64, &number));
        JG_TRY(write_in_range(program, i, &number));
        JG_TRY(program_scalar(program, i * SCALARS_OF_ARRAY + STRIDE, &stride));
        JG_TRY(plan_apply(program, PROGRAM_MULTIPLY, number, stride, &number));
        if (i > 0)
            JG_TRY(plan_apply(program, PROGRAM_ADD, distance, number, &number));
        distance = number;
    }
    JG_TRY(program_load_at(program, 0, distance, &x));
    return program_store(program, x, call->noperands - 1);
}

/* Strides in bytes of an operand through the loops; axes of extent 1 stand still. */
static void fill_strides(const routine_operand *x, int ndim, int64_t *strides)
{
    for (int d = 0; d < ndim; ++d)
        strides[d] = plan_broadcast_step(x, d);
}

/* All loops are reduced; one of a single turn for an array without axes. */
static void fill_range_space(const routine_operand *array, program_space *space)
{
    int ndim = array->ndim > 0 ? array->ndim : 1;
    *space = (program_space){.ndim = ndim, .nreduced = ndim, .nbuffers = 3};
    memset(space->strides, 0, (size_t)(3 * ndim) * sizeof(int64_t));
    space->extents[0] = 1;
    for (int d = 0; d < array->ndim; ++d)
        space->extents[d] = array->shape[d];
    fill_strides(array, array->ndim, space->strides);
}

jg_status plan_add_range(const routine_call *call, int operand, jg_program *program,
                         program_space *space, plan_code *code)
{
    JG_TRY(write_range(call->operands[operand].dtype, program));
    fill_range_space(&call->operands[operand], space);
    return plan_add_part(program, space, (plan_part){.operand = operand}, code);
}

/* The last axes of x, which are indexed, have no loops. */
static void fill_gather_space(const routine_call *call, program_space *space)
{
    const routine_operand *result = &call->operands[call->noperands - 1];
    int ndim = result->ndim > 0 ? result->ndim : 1;
    *space = (program_space){.ndim = ndim, .nbuffers = call->noperands};
    memset(space->strides, 0, (size_t)(call->noperands * ndim) * sizeof(int64_t));
    space->extents[0] = 1;
    for (int d = 0; d < result->ndim; ++d)
        space->extents[d] = result->shape[d];
    for (int i = 0; i < call->noperands; ++i)
        fill_strides(&call->operands[i], result->ndim, space->strides + i * ndim);
}

static void fill_look_up(const routine_call *call, plan_look_up *out)
{
    const routine_operand *x = &call->operands[0];
    int ndim = call->operands[call->noperands - 1].ndim;
    uint64_t axes = call->attributes->gather.axes;
    out->count = count_arrays(call);
    for (int i = 0; i < out->count; ++i, axes &= axes - 1) {
        jg_scalar *scalars = &out->scalars[i * SCALARS_OF_ARRAY];
        int64_t extent = x->shape[ndim + i];
        out->indices[i] = (plan_index){
            .axis = axes ? __builtin_ctzll(axes) : 0,
            .is_unsigned = jg_dtype_kind_of(call->operands[1 + i].dtype) == JG_KIND_UINT,
            .extent = extent};
        scalars[EXTENT].i64 = extent;
        scalars[LAST].i64 = extent - 1;
        scalars[STRIDE].i64 = plan_operand_step(x, ndim + i);
    }
}

static jg_status add_parts(const routine_call *call, jg_program *program, program_space *space,
                           plan_code *code)
{
    for (int i = 1; i <= count_arrays(call) && code->taken; ++i)
        JG_TRY(plan_add_range(call, i, program, space, code));
    if (!code->taken || call->operands[call->noperands - 1].size == 0)
        return JG_OK;
    JG_TRY(write_gather(call, program));
    fill_gather_space(call, space);
    return plan_add_part(program, space, (plan_part){.operand = PLAN_ALL_OPERANDS}, code);
}

/* Whether there is a number to look at. */
static bool has_numbers(const routine_call *call)
{
    for (int i = 1; i <= count_arrays(call); ++i)
        if (call->operands[i].size == 0)
            return false;
    return true;
}

jg_status plan_gather(const routine_call *call, plan_code *code)
{
    int narrays = count_arrays(call);
    code->taken = code->empty = !has_numbers(call);
    if (code->empty)
        return JG_OK;
    if (narrays < 1 || narrays > PLAN_INDEX_LIMIT) {
        snprintf(code->refusal.message, sizeof code->refusal.message,
                 "there is no device source of %d index arrays, only of 1 to %d", narrays,
                 PLAN_INDEX_LIMIT);
        return JG_OK;
    }
    JG_TRY(plan_code_divide(code, PLAN_CODE_GATHER, narrays + 1));
    fill_look_up(call, code->parts.look_up);
    program_space *space;
    jg_program *program = plan_alloc_program(call->noperands + 2, JG_MAX_NDIM, &space);
    if (program == NULL)
        return base_nomem(sizeof *program, "a plan");
    jg_status status = add_parts(call, program, space, code);
    base_free(program);
    return status;
}
