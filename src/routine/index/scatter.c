/* SPDX-License-Identifier: Apache-2.0 */
/* Scatter: a copy of x in which elements that index arrays choose have been updated.
 *
 * The operands are those of op/scatter.h and the result. Updates are taken in row-major order, so
 * that repeated offsets have a defined outcome; threads share an axis of the index space whose
 * offsets differ.
 *
 * The result may lie in x's own memory; then nothing is copied. */
#include "routine/loops.h"
#include <string.h>

enum {
    COPY_NBYTES = 256 << 10, /* of a unit */
    PART_NBYTES = 256,       /* of a slice that threads share */
    PART_UPDATES = 4096,     /* at least, but for the last part */
    UPDATE_WORK = 4          /* of one update, in scalar operations */
};

static int count_arrays(const routine_call *call)
{
    return call->noperands - SCATTER_ARRAYS - 1;
}

static const routine_operand *result_of(const routine_call *call)
{
    return &call->operands[call->noperands - 1];
}

static char *result_address(const routine_call *call)
{
    return call->addresses[call->noperands - 1];
}

static scatter_target target_of(const routine_call *call)
{
    return scatter_target_of(call->addresses[SCATTER_TARGET], call->operands[SCATTER_UPDATES].ndim,
                             count_arrays(call));
}

static int two_steps(const routine_call *call)
{
    (void)call;
    return 2;
}

static int64_t work(const routine_call *call)
{
    int64_t updates, sum;
    if (__builtin_mul_overflow(call->operands[SCATTER_UPDATES].size, UPDATE_WORK, &updates) ||
        __builtin_add_overflow(updates, result_of(call)->size, &sum))
        return INT64_MAX;
    return sum;
}

static int64_t copy_row_nbytes(const routine_operand *x)
{
    int64_t itemsize = (int64_t)dtype_itemsize(x->dtype);
    return x->ndim > 0 && !routine_is_dense(x) ? x->shape[x->ndim - 1] * itemsize : itemsize;
}

static int64_t copy_block_rows(const routine_operand *x)
{
    int64_t rows = COPY_NBYTES / copy_row_nbytes(x);
    return rows > 0 ? rows : 1;
}

/* Rows are elements if x is dense, else lines along its last axis. */
static int64_t count_copy_rows(const routine_operand *x)
{
    return x->size * (int64_t)dtype_itemsize(x->dtype) / copy_row_nbytes(x);
}

static int64_t count_copies(const routine_call *call)
{
    const routine_operand *x = &call->operands[SCATTER_X];
    return x->size > 0 ? (count_copy_rows(x) - 1) / copy_block_rows(x) + 1 : 0;
}

/* Copies x, of any strides, to rows of the result, which is dense: a scatter without index
 * arrays. */
static jg_status copy_lines(const routine_call *call, int64_t row, int64_t end)
{
    const routine_operand *x = &call->operands[SCATTER_X];
    const indices_frame frame = {.ndim = x->ndim,
                                 .shape = x->shape,
                                 .target = x->strides,
                                 .other = result_of(call)->strides};
    size_t itemsize = dtype_itemsize(x->dtype);
    indices_line *line = routine_loops_chosen()->combine(JG_SCATTER_SET, x->dtype).line;
    indices_space space;
    indices_segment rows;
    indices_init(&space, &frame);
    indices_seek(&space, row);
    for (; row < end; row += rows.count) {
        JG_TRY(indices_next(&space, end - row, &rows));
        for (int64_t i = 0; i < rows.count; ++i) {
            int64_t to = (rows.other + i * rows.other_step) * (int64_t)itemsize;
            int64_t from = rows.target[i] * (int64_t)itemsize;
            indices_do_slice(&space.slice, itemsize, line, result_address(call) + to,
                             space.slice.other, (const char *)call->addresses[SCATTER_X] + from,
                             space.slice.target);
        }
    }
    return JG_OK;
}

/* Dense rows are one copy. */
static jg_status copy_block(const routine_call *call, int64_t block)
{
    const routine_operand *x = &call->operands[SCATTER_X];
    int64_t rows = count_copy_rows(x), count = copy_block_rows(x), first = block * count;
    int64_t last = int64_min(first + count, rows), nbytes = copy_row_nbytes(x);
    if (!routine_is_dense(x))
        return copy_lines(call, first, last);
    memcpy(result_address(call) + first * nbytes,
           (const char *)call->addresses[SCATTER_X] + first * nbytes,
           (size_t)((last - first) * nbytes));
    return JG_OK;
}

/* The axis of the index space that threads share: the first whose offsets differ and that is long
 * enough; -1 if there is none. */
static int shared_axis(const routine_call *call)
{
    const routine_operand *updates = &call->operands[SCATTER_UPDATES];
    const int64_t *steps = target_of(call).steps;
    int64_t itemsize = (int64_t)dtype_itemsize(updates->dtype);
    for (int i = 0; i < updates->ndim; ++i)
        if (steps[i] != 0 && updates->shape[i] > 1 &&
            (i < updates->ndim - 1 || updates->shape[i] * itemsize >= PART_NBYTES))
            return i;
    return -1;
}

