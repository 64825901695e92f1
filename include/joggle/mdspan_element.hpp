/* SPDX-License-Identifier: Apache-2.0 */
/* C++ element types as dtypes, for joggle/mdspan.hpp: element_of<T>::value.
 *
 * A type that no dtype describes has lanes 0. CUDA's types are there if the toolkit's
 * headers are, each header by itself. What counts is the storage: a lone fp6 or fp4 value takes
 * a byte, and so does every lane of an fp6 vector, while fp4x2 and fp4x4 are packed. */
#ifndef JOGGLE_MDSPAN_ELEMENT_HPP
#define JOGGLE_MDSPAN_ELEMENT_HPP

#include <cfloat>
#include <complex>
#include <cstddef>
#include <type_traits>

#include <joggle/view.h>

#if __cplusplus > 202002L && __has_include(<stdfloat>)
#include <stdfloat>
#endif
#if __has_include(<cuda/std/complex>)
#include <cuda/std/complex>
#endif
#if __has_include(<vector_types.h>)
#include <vector_types.h>
#endif
#if __has_include(<cuda_fp16.h>)
#include <cuda_fp16.h>
#endif
#if __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#endif
#if __has_include(<cuda_fp8.h>)
#include <cuda_fp8.h>
#endif
#if __has_include(<cuda_fp6.h>)
#include <cuda_fp6.h>
#endif
#if __has_include(<cuda_fp4.h>)
#include <cuda_fp4.h>
#endif

