/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting and searching as works of devices: the loops of an operand, and what a line is. A device
 * sorts all of a line where the host would select. */
#include "plan/device/code.h"
#include <inttypes.h>
#include <stdio.h>

enum { X, SORTED = 0, WANTED }; /* the operands */

/* The first axes of x as loops, of which those that lie like one are one; a loop of one turn where
 * there are none. gives: how many, of which the first DEVICE_MAX_LOOPS are there */
static int fill_loops(const routine_operand *x, int naxes, int64_t *extents, int64_t *steps)
{
    int count = 0;
    extents[0] = 1;
    steps[0] = 0;
    for (int d = 0; d < naxes; ++d) {
        int64_t extent = x->shape[d], step = plan_operand_step(x, d);
        int last = count - 1;
        if (extent == 1)
            continue;
        if (count > 0 && count <= DEVICE_MAX_LOOPS && steps[last] == step * extent) {
            extents[last] *= extent;
            steps[last] = step;
            continue;
        }
        if (count < DEVICE_MAX_LOOPS) {
            extents[count] = extent;
            steps[count] = step;
        }
        count += 1;
    }
    return count > 0 ? count : 1;
}

static bool is_narrow(int64_t count)
{
    return count < (int64_t)1 << 30;
}

/* gives: whether the call is refused, and why */
static bool refuse(int nloops, const char *what, device_refusal *out)
{
    if (nloops <= DEVICE_MAX_LOOPS)
        return false;
    snprintf(out->message, sizeof out->message,
             "there is no device source of %s along %d axes, only along up to %d", what, nloops,
             DEVICE_MAX_LOOPS);
    return true;
}

static bool refuse_length(int64_t length, device_refusal *out)
{
    if (length < DEVICE_SORT_LIMIT)
        return false;
    snprintf(out->message, sizeof out->message,
             "there is no device source of sorting %" PRId64 " elements, only less than %" PRId64,
             length, DEVICE_SORT_LIMIT);
    return true;
}

static void fill_sort(const routine_call *call, device_sort *out)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[call->noperands - 1];
    int axis = x->ndim - 1;
    out->dtype = (uint8_t)x->dtype;
    out->indices = call->attributes->sort.indices;
    out->descending = call->attributes->sort.descending;
    out->is_narrow = is_narrow(x->size);
    out->length = x->shape[axis];
    out->kept = result->shape[axis];
    out->step = plan_operand_step(x, axis);
}

jg_status plan_sort(const routine_call *call, plan_code *code)
{
    const routine_operand *x = &call->operands[X];
    device_sort sort = {0};
    fill_sort(call, &sort);
    int nloops = fill_loops(x, x->ndim - 1, sort.extents, sort.steps);
    if (refuse(nloops, "lines", &code->refusal) || refuse_length(sort.length, &code->refusal))
        return JG_OK;
    sort.ndim = (uint8_t)nloops;
    device_sort *own = base_copy(&sort, sizeof sort);
    return plan_code_print(code, (device_work){.kind = DEVICE_WORK_SORT, .sort = own}, own);
}

jg_status plan_search(const routine_call *call, plan_code *code)
{
    const routine_operand *sorted = &call->operands[SORTED], *wanted = &call->operands[WANTED];
    device_search search = {0};
    int nloops = fill_loops(wanted, wanted->ndim, search.extents, search.steps);
    if (refuse(nloops, "searches", &code->refusal))
        return JG_OK;
    search.ndim = (uint8_t)nloops;
    search.dtype = (uint8_t)wanted->dtype;
    search.right = call->attributes->search.right;
    search.is_narrow = is_narrow(wanted->size);
    search.count = sorted->size;
    search.step = plan_operand_step(sorted, 0);
    device_search *own = base_copy(&search, sizeof search);
    return plan_code_print(code, (device_work){.kind = DEVICE_WORK_SEARCH, .search = own}, own);
}
