/* SPDX-License-Identifier: Apache-2.0 */
/* Gather and scatter are transposes of each other: the cotangent of a gather is a scatter to the
 * same elements, and that of a scatter is a gather. */
#include "transform/rules/rules.h"

/* The place of the elements of an index space in a row-major array, in the form of the target of
 * index/scatter.c. The layout has the axes of the space, with extent 1 where an axis does not move,
 * and then one axis for each index array. */
typedef struct index_target {
    jg_layout layout;
    int ndim; /* of the space */
    const int64_t *shape;
    int narrays;
    jg_array *const *arrays; /* borrowed */
    uint64_t axes;           /* for messages: those that the caller indexed */
} index_target;

static jg_array *add_at(compose_scope *scope, jg_array *x, const index_target *target,
                        jg_array *updates, jg_scatter_mode mode)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status =
        compose_scatter_at(x, &target->layout, target->ndim, target->shape, target->narrays,
                           target->arrays, target->axes, updates, mode, &made);
    return scope_take(scope, status, made);
}

/* Gathers x, of the array's shape, at the scatter's positions. */
static jg_array *read_at(compose_scope *scope, jg_array *x, const index_target *target)
{
    jg_array *dense = NULL, *view = NULL, *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = graph_contiguous(x, &dense);
    if ((dense = scope_take(scope, status, dense)) == NULL)
        return NULL;
    jg_layout layout = target->layout;
    layout.offset += dense->offset;
    status = node_view(dense, &layout, &view);
    if ((view = scope_take(scope, status, view)) == NULL)
        return NULL;
    if (target->narrays == 0)
        return scope_shaped(scope, jg_broadcast_to, view, target->ndim, target->shape);
    jg_array *inputs[JG_MAX_NDIM + 1] = {view};
    for (int i = 0; i < target->narrays; ++i)
        inputs[i + 1] = target->arrays[i];
    const primitive_attributes attributes = {.gather = {.axes = target->axes}};
    status = graph_routine(JG_OP_gather, (jg_dtype)x->dtype, target->ndim, target->shape,
                           target->narrays + 1, inputs, &attributes, &made);
    return scope_take(scope, status, made);
}

static jg_array *zeros_like(compose_scope *scope, const jg_array *like)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = transform_zeros(like, &made);
    return scope_take(scope, status, made);
}

static jg_array *ones_like(compose_scope *scope, const jg_array *like)
{
    jg_array *one = scope_number(scope, like, 1);
    return scope_shaped(scope, jg_broadcast_to, one, like->ndim, node_shape(like));
}

/* The operand's axes are those of the result, of extent 1 where an index array varies, followed by
 * the indexed axes: the cotangent is added to a row-major array of that shape. */
jg_status cotangent_gather(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    const jg_array *x = node->inputs[0];
    index_target target = {.ndim = node->ndim,
                           .shape = node_shape(node),
                           .narrays = node->ninputs - 1,
                           .arrays = node->inputs + 1,
                           .axes = node_attributes_of(node)->gather.axes};
    JG_TRY(layout_init(&target.layout, x->ndim, node_shape(x)));
    jg_array *zeros = zeros_like(&scope, x);
    jg_array *share = add_at(&scope, zeros, &target, cotangent, JG_SCATTER_ADD);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, 0, share);
    return scope_close(&scope);
}

static jg_scatter_mode mode_of(const jg_array *node)
{
    return node_attributes_of(node)->scatter.mode;
}

/* Reads the target. waits: never, as it is an array of numbers that is there */
static jg_status find_target(const jg_array *node, index_target *out)
{
    int64_t numbers[SCATTER_MAX_NUMBERS], size = 1;
    const jg_array *updates = node->inputs[SCATTER_UPDATES];
    int ndim = updates->ndim, narrays = node->ninputs - SCATTER_ARRAYS;
    *out = (index_target){.ndim = ndim,
                          .shape = node_shape(updates),
                          .narrays = narrays,
                          .arrays = node->inputs + SCATTER_ARRAYS,
                          .axes = node_attributes_of(node)->scatter.axes};
    size_t nbytes = sizeof *numbers * (size_t)scatter_target_count(ndim, narrays);
    JG_TRY(jg_array_copy_to(node->inputs[SCATTER_TARGET], numbers, nbytes));
    const scatter_target target = scatter_target_of(numbers, ndim, narrays);
    jg_layout *layout = &out->layout;
    layout->ndim = ndim + narrays;
    layout->offset = target.offset;
    for (int i = 0; i < ndim; ++i) {
        layout->strides[i] = target.steps[i];
        layout->shape[i] = target.steps[i] == 0 ? 1 : updates->dims[i];
    }
    for (int i = 0; i < narrays; ++i) {
        layout->strides[ndim + i] = target.strides[i];
        layout->shape[ndim + i] = target.extents[i];
    }
    for (int i = 0; i < layout->ndim; ++i)
        size *= layout->shape[i];
    layout->size = size;
    return JG_OK;
}

