/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of the fake driver. What is made of a graph runs as one task of its stream, with the
 * arguments that it had when it was given. Of the kernels that may run next the last one runs, so
 * that a dependency which is missing shows. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

/* A kernel of a graph; its handle is that of every instance as well. */
typedef struct node {
    struct node *next;
    void *function;
    fake_dim3 groups, items;
    void **arguments;
    int nbefore;
    struct node *before[4];
} node;

typedef struct graph {
    node *first, **last;
    int count;
} graph;

/* Copies of a graph's nodes, as of which they were made; which of them each one follows. */
typedef struct instance {
    int count;
    const node **of;
    node *nodes;
    pulse *last; /* set when what was given last has run; NULL before */
    fake_queue *on;
} instance;

/* What a stream runs. */
typedef struct given {
    int count;
    fake_task *tasks;
} given;

#define CUDA_GRAPH_CALL(name, function, hip_function, parameters) FAKE_API int function parameters;
#include "device/cuda/graph.def"
#undef CUDA_GRAPH_CALL

int cuGraphCreate(void **out, unsigned flags)
{
    int device, error = fake_begin("graph_new", &device);
    if (error == 0 && flags != 0)
        error = INVALID_VALUE;
    if (error == 0) {
        graph *made = calloc(1, sizeof *made);
        made->last = &made->first;
        fake_counts.graphs += 1;
        *out = made;
    }
    return fake_end(error);
}

static bool is_start(const fake_node_params *params)
{
    return params->function != NULL && fake_is_start(params->groups.x, params->items.x) &&
           params->groups.y * params->groups.z * params->items.y * params->items.z == 1;
}

/* The memory of arguments is the node's. */
static void set(node *of, const fake_node_params *params)
{
    void *memory = malloc(fake_arguments_nbytes(params->function));
    void **arguments = fake_copy_arguments(params->function, params->arguments, memory);
    free(of->arguments);
    of->function = params->function;
    of->groups = params->groups;
    of->items = params->items;
    of->arguments = arguments;
}

int cuGraphAddKernelNode_v2(void **out, void *handle, void *const *before, size_t nbefore,
                            const void *params)
{
    int device, error = fake_begin("graph_add", &device);
    graph *to = handle;
    if (error == 0 && (!is_start(params) || nbefore > 4))
        error = INVALID_VALUE;
    if (error == 0) {
        node *added = calloc(1, sizeof *added);
        set(added, params);
        for (size_t i = 0; i < nbefore; ++i)
            added->before[added->nbefore++] = before[i];
        *to->last = added;
        to->last = &added->next;
        to->count += 1;
        *out = added;
    }
    return fake_end(error);
}

static int place_of(const instance *in, const node *of)
{
    int i = 0;
    while (i < in->count && in->of[i] != of)
        ++i;
    return i;
}

/* A copy that has arguments of its own. */
static node copy_node(const node *of)
{
    node copy = *of;
    copy.arguments = fake_copy_arguments(of->function, of->arguments,
                                         malloc(fake_arguments_nbytes(of->function)));
    return copy;
}

int cuGraphInstantiateWithFlags(void **out, void *handle, unsigned long long flags)
{
    int device, error = fake_begin("graph_instantiate", &device);
    const graph *from = handle;
    (void)flags;
    if (error == 0) {
        instance *made = calloc(1, sizeof *made);
        made->of = calloc((size_t)from->count, sizeof *made->of);
        made->nodes = calloc((size_t)from->count, sizeof *made->nodes);
        for (const node *one = from->first; one != NULL; one = one->next) {
            made->of[made->count] = one;
            made->nodes[made->count++] = copy_node(one);
        }
        fake_counts.graphs += 1;
        fake_counts.graph_makes += 1;
        *out = made;
    }
    return fake_end(error);
}

int cuGraphExecKernelNodeSetParams_v2(void *handle, void *node_handle, const void *params)
{
    int device, error = fake_begin("graph_change", &device);
    instance *in = handle;
    int place = place_of(in, node_handle);
    if (error == 0 && (!is_start(params) || place == in->count))
        error = INVALID_VALUE;
    if (error == 0) {
        set(&in->nodes[place], params);
        fake_counts.graph_changes += 1;
    }
    return fake_end(error);
}

