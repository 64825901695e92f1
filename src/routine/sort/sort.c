/* SPDX-License-Identifier: Apache-2.0 */
/* The order of elements along the last axis: sorted, or only so far that some ranks are in their
 * sorted positions. Short lines, and many long ones, are work for a thread each; a few long ones
 * are shared, one after the other. */
#include "routine/sort/sort.h"

enum { X, RESULT };
/* FEW_NBYTES: of keys that fit the stack. DENSE_ELEMENTS: of short lines that are taken
 * together. */
enum { FEW_NBYTES = 16 << 10, ALIGNMENT = 64, DENSE_ELEMENTS = 2048, MANY_LINES = 16 };

static int64_t extent_of(const routine_operand *operand)
{
    return operand->shape[operand->ndim - 1];
}

/* A line without its elements and its memory. */
static sort_line line_of(const routine_call *call)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    return (sort_line){.dtype = x->dtype,
                       .step = x->strides[x->ndim - 1],
                       .count = extent_of(x),
                       .first = call->attributes->sort.first,
                       .last = call->attributes->sort.last,
                       .kept = extent_of(result),
                       .descending = call->attributes->sort.descending};
}

static int64_t line_count(const routine_call *call)
{
    const routine_operand *result = &call->operands[RESULT];
    return result->size > 0 ? result->size / extent_of(result) : 0;
}

/* Whether lines are sorted by all threads (sort_shared.c), one after the other, and not by a thread
 * each. */
static bool is_long(const routine_call *call)
{
    return extent_of(&call->operands[X]) >= SORT_LONG && line_count(call) < MANY_LINES;
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    int64_t lines = line_count(call);
    return lines > 0 && is_long(call) ? 1 : lines;
}

/* About log2(count) / 2 for each element. */
static int64_t work(const routine_call *call)
{
    int64_t size = call->operands[X].size, steps = 1, count = extent_of(&call->operands[X]);
    for (; count > 4; count /= 4)
        steps += 1;
    return __builtin_mul_overflow(size, steps, &size) ? INT64_MAX : size;
}

static size_t line_nbytes(const routine_call *call)
{
    sort_line line = line_of(call);
    return sort_line_nbytes(&line, call->attributes->sort.indices);
}

static size_t scratch(const routine_call *call)
{
    return line_count(call) > 0 && is_long(call) ? line_nbytes(call) : 0;
}

/* Short lines are sorted several at a time, so that the work around a line is shared. */
static void run_dense(const routine_call *call, sort_line *line, int64_t first, int64_t last)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    int64_t together = line->count < DENSE_ELEMENTS ? DENSE_ELEMENTS / line->count : 1;
    for (int64_t i = first; i < last; i += together) {
        int64_t lines = int64_min(last - i, together);
        size_t start = (size_t)(i * line->count);
        char *to = (char *)call->addresses[RESULT] + start * dtype_itemsize(result->dtype);
        line->from = (const char *)call->addresses[X] + start * dtype_itemsize(x->dtype);
        if (call->attributes->sort.indices)
            sort_dense_indices(line, lines, (int64_t *)(void *)to);
        else
            sort_dense_values(line, lines, to);
    }
}

static void run_lines(const routine_call *call, int64_t first, int64_t last, void *memory)
{
    const routine_operand *x = &call->operands[X], *result = &call->operands[RESULT];
    size_t itemsize = dtype_itemsize(x->dtype);
    sort_line line = line_of(call);
    line.memory = memory;
    line.alone = !is_long(call);
    if (!is_long(call) && routine_is_dense(x) &&
        sort_takes_dense(&line, call->attributes->sort.indices)) {
        run_dense(call, &line, first, last);
        return;
    }
    for (int64_t i = first; i < last; ++i) {
        int64_t start = routine_line_start(x, x->ndim - 1, i);
        line.from = (const char *)call->addresses[X] + start * (int64_t)itemsize;
        char *to = (char *)call->addresses[RESULT] +
                   (size_t)(i * line.kept) * dtype_itemsize(result->dtype);
        if (call->attributes->sort.indices)
            sort_line_indices(&line, (int64_t *)(void *)to);
        else
            sort_line_values(&line, to);
    }
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    _Alignas(ALIGNMENT) char few[FEW_NBYTES];
    if (is_long(call)) {
        run_lines(call, 0, line_count(call), call->scratch);
        return JG_OK;
    }
    size_t nbytes = line_nbytes(call);
    /* For all lines of the range; each is done with it before the next. */
    void *memory = nbytes <= sizeof few ? few : base_alloc_aligned(ALIGNMENT, nbytes);
    if (memory == NULL)
        return base_nomem(nbytes, "the keys of a line");
    run_lines(call, first, last, memory);
    if (memory != few)
        base_free(memory);
    return JG_OK;
}

const jg_routine routine_sort = {
    .name = "sort", .units = units, .run = run, .work = work, .scratch = scratch};
