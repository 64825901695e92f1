/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between plan and run, which have flat programs and products, whatever prints them
 * as device source, and the devices that compile, load and start what is printed.
 *
 * A printer turns works into one text and says which kernels are in it. The text depends on the
 * programs, on the device's facts, on the number of loops and on which strides are 0 or an element
 * long, but not on extents, addresses and values: those come to a kernel as a block of 64-bit words
 * beside the buffers. A device compiles a text once. For each run it takes the steps of a launch in
 * order and starts, for each, a one-dimensional grid of groups. Nothing here is particular to one
 * language or driver.
 *
 * The kind of a work alone tells which member of its union there is. */
#ifndef JG_DEVICE_PRINTER_H
#define JG_DEVICE_PRINTER_H

#include "program/program.h"

typedef enum device_dialect {
    DEVICE_OPENCL_C, /* 1.2 */
    DEVICE_CUDA,
    DEVICE_HIP,
    DEVICE_METAL,
    DEVICE_DIALECT_COUNT
} device_dialect;

/* How work is laid out: LANES for processors whose items are loops of vector instructions (OpenCL
 * on CPUs), GROUP for those whose items run side by side (GPUs). */
typedef enum device_shape { DEVICE_LANES, DEVICE_GROUP } device_shape;

/* The facts that a back end tells about its device, once. */
typedef struct device_facts {
    uint8_t dialect;         /* device_dialect */
    uint8_t shape;           /* device_shape */
    bool f16;                /* arithmetic of float16; its storage needs no support */
    bool f64;                /* float64 */
    bool atomics_64;         /* on 64-bit integers */
    bool float_atomics;      /* additions to float32 */
    bool unified_memory;     /* the host's memory is the device's */
    bool exact_division;     /* division and square root of float32 can round correctly */
    bool tensor_cores;       /* products of halves by mma.sync, and copies beside them: cp.async */
    int lane_width;          /* items that run in step: 32 or 64; 1 where that means nothing */
    int group_limit;         /* most items of a group */
    int compute_units;       /* groups that run at the same time, at least 1 */
    int max_buffers;         /* of one kernel, the scratch memory and the block included */
    int64_t local_nbytes;    /* memory that the items of a group share */
    int64_t argument_nbytes; /* most bytes of all arguments of a kernel */
} device_facts;

/* Most loops of works that are no programs, and index arrays of a scatter. */
#define DEVICE_MAX_LOOPS 11
#define DEVICE_SCATTER_ARRAYS 10
#define DEVICE_PRODUCT_LOOPS 6 /* of batches */

/* The matrices of a product. STACKED: all, in their order. GATHERED: on either side, those that the
 * batch's numbers choose. SEGMENTED: for each batch the terms between two numbers. Numbers are
 * int64. */
typedef enum device_product_kind {
    DEVICE_STACKED,
    DEVICE_GATHERED,
    DEVICE_SEGMENTED
} device_product_kind;

/* The buffers of a product, as if a program had them; numbers come before the result: two buffers
 * where it gathers, one of segments. */
enum {
    DEVICE_PRODUCT_LEFT,
    DEVICE_PRODUCT_RIGHT,
    DEVICE_PRODUCT_OUT,
    DEVICE_PRODUCT_BUFFERS,
    DEVICE_PRODUCT_NUMBERS = DEVICE_PRODUCT_OUT,
    DEVICE_PRODUCT_MAX_BUFFERS = DEVICE_PRODUCT_BUFFERS + 2
};

/* batch products of rows x inner and inner x columns; strides in bytes, of each batch, row and
 * column in turn. Batches that are not evenly spaced have loops; then the first strides are 0. Of a
 * product that gathers those are from one matrix of a side to the next. The text depends on dtype,
 * widens, ndim and kind, and with tensor cores on which axis of a matrix is dense. */
typedef struct device_product {
    int64_t batch, rows, columns, inner;
    int64_t left[3], right[3], out[3];
    uint8_t dtype;     /* jg_dtype, of all three, unless the result widens */
    bool widens;       /* of halves: the result is float32, as the sums are */
    uint8_t ndim;      /* loops of batches; 0: none are needed */
    uint8_t kind;      /* device_product_kind */
    int64_t counts[2]; /* matrices of either side, where it gathers */
    int64_t pair;      /* bytes from the first number of a segment to the second */
    int64_t extents[DEVICE_PRODUCT_LOOPS];
    int64_t steps[DEVICE_PRODUCT_MAX_BUFFERS][DEVICE_PRODUCT_LOOPS]; /* of each buffer, in bytes */
} device_product;

