/* SPDX-License-Identifier: Apache-2.0 */
/* Finds launches that may run at the same time: neighbours in the order of the plan, none of which
 * writes memory that another of them reads or writes. Those of an optimizer's step over many
 * parameters are such, each too small to be shared by threads.
 *
 * Slots have their memory by now, so memory is compared and not values: launches are kept apart by
 * two values in one temporary, and by a result and a leaf whose memory it may take over. */
#include "plan/steps.h"

/* For each memory: the last launch that reads it, and the last that writes it; -1 for none. */
typedef struct series_marks {
    int *read, *written;
} series_marks;

/* Only a program without reductions may join: reductions may keep their sums in memory that all
 * threads of a launch share. A program that follows a routine is run by the routine. */
static bool may_join(const jg_plan *plan, int index)
{
    const plan_launch *launch = &plan->launches[index];
    return launch->kind->joins && launch->facts->nreductions == 0 &&
           (index == 0 || launch[-1].follower_unit == 0);
}

/* last: the last launch that touched some memory. Whether that is one from `first` on, other than
 * index. */
static bool is_touched(int last, int first, int index)
{
    return last >= first && last != index;
}

/* Marks memory that the launch writes. gives: whether none from `first` on has touched it */
static bool mark_written(series_marks *marks, int memory, int first, int index)
{
    bool clash = is_touched(marks->written[memory], first, index) ||
                 is_touched(marks->read[memory], first, index);
    marks->written[memory] = index;
    return !clash;
}

/* The result's own memory, and that of the leaves that it may be written over. */
static bool mark_result(const jg_plan *plan, series_marks *marks, int memory, int first, int index)
{
    bool free = mark_written(marks, memory, first, index);
    if (memory >= plan->nslots || plan->slots[memory].kind != SLOT_STORED)
        return free;
    const plan_slot *home = &plan->slots[memory];
    const int *donors = (const int *)(const void *)plan->donors.data; /* NULL without any */
    for (int i = 0; i < home->ndonors; ++i)
        free &= mark_written(marks, donors[home->first + i], first, index);
    return free;
}

/* Marks all memory that the launch uses. Writes come first: the launch may overwrite its own
 * operand, and its own read would hide the other readers. gives: whether the launch may run at the
 * same time as the launches from `first` on */
static bool mark_launch(const jg_plan *plan, series_marks *marks, int first, int index)
{
    const plan_launch *launch = &plan->launches[index];
    bool free = true;
    for (int i = 0; i < launch->noperands; ++i) {
        int memory = plan_memory_of(plan, launch->operands[i].slot);
        if (memory >= 0 && launch->kind->writes(launch, i))
            free &= mark_result(plan, marks, memory, first, index);
    }
    for (int i = 0; i < launch->noperands; ++i) {
        int memory = plan_memory_of(plan, launch->operands[i].slot);
        if (memory < 0 || launch->kind->writes(launch, i))
            continue;
        free &= !is_touched(marks->written[memory], first, index);
        marks->read[memory] = index;
    }
    return free;
}

jg_status plan_find_series(jg_plan *plan)
{
    size_t count = (size_t)plan->nslots + (size_t)plan->ntemps, nbytes = count * sizeof(int);
    series_marks marks = {.read = base_alloc(2 * nbytes)};
    if (marks.read == NULL)
        return base_nomem(2 * nbytes, "a plan");
    marks.written = marks.read + count;
    for (size_t i = 0; i < 2 * count; ++i)
        marks.read[i] = -1;
    int first = 0;
    for (int i = 0; i < plan->nlaunches; ++i) {
        bool joins = mark_launch(plan, &marks, first, i) && i > first && may_join(plan, i) &&
                     may_join(plan, first);
        first = joins ? first : i;
        plan->launches[i].series = 1;
        plan->launches[first].series = i - first + 1;
    }
    base_free(marks.read);
    return JG_OK;
}
