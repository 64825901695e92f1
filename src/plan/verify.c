/* SPDX-License-Identifier: Apache-2.0 */
/* What is true of every plan, checked where rewrites of graphs are (JOGGLE_VERIFY): the launches
 * are gone through in order, as if they ran, with the slot whose value each memory has.
 *
 *   1. A launch reads only values that are in their memory then, and in no memory that a launch of
 *      its series writes.
 *   2. It writes no leaf, and no memory twice. What it writes over is read by no later launch, by
 *      no other of its series, and by itself only as its operands allow; and not by a routine that
 *      it follows.
 *   3. The same holds of the leaves whose memory a result may take over.
 *   4. In the end each result is in its own buffer.
 *   5. No value is larger than the memory that it lies in. */
#include "plan/steps.h"

enum { EMPTY = -1, NEVER = -1 };

/* What is known of one memory, by its number (plan_memory_of). */
typedef struct memory_state {
    int value;         /* the slot whose value it has, or EMPTY */
    int read, written; /* the last launches that have done so, or NEVER */
    int last_read;     /* the last launch of the plan that will have read it, or NEVER */
} memory_state;

typedef struct plan_check {
    const jg_plan *plan;
    memory_state *memories;
    int index, first; /* the launch, and that with which its series begins */
} plan_check;

static const plan_launch *launch_of(const plan_check *check)
{
    return &check->plan->launches[check->index];
}

static jg_status fail(const plan_check *check, int slot, const char *fault)
{
    return base_fail(JG_ERR_INTERNAL,
                     "[%s] plan: got launch %d with slot %d, which it %s, allowed is none",
                     op_name(launch_of(check)->label), check->index, slot, fault);
}

static bool writes(const plan_launch *launch, int operand)
{
    return launch->operands[operand].slot >= 0 && launch->kind->writes(launch, operand);
}

static bool reads(const plan_launch *launch, int operand)
{
    return launch->operands[operand].slot >= 0 && !launch->kind->writes(launch, operand);
}

static memory_state *memory_at(const plan_check *check, int slot)
{
    return &check->memories[plan_memory_of(check->plan, slot)];
}

/* Whether a launch of the same series, but not this one, was the one with that number. */
static bool is_beside(const plan_check *check, int launch)
{
    return launch >= check->first && launch != check->index;
}

static jg_status check_operands(const plan_check *check)
{
    const plan_launch *launch = launch_of(check);
    for (int i = 0; i < launch->noperands; ++i) {
        int slot = launch->operands[i].slot;
        if (slot >= check->plan->nslots)
            return fail(check, slot, "names though there is none of that number");
        if (slot >= 0 && plan_memory_of(check->plan, slot) < 0)
            return fail(check, slot, "has for an operand though it is in no memory");
    }
    for (int i = 0; i < launch->nscalars; ++i)
        if (launch->scalars[i].slot < 0 || launch->scalars[i].slot >= check->plan->nslots)
            return fail(check, launch->scalars[i].slot,
                        "names though there is none of that number");
    return JG_OK;
}

static jg_status check_read(const plan_check *check, int slot)
{
    const memory_state *memory = memory_at(check, slot);
    if (memory->value != slot)
        return fail(check, slot, "reads though its memory has another value");
    if (is_beside(check, memory->written))
        return fail(check, slot, "reads while its series writes it");
    return JG_OK;
}

/* Whether the launch may write the operand over what it reads of the slot. */
static bool is_in_place(const plan_launch *launch, const plan_operand *written, int slot)
{
    for (int i = 0; i < launch->noperands; ++i)
        if (launch->operands[i].slot == slot && reads(launch, i) && !(written->in_place >> i & 1))
            return false;
    return true;
}

/* Whether a routine that the launch follows reads the memory meanwhile. */
static bool is_read_by_leader(const plan_check *check, int memory)
{
    if (check->index == 0 || launch_of(check)[-1].follower_unit == 0)
        return false;
    const plan_launch *leader = launch_of(check) - 1;
    for (int i = 0; i < leader->noperands; ++i)
        if (reads(leader, i) && plan_memory_of(check->plan, leader->operands[i].slot) == memory)
            return true;
    return false;
}

/* The operand's value goes over the one in the memory. */
static jg_status check_overwritten(const plan_check *check, const plan_operand *written, int memory)
{
    const memory_state *over = &check->memories[memory];
    int slot = written->slot;
    if (over->written == check->index)
        return fail(check, slot, "writes though it has written the memory");
    if (is_beside(check, over->read) || is_beside(check, over->written))
        return fail(check, slot, "writes while its series uses the memory");
    if (is_read_by_leader(check, memory))
        return fail(check, slot, "writes while what it follows reads the memory");
    if (over->value != EMPTY && !is_in_place(launch_of(check), written, over->value))
        return fail(check, slot, "writes over an operand that it must not overwrite");
    return JG_OK;
}

