/* SPDX-License-Identifier: Apache-2.0 */
/* Fused programs on both tiers, through evaluation: at once, and swapped in while threads run
 * them. */
#include "../arrays.h"
#include <joggle/option.h>
#include <stdlib.h>

enum { SIZE = 100003, THREADS = 3, ROUNDS = 60 };

static float data[SIZE];

static jg_array *leaf(const char *mode)
{
    jg_array *x;
    assert_ok(jg_option_set("jit", mode));
    /* Another shape has another plan: that of the other mode is not found. */
    if (strcmp(mode, "0") == 0)
        assert_ok(jg_array_from_data(data, JG_DTYPE_FLOAT32, SHAPE(SIZE), &x));
    else
        assert_ok(jg_array_from_data(data, JG_DTYPE_FLOAT32, SHAPE(SIZE, 1), &x));
    return x;
}

/* tanh(x (x x + x)) exp(x) - x, in float32: products beside sums, functions. */
static jg_status chain(jg_array *x, jg_array **out)
{
    jg_array *steps[6] = {0};
    jg_status status = jg_multiply(x, x, &steps[0]);
    status = status ? status : jg_add(steps[0], x, &steps[1]);
    status = status ? status : jg_multiply(steps[1], x, &steps[2]);
    status = status ? status : jg_tanh(steps[2], &steps[3]);
    status = status ? status : jg_exp(x, &steps[4]);
    status = status ? status : jg_multiply(steps[3], steps[4], &steps[5]);
    status = status ? status : jg_subtract(steps[5], x, out);
    for (int i = 0; i < 6; ++i)
        jg_array_release(steps[i]);
    return status ? status : jg_eval(1, out);
}

/* An evaluated array's elements. */
static jg_status read_elements(jg_array *x, float *out)
{
    jg_view view;
    jg_status status = jg_array_view(x, &view);
    if (status == JG_OK)
        memcpy(out, view.data, SIZE * sizeof *out);
    return status;
}

static void read_chain(const char *mode, float *out)
{
    jg_array *x = leaf(mode), *y;
    assert_ok(chain(x, &y));
    assert_ok(read_elements(y, out));
    jg_array_release(x);
    jg_array_release(y);
}

static void compiled_at_once_it_gives_the_same_bits(void **state)
{
    static float tiles[SIZE], compiled[SIZE];
    (void)state;
    read_chain("0", tiles);
    read_chain("1", compiled);
    assert_memory_equal(tiles, compiled, sizeof tiles);
}

typedef struct runner {
    jg_array *x;
    const float *expected;
    bool right;
} runner;

static void *run_often(void *context)
{
    runner *r = context;
    float *got = malloc(SIZE * sizeof *got);
    r->right = got != NULL;
    for (int i = 0; i < ROUNDS && r->right; ++i) {
        jg_array *y = NULL;
        r->right = chain(r->x, &y) == JG_OK && read_elements(y, got) == JG_OK &&
                   memcmp(got, r->expected, SIZE * sizeof *got) == 0;
        jg_array_release(y);
    }
    free(got);
    return NULL;
}

/* Long enough for the swap to come somewhere in between. */
static void what_runs_often_is_swapped_without_a_trace(void **state)
{
    static float expected[SIZE];
    runner runners[THREADS];
    (void)state;
    read_chain("0", expected);
    jg_array *x = leaf("auto");
    jg_array *flat;
    assert_ok(jg_reshape(x, SHAPE(1, SIZE), &flat));
    for (int i = 0; i < THREADS; ++i)
        runners[i] = (runner){.x = i == 0 ? flat : x, .expected = expected};
    run_threads(THREADS, run_often, runners, sizeof runners[0]);
    for (int i = 0; i < THREADS; ++i)
        assert_true(runners[i].right);
    jg_array_release(flat);
    jg_array_release(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_at_once_it_gives_the_same_bits),
        cmocka_unit_test(what_runs_often_is_swapped_without_a_trace),
    };
    for (int i = 0; i < SIZE; ++i)
        data[i] = (float)(i % 4001 - 2000) / 700.0f;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
