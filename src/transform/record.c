/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded functions: the tape from placeholders to results, as records. */
#include "transform/record.h"
#include <string.h>

/* A function that is being recorded, on one thread. Every placeholder and every key belongs to this
 * recording alone until it ends, as a record or as nothing. */
struct jg_recording {
    traced_call call; /* first member: the graph's view of it */
    base_vec keys;    /* jg_array *, +1 each: placeholders of random keys */
    int count;
    jg_array *placeholders[]; /* +1 each; the name lies behind them */
};

static jg_status make_placeholders(jg_recording *recording, int count, jg_array *const *arguments)
{
    for (; recording->count < count; ++recording->count) {
        const jg_array *x = arguments[recording->count];
        JG_TRY(jg_array_without_values(x, &recording->placeholders[recording->count]));
    }
    return JG_OK;
}

/* A placeholder, which a call of the recorded function draws anew. */
static jg_status record_key(traced_call *call, jg_array **out)
{
    jg_recording *recording = (jg_recording *)(void *)call;
    jg_layout layout;
    jg_array *key;
    int device;
    JG_TRY(device_default_require(&device));
    JG_TRY(layout_init(&layout, 0, NULL));
    JG_TRY(node_placeholder((unsigned)device | NODE_ANYWHERE, JG_DTYPE_UINT64, &layout, &key));
    jg_status status = vec_append(&recording->keys, &key, sizeof key);
    if (status != JG_OK) {
        jg_array_release(key);
        return status;
    }
    *out = jg_array_retain(key);
    return JG_OK;
}

jg_status jg_recording_begin(const char *name, int count, jg_array *const *arguments,
                             jg_array **placeholders, jg_recording **out)
{
    JG_TRY(graph_check_arrays("arguments", count, arguments));
    size_t length = strlen(name) + 1;
    size_t nbytes = sizeof(jg_recording) + (size_t)count * sizeof(jg_array *) + length;
    jg_recording *recording = base_alloc_zeroed(nbytes);
    if (recording == NULL)
        return base_nomem(nbytes, "a recording");
    recording->call =
        (traced_call){.caller = "compile",
                      .name = memcpy((char *)recording + nbytes - length, name, length),
                      .does = "traced",
                      .recorded = true,
                      .key = record_key};
    traced_enter(&recording->call);
    jg_status status = make_placeholders(recording, count, arguments);
    if (status != JG_OK) {
        jg_recording_abort(recording);
        return status;
    }
    for (int i = 0; i < count; ++i)
        placeholders[i] = jg_array_retain(recording->placeholders[i]);
    recording->call.argument = count > 0 ? recording->placeholders[0] : NULL;
    *out = recording;
    return JG_OK;
}

static jg_array **keys_of(const jg_recording *recording)
{
    return (jg_array **)(void *)recording->keys.data;
}

static int count_keys(const jg_recording *recording)
{
    return (int)(recording->keys.nbytes / sizeof(jg_array *));
}

void jg_recording_abort(jg_recording *recording)
{
    if (recording == NULL)
        return;
    traced_leave(&recording->call);
    node_release_all(recording->count, recording->placeholders);
    node_release_all(count_keys(recording), keys_of(recording));
    vec_clear(&recording->keys);
    base_free(recording);
}

/* Keeps an array that was not made from the arguments: it is computed now, not at each call.
 * Numbers and ranges stay what they are, as they cost nothing and are folded into programs. */
static jg_status keep_constant(jg_record *record, jg_array *x, base_vec *pending)
{
    jg_primitive primitive = (jg_primitive)node_root(x)->primitive;
    if (primitive == PRIMITIVE_full || primitive == PRIMITIVE_arange)
        return JG_OK;
    record->nconstants += 1;
    if (node_is_traced(x))
        record->of_one_call = true;
    else if (!node_has_storage(x))
        return vec_append(pending, &x, sizeof x);
    return JG_OK;
}

static jg_status find_constants(jg_record *record, base_vec *pending)
{
    const tape_entry *entries = tape_entries(&record->tape);
    for (int i = 0; i < tape_count(&record->tape); ++i) {
        const int32_t *slots = tape_inputs(&record->tape, &entries[i]);
        jg_array *const *arrays = tape_arrays(entries[i].node);
        for (int j = 0; j < tape_nrecorded(entries[i].node); ++j)
            if (slots[j] < 0)
                JG_TRY(keep_constant(record, arrays[j], pending));
    }
    for (int i = 0; i < record->noutputs; ++i)
        if (record->outputs[i] != NULL)
            JG_TRY(keep_constant(record, record->outputs[i], pending));
    return JG_OK;
}

static jg_status compute_constants(jg_record *record)
{
    base_vec pending = {0};
    jg_status status = find_constants(record, &pending);
    int count = (int)(pending.nbytes / sizeof(jg_array *));
    if (status == JG_OK && count > 0)
        status = run_eval(count, (jg_array **)(void *)pending.data, true);
    vec_clear(&pending);
    return status;
}

