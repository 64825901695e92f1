/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: cotangents of pooling whose windows lie side by side. Arrays have the
 * operands' axes: batch, three of space, channels. */
#ifndef JG_TRANSFORM_WINDOW_BLOCKS_H
#define JG_TRANSFORM_WINDOW_BLOCKS_H

#include "transform/rules/rules.h"

/* Whether all windows lie within an input of that shape, without padding or gaps, and none over
 * another. out: the result's extents. raises: never */
bool window_blocks_fit(const pool_attributes *attributes, const int64_t *shape, const int64_t *out);

/* The share of the input x, of windows that fit. result: the pooled x; g: its cotangent.
 * gives: borrowed from the scope, NULL after a failure | raises: TYPE, NOMEM */
jg_array *window_blocks_share(compose_scope *scope, const pool_attributes *attributes, jg_array *x,
                              jg_array *result, jg_array *g);

#endif
