/* SPDX-License-Identifier: Apache-2.0 */
/* run: evaluation. It walks what is not evaluated, asks plan for the launches that compute it,
 * binds them to memory, and runs them, at once or on a stream. The only room that asks a device
 * to do something. */
#ifndef JG_RUN_H
#define JG_RUN_H

#include "graph/graph.h"
#include "program/executor.h"
#include "program/routine.h"

void run_install_hooks(void); /* before there are threads, after all that a run locks */

/* The kinds of launches, for plan_set_launches. */
extern const struct plan_launch_kinds run_launch_kinds;

/* The evaluation lock, which is held while fields of nodes that belong to a walk are read or
 * written. The caller evaluates nothing between the two calls. */
void run_lock(void);
void run_unlock(void);

/* Makes sure that every array has storage, computed or being computed; with wait, that it is there.
 * raises: NOMEM, LIBRARY, UNSUPPORTED, and the failures of what ran | waits: with wait; else for
 * small work, which is done at once */
jg_status run_eval(int count, jg_array *const *arrays, bool wait);

/* Evaluates one array and waits for it; returns at once if it is in memory.
 * raises: as run_eval | waits: until x is in memory */
jg_status run_require(jg_array *x);

/* Like run_eval, on a device with streams, but without waiting for the values: work that the stream
 * of that number is given from now on runs after them (joggle/stream.h).
 * raises: as run_eval, but not later failures on the device; BUFFER for a number that is none |
 * waits: until the work is given to the device */
jg_status run_lead(jg_array *x, int64_t stream);

/* Called before memory from low up to high is written in place, by the writer of a field or of
 * another library's tensor: evaluates the nodes that read it, gives traced ones copies of it,
 * and waits for the runs that do, so that no lazy value sees the write. Costs one load where
 * nothing reads it. Memory of other libraries is watched after readers_track_foreign was called.
 * raises: as run_eval; UNSUPPORTED in a function on placeholders (traced_before_write); then some
 * of it may still be pending | waits: until nothing reads it */
jg_status run_before_write(const void *low, const void *high);

/* The thread's failure with a name before its message, unless that has one: of an earlier launch,
 * which a device reports late. raises: status, always */
jg_status run_name_work(const char *name, jg_status status);

/* Follows JOGGLE_DEVICE_FALLBACK if the host does the work of a device: it does nothing, writes a
 * line to stderr unless that was told before, or fails. label: of the work; reason: why the device
 * cannot run it.
 * raises: UNSUPPORTED, VALUE for another setting */
jg_status run_tell_fallback(const char *label, const jg_device *device, const char *reason,
                            bool told);

/* A row-major copy of x's elements in memory of its own, for every dtype.
 * gives: *out, +1, available | raises: NOMEM, as run_require | waits: until x is in memory */
jg_status run_copy(jg_array *x, jg_array **out);

/* Frees the plans that were kept for a function's calls; NULL is fine. Called when the function can
 * no longer be called. */
void run_plans_release(struct call_plan *plans);

#endif
