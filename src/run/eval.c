/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluation: one lock over walking, planning and giving storage; large work runs outside it.
 *
 * Lock order: the evaluation lock comes first; the locks of streams, events, the cache and the
 * options may be taken under it. Foreign deleters never run under it (memory_defer_begin). */
#include "run/frame.h"
#include "run/targets.h"
#include "run/trace.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static graph_walk walk; /* guarded by the lock, as the next; kept, so that walks need no heap */
static base_vec key;

/* Another thread has the lock. Only a thread that has to wait for it records a span. */
JG_COLD static void lock_later(void)
{
    int64_t start = trace_start();
    leave_before_waiting();
    pthread_mutex_lock(&lock);
    if (start != 0)
        trace_add("wait", "wait for the lock", start, NULL);
}

void run_lock(void)
{
    memory_defer_begin(); /* before the lock: foreign deleters may want to evaluate themselves */
    if (JG_UNLIKELY(pthread_mutex_trylock(&lock) != 0))
        lock_later();
}

void run_unlock(void)
{
    pthread_mutex_unlock(&lock);
    memory_defer_end();
}

/* The fork hooks hold the lock over a fork, so that the child finds the graph whole. */
static void lock_for_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* The option is read again when some option has changed. */
static bool is_fusing(void)
{
    static unsigned generation; /* guarded by the lock */
    static bool fusing;
    unsigned now = option_generation();
    if (JG_UNLIKELY(now != generation)) {
        fusing = option_flag(OPTION_FUSE);
        generation = now;
    }
    return fusing;
}

void run_install_hooks(void)
{
    /* This comes first: fork hooks take locks in the reverse order of their installation. */
    stream_install_hooks();
    run_suspend_install_hooks();
    pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}

static bool all_have_storage(int count, jg_array *const *arrays)
{
    for (int i = 0; i < count; ++i)
        if (!node_has_storage(arrays[i]))
            return false;
    return true;
}

/* Waits for all arrays even if one has failed, because the caller may drop memory that they read.
 * It raises the first failure, and an interrupt at once. */
static jg_status wait_all(int count, jg_array *const *arrays, unsigned begun)
{
    jg_status status = JG_OK;
    for (int i = 0; i < count; ++i) {
        const jg_array *root = node_root(arrays[i]);
        if (root->event == NULL)
            continue;
        jg_status waited = event_wait_interruptibly(root->event, begun);
        if (waited == JG_ERR_INTERRUPTED)
            return waited;
        if (status == JG_OK && !event_is_valid(root->event, root->buffer))
            status = waited;
    }
    return status;
}

/* A request for values. targets: NULL, or for each array the memory for its values, or NULL. */
typedef struct eval_request {
    walk_mode mode;
    int count;
    jg_array *const *arrays, *const *targets;
    bool wait;
} eval_request;

/* The evaluation lock is held, so that runs are queued in the order in which they were scheduled:
 * each waits for earlier ones only, and one that the stream had behind the run that waits for it
 * would never come. gives: what is left for the caller to run without the lock; the
 * event of the last run, with a reference, or NULL where all has run */
static jg_status schedule(const eval_request *request, run_evaluation **last, jg_event **event)
{
    *last = NULL;
    *event = NULL;
    /* Asked again, as another thread may have computed them. */
    if (all_have_storage(request->count, request->arrays))
        return JG_OK;
    jg_status status = request->targets != NULL
                           ? run_targets_begin(request->count, request->arrays, request->targets)
                           : JG_OK;
    if (status == JG_OK)
        status = run_schedule_arrays(&walk, &key, is_fusing(), request->mode, request->count,
                                     request->arrays, last);
    run_targets_end();
    JG_TRY(status);
    if (*last != NULL)
        *event = event_retain((*last)->task.event);
    if (*last == NULL || (request->wait && stream_is_idle(stream_at((*last)->stream))))
        return JG_OK;
    if (run_submit(*last))
        *last = NULL;
    return JG_OK;
}

