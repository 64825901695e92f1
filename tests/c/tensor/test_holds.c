/* SPDX-License-Identifier: Apache-2.0 */
/* Which dtypes have every value of another: those that every element comes back from. */
#include "../tests.h"

#include "tensor/tensor.h"
#include <string.h>

enum { ELEMENTS = 70000 };

/* Every element of 16 bits and fewer, then the ends of the range and mixed bits of longer ones. */
static uint64_t element_bits(int64_t i, jg_dtype dtype)
{
    int bits = jg_dtype_bits(dtype);
    if (dtype == JG_DTYPE_BOOL)
        return (uint64_t)i & 1;
    if (bits <= 16 || i < 2)
        return (uint64_t)i;
    if (i < 6)
        return i < 4 ? UINT64_MAX >> (66 - bits - i % 2) : UINT64_MAX << (bits - 1 - i % 2);
    return (uint64_t)i * 0x9e3779b97f4a7c15u >> (64 - bits);
}

/* Of a real dtype. */
static bool comes_back(const void *element, jg_dtype narrow, jg_dtype wide)
{
    uint64_t stored = 0, back = 0;
    jg_scalar value, held;
    jg_dtype_kind kind = scalar_load(element, narrow, &value);
    if (!scalar_fits(value, kind, wide))
        return kind == JG_KIND_FLOAT && value.f64 != value.f64 && dtype_is_floating(wide);
    scalar_store(value, kind, wide, &stored);
    jg_dtype_kind held_kind = scalar_load(&stored, wide, &held);
    if (!scalar_fits(held, held_kind, narrow))
        return false;
    scalar_store(held, held_kind, narrow, &back);
    bool is_nan = kind == JG_KIND_FLOAT && value.f64 != value.f64;
    return memcmp(&back, element, dtype_itemsize(narrow)) == 0 ||
           (is_nan && dtype_is_floating(wide));
}

static bool all_come_back(jg_dtype narrow, jg_dtype wide)
{
    for (int64_t i = 0; i < ELEMENTS; ++i) {
        uint64_t bits = element_bits(i, narrow);
        if (!comes_back(&bits, narrow, wide))
            return false;
    }
    return true;
}

TEST(a_dtype_holds_what_comes_back_from_it)
{
    for (int narrow = 0; narrow < JG_DTYPE_COUNT; ++narrow)
        for (int wide = 0; wide < JG_DTYPE_COUNT; ++wide) {
            jg_dtype of = (jg_dtype)narrow, in = (jg_dtype)wide;
            if (!jg_dtype_is_computable(of) || !jg_dtype_is_computable(in) ||
                dtype_is_complex(of) || dtype_is_complex(in))
                continue;
            if (dtype_holds(in, of) != all_come_back(of, in))
                fail_msg("%s in %s: told is %d", jg_dtype_name(of), jg_dtype_name(in),
                         dtype_holds(in, of));
        }
}

TEST(complex_dtypes_hold_reals_and_not_the_other_way)
{
    assert_true(dtype_holds(JG_DTYPE_COMPLEX128, JG_DTYPE_COMPLEX64));
    assert_false(dtype_holds(JG_DTYPE_COMPLEX64, JG_DTYPE_COMPLEX128));
    assert_true(dtype_holds(JG_DTYPE_COMPLEX64, JG_DTYPE_FLOAT32));
    assert_false(dtype_holds(JG_DTYPE_COMPLEX64, JG_DTYPE_FLOAT64));
    assert_false(dtype_holds(JG_DTYPE_FLOAT64, JG_DTYPE_COMPLEX64));
}

TEST(what_is_not_computed_with_holds_nothing)
{
    assert_false(dtype_holds(JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT8_E5M2));
    assert_false(dtype_holds(JG_DTYPE_FLOAT128, JG_DTYPE_FLOAT32));
}
