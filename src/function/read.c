/* SPDX-License-Identifier: Apache-2.0 */
/* Reads records from the text of a file. Members of objects come in the order in which write.c puts
 * them. A variant's nodes are built on the placeholders of a recording, so that they are recorded
 * as the nodes of a function are. */
#include "function/function.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct function_reader {
    io_cursor text;
    jg_exported *function;
    base_vec constants; /* jg_array *, +1 each */
    base_vec values;    /* jg_array *, +1 each: of the variant that is read */
    base_vec variants;  /* function_variant */
} function_reader;

static int count_of(const base_vec *arrays)
{
    return (int)(arrays->nbytes / sizeof(jg_array *));
}

static jg_array **arrays_of(const base_vec *arrays)
{
    return (jg_array **)(void *)arrays->data;
}

static void clear_arrays(base_vec *arrays)
{
    for (int i = 0; i < count_of(arrays); ++i)
        jg_array_release(arrays_of(arrays)[i]);
    vec_clear(arrays);
}

/* keeps: x */
static jg_status append_array(base_vec *arrays, jg_array *x)
{
    JG_TRY(vec_append(arrays, &x, sizeof x));
    (void)jg_array_retain(x);
    return JG_OK;
}

static jg_status find_op(const char *name, function_node *node)
{
    for (int op = 0; op < JG_OP_COUNT; ++op)
        if (op != JG_OP_leaf && op != JG_OP_marker && op != JG_OP_custom &&
            op_primitive((jg_op)op) != PRIMITIVE_none && strcmp(op_name((jg_op)op), name) == 0) {
            node->op = (jg_op)op;
            node->primitive = op_primitive((jg_op)op);
            return JG_OK;
        }
    return base_fail(
        JG_ERR_UNSUPPORTED,
        "[load] function: got a node of the op '%.64s', allowed are ops of this library", name);
}

static jg_status read_op(io_cursor *text, function_node *node)
{
    char *name;
    JG_TRY(function_text_member(text, true, "op"));
    JG_TRY(json_text(text, &name));
    jg_status status = find_op(name, node);
    base_free(name);
    return status;
}

/* The value of that number. gives: *out, borrowed */
static jg_status read_value(function_reader *reader, jg_array **out)
{
    int64_t number;
    JG_TRY(function_text_integer(&reader->text, &number));
    const base_vec *from = number < 0 ? &reader->constants : &reader->values;
    int64_t at = number < 0 ? -1 - number : number;
    if (at >= count_of(from))
        return json_fail(&reader->text, "behind the number of a value that stands before");
    *out = arrays_of(from)[at];
    return JG_OK;
}

/* inputs: jg_array *, +1 each, also those read before a failure */
static jg_status read_inputs(function_reader *reader, base_vec *inputs)
{
    JG_TRY(function_text_member(&reader->text, false, "inputs"));
    JG_TRY(json_expect(&reader->text, '['));
    if (json_accept(&reader->text, ']'))
        return JG_OK;
    do {
        jg_array *x;
        JG_TRY(read_value(reader, &x));
        JG_TRY(append_array(inputs, x));
    } while (json_accept(&reader->text, ','));
    return json_expect(&reader->text, ']');
}

static jg_status read_results(io_cursor *text, function_node *node)
{
    JG_TRY(function_text_member(text, false, "results"));
    JG_TRY(json_expect(text, '['));
    do {
        if (node->nresults == GRAPH_MAX_RESULTS)
            return json_fail(text, "the end of the results");
        function_result *result = &node->results[node->nresults];
        JG_TRY(function_text_member(text, true, "number"));
        JG_TRY(function_text_count(text, GRAPH_MAX_RESULTS - 1, &result->number));
        JG_TRY(function_text_type(text, false, &result->dtype, &result->ndim, result->shape));
        JG_TRY(json_expect(text, '}'));
        node->nresults += 1;
    } while (json_accept(text, ','));
    return json_expect(text, ']');
}

static jg_status build_node(function_reader *reader, function_node *node)
{
    jg_array *made[GRAPH_MAX_RESULTS];
    JG_TRY(function_build(node, made));
    jg_status status = JG_OK;
    for (int i = 0; i < node->nresults && status == JG_OK; ++i)
        status = append_array(&reader->values, made[i]);
    node_release_all(node->nresults, made);
    return status;
}

