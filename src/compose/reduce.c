/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions and elementwise ops that other ops spell. */
#include "compose/compose.h"

jg_status jg_square(jg_array *x, jg_array **out)
{
    return jg_multiply(x, x, out);
}

jg_status jg_greater(jg_array *x1, jg_array *x2, jg_array **out)
{
    return jg_less(x2, x1, out);
}

jg_status jg_greater_equal(jg_array *x1, jg_array *x2, jg_array **out)
{
    return jg_less_equal(x2, x1, out);
}

static int64_t count_reduced(const jg_array *x, uint64_t axes)
{
    int64_t count = 1;
    for (int i = 0; i < x->ndim; ++i)
        count *= axes >> i & 1 ? x->dims[i] : 1;
    return count;
}

/* sum / count in `wide`, then in the dtype of the result. */
static jg_status mean_in(jg_array *x, jg_dtype wide, jg_dtype result, int naxes,
                         const int64_t *axes, bool keepdims, int64_t count, jg_array **out)
{
    jg_array *cast = NULL, *sum = NULL, *divisor = NULL, *mean = NULL;
    jg_status status;
    JG_TRY_DONE(graph_cast(x, wide, &cast));
    JG_TRY_DONE(graph_reduce(JG_OP_sum, cast, naxes, axes, keepdims, &sum));
    JG_TRY_DONE(
        jg_full(wide, 0, NULL, (jg_number){.kind = JG_KIND_FLOAT, .re = (double)count}, &divisor));
    JG_TRY_DONE(jg_divide(sum, divisor, &mean));
    JG_TRY_DONE(graph_cast(mean, result, out));
done:
    jg_array_release(cast);
    jg_array_release(sum);
    jg_array_release(divisor);
    jg_array_release(mean);
    return status;
}

jg_status jg_mean(jg_array *x, int naxes, const int64_t *axes, bool keepdims, jg_array **out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    uint64_t set;
    JG_TRY(op_resolve_types(JG_OP_mean, 1, &dtype, &types));
    JG_TRY(shape_axes("axis", naxes, axes, x->ndim, &set));
    bool half = types.result == JG_DTYPE_FLOAT16 || types.result == JG_DTYPE_BFLOAT16;
    jg_dtype wide = half ? JG_DTYPE_FLOAT32 : types.result;
    return mean_in(x, wide, types.result, naxes, axes, keepdims, count_reduced(x, set), out);
}
