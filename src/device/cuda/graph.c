/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of the driver: launches that a stream is given as one.
 *
 * A graph gathers starts of kernels with the values of their arguments. Each part of it is what one
 * cuda_graph_run gave: a graph of the driver whose kernels follow each other, and what it was made
 * from or changed to. The next run changes only those kernels that differ, and makes the part anew
 * where there are more or fewer.
 *
 * What a driver has made may still run, so it is freed with the graph, and a part is made a few
 * times at most. Any call of the driver may fail: then the part is given kernel by kernel, as
 * without graphs, and failures of that are told. */
#include "device/cuda/cuda.h"

enum { MAX_TRIES = 4 };

/* A start of a kernel. */
typedef struct node {
    void *function;
    unsigned groups, items;
    size_t first, nbytes;      /* the values of its arguments, one after the other */
    const device_entry *takes; /* until it is given; the rest is for that, too */
    int kernel;
    const char *label;
    bool begins; /* a launch */
} node;

typedef struct node_list {
    base_vec nodes, bytes;
} node_list;

/* The driver's objects for a part of a graph; NULL if the driver failed. */
typedef struct attempt {
    void *graph, *made;
} attempt;

typedef struct part {
    node_list had;    /* what the last attempt holds, of which only functions, sizes and values */
    base_vec handles; /* void *: the driver's, of each node */
    attempt tries[MAX_TRIES];
    int ntries;
    bool stands; /* the last one can be given */
} part;

typedef struct cuda_graph {
    node_list added;
    base_vec parts; /* part * */
} cuda_graph;

#define GRAPH_CALL(device, name, ...) ((device)->driver->graphs.name(__VA_ARGS__))

static node *nodes_of(const node_list *list)
{
    return (node *)(void *)list->nodes.data;
}

static int count_nodes(const node_list *list)
{
    return (int)(list->nodes.nbytes / sizeof(node));
}

static void empty_list(node_list *list)
{
    list->nodes.nbytes = list->bytes.nbytes = 0;
}

static void clear_list(node_list *list)
{
    vec_clear(&list->nodes);
    vec_clear(&list->bytes);
}

jg_status cuda_graph_new(jg_device *device, void **out)
{
    *out = NULL;
    if (!cuda_of(device)->driver->has_graphs)
        return JG_OK;
    *out = base_alloc_zeroed(sizeof(cuda_graph));
    return *out != NULL ? JG_OK : base_nomem(sizeof(cuda_graph), "a graph of a device");
}

/* The context is current, unless the driver must not be called. */
static void free_part(cuda_device *own, part *of, bool is_there)
{
    for (int i = 0; i < of->ntries && is_there; ++i) {
        if (of->tries[i].made != NULL)
            (void)GRAPH_CALL(own, free_made, of->tries[i].made);
        if (of->tries[i].graph != NULL)
            (void)GRAPH_CALL(own, free, of->tries[i].graph);
    }
    clear_list(&of->had);
    vec_clear(&of->handles);
    base_free(of);
}

static int count_parts(const cuda_graph *graph)
{
    return (int)(graph->parts.nbytes / sizeof(part *));
}

static part *part_at(const cuda_graph *graph, int index)
{
    return ((part **)(void *)graph->parts.data)[index];
}

void cuda_graph_free(jg_device *device, void *opaque)
{
    cuda_graph *graph = opaque;
    cuda_device *own = cuda_of(device);
    bool is_there = !cuda_is_lost(own) && cuda_enter(device, NULL) == JG_OK;
    for (int i = 0; i < count_parts(graph); ++i)
        free_part(own, part_at(graph, i), is_there);
    if (is_there)
        cuda_leave();
    vec_clear(&graph->parts);
    clear_list(&graph->added);
    base_free(graph);
}

static size_t values_nbytes(const device_entry *takes, const device_kernel *kernel)
{
    size_t nbytes = 0;
    for (int i = 0; i < kernel->narguments; ++i)
        nbytes += cuda_argument_nbytes(takes, &kernel->arguments[i]);
    return nbytes;
}

