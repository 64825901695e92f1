/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of every instruction set: C99's special values, and how far they are from powl's. */
#include "../support.h"
#include "reference.h"
#include "samples.h"
#include "tables.h"

enum { RUN = 4096, RUNS = 48 };

/* Zeros, units, whole numbers odd and even, numbers next to where they stop being so, the ends of
 * the range; of both signs, and the other kinds that special_real knows. */
static const double sizes[] = {
    0,
    0x1p-1074,
    0x1p-1022,
    0x1p-149,
    1e-30,
    0x1.fffffffffffffp-1,
    0.5,
    1,
    1.5,
    2,
    3,
    127,
    0x1.000002p0,
    128,
    744,
    1074,
    0x1p23,
    8388609,
    0x1p24,
    16777217,
    0x1p51 + 0.5,
    1e9,
    0x1p52,
    0x1p52 + 1,
    0x1p53,
    0x1p64,
    0x1p127,
    0x1p1023,
    (double)INFINITY,
    (double)NAN,
};
enum { SPECIALS = 2 * JG_COUNT_OF(sizes) };

static double special(size_t i)
{
    return i % 2 ? -sizes[i / 2] : sizes[i / 2];
}

/* Exactly where the result is 0, infinite or NaN, with its sign; else to 1e-6. */
static bool agrees(double got, double wanted)
{
    if (isnan(wanted) || wanted == 0 || isinf(wanted))
        return isnan(wanted) ? isnan(got) : got == wanted && !signbit(got) == !signbit(wanted);
    return fabs(got - wanted) <= 1e-6 * fabs(wanted) + 0x1p-149;
}

TEST(special_values_are_those_of_c99)
{
    for (size_t i = 0; i < (size_t)SPECIALS * SPECIALS; ++i) {
        double x = special(i / SPECIALS), y = special(i % SPECIALS), wide;
        float single_x = (float)x, single_y = (float)y, single;
        for (int t = 0; t < ntables; ++t) {
            tables[t]->apply[PROGRAM_POWER][JG_DTYPE_FLOAT64](&wide, &x, &y, NULL, 1);
            tables[t]->apply[PROGRAM_POWER][JG_DTYPE_FLOAT32](&single, &single_x, &single_y, NULL,
                                                              1);
            if (!agrees(wide, pow(x, y)))
                fail_msg("%s: %a to the %a gave %a", tables[t]->isa, x, y, wide);
            if (!agrees((double)single, (double)powf(single_x, single_y)))
                fail_msg("%s: %a to the %a gave %a in float32", tables[t]->isa, (double)single_x,
                         (double)single_y, (double)single);
        }
    }
}

/* Bases everywhere, near 1 and around 1; exponents that lead to results of all sizes to e^most. */
static void draw(uint64_t *seed, double most, double *x, double *y)
{
    double unit = random_real(seed, 1);
    switch (random_bits(seed) % 4) {
    case 0: *x = exp(unit * most); break;
    case 1: *x = 1 + unit * 0x1p-20; break;
    case 2: *x = exp(unit); break;
    default: *x = 1.1 + unit; break;
    }
    double log_size = fabs(log((double)(float)*x));
    *y = random_real(seed, most) / (log_size > 1e-7 ? log_size : 1);
}

static double ulps(double got, long double wanted, int digits, int lowest)
{
    int exponent;
    if (got == (digits == 24 ? (double)(float)wanted : (double)wanted))
        return 0;
    (void)frexpl(wanted, &exponent);
    exponent = exponent > lowest ? exponent : lowest;
    return (double)(fabsl((long double)got - wanted) / ldexpl(1, exponent - digits));
}

TEST(powers_stay_within_their_bounds)
{
    static double x[RUN], y[RUN], wide[RUN];
    static float single_x[RUN], single_y[RUN], single[RUN];
    double bound = allowed_ulps(PROGRAM_POWER, JG_DTYPE_FLOAT64);
    double single_bound = allowed_ulps(PROGRAM_POWER, JG_DTYPE_FLOAT32);
    uint64_t seed = 11;
    for (int run = 0; run < RUNS; ++run) {
        for (int i = 0; i < RUN; ++i) {
            double most = run % 2 ? 88 : 709;
            draw(&seed, most, &x[i], &y[i]);
            single_x[i] = (float)x[i];
            single_y[i] = (float)y[i];
        }
        for (int t = 0; t < ntables; ++t) {
            tables[t]->apply[PROGRAM_POWER][JG_DTYPE_FLOAT64](wide, x, y, NULL, RUN);
            tables[t]->apply[PROGRAM_POWER][JG_DTYPE_FLOAT32](single, single_x, single_y, NULL,
                                                              RUN);
            for (int i = 0; i < RUN; ++i) {
                double of_single = pow((double)single_x[i], (double)single_y[i]);
                double error = ulps(wide[i], powl((long double)x[i], (long double)y[i]), 53, -1021);
                if (!(error <= bound))
                    fail_msg("%s: %a to the %a is %g ULP off", tables[t]->isa, x[i], y[i], error);
                error = ulps((double)single[i], (long double)of_single, 24, -125);
                if (!(error <= single_bound))
                    fail_msg("%s: %a to the %a is %g ULP off in float32", tables[t]->isa,
                             (double)single_x[i], (double)single_y[i], error);
            }
        }
    }
}

BEFORE_ALL(find_tables)
