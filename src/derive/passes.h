/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of the passes that make the adjoint and the tangent of a kernel.
 *
 * A pass reads one kernel and builds another. Its rewrite maps values and locals of the first
 * kernel to those of the second. Values lose their names, and locals get new names, so that a text
 * may hold several copies of one local. The passes run in this order:
 * derive_structure  every jump is gone but the break at the end of a loop's body; atomics on locals
 * that no other iteration sees are plain
 * derive_promote    a local that is known to hold a value is replaced by the value
 * activity.c   which values carry a derivative from an input to an output
 * needs.c      which values the derivatives are computed from, and how the reverse gets them */
#ifndef JG_DERIVE_PASSES_H
#define JG_DERIVE_PASSES_H

#include "derive/derive.h"

typedef struct derive_rewrite {
    const kernel_program *from;
    kernel_program *to;
    uint32_t *values; /* for each value of from the one in to, or KERNEL_NONE */
    uint32_t *locals;
} derive_rewrite;

/* rewrite.c. What appends to a kernel raises NOMEM and, where it gets too long, UNSUPPORTED, as
 * kernel/build.c does. */

/* Starts *to as a kernel with the arrays, the scalars and, if asked for, the results of from.
 * gives: *out, for rewrite_end, and *to, for kernel_clear | keeps: from and to, while it lasts
 * raises: NOMEM, UNSUPPORTED */
jg_status rewrite_begin(const kernel_program *from, bool results, kernel_program *to,
                        derive_rewrite *out);
void rewrite_end(derive_rewrite *rewrite);

/* Appends a copy of the instruction; its operands and its local have been mapped.
 * raises: NOMEM, UNSUPPORTED */
jg_status rewrite_copy(derive_rewrite *rewrite, uint32_t position);

/* Whether an array has the name. */
bool derive_has_array(const kernel_program *kernel, const char *name);

/* Appends an instruction of no value, or one without operands. raises: NOMEM, UNSUPPORTED */
jg_status rewrite_plain(kernel_program *to, uint16_t op);

/* A local or a stack of to with a name that no other has, made from that of a local of from.
 * gives: *out, its number | raises: NOMEM, UNSUPPORTED */
jg_status rewrite_add_local(kernel_program *to, const char *name, jg_dtype dtype, uint32_t length,
                            uint32_t *out);
jg_status rewrite_add_stack(kernel_program *to, const char *name, jg_dtype dtype, uint32_t *out);

/* Each appends the instruction that it is named after. gives: *out, the value that was read
 * raises: NOMEM, UNSUPPORTED */
jg_status rewrite_get(kernel_program *to, uint32_t local, uint32_t nindices,
                      const uint32_t *indices, uint32_t *out);
jg_status rewrite_set(kernel_program *to, uint32_t local, uint32_t nindices,
                      const uint32_t *indices, uint32_t value);
jg_status rewrite_store(kernel_program *to, uint32_t array, uint32_t nindices,
                        const uint32_t *indices, uint32_t value);
jg_status rewrite_atomic_add(kernel_program *to, uint16_t op, uint32_t target, uint32_t nindices,
                             const uint32_t *indices, uint32_t value);
jg_status rewrite_push(kernel_program *to, uint32_t stack, uint32_t value);
jg_status rewrite_pop(kernel_program *to, uint32_t stack, uint32_t *out);
jg_status rewrite_if(kernel_program *to, uint32_t condition);

/* Appends the number in the type, a bool, an integer or a floating one.
 * gives: *out, its value | raises: NOMEM, UNSUPPORTED */
jg_status rewrite_number(kernel_program *to, jg_dtype type, double number, uint32_t *out);
jg_status rewrite_integer(kernel_program *to, int64_t number, uint32_t *out); /* an int64 */

/* The END of the block that the instruction opens; for an IF with an ELSE, the END of the ELSE. */
uint32_t derive_last_of(const kernel_program *kernel, uint32_t position);

/* The instruction after it, what it opens passed over. */
uint32_t derive_next_after(const kernel_program *kernel, uint32_t position);

/* Whether the loop's body ends with the one break that derive_structure leaves. */
bool derive_has_break(const kernel_program *kernel, uint32_t position);

/* Makes an array of `count` indices, all KERNEL_NONE.
 * gives: it, for base_free; NULL if there is no memory, and then the message is set */
uint32_t *derive_new_indices(uint32_t count);

/* update.c */

