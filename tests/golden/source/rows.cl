#ifdef DECLARATIONS
#include DECLARATIONS
#endif
#pragma OPENCL FP_CONTRACT OFF
typedef char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t;
typedef uchar uint8_t; typedef ushort uint16_t; typedef uint uint32_t;
typedef ulong uint64_t;
#define KERNEL __kernel void
#define KERNEL_OF(n) __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void
#define FUNCTION static inline __attribute__((always_inline))
#define MEMORY __global
#define LOCAL __local
#define PRIVATE __private
#define MADE(T) (T)
#define ALIGNED(n) __attribute__((aligned(n)))
#define UNROLL _Pragma("unroll")
#define LANES _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define LANES_16 _Pragma("clang loop vectorize(assume_safety) vectorize_width(16) unroll(disable)")
#define GROUP_ID ((int64_t)get_group_id(0))
#define ITEM_ID ((int)get_local_id(0))
#define GROUP_ITEMS ((int)get_local_size(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define VECTOR float8
#define VECTOR_AT(address) vload8(0, address)
#define STORE_VECTOR(x, address) vstore8(x, 0, address)
#define JOIN_VECTOR(x, y, z) fma((float8)(x), y, z)
#define bits_of_f32(x) as_uint((float)(x))
#define f32_of_bits(x) as_float((uint)(x))
#define ctzll(x) (63 - (int)clz((ulong)(x) & (0 - (ulong)(x))))
#define fabs_f32(x) fabs((float)(x))
#define copysign_f32(x, y) copysign((float)(x), (float)(y))
#define sqrt_f32(x) sqrt((float)(x))
#define floor_f32(x) floor((float)(x))
#define ceil_f32(x) ceil((float)(x))
#define trunc_f32(x) trunc((float)(x))
#define rint_f32(x) rint((float)(x))
#define fma_f32(x, y, z) fma((float)(x), (float)(y), (float)(z))
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define bits_of_f64(x) as_ulong((double)(x))
#define f64_of_bits(x) as_double((ulong)(x))
#define fabs_f64(x) fabs((double)(x))
#define copysign_f64(x, y) copysign((double)(x), (double)(y))
#define sqrt_f64(x) sqrt((double)(x))
#define floor_f64(x) floor((double)(x))
#define ceil_f64(x) ceil((double)(x))
#define trunc_f64(x) trunc((double)(x))
#define rint_f64(x) rint((double)(x))
#define fma_f64(x, y, z) fma((double)(x), (double)(y), (double)(z))
#define sin_f64(x) sin((double)(x))
#define cos_f64(x) cos((double)(x))
#define tan_f64(x) tan((double)(x))
#define ldexp_f64(x, n) ldexp((double)(x), (int)(n))
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
