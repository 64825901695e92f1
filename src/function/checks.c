/* SPDX-License-Identifier: Apache-2.0 */
/* Operand checks of routines that move elements or work along an axis. */
#include "function/function.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WHAT_NBYTES = 256, SHAPE_NBYTES = 128 };

static jg_status refuse(const function_node *node, const char *format, va_list arguments)
{
    char what[WHAT_NBYTES];
    vsnprintf(what, sizeof what, format, arguments);
    return jg_fail(JG_ERR_VALUE, "[load] function: a node '%s': %s", op_name(node->op), what);
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

static void set_result(function_made *out, int i, jg_dtype dtype, int ndim, const int64_t *shape)
{
    compose_results *all = &out->all;
    memcpy(all->shapes[i], shape, (size_t)ndim * sizeof *shape);
    all->results[i] = (graph_result){dtype, ndim, all->shapes[i]};
    all->count = i + 1;
}

void function_one(const function_node *node, jg_dtype dtype, function_made *out)
{
    set_result(out, 0, dtype, node->results[0].ndim, node->results[0].shape);
}

void function_one_like(const jg_array *x, function_made *out)
{
    set_result(out, 0, (jg_dtype)x->dtype, x->ndim, node_shape(x));
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

/* Whether the file's first result has x's extents but for one axis, -1 for none. */
static bool differs_at(const function_node *node, const jg_array *x, int64_t axis)
{
    const function_result *said = &node->results[0];
    bool same = said->ndim == x->ndim;
    for (int i = 0; same && i < x->ndim; ++i)
        same = i == axis || said->shape[i] == x->dims[i];
    return same;
}

/* With the result of no elements first there may be one more, or the last is left out. */
static bool is_running_extent(int64_t made, int64_t extent, bool initial)
{
    return made == extent || (initial && made == extent + 1);
}

jg_status function_check_cumulative(function_node *node, function_made *out)
{
    const cumulative_attributes *how = &node->attributes.cumulative;
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_array *x = node->inputs[0];
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    jg_op like = how->kind == CUMULATIVE_LOG_SUM   ? JG_OP_logcumsumexp
                 : how->kind >= CUMULATIVE_MAXIMUM ? JG_OP_cummax
                                                   : JG_OP_cumulative_sum;
    JG_TRY(check_axis(node, how->axis));
    FUNCTION_NEEDS_RESULT(
        node,
        differs_at(node, x, how->axis) &&
            is_running_extent(node->results[0].shape[how->axis], x->dims[how->axis], how->initial),
        "its input's extents but %" PRId64 "%s along axis %" PRId64, x->dims[how->axis],
        how->initial ? " or one more" : "", how->axis);
    JG_TRY(op_resolve_types(like, 1, &dtype, &types));
    bool reads = dtype_is_floating(types.result) || dtype_is_complex(types.result);
    FUNCTION_NEEDS_INPUT(node, !reads || types.operand[0] == dtype, 0, "an array of %s",
                         dtype_rows[types.operand[0]].name);
    JG_TRY(make_dense_rows(node));
    function_one(node, types.result, out);
    return JG_OK;
}

jg_status function_check_extremum_index(function_node *node, function_made *out)
{
    const extremum_index_attributes *how = &node->attributes.extremum_index;
    int64_t shape[JG_MAX_NDIM];
    int ndim;
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_array *x = node->inputs[0];
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    JG_TRY(op_resolve_types(JG_OP_argmax, 1, &dtype, &types));
    JG_TRY(check_axis(node, how->axis));
    FUNCTION_NEEDS_INPUT(node, x->dims[how->axis] > 0, 0, "an extent from 1 on along axis %" PRId64,
                         how->axis);
    op_reduced_shape(x->ndim, x->dims, UINT64_C(1) << how->axis, node->results[0].ndim == x->ndim,
                     &ndim, shape);
    JG_TRY(make_dense_rows(node));
    set_result(out, 0, JG_DTYPE_INT64, ndim, shape);
    return JG_OK;
}

jg_status function_check_sort(function_node *node, function_made *out)
{
    const sort_attributes *how = &node->attributes.sort;
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_array *x = node->inputs[0];
    FUNCTION_NEEDS_INPUT(node, dtype_rows[x->dtype].computable, 0, "a dtype that is computed with");
    FUNCTION_NEEDS_RESULT(node, x->ndim > 0 && differs_at(node, x, x->ndim - 1),
                          "its input's extents but along the last axis, which must be there");
    int64_t kept = node->results[0].shape[x->ndim - 1];
    FUNCTION_NEEDS(node,
                   kept <= x->dims[x->ndim - 1] && how->first >= 0 && how->first <= how->last &&
                       how->last <= kept,
                   "first, last: got %" PRId64 " and %" PRId64 " of %" PRId64
                   " ranks, allowed is 0 to %" PRId64 " in this order",
                   how->first, how->last, kept, x->dims[x->ndim - 1]);
    JG_TRY(make_dense_rows(node));
    function_one(node, how->indices ? JG_DTYPE_INT64 : (jg_dtype)x->dtype, out);
    return JG_OK;
}

jg_status function_check_search(function_node *node, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 2);
    const jg_array *sorted = node->inputs[0], *wanted = node->inputs[1];
    FUNCTION_NEEDS_INPUT(node,
                         sorted->ndim == 1 && sorted->dtype == wanted->dtype &&
                             dtype_rows[wanted->dtype].computable,
                         0, "a vector of %s, which input 1 has and is computed with",
                         dtype_rows[wanted->dtype].name);
    set_result(out, 0, JG_DTYPE_INT64, wanted->ndim, node_shape(wanted));
    return JG_OK;
}

jg_status function_check_member(function_node *node, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 2);
    const jg_array *x = node->inputs[0], *others = node->inputs[1];
    FUNCTION_NEEDS_INPUT(node,
                         x->dtype == others->dtype && dtype_is_integer((jg_dtype)x->dtype) &&
                             dtype_rows[x->dtype].computable,
                         0, "integers that are computed with, of %s as input 1",
                         dtype_rows[others->dtype].name);
    set_result(out, 0, JG_DTYPE_BOOL, x->ndim, node_shape(x));
    return JG_OK;
}

