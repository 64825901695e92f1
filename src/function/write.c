/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records as the text of a file. A variant's values are numbered in tape order, but the
 * results of one call are adjacent, and numbers and ranges, which no tape has, come just before
 * their first use. */
#include "function/function.h"
#include <inttypes.h>
#include <string.h>

/* The state of the writer of a variant. A value is the slot of the tape, or an array that is no
 * node of the tape. */
typedef struct variant_writer {
    function_writer *file;
    base_text *text;
    const jg_record *record;
    transform_tape tape;
    int32_t *numbers; /* by slot; -1: not written yet */
    base_vec made;    /* made_number, of arrays that no slot has */
    int32_t next;
    int device;
} variant_writer;

/* A value that was written for an array that depends on no argument. */
typedef struct made_number {
    const jg_array *array;
    int32_t number;
} made_number;

static void write_type(base_text *text, jg_dtype dtype, int ndim, const int64_t *shape)
{
    text_add(text, "\"dtype\":\"%s\",\"shape\":", dtype_rows[dtype].name);
    text_add_list(text, ndim, shape);
}

static void write_bits(base_text *text, const void *bytes, size_t nbytes)
{
    text_add(text, "\"");
    for (size_t i = 0; i < nbytes; ++i)
        text_add(text, "%02x", ((const uint8_t *)bytes)[i]);
    text_add(text, "\"");
}

static void write_axes(base_text *text, uint64_t axes)
{
    int64_t list[JG_MAX_NDIM];
    int count = 0;
    for (int i = 0; i < JG_MAX_NDIM; ++i)
        if (axes >> i & 1)
            list[count++] = i;
    text_add_list(text, count, list);
}

/* Floating numbers are written as their bytes, which are exact and have no decimal point. */
static void write_attribute(base_text *text, const primitive_attribute *row, const char *at)
{
    unsigned choice;
    text_add(text, "\"%s\":", row->name);
    switch ((attribute_type)row->type) {
    case ATTRIBUTE_INTEGER: text_add(text, "%" PRId64, *(const int64_t *)(const void *)at); break;
    case ATTRIBUTE_FLAG: text_add(text, "%d", *(const bool *)at); break;
    case ATTRIBUTE_AXES: write_axes(text, *(const uint64_t *)(const void *)at); break;
    case ATTRIBUTE_SPACE:
        text_add_list(text, PRIMITIVE_SPACE_AXES, (const int64_t *)(const void *)at);
        break;
    case ATTRIBUTE_REAL:
    case ATTRIBUTE_NUMBER: write_bits(text, at, row->nbytes); break;
    case ATTRIBUTE_CHOICE:
        memcpy(&choice, at, sizeof choice);
        json_write_text(text, row->options[choice]);
        break;
    }
}

/* A view has the offset of its elements in its root. */
static void write_attributes(base_text *text, const jg_array *node)
{
    const primitive_row *row = &primitive_rows[node->primitive];
    const char *bytes = (const char *)node_attributes_of(node);
    text_add(text, "\"attributes\":{");
    if (node->primitive == PRIMITIVE_view) {
        text_add(text, "\"offset\":%" PRId64 ",\"strides\":", node->offset);
        text_add_list(text, node->ndim, node_strides(node));
    }
    for (int i = 0; i < row->nattributes; ++i) {
        text_add(text, i ? "," : "");
        write_attribute(text, &row->attributes[i], bytes + row->attributes[i].offset);
    }
    text_add(text, "}");
}

static jg_status note_primitive(function_writer *file, const jg_array *node)
{
    for (size_t i = 0; i < file->primitives.nbytes; ++i)
        if ((uint8_t)file->primitives.data[i] == node->primitive)
            return JG_OK;
    return vec_append(&file->primitives, &node->primitive, sizeof node->primitive);
}

