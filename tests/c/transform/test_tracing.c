/* SPDX-License-Identifier: Apache-2.0 */
/* The halves of transformations: what a failure of one leaves. */
#include "../arrays.h"
#include <joggle/transform.h>

TEST(gradients_that_fail_leave_the_results_alone_and_can_be_asked_again)
{
    jg_array *x = counting(JG_DTYPE_FLOAT32, SHAPE(3)), *marker, *product, *loss;
    jg_array *share = x; /* any pointer */
    jg_tracing *tracing;
    assert_ok(jg_tracing_begin(1, &x, &marker, &tracing));
    assert_ok(jg_multiply(marker, marker, &product));
    assert_ok(jg_sum(product, -1, NULL, false, NULL, &loss));
    assert_fails_saying(JG_ERR_VALUE, "the loss has 1 axes",
                        jg_tracing_gradients(tracing, product, &share));
    assert_ptr_equal(share, x);
    for (int64_t nth = 1;; ++nth) {
        base_fail_nth(nth);
        jg_status status = jg_tracing_gradients(tracing, loss, &share);
        base_fail_nth(0);
        if (status == JG_OK)
            break;
        assert_int_equal(status, JG_ERR_NOMEM);
        assert_ptr_equal(share, x);
    }
    assert_elements(share, 2, 4, 6);
    release_all(5, (jg_array *[]){x, marker, product, loss, share});
}
