/* SPDX-License-Identifier: Apache-2.0 */
/* The properties that a field gets when it is placed: its shape, its memory and its plane. Also its
 * name in messages. */
#include "field/field.h"
#include "stream/stream.h"
#include <stdio.h>
#include <string.h>

const char *field_label(const jg_field *field, char *buffer)
{
    char shape[100], extents[60] = "";
    const jg_element *element = field->element;
    if (field->name[0] != '\0') {
        snprintf(buffer, FIELD_LABEL_NBYTES, "field %s", field->name);
        return buffer;
    }
    if (element->ndim > 0)
        text_extents(extents, sizeof extents, element->ndim, element->extents);
    snprintf(
        buffer, FIELD_LABEL_NBYTES, "field of %s%s%s, shape %s", extents, extents[0] ? " " : "",
        element_is_struct(element) ? "structs" : dtype_rows[element->dtype].name,
        field->ndim < 0 ? "unknown" : text_extents(shape, sizeof shape, field->ndim, field->shape));
    return buffer;
}

jg_status field_set_shape(jg_field *field, int ndim, const int64_t *shape, const int64_t *origin)
{
    size_t count = (size_t)ndim, nbytes = count * (2 * sizeof *shape + sizeof *field->levels);
    int64_t *block = base_alloc_zeroed(nbytes ? nbytes : 1);
    if (block == NULL)
        return base_nomem(nbytes, "a field's shape");
    base_free(field->shape); /* of a try that failed at a member */
    for (int i = 0; i < ndim; ++i) {
        block[i] = shape[i];
        block[ndim + i] = origin ? origin[i] : 0;
    }
    field->shape = block;
    field->origin = block + ndim;
    field->levels = (int *)(void *)(block + 2 * ndim);
    for (int i = 0; i < ndim; ++i)
        field->levels[i] = 1;
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(field_set_shape(field->members[i], ndim, shape, origin));
    field->ndim = ndim; /* last: it tells that the field is placed */
    return JG_OK;
}

jg_status field_set_plane(jg_field *field, jg_buffer *buffer, const jg_layout *layout)
{
    jg_array *array;
    jg_status status =
        node_take_buffer(buffer_retain(buffer), field->element->dtype, layout, &array);
    if (status != JG_OK) {
        buffer_release(buffer);
        return status;
    }
    node_make_place(array); /* before anything can read it, so that all readers are counted */
    field->array = array;
    atomic_store_explicit(&field->state, FIELD_READY, memory_order_release);
    return JG_OK;
}

static atomic_int home; /* its number */

jg_device *field_home(void)
{
    return device_at(atomic_load_explicit(&home, memory_order_relaxed));
}

jg_status jg_fields_set_device(jg_device_id id)
{
    jg_device *device;
    JG_TRY(device_require(id, &device));
    JG_TRY(stream_open_device(device->index));
    atomic_store_explicit(&home, device->index, memory_order_relaxed);
    return JG_OK;
}

jg_device_id jg_fields_get_device(void)
{
    return field_home()->id;
}

jg_status field_new_zeros(size_t nbytes, jg_buffer **out)
{
    static const char zero[1];
    JG_TRY(buffer_new(field_home(), nbytes, out));
    if (nbytes == 0)
        return JG_OK;
    if (buffer_is_on_host(*out)) {
        memset((*out)->handle, 0, nbytes);
        return JG_OK;
    }
    jg_status status = field_fill_bytes(*out, 0, nbytes, zero, sizeof zero);
    if (status != JG_OK)
        buffer_release(*out);
    return status;
}
