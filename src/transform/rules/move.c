/* SPDX-License-Identifier: Apache-2.0 */
/* Concatenation, and what reads elements of its operand several times: padding, repetition,
 * sorting.
 *
 * Each element of these results is one element of the operand. Where it is from is found by doing
 * the same to the operand's indices; the cotangents are then added up there. */
#include "transform/rules/rules.h"

static jg_array *slice(compose_scope *scope, jg_array *x, int axis, int64_t start, int64_t count)
{
    jg_layout from, to;
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    node_layout(x, &from);
    scope->status = layout_slice(&from, axis, start, count, 1, true, &to);
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = node_view(x, &to, &made);
    return scope_take(scope, status, made);
}

jg_status cotangent_concat(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    int axis = (int)node_attributes_of(node)->concat.axis;
    int64_t start = 0;
    for (int i = 0; i < node->ninputs && scope.status == JG_OK; ++i) {
        int64_t count = node->inputs[i]->dims[axis];
        if (reverse_wants(pass, i)) {
            jg_array *made = NULL;
            compose_scope inner = {0}; /* of its own: there may be many operands */
            jg_array *share = slice(&inner, cotangent, axis, start, count);
            scope.status = scope_finish(&inner, share, &made);
            if (scope.status == JG_OK)
                scope.status = reverse_give(pass, i, made);
            jg_array_release(made);
        }
        start += count;
    }
    return scope_close(&scope);
}

/* 0, 1, ... in the shape. */
static jg_array *count_up(compose_scope *scope, int ndim, const int64_t *shape, int64_t size)
{
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1};
    const jg_number stop = {.kind = JG_KIND_INT, .i64 = size};
    jg_array *range = NULL, *dense = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &range);
    range = scope_take(scope, status, range);
    range = scope_shaped(scope, jg_reshape, range, ndim, shape);
    if (scope->status != JG_OK)
        return NULL;
    status = graph_contiguous(range, &dense);
    return scope_take(scope, status, dense);
}

/* The node's routine on other operands, with the dtype of the first. */
static jg_array *same_routine(compose_scope *scope, const jg_array *node, jg_array *const *inputs)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status =
        graph_routine((jg_op)node->label, (jg_dtype)inputs[0]->dtype, node->ndim, node_shape(node),
                      node->ninputs, inputs, node_attributes_of(node), &made);
    return scope_take(scope, status, made);
}

/* g added to zeros of size elements at the positions, both as one line. */
static jg_array *add_at(compose_scope *scope, jg_array *g, jg_array *positions, int64_t size)
{
    const jg_number zero = {.kind = JG_KIND_INT};
    int64_t line = g->size, axis = 0;
    jg_array *zeros = NULL, *added = NULL;
    jg_array *updates = scope_shaped(scope, jg_reshape, g, 1, &line);
    positions = scope_shaped(scope, jg_reshape, positions, 1, &line);
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_full((jg_dtype)g->dtype, 1, &size, zero, &zeros);
    if ((zeros = scope_take(scope, status, zeros)) == NULL)
        return NULL;
    status = jg_scatter_add(zeros, 1, &positions, updates, 1, &axis, &added);
    return scope_take(scope, status, added);
}

static jg_status give_in_shape(reverse_pass *pass, compose_scope *scope, const jg_array *like,
                               jg_array *line)
{
    jg_array *share = scope_shaped(scope, jg_reshape, line, like->ndim, node_shape(like));
    if (scope->status == JG_OK)
        scope->status = reverse_give(pass, 0, share);
    return scope->status;
}

/* The part of the cotangent that x itself is in, where x was extended on no side by less than
 * nothing; NULL where it was. waits: never, as `before` is an array of numbers that is there */
static jg_array *inner_part(compose_scope *scope, const jg_array *node, jg_array *cotangent)
{
    const jg_array *x = node->inputs[0];
    int64_t before[JG_MAX_NDIM];
    jg_array *part = cotangent;
    scope->status = jg_array_copy_to(node->inputs[2], before, (size_t)x->ndim * sizeof *before);
    for (int i = 0; i < x->ndim && scope->status == JG_OK; ++i)
        if (before[i] < 0 || before[i] + x->dims[i] > node->dims[i])
            return NULL;
    for (int i = 0; i < x->ndim && scope->status == JG_OK; ++i)
        if (x->dims[i] != node->dims[i])
            part = slice(scope, part, i, before[i], x->dims[i]);
    return part;
}

