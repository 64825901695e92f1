/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel: the IR of what users write, the second kind of program beside the flat one.
 *
 * A kernel is serial code over scalar values, with arrays, scalar arguments, locals and results,
 * and with parallel loops at its top level. Instructions lie in one row; an instruction that opens
 * a block and the END that closes it point at each other, so a block is a range of positions.
 * Values are in SSA form: a value has one type and one definition, and may be used after it, in its
 * block and in the blocks inside. Mutable state is in locals and arrays. Types never convert
 * implicitly.
 *
 * Semantics of instructions are those of program/inst.def and kernel/inst.def. Indices are checked
 * at run time if the kernel says so; otherwise it must assert them itself. An element that several
 * iterations of a parallel loop write without atomics holds what one of them wrote.
 *
 * The text form (print.c, parse.c) holds all of a kernel; docs/kernel-text.md describes it. */
#ifndef JG_KERNEL_H
#define JG_KERNEL_H

#include "program/program.h"
#include <joggle/kernel.h>

typedef enum kernel_op { /* continues program_op */
                         KERNEL_OP_BEFORE = PROGRAM_OP_COUNT - 1,
#define JG_KERNEL_INST(NAME, name, arity, result, takes, meaning) KERNEL_##NAME,
#define JG_KERNEL_STATEMENT(NAME, name, value, effect, meaning) KERNEL_##NAME,
#include "kernel/inst.def"
#undef JG_KERNEL_STATEMENT
#undef JG_KERNEL_INST
                         KERNEL_OP_COUNT
} kernel_op;

typedef enum kernel_atomic {
#define JG_KERNEL_ATOMIC(NAME, name, INST, meaning) KERNEL_ATOMIC_##NAME,
#include "kernel/atomic.def"
#undef JG_KERNEL_ATOMIC
    KERNEL_ATOMIC_COUNT
} kernel_atomic;

/* Limits keep operands and blocks on the stacks of passes over kernels, which hostile texts must
 * not overflow; all are far above what people write. */
#define KERNEL_NONE UINT32_MAX /* no position, value, array or local */
#define KERNEL_GIVEN INT64_MIN /* an extent or a stride that the launch gives: `*` */
#define KERNEL_MAX_NDIM 16
#define KERNEL_MAX_RANGES JG_KERNEL_MAX_RANGES
#define KERNEL_MAX_DEPTH 128 /* of blocks */
#define KERNEL_MAX_RESULTS 256
#define KERNEL_MAX_ARRAYS 1024
#define KERNEL_MAX_INSTS (1 << 20)
#define KERNEL_MAX_LOCAL_NBYTES JG_KERNEL_MAX_LOCAL_NBYTES
#define KERNEL_MAX_FRAME_NBYTES                                                                    \
    (64 << 20) /* one cache line for each local, a word for each value */

/* One instruction. Operands are value ids in the kernel's pool, in this order:
 *   scalar instructions: as in inst.def    CONST, EXTENT, LOCAL, STACK, POP, RANDOM, FENCE, LOOP,
 *   ELSE, END: none
 *   LOAD: an index for each axis           STORE, ATOMIC: these, then the value (or two)
 *   GET: an index, if the local is an array    SET, ATOMIC_LOCAL: that, then the value
 *   PUSH: the value
 *   ASSERT: condition, values of the message   PRINT: values of the message
 *   PARALLEL: low, high of each range      FOR: low, high    IF: condition    RETURN: the
 * results */
