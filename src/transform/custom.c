/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with rules of their own: how the passes go through their results. */
#include "transform/tracing.h"

static jg_array **alloc_arrays(int count)
{
    size_t nbytes = (size_t)count * sizeof(jg_array *);
    jg_array **arrays = base_alloc_zeroed(nbytes ? nbytes : 1);
    if (arrays == NULL)
        (void)base_nomem(nbytes, "a call of a function with rules");
    return arrays;
}

static void release_rules(void *context)
{
    jg_custom_rules *rules = context;
    if (rules->release != NULL)
        rules->release(rules->context);
    base_free(rules);
}

jg_status custom_rules_new(const jg_custom_rules *rules, jg_buffer **out)
{
    jg_device *host = device_at(0);
    jg_custom_rules *copy = base_alloc(sizeof *copy);
    if (copy == NULL)
        return base_nomem(sizeof *copy, "a function's rules");
    *copy = *rules;
    jg_status status = buffer_take_foreign(host, host->id, NULL, 0, 0, release_rules, copy, out);
    if (status != JG_OK)
        base_free(copy);
    return status;
}

void custom_rules_give_back(jg_buffer *rules)
{
    ((jg_custom_rules *)rules->context)->release = NULL;
}

const jg_custom_rules *custom_rules_of(const graph_custom_call *call)
{
    return call->rules->context;
}

bool custom_runs_again(const graph_custom_call *call)
{
    return custom_rules_of(call)->run != NULL;
}

/* Arrays that a function with a rule for derivatives uses besides its inputs are constants. So its
 * results need the rule even if only such an array is traced. */
static bool needs_rules(const jg_custom_rules *rules, int ninputs, int noutputs,
                        jg_array *const *inputs, jg_array *const *values)
{
    bool derives = rules->vjp != NULL || rules->jvp != NULL;
    return node_any_is_traced(ninputs, inputs) || (derives && node_any_is_traced(noutputs, values));
}

/* The rule for a batch is asked about inputs: where none of them is traced, values are batched. */
static bool has_batch_rule(const graph_custom_call *call)
{
    return custom_rules_of(call)->vmap != NULL && node_any_is_traced(call->ninputs, call->arrays);
}

custom_way custom_way_of(const graph_custom_call *call, tape_kind kind)
{
    const jg_custom_rules *rules = custom_rules_of(call);
    switch (kind) {
    case TAPE_REVERSE: return rules->vjp != NULL ? CUSTOM_RULE : CUSTOM_VALUE;
    case TAPE_FORWARD: return rules->jvp != NULL ? CUSTOM_RULE : CUSTOM_VALUE;
    case TAPE_BATCH: return has_batch_rule(call) ? CUSTOM_RULE : CUSTOM_ALL;
    case TAPE_VALUES: return CUSTOM_VALUE;
    case TAPE_RECORD: break;
    }
    return rules->run != NULL ? CUSTOM_RULE : CUSTOM_ALL;
}

custom_links *custom_links_of(const transform_tape *tape, const tape_entry *entry)
{
    int32_t *slots = (int32_t *)(void *)tape->slots.data + entry->inputs;
    return (custom_links *)(void *)(slots + tape_ninputs(entry->node));
}

bool jg_array_is_traced(const jg_array *x)
{
    return node_is_traced(x);
}

const char *jg_tracing_caller(void)
{
    const traced_call *call = traced_innermost();
    return call != NULL ? call->caller : NULL;
}

static jg_status make_results(graph_custom_call *call, jg_array **outputs)
{
    jg_status status = JG_OK;
    int done = 0;
    for (; done < call->noutputs && status == JG_OK; done += status == JG_OK)
        status = graph_custom_call_result(call, done, &outputs[done]);
    while (status != JG_OK && done > 0) {
        jg_array_release(outputs[--done]);
        outputs[done] = NULL;
    }
    return status;
}

/* If `run` is given, the values have no graph from which derivatives or batches could be found, so
 * all three rules are required. */
static jg_status check_rules(const jg_custom_rules *rules)
{
    if (rules->run == NULL || (rules->vjp != NULL && rules->jvp != NULL && rules->vmap != NULL))
        return JG_OK;
    return base_fail(
        JG_ERR_VALUE,
        "rules: run is given and %s is NULL, allowed beside run are all three of vjp, jvp "
        "and vmap",
        rules->vjp == NULL   ? "vjp"
        : rules->jvp == NULL ? "jvp"
                             : "vmap");
}

