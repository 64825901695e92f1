/* SPDX-License-Identifier: Apache-2.0 */
/* Which device an op runs on: that of its inputs. Inputs that were never asked for on a device, and
 * numbers, go to where the others are; two others on two devices are the caller's mistake. */
#include "graph/graph.h"

jg_status graph_to_device(jg_array *x, int device, jg_array **out)
{
    if (node_device(x) == device) {
        *out = jg_array_retain(x);
        return JG_OK;
    }
    if (!dtype_is_castable((jg_dtype)x->dtype))
        return base_fail(
            JG_ERR_TYPE,
            "x: %s is stored and exchanged only, its device is not changed, allowed are "
            "numbers of whole bytes",
            jg_dtype_name((jg_dtype)x->dtype));
    return node_move(x, device, out);
}

/* The weight of an input in choosing the device. */
typedef enum device_claim { CLAIM_NONE, CLAIM_NUMBER, CLAIM_ARRAY } device_claim;

static device_claim claim_of(const jg_array *x)
{
    if (x->device & NODE_ANYWHERE)
        return CLAIM_NONE;
    return x->ndim == 0 ? CLAIM_NUMBER : CLAIM_ARRAY;
}

/* The input that decides the device: the first of those with the largest claim. Of numbers alone,
 * one that is not on the CPU comes first: to bring a number there is cheap, and its array is
 * there. */
static jg_status choose(jg_op label, int count, jg_array *const *inputs, const jg_array **out)
{
    const jg_array *chosen = inputs[0];
    for (int i = 1; i < count; ++i) {
        device_claim had = claim_of(chosen), has = claim_of(inputs[i]);
        if (has > had || (has == had && has != CLAIM_ARRAY && node_device(chosen) == 0))
            chosen = inputs[i];
        else if (has == CLAIM_ARRAY && node_device(inputs[i]) != node_device(chosen))
            return graph_fail_devices(label, chosen, inputs[i]);
    }
    *out = chosen;
    return JG_OK;
}

jg_status graph_join(jg_op label, int count, jg_array *const *inputs, jg_array **joined)
{
    const jg_array *chosen = NULL;
    jg_status status = JG_OK;
    int done = 0;
    JG_TRY(choose(label, count, inputs, &chosen));
    for (; done < count && status == JG_OK; done += status == JG_OK)
        status = graph_to_device(inputs[done], node_device(chosen), &joined[done]);
    while (status != JG_OK && done > 0)
        jg_array_release(joined[--done]);
    return status;
}
