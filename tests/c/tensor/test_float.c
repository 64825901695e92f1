/* SPDX-License-Identifier: Apache-2.0 */
/* float16 and bfloat16: every bit pattern there and back, and rounding against exact arithmetic. */
#include "../tests.h"

#include "tensor/tensor.h"
#include <math.h>
#include <string.h>

typedef struct format {
    float (*widen)(uint16_t bits);
    uint16_t (*narrow)(float value);
    uint16_t infinity, quiet;
} format;

static const format half = {float_from_half, float_to_half, 0x7c00, 0x0200};
static const format bfloat = {float_from_bfloat, float_to_bfloat, 0x7f80, 0x0040};

static bool is_nan(const format *f, unsigned bits)
{
    return (bits & 0x7fff) > f->infinity;
}

static void check_round_trip(const format *f)
{
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        unsigned expected = is_nan(f, bits) ? bits | f->quiet : bits;
        if (f->narrow(f->widen((uint16_t)bits)) != expected)
            fail_msg("%#x does not come back as %#x", bits, expected);
    }
}

TEST(every_half_comes_back)
{
    check_round_trip(&half);
}

TEST(every_bfloat_comes_back)
{
    check_round_trip(&bfloat);
}

/* Between each finite value and the next one up: the middle goes to the even one, and the floats
 * beside the middle to their own side. Beyond the largest the next one up is infinity, one step
 * further. */
static void check_ties(const format *f)
{
    for (uint16_t bits = 0; bits < f->infinity; bits++) {
        uint16_t above = (uint16_t)(bits + 1), even = bits & 1 ? above : bits;
        double low = (double)f->widen(bits);
        double step = above < f->infinity ? (double)f->widen(above) - low
                                          : low - (double)f->widen((uint16_t)(bits - 1));
        float middle = (float)(low + step / 2);
        assert_int_equal(f->narrow(middle), even);
        assert_int_equal(f->narrow(nextafterf(middle, 0)), bits);
        assert_int_equal(f->narrow(nextafterf(middle, INFINITY)), above);
        assert_int_equal(f->narrow(-middle), even | 0x8000);
    }
}

TEST(halfs_round_to_the_nearest_even)
{
    check_ties(&half);
}

TEST(bfloats_round_to_the_nearest_even)
{
    check_ties(&bfloat);
}

TEST(halfs_have_the_values_of_ieee_754)
{
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        int exponent = (int)(bits >> 10);
        unsigned mantissa = bits & 0x3ff;
        double expected =
            exponent == 0 ? ldexp(mantissa, -24) : ldexp(0x400 | mantissa, exponent - 25);
        assert_true((double)float_from_half((uint16_t)bits) == expected);
        assert_true((double)float_from_half((uint16_t)(bits | 0x8000)) == -expected);
    }
    assert_true(isinf(float_from_half(0x7c00)) && float_from_half(0xfc00) < 0);
}

TEST(what_is_too_large_becomes_infinite)
{
    assert_int_equal(float_to_half(65519.996f), 0x7bff);
    assert_int_equal(float_to_half(65520), 0x7c00);
    assert_int_equal(float_to_half(3e38f), 0x7c00);
    assert_int_equal(float_to_half(-INFINITY), 0xfc00);
    assert_int_equal(float_to_bfloat(3.4e38f), 0x7f80);
}

TEST(a_nan_stays_one_even_if_its_payload_is_cut_off)
{
    const uint32_t signalling[] = {0x7f800001, 0xff800001, 0x7fa00000};
    for (size_t i = 0; i < JG_COUNT_OF(signalling); i++) {
        float value;
        memcpy(&value, &signalling[i], sizeof value);
        assert_true(is_nan(&half, float_to_half(value)));
        assert_true(is_nan(&bfloat, float_to_bfloat(value)));
        assert_int_equal(float_to_half(value) >> 15, signalling[i] >> 31);
    }
}

#ifdef __FLT16_MANT_DIG__
TEST(the_compiler_converts_to_half_alike)
{
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 4099) {
        uint32_t word = (uint32_t)bits;
        uint16_t theirs;
        float value;
        memcpy(&value, &word, sizeof value);
        _Float16 converted = (_Float16)value;
        memcpy(&theirs, &converted, sizeof theirs);
        if (!isnan(value))
            assert_int_equal(float_to_half(value), theirs);
    }
}
#endif
