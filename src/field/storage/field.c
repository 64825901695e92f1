/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a field: made without a shape, given one, given memory, lost by a reset, freed.
 *
 * All fields are on one list, so that a reset finds them, those of structs and of components
 * included. The list's lock is held while the list changes and while a reset walks it; under it, a
 * reset takes the locks that dropping a plane needs: a tree's lock, and that of the cache of
 * blocks. */
#include "field/field.h"
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static list_link *first; /* under the lock */

#define FIELD_OF_LINK(link) JG_LIST_ITEM(link, jg_field, links)

static void link_field(jg_field *field)
{
    pthread_mutex_lock(&lock);
    list_add(&first, &field->links);
    pthread_mutex_unlock(&lock);
}

static void unlink_field(jg_field *field)
{
    pthread_mutex_lock(&lock);
    list_remove(&first, &field->links);
    pthread_mutex_unlock(&lock);
}

/* Members are fields of their own, named by their path. After a failure those that were made are
 * freed with the field. */
static jg_status new_members(jg_field *field)
{
    const jg_element *element = field->element;
    size_t nbytes = (size_t)element->count * sizeof(jg_field *);
    if ((field->members = base_alloc_zeroed(nbytes)) == NULL)
        return base_nomem(nbytes, "a field");
    for (int i = 0; i < element->count; ++i) {
        base_text name = {0};
        char *text;
        text_add(&name, "%s%s%s", field->name, field->name[0] ? "." : "", element->members[i].name);
        jg_status status = text_finish(&name, &text);
        text_clear(&name);
        JG_TRY(status);
        status = field_new_unplaced(text, element->members[i].element, &field->members[i]);
        base_free(text);
        JG_TRY(status);
    }
    return JG_OK;
}

jg_status field_new_unplaced(const char *name, jg_element *element, jg_field **out)
{
    size_t length = name ? strlen(name) : 0;
    jg_field *field = base_alloc_zeroed(sizeof *field + length + 1);
    if (field == NULL)
        return base_nomem(sizeof *field, "a field");
    if (length > 0)
        memcpy(field->name, name, length);
    atomic_init(&field->refs, 1);
    field->ndim = -1;
    field->element = jg_element_retain(element);
    link_field(field);
    jg_status status = element_is_struct(element) ? new_members(field) : JG_OK;
    if (status == JG_OK)
        *out = field;
    else
        jg_field_release(field);
    return status;
}

static jg_status check_order(int ndim, const int *order)
{
    uint64_t seen = 0;
    for (int i = 0; i < ndim; ++i) {
        if (order[i] < 0 || order[i] >= ndim || (seen >> order[i] & 1))
            return base_fail(JG_ERR_VALUE,
                             "order: got axis %d at place %d, allowed is each of %d axes once",
                             order[i], i, ndim);
        seen |= UINT64_C(1) << order[i];
    }
    return JG_OK;
}

/* A tree checks the same; here it is for SoA, and for messages that name the caller's arguments. */
static jg_status check_spec(const jg_field_spec *spec)
{
    int64_t size;
    if (spec->ndim < -1 || spec->ndim > FIELD_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "ndim: got %d, allowed 0 to %d, or -1", spec->ndim,
                         FIELD_MAX_NDIM);
    if (spec->ndim >= 0 && (unsigned)spec->layout > JG_FIELD_SOA)
        return base_fail(JG_ERR_VALUE,
                         "layout: got number %d, allowed are those of jg_field_layout",
                         (int)spec->layout);
    if (spec->ndim > 0)
        JG_TRY(shape_size(spec->ndim, spec->shape, &size));
    return spec->order && spec->ndim > 0 ? check_order(spec->ndim, spec->order) : JG_OK;
}

/* Each plane has a buffer of its own, so members live and are freed one by one. */
static jg_status place_soa(jg_field *field, const int *order)
{
    jg_layout layout;
    jg_buffer *buffer;
    size_t nbytes;
    if (!element_is_struct(field->element)) {
        JG_TRY(
            field_soa_layout(field->element, field->ndim, field->shape, order, &layout, &nbytes));
        jg_status status = field_new_zeros(nbytes, &buffer);
        if (status != JG_OK)
            return run_name_work(FIELD_LABEL(field), status);
        status = field_set_plane(field, buffer, &layout);
        buffer_release(buffer);
        return status;
    }
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(place_soa(field->members[i], order));
    return JG_OK;
}

/* A tree of one node, whose axes are in the order in memory. */
static jg_status place_aos(jg_field *field, const jg_field_spec *spec)
{
    int axes[FIELD_MAX_NDIM]; /* the outermost first, as the tree has them */
    int64_t extents[FIELD_MAX_NDIM];
    jg_dense *node;
    for (int i = 0; i < spec->ndim; ++i) {
        axes[i] = spec->order ? spec->order[i] : i;
        extents[i] = spec->shape[axes[i]];
    }
    JG_TRY(jg_dense_new(NULL, spec->ndim, axes, extents, &node));
    jg_status status = jg_dense_place(node, field, spec->origin);
    if (status == JG_OK)
        status = field_require(field);
    jg_dense_release(node);
    return status;
}

