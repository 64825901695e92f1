/* SPDX-License-Identifier: Apache-2.0 */
/* Private to compose: the common parts of convolutions and pooling: spatial axes between the axes
 * of the batch and of channels, and numbers for each of them. */
#ifndef JG_COMPOSE_CONVOLVE_H
#define JG_COMPOSE_CONVOLVE_H

#include "compose/compose.h"
#include <joggle/ops.h>

/* One number for each axis of space, or one for all: out[i] of axis i. lowest: the least allowed.
 * raises: VALUE for another count, and for smaller numbers */
jg_status compose_space_numbers(jg_op op, const char *name, int rank, int count,
                                const int64_t *numbers, int64_t lowest, int64_t *out);

/* Padding before and after: numbers as above, or JG_PADDING_SAME, which sets *same and leaves the
 * numbers to compose_space_pad_same; not allowed where same is NULL. raises: VALUE */
jg_status compose_space_padding(jg_op op, int rank, int count, const int64_t *low,
                                const int64_t *high, int64_t lowest, bool *same, int64_t *before,
                                int64_t *after);

/* Chooses the zeros that give one result for each stride of the extent. If their number is odd, the
 * odd one comes after. reach: from the first element of a window to its last. */
void compose_space_pad_same(int64_t extent, int64_t reach, int64_t stride, int64_t *before,
                            int64_t *after);

/* "channels_last" (or the letters of its axes, "NHWC" with two of space) or "channels_first"
 * ("NCHW"). raises: VALUE */
jg_status compose_space_format(jg_op op, const char *format, int rank, bool *first);

/* x with the axes that routines take: the batch, three of space, channels.
 * gives: *out, +1, a view | raises: NOMEM */
jg_status compose_space_view(jg_array *x, bool first, jg_array **out);

/* The numbers of as many axes as there are, as an attribute of a primitive: the axes that an array
 * does not have come first and get `missing`. out: PRIMITIVE_SPACE_AXES numbers */
void compose_space_set(int rank, const int64_t *numbers, int64_t missing, int64_t *out);

/* The shape of a result: batch, extents of space and channels. */
void compose_space_result_shape(int rank, bool first, int64_t batch, int64_t channels,
                                const int64_t *extents, int64_t *shape);

/* convolve.c */

/* A convolution as users ask for it; each array has one number for each axis of space. first:
 * channels first; flip: the taps in reverse, as in mathematics; spread: the step between elements
 * of the input once zeros are between them; before and after may be negative, which cuts elements
 * off. may_be_empty: whether negative padding may leave no result. */
typedef struct compose_convolution_request {
    jg_op op;
    int rank;               /* axes of space */
    bool first, flip, same; /* same: the padding follows from the extents */
    bool may_be_empty;
    int64_t groups;
    int64_t stride[PRIMITIVE_SPACE_AXES], dilation[PRIMITIVE_SPACE_AXES],
        spread[PRIMITIVE_SPACE_AXES];
    int64_t before[PRIMITIVE_SPACE_AXES], after[PRIMITIVE_SPACE_AXES]; /* padding */
} compose_convolution_request;

/* The convolution of input by weight that is requested.
 * gives: *out, +1 | raises: TYPE, VALUE, NOMEM */
jg_status compose_convolution(const compose_convolution_request *request, jg_array *input,
                              jg_array *weight, jg_array **out);

/* Refuses arrays without the axes. raises: VALUE */
jg_status compose_space_check(jg_op op, const char *name, const jg_array *x, int rank, bool first);

#endif
