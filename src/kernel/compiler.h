/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between field, which launches users' kernels, and the compiler: the arguments of a
 * launch, the functions that the code calls back, and the compiler itself. */
#ifndef JG_KERNEL_COMPILER_H
#define JG_KERNEL_COMPILER_H

#include "kernel/kernel.h"
#include <stdatomic.h>

/* The arguments of a launch to the code. Arrays and scalars are numbered as in the kernel; axes are
 * counted through all arrays, so the first axis of array a is at the sum of the ndim of the arrays
 * before it. */
typedef struct kernel_arguments {
    void *const *addresses;  /* of each array's element at index zero; undefined if it is empty */
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

/* A parallel loop, as the code passes it to the host. The frame begins with a pointer to the
 * launch's arguments, from which every body reads. */
typedef struct kernel_loop {
    kernel_body *body;
    kernel_body
        *alone;    /* the same without atomics, for when one thread runs the loop alone; or body */
    int64_t grain; /* indices to a chunk, 0 leaves it to the host */
    int64_t work;  /* about the operations of one index, 0 if unknown */
    /* If nsums is not 0, several threads may run `alone` at the same time: one on the launch's
     * arrays, and each other on a copy of the frame and of the arguments with arrays of its own for
     * these sums. */
    int64_t frame_nbytes, nsums;
    const kernel_sum *sums;
} kernel_loop;

/* A stack of a kernel, in the code's own frame. It is zeroed when the function is entered, emptied
 * where it is declared, and freed by drop at every exit of the function. */
typedef struct kernel_stack {
    void *data;
    int64_t count, capacity; /* in values */
} kernel_stack;

/* The state and the functions of the launcher that the code uses. The launcher makes one for each
 * launch. */
typedef struct kernel_host {
    /* Not 0 once an assertion has failed or the launch is interrupted: the code loads it, relaxed,
     * after each parallel loop and once a chunk in bodies, and returns if it is set. */
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

    /* Makes memory for more values of itemsize bytes where count is capacity; drop gives the memory
     * back and empties the stack. Without memory the launch fails, grow gives false, and the code
     * returns as after fail. Any thread. */
    bool (*grow)(struct kernel_host *host, kernel_stack *stack, size_t itemsize);
    void (*drop)(struct kernel_host *host, kernel_stack *stack);

    /* Whether the launch must end early: serial loops ask every few thousand iterations. If it
     * gives true, the code returns as after fail. Any thread. */
    bool (*ends)(struct kernel_host *host);
} kernel_host;

typedef void kernel_entry(const kernel_arguments *arguments, kernel_host *host);

#define COMPILE_NO_ALIAS (1u << 0)   /* no array overlaps one that is written */
#define COMPILE_EXACT (1u << 1)      /* every instruction rounds once: no contraction */
#define COMPILE_BOUNDS (1u << 2)     /* indices are checked, as kernel_find_bounds says */
#define COMPILE_NARROW (1u << 3)     /* extents are below 2^31; matters with BOUNDS alone */
#define COMPILE_BOUNDS_ALL (1u << 4) /* indices are checked also where that takes time */

typedef struct kernel_code kernel_code; /* a compiler's own */

typedef struct kernel_compiler {
    const char *name;

    /* Makes code of a verified kernel that is cut (kernel/cut.h). Extents and strides that the
     * launcher knows are in the declarations of arrays. Borrows the kernel; copies what it needs.
     * Required; any thread; may take long.
     * gives: *out, for release | raises: NOMEM, UNSUPPORTED, LIBRARY if the compiler is not
     * there */
    jg_status (*compile)(const kernel_program *kernel, unsigned flags, kernel_code **out);

    /* The function that the launch calls. Required; must not block; any thread.
     * gives: borrowed, until release */
    kernel_entry *(*entry)(const kernel_code *code);

    /* Releases the code, which is not running any more. Required; any thread. */
    void (*release)(kernel_code *code);
} kernel_compiler;

#endif
