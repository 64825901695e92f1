/* SPDX-License-Identifier: Apache-2.0 */
/* From ops to nodes: dtypes by the row's rule, shapes by broadcasting. Nothing is computed. The
 * op functions of the table that are primitives are defined at the end, one expansion for each
 * form. */
#include "graph/graph.h"
#include <joggle/ops.h>
#include <string.h>

/* The input whose shape the others have, unless they are 0-d; NULL if there is none. That is so of
 * most operands, and costs less to find out than broadcasting does. */
static const jg_array *find_shape(int count, jg_array *const *inputs)
{
    const jg_array *found = inputs[0];
    for (int i = 1; i < count; ++i)
        if (found->ndim == 0)
            found = inputs[i];
        else if (inputs[i]->ndim > 0 && !node_same_shape(found, inputs[i]))
            return NULL;
    return found;
}

/* The broadcast shape of all inputs, as the shape of a new node. */
static jg_status new_broadcast(unsigned device, jg_op op, jg_dtype dtype, int count,
                               jg_array *const *inputs, jg_array **out)
{
    int64_t shapes[2][JG_MAX_NDIM],
        size; /* by turns, so that a failure can still print its operands */
    const int64_t *shape = inputs[0]->dims;
    int ndim = inputs[0]->ndim;
    for (int i = 1; i < count; ++i) {
        JG_TRY(
            shape_broadcast(ndim, shape, inputs[i]->ndim, inputs[i]->dims, &ndim, shapes[i % 2]));
        shape = shapes[i % 2];
    }
    JG_TRY(shape_size(ndim, shape, &size));
    return node_new_on(device, op, dtype, ndim, shape, size, out);
}

static inline jg_status named(jg_op op, jg_status status)
{
    return JG_LIKELY(status == JG_OK) ? JG_OK : graph_call_failed(op, status, 0, NULL);
}

JG_COLD static jg_status elementwise_joined(jg_op op, int count, jg_array *const *inputs,
                                            const jg_dtype *dtype, jg_array **out)
{
    jg_array *joined[GRAPH_FEW_INPUTS];
    JG_TRY(graph_join(op, count, inputs, joined));
    jg_status status = graph_elementwise(op, count, joined, dtype, out);
    node_release_all(count, joined);
    return status;
}

jg_status graph_elementwise(jg_op op, int count, jg_array *const *inputs, const jg_dtype *dtype,
                            jg_array **out)
{
    jg_dtype dtypes[GRAPH_FEW_INPUTS];
    op_types types;
    unsigned device;
    for (int i = 0; i < count; ++i)
        dtypes[i] = (jg_dtype)inputs[i]->dtype;
    JG_TRY(named(op, op_resolve_types(op, count, dtypes, &types)));
    if (JG_UNLIKELY(!graph_is_on_one_device(count, inputs, &device)))
        return elementwise_joined(op, count, inputs, dtype, out);
    jg_array *node;
    if (dtype != NULL)
        types.result = *dtype;
    const jg_array *like = find_shape(count, inputs);
    if (JG_LIKELY(like != NULL))
        JG_TRY(named(
            op, node_new_on(device, op, types.result, like->ndim, like->dims, like->size, &node)));
    else
        JG_TRY(named(op, new_broadcast(device, op, types.result, count, inputs, &node)));
    for (int i = 0; i < count; ++i)
        node_add_input(node, inputs[i]);
    node_complete(node);
    *out = node;
    return JG_OK;
}

jg_status graph_unary(jg_op op, jg_array *x, jg_array **out)
{
    return graph_elementwise(op, 1, &x, NULL, out);
}

jg_status graph_binary(jg_op op, jg_array *x1, jg_array *x2, jg_array **out)
{
    jg_array *const inputs[] = {x1, x2};
    return graph_elementwise(op, 2, inputs, NULL, out);
}

jg_status graph_ternary(jg_op op, jg_array *condition, jg_array *x1, jg_array *x2, jg_array **out)
{
    jg_array *const inputs[] = {condition, x1, x2};
    return graph_elementwise(op, 3, inputs, NULL, out);
}

jg_status graph_cast(jg_array *x, jg_dtype dtype, jg_array **out)
{
    if (x->dtype == dtype) {
        *out = jg_array_retain(x);
        return JG_OK;
    }
    if ((unsigned)dtype >= JG_DTYPE_COUNT || !dtype_is_castable(dtype))
        return base_fail(
            JG_ERR_TYPE,
            "[astype] dtype: %s is stored and exchanged only, allowed are numbers of whole bytes",
            jg_dtype_name(dtype));
    return graph_elementwise(JG_OP_astype, 1, &x, &dtype, out);
}

