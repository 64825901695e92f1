/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of any kind: checks what was asked for, and gives the routine views with the axes in
 * its order. A convolution of one tap is a matrix product. */
#include "compose/convolution/convolve.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Up to 2^31 - 1, so that sums and products of two of them stay within int64. */
jg_status compose_space_numbers(jg_op op, const char *name, int rank, int count,
                                const int64_t *numbers, int64_t lowest, int64_t *out)
{
    if (count != 1 && count != rank)
        return base_fail(JG_ERR_VALUE, "[%s] %s: got %d numbers, allowed are 1 and %d", op_name(op),
                         name, count, rank);
    for (int i = 0; i < rank; ++i) {
        out[i] = numbers[count == 1 ? 0 : i];
        if (out[i] < lowest || out[i] > INT32_MAX)
            return base_fail(JG_ERR_VALUE,
                             "[%s] %s: got %" PRId64 ", allowed is %" PRId64 " to %" PRId32,
                             op_name(op), name, out[i], lowest, INT32_MAX);
    }
    return JG_OK;
}

jg_status compose_space_padding(jg_op op, int rank, int count, const int64_t *low,
                                const int64_t *high, int64_t lowest, bool *same, int64_t *before,
                                int64_t *after)
{
    const int64_t none = 0;
    bool asked = count == 1 && low[0] == JG_PADDING_SAME;
    if (asked && same == NULL)
        return base_fail(JG_ERR_VALUE, "[%s] padding: got \"same\", allowed are numbers",
                         op_name(op));
    if (same != NULL)
        *same = asked;
    JG_TRY(compose_space_numbers(op, "padding", rank, count, asked ? &none : low, lowest, before));
    return compose_space_numbers(op, "padding", rank, count, asked ? &none : high, lowest, after);
}

void compose_space_pad_same(int64_t extent, int64_t reach, int64_t stride, int64_t *before,
                            int64_t *after)
{
    int64_t last = extent > 0 ? (extent - 1) / stride * stride : 0;
    int64_t all = extent > 0 ? last + reach + 1 - extent : 0;
    all = int64_max(all, 0);
    *before = all / 2;
    *after = all - *before;
}

jg_status compose_space_format(jg_op op, const char *format, int rank, bool *first)
{
    static const char *const names[2][PRIMITIVE_SPACE_AXES + 1] = {
        {"channels_last", "NLC", "NHWC", "NDHWC"}, {"channels_first", "NCL", "NCHW", "NCDHW"}};
    for (int i = 0; i < 2; ++i)
        if (strcmp(format, names[i][0]) == 0 || strcmp(format, names[i][rank]) == 0) {
            *first = i == 1;
            return JG_OK;
        }
    return base_fail(JG_ERR_VALUE,
                     "[%s] data_format: got \"%s\", allowed are \"channels_last\" (\"%s\") and "
                     "\"channels_first\" (\"%s\")",
                     op_name(op), format, names[0][rank], names[1][rank]);
}

jg_status compose_space_check(jg_op op, const char *name, const jg_array *x, int rank, bool first)
{
    static const char *const axes[2] = {"(batch, %s, channels)", "(batch, channels, %s)"};
    static const char *const space[] = {"length", "height, width", "depth, height, width"};
    char text[200], allowed[100];
    if (x->ndim == rank + 2)
        return JG_OK;
    snprintf(allowed, sizeof allowed, axes[first], space[rank - 1]);
    return base_fail(JG_ERR_VALUE, "[%s] %s: got shape %s, allowed is %s", op_name(op), name,
                     text_extents(text, sizeof text, x->ndim, x->dims), allowed);
}

jg_status compose_space_view(jg_array *x, bool first, jg_array **out)
{
    jg_layout from, to = {.ndim = WINDOW_NDIM, .size = x->size};
    int rank = x->ndim - 2;
    node_layout(x, &from);
    to.offset = from.offset;
    for (int i = 0; i < WINDOW_NDIM; ++i) {
        /* Spatial axes that x does not have come first, with extent 1: a vector is a volume of
         * depth and height 1. */
        int axis = i - (PRIMITIVE_SPACE_AXES - rank); /* of x, where it is one of space */
        if (i == 0)
            axis = 0;
        else if (i == WINDOW_NDIM - 1)
            axis = first ? 1 : x->ndim - 1;
        else if (axis >= 1 && first)
            axis += 1;
        to.shape[i] = axis < 0 || (i > 0 && axis == 0) ? 1 : from.shape[axis];
        to.strides[i] = axis < 0 || (i > 0 && axis == 0) ? 0 : from.strides[axis];
    }
    return compose_view(x, &to, out);
}

