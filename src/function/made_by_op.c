/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes of routines that the op of their name makes from its inputs alone: the rows JG_MADE_BY_OP
 * of op/primitive.def. The op checks the inputs; which layouts and dtypes its routine takes as they
 * are may depend on the machine. */
#include "function/function.h"

typedef jg_status unary_function(jg_array *x, jg_array **out);
typedef jg_status binary_function(jg_array *x1, jg_array *x2, jg_array **out);
typedef jg_status ternary_function(jg_array *x1, jg_array *x2, jg_array *x3, jg_array **out);

/* The functions of ops that take nothing but that many arrays, by op; NULL for others. */
#define TAKING(kind, name)                                                                         \
    [JG_OP_##name] = _Generic(jg_##name, kind##_function * : jg_##name, default : NULL),
static unary_function *const unary[JG_OP_COUNT] = {
#define JG_OP(name, form, by, types, node, doc) TAKING(unary, name)
#include "op/op.def"
#undef JG_OP
};
static binary_function *const binary[JG_OP_COUNT] = {
#define JG_OP(name, form, by, types, node, doc) TAKING(binary, name)
#include "op/op.def"
#undef JG_OP
};
static ternary_function *const ternary[JG_OP_COUNT] = {
#define JG_OP(name, form, by, types, node, doc) TAKING(ternary, name)
#include "op/op.def"
#undef JG_OP
};

/* How many arrays the op takes; 0 for one that takes something else. */
static int count_taken(jg_op op)
{
    return unary[op] != NULL ? 1 : binary[op] != NULL ? 2 : ternary[op] != NULL ? 3 : 0;
}

static jg_status make(function_node *node, function_made *out)
{
    jg_array *const *x = node->inputs;
    int count = count_taken(node->op);
    FUNCTION_NEEDS(node, count > 0,
                   "op: got one with parameters, allowed are those of arrays alone");
    FUNCTION_NEEDS_INPUTS(node, count);
    switch (count) {
    case 1: return unary[node->op](x[0], out->arrays);
    case 2: return binary[node->op](x[0], x[1], out->arrays);
    default: return ternary[node->op](x[0], x[1], x[2], out->arrays);
    }
}

#define JG_PRIMITIVE(name, kind, rules)
#define JG_MADE_BY_OP(name)                                                                        \
    jg_status function_check_##name(function_node *node, function_made *out)                       \
    {                                                                                              \
        return make(node, out);                                                                    \
    }
#include "op/primitive.def"
#undef JG_PRIMITIVE
