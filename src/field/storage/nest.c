/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of dense nodes. A node is an array of cells; a cell holds, in the order in which they were
 * put there, elements of fields and whole nodes below. An axis that occurs in several nodes on the
 * way down to a field is blocked: its levels are joined again where strides allow it.
 *
 * A tree lives as long as there is a reference to one of its nodes, those of fields that were
 * placed in them included; it lists these fields without references. When its memory is taken they
 * become planes of one buffer. Each has a reference to the tree until it is freed, as one may be
 * freed while another thread first uses another. */
#include "field/storage/nest.h"
#include <inttypes.h>
#include <pthread.h>
#include <string.h>

static jg_status check_axes(const jg_dense *parent, int naxes, const int *axes,
                            const int64_t *extents)
{
    int total = naxes;
    for (const jg_dense *node = parent; node != NULL; node = node->parent)
        total += node->naxes;
    if (naxes < 0 || total > FIELD_MAX_NDIM || (parent && parent->depth + 1 >= FIELD_MAX_DEPTH))
        return base_fail(JG_ERR_VALUE,
                         "axes: got %d at depth %d, allowed are %d on a way down, %d deep", naxes,
                         parent ? parent->depth + 1 : 0, FIELD_MAX_NDIM, FIELD_MAX_DEPTH);
    for (int i = 0; i < naxes; ++i) {
        if (axes[i] < 0 || axes[i] >= FIELD_MAX_NDIM)
            return base_fail(JG_ERR_VALUE, "axes: got number %d, allowed 0 to %d", axes[i],
                             FIELD_MAX_NDIM - 1);
        if (extents[i] < 0)
            return base_fail(JG_ERR_VALUE,
                             "extents: got %" PRId64 " along axis %d, allowed is 0 or more",
                             extents[i], axes[i]);
        for (int j = 0; j < i; ++j)
            if (axes[i] == axes[j])
                return base_fail(JG_ERR_VALUE,
                                 "axes: number %d is there twice; allowed is each axis once",
                                 axes[i]);
    }
    return JG_OK;
}

/* Without a reference yet: jg_dense_new counts the node that it makes. */
static field_tree *new_tree(void)
{
    field_tree *tree = base_alloc_zeroed(sizeof *tree);
    if (tree != NULL)
        pthread_mutex_init(&tree->lock, NULL);
    return tree;
}

/* No fields are left, as each of them has a reference to the tree. */
static void free_nodes(jg_dense *node)
{
    for (int i = 0; i < field_node_count(node); ++i) {
        jg_element_release(field_node_items(node)[i].element);
        if (field_node_items(node)[i].child != NULL)
            free_nodes(field_node_items(node)[i].child);
    }
    vec_clear(&node->items);
    jg_array_release(node->marks);
    base_free(node);
}

