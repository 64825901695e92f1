/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of the host that share huge pages: nobody else has one's memory, and all goes back. */
#include "../support.h"
#include "device/cpu/chunk.h"
#include "device/device.h"

enum { THREADS = 4, ROUNDS = 400, HELD = 12, LEAST = 64 << 10, ALIGNMENT = 256 };

typedef struct held {
    char *block;
    size_t nbytes;
} held;

typedef struct user {
    uint64_t seed;
    char mark; /* that is written to both ends of its blocks */
    bool sound;
} user;

static void let_go(user *own, const held *at)
{
    if (at->block == NULL)
        return;
    own->sound &= at->block[0] == own->mark && at->block[at->nbytes - 1] == own->mark;
    device_free(device_cpu(), at->block, at->nbytes);
}

static void take(user *own, held *at)
{
    void *block = NULL;
    at->nbytes = (size_t)random_between(&own->seed, LEAST, CPU_HUGE_PAGE - 1);
    own->sound &= device_alloc(device_cpu(), at->nbytes, &block) == JG_OK;
    at->block = block;
    own->sound &= block != NULL && (uintptr_t)block % ALIGNMENT == 0;
    if (block != NULL)
        at->block[0] = at->block[at->nbytes - 1] = own->mark;
}

static void *use_blocks(void *context)
{
    user *own = context;
    held all[HELD] = {{NULL, 0}};
    own->sound = true;
    for (int i = 0; i < ROUNDS; ++i) {
        held *at = &all[random_between(&own->seed, 0, HELD - 1)];
        let_go(own, at);
        take(own, at);
    }
    for (int i = 0; i < HELD; ++i)
        let_go(own, &all[i]);
    return NULL;
}

static void no_block_is_in_two_hands(void **state)
{
    (void)state;
    static user users[THREADS];
    int64_t live = base_live_blocks();
    for (int i = 0; i < THREADS; ++i)
        users[i] = (user){.seed = (uint64_t)i, .mark = (char)(i + 1)};
    run_threads(THREADS, use_blocks, users, sizeof *users);
    for (int i = 0; i < THREADS; ++i)
        assert_true(users[i].sound);
    assert_int_equal(base_live_blocks(), live);
}

static void sizes_decide_who_shares(void **state)
{
    (void)state;
    assert_false(cpu_chunk_holds(LEAST - 1));
    assert_false(cpu_chunk_holds(CPU_HUGE_PAGE));
    if (!cpu_chunk_holds(LEAST))
        return; /* a build with checks of addresses: each block is malloc's */
    char *first = cpu_chunk_take(LEAST), *second = cpu_chunk_take(LEAST + 1);
    assert_ptr_equal(second, first + LEAST);
    cpu_chunk_put(first, LEAST);
    assert_ptr_equal(cpu_chunk_take(LEAST), first);
    cpu_chunk_put(second, LEAST + 1);
    cpu_chunk_put(first, LEAST);
}

static void no_memory_gives_no_block(void **state)
{
    (void)state;
    void *block;
    int64_t live = base_live_blocks();
    for (int nth = 1; nth <= 2; ++nth) {
        base_fail_nth(nth);
        jg_status status = device_alloc(device_cpu(), LEAST, &block);
        base_fail_nth(0);
        if (status == JG_OK) /* the second of one allocation, where blocks are malloc's */
            device_free(device_cpu(), block, LEAST);
        else
            assert_int_equal(status, JG_ERR_NOMEM);
    }
    assert_int_equal(base_live_blocks(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_block_is_in_two_hands),
        cmocka_unit_test(sizes_decide_who_shares),
        cmocka_unit_test(no_memory_gives_no_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
