/* SPDX-License-Identifier: Apache-2.0 */
/* Export: an array's memory as a tensor for consumers. The tensor holds the buffer, not the array,
 * so its deleter is plain C: any thread, no GIL, and after the interpreter has gone. */
#include "exchange/exchange.h"
#include <string.h>

/* The version of the structs that are written here. The header that the build has found may be
 * newer, and its version may promise more than these structs hold. */
enum { VERSION_MAJOR = 1, VERSION_MINOR = 3 };

/* One block: the exported struct, the data that it holds, then shape and strides. The deleter frees
 * the whole block, so it must be called with this struct and not with a copy. */
typedef struct export_block {
    union {
        DLManagedTensorVersioned versioned;
        DLManagedTensor legacy;
    } managed; /* first: the deleter gets its address */
    jg_buffer *buffer;
    int64_t dims[];
} export_block;

/* Any thread. The buffer's last reference may run a foreign deleter, where what was exported had
 * been imported. */
static void delete_block(void *managed)
{
    export_block *block = managed;
    buffer_release(block->buffer);
    base_free(block);
}

static void delete_versioned(DLManagedTensorVersioned *managed)
{
    delete_block(managed);
}

static void delete_legacy(DLManagedTensor *managed)
{
    delete_block(managed);
}

static bool is_read_only(const jg_array *x)
{
    const jg_buffer *buffer = node_root(x)->buffer;
    return buffer != NULL &&
           (atomic_load_explicit(&buffer->flags, memory_order_relaxed) & BUFFER_READ_ONLY);
}

/* Whether two indices may be one element, as in a broadcast array: writing one would write the
 * other. */
static bool has_overlaps(const jg_array *x)
{
    jg_layout layout;
    if (x->contiguous)
        return false;
    node_layout(x, &layout);
    return layout_may_overlap(&layout);
}

bool jg_array_is_writable(const jg_array *x)
{
    return !(node_has_storage(x) && is_read_only(x)) && !has_overlaps(x);
}

/* torch aborts the process on a negative stride, and others refuse it. A stride along an axis of
 * one element has no effect. */
static bool has_negative_strides(const jg_array *x)
{
    for (int i = 0; i < x->ndim && !x->contiguous; ++i)
        if (x->dims[i] > 1 && node_strides(x)[i] < 0)
            return true;
    return false;
}

/* The demands of a consumer. */
typedef struct export_order {
    jg_copy_policy copy;
    bool legacy;           /* in the unversioned struct */
    const int64_t *stream; /* that x's memory is to be ready for; NULL: for the host */
} export_order;

/* A stream is used only on devices that have streams. There the device's own queue waits for the
 * work of other libraries, so a wait for the queue makes their memory ready for the host. */
static jg_status require(jg_array *x, const int64_t *stream)
{
    jg_device *device = device_at(node_device(x));
    if (!device_has_streams(device)) {
        JG_TRY(run_require(x));
        return memory_works_wait_for(node_root(x)->buffer);
    }
    if (stream != NULL)
        return run_lead(x, *stream);
    JG_TRY(run_require(x));
    JG_TRY(memory_works_wait_for(node_root(x)->buffer));
    return buffer_is_foreign(node_root(x)->buffer) ? device_copy_all(device, NULL, 0, NULL) : JG_OK;
}

/* The array to export: x itself or a compact copy. *flags gets the tensor's flags.
 * gives: *out, +1 | raises: COPY, NOMEM, as run_require | waits: as jg_array_to_managed_for */
