/* SPDX-License-Identifier: Apache-2.0 */
/* Import and export: tensors of other libraries become arrays without a copy, and arrays become
 * tensors for other libraries.
 *
 * Imported memory is live: an array made without a copy reads what its owner has put there by the
 * time the array, or what was computed from it, is evaluated. JG_COPY_ALWAYS takes a snapshot.
 * joggle never writes to imported memory through an array. Exported memory is pinned: it is never
 * reused while code outside joggle holds it, and deleters that joggle hands out may be called from
 * any thread, once. */
#ifndef JOGGLE_EXCHANGE_H
#define JOGGLE_EXCHANGE_H

#include <joggle/array.h>
#include <joggle/dlpack.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that take one raise VALUE for a number that is none of these. */
typedef enum jg_copy_policy {
    JG_COPY_IF_NEEDED, /* share where possible, else copy */
    JG_COPY_NEVER,     /* share or fail with JG_ERR_COPY; also fail where the producer says that
                          it has copied (JG_VIEW_COPIED), though its copy could be shared */
    JG_COPY_ALWAYS,    /* memory of its own */
    JG_COPY_FOR_CALL   /* as JG_COPY_IF_NEEDED, for an import that is read and released before any
                          code writes the memory. Fields and kernels that write the memory do not
                          evaluate readers of this import first */
} jg_copy_policy;

/* An array over memory that a view describes. When nothing uses the memory any more,
 * release(context) is called once, on any thread. release may be NULL for memory that is never
 * freed. Memory that the host can access becomes an array on the CPU. Misaligned elements are
 * copied, or refused. Vector elements (lanes above 1) become a trailing axis. joggle reads memory
 * of a device with streams in the order of its own streams: call jg_stream_follow before, if
 * another library may still write the memory.
 * takes: context (on JG_OK; after a copy it is released before the return) | gives: *out, +1
 * raises: BUFFER, DEVICE, COPY, NOMEM | waits: for the copy; of pinned and managed memory for the
 * device that may still write it; else never */
JG_API JG_CHECKED jg_status jg_array_take_view(const jg_view *view, jg_copy_policy copy,
                                               void (*release)(void *context), void *context,
                                               jg_array **out);

/* jg_reshape with a choice: whether the result may, must or must not share x's memory.
 * gives: *out, +1 | raises: VALUE for a shape that does not fit, COPY, NOMEM | waits: never */
JG_API JG_CHECKED jg_status jg_reshape_as(jg_array *x, int ndim, const int64_t *shape,
                                          jg_copy_policy copy, jg_array **out);

#ifndef JOGGLE_NO_DLPACK

/* Like jg_array_take_view, for DLPack's managed tensors. If the major version of a tensor is not 1,
 * the call only calls the tensor's deleter and fails. In all other failures the caller keeps the
 * tensor.
 * takes: managed (on JG_OK; also when *taken is true) | gives: *out, +1; *taken if not NULL
 * raises: BUFFER, DEVICE, COPY, NOMEM | waits: as jg_array_take_view */
JG_API JG_CHECKED jg_status jg_array_take_managed(struct DLManagedTensorVersioned *managed,
                                                  jg_copy_policy copy, jg_array **out, bool *taken);
JG_API JG_CHECKED jg_status jg_array_take_managed_legacy(struct DLManagedTensor *managed,
                                                         jg_copy_policy copy, jg_array **out);

/* A tensor over the array's memory for another library. The array is evaluated first. Layouts that
 * break consumers (negative strides) and, for the legacy struct, read-only memory are exported as a
 * compact copy, or refused with JG_ERR_COPY under JG_COPY_NEVER. Flags tell read-only and copied.
 * keeps: x's memory, until the tensor's deleter is called | gives: *out, whose deleter the receiver
 * calls once | raises: BUFFER, COPY, NOMEM, as jg_eval | waits: until x is in memory */
JG_API JG_CHECKED jg_status jg_array_to_managed(jg_array *x, jg_copy_policy copy,
                                                struct DLManagedTensorVersioned **out);
JG_API JG_CHECKED jg_status jg_array_to_managed_legacy(jg_array *x, jg_copy_policy copy,
                                                       struct DLManagedTensor **out);

/* Like jg_array_to_managed, for a consumer that computes on a stream of the array's device, which
 * is given by its number (joggle/stream.h). Work that is queued on the stream afterwards runs after
 * the values are computed, and the host does not wait for them. On a device without such streams
 * the number is ignored, and the call waits.
 * raises: as above, and BUFFER for a number that is none | waits: until the work is given to the
 * device; for a copy until it is made */
JG_API JG_CHECKED jg_status jg_array_to_managed_for(jg_array *x, jg_copy_policy copy,
                                                    int64_t stream,
                                                    struct DLManagedTensorVersioned **out);
JG_API JG_CHECKED jg_status jg_array_to_managed_legacy_for(jg_array *x, jg_copy_policy copy,
                                                           int64_t stream,
                                                           struct DLManagedTensor **out);

/* A tensor that borrows: shape, strides and data belong to x and stay valid while x is held. A
 * DLTensor cannot say that it is read-only, so an array that is not writable is refused.
 * gives: *out | raises: BUFFER for read-only memory or a layout that needs a copy, as jg_eval
 * waits: until x is in memory */
JG_API JG_CHECKED jg_status jg_array_borrow_dltensor(jg_array *x, DLTensor *out);

/* The allocator of DLPackExchangeAPI: a new tensor with prototype's dtype, shape and device.
 * gives: 0 and *out, or -1 after one call of set_error | waits: never */
JG_API int jg_exchange_allocate(DLTensor *prototype, struct DLManagedTensorVersioned **out,
                                void *error_context,
                                void (*set_error)(void *error_context, const char *kind,
                                                  const char *message));
#endif

/* Whether a consumer of the exported x may write the memory: false for imports marked read-only,
 * and for layouts where elements overlap (broadcasts). Needs no evaluation. raises: never */
JG_API bool jg_array_is_writable(const jg_array *x);

#ifdef __cplusplus
}
#endif
#endif