/* AoS is a tree of cells; SoA has no cells. */
static jg_status place(jg_field *field, const jg_field_spec *spec)
{
    if (spec->ndim < 0)
        return JG_OK;
    if (spec->layout == JG_FIELD_AOS)
        return place_aos(field, spec);
    JG_TRY(field_set_shape(field, spec->ndim, spec->shape, spec->origin));
    return place_soa(field, spec->order);
}

jg_status jg_field_new(const jg_field_spec *spec, jg_field **out)
{
    jg_field *field;
    JG_TRY(check_spec(spec));
    readers_track_foreign(); /* arrays may have been made over the field's memory */
    JG_TRY(field_new_unplaced(spec->name, spec->element, &field));
    jg_status status = place(field, spec);
    if (status == JG_OK)
        *out = field;
    else
        jg_field_release(field);
    return status;
}

jg_field *jg_field_retain(jg_field *field)
{
    atomic_fetch_add_explicit(&field->refs, 1, memory_order_relaxed);
    return field;
}

/* Releases the memory, or the field's place in a tree. The field is not in use elsewhere, as the
 * public header demands; a reset holds the list's lock. */
static void drop_plane(jg_field *field)
{
    jg_dense *node = field->node;
    field->node = NULL;
    /* Forgotten first: until then the tree may give the field its plane. */
    if (node != NULL)
        field_dense_forget(node, field);
    jg_array *array = field->array;
    field->array = NULL;
    jg_array_release(array);
}

void jg_field_release(jg_field *field)
{
    if (field == NULL || atomic_fetch_sub_explicit(&field->refs, 1, memory_order_acq_rel) != 1)
        return;
    unlink_field(field); /* first: a reset that has found the field ends before anything is freed */
    drop_plane(field);
    for (int i = 0; i < field->element->count && field->members != NULL; ++i)
        jg_field_release(field->members[i]);
    base_free(field->members);
    jg_element_release(field->element);
    base_free(field->shape);
    base_free(field);
}

/* Members are on the list themselves, so nothing recurses. The state is set first, so that other
 * threads see that the field is lost before its plane is gone. */
void jg_fields_reset(void)
{
    memory_works_wait_quietly();
    pthread_mutex_lock(&lock);
    for (list_link *link = first; link != NULL; link = link->next) {
        jg_field *field = FIELD_OF_LINK(link);
        atomic_store_explicit(&field->state, FIELD_LOST, memory_order_release);
        drop_plane(field);
    }
    pthread_mutex_unlock(&lock);
}

jg_buffer *field_find_buffer(const jg_device *device, const void *handle)
{
    jg_buffer *found = NULL;
    pthread_mutex_lock(&lock);
    for (list_link *link = first; link != NULL && found == NULL; link = link->next) {
        const jg_field *field = FIELD_OF_LINK(link);
        if (field_state_of(field) != FIELD_READY || field->array == NULL)
            continue;
        jg_buffer *buffer = field->array->buffer;
        if (buffer->device == device && buffer->low <= (const char *)handle &&
            (const char *)handle < buffer->high)
            found = buffer_retain(buffer);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

jg_status field_check_kept(const jg_field *field)
{
    if (field_state_of(field) != FIELD_LOST)
        return JG_OK;
    return base_fail(JG_ERR_LOST, "[%s] was lost by reset() or init(): make it anew",
                     FIELD_LABEL(field));
}

/* The failure for a field without memory; one that is placed gets memory instead. */
static jg_status fail_unready(const jg_field *field)
{
    JG_TRY(field_check_kept(field));
    return base_fail(
        JG_ERR_VALUE,
        "[%s] has no memory, allowed are fields with it: give it a shape, or a place in a tree "
        "of axes",
        FIELD_LABEL(field));
}

static jg_status take_memory(jg_field *field)
{
    jg_status status = field_dense_finish(field->node);
    return status == JG_OK ? JG_OK : run_name_work(FIELD_LABEL(field), status);
}

jg_status field_require(jg_field *field)
{
    field_state state = field_state_of(field); /* acquires: the plane may be read */
    if (JG_LIKELY(state == FIELD_READY))
        return JG_OK;
    if (state == FIELD_PLACED)
        return take_memory(field);
    if (state == FIELD_LOST || !element_is_struct(field->element))
        return fail_unready(field);
    for (int i = 0; i < field->element->count; ++i)
        JG_TRY(field_require(field->members[i]));
    return JG_OK;
}

jg_status field_plane(jg_field *field, jg_array **out)
{
    JG_TRY(field_require(field));
    if (element_is_struct(field->element))
        return base_fail(JG_ERR_TYPE,
                         "[%s] is a field of structs, allowed are others: ask its members",
                         FIELD_LABEL(field));
    *out = field->array;
    return JG_OK;
}

const char *jg_field_name(const jg_field *field)
{
    return field->name;
}

jg_element *jg_field_element(const jg_field *field)
{
    return field->element;
}

bool jg_field_is_lost(const jg_field *field)
{
    return field_state_of(field) == FIELD_LOST;
}

bool jg_field_is_placed(const jg_field *field)
{
    return field->ndim >= 0;
}

int jg_field_ndim(const jg_field *field)
{
    return field->ndim;
}

const int64_t *jg_field_shape(const jg_field *field)
{
    return field->shape;
}

const int64_t *jg_field_origin(const jg_field *field)
{
    return field->origin;
}
