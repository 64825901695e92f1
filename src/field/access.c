/* SPDX-License-Identifier: Apache-2.0 */
/* Values in and out: single scalars by index, and whole fields. Whatever writes first lets go ahead what
 * is pending and reads the memory. */
#include "field/field.h"
#include <inttypes.h>
#include <string.h>

static jg_status fail_rank(const jg_field *field, int nindices)
{
    char shape[200], extents[100];
    const jg_element *element = field->element;
    return jg_fail(JG_ERR_INDEX, "[%s] index: got %d numbers, allowed are %d for shape %s%s%s",
                   FIELD_LABEL(field), nindices, field->ndim + element->ndim,
                   text_extents(shape, sizeof shape, field->ndim, field->shape),
                   element->ndim ? " of elements " : "",
                   element->ndim
                       ? text_extents(extents, sizeof extents, element->ndim, element->extents)
                       : "");
}

static jg_status fail_outside(const jg_field *field, int axis, int64_t index, int64_t origin,
                              int64_t extent)
{
    bool inside = axis >= field->ndim;
    if (extent == 0)
        return jg_fail(JG_ERR_INDEX, "[%s] index: got %" PRId64 " along axis %d, which is empty",
                       FIELD_LABEL(field), index, axis);
    return jg_fail(JG_ERR_INDEX,
                   "[%s] index: got %" PRId64 " along axis %d%s, allowed %" PRId64 " to %" PRId64,
                   FIELD_LABEL(field), index, inside ? axis - field->ndim : axis,
                   inside ? " of the element" : "", origin, origin + extent - 1);
}

/* axis counts the field's axes and behind them the element's; only the field's have an origin. */
static jg_status check_index(const jg_field *field, int axis, int64_t index)
{
    bool inside = axis >= field->ndim;
    int64_t origin = inside ? 0 : field->origin[axis];
    int64_t extent = inside ? field->element->extents[axis - field->ndim] : field->shape[axis];
    /* Unsigned: from a negative origin the way may be longer than an int64. */
    if (JG_LIKELY(index >= origin && (uint64_t)index - (uint64_t)origin < (uint64_t)extent))
        return JG_OK;
    return fail_outside(field, axis, index, origin, extent);
}

/* How far the index along one axis leads, in elements; *level is the axis's first of the storage,
 * and becomes the next axis's. A blocked axis is taken apart from its innermost level on; the
 * outermost takes what is left, which is below its extent as the index has been checked. */
static int64_t step_of(const jg_field *field, const jg_array *array, int axis, int64_t index,
                       int *level)
{
    int count = axis < field->ndim ? field->levels[axis] : 1, first = *level;
    int64_t offset = 0;
    *level += count;
    for (int i = first + count - 1; i > first; --i) {
        offset += index % node_shape(array)[i] * node_strides(array)[i];
        index /= node_shape(array)[i];
    }
    return offset + index * node_strides(array)[first];
}

/* The address of one scalar. gives: *out, valid until the field is lost or freed */
static jg_status locate(jg_field *field, int nindices, const int64_t *indices, char **out)
{
    jg_array *array;
    int64_t offset = 0;
    int level = 0;
    JG_TRY(field_plane(field, &array));
    if (JG_UNLIKELY(nindices != field->ndim + field->element->ndim))
        return fail_rank(field, nindices);
    for (int i = 0; i < nindices; ++i) {
        JG_TRY(check_index(field, i, indices[i]));
        int64_t origin = i < field->ndim ? field->origin[i] : 0;
        offset += step_of(field, array, i, indices[i] - origin, &level);
    }
    *out = (char *)node_address(array) + offset * (int64_t)dtype_itemsize(field->element->dtype);
    return JG_OK;
}

jg_status jg_field_load(jg_field *field, int nindices, const int64_t *indices, jg_number *out)
{
    char *address;
    JG_TRY(locate(field, nindices, indices, &address));
    return jg_number_load(field->element->dtype, address, 0, out);
}

jg_status jg_field_store(jg_field *field, int nindices, const int64_t *indices, jg_number value)
{
    char *address;
    jg_scalar scalar;
    size_t itemsize = dtype_itemsize(field->element->dtype);
    JG_TRY(locate(field, nindices, indices, &address));
    JG_TRY(number_store(&value, field->element->dtype, &scalar));
    JG_TRY(
        fuse_before_write(address, address + itemsize)); /* last: all that may fail is behind us */
    copy_strided(0, NULL, itemsize, &scalar, NULL, address, NULL);
    return JG_OK;
}

/* To be called before all of a plane is written. Only what the plane spans: fields of one tree lie
 * in one buffer. */
static jg_status before_write(const jg_array *array)
{
    jg_layout layout;
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)array->dtype);
    node_layout(array, &layout);
    JG_TRY(layout_bounds(&layout, &lowest, &highest));
    const char *base = array->buffer->address;
    return fuse_before_write(base + lowest * itemsize, base + (highest + 1) * itemsize);
}

