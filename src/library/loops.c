/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products by plain loops: for the dtypes that BLAS does not have, and where there is no BLAS.
 * Row i of C gathers multiples of the rows of B, in blocks that stay in cache; integers wrap. */
#include "library/library.h"
#include <string.h>

enum { BLOCK = 64 };

typedef struct matmul_block {
    int64_t k_first, k_last, n_first, n_last;
} matmul_block;

/* C's row i gains a[i, k] * b[k, :] for the block's k. Arithmetic of small integers is done in int and
 * wraps when it is stored; that of the widest is unsigned, so that it wraps instead of overflowing. */
#define DEFINE_BLOCK(NAME, T, WIDE)                                                                \
    static void block_##NAME(const matmul_call *call, const matmul_block *block)                   \
    {                                                                                              \
        const T *a = call->a, *b = call->b;                                                        \
        T *c = call->c;                                                                            \
        for (int64_t i = 0; i < call->m; ++i)                                                      \
            for (int64_t k = block->k_first; k < block->k_last; ++k) {                             \
                WIDE x = (WIDE)a[i * call->a_row + k * call->a_column];                            \
                const T *row = b + k * call->b_row;                                                \
                T *out = c + i * call->c_row;                                                      \
                for (int64_t j = block->n_first; j < block->n_last; ++j)                           \
                    out[j] = (T)((WIDE)out[j] + x * (WIDE)row[j * call->b_column]);                \
            }                                                                                      \
    }

typedef float _Complex complex64;
typedef double _Complex complex128;

DEFINE_BLOCK(i8, int8_t, int32_t)
DEFINE_BLOCK(i16, int16_t, int32_t)
DEFINE_BLOCK(i32, int32_t, uint32_t)
DEFINE_BLOCK(i64, int64_t, uint64_t)
DEFINE_BLOCK(u8, uint8_t, int32_t)
DEFINE_BLOCK(u16, uint16_t, uint32_t)
DEFINE_BLOCK(u32, uint32_t, uint32_t)
DEFINE_BLOCK(u64, uint64_t, uint64_t)
DEFINE_BLOCK(f32, float, float)
DEFINE_BLOCK(f64, double, double)
DEFINE_BLOCK(c64, complex64, complex64)
DEFINE_BLOCK(c128, complex128, complex128)

typedef void block_function(const matmul_call *call, const matmul_block *block);

static block_function *const blocks[JG_DTYPE_COUNT] = {
    [JG_DTYPE_INT8] = block_i8,       [JG_DTYPE_INT16] = block_i16,
    [JG_DTYPE_INT32] = block_i32,     [JG_DTYPE_INT64] = block_i64,
    [JG_DTYPE_UINT8] = block_u8,      [JG_DTYPE_UINT16] = block_u16,
    [JG_DTYPE_UINT32] = block_u32,    [JG_DTYPE_UINT64] = block_u64,
    [JG_DTYPE_FLOAT32] = block_f32,   [JG_DTYPE_FLOAT64] = block_f64,
    [JG_DTYPE_COMPLEX64] = block_c64, [JG_DTYPE_COMPLEX128] = block_c128,
};

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

jg_status loops_matmul(const matmul_call *call)
{
    block_function *run = blocks[call->dtype];
    size_t itemsize = dtype_itemsize(call->dtype);
    if (run == NULL)
        return jg_fail(JG_ERR_UNSUPPORTED, "no matrix product of %s", jg_dtype_name(call->dtype));
    for (int64_t i = 0; i < call->m; ++i)
        memset((char *)call->c + (size_t)(i * call->c_row) * itemsize, 0,
               (size_t)call->n * itemsize);
    for (int64_t n = 0; n < call->n; n += 4 * BLOCK)
        for (int64_t k = 0; k < call->k; k += BLOCK)
            run(call, &(matmul_block){k, smaller(k + BLOCK, call->k), n,
                                      smaller(n + 4 * BLOCK, call->n)});
    return JG_OK;
}
