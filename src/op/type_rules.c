/* SPDX-License-Identifier: Apache-2.0 */
/* Type rules: most promote all operands to one dtype and restrict its kind.
 *
 * Kinds are checked before promoting where the operands themselves are restricted, and after it
 * where only what they are computed in is. */
#include "op/type_rules.h"

/* Sets of kinds, a bit for each. */
#define KIND_BIT(kind) (1u << JG_KIND_##kind)
enum {
    KINDS_INTEGER = KIND_BIT(INT) | KIND_BIT(UINT),
    KINDS_REAL = KINDS_INTEGER | KIND_BIT(FLOAT),
    KINDS_NUMERIC = KINDS_REAL | KIND_BIT(COMPLEX),
    KINDS_ALL = KINDS_NUMERIC | KIND_BIT(BOOL)
};

/* The sets that rules ask for, in words. */
static const char *kinds_text(unsigned kinds)
{
    switch (kinds) {
    case KINDS_INTEGER: return "integers";
    case KINDS_REAL: return "integers and floats";
    case KINDS_NUMERIC: return "integers, floats and complex numbers";
    case KINDS_ALL & ~KIND_BIT(COMPLEX): return "bool, integers and floats";
    case KINDS_INTEGER | KIND_BIT(BOOL): return "bool and integers";
    default: return "bool, integers, floats and complex numbers";
    }
}

/* Checks the dtype of the argument of that name, which has to be computable too. */
static jg_status check_argument(const char *op, const char *name, jg_dtype dtype, unsigned kinds)
{
    const dtype_row *row = &dtype_rows[dtype];
    if (row->computable && (kinds >> row->kind & 1))
        return JG_OK;
    if (!row->computable)
        return base_fail(JG_ERR_TYPE,
                         "[%s] %s: %s is stored and exchanged only, allowed are %s; cast it first",
                         op, name, row->name, kinds_text(kinds));
    return base_fail(JG_ERR_TYPE, "[%s] %s: got %s, allowed are %s", op, name, row->name,
                     kinds_text(kinds));
}

/* Operands are called x, or x1 and x2, as in the prototypes. */
static jg_status check_kind(const char *op, int ninputs, int input, jg_dtype dtype, unsigned kinds)
{
    const char name[] = {'x', ninputs > 1 ? (char)('1' + input) : '\0', '\0'};
    return check_argument(op, name, dtype, kinds);
}

static jg_status find_common(int ninputs, const jg_dtype *inputs, jg_dtype *out)
{
    uint64_t dtypes = 0;
    for (int i = 0; i < ninputs; ++i)
        dtypes |= JG_DTYPE_BIT(inputs[i]);
    return jg_dtype_promote_set(dtypes, out);
}

/* All operands become their common dtype, which is also the result. kinds: those that each operand
 * may be of. */
static jg_status promote_all(const char *op, int ninputs, const jg_dtype *inputs, unsigned kinds,
                             op_types *out)
{
    jg_dtype common = inputs[0];
    bool same = true;
    JG_TRY(check_kind(op, ninputs, 0, common, kinds));
    for (int i = 1; i < ninputs; ++i) {
        if (JG_LIKELY(inputs[i] == common))
            continue;
        JG_TRY(check_kind(op, ninputs, i, inputs[i], kinds));
        same = false;
    }
    if (JG_UNLIKELY(!same))
        JG_TRY(find_common(ninputs, inputs, &common));
    for (int i = 0; i < ninputs; ++i)
        out->operand[i] = common;
    out->result = common;
    return JG_OK;
}

/* The same, and what has no fraction becomes the default float; complex stays. */
static jg_status promote_to_float(const char *op, int ninputs, const jg_dtype *inputs,
                                  unsigned kinds, op_types *out)
{
    JG_TRY(promote_all(op, ninputs, inputs, kinds, out));
    jg_dtype common = dtype_with_float(out->result);
    for (int i = 0; i < ninputs; ++i)
        out->operand[i] = common;
    out->result = common;
    return JG_OK;
}

jg_status type_rule_same(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return promote_all(op, ninputs, inputs, KINDS_ALL, out);
}

jg_status type_rule_castable(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    if (!dtype_is_castable(inputs[0]))
        return base_fail(
            JG_ERR_TYPE,
            "[%s] x: %s is stored and exchanged only, allowed are numbers of whole bytes", op,
            dtype_rows[inputs[0]].name);
    for (int i = 0; i < ninputs; ++i)
        out->operand[i] = inputs[0];
    out->result = inputs[0];
    return JG_OK;
}

jg_status type_rule_arithmetic(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return promote_all(op, ninputs, inputs, KINDS_ALL, out);
}

/* Two bools are refused, but True - x is allowed: only the common dtype must be a number. */
jg_status type_rule_numeric(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    JG_TRY(promote_all(op, ninputs, inputs, KINDS_ALL, out));
    return check_kind(op, ninputs, 0, out->result, KINDS_NUMERIC);
}

