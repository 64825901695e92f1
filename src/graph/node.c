/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing nodes.
 *
 * Nodes of up to POOLED_NDIM axes come from a free list of the thread, so that building takes no
 * lock and no heap. All of them can hold POOLED_NDIM axes, so any serves any shape; a node
 * goes to the list of the thread that frees it, whichever made it. */
#include "graph/graph.h"
#include <string.h>

enum { POOLED_NDIM = 4 };
enum { POOLED_NBYTES = sizeof(jg_array) + 2 * POOLED_NDIM * sizeof(int64_t) };

static JG_FAST_THREAD_LOCAL base_freelist pool;
static JG_FAST_THREAD_LOCAL node_role role_of_next;

node_role node_enter_role(node_role role)
{
    node_role before = role_of_next;
    role_of_next = role;
    return before;
}

node_role node_current_role(void)
{
    return role_of_next;
}

static size_t node_nbytes(int ndim)
{
    return sizeof(jg_array) + 2 * (size_t)ndim * sizeof(int64_t);
}

static jg_array *alloc_node(int ndim)
{
    bool pooled = ndim <= POOLED_NDIM;
    jg_array *node = pooled ? freelist_take(&pool, POOLED_NBYTES) : NULL;
    if (JG_LIKELY(node != NULL))
        return node;
    node = base_alloc(pooled ? POOLED_NBYTES : node_nbytes(ndim));
    if (node != NULL)
        node->pooled = pooled;
    return node;
}

static void free_node(jg_array *node)
{
    if (JG_LIKELY(node->pooled))
        freelist_give(&pool, node, POOLED_NBYTES);
    else
        base_free(node);
}

/* Sets the fields that all nodes have, except layout and parameters. Every other field is set, as a
 * node from the free list still has the fields of its last use. alloc_node sets `pooled`. */
static jg_array *new_node(jg_op label, jg_dtype dtype, int ndim, unsigned device)
{
    jg_array *node = alloc_node(ndim);
    if (JG_UNLIKELY(node == NULL))
        return NULL;
    atomic_init(&node->refs, 1);
    atomic_init(&node->state, JG_ARRAY_UNSCHEDULED);
    node->label = (uint16_t)label;
    node->primitive = (uint8_t)op_primitive(label);
    node->dtype = (uint8_t)dtype;
    node->ndim = (uint8_t)ndim;
    node->ninputs = 0;
    node->height = 0;
    node->role = (uint32_t)role_of_next & 3;
    node->inputs = node->few;
    node->device = (uint8_t)device;
    node->stream = stream_for(node_device(node));
    atomic_init(&node->flags, 0);
    node->result = node->nresults = 0;
    node->mark = 0;
    node->offset = 0;
    node->buffer = NULL;
    node->event = NULL;
    node->block = NULL;
    return node;
}

static jg_status fail_node(int ndim)
{
    return base_nomem(node_nbytes(ndim), "a node of the graph");
}

jg_status node_new(jg_op label, jg_dtype dtype, int ndim, const int64_t *shape, int64_t size,
                   jg_array **out)
{
    int device;
    JG_TRY(device_default_require(&device));
    if (JG_UNLIKELY(device != 0))
        JG_TRY(stream_open_device(device));
    return node_new_on((unsigned)device | NODE_ANYWHERE, label, dtype, ndim, shape, size, out);
}

jg_status node_new_on(unsigned device, jg_op label, jg_dtype dtype, int ndim, const int64_t *shape,
                      int64_t size, jg_array **out)
{
    jg_array *node = new_node(label, dtype, ndim, device);
    if (JG_UNLIKELY(node == NULL))
        return fail_node(ndim);
    for (int i = 0; i < ndim; ++i)
        node->dims[i] = shape[i];
    layout_row_major(ndim, shape, node->dims + ndim);
    node->size = size;
    node->contiguous = true;
    *out = node;
    return JG_OK;
}

