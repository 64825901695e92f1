/* SPDX-License-Identifier: Apache-2.0 */
/* field: storage that is written in place.
 *
 * A field of structs is a table of the fields of its members; every other field is a plane: a leaf
 * array over a buffer, whose axes are the field's, each split into levels where the field is
 * blocked, and behind them the element's. So reading or writing a field is arithmetic on one
 * strided layout, and the layouts differ only in how planes are laid out (layout_aos.c,
 * layout_soa.c, nest.c). */
#ifndef JG_FIELD_H
#define JG_FIELD_H

#include "base/base.h"
#include "exchange/exchange.h"
#include "graph/graph.h"
#include "memory/memory.h"
#include "run/run.h"
#include <joggle/field.h>

/* A plane has the element's axes after the field's, and levels of blocked axes count: a path down a
 * tree has no more axes than this (nest.c). */
#define FIELD_MAX_NDIM (JG_MAX_NDIM - JG_ELEMENT_MAX_NDIM)

typedef struct element_member {
    const char *name; /* in the element's own block */
    jg_element *element;
} element_member;

/* The element at each index of a field: a scalar, a vector, a matrix, or a struct of elements. It
 * does not change once it is made. */
struct jg_element {
    atomic_int refs;
    jg_dtype dtype; /* OPAQUE for a struct */
    int ndim;
    int64_t size; /* scalars, but of a struct */
    int64_t extents[JG_ELEMENT_MAX_NDIM];
    int count;                /* of members; 0 for what is no struct */
    element_member members[]; /* followed by the text of their names */
};

static inline bool element_is_struct(const jg_element *element)
{
    return element->count > 0;
}

typedef enum field_state {
    FIELD_UNPLACED, /* no shape yet */
    FIELD_PLACED,   /* in a tree whose memory is not taken yet */
    FIELD_READY,
    FIELD_LOST /* by a reset */
} field_state;

/* A field of structs has members and no plane; any other field has a plane once it is ready, and
 * shape, origin and levels once it is placed. These do not change until a reset. */
struct jg_field {
    atomic_int refs;
    atomic_int
        state; /* field_state; a struct's members have theirs, its own changes by a reset alone */
    jg_element *element;
    int ndim;                /* -1 while it is unplaced */
    int64_t *shape, *origin; /* one block, with levels: shape is its start; NULL while unplaced */
    int *levels;        /* how many axes of the plane each axis is split into: 1 unless blocked */
    jg_field **members; /* of a struct, +1 each; whole fields, which may outlive it */
    jg_dense *node;     /* of one that is placed in a tree: its place, with a reference */
    bool marked;        /* cells on the way down to its elements may not exist */
    jg_array *array;    /* the plane of one that is ready and no struct */
    list_link links;    /* on the list of all fields, field.c */
    char name[]; /* "" if it has none; of a member with those of the structs before it: "p.x" */
};

static inline field_state field_state_of(const jg_field *field)
{
    return (field_state)atomic_load_explicit(&field->state, memory_order_acquire);
}

/* field.c */

/* A field without a shape, and those of its members. name NULL: none.
 * keeps: element | gives: *out, +1 | raises: NOMEM */
jg_status field_new_unplaced(const char *name, jg_element *element, jg_field **out);

/* The buffer of some field's plane that an address or a handle of the device leads into. gives: +1;
 * NULL where it is no field's | raises: never */
jg_buffer *field_find_buffer(const jg_device *device, const void *handle);

/* Refuses a field that a reset has lost. raises: LOST | waits: never */
jg_status field_check_kept(const jg_field *field);

/* Ensures that the field has memory; for a struct, that all members have.
 * raises: LOST, VALUE for one that is unplaced, NOMEM */
jg_status field_require(jg_field *field);

/* The plane of a field that is no struct. gives: *out, borrowed | raises: as field_require, TYPE */
jg_status field_plane(jg_field *field, jg_array **out);

/* plane.c */

/* Gives the shape, which all members get too, with one level for each axis. origin NULL: zeros. The
 * field has none yet. raises: NOMEM, then members may have theirs */
jg_status field_set_shape(jg_field *field, int ndim, const int64_t *shape, const int64_t *origin);

/* Makes a field that is no struct ready: its plane lies in the buffer. Shape and levels must be
 * set, as others look at them once it is ready. keeps: buffer | raises: NOMEM */
jg_status field_set_plane(jg_field *field, jg_buffer *buffer, const jg_layout *layout);

