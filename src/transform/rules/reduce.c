/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over axes. */
#include "transform/rules/rules.h"

/* x, of the result's shape, with an axis of extent 1 for each that was reduced. */
static jg_array *restore_axes(compose_scope *scope, const jg_array *node, jg_array *x)
{
    const jg_array *input = node->inputs[0];
    int64_t shape[JG_MAX_NDIM];
    for (int i = 0; i < input->ndim; ++i)
        shape[i] = node->attributes.reduce.axes >> i & 1 ? 1 : input->dims[i];
    return scope_shaped(scope, jg_reshape, x, input->ndim, shape);
}

static jg_array *broadcast_back(compose_scope *scope, const jg_array *node, jg_array *x)
{
    const jg_array *input = node->inputs[0];
    return scope_shaped(scope, jg_broadcast_to, restore_axes(scope, node, x), input->ndim,
                        node_shape(input));
}

jg_status cotangent_reduce_add(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    jg_array *share = broadcast_back(&scope, node, cotangent);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}

/* 1 / n where an element is one of the n extrema, else 0: each has an equal share. */
static jg_array *shares_of_extrema(compose_scope *scope, jg_array *node)
{
    jg_array *input = node->inputs[0];
    jg_array *is = scope_binary(scope, jg_equal, input, restore_axes(scope, node, node));
    jg_array *one = scope_cast(scope, is, (jg_dtype)node->dtype), *count = NULL;
    int64_t axes[JG_MAX_NDIM];
    int naxes = 0;
    for (int i = 0; i < input->ndim; ++i)
        if (node->attributes.reduce.axes >> i & 1)
            axes[naxes++] = i;
    count = scope_reduce(scope, compose_sum, one, naxes, axes, true);
    return scope_binary(scope, jg_divide, one, count);
}

static jg_array *sum_like(compose_scope *scope, const jg_array *node, jg_array *x)
{
    int64_t axes[JG_MAX_NDIM];
    int naxes = 0;
    for (int i = 0; i < node->inputs[0]->ndim; ++i)
        if (node->attributes.reduce.axes >> i & 1)
            axes[naxes++] = i;
    jg_array *sum = scope_reduce(scope, compose_sum, x, naxes, axes, true);
    return scope_shaped(scope, jg_reshape, sum, node->ndim, node_shape(node));
}

jg_status tangent_extremum(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *shares = shares_of_extrema(&scope, node);
    jg_array *chosen = scope_binary(&scope, jg_multiply, shares, tangents[0]);
    return scope_finish(&scope, sum_like(&scope, node, chosen), out);
}

jg_status cotangent_extremum(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    jg_array *spread = broadcast_back(&scope, node, cotangent);
    jg_array *share = scope_binary(&scope, jg_multiply, spread, shares_of_extrema(&scope, node));
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}
