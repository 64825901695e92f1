/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the scans: the loops, by what is scanned and its dtype. */
#ifndef JG_ROUTINE_SCAN_KERNELS_H
#define JG_ROUTINE_SCAN_KERNELS_H

#include "routine/routine.h"

enum { SCAN_MAX_LINES = 8 };

/* Lines that are scanned together. Steps are in elements. */
typedef struct scan_run {
    const void *from[SCAN_MAX_LINES];
    void *to[SCAN_MAX_LINES];
    int64_t lines, count; /* how many lines, how many elements of each */
    int64_t from_step, to_step;
    int64_t line_step; /* across: from the start of a line to that of the next, in what is read */
    void *states;      /* of each line */
} scan_run;

typedef struct scan_kernels {
    size_t state_nbytes;
    void (*begin)(void *states, int64_t count); /* states before anything was read */
    void (*lead)(void *to);                     /* writes the value of nothing */
    void (*totals)(const scan_run *run);        /* from the lines to their states, which it sets */
    void (*carry)(void *states, int64_t count); /* from each block's own to all before it */
    void (*along)(const scan_run *run);         /* up to SCAN_MAX_LINES lines */
    void (*across)(const scan_run *run);        /* lines side by side, from[0] and to[0] on */
} scan_kernels;

/* NULL where there are none for the dtype. */
const scan_kernels *scan_kernels_of(routine_scan_kind kind, jg_dtype dtype);

#endif
