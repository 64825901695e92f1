/* SPDX-License-Identifier: Apache-2.0 */
/* Routines that move elements or work along an axis, made as their ops make them. */
#include "function/function.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WHAT_NBYTES = 256, SHAPE_NBYTES = 128 };

static jg_status refuse(const function_node *node, const char *format, va_list arguments)
{
    char what[WHAT_NBYTES];
    vsnprintf(what, sizeof what, format, arguments);
    return base_fail(JG_ERR_VALUE, "[load] function: a node '%s': %s", op_name(node->op), what);
}

jg_status function_refuse(const function_node *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    jg_status status = refuse(node, format, arguments);
    va_end(arguments);
    return status;
}

static jg_status refuse_array(const function_node *node, const char *name, int number,
                              jg_dtype dtype, int ndim, const int64_t *shape, const char *format,
                              va_list arguments)
{
    char what[WHAT_NBYTES], got[SHAPE_NBYTES];
    vsnprintf(what, sizeof what, format, arguments);
    return function_refuse(node, "%s %d: got %s%s, allowed is %s", name, number,
                           dtype_rows[dtype].name, text_extents(got, sizeof got, ndim, shape),
                           what);
}

jg_status function_refuse_input(const function_node *node, int i, const char *format, ...)
{
    const jg_array *x = node->inputs[i];
    va_list arguments;
    va_start(arguments, format);
    jg_status status = refuse_array(node, "input", i, (jg_dtype)x->dtype, x->ndim, node_shape(x),
                                    format, arguments);
    va_end(arguments);
    return status;
}

jg_status function_refuse_result(const function_node *node, int i, const char *format, ...)
{
    const function_result *said = &node->results[i];
    va_list arguments;
    va_start(arguments, format);
    jg_status status =
        refuse_array(node, "result", i, said->dtype, said->ndim, said->shape, format, arguments);
    va_end(arguments);
    return status;
}

bool function_same_shape(int ndim, const int64_t *a, const int64_t *b)
{
    for (int i = 0; i < ndim; ++i)
        if (a[i] != b[i])
            return false;
    return true;
}

jg_status function_make(const function_node *node, jg_dtype dtype, function_made *out)
{
    const function_result *said = &node->results[0];
    return graph_routine(node->op, dtype, said->ndim, said->shape, node->ninputs, node->inputs,
                         &node->attributes, out->arrays);
}

/* takes: made, which is used instead of the input */
static void replace(function_node *node, int i, jg_array *made)
{
    jg_array_release(node->inputs[i]);
    node->inputs[i] = made;
}

jg_status function_make_dense(function_node *node, int i)
{
    jg_array *dense;
    JG_TRY(graph_contiguous(node->inputs[i], &dense));
    replace(node, i, dense);
    return JG_OK;
}

static jg_status make_dense_rows(function_node *node)
{
    jg_array *dense;
    JG_TRY(compose_dense_rows(node->inputs[0], &dense));
    replace(node, 0, dense);
    return JG_OK;
}

/* The file is mapped, so another process might write to it after the numbers were checked. */
jg_status function_read_numbers(function_node *node, int i, const int64_t **out, int64_t *count)
{
    jg_array *x = node->inputs[i], *copy;
    FUNCTION_NEEDS_INPUT(node, !node_is_traced(x) && node_has_storage(x) && x->contiguous, i,
                         "a constant of the file");
    FUNCTION_NEEDS_INPUT(node, x->dtype == JG_DTYPE_INT64 && x->ndim == 1 && node_is_on_host(x), i,
                         "a vector of int64 in the host's memory");
    JG_TRY(jg_array_from_data(node_address(x), JG_DTYPE_INT64, 1, node_shape(x), &copy));
    replace(node, i, copy);
    *out = node_address(copy);
    *count = copy->size;
    return JG_OK;
}

/* An axis of input 0, which has one. */
static bool has_axis(const function_node *node, int64_t axis)
{
    return axis >= 0 && axis < node->inputs[0]->ndim;
}

static jg_status check_axis(const function_node *node, int64_t axis)
{
    FUNCTION_NEEDS_INPUT(node, has_axis(node, axis), 0, "an array with an axis %" PRId64, axis);
    return JG_OK;
}

