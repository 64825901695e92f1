/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a node as checks, for nodes that a rewrite has made: batching, a call that is
 * expanded, a sibling, a node of a record on other arguments. What a user calls is checked where it
 * is called; a failure here means that joggle is wrong. */
#include "graph/graph.h"
#include <inttypes.h>

#ifdef NDEBUG
bool graph_verifies = false;
#else
bool graph_verifies = true;
#endif

void graph_verify_if_asked(void)
{
    graph_verifies |= option_flag(OPTION_VERIFY);
}

static jg_status check_shape(const jg_array *node)
{
    int64_t size;
    JG_TRY(shape_size(node->ndim, node_shape(node), &size));
    if (node->size == size)
        return JG_OK;
    return base_fail(JG_ERR_INTERNAL,
                     "[%s] node: got %" PRId64 " elements, allowed are the %" PRId64
                     " of its shape",
                     op_name((jg_op)node->label), node->size, size);
}

static jg_status fail_shape(const jg_array *node, const char *allowed)
{
    char text[200];
    return base_fail(JG_ERR_INTERNAL, "[%s] node: got shape %s, allowed is that which %s",
                     op_name((jg_op)node->label),
                     text_extents(text, sizeof text, node->ndim, node_shape(node)), allowed);
}

static jg_status check_dtype(const jg_array *node, jg_dtype allowed)
{
    if (node->dtype == allowed)
        return JG_OK;
    return base_fail(JG_ERR_INTERNAL, "[%s] node: got dtype %s, allowed is %s",
                     op_name((jg_op)node->label), jg_dtype_name((jg_dtype)node->dtype),
                     jg_dtype_name(allowed));
}

/* Whether the inputs' extents broadcast to the node's extent on the axis that is from_end axes
 * before the end. */
static bool broadcasts_to(const jg_array *node, int from_end)
{
    int64_t wanted = node->dims[node->ndim - from_end], found = 1;
    for (int i = 0; i < node->ninputs; ++i) {
        const jg_array *x = node->inputs[i];
        int64_t extent = from_end <= x->ndim ? x->dims[x->ndim - from_end] : 1;
        if (extent != 1 && extent != wanted)
            return false;
        found = extent != 1 ? extent : found;
    }
    return found == wanted;
}

static jg_status check_broadcast(const jg_array *node)
{
    int ndim = 0;
    for (int i = 0; i < node->ninputs; ++i)
        ndim = int_max(ndim, node->inputs[i]->ndim);
    bool fits = ndim == node->ndim;
    for (int k = 1; k <= ndim && fits; ++k)
        fits = broadcasts_to(node, k);
    return fits ? JG_OK : fail_shape(node, "its inputs broadcast to");
}

/* A cast has the dtype that it was asked for. */
static jg_status check_elementwise(const jg_array *node)
{
    jg_dtype inputs[GRAPH_FEW_INPUTS];
    op_types types;
    if (node->ninputs < 1 || node->ninputs > GRAPH_FEW_INPUTS)
        return base_fail(JG_ERR_INTERNAL, "[%s] node: got %d inputs, allowed are 1 to %d",
                         op_name((jg_op)node->label), node->ninputs, GRAPH_FEW_INPUTS);
    JG_TRY(check_broadcast(node));
    if (node->primitive == PRIMITIVE_cast)
        return JG_OK;
    for (int i = 0; i < node->ninputs; ++i)
        inputs[i] = (jg_dtype)node->inputs[i]->dtype;
    JG_TRY(op_resolve_types((jg_op)node->label, node->ninputs, inputs, &types));
    return check_dtype(node, types.result);
}

static bool has_extents(const jg_array *node, int ndim, const int64_t *shape)
{
    bool same = node->ndim == ndim;
    for (int i = 0; i < ndim && same; ++i)
        same = node->dims[i] == shape[i];
    return same;
}

