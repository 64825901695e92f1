/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of rules on values: they bring them to the shape, dtype and layout that a node has
 * (values.c). */
#ifndef JG_TRANSFORM_VALUES_H
#define JG_TRANSFORM_VALUES_H

#include "graph/graph.h"

/* x summed to the shape, of which x's shape is a broadcast. gives: *out, +1 | raises: NOMEM */
jg_status transform_unbroadcast(jg_array *x, int ndim, const int64_t *shape, jg_array **out);

/* x in another dtype; of a complex x in a real one the real part. gives: *out, +1 | raises:
 * NOMEM */
jg_status transform_cast(jg_array *x, jg_dtype dtype, jg_array **out);

/* x on the device that like is on: a derivative by an array lies beside it. x itself where like was
 * never asked for on a device. gives: *out, +1 | raises: TYPE, NOMEM */
jg_status transform_move(jg_array *x, const jg_array *like, jg_array **out);

/* Zeros of like's shape and dtype, on its device. gives: *out, +1 | raises: NOMEM */
jg_status transform_zeros(const jg_array *like, jg_array **out);

/* Replaces each NULL by zeros. like: of their shapes and dtypes | gives: arrays, +1 each, those
 * made before a failure as well | raises: NOMEM */
jg_status transform_fill_zeros(int count, jg_array *const *like, jg_array **arrays);

/* x, or a copy that is row-major if like is: routines rely on the layout that their node was built
 * for. gives: *out, +1 | raises: NOMEM */
jg_status transform_fit(const jg_array *like, jg_array *x, jg_array **out);

/* Whether values of the dtype have derivatives. */
static inline bool transform_has_derivative(jg_dtype dtype)
{
    return dtype_is_floating(dtype) || dtype_is_complex(dtype);
}

#endif
