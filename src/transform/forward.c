/* SPDX-License-Identifier: Apache-2.0 */
/* Forward mode: along the tape, each node's tangent from those of its inputs. */
#include "transform/transform.h"

static jg_status apply_rule(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    const transform_row *row = transform_row_of(node);
    switch ((rule_way)row->way) {
    case DERIVATIVE_FORMULA: return formula_tangent(node, tangents, out);
    case DERIVATIVE_LINEAR: return tangent_linear(node, tangents, out);
    case DERIVATIVE_BILINEAR: return tangent_bilinear(node, tangents, out);
    case DERIVATIVE_SPELL: return transform_spell_tangent(node, tangents, out);
    case DERIVATIVE_RULE:
    case DERIVATIVE_TANGENT: return row->tangent(node, tangents, out);
    case DERIVATIVE_MISSING: return transform_fail_missing(node);
    case DERIVATIVE_NONE: break;
    }
    *out = NULL;
    return JG_OK;
}

/* The tangents of the entry's inputs are few; more come from the heap. */
static jg_status advance(const transform_tape *tape, const tape_entry *entry, jg_array **values,
                         jg_array **out)
{
    const int32_t *slots = tape_inputs(tape, entry);
    int count = entry->node->ninputs;
    jg_array *few[GRAPH_FEW_INPUTS], **tangents = few;
    size_t nbytes = (size_t)count * sizeof *tangents;
    if (count > GRAPH_FEW_INPUTS && (tangents = base_alloc(nbytes)) == NULL)
        return base_nomem(nbytes, "the tangents of an op's inputs");
    bool some = false;
    for (int i = 0; i < count; ++i) {
        tangents[i] = slots[i] < 0 ? NULL : values[slots[i]];
        some |= tangents[i] != NULL;
    }
    *out = NULL;
    jg_status status = some ? apply_rule(entry->node, tangents, out) : JG_OK;
    if (tangents != few)
        base_free(tangents);
    return status;
}

jg_status forward_run(const transform_tape *tape, jg_array *const *tangents, int nslots,
                      const int32_t *slots, jg_array **out)
{
    int nentries = tape_count(tape), count = tape->nmarkers + nentries;
    size_t nbytes = (size_t)count * sizeof *out;
    jg_array **values = base_alloc_zeroed(nbytes ? nbytes : 1);
    jg_status status = JG_OK;
    if (values == NULL)
        return base_nomem(nbytes, "tangents");
    node_role before = node_enter_role(NODE_TANGENT);
    for (int i = 0; i < tape->nmarkers; ++i)
        values[i] = tangents[i] ? jg_array_retain(tangents[i]) : NULL;
    for (int i = 0; i < nentries && status == JG_OK; ++i) {
        const tape_entry *entry = &tape_entries(tape)[i];
        status = node_custom_call(entry->node) != NULL
                     ? custom_forward(tape, i, values)
                     : advance(tape, entry, values, &values[tape->nmarkers + i]);
    }
    node_enter_role(before);
    for (int i = 0; i < nslots && status == JG_OK; ++i) {
        jg_array *value = slots[i] < 0 ? NULL : values[slots[i]];
        out[i] = value ? jg_array_retain(value) : NULL;
    }
    node_release_all(count, values);
    base_free(values);
    return status;
}