typedef struct kernel_inst {
    uint16_t op;  /* program_op or kernel_op */
    uint8_t type; /* jg_dtype of the operands (of y and z for SELECT); of the array's or the local's
                        elements; of the range's bounds; BOOL for ASSERT and IF */
    uint8_t to;   /* jg_dtype of the value, or of each; type where there is none */
    uint8_t atomic;               /* kernel_atomic */
    uint8_t status;               /* jg_status that an ASSERT raises: ASSERT, INDEX or VALUE */
    uint8_t nvalues;              /* how many values it defines */
    uint32_t first;               /* the id of the first of these; KERNEL_NONE */
    uint32_t target;              /* array, local or text (ASSERT, PRINT) */
    uint32_t operands, noperands; /* in the pool */
    /* IF: its ELSE or END; ELSE, PARALLEL, FOR, LOOP: their END; END: the opener that it closes
     * (ELSE or IF); BREAK, CONTINUE: the loop; while a block is open: the one around */
    uint32_t match;
    uint32_t line; /* of the source, 0 if unknown */

    /* CONST: the value's bits; EXTENT: the axis; FOR: the step, not 0; PARALLEL: indices to a
     * chunk, or 0; ATOMIC: 1 if no two iterations access one element of the array, so that it needs
     * atomicity only where arrays overlap. */
    int64_t immediate;
} kernel_inst;

typedef struct kernel_value {
    uint8_t type;          /* jg_dtype */
    uint32_t definition;   /* position; KERNEL_NONE for a scalar argument */
    uint32_t name;         /* text; 0 for none */
    uint32_t frame_offset; /* in bytes, of a kernel that is cut (cut.h); 0 for none */
} kernel_value;

typedef struct kernel_array {
    uint32_t name;
    uint8_t dtype; /* jg_dtype */
    uint8_t ndim;
    bool dense;       /* row-major without gaps; strides are not set then */
    bool read, write; /* found by kernel_verify; an atomic does both */
    int64_t extents[KERNEL_MAX_NDIM];
    int64_t strides[KERNEL_MAX_NDIM]; /* in bytes */
    int64_t lowest[KERNEL_MAX_NDIM];  /* what an index of 0 is called in messages */
} kernel_array;

typedef struct kernel_local {
    uint32_t name;
    uint8_t dtype;         /* jg_dtype */
    uint32_t length;       /* of an array; 0 for a single variable */
    bool stack;            /* grows on the heap; a parallel loop uses only stacks declared in it */
    uint32_t declaration;  /* position of its LOCAL or STACK */
    uint32_t frame_offset; /* in bytes, of a kernel that is cut (cut.h); 0 for none */
} kernel_local;

/* Arrays and scalars in the order in which they were declared, which is that of Python's
 * arguments. */
typedef struct kernel_parameter {
    bool is_array;
    uint32_t index; /* among arrays, or among scalars */
} kernel_parameter;

typedef struct kernel_program {
    uint32_t name;    /* text */
    bool fast_math;   /* floating arithmetic may be reassociated */
    bool checked;     /* an index out of its array's bounds ends the kernel: bounds.h */
    bool checked_all; /* then: also where that takes time */
    bool alone;       /* no two such kernels run at once, as they may share memory of their own */
    uint32_t ninsts, nvalues, narrays, nlocals, nscalars, nresults;
    uint32_t frame_nbytes; /* of a kernel that is cut: cut.h; else 0 */
    /* Vectors of kernel_inst, kernel_value, and so on. operands: the value ids of all instructions.
     * texts: the texts with their zeros; a text is its offset in this vector, and the empty text is
     * at 0. The first nscalars values are the scalar arguments. */
    base_vec insts, values, arrays, locals, operands, texts, parameters;
    uint8_t results[KERNEL_MAX_RESULTS]; /* jg_dtype of each */
    uint32_t open;  /* while building: the innermost open block, or KERNEL_NONE */
    uint32_t depth; /* while building: how many are open */
    uint32_t line;  /* while building: the line of appended instructions */
} kernel_program;

/* All of these are borrowed from the kernel, until something of the kind is added to it. */
static inline kernel_inst *kernel_inst_at(const kernel_program *kernel, uint32_t position)
{
    return (kernel_inst *)(void *)kernel->insts.data + position;
}
static inline kernel_value *kernel_value_at(const kernel_program *kernel, uint32_t value)
{
    return (kernel_value *)(void *)kernel->values.data + value;
}
static inline kernel_array *kernel_array_at(const kernel_program *kernel, uint32_t array)
{
    return (kernel_array *)(void *)kernel->arrays.data + array;
}
static inline kernel_local *kernel_local_at(const kernel_program *kernel, uint32_t local)
{
    return (kernel_local *)(void *)kernel->locals.data + local;
}
static inline const kernel_parameter *kernel_parameter_at(const kernel_program *kernel,
                                                          uint32_t parameter)
{
    return (const kernel_parameter *)(const void *)kernel->parameters.data + parameter;
}
static inline const uint32_t *kernel_operands(const kernel_program *kernel, const kernel_inst *inst)
{
    return (const uint32_t *)(const void *)kernel->operands.data + inst->operands;
}
static inline const char *kernel_text(const kernel_program *kernel, uint32_t text)
{
    return kernel->texts.data + text;
}
static inline bool kernel_op_is_statement(uint16_t op)
{
    return op >= KERNEL_CONST;
}
/* Whether it is an ATOMIC that needs no atomicity unless arrays overlap: `update` in the text
 * form. */
