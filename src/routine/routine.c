/* SPDX-License-Identifier: Apache-2.0 */
/* The geometry that several routines share. */
#include "routine/routine.h"

bool routine_is_dense(const routine_operand *operand)
{
    int64_t stride = 1;
    for (int i = operand->ndim - 1; i >= 0; --i) {
        if (operand->shape[i] != 1 && operand->strides[i] != stride)
            return false;
        stride *= operand->shape[i];
    }
    return true;
}

int64_t routine_line_count(const routine_operand *operand, int axis)
{
    int64_t count = 1;
    for (int i = 0; i < operand->ndim; ++i)
        count *= i == axis ? 1 : operand->shape[i];
    /* An operand without elements has no lines, not empty ones. */
    return operand->shape[axis] > 0 ? count : 0;
}

int64_t routine_line_start(const routine_operand *operand, int axis, int64_t line)
{
    int64_t start = 0;
    for (int i = operand->ndim - 1; i >= 0; --i) {
        if (i == axis)
            continue;
        /* A division takes as long as a short line; the outermost axis needs none. */
        int64_t outer = line < operand->shape[i] ? 0 : line / operand->shape[i];
        start += (line - outer * operand->shape[i]) * operand->strides[i];
        line = outer;
    }
    return start;
}

int64_t routine_columns(const routine_operand *operand, int axis)
{
    const int64_t *shape = operand->shape, *strides = operand->strides;
    int64_t columns = 1;
    for (int i = operand->ndim - 1; i > axis; --i) {
        if (i < operand->ndim - 1 && strides[i] != strides[i + 1] * shape[i + 1])
            break;
        columns *= shape[i];
    }
    return columns;
}
