typedef signed char int8_t; typedef short int16_t; typedef int int32_t;
typedef long int64_t; typedef unsigned char uint8_t; typedef unsigned short uint16_t;
typedef unsigned int uint32_t; typedef unsigned long uint64_t;
#define KERNEL extern "C" __global__ void
#define KERNEL_OF(n) extern "C" __global__ void __launch_bounds__(n)
#define FUNCTION static __device__ __forceinline__
#define MEMORY
#define LOCAL __shared__
#define PRIVATE
#define MADE(T) T
#define ALIGNED(n) alignas(n)
#define UNROLL _Pragma("unroll")
#define LANES
#define LANES_16
#define GROUP_ID ((int64_t)blockIdx.x)
#define ITEM_ID ((int)threadIdx.x)
#define GROUP_ITEMS ((int)blockDim.x)
#define BARRIER __syncthreads()
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#define bits_of_f32(x) __float_as_uint(x)
#define f32_of_bits(x) __uint_as_float(x)
#define ctzll(x) (__ffsll((long long)(x)) - 1)
#define fabs_f32(x) fabsf(x)
#define copysign_f32(x, y) copysignf((float)(x), (float)(y))
#define sqrt_f32(x) sqrtf(x)
#define floor_f32(x) floorf(x)
#define ceil_f32(x) ceilf(x)
#define trunc_f32(x) truncf(x)
#define rint_f32(x) rintf(x)
#define fma_f32(x, y, z) fmaf(x, y, z)
#define bits_of_f64(x) ((uint64_t)__double_as_longlong(x))
#define f64_of_bits(x) __longlong_as_double((long long)(x))
#define fabs_f64(x) fabs(x)
#define copysign_f64(x, y) copysign((double)(x), (double)(y))
#define sqrt_f64(x) sqrt(x)
#define floor_f64(x) floor(x)
#define ceil_f64(x) ceil(x)
#define trunc_f64(x) trunc(x)
#define rint_f64(x) rint(x)
#define fma_f64(x, y, z) fma(x, y, z)
#define sin_f64(x) sin(x)
#define cos_f64(x) cos(x)
#define tan_f64(x) tan(x)
#define ldexp_f64(x, n) ldexp(x, n)
#define AT(T, address) (*(MEMORY T *)(address))
#define LESSER(x, y) ((x) < (y) ? (x) : (y))
#define DIVIDED(n, word) ((int32_t)(((uint64_t)(uint32_t)(n) * (uint32_t)(word)) >> (31 + (int)((word) >> 32))))
FUNCTION float SELECT_FLOAT32(uint8_t x, float y, float z) { return x != 0 ? y : z; }
FUNCTION uint8_t LESS_FLOAT32(float x, float y) { return (uint8_t)(x < y); }
FUNCTION float SQRT_FLOAT32(float x) { return (float)(sqrt_f32(x)); }
FUNCTION float MULTIPLY_FLOAT32(float x, float y) { return (float)(x *y); }
struct words_0 { uint64_t w[16]; };
KERNEL k0_items(MEMORY uint8_t *m0, MEMORY uint8_t *m1, const struct words_0 block) {
    const float v1 = f32_of_bits((uint32_t)block.w[15]);
    const int32_t number = (int32_t)block.w[0] + ((int32_t)GROUP_ID * GROUP_ITEMS + ITEM_ID) * 1;
    int32_t rest0 = number;
    const int32_t q1 = DIVIDED(rest0, block.w[8]);
    const int32_t i1 = rest0 - q1 * (int32_t)block.w[6];
    rest0 = q1;
    const int32_t i0 = rest0;
    MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int32_t)block.w[11];
    MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int32_t)block.w[13];
    const int32_t j = i1;
    const float v0 = AT(const float, b0 + j * 4);
    const uint8_t v2 = LESS_FLOAT32(v1, v0);
    const float v3 = SQRT_FLOAT32(v0);
    const float v4 = MULTIPLY_FLOAT32(v0, v1);
    const float v5 = SELECT_FLOAT32(v2, v3, v4);
    AT(float, b1 + j * 4) = v5;
}
struct ALIGNED(16) wide_0_0 { float e[4]; };
struct ALIGNED(16) wide_0_1 { float e[4]; };
KERNEL k0_wide(MEMORY uint8_t *m0, MEMORY uint8_t *m1, const struct words_0 block) {
    const float v1 = f32_of_bits((uint32_t)block.w[15]);
    const int32_t number = (int32_t)block.w[0] + ((int32_t)GROUP_ID * GROUP_ITEMS + ITEM_ID) * 4;
    int32_t rest0 = number;
    const int32_t q1 = DIVIDED(rest0, block.w[8]);
    const int32_t i1 = rest0 - q1 * (int32_t)block.w[6];
    rest0 = q1;
    const int32_t i0 = rest0;
    MEMORY uint8_t *const b0 = m0 + (int64_t)block.w[9] + i0 * (int32_t)block.w[11];
    MEMORY uint8_t *const b1 = m1 + (int64_t)block.w[10] + i0 * (int32_t)block.w[13];
    const int32_t j0 = i1;
    const struct wide_0_0 w0 = AT(const struct wide_0_0, b0 + j0 * 4);
    struct wide_0_1 w1;
    UNROLL for (int e = 0; e < 4; ++e) {
        const int32_t j = j0 + e;
        const float v0 = w0.e[e];
        const uint8_t v2 = LESS_FLOAT32(v1, v0);
        const float v3 = SQRT_FLOAT32(v0);
        const float v4 = MULTIPLY_FLOAT32(v0, v1);
        const float v5 = SELECT_FLOAT32(v2, v3, v4);
        w1.e[e] = v5;
        (void)j;
    }
    AT(struct wide_0_1, b1 + j0 * 4) = w1;
}
