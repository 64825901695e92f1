/* SPDX-License-Identifier: Apache-2.0 */
/* Deleters, ours and theirs, on other threads and after everything else has gone. */
#include "memory/memory.h"
#include "producer.h"

enum { THREADS = 4, ROUNDS = 300, LARGE = 1 << 17 };

static void *call_deleter(void *context)
{
    DLManagedTensorVersioned *tensor = *(DLManagedTensorVersioned **)context;
    tensor->deleter(tensor);
    return NULL;
}

TEST(our_deleter_runs_on_any_thread_after_the_array_has_gone)
{
    DLManagedTensorVersioned *out[THREADS];
    size_t active = jg_active_memory();
    for (int i = 0; i < THREADS; ++i) {
        jg_array *x = ones(100);
        assert_ok(jg_array_to_managed(x, JG_COPY_NEVER, &out[i]));
        jg_array_release(x);
    }
    assert_true(jg_active_memory() > active);
    run_threads(THREADS, call_deleter, out, sizeof *out);
    assert_int_equal(jg_active_memory(), active);
}

TEST(their_deleter_runs_once_when_an_evaluation_is_the_last_holder)
{
    static float data[LARGE];
    static const int64_t shape[] = {LARGE};
    for (int round = 0; round < 20; ++round) {
        producer own;
        jg_array *x, *y, *z;
        producer_init(&own);
        own.managed.dl_tensor.data = data;
        own.managed.dl_tensor.ndim = 1;
        own.managed.dl_tensor.strides = NULL;
        own.managed.dl_tensor.shape = (int64_t *)(uintptr_t)shape;
        assert_ok(take(&own, WAY_MANAGED, JG_COPY_NEVER, &x));
        assert_ok(jg_add(x, x, &y));
        assert_ok(jg_add(y, x, &z));
        jg_array_release(x);
        jg_array_release(y);
        assert_ok(jg_eval_async(1, &z));
        jg_array_release(z);
        jg_synchronize();
        assert_int_equal(own.deleted, 1);
    }
}

typedef struct importer {
    producer own;
    bool sound;
} importer;

/* In, out, in again, computed with, and let go of. */
static void *exchange(void *context)
{
    importer *self = context;
    producer_init(&self->own);
    self->sound = true;
    for (int i = 0; i < ROUNDS; ++i) {
        jg_array *x = NULL, *back = NULL, *sum = NULL;
        DLManagedTensorVersioned *out = NULL;
        self->sound &= take(&self->own, (way)(i % WAY_COUNT), JG_COPY_NEVER, &x) == JG_OK;
        self->sound &= jg_array_to_managed(x, JG_COPY_NEVER, &out) == JG_OK;
        jg_array_release(x);
        self->sound &= jg_array_take_managed(out, JG_COPY_NEVER, &back, NULL) == JG_OK;
        self->sound &= jg_add(back, back, &sum) == JG_OK;
        jg_array_release(back);
        self->sound &= (i % 2 ? jg_eval : jg_eval_async)(1, &sum) == JG_OK;
        jg_array_release(sum);
    }
    return NULL;
}

TEST(many_threads_exchange_at_once)
{
    static importer importers[THREADS];
    run_threads(THREADS, exchange, importers, sizeof *importers);
    jg_synchronize();
    for (int i = 0; i < THREADS; ++i) {
        assert_true(importers[i].sound);
        assert_int_equal(importers[i].own.deleted, ROUNDS);
    }
}

/* One array exported by all at once; each gets a tensor of its own. */
static void *export_and_delete(void *context)
{
    jg_array *x = *(jg_array **)context;
    for (int i = 0; i < ROUNDS; ++i) {
        DLManagedTensor *out;
        if (jg_array_to_managed_legacy(x, JG_COPY_NEVER, &out) == JG_OK)
            out->deleter(out);
    }
    jg_array_release(x);
    return NULL;
}

TEST(one_array_is_exported_by_all_at_once)
{
    jg_array *x = ones(100), *sum, *holders[THREADS];
    assert_ok(jg_add(x, x, &sum));
    for (int i = 0; i < THREADS; ++i)
        holders[i] = jg_array_retain(sum);
    run_threads(THREADS, export_and_delete, holders, sizeof *holders);
    assert_true(*(const float *)address_of(sum) == 2);
    release_all(2, (jg_array *[]){x, sum});
}
