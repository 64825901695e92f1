/* SPDX-License-Identifier: Apache-2.0 */
/* Places that are written while a derivative may still need what they hold.
 *
 * An array over a place has the place's values at any time, but a node has those from before the
 * next write. What is not traced is evaluated before the write. A traced node is needed again:
 * a rule reads its inputs, and a batch builds it anew. So it gets a copy of the place as its input,
 * a version, which holds the array that it was made of: code that has just read the input may use
 * it, and derivatives pass through the version to the array. */
#include "graph/graph.h"

bool node_overlaps(const jg_array *x, const void *low, const void *high)
{
    jg_layout layout;
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)x->dtype);
    const jg_buffer *buffer = node_root(x)->buffer;
    if (!node_has_storage(x) || x->size == 0 || !buffer_is_on_host(buffer))
        return false;
    node_layout(x, &layout);
    layout.offset = 0;
    if (itemsize == 0 || layout_bounds(&layout, &lowest, &highest) != JG_OK)
        return (const char *)low < buffer->high && buffer->low < (const char *)high;
    const char *address = node_address(x);
    return (const char *)low < address + (highest + 1) * itemsize &&
           address + lowest * itemsize < (const char *)high;
}

static place_version *items_of(const base_vec *versions)
{
    return (place_version *)(void *)versions->data;
}

static int count_of(const base_vec *versions)
{
    return (int)(versions->nbytes / sizeof(place_version));
}

/* NULL: there is none */
static place_version *find(const base_vec *versions, const jg_array *place)
{
    for (int i = 0; i < count_of(versions); ++i)
        if (items_of(versions)[i].place == place)
            return &items_of(versions)[i];
    return NULL;
}

typedef struct node_list {
    base_vec nodes; /* jg_array *, +1 each */
} node_list;

static jg_array **nodes_of(const node_list *list)
{
    return (jg_array **)(void *)list->nodes.data;
}

static int count_nodes(const node_list *list)
{
    return (int)(list->nodes.nbytes / sizeof(jg_array *));
}

static void clear_nodes(node_list *list)
{
    for (int i = 0; i < count_nodes(list); ++i)
        jg_array_release(nodes_of(list)[i]);
    vec_clear(&list->nodes);
}

/* The readers of places, of which those that are traced matter. */
static jg_status collect_nodes(node_list *list)
{
    list->nodes = (base_vec){0};
    JG_TRY(traced_collect(&list->nodes));
    return reads_collect(0, &list->nodes);
}

static jg_status find_among(int count, jg_array *const *arrays, const void *low, const void *high,
                            base_vec *out)
{
    for (int i = 0; i < count; ++i) {
        jg_array *x = arrays[i];
        if (!node_is_place(x) || !node_overlaps(x, low, high) || find(out, x) != NULL)
            continue;
        const place_version version = {x, NULL};
        JG_TRY(vec_append(out, &version, sizeof version));
        jg_array_retain(x);
    }
    return JG_OK;
}

jg_status versions_find(const void *low, const void *high, base_vec *out)
{
    node_list list;
    jg_status status = collect_nodes(&list);
    for (int i = 0; i < count_nodes(&list) && status == JG_OK; ++i) {
        const jg_array *node = nodes_of(&list)[i];
        const graph_custom_call *call = node_custom_call(node);
        if (!node_is_traced(node))
            continue;
        status = find_among(node->ninputs, node->inputs, low, high, out);
        if (call != NULL && status == JG_OK)
            status = find_among(call->ninputs + call->noutputs, call->arrays, low, high, out);
    }
    clear_nodes(&list);
    return status;
}

/* The replaced place was counted as pending reader: that count ends here. */
static void replace_among(int count, jg_array **arrays, const base_vec *versions)
{
    for (int i = 0; i < count; ++i) {
        jg_array *x = arrays[i];
        const place_version *found = node_is_place(x) ? find(versions, x) : NULL;
        if (found == NULL)
            continue;
        buffer_end_reading(node_root(x)->buffer, READER_PENDING);
        arrays[i] = jg_array_retain(found->version);
        jg_array_release(x);
    }
}

jg_status versions_take(const base_vec *versions)
{
    node_list list;
    jg_status status = collect_nodes(&list);
    for (int i = 0; i < count_nodes(&list) && status == JG_OK; ++i) {
        jg_array *node = nodes_of(&list)[i];
        graph_custom_call *call = node_custom_call(node);
        if (!node_is_traced(node))
            continue;
        replace_among(node->ninputs, node->inputs, versions);
        if (call != NULL)
            replace_among(call->ninputs + call->noutputs, call->arrays, versions);
    }
    clear_nodes(&list);
    return status;
}

void versions_clear(base_vec *versions)
{
    for (int i = 0; i < count_of(versions); ++i) {
        jg_array_release(items_of(versions)[i].place);
        jg_array_release(items_of(versions)[i].version);
    }
    vec_clear(versions);
}
