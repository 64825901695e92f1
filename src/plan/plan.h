/* SPDX-License-Identifier: Apache-2.0 */
/* plan: from a walked graph to the launches that compute it. The graph is cut into groups, each
 * group is lowered to a launch, and every value that passes through memory gets memory.
 * Nothing runs here, and no memory of a device is known.
 *
 * plan.c goes through the folders in order: group (which nodes are computed together), lower (each
 * group's program or routine), memory (where values lie), device (what a launch is where sources
 * are printed); show has plans as text.
 *
 * A slot is a node's number in the walk. Everything a plan says, it says about slots, never about
 * nodes, so a plan serves every graph with the same key; plans are cached by that.
 *
 * A launch's kind says which member of its union is set, and the kind of its code (plan_code) which
 * member of the code is. Do not test members for NULL to find the kind. */
#ifndef JG_PLAN_H
#define JG_PLAN_H

#include "device/printer.h"
#include "graph/graph.h"
#include "program/executor.h"
#include "program/routine.h"
#include <stdatomic.h>

/* Sets the tier that prepares programs, and the routines by their primitives. Called once, by the
 * runtime, before anything is planned. keeps: both, forever */
void plan_set_tiers(const program_executor *executor, const jg_routine *const *routines);

/* Sets the tier that compiles programs which run often; without it none are compiled. Called once,
 * by the runtime. keeps: the tier, forever */
void plan_set_hot_tier(const program_executor *executor);

/* Sets the printer of device source; without it the host runs all launches. Called once, by the
 * runtime. keeps: the printer, forever */
void plan_set_printer(const device_printer *printer);

/* Sets the kinds of launches. Called once, by the runtime. keeps: the kinds, forever */
typedef struct plan_launch_kinds plan_launch_kinds;
void plan_set_launches(const plan_launch_kinds *kinds);

/* Whether host libraries multiply m by k and k by n matrices of the dtype as they are; the op of a
 * product casts its operands to a wider one where they do not. Set once, by the runtime. */
typedef bool plan_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k);
void plan_set_products(plan_takes *takes);
bool plan_product_takes(jg_dtype dtype, int64_t m, int64_t n, int64_t k);

/* lower/lower_routine.c */

/* The routine of a primitive, borrowed; NULL for one that has none. */
const jg_routine *plan_routine_of(jg_primitive primitive);

/* group/halves.c */

/* Whether the device of that number multiplies halves as they are, with sums in float32, at least
 * as fast as in float32: GPUs do. */
bool plan_device_takes_halves(int device);

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
    size_t nbytes; /* of the value; 0 for SLOT_LEAF and SLOT_FUSED */
} plan_slot;

/* The place of a program's buffer: offset_bytes after the first element of a slot. An index has
 * slot -1, and the offset is its first value. */
typedef struct plan_operand {
    int slot;
    uint32_t in_place; /* of one that is written: a bit for each operand whose memory it may have */
    uint32_t needs;    /* of one that a program writes: a bit for each operand that it is made of */
    int64_t offset_bytes;
} plan_operand;

typedef enum plan_scalar_field { SCALAR_VALUE, SCALAR_START, SCALAR_STEP } plan_scalar_field;

/* A program's scalar: a parameter of the node in the slot. */
typedef struct plan_scalar {
    int slot;
    plan_scalar_field field;
} plan_scalar;

typedef struct plan_routine {
    const jg_routine *routine;
    jg_primitive primitive; /* whose routine it is */
    routine_call call;      /* without addresses; attributes is below */
    primitive_attributes attributes;
    size_t scratch_nbytes;
    routine_operand operands[]; /* their shapes and strides follow */
} plan_routine;

typedef struct plan_launch_facts plan_launch_facts;
typedef struct plan_launch_heat plan_launch_heat;

/* A loop nest, and the code that a tier made of it. */
typedef struct plan_program {
    const program_executor *executor;
    executor_code *code;
    plan_launch_heat *heat; /* NULL if no better code can replace it */
    int64_t units;
    size_t shared_nbytes; /* of memory that its units share; 0 where a run has enough anyway */
    uint32_t in_order; /* a bit for each buffer that is read or written densely in the order of the
                          loops */
    uint32_t written;  /* likewise, that is written */
    int nmerged;       /* instructions that would have computed a value of another again */
    int nsimplified;   /* rules of program/simplify.def that have been applied */
    int nremade;       /* values of other launches that it computes again */
} plan_program;

/* Bytes from one index of an operand's axis to the next. */
static inline int64_t plan_operand_step(const routine_operand *x, int axis)
{
    return x->strides[axis] * (int64_t)dtype_itemsize(x->dtype);
}

