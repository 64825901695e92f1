/* SPDX-License-Identifier: Apache-2.0 */
/* Fields as joggle's arrays and through them as tensors, as storage for kernels, and members and
 * components as fields of their own. */
#include "field/field.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

jg_status jg_field_storage(jg_field *field, jg_field_plane *out)
{
    jg_array *array;
    JG_TRY(field_plane(field, &array));
    JG_TRY(jg_array_view(array, &out->view));
    out->ndim = field->ndim;
    memcpy(out->levels, field->levels, (size_t)field->ndim * sizeof *field->levels);
    return JG_OK;
}

jg_status jg_field_storage_array(jg_field *field, jg_array **out)
{
    jg_array *array;
    JG_TRY(field_plane(field, &array));
    *out = jg_array_retain(array);
    return JG_OK;
}

/* The first blocked axis, for the message; -1 if strides describe the layout. */
static int blocked_axis(const jg_field *field)
{
    for (int i = 0; i < field->ndim; ++i)
        if (field->levels[i] > 1)
            return i;
    return -1;
}

/* The blocks of an axis as "4 x 8"; the last ones are left out where the text is full. */
static jg_status fail_blocked(const jg_field *field, int axis)
{
    char text[100] = "";
    size_t length = 0;
    int level = 0;
    for (int i = 0; i < axis; ++i)
        level += field->levels[i];
    for (int i = 0; i < field->levels[axis] && length + 30 < sizeof text; ++i)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRId64,
                                   i ? " x " : "", node_shape(field->array)[level + i]);
    return base_fail(JG_ERR_COPY,
                     "[%s] copy: refused, but axis %d is blocked as %s, which strides "
                     "cannot express; a copy must be allowed",
                     FIELD_LABEL(field), axis, text);
}

void field_split(const jg_field *field, const int64_t *strides, int64_t *out)
{
    const int64_t *extents = node_shape(field->array);
    int level = 0;
    for (int axis = 0; axis < field->ndim; ++axis) {
        int64_t stride = strides[axis];
        int count = field->levels[axis];
        for (int i = count - 1; i >= 0; --i) {
            out[level + i] = stride;
            stride *= extents[level + i];
        }
        level += count;
    }
    for (int i = 0; i < field->element->ndim; ++i)
        out[level + i] = strides[field->ndim + i];
}

/* A row-major copy of a blocked field. gives: *out, +1 | raises: NOMEM */
static jg_status copy_blocked(const jg_field *field, jg_array **out)
{
    int64_t shape[JG_MAX_NDIM], strides[JG_MAX_NDIM];
    const jg_array *array = field->array;
    const jg_element *element = field->element;
    jg_array *copy;
    field_copy from;
    memcpy(shape, field->shape, (size_t)field->ndim * sizeof *shape);
    memcpy(shape + field->ndim, element->extents, (size_t)element->ndim * sizeof *shape);
    JG_TRY(field_copy_open(array, true, &from));
    jg_status status =
        graph_empty(device_cpu(), element->dtype, field->ndim + element->ndim, shape, &copy);
    if (status == JG_OK) {
        field_split(field, node_strides(copy), strides);
        copy_strided(array->ndim, node_shape(array), dtype_itemsize(element->dtype), from.address,
                     node_strides(array), node_address(copy), strides);
    }
    (void)field_copy_close(&from, false); /* frees it, as nothing is written */
    JG_TRY(status);
    if (buffer_is_on_host(array->buffer)) {
        *out = copy;
        return JG_OK;
    }
    status = jg_to_device(copy, array->buffer->device->id, out);
    jg_array_release(copy);
    return status;
}

/* The plane itself is an array that reads a place: writing the field first evaluates what depends
 * on it. */
jg_status jg_field_to_array(jg_field *field, jg_copy_policy copy, jg_array **out)
{
    jg_array *array;
    JG_TRY(graph_check_copy(copy));
    JG_TRY(field_plane(field, &array));
    if (field->marked && copy == JG_COPY_NEVER)
        return base_fail(JG_ERR_COPY,
                         "[%s] copy: refused, but its cells exist one by one: what is written to "
                         "their memory makes none exist; a copy must be allowed",
                         FIELD_LABEL(field));
    if (field->marked)
        copy = JG_COPY_ALWAYS;
    int axis = blocked_axis(field);
    if (axis >= 0)
        return copy == JG_COPY_NEVER ? fail_blocked(field, axis) : copy_blocked(field, out);
    if (copy == JG_COPY_ALWAYS)
        return run_copy(array, out);
    *out = jg_array_retain(array);
    return JG_OK;
}

