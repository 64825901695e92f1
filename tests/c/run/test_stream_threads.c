/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with streams of their own build on, evaluate, export and drop the same arrays, so that
 * leaves change hands, cross streams and are taken over while others look at them. Every array is 2
 * everywhere, however it came about. */
#include "../arrays.h"
#include "memory/memory.h"

enum { THREADS = 6, ROUNDS = 150, SHARED = 5, LARGE = 1 << 16 };

static struct {
    pthread_mutex_t lock;
    jg_array *arrays[SHARED];
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

static jg_array *borrow(int at)
{
    pthread_mutex_lock(&pool.lock);
    jg_array *x = jg_array_retain(pool.arrays[at]);
    pthread_mutex_unlock(&pool.lock);
    return x;
}

static void put(int at, jg_array *x)
{
    pthread_mutex_lock(&pool.lock);
    jg_array *old = pool.arrays[at];
    pool.arrays[at] = x;
    pthread_mutex_unlock(&pool.lock);
    jg_array_release(old);
}

/* (x + y) * 0.5, which is 2 again. */
static jg_status mix(jg_array *x, jg_array *y, jg_array **out)
{
    jg_array *sum, *half;
    JG_TRY(jg_add(x, y, &sum));
    jg_status status = jg_array_from_number(float_number(0.5), sum, &half);
    if (status == JG_OK) {
        status = jg_multiply(sum, half, out);
        jg_array_release(half);
    }
    jg_array_release(sum);
    return status;
}

static bool are_two(const float *data, int64_t size)
{
    bool all = true;
    for (int64_t i = 0; i < size; ++i)
        all &= data[i] == 2;
    return all;
}

static bool view_is_sound(jg_array *x)
{
    jg_view view;
    return jg_array_view(x, &view) == JG_OK && are_two(view.data, jg_array_size(x));
}

static bool export_is_sound(jg_array *x)
{
    DLManagedTensorVersioned *tensor;
    if (jg_array_to_managed(x, JG_COPY_IF_NEEDED, &tensor) != JG_OK)
        return false;
    bool sound = are_two(tensor->dl_tensor.data, jg_array_size(x));
    tensor->deleter(tensor);
    return sound;
}

typedef struct worker {
    uint64_t seed;
    bool sound;
} worker;

static bool take_a_turn(uint64_t *seed)
{
    jg_array *x = borrow((int)(next_random(seed) % SHARED)),
             *y = borrow((int)(next_random(seed) % SHARED)), *mixed = NULL;
    bool sound = mix(x, y, &mixed) == JG_OK;
    jg_array_release(x);
    switch (sound ? next_random(seed) % 5 : 5) {
    case 0: sound &= jg_eval_async(1, &mixed) == JG_OK; break;
    case 1: sound &= jg_eval(1, &mixed) == JG_OK; break;
    case 2: sound &= view_is_sound(mixed); break;
    case 3: sound &= export_is_sound(mixed) && export_is_sound(y); break;
    default: break; /* left for somebody else to compute */
    }
    jg_array_release(y);
    if (mixed != NULL)
        put((int)(next_random(seed) % SHARED), mixed);
    return sound;
}

static void *work(void *context)
{
    worker *own = context;
    jg_stream *stream;
    own->sound = jg_stream_new(jg_device_default(), &stream) == JG_OK;
    if (!own->sound)
        return NULL;
    jg_stream_set_default(stream);
    for (int i = 0; i < ROUNDS; ++i)
        own->sound &= take_a_turn(&own->seed);
    jg_stream_synchronize(stream);
    jg_stream_release(stream);
    return NULL;
}

static void run_workers(int64_t size)
{
    worker workers[THREADS];
    for (int i = 0; i < SHARED; ++i) {
        jg_array *one = ones(size);
        assert_ok(jg_add(one, one, &pool.arrays[i]));
        jg_array_release(one);
    }
    for (int i = 0; i < THREADS; ++i)
        workers[i] = (worker){.seed = (uint64_t)(size + i)};
    run_threads(THREADS, work, workers, sizeof *workers);
    for (int i = 0; i < THREADS; ++i)
        assert_true(workers[i].sound);
    for (int i = 0; i < SHARED; ++i)
        assert_true(view_is_sound(pool.arrays[i]));
    release_all(SHARED, pool.arrays);
    jg_synchronize();
}

TEST(small_arrays_change_hands)
{
    run_workers(64);
}

TEST(large_arrays_change_hands)
{
    size_t active = jg_active_memory();
    run_workers(LARGE);
    assert_int_equal(jg_active_memory(), active);
}

static int take_three_threads(void **state)
{
    (void)state;
    return jg_option_set("num_threads", "3") == JG_OK ? 0 : -1;
}
BEFORE_ALL(take_three_threads)
