/* SPDX-License-Identifier: Apache-2.0 */
/* Values in and out: single scalars by index, and whole fields. Writing first evaluates what is
 * pending and reads the memory. */
#include "field/field.h"
#include <inttypes.h>
#include <string.h>

static jg_status fail_rank(const jg_field *field, int nindices)
{
    char shape[200], extents[100];
    const jg_element *element = field->element;
    return base_fail(JG_ERR_INDEX, "[%s] index: got %d numbers, allowed are %d for shape %s%s%s",
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
        return base_fail(JG_ERR_INDEX,
                         "[%s] index: got %" PRId64
                         " along axis %d, which is empty, allowed is none",
                         FIELD_LABEL(field), index, axis);
    return base_fail(JG_ERR_INDEX,
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
    /* Unsigned: the distance from a negative origin may exceed int64. */
    if (JG_LIKELY(index >= origin && (uint64_t)index - (uint64_t)origin < (uint64_t)extent))
        return JG_OK;
    return fail_outside(field, axis, index, origin, extent);
}

/* The offset of an index along one axis, in elements; *level is the axis's first level in the
 * storage, and becomes the next axis's. The index of a blocked axis is divided from its innermost
 * level on; the outermost takes the rest, which is below its extent as the index has been
 * checked. */
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

/* Finds the place of one scalar, in bytes from the start of the plane's buffer. gives: *array,
 * borrowed until the field is lost or freed; *out */
static jg_status locate(jg_field *field, int nindices, const int64_t *indices, jg_array **array,
                        uint64_t *out)
{
    int64_t offset = 0;
    int level = 0;
    JG_TRY(field_plane(field, array));
    if (JG_UNLIKELY(nindices != field->ndim + field->element->ndim))
        return fail_rank(field, nindices);
    for (int i = 0; i < nindices; ++i) {
        JG_TRY(check_index(field, i, indices[i]));
        int64_t origin = i < field->ndim ? field->origin[i] : 0;
        offset += step_of(field, *array, i, indices[i] - origin, &level);
    }
    *out = node_place(*array).offset +
           (uint64_t)(offset * (int64_t)dtype_itemsize(field->element->dtype));
    return JG_OK;
}

jg_status jg_field_load(jg_field *field, int nindices, const int64_t *indices, jg_number *out)
{
    jg_array *array;
    uint64_t offset;
    jg_scalar scalar;
    jg_dtype dtype = field->element->dtype;
    JG_TRY(locate(field, nindices, indices, &array, &offset));
    if (JG_LIKELY(buffer_is_on_host(array->buffer)))
        return jg_number_load(dtype, (const char *)array->buffer->handle + offset, 0, out);
    JG_TRY(memory_works_wait_for(array->buffer));
    JG_TRY(buffer_read(array->buffer, offset, dtype_itemsize(dtype), &scalar));
    return jg_number_load(dtype, &scalar, 0, out);
}

jg_status jg_field_store(jg_field *field, int nindices, const int64_t *indices, jg_number value)
{
    jg_array *array;
    uint64_t offset;
    jg_scalar scalar;
    size_t itemsize = dtype_itemsize(field->element->dtype);
    JG_TRY(locate(field, nindices, indices, &array, &offset));
    JG_TRY(graph_number_store(&value, field->element->dtype, &scalar));
    JG_TRY(field_before_write(array, offset, itemsize)); /* on the host nothing can fail after it */
    JG_TRY(memory_works_wait_for(array->buffer));
    if (!buffer_is_on_host(array->buffer))
        return buffer_write(array->buffer, offset, itemsize, &scalar);
    if (field->marked)
        field_mark_cells(field, indices);
    copy_strided(0, NULL, itemsize, &scalar, NULL, (char *)array->buffer->handle + offset, NULL);
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
    return field_before_write(array, (uint64_t)(lowest * itemsize),
                              (size_t)((highest + 1 - lowest) * itemsize));
}

/* Dense planes a page at a time: a page of the value is made once and copied. */
static void fill_dense(char *to, size_t nbytes, const jg_scalar *value, size_t itemsize)
{
    char page[4096]; /* a multiple of each itemsize that a field can have */
    size_t length = nbytes < sizeof page ? nbytes : sizeof page;
    for (size_t i = 0; i < length; i += itemsize)
        memcpy(page + i, value, itemsize);
    for (size_t done = 0; done < nbytes; done += length)
        memcpy(to + done, page, size_min(nbytes - done, length));
}

static jg_status fill_plane(const jg_array *array, const jg_scalar *value)
{
    static const int64_t still[JG_MAX_NDIM]; /* strides of 0: the same value again and again */
    size_t itemsize = dtype_itemsize((jg_dtype)array->dtype);
    size_t nbytes = (size_t)array->size * itemsize;
    field_copy copy;
    if (array->contiguous && buffer_is_on_host(array->buffer)) {
        fill_dense(node_address(array), nbytes, value, itemsize);
        return JG_OK;
    }
    if (array->contiguous)
        return field_fill_bytes(array->buffer, node_place(array).offset, nbytes, value, itemsize);
    JG_TRY(field_copy_open(array, true, &copy));
    copy_strided(array->ndim, node_shape(array), itemsize, value, still, copy.address,
                 node_strides(array));
    return field_copy_close(&copy, true);
}

/* Whether every member can hold the number. */
static jg_status check_fill(jg_field *field, const jg_number *value)
{
    jg_array *array;
    jg_scalar scalar;
    JG_TRY(field_require(field));
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(check_fill(field->members[i], value));
    if (element_is_struct(field->element))
        return JG_OK;
    if (field->marked)
        return field_fail_marked(field, "fill");
    JG_TRY(field_plane(field, &array));
    return graph_number_store(value, field->element->dtype, &scalar);
}

/* before_write of all planes. */
static jg_status settle_planes(jg_field *field)
{
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(settle_planes(field->members[i]));
    return element_is_struct(field->element) ? JG_OK : before_write(field->array);
}

/* After check_fill, so that nothing can fail any more but a device. */
static jg_status fill_planes(jg_field *field, const jg_number *value)
{
    jg_scalar scalar;
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(fill_planes(field->members[i], value));
    if (element_is_struct(field->element))
        return JG_OK;
    JG_TRY(graph_number_store(value, field->element->dtype, &scalar));
    return fill_plane(field->array, &scalar);
}

/* All that may fail comes first, so that a field is filled or unchanged. */
jg_status jg_field_fill(jg_field *field, jg_number value)
{
    JG_TRY(check_fill(field, &value));
    JG_TRY(settle_planes(field));
    return fill_planes(field, &value);
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
    return base_fail(JG_ERR_VALUE, "[%s] shape: got %s, allowed is %s", FIELD_LABEL(field),
                     text_extents(got, sizeof got, x->ndim, node_shape(x)),
                     text_extents(wanted, sizeof wanted, ndim, shape));
}

/* Whether the plane's elements lie in the order of its indices without gaps. */
static bool is_dense(const jg_field *field)
{
    for (int i = 0; i < field->ndim; ++i)
        if (field->levels[i] > 1)
            return false;
    return field->array->contiguous;
}

/* x's values lie row-major on the host, or as its strides say. */
static jg_status write_values(const jg_field *field, const void *values, const int64_t *strides)
{
    int64_t split[JG_MAX_NDIM];
    const jg_array *array = field->array;
    field_copy copy;
    JG_TRY(field_copy_open(array, !is_dense(field), &copy));
    field_split(field, strides, split);
    copy_strided(array->ndim, node_shape(array), dtype_itemsize(field->element->dtype), values,
                 split, copy.address, node_strides(array));
    return field_copy_close(&copy, true);
}

/* Values of a device by way of the host. */
static jg_status write_copied(const jg_field *field, jg_array *x)
{
    int64_t strides[JG_MAX_NDIM];
    size_t nbytes = jg_array_nbytes(x);
    void *values = base_alloc(nbytes);
    if (values == NULL)
        return base_nomem(nbytes, "a field's values");
    jg_status status = jg_array_copy_to(x, values, nbytes);
    layout_row_major(x->ndim, node_shape(x), strides);
    if (status == JG_OK)
        status = write_values(field, values, strides);
    base_free(values);
    return status;
}

/* Writes x's values, of the field's dtype and shape, into the plane. x shares no memory with it. */
static jg_status write_plane(const jg_field *field, jg_array *x)
{
    const jg_array *array = field->array;
    if (node_is_on_host(x))
        return write_values(field, node_address(x), node_strides(x));
    if (!x->contiguous || !is_dense(field) || node_device(x) != array->buffer->device->index)
        return write_copied(field, x);
    const device_copy copy = {DEVICE_WITHIN, node_place(array), node_place(x), jg_array_nbytes(x)};
    return device_copy_all(array->buffer->device, NULL, 1, &copy);
}

/* Compares the ranges of the buffers, which is conservative: members of one tree always share. So a
 * copy may be superfluous, but none is missing. */
static bool shares_memory(const jg_array *x, const jg_array *y)
{
    const jg_buffer *a = node_root(x)->buffer, *b = node_root(y)->buffer;
    return a->low < b->high && b->low < a->high;
}

/* Values that are written to a plane: in memory, of its dtype and shape, and not in its own
 * memory. */
typedef struct assignment {
    jg_field *field;
    jg_array *values;
} assignment;

/* x may read the same field, so it is computed first, and copied if it lies over the field's
 * memory, before anything is written. gives: *out, +1 */
static jg_status detach(const jg_field *field, jg_array *x, jg_array **out)
{
    JG_TRY(run_require(x));
    bool apart = x->size == 0 || (node_root(x)->buffer != NULL && !shares_memory(x, field->array));
    if (!apart)
        return run_copy(x, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

/* Checks, casts and computes what is to be assigned. gives: out->values, +1 */
static jg_status prepare(jg_field *field, jg_array *x, assignment *out)
{
    jg_array *array, *cast;
    JG_TRY(field_plane(field, &array));
    if (field->marked)
        return field_fail_marked(field, "values");
    JG_TRY(check_shape(field, x));
    if (dtype_is_complex((jg_dtype)x->dtype))
        return base_fail(JG_ERR_TYPE, "[%s] values: got %s, allowed are real numbers",
                         FIELD_LABEL(field), dtype_rows[x->dtype].name);
    JG_TRY(graph_cast(x, field->element->dtype, &cast));
    out->field = field;
    jg_status status = detach(field, cast, &out->values);
    jg_array_release(cast);
    return status;
}

/* Writes all or, where a pending reader fails, nothing. */
static jg_status write_all(int count, const assignment *all)
{
    for (int i = 0; i < count; ++i)
        if (all[i].values->size > 0)
            JG_TRY(before_write(all[i].field->array));
    for (int i = 0; i < count; ++i)
        if (all[i].values->size > 0)
            JG_TRY(write_plane(all[i].field, all[i].values));
    return JG_OK;
}

jg_status jg_field_assign(jg_field *field, jg_array *x)
{
    assignment one;
    JG_TRY(prepare(field, x, &one));
    jg_status status = write_all(1, &one);
    jg_array_release(one.values);
    return status;
}

/* gives: an assignment for each plane, appended to *out, also when one of them fails */
static jg_status prepare_planes(jg_field *field, jg_field *from, base_vec *out)
{
    jg_array *values;
    assignment one;
    if (field->element->count != from->element->count)
        return base_fail(JG_ERR_VALUE, "[%s] elements: got %d members, allowed are %d",
                         FIELD_LABEL(field), from->element->count, field->element->count);
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(prepare_planes(field->members[i], from->members[i], out));
    if (element_is_struct(field->element))
        return JG_OK;
    JG_TRY(jg_field_to_array(from, JG_COPY_IF_NEEDED, &values));
    jg_status status = prepare(field, values, &one);
    jg_array_release(values);
    if (status != JG_OK)
        return status;
    status = vec_append(out, &one, sizeof one);
    if (status != JG_OK)
        jg_array_release(one.values);
    return status;
}

/* Members are all prepared before the first of them is written. */
jg_status jg_field_copy_from(jg_field *field, jg_field *from)
{
    base_vec planes = {0};
    jg_status status = prepare_planes(field, from, &planes);
    const assignment *all = (const assignment *)(void *)planes.data;
    int count = (int)(planes.nbytes / sizeof *all);
    if (status == JG_OK)
        status = write_all(count, all);
    for (int i = 0; i < count; ++i)
        jg_array_release(all[i].values);
    vec_clear(&planes);
    return status;
}