/* The values of a step's arguments, all of which are whole words. */
static jg_status add_step(node_list *list, const device_start *start, const device_step *step,
                          void *function, bool begins)
{
    const device_kernel *kernel = &start->takes->kernels[step->kernel];
    size_t nbytes = values_nbytes(start->takes, kernel);
    char *to;
    JG_TRY(vec_grow(&list->bytes, nbytes, (void **)&to));
    const node added = {.function = function,
                        .groups = (unsigned)step->groups,
                        .items = (unsigned)step->items,
                        .first = list->bytes.nbytes - nbytes,
                        .nbytes = nbytes,
                        .takes = start->takes,
                        .kernel = step->kernel,
                        .label = start->label,
                        .begins = begins};
    for (int i = 0; i < kernel->narguments; ++i) {
        size_t length = cuda_argument_nbytes(start->takes, &kernel->arguments[i]);
        memcpy(to, cuda_argument(start, step, &kernel->arguments[i]), length);
        to += length;
    }
    return vec_append(&list->nodes, &added, sizeof added);
}

/* Words that do not fit into arguments are sent to memory of the step's own, by a copy. */
static bool takes_memory(const device_start *start)
{
    for (int i = 0; i < start->launch->nsteps; ++i)
        if (device_takes_memory(&start->takes->kernels[start->launch->steps[i].kernel]))
            return true;
    return false;
}

jg_status cuda_graph_add(jg_device *device, void *opaque, void *code, const device_start *start,
                         bool *taken)
{
    node_list *list = &((cuda_graph *)opaque)->added;
    const device_launch *launch = start->launch;
    void *const *functions = cuda_code_functions(code, start->entry);
    const size_t nodes = list->nodes.nbytes, bytes = list->bytes.nbytes;
    jg_status status = JG_OK;
    *taken = !takes_memory(start);
    for (int i = 0; i < launch->nsteps && *taken && status == JG_OK; ++i) {
        const device_step *step = &launch->steps[i];
        status = cuda_check_size(cuda_of(device), step);
        if (status == JG_OK)
            status = add_step(list, start, step, functions[step->kernel], i == 0);
    }
    if (status != JG_OK) {
        *taken = false;
        list->nodes.nbytes = nodes;
        list->bytes.nbytes = bytes;
    }
    return status;
}

/* arguments: room for DEVICE_MAX_ARGUMENTS addresses. */
static cuda_kernel_start start_of(const node_list *list, const node *of, void **arguments)
{
    const device_kernel *kernel = &of->takes->kernels[of->kernel];
    char *value = list->bytes.data + of->first;
    for (int i = 0; i < kernel->narguments; ++i) {
        arguments[i] = value;
        value += cuda_argument_nbytes(of->takes, &kernel->arguments[i]);
    }
    return (cuda_kernel_start){of->function, of->groups, of->items, arguments};
}

static void fill_params(const cuda_device *own, const node_list *list, const node *of,
                        void **arguments, cuda_node_params *out)
{
    const cuda_kernel_start start = start_of(list, of, arguments);
    *out = (cuda_node_params){0};
    own->driver->vendor->fill_node(&start, out);
}

/* The kernels in a chain. gives: whether that worked; *out and its nodes' handles, for free_part */
static bool add_nodes(const cuda_device *own, const node_list *list, void *graph, void **handles)
{
    void *arguments[DEVICE_MAX_ARGUMENTS];
    cuda_node_params params;
    for (int i = 0; i < count_nodes(list); ++i) {
        fill_params(own, list, &nodes_of(list)[i], arguments, &params);
        if (GRAPH_CALL(own, add_kernel, &handles[i], graph, i > 0 ? &handles[i - 1] : NULL,
                       (size_t)(i > 0), &params) != 0)
            return false;
    }
    return true;
}

static bool make(const cuda_device *own, const node_list *list, part *of)
{
    void *handles;
    attempt *next = &of->tries[of->ntries];
    of->handles.nbytes = 0;
    if (vec_grow(&of->handles, (size_t)count_nodes(list) * sizeof(void *), &handles) != JG_OK)
        return false;
    of->ntries += 1;
    return GRAPH_CALL(own, create, &next->graph, 0) == 0 &&
           add_nodes(own, list, next->graph, handles) &&
           GRAPH_CALL(own, instantiate, &next->made, next->graph, 0) == 0;
}

static bool is_same(const node_list *a, const node *x, const node_list *b, const node *y)
{
    return x->function == y->function && x->groups == y->groups && x->items == y->items &&
           x->nbytes == y->nbytes &&
           memcmp(a->bytes.data + x->first, b->bytes.data + y->first, x->nbytes) == 0;
}