void compose_space_set(int rank, const int64_t *numbers, int64_t missing, int64_t *out)
{
    int first = PRIMITIVE_SPACE_AXES - rank;
    for (int i = 0; i < PRIMITIVE_SPACE_AXES; ++i)
        out[i] = i < first ? missing : numbers[i - first];
}

void compose_space_result_shape(int rank, bool first, int64_t batch, int64_t channels,
                                const int64_t *extents, int64_t *shape)
{
    shape[0] = batch;
    shape[first ? 1 : rank + 1] = channels;
    for (int i = 0; i < rank; ++i)
        shape[(first ? 2 : 1) + i] = extents[i];
}

static int64_t extent(const compose_convolution_request *request, const jg_array *x, int axis)
{
    return x->dims[(request->first ? 2 : 1) + axis];
}

static int64_t channels(const compose_convolution_request *request, const jg_array *x)
{
    return x->dims[request->first ? 1 : request->rank + 1];
}

/* The channels of weight, and those of input, must be divisible by groups: groups are blocks of
 * channels that are convolved separately. */
static jg_status check_channels(const compose_convolution_request *request, const jg_array *input,
                                const jg_array *weight)
{
    const char *name = op_name(request->op);
    int64_t groups = request->groups;
    if (groups < 1 || weight->dims[0] % groups != 0)
        return base_fail(JG_ERR_VALUE,
                         "[%s] groups: got %" PRId64 ", allowed are divisors of the %" PRId64
                         " result channels",
                         name, groups, weight->dims[0]);
    int64_t each = channels(request, weight), all = channels(request, input);
    if (each != all / groups || all % groups != 0)
        return base_fail(JG_ERR_VALUE,
                         "[%s] weight: has %" PRId64 " input channels, allowed are those of input, "
                         "%" PRId64 ", divided by groups, %" PRId64,
                         name, each, all, groups);
    return JG_OK;
}

/* The extent of the result along an axis. floor((spread * (in - 1) + 1 + before + after - dilation
 * * (kernel - 1) - 1) / stride) + 1, checked for overflow step by step. */
static jg_status result_extent(const compose_convolution_request *request, const jg_array *input,
                               const jg_array *weight, int axis, int64_t *out)
{
    int64_t in = extent(request, input, axis), kernel = extent(request, weight, axis);
    int64_t padded = in > 0 ? in - 1 : 0, window = kernel - 1;
    if (kernel < 1)
        return base_fail(JG_ERR_VALUE,
                         "[%s] weight: axis %d of space is empty, allowed is 1 or more",
                         op_name(request->op), axis);
    if (__builtin_mul_overflow(padded, request->spread[axis], &padded) ||
        __builtin_add_overflow(padded, in > 0, &padded) ||
        __builtin_add_overflow(padded, request->before[axis], &padded) ||
        __builtin_add_overflow(padded, request->after[axis], &padded) ||
        __builtin_mul_overflow(window, request->dilation[axis], &window))
        return base_fail(JG_ERR_VALUE,
                         "[%s] padding: got %" PRId64 " and %" PRId64
                         " for axis %d, allowed is what leaves its extent below 2^63",
                         op_name(request->op), request->before[axis], request->after[axis], axis);
    if (padded < window + !request->may_be_empty)
        return base_fail(JG_ERR_VALUE,
                         "[%s] weight: axis %d of space spans %" PRId64
                         " elements, allowed are up to the %" PRId64 " of the padded input",
                         op_name(request->op), axis, window + 1, padded);
    *out = (padded - window - 1) / request->stride[axis] + 1;
    return JG_OK;
}

static void pad_same(compose_convolution_request *request, const jg_array *input,
                     const jg_array *weight)
{
    for (int i = 0; i < request->rank; ++i) {
        int64_t in = extent(request, input, i), kernel = extent(request, weight, i);
        int64_t spread = in > 0 ? (in - 1) * request->spread[i] + 1 : 0;
        int64_t reach = kernel > 0 ? (kernel - 1) * request->dilation[i] : 0;
        compose_space_pad_same(spread, reach, request->stride[i], &request->before[i],
                               &request->after[i]);
    }
}

static jg_status result_extents(const compose_convolution_request *request, const jg_array *input,
                                const jg_array *weight, int64_t *out)
{
    for (int i = 0; i < request->rank; ++i)
        JG_TRY(result_extent(request, input, weight, i, &out[i]));
    return JG_OK;
}

/* Whether each result is made of one pixel, and each pixel makes one. Grouped convolutions of one
 * tap would be many small products, so the routine computes them. */
