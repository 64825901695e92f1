/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that compute on CUDA at once, each on a stream of its own or all on one, and hand arrays
 * over to another library's streams. */
#include "fake_driver.h"

#include "../arrays.h"
#include "memory/memory.h"
#include "stream/stream.h"

enum { COUNT = 300, THREADS = 3, TURNS = 12 };

/* One thread's part. */
typedef struct worker {
    jg_stream *stream; /* NULL: the one that all share */
    void *theirs;
    float first;
    bool is_right;
} worker;

static int open_fake(void **state)
{
    jg_device *device;
    (void)state;
    fake_open();
    fake.delay(20);
    return device_require(CUDA_0, &device) == JG_OK ? 0 : -1;
}

static jg_status compute(float first, jg_array **out)
{
    jg_array *x, *y, *z;
    JG_TRY(jg_full(JG_DTYPE_FLOAT32, SHAPE(COUNT), float_number(first), &x));
    jg_status status = jg_to_device(x, CUDA_0, &y);
    jg_array_release(x);
    JG_TRY(status);
    status = jg_add(y, y, &z);
    jg_array_release(y);
    JG_TRY(status);
    status = jg_multiply(z, z, out);
    jg_array_release(z);
    return status;
}

/* Their stream reads the tensor while its owner lets go of it. */
static jg_status hand_over(worker *own, float first)
{
    DLManagedTensorVersioned *out;
    jg_device *device = device_find(CUDA_0);
    jg_array *x;
    float got[COUNT];
    JG_TRY(compute(first, &x));
    jg_status status =
        jg_array_to_managed_for(x, JG_COPY_IF_NEEDED, (int64_t)(intptr_t)own->theirs, &out);
    jg_array_release(x);
    JG_TRY(status);
    JG_TRY(cuda_enter(device, NULL));
    int error = CUDA_CALL_OF(cuda_of(device), fetch, got, (uint64_t)(uintptr_t)out->dl_tensor.data,
                             sizeof got, own->theirs);
    out->deleter(out);
    error = error == 0 ? CUDA_CALL_OF(cuda_of(device), stream_wait, own->theirs) : error;
    cuda_leave();
    for (int i = 0; i < COUNT; ++i)
        own->is_right = own->is_right && got[i] == 4 * first * first;
    return cuda_check(cuda_of(device), offsetof(cuda_api, fetch), error);
}

static void *work(void *context)
{
    worker *own = context;
    own->is_right = true;
    if (own->stream != NULL)
        jg_stream_set_default(own->stream);
    for (int i = 0; i < TURNS && own->is_right; ++i)
        if (hand_over(own, own->first + (float)i) != JG_OK)
            own->is_right = false;
    return NULL;
}

static void run(bool own_streams)
{
    worker workers[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        workers[i] = (worker){.theirs = fake.foreign_stream(0), .first = (float)(10 * i)};
        if (own_streams)
            assert_ok(jg_stream_new(CUDA_0, &workers[i].stream));
    }
    run_threads(THREADS, work, workers, sizeof *workers);
    assert_ok(memory_drain(NULL));
    for (int i = 0; i < THREADS; ++i) {
        assert_true(workers[i].is_right);
        jg_stream_release(workers[i].stream);
        fake.end_stream(workers[i].theirs);
    }
    assert_int_equal(fake_counts().contexts, 0);
}

TEST(threads_hand_over_what_they_compute_on_one_stream)
{
    run(false);
}

TEST(threads_hand_over_what_they_compute_on_their_own)
{
    run(true);
}

BEFORE_ALL(open_fake)
