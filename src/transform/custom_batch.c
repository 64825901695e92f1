/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with rules of their own in a batch. If they have a rule for batches, it is called. If
 * not, what the function did is batched, and its other rules are batched with jg_vmap. */
#include "transform/batch.h"
#include <string.h>

/* mapped: which inputs have the batch as their first axis. All values have it. */
typedef struct batched_rules {
    jg_buffer *rules; /* +1: of an element of the batch */
    int ninputs, noutputs;
    bool *mapped;      /* in the same block */
    jg_array *forms[]; /* +1 each: without values, as an element's results are */
} batched_rules;

static void release_batched(void *context)
{
    batched_rules *batched = context;
    buffer_release(batched->rules);
    node_release_all(batched->noutputs, batched->forms);
    base_free(batched);
}

static const jg_custom_rules *rules_of(const batched_rules *batched)
{
    return batched->rules->context;
}

/* Makes zeros where a rule gave NULL, as jg_vmap takes no NULL. like: arrays of their forms */
static jg_status fill_results(int count, jg_array *const *like, jg_array **arrays)
{
    jg_status status = transform_fill_zeros(count, like, arrays);
    for (int i = 0; i < count && status != JG_OK; ++i) {
        jg_array_release(arrays[i]);
        arrays[i] = NULL;
    }
    return status;
}

/* An element's rule as a function that jg_vmap takes: its inputs are the lists, one after the
 * other. */
static jg_status element_vjp(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                             jg_array **outputs)
{
    const batched_rules *batched = context;
    const jg_custom_rules *rules = rules_of(batched);
    int nvalues = batched->noutputs;
    jg_array *const *values = inputs + noutputs;
    (void)ninputs;
    for (int i = 0; i < noutputs; ++i)
        outputs[i] = NULL;
    unsigned before = error_count();
    jg_status status =
        rules->vjp(rules->context, noutputs, inputs, nvalues, values, values + nvalues, outputs);
    JG_TRY(error_of_callback(before, status, "custom", "vjp"));
    return fill_results(noutputs, inputs, outputs);
}

static jg_status element_jvp(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                             jg_array **outputs)
{
    const batched_rules *batched = context;
    const jg_custom_rules *rules = rules_of(batched);
    int count = ninputs / 2;
    for (int i = 0; i < noutputs; ++i)
        outputs[i] = NULL;
    unsigned before = error_count();
    jg_status status = rules->jvp(rules->context, count, inputs, inputs + count, noutputs, outputs);
    JG_TRY(error_of_callback(before, status, "custom", "jvp"));
    return fill_results(noutputs, batched->forms, outputs);
}

/* The lists that a rule is given, one after the other, with the mapped axes, and memory for the
 * axes of the rule's results. */
typedef struct rule_arguments {
    int count;
    jg_array **arrays;
    int64_t *in_axes, *out_axes; /* in the same block */
} rule_arguments;

static jg_status arguments_init(rule_arguments *arguments, int capacity)
{
    size_t nbytes = (size_t)capacity * (sizeof(jg_array *) + 2 * sizeof(int64_t)) + 1;
    arguments->count = 0;
    arguments->arrays = base_alloc_zeroed(nbytes);
    if (arguments->arrays == NULL)
        return base_nomem(nbytes, "a rule of a batch");
    arguments->in_axes = (int64_t *)(void *)(arguments->arrays + capacity);
    arguments->out_axes = arguments->in_axes + capacity;
    return JG_OK;
}

/* mapped: NULL for all of them */
static void add_arguments(rule_arguments *arguments, int count, jg_array *const *arrays,
                          const bool *mapped)
{
    for (int i = 0; i < count; ++i) {
        arguments->arrays[arguments->count] = arrays[i];
        arguments->in_axes[arguments->count++] = mapped == NULL || mapped[i] ? 0 : JG_NOT_MAPPED;
    }
}

