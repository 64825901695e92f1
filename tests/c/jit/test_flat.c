/* SPDX-License-Identifier: Apache-2.0 */
/* Flat programs give the same bits on both tiers: every instruction and every cast, of every dtype
 * that the compiler takes, over spaces of odd strides and over rows, and from units in any
 * order. */
#include "../program/loads.h"
#include "jit/flat.h"
#include "jit/jit.h"

#include "../tile/samples.h"
#include "tile/tile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 16 };

/* Elements that lie apart, which are kernels' work; rows, of which each leaves a rest behind its
 * lanes; and rows without one, which the code takes several of at once. */
typedef struct trial_space {
    int64_t rows, columns;
    bool apart;
} trial_space;
static const trial_space spaces[] = {{7, 61, true}, {3, 141, false}, {9, 64, false}};

static const jg_dtype dtypes[] = {
    JG_DTYPE_BOOL,     JG_DTYPE_INT8,    JG_DTYPE_INT16,  JG_DTYPE_INT32,  JG_DTYPE_INT64,
    JG_DTYPE_UINT8,    JG_DTYPE_UINT16,  JG_DTYPE_UINT32, JG_DTYPE_UINT64, JG_DTYPE_FLOAT16,
    JG_DTYPE_BFLOAT16, JG_DTYPE_FLOAT32, JG_DTYPE_FLOAT64};

typedef struct trial {
    jg_program program;
    trial_space space;
    jg_scalar scalars[PROGRAM_MAX_SCALARS];
    char *memory[2][PROGRAM_MAX_BUFFERS]; /* by tier */
} trial;

static size_t count_of(const trial *t)
{
    return (size_t)(t->space.rows * t->space.columns);
}

/* Elements of the tile's own samples: special values among them. */
static void fill_memory(trial *t)
{
    for (int b = 0; b < t->program.nbuffers; ++b) {
        jg_dtype dtype = (jg_dtype)t->program.buffers[b].dtype;
        size_t nbytes = count_of(t) * WIDE * 2;
        for (int tier = 0; tier < 2; ++tier) {
            t->memory[tier][b] = aligned_alloc(64, (nbytes + 63) / 64 * 64);
            memset(t->memory[tier][b], 0x55, nbytes);
            if (t->program.buffers[b].role == PROGRAM_ROLE_READ)
                fill_samples(t->memory[tier][b], dtype, (int)count_of(t) * 2, (uint64_t)b * 7 + 1);
        }
    }
}

/* Where elements lie apart, reads go by columns or skip every other one; in rows, one reads an
 * element for each row, another leaves gaps between rows. Results are dense. */
static void place_read(const trial_space *kind, int number, int64_t itemsize, int64_t *strides)
{
    int64_t far = kind->apart ? kind->rows * itemsize : 0;
    strides[0] = number == 1 ? itemsize : kind->columns * itemsize * number;
    strides[1] = number == 1 ? far : itemsize * (kind->apart ? number : 1);
}

static program_space *make_space(const trial *t)
{
    const jg_program *program = &t->program;
    program_space *space =
        calloc(1, sizeof *space + (size_t)program->nbuffers * 2 * sizeof(int64_t));
    *space = (program_space){
        .ndim = 2, .nbuffers = program->nbuffers, .extents = {t->space.rows, t->space.columns}};
    for (int b = 0; b < program->nbuffers; ++b) {
        int64_t itemsize = (int64_t)dtype_itemsize((jg_dtype)program->buffers[b].dtype);
        int64_t *strides = space->strides + 2 * b;
        strides[0] = t->space.columns * itemsize;
        strides[1] = itemsize;
        if (program->buffers[b].role == PROGRAM_ROLE_READ && b % 3 > 0)
            place_read(&t->space, b % 3, itemsize, strides);
        if (program->buffers[b].role == PROGRAM_ROLE_INDEX) {
            strides[0] = 1000;
            strides[1] = -3;
        }
    }
    return space;
}

static void run_tier(trial *t, const program_space *space, const program_executor *executor,
                     int tier)
{
    static _Alignas(64) char shared[EXECUTOR_SHARED_NBYTES];
    void *addresses[PROGRAM_MAX_BUFFERS];
    executor_code *code;
    for (int b = 0; b < t->program.nbuffers; ++b)
        addresses[b] = t->program.buffers[b].role == PROGRAM_ROLE_INDEX ? (void *)(intptr_t)17
                                                                        : t->memory[tier][b];
    assert_true(executor->accepts(&t->program));
    assert_ok(executor->prepare(&t->program, space, &code));
    for (int64_t u = executor->units(code); u-- > 0;)
        executor->run(code, addresses, t->scalars, shared, u, u + 1);
    executor->finish(code, addresses, t->scalars, shared);
    executor->release(code);
}

