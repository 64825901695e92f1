/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of one record on several threads, and threads that evaluate, read, describe and drop the
 * results of the same calls at once. */
#include "../arrays.h"
#include <joggle/ops.h>
#include <joggle/transform.h>

enum { THREADS = 4, TURNS = 80, RESULTS = 3 };

/* What all threads share: a record, an argument in memory, and the results of calls that nobody has
 * asked for yet, of which each thread has references of its own. */
typedef struct shared {
    jg_record *record;
    jg_array *x;
    atomic_int arrived;
    jg_array *pending[TURNS][RESULTS];
} shared;

/* x -> 2x, 2x + 1, and the transpose of (2x + 1)^2 */
static void step(jg_array *x, jg_array **outputs)
{
    jg_array *square, *one;
    assert_ok(jg_full(JG_DTYPE_FLOAT32, SCALAR, float_number(1), &one));
    assert_ok(jg_add(x, x, &outputs[0]));
    assert_ok(jg_add(outputs[0], one, &outputs[1]));
    assert_ok(jg_multiply(outputs[1], outputs[1], &square));
    assert_ok(jg_permute_dims(square, 2, (const int64_t[]){1, 0}, &outputs[2]));
    release_all(2, (jg_array *[]){square, one});
}

static jg_record *record_step(jg_array *x)
{
    jg_array *placeholder, *outputs[RESULTS];
    jg_recording *recording;
    jg_record *record;
    assert_ok(jg_recording_begin("step", 1, &x, &placeholder, &recording));
    step(placeholder, outputs);
    assert_ok(jg_recording_end(recording, RESULTS, outputs, &record));
    jg_array_release(placeholder);
    release_all(RESULTS, outputs);
    return record;
}

static void assert_result(jg_array *x, int number)
{
    static const double expected[RESULTS][4] = {{2, 4, 6, 8}, {3, 5, 7, 9}, {9, 49, 25, 81}};
    assert_values(x, 4, expected[number]);
}

/* What a thread does with the results of a call, which it has references to. */
static void use(jg_array **results, int way)
{
    jg_array *sum;
    char *text;
    switch (way % 5) {
    case 0: assert_ok(jg_eval(RESULTS, results)); break;
    case 1: assert_ok(jg_eval(1, &results[way % RESULTS])); break;
    case 2:
        assert_ok(jg_add(results[0], results[1], &sum));
        assert_values(sum, 4, (const double[]){5, 9, 13, 17});
        jg_array_release(sum);
        break;
    case 3:
        assert_ok(jg_explain(1, &results[2], &text));
        jg_text_release(text);
        break;
    default: break; /* some are dropped before they are asked for */
    }
    if (way % 2 == 0)
        for (int i = 0; i < RESULTS; ++i)
            assert_result(results[i], i);
}

static void *work(void *context)
{
    shared *all = *(shared **)context;
    int number = atomic_fetch_add(&all->arrived, 1);
    for (int i = 0; i < TURNS; ++i) {
        jg_array *own[RESULTS], *none[RESULTS] = {NULL};
        use(all->pending[i], i + number);
        for (int j = 0; j < RESULTS; ++j)
            jg_array_release(all->pending[i][j]); /* this thread's reference */
        assert_ok(jg_record_call(all->record, 1, &all->x, own));
        none[i % RESULTS] = own[i % RESULTS];
        own[i % RESULTS] = NULL;
        jg_array_release(none[i % RESULTS]);
        for (int j = 0; j < RESULTS; ++j)
            if (own[j] != NULL)
                assert_result(own[j], j);
        release_all(RESULTS, own);
    }
    return NULL;
}

TEST(threads_that_share_calls_do_not_meet)
{
    static shared all;
    shared *context = &all;
    all.x = counting(JG_DTYPE_FLOAT32, SHAPE(2, 2));
    jg_record *record = record_step(all.x);
    all.record = record;
    for (int i = 0; i < TURNS; ++i) {
        assert_ok(jg_record_call(record, 1, &all.x, all.pending[i]));
        for (int j = 0; j < RESULTS; ++j)
            for (int k = 1; k < THREADS; ++k)
                (void)jg_array_retain(all.pending[i][j]);
    }
    run_threads(THREADS, work, &context, 0);
    jg_record_release(record);
    jg_array_release(all.x);
}
