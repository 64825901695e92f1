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

static jg_status check_target(const function_node *node, const int64_t *numbers, int64_t count)
{
    const jg_array *x = node->inputs[SCATTER_X], *updates = node->inputs[SCATTER_UPDATES];
    int narrays = node->ninputs - SCATTER_ARRAYS, ndim = updates->ndim;
    int64_t least = 0, greatest = 0;
    FUNCTION_NEEDS(node, count == scatter_target_count(ndim, narrays),
                   "its target has other numbers");
    const scatter_target target = scatter_target_of(numbers, ndim, narrays);
    const int64_t *extents = target.extents;
    bool fits = target.offset >= 0 && target.offset <= x->size, empty = updates->size == 0;
    for (int64_t i = 0; i < count; ++i)
        fits = fits && numbers[i] > -FUNCTION_LIMIT && numbers[i] < FUNCTION_LIMIT;
    for (int i = 0; i < ndim; ++i)
        fits = fits && reach(updates->dims[i], target.steps[i], &least, &greatest);
    for (int i = 0; i < narrays; ++i) {
        fits = fits && extents[i] >= 0 && reach(extents[i], target.strides[i], &least, &greatest);
        empty |= extents[i] == 0; /* then every number is out of range */
    }
    fits = fits && !__builtin_add_overflow(least, target.offset, &least) &&
           !__builtin_add_overflow(greatest, target.offset, &greatest);
    FUNCTION_NEEDS(node, fits && (empty || (least >= 0 && greatest < x->size)),
                   "its target is not inside its input");
    return JG_OK;
}

jg_status function_check_scatter(function_node *node, function_made *out)
{
    const int64_t *numbers;
    int64_t count;
    FUNCTION_NEEDS(node, node->ninputs >= SCATTER_ARRAYS, "it has another number of inputs");
    const jg_array *x = node->inputs[SCATTER_X], *updates = node->inputs[SCATTER_UPDATES];
    const jg_dtype dtype = (jg_dtype)x->dtype;
    jg_scatter_mode mode = node->attributes.scatter.mode;
    op_types types;
    FUNCTION_NEEDS(node, updates->dtype == x->dtype, "its updates have another dtype");
    JG_TRY(check_arrays(node, SCATTER_ARRAYS, updates->ndim, updates->dims,
                        node->attributes.scatter.axes));
    JG_TRY(function_read_numbers(node, SCATTER_TARGET, &numbers, &count));
    JG_TRY(check_target(node, numbers, count));
    if (mode != JG_SCATTER_SET) { /* independent of the op's type rule */
        JG_TRY(op_resolve_types(compose_scatter_op(mode), 1, &dtype, &types));
        FUNCTION_NEEDS(node, types.result == dtype, "its input has another dtype");
    }
    function_one_like(x, out);
    return JG_OK;
}