/* The same through a space that the operand is broadcast to: 0 along axes of extent 1. */
static inline int64_t plan_broadcast_step(const routine_operand *x, int axis)
{
    return x->shape[axis] == 1 ? 0 : plan_operand_step(x, axis);
}

typedef struct plan_loaded plan_loaded;

enum {
    PLAN_ALL_OPERANDS = -1,
    PLAN_INDEX_LIMIT = 10,  /* index arrays of a gather on a device, */
    PLAN_INDEX_SCALARS = 3, /* scalars of each of them */
    PLAN_OFFSET_LIMIT = 10, /* axes that a device reads by computed addresses */
    PLAN_RANGE_NBYTES = 16  /* of an index array's least and largest number */
};

/* A program that makes a part of a launch's only result from one of its operands. Its buffers are
 * the operand, the result and, perhaps, an INDEX; or the launch's. */
typedef struct plan_part {
    struct plan_code *code;
    int operand;          /* or PLAN_ALL_OPERANDS */
    int64_t offset_bytes; /* of the part in the result */
} plan_part;

/* The axis of an index array, as the caller counts it. */
typedef struct plan_index {
    int axis;
    bool is_unsigned;
    int64_t extent;
} plan_index;

/* The look-up of a gather or a scatter. The first parts, one for each index array, find its range
 * of numbers (PLAN_RANGE_NBYTES). A gather may have one part more, which makes the result and takes
 * the scalars. */
typedef struct plan_look_up {
    int count;
    plan_index indices[PLAN_INDEX_LIMIT];
    jg_scalar scalars[PLAN_INDEX_LIMIT * PLAN_INDEX_SCALARS];
} plan_look_up;

/* The addressing of a code whose only part computes addresses: the values that a run hands over
 * besides the operands. The program has the operands' buffers, followed by an INDEX for each
 * offset. */
typedef struct plan_addressing {
    int noffsets;
    int numbers; /* the operand, int64, that is subtracted from these; -1: they are 0 */
    int64_t periods[PLAN_OFFSET_LIMIT]; /* of which a number is taken modulo; 0: as it is */
    jg_scalar scalars[PROGRAM_MAX_SCALARS];
} plan_addressing;

/* The numbers of a scatter's parts after those of the look-up; -1 for none. */
typedef struct plan_updates {
    plan_look_up look_up;
    int copy;   /* of x into the result, where that is not x's memory */
    int update; /* takes the updates in */
} plan_updates;

/* The kind of a code's parts, which also tells which members the code has. */
typedef enum plan_code_kind {
    PLAN_CODE_NOTHING,    /* none: the device does not run it, or there is nothing to run */
    PLAN_CODE_PRINTED,    /* printed */
    PLAN_CODE_LIBRARY,    /* library */
    PLAN_CODE_PARTS,      /* parts, which write elements of the result that do not meet */
    PLAN_CODE_ADDRESSING, /* parts, which are one, and its addressing */
    PLAN_CODE_GATHER,     /* parts and their look_up */
    PLAN_CODE_SCATTER,    /* parts and their updates */
    PLAN_CODE_KIND_COUNT
} plan_code_kind;

/* One work of its own. It lies in `memory`; of a scatter, as far as its text depends on it. */
typedef struct plan_printed {
    device_work work;
    void *memory;
    _Atomic(plan_loaded *) loaded; /* NULL before the first run */
} plan_printed;

/* A product that a library of the device makes. */
typedef struct plan_library {
    void *product;
    size_t scratch_nbytes; /* of memory that it takes */
} plan_library;

/* Works that run one after the other. */
typedef struct plan_parts {
    int count;
    plan_part *all;
    union { /* by the code's kind */
        plan_addressing *addressing;
        plan_look_up *look_up;
        plan_updates *updates;
        void *details; /* whichever it is; NULL of PLAN_CODE_PARTS */
    };
} plan_parts;

/* The code of a launch, or of a part of one, on a device that runs printed source. The kind is set
 * together with the union's member and alone tells which member is valid. A code that the device
 * does not run, because one of its parts is refused, keeps the parts before that one until it is
 * released. */
typedef struct plan_code {
    jg_device *device;
    bool taken;             /* the device runs it, else the host does */
    bool empty;             /* taken, and there is nothing to run: no result has elements */
    device_refusal refusal; /* why it is not taken */
    plan_code_kind kind;
    union {
        plan_printed printed;
        plan_library library;
        plan_parts parts;
    };
} plan_code;

static inline int plan_code_count_parts(const plan_code *code)
{
    return code->kind >= PLAN_CODE_PARTS ? code->parts.count : 0;
}

typedef struct plan_launch_kind plan_launch_kind;

/* One launch: the work that runs as one piece. The next launch may follow it: that is a program
 * which reads the result in order and runs for the elements that are complete. */
