/* SPDX-License-Identifier: Apache-2.0 */
/* Walsh-Hadamard transforms of the rows of a dense array of float32 or float64, each in place in
 * the result: with n = m 2^k, first those of the m parts of 2^k elements by sums and differences,
 * then, for m of 12, 20 or 28, the columns across the parts times a Hadamard matrix of that
 * order. */
#include "routine/loops.h"
#include <string.h>

static int64_t row_length(const routine_call *call)
{
    const routine_operand *x = &call->operands[0];
    return x->ndim > 0 ? x->shape[x->ndim - 1] : 1;
}

/* A row each. The op refuses rows without elements. */
static int64_t units(const routine_call *call, int step)
{
    (void)step;
    return call->operands[0].size / row_length(call);
}

/* In place where the result was given the operand's memory. */
static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    int64_t length = row_length(call);
    const char *x = call->addresses[0];
    char *to = call->addresses[1];
    jg_dtype dtype = (jg_dtype)call->operands[0].dtype;
    size_t nbytes = (size_t)length * dtype_itemsize(dtype);
    const hadamard_attributes *attributes = &call->attributes->hadamard;
    for (int64_t row = first; row < last; ++row) {
        char *at = to + (size_t)row * nbytes;
        if (to != x)
            memcpy(at, x + (size_t)row * nbytes, nbytes);
        routine_loops_chosen()->hadamard(dtype, at, attributes->factor, length / attributes->factor,
                                         attributes->scale);
    }
    return JG_OK;
}

const jg_routine routine_hadamard = {
    .name = "hadamard", .units = units, .run = run, .in_place = true};
