/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling along one to three axes of space. */
#include "compose/convolution/convolve.h"
#include <inttypes.h>

/* without_padding: a mean divides by the elements of x in the window only; divisor: by this, if it
 * is not 0. */
typedef struct pool_request {
    jg_op op;
    int rank;
    bool first, mean, up; /* up: a last window that reaches past the end counts, too */
    bool same;            /* the padding follows from the extents */
    int64_t without_padding, divisor;
    int64_t window[PRIMITIVE_SPACE_AXES], stride[PRIMITIVE_SPACE_AXES],
        dilation[PRIMITIVE_SPACE_AXES];
    int64_t before[PRIMITIVE_SPACE_AXES], after[PRIMITIVE_SPACE_AXES];
} pool_request;

/* The arguments as the op got them; nstride -1: the strides are the window's extents. */
typedef struct pool_arguments {
    int nwindow, nstride, npadding, ndilation;
    const int64_t *window, *stride, *before, *after, *dilation;
    const char *format;
} pool_arguments;

/* Padding is at most half of a window, as in PyTorch: then no window lies in the padding alone,
 * except a dilated one. */
static jg_status read_arguments(jg_op op, int rank, const pool_arguments *from, pool_request *out)
{
    bool own = from->nstride >= 0;
    out->op = op;
    out->rank = rank;
    JG_TRY(compose_space_format(op, from->format, rank, &out->first));
    JG_TRY(compose_space_numbers(op, "kernel_size", rank, from->nwindow, from->window, 1,
                                 out->window));
    JG_TRY(compose_space_numbers(op, "stride", rank, own ? from->nstride : from->nwindow,
                                 own ? from->stride : from->window, 1, out->stride));
    JG_TRY(compose_space_numbers(op, "dilation", rank, from->ndilation, from->dilation, 1,
                                 out->dilation));
    JG_TRY(compose_space_padding(op, rank, from->npadding, from->before, from->after, 0, &out->same,
                                 out->before, out->after));
    for (int i = 0; i < rank; ++i) {
        int64_t most = int64_max(out->before[i], out->after[i]);
        if (most > out->window[i] / 2)
            return base_fail(JG_ERR_VALUE,
                             "[%s] padding: got %" PRId64
                             ", allowed is up to half of kernel_size, %" PRId64,
                             op_name(op), most, out->window[i] / 2);
    }
    return JG_OK;
}

/* The extent of the result along an axis. The last window begins in x or in the padding before.
 * Numbers are at most 2^31 - 1 each, so that no product of two overflows. */
static jg_status result_extent(const pool_request *request, const jg_array *x, int axis,
                               int64_t *out)
{
    int64_t in = x->dims[(request->first ? 2 : 1) + axis], stride = request->stride[axis];
    int64_t padded = in + request->before[axis] + request->after[axis];
    int64_t span = (request->window[axis] - 1) * request->dilation[axis] + 1;
    int64_t rest = padded - span + (request->up ? stride - 1 : 0);
    int64_t count = rest < 0 ? 0 : rest / stride + 1;
    if (request->up && count > 0 && (count - 1) * stride >= in + request->before[axis])
        count -= 1;
    if (count == 0)
        return base_fail(JG_ERR_VALUE,
                         "[%s] kernel_size: axis %d of space spans %" PRId64
                         " elements, allowed are up to the %" PRId64 " of the padded input%s",
                         op_name(request->op), axis, span, padded,
                         request->up ? " and less than a stride more" : "");
    *out = count;
    return JG_OK;
}

static void pad_same(pool_request *request, const jg_array *x)
{
    for (int i = 0; i < request->rank; ++i)
        compose_space_pad_same(x->dims[(request->first ? 2 : 1) + i],
                               (request->window[i] - 1) * request->dilation[i], request->stride[i],
                               &request->before[i], &request->after[i]);
}

/* A missing axis has one window of one tap, past which an `after` of 1 lies. */
static void set_attributes(const pool_request *request, pool_attributes *out)
{
    *out = (pool_attributes){.mean = request->mean,
                             .channels_first = request->first,
                             .without_padding = request->without_padding,
                             .divisor = request->divisor};
    compose_space_set(request->rank, request->window, 1, out->window);
    compose_space_set(request->rank, request->stride, 1, out->stride);
    compose_space_set(request->rank, request->dilation, 1, out->dilation);
    compose_space_set(request->rank, request->before, 0, out->before);
    compose_space_set(request->rank, request->after, 1, out->after);
}

