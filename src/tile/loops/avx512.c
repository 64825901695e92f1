/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for x86-64-v4: AVX-512 F, BW, CD, DQ, VL. */
#define TILE_ISA avx512
#include "tile/loops/all.inc.h"
