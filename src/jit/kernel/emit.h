/* SPDX-License-Identifier: Apache-2.0 */
/* Private to emit_*.c: a kernel on its way to LLVM's IR.
 *
 * The kernel is cut (kernel/cut.h). Its serial parts together become the entry; each device body
 * becomes a function of its own that runs a chunk of the loop's indices. The frame is a block of
 * the entry's stack. Values and locals that parts share lie in it. What is derived from them,
 * counts of iterations and exact indices, is recorded when a body uses it, so the body is emitted
 * first, and the entry then stores the rest. */
#ifndef JG_JIT_EMIT_H
#define JG_JIT_EMIT_H

#include "jit/llvm/llvm.h"
#include "kernel/bounds.h"
#include "kernel/compiler.h"

/* analysis.c: what is known of a kernel before it is emitted */

typedef struct analysis_local {
    uint32_t loop; /* the parallel loop that it is declared in; KERNEL_NONE outside */
    bool shared;   /* declared outside, used inside one: it is in the frame */
} analysis_local;

typedef struct jit_analysis {
    uint32_t *loops;  /* of each value: the parallel loop it is defined in; or KERNEL_NONE */
    bool *indexing;   /* of each value: it is used in an index, perhaps through sums and products */
    bool *compared;   /* of each value: likewise into a comparison, which takes the exact number */
    bool *used;       /* of each value */
    uint8_t *divides; /* of each value: DIVIDES_ */
    bool *private;    /* of each instruction: an atomic whose updates a chunk gathers */
    analysis_local *locals;
    int64_t body_nbytes;  /* what bodies reach of the kernel's own frame */
    int64_t frame_nbytes; /* the frame's bytes, and the derived values after it */
    bool asserts;         /* or may fail in another way */
    uint8_t *looks;       /* of each instruction: LOOK_ */
    bounds_plan bounds;
} jit_analysis;

/* Whether a quotient has the value as its divisor; and whether anything else uses it. */
enum { DIVIDES_NONE, DIVIDES_ONE, DIVIDES_MORE, DIVIDES_AND_OTHERWISE };

/* How an instruction's indices are checked. ASSUMED: at an access, in careful code only. */
enum { LOOK_HERE = 1, LOOK_BEFORE = 2, LOOK_ASSUMED = 4, LOOK_CASES = 8 };

/* Collects the facts about the kernel that emitting needs. gives: *out, for analysis_clear |
 * raises: NOMEM */
jg_status analysis_kernel(const kernel_program *kernel, unsigned flags, jit_analysis *out);
void analysis_clear(jit_analysis *analysis);

/* Whether it is an update that no other thread can interfere with. */
static inline bool analysis_is_plain(const kernel_inst *inst, unsigned flags)
{
    return kernel_is_update(inst) && (flags & COMPILE_NO_ALIAS);
}

/* Whether a loop has atomics that no chunk gathers. */
bool analysis_has_atomics(const kernel_program *kernel, const jit_analysis *analysis,
                          unsigned flags, uint32_t loop);

/* The arrays that a loop does nothing to but combine values into, by instructions whose neutral
 * value is zero, if its other atomics need no atomicity then either; else none. */
enum { ANALYSIS_MAX_SUMS = 8 };
typedef struct analysis_sums {
    int count;
    uint32_t arrays[ANALYSIS_MAX_SUMS];
    uint8_t atomics[ANALYSIS_MAX_SUMS];
} analysis_sums;
void analysis_find_sums(const kernel_program *kernel, const jit_analysis *analysis, unsigned flags,
                        uint32_t loop, analysis_sums *out);

/* analysis_screen.c */

/* The instructions of a loop that its checks at accesses need, if these may be made for many turns
 * before the turns are run: they have no other effect, and nothing in the loop changes their
 * results. gives: *out, for base_free, a flag for each instruction; NULL if they may not |
 * raises: NOMEM */
jg_status analysis_screen(const kernel_program *kernel, const jit_analysis *analysis,
                          unsigned flags, uint32_t loop, uint8_t **out);

/* analysis_compare.c */

/* Finds `compared`, and adds to `indexing` what is. raises: NOMEM */
jg_status analysis_comparisons(const kernel_program *kernel, jit_analysis *analysis);

