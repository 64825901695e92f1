/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of plan_launch_kind for programs and routines that do not run anything. */
#include "plan/steps.h"

bool plan_program_writes(const plan_launch *launch, int operand)
{
    return launch->program.written >> operand & 1;
}

bool plan_program_needs(const plan_launch *launch, int written, int read)
{
    return launch->operands[written].needs >> read & 1;
}

/* The follower may read the slot more than once. Its other operands must be complete before the
 * launch that it follows starts. */
int64_t plan_program_follows(const plan_launch *launch, int slot)
{
    const plan_program *program = &launch->program;
    bool reads = false;
    for (int i = 0; i < launch->noperands; ++i) {
        if (launch->operands[i].slot != slot)
            continue;
        reads = true;
        if (!(program->in_order >> i & 1) || launch->operands[i].offset_bytes != 0)
            return 0;
    }
    return reads ? program->executor->unit_elements(program->code) : 0;
}

bool plan_program_is_due(const plan_launch *launch)
{
    return heat_is_due(launch->program.heat);
}

void plan_program_describe(const plan_launch *launch, plan_launch_facts *facts)
{
    facts->nmerged = launch->program.nmerged;
    facts->nsimplified = launch->program.nsimplified;
    facts->nremade = launch->program.nremade;
}

void plan_program_release(plan_launch *launch)
{
    plan_program *program = &launch->program;
    if (program->code != NULL)
        program->executor->release(program->code);
    heat_release(program->heat);
}

bool plan_routine_writes(const plan_launch *launch, int operand)
{
    return operand >= launch->noperands - launch->routine->call.nresults;
}

/* Whether the units of the call cover its result one after the other, on one thread or on all: how
 * many there will be is known when it runs, which asks again. */
static bool covers_in_order(const plan_routine *plan)
{
    routine_call call = plan->call;
    int64_t first, last;
    call.followed = true; /* its threads are one while a plan is made */
    if (plan->routine->covers(&call, 0, &first, &last))
        return true;
    call.threads = pool_size();
    return plan->routine->covers(&call, 0, &first, &last);
}

int plan_routine_leads(const plan_launch *launch)
{
    const plan_routine *routine = launch->routine;
    int result = launch->noperands - 1;
    if (routine->routine->covers == NULL || routine->call.nresults != 1 ||
        routine->operands[result].size == 0 || !covers_in_order(routine))
        return -1;
    return launch->operands[result].slot;
}

void plan_routine_describe(const plan_launch *launch, plan_launch_facts *facts)
{
    const plan_routine *routine = launch->routine;
    facts->flops = routine->routine->flops != NULL ? routine->routine->flops(&routine->call) : 0;
    facts->primitive = (uint8_t)launch->routine->primitive;
    facts->attributes = launch->routine->attributes;
}

void plan_routine_release(plan_launch *launch)
{
    base_free(launch->routine);
}
