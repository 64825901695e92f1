/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of memory, asserted for every run of a debug build:
 *
 * A launch writes only over memory whose values are not needed any more. No later launch reads
 * them, nothing outside the graph holds them, and the launch itself reads them only as
 * program_may_overwrite or the routine allows.
 *
 * The rule is what lower.c (which operands a result may lie over), slots.c (which of those are read
 * for the last time) and run.c (which leaves have no other holder) make true together. It is
 * asserted on the addresses of a bound run, so a mistake in any of the three is found. */
#include "run/frame.h"

#ifndef NDEBUG
#include <assert.h>
#include <stdlib.h>

enum {
    BEFORE = -1,              /* the launch that writes a leaf */
    NEVER_WRITTEN = -2,       /* of what is in no memory */
    MAX_COMPARISONS = 1 << 22 /* so that large plans run in debug builds as well */
};

/* The memory of one slot, and the launches between which its value is needed. */
typedef struct slot_life {
    uintptr_t low, high;
    int written, last_read;
    bool held; /* after the run */
} slot_life;

static void find_leaf(const run_evaluation *run, const jg_array *x, int slot, slot_life *life)
{
    int64_t lowest, highest, itemsize = (int64_t)dtype_itemsize((jg_dtype)x->dtype);
    jg_layout layout;
    node_layout(x, &layout);
    layout.offset = 0; /* addresses include it */
    if (x->size == 0 || layout_bounds(&layout, &lowest, &highest) != JG_OK)
        return;
    life->low = (uintptr_t)run->addresses[slot] + (uintptr_t)(lowest * itemsize);
    life->high = (uintptr_t)run->addresses[slot] + (uintptr_t)((highest + 1) * itemsize);
}

/* Values are row-major. Those that only a call's own launches use have no node. */
static void find_memory(const run_evaluation *run, const jg_array *x, int slot, slot_life *life)
{
    const plan_slot *planned = &run->plan->slots[slot];
    if (planned->kind == SLOT_LEAF) {
        find_leaf(run, x, slot, life);
    } else if (planned->kind != SLOT_FUSED && planned->nbytes > 0) {
        life->low = (uintptr_t)run->addresses[slot];
        life->high = life->low + planned->nbytes;
    }
}

/* A slot is written by the first launch that names it, unless it is a leaf. */
static void find_lives(const run_evaluation *run, jg_array *const *nodes, slot_life *lives)
{
    const jg_plan *plan = run->plan;
    for (int slot = 0; slot < plan->nslots; ++slot) {
        bool leaf = plan->slots[slot].kind == SLOT_LEAF;
        lives[slot] = (slot_life){.written = leaf ? BEFORE : NEVER_WRITTEN,
                                  .last_read = BEFORE,
                                  .held = nodes[slot] != NULL && nodes[slot]->stored};
        find_memory(run, nodes[slot], slot, &lives[slot]);
    }
    for (int i = 0; i < plan->nlaunches; ++i)
        for (int j = 0; j < plan->launches[i].noperands; ++j) {
            int slot = plan->launches[i].operands[j].slot;
            if (slot < 0)
                continue;
            if (lives[slot].written == NEVER_WRITTEN)
                lives[slot].written = i;
            else
                lives[slot].last_read = i;
        }
}

/* Whether the launch may write the operand over what it reads of the slot. */
static bool may_overwrite(const plan_launch *launch, const plan_operand *written, int slot)
{
    for (int j = 0; j < launch->noperands; ++j)
        if (launch->operands[j].slot == slot && !(written->in_place >> j & 1))
            return false;
    return true;
}

/* Whether the launch reads the slot while the next one follows it. */
static bool is_read_beside(const jg_plan *plan, int launch, int slot)
{
    return launch >= 0 && plan->launches[launch].follower_unit > 0 &&
           plan_is_read_by(&plan->launches[launch], slot);
}

/* Checks one operand that launch i writes. The launch belongs to a series that begins with
 * `first`. */
static void check_write(const jg_plan *plan, const slot_life *lives, int first, int i,
                        const plan_operand *written)
{
    const slot_life *own = &lives[written->slot];
    for (int slot = 0; slot < plan->nslots; ++slot) {
        const slot_life *other = &lives[slot];
        if (slot == written->slot || other->low >= own->high || own->low >= other->high ||
            other->written == NEVER_WRITTEN || other->written > i)
            continue;
        assert(other->written != i && "two results of a launch overlap");
        assert(!other->held && other->last_read <= i && "a result overwrites what is wanted");
        assert(other->written < first && (other->last_read < first || other->last_read == i) &&
               "a result overwrites what is used at the same time");
        assert(may_overwrite(&plan->launches[i], written, slot) &&
               !is_read_beside(plan, i - 1, slot) &&
               "a result overwrites an operand that is still read");
    }
}

void run_check(const run_evaluation *run, jg_array *const *nodes)
{
    const jg_plan *plan = run->plan;
    if ((int64_t)plan->nslots * plan->nlaunches > MAX_COMPARISONS)
        return;
    /* Allocated past the test hooks, so that these checks do not change which allocation a test
     * lets fail. */
    slot_life *lives = malloc((size_t)plan->nslots * sizeof *lives);
    if (lives == NULL)
        return;
    find_lives(run, nodes, lives);
    for (int i = 0, first = 0; i < plan->nlaunches; ++i) {
        first = i == first + plan->launches[first].series ? i : first;
        for (int j = 0; j < plan->launches[i].noperands; ++j) {
            const plan_operand *operand = &plan->launches[i].operands[j];
            if (operand->slot < 0)
                continue;
            assert((lives[operand->slot].written < first || lives[operand->slot].written == i) &&
                   "a launch reads what is computed at the same time");
            if (lives[operand->slot].written == i)
                check_write(plan, lives, first, i, operand);
        }
    }
    free(lives);
}
#else
void run_check(const run_evaluation *run, jg_array *const *nodes)
{
    (void)run;
    (void)nodes;
}
#endif
