/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA C++ as C++ of the host: stands before a printed text that the fake NVRTC compiles. Threads
 * of a block run one after the other from barrier to barrier, so what they share is static. */
typedef unsigned long shim_size;
struct shim_dim3 {
    unsigned x, y, z;
};
#pragma GCC visibility push(default)
extern "C" {
shim_dim3 threadIdx, blockIdx, blockDim, gridDim;
void (*shim_barrier)(void);
int shim_exchanges;
double sin(double), cos(double), tan(double), ldexp(double, int);
}
#pragma GCC visibility pop
#define __global__ __attribute__((visibility("default")))
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static
#define __launch_bounds__(n)
#define KERNEL_OF_MANY(n, m) extern "C" __global__ void
#define __syncthreads() shim_barrier()
#define SHIM_BITS(name, to, from)                                                                  \
    static inline to name(from x)                                                                  \
    {                                                                                              \
        return __builtin_bit_cast(to, x);                                                          \
    }
SHIM_BITS(__int_as_float, float, int)
SHIM_BITS(__uint_as_float, float, unsigned)
SHIM_BITS(__float_as_uint, unsigned, float)
SHIM_BITS(__double_as_longlong, long long, double)
SHIM_BITS(__longlong_as_double, double, long long)
#define __ffsll(x) __builtin_ffsll(x)
#define fabsf __builtin_fabsf
#define copysignf __builtin_copysignf
#define sqrtf __builtin_sqrtf
#define floorf __builtin_floorf
#define ceilf __builtin_ceilf
#define truncf __builtin_truncf
#define rintf __builtin_rintf
#define fmaf __builtin_fmaf
#define fabs __builtin_fabs
#define copysign __builtin_copysign
#define sqrt __builtin_sqrt
#define floor __builtin_floor
#define ceil __builtin_ceil
#define trunc __builtin_trunc
#define rint __builtin_rint
#define fma __builtin_fma

