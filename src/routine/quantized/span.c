/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of rows of a quantised matrix: where their codes lie, their scales as floats, and the
 * floats that the codes stand for. */
#include "routine/quantized/product.h"
#include <string.h>

void quantized_clear_scales(const product *p, quantized_scales *buffer)
{
    memset(buffer->scales, 0, sizeof buffer->scales);
    if (p->biases == NULL)
        memset(buffer->biases, 0, sizeof buffer->biases);
}

quantized_span quantized_span_at(const product *p, const quantized_matrices *operands, int64_t row,
                                 int64_t first, int64_t count, quantized_scales *buffer)
{
    int64_t group = first / p->group, groups = count / p->group;
    int64_t itemsize = (int64_t)dtype_itemsize(p->scales->dtype);
    p->loops->floats(p->scale, operands->scales + (row * p->scales_row + group) * itemsize, groups,
                     buffer->scales);
    if (operands->biases != NULL)
        p->loops->floats(p->scale, operands->biases + (row * p->biases_row + group) * itemsize,
                         groups, buffer->biases);
    return (quantized_span){
        .codes = (const uint8_t *)operands->words + row * p->w_row * 4 + first * p->bits / 8,
        .scales = buffer->scales,
        .biases = buffer->biases,
        .count = count,
        .group = p->group,
    };
}

void quantized_expand(const product *p, const quantized_matrices *operands, int64_t row,
                      int64_t first, int64_t count, float *to)
{
    quantized_scales buffer;
    if (p->biases == NULL)
        memset(buffer.biases, 0, (size_t)(count / p->group) * sizeof *buffer.biases);
    quantized_span span = quantized_span_at(p, operands, row, first, count, &buffer);
    p->loops->expand[p->code](&span, to);
}
