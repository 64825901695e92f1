/* SPDX-License-Identifier: Apache-2.0 */
/* The convolutions that have names: of one to three axes, transposed, and of vectors. All become
 * one compose_convolution_request; weights of transposed ones with channels first are PyTorch's,
 * (in, out of a group, ...), all others (out, in of a group, ...) in the order of the input's
 * axes. */
#include "compose/convolution/convolve.h"
#include <inttypes.h>
#include <string.h>

/* The arguments as the op got them. */
typedef struct space_argument {
    int count;
    const int64_t *values;
} space_argument;

typedef struct named_arguments {
    space_argument stride, dilation;
    int npadding;
    const int64_t *before, *after;
    int64_t groups;
    const char *format;
} named_arguments;

/* may_be_same: whether padding may follow from the extents. */
static jg_status read_arguments(jg_op op, int rank, const named_arguments *from, bool may_be_same,
                                compose_convolution_request *out)
{
    *out = (compose_convolution_request){
        .op = op, .rank = rank, .groups = from->groups, .spread = {1, 1, 1}};
    JG_TRY(compose_space_format(op, from->format, rank, &out->first));
    JG_TRY(compose_space_numbers(op, "stride", rank, from->stride.count, from->stride.values, 1,
                                 out->stride));
    JG_TRY(compose_space_numbers(op, "dilation", rank, from->dilation.count, from->dilation.values,
                                 1, out->dilation));
    return compose_space_padding(op, rank, from->npadding, from->before, from->after, 0,
                                 may_be_same ? &out->same : NULL, out->before, out->after);
}

static jg_status convolve_named(jg_op op, int rank, jg_array *input, jg_array *weight,
                                const named_arguments *arguments, jg_array **out)
{
    compose_convolution_request request;
    JG_TRY(read_arguments(op, rank, arguments, true, &request));
    return compose_convolution(&request, input, weight, out);
}

