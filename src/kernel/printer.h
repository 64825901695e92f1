/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between field, which launches users' kernels on devices, and what prints kernels as
 * source of a device.
 *
 * Each part of a kernel that is cut (cut.h) becomes one kernel of the text, which takes a buffer
 * for each array, one for the launch's own memory, and a block of words. */
#ifndef JG_KERNEL_PRINTER_H
#define JG_KERNEL_PRINTER_H

#include "device/printer.h"
#include "kernel/kernel.h"

/* The launch's own memory on the device: first what the host reads when it is over. */
enum {
    KERNEL_MEMORY_FAILED = 0,   /* a uint32, not 0 once an index or an assertion is wrong */
    KERNEL_MEMORY_POSITION = 4, /* a uint32: the instruction that failed */
    KERNEL_MEMORY_DRAWS = 8,    /* a uint64: random numbers that serial parts have drawn */
    KERNEL_MEMORY_USED = 16,    /* a uint32: words of the ring that are written */
    KERNEL_MEMORY_LOST = 20,    /* a uint32: not 0 if something did not fit the ring */
    KERNEL_MEMORY_HEAD = 64,    /* zeros when the launch begins; then the values of the failure */
    KERNEL_RING_WORDS = 1 << 16
};

/* The positions of words in a block. */
typedef struct kernel_words {
    int items; /* how many items the step has in all */
    int seed;
    int scalars;                   /* a word for each: the value in its low bytes */
    int extents, strides, offsets; /* for each axis of all arrays, and for each array, in bytes */
    int count;
} kernel_words;

typedef struct kernel_printed_part {
    uint32_t position; /* its first instruction, which is a body's PARALLEL */
    bool is_body;
    int entry, kernel; /* of the unit */
} kernel_printed_part;

/* A printed kernel. Immutable; any thread may use it. */
typedef struct kernel_printed {
    device_unit unit; /* its entries take buffers in the order of arrays, and the memory behind */
    kernel_words words;
    uint32_t results, ring, nbytes; /* offsets in the launch's memory, and its length */
    bool fails, prints, has_head;   /* whether the head of the memory is used at all */
    int group, limit;               /* items of a group, and groups that a body is given at most */
    uint32_t nparts;                /* parts without effect are left out */
    kernel_printed_part *parts;
} kernel_printed;

#define KERNEL_PRINT_NO_ALIAS (1u << 0) /* as COMPILE_NO_ALIAS and COMPILE_NARROW (compiler.h) */
#define KERNEL_PRINT_NARROW (1u << 1)

typedef struct kernel_printer kernel_printer;
struct kernel_printer {
    const char *name;

    /* Prints a verified kernel that is cut. Required; any thread. gives: *out, for release; NULL
     * and *refusal, which names what cannot run on the device | raises: NOMEM */
    jg_status (*print)(const device_facts *facts, const kernel_program *kernel, unsigned flags,
                       kernel_printed **out, device_refusal *refusal);

    /* Required; any thread. */
    void (*release)(kernel_printed *text);
};

#endif
