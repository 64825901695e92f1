/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: the work of joggle, with times and threads, as a file that Perfetto and chrome://tracing
 * show. docs/performance.md describes the spans. */
#ifndef JOGGLE_TRACE_H
#define JOGGLE_TRACE_H

#include <joggle/status.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins to record evaluations, launches and waits of all threads; one trace at a time. The
 * environment variable JOGGLE_TRACE=path does the same when the library is loaded.
 * keeps: nothing | raises: VALUE if a trace is running, IO if path cannot be written
 * waits: never */
JG_API JG_CHECKED jg_status jg_trace_start(const char *path);

/* Waits for what has been enqueued, ends the recording and writes the file.
 * raises: VALUE if no trace is running, IO | waits: as jg_synchronize */
JG_API JG_CHECKED jg_status jg_trace_stop(void);

/* About the number of scalar operations of all evaluations while a caller watched. */
typedef struct jg_progress {
    int64_t planned; /* of evaluations that have begun */
    int64_t done;    /* the work that has run; it may stay below the total if a launch fails */
} jg_progress;

/* Evaluations that begin between the two are counted; several threads may watch at a time.
 * raises: never | waits: never */
JG_API void jg_progress_begin(void);
JG_API void jg_progress_end(void);

/* The counts since the process began; a watcher takes the difference of two. raises: never
 * waits: never */
JG_API void jg_progress_read(jg_progress *out);

#ifdef __cplusplus
}
#endif
#endif