/* A filled element gets the position after x's last element. */
static jg_array *sum_by_source(compose_scope *scope, const jg_array *node, jg_array *cotangent)
{
    const jg_array *x = node->inputs[0];
    jg_array *positions = count_up(scope, x->ndim, node_shape(x), x->size);
    jg_array *behind = scope_whole(scope, positions, x->size);
    jg_array *const inputs[] = {positions, behind, node->inputs[2]};
    return add_at(scope, cotangent, same_routine(scope, node, inputs), x->size + 1);
}

static jg_status give_by_source(reverse_pass *pass, compose_scope *scope, const jg_array *node,
                                jg_array *cotangent)
{
    const jg_array *x = node->inputs[0];
    jg_array *sums = sum_by_source(scope, node, cotangent);
    give_in_shape(pass, scope, x, slice(scope, sums, 0, 0, x->size));
    jg_array *fill = slice(scope, sums, 0, x->size, 1);
    fill = scope_shaped(scope, jg_reshape, fill, 0, NULL);
    if (scope->status == JG_OK)
        scope->status = reverse_give(pass, 1, fill);
    return scope_close(scope);
}

jg_status cotangent_extend(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    bool constant = node_attributes_of(node)->extend.mode == EXTEND_CONSTANT;
    jg_array *part = constant ? inner_part(&scope, node, cotangent) : NULL;
    if (part == NULL)
        return give_by_source(pass, &scope, node, cotangent);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, part);
    if (!reverse_wants(pass, 1))
        return scope_close(&scope);
    jg_array *all = scope_reduce(&scope, compose_sum, cotangent, -1, NULL, false);
    jg_array *inner = scope_reduce(&scope, compose_sum, part, -1, NULL, false);
    jg_array *fill = scope_binary(&scope, jg_subtract, all, inner);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 1, fill);
    return scope_close(&scope);
}

/* Copies of an index lie side by side: a further axis that is summed. */
static jg_array *sum_copies(compose_scope *scope, const jg_array *node, jg_array *cotangent)
{
    const repeat_attributes *repeat = &node_attributes_of(node)->repeat;
    int64_t shape[JG_MAX_NDIM], axis = repeat->axis + 1;
    for (int i = 0; i < node->ndim; ++i)
        shape[i < axis ? i : i + 1] = node->inputs[0]->dims[i];
    shape[axis] = repeat->times;
    jg_array *apart = scope_shaped(scope, jg_reshape, cotangent, node->ndim + 1, shape);
    return scope_reduce(scope, compose_sum, apart, 1, &axis, false);
}

jg_status cotangent_repeat(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    const jg_array *x = node->inputs[0];
    if (node->ninputs == 1 && node->ndim + 1 <= JG_MAX_NDIM) {
        jg_array *share = sum_copies(&scope, node, cotangent);
        if (scope.status == JG_OK)
            scope.status = reverse_give(pass, 0, share);
        return scope_close(&scope);
    }
    jg_array *positions = count_up(&scope, x->ndim, node_shape(x), x->size);
    jg_array *const inputs[] = {positions, node->ninputs > 1 ? node->inputs[1] : NULL};
    jg_array *sums = add_at(&scope, cotangent, same_routine(&scope, node, inputs), x->size);
    give_in_shape(pass, &scope, x, sums);
    return scope_close(&scope);
}

/* The indices along the last axis from which the elements of the sorted lines come. */
static jg_array *sources(compose_scope *scope, const jg_array *node)
{
    primitive_attributes attributes = {.sort = node_attributes_of(node)->sort};
    attributes.sort.indices = true;
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = graph_routine(JG_OP_argsort, JG_DTYPE_INT64, node->ndim, node_shape(node), 1,
                                     node->inputs, &attributes, &made);
    return scope_take(scope, status, made);
}

jg_status tangent_sort(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    const int64_t last = -1;
    jg_array *from = sources(&scope, node), *taken = NULL;
    if (scope.status == JG_OK) {
        jg_status status = jg_take_along_axis(tangents[0], from, &last, &taken);
        taken = scope_take(&scope, status, taken);
    }
    return scope_finish(&scope, taken, out);
}

jg_status cotangent_sort(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    const jg_array *x = node->inputs[0];
    int64_t shape[JG_MAX_NDIM], length = x->dims[x->ndim - 1];
    for (int i = 0; i < x->ndim; ++i)
        shape[i] = i < x->ndim - 1 ? x->dims[i] : 1;
    jg_array *rows = count_up(&scope, x->ndim, shape, length > 0 ? x->size / length : 0);
    jg_array *starts = scope_binary(&scope, jg_multiply, rows, scope_whole(&scope, rows, length));
    jg_array *positions = scope_binary(&scope, jg_add, starts, sources(&scope, node));
    give_in_shape(pass, &scope, x, add_at(&scope, cotangent, positions, x->size));
    return scope_close(&scope);
}