static jg_status choose(jg_array *x, const export_order *order, unsigned *flags, jg_array **out)
{
    jg_copy_policy copy = order->copy;
    bool legacy = order->legacy;
    JG_TRY(graph_check_copy(copy));
    JG_TRY(require(x, order->stream));
    const char *why = copy == JG_COPY_ALWAYS               ? ""
                      : has_negative_strides(x)            ? "strides are negative"
                      : legacy && !jg_array_is_writable(x) ? "the memory is read-only, which the "
                                                             "unversioned struct cannot say"
                                                           : NULL;
    if (why != NULL && copy == JG_COPY_NEVER)
        return base_fail(JG_ERR_COPY, "copy: refused, but %s; a copy must be allowed", why);
    if (why != NULL) {
        *flags = JG_VIEW_COPIED;
        return run_copy(x, out);
    }
    *flags = jg_array_is_writable(x) ? 0 : JG_VIEW_READ_ONLY;
    *out = jg_array_retain(x);
    return JG_OK;
}

/* The address of the first element; of a device's memory the handle, and *offset the way to it. */
static void *first_element(const jg_array *x, uint64_t *offset)
{
    *offset = 0;
    if (x->size == 0)
        return NULL;
    if (node_is_on_host(x))
        return node_address(x);
    device_place place = node_place(x);
    if (device_has_flat_addresses(node_root(x)->buffer->device))
        return (char *)place.handle + place.offset;
    *offset = place.offset;
    return place.handle;
}

/* Fills the tensor from an array that is in memory; dims holds its shape and strides, and must live
 * as long as the tensor. A packed pair goes out as its value with two lanes. DLPack wants NULL for
 * what is empty. */
static void fill_tensor(const jg_array *x, int64_t *dims, DLTensor *out)
{
    uint64_t offset;
    void *data = first_element(x, &offset);
    jg_device_id device = jg_array_device(x);
    *out = (DLTensor){.data = data,
                      .byte_offset = offset,
                      .device = {(DLDeviceType)device.type, device.id},
                      .ndim = x->ndim,
                      .dtype = jg_dtype_dldatatype((jg_dtype)x->dtype, 1),
                      .shape = dims,
                      .strides = dims + x->ndim};
}

/* The buffer with one more holder, marked as seen outside. */
static jg_buffer *pin(const jg_array *x)
{
    jg_buffer *buffer = node_root(x)->buffer;
    atomic_fetch_or_explicit(&buffer->flags, BUFFER_EXPORTED, memory_order_release);
    return buffer_retain(buffer);
}

/* A node's dims are its shape, followed by its strides. */
static size_t dims_nbytes(const jg_array *x)
{
    return 2 * (size_t)x->ndim * sizeof *x->dims;
}

static int64_t *copy_dims(const jg_array *x, int64_t *dims)
{
    memcpy(dims, x->dims, dims_nbytes(x));
    return dims;
}

/* The tensor in the block, without what it describes. */
static DLTensor *set_managed(export_block *block, bool legacy, unsigned flags)
{
    if (legacy) {
        block->managed.legacy = (DLManagedTensor){.deleter = delete_legacy};
        return &block->managed.legacy.dl_tensor;
    }
    block->managed.versioned = (DLManagedTensorVersioned){
        .version = {VERSION_MAJOR, VERSION_MINOR}, .deleter = delete_versioned, .flags = flags};
    return &block->managed.versioned.dl_tensor;
}

/* gives: *out, which the deleter frees | raises: as choose | waits: as choose */
static jg_status export_as(jg_array *x, const export_order *order, export_block **out)
{
    unsigned flags;
    jg_array *from;
    JG_TRY(choose(x, order, &flags, &from));
    jg_status status = JG_OK;
    export_block *block = base_alloc(sizeof *block + dims_nbytes(from));
    if (block == NULL) {
        status = base_nomem(sizeof *block, "an exported tensor");
    } else {
        /* Nothing can fail from here on: the pinned buffer belongs to the consumer. */
        block->buffer = pin(from);
        fill_tensor(from, copy_dims(from, block->dims), set_managed(block, order->legacy, flags));
        *out = block;
    }
    jg_array_release(from);
    return status;
}

