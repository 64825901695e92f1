/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of ops that are computed again for their derivatives, or have rules for them. The room
 * above knows how. */
#include "compose/compose.h"

static compose_checkpoints *checkpoints;

void compose_set_checkpoints(compose_checkpoints *given)
{
    checkpoints = given;
}

jg_status compose_checkpoint(jg_function *function, void *context, int ninputs,
                             jg_array *const *inputs, int noutputs, jg_array **outputs)
{
    return checkpoints(function, context, JG_CHECKPOINT_NOTHING, ninputs, inputs, noutputs,
                       outputs);
}

static compose_rules *results_with_rules;

void compose_set_rules(compose_rules *given)
{
    results_with_rules = given;
}

jg_status compose_with_rules(const jg_custom_rules *rules, int ninputs, jg_array *const *inputs,
                             int noutputs, jg_array *const *values, jg_array **outputs)
{
    return results_with_rules(rules, ninputs, inputs, noutputs, values, outputs);
}
