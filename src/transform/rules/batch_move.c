/* SPDX-License-Identifier: Apache-2.0 */
/* Batching of what moves elements: views, indexing, joining, padding and repeating. */
#include "transform/batch.h"
#include <string.h>

/* Whether the root's batch is laid out as the root is, but for its first axis. */
static bool has_strides_of(const jg_array *batch, const jg_array *root)
{
    for (int i = 0; i < root->ndim; ++i)
        if (root->dims[i] > 1 && node_strides(batch)[i + 1] != node_strides(root)[i])
            return false;
    return true;
}

/* A number of the root's elements in the view's, which may be of another size. */
static bool rescale(const jg_array *view, int64_t *count)
{
    int64_t from = (int64_t)dtype_itemsize((jg_dtype)view->inputs[0]->dtype),
            to = (int64_t)dtype_itemsize((jg_dtype)view->dtype);
    if (from == to)
        return true;
    bool whole = *count * from % to == 0;
    *count = *count * from / to;
    return whole;
}

/* The view's layout over a batch of roots; false where its elements begin within those of the
 * batch. Roots that are traced begin at offset 0. */
static bool view_layout(const jg_array *view, const jg_array *batch, jg_layout *out)
{
    jg_layout from;
    int64_t offset = batch->offset, lead = node_strides(batch)[0];
    node_layout(view, &from);
    bool whole = rescale(view, &offset) && (rescale(view, &lead) || batch->dims[0] < 2);
    *out = (jg_layout){.ndim = from.ndim + 1,
                       .size = batch->dims[0] * from.size,
                       .offset = offset + from.offset - view->inputs[0]->offset};
    out->shape[0] = batch->dims[0];
    out->strides[0] = lead;
    for (int i = 0; i < from.ndim; ++i) {
        out->shape[i + 1] = from.shape[i];
        out->strides[i + 1] = from.strides[i];
    }
    return whole;
}

/* The layout with the batch's axis in front. */
jg_status batch_view(const batch_call *call, jg_array **out)
{
    const jg_array *view = call->node, *root = view->inputs[0];
    const jg_dtype dtype = (jg_dtype)view->dtype;
    jg_array *batch = call->inputs[0], *dense;
    jg_layout layout;
    if (view->ndim >= JG_MAX_NDIM)
        return batch_loop(call, out); /* which tells of the axes */
    if (has_strides_of(batch, root) && view_layout(view, batch, &layout))
        return node_view_as(batch, dtype, &layout, out);
    JG_TRY(has_strides_of(batch, root) ? graph_same(batch, &dense)
                                       : graph_contiguous(batch, &dense));
    jg_status status = view_layout(view, dense, &layout) ? node_view_as(dense, dtype, &layout, out)
                                                         : batch_loop(call, out);
    jg_array_release(dense);
    return status;
}

/* The axes of x, and of index arrays, are those of the result: each gets one in front. */
jg_status batch_gather(const batch_call *call, jg_array **out)
{
    jg_array *inputs[JG_MAX_NDIM + 1] = {NULL};
    jg_status status = JG_OK;
    int done = 0, count = call->node->ninputs;
    for (; done < count && status == JG_OK; done += status == JG_OK)
        status = batch_pad(call, done, call->node->inputs[done]->ndim, &inputs[done]);
    if (status == JG_OK)
        status = batch_make(call, inputs, NULL, out);
    while (done > 0)
        jg_array_release(inputs[--done]);
    return status;
}

/* The numbers of a vector of int64 that an op has made, with another one at a position.
 * gives: *out, +1, on like's device */
static jg_status insert_number(jg_array *numbers, int64_t at, int64_t number, const jg_array *like,
                               jg_array **out)
{
    int64_t values[3 * JG_MAX_NDIM + 2], count = numbers->size + 1;
    jg_array *made;
    if (count > (int64_t)JG_COUNT_OF(values))
        return base_fail(JG_ERR_INTERNAL, "a list of %lld numbers", (long long)count);
    JG_TRY(jg_array_copy_to(numbers, values, (size_t)numbers->size * sizeof *values));
    memmove(values + at + 1, values + at, (size_t)(numbers->size - at) * sizeof *values);
    values[at] = number;
    JG_TRY(jg_array_from_data(values, JG_DTYPE_INT64, 1, &count, &made));
    jg_status status = graph_to_device(made, node_device(like), out);
    jg_array_release(made);
    return status;
}

