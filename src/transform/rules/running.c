/* SPDX-License-Identifier: Apache-2.0 */
/* Products over axes, and running results along one.
 *
 * The derivative of a product by an element is the product of the others, which is not the whole
 * divided by the element where that is zero. So it is made of the products of those before and
 * behind it. Running results that are no sums are combined with those 1, 2, 4, ... elements before
 * (Hillis and Steele, "Data parallel algorithms", 1986), each with its tangent: that, too, divides
 * by nothing. */
#include "transform/rules/rules.h"

/* x moved by `by` elements along the axis, filled where no element moves to. */
static jg_array *shift(compose_scope *scope, jg_array *x, int axis, int64_t by, int64_t extent,
                       double fill)
{
    int64_t before[JG_MAX_NDIM] = {0}, shape[JG_MAX_NDIM];
    jg_array *value = scope_number(scope, x, fill), *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    for (int i = 0; i < x->ndim; ++i)
        shape[i] = i == axis ? extent : x->dims[i];
    before[axis] = by;
    jg_status status = compose_extend(JG_OP_pad, x, value, EXTEND_CONSTANT, before, shape, &made);
    return scope_take(scope, status, made);
}

/* x with the reduced axes as one, the last. */
static jg_array *line_up(compose_scope *scope, const jg_array *node, jg_array *x)
{
    const jg_array *input = node->inputs[0];
    int64_t axes[JG_MAX_NDIM], shape[JG_MAX_NDIM], length = 1;
    int kept = 0, at = 0;
    for (int i = 0; i < input->ndim; ++i)
        if (!(node->attributes.reduce.axes >> i & 1)) {
            axes[at++] = i;
            shape[kept++] = input->dims[i];
        }
    for (int i = 0; i < input->ndim; ++i)
        if (node->attributes.reduce.axes >> i & 1) {
            axes[at++] = i;
            length *= input->dims[i];
        }
    shape[kept++] = length;
    jg_array *turned = scope_shaped(scope, jg_permute_dims, x, input->ndim, axes);
    return scope_shaped(scope, jg_reshape, turned, kept, shape);
}

/* The products of all elements before each, or behind it. */
static jg_array *products_beside(compose_scope *scope, jg_array *x, bool behind)
{
    const int64_t axis = x ? x->ndim - 1 : 0;
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = jg_cumprod(x, &axis, behind, false, NULL, &made);
    return scope_take(scope, status, made);
}

jg_status tangent_reduce_multiply(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    jg_array *x = line_up(&scope, node, node->inputs[0]);
    jg_array *others = scope_binary(&scope, jg_multiply, products_beside(&scope, x, false),
                                    products_beside(&scope, x, true));
    jg_array *shares =
        scope_binary(&scope, jg_multiply, others, line_up(&scope, node, tangents[0]));
    const int64_t last = -1;
    jg_array *sum = scope_reduce(&scope, compose_sum, shares, 1, &last, false);
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, sum, node->ndim, node_shape(node)),
                        out);
}

/* A running result and its tangent. */
typedef struct running_pair {
    jg_array *value, *tangent;
} running_pair;

static double identity_of(cumulative_kind kind)
{
    return kind == CUMULATIVE_PRODUCT ? 1 : -__builtin_inf();
}

static running_pair combine(compose_scope *scope, cumulative_kind kind, running_pair a,
                            running_pair b)
{
    if (kind == CUMULATIVE_PRODUCT) {
        jg_array *first = scope_binary(scope, jg_multiply, a.tangent, b.value);
        jg_array *second = scope_binary(scope, jg_multiply, a.value, b.tangent);
        return (running_pair){scope_binary(scope, jg_multiply, a.value, b.value),
                              scope_binary(scope, jg_add, first, second)};
    }
    jg_array *value = scope_binary(scope, jg_logaddexp, a.value, b.value);
    jg_array *of_a = scope_unary(scope, jg_exp, scope_binary(scope, jg_subtract, a.value, value));
    jg_array *of_b = scope_unary(scope, jg_exp, scope_binary(scope, jg_subtract, b.value, value));
    jg_array *first = scope_binary(scope, jg_multiply, a.tangent, of_a);
    jg_array *second = scope_binary(scope, jg_multiply, b.tangent, of_b);
    return (running_pair){value, scope_binary(scope, jg_add, first, second)};
}

/* One step, with a scope of its own as there may be many. pair: +1 each, replaced */
static jg_status step(const cumulative_attributes *attributes, int64_t by, running_pair *pair)
{
    compose_scope scope = {0};
    int axis = (int)attributes->axis;
    int64_t extent = pair->value->dims[axis], move = attributes->reverse ? -by : by;
    running_pair before = {
        shift(&scope, pair->value, axis, move, extent, identity_of(attributes->kind)),
        shift(&scope, pair->tangent, axis, move, extent, 0)};
    running_pair made = combine(&scope, attributes->kind, before, *pair);
    if (scope.status == JG_OK) {
        jg_array_retain(made.value);
        jg_array_retain(made.tangent);
        jg_array_release(pair->value);
        jg_array_release(pair->tangent);
        *pair = made;
    }
    return scope_close(&scope);
}

static jg_array *scan(compose_scope *scope, const cumulative_attributes *attributes, jg_array *x,
                      jg_array *tangent)
{
    running_pair pair = {jg_array_retain(x), jg_array_retain(tangent)};
    for (int64_t by = 1; by < x->dims[attributes->axis] && scope->status == JG_OK; by *= 2)
        scope->status = step(attributes, by, &pair);
    jg_array_release(pair.value);
    if (scope->status != JG_OK) {
        jg_array_release(pair.tangent);
        return NULL;
    }
    return scope_take(scope, JG_OK, pair.tangent);
}

