/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for the instruction set in use. */
#include "tile/code.h"

const tile_kernels *tile_kernels_chosen(void)
{
#ifdef __x86_64__
    static const tile_kernels *const tables[] = {[ISA_BASELINE] = &tile_kernels_baseline,
                                                 [ISA_AVX2] = &tile_kernels_avx2,
                                                 [ISA_AVX512] = &tile_kernels_avx512};
    return tables[isa_chosen()];
#else
    return &tile_kernels_baseline;
#endif
}

const char *tile_isa_name(void)
{
    return tile_kernels_chosen()->isa;
}
