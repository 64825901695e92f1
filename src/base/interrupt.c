/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to interrupt: a counter of requests, which a signal handler may raise, and a callback
 * that is asked from time to time. A call that can be interrupted remembers the counter at its
 * start, so requests need not be reset. */
#include "base/base.h"
#include <dlfcn.h>
#include <joggle/interrupt.h>
#include <time.h>

atomic_uint interrupt_requests;

static jg_interrupt_question *applies, *ask; /* set once, before there are threads that ask */
static void *question_context;

void jg_interrupt(void)
{
    atomic_fetch_add_explicit(&interrupt_requests, 1, memory_order_relaxed);
}

void jg_set_interrupt_check(jg_interrupt_question *applies_here, jg_interrupt_question *check,
                            void *context)
{
    question_context = context;
    ask = check;
    applies = applies_here;
}

bool interrupt_is_watched(void)
{
    return applies != NULL && applies(question_context);
}

bool interrupt_check(unsigned begun)
{
    if (interrupt_has_come(begun))
        return true;
    return interrupt_is_watched() && ask(question_context);
}

jg_status interrupt_fail(void)
{
    return base_fail(JG_ERR_INTERRUPTED, "interrupted");
}

typedef int clock_wait(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
static clock_wait *wait_by_clock; /* NULL: the C library has none */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Looked up, as wheels also run with a glibc that does not have it yet. */
static void find_clock_wait(void)
{
    *(void **)&wait_by_clock = dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
}

/* The wait uses a clock that cannot be set, if the C library can. With the other clock, a wait is
 * longer by the time by which the clock is set back meanwhile. */
bool interrupt_wait(pthread_cond_t *changed, pthread_mutex_t *lock)
{
    struct timespec until;
    pthread_once(&once, find_clock_wait);
    clock_gettime(wait_by_clock != NULL ? CLOCK_MONOTONIC : CLOCK_REALTIME, &until);
    until.tv_nsec += INTERRUPT_SLICE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return (wait_by_clock != NULL ? wait_by_clock(changed, lock, CLOCK_MONOTONIC, &until)
                                  : pthread_cond_timedwait(changed, lock, &until)) == 0;
}