static jg_status read_node_into(function_reader *reader, function_node *node, base_vec *inputs)
{
    int nstrides = 0;
    JG_TRY(read_op(&reader->text, node));
    JG_TRY(read_inputs(reader, inputs));
    node->inputs = arrays_of(inputs);
    node->ninputs = count_of(inputs);
    JG_TRY(function_text_attributes(&reader->text, node, &nstrides));
    JG_TRY(read_results(&reader->text, node));
    JG_TRY(json_expect(&reader->text, '}'));
    if (node->primitive == PRIMITIVE_view && nstrides != node->results[0].ndim)
        return function_refuse(node, "strides: got %d, allowed is %d, one for each axis", nstrides,
                               node->results[0].ndim);
    return build_node(reader, node);
}

static jg_status read_node(function_reader *reader)
{
    size_t nbytes = sizeof(function_node);
    function_node *node = base_alloc_zeroed(nbytes);
    base_vec inputs = {0};
    if (node == NULL)
        return base_nomem(nbytes, "a node of a file");
    jg_status status = read_node_into(reader, node, &inputs);
    clear_arrays(&inputs);
    base_free(node);
    return status;
}

static jg_status read_nodes(function_reader *reader)
{
    JG_TRY(function_text_member(&reader->text, false, "nodes"));
    JG_TRY(json_expect(&reader->text, '['));
    if (json_accept(&reader->text, ']'))
        return JG_OK;
    do
        JG_TRY(read_node(reader));
    while (json_accept(&reader->text, ','));
    return json_expect(&reader->text, ']');
}

/* A constant of the file becomes a new array, as its own memory is the file's. keeps: x */
static jg_status append_output(base_vec *outputs, jg_array *x)
{
    jg_array *own;
    if (node_is_traced(x) || !node_has_storage(x))
        return append_array(outputs, x);
    JG_TRY(jg_copy(x, &own));
    jg_status status = append_array(outputs, own);
    jg_array_release(own);
    return status;
}

static jg_status read_outputs(function_reader *reader, base_vec *outputs)
{
    JG_TRY(function_text_member(&reader->text, false, "outputs"));
    JG_TRY(json_expect(&reader->text, '['));
    do {
        jg_array *x;
        JG_TRY(read_value(reader, &x));
        JG_TRY(append_output(outputs, x));
    } while (json_accept(&reader->text, ','));
    JG_TRY(json_expect(&reader->text, ']'));
    return json_expect(&reader->text, '}');
}

/* In the order of their bytes, which calls rely on, and each once. */
static jg_status check_keyword(io_cursor *text, const base_vec *keywords, const char *keyword)
{
    size_t count = keywords->nbytes / sizeof(char *);
    char *const *all = (char *const *)(void *)keywords->data;
    if (count > 0 && strcmp(all[count - 1], keyword) >= 0)
        return json_fail(text, "behind a keyword that follows the one before");
    return JG_OK;
}

/* keywords: char *, for base_free each, also those read before a failure */
static jg_status read_keywords(io_cursor *text, base_vec *keywords)
{
    JG_TRY(function_text_member(text, true, "keywords"));
    JG_TRY(json_expect(text, '['));
    if (json_accept(text, ']'))
        return JG_OK;
    do {
        char *keyword;
        JG_TRY(json_text(text, &keyword));
        jg_status status = check_keyword(text, keywords, keyword);
        if (status == JG_OK)
            status = vec_append(keywords, &keyword, sizeof keyword);
        if (status != JG_OK)
            base_free(keyword);
        JG_TRY(status);
    } while (json_accept(text, ','));
    return json_expect(text, ']');
}

static jg_status read_argument(io_cursor *text, jg_array **out)
{
    jg_layout layout;
    jg_dtype dtype;
    int64_t shape[JG_MAX_NDIM];
    int ndim, device;
    JG_TRY(function_text_type(text, true, &dtype, &ndim, shape));
    JG_TRY(json_expect(text, '}'));
    JG_TRY(layout_init(&layout, ndim, shape));
    JG_TRY(device_default_require(&device));
    return node_placeholder((unsigned)device, dtype, &layout, out);
}

/* arguments: jg_array *, +1 each, also those read before a failure */
static jg_status read_arguments(function_reader *reader, base_vec *arguments)
{
    io_cursor *text = &reader->text;
    JG_TRY(function_text_member(text, false, "arguments"));
    JG_TRY(json_expect(text, '['));
    if (json_accept(text, ']'))
        return JG_OK;
    do {
        jg_array *x;
        JG_TRY(read_argument(text, &x));
        jg_status status = append_array(arguments, x);
        jg_array_release(x);
        JG_TRY(status);
    } while (json_accept(text, ','));
    return json_expect(text, ']');
}

