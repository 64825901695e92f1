/* SPDX-License-Identifier: Apache-2.0 */
/* The Walsh-Hadamard transform of rows: of 2^k elements, or of 12, 20 or 28 times as many. */
#include "compose/compose.h"
#include <math.h>
#include <string.h>

int64_t compose_hadamard_factor(int64_t extent)
{
    static const int64_t factors[] = {1, 12, 20, 28};
    for (size_t i = 0; i < JG_COUNT_OF(factors); ++i) {
        int64_t power = extent / factors[i];
        if (extent > 0 && extent % factors[i] == 0 && (power & (power - 1)) == 0)
            return factors[i];
    }
    return 0;
}

/* A 0-d array is a row of one element, its own transform. */
static jg_status check_rows(const jg_array *a, int64_t *factor)
{
    jg_dtype dtype = (jg_dtype)a->dtype;
    if (!dtype_rows[dtype].computable || dtype_is_complex(dtype))
        return base_fail(JG_ERR_TYPE, "[hadamard_transform] a: got %s, allowed are real numbers",
                         dtype_rows[dtype].name);
    int64_t extent = a->ndim > 0 ? a->dims[a->ndim - 1] : 1;
    *factor = compose_hadamard_factor(extent);
    if (*factor == 0)
        return base_fail(JG_ERR_VALUE,
                         "[hadamard_transform] a: got a last extent of %lld, allowed are powers of "
                         "two, and 12, 20 and 28 times those",
                         (long long)extent);
    return JG_OK;
}

/* Sums are in float32, or in float64 if x is. */
jg_status compose_hadamard_transform(jg_array *a, const double *scale, jg_array **out)
{
    compose_scope scope = {0};
    int64_t odd;
    jg_array *made = NULL;
    JG_TRY(check_rows(a, &odd));
    jg_dtype dtype = dtype_with_float((jg_dtype)a->dtype);
    double factor =
        scale != NULL ? *scale : 1 / sqrt(a->ndim > 0 ? (double)a->dims[a->ndim - 1] : 1);
    const primitive_attributes attributes = {.hadamard = {.factor = odd, .scale = factor}};
    jg_dtype computed = compose_wide(dtype);
    jg_array *wide = scope_cast(&scope, a, computed);
    if (wide == NULL)
        return scope_finish(&scope, NULL, out);
    if (a->ndim == 0) /* it has no axis that batches and derivatives could tell from theirs */
        return scope_finish(&scope, scope_cast(&scope, scope_times(&scope, wide, factor), dtype),
                            out);
    jg_status status = graph_contiguous(wide, &made);
    jg_array *dense = scope_take(&scope, status, made);
    if (dense == NULL)
        return scope_finish(&scope, NULL, out);
    status = graph_routine(JG_OP_hadamard_transform, computed, a->ndim, a->dims, 1, &dense,
                           &attributes, &made);
    return scope_finish(&scope, scope_cast(&scope, scope_take(&scope, status, made), dtype), out);
}
