/* SPDX-License-Identifier: Apache-2.0 */
/* The interfaces between plan, run and whatever runs programs and library calls on the host, and between
 * field and the compiler of kernels.
 *
 * A tier turns a program and its space into code, once, and runs that code with addresses and
 * scalars, many times and from several threads at once. Work is counted in units that can be run
 * in any order and in parallel; how much a unit is, is the tier's choice (about 32 KiB of
 * results). */
#ifndef JG_PROGRAM_EXECUTOR_H
#define JG_PROGRAM_EXECUTOR_H

#include "program/kernel.h"
#include "program/program.h"

#define EXECUTOR_SHARED_NBYTES (32 << 10) /* lies on the stack of whoever runs the launch */

/* Results of this size and more are written past the caches: they would not be found there again
 * (half of a last-level cache). */
#define EXECUTOR_STREAM_NBYTES ((int64_t)16 << 20)

typedef struct executor_code executor_code; /* a tier's own; first member is its executor */

typedef struct jg_executor {
    const char *name;

    /* Whether the tier can run the program. Required; must not block; any thread. */
    bool (*accepts)(const jg_program *program);

    /* Makes code. Borrows both; copies what it needs. Required; any thread; may take long.
     * gives: *out, for release | raises: NOMEM, UNSUPPORTED */
    jg_status (*prepare)(const jg_program *program, const program_space *space,
                         executor_code **out);

    /* The number of units of the code's whole space; 0 for an empty one. Required; must not
     * block. */
    int64_t (*units)(const executor_code *code);

    /* How many elements of the space, in the order of its loops, each unit but the last covers;
     * 0 if units do not cover runs of equal length. Required; must not block. */
    int64_t (*unit_elements)(const executor_code *code);

    /* Runs units first to last - 1. addresses has one entry per program buffer: that of the
     * element at index zero (INDEX buffers: the offset, cast to a pointer). scalars has each
     * value in its dtype's own bytes. shared is uninitialised memory of EXECUTOR_SHARED_NBYTES,
     * 64-byte aligned, that belongs to all units of one launch until its finish. Never fails; needs
     * no heap beyond the thread's scratch. Required; any thread. */
    void (*run)(const executor_code *code, void *const *addresses, const jg_scalar *scalars,
                void *shared, int64_t first, int64_t last);

    /* Ends a launch once all its units have run: makes results of what they left in shared memory.
     * Arguments as for run. Required; must not block; any thread. */
    void (*finish)(const executor_code *code, void *const *addresses, const jg_scalar *scalars,
                   void *shared);

    /* Required; any thread. */
    void (*release)(executor_code *code);
} jg_executor;

/* One matrix product C = A B, of m by k and k by n matrices; strides in elements. The elements of a
 * row of C lie side by side, and what C holds on entry is not read. k may be 0: C is zero then. */
typedef struct matmul_call {
    jg_dtype dtype;
    int64_t m, n, k;
    const void *a, *b;
    void *c;
    int64_t a_row, a_column, b_row, b_column, c_row;
} matmul_call;

/* What a launch hands to the code. Arrays and scalars are numbered as in the kernel; axes are
 * counted through all arrays, so array a's first axis is at the sum of the ndim of those before
 * it. */
typedef struct kernel_arguments {
    void *const *addresses;  /* of each array's element at index zero; anything where it is empty */
    const int64_t *extents;  /* of each axis */
    const int64_t *strides;  /* in bytes, of each axis; also of dense arrays */
    const uint64_t *scalars; /* the value in the low bytes */
    uint64_t *results;       /* likewise; written before the code returns */
    uint64_t seed;           /* of RANDOM */
} kernel_arguments;

/* Runs the indices first to last - 1 of a parallel loop, counted row-major through its ranges.
 * frame is what the code made for the loop: the values that come from outside it, locals,
 * arguments. */
typedef void kernel_body(void *frame, int64_t first, int64_t last);

/* A dense array to whose elements a loop does nothing but add: a thread may be given one of its
 * own, full of zeros, which merge then adds to the array. */
