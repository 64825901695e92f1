/* SPDX-License-Identifier: Apache-2.0 */
/* Private to compose: the uniform draws of random.c that the distributions are made of.
 * Functions of a scope have the contract of those in compose.h. */
#ifndef JG_COMPOSE_RANDOM_H
#define JG_COMPOSE_RANDOM_H

#include "compose/compose.h"

/* Refuses a dtype that is no float. raises: TYPE */
jg_status random_check_floating(jg_op op, jg_dtype dtype);

/* 64 random bits for each element, as uint64. */
jg_array *random_bits(compose_scope *scope, jg_op op, jg_array *key, int ndim,
                      const int64_t *shape);

/* Multiples of 2^-bits in [0, 1), or with `middle` the middles between them, in (0, 1): exact in
 * the dtype that half precision is worked in. bits are those of the dtype's significand. key: NULL
 * for the process's next. The scope fails with VALUE for what is no key. */
jg_array *random_unit(compose_scope *scope, jg_op op, jg_array *key, jg_dtype dtype, bool middle,
                      int ndim, const int64_t *shape);

/* Both bounds are on one side, at least so far from 0, for the quantile of the tail. */
#define NORMAL_TAIL_START 4.0

/* The quantile of the normal distribution between low and high, for draws of (0, 1), all float64.
 * Some number, or NaN, where the bounds are not in one tail. normal_tail.c */
jg_array *normal_tail_quantile(compose_scope *scope, jg_array *unit, jg_array *low, jg_array *high);

#endif
