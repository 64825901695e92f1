/* SPDX-License-Identifier: Apache-2.0 */
/* HIP, for AMD's GPUs: what clang builds in, and three functions of the device library that goes
 * with every compiler of HIP. */
#include "source/dialect.h"

static const char header[] =
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
    "typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;\n"
    "typedef unsigned int uint32_t; typedef unsigned long uint64_t;\n"
    "#define KERNEL extern \"C\" __attribute__((global)) void\n"
    "#define KERNEL_OF(n) extern \"C\" __attribute__((global, amdgpu_flat_work_group_size(n, n))) "
    "void\n"
    "#define FUNCTION static inline __attribute__((device, always_inline))\n"
    "#define MEMORY\n"
    "#define LOCAL static __attribute__((shared))\n"
    "#define PRIVATE\n"
    "#define MADE(T) T\n"
    "#define ALIGNED(n) alignas(n)\n"
    "#define UNROLL _Pragma(\"unroll\")\n"
    "#define LANES\n"
    "#define LANES_16\n"
    "#define GROUP_ID ((int64_t)__builtin_amdgcn_workgroup_id_x())\n"
    "#define ITEM_ID ((int)__builtin_amdgcn_workitem_id_x())\n"
    "#define GROUP_ITEMS ((int)__builtin_amdgcn_workgroup_size_x())\n"
    "#define BARRIER (__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\"), "
    "__builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\"))\n"
    "#define INFINITY __builtin_inff()\n"
    "#define NAN __builtin_nanf(\"\")\n"
    "#define bits_of_f32(x) __builtin_bit_cast(uint32_t, (float)(x))\n"
    "#define f32_of_bits(x) __builtin_bit_cast(float, (uint32_t)(x))\n"
    "#define ctzll(x) __builtin_ctzll(x)\n"
    "#define fabs_f32(x) __builtin_fabsf(x)\n"
    "#define copysign_f32(x, y) __builtin_copysignf((float)(x), (float)(y))\n"
    "#define sqrt_f32(x) __builtin_sqrtf(x)\n"
    "#define floor_f32(x) __builtin_floorf(x)\n"
    "#define ceil_f32(x) __builtin_ceilf(x)\n"
    "#define trunc_f32(x) __builtin_truncf(x)\n"
    "#define rint_f32(x) __builtin_rintf(x)\n"
    "#define fma_f32(x, y, z) __builtin_fmaf(x, y, z)\n";

static const char wide[] =
    "extern \"C\" __attribute__((device, const)) double __ocml_sin_f64(double);\n"
    "extern \"C\" __attribute__((device, const)) double __ocml_cos_f64(double);\n"
    "extern \"C\" __attribute__((device, const)) double __ocml_tan_f64(double);\n"
    "#define bits_of_f64(x) __builtin_bit_cast(uint64_t, (double)(x))\n"
    "#define f64_of_bits(x) __builtin_bit_cast(double, (uint64_t)(x))\n"
    "#define fabs_f64(x) __builtin_fabs(x)\n"
    "#define copysign_f64(x, y) __builtin_copysign((double)(x), (double)(y))\n"
    "#define sqrt_f64(x) __builtin_sqrt(x)\n"
    "#define floor_f64(x) __builtin_floor(x)\n"
    "#define ceil_f64(x) __builtin_ceil(x)\n"
    "#define trunc_f64(x) __builtin_trunc(x)\n"
    "#define rint_f64(x) __builtin_rint(x)\n"
    "#define fma_f64(x, y, z) __builtin_fma(x, y, z)\n"
    "#define sin_f64(x) __ocml_sin_f64(x)\n"
    "#define cos_f64(x) __ocml_cos_f64(x)\n"
    "#define tan_f64(x) __ocml_tan_f64(x)\n"
    "#define ldexp_f64(x, n) __builtin_ldexp(x, n)\n";

const source_dialect source_hip = {
    .name = "HIP",
    .header = header,
    .wide = wide,
    .atomics = "#define REASSOCIATED\n"
               "FUNCTION uint32_t CAS32(void *address, uint32_t old, uint32_t made)\n"
               "{\n"
               "    __hip_atomic_compare_exchange_strong((uint32_t *)address, &old, made, "
               "__ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);\n"
               "    return old;\n"
               "}\n"
               "#define ADD32(address, x) __hip_atomic_fetch_add((uint32_t *)(address), "
               "(uint32_t)(x), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)\n",
    .atomics_64 = "FUNCTION uint64_t CAS64(void *address, uint64_t old, uint64_t made)\n"
                  "{\n"
                  "    __hip_atomic_compare_exchange_strong((uint64_t *)address, &old, made, "
                  "__ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);\n"
                  "    return old;\n"
                  "}\n",
    .block_space = "const ",
    .block_reference = "",
    .position = NULL,
    .ids = "",
    .fence = "__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, \"agent\");",
    .flags = "-std=c++17 -ffp-contract=off -fno-gpu-flush-denormals-to-zero",
    .division = "-fhip-fp32-correctly-rounded-divide-sqrt",
};
