/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that depend on an argument of a traced function, and what is kept for their derivatives.
 *
 * A traced node that gets storage while a function is being traced keeps its inputs, so that asking
 * for a value inside of the function does not cut the function in two. Such nodes are on a list;
 * their inputs are dropped when no function is being traced any more.
 *
 * The lock may be followed by no other. */
#include "graph/graph.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int tracings;     /* that have not ended; under the lock, as the next */
static list_link *first; /* of the kept nodes */

static JG_FAST_THREAD_LOCAL traced_call *innermost;

/* The functions that placeholders were made for: what escapes from one is met when its call is
 * gone. A number tells the row of the table and which function was there, as of many functions the
 * later ones take the rows of others. Under the lock. */
enum { FUNCTIONS = 256, NAME_BYTES = 64 };
typedef struct function_name {
    uint32_t number; /* 0: the row is free */
    int running;     /* calls that were entered and not left, in all threads */
    const char *caller, *does;
    char name[NAME_BYTES];
} function_name;
static function_name functions[FUNCTIONS];

static void set_flags(jg_array *x, unsigned flags)
{
    atomic_store_explicit(&x->flags, (unsigned char)flags, memory_order_relaxed);
}

/* A leaf over the memory of x's root, which is there or on its way. */
static jg_status share_memory(const jg_array *x, jg_array **out)
{
    const jg_array *root = node_root(x);
    jg_layout layout;
    jg_array *leaf;
    node_layout(x, &layout);
    jg_buffer *buffer = buffer_retain(root->buffer);
    jg_status status = node_take_buffer(buffer, (jg_dtype)x->dtype, &layout, &leaf);
    if (status != JG_OK) {
        buffer_release(buffer);
        return status;
    }
    if (root->event != NULL)
        node_take_storage(leaf, buffer, event_retain(root->event));
    leaf->device = x->device;
    set_flags(leaf, node_flags(root) & NODE_IS_PLACE);
    *out = leaf;
    return JG_OK;
}

/* A copy of x that is in x's memory where x is row-major and there; it keeps its input until no
 * function is being traced. */
static jg_status stand_for(jg_array *x, jg_array **out)
{
    jg_array *root = node_root(x), *node;
    JG_TRY(node_new_on(x->device, JG_OP_marker, (jg_dtype)x->dtype, x->ndim, node_shape(x), x->size,
                       &node));
    node_add_input(node, x);
    node_complete(node);
    *out = node;
    if (!node_has_storage(x) || !x->contiguous ||
        (node_flags(root) & (NODE_IS_PLACE | NODE_READS_PLACE)))
        return JG_OK;
    node->offset = x->offset;
    jg_event *event = root->event != NULL ? event_retain(root->event) : NULL;
    node_take_storage(node, buffer_retain(root->buffer), event);
    set_flags(node, node_flags(node) | NODE_IS_TRACED);
    (void)traced_keep(node);
    return JG_OK;
}

jg_status node_version(jg_array *place, jg_array *copy, jg_array **out)
{
    bool traced = node_is_traced(place);
    jg_array *node;
    JG_TRY(node_new_on(place->device, JG_OP_copy, (jg_dtype)place->dtype, place->ndim,
                       node_shape(place), place->size, &node));
    node_add_input(node, place);
    node_take_storage(node, buffer_retain(copy->buffer), NULL);
    set_flags(node, traced ? NODE_IS_TRACED : 0);
    if (traced)
        (void)traced_keep(node);
    *out = node;
    return JG_OK;
}

jg_status node_mark_argument(jg_array *x, jg_array **out)
{
    bool there = node_has_storage(x) && !node_is_traced(x) && x->contiguous;
    JG_TRY(there ? share_memory(x, out) : stand_for(x, out));
    set_flags(*out, node_flags(*out) | NODE_IS_TRACED);
    return JG_OK;
}

jg_status node_placeholder(unsigned device, jg_dtype dtype, const jg_layout *layout, jg_array **out)
{
    JG_TRY(node_new_on(device, JG_OP_leaf, dtype, layout->ndim, layout->shape, layout->size, out));
    jg_array *node = *out;
    for (int i = 0; i < layout->ndim; ++i)
        node->dims[node->ndim + i] = layout->strides[i];
    node->contiguous = layout_is_contiguous(layout);
    node->attributes.function = innermost != NULL ? innermost->number : 0;
    set_flags(node, NODE_IS_TRACED | NODE_READS_PLACEHOLDER);
    return JG_OK;
}

void traced_begin(void)
{
    pthread_mutex_lock(&lock);
    ++tracings;
    pthread_mutex_unlock(&lock);
}

bool traced_is_any(void)
{
    pthread_mutex_lock(&lock);
    bool any = tracings > 0;
    pthread_mutex_unlock(&lock);
    return any;
}

/* Both under the lock. */
static void keep_node(jg_array *node)
{
    list_add(&first, &node->links);
    set_flags(node, node_flags(node) | NODE_KEEPS_INPUTS);
}

static void drop_node(jg_array *node)
{
    list_remove(&first, &node->links);
    set_flags(node, node_flags(node) & ~NODE_KEEPS_INPUTS);
}

bool traced_keep(jg_array *node)
{
    pthread_mutex_lock(&lock);
    bool keep = tracings > 0;
    if (keep)
        keep_node(node);
    else
        set_flags(node, node_flags(node) & ~NODE_IS_TRACED);
    pthread_mutex_unlock(&lock);
    return keep;
}

void traced_forget(jg_array *node)
{
    pthread_mutex_lock(&lock);
    if (node_flags(node) & NODE_KEEPS_INPUTS)
        drop_node(node);
    pthread_mutex_unlock(&lock);
}

