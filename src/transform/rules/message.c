/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between processes. As in MLX, each process differentiates a function of its own
 * arguments, whose value is the same on all of them: the cotangent of a sum over processes is that
 * of each addend, and each process takes its part of the cotangent of a gathered array. */
#include "distributed/distributed.h"
#include "transform/batch.h"
#include "transform/rules/rules.h"

static message_kind kind_of(const jg_array *node)
{
    return node_attributes_of(node)->message.kind;
}

static bool is_linear(message_kind kind)
{
    return kind == MESSAGE_SUM || kind == MESSAGE_GATHER || kind == MESSAGE_SUM_SCATTER;
}

/* An array that is only waited for and an array that is received have no derivative. */
jg_status tangent_message(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    jg_array *inputs[2], *fit;
    if (kind_of(node) == MESSAGE_RECEIVE || tangents[0] == NULL)
        return JG_OK;
    if (!is_linear(kind_of(node)))
        return transform_fail_missing(node);
    JG_TRY(transform_fit(node->inputs[0], tangents[0], &fit));
    inputs[0] = fit;
    inputs[1] = node->ninputs > 1 ? node->inputs[1] : NULL;
    jg_status status = node_rebuild(node, inputs, out);
    jg_array_release(fit);
    return status;
}

/* The part of a cotangent that belongs to this process. */
static jg_status take_part(const jg_array *node, jg_array *cotangent, jg_array **out)
{
    const jg_array *x = node->inputs[0];
    int64_t rank, size, extent = x->ndim > 0 ? x->dims[0] : 1;
    jg_array *part;
    jg_layout layout;
    JG_TRY(distributed_group(node_attributes_of(node)->message.group, &rank, &size));
    node_layout(cotangent, &layout);
    layout.offset += rank * extent * layout.strides[0];
    layout.shape[0] = extent;
    layout.size = x->size;
    JG_TRY(compose_view(cotangent, &layout, &part));
    jg_status status = jg_reshape(part, x->ndim, node_shape(x), out);
    jg_array_release(part);
    return status;
}

static jg_status share_of(const jg_array *node, jg_array *cotangent, jg_array **out)
{
    int64_t group = node_attributes_of(node)->message.group;
    switch (kind_of(node)) {
    case MESSAGE_SUM: *out = jg_array_retain(cotangent); return JG_OK;
    case MESSAGE_GATHER: return take_part(node, cotangent, out);
    case MESSAGE_SUM_SCATTER: return jg_distributed_all_gather(cotangent, group, out);
    default: return transform_fail_missing(node);
    }
}

jg_status cotangent_message(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    jg_array *share;
    if (kind_of(node) == MESSAGE_RECEIVE || !reverse_wants(pass, 0))
        return JG_OK;
    JG_TRY(share_of(node, cotangent, &share));
    jg_status status = reverse_give(pass, 0, share);
    jg_array_release(share);
    return status;
}

/* The first axis after the second one; of a vector, after one of extent 1. */
static jg_array *exchange_axes(compose_scope *scope, jg_array *x)
{
    jg_array *made = NULL;
    if (x == NULL)
        return NULL;
    jg_status status =
        x->ndim == 1 ? compose_new_axis(x, 0, &made) : batch_move_axis(x, 0, 1, &made);
    return scope_take(scope, status, made);
}

/* Along the first axis, which is the second one of the batch: there it comes first. */
static jg_status batch_first_axis(const batch_call *call, jg_array **out)
{
    const jg_array *node = call->node;
    compose_scope scope = {0};
    int64_t shape[JG_MAX_NDIM];
    jg_array *made = NULL;
    jg_status status = batch_shape(call, shape);
    if (status == JG_OK)
        status = batch_input(call, 0, &made);
    jg_array *x = exchange_axes(&scope, scope_take(&scope, status, made));
    x = scope_unary(&scope, graph_contiguous, x);
    if (x == NULL)
        return scope_finish(&scope, NULL, out);
    jg_array *inputs[] = {x, node->ninputs > 1 ? call->inputs[1] : NULL};
    shape[1] = call->extent;
    shape[0] = node->dims[0];
    status = batch_make_shaped(call, node->ndim + 1, shape, inputs, NULL, &made);
    return scope_finish(&scope, exchange_axes(&scope, scope_take(&scope, status, made)), out);
}

jg_status batch_message(const batch_call *call, jg_array **out)
{
    const jg_array *node = call->node;
    message_kind kind = kind_of(node);
    if (!call->mapped[0] || kind == MESSAGE_RECEIVE)
        return base_fail(
            JG_ERR_UNSUPPORTED,
            "[%s] cannot be batched: every call is one message; call it outside of vmap",
            op_name((jg_op)node->label));
    if (kind == MESSAGE_GATHER || kind == MESSAGE_SUM_SCATTER)
        return batch_first_axis(call, out);
    jg_array *x;
    JG_TRY(batch_input(call, 0, &x));
    jg_array *inputs[] = {x, node->ninputs > 1 ? call->inputs[1] : NULL};
    jg_status status = batch_make(call, inputs, NULL, out);
    jg_array_release(x);
    return status;
}