/* analysis_lanes.c */

enum { LANES_MAX = 32 };

/* How a value differs between neighbouring indices: not at all, by one, somehow. */
typedef enum lane_kind { LANES_SAME, LANES_STEP, LANES_APART } lane_kind;

typedef struct lane_plan {
    uint8_t *kinds; /* lane_kind of each value; NULL: the loop is not run in lanes */
    bool *kept;     /* of each value: it is used in another region, and not computed there again */
    uint32_t *regions; /* of each instruction */
    uint32_t bits;     /* of the widest values in inner loops */
    uint32_t branch;   /* all lanes take it, or the group is run one by one; KERNEL_NONE: none */
} lane_plan;

/* The branch that holds all of the parallel loop's work: no instruction before it has an effect or
 * is checked, and none comes after it. KERNEL_NONE: there is none. */
uint32_t analysis_only_branch(const kernel_program *kernel, const jit_analysis *analysis,
                              uint32_t loop);

/* screened: checks at accesses have been made. gives: *out, for jit_lane_plan_clear | raises:
 * NOMEM */
jg_status jit_lanes_plan_loop(const kernel_program *kernel, const jit_analysis *analysis,
                              uint32_t loop, bool screened, lane_plan *out);
void jit_lane_plan_clear(lane_plan *plan);

/* An open block. next: the LLVM block where an iteration ends; leave: where the loop is left;
 * otherwise: what comes after. */
typedef struct emit_block {
    uint32_t opener;
    LLVMBasicBlockRef next, leave, otherwise;
    LLVMValueRef branch;         /* of an if */
    LLVMValueRef counter, count; /* of a for: a phi, and how many turns it takes */
    LLVMBasicBlockRef past;      /* of a for that is cut: where it is left; `leave`, its block */
    LLVMValueRef cut, all;       /* the first turn of the block, a phi; all turns */
    bool takes_few;              /* emit_few */
} emit_block;

/* A value that this back end derives from values in the entry and passes to a body, after the
 * kernel's own part of the frame. */
typedef struct emit_capture {
    LLVMValueRef value; /* in the entry */
    int64_t offset;
} emit_capture;

/* An atomic that a chunk gathers. */
typedef struct emit_gathered {
    uint32_t position;
    LLVMValueRef address; /* of the chunk's own value */
} emit_gathered;

/* A branch's sum for an element; it is added to the element after the branch. */
typedef struct emit_waiting {
    int depth; /* the branch's, among the blocks */
    jg_dtype dtype;
    LLVMValueRef address, sum;
} emit_waiting;

/* Several indices of a parallel loop side by side. */
typedef struct emit_lanes {
    lane_plan plan;
    unsigned count;
    LLVMValueRef base, lane; /* the index of lane 0; which lane, in a region */
    LLVMValueRef *slots;     /* of each value that is kept: one for each lane */
    LLVMValueRef *locals;    /* likewise */
    LLVMValueRef *brought;   /* of each value: the region, by its lane, that has it last */
} emit_lanes;

/* The state of the function that is being emitted. */
typedef struct emit_function {
    LLVMValueRef function, frame, arguments, host;
    LLVMBasicBlockRef prologue, body, leave; /* allocas and loads of arguments; code; the return */
    LLVMValueRef *values;                    /* of each value; NULL until it is defined here */
    LLVMValueRef *wide;                      /* integers as exact 64-bit numbers, or NULL */
    LLVMValueRef *bases;                     /* of each array */
    LLVMValueRef *locals;                    /* where each lies */
    LLVMValueRef draws, index;               /* of RANDOM: how many so far, and of which index */
    LLVMValueRef turns;                      /* left before the host is asked */
    LLVMBasicBlockRef resume;                /* of a body: where the entry goes on */
} emit_function;

