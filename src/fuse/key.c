/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of a walked graph as bytes: what a plan depends on and nothing else. Addresses,
 * offsets of memory that is there, and the values of scalars are bound at each run and stay out
 * of the key; but which scalars are equal is in it. */
#include "fuse/plan.h"
#include <string.h>

/* What is the same for every node; no padding, so that keys compare as bytes. */
typedef struct key_node {
    uint16_t op, constant; /* which numbers are equal is structure: plan_constants */
    uint8_t dtype, ndim, leaf, flags;
    int32_t ninputs;
} key_node;

enum { FLAG_STORED = 1, FLAG_CONTIGUOUS = 2 };
_Static_assert(JG_OP_COUNT <= UINT16_MAX, "an op's number fits");
_Static_assert(sizeof(key_node) == 12, "no padding");

int plan_constant_of(plan_constants *constants, const jg_array *x)
{
    if (x->op != JG_OP_full || node_has_storage(x))
        return 0;
    size_t nbytes = dtype_itemsize((jg_dtype)x->dtype);
    for (int i = 0; i < constants->count; ++i)
        if (constants->nodes[i]->dtype == x->dtype &&
            memcmp(&constants->nodes[i]->params.value, &x->params.value, nbytes) == 0)
            return i + 1;
    if (constants->count == PLAN_CONSTANTS)
        return 0;
    constants->nodes[constants->count++] = x;
    return constants->count;
}

/* An edge: the slot, and for a view of something computed the window that it is. No padding here
 * either: 4, 1, 1 and 2 bytes. */
typedef struct key_edge {
    uint32_t slot;
    uint8_t is_view, dtype;
    uint16_t ndim;
} key_edge;

static char *put(char *at, const void *bytes, size_t nbytes)
{
    memcpy(at, bytes, nbytes);
    return at + nbytes;
}

static char *put_dims(char *at, const int64_t *dims, int count)
{
    for (int i = 0; i < count; ++i, at += sizeof *dims)
        memcpy(at, &dims[i], sizeof *dims);
    return at;
}

/* Whether x is a view of something that is still to be computed. Of what is there a view is a
 * leaf. */
static bool is_window(const jg_array *x)
{
    return x->op == JG_OP_view && !node_has_storage(x);
}

/* The most bytes that a node's record can take. */
static size_t bound_of(const jg_array *x)
{
    size_t nbytes = sizeof(key_node) + sizeof(node_params) + 2 * sizeof(int64_t) * x->ndim;
    for (int i = 0; i < x->ninputs; ++i)
        nbytes += sizeof(key_edge) + sizeof(int64_t) * (1 + 2 * (size_t)x->inputs[i]->ndim);
    return nbytes;
}

static char *put_edge(char *at, const jg_array *x)
{
    key_edge edge = {walk_slot(x), is_window(x), x->dtype, x->ndim};
    at = put(at, &edge, sizeof edge);
    if (!edge.is_view)
        return at;
    at = put(at, &x->offset, sizeof x->offset);
    return put_dims(at, x->dims, 2 * x->ndim);
}

/* What a routine is asked for, and which of its results the node is. */
static char *put_call(char *at, const jg_array *x)
{
    const uint8_t result[] = {x->result, x->nresults};
    at = put(at, x->params.values, sizeof x->params.values);
    return put(at, result, sizeof result);
}

/* A leaf's op and inputs are nobody's business: it is memory. What strides say is said by the flag
 * where it is row-major. Which nodes are results of one call need not be told: calls of equal
 * inputs and parameters may share a launch. */
static char *put_node(char *at, const jg_array *x, int constant)
{
    bool leaf = node_has_storage(x), reduction = !leaf && op_reduces((jg_op)x->op);
    int stored = !leaf && x->stored ? FLAG_STORED : 0;
    key_node node = {.op = leaf ? 0 : x->op,
                     .constant = (uint16_t)constant,
                     .dtype = x->dtype,
                     .ndim = x->ndim,
                     .leaf = leaf,
                     .flags = (uint8_t)(stored | (x->contiguous ? FLAG_CONTIGUOUS : 0)),
                     .ninputs = leaf ? 0 : x->ninputs};
    at = put(at, &node, sizeof node);
    at = put_dims(at, x->dims, x->contiguous ? x->ndim : 2 * x->ndim);
    if (reduction)
        at = put(at, &x->params.reduce.axes, sizeof x->params.reduce.axes);
    else if (!leaf && fuse_routine_of(x) != ROUTINE_NONE)
        at = put_call(at, x);
    for (int i = 0; i < node.ninputs; ++i)
        at = put_edge(at, x->inputs[i]);
    return at;
}

jg_status plan_write_key(const graph_walk *walk, bool fusing, base_vec *key)
{
    plan_constants constants = {0};
    uint64_t head = ((uint64_t)walk_count(walk) << 1) | fusing;
    key->nbytes = 0;
    JG_TRY(vec_append(key, &head, sizeof head));
    for (int i = 0; i < walk_count(walk); ++i) {
        const jg_array *x = walk_nodes(walk)[i];
        size_t bound = bound_of(x);
        int constant = plan_constant_of(&constants, x);
        void *start = NULL;
        JG_TRY(vec_grow(key, bound, &start));
        key->nbytes -= bound - (size_t)(put_node(start, x, constant) - (char *)start);
    }
    return JG_OK;
}
