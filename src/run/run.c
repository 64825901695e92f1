/* SPDX-License-Identifier: Apache-2.0 */
/* From a plan and the graph it was found for to a run: addresses, scalars, buffers.
 *
 * Small work runs under the evaluation lock, from scratch memory that is kept between runs: no
 * heap, no event, no thread. Larger work is described by a run_evaluation of its own, which holds
 * what it reads; task.c runs that. */
#include "run/frame.h"
#include "run/launch_device.h"
#include "run/targets.h"
#include "run/trace.h"
#include <string.h>

/* About ten microseconds of scalar operations; below it a second evaluation may wait for the lock.
 */
enum { SMALL_WORK = 64 << 10 };

/* And of those for which threads are woken before they begin: some tenths of a millisecond. */
enum { WAKE_WORK = 8 << 20 };

/* The lengths of the tables behind a run_evaluation. */
typedef struct run_counts {
    size_t nslots, nscalars, nbuffers, nwaits;
} run_counts;

static size_t run_nbytes(const run_counts *counts)
{
    return sizeof(run_evaluation) + counts->nslots * sizeof(void *) +
           counts->nscalars * sizeof(jg_scalar) + counts->nbuffers * sizeof(jg_buffer *) +
           counts->nwaits * sizeof(run_wait);
}

/* Scalars come first, as they have the strictest alignment after the struct itself. */
static run_evaluation *run_init(void *block, const run_counts *counts, jg_plan *plan)
{
    run_evaluation *run = block;
    *run = (run_evaluation){.plan = plan, .forks = readers_forks()};
    run->scalars = run->progress.scalar = (jg_scalar *)(void *)(run + 1);
    run->addresses = (void **)(void *)(run->scalars + counts->nscalars);
    run->buffers = (jg_buffer **)(void *)(run->addresses + counts->nslots);
    run->waits = (run_wait *)(void *)(run->buffers + counts->nbuffers);
    memset(run->addresses, 0, counts->nslots * sizeof *run->addresses);
    return run;
}

/* A leaf may be a buffer to hold and an event to wait for. */
static run_counts count_run(const jg_plan *plan)
{
    size_t nleaves = (size_t)plan->nleaves;
    return (run_counts){.nslots = (size_t)plan->nslots,
                        .nscalars = (size_t)plan->nscalars,
                        .nbuffers = (size_t)plan->nstored + (size_t)plan->ntemps + nleaves +
                                    (plan->shared_nbytes > 0),
                        .nwaits = nleaves};
}

/* The block of a small run is not freed but used by the next one, so a small run ends before the
 * lock is released. plan: borrowed, unless the caller retains it for run_free. gives: *out |
 * raises: NOMEM */
static jg_status run_new(jg_plan *plan, bool small, run_evaluation **out)
{
    static base_vec scratch; /* guarded by the evaluation lock */
    run_counts counts = count_run(plan);
    size_t nbytes = run_nbytes(&counts);
    void *block = NULL;
    if (small) {
        scratch.nbytes = 0;
        JG_TRY(vec_grow(&scratch, nbytes, &block));
    } else if ((block = base_alloc(nbytes)) == NULL) {
        return base_nomem(nbytes, "an evaluation");
    }
    *out = run_init(block, &counts, plan);
    if (watch_is_on())
        watch_add_planned(plan);
    return JG_OK;
}

static void release_buffers(run_evaluation *run)
{
    for (int i = 0; i < run->nbuffers; ++i)
        buffer_release(run->buffers[i]);
    run->nbuffers = 0;
}

/* A run counts among the readers of the places that it reads. */
static void end_reading(const run_evaluation *run)
{
    reader_kind kind = run->forks == readers_forks() ? READER_RUNNING : READER_LEFT;
    for (int i = 0; i < run->nread; ++i)
        buffer_end_reading(run->buffers[run->leaves + i], kind);
}

