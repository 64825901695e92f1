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
FUNCTION float SUBTRACT_FLOAT32(float x, float y) { return (float)(x - y); }
FUNCTION float MAXIMUM_FLOAT32(float x, float y) { return (float)(x > y || x != x ? x : y); }
FUNCTION double ADD_FLOAT64(double x, double y) { return (double)(x + y); }
FUNCTION double FLOAT32_AS_FLOAT64(float x) { return (double)x; }
FUNCTION float FLOAT64_AS_FLOAT32(double x) { return (float)x; }
struct words_0 { uint64_t w[18]; };
KERNEL_OF(256) k0_rows(MEMORY uint8_t *m0, MEMORY uint8_t *m1, MEMORY uint8_t *m2, const struct words_0 block) {
    LOCAL float t_float_0[256];
    LOCAL double t_double_0[256];
    const int32_t number = (int32_t)block.w[0] + (int32_t)GROUP_ID;
     {
        const int32_t row = number;
        const int32_t i0 = row;
        MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int32_t)block.w[12];
        MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int32_t)block.w[14];
        MEMORY uint8_t *const b2 = m2 + (int64_t)block.w[11] + i0 * (int32_t)block.w[16];
        float a1_0 = -INFINITY;
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            MEMORY uint8_t *const c2 = b2;
            for (int32_t j = 0 + ITEM_ID; j < (int32_t)block.w[6]; j += 256) {
                const float v0 = AT(const float, c0 + j * 4);
                a1_0 = MAXIMUM_FLOAT32(a1_0, v0);
            }
        }
        t_float_0[ITEM_ID] = a1_0;
        BARRIER;
        for (int s = 128; s > 0; s /= 2) {
            if (ITEM_ID < s) {
                a1_0 = MAXIMUM_FLOAT32(a1_0, t_float_0[ITEM_ID + s]);
                t_float_0[ITEM_ID] = a1_0;
            }
            BARRIER;
        }
        a1_0 = t_float_0[0];
        BARRIER;
        const float v1 = a1_0;
        double a4_0 = 0;
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            MEMORY uint8_t *const c2 = b2;
            for (int32_t j = 0 + ITEM_ID; j < (int32_t)block.w[6]; j += 256) {
                const float v0 = AT(const float, c0 + j * 4);
                const float v2 = SUBTRACT_FLOAT32(v0, v1);
                a4_0 = ADD_FLOAT64(a4_0, FLOAT32_AS_FLOAT64(v2));
            }
        }
        t_double_0[ITEM_ID] = a4_0;
        BARRIER;
        for (int s = 128; s > 0; s /= 2) {
            if (ITEM_ID < s) {
                a4_0 = ADD_FLOAT64(a4_0, t_double_0[ITEM_ID + s]);
                t_double_0[ITEM_ID] = a4_0;
            }
            BARRIER;
        }
        a4_0 = t_double_0[0];
        BARRIER;
        const float v4 = FLOAT64_AS_FLOAT32(a4_0);
         {
            MEMORY uint8_t *const c0 = b0;
            MEMORY uint8_t *const c1 = b1;
            MEMORY uint8_t *const c2 = b2;
            for (int32_t j = 0 + ITEM_ID; j < (int32_t)block.w[6]; j += 256) {
                const float v0 = AT(const float, c0 + j * 4);
                const float v2 = SUBTRACT_FLOAT32(v0, v1);
                AT(float, c1 + j * 4) = v2;
            }
        }
        BARRIER;
        if (ITEM_ID == 0) {
            AT(float, b2) = v4;
        }
    }
}