static void release_tree(field_tree *tree)
{
    if (atomic_fetch_sub_explicit(&tree->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (tree->root != NULL)
        free_nodes(tree->root);
    pthread_mutex_destroy(&tree->lock);
    base_free(tree);
}

jg_status field_fail_finished(void)
{
    return base_fail(JG_ERR_VALUE, "the tree of axes is in use: its fields have their memory "
                                   "already, allowed are changes before that");
}

/* Under the tree's lock. */
static jg_status add_item(jg_dense *node, const field_item *item)
{
    if (node->tree->finished)
        return field_fail_finished();
    return vec_append(&node->items, item, sizeof *item);
}

static jg_status add_child(jg_dense *parent, jg_dense *node)
{
    field_item item = {.child = node};
    pthread_mutex_lock(&parent->tree->lock);
    jg_status status = add_item(parent, &item);
    pthread_mutex_unlock(&parent->tree->lock);
    return status;
}

/* takes: tree's new reference (on JG_OK). The node is added to the parent's cell at once. */
static jg_status new_node(field_tree *tree, jg_dense *parent, int naxes, const int *axes,
                          const int64_t *extents, jg_dense **out)
{
    jg_dense *node = base_alloc_zeroed(sizeof *node);
    if (node == NULL)
        return base_nomem(sizeof *node, "a node of a tree of axes");
    node->tree = tree;
    node->parent = parent;
    node->depth = parent ? parent->depth + 1 : 0;
    node->naxes = naxes;
    for (int i = 0; i < naxes; ++i) {
        node->axes[i] = axes[i];
        node->extents[i] = extents[i];
    }
    jg_status status = parent ? add_child(parent, node) : JG_OK;
    if (status != JG_OK) {
        base_free(node);
        return status;
    }
    if (parent == NULL)
        tree->root = node;
    *out = node;
    return JG_OK;
}

jg_status jg_dense_new(jg_dense *parent, int naxes, const int *axes, const int64_t *extents,
                       jg_dense **out)
{
    JG_TRY(check_axes(parent, naxes, axes, extents));
    field_tree *tree = parent ? parent->tree : new_tree();
    if (tree == NULL)
        return base_nomem(sizeof *tree, "a tree of axes");
    atomic_fetch_add_explicit(&tree->refs, 1, memory_order_relaxed);
    jg_status status = new_node(tree, parent, naxes, axes, extents, out);
    if (status != JG_OK)
        release_tree(tree);
    return status;
}

void jg_dense_release(jg_dense *node)
{
    if (node != NULL)
        release_tree(node->tree);
}

/* The field's axes: those of all nodes down to its own, by number, with their extents
 * multiplied. */
static jg_status shape_at(const jg_dense *node, int *ndim, int64_t *shape)
{
    int64_t extents[FIELD_MAX_NDIM], size;
    uint64_t present = 0; /* a bit for each axis: its extent is set */
    for (; node != NULL; node = node->parent)
        for (int i = 0; i < node->naxes; ++i) {
            int axis = node->axes[i];
            int64_t before = present >> axis & 1 ? extents[axis] : 1;
            if (__builtin_mul_overflow(before, node->extents[i], &extents[axis]))
                return base_fail(JG_ERR_VALUE,
                                 "extents: axis %d has 2^63 elements or more, allowed are fewer",
                                 axis);
            present |= UINT64_C(1) << axis;
        }
    *ndim = 0;
    for (int axis = 0; axis < FIELD_MAX_NDIM; ++axis)
        if (present >> axis & 1)
            shape[(*ndim)++] = extents[axis];
    return shape_size(*ndim, shape, &size);
}

/* Under the tree's lock. The items of the members follow each other; a failure leaves unused
 * bytes. */
static jg_status place_all(jg_dense *node, jg_field *field)
{
    field->marked = field_node_is_marked(node);
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(place_all(node, field->members[i]));
    if (element_is_struct(field->element))
        return JG_OK;
    field_item item = {.field = field, .element = field->element};
    JG_TRY(add_item(node, &item));
    jg_element_retain(field->element);
    atomic_fetch_add_explicit(&node->tree->refs, 1, memory_order_relaxed);
    field->node = node;
    atomic_store_explicit(&field->state, FIELD_PLACED, memory_order_release);
    return JG_OK;
}

/* Under the tree's lock: a tree that another thread has finished gives the field no shape. */
static jg_status place_in(jg_dense *node, jg_field *field, const int64_t *origin)
{
    int64_t shape[FIELD_MAX_NDIM];
    int ndim = 0;
    if (node->tree->finished)
        return field_fail_finished();
    JG_TRY(shape_at(node, &ndim, shape));
    JG_TRY(field_set_shape(field, ndim, shape, origin));
    return place_all(node, field);
}

/* Members are fields too: one of them may have been placed by itself. A shape alone, which a try
 * that ran out of memory leaves, does not count as placed. */
static bool is_unplaced(const jg_field *field)
{
    bool unplaced = field_state_of(field) == FIELD_UNPLACED;
    for (int i = 0; i < field->element->count && unplaced; ++i)
        unplaced = is_unplaced(field->members[i]);
    return unplaced;
}

jg_status jg_dense_place(jg_dense *node, jg_field *field, const int64_t *origin)
{
    if (!is_unplaced(field) || field->ndim >= 0)
        return base_fail(JG_ERR_VALUE, "[%s] has its place already, allowed is one",
                         FIELD_LABEL(field));
    pthread_mutex_lock(&node->tree->lock);
    jg_status status = place_in(node, field, origin);
    pthread_mutex_unlock(&node->tree->lock);
    return status;
}

void field_dense_forget(jg_dense *node, jg_field *field)
{
    field_tree *tree = node->tree;
    pthread_mutex_lock(&tree->lock);
    for (int i = 0; i < field_node_count(node); ++i)
        if (field_node_items(node)[i].field == field)
            field_node_items(node)[i].field = NULL;
    pthread_mutex_unlock(&tree->lock);
    release_tree(tree);
}

/* The bytes of the node from its pitch. The product goes over the extents that are not 0, so that
 * the strides of an empty node fit as well. raises: VALUE */
static jg_status multiply_extents(jg_dense *node)
{
    int64_t nbytes = node->pitch;
    bool empty = false;
    for (int i = 0; i < node->naxes; ++i) {
        int64_t extent = node->extents[i];
        empty |= extent == 0;
        if (__builtin_mul_overflow(nbytes, extent ? extent : 1, &nbytes))
            return base_fail(JG_ERR_VALUE,
                             "extents: the tree has 2^63 bytes or more, allowed are fewer");
    }
    node->nbytes = empty ? 0 : nbytes;
    return JG_OK;
}

/* Sizes from the leaves up: the size of a lower node is known before it is put in the cell. Items
 * are laid out in the order in which they were added, as jg_dense_new promises. */
static jg_status measure(jg_dense *node)
{
    field_cell cell = {0, 1};
    for (int i = 0; i < field_node_count(node); ++i) {
        field_item *item = &field_node_items(node)[i];
        if (item->child == NULL) {
            JG_TRY(field_cell_add_element(&cell, item->element, &item->offset));
            continue;
        }
        JG_TRY(measure(item->child));
        JG_TRY(field_cell_add(&cell, item->child->nbytes, item->child->alignment,
                              &item->child->offset));
    }
    JG_TRY(field_cell_pitch(&cell, &node->pitch));
    node->alignment = cell.alignment;
    return multiply_extents(node);
}

/* Bytes between neighbours along axis number i of the node's own. */
static int64_t stride_of(const jg_dense *node, int i)
{
    int64_t stride = node->pitch;
    for (int k = node->naxes - 1; k > i; --k)
        stride *= node->extents[k];
    return stride;
}

/* Adds a level below those that the layout has from `first` on, joined to the last where that is
 * one stride. A level of extent 1 is left out unless it is the axis's only one. Strides are in
 * bytes here. */
static void add_level(jg_layout *layout, int first, int64_t extent, int64_t stride)
{
    int last = layout->ndim - 1;
    if (last >= first && (layout->strides[last] == extent * stride || layout->shape[last] == 1)) {
        layout->shape[last] *= extent;
        layout->strides[last] = stride;
    } else if (last < first || extent != 1) {
        layout->shape[layout->ndim] = extent;
        layout->strides[layout->ndim++] = stride;
    }
}

/* The levels of one axis on the way down to the node. gives: whether there are any */
static bool add_axis(const jg_dense *const *way, int depth, int axis, jg_layout *layout)
{
    int first = layout->ndim;
    for (int d = 0; d <= depth; ++d)
        for (int i = 0; i < way[d]->naxes; ++i)
            if (way[d]->axes[i] == axis)
                add_level(layout, first, way[d]->extents[i], stride_of(way[d], i));
    return layout->ndim > first;
}

/* The plane of a field in the node's cells. offset: of the field in the cell. Sets the field's
 * levels. The divisions are exact, as cells are padded to a multiple of each item's size
 * (layout_aos.c). */
static void lay_out(const jg_dense *node, int64_t offset, const jg_field *field, jg_layout *out)
{
    const jg_dense *way[FIELD_MAX_DEPTH];
    int64_t itemsize = (int64_t)dtype_itemsize(field->element->dtype);
    int depth = node->depth, axis = 0;
    for (const jg_dense *at = node; at != NULL; at = at->parent) {
        way[at->depth] = at;
        offset += at->offset;
    }
    *out = (jg_layout){.ndim = 0, .size = 1, .offset = offset / itemsize};
    for (int number = 0; number < FIELD_MAX_NDIM; ++number) {
        int before = out->ndim;
        if (add_axis(way, depth, number, out))
            field->levels[axis++] = out->ndim - before;
    }
    for (int i = 0; i < out->ndim; ++i) {
        out->strides[i] /= itemsize;
        out->size *= out->shape[i];
    }
    field_aos_add_element(field->element, out);
}

/* A field that has a plane got it in a try that ran out of memory later, and is ready: it keeps
 * that, in the buffer of the earlier try. */
static jg_status give_planes(const jg_dense *node, jg_buffer *buffer)
{
    for (int i = 0; i < field_node_count(node); ++i) {
        field_item *item = &field_node_items(node)[i];
        jg_layout layout;
        if (item->child != NULL)
            JG_TRY(give_planes(item->child, buffer));
        jg_field *field = item->field;
        if (field == NULL || field->array != NULL)
            continue;
        lay_out(node, item->offset, field, &layout);
        JG_TRY(field_set_plane(field, buffer, &layout));
    }
    return JG_OK;
}

/* Under the tree's lock. */
static jg_status take_memory(field_tree *tree)
{
    jg_buffer *buffer;
    JG_TRY(measure(tree->root));
    size_t nbytes = (size_t)tree->root->nbytes;
    JG_TRY(tree->sparse ? buffer_map_pages(nbytes, &buffer) : field_new_zeros(nbytes, &buffer));
    jg_status status = give_planes(tree->root, buffer);
    buffer_release(buffer);
    return status;
}

jg_status field_dense_finish(jg_dense *node)
{
    field_tree *tree = node->tree;
    jg_status status = JG_OK;
    pthread_mutex_lock(&tree->lock);
    if (!tree->finished)
        status = take_memory(tree);
    tree->finished |= status == JG_OK;
    pthread_mutex_unlock(&tree->lock);
    return status;
}