static bool is_single(jg_dtype dtype)
{
    return dtype_real_part(dtype) == JG_DTYPE_FLOAT32;
}

jg_status function_check_fft(function_node *node, function_made *out)
{
    const fft_attributes *how = &node->attributes.fft;
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_array *x = node->inputs[0];
    jg_dtype real = dtype_real_part((jg_dtype)x->dtype);
    bool from_real = how->kind == TRANSFORM_FROM_REAL, to_real = how->kind == TRANSFORM_TO_REAL;
    FUNCTION_NEEDS_INPUT(node, dtype_is_single_or_double(real), 0,
                         "numbers of single or double precision");
    FUNCTION_NEEDS_INPUT(node, dtype_is_complex((jg_dtype)x->dtype) == !from_real, 0, "%s numbers",
                         from_real ? "real" : "complex");
    JG_TRY(check_axis(node, how->axis));
    FUNCTION_NEEDS_RESULT(node, differs_at(node, x, how->axis),
                          "its input's extents but along axis %" PRId64, how->axis);
    FUNCTION_NEEDS(node, how->then == -1 || (has_axis(node, how->then) && how->then != how->axis),
                   "then: got %" PRId64
                   ", allowed is -1 or an axis from 0 to %d that is not %" PRId64,
                   how->then, x->ndim - 1, how->axis);
    FUNCTION_NEEDS_INPUT(node, how->then == -1 || (!to_real && x->dims[how->then] > 0), 0,
                         "an extent from 1 on along axis %" PRId64 ", and complex results",
                         how->then);
    int64_t in = x->dims[how->axis], made = node->results[0].shape[how->axis], read, written;
    int64_t n = to_real ? made : in;
    compose_transform_lengths(how->kind, n, &read, &written);
    FUNCTION_NEEDS_RESULT(node, n >= 1 && in == read && made == written,
                          "%" PRId64 " elements along axis %" PRId64 ", made from %" PRId64
                          " of them, and the input has %" PRId64,
                          written, how->axis, read, in);
    jg_dtype complex = is_single(real) ? JG_DTYPE_COMPLEX64 : JG_DTYPE_COMPLEX128;
    function_one(node, to_real ? real : complex, out);
    return JG_OK;
}

