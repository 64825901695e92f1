/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of products of integers: unsigned, so that both signs wrap. */
#include "library/jacobi.h"
#include "library/whole.h"
#include "tensor/float_lanes.h"

enum {
    NBYTES = LANES * sizeof(float), /* of a vector */
    TERMS = 128,                    /* of a packed block of b, which a first cache holds */
    ROWS = 4,                       /* of the result whose sums are in registers at once */
    VECTORS = 2,                    /* of a row of those, at most */
    PIECE = 1024                    /* elements of a vector that are read for many rows */
};

#define WORD uint8_t
#define NAME(name) name##_8
#include "library/whole.inc.h"
#undef WORD
#undef NAME

#define WORD uint16_t
#define NAME(name) name##_16
#include "library/whole.inc.h"
#undef WORD
#undef NAME

#define WORD uint32_t
#define NAME(name) name##_32
#include "library/whole.inc.h"
#undef WORD
#undef NAME

#define WORD uint64_t
#define NAME(name) name##_64
#include "library/whole.inc.h"

extern const whole_loops LIBRARY_NAMED(library_whole)[4];
const whole_loops LIBRARY_NAMED(library_whole)[4] = {
    {vector_8, matrix_8}, {vector_16, matrix_16}, {vector_32, matrix_32}, {vector_64, matrix_64}};
