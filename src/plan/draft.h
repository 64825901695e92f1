/* SPDX-License-Identifier: Apache-2.0 */
/* Private to plan: the draft of a plan: groups, their index spaces, and what is known of each slot.
 *
 * A slot is a node's number in the walk. */
#ifndef JG_PLAN_DRAFT_H
#define JG_PLAN_DRAFT_H

#include "plan/group/index_map.h"
#include "plan/plan.h"

/* group.c */

typedef enum group_kind {
    GROUP_PROGRAM, /* elementwise ops, generators and reductions */
    GROUP_ROUTINE  /* the results of one call, whose inputs come from memory; the root is the lowest
                      slot here */
} group_kind;

typedef struct plan_attention plan_attention;

typedef struct plan_group {
    group_kind kind;
    const plan_attention
        *attention; /* of a routine that its members spell (attention.c), or NULL */
    bool halves;    /* of a product of casts: it reads what these read (halves.c) */
    int root; /* the highest slot of its members; all that it reads is in groups of lower roots */
    int ndim; /* of the index space: the root's shape, or the shape of the first reduction's
                 input */
    uint64_t reduced; /* a bit for each axis that is reduced */
    int nreductions;
    bool ordered; /* the reductions read the axes in the order of the space */
    bool once; /* the whole space is a row that is passed over once, whatever its length: there is
                     one reduction, or will be, and no element depends on it */
    int64_t *shape;
    int64_t size;      /* indices in the space */
    int first, nnodes; /* slots of the members: first, then next[]; ascending, but for routines */
    int narguments;    /* an upper bound of the buffers and scalars it takes */
    int nremade;       /* instructions that other groups run as well; an upper bound */
    uint64_t sources;  /* of the nodes that it was started with, or that joined beside */
    int nresults;      /* theirs */
    int64_t held;      /* bytes that are in memory longer for its sake (hold.c) */
} plan_group;

/* The cost of computing a value again (remake.c). */
typedef struct plan_remake {
    uint8_t steps, numbers; /* instructions, numbers that these take; 255 steps: it is not done */
    int leaf;               /* the one slot in memory that they read, or -1 */
} plan_remake;

/* Arguments of a group: a program has 32 buffers and as many scalars. */
enum { PLAN_MAX_ARGUMENTS = 30 };

enum { PLAN_WANTED_BY_NONE = -1 }; /* no user has been grouped yet */

/* The planner's data for each slot. */
typedef struct plan_node {
    int group;                   /* -1 for leaves */
    int next;                    /* the next member of the group, -1 at the end */
    const plan_index_map *map;   /* from the group's index space to the node's */
    const plan_index_map *reads; /* of a reduction: from the group's index space to its input's */
    bool output;                 /* goes to memory */
    int leader;                  /* the first result of the call that the node is a result of */
    int constant;                /* plan_constant_of */
    bool reduces;                /* a reduction, or elementwise ops on one */
    int nreads;       /* inputs of the walk's nodes that are the slot or windows onto it */
    bool uniform;     /* numbers, and elementwise ops on them: computed once a run */
    uint64_t sources; /* the leaves that it depends on: one bit for each, shared by several */
    int nresults;     /* results among it and what it is made of; at most PLAN_MAX_ARGUMENTS */
    int wanted;       /* of the groups that users seen so far are in, the one that runs first; or
                         PLAN_WANTED_BY_NONE */
    bool wanted_fits; /* its users reach the node through one map */
    bool shared;      /* users are in other groups as well, which read it from memory */
    int uses;         /* inputs of the group `wanted` that it is */
    plan_remake remake;
    bool wanted_wide; /* for each element of a row, by some of them */
    const plan_index_map *wanted_map;
    int lowest_user, highest_user; /* the least root of the users' groups, and the largest */
    int nroutines;                 /* among the slots up to this one */
    int last_use;                  /* the last launch that reads the slot from memory */
    int home;                      /* the stored slot whose buffer it lies in, -1 for none */
    bool goes_on;                  /* what it is written over lies there too */
} plan_node;

typedef struct plan_draft {
    const graph_walk *walk;
    plan_arena arena;
    plan_node *nodes; /* one for each slot */
    base_vec groups;  /* plan_group, in the order of their roots, highest first */
    int leads;        /* the slot that the launch before gives unit by unit, or -1: plan.c */
} plan_draft;

/* The groups, borrowed from the draft until one is added. */
static inline plan_group *draft_groups(const plan_draft *draft)
{
    return (plan_group *)(void *)draft->groups.data;
}
static inline bool draft_is_number(const plan_draft *draft, int slot)
{
    return node_is_number(walk_nodes(draft->walk)[slot]);
}
static inline group_kind draft_kind_of(const jg_array *x)
{
    return node_is_routine(x) ? GROUP_ROUTINE : GROUP_PROGRAM;
}
static inline int draft_group_count(const plan_draft *draft)
{
    return (int)(draft->groups.nbytes / sizeof(plan_group));
}

/* Cuts the walked graph into groups, each node by itself unless `fusing`. The draft borrows the
 * walk, whose nodes must not get storage before draft_clear, which is due also after a failure.
 * gives: *draft, for draft_clear | raises: NOMEM */
jg_status draft_make_groups(plan_draft *draft, const graph_walk *walk, bool fusing);
void draft_clear(plan_draft *draft);

/* verify.c: whether each computed node is in one group, and groups come after what they read.
 * raises: INTERNAL, naming the group and the slot; NOMEM */
jg_status draft_verify(const plan_draft *draft);

