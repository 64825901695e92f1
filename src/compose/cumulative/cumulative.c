/* SPDX-License-Identifier: Apache-2.0 */
/* Cumulative sums, products, extrema and logarithms of sums along an axis; without an axis, over
 * all elements in row-major order. */
#include "compose/compose.h"
#include <stdlib.h>

/* The parameters of a cumulative op. */
typedef struct request {
    jg_op op;
    cumulative_kind kind;
    bool reverse, inclusive, initial; /* initial: one more result, of no elements, comes first */
    const jg_dtype *dtype;            /* NULL: as the op's rule says */
} request;

jg_status compose_truth(jg_array *x, jg_array **out)
{
    if (x->dtype == JG_DTYPE_BOOL)
        return jg_copy(x, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

jg_status compose_dense_rows(jg_array *x, jg_array **out)
{
    if (x->dtype == JG_DTYPE_BOOL)
        return compose_truth(x, out); /* whose result is dense */
    const int64_t *strides = node_strides(x);
    int last = x->ndim - 1;
    /* Axes of extent 1 are never stepped along. */
    while (last > 0 && x->dims[last] == 1)
        last -= 1;
    for (int i = 0; i < last; ++i)
        if (x->dims[i] > 1 && strides[i] != 0 && llabs(strides[i]) < llabs(strides[last]))
            return graph_contiguous(x, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

/* The result's dtype is its own for floats, and 64 bits wide for sums and products of integers. */
jg_status compose_cumulative_types(jg_op op, jg_dtype dtype, jg_dtype *read, jg_dtype *result)
{
    op_types types;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    bool widens = !dtype_is_floating(types.result) && !dtype_is_complex(types.result);
    *read = widens ? dtype : types.operand[0];
    *result = types.result;
    return JG_OK;
}

jg_status compose_cumulative(jg_op op, jg_array *x, const cumulative_attributes *attributes,
                             bool longer, jg_dtype dtype, jg_array **out)
{
    const primitive_attributes own_attributes = {.cumulative = *attributes};
    int64_t shape[JG_MAX_NDIM];
    jg_array *dense;
    for (int i = 0; i < x->ndim; ++i)
        shape[i] = x->dims[i] + (i == attributes->axis && longer);
    JG_TRY(compose_dense_rows(x, &dense));
    jg_status status = graph_routine(op, dtype, x->ndim, shape, 1, &dense, &own_attributes, out);
    jg_array_release(dense);
    return status;
}

static jg_status run_along(const request *options, jg_array *x, int axis, jg_array **out)
{
    const cumulative_attributes attributes = {.axis = axis,
                                              .reverse = options->reverse,
                                              .initial = options->initial || !options->inclusive,
                                              .kind = options->kind};
    jg_dtype given = options->dtype != NULL ? *options->dtype : (jg_dtype)x->dtype;
    jg_dtype read = given, dtype = given;
    jg_array *operand, *made;
    JG_TRY(compose_cumulative_types(options->op, given, &read, &dtype));
    JG_TRY(graph_cast(x, read, &operand));
    jg_status status =
        compose_cumulative(options->op, operand, &attributes, options->initial, dtype, &made);
    jg_array_release(operand);
    JG_TRY(status);
    status = graph_cast(made, options->dtype != NULL ? given : dtype, out);
    jg_array_release(made);
    return status;
}

/* An axis of a 0-d array is refused. It may be left out, as the raveled array has one axis. */
static jg_status run_array(const request *options, jg_array *x, const int64_t *axis, jg_array **out)
{
    int at;
    jg_array *flat;
    if (axis != NULL && x->ndim > 0) {
        JG_TRY(shape_axis("axis", *axis, x->ndim, &at));
        return run_along(options, x, at, out);
    }
    if (axis != NULL)
        return base_fail(JG_ERR_AXIS, "[%s] axis: got %lld for a 0-d array, allowed is None",
                         op_name(options->op), (long long)*axis);
    JG_TRY(jg_ravel(x, &flat));
    jg_status status = run_along(options, flat, 0, out);
    jg_array_release(flat);
    return status;
}

#define RUNNING(name, what)                                                                        \
    jg_status compose_##name(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,       \
                             const jg_dtype *dtype, jg_array **out)                                \
    {                                                                                              \
        const request options = {.op = JG_OP_##name,                                               \
                                 .kind = what,                                                     \
                                 .reverse = reverse,                                               \
                                 .inclusive = inclusive,                                           \
                                 .dtype = dtype};                                                  \
        return run_array(&options, x, axis, out);                                                  \
    }
RUNNING(cumsum, CUMULATIVE_SUM)
RUNNING(cumprod, CUMULATIVE_PRODUCT)

#define CUMULATIVE(name, what)                                                                     \
    jg_status compose_##name(jg_array *x, const int64_t *axis, bool reverse, bool inclusive,       \
                             jg_array **out)                                                       \
    {                                                                                              \
        const request options = {                                                                  \
            .op = JG_OP_##name, .kind = what, .reverse = reverse, .inclusive = inclusive};         \
        return run_array(&options, x, axis, out);                                                  \
    }
CUMULATIVE(cummax, CUMULATIVE_MAXIMUM)
CUMULATIVE(cummin, CUMULATIVE_MINIMUM)
CUMULATIVE(logcumsumexp, CUMULATIVE_LOG_SUM)

static jg_status cumulative(jg_op op, cumulative_kind kind, jg_array *x, const int64_t *axis,
                            const jg_dtype *dtype, bool include_initial, jg_array **out)
{
    const request options = {
        .op = op, .kind = kind, .inclusive = true, .initial = include_initial, .dtype = dtype};
    if (axis == NULL && x->ndim != 1)
        return base_fail(JG_ERR_VALUE,
                         "[%s] axis: got none for x with %d axes, allowed for one axis only",
                         op_name(op), x->ndim);
    return run_array(&options, x, axis, out);
}

jg_status compose_cumulative_sum(jg_array *x, const int64_t *axis, const jg_dtype *dtype,
                                 bool include_initial, jg_array **out)
{
    return cumulative(JG_OP_cumulative_sum, CUMULATIVE_SUM, x, axis, dtype, include_initial, out);
}

jg_status compose_cumulative_prod(jg_array *x, const int64_t *axis, const jg_dtype *dtype,
                                  bool include_initial, jg_array **out)
{
    return cumulative(JG_OP_cumulative_prod, CUMULATIVE_PRODUCT, x, axis, dtype, include_initial,
                      out);
}