/* The bits of a node whose input has those. */
static void inherit(jg_array *node, unsigned flags)
{
    unsigned own = node_flags(node) | (flags & (NODE_IS_TRACED | NODE_READS_PLACEHOLDER));
    if (flags & (NODE_IS_PLACE | NODE_READS_PLACE))
        own |= NODE_READS_PLACE;
    atomic_store_explicit(&node->flags, (unsigned char)own, memory_order_relaxed);
}

void node_add_input(jg_array *node, jg_array *x)
{
    node->inputs[node->ninputs++] = jg_array_retain(x);
    if (x->height >= node->height)
        node->height = (x->height + 1) & NODE_HEIGHTS;
    unsigned flags = node_flags(x);
    if (JG_UNLIKELY(flags != 0))
        inherit(node, flags);
}

jg_status node_move(jg_array *x, int device, jg_array **out)
{
    bool again = node_is_remade(x);
    JG_TRY(stream_open_device(device));
    JG_TRY(node_new_on((unsigned)device, again ? (jg_op)x->label : JG_OP_copy, (jg_dtype)x->dtype,
                       x->ndim, node_shape(x), x->size, out));
    if (again)
        (*out)->attributes = x->attributes;
    else
        node_add_input(*out, x);
    node_complete(*out);
    return JG_OK;
}

jg_status node_set_inputs(jg_array *node, int count, jg_array *const *inputs)
{
    size_t nbytes = (size_t)count * sizeof *inputs;
    if (count > GRAPH_FEW_INPUTS && (node->inputs = base_alloc(nbytes)) == NULL) {
        node->inputs = node->few;
        return base_nomem(nbytes, "a node of the graph");
    }
    for (int i = 0; i < count; ++i)
        node_add_input(node, inputs[i]);
    return JG_OK;
}

jg_status node_set_attributes(jg_array *node, const primitive_attributes *attributes)
{
    size_t nbytes = primitive_rows[node->primitive].nbytes;
    if (nbytes == 0)
        return JG_OK;
    if (JG_UNLIKELY(node_is_message(node))) {
        memcpy(&node->attributes, attributes, sizeof attributes->message);
        *node_message_order(node) = graph_group_order(1);
        node->stream = graph_group_stream(attributes->message.group);
        return JG_OK;
    }
    if (JG_LIKELY(nbytes <= NODE_FEW_BYTES)) { /* all of them: copies of known size are cheaper */
        memcpy(&node->attributes, attributes, NODE_FEW_BYTES);
        return JG_OK;
    }
    node->block = base_alloc(nbytes);
    if (node->block == NULL)
        return base_nomem(nbytes, "a node of the graph");
    memcpy(node->block, attributes, nbytes);
    return JG_OK;
}

jg_status graph_fail_devices(jg_op label, const jg_array *x, const jg_array *y)
{
    jg_device_id first = jg_array_device(x), second = jg_array_device(y);
    return base_fail(JG_ERR_VALUE,
                     "[%s] arguments: got arrays on %s:%d and on %s:%d, allowed is one device; "
                     "to_device moves an array",
                     op_name(label), jg_device_type_name(first.type), (int)first.id,
                     jg_device_type_name(second.type), (int)second.id);
}

static jg_status fail_devices(const jg_array *node, jg_array *const *inputs)
{
    int other = 1;
    while (other < node->ninputs - 1 && node_device(inputs[other]) == node_device(inputs[0]))
        ++other;
    return graph_fail_devices((jg_op)node->label, inputs[0], inputs[other]);
}

