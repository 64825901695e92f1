/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of a joint normal distribution: standard normal ones, times a square root of the
 * covariance. */
#include "compose/random/random.h"

/* A matrix whose product with its transpose is cov: eigenvectors, each times the root of its value,
 * which rounding may have made negative. */
static jg_array *square_root(compose_scope *scope, jg_array *cov)
{
    const int64_t row_axis = -2;
    jg_array_list list;
    if (cov == NULL || (scope->status = jg_linalg_eigh(cov, false, &list)) != JG_OK)
        return NULL;
    jg_array *values = scope_take(scope, JG_OK, list.arrays[0]);
    jg_array *vectors = scope_take(scope, JG_OK, list.arrays[1]);
    base_free(list.arrays);
    if (vectors == NULL)
        return NULL;
    values = scope_binary(scope, jg_maximum, values, scope_number(scope, values, 0));
    jg_array *lengths = scope_unary(scope, jg_sqrt, values);
    return scope_binary(scope, jg_multiply, vectors,
                        scope_shaped(scope, jg_expand_dims, lengths, 1, &row_axis));
}

static jg_status check_vectors(const jg_array *mean, const jg_array *cov, jg_dtype dtype)
{
    char has[200], fits[200];
    if (!dtype_is_complex(dtype))
        JG_TRY(random_check_floating(JG_OP_random_multivariate_normal, dtype));
    if (mean->ndim >= 1 && cov->ndim >= 2 &&
        cov->dims[cov->ndim - 1] == mean->dims[mean->ndim - 1] &&
        cov->dims[cov->ndim - 2] == mean->dims[mean->ndim - 1])
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "cov: got shape %s, allowed is (..., n, n) for mean of shape %s",
                     text_extents(has, sizeof has, cov->ndim, cov->dims),
                     text_extents(fits, sizeof fits, mean->ndim, mean->dims));
}

/* The shape of the vectors: n after the axes that are given, or after those that mean and cov have
 * together. raises: VALUE */
static jg_status vectors_shape(const jg_array *mean, const jg_array *cov, int nshape,
                               const int64_t *shape, random_shape *out)
{
    JG_TRY(random_shape_of(0, NULL, nshape, shape, out));
    if (nshape == JG_NONE)
        JG_TRY(shape_broadcast(mean->ndim - 1, mean->dims, cov->ndim - 2, cov->dims, &out->ndim,
                               out->extents));
    if (out->ndim >= JG_MAX_NDIM - 1)
        return base_fail(JG_ERR_VALUE, "shape: got %d axes, allowed are %d", out->ndim,
                         JG_MAX_NDIM - 2);
    out->extents[out->ndim++] = mean->dims[mean->ndim - 1];
    return JG_OK;
}

jg_status compose_random_multivariate_normal(jg_array *key, jg_array *mean, jg_array *cov,
                                             int nshape, const int64_t *shape, jg_dtype dtype,
                                             jg_array **out)
{
    const int64_t last = -1;
    compose_scope scope = {0};
    jg_array *made = NULL;
    random_shape to;
    JG_TRY(check_vectors(mean, cov, dtype));
    JG_TRY(vectors_shape(mean, cov, nshape, shape, &to));
    jg_array *factor = square_root(&scope, scope_cast(&scope, cov, dtype));
    if (factor == NULL)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_random_normal(key, to.ndim, to.extents, dtype, NULL, NULL, &made);
    jg_array *drawn = scope_take(&scope, status, made);
    jg_array *column = scope_shaped(&scope, jg_expand_dims, drawn, 1, &last);
    jg_array *turned = scope_binary(&scope, jg_matmul, factor, column);
    turned = scope_shaped(&scope, jg_squeeze, turned, 1, &last);
    jg_array *moved = scope_binary(&scope, jg_add, turned, scope_cast(&scope, mean, dtype));
    return scope_finish(&scope, scope_shaped(&scope, jg_broadcast_to, moved, to.ndim, to.extents),
                        out);
}
