/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of recorded functions.
 *
 * A call builds the nodes of the record again on its arguments. If these are in memory the call is
 * deferred (graph/deferred.h): it makes the nodes of the results alone. The other nodes are built
 * only if something else than an evaluation of the call needs them. */
#include "transform/record.h"
#include <string.h>

enum { FEW_SLOTS = 128 };

/* If other pending work uses the results of a call, its nodes must be built later, and deferring
 * the call has saved nothing. After EXPANDED_IN_A_ROW such calls in a row, only one call in
 * DEFERRED_OF is deferred. */
enum { EXPANDED_IN_A_ROW = 8, DEFERRED_OF = 32 };

static const int32_t *inputs_at(const jg_record *record, int32_t entry)
{
    return tape_inputs(&record->tape, &tape_entries(&record->tape)[entry]);
}

static const jg_array *node_at(const jg_record *record, int32_t entry)
{
    return tape_entries(&record->tape)[entry].node;
}

/* The slot of the value that tape_replay puts in the slot: a marker whose tracing has ended, and a
 * result of a function with rules, are replaced by their values. */
static int32_t resolve(const jg_record *record, int32_t slot)
{
    while (slot >= record->tape.nmarkers) {
        int32_t entry = slot - record->tape.nmarkers;
        const jg_array *node = node_at(record, entry);
        const graph_custom_call *call = node_custom_call(node);
        if (call != NULL)
            slot = inputs_at(record, entry)[call->ninputs + node->attributes.custom.number];
        else if (node->primitive == PRIMITIVE_marker)
            slot = inputs_at(record, entry)[0];
        else
            break;
    }
    return slot;
}

/* The entry of the output's root. gives: false for an output that calls cannot be deferred with;
 * *entry, -1: nothing has to be computed for it */
static bool find_root(const jg_record *record, int32_t slot, int32_t *entry)
{
    *entry = -1;
    if (slot < record->nargs)
        return true;
    slot = resolve(record, slot);
    if (slot >= record->tape.nmarkers) {
        const jg_array *node = node_at(record, slot - record->tape.nmarkers);
        if (node->primitive == PRIMITIVE_view) {
            if (node->dtype != node->inputs[0]->dtype)
                return false;
            slot = resolve(record, inputs_at(record, slot - record->tape.nmarkers)[0]);
        }
    }
    if (slot >= record->tape.nmarkers)
        *entry = slot - record->tape.nmarkers;
    else if (slot >= record->nargs) /* a key would be seen, and evaluated, before the call is */
        return false;
    /* The value of a function with rules may be a view; a view of it would be one of a copy. */
    return slot >= 0 && (*entry < 0 || node_at(record, *entry)->primitive != PRIMITIVE_view);
}

/* Whether calls may be deferred that read the array, a constant or what an entry is like. */
static bool is_plain(const jg_array *x)
{
    return node_device(x) == 0 && (node_flags(x) & ~NODE_IS_TRACED) == 0;
}

/* gives: *plain | raises: NOMEM */
static jg_status list_constants(jg_record *record, bool *plain)
{
    *plain = true;
    for (int32_t i = 0; i < tape_count(&record->tape) && *plain; ++i) {
        const jg_array *node = node_at(record, i);
        const int32_t *slots = inputs_at(record, i);
        *plain = node_device(node) == 0;
        for (int j = 0; j < tape_ninputs(node) && *plain; ++j) {
            jg_array *const *x = &tape_arrays(node)[j];
            if (slots[j] >= 0)
                continue;
            *plain = is_plain(*x) && !node_is_traced(*x);
            JG_TRY(vec_append(&record->constants, x, sizeof *x));
        }
    }
    record->function.constants = (jg_array *const *)(const void *)record->constants.data;
    record->function.nconstants = (int)(record->constants.nbytes / sizeof(jg_array *));
    return JG_OK;
}

/* gives: false where there is one that calls cannot be deferred with */
static bool number_results(jg_record *record)
{
    for (int32_t i = 0; i < tape_count(&record->tape); ++i)
        record->result_at[i] = -1;
    for (int i = 0; i < record->noutputs; ++i) {
        int32_t entry;
        record->result_of[i] = -1;
        if (!find_root(record, record->slots[i], &entry))
            return false;
        if (entry < 0)
            continue;
        if (record->result_at[entry] < 0) {
            if (node_at(record, entry)->nresults != 0)
                return false;
            record->results[record->nresults] = entry;
            record->result_at[entry] = record->nresults++;
        }
        record->result_of[i] = record->result_at[entry];
    }
    return record->nresults > 0;
}

