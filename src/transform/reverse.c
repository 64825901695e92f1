/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse mode: goes backwards along the tape, passes each node's cotangent to its inputs and then
 * releases it. */
#include "transform/transform.h"

static jg_status apply_rule(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    const transform_row *row = transform_row_of(node);
    switch ((rule_way)row->way) {
    case DERIVATIVE_FORMULA: return formula_cotangent(pass, node, cotangent);
    case DERIVATIVE_TANGENT: return tangent_cotangent(pass, node, cotangent);
    case DERIVATIVE_SPELL: return transform_spell_cotangent(pass, node, cotangent);
    case DERIVATIVE_LINEAR:
    case DERIVATIVE_BILINEAR:
    case DERIVATIVE_RULE: return row->cotangent(pass, node, cotangent);
    case DERIVATIVE_MISSING: return transform_fail_missing(node);
    case DERIVATIVE_NONE: break;
    }
    return JG_OK;
}

static jg_status step(reverse_pass *pass, jg_array *cotangent)
{
    jg_array *node = pass->entry->node;
    if (node->primitive != PRIMITIVE_view)
        return apply_rule(pass, node, cotangent);
    int32_t root = tape_inputs(pass->tape, pass->entry)[0];
    return cotangent_view(node, cotangent, &pass->values[root]);
}

static jg_status go_back(reverse_pass *pass)
{
    const transform_tape *tape = pass->tape;
    for (int i = tape_count(tape); i-- > 0;) {
        pass->entry = &tape_entries(tape)[i];
        if (JG_UNLIKELY(node_custom_call(pass->entry->node) != NULL)) {
            JG_TRY(custom_reverse(pass, i));
            continue;
        }
        jg_array *cotangent = pass->values[tape->nmarkers + i];
        pass->values[tape->nmarkers + i] = NULL;
        if (cotangent == NULL)
            continue;
        jg_status status = step(pass, cotangent);
        jg_array_release(cotangent);
        JG_TRY(status);
    }
    return JG_OK;
}

jg_status reverse_run(const transform_tape *tape, int nresults, const int32_t *slots,
                      jg_array *const *cotangents, jg_array **out)
{
    int count = tape->nmarkers + tape_count(tape);
    size_t nbytes = (size_t)count * sizeof *out;
    reverse_pass pass = {tape, NULL, base_alloc_zeroed(nbytes ? nbytes : 1)};
    jg_status status = JG_OK;
    if (pass.values == NULL)
        return base_nomem(nbytes, "cotangents");
    node_role before = node_enter_role(NODE_COTANGENT);
    for (int i = 0; i < nresults && status == JG_OK; ++i)
        if (slots[i] >= 0 && cotangents[i] != NULL)
            status = reverse_add(&pass.values[slots[i]], cotangents[i]);
    if (status == JG_OK)
        status = go_back(&pass);
    node_enter_role(before);
    for (int i = 0; i < count; ++i)
        if (status == JG_OK && i < tape->nmarkers)
            out[i] = pass.values[i];
        else
            jg_array_release(pass.values[i]);
    base_free(pass.values);
    return status;
}
