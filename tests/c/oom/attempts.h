/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of a scenario fails once: each time the failure is told as NOMEM, nothing leaks,
 * nothing is half taken, and the same work succeeds afterwards. Matrices come in stacks of as many
 * as the size, which passes 1,000: as wide as it, they would take gigabytes.
 *
 * An attempt runs on a thread of its own, whose free lists start empty and go with it, and on a
 * size of its own, so that it is planned anew. A plan that was made stays in the cache: after a
 * failed attempt the same work is done again, and then as many blocks must live as after work
 * that never failed. */
#ifndef JG_TESTS_OOM_H
#define JG_TESTS_OOM_H

#include "../arrays.h"

typedef jg_status scenario(int64_t size);

/* Float32 numbers that are not set, and 0, 1, ... as int64. */
static inline jg_status array_of(int64_t size, jg_array **out)
{
    return jg_empty(JG_DTYPE_FLOAT32, 1, &size, out);
}

static inline jg_status numbers_of(int64_t size, jg_array **out)
{
    return jg_arange(JG_DTYPE_INT64, integer_number(0), integer_number(size), integer_number(1),
                     out);
}

/* Called on the thread of an attempt before it; may be NULL. */
static void (*before_attempt)(void);

typedef struct attempt {
    scenario *work;
    int64_t size, nth;
    jg_status status;
    bool reached; /* there were as many allocations as nth */
} attempt;

/* Whether the allocation that is to fail has not come. Other threads allocate too, so two attempts
 * differ by a few allocations, and it may be a few away. */
static bool is_to_come(void)
{
    enum { FEW = 32 };
    bool comes = false;
    for (int i = 0; i < FEW && !comes; ++i) {
        void *probe = base_alloc(1);
        comes = probe == NULL;
        base_free(probe);
    }
    return comes;
}

static void *run_attempt(void *context)
{
    attempt *own = context;
    if (before_attempt != NULL)
        before_attempt();
    base_fail_nth(own->nth);
    own->status = own->work(own->size);
    own->reached = !is_to_come();
    base_fail_nth(0);
    return NULL;
}

/* gives: by how many the live blocks have grown; *own is filled in */
static int64_t try_with(attempt *own, scenario *work, int64_t size, int64_t nth)
{
    int64_t before = base_live_blocks();
    *own = (attempt){.work = work, .size = size, .nth = nth};
    run_threads(1, run_attempt, own, sizeof *own);
    assert_ok(jg_synchronize()); /* a stream's thread releases what its last task has held */
    jg_clear_cache();
    return base_live_blocks() - before;
}

/* Returns how many allocations have failed. */
static int64_t fail_every_allocation(scenario *work)
{
    static int64_t size = 50;
    attempt own;
    /* Threads of the pool keep memory of their own from the first chunk that they take, which may
     * be in any attempt. */
    assert_ok(jg_set_num_threads(1));
    try_with(&own, work, size++, 0); /* grows what evaluations keep between them */
    assert_ok(own.status);
    jg_clear_cache();
    int64_t planned = try_with(&own, work, size++, 0);
    assert_ok(own.status);
    for (int64_t nth = 1;; ++nth, ++size) {
        int64_t grown = try_with(&own, work, size, nth);
        assert_true(grown >= 0 && grown <= planned);
        if (!own.reached) {
            assert_ok(own.status);
            return nth - 1;
        }
        assert_true(own.status == JG_OK || own.status == JG_ERR_NOMEM);
        grown += try_with(&own, work, size, 0);
        assert_ok(own.status);
        assert_int_equal(grown, planned);
    }
}

/* The thread that waits for a device's marks is begun by the first that is not set soon, which may
 * come in any attempt. This begins it before them. */
static inline jg_status begin_follower(jg_device_id device)
{
    jg_array *x = NULL, *there = NULL;
    jg_status status;
    JG_TRY_DONE(numbers_of(2, &x));
    JG_TRY_DONE(jg_to_device(x, device, &there));
    JG_TRY_DONE(jg_eval_async(1, &there));
    JG_TRY_DONE(jg_synchronize());
done:
    release_all(2, (jg_array *[]){x, there});
    return status;
}

/* A function of a size, and the test that it can do with every allocation failing. */
#define SCENARIO(name)                                                                             \
    static jg_status name(int64_t size);                                                           \
    TEST(name##_with_every_allocation_failing)                                                     \
    {                                                                                              \
        assert_true(fail_every_allocation(name) > 0);                                              \
    }                                                                                              \
    static jg_status name(int64_t size)

#endif
