/* SPDX-License-Identifier: Apache-2.0 */
/* Private to fuse: groups, plans and what passes between the steps that make them.
 *
 * A slot is a node's place in the walk. Everything a plan says, it says about slots, never about
 * nodes, so a plan serves every graph with the same key. */
#ifndef JG_FUSE_PLAN_H
#define JG_FUSE_PLAN_H

#include "fuse/fuse.h"
#include "program/routine.h"
#include <pthread.h>
#include <stdatomic.h>

/* index_map.c: affine maps between index spaces */

/* Index i of the source space goes to origin[k] + sum over d of i[d] * steps[d * to + k]. Axes of
 * the source space from `from` on are ignored: spaces grow. */
typedef struct index_map {
    int from, to;    /* the number of axes on either side */
    int64_t *origin; /* to */
    int64_t *steps;  /* from * to; right behind origin, as map_equal relies on */
} index_map;

/* A bump allocator for what lives as long as one planning does. Zero-initialised is empty. */
typedef struct plan_arena {
    struct arena_block *first; /* the one that things are taken from; full ones behind it */
    size_t used;               /* bytes of the first */
} plan_arena;

void *arena_alloc(plan_arena *arena, size_t nbytes); /* NULL when out of memory */
void arena_clear(plan_arena *arena);

/* Each gives a map in the arena. map_zero leads everywhere to index 0; others start from it.
 * raises: NOMEM */
jg_status map_zero(plan_arena *arena, int from, int to, index_map **out);
jg_status map_identity(plan_arena *arena, int ndim, index_map **out);
/* From indices of `shape` to those of x broadcast to it. */
jg_status map_broadcast(plan_arena *arena, int ndim, const int64_t *shape, const jg_array *x,
                        index_map **out);
/* From indices of the view to those of its root; NULL where that is not affine. */
jg_status map_view(plan_arena *arena, const jg_array *view, index_map **out);
/* Through first and then second, which leads from where first leads to. */
jg_status map_compose(plan_arena *arena, const index_map *first, const index_map *second,
                      index_map **out);
/* Whether they lead to the same indices; one made before the space grew ignores the axes added. */
bool map_equal(const index_map *a, const index_map *b);

/* group.c */

typedef enum group_kind {
    GROUP_PROGRAM, /* elementwise ops, generators and reductions */
    GROUP_MATMUL,  /* this and the next: one node, whose inputs come from memory */
    GROUP_ROUTINE  /* the results of one call; the root is the lowest slot here */
} group_kind;

typedef struct plan_group {
    group_kind kind;
    int root; /* the highest slot of its members; all that it reads is in groups of lower roots */
    int ndim; /* of the index space: the root's shape, or that of what the first reduction reads */
    uint64_t reduced; /* a bit for each axis that is reduced */
    int nreductions;
    bool ordered; /* the reductions read the axes in the order of the space */
    int64_t *shape;
    int64_t size;      /* indices in the space */
    int first, nnodes; /* slots of the members: first, then next[]; ascending, but for routines */
    int nplaces;       /* an upper bound of the buffers and scalars it takes */
} plan_group;

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
    uint64_t sources;       /* what it is made of: a bit for some leaf, shared by several */
    int wanted;             /* the group that all users seen so far are in; see group.c */
    bool wanted_wide;       /* for each element of a row, by some of them */
    const index_map *wanted_map;
    int lowest_user; /* the least root of the users' groups */
    int last_use;    /* the last launch that reads the slot from memory */
    int home;        /* the stored slot whose buffer it lies in, -1 for none */
    bool goes_on;    /* what it is written over lies there as well */
} plan_node;

typedef struct plan_draft {
    const graph_walk *walk;
    plan_arena arena;
    plan_node *nodes; /* one for each slot */
    base_vec groups;  /* plan_group, in the order of their roots, highest first */
} plan_draft;