typedef struct jit_emission {
    const jit_module *module;
    const kernel_program *kernel;
    jit_analysis analysis;
    unsigned flags;
    LLVMFastMathFlags math;
    emit_function entry, *at; /* at: the entry or the body of the loop */
    emit_lanes *lanes;        /* or NULL */
    uint32_t loop;            /* the parallel loop, or KERNEL_NONE */
    bool alone;               /* no other thread runs the loop */
    bool careful;             /* what other code assumes is checked */
    uint8_t *screen;          /* of the loop, from analysis_screen */
    LLVMValueRef *ahead; /* while indices are checked ahead: where each check records the maximum */
    bool screened;       /* indices have been checked ahead for the turns at hand */
    uint32_t split;      /* the serial loop that is emitted in two versions */
    uint32_t holds;      /* a branch that all turns at hand take, or KERNEL_NONE */
    uint32_t position;
    jg_status status; /* of what cannot report it */
    int depth;
    emit_block blocks[KERNEL_MAX_DEPTH + 1];
    base_vec captures, gathered;      /* of the loop: emit_capture, emit_gathered */
    base_vec waiting;                 /* of the branches that are open: emit_waiting */
    uint32_t *axes;                   /* of each array: the number of its first axis */
    LLVMMetadataRef *scopes, *others; /* of each array, then the frame; NULL if they may alias */
    LLVMMetadataRef group; /* the accesses of the loop's indices, which are independent */
} jit_emission;

/* emit_value.c */

/* The value of the entry's, in the body of a loop. */
LLVMValueRef emit_captured(jit_emission *e, LLVMValueRef value);

/* The value, in the function that is being emitted; and as a 64-bit number for addresses, the exact
 * result of the value's sums and products. */
LLVMValueRef emit_value(jit_emission *e, uint32_t value);
LLVMValueRef emit_index(jit_emission *e, uint32_t value);

/* Records the only value of the instruction. */
void emit_define(jit_emission *e, const kernel_inst *inst, LLVMValueRef value);

/* Each emits the one instruction. */
void emit_const(jit_emission *e, const kernel_inst *inst);
void emit_scalar(jit_emission *e, const kernel_inst *inst);
void emit_random(jit_emission *e, const kernel_inst *inst);

/* The instruction on values of the type, for operations that are composed of instructions, such as
 * atomics. */
LLVMValueRef emit_apply(jit_emission *e, uint16_t op, jg_dtype type, unsigned count,
                        const LLVMValueRef *operands);

/* The constant. */
LLVMValueRef emit_int64(const jit_emission *e, int64_t value);

/* emit_root.c */

/* operands[0] / operands[1] by an estimate; NULL where it would not pay. operands[1] is the value
 * `root`, a root of float32. */
LLVMValueRef emit_quotient_by_root(jit_emission *e, uint32_t root, const LLVMValueRef *operands);

/* emit_memory.c */

/* The address `offset` bytes after base. */
LLVMValueRef emit_offset(jit_emission *e, LLVMValueRef base, int64_t offset);

/* A member of the launch's arguments, or an entry of the table that such a member is. Loaded in the
 * prologue. */
LLVMValueRef emit_argument(jit_emission *e, size_t member, LLVMTypeRef type);
LLVMValueRef emit_argument_entry(jit_emission *e, size_t member, int64_t entry, LLVMTypeRef type);
LLVMValueRef emit_extent(jit_emission *e, uint32_t array, int axis);

/* Memory of the function's own for count values of the type. */
LLVMValueRef emit_alloca(jit_emission *e, LLVMTypeRef type, int64_t count);

/* Each emits the one instruction. */
void emit_load(jit_emission *e, const kernel_inst *inst);
void emit_store(jit_emission *e, const kernel_inst *inst);
void emit_local(jit_emission *e, const kernel_inst *inst);
void emit_get(jit_emission *e, const kernel_inst *inst);
void emit_set(jit_emission *e, const kernel_inst *inst);

/* The element's address, of an access to an array or a local by the instruction. */
LLVMValueRef emit_address(jit_emission *e, const kernel_inst *inst);

/* A value of the dtype from and to its bytes at the address; array: whose, or KERNEL_NONE. */
LLVMValueRef emit_read(jit_emission *e, LLVMValueRef address, jg_dtype dtype, uint32_t array);
void emit_write(jit_emission *e, LLVMValueRef address, jg_dtype dtype, LLVMValueRef value,
                uint32_t array);

/* Makes the marks that tell accesses to different arrays apart, once for each kernel.
 * raises: NOMEM */