/* NaN is NaN, whichever of two operands it comes from. */
static bool same(const char *a, const char *b, jg_dtype dtype)
{
    size_t itemsize = dtype_itemsize(dtype);
    jg_scalar x, y;
    if (memcmp(a, b, itemsize) == 0)
        return true;
    return scalar_load(a, dtype, &x) == JG_KIND_FLOAT &&
           scalar_load(b, dtype, &y) == JG_KIND_FLOAT && x.f64 != x.f64 && y.f64 != y.f64;
}

static void compare(const trial *t)
{
    for (int p = 0; p < t->program.ninsts; ++p) {
        const program_inst *inst = &t->program.insts[p];
        if (inst->op != PROGRAM_STORE)
            continue;
        jg_dtype dtype = (jg_dtype)inst->to;
        size_t itemsize = dtype_itemsize(dtype);
        const program_inst *made = &t->program.insts[inst->src[0]];
        for (size_t i = 0; i < count_of(t); ++i)
            if (!same(t->memory[0][inst->buffer] + i * itemsize,
                      t->memory[1][inst->buffer] + i * itemsize, dtype))
                fail_msg("%s of %s: element %zu differs", program_inst_rows[made->op].name,
                         dtype_rows[made->type].name, i);
    }
}

static void check_space(trial *t, const trial_space *kind)
{
    t->space = *kind;
    program_space *space = make_space(t);
    assert_true(jit_rows_suit(&t->program, space) != kind->apart);
    fill_memory(t);
    run_tier(t, space, &tile_executor, 0);
    run_tier(t, space, &jit_executor, 1);
    compare(t);
    for (int b = 0; b < t->program.nbuffers; ++b) {
        free(t->memory[0][b]);
        free(t->memory[1][b]);
    }
    free(space);
}

static void check(trial *t)
{
    assert_ok(program_verify(&t->program));
    for (size_t i = 0; i < JG_COUNT_OF(spaces); ++i)
        check_space(t, &spaces[i]);
}

static void add_store(trial *t, int position)
{
    int buffer;
    jg_dtype dtype = program_type_of(&t->program, position);
    assert_ok(program_add_buffer(&t->program, PROGRAM_ROLE_WRITE, dtype, &buffer));
    assert_ok(program_store(&t->program, position, buffer));
}

static bool is_tried(program_op op, jg_dtype dtype)
{
    jg_program probe;
    const program_inst_row *row = &program_inst_rows[op];
    if (row->arity == 0 || op == PROGRAM_STORE || op == PROGRAM_CAST || program_is_reduction(op) ||
        row->result == RESULT_TO || op == PROGRAM_THREEFRY || op == PROGRAM_THREEFRY_HALF)
        return false;
    program_init(&probe);
    int buffer, src[3], position;
    assert_ok(program_add_buffer(&probe, PROGRAM_ROLE_READ, dtype, &buffer));
    assert_ok(program_load(&probe, buffer, &src[1]));
    src[0] = src[2] = src[1];
    if (op == PROGRAM_SELECT) {
        assert_ok(program_add_buffer(&probe, PROGRAM_ROLE_READ, JG_DTYPE_BOOL, &buffer));
        assert_ok(program_load(&probe, buffer, &src[0]));
    }
    assert_ok(program_apply(&probe, op, row->arity, src, &position));
    assert_ok(
        program_add_buffer(&probe, PROGRAM_ROLE_WRITE, program_type_of(&probe, position), &buffer));
    assert_ok(program_store(&probe, position, buffer));
    return program_verify(&probe) == JG_OK && tile_executor.accepts(&probe) &&
           jit_executor.accepts(&probe) && kernel_takes((uint16_t)op, dtype) &&
           (dtype_rows[dtype].bits != 16 || !dtype_is_floating(dtype));
}

static int start_trial(trial *t, jg_dtype dtype, int *operands, bool selects)
{
    program_init(&t->program);
    operands[3] = selects ? add_load(&t->program, JG_DTYPE_BOOL) : -1;
    for (int i = 0; i < 3; ++i)
        operands[i] = add_load(&t->program, dtype);
    return 0;
}