/* An input that is not mapped has one share, the sum of the shares of all elements. */
static jg_status sum_shares(const batched_rules *batched, jg_array **shares)
{
    const int64_t first = 0;
    for (int i = 0; i < batched->ninputs; ++i) {
        jg_array *sum;
        if (batched->mapped[i])
            continue;
        JG_TRY(compose_sum(shares[i], 1, &first, false, &sum));
        jg_array_release(shares[i]);
        shares[i] = sum;
    }
    return JG_OK;
}

static jg_status batched_vjp(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                             jg_array *const *outputs, jg_array *const *cotangents,
                             jg_array **shares)
{
    const batched_rules *batched = context;
    rule_arguments arguments = {0};
    JG_TRY(arguments_init(&arguments, ninputs + 2 * noutputs));
    add_arguments(&arguments, ninputs, inputs, batched->mapped);
    add_arguments(&arguments, noutputs, outputs, NULL);
    add_arguments(&arguments, noutputs, cotangents, NULL);
    jg_status status = jg_vmap(element_vjp, context, arguments.count, arguments.arrays,
                               arguments.in_axes, ninputs, shares, arguments.out_axes);
    base_free(arguments.arrays);
    return status == JG_OK ? sum_shares(batched, shares) : status;
}

static jg_status batched_jvp(void *context, int ninputs, jg_array *const *inputs,
                             jg_array *const *tangents, int noutputs, jg_array **out)
{
    const batched_rules *batched = context;
    rule_arguments arguments = {0};
    JG_TRY(arguments_init(&arguments, 2 * ninputs + noutputs));
    add_arguments(&arguments, ninputs, inputs, batched->mapped);
    add_arguments(&arguments, ninputs, tangents, batched->mapped);
    jg_status status = jg_vmap(element_jvp, context, arguments.count, arguments.arrays,
                               arguments.in_axes, noutputs, out, arguments.out_axes);
    base_free(arguments.arrays);
    return status;
}

static jg_status batched_rules_new(const graph_custom_call *call, const bool *mapped,
                                   jg_buffer **out)
{
    size_t forms = (size_t)call->noutputs * sizeof(jg_array *), ninputs = (size_t)call->ninputs;
    batched_rules *batched = base_alloc_zeroed(sizeof *batched + forms + ninputs);
    if (batched == NULL)
        return base_nomem(sizeof *batched + forms + ninputs, "the rules of a batch");
    batched->rules = buffer_retain(call->rules);
    batched->ninputs = call->ninputs;
    batched->mapped = (bool *)(batched->forms + call->noutputs);
    memcpy(batched->mapped, mapped, ninputs * sizeof *mapped);
    const jg_custom_rules *of_element = rules_of(batched);
    jg_custom_rules rules = {.context = batched, .release = release_batched};
    rules.vjp = of_element->vjp != NULL ? batched_vjp : NULL;
    rules.jvp = of_element->jvp != NULL ? batched_jvp : NULL;
    jg_status status = JG_OK;
    for (; batched->noutputs < call->noutputs && status == JG_OK;
         batched->noutputs += status == JG_OK)
        status = jg_array_without_values(call->arrays[call->ninputs + batched->noutputs],
                                         &batched->forms[batched->noutputs]);
    if (status == JG_OK)
        status = custom_rules_new(&rules, out);
    if (status != JG_OK)
        release_batched(batched);
    return status;
}

/* The call's arrays, with the batch's axis where they are mapped. */
typedef struct batched_call {
    const graph_custom_call *call;
    int64_t extent;
    jg_array **arrays; /* +1 each */
    bool *mapped;      /* in the same block */
} batched_call;

static int count_of(const graph_custom_call *call)
{
    return call->ninputs + call->noutputs;
}

static void call_clear(batched_call *batched)
{
    node_release_all(count_of(batched->call), batched->arrays);
    base_free(batched->arrays);
}

