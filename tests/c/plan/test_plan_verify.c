/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and groups that break a rule are refused, naming the launch or the group, and the slot. The
 * plans are written out here, as the planner makes none; so are the changes of groups. */
#include "../arrays.h"
#include "plan/steps.h"
#include "run/run.h"

enum { LEAF, FIRST, SECOND, RESULT, SLOTS, NBYTES = 64, MOST = 3 };

/* The last operand of each launch is what it writes. */
static bool writes(const plan_launch *launch, int operand)
{
    return operand == launch->noperands - 1;
}

static const plan_launch_kind kind = {.writes = writes};

/* FIRST is made of LEAF, SECOND of LEAF and FIRST, and RESULT of SECOND. */
typedef struct written_plan {
    jg_plan plan;
    plan_slot slots[SLOTS];
    plan_launch launches[MOST];
    plan_operand operands[MOST][MOST];
    size_t temps[2];
    int donors[1];
} written_plan;

static void write_plan(written_plan *w)
{
    *w = (written_plan){
        .slots = {[LEAF] = {.kind = SLOT_LEAF},
                  [FIRST] = {.kind = SLOT_TEMP, .temp = 0, .nbytes = NBYTES},
                  [SECOND] = {.kind = SLOT_TEMP, .temp = 1, .nbytes = NBYTES},
                  [RESULT] = {.kind = SLOT_STORED, .nbytes = NBYTES}},
        .operands = {{{.slot = LEAF}, {.slot = FIRST}},
                     {{.slot = LEAF}, {.slot = FIRST}, {.slot = SECOND}},
                     {{.slot = SECOND}, {.slot = RESULT}}},
        .temps = {NBYTES, NBYTES},
        .donors = {LEAF},
    };
    const int counts[MOST] = {2, 3, 2};
    for (int i = 0; i < MOST; ++i)
        w->launches[i] = (plan_launch){
            .kind = &kind, .series = 1, .noperands = counts[i], .operands = w->operands[i]};
    w->plan.nslots = SLOTS;
    w->plan.slots = w->slots;
    w->plan.nlaunches = MOST;
    w->plan.launches = w->launches;
    w->plan.ntemps = 2;
    w->plan.temps = w->temps;
    w->plan.donors = (base_vec){.data = (char *)w->donors, .nbytes = sizeof w->donors};
    assert_ok(plan_verify(&w->plan));
}

#define REFUSED(fault, w) assert_fails_saying(JG_ERR_INTERNAL, fault, plan_verify(&(w)->plan))

TEST(what_is_read_has_been_written)
{
    written_plan w;
    write_plan(&w);
    w.operands[0][1].slot = SECOND;
    REFUSED("launch 1 with slot 1, which it reads though its memory has another value", &w);
    write_plan(&w);
    w.slots[FIRST].kind = SLOT_FUSED;
    REFUSED("launch 0 with slot 1, which it has for an operand though it is in no memory", &w);
    write_plan(&w);
    w.operands[2][0].slot = SLOTS;
    REFUSED("launch 2 with slot 4, which it names though there is none of that number", &w);
    write_plan(&w);
    w.launches[2].nscalars = 1;
    w.launches[2].scalars = &(plan_scalar){.slot = -1};
    REFUSED("launch 2 with slot -1, which it names though there is none of that number", &w);
}

TEST(what_is_still_read_is_not_written_over)
{
    written_plan w;
    write_plan(&w);
    w.slots[SECOND].temp = 0;
    REFUSED("launch 1 with slot 2, which it writes over an operand that it must not overwrite", &w);
    w.operands[1][2].in_place = 1u << 1;
    assert_ok(plan_verify(&w.plan));
    w.operands[2][0].slot = FIRST;
    REFUSED("launch 2 with slot 1, which it reads though its memory has another value", &w);
    write_plan(&w);
    w.operands[0][1].slot = LEAF;
    w.operands[0][0].slot = -1;
    REFUSED("launch 0 with slot 0, which it writes though it is a leaf", &w);
    write_plan(&w);
    w.operands[1][1].slot = SECOND;
    w.launches[1].kind = &(plan_launch_kind){.writes = plan_program_writes};
    w.launches[1].program.written = 6;
    REFUSED("launch 1 with slot 2, which it writes though it has written the memory", &w);
}

TEST(a_leaf_is_taken_over_where_it_is_read_last)
{
    written_plan w;
    write_plan(&w);
    w.slots[FIRST] = (plan_slot){.kind = SLOT_SHARED, .home = RESULT, .nbytes = NBYTES};
    assert_ok(plan_verify(&w.plan));
    w.slots[RESULT].ndonors = 1;
    REFUSED("launch 0 with slot 0, which it takes over though it is read later", &w);
    w.slots[FIRST] = (plan_slot){.kind = SLOT_TEMP, .temp = 0, .nbytes = NBYTES};
    assert_ok(plan_verify(&w.plan)); /* the last launch does not read the leaf */
    w.slots[SECOND] = (plan_slot){.kind = SLOT_SHARED, .home = RESULT, .nbytes = NBYTES};
    REFUSED("launch 1 with slot 2, which it writes over an operand that it must not overwrite", &w);
    w.operands[1][2].in_place = 1u << 0;
    w.operands[2][1].in_place = 1u << 0;
    assert_ok(plan_verify(&w.plan));
    w.donors[0] = FIRST;
    REFUSED("launch 1 with slot 1, which it takes over though it is no leaf", &w);
}