typedef struct kernel_sum {
    int64_t array, first_axis, ndim, itemsize;
    void (*merge)(void *into, const void *from, int64_t count); /* count: elements */
} kernel_sum;

/* A parallel loop, as the code hands it over. The frame begins with a pointer to the launch's
 * arguments, and every body reads what it needs from there. */
typedef struct kernel_loop {
    kernel_body *body;
    kernel_body
        *alone;    /* the same without atomics, for one thread beside which nobody runs; or body */
    int64_t grain; /* indices to a chunk, 0 leaves it to the host */
    int64_t work;  /* about the operations of one index, 0 if unknown */
    /* Where nsums is not 0: alone may also run beside others, each but one on a copy of the frame
     * and of the arguments in which these arrays are its own. */
    int64_t frame_nbytes, nsums;
    const kernel_sum *sums;
} kernel_loop;

/* A stack of a kernel's, in the code's own frame: zeroed when the function is entered, emptied
 * where it is declared, and given back by drop on every way out of the function. */
typedef struct kernel_stack {
    void *data;
    int64_t count, capacity; /* in values */
} kernel_stack;

/* What the code calls. The launcher makes one for each launch. */
typedef struct kernel_host {
    /* Not 0 once an assertion has failed or the launch is interrupted: the code loads it, relaxed,
     * after each parallel loop and in its bodies once a chunk, and returns. */
    atomic_uint failed;

    /* Calls the loop's body for chunks that together make up 0 to count - 1, on this thread and on
     * others, and returns when all have run. */
    void (*parallel)(struct kernel_host *host, int64_t count, const kernel_loop *loop, void *frame);

    /* An ASSERT that does not hold, and a PRINT: position is the instruction's, values those of the
     * message, each in the low bytes; of an index out of bounds: that of the access; the axis, the
     * index and the extent. After fail the code returns from entry or body. Any
     * thread. */
    void (*fail)(struct kernel_host *host, uint32_t position, const uint64_t *values);
    void (*print)(struct kernel_host *host, uint32_t position, const uint64_t *values);

    /* Makes room for more values of itemsize bytes where count is capacity; drop gives the memory
     * back and empties the stack. Without memory the launch fails, grow gives false, and the code
     * returns as after fail. Any thread. */
    bool (*grow)(struct kernel_host *host, kernel_stack *stack, size_t itemsize);
    void (*drop)(struct kernel_host *host, kernel_stack *stack);

    /* Whether the launch is to end before it is done: asked by serial loops, every some thousand
     * turns. Where it gives true, the code returns as after fail. Any thread. */
    bool (*ends)(struct kernel_host *host);
} kernel_host;

typedef void kernel_entry(const kernel_arguments *arguments, kernel_host *host);

#define COMPILE_NO_ALIAS                                                                           \
    (1u << 0)                    /* what is written through one array is reached through no other */
#define COMPILE_EXACT (1u << 1)  /* every instruction rounds once: no contraction */
#define COMPILE_BOUNDS (1u << 2) /* indices are looked at, as kernel_find_bounds says */
#define COMPILE_NARROW (1u << 3) /* extents are below 2^31; matters with BOUNDS alone */
#define COMPILE_BOUNDS_ALL (1u << 4) /* indices are looked at where that takes time, too */

typedef struct kernel_code kernel_code; /* a compiler's own */

typedef struct jg_compiler {
    const char *name;

    /* Makes code of a verified kernel, in which extents and strides that the launcher knows stand
     * in the declarations of arrays. Borrows the kernel; copies what it needs. Required; any
     * thread; may take long. gives: *out, for release | raises: NOMEM, UNSUPPORTED, LIBRARY if the
     * compiler is not there */
    jg_status (*compile)(const kernel_program *kernel, unsigned flags, kernel_code **out);

    /* What the launch calls; valid until release. Required; must not block; any thread. */
    kernel_entry *(*entry)(const kernel_code *code);

    /* Required; any thread; nobody runs the code any more. */
    void (*release)(kernel_code *code);
} jg_compiler;

#endif
