/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that end after a slice, whatever becomes of the clock that tells the time of day. */
#include "../support.h"
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_long ahead; /* seconds */

/* The program's, instead of the C library's: a time of day that is ahead of what waits go by is a
 * clock that is set back as soon as it has been read. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, out);
    if (failed == 0 && clock == CLOCK_REALTIME)
        out->tv_sec += atomic_load(&ahead);
    return failed;
}

TEST(a_wait_ends_after_a_slice_when_the_clock_is_set_back)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
    atomic_store(&ahead, 3600);
    alarm(20); /* else it would be an hour */
    int64_t start = trace_clock();
    pthread_mutex_lock(&lock);
    bool woken = interrupt_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    int64_t end = trace_clock();
    alarm(0);
    atomic_store(&ahead, 0);
    assert_false(woken);
    assert_true(end - start >= INTERRUPT_SLICE_NS - 1000000);
    pthread_cond_destroy(&changed);
    pthread_mutex_destroy(&lock);
}
