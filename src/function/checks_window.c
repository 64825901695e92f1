/* SPDX-License-Identifier: Apache-2.0 */
/* Operand checks of windows over space. Operands have five axes: the batch, three of space,
 * channels; axes of space that the user's array does not have come first and have an extent of
 * 1. */
#include "function/function.h"

enum { NDIM = PRIMITIVE_SPACE_AXES + 2, SPACE = 1, CHANNELS = SPACE + PRIMITIVE_SPACE_AXES };

/* The result as five axes. */
typedef struct window_result {
    int64_t batch, channels, space[PRIMITIVE_SPACE_AXES];
} window_result;

static jg_status describe(const function_node *node, bool channels_first, window_result *out)
{
    const function_result *said = &node->results[0];
    int rank = said->ndim - 2, first = channels_first ? 2 : 1;
    FUNCTION_NEEDS(node, rank >= 1 && rank <= PRIMITIVE_SPACE_AXES, "its shape is another");
    *out = (window_result){
        said->shape[0], said->shape[channels_first ? 1 : said->ndim - 1], {1, 1, 1}};
    for (int i = 0; i < rank; ++i)
        out->space[PRIMITIVE_SPACE_AXES - rank + i] = said->shape[first + i];
    return JG_OK;
}

/* Whether all are from `least` on and small enough to be added and multiplied. */
static bool are_counts(const int64_t *values, int64_t least)
{
    enum { MAX_VALUE = 1 << 20 };
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        if (values[i] < least || values[i] > MAX_VALUE)
            return false;
    return true;
}

static jg_status check_extents(const function_node *node, const jg_array *x)
{
    FUNCTION_NEEDS(node, x->ndim == NDIM, "an input has not five axes");
    for (int i = 0; i < NDIM; ++i)
        FUNCTION_NEEDS(node, x->dims[i] <= FUNCTION_LIMIT, "an input is too large");
    return JG_OK;
}

static bool is_convolved(jg_dtype dtype)
{
    bool numbers = dtype_is_floating(dtype) || dtype_is_complex(dtype) || dtype == JG_DTYPE_INT32 ||
                   dtype == JG_DTYPE_INT64;
    return numbers && dtype_rows[dtype].computable;
}

jg_status function_check_convolve(function_node *node, function_made *out)
{
    const convolve_attributes *how = &node->attributes.convolve;
    window_result y;
    FUNCTION_NEEDS_INPUTS(node, 2);
    const jg_array *x = node->inputs[0], *w = node->inputs[1];
    FUNCTION_NEEDS(node, x->dtype == w->dtype && is_convolved((jg_dtype)x->dtype),
                   "its inputs have other dtypes");
    JG_TRY(check_extents(node, x));
    JG_TRY(check_extents(node, w));
    JG_TRY(describe(node, how->channels_first, &y));
    FUNCTION_NEEDS(node,
                   are_counts(how->stride, 1) && are_counts(how->dilation, 1) &&
                       are_counts(how->spread, 1) && are_counts(how->before, -(1 << 20)),
                   "its steps are too small or too large");
    FUNCTION_NEEDS(node,
                   how->groups >= 1 && w->dims[0] % how->groups == 0 &&
                       x->dims[CHANNELS] % how->groups == 0 &&
                       x->dims[CHANNELS] / how->groups == w->dims[CHANNELS],
                   "its channels do not belong together");
    FUNCTION_NEEDS(node, y.batch == x->dims[0] && y.channels == w->dims[0], "its shape is another");
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        FUNCTION_NEEDS(node,
                       w->dims[SPACE + i] >= 1 && w->dims[SPACE + i] < FUNCTION_LIMIT >> 20 &&
                           y.space[i] < FUNCTION_LIMIT,
                       "its windows are too large");
    function_one(node, (jg_dtype)x->dtype, out);
    return JG_OK;
}

/* Each window holds an element: one that begins before the first has a tap inside, and the last one
 * begins inside. */
static bool holds_elements(const pool_attributes *how, int axis, int64_t in, int64_t made)
{
    int64_t dilation = how->dilation[axis], before = how->before[axis];
    if (made == 0)
        return true;
    if (in < 1 || (made - 1) * how->stride[axis] - before >= in)
        return false;
    return before == 0 || (before <= (how->window[axis] - 1) * dilation && in >= dilation);
}

jg_status function_check_pool(function_node *node, function_made *out)
{
    const pool_attributes *how = &node->attributes.pool;
    window_result y;
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_array *x = node->inputs[0];
    const jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    JG_TRY(op_resolve_types(how->mean ? JG_OP_avg_pool1d : JG_OP_max_pool1d, 1, &dtype, &types));
    FUNCTION_NEEDS(node, types.operand[0] == dtype, "its input has another dtype");
    JG_TRY(check_extents(node, x));
    JG_TRY(describe(node, how->channels_first, &y));
    FUNCTION_NEEDS(node,
                   are_counts(how->window, 1) && are_counts(how->stride, 1) &&
                       are_counts(how->dilation, 1) && are_counts(how->before, 0) &&
                       are_counts(how->after, 0) && how->divisor >= 0,
                   "its steps are too small or too large");
    FUNCTION_NEEDS(node, y.batch == x->dims[0] && y.channels == x->dims[CHANNELS],
                   "its shape is another");
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        FUNCTION_NEEDS(node,
                       y.space[i] < FUNCTION_LIMIT &&
                           holds_elements(how, i, x->dims[SPACE + i], y.space[i]),
                       "a window holds no element");
    function_one(node, dtype, out);
    return JG_OK;
}
