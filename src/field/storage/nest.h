/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of nodes: what nest.c, which lays them out, and marks.c, which keeps account of their
 * cells, both know. */
#ifndef JG_FIELD_NEST_H
#define JG_FIELD_NEST_H

#include "field/field.h"
#include <pthread.h>

enum { FIELD_MAX_DEPTH = 32 }; /* walks of a tree recurse; nodes without axes may nest, too */

typedef struct field_item {
    jg_dense *child;     /* or NULL */
    jg_field *field;     /* or NULL once it is gone */
    jg_element *element; /* of the field, kept for its size */
    int64_t offset;      /* in the cell, as the next known once the tree is measured */
} field_item;

typedef struct field_tree {
    atomic_int refs;      /* one for each node that is held, and for each field in it */
    pthread_mutex_t lock; /* for all that changes in the tree; taken after that of field.c */
    bool finished;        /* its memory is taken; nothing is added any more */
    bool sparse;          /* its memory is address space whose pages come when they are written */
    jg_dense *root;
} field_tree;

/* Nodes are freed with the tree only: a reference to a node is one to the tree. */
struct jg_dense {
    field_tree *tree;
    jg_dense *parent;
    int depth, naxes;
    int64_t extents[FIELD_MAX_NDIM]; /* of its own axes, the outermost first */
    int axes[FIELD_MAX_NDIM];        /* their numbers; not in order */
    jg_cells cells;                  /* which of its cells exist */
    jg_array *marks;                 /* that says so, +1; NULL where all do */
    base_vec items;                  /* field_item */
    /* Known once the tree is measured, in bytes. offset: in the parent's cell; nbytes: of all
     * cells; pitch: from one to the next */
    int64_t offset, nbytes, pitch, alignment;
};

/* Borrowed from the node, until an item is added. */
static inline field_item *field_node_items(const jg_dense *node)
{
    return (field_item *)(void *)node->items.data;
}

static inline int field_node_count(const jg_dense *node)
{
    return (int)(node->items.nbytes / sizeof(field_item));
}

/* Whether a cell on the way down to the node's may not exist. */
static inline bool field_node_is_marked(const jg_dense *node)
{
    for (; node != NULL; node = node->parent)
        if (node->marks != NULL)
            return true;
    return false;
}

/* The failure for a tree whose memory is taken. raises: VALUE */
jg_status field_fail_finished(void);

#endif