static jg_status new_record(jg_recording *recording, int noutputs, jg_record **out)
{
    int nmarkers = recording->count + count_keys(recording);
    size_t nbytes = sizeof(jg_record) + (size_t)(noutputs + nmarkers) * sizeof(jg_array *) +
                    (size_t)noutputs * sizeof(int32_t);
    jg_record *record = base_alloc_zeroed(nbytes);
    if (record == NULL)
        return base_nomem(nbytes, "a recorded function");
    atomic_init(&record->refs, 1);
    record->noutputs = noutputs;
    record->nargs = recording->count;
    record->nkeys = count_keys(recording);
    record->markers = record->outputs + noutputs;
    record->slots = (int32_t *)(void *)(record->markers + nmarkers);
    for (int i = 0; i < recording->count; ++i)
        record->markers[i] = jg_array_retain(recording->placeholders[i]);
    for (int i = recording->count; i < nmarkers; ++i)
        record->markers[i] = jg_array_retain(keys_of(recording)[i - recording->count]);
    *out = record;
    return JG_OK;
}

static jg_status fill_record(jg_record *record, jg_array *const *outputs)
{
    JG_TRY(tape_build(TAPE_RECORD, record->nargs + record->nkeys, record->markers, record->noutputs,
                      outputs, &record->tape, record->slots));
    for (int i = 0; i < record->noutputs; ++i)
        if (record->slots[i] < 0) {
            record->outputs[i] = jg_array_retain(outputs[i]);
            record->slots[i] = node_has_storage(outputs[i]) ? RECORD_FOUND : RECORD_MADE;
        }
    JG_TRY(compute_constants(record));
    return record_find_results(record);
}

jg_status jg_recording_end(jg_recording *recording, int noutputs, jg_array *const *outputs,
                           jg_record **out)
{
    jg_record *record = NULL;
    JG_TRY(graph_check_arrays("outputs", noutputs, outputs));
    JG_TRY(new_record(recording, noutputs, &record));
    jg_status status = fill_record(record, outputs);
    if (status != JG_OK) {
        jg_record_release(record);
        return status;
    }
    jg_recording_abort(recording);
    *out = record;
    return JG_OK;
}

int jg_record_nconstants(const jg_record *record)
{
    return record->nconstants;
}

bool jg_record_is_of_one_call(const jg_record *record)
{
    return record->of_one_call;
}

bool jg_record_reads(const jg_record *record, int argument)
{
    return argument >= 0 && argument < record->nargs && record->is_read[argument];
}

jg_record *jg_record_retain(jg_record *record)
{
    atomic_fetch_add_explicit(&record->refs, 1, memory_order_relaxed);
    return record;
}

void jg_record_release(jg_record *record)
{
    if (record == NULL || atomic_fetch_sub_explicit(&record->refs, 1, memory_order_acq_rel) != 1)
        return;
    node_release_all(record->noutputs, record->outputs);
    node_release_all(record->nargs + record->nkeys, record->markers);
    tape_clear(&record->tape);
    run_plans_release(record->function.plans);
    vec_clear(&record->constants);
    base_free(record->forms);
    base_free(record->reads);
    base_free(record->results);
    base_free(record);
}

static jg_array *output_of(const jg_record *record, int output)
{
    int32_t slot = record->slots[output];
    if (slot < 0)
        return record->outputs[output];
    if (slot < record->tape.nmarkers)
        return record->markers[slot];
    return tape_entries(&record->tape)[slot - record->tape.nmarkers].node;
}

/* A function that calls run again has no nodes that a description could list. */
static jg_status refuse_runs(const jg_record *record)
{
    const tape_entry *entries = tape_entries(&record->tape);
    for (int i = 0; i < tape_count(&record->tape); ++i) {
        const graph_custom_call *call = node_custom_call(entries[i].node);
        if (call != NULL && custom_runs_again(call))
            return base_fail(JG_ERR_UNSUPPORTED, "a kernel that the function launches has no place "
                                                 "in a file; allowed are ops");
    }
    return JG_OK;
}

jg_status transform_record_values_tape(const jg_record *record, transform_tape *out, int32_t *slots)
{
    *out = (transform_tape){0};
    JG_TRY(refuse_runs(record));
    size_t nbytes = ((size_t)record->noutputs + 1) * sizeof(jg_array *);
    jg_array **outputs = base_alloc(nbytes);
    *out = (transform_tape){0};
    if (outputs == NULL)
        return base_nomem(nbytes, "a list of arrays");
    for (int i = 0; i < record->noutputs; ++i)
        outputs[i] = output_of(record, i);
    jg_status status = tape_build(TAPE_VALUES, record->nargs + record->nkeys, record->markers,
                                  record->noutputs, outputs, out, slots);
    base_free(outputs);
    return status;
}

jg_record_counts jg_record_count(const jg_record *record)
{
    return (jg_record_counts){record->nargs, record->nkeys, tape_count(&record->tape),
                              record->noutputs};
}

