/* SPDX-License-Identifier: Apache-2.0 */
/* DLPack 1.3: the structs that tensor libraries pass each other, and their way into and out of
 * jg_view.
 *
 * The first half restates the ABI under its official names; it stands behind the official
 * header's own guard, so that the two can be included together in either order. The second half
 * is joggle's: it neither allocates nor takes ownership, and treats every tensor from outside as
 * hostile.
 *
 * JOGGLE_SYSTEM_DLPACK: take the ABI from <dlpack/dlpack.h> where the compiler finds that
 * header. JOGGLE_NO_DLPACK: declare nothing. */
#ifndef JOGGLE_DLPACK_H
#define JOGGLE_DLPACK_H

#include <joggle/view.h>

#ifndef JOGGLE_NO_DLPACK

#if defined(JOGGLE_SYSTEM_DLPACK) && defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 3

/* Unused here; other code that includes the official header may go by them. */
#define DLPACK_DLL
#ifdef __cplusplus
#define DLPACK_EXTERN_C extern "C"
extern "C" {
#else
#define DLPACK_EXTERN_C
#endif

/* Equal major versions can read each other's structs. Minor versions only add enumerators. */
typedef struct {
    uint32_t major;
    uint32_t minor;
} DLPackVersion;

/* The kind of memory. C++ needs the width stated; a plain C enum of these values has it anyway. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3, /* pinned for CUDA; the host reads it too */
    kDLOpenCL = 4,   /* data is a cl_mem */
    kDLVulkan = 7,   /* data is a buffer handle */
    kDLMetal = 8,    /* data is an MTLBuffer */
    kDLVPI = 9,      /* a Verilog simulator's */
    kDLROCM = 10,
    kDLROCMHost = 11, /* pinned for ROCm; the host reads it too */
    kDLExtDev = 12,   /* whatever the two sides agree on */
    kDLCUDAManaged = 13,
    kDLOneAPI = 14, /* a unified shared memory address */
    kDLWebGPU = 15,
    kDLHexagon = 16,
    kDLMAIA = 17,
    kDLTrn = 18, /* AWS Trainium */
} DLDeviceType;

typedef struct {
    DLDeviceType device_type;
    int32_t device_id; /* the driver's number; 0 for memory of the host and managed memory */
} DLDevice;

/* How the bits of an element read. The width stands in DLDataType.bits, so int8 and int64 share
 * one. */
typedef enum {
    kDLInt = 0U,
    kDLUInt = 1U,
    kDLFloat = 2U,        /* IEEE 754 */
    kDLOpaqueHandle = 3U, /* a pointer that only the two sides understand */
    kDLBfloat = 4U,
    kDLComplex = 5U, /* real part, then imaginary; bits counts both */
    kDLBool = 6U,    /* a byte each */
    kDLFloat8_e3m4 = 7U,
    kDLFloat8_e4m3 = 8U,
    kDLFloat8_e4m3b11fnuz = 9U,
    kDLFloat8_e4m3fn = 10U,
    kDLFloat8_e4m3fnuz = 11U,
    kDLFloat8_e5m2 = 12U,
    kDLFloat8_e5m2fnuz = 13U,
    kDLFloat8_e8m0fnu = 14U,
    kDLFloat6_e2m3fn = 15U, /* bits is 6, else the meaning is open */
    kDLFloat6_e3m2fn = 16U,
    kDLFloat4_e2m1fn = 17U, /* bits is 4, else the meaning is open */
} DLDataTypeCode;

/* An element: lanes values of `bits` bits, in the machine's byte order. Values narrower than a
 * byte lie packed, the first in the lowest bits, unless a managed tensor's flags say that each
 * has a byte. */
typedef struct {
    uint8_t code; /* a DLDataTypeCode */
    uint8_t bits;
    uint16_t lanes; /* 1 but for vector types */
} DLDataType;

/* A tensor that other code owns. */
typedef struct {
    void *data; /* address or handle; NULL if there are no elements */
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape;       /* ndim extents */
    int64_t *strides;     /* in elements, not bytes; may be NULL for row-major before version 1.2 */
    uint64_t byte_offset; /* from data to the first element */
} DLTensor;

/* The tensor with its owner, as it was passed before version 1.0. Its holder calls
 * deleter(self) once; a NULL deleter means that there is nothing to do. */
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

/* Bits of DLManagedTensorVersioned.flags: not to be written; made for the receiver alone; values
 * narrower than a byte have a byte each. */
#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

/* The tensor with its owner. Everything before dl_tensor keeps its offset in all versions, so
 * that the deleter can be called even where the tensor itself cannot be read. */
typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

/* The functions of the exchange table. All return 0, or -1 after having said why: the allocator
 * by one call of SetError, the others by a Python exception. None of them waits for a stream. */

/* Makes a tensor with the dtype, shape and device of prototype. gives: *out, owned by the caller */
typedef int (*DLPackManagedTensorAllocator)(DLTensor *prototype, DLManagedTensorVersioned **out,
                                            void *error_ctx,
                                            void (*SetError)(void *error_ctx, const char *kind,
                                                             const char *message));