namespace joggle
{
namespace mdspan_detail
{

/* What an element looks like in a jg_view. lanes 0 stands for a type that no dtype describes. */
struct element {
    jg_dtype dtype = JG_DTYPE_COUNT;
    int lanes = 0;
    unsigned flags = 0;
};

/* lanes values in one object. padded: a sub-byte value that takes a byte. */
template <jg_dtype Dtype, int Lanes = 1, bool Padded = false> struct is_element {
    static constexpr element value{Dtype, Lanes, Padded ? JG_VIEW_SUBBYTE_PADDED : 0u};
};
struct is_no_element {
    static constexpr element value{};
};

constexpr jg_dtype integer_dtype(std::size_t nbytes, bool has_sign)
{
    constexpr jg_dtype with_sign[] = {JG_DTYPE_INT8, JG_DTYPE_INT16, JG_DTYPE_INT32,
                                      JG_DTYPE_INT64};
    constexpr jg_dtype without[] = {JG_DTYPE_UINT8, JG_DTYPE_UINT16, JG_DTYPE_UINT32,
                                    JG_DTYPE_UINT64};
    int log2 = nbytes == 1 ? 0 : nbytes == 2 ? 1 : nbytes == 4 ? 2 : 3;
    return has_sign ? with_sign[log2] : without[log2];
}

/* The integers that are numbers: not wchar_t, char16_t and their like, nor __int128. */
template <class T, class... Types> constexpr bool is_one_of = (std::is_same_v<T, Types> || ...);
template <class T>
constexpr bool is_integer =
    is_one_of<T, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
              unsigned long, long long, unsigned long long>;

constexpr element complex_of(element part)
{
    element whole = part;
    whole.dtype = part.dtype == JG_DTYPE_FLOAT16   ? JG_DTYPE_COMPLEX32
                  : part.dtype == JG_DTYPE_FLOAT32 ? JG_DTYPE_COMPLEX64
                  : part.dtype == JG_DTYPE_FLOAT64 ? JG_DTYPE_COMPLEX128
                                                   : JG_DTYPE_COUNT;
    return whole.dtype == JG_DTYPE_COUNT ? element{} : whole;
}

template <class T, class = void> struct element_of : is_no_element {
};
template <class T> struct element_of<T, std::enable_if_t<is_integer<T>>> {
    static constexpr element value{integer_dtype(sizeof(T), std::is_signed_v<T>), 1, 0};
};
template <> struct element_of<bool> : is_element<JG_DTYPE_BOOL> {
};
template <> struct element_of<float> : is_element<JG_DTYPE_FLOAT32> {
};
template <> struct element_of<double> : is_element<JG_DTYPE_FLOAT64> {
};
/* x86's long double is no IEEE type: 80 bits in a box of 128. */
#if LDBL_MANT_DIG == 113
template <> struct element_of<long double> : is_element<JG_DTYPE_FLOAT128> {
};
#endif
#if defined(__SIZEOF_FLOAT128__)
template <> struct element_of<__float128> : is_element<JG_DTYPE_FLOAT128> {
};
#endif
#if defined(__STDCPP_FLOAT16_T__)
template <> struct element_of<std::float16_t> : is_element<JG_DTYPE_FLOAT16> {
};
#elif defined(__clang__) && defined(__FLT16_MANT_DIG__)
template <> struct element_of<_Float16> : is_element<JG_DTYPE_FLOAT16> {
};
#endif
#if defined(__STDCPP_BFLOAT16_T__)
template <> struct element_of<std::bfloat16_t> : is_element<JG_DTYPE_BFLOAT16> {
};
#endif
template <class T> struct element_of<std::complex<T>> {
    static constexpr element value = complex_of(element_of<T>::value);
};
#if __has_include(<cuda/std/complex>)
template <class T> struct element_of<cuda::std::complex<T>> {
    static constexpr element value = complex_of(element_of<T>::value);
};
#endif

#if __has_include(<cuda_fp16.h>)
template <> struct element_of<__half> : is_element<JG_DTYPE_FLOAT16> {
};
template <> struct element_of<__half2> : is_element<JG_DTYPE_FLOAT16, 2> {
};
#endif

#if __has_include(<cuda_bf16.h>)
template <> struct element_of<__nv_bfloat16> : is_element<JG_DTYPE_BFLOAT16> {
};
template <> struct element_of<__nv_bfloat162> : is_element<JG_DTYPE_BFLOAT16, 2> {
};
#endif

#if __has_include(<cuda_fp8.h>)
template <> struct element_of<__nv_fp8_e4m3> : is_element<JG_DTYPE_FLOAT8_E4M3FN> {
};
template <> struct element_of<__nv_fp8x2_e4m3> : is_element<JG_DTYPE_FLOAT8_E4M3FN, 2> {
};
template <> struct element_of<__nv_fp8x4_e4m3> : is_element<JG_DTYPE_FLOAT8_E4M3FN, 4> {
};
template <> struct element_of<__nv_fp8_e5m2> : is_element<JG_DTYPE_FLOAT8_E5M2> {
};
template <> struct element_of<__nv_fp8x2_e5m2> : is_element<JG_DTYPE_FLOAT8_E5M2, 2> {
};
template <> struct element_of<__nv_fp8x4_e5m2> : is_element<JG_DTYPE_FLOAT8_E5M2, 4> {
};
#if __has_include(<cuda_fp4.h>) /* e8m0 came in the same release, 12.8 */
template <> struct element_of<__nv_fp8_e8m0> : is_element<JG_DTYPE_FLOAT8_E8M0FNU> {
};
template <> struct element_of<__nv_fp8x2_e8m0> : is_element<JG_DTYPE_FLOAT8_E8M0FNU, 2> {
};
template <> struct element_of<__nv_fp8x4_e8m0> : is_element<JG_DTYPE_FLOAT8_E8M0FNU, 4> {
};
#endif
#endif

#if __has_include(<cuda_fp6.h>)
template <> struct element_of<__nv_fp6_e2m3> : is_element<JG_DTYPE_FLOAT6_E2M3FN, 1, true> {
};
template <> struct element_of<__nv_fp6x2_e2m3> : is_element<JG_DTYPE_FLOAT6_E2M3FN, 2, true> {
};
template <> struct element_of<__nv_fp6x4_e2m3> : is_element<JG_DTYPE_FLOAT6_E2M3FN, 4, true> {
};
template <> struct element_of<__nv_fp6_e3m2> : is_element<JG_DTYPE_FLOAT6_E3M2FN, 1, true> {
};
template <> struct element_of<__nv_fp6x2_e3m2> : is_element<JG_DTYPE_FLOAT6_E3M2FN, 2, true> {
};
template <> struct element_of<__nv_fp6x4_e3m2> : is_element<JG_DTYPE_FLOAT6_E3M2FN, 4, true> {
};
#endif

#if __has_include(<cuda_fp4.h>)
template <> struct element_of<__nv_fp4_e2m1> : is_element<JG_DTYPE_FLOAT4_E2M1FN, 1, true> {
};
template <> struct element_of<__nv_fp4x2_e2m1> : is_element<JG_DTYPE_FLOAT4_E2M1FN, 2> {
};
template <> struct element_of<__nv_fp4x4_e2m1> : is_element<JG_DTYPE_FLOAT4_E2M1FN, 4> {
};
#endif

#if __has_include(<vector_types.h>)

template <class Vector, class Scalar, int Lanes> struct is_vector {
    static_assert(sizeof(Vector) == sizeof(Scalar) * Lanes, "the lanes lie side by side");
    static constexpr element value{element_of<Scalar>::value.dtype, Lanes, 0};
};

#define JOGGLE_VECTOR(name, scalar, lanes)                                                         \
    template <> struct element_of<name> : is_vector<name, scalar, lanes> {                         \
    }
#define JOGGLE_VECTORS_TO_3(name, scalar)                                                          \
    JOGGLE_VECTOR(name##1, scalar, 1);                                                             \
    JOGGLE_VECTOR(name##2, scalar, 2);                                                             \
    JOGGLE_VECTOR(name##3, scalar, 3)

JOGGLE_VECTORS_TO_3(char, signed char);
JOGGLE_VECTORS_TO_3(uchar, unsigned char);
JOGGLE_VECTORS_TO_3(short, short);
JOGGLE_VECTORS_TO_3(ushort, unsigned short);
JOGGLE_VECTORS_TO_3(int, int);
JOGGLE_VECTORS_TO_3(uint, unsigned);
JOGGLE_VECTORS_TO_3(long, long);
JOGGLE_VECTORS_TO_3(ulong, unsigned long);
JOGGLE_VECTORS_TO_3(longlong, long long);
JOGGLE_VECTORS_TO_3(ulonglong, unsigned long long);
JOGGLE_VECTORS_TO_3(float, float);
JOGGLE_VECTORS_TO_3(double, double);
JOGGLE_VECTOR(char4, signed char, 4);
JOGGLE_VECTOR(uchar4, unsigned char, 4);
JOGGLE_VECTOR(short4, short, 4);
JOGGLE_VECTOR(ushort4, unsigned short, 4);
JOGGLE_VECTOR(int4, int, 4);
JOGGLE_VECTOR(uint4, unsigned, 4);
JOGGLE_VECTOR(float4, float, 4);

/* CUDA 13 renamed those of 32 bytes after their alignment and deprecated the old names, which
 * are still types of their own. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
JOGGLE_VECTOR(long4, long, 4);
JOGGLE_VECTOR(ulong4, unsigned long, 4);
JOGGLE_VECTOR(longlong4, long long, 4);
JOGGLE_VECTOR(ulonglong4, unsigned long long, 4);
JOGGLE_VECTOR(double4, double, 4);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#if defined(__VECTOR_TYPE_DEPRECATED__)
JOGGLE_VECTOR(long4_16a, long, 4);
JOGGLE_VECTOR(long4_32a, long, 4);
JOGGLE_VECTOR(ulong4_16a, unsigned long, 4);
JOGGLE_VECTOR(ulong4_32a, unsigned long, 4);
JOGGLE_VECTOR(longlong4_16a, long long, 4);
JOGGLE_VECTOR(longlong4_32a, long long, 4);
JOGGLE_VECTOR(ulonglong4_16a, unsigned long long, 4);
JOGGLE_VECTOR(ulonglong4_32a, unsigned long long, 4);
JOGGLE_VECTOR(double4_16a, double, 4);
JOGGLE_VECTOR(double4_32a, double, 4);
#endif

#undef JOGGLE_VECTORS_TO_3
#undef JOGGLE_VECTOR

#endif

} // namespace mdspan_detail
} // namespace joggle

#endif
