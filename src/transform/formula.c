/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of elementwise primitives by the formulas of derive/derivative.def, spelled in ops.
 *
 * All are read once. Forward, g is the tangent of the operand and the formula is its share of the
 * node's. Backward, the derivative is taken to be that of a function of complex numbers:
 * conj(formula of conj g). */
#include "derive/derive.h"
#include "transform/transform.h"
#include <pthread.h>
#include <string.h>

enum { MAX_OPERANDS = 3 };

typedef struct formula {
    bool is_there;    /* if not, the derivative is zero */
    bool is_readable; /* a fault of the table's, told where the formula is used */
    bool factors;     /* g is multiplied by what may be infinite */
    derive_rule rule; /* the op of an instruction is a jg_op */
} formula;

static JG_FAST_THREAD_LOCAL bool strong_zero; /* of the pass that is under way */
static formula formulas[PRIMITIVE_COUNT][MAX_OPERANDS];
static jg_op labels[PRIMITIVE_COUNT]; /* an op that has a node of the primitive */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The primitive that has each instruction, by its name in the tables. */
static const char *const instructions[PRIMITIVE_COUNT] = {
#define JG_ELEMENTWISE(name, inst, rules) [PRIMITIVE_##name] = #inst,
#define JG_PRIMITIVE(name, kind, rules)
#include "op/primitive.def"
#undef JG_PRIMITIVE
};

static const struct rule {
    const char *instruction;
    int operand;
    const char *text;
} rules[] = {
#define JG_FORMULA(NAME, operand, text) {#NAME, operand, text},
#include "transform/formula.def"
#undef JG_FORMULA
#define JG_DERIVATIVE(NAME, operand, text) {#NAME, operand, text},
#include "derive/derivative.def"
};

/* The names of a flat program's instructions, by their numbers. */
static const char *const names[] = {
#define JG_INST(NAME, name, arity, result, takes, meaning) [PROGRAM_##NAME] = #NAME,
#include "program/inst.def"
#undef JG_INST
};

static int find_primitive(const char *instruction)
{
    for (int i = 0; i < PRIMITIVE_COUNT; ++i)
        if (instructions[i] != NULL && strcmp(instructions[i], instruction) == 0)
            return i;
    return -1;
}

/* Names the op of an instruction's primitive. false: there is no such primitive, because the
 * instruction is one of kernels alone */
static bool take_label(derive_step *step, formula *to)
{
    int primitive = step->op < JG_COUNT_OF(names) ? find_primitive(names[step->op]) : -1;
    if (primitive < 0)
        return false;
    to->factors |= !program_only_moves((program_op)step->op);
    step->op = (uint16_t)labels[primitive];
    return true;
}

static void read_formula(const char *text, formula *to)
{
    to->is_there = true;
    to->is_readable = derive_read_rule(text, &to->rule) == JG_OK;
    for (int i = 0; i < to->rule.count && to->is_readable; ++i)
        if (to->rule.steps[i].kind == DERIVE_INSTRUCTION)
            to->is_readable = take_label(&to->rule.steps[i], to);
}

static void read_all(void)
{
    for (int op = JG_OP_COUNT; op-- > 0;)
        labels[op_primitive((jg_op)op)] = (jg_op)op;
    for (size_t i = 0; i < JG_COUNT_OF(rules); ++i) {
        int primitive = find_primitive(rules[i].instruction);
        if (primitive < 0) /* of kernels alone */
            continue;
        formula *to = &formulas[primitive][rules[i].operand];
        if (!to->is_there)
            read_formula(rules[i].text, to);
    }
}

/* The node's operands in the dtype that it is computed in. */
typedef struct operands {
    compose_scope scope;
    jg_array *node, *values[MAX_OPERANDS];
    jg_dtype dtypes[MAX_OPERANDS];
} operands;

static void take_operands(jg_array *node, operands *out)
{
    jg_dtype dtypes[MAX_OPERANDS];
    op_types types = {0};
    *out = (operands){.node = node};
    for (int i = 0; i < node->ninputs; ++i)
        dtypes[i] = (jg_dtype)node->inputs[i]->dtype;
    out->scope.status = op_resolve_types((jg_op)node->label, node->ninputs, dtypes, &types);
    for (int i = 0; i < node->ninputs; ++i) {
        out->dtypes[i] = types.operand[i];
        out->values[i] = NULL;
    }
}

/* How the node changes with operand i; NULL where it does not, or where the scope has failed. */
static const formula *formula_of(operands *o, int i)
{
    pthread_once(&once, read_all);
    const formula *found = &formulas[o->node->primitive][i];
    if (found->is_there && !found->is_readable && o->scope.status == JG_OK)
        o->scope.status = base_fail(JG_ERR_INTERNAL, "%s: the formula of operand %d cannot be read",
                                    op_name((jg_op)o->node->label), i);
    return found->is_there && o->scope.status == JG_OK ? found : NULL;
}

