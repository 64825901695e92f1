/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the room: cotangents of the weights of depthwise convolutions. Arrays have the
 * operands' axes: batch, three of space, channels. */
#ifndef JG_TRANSFORM_WINDOW_TAPS_H
#define JG_TRANSFORM_WINDOW_TAPS_H

#include "transform/rules/rules.h"

/* How far the taps of some results reach along an axis of space, from the first tap of the first
 * result to the last one of the last, both included. raises: never */
static inline int64_t window_taps_reach(int64_t results, int64_t stride, int64_t taps,
                                        int64_t dilation)
{
    return (results - 1) * stride + (taps - 1) * dilation + 1;
}

/* Whether the convolution of x with w, which gives what has the shape of g, has a group for each
 * channel, with one result, and few taps. raises: never */
bool window_taps_fit(const convolve_attributes *attributes, const jg_array *x, const jg_array *w,
                     const jg_array *g);

/* The share of w, of a convolution that fits. g: its cotangent.
 * gives: borrowed from the scope, NULL after a failure | raises: TYPE, NOMEM */
jg_array *window_taps_share(compose_scope *scope, const convolve_attributes *attributes,
                            jg_array *x, const jg_array *w, jg_array *g);

#endif
