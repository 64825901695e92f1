/* SPDX-License-Identifier: Apache-2.0 */
/* Which numbers an integer dtype has, against the limits of C's own types, and of four bits. */
#include "../tests.h"

#include "tensor/tensor.h"
#include <math.h>

typedef struct range {
    jg_dtype dtype;
    int64_t lowest;
    uint64_t highest;
} range;

static const range ranges[] = {
    {JG_DTYPE_INT4, -8, 7},
    {JG_DTYPE_UINT4, 0, 15},
    {JG_DTYPE_INT8, INT8_MIN, INT8_MAX},
    {JG_DTYPE_UINT8, 0, UINT8_MAX},
    {JG_DTYPE_INT16, INT16_MIN, INT16_MAX},
    {JG_DTYPE_UINT16, 0, UINT16_MAX},
    {JG_DTYPE_INT32, INT32_MIN, INT32_MAX},
    {JG_DTYPE_UINT32, 0, UINT32_MAX},
    {JG_DTYPE_INT64, INT64_MIN, INT64_MAX},
    {JG_DTYPE_UINT64, 0, UINT64_MAX},
};

static bool has_int(jg_dtype dtype, int64_t value)
{
    return scalar_fits((jg_scalar){.i64 = value}, JG_KIND_INT, dtype);
}

static bool has_unsigned(jg_dtype dtype, uint64_t value)
{
    return scalar_fits((jg_scalar){.u64 = value}, JG_KIND_UINT, dtype);
}

static bool has_float(jg_dtype dtype, double value)
{
    return scalar_fits((jg_scalar){.f64 = value}, JG_KIND_FLOAT, dtype);
}

TEST(integers_fit_up_to_both_limits)
{
    for (size_t i = 0; i < JG_COUNT_OF(ranges); ++i) {
        const range *r = &ranges[i];
        assert_true(has_int(r->dtype, r->lowest));
        assert_true(has_unsigned(r->dtype, r->highest));
        assert_true(has_unsigned(r->dtype, 0));
        if (r->lowest > INT64_MIN)
            assert_false(has_int(r->dtype, r->lowest - 1));
        if (r->highest < UINT64_MAX)
            assert_false(has_unsigned(r->dtype, r->highest + 1));
        if (r->highest < INT64_MAX) {
            assert_true(has_int(r->dtype, (int64_t)r->highest));
            assert_false(has_int(r->dtype, (int64_t)r->highest + 1));
        }
    }
}

/* The same 64 bits as a negative number and as a large one. */
TEST(the_kind_tells_what_the_bits_mean)
{
    assert_true(has_int(JG_DTYPE_INT8, -1));
    assert_false(has_unsigned(JG_DTYPE_INT8, UINT64_MAX));
    assert_false(has_int(JG_DTYPE_UINT64, -1));
    assert_true(has_unsigned(JG_DTYPE_UINT64, UINT64_MAX));
    assert_false(has_unsigned(JG_DTYPE_INT64, UINT64_MAX));
    assert_true(scalar_fits((jg_scalar){.i64 = 1}, JG_KIND_BOOL, JG_DTYPE_UINT8));
}

/* The first double beyond each limit, once truncated, is exact; one below the first may not be. */
TEST(floats_fit_if_they_do_once_truncated)
{
    for (size_t i = 0; i < JG_COUNT_OF(ranges); ++i) {
        const range *r = &ranges[i];
        double lowest = (double)r->lowest, beyond = (double)r->highest;
        beyond = r->highest > (UINT64_C(1) << 53) ? beyond : beyond + 1;
        assert_true(has_float(r->dtype, lowest));
        assert_true(has_float(r->dtype, -0.75));
        assert_true(has_float(r->dtype, nextafter(beyond, 0)));
        assert_false(has_float(r->dtype, beyond));
        assert_false(has_float(r->dtype, r->lowest == INT64_MIN ? lowest * 1.5 : lowest - 1));
        assert_false(has_float(r->dtype, (double)INFINITY));
        assert_false(has_float(r->dtype, (double)-INFINITY));
        assert_false(has_float(r->dtype, (double)NAN));
    }
}

TEST(dtypes_that_are_no_integers_have_every_number)
{
    static const jg_dtype dtypes[] = {JG_DTYPE_BOOL, JG_DTYPE_FLOAT16, JG_DTYPE_FLOAT32,
                                      JG_DTYPE_COMPLEX64, JG_DTYPE_FLOAT8_E4M3FN};
    for (size_t i = 0; i < JG_COUNT_OF(dtypes); ++i) {
        assert_true(has_int(dtypes[i], INT64_MIN));
        assert_true(has_unsigned(dtypes[i], UINT64_MAX));
        assert_true(has_float(dtypes[i], 1e300));
        assert_true(has_float(dtypes[i], (double)NAN));
    }
}