static jg_status check_number(const char *what, int number, int count)
{
    if (number >= 0 && number < count)
        return JG_OK;
    return base_fail(JG_ERR_VALUE, "%s: got %d, allowed is 0 to %d", what, number, count - 1);
}

/* A view has the offset and the strides of its layout, from the first element of its root. */
static int count_attributes(const jg_array *node)
{
    if (node_custom_call(node) != NULL)
        return 0;
    return node->primitive == PRIMITIVE_view ? 2 : primitive_rows[node->primitive].nattributes;
}

jg_status jg_record_node_at(const jg_record *record, int node, jg_record_node *out)
{
    JG_TRY(check_number("node", node, tape_count(&record->tape)));
    const tape_entry *entry = &tape_entries(&record->tape)[node];
    *out = (jg_record_node){.primitive = primitive_rows[entry->node->primitive].name,
                            .number = record->tape.nmarkers + node,
                            .ninputs = tape_ninputs(entry->node),
                            .numbers = tape_inputs(&record->tape, entry),
                            .inputs = tape_arrays(entry->node),
                            .like = entry->node,
                            .nattributes = count_attributes(entry->node),
                            .result = entry->node->result};
    return JG_OK;
}

static void describe_view(const jg_array *view, int attribute, jg_record_attribute *out)
{
    if (attribute == 0) {
        *out = (jg_record_attribute){.name = "offset", .kind = JG_RECORD_INTEGER, .count = 1};
        out->integers[0] = view->offset - view->inputs[0]->offset;
        return;
    }
    *out = (jg_record_attribute){.name = "strides", .kind = JG_RECORD_LIST, .count = view->ndim};
    for (int i = 0; i < view->ndim; ++i)
        out->integers[i] = node_strides(view)[i];
}

static void list_axes(uint64_t axes, jg_record_attribute *out)
{
    out->kind = JG_RECORD_LIST;
    for (int i = 0; i < JG_MAX_NDIM; ++i)
        if (axes >> i & 1)
            out->integers[out->count++] = i;
}

static void list_space(const int64_t *space, jg_record_attribute *out)
{
    out->kind = JG_RECORD_LIST;
    out->count = PRIMITIVE_SPACE_AXES;
    memcpy(out->integers, space, PRIMITIVE_SPACE_AXES * sizeof *space);
}

static void take_integer(jg_record_attribute_kind kind, int64_t value, jg_record_attribute *out)
{
    out->kind = kind;
    out->count = 1;
    out->integers[0] = value;
}

/* Choices are enums, of which int is the type. */
static void take_choice(const primitive_attribute *row, const char *at, jg_record_attribute *out)
{
    unsigned choice;
    memcpy(&choice, at, sizeof choice);
    out->kind = JG_RECORD_TEXT;
    out->text = row->options[choice];
}

/* No attribute is a NUMBER here: only nodes without inputs have such, and this one has inputs. */
static void describe_attribute(const primitive_attribute *row, const char *at,
                               jg_record_attribute *out)
{
    *out = (jg_record_attribute){.name = row->name};
    switch ((attribute_type)row->type) {
    case ATTRIBUTE_INTEGER:
        take_integer(JG_RECORD_INTEGER, *(const int64_t *)(const void *)at, out);
        break;
    case ATTRIBUTE_FLAG: take_integer(JG_RECORD_FLAG, *(const bool *)at, out); break;
    case ATTRIBUTE_AXES: list_axes(*(const uint64_t *)(const void *)at, out); break;
    case ATTRIBUTE_SPACE: list_space((const int64_t *)(const void *)at, out); break;
    case ATTRIBUTE_CHOICE: take_choice(row, at, out); break;
    case ATTRIBUTE_REAL:
    case ATTRIBUTE_NUMBER:
        out->kind = JG_RECORD_REAL;
        memcpy(&out->real, at, sizeof out->real);
        break;
    }
}

jg_status jg_record_attribute_at(const jg_record *record, int node, int attribute,
                                 jg_record_attribute *out)
{
    jg_record_node found;
    JG_TRY(jg_record_node_at(record, node, &found));
    JG_TRY(check_number("attribute", attribute, found.nattributes));
    if (found.like->primitive == PRIMITIVE_view) {
        describe_view(found.like, attribute, out);
        return JG_OK;
    }
    const primitive_attribute *row = &primitive_rows[found.like->primitive].attributes[attribute];
    const char *bytes = (const char *)node_attributes_of(found.like);
    describe_attribute(row, bytes + row->offset, out);
    return JG_OK;
}

jg_status jg_record_argument_at(const jg_record *record, int argument, const jg_array **out)
{
    JG_TRY(check_number("argument", argument, record->nargs + record->nkeys));
    *out = record->markers[argument];
    return JG_OK;
}

jg_status jg_record_output_at(const jg_record *record, int output, int32_t *number,
                              const jg_array **constant)
{
    JG_TRY(check_number("output", output, record->noutputs));
    *number = record->slots[output];
    *constant = record->outputs[output];
    return JG_OK;
}
