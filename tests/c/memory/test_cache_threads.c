/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks pass between threads through the cache, and the counters stay true. */
#include "../support.h"
#include "memory/memory.h"
#include <joggle/memory.h>

enum { THREADS = 4, ROUNDS = 3000 };

typedef struct user {
    uint64_t seed;
    bool sound;
} user;

/* Writes its own mark over a block; nobody else may have it meanwhile. */
static void *use_blocks(void *context)
{
    user *own = context;
    own->sound = true;
    for (int i = 0; i < ROUNDS; ++i) {
        size_t nbytes = (size_t)random_between(&own->seed, 8, 2000);
        jg_buffer *buffer;
        own->sound &= buffer_new(device_cpu(), nbytes, &buffer) == JG_OK;
        user **mark = buffer->handle;
        *mark = own;
        if (i % 100 == 0)
            jg_clear_cache();
        own->sound &= *mark == own;
        buffer_release(buffer);
    }
    return NULL;
}

TEST(no_block_is_in_two_hands)
{
    static user users[THREADS];
    size_t active = jg_active_memory();
    for (int i = 0; i < THREADS; ++i)
        users[i].seed = (uint64_t)i;
    run_threads(THREADS, use_blocks, users, sizeof *users);
    for (int i = 0; i < THREADS; ++i)
        assert_true(users[i].sound);
    assert_int_equal(jg_active_memory(), active);
    jg_clear_cache();
    assert_int_equal(jg_cache_memory(), 0);
    assert_int_equal(base_live_blocks(), 0);
}
