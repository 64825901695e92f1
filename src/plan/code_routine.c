/* SPDX-License-Identifier: Apache-2.0 */
/* What routines are on a device that runs printed source: a product, by a library of the device's
 * or as text, another work of its own, or programs for its parts. */
#include "plan/draft.h"
#include <stdio.h>

/* The one stride, in bytes, from each matrix of an operand to the next, in the order of the
 * result's. gives: false where there is none */
static bool find_batch_stride(const routine_operand *x, const routine_operand *result,
                              int64_t *stride)
{
    int64_t count = 1;
    *stride = 0;
    for (int axis = result->ndim - 3; axis >= 0; --axis) {
        int64_t extent = result->shape[axis];
        int own = axis - (result->ndim - x->ndim);
        int64_t step = own >= 0 ? plan_broadcast_step(x, own) : 0;
        if (extent == 1)
            continue;
        if (count == 1)
            *stride = step;
        else if (step != *stride * count)
            return false;
        count *= extent;
    }
    return true;
}

static bool describe_operand(const routine_operand *x, const routine_operand *result,
                             int64_t *strides)
{
    strides[1] = plan_operand_step(x, x->ndim - 2);
    strides[2] = plan_operand_step(x, x->ndim - 1);
    return find_batch_stride(x, result, &strides[0]);
}

/* gives: false with the refusal where there are no matrices of even spacing */
static bool describe_product(const routine_call *call, device_product *out, device_refusal *refusal)
{
    const routine_operand *a = &call->operands[0], *b = &call->operands[1], *c = &call->operands[2];
    *out = (device_product){.dtype = (uint8_t)c->dtype,
                            .batch = 1,
                            .rows = c->shape[c->ndim - 2],
                            .columns = c->shape[c->ndim - 1],
                            .inner = a->shape[a->ndim - 1]};
    for (int axis = 0; axis < c->ndim - 2; ++axis)
        out->batch *= c->shape[axis];
    if (describe_operand(a, c, out->left) && describe_operand(b, c, out->right) &&
        describe_operand(c, c, out->out))
        return true;
    snprintf(refusal->message, sizeof refusal->message,
             "products are printed of matrices that are evenly spaced");
    return false;
}

static void refuse_dtype(device_refusal *refusal)
{
    snprintf(refusal->message, sizeof refusal->message, "products are printed of float32 only");
}

/* A product by the device's library, else by printed source. */
static jg_status code_of_product(const routine_call *call, plan_code *code)
{
    bool printed = call->operands[2].dtype == JG_DTYPE_FLOAT32;
    device_product product;
    plan_library library;
    if (!printed && code->device->ops->product_new == NULL) {
        refuse_dtype(&code->refusal);
        return JG_OK;
    }
    if (!describe_product(call, &product, &code->refusal))
        return JG_OK;
    JG_TRY(device_product_new(code->device, &product, &library.scratch_nbytes, &library.product));
    if (library.product != NULL) {
        code->kind = PLAN_CODE_LIBRARY;
        code->library = library;
        code->taken = true;
        return JG_OK;
    }
    if (!printed) {
        refuse_dtype(&code->refusal);
        return JG_OK;
    }
    device_product *own = base_copy(&product, sizeof product);
    const device_work work = {.kind = DEVICE_WORK_PRODUCT, .product = own};
    return plan_code_print(code, work, own);
}

static jg_status code_of_repeat(const routine_call *call, plan_code *code)
{
    return call->noperands > 2 ? plan_repeat(call, code) : plan_repeat_times(call, code);
}

/* What routines are on such a device. A call without a result's elements runs nothing, unless the
 * maker is asked for it as well, because numbers of index arrays are to be looked at. */
static const struct routine_code {
    jg_status (*make)(const routine_call *call, plan_code *code);
    bool also_empty;
} codes[PRIMITIVE_COUNT] = {
    [PRIMITIVE_concat] = {.make = plan_concat},
    [PRIMITIVE_cumulative] = {.make = plan_cumulative},
    [PRIMITIVE_extend] = {.make = plan_extend},
    [PRIMITIVE_extremum_index] = {.make = plan_extremum_index},
    [PRIMITIVE_gather] = {.make = plan_gather, .also_empty = true},
    [PRIMITIVE_matmul] = {.make = code_of_product},
    [PRIMITIVE_repeat] = {.make = code_of_repeat},
    [PRIMITIVE_scatter] = {.make = plan_scatter, .also_empty = true},
    [PRIMITIVE_search] = {.make = plan_search},
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
