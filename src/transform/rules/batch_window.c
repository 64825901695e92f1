/* SPDX-License-Identifier: Apache-2.0 */
/* Batching of what windows over space give. The operands have the axes batch, three of space,
 * channels; the result those of the space that there is, with channels first or last.
 *
 * The batch becomes part of the operand's own where the weights are shared, of the results'
 * channels where the input is, and groups of channels where neither is. */
#include "transform/batch.h"
#include <string.h>

enum { X, W, OPERAND_AXES = 5 };

static jg_array *input_of(compose_scope *scope, const batch_call *call, int i)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = batch_input(call, i, &made);
    return scope_take(scope, status, made);
}

static jg_array *make(compose_scope *scope, const batch_call *call, const int64_t *shape,
                      jg_array *const *inputs, const primitive_attributes *attributes)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = batch_make_shaped(call, call->node->ndim, shape, inputs, attributes, &made);
    return scope_take(scope, status, made);
}

static jg_array *move(compose_scope *scope, jg_array *x, int from, int to)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = batch_move_axis(x, from, to, &made);
    return scope_take(scope, status, made);
}

/* Joins axis `first` and the next axis to one. */
static jg_array *merge(compose_scope *scope, jg_array *x, int first)
{
    int64_t shape[JG_MAX_NDIM];
    if (x == NULL)
        return NULL;
    for (int i = 0, to = 0; i < x->ndim; ++i)
        if (i == first + 1)
            shape[to - 1] *= x->dims[i];
        else
            shape[to++] = x->dims[i];
    return scope_shaped(scope, jg_reshape, x, x->ndim - 1, shape);
}

/* Makes the axis two, of which the first has that extent. */
static jg_array *split(compose_scope *scope, jg_array *x, int axis, int64_t first, int64_t second)
{
    int64_t shape[JG_MAX_NDIM];
    if (x == NULL)
        return NULL;
    for (int i = 0, to = 0; i < x->ndim; ++i) {
        shape[to++] = i == axis ? first : x->dims[i];
        if (i == axis)
            shape[to++] = second;
    }
    return scope_shaped(scope, jg_reshape, x, x->ndim + 1, shape);
}

/* The batch and x's own one after the other. */
static jg_status fold(const batch_call *call, jg_array **out)
{
    compose_scope scope = {0};
    const jg_array *node = call->node;
    int64_t shape[JG_MAX_NDIM];
    if (call->extent == 0)
        return batch_loop(call, out);
    memcpy(shape, node_shape(node), (size_t)node->ndim * sizeof *shape);
    shape[0] *= call->extent;
    jg_array *const inputs[] = {merge(&scope, input_of(&scope, call, X), 0),
                                node->ninputs > 1 ? call->inputs[W] : NULL};
    jg_array *made = make(&scope, call, shape, inputs, NULL);
    return scope_finish(&scope, split(&scope, made, 0, call->extent, node->dims[0]), out);
}

jg_status batch_pool(const batch_call *call, jg_array **out)
{
    return fold(call, out);
}

/* The result's axis of channels. */
static int channels_axis(const jg_array *node)
{
    return node_attributes_of(node)->convolve.channels_first ? 1 : node->ndim - 1;
}

static void widened_shape(const batch_call *call, int64_t *shape)
{
    const jg_array *node = call->node;
    memcpy(shape, node_shape(node), (size_t)node->ndim * sizeof *shape);
    shape[channels_axis(node)] *= call->extent;
}

/* Only weights are mapped: each group of channels gets as many times its results as the batch has
 * elements. */
static jg_status widen_groups(const batch_call *call, jg_array **out)
{
    compose_scope scope = {0};
    const jg_array *node = call->node;
    int64_t groups = node_attributes_of(node)->convolve.groups, shape[JG_MAX_NDIM];
    int axis = channels_axis(node);
    int64_t each = node->dims[axis] / groups;
    widened_shape(call, shape);
    jg_array *w = split(&scope, input_of(&scope, call, W), 1, groups, each);
    w = merge(&scope, merge(&scope, move(&scope, w, 0, 1), 1), 0);
    jg_array *const inputs[] = {call->inputs[X], w};
    jg_array *made = make(&scope, call, shape, inputs, NULL);
    made = split(&scope, made, axis, groups, call->extent * each);
    made = split(&scope, made, axis + 1, call->extent, each);
    made = move(&scope, made, axis + 1, 0);
    return scope_finish(&scope, merge(&scope, made, axis + 1), out);
}

/* Both are mapped: each of the batch has groups of its own. */
static jg_status add_groups(const batch_call *call, jg_array **out)
{
    compose_scope scope = {0};
    const jg_array *node = call->node;
    primitive_attributes attributes;
    int64_t shape[JG_MAX_NDIM];
    int axis = channels_axis(node);
    batch_attributes(node, &attributes);
    attributes.convolve.groups *= call->extent;
    widened_shape(call, shape);
    jg_array *x = move(&scope, input_of(&scope, call, X), 0, OPERAND_AXES - 1);
    jg_array *const inputs[] = {merge(&scope, x, OPERAND_AXES - 1),
                                merge(&scope, input_of(&scope, call, W), 0)};
    jg_array *made = make(&scope, call, shape, inputs, &attributes);
    made = split(&scope, made, axis, call->extent, node->dims[axis]);
    return scope_finish(&scope, move(&scope, made, axis, 0), out);
}

jg_status batch_convolve(const batch_call *call, jg_array **out)
{
    if (call->extent == 0)
        return batch_loop(call, out);
    if (!call->mapped[W])
        return fold(call, out);
    return call->mapped[X] ? add_groups(call, out) : widen_groups(call, out);
}
