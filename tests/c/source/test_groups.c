/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in which the items of a group work together, and those of every other form, under
 * Oclgrind. */
#include "../oclgrind.h"
#include "device_order.h"

static launch l;
static bool has_structs; /* in the kernels' text */

/* (x - max) / sum of that and the row's total, in several passes over float32 rows. */
static void build_rows(void)
{
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT32);
    int most = apply_to(&l, PROGRAM_REDUCE_MAXIMUM, x, 0, 0);
    int less = apply_to(&l, PROGRAM_SUBTRACT, x, most, 0);
    int sum = apply_to(&l, PROGRAM_REDUCE_ADD, less, 0, 0);
    store_of(&l, apply_to(&l, PROGRAM_ADD, less, sum, 0));
    store_of(&l, sum);
}

static void build_sum(jg_dtype dtype)
{
    program_init(&l.program);
    store_of(&l, apply_to(&l, PROGRAM_REDUCE_ADD, load_of(&l, dtype), 0, 0));
}

/* exp of each element, and its square, over the row's sum of those. */
static void build_powers(void)
{
    program_init(&l.program);
    int power = apply_to(&l, PROGRAM_EXP, load_of(&l, JG_DTYPE_FLOAT32), 0, 0);
    int sum = apply_to(&l, PROGRAM_REDUCE_ADD, power, 0, 0);
    int part = apply_to(&l, PROGRAM_DIVIDE, power, sum, 0);
    store_of(&l, part);
    store_of(&l, apply_to(&l, PROGRAM_MULTIPLY, part, power, 0));
}

static void build_elements(void)
{
    program_init(&l.program);
    int x = load_of(&l, JG_DTYPE_FLOAT32), y = scalar_of(&l, JG_DTYPE_FLOAT32);
    store_of(&l, apply_to(&l, PROGRAM_MULTIPLY, x, y, 0));
}

/* Rows of length elements; across: reduced over the axis that is not side by side. */
static void set_space(int64_t rows, int64_t length, bool across)
{
    int64_t extents[] = {rows, length}, strides[PROGRAM_MAX_BUFFERS * 2] = {0};
    for (int b = 0; b < l.program.nbuffers; ++b) {
        bool per_row = l.program.buffers[b].per_row;
        strides[2 * b] = per_row || across ? 1 : length;
        strides[2 * b + 1] = per_row ? 0 : across ? rows : 1;
    }
    launch_space(&l, 2, l.program.reduces ? 1 : 0, extents, strides);
}

static void check_within(double ulps, int64_t rows, int64_t length, bool across, device_shape shape)
{
    device_facts facts = facts_of(shape);
    facts.group_limit = 16;
    facts.compute_units = 4;
    facts.lane_width = 8;
    set_space(rows, length, across);
    launch_compare_device(&l, &facts, 5, true, ulps);
    free(l.space);
}

static void check(int64_t rows, int64_t length, bool across, device_shape shape)
{
    check_within(0, rows, length, across, shape);
}

TEST_IF(oclgrind_mode() != NULL, every_form_runs_clean)
{
    for (int shape = DEVICE_LANES; shape <= DEVICE_GROUP; ++shape) {
        build_rows();
        check(3, 50, false, (device_shape)shape);
        check(20, 6, false, (device_shape)shape);
        check(70, 9, true, (device_shape)shape);
        build_sum(JG_DTYPE_FLOAT64);
        check(2, 40, false, (device_shape)shape);
        build_sum(has_structs ? JG_DTYPE_COMPLEX64 : JG_DTYPE_INT64);
        check(2, 40, false, (device_shape)shape);
        build_elements();
        check(5, 16, false, (device_shape)shape);
        check(5, 7, false, (device_shape)shape);
    }
}

/* Of LANES, with a rest behind the elements that are added up eight at a time, and with values that
 * later passes find. */
TEST_IF(oclgrind_mode() != NULL, long_rows_run_clean)
{
    build_rows();
    check(2, 1100, false, DEVICE_LANES);
    build_powers();
    check_within(8, 3, 70, false, DEVICE_LANES);
}

/* Long enough to be shared by several groups. */
TEST_IF(oclgrind_mode() != NULL, shared_rows_run_clean)
{
    build_rows();
    check(1, 40000, false, DEVICE_GROUP);
    build_sum(JG_DTYPE_INT32);
    check(40, 1000, true, DEVICE_GROUP);
}

/* Of one item, of one group, and of several whose runs are merged. */
TEST_IF(oclgrind_mode() != NULL, sorts_and_searches_run_clean)
{
    for (int shape = DEVICE_LANES; shape <= DEVICE_GROUP; ++shape) {
        device_facts facts = facts_of((device_shape)shape);
        facts.group_limit = 8;
        facts.compute_units = 4;
        for (int64_t length = 9; length < 300; length *= 3)
            check_sort(&facts, JG_DTYPE_INT32, 2, length, false);
        if (has_structs)
            check_sort(&facts, JG_DTYPE_INT64, 1, 100, true);
        check_search(&facts, 37, 50, false);
    }
}

TEST_IF(oclgrind_mode() == NULL, no_race_and_no_access_outside_is_found)
{
    run_under_oclgrind("source/groups", "--data-races", "structs", 4);
}

/* Oclgrind follows neither what an optimiser makes of divisions then, nor structs without one. */
TEST_IF(oclgrind_mode() == NULL, no_value_that_nothing_has_set_is_found)
{
    run_under_oclgrind("source/groups", "--uninitialized --build-options -cl-opt-disable",
                       "numbers", 4);
}

static int begin(void **state)
{
    const char *mode = oclgrind_mode();
    has_structs = mode != NULL && strcmp(mode, "structs") == 0;
    return mode != NULL ? opencl_open(state) : 0;
}
BEFORE_ALL(begin)