/* A key that is drawn inside a recording is drawn anew by each call. */
static jg_status draw_keys(function_reader *reader)
{
    enum { MAX_COUNT = 1 << 20 };
    int count = 0;
    JG_TRY(function_text_member(&reader->text, false, "keys"));
    JG_TRY(function_text_count(&reader->text, MAX_COUNT, &count));
    for (int i = 0; i < count; ++i) {
        jg_array *key;
        JG_TRY(compose_next_key(traced_innermost(), &key));
        jg_status status = append_array(&reader->values, key);
        jg_array_release(key);
        JG_TRY(status);
    }
    return JG_OK;
}

/* Reads the function's nodes and outputs. They start from the placeholders, which are the variant's
 * first values. */
static jg_status read_body(function_reader *reader, base_vec *outputs)
{
    JG_TRY(draw_keys(reader));
    JG_TRY(read_nodes(reader));
    return read_outputs(reader, outputs);
}

static jg_status record_body(function_reader *reader, base_vec *arguments, jg_record **out)
{
    jg_recording *recording;
    base_vec outputs = {0};
    JG_TRY(vec_reserve(&reader->values, arguments->nbytes));
    JG_TRY(jg_recording_begin(reader->function->name, count_of(arguments), arrays_of(arguments),
                              arrays_of(&reader->values), &recording));
    reader->values.nbytes = arguments->nbytes;
    jg_status status = read_body(reader, &outputs);
    if (status == JG_OK)
        status = jg_recording_end(recording, count_of(&outputs), arrays_of(&outputs), out);
    if (status != JG_OK)
        jg_recording_abort(recording);
    clear_arrays(&outputs);
    clear_arrays(&reader->values);
    return status;
}

static jg_status read_variant_into(function_reader *reader, base_vec *keywords, base_vec *arguments)
{
    function_variant variant = {0};
    JG_TRY(read_keywords(&reader->text, keywords));
    JG_TRY(read_arguments(reader, arguments));
    variant.nkeywords = (int)(keywords->nbytes / sizeof(char *));
    if (variant.nkeywords > count_of(arguments))
        return json_fail(&reader->text, "behind an argument for each keyword");
    JG_TRY(record_body(reader, arguments, &variant.record));
    variant.keywords = (char **)(void *)keywords->data;
    jg_status status = vec_append(&reader->variants, &variant, sizeof variant);
    if (status == JG_OK)
        *keywords = (base_vec){0};
    else
        jg_record_release(variant.record);
    return status;
}

static jg_status read_variant(function_reader *reader)
{
    base_vec keywords = {0}, arguments = {0};
    jg_status status = read_variant_into(reader, &keywords, &arguments);
    char **all = (char **)(void *)keywords.data;
    for (size_t i = 0; i < keywords.nbytes / sizeof *all; ++i)
        base_free(all[i]);
    vec_clear(&keywords);
    clear_arrays(&arguments);
    return status;
}

static jg_status check_primitive(const char *name, int64_t version)
{
    for (int i = 0; i < PRIMITIVE_COUNT; ++i)
        if (strcmp(primitive_rows[i].name, name) == 0) {
            if (version == FUNCTION_PRIMITIVE_VERSION)
                return JG_OK;
            break;
        }
    return base_fail(JG_ERR_UNSUPPORTED,
                     "[load] function: got version %" PRId64
                     " of the primitive '%.64s', allowed is %d and primitives of this library",
                     version, name, FUNCTION_PRIMITIVE_VERSION);
}

static jg_status read_primitives(io_cursor *text)
{
    JG_TRY(function_text_member(text, false, "primitives"));
    JG_TRY(json_expect(text, '['));
    if (json_accept(text, ']'))
        return JG_OK;
    do {
        char *name;
        int64_t version = 0;
        JG_TRY(function_text_member(text, true, "name"));
        JG_TRY(json_text(text, &name));
        jg_status status = function_text_member(text, false, "version");
        if (status == JG_OK)
            status = json_count(text, &version);
        if (status == JG_OK)
            status = check_primitive(name, version);
        base_free(name);
        JG_TRY(status);
        JG_TRY(json_expect(text, '}'));
    } while (json_accept(text, ','));
    return json_expect(text, ']');
}