TEST(instructions_give_the_same_bits)
{
    trial *t = calloc(1, sizeof *t);
    for (size_t d = 0; d < JG_COUNT_OF(dtypes); ++d) {
        int operands[4], count = start_trial(t, dtypes[d], operands, true);
        for (program_op op = 0; op < PROGRAM_OP_COUNT; ++op) {
            int src[3] = {operands[0], operands[1], operands[2]}, position;
            if (!is_tried(op, dtypes[d]))
                continue;
            if (op == PROGRAM_SELECT)
                src[0] = operands[3];
            assert_ok(program_apply(&t->program, op, program_inst_rows[op].arity, src, &position));
            add_store(t, position);
            if (++count == 20) {
                check(t);
                count = start_trial(t, dtypes[d], operands, true);
            }
        }
        if (count > 0)
            check(t);
    }
    free(t);
}

TEST(casts_give_the_same_bits)
{
    trial *t = calloc(1, sizeof *t);
    for (size_t d = 0; d < JG_COUNT_OF(dtypes); ++d) {
        program_init(&t->program);
        int from = add_load(&t->program, dtypes[d]), position;
        for (size_t to = 0; to < JG_COUNT_OF(dtypes); ++to) {
            if (to == d)
                continue;
            assert_ok(program_cast(&t->program, from, dtypes[to], &position));
            add_store(t, position);
        }
        check(t);
    }
    free(t);
}

/* Products next to sums, which a compiler would like to contract; scalars and an index. */
TEST(chains_give_the_same_bits)
{
    trial *t = calloc(1, sizeof *t);
    for (int round = 0; round < 3; ++round) {
        jg_dtype dtype = round == 0 ? JG_DTYPE_FLOAT32 : JG_DTYPE_FLOAT64;
        int scalar, index, position, product, sum;
        program_init(&t->program);
        int x = add_load(&t->program, dtype), y = add_load(&t->program, dtype);
        assert_ok(program_add_scalar(&t->program, dtype, &scalar));
        scalar_store((jg_scalar){.f64 = 0.3}, JG_KIND_FLOAT, dtype, &t->scalars[scalar]);
        assert_ok(program_scalar(&t->program, scalar, &position));
        assert_ok(program_add_buffer(&t->program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &index));
        assert_ok(program_index(&t->program, index, &sum));
        assert_ok(program_cast(&t->program, sum, dtype, &sum));
        for (int i = 0; i < 12; ++i) {
            assert_ok(
                program_apply(&t->program, PROGRAM_MULTIPLY, 2, (int[]){sum, position}, &product));
            assert_ok(
                program_apply(&t->program, PROGRAM_ADD, 2, (int[]){product, i % 2 ? x : y}, &sum));
        }
        assert_ok(program_apply(&t->program, PROGRAM_TANH, 1, &sum, &product));
        add_store(t, sum);
        add_store(t, product);
        check(t);
    }
    free(t);
}

enum { STREAMED = 1000 };

static void make_sum(jg_program *program)
{
    int a, b, c, x, y, sum;
    program_init(program);
    assert_ok(program_add_buffer(program, PROGRAM_ROLE_READ, JG_DTYPE_FLOAT32, &a));
    assert_ok(program_add_buffer(program, PROGRAM_ROLE_READ, JG_DTYPE_FLOAT32, &b));
    assert_ok(program_add_buffer(program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT32, &c));
    assert_ok(program_load(program, a, &x));
    assert_ok(program_load(program, b, &y));
    assert_ok(program_apply(program, PROGRAM_ADD, 2, (int[]){x, y}, &sum));
    assert_ok(program_store(program, sum, c));
}

/* Writing past the caches wants whole lines; results that do not begin with one are right all the
 * same, and nothing beside them is written. */
TEST(results_stream_wherever_they_begin)
{
    static _Alignas(64) float a[STREAMED + 64], b[STREAMED + 64], c[STREAMED + 64];
    program_space *space = calloc(1, sizeof *space + 3 * sizeof(int64_t));
    jg_program program;
    jit_flat_rows *rows;
    make_sum(&program);
    *space = (program_space){.ndim = 1, .nbuffers = 3, .extents = {STREAMED}};
    for (int i = 0; i < 3; ++i)
        space->strides[i] = sizeof(float);
    for (int i = 0; i < STREAMED + 64; ++i)
        a[i] = (float)i, b[i] = 0.5F;
    assert_true(jit_rows_suit(&program, space));
    assert_ok(jit_rows_prepare(&program, space, 1, true, &rows));
    for (int shift = 0; shift < 18; shift += 3) {
        for (int i = 0; i < STREAMED + 64; ++i)
            c[i] = -1;
        jit_rows_run(rows, (void *[]){a + 1, b, c + shift}, NULL, 0, STREAMED);
        for (int i = 0; i < STREAMED + 64; ++i) {
            bool inside = i >= shift && i < shift + STREAMED;
            assert_true(c[i] == (inside ? (float)(i - shift + 1) + 0.5F : -1));
        }
    }
    jit_rows_release(rows);
    free(space);
}

