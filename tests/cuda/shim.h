/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA C++ as C++ of the host: stands before a printed text that the fake NVRTC compiles. Threads of
 * a block run one after the other from barrier to barrier, so what they share is static. */
typedef unsigned long shim_size;
struct shim_dim3 {
    unsigned x, y, z;
};
#pragma GCC visibility push(default)
extern "C" {
shim_dim3 threadIdx, blockIdx, blockDim, gridDim;
void (*shim_barrier)(void);
double sin(double), cos(double), tan(double), ldexp(double, int);
}
#pragma GCC visibility pop
#define __global__ __attribute__((visibility("default")))
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static
#define __launch_bounds__(n)
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
