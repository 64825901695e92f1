/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor described on the caller's stack: pointer, dtype, device, shape and strides.
 *
 * A jg_view owns nothing and allocates nothing, whatever its rank: the extents and strides lie
 * inside the struct. Imports check every DLPack tensor and describe it by a view; exports make a
 * DLTensor from a view. The memory that a view points to must outlive the view. A DLTensor that is
 * made from a view points into it, so it must not outlive the view, and the view must not be moved
 * meanwhile. */
#ifndef JOGGLE_VIEW_H
#define JOGGLE_VIEW_H

#include <joggle/device.h>
#include <joggle/dtype.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JG_MAX_NDIM 64

#define JG_VIEW_READ_ONLY (1u << 0) /* the memory must not be written */
#define JG_VIEW_COPIED (1u << 1)    /* made for this exchange: it has no other holder */
#define JG_VIEW_SUBBYTE_PADDED                                                                     \
    (1u << 2) /* sub-byte elements take a byte each instead of being packed */

typedef struct jg_view {
    void *data; /* address, or the handle of a device that has no addresses; NULL if empty */
    uint64_t byte_offset; /* from data to the first element */
    jg_device_id device;
    jg_dtype dtype;
    uint16_t lanes; /* elements per position, 1 but for vector types such as float4 */
    uint16_t flags; /* JG_VIEW_ bits */
    int32_t ndim;
    int64_t shape[JG_MAX_NDIM];   /* extents; only the first ndim are set */
    int64_t strides[JG_MAX_NDIM]; /* in elements (of lanes each); only the first ndim are set */
} jg_view;

/* Describes memory. shape has ndim extents; strides, in elements, may be NULL for row-major. An
 * empty view gets a NULL data pointer. flags: JG_VIEW_ bits.
 * keeps: data | gives: *out | raises: VALUE for ndim, an extent or a stride out of range (the
 * message names the axis), NULL data with a non-zero size, lanes, a dtype, a device or flags that
 * do not exist, a byte size that overflows | waits: never */
JG_API JG_CHECKED jg_status jg_view_init(jg_view *out, void *data, jg_device_id device,
                                         jg_dtype dtype, int lanes, int ndim, const int64_t *shape,
                                         const int64_t *strides, unsigned flags) JG_NONNULL(1);

/* The number of positions: the product of the extents, 1 for ndim 0. raises: never */
JG_API int64_t jg_view_size(const jg_view *view) JG_NONNULL(1);

/* Whether the elements lie in row-major order without gaps (strides of extents 0 and 1 do not
 * count).
 * raises: never */
JG_API bool jg_view_is_contiguous(const jg_view *view) JG_NONNULL(1);

/* The address of the position at `index`, which has ndim numbers, each from 0 to its extent - 1.
 * The memory must be the host's, the elements of whole bytes; NULL where they are not.
 * gives: it, borrowed from the view | raises: never */
JG_API void *jg_view_at(const jg_view *view, const int64_t *index) JG_NONNULL(1);

/* The number in one lane, from 0, of the position at `index`, for memory of the host.
 * gives: *out | raises: as jg_number_load; DEVICE for memory of another device, VALUE for a lane
 * that the view has not */
JG_API JG_CHECKED jg_status jg_view_load(const jg_view *view, const int64_t *index, int lane,
                                         jg_number *out) JG_NONNULL(1, 4);

/* Moves `index` to the next position in row-major order; false behind the last one, where it is all
 * zeros again. A walk starts at zeros, unless jg_view_size is 0:
 *     int64_t index[JG_MAX_NDIM] = {0};
 *     do { float *element = jg_view_at(&view, index); ... } while (jg_view_next(&view, index));
 * raises: never */
JG_API bool jg_view_next(const jg_view *view, int64_t *index) JG_NONNULL(1);

#ifdef __cplusplus
}
#else

/* jg_view_init of a typed pointer: its element type gives the dtype, and const gives
 * JG_VIEW_READ_ONLY. shape and strides are pointers to int64_t; strides may be NULL. It does not
 * compile for a pointer to anything that no dtype describes: void, a struct, a volatile element,
 * __int128. */
#define JG_VIEW_OF(out, pointer, device, ndim, shape, strides)                                     \
    jg_view_init((out), JG_VIEW_ADDRESS(pointer), (device), JG_DTYPE_OF(pointer), 1, (ndim),       \
                 (shape), (strides), JG_VIEW_FLAGS_OF(pointer))

/* The same with two arrays (not pointers) of int64_t, whose length is ndim. It does not compile
 * if they differ in length or are longer than JG_MAX_NDIM. */
#define JG_VIEW_OF_ARRAYS(out, pointer, device, shape, strides)                                    \
    JG_VIEW_OF(out, pointer, device, JG_VIEW_RANK(shape, strides), shape, strides)

