/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that only add to arrays: threads add to arrays of their own, one to the array itself, and
 * nothing is lost, also without memory. The code is written by hand and knows of no atomics. */
#include "compiler.h"
#include <joggle/joggle.h>

enum { COUNT = 1 << 20, SMALL = 1 << 8, LARGE = 1 << 20 };

typedef struct loop_frame {
    const kernel_arguments *arguments; /* first, as program/executor.h says */
    atomic_int *bodies;
} loop_frame;

static void add_alone(void *context, int64_t first, int64_t last)
{
    loop_frame *frame = context;
    int32_t *x = frame->arguments->addresses[0];
    for (int64_t i = first; i < last; ++i)
        x[i % frame->arguments->extents[0]] += 1;
}

static void count_body(void *context, int64_t first, int64_t last)
{
    loop_frame *frame = context;
    (void)first;
    (void)last;
    atomic_fetch_add(frame->bodies, 1);
}

static void add_up(void *into, const void *from, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
        ((int32_t *)into)[i] += ((const int32_t *)from)[i];
}

/* gives: whether it ran; *bodies, how often the loop's atomic body did */
static bool run(int32_t *x, int64_t extent, int64_t work, int *bodies)
{
    void *addresses[] = {x};
    kernel_arguments arguments = {.addresses = addresses, .extents = &extent};
    atomic_int counted = 0;
    loop_frame frame = {&arguments, &counted};
    kernel_program program = {.narrays = 1};
    kernel_sum sum = {.ndim = 1, .itemsize = sizeof(int32_t), .merge = add_up};
    kernel_loop loop = {.body = count_body,
                        .alone = add_alone,
                        .frame_nbytes = sizeof frame,
                        .nsums = 1,
                        .sums = &sum};
    field_host host;
    field_host_init(&host, &program);
    memset(x, 0, (size_t)extent * sizeof *x);
    bool ran = sums_run(&host.host, &loop, &program, COUNT, COUNT / 64, work, &frame);
    *bodies = atomic_load(&counted);
    return ran;
}

static void check(int64_t extent)
{
    static int32_t x[LARGE];
    int bodies;
    assert_true(run(x, extent, (int64_t)COUNT * 64, &bodies));
    assert_int_equal(bodies, 0);
    for (int64_t i = 0; i < extent; ++i)
        assert_int_equal(x[i], COUNT / extent);
}

TEST(threads_add_to_small_and_to_large_arrays)
{
    check(SMALL);
    check(LARGE);
}

/* One allocation fails at a time, so a chunk waits for another's array, at last for the only
 * one. */
TEST(without_memory_chunks_share_an_array)
{
    int64_t blocks = base_live_blocks();
    for (int nth = 1; nth <= 4; ++nth) {
        base_fail_nth(nth);
        check(SMALL);
        base_fail_nth(0);
        assert_int_equal(base_live_blocks(), blocks);
    }
}

TEST(little_work_is_not_worth_the_arrays)
{
    static int32_t x[LARGE];
    int bodies;
    assert_false(run(x, LARGE, COUNT, &bodies));
    assert_int_equal(x[0], 0);
}

/* 2^62 int32 are 2^64 bytes, which wrap to none. */
TEST(sizes_that_overflow_are_not_copied)
{
    const int64_t extents[] = {(int64_t)1 << 62, 0, 8};
    kernel_arguments arguments = {.extents = extents};
    loop_frame frame = {&arguments, NULL};
    kernel_program program = {.narrays = 1};
    for (uint32_t first = 0; first < 2; ++first) {
        const kernel_sum sum = {
            .ndim = 3, .itemsize = first == 0 ? 4 : 1 << 20, .merge = add_up, .first_axis = 0};
        const kernel_loop loop = {.body = count_body,
                                  .alone = add_alone,
                                  .frame_nbytes = sizeof frame,
                                  .nsums = 1,
                                  .sums = &sum};
        field_host host;
        field_host_init(&host, &program);
        assert_false(sums_run(&host.host, &loop, &program, COUNT, COUNT / 64, INT64_MAX, &frame));
    }
}

static int begin(void **state)
{
    (void)state;
    return jg_set_num_threads(4) == JG_OK ? 0 : -1;
}

BEFORE_ALL(begin)
