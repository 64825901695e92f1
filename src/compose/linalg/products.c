/* SPDX-License-Identifier: Apache-2.0 */
/* Products that a matrix product or a broadcast multiplication spells. */
#include "compose/compose.h"

jg_status compose_outer(jg_array *x1, jg_array *x2, jg_array **out)
{
    compose_scope scope = {0};
    const int64_t column[] = {-1, 1}, row[] = {1, -1};
    /* -1 cannot be resolved for an empty array. */
    const int64_t tall[] = {x1->size, 1}, wide[] = {1, x2->size};
    jg_array *left = scope_shaped(&scope, jg_reshape, x1, 2, x1->size ? column : tall);
    jg_array *right = scope_shaped(&scope, jg_reshape, x2, 2, x2->size ? row : wide);
    return scope_finish(&scope, scope_binary(&scope, jg_multiply, left, right), out);
}

jg_status compose_inner(jg_array *x1, jg_array *x2, jg_array **out)
{
    const int64_t last1 = x1->ndim - 1, last2 = x2->ndim - 1;
    if (x1->ndim == 0 || x2->ndim == 0) {
        const jg_dtype dtypes[] = {(jg_dtype)x1->dtype, (jg_dtype)x2->dtype};
        op_types types;
        JG_TRY(op_resolve_types(JG_OP_inner, 2, dtypes, &types)); /* jg_multiply takes bools */
        return jg_multiply(x1, x2, out);
    }
    return jg_tensordot(x1, x2, 1, &last1, &last2, out);
}

/* The axis last, in a dtype that sums without rounding in between. */
static jg_array *vectors_of(compose_scope *scope, jg_array *x, int64_t axis, jg_dtype dtype)
{
    const int64_t last = -1;
    jg_array *moved = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_moveaxis(x, 1, &axis, 1, &last, &moved);
    return scope_cast(scope, scope_take(scope, status, moved), dtype);
}

/* Other axes broadcast; the vectors themselves do not, not even of length 1, as the standard
 * demands. */
static jg_status check_lengths(const jg_array *x1, const jg_array *x2, int64_t axis)
{
    int first, second;
    JG_TRY(shape_axis("axis", axis, x1->ndim, &first));
    JG_TRY(shape_axis("axis", axis, x2->ndim, &second));
    if (x1->dims[first] == x2->dims[second])
        return JG_OK;
    return base_fail(JG_ERR_VALUE,
                     "[vecdot] x2: axis %lld has extent %lld, allowed is %lld, that of x1",
                     (long long)axis, (long long)x2->dims[second], (long long)x1->dims[first]);
}

/* conj(x1) * x2, as in the standard; halves in float32, so that the products are not rounded before
 * the sum. */
jg_status compose_vecdot(jg_array *x1, jg_array *x2, int64_t axis, jg_array **out)
{
    const jg_dtype dtypes[] = {(jg_dtype)x1->dtype, (jg_dtype)x2->dtype};
    const int64_t last = -1;
    op_types types;
    compose_scope scope = {0};
    JG_TRY(op_resolve_types(JG_OP_vecdot, 2, dtypes, &types));
    JG_TRY(check_lengths(x1, x2, axis));
    jg_dtype wide = compose_wide(types.result);
    jg_array *left = scope_unary(&scope, jg_conj, vectors_of(&scope, x1, axis, wide));
    jg_array *right = vectors_of(&scope, x2, axis, wide);
    jg_array *product = scope_binary(&scope, jg_multiply, left, right);
    jg_array *sum = scope_reduce(&scope, compose_sum, product, 1, &last, false);
    return scope_finish(&scope, scope_cast(&scope, sum, types.result), out);
}

/* alpha * (a @ b) + beta * c, in the common dtype of the three. Factors of 1 are left out: they
 * would change the dtype of integers. */
jg_status compose_addmm(jg_array *c, jg_array *a, jg_array *b, double alpha, double beta,
                        jg_array **out)
{
    compose_scope scope = {0};
    jg_dtype dtype;
    JG_TRY(compose_common_dtype(3, (jg_array *[]){c, a, b}, &dtype));
    c = scope_cast(&scope, c, dtype);
    jg_array *product =
        scope_binary(&scope, jg_matmul, scope_cast(&scope, a, dtype), scope_cast(&scope, b, dtype));
    if (product != NULL && alpha != 1)
        product = scope_binary(&scope, jg_multiply, product, scope_number(&scope, product, alpha));
    if (product != NULL && beta != 1)
        c = scope_binary(&scope, jg_multiply, c, scope_number(&scope, c, beta));
    return scope_finish(&scope, scope_binary(&scope, jg_add, product, c), out);
}

