/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the rules of batching: they insert axes, build nodes of other shapes, broadcast
 * inputs to the batch, and loop over the batch for nodes without a rule. */
#include "transform/batch.h"
#include <string.h>

void batch_attributes(const jg_array *node, primitive_attributes *out)
{
    memcpy(out, node_attributes_of(node), primitive_rows[node->primitive].nbytes);
}

/* ndim: without the batch's. */
static jg_status check_axes(const jg_array *node, int ndim)
{
    if (ndim < JG_MAX_NDIM)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "[%s] in a batch it has %d axes, allowed are %d",
                     op_name((jg_op)node->label), ndim + 1, JG_MAX_NDIM);
}

jg_status batch_shape(const batch_call *call, int64_t *shape)
{
    JG_TRY(check_axes(call->node, call->node->ndim));
    shape[0] = call->extent;
    memcpy(shape + 1, node_shape(call->node), (size_t)call->node->ndim * sizeof *shape);
    return JG_OK;
}

jg_status batch_make_shaped(const batch_call *call, int ndim, const int64_t *shape,
                            jg_array *const *inputs, const primitive_attributes *attributes,
                            jg_array **out)
{
    const graph_result form = {(jg_dtype)call->node->dtype, ndim, shape};
    if (attributes == NULL)
        attributes = node_attributes_of(call->node);
    return node_rebuild_results(1, &call->node, &form, inputs, attributes, out);
}

jg_status batch_make(const batch_call *call, jg_array *const *inputs,
                     const primitive_attributes *attributes, jg_array **out)
{
    int64_t shape[JG_MAX_NDIM];
    JG_TRY(batch_shape(call, shape));
    return batch_make_shaped(call, call->node->ndim + 1, shape, inputs, attributes, out);
}

jg_status batch_input(const batch_call *call, int i, jg_array **out)
{
    jg_array *x = call->inputs[i];
    int64_t shape[JG_MAX_NDIM];
    if (call->mapped[i])
        return transform_fit(call->node->inputs[i], x, out);
    JG_TRY(check_axes(call->node, x->ndim));
    shape[0] = call->extent;
    memcpy(shape + 1, node_shape(x), (size_t)x->ndim * sizeof *shape);
    return jg_broadcast_to(x, x->ndim + 1, shape, out);
}

/* x's layout with `count` axes of extent 1 before axis number `at`. */
static void insert_axes(const jg_array *x, int at, int count, jg_layout *out)
{
    jg_layout from;
    node_layout(x, &from);
    *out = (jg_layout){.ndim = from.ndim + count, .size = from.size, .offset = from.offset};
    for (int i = 0; i < out->ndim; ++i) {
        int axis = i < at ? i : i - count;
        bool is_new = i >= at && i < at + count;
        out->shape[i] = is_new ? 1 : from.shape[axis];
        out->strides[i] = is_new ? 0 : from.strides[axis];
    }
}

jg_status batch_pad(const batch_call *call, int i, int ndim, jg_array **out)
{
    jg_array *x = call->inputs[i];
    jg_layout layout;
    bool mapped = call->mapped[i];
    int count = ndim + 1 - x->ndim;
    if (count == 0) {
        *out = jg_array_retain(x);
        return JG_OK;
    }
    JG_TRY(check_axes(call->node, ndim));
    insert_axes(x, mapped ? 1 : 0, count, &layout);
    return node_view(x, &layout, out);
}