/* Bytes from one turn of each loop to the next. */
typedef struct device_scatter_steps {
    int64_t columns[DEVICE_MAX_LOOPS], rows[DEVICE_MAX_LOOPS];
} device_scatter_steps;

/* Updates of a result, in order, at the positions that index arrays give. The text depends only on
 * the members before the extents, which are those of a run: ndim loops of columns, which always go
 * to different elements of the result, and as many loops of rows, whose elements the numbers
 * choose. */
typedef struct device_scatter {
    uint8_t dtype, op; /* jg_dtype; the program_op that joins element and update, COPY to set */
    uint8_t ndim, narrays;
    uint8_t array_dtypes[DEVICE_SCATTER_ARRAYS];
    bool varies;    /* whether numbers differ along the innermost loop of columns */
    bool is_narrow; /* columns, and all that may be made of them, are counted in 31 bits */
    int64_t columns[DEVICE_MAX_LOOPS], rows[DEVICE_MAX_LOOPS];
    int64_t target[DEVICE_MAX_LOOPS];                      /* steps of columns in the result */
    device_scatter_steps steps[1 + DEVICE_SCATTER_ARRAYS]; /* of the updates, of each array */
    struct device_scatter_axis {
        int64_t extent, stride; /* bytes in the result */
    } numbers[DEVICE_SCATTER_ARRAYS];
} device_scatter;

/* The buffers of a scatter, as if a program had them; the arrays follow. */
enum { DEVICE_SCATTER_RESULT, DEVICE_SCATTER_UPDATES, DEVICE_SCATTER_BUFFERS };

/* Running results of lines, whose loops are ndim; of x and of the result: the steps of these loops
 * and along a line, and where a line begins, in bytes. The text depends on what precedes length. */
typedef struct device_cumulative {
    uint8_t from, to, op; /* jg_dtype of either; the program_op that joins */
    uint8_t ndim;
    bool initial;   /* the first result is that of no elements, before those of the length
                       elements */
    bool is_narrow; /* lines, and all that may be made of them, are counted in 31 bits */
    int64_t length, extents[DEVICE_MAX_LOOPS];
    int64_t step[2], start[2], steps[2][DEVICE_MAX_LOOPS];
} device_cumulative;

/* Sorts the lines of x, equal elements in the order of their indices. The result has the first
 * `kept` elements of each line, or their indices, row-major. extents, steps and step are the loops
 * of x's lines, their steps, and the step along a line, in bytes. The text depends only on the
 * members before descending. */
typedef struct device_sort {
    uint8_t dtype;
    uint8_t ndim;
    bool indices;
    bool is_narrow; /* elements of all lines are counted in 31 bits */
    bool descending;
    int64_t length, kept, step;
    int64_t extents[DEVICE_MAX_LOOPS], steps[DEVICE_MAX_LOOPS];
} device_sort;

/* The largest number of elements in a line of a sort. */
#define DEVICE_SORT_LIMIT ((int64_t)1 << 31)

/* A search for the position of each wanted element among `count` sorted ones, in row-major order.
 * extents and steps are the loops of the wanted elements, step is that of the sorted ones, in
 * bytes. The text depends only on the members before count. */
typedef struct device_search {
    uint8_t dtype;
    uint8_t ndim;
    bool right;     /* behind elements that are equal */
    bool is_narrow; /* wanted elements are counted in 31 bits */
    int64_t count, step;
    int64_t extents[DEVICE_MAX_LOOPS], steps[DEVICE_MAX_LOOPS];
} device_search;

/* The buffers of both, as if a program had them. */
enum { DEVICE_SORT_X, DEVICE_SORT_RESULT, DEVICE_SORT_BUFFERS };
enum { DEVICE_SEARCH_SORTED, DEVICE_SEARCH_WANTED, DEVICE_SEARCH_RESULT, DEVICE_SEARCH_BUFFERS };

/* An axis of space of a convolution: taps of w, whose places in x are `stride` from a result to the
 * next and `dilation` from a tap to the next, `before` less. spread: places from an element of x to
 * the next, zeros between. */
