/* SPDX-License-Identifier: Apache-2.0 */
/* Temporaries that become one: they are never used at the same time, and none is too small. */
#include "../support.h"
#include "plan/memory/temps.h"

enum { LAUNCHES = 40, TEMPS = 60, USES = 200 };

static bool overlap(const temp_use *a, const temp_use *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static void check_into(int ntemps, const size_t *sizes, int nuses, const temp_use *uses,
                       const int *into)
{
    for (int i = 0; i < ntemps; ++i) {
        assert_int_equal(into[into[i]], into[i]);
        assert_true(sizes[into[i]] >= sizes[i]);
    }
    for (int i = 0; i < nuses; ++i)
        for (int j = 0; j < i; ++j)
            if (uses[i].temp != uses[j].temp && overlap(&uses[i], &uses[j]))
                assert_int_not_equal(into[uses[i].temp], into[uses[j].temp]);
}

TEST(a_small_temporary_becomes_the_smallest_that_is_idle)
{
    const size_t sizes[] = {4, 1000, 100, 8};
    const temp_use uses[] = {{0, 4, 5}, {1, 0, 3}, {2, 1, 2}, {2, 6, 7}, {3, 5, 6}};
    int into[4];
    assert_ok(plan_merge_temps(4, sizes, 8, 5, uses, into));
    assert_int_equal(into[0], 2);
    assert_int_equal(into[1], 1);
    assert_int_equal(into[2], 2);
    assert_int_equal(into[3], 1);
}

TEST(temporaries_that_became_one_become_another_together)
{
    const size_t sizes[] = {4, 8, 16};
    const temp_use uses[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
    int into[3];
    assert_ok(plan_merge_temps(3, sizes, 3, 3, uses, into));
    for (int i = 0; i < 3; ++i)
        assert_int_equal(into[i], 2);
}

TEST(many_temporaries_stay_as_they_are)
{
    size_t sizes[65];
    temp_use uses[65];
    int into[65];
    for (int i = 0; i < 65; ++i) {
        sizes[i] = 4;
        uses[i] = (temp_use){i, i, i};
    }
    assert_ok(plan_merge_temps(65, sizes, 65, 65, uses, into));
    for (int i = 0; i < 65; ++i)
        assert_int_equal(into[i], i);
    assert_ok(plan_merge_temps(64, sizes, 65, 64, uses, into));
    for (int i = 0; i < 64; ++i)
        assert_int_equal(into[i], into[0]);
    assert_ok(plan_merge_temps(0, NULL, 0, 0, NULL, into));
}

static uint32_t next(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (*seed >> 8) % below;
}

TEST(no_two_temporaries_that_meet_become_one)
{
    int became = 0;
    for (uint32_t round = 0; round < 200; ++round) {
        uint32_t seed = round;
        size_t sizes[TEMPS];
        temp_use uses[USES];
        int into[TEMPS], ntemps = 2 + (int)next(&seed, TEMPS - 1);
        for (int i = 0; i < ntemps; ++i)
            sizes[i] = 1 + next(&seed, 50);
        for (int i = 0; i < USES; ++i) {
            int first = (int)next(&seed, LAUNCHES - 3);
            uses[i] =
                (temp_use){(int)next(&seed, (uint32_t)ntemps), first, first + (int)next(&seed, 3)};
        }
        int nuses = 1 + (int)next(&seed, USES);
        assert_ok(plan_merge_temps(ntemps, sizes, LAUNCHES, (size_t)nuses, uses, into));
        check_into(ntemps, sizes, nuses, uses, into);
        for (int i = 0; i < ntemps; ++i)
            became += into[i] != i;
    }
    assert_true(became > 1000);
}
