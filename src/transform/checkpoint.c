/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints: results whose cotangents are passed on by computing the function again.
 *
 * A tape holds the function's nodes from its inputs, and from other traced arrays that it used, to
 * its values. The tape is built again from arrays without values, so that the kept nodes hold no
 * memory. The rule builds it once more from the inputs and differentiates the result. */
#include "transform/tracing.h"

/* Slots number the inputs first. */
typedef struct checkpoint {
    transform_tape tape;
    base_vec inputs; /* jg_array *, +1 each: without values */
    int noutputs;    /* of the call: those that depend on an input */
    int32_t *slots;  /* of the outputs */
} checkpoint;

static void release_vec(base_vec *arrays)
{
    jg_array **items = (jg_array **)(void *)arrays->data;
    for (size_t i = 0; i < arrays->nbytes / sizeof *items; ++i)
        jg_array_release(items[i]);
    vec_clear(arrays);
}

static jg_array **items_of(const base_vec *arrays)
{
    return (jg_array **)(void *)arrays->data;
}

static int count_of(const base_vec *arrays)
{
    return (int)(arrays->nbytes / sizeof(jg_array *));
}

static jg_status append(base_vec *arrays, jg_array *x)
{
    JG_TRY(vec_append(arrays, &x, sizeof x));
    jg_array_retain(x);
    return JG_OK;
}

static void release_checkpoint(void *context)
{
    checkpoint *point = context;
    release_vec(&point->inputs);
    tape_clear(&point->tape);
    base_free(point->slots);
    base_free(point);
}

static jg_status run_again(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                           jg_array **outputs)
{
    const checkpoint *point = context;
    int count = point->tape.nmarkers + tape_count(&point->tape);
    size_t nbytes = (size_t)count * sizeof *outputs;
    jg_array **values = base_alloc_zeroed(nbytes + 1);
    if (values == NULL)
        return base_nomem(nbytes, "a function that is computed again");
    for (int i = 0; i < ninputs; ++i)
        values[i] = jg_array_retain(inputs[i]);
    node_role before = node_enter_role(NODE_RECOMPUTED);
    jg_status status = tape_replay(&point->tape, values, NULL, NULL);
    node_enter_role(before);
    for (int i = 0; i < noutputs; ++i)
        outputs[i] = status == JG_OK ? jg_array_retain(values[point->slots[i]]) : NULL;
    node_release_all(count, values);
    base_free(values);
    return status;
}

static jg_status checkpoint_vjp(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                                jg_array *const *outputs, jg_array *const *cotangents,
                                jg_array **shares)
{
    jg_pullback *pullback;
    size_t nbytes = (size_t)noutputs * sizeof *shares;
    jg_array **made = base_alloc_zeroed(nbytes + 1);
    (void)outputs;
    if (made == NULL)
        return base_nomem(nbytes, "a function that is computed again");
    jg_status status = jg_vjp(run_again, context, ninputs, inputs, noutputs, made, &pullback);
    if (status == JG_OK) {
        jg_pullback_set_strong_zero(pullback, formula_has_strong_zero());
        status = jg_pullback_apply(pullback, cotangents, shares);
        jg_pullback_release(pullback);
        for (int i = 0; i < noutputs; ++i)
            jg_array_release(made[i]);
    }
    base_free(made);
    return status;
}

static bool is_product(const jg_array *node)
{
    static const bool products[PRIMITIVE_COUNT] = {
#define JG_PRIMITIVE(name, kind, rules)
#define JG_PRODUCT(name) [PRIMITIVE_##name] = true,
#include "op/primitive.def"
#undef JG_PRIMITIVE
    };
    return products[node->primitive];
}

/* A recomputed product replaces a kept one: derivatives pass from the kept value to the recomputed
 * product's inputs. */
static jg_status pass_vjp(void *context, int ninputs, jg_array *const *inputs, int noutputs,
                          jg_array *const *outputs, jg_array *const *cotangents, jg_array **shares)
{
    (void)context;
    (void)ninputs;
    (void)inputs;
    (void)noutputs;
    (void)outputs;
    shares[0] = jg_array_retain(cotangents[0]);
    return JG_OK;
}

