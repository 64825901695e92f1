/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the library for a call. */
#include "library/few.h"
#include "library/little.h"
#include "library/narrow.h"
#include "library/whole.h"
#include <string.h>

bool library_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    bool is_bfloat = dtype == JG_DTYPE_BFLOAT16;
    if (!is_bfloat && dtype != JG_DTYPE_FLOAT16)
        return true;
    return k > 0 &&
           (library_few_takes(dtype, m, n, k) || (is_bfloat && library_bfloat_takes(m, n)));
}

/* Halves that are not taken as they are, which come here where a device leaves a product to the
 * host: some rows at a time. */
static jg_status multiply_rows(const matmul_call *call)
{
    matmul_call part = *call;
    int64_t itemsize = (int64_t)dtype_itemsize(call->dtype);
    for (int64_t row = 0; row < call->m; row += part.m) {
        part.m = int64_min(FEW_VECTORS, call->m - row);
        part.a = (const char *)call->a + row * call->a_row * itemsize;
        part.c = (char *)call->c + row * call->c_row * itemsize;
        JG_TRY(library_few_matmul(&part));
    }
    return JG_OK;
}

/* Sums without terms, whose bytes are zero in every dtype. */
static jg_status store_zeros(const matmul_call *call)
{
    size_t itemsize = (size_t)dtype_itemsize(call->dtype);
    for (int64_t i = 0; i < call->m; ++i)
        memset((char *)call->c + (size_t)(i * call->c_row) * itemsize, 0,
               (size_t)call->n * itemsize);
    return JG_OK;
}

jg_status library_matmul(const matmul_call *call)
{
    bool done;
    if (call->m == 0 || call->n == 0)
        return JG_OK;
    if (call->k == 0)
        return store_zeros(call);
    if (library_whole_matmul(call) || library_narrow_matmul(call, 1, 0, 0))
        return JG_OK;
    if (library_few_takes(call->dtype, call->m, call->n, call->k))
        return library_few_matmul(call);
    if (call->dtype == JG_DTYPE_BFLOAT16 && library_bfloat_takes(INT64_MAX, INT64_MAX))
        return library_bfloat_matmul(call); /* small blocks of large products as well */
    if (dtype_is_half(call->dtype))
        return multiply_rows(call);
    /* Without BLAS all others are done alike, and where the user names one that cannot be opened
     * they fail. */
    if (blas_path() != NULL && library_little_matmul(call))
        return JG_OK;
    JG_TRY(blas_matmul(call, &done));
    return done ? JG_OK : library_loops_matmul(call);
}