/* With the result of no elements there may be one more, or another is left out. */
jg_status function_check_cumulative(function_node *node, function_made *out)
{
    const cumulative_attributes *attributes = &node->attributes.cumulative;
    FUNCTION_NEEDS_INPUTS(node, 1);
    jg_array *x = node->inputs[0];
    jg_dtype read = (jg_dtype)x->dtype, result = read;
    jg_op op = attributes->kind == CUMULATIVE_LOG_SUM   ? JG_OP_logcumsumexp
               : attributes->kind >= CUMULATIVE_MAXIMUM ? JG_OP_cummax
                                                        : JG_OP_cumulative_sum;
    JG_TRY(check_axis(node, attributes->axis));
    JG_TRY(compose_cumulative_types(op, (jg_dtype)x->dtype, &read, &result));
    FUNCTION_NEEDS_INPUT(node, read == x->dtype, 0, "an array of %s", dtype_rows[read].name);
    bool longer = attributes->initial && node->results[0].ndim == x->ndim &&
                  node->results[0].shape[attributes->axis] > x->dims[attributes->axis];
    return compose_cumulative(node->op, x, attributes, longer, result, out->arrays);
}

jg_status function_check_extremum_index(function_node *node, function_made *out)
{
    const extremum_index_attributes *attributes = &node->attributes.extremum_index;
    FUNCTION_NEEDS_INPUTS(node, 1);
    jg_array *x = node->inputs[0];
    JG_TRY(check_axis(node, attributes->axis));
    return compose_extremum_index(node->op, x, attributes, node->results[0].ndim == x->ndim,
                                  out->arrays);
}

jg_status function_check_sort(function_node *node, function_made *out)
{
    const sort_attributes *attributes = &node->attributes.sort;
    const function_result *said = &node->results[0];
    FUNCTION_NEEDS_INPUTS(node, 1);
    JG_TRY(make_dense_rows(node));
    jg_array *x = node->inputs[0];
    FUNCTION_NEEDS_INPUT(node, dtype_rows[x->dtype].computable, 0, "a dtype that is computed with");
    FUNCTION_NEEDS_RESULT(node, x->ndim > 0 && said->ndim == x->ndim,
                          "as many axes as its input has, and one at least");
    int64_t extent = function_extent(x, 1), kept = said->shape[said->ndim - 1];
    FUNCTION_NEEDS(node,
                   kept <= extent && attributes->first >= 0 &&
                       attributes->first <= attributes->last && attributes->last <= kept,
                   "first, last: got %" PRId64 " and %" PRId64 " of %" PRId64
                   " ranks, allowed is 0 to %" PRId64 " in this order",
                   attributes->first, attributes->last, kept, extent);
    return compose_order(node->op, x, attributes, kept, out->arrays);
}

jg_status function_check_search(function_node *node, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 2);
    return jg_searchsorted(node->inputs[0], node->inputs[1],
                           node->attributes.search.right ? "right" : "left", NULL, out->arrays);
}

jg_status function_check_member(function_node *node, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 2);
    return jg_isin(node->inputs[0], node->inputs[1], node->attributes.member.invert, out->arrays);
}

jg_status function_check_fft(function_node *node, function_made *out)
{
    const fft_attributes *attributes = &node->attributes.fft;
    FUNCTION_NEEDS_INPUTS(node, 1);
    jg_array *x = node->inputs[0];
    bool to_real = attributes->kind == TRANSFORM_TO_REAL;
    JG_TRY(check_axis(node, attributes->axis));
    FUNCTION_NEEDS_RESULT(node, node->results[0].ndim == x->ndim, "%d axes, as its input has",
                          x->ndim);
    FUNCTION_NEEDS(node,
                   attributes->then == -1 ||
                       (has_axis(node, attributes->then) && attributes->then != attributes->axis),
                   "then: got %" PRId64
                   ", allowed is -1 or an axis from 0 to %d that is not %" PRId64,
                   attributes->then, x->ndim - 1, attributes->axis);
    FUNCTION_NEEDS_INPUT(
        node, attributes->then == -1 || (!to_real && x->dims[attributes->then] > 0), 0,
        "an extent from 1 on along axis %" PRId64 ", and complex results", attributes->then);
    int64_t n = to_real ? node->results[0].shape[attributes->axis] : x->dims[attributes->axis];
    return compose_transform(node->op, x, attributes, n, out->arrays);
}

jg_status function_check_hadamard(function_node *node, function_made *out)
{
    const hadamard_attributes *attributes = &node->attributes.hadamard;
    FUNCTION_NEEDS_INPUTS(node, 1);
    jg_array *x = node->inputs[0];
    FUNCTION_NEEDS(node,
                   compose_hadamard_factor(x->ndim > 0 ? function_extent(x, 1) : 1) ==
                       attributes->factor,
                   "factor: got %" PRId64
                   ", allowed is what a row's length is a power of two times, 1, 12, 20 or 28",
                   attributes->factor);
    return jg_hadamard_transform(x, &attributes->scale, out->arrays);
}