#define CONVOLUTION(NAME, RANK)                                                                    \
    jg_status compose_##NAME(jg_array *input, jg_array *weight, int nstride,                       \
                             const int64_t *stride, int npadding, const int64_t *padding_low,      \
                             const int64_t *padding_high, int ndilation, const int64_t *dilation,  \
                             int64_t groups, const char *data_format, jg_array **out)              \
    {                                                                                              \
        const named_arguments arguments = {{nstride, stride}, {ndilation, dilation}, npadding,     \
                                           padding_low,       padding_high,          groups,       \
                                           data_format};                                           \
        return convolve_named(JG_OP_##NAME, RANK, input, weight, &arguments, out);                 \
    }

CONVOLUTION(conv1d, 1)
CONVOLUTION(conv2d, 2)
CONVOLUTION(conv3d, 3)

/* Negative padding is allowed here, and only here: elements are cut off. */
jg_status compose_conv_general(jg_array *input, jg_array *weight, int nstride,
                               const int64_t *stride, int npadding, const int64_t *padding_low,
                               const int64_t *padding_high, int nkernel_dilation,
                               const int64_t *kernel_dilation, int ninput_dilation,
                               const int64_t *input_dilation, int64_t groups, bool flip,
                               const char *data_format, jg_array **out)
{
    const jg_op op = JG_OP_conv_general;
    compose_convolution_request request = {
        .op = op, .rank = input->ndim - 2, .groups = groups, .flip = flip};
    int rank = request.rank;
    if (rank < 1 || rank > PRIMITIVE_SPACE_AXES)
        return base_fail(JG_ERR_VALUE, "[conv_general] input: got %d axes, allowed are 3 to 5",
                         input->ndim);
    JG_TRY(compose_space_format(op, data_format, rank, &request.first));
    JG_TRY(compose_space_numbers(op, "stride", rank, nstride, stride, 1, request.stride));
    JG_TRY(compose_space_padding(op, rank, npadding, padding_low, padding_high, -INT32_MAX,
                                 &request.same, request.before, request.after));
    JG_TRY(compose_space_numbers(op, "kernel_dilation", rank, nkernel_dilation, kernel_dilation, 1,
                                 request.dilation));
    JG_TRY(compose_space_numbers(op, "input_dilation", rank, ninput_dilation, input_dilation, 1,
                                 request.spread));
    return compose_convolution(&request, input, weight, out);
}

/* (in, out of a group, ...) becomes (out, in of a group, ...). Channels are exchanged within each
 * group, so the view has an axis of groups between them. */
static jg_array *turn_weight(compose_scope *scope, const compose_convolution_request *request,
                             jg_array *weight)
{
    int64_t split[WINDOW_NDIM + 1], joined[WINDOW_NDIM], axes[WINDOW_NDIM + 1] = {0, 2, 1, 3, 4, 5};
    int64_t groups = request->groups;
    split[0] = groups;
    split[1] = weight->dims[0] / groups;
    split[2] = weight->dims[1];
    joined[0] = groups * weight->dims[1];
    joined[1] = split[1];
    for (int i = 2; i < weight->ndim; ++i)
        split[i + 1] = joined[i] = weight->dims[i];
    jg_array *parts = scope_shaped(scope, jg_reshape, weight, weight->ndim + 1, split);
    parts = scope_shaped(scope, jg_permute_dims, parts, weight->ndim + 1, axes);
    return scope_shaped(scope, jg_reshape, parts, weight->ndim, joined);
}

/* The message names the extent that the result would have without cutting its padding off, as the
 * weight is not at fault. */
static jg_status check_extents(const compose_convolution_request *request, const jg_array *input,
                               const jg_array *weight, const int64_t *more)
{
    int from = request->first ? 2 : 1;
    JG_TRY(compose_space_check(request->op, "input", input, request->rank, request->first));
    for (int i = 0; i < request->rank; ++i) {
        int64_t in = input->dims[from + i], kernel = weight->dims[from + i];
        int64_t stretched, reach, extent, padding;
        if (in < 1 || kernel < 1)
            return base_fail(JG_ERR_VALUE,
                             "[%s] %s: axis %d of space is empty, allowed is 1 or more",
                             op_name(request->op), in < 1 ? "input" : "weight", i);
        /* If the sum overflows here, the convolution refuses its extents. */
        if (__builtin_mul_overflow(in - 1, request->stride[i], &stretched) ||
            __builtin_mul_overflow(kernel - 1, request->dilation[i], &reach) ||
            __builtin_add_overflow(stretched, reach, &extent) ||
            __builtin_add_overflow(extent, more[i] + 1, &extent) ||
            __builtin_add_overflow(request->before[i], request->after[i], &padding))
            continue;
        if (extent < padding)
            return base_fail(JG_ERR_VALUE,
                             "[%s] padding: cuts %" PRId64 " elements off axis %d of space of the "
                             "result, allowed are up to the %" PRId64 " that it has",
                             op_name(request->op), padding, i, extent);
    }
    return JG_OK;
}

static jg_status check_turned(const compose_convolution_request *request, const jg_array *weight)
{
    JG_TRY(compose_space_check(request->op, "weight", weight, request->rank, true));
    if (request->groups < 1 || weight->dims[0] % request->groups != 0)
        return base_fail(JG_ERR_VALUE,
                         "[%s] groups: got %" PRId64 ", allowed are divisors of the %" PRId64
                         " input channels",
                         op_name(request->op), request->groups, weight->dims[0]);
    return JG_OK;
}

/* A transposed convolution puts zeros between the elements of x instead of striding, reverses the
 * taps, and pads so that the result has the shape that the forward convolution would read. As long
 * as padding <= reach nothing is cut; beyond it `before` is negative, and is cut off. The result's
 * extent is (in - 1) * stride - 2 * padding + reach + 1 + added, PyTorch's. */
static jg_status transpose_request(compose_convolution_request *request, const jg_array *input,
                                   const jg_array *weight, space_argument added)
{
    int64_t more[PRIMITIVE_SPACE_AXES];
    JG_TRY(compose_space_check(request->op, "weight", weight, request->rank, request->first));
    JG_TRY(compose_space_numbers(request->op, "output_padding", request->rank, added.count,
                                 added.values, 0, more));
    JG_TRY(check_extents(request, input, weight, more));
    for (int i = 0; i < request->rank; ++i) {
        int64_t reach = request->dilation[i] * (weight->dims[(request->first ? 2 : 1) + i] - 1);
        request->spread[i] = request->stride[i];
        request->stride[i] = 1;
        request->before[i] = reach - request->before[i];
        request->after[i] = reach - request->after[i] + more[i];
    }
    request->flip = request->may_be_empty = true;
    return JG_OK;
}

/* Weights with channels first have input channels in front, so groups are checked against those
 * before the axes are exchanged. */
static jg_status transpose_named(jg_op op, int rank, jg_array *input, jg_array *weight,
                                 const named_arguments *arguments, space_argument added,
                                 jg_array **out)
{
    compose_scope scope = {0};
    compose_convolution_request request;
    jg_array *made = NULL;
    JG_TRY(read_arguments(op, rank, arguments, false, &request));
    JG_TRY(transpose_request(&request, input, weight, added));
    if (request.first) {
        JG_TRY(check_turned(&request, weight));
        weight = turn_weight(&scope, &request, weight);
    }
    if (scope.status == JG_OK) {
        jg_status status = compose_convolution(&request, input, weight, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, made, out);
}

#define TRANSPOSED(NAME, RANK)                                                                     \
    jg_status compose_##NAME(jg_array *input, jg_array *weight, int nstride,                       \
                             const int64_t *stride, int npadding, const int64_t *padding_low,      \
                             const int64_t *padding_high, int ndilation, const int64_t *dilation,  \
                             int noutput_padding, const int64_t *output_padding, int64_t groups,   \
                             const char *data_format, jg_array **out)                              \
    {                                                                                              \
        const named_arguments arguments = {{nstride, stride}, {ndilation, dilation}, npadding,     \
                                           padding_low,       padding_high,          groups,       \
                                           data_format};                                           \
        return transpose_named(JG_OP_##NAME, RANK, input, weight, &arguments,                      \
                               (space_argument){noutput_padding, output_padding}, out);            \
    }

TRANSPOSED(conv_transpose1d, 1)
TRANSPOSED(conv_transpose2d, 2)
TRANSPOSED(conv_transpose3d, 3)

static jg_status check_vector(const char *name, const jg_array *x)
{
    char text[200];
    if (x->ndim == 1 && x->size > 0)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[convolve] %s: got shape %s, allowed is a vector with elements",
                     name, text_extents(text, sizeof text, x->ndim, x->dims));
}