/* results: nodes of one call, in the order in which they are numbered */
static jg_status write_node(variant_writer *variant, const jg_array *node, const int32_t *inputs,
                            int count, const jg_array *const *results)
{
    base_text *text = variant->text;
    JG_TRY(note_primitive(variant->file, node));
    text_add(text, "%s\n{\"op\":\"%s\",\"inputs\":[",
             variant->next > variant->tape.nmarkers ? "," : "", op_name((jg_op)node->label));
    for (int i = 0; i < node->ninputs; ++i)
        text_add(text, i ? ",%" PRId32 : "%" PRId32, inputs[i]);
    text_add(text, "],");
    write_attributes(text, node);
    text_add(text, ",\"results\":[");
    for (int i = 0; i < count; ++i) {
        text_add(text, "%s{\"number\":%d,", i ? "," : "", (int)results[i]->result);
        write_type(text, (jg_dtype)results[i]->dtype, results[i]->ndim, node_shape(results[i]));
        text_add(text, "}");
    }
    text_add(text, "]}");
    variant->next += count;
    return JG_OK;
}

/* -1 for the file's first constant, and so on. */
static jg_status number_constant(function_writer *file, jg_array *x, int32_t *out)
{
    jg_array *const *arrays = (jg_array *const *)(void *)file->constants.data;
    int32_t count = (int32_t)(file->constants.nbytes / sizeof *arrays);
    for (int32_t i = 0; i < count; ++i)
        if (arrays[i] == x) {
            *out = -1 - i;
            return JG_OK;
        }
    JG_TRY(vec_append(&file->constants, &x, sizeof x));
    jg_array_retain(x);
    *out = -1 - count;
    return JG_OK;
}

static jg_status number_array(variant_writer *variant, jg_array *x, int32_t *out);

/* Numbers and ranges take no bytes in a file, and a view that repeats elements takes that of its
 * root; both become nodes. */
static jg_status write_made(variant_writer *variant, jg_array *x, int32_t *out)
{
    const made_number *made = (const made_number *)(const void *)variant->made.data;
    for (size_t i = 0; i < variant->made.nbytes / sizeof *made; ++i)
        if (made[i].array == x) {
            *out = made[i].number;
            return JG_OK;
        }
    int32_t root = 0;
    if (x->primitive == PRIMITIVE_view)
        JG_TRY(number_array(variant, x->inputs[0], &root));
    const made_number here = {x, variant->next};
    const jg_array *results[] = {x};
    *out = variant->next;
    JG_TRY(vec_append(&variant->made, &here, sizeof here));
    return write_node(variant, x, &root, 1, results);
}

static jg_status check_device(const variant_writer *variant, const jg_array *x)
{
    if (node_device(x) == variant->device)
        return JG_OK;
    return base_fail(JG_ERR_UNSUPPORTED,
                     "the function uses arrays on several devices, of which %s:%d is one, allowed "
                     "is one for all",
                     jg_device_type_name(jg_array_device(x).type), (int)jg_array_device(x).id);
}

static jg_status check_constant(const variant_writer *variant, const jg_array *x)
{
    if (node_is_traced(x) && !node_has_storage(x))
        return base_fail(JG_ERR_UNSUPPORTED,
                         "the function uses an argument of another function that "
                         "is being transformed, which has no values; pass it as an argument");
    return check_device(variant, x);
}

static jg_status number_array(variant_writer *variant, jg_array *x, int32_t *out)
{
    const jg_array *root = node_root(x);
    bool repeats = x != root && x->dtype == root->dtype && x->size > root->size && root->contiguous;
    if (node_is_remade(root) || repeats)
        return write_made(variant, x, out);
    JG_TRY(check_constant(variant, x));
    return number_constant(variant->file, x, out);
}

/* Results of custom functions and markers are copies; only transformations distinguish them from
 * their sources. */
static int32_t find_copied(const variant_writer *variant, const tape_entry *entry)
{
    const int32_t *slots = tape_inputs(&variant->tape, entry);
    const graph_custom_call *call = node_custom_call(entry->node);
    if (call != NULL)
        return slots[call->ninputs + entry->node->attributes.custom.number];
    bool copies =
        entry->node->primitive == PRIMITIVE_marker || entry->node->primitive == PRIMITIVE_custom;
    return copies ? slots[0] : -1;
}

/* The results of one call that the tape has, from entry number `at` on; they have the same
 * inputs. */
static int find_results(const variant_writer *variant, int at, int *entries,
                        const jg_array **results)
{
    const tape_entry *all = tape_entries(&variant->tape);
    const jg_array *node = all[at].node;
    int count = 0;
    for (int i = at; i < tape_count(&variant->tape) && count < GRAPH_MAX_RESULTS; ++i) {
        bool same = i == at || (node->family != NULL && all[i].node->family == node->family &&
                                all[i].node->nresults != 0);
        if (!same)
            continue;
        entries[count] = i;
        results[count++] = all[i].node;
        if (node->nresults == 0 || node->family == NULL)
            break;
    }
    return count;
}

