/* SPDX-License-Identifier: Apache-2.0 */
/* The differences between the languages that kernels are printed in. A kernel's text uses the same
 * names in all dialects, and the dialect's header defines them: types (uint8_t), KERNEL, KERNEL_OF,
 * FUNCTION, MEMORY, LOCAL, PRIVATE, MADE, ALIGNED, UNROLL, LANES, LANES_16, GROUP_ID, ITEM_ID,
 * GROUP_ITEMS, BARRIER, C's functions with the width of what they take (sqrt_f32), bits_of_f32 and
 * the like. Where the dialect has vectors, the header also defines VECTOR, VECTOR_AT, STORE_VECTOR
 * and JOIN_VECTOR, for eight float32 each: products for DEVICE_LANES are printed in these. */
#ifndef JG_SOURCE_DIALECT_H
#define JG_SOURCE_DIALECT_H

#include "device/printer.h"

typedef struct source_dialect {
    const char *name;
    const char *header; /* before everything else */
    bool vectors;       /* whether the header defines those */
    const char *wide;   /* after it, where the device has float64; or NULL */
    const char
        *atomics; /* before texts of kernels that exchange words: CAS32, ADD32, and REASSOCIATED
                                  at the begin of a block whose sums may be in any order */
    const char *atomics_64;      /* likewise CAS64, where the device has those; or NULL */
    const char *tensor_cores;    /* before texts of kernels that use those; or NULL */
    const char *block_space;     /* before a block that is handed over by value */
    const char *block_reference; /* before its name */
    const char *position;        /* after a parameter, before its position and "]]"; or NULL */
    const char *ids;             /* after the last parameter */
    const char *fence;           /* a statement, for memory that all work items see */
    const char *flags;           /* of the compiler */
    const char *division;        /* a flag for division and roots that round correctly */
} source_dialect;

extern const source_dialect source_opencl, source_cuda, source_hip, source_metal;
extern const char source_tensor_cores[]; /* of CUDA */

#endif
