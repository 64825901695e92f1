/* SPDX-License-Identifier: Apache-2.0 */
/* repeat by starts as a program for devices: which index of the axis an element is a copy of is
 * found among the starts by halving, in as many steps as the axis has bits. */
#include "plan/device/code.h"
#include <string.h>

enum { X, STARTS, RESULT, INDEX, NBUFFERS }; /* the operands, and the axis's INDEX */
enum { FIRST_STEP, LAST, STRIDE, START_NBYTES, ONE, NSCALARS };

static int axis_of(const routine_call *call)
{
    return (int)call->attributes->repeat.axis;
}

static jg_status add_buffers(const routine_call *call, jg_program *program)
{
    static const program_role roles[] = {PROGRAM_ROLE_LOOK_UP, PROGRAM_ROLE_LOOK_UP,
                                         PROGRAM_ROLE_WRITE, PROGRAM_ROLE_INDEX};
    jg_dtype dtype = plan_moved_dtype(call->operands[X].dtype);
    int unused;
    program_init(program);
    for (int b = 0; b < NBUFFERS; ++b)
        JG_TRY(program_add_buffer(program, roles[b], b == X || b == RESULT ? dtype : JG_DTYPE_INT64,
                                  &unused));
    for (int s = 0; s < NSCALARS; ++s)
        JG_TRY(program_add_scalar(program, JG_DTYPE_INT64, &unused));
    return JG_OK;
}

/* Goes on by the step if the copies of the index there begin at the wanted one or before it. A step
 * that leads past the axis reads the last start, behind the axis, which all wanted ones are before.
 */
static jg_status write_step(jg_program *program, int step, int wanted, int *index)
{
    int last, nbytes, next, offset, start, goes_on;
    JG_TRY(program_scalar(program, LAST, &last));
    JG_TRY(program_scalar(program, START_NBYTES, &nbytes));
    JG_TRY(plan_apply(program, PROGRAM_ADD, *index, step, &next));
    JG_TRY(plan_apply(program, PROGRAM_MINIMUM, next, last, &offset));
    JG_TRY(plan_apply(program, PROGRAM_MULTIPLY, offset, nbytes, &offset));
    JG_TRY(program_load_at(program, STARTS, offset, &start));
    JG_TRY(plan_apply(program, PROGRAM_LESS_EQUAL, start, wanted, &goes_on));
    int chosen[] = {goes_on, next, *index};
    return program_apply(program, PROGRAM_SELECT, 3, chosen, index);
}

/* Steps of half the length until it is one: `extent` has no more bits. */
static jg_status write_search(jg_program *program, int64_t extent, int wanted, int *index)
{
    int step, one;
    JG_TRY(program_scalar(program, FIRST_STEP, &step));
    JG_TRY(program_scalar(program, ONE, &one));
    JG_TRY(plan_apply(program, PROGRAM_XOR, one, one, index));
    for (int64_t bits = extent; bits > 0; bits >>= 1) {
        JG_TRY(write_step(program, step, wanted, index));
        JG_TRY(plan_apply(program, PROGRAM_SHIFT_RIGHT, step, one, &step));
    }
    return JG_OK;
}

/* Only starts that do not ascend from 0 could lead out of x; they are kept from it. */
static jg_status write_repeat(const routine_call *call, jg_program *program)
{
    int wanted, index, stride, x, last, one;
    JG_TRY(add_buffers(call, program));
    JG_TRY(program_index(program, INDEX, &wanted));
    JG_TRY(write_search(program, call->operands[X].shape[axis_of(call)], wanted, &index));
    JG_TRY(program_scalar(program, LAST, &last));
    JG_TRY(program_scalar(program, ONE, &one));
    JG_TRY(plan_apply(program, PROGRAM_SUBTRACT, last, one, &last));
    JG_TRY(plan_apply(program, PROGRAM_MINIMUM, index, last, &index));
    JG_TRY(program_scalar(program, STRIDE, &stride));
    JG_TRY(plan_apply(program, PROGRAM_MULTIPLY, index, stride, &index));
    JG_TRY(program_load_at(program, X, index, &x));
    return program_store(program, x, RESULT);
}

static void fill_space(const routine_call *call, program_space *space)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    int ndim = result->ndim, axis = axis_of(call);
    *space = (program_space){.ndim = ndim, .nbuffers = NBUFFERS};
    memset(space->strides, 0, (size_t)(NBUFFERS * ndim) * sizeof(int64_t));
    for (int d = 0; d < ndim; ++d) {
        space->extents[d] = result->shape[d];
        space->strides[X * ndim + d] = d == axis ? 0 : plan_operand_step(x, d);
        space->strides[RESULT * ndim + d] = plan_operand_step(result, d);
        space->strides[INDEX * ndim + d] = d == axis;
    }
}

static void fill_addressing(const routine_call *call, plan_addressing *out)
{
    const routine_operand *x = &call->operands[X];
    int64_t extent = x->shape[axis_of(call)], step = 1;
    while (step <= extent / 2)
        step *= 2;
    out->noffsets = 1;
    out->numbers = -1;
    out->scalars[FIRST_STEP].i64 = step;
    out->scalars[LAST].i64 = extent;
    out->scalars[STRIDE].i64 = plan_operand_step(x, axis_of(call));
    out->scalars[START_NBYTES].i64 = sizeof(int64_t);
    out->scalars[ONE].i64 = 1;
}

jg_status plan_repeat(const routine_call *call, plan_code *code)
{
    const plan_part part = {.operand = PLAN_ALL_OPERANDS};
    JG_TRY(plan_code_divide(code, PLAN_CODE_ADDRESSING, 1));
    program_space *space;
    jg_program *program = plan_alloc_program(NBUFFERS, JG_MAX_NDIM, &space);
    if (program == NULL)
        return base_nomem(sizeof *program, "a plan");
    jg_status status = write_repeat(call, program);
    if (status == JG_OK) {
        fill_space(call, space);
        fill_addressing(call, code->parts.addressing);
        status = plan_add_part(program, space, part, code);
    }
    base_free(program);
    return status;
}
