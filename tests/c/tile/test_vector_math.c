/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every instruction set against libm in the next wider precision: the bounds of
 * accuracy.def, over a sweep of all floats and a sample of doubles. ACCURACY_STEP=1 in the
 * environment takes every float (an hour), ACCURACY_REPORT=1 prints the largest error of each. */
#include "../support.h"
#include "samples.h"
#include "tables.h"
#include <stdlib.h>

enum { RUN = 4096, RUNS_F64 = 60 };

typedef struct function {
    program_op op;
    double (*reference)(double);
    long double (*reference_long)(long double);
} function;

static double sigmoid(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

static long double sigmoid_long(long double x)
{
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}

static const function functions[] = {
    {PROGRAM_EXP, exp, expl},
    {PROGRAM_EXP2, exp2, exp2l},
    {PROGRAM_EXPM1, expm1, expm1l},
    {PROGRAM_LOG, log, logl},
    {PROGRAM_LOG2, log2, log2l},
    {PROGRAM_LOG10, log10, log10l},
    {PROGRAM_LOG1P, log1p, log1pl},
    {PROGRAM_SIN, sin, sinl},
    {PROGRAM_COS, cos, cosl},
    {PROGRAM_TAN, tan, tanl},
    {PROGRAM_ASIN, asin, asinl},
    {PROGRAM_ACOS, acos, acosl},
    {PROGRAM_ATAN, atan, atanl},
    {PROGRAM_SINH, sinh, sinhl},
    {PROGRAM_COSH, cosh, coshl},
    {PROGRAM_TANH, tanh, tanhl},
    {PROGRAM_ASINH, asinh, asinhl},
    {PROGRAM_ACOSH, acosh, acoshl},
    {PROGRAM_ATANH, atanh, atanhl},
    {PROGRAM_ERF, erf, erfl},
    {PROGRAM_SIGMOID, sigmoid, sigmoid_long},
};

/* The largest errors met, by function and table, with their arguments. */
typedef struct worst {
    double ulps, x;
} worst;
static worst worsts[JG_COUNT_OF(functions)][4];

static void note(size_t f, int t, double x, double ulps)
{
    if (!(ulps <= worsts[f][t].ulps))
        worsts[f][t] = (worst){ulps, x};
}

static void check_worsts(jg_dtype dtype)
{
    int failures = 0;
    for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
        for (int t = 0; t < ntables; ++t) {
            const worst *w = &worsts[f][t];
            double bound = allowed_ulps(functions[f].op, dtype);
            bool fails = !(w->ulps <= bound);
            failures += fails;
            if (fails || getenv("ACCURACY_REPORT"))
                print_message("%s of %s on %s: %.3f ULP off at %a, allowed %g\n",
                              program_inst_rows[functions[f].op].name, dtype_rows[dtype].name,
                              tables[t]->isa, w->ulps, w->x, bound);
        }
    }
    memset(worsts, 0, sizeof worsts);
    assert_int_equal(failures, 0);
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
    static double wanted[RUN];
    const char *every = getenv("ACCURACY_STEP");
    uint32_t step = every ? (uint32_t)strtoul(every, NULL, 10) : 9973;
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += (uint64_t)RUN * step) {
        for (uint32_t i = 0; i < RUN; ++i) {
            uint32_t pattern = (uint32_t)bits + i * step;
            memcpy(&x[i], &pattern, sizeof pattern);
        }
        for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
            for (int i = 0; i < RUN; ++i)
                wanted[i] = functions[f].reference((double)x[i]);
            for (int t = 0; t < ntables; ++t) {
                tables[t]->apply[functions[f].op][JG_DTYPE_FLOAT32](y, x, NULL, NULL, RUN);
                for (int i = 0; i < RUN; ++i)
                    note(f, t, (double)x[i], ulps_f32(y[i], wanted[i]));
            }
        }
    }
    check_worsts(JG_DTYPE_FLOAT32);
}

/* Where each function does something: near zero, over the range of exp, near multiples of pi/2,
 * anywhere at all. */
static double sample_argument(uint64_t *seed, int run)
{
    double x;
    uint64_t bits = random_bits(seed);
    switch (run % 6) {
    case 0: return random_real(seed, 2);
    case 1: return random_real(seed, 760);
    case 2: return ldexp(random_real(seed, 2), (int)(bits % 90) - 80);
    case 3: return (double)(int64_t)(bits % 1200000) * 1.5707963267948966;
    case 4: return 1 + random_real(seed, 0.5);
    default: memcpy(&x, &bits, sizeof x); return x;
    }
}

static void float64_stays_within_its_bounds(void **state)
{
    (void)state;
    static double x[RUN], y[RUN];
    static long double wanted[RUN];
    uint64_t seed = 7;
    for (int run = 0; run < RUNS_F64; ++run) {
        for (int i = 0; i < RUN; ++i)
            x[i] = i < 30 ? special_real((uint64_t)i) : sample_argument(&seed, run);
        for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
            for (int i = 0; i < RUN; ++i)
                wanted[i] = functions[f].reference_long((long double)x[i]);
            for (int t = 0; t < ntables; ++t) {
                tables[t]->apply[functions[f].op][JG_DTYPE_FLOAT64](y, x, NULL, NULL, RUN);
                for (int i = 0; i < RUN; ++i)
                    note(f, t, x[i], ulps_f64(y[i], wanted[i]));
            }
        }
    }
    check_worsts(JG_DTYPE_FLOAT64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float32_stays_within_its_bounds),
        cmocka_unit_test(float64_stays_within_its_bounds),
    };
    return cmocka_run_group_tests(tests, find_tables, NULL);
}
