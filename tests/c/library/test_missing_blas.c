/* SPDX-License-Identifier: Apache-2.0 */
/* A library that was asked for by name and cannot be used is an error, each time, with its name; a
 * process of its own, as the library is looked for once. */
#include "../support.h"
#include "library/library.h"

TEST(a_named_library_that_is_missing_is_an_error_for_floats_only)
{
    float x[1] = {2}, c[1] = {0};
    int32_t whole[1] = {3}, product[1];
    matmul_call call = {JG_DTYPE_FLOAT32, 1, 1, 1, x, x, c, 1, 1, 1, 1, 1};
    assert_ok(jg_option_set("blas", "/nowhere/libopenblas.so"));
    for (int i = 0; i < 2; ++i)
        assert_fails_saying(JG_ERR_LIBRARY, "/nowhere/libopenblas.so", library_matmul(&call));
    assert_null(blas_path());
    call = (matmul_call){JG_DTYPE_INT32, 1, 1, 1, whole, whole, product, 1, 1, 1, 1, 1};
    assert_ok(library_matmul(&call));
    assert_int_equal(product[0], 9);
}