/* A wait may be interrupted; then the run that the call has begun is stopped. The reference to the
 * event was taken before the run began, so the event is that run's. */
static jg_status wait_for_run(jg_event *event, int count, jg_array *const *arrays, unsigned begun)
{
    jg_status status = wait_all(count, arrays, begun);
    if (status == JG_ERR_INTERRUPTED && !event_is_set(event))
        event_stop(event);
    return status;
}

/* Runs what the scheduler left to the caller: the last run, which computes the arrays. */
static jg_status complete(run_evaluation *last, jg_event *event, const eval_request *request,
                          unsigned begun)
{
    if (last != NULL)
        run_finish(last, request->wait ? &begun : NULL);
    return request->wait ? wait_for_run(event, request->count, request->arrays, begun) : JG_OK;
}

/* With the evaluation lock, which is released while blocks are allocated that the schedule lacks.
 */
static jg_status schedule_locked(const eval_request *request, run_evaluation **last,
                                 jg_event **event)
{
    for (;;) {
        run_lock();
        jg_status status = schedule(request, last, event);
        run_unlock();
        if (JG_LIKELY(status != JG_ERR_NOMEM || !reserve_lacks()))
            return status;
        if ((status = reserve_fill()) != JG_OK)
            return run_name_failure(node_root(request->arrays[0])->label, status);
    }
}

/* Raises failures of scheduling and of small work, which has run when it returns. Failures of work
 * that runs without the lock are in its event, and wait_all raises them. */
static jg_status evaluate(const eval_request *request, unsigned begun)
{
    run_evaluation *last;
    jg_event *event;
    jg_status status = schedule_locked(request, &last, &event);
    reserve_clear();
    if (status == JG_OK)
        status = event != NULL   ? complete(last, event, request, begun)
                 : request->wait ? wait_all(request->count, request->arrays, begun)
                                 : JG_OK;
    event_release(event);
    return status;
}

JG_COLD static jg_status evaluate_traced(const eval_request *request, unsigned begun)
{
    int64_t start = run_trace_enter();
    jg_status status = evaluate(request, begun);
    run_trace_eval(start, request->count, request->wait);
    return status;
}

/* What is computed for a caller that is interrupted goes on, though nobody waits for it. */
static jg_status resume_later(int count, jg_array *const *arrays)
{
    for (int i = 0; i < count; ++i)
        if (node_has_storage(arrays[i]))
            JG_TRY(run_resume_later(node_root(arrays[i])));
    return JG_OK;
}

static jg_status answer(const eval_request *request)
{
    unsigned begun = interrupt_begin();
    jg_status status = request->wait ? JG_OK : resume_later(request->count, request->arrays);
    if (status != JG_OK)
        return status;
    if (!all_have_storage(request->count, request->arrays))
        status = trace_is_on() ? evaluate_traced(request, begun) : evaluate(request, begun);
    else if (request->wait)
        status = wait_all(request->count, request->arrays, begun);
    if (status == JG_OK && request->wait)
        status =
            memory_works_end_finished(); /* the values may be those of a kernel that has failed */
    return JG_LIKELY(status == JG_OK) ? JG_OK : error_of_evaluation(status);
}

jg_status run_eval(int count, jg_array *const *arrays, bool wait)
{
    eval_request request = {WALK_ASKED, count, arrays, NULL, wait};
    return answer(&request);
}

jg_status run_eval_into(int count, jg_array *const *arrays, jg_array *const *targets)
{
    eval_request request = {WALK_ASKED, count, arrays, targets, true};
    return answer(&request);
}

jg_status run_require(jg_array *x)
{
    const jg_array *root = node_root(x);
    if (JG_UNLIKELY(node_state(root) != JG_ARRAY_AVAILABLE))
        return run_eval(1, &x, true);
    if (JG_UNLIKELY(buffer_is_of_file(root->buffer)))
        return mapping_check(mapping_at(root->buffer->handle));
    return JG_OK;
}

/* The queue that the stream has to come after: the one that was given the work before the event; of
 * another library's memory, which joggle's queues wait for, the calling thread's. NULL where the
 * values are there. */
