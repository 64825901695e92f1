/* SPDX-License-Identifier: Apache-2.0 */
/* Plans by what they are for. The cache keeps those used last; their number and the memory of their
 * tables are bounded. A plan that is dropped lives as long as it is in use. Plans are immutable, so
 * threads share them. A plan that is larger than the bound is kept alone. */
#include "fft/plans.h"

/* KEPT: plans. MAX_NBYTES: of all their tables. */
enum { KEPT = 48, MAX_NBYTES = 128 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t hooked = PTHREAD_ONCE_INIT;
static fft_plan *kept[KEPT];
static uint64_t clock_ticks;

/* The lock is held while the process forks, so that the child finds it free and the list whole. */
static void install_hooks(void)
{
    fork_hold(&lock);
}

/* exp(-2 pi i k / n) / 2i, for the half of a sequence of n real numbers. Division by 2i is a
 * quarter turn and a half: (im - i re) / 2. */
static jg_status init_factors(fft_plan *plan, const fft_loops *loops)
{
    int64_t count = plan->complex_n / 2 + 1;
    size_t nbytes = (size_t)count * 2 * loops->real_nbytes;
    plan->factors = base_alloc_aligned(64, size_whole_lines(nbytes));
    if (plan->factors == NULL)
        return base_nomem(nbytes, "a transform's factors");
    plan->nbytes += nbytes;
    for (int64_t k = 0; k < count; ++k) {
        double re, im;
        fft_root_of(k, plan->n, &re, &im);
        fft_put_real(loops, plan->factors, 2 * k, im / 2);
        fft_put_real(loops, plan->factors, 2 * k + 1, -re / 2);
    }
    return JG_OK;
}

/* After a failure the objects that were made belong to the plan and are freed by destroy. */
static jg_status init(fft_plan *plan, const fft_transform *transform, bool across)
{
    const fft_loops *loops = fft_loops_chosen(transform->single);
    atomic_init(&plan->refs, 1);
    plan->kind = transform->kind;
    plan->single = transform->single;
    plan->across = across;
    plan->n = transform->n;
    plan->complex_n = fft_plan_complex_n(transform->kind, transform->n);
    JG_TRY(across ? fft_lanes_init(&plan->lanes, loops, plan->complex_n)
                  : fft_line_init(&plan->line, loops, plan->complex_n));
    plan->nbytes += plan->lanes.nbytes + plan->line.nbytes;
    plan->work_nbytes =
        across ? 2 * fft_lanes_area(loops, plan->complex_n) : fft_along_work(transform);
    return plan->complex_n != plan->n ? init_factors(plan, loops) : JG_OK;
}

static void destroy(fft_plan *plan)
{
    fft_lanes_clear(&plan->lanes);
    fft_line_clear(&plan->line);
    base_free(plan->factors);
    base_free(plan);
}

static jg_status make(const fft_transform *transform, bool across, fft_plan **out)
{
    fft_plan *plan = base_alloc_zeroed(sizeof *plan);
    if (plan == NULL)
        return base_nomem(sizeof *plan, "a transform's plan");
    jg_status status = init(plan, transform, across);
    if (status == JG_OK)
        *out = plan;
    else
        destroy(plan);
    return status;
}

void fft_plan_release(fft_plan *plan)
{
    if (plan != NULL && atomic_fetch_sub(&plan->refs, 1) == 1)
        destroy(plan);
}

static bool is_for(const fft_plan *plan, const fft_transform *transform, bool across)
{
    return plan != NULL && plan->n == transform->n && plan->kind == transform->kind &&
           plan->single == transform->single && plan->across == across;
}

static fft_plan *look_up(const fft_transform *transform, bool across)
{
    for (int i = 0; i < KEPT; ++i)
        if (is_for(kept[i], transform, across)) {
            kept[i]->used = ++clock_ticks;
            atomic_fetch_add(&kept[i]->refs, 1);
            return kept[i];
        }
    return NULL;
}

/* A free slot, or that of the plan used longest ago. */
static int oldest(void)
{
    int found = 0;
    for (int i = 0; i < KEPT && kept[found] != NULL; ++i)
        if (kept[i] == NULL || kept[i]->used < kept[found]->used)
            found = i;
    return found;
}

/* Makes memory for a plan by dropping those used longest ago. */
static void drop_oldest(size_t nbytes)
{
    for (;;) {
        size_t total = nbytes;
        int victim = -1;
        for (int i = 0; i < KEPT; ++i) {
            if (kept[i] == NULL)
                continue;
            total += kept[i]->nbytes;
            if (victim < 0 || kept[i]->used < kept[victim]->used)
                victim = i;
        }
        if (total <= MAX_NBYTES || victim < 0)
            return;
        fft_plan_release(kept[victim]);
        kept[victim] = NULL;
    }
}

static void keep(fft_plan *plan)
{
    drop_oldest(plan->nbytes);
    int at = oldest();
    fft_plan_release(kept[at]);
    kept[at] = plan;
    plan->used = ++clock_ticks;
    atomic_fetch_add(&plan->refs, 1);
}

jg_status fft_plan_find(const fft_transform *transform, bool across, fft_plan **out)
{
    fft_plan *made = NULL;
    pthread_once(&hooked, install_hooks);
    pthread_mutex_lock(&lock);
    fft_plan *found = look_up(transform, across);
    pthread_mutex_unlock(&lock);
    if (found == NULL) {
        JG_TRY(make(transform, across, &made)); /* without the lock: it may take long */
        pthread_mutex_lock(&lock);
        found = look_up(transform, across);
        if (found == NULL)
            /* If another thread has made it meanwhile, this one is dropped. */
            keep(made);
        pthread_mutex_unlock(&lock);
    }
    if (found != NULL)
        fft_plan_release(made);
    *out = found != NULL ? found : made;
    return JG_OK;
}

void fft_drop_plans(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT; ++i) {
        fft_plan_release(kept[i]);
        kept[i] = NULL;
    }
    pthread_mutex_unlock(&lock);
    fft_work_drop();
}
