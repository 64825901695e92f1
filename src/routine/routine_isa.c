/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for the instruction set in use. */
#include "routine/kernels.h"

extern const routine_kernels routine_kernels_baseline;
#ifdef __x86_64__
extern const routine_kernels routine_kernels_avx2, routine_kernels_avx512;
#endif

const routine_kernels *routine_kernels_chosen(void)
{
#ifdef __x86_64__
    static const routine_kernels *const tables[] = {[ISA_BASELINE] = &routine_kernels_baseline,
                                                    [ISA_AVX2] = &routine_kernels_avx2,
                                                    [ISA_AVX512] = &routine_kernels_avx512};
    return tables[isa_chosen()];
#else
    return &routine_kernels_baseline;
#endif
}
