/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run: what launches give to the queue of a device. */
#ifndef JG_RUN_LAUNCH_DEVICE_H
#define JG_RUN_LAUNCH_DEVICE_H

#include "run/launch.h"

/* launch_work.c */

/* The arguments with which a work of a device is started, for each buffer. */
typedef struct run_device_operands {
    int count;
    void *const *handles;
    const int64_t *offsets;
    const jg_scalar *scalars;
} run_device_operands;

/* Gives the queue a work of a launch, which has the text of the code's own.
 * raises: NOMEM, DEVICE | waits: for a compiler before the first run */
jg_status run_device_work(run_frame *frame, const plan_launch *launch, plan_code *code,
                          const device_work *work, const run_device_operands *operands);

/* The same of the work that the code has. raises, waits: as run_device_work */
jg_status run_device_code(run_frame *frame, const plan_launch *launch, plan_code *code, int count,
                          void *const *handles, const int64_t *offsets, const jg_scalar *scalars);

/* The same of a program from one operand of the launch, which have these handles and offsets, into
 * its part of the result. raises, waits: as run_device_work */
jg_status run_device_copy(run_frame *frame, const plan_launch *launch, const plan_part *part,
                          void *const *handles, const int64_t *offsets);

/* Compares the numbers of index arrays, whose look-up is the launch's, with the extents of their
 * axes; NULL: those that the plan knows. raises: INDEX, NOMEM, DEVICE | waits: until the queue has
 * found their ranges */
jg_status run_device_check(run_frame *frame, const plan_launch *launch, const plan_look_up *look_up,
                           const int64_t *extents, void *const *handles, const int64_t *offsets);

/* launch_scatter.c */

/* Gives the queue a scatter. raises, waits: as run_device_check */
jg_status run_device_updates(run_frame *frame, const plan_launch *launch, void *const *handles,
                             const int64_t *offsets);

/* launch_device.c */

/* Whether the host may run what the device does not. The evaluation lock is held. raises:
 * UNSUPPORTED, naming the op and the device; VALUE for an option that is none */
jg_status run_check_fallback(jg_plan *plan);

#endif
