/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: what the files of convolutions share. convolve.c explains how the work is
 * cut. */
#ifndef JG_ROUTINE_CONVOLVE_H
#define JG_ROUTINE_CONVOLVE_H

#include "routine/loops.h"
#include "routine/routine.h"

enum { CONVOLVE_X, CONVOLVE_W, CONVOLVE_RESULT }; /* the operands */

/* How the results of a channel are worked out. */
typedef enum convolve_way {
    CONVOLVE_MULTIPLY, /* pixels by channels */
    CONVOLVE_BLEND,    /* few channels to a group, those of many groups side by side */
    CONVOLVE_SLIDE,    /* few result channels, pixels side by side */
    CONVOLVE_OUTER     /* more taps than results: outer.c */
} convolve_way;

typedef struct convolve_axis {
    int64_t in, out, taps, stride, dilation, before, spread;
    int64_t period;  /* results so far apart meet the same taps */
    int64_t step;    /* elements of x between what they read */
    int64_t results; /* of one phase, at most */
} convolve_axis;

/* A convolution in the elements that loops read: a complex channel counts as two, and two
 * channels of bfloat16 may be one. */
typedef struct convolution {
    const routine_call *call;
    const convolve_loops *loops;
    routine_operand x, w; /* as the call has them, but for pairs */
    int64_t dims[2][2 * WINDOW_NDIM];
    size_t itemsize; /* of x and w; complex numbers are one */
    void (*widen)(const void *from, int64_t count, void *to);  /* before sums; NULL for none */
    void (*narrow)(const void *from, int64_t count, void *to); /* after them */
    convolve_axis axes[PRIMITIVE_SPACE_AXES];
    int64_t batch, groups, taps;
    int64_t in_channels, out_channels; /* of a group */
    int64_t terms;                     /* of a sum */
    jg_dtype dtype, wide;              /* of the operands; of sums */
    int parts;                         /* of a channel: 2 for complex */
    bool flip, channels_first;
    convolve_way way;
    bool clips;     /* blends x where it lies: taps outside it are left out */
    int64_t panels; /* packed parts of the weights, all groups together */
} convolution;

/* gives: the convolution of the call. The attributes that lie in memory are read only if the call
 * has addresses. */
void convolve_describe(const routine_call *call, convolution *out);

/* The number of elements of all packed weights. */
int64_t convolve_packed_size(const convolution *c);

enum { CONVOLVE_TOGETHER = 8 /* rows that interleave takes */ };

/* A panel: some columns (result channels) of a group and where they lie in the packed weights. For
 * sliding it has columns of all groups: width is then 1, and columns follow each other. */
typedef struct convolve_panel {
    int64_t group, first, columns; /* first: in the group */
    int64_t width;                 /* packed columns */
    int64_t offset;
} convolve_panel;

/* Panel number `index`, counted through all groups. */
convolve_panel convolve_panel_at(const convolution *c, int64_t index);

/* Packs panels first to last - 1. raises: NOMEM */
jg_status convolve_pack_weights(const convolution *c, int64_t first, int64_t last);

/* A part of x in memory of its own or as it lies: the address of the element at index `first` of
 * the batch and of space, in its first channel, and strides, all in the elements of sums. */
typedef struct convolve_slab {
    const char *address;
    int64_t first[WINDOW_CHANNELS], count[WINDOW_CHANNELS], strides[WINDOW_NDIM];
    int64_t channel, channels; /* the first one, and how many, in the elements of sums */
} convolve_slab;

/* Whether the loops can read x as it lies. */
bool convolve_reads_x(const convolution *c);

/* first, count and channels are given; the rest is set. Elements outside x are zeros. memory: for
 * the elements of the slab; aside: convolve_aside bytes */
void convolve_pack_slab(const convolution *c, convolve_slab *slab, void *memory, void *aside);
size_t convolve_aside(const convolve_slab *slab);

/* Sums as they are kept, rows of columns that lie side by side, and where they belong in the
 * result, whose strides are in its elements; a complex one is two columns. */
typedef struct convolve_block {
    void *sums;
    int64_t rows, columns;
    char *to;
    int64_t to_row, to_column;
} convolve_block;