/* The code knows no shape, so another shape finds it made. */
TEST(rows_of_other_shapes_share_code)
{
    program_space *spaces_of_two = calloc(1, sizeof *spaces_of_two + 6 * sizeof(int64_t));
    program_space *space_of_one = calloc(1, sizeof *space_of_one + 3 * sizeof(int64_t));
    jg_program program;
    jit_flat_rows *rows[2];
    make_sum(&program);
    *space_of_one = (program_space){.ndim = 1, .nbuffers = 3, .extents = {77}};
    *spaces_of_two = (program_space){.ndim = 2, .nbuffers = 3, .extents = {5, 300}};
    for (int i = 0; i < 3; ++i) {
        space_of_one->strides[i] = spaces_of_two->strides[2 * i + 1] = sizeof(float);
        spaces_of_two->strides[2 * i] = 400 * sizeof(float);
    }
    assert_ok(jit_rows_prepare(&program, space_of_one, 1, false, &rows[0]));
    assert_ok(jit_rows_prepare(&program, spaces_of_two, 1, false, &rows[1]));
    assert_ptr_equal(jit_rows_address(rows[0]), jit_rows_address(rows[1]));
    jit_rows_release(rows[0]);
    jit_rows_release(rows[1]);
    free(space_of_one);
    free(spaces_of_two);
}

/* A matrix for each of two and rows of a vector, dense results: every range of their elements. */
static void check_ranges(int columns)
{
    static _Alignas(64) float a[4000], b[200], c[4000];
    const int rows_of[] = {2, 3}, count = 6 * columns;
    program_space *space = calloc(1, sizeof *space + 9 * sizeof(int64_t));
    jg_program program;
    jit_flat_rows *rows;
    make_sum(&program);
    *space =
        (program_space){.ndim = 3, .nbuffers = 3, .extents = {rows_of[0], rows_of[1], columns}};
    const int64_t elements[9] = {1000, 200, 1, 0, 0, 1, 3 * columns, columns, 1};
    for (int i = 0; i < 9; ++i)
        space->strides[i] = elements[i] * (int64_t)sizeof(float);
    for (int i = 0; i < 4000; ++i)
        a[i] = (float)i;
    for (int i = 0; i < 200; ++i)
        b[i] = (float)i / 512;
    assert_ok(jit_rows_prepare(&program, space, 1, false, &rows));
    for (int first = 0; first <= count; first += first % columns == 0 ? 1 : 5) {
        for (int last = first; last <= count; last += last % columns == 0 ? 1 : 7) {
            for (int i = 0; i < count; ++i)
                c[i] = -1;
            jit_rows_run(rows, (void *[]){a, b, c}, NULL, first, last);
            for (int i = 0; i < count; ++i) {
                int row = i / columns, at = row / 3 * 1000 + row % 3 * 200 + i % columns;
                float sum = a[at] + b[i % columns];
                assert_true(c[i] == (i >= first && i < last ? sum : -1));
            }
        }
    }
    jit_rows_release(rows);
    free(space);
}

TEST(ranges_begin_and_end_anywhere)
{
    check_ranges(32);
    check_ranges(45);
}

/* Pairs of rows whose second comes first in an operand: unit by unit, the last one first, each has
 * the elements that it has in the order of the loops. */
