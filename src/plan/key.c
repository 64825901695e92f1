/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of a walked graph as bytes: what a plan depends on, and what it tells of its
 * launches. Addresses,
 * offsets of memory that is there, and the values of scalars are bound at each run and stay out
 * of the key; but which scalars are equal is in it. */
#include "plan/draft.h"
#include <string.h>

/* What is the same for every node; no padding, so that keys compare as bytes. */
typedef struct key_node {
    uint16_t label, constant; /* which numbers are equal is structure: plan_constants */
    uint8_t dtype, ndim, leaf, flags;
    int32_t ninputs;
} key_node;

enum { FLAG_STORED = 1, FLAG_CONTIGUOUS = 2, FLAG_ROLES = 2 /* where the role's bits begin */ };
_Static_assert(JG_OP_COUNT <= UINT16_MAX, "a label fits");
_Static_assert(sizeof(key_node) == 12, "no padding");
_Static_assert(DEVICE_MAX <= 1 << 7, "a device fits between the count of nodes and the flag");

/* Behind a number's bytes are zeros (graph_number_store), so all of them may be compared. */
static bool same_value(const jg_array *x, const jg_array *y)
{
    const uint64_t *a = x->attributes.full.value.bits, *b = y->attributes.full.value.bits;
    return x->dtype == y->dtype && a[0] == b[0] && a[1] == b[1];
}

static bool is_number(const jg_array *x)
{
    return x->primitive == PRIMITIVE_full && !node_has_storage(x);
}

bool plan_same_number(const jg_array *x, const jg_array *y)
{
    return is_number(x) && is_number(y) && same_value(x, y);
}

int plan_constant_of(plan_constants *constants, const jg_array *x)
{
    if (!is_number(x))
        return 0;
    for (int i = 0; i < constants->count; ++i)
        if (same_value(constants->nodes[i], x))
            return i + 1;
    if (constants->count == PLAN_CONSTANTS)
        return 0;
    constants->nodes[constants->count++] = x;
    return constants->count;
}

/* Behind a node's edges: the layout of each window among them. No padding here either. */
typedef struct key_window {
    int64_t offset;
    uint32_t dtype, ndim;
} key_window;

static char *put(char *at, const void *bytes, size_t nbytes)
{
    memcpy(at, bytes, nbytes);
    return at + nbytes;
}

static char *put_dims(char *at, const int64_t *dims, int count)
{
    for (int i = 0; i < count; ++i)
        at = put(at, &dims[i], sizeof *dims);
    return at;
}

/* A slot for each edge, and whether it leads through a window. */
static char *put_edges(char *at, const jg_array *x)
{
    for (int i = 0; i < x->ninputs; ++i) {
        uint32_t edge = walk_slot(x->inputs[i]) << 1 | node_is_window(x->inputs[i]);
        at = put(at, &edge, sizeof edge);
    }
    return at;
}

/* What the node is asked for, and which of a call's results it is. */
static char *put_attributes(char *at, const jg_array *x)
{
    const uint8_t result[] = {x->result, x->nresults};
    const primitive_row *row = &primitive_rows[x->primitive];
    if (row->write_key != NULL)
        at = row->write_key(node_attributes_of(x), at);
    return put(at, result, sizeof result);
}

/* The most bytes that put_node writes. */
static size_t bound_of(const jg_array *x)
{
    return sizeof(key_node) + primitive_rows[x->primitive].nbytes + 2 /* result, nresults */ +
           2 * sizeof(int64_t) * x->ndim + sizeof(uint32_t) * (size_t)x->ninputs;
}

/* A leaf is memory, so its label and inputs are not in the key. The flag says that it is row-major;
 * strides are written only where it is not. The label determines the primitive. The key leaves out
 * which nodes are results of one call, as calls with equal inputs and parameters may share a
 * launch. */
static char *put_node(char *at, const jg_array *x, int constant)
{
    bool leaf = node_has_storage(x);
    int stored = leaf ? 0 : (x->stored ? FLAG_STORED : 0) | (int)(x->role << FLAG_ROLES);
    key_node node = {.label = leaf ? 0 : x->label,
                     .constant = (uint16_t)constant,
                     .dtype = x->dtype,
                     .ndim = x->ndim,
                     .leaf = leaf,
                     .flags = (uint8_t)(stored | (x->contiguous ? FLAG_CONTIGUOUS : 0)),
                     .ninputs = leaf ? 0 : x->ninputs};
    at = put(at, &node, sizeof node);
    at = put_dims(at, x->dims, x->contiguous ? x->ndim : 2 * x->ndim);
    if (leaf)
        return at;
    if (primitive_rows[x->primitive].kind >= PRIMITIVE_REDUCTION)
        at = put_attributes(at, x);
    return put_edges(at, x);
}

static jg_status append_node(base_vec *key, const jg_array *x, int constant)
{
    void *start;
    size_t bound = bound_of(x);
    JG_TRY(vec_grow(key, bound, &start));
    key->nbytes -= bound - (size_t)(put_node(start, x, constant) - (char *)start);
    return JG_OK;
}

static jg_status append_windows(base_vec *key, const jg_array *x)
{
    for (int i = 0; i < x->ninputs; ++i) {
        const jg_array *input = x->inputs[i];
        if (node_has_storage(x) || !node_is_window(input))
            continue;
        const key_window window = {input->offset, input->dtype, input->ndim};
        JG_TRY(vec_append(key, &window, sizeof window));
        JG_TRY(vec_append(key, input->dims, 2 * sizeof *input->dims * input->ndim));
    }
    return JG_OK;
}

jg_status plan_write_key(const graph_walk *walk, bool fusing, base_vec *key)
{
    plan_constants constants;
    uint64_t head = (uint64_t)walk_count(walk) << 8 | (uint64_t)walk->device << 1 | fusing;
    key->nbytes = 0;
    constants.count = 0;
    JG_TRY(vec_append(key, &head, sizeof head));
    for (int i = 0; i < walk_count(walk); ++i) {
        const jg_array *x = walk_nodes(walk)[i];
        JG_TRY(append_node(key, x, plan_constant_of(&constants, x)));
        if (walk->windows)
            JG_TRY(append_windows(key, x));
    }
    return JG_OK;
}
