/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the library for a call. */
#include "library/few.h"

bool library_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k)
{
    bool is_bfloat = dtype == JG_DTYPE_BFLOAT16;
    if (!is_bfloat && dtype != JG_DTYPE_FLOAT16)
        return true;
    return k > 0 &&
           (library_few_takes(dtype, m, n, k) || (is_bfloat && library_bfloat_takes(m, n)));
}

jg_status library_matmul(const matmul_call *call)
{
    bool done;
    if (call->m == 0 || call->n == 0)
        return JG_OK;
    if (call->k == 0)
        return library_loops_matmul(call); /* zeros */
    if (library_few_takes(call->dtype, call->m, call->n, call->k))
        return library_few_matmul(call);
    if (call->dtype == JG_DTYPE_BFLOAT16)
        return library_bfloat_matmul(call);
    JG_TRY(blas_matmul(call, &done));
    return done ? JG_OK : library_loops_matmul(call);
}