/* keeps: rules */
static jg_status results_with(jg_buffer *rules, int ninputs, jg_array *const *inputs, int noutputs,
                              jg_array *const *values, jg_array **outputs)
{
    graph_custom_call *call;
    JG_TRY(graph_custom_call_new(rules, ninputs, ninputs, inputs, noutputs, values, &call));
    jg_status status = make_results(call, outputs);
    graph_custom_call_release(call);
    return status;
}

jg_status jg_custom_results(const jg_custom_rules *rules, int ninputs, jg_array *const *inputs,
                            int noutputs, jg_array *const *values, jg_array **outputs)
{
    jg_buffer *held;
    JG_TRY(check_rules(rules));
    JG_TRY(graph_check_arrays("inputs", ninputs, inputs));
    JG_TRY(graph_check_arrays("values", noutputs, values));
    if (!needs_rules(rules, ninputs, noutputs, inputs, values)) {
        for (int i = 0; i < noutputs; ++i)
            outputs[i] = jg_array_retain(values[i]);
        if (rules->release != NULL)
            rules->release(rules->context);
        return JG_OK;
    }
    JG_TRY(custom_rules_new(rules, &held));
    jg_status status = results_with(held, ninputs, inputs, noutputs, values, outputs);
    if (status != JG_OK)
        custom_rules_give_back(held); /* what failed may hold them a while longer */
    buffer_release(held);
    return status;
}

jg_status jg_custom(jg_function *function, void *context, const jg_custom_rules *rules, int ninputs,
                    jg_array *const *inputs, int noutputs, jg_array **outputs)
{
    jg_array **values = alloc_arrays(int_max(noutputs, 0));
    if (values == NULL)
        return JG_ERR_NOMEM;
    jg_status status =
        transform_call("custom", function, context, ninputs, inputs, noutputs, values);
    if (status == JG_OK) {
        status = jg_custom_results(rules, ninputs, inputs, noutputs, values, outputs);
        node_release_all(noutputs, values);
    }
    base_free(values);
    return status;
}

jg_status transform_fill_zeros(int count, jg_array *const *like, jg_array **arrays)
{
    jg_status status = JG_OK;
    for (int i = 0; i < count && status == JG_OK; ++i)
        if (arrays[i] == NULL)
            status = transform_zeros(like[i], &arrays[i]);
    return status;
}

/* Moves the cotangents of the call's results out of the pass. outputs: set to the call's values,
 * borrowed | gives: cotangents, +1 each, NULL for zero; *some */
static void take_cotangents(reverse_pass *pass, int first, jg_array **outputs,
                            jg_array **cotangents, bool *some)
{
    const transform_tape *tape = pass->tape;
    *some = false;
    for (int32_t i = first; i >= 0;) {
        const tape_entry *entry = &tape_entries(tape)[i];
        jg_array **value = &pass->values[tape->nmarkers + i];
        int number = entry->node->attributes.custom.number;
        outputs[number] = entry->node;
        cotangents[number] = *value;
        *some |= *value != NULL;
        *value = NULL;
        i = custom_links_of(tape, entry)->next;
    }
}

static jg_status give_shares(reverse_pass *pass, const graph_custom_call *call, jg_array **shares)
{
    jg_status status = JG_OK;
    for (int i = 0; i < call->ninputs && status == JG_OK; ++i) {
        if (shares[i] == NULL || !reverse_wants(pass, i))
            continue;
        status = transform_check_vector("vjp: shares", i, shares[i], call->arrays[i]);
        if (status == JG_OK)
            status = reverse_give(pass, i, shares[i]);
    }
    return status;
}

