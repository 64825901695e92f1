/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that do not run, because what they are made of has failed. The processes of a group
 * count its messages, so the routine is told of each once, on the stream of the group, where those
 * that were scheduled before it run first. */
#include "run/frame.h"

void run_skip_launch(const run_evaluation *run, const plan_launch *launch)
{
    if (!run->skipped && launch->kind->skip != NULL)
        launch->kind->skip(launch, run->order);
}

void run_skip_launches(const run_evaluation *run)
{
    for (int i = run->progress.launched; i < run->plan->nlaunches; ++i)
        run_skip_launch(run, &run->plan->launches[i]);
}

void run_skip_prepare(run_evaluation *run, jg_array *const *nodes)
{
    jg_array *x = run->plan->nstored == 1 ? nodes[run->plan->stored[0]] : NULL;
    if (x == NULL || !node_is_message(x))
        return;
    run->order = node_message_rank(x);
    run->skipped = (*node_message_order(x) & MESSAGE_IS_SKIPPED) != 0;
}

typedef struct skipping {
    stream_task task;
    primitive_attributes attributes;
    uint64_t order;
} skipping;

static void tell(stream_task *task)
{
    const skipping *own = (const skipping *)(void *)task;
    plan_routine_of(PRIMITIVE_message)->skip(&own->attributes, own->order);
}

static void free_skipping(stream_task *task)
{
    base_free(task);
}

/* Without memory, or a thread, at once. */
static void skip_message(jg_array *x)
{
    const primitive_attributes *attributes = node_attributes_of(x);
    skipping *own = base_alloc(sizeof *own);
    uint64_t order = node_message_rank(x);
    *node_message_order(x) |= MESSAGE_IS_SKIPPED;
    if (own != NULL) {
        *own = (skipping){.task = {.run = tell, .finish = free_skipping},
                          .attributes = {.message = attributes->message},
                          .order = order};
        if (stream_submit(stream_at(x->stream), &own->task) == JG_OK)
            return;
        base_free(own);
    }
    plan_routine_of(PRIMITIVE_message)->skip(attributes, order);
}

static bool is_to_skip(jg_array *x)
{
    return node_is_message(x) && !node_has_storage(x) && x->size > 0 &&
           (*node_message_order(x) & MESSAGE_IS_SKIPPED) == 0;
}

jg_status run_skip_messages(graph_walk *walk, int count, jg_array *const *arrays, jg_status status)
{
    jg_error failure;
    error_capture(&failure, status);
    if (graph_walk_from(walk, WALK_ASKED, count, arrays) == JG_OK)
        for (int i = 0; i < walk_count(walk); ++i)
            if (is_to_skip(walk_nodes(walk)[i]))
                skip_message(walk_nodes(walk)[i]);
    return error_raise(&failure);
}
