/* SPDX-License-Identifier: Apache-2.0 */
/* Private to run: memory on both sides of a run whose arrays lie on a device. */
#ifndef JG_RUN_BLOCKS_H
#define JG_RUN_BLOCKS_H

#include "plan/plan.h"

/* The memory of a run whose leaves or results are on a device that the host cannot read. */
typedef struct run_blocks run_blocks;

/* Memory for all leaves, results and temporaries of the plan. gives: *out, for run_blocks_free |
 * raises: NOMEM */
jg_status run_blocks_new(jg_plan *plan, run_blocks **out);
void run_blocks_free(run_blocks *blocks); /* after run_blocks_finish; NULL is fine */

/* These functions add every leaf, then every result with its buffer, then the temporaries, whose
 * memory is allocated when it is needed. keeps: leaves' buffers of a third device, which the run
 * holds | raises: the first VALUE for a layout that 63 bits do not count */
jg_status run_blocks_add_leaf(run_blocks *blocks, int slot, const jg_array *leaf);
void run_blocks_add_result(run_blocks *blocks, int slot, jg_buffer *buffer, size_t nbytes);
void run_blocks_add_temps(run_blocks *blocks, const jg_plan *plan);

/* Called when the run begins or goes on, before the next. raises: NOMEM, DEVICE */
jg_status run_blocks_open(run_blocks *blocks, jg_stream *stream);

/* Makes the operands of a launch ready for the side that runs it, and notes what it will write. The
 * first gives addresses by slot, the second handles and offsets by operand.
 * raises: NOMEM, DEVICE | waits: for copies, and for launches that wrote what is copied */
jg_status run_blocks_ready_host(run_blocks *blocks, const plan_launch *launch, void **addresses);
jg_status run_blocks_ready_device(run_blocks *blocks, const plan_launch *launch, void **handles,
                                  int64_t *offsets);

/* The host's address of an operand that the launch reads. gives: *out, until the block is written
 * again | raises: NOMEM, DEVICE | waits: for a copy, where the bytes are not the host's */
jg_status run_blocks_read(run_blocks *blocks, const plan_launch *launch, int operand,
                          const void **out);

/* Scratch memory of the device for a launch; NULL for 0 bytes. gives: *handle, borrowed until the
 * next call | raises: NOMEM, DEVICE */
jg_status run_blocks_scratch(run_blocks *blocks, size_t nbytes, void **handle);

/* Brings results that are on the host to the device, once the queue has come so far. raises: NOMEM,
 * DEVICE | waits: for copies from a third device */
jg_status run_blocks_store_results(run_blocks *blocks, const jg_plan *plan);

/* Launches may be held back between these two; what still is at the end is dropped. */
void run_blocks_begin(run_blocks *blocks);
void run_blocks_end(run_blocks *blocks);

/* Gives the queue a launch, or holds it back. raises: NOMEM, DEVICE */
jg_status run_blocks_launch(run_blocks *blocks, device_code *code, const device_start *start);

/* Submits the launches that are held back, before the queue gets another command. raises: NOMEM,
 * DEVICE */
jg_status run_blocks_cut(run_blocks *blocks);

/* Waits until the queue has run everything, also what was held back. raises: the first failure of
 * launches */
jg_status run_blocks_finish(run_blocks *blocks);

/* A mark after all work that the queue was given, for device_mark_finish; launches that were held
 * back are submitted before. gives: false if there is no queue, or no memory for a mark */
bool run_blocks_mark(run_blocks *blocks, void **mark);

void *run_blocks_queue(const run_blocks *blocks); /* borrowed; NULL if there is none */

#endif
