/* SPDX-License-Identifier: Apache-2.0 */
/* The code of routines on a device that runs printed source: a work of the routine's own, or
 * programs for its parts. */
#include "plan/device/code.h"
#include <stdio.h>

static jg_status code_of_repeat(const routine_call *call, plan_code *code)
{
    return call->noperands > 2 ? plan_repeat(call, code) : plan_repeat_times(call, code);
}

/* The function that makes the code of each routine on such a device. A call whose results have no
 * elements runs nothing. An exception are routines with also_empty, which must still check the
 * numbers of index arrays. */
static const struct routine_code {
    jg_status (*make)(const routine_call *call, plan_code *code);
    bool also_empty;
} codes[PRIMITIVE_COUNT] = {
    [PRIMITIVE_concat] = {.make = plan_concat},
    [PRIMITIVE_convolve] = {.make = plan_convolve},
    [PRIMITIVE_cumulative] = {.make = plan_cumulative},
    [PRIMITIVE_extend] = {.make = plan_extend},
    [PRIMITIVE_extremum_index] = {.make = plan_extremum_index},
    [PRIMITIVE_fft] = {.make = plan_fourier},
    [PRIMITIVE_gather] = {.make = plan_gather, .also_empty = true},
    [PRIMITIVE_gather_matmul] = {.make = plan_gather_product, .also_empty = true},
    [PRIMITIVE_matmul] = {.make = plan_product},
    [PRIMITIVE_pool] = {.make = plan_pool},
    [PRIMITIVE_repeat] = {.make = code_of_repeat},
    [PRIMITIVE_scatter] = {.make = plan_scatter, .also_empty = true},
    [PRIMITIVE_search] = {.make = plan_search},
    [PRIMITIVE_segmented_matmul] = {.make = plan_segmented_product},
    [PRIMITIVE_sort] = {.make = plan_sort},
};

jg_status plan_code_of_routine(int index, jg_primitive primitive, const routine_call *call,
                               plan_code **out)
{
    const struct routine_code *by = &codes[primitive];
    JG_TRY(plan_code_new(index, out));
    plan_code *code = *out;
    if (code == NULL)
        return JG_OK;
    code->refusal.position = -1;
    snprintf(code->refusal.message, sizeof code->refusal.message,
             "there is no device source of it");
    if (by->make == NULL)
        return JG_OK;
    code->empty = !by->also_empty && call->operands[call->noperands - 1].size == 0;
    code->taken = code->empty;
    return code->empty ? JG_OK : by->make(call, code);
}
