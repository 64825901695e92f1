/* SPDX-License-Identifier: Apache-2.0 */
/* Each loop of each instruction set that this CPU has, against the reference and against each
 * other. */
#include "../support.h"
#include "samples.h"
#include "tables.h"
#include <stdio.h>

enum { LONGEST = 5000, GUARD = 64 };
static const int64_t lengths[] = {0, 1, 15, 16, 17, 1023, 1024, 1025, LONGEST};

static _Alignas(64) char operands[3][LONGEST * 16], got[LONGEST * 16 + GUARD];
static _Alignas(64) char wanted[LONGEST * 16], first_bits[LONGEST * 16];

/* What the loop is allowed, and what rounding the reference in double may add. */
static double ulps_of(const program_inst *inst)
{
    if (inst->op == PROGRAM_ABS && inst->type == JG_DTYPE_COMPLEX128)
        return 1.3;
    double bound = allowed_ulps((program_op)inst->op, (jg_dtype)inst->type);
    return bound > 0 ? bound + 1 : 0;
}

static void make_wanted(const program_inst *inst, int64_t n)
{
    size_t from = dtype_itemsize((jg_dtype)inst->type), to = dtype_itemsize((jg_dtype)inst->to);
    for (int64_t i = 0; i < n; ++i) {
        value x[3];
        for (int k = 0; k < 3; ++k) {
            bool is_mask = inst->op == PROGRAM_SELECT && k == 0;
            x[k] = load_value(operands[k] + (size_t)i * (is_mask ? 1 : from),
                              is_mask ? JG_DTYPE_BOOL : (jg_dtype)inst->type);
        }
        store_value(wanted + (size_t)i * to, apply_value(inst, x), (jg_dtype)inst->to);
    }
}

/* What a complex function gives is accurate as a whole, but not in a part that cancels out. */
static double allowed_distance(const program_inst *inst)
{
    bool single = inst->type == JG_DTYPE_COMPLEX64;
    if (!dtype_is_complex((jg_dtype)inst->to))
        return 0;
    switch (inst->op) {
    case PROGRAM_COPY:
    case PROGRAM_CAST:
    case PROGRAM_SELECT:
    case PROGRAM_NEGATE:
    case PROGRAM_ROUND:
    case PROGRAM_CONJUGATE:
    case PROGRAM_ADD:
    case PROGRAM_SUBTRACT:
    case PROGRAM_MULTIPLY: return 0;
    case PROGRAM_POWER: return single ? 1e-7 : 5e-14;
    default: return single ? 1e-7 : 1e-15;
    }
}

static bool numbers_agree(const void *x, const void *y, jg_dtype dtype, double bound)
{
    value g = load_value(x, dtype), w = load_value(y, dtype);
    double size = hypot(w.re, w.im), least = dtype == JG_DTYPE_COMPLEX64 ? 0x1p-149 : 0x1p-1074;
    return !isfinite(size) || hypot(g.re - w.re, g.im - w.im) <= bound * size + least;
}

static void check_elements(const program_inst *inst, const char *isa, int64_t n)
{
    jg_dtype to = (jg_dtype)inst->to;
    size_t itemsize = dtype_itemsize(to);
    for (int64_t i = 0; i < n; ++i) {
        const char *g_at = got + (size_t)i * itemsize, *w_at = wanted + (size_t)i * itemsize;
        double distance = allowed_distance(inst);
        if (distance > 0 ? numbers_agree(g_at, w_at, to, distance)
                         : elements_agree(g_at, w_at, to, ulps_of(inst)))
            continue;
        value x = load_value(operands[0] + (size_t)i * dtype_itemsize((jg_dtype)inst->type),
                             (jg_dtype)inst->type);
        value y = load_value(operands[1] + (size_t)i * dtype_itemsize((jg_dtype)inst->type),
                             (jg_dtype)inst->type);
        value g = load_value(g_at, to), w = load_value(w_at, to);
        fail_msg("%s %s %s to %s, element %ld of %ld: x %a %a i %ld, y %a %a i %ld, got %a %a i "
                 "%ld, wanted %a %a i %ld",
                 isa, program_inst_rows[inst->op].name, dtype_rows[inst->type].name,
                 dtype_rows[to].name, (long)i, (long)n, x.re, x.im, (long)x.i, y.re, y.im,
                 (long)y.i, g.re, g.im, (long)g.i, w.re, w.im, (long)w.i);
    }
}

