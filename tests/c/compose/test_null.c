/* SPDX-License-Identifier: Apache-2.0 */
/* NULL where an op takes an array, a place for its result, text or ints: refused by name. */
#include "../support.h"
#include <joggle/ops.h>
#include <stdio.h>

/* gives: how many calls were not refused as they have to be */
static int expect_refused(const char *op, const char *argument, jg_status status)
{
    char head[128];
    snprintf(head, sizeof head, "[%s] %s: ", op, argument);
    const char *message = jg_error_message();
    if (status == JG_ERR_VALUE && strncmp(message, head, strlen(head)) == 0 &&
        strstr(message, "NULL") != NULL)
        return 0;
    print_message("%s, %s: status %d, %s\n", op, argument, (int)status, message);
    return 1;
}

TEST(every_op_refuses_null_by_the_name_of_the_argument)
{
    jg_array *x, *out = NULL;
    jg_array_list outs = {0};
    const int64_t ints[JG_MAX_NDIM] = {0};
    int failures = 0, calls = 0;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, 0, NULL, (jg_number){.kind = JG_KIND_INT, .i64 = 1}, &x));
    jg_array *const list[] = {x, x}, *const hole[] = {NULL, x};
#define NULL_CALL(op, argument, call)                                                              \
    failures += expect_refused(#op, argument, call);                                               \
    ++calls;
#include "null_calls.h"
#undef NULL_CALL
    assert_int_equal(failures, 0);
    assert_true(calls > 800);
    assert_null(out);
    assert_int_equal(outs.count, 0);
    jg_array_release(x);
}
