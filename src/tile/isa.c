/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for the instruction set in use. */
#include "tile/code.h"

const tile_loops *tile_loops_chosen(void)
{
#ifdef __x86_64__
    static const tile_loops *const tables[] = {[ISA_BASELINE] = &tile_loops_baseline,
                                               [ISA_AVX2] = &tile_loops_avx2,
                                               [ISA_AVX512] = &tile_loops_avx512};
    return tables[isa_chosen()];
#else
    return &tile_loops_baseline;
#endif
}

const char *tile_isa_name(void)
{
    return tile_loops_chosen()->isa;
}