/* A node that is not complete yet. */
static jg_status rebuild(const jg_array *node, const graph_result *kind, jg_array *const *inputs,
                         const primitive_attributes *attributes, jg_array **out)
{
    jg_array *made;
    unsigned device = node->device;
    int64_t size;
    if (node->ninputs > 0 && !graph_is_on_one_device(node->ninputs, inputs, &device))
        return fail_devices(node, inputs);
    if (node_crosses(node)) /* it is where it was moved to */
        device = node->device;
    JG_TRY(shape_size(kind->ndim, kind->shape, &size));
    JG_TRY(
        node_new_on(device, (jg_op)node->label, kind->dtype, kind->ndim, kind->shape, size, &made));
    if (role_of_next == NODE_VALUE)
        made->role = node->role;
    made->result = node->result;
    made->nresults = node->nresults;
    made->family = NULL;
    jg_status status = node_set_attributes(made, attributes);
    if (status == JG_OK)
        status = node_set_inputs(made, node->ninputs, inputs);
    if (status == JG_OK && graph_verifies)
        status = node_verify(made);
    if (status == JG_OK)
        *out = made;
    else
        jg_array_release(made);
    return status;
}

jg_status node_rebuild(const jg_array *node, jg_array *const *inputs, jg_array **out)
{
    const graph_result kind = {(jg_dtype)node->dtype, node->ndim, node_shape(node)};
    JG_TRY(rebuild(node, &kind, inputs, node_attributes_of(node), out));
    node_complete(*out);
    return JG_OK;
}

jg_status node_sibling(jg_array *node, int result, const graph_result *kind, jg_array **out)
{
    jg_array *made;
    if ((*out = siblings_find(node, (unsigned)result)) != NULL)
        return JG_OK;
    JG_TRY(rebuild(node, kind, node->inputs, node_attributes_of(node), &made));
    made->result = (unsigned)result & GRAPH_MAX_RESULTS;
    node_complete(made);
    jg_status status = siblings_add(node, made);
    if (status == JG_OK)
        *out = made;
    else
        jg_array_release(made);
    return status;
}

static jg_status make_family(int count, jg_array *const *made, node_family **out)
{
    jg_array *members[GRAPH_MAX_RESULTS] = {NULL};
    for (int i = 0; i < count; ++i)
        members[made[i]->result] = made[i];
    return siblings_begin(made[0]->nresults, members, out);
}

jg_status node_rebuild_results(int count, jg_array *const *nodes, const graph_result *results,
                               jg_array *const *inputs, const primitive_attributes *attributes,
                               jg_array **out)
{
    node_family *family = NULL;
    jg_status status = JG_OK;
    int done = 0;
    for (; done < count && status == JG_OK; done += status == JG_OK)
        status = rebuild(nodes[done], &results[done], inputs, attributes, &out[done]);
    if (status == JG_OK && count > 1)
        status = make_family(count, out, &family);
    if (status != JG_OK) {
        node_release_all(done, out);
        return status;
    }
    for (int i = 0; i < count; ++i)
        node_complete(out[i]);
    if (family != NULL)
        siblings_end(family);
    return JG_OK;
}

static void free_inputs(jg_array *node)
{
    if (JG_UNLIKELY(node->inputs != node->few))
        base_free(node->inputs);
    node->inputs = node->few;
}

/* Strides that have no effect, those of extents 1 and of empty arrays, take the value that a dense
 * array would have there: consumers of exports compare them. */
static void settle_strides(jg_array *node)
{
    const int64_t *shape = node->dims;
    int64_t *strides = node->dims + node->ndim, next = 1;
    for (int i = node->ndim - 1; i >= 0; --i) {
        if (shape[i] == 1 || node->size == 0)
            strides[i] = next;
        /* A stride that no dense array has, such as 2^62, may leave no number for the next. */
        if (JG_UNLIKELY(__builtin_mul_overflow(strides[i], shape[i] ? shape[i] : 1, &next)))
            next = strides[i];
    }
}

/* The node must have memory for the layout's axes. */
static void set_layout(jg_array *node, const jg_layout *layout)
{
    size_t nbytes = (size_t)layout->ndim * sizeof *layout->shape;
    memcpy(node->dims, layout->shape, nbytes);
    memcpy(node->dims + layout->ndim, layout->strides, nbytes);
    node->size = layout->size;
    node->offset = layout->offset;
    node->contiguous = layout_is_contiguous(layout);
    settle_strides(node);
}

