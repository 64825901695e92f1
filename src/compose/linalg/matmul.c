/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products: brings any operands into the form that the product's node demands: one dtype,
 * two axes or more, and last axes that a library takes as they are or transposed. */
#include "compose/compose.h"
#include "plan/plan.h"
#include <string.h>

/* Dense rows, or dense columns, that do not overlap. BLAS takes a leading dimension, the step from
 * one row to the next (or column), which may not be less than a row is long: broadcast and
 * overlapping rows are copied. Axes before the last two may have any strides. */
static bool is_library_layout(const jg_array *x)
{
    const int64_t *shape = node_shape(x) + x->ndim - 2, *strides = node_strides(x) + x->ndim - 2;
    bool rows = (strides[1] == 1 || shape[1] == 1) && (strides[0] >= shape[1] || shape[0] == 1);
    bool columns = (strides[0] == 1 || shape[0] == 1) && (strides[1] >= shape[0] || shape[1] == 1);
    return rows || columns;
}

/* Casts, and copies what no library reads in place. */
static jg_status prepare(jg_array *x, jg_dtype dtype, jg_array **out)
{
    jg_array *cast;
    JG_TRY(graph_cast(x, dtype, &cast));
    jg_status status = JG_OK;
    if (is_library_layout(cast))
        *out = jg_array_retain(cast);
    else
        status = graph_contiguous(cast, out);
    jg_array_release(cast);
    return status;
}

static jg_status product_node(jg_array *a, jg_array *b, jg_dtype dtype, jg_array **out)
{
    jg_array *const inputs[] = {a, b};
    int64_t shape[JG_MAX_NDIM];
    int ndim;
    JG_TRY(op_matmul_shape(a->ndim, a->dims, b->ndim, b->dims, &ndim, shape));
    return graph_routine(JG_OP_matmul, dtype, ndim, shape, 2, inputs, NULL, out);
}

/* Operands on the host may yet go to the other's device. */
jg_dtype compose_product_dtype(const jg_array *x1, const jg_array *x2, jg_dtype result)
{
    int device = node_device(x1) != 0 ? node_device(x1) : node_device(x2);
    return plan_device_takes_halves(device) ? result : compose_wide(result);
}

/* Half precision is multiplied as it is where that is faster (plan_product_takes; GPUs), else in
 * float32; either way sums are float32's and rounded once. */
static jg_status product(jg_array *x1, jg_array *x2, const op_types *types, jg_array **out)
{
    jg_array *a = NULL, *b = NULL, *wide = NULL;
    int64_t m = x1->dims[x1->ndim - 2], n = x2->dims[x2->ndim - 1], k = x1->dims[x1->ndim - 1];
    if (x2->ndim == 2 && k > 0) /* all matrices of x1 meet one: a product of all their rows */
        m = x1->size / k;
    jg_dtype dtype = compose_product_dtype(x1, x2, types->result);
    if (plan_product_takes(types->result, m, n, k))
        dtype = types->result;
    jg_status status;
    JG_TRY_DONE(prepare(x1, dtype, &a));
    JG_TRY_DONE(prepare(x2, dtype, &b));
    JG_TRY_DONE(product_node(a, b, dtype, &wide));
    JG_TRY_DONE(graph_cast(wide, types->result, out));
done:
    jg_array_release(a);
    jg_array_release(b);
    jg_array_release(wide);
    return status;
}

/* A vector becomes a matrix of one row (axis 0) or one column (axis 1). */
static jg_status as_matrix(jg_array *x, int64_t axis, jg_array **out)
{
    if (x->ndim == 1)
        return compose_new_axis(x, axis, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

/* A vector is made a matrix of one row or column, whose axis is taken out of the result again. */
jg_status compose_matmul(jg_array *x1, jg_array *x2, jg_array **out)
{
    jg_dtype dtypes[2] = {(jg_dtype)x1->dtype, (jg_dtype)x2->dtype};
    int64_t shape[JG_MAX_NDIM];
    op_types types;
    int ndim;
    JG_TRY(op_resolve_types(JG_OP_matmul, 2, dtypes, &types));
    JG_TRY(op_matmul_shape(x1->ndim, x1->dims, x2->ndim, x2->dims, &ndim, shape));
    if (x1->ndim > 1 && x2->ndim > 1)
        return product(x1, x2, &types, out);
    jg_array *row = NULL, *column = NULL, *matrix = NULL;
    jg_status status;
    JG_TRY_DONE(as_matrix(x1, 0, &row));
    JG_TRY_DONE(as_matrix(x2, 1, &column));
    JG_TRY_DONE(product(row, column, &types, &matrix));
    JG_TRY_DONE(jg_reshape(matrix, ndim, shape, out));
done:
    jg_array_release(row);
    jg_array_release(column);
    jg_array_release(matrix);
    return status;
}
