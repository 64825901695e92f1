/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA C++ as NVRTC takes it: no header is included. */
#include "source/dialect.h"

static const char header[] =
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
    "typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;\n"
    "typedef unsigned int uint32_t; typedef unsigned long uint64_t;\n"
    "#define KERNEL extern \"C\" __global__ void\n"
    "#define KERNEL_OF(n) extern \"C\" __global__ void __launch_bounds__(n)\n"
    "#define FUNCTION static __device__ __forceinline__\n"
    "#define MEMORY\n"
    "#define LOCAL __shared__\n"
    "#define PRIVATE\n"
    "#define MADE(T) T\n"
    "#define ALIGNED(n) alignas(n)\n"
    "#define UNROLL _Pragma(\"unroll\")\n"
    "#define LANES\n"
    "#define LANES_16\n"
    "#define GROUP_ID ((int64_t)blockIdx.x)\n"
    "#define ITEM_ID ((int)threadIdx.x)\n"
    "#define GROUP_ITEMS ((int)blockDim.x)\n"
    "#define BARRIER __syncthreads()\n"
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fc00000)\n"
    "#define bits_of_f32(x) __float_as_uint(x)\n"
    "#define f32_of_bits(x) __uint_as_float(x)\n"
    "#define ctzll(x) (__ffsll((long long)(x)) - 1)\n"
    "#define fabs_f32(x) fabsf(x)\n"
    "#define copysign_f32(x, y) copysignf((float)(x), (float)(y))\n"
    "#define sqrt_f32(x) sqrtf(x)\n"
    "#define floor_f32(x) floorf(x)\n"
    "#define ceil_f32(x) ceilf(x)\n"
    "#define trunc_f32(x) truncf(x)\n"
    "#define rint_f32(x) rintf(x)\n"
    "#define fma_f32(x, y, z) fmaf(x, y, z)\n";

static const char wide[] = "#define bits_of_f64(x) ((uint64_t)__double_as_longlong(x))\n"
                           "#define f64_of_bits(x) __longlong_as_double((long long)(x))\n"
                           "#define fabs_f64(x) fabs(x)\n"
                           "#define copysign_f64(x, y) copysign((double)(x), (double)(y))\n"
                           "#define sqrt_f64(x) sqrt(x)\n"
                           "#define floor_f64(x) floor(x)\n"
                           "#define ceil_f64(x) ceil(x)\n"
                           "#define trunc_f64(x) trunc(x)\n"
                           "#define rint_f64(x) rint(x)\n"
                           "#define fma_f64(x, y, z) fma(x, y, z)\n"
                           "#define sin_f64(x) sin(x)\n"
                           "#define cos_f64(x) cos(x)\n"
                           "#define tan_f64(x) tan(x)\n"
                           "#define ldexp_f64(x, n) ldexp(x, n)\n";

const source_dialect source_cuda = {
    .name = "CUDA",
    .header = header,
    .wide = wide,
    .atomics =
        "#define REASSOCIATED\n"
        "#define CAS32(address, old, made) atomicCAS((unsigned int *)(address), "
        "(unsigned int)(old), (unsigned int)(made))\n"
        "#define ADD32(address, x) atomicAdd((unsigned int *)(address), (unsigned int)(x))\n",
    .atomics_64 = "#define CAS64(address, old, made) atomicCAS((unsigned long long *)(address), "
                  "(unsigned long long)(old), (unsigned long long)(made))\n",
    .tensor_cores = source_tensor_cores,
    .block_space = "const ",
    .block_reference = "",
    .position = NULL,
    .ids = "",
    .fence = "__threadfence();",
    .flags = "-std=c++17 -fmad=false -ftz=false",
    .division = "-prec-div=true -prec-sqrt=true",
};