/* survey.c: collects the facts about each slot of the walk for group.c, before any slot is
 * grouped */
void draft_survey(plan_draft *draft);

/* index_map.c: of a draft */

/* From the space that `map` leads from to the index of x's input, as its own shape has it.
 * gives: *out, in the arena | raises: NOMEM */
jg_status draft_map_input(plan_draft *draft, const plan_index_map *map, const jg_array *x,
                          int input, const plan_index_map **out);

/* The map from the index space of the slot's group to the index of one of its node's inputs, as the
 * input's own shape has it (a view's, not its root's).
 * gives: *out, in the arena | raises: NOMEM */
jg_status draft_input_map(plan_draft *draft, int slot, int input, const plan_index_map **out);

/* From what a map leads to, if that is a view, on to its root; NULL where that is not affine or the
 * same bits in another dtype. gives: *out, in the arena | raises: NOMEM */
jg_status draft_look_through(plan_draft *draft, const jg_array *read, const plan_index_map *map,
                             const plan_index_map **out);

/* Both, one after the other. gives: *out, in the arena | raises: NOMEM */
jg_status draft_root_map(plan_draft *draft, int slot, int input, const plan_index_map **out);

/* attention.c */

/* Whether x is the result of an attention that other ops spell, none of whose values is read
 * elsewhere or asked for, and that the routine computes in less time.
 * gives: *out, in the arena, or NULL | raises: NOMEM */
jg_status plan_attention_find(plan_draft *draft, const jg_array *x, plan_attention **out);

/* The slots of the attention's members besides the result, descending; -1 after the last. */
int plan_attention_member(const plan_attention *found, int number);

/* The slot that reads operand `number`, and as which of its inputs; `user` is -1 for an operand
 * that there is not. gives: false behind the last */
bool plan_attention_input(const plan_attention *found, int number, int *user, int *input);

/* halves.c */

/* Whether x is a product in float32 of two casts of halves, which nothing else reads or asks for,
 * that the device makes of the halves themselves. */
bool plan_multiplies_halves(const plan_draft *draft, const jg_array *x);

/* hold.c */

/* Whether the slot may be computed where its group is, which comes later, although what the slot is
 * made of must stay in memory until then; counts that. stored: the slot goes to memory as well */
bool hold_is_small(const plan_draft *draft, plan_group *group, int slot, bool stored);

/* remake.c */

/* Learns what it takes to compute the slot's value once more. Called for all slots in their
 * order. */
void plan_remake_survey(plan_draft *draft, int slot);

/* A member of the group reads the slot through the map (NULL: not affine), which may rule out that
 * it is computed once more. */
void plan_remake_note_use(plan_draft *draft, int slot, const plan_group *group,
                          const plan_index_map *map);
bool plan_remake_is_possible(const plan_draft *draft, int slot);

/* Whether the group computes the slot's value again for `uses` uses instead of reading it from
 * memory. If so, counts the cost in the group. */
bool plan_remake_instead(plan_draft *draft, int slot, plan_group *group, int uses);

/* group_space.c */

/* Whether the group reduces, or will reduce once the reduction that one of its members reads joins
 * it; and whether the map leads to one value for each row of such a group. */
bool plan_space_has_rows(const plan_group *group);
bool plan_space_is_row_value(const plan_group *group, const plan_index_map *map);

/* Whether the map leads to each of x's elements exactly once, for the row where it ignores the
 * axes that are reduced, and in an order in which x can be stored well. */
bool plan_space_covers(const plan_group *group, uint64_t reduced, const plan_index_map *map,
                       const jg_array *x);

/* Rows in the space: indices of the axes that are not reduced. */
int64_t plan_space_rows(const plan_group *group);

/* The map that leads the group's axes, of those in the bit set, in order to dims, where the
 * extents agree; NULL where they do not. Extents of 1 do not count.
 * gives: *out, in the arena | raises: NOMEM */
jg_status plan_space_match(plan_draft *draft, const plan_group *group, uint64_t axes, int ndim,
                           const int64_t *dims, plan_index_map **out);

/* The map to the input of reduction x, itself reached through `map`, if its reduced axes are
 * `reduced`; NULL where extents differ. gives: *out, in the arena | raises: NOMEM */
jg_status plan_space_read_map(plan_draft *draft, const plan_group *group, uint64_t reduced,
                              const plan_index_map *map, const jg_array *x, plan_index_map **out);

/* Whether rows along these axes may be passed over more than once: they are long enough to be
 * worth it, they fit the second-level cache, and their elements lie side by side in what the
 * group computes. x: something of the row, for its itemsize. */
bool plan_space_row_fits(const plan_group *group, uint64_t reduced, const jg_array *x);

/* Whether reduction x, reached through `map`, fits the group's rows, or makes rows of its elements
 * that pass the rule above. gives: the axes, and the map to x's input, NULL where it does not fit
 * | raises: NOMEM */
jg_status plan_space_find_rows(plan_draft *draft, const plan_group *group,
                               const plan_index_map *map, const jg_array *x, uint64_t *reduced,
                               plan_index_map **reads);

/* Whether the group's space is one row, for one reduction that reads it through `reads`. */
bool plan_space_is_one_row(const plan_group *group, uint64_t reduced, const plan_index_map *reads);

/* Gives a group that reduces nothing the axes that x reduces as its last. raises: NOMEM */
jg_status plan_space_append(plan_draft *draft, plan_group *group, const jg_array *x);

/* Counts a reduction whose input is reached through `reads`. */
void plan_space_add_reduction(plan_group *group, const plan_index_map *reads);

#endif
