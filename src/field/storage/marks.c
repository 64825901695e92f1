/* SPDX-License-Identifier: Apache-2.0 */
/* Which cells of a tree exist. A node's marks are a field of a tree of its own, so that kernels
 * read and write them as any other. The node holds the marks' array: the lock of all fields is held
 * when a reset frees a tree, and must not be taken again to free a field.
 *
 * A cell's number counts all cells of its node, in the order in which a dense tree has them: its
 * place among those in one cell of the parent, plus the parent's number times how many there are in
 * one. */
#include "field/storage/nest.h"
#include <inttypes.h>

/* How many cells a node has in one of its parent. They are fewer than 2^63, as the marks have been
 * compared with them. */
static int64_t cells_in_one(const jg_dense *node)
{
    int64_t count = 1;
    for (int i = 0; i < node->naxes; ++i)
        count *= node->extents[i];
    return count;
}

/* gives: *out, the cells in all of the tree | raises: VALUE for too many */
static jg_status count_cells(const jg_dense *node, int64_t *out)
{
    *out = 1;
    for (; node != NULL; node = node->parent)
        for (int i = 0; i < node->naxes; ++i)
            if (__builtin_mul_overflow(*out, node->extents[i], out))
                return base_fail(JG_ERR_VALUE,
                                 "extents: the tree has 2^63 cells or more, allowed are fewer");
    return JG_OK;
}

static jg_status check_marks(const jg_dense *node, jg_cells cells, const jg_field *marks)
{
    bool counted = cells == JG_CELLS_COUNTED;
    jg_dtype wanted = counted ? JG_DTYPE_INT32 : JG_DTYPE_UINT8;
    int64_t count;
    JG_TRY(count_cells(counted ? node->parent : node, &count));
    if (cells != JG_CELLS_MARKED && !counted)
        return base_fail(JG_ERR_VALUE, "cells: got %d, allowed are MARKED and COUNTED", (int)cells);
    if (counted && (node->naxes != 1 || node->extents[0] > INT32_MAX))
        return base_fail(
            JG_ERR_VALUE,
            "cells: got COUNTED for %d axes, allowed is one, of at most 2^31 - 1 cells",
            node->naxes);
    if (marks->element->dtype != wanted || marks->element->ndim != 0 || marks->ndim != 1 ||
        marks->shape[0] != count || marks->origin[0] != 0)
        return base_fail(JG_ERR_VALUE,
                         "[%s] marks: got %s with %d axes, allowed is one axis of %" PRId64
                         " elements of %s, from 0 on",
                         FIELD_LABEL(marks), dtype_rows[marks->element->dtype].name, marks->ndim,
                         count, dtype_rows[wanted].name);
    return JG_OK;
}

/* Under the tree's lock. */
static jg_status reserve(field_tree *tree)
{
    const jg_device *device = field_home();
    if (tree->finished)
        return field_fail_finished();
    if (!device_is_host(device))
        return base_fail(JG_ERR_UNSUPPORTED,
                         "cells that need not exist: fields are on %s:%d, allowed there are dense "
                         "nodes; nodes with such cells are on the CPU alone",
                         device_name(device), (int)device->id.id);
    tree->sparse = true;
    return JG_OK;
}

jg_status jg_dense_reserve(jg_dense *node)
{
    pthread_mutex_lock(&node->tree->lock);
    jg_status status = reserve(node->tree);
    pthread_mutex_unlock(&node->tree->lock);
    return status;
}

/* Under the tree's lock. */
static jg_status set_marks(jg_dense *node, jg_cells cells, jg_array *marks)
{
    if (node->marks != NULL || field_node_count(node) > 0)
        return base_fail(JG_ERR_VALUE,
                         "node: got one with %d marks, fields and nodes, allowed is a new one",
                         (node->marks != NULL) + field_node_count(node));
    JG_TRY(reserve(node->tree));
    node->cells = cells;
    node->marks = jg_array_retain(marks);
    return JG_OK;
}

jg_status jg_dense_mark(jg_dense *node, jg_cells cells, jg_field *marks)
{
    jg_array *array;
    JG_TRY(field_plane(marks, &array));
    JG_TRY(check_marks(node, cells, marks));
    pthread_mutex_lock(&node->tree->lock);
    jg_status status = set_marks(node, cells, array);
    pthread_mutex_unlock(&node->tree->lock);
    return status;
}