static jg_status export_as_versioned(jg_array *x, const export_order *order,
                                     DLManagedTensorVersioned **out)
{
    export_block *block;
    JG_TRY(export_as(x, order, &block));
    *out = &block->managed.versioned;
    return JG_OK;
}

static jg_status export_as_legacy(jg_array *x, const export_order *order, DLManagedTensor **out)
{
    export_block *block;
    JG_TRY(export_as(x, order, &block));
    *out = &block->managed.legacy;
    return JG_OK;
}

jg_status jg_array_to_managed(jg_array *x, jg_copy_policy copy, DLManagedTensorVersioned **out)
{
    return export_as_versioned(x, &(export_order){.copy = copy}, out);
}

jg_status jg_array_to_managed_legacy(jg_array *x, jg_copy_policy copy, DLManagedTensor **out)
{
    return export_as_legacy(x, &(export_order){.copy = copy, .legacy = true}, out);
}

jg_status jg_array_to_managed_for(jg_array *x, jg_copy_policy copy, int64_t stream,
                                  DLManagedTensorVersioned **out)
{
    return export_as_versioned(x, &(export_order){.copy = copy, .stream = &stream}, out);
}

jg_status jg_array_to_managed_legacy_for(jg_array *x, jg_copy_policy copy, int64_t stream,
                                         DLManagedTensor **out)
{
    return export_as_legacy(x, &(export_order){.copy = copy, .legacy = true, .stream = &stream},
                            out);
}

jg_status jg_array_borrow_dltensor(jg_array *x, DLTensor *out)
{
    JG_TRY(run_require(x));
    if (has_negative_strides(x) || !jg_array_is_writable(x))
        return base_fail(JG_ERR_BUFFER, "x: %s, which a borrowed tensor cannot say; use a copy",
                         has_negative_strides(x) ? "has negative strides" : "is read-only");
    fill_tensor(x, x->dims, out);
    unsigned exported = BUFFER_EXPORTED;
    atomic_fetch_or_explicit(&node_root(x)->buffer->flags, exported, memory_order_release);
    return JG_OK;
}

/* DLPack's callback takes the name of a Python exception. */
static const char *error_kind(jg_status status)
{
    switch (status) {
    case JG_ERR_NOMEM: return "MemoryError";
    case JG_ERR_VALUE: return "ValueError";
    default: return "BufferError";
    }
}

/* The prototype's data and strides are ignored; the result is row-major and uninitialised. */
static jg_status allocate(const DLTensor *prototype, DLManagedTensorVersioned **out)
{
    jg_device *device;
    jg_dtype dtype;
    jg_array *x;
    DLDataType type = prototype->dtype;
    JG_TRY(device_require_memory(
        (jg_device_id){(int32_t)prototype->device.device_type, prototype->device.device_id},
        &device));
    JG_TRY(dtype_from_dlpack(type.code, type.bits, type.lanes, &dtype));
    if (jg_dtype_dldatatype(dtype, 1).lanes != type.lanes)
        return base_fail(JG_ERR_BUFFER, "dtype.lanes: got %d, allowed 1, as arrays hold no vectors",
                         (int)type.lanes);
    if (prototype->ndim > 0 && prototype->shape == NULL)
        return base_fail(JG_ERR_BUFFER, "shape: got NULL with ndim %d, allowed with 0",
                         (int)prototype->ndim);
    JG_TRY(graph_empty(device, dtype, prototype->ndim, prototype->shape, &x));
    jg_status status = jg_array_to_managed(x, JG_COPY_NEVER, out);
    jg_array_release(x);
    return status;
}

int jg_exchange_allocate(DLTensor *prototype, DLManagedTensorVersioned **out, void *error_context,
                         void (*set_error)(void *, const char *, const char *))
{
    jg_status status = allocate(prototype, out);
    if (status == JG_OK)
        return 0;
    if (set_error != NULL)
        set_error(error_context, error_kind(status), jg_error_message());
    return -1;
}
