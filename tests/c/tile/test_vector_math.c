/* SPDX-License-Identifier: Apache-2.0 */
/* exp, log and tanh of every instruction set against libm in the next wider precision: the
 * bounds that vector_math.h states, over a sweep of all floats and a sample of doubles. */
#include "../support.h"
#include "samples.h"
#include "tables.h"

enum { RUN = 4096, STEP = 1531, RUNS_F64 = 60 };

typedef struct function {
    program_op op;
    double (*reference)(double);
    long double (*reference_long)(long double);
    double bound_f32, bound_f64;
} function;

static const function functions[] = {
    {PROGRAM_EXP, exp, expl, 1.01, 1.01},
    {PROGRAM_LOG, log, logl, 0.9, 0.9},
    {PROGRAM_TANH, tanh, tanhl, 1.5, 1.5},
};

static void check(const char *isa, const function *f, double x, double ulps, double bound)
{
    if (!(ulps <= bound))
        fail_msg("%s %s of %a is %g ULP off, allowed %g", isa, program_inst_rows[f->op].name, x,
                 ulps, bound);
}

static double ulps_f32(float got, double wanted)
{
    int exponent;
    if (isnan(wanted))
        return isnan(got) ? 0 : (double)INFINITY;
    if ((double)got == wanted || got == (float)wanted)
        return !signbit(got) == !signbit(wanted) ? 0 : (double)INFINITY;
    (void)frexp(wanted, &exponent);
    return fabs((double)got - wanted) / ldexp(1, (exponent > -125 ? exponent : -125) - 24);
}

static double ulps_f64(double got, long double wanted)
{
    int exponent;
    if (isnan(wanted))
        return isnan(got) ? 0 : (double)INFINITY;
    if (got == (double)wanted)
        return !signbit(got) == !signbit(wanted) ? 0 : (double)INFINITY;
    (void)frexpl(wanted, &exponent);
    exponent = exponent > -1021 ? exponent : -1021;
    return (double)(fabsl((long double)got - wanted) / ldexpl(1, exponent - 53));
}

/* Infinities, NaNs, zeros and subnormals of both signs are among them. */
static void float32_stays_within_its_bounds(void **state)
{
    (void)state;
    static float x[RUN], y[RUN];
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += (uint64_t)RUN * STEP) {
        for (uint32_t i = 0; i < RUN; ++i) {
            uint32_t pattern = (uint32_t)bits + i * STEP;
            memcpy(&x[i], &pattern, sizeof pattern);
        }
        for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
            for (int t = 0; t < ntables; ++t) {
                tables[t]->apply[functions[f].op][JG_DTYPE_FLOAT32](y, x, NULL, NULL, RUN);
                for (int i = 0; i < RUN; ++i)
                    check(tables[t]->isa, &functions[f], (double)x[i],
                          ulps_f32(y[i], functions[f].reference((double)x[i])),
                          functions[f].bound_f32);
            }
        }
    }
}

/* Where each function does something: near zero, over the range of exp, anywhere at all. */
static double sample_argument(uint64_t *seed, int run)
{
    double x;
    uint64_t bits = random_bits(seed);
    switch (run % 4) {
    case 0: return random_real(seed, 2);
    case 1: return random_real(seed, 760);
    case 2: return ldexp(random_real(seed, 2), (int)(bits % 90) - 80);
    default: memcpy(&x, &bits, sizeof x); return x;
    }
}

static void float64_stays_within_its_bounds(void **state)
{
    (void)state;
    static double x[RUN], y[RUN];
    uint64_t seed = 7;
    for (int run = 0; run < RUNS_F64; ++run) {
        for (int i = 0; i < RUN; ++i)
            x[i] = i < 30 ? special_real((uint64_t)i) : sample_argument(&seed, run);
        for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
            for (int t = 0; t < ntables; ++t) {
                tables[t]->apply[functions[f].op][JG_DTYPE_FLOAT64](y, x, NULL, NULL, RUN);
                for (int i = 0; i < RUN; ++i)
                    check(tables[t]->isa, &functions[f], x[i],
                          ulps_f64(y[i], functions[f].reference_long((long double)x[i])),
                          functions[f].bound_f64);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float32_stays_within_its_bounds),
        cmocka_unit_test(float64_stays_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, find_tables, NULL);
}
