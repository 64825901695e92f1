/* SPDX-License-Identifier: Apache-2.0 */
/* The loops that sort keys, of every instruction set that this CPU has: runs of all short lengths
 * and some long ones, random, of few values, of the ends of the range, in order and in reverse. */
#include "../support.h"
#include "routine/loops.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000, PATTERNS = 6 };

extern const routine_loops routine_loops_baseline;
#ifdef __x86_64__
extern const routine_loops routine_loops_avx2, routine_loops_avx512;
#endif

static int tables(const routine_loops **out)
{
    int count = 0;
    out[count++] = &routine_loops_baseline;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2"))
        out[count++] = &routine_loops_avx2;
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        out[count++] = &routine_loops_avx512;
#endif
    return count;
}

static int64_t number(int pattern, int64_t i, int64_t least, int64_t greatest)
{
    int64_t any = (int64_t)((uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand());
    switch (pattern) {
    case 0: return any;
    case 1: return any & 3;
    case 2: return any & 1 ? greatest : least;
    case 3: return i;
    case 4: return -i;
    default: return greatest;
    }
}

/* Keys of one width, in the one buffer and sorted in the other. */
static int64_t keys[MOST], room[MOST], sorted[MOST];

static int64_t key_at(const void *from, size_t nbytes, int64_t i)
{
    return nbytes == 4 ? ((const int32_t *)from)[i] : ((const int64_t *)from)[i];
}

static void put_key(void *to, size_t nbytes, int64_t i, int64_t key)
{
    if (nbytes == 4)
        ((int32_t *)to)[i] = (int32_t)key;
    else
        ((int64_t *)to)[i] = key;
}

static int compare_narrow(const void *x, const void *y)
{
    int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

static int compare_wide(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static void sort_both(void *run, size_t nbytes, int64_t count)
{
    qsort(run, (size_t)count, nbytes, nbytes == 4 ? compare_narrow : compare_wide);
}

static void fill(void *run, size_t nbytes, int64_t count, int pattern)
{
    bool narrow = nbytes == 4;
    for (int64_t i = 0; i < count; ++i)
        put_key(run, nbytes, i,
                number(pattern, i, narrow ? INT32_MIN : INT64_MIN, narrow ? INT32_MAX : INT64_MAX));
    memcpy(sorted, run, (size_t)count * nbytes);
    sort_both(sorted, nbytes, count);
}

typedef void check_loops(const sort_loops *loops, int64_t count, int pattern);

static void for_all(check_loops *check)
{
    const routine_loops *found[3];
    int count = tables(found);
    for (int i = 0; i < count; ++i)
        for (int wide = 0; wide < 2; ++wide)
            for (int64_t n = 0; n < MOST; n += n < 300 ? 1 : 389)
                check(&found[i]->sorts[wide], n, (int)(n % PATTERNS));
}

static void check_sort(const sort_loops *loops, int64_t count, int pattern)
{
    for (int in_room = 0; in_room < 2; ++in_room) {
        fill(in_room ? room : keys, loops->nbytes, count, pattern);
        loops->sort(keys, room, count, in_room);
        assert_memory_equal(keys, sorted, (size_t)count * loops->nbytes);
    }
}

static void check_select(const sort_loops *loops, int64_t count, int pattern)
{
    size_t nbytes = loops->nbytes;
    int64_t first = count / 3, last = first + count / 9 + 1;
    if (count == 0)
        return;
    last = last < count ? last : count;
    fill(keys, nbytes, count, pattern);
    loops->select(keys, room, count, first, last);
    for (int64_t i = first; i < last; ++i)
        assert_int_equal(key_at(keys, nbytes, i), key_at(sorted, nbytes, i));
    sort_both(keys, nbytes, first);
    sort_both((char *)keys + (size_t)last * nbytes, nbytes, count - last);
    assert_memory_equal(keys, sorted, (size_t)count * nbytes);
}

static void check_split(const sort_loops *loops, int64_t count, int pattern, int parts)
{
    enum { MAX_PARTS = 16 };
    int64_t bounds[MAX_PARTS] = {0}, counts[MAX_PARTS], at = 0;
    size_t nbytes = loops->nbytes;
    void *result = parts == 2 || parts == 8 ? room : keys;
    fill(keys, nbytes, count, pattern);
    for (int i = 0; i < parts - 1 && count > 0; ++i)
        put_key(bounds, nbytes, i, key_at(sorted, nbytes, count * (i + 1) / (parts + 1)));
    loops->split_parts(keys, room, count, bounds, parts, counts);
    for (int i = 0; i < parts; ++i)
        for (int64_t end = at + counts[i]; at < end; ++at) {
            assert_true(i == 0 || key_at(result, nbytes, at) > key_at(bounds, nbytes, i - 1));
            assert_true(i == parts - 1 || key_at(result, nbytes, at) <= key_at(bounds, nbytes, i));
        }
    assert_int_equal(at, count);
    sort_both(result, nbytes, count);
    assert_memory_equal(result, sorted, (size_t)count * nbytes);
}

static void check_parts(const sort_loops *loops, int64_t count, int pattern)
{
    for (int parts = 2; parts <= 16; parts *= 2)
        check_split(loops, count, pattern, parts);
}

TEST(runs_of_any_length_are_sorted)
{
    for_all(check_sort);
}

TEST(ranks_that_are_selected_are_in_their_places)
{
    for_all(check_select);
}

TEST(keys_are_moved_between_their_bounds)
{
    for_all(check_parts);
}
