/* SPDX-License-Identifier: Apache-2.0 */
/* Gather: for each row of index numbers, a slice of the operand. A unit is a block of rows.
 *
 * The operand comes as a view: first the axes of the result, where those of the index arrays have
 * extent 1, then the axes that are indexed, one for each index array. */
#include "routine/loops.h"
#include <string.h>

enum {
    UNIT_NBYTES = 32 << 10, /* that a unit writes, about */
    LOOKUP_WORK = 4         /* of finding a row, in scalar operations */
};

static int count_arrays(const routine_call *call)
{
    return call->noperands - 2;
}

static const routine_operand *result_of(const routine_call *call)
{
    return &call->operands[call->noperands - 1];
}

static int64_t count_rows(const routine_call *call)
{
    const routine_operand *result = result_of(call);
    return result->size == 0 ? 0
                             : indices_row_count(result->ndim, result->shape, count_arrays(call),
                                                 call->operands + 1);
}

/* rows: count_rows. At least one. */
static int64_t rows_per_unit(const routine_call *call, int64_t rows)
{
    const routine_operand *result = result_of(call);
    int64_t slice_nbytes =
        rows > 0 ? result->size / rows * (int64_t)dtype_itemsize(result->dtype) : 0;
    return slice_nbytes > 0 && slice_nbytes < UNIT_NBYTES ? UNIT_NBYTES / slice_nbytes : 1;
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    int64_t rows = count_rows(call);
    if (rows == 0)
        return 1; /* which looks at the numbers */
    int64_t block = rows_per_unit(call, rows);
    return (rows - 1) / block + 1;
}

static int64_t work(const routine_call *call)
{
    int64_t lookups = count_rows(call), size = result_of(call)->size, sum;
    if (__builtin_mul_overflow(lookups, LOOKUP_WORK * count_arrays(call), &lookups) ||
        __builtin_add_overflow(lookups, size, &sum))
        return INT64_MAX;
    return sum;
}

/* Elements one by one, of a word of that many bits. */
#define MOVE(BITS, T)                                                                              \
    static void move_##BITS(const T *restrict from, const indices_segment *rows, T *restrict to)   \
    {                                                                                              \
        for (int64_t i = 0; i < rows->count; ++i)                                                  \
            to[i] = from[rows->target[i]];                                                         \
    }
MOVE(8, uint8_t)
MOVE(16, uint16_t)
MOVE(32, uint32_t)
MOVE(64, uint64_t)
MOVE(128, routine_word128)

static void move_elements(const void *from, size_t itemsize, const indices_segment *rows, void *to)
{
    switch (itemsize) {
    case 1: move_8(from, rows, to); break;
    case 2: move_16(from, rows, to); break;
    case 4: move_32(from, rows, to); break;
    case 8: move_64(from, rows, to); break;
    default: move_128(from, rows, to);
    }
}

/* Dense slices. The next ones are prefetched, as their offsets jump. */
static void move_blocks(const char *from, size_t itemsize, size_t nbytes,
                        const indices_segment *rows, char *to)
{
    enum { AHEAD = 8 };
    for (int64_t i = 0; i < rows->count; ++i, to += nbytes) {
        if (i + AHEAD < rows->count)
            __builtin_prefetch(from + rows->target[i + AHEAD] * (int64_t)itemsize);
        memcpy(to, from + rows->target[i] * (int64_t)itemsize, nbytes);
    }
}

static void move_slices(const char *from, jg_dtype dtype, const indices_space *space,
                        const indices_segment *rows, char *to)
{
    indices_line *line = routine_loops_chosen()->combine(JG_SCATTER_SET, dtype).line;
    int64_t size = (int64_t)dtype_itemsize(dtype), nbytes = space->slice_count * size;
    for (int64_t i = 0; i < rows->count; ++i)
        indices_do_slice(&space->slice, (size_t)size, line, to + i * nbytes, space->slice.other,
                         from + rows->target[i] * size, space->slice.target);
}

