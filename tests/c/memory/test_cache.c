/* SPDX-License-Identifier: Apache-2.0 */
/* Freed blocks come back, in classes of size, up to a limit; and what the counters say
 * meanwhile. */
#include "../support.h"
#include "memory/memory.h"
#include <joggle/memory.h>

TEST(every_class_holds_what_it_is_the_class_of)
{
    uint64_t seed = 1;
    for (int round = 0; round < 100000; ++round) {
        size_t nbytes = (size_t)(next_random(&seed) >> random_between(&seed, 0, 31))
                        << random_between(&seed, 0, 28);
        int size_class = cache_class_of(nbytes);
        assert_true(cache_class_nbytes(size_class) >= nbytes);
        if (size_class > 0) /* and the class below does not */
            assert_true(cache_class_nbytes(size_class - 1) < nbytes);
    }
}

TEST(class_sizes_round_trip_and_waste_little)
{
    for (int i = 0; i < CACHE_CLASSES - 32; ++i) {
        size_t nbytes = cache_class_nbytes(i), next = cache_class_nbytes(i + 1);
        size_t part = nbytes < 64 << 10 ? 5 : 33;
        assert_int_equal(cache_class_of(nbytes), i);
        assert_int_equal(cache_class_of(nbytes + 1), i + 1);
        assert_true((next - nbytes) * part <= next + part);
    }
    assert_int_equal(cache_class_of(0), 0);
    assert_int_equal(cache_class_of((size_t)INT64_MAX / 2), cache_class_of((size_t)1 << 62));
}

TEST(a_freed_block_is_the_next_of_its_size)
{
    jg_buffer *buffer, *again;
    jg_clear_cache();
    assert_ok(buffer_new(device_cpu(), 5000, &buffer));
    void *address = buffer->handle;
    assert_int_equal((uintptr_t)address % BASE_BLOCK_ALIGNMENT, 0);
    buffer_release(buffer);
    assert_ok(buffer_new(device_cpu(), 100, &again));
    assert_ptr_not_equal(again->handle, address);
    buffer_release(again);
    assert_ok(buffer_new(device_cpu(), 4900, &again));
    assert_ptr_equal(again->handle, address);
    buffer_release(again);
}

/* Under AddressSanitizer alone; the other builds know no poison. */
TEST(what_nobody_may_use_of_a_block_is_poisoned)
{
    const size_t sizes[] = {5000, 100000,
                            (20 << 20) + 1000}; /* of the heap, of a region, of huge pages */
    bool is_seen = poison_can_be_seen();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        jg_buffer *buffer, *again;
        jg_clear_cache();
        assert_ok(buffer_new(device_cpu(), sizes[i], &buffer));
        const char *bytes = buffer->handle;
        assert_false(poison_is_at(bytes) || poison_is_at(bytes + sizes[i] - 1));
        assert_int_equal(poison_is_at(bytes + buffer->nbytes - 1), is_seen);
        buffer_release(buffer);
        assert_int_equal(poison_is_at(bytes), is_seen);
        assert_int_equal(poison_is_at(bytes + sizes[i] - 1), is_seen);
        assert_ok(buffer_new(device_cpu(), sizes[i] - 100, &again));
        assert_ptr_equal(again->handle, bytes);
        assert_false(poison_is_at(bytes) || poison_is_at(bytes + sizes[i] - 101));
        assert_int_equal(poison_is_at(bytes + sizes[i] - 1), is_seen);
        buffer_release(again);
    }
}

TEST(a_kept_block_of_a_free_list_is_poisoned_behind_its_link)
{
    static JG_FAST_THREAD_LOCAL base_freelist list;
    enum { NBYTES = 64 };
    bool is_seen = poison_can_be_seen();
    char *block = base_alloc(NBYTES);
    freelist_give(&list, block, NBYTES);
    assert_false(poison_is_at(block));
    assert_int_equal(poison_is_at(block + sizeof(void *)), is_seen);
    assert_int_equal(poison_is_at(block + NBYTES - 1), is_seen);
    assert_ptr_equal(freelist_take(&list, NBYTES), block);
    assert_false(poison_is_at(block + NBYTES - 1));
    base_free(block);
}