/* The amounts of padding before and after the longer vector. As in NumPy, "same" gives as many
 * elements as the longer vector has; for an even filter the odd element of padding comes before the
 * vector. */
static jg_status choose_padding(const char *mode, int64_t length,
                                compose_convolution_request *request)
{
    int64_t all = length - 1;
    if (strcmp(mode, "full") == 0)
        request->before[0] = request->after[0] = all;
    else if (strcmp(mode, "same") == 0)
        request->after[0] = all - (request->before[0] = length / 2);
    else if (strcmp(mode, "valid") != 0)
        return base_fail(
            JG_ERR_VALUE,
            "[convolve] mode: got \"%s\", allowed are \"full\", \"same\" and \"valid\"", mode);
    return JG_OK;
}

jg_status compose_convolve(jg_array *a, jg_array *v, const char *mode, jg_array **out)
{
    compose_scope scope = {0};
    compose_convolution_request request = {.op = JG_OP_convolve,
                                           .rank = 1,
                                           .groups = 1,
                                           .flip = true,
                                           .stride = {1},
                                           .dilation = {1},
                                           .spread = {1}};
    /* Convolution is symmetric: the shorter vector is the weight. */
    jg_array *longer = a->size >= v->size ? a : v, *shorter = a->size >= v->size ? v : a;
    jg_array *made = NULL;
    const int64_t line[] = {1, -1, 1}, flat[] = {-1};
    JG_TRY(check_vector("a", a));
    JG_TRY(check_vector("v", v));
    JG_TRY(choose_padding(mode, shorter->size, &request));
    longer = scope_shaped(&scope, jg_reshape, longer, 3, line);
    shorter = scope_shaped(&scope, jg_reshape, shorter, 3, line);
    if (scope.status == JG_OK) {
        jg_status status = compose_convolution(&request, longer, shorter, &made);
        made = scope_take(&scope, status, made);
    }
    return scope_finish(&scope, scope_shaped(&scope, jg_reshape, made, 1, flat), out);
}
