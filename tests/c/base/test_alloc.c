/* SPDX-License-Identifier: Apache-2.0 */
/* The allocation hooks: blocks are counted, and any one allocation can be made to fail. */
#include "../support.h"

TEST(live_blocks_count_up_and_down)
{
    int64_t before = base_live_blocks();
    void *plain = base_alloc(10), *zeroed = base_alloc_zeroed(10),
         *aligned = base_alloc_aligned(256, 10);
    assert_int_equal(base_live_blocks(), before + 3);
    base_free(plain);
    base_free(zeroed);
    base_free(aligned);
    assert_int_equal(base_live_blocks(), before);
}

TEST(freeing_nothing_counts_nothing)
{
    int64_t before = base_live_blocks();
    base_free(NULL);
    assert_int_equal(base_live_blocks(), before);
}

TEST(a_block_of_no_bytes_is_a_block)
{
    void *blocks[] = {base_alloc(0), base_alloc_zeroed(0), base_alloc_aligned(64, 0)};
    for (size_t i = 0; i < JG_COUNT_OF(blocks); ++i) {
        assert_non_null(blocks[i]);
        base_free(blocks[i]);
    }
}

TEST(zeroed_and_aligned_blocks_are_so)
{
    static const char zeros[100];
    void *zeroed = base_alloc_zeroed(sizeof zeros), *aligned = base_alloc_aligned(4096, 1);
    assert_memory_equal(zeroed, zeros, sizeof zeros);
    assert_int_equal((uintptr_t)aligned % 4096, 0);
    base_free(zeroed);
    base_free(aligned);
}

TEST(only_the_nth_allocation_fails)
{
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

TEST(zero_switches_failing_off)
{
    base_fail_nth(1);
    base_fail_nth(0);
    void *block = base_alloc(8);
    assert_non_null(block);
    base_free(block);
}

TEST(a_failed_allocation_is_not_counted)
{
    int64_t before = base_live_blocks();
    base_fail_nth(1);
    assert_null(base_alloc(8));
    assert_int_equal(base_live_blocks(), before);
}

TEST(what_was_wanted_is_in_the_message)
{
    assert_fails_saying(JG_ERR_NOMEM, "123 bytes for a test", base_nomem(123, "a test"));
}
