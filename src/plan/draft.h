/* SPDX-License-Identifier: Apache-2.0 */
/* Private to plan: groups, their index spaces, and what passes between the steps that make a plan.
 *
 * A slot is a node's number in the walk. */
#ifndef JG_PLAN_DRAFT_H
#define JG_PLAN_DRAFT_H

#include "plan/plan.h"

/* index_map.c: affine maps between index spaces */

/* Index i of the source space goes to origin[k] + sum over d of i[d] * steps[d * to + k]. Axes of
 * the source space from `from` on are ignored: spaces grow. */
typedef struct index_map {
    int from, to;    /* the number of axes on either side */
    int64_t *origin; /* to */
    int64_t *steps;  /* from * to; right behind origin, as plan_map_equal relies on */
} index_map;

/* A bump allocator for objects that live as long as a draft. Zero-initialised is empty. */
typedef struct plan_arena {
    struct arena_block *first; /* the one that is allocated from; full ones behind it */
    size_t used;               /* bytes of the first */
} plan_arena;

/* Memory that lasts until plan_arena_clear, which frees all of it. gives: NULL when out of
 * memory */
void *plan_arena_alloc(plan_arena *arena, size_t nbytes);
void plan_arena_clear(plan_arena *arena);

/* Each gives a map in the arena. plan_map_zero leads everywhere to index 0; others start from it.
 * raises: NOMEM */
jg_status plan_map_zero(plan_arena *arena, int from, int to, index_map **out);
jg_status plan_map_identity(plan_arena *arena, int ndim, index_map **out);
/* From indices of `shape` to those of x broadcast to it. */
jg_status plan_map_broadcast(plan_arena *arena, int ndim, const int64_t *shape, const jg_array *x,
                             index_map **out);
/* From indices of the view to those of its root; NULL where that is not affine. */
jg_status plan_map_view(plan_arena *arena, const jg_array *view, index_map **out);
/* Through first and then second, which leads from where first leads to. */
jg_status plan_map_compose(plan_arena *arena, const index_map *first, const index_map *second,
                           index_map **out);
/* Whether they lead to the same indices; one made before the space grew ignores the axes added. */
bool plan_map_equal(const index_map *a, const index_map *b);

/* group.c */

typedef enum group_kind {
    GROUP_PROGRAM, /* elementwise ops, generators and reductions */
    GROUP_ROUTINE  /* the results of one call, whose inputs come from memory; the root is the lowest
                      slot here */
} group_kind;

