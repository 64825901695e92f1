/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of middle size lie beside each other on huge pages, and their memory goes back. */
#include "../support.h"
#include "device/cpu/regions.h"
#include "device/device.h"
#include <stdio.h>
#include <unistd.h>

enum { BLOCKS = 60, ROUNDS = 500, PAGE = 4096, MIB = 1 << 20 };

/* An array's memory, with marks in its first and last eight bytes. */
typedef struct block {
    char *memory;
    size_t nbytes;
    uint64_t mark;
} block;

static void take(block *b, size_t nbytes, uint64_t mark)
{
    void *memory;
    assert_ok(device_alloc(device_cpu(), nbytes, &memory));
    *b = (block){memory, nbytes, mark};
    memcpy(b->memory, &mark, sizeof mark);
    memcpy(b->memory + nbytes - sizeof mark, &mark, sizeof mark);
}

static bool is_sound(const block *b)
{
    return memcmp(b->memory, &b->mark, sizeof b->mark) == 0 &&
           memcmp(b->memory + b->nbytes - sizeof b->mark, &b->mark, sizeof b->mark) == 0;
}

static void give(block *b)
{
    device_free(device_cpu(), b->memory, b->nbytes);
    b->memory = NULL;
}

static size_t resident_bytes(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* Sizes on both sides of those that regions hold. */
TEST(blocks_of_random_sizes_never_overlap)
{
    block blocks[BLOCKS] = {{NULL, 0, 0}};
    uint64_t seed = 1;
    int64_t before = base_live_blocks();
    for (int round = 0; round < ROUNDS; ++round) {
        block *b = &blocks[random_between(&seed, 0, BLOCKS - 1)];
        if (b->memory != NULL) {
            assert_true(is_sound(b));
            give(b);
            continue;
        }
        size_t most = (size_t)1 << random_between(&seed, 10, 24);
        take(b, most - (size_t)random_between(&seed, 0, (int64_t)most / 2 - 1), (uint64_t)round);
        assert_int_equal(
            (uintptr_t)b->memory % (regions_hold(b->nbytes) ? PAGE : BASE_BLOCK_ALIGNMENT), 0);
    }
    for (int i = 0; i < BLOCKS; ++i)
        if (blocks[i].memory != NULL) {
            assert_true(is_sound(&blocks[i]));
            give(&blocks[i]);
        }
    assert_int_equal(base_live_blocks(), before);
}

TEST(neighbours_share_a_region_and_gaps_are_filled)
{
    if (!regions_hold(MIB))
        skip();
    block blocks[8], again;
    int64_t before = base_live_blocks();
    for (int i = 0; i < 8; ++i)
        take(&blocks[i], MIB, (uint64_t)i);
    assert_int_equal(base_live_blocks(), before + 1);
    for (int i = 1; i < 8; ++i)
        assert_ptr_equal(blocks[i].memory, blocks[i - 1].memory + MIB);
    char *gap = blocks[3].memory;
    give(&blocks[3]);
    take(&again, MIB + PAGE, 9); /* does not fit there */
    assert_ptr_equal(again.memory, blocks[7].memory + MIB);
    take(&blocks[3], MIB - PAGE, 3);
    assert_ptr_equal(blocks[3].memory, gap);
    give(&again);
    for (int i = 0; i < 8; ++i)
        give(&blocks[i]);
    assert_int_equal(base_live_blocks(), before);
}

TEST(a_full_region_is_followed_by_another)
{
    block blocks[20]; /* two to a region */
    int64_t before = base_live_blocks();
    for (int i = 0; i < 20; ++i)
        take(&blocks[i], REGION_LARGEST, (uint64_t)i);
    if (regions_hold(REGION_LARGEST))
        assert_int_equal(base_live_blocks(), before + 10);
    for (int i = 0; i < 20; ++i)
        assert_true(is_sound(&blocks[i]));
    for (int i = 0; i < 20; ++i)
        give(&blocks[(i * 7) % 20]);
    assert_int_equal(base_live_blocks(), before);
}

/* One block keeps the region, but not the pages beside it. */
TEST(pages_without_blocks_go_back_to_the_system)
{
    if (!regions_hold(4 * MIB))
        skip();
    block first, blocks[6];
    take(&first, 64 << 10, 0);
    for (int i = 0; i < 6; ++i) {
        take(&blocks[i], 4 * MIB, (uint64_t)i);
        memset(blocks[i].memory, 1, blocks[i].nbytes);
    }
    size_t full = resident_bytes();
    for (int i = 0; i < 6; ++i)
        give(&blocks[i]);
    assert_true(resident_bytes() + 18 * MIB <= full);
    assert_true(is_sound(&first));
    give(&first);
}

TEST(no_memory_for_a_region_is_an_error)
{
    void *memory;
    int64_t before = base_live_blocks();
    base_fail_nth(1);
    assert_fails_saying(JG_ERR_NOMEM, "an array", device_alloc(device_cpu(), MIB, &memory));
    assert_int_equal(base_live_blocks(), before);
    assert_ok(device_alloc(device_cpu(), MIB, &memory));
    device_free(device_cpu(), memory, MIB);
}

typedef struct user {
    uint64_t seed;
    bool sound;
} user;

static void *use_blocks(void *context)
{
    user *own = context;
    own->sound = true;
    for (int i = 0; i < ROUNDS && own->sound; ++i) {
        void *memory;
        size_t nbytes = (size_t)random_between(&own->seed, REGION_SMALLEST, MIB);
        own->sound = device_alloc(device_cpu(), nbytes, &memory) == JG_OK;
        if (!own->sound)
            break;
        block b = {memory, nbytes, own->seed};
        memcpy(b.memory, &b.mark, sizeof b.mark);
        memcpy(b.memory + nbytes - sizeof b.mark, &b.mark, sizeof b.mark);
        own->sound = is_sound(&b);
        give(&b);
    }
    return NULL;
}

TEST(threads_take_and_give_at_once)
{
    user users[4];
    block held;
    take(&held, MIB, 1); /* keeps a region */
    for (int i = 0; i < 4; ++i)
        users[i] = (user){(uint64_t)i + 1, false};
    run_threads(4, use_blocks, users, sizeof *users);
    for (int i = 0; i < 4; ++i)
        assert_true(users[i].sound);
    assert_true(is_sound(&held));
    give(&held);
}