jg_status jg_field_to_managed(jg_field *field, jg_copy_policy copy, DLManagedTensorVersioned **out)
{
    jg_array *values;
    JG_TRY(jg_field_to_array(field, copy, &values));
    /* Copied already if that was asked for. */
    jg_status status = jg_array_to_managed(values, JG_COPY_NEVER, out);
    jg_array_release(values);
    return status;
}

jg_status jg_field_to_managed_legacy(jg_field *field, jg_copy_policy copy, DLManagedTensor **out)
{
    jg_array *values;
    JG_TRY(jg_field_to_array(field, copy, &values));
    jg_status status = jg_array_to_managed_legacy(values, JG_COPY_NEVER, out);
    jg_array_release(values);
    return status;
}

jg_status jg_field_member(const jg_field *field, int member, jg_field **out)
{
    JG_TRY(field_check_kept(field));
    if (member < 0 || member >= field->element->count)
        return base_fail(JG_ERR_INDEX, "[%s] member: got %d, allowed 0 to %d", FIELD_LABEL(field),
                         member, field->element->count - 1);
    *out = jg_field_retain(field->members[member]);
    return JG_OK;
}

static jg_status check_component(const jg_field *field, int nindices, const int64_t *indices)
{
    const jg_element *element = field->element;
    if (nindices != element->ndim)
        return base_fail(JG_ERR_INDEX, "[%s] component: got %d numbers, allowed are %d",
                         FIELD_LABEL(field), nindices, element->ndim);
    for (int i = 0; i < nindices; ++i)
        if (indices[i] < 0 || indices[i] >= element->extents[i])
            return base_fail(JG_ERR_INDEX,
                             "[%s] component: got %" PRId64 " along axis %d, allowed 0 to "
                             "%" PRId64,
                             FIELD_LABEL(field), indices[i], i, element->extents[i] - 1);
    return JG_OK;
}

/* The plane of one component: the storage without the element's axes. Strides stay, so it is not
 * contiguous even where the field is. */
static void component_layout(const jg_field *field, const int64_t *indices, jg_layout *out)
{
    int ndim = field->element->ndim;
    node_layout(field->array, out);
    out->ndim -= ndim;
    out->size /= field->element->size;
    for (int i = 0; i < ndim; ++i)
        out->offset += indices[i] * out->strides[out->ndim + i];
}

/* The component's name as "x[0, 1]". */
static jg_status new_component(const jg_field *field, const int64_t *indices, jg_field **out)
{
    base_text name = {0};
    char *text;
    jg_element *element;
    jg_status status;
    text_add(&name, "%s[", field->name);
    for (int i = 0; i < field->element->ndim; ++i)
        text_add(&name, "%s%" PRId64, i ? ", " : "", indices[i]);
    text_add(&name, "]");
    status = text_finish(&name, &text);
    text_clear(&name);
    JG_TRY(status);
    status = jg_element_new(field->element->dtype, 0, NULL, &element);
    if (status == JG_OK) {
        status = field_new_unplaced(text, element, out);
        jg_element_release(element);
    }
    base_free(text);
    return status;
}

/* A field of its own over the same buffer, which outlives the one that it is of. */
jg_status jg_field_component(jg_field *field, int nindices, const int64_t *indices, jg_field **out)
{
    jg_array *array;
    jg_field *component;
    jg_layout layout;
    JG_TRY(field_plane(field, &array));
    if (field->marked)
        return field_fail_marked(field, "component");
    JG_TRY(check_component(field, nindices, indices));
    JG_TRY(new_component(field, indices, &component));
    component_layout(field, indices, &layout);
    jg_status status = field_set_shape(component, field->ndim, field->shape, field->origin);
    if (status == JG_OK) {
        /* Blocked as the field is, and set before the plane, which makes the component ready. */
        memcpy(component->levels, field->levels, (size_t)field->ndim * sizeof *field->levels);
        status = field_set_plane(component, array->buffer, &layout);
    }
    if (status == JG_OK)
        *out = component;
    else
        jg_field_release(component);
    return status;
}