static jg_array *find_tensor(const jg_exported *function, int number)
{
    char name[32];
    snprintf(name, sizeof name, FUNCTION_CONSTANT, number);
    for (int i = 0; i < function->tensors.count; ++i)
        if (strcmp(function->tensors.items[i].name, name) == 0)
            return function->tensors.items[i].array;
    return NULL;
}

/* Back from what to_tensor (function.c) made of a constant: of that dtype and shape, or NULL.
 * gives: *out, +1 */
static jg_status from_tensor(jg_array *x, jg_dtype dtype, int ndim, const int64_t *shape,
                             jg_array **out)
{
    int64_t size;
    jg_array *numbers;
    *out = NULL;
    JG_TRY(shape_size(ndim, shape, &size));
    if (x->dtype == dtype && x->ndim == ndim && function_same_shape(ndim, shape, node_shape(x))) {
        *out = jg_array_retain(x);
        return JG_OK;
    }
    if (dtype != JG_DTYPE_COMPLEX128 || x->dtype != JG_DTYPE_FLOAT64 || x->ndim != 1 ||
        x->size != 2 * size)
        return JG_OK;
    JG_TRY(jg_bitcast(x, dtype, &numbers));
    jg_status status = jg_reshape(numbers, ndim, shape, out);
    jg_array_release(numbers);
    return status;
}

/* Constants are where arguments are: on the default device. keeps: x */
static jg_status append_constant(base_vec *constants, jg_array *x)
{
    jg_array *there;
    int device;
    JG_TRY(device_default_require(&device));
    JG_TRY(graph_to_device(x, device, &there));
    jg_status status = append_array(constants, there);
    jg_array_release(there);
    return status;
}

static jg_status read_constant(function_reader *reader)
{
    jg_dtype dtype;
    int64_t shape[JG_MAX_NDIM];
    int ndim, number = count_of(&reader->constants);
    JG_TRY(function_text_type(&reader->text, true, &dtype, &ndim, shape));
    JG_TRY(json_expect(&reader->text, '}'));
    jg_array *tensor = find_tensor(reader->function, number), *x = NULL;
    if (tensor != NULL)
        JG_TRY(from_tensor(tensor, dtype, ndim, shape, &x));
    if (x == NULL)
        return base_fail(JG_ERR_VALUE,
                         "[load] function: constant %d is not among the tensors of the file, or is "
                         "another one there; allowed is one of %s with %d axes, as the text says",
                         number, dtype_rows[dtype].name, ndim);
    jg_status status = append_constant(&reader->constants, x);
    jg_array_release(x);
    return status;
}

/* A constant that cannot be used in place is read once, not by each call. */
static jg_status read_constants(function_reader *reader)
{
    JG_TRY(function_text_member(&reader->text, false, "constants"));
    JG_TRY(json_expect(&reader->text, '['));
    if (json_accept(&reader->text, ']'))
        return JG_OK;
    do
        JG_TRY(read_constant(reader));
    while (json_accept(&reader->text, ','));
    JG_TRY(json_expect(&reader->text, ']'));
    return jg_eval(count_of(&reader->constants), arrays_of(&reader->constants));
}

static jg_status read_variants(function_reader *reader)
{
    JG_TRY(function_text_member(&reader->text, false, "traces"));
    JG_TRY(json_expect(&reader->text, '['));
    do
        JG_TRY(read_variant(reader));
    while (json_accept(&reader->text, ','));
    JG_TRY(json_expect(&reader->text, ']'));
    JG_TRY(json_expect(&reader->text, '}'));
    json_skip_space(&reader->text);
    return reader->text.at == reader->text.nbytes ? JG_OK
                                                  : json_fail(&reader->text, "the end of the text");
}

static jg_status read_all(function_reader *reader)
{
    JG_TRY(function_text_member(&reader->text, true, "name"));
    JG_TRY(json_text(&reader->text, &reader->function->name));
    JG_TRY(read_primitives(&reader->text));
    JG_TRY(read_constants(reader));
    return read_variants(reader);
}

jg_status function_read(jg_exported *function, const char *text)
{
    function_reader reader = {
        .text = {"function", (const uint8_t *)text, strlen(text), 0},
        .function = function,
    };
    jg_status status = read_all(&reader);
    function->variants = (function_variant *)(void *)reader.variants.data;
    function->nvariants = (int)(reader.variants.nbytes / sizeof(function_variant));
    clear_arrays(&reader.constants);
    clear_arrays(&reader.values);
    return status;
}
