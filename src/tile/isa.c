/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the kernels: the widest table that the CPU runs and the option ISA allows, once. */
#include "tile/code.h"
#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const tile_kernels *chosen;

#ifdef __x86_64__
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2"); /* and F16C, which every CPU with AVX2 has */
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static void choose(void)
{
    const char *highest = option_text(OPTION_ISA);
    bool baseline_only = strcmp(highest, "baseline") == 0;
    __builtin_cpu_init();
    chosen = &tile_kernels_baseline;
    if (!baseline_only && has_avx2())
        chosen = &tile_kernels_avx2;
    if (!baseline_only && strcmp(highest, "avx2") != 0 && has_avx512())
        chosen = &tile_kernels_avx512;
}
#else
static void choose(void)
{
    chosen = &tile_kernels_baseline;
}
#endif

const tile_kernels *tile_kernels_chosen(void)
{
    pthread_once(&once, choose);
    return chosen;
}

const char *tile_isa_name(void)
{
    return tile_kernels_chosen()->isa;
}