/* The first that is written to a result's buffer may go to a leaf's instead. */
static jg_status check_donors(const plan_check *check, const plan_operand *written, int memory)
{
    const jg_plan *plan = check->plan;
    const int *donors = (const int *)(const void *)plan->donors.data; /* NULL without any */
    const plan_slot *home = memory < plan->nslots ? &plan->slots[memory] : NULL;
    int count = home != NULL && check->memories[memory].value == EMPTY ? home->ndonors : 0;
    for (int i = 0; i < count; ++i) {
        int donor = donors[home->first + i];
        if (donor < 0 || donor >= plan->nslots || plan->slots[donor].kind != SLOT_LEAF)
            return fail(check, donor, "takes over though it is no leaf");
        if (check->memories[donor].last_read > check->index)
            return fail(check, donor, "takes over though it is read later");
        JG_TRY(check_overwritten(check, written, donor));
    }
    return JG_OK;
}

static jg_status check_write(const plan_check *check, const plan_operand *written)
{
    int slot = written->slot, number = plan_memory_of(check->plan, slot);
    memory_state *memory = &check->memories[number];
    if (check->plan->slots[slot].kind == SLOT_LEAF)
        return fail(check, slot, "writes though it is a leaf");
    JG_TRY(check_donors(check, written, number));
    JG_TRY(check_overwritten(check, written, number));
    memory->value = slot;
    memory->written = check->index;
    return JG_OK;
}

/* What a launch reads is what was there before it. Its own reads are noted last, as they would hide
 * those of others in its series. */
static jg_status check_launch(const plan_check *check)
{
    const plan_launch *launch = launch_of(check);
    JG_TRY(check_operands(check));
    for (int i = 0; i < launch->noperands; ++i)
        if (reads(launch, i))
            JG_TRY(check_read(check, launch->operands[i].slot));
    for (int i = 0; i < launch->noperands; ++i)
        if (writes(launch, i))
            JG_TRY(check_write(check, &launch->operands[i]));
    for (int i = 0; i < launch->noperands; ++i)
        if (reads(launch, i))
            memory_at(check, launch->operands[i].slot)->read = check->index;
    return JG_OK;
}

static jg_status check_size(const jg_plan *plan, int index)
{
    const plan_slot *slot = &plan->slots[index];
    bool shares = slot->kind == SLOT_SHARED, is_temp = slot->kind == SLOT_TEMP;
    if ((shares && (slot->home < 0 || slot->home >= plan->nslots ||
                    plan->slots[slot->home].kind != SLOT_STORED)) ||
        (is_temp && (slot->temp < 0 || slot->temp >= plan->ntemps)))
        return base_fail(JG_ERR_INTERNAL, "plan: got no memory for slot %d, allowed is some",
                         index);
    size_t most = shares    ? plan->slots[slot->home].nbytes
                  : is_temp ? plan->temps[slot->temp]
                            : slot->nbytes;
    return slot->nbytes <= most
               ? JG_OK
               : base_fail(JG_ERR_INTERNAL, "plan: got %zu bytes of slot %d, allowed are %zu",
                           slot->nbytes, index, most);
}

static void find_last_reads(plan_check *check)
{
    const jg_plan *plan = check->plan;
    for (int i = 0; i < plan->nlaunches; ++i)
        for (int j = 0; j < plan->launches[i].noperands; ++j) {
            int slot = plan->launches[i].operands[j].slot;
            if (reads(&plan->launches[i], j) && slot < plan->nslots &&
                plan_memory_of(plan, slot) >= 0)
                memory_at(check, slot)->last_read = i;
        }
}

static jg_status check_launches(plan_check *check)
{
    const jg_plan *plan = check->plan;
    find_last_reads(check);
    for (int i = 0; i < plan->nlaunches; ++i) {
        check->index = i;
        if (i == check->first + plan->launches[check->first].series)
            check->first = i;
        JG_TRY(check_launch(check));
    }
    for (int i = 0; i < plan->nslots; ++i)
        if (plan->slots[i].kind == SLOT_STORED && check->memories[i].value != i)
            return base_fail(JG_ERR_INTERNAL,
                             "plan: got the value of slot %d in the buffer of result %d, allowed "
                             "is its own",
                             check->memories[i].value, i);
    return JG_OK;
}

jg_status plan_verify(const jg_plan *plan)
{
    int count = plan->nslots + plan->ntemps;
    plan_check check = {.plan = plan};
    for (int i = 0; i < plan->nslots; ++i)
        JG_TRY(check_size(plan, i));
    check.memories = base_alloc((size_t)count * sizeof *check.memories);
    if (check.memories == NULL)
        return base_nomem((size_t)count * sizeof *check.memories, "the check of a plan");
    for (int i = 0; i < count; ++i) {
        bool is_leaf = i < plan->nslots && plan->slots[i].kind == SLOT_LEAF;
        check.memories[i] = (memory_state){is_leaf ? i : EMPTY, NEVER, NEVER, NEVER};
    }
    jg_status status = check_launches(&check);
    base_free(check.memories);
    return status;
}
