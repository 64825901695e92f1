/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of OpenCL that end badly once they have been given to the queue. */
#ifndef JG_TESTS_LATE_FAILURE_H
#define JG_TESTS_LATE_FAILURE_H

#include "device/opencl/opencl.h"

static int (*true_event_info)(void *, unsigned, size_t, void *, size_t *);

/* Every command but markers ends badly. */
static inline int fail_event(void *event, unsigned what, size_t nbytes, void *out, size_t *found)
{
    int error = true_event_info(event, what, nbytes, out, found);
    if (what == OPENCL_EVENT_STATUS)
        *(int *)out = -5;
    return error;
}

static inline void begin_to_fail(void)
{
    true_event_info = opencl.event_info;
    opencl.event_info = fail_event;
}

static inline void end_failing(void)
{
    opencl.event_info = true_event_info;
}

#endif
