/* SPDX-License-Identifier: Apache-2.0 */
/* Fields: mutable storage of named, shaped elements, which kernels and other frameworks work on in
 * place.
 *
 * A field has a shape of its own, and each of its elements is a scalar, a vector or matrix of
 * scalars, or a struct of named members. A member, or a component of a vector, is a field over the
 * same memory. To joggle's arrays a field is a place: an array over it sees what is written, and a
 * write through these functions or a kernel first evaluates what is pending and reads the memory.
 *
 * Memory lives as long as anybody views it, also past jg_fields_reset, which loses all fields.
 * Writing one field from several threads at once, and losing fields that another thread uses, is
 * for the caller to avoid; everything else may be done from any thread. */
#ifndef JOGGLE_FIELD_H
#define JOGGLE_FIELD_H

#include <joggle/array.h>
#include <joggle/exchange.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jg_element jg_element;

#define JG_ELEMENT_MAX_NDIM 4

/* Scalars of the dtype in that shape: ndim 0 for one, 1 for a vector, 2 for a matrix.
 * gives: *out, +1 | raises: TYPE for dtypes other than bool, integers and real floats; VALUE,
 * NOMEM */
JG_API JG_CHECKED jg_status jg_element_new(jg_dtype dtype, int ndim, const int64_t *extents,
                                           jg_element **out);

/* Named members. keeps: members | gives: *out, +1 | raises: VALUE for none of them, or a name that
 * is empty or there twice; NOMEM */
JG_API JG_CHECKED jg_status jg_element_new_struct(int count, const char *const *names,
                                                  jg_element *const *members, jg_element **out);

/* One reference more; one less, the last of which frees the element.
 * gives: element itself | raises: never | waits: never */
JG_API jg_element *jg_element_retain(jg_element *element);
JG_API void jg_element_release(jg_element *element); /* NULL is fine */

/* The parts that the element was made of. An element that is no struct has no members.
 * gives: borrowed, valid as long as the element | raises: never | waits: never */
JG_API jg_dtype jg_element_dtype(const jg_element *element); /* OPAQUE for a struct */
JG_API int jg_element_ndim(const jg_element *element);
JG_API const int64_t *jg_element_extents(const jg_element *element);
JG_API int jg_element_count(const jg_element *element);
JG_API const char *jg_element_name(const jg_element *element, int member);
JG_API jg_element *jg_element_member(const jg_element *element, int member);

typedef struct jg_field jg_field;

typedef enum jg_field_layout {
    JG_FIELD_AOS, /* what belongs to one element lies side by side */
    JG_FIELD_SOA  /* each scalar of the elements by itself, for all elements */
} jg_field_layout;

typedef struct jg_field_spec {
    const char *name; /* for messages; NULL for none */
    jg_element *element;
    int ndim; /* -1: unplaced, until jg_dense_place gives it memory; then no more is read */
    const int64_t *shape;
    const int *order; /* the axes from the outermost in memory to the innermost; NULL: 0, 1, ... */
    const int64_t *origin; /* the lowest index of each axis; NULL: zeros */
    jg_field_layout layout;
} jg_field_spec;

/* A field full of zeros. keeps: spec->element | gives: *out, +1 | raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_field_new(const jg_field_spec *spec, jg_field **out);

/* One reference more; one less, the last of which frees the field.
 * gives: field itself | raises: never | waits: never */
JG_API jg_field *jg_field_retain(jg_field *field);
JG_API void jg_field_release(jg_field *field); /* NULL is fine */

/* Makes all fields lost: each later function on one of them that may fail raises LOST. Memory that
 * arrays, exports or kernels hold stays valid. raises: never | waits: never */
JG_API void jg_fields_reset(void);

/* The device whose memory fields get that are made or first used from now on; the default is the
 * CPU. Nodes of trees whose cells need not exist are supported on the CPU only. A kernel runs on
 * the device of its fields (joggle/kernel.h). raises: DEVICE for a device that is not present,
 * NOMEM | waits: for a driver that is opened */