/* x's own running results, or those of numbers in its place. */
static jg_array *run_along(compose_scope *scope, const jg_array *node, jg_dtype dtype, jg_array *x,
                           const primitive_attributes *attributes)
{
    jg_array *out = NULL;
    jg_status status =
        graph_routine((jg_op)node->label, dtype, x->ndim, node_shape(x), 1, &x, attributes, &out);
    return scope_take(scope, status, out);
}

/* 0, 1, ... along an axis, of extent 1 along the others. */
static jg_array *count_along(compose_scope *scope, const jg_array *x, int64_t axis)
{
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1};
    const jg_number stop = {.kind = JG_KIND_INT, .i64 = x->dims[axis]};
    int64_t shape[JG_MAX_NDIM];
    jg_array *range = NULL;
    for (int i = 0; i < x->ndim; ++i)
        shape[i] = i == axis ? x->dims[axis] : 1;
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, stop, one, &range);
    range = scope_take(scope, status, range);
    return scope_shaped(scope, jg_reshape, range, x->ndim, shape);
}

/* The tangents of the elements that are the running extremum: an element that equals it is, and the
 * running maximum of their numbers tells the last one. */
static jg_array *pick(compose_scope *scope, const jg_array *node,
                      const cumulative_attributes *attributes, jg_array *tangent)
{
    jg_array *x = node->inputs[0], *dense = NULL, *taken = NULL;
    int64_t axis = attributes->axis, extent = x->dims[axis];
    primitive_attributes plain = {.cumulative = *attributes}, of_places = plain;
    plain.cumulative.initial = of_places.cumulative.initial = false;
    of_places.cumulative.kind = attributes->reverse ? CUMULATIVE_MINIMUM : CUMULATIVE_MAXIMUM;
    jg_array *running = run_along(scope, node, (jg_dtype)node->dtype, x, &plain);
    jg_array *is = scope_binary(scope, jg_equal, x, running);
    if (dtype_is_floating((jg_dtype)x->dtype)) /* no NaN equals itself */
        is = scope_binary(scope, jg_logical_or, is, scope_binary(scope, jg_not_equal, x, x));
    if (scope->status != JG_OK)
        return NULL;
    jg_array *range = count_along(scope, x, axis);
    jg_array *none = scope_whole(scope, range, attributes->reverse ? extent - 1 : 0);
    jg_array *positions = scope_where(scope, is, range, none);
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = graph_contiguous(positions, &dense);
    dense = scope_take(scope, status, dense);
    if (dense == NULL)
        return NULL;
    jg_array *last = run_along(scope, node, JG_DTYPE_INT64, dense, &of_places);
    if (last == NULL)
        return NULL;
    status = jg_take_along_axis(tangent, last, &axis, &taken);
    return scope_take(scope, status, taken);
}

/* The distance by which the initial result moves the running results; a result with as many
 * elements as x leaves out the last one. */
static int64_t moved_by_initial(const jg_array *node)
{
    const cumulative_attributes *attributes = &node_attributes_of(node)->cumulative;
    return attributes->reverse
               ? node->dims[attributes->axis] - node->inputs[0]->dims[attributes->axis] - 1
               : 1;
}

jg_status tangent_cumulative(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    const cumulative_attributes *attributes = &node_attributes_of(node)->cumulative;
    compose_scope scope = {0};
    if (attributes->kind == CUMULATIVE_SUM)
        return tangent_linear(node, tangents, out);
    bool picks = attributes->kind == CUMULATIVE_MAXIMUM || attributes->kind == CUMULATIVE_MINIMUM;
    jg_array *made = picks ? pick(&scope, node, attributes, tangents[0])
                           : scan(&scope, attributes, node->inputs[0], tangents[0]);
    if (attributes->initial && scope.status == JG_OK)
        made = shift(&scope, made, (int)attributes->axis, moved_by_initial(node),
                     node->dims[attributes->axis], 0);
    return scope_finish(&scope, made, out);
}

/* The running sum in the opposite direction; the cotangent of the result of no elements is left
 * out. */
static jg_status share_of_sum(reverse_pass *pass, const jg_array *node,
                              const cumulative_attributes *attributes, jg_array *cotangent)
{
    compose_scope scope = {0};
    const jg_array *x = node->inputs[0];
    primitive_attributes back = {.cumulative = *attributes};
    jg_array *g = cotangent, *dense = NULL, *share = NULL;
    back.cumulative.reverse = !attributes->reverse;
    back.cumulative.initial = false;
    if (attributes->initial)
        g = shift(&scope, g, (int)attributes->axis, -moved_by_initial(node),
                  x->dims[attributes->axis], 0);
    if (scope.status == JG_OK) {
        jg_status status = graph_contiguous(g, &dense);
        dense = scope_take(&scope, status, dense);
    }
    if (scope.status == JG_OK) {
        jg_status status = graph_routine((jg_op)node->label, (jg_dtype)node->dtype, x->ndim,
                                         node_shape(x), 1, &dense, &back, &share);
        share = scope_take(&scope, status, share);
    }
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}

jg_status cotangent_cumulative(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    const cumulative_attributes *attributes = &node_attributes_of(node)->cumulative;
    if (attributes->kind == CUMULATIVE_SUM)
        return share_of_sum(pass, node, attributes, cotangent);
    return tangent_cotangent(pass, node, cotangent);
}