/* The dtype of the elements that a pointer points at. */
/* clang-format off */
#define JG_DTYPE_OF(pointer)                                                                       \
    (__extension__ _Generic((pointer),                                                             \
        JG_VIEW_ROW(_Bool, JG_DTYPE_BOOL),                                                         \
        JG_VIEW_ROW(char, (char)-1 < 0 ? JG_DTYPE_INT8 : JG_DTYPE_UINT8),                          \
        JG_VIEW_ROW(signed char, JG_DTYPE_INT8),                                                   \
        JG_VIEW_ROW(unsigned char, JG_DTYPE_UINT8),                                                \
        JG_VIEW_ROW(short, JG_DTYPE_INT16),                                                        \
        JG_VIEW_ROW(unsigned short, JG_DTYPE_UINT16),                                              \
        JG_VIEW_ROW(int, JG_DTYPE_INT32),                                                          \
        JG_VIEW_ROW(unsigned, JG_DTYPE_UINT32),                                                    \
        JG_VIEW_ROW(long, sizeof(long) == 8 ? JG_DTYPE_INT64 : JG_DTYPE_INT32),                    \
        JG_VIEW_ROW(unsigned long, sizeof(long) == 8 ? JG_DTYPE_UINT64 : JG_DTYPE_UINT32),         \
        JG_VIEW_ROW(long long, JG_DTYPE_INT64),                                                    \
        JG_VIEW_ROW(unsigned long long, JG_DTYPE_UINT64)                                           \
        JG_VIEW_ROW_FLOAT16                                                                        \
        JG_VIEW_ROW_BFLOAT16                                                                       \
        JG_VIEW_ROW_FLOAT128,                                                                      \
        JG_VIEW_ROW(float, JG_DTYPE_FLOAT32),                                                      \
        JG_VIEW_ROW(double, JG_DTYPE_FLOAT64),                                                     \
        JG_VIEW_ROW(float _Complex, JG_DTYPE_COMPLEX64),                                           \
        JG_VIEW_ROW(double _Complex, JG_DTYPE_COMPLEX128)))
/* clang-format on */
#define JG_VIEW_ROW(type, dtype) type * : (dtype), const type * : (dtype)

/* Element types that only some compilers have. */
#ifdef __FLT16_MANT_DIG__
#define JG_VIEW_ROW_FLOAT16 , JG_VIEW_ROW(_Float16, JG_DTYPE_FLOAT16)
#else
#define JG_VIEW_ROW_FLOAT16
#endif
#ifdef __BFLT16_MANT_DIG__
#define JG_VIEW_ROW_BFLOAT16 , JG_VIEW_ROW(__bf16, JG_DTYPE_BFLOAT16)
#else
#define JG_VIEW_ROW_BFLOAT16
#endif
#if defined(__SIZEOF_FLOAT128__)
#define JG_VIEW_ROW_FLOAT128 , JG_VIEW_ROW(__float128, JG_DTYPE_FLOAT128)
#elif defined(__LDBL_MANT_DIG__) && __LDBL_MANT_DIG__ == 113
#define JG_VIEW_ROW_FLOAT128 , JG_VIEW_ROW(long double, JG_DTYPE_FLOAT128)
#else
#define JG_VIEW_ROW_FLOAT128
#endif

/* A conditional with a void pointer keeps the qualifiers of the other side and drops its type.
 * The 1 is what makes it a void pointer: (void *)0 would be a null pointer constant, which has
 * no say. */
#define JG_VIEW_FLAGS_OF(pointer)                                                                  \
    _Generic(1 ? (pointer) : (void *)1, void * : 0u, const void * : JG_VIEW_READ_ONLY)
#define JG_VIEW_ADDRESS(pointer) ((void *)(uintptr_t)(const void *)(pointer))

/* The common length of two arrays; the struct is there because an expression cannot hold a
 * _Static_assert. */
#define JG_VIEW_RANK(shape, strides)                                                               \
    (JG_VIEW_LENGTH(shape) + 0 * (int)sizeof(struct {                                              \
                                 int unused;                                                       \
                                 _Static_assert(JG_VIEW_LENGTH(shape) == JG_VIEW_LENGTH(strides),  \
                                                "shape and strides differ in length");             \
                                 _Static_assert(JG_VIEW_LENGTH(shape) <= JG_MAX_NDIM,              \
                                                "more axes than JG_MAX_NDIM");                     \
                             }))

/* The length of an array of int64_t; a pointer or another element type does not compile. */
/* clang-format off */
#define JG_VIEW_LENGTH(array)                                                                      \
    _Generic(&(array),                                                                             \
        int64_t(*)[sizeof(array) / sizeof(*(array))]: (int)(sizeof(array) / sizeof(*(array))),     \
        const int64_t(*)[sizeof(array) / sizeof(*(array))]: (int)(sizeof(array) / sizeof(*(array))))
/* clang-format on */

#endif
#endif