jg_status function_check_hadamard(function_node *node, function_made *out)
{
    const int64_t factor = node->attributes.hadamard.factor;
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_array *x = node->inputs[0];
    int64_t n = x->ndim > 0 ? x->dims[x->ndim - 1] : 1;
    FUNCTION_NEEDS_INPUT(node, dtype_is_single_or_double((jg_dtype)x->dtype), 0,
                         "numbers of single or double precision");
    FUNCTION_NEEDS(node, factor > 0 && compose_hadamard_factor(factor) == factor,
                   "factor: got %" PRId64 ", allowed is 1, 12, 20 or 28", factor);
    FUNCTION_NEEDS_INPUT(node, compose_hadamard_factor(n) == factor, 0,
                         "rows of %" PRId64 " elements times a power of two", factor);
    JG_TRY(function_make_dense(node, 0));
    function_one_like(node->inputs[0], out);
    return JG_OK;
}

jg_status function_check_concat(function_node *node, function_made *out)
{
    const int64_t axis = node->attributes.concat.axis;
    FUNCTION_NEEDS(node, node->ninputs >= 1, "inputs: got 0, allowed is 1 or more");
    JG_TRY(check_axis(node, axis));
    const jg_array *first = node->inputs[0];
    int64_t shape[JG_MAX_NDIM], sum = 0;
    memcpy(shape, node_shape(first), (size_t)first->ndim * sizeof *shape);
    for (int i = 0; i < node->ninputs; ++i) {
        const jg_array *x = node->inputs[i];
        FUNCTION_NEEDS_INPUT(node, x->ndim == first->ndim && x->dtype == first->dtype, i,
                             "%s with %d axes, as input 0 is", dtype_rows[first->dtype].name,
                             first->ndim);
        for (int k = 0; k < x->ndim; ++k)
            FUNCTION_NEEDS_INPUT(node, k == axis || x->dims[k] == first->dims[k], i,
                                 "an extent of %" PRId64 " along axis %d, as input 0 has",
                                 first->dims[k], k);
        FUNCTION_NEEDS_INPUT(node, !__builtin_add_overflow(sum, x->dims[axis], &sum), i,
                             "at most INT64_MAX elements along axis %" PRId64 " in all", axis);
    }
    shape[axis] = sum;
    set_result(out, 0, (jg_dtype)first->dtype, first->ndim, shape);
    return JG_OK;
}

/* The routine copies the trailing axes as one block, so x is made dense; a fill has one element. */
jg_status function_check_extend(function_node *node, function_made *out)
{
    const extend_attributes *how = &node->attributes.extend;
    const int64_t *before;
    int64_t count;
    FUNCTION_NEEDS_INPUTS(node, 3);
    JG_TRY(function_make_dense(node, 0));
    const jg_array *x = node->inputs[0], *fill = node->inputs[1];
    const function_result *said = &node->results[0];
    JG_TRY(function_read_numbers(node, 2, &before, &count));
    FUNCTION_NEEDS_INPUT(node, fill->dtype == x->dtype && fill->size == 1, 1, "one element of %s",
                         dtype_rows[x->dtype].name);
    FUNCTION_NEEDS_RESULT(node, count == x->ndim && said->ndim == x->ndim,
                          "%d axes as its input, with %" PRId64 " numbers in input 2", x->ndim,
                          count);
    FUNCTION_NEEDS(node, how->trailing >= 0 && (how->trailing == 0 || how->trailing < x->ndim),
                   "trailing: got %" PRId64 ", allowed is 0 to %d", how->trailing,
                   x->ndim > 0 ? x->ndim - 1 : 0);
    for (int i = 0; i < x->ndim; ++i) {
        bool trails = i >= x->ndim - how->trailing;
        FUNCTION_NEEDS_RESULT(node, !trails || (before[i] == 0 && said->shape[i] == x->dims[i]),
                              "an extent of %" PRId64 " along axis %d, which begins %" PRId64
                              " earlier and must begin 0 earlier",
                              x->dims[i], i, before[i]);
        FUNCTION_NEEDS(node, before[i] > -FUNCTION_LIMIT && before[i] < FUNCTION_LIMIT,
                       "before: got %" PRId64 " along axis %d, allowed is more than %" PRId64
                       " and less than %" PRId64,
                       before[i], i, -FUNCTION_LIMIT, FUNCTION_LIMIT);
        FUNCTION_NEEDS_INPUT(node, x->dims[i] > 0 || how->mode == EXTEND_CONSTANT, 0,
                             "an extent from 1 on along axis %d", i);
    }
    function_one(node, (jg_dtype)x->dtype, out);
    return JG_OK;
}