static jg_status pass_jvp(void *context, int ninputs, jg_array *const *inputs,
                          jg_array *const *tangents, int noutputs, jg_array **out)
{
    (void)context;
    (void)ninputs;
    (void)inputs;
    (void)noutputs;
    out[0] = jg_array_retain(tangents[0]);
    return JG_OK;
}

/* takes: *again | gives: *again, +1: a node with the kept value and the derivatives of *again */
static jg_status stand_for(jg_array **again, jg_array *kept)
{
    const jg_custom_rules rules = {.vjp = pass_vjp, .jvp = pass_jvp};
    jg_buffer *held;
    graph_custom_call *call;
    jg_array *made = NULL;
    JG_TRY(custom_rules_new(&rules, &held));
    jg_status status = graph_custom_call_new(held, 1, 1, again, 1, &kept, &call);
    buffer_release(held);
    JG_TRY(status);
    status = graph_custom_call_result(call, 0, &made);
    graph_custom_call_release(call);
    JG_TRY(status);
    jg_array_release(*again);
    *again = made;
    return JG_OK;
}

/* The inputs of a function that is being checkpointed. */
typedef struct checkpoint_source {
    base_vec arrays; /* jg_array *, +1 each: inputs, other arrays that the function used, kept
                        products */
    int nfree;       /* without the products */
    transform_tape tape;
    int32_t *slots; /* of its values */
} checkpoint_source;

static bool has_array(const base_vec *arrays, const jg_array *x)
{
    for (int i = 0; i < count_of(arrays); ++i)
        if (items_of(arrays)[i] == x)
            return true;
    return false;
}

/* Whether x is a leaf that is not row-major. Views of it have its strides, so that they cannot be
 * built again on a row-major array. */
static bool is_scattered_leaf(const jg_array *x)
{
    return x->ninputs == 0 && !x->contiguous;
}

static jg_status append_once(base_vec *arrays, jg_array *x)
{
    return has_array(arrays, x) ? JG_OK : append(arrays, x);
}

/* Arrays on the tape's edge that are traced, without the inputs. What is made of a leaf that is
 * scattered is used instead: it is kept, and not computed again. */
static jg_status find_used(const transform_tape *tape, base_vec *arrays)
{
    const tape_entry *entries = tape_entries(tape);
    for (int i = 0; i < tape_count(tape); ++i) {
        const int32_t *slots = tape_inputs(tape, &entries[i]);
        jg_array *const *inputs = tape_arrays(entries[i].node);
        for (int j = 0; j < tape_nrecorded(entries[i].node); ++j) {
            if (!node_is_traced(inputs[j]))
                continue;
            if (is_scattered_leaf(inputs[j]))
                JG_TRY(append_once(arrays, entries[i].node));
            else if (slots[j] < 0)
                JG_TRY(append_once(arrays, inputs[j]));
        }
    }
    return JG_OK;
}

static jg_status find_products(const transform_tape *tape, base_vec *arrays)
{
    const tape_entry *entries = tape_entries(tape);
    for (int i = 0; i < tape_count(tape); ++i)
        if (is_product(entries[i].node))
            JG_TRY(append(arrays, entries[i].node));
    return JG_OK;
}

static jg_status build_source_tape(checkpoint_source *source, int count, jg_array *const *arrays,
                                   int noutputs, jg_array *const *values)
{
    tape_clear(&source->tape);
    source->tape = (transform_tape){0};
    return tape_build(TAPE_RECORD, count, arrays, noutputs, values, &source->tape, source->slots);
}

/* The tape is built twice; the first pass finds the other arrays that the function used. */
static jg_status source_init(checkpoint_source *source, jg_checkpoint_policy policy, int ninputs,
                             jg_array *const *inputs, int noutputs, jg_array *const *values)
{
    size_t nbytes = (size_t)noutputs * sizeof *source->slots;
    source->slots = base_alloc(nbytes + 1);
    if (source->slots == NULL)
        return base_nomem(nbytes, "a checkpoint");
    for (int i = 0; i < ninputs; ++i)
        if (!is_scattered_leaf(inputs[i]))
            JG_TRY(append(&source->arrays, inputs[i]));
    JG_TRY(build_source_tape(source, ninputs, inputs, noutputs, values));
    JG_TRY(find_used(&source->tape, &source->arrays));
    JG_TRY(build_source_tape(source, count_of(&source->arrays), items_of(&source->arrays), noutputs,
                             values));
    source->nfree = count_of(&source->arrays);
    if (policy == JG_CHECKPOINT_PRODUCTS)
        JG_TRY(find_products(&source->tape, &source->arrays));
    return JG_OK;
}