/* The axes of one operand: those that are summed, and all in the order of its matrix. The summed
 * axes are side by side in `order`, in the order in which they were paired, so that both sides
 * agree. */
typedef struct dot_side {
    int64_t order[JG_MAX_NDIM];
    int64_t kept, summed; /* products of extents */
} dot_side;

static jg_status check_pairs(const jg_array *x1, const int64_t *axes1, const jg_array *x2,
                             const int64_t *axes2, int naxes)
{
    for (int i = 0; i < naxes; ++i) {
        int a, b;
        JG_TRY(shape_axis("axes", axes1[i], x1->ndim, &a));
        JG_TRY(shape_axis("axes", axes2[i], x2->ndim, &b));
        if (x1->dims[a] != x2->dims[b])
            return base_fail(JG_ERR_VALUE,
                             "[tensordot] axes: axis %d of x1 has extent %lld, axis %d of x2 %lld; "
                             "allowed are equal ones",
                             a, (long long)x1->dims[a], b, (long long)x2->dims[b]);
    }
    return JG_OK;
}

/* The summed axes are last (first = false) or first. shape_axes refuses an axis named twice, so
 * each element of `order` is written once. */
static jg_status make_side(const jg_array *x, int naxes, const int64_t *axes, bool first,
                           dot_side *side)
{
    uint64_t set = 0;
    if (naxes > 0)
        JG_TRY(shape_axes("axes", naxes, axes, x->ndim, &set));
    int kept = first ? naxes : 0;
    side->kept = side->summed = 1;
    for (int i = 0; i < naxes; ++i) {
        int64_t axis = axes[i] < 0 ? axes[i] + x->ndim : axes[i];
        side->order[(first ? 0 : x->ndim - naxes) + i] = axis;
        side->summed *= x->dims[axis];
    }
    for (int i = 0; i < x->ndim; ++i) {
        if (set >> i & 1)
            continue;
        side->order[kept++] = i;
        side->kept *= x->dims[i];
    }
    return JG_OK;
}

static jg_status dot_shape(const jg_array *x1, const dot_side *left, const jg_array *x2,
                           const dot_side *right, int naxes, int *ndim, int64_t *shape)
{
    int count = x1->ndim + x2->ndim - 2 * naxes, n = 0;
    if (count > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[tensordot] the result would have %d axes, allowed %d",
                         count, JG_MAX_NDIM);
    for (int i = 0; i < x1->ndim - naxes; ++i)
        shape[n++] = x1->dims[left->order[i]];
    for (int i = naxes; i < x2->ndim; ++i)
        shape[n++] = x2->dims[right->order[i]];
    *ndim = n;
    return JG_OK;
}

/* The kept axes of x1 become the rows, and those of x2 the columns, of one matrix product. */
static jg_status dot_over(jg_array *x1, jg_array *x2, int naxes, const int64_t *axes1,
                          const int64_t *axes2, jg_array **out)
{
    compose_scope scope = {0};
    int64_t shape[JG_MAX_NDIM];
    dot_side left, right;
    int ndim = 0;
    JG_TRY(check_pairs(x1, axes1, x2, axes2, naxes));
    JG_TRY(make_side(x1, naxes, axes1, false, &left));
    JG_TRY(make_side(x2, naxes, axes2, true, &right));
    JG_TRY(dot_shape(x1, &left, x2, &right, naxes, &ndim, shape));
    const int64_t rows[] = {left.kept, left.summed}, columns[] = {right.summed, right.kept};
    jg_array *a = scope_shaped(&scope, jg_permute_dims, x1, x1->ndim, left.order);
    jg_array *b = scope_shaped(&scope, jg_permute_dims, x2, x2->ndim, right.order);
    a = scope_shaped(&scope, jg_reshape, a, 2, rows);
    b = scope_shaped(&scope, jg_reshape, b, 2, columns);
    jg_array *product = scope_binary(&scope, jg_matmul, a, b);
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, product, ndim, shape), out);
}

/* axes1 and axes2 NULL: the last naxes axes of x1 with the first of x2, in their order. */
jg_status compose_tensordot(jg_array *x1, jg_array *x2, int naxes, const int64_t *axes1,
                            const int64_t *axes2, jg_array **out)
{
    int64_t last[JG_MAX_NDIM], first[JG_MAX_NDIM];
    if (axes1 != NULL && axes2 != NULL && naxes >= 0)
        return dot_over(x1, x2, naxes, axes1, axes2, out);
    int most = int_min(x1->ndim, x2->ndim);
    if (naxes < 0 || naxes > most)
        return base_fail(JG_ERR_VALUE, "[tensordot] axes: got %d, allowed 0 to %d", naxes, most);
    for (int i = 0; i < naxes; ++i) {
        last[i] = x1->ndim - naxes + i;
        first[i] = i;
    }
    return dot_over(x1, x2, naxes, last, first, out);
}

