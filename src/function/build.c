/* SPDX-License-Identifier: Apache-2.0 */
/* Builds nodes from their description in a file. Elementwise ops and reductions are applied as
 * functions do, so their rules for types and shapes hold; the rules of routines are in checks.c.
 * The result must have the dtype and shape that the file gives, because later nodes were checked
 * against these when the file was written. */
#include "function/function.h"
#include <string.h>

static jg_status build_generator(const function_node *node, jg_array **out)
{
    const function_result *made = &node->results[0];
    primitive_attributes attributes = node->attributes;
    int64_t size;
    FUNCTION_NEEDS(node, node->ninputs == 0, "inputs: got %d, allowed is 0", node->ninputs);
    FUNCTION_NEEDS_RESULT(node, dtype_rows[made->dtype].computable,
                          "a dtype that is computed with");
    FUNCTION_NEEDS_RESULT(
        node,
        node->primitive != PRIMITIVE_arange ||
            (made->ndim == 1 && (dtype_is_integer(made->dtype) || dtype_is_floating(made->dtype))),
        "a vector of integers or floating-point numbers");
    if (node->primitive == PRIMITIVE_full && made->dtype == JG_DTYPE_BOOL)
        attributes.full.value.i64 = attributes.full.value.i64 != 0;
    JG_TRY(shape_size(made->ndim, made->shape, &size));
    JG_TRY(node_new(node->op, made->dtype, made->ndim, made->shape, size, out));
    jg_status status = node_set_attributes(*out, &attributes);
    if (status == JG_OK) {
        node_complete(*out);
        return JG_OK;
    }
    jg_array_release(*out);
    return status;
}

/* Whether all elements of the layout lie in row-major memory of that size. One without elements may
 * begin anywhere. */
static bool is_inside(const jg_layout *layout, int64_t size)
{
    int64_t lowest, highest;
    if (layout->size == 0)
        return true;
    if (layout->offset < 0 || layout->offset > size)
        return false;
    return layout_bounds(layout, &lowest, &highest) == JG_OK && lowest >= 0 && highest < size;
}

/* The root is made row-major if it is not: the layout was one of a dense root. */
static jg_status build_view(const function_node *node, jg_array **out)
{
    const function_result *made = &node->results[0];
    jg_layout layout;
    jg_array *root;
    FUNCTION_NEEDS_INPUTS(node, 1);
    int64_t from = (int64_t)dtype_itemsize((jg_dtype)node->inputs[0]->dtype);
    int64_t to = (int64_t)dtype_itemsize(made->dtype);
    JG_TRY(layout_init(&layout, made->ndim, made->shape));
    layout.offset = node->offset;
    memcpy(layout.strides, node->strides, (size_t)made->ndim * sizeof *layout.strides);
    FUNCTION_NEEDS(node, is_inside(&layout, node->inputs[0]->size * from / to),
                   "offset, strides: got element %" PRId64
                   " first, allowed are those with all elements among the %" PRId64 " of its input",
                   node->offset, node->inputs[0]->size * from / to);
    JG_TRY(graph_contiguous(node->inputs[0], &root));
    jg_status status = JG_OK;
    /* A part of memory that does not begin at an element. */
    if (root->offset % to != 0 && from != to)
        status = function_refuse(node,
                                 "offset: got %" PRId64 " elements of its input, allowed is a "
                                 "multiple of %" PRId64,
                                 root->offset, to);
    layout.offset = root->offset * from / to + (layout.size > 0 ? layout.offset : 0);
    if (status == JG_OK)
        status = node_view_as(root, made->dtype, &layout, out);
    jg_array_release(root);
    return status;
}

static const uint8_t instructions[PRIMITIVE_COUNT] = {
#define JG_PRIMITIVE(name, kind, rules)
#define JG_ELEMENTWISE(name, inst, rules) [PRIMITIVE_##name] = PROGRAM_##inst,
#include "op/primitive.def"
#undef JG_PRIMITIVE
};

static jg_status build_elementwise(const function_node *node, jg_array **out)
{
    const jg_dtype dtype = node->results[0].dtype;
    bool casts = node->primitive == PRIMITIVE_cast;
    FUNCTION_NEEDS_INPUTS(node, program_inst_rows[instructions[node->primitive]].arity);
    return graph_elementwise(node->op, node->ninputs, node->inputs, casts ? &dtype : NULL, out);
}

static jg_status build_reduction(const function_node *node, jg_array **out)
{
    const uint64_t bits = node->attributes.reduce_add.axes;
    int64_t axes[JG_MAX_NDIM];
    int count = 0;
    FUNCTION_NEEDS_INPUTS(node, 1);
    const jg_array *x = node->inputs[0];
    for (int i = 0; i < JG_MAX_NDIM; ++i)
        if (bits >> i & 1)
            axes[count++] = i;
    FUNCTION_NEEDS(node, count == 0 || axes[count - 1] < x->ndim,
                   "axes: got %d, allowed is 0 to %d", (int)axes[count - 1], x->ndim - 1);
    return graph_reduce(node->op, node->inputs[0], count, axes, node->results[0].ndim == x->ndim,
                        out);
}

