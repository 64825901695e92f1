/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing an instruction set: the widest that the CPU runs and the option ISA allows, once. */
#include "base/base.h"
#include <pthread.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static isa_level chosen;

#ifdef __x86_64__
/* Whether the CPU has x86-64-v3, which the loops are compiled for. The level's other extensions
 * (F16C, BMI1, LZCNT, MOVBE) are present on every CPU with these three. */
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
}

/* x86-64-v4. */
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
    if (!baseline_only && has_avx2())
        chosen = ISA_AVX2;
    if (!baseline_only && strcmp(highest, "avx2") != 0 && has_avx512())
        chosen = ISA_AVX512;
}
#else
static void choose(void)
{
    chosen = ISA_BASELINE;
}
#endif

isa_level isa_chosen(void)
{
    pthread_once(&once, choose);
    return chosen;
}
