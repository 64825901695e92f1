/* SPDX-License-Identifier: Apache-2.0 */
/* Cells: what belongs to one element is adjacent, in the order in which it was added, each at a
 * multiple of its size. Cells are padded to a multiple of the largest, so that the strides of every
 * member are whole elements of it. */
#include "field/field.h"

static jg_status fail_size(void)
{
    return base_fail(JG_ERR_VALUE, "shape: the field has 2^63 bytes or more, allowed are fewer");
}

/* To a multiple of unit, which is positive; value is not negative. */
static jg_status align_checked(int64_t value, int64_t unit, int64_t *out)
{
    if (__builtin_add_overflow(value, unit - 1, &value))
        return fail_size();
    *out = value / unit * unit;
    return JG_OK;
}

jg_status field_cell_add(field_cell *cell, int64_t nbytes, int64_t alignment, int64_t *offset)
{
    int64_t start = 0;
    JG_TRY(align_checked(cell->nbytes, alignment, &start));
    if (__builtin_add_overflow(start, nbytes, &cell->nbytes))
        return fail_size();
    if (alignment > cell->alignment)
        cell->alignment = alignment;
    *offset = start;
    return JG_OK;
}

jg_status field_cell_pitch(const field_cell *cell, int64_t *out)
{
    return align_checked(cell->nbytes, cell->alignment ? cell->alignment : 1, out);
}

jg_status field_cell_add_element(field_cell *cell, const jg_element *element, int64_t *offset)
{
    int64_t itemsize = (int64_t)dtype_itemsize(element->dtype);
    return field_cell_add(cell, element->size * itemsize, itemsize, offset);
}

void field_aos_add_element(const jg_element *element, jg_layout *layout)
{
    layout_row_major(element->ndim, element->extents, layout->strides + layout->ndim);
    for (int i = 0; i < element->ndim; ++i)
        layout->shape[layout->ndim + i] = element->extents[i];
    layout->ndim += element->ndim;
    layout->size *= element->size;
}