TEST(a_series_uses_memory_of_its_own)
{
    written_plan w;
    write_plan(&w);
    w.launches[0].series = 2;
    REFUSED("launch 1 with slot 1, which it reads while its series writes it", &w);
    write_plan(&w);
    w.operands[1][1].slot = LEAF;
    w.slots[SECOND].temp = 0;
    assert_ok(plan_verify(&w.plan));
    w.launches[0].series = 2;
    REFUSED("launch 1 with slot 2, which it writes while its series uses the memory", &w);
}

TEST(what_follows_a_routine_writes_over_none_of_its_operands)
{
    written_plan w;
    write_plan(&w);
    w.slots[RESULT] = (plan_slot){.kind = SLOT_TEMP, .temp = 0, .nbytes = NBYTES};
    assert_ok(plan_verify(&w.plan));
    w.launches[1].follower_unit = 8;
    REFUSED("launch 2 with slot 3, which it writes while what it follows reads the memory", &w);
}

TEST(a_result_is_in_its_buffer_in_the_end)
{
    written_plan w;
    write_plan(&w);
    w.plan.nlaunches = 2;
    REFUSED("the value of slot -1 in the buffer of result 3", &w);
}

TEST(a_value_fits_its_memory)
{
    written_plan w;
    write_plan(&w);
    w.temps[1] = NBYTES - 1;
    REFUSED("64 bytes of slot 2, allowed are 63", &w);
    write_plan(&w);
    w.slots[SECOND].temp = 2;
    REFUSED("no memory for slot 2", &w);
    w.slots[SECOND] = (plan_slot){.kind = SLOT_SHARED, .home = FIRST, .nbytes = NBYTES};
    REFUSED("no memory for slot 2", &w);
}

/* The draft of sort(-a) - -a, of which the body may change the three groups: the difference's, the
 * sort's, and that of -a. */
static void with_draft(void (*body)(plan_draft *draft))
{
    static graph_walk walk;
    const int64_t axis = 1;
    plan_draft draft;
    jg_array *a = counting(JG_DTYPE_FLOAT32, SHAPE(64, 64)), *negative, *sorted, *y;
    assert_ok(jg_negative(a, &negative));
    assert_ok(jg_sort(negative, &axis, false, true, &sorted));
    assert_ok(jg_subtract(sorted, negative, &y));
    run_lock();
    assert_ok(graph_walk_from(&walk, WALK_ASKED, 1, &y));
    assert_ok(draft_make_groups(&draft, &walk, true));
    assert_ok(draft_verify(&draft));
    assert_int_equal(draft_group_count(&draft), 3);
    body(&draft);
    draft_clear(&draft);
    graph_walk_end(&walk);
    run_unlock();
    graph_walk_clear(&walk);
    release_all(4, (jg_array *[]){a, negative, sorted, y});
}

#define REFUSED_DRAFT(fault, draft) assert_fails_saying(JG_ERR_INTERNAL, fault, draft_verify(draft))

static void change_members(plan_draft *draft)
{
    plan_group *group = &draft_groups(draft)[1];
    int root = group->root, below = group[1].root;
    group->nnodes += 1;
    REFUSED_DRAFT("group 1 that lacks members beside slot", draft);
    group->nnodes -= 1;
    group->root = below;
    group[1].root = below - 1;
    REFUSED_DRAFT("group 1 that lacks members beside slot", draft);
    group->root = root;
    group[1].root = below;
    draft->nodes[root].group = 0;
    REFUSED_DRAFT("group 1 that shares slot", draft);
    draft->nodes[root].group = 1;
    draft->nodes[below].next = root;
    REFUSED_DRAFT("group 2 that shares slot", draft);
    draft->nodes[below].next = -1;
    draft->groups.nbytes -= sizeof *group;
    REFUSED_DRAFT("group 2 that does not list slot", draft);
    draft->groups.nbytes += sizeof *group;
    assert_ok(draft_verify(draft));
}

/* -a is moved to the difference's group, which runs after the sort. */
static void change_order(plan_draft *draft)
{
    plan_group *groups = draft_groups(draft);
    int root = groups[0].root, below = groups[2].root;
    groups[2].root = root;
    REFUSED_DRAFT("group 2 that comes too late with its root: slot", draft);
    groups[2].root = below;
    draft->groups.nbytes -= sizeof *groups;
    draft->nodes[below].group = 0;
    draft->nodes[root].next = below;
    groups[0].nnodes += 1;
    REFUSED_DRAFT("group 0 that lists out of order slot", draft);
    draft->nodes[root].next = -1;
    draft->nodes[below].next = root;
    groups[0].first = below;
    REFUSED_DRAFT("group 1 that reads before it is computed: slot", draft);
}

TEST(each_node_is_in_one_group)
{
    with_draft(change_members);
}

TEST(groups_come_after_what_they_read)
{
    with_draft(change_order);
}