jg_status emit_prepare_aliases(jit_emission *e);

/* emit_stack.c */

/* Each emits the one instruction. */
void emit_stack(jit_emission *e, const kernel_inst *inst);
void emit_push(jit_emission *e, const kernel_inst *inst);
void emit_pop(jit_emission *e, const kernel_inst *inst);

/* Releases the function's stacks before it returns. */
void emit_drop_stacks(jit_emission *e);

/* emit_bounds.c */

/* Checks the indices of the current access, or those that the current loop reaches. */
void emit_bounds(jit_emission *e);

/* A branch that nearly always goes one way. */
void emit_likely(jit_emission *e, LLVMValueRef condition, LLVMBasicBlockRef likely,
                 LLVMBasicBlockRef rare);

/* Whether the assumptions of the current loop hold; NULL if there are none. */
LLVMValueRef emit_assumptions(jit_emission *e);

/* Emits the current loop twice, for the case that it holds and for the other; moves to its end.
 * raises: NOMEM, UNSUPPORTED */
jg_status emit_versions(jit_emission *e, const kernel_inst *loop);

/* Iterations whose indices are checked ahead: before them, an instruction in them, and after them.
 * gives: whether all indices are in bounds | raises: NOMEM */
jg_status emit_begin_ahead(jit_emission *e);
LLVMValueRef emit_end_ahead(jit_emission *e);
jg_status emit_ahead(jit_emission *e, const kernel_inst *inst);

/* emit_atomic.c */

/* Emits an ATOMIC or an ATOMIC_LOCAL. raises: NOMEM */
jg_status emit_atomic(jit_emission *e, const kernel_inst *inst);

/* Begins the chunk's own values; at its end, combines them into the elements. raises: NOMEM */
jg_status emit_begin_gathered(jit_emission *e, uint32_t loop);
void emit_end_gathered(jit_emission *e);

/* A function that combines an array into another. Types: pointers to both, and a count. */
LLVMValueRef emit_merge(jit_emission *e, kernel_atomic atomic, jg_dtype dtype);

/* emit_parallel.c */

/* Emits the loop's bodies and, in the entry, its call; moves to its END. raises: NOMEM */
jg_status emit_parallel(jit_emission *e, const kernel_inst *inst);

/* emit_limit.c */

/* The index at which the row low + first to low + end - 1 of the loop can be split, so that all
 * indices before it take the branch that e->holds becomes; otherwise `end`. */
LLVMValueRef emit_row_end(jit_emission *e, const kernel_inst *loop, LLVMValueRef low,
                          LLVMValueRef first, LLVMValueRef end);

/* emit_lanes.c */

/* Runs the indices low + first to low + end - 1 of the loop's last range in lanes, as far as they
 * go.
 * gives: *rest, the first that is left, first if the loop is not run so; *count, how many of these
 * are to be run one by one until lanes may go on, 0: all
 * raises: NOMEM, UNSUPPORTED */
jg_status jit_lanes_emit(jit_emission *e, const kernel_inst *loop, LLVMValueRef low,
                         LLVMValueRef first, LLVMValueRef end, LLVMValueRef *rest, unsigned *count);

/* While lanes run: the address of a lane's local; keeps a value that has been defined; whether the
 * instruction has been emitted for all lanes. */
LLVMValueRef jit_lanes_local_address(jit_emission *e, uint32_t local, LLVMValueRef index);
void jit_lanes_keep(jit_emission *e, uint32_t value);
bool jit_lanes_has(const jit_emission *e, uint32_t position);

/* emit_loop.c */

/* Each emits the one instruction; emit_jump: a CONTINUE, or a BREAK if it leaves the loop. */
void emit_for(jit_emission *e, const kernel_inst *inst);
void emit_loop(jit_emission *e);
void emit_if(jit_emission *e, const kernel_inst *inst);
void emit_else(jit_emission *e);
void emit_end(jit_emission *e);
void emit_jump(jit_emission *e, bool leaves);

/* How many iterations a loop from low to high has, by the type's signedness, as an int64. */
LLVMValueRef emit_count(jit_emission *e, jg_dtype type, LLVMValueRef low, LLVMValueRef high,
                        int64_t step);