static void retain_function(deferred_function *function)
{
    (void)jg_record_retain((jg_record *)(void *)function);
}

static void release_function(deferred_function *function)
{
    jg_record_release((jg_record *)(void *)function);
}

/* gives: record->is_read, record->reads | raises: NOMEM */
static jg_status list_reads(jg_record *record)
{
    size_t count = (size_t)record->tape.nmarkers, nbytes = count * (sizeof(int32_t) + sizeof(bool));
    record->reads = base_alloc_zeroed(nbytes + 1);
    if (record->reads == NULL)
        return base_nomem(nbytes, "a recorded function");
    record->is_read = (bool *)(record->reads + count);
    for (int32_t i = 0; i < tape_count(&record->tape); ++i)
        for (int j = 0; j < tape_nrecorded(node_at(record, i)); ++j)
            if (inputs_at(record, i)[j] >= 0 && inputs_at(record, i)[j] < record->tape.nmarkers)
                record->is_read[inputs_at(record, i)[j]] = true;
    for (int i = 0; i < record->noutputs; ++i)
        if (record->slots[i] >= 0 && record->slots[i] < record->tape.nmarkers)
            record->is_read[record->slots[i]] = true;
    for (int32_t i = 0; i < record->tape.nmarkers; ++i)
        if (record->is_read[i])
            record->reads[record->nreads++] = i;
    return JG_OK;
}

static jg_status build_call(const deferred_call *call, jg_array *const *results, jg_array **built);
static jg_status write_forms(jg_record *record);

jg_status record_find_results(jg_record *record)
{
    size_t count = 2 * (size_t)record->noutputs + (size_t)tape_count(&record->tape);
    bool plain;
    record->function = (deferred_function){
        .build = build_call, .retain = retain_function, .release = release_function};
    JG_TRY(write_forms(record));
    JG_TRY(list_reads(record));
    JG_TRY(list_constants(record, &plain));
    if (!plain || record->of_one_call || count == 0)
        return JG_OK;
    record->results = base_alloc(count * sizeof *record->results);
    if (record->results == NULL)
        return base_nomem(count * sizeof *record->results, "a recorded function");
    record->result_of = record->results + record->noutputs;
    record->result_at = record->result_of + record->noutputs;
    if (!number_results(record)) {
        base_free(record->results);
        record->results = NULL;
    }
    return JG_OK;
}

/* Dtype, number of axes and device of an array in one word. */
static int64_t form_of(const jg_array *x)
{
    return x->dtype | (int64_t)x->ndim << 8 | (int64_t)node_device(x) << 16;
}

static int ndim_of_form(int64_t form)
{
    return (int)(form >> 8 & 0xff);
}

/* The forms of the arguments, each with its extents and strides behind it. A call compares its
 * inputs with these words, which lie closer together than the placeholders. */
static jg_status write_forms(jg_record *record)
{
    size_t count = 1;
    for (int i = 0; i < record->nargs; ++i)
        count += 1 + 2 * (size_t)record->markers[i]->ndim;
    int64_t *at = record->forms = base_alloc(count * sizeof *at);
    if (at == NULL)
        return base_nomem(count * sizeof *at, "a recorded function");
    for (int i = 0; i < record->nargs; ++i) {
        const jg_array *like = record->markers[i];
        *at++ = form_of(like);
        for (int j = 0; j < 2 * like->ndim; ++j)
            *at++ = like->dims[j];
    }
    return JG_OK;
}

JG_COLD static jg_status fail_input(int number, const jg_array *x, const jg_array *like)
{
    char got[NODE_TEXT_SIZE], allowed[NODE_TEXT_SIZE];
    return base_fail(JG_ERR_VALUE,
                     "inputs: number %d is %s, allowed is what the function is for, %s", number,
                     node_form_text(got, x), node_form_text(allowed, like));
}

/* The properties of the inputs that a call reads. */
typedef struct call_inputs {
    bool in_memory;    /* all are, and have nothing to do with fields or traced functions */
    uint32_t height;   /* the largest */
    unsigned anywhere; /* NODE_ANYWHERE if one of them has it */
} call_inputs;