TEST(active_peak_and_cache_add_up)
{
    jg_buffer *buffers[3];
    jg_clear_cache();
    size_t active = jg_active_memory(), nbytes = cache_class_nbytes(cache_class_of(1 << 24));
    for (int i = 0; i < 3; ++i)
        assert_ok(buffer_new(device_cpu(), 1 << 24, &buffers[i]));
    assert_int_equal(jg_active_memory(), active + 3 * nbytes);
    assert_int_equal(jg_peak_memory(), active + 3 * nbytes);
    buffer_release(buffers[0]);
    buffer_release(buffers[1]);
    assert_int_equal(jg_active_memory(), active + nbytes);
    assert_int_equal(jg_cache_memory(), 2 * nbytes);
    assert_ok(buffer_new(device_cpu(), 1 << 24, &buffers[0]));
    assert_int_equal(jg_cache_memory(), nbytes);
    assert_int_equal(jg_peak_memory(), active + 3 * nbytes);
    buffer_release(buffers[0]);
    buffer_release(buffers[2]);
    jg_clear_cache();
    assert_int_equal(jg_cache_memory(), 0);
    assert_int_equal(jg_active_memory(), active);
}

TEST(clearing_gives_every_block_back)
{
    jg_buffer *buffer;
    jg_clear_cache();
    int64_t before = base_live_blocks();
    for (size_t nbytes = 1; nbytes < 1 << 20; nbytes *= 3) {
        assert_ok(buffer_new(device_cpu(), nbytes, &buffer));
        buffer_release(buffer);
    }
    assert_true(base_live_blocks() > before);
    jg_clear_cache();
    assert_int_equal(base_live_blocks(), before);
}

TEST(the_limit_may_be_lowered_and_raised_at_any_time)
{
    jg_buffer *buffer;
    jg_clear_cache();
    assert_ok(jg_option_set("cache_limit", "0"));
    assert_ok(buffer_new(device_cpu(), 1000, &buffer));
    buffer_release(buffer);
    assert_int_equal(jg_cache_memory(), 0);
    assert_ok(jg_option_set("cache_limit", "2000"));
    jg_buffer *both[2];
    for (int i = 0; i < 2; ++i)
        assert_ok(buffer_new(device_cpu(), 1024, &both[i]));
    for (int i = 0; i < 2; ++i)
        buffer_release(both[i]);
    assert_int_equal(jg_cache_memory(), 1024);
    assert_ok(jg_option_set("cache_limit", "1073741824"));
    jg_clear_cache();
}

TEST(a_full_device_is_asked_again_without_the_cache)
{
    jg_buffer *buffer, *other;
    jg_clear_cache();
    assert_ok(buffer_new(device_cpu(), 100, &buffer));
    buffer_release(buffer);
    base_fail_nth(2); /* the struct, then the block */
    assert_ok(buffer_new(device_cpu(), 5000, &other));
    assert_int_equal(jg_cache_memory(), 0);
    buffer_release(other);
}

TEST(sizes_beyond_memory_are_refused)
{
    jg_buffer *buffer;
    int64_t before = base_live_blocks();
    assert_fails(JG_ERR_NOMEM, buffer_new(device_cpu(), SIZE_MAX, &buffer));
    assert_fails(JG_ERR_NOMEM, buffer_new(device_cpu(), (size_t)INT64_MAX / 2 + 1, &buffer));
    assert_int_equal(base_live_blocks(), before);
}

static jg_status fail_for_good(jg_device *device, size_t nbytes, void **out)
{
    (void)device;
    (void)out;
    return base_fail(JG_ERR_DEVICE, "%zu bytes: the device is lost", nbytes);
}

/* More room would not help. */
TEST(a_device_that_fails_otherwise_leaves_the_cache)
{
    jg_buffer *buffer;
    jg_device *cpu = device_cpu();
    const jg_device_ops *ops = cpu->ops;
    jg_device_ops failing = *ops;
    failing.alloc = fail_for_good;
    assert_ok(buffer_new(cpu, 5000, &buffer));
    buffer_release(buffer);
    size_t kept = jg_cache_memory();
    assert_true(kept > 0);
    cpu->ops = &failing;
    jg_status status = buffer_new(cpu, 1 << 22, &buffer);
    cpu->ops = ops;
    assert_int_equal(status, JG_ERR_DEVICE);
    assert_int_equal(jg_cache_memory(), kept);
}