/* A reduction computes in the dtype that its input was cast to. */
static jg_status check_reduction(const jg_array *node)
{
    int64_t shape[JG_MAX_NDIM];
    int ndim;
    if (node->ninputs != 1)
        return base_fail(JG_ERR_INTERNAL, "[%s] node: got %d inputs, allowed is 1",
                         op_name((jg_op)node->label), node->ninputs);
    const jg_array *x = node->inputs[0];
    uint64_t axes = node_attributes_of(node)->reduce_add.axes;
    if (x->ndim < JG_MAX_NDIM && axes >> x->ndim != 0)
        return base_fail(JG_ERR_INTERNAL,
                         "[%s] node: got the set of axes %" PRIx64 ", allowed are %d axes",
                         op_name((jg_op)node->label), axes, x->ndim);
    bool keepdims = node->ndim == x->ndim;
    op_reduced_shape(x->ndim, node_shape(x), axes, keepdims, &ndim, shape);
    if (!has_extents(node, ndim, shape))
        return fail_shape(node, "its input has without the reduced axes");
    return check_dtype(node, (jg_dtype)x->dtype);
}

static jg_status check_rules(const jg_array *node)
{
    switch (primitive_rows[node->primitive].kind) {
    case PRIMITIVE_ELEMENTWISE: return check_elementwise(node);
    case PRIMITIVE_REDUCTION: return check_reduction(node);
    default: return JG_OK; /* a routine's shapes are its own matter: compose made them */
    }
}

/* Only a copy brings what is elsewhere. */
static jg_status check_inputs(const jg_array *node)
{
    for (int i = 0; i < node->ninputs && node->primitive != PRIMITIVE_copy; ++i)
        if (node_device(node->inputs[i]) != node_device(node))
            return base_fail(
                JG_ERR_INTERNAL, "[%s] node: got input %d on device %d, allowed is the node's, %d",
                op_name((jg_op)node->label), i, node_device(node->inputs[i]), node_device(node));
    return JG_OK;
}

jg_status node_verify(const jg_array *node)
{
    JG_TRY(check_shape(node));
    JG_TRY(check_inputs(node));
    if (node->nresults != 0 && node->result >= node->nresults)
        return base_fail(JG_ERR_INTERNAL, "[%s] node: got result %d, allowed are those below %d",
                         op_name((jg_op)node->label), node->result, node->nresults);
    return check_rules(node);
}

jg_status node_verify_becomes(const jg_array *node, const jg_array *built)
{
    JG_TRY(node_verify(built));
    if (built->label != node->label)
        return base_fail(JG_ERR_INTERNAL, "[%s] node: got the inputs of %s, allowed are its own",
                         op_name((jg_op)node->label), op_name((jg_op)built->label));
    if (!node_same_shape(node, built))
        return fail_shape(built, "the result of the call has");
    if (node_device(built) != node_device(node))
        return base_fail(JG_ERR_INTERNAL, "[%s] node: got device %d, allowed is the result's, %d",
                         op_name((jg_op)node->label), node_device(built), node_device(node));
    return check_dtype(built, (jg_dtype)node->dtype);
}

/* Whether both are results of one routine on the same inputs. */
static bool is_one_call(const jg_array *x, const jg_array *y)
{
    bool same = x->primitive == y->primitive && x->ninputs == y->ninputs &&
                x->nresults == y->nresults && x->result != y->result;
    for (int i = 0; i < x->ninputs && same; ++i)
        same = x->inputs[i] == y->inputs[i];
    return same;
}

jg_status node_verify_siblings(int count, jg_array *const *nodes)
{
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            if (!is_one_call(nodes[i], nodes[j]))
                return base_fail(JG_ERR_INTERNAL,
                                 "[%s] node: got result %d beside result %d of %s, allowed are "
                                 "different results of one call",
                                 op_name((jg_op)nodes[i]->label), nodes[i]->result,
                                 nodes[j]->result, op_name((jg_op)nodes[j]->label));
    return JG_OK;
}