static inline bool kernel_is_update(const kernel_inst *inst)
{
    return inst->op == KERNEL_ATOMIC && inst->immediate != 0;
}
/* The number of operands after the indices, of an instruction that writes to memory. */
static inline uint32_t kernel_nstored(const kernel_inst *inst)
{
    bool atomic = inst->op == KERNEL_ATOMIC || inst->op == KERNEL_ATOMIC_LOCAL;
    return atomic && inst->atomic == KERNEL_ATOMIC_COMPARE_EXCHANGE ? 2 : 1;
}

/* inst.c */

/* The row of a scalar instruction; that of a statement has only its name. op is below
 * KERNEL_OP_COUNT. gives: borrowed, valid forever */
const program_inst_row *kernel_row(uint16_t op);

/* The scalar instruction that kernels have under the name; KERNEL_NONE if there is none. */
uint32_t kernel_op_named(const char *name, size_t length);

/* The row of atomic.def for an atomic. */
typedef struct kernel_atomic_row {
    const char *name;
    uint16_t combining; /* of the old value and the operand; PROGRAM_OP_COUNT for none */
} kernel_atomic_row;
extern const kernel_atomic_row kernel_atomic_rows[KERNEL_ATOMIC_COUNT];

/* Whether values have the type: bool, integers and floats that ops compute with. */
bool kernel_has_type(jg_dtype type);

/* Whether the scalar instruction, or the atomic, takes operands of the type. */
bool kernel_takes(uint16_t op, jg_dtype type);
bool kernel_atomic_takes(kernel_atomic atomic, jg_dtype type);

/* The effect of an instruction besides its values: the column of inst.def. */
typedef enum kernel_effect {
    KERNEL_EFFECT_NOTHING, /* it may run again, and for many indices at once */
    KERNEL_EFFECT_LOCAL,   /* it reads or writes a local: for many indices at once if theirs */
    KERNEL_EFFECT_STORE,   /* it writes an array; for many indices at once as well */
    KERNEL_EFFECT_ORDER,   /* it goes elsewhere, or has a state that nothing outside sees */
    KERNEL_EFFECT_SHOWN,   /* other threads or the caller see that it runs */
} kernel_effect;
kernel_effect kernel_effect_of(uint16_t op);

/* A comparison of two values, which gives a bool. */
bool kernel_is_comparison(uint16_t op);

/* A sum, a difference, a product or a widening cast of signed integers: its exact result in 64 bits
 * follows from that of its operands. */
bool kernel_is_linear(const kernel_inst *inst);

/* Whether it opens a block, and whether that is a loop. */
bool kernel_opens(uint16_t op);
bool kernel_is_loop(uint16_t op);

/* The number of values that an instruction with that number of operands defines. */
uint8_t kernel_count_values(uint16_t op, uint32_t noperands);

/* build.c: each appends to the kernel. They check no rule but limits: kernel_verify does.
 * raises: NOMEM, UNSUPPORTED when full, VALUE as said */

/* An empty kernel. keeps: a copy of name | gives: *out, for kernel_clear | raises: NOMEM */
jg_status kernel_init(kernel_program *out, const char *name, bool fast_math);
void kernel_clear(kernel_program *kernel); /* one of zeros is fine; twice, too */

/* A copy of the kernel. gives: *out, for kernel_clear | raises: NOMEM */
jg_status kernel_copy(const kernel_program *from, kernel_program *out);