/* Rounds the sums to the result's dtype, in place, and moves them. */
void convolve_store(const convolution *c, const convolve_block *block);

/* How the work is cut. Boxes are counted along the batch and the axes of space. */
typedef struct convolve_cut {
    int64_t sizes[WINDOW_CHANNELS], counts[WINDOW_CHANNELS];
    int64_t boxes, phases, parts; /* parts: of the panels */
} convolve_cut;

/* The same for the same number of threads. */
void convolve_cut_work(const convolution *c, int threads, convolve_cut *out);

/* The number of results along the batch or an axis of space; and the largest number of elements of
 * x that `results` of them read. */
int64_t convolve_extent(const convolution *c, int axis);
int64_t convolve_span(const convolution *c, int axis, int64_t results);

/* Whether a unit reads only the channels of its own groups, as when sliding. */
bool convolve_splits_channels(const convolution *c);

/* For multiplying: groups whose channels a slab has, all or some. */
int64_t convolve_groups_together(const convolution *c);

/* Channels of a slab and elements of one for a box of the sizes, at most. */
int64_t convolve_slab_channels(const convolution *c);
int64_t convolve_slab_size(const convolution *c, const int64_t *sizes);

/* The taps that the results of a phase meet along an axis, and where in x the first one does. */
typedef struct convolve_taps {
    int64_t count, *taps, *starts;
} convolve_taps;

/* The state of a thread, which works on one box at a time. slab_memory, sums, aside and runs are
 * parts of one block of memory (take_memory). */
typedef struct convolve_work {
    const convolution *c;
    const convolve_cut *cut;
    convolve_taps all[PRIMITIVE_SPACE_AXES],
        lists[PRIMITIVE_SPACE_AXES];            /* of the phase; those in use */
    convolve_taps listed[PRIMITIVE_SPACE_AXES]; /* those that the runs are made of */
    convolve_run *runs;
    int64_t nruns, length;
    bool down; /* the runs of an axis before the last follow each other */
    int64_t phase[PRIMITIVE_SPACE_AXES];
    int64_t first[WINDOW_CHANNELS],
        count[WINDOW_CHANNELS]; /* of the box, in results of the phase */
    convolve_slab slab;
    int64_t y_strides[WINDOW_NDIM];
    char *slab_memory, *sums;
    void *aside;
} convolve_work;

/* runs.c */

/* Finds all taps of a phase, one of axis->period phases. */
void convolve_list_taps(const convolve_axis *axis, int64_t phase, convolve_taps *out);

/* Leaves in work->lists the taps of an axis that a result meets inside x. */
void convolve_clip_taps(convolve_work *work, int axis, int64_t result);

/* How many results from this one on meet all taps of an axis inside x. */
int64_t convolve_count_inside(const convolve_work *work, int axis, int64_t result);

/* Makes runs of work->lists, unless there are those already. An axis without a tap inside x leaves
 * no run at all: the result is zero. down: taps of the axis before the last follow each other,
 * which only blending can do. */
void convolve_list_runs(convolve_work *work, bool down);

/* outer.c */

/* How the work is cut. A block is some lines of taps of one channel. */
typedef struct convolve_outer_cut {
    int64_t rows;                               /* of sums: results of one column */
    int64_t panels;                             /* of columns */
    int64_t lines[2], counts[2], blocks, parts; /* lines of a block along the first axes of space;
                                                    parts: of the blocks */
} convolve_outer_cut;

/* Whether that way is taken. Shapes and dtypes decide. */
bool convolve_is_outer(const convolution *c);

/* How the work of that way is cut. gives: *out */
void convolve_outer_cut_work(const convolution *c, convolve_outer_cut *out);

/* The number of elements of all parts' sums; 0 where another way is taken. */
int64_t convolve_outer_sums(const convolution *c);

/* Step 0 makes the sums of all parts, step 1 adds them up. raises: NOMEM */
int64_t convolve_outer_units(const convolution *c, int step);
jg_status convolve_outer_run(const convolution *c, int step, int64_t first, int64_t last);

#endif