jg_status batch_move_axis(jg_array *x, int from, int to, jg_array **out)
{
    const int64_t source = from, destination = to;
    if (from != to)
        return jg_moveaxis(x, 1, &source, 1, &destination, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

static jg_status take_element(jg_array *x, int64_t index, jg_array **out)
{
    jg_layout from, to;
    node_layout(x, &from);
    to = (jg_layout){.ndim = from.ndim - 1, .offset = from.offset + index * from.strides[0]};
    to.size = 1;
    for (int i = 0; i < to.ndim; ++i) {
        to.shape[i] = from.shape[i + 1];
        to.strides[i] = from.strides[i + 1];
        to.size *= to.shape[i];
    }
    return node_view(x, &to, out);
}

/* The same in memory of its own, for a view whose elements are of another size. */
static jg_status copy_element(jg_array *x, int64_t index, jg_array **out)
{
    jg_array *element;
    JG_TRY(take_element(x, index, &element));
    jg_status status = graph_same(element, out);
    jg_array_release(element);
    return status;
}

static jg_status make_element(const batch_call *call, int64_t index, jg_array **inputs,
                              jg_array **out)
{
    int count = call->node->ninputs, done = 0;
    jg_status status = JG_OK;
    for (; done < count && status == JG_OK; done += status == JG_OK)
        if (call->mapped[done])
            status = (call->node->primitive == PRIMITIVE_view ? copy_element : take_element)(
                call->inputs[done], index, &inputs[done]);
        else
            inputs[done] = jg_array_retain(call->inputs[done]);
    if (status == JG_OK)
        status = transform_replay(call->node, inputs, out);
    while (done > 0)
        jg_array_release(inputs[--done]);
    return status;
}

static jg_status make_nothing(const batch_call *call, jg_array **out)
{
    const jg_number zero = {.kind = JG_KIND_INT};
    int64_t shape[JG_MAX_NDIM];
    jg_array *made;
    JG_TRY(batch_shape(call, shape));
    JG_TRY(jg_full((jg_dtype)call->node->dtype, call->node->ndim + 1, shape, zero, &made));
    jg_status status = graph_to_device(made, node_device(call->node), out);
    jg_array_release(made);
    return status;
}

jg_status batch_loop(const batch_call *call, jg_array **out)
{
    size_t count = (size_t)call->extent, ninputs = (size_t)call->node->ninputs;
    size_t nbytes = (count + ninputs) * sizeof(jg_array *);
    int64_t done = 0;
    if (call->extent == 0)
        return make_nothing(call, out);
    JG_TRY(check_axes(call->node, call->node->ndim));
    if (count > INT32_MAX)
        return base_fail(JG_ERR_VALUE, "[%s] a batch of %lld, allowed for this op is up to %d",
                         op_name((jg_op)call->node->label), (long long)call->extent, INT32_MAX);
    jg_array **made = base_alloc(nbytes);
    if (made == NULL)
        return base_nomem(nbytes, "a batch");
    jg_status status = JG_OK;
    for (; done < call->extent && status == JG_OK; done += status == JG_OK)
        status = make_element(call, done, made + count, &made[done]);
    if (status == JG_OK)
        status = jg_stack((int)count, made, 0, out);
    while (done > 0)
        jg_array_release(made[--done]);
    base_free(made);
    return status;
}

jg_status batch_with_inputs(const batch_call *call, batch_maker *make, const void *context)
{
    int count = call->node->ninputs, done = 0;
    jg_array *few[GRAPH_FEW_INPUTS], **inputs = few;
    size_t nbytes = (size_t)count * sizeof *inputs;
    if (count > GRAPH_FEW_INPUTS && (inputs = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "an op that is batched");
    jg_status status = JG_OK;
    for (; done < count && status == JG_OK; done += status == JG_OK)
        status = batch_input(call, done, &inputs[done]);
    if (status == JG_OK)
        status = make(call, context, inputs);
    node_release_all(done, inputs);
    if (inputs != few)
        base_free(inputs);
    return status;
}

typedef struct single_result {
    const primitive_attributes *attributes;
    jg_array **out;
} single_result;

static jg_status make_single(const batch_call *call, const void *context, jg_array *const *inputs)
{
    const single_result *single = context;
    return batch_make(call, inputs, single->attributes, single->out);
}

jg_status batch_leading_as(const batch_call *call, const primitive_attributes *attributes,
                           jg_array **out)
{
    const single_result single = {attributes, out};
    return batch_with_inputs(call, make_single, &single);
}

jg_status batch_leading(const batch_call *call, jg_array **out)
{
    return batch_leading_as(call, NULL, out);
}