typedef struct plan_launch {
    const plan_launch_kind *kind;
    union { /* by kind, which alone reads it */
        plan_program program;
        plan_routine *routine;
    };
    int64_t follower_unit; /* the elements of each unit of the launch that follows; 0 for none */
    int beside;            /* the follower's operand that it reads along with what it follows; -1 */
    int64_t work;          /* about the number of scalar operations */
    int series;            /* the number of launches, from this one on, that may run at the same
                              time */
    int noperands, nscalars;
    plan_operand *operands;
    plan_scalar *scalars;
    plan_code *code; /* NULL where the plan's device runs nothing itself */
    jg_op label;     /* the root's, for messages */
    plan_launch_facts *facts;
} plan_launch;

struct run_frame;

/* The functions by which plan and run use a launch. The room run defines four kinds: programs and
 * routines (products among them), each run by the host or by the device of the results. */
struct plan_launch_kind {
    bool on_host;      /* the host runs it, on whatever device its results are */
    bool may_fail;     /* while it runs */
    bool in_one_piece; /* it may take long before it asks whether to stop */
    bool joins;        /* series of launches that run at the same time, if it reduces nothing */

    /* Whether it writes the operand of that number. Required. */
    bool (*writes)(const plan_launch *launch, int operand);

    /* Whether the result that it writes is made of what it reads there. Optional: yes. */
    bool (*needs)(const plan_launch *launch, int written, int read);

    /* The slot of the launch's only result, if its units cover that one after the other, so that
     * the next launch may follow; otherwise -1. Optional: -1. */
    int (*leads)(const plan_launch *launch);

    /* The elements of each of its units where it may follow the launch that makes the slot, which
     * it reads in order only. Optional: 0, it may not. */
    int64_t (*follows)(const plan_launch *launch, int slot);

    /* Whether code of it is to be made before it runs. Optional: no. */
    bool (*is_due)(const plan_launch *launch);

    /* Adds to its facts what only it knows. Required. */
    void (*describe)(const plan_launch *launch, plan_launch_facts *facts);

    /* Frees what the union has. Required. */
    void (*release)(plan_launch *launch);

    /* Makes the frame ready for a run from the start: addresses, scalars, the code to run.
     * Optional: run does it all. raises: NOMEM; then nothing is left to clear */
    jg_status (*bind)(struct run_frame *frame, const plan_launch *launch);

    /* Runs it, or gives it to the device's queue, from where the frame has come to. Clears the
     * frame, unless the run is to go on later. Required.
     * raises: INTERRUPTED where it is to go on, what its work raises */
    jg_status (*run)(struct run_frame *frame, const plan_launch *launch);

    /* Told in place of run where what it needs has failed. order: of the message that it is, or 0.
     * Optional. */
    void (*skip)(const plan_launch *launch, uint64_t order);

    /* moved: tells a frame that will continue later that it was copied. clear: frees the frame's
     * memory. Optional. */
    void (*moved)(struct run_frame *frame);
    void (*clear)(struct run_frame *frame);
};

struct plan_launch_kinds {
    const plan_launch_kind *program, *routine, *device_program, *device_routine;
};

/* launch.c: plan's slots of these kinds */

bool plan_program_writes(const plan_launch *launch, int operand);
bool plan_program_needs(const plan_launch *launch, int written, int read);
int64_t plan_program_follows(const plan_launch *launch, int slot);
bool plan_program_is_due(const plan_launch *launch);
void plan_program_describe(const plan_launch *launch, plan_launch_facts *facts);
void plan_program_release(plan_launch *launch);
bool plan_routine_writes(const plan_launch *launch, int operand);
int plan_routine_leads(const plan_launch *launch);
void plan_routine_describe(const plan_launch *launch, plan_launch_facts *facts);
void plan_routine_release(plan_launch *launch);

/* Whether a routine that a program follows reads the slot; its last operand is its result. */
static inline bool plan_is_read_by(const plan_launch *routine, int slot)
{
    for (int i = 0; i < routine->noperands - 1; ++i)
        if (routine->operands[i].slot == slot)
            return true;
    return false;
}

typedef struct jg_plan {
    atomic_int refs;
    uint64_t hash; /* of the key */
    size_t key_nbytes;
    void *key;            /* NULL if the plan is not in the cache */
    struct jg_plan *next; /* in the cache's chain; under the evaluation lock */
    int device;           /* the number of the one that its results are on */
    int nslots, nlaunches, ntemps, nscalars;
    bool may_fail;   /* while it runs: one of its launches may */
    base_vec donors; /* int: slots of leaves */
    plan_slot *slots;
    int nleaves, nstored, nhoused;
    int *leaves, *stored, *housed; /* the slots of each kind, ascending; housed: SHARED and TEMP;
                                      one block, which is leaves' */
    plan_launch *launches;
    size_t *temps;        /* bytes of each */
    size_t shared_nbytes; /* the most that units of one launch share; 0 for none of the plan's */
    int64_t work;         /* about the number of scalar operations */
    device_sequence sequence; /* launches on its device, as all its runs give them */
    bool fallback_told; /* what the host runs for the device; guarded by the evaluation lock */
    bool due; /* code may have to be made before it runs; guarded by the evaluation lock */
} jg_plan;