static bool is_product(const compose_convolution_request *request, const jg_array *weight)
{
    for (int i = 0; i < request->rank; ++i)
        if (extent(request, weight, i) != 1 || request->stride[i] != 1 || request->spread[i] != 1 ||
            request->before[i] != 0 || request->after[i] != 0)
            return false;
    return request->groups == 1;
}

/* Channels last: pixels by channels times the weights' transpose. Channels first: for each of the
 * batch, the weights times channels by pixels. Reshaping copies where the input's axes cannot be
 * merged. */
static jg_status product(const compose_convolution_request *request, jg_array *input,
                         jg_array *weight, const int64_t *shape, jg_array **out)
{
    compose_scope scope = {0};
    int64_t in = channels(request, weight), results = weight->dims[0], pixels = 1;
    for (int i = 0; i < request->rank; ++i)
        pixels *= extent(request, input, i);
    const int64_t matrix[] = {results, in}, rows[] = {input->dims[0] * pixels, in};
    const int64_t planes[] = {input->dims[0], in, pixels};
    jg_array *w = scope_shaped(&scope, jg_reshape, weight, 2, matrix), *made;
    if (request->first)
        made =
            scope_binary(&scope, jg_matmul, w, scope_shaped(&scope, jg_reshape, input, 3, planes));
    else
        made = scope_binary(&scope, jg_matmul, scope_shaped(&scope, jg_reshape, input, 2, rows),
                            scope_unary(&scope, jg_matrix_transpose, w));
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, made, input->ndim, shape), out);
}

/* Shapes are not repeated: the routine reads the window's extents from the weight, and `after` from
 * the shape of the result. */
static void set_attributes(const compose_convolution_request *request, convolve_attributes *out)
{
    *out = (convolve_attributes){
        .groups = request->groups, .flip = request->flip, .channels_first = request->first};
    compose_space_set(request->rank, request->stride, 1, out->stride);
    compose_space_set(request->rank, request->dilation, 1, out->dilation);
    compose_space_set(request->rank, request->before, 0, out->before);
    compose_space_set(request->rank, request->spread, 1, out->spread);
}

static jg_status convolve(const compose_convolution_request *request, jg_array *input,
                          jg_array *weight, const int64_t *shape, jg_array **out)
{
    primitive_attributes attributes;
    jg_array *x = NULL, *w = NULL;
    jg_status status;
    set_attributes(request, &attributes.convolve);
    JG_TRY_DONE(compose_space_view(input, request->first, &x));
    JG_TRY_DONE(compose_space_view(weight, request->first, &w));
    jg_array *const inputs[] = {x, w};
    status = graph_routine(request->op, (jg_dtype)input->dtype, request->rank + 2, shape, 2, inputs,
                           &attributes, out);
done:
    jg_array_release(x);
    jg_array_release(w);
    return status;
}

/* Computes the padding where it follows from the extents. */
static jg_status check(compose_convolution_request *request, const jg_array *input,
                       const jg_array *weight, int64_t *shape, op_types *types)
{
    const jg_dtype dtypes[] = {(jg_dtype)input->dtype, (jg_dtype)weight->dtype};
    int64_t extents[PRIMITIVE_SPACE_AXES];
    JG_TRY(op_resolve_types(request->op, 2, dtypes, types));
    JG_TRY(compose_space_check(request->op, "input", input, request->rank, request->first));
    JG_TRY(compose_space_check(request->op, "weight", weight, request->rank, request->first));
    JG_TRY(check_channels(request, input, weight));
    if (request->same)
        pad_same(request, input, weight);
    JG_TRY(result_extents(request, input, weight, extents));
    compose_space_result_shape(request->rank, request->first, input->dims[0], weight->dims[0],
                               extents, shape);
    return JG_OK;
}

/* x and w are of one dtype, as the routine has a loop for each, not for pairs. */
jg_status compose_convolution(const compose_convolution_request *asked, jg_array *input,
                              jg_array *weight, jg_array **out)
{
    compose_convolution_request request = *asked;
    int64_t shape[WINDOW_NDIM];
    jg_array *x = NULL, *w = NULL;
    op_types types;
    jg_status status;
    JG_TRY(check(&request, input, weight, shape, &types));
    JG_TRY_DONE(graph_cast(input, types.result, &x));
    JG_TRY_DONE(graph_cast(weight, types.result, &w));
    status = (is_product(&request, w) ? product : convolve)(&request, x, w, shape, out);
done:
    jg_array_release(x);
    jg_array_release(w);
    return status;
}
