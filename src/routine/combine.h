/* SPDX-License-Identifier: Apache-2.0 */
/* Private to routine: how scatter puts one element into another, by mode and dtype. */
#ifndef JG_ROUTINE_COMBINE_H
#define JG_ROUTINE_COMBINE_H

#include "routine/indices.h"
#include <joggle/array.h>

/* to[places[i]] takes from[i * from_step], one after the other, so that places may repeat. */
typedef void combine_points(void *to, const int64_t *places, const void *from, int64_t from_step,
                            int64_t count);

typedef struct combine_kernel {
    indices_line *line;
    combine_points *points;
} combine_kernel;

/* The kernel; its functions are NULL where the mode has no meaning for the dtype. */
combine_kernel combine_kernel_of(jg_scatter_mode mode, jg_dtype dtype);

#endif