static void check_guard(size_t used)
{
    for (size_t i = used; i < used + GUARD; ++i)
        assert_int_equal(got[i], 0x55);
}

static void check_loop(const program_inst *inst, const tile_loops *table, tile_loop loop)
{
    size_t itemsize = dtype_itemsize((jg_dtype)inst->to);
    make_wanted(inst, LONGEST);
    for (size_t l = 0; l < JG_COUNT_OF(lengths); ++l) {
        int64_t n = lengths[l];
        memset(got, 0x55, sizeof got);
        loop(got, operands[0], operands[1], operands[2], n);
        check_elements(inst, table->isa, n);
        check_guard((size_t)n * itemsize);
    }
}

/* In place of whichever operand has the result's itemsize. */
static void check_in_place(const program_inst *inst, tile_loop loop)
{
    size_t nbytes = LONGEST * dtype_itemsize((jg_dtype)inst->to);
    int arity = program_inst_rows[inst->op].arity;
    static _Alignas(64) char own[LONGEST * 16];
    for (int k = 0; k < arity; ++k) {
        size_t itemsize =
            inst->op == PROGRAM_SELECT && k == 0 ? 1 : dtype_itemsize((jg_dtype)inst->type);
        if (itemsize * LONGEST != nbytes)
            continue;
        memcpy(own, operands[k], nbytes);
        loop(own, k == 0 ? own : operands[0], k == 1 ? own : operands[1],
             k == 2 ? own : operands[2], LONGEST);
        assert_memory_equal(own, got, nbytes);
    }
}

static tile_loop loop_of(const tile_loops *table, const program_inst *inst)
{
    return inst->op == PROGRAM_CAST ? table->cast[inst->type][inst->to]
                                    : table->apply[inst->op][inst->type];
}

static void make_operands(const program_inst *inst)
{
    for (int k = 0; k < 3; ++k) {
        bool is_mask = inst->op == PROGRAM_SELECT && k == 0;
        fill_samples(operands[k], is_mask ? JG_DTYPE_BOOL : (jg_dtype)inst->type, LONGEST,
                     (uint64_t)(inst->op * 1000 + inst->type * 20 + inst->to * 3 + k));
    }
}

static void for_each_loop(void (*check)(const program_inst *inst))
{
    for (int op = 0; op < PROGRAM_OP_COUNT; ++op) {
        for (int type = 0; type < JG_DTYPE_COUNT; ++type) {
            for (int to = 0; to < JG_DTYPE_COUNT; ++to) {
                program_inst inst = {.op = (uint8_t)op, .type = (uint8_t)type, .to = (uint8_t)to};
                if (!dtype_rows[type].computable || !dtype_rows[to].computable)
                    continue;
                if (op != PROGRAM_CAST &&
                    to != (int)program_result_type((program_op)op, (jg_dtype)type))
                    continue;
                if (loop_of(tables[0], &inst) == NULL)
                    continue;
                make_operands(&inst);
                check(&inst);
            }
        }
    }
}

static void against_reference(const program_inst *inst)
{
    for (int t = 0; t < ntables; ++t) {
        tile_loop loop = loop_of(tables[t], inst);
        assert_non_null(loop);
        check_loop(inst, tables[t], loop);
        check_in_place(inst, loop);
    }
}

TEST(every_loop_agrees_with_the_reference)
{
    for_each_loop(against_reference);
}

/* NaNs may differ in sign and payload where two of them meet, as operands may be swapped. */
static void clear_nans(char *elements, jg_dtype dtype)
{
    for (int64_t i = 0; i < LONGEST; ++i) {
        char *element = elements + (size_t)i * dtype_itemsize(dtype);
        value x = load_value(element, dtype);
        if (!is_whole(dtype) && (isnan(x.re) || isnan(x.im)))
            memset(element, 0, dtype_itemsize(dtype));
    }
}

