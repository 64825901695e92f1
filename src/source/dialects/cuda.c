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

/* load_matrices gives each lane of a warp its elements of four matrices of 8 by 8 halves, lane l
 * having the address of line l % 8 of matrix l / 8; load_turned_matrices, of the transposed ones.
 * mma_f16 and mma_bf16 add the product of 16 x 16 and 16 x 8 halves to sums, in these fragments;
 * pair_f16 and pair_bf16 round two sums, the first into the low half of a word.
 * copy_16 begins to copy up to 16 bytes, and zeros for the others; copy_commit makes a group of
 * those since the one before it, and copy_wait waits for all groups but the last. NVRTC compiles
 * these; the host, in tests, has its own. */
static const char tensor_cores[] =
    "#if defined(__CUDACC_RTC__) && !defined(TENSOR_CORES)\n"
    "#define TENSOR_CORES\n"
    "#define KERNEL_OF_MANY(n, m) extern \"C\" __global__ void __launch_bounds__(n, m)\n"
    "#define FOUR_TIMES _Pragma(\"unroll 4\")\n"
    "FUNCTION uint32_t shared_address(const void *place) {\n"
    "    uint64_t address;\n"
    "    asm(\"cvta.to.shared.u64 %0, %1;\" : \"=l\"(address) : \"l\"(place));\n"
    "    return (uint32_t)address;\n"
    "}\n"
    "#define LOADS(name, instruction) FUNCTION void name(uint32_t *out, const void *line) { \\\n"
    "    asm volatile(instruction \" {%0, %1, %2, %3}, [%4];\" : \"=r\"(out[0]), \"=r\"(out[1]), "
    "\\\n"
    "        \"=r\"(out[2]), \"=r\"(out[3]) : \"r\"(shared_address(line)) : \"memory\"); }\n"
    "LOADS(load_matrices, \"ldmatrix.sync.aligned.m8n8.x4.shared.b16\")\n"
    "LOADS(load_turned_matrices, \"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16\")\n"
    "#define SUMS(name, instruction) FUNCTION void name(float *sums, const uint32_t *x, \\\n"
    "    const uint32_t *y) { asm volatile(instruction \" {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
    "\" \\\n"
    "        \"%9}, {%0, %1, %2, %3};\" : \"+f\"(sums[0]), \"+f\"(sums[1]), \"+f\"(sums[2]), \\\n"
    "        \"+f\"(sums[3]) : \"r\"(x[0]), \"r\"(x[1]), \"r\"(x[2]), \"r\"(x[3]), \"r\"(y[0]), "
    "\\\n"
    "        \"r\"(y[1])); }\n"
    "SUMS(mma_f16, \"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\")\n"
    "SUMS(mma_bf16, \"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32\")\n"
    "#define PAIR(name, instruction) FUNCTION uint32_t name(float low, float high) { uint32_t out; "
    "\\\n"
    "    asm(instruction \" %0, %1, %2;\" : \"=r\"(out) : \"f\"(high), \"f\"(low)); return out; }\n"
    "PAIR(pair_f16, \"cvt.rn.f16x2.f32\")\n"
    "PAIR(pair_bf16, \"cvt.rn.bf16x2.f32\")\n"
    "FUNCTION void copy_16(void *to, const void *from, int nbytes) {\n"
    "    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16, %2;\" : : "
    "\"r\"(shared_address(to)), \"l\"(from), \"r\"(nbytes) : \"memory\");\n"
    "}\n"
    "FUNCTION void copy_commit() { asm volatile(\"cp.async.commit_group;\" : : : \"memory\"); }\n"
    "FUNCTION void copy_wait() { asm volatile(\"cp.async.wait_group 1;\" : : : \"memory\"); }\n"
    "#endif\n";

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
    .tensor_cores = tensor_cores,
    .block_space = "const ",
    .block_reference = "",
    .position = NULL,
    .ids = "",
    .fence = "__threadfence();",
    .flags = "-std=c++17 -fmad=false -ftz=false",
    .division = "-prec-div=true -prec-sqrt=true",
};
