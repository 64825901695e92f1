/* SPDX-License-Identifier: Apache-2.0 */
/* scatter on devices: programs find the ranges of the index arrays, as for a gather; one copies x
 * into the result, where that is not x's memory already; and a work of its own takes the updates
 * in. Where in the result they go is data of a run, so that no text depends on it. */
#include "plan/device/code.h"
#include <stdio.h>

static const uint8_t combinations[JG_SCATTER_COUNT] = {
    [JG_SCATTER_SET] = PROGRAM_COPY,          [JG_SCATTER_ADD] = PROGRAM_ADD,
    [JG_SCATTER_SUBTRACT] = PROGRAM_SUBTRACT, [JG_SCATTER_MULTIPLY] = PROGRAM_MULTIPLY,
    [JG_SCATTER_DIVIDE] = PROGRAM_DIVIDE,     [JG_SCATTER_POWER] = PROGRAM_POWER,
    [JG_SCATTER_MAXIMUM] = PROGRAM_MAXIMUM,   [JG_SCATTER_MINIMUM] = PROGRAM_MINIMUM,
};

static int count_arrays(const routine_call *call)
{
    return call->noperands - SCATTER_ARRAYS - 1;
}

/* Index arrays are broadcast: where one has no numbers, there is none to look at. */
static bool has_numbers(const routine_call *call)
{
    for (int i = 0; i < count_arrays(call); ++i)
        if (call->operands[SCATTER_ARRAYS + i].size == 0)
            return false;
    return count_arrays(call) > 0;
}

/* gives: whether the call is refused, and why */
static bool refuse(const routine_call *call, device_refusal *out)
{
    int narrays = count_arrays(call), ndim = call->operands[SCATTER_UPDATES].ndim;
    if (narrays > DEVICE_SCATTER_ARRAYS)
        snprintf(out->message, sizeof out->message,
                 "there is no device source of %d index arrays, only of up to %d", narrays,
                 DEVICE_SCATTER_ARRAYS);
    else if (ndim > DEVICE_MAX_LOOPS)
        snprintf(out->message, sizeof out->message,
                 "there is no device source of updates of %d axes, only of up to %d", ndim,
                 DEVICE_MAX_LOOPS);
    else
        return false;
    return true;
}

/* Fills in the properties of the call that the text depends on. */
static void fill_scatter(const routine_call *call, device_scatter *out)
{
    const int64_t limit = (int64_t)1 << 30;
    const routine_operand *updates = &call->operands[SCATTER_UPDATES];
    int last = updates->ndim - 1;
    out->op = combinations[call->attributes->scatter.mode];
    out->dtype =
        (uint8_t)(out->op == PROGRAM_COPY ? plan_moved_dtype(updates->dtype) : updates->dtype);
    out->ndim = (uint8_t)(updates->ndim > 0 ? updates->ndim : 1);
    out->narrays = (uint8_t)count_arrays(call);
    out->is_narrow = updates->size < limit;
    for (int i = 0; i < out->narrays; ++i) {
        const routine_operand *array = &call->operands[SCATTER_ARRAYS + i];
        out->array_dtypes[i] = (uint8_t)array->dtype;
        out->varies |= last >= 0 && array->shape[last] != 1;
    }
}

static jg_status add_updates(const routine_call *call, plan_code *code)
{
    plan_part *part = &code->parts.all[code->parts.count];
    device_scatter scatter = {0};
    part->operand = PLAN_ALL_OPERANDS;
    JG_TRY(plan_code_new(code->device->index, &part->code));
    if (part->code == NULL)
        return JG_OK;
    fill_scatter(call, &scatter);
    device_scatter *own = base_copy(&scatter, sizeof scatter);
    const device_work work = {.kind = DEVICE_WORK_SCATTER, .scatter = own};
    jg_status status = plan_code_print(part->code, work, own);
    code->parts.updates->update = code->parts.count;
    plan_code_count(code);
    return status;
}

static jg_status add_parts(const routine_call *call, jg_program *program, program_space *space,
                           plan_code *code)
{
    uint64_t axes = call->attributes->scatter.axes;
    plan_updates *updates = code->parts.updates;
    updates->look_up.count = has_numbers(call) ? count_arrays(call) : 0;
    for (int i = 0; i < updates->look_up.count && code->taken; ++i, axes &= axes - 1) {
        int operand = SCATTER_ARRAYS + i;
        updates->look_up.indices[i] = (plan_index){
            .axis = axes ? __builtin_ctzll(axes) : 0,
            .is_unsigned = jg_dtype_kind_of(call->operands[operand].dtype) == JG_KIND_UINT};
        JG_TRY(plan_add_range(call, operand, program, space, code));
    }
    if (code->taken && call->operands[SCATTER_X].size > 0) {
        updates->copy = code->parts.count;
        JG_TRY(plan_add_copy(call, SCATTER_X, program, code));
    }
    return code->taken && call->operands[SCATTER_UPDATES].size > 0 ? add_updates(call, code)
                                                                   : JG_OK;
}

jg_status plan_scatter(const routine_call *call, plan_code *code)
{
    if (refuse(call, &code->refusal))
        return JG_OK;
    code->taken = true;
    code->empty = call->operands[SCATTER_X].size == 0 && !has_numbers(call);
    if (code->empty)
        return JG_OK;
    JG_TRY(plan_code_divide(code, PLAN_CODE_SCATTER, count_arrays(call) + 2));
    code->parts.updates->copy = code->parts.updates->update = -1;
    program_space *space;
    jg_program *program = plan_alloc_program(3, JG_MAX_NDIM, &space);
    if (program == NULL)
        return base_nomem(sizeof *program, "a plan");
    jg_status status = add_parts(call, program, space, code);
    base_free(program);
    return status;
}
