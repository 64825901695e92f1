/* SPDX-License-Identifier: Apache-2.0 */
/* Running results, sorting, searching, and work of the host, while every allocation fails once. */
#include "cuda_oom.h"

/* Also in blocks of a line. */
SCENARIO(running_results)
{
    jg_array *x = NULL, *sums = NULL, *y = NULL, *most = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_cumsum(x, &first, false, true, NULL, &sums));
    JG_TRY_DONE(numbers_of(size + 3000, &y));
    JG_TRY_DONE(jg_cumsum(y, &first, true, false, NULL, &most));
    JG_TRY_DONE(evaluate(2, (jg_array *[]){sums, most}));
done:
    finish(4, (jg_array *[]){x, sums, y, most});
    return status;
}

/* Of one block, and of several that are merged. */
SCENARIO(order)
{
    jg_array *x = NULL, *few = NULL, *indices = NULL, *y = NULL, *most = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_sort(x, &first, true, true, &few));
    JG_TRY_DONE(jg_argsort(few, &first, false, true, &indices));
    JG_TRY_DONE(numbers_of(size + 3000, &y));
    JG_TRY_DONE(jg_topk(y, 5, &first, &most));
    JG_TRY_DONE(evaluate(2, (jg_array *[]){indices, most}));
done:
    finish(5, (jg_array *[]){x, few, indices, y, most});
    return status;
}

SCENARIO(searches)
{
    jg_array *x = NULL, *places = NULL, *found = NULL;
    jg_array_list where = {0};
    jg_status status;
    JG_TRY_DONE(numbers_of(size, &x));
    JG_TRY_DONE(jg_searchsorted(x, x, "right", NULL, &places));
    JG_TRY_DONE(jg_isin(places, x, false, &found));
    JG_TRY_DONE(jg_nonzero(found, &where));
    JG_TRY_DONE(evaluate(where.count, where.arrays));
done:
    (void)jg_synchronize();
    jg_array_list_clear(&where);
    release_all(3, (jg_array *[]){x, places, found});
    return status;
}

/* What the host runs for the device, and copies. */
SCENARIO(host_and_device)
{
    jg_array *x = NULL, *wide = NULL, *rows = NULL, *turned = NULL, *back = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(4 * size, &x));
    JG_TRY_DONE(jg_astype(x, JG_DTYPE_FLOAT32, &wide));
    JG_TRY_DONE(jg_reshape(wide, SHAPE(size, 4), &rows));
    JG_TRY_DONE(jg_hadamard_transform(rows, NULL, &turned));
    JG_TRY_DONE(jg_to_device(turned, (jg_device_id){JG_DEVICE_CPU, 0}, &back));
    JG_TRY_DONE(evaluate(1, &back));
done:
    finish(5, (jg_array *[]){x, wide, rows, turned, back});
    return status;
}

BEFORE_ALL(open_fake_alone)
