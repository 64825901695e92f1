/* SPDX-License-Identifier: Apache-2.0 */
/* Import: memory that a view describes becomes an array, in place if possible.
 *
 * Every check comes before anything is taken. What is taken is released once: by the buffer when
 * its last user is done, or here, after a copy. */
#include "exchange/exchange.h"
#include <inttypes.h>
#include <string.h>

/* How the view's elements are stored as an array's. */
typedef struct import_plan {
    jg_dtype dtype;
    jg_device *device;
    void *handle;     /* on a device: what the view's data is, or lies in */
    uint64_t before;  /* bytes from the handle to data */
    jg_layout layout; /* on the host with offset 0: the address is that of the first element */
    bool must_copy, for_call;
} import_plan;

static jg_status fail_lanes(const jg_view *view)
{
    return base_fail(JG_ERR_BUFFER,
                     "lanes: got %d of %s, allowed are 1, and more for whole-byte dtypes",
                     view->lanes, dtype_rows[view->dtype].name);
}

/* Vector elements become a trailing axis; the packed pair of FP4 has a dtype of its own. */
static jg_status plan_dtype(const jg_view *view, import_plan *plan)
{
    plan->dtype = view->dtype;
    if (view->dtype == JG_DTYPE_OPAQUE)
        return base_fail(JG_ERR_BUFFER, "dtype: got opaque handles, allowed are numbers and bools");
    if (view->flags & JG_VIEW_SUBBYTE_PADDED && dtype_itemsize(view->dtype) == 0)
        return base_fail(JG_ERR_BUFFER,
                         "flags: %s elements padded to a byte each, allowed is packed",
                         dtype_rows[view->dtype].name);
    if (view->lanes == 1)
        return JG_OK;
    if (view->dtype == JG_DTYPE_FLOAT4_E2M1FN && view->lanes == 2) {
        plan->dtype = JG_DTYPE_FLOAT4_E2M1FN_X2;
        return JG_OK;
    }
    if (dtype_itemsize(view->dtype) == 0)
        return fail_lanes(view);
    if (view->ndim == JG_MAX_NDIM)
        return base_fail(JG_ERR_BUFFER,
                         "ndim: got %d and %d lanes, allowed is %d axes with the lanes'",
                         view->ndim, view->lanes, JG_MAX_NDIM);
    return JG_OK;
}

/* Where handles are addresses a tensor may begin anywhere in its block. The handle may then lie
 * before that block, and nothing is read there. */
static void plan_handle(const jg_view *view, import_plan *plan)
{
    uintptr_t data = (uintptr_t)view->data;
    bool flat = device_has_flat_addresses(plan->device) && dtype_itemsize(plan->dtype) > 0;
    plan->before = flat ? data % BASE_BLOCK_ALIGNMENT : 0;
    plan->handle = (void *)(data - plan->before);
}

/* In elements from the handle on. */
static jg_status plan_offset(const jg_view *view, import_plan *plan)
{
    size_t itemsize = dtype_itemsize(plan->dtype);
    plan->layout.offset = 0;
    if (device_is_host(plan->device) || itemsize == 0)
        return JG_OK;
    uint64_t offset = plan->before + view->byte_offset;
    if (offset % itemsize != 0)
        return base_fail(JG_ERR_BUFFER,
                         "byte_offset: got %" PRIu64 ", allowed on a device is a multiple of "
                         "the element's %zu bytes",
                         offset, itemsize);
    plan->layout.offset = (int64_t)(offset / itemsize);
    return JG_OK;
}

/* Lanes that no dtype has become the last axis. */
static void plan_axes(const jg_view *view, import_plan *plan)
{
    jg_layout *layout = &plan->layout;
    bool widened = view->lanes > 1 && plan->dtype == view->dtype;
    int64_t factor = widened ? view->lanes : 1;
    layout->ndim = view->ndim + widened;
    for (int i = 0; i < view->ndim; ++i) {
        layout->shape[i] = view->shape[i];
        /* This can overflow only for axes of extent 1, whose strides the node sets. */
        if (__builtin_mul_overflow(view->strides[i], factor, &layout->strides[i]))
            layout->strides[i] = 0;
    }
    if (widened) {
        layout->shape[view->ndim] = view->lanes;
        layout->strides[view->ndim] = 1;
    }
}