TEST(pairs_of_rows_are_turned_within_units)
{
    enum { OUTER = 24, COLUMNS = 32, COUNT = OUTER * 2 * COLUMNS, UNIT = 512 };
    static _Alignas(64) float a[COUNT], b[COLUMNS], c[COUNT];
    program_space *space = calloc(1, sizeof *space + 9 * sizeof(int64_t));
    jg_program program;
    jit_flat_rows *rows;
    make_sum(&program);
    *space = (program_space){.ndim = 3, .nbuffers = 3, .extents = {OUTER, 2, COLUMNS}};
    const int64_t elements[9] = {2 * COLUMNS, -COLUMNS, 1, 0, 0, 1, 2 * COLUMNS, COLUMNS, 1};
    for (int i = 0; i < 9; ++i)
        space->strides[i] = elements[i] * (int64_t)sizeof(float);
    for (int i = 0; i < COUNT; ++i)
        a[i] = (float)i, b[i % COLUMNS] = (float)(i % COLUMNS) / 64, c[i] = -1;
    assert_ok(jit_rows_prepare(&program, space, UNIT, false, &rows));
    for (int first = COUNT - UNIT; first >= 0; first -= UNIT) {
        jit_rows_run(rows, (void *[]){a + COLUMNS, b, c}, NULL, first, first + UNIT);
        for (int i = 0; i < COUNT; ++i) {
            float sum = a[i / COLUMNS % 2 ? i - COLUMNS : i + COLUMNS] + b[i % COLUMNS];
            assert_true(c[i] == (i >= first ? sum : -1));
        }
    }
    jit_rows_release(rows);
    free(space);
}

/* The first result lies where an operand of the second does, which the program loads behind the
 * first store. */
TEST(results_lie_over_operands_that_are_loaded_later)
{
    static const int64_t extents[] = {300, 30};
    for (int kind = 0; kind < 2; ++kind) {
        float a[600], b[600], c[300];
        int buffer, x, y, sum;
        jg_program program;
        executor_code *code;
        program_space *space = calloc(1, sizeof *space + 5 * sizeof(int64_t));
        make_sum(&program);
        assert_ok(program_add_buffer(&program, PROGRAM_ROLE_READ, JG_DTYPE_FLOAT32, &buffer));
        assert_ok(program_load(&program, buffer, &x));
        assert_ok(program_apply(&program, PROGRAM_MULTIPLY, 2, (int[]){x, x}, &y));
        assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_FLOAT32, &sum));
        assert_ok(program_store(&program, y, sum));
        *space = (program_space){.ndim = 1, .nbuffers = 5, .extents = {extents[kind]}};
        for (int i = 0; i < 5; ++i)
            space->strides[i] = sizeof(float);
        space->strides[0] *= kind + 1; /* rows, then a kernel */
        for (int i = 0; i < 600; ++i)
            a[i] = (float)i, b[i] = 1;
        assert_ok(jit_executor.prepare(&program, space, &code));
        jit_executor.run(code, (void *[]){a, b, b, b, c}, NULL, NULL, 0, 1);
        for (int i = 0; i < extents[kind]; ++i) {
            assert_true(b[i] == (float)(i * (kind + 1)) + 1);
            assert_true(c[i] == 1);
        }
        jit_executor.release(code);
        free(space);
    }
}

/* It may lie where an operand does, and would be read by the next turn. */
TEST(what_writes_one_element_again_is_left_to_the_tiles)
{
    program_space *space = calloc(1, sizeof *space + 3 * sizeof(int64_t));
    jg_program program;
    executor_code *code;
    make_sum(&program);
    *space = (program_space){.ndim = 1, .nbuffers = 3, .extents = {77}};
    assert_fails(JG_ERR_UNSUPPORTED, jit_executor.prepare(&program, space, &code));
    free(space);
}

/* The bytes of the backend's file that are in memory and that nobody has written: pages that were
 * written are anonymous. Whether the others are clean depends on when the file was made. */
static size_t count_resident(void)
{
    char line[4096], flags[8] = "";
    size_t found = 0, kilobytes;
    bool is_backend = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%*x-%*x %7s", flags) == 1)
            is_backend = strstr(line, "libjoggle_jit.so") != NULL && flags[1] == '-';
        if (is_backend && sscanf(line, "Rss: %zu kB", &kilobytes) == 1)
            found += kilobytes << 10;
        if (is_backend && sscanf(line, "Anonymous: %zu kB", &kilobytes) == 1)
            found -= kilobytes << 10;
    }
    fclose(maps);
    return found;
}

TEST(memory_of_the_compiler_is_given_back)
{
    for (int turn = 0; turn < 2; ++turn) {
        trial t = {0};
        program_init(&t.program);
        int x = add_load(&t.program, JG_DTYPE_FLOAT32), y = add_load(&t.program, JG_DTYPE_FLOAT32),
            found;
        program_op op = turn == 0 ? PROGRAM_MULTIPLY : PROGRAM_SUBTRACT;
        assert_ok(program_apply(&t.program, op, 2, (int[]){x, y}, &found));
        add_store(&t, found);
        check(&t);
        assert_true(count_resident() > 1 << 20);
        jit_executor.rest();
        assert_true(count_resident() < 1 << 20);
    }
}

