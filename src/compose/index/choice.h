/* SPDX-License-Identifier: Apache-2.0 */
/* Private to compose: the elements that an index with arrays chooses, for reading and for writing.
 *
 * A choice has the shape of the elements that are read or written. Its target is a layout with
 * these axes, where those of the index arrays have extent 1, and after them one axis for each index
 * array, the axis that it indexes. The index arrays are views with the axes of the shape, with
 * extent 1 along axes that they do not depend on. So the routines know nothing of slices, new axes,
 * or where NumPy puts the axes of index arrays. */
#ifndef JG_COMPOSE_CHOICE_H
#define JG_COMPOSE_CHOICE_H

#include "compose/compose.h"

/* target: the positions of the elements; ndim and shape: of the elements that are read or written;
 * arrays: owned, narrays of them, in the order of the target's last axes. */
typedef struct compose_choice {
    jg_layout target;
    int ndim;
    int64_t shape[JG_MAX_NDIM];
    int narrays;
    jg_array *arrays[JG_MAX_NDIM];
    uint64_t axes; /* a bit for each axis indexed, as the caller counts */
} compose_choice;

/* Whether any item is an array. */
bool choice_is_needed(int nitems, const jg_index *items);

/* Each chooses from an array of layout `from`. */

/* Reads the items of an index as NumPy does; masks are evaluated.
 * gives: *out, for choice_clear | raises: INDEX, TYPE, VALUE, NOMEM | waits: for masks */
jg_status choice_of_items(const jg_layout *from, int nitems, const jg_index *items,
                          compose_choice *out);

/* Index arrays, the axes they are for, and the position of their own axes among the others. arrays
 * are borrowed by the functions that take this. */
typedef struct choice_arrays {
    int count, position;
    jg_array *arrays[JG_MAX_NDIM];
    int axes[JG_MAX_NDIM];
    uint64_t named; /* the axes as the caller counts them */
} choice_arrays;

/* The arrays are broadcast together; or the shape that they have then is given.
 * gives: *out, for choice_clear | raises: INDEX, TYPE, VALUE, NOMEM */
jg_status choice_of_axes(const jg_layout *from, const choice_arrays *given, compose_choice *out);
jg_status choice_of_shape(const jg_layout *from, const choice_arrays *given, int ndim,
                          const int64_t *shape, compose_choice *out);

/* Broadcasts index arrays to *ndim and shape, which they come with. raises: INDEX, TYPE */
jg_status choice_broadcast(int count, jg_array *const *arrays, int *ndim, int64_t *shape);

/* Numbers in an array of as many axes, which matches it along all but one.
 * gives: *out, for choice_clear | raises: INDEX, TYPE, VALUE, NOMEM */
jg_status choice_along(const jg_layout *from, jg_array *array, int axis, compose_choice *out);

/* Releases the arrays; once after each choice that was given. */
void choice_clear(compose_choice *choice);

/* The elements chosen from x, whose layout the choice was made from.
 * gives: *out, +1 | raises: TYPE, NOMEM */
jg_status choice_read(const compose_choice *choice, jg_array *x, jg_array **out);

/* Whether an index has one array, a mask, and which axes of the view it covers that the index gives
 * when the mask is replaced by whole slices. raises: INDEX, VALUE */
typedef struct mask_choice {
    bool found;
    jg_index basic[4 * JG_MAX_NDIM]; /* the index with slices for the mask */
    int nbasic, axis;
    jg_array *mask; /* borrowed */
    jg_layout window;
} mask_choice;
jg_status choice_by_mask(const jg_layout *from, int nitems, const jg_index *items,
                         mask_choice *out);

/* gather.c */

/* Index arrays and the axes they are for, in the order of the axes. raises: INDEX, VALUE */
jg_status compose_pair_axes(const jg_array *x, int count, jg_array *const *arrays, int naxes,
                            const int64_t *axes, choice_arrays *out);

/* x and the axis, counted from the front; without an axis, x as one. gives: *out, +1
 * raises: INDEX, NOMEM */
jg_status compose_along(jg_array *x, const int64_t *axis, int *at, jg_array **out);

/* nonzero.c */

/* The indices where a mask is true, as int64: an array for each axis of the mask, or one array of
 * row-major indices. gives: arrays, +1 each, as many as there are axes or one
 * raises: NOMEM | waits: for the mask */
jg_status compose_true_indices(jg_array *mask, bool flat, jg_array **arrays);

#endif