/* A buffer of zeros on the device of new fields. gives: *out, +1 | raises: NOMEM, DEVICE */
jg_status field_new_zeros(size_t nbytes, jg_buffer **out);

/* The device where new fields get their memory. gives: borrowed, valid forever */
jg_device *field_home(void);

/* How messages name the field: "field x", or its element type if it has no name. The macro's buffer
 * lives as long as the block around it. gives: buffer, which has FIELD_LABEL_NBYTES */
const char *field_label(const jg_field *field, char *buffer);
#define FIELD_LABEL_NBYTES 200
#define FIELD_LABEL(field) field_label((field), (char[FIELD_LABEL_NBYTES]){0})

/* plane_copy.c */

/* A plane's bytes where the host addresses them: the memory itself, or a copy of what the plane
 * spans. */
typedef struct field_copy {
    const jg_buffer *buffer;
    char *address; /* of the element at index zero */
    char *bytes;   /* of a copy; NULL of the memory itself */
    uint64_t offset;
    int64_t start;
    size_t nbytes;
} field_copy;

/* reads: whether the copy has the plane's bytes. gives: *out, for field_copy_close | raises: NOMEM,
 * DEVICE | waits: for the device */
jg_status field_copy_open(const jg_array *plane, bool reads, field_copy *out);

/* writes: whether what was changed becomes the plane's. Frees the copy, also on failure. raises:
 * DEVICE | waits: for the device */
jg_status field_copy_close(field_copy *copy, bool writes);

/* Writes one item again and again. nbytes: a multiple of the itemsize, which divides 4 MiB. raises:
 * NOMEM, DEVICE */
jg_status field_fill_bytes(const jg_buffer *buffer, uint64_t offset, size_t nbytes,
                           const void *item, size_t itemsize);

/* To be called before bytes of the plane's buffer are written. raises, waits: as
 * run_before_write */
jg_status field_before_write(const jg_array *plane, uint64_t offset, size_t nbytes);

/* layout_aos.c: members adjacent in cells */

/* A cell while items are put in it, one after the other, each aligned as it needs. alignment is the
 * largest so far, a power of two. */
typedef struct field_cell {
    int64_t nbytes, alignment;
} field_cell;

/* Puts an item in the cell. gives: *offset, where it lies in the cell | raises: VALUE on
 * overflow */
jg_status field_cell_add(field_cell *cell, int64_t nbytes, int64_t alignment, int64_t *offset);

/* Bytes from one cell to the next, padding included.
 * gives: *out | raises: VALUE on overflow */
jg_status field_cell_pitch(const field_cell *cell, int64_t *out);

/* Adds the scalars of an element that is no struct. gives: *offset | raises: VALUE */
jg_status field_cell_add_element(field_cell *cell, const jg_element *element, int64_t *offset);

/* Adds the element's axes, dense, after those of the layout, whose strides are in elements. */
void field_aos_add_element(const jg_element *element, jg_layout *layout);

/* layout_soa.c: each scalar of the elements by itself */

/* The plane of the elements, in memory of its own: *nbytes long. order: as in jg_field_spec
 * gives: *out, *nbytes | raises: VALUE for more elements or bytes than 63 bits count */
jg_status field_soa_layout(const jg_element *element, int ndim, const int64_t *shape,
                           const int *order, jg_layout *out, size_t *nbytes);

/* nest.c */

/* Takes the tree's memory and makes its fields ready, if that has not been done yet. The caller
 * holds a field that is placed in it. raises: NOMEM, VALUE; then nothing is taken, and another try
 * may succeed */
jg_status field_dense_finish(jg_dense *node);

/* Removes a field that is freed or lost from the tree; its bytes stay.
 * takes: the field's reference to the tree */
void field_dense_forget(jg_dense *node, jg_field *field);

/* marks.c */

/* Has all cells on the way down to an element of a marked field exist. indices: in range */
void field_mark_cells(const jg_field *field, const int64_t *indices);

/* The failure of what would treat all elements of a marked field alike. raises: VALUE */
jg_status field_fail_marked(const jg_field *field, const char *doing);

/* interop.c */

/* Strides along the axes of the field and its elements as strides along the axes of its storage, so
 * that values without blocks are stepped through as the plane is. The field has a plane.
 * gives: out, as many as the plane has axes */
void field_split(const jg_field *field, const int64_t *strides, int64_t *out);

#endif
