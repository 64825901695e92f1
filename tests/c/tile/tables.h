/* SPDX-License-Identifier: Apache-2.0 */
/* The loop tables that this CPU can run, baseline first. */
#ifndef TILE_TABLES_H
#define TILE_TABLES_H

#include "tile/loops.h"

static const tile_loops *tables[3];
static int ntables;

/* A group's set-up function. */
static int find_tables(void **state)
{
    (void)state;
    tables[ntables++] = &tile_loops_baseline;
#ifdef __x86_64__
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        tables[ntables++] = &tile_loops_avx2;
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        tables[ntables++] = &tile_loops_avx512;
#endif
    return 0;
}

#endif
