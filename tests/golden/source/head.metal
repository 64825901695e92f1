#include <metal_stdlib>
#pragma clang fp contract(off)
#define KERNEL kernel void
#define KERNEL_OF(n) kernel void
#define FUNCTION static inline
#define MEMORY device
#define LOCAL threadgroup
#define PRIVATE thread
#define MADE(T) T
#define ALIGNED(n) alignas(n)
#define UNROLL _Pragma("unroll")
#define LANES
#define LANES_16
#define GROUP_ID ((int64_t)group_id)
#define ITEM_ID ((int)item_id)
#define GROUP_ITEMS ((int)group_items)
#define BARRIER threadgroup_barrier(metal::mem_flags::mem_threadgroup)
#define bits_of_f32(x) as_type<uint32_t>((float)(x))
#define f32_of_bits(x) as_type<float>((uint32_t)(x))
#define ctzll(x) ((int)metal::ctz((uint64_t)(x)))
#define fabs_f32(x) metal::fabs(x)
#define copysign_f32(x, y) metal::copysign(x, y)
#define sqrt_f32(x) metal::sqrt(x)
#define floor_f32(x) metal::floor(x)
#define ceil_f32(x) metal::ceil(x)
#define trunc_f32(x) metal::trunc(x)
#define rint_f32(x) metal::rint(x)
#define fma_f32(x, y, z) metal::fma(x, y, z)
#define AT(T, address) (*(MEMORY T *)(address))
#define LESSER(x, y) ((x) < (y) ? (x) : (y))
#define DIVIDED(n, word) ((int32_t)(((uint64_t)(uint32_t)(n) * (uint32_t)(word)) >> (31 + (int)((word) >> 32))))
