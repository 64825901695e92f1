/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to interrupt: a counter of requests, which a signal handler may raise, and a callback
 * that is asked from time to time. A call that can be interrupted remembers the counter at its
 * start, so requests need not be reset. */
#include "base/base.h"
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
    return jg_fail(JG_ERR_INTERRUPTED, "interrupted");
}

bool interrupt_wait(pthread_cond_t *changed, pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += INTERRUPT_SLICE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_cond_timedwait(changed, lock, &until) == 0;
}
