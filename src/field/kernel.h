/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as objects, and how a launch works.
 *
 * A launch checks the arguments (arguments.c), finds or makes the code for their layouts
 * (variants.c), evaluates what still reads what is going to be written, and calls the code with a
 * host that shares its loops among the pool's threads and takes its messages (host.c). */
#ifndef JG_FIELD_KERNEL_H
#define JG_FIELD_KERNEL_H

#include "kernel/compiler.h"
#include "kernel/kernel.h"
#include "run/run.h"
#include <joggle/kernel.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct field_variant field_variant;

/* A kernel and its compiled code. Threads launch it without a lock: its program never changes, and
 * variants are only added. */
struct jg_kernel {
    atomic_int refs;
    int naxes;                           /* of all arrays together */
    kernel_program program;              /* verified; never changes */
    _Atomic(field_variant *) variants;   /* a list that only grows, variants.c */
    _Atomic(struct ported_code *) texts; /* likewise, for devices: ported.c */
    int first_axes[];                    /* of each array, counted through all of them */
};

/* The kernel of a verified program.
 * takes: program, on JG_OK, leaving nothing in it | gives: *out, +1 | raises: NOMEM */
jg_status field_kernel_take_program(kernel_program *program, jg_kernel **out);

/* Sets the compiler of kernels; there is none until the runtime calls this. keeps: compiler, 
 * forever */
void field_set_compiler(const kernel_compiler *compiler);

/* The same for the printer of kernels for devices. keeps: printer, forever */
struct kernel_printer;
void field_set_printer(const struct kernel_printer *printer);

/* arguments.c */

/* The facts about an array's strides that are known before the kernel is compiled. */
typedef enum field_array_layout {
    LAYOUT_GENERAL, /* what the kernel declares; 0, as find_general in variants.c relies on */
    LAYOUT_UNIT,    /* elements of the last axis lie side by side */
    LAYOUT_DENSE    /* row-major without gaps */
} field_array_layout;

/* One launch's arguments, in a block of the caller's. Extents and strides of all arrays follow each
 * other, from jg_kernel.first_axes on; strides are in bytes, and 0 where the extent is at most
 * 1. */
typedef struct field_launch {
    jg_kernel *kernel;
    void **addresses;
    const char **low, **high; /* the memory that each array spans; equal for an empty one */
    int64_t *extents, *strides;
    uint64_t *scalars, *results; /* the bytes of their dtype, in the low end */
    uint8_t *layouts;            /* field_array_layout of each array */
} field_launch;

/* The length of the block, in words of 8 bytes; and its division. Nothing in it is set.
 * field_launch_init borrows kernel and words as long as the launch is used. */
size_t field_launch_nwords(const jg_kernel *kernel);
void field_launch_init(jg_kernel *kernel, uint64_t *words, field_launch *out);

/* Checks one argument and writes it into the block; an array must be taken before
 * field_launch_overlaps. keeps: nothing | raises: as jg_kernel_run, for what is wrong with an
 * argument */
jg_status field_launch_take_array(field_launch *launch, uint32_t array, const jg_view *view);
jg_status field_launch_take_scalar(field_launch *launch, uint32_t scalar, const jg_number *number);

/* Whether an element that is written through one array may be reached through another, or by other
 * indices of the same one, such as with a stride of 0. true if that is unknown. */
bool field_launch_overlaps(const field_launch *launch);

/* launch.c */

/* Makes kernels that run alone ready for forks. Before there are threads. */
void field_launch_install_hooks(void);

/* The seed of the next run's random numbers. */
uint64_t field_next_seed(void);

/* Gives the results of a launch that has run without a failure. */
void field_launch_give(const field_launch *launch, jg_number *results);

/* jg_kernel_run where all arrays are the host's. raises, waits: as that */
jg_status field_launch_on_host(jg_kernel *kernel, const jg_view *const *arrays,
                               const jg_number *scalars, jg_number *results);

/* device.c */

/* jg_kernel_start where some array is not the host's. loans: NULL where there are none. raises,
 * waits: as that */
jg_status field_launch_on_device(jg_kernel *kernel, const jg_view *const *arrays,
                                 const jg_kernel_loan *loans, const jg_number *scalars,
                                 jg_number *results);

/* variants.c */

/* The code for arrays of these layouts. At most a few for each kernel are made, the general one
 * after them. gives: *out, valid while the kernel is held | raises: UNSUPPORTED, NOMEM, LIBRARY */
jg_status variants_find(jg_kernel *kernel, const uint8_t *layouts, unsigned flags,
                        kernel_entry **out);
/* Writes the known layouts into the declarations, as though the kernel had declared them. */
void field_specialise(kernel_program *program, const uint8_t *layouts);
void variants_clear(jg_kernel *kernel); /* when the kernel is not running any more */

/* format.c */

/* Appends a value, the bytes of a type of kernels, in the format that the message asks for. */
void field_format_value(jg_dtype type, uint64_t bits, const kernel_piece *piece, base_text *out);

/* sums.c */

/* Runs a loop that only adds to some small arrays on several threads, each with arrays of its own.
 * count, grain: as pool_run; work: operations of the whole loop; frame: what the code gave the host
 * gives: false, and nothing has run, if atomics are faster */
bool sums_run(kernel_host *host, const kernel_loop *loop, const kernel_program *program,
              int64_t count, int64_t grain, int64_t work, void *frame);

/* host.c */

/* The host of one launch, on its stack. error may be read when host.failed is set and the code has
 * returned. */
typedef struct field_host {
    kernel_host host; /* what the code sees; first, as the functions cast it back */
    const kernel_program *program;
    atomic_bool reported; /* a thread has begun to write the error */
    unsigned begun;       /* requests to interrupt before the launch */
    pthread_t caller;
    int64_t next_look; /* when the caller asks again; 0 before it has looked at the clock */
    jg_error error;
} field_host;

/* keeps: program, while the launch runs */
void field_host_init(field_host *out, const kernel_program *program);

#endif