static void against_each_other(const program_inst *inst)
{
    size_t nbytes = LONGEST * dtype_itemsize((jg_dtype)inst->to);
    bool uses_fma =
        allowed_ulps((program_op)inst->op, (jg_dtype)inst->type) > 0 || allowed_distance(inst) > 0;
    for (int t = uses_fma ? 1 : 0, seen = 0; t < ntables; ++t, seen = 1) {
        loop_of(tables[t], inst)(got, operands[0], operands[1], operands[2], LONGEST);
        clear_nans(got, (jg_dtype)inst->to);
        if (seen == 0)
            memcpy(first_bits, got, nbytes);
        if (memcmp(first_bits, got, nbytes) != 0)
            fail_msg("%s: other bits of %s %s to %s", tables[t]->isa,
                     program_inst_rows[inst->op].name, dtype_rows[inst->type].name,
                     dtype_rows[inst->to].name);
    }
}

TEST(instruction_sets_give_the_same_bits)
{
    for_each_loop(against_each_other);
}

TEST(every_pair_of_dtypes_can_be_cast)
{
    for (int t = 0; t < ntables; ++t)
        for (int from = 0; from < JG_DTYPE_COUNT; ++from)
            for (int to = 0; to < JG_DTYPE_COUNT; ++to)
                if (dtype_rows[from].computable && dtype_rows[to].computable)
                    assert_non_null(tables[t]->cast[from][to]);
}

TEST(dtypes_are_cast_and_copied_where_they_are_castable)
{
    for (int t = 0; t < ntables; ++t)
        for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype) {
            bool castable = dtype_is_castable((jg_dtype)dtype);
            jg_dtype way = castable ? dtype_on_the_way((jg_dtype)dtype) : JG_DTYPE_FLOAT64;
            assert_int_equal(tables[t]->cast[dtype][way] != NULL, castable);
            assert_int_equal(tables[t]->cast[way][dtype] != NULL, castable);
            assert_int_equal(tables[t]->apply[PROGRAM_COPY][dtype] != NULL, castable);
        }
}

/* Every bit pattern of both 16-bit floats, there and back. */
TEST(half_precision_survives_the_way_through_float32)
{
    static uint16_t halves[1 << 16], back[1 << 16];
    static float floats[1 << 16];
    const jg_dtype dtypes[] = {JG_DTYPE_FLOAT16, JG_DTYPE_BFLOAT16};
    for (int i = 0; i < 1 << 16; ++i)
        halves[i] = (uint16_t)i;
    for (int t = 0; t < ntables; ++t) {
        for (int d = 0; d < 2; ++d) {
            tables[t]->cast[dtypes[d]][JG_DTYPE_FLOAT32](floats, halves, NULL, NULL, 1 << 16);
            tables[t]->cast[JG_DTYPE_FLOAT32][dtypes[d]](back, floats, NULL, NULL, 1 << 16);
            for (int i = 0; i < 1 << 16; ++i) {
                float direct = d ? float_from_bfloat(halves[i]) : float_from_half(halves[i]);
                bool is_nan = direct != direct;
                assert_true(is_nan ? floats[i] != floats[i] : floats[i] == direct);
                if (!is_nan)
                    assert_int_equal(back[i], halves[i]);
            }
        }
    }
}

TEST(float32_rounds_to_half_like_the_scalar_conversion)
{
    enum { RUN = 4096 };
    static float floats[RUN];
    static uint16_t halves[RUN], brains[RUN];
    for (int t = 0; t < ntables; ++t) {
        for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += (uint64_t)RUN * 4093) {
            for (uint32_t i = 0; i < RUN; ++i) {
                uint32_t pattern = (uint32_t)bits + i * 4093;
                memcpy(&floats[i], &pattern, 4);
                if (floats[i] != floats[i])
                    floats[i] = 1.0f;
            }
            tables[t]->cast[JG_DTYPE_FLOAT32][JG_DTYPE_FLOAT16](halves, floats, NULL, NULL, RUN);
            tables[t]->cast[JG_DTYPE_FLOAT32][JG_DTYPE_BFLOAT16](brains, floats, NULL, NULL, RUN);
            for (int i = 0; i < RUN; ++i) {
                assert_int_equal(halves[i], float_to_half(floats[i]));
                assert_int_equal(brains[i], float_to_bfloat(floats[i]));
            }
        }
    }
}

