/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions as text: each value is a constant of its own, made by a function of the prelude. */
#include "source/draft.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* How elements are stored and values are kept; NULL for what cannot be an element. */
#define BYTES_1 "uint8_t"
#define BYTES_2 "uint16_t"
static const char *const types[JG_DTYPE_COUNT] = {
    [JG_DTYPE_BOOL] = BYTES_1,
    [JG_DTYPE_INT8] = "int8_t",
    [JG_DTYPE_INT16] = "int16_t",
    [JG_DTYPE_INT32] = "int32_t",
    [JG_DTYPE_INT64] = "int64_t",
    [JG_DTYPE_UINT8] = BYTES_1,
    [JG_DTYPE_UINT16] = BYTES_2,
    [JG_DTYPE_UINT32] = "uint32_t",
    [JG_DTYPE_UINT64] = "uint64_t",
    [JG_DTYPE_FLOAT16] = BYTES_2,
    [JG_DTYPE_BFLOAT16] = BYTES_2,
    [JG_DTYPE_FLOAT32] = "float",
    [JG_DTYPE_FLOAT64] = "double",
    [JG_DTYPE_COMPLEX64] = "complex64",
    [JG_DTYPE_COMPLEX128] = "complex128",
    [JG_DTYPE_COMPLEX32] = "uint32_t",
    [JG_DTYPE_FLOAT128] = "word128",
    [JG_DTYPE_FLOAT8_E3M4] = BYTES_1,
    [JG_DTYPE_FLOAT8_E4M3] = BYTES_1,
    [JG_DTYPE_FLOAT8_E4M3B11FNUZ] = BYTES_1,
    [JG_DTYPE_FLOAT8_E4M3FN] = BYTES_1,
    [JG_DTYPE_FLOAT8_E4M3FNUZ] = BYTES_1,
    [JG_DTYPE_FLOAT8_E5M2] = BYTES_1,
    [JG_DTYPE_FLOAT8_E5M2FNUZ] = BYTES_1,
    [JG_DTYPE_FLOAT8_E8M0FNU] = BYTES_1,
};

const char *source_value_type(jg_dtype dtype)
{
    return types[dtype];
}

bool source_value_has_type(const device_facts *facts, jg_dtype dtype)
{
    bool is_wide = dtype == JG_DTYPE_FLOAT64 || dtype == JG_DTYPE_COMPLEX128;
    return types[dtype] != NULL && (facts->f64 || !is_wide);
}

static void upper_case(const char *name, char *out, size_t nbytes)
{
    size_t i = 0;
    for (; name[i] != '\0' && i + 1 < nbytes; ++i)
        out[i] = (char)toupper((unsigned char)name[i]);
    out[i] = '\0';
}

void source_value_function(const program_inst *inst, char *out, size_t nbytes)
{
    char first[32], second[32];
    bool casts = inst->op == PROGRAM_CAST;
    const char *type = dtype_rows[inst->type].name;
    upper_case(casts ? type : program_inst_rows[inst->op].name, first, sizeof first);
    upper_case(casts ? dtype_rows[inst->to].name : type, second, sizeof second);
    snprintf(out, nbytes, casts ? "%s_AS_%s" : "%s_%s", first, second);
}

int source_value_entry(const device_facts *facts, const program_inst *inst)
{
    char name[64];
    source_value_function(inst, name, sizeof name);
    int entry = prelude_find(name);
    return entry >= 0 && prelude_is_wide(entry) && !facts->f64 ? -1 : entry;
}

static program_inst cast_of(jg_dtype from, jg_dtype to)
{
    return (program_inst){.op = PROGRAM_CAST, .type = (uint8_t)from, .to = (uint8_t)to};
}

bool source_value_has_cast(const device_facts *facts, jg_dtype from, jg_dtype to)
{
    const program_inst cast = cast_of(from, to);
    return from == to || source_value_entry(facts, &cast) >= 0;
}

void source_value_cast(source_draft *d, jg_dtype from, jg_dtype to, char *out, size_t nbytes)
{
    const program_inst cast = cast_of(from, to);
    out[0] = '\0';
    if (from == to)
        return;
    source_value_function(&cast, out, nbytes);
    prelude_reach(d->reached, source_value_entry(d->facts, &cast));
}

void source_value_needs(source_draft *d, const char *name)
{
    prelude_reach(d->reached, prelude_find(name));
}

void source_value_name(const source_draft *d, int position, char *out, size_t nbytes)
{
    snprintf(out, nbytes, "v%d%s", position, d->ranks[position] == RANK_ROW ? d->lane : "");
}

