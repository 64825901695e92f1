/* SPDX-License-Identifier: Apache-2.0 */
/* Writers wait for runs that read the memory, also in a forked child: for those of its own, and not
 * for those that were left in its parent. */
#include "../support.h"
#include "memory/memory.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct reading {
    jg_buffer *buffer;
    atomic_bool over;
} reading;

static void *read_for_a_while(void *context)
{
    reading *r = context;
    usleep(100 * 1000);
    atomic_store(&r->over, true);
    buffer_end_reading(r->buffer, READER_RUNNING);
    return NULL;
}

/* Whether a writer waits until a run of another thread has read the buffer. */
static bool waits_for_a_reader(jg_buffer *buffer)
{
    reading r = {.buffer = buffer};
    pthread_t thread;
    buffer_begin_reading(buffer, READER_RUNNING);
    if (pthread_create(&thread, NULL, read_for_a_while, &r) != 0)
        return false;
    while (!readers_wait(buffer->low, buffer->high))
        continue;
    bool over = atomic_load(&r.over);
    pthread_join(thread, NULL);
    return over;
}

TEST(a_writer_waits_for_runs_that_read)
{
    jg_buffer *buffer;
    assert_ok(buffer_new(device_cpu(), 64, &buffer));
    assert_true(waits_for_a_reader(buffer));
    buffer_release(buffer);
}

/* A run of the parent's never ends in the child; a hang ends by the alarm. */
TEST(a_child_waits_for_its_own_runs_and_for_none_of_its_parents)
{
    jg_buffer *buffer;
    int status;
    assert_ok(buffer_new(device_cpu(), 64, &buffer));
    buffer_begin_reading(buffer, READER_RUNNING);
    unsigned forks = readers_forks();
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        bool apart = readers_forks() == forks + 1 && waits_for_a_reader(buffer);
        buffer_end_reading(buffer, READER_LEFT);
        _exit(apart && !readers_overlap(buffer->low, buffer->high) ? 0 : 1);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(readers_forks(), forks);
    buffer_end_reading(buffer, READER_RUNNING);
    assert_false(readers_overlap(buffer->low, buffer->high));
    buffer_release(buffer);
}
