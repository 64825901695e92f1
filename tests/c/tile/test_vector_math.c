/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every instruction set against libm in the next wider precision: the bounds of
 * accuracy.def, over a sweep of all floats and a sample of doubles. ACCURACY_STEP=1 in the
 * environment takes every float, on every CPU there is; ACCURACY_ONLY=tanh takes one function only;
 * ACCURACY_REPORT=1 prints the largest error of each. */
#include "../support.h"
#include "samples.h"
#include "tables.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { RUN = 4096, RUNS_F64 = 60, MOST_THREADS = 64 };

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

/* Newton's method on erf, or beyond 1/2 on erfc, from an estimate by elementary functions. */
static double erfinv(double x)
{
    double size = fabs(x), below = 1 - size;
    if (!(size < 1))
        return size == 1 ? copysign((double)INFINITY, x) : (double)NAN;
    double log = log1p(-size * size), half = 4.33 + log / 2;
    double y = sqrt(sqrt(half * half - log / 0.147) - half);
    for (int i = 0; i < 4; ++i) {
        double slope = 1.1283791670955126 * exp(-y * y);
        y -= (size < 0.5 ? erf(y) - size : below - erfc(y)) / slope;
    }
    return size < 1e-8 ? x * 0.8862269254527580 : copysign(y, x);
}

static long double erfinv_long(long double x)
{
    long double size = fabsl(x), below = 1 - size, y = fabsl((long double)erfinv((double)x));
    if (!(size < 1))
        return (long double)erfinv((double)x);
    if (size < 1e-10L)
        return x * 0.886226925452758013649L;
    for (int i = 0; i < 2; ++i) {
        long double slope = 1.128379167095512573896L * expl(-y * y);
        y -= (size < 0.5L ? erfl(y) - size : below - erfcl(y)) / slope;
    }
    return copysignl(y, x);
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
    {PROGRAM_ERFINV, erfinv, erfinv_long},
    {PROGRAM_SIGMOID, sigmoid, sigmoid_long},
};

static bool is_wanted(size_t f)
{
    const char *only = getenv("ACCURACY_ONLY");
    return !only || strcmp(only, program_inst_rows[functions[f].op].name) == 0;
}

/* The largest errors met, by function and table, with their arguments. */
typedef struct worst {
    double ulps, x;
} worst;
typedef worst worst_table[JG_COUNT_OF(functions)][JG_COUNT_OF(tables)];

static void note(worst *most, double x, double ulps)
{
    if (!(ulps <= most->ulps))
        *most = (worst){ulps, x};
}

static void check_worsts(worst_table worsts, jg_dtype dtype)
{
    int failures = 0;
    for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
        for (int t = 0; t < ntables; ++t) {
            const worst *w = &worsts[f][t];
            double bound = allowed_ulps(functions[f].op, dtype);
            bool fails = !(w->ulps <= bound);
            failures += fails;
            if (fails || (getenv("ACCURACY_REPORT") && is_wanted(f)))
                print_message("%s of %s on %s: %.4f ULP off at %a, allowed %g\n",
                              program_inst_rows[functions[f].op].name, dtype_rows[dtype].name,
                              tables[t]->isa, w->ulps, w->x, bound);
        }
    }
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

/* Inlined, GCC 12 for Arm makes infinities of its results (-ftree-slp-vectorize). */
__attribute__((noinline)) static double ulps_f64(double got, long double wanted)
{
    int exponent;
    double rounded = (double)wanted;
    if (isnan(wanted))
        return isnan(got) ? 0 : (double)INFINITY;
    if (got == rounded)
        return !signbit(got) == !signbit(rounded) ? 0 : (double)INFINITY;
    (void)frexpl(wanted, &exponent);
    exponent = exponent > -1021 ? exponent : -1021;
    return (double)(fabsl((long double)got - wanted) / ldexpl(1, exponent - 53));
}

/* What one thread does: every run of floats whose number is index modulo threads. */
typedef struct sweep {
    uint64_t index, threads, step;
    worst_table worsts;
    pthread_t thread;
} sweep;

static void sweep_run(sweep *s, size_t f, const float *x)
{
    float y[RUN];
    double wanted[RUN];
    for (int i = 0; i < RUN; ++i)
        wanted[i] = functions[f].reference((double)x[i]);
    for (int t = 0; t < ntables; ++t) {
        tables[t]->apply[functions[f].op][JG_DTYPE_FLOAT32](y, x, NULL, NULL, RUN);
        for (int i = 0; i < RUN; ++i)
            note(&s->worsts[f][t], (double)x[i], ulps_f32(y[i], wanted[i]));
    }
}

static void *sweep_floats(void *context)
{
    sweep *s = context;
    uint64_t stride = RUN * s->step;
    float x[RUN];
    for (uint64_t bits = s->index * stride; bits >> 32 == 0; bits += s->threads * stride) {
        for (uint64_t i = 0; i < RUN; ++i) {
            uint32_t pattern = (uint32_t)(bits + i * s->step);
            memcpy(&x[i], &pattern, sizeof pattern);
        }
        for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
            if (is_wanted(f))
                sweep_run(s, f, x);
        }
    }
    return NULL;
}

/* Infinities, NaNs, zeros and subnormals of both signs are among them. */
TEST(float32_stays_within_its_bounds)
{
    static sweep sweeps[MOST_THREADS];
    const char *every = getenv("ACCURACY_STEP");
    uint64_t cpus = every ? (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) : 1;
    uint64_t threads = cpus < MOST_THREADS ? cpus : MOST_THREADS;
    for (uint64_t t = 0; t < threads; ++t) {
        sweeps[t].index = t;
        sweeps[t].threads = threads;
        sweeps[t].step = every ? strtoul(every, NULL, 10) : 9973;
        assert_int_equal(pthread_create(&sweeps[t].thread, NULL, sweep_floats, &sweeps[t]), 0);
    }
    for (uint64_t t = 0; t < threads; ++t) {
        pthread_join(sweeps[t].thread, NULL);
        for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
            for (int k = 0; k < ntables; ++k)
                note(&sweeps[0].worsts[f][k], sweeps[t].worsts[f][k].x,
                     sweeps[t].worsts[f][k].ulps);
        }
    }
    check_worsts(sweeps[0].worsts, JG_DTYPE_FLOAT32);
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

TEST(float64_stays_within_its_bounds)
{
    static double x[RUN], y[RUN];
    static long double wanted[RUN];
    static worst_table worsts;
    uint64_t seed = 7;
    for (int run = 0; run < RUNS_F64; ++run) {
        for (int i = 0; i < RUN; ++i)
            x[i] = i < 30 ? special_real((uint64_t)i) : sample_argument(&seed, run);
        for (size_t f = 0; f < JG_COUNT_OF(functions); ++f) {
            if (!is_wanted(f))
                continue;
            for (int i = 0; i < RUN; ++i)
                wanted[i] = functions[f].reference_long((long double)x[i]);
            for (int t = 0; t < ntables; ++t) {
                tables[t]->apply[functions[f].op][JG_DTYPE_FLOAT64](y, x, NULL, NULL, RUN);
                for (int i = 0; i < RUN; ++i)
                    note(&worsts[f][t], x[i], ulps_f64(y[i], wanted[i]));
            }
        }
    }
    check_worsts(worsts, JG_DTYPE_FLOAT64);
}

BEFORE_ALL(find_tables)
