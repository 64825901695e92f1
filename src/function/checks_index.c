/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of reading and writing by index arrays. The numbers in the arrays are checked when
 * they are used; here it is checked that every number in range refers to an element inside the
 * memory. */
#include "function/function.h"
#include <string.h>

/* Index arrays from input `first` on: integers with the axes of `shape`, of extent 1 where they do
 * not vary. */
static jg_status check_arrays(const function_node *node, int first, int ndim, const int64_t *shape,
                              uint64_t axes)
{
    FUNCTION_NEEDS(node, __builtin_popcountll(axes) == node->ninputs - first,
                   "axes: got %d for %d index arrays, allowed is one for each",
                   __builtin_popcountll(axes), node->ninputs - first);
    for (int i = first; i < node->ninputs; ++i) {
        const jg_array *x = node->inputs[i];
        FUNCTION_NEEDS_INPUT(node, dtype_is_index((jg_dtype)x->dtype) && x->ndim == ndim, i,
                             "integers with %d axes", ndim);
        for (int k = 0; k < ndim; ++k)
            FUNCTION_NEEDS_INPUT(node, x->dims[k] == 1 || x->dims[k] == shape[k], i,
                                 "an extent of 1 or %" PRId64 " along axis %d", shape[k], k);
    }
    return JG_OK;
}

/* The first axes of x are the result's, of extent 1 where index arrays tell; the others, one for
 * each array, are indexed. */
jg_status function_check_gather(function_node *node, function_made *out)
{
    const function_result *said = &node->results[0];
    FUNCTION_NEEDS(node, node->ninputs >= 1, "inputs: got 0, allowed is 1 or more");
    const jg_array *x = node->inputs[0];
    FUNCTION_NEEDS_RESULT(node, x->ndim == said->ndim + node->ninputs - 1,
                          "%d axes, as input 0 has %d and there are %d index arrays",
                          x->ndim - node->ninputs + 1, x->ndim, node->ninputs - 1);
    JG_TRY(check_arrays(node, 1, said->ndim, said->shape, node->attributes.gather.axes));
    for (int i = 0; i < said->ndim; ++i)
        FUNCTION_NEEDS_RESULT(node, x->dims[i] == said->shape[i] || x->dims[i] == 1,
                              "an extent of %" PRId64 " along axis %d, or any where this is 1",
                              x->dims[i], i);
    return function_make(node, (jg_dtype)x->dtype, out);
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
    FUNCTION_NEEDS_INPUT(node, count == scatter_target_count(ndim, narrays), SCATTER_TARGET,
                         "%d numbers", scatter_target_count(ndim, narrays));
    const scatter_target target = scatter_target_of(numbers, ndim, narrays);
    const int64_t *extents = target.extents;
    bool empty = updates->size == 0, fits = empty || target.offset >= 0;
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
                   "target: got elements %" PRId64 " to %" PRId64 ", allowed is 0 to %" PRId64,
                   least, greatest, x->size - 1);
    return JG_OK;
}

jg_status function_check_scatter(function_node *node, function_made *out)
{
    const int64_t *numbers;
    int64_t count;
    FUNCTION_NEEDS(node, node->ninputs >= SCATTER_ARRAYS, "inputs: got %d, allowed is %d or more",
                   node->ninputs, SCATTER_ARRAYS);
    const jg_array *x = node->inputs[SCATTER_X], *updates = node->inputs[SCATTER_UPDATES];
    FUNCTION_NEEDS_INPUT(node, updates->dtype == x->dtype, SCATTER_UPDATES,
                         "an array of %s, as input %d is", dtype_rows[x->dtype].name, SCATTER_X);
    JG_TRY(check_arrays(node, SCATTER_ARRAYS, updates->ndim, updates->dims,
                        node->attributes.scatter.axes));
    JG_TRY(function_read_numbers(node, SCATTER_TARGET, &numbers, &count));
    JG_TRY(check_target(node, numbers, count));
    JG_TRY(compose_check_combined(node->attributes.scatter.mode, x));
    FUNCTION_NEEDS_RESULT(node,
                          node->results[0].ndim == x->ndim &&
                              function_same_shape(x->ndim, node->results[0].shape, x->dims),
                          "the shape of input %d", SCATTER_X);
    return function_make(node, (jg_dtype)x->dtype, out);
}