static jg_status check_count(const jg_record *record, int ninputs, jg_array *const *inputs)
{
    if (ninputs != record->nargs)
        return base_fail(JG_ERR_VALUE,
                         "inputs: got %d, allowed are %d, with which the function was recorded",
                         ninputs, record->nargs);
    return inputs != NULL ? JG_OK : graph_check_arrays("inputs", ninputs, inputs);
}

static bool has_form(const jg_array *x, const int64_t *form)
{
    if (JG_UNLIKELY(form_of(x) != *form++))
        return false;
    for (int i = 0; i < 2 * x->ndim; ++i)
        if (JG_UNLIKELY(x->dims[i] != *form++))
            return false;
    return true;
}

static jg_status check_inputs(const jg_record *record, int ninputs, jg_array *const *inputs,
                              call_inputs *facts)
{
    const int64_t *form = record->forms;
    JG_TRY(check_count(record, ninputs, inputs));
    *facts = (call_inputs){true, 0, 0};
    for (int i = 0; i < ninputs; form += 1 + 2 * ndim_of_form(*form), ++i) {
        const jg_array *x = inputs[i];
        if (x == NULL && !record->is_read[i])
            continue;
        if (JG_UNLIKELY(x == NULL))
            return base_fail(JG_ERR_VALUE, "inputs: number %d is NULL, allowed are arrays", i);
        if (JG_UNLIKELY(!has_form(x, form)))
            return fail_input(i, x, record->markers[i]);
        if (!record->is_read[i])
            continue;
        facts->in_memory &= node_flags(x) == 0 && node_has_storage(x);
        facts->anywhere |= x->device & NODE_ANYWHERE;
        facts->height = uint_max(x->height, facts->height);
    }
    return JG_OK;
}

static bool is_worth_deferring(jg_record *record)
{
    if (JG_LIKELY(atomic_load_explicit(&record->function.expanded, memory_order_relaxed) <
                  EXPANDED_IN_A_ROW))
        return true;
    return atomic_fetch_add_explicit(&record->skipped, 1, memory_order_relaxed) % DEFERRED_OF == 0;
}

