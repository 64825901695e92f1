/* SPDX-License-Identifier: Apache-2.0 */
/* The loops for float64. */
#define REAL double
#define REAL_NBYTES 8
#define JOIN_(isa) fft_loops_f64_##isa
#define JOIN(isa) JOIN_(isa)
#define TABLE JOIN(FFT_ISA)
#include "fft/loops/all.inc.h"
