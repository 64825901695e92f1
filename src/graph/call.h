/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that a public op makes before all others, and the message of its failure (call.c). A
 * part of graph.h: include graph.h, not this file. */
#ifndef JG_GRAPH_CALL_H
#define JG_GRAPH_CALL_H

/* Returns from an op's function with a failure if a required argument is NULL. The macro does not
 * read the argument's memory. */
#define GRAPH_NEEDS(op, argument)                                                                  \
    do {                                                                                           \
        if (JG_UNLIKELY((argument) == NULL))                                                       \
            return graph_refuse_null(JG_OP_##op, #argument);                                       \
    } while (0)

/* Refuses a number that is no dtype. */
#define GRAPH_NEEDS_DTYPE(op, argument, dtype)                                                     \
    do {                                                                                           \
        if (JG_UNLIKELY((unsigned)(dtype) >= JG_DTYPE_COUNT))                                      \
            return graph_refuse_dtype(JG_OP_##op, #argument, (int)(dtype));                        \
    } while (0)

/* The failure of an op whose argument is no dtype. raises: TYPE, always */
JG_COLD jg_status graph_refuse_dtype(jg_op op, const char *argument, int dtype);

/* The failure of an op whose argument is NULL. raises: VALUE, always */
JG_COLD jg_status graph_refuse_null(jg_op op, const char *argument);

/* Refuses a list of count arrays, and one in it, that is NULL. The second is for functions that are
 * no ops; name: of the argument. raises: VALUE */
jg_status graph_check_list(jg_op op, const char *argument, int count, jg_array *const *arrays);
jg_status graph_check_arrays(const char *name, int count, jg_array *const *arrays);

/* Refuses a number that is no jg_copy_policy. raises: VALUE */
jg_status graph_check_copy(unsigned copy);

/* The op of that name was called and has failed: the thread's message gets the op's name instead of
 * the name in it, unless it tells of an evaluation. operands: those that the op's type rule is for,
 * in its order; without any the rule is not asked.
 * raises: status, always */
JG_COLD jg_status graph_call_failed(jg_op op, jg_status status, int count,
                                    jg_array *const *operands);

#endif