/* Marks the run's references to the buffers that nodes keep as a writer's, or ends that. A buffer
 * with such a reference counts as exclusive (memory.h), so a later run, which waits for this one,
 * may write over the result. */
static void count_writer(run_evaluation *run, bool writing)
{
    for (int i = 0; i < run->nstored; ++i) {
        if (writing)
            buffer_begin_writing(run->buffers[i]);
        else
            buffer_end_writing(run->buffers[i]);
    }
    run->writing = writing;
}

/* The run must have a block of its own. */
void run_free(run_evaluation *run)
{
    if (run->progress.stopped != NULL)
        run_frame_clear(run->progress.stopped);
    base_free(run->progress.stopped);
    if (run->writing)
        count_writer(run, false);
    end_reading(run); /* before the buffers are released, as they count the readers */
    release_buffers(run);
    run_blocks_free(run->blocks);
    for (int i = 0; i < run->nwaits; ++i)
        event_release(run->waits[i].event);
    base_free(run->progress.failure);
    event_release(run->task.event);
    plan_release(run->plan);
    base_free(run);
}

/* Whether the run that reads a leaf last may write the leaf's buffer: only the graph holds the
 * leaf, only the leaf holds the buffer, and evaluations that write the buffer end before the run
 * begins. */
static bool is_free(const jg_array *leaf, size_t nbytes)
{
    return !leaf->stored && leaf->primitive != PRIMITIVE_view && leaf->offset == 0 &&
           buffer_is_exclusive(leaf->buffer) && leaf->buffer->size_class == cache_class_of(nbytes);
}

/* The buffer of a leaf that the slot's may be, with a reference; NULL if there is none. If the leaf
 * already has an address, its buffer has been taken. */
static jg_buffer *take_donor(run_evaluation *run, jg_array *const *nodes, const plan_slot *slot)
{
    const int *donors = (const int *)(void *)run->plan->donors.data; /* NULL without any */
    for (int i = 0; i < slot->ndonors; ++i) {
        int donor = donors[slot->first + i];
        const jg_array *leaf = nodes[donor];
        if (run->addresses[donor] != NULL || !is_free(leaf, slot->nbytes))
            continue;
        buffer_use(leaf->buffer, slot->nbytes);
        run->addresses[donor] = leaf->buffer->handle;
        return buffer_retain(leaf->buffer);
    }
    return NULL;
}

/* The buffer of a new result, which is counted with the run's. */
static jg_status add_result(run_evaluation *run, jg_array *const *nodes, int index)
{
    const plan_slot *slot = &run->plan->slots[index];
    jg_buffer *buffer = NULL;
    if (JG_LIKELY(run->blocks == NULL) && (buffer = run_targets_take(run, nodes, index)) == NULL)
        buffer = take_donor(run, nodes, slot);
    run->overwrites |= buffer != NULL;
    if (buffer == NULL)
        JG_TRY(buffer_new(run->device, slot->nbytes, &buffer));
    run->buffers[run->nbuffers++] = buffer;
    if (JG_LIKELY(run->blocks == NULL))
        run->addresses[index] = buffer->handle;
    else
        run_blocks_add_result(run->blocks, index, buffer, slot->nbytes);
    return JG_OK;
}

/* Takes blocks for all results on a device with a driver, which is not asked while the evaluation
 * lock is held. gives: false where some are missing, which the reserve has noted; then none is
 * taken */
static bool take_reserved(run_evaluation *run)
{
    const jg_plan *plan = run->plan;
    for (int i = 0; i < plan->nstored; ++i) {
        jg_buffer **next = &run->buffers[run->nbuffers];
        run->nbuffers += reserve_take(run->device, plan->slots[plan->stored[i]].nbytes, next);
    }
    if (run->nbuffers == plan->nstored)
        return true;
    while (run->nbuffers > 0)
        reserve_put(run->buffers[--run->nbuffers]);
    return false;
}

