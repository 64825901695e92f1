/* SPDX-License-Identifier: Apache-2.0 */
/* Products of segments of the inner axis: columns of a that lie between two numbers, by the same
 * rows of b. The part of a segment outside of the axis is ignored. A unit is one segment, or some
 * columns of its product. */
#include "library/lapack.h"
#include <string.h>

typedef struct segmented {
    lapack_matrices a, b, ends, to; /* ends: a row of two for each segment */
} segmented;

static segmented segmented_of(const routine_call *call)
{
    return (segmented){matrices_of(call, 0), matrices_of(call, 1), library_vectors_of(call, 2),
                       matrices_of(call, 3)};
}

static int64_t width_of(const segmented *s, int threads)
{
    return library_batch_columns(s->to.count, s->to.columns, threads);
}

static int64_t units(const routine_call *call, int step)
{
    (void)step;
    const segmented s = segmented_of(call);
    int64_t width = width_of(&s, call->threads);
    return s.a.rows > 0 && width > 0 ? s.to.count * (ceil_div(s.to.columns, width)) : 0;
}

/* Estimated as if the segments divided the axis. */
static int64_t work(const routine_call *call)
{
    const segmented s = segmented_of(call);
    return library_batch_work(1,
                              (double)s.b.rows * (double)s.b.columns * (1 + (double)s.a.rows / 8)) +
           library_batch_work(s.to.count, (double)s.a.rows * (double)s.to.columns);
}

static int64_t end_of(const segmented *s, int64_t item, int which)
{
    int64_t end;
    const char *ends = library_matrix_at(&s->ends, item);
    memcpy(&end, ends + which * s->ends.row_stride * (int64_t)sizeof end, sizeof end);
    return int64_clamp(end, 0, s->b.rows);
}

static jg_status multiply(const segmented *s, int64_t item, int64_t column, int64_t columns)
{
    int64_t first = end_of(s, item, 0), last = end_of(s, item, 1);
    int64_t itemsize = (int64_t)s->a.itemsize;
    const matmul_call call = {
        .dtype = s->a.dtype,
        .m = s->a.rows,
        .n = columns,
        .k = last > first ? last - first : 0,
        .a = s->a.address + first * s->a.column_stride * itemsize,
        .b = s->b.address + (first * s->b.row_stride + column * s->b.column_stride) * itemsize,
        .c = s->to.address + (item * s->a.rows * s->to.columns + column) * itemsize,
        .a_row = s->a.row_stride,
        .a_column = s->a.column_stride,
        .b_row = s->b.row_stride,
        .b_column = s->b.column_stride,
        .c_row = s->to.columns,
    };
    return library_matmul(&call);
}

static jg_status run(const routine_call *call, int step, int64_t first, int64_t last)
{
    (void)step;
    const segmented s = segmented_of(call);
    int64_t width = width_of(&s, call->threads), strips = ceil_div(s.to.columns, width);
    for (; first < last; ++first) {
        int64_t column = first % strips * width, rest = s.to.columns - column;
        JG_TRY(multiply(&s, first / strips, column, int64_min(rest, width)));
    }
    return JG_OK;
}

const jg_routine library_routine_segmented_matmul = {
    .name = "segmented_matmul", .units = units, .run = run, .work = work};
