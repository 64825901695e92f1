/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between two layouts of one shape on the host: rows that are dense on both sides by memcpy,
 * others element by element. Used where values leave or enter; programs do the copies of graphs. */
#include "memory/memory.h"
#include <string.h>

static void copy_row(int64_t count, size_t itemsize, const char *from, int64_t from_step, char *to,
                     int64_t to_step)
{
    if (from_step == (int64_t)itemsize && to_step == (int64_t)itemsize) {
        memcpy(to, from, (size_t)count * itemsize);
        return;
    }
    for (int64_t i = 0; i < count; ++i)
        memcpy(to + i * to_step, from + i * from_step, itemsize);
}

void copy_strided(int ndim, const int64_t *shape, size_t itemsize, const void *from,
                  const int64_t *from_strides, void *to, const int64_t *to_strides)
{
    int64_t index[JG_MAX_NDIM] = {0}, size = (int64_t)itemsize;
    const char *source = from;
    char *target = to;
    for (int i = 0; i < ndim; ++i)
        if (shape[i] == 0)
            return;
    int outer = ndim - 1;
    if (ndim == 0) {
        memcpy(to, from, itemsize);
        return;
    }
    for (;;) {
        copy_row(shape[outer], itemsize, source, from_strides[outer] * size, target,
                 to_strides[outer] * size);
        int axis = outer - 1;
        for (; axis >= 0; --axis) {
            source += from_strides[axis] * size;
            target += to_strides[axis] * size;
            if (++index[axis] < shape[axis])
                break;
            source -= from_strides[axis] * size * shape[axis];
            target -= to_strides[axis] * size * shape[axis];
            index[axis] = 0;
        }
        if (axis < 0)
            return;
    }
}
