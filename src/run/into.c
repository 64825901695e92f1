/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluations whose results go into memory of others: the conditions on that memory, the nodes that
 * are evaluated before it is written, and the copies afterwards. */
#include "run/run.h"
#include "run/targets.h"
#include <string.h>

static jg_status fail_form(const jg_array *x, const jg_array *target, int i)
{
    char got[80], allowed[80];
    return base_fail(JG_ERR_VALUE, "targets: number %d is %s %s, allowed is %s %s as its array", i,
                     jg_dtype_name((jg_dtype)target->dtype),
                     text_extents(got, sizeof got, target->ndim, node_shape(target)),
                     jg_dtype_name((jg_dtype)x->dtype),
                     text_extents(allowed, sizeof allowed, x->ndim, node_shape(x)));
}

static jg_status check_target(const jg_array *x, const jg_array *target, int i)
{
    size_t nbytes = (size_t)x->ndim * sizeof(int64_t);
    if (target->dtype != x->dtype || target->ndim != x->ndim ||
        memcmp(node_shape(target), node_shape(x), nbytes) != 0)
        return fail_form(x, target, i);
    if (target->primitive == PRIMITIVE_view || !node_has_storage(target) ||
        !buffer_is_on_host(target->buffer))
        return base_fail(
            JG_ERR_BUFFER,
            "targets: number %d is a view or lies on a device, allowed is imported memory "
            "of the host",
            i);
    for (int axis = 0; axis < target->ndim; ++axis)
        if (target->dims[axis] > 1 && node_strides(target)[axis] == 0)
            return base_fail(JG_ERR_BUFFER,
                             "targets: number %d has one element at all indices of axis %d, "
                             "allowed are elements apart",
                             i, axis);
    unsigned flags = atomic_load_explicit(&target->buffer->flags, memory_order_relaxed);
    return flags & BUFFER_FOREIGN && !(flags & BUFFER_READ_ONLY)
               ? JG_OK
               : base_fail(JG_ERR_BUFFER,
                           "targets: number %d is read-only, allowed is memory of "
                           "others that may be written",
                           i);
}

/* Pending nodes that read the target are evaluated first. */
static jg_status open_target(const jg_array *target)
{
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)target->dtype);
    jg_layout layout;
    node_layout(target, &layout);
    layout.offset = 0; /* addresses include it */
    JG_TRY(layout_bounds(&layout, &lowest, &highest));
    const char *base = node_address(target);
    return run_before_write(base + lowest * itemsize, base + (highest + 1) * itemsize);
}

/* The source of a target: x, or a copy of x if its values may lie in a target's memory. A number or
 * a range is computed first, in memory of its own, because each call of a function gives the same
 * array again. */
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

/* Checks and opens all targets. owned: memory for what is evaluated, with references */
static jg_status open_targets(int count, jg_array *const *arrays, jg_array *const *targets,
                              jg_array **owned)
{
    for (int i = 0; i < count; ++i)
        if (targets[i] != NULL)
            JG_TRY(check_target(arrays[i], targets[i], i));
    for (int i = 0; i < count; ++i)
        if (targets[i] != NULL)
            JG_TRY(open_target(targets[i]));
    for (int i = 0; i < count; ++i) {
        if (targets[i] == NULL)
            owned[i] = jg_array_retain(arrays[i]);
        else
            JG_TRY(take_source(arrays[i], &owned[i]));
    }
    return JG_OK;
}

static jg_status eval_into(int count, jg_array *const *arrays, jg_array *const *targets,
                           jg_array **owned)
{
    JG_TRY(open_targets(count, arrays, targets, owned));
    JG_TRY(run_eval_into(count, owned, targets));
    for (int i = 0; i < count; ++i)
        if (targets[i] != NULL)
            run_targets_copy(owned[i], targets[i]);
    return JG_OK;
}

jg_status jg_eval_into(int count, jg_array *const *arrays, jg_array *const *targets,
                       void (*leave)(void *context), void *context)
{
    JG_TRY(graph_check_arrays("arrays", count, arrays));
    jg_array **owned = base_alloc_zeroed((size_t)count * sizeof *owned + 1);
    if (owned == NULL)
        return base_nomem((size_t)count * sizeof *owned, "a list of arrays");
    base_leaver before = leaver_set((base_leaver){leave, context});
    jg_status status = eval_into(count, arrays, targets, owned);
    leaver_set(before);
    node_release_all(count, owned);
    base_free(owned);
    return status;
}