enum { DRAWN = 1003 };

/* Stores words of the counters first, first + step and so on, and floats that are made of them. */
static void draw(const program_executor *executor, program_op op, int64_t first, int64_t step,
                 uint64_t words[DRAWN], float floats[DRAWN])
{
    static _Alignas(64) char shared[EXECUTOR_SHARED_NBYTES];
    program_space *space = calloc(1, sizeof *space + 3 * sizeof(int64_t));
    trial *t = calloc(1, sizeof *t);
    int scalar, index, key, counter, word, number;
    executor_code *code;
    program_init(&t->program);
    assert_ok(program_add_scalar(&t->program, JG_DTYPE_UINT64, &scalar));
    t->scalars[scalar].bits[0] = UINT64_C(0x9e3779b97f4a7c15);
    assert_ok(program_scalar(&t->program, scalar, &key));
    assert_ok(program_add_buffer(&t->program, PROGRAM_ROLE_INDEX, JG_DTYPE_INT64, &index));
    assert_ok(program_index(&t->program, index, &counter));
    assert_ok(program_cast(&t->program, counter, JG_DTYPE_UINT64, &counter));
    assert_ok(program_apply(&t->program, op, 2, (int[]){counter, key}, &word));
    assert_ok(program_cast(&t->program, word, JG_DTYPE_INT32, &number));
    assert_ok(program_cast(&t->program, number, JG_DTYPE_FLOAT32, &number));
    add_store(t, word);
    add_store(t, number);
    *space = (program_space){.ndim = 1, .nbuffers = 3, .extents = {DRAWN}};
    space->strides[0] = step;
    space->strides[1] = sizeof *words;
    space->strides[2] = sizeof *floats;
    assert_true(executor->accepts(&t->program));
    assert_ok(executor->prepare(&t->program, space, &code));
    executor->run(code, (void *[]){(void *)(intptr_t)first, words, floats}, t->scalars, shared, 0,
                  executor->units(code));
    executor->release(code);
    free(space);
    free(t);
}

/* Neighbouring counters share words where halves are drawn: from even ones on, and from odd ones;
 * counters that do not follow one another do not; and some carry into the upper half. */
TEST(random_words_are_those_of_the_tiles)
{
    static const int64_t firsts[] = {0, 1, 40, ((int64_t)1 << 33) - 70, ((int64_t)1 << 40) + 1};
    static const int64_t steps[] = {1, 2, -3, 0};
    static const program_op ops[] = {PROGRAM_THREEFRY, PROGRAM_THREEFRY_HALF};
    static uint64_t words[2][DRAWN];
    static float floats[2][DRAWN];
    for (size_t i = 0; i < JG_COUNT_OF(firsts); ++i)
        for (size_t j = 0; j < JG_COUNT_OF(steps); ++j)
            for (size_t k = 0; k < JG_COUNT_OF(ops); ++k) {
                draw(&tile_executor, ops[k], firsts[i], steps[j], words[0], floats[0]);
                draw(&jit_executor, ops[k], firsts[i], steps[j], words[1], floats[1]);
                assert_memory_equal(words[0], words[1], sizeof words[0]);
                assert_memory_equal(floats[0], floats[1], sizeof floats[0]);
            }
}

/* Where elements lie apart, LLVM's loops would be slower than the tiles. */
TEST(random_words_that_lie_apart_are_left_to_the_tiles)
{
    program_space *space = calloc(1, sizeof *space + 3 * sizeof(int64_t));
    jg_program program;
    executor_code *code;
    int x, word;
    program_init(&program);
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_READ, JG_DTYPE_UINT64, &x));
    assert_ok(program_load(&program, x, &x));
    assert_ok(program_apply(&program, PROGRAM_THREEFRY, 2, (int[]){x, x}, &word));
    assert_ok(program_add_buffer(&program, PROGRAM_ROLE_WRITE, JG_DTYPE_UINT64, &x));
    assert_ok(program_store(&program, word, x));
    *space = (program_space){.ndim = 1, .nbuffers = 2, .extents = {DRAWN}};
    space->strides[0] = 3 * sizeof(uint64_t);
    space->strides[1] = sizeof(uint64_t);
    assert_fails(JG_ERR_UNSUPPORTED, jit_executor.prepare(&program, space, &code));
    free(space);
}
