/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's tensor cores, and the copies to a group's memory that run ahead of them, by the
 * instructions of PTX. */
#include "source/dialect.h"

/* load_matrices gives each lane of a warp its elements of four matrices of 8 by 8 halves, lane l
 * having the address of line l % 8 of matrix l / 8; load_turned_matrices, of the transposed ones.
 * mma_f16 and mma_bf16 add the product of 16 x 16 and 16 x 8 halves to sums, in these fragments;
 * pair_f16 and pair_bf16 round two sums, the first into the low half of a word.
 * copy_16 begins to copy up to 16 bytes, and zeros for the others; copy_commit makes a group of
 * those since the one before it, and copy_wait waits for all groups but the last. NVRTC compiles
 * these; the host, in tests, has its own. */
const char source_tensor_cores[] =
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