/* How many indices along an axis a cell of the node spans on the way down to `leaf`. */
static int64_t span_below(const jg_dense *node, const jg_dense *leaf, int axis)
{
    int64_t span = 1;
    for (; leaf != node; leaf = leaf->parent)
        for (int i = 0; i < leaf->naxes; ++i)
            if (leaf->axes[i] == axis)
                span *= leaf->extents[i];
    return span;
}

/* The position of an axis among the field's own axes: the number of axes on the path to the leaf
 * that have a lower number. */
static int index_of_axis(const jg_dense *leaf, int axis)
{
    uint64_t lower = 0;
    for (; leaf != NULL; leaf = leaf->parent)
        for (int i = 0; i < leaf->naxes; ++i)
            if (leaf->axes[i] < axis)
                lower |= UINT64_C(1) << leaf->axes[i];
    return __builtin_popcountll(lower);
}

/* The place of the cell that holds an element among the node's in one cell of the parent. */
static int64_t place_in_parent(const jg_dense *node, const jg_field *field, const int64_t *indices)
{
    int64_t place = 0;
    for (int i = 0; i < node->naxes; ++i) {
        int axis = index_of_axis(field->node, node->axes[i]);
        int64_t index = indices[axis] - field->origin[axis];
        int64_t part = index / span_below(node, field->node, node->axes[i]);
        place = place * node->extents[i] + part % node->extents[i];
    }
    return place;
}

/* Cells that are counted exist up to the last that was written. */
static void set_count(const jg_array *marks, int64_t parent, int64_t least)
{
    int32_t *count = (int32_t *)node_address(marks) + parent;
    if (*count < least)
        *count = (int32_t)least;
}

/* gives: the number of the node's cell */
static int64_t mark_down(const jg_dense *node, const jg_field *field, const int64_t *indices)
{
    int64_t parent = node->parent ? mark_down(node->parent, field, indices) : 0;
    int64_t place = place_in_parent(node, field, indices);
    int64_t number = parent * cells_in_one(node) + place;
    if (node->marks != NULL && node->cells == JG_CELLS_COUNTED)
        set_count(node->marks, parent, place + 1);
    else if (node->marks != NULL)
        ((uint8_t *)node_address(node->marks))[number] = 1;
    return number;
}

void field_mark_cells(const jg_field *field, const int64_t *indices)
{
    (void)mark_down(field->node, field, indices);
}

jg_status field_fail_marked(const jg_field *field, const char *doing)
{
    return base_fail(
        JG_ERR_VALUE,
        "[%s] %s: its cells exist one by one, allowed are fields that have all of them; "
        "loop over it in a kernel",
        FIELD_LABEL(field), doing);
}

bool jg_field_is_marked(const jg_field *field)
{
    return field->marked;
}

/* The buffer of the tree's fields, which all have the same, or NULL where none has memory. Under
 * the tree's lock: a field that is freed or lost leaves the tree before its buffer goes. */
static jg_buffer *buffer_below(const jg_dense *node)
{
    for (int i = 0; i < field_node_count(node); ++i) {
        const field_item *item = &field_node_items(node)[i];
        jg_buffer *found = NULL;
        if (item->child != NULL)
            found = buffer_below(item->child);
        else if (item->field != NULL && item->field->array != NULL)
            found = item->field->array->buffer;
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* gives: *out, +1, or NULL where there is no memory | raises: VALUE */
static jg_status take_pages(field_tree *tree, jg_buffer **out)
{
    *out = NULL;
    pthread_mutex_lock(&tree->lock);
    bool sparse = tree->sparse;
    jg_buffer *found = sparse && tree->finished ? buffer_below(tree->root) : NULL;
    if (found != NULL)
        *out = buffer_retain(found);
    pthread_mutex_unlock(&tree->lock);
    if (sparse)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "node: got one of a tree that takes its memory at once, allowed "
                                   "are those of trees that were reserved");
}

/* Waits for what reads the memory first, as all that write. */
jg_status jg_dense_clear(jg_dense *node)
{
    jg_buffer *pages;
    JG_TRY(take_pages(node->tree, &pages));
    if (pages == NULL)
        return JG_OK;
    jg_status status = run_before_write(pages->low, pages->high);
    if (status == JG_OK)
        buffer_drop_pages(pages);
    buffer_release(pages);
    return status;
}
