/* SPDX-License-Identifier: Apache-2.0 */
/* The steps before memory is written in place, so that every lazy value that reads it gets the old
 * contents: nodes are evaluated, traced nodes get versions, and runs are waited for. */
#include "run/frame.h"

/* Evaluates what is listed, but for nodes that depend on placeholders and, while a function is
 * being traced, traced nodes, which get versions. Nodes that nothing but the list holds are fused
 * away and die with the references. */
static jg_status evaluate_listed(bool traced, unsigned begun)
{
    base_vec nodes = {0};
    jg_status status = reads_collect(traced ? NODE_IS_TRACED : NODE_READS_PLACEHOLDER, &nodes);
    jg_array **arrays = (jg_array **)(void *)nodes.data;
    int count = (int)(nodes.nbytes / sizeof *arrays);
    if (status == JG_OK && count > 0)
        status = run_sweep(count, arrays, begun);
    for (int i = 0; i < count; ++i)
        jg_array_release(arrays[i]);
    vec_clear(&nodes);
    return status;
}

/* Traced nodes read copies of what is about to be written. */
static jg_status keep_versions(const void *low, const void *high)
{
    base_vec versions = {0};
    run_lock();
    jg_status status = versions_find(low, high, &versions);
    run_unlock();
    place_version *items = (place_version *)(void *)versions.data;
    size_t count = versions.nbytes / sizeof *items;
    for (size_t i = 0; i < count && status == JG_OK; ++i) {
        jg_array *copy;
        status = run_copy(items[i].place, &copy);
        if (status != JG_OK)
            break;
        status = node_version(items[i].place, copy, &items[i].version);
        jg_array_release(copy);
    }
    if (status == JG_OK && count > 0) {
        run_lock();
        status = versions_take(&versions);
        run_unlock();
    }
    versions_clear(&versions);
    return status;
}

/* Nodes are evaluated once, as nodes that other threads build meanwhile have no order with the
 * write. Nodes that another thread was about to run are in a run once this thread has held the
 * evaluation lock. Runs may stop while this waits for them. */
JG_COLD static jg_status settle(const void *low, const void *high)
{
    unsigned begun = interrupt_begin();
    bool traced = traced_is_any();
    if (traced)
        JG_TRY(keep_versions(low, high));
    JG_TRY(evaluate_listed(traced, begun));
    for (;;) {
        JG_TRY(run_resume_all(begun));
        if (readers_wait(low, high))
            return JG_OK;
        if (interrupt_check(begun))
            return interrupt_fail();
    }
}

jg_status run_before_write(const void *low, const void *high)
{
    JG_TRY(traced_before_write(low, high));
    if (JG_LIKELY(!readers_overlap(low, high)))
        return JG_OK;
    jg_status status = settle(low, high);
    return status == JG_OK ? JG_OK : error_of_evaluation(status);
}
