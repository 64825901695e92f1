/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts and searches in both shapes of work, of lengths around those at which their kernels are cut
 * in another way. What the order of each dtype is, tests/python/devices compares with the CPU. */
#include "device_order.h"

static void sort_all(const device_facts *facts, jg_dtype dtype)
{
    static const int64_t lengths[] = {1, 16, 17, 65, 300, 5000, 20000};
    for (size_t i = 0; i < JG_COUNT_OF(lengths); ++i) {
        check_sort(facts, dtype, 1, lengths[i], false);
        check_sort(facts, dtype, 5, lengths[i], true);
    }
}

TEST(sorts_are_stable_in_either_shape)
{
    for (int shape = DEVICE_LANES; shape <= DEVICE_GROUP; ++shape) {
        device_facts facts = facts_of((device_shape)shape);
        facts.group_limit = 16;
        facts.compute_units = 3;
        sort_all(&facts, JG_DTYPE_INT32);
        sort_all(&facts, JG_DTYPE_INT64);
        sort_all(&facts, JG_DTYPE_COMPLEX128);
    }
}

TEST(searches_find_either_side)
{
    for (int shape = DEVICE_LANES; shape <= DEVICE_GROUP; ++shape) {
        device_facts facts = facts_of((device_shape)shape);
        for (int64_t count = 0; count < 70; count = 2 * count + 1) {
            check_search(&facts, count, 1, true);
            check_search(&facts, count, 100, false);
            check_search(&facts, count, 3000, true);
        }
    }
}

TEST(a_group_without_memory_to_share_cannot_sort)
{
    device_facts facts = facts_of(DEVICE_GROUP);
    const device_sort sort = {.dtype = JG_DTYPE_FLOAT32, .ndim = 1, .length = 5, .kept = 5};
    const device_work work = {.kind = DEVICE_WORK_SORT, .sort = &sort};
    device_refusal refusal;
    facts.local_nbytes = 1000;
    assert_false(source_printer.takes(&facts, &work, &refusal));
    assert_non_null(strstr(refusal.message, "sorting needs more memory of a group"));
    facts.shape = DEVICE_LANES;
    assert_true(source_printer.takes(&facts, &work, &refusal));
}

BEFORE_ALL(opencl_open)
