/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of products of which two extents are small. Vectors run along the columns of the
 * result, four at a time: longer ones would be mostly padding. */
#include "library/jacobi.h"
#include "library/narrow.h"
#include "tensor/float_lanes.h"

enum {
    PARTS = NARROW_MOST / 4, /* vectors of a row at most */
    ROWS = 4,                /* of the result whose sums are in registers at once */
    SETS = 2,                /* sums of every second term, which do not wait for each other */
    CHAINS = 4               /* the same of the product of two vectors */
};

#define REAL float
#define WORD uint32_t
#define COUNT LANES
#define NAME(name) name##_f32
#include "library/narrow.inc.h"
#undef REAL
#undef WORD
#undef COUNT
#undef NAME

#define REAL double
#define WORD uint64_t
#define COUNT (LANES / 2)
#define NAME(name) name##_f64
#include "library/narrow.inc.h"

extern narrow_loop *const LIBRARY_NAMED(library_narrow)[2][NARROW_KINDS];
narrow_loop *const LIBRARY_NAMED(library_narrow)[2][NARROW_KINDS] = {
    {NULL, rows_f32, sums_f32, sums_f32, dots_f32, summed_f32},
    {NULL, rows_f64, sums_f64, sums_f64, dots_f64, summed_f64},
};