JG_API JG_CHECKED jg_status jg_fields_set_device(jg_device_id device);
JG_API jg_device_id jg_fields_get_device(void); /* raises: never */

/* The name and element that the field was made with, and its state now.
 * gives: borrowed, valid as long as the field | raises: never | waits: never */
JG_API const char *jg_field_name(const jg_field *field);    /* "" if it has none */
JG_API jg_element *jg_field_element(const jg_field *field); /* borrowed */
JG_API bool jg_field_is_lost(const jg_field *field);
JG_API bool jg_field_is_placed(const jg_field *field);

/* The field's own axes, without those of its elements. A field without a place has no axes yet:
 * ndim is -1.
 * gives: borrowed, valid as long as the field | raises: never | waits: never */
JG_API int jg_field_ndim(const jg_field *field);
JG_API const int64_t *jg_field_shape(const jg_field *field);
JG_API const int64_t *jg_field_origin(const jg_field *field);

/* The field of one member of all elements. gives: *out, +1 | raises: INDEX, LOST */
JG_API JG_CHECKED jg_status jg_field_member(const jg_field *field, int member, jg_field **out);

/* The field of one scalar of all vectors or matrices. gives: *out, +1
 * raises: INDEX, TYPE for a struct, VALUE for a field without a place, LOST, NOMEM */
JG_API JG_CHECKED jg_status jg_field_component(jg_field *field, int nindices,
                                               const int64_t *indices, jg_field **out);

/* The memory of a field that is no struct. Axis i of the field is levels[i] axes of the view, the
 * outermost first: one axis, or several if the field is blocked. An index of the field's axis is
 * divided by the extents of these axes. The element's axes follow. The view is valid as long as the
 * field is neither freed nor lost. */
typedef struct jg_field_plane {
    jg_view view;
    int ndim; /* of the field */
    int levels[JG_MAX_NDIM];
} jg_field_plane;

/* gives: *out | raises: LOST, VALUE for a field without a place, TYPE for a struct, NOMEM
 * waits: never */
JG_API JG_CHECKED jg_status jg_field_storage(jg_field *field, jg_field_plane *out);

/* An array whose axes are those of the storage, over the same memory.
 * gives: *out, +1 | raises: as jg_field_storage */
JG_API JG_CHECKED jg_status jg_field_storage_array(jg_field *field, jg_array **out);

/* A dense node of a tree of axes. Its cells lie side by side, and each cell holds all that was
 * placed in the node, in the order of placing. parent NULL: the node begins a new tree. A placed
 * field has the axes of all nodes above it, by ascending number; an axis that occurs in several
 * nodes is blocked. The memory is allocated when a field of the tree is first used; from then on
 * the tree cannot change.
 * gives: *out, +1 | raises: VALUE for axes, extents, or a tree that is in use; NOMEM */
typedef struct jg_dense jg_dense;
JG_API JG_CHECKED jg_status jg_dense_new(jg_dense *parent, int naxes, const int *axes,
                                         const int64_t *extents, jg_dense **out);
JG_API void jg_dense_release(jg_dense *node); /* NULL is fine */

/* Gives an unplaced field a place in the node's cells. origin: as in jg_field_spec
 * raises: VALUE, NOMEM */
JG_API JG_CHECKED jg_status jg_dense_place(jg_dense *node, jg_field *field, const int64_t *origin);

/* Which cells of a node exist. A tree with a node that is not DENSE reserves address space: the
 * system allocates a page when it is first written, and these pages are not counted against the
 * limit of memory. Cells that do not exist hold zeros. jg_field_store marks the cells that lead to
 * its element as existing; a kernel that writes the memory has to set the marks itself. */
typedef enum jg_cells {
    JG_CELLS_DENSE,  /* all; what a new node has */
    JG_CELLS_MARKED, /* each cell whose byte in the marks is not 0 */
    JG_CELLS_COUNTED /* in each cell of the parent the first n cells, where n is the parent cell's
                        number in the marks */
} jg_cells;

