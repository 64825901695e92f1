/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for float32. */
#define REAL float
#define REAL_NBYTES 4
#define JOIN_(isa) fft_loops_f32_##isa
#define JOIN(isa) JOIN_(isa)
#define TABLE JOIN(FFT_ISA)
#include "fft/loops/all.inc.h"