/* gives: *out, owned by the caller */
typedef int (*DLPackManagedTensorFromPyObjectNoSync)(void *py_object,
                                                     DLManagedTensorVersioned **out);

/* Fills *out with pointers that the object owns and keeps until control returns to the producer. */
typedef int (*DLPackDLTensorFromPyObjectNoSync)(void *py_object, DLTensor *out);

/* gives: the stream that the producer works on now, NULL for the CPU */
typedef int (*DLPackCurrentWorkStream)(DLDeviceType device_type, int32_t device_id,
                                       void **out_current_stream);

/* takes: tensor, on success | gives: a new reference */
typedef int (*DLPackManagedTensorToPyObjectNoSync)(DLManagedTensorVersioned *tensor,
                                                   void **out_py_object);

/* The part of the table that stays the same in all versions. prev_api points to an older table, or
 * is NULL. */
typedef struct DLPackExchangeAPIHeader {
    DLPackVersion version;
    struct DLPackExchangeAPIHeader *prev_api;
} DLPackExchangeAPIHeader;

/* The table that a Python type offers as __dlpack_c_exchange_api__, in a capsule of the name
 * "dlpack_exchange_api". It lives as long as the process. Any function may be missing in
 * practice. */
typedef struct DLPackExchangeAPI {
    DLPackExchangeAPIHeader header;
    DLPackManagedTensorAllocator managed_tensor_allocator;
    DLPackManagedTensorFromPyObjectNoSync managed_tensor_from_py_object_no_sync;
    DLPackManagedTensorToPyObjectNoSync managed_tensor_to_py_object_no_sync;
    DLPackDLTensorFromPyObjectNoSync dltensor_from_py_object_no_sync;
    DLPackCurrentWorkStream current_work_stream;
} DLPackExchangeAPI;

#ifdef __cplusplus
}
#endif
#endif /* DLPACK_DLPACK_H_ */

#if !defined(DLPACK_MAJOR_VERSION) || DLPACK_MAJOR_VERSION != 1
#error "joggle needs DLPack 1.x: another version's dlpack.h was included before joggle/dlpack.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The view as a DLTensor, without copying anything: shape and strides point into *view, which
 * must stay where it is for as long as the DLTensor is used. They are never NULL, ndim 0
 * included. On devices with addresses byte_offset is added to data and given as 0; on those with
 * handles it is passed on. data is NULL if there are no elements. Whether the memory may be
 * written is not in a DLTensor: see the flags.
 * keeps: pointers into *view | gives: a tensor that owns nothing | raises: never | waits: never */
JG_API JG_CHECKED DLTensor jg_view_dltensor(const jg_view *view) JG_NONNULL(1);

/* Checks a tensor from outside and describes it as a view. Any strides are accepted (NULL, zero,
 * negative, overlapping) whose elements lie within one object that memory can hold. The view is
 * normalised: byte_offset is added to data on devices with addresses, extents of 1 get the
 * row-major stride, a tensor without elements is row-major at NULL, memory of the host has
 * device id 0. Nothing is said about alignment. flags: DLPACK_FLAG_BITMASK_ bits, 0 for tensors
 * that carry none; bits that joggle does not know are dropped. The shape may be changed by its
 * owner afterwards: it is copied.
 * keeps: tensor->data | gives: *out | raises: BUFFER, naming the field | waits: never */
JG_API JG_CHECKED jg_status jg_view_from_dltensor(const DLTensor *tensor, unsigned flags,
                                                  jg_view *out) JG_NONNULL(1, 3);

/* Whether the tensor is of a version that joggle reads: major 1, any minor. If not, call its
 * deleter and read nothing else, as the struct may differ after flags.
 * keeps: nothing | raises: BUFFER | waits: never */
JG_API JG_CHECKED jg_status jg_managed_check(const DLManagedTensorVersioned *managed) JG_NONNULL(1);

/* jg_managed_check, then jg_view_from_dltensor with the tensor's own flags.
 * keeps: the tensor's data, not managed itself | gives: *out | raises: BUFFER | waits: never */
JG_API JG_CHECKED jg_status jg_view_from_managed(const DLManagedTensorVersioned *managed,
                                                 jg_view *out) JG_NONNULL(1, 2);

/* The DLPack description of a dtype, of lanes elements each; {0, 0, 0}, which everybody refuses, if
 * dtype or lanes is out of range. raises: never */
JG_API DLDataType jg_dtype_dldatatype(jg_dtype dtype, int lanes);

/* The dtype of one lane, and the lanes. gives: *dtype, *lanes | raises: BUFFER for lanes 0 and
 * for a code or width that DLPack 1.3 does not define */
JG_API JG_CHECKED jg_status jg_dtype_from_dldatatype(DLDataType type, jg_dtype *dtype, int *lanes)
    JG_NONNULL(2, 3);

#ifdef __cplusplus
}

namespace joggle
{

/* jg_view_dltensor for C++, where a temporary view, which would leave the pointers dangling,
 * does not compile. */
inline DLTensor dltensor(const jg_view &view) noexcept
{
    return jg_view_dltensor(&view);
}
DLTensor dltensor(const jg_view &&) = delete;

} // namespace joggle
#endif

#endif /* JOGGLE_NO_DLPACK */
#endif
