/* SPDX-License-Identifier: Apache-2.0 */
/* The Metal Shading Language, which has no float64. */
#include "source/dialect.h"

static const char header[] =
    "#include <metal_stdlib>\n"
    "#pragma clang fp contract(off)\n"
    "#define KERNEL kernel void\n"
    "#define KERNEL_OF(n) kernel void\n"
    "#define FUNCTION static inline\n"
    "#define MEMORY device\n"
    "#define LOCAL threadgroup\n"
    "#define PRIVATE thread\n"
    "#define MADE(T) T\n"
    "#define ALIGNED(n) alignas(n)\n"
    "#define UNROLL _Pragma(\"unroll\")\n"
    "#define LANES\n"
    "#define LANES_16\n"
    "#define GROUP_ID ((int64_t)group_id)\n"
    "#define ITEM_ID ((int)item_id)\n"
    "#define GROUP_ITEMS ((int)group_items)\n"
    "#define BARRIER threadgroup_barrier(metal::mem_flags::mem_threadgroup)\n"
    "#define bits_of_f32(x) as_type<uint32_t>((float)(x))\n"
    "#define f32_of_bits(x) as_type<float>((uint32_t)(x))\n"
    "#define ctzll(x) ((int)metal::ctz((uint64_t)(x)))\n"
    "#define fabs_f32(x) metal::fabs(x)\n"
    "#define copysign_f32(x, y) metal::copysign(x, y)\n"
    "#define sqrt_f32(x) metal::sqrt(x)\n"
    "#define floor_f32(x) metal::floor(x)\n"
    "#define ceil_f32(x) metal::ceil(x)\n"
    "#define trunc_f32(x) metal::trunc(x)\n"
    "#define rint_f32(x) metal::rint(x)\n"
    "#define fma_f32(x, y, z) metal::fma(x, y, z)\n";

const source_dialect source_metal = {
    .name = "Metal",
    .header = header,
    .wide = NULL,
    .atomics =
        "#define REASSOCIATED\n"
        "static inline uint CAS32(device uint8_t *address, uint old, uint made)\n"
        "{\n"
        "    const uint expected = old;\n"
        "    while (old == expected && !atomic_compare_exchange_weak_explicit(\n"
        "               (device atomic_uint *)address, &old, made, memory_order_relaxed,\n"
        "               memory_order_relaxed)) {}\n"
        "    return old;\n"
        "}\n"
        "#define ADD32(address, x) atomic_fetch_add_explicit((device atomic_uint *)(address), "
        "(uint)(x), memory_order_relaxed)\n",
    .block_space = "constant ",
    .block_reference = "&",
    .position = " [[buffer(",
    .ids = ", uint group_id [[threadgroup_position_in_grid]], "
           "uint item_id [[thread_position_in_threadgroup]], "
           "uint group_items [[threads_per_threadgroup]]",
    .fence = "metal::simdgroup_barrier(metal::mem_flags::mem_device);",
    .flags = "-std=metal3.0 -fno-fast-math",
    .division = "",
};
