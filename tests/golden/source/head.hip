typedef signed char int8_t; typedef short int16_t; typedef int int32_t;
typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;
typedef unsigned int uint32_t; typedef unsigned long uint64_t;
#define KERNEL extern "C" __attribute__((global)) void
#define KERNEL_OF(n) extern "C" __attribute__((global, amdgpu_flat_work_group_size(n, n))) void
#define FUNCTION static inline __attribute__((device, always_inline))
#define MEMORY
#define LOCAL static __attribute__((shared))
#define PRIVATE
#define MADE(T) T
#define ALIGNED(n) alignas(n)
#define UNROLL _Pragma("unroll")
#define LANES
#define LANES_16
#define GROUP_ID ((int64_t)__builtin_amdgcn_workgroup_id_x())
#define ITEM_ID ((int)__builtin_amdgcn_workitem_id_x())
#define GROUP_ITEMS ((int)__builtin_amdgcn_workgroup_size_x())
#define BARRIER (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define bits_of_f32(x) __builtin_bit_cast(uint32_t, (float)(x))
#define f32_of_bits(x) __builtin_bit_cast(float, (uint32_t)(x))
#define ctzll(x) __builtin_ctzll(x)
#define fabs_f32(x) __builtin_fabsf(x)
#define copysign_f32(x, y) __builtin_copysignf((float)(x), (float)(y))
#define sqrt_f32(x) __builtin_sqrtf(x)
#define floor_f32(x) __builtin_floorf(x)
#define ceil_f32(x) __builtin_ceilf(x)
#define trunc_f32(x) __builtin_truncf(x)
#define rint_f32(x) __builtin_rintf(x)
#define fma_f32(x, y, z) __builtin_fmaf(x, y, z)
extern "C" __attribute__((device, const)) double __ocml_sin_f64(double);
extern "C" __attribute__((device, const)) double __ocml_cos_f64(double);
extern "C" __attribute__((device, const)) double __ocml_tan_f64(double);
#define bits_of_f64(x) __builtin_bit_cast(uint64_t, (double)(x))
#define f64_of_bits(x) __builtin_bit_cast(double, (uint64_t)(x))
#define fabs_f64(x) __builtin_fabs(x)
#define copysign_f64(x, y) __builtin_copysign((double)(x), (double)(y))
#define sqrt_f64(x) __builtin_sqrt(x)
#define floor_f64(x) __builtin_floor(x)
#define ceil_f64(x) __builtin_ceil(x)
#define trunc_f64(x) __builtin_trunc(x)
#define rint_f64(x) __builtin_rint(x)
#define fma_f64(x, y, z) __builtin_fma(x, y, z)
#define sin_f64(x) __ocml_sin_f64(x)
#define cos_f64(x) __ocml_cos_f64(x)
#define tan_f64(x) __ocml_tan_f64(x)
#define ldexp_f64(x, n) __builtin_ldexp(x, n)
#define AT(T, address) (*(MEMORY T *)(address))
#define LESSER(x, y) ((x) < (y) ? (x) : (y))
#define DIVIDED(n, word) ((int32_t)(((uint64_t)(uint32_t)(n) * (uint32_t)(word)) >> (31 + (int)((word) >> 32))))
