/* SPDX-License-Identifier: Apache-2.0 */
/* Running results as a work of devices: lines along the axis, which all other axes count. */
#include "plan/device/code.h"
#include <stdio.h>

enum { X, RESULT };

static const uint8_t joins[cumulative_kind_count] = {
    [CUMULATIVE_SUM] = PROGRAM_ADD,
    [CUMULATIVE_PRODUCT] = PROGRAM_MULTIPLY,
    [CUMULATIVE_MAXIMUM] = PROGRAM_MAXIMUM,
    [CUMULATIVE_MINIMUM] = PROGRAM_MINIMUM,
    [CUMULATIVE_LOG_SUM] = PROGRAM_LOG_ADD_EXP,
};

/* gives: whether the call is refused, and why */
static bool refuse(const routine_call *call, device_refusal *out)
{
    int ndim = call->operands[X].ndim;
    if (ndim - 1 <= DEVICE_MAX_LOOPS)
        return false;
    snprintf(out->message, sizeof out->message,
             "there is no device source of running results of %d axes, only of up to %d", ndim,
             DEVICE_MAX_LOOPS + 1);
    return true;
}

/* Steps of the operand, in bytes; along a line from where its results begin. */
static void fill_operand(const routine_call *call, int operand, device_cumulative *out)
{
    const routine_operand *x = &call->operands[operand];
    int axis = (int)call->attributes->cumulative.axis, loop = 0;
    int64_t step = plan_operand_step(x, axis);
    bool reverse = call->attributes->cumulative.reverse;
    out->step[operand] = reverse ? -step : step;
    out->start[operand] = reverse && x->shape[axis] > 0 ? (x->shape[axis] - 1) * step : 0;
    for (int d = 0; d < x->ndim; ++d)
        if (d != axis)
            out->steps[operand][loop++] = plan_operand_step(x, d);
}

static void describe(const routine_call *call, device_cumulative *out)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    int axis = (int)call->attributes->cumulative.axis, loop = 0;
    out->from = (uint8_t)x->dtype;
    out->to = (uint8_t)result->dtype;
    out->op = joins[call->attributes->cumulative.kind];
    out->initial = call->attributes->cumulative.initial;
    out->is_narrow = result->size < (int64_t)1 << 30;
    out->length = result->shape[axis] - out->initial; /* the last element may not be read */
    out->extents[0] = 1;
    for (int d = 0; d < x->ndim; ++d)
        if (d != axis)
            out->extents[loop++] = x->shape[d];
    out->ndim = (uint8_t)(loop > 0 ? loop : 1);
    fill_operand(call, X, out);
    fill_operand(call, RESULT, out);
}

jg_status plan_cumulative(const routine_call *call, plan_code *code)
{
    if (refuse(call, &code->refusal))
        return JG_OK;
    device_cumulative described = {0};
    describe(call, &described);
    device_cumulative *own = base_copy(&described, sizeof described);
    const device_work work = {.kind = DEVICE_WORK_CUMULATIVE, .cumulative = own};
    return plan_code_print(code, work, own);
}