#define SHIM_EXCHANGE(T)                                                                           \
    static inline T atomicCAS(T *place, T old, T made)                                             \
    {                                                                                              \
        __atomic_compare_exchange_n(place, &old, made, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return old;                                                                                \
    }
static inline unsigned atomicAdd(unsigned *place, unsigned x)
{
    return __atomic_fetch_add(place, x, __ATOMIC_RELAXED);
}
SHIM_EXCHANGE(unsigned)
SHIM_EXCHANGE(unsigned long long)

/* What the lanes of a warp give each other where an instruction is of them all. A turn of the warp
 * passes between giving and taking, and two places alternate, so that who goes on first does not
 * write over what others have yet to take. */
struct shim_lane {
    const char *line;
    unsigned words[6];
};
static shim_lane shim_given[2][1024];
static unsigned char shim_turn[1024];
static inline const shim_lane *shim_exchange(const shim_lane &own)
{
    unsigned item = threadIdx.x, turn = shim_turn[item] ^= 1;
    shim_given[turn][item] = own;
    shim_exchanges = 1;
    shim_barrier();
    return &shim_given[turn][item / 32 * 32];
}

/* PTX ISA 9.0, 9.7.14.5.15, ldmatrix: lane l has the address of line l % 8 of matrix l / 8, and
 * gets of each matrix the elements l % 4 * 2 and the next one of line l / 4; turned: of column l /
 * 4. */
static inline const char *shim_line(const shim_lane *warp, unsigned number)
{
    if ((unsigned long)warp[number].line % 16 != 0)
        __builtin_trap();
    return warp[number].line;
}
static inline void load_matrices(unsigned *out, const void *line)
{
    const shim_lane *warp = shim_exchange({(const char *)line, {}});
    unsigned lane = threadIdx.x % 32;
    for (unsigned m = 0; m < 4; ++m)
        __builtin_memcpy(&out[m], shim_line(warp, m * 8 + lane / 4) + lane % 4 * 4, 4);
}
static inline void load_turned_matrices(unsigned *out, const void *line)
{
    const shim_lane *warp = shim_exchange({(const char *)line, {}});
    unsigned lane = threadIdx.x % 32;
    for (unsigned m = 0; m < 4; ++m)
        for (unsigned e = 0; e < 2; ++e)
            __builtin_memcpy((char *)&out[m] + 2 * e,
                             shim_line(warp, m * 8 + lane % 4 * 2 + e) + lane / 4 * 2, 2);
}

/* PTX ISA 9.0, 9.7.14.5.8, fragments of mma.m16n8k16: with group l / 4 and t = l % 4 * 2, lane l
 * has of x, in words of two, the columns t and t + 1 of rows group and group + 8, then columns t +
 * 8 and t + 9 of these; of y the rows t, t + 1 and then t + 8, t + 9 of column group; and of the
 * sums the columns t and t + 1 of row group, then of row group + 8. */
static inline float shim_half(unsigned bits)
{
    float size = __uint_as_float((bits & 0x7fff) << 13) * 0x1p112f;
    if ((bits & 0x7c00) == 0x7c00)
        size = __uint_as_float(0x7f800000 | (bits & 0x3ff) << 13);
    return bits & 0x8000 ? -size : size;
}
static inline float shim_bfloat(unsigned bits)
{
    return __uint_as_float(bits << 16);
}
static inline void shim_mma(float *sums, const unsigned *x, const unsigned *y,
                            float (*wide)(unsigned))
{
    const shim_lane *warp = shim_exchange({nullptr, {x[0], x[1], x[2], x[3], y[0], y[1]}});
    unsigned lane = threadIdx.x % 32;
    for (unsigned e = 0; e < 4; ++e) {
        unsigned row = lane / 4 + e / 2 * 8, column = lane % 4 * 2 + e % 2;
        for (unsigned k = 0; k < 16; ++k) {
            unsigned from_x = warp[row % 8 * 4 + k % 8 / 2].words[row / 8 + k / 8 * 2];
            unsigned from_y = warp[column * 4 + k % 8 / 2].words[4 + k / 8];
            sums[e] += wide(from_x >> k % 2 * 16 & 0xffff) * wide(from_y >> k % 2 * 16 & 0xffff);
        }
    }
}
static inline void mma_f16(float *sums, const unsigned *x, const unsigned *y)
{
    shim_mma(sums, x, y, shim_half);
}
static inline void mma_bf16(float *sums, const unsigned *x, const unsigned *y)
{
    shim_mma(sums, x, y, shim_bfloat);
}

static inline unsigned shim_of_half(float x)
{
    unsigned bits = __float_as_uint(x), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (size > 0x7f800000)
        return 0x7fff;
    if (size >= 0x477ff000)
        return sign | 0x7c00;
    if (size < 0x38800000)
        return sign | (unsigned)__builtin_rintf(__uint_as_float(size) * 0x1p24f);
    return sign | (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
}
static inline unsigned shim_of_bfloat(float x)
{
    unsigned bits = __float_as_uint(x);
    return x != x ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
static inline unsigned pair_f16(float low, float high)
{
    return shim_of_half(low) | shim_of_half(high) << 16;
}
static inline unsigned pair_bf16(float low, float high)
{
    return shim_of_bfloat(low) | shim_of_bfloat(high) << 16;
}
#define FOUR_TIMES

/* Copies that go on beside the thread (cp.async): of two of them one is made at once, the other
 * when its group is waited for, so that who uses a place too early or too long gets something
 * else. */
struct shim_copy {
    char *to;
    const char *from;
    int nbytes, group;
};
static struct {
    shim_copy copies[64];
    int count, group;
} shim_pending[1024];
static inline void shim_make(const shim_copy &copy)
{
    __builtin_memset(copy.to, 0, 16);
    __builtin_memcpy(copy.to, copy.from, (unsigned long)copy.nbytes);
}
static inline void copy_16(void *to, const void *from, int nbytes)
{
    auto &own = shim_pending[threadIdx.x];
    if ((unsigned long)to % 16 != 0 || (unsigned long)from % 16 != 0 || nbytes < 0 || nbytes > 16)
        __builtin_trap();
    shim_copy copy = {(char *)to, (const char *)from, nbytes, own.group};
    if ((threadIdx.x ^ (unsigned long)to / 16) % 2 == 0)
        shim_make(copy);
    else
        own.copies[own.count++] = copy;
}
static inline void copy_commit()
{
    shim_pending[threadIdx.x].group += 1;
}
static inline void copy_wait()
{
    auto &own = shim_pending[threadIdx.x];
    int left = 0;
    for (int i = 0; i < own.count; ++i)
        if (own.copies[i].group < own.group - 1)
            shim_make(own.copies[i]);
        else
            own.copies[left++] = own.copies[i];
    own.count = left;
}

/* Calls a kernel with arguments that are given by address, and tells how large each is. */
template <class T, T... I> struct shim_row {
};
template <class... A, int... I>
static void shim_spread(void (*kernel)(A...), void **arguments, shim_row<int, I...>)
{
    kernel(*(A *)arguments[I]...);
}
template <class... A> static void shim_call(void (*kernel)(A...), void **arguments)
{
    shim_spread(kernel, arguments, __make_integer_seq<shim_row, int, sizeof...(A)>());
}
template <class... A> static int shim_sizes(void (*)(A...), shim_size *out)
{
    int count = 0;
    ((out[count++] = sizeof(A)), ...);
    return count;
}
#define SHIM_KERNEL(name, has_barrier)                                                             \
    extern "C" {                                                                                   \
    extern __global__ const int name##__waits = has_barrier;                                       \
    __global__ void name##__call(void **arguments)                                                 \
    {                                                                                              \
        shim_call(name, arguments);                                                                \
    }                                                                                              \
    __global__ int name##__sizes(shim_size *out)                                                   \
    {                                                                                              \
        return shim_sizes(name, out);                                                              \
    }                                                                                              \
    }