/* No values by slot yet. values: few, of FEW_SLOTS, or a block */
static jg_status begin_values(const jg_record *record, jg_array **few, jg_array ***values,
                              int *count)
{
    *count = record->tape.nmarkers + tape_count(&record->tape);
    size_t nbytes = (size_t)*count * sizeof **values;
    *values = few;
    if (*count > FEW_SLOTS && (*values = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "a call of a recorded function");
    memset(*values, 0, nbytes);
    return JG_OK;
}

static void end_values(jg_array **few, jg_array **values, int count)
{
    node_release_all(count, values);
    if (values != few)
        base_free(values);
}

static bool is_view(const jg_array *x)
{
    return x->primitive == PRIMITIVE_view;
}

/* The array whose memory an output has that the function made. */
static jg_array *made_root(jg_array *output)
{
    return is_view(output) ? output->inputs[0] : output;
}

/* A copy of what an output that the function made lies over: that of an earlier output, if both lie
 * over the same. outputs: this call's. gives: *out, +1 */
static jg_status copy_root(const jg_record *record, int output, jg_array *const *outputs,
                           jg_array **out)
{
    jg_array *root = made_root(record->outputs[output]);
    for (int i = 0; i < output; ++i)
        if (record->slots[i] == RECORD_MADE && made_root(record->outputs[i]) == root) {
            *out = jg_array_retain(made_root(outputs[i]));
            return JG_OK;
        }
    return jg_copy(root, out);
}

/* outputs: this call's, up to that one. gives: outputs[output], +1 */
static jg_status give_constant(const jg_record *record, int output, jg_array **outputs)
{
    jg_array *constant = record->outputs[output], *root;
    if (record->slots[output] != RECORD_MADE) {
        outputs[output] = jg_array_retain(constant);
        return JG_OK;
    }
    JG_TRY(copy_root(record, output, outputs, &root));
    if (!is_view(constant)) {
        outputs[output] = root;
        return JG_OK;
    }
    jg_status status = transform_view_apply(constant, root, &outputs[output]);
    jg_array_release(root);
    return status;
}

static void take_back(int count, jg_array **outputs)
{
    while (count > 0) {
        jg_array_release(outputs[--count]);
        outputs[count] = NULL;
    }
}

static jg_status replay(const jg_record *record, jg_array **values, jg_array **outputs)
{
    JG_TRY(tape_replay(&record->tape, values, NULL, NULL));
    for (int i = 0; i < record->noutputs; ++i) {
        int32_t slot = record->slots[i];
        jg_status status = JG_OK;
        if (slot >= 0)
            outputs[i] = jg_array_retain(values[slot]);
        else
            status = give_constant(record, i, outputs);
        if (status != JG_OK) {
            take_back(i, outputs);
            return status;
        }
    }
    return JG_OK;
}

static jg_status call_at_once(const jg_record *record, jg_array *const *inputs, jg_array **outputs)
{
    jg_array *few[FEW_SLOTS], **values;
    int count;
    JG_TRY(begin_values(record, few, &values, &count));
    for (int i = 0; i < record->nreads; ++i)
        values[record->reads[i]] = jg_array_retain(inputs[record->reads[i]]);
    jg_status status = replay(record, values, outputs);
    end_values(few, values, count);
    return status;
}

typedef struct call_building {
    const jg_record *record;
    jg_array *const *results;
    jg_array **built;
} call_building;

/* Later nodes read the node that the call gave for a result. */
static jg_status put_result(void *context, int entry, jg_array **value)
{
    const call_building *building = context;
    int32_t result = building->record->result_at[entry];
    if (result < 0 || building->results[result] == NULL)
        return JG_OK;
    building->built[result] = *value;
    *value = jg_array_retain(building->results[result]);
    return JG_OK;
}

static jg_status build_call(const deferred_call *call, jg_array *const *results, jg_array **built)
{
    const jg_record *record = (const jg_record *)(const void *)call->function;
    call_building building = {record, results, built};
    jg_array *few[FEW_SLOTS], **values;
    int count;
    JG_TRY(begin_values(record, few, &values, &count));
    for (int i = 0; i < record->nreads; ++i)
        values[record->reads[i]] = jg_array_retain(call->arrays[i]);
    jg_status status = tape_replay(&record->tape, values, put_result, &building);
    end_values(few, values, count);
    return status;
}

/* An output that depends on an argument. gives: *out, +1 */
static jg_status give_value(const jg_record *record, int output, jg_array *const *inputs,
                            jg_array *const *results, jg_array **out)
{
    int32_t slot = record->slots[output], result = record->result_of[output];
    slot = resolve(record, slot);
    if (slot < record->nargs) {
        *out = jg_array_retain(inputs[slot]);
        return JG_OK;
    }
    int32_t entry = slot - record->tape.nmarkers;
    if (node_at(record, entry)->primitive == PRIMITIVE_view) {
        jg_array *root =
            result >= 0 ? results[result] : inputs[resolve(record, inputs_at(record, entry)[0])];
        return transform_view_apply(node_at(record, entry), root, out);
    }
    *out = jg_array_retain(results[result]);
    return JG_OK;
}

static jg_status give_outputs(const jg_record *record, jg_array *const *inputs,
                              jg_array *const *results, jg_array **outputs)
{
    jg_status status = JG_OK;
    int done = 0;
    for (; done < record->noutputs && status == JG_OK; done += status == JG_OK)
        status = record->slots[done] < 0
                     ? give_constant(record, done, outputs)
                     : give_value(record, done, inputs, results, &outputs[done]);
    if (status != JG_OK)
        take_back(done, outputs);
    return status;
}

/* Gives NODE_ANYWHERE to results that are made only of arrays that have it, as building would. The
 * record's nodes do not have it, as placeholders are on the devices of the first arguments. */
static jg_status pass_anywhere(const jg_record *record, jg_array *const *inputs,
                               jg_array *const *results)
{
    uint8_t few[FEW_SLOTS], *slots = few;
    int count = record->tape.nmarkers + tape_count(&record->tape);
    if (count > FEW_SLOTS && (slots = base_alloc((size_t)count)) == NULL)
        return base_nomem((size_t)count, "a call of a recorded function");
    for (int i = 0; i < record->tape.nmarkers; ++i)
        slots[i] = record->is_read[i] ? inputs[i]->device & NODE_ANYWHERE : 0;
    for (int32_t i = 0; i < tape_count(&record->tape); ++i) {
        const jg_array *node = node_at(record, i);
        const graph_custom_call *call = node_custom_call(node);
        int first = call != NULL ? call->ninputs + node->attributes.custom.number : 0;
        int end = call != NULL ? first + 1 : node->ninputs;
        uint8_t all = node_crosses(node) ? 0 : NODE_ANYWHERE;
        for (int j = first; j < end; ++j) {
            int32_t slot = inputs_at(record, i)[j];
            all &= slot < 0 ? tape_arrays(node)[j]->device : slots[slot];
        }
        slots[record->tape.nmarkers + i] = all;
    }
    for (int i = 0; i < record->nresults; ++i)
        results[i]->device |= slots[record->tape.nmarkers + record->results[i]];
    if (slots != few)
        base_free(slots);
    return JG_OK;
}

/* results: memory for those of the record */
static jg_status call_into(jg_record *record, jg_array *const *inputs, const call_inputs *facts,
                           jg_array **results, jg_array **outputs)
{
    deferred_call *call;
    int done = 0;
    JG_TRY(deferred_call_new(&record->function, record->nreads, record->reads, inputs,
                             record->nresults, &call));
    jg_status status = JG_OK;
    for (; done < record->nresults && status == JG_OK; done += status == JG_OK)
        status = deferred_call_result(call, done, node_at(record, record->results[done]),
                                      facts->height, &results[done]);
    if (status == JG_OK && facts->anywhere)
        status = pass_anywhere(record, inputs, results);
    if (status == JG_OK)
        status = give_outputs(record, inputs, results, outputs);
    while (done > 0)
        jg_array_release(results[--done]);
    deferred_call_release(call);
    return status;
}

static jg_status call_later(jg_record *record, jg_array *const *inputs, const call_inputs *facts,
                            jg_array **outputs)
{
    jg_array *few[DEFERRED_FEW_RESULTS], **results = few;
    size_t nbytes = (size_t)record->nresults * sizeof *results;
    if (record->nresults > DEFERRED_FEW_RESULTS && (results = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "a call of a recorded function");
    jg_status status = call_into(record, inputs, facts, results, outputs);
    if (results != few)
        base_free(results);
    return status;
}

/* A number is bound when a plan runs; a key that is recorded in its turn is none. */
static bool are_numbers(int count, jg_array *const *keys)
{
    for (int i = 0; i < count; ++i)
        if (keys[i]->primitive != PRIMITIVE_full || !is_plain(keys[i]) || node_is_traced(keys[i]))
            return false;
    return true;
}

/* inputs: the arguments, then the keys */
static jg_status call_with(jg_record *record, jg_array *const *inputs, const call_inputs *facts,
                           jg_array **outputs)
{
    if (record->results != NULL && facts->in_memory && is_worth_deferring(record) &&
        are_numbers(record->nkeys, inputs + record->nargs))
        return call_later(record, inputs, facts, outputs);
    return call_at_once(record, inputs, outputs);
}

/* Keys are drawn at the call, whatever is evaluated first. */
static jg_status call_drawing(jg_record *record, jg_array *const *inputs, const call_inputs *facts,
                              jg_array **outputs)
{
    size_t nbytes = (size_t)record->tape.nmarkers * sizeof(jg_array *);
    jg_array **all = base_alloc(nbytes);
    int end = record->nargs;
    if (all == NULL)
        return base_nomem(nbytes, "a call of a recorded function");
    for (int i = 0; i < end; ++i)
        all[i] = inputs[i];
    jg_status status = JG_OK;
    for (; end < record->tape.nmarkers && status == JG_OK; end += status == JG_OK)
        status = compose_next_key(traced_innermost(), &all[end]);
    if (status == JG_OK)
        status = call_with(record, all, facts, outputs);
    while (end > record->nargs)
        jg_array_release(all[--end]);
    base_free(all);
    return status;
}

jg_status jg_record_call(jg_record *record, int ninputs, jg_array *const *inputs,
                         jg_array **outputs)
{
    call_inputs facts = {false, 0, 0};
    JG_TRY(check_inputs(record, ninputs, inputs, &facts));
    return record->nkeys > 0 ? call_drawing(record, inputs, &facts, outputs)
                             : call_with(record, inputs, &facts, outputs);
}
