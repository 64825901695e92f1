/* SPDX-License-Identifier: Apache-2.0 */
/* The memory limit: the cache goes first, work under way is waited for, then it is a failure that
 * leaves everything usable. */
#include "../arrays.h"
#include "../opaque_device.h"
#include "memory/memory.h"
#include "run/run.h"
#include <time.h>

enum { LARGE = 1 << 22 }; /* elements: 16 MiB, which is a class of its own */

static const size_t nbytes = sizeof(float) * LARGE;

static int restore_limits(void **state)
{
    (void)state;
    return jg_set_memory_limit((size_t)INT64_MAX, NULL) ||
           jg_set_cache_limit((size_t)1 << 30, NULL);
}

static jg_status empty(int64_t size, jg_array **out)
{
    return jg_empty(JG_DTYPE_FLOAT32, 1, &size, out);
}

TEST(what_goes_beyond_the_limit_is_refused_and_nothing_else)
{
    jg_array *a, *b = NULL, *sum;
    size_t before = jg_active_memory(), previous;
    assert_ok(jg_set_memory_limit(before + nbytes + nbytes / 2, &previous));
    assert_int_equal(previous, INT64_MAX);
    assert_int_equal(jg_memory_limit(), before + nbytes + nbytes / 2);
    assert_ok(empty(LARGE, &a));
    assert_fails_saying(JG_ERR_NOMEM, "allowed are", empty(LARGE, &b));
    assert_null(b);
    assert_ok(jg_add(a, a, &sum));
    assert_fails(JG_ERR_NOMEM, jg_eval(1, &sum));
    assert_int_equal(jg_array_current_state(sum), JG_ARRAY_UNSCHEDULED);
    assert_int_equal(jg_active_memory(), before + nbytes);
    assert_ok(jg_set_memory_limit(previous, NULL));
    assert_ok(jg_eval(1, &sum));
    release_all(2, (jg_array *[]){a, sum});
}

TEST(the_cache_makes_room)
{
    jg_array *a, *b;
    jg_clear_cache();
    size_t before = jg_active_memory();
    assert_ok(empty(LARGE, &a));
    jg_array_release(a);
    assert_int_equal(jg_cache_memory(), nbytes);
    assert_ok(jg_set_memory_limit(before + nbytes + nbytes / 2, NULL));
    assert_ok(empty(3 * LARGE / 4, &b)); /* not of the class that is kept */
    assert_int_equal(jg_cache_memory(), 0);
    jg_array_release(b);
}

TEST(a_limit_of_a_device_is_that_of_no_other)
{
    const jg_device_id cpu = {JG_DEVICE_CPU, 0}, gone = {JG_DEVICE_EXT, 7};
    size_t active, peak, cache, memory, kept, previous;
    jg_array *a, *b = NULL, *there;
    assert_ok(jg_device_memory_limits(OPAQUE, &memory, &kept));
    assert_int_equal(memory, INT64_MAX);
    assert_int_equal(kept, 1 << 30);
    assert_ok(jg_device_set_memory_limit(OPAQUE, nbytes + nbytes / 2, &previous));
    assert_int_equal(previous, INT64_MAX);
    assert_ok(empty(LARGE, &a)); /* of the CPU as many as before */
    assert_ok(empty(LARGE, &b));
    assert_ok(jg_to_device(a, OPAQUE, &there));
    assert_ok(jg_eval(1, &there));
    assert_ok(jg_device_memory_use(OPAQUE, &active, &peak, &cache));
    assert_int_equal(active, nbytes);
    assert_int_equal(peak, nbytes);
    jg_array *more;
    assert_ok(jg_to_device(b, OPAQUE, &more));
    assert_fails_saying(JG_ERR_NOMEM, "for an array on opaque:0", jg_eval(1, &more));
    jg_array_release(there);
    assert_ok(jg_eval(1, &more)); /* nothing was lost */
    assert_ok(jg_device_set_cache_limit(OPAQUE, 0, &previous));
    jg_array_release(more);
    assert_ok(jg_device_memory_use(OPAQUE, &active, &peak, &cache));
    assert_int_equal(active + cache, 0);
    assert_ok(jg_device_memory_use(cpu, &active, &peak, &cache));
    assert_true(active >= 2 * nbytes && peak >= active);
    assert_ok(jg_device_reset_peak_memory(OPAQUE));
    assert_ok(jg_device_memory_use(OPAQUE, &active, &peak, &cache));
    assert_int_equal(peak, 0);
    assert_fails(JG_ERR_DEVICE, jg_device_set_memory_limit(gone, 1, NULL));
    assert_fails(JG_ERR_VALUE, jg_device_set_memory_limit(cpu, (size_t)INT64_MAX + 1, NULL));
    release_all(2, (jg_array *[]){a, b});
}

TEST(the_cache_of_a_device_is_given_back_by_itself)
{
    size_t active, peak, cache, here;
    jg_array *a, *there;
    assert_ok(jg_device_set_cache_limit(OPAQUE, 1 << 30, NULL));
    assert_ok(empty(LARGE, &a));
    assert_ok(jg_to_device(a, OPAQUE, &there));
    assert_ok(jg_eval(1, &there));
    release_all(2, (jg_array *[]){a, there});
    assert_ok(jg_device_memory_use((jg_device_id){JG_DEVICE_CPU, 0}, &active, &peak, &here));
    assert_ok(jg_device_clear_cache(OPAQUE));
    assert_ok(jg_device_memory_use(OPAQUE, &active, &peak, &cache));
    assert_int_equal(cache, 0);
    assert_true(here >= nbytes && jg_cache_memory() == here);
}