/* plan.c */

/* Plans the walked graph. gives: *out, +1 | raises: NOMEM, UNSUPPORTED, VALUE for a result that has
 * more bytes than 63 bits count */
jg_status plan_make(const graph_walk *walk, bool fusing, jg_plan **out);
jg_plan *plan_retain(jg_plan *plan); /* gives: plan, +1 */
void plan_release(jg_plan *plan);

/* Whether code of it is still to be made before it runs, so that it must not run under the
 * evaluation lock, which is held now. */
bool plan_is_due(jg_plan *plan);

/* key.c */

/* Whether both are numbers, and equal: a launch may have merged them. */
bool plan_same_number(const jg_array *x, const jg_array *y);

/* cache.c */

/* The cached plan of that key, made if there is none. The evaluation lock must be held.
 * gives: *out, for plan_leave, which may be used until the next call, and without the lock by those
 * callers that retain it | raises: as plan_make */
jg_status plan_find(const graph_walk *walk, bool fusing, base_vec *key, jg_plan **out);

/* Ends the use of a plan that plan_find gave; one that was not worth being cached is freed unless
 * it was retained. The lock must still be held. raises: never */
void plan_leave(jg_plan *plan);

/* heat.c */

/* The better code and its executor. gives: borrowed, as long as the launch lives, or NULL */
const executor_code *heat_code(const plan_launch_heat *heat, const program_executor **executor);

/* Whether better code is to be made before the launch runs; false without a heat. raises: never */
bool heat_is_due(const plan_launch_heat *heat);
void heat_make_due(plan_launch_heat *heat);

/* The launch has run without better code. */
void heat_count(plan_launch_heat *heat, int64_t work);

/* code.c */

/* The objects that run a launch once on the plan's device. */
typedef struct plan_start {
    const device_entry *takes; /* borrowed, like the code, as long as the launch lives */
    device_code *code;
    device_launch *launch; /* for base_free; not bound yet */
} plan_start;

/* Prints and compiles the code of a launch or of a part of one, which is not empty, and with it
 * that of all launches of the plan, before the first of them runs. The caller holds no lock. work:
 * the code's, or one of the same text.
 * aligned: all operands begin at multiples of 16 bytes.
 * gives: *out | raises: NOMEM, DEVICE | waits: for the compiler */
jg_status plan_code_start(const jg_plan *plan, plan_code *code, const device_work *work,
                          bool aligned, plan_start *out);

/* facts.c */

enum { FACTS_OPS = 12 };

/* A description of a launch, for explain, dot and traces. */
struct plan_launch_facts {
    int64_t bytes_read, bytes_written;
    double flops;
    int nnodes;                 /* members of its group, numbers aside */
    int nmerged;                /* instructions that would have computed a value of another again */
    int nsimplified;            /* rules of program/simplify.def that have been applied */
    int nremade;                /* values of other launches that it computes again */
    uint16_t labels[FACTS_OPS]; /* jg_op of the first of them, inputs first */
    uint8_t dtype;              /* of the result */
    uint8_t primitive;          /* jg_primitive of a routine's launch, else PRIMITIVE_none */
    uint8_t roles;              /* a bit for each node_role that its nodes have */
    primitive_attributes attributes; /* of the routine */
    int ndim, nreductions;
    uint64_t reduced; /* axes of the index space */
    int64_t shape[];  /* of the index space */
};

/* gives: a static string, such as "cotangents"; "" of values alone */
const char *facts_roles(const plan_launch_facts *facts);

/* "multiply+add"; "axis=1, kind=sum", of a routine; and the inside of a JSON object. */
void facts_write_name(const plan_launch_facts *facts, base_text *text);
void facts_write_attributes(const plan_launch_facts *facts, base_text *text);
void facts_write_members(const plan_launch_facts *facts, base_text *text);

/* dot.c */

/* The walked graph and its groups as Graphviz text. raises: NOMEM */
jg_status plan_write_dot(const graph_walk *walk, bool fusing, base_text *text);

/* explain.c */

/* The plan as text, a line for each launch. raises: NOMEM */
jg_status plan_write_text(const jg_plan *plan, base_text *text);

#endif