static void source_clear(checkpoint_source *source)
{
    release_vec(&source->arrays);
    tape_clear(&source->tape);
    base_free(source->slots);
}

static jg_status add_form(base_vec *inputs, const jg_array *x)
{
    jg_layout layout;
    jg_array *form;
    JG_TRY(layout_init(&layout, x->ndim, node_shape(x)));
    JG_TRY(node_placeholder(x->device, (jg_dtype)x->dtype, &layout, &form));
    jg_status status = vec_append(inputs, &form, sizeof form);
    if (status != JG_OK)
        jg_array_release(form);
    return status;
}

/* The state of building the template, in the order of entries. Kept products replace theirs. */
typedef struct template_build {
    const checkpoint_source *source;
    jg_array *const *forms; /* of the source's arrays */
    int next;               /* the kept product that comes next, in source->arrays */
} template_build;

static jg_status put_kept(void *context, int entry, jg_array **value)
{
    template_build *build = context;
    const checkpoint_source *source = build->source;
    if (build->next == count_of(&source->arrays) ||
        items_of(&source->arrays)[build->next] != tape_entries(&source->tape)[entry].node)
        return JG_OK;
    return stand_for(value, build->forms[build->next++]);
}

/* outputs: NULL where a value is no output of the call, else +1 */
static jg_status build_template(const checkpoint_source *source, const checkpoint *point,
                                int noutputs, jg_array **outputs)
{
    const transform_tape *tape = &source->tape;
    template_build build = {source, items_of(&point->inputs), source->nfree};
    int count = tape->nmarkers + tape_count(tape);
    size_t nbytes = (size_t)count * sizeof(jg_array *);
    jg_array **values = base_alloc_zeroed(nbytes + 1);
    if (values == NULL)
        return base_nomem(nbytes, "a checkpoint");
    for (int i = 0; i < tape->nmarkers; ++i)
        values[i] = jg_array_retain(items_of(&point->inputs)[i]);
    jg_status status = tape_replay(tape, values, put_kept, &build);
    for (int i = 0, made = 0; i < noutputs && status == JG_OK; ++i)
        if (source->slots[i] >= 0)
            outputs[made++] = jg_array_retain(values[source->slots[i]]);
    node_release_all(count, values);
    base_free(values);
    return status;
}

/* outputs: memory for noutputs, all NULL; of the template, +1 each, also after a failure */
static jg_status fill_checkpoint(checkpoint *point, const checkpoint_source *source, int noutputs,
                                 jg_array **outputs)
{
    for (int i = 0; i < count_of(&source->arrays); ++i)
        JG_TRY(add_form(&point->inputs, items_of(&source->arrays)[i]));
    JG_TRY(build_template(source, point, noutputs, outputs));
    while (point->noutputs < noutputs && outputs[point->noutputs] != NULL)
        point->noutputs += 1;
    point->slots = base_alloc((size_t)noutputs * sizeof *point->slots + 1);
    if (point->slots == NULL)
        return base_nomem((size_t)noutputs * sizeof *point->slots, "a checkpoint");
    return tape_build(TAPE_RECORD, count_of(&point->inputs), items_of(&point->inputs),
                      point->noutputs, outputs, &point->tape, point->slots);
}