/* Lets the field `marks` say which cells of a new node exist. MARKED: a field of uint8 with an
 * element for each cell of the node in the whole tree. COUNTED, for a node of one axis: a field of
 * int32 with an element for each cell of the parent. The marks have one axis, in the order of the
 * cells: first by the parent's cell, then by the index along the node's axes.
 * keeps: the marks' memory | raises: VALUE, LOST, NOMEM */
JG_API JG_CHECKED jg_status jg_dense_mark(jg_dense *node, jg_cells cells, jg_field *marks);

/* Makes the node's tree reserve address space, as a tree with marks does.
 * raises: VALUE for a tree that is in use */
JG_API JG_CHECKED jg_status jg_dense_reserve(jg_dense *node);

/* Sets all elements of a tree that reserves address space to zero, and gives its pages back to the
 * system. The marks stay.
 * raises: VALUE for another tree; what a pending reader raises | waits: as jg_field_store */
JG_API JG_CHECKED jg_status jg_dense_clear(jg_dense *node);

/* Whether an element of the field may lie in a cell that does not exist. Such a field cannot be
 * filled, assigned to or exported as a whole; copies of it can be made. raises: never | waits:
 * never */
JG_API bool jg_field_is_marked(const jg_field *field);

/* Reads one scalar. The field's indices come first, then the element's. raises: INDEX, naming the
 * field and the axis; as jg_field_storage | waits: on a device, for work that writes the field */
JG_API JG_CHECKED jg_status jg_field_load(jg_field *field, int nindices, const int64_t *indices,
                                          jg_number *out);
/* Writes one scalar. raises: as jg_field_load, and VALUE for a number that the dtype cannot hold
 * waits: until no pending work reads the memory, as all functions that write it */
JG_API JG_CHECKED jg_status jg_field_store(jg_field *field, int nindices, const int64_t *indices,
                                           jg_number value);

/* Writes one number to every scalar of all members. If one dtype cannot hold the number, nothing is
 * written. raises: as jg_field_store | waits: as jg_field_store */
JG_API JG_CHECKED jg_status jg_field_fill(jg_field *field, jg_number value);

/* Copies all values of a field of the same shape and elements; they are cast where dtypes differ.
 * If a struct does not fit, nothing is copied. raises: VALUE naming both shapes; as
 * jg_field_storage, jg_eval | waits: until the values are copied */
JG_API JG_CHECKED jg_status jg_field_copy_from(jg_field *field, jg_field *from);

/* All values from an array of exactly the field's shape with the element's axes behind it, cast.
 * raises: VALUE naming both shapes; as jg_field_storage, jg_eval
 * waits: until x is in memory, and as jg_field_store */
JG_API JG_CHECKED jg_status jg_field_assign(jg_field *field, jg_array *x);

/* The values as an array: NEVER is the field's memory itself, ALWAYS a snapshot. Blocked fields,
 * which strides do not describe, are copied, or refused.
 * gives: *out, +1 | raises: COPY; as jg_field_storage | waits: for a snapshot, until it is made */
JG_API JG_CHECKED jg_status jg_field_to_array(jg_field *field, jg_copy_policy copy, jg_array **out);

#ifndef JOGGLE_NO_DLPACK
/* The values as a tensor for others. gives: *out, whose deleter the receiver calls once
 * raises: as jg_field_to_array | waits: for a copy, until it is made */
JG_API JG_CHECKED jg_status jg_field_to_managed(jg_field *field, jg_copy_policy copy,
                                                struct DLManagedTensorVersioned **out);
JG_API JG_CHECKED jg_status jg_field_to_managed_legacy(jg_field *field, jg_copy_policy copy,
                                                       struct DLManagedTensor **out);
#endif

#ifdef __cplusplus
}
#endif
#endif
