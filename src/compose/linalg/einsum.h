/* SPDX-License-Identifier: Apache-2.0 */
/* Private to compose: an einsum after parsing.
 *
 * A label is a letter, by its position in the alphabet A-Za-z, or an axis of the ellipsis, counted
 * so that the last one has the highest label: ellipses of unequal length align at their ends. */
#ifndef JG_COMPOSE_EINSUM_H
#define JG_COMPOSE_EINSUM_H

#include "compose/compose.h"

enum { EINSUM_LETTERS = 52, EINSUM_LABELS = EINSUM_LETTERS + JG_MAX_NDIM };

/* An operand, or what was made of some, and the label of each of its axes. */
typedef struct einsum_term {
    jg_array *array; /* owned */
    int order;       /* operands in their order, then products in theirs */
    int ndim;
    uint8_t labels[JG_MAX_NDIM];
} einsum_term;

typedef struct einsum {
    int count;
    einsum_term *terms;
    int noutput;
    uint8_t output[JG_MAX_NDIM];
    int64_t extents[EINSUM_LABELS]; /* -1 for labels that do not occur */
    int noperands, nproducts;
    int *path; /* for jg_einsum_path: memory for two positions for each product, or NULL */
} einsum;

/* Reads the subscripts against the operands: the labels of terms and output, the extents. The
 * terms' arrays are set already. raises: VALUE, quoting the subscripts */
jg_status einsum_parse(einsum *sum, const char *subscripts);

#endif