typedef struct device_convolution_axis {
    int64_t in, out, taps, stride, dilation, before, spread;
    int64_t x_step, w_step, out_step; /* in bytes */
} device_convolution_axis;

#define DEVICE_CONVOLUTION_AXES 3

/* Sums over the taps and channels under a window. x_batch and so on: bytes along the other axes of
 * x, w and the result. The text depends on dtype and flip. */
typedef struct device_convolution {
    uint8_t dtype;                                    /* jg_dtype, of all three */
    bool flip;                                        /* taps in reverse */
    int64_t batch, groups, in_channels, out_channels; /* channels of a group */
    int64_t x_batch, x_channel, w_channel, w_result, out_batch, out_channel;
    device_convolution_axis axes[DEVICE_CONVOLUTION_AXES];
} device_convolution;

/* The buffers of a convolution, as if a program had them. */
enum {
    DEVICE_CONVOLUTION_X,
    DEVICE_CONVOLUTION_W,
    DEVICE_CONVOLUTION_OUT,
    DEVICE_CONVOLUTION_BUFFERS
};

/* Lines of complex or real numbers and their Fourier transforms. length: of the complex transform.
 * `read` numbers of each line of x are read, and `kept` numbers of each line of the result are
 * stored. half: a line of x is the first half of a line whose second half is the conjugate in
 * reverse order. The text depends only on the members before inverse. */
typedef struct device_fourier {
    uint8_t from, to; /* jg_dtype of either; float32 and complex64, or the wide ones */
    uint8_t ndim;
    bool half;   /* x is */
    bool chirps; /* some prime factor of the length is too large for a pass */
    bool inverse;
    int64_t length, read, kept, step[2];
    double scale; /* of the result */
    int64_t extents[DEVICE_MAX_LOOPS], steps[2][DEVICE_MAX_LOOPS];
} device_fourier;

/* A transform is of passes, each by a factor of its length; so large a factor is taken. Lengths
 * that need chirps are a quarter of the others at most. */
enum { DEVICE_FOURIER_FACTOR = 64 };
#define DEVICE_FOURIER_MAX_LENGTH ((int64_t)1 << 25)

/* The buffers of a transform, as if a program had them. */
enum { DEVICE_FOURIER_X, DEVICE_FOURIER_RESULT, DEVICE_FOURIER_BUFFERS };

typedef enum device_work_kind {
    DEVICE_WORK_PROGRAM,
    DEVICE_WORK_PRODUCT,
    DEVICE_WORK_SCATTER,
    DEVICE_WORK_CUMULATIVE,
    DEVICE_WORK_SORT,
    DEVICE_WORK_SEARCH,
    DEVICE_WORK_CONVOLUTION,
    DEVICE_WORK_FOURIER,
    DEVICE_WORK_COUNT
} device_work_kind;

/* The work that is to be printed; all pointers are borrowed. The kind tells which member of the
 * union is valid: a verified program and its space, or one of the other works. */
typedef struct device_work {
    device_work_kind kind;
    union {
        struct {
            const jg_program *program;
            const program_space *space;
        };
        const device_product *product;
        const device_scatter *scatter;
        const device_cumulative *cumulative;
        const device_sort *sort;
        const device_search *search;
        const device_convolution *convolution;
        const device_fourier *fourier;
    };
} device_work;

/* A work that is not taken: why not. */
typedef struct device_refusal {
    int position; /* of the instruction, -1 where it is none's fault */
    char message[160];
} device_refusal;

typedef enum device_argument_kind {
    DEVICE_ARGUMENT_BUFFER,  /* the handle of a buffer's memory; its offset is in the block */
    DEVICE_ARGUMENT_SCRATCH, /* the handle of memory of the launch's scratch_nbytes, for itself */
    DEVICE_ARGUMENT_BLOCK,   /* the step's words, by value */
    DEVICE_ARGUMENT_MEMORY   /* the handle of memory that holds the step's words, from its start */
} device_argument_kind;

typedef struct device_argument {
    uint16_t kind : 2;    /* device_argument_kind */
    uint16_t buffer : 14; /* BUFFER: index into the program's buffers */
} device_argument;

/* No work has more kernels, and no launch more steps. */
#define DEVICE_MAX_KERNELS 16
#define DEVICE_MAX_STEPS 32

