/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as text: a line for each launch with the bytes that it moves, and their sum. */
#include "plan/device/code.h"
#include <inttypes.h>

static void add_space(const plan_launch_facts *facts, base_text *text)
{
    text_add(text, " over ");
    text_add_extents(text, facts->ndim, facts->shape);
    if (facts->nreductions == 0)
        return;
    text_add(text, ", reducing");
    for (int d = 0; d < facts->ndim; ++d)
        if (facts->reduced >> d & 1)
            text_add(text, " %d", d);
}

/* Tells whether the device or the host runs the launch. It is said only for devices whose memory
 * the host cannot read. */
static void add_device(const plan_launch *launch, int index, base_text *text)
{
    const jg_device *device = device_at(index);
    if (device_is_host(device))
        return;
    text_add(text, " on %s%s:%d", launch->kind->on_host ? "the host for " : "", device_name(device),
             (int)device->id.id);
    if (launch->code != NULL && !launch->kind->on_host)
        text_add(text, "%s", plan_code_way(launch->code));
    if (launch->code != NULL && launch->kind->on_host)
        text_add(text, " (%s)", launch->code->refusal.message);
}

static void add_launch(const plan_launch *launch, int device, int index, base_text *text)
{
    const plan_launch_facts *facts = launch->facts;
    text_add(text, "launch %d: ", index);
    facts_write_name(facts, text);
    if (facts->primitive == PRIMITIVE_attention && facts->nnodes > 1)
        text_add(text, " as one attention");
    if (primitive_rows[facts->primitive].nattributes > 0) {
        text_add(text, " (");
        facts_write_attributes(facts, text);
        text_add(text, ")");
    }
    add_space(facts, text);
    add_device(launch, device, text);
    if (facts_roles(facts)[0] != '\0')
        text_add(text, ": %s", facts_roles(facts));
    if (facts->nmerged > 0)
        text_add(text, ", merging %d into equal ones", facts->nmerged);
    if (facts->nsimplified > 0)
        text_add(text, ", simplifying %d", facts->nsimplified);
    if (facts->nremade > 0)
        text_add(text, ", computing %d of other launches again", facts->nremade);
    if (launch->follower_unit > 0)
        text_add(text, ", the next launch following block by block");
    if (launch->series > 1)
        text_add(text, ", at the same time as the next %d", launch->series - 1);
    text_add(text, "; reads %" PRId64 " bytes, writes %" PRId64 "\n", facts->bytes_read,
             facts->bytes_written);
}

jg_status plan_write_text(const jg_plan *plan, base_text *text)
{
    int64_t read = 0, written = 0;
    size_t temps = 0;
    for (int i = 0; i < plan->nlaunches; ++i) {
        add_launch(&plan->launches[i], plan->device, i, text);
        read += plan->launches[i].facts->bytes_read;
        written += plan->launches[i].facts->bytes_written;
    }
    for (int i = 0; i < plan->ntemps; ++i)
        temps += plan->temps[i];
    text_add(text, "launches: %d; reads %" PRId64 " bytes, writes %" PRId64, plan->nlaunches, read,
             written);
    text_add(text, "; temporaries: %d of %zu bytes\n", plan->ntemps, temps);
    return text_status(text);
}