typedef struct plan_group {
    group_kind kind;
    int root; /* the highest slot of its members; all that it reads is in groups of lower roots */
    int ndim; /* of the index space: the root's shape, or that of what the first reduction reads */
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

/* What it takes to compute a value once more (remake.c). */
typedef struct plan_remake {
    uint8_t steps, numbers; /* instructions, numbers that these take; 255 steps: it is not done */
    int leaf;               /* the one slot in memory that they read, or -1 */
} plan_remake;

/* Arguments of a group: a program has 32 buffers and as many scalars. */
enum { PLAN_MAX_ARGUMENTS = 30 };

/* What planning knows of each slot. */
typedef struct plan_node {
    int group;              /* -1 for leaves */
    int next;               /* the next member of the group, -1 at the end */
    const index_map *map;   /* from the group's index space to the node's */
    const index_map *reads; /* of a reduction: from the group's index space to its input's */
    bool output;            /* goes to memory */
    int leader;             /* the first result of the call that the node is a result of */
    int constant;           /* plan_constant_of */
    bool reduces;           /* a reduction, or elementwise ops on one */
    bool uniform;           /* numbers, and elementwise ops on them: computed once a run */
    uint64_t sources;       /* the leaves that it depends on: one bit for each, shared by several */
    int nresults;     /* results among it and what it is made of; at most PLAN_MAX_ARGUMENTS */
    int wanted;       /* of the groups that users seen so far are in, the one that runs first */
    bool wanted_fits; /* its users reach the node through one map */
    bool shared;      /* users are in other groups as well, which read it from memory */
    int uses;         /* inputs of the group `wanted` that it is */
    plan_remake remake;
    bool wanted_wide; /* for each element of a row, by some of them */
    const index_map *wanted_map;
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

static inline plan_group *draft_groups(const plan_draft *draft)
{
    return (plan_group *)(void *)draft->groups.data;
}
static inline bool draft_is_number(const plan_draft *draft, int slot)
{
    return node_is_number(walk_nodes(draft->walk)[slot]);
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

/* index_map.c, of a draft */

/* From the space that `map` leads from to the index of x's input, as its own shape has it.
 * gives: *out, in the arena | raises: NOMEM */
jg_status draft_map_input(plan_draft *draft, const index_map *map, const jg_array *x, int input,
                          const index_map **out);

/* The map from the index space of the slot's group to the index of one of its node's inputs, as the
 * input's own shape has it (a view's, not its root's).
 * gives: *out, in the arena | raises: NOMEM */
jg_status draft_input_map(plan_draft *draft, int slot, int input, const index_map **out);

/* From what a map leads to, if that is a view, on to its root; NULL where that is not affine or the
 * same bits in another dtype. gives: *out, in the arena | raises: NOMEM */
jg_status draft_look_through(plan_draft *draft, const jg_array *read, const index_map *map,
                             const index_map **out);

/* Both, one after the other. gives: *out, in the arena | raises: NOMEM */
jg_status draft_root_map(plan_draft *draft, int slot, int input, const index_map **out);

/* order.c */

/* The walk with its nodes in the order in which they are to be computed, and numbered by that: one
 * that needs less memory where it is found, else the walk as it is.
 * gives: *out, for order_end, also after a failure; it borrows the rest of the walk | raises: NOMEM
 */
jg_status order_begin(const graph_walk *walk, graph_walk *out);
bool order_is_new(const graph_walk *walk, const graph_walk *ordered);

void order_end(const graph_walk *walk, graph_walk *ordered);

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
                          const index_map *map);
bool plan_remake_is_possible(const plan_draft *draft, int slot);

/* Whether the group computes the slot's value for so many uses instead of reading it; counts what
 * that takes. */
bool plan_remake_instead(plan_draft *draft, int slot, plan_group *group, int uses);

/* group_space.c */

/* Whether the group reduces, or will once the reduction joins that one of its members is made of;
 * and whether what the map leads to is one value for each row of such a group. */
bool plan_space_has_rows(const plan_group *group);
bool plan_space_is_row_value(const plan_group *group, const index_map *map);

/* Whether the map leads to each of x's elements exactly once, for the row where it ignores the
 * axes that are reduced, and in an order in which x can be stored well. */
bool plan_space_covers(const plan_group *group, uint64_t reduced, const index_map *map,
                       const jg_array *x);

/* Rows in the space: indices of the axes that are not reduced. */
int64_t plan_space_rows(const plan_group *group);

/* The map that leads the group's axes, of those in the bit set, in order to dims, where the
 * extents agree; NULL where they do not. Extents of 1 do not count.
 * gives: *out, in the arena | raises: NOMEM */
jg_status plan_space_match(plan_draft *draft, const plan_group *group, uint64_t axes, int ndim,
                           const int64_t *dims, index_map **out);

/* The map to the input of reduction x, itself reached through `map`, if its reduced axes are
 * `reduced`; NULL where extents differ. gives: *out, in the arena | raises: NOMEM */
jg_status plan_space_read_map(plan_draft *draft, const plan_group *group, uint64_t reduced,
                              const index_map *map, const jg_array *x, index_map **out);

/* Whether rows along these axes may be passed over more than once: they are long enough to be
 * worth it, they fit the second-level cache, and their elements lie side by side in what the
 * group computes. x: something of the row, for its itemsize. */
bool plan_space_row_fits(const plan_group *group, uint64_t reduced, const jg_array *x);

/* Whether reduction x, reached through `map`, fits the group's rows, or makes rows of its elements
 * that pass the rule above. gives: the axes, and the map to x's input, NULL where it does not fit
 * | raises: NOMEM */
jg_status plan_space_find_rows(plan_draft *draft, const plan_group *group, const index_map *map,
                               const jg_array *x, uint64_t *reduced, index_map **reads);

/* Whether the group's space is one row, for one reduction that reads it through `reads`. */
bool plan_space_is_one_row(const plan_group *group, uint64_t reduced, const index_map *reads);

/* Gives a group that reduces nothing the axes that x reduces as its last. raises: NOMEM */
jg_status plan_space_append(plan_draft *draft, plan_group *group, const jg_array *x);

/* Counts a reduction whose input is reached through `reads`. */
void plan_space_add_reduction(plan_group *group, const index_map *reads);

/* slots.c */

/* Decides where each slot of a plan lies in memory, after its launches were lowered.
 * raises: NOMEM, VALUE for a result with more bytes than 63 bits count */
jg_status plan_store_slots(jg_plan *plan, plan_draft *draft);

/* Lists the slots that are in memory by kind, for runs, which look at no others. raises: NOMEM */
jg_status plan_list_slots(jg_plan *plan);

/* series.c */

/* Counts the launches that may run at the same time, once all slots have their memory. raises:
 * NOMEM */
jg_status plan_find_series(jg_plan *plan);

/* lower.c */

/* Lowers one group into a launch whose code is prepared. raises: NOMEM, UNSUPPORTED */
jg_status plan_lower_group(plan_draft *draft, const plan_group *group, plan_launch *out);

/* Whether the node is one simple instruction, of which several cost no more than memory does. */
bool plan_lower_is_simple(const jg_array *x);

/* lower_routine.c */

/* As plan_lower_group, for a group that is the results of a call.
 * gives: *out | raises: NOMEM, UNSUPPORTED */
jg_status plan_lower_routine(plan_draft *draft, const plan_group *group, plan_launch *out);

/* code.c */

/* What a launch is on the device of that number; *out stays NULL where that runs nothing itself.
 * gives: *out, for plan_code_release, also after a failure | raises: NOMEM */
jg_status plan_code_of_program(int device, const jg_program *program, const program_space *space,
                               plan_code **out);
void plan_code_release(plan_code *code); /* NULL is fine */

/* One without work; *out stays NULL likewise. gives: *out, for plan_code_release | raises: NOMEM */
jg_status plan_code_new(int device, plan_code **out);
/* Memory for a program and its space, one behind the other, to be written.
 * gives: the program, for base_free, and *space in the same block; NULL when out of memory */
jg_program *plan_alloc_program(int nbuffers, int ndim, program_space **space);

/* Makes it one work, which lies in memory, for base_free, and asks the printer for it. memory: NULL
 * fails. takes: memory, also when it fails | raises: NOMEM */
jg_status plan_code_print(plan_code *code, device_work work, void *memory);

/* Makes it a code of so many parts at most, none of which is there yet: PLAN_CODE_PARTS or one of
 * the kinds behind it, with the zeroed details of that kind. It is taken until a part is refused.
 * raises: NOMEM */
jg_status plan_code_divide(plan_code *code, plan_code_kind kind, int limit);

/* Adds a part of the program to those that the code can hold, or keeps why it is not taken. space:
 * of the program; simplified in place | raises: NOMEM */
jg_status plan_add_part(const jg_program *program, program_space *space, plan_part part,
                        plan_code *code);

/* Counts the part that was written behind the others; without own code, or where that is
 * refused, code is neither. */
void plan_code_count(plan_code *code);

/* An instruction of one or two operands. gives, raises: as program_apply */
static inline jg_status plan_apply(jg_program *program, program_op op, int x, int y, int *out)
{
    int src[] = {x, y};
    return program_apply(program, op, program_inst_rows[op].arity, src, out);
}

/* code_routine.c */

/* As plan_code_of_program.
 * gives: *out, for plan_code_release, also after a failure | raises: NOMEM */
jg_status plan_code_of_routine(int device, jg_primitive primitive, const routine_call *call,
                               plan_code **out);

/* parts.c */

/* The programs that a call with a result becomes: where all are taken, the code is; else it has the
 * refusal. gives: PLAN_CODE_PARTS, also after a failure | raises: NOMEM */
jg_status plan_concat(const routine_call *call, plan_code *code);
jg_status plan_repeat_times(const routine_call *call, plan_code *code); /* by one number */
jg_status plan_extremum_index(const routine_call *call, plan_code *code);

/* gather.c */

/* The same of a gather, also one without a result whose index arrays have numbers to look at.
 * gives: PLAN_CODE_GATHER, as plan_concat | raises: NOMEM */
jg_status plan_gather(const routine_call *call, plan_code *code);

/* parts.c and gather.c, for others */

/* Adds a part that copies the operand to where the result begins; in program it is written.
 * raises: NOMEM */
jg_status plan_add_copy(const routine_call *call, int operand, jg_program *program,
                        plan_code *code);

/* Adds a part that finds the least and the largest number of an index array that has some; space
 * is for three buffers. raises: NOMEM */
jg_status plan_add_range(const routine_call *call, int operand, jg_program *program,
                         program_space *space, plan_code *code);

/* cumulative.c */

/* The work of running results, with some. gives: PLAN_CODE_PRINTED | raises: NOMEM */
jg_status plan_cumulative(const routine_call *call, plan_code *code);

/* product.c */

/* The work of a product with a result, or the device's library for it; programs and the work of one
 * whose matrices index arrays choose, also of one without a result; the work of one of segments.
 * gives: PLAN_CODE_PRINTED or PLAN_CODE_LIBRARY; PLAN_CODE_GATHER, as plan_concat;
 * PLAN_CODE_PRINTED | raises: NOMEM, DEVICE */
jg_status plan_product(const routine_call *call, plan_code *code);
jg_status plan_gather_product(const routine_call *call, plan_code *code);
jg_status plan_segmented_product(const routine_call *call, plan_code *code);

/* fourier.c, convolve.c and pool.c */

/* The works of transforms and convolutions, and the program of a pooling, with a result.
 * gives: PLAN_CODE_PRINTED, or PLAN_CODE_PARTS of two axes; PLAN_CODE_PRINTED;
 * PLAN_CODE_ADDRESSING, as plan_concat | raises: NOMEM */
jg_status plan_fourier(const routine_call *call, plan_code *code);
jg_status plan_convolve(const routine_call *call, plan_code *code);
jg_status plan_pool(const routine_call *call, plan_code *code);

/* sort.c */

/* The works of a sort and of a search, with a result. gives: PLAN_CODE_PRINTED | raises: NOMEM */
jg_status plan_sort(const routine_call *call, plan_code *code);
jg_status plan_search(const routine_call *call, plan_code *code);

/* scatter.c */

/* The programs of a scatter, and the work that takes the updates in.
 * gives: PLAN_CODE_SCATTER, as plan_concat | raises: NOMEM */
jg_status plan_scatter(const routine_call *call, plan_code *code);

/* extend.c */

/* The same of an extend with a result.
 * gives: PLAN_CODE_ADDRESSING, as plan_concat | raises: NOMEM */
jg_status plan_extend(const routine_call *call, plan_code *code);

/* repeat.c */

/* The same of a repeat by starts, with a result. gives, raises: as plan_extend */
jg_status plan_repeat(const routine_call *call, plan_code *code);

/* code.c, too */

/* The dtype of bits that elements are moved as, so that a device needs no arithmetic in theirs. */
jg_dtype plan_moved_dtype(jg_dtype dtype);

/* Whether the device runs the launch of that code, which may be NULL. */
static inline bool plan_code_is_taken(const plan_code *code)
{
    return code != NULL && code->taken;
}

/* heat.c */

/* For a launch of the program, whose first code is of the tier `own`. Launches of equal programs
 * over equal spaces have one heat. gives: *out, for heat_release, or NULL where no tier makes
 * better code | raises: NOMEM */
jg_status heat_begin(const jg_executor *own, const jg_program *program, const program_space *space,
                     launch_heat **out);
void heat_release(launch_heat *heat); /* NULL is fine */

/* plan.c, lower_routine.c */

/* The tier that later plans prepare their programs with. */
void plan_set_executor(const jg_executor *tier);

/* The routines that later plans use, by primitive. */
void plan_lower_set_routines(const jg_routine *const *routines);

/* facts.c */

/* Gives the lowered launch its facts. raises: NOMEM */
jg_status facts_collect(const plan_draft *draft, const plan_group *group, plan_launch *launch);

/* key.c */

/* The first different numbers of a walk. Those that are equal are one value of a program. */
enum { PLAN_CONSTANTS = 16 };
typedef struct plan_constants {
    int count;
    const jg_array *nodes[PLAN_CONSTANTS];
} plan_constants;

/* The same for two numbers of a walk only if they are equal; 0 for what is no number and for those
 * beyond the first. Asked for all nodes in their order. */
int plan_constant_of(plan_constants *constants, const jg_array *x);

/* Writes the structure of the walked graph: equal keys mean that one plan serves both. raises:
 * NOMEM */
jg_status plan_write_key(const graph_walk *walk, bool fusing, base_vec *key);

/* log.c */

/* Writes the launch to stderr if JOGGLE_LOG asks for plans. */
void plan_log_program(const plan_group *group, const jg_program *program,
                      const program_space *space);
void plan_log_routine(const plan_routine *routine);

#endif