/* inputs: memory for node->ninputs */
static jg_status number_inputs(variant_writer *variant, const tape_entry *entry, int32_t *inputs)
{
    const int32_t *slots = tape_inputs(&variant->tape, entry);
    for (int i = 0; i < entry->node->ninputs; ++i)
        if (slots[i] >= 0)
            inputs[i] = variant->numbers[slots[i]];
        else
            JG_TRY(number_array(variant, entry->node->inputs[i], &inputs[i]));
    return JG_OK;
}

/* A group is this process's, and no file can name it. */
static jg_status check_message(const jg_array *node)
{
    if (!node_is_message(node))
        return JG_OK;
    return base_fail(JG_ERR_UNSUPPORTED,
                     "the function calls %s, which belongs to a group of processes: a file cannot "
                     "hold it; call it outside of the function",
                     op_name((jg_op)node->label));
}

static jg_status write_call(variant_writer *variant, int at, int32_t *inputs)
{
    const tape_entry *entry = &tape_entries(&variant->tape)[at];
    const jg_array *results[GRAPH_MAX_RESULTS];
    int entries[GRAPH_MAX_RESULTS];
    JG_TRY(check_device(variant, entry->node));
    JG_TRY(check_message(entry->node));
    JG_TRY(number_inputs(variant, entry, inputs));
    int count = find_results(variant, at, entries, results);
    for (int i = 0; i < count; ++i)
        variant->numbers[variant->tape.nmarkers + entries[i]] = variant->next + i;
    return write_node(variant, entry->node, inputs, count, results);
}

