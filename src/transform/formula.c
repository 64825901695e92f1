/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of elementwise primitives by the formulas of derive/derivative.def, spelled in ops.
 *
 * A formula is an expression in prefix form. All are read once, into steps of a stack machine:
 * operands first, then the op. Forward, g is the tangent of the operand and the formula is its
 * share of the node's. Backward, the derivative is taken to be that of a function of complex
 * numbers: conj(formula of conj g). */
#include "transform/transform.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 24, MAX_OPERANDS = 3 };

typedef enum step_kind { STEP_OPERAND, STEP_VALUE, STEP_G, STEP_NUMBER, STEP_OP } step_kind;

typedef struct formula_step {
    uint8_t kind, arity; /* step_kind; of a STEP_OP */
    uint16_t op;         /* jg_op; of a STEP_OPERAND its number */
    double number;
} formula_step;

typedef struct formula {
    int count;    /* 0: there is none, the derivative is zero */
    bool factors; /* g is multiplied by what may be infinite */
    formula_step steps[MAX_STEPS];
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

static const struct instruction {
    const char *name, *spelling;
    int arity;
} spellings[] = {
#define JG_INST(NAME, name, arity, result, takes, meaning) {#NAME, #name, arity},
#include "program/inst.def"
#undef JG_INST
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

/* The numbers that rules call by name. */
static const struct {
    const char *name;
    double value;
} numbers[] = {
#define JG_NUMBER(name, value) {#name, value},
#include "derive/derivative.def"
};

/* reading */

static bool is_word(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static const struct instruction *find_spelling(const char *word, size_t length)
{
    for (size_t i = 0; i < JG_COUNT_OF(spellings); ++i)
        if (is_word(word, length, spellings[i].spelling))
            return &spellings[i];
    return NULL;
}

static int find_primitive(const char *instruction)
{
    for (int i = 0; i < PRIMITIVE_COUNT; ++i)
        if (instructions[i] != NULL && strcmp(instructions[i], instruction) == 0)
            return i;
    return -1;
}

static formula_step read_leaf(const char *word, size_t length)
{
    static const char operands[] = "xyz";
    const char *operand = length == 1 ? strchr(operands, *word) : NULL;
    if (operand != NULL)
        return (formula_step){.kind = STEP_OPERAND, .op = (uint16_t)(operand - operands)};
    if (length == 1 && *word == 'v')
        return (formula_step){.kind = STEP_VALUE};
    if (length == 1 && *word == 'g')
        return (formula_step){.kind = STEP_G};
    for (size_t i = 0; i < JG_COUNT_OF(numbers); ++i)
        if (is_word(word, length, numbers[i].name))
            return (formula_step){.kind = STEP_NUMBER, .number = numbers[i].value};
    return (formula_step){.kind = STEP_NUMBER, .number = strtod(word, NULL)};
}

static bool is_factor(int primitive)
{
    return primitive != PRIMITIVE_negate && primitive != PRIMITIVE_select &&
           primitive != PRIMITIVE_equal && primitive != PRIMITIVE_copy;
}

/* An operand of one word, or an op with its operands; what is in parentheses ends with one. */
static const char *read_expression(const char *at, bool alone, formula *out)
{
    at += strspn(at, " ");
    bool inner = *at == '(';
    at += inner ? 1 : 0;
    size_t length = strcspn(at, " ()");
    const struct instruction *found = inner || alone ? find_spelling(at, length) : NULL;
    if (found == NULL) {
        out->steps[out->count++] = read_leaf(at, length);
        return at + length + (inner ? 1 : 0);
    }
    at += length;
    for (int i = 0; i < found->arity; ++i)
        at = read_expression(at, false, out);
    int primitive = find_primitive(found->name);
    out->factors |= is_factor(primitive);
    out->steps[out->count++] = (formula_step){
        .kind = STEP_OP, .arity = (uint8_t)found->arity, .op = (uint16_t)labels[primitive]};
    return at + (inner ? 1 : 0);
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
        if (to->count == 0)
            read_expression(rules[i].text, true, to);
    }
}

static const formula *formula_of(const jg_array *node, int operand)
{
    pthread_once(&once, read_all);
    return &formulas[node->primitive][operand];
}

/* spelling */

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

/* Only what a formula reads is cast. */
static jg_array *operand_at(operands *o, int i)
{
    if (o->values[i] == NULL)
        o->values[i] = scope_cast(&o->scope, o->node->inputs[i], o->dtypes[i]);
    return o->values[i];
}

static jg_array *apply(compose_scope *scope, const formula_step *step, jg_array *const *arguments)
{
    jg_array *made = NULL;
    if (scope->status != JG_OK)
        return NULL;
    jg_status status = graph_elementwise((jg_op)step->op, step->arity, arguments, NULL, &made);
    return scope_take(scope, status, made);
}

static jg_array *spell(operands *o, const formula *f, jg_array *g)
{
    jg_array *stack[MAX_STEPS];
    int top = 0;
    for (int i = 0; i < f->count; ++i) {
        const formula_step *step = &f->steps[i];
        jg_array *made = NULL;
        switch ((step_kind)step->kind) {
        case STEP_OPERAND: made = operand_at(o, step->op); break;
        case STEP_VALUE: made = o->node; break;
        case STEP_G: made = g; break;
        case STEP_NUMBER:
            made = o->scope.status == JG_OK ? scope_number(&o->scope, g, step->number) : NULL;
            break;
        case STEP_OP:
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
    jg_array *share = spell(o, f, g);
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
        const formula *f = formula_of(node, i);
        if (tangents[i] == NULL || f->count == 0)
            continue;
        jg_array *share = share_of(&o, f, scope_cast(&o.scope, tangents[i], o.dtypes[i]));
        sum = sum == NULL ? share : scope_binary(&o.scope, jg_add, sum, share);
    }
    if (sum == NULL) {
        *out = NULL;
        return scope_close(&o.scope);
    }
    sum = scope_cast(&o.scope, sum, (jg_dtype)node->dtype);
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
        const formula *f = formula_of(node, i);
        if (!reverse_wants(pass, i) || f->count == 0)
            continue;
        jg_array *share = conjugate(&o.scope, share_of(&o, f, g));
        if (o.scope.status == JG_OK)
            o.scope.status = reverse_give(pass, i, share);
    }
    return scope_close(&o.scope);
}