static bool change(const cuda_device *own, const node_list *list, const part *of)
{
    void *arguments[DEVICE_MAX_ARGUMENTS];
    void **handles = (void **)(void *)of->handles.data;
    cuda_node_params params;
    for (int i = 0; i < count_nodes(list); ++i) {
        const node *now = &nodes_of(list)[i];
        if (is_same(list, now, &of->had, &nodes_of(&of->had)[i]))
            continue;
        fill_params(own, list, now, arguments, &params);
        if (GRAPH_CALL(own, set_kernel, of->tries[of->ntries - 1].made, handles[i], &params) != 0)
            return false;
    }
    return true;
}

static bool make_traced(const cuda_device *own, const node_list *list, part *of)
{
    int64_t start = trace_start();
    bool made = make(own, list, of);
    if (start != 0)
        trace_add("graph", own->base.ops->name, start, NULL);
    return made;
}

/* Parts come in the order of their numbers. gives: NULL without memory */
static part *require_part(cuda_graph *graph, int index)
{
    part *added;
    if (index < count_parts(graph))
        return part_at(graph, index);
    if (index > count_parts(graph) || (added = base_alloc_zeroed(sizeof *added)) == NULL)
        return NULL;
    if (vec_append(&graph->parts, &added, sizeof added) == JG_OK)
        return added;
    base_free(added);
    return NULL;
}

static void note_labels(cuda_queue *queue, const node_list *list)
{
    for (int i = 0; i < count_nodes(list); ++i)
        if (nodes_of(list)[i].begins)
            cuda_queue_note(queue, nodes_of(list)[i].label);
}

/* gives: false where the driver fails; then it was given nothing */
static bool give_as_one(const cuda_device *own, cuda_queue *queue, cuda_graph *graph, int index)
{
    part *of = require_part(graph, index);
    if (of == NULL)
        return false;
    bool ready = of->stands && count_nodes(&of->had) == count_nodes(&graph->added)
                     ? change(own, &graph->added, of)
                     : of->ntries < MAX_TRIES && make_traced(own, &graph->added, of);
    of->stands =
        ready && GRAPH_CALL(own, launch, of->tries[of->ntries - 1].made, queue->stream) == 0;
    if (!of->stands)
        return false;
    note_labels(queue, &graph->added);
    node_list before = of->had;
    of->had = graph->added;
    graph->added = before;
    return true;
}

/* The launch that fails is one before that which the caller is at. */
static jg_status name_failure(const char *label, jg_status status)
{
    jg_error error;
    if (status == JG_OK || label == NULL)
        return status;
    error_capture(&error, status);
    return base_fail(status, "[%s] %s", label, error.message);
}

static jg_status give_singly(const cuda_device *own, cuda_queue *queue, const node_list *list)
{
    void *arguments[DEVICE_MAX_ARGUMENTS];
    jg_status status = JG_OK;
    for (int i = 0; i < count_nodes(list) && status == JG_OK; ++i) {
        const node *of = &nodes_of(list)[i];
        (void)start_of(list, of, arguments);
        if (of->begins)
            cuda_queue_note(queue, of->label);
        status =
            name_failure(of->label, CUDA_DO(own, launch, of->function, of->groups, 1, 1, of->items,
                                            1, 1, 0, queue->stream, arguments, NULL));
    }
    return status;
}

/* The context is current. */
static jg_status give(cuda_device *own, cuda_queue *queue, cuda_graph *graph, int index)
{
    JG_TRY(cuda_queue_catch_up(own, queue));
    if (index >= 0 && give_as_one(own, queue, graph, index))
        return JG_OK;
    return give_singly(own, queue, &graph->added);
}

jg_status cuda_graph_run(jg_device *device, void *queue, void *graph, int index)
{
    cuda_device *own;
    jg_status status = cuda_enter(device, &own);
    if (status == JG_OK) {
        status = give(own, queue, graph, index);
        cuda_leave();
    }
    cuda_graph_drop(device, graph);
    return status;
}

void cuda_graph_drop(jg_device *device, void *opaque)
{
    (void)device;
    empty_list(&((cuda_graph *)opaque)->added);
}
