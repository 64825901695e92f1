/* SPDX-License-Identifier: Apache-2.0 */
/* Running launches that may run at the same time: the units of all are counted on, and threads
 * share them as those of one launch. A step over a thousand parameters wakes threads once. */
#include "run/frame.h"
#include "run/trace.h"
#include <string.h>

/* A launch of the series, with the code that all its units run. */
typedef struct series_item {
    const program_executor *executor;
    const executor_code *code;
    const jg_scalar *scalars;
    int64_t end; /* its last unit, counted from the first one of the series, and one more */
} series_item;

struct run_series {
    const plan_launch *launches;
    int64_t work;
    int count;
    series_item items[];
};

/* About the scalar operations of all. */
static int64_t count_work(const plan_launch *first)
{
    int64_t work = 0;
    for (int i = 0; i < first->series; ++i)
        if (__builtin_add_overflow(work, first[i].work, &work))
            return INT64_MAX;
    return work;
}

static void choose_codes(run_series *series, const jg_scalar *scalars)
{
    int64_t end = 0;
    for (int i = 0; i < series->count; ++i) {
        series_item *item = &series->items[i];
        end += run_program_find_code(&series->launches[i], &item->executor, &item->code);
        item->end = end;
        item->scalars = scalars;
        scalars += series->launches[i].nscalars;
    }
}

bool run_series_begin(run_frame *frame, const plan_launch *first, const jg_scalar *scalars)
{
    if (first->series == 1 || pool_size() == 1 || frame->run->blocks != NULL)
        return false;
    int64_t work = count_work(first);
    if (work < PARALLEL_WORK)
        return false;
    size_t nitems = (size_t)first->series;
    run_series *series = base_alloc(sizeof *series + nitems * sizeof *series->items);
    if (series == NULL) /* they can run one after the other */
        return false;
    *series = (run_series){.launches = first, .work = work, .count = first->series};
    choose_codes(series, scalars);
    frame->series = series;
    frame->units = series->items[series->count - 1].end;
    frame->next = 0;
    return true;
}

/* The launch that the unit is of. */
static int find_item(const run_series *series, int64_t unit)
{
    int low = 0, high = series->count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (series->items[middle].end > unit)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Programs without reductions use no scratch memory and need no finishing step. */
static void run_item(const run_frame *frame, int index, int64_t first, int64_t last)
{
    const run_series *series = frame->series;
    const series_item *item = &series->items[index];
    const plan_launch *launch = &series->launches[index];
    void *operands[PROGRAM_MAX_BUFFERS];
    int64_t start = trace_start();
    for (int i = 0; i < launch->noperands; ++i)
        operands[i] = run_operand_address(&launch->operands[i], frame->run->addresses);
    item->executor->run(item->code, operands, item->scalars, NULL, first, last);
    if (JG_UNLIKELY(start != 0))
        run_trace_chunk(start, launch->facts, first, last);
}

static void run_chunk(void *context, int64_t first, int64_t last)
{
    const run_frame *frame = context;
    const run_series *series = frame->series;
    for (int i = find_item(series, first); first < last; ++i) {
        int64_t begin = i > 0 ? series->items[i - 1].end : 0, end = series->items[i].end;
        int64_t until = int64_min(end, last);
        if (first < until)
            run_item(frame, i, first - begin, until - begin);
        first = until;
    }
}

jg_status run_series_run(run_frame *frame)
{
    return run_launch_share(frame, 1, frame->series->work, run_chunk);
}

void run_series_free(run_series *series)
{
    base_free(series);
}
