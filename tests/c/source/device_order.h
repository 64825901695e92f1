/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting and searching on a device, as works by themselves, against loops of the host. */
#ifndef SOURCE_DEVICE_ORDER_H
#define SOURCE_DEVICE_ORDER_H

#include "device_launch.h"

/* Runs a work whose last buffer is written, and reads that. */
static inline void run_work(const device_facts *facts, const device_work *work, int nbuffers,
                            void *const *host, const size_t *nbytes)
{
    int64_t offsets[DEVICE_SEARCH_BUFFERS] = {0};
    void *buffers[DEVICE_SEARCH_BUFFERS];
    device_refusal refusal;
    device_unit *unit;
    device_launch *started;
    assert_true(source_printer.takes(facts, work, &refusal));
    assert_ok(source_printer.print(facts, 1, work, &unit));
    assert_true(source_printer.fits(unit, 0, work));
    void *program = opencl_build(unit);
    opencl_code code = opencl_code_of(program, &unit->entries[0]);
    assert_ok(source_printer.arrange(unit, 0, work, true, &started));
    void *scratch = device_scratch(started->scratch_nbytes);
    for (int b = 0; b < nbuffers; ++b) {
        buffers[b] = opencl_buffer(nbytes[b]);
        opencl_write(buffers[b], 0, host[b], nbytes[b]);
    }
    device_launch_bind(started, code.entry, offsets, NULL);
    opencl_start(&code, started, buffers, scratch);
    opencl_read(buffers[nbuffers - 1], 0, host[nbuffers - 1], nbytes[nbuffers - 1]);
    opencl_must(opencl.driver.finish(opencl.queue), "clFinish");
    for (int b = 0; b < nbuffers; ++b)
        opencl.driver.release_buffer(buffers[b]);
    opencl.driver.release_buffer(scratch);
    base_free(started);
    opencl_discard(&code);
    opencl.driver.release_program(program);
    source_printer.release(unit);
}

/* Whole numbers of a dtype, few enough to be equal often: complex ones have no other part. */
static inline int64_t number_at(const void *x, jg_dtype dtype, int64_t i)
{
    switch (dtype) {
    case JG_DTYPE_INT32: return ((const int32_t *)x)[i];
    case JG_DTYPE_INT64: return ((const int64_t *)x)[i];
    default: return (int64_t)((const double *)x)[2 * i];
    }
}

static inline void *make_numbers(jg_dtype dtype, int64_t count, int64_t kinds, uint64_t from)
{
    void *x = calloc((size_t)count + 1, dtype_itemsize(dtype));
    for (int64_t i = 0; i < count; ++i) {
        int64_t number = random_between(&from, -kinds, kinds);
        if (dtype == JG_DTYPE_INT32)
            ((int32_t *)x)[i] = (int32_t)number;
        else if (dtype == JG_DTYPE_INT64)
            ((int64_t *)x)[i] = number;
        else
            ((double *)x)[2 * i] = (double)number;
    }
    return x;
}

/* Whether a line's indices are those of a stable sort: no two are wrong, so all are right. */
static inline void check_order(const void *x, jg_dtype dtype, int64_t start, const int64_t *order,
                               const device_sort *sort)
{
    for (int64_t i = 0; i < sort->kept; ++i) {
        assert_in_range(order[i], 0, sort->length - 1);
        if (i == 0)
            continue;
        int64_t before = number_at(x, dtype, start + order[i - 1]);
        int64_t own = number_at(x, dtype, start + order[i]);
        assert_true(sort->descending ? before >= own : before <= own);
        if (before == own)
            assert_true(order[i - 1] < order[i]);
    }
}

/* Lines of one array, the longer ones in fewer kinds of numbers than they have elements. */
static inline void check_sort(const device_facts *facts, jg_dtype dtype, int64_t lines,
                              int64_t length, bool descending)
{
    int64_t itemsize = (int64_t)dtype_itemsize(dtype), count = lines * length;
    device_sort sort = {.dtype = (uint8_t)dtype,
                        .ndim = 1,
                        .indices = true,
                        .is_narrow = true,
                        .descending = descending,
                        .length = length,
                        .kept = length,
                        .step = itemsize,
                        .extents = {lines},
                        .steps = {length * itemsize}};
    const device_work work = {.kind = DEVICE_WORK_SORT, .sort = &sort};
    int64_t *order = calloc((size_t)count, sizeof *order);
    void *host[] = {make_numbers(dtype, count, 20, (uint64_t)length), order};
    const size_t nbytes[] = {(size_t)(count * itemsize), (size_t)count * sizeof *order};
    run_work(facts, &work, DEVICE_SORT_BUFFERS, host, nbytes);
    for (int64_t line = 0; line < lines; ++line)
        check_order(host[0], dtype, line * length, order + line * length, &sort);
    free(host[0]);
    free(host[1]);
}

/* Among even numbers: 0, 2, 4, and so on. */
static inline void check_search(const device_facts *facts, int64_t count, int64_t wanted,
                                bool right)
{
    int32_t *sorted = calloc((size_t)count + 1, sizeof *sorted);
    int64_t *places = calloc((size_t)wanted, sizeof *places);
    int32_t *x = make_numbers(JG_DTYPE_INT32, wanted, 2 * count + 3, 7);
    device_search search = {.dtype = JG_DTYPE_INT32,
                            .ndim = 1,
                            .right = right,
                            .is_narrow = true,
                            .count = count,
                            .step = sizeof *sorted,
                            .extents = {wanted},
                            .steps = {sizeof *x}};
    const device_work work = {.kind = DEVICE_WORK_SEARCH, .search = &search};
    void *host[] = {sorted, x, places};
    const size_t nbytes[] = {(size_t)count * sizeof *sorted, (size_t)wanted * sizeof *x,
                             (size_t)wanted * sizeof *places};
    for (int64_t i = 0; i < count; ++i)
        sorted[i] = (int32_t)(2 * i);
    run_work(facts, &work, DEVICE_SEARCH_BUFFERS, host, nbytes);
    for (int64_t i = 0; i < wanted; ++i) {
        int64_t place = x[i] < 0 ? 0 : (x[i] + (right ? 2 : 1)) / 2;
        assert_int_equal(places[i], place < count ? place : count);
    }
    free(sorted);
    free(places);
    free(x);
}

#endif
