/* SPDX-License-Identifier: Apache-2.0 */
/* Random graphs of int64 arrays, each node with the values that plain loops give it. Integer
 * arithmetic wraps on both sides, so that every comparison is exact. */
#ifndef JG_TESTS_RANDOM_GRAPH_H
#define JG_TESTS_RANDOM_GRAPH_H

#include "../arrays.h"
#include "../tensor/layouts.h"

enum { GRAPH_NODES = 24, MOST_ELEMENTS = 4000 };

typedef struct random_node {
    jg_array *array; /* NULL once it has been let go of */
    int ndim;
    int64_t shape[8], size;
    uint64_t *values;
} random_node;

typedef struct random_graph {
    uint64_t seed;
    int count;
    random_node nodes[GRAPH_NODES];
} random_graph;

static inline int64_t pick(random_graph *graph, int64_t low, int64_t high)
{
    return random_between(&graph->seed, low, high);
}

/* Takes array; gives a node whose values are still to be filled in. */
static inline random_node *add_node(random_graph *graph, jg_array *array)
{
    random_node *node = &graph->nodes[graph->count++];
    node->array = array;
    node->ndim = jg_array_ndim(array);
    memcpy(node->shape, jg_array_shape(array), (size_t)node->ndim * sizeof *node->shape);
    node->size = jg_array_size(array);
    node->values = base_alloc((size_t)node->size * sizeof *node->values);
    return node;
}

/* The position in x of the element that meets index of a broadcast result. */
static inline int64_t position_in(const random_node *x, int ndim, const int64_t *index)
{
    int64_t position = 0;
    for (int i = 0; i < x->ndim; ++i)
        position = position * x->shape[i] + (x->shape[i] == 1 ? 0 : index[i + ndim - x->ndim]);
    return position;
}

static inline void add_leaf(random_graph *graph)
{
    int64_t shape[3], data[200];
    int ndim = (int)pick(graph, 0, 3);
    jg_array *array;
    for (int i = 0; i < ndim; ++i)
        shape[i] = pick(graph, 0, 30) ? pick(graph, 1, 5) : 0;
    if (ndim > 0 && pick(graph, 0, 2) == 0) { /* long enough to be passed over as a row */
        ndim = ndim < 3 ? ndim : 2;
        shape[ndim - 1] = 36;
    }
    for (size_t i = 0; i < JG_COUNT_OF(data); ++i)
        data[i] = pick(graph, -1000, 1000);
    assert_ok(jg_array_from_data(data, JG_DTYPE_INT64, ndim, shape, &array));
    random_node *node = add_node(graph, array);
    memcpy(node->values, data, (size_t)node->size * sizeof *data);
}

static inline void add_range(random_graph *graph)
{
    int64_t start = pick(graph, -50, 50), step = pick(graph, 1, 7), count = pick(graph, 1, 5);
    jg_array *array;
    assert_ok(jg_arange(JG_DTYPE_INT64, integer_number(start), integer_number(start + count * step),
                        integer_number(step), &array));
    random_node *node = add_node(graph, array);
    for (int64_t i = 0; i < count; ++i)
        node->values[i] = (uint64_t)(start + i * step);
}

static inline void add_constant(random_graph *graph)
{
    int64_t value = pick(graph, -50, 50), shape[] = {pick(graph, 1, 4)};
    jg_array *array;
    assert_ok(
        jg_full(JG_DTYPE_INT64, (int)pick(graph, 0, 1), shape, integer_number(value), &array));
    random_node *node = add_node(graph, array);
    for (int64_t i = 0; i < node->size; ++i)
        node->values[i] = (uint64_t)value;
}

static inline random_node *any_held(random_graph *graph)
{
    for (;;) {
        random_node *node = &graph->nodes[pick(graph, 0, graph->count - 1)];
        if (node->array != NULL)
            return node;
    }
}

static inline uint64_t combine(int op, uint64_t x, uint64_t y)
{
    switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return (int64_t)x > (int64_t)y ? x : y;
    default: return x ^ y;
    }
}

