/* SPDX-License-Identifier: Apache-2.0 */
/* Looking up index arrays. A segment is decoded array by array: each adds its numbers times the
 * stride of its axis to the offsets, after all of them were found to lie in the axis. */
#include "routine/loops.h"

static bool is_outside(const jg_scalar *number, bool is_unsigned, int64_t extent)
{
    if (is_unsigned)
        return number->u64 >= (uint64_t)extent;
    return number->i64 < -extent || number->i64 >= extent;
}

/* Names the first number that is out of range. The numbers are read once more: memory of others may
 * have changed since, and then none is out of range. */
static jg_status fail_index(const indices_array *array, const indices_decoding *d)
{
    int64_t itemsize = (int64_t)dtype_itemsize(array->dtype);
    for (int64_t i = 0; i < d->count; ++i) {
        jg_scalar number;
        const char *from = (const char *)d->from + i * d->step * itemsize;
        bool is_unsigned = scalar_load(from, array->dtype, &number) == JG_KIND_UINT;
        if (is_outside(&number, is_unsigned, array->extent))
            return program_fail_index(number.i64, is_unsigned, array->axis, array->extent);
    }
    return base_fail(JG_ERR_INDEX,
                     "index: an index array changed while it was read, allowed is none "
                     "that is written meanwhile");
}

static bool array_varies(const routine_operand *array, int axis)
{
    return array->shape[axis] != 1;
}

int indices_slice_axes(int ndim, int narrays, const routine_operand *arrays)
{
    int count = 0;
    for (int axis = ndim - 1; axis >= 0; --axis, ++count)
        for (int i = 0; i < narrays; ++i)
            if (array_varies(&arrays[i], axis))
                return count;
    return narrays > 0 ? count : ndim > 0;
}

int64_t indices_row_count(int ndim, const int64_t *shape, int narrays,
                          const routine_operand *arrays)
{
    int64_t count = 1;
    int nrows = ndim - indices_slice_axes(ndim, narrays, arrays);
    for (int axis = 0; axis < nrows; ++axis)
        count *= shape[axis];
    return count;
}

/* Whether the next axis can be merged into the last one: if every array walks both as one. */
static bool axis_merges(const indices_axes *axes, int64_t extent, int64_t target, int64_t other)
{
    int last = axes->ndim - 1;
    return last >= 0 && axes->target[last] == target * extent &&
           axes->other[last] == other * extent;
}

/* merges: into the last axis, of which the new one is the inner part. */
static void axes_add(indices_axes *axes, bool merges, int64_t extent, int64_t target, int64_t other)
{
    int at = merges ? axes->ndim - 1 : axes->ndim++;
    axes->extents[at] = merges ? axes->extents[at] * extent : extent;
    axes->target[at] = target;
    axes->other[at] = other;
}

static int64_t step_of(const routine_operand *array, int axis)
{
    return array_varies(array, axis) ? array->strides[axis] : 0;
}

/* An axis of the rows merges only if every index array walks both as one as well. */
static void add_row_axis(indices_space *space, const indices_frame *frame, int axis)
{
    indices_axes *rows = &space->rows;
    int64_t extent = frame->shape[axis];
    bool merges = axis_merges(rows, extent, frame->target[axis], frame->other[axis]);
    for (int i = 0; merges && i < frame->narrays; ++i)
        merges =
            space->arrays[i].steps[rows->ndim - 1] == step_of(&frame->arrays[i], axis) * extent;
    axes_add(rows, merges, extent, frame->target[axis], frame->other[axis]);
    for (int i = 0; i < frame->narrays; ++i)
        space->arrays[i].steps[rows->ndim - 1] = step_of(&frame->arrays[i], axis);
}

/* The bits of frame->axes are in the order of the arrays; messages name them. */
static void init_arrays(indices_space *space, const indices_frame *frame)
{
    uint64_t axes = frame->axes;
    space->narrays = frame->narrays;
    for (int i = 0; i < frame->narrays; ++i, axes &= axes - 1) {
        indices_array *array = &space->arrays[i];
        array->address = frame->addresses[i];
        array->dtype = frame->arrays[i].dtype;
        array->axis = axes ? __builtin_ctzll(axes) : 0;
        array->extent = frame->extents[i];
        array->stride = frame->strides[i];
    }
}

/* The axes of index arrays, and those before them, are rows, whose offset must be looked up; those
 * behind them make a slice that is copied as it lies. Axes of extent 1 need no step. */
void indices_init(indices_space *space, const indices_frame *frame)
{
    int nrows = frame->ndim - indices_slice_axes(frame->ndim, frame->narrays, frame->arrays);
    space->rows.ndim = space->slice.ndim = 0;
    space->row_count = space->slice_count = 1;
    init_arrays(space, frame);
    for (int axis = 0; axis < frame->ndim; ++axis) {
        int64_t extent = frame->shape[axis], target = frame->target[axis];
        *(axis < nrows ? &space->row_count : &space->slice_count) *= extent;
        if (extent == 1)
            continue;
        if (axis < nrows)
            add_row_axis(space, frame, axis);
        else
            axes_add(&space->slice, axis_merges(&space->slice, extent, target, frame->other[axis]),
                     extent, target, frame->other[axis]);
    }
}