static jg_status write_entry(variant_writer *variant, int at)
{
    const tape_entry *entry = &tape_entries(&variant->tape)[at];
    int32_t *number = &variant->numbers[variant->tape.nmarkers + at], few[GRAPH_FEW_INPUTS];
    int32_t copied = find_copied(variant, entry), *inputs = few;
    if (*number >= 0)
        return JG_OK;
    if (copied >= 0) {
        *number = variant->numbers[copied];
        return JG_OK;
    }
    size_t nbytes = (size_t)entry->node->ninputs * sizeof *inputs;
    if (entry->node->ninputs > GRAPH_FEW_INPUTS && (inputs = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "a file of a function");
    jg_status status = write_call(variant, at, inputs);
    if (inputs != few)
        base_free(inputs);
    return status;
}

static jg_status write_outputs(variant_writer *variant, const int32_t *slots)
{
    jg_record_counts counts = jg_record_count(variant->record);
    base_text outputs = {0};
    jg_status status = JG_OK;
    text_add(&outputs, "\"outputs\":[");
    for (int i = 0; i < counts.outputs && status == JG_OK; ++i) {
        int32_t slot, number = 0;
        const jg_array *constant;
        status = jg_record_output_at(variant->record, i, &slot, &constant);
        if (status == JG_OK && constant != NULL)
            status = number_array(variant, (jg_array *)constant, &number);
        else if (status == JG_OK)
            number = variant->numbers[slots[i]];
        text_add(&outputs, i ? ",%" PRId32 : "%" PRId32, number);
    }
    if (status == JG_OK && (status = text_status(&outputs)) == JG_OK)
        text_add(variant->text, "],\n%.*s]}", (int)outputs.bytes.nbytes, outputs.bytes.data);
    text_clear(&outputs);
    return status;
}

static jg_status write_arguments(variant_writer *variant, const jg_function_variant *of)
{
    jg_record_counts counts = jg_record_count(of->record);
    text_add(variant->text, "{\"keywords\":[");
    for (int i = 0; i < of->nkeywords; ++i) {
        text_add(variant->text, i ? "," : "");
        json_write_text(variant->text, of->keywords[i]);
    }
    text_add(variant->text, "],\"arguments\":[");
    for (int i = 0; i < counts.arguments; ++i) {
        const jg_array *like;
        JG_TRY(jg_record_argument_at(of->record, i, &like));
        if (i == 0)
            variant->device = node_device(like);
        JG_TRY(check_device(variant, like));
        text_add(variant->text, i ? ",{" : "{");
        write_type(variant->text, (jg_dtype)like->dtype, like->ndim, node_shape(like));
        text_add(variant->text, "}");
    }
    text_add(variant->text, "],\"keys\":%d,\"nodes\":[", counts.keys);
    return JG_OK;
}

static jg_status write_nodes(variant_writer *variant, int32_t *slots)
{
    int count = variant->tape.nmarkers + tape_count(&variant->tape);
    variant->numbers = base_alloc((size_t)count * sizeof *variant->numbers);
    if (variant->numbers == NULL)
        return base_nomem((size_t)count * sizeof *variant->numbers, "a file of a function");
    for (int i = 0; i < count; ++i)
        variant->numbers[i] = i < variant->tape.nmarkers ? i : -1;
    variant->next = variant->tape.nmarkers;
    for (int i = 0; i < tape_count(&variant->tape); ++i)
        JG_TRY(write_entry(variant, i));
    return write_outputs(variant, slots);
}

static jg_status write_variant(function_writer *file, base_text *text,
                               const jg_function_variant *of)
{
    variant_writer variant = {.file = file, .text = text, .record = of->record};
    JG_TRY(device_default_require(&variant.device));
    size_t nbytes = ((size_t)jg_record_count(of->record).outputs + 1) * sizeof(int32_t);
    int32_t *slots = base_alloc(nbytes);
    if (slots == NULL)
        return base_nomem(nbytes, "a file of a function");
    jg_status status = transform_record_values_tape(of->record, &variant.tape, slots);
    if (status == JG_OK)
        status = write_arguments(&variant, of);
    if (status == JG_OK)
        status = write_nodes(&variant, slots);
    tape_clear(&variant.tape);
    vec_clear(&variant.made);
    base_free(variant.numbers);
    base_free(slots);
    return status;
}

static void write_constants(const function_writer *file, base_text *text)
{
    jg_array *const *arrays = (jg_array *const *)(void *)file->constants.data;
    text_add(text, "\"constants\":[");
    for (size_t i = 0; i < file->constants.nbytes / sizeof *arrays; ++i) {
        text_add(text, i ? ",{" : "{");
        write_type(text, (jg_dtype)arrays[i]->dtype, arrays[i]->ndim, node_shape(arrays[i]));
        text_add(text, "}");
    }
    text_add(text, "]");
}

static void write_primitives(const function_writer *file, base_text *text)
{
    text_add(text, "\"primitives\":[");
    for (size_t i = 0; i < file->primitives.nbytes; ++i)
        text_add(text, "%s{\"name\":\"%s\",\"version\":%d}", i ? "," : "",
                 primitive_rows[(uint8_t)file->primitives.data[i]].name,
                 FUNCTION_PRIMITIVE_VERSION);
    text_add(text, "]");
}

/* The head depends on the variants, so they are written to a buffer first and appended. */
jg_status function_write(function_writer *writer, const char *name, int nvariants,
                         const jg_function_variant *variants, char **out)
{
    base_text text = {0}, bodies = {0};
    jg_status status = JG_OK;
    for (int i = 0; i < nvariants && status == JG_OK; ++i) {
        text_add(&bodies, i ? ",\n" : "");
        status = write_variant(writer, &bodies, &variants[i]);
    }
    if (status == JG_OK)
        status = text_status(&bodies);
    if (status == JG_OK) {
        text_add(&text, "{\"name\":");
        json_write_text(&text, name);
        text_add(&text, ",");
        write_primitives(writer, &text);
        text_add(&text, ",\n");
        write_constants(writer, &text);
        text_add(&text, ",\n\"traces\":[");
        text_add(&text, "%.*s]}", (int)bodies.bytes.nbytes, bodies.bytes.data);
        status = text_finish(&text, out);
    }
    text_clear(&text);
    text_clear(&bodies);
    return status;
}

void function_writer_clear(function_writer *writer)
{
    jg_array **arrays = (jg_array **)(void *)writer->constants.data;
    for (size_t i = 0; i < writer->constants.nbytes / sizeof *arrays; ++i)
        jg_array_release(arrays[i]);
    vec_clear(&writer->constants);
    vec_clear(&writer->primitives);
}
