/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that compute or wait can be interrupted: they return JG_ERR_INTERRUPTED, and their results
 * stay unevaluated. Arrays keep the part that is computed and continue from there when they are
 * evaluated again; the writes of a kernel stay. */
#ifndef JOGGLE_INTERRUPT_H
#define JOGGLE_INTERRUPT_H

#include <joggle/version.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Interrupts the calls that wait or compute now, on all threads; not those that begin later. May be
 * called in a signal handler. raises: never | waits: never */
JG_API void jg_interrupt(void);

/* Sets the functions that decide whether a call is interrupted. `applies` tells whether calls of
 * the calling thread may be interrupted; it must not block. `check` is called on such a thread
 * repeatedly while a call of joggle takes long, at most some 50 milliseconds apart, with no lock of
 * joggle's held; it may block and call joggle. If it returns true, the call is interrupted. While
 * check runs during the evaluation of a graph, other threads do the computing. One pair for the
 * process, set before others use it; NULL for none. keeps: context | raises: never | waits:
 * never */
typedef bool jg_interrupt_question(void *context);
JG_API void jg_set_interrupt_check(jg_interrupt_question *applies, jg_interrupt_question *check,
                                   void *context);

#ifdef __cplusplus
}
#endif
#endif