/* Each result's block is one of its size. */
static jg_status add_reserved(run_evaluation *run)
{
    const jg_plan *plan = run->plan;
    if (!take_reserved(run))
        return JG_ERR_NOMEM;
    for (int i = 0; i < plan->nstored; ++i)
        run_blocks_add_result(run->blocks, plan->stored[i], run->buffers[i],
                              plan->slots[plan->stored[i]].nbytes);
    run->nstored = run->nbuffers;
    return JG_OK;
}

/* Buffers of new results, in slot order; give_storage takes them in the same. */
static jg_status alloc_stored(run_evaluation *run, jg_array *const *nodes)
{
    const jg_plan *plan = run->plan;
    if (JG_UNLIKELY(!device_is_host(run->device)))
        return add_reserved(run);
    JG_TRY(run_targets_bind(plan, nodes));
    for (int i = 0; i < plan->nstored; ++i)
        JG_TRY(add_result(run, nodes, plan->stored[i]));
    run->nstored = run->nbuffers;
    return JG_OK;
}

static jg_status add_memory(run_evaluation *run, size_t nbytes)
{
    JG_TRY(buffer_new(device_cpu(), nbytes, &run->buffers[run->nbuffers]));
    run->nbuffers += 1;
    return JG_OK;
}

/* The buffers of stored slots come first in run->buffers, in slot order, then the temporaries, then
 * the memory that units share. */
static jg_status alloc_buffers(run_evaluation *run, jg_array *const *nodes)
{
    const jg_plan *plan = run->plan;
    JG_TRY(alloc_stored(run, nodes));
    bool on_host = JG_LIKELY(run->blocks == NULL);
    if (!on_host)
        run_blocks_add_temps(run->blocks, plan);
    for (int i = 0; i < plan->ntemps && on_host; ++i)
        JG_TRY(add_memory(run, plan->temps[i]));
    for (int i = 0; i < plan->nhoused && on_host; ++i) {
        const plan_slot *slot = &plan->slots[plan->housed[i]];
        run->addresses[plan->housed[i]] = slot->kind == SLOT_TEMP
                                              ? run->buffers[run->nstored + slot->temp]->handle
                                              : run->addresses[slot->home];
    }
    if (JG_LIKELY(plan->shared_nbytes == 0))
        return JG_OK;
    JG_TRY(add_memory(run, plan->shared_nbytes));
    run->shared = run->buffers[run->nbuffers - 1]->handle;
    return JG_OK;
}

static void bind_scalar(const jg_array *x, plan_scalar_field field, jg_scalar *out)
{
    switch (field) {
    case SCALAR_VALUE: *out = x->attributes.full.value; break;
    case SCALAR_START: *out = x->attributes.arange.start; break;
    case SCALAR_STEP: *out = x->attributes.arange.step; break;
    }
}

/* In the order of the launches, which run_launches steps through the same way. */
static void bind_scalars(run_evaluation *run, jg_array *const *nodes)
{
    jg_scalar *scalar = run->scalars;
    for (int i = 0; i < run->plan->nlaunches; ++i) {
        const plan_launch *launch = &run->plan->launches[i];
        for (int j = 0; j < launch->nscalars; ++j)
            bind_scalar(nodes[launch->scalars[j].slot], launch->scalars[j].field, scalar++);
    }
}

/* Whether every leaf is in memory now, rather than being computed elsewhere. */
static bool leaves_are_there(const jg_plan *plan, jg_array *const *nodes)
{
    for (int i = 0; i < plan->nleaves; ++i) {
        const jg_array *root = node_root(nodes[plan->leaves[i]]);
        if (root->event == NULL || event_is_valid(root->event, root->buffer))
            continue;
        if (!event_is_set(root->event) || event_has_failed(root->event))
            return false;
    }
    return true;
}

/* The address of a leaf. An empty leaf may have no memory, but a program whose operand does not
 * move reads its element before it tests the number of steps. */
static void *leaf_address(const jg_array *x)
{
    static jg_scalar nothing;
    return x->size == 0 ? &nothing : node_address(x);
}

