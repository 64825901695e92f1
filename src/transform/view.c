/* SPDX-License-Identifier: Apache-2.0 */
/* Views: a layout over a row-major root, forward over the root's tangent, backward into it.
 *
 * Backward there are three ways. Where the view has each element of the root once, the cotangent of
 * the root is the view's in another order, which costs nothing. Axes of stride 0 are summed. What
 * is left is added to the root's elements by one scatter, so that several slices of a root are
 * added one after the other in the same memory.
 *
 * A node that is built again may be a view, too. */
#include "transform/transform.h"
#include <string.h>

/* Over the root's elements, counted from its first. */
static void relative_layout(const jg_array *view, jg_layout *out)
{
    node_layout(view, out);
    out->offset -= view->inputs[0]->offset;
}

static bool has_strides(const jg_array *x, const jg_array *like)
{
    bool same = x->ndim == like->ndim;
    for (int i = 0; same && i < x->ndim; ++i)
        same = node_strides(x)[i] == node_strides(like)[i];
    return same;
}

/* If the new root has the strides of the view's own root, no copy is needed, row-major or not. */
jg_status transform_view_apply(const jg_array *view, jg_array *root, jg_array **out)
{
    jg_layout layout;
    jg_array *base;
    relative_layout(view, &layout);
    if (has_strides(root, view->inputs[0]))
        base = jg_array_retain(root);
    else
        JG_TRY(graph_contiguous(root, &base));
    layout.offset += base->offset;
    jg_status status = node_view_as(base, (jg_dtype)view->dtype, &layout, out);
    jg_array_release(base);
    return status;
}

jg_status tangent_view(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    return transform_view_apply(node, tangents[0], out);
}

/* Sums x, the cotangent of a view, over the axes that the view does not move along; the layout has
 * extent 1 there afterwards. */
static jg_array *sum_still_axes(compose_scope *scope, jg_array *x, jg_layout *layout)
{
    int64_t axes[JG_MAX_NDIM];
    int naxes = 0;
    for (int i = 0; i < layout->ndim; ++i)
        if (layout->strides[i] == 0 && layout->shape[i] > 1) {
            axes[naxes++] = i;
            layout->size /= layout->shape[i];
            layout->shape[i] = 1;
        }
    return naxes > 0 ? scope_reduce(scope, compose_sum, x, naxes, axes, true) : x;
}

/* x and its layout without negative strides. */
static jg_array *turn_forward(compose_scope *scope, jg_array *x, jg_layout *layout)
{
    int64_t axes[JG_MAX_NDIM];
    int naxes = 0;
    for (int i = 0; i < layout->ndim; ++i)
        if (layout->strides[i] < 0 && layout->shape[i] > 1) {
            axes[naxes++] = i;
            layout->offset += layout->strides[i] * (layout->shape[i] - 1);
            layout->strides[i] = -layout->strides[i];
        }
    jg_array *turned = NULL;
    if (naxes == 0 || scope->status != JG_OK)
        return x;
    jg_status status = jg_flip(x, naxes, axes, &turned);
    return scope_take(scope, status, turned);
}

/* The axes of more than one element, by falling stride; the others come first. */
static void sort_axes(const jg_layout *layout, int64_t *axes)
{
    for (int i = 0; i < layout->ndim; ++i) {
        int at = i;
        bool moves = layout->shape[i] > 1;
        while (at > 0 && layout->shape[axes[at - 1]] > 1 &&
               (!moves || layout->strides[axes[at - 1]] < layout->strides[i])) {
            axes[at] = axes[at - 1];
            --at;
        }
        axes[at] = i;
    }
}

/* Whether the layout has every element of a row-major array of that many elements once. Of layouts
 * without negative strides. */
static bool covers(const jg_layout *layout, const int64_t *axes, int64_t size)
{
    int64_t next = 1;
    if (layout->offset != 0 || layout->size != size)
        return false;
    for (int i = layout->ndim; i-- > 0;) {
        int64_t axis = axes[i];
        if (layout->shape[axis] > 1 && layout->strides[axis] != next)
            return false;
        next *= layout->shape[axis];
    }
    return true;
}

/* Whether no element is there twice, told from the strides: each is beyond the reach of the
 * smaller ones. axes: as sort_axes has them. */
static bool is_injective(const jg_layout *layout, const int64_t *axes)
{
    int64_t reach = 0;
    for (int i = layout->ndim; i-- > 0;) {
        int64_t axis = axes[i];
        if (layout->shape[axis] <= 1)
            continue;
        if (layout->strides[axis] <= reach)
            return false;
        reach += layout->strides[axis] * (layout->shape[axis] - 1);
    }
    return true;
}

