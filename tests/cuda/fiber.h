/* SPDX-License-Identifier: Apache-2.0 */
/* Fibers: stacks that one thread runs on in turn. */
#ifndef TESTS_CUDA_FIBER_H
#define TESTS_CUDA_FIBER_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

/* swapcontext calls the kernel for the mask of signals, which took half the time of the tests with
 * barriers. A sanitizer has to know which stack is in use, and knows swapcontext. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define FIBERS_BY_CONTEXT true
#else
#define FIBERS_BY_CONTEXT false
#endif

typedef struct fiber {
    ucontext_t context;
    jmp_buf place;
    bool has_begun;
    void *known; /* ThreadSanitizer's */
} fiber;

/* The first swap to it calls run, which never returns, on the stack. */
static inline void fiber_make(fiber *out, void *stack, size_t nbytes, void (*run)(void))
{
    getcontext(&out->context);
    out->context.uc_stack.ss_sp = stack;
    out->context.uc_stack.ss_size = nbytes;
    out->context.uc_link = NULL;
    out->has_begun = false;
    makecontext(&out->context, run, 0);
#ifdef __SANITIZE_THREAD__
    out->known = __tsan_create_fiber(0);
#endif
}

/* What the calling thread runs on becomes a fiber, which others can swap back to. */
static inline void fiber_adopt(fiber *out)
{
    out->has_begun = true;
#ifdef __SANITIZE_THREAD__
    out->known = __tsan_get_current_fiber();
#endif
}

static inline void fiber_swap(fiber *from, fiber *to)
{
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(to->known, 0);
#endif
    if (FIBERS_BY_CONTEXT) {
        swapcontext(&from->context, &to->context);
        return;
    }
    if (_setjmp(from->place) != 0)
        return;
    if (to->has_begun)
        _longjmp(to->place, 1);
    to->has_begun = true;
    setcontext(&to->context);
}

#endif