/* The limits on a kernel's buffers and arguments: every OpenCL device accepts that many. */
#define DEVICE_MAX_BUFFERS 126
#define DEVICE_MAX_ARGUMENTS (DEVICE_MAX_BUFFERS + 2)

typedef struct device_kernel {
    char name[32]; /* in the text */
    int narguments;
    device_argument arguments[DEVICE_MAX_ARGUMENTS];
} device_kernel;

/* Whether the kernel reads the step's words from memory, which its launch has to fill. */
static inline bool device_takes_memory(const device_kernel *kernel)
{
    for (int i = 0; i < kernel->narguments; ++i)
        if (kernel->arguments[i].kind == DEVICE_ARGUMENT_MEMORY)
            return true;
    return false;
}

/* The result of printing one work of a unit. */
typedef struct device_entry {
    int nkernels;
    int nwords;                                 /* of the block, the same for all its kernels */
    int nbuffers, nscalars;                     /* those of the program */
    uint16_t offset_words[PROGRAM_MAX_BUFFERS]; /* where the block has each buffer's offset */
    uint16_t scalar_words[PROGRAM_MAX_SCALARS]; /* where each scalar: one word, or two */
    uint8_t scalar_nwords[PROGRAM_MAX_SCALARS];
    uint8_t is_index[PROGRAM_MAX_BUFFERS]; /* of buffers that have no memory */
    device_kernel kernels[DEVICE_MAX_KERNELS];
} device_entry;

typedef struct device_printer device_printer;

/* A printed text. Immutable; any thread may use it. */
typedef struct device_unit {
    const device_printer *printer;
    const char *text;  /* ends with a NUL */
    size_t nbytes;     /* without it */
    const char *flags; /* for the compiler of the dialect, separated by spaces */
    int nentries;
    const device_entry *entries; /* one for each work, in their order */
} device_unit;

/* One start of a kernel: `groups` groups of `items` items each. */
typedef struct device_step {
    int kernel; /* of the entry */
    int items;
    int64_t groups;
    uint64_t *words; /* nwords of the entry */
} device_step;

/* The steps that run an entry over a space of given extents. They run in order, each after the step
 * before it has ended. It is one block of memory, for base_free. All words are set except offsets
 * and scalars. */
typedef struct device_launch {
    int nsteps;
    size_t scratch_nbytes; /* 0 if no kernel takes scratch memory */
    device_step steps[DEVICE_MAX_STEPS];
    uint64_t words[];
} device_launch;

struct device_printer {
    const char *name;

    /* Whether the work can be printed for the device; after a true answer printing fails only for
     * lack of memory. Required; must not block; any thread. gives: false and *refusal, which names
     * the instruction */
    bool (*takes)(const device_facts *facts, const device_work *work, device_refusal *refusal);

    /* Prints works, in one text, so that they are compiled together. The same works and facts give
     * the same text. Required; any thread. gives: *out, for release | raises: NOMEM; UNSUPPORTED,
     * naming the instruction, for what is not taken */
    jg_status (*print)(const device_facts *facts, int count, const device_work *works,
                       device_unit **out);

    /* Whether an entry's text also is that of the work, which has the entry's program and perhaps
     * other extents and strides. Required; must not block; any thread. */
    bool (*fits)(const device_unit *unit, int entry, const device_work *work);

    /* The launch of an entry for a work that fits. aligned: the offsets of all buffers will be
     * multiples of 16. Required; any thread. gives: *out, for base_free | raises: NOMEM */
    jg_status (*arrange)(const device_unit *unit, int entry, const device_work *work, bool aligned,
                         device_launch **out);

    /* Required; any thread. */
    void (*release)(device_unit *unit);

    /* The words of explain for a special way in which an accepted work is computed, such as " by
     * tensor cores", or no words. Required; any thread. gives: a static string */
    const char *(*way)(const device_facts *facts, const device_work *work);
};

/* printer.c */

/* Writes what differs from run to run into the words of every step. offsets has one entry per
 * buffer: in bytes from the start of its memory, that of the element at index zero; of an INDEX
 * buffer its offset. scalars has each value in its dtype's own bytes. waits: never */
void device_launch_bind(device_launch *launch, const device_entry *entry, const int64_t *offsets,
                        const jg_scalar *scalars);

#endif