/* Each part looks up all index arrays, so there are at most as many parts as threads. Few updates
 * are one part, also of no updates, which looks at the numbers: the work of the launch may be that
 * of copying x. */
static int64_t count_parts(const routine_call *call)
{
    const routine_operand *updates = &call->operands[SCATTER_UPDATES];
    int64_t wanted = count_arrays(call) > 0 ? call->threads : 4 * (int64_t)call->threads;
    wanted = int64_min(wanted, updates->size / PART_UPDATES);
    int axis = wanted > 1 ? shared_axis(call) : -1;
    return axis < 0 ? 1 : int64_min(updates->shape[axis], wanted);
}

/* One part of the index space: its shape, and where its operands begin. */
typedef struct scatter_part {
    int64_t shape[JG_MAX_NDIM];
    char *to;
    const char *from;
    void *addresses[JG_MAX_NDIM];
} scatter_part;

/* An operand of extent 1 along the axis is broadcast, and begins where it did. */
static char *step_into(void *address, const routine_operand *operand, int axis, int64_t by)
{
    int64_t stride = operand->shape[axis] == 1 ? 0 : operand->strides[axis];
    return (char *)address + by * stride * (int64_t)dtype_itemsize(operand->dtype);
}

/* Different indices of the shared axis have different offsets, whatever the index arrays hold, so
 * no two parts write the same element. */
static void init_part(const routine_call *call, int64_t part, int64_t nparts, scatter_part *out)
{
    const routine_operand *updates = &call->operands[SCATTER_UPDATES];
    const scatter_target target = target_of(call);
    int axis = nparts > 1 ? shared_axis(call) : -1;
    int64_t offset = target.offset;
    memcpy(out->shape, updates->shape, (size_t)updates->ndim * sizeof *out->shape);
    out->from = call->addresses[SCATTER_UPDATES];
    for (int i = 0; i < count_arrays(call); ++i)
        out->addresses[i] = call->addresses[SCATTER_ARRAYS + i];
    if (axis >= 0) {
        int64_t first = updates->shape[axis] * part / nparts;
        out->shape[axis] = updates->shape[axis] * (part + 1) / nparts - first;
        offset += first * target.steps[axis];
        out->from = step_into(call->addresses[SCATTER_UPDATES], updates, axis, first);
        for (int i = 0; i < count_arrays(call); ++i)
            out->addresses[i] =
                step_into(out->addresses[i], &call->operands[SCATTER_ARRAYS + i], axis, first);
    }
    out->to = result_address(call) + offset * (int64_t)dtype_itemsize(updates->dtype);
}

static indices_frame frame_of(const routine_call *call, const scatter_part *part)
{
    const routine_operand *updates = &call->operands[SCATTER_UPDATES];
    const scatter_target target = target_of(call);
    return (indices_frame){.ndim = updates->ndim,
                           .narrays = count_arrays(call),
                           .shape = part->shape,
                           .target = target.steps,
                           .other = updates->strides,
                           .arrays = call->operands + SCATTER_ARRAYS,
                           .addresses = part->addresses,
                           .strides = target.strides,
                           .extents = target.extents,
                           .axes = call->attributes->scatter.axes};
}

static void take_in(const combine_loop *loop, size_t itemsize, const indices_space *space,
                    const indices_segment *rows, char *to, const char *from)
{
    int64_t size = (int64_t)itemsize;
    from += rows->other * size;
    if (space->slice_count == 1) {
        loop->points(to, rows->target, from, rows->other_step, rows->count);
        return;
    }
    for (int64_t i = 0; i < rows->count; ++i, from += rows->other_step * size)
        indices_do_slice(&space->slice, itemsize, loop->line, to + rows->target[i] * size,
                         space->slice.target, from, space->slice.other);
}

/* A number out of range fails the call; by then some updates may have been made. */
static jg_status scatter(const routine_call *call, int64_t index)
{
    jg_dtype dtype = call->operands[SCATTER_UPDATES].dtype;
    combine_loop loop = routine_loops_chosen()->combine(call->attributes->scatter.mode, dtype);
    scatter_part part;
    indices_space space;
    indices_segment rows;
    init_part(call, index, count_parts(call), &part);
    const indices_frame frame = frame_of(call, &part);
    if (call->operands[SCATTER_UPDATES].size == 0)
        return indices_check(&frame);
    indices_init(&space, &frame);
    indices_seek(&space, 0);
    for (int64_t row = 0; row < space.row_count; row += rows.count) {
        JG_TRY(indices_next(&space, space.row_count - row, &rows));
        take_in(&loop, dtype_itemsize(dtype), &space, &rows, part.to, part.from);
    }
    return JG_OK;
}

/* The first step has no units where the result lies in x's memory. */
static int64_t units(const routine_call *call, int step)
{
    if (step == 1)
        return count_parts(call);
    return call->addresses[SCATTER_X] == result_address(call) ? 0 : count_copies(call);
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    jg_status status = JG_OK;
    for (int64_t unit = first; unit < last && status == JG_OK; ++unit)
        status = step == 0 ? copy_block(call, unit) : scatter(call, unit);
    return status;
}

const jg_routine routine_scatter = {.name = "scatter",
                                    .steps = two_steps,
                                    .units = units,
                                    .run = run,
                                    .work = work,
                                    .in_place = true};
