/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on sizes and counts. */
#include "../support.h"

TEST(quotients_are_rounded_up_without_an_overflow)
{
    for (int64_t size = 1; size <= 9; ++size)
        for (int64_t x = -30; x <= 30; ++x) {
            int64_t quotient = ceil_div(x, size);
            assert_true(quotient * size >= x && (quotient - 1) * size < x);
        }
    assert_true(ceil_div(INT64_MAX, 1) == INT64_MAX);
    assert_true(ceil_div(INT64_MAX, 2) == INT64_MAX / 2 + 1);
    assert_true(ceil_div(INT64_MAX, INT64_MAX) == 1);
    assert_true(size_ceil_div(0, 8) == 0 && size_ceil_div(17, 8) == 3);
}

TEST(multiples_are_the_least_that_are_not_below)
{
    for (int64_t step = 1; step <= 9; ++step)
        for (int64_t x = 0; x <= 30; ++x) {
            int64_t multiple = round_up(x, step);
            assert_true(multiple % step == 0 && multiple >= x && multiple - step < x);
            assert_true(size_round_up((size_t)x, (size_t)step) == (size_t)multiple);
        }
    assert_true(round_up(INT64_MAX - 7, 8) == INT64_MAX - 7);
}

TEST(blocks_take_whole_cache_lines)
{
    assert_true(size_whole_lines(0) == 0 && size_whole_lines(1) == COUNT_LINE_NBYTES);
    assert_true(size_whole_lines(64) == 64 && size_whole_lines(65) == 128);
}

TEST(extremes_keep_numbers_of_their_type)
{
    assert_int_equal(int_min(-3, 2), -3);
    assert_int_equal(int_max(-3, 2), 2);
    assert_true(uint_min(1, UINT32_MAX) == 1 && uint_max(1, UINT32_MAX) == UINT32_MAX);
    assert_true(int64_min(INT64_MIN, INT64_MAX) == INT64_MIN);
    assert_true(int64_max(INT64_MIN, INT64_MAX) == INT64_MAX);
    assert_true(size_min(1, SIZE_MAX) == 1 && size_max(1, SIZE_MAX) == SIZE_MAX);
}

TEST(clamped_numbers_lie_between_the_limits_or_at_the_low_one)
{
    assert_true(int64_clamp(-5, 0, 9) == 0 && int64_clamp(4, 0, 9) == 4);
    assert_true(int64_clamp(12, 0, 9) == 9);
    assert_true(int64_clamp(0, 1, 0) == 1 && int64_clamp(2, 1, 0) == 1);
    assert_int_equal(int_clamp(-5, -1, 1), -1);
}