/* An element that a value is added to, written as a LOAD, an ADD or SUBTRACT, and a STORE. */
typedef struct derive_update {
    uint32_t value;
    bool subtracts;
} derive_update;

/* Whether the STORE ends such an update, whose other values have no other use. uses: for each
 * value, how often it is an operand. gives: *out if it does */
bool derive_find_update(const kernel_program *kernel, const uint32_t *uses, uint32_t store,
                        derive_update *out);

/* Counts for each value how often it is an operand.
 * gives: the counts, for base_free; NULL if there is no memory, and then the message is set */
uint32_t *derive_count_uses(const kernel_program *kernel);

/* derivative.c: the rules of derivative.def */

typedef enum derivative_kind {
    DERIVATIVE_NONE,
    DERIVATIVE_CONSTANT,
    DERIVATIVE_RULE
} derivative_kind;

/* Whether derivative.def has rules for the instruction, and which kind. */
derivative_kind derivative_of(uint16_t op);

/* The rule for the operand. gives: a static string; NULL where its changes do not matter */
const char *derivative_rule(uint16_t op, uint32_t operand);

/* Which of x, y, z (bits 0 to 2) and v (bit 3) the rule reads. */
unsigned derivative_reads(const char *rule);

/* Appends the computation of the rule. operands: the instruction's operands and, at [3], its value,
 * as far as the rule reads them. g: the derivative that is carried, of the type.
 * gives: *out, which may be g itself | raises: NOMEM, UNSUPPORTED */
jg_status derivative_emit(kernel_program *to, const char *rule, jg_dtype type,
                          const uint32_t operands[4], uint32_t g, uint32_t *out);

/* structure.c, promote.c */

/* The two passes named above.
 * gives: *out, for kernel_clear | raises: UNSUPPORTED, NOMEM */
jg_status derive_structure(const kernel_program *from, kernel_program *out);
jg_status derive_promote(const kernel_program *from, kernel_program *out);

/* adjoint.c */

/* Both passes, and the result verified. gives: *out, for kernel_clear | raises: UNSUPPORTED,
 * NOMEM */
jg_status derive_make_plain(const kernel_program *kernel, kernel_program *out);

/* activity.c, needs.c: what is known about each part of a kernel */

enum {
    FLOW_VARIED = 1u << 0, /* values, locals: depends on an array with a gradient */
    FLOW_USEFUL = 1u << 1, /* values, locals: such an array depends on it */
    FLOW_ACTIVE = FLOW_VARIED | FLOW_USEFUL,
    FLOW_CROSSES =
        1u << 2,           /* active values: used inside other blocks than that of its definition */
    FLOW_NEEDED = 1u << 3, /* values: derivatives are computed from it */
    FLOW_KEPT =
        1u << 4, /* needed values: what the forward sweep found is kept. Loops: so is the count */
    FLOW_REVERSED = 1u << 5, /* instructions: has a part in the reverse sweep */
    FLOW_ROUNDED = 1u << 5,  /* values: computed again it may differ in the last digits */
    FLOW_FORWARD =
        1u << 6, /* instructions, locals: has a part in the forward sweep of its region */
    FLOW_FORWARD_TOP =
        1u << 7, /* inside a parallel loop: in the forward sweep of the serial code */
};

/* Flags of each value, local and instruction, and where instructions stand. A region is the serial
 * code or the body of a parallel loop: each is swept forward, then in reverse. */
typedef struct derive_flow {
    const kernel_program *kernel;
    const jg_derived *gradients; /* for each array, whether it has one */
    uint32_t *blocks;            /* for each instruction the opener of its block; for an ELSE its
                                    IF */
    uint32_t *regions; /* likewise the parallel loop around; KERNEL_NONE: the serial code */
    uint8_t *values, *locals, *insts;
} derive_flow;

/* Finds blocks, regions, and what is varied, useful, active, and reversed. keeps: kernel and
 * gradients
 * gives: *out, for flow_clear | raises: UNSUPPORTED, naming the line of what has no derivative */
jg_status flow_init(const kernel_program *kernel, const jg_derived *gradients, derive_flow *out);
void flow_clear(derive_flow *flow);

static inline bool flow_is_active(const derive_flow *flow, uint32_t value)
{
    return (flow->values[value] & FLOW_ACTIVE) == FLOW_ACTIVE;
}
static inline bool flow_local_is_active(const derive_flow *flow, uint32_t local)
{
    return (flow->locals[local] & FLOW_ACTIVE) == FLOW_ACTIVE;
}

