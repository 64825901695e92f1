/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for one precision and instruction set. The including file has defined REAL,
 * REAL_NBYTES, TABLE, which is the table's name, and FFT_ISA. The parts share one name space and
 * rely on those before them. */
#include "fft/loops.h"
#include <stddef.h>
#include <string.h>

#include "fft/loops/vector.inc.h"

#include "fft/loops/butterfly.inc.h"

#include "fft/loops/pass.inc.h"

#include "fft/loops/turn.inc.h"

#include "fft/loops/real.inc.h"

/* Radices that cannot be first or last have no entry for plain numbers, and lanes.c does not use
 * one. */
#define EDGE_ENTRY(radix)                                                                          \
    [FFT_RADIX_##radix] = {                                                                        \
        {pass_##radix##_SPLIT_TURNED, pass_##radix##_SPLIT_SPLIT, pass_##radix##_SPLIT_PLAIN},     \
        {pass_##radix##_PLAIN_TURNED, pass_##radix##_PLAIN_SPLIT, pass_##radix##_PLAIN_PLAIN}},
#define INNER_ENTRY(radix)                                                                         \
    [FFT_RADIX_##radix] = {{pass_##radix##_SPLIT_TURNED, pass_##radix##_SPLIT_SPLIT}},

extern const fft_loops TABLE;

const fft_loops TABLE = {
    .lanes = LANES,
    .real_nbytes = sizeof(REAL),
    .pass = {FFT_EDGE_RADICES(EDGE_ENTRY) FFT_INNER_RADICES(
                 INNER_ENTRY)[FFT_RADIX_PRIME] = {{pass_prime_TURNED, pass_prime_SPLIT}}},
    .cross = cross,
    .cross_short = cross_short,
    .turn = turn,
    .gather = gather,
    .scatter = scatter,
    .pair_lanes = pair_lanes,
    .mirror_lanes = mirror_lanes,
    .pair_line = pair_line,
    .widen = widen,
    .mirror = mirror,
    .narrow = narrow,
    .multiply = multiply,
};