/* Only what a formula reads is cast. */
static jg_array *operand_at(operands *o, int i)
{
    if (o->values[i] == NULL)
        o->values[i] = scope_cast(&o->scope, o->node->inputs[i], o->dtypes[i]);
    return o->values[i];
}

static jg_array *apply(compose_scope *scope, const derive_step *step, jg_array *const *arguments)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = graph_elementwise((jg_op)step->op, step->arity, arguments, NULL, &made);
    return scope_take(scope, status, made);
}

static jg_array *spell(operands *o, const derive_rule *rule, jg_array *g)
{
    jg_array *stack[JG_COUNT_OF(rule->steps)];
    int top = 0;
    for (int i = 0; i < rule->count; ++i) {
        const derive_step *step = &rule->steps[i];
        jg_array *made = NULL;
        switch ((derive_step_kind)step->kind) {
        case DERIVE_OPERAND: made = operand_at(o, step->op); break;
        case DERIVE_VALUE: made = o->node; break;
        case DERIVE_CARRIED: made = g; break;
        case DERIVE_NUMBER:
            made = o->scope.status == JG_OK ? scope_number(&o->scope, g, step->number) : NULL;
            break;
        case DERIVE_INSTRUCTION:
            top -= step->arity;
            made = apply(&o->scope, step, &stack[top]);
            break;
        }
        stack[top++] = made;
    }
    return stack[0];
}

bool formula_set_strong_zero(bool on)
{
    bool before = strong_zero;
    strong_zero = on;
    return before;
}

bool formula_has_strong_zero(void)
{
    return strong_zero;
}

/* 0 where g is 0 and the share is not a number, as 0 times infinity is none. Elsewhere the share of
 * a g of 0 is 0 anyway, and has derivatives by g, which a choice by g alone would lose. */
static jg_array *select_zero(compose_scope *scope, jg_array *g, jg_array *share)
{
    jg_array *is_zero = scope_binary(scope, jg_equal, g, scope_number(scope, g, 0));
    jg_array *is_nan = scope_binary(scope, jg_not_equal, share, share);
    jg_array *both = scope_binary(scope, jg_logical_and, is_zero, is_nan);
    return scope_where(scope, both, scope_number(scope, share, 0), share);
}

static jg_array *share_of(operands *o, const formula *f, jg_array *g)
{
    jg_array *share = spell(o, &f->rule, g);
    if (JG_LIKELY(!strong_zero) || !f->factors || o->scope.status != JG_OK)
        return share;
    return select_zero(&o->scope, g, share);
}

jg_status formula_tangent(jg_array *node, jg_array *const *tangents, jg_array **out)
{
    operands o;
    jg_array *sum = NULL;
    take_operands(node, &o);
    for (int i = 0; i < node->ninputs; ++i) {
        const formula *f = tangents[i] == NULL ? NULL : formula_of(&o, i);
        if (f == NULL)
            continue;
        jg_array *share = share_of(&o, f, scope_cast(&o.scope, tangents[i], o.dtypes[i]));
        sum = sum == NULL ? share : scope_binary(&o.scope, jg_add, sum, share);
    }
    if (sum == NULL) {
        *out = NULL;
        return scope_close(&o.scope);
    }
    sum = scope_cast(&o.scope, sum, (jg_dtype)node->dtype);
    if (sum != NULL && o.scope.status == JG_OK) {
        jg_array *moved = NULL;
        jg_status status = transform_move(sum, node, &moved);
        sum = scope_take(&o.scope, status, moved);
    }
    if (sum != NULL && o.scope.status == JG_OK)
        sum = scope_shaped(&o.scope, jg_broadcast_to, sum, node->ndim, node_shape(node));
    return scope_finish(&o.scope, sum, out);
}

static jg_array *conjugate(compose_scope *scope, jg_array *x)
{
    if (scope->status != JG_OK || !dtype_is_complex((jg_dtype)x->dtype))
        return x;
    return scope_unary(scope, jg_conj, x);
}

jg_status formula_cotangent(reverse_pass *pass, jg_array *node, jg_array *cotangent)
{
    operands o;
    take_operands(node, &o);
    jg_array *g = conjugate(&o.scope, cotangent);
    for (int i = 0; i < node->ninputs && o.scope.status == JG_OK; ++i) {
        const formula *f = reverse_wants(pass, i) ? formula_of(&o, i) : NULL;
        if (f == NULL)
            continue;
        jg_array *share = conjugate(&o.scope, share_of(&o, f, g));
        if (o.scope.status == JG_OK)
            o.scope.status = reverse_give(pass, i, share);
    }
    return scope_close(&o.scope);
}
