/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions that have rules of their own, and the nodes that are their results. */
#include "graph/graph.h"

jg_status graph_custom_call_new(jg_buffer *rules, int ninputs, int nfree, jg_array *const *inputs,
                                int noutputs, jg_array *const *values, graph_custom_call **out)
{
    size_t count = (size_t)ninputs + (size_t)noutputs;
    size_t nbytes = sizeof(graph_custom_call) + count * sizeof(jg_array *);
    graph_custom_call *call = base_alloc(nbytes);
    if (call == NULL)
        return base_nomem(nbytes, "a call of a function with rules");
    atomic_init(&call->refs, 1);
    call->ninputs = ninputs;
    call->noutputs = noutputs;
    call->nfree = nfree;
    call->mark = 0;
    call->slot = 0;
    call->rules = buffer_retain(rules);
    for (int i = 0; i < ninputs; ++i)
        call->arrays[i] = jg_array_retain(inputs[i]);
    for (int i = 0; i < noutputs; ++i)
        call->arrays[ninputs + i] = jg_array_retain(values[i]);
    for (int i = 0; i < ninputs + noutputs; ++i)
        if (JG_UNLIKELY(node_is_place(call->arrays[i])))
            buffer_begin_reading(node_root(call->arrays[i])->buffer, READER_PENDING);
    *out = call;
    return JG_OK;
}

/* The bits of a result: the call may read places that its value does not. */
static unsigned flags_of_result(const graph_custom_call *call)
{
    unsigned flags = NODE_IS_CUSTOM | NODE_IS_TRACED;
    for (int i = 0; i < call->ninputs + call->noutputs; ++i)
        if (node_flags(call->arrays[i]) & (NODE_IS_PLACE | NODE_READS_PLACE))
            flags |= NODE_READS_PLACE;
    return flags;
}

jg_status graph_custom_call_result(graph_custom_call *call, int number, jg_array **out)
{
    jg_array *value = call->arrays[call->ninputs + number], *node;
    JG_TRY(node_new_on(value->device, JG_OP_custom, (jg_dtype)value->dtype, value->ndim,
                       node_shape(value), value->size, &node));
    node_add_input(node, value);
    atomic_fetch_add_explicit(&call->refs, 1, memory_order_relaxed);
    node->attributes.custom = (graph_custom_result){call, number};
    atomic_fetch_or_explicit(&node->flags, (unsigned char)flags_of_result(call),
                             memory_order_relaxed);
    node_complete(node);
    *out = node;
    return JG_OK;
}