jg_status graph_same(jg_array *x, jg_array **out)
{
    if (dtype_is_castable((jg_dtype)x->dtype))
        return graph_unary(JG_OP_copy, x, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

jg_status graph_contiguous(jg_array *x, jg_array **out)
{
    if (!x->contiguous)
        return graph_unary(JG_OP_copy, x, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

/* An extremum of no elements has no value; other reductions have a first value. */
static jg_status check_not_empty(jg_op op, const jg_array *x, uint64_t axes)
{
    bool extremum = op == JG_OP_max || op == JG_OP_min;
    for (int i = 0; extremum && i < x->ndim; ++i)
        if ((axes >> i & 1) && x->dims[i] == 0)
            return base_fail(JG_ERR_VALUE,
                             "[%s] x: axis %d is empty, allowed is at least one element",
                             op_name(op), i);
    return JG_OK;
}

static jg_status reduce_node(jg_op op, jg_array *x, uint64_t axes, bool keepdims, jg_dtype dtype,
                             jg_array **out)
{
    int64_t shape[JG_MAX_NDIM], size;
    int ndim;
    jg_array *node;
    op_reduced_shape(x->ndim, x->dims, axes, keepdims, &ndim, shape);
    JG_TRY(shape_size(ndim, shape, &size));
    JG_TRY(node_new_on(x->device, op, dtype, ndim, shape, size, &node));
    node->attributes.reduce.axes = axes;
    node_add_input(node, x);
    node_complete(node);
    *out = node;
    return JG_OK;
}

/* Half precision is summed and multiplied in float32 and rounded once, at the end. */
static bool accumulates_wider(jg_op op, jg_dtype dtype)
{
    return op_form_of(op) == OP_FORM_ACCUMULATION && dtype_is_half(dtype);
}

/* x cast to `operand`, reduced, and the result cast to `result`. The casts cost no pass: they are
 * fused with the reduction's operands and users. */
static jg_status reduce_as(jg_op op, jg_array *x, uint64_t axes, bool keepdims, jg_dtype operand,
                           jg_dtype result, jg_array **out)
{
    jg_array *cast, *reduced;
    if (axes == 0) /* over no axes everything stays */
        return x->dtype == result ? graph_same(x, out) : graph_cast(x, result, out);
    JG_TRY(graph_cast(x, operand, &cast));
    jg_status status = reduce_node(op, cast, axes, keepdims, operand, &reduced);
    jg_array_release(cast);
    JG_TRY(status);
    status = graph_cast(reduced, result, out);
    jg_array_release(reduced);
    return status;
}

jg_status graph_reduce(jg_op op, jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                       jg_array **out)
{
    jg_dtype dtype = (jg_dtype)x->dtype;
    op_types types;
    uint64_t set;
    JG_TRY(op_resolve_types(op, 1, &dtype, &types));
    JG_TRY(shape_axes("axis", naxes, axes, x->ndim, &set));
    JG_TRY(check_not_empty(op, x, set));
    bool wider = accumulates_wider(op, types.result);
    return reduce_as(op, x, set, keepdims, wider ? JG_DTYPE_FLOAT32 : types.operand[0],
                     types.result, out);
}

jg_status graph_accumulate(jg_op op, jg_array *x, int naxes, const int64_t *axes, bool keepdims,
                           const jg_dtype *dtype, jg_array **out)
{
    jg_array *cast;
    uint64_t set;
    if (dtype == NULL)
        return graph_reduce(op, x, naxes, axes, keepdims, out);
    if ((unsigned)*dtype >= JG_DTYPE_COUNT || !dtype_rows[*dtype].computable)
        return base_fail(
            JG_ERR_TYPE,
            "[%s] dtype: %s is stored and exchanged only, allowed are dtypes that ops compute with",
            op_name(op), jg_dtype_name(*dtype));
    JG_TRY(shape_axes("axis", naxes, axes, x->ndim, &set));
    JG_TRY(graph_cast(x, *dtype, &cast));
    bool wider = accumulates_wider(op, *dtype);
    jg_status status =
        reduce_as(op, cast, set, keepdims, wider ? JG_DTYPE_FLOAT32 : *dtype, *dtype, out);
    jg_array_release(cast);
    return status;
}

static jg_status routine_node(jg_op label, const graph_result *result, int ninputs,
                              jg_array *const *inputs, const primitive_attributes *attributes,
                              jg_array **out);

JG_COLD static jg_status routine_node_joined(jg_op label, const graph_result *result, int ninputs,
                                             jg_array *const *inputs,
                                             const primitive_attributes *attributes, jg_array **out)
{
    size_t nbytes = (size_t)ninputs * sizeof *inputs;
    jg_array **joined = base_alloc(nbytes);
    if (joined == NULL)
        return base_nomem(nbytes, "a node of the graph");
    jg_status status = graph_join(label, ninputs, inputs, joined);
    if (status == JG_OK) {
        status = routine_node(label, result, ninputs, joined, attributes, out);
        node_release_all(ninputs, joined);
    }
    base_free(joined);
    return status;
}

/* A node that is not complete yet. */
static jg_status routine_node(jg_op label, const graph_result *result, int ninputs,
                              jg_array *const *inputs, const primitive_attributes *attributes,
                              jg_array **out)
{
    int64_t size;
    unsigned device;
    jg_array *node;
    if (JG_UNLIKELY(!graph_is_on_one_device(ninputs, inputs, &device)))
        return routine_node_joined(label, result, ninputs, inputs, attributes, out);
    JG_TRY(shape_size(result->ndim, result->shape, &size));
    JG_TRY(node_new_on(device, label, result->dtype, result->ndim, result->shape, size, &node));
    jg_status status = node_set_attributes(node, attributes);
    if (status == JG_OK)
        status = node_set_inputs(node, ninputs, inputs);
    if (status == JG_OK)
        *out = node;
    else
        jg_array_release(node);
    return status;
}

jg_status graph_routine(jg_op label, jg_dtype dtype, int ndim, const int64_t *shape, int ninputs,
                        jg_array *const *inputs, const primitive_attributes *attributes,
                        jg_array **out)
{
    const graph_result result = {dtype, ndim, shape};
    JG_TRY(routine_node(label, &result, ninputs, inputs, attributes, out));
    node_complete(*out);
    return JG_OK;
}

jg_status graph_routine_results(jg_op label, int count, const graph_result *results, int ninputs,
                                jg_array *const *inputs, const primitive_attributes *attributes,
                                jg_array **out)
{
    jg_array *made[GRAPH_MAX_RESULTS] = {NULL};
    node_family *family;
    jg_status status = JG_OK;
    int done = 0;
    for (; done < count && status == JG_OK; done += status == JG_OK)
        status = routine_node(label, &results[done], ninputs, inputs, attributes, &made[done]);
    if (status == JG_OK)
        status = siblings_begin(count, made, &family);
    if (status != JG_OK) {
        node_release_all(done, made);
        return status;
    }
    for (int i = 0; i < count; ++i)
        node_complete(out[i] = made[i]);
    siblings_end(family);
    return JG_OK;
}

#define GRAPH_UNARY(name)                                                                          \
    jg_status jg_##name(jg_array *x, jg_array **out)                                               \
    {                                                                                              \
        GRAPH_NEEDS(name, x);                                                                      \
        GRAPH_NEEDS(name, out);                                                                    \
        return graph_unary(JG_OP_##name, x, out);                                                  \
    }
#define GRAPH_BINARY(name)                                                                         \
    jg_status jg_##name(jg_array *x1, jg_array *x2, jg_array **out)                                \
    {                                                                                              \
        GRAPH_NEEDS(name, x1);                                                                     \
        GRAPH_NEEDS(name, x2);                                                                     \
        GRAPH_NEEDS(name, out);                                                                    \
        return graph_binary(JG_OP_##name, x1, x2, out);                                            \
    }
#define GRAPH_TERNARY(name)                                                                        \
    jg_status jg_##name(jg_array *condition, jg_array *x1, jg_array *x2, jg_array **out)           \
    {                                                                                              \
        GRAPH_NEEDS(name, condition);                                                              \
        GRAPH_NEEDS(name, x1);                                                                     \
        GRAPH_NEEDS(name, x2);                                                                     \
        GRAPH_NEEDS(name, out);                                                                    \
        return graph_ternary(JG_OP_##name, condition, x1, x2, out);                                \
    }
#define GRAPH_CAST(name)                                                                           \
    jg_status jg_##name(jg_array *x, jg_dtype dtype, jg_array **out)                               \
    {                                                                                              \
        GRAPH_NEEDS(name, x);                                                                      \
        GRAPH_NEEDS(name, out);                                                                    \
        return named(JG_OP_##name, graph_cast(x, dtype, out));                                     \
    }
#define GRAPH_REDUCTION(name)                                                                      \
    jg_status jg_##name(jg_array *x, int naxes, const int64_t *axes, bool keepdims,                \
                        jg_array **out)                                                            \
    {                                                                                              \
        GRAPH_NEEDS(name, x);                                                                      \
        if (naxes > 0)                                                                             \
            GRAPH_NEEDS(name, axes);                                                               \
        GRAPH_NEEDS(name, out);                                                                    \
        return named(JG_OP_##name, graph_reduce(JG_OP_##name, x, naxes, axes, keepdims, out));     \
    }
#define GRAPH_ACCUMULATION(name)                                                                   \
    jg_status jg_##name(jg_array *x, int naxes, const int64_t *axes, bool keepdims,                \
                        const jg_dtype *dtype, jg_array **out)                                     \
    {                                                                                              \
        GRAPH_NEEDS(name, x);                                                                      \
        if (naxes > 0)                                                                             \
            GRAPH_NEEDS(name, axes);                                                               \
        GRAPH_NEEDS(name, out);                                                                    \
        return named(JG_OP_##name,                                                                 \
                     graph_accumulate(JG_OP_##name, x, naxes, axes, keepdims, dtype, out));        \
    }
#define GRAPH(name, form) GRAPH_##form(name)
#define COMPOSE(name, form)
#define JG_OP(name, form, by, types, node, doc) by(name, form)
#include "op/op.def"
#undef JG_OP