static inline plan_group *draft_groups(const plan_draft *draft)
{
    return (plan_group *)(void *)draft->groups.data;
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

/* The map from the index space of the slot's group to the index of one of its node's inputs, as the
 * input's own shape has it (a view's, not its root's). raises: NOMEM */
jg_status draft_input_map(plan_draft *draft, int slot, int input, const index_map **out);

/* group_space.c */

/* Whether the group reduces, or will once the reduction joins that one of its members is made of;
 * and whether what the map leads to is one value for each row of such a group. */
bool space_has_rows(const plan_group *group);
bool space_is_row_value(const plan_group *group, const index_map *map);

/* Whether the map leads to each of x's elements exactly once, for the row where it ignores the
 * axes that are reduced, and in an order in which x can be stored well. */
bool space_covers(const plan_group *group, uint64_t reduced, const index_map *map,
                  const jg_array *x);

/* Rows in the space: indices of the axes that are not reduced. */
int64_t space_rows(const plan_group *group);

/* The map that leads the group's axes, of those in the bit set, in order to dims, where the
 * extents agree; NULL where they do not. Extents of 1 do not count. raises: NOMEM */
jg_status space_match(plan_draft *draft, const plan_group *group, uint64_t axes, int ndim,
                      const int64_t *dims, index_map **out);

/* The map to the input of reduction x, itself reached through `map`, if its reduced axes are
 * `reduced`; NULL where extents differ. raises: NOMEM */
jg_status space_read_map(plan_draft *draft, const plan_group *group, uint64_t reduced,
                         const index_map *map, const jg_array *x, index_map **out);

/* Whether rows along these axes may be passed over more than once: they are long enough to be
 * worth it, they fit the second-level cache, and their elements lie side by side in what the
 * group computes. x: something of the row, for its itemsize. */
bool space_row_fits(const plan_group *group, uint64_t reduced, const jg_array *x);

/* Whether reduction x, reached through `map`, fits the group's rows, or makes rows of its elements
 * that pass the rule above. gives: the axes, and the map to x's input, NULL where it does not fit
 * | raises: NOMEM */
jg_status space_find_rows(plan_draft *draft, const plan_group *group, const index_map *map,
                          const jg_array *x, uint64_t *reduced, index_map **reads);

/* Gives a group that reduces nothing the axes that x reduces as its last. raises: NOMEM */
jg_status space_append(plan_draft *draft, plan_group *group, const jg_array *x);

/* Counts a reduction whose input is reached through `reads`. */
void space_add_reduction(plan_group *group, const index_map *reads);

/* plan.c */

typedef enum slot_kind {
    SLOT_LEAF,   /* has storage already */
    SLOT_STORED, /* gets a buffer that its node keeps */
    SLOT_SHARED, /* lies in the buffer of a stored slot, its home, until that is written */
    SLOT_TEMP,   /* lies in one of the plan's temporaries */
    SLOT_FUSED   /* never in memory */
} slot_kind;

typedef struct plan_slot {
    uint8_t kind;    /* slot_kind */
    uint8_t ndonors; /* SLOT_STORED: leaves whose buffer it may take over, from donors[first] on */
    int first;
    int temp;      /* SLOT_TEMP: which */
    int home;      /* SLOT_SHARED: which */
    size_t nbytes; /* SLOT_STORED: of its buffer */
} plan_slot;

/* Where a program's buffer is: offset_bytes past a slot's first element. An index has slot -1
 * and the offset is its first value. */
typedef struct plan_operand {
    int slot;
    uint32_t in_place; /* of one that is written: a bit for each operand whose memory it may have */
    int64_t offset_bytes;
} plan_operand;

typedef enum scalar_field { SCALAR_VALUE, SCALAR_START, SCALAR_STEP } scalar_field;

/* A program's scalar: a parameter of the node in the slot. */
typedef struct plan_scalar {
    int slot;
    scalar_field field;
} plan_scalar;

typedef struct plan_matmul {
    matmul_call call; /* without addresses */
    int ndim;         /* batch axes; strides in bytes */
    int64_t shape[JG_MAX_NDIM], a_strides[JG_MAX_NDIM], b_strides[JG_MAX_NDIM];
    int64_t c_stride;
} plan_matmul;

typedef struct plan_routine {
    const jg_routine *routine;
    routine_call call; /* without addresses; attributes is below */
    primitive_attributes attributes;
    size_t scratch_nbytes;
    routine_operand operands[]; /* their shapes and strides follow */
} plan_routine;

typedef struct launch_facts launch_facts;
typedef struct launch_heat launch_heat;

/* Of code, matmul and routine one is not NULL. */
typedef struct plan_launch {
    int64_t epilogue_unit; /* of a product that the next launch follows block by block: the
                              elements of each of its units; else 0 */
    uint32_t in_order;     /* of code: a bit for each buffer that is read or written densely in
                              the order of the loops */
    const jg_executor *executor;
    executor_code *code;
    launch_heat *heat; /* of code that a better one may take the place of; else NULL */
    plan_matmul *matmul;
    plan_routine *routine;
    int64_t units, work; /* work: about the number of scalar operations */
    int noperands, nscalars, nmerged;
    plan_operand *operands;
    plan_scalar *scalars;
    jg_op label; /* the root's, for messages */
    launch_facts *facts;
} plan_launch;

typedef struct fuse_plan {
    atomic_int refs;
    uint64_t hash; /* of the key */
    size_t key_nbytes;
    void *key;              /* NULL if the plan is not in the cache */
    struct fuse_plan *next; /* in the cache's chain; under the evaluation lock */
    int nslots, nlaunches, ntemps, nscalars;
    bool may_fail;   /* while it runs: it has launches other than programs */
    base_vec donors; /* int: slots of leaves */
    plan_slot *slots;
    int nleaves, nstored, nplaced;
    int *leaves, *stored, *placed; /* the slots of each kind, ascending; placed: SHARED and TEMP;
                                      one block, which is leaves' */
    plan_launch *launches;
    size_t *temps; /* bytes of each */
    int64_t work;  /* about the number of scalar operations */
} fuse_plan;

/* Gives the slots of a plan whose launches are lowered their places (slots.c).
 * raises: NOMEM, VALUE for a result with more bytes than 63 bits count */
jg_status plan_place_slots(fuse_plan *plan, plan_draft *draft);

/* Plans the walked graph. gives: *out, +1 | raises: NOMEM, UNSUPPORTED, VALUE for a result that has
 * more bytes than 63 bits count */
jg_status plan_make(const graph_walk *walk, bool fusing, fuse_plan **out);
void plan_release(fuse_plan *plan);

/* The tier that later plans prepare their programs with. */
void plan_set_executor(const jg_executor *tier);

/* launch.c */

/* A launch of a program with its addresses and scalars, and the code that runs it. */
typedef struct program_job {
    const plan_launch *launch;
    const jg_executor *executor;
    const executor_code *code;
    const jg_scalar *scalars;
    void *operands[PROGRAM_MAX_BUFFERS];
    _Alignas(64) char shared[EXECUTOR_SHARED_NBYTES]; /* by all units, see executor.h */
} program_job;

/* The product of one pair is cut into blocks of rows, or of columns where rows are few, so that
 * threads share it. A unit is one block. */
typedef struct matmul_job {
    const plan_matmul *matmul;
    const launch_facts *facts;
    matmul_call call;                          /* with the addresses of the first pair */
    int64_t blocks, block_rows, block_columns; /* one of them is all of the product's */
    program_job *epilogue;                     /* NULL for none */
    int64_t epilogue_unit;                     /* elements */
    int64_t grain;                             /* chunks are a multiple of these blocks */
    atomic_int failed;                         /* the status of the first failure */
    jg_error error;                            /* of that; written by the one who set `failed` */
} matmul_job;

enum { FEW_OPERANDS = 16 };

typedef struct routine_job {
    const jg_routine *routine;
    const launch_facts *facts;
    routine_call call; /* the plan's, with addresses, scratch and threads of this run */
    jg_buffer *scratch;
    void **addresses, *few[FEW_OPERANDS]; /* of the operands; a block where they are more */
    int step;
    atomic_int failed; /* the status of the first failure */
    jg_error error;    /* of that; written by the one who set `failed` */
} routine_job;

struct plan_run;

/* How far a launch has come: what it takes to go on where it stopped. Nothing of it is set before
 * the launch begins but `begun`. */
typedef struct launch_frame {
    struct plan_run *run;
    bool begun;
    int64_t units, next; /* of the program or the routine's step: all; the first still to run */
    matmul_job matmul;
    routine_job routine;
    program_job program; /* or the epilogue of the product */
} launch_frame;

/* Runs the launches that are still to run, one after the other, on the calling thread. The frame is
 * that of the first one. raises: INTERRUPTED without a message where the run is to stop, else what
 * a library call raised */
jg_status run_launches(struct plan_run *run, launch_frame *frame);

/* Makes a copy of the frame of a launch that has stopped its own; frees what it has. */
void launch_frame_moved(launch_frame *frame);
void launch_frame_clear(launch_frame *frame);

/* addresses: by slot; scalars: the launch's own, borrowed like the launch until the job has run. */
void program_bind(const plan_launch *launch, void *const *addresses, const jg_scalar *scalars,
                  program_job *out);

/* Runs the job of the frame's program, on several threads if there is enough work, from the frame's
 * next unit on, and finishes. raises: INTERRUPTED */
jg_status program_run(launch_frame *frame, const plan_launch *launch);

/* The two halves of that: some units on the calling thread, and what is left to do once all have
 * run. */
void program_run_units(program_job *job, int64_t first, int64_t last);
void program_finish(program_job *job);

/* Shares the frame's units by way of the pool, from its next one on, in chunks of a multiple of
 * `step`. work: about the scalar operations of all; body's context is the frame.
 * raises: INTERRUPTED */
jg_status launch_share(launch_frame *frame, int64_t step, int64_t work, pool_body *body);

/* launch_matmul.c */

/* Runs the product, and what follows it block by block; scalars are those of the product, and
 * behind them those of the next launch. raises: INTERRUPTED, LIBRARY */
jg_status run_matmul(launch_frame *frame, const plan_launch *launch, const jg_scalar *scalars);

/* Scalar operations below which a second thread costs more than it brings, about 30 microseconds:
 * waking one that sleeps takes the caller up to 3 of them. */
enum { PARALLEL_WORK = 768 << 10 };

/* Those of a chunk at most, where units are small enough: a run stops between chunks. Some 30
 * microseconds of additions, or a tenth of a second of the slowest functions. */
enum { CHUNK_WORK = 1 << 20 };

/* Where the operand lies, given the addresses by slot. */
static inline void *operand_address(const plan_operand *operand, void *const *addresses)
{
    if (operand->slot < 0) /* an index: the address is its first value */
        return (void *)(intptr_t)operand->offset_bytes;
    return (char *)addresses[operand->slot] + operand->offset_bytes;
}

/* The library calls that later runs use. */
void launch_set_library(const jg_library *calls);

/* heat.c */

/* The tier that compiles what runs often. */
void heat_set_executor(const jg_executor *executor);

/* For a launch of the program. gives: *out, for heat_release, or NULL where there is nothing to
 * gain | raises: NOMEM */
jg_status heat_begin(const jg_program *program, const program_space *space, launch_heat **out);
void heat_release(launch_heat *heat); /* NULL is fine */

/* The better code, or NULL, and its executor. It lives as long as the launch does. */
const executor_code *heat_code(const launch_heat *heat, const jg_executor **executor);

/* The launch has run without better code. */
void heat_count(launch_heat *heat, int64_t work);

/* facts.c */

enum { FACTS_OPS = 12 };

/* What a launch is, for those who look on. */
struct launch_facts {
    int64_t bytes_read, bytes_written;
    double flops;
    int nnodes;                 /* members of its group, numbers aside */
    int nmerged;                /* instructions that would have computed a value of another again */
    uint16_t labels[FACTS_OPS]; /* jg_op of the first of them, inputs first */
    uint8_t dtype;              /* of the result */
    uint8_t primitive;          /* jg_primitive of a routine's launch, else PRIMITIVE_none */
    primitive_attributes attributes; /* of that */
    int ndim, nreductions;
    uint64_t reduced; /* axes of the index space */
    int64_t shape[];  /* of the index space */
};

/* Gives the lowered launch its facts. raises: NOMEM */
jg_status facts_collect(const plan_draft *draft, const plan_group *group, plan_launch *launch);

/* "multiply+add"; "axis=1, kind=sum", of a routine; and the inside of a JSON object. */
void facts_write_name(const launch_facts *facts, base_text *text);
void facts_write_attributes(const launch_facts *facts, base_text *text);
void facts_write_members(const launch_facts *facts, base_text *text);

/* trace.c: for the traced ways through, which the others pass by with one load */

int64_t fuse_trace_enter(void); /* the time; an evaluation begins */
void fuse_trace_build(int nnodes);
void fuse_trace_eval(int64_t start_ns, int count, bool wait);
void fuse_trace_step(int64_t start_ns, const char *name, const char *unit, int count);
void fuse_trace_launch(int64_t start_ns, const launch_facts *facts);
void fuse_trace_chunk(int64_t start_ns, const launch_facts *facts, int64_t first, int64_t last);

/* lower.c */

/* Lowers one group into a launch whose code is prepared. raises: NOMEM, UNSUPPORTED */
jg_status lower_group(plan_draft *draft, const plan_group *group, plan_launch *out);

/* lower_matmul.c */

/* As lower_group, for a group that is a product. */
jg_status lower_matmul(plan_draft *draft, const plan_group *group, plan_launch *out);

/* lower_routine.c */

/* The routines that later plans use, by primitive. */
void lower_set_routines(const jg_routine *const *routines);

/* As lower_group, for a group that is the results of a call. */
jg_status lower_routine(plan_draft *draft, const plan_group *group, plan_launch *out);

/* launch_routine.c */

/* Runs the routine. raises: INTERRUPTED, what the routine raises, NOMEM */
jg_status run_routine(launch_frame *frame, const plan_launch *launch);
void routine_clear(routine_job *job);

/* key.c, plan_cache.c */

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

/* The cached plan of that key, made if there is none. The evaluation lock must be held.
 * gives: *out, +1 | raises: as plan_make */
jg_status plan_find(const graph_walk *walk, bool fusing, base_vec *key, fuse_plan **out);

/* dot.c */

/* The walked graph and its groups as Graphviz text. raises: NOMEM */
jg_status plan_write_dot(const graph_walk *walk, bool fusing, base_text *text);

/* explain.c */

/* The plan as text, a line for each launch. raises: NOMEM */
jg_status plan_write_text(const fuse_plan *plan, base_text *text);

/* log.c */

/* Writes the launch to stderr if JOGGLE_LOG asks for plans. */
void log_program(const plan_group *group, const jg_program *program, const program_space *space);
void log_matmul(const plan_matmul *matmul);
void log_routine(const plan_routine *routine);

/* run.c */

/* One evaluation of a plan: addresses by slot, the scalars, what must stay alive meanwhile. */
typedef struct plan_run {
    stream_task task; /* first member; its event is owned, and NULL under the evaluation lock */
    unsigned stream, forks; /* those that made the process it began in */
    fuse_plan *plan;
    void **addresses;
    jg_scalar *scalars;
    int nbuffers, nwaits;
    int nstored;         /* of the buffers, the first: those that nodes keep */
    bool overwrites;     /* leaves that nobody holds */
    bool writing;        /* it counts among their writers */
    bool reads_files;    /* some leaf lies in a mapped one */
    jg_buffer **buffers; /* with temporaries and leaves, released afterwards */
    jg_event **waits;    /* what must have happened before */

    int waited, launched;  /* of waits and launches, those that are over */
    jg_scalar *scalar;     /* the first of the next launch's */
    launch_frame *stopped; /* how far that one is, of a run that has stopped */
    bool followed;         /* the last product was, by its epilogue, block by block */
    bool goes_on;          /* it does not stop, as it cannot be kept */
    bool interruptible;    /* by requests that are not among those begun */
    unsigned begun;
    int64_t alone_until;             /* when it stops so that another thread goes on, 0 for never */
    pthread_t caller;                /* whose time that is */
    struct plan_run *before, *after; /* among those that have stopped; suspend.c */
} plan_run;

/* Binds the plan to the walked graph, gives the stored nodes their storage, and runs: at once if
 * the work is small and its stream idle, otherwise as *later, which the caller finishes or submits.
 * takes: plan (on JG_OK) | raises: NOMEM (nothing has changed), as run_launches */
jg_status run_plan(const graph_walk *walk, fuse_plan *plan, plan_run **later);

/* Runs what run_plan left for later on the calling thread, sets its event, which carries a failure,
 * and frees it; or suspends it. begun: of the call that waits for it and may be interrupted, or
 * NULL */
void run_finish(plan_run *run, const unsigned *begun);

/* Queues it on its stream. takes: run | gives: false if the stream cannot start a thread; then the
 * run is still the caller's */
bool run_submit(plan_run *run);

/* check.c */

/* Asserts that the bound run writes over nothing that is still wanted; nothing in a release
 * build. */
void check_run(const plan_run *run, jg_array *const *nodes);

/* suspend.c */

/* Whether the run is to stop now, to go on another time. context: a launch_frame. Any thread */
bool run_stops(void *context);

/* Whether it had better leave the launch to another thread: its caller wants to look out, and the
 * launch is long and may be one piece. */
bool run_leaves(plan_run *run, const plan_launch *launch);

/* The call that may be interrupted begins to run it on its own thread. */
void run_attend(plan_run *run, unsigned begun);

/* Keeps the frame. gives: false without memory; then the run is to go on */
bool run_keep(plan_run *run, const launch_frame *frame);

/* Leaves the run to its event. */
void run_suspend(plan_run *run);

/* Goes on with all runs that have stopped, as somebody waits for what they read.
 * raises: INTERRUPTED */
jg_status resume_all(unsigned begun);

void suspend_install_hooks(void);

/* Frees the run, which has not been scheduled or has ended. */
void run_free(plan_run *run);

/* schedule.c */

/* Walks the graph of the arrays and gives all that it stores storage, one run after the other where
 * the graph crosses streams. All runs but the last are queued; *last is the caller's, or NULL. The
 * evaluation lock must be held; walk and key are its scratch.
 * raises: NOMEM, UNSUPPORTED, as run_plan */
jg_status schedule_arrays(graph_walk *walk, base_vec *key, bool fusing, walk_mode mode, int count,
                          jg_array *const *arrays, plan_run **last);

#endif