/* The index in the root of each element of the layout, as one line. */
static jg_array *list_positions(compose_scope *scope, const jg_layout *layout)
{
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1};
    jg_number offset = {.kind = JG_KIND_INT, .i64 = layout->offset};
    int64_t line = layout->size;
    jg_array *positions = NULL;
    jg_status status = jg_full(JG_DTYPE_INT64, 0, NULL, offset, &positions);
    positions = scope_take(scope, status, positions);
    for (int i = 0; i < layout->ndim && scope->status == JG_OK; ++i) {
        jg_number stop = {.kind = JG_KIND_INT, .i64 = layout->shape[i]};
        int64_t shape[JG_MAX_NDIM];
        jg_array *range = NULL;
        for (int j = 0; j < layout->ndim; ++j)
            shape[j] = j == i ? layout->shape[i] : 1;
        status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &range);
        range = scope_take(scope, status, range);
        range = scope_shaped(scope, jg_reshape, range, layout->ndim, shape);
        range =
            scope_binary(scope, jg_multiply, range, scope_whole(scope, range, layout->strides[i]));
        positions = scope_binary(scope, jg_add, positions, range);
    }
    positions = scope_shaped(scope, jg_broadcast_to, positions, layout->ndim, layout->shape);
    return scope_shaped(scope, jg_reshape, positions, 1, &line);
}

/* Elements that are there twice: each update finds its position by an index. */
static jg_array *add_by_index(compose_scope *scope, jg_array *root, jg_array *x,
                              const jg_layout *layout)
{
    int64_t whole = root->size, line = layout->size, axis = 0;
    jg_array *added = NULL, *flat = scope_shaped(scope, jg_reshape, root, 1, &whole);
    jg_array *updates = scope_shaped(scope, jg_reshape, x, 1, &line);
    jg_array *positions = list_positions(scope, layout);
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_scatter_add(flat, 1, &positions, updates, 1, &axis, &added);
    added = scope_take(scope, status, added);
    return scope_shaped(scope, jg_reshape, added, root->ndim, node_shape(root));
}

/* The root's cotangent with x added where the layout is. */
static jg_array *add_into(compose_scope *scope, const jg_array *like, jg_array *had, jg_array *x,
                          const jg_layout *layout, bool injective)
{
    jg_array *root = had, *added = NULL;
    jg_status status = JG_OK;
    if (scope->status != JG_OK)
        return NULL;
    if (root == NULL) {
        status = transform_zeros(like, &root);
        root = scope_take(scope, status, root);
    }
    if (scope->status != JG_OK)
        return NULL;
    if (!injective)
        return add_by_index(scope, root, x, layout);
    status = compose_scatter_layout(root, layout, x, JG_SCATTER_ADD, &added);
    return scope_take(scope, status, added);
}

/* x in the order of the root's elements. */
static jg_array *put_in_order(compose_scope *scope, const jg_array *like, jg_array *had,
                              jg_array *x, const jg_layout *layout, const int64_t *axes)
{
    jg_array *ordered = scope_shaped(scope, jg_permute_dims, x, layout->ndim, axes);
    ordered = scope_shaped(scope, jg_reshape, ordered, like->ndim, node_shape(like));
    return had == NULL ? ordered : scope_binary(scope, jg_add, had, ordered);
}

jg_status cotangent_view(const jg_array *view, jg_array *cotangent, jg_array **root)
{
    const jg_array *like = view->inputs[0];
    compose_scope scope = {0};
    jg_layout layout;
    int64_t axes[JG_MAX_NDIM];
    jg_array *sum, *had = *root;
    relative_layout(view, &layout);
    if (layout.size == 0)
        return JG_OK;
    jg_array *x = sum_still_axes(&scope, cotangent, &layout);
    x = turn_forward(&scope, x, &layout);
    sort_axes(&layout, axes);
    jg_array *result = covers(&layout, axes, like->size)
                           ? put_in_order(&scope, like, had, x, &layout, axes)
                           : add_into(&scope, like, had, x, &layout, is_injective(&layout, axes));
    JG_TRY(scope_finish(&scope, result, &sum));
    jg_array_release(had);
    *root = sum;
    return JG_OK;
}

static jg_status rebuild_fitted(const jg_array *node, jg_array *const *inputs, jg_array **fitted,
                                jg_array **out)
{
    jg_status status = JG_OK;
    int done = 0;
    for (; done < node->ninputs && status == JG_OK; done += status == JG_OK)
        status = transform_fit(node->inputs[done], inputs[done], &fitted[done]);
    if (status == JG_OK)
        status = node_rebuild(node, fitted, out);
    while (done > 0)
        jg_array_release(fitted[--done]);
    return status;
}

jg_status transform_replay(const jg_array *node, jg_array *const *inputs, jg_array **out)
{
    jg_array *few[GRAPH_FEW_INPUTS], **fitted = few;
    if (node->primitive == PRIMITIVE_view)
        return transform_view_apply(node, inputs[0], out);
    if (node->primitive ==
        PRIMITIVE_marker) { /* its tracing has ended: nothing needs it any more */
        *out = jg_array_retain(inputs[0]);
        return JG_OK;
    }
    size_t nbytes = (size_t)node->ninputs * sizeof *fitted;
    if (node->ninputs > GRAPH_FEW_INPUTS && (fitted = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "a node that is built again");
    jg_status status = rebuild_fitted(node, inputs, fitted, out);
    if (fitted != few)
        base_free(fitted);
    return status;
}
