typedef signed char int8_t; typedef short int16_t; typedef int int32_t;
typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;
typedef unsigned int uint32_t; typedef unsigned long uint64_t;
#define KERNEL extern "C" __global__ void
#define KERNEL_OF(n) extern "C" __global__ void __launch_bounds__(n)
#define FUNCTION static __device__ __forceinline__
#define MEMORY
#define LOCAL __shared__
#define PRIVATE
#define MADE(T) T
#define ALIGNED(n) alignas(n)
#define UNROLL _Pragma("unroll")
#define LANES
#define LANES_16
#define GROUP_ID ((int64_t)blockIdx.x)
#define ITEM_ID ((int)threadIdx.x)
#define GROUP_ITEMS ((int)blockDim.x)
#define BARRIER __syncthreads()
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#define bits_of_f32(x) __float_as_uint(x)
#define f32_of_bits(x) __uint_as_float(x)
#define ctzll(x) (__ffsll((long long)(x)) - 1)
#define fabs_f32(x) fabsf(x)
#define copysign_f32(x, y) copysignf((float)(x), (float)(y))
#define sqrt_f32(x) sqrtf(x)
#define floor_f32(x) floorf(x)
#define ceil_f32(x) ceilf(x)
#define trunc_f32(x) truncf(x)
#define rint_f32(x) rintf(x)
#define fma_f32(x, y, z) fmaf(x, y, z)
#define bits_of_f64(x) ((uint64_t)__double_as_longlong(x))
#define f64_of_bits(x) __longlong_as_double((long long)(x))
#define fabs_f64(x) fabs(x)
#define copysign_f64(x, y) copysign((double)(x), (double)(y))
#define sqrt_f64(x) sqrt(x)
#define floor_f64(x) floor(x)
#define ceil_f64(x) ceil(x)
#define trunc_f64(x) trunc(x)
#define rint_f64(x) rint(x)
#define fma_f64(x, y, z) fma(x, y, z)
#define sin_f64(x) sin(x)
#define cos_f64(x) cos(x)
#define tan_f64(x) tan(x)
#define ldexp_f64(x, n) ldexp(x, n)
#define AT(T, address) (*(MEMORY T *)(address))
#define LESSER(x, y) ((x) < (y) ? (x) : (y))
#define DIVIDED(n, word) ((int32_t)(((uint64_t)(uint32_t)(n) * (uint32_t)(word)) >> (31 + (int)((word) >> 32))))