/* Where there are starts they never go back, and the last one is the axis's new extent. */
static jg_status check_starts(function_node *node, int64_t extent, int64_t total)
{
    const int64_t *starts;
    int64_t count;
    JG_TRY(function_read_numbers(node, 1, &starts, &count));
    FUNCTION_NEEDS_INPUT(node, count == extent + 1 && starts[0] == 0 && starts[extent] == total, 1,
                         "%" PRId64 " numbers from 0 to %" PRId64, extent + 1, total);
    for (int64_t i = 0; i < extent; ++i)
        FUNCTION_NEEDS(node, starts[i] <= starts[i + 1],
                       "starts: got %" PRId64 " behind %" PRId64 ", allowed is the same or more",
                       starts[i + 1], starts[i]);
    return JG_OK;
}

jg_status function_check_repeat(function_node *node, function_made *out)
{
    const repeat_attributes *how = &node->attributes.repeat;
    int64_t total = 0;
    FUNCTION_NEEDS(node, node->ninputs == 1 || node->ninputs == 2,
                   "inputs: got %d, allowed is 1 or 2", node->ninputs);
    JG_TRY(check_axis(node, how->axis));
    FUNCTION_NEEDS_RESULT(node, differs_at(node, node->inputs[0], how->axis),
                          "its input's extents but along axis %" PRId64, how->axis);
    JG_TRY(function_make_dense(node, 0));
    const jg_array *x = node->inputs[0];
    int64_t extent = x->dims[how->axis], wanted = node->results[0].shape[how->axis];
    if (node->ninputs == 2)
        JG_TRY(check_starts(node, extent, wanted));
    else
        FUNCTION_NEEDS_RESULT(node,
                              how->times >= 0 &&
                                  !__builtin_mul_overflow(extent, how->times, &total) &&
                                  total == wanted,
                              "%" PRId64 " times an extent of %" PRId64 " along axis %" PRId64,
                              how->times, extent, how->axis);
    function_one(node, (jg_dtype)x->dtype, out);
    return JG_OK;
}

/* Codes are packed in groups of eight, which fill whole bytes whatever their width is. */
static jg_status check_packing(function_node *node, int64_t bits, bool packs, function_made *out)
{
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_array *x = node->inputs[0];
    FUNCTION_NEEDS(node, bits >= 1 && bits <= 8 && x->ndim > 0,
                   "bits: got %" PRId64
                   " of codes with %d axes, allowed is 1 to 8 of codes with an axis",
                   bits, x->ndim);
    FUNCTION_NEEDS_INPUT(node, x->dtype == (packs ? JG_DTYPE_UINT8 : JG_DTYPE_UINT32), 0,
                         "an array of %s", packs ? "uint8" : "uint32");
    FUNCTION_NEEDS_RESULT(node, differs_at(node, x, x->ndim - 1),
                          "its input's extents but along the last axis");
    int64_t in = x->dims[x->ndim - 1], made = node->results[0].shape[x->ndim - 1];
    int64_t codes = packs ? in : made, words = packs ? made : in;
    FUNCTION_NEEDS_RESULT(node,
                          codes <= INT64_MAX / 8 && words <= INT64_MAX / 32 && codes % 8 == 0 &&
                              codes * bits == words * 32,
                          "rows of %" PRId64 " codes of %" PRId64
                          " bits, in groups of 8, in %" PRId64 " words of 32 bits",
                          codes, bits, words);
    JG_TRY(function_make_dense(node, 0));
    function_one(node, packs ? JG_DTYPE_UINT32 : JG_DTYPE_UINT8, out);
    return JG_OK;
}

jg_status function_check_pack(function_node *node, function_made *out)
{
    return check_packing(node, node->attributes.pack.bits, true, out);
}

jg_status function_check_unpack(function_node *node, function_made *out)
{
    return check_packing(node, node->attributes.unpack.bits, false, out);
}

/* Its shape depends on values, so no function that is recorded has it. */
jg_status function_check_nonzero(function_node *node, function_made *out)
{
    (void)out;
    return function_refuse(node, "op: got one whose shape depends on values, allowed are others");
}