jg_status type_rule_real(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    JG_TRY(promote_all(op, ninputs, inputs, KINDS_ALL & ~KIND_BIT(COMPLEX), out));
    return check_kind(op, ninputs, 0, out->result, KINDS_REAL);
}

/* The operand stays complex, as its parts are taken in the op. */
jg_status type_rule_component(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    JG_TRY(promote_all(op, ninputs, inputs, KINDS_NUMERIC, out));
    out->result = dtype_real_part(out->result);
    return JG_OK;
}

jg_status type_rule_whole(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return promote_all(op, ninputs, inputs, KINDS_REAL, out);
}

jg_status type_rule_divide(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return promote_to_float(op, ninputs, inputs, KINDS_ALL, out);
}

jg_status type_rule_phase(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    JG_TRY(promote_to_float(op, ninputs, inputs, KINDS_ALL, out));
    out->result = dtype_real_part(out->result);
    return JG_OK;
}

jg_status type_rule_floating(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return promote_to_float(op, ninputs, inputs, KINDS_ALL & ~KIND_BIT(COMPLEX), out);
}

jg_status type_rule_extremum(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return promote_all(op, ninputs, inputs, KINDS_ALL & ~KIND_BIT(COMPLEX), out);
}

jg_status type_rule_order(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    JG_TRY(type_rule_extremum(op, ninputs, inputs, out));
    out->result = JG_DTYPE_BOOL;
    return JG_OK;
}

jg_status type_rule_compare(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    JG_TRY(promote_all(op, ninputs, inputs, KINDS_ALL, out));
    out->result = JG_DTYPE_BOOL;
    return JG_OK;
}

/* Each operand becomes bool by itself, so they need no common dtype. */
jg_status type_rule_logical(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    for (int i = 0; i < ninputs; ++i) {
        JG_TRY(check_kind(op, ninputs, i, inputs[i], KINDS_ALL));
        out->operand[i] = JG_DTYPE_BOOL;
    }
    out->result = JG_DTYPE_BOOL;
    return JG_OK;
}

/* uint64 and a signed integer are floats together, which have no bits that count. */
static jg_status promote_whole(const char *op, int ninputs, const jg_dtype *inputs, unsigned kinds,
                               op_types *out)
{
    JG_TRY(promote_all(op, ninputs, inputs, kinds, out));
    if (kinds >> dtype_rows[out->result].kind & 1)
        return JG_OK;
    return base_fail(
        JG_ERR_TYPE,
        "[%s] x1, x2: got %s and %s, whose common dtype is %s, allowed are operands with "
        "a common dtype of %s; cast one",
        op, dtype_rows[inputs[0]].name, dtype_rows[inputs[1]].name, dtype_rows[out->result].name,
        kinds_text(kinds));
}

jg_status type_rule_bitwise(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return promote_whole(op, ninputs, inputs, KINDS_INTEGER | KIND_BIT(BOOL), out);
}

jg_status type_rule_integer(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    return promote_whole(op, ninputs, inputs, KINDS_INTEGER, out);
}

/* Keys and counters: the generator works on words of 64 bits, which narrower integers are widened
 * to. */
jg_status type_rule_random(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    for (int i = 0; i < ninputs; ++i) {
        JG_TRY(check_kind(op, ninputs, i, inputs[i], KINDS_INTEGER));
        out->operand[i] = JG_DTYPE_UINT64;
    }
    out->result = JG_DTYPE_UINT64;
    return JG_OK;
}

/* where(condition, x1, x2): the condition does not affect the result's dtype. */
jg_status type_rule_select(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    op_types values;
    JG_TRY(check_argument(op, "condition", inputs[0], KINDS_ALL));
    JG_TRY(promote_all(op, ninputs - 1, inputs + 1, KINDS_ALL, &values));
    *out = (op_types){{JG_DTYPE_BOOL, values.result, values.result}, values.result};
    return JG_OK;
}

/* As in the Array API: sums of narrow integers would overflow soon, and sums of bools count. The
 * operand is cast before it is summed. */
jg_status type_rule_sum(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    JG_TRY(promote_all(op, ninputs, inputs, KINDS_ALL, out));
    switch (dtype_rows[inputs[0]].kind) {
    case JG_KIND_BOOL:
    case JG_KIND_INT: out->result = JG_DTYPE_INT64; break;
    case JG_KIND_UINT: out->result = JG_DTYPE_UINT64; break;
    default: break;
    }
    out->operand[0] = out->result;
    return JG_OK;
}

/* LAPACK has no half precision. Matrices are called a and b there. */
jg_status type_rule_factored(const char *op, int ninputs, const jg_dtype *inputs, op_types *out)
{
    for (int i = 0; i < ninputs; ++i)
        if (dtype_is_half(inputs[i]))
            return base_fail(
                JG_ERR_TYPE,
                "[%s] %s: got %s, allowed are float32, float64, complex64 and complex128", op,
                i == 0 ? "a" : "b", dtype_rows[inputs[i]].name);
    return type_rule_divide(op, ninputs, inputs, out);
}