LLVMBasicBlockRef emit_new_block(jit_emission *e);
emit_block *emit_open_block(jit_emission *e, uint32_t opener); /* borrowed, until it is closed */

/* A value of the type as a 64-bit number; and the definition of an index, in both forms. */
LLVMValueRef emit_widen(jit_emission *e, jg_dtype type, LLVMValueRef value);
void emit_define_index(jit_emission *e, uint32_t value, LLVMValueRef wide);

/* Opens the block of iterations first to end - 1, and closes it; next is where an iteration ends.
 * gives: the branch back */
void emit_open_turns(jit_emission *e, emit_block *block, LLVMValueRef first, LLVMValueRef end);
LLVMValueRef emit_close_turns(jit_emission *e, const emit_block *block);

/* Branches to the block, unless the code has branched already, and continues there. */
void emit_continue_in(jit_emission *e, LLVMBasicBlockRef block);
void emit_go(jit_emission *e, LLVMBasicBlockRef block);

/* emit_sieve.c */

/* Whether the current loop gets a version for few turns; emits both, and moves to its end. raises:
 * NOMEM, UNSUPPORTED */
bool emit_takes_few(const jit_emission *e, const kernel_inst *loop);
jg_status emit_few(jit_emission *e, const kernel_inst *loop);

/* Tells the optimiser that iterations are few. branch: the one back to the first */
void emit_mark_few(const jit_emission *e, LLVMValueRef branch);

/* The branch by which the turns of the current loop are sieved; KERNEL_NONE: they are not. */
uint32_t emit_sieves(const jit_emission *e, const kernel_inst *loop);

/* Emits the loop with the branch; moves to its end. raises: NOMEM, UNSUPPORTED */
jg_status emit_sieved(jit_emission *e, const kernel_inst *loop, uint32_t branch);

/* emit_branch.c */

/* The address at which additions to the element are summed: the element itself, or a sum of the
 * open branch, which is added to the element when the branch ends. */
LLVMValueRef emit_branch_address(jit_emission *e, jg_dtype dtype, LLVMValueRef address);

/* Whether the SET was such a sum and has been emitted. */
bool emit_branch_set(jit_emission *e, const kernel_inst *set);

/* After the innermost open branch. */
void emit_end_branch(jit_emission *e);

/* emit_poll.c */

/* Whether long loops check if the launch must end: not those of fused programs, whose chunks are
 * short. */
bool emit_polls(const jit_emission *e);

/* Whether the loop is cut into blocks of iterations, or asks at each iteration. */
bool emit_cuts(const jit_emission *e, const kernel_inst *loop);
bool emit_asks_each_turn(const jit_emission *e, const kernel_inst *loop);

/* Starts the count of a function's iterations; adds to it, and returns if the launch must end. */
void emit_begin_turns(jit_emission *e);
void emit_poll(jit_emission *e, LLVMValueRef turns);

/* Opens and closes the loop over blocks of `count` iterations around emit_open_turns and
 * emit_close_turns. gives: *first and *end, of the block's iterations */
void emit_open_cut(jit_emission *e, emit_block *block, LLVMValueRef count, LLVMValueRef *first,
                   LLVMValueRef *end);
void emit_close_cut(jit_emission *e, const emit_block *block);

/* emit_kernel.c */

/* Emits the instruction, whatever it is. raises: NOMEM, UNSUPPORTED */
jg_status emit_statement(jit_emission *e, const kernel_inst *inst);

/* Emits instructions first to last - 1. raises: NOMEM, UNSUPPORTED */
jg_status emit_range(jit_emission *e, uint32_t first, uint32_t last);

/* Continues in a new function, with a prologue and slots for values; *out is for
 * emit_close_function, after which the code goes on in the entry. raises: NOMEM */
jg_status emit_open_function(jit_emission *e, LLVMValueRef function, emit_function *out);
void emit_close_function(jit_emission *e, emit_function *function);

/* A call through the launcher's table. */
LLVMValueRef emit_host_call(jit_emission *e, size_t member, LLVMTypeRef result, unsigned count,
                            LLVMValueRef *arguments);

/* Returns from the function if the launch has failed. */
void emit_check_failed(jit_emission *e);

#endif