/* The extents of x, as an array of ndim axes, each with an axis of extent 1 before or after it. */
static void interleave(const jg_array *x, int ndim, bool in_front, int64_t *shape)
{
    for (int i = 0; i < ndim; ++i) {
        int64_t extent = i < ndim - x->ndim ? 1 : x->dims[i - (ndim - x->ndim)];
        shape[2 * i] = in_front ? 1 : extent;
        shape[2 * i + 1] = in_front ? extent : 1;
    }
}

/* Element (i * p + k, j * q + l) is x1[i, j] * x2[k, l]: a broadcast product over (i, k, j, l),
 * reshaped. */
jg_status compose_kron(jg_array *x1, jg_array *x2, jg_array **out)
{
    int64_t left[JG_MAX_NDIM], right[JG_MAX_NDIM], shape[JG_MAX_NDIM];
    int ndim = int_max(x1->ndim, x2->ndim);
    compose_scope scope = {0};
    if (2 * ndim > JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[kron] x1, x2: %d axes, allowed are %d", ndim,
                         JG_MAX_NDIM / 2);
    interleave(x1, ndim, false, left);
    interleave(x2, ndim, true, right);
    for (int i = 0; i < ndim; ++i)
        if (__builtin_mul_overflow(left[2 * i], right[2 * i + 1], &shape[i]))
            return base_fail(
                JG_ERR_VALUE,
                "[kron] x1, x2: have extents %lld and %lld on axis %d, allowed is a product "
                "below 2^63",
                (long long)left[2 * i], (long long)right[2 * i + 1], i);
    jg_array *a = scope_shaped(&scope, jg_reshape, x1, 2 * ndim, left);
    jg_array *b = scope_shaped(&scope, jg_reshape, x2, 2 * ndim, right);
    jg_array *product = scope_binary(&scope, jg_multiply, a, b);
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, product, ndim, shape), out);
}

static jg_status check_triples(const char *name, const jg_array *x, int64_t axis)
{
    int at;
    JG_TRY(shape_axis("axis", axis, x->ndim, &at));
    if (x->dims[at] == 3)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[cross] %s: axis %d has extent %lld, allowed is 3", name, at,
                     (long long)x->dims[at]);
}

/* Component i of the vectors along the axis. */
static jg_array *component(compose_scope *scope, jg_array *x, int64_t axis, int64_t i)
{
    jg_layout from, to;
    jg_array *made = NULL;
    /* check_triples has checked it. */
    int at = (int)(axis < 0 ? axis + x->ndim : axis);
    if (scope->status != JG_OK)
        return NULL;
    node_layout(x, &from);
    jg_status status = layout_slice(&from, at, i, 1, 1, true, &to);
    if (status == JG_OK)
        status = compose_view(x, &to, &made);
    return scope_take(scope, status, made);
}

/* Component i is x1[i + 1] * x2[i + 2] - x1[i + 2] * x2[i + 1], with indices modulo 3. Other axes
 * broadcast. */
jg_status compose_cross(jg_array *x1, jg_array *x2, int64_t axis, jg_array **out)
{
    const jg_dtype dtypes[] = {(jg_dtype)x1->dtype, (jg_dtype)x2->dtype};
    jg_array *parts[3], *made = NULL;
    op_types types;
    compose_scope scope = {0};
    JG_TRY(op_resolve_types(JG_OP_cross, 2, dtypes, &types));
    JG_TRY(check_triples("x1", x1, axis));
    JG_TRY(check_triples("x2", x2, axis));
    for (int i = 0; i < 3; ++i) {
        int next = (i + 1) % 3, last = (i + 2) % 3;
        jg_array *plus = scope_binary(&scope, jg_multiply, component(&scope, x1, axis, next),
                                      component(&scope, x2, axis, last));
        jg_array *minus = scope_binary(&scope, jg_multiply, component(&scope, x1, axis, last),
                                       component(&scope, x2, axis, next));
        parts[i] = scope_binary(&scope, jg_subtract, plus, minus);
    }
    if (scope.status != JG_OK)
        return scope_finish(&scope, NULL, out);
    jg_status status = jg_concat(3, parts, &axis, &made);
    return scope_finish(&scope, scope_take(&scope, status, made), out);
}
