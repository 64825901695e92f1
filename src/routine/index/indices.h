/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: walking the elements of an array that index arrays choose, for gather and
 * scatter.
 *
 * The index space has the shape of what is gathered, or of the updates that are scattered. Each of
 * its indices has an offset in the target, the array that is indexed: affine in the index, plus for
 * each index array its number there times the stride of the axis that it is for. It also has an
 * offset in the other array, which is affine. The last axes, along which no index array varies,
 * make the slice, which is moved as a whole; the axes before them make the rows. Offsets and steps
 * are in elements, and axes that all arrays walk as one are merged. */
#ifndef JG_ROUTINE_INDICES_H
#define JG_ROUTINE_INDICES_H

#include "routine/routine.h"

enum { INDICES_SEGMENT = 512 }; /* the most rows that are looked up at a time */

/* Axes walked together: their extents, and the steps in elements in the target and in the other
 * array. Neighbours that are walked as one in both are one. */
typedef struct indices_axes {
    int ndim;
    int64_t extents[JG_MAX_NDIM], target[JG_MAX_NDIM], other[JG_MAX_NDIM];
} indices_axes;

/* One index array; its numbers lie in an axis of the target. */
typedef struct indices_array {
    const char *address;
    jg_dtype dtype;
    int axis; /* as the caller of the op counts, for messages */
    int64_t extent, stride;
    int64_t steps[JG_MAX_NDIM]; /* along the rows' axes */
} indices_array;

/* The rows that are looked up, and the slice that is copied for each row. arrays are the index
 * arrays, narrays of them. */
typedef struct indices_space {
    indices_axes rows, slice;
    int64_t row_count, slice_count;
    int narrays;
    indices_array arrays[JG_MAX_NDIM];
    int64_t position[JG_MAX_NDIM]; /* of the walk over the rows */
} indices_space;

/* Rows of the walk that lie along one axis: where their slices begin. */
typedef struct indices_segment {
    int64_t count;
    int64_t target[INDICES_SEGMENT];
    int64_t other, other_step;
} indices_segment;

/* How many of the last axes of a shape are the slice's, and its rows. Without index arrays, the
 * slice is the last axis. */
int indices_slice_axes(int ndim, int narrays, const routine_operand *arrays);
int64_t indices_row_count(int ndim, const int64_t *shape, int narrays,
                          const routine_operand *arrays);

/* An index space without index arrays; their axes have target steps of 0. */
typedef struct indices_frame {
    int ndim, narrays;
    const int64_t *shape, *target, *other; /* steps of the two arrays */
    const routine_operand *arrays;         /* an extent of 1 is broadcast */
    void *const *addresses;                /* of the arrays */
    const int64_t *extents, *strides;      /* of the axes that they index */
    uint64_t axes;                         /* a bit for each of these, for messages */
} indices_frame;

/* Borrows the frame's operands and addresses. The walk begins where indices_seek puts it. */
void indices_init(indices_space *space, const indices_frame *frame);

/* Goes to a row. */
void indices_seek(indices_space *space, int64_t row);

/* Looks up the next rows, at most `most` of them, and moves after them. raises: INDEX, for a number
 * outside its axis, before any offset is written */
jg_status indices_next(indices_space *space, int64_t most, indices_segment *out);

/* Looks at all numbers of the frame's index arrays, broadcast against one another alone: for frames
 * without elements, none of which are walked. The frame's shape is not used. raises: INDEX */
jg_status indices_check(const indices_frame *frame);

/* Goes behind the next rows, at most `most` of them, that lie along one axis, without looking at
 * their numbers: for one index array. gives: how many there are; where their numbers begin; the
 * offset that the numbers count from */
int64_t indices_next_line(indices_space *space, int64_t most, const char **numbers, int64_t *base);

/* Numbers of an index array, and the offsets that they are added to: what lies there, or base where
 * the array begins it. */
typedef struct indices_decoding {
    const void *from;
    int64_t step, count, extent, stride, base;
    int64_t *offsets;
    bool begins;
} indices_decoding;

/* Adds each number times the stride; those from -extent on count from the end. False if any is out
 * of range; then the offsets are of no use. */
typedef bool indices_decoder(const indices_decoding *decoding);

/* The operation on the elements of one line: to[i * to_step] is combined with from[i *
 * from_step]. */
typedef void indices_line(void *to, int64_t to_step, const void *from, int64_t from_step,
                          int64_t count);

/* Does it for all lines of a slice. The steps are those of the slice's target and other, in the
 * order that fits. */
void indices_do_slice(const indices_axes *slice, size_t itemsize, indices_line *line, char *to,
                      const int64_t *to_steps, const char *from, const int64_t *from_steps);

#endif