jg_status node_view(jg_array *x, const jg_layout *layout, jg_array **out)
{
    return node_view_as(x, (jg_dtype)x->dtype, layout, out);
}

jg_status node_view_as(jg_array *x, jg_dtype dtype, const jg_layout *layout, jg_array **out)
{
    jg_array *node = new_node(JG_OP_view, dtype, layout->ndim, node_root(x)->device);
    if (JG_UNLIKELY(node == NULL))
        return fail_node(layout->ndim);
    set_layout(node, layout);
    node_add_input(node, node_root(x));
    /* A view is never listed: its root is, and a holder of the view holds that. */
    atomic_store_explicit(&node->flags,
                          node_flags(node_root(x)) & (NODE_IS_PLACE | NODE_READS_PLACE |
                                                      NODE_IS_TRACED | NODE_READS_PLACEHOLDER),
                          memory_order_relaxed);
    *out = node;
    return JG_OK;
}

jg_status node_take_buffer(jg_buffer *buffer, jg_dtype dtype, const jg_layout *layout,
                           jg_array **out)
{
    int device = buffer->device->index;
    if (JG_UNLIKELY(device != 0))
        JG_TRY(stream_open_device(device));
    jg_array *node = new_node(JG_OP_leaf, dtype, layout->ndim, (unsigned)device);
    if (JG_UNLIKELY(node == NULL))
        return fail_node(layout->ndim);
    set_layout(node, layout);
    node->buffer = buffer;
    atomic_store_explicit(&node->state, JG_ARRAY_AVAILABLE, memory_order_release);
    *out = node;
    return JG_OK;
}

void node_take_storage(jg_array *root, jg_buffer *buffer, jg_event *event)
{
    root->buffer = buffer;
    root->event = event;
    jg_array_state state = event != NULL ? JG_ARRAY_SCHEDULED : JG_ARRAY_AVAILABLE;
    atomic_store_explicit(&root->state, (unsigned char)state, memory_order_release);
}

/* Takes the node off the lists that it may be on. */
JG_COLD static void leave_lists(jg_array *node)
{
    if (node_flags(node) & NODE_IS_LISTED)
        reads_leave(node);
    if (node_flags(node) & NODE_KEEPS_INPUTS)
        traced_forget(node);
    if (node->nresults != 0)
        siblings_leave(node);
    if (node_flags(node) & NODE_IS_DEFERRED)
        deferred_leave(node);
}

/* Drops one reference. If it was the last, the node is put on the list of nodes to be freed. It
 * leaves the other lists before that, because they are linked through `next`, too, and give out
 * references to their nodes (node_try_retain). */
void node_drop(jg_array *node, list_link **dead)
{
    if (atomic_fetch_sub_explicit(&node->refs, 1, memory_order_acq_rel) != 1)
        return;
    unsigned lists = node_flags(node) & (NODE_IS_LISTED | NODE_KEEPS_INPUTS | NODE_IS_DEFERRED);
    if (JG_UNLIKELY((lists | node->nresults) != 0))
        leave_lists(node);
    node->links.next = *dead; /* a stack, which needs no more */
    *dead = &node->links;
}