static jg_status call_init(batched_call *batched, const transform_tape *tape,
                           const tape_entry *entry, int64_t extent, jg_array **values)
{
    const graph_custom_call *call = node_custom_call(entry->node);
    const int32_t *slots = tape_inputs(tape, entry);
    size_t count = (size_t)count_of(call);
    *batched = (batched_call){
        call, extent, base_alloc_zeroed(count * (sizeof(jg_array *) + sizeof(bool)) + 1), NULL};
    if (batched->arrays == NULL)
        return base_nomem(count * sizeof(jg_array *), "a call that is batched");
    batched->mapped = (bool *)(batched->arrays + count);
    for (size_t i = 0; i < count; ++i) {
        batched->mapped[i] = slots[i] >= 0;
        batched->arrays[i] = jg_array_retain(slots[i] >= 0 ? values[slots[i]] : call->arrays[i]);
    }
    return JG_OK;
}

/* Gives array i the batch's axis, along which it is repeated. */
static jg_status map_array(batched_call *batched, int i)
{
    int64_t shape[JG_MAX_NDIM];
    jg_array *x = batched->arrays[i], *made;
    if (batched->mapped[i])
        return JG_OK;
    if (x->ndim >= JG_MAX_NDIM)
        return base_fail(JG_ERR_VALUE, "[vmap] in a batch an array has %d axes, allowed are %d",
                         x->ndim + 1, JG_MAX_NDIM);
    shape[0] = batched->extent;
    memcpy(shape + 1, node_shape(x), (size_t)x->ndim * sizeof *shape);
    JG_TRY(jg_broadcast_to(x, x->ndim + 1, shape, &made));
    jg_array_release(x);
    batched->arrays[i] = made;
    batched->mapped[i] = true;
    return JG_OK;
}

/* All values are mapped, and one input at least, as jg_vmap of a rule needs one. */
static jg_status map_what_must_be(batched_call *batched)
{
    const graph_custom_call *call = batched->call;
    bool some = call->ninputs == 0;
    for (int i = 0; i < call->ninputs; ++i)
        some |= batched->mapped[i];
    if (!some)
        JG_TRY(map_array(batched, 0));
    for (int i = call->ninputs; i < count_of(call); ++i)
        JG_TRY(map_array(batched, i));
    return JG_OK;
}

typedef jg_status place_function(void *context, int number, jg_array **out);

/* Sets the value of each result of the call that is on the tape to what the function gives. */
static jg_status place_results(const transform_tape *tape, int first, jg_array **values,
                               place_function *place, void *context)
{
    for (int32_t i = first; i >= 0;) {
        const tape_entry *entry = &tape_entries(tape)[i];
        JG_TRY(place(context, entry->node->attributes.custom.number, &values[tape->nmarkers + i]));
        i = custom_links_of(tape, entry)->next;
    }
    return JG_OK;
}

static jg_status place_result(void *context, int number, jg_array **out)
{
    return graph_custom_call_result(context, number, out);
}

static jg_status batch_again(batched_call *batched, const transform_tape *tape, int first,
                             jg_array **values)
{
    const graph_custom_call *call = batched->call;
    jg_buffer *rules;
    graph_custom_call *made = NULL;
    JG_TRY(map_what_must_be(batched));
    JG_TRY(batched_rules_new(call, batched->mapped, &rules));
    jg_status status =
        graph_custom_call_new(rules, call->ninputs, call->nfree, batched->arrays, call->noutputs,
                              batched->arrays + call->ninputs, &made);
    buffer_release(rules);
    JG_TRY(status);
    status = place_results(tape, first, values, place_result, made);
    graph_custom_call_release(made);
    return status;
}

/* The results of the rule for batches. */
typedef struct ruled_results {
    const batched_call *batched;
    jg_array **arrays; /* +1 each */
    int64_t *axes;     /* in the same block */
} ruled_results;

