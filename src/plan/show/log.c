/* SPDX-License-Identifier: Apache-2.0 */
/* JOGGLE_LOG=plan: every new plan, launch by launch, on stderr. */
#include "plan/steps.h"
#include <stdio.h>
#include <string.h>

static bool is_wanted(void)
{
    return strcmp(option_text(OPTION_LOG), "plan") == 0;
}

static void write_out(base_text *text)
{
    char *line;
    if (text_finish(text, &line) == JG_OK) {
        fputs(line, stderr);
        base_free(line);
    }
    text_clear(text);
}

void plan_log_program(const plan_group *group, const jg_program *program,
                      const program_space *space)
{
    base_text text = {0};
    if (!is_wanted())
        return;
    text_add(&text, "joggle: launch of %d nodes over ", group->nnodes);
    text_add_extents(&text, space->ndim, space->extents);
    text_add(&text, ", the last %d reduced\n", space->nreduced);
    program_print(program, &text);
    write_out(&text);
}

void plan_log_routine(const plan_routine *routine)
{
    const routine_call *call = &routine->call;
    int ninputs = call->noperands - call->nresults;
    base_text text = {0};
    if (!is_wanted())
        return;
    text_add(&text, "joggle: routine %s of %d operands", routine->routine->name, ninputs);
    for (int i = 0; i < call->nresults; ++i) {
        const routine_operand *result = &call->operands[ninputs + i];
        if (!routine_wants(call, i))
            continue;
        text_add(&text, " into %s ", jg_dtype_name(result->dtype));
        text_add_extents(&text, result->ndim, result->shape);
    }
    text_add(&text, "\n");
    write_out(&text);
}