/* The inputs of a call that is dropped with the last of its results go on the list as well. */
static void drop_call(graph_custom_call *call, list_link **dead)
{
    if (atomic_fetch_sub_explicit(&call->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (int i = 0; i < call->ninputs + call->noutputs; ++i) {
        if (JG_UNLIKELY(node_is_place(call->arrays[i])))
            buffer_end_reading(node_root(call->arrays[i])->buffer, READER_PENDING);
        node_drop(call->arrays[i], dead);
    }
    buffer_release(call->rules);
    base_free(call);
}

/* A node that is no result of a call any more is a copy like others. */
static void leave_call(jg_array *node, list_link **dead)
{
    atomic_fetch_and_explicit(&node->flags, (unsigned char)~NODE_IS_CUSTOM, memory_order_relaxed);
    drop_call(node->attributes.custom.call, dead);
}

/* Drops the call that the node is a result of. */
static void leave_deferred(jg_array *node, list_link **dead)
{
    deferred_call *call = node->attributes.deferred.call;
    atomic_fetch_and_explicit(&node->flags, (unsigned char)~NODE_IS_DEFERRED, memory_order_relaxed);
    deferred_drop(call, dead);
}

/* What few nodes have beside their inputs and memory. */
JG_COLD static void free_rest(jg_array *node, list_link **dead)
{
    if (node_flags(node) & NODE_IS_CUSTOM)
        leave_call(node, dead);
    if (node_flags(node) & NODE_IS_DEFERRED)
        leave_deferred(node, dead);
    if (node->block != NULL)
        base_free(node->block);
}

/* A list instead of recursion: releasing the last node of a chain frees all of it, and recursion
 * would overflow the stack. */
void node_free_all(list_link *dead)
{
    while (dead != NULL) {
        jg_array *node = NODE_OF_LINK(dead);
        dead = dead->next;
        for (int i = 0; i < node->ninputs; ++i)
            node_drop(node->inputs[i], &dead);
        free_inputs(node);
        if (JG_UNLIKELY((node_flags(node) & (NODE_IS_CUSTOM | NODE_IS_DEFERRED)) ||
                        node->block != NULL))
            free_rest(node, &dead);
        if (node->buffer != NULL) {
            buffer_release(node->buffer);
            event_release(node->event);
        }
        free_node(node);
    }
}

void node_drop_inputs(jg_array *root)
{
    list_link *dead = NULL;
    int ninputs = root->ninputs;
    bool listed = node_flags(root) & NODE_IS_LISTED;
    if (JG_UNLIKELY(listed))
        reads_leave(root);
    if (JG_UNLIKELY(root->nresults != 0))
        siblings_leave(root);
    if (JG_UNLIKELY(node_is_traced(root)) && traced_keep(root)) {
        if (JG_UNLIKELY(listed))
            reads_enter(root);
        return;
    }
    root->ninputs = 0; /* first: reads_leave has looked at them for the last time */
    for (int i = 0; i < ninputs; ++i)
        node_drop(root->inputs[i], &dead);
    if (JG_UNLIKELY(node_flags(root) & NODE_IS_CUSTOM))
        leave_call(root, &dead);
    if (JG_UNLIKELY(node_flags(root) & NODE_IS_DEFERRED)) {
        deferred_leave(root);
        leave_deferred(root, &dead);
    }
    free_inputs(root);
    node_free_all(dead);
}

void node_become(jg_array *node, jg_array *built)
{
    list_link *dead = NULL;
    deferred_leave(node);
    leave_deferred(node, &dead);
    bool few = built->inputs == built->few;
    memcpy(node->few, built->few, sizeof node->few);
    node->inputs = few ? node->few : built->inputs;
    node->ninputs = built->ninputs;
    node->attributes = built->attributes;
    node->stream = built->stream;
    node->block = built->block;
    built->inputs = built->few;
    built->ninputs = 0;
    built->block = NULL;
    node_free_all(dead);
}

jg_array *jg_array_retain(jg_array *x)
{
    atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
    return x;
}

void jg_array_release(jg_array *x)
{
    list_link *dead = NULL;
    if (x == NULL)
        return;
    node_drop(x, &dead);
    if (dead != NULL)
        node_free_all(dead);
}

void node_forget_call(jg_array *node)
{
    list_link *dead = NULL;
    leave_call(node, &dead);
    node_free_all(dead);
}

void graph_custom_call_release(graph_custom_call *call)
{
    list_link *dead = NULL;
    drop_call(call, &dead);
    node_free_all(dead);
}

jg_status node_collect(jg_array *node, base_vec *out)
{
    void *slot;
    /* Memory first: a reference that found none would have to be dropped under the caller's
     * lock. */
    JG_TRY(vec_grow(out, sizeof node, &slot));
    if (node_try_retain(node))
        *(jg_array **)slot = node;
    else
        out->nbytes -= sizeof node;
    return JG_OK;
}