static _Alignas(64) char spread[3][LONGEST * 16], between[LONGEST * 16];

static void spread_operand(int i, size_t itemsize)
{
    for (int64_t k = 0; k < LONGEST; ++k)
        memcpy(spread[i] + (size_t)k * itemsize, operands[i], itemsize);
}

static void check_same(const char *isa, const char *name, jg_dtype dtype)
{
    clear_nans(got, dtype);
    clear_nans(wanted, dtype);
    if (memcmp(got, wanted, LONGEST * dtype_itemsize(dtype)) != 0)
        fail_msg("%s: other bits of %s", isa, name);
}

static void check_single_operand(const tile_loops *table, const program_inst *inst, int single)
{
    tile_loop loop = table->with_scalar[single][inst->op][inst->type];
    const void *x[3] = {operands[0], operands[1], operands[2]};
    if (loop == NULL)
        return;
    loop(got, x[0], x[1], x[2], LONGEST);
    spread_operand(single, dtype_itemsize((jg_dtype)inst->type));
    x[single] = spread[single];
    loop_of(table, inst)(wanted, x[0], x[1], x[2], LONGEST);
    check_same(table->isa, program_inst_rows[inst->op].name, (jg_dtype)inst->to);
    loop(got, x[0], x[1], x[2], 0);
}

static void with_single_operands(const program_inst *inst)
{
    for (int t = 0; t < ntables && inst->op != PROGRAM_CAST; ++t)
        for (int single = 0; single < 3; ++single)
            check_single_operand(tables[t], inst, single);
}

TEST(an_operand_for_a_whole_tile_is_like_a_tile_of_it)
{
    for_each_loop(with_single_operands);
}

/* dst = (a first b) second c, by one loop and by two. */
static void check_pair(const tile_loops *table, int first, int second, int singles, jg_dtype dtype)
{
    static const program_op ops[] = {PROGRAM_ADD, PROGRAM_SUBTRACT, PROGRAM_MULTIPLY,
                                     PROGRAM_SUBTRACT};
    tile_loop pair = table->pairs[first][second][singles][dtype];
    tile_loop inner = table->apply[ops[first]][dtype], outer = table->apply[ops[second]][dtype];
    const void *b = operands[1], *c = operands[2];
    if (pair == NULL)
        return;
    pair(got, operands[0], b, c, LONGEST);
    for (int i = 1; i < 3; ++i)
        spread_operand(i, dtype_itemsize(dtype));
    if (singles == TILE_PAIR_SCALAR_B || singles == TILE_PAIR_SCALARS)
        b = spread[1];
    if (singles == TILE_PAIR_SCALAR_C || singles == TILE_PAIR_SCALARS)
        c = spread[2];
    inner(between, operands[0], b, NULL, LONGEST);
    if (second == TILE_PAIR_SUBTRACT_FROM)
        outer(wanted, c, between, NULL, LONGEST);
    else
        outer(wanted, between, c, NULL, LONGEST);
    check_same(table->isa, "a pair", dtype);
}

TEST(a_pair_rounds_like_its_two_instructions)
{
    for (int t = 0; t < ntables; ++t) {
        for (int dtype = 0; dtype < JG_DTYPE_COUNT; ++dtype) {
            program_inst inst = {.op = PROGRAM_ADD, .type = (uint8_t)dtype, .to = (uint8_t)dtype};
            make_operands(&inst);
            for (int first = 0; first < TILE_PAIR_SUBTRACT_FROM; ++first)
                for (int second = 0; second < TILE_PAIR_COUNT; ++second)
                    for (int singles = 0; singles < TILE_PAIR_SCALARS_COUNT; ++singles)
                        check_pair(tables[t], first, second, singles, (jg_dtype)dtype);
        }
    }
}

BEFORE_ALL(find_tables)