/* A thread that writes a place waits for the run. Places come before the other leaves: a buffer may
 * become one while it is held. */
static void hold_leaf(run_evaluation *run, jg_buffer *buffer)
{
    jg_buffer **last = &run->buffers[run->nbuffers++];
    *last = buffer_retain(buffer);
    if (JG_LIKELY(!buffer_is_place(buffer)))
        return;
    jg_buffer **next = &run->buffers[run->leaves + run->nread++];
    *last = *next;
    *next = buffer;
    buffer_begin_reading(buffer, READER_RUNNING);
}

/* Every leaf of a run whose memory is not all the host's. */
static jg_status add_leaves(run_evaluation *run, jg_array *const *nodes)
{
    for (int i = 0; i < run->plan->nleaves; ++i)
        JG_TRY(run_blocks_add_leaf(run->blocks, run->plan->leaves[i], nodes[run->plan->leaves[i]]));
    return JG_OK;
}

/* After take_donor has given addresses to the leaves that are written over: their buffers are
 * held already, as results. holding: the run outlives the evaluation lock. */
static void bind_leaves(run_evaluation *run, jg_array *const *nodes, bool holding)
{
    run->leaves = run->nbuffers;
    for (int i = 0; i < run->plan->nleaves; ++i) {
        int slot = run->plan->leaves[i];
        const jg_array *root = node_root(nodes[slot]);
        bool taken = run->addresses[slot] != NULL;
        if (JG_LIKELY(buffer_is_on_host(root->buffer)))
            run->addresses[slot] = leaf_address(nodes[slot]);
        run->reads_files |= buffer_is_of_file(root->buffer);
        if (!holding)
            continue;
        if (!taken)
            hold_leaf(run, root->buffer);
        if (root->event != NULL)
            run->waits[run->nwaits++] = (run_wait){event_retain(root->event), root->buffer, slot};
    }
}

/* Hands the stored slots' buffers to their nodes. The first buffers of the run are theirs; when
 * the run goes on elsewhere it needs them as well, so that each then has two holders. */
static void give_storage(run_evaluation *run, jg_array *const *nodes, jg_event *event, bool goes_on)
{
    for (int i = 0; i < run->nstored; ++i) {
        jg_buffer *buffer = goes_on ? buffer_retain(run->buffers[i]) : run->buffers[i];
        node_take_storage(nodes[run->plan->stored[i]], buffer, event ? event_retain(event) : NULL);
        if (!goes_on)
            run->buffers[i] = NULL;
    }
}

/* All storage must be given before, because an input may be another stored node. The order is
 * ascending: a node that is held only by its users is freed when they drop it, and its users come
 * later. */
static void drop_inputs(const jg_plan *plan, jg_array *const *nodes)
{
    for (int i = 0; i < plan->nstored; ++i)
        node_drop_inputs(nodes[plan->stored[i]]);
}

static void settle_nodes(run_evaluation *run, jg_array *const *nodes, jg_event *event, bool goes_on)
{
    give_storage(run, nodes, event, goes_on);
    drop_inputs(run->plan, nodes);
}

/* Called after the launches, as values read from a truncated file may be zeros. */
JG_COLD static jg_status check_files(const run_evaluation *run)
{
    const memory_mapping *last = NULL; /* the leaves of a model come from few files */
    for (int i = 0; i < run->plan->nleaves; ++i) {
        memory_mapping *mapping = mapping_at(run->addresses[run->plan->leaves[i]]);
        if (mapping != last)
            JG_TRY(mapping_check(mapping));
        last = mapping;
    }
    return JG_OK;
}

jg_status run_launch_all(run_evaluation *run, run_frame *frame)
{
    JG_TRY(run_launches(run, frame));
    return JG_LIKELY(!run->reads_files) ? JG_OK : check_files(run);
}

/* A failed run can be repeated unless it has overwritten some of its inputs. In that case its
 * results stay failed, and the message says so. */
