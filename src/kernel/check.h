/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of the verifier's files: the state of its pass (verify.c), and the checks of
 * single instructions (check.c), which give false after they have recorded a fault. */
#ifndef JG_KERNEL_CHECK_H
#define JG_KERNEL_CHECK_H

#include "kernel/lexer.h"

typedef struct verified_block {
    uint32_t opener;
    uint32_t values, locals; /* how many had been defined before */
} verified_block;

typedef struct verification {
    kernel_program *kernel;
    kernel_inst *inst; /* under test */
    uint32_t position;
    uint32_t nvalues, nlocals; /* defined so far */
    size_t local_nbytes;
    bool ended; /* the block ends here: nothing may follow */
    int depth;
    verified_block blocks[KERNEL_MAX_DEPTH + 1];
    uint8_t *alive;     /* of each value, then of each local */
    kernel_names names; /* in scope, as the text form must be unambiguous */
    kernel_fault *fault;
} verification;

/* Borrowed from the kernel, or a static string where the kernel has no such text. */
static inline const char *verify_name(const verification *v, uint32_t text)
{
    return text < v->kernel->texts.nbytes ? kernel_text(v->kernel, text) : "?";
}

/* check.c */

/* Records a fault of the instruction under test. gives: false */
bool verify_break(verification *v, jg_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Whether it is a name that the text form can write. */
bool verify_is_word(const char *name, size_t length);

/* Enters a name in the scope, unless it is empty or taken. */
bool verify_enter_name(verification *v, uint32_t text, name_kind kind, uint32_t index);

/* Each checks what its name says of the instruction under test: the number of operands (before all
 * that reads them), that they are in scope (before their types), the type of operand i, and so on.
 * gives: false once a fault is recorded */
bool verify_alive(verification *v);
bool verify_array_access(verification *v);
bool verify_const(verification *v);
bool verify_count(verification *v, uint32_t least, uint32_t most);
bool verify_extent(verification *v);
bool verify_local(verification *v);
bool verify_local_access(verification *v);
bool verify_message(verification *v);
bool verify_return(verification *v);
bool verify_scalar_inst(verification *v);
bool verify_type(verification *v, uint32_t i, jg_dtype type);
bool verify_value_type(verification *v, jg_dtype type);

/* cut.c: whether the values that one part uses of another have bytes in the frame, after all other
 * checks hold. */
bool verify_cut(verification *v);

#endif
