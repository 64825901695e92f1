/* SPDX-License-Identifier: Apache-2.0 */
/* Every instruction on every dtype that the tiles take, and every cast, as kernels: the device's
 * bits are the tiles'. */
#include "device_launch.h"

static launch l;

enum { ELEMENTS = 4001 };

/* What differs from the tiles by nature: (1) powers of complex numbers, (2) large angles in
 * float64. */
static double ulps_of(program_op op, jg_dtype type)
{
    bool is_angle = op == PROGRAM_SIN || op == PROGRAM_COS || op == PROGRAM_TAN;
    bool is_wide = type == JG_DTYPE_FLOAT64;
    if (op == PROGRAM_POWER && dtype_is_complex(type))
        return 1e9;
    if (is_angle && is_wide)
        return 8;
    return 0;
}

static void dense(void)
{
    int64_t n = ELEMENTS, strides[PROGRAM_MAX_BUFFERS];
    for (int i = 0; i < PROGRAM_MAX_BUFFERS; ++i)
        strides[i] = 1;
    launch_space(&l, 1, 0, &n, strides);
}

/* Programs of one instruction of one dtype with all their texts in one unit would share a build;
 * one instruction's dtypes do. */
typedef struct batch {
    launch *launches[64];
    int count;
    double ulps[64];
    const char *names[64];
} batch;

static batch pending;

static void add_launch(double ulps)
{
    launch *own = malloc(sizeof *own);
    dense();
    memcpy(own, &l, sizeof l);
    pending.launches[pending.count] = own;
    pending.ulps[pending.count++] = ulps;
}

/* Zeros by their sign, too; any NaN for another. */
static void compare_bits(const launch *own)
{
    int b = own->program.nbuffers - 1;
    jg_dtype dtype = (jg_dtype)own->program.buffers[b].dtype;
    size_t itemsize = dtype_itemsize(dtype);
    for (int64_t i = 0; i < ELEMENTS; ++i) {
        const char *got = own->copies[b] + (size_t)i * itemsize;
        const char *expected = own->memory[b] + (size_t)i * itemsize;
        value x = load_value(got, dtype), y = load_value(expected, dtype);
        bool both_nan = (isnan(x.re) && isnan(y.re)) || (isnan(x.im) && isnan(y.im));
        if (memcmp(got, expected, itemsize) == 0 || both_nan)
            continue;
        print_launch(own);
        fail_msg("element %ld: got %g %g %ld, expected %g %g %ld", (long)i, x.re, x.im, (long)x.i,
                 y.re, y.im, (long)y.i);
    }
}

static void run_batch(const device_facts *facts, uint64_t from)
{
    device_work works[64];
    device_unit *unit;
    for (int i = 0; i < pending.count; ++i)
        works[i] = (device_work){.program = &pending.launches[i]->program,
                                 .space = pending.launches[i]->space};
    must(source_printer.print(facts, pending.count, works, &unit));
    void *program = opencl_build(unit);
    for (int i = 0; i < pending.count; ++i) {
        launch *own = pending.launches[i];
        device_launch *started;
        launch_alloc(own, from, false);
        launch_tile(own, true);
        must(source_printer.arrange(unit, i, &works[i], lead == 0, &started));
        opencl_code code = opencl_code_of(program, &unit->entries[i]);
        run_launch(own, &code, started);
        opencl_discard(&code);
        base_free(started);
        if (pending.ulps[i] > 0)
            launch_compare(own, pending.ulps[i]);
        else
            compare_bits(own);
        launch_free(own);
        free(own);
    }
    pending.count = 0;
    opencl.driver.release_program(program);
    source_printer.release(unit);
}

static void build(program_op op, jg_dtype type)
{
    int arity = program_inst_rows[op].arity, operands[3];
    program_init(&l.program);
    for (int i = 0; i < arity; ++i)
        operands[i] = load_of(&l, op == PROGRAM_SELECT && i == 0 ? JG_DTYPE_BOOL : type);
    store_of(&l, apply_to(&l, op, operands[0], arity > 1 ? operands[1] : 0,
                          arity > 2 ? operands[2] : 0));
}

static void check_instructions(const device_facts *facts)
{
    int checked = 0;
    for (int op = PROGRAM_COPY; op < PROGRAM_REDUCE_ADD; ++op) {
        for (int type = 0; type < JG_DTYPE_COUNT; ++type) {
            if (!dtype_is_castable((jg_dtype)type) ||
                (!dtype_rows[type].computable && op != PROGRAM_COPY))
                continue;
            build((program_op)op, (jg_dtype)type);
            if (!tile_executor.accepts(&l.program))
                continue;
            add_launch(ulps_of((program_op)op, (jg_dtype)type));
            checked += 1;
        }
        if (pending.count > 0)
            run_batch(facts, (uint64_t)op);
    }
    assert_true(checked > 400);
}

TEST(every_instruction_has_the_bits_of_the_tiles)
{
    device_facts facts = facts_of(DEVICE_LANES);
    check_instructions(&facts);
}

TEST(every_cast_has_the_bits_of_the_tiles)
{
    device_facts facts = facts_of(DEVICE_LANES);
    int checked = 0;
    for (int from = 0; from < JG_DTYPE_COUNT; ++from) {
        for (int to = 0; to < JG_DTYPE_COUNT; ++to) {
            if (from == to || !dtype_is_castable((jg_dtype)from) ||
                !dtype_is_castable((jg_dtype)to))
                continue;
            program_init(&l.program);
            store_of(&l, cast_of(&l, load_of(&l, (jg_dtype)from), (jg_dtype)to));
            if (!tile_executor.accepts(&l.program))
                continue;
            add_launch(0);
            checked += 1;
        }
        if (pending.count > 0)
            run_batch(&facts, (uint64_t)from);
    }
    assert_true(checked > 220);
}

BEFORE_ALL(opencl_open)
