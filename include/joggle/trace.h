/* SPDX-License-Identifier: Apache-2.0 */
/* Traces: what joggle does, and when, on which thread, as a file that Perfetto and
 * chrome://tracing show. docs/performance.md tells what the spans are. */
#ifndef JOGGLE_TRACE_H
#define JOGGLE_TRACE_H

#include <joggle/status.h>

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

#ifdef __cplusplus
}
#endif
#endif
