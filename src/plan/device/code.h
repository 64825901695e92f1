/* SPDX-License-Identifier: Apache-2.0 */
/* Private to plan: the forms of a launch on a device: printed works, programs that make up a
 * routine, calls of the device's library. code.c has the common part; a file for each family of
 * routines translates its calls. */
#ifndef JG_PLAN_CODE_H
#define JG_PLAN_CODE_H

#include "plan/plan.h"

/* code.c */

/* Makes the code of a launch on the device of that number. *out stays NULL if the device runs
 * nothing itself.
 * gives: *out, for plan_code_release, also after a failure | raises: NOMEM */
jg_status plan_code_of_program(int device, const jg_program *program, const program_space *space,
                               plan_code **out);
void plan_code_release(plan_code *code); /* NULL is fine */

/* One without work; *out stays NULL likewise. gives: *out, for plan_code_release | raises: NOMEM */
jg_status plan_code_new(int device, plan_code **out);
/* Memory for a program followed by its space, to be written.
 * gives: the program, for base_free, and *space in the same block; NULL when out of memory */
jg_program *plan_alloc_program(int nbuffers, int ndim, program_space **space);

/* Makes it one work, which lies in memory, for base_free, and asks the printer for it. memory: NULL
 * fails, with NOMEM. takes: memory | raises: NOMEM */
jg_status plan_code_print(plan_code *code, device_work work, void *memory);

/* Makes `code` a code of at most `limit` parts, with no part yet. kind is PLAN_CODE_PARTS or a kind
 * after it; the details of the kind are zeroed. The code counts as taken until a part is refused.
 * raises: NOMEM */
jg_status plan_code_divide(plan_code *code, plan_code_kind kind, int limit);

/* Adds a part of the program to those that the code can hold, or keeps why it is not taken. space:
 * of the program; simplified in place | raises: NOMEM */
jg_status plan_add_part(const jg_program *program, program_space *space, plan_part part,
                        plan_code *code);

/* Counts the part that was written behind the others; without own code, or where that is
 * refused, code is neither. */
void plan_code_count(plan_code *code);

/* An instruction of one or two operands. gives, raises: as program_apply */
static inline jg_status plan_apply(jg_program *program, program_op op, int x, int y, int *out)
{
    int src[] = {x, y};
    return program_apply(program, op, program_inst_rows[op].arity, src, out);
}

/* The dtype of bits that elements are moved as, so that a device needs no arithmetic in theirs. */
jg_dtype plan_moved_dtype(jg_dtype dtype);

/* How the device makes the launch, for explain: " by its library", or what the printer says.
 * gives: a static string */
const char *plan_code_way(const plan_code *code);

/* Whether the device runs the launch of that code, which may be NULL. */
static inline bool plan_code_is_taken(const plan_code *code)
{
    return code != NULL && code->taken;
}

/* code_routine.c */

/* Like plan_code_of_program, for a routine.
 * gives: *out, for plan_code_release, also after a failure | raises: NOMEM */
jg_status plan_code_of_routine(int device, jg_primitive primitive, const routine_call *call,
                               plan_code **out);

/* parts.c */

/* The programs that a call with a result becomes: where all are taken, the code is; else it has the
 * refusal. gives: PLAN_CODE_PARTS, also after a failure | raises: NOMEM */
jg_status plan_concat(const routine_call *call, plan_code *code);
jg_status plan_repeat_times(const routine_call *call, plan_code *code); /* by one number */
jg_status plan_extremum_index(const routine_call *call, plan_code *code);

/* gather.c */

/* The same of a gather, also one without a result whose index arrays have numbers to look at.
 * gives: PLAN_CODE_GATHER, as plan_concat | raises: NOMEM */
jg_status plan_gather(const routine_call *call, plan_code *code);

/* parts.c and gather.c, for others */

/* Adds a part that copies the operand to where the result begins; in program it is written.
 * raises: NOMEM */
jg_status plan_add_copy(const routine_call *call, int operand, jg_program *program,
                        plan_code *code);

/* gather.c */

/* Adds a part that finds the least and the largest number of an index array that has some; space
 * is for three buffers. raises: NOMEM */
jg_status plan_add_range(const routine_call *call, int operand, jg_program *program,
                         program_space *space, plan_code *code);

/* cumulative.c */

/* The work of running results, with some. gives: PLAN_CODE_PRINTED | raises: NOMEM */
jg_status plan_cumulative(const routine_call *call, plan_code *code);

/* product.c */

/* The work of a product with a result, or the device's library for it; programs and the work of one
 * whose matrices index arrays choose, also of one without a result; the work of one of segments.
 * gives: PLAN_CODE_PRINTED or PLAN_CODE_LIBRARY; PLAN_CODE_GATHER, as plan_concat;
 * PLAN_CODE_PRINTED | raises: NOMEM, DEVICE */
jg_status plan_product(const routine_call *call, plan_code *code);
jg_status plan_gather_product(const routine_call *call, plan_code *code);
jg_status plan_segmented_product(const routine_call *call, plan_code *code);

/* fourier.c, convolve.c and pool.c */

/* fourier.c, convolve.c, pool.c */

/* The works of transforms and convolutions, and the program of a pooling, with a result.
 * gives: PLAN_CODE_PRINTED, or PLAN_CODE_PARTS of two axes; PLAN_CODE_PRINTED;
 * PLAN_CODE_ADDRESSING, as plan_concat | raises: NOMEM */
jg_status plan_fourier(const routine_call *call, plan_code *code);
jg_status plan_convolve(const routine_call *call, plan_code *code);
jg_status plan_pool(const routine_call *call, plan_code *code);

/* sort.c */

/* The works of a sort and of a search, with a result. gives: PLAN_CODE_PRINTED | raises: NOMEM */
jg_status plan_sort(const routine_call *call, plan_code *code);
jg_status plan_search(const routine_call *call, plan_code *code);

/* scatter.c */

/* The programs of a scatter, and the work that takes the updates in.
 * gives: PLAN_CODE_SCATTER, as plan_concat | raises: NOMEM */
jg_status plan_scatter(const routine_call *call, plan_code *code);

/* extend.c */

/* The same of an extend with a result.
 * gives: PLAN_CODE_ADDRESSING, as plan_concat | raises: NOMEM */
jg_status plan_extend(const routine_call *call, plan_code *code);

/* repeat.c */

/* The same of a repeat by starts, with a result. gives, raises: as plan_extend */
jg_status plan_repeat(const routine_call *call, plan_code *code);

#endif