/* outputs, cotangents and shares: memory for as many as the call has */
static jg_status ask_vjp(reverse_pass *pass, int first, const graph_custom_call *call,
                         jg_array **outputs, jg_array **cotangents, jg_array **shares)
{
    const jg_custom_rules *rules = custom_rules_of(call);
    jg_array *const *values = call->arrays + call->ninputs;
    bool some;
    for (int i = 0; i < call->noutputs; ++i)
        outputs[i] = values[i];
    take_cotangents(pass, first, outputs, cotangents, &some);
    if (!some)
        return JG_OK;
    JG_TRY(transform_fill_zeros(call->noutputs, values, cotangents));
    unsigned before = error_count();
    jg_status status = rules->vjp(rules->context, call->ninputs, call->arrays, call->noutputs,
                                  outputs, cotangents, shares);
    JG_TRY(error_of_callback(before, status, "custom", "vjp"));
    return give_shares(pass, call, shares);
}

static jg_status reverse_by_rule(reverse_pass *pass, int first, const graph_custom_call *call)
{
    jg_array **outputs = alloc_arrays(2 * call->noutputs + call->ninputs);
    if (outputs == NULL)
        return JG_ERR_NOMEM;
    jg_array **cotangents = outputs + call->noutputs, **shares = cotangents + call->noutputs;
    jg_status status = ask_vjp(pass, first, call, outputs, cotangents, shares);
    node_release_all(call->noutputs + call->ninputs, cotangents);
    base_free(outputs);
    return status;
}

static jg_status reverse_by_value(reverse_pass *pass, int at, const graph_custom_call *call)
{
    jg_array **value = &pass->values[pass->tape->nmarkers + at], *cotangent = *value;
    if (cotangent == NULL)
        return JG_OK;
    *value = NULL;
    int number = call->ninputs + pass->entry->node->attributes.custom.number;
    jg_status status = reverse_give(pass, number, cotangent);
    jg_array_release(cotangent);
    return status;
}

jg_status custom_reverse(reverse_pass *pass, int at)
{
    const graph_custom_call *call = node_custom_call(pass->entry->node);
    if (custom_way_of(call, TAPE_REVERSE) == CUSTOM_VALUE)
        return reverse_by_value(pass, at, call);
    if (custom_links_of(pass->tape, pass->entry)->first != at)
        return JG_OK;
    return reverse_by_rule(pass, at, call);
}

/* gives: tangents, of the call's inputs, +1 each, NULL for zero | gives: whether there is one */
static bool find_tangents(const transform_tape *tape, const tape_entry *entry, jg_array **values,
                          jg_array **tangents)
{
    const int32_t *slots = tape_inputs(tape, entry);
    bool some = false;
    for (int i = 0; i < node_custom_call(entry->node)->ninputs; ++i) {
        jg_array *value = slots[i] < 0 ? NULL : values[slots[i]];
        tangents[i] = value != NULL ? jg_array_retain(value) : NULL;
        some |= value != NULL;
    }
    return some;
}

/* what: for messages | takes: made, those of the results on the tape */
static jg_status place_results(const char *what, const transform_tape *tape, int first,
                               const graph_custom_call *call, jg_array **made, jg_array **values)
{
    for (int32_t i = first; i >= 0;) {
        const tape_entry *entry = &tape_entries(tape)[i];
        int number = entry->node->attributes.custom.number;
        jg_array *result = made[number];
        if (result != NULL)
            JG_TRY(
                transform_check_vector(what, number, result, call->arrays[call->ninputs + number]));
        values[tape->nmarkers + i] = result;
        made[number] = NULL;
        i = custom_links_of(tape, entry)->next;
    }
    return JG_OK;
}

static jg_status ask_jvp(const transform_tape *tape, int first, const graph_custom_call *call,
                         jg_array **tangents, jg_array **made, jg_array **values)
{
    const jg_custom_rules *rules = custom_rules_of(call);
    if (!find_tangents(tape, &tape_entries(tape)[first], values, tangents))
        return JG_OK;
    JG_TRY(transform_fill_zeros(call->ninputs, call->arrays, tangents));
    unsigned before = error_count();
    jg_status status =
        rules->jvp(rules->context, call->ninputs, call->arrays, tangents, call->noutputs, made);
    JG_TRY(error_of_callback(before, status, "custom", "jvp"));
    return place_results("jvp: tangents", tape, first, call, made, values);
}