static inline void add_binary(random_graph *graph)
{
    static jg_status (*const ops[])(jg_array *, jg_array *, jg_array **) = {
        jg_add, jg_subtract, jg_multiply, jg_maximum, jg_bitwise_xor};
    const random_node *x = any_held(graph), *y = any_held(graph);
    int op = (int)pick(graph, 0, 4);
    int64_t index[8] = {0}, at = 0;
    jg_array *array;
    jg_status status = ops[op](x->array, y->array, &array);
    if (status == JG_OK && jg_array_size(array) > MOST_ELEMENTS) {
        jg_array_release(array);
        status = JG_ERR_VALUE;
    }
    if (status != JG_OK) { /* the shapes do not broadcast: with itself they do */
        y = x;
        assert_ok(ops[op](x->array, y->array, &array));
    }
    random_node *node = add_node(graph, array);
    for (bool more = node->size > 0; more; more = next_index(node->ndim, node->shape, index))
        node->values[at++] = combine(op, x->values[position_in(x, node->ndim, index)],
                                     y->values[position_in(y, node->ndim, index)]);
}

static inline void add_unary(random_graph *graph)
{
    const random_node *x = any_held(graph);
    bool negative = pick(graph, 0, 1);
    jg_array *array;
    assert_ok(negative ? jg_negative(x->array, &array) : jg_abs(x->array, &array));
    random_node *node = add_node(graph, array);
    for (int64_t i = 0; i < x->size; ++i)
        node->values[i] = negative || (int64_t)x->values[i] < 0 ? 0 - x->values[i] : x->values[i];
}

static inline void add_reduction(random_graph *graph)
{
    const random_node *x = any_held(graph);
    int64_t axes[3], index[8] = {0}, at = 0;
    int naxes = 0;
    bool sum = x->size == 0 || pick(graph, 0, 1), reduced[8] = {false};
    for (int i = 0; i < x->ndim && naxes < 3; ++i)
        if ((reduced[i] = pick(graph, 0, 1)))
            axes[naxes++] = i - (pick(graph, 0, 1) ? x->ndim : 0);
    jg_array *array;
    assert_ok(sum ? jg_sum(x->array, naxes, axes, true, NULL, &array)
                  : jg_max(x->array, naxes, axes, true, &array));
    random_node *node = add_node(graph, array);
    for (int64_t i = 0; i < node->size; ++i)
        node->values[i] = sum ? 0 : (uint64_t)INT64_MIN;
    for (bool more = x->size > 0; more; more = next_index(x->ndim, x->shape, index)) {
        uint64_t *place = &node->values[position_in(node, x->ndim, index)];
        *place = combine(sum ? 0 : 3, *place, x->values[at++]);
    }
}

/* Some value of each row of what was made last, used for its elements: x - max(x, -1) and its
 * like. */
static inline void add_row_pattern(random_graph *graph)
{
    random_node *x = any_held(graph);
    int64_t axis = -1, width = x->ndim > 0 ? x->shape[x->ndim - 1] : 1;
    if (x->ndim == 0 || x->size == 0 || graph->count + 2 > GRAPH_NODES)
        return;
    bool sum = pick(graph, 0, 1), subtract = pick(graph, 0, 1);
    jg_array *total, *array;
    assert_ok(sum ? jg_sum(x->array, 1, &axis, true, NULL, &total)
                  : jg_max(x->array, 1, &axis, true, &total));
    assert_ok((subtract ? jg_subtract : jg_bitwise_xor)(x->array, total, &array));
    random_node *row = add_node(graph, total), *node = add_node(graph, array);
    for (int64_t i = 0; i < x->size; ++i) {
        uint64_t *value = &row->values[i / width];
        *value = i % width == 0 ? x->values[i] : combine(sum ? 0 : 3, *value, x->values[i]);
    }
    for (int64_t i = 0; i < x->size; ++i)
        node->values[i] = combine(subtract ? 1 : 4, x->values[i], row->values[i / width]);
    if (pick(graph, 0, 1))
        replace(&row->array, NULL);
}

static inline jg_array *view_of(random_graph *graph, const random_node *x)
{
    jg_array *array;
    int64_t axes[8], wide[8];
    jg_index items[8];
    for (int i = 0; i < x->ndim; ++i) {
        axes[i] = x->ndim - 1 - i;
        wide[i] = x->shape[i] == 1 && x->size < 1000 ? pick(graph, 1, 3) : x->shape[i];
        items[i] = pick(graph, 0, 1) ? EVERY(pick(graph, 0, 1) ? -1 : 2) : ALL;
        if (x->shape[i] > 0 && pick(graph, 0, 3) == 0)
            items[i] = AT(pick(graph, 0, x->shape[i] - 1));
    }
    switch (pick(graph, 0, 3)) {
    case 0: assert_ok(jg_permute_dims(x->array, x->ndim, axes, &array)); break;
    case 1: assert_ok(jg_broadcast_to(x->array, x->ndim, wide, &array)); break;
    case 2: assert_ok(jg_reshape(x->array, SHAPE(x->size), &array)); break;
    default: assert_ok(jg_slice(x->array, x->ndim, items, &array)); break;
    }
    return array;
}

