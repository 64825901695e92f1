/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes whose values depend on memory that can be written in place, and are not computed yet.
 *
 * A node goes on the list when it is complete, if it reads a place or has an input on the list, and
 * leaves it when it gets storage or dies. So a writer finds all that must be evaluated first, those
 * included in which intermediate nodes will be fused. While a node that reads a place directly is
 * on the list, the place's buffer counts it as a reader.
 *
 * A traced node that gets storage and keeps its inputs goes over to the list of traced.c, and
 * is still counted: its derivative may need what the place held (versions.c).
 *
 * The nodes that a function was recorded with are kept with the record, and are not listed: a call
 * builds others, and inside of the function nothing is written. Other nodes that depend on a
 * placeholder have no values that a write could change; they are listed for versions.c.
 *
 * The lock may be followed by that of the readers alone. */
#include "graph/graph.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static list_link *first; /* under the lock */

/* The flags of a node that this file does not change. */
enum {
    UNRELATED_FLAGS = NODE_IS_TRACED | NODE_KEEPS_INPUTS | NODE_IS_CUSTOM | NODE_READS_PLACEHOLDER
};

static bool is_pending(const jg_array *x)
{
    const jg_array *root = node_root(x);
    return (node_flags(root) & NODE_READS_PLACE) && node_state(root) == JG_ARRAY_UNSCHEDULED;
}

/* Other code may write the memory as well, hence EXPORTED. The span of a foreign buffer is the one
 * of the imported tensor; it is set to the bytes that the leaf uses, so that writers find it. */
void node_make_place(jg_array *leaf)
{
    jg_layout layout;
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)leaf->dtype);
    jg_buffer *buffer = leaf->buffer;
    atomic_store_explicit(&leaf->flags, NODE_IS_PLACE, memory_order_relaxed);
    if (!(atomic_fetch_or(&buffer->flags, BUFFER_PLACE | BUFFER_EXPORTED) & BUFFER_FOREIGN) ||
        !buffer_is_on_host(buffer))
        return;
    node_layout(leaf, &layout);
    layout.offset = 0;
    if (itemsize > 0 && layout_bounds(&layout, &lowest, &highest) == JG_OK) {
        buffer->low = (char *)node_address(leaf) + lowest * itemsize;
        buffer->high = (char *)node_address(leaf) + (highest + 1) * itemsize;
    }
}

/* Whether some array is a place, or with `pending` is to be computed from one. */
static bool reads_some(int count, jg_array *const *arrays, bool pending)
{
    bool some = false;
    for (int i = 0; i < count && !some; ++i)
        some = node_is_place(arrays[i]) || (pending && is_pending(arrays[i]));
    return some;
}

/* A node's inputs are counted with the node, what its call holds with the call. A leaf is a place
 * from before it has users, so a node that enters and leaves counts the same ones. */
static bool is_reader(const jg_array *node, bool pending)
{
    const graph_custom_call *call = node_custom_call(node);
    return reads_some(node->ninputs, node->inputs, pending) ||
           (call != NULL && reads_some(call->ninputs + call->noutputs, call->arrays, pending));
}

void reads_enter(jg_array *node)
{
    bool kept = node_flags(node) & NODE_KEEPS_INPUTS;
    if (!kept && !(node_flags(node) & NODE_READS_PLACE))
        return;
    unsigned flags = node_flags(node) & UNRELATED_FLAGS;
    bool recorded = (flags & NODE_READS_PLACEHOLDER) && traced_is_recorded();
    bool listed = !recorded && is_reader(node, !kept);
    if (listed)
        flags |= kept ? NODE_IS_LISTED : NODE_READS_PLACE | NODE_IS_LISTED;
    atomic_store_explicit(&node->flags, (unsigned char)flags, memory_order_relaxed);
    if (!listed)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < node->ninputs; ++i)
        if (node_is_place(node->inputs[i]))
            buffer_begin_reading(node_root(node->inputs[i])->buffer, READER_PENDING);
    if (!kept)
        list_add(&first, &node->links);
    pthread_mutex_unlock(&lock);
}

void reads_leave(jg_array *node)
{
    pthread_mutex_lock(&lock);
    if (node_flags(node) & NODE_READS_PLACE)
        list_remove(&first, &node->links);
    atomic_store_explicit(&node->flags, (unsigned char)(node_flags(node) & UNRELATED_FLAGS),
                          memory_order_relaxed);
    for (int i = 0; i < node->ninputs; ++i)
        if (node_is_place(node->inputs[i]))
            buffer_end_reading(node_root(node->inputs[i])->buffer, READER_PENDING);
    pthread_mutex_unlock(&lock);
}

jg_status reads_collect(unsigned without, base_vec *out)
{
    jg_status status = JG_OK;
    pthread_mutex_lock(&lock);
    for (list_link *link = first; link != NULL && status == JG_OK; link = link->next) {
        jg_array *node = NODE_OF_LINK(link);
        if (!(node_flags(node) & without))
            status = node_collect(node, out);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

FORK_HOLDS(reads, lock)
