/* SPDX-License-Identifier: Apache-2.0 */
/* Operand checks of windows over space. Operands have five axes: the batch, three of space,
 * channels; axes of space that the user's array does not have come first and have an extent of
 * 1. */
#include "function/function.h"

/* The largest stride, dilation and the like. */
enum { MAX_COUNT = 1 << 20 };

/* The result as five axes. */
typedef struct window_result {
    int64_t batch, channels, space[PRIMITIVE_SPACE_AXES];
} window_result;

static jg_status describe(const function_node *node, bool channels_first, window_result *out)
{
    const function_result *said = &node->results[0];
    int rank = said->ndim - 2, first = channels_first ? 2 : 1;
    FUNCTION_NEEDS_RESULT(node, rank >= 1 && rank <= PRIMITIVE_SPACE_AXES, "3 to %d axes",
                          PRIMITIVE_SPACE_AXES + 2);
    *out = (window_result){
        said->shape[0], said->shape[channels_first ? 1 : said->ndim - 1], {1, 1, 1}};
    for (int i = 0; i < rank; ++i)
        out->space[PRIMITIVE_SPACE_AXES - rank + i] = said->shape[first + i];
    return JG_OK;
}

/* All are from `least` on and small enough to be added and multiplied. */
static jg_status check_counts(const function_node *node, const char *name, const int64_t *values,
                              int64_t least)
{
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        FUNCTION_NEEDS(node, values[i] >= least && values[i] <= MAX_COUNT,
                       "%s: got %" PRId64 ", allowed is %" PRId64 " to %d", name, values[i], least,
                       MAX_COUNT);
    return JG_OK;
}

static jg_status check_extents(const function_node *node, int input)
{
    const jg_array *x = node->inputs[input];
    FUNCTION_NEEDS_INPUT(node, x->ndim == WINDOW_NDIM, input, "%d axes", WINDOW_NDIM);
    for (int i = 0; i < WINDOW_NDIM; ++i)
        FUNCTION_NEEDS_INPUT(node, x->dims[i] <= FUNCTION_LIMIT, input,
                             "at most %" PRId64 " elements along axis %d", FUNCTION_LIMIT, i);
    return JG_OK;
}

static bool is_convolved(jg_dtype dtype)
{
    bool numbers = dtype_is_floating(dtype) || dtype_is_complex(dtype) || dtype == JG_DTYPE_INT32 ||
                   dtype == JG_DTYPE_INT64;
    return numbers && dtype_rows[dtype].computable;
}

static jg_status check_operands(function_node *node)
{
    FUNCTION_NEEDS_INPUTS(node, 2);
    const jg_array *x = node->inputs[0], *w = node->inputs[1];
    FUNCTION_NEEDS_INPUT(node, is_convolved((jg_dtype)x->dtype), 0,
                         "floating, complex, int32 or int64 numbers that are computed with");
    FUNCTION_NEEDS_INPUT(node, x->dtype == w->dtype, 1, "an array of %s, as input 0 is",
                         dtype_rows[x->dtype].name);
    JG_TRY(check_extents(node, 0));
    return check_extents(node, 1);
}

static jg_status check_groups(function_node *node, int64_t groups)
{
    const int64_t *x = node->inputs[0]->dims, *w = node->inputs[1]->dims;
    FUNCTION_NEEDS(node,
                   groups >= 1 && w[0] % groups == 0 && x[WINDOW_CHANNELS] % groups == 0 &&
                       x[WINDOW_CHANNELS] / groups == w[WINDOW_CHANNELS],
                   "groups: got %" PRId64 " of %" PRId64 " channels and %" PRId64
                   " weights of %" PRId64
                   " channels, allowed is one that divides both into as many",
                   groups, x[WINDOW_CHANNELS], w[0], w[WINDOW_CHANNELS]);
    return JG_OK;
}

/* The weights' and the result's extents along the axes of space. */
static jg_status check_convolved_space(function_node *node, const window_result *y)
{
    const int64_t *w = node->inputs[1]->dims;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i) {
        FUNCTION_NEEDS_INPUT(
            node, w[WINDOW_SPACE + i] >= 1 && w[WINDOW_SPACE + i] < FUNCTION_LIMIT / MAX_COUNT, 1,
            "1 to %" PRId64 " elements along axis %d", FUNCTION_LIMIT / MAX_COUNT - 1,
            WINDOW_SPACE + i);
        FUNCTION_NEEDS_RESULT(node, y->space[i] < FUNCTION_LIMIT,
                              "less than %" PRId64 " elements along each axis", FUNCTION_LIMIT);
    }
    return JG_OK;
}