static jg_status find_queue(const jg_array *root, int device, void **out)
{
    const void *queue = NULL;
    *out = NULL;
    if (root->event != NULL)
        JG_TRY(event_wait_submitted(root->event, interrupt_begin(), &queue));
    else if (buffer_is_foreign(root->buffer))
        return stream_queue(stream_at(stream_for(device)), out);
    *out = (void *)(uintptr_t)queue;
    return JG_OK;
}

jg_status run_lead(jg_array *x, int64_t stream)
{
    jg_device *device = device_at(node_device(x));
    void *queue;
    bool ordered = stream != JG_STREAM_UNORDERED;
    if (ordered)
        JG_TRY(device_stream_check(device, stream));
    JG_TRY(run_eval(1, &x, false));
    if (!ordered)
        return JG_OK;
    if (buffer_is_place(node_root(x)->buffer))
        JG_TRY(memory_works_lead(device, stream));
    JG_TRY(find_queue(node_root(x), node_device(x), &queue));
    return queue != NULL ? device_stream_lead(device, queue, stream) : JG_OK;
}

jg_status run_sweep(int count, jg_array *const *arrays, unsigned begun)
{
    eval_request request = {WALK_SWEPT, count, arrays, NULL, true};
    return trace_is_on() ? evaluate_traced(&request, begun) : evaluate(&request, begun);
}

jg_status jg_eval(int count, jg_array *const *arrays)
{
    JG_TRY(graph_check_arrays("arrays", count, arrays));
    return run_eval(count, arrays, true);
}

jg_status jg_eval_leaving(int count, jg_array *const *arrays, void (*leave)(void *context),
                          void *context)
{
    JG_TRY(graph_check_arrays("arrays", count, arrays));
    base_leaver before = leaver_set((base_leaver){leave, context});
    jg_status status = run_eval(count, arrays, true);
    leaver_set(before);
    return status;
}

jg_status jg_eval_async(int count, jg_array *const *arrays)
{
    JG_TRY(graph_check_arrays("arrays", count, arrays));
    return run_eval(count, arrays, false);
}

/* The walk of an evaluation of the arrays, for graph_walk_end also on failure. The evaluation lock
 * is held. */
static jg_status walk_described(int count, jg_array *const *arrays)
{
    uint64_t live;
    deferred_call *call = deferred_lone(count, arrays, &live);
    if (call != NULL)
        deferred_call_retain(call);
    jg_status status = graph_walk_from(&walk, WALK_ASKED, count, arrays);
    if (call != NULL && status == JG_OK)
        run_discount_call(&walk, call);
    if (call != NULL)
        deferred_call_release(call);
    return status;
}

jg_status jg_export_dot(int count, jg_array *const *arrays, char **out)
{
    base_text text = {0};
    JG_TRY(graph_check_arrays("arrays", count, arrays));
    run_lock();
    jg_status status = walk_described(count, arrays);
    if (status == JG_OK)
        status = plan_write_dot(&walk, is_fusing(), &text);
    graph_walk_end(&walk);
    run_unlock();
    if (status == JG_OK)
        status = text_finish(&text, out);
    text_clear(&text);
    return status;
}

jg_status jg_explain(int count, jg_array *const *arrays, char **out)
{
    base_text text = {0};
    jg_plan *plan = NULL;
    JG_TRY(graph_check_arrays("arrays", count, arrays));
    run_lock();
    jg_status status = walk_described(count, arrays);
    if (status == JG_OK)
        status = plan_find(&walk, is_fusing(), &key, &plan);
    if (status == JG_OK) {
        plan_retain(plan);
        plan_leave(plan);
    }
    graph_walk_end(&walk);
    run_unlock();
    if (status == JG_OK)
        status = plan_write_text(plan, &text);
    plan_release(plan);
    if (status == JG_OK)
        status = text_finish(&text, out);
    text_clear(&text);
    return status;
}

void jg_text_release(char *text)
{
    base_free(text);
}