static bool is_ready(const instance *in, const bool *done, int place)
{
    for (int i = 0; i < in->nodes[place].nbefore; ++i)
        if (!done[place_of(in, in->nodes[place].before[i])])
            return false;
    return !done[place];
}

/* gives: the kernels' places in the order in which they run, to be freed */
static int *order_of(const instance *in)
{
    int *order = calloc((size_t)in->count + 1, sizeof *order);
    bool *done = calloc((size_t)in->count + 1, sizeof *done);
    for (int i = 0; i < in->count; ++i) {
        int place = in->count - 1;
        while (!is_ready(in, done, place))
            place -= 1; /* a graph has no circles */
        done[place] = true;
        order[i] = place;
    }
    free(done);
    return order;
}

/* All that it runs in one block, which the task frees. */
static void *copy_for_run(const instance *in)
{
    size_t head = (sizeof(given) + (size_t)in->count * sizeof(fake_task) + 15) & ~(size_t)15;
    size_t nbytes = head;
    for (int i = 0; i < in->count; ++i)
        nbytes += fake_arguments_nbytes(in->nodes[i].function);
    char *memory = aligned_alloc(16, (nbytes + 15) & ~(size_t)15), *at = memory + head;
    given *out = (given *)(void *)memory;
    int *order = order_of(in);
    *out = (given){in->count, (fake_task *)(void *)(out + 1)};
    for (int i = 0; i < in->count; ++i) {
        const node *one = &in->nodes[order[i]];
        out->tasks[i] =
            (fake_task){.function = one->function,
                        .groups = one->groups,
                        .items = one->items,
                        .arguments = fake_copy_arguments(one->function, one->arguments, at)};
        at += fake_arguments_nbytes(one->function);
        fake_count_launch(one->function);
    }
    free(order);
    return memory;
}

static void run_given(fake_task *task, int *error)
{
    const given *all = (const given *)(const void *)task->arguments;
    for (int i = 0; i < all->count && *error == 0; ++i)
        fake_run_kernel(&all->tasks[i], error);
}

/* A stream that is given it waits for the one that was given it last. */
static void wait_for_last(instance *in, fake_queue *to)
{
    if (in->last != NULL && !in->last->set && in->on != to) {
        in->last->refs += 1;
        fake_push(to, (fake_task){.kind = TASK_WAIT, .pulse = in->last});
    }
}

static void note_last(instance *in, fake_queue *to)
{
    fake_release_pulse(in->last);
    in->last = calloc(1, sizeof *in->last);
    in->last->refs = 2;
    in->on = to;
    fake_push(to, (fake_task){.kind = TASK_SET, .pulse = in->last});
}

int cuGraphLaunch(void *handle, void *stream_handle)
{
    int device, error = fake_begin("graph_launch", &device);
    instance *in = handle;
    fake_queue *to = error == 0 ? fake_stream(device, stream_handle) : NULL;
    if (error == 0 && (to == NULL || to->device != device))
        error = INVALID_HANDLE;
    if (error == 0) {
        fake_counts.submissions += 1;
        wait_for_last(in, to);
        fake_push(to,
                  (fake_task){.kind = TASK_RUN, .run = run_given, .arguments = copy_for_run(in)});
        note_last(in, to);
    }
    return fake_end(error);
}

int cuGraphExecDestroy(void *handle)
{
    instance *in = handle;
    pthread_mutex_lock(&fake_lock);
    fake_counts.graphs -= 1;
    fake_counts.graph_ends_early += in->last != NULL && !in->last->set;
    fake_release_pulse(in->last);
    for (int i = 0; i < in->count; ++i)
        free(in->nodes[i].arguments);
    free(in->nodes);
    free(in->of);
    free(in);
    return fake_end(0);
}

int cuGraphDestroy(void *handle)
{
    graph *of = handle;
    pthread_mutex_lock(&fake_lock);
    fake_counts.graphs -= 1;
    for (node *one = of->first, *next; one != NULL; one = next) {
        next = one->next;
        free(one->arguments);
        free(one);
    }
    free(of);
    return fake_end(0);
}