static atomic_bool is_shut;
static atomic_int nasked;

static jg_status alloc_at_the_gate(jg_device *device, size_t size, void **out)
{
    nasked += 1;
    while (is_shut)
        usleep(1000);
    return opaque_alloc(device, size, out);
}

static void *move_there(void *context)
{
    jg_array *host = context, *there;
    if (jg_to_device(host, OPAQUE, &there) != JG_OK || jg_eval(1, &there) != JG_OK)
        return NULL;
    jg_array_release(there);
    return context;
}

/* It would hang. */
TEST(no_evaluation_waits_for_a_driver_that_is_asked_for_memory)
{
    static jg_device_ops late_ops;
    pthread_t thread;
    void *sound;
    jg_array *x = ones(8), *y;
    assert_ok(jg_device_clear_cache(OPAQUE));
    late_ops = opaque_ops;
    late_ops.alloc = alloc_at_the_gate;
    opaque_devices[0].ops = &late_ops;
    is_shut = true;
    pthread_create(&thread, NULL, move_there, x);
    while (nasked == 0)
        usleep(1000);
    assert_ok(jg_add(x, x, &y));
    assert_ok(jg_eval(1, &y));
    is_shut = false;
    pthread_join(thread, &sound);
    opaque_devices[0].ops = &opaque_ops;
    assert_ptr_equal(sound, x);
    release_all(2, (jg_array *[]){x, y});
}

/* A driver's free may wait for its work, and evaluations of other devices for the lock. */
TEST(a_device_frees_blocks_after_the_lock)
{
    jg_buffer *buffer;
    assert_ok(jg_device_set_cache_limit(OPAQUE, 0, NULL));
    assert_ok(buffer_new(&opaque_devices[0], nbytes, &buffer));
    int nlive = opaque_states[0].nlive;
    run_lock();
    buffer_release(buffer);
    assert_int_equal(opaque_states[0].nlive, nlive);
    run_unlock();
    assert_int_equal(opaque_states[0].nlive, nlive - 1);
}

TEST(setting_a_limit_gives_back_what_is_kept_beyond_it)
{
    jg_array *a;
    size_t previous;
    assert_ok(empty(LARGE, &a));
    jg_array_release(a);
    assert_true(jg_cache_memory() >= nbytes);
    assert_ok(jg_set_cache_limit(nbytes / 2, &previous));
    assert_true(jg_cache_memory() <= nbytes / 2);
    assert_ok(jg_set_cache_limit(previous, &previous));
    assert_int_equal(previous, nbytes / 2);
    assert_fails(JG_ERR_VALUE, jg_set_cache_limit(SIZE_MAX, NULL));
}

static void *open_later(void *context)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    jg_event_set(*(jg_event **)context);
    return NULL;
}

TEST(work_under_way_is_waited_for)
{
    jg_stream *stream;
    jg_event *gate;
    jg_array *a = ones(LARGE), *total, *b;
    pthread_t thread;
    assert_ok(jg_stream_default(jg_device_default(), &stream));
    assert_ok(jg_event_new(&gate));
    assert_ok(jg_stream_wait_event(stream, gate));
    assert_ok(jg_max(a, -1, NULL, false, &total));
    assert_ok(jg_eval_async(1, &total));
    jg_array_release(a); /* the evaluation alone holds it now */
    assert_ok(jg_set_memory_limit(jg_active_memory() + nbytes / 2, NULL));
    assert_int_equal(pthread_create(&thread, NULL, open_later, &gate), 0);
    assert_ok(empty(LARGE, &b));
    assert_int_equal(jg_array_current_state(total), JG_ARRAY_AVAILABLE);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(item_of(total) == 1);
    release_all(2, (jg_array *[]){total, b});
    jg_event_release(gate);
    jg_stream_release(stream);
}

TEST(the_peak_can_be_started_anew)
{
    jg_array *a, *b;
    assert_ok(empty(LARGE, &a));
    jg_array_release(a);
    size_t active = jg_active_memory();
    jg_reset_peak_memory();
    assert_int_equal(jg_peak_memory(), 0);
    assert_ok(empty(1, &b));
    assert_int_equal(jg_peak_memory(), active + 256);
    jg_array_release(b);
}

/* Huge pages are asked for where a block has one, and every block starts on 256 bytes. */
TEST(blocks_are_aligned)
{
    static const size_t sizes[] = {1, 255, 5000, (2 << 20) - 1, 2 << 20, 5 << 20};
    for (size_t i = 0; i < JG_COUNT_OF(sizes); ++i) {
        jg_buffer *buffer;
        assert_ok(buffer_new(device_cpu(), sizes[i], &buffer));
        size_t alignment = buffer->nbytes >= 2 << 20 ? 2 << 20 : 256;
        assert_int_equal((uintptr_t)buffer->handle % alignment, 0);
        buffer_release(buffer);
    }
}

static int add_device(void **state)
{
    (void)state;
    opaque_register();
    return 0;
}
BEFORE_ALL(add_device)
AFTER_EACH(restore_limits)
