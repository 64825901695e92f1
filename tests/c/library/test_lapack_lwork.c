/* SPDX-License-Identifier: Apache-2.0 */
/* How much work LAPACK is given: what it tells, but never less than it needs, and no more than it
 * can count. */
#include "../support.h"
#include "library/lapack.h"
#include <limits.h>

static int lwork_of(double told, double least)
{
    double wide[2] = {told, 0};
    int lwork = -1;
    assert_ok(lapack_lwork(JG_DTYPE_FLOAT64, wide, least, &lwork));
    return lwork;
}

TEST(what_lapack_tells_is_taken)
{
    float single[2] = {1000, 0};
    int lwork;
    assert_int_equal(lwork_of(1000, 10), 1000);
    assert_ok(lapack_lwork(JG_DTYPE_FLOAT32, single, 10, &lwork));
    assert_int_equal(lwork, 1000);
    assert_ok(lapack_lwork(JG_DTYPE_COMPLEX64, single, 10, &lwork));
    assert_int_equal(lwork, 1000);
    assert_int_equal(lwork_of(0, 0), 1);
}

/* 1 + 6 n + 2 n^2 for 32,000 rows, of which LAPACK tells an optimum that has overflowed. */
TEST(a_number_that_overflowed_is_not_believed)
{
    const double least = 1 + 6 * 32000.0 + 2 * 32000.0 * 32000.0;
    assert_int_equal(lwork_of(-2145000000.0, least), (int)least);
    assert_int_equal(lwork_of(17, least), (int)least);
    assert_int_equal(lwork_of(3e9, least), INT_MAX);
}

TEST(sizes_that_lapack_cannot_count_are_refused)
{
    const double n = 33000, told[2] = {-100, 0};
    int lwork = -1;
    assert_ok(lapack_lwork(JG_DTYPE_FLOAT64, told, INT_MAX, &lwork));
    lwork = -1;
    assert_fails_saying(JG_ERR_VALUE, "a: is too large",
                        lapack_lwork(JG_DTYPE_FLOAT64, told, 2 * n * n, &lwork));
    assert_int_equal(lwork, -1);
}