/* 1 for the last of the updates of one element, else 0. Without index arrays all elements
 * differ. */
static jg_array *last_writers(compose_scope *scope, const jg_array *node,
                              const index_target *target)
{
    jg_array *updates = node->inputs[SCATTER_UPDATES], *x = node->inputs[SCATTER_X], *range = NULL,
             *none = NULL;
    const jg_number zero = {.kind = JG_KIND_INT}, one = {.kind = JG_KIND_INT, .i64 = 1};
    const jg_number size = {.kind = JG_KIND_INT, .i64 = updates->size};
    if (target->narrays == 0)
        return ones_like(scope, updates);
    jg_status status = jg_arange(JG_DTYPE_INT64, zero, size, one, &range);
    range = scope_take(scope, status, range);
    range = scope_shaped(scope, jg_reshape, range, updates->ndim, node_shape(updates));
    if (scope->status != JG_OK)
        return NULL;
    status = jg_full(JG_DTYPE_INT64, x->ndim, node_shape(x), zero, &none);
    none = scope_take(scope, status, none);
    jg_array *written = add_at(scope, none, target, range, JG_SCATTER_SET);
    jg_array *last = scope_binary(scope, jg_equal, read_at(scope, written, target), range);
    return scope_cast(scope, last, (jg_dtype)node->dtype);
}

/* The derivatives of each element of the result by x's element there, and by each update. */
typedef struct slopes {
    jg_array *x, *updates;
} slopes;

static slopes slopes_of_set(compose_scope *scope, jg_array *node, const index_target *target)
{
    jg_array *ones = ones_like(scope, node->inputs[SCATTER_X]);
    jg_array *zeros = zeros_like(scope, node->inputs[SCATTER_UPDATES]);
    return (slopes){add_at(scope, ones, target, zeros, JG_SCATTER_SET),
                    last_writers(scope, node, target)};
}

/* For each update u the product of x and of the other updates of the same element: by division,
 * but not by updates that are zero. Where one other update is zero, it is a factor, so that the
 * product has a derivative by it. */
static jg_array *product_of_others(compose_scope *scope, jg_array *x, jg_array *u,
                                   const index_target *target)
{
    jg_array *is_zero = scope_binary(scope, jg_equal, u, scope_number(scope, u, 0));
    jg_array *one = scope_number(scope, u, 1), *none = scope_number(scope, u, 0);
    jg_array *nonzero = scope_where(scope, is_zero, one, u);
    jg_array *zeros = zeros_like(scope, x);
    jg_array *counted = scope_cast(scope, is_zero, (jg_dtype)u->dtype);
    counted = read_at(scope, add_at(scope, zeros, target, counted, JG_SCATTER_ADD), target);
    jg_array *rest = read_at(scope, add_at(scope, x, target, nonzero, JG_SCATTER_MULTIPLY), target);
    jg_array *others =
        scope_binary(scope, jg_subtract, counted,
                     scope_where(scope, is_zero, one, none)); /* zeros among the other updates */
    jg_array *slope = scope_binary(scope, jg_divide, rest, nonzero);
    jg_array *own = scope_where(scope, is_zero, u, none);
    jg_array *all = read_at(scope, add_at(scope, zeros, target, own, JG_SCATTER_ADD), target);
    jg_array *by_zero =
        scope_binary(scope, jg_multiply, slope, scope_binary(scope, jg_subtract, all, own));
    jg_array *has_one = scope_binary(scope, jg_equal, others, one);
    jg_array *alone = scope_binary(scope, jg_equal, others, none);
    return scope_where(scope, alone, slope, scope_where(scope, has_one, by_zero, none));
}

static slopes slopes_of_product(compose_scope *scope, jg_array *node, const index_target *target)
{
    jg_array *x = node->inputs[SCATTER_X], *u = node->inputs[SCATTER_UPDATES];
    jg_array *by_x = add_at(scope, ones_like(scope, x), target, u, JG_SCATTER_MULTIPLY);
    return (slopes){by_x, product_of_others(scope, x, u, target)};
}

static slopes slopes_of_quotient(compose_scope *scope, jg_array *node, const index_target *target)
{
    jg_array *x = node->inputs[SCATTER_X], *u = node->inputs[SCATTER_UPDATES],
             *ones = ones_like(scope, x);
    jg_array *slope = scope_binary(scope, jg_divide, read_at(scope, node, target), u);
    return (slopes){add_at(scope, ones, target, u, JG_SCATTER_DIVIDE),
                    scope_unary(scope, jg_negative, slope)};
}

/* x to the power of the product of the updates. Its derivative by x is 0 where that product is 0,
 * as x then is raised to 0. */
