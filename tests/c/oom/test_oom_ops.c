/* SPDX-License-Identifier: Apache-2.0 */
/* Ops spelled in other ops, and routines, while every allocation fails once. */
#include "../openblas.h"
#include "attempts.h"
#include <joggle/ops.h>

static const int64_t last = -1;

/* Two rows of size ones each. */
static jg_status rows_of(int64_t size, jg_array **out)
{
    const int64_t shape[] = {2, size};
    return jg_full(JG_DTYPE_FLOAT32, 2, shape, float_number(1), out);
}

SCENARIO(normalise)
{
    jg_array *x = NULL, *soft = NULL, *norm = NULL, *weight = NULL;
    jg_status status;
    JG_TRY_DONE(rows_of(size, &x));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, 1, &size, float_number(2), &weight));
    JG_TRY_DONE(jg_softmax(x, 1, &last, &soft));
    JG_TRY_DONE(jg_layer_norm(soft, weight, weight, 1e-5, &norm));
    JG_TRY_DONE(jg_eval(2, (jg_array *[]){soft, norm}));
done:
    release_all(4, (jg_array *[]){x, soft, norm, weight});
    return status;
}

SCENARIO(cumulative)
{
    jg_array *x = NULL, *sums = NULL;
    jg_status status;
    JG_TRY_DONE(rows_of(size, &x));
    JG_TRY_DONE(jg_cumsum(x, NULL, true, false, NULL, &sums));
    JG_TRY_DONE(jg_eval(1, &sums));
done:
    release_all(2, (jg_array *[]){x, sums});
    return status;
}

SCENARIO(sum_by_labels)
{
    jg_array *x = NULL, *sum = NULL;
    jg_status status;
    JG_TRY_DONE(rows_of(size, &x));
    JG_TRY_DONE(jg_einsum("ij,kj,il->kl", 3, (jg_array *[]){x, x, x}, &sum));
    JG_TRY_DONE(jg_eval(1, &sum));
done:
    release_all(2, (jg_array *[]){x, sum});
    return status;
}

SCENARIO(multiply_over_axes)
{
    jg_array *x = NULL, *dot = NULL, *outer = NULL, *sum = NULL;
    jg_status status;
    JG_TRY_DONE(rows_of(size, &x));
    JG_TRY_DONE(jg_tensordot(x, x, 1, &last, &last, &dot));
    JG_TRY_DONE(jg_outer(x, dot, &outer));
    JG_TRY_DONE(jg_addmm(dot, dot, dot, 0.5, 2, &sum));
    JG_TRY_DONE(jg_eval(2, (jg_array *[]){outer, sum}));
done:
    release_all(4, (jg_array *[]){x, dot, outer, sum});
    return status;
}

SCENARIO(multiply_half_precision)
{
    const int64_t shape[] = {size, 16}, back[] = {16, size};
    jg_array *a = NULL, *b = NULL, *product = NULL;
    jg_status status;
    JG_TRY_DONE(jg_full(JG_DTYPE_BFLOAT16, 2, shape, float_number(1), &a));
    JG_TRY_DONE(jg_full(JG_DTYPE_BFLOAT16, 2, back, float_number(1), &b));
    JG_TRY_DONE(jg_matmul(a, b, &product));
    JG_TRY_DONE(jg_eval(1, &product));
done:
    release_all(3, (jg_array *[]){a, b, product});
    return status;
}

SCENARIO(draw)
{
    jg_array *key = NULL, *keys = NULL, *low = NULL, *high = NULL, *floats = NULL, *ints = NULL,
             *gammas = NULL, *chosen = NULL;
    jg_status status;
    JG_TRY_DONE(jg_random_key(1, &key));
    JG_TRY_DONE(jg_random_split(key, size, &keys));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, SCALAR, float_number(0), &low));
    JG_TRY_DONE(jg_full(JG_DTYPE_FLOAT32, SCALAR, float_number(9), &high));
    JG_TRY_DONE(jg_random_uniform(NULL, low, high, 1, &size, JG_DTYPE_FLOAT32, &floats));
    JG_TRY_DONE(jg_random_randint(key, low, high, 1, &size, JG_DTYPE_INT32, &ints));
    JG_TRY_DONE(jg_random_beta(key, high, high, 1, &size, JG_DTYPE_FLOAT32, &gammas));
    JG_TRY_DONE(jg_random_choice(NULL, floats, 1, &size, false, floats, 0, &chosen));
    JG_TRY_DONE(jg_eval(5, (jg_array *[]){keys, floats, ints, gammas, chosen}));
done:
    release_all(8, (jg_array *[]){key, keys, low, high, floats, ints, gammas, chosen});
    return status;
}

SCENARIO(factor)
{
    jg_array *identity = NULL, *x = NULL, *inverse = NULL, *solution = NULL;
    jg_array_list qr = {0, NULL}, lu = {0, NULL}, svd = {0, NULL};
    jg_status status;
    JG_TRY_DONE(jg_eye(4, NULL, 0, NULL, &identity));
    JG_TRY_DONE(jg_broadcast_to(identity, SHAPE(size, 4, 4), &x));
    JG_TRY_DONE(jg_linalg_qr(x, false, &qr));
    JG_TRY_DONE(jg_linalg_lu(x, &lu));
    JG_TRY_DONE(jg_linalg_svd(x, true, &svd));
    JG_TRY_DONE(jg_linalg_inv(x, false, &inverse));
    JG_TRY_DONE(jg_linalg_solve(x, x, &solution));
    JG_TRY_DONE(
        jg_eval(5, (jg_array *[]){qr.arrays[0], lu.arrays[1], svd.arrays[2], inverse, solution}));
done:
    jg_array_list_clear(&qr);
    jg_array_list_clear(&lu);
    jg_array_list_clear(&svd);
    release_all(4, (jg_array *[]){identity, x, inverse, solution});
    return status;
}

SCENARIO(measure)
{
    const int64_t columns =
        2; /* few: there are hundreds of allocations, each at a size of its own */
    jg_array *x = NULL, *inverse = NULL, *product = NULL, *norm = NULL;
    jg_array_list found = {0, NULL};
    jg_status status;
    JG_TRY_DONE(jg_eye(size, &columns, 0, NULL, &x));
    JG_TRY_DONE(jg_linalg_pinv(x, NULL, &inverse));
    JG_TRY_DONE(jg_linalg_lstsq(x, x, NULL, &found));
    JG_TRY_DONE(jg_linalg_matrix_norm(x, false, "1", &norm));
    JG_TRY_DONE(jg_linalg_multi_dot(3, (jg_array *[]){x, inverse, x}, &product));
    JG_TRY_DONE(jg_eval(3, (jg_array *[]){product, norm, found.arrays[0]}));
done:
    jg_array_list_clear(&found);
    release_all(4, (jg_array *[]){x, inverse, product, norm});
    return status;
}

static int take_one_thread(void **state)
{
    (void)state;
    return name_openblas() && jg_option_set("num_threads", "1") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_one_thread)