static jg_status run_at_once(run_evaluation *run, jg_array *const *nodes, jg_event *failure)
{
    bind_leaves(run, nodes, false);
    run_check(run, nodes);
    bind_scalars(run, nodes);
    run_frame frame;
    run_frame_init(&frame, run);
    jg_status status = run_launch_all(run, &frame);
    if (status == JG_OK) {
        settle_nodes(run, nodes, NULL, false);
    } else if (run->overwrites) {
        run_failure_tell(run, failure, status);
        event_set(failure);
        settle_nodes(run, nodes, failure, false);
    }
    return status;
}

/* Under the evaluation lock, from start to end. The event is made before the run, as there may be
 * no memory for it when it is needed. */
static jg_status run_now(const graph_walk *walk, jg_plan *plan)
{
    run_evaluation *run;
    jg_event *failure = NULL;
    JG_TRY(run_new(plan, true, &run));
    run->device = device_cpu();
    jg_status status = alloc_buffers(run, walk_nodes(walk));
    if (status == JG_OK && run->overwrites && run_failure_may_come(plan, walk_nodes(walk)))
        status = event_new(&failure);
    if (status == JG_OK)
        status = run_at_once(run, walk_nodes(walk), failure);
    event_release(failure);
    release_buffers(run);
    base_free(run->progress.failure);
    return status;
}

/* Threads that sleep come tens of microseconds after they are called. Called now, they are awake
 * for the first launch that is worth sharing. The evaluation lock is held: none is waited for. */
static void wake_threads(const jg_plan *plan)
{
    if (plan->work >= WAKE_WORK)
        pool_wake();
}

/* A run with an event, which holds its plan. gives: *out, for run_free | raises: NOMEM */
static jg_status run_new_later(const graph_walk *walk, jg_plan *plan, run_evaluation **out)
{
    jg_event *event = NULL;
    JG_TRY(event_new(&event));
    jg_status status = run_new(plan, false, out);
    if (status != JG_OK) {
        event_release(event);
        return status;
    }
    plan_retain(plan);
    (*out)->task.event = event;
    (*out)->stream = walk->stream;
    (*out)->device = device_at(walk->device);
    return JG_OK;
}

/* The nodes get storage and event now and their values later; a reader waits for the event. Every
 * step that may fail comes before settle_nodes. */
static jg_status run_later(const graph_walk *walk, jg_plan *plan, run_evaluation **later)
{
    run_evaluation *run = NULL;
    jg_status status;
    JG_TRY(run_new_later(walk, plan, &run));
    if (!walk->moves)
        wake_threads(plan);
    JG_TRY_DONE(walk->moves ? run_blocks_new(plan, &run->blocks) : JG_OK);
    JG_TRY_DONE(walk->moves ? add_leaves(run, walk_nodes(walk)) : JG_OK);
    JG_TRY_DONE(alloc_buffers(run, walk_nodes(walk)));
    count_writer(run, true);
    bind_leaves(run, walk_nodes(walk), true);
    if (JG_LIKELY(run->blocks == NULL))
        run_check(run, walk_nodes(walk));
    bind_scalars(run, walk_nodes(walk));
    run_skip_prepare(run, walk_nodes(walk));
    settle_nodes(run, walk_nodes(walk), run->task.event, true);
    progress_begin();
    *later = run;
    return JG_OK;
done:
    run_free(run);
    return status;
}

jg_status run_plan(const graph_walk *walk, jg_plan *plan, run_evaluation **later)
{
    *later = NULL;
    if (JG_UNLIKELY(walk->moves))
        JG_TRY(run_check_fallback(plan));
    if (plan->work <= SMALL_WORK && !plan_is_due(plan) && !walk->moves &&
        stream_is_idle(stream_at(walk->stream)) && leaves_are_there(plan, walk_nodes(walk)))
        return run_now(walk, plan);
    leave_before_waiting();
    return run_later(walk, plan, later);
}
