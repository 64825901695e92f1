/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions that have rules of their own, and the nodes that are their results (custom.c).
 * A part of graph.h, which includes it: others include that. */
#ifndef JG_GRAPH_CUSTOM_H
#define JG_GRAPH_CUSTOM_H

/* A call of a function that has rules of its own. Its results are nodes of the primitive custom:
 * copies of the values that the function gave. How such a node depends on the call's inputs the
 * rules say, so for transformations its inputs are those of the call. */
struct graph_custom_call {
    atomic_int refs;
    int ninputs, noutputs;
    int nfree;          /* inputs that are not kept in memory for the call's sake: the first ones */
    uint64_t mark;      /* the epoch of the last walk or tape that met it */
    uint32_t slot;      /* of that one */
    jg_buffer *rules;   /* +1: what transform made; its context */
    jg_array *arrays[]; /* inputs, then values, +1 each */
};

/* A call, without results so far. rules: a buffer of no bytes, whose context is for transform and
 * whose release function drops it. keeps: rules, inputs, values | gives: *out, +1 | raises:
 * NOMEM */
jg_status graph_custom_call_new(jg_buffer *rules, int ninputs, int nfree, jg_array *const *inputs,
                                int noutputs, jg_array *const *values, graph_custom_call **out);
void graph_custom_call_release(graph_custom_call *call);

/* Result `number` of the call. gives: *out, +1 | raises: NOMEM */
jg_status graph_custom_call_result(graph_custom_call *call, int number, jg_array **out);

/* Makes a node that has a call a copy like others. The evaluation lock must be held. */
void node_forget_call(jg_array *node);

/* Borrowed from x; NULL for other nodes, and for those that have dropped their inputs. */
static inline graph_custom_call *node_custom_call(const jg_array *x)
{
    bool is = node_flags(x) & NODE_IS_CUSTOM;
    return is ? x->attributes.custom.call : NULL;
}

#endif
