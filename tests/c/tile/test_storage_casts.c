/* SPDX-License-Identifier: Apache-2.0 */
/* Casts of what is only stored, of each instruction set: every code of one byte against the values
 * that tensor/number.c reads, float128 against the compiler's. */
#include "../support.h"
#include "samples.h"
#include "tables.h"
#include <joggle/array.h>

enum { CODES = 256, COUNT = 4096 };

static void check_codes(const tile_loops *table, jg_dtype dtype)
{
    uint8_t codes[CODES], back[CODES];
    double values[CODES];
    for (int i = 0; i < CODES; ++i)
        codes[i] = (uint8_t)i;
    table->cast[dtype][JG_DTYPE_FLOAT64](values, codes, NULL, NULL, CODES);
    table->cast[JG_DTYPE_FLOAT64][dtype](back, values, NULL, NULL, CODES);
    for (int i = 0; i < CODES; ++i) {
        jg_number wanted;
        assert_ok(jg_number_load(dtype, codes, i, &wanted));
        if (isnan(wanted.re)) {
            assert_true(isnan(values[i]));
            continue;
        }
        assert_true(values[i] == wanted.re && signbit(values[i]) == signbit(wanted.re));
        assert_int_equal(back[i], codes[i]);
    }
}

TEST(every_code_has_its_value_and_survives)
{
    for (int t = 0; t < ntables; ++t)
        for (int dtype = JG_DTYPE_FLOAT8_E3M4; dtype <= JG_DTYPE_FLOAT8_E8M0FNU; ++dtype)
            check_codes(tables[t], (jg_dtype)dtype);
}

TEST(instruction_sets_round_alike)
{
    static double values[COUNT];
    static uint8_t first[COUNT], other[COUNT];
    fill_samples(values, JG_DTYPE_FLOAT64, COUNT, 1);
    for (int dtype = JG_DTYPE_FLOAT8_E3M4; dtype <= JG_DTYPE_FLOAT8_E8M0FNU; ++dtype) {
        tables[0]->cast[JG_DTYPE_FLOAT64][dtype](first, values, NULL, NULL, COUNT);
        for (int t = 1; t < ntables; ++t) {
            tables[t]->cast[JG_DTYPE_FLOAT64][dtype](other, values, NULL, NULL, COUNT);
            assert_memory_equal(first, other, COUNT);
        }
    }
}

#ifdef __SIZEOF_FLOAT128__
/* Numbers between doubles, ties among them, and around the ends of their range. */
static __float128 sample_quad(uint64_t *seed)
{
    double high = sample_real(seed);
    int exponent = (int)(random_bits(seed) % 4) * 17 - 120;
    __float128 x = (__float128)high * (1 + (__float128)ldexp(1, exponent));
    return random_bits(seed) % 4 == 0 ? x * (__float128)ldexp(1, -1000) : x;
}

TEST(float128_is_rounded_once)
{
    static __float128 quads[COUNT];
    static double got[COUNT];
    uint64_t seed = 99;
    for (int i = 0; i < COUNT; ++i)
        quads[i] = sample_quad(&seed);
    for (int t = 0; t < ntables; ++t) {
        tables[t]->cast[JG_DTYPE_FLOAT128][JG_DTYPE_FLOAT64](got, quads, NULL, NULL, COUNT);
        for (int i = 0; i < COUNT; ++i) {
            double wanted = (double)quads[i];
            if (!(isnan(wanted) && isnan(got[i])) &&
                (wanted != got[i] || signbit(wanted) != signbit(got[i])))
                fail_msg("%s: got %a, wanted %a", tables[t]->isa, got[i], wanted);
        }
    }
}

TEST(every_double_is_a_float128)
{
    static double values[COUNT];
    static __float128 got[COUNT];
    fill_samples(values, JG_DTYPE_FLOAT64, COUNT, 5);
    for (int t = 0; t < ntables; ++t) {
        tables[t]->cast[JG_DTYPE_FLOAT64][JG_DTYPE_FLOAT128](got, values, NULL, NULL, COUNT);
        for (int i = 0; i < COUNT; ++i)
            assert_true(isnan(values[i]) ? got[i] != got[i] : got[i] == (__float128)values[i]);
    }
}
#endif

BEFORE_ALL(find_tables)