/* Three cases, from fast to slow: single elements, slices that are dense in x, any slices. */
static void move_rows(const routine_call *call, const indices_space *space,
                      const indices_segment *rows)
{
    size_t itemsize = dtype_itemsize(call->operands[0].dtype);
    const char *from = call->addresses[0];
    char *to = (char *)call->addresses[call->noperands - 1] + rows->other * (int64_t)itemsize;
    bool dense = space->slice.ndim == 1 && space->slice.target[0] == 1;
    if (space->slice_count == 1)
        move_elements(from, itemsize, rows, to);
    else if (dense)
        move_blocks(from, itemsize, (size_t)space->slice_count * itemsize, rows, to);
    else
        move_slices(from, call->operands[0].dtype, space, rows, to);
}

/* x's axes of extent 1 belong to the index arrays and are walked with a step of 0. steps: memory
 * for the axes of the result */
static indices_frame frame_of(const routine_call *call, int64_t *steps)
{
    const routine_operand *x = &call->operands[0], *result = result_of(call);
    for (int i = 0; i < result->ndim; ++i)
        steps[i] = x->shape[i] == 1 ? 0 : x->strides[i];
    return (indices_frame){.ndim = result->ndim,
                           .narrays = count_arrays(call),
                           .shape = result->shape,
                           .target = steps,
                           .other = result->strides,
                           .arrays = call->operands + 1,
                           .addresses = call->addresses + 1,
                           .extents = x->shape + result->ndim,
                           .strides = x->strides + result->ndim,
                           .axes = call->attributes->gather.axes};
}

/* How single elements are looked up in one pass: by one array whose numbers lie side by side along
 * the last axis of the rows. NULL where they are not. */
static routine_look_up *look_up_of(const routine_call *call, const indices_space *space)
{
    const indices_array *array = &space->arrays[0];
    int last = space->rows.ndim - 1;
    bool fits = space->narrays == 1 && space->slice_count == 1 && array->extent > 0 && last >= 0 &&
                array->steps[last] == 1 && space->rows.target[last] == 0;
    routine_look_up *const *by_size = routine_loops_chosen()->look_up[array->dtype];
    return fits ? by_size[__builtin_ctzll(dtype_itemsize(call->operands[0].dtype))] : NULL;
}

/* Goes on to row `end`, or stops where a number is out of range. gives: where it stopped */
static int64_t look_up_rows(const routine_call *call, routine_look_up *look_up,
                            indices_space *space, int64_t row, int64_t end)
{
    int64_t itemsize = (int64_t)dtype_itemsize(call->operands[0].dtype), base;
    char *to = (char *)call->addresses[call->noperands - 1] + row * itemsize;
    const char *numbers;
    while (row < end) {
        int64_t count = indices_next_line(space, end - row, &numbers, &base);
        const routine_lookup lookup = {.from = (const char *)call->addresses[0] + base * itemsize,
                                       .numbers = numbers,
                                       .to = to,
                                       .count = count,
                                       .extent = space->arrays[0].extent,
                                       .stride = space->arrays[0].stride};
        if (!look_up(&lookup))
            return row;
        row += count;
        to += count * itemsize;
    }
    return row;
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    int64_t rows = count_rows(call), block = rows_per_unit(call, rows);
    int64_t row = first * block, end = int64_min(last * block, rows);
    int64_t steps[JG_MAX_NDIM];
    const indices_frame frame = frame_of(call, steps);
    indices_space space;
    indices_segment segment;
    if (rows == 0)
        return indices_check(&frame);
    indices_init(&space, &frame);
    indices_seek(&space, row);
    routine_look_up *look_up = look_up_of(call, &space);
    /* The quick way stops at a number out of range; the general way continues there and fails with
     * a message. */
    if (look_up) {
        row = look_up_rows(call, look_up, &space, row, end);
        indices_seek(&space, row);
    }
    for (; row < end; row += segment.count) {
        JG_TRY(indices_next(&space, end - row, &segment));
        move_rows(call, &space, &segment);
    }
    return JG_OK;
}

const jg_routine routine_gather = {.name = "gather", .units = units, .run = run, .work = work};