/* The view's extents and strides are checked (dlpack/bounds.c); lanes multiply both, so they are
 * checked again here. */
static jg_status plan_layout(const jg_view *view, import_plan *plan)
{
    jg_layout *layout = &plan->layout;
    JG_TRY(plan_offset(view, plan));
    plan_axes(view, plan);
    if (shape_size(layout->ndim, layout->shape, &layout->size) != JG_OK)
        return base_fail(JG_ERR_BUFFER,
                         "shape: got 2^63 or more elements with %d lanes, allowed are fewer",
                         view->lanes);
    if (dtype_itemsize(plan->dtype) == 0 && !layout_is_contiguous(layout))
        return base_fail(JG_ERR_BUFFER,
                         "strides: packed %s elements have gaps, allowed are dense row-major ones",
                         dtype_rows[plan->dtype].name);
    return JG_OK;
}

/* For memory of a device: checks that the handle is the device's own, and that its memory contains
 * everything that the view touches. */
static jg_status check_handle(const jg_view *view, const import_plan *plan)
{
    size_t below, above;
    uint64_t end;
    if (device_is_host(plan->device) || plan->layout.size == 0)
        return JG_OK;
    if (dtype_itemsize(plan->dtype) == 0 && view->byte_offset != 0)
        return base_fail(JG_ERR_BUFFER, "byte_offset: got %" PRIu64 ", allowed for packed %s is 0",
                         view->byte_offset, dtype_rows[plan->dtype].name);
    dlpack_view_reach(view, &below, &above); /* dlpack/bounds.c has checked what lies below */
    if (__builtin_add_overflow(view->byte_offset, above, &end))
        return base_fail(JG_ERR_BUFFER,
                         "byte_offset: got %" PRIu64 ", allowed are sums with %zu bytes below 2^64",
                         view->byte_offset, above);
    return device_adopt(plan->device, view->data, end);
}

/* Everything that can be refused, before anything is taken. Misaligned elements must be copied, as
 * loops load them whole. */
static jg_status plan_import(const jg_view *view, jg_copy_policy copy, import_plan *plan)
{
    JG_TRY(graph_check_copy(copy));
    JG_TRY(plan_dtype(view, plan));
    JG_TRY(device_require_memory(view->device, &plan->device));
    plan_handle(view, plan);
    JG_TRY(plan_layout(view, plan));
    JG_TRY(check_handle(view, plan));
    plan->must_copy = copy == JG_COPY_ALWAYS || !dlpack_view_is_aligned(view);
    plan->for_call = copy == JG_COPY_FOR_CALL;
    if (copy != JG_COPY_NEVER)
        return JG_OK;
    if (plan->must_copy)
        return base_fail(JG_ERR_COPY,
                         "copy: refused, but the first %s element is not aligned to its size; a "
                         "copy must be allowed",
                         dtype_rows[plan->dtype].name);
    if (view->flags & JG_VIEW_COPIED)
        return base_fail(JG_ERR_COPY,
                         "copy: refused, but the producer of the %s elements has made one; a copy "
                         "must be allowed",
                         dtype_rows[plan->dtype].name);
    return JG_OK;
}

/* An array over the memory itself. The address is ignored if there are no elements.
 * takes: context, on JG_OK */
static jg_status share(const jg_view *view, const import_plan *plan, void (*release)(void *),
                       void *context, jg_array **out)
{
    unsigned flags = view->flags & JG_VIEW_READ_ONLY ? BUFFER_READ_ONLY : 0;
    void *address = plan->layout.size == 0         ? NULL
                    : device_is_host(plan->device) ? dlpack_view_address(view)
                                                   : plan->handle;
    jg_buffer *buffer;
    size_t nbytes;
    JG_TRY(dtype_nbytes(plan->dtype, plan->layout.size, &nbytes));
    JG_TRY(buffer_take_foreign(plan->device, view->device, address, nbytes, flags, release, context,
                               &buffer));
    jg_status status = node_take_buffer(buffer, plan->dtype, &plan->layout, out);
    if (JG_UNLIKELY(status != JG_OK))
        buffer_free_foreign(buffer); /* the context stays the caller's */
    else if (readers_are_foreign_tracked() && !plan->for_call)
        node_make_place(*out);
    return status;
}

