/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL C 1.2. Names of C's functions take operands of several types there: the casts say which.
 * DECLARATIONS is of the tests, which compile many texts: a short header instead of the
 * compiler's own. */
#include "source/dialect.h"

static const char header[] =
    "#ifdef DECLARATIONS\n"
    "#include DECLARATIONS\n"
    "#endif\n"
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "typedef char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;\n"
    "typedef uchar uint8_t; typedef ushort uint16_t; typedef uint uint32_t;\n"
    "typedef ulong uint64_t;\n"
    "#define KERNEL __kernel void\n"
    "#define KERNEL_OF(n) __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void\n"
    "#define FUNCTION static inline __attribute__((always_inline))\n"
    "#define MEMORY __global\n"
    "#define LOCAL __local\n"
    "#define PRIVATE __private\n"
    "#define MADE(T) (T)\n"
    "#define ALIGNED(n) __attribute__((aligned(n)))\n"
    "#define UNROLL _Pragma(\"unroll\")\n"
    "#define LANES _Pragma(\"clang loop vectorize(assume_safety) unroll(disable)\")\n"
    "#define LANES_16 _Pragma(\"clang loop vectorize(assume_safety) vectorize_width(16) "
    "unroll(disable)\")\n"
    "#define GROUP_ID ((int64_t)get_group_id(0))\n"
    "#define ITEM_ID ((int)get_local_id(0))\n"
    "#define GROUP_ITEMS ((int)get_local_size(0))\n"
    "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#define VECTOR float8\n"
    "#define VECTOR_AT(address) vload8(0, address)\n"
    "#define STORE_VECTOR(x, address) vstore8(x, 0, address)\n"
    "#define JOIN_VECTOR(x, y, z) fma((float8)(x), y, z)\n"
    "#define bits_of_f32(x) as_uint((float)(x))\n"
    "#define f32_of_bits(x) as_float((uint)(x))\n"
    "#define ctzll(x) (63 - (int)clz((ulong)(x) & (0 - (ulong)(x))))\n"
    "#define fabs_f32(x) fabs((float)(x))\n"
    "#define copysign_f32(x, y) copysign((float)(x), (float)(y))\n"
    "#define sqrt_f32(x) sqrt((float)(x))\n"
    "#define floor_f32(x) floor((float)(x))\n"
    "#define ceil_f32(x) ceil((float)(x))\n"
    "#define trunc_f32(x) trunc((float)(x))\n"
    "#define rint_f32(x) rint((float)(x))\n"
    "#define fma_f32(x, y, z) fma((float)(x), (float)(y), (float)(z))\n";

static const char wide[] = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                           "#define bits_of_f64(x) as_ulong((double)(x))\n"
                           "#define f64_of_bits(x) as_double((ulong)(x))\n"
                           "#define fabs_f64(x) fabs((double)(x))\n"
                           "#define copysign_f64(x, y) copysign((double)(x), (double)(y))\n"
                           "#define sqrt_f64(x) sqrt((double)(x))\n"
                           "#define floor_f64(x) floor((double)(x))\n"
                           "#define ceil_f64(x) ceil((double)(x))\n"
                           "#define trunc_f64(x) trunc((double)(x))\n"
                           "#define rint_f64(x) rint((double)(x))\n"
                           "#define fma_f64(x, y, z) fma((double)(x), (double)(y), (double)(z))\n"
                           "#define sin_f64(x) sin((double)(x))\n"
                           "#define cos_f64(x) cos((double)(x))\n"
                           "#define tan_f64(x) tan((double)(x))\n"
                           "#define ldexp_f64(x, n) ldexp((double)(x), (int)(n))\n";

const source_dialect source_opencl = {
    .name = "OpenCL C",
    .header = header,
    .vectors = true,
    .wide = wide,
    .atomics =
        "#define REASSOCIATED _Pragma(\"clang fp reassociate(on)\")\n"
        "#define CAS32(address, old, made) atomic_cmpxchg((volatile __global uint *)(address), "
        "(uint)(old), (uint)(made))\n"
        "#define ADD32(address, x) atomic_add((volatile __global uint *)(address), (uint)(x))\n",
    .atomics_64 =
        "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
        "#define CAS64(address, old, made) atom_cmpxchg((volatile __global ulong *)(address), "
        "(ulong)(old), (ulong)(made))\n",
    .block_space = "const ",
    .block_reference = "",
    .position = NULL,
    .ids = "",
    .fence = "mem_fence(CLK_GLOBAL_MEM_FENCE);",
    .flags = "-cl-std=CL1.2 -w", /* PoCL writes "1 warning generated." to stderr otherwise */
    .division = "-cl-fp32-correctly-rounded-divide-sqrt",
};