/* The updates' axes, and those of index arrays, get one in front, along which the target steps over
 * a whole x. */
jg_status batch_scatter(const batch_call *call, jg_array **out)
{
    const jg_array *node = call->node;
    jg_array *inputs[SCATTER_ARRAYS + JG_MAX_NDIM] = {NULL};
    jg_status status = call->mapped[SCATTER_TARGET] ? batch_loop(call, out) : JG_OK;
    int done = 0;
    if (call->mapped[SCATTER_TARGET])
        return status;
    for (; done < node->ninputs && status == JG_OK; done += status == JG_OK)
        if (done == SCATTER_TARGET)
            status = insert_number(call->inputs[SCATTER_TARGET], SCATTER_STEPS, node->size, node,
                                   &inputs[done]);
        else if (done == SCATTER_X || done == SCATTER_UPDATES)
            status = batch_input(call, done, &inputs[done]);
        else
            status = batch_pad(call, done, node->inputs[done]->ndim, &inputs[done]);
    if (status == JG_OK)
        status = batch_make(call, inputs, NULL, out);
    while (done > 0)
        jg_array_release(inputs[--done]);
    return status;
}

jg_status batch_concat(const batch_call *call, jg_array **out)
{
    const int64_t axis = node_attributes_of(call->node)->concat.axis + 1;
    int count = call->node->ninputs, done = 0;
    size_t nbytes = (size_t)count * sizeof(jg_array *);
    jg_array **inputs = base_alloc(nbytes);
    jg_status status = inputs != NULL ? JG_OK : base_nomem(nbytes, "a list of arrays");
    for (; done < count && status == JG_OK; done += status == JG_OK)
        status = batch_input(call, done, &inputs[done]);
    if (status == JG_OK)
        status = jg_concat(count, inputs, &axis, out);
    while (done > 0)
        jg_array_release(inputs[--done]);
    base_free(inputs);
    return status;
}

/* The batch's axis is as it was. */
jg_status batch_extend(const batch_call *call, jg_array **out)
{
    const jg_array *node = call->node;
    int64_t before[JG_MAX_NDIM] = {0}, shape[JG_MAX_NDIM];
    jg_array *x, *widths = call->inputs[2];
    if (call->mapped[1] || call->mapped[2])
        return batch_loop(call, out);
    JG_TRY(batch_shape(call, shape));
    JG_TRY(jg_array_copy_to(widths, before + 1, (size_t)node->ndim * sizeof *before));
    JG_TRY(batch_input(call, 0, &x));
    const extend_mode mode = node_attributes_of(node)->extend.mode;
    jg_status status =
        compose_extend((jg_op)node->label, x, call->inputs[1], mode, before, shape, out);
    jg_array_release(x);
    return status;
}

jg_status batch_repeat(const batch_call *call, jg_array **out)
{
    const jg_array *node = call->node;
    primitive_attributes attributes;
    jg_array *x;
    if (node->ninputs > 1 && call->mapped[1])
        return batch_loop(call, out);
    batch_attributes(node, &attributes);
    attributes.repeat.axis += 1;
    JG_TRY(batch_input(call, 0, &x));
    jg_array *const inputs[] = {x, node->ninputs > 1 ? call->inputs[1] : NULL};
    jg_status status = batch_make(call, inputs, &attributes, out);
    jg_array_release(x);
    return status;
}

/* The marker's tracing has ended: nothing needs it any more. */
jg_status batch_marker(const batch_call *call, jg_array **out)
{
    *out = jg_array_retain(call->inputs[0]);
    return JG_OK;
}
