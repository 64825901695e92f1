/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that a run gives to a queue: each launch by itself, or a row of launches together as
 * a graph.
 *
 * To make a graph costs more than to start its launches once, so the first run of a plan only
 * counts how many launches follow each other. After a run with a long row, the next run takes the
 * plan's graph: launches are held back until the queue is given another command, a copy or a
 * product. One run at a time uses a graph. Another queue may use it only when no earlier use still
 * runs, as drivers run the uses of one graph one after the other. A run that finds the graph taken
 * starts each launch by itself. */
#include "device/device.h"

static bool has_graphs(const jg_device *device)
{
    return device->ops->graph_new != NULL;
}

static int least_of_row(void)
{
    return (int)option_int(OPTION_DEVICE_GRAPHS);
}

/* The run must have taken the sequence. */
static bool is_usable(device_submission *to)
{
    device_sequence *sequence = to->sequence;
    int others = atomic_load_explicit(&sequence->running, memory_order_acquire) - to->counted;
    if (others > 0 && (sequence->queue != to->queue || !to->device->ops->graphs_overlap))
        return false;
    return sequence->graph != NULL ||
           (to->device->ops->graph_new(to->device, &sequence->graph) == JG_OK &&
            sequence->graph != NULL);
}

static void take_graph(device_submission *to)
{
    device_sequence *sequence = to->sequence;
    if (atomic_exchange_explicit(&sequence->taken, true, memory_order_acquire))
        return;
    if (!is_usable(to)) {
        atomic_store_explicit(&sequence->taken, false, memory_order_release);
        return;
    }
    if (!to->counted)
        atomic_fetch_add_explicit(&sequence->running, 1, memory_order_relaxed);
    to->counted = true;
    sequence->queue = to->queue;
    to->graph = sequence->graph;
}

void device_submission_begin(device_submission *to, jg_device *device, void *queue,
                             device_sequence *sequence)
{
    to->device = device;
    to->queue = queue;
    to->sequence = sequence;
    to->least = has_graphs(device) ? least_of_row() : 0;
    if (to->least > 0 &&
        atomic_load_explicit(&sequence->longest, memory_order_relaxed) >= to->least)
        take_graph(to);
}

/* If there is no memory to hold a launch back, the launches that are held are submitted, and the
 * run continues without the graph: its later parts would no longer match those of earlier runs. */
static jg_status leave_graph(device_submission *to)
{
    jg_status status = to->device->ops->graph_run(to->device, to->queue, to->graph, -1);
    device_submission_end(to);
    return status;
}

/* Adds a launch to the graph. gives: *held, whether the graph has the launch; if not, all launches
 * that the graph held before have been submitted */
static jg_status hold(device_submission *to, device_code *code, const device_start *start,
                      bool *held)
{
    jg_status status = device_launch_add(code, to->graph, start, held);
    if (status == JG_ERR_NOMEM) {
        *held = false;
        return leave_graph(to);
    }
    JG_TRY(status);
    return *held ? JG_OK : device_submission_cut(to);
}

jg_status device_submission_launch(device_submission *to, device_code *code,
                                   const device_start *start)
{
    bool held = false;
    if (to->graph != NULL)
        JG_TRY(hold(to, code, start, &held));
    if (!held)
        JG_TRY(device_launch_start(code, to->queue, start));
    to->row = to->graph == NULL || held ? to->row + start->launch->nsteps : 0;
    return JG_OK;
}

/* If two runs do this at the same time, one of the two rows is lost. */
static void count_row(device_submission *to)
{
    int longest = atomic_load_explicit(&to->sequence->longest, memory_order_relaxed);
    if (to->row > longest)
        atomic_store_explicit(&to->sequence->longest, to->row, memory_order_relaxed);
    to->row = 0;
}

jg_status device_submission_cut(device_submission *to)
{
    int row = to->row;
    if (row == 0)
        return JG_OK;
    count_row(to);
    if (to->graph == NULL)
        return JG_OK;
    return to->device->ops->graph_run(to->device, to->queue, to->graph,
                                      row >= to->least ? to->part++ : -1);
}

void device_submission_end(device_submission *to)
{
    to->row = 0;
    if (to->graph == NULL)
        return;
    to->device->ops->graph_drop(to->device, to->graph);
    to->graph = NULL;
    atomic_store_explicit(&to->sequence->taken, false, memory_order_release);
}

void device_submission_close(device_submission *to)
{
    device_submission_end(to);
    if (to->counted)
        atomic_fetch_sub_explicit(&to->sequence->running, 1, memory_order_release);
    to->counted = false;
}

void device_sequence_clear(jg_device *device, device_sequence *sequence)
{
    if (sequence->graph != NULL)
        device->ops->graph_free(device, sequence->graph);
    sequence->graph = NULL;
}
