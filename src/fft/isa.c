/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for the instruction set in use. */
#include "fft/loops.h"

extern const fft_loops fft_loops_f32_baseline, fft_loops_f64_baseline;
#ifdef __x86_64__
extern const fft_loops fft_loops_f32_avx2, fft_loops_f64_avx2;
extern const fft_loops fft_loops_f32_avx512, fft_loops_f64_avx512;
#endif

const fft_loops *fft_loops_chosen(bool single)
{
#ifdef __x86_64__
    static const fft_loops *const tables[][2] = {
        [ISA_BASELINE] = {&fft_loops_f64_baseline, &fft_loops_f32_baseline},
        [ISA_AVX2] = {&fft_loops_f64_avx2, &fft_loops_f32_avx2},
        [ISA_AVX512] = {&fft_loops_f64_avx512, &fft_loops_f32_avx512}};
    return tables[isa_chosen()][single];
#else
    return single ? &fft_loops_f32_baseline : &fft_loops_f64_baseline;
#endif
}
