/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of a walked graph as bytes: everything that a plan and the descriptions of its
 * launches depend on. Addresses, offsets of existing memory, and the values of scalars are bound at
 * each run and are not in the key; but the key tells which scalars are equal. */
#include "plan/steps.h"
#include <string.h>

/* Keys are hashed word by word right after they are written. A processor is slow to load a word
 * that was stored in parts, so all that a key holds is written as words of eight bytes.
 *
 * What is the same for every node, from the lowest bits of its first word: its label, its constant
 * (which numbers are equal is structure: plan_constants), dtype, ndim, flags, the number of
 * inputs. */
enum {
    FLAG_STORED = 1,
    FLAG_CONTIGUOUS = 2,
    FLAG_ROLES = 2, /* where the role's two bits begin */
    FLAG_LEAF = 16,
    MANY_INPUTS = UINT16_MAX /* as many or more are counted by a word of their own */
};
_Static_assert(JG_OP_COUNT <= UINT16_MAX, "a label fits");
_Static_assert(PLAN_CONSTANTS <= UINT8_MAX && JG_DTYPE_COUNT <= UINT8_MAX, "they fit");
_Static_assert(DEVICE_MAX <= 1 << 7, "a device fits between the count of nodes and the flag");

/* The bytes after a number's are zeros (graph_number_store), so all bytes may be compared. */
static bool same_value(const jg_array *x, const jg_array *y)
{
    const uint64_t *a = x->attributes.full.value.bits, *b = y->attributes.full.value.bits;
    return x->dtype == y->dtype && a[0] == b[0] && a[1] == b[1];
}

bool plan_same_number(const jg_array *x, const jg_array *y)
{
    return node_is_number(x) && node_is_number(y) && same_value(x, y);
}

int plan_constant_of(plan_constants *constants, const jg_array *x)
{
    if (!node_is_number(x))
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

static char *put_word(char *at, uint64_t word)
{
    memcpy(at, &word, sizeof word);
    return at + sizeof word;
}

static char *put_dims(char *at, const int64_t *dims, int count)
{
    for (int i = 0; i < count; ++i)
        at = put_word(at, (uint64_t)dims[i]);
    return at;
}

/* A slot, and whether the edge leads through a window. */
static uint64_t edge_to(const jg_array *x)
{
    return walk_slot(x) << 1 | node_is_window(x);
}

/* Two edges a word; the last one may be alone. */
static char *put_edges(char *at, const jg_array *x)
{
    int i = 0;
    for (; i + 1 < x->ninputs; i += 2)
        at = put_word(at, edge_to(x->inputs[i]) | edge_to(x->inputs[i + 1]) << 32);
    return i < x->ninputs ? put_word(at, edge_to(x->inputs[i])) : at;
}

/* Which of a call's results the node is, and what it is asked for, filled up with zeros. */
static char *put_attributes(char *at, const jg_array *x)
{
    const primitive_row *row = &primitive_rows[x->primitive];
    char *start = put_word(at, (uint64_t)x->result | (uint64_t)x->nresults << 8);
    if (row->write_key == NULL)
        return start;
    char *end = row->write_key(node_attributes_of(x), start);
    size_t rest = (size_t)(start - end) % sizeof(uint64_t);
    memset(end, 0, rest);
    return end + rest;
}

/* The most bytes that put_node writes: two words of its own, one for the result and one that may be
 * partly filled, the attributes, extents and strides, edges. */
static size_t bound_of(const jg_array *x)
{
    return (4 + 2 * (size_t)x->ndim + ((size_t)x->ninputs + 1) / 2) * sizeof(uint64_t) +
           primitive_rows[x->primitive].nbytes;
}

/* A leaf is memory, so its label and inputs are not in the key. The flag says that it is row-major;
 * strides are written only where it is not. The label determines the primitive. The key leaves out
 * which nodes are results of one call, as calls with equal inputs and parameters may share a
 * launch. */
static char *put_node(char *at, const jg_array *x, int constant)
{
    bool leaf = node_has_storage(x);
    uint64_t flags = x->contiguous ? FLAG_CONTIGUOUS : 0, label = 0, ninputs = 0;
    if (leaf) {
        flags |= FLAG_LEAF;
    } else {
        flags |= (x->stored ? FLAG_STORED : 0u) | (unsigned)x->role << FLAG_ROLES;
        label = x->label;
        ninputs = (uint64_t)(int_min(x->ninputs, MANY_INPUTS));
    }
    at = put_word(at, label | (uint64_t)constant << 16 | (uint64_t)x->dtype << 24 |
                          (uint64_t)x->ndim << 32 | flags << 40 | ninputs << 48);
    if (JG_UNLIKELY(ninputs == MANY_INPUTS))
        at = put_word(at, (uint64_t)x->ninputs);
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
