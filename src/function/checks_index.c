/* SPDX-License-Identifier: Apache-2.0 */
/* What reading and writing by index arrays demand. The numbers in the arrays are checked when they
 * are used; here it is made sure that each of them that is in range stays inside the memory. */
#include "function/function.h"
#include <string.h>

/* Index arrays from input `first` on: integers with the axes of `shape`, of extent 1 where they do
 * not vary. */
static jg_status check_arrays(const function_node *node, int first, int ndim, const int64_t *shape,
                              uint64_t axes)
{
    FUNCTION_NEEDS(node, __builtin_popcountll(axes) == node->ninputs - first,
                   "it has not an axis for each index array");
    for (int i = first; i < node->ninputs; ++i) {
        const jg_array *x = node->inputs[i];
        FUNCTION_NEEDS(node, dtype_is_integer((jg_dtype)x->dtype) && x->ndim == ndim,
                       "an index array has another dtype or number of axes");
        for (int k = 0; k < ndim; ++k)
            FUNCTION_NEEDS(node, x->dims[k] == 1 || x->dims[k] == shape[k],
                           "an index array has another shape");
    }
    return JG_OK;
}

/* The first axes of x are the result's, of extent 1 where index arrays tell; the others, one for
 * each array, are indexed. */
jg_status function_check_gather(function_node *node, function_made *out)
{
    const function_result *said = &node->results[0];
    FUNCTION_NEEDS(node, node->ninputs >= 1, "it has no input");
    const jg_array *x = node->inputs[0];
    FUNCTION_NEEDS(node, x->ndim == said->ndim + node->ninputs - 1, "its shape is another");
    JG_TRY(check_arrays(node, 1, said->ndim, said->shape, node->attributes.gather.axes));
    for (int i = 0; i < said->ndim; ++i)
        FUNCTION_NEEDS(node, x->dims[i] == said->shape[i] || x->dims[i] == 1,
                       "its shape is another");
    function_one(node, (jg_dtype)x->dtype, out);
    return JG_OK;
}

/* Widens the range of offsets by one axis. false: beyond 63 bits */
static bool reach(int64_t extent, int64_t stride, int64_t *least, int64_t *greatest)
{
    int64_t far;
    if (extent < 1 || __builtin_mul_overflow(extent - 1, stride, &far))
        return extent >= 0 && extent < 1;
    return !__builtin_add_overflow(*(far < 0 ? least : greatest), far, far < 0 ? least : greatest);
}

/* numbers: the offset, the strides of the updates' axes, the strides of the index arrays' axes and
 * their extents, as compose/index/scatter.c writes them. */
static jg_status check_target(const function_node *node, const int64_t *numbers, int64_t count)
{
    const jg_array *x = node->inputs[0], *updates = node->inputs[2];
    int narrays = node->ninputs - 3, ndim = updates->ndim;
    int64_t least = 0, greatest = 0;
    FUNCTION_NEEDS(node, count == 1 + ndim + 2 * narrays, "its target has other numbers");
    const int64_t *strides = numbers + 1, *extents = strides + ndim + narrays;
    bool fits = numbers[0] >= 0 && numbers[0] <= x->size, empty = updates->size == 0;
    for (int64_t i = 0; i < count; ++i)
        fits = fits && numbers[i] > -FUNCTION_LIMIT && numbers[i] < FUNCTION_LIMIT;
    for (int i = 0; i < ndim; ++i)
        fits = fits && reach(updates->dims[i], strides[i], &least, &greatest);
    for (int i = 0; i < narrays; ++i) {
        fits = fits && extents[i] >= 0 && reach(extents[i], strides[ndim + i], &least, &greatest);
        empty |= extents[i] == 0; /* then every number is out of range */
    }
    fits = fits && !__builtin_add_overflow(least, numbers[0], &least) &&
           !__builtin_add_overflow(greatest, numbers[0], &greatest);
    FUNCTION_NEEDS(node, fits && (empty || (least >= 0 && greatest < x->size)),
                   "its target is not inside its input");
    return JG_OK;
}

jg_status function_check_scatter(function_node *node, function_made *out)
{
    const int64_t *numbers;
    int64_t count;
    FUNCTION_NEEDS(node, node->ninputs >= 3, "it has another number of inputs");
    const jg_array *x = node->inputs[0], *updates = node->inputs[2];
    const jg_dtype dtype = (jg_dtype)x->dtype;
    jg_scatter_mode mode = node->attributes.scatter.mode;
    op_types types;
    FUNCTION_NEEDS(node, updates->dtype == x->dtype, "its updates have another dtype");
    JG_TRY(check_arrays(node, 3, updates->ndim, updates->dims, node->attributes.scatter.axes));
    JG_TRY(function_read_numbers(node, 1, &numbers, &count));
    JG_TRY(check_target(node, numbers, count));
    if (mode != JG_SCATTER_SET) { /* independent of the op's type rule */
        JG_TRY(op_resolve_types(compose_scatter_op(mode), 1, &dtype, &types));
        FUNCTION_NEEDS(node, types.result == dtype, "its input has another dtype");
    }
    function_one_like(x, out);
    return JG_OK;
}