static jg_status pool_node(const pool_request *request, jg_array *x, const int64_t *shape,
                           jg_array **out)
{
    primitive_attributes attributes;
    jg_array *truth = NULL, *view = NULL;
    jg_status status;
    set_attributes(request, &attributes.pool);
    JG_TRY_DONE(compose_truth(x, &truth));
    JG_TRY_DONE(compose_space_view(truth, request->first, &view));
    status =
        graph_routine(request->op, (jg_dtype)x->dtype, x->ndim, shape, 1, &view, &attributes, out);
done:
    jg_array_release(truth);
    jg_array_release(view);
    return status;
}

static jg_status pool(pool_request *request, jg_array *input, jg_array **out)
{
    const jg_dtype dtype = (jg_dtype)input->dtype;
    int64_t extents[PRIMITIVE_SPACE_AXES], shape[WINDOW_NDIM];
    op_types types;
    jg_array *x;
    JG_TRY(op_resolve_types(request->op, 1, &dtype, &types));
    JG_TRY(compose_space_check(request->op, "input", input, request->rank, request->first));
    if (request->same)
        pad_same(request, input);
    for (int i = 0; i < request->rank; ++i)
        JG_TRY(result_extent(request, input, i, &extents[i]));
    compose_space_result_shape(request->rank, request->first, input->dims[0],
                               input->dims[request->first ? 1 : request->rank + 1], extents, shape);
    JG_TRY(graph_cast(input, types.result, &x));
    jg_status status = pool_node(request, x, shape, out);
    jg_array_release(x);
    return status;
}

#define MAX_POOL(NAME, RANK)                                                                       \
    jg_status compose_##NAME(jg_array *input, int nkernel_size, const int64_t *kernel_size,        \
                             int nstride, const int64_t *stride, int npadding,                     \
                             const int64_t *padding_low, const int64_t *padding_high,              \
                             int ndilation, const int64_t *dilation, bool ceil_mode,               \
                             const char *data_format, jg_array **out)                              \
    {                                                                                              \
        pool_request request = {.up = ceil_mode};                                                  \
        const pool_arguments arguments = {.nwindow = nkernel_size,                                 \
                                          .window = kernel_size,                                   \
                                          .nstride = nstride,                                      \
                                          .stride = stride,                                        \
                                          .npadding = npadding,                                    \
                                          .before = padding_low,                                   \
                                          .after = padding_high,                                   \
                                          .ndilation = ndilation,                                  \
                                          .dilation = dilation,                                    \
                                          .format = data_format};                                  \
        JG_TRY(read_arguments(JG_OP_##NAME, RANK, &arguments, &request));                          \
        return pool(&request, input, out);                                                         \
    }

MAX_POOL(max_pool1d, 1)
MAX_POOL(max_pool2d, 2)
MAX_POOL(max_pool3d, 3)

/* 0 tells the routine that there is none, so users may not pass it. */
static jg_status check_divisor(jg_op op, const int64_t *divisor, int64_t *out)
{
    if (divisor != NULL && *divisor == 0)
        return base_fail(JG_ERR_VALUE, "[%s] divisor_override: got 0, allowed are other numbers",
                         op_name(op));
    *out = divisor != NULL ? *divisor : 0;
    return JG_OK;
}

#define AVG_POOL(NAME, RANK)                                                                       \
    jg_status compose_##NAME(                                                                      \
        jg_array *input, int nkernel_size, const int64_t *kernel_size, int nstride,                \
        const int64_t *stride, int npadding, const int64_t *padding_low,                           \
        const int64_t *padding_high, bool ceil_mode, bool count_include_pad,                       \
        const int64_t *divisor_override, const char *data_format, jg_array **out)                  \
    {                                                                                              \
        const int64_t one = 1;                                                                     \
        pool_request request = {                                                                   \
            .mean = true, .up = ceil_mode, .without_padding = !count_include_pad};                 \
        const pool_arguments arguments = {.nwindow = nkernel_size,                                 \
                                          .window = kernel_size,                                   \
                                          .nstride = nstride,                                      \
                                          .stride = stride,                                        \
                                          .npadding = npadding,                                    \
                                          .before = padding_low,                                   \
                                          .after = padding_high,                                   \
                                          .ndilation = 1,                                          \
                                          .dilation = &one,                                        \
                                          .format = data_format};                                  \
        JG_TRY(read_arguments(JG_OP_##NAME, RANK, &arguments, &request));                          \
        JG_TRY(check_divisor(JG_OP_##NAME, divisor_override, &request.divisor));                   \
        return pool(&request, input, out);                                                         \
    }

AVG_POOL(avg_pool1d, 1)
AVG_POOL(avg_pool2d, 2)
AVG_POOL(avg_pool3d, 3)
