/* SPDX-License-Identifier: Apache-2.0 */
/* Products of little matrices: which are taken. There are loops for AVX2 alone, where they were
 * measured. */
#include "library/little.h"

#ifdef __x86_64__
extern library_little_loop *const library_little_avx2[2]; /* of float32, float64 */
#endif

bool library_little_matmul(const matmul_call *call)
{
#ifdef __x86_64__
    bool is_wide = call->dtype == JG_DTYPE_FLOAT64;
    if ((call->dtype != JG_DTYPE_FLOAT32 && !is_wide) || call->m > LITTLE || call->n > LITTLE ||
        call->k > LITTLE || call->b_column != 1 || isa_chosen() != ISA_AVX2 ||
        call->n * call->k * (int64_t)dtype_itemsize(call->dtype) > LITTLE_NBYTES)
        return false;
    library_little_avx2[is_wide](call);
    return true;
#else
    (void)call;
    return false;
#endif
}
