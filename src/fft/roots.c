/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of unity. The angle is reduced to the first eighth of the circle in integers, without
 * rounding. So a half and a quarter of a turn have exact zeros and ones. */
#include "fft/plans.h"
#include <math.h>

#define QUARTER_TURN 1.57079632679489661923

void fft_root_of(int64_t k, int64_t n, double *re, double *im)
{
    /* The angle is at / (4 n) of a turn, backward. Each mirror halves the range. */
    int64_t at = 4 * (k % n);
    bool below = true, left = false, steep = false;
    if (at > 2 * n) {
        at = 4 * n - at;
        below = false;
    }
    if (at > n) {
        at = 2 * n - at;
        left = true;
    }
    if (2 * at > n) {
        at = n - at;
        steep = true;
    }
    double angle = QUARTER_TURN * ((double)at / (double)n);
    double cosine = cos(angle), sine = sin(angle);
    double x = steep ? sine : cosine, y = steep ? cosine : sine;
    *re = left ? -x : x;
    *im = below ? -y : y;
}

void fft_put_root(const fft_loops *loops, void *table, int64_t at, int64_t k, int64_t n)
{
    double re, im;
    fft_root_of(k, n, &re, &im);
    fft_put_real(loops, table, 2 * at, re);
    fft_put_real(loops, table, 2 * at + 1, im);
}