/* A constant, or an entry of the array that row values of a strip are kept in. */
static void print_value(source_draft *d, int position, const char *expression)
{
    char name[32];
    bool is_entry = d->ranks[position] == RANK_ROW && d->lane[0] != '\0';
    source_value_name(d, position, name, sizeof name);
    if (is_entry)
        source_write_line(d, "%s = %s;", name, expression);
    else
        source_write_line(d, "const %s %s = %s;",
                          source_value_type((jg_dtype)d->program->insts[position].to), name,
                          expression);
}

/* Foreign memory may hold any byte for true. */
static void print_load(source_draft *d, int position, const char *address)
{
    jg_dtype dtype = (jg_dtype)d->program->insts[position].to;
    char expression[192];
    snprintf(expression, sizeof expression,
             dtype == JG_DTYPE_BOOL ? "(uint8_t)(AT(const %s, %s) != 0)" : "AT(const %s, %s)",
             source_value_type(dtype), address);
    print_value(d, position, expression);
}

static void print_load_at(source_draft *d, int position, const char *address)
{
    char nbytes[32], moved[160];
    source_value_name(d, d->program->insts[position].src[0], nbytes, sizeof nbytes);
    snprintf(moved, sizeof moved, "%s + %s", address, nbytes);
    print_load(d, position, moved);
}

static void print_scalar(source_draft *d, int position)
{
    const program_inst *inst = &d->program->insts[position];
    jg_dtype dtype = (jg_dtype)inst->to;
    int word = d->words.scalars[inst->buffer];
    char expression[192];
    if (dtype == JG_DTYPE_FLOAT32)
        snprintf(expression, sizeof expression, "f32_of_bits((uint32_t)block.w[%d])", word);
    else if (dtype == JG_DTYPE_FLOAT64)
        snprintf(expression, sizeof expression, "f64_of_bits(block.w[%d])", word);
    else if (dtype == JG_DTYPE_COMPLEX64)
        snprintf(expression, sizeof expression,
                 "MADE(complex64){f32_of_bits((uint32_t)block.w[%d]), "
                 "f32_of_bits((uint32_t)(block.w[%d] >> 32))}",
                 word, word);
    else if (dtype == JG_DTYPE_COMPLEX128)
        snprintf(expression, sizeof expression,
                 "MADE(complex128){f64_of_bits(block.w[%d]), f64_of_bits(block.w[%d])}", word,
                 word + 1);
    else if (dtype == JG_DTYPE_BOOL)
        snprintf(expression, sizeof expression, "(uint8_t)((block.w[%d] & 255) != 0)", word);
    else
        snprintf(expression, sizeof expression, "(%s)block.w[%d]", source_value_type(dtype), word);
    print_value(d, position, expression);
}

static void print_call(source_draft *d, int position)
{
    const program_inst *inst = &d->program->insts[position];
    int arity = program_inst_rows[inst->op].arity;
    char function[64], expression[192], operand[32];
    source_value_function(inst, function, sizeof function);
    prelude_reach(d->reached, source_value_entry(d->facts, inst));
    int length = snprintf(expression, sizeof expression, "%s(", function);
    for (int i = 0; i < arity; ++i) {
        source_value_name(d, inst->src[i], operand, sizeof operand);
        length += snprintf(expression + length, sizeof expression - (size_t)length, "%s%s",
                           i > 0 ? ", " : "", operand);
    }
    snprintf(expression + length, sizeof expression - (size_t)length, ")");
    print_value(d, position, expression);
}

static void print_left(source_draft *d, int position)
{
    char expression[32];
    snprintf(expression, sizeof expression, "kept%d[j]", position);
    print_value(d, position, expression);
}

void source_value_print(source_draft *d, int position, const char *address)
{
    if (source_value_is_left(d, position)) {
        print_left(d, position);
        return;
    }
    switch (d->program->insts[position].op) {
    case PROGRAM_LOAD: print_load(d, position, address); break;
    case PROGRAM_LOAD_AT: print_load_at(d, position, address); break;
    case PROGRAM_INDEX: print_value(d, position, address); break;
    case PROGRAM_SCALAR: print_scalar(d, position); break;
    default: print_call(d, position); break;
    }
}

static bool has_value(const source_draft *d, int position)
{
    return d->program->insts[position].op != PROGRAM_STORE;
}

void source_value_print_uniform(source_draft *d)
{
    for (int p = 0; p < d->program->ninsts; ++p)
        if (d->ranks[p] == RANK_UNIFORM && has_value(d, p))
            source_value_print(d, p, NULL);
}

bool source_value_is_reduced_in(const source_draft *d, int position, int pass)
{
    return program_is_reduction((program_op)d->program->insts[position].op) &&
           d->levels[position] == pass + 1;
}

