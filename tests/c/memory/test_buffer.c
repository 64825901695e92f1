/* SPDX-License-Identifier: Apache-2.0 */
/* Counted blocks, joggle's own and those of others. */
#include "../support.h"
#include "memory/memory.h"
#include <joggle/memory.h>

static const jg_device_id pinned = {JG_DEVICE_CUDA_HOST, 1};

static void count_release(void *context)
{
    *(int *)context += 1;
}

static jg_buffer *foreign(void *address, void (*release)(void *), void *context)
{
    jg_buffer *buffer;
    assert_ok(buffer_take_foreign(device_cpu(), pinned, address, 16, 0, release, context, &buffer));
    return buffer;
}

TEST(a_foreign_block_is_released_once_by_its_last_holder)
{
    int released = 0;
    char memory[16];
    jg_buffer *buffer = foreign(memory, count_release, &released);
    assert_ptr_equal(buffer->handle, memory);
    assert_int_equal(buffer->origin.type, JG_DEVICE_CUDA_HOST);
    assert_ptr_equal(buffer_retain(buffer), buffer);
    buffer_release(buffer);
    assert_int_equal(released, 0);
    buffer_release(buffer);
    assert_int_equal(released, 1);
}

TEST(foreign_memory_is_neither_counted_nor_kept)
{
    char memory[16];
    size_t active = jg_active_memory(), kept = jg_cache_memory();
    jg_buffer *buffer = foreign(memory, NULL, NULL); /* nobody to tell */
    assert_int_equal(jg_active_memory(), active);
    buffer_release(buffer);
    assert_int_equal(jg_cache_memory(), kept);
}

TEST(only_an_own_unshared_block_is_exclusive)
{
    char memory[16];
    jg_buffer *own, *other = foreign(memory, NULL, NULL);
    assert_false(buffer_is_exclusive(other));
    buffer_release(other);
    assert_ok(buffer_new(device_cpu(), 16, &own));
    assert_true(buffer_is_exclusive(own));
    buffer_retain(own);
    assert_false(buffer_is_exclusive(own));
    buffer_release(own);
    atomic_fetch_or(&own->flags, BUFFER_EXPORTED);
    assert_false(buffer_is_exclusive(own));
    buffer_release(own);
}

TEST(a_block_from_the_cache_has_forgotten_its_past)
{
    jg_buffer *first, *second;
    jg_clear_cache();
    assert_ok(buffer_new(device_cpu(), 16, &first));
    atomic_fetch_or(&first->flags, BUFFER_EXPORTED | BUFFER_READ_ONLY);
    buffer_release(first);
    assert_ok(buffer_new(device_cpu(), 16, &second));
    assert_ptr_equal(first, second);
    assert_true(buffer_is_exclusive(second));
    buffer_release(second);
}

/* On a thread of its own, which has no freed structs to use again. */
static void *take_without_memory(void *context)
{
    static char memory[16];
    jg_buffer *buffer;
    base_fail_nth(1);
    jg_status status =
        buffer_take_foreign(device_cpu(), pinned, memory, 16, 0, count_release, context, &buffer);
    return status == JG_ERR_NOMEM ? NULL : context;
}

TEST(without_memory_nothing_is_taken)
{
    int released = 0;
    pthread_t thread;
    void *wrong;
    assert_int_equal(pthread_create(&thread, NULL, take_without_memory, &released), 0);
    assert_int_equal(pthread_join(thread, &wrong), 0);
    assert_null(wrong);
    assert_int_equal(released, 0);
    buffer_release(NULL);
}

static void *take_and_release(void *context)
{
    *(bool *)context = true;
    for (int i = 0; i < 2000; ++i) {
        static char memory[16];
        jg_buffer *buffers[2];
        for (int j = 0; j < 2; ++j)
            *(bool *)context &= buffer_take_foreign(device_cpu(), pinned, memory, 16, 0, NULL, NULL,
                                                    &buffers[j]) == JG_OK;
        for (int j = 0; j < 2; ++j)
            buffer_release(buffers[j]);
    }
    return NULL;
}

TEST(what_a_thread_keeps_goes_with_it)
{
    bool sound[3];
    int64_t before = base_live_blocks();
    run_threads(3, take_and_release, sound, sizeof *sound);
    assert_true(sound[0] && sound[1] && sound[2]);
    assert_int_equal(base_live_blocks(), before);
}

/* Each block's release drops the next: memory imported from an export of imported memory, and so
 * on. */
static void release_next(void *context)
{
    buffer_release(context);
}

TEST(a_million_releases_that_cause_each_other_need_little_stack)
{
    int released = 0;
    char memory[16];
    jg_buffer *chain = foreign(memory, count_release, &released);
    for (int i = 0; i < 1000000; ++i)
        chain = foreign(memory, release_next, chain);
    buffer_release(chain);
    assert_int_equal(released, 1);
}
