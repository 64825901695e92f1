/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing by index arrays and masks, while every allocation fails once. */
#include "attempts.h"
#include <joggle/ops.h>

SCENARIO(gather_rows)
{
    jg_array *x = NULL, *column = NULL, *read = NULL, *taken = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_reshape(x, SHAPE(size, 1), &column));
    JG_TRY_DONE(jg_slice(column, ITEMS(ELLIPSIS, ARRAY(x), AT(0)), &read));
    JG_TRY_DONE(jg_take(x, x, NULL, &taken));
    JG_TRY_DONE(jg_eval(2, (jg_array *[]){read, taken}));
done:
    release_all(4, (jg_array *[]){x, column, read, taken});
    return status;
}

SCENARIO(scatter_sums)
{
    jg_array *x = NULL, *sum = NULL, *written = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_slice_combine(x, ITEMS(ARRAY(x)), JG_SCATTER_ADD, x, &sum));
    JG_TRY_DONE(jg_slice_update(sum, ITEMS(EVERY(-1)), sum, &written));
    JG_TRY_DONE(jg_eval(1, &written));
done:
    release_all(3, (jg_array *[]){x, sum, written});
    return status;
}

SCENARIO(write_by_masks)
{
    jg_array *x = NULL, *mask = NULL, *one = NULL, *uniform = NULL, *read = NULL, *copy = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_full(JG_DTYPE_INT64, SCALAR, integer_number(1), &one));
    JG_TRY_DONE(jg_greater(x, one, &mask));
    JG_TRY_DONE(jg_slice_update(x, ITEMS(ARRAY(mask)), one, &uniform));
    JG_TRY_DONE(jg_slice(x, ITEMS(ARRAY(mask)), &read));
    JG_TRY_DONE(jg_slice_update(x, ITEMS(ARRAY(mask)), read, &copy));
    JG_TRY_DONE(jg_eval(2, (jg_array *[]){uniform, copy}));
done:
    release_all(6, (jg_array *[]){x, mask, one, uniform, read, copy});
    return status;
}

SCENARIO(find_nonzero)
{
    jg_array *x = NULL, *square = NULL;
    jg_array_list places = {0};
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_reshape(x, SHAPE(size, 1), &square));
    JG_TRY_DONE(jg_nonzero(square, &places));
    JG_TRY_DONE(jg_eval(places.count, places.arrays));
done:
    jg_array_list_clear(&places);
    release_all(2, (jg_array *[]){x, square});
    return status;
}

static int take_one_thread(void **state)
{
    (void)state;
    return jg_option_set("num_threads", "1") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_one_thread)