/* A copy of the text's bytes, which hold no zero.
 * gives: *out, its offset among the texts | raises: NOMEM, UNSUPPORTED */
jg_status kernel_add_text(kernel_program *kernel, const char *text, size_t length, uint32_t *out);

/* extents and strides may be KERNEL_GIVEN; strides NULL: dense. raises: VALUE for ndim */
jg_status kernel_add_array(kernel_program *kernel, const char *name, jg_dtype dtype, int ndim,
                           const int64_t *extents, const int64_t *strides, uint32_t *out);
/* gives: the value's id. Before all instructions. raises: VALUE after them */
jg_status kernel_add_scalar(kernel_program *kernel, const char *name, jg_dtype dtype,
                            uint32_t *out);
/* Puts all arrays before all scalars among the parameters, each in their order. */
void kernel_order_parameters(kernel_program *kernel);
jg_status kernel_add_result(kernel_program *kernel, jg_dtype dtype);
/* Declares it and appends its LOCAL or STACK, at which it begins. length 0: a single variable.
 * gives: *out, its number */
jg_status kernel_add_local(kernel_program *kernel, const char *name, jg_dtype dtype,
                           uint32_t length, uint32_t *out);
jg_status kernel_add_stack(kernel_program *kernel, const char *name, jg_dtype dtype, uint32_t *out);

/* Appends the instruction with op, type, to, atomic, target and immediate from inst, and works
 * out its position, line and block. gives: the id of the first value it defines
 * raises: VALUE for an END, ELSE, BREAK or CONTINUE without the block it belongs to */
jg_status kernel_append(kernel_program *kernel, const kernel_inst *inst, uint32_t noperands,
                        const uint32_t *operands, uint32_t *out);

/* The most frequent instructions, appended with kernel_append. Types come from the operands.
 * gives: *out, the value | raises: NOMEM, UNSUPPORTED */
jg_status kernel_const(kernel_program *kernel, jg_dtype type, jg_scalar value, jg_dtype_kind kind,
                       uint32_t *out);
jg_status kernel_apply(kernel_program *kernel, uint16_t op, uint32_t noperands,
                       const uint32_t *operands, uint32_t *out);
jg_status kernel_cast(kernel_program *kernel, uint32_t value, jg_dtype to, uint32_t *out);
jg_status kernel_load(kernel_program *kernel, uint32_t array, uint32_t nindices,
                      const uint32_t *indices, uint32_t *out);

/* verify.c */

/* A broken rule. It is a struct, not the thread's message, so that a parser can add the position in
 * its text. */
typedef struct kernel_fault {
    jg_status status;  /* TYPE, VALUE or NOMEM */
    uint32_t position; /* of the instruction; KERNEL_NONE: the declarations or the whole */
    char message[256];
} kernel_fault;

/* Checks every rule of this header, in a kernel that may be hostile, and finds which arrays are
 * read and written. gives: false and *fault if one is broken | waits: never */
bool kernel_check(kernel_program *kernel, kernel_fault *fault);

/* The same. raises: what the fault says, naming the kernel, the instruction and its line */
jg_status kernel_verify(kernel_program *kernel);

/* print.c */

/* Appends the text form. A kernel that has not been checked may be printed, too. */
void kernel_print(const kernel_program *kernel, base_text *out);
void kernel_print_inst(const kernel_program *kernel, uint32_t position, base_text *out);

/* A value of the type, from its bits, as the text form and messages write it. */
void kernel_print_bits(jg_dtype type, uint64_t bits, base_text *out);

/* message.c */

/* A part of a message: text, or a placeholder of a value with its format. */
typedef struct kernel_piece {
    const char *text;
    size_t length;
    bool is_placeholder;
} kernel_piece;

/* The piece at *at, which is advanced. gives: false at the end */
bool kernel_next_piece(const char **at, kernel_piece *out);

/* parse.c */

/* Reads the text form and verifies it. gives: *out, for kernel_clear | raises: VALUE, TYPE, naming
 * the line and the column of the text */
jg_status kernel_parse(const char *text, kernel_program *out);

#endif