/* If there are no rows, the position is 0 along each axis, and no extent of 0 divides. */
void indices_seek(indices_space *space, int64_t row)
{
    for (int i = space->rows.ndim - 1; i >= 0; --i) {
        int64_t extent = space->rows.extents[i];
        space->position[i] = extent == 0 ? 0 : row % extent;
        row = extent == 0 ? 0 : row / extent;
    }
}

static int64_t offset_of(int ndim, const int64_t *position, const int64_t *steps)
{
    int64_t offset = 0;
    for (int i = 0; i < ndim; ++i)
        offset += position[i] * steps[i];
    return offset;
}

/* Goes on by count rows, which do not pass the end of the last axis. */
static void advance(indices_space *space, int64_t count)
{
    /* A carry moves the axis before by one. */
    for (int i = space->rows.ndim - 1; i >= 0; --i, count = 1) {
        space->position[i] += count;
        if (space->position[i] < space->rows.extents[i])
            return;
        space->position[i] = 0;
    }
}

static jg_status decode_array(const indices_space *space, const indices_array *array, bool begins,
                              int64_t base, indices_segment *out)
{
    int ndim = space->rows.ndim;
    int64_t offset = offset_of(ndim, space->position, array->steps);
    const indices_decoding d = {.from =
                                    array->address + offset * (int64_t)dtype_itemsize(array->dtype),
                                .step = ndim > 0 ? array->steps[ndim - 1] : 0,
                                .count = out->count,
                                .extent = array->extent,
                                .stride = array->stride,
                                .base = base,
                                .offsets = out->target,
                                .begins = begins};
    return JG_LIKELY(routine_loops_chosen()->decoders[array->dtype](&d)) ? JG_OK
                                                                         : fail_index(array, &d);
}

jg_status indices_next(indices_space *space, int64_t most, indices_segment *out)
{
    const indices_axes *rows = &space->rows;
    int last = rows->ndim - 1;
    int64_t left = last >= 0 ? rows->extents[last] - space->position[last] : 1;
    int64_t step = last >= 0 ? rows->target[last] : 0;
    int64_t offset = offset_of(rows->ndim, space->position, rows->target);
    most = int64_min(most, INDICES_SEGMENT);
    out->count = int64_min(left, most);
    out->other = offset_of(rows->ndim, space->position, rows->other);
    out->other_step = last >= 0 ? rows->other[last] : 0;
    bool still = space->narrays > 0 && step == 0; /* the first array's offsets are complete */
    for (int64_t i = 0; i < out->count && !still; ++i)
        out->target[i] = offset + i * step;
    for (int i = 0; i < space->narrays; ++i)
        JG_TRY(decode_array(space, &space->arrays[i], still && i == 0, offset, out));
    advance(space, out->count);
    return JG_OK;
}

/* Leaves out the axes that no index array varies along, as one of them may have no elements. If the
 * arrays themselves have none, nothing is out of range, as in NumPy. */
jg_status indices_check(const indices_frame *frame)
{
    int64_t shape[JG_MAX_NDIM];
    indices_frame alone = *frame;
    indices_space space;
    indices_segment rows;
    alone.shape = shape;
    for (int axis = 0; axis < frame->ndim; ++axis) {
        shape[axis] = 1;
        for (int i = 0; i < frame->narrays; ++i)
            if (array_varies(&frame->arrays[i], axis))
                shape[axis] = frame->arrays[i].shape[axis];
    }
    indices_init(&space, &alone);
    indices_seek(&space, 0);
    for (int64_t row = 0; row < space.row_count; row += rows.count)
        JG_TRY(indices_next(&space, space.row_count - row, &rows));
    return JG_OK;
}

/* For one index array: gives its numbers undecoded, up to the end of the last row axis, and steps
 * over them. */
int64_t indices_next_line(indices_space *space, int64_t most, const char **numbers, int64_t *base)
{
    const indices_axes *rows = &space->rows;
    const indices_array *array = &space->arrays[0];
    int last = rows->ndim - 1;
    int64_t left = last >= 0 ? rows->extents[last] - space->position[last] : 1;
    int64_t offset = offset_of(rows->ndim, space->position, array->steps);
    *numbers = array->address + offset * (int64_t)dtype_itemsize(array->dtype);
    *base = offset_of(rows->ndim, space->position, rows->target);
    left = int64_min(left, most);
    advance(space, left);
    return left;
}

/* Counts through the outer axes like an odometer: the axis that overflows goes back to its start
 * and carries. */
void indices_do_slice(const indices_axes *slice, size_t itemsize, indices_line *line, char *to,
                      const int64_t *to_steps, const char *from, const int64_t *from_steps)
{
    int64_t position[JG_MAX_NDIM] = {0}, size = (int64_t)itemsize;
    int last = slice->ndim - 1, axis;
    if (last < 0) {
        line(to, 0, from, 0, 1);
        return;
    }
    do {
        line(to, to_steps[last], from, from_steps[last], slice->extents[last]);
        for (axis = last - 1; axis >= 0; --axis) {
            to += to_steps[axis] * size;
            from += from_steps[axis] * size;
            if (++position[axis] < slice->extents[axis])
                break;
            to -= to_steps[axis] * size * slice->extents[axis];
            from -= from_steps[axis] * size * slice->extents[axis];
            position[axis] = 0;
        }
    } while (axis >= 0);
}