jg_status traced_collect(base_vec *out)
{
    jg_status status = JG_OK;
    pthread_mutex_lock(&lock);
    for (list_link *link = first; link != NULL && status == JG_OK; link = link->next) {
        jg_array *node = NODE_OF_LINK(link);
        if (node_flags(node) & NODE_IS_LISTED)
            status = node_collect(node, out);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* A node that is dying leaves the list by itself. Where there is no memory, the rest stays for the
 * end of a later tracing. */
static void take_all(base_vec *kept)
{
    for (list_link *link = first, *next; link != NULL; link = next) {
        jg_array *node = NODE_OF_LINK(link);
        size_t before = kept->nbytes;
        next = link->next;
        if (node_collect(node, kept) != JG_OK)
            return;
        if (kept->nbytes > before)
            drop_node(node);
    }
}

void traced_end(base_vec *kept)
{
    pthread_mutex_lock(&lock);
    if (--tracings == 0)
        take_all(kept);
    pthread_mutex_unlock(&lock);
}

void traced_drop(base_vec *kept)
{
    jg_array **nodes = (jg_array **)(void *)kept->data;
    size_t count = kept->nbytes / sizeof *nodes;
    for (size_t i = 0; i < count; ++i) {
        node_drop_inputs(nodes[i]);
        jg_array_release(nodes[i]);
    }
    vec_clear(kept);
}

static uint32_t row_of(const traced_call *call)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (const char *at = call->name; *at != 0; ++at)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    return (hash ^ (unsigned char)call->caller[0]) % FUNCTIONS;
}

static uint32_t number_of(const traced_call *call)
{
    uint32_t at = row_of(call);
    function_name *row = &functions[at];
    pthread_mutex_lock(&lock);
    if (row->number == 0 || row->caller != call->caller ||
        strncmp(row->name, call->name, NAME_BYTES - 1) != 0) {
        row->number = row->number == 0 ? FUNCTIONS + at : row->number + FUNCTIONS;
        row->caller = call->caller;
        row->does = call->does;
        row->running = 0;
        snprintf(row->name, NAME_BYTES, "%s", call->name);
    }
    uint32_t number = row->number;
    pthread_mutex_unlock(&lock);
    return number;
}

/* Counts the calls that run in any thread, for messages. A row that another function got meanwhile
 * is left alone. */
static void count_running(const traced_call *call, int by)
{
    function_name *row = &functions[call->number % FUNCTIONS];
    pthread_mutex_lock(&lock);
    if (row->number == call->number && row->running + by >= 0)
        row->running += by;
    pthread_mutex_unlock(&lock);
}

static bool is_under_way(uint32_t number)
{
    const traced_call *call = innermost;
    while (call != NULL && call->number != number)
        call = call->outer;
    return call != NULL;
}

jg_status traced_fail_placeholder(const jg_array *node)
{
    uint32_t number = node->attributes.function;
    pthread_mutex_lock(&lock);
    const function_name of = functions[number % FUNCTIONS];
    pthread_mutex_unlock(&lock);
    if (number == 0 || of.number != number)
        return base_fail(
            JG_ERR_VALUE,
            "the array depends on an argument of a function that was traced or batched, "
            "or was donated to one, which has no values: what is needed outside of a "
            "function has to be a result of it");
    if (!is_under_way(number) && of.running > 0)
        return base_fail(JG_ERR_VALUE,
                         "[%s] %s: the array depends on an argument of the function, which is "
                         "being %s in another thread, which has no values: allowed until it has "
                         "ended is what is no input of it",
                         of.caller, of.name, of.does);
    if (!is_under_way(number))
        return base_fail(JG_ERR_VALUE,
                         "[%s] %s: the array depends on an argument of the function, which was %s "
                         "and has ended, which has no values: allowed outside of it is what is a "
                         "result of it",
                         of.caller, of.name, of.does);
    return base_fail(
        JG_ERR_VALUE,
        "[%s] %s: the array depends on an argument of a function that is being %s, "
        "which has no values: print, item, bool, numpy and whatever else asks for them "
        "are allowed outside of the function; inside, jg.where chooses between values, and "
        "joggle.fields.function makes a function of arrays of a kernel",
        of.caller, of.name, of.does);
}

void traced_enter(traced_call *call)
{
    if (call->number == 0) /* one that comes back keeps its number, which placeholders have */
        call->number = number_of(call);
    call->outer = innermost;
    innermost = call;
    count_running(call, 1);
}

void traced_leave(traced_call *call)
{
    traced_call **at = &innermost;
    while (*at != NULL && *at != call)
        at = &(*at)->outer;
    if (*at != call)
        return;
    *at = call->outer;
    count_running(call, -1);
}

traced_call *traced_innermost(void)
{
    return innermost;
}

traced_call *traced_recorded(void)
{
    traced_call *call = innermost;
    while (JG_UNLIKELY(call != NULL) && !call->recorded)
        call = call->outer;
    return call;
}

bool traced_is_recorded(void)
{
    return traced_recorded() != NULL;
}

jg_status traced_refuse(const char *what)
{
    const traced_call *call = traced_recorded();
    if (JG_LIKELY(call == NULL))
        return JG_OK;
    return base_fail(JG_ERR_UNSUPPORTED,
                     "[%s] %s: %s would happen when the function is traced and never again; do it "
                     "outside of the function",
                     call->caller, call->name, what);
}

jg_status traced_before_write(const void *low, const void *high)
{
    JG_TRY(traced_refuse("a write to memory that others hold"));
    for (traced_call *call = innermost; JG_UNLIKELY(call != NULL); call = call->outer)
        if (call->write != NULL)
            JG_TRY(call->write(call, low, high));
    return JG_OK;
}

FORK_HOLDS(traced, lock)