static jg_status new_checkpoint(const checkpoint_source *source, int noutputs, checkpoint **out)
{
    checkpoint *point = base_alloc_zeroed(sizeof *point);
    jg_array **outputs = base_alloc_zeroed((size_t)noutputs * sizeof *outputs + 1);
    jg_status status = JG_OK;
    if (point == NULL || outputs == NULL)
        status = base_nomem(sizeof *point, "a checkpoint");
    if (status == JG_OK)
        status = fill_checkpoint(point, source, noutputs, outputs);
    for (int i = 0; outputs != NULL && i < noutputs; ++i)
        jg_array_release(outputs[i]);
    base_free(outputs);
    if (status == JG_OK)
        *out = point;
    else if (point != NULL)
        release_checkpoint(point);
    return status;
}

static jg_status new_call(const checkpoint_source *source, int noutputs, jg_array *const *values,
                          graph_custom_call **out)
{
    checkpoint *point;
    jg_buffer *held;
    JG_TRY(new_checkpoint(source, noutputs, &point));
    const jg_custom_rules rules = {
        .context = point, .release = release_checkpoint, .vjp = checkpoint_vjp};
    int made = 0, count = point->noutputs;
    jg_status status = custom_rules_new(&rules, &held);
    if (status != JG_OK) {
        release_checkpoint(point);
        return status;
    }
    jg_array **chosen = base_alloc((size_t)count * sizeof *chosen + 1);
    if (chosen == NULL)
        status = base_nomem((size_t)count * sizeof *chosen, "a checkpoint");
    for (int i = 0; i < noutputs && status == JG_OK; ++i)
        if (source->slots[i] >= 0)
            chosen[made++] = values[i];
    if (status == JG_OK)
        status = graph_custom_call_new(held, count_of(&source->arrays), source->nfree,
                                       items_of(&source->arrays), count, chosen, out);
    buffer_release(held);
    base_free(chosen);
    return status;
}

/* Values that depend on no input are results as they are. */
static jg_status make_results(const checkpoint_source *source, graph_custom_call *call,
                              int noutputs, jg_array *const *values, jg_array **outputs)
{
    jg_status status = JG_OK;
    int done = 0, made = 0;
    for (; done < noutputs && status == JG_OK; done += status == JG_OK)
        if (source->slots[done] >= 0)
            status = graph_custom_call_result(call, made++, &outputs[done]);
        else
            outputs[done] = jg_array_retain(values[done]);
    while (status != JG_OK && done > 0) {
        jg_array_release(outputs[--done]);
        outputs[done] = NULL;
    }
    return status;
}

jg_status jg_checkpoint_results(jg_checkpoint_policy policy, int ninputs, jg_array *const *inputs,
                                int noutputs, jg_array *const *values, jg_array **outputs)
{
    checkpoint_source source = {0};
    graph_custom_call *call;
    if ((unsigned)policy > JG_CHECKPOINT_PRODUCTS)
        return base_fail(JG_ERR_VALUE,
                         "policy: got number %d, allowed are those of jg_checkpoint_policy",
                         (int)policy);
    JG_TRY(graph_check_arrays("inputs", ninputs, inputs));
    JG_TRY(graph_check_arrays("values", noutputs, values));
    jg_status status = source_init(&source, policy, ninputs, inputs, noutputs, values);
    if (status == JG_OK)
        status = new_call(&source, noutputs, values, &call);
    if (status == JG_OK) {
        status = make_results(&source, call, noutputs, values, outputs);
        graph_custom_call_release(call);
    }
    source_clear(&source);
    return status;
}

jg_status jg_checkpoint(jg_function *function, void *context, jg_checkpoint_policy policy,
                        int ninputs, jg_array *const *inputs, int noutputs, jg_array **outputs)
{
    if (noutputs < 0)
        return base_fail(JG_ERR_VALUE, "noutputs: got %d, allowed is 0 or more", noutputs);
    size_t nbytes = (size_t)noutputs * sizeof(jg_array *);
    jg_array **values = base_alloc_zeroed(nbytes + 1);
    if (values == NULL)
        return base_nomem(nbytes, "a checkpoint");
    jg_status status =
        transform_call("checkpoint", function, context, ninputs, inputs, noutputs, values);
    if (status == JG_OK) {
        status = jg_checkpoint_results(policy, ninputs, inputs, noutputs, values, outputs);
        for (int i = 0; i < noutputs; ++i)
            jg_array_release(values[i]);
    }
    base_free(values);
    return status;
}
