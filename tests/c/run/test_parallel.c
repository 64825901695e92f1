/* SPDX-License-Identifier: Apache-2.0 */
/* Large launches are shared between threads, small ones are not. A tier of the test's own runs the
 * units of the real one and makes them wait until a second thread has come. */
#include "../arrays.h"
#include "plan/steps.h"
#include "tile/tile.h"
#include <stdatomic.h>
#include <time.h>

enum { SMALL = 1 << 12, LARGE = 1 << 20, SECONDS = 30 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t came;
    pthread_t threads[8];
    int count, wanted;
} meeting = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};

static void note_thread(void)
{
    for (int i = 0; i < meeting.count; ++i)
        if (pthread_equal(meeting.threads[i], pthread_self()))
            return;
    meeting.threads[meeting.count++] = pthread_self();
    pthread_cond_broadcast(&meeting.came);
}

static void run_together(const executor_code *code, void *const *addresses,
                         const jg_scalar *scalars, void *scratch, int64_t first, int64_t last)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SECONDS;
    pthread_mutex_lock(&meeting.lock);
    note_thread();
    while (meeting.count < meeting.wanted &&
           pthread_cond_timedwait(&meeting.came, &meeting.lock, &end) == 0)
        continue;
    pthread_mutex_unlock(&meeting.lock);
    tile_executor.run(code, addresses, scalars, scratch, first, last);
}

/* How many threads ran exp(x) of that size; each waits for as many as are wanted. */
static int count_threads(int64_t size, int wanted)
{
    jg_array *x = ones(size), *y;
    meeting.count = 0;
    meeting.wanted = wanted;
    assert_ok(jg_exp(x, &y));
    assert_ok(jg_eval(1, &y));
    release_all(2, (jg_array *[]){x, y});
    return meeting.count;
}

TEST(a_large_launch_is_shared_by_all_threads)
{
    for (int threads = 2; threads <= 4; ++threads) {
        assert_ok(jg_set_num_threads(threads));
        assert_int_equal(jg_num_threads(), threads);
        assert_int_equal(count_threads(LARGE, threads), threads);
    }
}

TEST(fewer_threads_than_there_were_are_used)
{
    assert_ok(jg_set_num_threads(1));
    assert_int_equal(count_threads(LARGE, 1), 1);
    assert_ok(jg_set_num_threads(2));
    for (int i = 0; i < 10; ++i)
        assert_int_equal(count_threads(LARGE, 2), 2);
}

TEST(a_small_launch_stays_on_the_callers_thread)
{
    assert_ok(jg_set_num_threads(2));
    assert_int_equal(count_threads(SMALL, 1), 1);
    assert_true(pthread_equal(meeting.threads[0], pthread_self()));
}

TEST(a_number_of_threads_that_cannot_be_is_refused)
{
    assert_fails_saying(JG_ERR_VALUE, "count: got 0", jg_set_num_threads(0));
    assert_fails_saying(JG_ERR_VALUE, "count: got 257", jg_set_num_threads(257));
}

static int run_in_turn(void **state)
{
    static program_executor tier;
    (void)state;
    tier = tile_executor;
    tier.run = run_together;
    plan_set_executor(&tier);
    return 0;
}
BEFORE_ALL(run_in_turn)
