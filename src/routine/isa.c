/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for the instruction set in use. */
#include "routine/loops.h"

extern const routine_loops routine_loops_baseline;
#ifdef __x86_64__
extern const routine_loops routine_loops_avx2, routine_loops_avx512;
#endif

const routine_loops *routine_loops_chosen(void)
{
#ifdef __x86_64__
    static const routine_loops *const tables[] = {[ISA_BASELINE] = &routine_loops_baseline,
                                                  [ISA_AVX2] = &routine_loops_avx2,
                                                  [ISA_AVX512] = &routine_loops_avx512};
    return tables[isa_chosen()];
#else
    return &routine_loops_baseline;
#endif
}
