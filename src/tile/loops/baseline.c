/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for any machine: on x86-64 that is SSE2, on arm64 NEON with its FMA. */
#define TILE_ISA baseline
#include "tile/loops/all.inc.h"