static jg_status forward_by_rule(const transform_tape *tape, int first,
                                 const graph_custom_call *call, jg_array **values)
{
    int count = call->ninputs + call->noutputs;
    jg_array **tangents = alloc_arrays(count);
    if (tangents == NULL)
        return JG_ERR_NOMEM;
    jg_status status = ask_jvp(tape, first, call, tangents, tangents + call->ninputs, values);
    node_release_all(count, tangents);
    base_free(tangents);
    return status;
}

jg_status custom_forward(const transform_tape *tape, int at, jg_array **values)
{
    const tape_entry *entry = &tape_entries(tape)[at];
    const graph_custom_call *call = node_custom_call(entry->node);
    if (custom_way_of(call, TAPE_FORWARD) == CUSTOM_RULE)
        return custom_links_of(tape, entry)->first == at ? forward_by_rule(tape, at, call, values)
                                                         : JG_OK;
    int number = call->ninputs + entry->node->attributes.custom.number;
    int32_t slot = tape_inputs(tape, entry)[number];
    jg_array *tangent = slot < 0 ? NULL : values[slot];
    values[tape->nmarkers + at] = tangent != NULL ? jg_array_retain(tangent) : NULL;
    return JG_OK;
}

static jg_status new_call(const transform_tape *tape, const tape_entry *entry, jg_array **values,
                          graph_custom_call **out)
{
    const graph_custom_call *call = node_custom_call(entry->node);
    const int32_t *slots = tape_inputs(tape, entry);
    int count = call->ninputs + call->noutputs;
    jg_array **arrays = alloc_arrays(count);
    if (arrays == NULL)
        return JG_ERR_NOMEM;
    for (int i = 0; i < count; ++i)
        arrays[i] = slots[i] < 0 ? call->arrays[i] : values[slots[i]];
    *out = NULL;
    jg_status status = JG_OK;
    if (needs_rules(custom_rules_of(call), call->ninputs, call->noutputs, arrays,
                    arrays + call->ninputs))
        status = graph_custom_call_new(call->rules, call->ninputs, call->nfree, arrays,
                                       call->noutputs, arrays + call->ninputs, out);
    base_free(arrays);
    return status;
}

/* All results of the call at the first of them. */
static jg_status run_again(const transform_tape *tape, int first, jg_array **values)
{
    const tape_entry *entry = &tape_entries(tape)[first];
    const graph_custom_call *call = node_custom_call(entry->node);
    const jg_custom_rules *rules = custom_rules_of(call);
    const int32_t *slots = tape_inputs(tape, entry);
    jg_array **inputs = alloc_arrays(call->ninputs + call->noutputs);
    if (inputs == NULL)
        return JG_ERR_NOMEM;
    jg_array **outputs = inputs + call->ninputs;
    for (int i = 0; i < call->ninputs; ++i)
        inputs[i] = slots[i] < 0 ? call->arrays[i] : values[slots[i]];
    jg_status status = transform_call("custom", rules->run, rules->context, call->ninputs, inputs,
                                      call->noutputs, outputs);
    if (status == JG_OK)
        status = graph_check_arrays("run: outputs", call->noutputs, outputs);
    if (status == JG_OK)
        status = place_results("run: outputs", tape, first, call, outputs, values);
    node_release_all(call->noutputs, outputs);
    base_free(inputs);
    return status;
}

jg_status custom_replay(const transform_tape *tape, int at, jg_array **values)
{
    const tape_entry *entry = &tape_entries(tape)[at];
    const graph_custom_call *old = node_custom_call(entry->node);
    int first = custom_links_of(tape, entry)->first, number = entry->node->attributes.custom.number;
    jg_array **value = &values[tape->nmarkers + at];
    graph_custom_call *call;
    if (custom_runs_again(old))
        return first == at ? run_again(tape, at, values) : JG_OK;
    if (first != at && (call = node_custom_call(values[tape->nmarkers + first])) != NULL)
        return graph_custom_call_result(call, number, value);
    JG_TRY(new_call(tape, entry, values, &call));
    if (call == NULL) {
        int32_t slot = tape_inputs(tape, entry)[old->ninputs + number];
        *value = jg_array_retain(slot < 0 ? old->arrays[old->ninputs + number] : values[slot]);
        return JG_OK;
    }
    jg_status status = graph_custom_call_result(call, number, value);
    graph_custom_call_release(call);
    return status;
}