static bool stores_elements(const source_draft *d, int position)
{
    const program_inst *inst = &d->program->insts[position];
    return inst->op == PROGRAM_STORE && !d->program->buffers[inst->buffer].per_row;
}

bool source_value_find_wanted(source_draft *d, int pass)
{
    bool any = false;
    d->pass = pass;
    memset(d->wanted, 0, sizeof d->wanted);
    for (int p = d->program->ninsts; p-- > 0;) {
        const program_inst *inst = &d->program->insts[p];
        bool ends = source_value_is_reduced_in(d, p, pass) ||
                    (pass == d->store_pass && stores_elements(d, p));
        any |= ends;
        if (!ends && (!d->wanted[p] || source_value_is_left(d, p)))
            continue;
        for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
            d->wanted[inst->src[i]] |= d->ranks[inst->src[i]] == RANK_ELEMENT;
    }
    return any;
}

bool source_value_is_dear(const program_inst *inst)
{
    program_op op = (program_op)inst->op;
    return program_inst_rows[op].arity > 0 && op != PROGRAM_COPY && op != PROGRAM_STORE &&
           !program_is_simple(op) && !program_is_reduction(op);
}

bool source_value_has_dear(const jg_program *program)
{
    for (int p = 0; p < program->ninsts; ++p)
        if (source_value_is_dear(&program->insts[p]))
            return true;
    return false;
}

bool source_value_is_left(const source_draft *d, int position)
{
    return d->pass > d->kept_in[position];
}

static int kept_nbytes(const source_draft *d, int position)
{
    return KEPT_LENGTH * (int)dtype_itemsize((jg_dtype)d->program->insts[position].to);
}

/* How many passes want the value. gives: *first, the first of them */
static int count_passes(source_draft *d, int position, int *first)
{
    int count = 0;
    for (int pass = d->last_level; pass >= 0; --pass) {
        (void)source_value_find_wanted(d, pass);
        count += d->wanted[position];
        *first = d->wanted[position] ? pass : *first;
    }
    return count;
}

/* From the last value to the first, as one that is kept needs its operands in one pass only. */
static void find_kept(source_draft *d)
{
    int left = KEPT_NBYTES;
    for (int p = d->program->ninsts; p-- > 0;) {
        int first = 0;
        if (d->ranks[p] != RANK_ELEMENT || !source_value_is_dear(&d->program->insts[p]) ||
            kept_nbytes(d, p) > left || count_passes(d, p, &first) < 2)
            continue;
        d->kept_in[p] = (uint16_t)first;
        left -= kept_nbytes(d, p);
    }
}

void source_value_declare_kept(source_draft *d)
{
    for (int p = 0; p < d->program->ninsts; ++p)
        if (d->kept_in[p] != KEPT_NEVER)
            source_write_line(d, "%s kept%d[%d];",
                              source_value_type((jg_dtype)d->program->insts[p].to), p, KEPT_LENGTH);
}

void source_value_keep(source_draft *d)
{
    for (int p = 0; p < d->program->ninsts; ++p)
        if (d->kept_in[p] == d->pass)
            source_write_line(d, "kept%d[j] = v%d;", p, p);
}

/* A compiler chooses vectors by the largest type of a loop: sums of float32 in float64 would have
 * four elements at a time of what is added up. Two vectors do not wait for each other. */
const char *source_value_lanes(const source_draft *d)
{
    for (int p = 0; p < d->program->ninsts; ++p) {
        jg_dtype type = (jg_dtype)d->program->insts[p].type;
        if (d->wanted[p] && dtype_is_floating(type) && dtype_itemsize(type) <= 4)
            return "LANES_16";
    }
    return "LANES";
}

void source_value_find_levels(source_draft *d)
{
    d->last_level = 0;
    for (int p = 0; p < d->program->ninsts; ++p) {
        const program_inst *inst = &d->program->insts[p];
        uint16_t level = 0;
        d->ranks[p] = (uint8_t)program_rank_of(d->program, p, d->ranks);
        for (int i = 0; i < program_inst_rows[inst->op].arity; ++i)
            level = d->levels[inst->src[i]] > level ? d->levels[inst->src[i]] : level;
        d->kept_in[p] = KEPT_NEVER;
        d->levels[p] = (uint16_t)(level + program_is_reduction((program_op)inst->op));
        d->last_level = int_max(d->levels[p], d->last_level);
    }
    d->store_pass = program_reduces_once(d->program) ? 0 : d->last_level;
    if (d->form->keeps)
        find_kept(d);
}

void source_reach_type(prelude_set *reached, jg_dtype dtype)
{
    int entry = prelude_find(source_value_type(dtype));
    if (entry >= 0)
        prelude_reach(reached, entry);
}
