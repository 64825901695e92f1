/* SPDX-License-Identifier: Apache-2.0 */
/* Planes: one for each scalar of the elements. The element's axes are the outermost in memory,
 * followed by the field's in the order asked for. */
#include "field/field.h"

jg_status field_soa_layout(const jg_element *element, int ndim, const int64_t *shape,
                           const int *order, jg_layout *out, size_t *nbytes)
{
    int64_t extents[JG_MAX_NDIM], strides[JG_MAX_NDIM]; /* in the order of the memory */
    for (int i = 0; i < element->ndim; ++i)
        extents[i] = element->extents[i];
    for (int i = 0; i < ndim; ++i)
        extents[element->ndim + i] = shape[order ? order[i] : i];
    JG_TRY(shape_size(element->ndim + ndim, extents, &out->size));
    JG_TRY(dtype_nbytes(element->dtype, out->size, nbytes));
    layout_row_major(element->ndim + ndim, extents, strides);
    out->ndim = ndim + element->ndim;
    out->offset = 0;
    for (int i = 0; i < ndim; ++i) {
        int axis = order ? order[i] : i;
        out->shape[axis] = shape[axis];
        out->strides[axis] = strides[element->ndim + i];
    }
    for (int i = 0; i < element->ndim; ++i) {
        out->shape[ndim + i] = element->extents[i];
        out->strides[ndim + i] = strides[i];
    }
    return JG_OK;
}
