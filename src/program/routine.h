/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between plan, run and joggle's own routines: work on whole arrays that is no flat
 * program, such as cumulative sums, gathers and concatenation. A routine reads its inputs from
 * memory in whatever layout they have, and writes dense row-major results, mostly one. */
#ifndef JG_PROGRAM_ROUTINE_H
#define JG_PROGRAM_ROUTINE_H

#include "op/primitive.h"
#include "tensor/tensor.h"

/* How an operand lies. Strides are in elements and may be zero or negative. */
typedef struct routine_operand {
    jg_dtype dtype;
    int ndim;
    int64_t size;
    const int64_t *shape, *strides;
} routine_operand;

/* With fewer terms than this for an element of a product or a convolution, no operand is read
 * beside the results: it would not arrive in time, and two launches, of which the second reads in
 * order, take less time. */
enum { ROUTINE_LEAST_BESIDE = 24 };

/* One use of a routine. The inputs come first, the results last. */
typedef struct routine_call {
    int noperands;
    int nresults; /* of the operands; see routine_wants */
    const routine_operand *operands;
    void *const *addresses; /* of the elements at index zero; NULL while a plan is made */
    const primitive_attributes *attributes; /* those of the routine's primitive */
    int threads;   /* that share the units; 1 while a plan is made. No result depends on it */
    bool followed; /* whether results are read as soon as their unit has run */
    /* The operand that is read together with the results then, in the same order and with elements
     * of the same size. A routine may prefetch it while it computes the results. NULL: none. */
    const char *beside;
    void *scratch; /* as much as the routine asked for, aligned to BASE_BLOCK_ALIGNMENT, not
                    * cleared */
    /* Of a routine that waits: whether it is to stop, with its argument. */
    bool (*stops)(void *context);
    void *context;
    uint64_t order; /* likewise: of a message, greater than those of messages that were built before
                     * it; 0 if it is not known */
} routine_call;

/* Whether result number i is needed. One that is not has no shape and no address, and may be left
 * out if that is cheaper. Known while a plan is made. */
static inline bool routine_wants(const routine_call *call, int result)
{
    return call->operands[call->noperands - call->nresults + result].shape != NULL;
}

/* The flops of a product: two for each term of an element. The first operand's last axis is the one
 * that is summed. */
static inline double program_product_flops(const routine_call *call)
{
    const routine_operand *x = &call->operands[0], *y = &call->operands[call->noperands - 1];
    return 2.0 * (double)y->size * (double)x->shape[x->ndim - 1];
}

typedef struct jg_routine {
    const char *name;

    /* How many steps there are; a step begins when all units of the one before it have run.
     * Optional: 1. Borrows the call; must not block; called while planning and at each run. */
    int (*steps)(const routine_call *call);

    /* The units of a step, which run in any order and in parallel; 0 skips it. Required; as
     * above. */
    int64_t (*units)(const routine_call *call, int step);

    /* Runs units first to last - 1 of a step. Required; any thread; may be called for several
     * ranges at once. raises: INDEX, VALUE or LINALG for data that the routine refuses, LIBRARY */
    jg_status (*run)(const routine_call *call, int step, int64_t first, int64_t last);

    /* About the number of scalar operations, by which plan decides whether threads share the units.
     * Optional: the elements of all operands. */
    int64_t (*work)(const routine_call *call);

    /* The multiplications and additions of elements, for traces. Optional: 0, which stands for a
     * number that is not known. */
    double (*flops)(const routine_call *call);

    /* Bytes of scratch that the units of all steps share. Optional: 0. */
    size_t (*scratch)(const routine_call *call);

    /* The elements of the only result that a unit of the last step writes, if these follow each
     * other row-major and each unit goes on where the one before it ended: they may be used while
     * other units are still to run. false if this call has no such units. Optional: no call has.
     * out: from *first up to *last */
    bool (*covers)(const routine_call *call, int64_t unit, int64_t *first, int64_t *last);

    /* Whether the result may lie in the memory of the first operand, if that has the result's
     * layout and is not read after this call. The addresses tell whether it does. */
    bool in_place;

    /* For a routine that waits for other processes; NULL for others. It runs as one unit on one
     * thread, calls call->stops from time to time, and stops by returning INTERRUPTED. Then it is
     * run again with the same addresses, or abandoned, after which its memory is freed. Any
     * thread. */
    void (*abandon)(const routine_call *call);

    /* Of such a routine: called instead of run for a call that does not run, as what it needs has
     * failed. order: as in its call. Any thread. */
    void (*skip)(const primitive_attributes *attributes, uint64_t order);
} jg_routine;

/* routine.c */

/* Fails for an index array's number, which may be one of 64 bits without a sign.
 * raises: INDEX, always */
jg_status program_fail_index(int64_t number, bool is_unsigned, int axis, int64_t extent);

#endif
