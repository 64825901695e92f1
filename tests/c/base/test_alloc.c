/* SPDX-License-Identifier: Apache-2.0 */
/* The allocation hooks: blocks are counted, and any one allocation can be made to fail. */
#include "../support.h"

static void live_blocks_count_up_and_down(void **state)
{
    (void)state;
    int64_t before = base_live_blocks();
    void *plain = base_alloc(10), *zeroed = base_alloc_zeroed(10),
         *aligned = base_alloc_aligned(256, 10);
    assert_int_equal(base_live_blocks(), before + 3);
    base_free(plain);
    base_free(zeroed);
    base_free(aligned);
    assert_int_equal(base_live_blocks(), before);
}

static void freeing_nothing_counts_nothing(void **state)
{
    (void)state;
    int64_t before = base_live_blocks();
    base_free(NULL);
    assert_int_equal(base_live_blocks(), before);
}

static void a_block_of_no_bytes_is_a_block(void **state)
{
    (void)state;
    void *blocks[] = {base_alloc(0), base_alloc_zeroed(0), base_alloc_aligned(64, 0)};
    for (size_t i = 0; i < JG_COUNT_OF(blocks); ++i) {
        assert_non_null(blocks[i]);
        base_free(blocks[i]);
    }
}

static void zeroed_and_aligned_blocks_are_so(void **state)
{
    (void)state;
    static const char zeros[100];
    void *zeroed = base_alloc_zeroed(sizeof zeros), *aligned = base_alloc_aligned(4096, 1);
    assert_memory_equal(zeroed, zeros, sizeof zeros);
    assert_int_equal((uintptr_t)aligned % 4096, 0);
    base_free(zeroed);
    base_free(aligned);
}

static void only_the_nth_allocation_fails(void **state)
{
    (void)state;
    for (int nth = 1; nth <= 6; ++nth) {
        void *blocks[6];
        base_fail_nth(nth);
        for (int i = 0; i < 6; ++i) {
            blocks[i] = i % 3 == 0   ? base_alloc(8)
                        : i % 3 == 1 ? base_alloc_zeroed(8)
                                     : base_alloc_aligned(64, 8);
            assert_int_equal(blocks[i] == NULL, i + 1 == nth);
        }
        for (int i = 0; i < 6; ++i)
            base_free(blocks[i]);
    }
}

static void zero_switches_failing_off(void **state)
{
    (void)state;
    base_fail_nth(1);
    base_fail_nth(0);
    void *block = base_alloc(8);
    assert_non_null(block);
    base_free(block);
}

static void a_failed_allocation_is_not_counted(void **state)
{
    (void)state;
    int64_t before = base_live_blocks();
    base_fail_nth(1);
    assert_null(base_alloc(8));
    assert_int_equal(base_live_blocks(), before);
}

static void what_was_wanted_is_in_the_message(void **state)
{
    (void)state;
    assert_fails_saying(JG_ERR_NOMEM, "123 bytes for a test", base_nomem(123, "a test"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_blocks_count_up_and_down),
        cmocka_unit_test(freeing_nothing_counts_nothing),
        cmocka_unit_test(a_block_of_no_bytes_is_a_block),
        cmocka_unit_test(zeroed_and_aligned_blocks_are_so),
        cmocka_unit_test(only_the_nth_allocation_fails),
        cmocka_unit_test(zero_switches_failing_off),
        cmocka_unit_test(a_failed_allocation_is_not_counted),
        cmocka_unit_test(what_was_wanted_is_in_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
