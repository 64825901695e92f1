/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations whose results go into memory of others: what has to be true of that memory, what is
 * evaluated before it is written, and what is copied there afterwards. */
#include "run/run.h"
#include "run/targets.h"
#include <string.h>

static jg_status check_place(const jg_array *x, const jg_array *place, int i)
{
    size_t nbytes = (size_t)x->ndim * sizeof(int64_t);
    if (place->dtype != x->dtype || place->ndim != x->ndim ||
        memcmp(node_shape(place), node_shape(x), nbytes) != 0)
        return jg_fail(JG_ERR_VALUE,
                       "places: number %d differs from its array in dtype or shape, allowed are "
                       "the same",
                       i);
    if (place->primitive == PRIMITIVE_view || !node_has_storage(place) ||
        !buffer_is_on_host(place->buffer))
        return jg_fail(
            JG_ERR_BUFFER,
            "places: number %d is a view or lies on a device, allowed is imported memory "
            "of the host",
            i);
    unsigned flags = atomic_load_explicit(&place->buffer->flags, memory_order_relaxed);
    return flags & BUFFER_FOREIGN && !(flags & BUFFER_READ_ONLY)
               ? JG_OK
               : jg_fail(JG_ERR_BUFFER,
                         "places: number %d is read-only, allowed is memory of "
                         "others that may be written",
                         i);
}

/* What is pending and reads the place is evaluated first. */
static jg_status open_place(const jg_array *place)
{
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)place->dtype);
    jg_layout layout;
    node_layout(place, &layout);
    layout.offset = 0; /* addresses include it */
    JG_TRY(layout_bounds(&layout, &lowest, &highest));
    const char *base = node_address(place);
    return run_before_write(base + lowest * itemsize, base + (highest + 1) * itemsize);
}

/* What a place gets: x, or a copy of what may lie in the memory of a place. A number or a range is
 * computed first, in memory of its own: functions that give it give it again. */
static jg_status take_source(jg_array *x, jg_array **out)
{
    const jg_array *root = node_root(x);
    if (!node_has_storage(x) &&
        (root->primitive == PRIMITIVE_full || root->primitive == PRIMITIVE_arange))
        JG_TRY(run_require(x));
    if (node_has_storage(x) && buffer_is_foreign(root->buffer))
        return run_copy(x, out);
    *out = jg_array_retain(x);
    return JG_OK;
}

/* Checks and opens all places. owned: memory for what is evaluated, with references */
static jg_status open_places(int count, jg_array *const *arrays, jg_array *const *places,
                             jg_array **owned)
{
    for (int i = 0; i < count; ++i)
        if (places[i] != NULL)
            JG_TRY(check_place(arrays[i], places[i], i));
    for (int i = 0; i < count; ++i)
        if (places[i] != NULL)
            JG_TRY(open_place(places[i]));
    for (int i = 0; i < count; ++i) {
        if (places[i] == NULL)
            owned[i] = jg_array_retain(arrays[i]);
        else
            JG_TRY(take_source(arrays[i], &owned[i]));
    }
    return JG_OK;
}

static jg_status eval_into(int count, jg_array *const *arrays, jg_array *const *places,
                           jg_array **owned)
{
    JG_TRY(open_places(count, arrays, places, owned));
    JG_TRY(run_eval_into(count, owned, places));
    for (int i = 0; i < count; ++i)
        if (places[i] != NULL)
            targets_copy(owned[i], places[i]);
    return JG_OK;
}

jg_status jg_eval_into(int count, jg_array *const *arrays, jg_array *const *places,
                       void (*leave)(void *context), void *context)
{
    JG_TRY(graph_check_arrays("arrays", count, arrays));
    jg_array **owned = base_alloc_zeroed((size_t)count * sizeof *owned + 1);
    if (owned == NULL)
        return base_nomem((size_t)count * sizeof *owned, "a list of arrays");
    base_leaver before = leaver_set((base_leaver){leave, context});
    jg_status status = eval_into(count, arrays, places, owned);
    leaver_set(before);
    node_release_all(count, owned);
    base_free(owned);
    return status;
}