/* The same view of x's positions tells which values it shows. */
static inline void add_view(random_graph *graph)
{
    const random_node *x = any_held(graph);
    uint64_t seed = graph->seed;
    jg_array *array = view_of(graph, x), *positions;
    random_node source = *x;
    graph->seed = seed;
    assert_ok(jg_array_from_data(x->values, JG_DTYPE_INT64, x->ndim, x->shape, &source.array));
    positions = view_of(graph, &source);
    random_node *node = add_node(graph, array);
    assert_ok(jg_array_copy_to(positions, node->values, (size_t)node->size * sizeof *node->values));
    release_all(2, (jg_array *[]){source.array, positions});
}

static inline void build_graph(random_graph *graph, uint64_t seed)
{
    static void (*const adders[])(random_graph *) = {
        add_leaf,   add_range,       add_constant,   add_binary,    add_binary,
        add_binary, add_binary,      add_unary,      add_reduction, add_view,
        add_view,   add_row_pattern, add_row_pattern};
    *graph = (random_graph){.seed = seed};
    add_leaf(graph);
    while (graph->count < GRAPH_NODES) {
        adders[pick(graph, 0, (int64_t)JG_COUNT_OF(adders) - 1)](graph);
        if (pick(graph, 0, 2) == 0 && graph->count > 4) { /* let go of something */
            random_node *node = any_held(graph);
            if (node != &graph->nodes[graph->count - 1])
                replace(&node->array, NULL);
        }
    }
}

static inline void check_graph(random_graph *graph)
{
    for (int i = graph->count - 1; i >= 0; --i) {
        random_node *node = &graph->nodes[i];
        static int64_t back[MOST_ELEMENTS];
        size_t nbytes = (size_t)node->size * sizeof *back;
        if (node->array == NULL)
            continue;
        assert_true(nbytes <= sizeof back);
        assert_ok(jg_array_copy_to(node->array, back, nbytes));
        assert_memory_equal(back, node->values, nbytes);
    }
}

static inline void clear_graph(random_graph *graph)
{
    for (int i = 0; i < graph->count; ++i) {
        jg_array_release(graph->nodes[i].array);
        base_free(graph->nodes[i].values);
    }
}

/* The leaves are made on the device; ranges and constants could be anywhere. */
static inline void build_graph_on(random_graph *graph, jg_device_id device, uint64_t seed)
{
    const jg_device_id cpu = {JG_DEVICE_CPU, 0};
    assert_ok(jg_device_set_default(device));
    build_graph(graph, seed);
    assert_ok(jg_device_set_default(cpu));
}

/* Graphs on the device have the values of loops, if some of their nodes are asked for. async:
 * without waiting for it, every second time */
static inline void check_graphs_on(jg_device_id device, int rounds, bool async)
{
    for (int seed = 0; seed < rounds; ++seed) {
        random_graph graph;
        jg_array *held[GRAPH_NODES];
        int count = 0;
        build_graph_on(&graph, device, (uint64_t)seed);
        for (int i = 0; i < graph.count; ++i)
            if (graph.nodes[i].array != NULL && pick(&graph, 0, 2) == 0)
                held[count++] = graph.nodes[i].array;
        assert_ok((async && seed % 2 ? jg_eval_async : jg_eval)(count, held));
        check_graph(&graph);
        clear_graph(&graph);
    }
}

/* A matrix there, of 101 different numbers one after the other: multiples of `step` from `least`
 * on. */
static inline jg_array *numbers_on(jg_device_id device, int64_t rows, int64_t columns, float step,
                                   float least)
{
    float *numbers = base_alloc((size_t)(rows * columns) * sizeof *numbers);
    const int64_t shape[] = {rows, columns};
    jg_array *host, *x;
    for (int64_t i = 0; i < rows * columns; ++i)
        numbers[i] = (float)(i * 37 % 101) * step + least;
    assert_ok(jg_array_from_data(numbers, JG_DTYPE_FLOAT32, 2, shape, &host));
    base_free(numbers);
    assert_ok(jg_to_device(host, device, &x));
    jg_array_release(host);
    assert_ok(jg_eval(1, &x));
    return x;
}

#endif
