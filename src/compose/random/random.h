/* SPDX-License-Identifier: Apache-2.0 */
/* Private to compose: the uniform draws of random.c that the distributions are made of, and what
 * distributions share. Functions of a scope have the contract of those in compose.h. */
#ifndef JG_COMPOSE_RANDOM_H
#define JG_COMPOSE_RANDOM_H

#include "compose/compose.h"

/* Refuses a dtype that is no float. raises: TYPE */
jg_status random_check_floating(jg_op op, jg_dtype dtype);

/* The key given, or the process's next for NULL. The scope fails with VALUE for what is no key. */
jg_array *random_key(compose_scope *scope, jg_op op, jg_array *key);

/* Part number `number` of a key, as jg_random_split makes it. */
jg_array *random_part(compose_scope *scope, jg_array *key, uint64_t number);

/* 64 random bits for each element, as uint64. */
jg_array *random_bits(compose_scope *scope, jg_op op, jg_array *key, int ndim,
                      const int64_t *shape);

/* Multiples of 2^-bits in [0, 1), or with `middle` the middles between them, in (0, 1): exact in
 * the dtype that half precision is worked in. bits are those of the dtype's significand. key: NULL
 * for the process's next. The scope fails with VALUE for what is no key. */
jg_array *random_unit(compose_scope *scope, jg_op op, jg_array *key, jg_dtype dtype, bool middle,
                      int ndim, const int64_t *shape);

/* Integers from low to high, as jg_random_randint draws them. integers.c */
jg_array *random_whole(compose_scope *scope, jg_array *key, int64_t low, int64_t high, int ndim,
                       const int64_t *shape, jg_dtype dtype);

/* A parameter of a distribution. array is NULL for a parameter that is left out. */
typedef struct random_parameter {
    const char *name;
    jg_array *array;
} random_parameter;

typedef struct random_shape {
    int ndim;
    int64_t extents[JG_MAX_NDIM];
} random_shape;

/* The shape of the draws: the one given, to which the parameters have to broadcast, as each element
 * is a draw of its own; nshape JG_NONE: that of the parameters, broadcast. gives: *out
 * raises: VALUE */
jg_status random_shape_of(int count, const random_parameter *parameters, int nshape,
                          const int64_t *shape, random_shape *out);

/* The same for bounds: they are broadcast for the shape, but need not fit one that is given.
 * gives: *out | raises: VALUE */
jg_status random_bounds_shape(jg_array *low, jg_array *high, int nshape, const int64_t *shape,
                              random_shape *out);

/* drawn * scale + loc in drawn's dtype, to which both are cast; NULL for 1 and 0. */
jg_array *random_moved(compose_scope *scope, jg_array *drawn, jg_array *loc, jg_array *scale);

/* -log(1 - u) in dtype for u from 0 to 1, which does not reach 1. waiting.c */
jg_array *random_waiting(compose_scope *scope, jg_op op, jg_array *key, jg_dtype dtype,
                         const random_shape *shape);

/* The numbers below extent in random order. order.c */
jg_array *random_order(compose_scope *scope, jg_array *key, int64_t extent);

/* Both bounds are on one side, at least so far from 0, for the quantile of the tail. */
#define NORMAL_TAIL_START 4.0

/* The quantile of the normal distribution between low and high, for draws of (0, 1), all float64.
 * Some number, or NaN, where the bounds are not in one tail. normal_tail.c */
jg_array *normal_tail_quantile(compose_scope *scope, jg_array *unit, jg_array *low, jg_array *high);

#endif