static function_check *const checks[PRIMITIVE_COUNT] = {
#define JG_PRIMITIVE(name, kind, rules)
#define JG_ROUTINE(name, rules) [PRIMITIVE_##name] = function_check_##name,
#define JG_LIBRARY_ROUTINE(name, rules) [PRIMITIVE_##name] = function_check_##name,
#include "op/primitive.def"
#undef JG_PRIMITIVE
};

/* Only calls of some routines have several results. */
static bool has_one(const function_node *node)
{
    return node->nresults == 1 && node->results[0].number == 0;
}

/* Takes the results that the file uses. */
static jg_status take_results(const function_node *node, const function_made *made, jg_array **out)
{
    FUNCTION_NEEDS(node, made->count > 1 || has_one(node),
                   "results: got %d, allowed is one of number 0", node->nresults);
    for (int i = 0; i < node->nresults; ++i)
        FUNCTION_NEEDS(node, node->results[i].number < made->count,
                       "results: got number %d, allowed is 0 to %d", node->results[i].number,
                       made->count - 1);
    for (int i = 0; i < node->nresults; ++i)
        out[i] = jg_array_retain(made->arrays[node->results[i].number]);
    return JG_OK;
}

static jg_status build_routine(function_node *node, jg_array **out)
{
    function_made made = {.count = 1};
    JG_TRY(checks[node->primitive](node, &made));
    jg_status status = take_results(node, &made, out);
    node_release_all(made.count, made.arrays);
    return status;
}

static jg_status build_any(function_node *node, jg_array **out)
{
    switch ((primitive_kind)primitive_rows[node->primitive].kind) {
    case PRIMITIVE_GENERATOR: return build_generator(node, out);
    case PRIMITIVE_VIEW: return build_view(node, out);
    case PRIMITIVE_ELEMENTWISE: return build_elementwise(node, out);
    case PRIMITIVE_REDUCTION: return build_reduction(node, out);
    case PRIMITIVE_ROUTINE:
    case PRIMITIVE_LIBRARY: return build_routine(node, out);
    case PRIMITIVE_MESSAGE: /* a group is this process's */
    case PRIMITIVE_MEMORY: break;
    }
    return function_refuse(node, "op: got one that only a process makes, allowed are others");
}

static bool is_as_said(const function_result *said, const jg_array *x)
{
    return said->dtype == x->dtype && said->ndim == x->ndim &&
           function_same_shape(said->ndim, said->shape, node_shape(x));
}

/* If an op refuses its inputs, the message says that the file is at fault. Other failures are
 * passed on. */
JG_COLD static jg_status tell(const function_node *node, jg_status status)
{
    const char *message = jg_error_message(), *rest = strstr(message, "] ");
    bool refused = status == JG_ERR_TYPE || status == JG_ERR_VALUE || status == JG_ERR_AXIS;
    if (!refused || error_is_of_evaluation() || strncmp(message, "[load]", 6) == 0)
        return status;
    return function_refuse(node, "%s", message[0] == '[' && rest != NULL ? rest + 2 : message);
}

/* A node without argument inputs would be computed while the file is read, whatever its size. */
static bool may_be(const function_node *node)
{
    bool depends = node->ninputs == 0 || node->primitive == PRIMITIVE_view;
    for (int i = 0; i < node->ninputs; ++i)
        depends |= node_is_traced(node->inputs[i]);
    return depends;
}

jg_status function_build(function_node *node, jg_array **out)
{
    FUNCTION_NEEDS(node, may_be(node),
                   "inputs: got %d constants, allowed is one argument or more among them",
                   node->ninputs);
    FUNCTION_NEEDS(node, has_one(node) || primitive_rows[node->primitive].kind >= PRIMITIVE_ROUTINE,
                   "results: got %d, the first of number %d, allowed is number 0 alone",
                   node->nresults, node->results[0].number);
    jg_status made = build_any(node, out);
    if (made != JG_OK)
        return tell(node, made);
    for (int i = 0; i < node->nresults; ++i)
        if (!is_as_said(&node->results[i], out[i])) {
            char shape[128];
            jg_status status = function_refuse_result(
                node, i, "%s%s, which its operands make", dtype_rows[out[i]->dtype].name,
                text_extents(shape, sizeof shape, out[i]->ndim, node_shape(out[i])));
            for (int j = 0; j < node->nresults; ++j)
                jg_array_release(out[j]);
            return status;
        }
    return JG_OK;
}
