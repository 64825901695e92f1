/* SPDX-License-Identifier: Apache-2.0 */
/* Private to compose: which matrices of two stacks are multiplied, for products that gather
 * them. */
#ifndef JG_COMPOSE_MATRIX_INDICES_H
#define JG_COMPOSE_MATRIX_INDICES_H

#include "compose/compose.h"

typedef struct compose_matrix_indices {
    jg_array *lhs, *rhs; /* NULL as an argument: all matrices, in their own axes */
    int ndim;            /* of the products, before their last two axes */
    int64_t batch[JG_MAX_NDIM];
} compose_matrix_indices;

/* Refuses indices that are no integers. raises: TYPE, naming the argument */
jg_status compose_matrix_indices_check(const char *op, const char *name, const jg_array *indices);

/* Both index arrays as int64, in the shape of the products, with the scope's references. A failure
 * becomes the scope's status. */
void scope_matrix_indices(compose_scope *scope, const char *op, const jg_array *x,
                          const jg_array *w, compose_matrix_indices *indices);

#endif