jg_status function_check_convolve(function_node *node, function_made *out)
{
    const convolve_attributes *attributes = &node->attributes.convolve;
    window_result y;
    JG_TRY(check_operands(node));
    const jg_array *x = node->inputs[0], *w = node->inputs[1];
    JG_TRY(describe(node, attributes->channels_first, &y));
    JG_TRY(check_counts(node, "stride", attributes->stride, 1));
    JG_TRY(check_counts(node, "dilation", attributes->dilation, 1));
    JG_TRY(check_counts(node, "spread", attributes->spread, 1));
    JG_TRY(check_counts(node, "before", attributes->before, -MAX_COUNT));
    JG_TRY(check_groups(node, attributes->groups));
    FUNCTION_NEEDS_RESULT(node, y.batch == x->dims[0] && y.channels == w->dims[0],
                          "a batch of %" PRId64 " with %" PRId64 " channels", x->dims[0],
                          w->dims[0]);
    JG_TRY(check_convolved_space(node, &y));
    return function_make(node, (jg_dtype)x->dtype, out);
}

/* Each window holds an element: one that begins before the first has a tap inside, and the last one
 * begins inside. */
static bool holds_elements(const pool_attributes *attributes, int axis, int64_t in, int64_t made)
{
    int64_t dilation = attributes->dilation[axis], before = attributes->before[axis];
    if (made == 0)
        return true;
    if (in < 1 || (made - 1) * attributes->stride[axis] - before >= in)
        return false;
    return before == 0 || (before <= (attributes->window[axis] - 1) * dilation && in >= dilation);
}

/* An array that the op takes as it is. */
static jg_status check_pooled(function_node *node, bool mean)
{
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_dtype dtype = (jg_dtype)node->inputs[0]->dtype;
    op_types types;
    JG_TRY(op_resolve_types(mean ? JG_OP_avg_pool1d : JG_OP_max_pool1d, 1, &dtype, &types));
    FUNCTION_NEEDS_INPUT(node, types.operand[0] == dtype, 0, "an array of %s",
                         dtype_rows[types.operand[0]].name);
    return check_extents(node, 0);
}

static jg_status check_pooled_space(function_node *node, const window_result *y)
{
    const int64_t *x = node->inputs[0]->dims;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        FUNCTION_NEEDS_RESULT(
            node,
            y->space[i] < FUNCTION_LIMIT &&
                holds_elements(&node->attributes.pool, i, x[WINDOW_SPACE + i], y->space[i]),
            "less than %" PRId64 " windows along each axis, that hold an element of its input each",
            FUNCTION_LIMIT);
    return JG_OK;
}

jg_status function_check_pool(function_node *node, function_made *out)
{
    const pool_attributes *attributes = &node->attributes.pool;
    window_result y;
    JG_TRY(check_pooled(node, attributes->mean));
    const jg_array *x = node->inputs[0];
    JG_TRY(describe(node, attributes->channels_first, &y));
    JG_TRY(check_counts(node, "window", attributes->window, 1));
    JG_TRY(check_counts(node, "stride", attributes->stride, 1));
    JG_TRY(check_counts(node, "dilation", attributes->dilation, 1));
    JG_TRY(check_counts(node, "before", attributes->before, 0));
    JG_TRY(check_counts(node, "after", attributes->after, 0));
    FUNCTION_NEEDS(node, attributes->divisor >= 0, "divisor: got %" PRId64 ", allowed is 0 or more",
                   attributes->divisor);
    FUNCTION_NEEDS_RESULT(node, y.batch == x->dims[0] && y.channels == x->dims[WINDOW_CHANNELS],
                          "a batch of %" PRId64 " with %" PRId64 " channels", x->dims[0],
                          x->dims[WINDOW_CHANNELS]);
    JG_TRY(check_pooled_space(node, &y));
    return function_make(node, (jg_dtype)x->dtype, out);
}