/* Whether the instruction accesses an array that has a gradient. */
bool flow_has_gradient(const derive_flow *flow, const kernel_inst *inst);

/* Whether the access is to a local of the serial code from inside a parallel loop. */
bool flow_is_shared(const derive_flow *flow, uint32_t position);

/* The status with the kernel and the line in front of the message. raises: UNSUPPORTED */
jg_status flow_refuse(const derive_flow *flow, uint32_t position, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Finds the values that are needed and kept, and the instructions of the forward sweeps. raises:
 * UNSUPPORTED */
jg_status flow_find_needs(derive_flow *flow);

/* order.c */

/* Refuses parallel loops whose iterations certainly read what others write, where it has a
 * derivative: the reverse would need their order. raises: UNSUPPORTED */
jg_status flow_check_order(const derive_flow *flow);

/* An index: a value, KERNEL_NONE for none, and a number. known: whether it was taken apart. */
typedef struct derive_order {
    uint32_t base;
    int64_t shift;
    bool known;
} derive_order;

derive_order flow_find_index(const derive_flow *flow, uint32_t value);

/* Whether the value is a constant integer. gives: *out if so */
bool flow_is_number(const derive_flow *flow, uint32_t value, int64_t *out);

/* Whether the instruction is a cast that changes no number of its operand's dtype. */
bool flow_widens(const kernel_inst *inst);

/* overwritten.c */

/* Refuses a LOAD of an element that is certainly overwritten later in the kernel.
 * raises: UNSUPPORTED */
jg_status flow_check_load(const derive_flow *flow, uint32_t position);

/* element.c: when two indices name the same element */

/* Whether two accesses to one array are certainly to the same element. */
bool derive_is_same_element(const kernel_program *kernel, const kernel_inst *a,
                            const kernel_inst *b);

/* Whether the two are in different branches of an if. */
bool flow_are_exclusive(const derive_flow *flow, uint32_t first, uint32_t second);

/* Whether the value is the same in each iteration of the loop: from before it, a number, or
 * computed from such. */
bool flow_is_fixed(const kernel_program *kernel, uint32_t value, uint32_t loop);

/* Two accesses to one array, and how their iterations lie: the same of all loops around both, or
 * different ones of a loop, of which those of range r are known to differ. */
typedef struct derive_pair {
    const derive_flow *flow;
    uint32_t first, second;
    uint32_t loop;  /* KERNEL_NONE: the same iteration of all loops around both */
    uint32_t range; /* of a PARALLEL the range of which the indices differ */
    int sign;       /* 1: the second's iteration is later in the loop's order; -1: earlier */
} derive_pair;

/* apart.c: whether they are certainly to different elements. */
bool derive_are_apart(const derive_pair *pair);

/* Whether the two values are one, or are computed in the same way from the same values. */
bool derive_is_same_value(const kernel_program *kernel, uint32_t a, uint32_t b);

/* Whether each iteration of the parallel loop reads a different element through the LOAD: each
 * range's index, or that and a number that is the same for all, is an index of the array. */
bool flow_is_shifted(const derive_flow *flow, uint32_t parallel, uint32_t load);

/* Whether the loop stores or adds to elements of the array. */
bool flow_is_written_in(const derive_flow *flow, uint32_t array, uint32_t loop);

/* The outermost loop of its region in which the LOAD always reads the same element, of an array
 * that the loop does not write; KERNEL_NONE if there is none. */
uint32_t flow_steady_loop(const derive_flow *flow, uint32_t load);

/* Whether the kernel certainly stores no element of the array twice, and neither reads nor adds to
 * what it stores where that has a derivative. */
bool flow_is_stored_once(const derive_flow *flow, uint32_t array);

/* Whether no two iterations of the parallel loop add to the same element of the array's
 * gradient. */
bool flow_is_private(const derive_flow *flow, uint32_t parallel, uint32_t array);

/* adjoint.c: the arrays of kernels that are derived */

/* Which arrays have a derivative: those asked for, or if asked is NULL the floating ones.
 * raises: TYPE if one of them is not floating */
jg_status derive_arrays(const kernel_program *kernel, const jg_derived *asked, jg_derived *out);

/* Adds for each such array another with the name and the suffix.
 * gives: out, its index | raises: NOMEM, UNSUPPORTED */
jg_status derive_add_arrays(kernel_program *to, const jg_derived *which, const char *suffix,
                            uint32_t *out);

#endif
