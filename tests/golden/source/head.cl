#ifdef DECLARATIONS
#include DECLARATIONS
#endif
#pragma OPENCL FP_CONTRACT OFF
typedef char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef uchar uint8_t; typedef ushort uint16_t; typedef uint uint32_t;
typedef ulong uint64_t;
#define KERNEL __kernel void
#define KERNEL_OF(n) __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void
#define FUNCTION static inline __attribute__((always_inline))
#define MEMORY __global
#define LOCAL __local
#define PRIVATE __private
#define MADE(T) (T)
#define ALIGNED(n) __attribute__((aligned(n)))
#define UNROLL _Pragma("unroll")
#define LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define LANES_16 _Pragma("clang loop vectorize(assume_safety) vectorize_width(16) unroll(disable)")
#define GROUP_ID ((int64_t)get_group_id(0))
#define ITEM_ID ((int)get_local_id(0))
#define GROUP_ITEMS ((int)get_local_size(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define VECTOR float8
#define VECTOR_AT(address) vload8(0, address)
#define STORE_VECTOR(x, address) vstore8(x, 0, address)
#define JOIN_VECTOR(x, y, z) fma((float8)(x), y, z)
#define bits_of_f32(x) as_uint((float)(x))
#define f32_of_bits(x) as_float((uint)(x))
#define ctzll(x) (63 - (int)clz((ulong)(x) & (0 - (ulong)(x))))
#define fabs_f32(x) fabs((float)(x))
#define copysign_f32(x, y) copysign((float)(x), (float)(y))
#define sqrt_f32(x) sqrt((float)(x))
#define floor_f32(x) floor((float)(x))
#define ceil_f32(x) ceil((float)(x))
#define trunc_f32(x) trunc((float)(x))
#define rint_f32(x) rint((float)(x))
#define fma_f32(x, y, z) fma((float)(x), (float)(y), (float)(z))
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define bits_of_f64(x) as_ulong((double)(x))
#define f64_of_bits(x) as_double((ulong)(x))
#define fabs_f64(x) fabs((double)(x))
#define copysign_f64(x, y) copysign((double)(x), (double)(y))
#define sqrt_f64(x) sqrt((double)(x))
#define floor_f64(x) floor((double)(x))
#define ceil_f64(x) ceil((double)(x))
#define trunc_f64(x) trunc((double)(x))
#define rint_f64(x) rint((double)(x))
#define fma_f64(x, y, z) fma((double)(x), (double)(y), (double)(z))
#define sin_f64(x) sin((double)(x))
#define cos_f64(x) cos((double)(x))
#define tan_f64(x) tan((double)(x))
#define ldexp_f64(x, n) ldexp((double)(x), (int)(n))
#define AT(T, address) (*(MEMORY T *)(address))
#define LESSER(x, y) ((x) < (y) ? (x) : (y))
#define DIVIDED(n, word) ((int32_t)(((uint64_t)(uint32_t)(n) * (uint32_t)(word)) >> (31 + (int)((word) >> 32))))
