/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by plain loops: of floats and complex numbers for strides that BLAS does not
 * take, and where there is no BLAS.
 *
 * B is copied block by block into a dense, zero-padded block of fixed width, so that the inner
 * loop has a constant length and unit stride, which every compiler turns into vector code,
 * whatever the strides were. A row of the block of C is summed in a local array. */
#include "library/whole.h"

enum {
    BLOCK_K = 64,
    WIDE = 32, /* columns of a block: with the largest element 32 KiB */
    NARROW = 8 /* of one for a B that has no more, so that little is padded */
};

typedef struct complex64 {
    float re, im;
} complex64;

typedef struct complex128 {
    double re, im;
} complex128;

#define ADD_PRODUCT(sum, x, y) sum = (sum) + (x) * (y)
#define ADD_COMPLEX_PRODUCT(sum, x, y)                                                             \
    do {                                                                                           \
        (sum).re += (x).re * (y).re - (x).im * (y).im;                                             \
        (sum).im += (x).re * (y).im + (x).im * (y).re;                                             \
    } while (0)

/* One block of k and n: C = or += A's columns times the packed block. */
#define LOOPS(NAME, WIDTH, T, ADD)                                                                 \
    static void pack_##NAME##_##WIDTH(const matmul_call *call, int64_t k, int64_t nk, int64_t n,   \
                                      int64_t nn, T block[BLOCK_K][WIDTH])                         \
    {                                                                                              \
        const T *b = (const T *)call->b + k * call->b_row + n * call->b_column;                    \
        for (int64_t i = 0; i < nk; ++i, b += call->b_row) {                                       \
            for (int64_t j = 0; j < nn; ++j)                                                       \
                block[i][j] = b[j * call->b_column];                                               \
            for (int64_t j = nn; j < WIDTH; ++j)                                                   \
                block[i][j] = (T){0};                                                              \
        }                                                                                          \
    }                                                                                              \
    static void multiply_##NAME##_##WIDTH(const matmul_call *call, int64_t k, int64_t nk,          \
                                          int64_t n, int64_t nn, T block[BLOCK_K][WIDTH])          \
    {                                                                                              \
        for (int64_t i = 0; i < call->m; ++i) {                                                    \
            const T *a = (const T *)call->a + i * call->a_row + k * call->a_column;                \
            T *c = (T *)call->c + i * call->c_row + n;                                             \
            T sums[WIDTH] = {0};                                                                   \
            for (int64_t j = 0; j < nn && k > 0; ++j)                                              \
                sums[j] = c[j];                                                                    \
            for (int64_t l = 0; l < nk; ++l) {                                                     \
                T x = a[l * call->a_column];                                                       \
                for (int64_t j = 0; j < WIDTH; ++j)                                                \
                    ADD(sums[j], x, block[l][j]);                                                  \
            }                                                                                      \
            for (int64_t j = 0; j < nn; ++j)                                                       \
                c[j] = sums[j];                                                                    \
        }                                                                                          \
    }                                                                                              \
    static void matmul_##NAME##_##WIDTH(const matmul_call *call)                                   \
    {                                                                                              \
        T block[BLOCK_K][WIDTH];                                                                   \
        for (int64_t n = 0; n < call->n; n += WIDTH) {                                             \
            int64_t nn = int64_min(call->n - n, WIDTH);                                            \
            int64_t k = 0;                                                                         \
            do { /* once for k of 0, which gives zeros */                                          \
                int64_t nk = int64_min(call->k - k, BLOCK_K);                                      \
                pack_##NAME##_##WIDTH(call, k, nk, n, nn, block);                                  \
                multiply_##NAME##_##WIDTH(call, k, nk, n, nn, block);                              \
            } while ((k += BLOCK_K) < call->k);                                                    \
        }                                                                                          \
    }

LOOPS(FLOAT32, WIDE, float, ADD_PRODUCT)
LOOPS(FLOAT32, NARROW, float, ADD_PRODUCT)
LOOPS(FLOAT64, WIDE, double, ADD_PRODUCT)
LOOPS(FLOAT64, NARROW, double, ADD_PRODUCT)
LOOPS(COMPLEX64, WIDE, complex64, ADD_COMPLEX_PRODUCT)
LOOPS(COMPLEX64, NARROW, complex64, ADD_COMPLEX_PRODUCT)
LOOPS(COMPLEX128, WIDE, complex128, ADD_COMPLEX_PRODUCT)
LOOPS(COMPLEX128, NARROW, complex128, ADD_COMPLEX_PRODUCT)

/* narrow: for results of few columns, whose loops have a shorter body. */
typedef struct loops_row {
    void (*wide)(const matmul_call *call), (*narrow)(const matmul_call *call);
} loops_row;

#define ROW(DTYPE, NAME) [JG_DTYPE_##DTYPE] = {matmul_##NAME##_WIDE, matmul_##NAME##_NARROW}
static const loops_row rows[JG_DTYPE_COUNT] = {
    ROW(FLOAT32, FLOAT32),
    ROW(FLOAT64, FLOAT64),
    ROW(COMPLEX64, COMPLEX64),
    ROW(COMPLEX128, COMPLEX128),
};

jg_status library_loops_matmul(const matmul_call *call)
{
    const loops_row *row = &rows[call->dtype];
    if (library_whole_matmul(call))
        return JG_OK;
    if (row->wide == NULL)
        return base_fail(JG_ERR_UNSUPPORTED,
                         "matrix product: got %s, allowed are integers of 8 to 64 bits, float32, "
                         "float64, complex64 and complex128",
                         jg_dtype_name(call->dtype));
    (call->n <= NARROW ? row->narrow : row->wide)(call);
    return JG_OK;
}