static jg_status fail_form(int number, const jg_array *x, const jg_array *like, bool mapped)
{
    return base_fail(JG_ERR_VALUE,
                     "vmap: outputs: number %d is %s with %d axes, allowed is %s with %d, as the "
                     "function gives for the batch",
                     number, jg_dtype_name((jg_dtype)x->dtype), x->ndim,
                     jg_dtype_name((jg_dtype)like->dtype), like->ndim + mapped);
}

static jg_status place_ruled(void *context, int number, jg_array **out)
{
    const ruled_results *results = context;
    const jg_array *like = results->batched->call->arrays[results->batched->call->ninputs + number];
    jg_array *x = results->arrays[number];
    int64_t shape[JG_MAX_NDIM], axis = results->axes[number];
    int from;
    if (x == NULL)
        return base_fail(JG_ERR_VALUE, "vmap: outputs: number %d is NULL, allowed are arrays",
                         number);
    if (like->ndim >= JG_MAX_NDIM || x->dtype != like->dtype ||
        x->ndim != like->ndim + (axis != JG_NOT_MAPPED))
        return fail_form(number, x, like, axis != JG_NOT_MAPPED);
    shape[0] = results->batched->extent;
    memcpy(shape + 1, node_shape(like), (size_t)like->ndim * sizeof *shape);
    if (axis == JG_NOT_MAPPED)
        return jg_broadcast_to(x, like->ndim + 1, shape, out);
    JG_TRY(shape_axis("vmap: out_axes", axis, x->ndim, &from));
    JG_TRY(batch_move_axis(x, from, 0, out));
    for (int i = 0; i < (*out)->ndim; ++i)
        if ((*out)->dims[i] != shape[i])
            return base_fail(JG_ERR_VALUE,
                             "vmap: outputs: number %d has extent %lld along axis %d, the batch's "
                             "being axis 0, allowed is %lld as the function gives for the batch",
                             number, (long long)(*out)->dims[i], i, (long long)shape[i]);
    return JG_OK;
}

static jg_status ask_rule(const batched_call *batched, ruled_results *results, int64_t *axes)
{
    const graph_custom_call *call = batched->call;
    const jg_custom_rules *rules = custom_rules_of(call);
    for (int i = 0; i < call->ninputs; ++i)
        axes[i] = batched->mapped[i] ? 0 : JG_NOT_MAPPED;
    unsigned before = error_count();
    jg_status status = rules->vmap(rules->context, call->ninputs, batched->arrays, axes,
                                   call->noutputs, results->arrays, results->axes);
    return error_of_callback(before, status, "custom", "vmap");
}

static jg_status batch_by_rule(const batched_call *batched, const transform_tape *tape, int first,
                               jg_array **values)
{
    const graph_custom_call *call = batched->call;
    size_t noutputs = (size_t)call->noutputs, ninputs = (size_t)call->ninputs;
    size_t nbytes = noutputs * sizeof(jg_array *) + (noutputs + ninputs) * sizeof(int64_t);
    ruled_results results = {batched, base_alloc_zeroed(nbytes + 1), NULL};
    if (results.arrays == NULL)
        return base_nomem(nbytes, "a call that is batched");
    results.axes = (int64_t *)(void *)(results.arrays + noutputs);
    jg_status status = ask_rule(batched, &results, results.axes + noutputs);
    if (status == JG_OK)
        status = place_results(tape, first, values, place_ruled, &results);
    node_release_all(call->noutputs, results.arrays);
    base_free(results.arrays);
    return status;
}

jg_status custom_batch(const transform_tape *tape, int at, int64_t extent, jg_array **values)
{
    const tape_entry *entry = &tape_entries(tape)[at];
    batched_call batched;
    if (custom_links_of(tape, entry)->first != at)
        return JG_OK;
    jg_status status = call_init(&batched, tape, entry, extent, values);
    if (status == JG_OK)
        status = custom_way_of(batched.call, TAPE_BATCH) == CUSTOM_RULE
                     ? batch_by_rule(&batched, tape, at, values)
                     : batch_again(&batched, tape, at, values);
    if (batched.arrays != NULL)
        call_clear(&batched);
    return status;
}