/* Dense planes a page at a time: a page of the value is made once and copied. */
static void fill_dense(char *to, size_t nbytes, const jg_scalar *value, size_t itemsize)
{
    char page[4096]; /* a multiple of each itemsize that a field can have */
    size_t length = nbytes < sizeof page ? nbytes : sizeof page;
    for (size_t i = 0; i < length; i += itemsize)
        memcpy(page + i, value, itemsize);
    for (size_t done = 0; done < nbytes; done += length)
        memcpy(to + done, page, nbytes - done < length ? nbytes - done : length);
}

static void fill_plane(const jg_array *array, const jg_scalar *value)
{
    static const int64_t still[JG_MAX_NDIM]; /* strides of 0: the same value again and again */
    size_t itemsize = dtype_itemsize((jg_dtype)array->dtype);
    if (array->contiguous)
        fill_dense(node_address(array), (size_t)array->size * itemsize, value, itemsize);
    else
        copy_strided(array->ndim, node_shape(array), itemsize, value, still, node_address(array),
                     node_strides(array));
}

jg_status jg_field_fill(jg_field *field, jg_number value)
{
    jg_array *array;
    jg_scalar scalar;
    JG_TRY(field_require(field));
    /* A member that cannot hold the number ends it there: those before it are filled. */
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(jg_field_fill(field->members[i], value));
    if (element_is_struct(field->element))
        return JG_OK;
    JG_TRY(field_plane(field, &array));
    JG_TRY(number_store(&value, field->element->dtype, &scalar));
    JG_TRY(before_write(array));
    fill_plane(array, &scalar);
    return JG_OK;
}

/* The shape of all values: the field's, then the element's. */
static int value_shape(const jg_field *field, int64_t *shape)
{
    for (int i = 0; i < field->ndim; ++i)
        shape[i] = field->shape[i];
    for (int i = 0; i < field->element->ndim; ++i)
        shape[field->ndim + i] = field->element->extents[i];
    return field->ndim + field->element->ndim;
}

static jg_status check_shape(const jg_field *field, const jg_array *x)
{
    int64_t shape[JG_MAX_NDIM];
    char wanted[200], got[200];
    int ndim = value_shape(field, shape);
    bool same = ndim == x->ndim;
    for (int i = 0; i < ndim && same; ++i)
        same = shape[i] == node_shape(x)[i];
    if (same)
        return JG_OK;
    return jg_fail(JG_ERR_VALUE, "[%s] shape: got %s, allowed is %s", FIELD_LABEL(field),
                   text_extents(got, sizeof got, x->ndim, node_shape(x)),
                   text_extents(wanted, sizeof wanted, ndim, shape));
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

/* Writes x's values, of the field's dtype and shape, into the plane. x shares no memory with it. */
static void write_plane(const jg_field *field, jg_array *x)
{
    int64_t strides[JG_MAX_NDIM];
    jg_array *array = field->array;
    field_split(field, node_strides(x), strides);
    copy_strided(array->ndim, node_shape(array), dtype_itemsize(field->element->dtype),
                 node_address(x), strides, node_address(array), node_strides(array));
}

/* By what the buffers span, which is coarse: members of one tree always share. A copy too many is
 * made then, never one too few. */
static bool shares_memory(const jg_array *x, const jg_array *y)
{
    const jg_buffer *a = node_root(x)->buffer, *b = node_root(y)->buffer;
    return a->low < b->high && b->low < a->high;
}

/* x is in memory or will be once it is asked for; it may read the very field, which is the reason
 * for the order: x is computed, and copied if it is over the field's memory, before anything is
 * written. */
static jg_status assign_cast(jg_field *field, jg_array *x)
{
    jg_array *copy = NULL;
    JG_TRY(fuse_require(x));
    if (x->size == 0)
        return JG_OK;
    if (node_root(x)->buffer == NULL || shares_memory(x, field->array)) {
        JG_TRY(fuse_copy(x, &copy));
        x = copy;
    }
    jg_status status = before_write(field->array);
    if (status == JG_OK)
        write_plane(field, x);
    jg_array_release(copy);
    return status;
}

jg_status jg_field_assign(jg_field *field, jg_array *x)
{
    jg_array *array, *cast;
    JG_TRY(field_plane(field, &array));
    JG_TRY(check_shape(field, x));
    if (dtype_is_complex((jg_dtype)x->dtype))
        return jg_fail(JG_ERR_TYPE, "[%s] values: got %s, allowed are real numbers",
                       FIELD_LABEL(field), dtype_rows[x->dtype].name);
    JG_TRY(graph_cast(x, field->element->dtype, &cast));
    jg_status status = assign_cast(field, cast);
    jg_array_release(cast);
    return status;
}

jg_status jg_field_copy_from(jg_field *field, jg_field *from)
{
    jg_array *values;
    if (field->element->count != from->element->count)
        return jg_fail(JG_ERR_VALUE, "[%s] elements: got %d members, allowed are %d",
                       FIELD_LABEL(field), from->element->count, field->element->count);
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(jg_field_copy_from(field->members[i], from->members[i]));
    if (element_is_struct(field->element))
        return JG_OK;
    JG_TRY(jg_field_to_array(from, JG_COPY_IF_NEEDED, &values));
    jg_status status = jg_field_assign(field, values);
    jg_array_release(values);
    return status;
}
