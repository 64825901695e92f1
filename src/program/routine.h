/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between fuse and joggle's own routines: work on whole arrays that is no flat
 * program, such as scans, gathers and concatenation. A routine reads its inputs from memory in
 * whatever layout they have, and writes dense row-major results, mostly one. */
#ifndef JG_PROGRAM_ROUTINE_H
#define JG_PROGRAM_ROUTINE_H

#include "tensor/tensor.h"

typedef enum routine_id {
#define JG_ROUTINE(NAME, name, meaning) ROUTINE_##NAME,
#define JG_LIBRARY_ROUTINE JG_ROUTINE
#include "routine.def"
#undef JG_ROUTINE
    ROUTINE_COUNT,
    ROUTINE_NONE = ROUTINE_COUNT
} routine_id;

#define ROUTINE_MAX_VALUES 4

/* What SCAN carries along a line. */
typedef enum routine_scan_kind {
    ROUTINE_SCAN_SUM,
    ROUTINE_SCAN_PRODUCT,
    ROUTINE_SCAN_MAXIMUM,
    ROUTINE_SCAN_MINIMUM,
    ROUTINE_SCAN_LOG_SUM,
    ROUTINE_SCAN_KINDS
} routine_scan_kind;

/* What FFT transforms. */
typedef enum routine_fft_kind {
    ROUTINE_FFT_FORWARD,
    ROUTINE_FFT_BACKWARD,
    ROUTINE_FFT_FROM_REAL, /* forward, half of a Hermitian sequence */
    ROUTINE_FFT_TO_REAL    /* the way back */
} routine_fft_kind;

/* What FFT divides by, for a line of n numbers. */
typedef enum routine_fft_norm {
    ROUTINE_FFT_BY_NOTHING,
    ROUTINE_FFT_BY_ROOT, /* the square root of n */
    ROUTINE_FFT_BY_N
} routine_fft_norm;

/* How an array goes on past its ends, for EXTEND. */
typedef enum routine_extend_mode {
    ROUTINE_EXTEND_CONSTANT,  /* with the fill */
    ROUTINE_EXTEND_EDGE,      /* with its last element */
    ROUTINE_EXTEND_REFLECT,   /* backwards, the last element once */
    ROUTINE_EXTEND_SYMMETRIC, /* backwards, the last element twice */
    ROUTINE_EXTEND_WRAP       /* from its other end */
} routine_extend_mode;

/* The numbers of CONVOLVE and POOL: for each of three axes of space one number of each kind, in
 * this order, as int64. Fewer axes are the last ones; the others have an extent of 1. */
enum { ROUTINE_SPACE_AXES = 3 };

typedef enum routine_geometry {
    ROUTINE_STRIDE,   /* from a result to the next */
    ROUTINE_DILATION, /* from a tap to the next */
    ROUTINE_BEFORE,   /* zeros before the first element; negative: elements left out */
    ROUTINE_SPREAD,   /* CONVOLVE: from an element to the next, zeros between */
    ROUTINE_WINDOW,   /* POOL: taps */
    ROUTINE_AFTER,    /* POOL: zeros after the last element */
    ROUTINE_GEOMETRIES
} routine_geometry;

/* How a quantised matrix is stored: what its codes stand for, and the scales of its groups. */
typedef enum routine_quantized_mode {
    ROUTINE_QUANTIZED_AFFINE, /* whole numbers; floats for scales, and biases */
    ROUTINE_QUANTIZED_MXFP4,  /* E2M1; powers of two as E8M0 */
    ROUTINE_QUANTIZED_MXFP8,  /* E4M3; likewise */
    ROUTINE_QUANTIZED_NVFP4,  /* E2M1; E4M3 */
    ROUTINE_QUANTIZED_MODES
} routine_quantized_mode;

/* What QUANTIZED_MATMUL is to do, as bits. */
#define ROUTINE_QUANTIZED_TRANSPOSED (1 << 0) /* x @ w.T */
#define ROUTINE_QUANTIZED_GATHERED (1 << 1)   /* the last two inputs say which matrices meet */

/* How an operand lies. Strides are in elements and may be zero or negative. */
typedef struct routine_operand {
    jg_dtype dtype;
    int ndim;
    int64_t size;
    const int64_t *shape, *strides;
} routine_operand;

/* One use of a routine. The inputs come first, the results last. */
typedef struct routine_call {
    int noperands;
    int nresults; /* of the operands; see routine_wants */
    const routine_operand *operands;
    void *const *addresses; /* of the elements at index zero; NULL while a plan is made */
    int64_t values[ROUTINE_MAX_VALUES];
    int threads;   /* that share the units; 1 while a plan is made. No result depends on it */
    void *scratch; /* as much as the routine asked for, aligned to 256 bytes, not cleared */
} routine_call;

/* Whether anybody wants a result, counted from 0. One that nobody does has no shape and no address,
 * and may be left out if that is cheaper. Known while a plan is made. */
static inline bool routine_wants(const routine_call *call, int result)
{
    return call->operands[call->noperands - call->nresults + result].shape != NULL;
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
     * ranges at once. raises: what the data deserve (INDEX, VALUE, LINALG), and LIBRARY */
    jg_status (*run)(const routine_call *call, int step, int64_t first, int64_t last);

    /* About the number of scalar operations; decides whether threads share them. Optional: the
     * elements of all operands. */
    int64_t (*work)(const routine_call *call);

    /* Bytes of scratch that the units of all steps share. Optional: 0. */
    size_t (*scratch)(const routine_call *call);

    /* Whether the result may lie in the memory of the first operand, where that has the result's
     * layout and nobody reads it after this call. The addresses tell whether it does. */
    bool in_place;
} jg_routine;

#endif
