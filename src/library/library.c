/* SPDX-License-Identifier: Apache-2.0 */
/* Which library does a call. */
#include "library/library.h"

jg_status library_matmul(const matmul_call *call)
{
    bool done;
    if (call->m == 0 || call->n == 0)
        return JG_OK;
    if (call->k == 0)
        return loops_matmul(call); /* zeros */
    JG_TRY(blas_matmul(call, &done));
    return done ? JG_OK : loops_matmul(call);
}