jg_status function_check_concat(function_node *node, function_made *out)
{
    return jg_concat(node->ninputs, node->inputs, &node->attributes.concat.axis, out->arrays);
}

/* How many last axes the routine copies as one block follows from the operands. */
jg_status function_check_extend(function_node *node, function_made *out)
{
    const function_result *said = &node->results[0];
    const int64_t *before;
    int64_t count;
    FUNCTION_NEEDS_INPUTS(node, 3);
    jg_array *x = node->inputs[0];
    JG_TRY(function_read_numbers(node, 2, &before, &count));
    FUNCTION_NEEDS_RESULT(node, count == x->ndim && said->ndim == x->ndim,
                          "%d axes as its input, with %" PRId64 " numbers in input 2", x->ndim,
                          count);
    for (int i = 0; i < x->ndim; ++i)
        FUNCTION_NEEDS(node, before[i] > -FUNCTION_LIMIT && before[i] < FUNCTION_LIMIT,
                       "before: got %" PRId64 " along axis %d, allowed is more than %" PRId64
                       " and less than %" PRId64,
                       before[i], i, -FUNCTION_LIMIT, FUNCTION_LIMIT);
    return compose_extend(node->op, x, node->inputs[1], node->attributes.extend.mode, before,
                          said->shape, out->arrays);
}

/* The starts must ascend, and the last one must be the axis's new extent. */
static jg_status check_starts(function_node *node, int64_t extent, int64_t *total)
{
    const int64_t *starts;
    int64_t count;
    JG_TRY(function_read_numbers(node, 1, &starts, &count));
    FUNCTION_NEEDS_INPUT(node, count == extent + 1 && starts[0] == 0, 1,
                         "%" PRId64 " numbers from 0 on", extent + 1);
    for (int64_t i = 0; i < extent; ++i)
        FUNCTION_NEEDS(node, starts[i] <= starts[i + 1],
                       "starts: got %" PRId64 " behind %" PRId64 ", allowed is the same or more",
                       starts[i + 1], starts[i]);
    *total = starts[extent];
    return JG_OK;
}

jg_status function_check_repeat(function_node *node, function_made *out)
{
    const repeat_attributes *attributes = &node->attributes.repeat;
    const int axis = (int)attributes->axis;
    int64_t total = 0;
    FUNCTION_NEEDS(node, node->ninputs == 1 || node->ninputs == 2,
                   "inputs: got %d, allowed is 1 or 2", node->ninputs);
    JG_TRY(check_axis(node, attributes->axis));
    jg_array *x = node->inputs[0];
    if (node->ninputs == 1)
        return compose_repeat_evenly(x, axis, attributes->times, out->arrays);
    JG_TRY(check_starts(node, x->dims[axis], &total));
    return compose_repeat_starts(x, axis, node->inputs[1], total, out->arrays);
}

/* Codes are packed in groups of eight, which fill whole bytes whatever their width is. */
static jg_status check_packing(function_node *node, int64_t bits, bool packs, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 1);
    jg_array *x = node->inputs[0];
    FUNCTION_NEEDS(node, bits >= 1 && bits <= 8 && x->ndim > 0,
                   "bits: got %" PRId64
                   " of codes with %d axes, allowed is 1 to 8 of codes with an axis",
                   bits, x->ndim);
    FUNCTION_NEEDS_INPUT(node, x->dtype == (packs ? JG_DTYPE_UINT8 : JG_DTYPE_UINT32), 0,
                         "an array of %s", packs ? "uint8" : "uint32");
    int64_t extent = function_extent(x, 1), each = packs ? 1 : 32;
    FUNCTION_NEEDS_INPUT(node,
                         extent <= INT64_MAX / 32 && extent * each % (packs ? 8 : 8 * bits) == 0 &&
                             (!packs || extent * bits % 32 == 0),
                         0, "rows of codes of %" PRId64 " bits, in groups of 8, in whole words",
                         bits);
    return compose_pack(node->op, x, bits, !packs, out->arrays);
}

jg_status function_check_pack(function_node *node, function_made *out)
{
    return check_packing(node, node->attributes.pack.bits, true, out);
}

jg_status function_check_unpack(function_node *node, function_made *out)
{
    return check_packing(node, node->attributes.unpack.bits, false, out);
}

/* The result's shape depends on values, so no recorded function has this op. */
jg_status function_check_nonzero(function_node *node, function_made *out)
{
    (void)out;
    return function_refuse(node, "op: got one whose shape depends on values, allowed are others");
}