/* Copies memory of a device through an array over it. Its owner's deleter is not called, as the
 * memory remains the owner's. */
static jg_status copy_in_device(const jg_view *view, const import_plan *plan, jg_array **out)
{
    jg_array *shared;
    JG_TRY(share(view, plan, NULL, NULL, &shared));
    jg_status status = run_copy(shared, out);
    jg_array_release(shared);
    return status;
}

/* Packed elements are dense (plan_layout), so their bytes are copied; other elements are copied
 * from one layout to the other. */
static jg_status copy_in(const jg_view *view, const import_plan *plan, jg_array **out)
{
    jg_array *copy;
    size_t itemsize = dtype_itemsize(plan->dtype);
    if (!device_is_host(plan->device))
        return copy_in_device(view, plan, out);
    JG_TRY(graph_empty(plan->device, plan->dtype, plan->layout.ndim, plan->layout.shape, &copy));
    if (plan->layout.size > 0 && itemsize == 0)
        memcpy(node_address(copy), dlpack_view_address(view), jg_array_nbytes(copy));
    else if (plan->layout.size > 0)
        copy_strided(copy->ndim, plan->layout.shape, itemsize, dlpack_view_address(view),
                     plan->layout.strides, node_address(copy), node_strides(copy));
    *out = copy;
    return JG_OK;
}

/* The device that may still write memory which the host can read: pinned and managed memory is
 * ordered by its streams, and those do not hold the host. NULL of the CPU's own memory. */
static jg_device *find_writer(jg_device_id id)
{
    switch (id.type) {
    case JG_DEVICE_CUDA_HOST:
    case JG_DEVICE_CUDA_MANAGED: return device_find((jg_device_id){JG_DEVICE_CUDA, id.id});
    case JG_DEVICE_ROCM_HOST: return device_find((jg_device_id){JG_DEVICE_ROCM, id.id});
    default: return NULL;
    }
}

jg_status jg_array_take_view(const jg_view *view, jg_copy_policy copy, void (*release)(void *),
                             void *context, jg_array **out)
{
    import_plan plan;
    JG_TRY(plan_import(view, copy, &plan));
    jg_device *writer = find_writer(view->device);
    if (JG_UNLIKELY(writer != NULL))
        device_settle(writer);
    if (JG_LIKELY(!plan.must_copy))
        return share(view, &plan, release, context, out);
    /* The memory is not needed any more; it is released on the caller's thread, with no lock
     * held. */
    JG_TRY(copy_in(view, &plan, out));
    if (release != NULL)
        release(context);
    return JG_OK;
}

/* Memory without a deleter outlives the process. */
static void release_managed(void *context)
{
    DLManagedTensorVersioned *managed = context;
    if (managed->deleter != NULL)
        managed->deleter(managed);
}

static void release_managed_legacy(void *context)
{
    DLManagedTensor *managed = context;
    if (managed->deleter != NULL)
        managed->deleter(managed);
}

jg_status jg_array_take_managed(DLManagedTensorVersioned *managed, jg_copy_policy copy,
                                jg_array **out, bool *taken)
{
    jg_view view;
    if (taken != NULL)
        *taken = false;
    jg_status status = jg_managed_check(managed);
    if (status != JG_OK) {
        /* Another major version: only the part up to the deleter is known. */
        release_managed(managed);
        if (taken != NULL)
            *taken = true;
        return status;
    }
    /* Refused from here on, the tensor stays the caller's. */
    JG_TRY(dlpack_view_check(&managed->dl_tensor, (unsigned)managed->flags, &view));
    JG_TRY(jg_array_take_view(&view, copy, release_managed, managed, out));
    if (taken != NULL)
        *taken = true;
    return JG_OK;
}

jg_status jg_array_take_managed_legacy(DLManagedTensor *managed, jg_copy_policy copy,
                                       jg_array **out)
{
    jg_view view;
    JG_TRY(dlpack_view_check(&managed->dl_tensor, 0, &view));
    return jg_array_take_view(&view, copy, release_managed_legacy, managed, out);
}
