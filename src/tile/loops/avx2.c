/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for x86-64-v3: AVX2, FMA, F16C. */
#define TILE_ISA avx2
#include "tile/loops/all.inc.h"