static slopes slopes_of_power(compose_scope *scope, jg_array *node, const index_target *target)
{
    jg_array *x = node->inputs[SCATTER_X], *u = node->inputs[SCATTER_UPDATES],
             *ones = ones_like(scope, x);
    jg_array *exponent = add_at(scope, ones, target, u, JG_SCATTER_MULTIPLY);
    jg_array *less = scope_binary(scope, jg_subtract, exponent, scope_number(scope, x, 1));
    jg_array *none = scope_number(scope, x, 0);
    jg_array *is_flat = scope_binary(scope, jg_equal, exponent, none);
    less = scope_where(scope, is_flat, none, less);
    jg_array *by_x =
        scope_binary(scope, jg_multiply, exponent, scope_binary(scope, jg_pow, x, less));
    jg_array *is_zero = scope_binary(scope, jg_equal, x, none);
    jg_array *safe = scope_where(scope, is_zero, scope_number(scope, x, 1), x);
    jg_array *whole = scope_binary(scope, jg_multiply, node, scope_unary(scope, jg_log, safe));
    jg_array *others = product_of_others(scope, ones, u, target);
    return (slopes){by_x, scope_binary(scope, jg_multiply, read_at(scope, whole, target), others)};
}

/* Operands that equal the extremum have equal shares. */
static slopes slopes_of_extremum(compose_scope *scope, jg_array *node, const index_target *target)
{
    jg_array *x = node->inputs[SCATTER_X], *u = node->inputs[SCATTER_UPDATES];
    jg_dtype dtype = (jg_dtype)node->dtype;
    jg_array *by_x = scope_cast(scope, scope_binary(scope, jg_equal, x, node), dtype);
    jg_array *by_u =
        scope_cast(scope, scope_binary(scope, jg_equal, u, read_at(scope, node, target)), dtype);
    jg_array *count = add_at(scope, by_x, target, by_u, JG_SCATTER_ADD);
    return (slopes){scope_binary(scope, jg_divide, by_x, count),
                    scope_binary(scope, jg_divide, by_u, read_at(scope, count, target))};
}

static slopes find_slopes(compose_scope *scope, jg_array *node, const index_target *target)
{
    switch (mode_of(node)) {
    case JG_SCATTER_SET: return slopes_of_set(scope, node, target);
    case JG_SCATTER_MULTIPLY: return slopes_of_product(scope, node, target);
    case JG_SCATTER_DIVIDE: return slopes_of_quotient(scope, node, target);
    case JG_SCATTER_POWER: return slopes_of_power(scope, node, target);
    case JG_SCATTER_MAXIMUM:
    case JG_SCATTER_MINIMUM: return slopes_of_extremum(scope, node, target);
    default: break;
    }
    jg_array *u = node->inputs[SCATTER_UPDATES], *ones = ones_like(scope, u);
    return (slopes){NULL,
                    mode_of(node) == JG_SCATTER_ADD ? ones : scope_unary(scope, jg_negative, ones)};
}

/* NULL means 1. */
static jg_array *times(compose_scope *scope, jg_array *slope, jg_array *x)
{
    return slope == NULL ? x : scope_binary(scope, jg_multiply, slope, x);
}

jg_status tangent_scatter(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    compose_scope scope = {0};
    index_target target;
    JG_TRY(find_target(node, &target));
    slopes by = find_slopes(&scope, node, &target);
    jg_array *sum = tangents[SCATTER_X] != NULL ? times(&scope, by.x, tangents[SCATTER_X])
                                                : zeros_like(&scope, node->inputs[SCATTER_X]);
    if (tangents[SCATTER_UPDATES] != NULL)
        sum = add_at(&scope, sum, &target, times(&scope, by.updates, tangents[SCATTER_UPDATES]),
                     JG_SCATTER_ADD);
    return scope_finish(&scope, sum, out);
}

static jg_array *conjugate(compose_scope *scope, jg_array *x)
{
    if (scope->status != JG_OK || x == NULL || !dtype_is_complex((jg_dtype)x->dtype))
        return x;
    return scope_unary(scope, jg_conj, x);
}

jg_status cotangent_scatter(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    compose_scope scope = {0};
    index_target target;
    JG_TRY(find_target(node, &target));
    slopes by = find_slopes(&scope, node, &target);
    jg_array *of_x = times(&scope, conjugate(&scope, by.x), cotangent);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, SCATTER_X, of_x);
    if (!reverse_wants(pass, SCATTER_UPDATES))
        return scope_close(&scope);
    jg_array *read = read_at(&scope, cotangent, &target);
    jg_array *of_updates = times(&scope, conjugate(&scope, by.updates), read);
    if (scope.status == JG_OK)
        scope.status = reverse_give(pass, SCATTER_UPDATES, of_updates);
    return scope_close(&scope);
}
